// instr doctor -- java ...: starts the JVM of a command line a few times, without its program, and
// compares it with and without the agent.

#include "instr/cli/doctor/command.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/cli.h"
#include "instr/cli/doctor/trial_options.h"
#include "instr/options.h"
#include "instr/process/remote_jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 512, SECONDS = 60, OUTPUT_SIZE = 4096, VARIABLE_SIZE = 1 << 16 };

struct trial {
    char folder[64];               // for files that the trials write
    const char *words[MOST_WORDS]; // java and its options, room behind them
    int count;
    struct cli_trial_options options;
};

// Options that JVMs and launchers read from the environment.
static const char *const variables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS",
                                        "OPENJ9_JAVA_OPTIONS"};

// Options that make the launcher print something instead of starting the JVM.
static int only_prints(const char *word) {
    static const char *const words[] = {"-version",
                                        "--version",
                                        "-fullversion",
                                        "--full-version",
                                        "-help",
                                        "--help",
                                        "-h",
                                        "-?",
                                        "-X",
                                        "--help-extra",
                                        "--list-modules",
                                        "--dry-run",
                                        "-d",
                                        "--validate-modules",
                                        "--describe-module"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return 1;
    return strncmp(word, "--describe-module=", 18) == 0;
}

// Keeps the options of the JVM. "-jar X" becomes a class path.
static void take_words(struct trial *trial, int argc, char **argv) {
    int count = 1, end = 1;
    for (; end < argc; end++) {
        if (strcmp(argv[end], "-jar") == 0 || strcmp(argv[end], "-m") == 0) break;
        if (strcmp(argv[end], "--module") == 0 || !strchr("-@", argv[end][0])) break;
        cli_trial_read(&trial->options, argv[end]);
        end += instr_remote_jvm_takes_value(argv[end]);
    }
    trial->words[0] = argv[0];
    for (int i = 1; i < end && i < argc && count < MOST_WORDS - 8; i++) {
        if (argv[i][0] == '@') continue; // counted by cli_trial_read
        if (only_prints(argv[i]) || cli_trial_leaves_out(&trial->options, argv[i])) continue;
        trial->words[count++] = argv[i];
        if (instr_remote_jvm_takes_value(argv[i]) && i + 1 < argc)
            trial->words[count++] = argv[++i];
    }
    if (end + 1 < argc && strcmp(argv[end], "-jar") == 0) {
        trial->words[count++] = "-cp";
        trial->words[count++] = argv[end + 1];
    }
    trial->count = count;
}

// Takes the same options out of the environment. 0, or -1: a variable is too long.
static int clean_environment(struct trial *trial) {
    static char value[VARIABLE_SIZE];
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *before = getenv(variables[i]);
        if (!before) continue;
        if (cli_trial_filter(&trial->options, before, value, sizeof value) != 0) return -1;
        if (setenv(variables[i], value, 1) != 0) return -1;
    }
    return 0;
}

static void path_of(const struct trial *trial, const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s", trial->folder, name);
}

// The exit status; -1 with errno: the process did not end in time.
static int wait_for(pid_t pid) {
    int status = 0;
    for (int tenths = 0; tenths < SECONDS * 50; tenths++) {
        struct timespec pause = {0, 20 * 1000000};
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (done < 0) return -1;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    errno = ETIMEDOUT;
    return -1;
}

// Runs java with the options, `more` (up to 3, NULL-terminated), and -version. Its output goes to
// `output`. Returns the exit status; -1 with errno.
static int run(struct trial *trial, const char *const *more, char output[OUTPUT_SIZE]) {
    char path[128];
    const char *words[MOST_WORDS];
    int n = trial->count;
    memcpy(words, trial->words, (size_t)n * sizeof *words);
    for (int i = 0; more[i]; i++) words[n++] = more[i];
    words[n++] = "-version";
    words[n] = NULL;
    path_of(trial, "output", path, sizeof path);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid;
    int error = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) errno = error;
    int status = error ? -1 : wait_for(pid);
    error = errno;
    FILE *file = fopen(path, "re");
    size_t used = file ? fread(output, 1, OUTPUT_SIZE - 1, file) : 0;
    output[used] = '\0';
    if (file) fclose(file);
    errno = error;
    return status;
}

// Does the line say why a JVM does not start? Not: options from the environment, warnings, and what
// stands in front of the reason, or behind it.
static bool tells_why(const char *line) {
    static const char *const starts[] = {"Picked up ", "NOTE: Picked up ", "Error occurred during ",
                                         "Error: Could not create the ",
                                         "Error: A fatal exception has occurred"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0) return false;
    return *line && !strstr(line, " warning: ") && !strstr(line, "[warning]");
}

// The line of a JVM's output that says why it does not start; without one, the first.
static const char *reason_in(char *output) {
    char *place = NULL, *first = strtok_r(output, "\n", &place), *line = first;
    while (line && !tells_why(line)) line = strtok_r(NULL, "\n", &place);
    return line ? line : first ? first : "";
}

// The number of classes loaded from an archive; -1: unknown.
static long shared_classes(struct trial *trial, const char *agent) {
    char log[128], option[192], output[OUTPUT_SIZE], line[4096];
    path_of(trial, "classes", log, sizeof log);
    unlink(log);
    snprintf(option, sizeof option, "-Xlog:class+load:file=%s", log);
    const char *more[] = {option, agent, NULL};
    if (run(trial, more, output) != 0) return -1;
    FILE *file = fopen(log, "re");
    long count = 0;
    if (!file) return -1;
    while (fgets(line, sizeof line, file))
        count += strstr(line, "source: shared objects file") != NULL;
    fclose(file);
    return count;
}

static char *agent_option(const char *options) {
    char library[PATH_MAX];
    if (cli_find_library(library) != CLI_OK) return NULL;
    return cli_concat("-agentpath:", library, "=", options, NULL);
}

static void compare_archive(struct cli_findings *findings, struct trial *trial) {
    static const struct {
        const char *name, *options;
    } ways[] = {{"with the dormant agent", ""},
                {"with a pass enabled", "timing,include=no.such.Class,quiet=yes"}};
    long plain = shared_classes(trial, NULL);
    if (plain < 0) {
        cli_find(findings, CLI_REMARK, "class archive",
                 "this JVM does not report which classes it shares");
        return;
    }
    if (plain == 0) {
        cli_find(findings, CLI_REMARK, "class archive", "not in use, with or without the agent");
        return;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *agent = agent_option(ways[i].options);
        long with = agent ? shared_classes(trial, agent) : -1;
        free(agent);
        cli_find(findings, with >= plain ? CLI_FINE : CLI_REMARK, "class archive",
                 "%ld classes are loaded from it, %ld %s", plain, with, ways[i].name);
    }
}

static json_t *facts_of(struct trial *trial, char output[OUTPUT_SIZE]) {
    char path[128], options[160];
    json_error_t error;
    path_of(trial, "facts", path, sizeof path);
    snprintf(options, sizeof options, "facts=%s", path);
    char *agent = agent_option(options);
    const char *more[] = {agent, NULL};
    json_t *facts = NULL;
    if (agent && run(trial, more, output) == 0) facts = json_load_file(path, 0, &error);
    free(agent);
    return facts;
}

static void try_java(struct cli_findings *findings, struct trial *trial) {
    char output[OUTPUT_SIZE] = "";
    const char *none[] = {NULL};
    int status = run(trial, none, output);
    if (status < 0) {
        cli_find(findings, CLI_BARRED, "JVM", "%.200s: %s", trial->words[0], strerror(errno));
        return;
    }
    if (status != 0) {
        cli_find(findings, CLI_BARRED, "JVM", "does not start even without the agent: %.300s",
                 reason_in(output));
        return;
    }
    json_t *facts = facts_of(trial, output);
    if (!facts) {
        cli_find(findings, CLI_BARRED, "JVM", "does not start with the agent: %.300s",
                 reason_in(output));
        return;
    }
    const char *name = json_string_value(json_object_get(facts, "jvm"));
    const char *version = json_string_value(json_object_get(facts, "jvm_version"));
    cli_find(findings, CLI_FINE, "JVM", "%s %s starts with the agent", name ? name : "",
             version ? version : "");
    cli_doctor_facts(findings, facts);
    json_decref(facts);
    compare_archive(findings, trial);
}

static void remove_files(const struct trial *trial) {
    static const char *const names[] = {"output", "classes", "facts"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_of(trial, names[i], path, sizeof path);
        unlink(path);
    }
    rmdir(trial->folder);
}

void cli_doctor_command(struct cli_findings *findings, int argc, char **argv) {
    struct trial trial = {.folder = ""};
    const char *temporary = getenv("TMPDIR");
    if (!temporary || !*temporary) temporary = "/tmp";
    int n = snprintf(trial.folder, sizeof trial.folder, "%s/instr-doctor-XXXXXX", temporary);
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    if (argc == 0 || strcmp(slash ? slash + 1 : argv[0], "java") != 0) {
        cli_find(findings, CLI_BARRED, "command", "only java command lines can be checked");
        return;
    }
    if (n >= (int)sizeof trial.folder) errno = ENAMETOOLONG;
    if (n >= (int)sizeof trial.folder || !mkdtemp(trial.folder)) {
        cli_find(findings, CLI_BARRED, "temporary", "%s: %s", trial.folder, strerror(errno));
        return;
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i])) cli_trial_filter(&trial.options, getenv(variables[i]), NULL, 0);
    take_words(&trial, argc, argv);
    if (clean_environment(&trial) == 0)
        try_java(findings, &trial);
    else
        cli_find(findings, CLI_BARRED, "environment", "options are too long to be checked");
    cli_trial_judge(findings, &trial.options);
    if (trial.options.files)
        cli_find(findings, CLI_REMARK, "options", "files of options (%d) were ignored",
                 trial.options.files);
    remove_files(&trial);
}
