#include "instr/process/remote_jvm.h"
#include "instr/process/memory_limit.h"
#include "instr/process/thread_limit.h"
#include "instr/base/hsperfdata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_ARGUMENTS = 256 * 1024,
    MOST_PERFDATA = 16 * 1024 * 1024,
    MOST_TEXT = 1024 * 1024,
    MOST_OPTIONS = 1024 * 1024, // bytes; a process may pose as a JVM
    MOST_FILES = 64,            // of arguments
    MOST_MAPS = 64 * 1024 * 1024
};

// --- libraries ---

static int starts(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// libinstr.so, or a copy of it, libinstr-0123456789abcdef.so; not libinstrument.so, which is the JDK's.
static int is_agent(const char *name) {
    static const char start[] = "libinstr";
    return starts(name, start) && name[sizeof start - 1] && strchr(".-_", name[sizeof start - 1]) &&
           strstr(name, ".so");
}

// Is it "7f0000001000-7f0000002000 r-xp ..."?
static int is_executable(const char *line) {
    const char *permissions = strchr(line, ' ');
    return permissions && strnlen(permissions, 4) == 4 && permissions[3] == 'x';
}

static void use_mapping(struct instr_remote_jvm *jvm, const char *line, const char *file,
                        char *perfdata, size_t size) {
    const char *name = strrchr(file, '/') + 1;
    if (strcmp(name, "libjvm.so") == 0) snprintf(jvm->library, sizeof jvm->library, "%s", file);
    if (starts(name, "libj9vm")) jvm->kind = INSTR_OPENJ9;
    if (starts(name, "ld-musl-")) jvm->musl = 1;
    if (strcmp(name, "libc.so.6") == 0 || starts(name, "libc-2."))
        snprintf(jvm->libc, sizeof jvm->libc, "%s", file);
    if (is_agent(name)) {
        snprintf(jvm->agent, sizeof jvm->agent, "%s", file);
        jvm->runs_agent |= is_executable(line);
    }
    if (strstr(file, "/hsperfdata_")) snprintf(perfdata, size, "%s", file);
}

// glibc leaves a mapping of a library that it could not load from a file system that is mounted noexec.
static void drop_unloaded(struct instr_remote_jvm *jvm) {
    char folder[INSTR_PROCESS_NAME];
    if (!jvm->agent[0] || jvm->runs_agent) return;
    snprintf(folder, sizeof folder, "%s", jvm->agent);
    *strrchr(folder, '/') = '\0';
    if (!instr_process_executes(&jvm->process, folder)) jvm->agent[0] = '\0';
}

// The length of the path of the process's / in our own file system. Paths of mappings begin with it if
// the process was chrooted.
static size_t root_length(const struct instr_remote_jvm *jvm, char root[INSTR_PROCESS_NAME]) {
    char name[INSTR_PROCESS_PATH];
    snprintf(name, sizeof name, "/proc/%ld/root", (long)jvm->process.pid);
    ssize_t n = jvm->process.root[0] ? readlink(name, root, INSTR_PROCESS_NAME - 1) : 0;
    return n > 1 ? (size_t)n : 0;
}

// Reads the mappings. `perfdata` receives the path of the performance data, or "".
static void read_mappings(struct instr_remote_jvm *jvm, char *perfdata, size_t size) {
    char name[INSTR_PROCESS_PATH], root[INSTR_PROCESS_NAME], line[8192];
    size_t above = root_length(jvm, root);
    perfdata[0] = '\0';
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)jvm->process.pid);
    FILE *maps = fopen(name, "re");
    jvm->kind = INSTR_JVM_UNKNOWN;
    if (!maps) return;
    int any = 0;
    jvm->kind = INSTR_NO_JVM;
    while (fgets(line, sizeof line, maps)) {
        any = 1;
        char *file = strchr(line, '/');
        if (!file) continue;
        line[strcspn(line, "\n")] = '\0';
        char *deleted = strstr(file, " (deleted)");
        if (deleted) *deleted = '\0';
        if (above && strncmp(file, root, above) == 0 && file[above] == '/') file += above;
        use_mapping(jvm, line, file, perfdata, size);
    }
    if (!any && ferror(maps)) jvm->kind = INSTR_JVM_UNKNOWN;
    fclose(maps);
    drop_unloaded(jvm);
    if (jvm->kind == INSTR_NO_JVM && jvm->library[0]) jvm->kind = INSTR_HOTSPOT;
}

// --- performance data and release file ---

// The content of a regular file of the process.
static uint8_t *read_file(const struct instr_remote_jvm *jvm, const char *path, size_t most,
                          size_t *length) {
    int fd = instr_process_open_file(&jvm->process, path);
    struct stat st;
    uint8_t *bytes = NULL;
    *length = 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        size_t size = (size_t)st.st_size < most ? (size_t)st.st_size : most;
        bytes = malloc(size + 1);
        ssize_t n = bytes ? read(fd, bytes, size) : 0;
        if (n > 0) *length = (size_t)n;
        if (bytes) bytes[*length] = '\0';
    }
    if (fd >= 0) close(fd);
    return bytes;
}

static void add_option(struct instr_remote_jvm *jvm, const char *option, size_t n) {
    size_t before = jvm->options_length;
    char *larger = n < MOST_OPTIONS - before ? realloc(jvm->options, before + n + 2) : NULL;
    if (!larger) return;
    memcpy(larger + before, option, n);
    strcpy(larger + before + n, "\n");
    jvm->options = larger;
    jvm->options_length += n + 1;
}

static void add_words(struct instr_remote_jvm *jvm, const char *words) {
    for (const char *c = words; *c;) {
        size_t n = strcspn(c, " \t\n");
        if (n) add_option(jvm, c, n);
        c += n + strspn(c + n, " \t\n");
    }
}

// "17.0.15+6" -> 17, "1.8.0_422" -> 8, "25.422-b05" of a JDK 8's HotSpot -> 8.
static int release_of(const struct instr_remote_jvm *jvm) {
    int first = 0, second = 0;
    int n = sscanf(jvm->version, "%d.%d", &first, &second);
    if (n < 1) return 0;
    if (n == 2 && first == 1) return second;
    const char *build = strstr(jvm->version, "-b");
    if (first == 25 && build && build[2] >= '0' && build[2] <= '9') return 8;
    return first;
}

static void read_perfdata(struct instr_remote_jvm *jvm, const char *path) {
    size_t length;
    uint8_t *bytes = read_file(jvm, path, MOST_PERFDATA, &length);
    if (!bytes) return;
    instr_hsperfdata_string(bytes, length, "java.property.java.vm.version", jvm->version,
                            sizeof jvm->version);
    // The version of JDK 8's HotSpot is 25.
    char java[sizeof jvm->version];
    if (release_of(jvm) == 8 &&
        instr_hsperfdata_string(bytes, length, "java.property.java.version", java, sizeof java))
        strcpy(jvm->version, java);
    instr_hsperfdata_string(bytes, length, "java.property.java.vm.name", jvm->name,
                            sizeof jvm->name);
    instr_hsperfdata_string(bytes, length, "sun.rt.javaCommand", jvm->command, sizeof jvm->command);
    instr_hsperfdata_string(bytes, length, "sun.rt.jvmCapabilities", jvm->capabilities,
                            sizeof jvm->capabilities);
    // Includes options from argument files, which the command line does not show.
    char *arguments = malloc(MOST_ARGUMENTS);
    if (arguments &&
        instr_hsperfdata_string(bytes, length, "java.rt.vmArgs", arguments, MOST_ARGUMENTS))
        add_words(jvm, arguments);
    free(arguments);
    free(bytes);
}

// JAVA_VERSION="17.0.15" in the file `release` of the JDK, two or more folders above the library.
static void read_release(struct instr_remote_jvm *jvm) {
    char path[INSTR_PROCESS_NAME + 16];
    snprintf(path, sizeof path, "%s", jvm->library);
    for (int up = 0; up < 6 && !jvm->version[0]; up++) {
        size_t length;
        char *slash = strrchr(path, '/');
        if (!slash) return;
        strcpy(slash, "/release");
        char *text = (char *)read_file(jvm, path, 65536, &length);
        *slash = '\0';
        char *found = text ? strstr(text, "JAVA_VERSION=\"") : NULL;
        if (found) {
            found += strlen("JAVA_VERSION=\"");
            snprintf(jvm->version, sizeof jvm->version, "%.*s", (int)strcspn(found, "\"\n"), found);
        }
        free(text);
    }
}

// --- the command line ---

int instr_remote_jvm_takes_value(const char *word) {
    static const char *const words[] = {"-cp",
                                        "-classpath",
                                        "--class-path",
                                        "-p",
                                        "--module-path",
                                        "--add-modules",
                                        "--add-reads",
                                        "--add-exports",
                                        "--add-opens",
                                        "--upgrade-module-path",
                                        "--patch-module",
                                        "--enable-native-access",
                                        "--limit-modules",
                                        "--source"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return 1;
    return 0;
}

// Adds the words of an environment variable, which blanks separate. The first one of a name counts.
static void add_variable(struct instr_remote_jvm *jvm, const char *environment, size_t length,
                         const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < length; i += strlen(environment + i) + 1) {
        const char *entry = environment + i;
        if (strncmp(entry, name, n) != 0 || entry[n] != '=') continue;
        add_words(jvm, entry + n + 1);
        return;
    }
}

// The launcher's arguments, up to the main class.
struct launcher {
    struct instr_remote_jvm *jvm;
    int value;   // the next word belongs to the option before it
    int ended;   // the main class, a jar or a module was found
    int unclear; // ... or may be in a file that cannot be read
    int in_file; // files do not name further files
    int files;   // so many were read
};

static void take_word(struct launcher *launcher, const char *word);

// Cuts the next word out of an argument file: words may be quoted, and # begins a comment. NULL: there
// is none.
static char *next_argument(char **text) {
    char *c = *text;
    for (c += strspn(c, " \t\r\n\f"); *c == '#'; c += strspn(c, " \t\r\n\f")) c += strcspn(c, "\n");
    if (!*c) return NULL;
    char *word = c, *to = c, quote = '\0';
    for (; *c && (quote || !strchr(" \t\r\n\f", *c)); c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'') {
            quote = quote ? '\0' : *c;
        } else {
            if (quote && *c == '\\' && c[1]) c++;
            *to++ = *c;
        }
    }
    *text = *c ? c + 1 : c;
    *to = '\0';
    return word;
}

static void take_file(struct launcher *launcher, const char *name) {
    if (launcher->files++ == MOST_FILES) {
        launcher->unclear = launcher->ended = 1;
        return;
    }
    size_t length;
    char path[2 * INSTR_PROCESS_NAME], cwd[INSTR_PROCESS_PATH], folder[INSTR_PROCESS_NAME] = "",
                                                                root[INSTR_PROCESS_NAME];
    snprintf(cwd, sizeof cwd, "/proc/%ld/cwd", (long)launcher->jvm->process.pid);
    ssize_t n = *name == '/' ? 0 : readlink(cwd, folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = '\0';
    size_t above = root_length(launcher->jvm, root);
    if (strncmp(folder, root, above) != 0) above = 0;
    snprintf(path, sizeof path, "%s/%.*s", folder + above, INSTR_PROCESS_NAME, name);
    char *text = (char *)read_file(launcher->jvm, path, MOST_TEXT, &length), *rest = text;
    launcher->unclear |= !text;
    launcher->in_file = 1;
    for (char *word; !launcher->ended && text && (word = next_argument(&rest));)
        take_word(launcher, word);
    launcher->in_file = 0;
    free(text);
}

static void take_word(struct launcher *launcher, const char *word) {
    struct instr_remote_jvm *jvm = launcher->jvm;
    if (!launcher->value && word[0] == '@' && !launcher->in_file) {
        take_file(launcher, word + 1);
    } else if (!launcher->value && word[0] != '-') {
        launcher->ended = 1;
        if (!jvm->command[0] && !launcher->unclear)
            snprintf(jvm->command, sizeof jvm->command, "%s", word);
        size_t n = strlen(word);
        if (starts(jvm->command, word) && (!jvm->command[n] || jvm->command[n] == ' '))
            jvm->main_length = n;
    } else if (launcher->value || strcmp(word, "-jar") != 0) {
        add_option(jvm, word, strlen(word));
        launcher->value = !launcher->value && instr_remote_jvm_takes_value(word);
    }
}

// Adds the words from `text` on, each with a NUL, to the command.
static void add_arguments(struct instr_remote_jvm *jvm, const char *text, const char *end) {
    size_t n = strlen(jvm->command);
    for (; text < end && n + 1 < sizeof jvm->command; text += strlen(text) + 1)
        n +=
            (size_t)snprintf(jvm->command + n, sizeof jvm->command - n, "%s%s", n ? " " : "", text);
}

// Programs other than java have arguments of their own, which are not a main class.
static int is_java(const char *program) {
    const char *slash = strrchr(program, '/');
    return strcmp(slash ? slash + 1 : program, "java") == 0;
}

static void read_words(struct instr_remote_jvm *jvm, const char *line, const char *end) {
    struct launcher launcher = {.jvm = jvm};
    int known = jvm->command[0] != '\0';
    const char *word = line + strlen(line) + 1;
    for (; word < end && !launcher.ended; word += strlen(word) + 1) take_word(&launcher, word);
    if (known) return;
    if (!is_java(line)) {
        *jvm->command = '\0';
        add_arguments(jvm, line, end);
    } else if (*jvm->command) {
        add_arguments(jvm, word, end);
    }
}

// Reads the options of the launcher, up to the main class, and those of the environment.
static void read_command_line(struct instr_remote_jvm *jvm) {
    size_t length = 0, environment_length = 0;
    char *line = instr_process_read(&jvm->process, "cmdline", MOST_TEXT, &length);
    char *environment =
        instr_process_read(&jvm->process, "environ", MOST_TEXT, &environment_length);
    if (environment) {
        add_variable(jvm, environment, environment_length, "JAVA_TOOL_OPTIONS");
        add_variable(jvm, environment, environment_length, "JDK_JAVA_OPTIONS");
    }
    if (line && length) read_words(jvm, line, line + length);
    if (!jvm->options && line) jvm->options = strdup("");
    if (environment) add_variable(jvm, environment, environment_length, "_JAVA_OPTIONS");
    free(line);
    free(environment);
}

int instr_remote_jvm_open(struct instr_remote_jvm *jvm, long pid, char *reason, size_t size) {
    char perfdata[INSTR_PROCESS_NAME];
    memset(jvm, 0, sizeof *jvm);
    if (instr_process_open(&jvm->process, pid, reason, size) != 0) return -1;
    read_mappings(jvm, perfdata, sizeof perfdata);
    if (instr_process_has_ended(&jvm->process)) { // meanwhile: its mappings were gone
        snprintf(reason, size, "process %ld has ended", pid);
        return -1;
    }
    if (jvm->kind == INSTR_NO_JVM) return 0;
    if (perfdata[0]) read_perfdata(jvm, perfdata);
    if (!jvm->version[0]) read_release(jvm);
    jvm->release = release_of(jvm);
    read_command_line(jvm);
    if (!jvm->main_length) jvm->main_length = strcspn(jvm->command, " ");
    return 0;
}

void instr_remote_jvm_close(struct instr_remote_jvm *jvm) {
    free(jvm->options);
    jvm->options = NULL;
}

int instr_remote_jvm_flag(const struct instr_remote_jvm *jvm, const char *name) {
    int value = 0;
    size_t n = strlen(name);
    for (const char *c = jvm->options; c && *c; c = strchr(c, '\n') + 1)
        if (starts(c, "-XX:") && (c[4] == '+' || c[4] == '-') && strncmp(c + 5, name, n) == 0 &&
            c[5 + n] == '\n')
            value = c[4];
    return value;
}

int instr_remote_jvm_option(const struct instr_remote_jvm *jvm, const char *start, char *text,
                            size_t size) {
    for (const char *c = jvm->options; c && *c; c = strchr(c, '\n') + 1) {
        if (!starts(c, start)) continue;
        snprintf(text, size, "%.*s", (int)strcspn(c, "\n"), c);
        return 1;
    }
    return 0;
}

static int maps_file(const struct instr_remote_jvm *jvm, const char *path) {
    char end[INSTR_PROCESS_NAME], removed[INSTR_PROCESS_NAME];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(end, sizeof end, "/%s\n", name);
    snprintf(removed, sizeof removed, "/%s (deleted)\n", name);
    char *maps = instr_process_read(&jvm->process, "maps", MOST_MAPS, NULL);
    int found = maps && (strstr(maps, end) || strstr(maps, removed));
    free(maps);
    return found;
}

// The option for which the JVM writes an archive of its classes, when it ends or when jcmd asks for it; NULL: it
// writes none. HotSpot can crash then if a class was retransformed, restored or not (JDK 17 to 28, such as in
// SystemDictionaryShared::adjust_lambda_proxy_class_dictionary). A JVM that runs from its archive does not write it.
static const char *writes_archive(const struct instr_remote_jvm *jvm) {
    static const char file[] = "-XX:SharedArchiveFile=";
    char text[512];
    if (instr_remote_jvm_option(jvm, "-Xshare:off", text, sizeof text)) return NULL;
    if (instr_remote_jvm_option(jvm, "-XX:ArchiveClassesAtExit", text, sizeof text))
        return "-XX:ArchiveClassesAtExit";
    if (instr_remote_jvm_flag(jvm, "RecordDynamicDumpInfo") == '+')
        return "-XX:+RecordDynamicDumpInfo";
    if (instr_remote_jvm_flag(jvm, "AutoCreateSharedArchive") == '+' &&
        instr_remote_jvm_option(jvm, file, text, sizeof text) &&
        !maps_file(jvm, text + sizeof file - 1))
        return "-XX:+AutoCreateSharedArchive";
    return NULL;
}

// A file of another user where the JVM's attach socket would be, as a JVM that was killed leaves it. One of root may be
// the JVM's own, unless it lets the JVM's user not in. Returns 0, or what is wrong in `text`.
static int socket_is_taken(const struct instr_remote_jvm *jvm, char *text, size_t size) {
    char name[48], user[64];
    struct stat st;
    int tmp = instr_process_directory(&jvm->process, "/tmp"), taken = 0;
    if (tmp < 0) return 0;
    snprintf(name, sizeof name, ".java_pid%ld", (long)jvm->process.inner_pid);
    if (fstatat(tmp, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid != jvm->process.uid) {
        taken = st.st_uid != 0;
        if (!taken && instr_process_become(&jvm->process) == 0) {
            taken = faccessat(tmp, name, W_OK, AT_EACCESS) != 0;
            instr_process_return();
        }
    }
    close(tmp);
    if (taken)
        snprintf(text, size,
                 "process %ld: its attach socket, /tmp/%s, belongs to %s: remove that file",
                 (long)jvm->process.pid, name, instr_user_name(st.st_uid, user, sizeof user));
    return taken;
}

// The error that keeps the JVM from creating its attach socket in its /tmp; 0: none.
static int attach_socket_error(const struct instr_remote_jvm *jvm) {
    char name[48];
    int tmp = instr_process_directory(&jvm->process, "/tmp"), error = 0;
    if (tmp < 0) return errno;
    snprintf(name, sizeof name, ".java_pid%ld", (long)jvm->process.inner_pid);
    if (instr_process_become(&jvm->process) == 0) {
        if (faccessat(tmp, name, F_OK, 0) != 0 && faccessat(tmp, ".", W_OK | X_OK, AT_EACCESS) != 0)
            error = errno;
        instr_process_return();
    }
    close(tmp);
    return error;
}

const char *instr_remote_jvm_no_attach(const struct instr_remote_jvm *jvm, char *text,
                                       size_t size) {
    long pid = (long)jvm->process.pid;
    const char *option;
    int error;
    char user[64];
    if (geteuid() != 0 && geteuid() != jvm->process.uid)
        snprintf(text, size, "process %ld belongs to %s; only that user and root may attach", pid,
                 instr_user_name(jvm->process.uid, user, sizeof user));
    else if (jvm->kind == INSTR_JVM_UNKNOWN)
        snprintf(text, size, "the system does not let us inspect process %ld%s", pid,
                 geteuid() == 0 ? "" : "; try as root");
    else if (jvm->kind == INSTR_NO_JVM)
        snprintf(text, size, "process %ld is not a JVM", pid);
    else if (jvm->kind == INSTR_OPENJ9)
        snprintf(text, size, "process %ld is an OpenJ9 JVM; instr works with HotSpot only", pid);
    else if (jvm->musl)
        snprintf(text, size, "the JVM in process %ld runs on musl; the agent needs glibc", pid);
    else if (instr_process_is_stopped(&jvm->process))
        snprintf(text, size, "process %ld is stopped and does not respond", pid);
    else if (jvm->capabilities[0] == '0' ||
             instr_remote_jvm_flag(jvm, "DisableAttachMechanism") == '+')
        snprintf(text, size,
                 "the JVM in process %ld was started with -XX:+DisableAttachMechanism; "
                 "start it with the dormant agent: -agentpath:LIBRARY",
                 pid);
    else if (jvm->release >= 9 && instr_remote_jvm_flag(jvm, "EnableDynamicAgentLoading") == '-')
        snprintf(text, size,
                 "the JVM in process %ld was started with -XX:-EnableDynamicAgentLoading "
                 "(JEP 451); start it with the dormant agent: -agentpath:LIBRARY",
                 pid);
    else if ((option = writes_archive(jvm)) != NULL)
        snprintf(
            text, size,
            "the JVM in process %ld records its classes for an archive (%s), and can crash when "
            "it writes them if an agent has changed some; start it without that option",
            pid, option);
    else if (socket_is_taken(jvm, text, size))
        return text;
    else if ((error = attach_socket_error(jvm)) != 0)
        snprintf(text, size,
                 "the JVM in process %ld cannot create its attach socket in its /tmp: %s", pid,
                 strerror(error));
    else
        return NULL;
    return text;
}

// --- descriptors, threads and memory ---

enum {
    ATTACH_DESCRIPTORS = 8
}; // sockets of the JVM and of the agent, and files that are opened for a moment

// Files that the process has open; -1: not known.
static long open_files(const struct instr_process *process) {
    char path[INSTR_PROCESS_PATH];
    long count = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)process->pid);
    DIR *directory = opendir(path);
    if (!directory) return -1;
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

const char *instr_remote_jvm_no_descriptors(const struct instr_remote_jvm *jvm, char *text,
                                            size_t size) {
    char *limits = instr_process_read(&jvm->process, "limits", MOST_TEXT, NULL);
    long most = instr_process_number(limits, "\nMax open files");
    free(limits);
    long used = most > 0 ? open_files(&jvm->process) : -1;
    if (used < 0 || used + ATTACH_DESCRIPTORS <= most) return NULL;
    snprintf(text, size,
             "process %ld has %ld files open, and its limit is %ld; to attach takes %d more",
             (long)jvm->process.pid, used, most, ATTACH_DESCRIPTORS);
    return text;
}

// Those of the agent, and the JVM's listener. Where that has no thread, HotSpot ends the JVM.
enum { ATTACH_THREADS = 8 };

const char *instr_remote_jvm_no_threads(const struct instr_remote_jvm *jvm, char *text,
                                        size_t size) {
    return instr_process_no_threads(&jvm->process, ATTACH_THREADS, text, size);
}

// Stacks of these threads, the library, the runtime's classes, counters, and what HotSpot takes to change classes.
enum { ATTACH_MEGABYTES = 64, ATTACH_MAPPINGS = 200 };

const char *instr_remote_jvm_no_memory(const struct instr_remote_jvm *jvm, char *text,
                                       size_t size) {
    return instr_process_no_memory(&jvm->process, ATTACH_MEGABYTES, ATTACH_MAPPINGS, text, size);
}

// --- glibc ---

enum { MOST_LIBRARY = 64 * 1024 * 1024 };

// N of the highest GLIBC_2.N among the names of versions in an ELF file; 0: there is none.
static unsigned newest_version(const uint8_t *bytes, size_t length) {
    static const char start[] = "GLIBC_2.";
    const uint8_t *end = bytes + length, *at = bytes;
    unsigned newest = 0;
    while (at < end && (at = memmem(at, (size_t)(end - at), start, sizeof start - 1))) {
        unsigned n = 0;
        for (at += sizeof start - 1; at < end && *at >= '0' && *at <= '9' && n < 1000; at++)
            n = n * 10 + (unsigned)(*at - '0');
        if (n > newest) newest = n;
    }
    return newest;
}

static unsigned newest_of_ours(const char *library) {
    struct stat st;
    int fd = open(library, O_RDONLY | O_CLOEXEC);
    unsigned newest = 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            newest = newest_version(bytes, (size_t)st.st_size);
            munmap(bytes, (size_t)st.st_size);
        }
    }
    if (fd >= 0) close(fd);
    return newest;
}

const char *instr_remote_jvm_old_libc(const struct instr_remote_jvm *jvm, const char *library,
                                      char *text, size_t size) {
    size_t length = 0;
    if (!jvm->libc[0] || !jvm->process.root[0]) return NULL; // the same glibc as ours
    uint8_t *libc = read_file(jvm, jvm->libc, MOST_LIBRARY, &length);
    unsigned theirs = libc ? newest_version(libc, length) : 0, needed = newest_of_ours(library);
    free(libc);
    if (!theirs || needed <= theirs) return NULL;
    snprintf(
        text, size,
        "the JVM in process %ld runs on glibc 2.%u; %.200s needs 2.%u: build it where glibc is "
        "as old",
        (long)jvm->process.pid, theirs, library, needed);
    return text;
}
