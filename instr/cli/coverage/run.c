// A page after a run. Each JVM writes a file of its own into a temporary folder, because several may run
// at a time, and in other folders than this one.

#include "instr/cli/coverage/run.h"
#include "instr/cli/cli.h"
#include "instr/cli/commands/run.h"
#include "instr/cli/coverage/report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// --- options ---

// The place of KEY=VALUE in a list with commas; NULL: it is not in it.
static char *find_option(char *list, const char *key) {
    for (char *at = list; at && *at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, key, strlen(key)) == 0) return at;
    }
    return NULL;
}

char *cover_take_html(int count, char **words) {
    static const char key[] = "coverage.html=";
    for (int i = 0; i < count; i++) {
        char *at = find_option(words[i], key);
        if (!at) continue;
        size_t length = strcspn(at, ",");
        char *value = strndup(at + sizeof key - 1, length - (sizeof key - 1));
        const char *rest = at + length;
        if (*rest == ',')
            rest++;
        else if (at > words[i])
            at--; // the comma before it
        memmove(at, rest, strlen(rest) + 1);
        return value;
    }
    return NULL;
}

char *cover_file_of(int count, char *const *words) {
    static const char key[] = "coverage.file=";
    for (int i = 0; i < count; i++) {
        const char *at = find_option(words[i], key);
        if (at) return strndup(at + sizeof key - 1, strcspn(at, ",") - (sizeof key - 1));
    }
    return NULL;
}

// --- the folder ---

static void remove_folder(const char *folder) {
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX) unlink(path);
    if (dir) closedir(dir);
    rmdir(folder);
}

static int has_data(const char *folder) {
    DIR *dir = opendir(folder);
    int found = 0;
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));)
        found = cli_ends_with(entry->d_name, ".exec");
    if (dir) closedir(dir);
    return found;
}

// --- the command ---

static volatile pid_t child;

static void pass_on(int signal) {
    if (child > 0) kill(child, signal);
}

// Runs the command as a child. The keyboard's signals reach it by themselves.
static int run_child(int count, char **command, const char *options) {
    int state;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    child = fork();
    if (child < 0) return cli_error("%.300s: %s", command[0], strerror(errno));
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        _exit(cli_run_with_agent(command, count, options));
    }
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return cli_error("%.300s: %s", command[0], strerror(errno));
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

static int is_java(const char *command) {
    const char *slash = strrchr(command, '/');
    return strcmp(slash ? slash + 1 : command, "java") == 0;
}

// The class files are those of the build; where there is none, those that java runs.
static int make_page(int count, char **command, const char *data, const char *path) {
    char folder[PATH_MAX];
    const char *name = getcwd(folder, sizeof folder) ? strrchr(folder, '/') : NULL;
    name = name && name[1] ? name + 1 : "coverage";
    char *argv[] = {(char *)data, "--html", (char *)path, "--name", (char *)name, NULL};
    struct cover_modules modules = {NULL}, found;
    int result = cover_modules_find(&found);
    if (result == 0 && found.count == 0 && is_java(command[0]))
        result = cover_modules_of_java(&modules, count, command);
    cover_modules_free(&found);
    if (modules.count) cover_modules_say(&modules);
    int status =
        result == 0 ? cover_report_run(5, argv, modules.count ? &modules : NULL) : cli_no_memory();
    cover_modules_free(&modules);
    if (status == CLI_OK)
        cli_error("coverage: see %s%s", path, cli_ends_with(path, ".html") ? "" : "/index.html");
    return status;
}

// Runs the command and makes the page of `data`, a file or the temporary folder, which stays if there
// are data that could not be reported.
static int run_and_make(int count, char **command, const char *options, const char *path,
                        const char *data, int is_folder) {
    int status = run_child(count, command, options), result = CLI_OK, keep = 0;
    if (is_folder ? !has_data(data) : access(data, R_OK) != 0)
        result = cli_error("coverage.html: no JVM has written its coverage: is there no Java in "
                           "the command, or is it still running?");
    else
        keep = (result = make_page(count, command, data, path)) != CLI_OK;
    if (keep) cli_error("the coverage stays in %s", data);
    if (is_folder && !keep) remove_folder(data);
    return status ? status : result;
}

int cover_run(int count, char **command, const char *options, const char *path, const char *file) {
    char folder[PATH_MAX], list[PATH_MAX + 8192];
    const char *temporary = getenv("TMPDIR");
    if (!*path) return cli_usage("run", "coverage.html= needs a folder, or a file NAME.html");
    if (file && strchr(file, '%'))
        return cli_usage("run",
                         "with coverage.html=, coverage.file=%.200s must be one file, "
                         "without %%; leave it out for files of their own",
                         file);
    if (file) return run_and_make(count, command, options, path, file, 0);
    int n = snprintf(folder, sizeof folder, "%s/instr-coverage-XXXXXX",
                     temporary && *temporary == '/' ? temporary : "/tmp");
    if (n >= PATH_MAX || !mkdtemp(folder))
        return cli_error("%.300s: %s", folder, strerror(n >= PATH_MAX ? ENAMETOOLONG : errno));
    int status = CLI_FAILED;
    if (snprintf(list, sizeof list, "%s,coverage.file=%s/%%p.exec", options, folder) <
        (int)sizeof list)
        status = run_and_make(count, command, list, path, folder, 1);
    else
        cli_error("the options are too long");
    rmdir(folder); // it was removed, or is empty, or holds what could not be reported
    return status;
}
