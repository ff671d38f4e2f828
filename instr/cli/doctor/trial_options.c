#include "instr/cli/doctor/trial_options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { WORD_SIZE = 4096 };

static int begins(const char *word, const char *prefix) {
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

// What follows `prefix` in the word; NULL: it begins with something else.
static const char *behind(const char *word, const char *prefix) {
    return begins(word, prefix) ? word + strlen(prefix) : NULL;
}

// -XX:NAME:=VALUE is another form of -XX:NAME=VALUE. Returns the word, or its usual form in `copy`.
static const char *usual_form(const char *word, char copy[WORD_SIZE]) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const char *name = behind(word, "-XX:");
    if (!name) return word;
    const char *colon = name + strspn(name, letters);
    if (colon[0] != ':' || colon[1] != '=') return word;
    snprintf(copy, WORD_SIZE, "%.*s%s", (int)(colon - word), word, colon + 1);
    return copy;
}

// --- class archives and AOT caches ---

static const char archive_file[] = "-XX:SharedArchiveFile=";

static const char records_dynamically[] = "RecordDynamicDumpInfo";

static const char *const dumps[] = {"-XX:ArchiveClassesAtExit=", "-Xshare:dump",
                                    "-XX:+DumpSharedSpaces", "-XX:+DynamicDumpSharedSpaces",
                                    "-XX:+RecordDynamicDumpInfo"};

void cli_trial_read(struct cli_trial_options *options, const char *word) {
    char copy[WORD_SIZE];
    const char *value;
    word = usual_form(word, copy);
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++)
        if (begins(word, dumps[i])) snprintf(options->dump, sizeof options->dump, "%s", word);
    if ((value = behind(word, "-XX:-")) && strcmp(value, records_dynamically) == 0 &&
        strstr(options->dump, records_dynamically))
        options->dump[0] = '\0';
    if ((value = behind(word, archive_file)))
        snprintf(options->archive, sizeof options->archive, "%s", value);
    if (strcmp(word, "-XX:+AutoCreateSharedArchive") == 0) options->renews = 1;
    if (strcmp(word, "-XX:-AutoCreateSharedArchive") == 0) options->renews = 0;
    if ((value = behind(word, "-XX:AOTMode=")))
        options->creates_cache = strcmp(value, "create") == 0;
    if (begins(word, "-XX:AOTCacheOutput=") ||
        (value && (options->creates_cache || strcmp(value, "record") == 0)))
        snprintf(options->recording, sizeof options->recording, "%s", word);
    if (word[0] == '@' || begins(word, "-XX:VMOptionsFile=") || begins(word, "-XX:Flags="))
        options->files++;
}

// The last file of -XX:SharedArchiveFile=STATIC:DYNAMIC.
static int archive_exists(const char *archive) {
    struct stat st;
    const char *colon = strrchr(archive, ':');
    return stat(colon ? colon + 1 : archive, &st) == 0 && S_ISREG(st.st_mode);
}

// Does the option name a file that the other options make an output?
static int names_output(const struct cli_trial_options *options, const char *word) {
    if (begins(word, archive_file))
        return options->dump[0] || (options->renews && !archive_exists(options->archive));
    return begins(word, "-XX:AOTCache=") && options->creates_cache;
}

// --- everything else ---

// Does -Xlog:WHAT:OUTPUT... write to a file? The output is one unless it is a standard stream.
static int logs_to_file(const char *word) {
    const char *what = behind(word, "-Xlog:");
    const char *output = what ? strchr(what, ':') : NULL;
    size_t length = output ? strcspn(++output, ":") : 0;
    if (!length) return 0;
    return !(length == 6 && (begins(output, "stdout") || begins(output, "stderr")));
}

// Does the option start a class of the user's?
static int runs_class(const char *word) {
    const char *manager = behind(word, "-Djava.security.manager=");
    if (manager)
        return *manager && strcmp(manager, "allow") != 0 && strcmp(manager, "disallow") != 0 &&
               strcmp(manager, "default") != 0;
    return begins(word, "-Djava.system.class.loader=") ||
           begins(word, "-Djava.nio.file.spi.DefaultFileSystemProvider=");
}

static const char *const prefixes[] = {
    // log files, recordings, dumps
    "-Xloggc:", "-XX:LogFile=", "-XX:+LogVMOutput", "-XX:+LogCompilation",
    "-XX:ErrorFile=", "-XX:ReplayDataFile=", "-XX:InlineDataFile=", "-XX:DumpLoadedClassList=",
    "-XX:+DumpPerfMapAtExit", "-XX:PerfDataSaveFile=", "-XX:+PerfDataSaveToFile",
    "-XX:+FlightRecorder", "-XX:StartFlightRecording", "-XX:FlightRecorderOptions",
    "-XX:HeapDumpPath=", "-XX:+HeapDump",
    "-XX:JVMCILibDumpJNIConfig=", "-XX:JVMCINativeLibraryErrorFile=", "-Xverbosegclog", "-Xtrace",
    "-Xdump:", "-Xshareclasses", "-Djdk.invoke.MethodHandle.dump",
    "-Djava.lang.invoke.MethodHandle.DUMP_CLASS_FILES", "-Djdk.internal.lambda.dumpProxyClasses",
    "-Djdk.invoke.LambdaMetafactory.dumpProxyClassFiles", "-Djdk.invoke.MethodHandleProxies.dump",
    "-Djdk.proxy.ProxyGenerator.saveGeneratedFiles", "-Dsun.misc.ProxyGenerator.saveGeneratedFiles",
    // archives and caches
    "-XX:ArchiveClassesAtExit=", "-XX:+AutoCreateSharedArchive", "-Xshare:dump",
    "-XX:+DumpSharedSpaces", "-XX:+DynamicDumpSharedSpaces", "-XX:+RecordDynamicDumpInfo",
    "-XX:AOTCacheOutput=", "-XX:AOTMode=record", "-XX:AOTMode=create",
    "-XX:AOTConfiguration=", "-XX:CRaC",
    // ports that the real program may hold, commands, memory that the real program may need
    "-Dcom.sun.management.", "-XX:+ManagementServer",
    "-XX:OnError=", "-XX:OnOutOfMemoryError=", "-XX:+AlwaysPreTouch",
    // a JVM that waits until somebody removes a file
    "-XX:+PauseAtStartup", "-XX:PauseAtStartupFile=", "-XX:+PauseAtExit",
    // files of options that are not read here
    "-XX:VMOptionsFile=", "-XX:Flags=",
    // other agents, which may do any of it
    "-javaagent:", "-agentlib:", "-agentpath:", "-Xrun"};

int cli_trial_leaves_out(struct cli_trial_options *options, const char *option) {
    char copy[WORD_SIZE];
    const char *word = usual_form(option, copy);
    int found = logs_to_file(word) || names_output(options, word) || runs_class(word);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !found; i++)
        found = begins(word, prefixes[i]);
    if (!found) return 0;
    // What follows an agent's name may be secret.
    size_t n = strlen(options->left_out), length = strlen(option);
    if (begins(word, "-javaagent:") || begins(word, "-agent")) length = strcspn(word, "=");
    snprintf(options->left_out + n, sizeof options->left_out - n, "%s%.*s%s", n ? ", " : "",
             length > 150 ? 150 : (int)length, option, length > 150 ? "..." : "");
    return 1;
}

// --- environment variables ---

// Copies the word at *p without its quotes; *p: what is behind it. Returns 0, or -1: too long.
static int next_word(const char **p, char word[WORD_SIZE]) {
    size_t n = 0;
    char quote = '\0';
    for (; **p && (quote || !strchr(" \t\n\r\f\v", **p)); (*p)++) {
        if (quote ? **p == quote : (**p == '"' || **p == '\'')) {
            quote = quote ? '\0' : **p;
            continue;
        }
        if (n == WORD_SIZE - 1) return -1;
        word[n++] = **p;
    }
    word[n] = '\0';
    return 0;
}

int cli_trial_filter(struct cli_trial_options *options, const char *value, char *out, size_t size) {
    char word[WORD_SIZE];
    size_t used = 0;
    const char *p = value;
    if (out) *out = '\0';
    for (;;) {
        p += strspn(p, " \t\n\r\f\v");
        const char *start = p;
        if (!*p) return 0;
        if (next_word(&p, word) != 0) return -1;
        if (!out) {
            cli_trial_read(options, word);
        } else if (word[0] != '@' && !cli_trial_leaves_out(options, word)) {
            size_t length = (size_t)(p - start);
            if (used + length + 2 > size) return -1;
            memcpy(out + used, start, length);
            used += length;
            out[used++] = ' ';
            out[used] = '\0';
        }
    }
}

// --- what they mean ---

void cli_trial_judge(struct cli_findings *findings, const struct cli_trial_options *options) {
    if (options->left_out[0])
        cli_find(findings, CLI_REMARK, "options", "the trial ran without %s", options->left_out);
    if (options->dump[0])
        cli_find(findings, CLI_BARRED, "class archive",
                 "%s: a JVM with a native agent cannot write an archive, and ends with status 1",
                 options->dump);
    else if (options->renews && !archive_exists(options->archive))
        cli_find(findings, CLI_BARRED, "class archive",
                 "-XX:+AutoCreateSharedArchive: the archive does not exist, a JVM with a native "
                 "agent cannot write it, and ends with status 1");
    else if (options->renews)
        cli_find(findings, CLI_REMARK, "class archive",
                 "-XX:+AutoCreateSharedArchive: when the archive no longer fits, a JVM with a "
                 "native agent cannot write it again, and ends with status 1");
    if (options->creates_cache)
        cli_find(findings, CLI_REMARK, "AOT cache",
                 "-XX:AOTMode=create: this JVM writes a cache and runs no program, so nothing is "
                 "instrumented");
    else if (options->recording[0])
        cli_find(findings, CLI_REMARK, "AOT cache",
                 "%s: in a JVM that records a cache, classes of the bootstrap loader are not "
                 "instrumented",
                 options->recording);
}
