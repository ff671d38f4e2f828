#include "instr/cli/coverage/changes.h"

#include "instr/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// --- git ---

// What a command has printed.
struct printed {
    char *text; // ends with a NUL; owned
    size_t used, size;
    int status; // of its exit; -1: it could not run, `error` is an errno
    int error;
};

static void read_all(struct printed *printed, int fd) {
    for (;;) {
        if (!INSTR_ARRAY_RESERVE(printed->text, printed->size, printed->used + 65536)) {
            printed->error = ENOMEM;
            return;
        }
        ssize_t n = read(fd, printed->text + printed->used, 65535);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) printed->error = errno;
        if (n <= 0) break;
        printed->used += (size_t)n;
    }
    printed->text[printed->used] = '\0';
}

// Runs git with these words. Its messages are not shown, as the callers say what they mean, unless `with_messages`
// has them in the text.
static struct printed run_with(const char *const *words, int with_messages) {
    struct printed printed = {.status = -1};
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        printed.error = errno;
        return printed;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (with_messages)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    else
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    printed.error = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (printed.error == 0) {
        int status = 0;
        read_all(&printed, ends[0]);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (printed.error == 0 && WIFEXITED(status)) printed.status = WEXITSTATUS(status);
        if (printed.status == 127) printed.error = ENOENT; // where posix_spawnp could not tell
    }
    close(ends[0]);
    return printed;
}

static struct printed run(const char *const *words) {
    return run_with(words, 0);
}

// One line; NULL: git says no.
static char *line_of(const char *const *words) {
    struct printed printed = run(words);
    if (printed.status == 0 && printed.text[0]) {
        printed.text[strcspn(printed.text, "\n")] = '\0';
        return printed.text;
    }
    free(printed.text);
    return NULL;
}

static int knows(const char *ref) {
    char commit[300];
    if (ref[0] == '-' || strlen(ref) > 256) return 0; // not an option
    snprintf(commit, sizeof commit, "%s^{commit}", ref);
    const char *const words[] = {"git", "rev-parse", "--verify", "--quiet", commit, NULL};
    char *id = line_of(words);
    free(id);
    return id != NULL;
}

// The main branch, first as others see it.
static const char *main_branch(void) {
    static const char *const names[] = {"origin/HEAD", "origin/main", "origin/master", "main",
                                        "master"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (knows(names[i])) return names[i];
    return NULL;
}

static int fail(char *reason, const char *text, const char *name) {
    snprintf(reason, COVER_CHANGES_REASON, text, name);
    return -1;
}

// The folder of the working tree, in changes->top. Git refuses repositories of other users, too: what it says is the reason.
static int find_top(struct cover_changes *changes, char *reason) {
    static const char *const inside[] = {"git", "rev-parse", "--is-inside-work-tree", NULL};
    static const char *const top[] = {"git", "rev-parse", "--show-toplevel", NULL};
    struct printed there = run(inside);
    int status = -1;
    if (!there.error && there.status != 0) {
        free(there.text);
        there = run_with(inside, 1);
    }
    if (there.error) {
        fail(reason, "git cannot be started: %s", strerror(there.error));
    } else if (there.status != 0 && strncmp(there.text, "fatal: ", 7) == 0) {
        there.text[strcspn(there.text, "\n")] = '\0';
        fail(reason, "git finds no working tree here: %.400s", there.text + 7);
    } else if (there.status != 0 || strncmp(there.text, "true", 4) != 0 ||
               !(changes->top = line_of(top))) {
        fail(reason, "%s is not within the working tree of a git repository", ".");
    } else {
        status = 0;
    }
    free(there.text);
    return status;
}

// The commit that the working tree is compared with, in changes->base.
static int find_base(struct cover_changes *changes, const char *ref, char *reason) {
    static const char *const shallow[] = {"git", "rev-parse", "--is-shallow-repository", NULL};
    if (find_top(changes, reason) != 0) return -1;
    if (!*ref && !(ref = main_branch()))
        return fail(reason, "git knows no main branch (%s); name a revision: --diff REF",
                    "origin/HEAD, main, master");
    if (!knows(ref)) return fail(reason, "git knows no revision %.200s", ref);
    const char *const merge_base[] = {"git", "merge-base", ref, "HEAD", NULL};
    changes->base = line_of(merge_base);
    if (changes->base) return 0;
    char *answer = line_of(shallow);
    int is_shallow = answer && strcmp(answer, "true") == 0;
    free(answer);
    return fail(reason,
                is_shallow
                    ? "HEAD and %.200s have no common commit in this shallow clone: fetch more of "
                      "the history (git fetch --unshallow)"
                    : "HEAD and %.200s have no common commit",
                ref);
}

// A line may have bytes 0, behind which the text goes on.
static char *without_nul(struct printed *printed) {
    for (size_t i = 0; i < printed->used; i++)
        if (!printed->text[i]) printed->text[i] = ' ';
    return printed->text;
}

// Files that git does not know yet, unless it ignores them. Their lines are all new.
static int add_untracked(struct cover_changes *changes);
// Changed files whose lines git does not compare, as attributes may have it: they count as new.
static int add_binary(struct cover_changes *changes);
static void list_sources(struct cover_changes *changes);
// For git only LF ends a line, for compilers a CR alone does, too.
static void number_as_compilers(const struct cover_changes *changes);

int cover_changes_read(struct cover_changes *changes, const char *ref,
                       char reason[COVER_CHANGES_REASON]) {
    unsetenv("GIT_DIFF_OPTS"); // takes precedence over --unified
    if (find_base(changes, ref, reason) != 0) return -1;
    const char *const diff[] = {"git",
                                "-c",
                                "core.quotePath=false",
                                "diff",
                                "--unified=0",
                                "--inter-hunk-context=0",
                                "--no-color",
                                "--no-ext-diff",
                                "--no-textconv",
                                "--find-renames",
                                "--no-relative",
                                "--submodule=short",
                                "--src-prefix=a/",
                                "--dst-prefix=b/",
                                changes->base,
                                "--",
                                ":/",
                                NULL};
    struct printed printed = run(diff);
    int status = -1;
    if (printed.status != 0)
        fail(reason, "git diff %.200s has failed", changes->base);
    else if (cover_changes_parse(changes, without_nul(&printed)) != 0 || add_binary(changes) != 0 ||
             add_untracked(changes) != 0)
        fail(reason, "%s", "out of memory");
    else
        status = 0;
    free(printed.text);
    if (status == 0) number_as_compilers(changes);
    if (status == 0) list_sources(changes);
    return status;
}

// --- its output ---

static struct cover_changed_file *add_file(struct cover_changes *changes, const char *path) {
    if (!INSTR_ARRAY_RESERVE(changes->files, changes->capacity, changes->count + 1)) return NULL;
    struct cover_changed_file *file = &changes->files[changes->count];
    *file = (struct cover_changed_file){.path = strdup(path)};
    if (!file->path) return NULL;
    changes->count++;
    return file;
}

static int add_range(struct cover_changed_file *file, uint32_t first, uint32_t count) {
    if (count == 0) return 0;
    if (!INSTR_ARRAY_RESERVE(file->ranges, file->capacity, file->count + 1)) return -1;
    uint32_t last = count > UINT32_MAX - first ? UINT32_MAX : first + count - 1;
    file->ranges[file->count++] = (struct cover_range){first, last};
    return 0;
}

static int add_untracked(struct cover_changes *changes) {
    static const char *const words[] = {
        "git", "ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/", NULL};
    struct printed printed = run(words);
    int status = 0;
    for (size_t at = 0; printed.status == 0 && status == 0 && at < printed.used;
         at += strlen(printed.text + at) + 1) {
        struct cover_changed_file *file = add_file(changes, printed.text + at);
        status = file ? add_range(file, 1, UINT32_MAX) : -1;
    }
    free(printed.text);
    return status;
}

// Reads "ADDED TAB REMOVED TAB NAME NUL", or "ADDED TAB REMOVED TAB NUL OLD NUL NAME NUL" where the file was
// renamed; instead of numbers files that are not compared have "-".
static int add_binary(struct cover_changes *changes) {
    const char *const words[] = {"git",
                                 "diff",
                                 "--numstat",
                                 "-z",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--find-renames",
                                 "--no-relative",
                                 "--diff-filter=d",
                                 changes->base,
                                 "--",
                                 ":/",
                                 NULL};
    struct printed printed = run(words);
    const char *at = printed.text, *end = at ? at + printed.used : NULL;
    int status = 0;
    while (printed.status == 0 && status == 0 && at < end) {
        const char *name = at + strcspn(at, "\t");
        name += *name == '\t';
        name += strcspn(name, "\t");
        name += *name == '\t';
        int skipped = *name ? 0 : 2; // names
        for (; skipped > 0 && name < end; skipped--) name += strlen(name) + 1;
        if (name >= end) break;
        if (strncmp(at, "-\t-\t", 4) == 0) {
            struct cover_changed_file *file = add_file(changes, name);
            status = file ? add_range(file, 1, UINT32_MAX) : -1;
        }
        at = name + strlen(name) + 1;
    }
    free(printed.text);
    return status;
}

// Which file a class comes from can be said of all files only, not of the changed ones.
static void list_sources(struct cover_changes *changes) {
    static const char *const words[] = {"git",
                                        "ls-files",
                                        "-z",
                                        "--cached",
                                        "--others",
                                        "--exclude-standard",
                                        "--full-name",
                                        "--",
                                        ":(top)*.java",
                                        ":(top)*.kt",
                                        ":(top)*.scala",
                                        ":(top)*.groovy",
                                        NULL};
    struct printed printed = run(words);
    if (printed.status != 0) {
        free(printed.text);
        return;
    }
    changes->sources = printed.text;
    changes->sources_length = printed.used;
}

static void number_ranges(struct cover_changed_file *file, const char *text, size_t length) {
    uint32_t theirs = 1, ours = 1; // lines as git and as compilers count them
    size_t first = 0, last = 0;    // of ranges whose bounds were found
    for (size_t i = 0; i <= length; i++) {
        int ends = i == length || text[i] == '\n';
        if (i == 0 || text[i - 1] == '\n')
            for (; first < file->count && file->ranges[first].first == theirs; first++)
                file->ranges[first].first = ours;
        if (ends)
            for (; last < file->count && file->ranges[last].last == theirs; last++)
                file->ranges[last].last = ours;
        theirs += (uint32_t)ends;
        ours += ends || (text[i] == '\r' && (i + 1 == length || text[i + 1] != '\n'));
    }
}

static void number_as_compilers(const struct cover_changes *changes) {
    for (size_t i = 0; i < changes->count; i++) {
        struct cover_changed_file *file = &changes->files[i];
        struct printed printed = {.text = NULL};
        char path[PATH_MAX];
        if (!file->count || file->ranges[0].last == UINT32_MAX) continue; // all of it is new
        int n = snprintf(path, sizeof path, "%s/%s", changes->top, file->path);
        int fd = n < PATH_MAX ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
        if (fd < 0) continue;
        read_all(&printed, fd);
        close(fd);
        if (printed.error == 0) number_ranges(file, printed.text, printed.used);
        free(printed.text);
    }
}

// A name between quotes has escapes as in C, in octal for bytes.
static void unquote(char *name) {
    char *to = name;
    const char *from = name + 1;
    while (*from && *from != '"') {
        static const char letters[] = "abtnvfr", meant[] = "\a\b\t\n\v\f\r";
        const char *letter;
        if (*from != '\\' || !from[1]) {
            *to++ = *from++;
            continue;
        }
        from++;
        if (*from >= '0' && *from <= '3') {
            unsigned byte = 0;
            for (int i = 0; i < 3 && *from >= '0' && *from <= '7'; i++)
                byte = byte * 8 + (unsigned)(*from++ - '0');
            *to++ = (char)byte;
        } else {
            letter = strchr(letters, *from);
            *to++ = letter ? meant[letter - letters] : *from;
            from++;
        }
    }
    *to = '\0';
}

// "+++ b/src/Shop.java", with a tab behind it if it has spaces; /dev/null for a file that was removed.
static char *name_of(char *line) {
    char *name = line + 4;
    if (*name == '"')
        unquote(name);
    else
        name[strcspn(name, "\t")] = '\0';
    return strncmp(name, "b/", 2) == 0 ? name + 2 : NULL;
}

// "@@ -3,2 +5,4 @@": the lines that a hunk has removed, and those that it has now.
static int hunk_of(const char *line, unsigned long *removed, unsigned long *first,
                   unsigned long *count) {
    char *at;
    if (strncmp(line, "@@ -", 4) != 0) return -1;
    *removed = *count = 1;
    strtoul(line + 4, &at, 10);
    if (*at == ',') *removed = strtoul(at + 1, &at, 10);
    if (at[0] != ' ' || at[1] != '+') return -1;
    *first = strtoul(at + 2, &at, 10);
    if (*at == ',') *count = strtoul(at + 1, &at, 10);
    return *first <= UINT32_MAX && *count <= UINT32_MAX ? 0 : -1;
}

int cover_changes_parse(struct cover_changes *changes, char *text) {
    struct cover_changed_file *file = NULL;
    unsigned long removed = 0, first,
                  count = 0; // lines that are left of a hunk: they may look like anything
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = '\0';
        if (strncmp(line, "diff --git ", 11) == 0) { // no line of a hunk begins like this
            file = NULL;
            removed = count = 0;
        } else if (removed && *line == '-') {
            removed--;
        } else if (count && *line == '+') {
            count--;
        } else if (strncmp(line, "+++ ", 4) == 0) {
            char *name = name_of(line);
            file = name ? add_file(changes, name) : NULL;
            if (name && !file) return -1;
        } else if (file && hunk_of(line, &removed, &first, &count) == 0 &&
                   add_range(file, (uint32_t)first, (uint32_t)count) != 0) {
            return -1;
        }
    }
    return 0;
}

void cover_changes_free(struct cover_changes *changes) {
    for (size_t i = 0; i < changes->count; i++) {
        free(changes->files[i].path);
        free(changes->files[i].ranges);
    }
    free(changes->sources);
    free(changes->files);
    free(changes->base);
    free(changes->top);
    memset(changes, 0, sizeof *changes);
}

// --- looking up ---

int cover_is_path_of(const char *path, const struct cover_source *source) {
    size_t length = strlen(path), name = strlen(source->name);
    size_t package = strlen(source->package->name), whole = name + package + (package > 0);
    if (length < whole || memcmp(path + length - name, source->name, name) != 0) return 0;
    const char *start = path + length - whole;
    if (package && (memcmp(start, source->package->name, package) != 0 || start[package] != '/'))
        return 0;
    return start == path || start[-1] == '/';
}

void cover_changes_claim(const struct cover_changes *changes, const struct cover_source *source,
                         size_t *longest) {
    size_t length = strlen(source->package->name);
    for (size_t i = 0; i < changes->count; i++)
        if (length > longest[i] && cover_is_path_of(changes->files[i].path, source))
            longest[i] = length;
}

const struct cover_changed_file *cover_changes_find(const struct cover_changes *changes,
                                                    const struct cover_source *source,
                                                    const size_t *longest) {
    size_t length = strlen(source->package->name);
    for (size_t i = 0; i < changes->count; i++)
        if (length >= longest[i] && cover_is_path_of(changes->files[i].path, source))
            return &changes->files[i];
    return NULL;
}

const struct cover_changed_file *cover_changes_at(const struct cover_changes *changes,
                                                  const char *path) {
    char top[PATH_MAX], file[PATH_MAX];
    if (!changes->top || !realpath(changes->top, top) || !realpath(path, file)) return NULL;
    size_t length = strlen(top);
    if (strcmp(top, "/") == 0) length = 0;
    if (strncmp(file, top, length) != 0 || file[length] != '/') return NULL;
    for (size_t i = 0; i < changes->count; i++)
        if (strcmp(changes->files[i].path, file + length + 1) == 0) return &changes->files[i];
    return NULL;
}

int cover_has_changed(const struct cover_changed_file *file, uint32_t line) {
    size_t from = 0, to = file->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (line < file->ranges[middle].first)
            to = middle;
        else if (line > file->ranges[middle].last)
            from = middle + 1;
        else
            return 1;
    }
    return 0;
}
