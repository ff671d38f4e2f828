// instr kit test: runs a program with a kit, and prints what the kit saw.

#include "instr/base/array.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/commands/run.h"
#include "instr/cli/internal.h"
#include "instr/cli/kit/internal.h"
#include "instr/cli/paths.h"
#include "instr/cli/talk.h"
#include "instr/kit/kit.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct lines {
    char **items;
    size_t count, capacity;
    size_t results; // files of JVMs
};

__attribute__((format(printf, 2, 3))) static void add(struct lines *lines, const char *format,
                                                      ...) {
    va_list values;
    char *line = NULL;
    va_start(values, format);
    int length = vasprintf(&line, format, values);
    va_end(values);
    if (length < 0) return;
    if (INSTR_ARRAY_RESERVE(lines->items, lines->capacity, lines->count + 1))
        lines->items[lines->count++] = line;
    else
        free(line);
}

// --- what the kit saw ---

static void add_runs(struct lines *lines, const char *name, const json_t *advice) {
    const json_t *run;
    size_t i;
    if (!json_array_size(json_object_get(advice, "runs"))) add(lines, "%s: called nowhere", name);
    json_array_foreach(json_object_get(advice, "runs"), i, run) {
        unsigned long long runs = cli_count(run, "runs");
        add(lines, "%s: %s ran %llu time%s", name, cli_text(run, "method"), runs,
            cli_plural(runs, "s"));
    }
}

// Without the loader, whose class depends on the JDK.
static void add_failures(struct lines *lines, const char *name, const json_t *advice) {
    const json_t *at;
    size_t i;
    if (*cli_text(advice, "refusal"))
        add(lines, "%s: not called: %s", name, cli_text(advice, "refusal"));
    json_array_foreach(json_object_get(advice, "loaders"), i, at) {
        unsigned long long failures = cli_count(at, "failures");
        if (failures)
            add(lines, "%s: %s %llu time%s: %s", name,
                json_is_true(json_object_get(at, "off")) ? "switched off, failed" : "failed",
                failures, cli_plural(failures, "s"), cli_text(at, "failure"));
    }
}

static void add_kit(struct lines *lines, const json_t *kit) {
    const json_t *advice, *state;
    size_t i;
    json_array_foreach(json_object_get(kit, "advices"), i, advice) {
        const char *name = cli_text(advice, "advice");
        add_runs(lines, name, advice);
        add_failures(lines, name, advice);
    }
    json_array_foreach(json_object_get(kit, "states"), i, state) {
        unsigned long long instances = cli_count(state, "instances"),
                           dropped = cli_count(state, "dropped");
        add(lines, "%s.%s: values for %llu instance%s, %llu dropped", cli_text(state, "class"),
            cli_text(state, "field"), instances, cli_plural(instances, "s"), dropped);
    }
}

static int take_result(void *lines, const FTSENT *entry) {
    json_error_t error;
    if (entry->fts_info != FTS_F) return 0;
    json_t *kit = json_load_file(entry->fts_accpath, 0, &error);
    if (kit) ((struct lines *)lines)->results++;
    add_kit(lines, kit);
    json_decref(kit);
    unlink(entry->fts_accpath);
    return 0;
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int print_lines(const struct lines *lines, const char *to) {
    struct instr_output out;
    if (lines->count) qsort(lines->items, lines->count, sizeof *lines->items, compare);
    cli_output_open(&out, to);
    for (size_t i = 0; i < lines->count; i++) instr_output_format(&out, "%s\n", lines->items[i]);
    return cli_output_close(&out);
}

// --- the program ---

// The exit status of the program, as a shell has it.
static int run(char *const *command, int count, const char *options) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return cli_error("fork: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        _exit(cli_run_with_agent(command, count, options));
    }
    signal(SIGINT, SIG_IGN); // from the terminal the program has it, too, and may end in order
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// KIT, then more options of the agent. To be freed; NULL after a message.
static char *options_of(const char *folder, int count, char *const *words) {
    char file[2 * PATH_MAX + 20], *to = file, *kit = cli_concat("kit=", words[0], NULL);
    char **all = calloc((size_t)count + 3, sizeof *all), *options = NULL;
    to += sprintf(to, "tested.file=");
    cli_append_value(&to, folder);
    strcpy(to, "/%p");
    if (kit && all) {
        memcpy(all, (char *[]){kit, "name=tested", file, "quiet=yes"}, 4 * sizeof *all);
        memcpy(all + 4, words + 1, (size_t)(count - 1) * sizeof *all);
        options = cli_checked_options(count + 3, all, 0);
    } else {
        cli_no_memory();
    }
    free(all);
    free(kit);
    return options;
}

static int test_in(const char *folder, const char *options, char *const *command, int count,
                   const char *to) {
    struct lines lines = {.count = 0};
    int status = run(command, count, options);
    cli_walk(folder, CLI_LINKS_KEPT, take_result, &lines);
    if (!lines.results)
        cli_error("no JVM has written what the kit saw: none ran to its end with the kit");
    int printed = lines.results ? print_lines(&lines, to) : CLI_FAILED;
    for (size_t i = 0; i < lines.count; i++) free(lines.items[i]);
    free(lines.items);
    return status != CLI_OK ? status : printed;
}

// Prints what is wrong with the kit itself.
static int check(const char *paths) {
    struct instr_kit *kit = instr_kit_open(paths);
    if (!kit) return cli_no_memory();
    bool usable = kit->usable;
    for (size_t i = 0; i < kit->problem_count; i++) {
        const struct instr_kit_problem *p = &kit->problems[i];
        if (!p->fatal) continue;
        if (p->source.file)
            cli_line("%s:%u: %s", p->source.file, p->source.line, p->text);
        else
            cli_line("%s", p->text);
    }
    instr_kit_free(kit);
    return usable ? CLI_OK : CLI_FAILED;
}

int cli_kit_test(int argc, char **argv) {
    const char *to = NULL, *temporary = getenv("TMPDIR");
    const struct cli_option own[] = {{"-o", .text = &to}, {NULL}};
    char folder[PATH_MAX];
    int words = 0;
    while (words < argc && strcmp(argv[words], "--") != 0) words++;
    if (words + 1 >= argc) return cli_usage("kit", "test: no command after '--'");
    char **command = argv + words + 1;
    int count = argc - words - 1;
    if (cli_arguments("kit", &words, argv, own) != CLI_OK) return CLI_USAGE;
    if (words < 1) return cli_usage("kit", "test: no kit given");
    if (check(argv[0]) != CLI_OK) return cli_finish(CLI_FAILED);
    snprintf(folder, sizeof folder - 32, "%s", temporary && *temporary ? temporary : "/tmp");
    strcat(folder, "/instr-kit-test-XXXXXX");
    if (!mkdtemp(folder)) return cli_error("%s: %s", folder, strerror(errno));
    char *options = options_of(folder, words, argv);
    int status = options ? test_in(folder, options, command, count, to) : CLI_USAGE;
    rmdir(folder);
    free(options);
    return cli_finish(status);
}
