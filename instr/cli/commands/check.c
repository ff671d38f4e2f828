// instr check: checks that the classes of directories and jars can be rewritten.

#include "instr/cli/internal.h"
#include "instr/cli/commands/check_class.h"
#include "instr/cli/paths.h"
#include "instr/plugins/open.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SKIPPED_SHOWN = 10 };

// A thread starts with fresh ids for methods and sites when half of them are used: so any number of
// classes can be checked, even the largest.
enum { MOST_NUMBERS = INSTR_METHODS_MAX / 2 };

struct check {
    // The arguments.
    const char *passes;
    long jobs;
    struct cli_paths paths;
    // The work.
    struct instr_options options;
    struct instr_methods *methods;
    struct instr_engine *engine; // collects the totals of all
    atomic_size_t next;          // item that no thread has taken yet
    atomic_int no_memory;
    // The results.
    atomic_size_t checked, classes_methods, failures;
};

// --- the work ---

static void fail_item(struct check *check, const struct cli_item *item, const char *reason) {
    cli_item_error(item, reason);
    atomic_fetch_add(&check->failures, 1);
}

static void check_item(struct check *check, struct cli_checker *checker, struct cli_open_jar *open,
                       const struct cli_item *item) {
    char reason[CLI_REASON_SIZE];
    struct cli_bytes bytes;
    struct cli_checked checked;
    atomic_fetch_add(&check->checked, 1);
    if (cli_item_read(item, open, &bytes, reason) != 0) {
        fail_item(check, item, reason);
        return;
    }
    if (cli_check_class(checker, bytes.bytes, bytes.length, &checked) != 0)
        fail_item(check, item, checked.reason);
    atomic_fetch_add(&check->classes_methods, checked.methods);
    free(bytes.bytes);
}

// What a thread rewrites with; each has method ids of its own.
struct numbered {
    struct instr_methods *methods;
    struct instr_engine *engine;
};

static void drop(struct numbered *n) {
    instr_engine_free(n->engine);
    instr_methods_free(n->methods);
    *n = (struct numbered){NULL, NULL};
}

// False: out of memory.
static int renew(struct check *check, struct numbered *n) {
    if (n->methods && instr_methods_count(n->methods) < MOST_NUMBERS) return 1;
    drop(n);
    n->methods = instr_methods_new();
    if (n->methods)
        n->engine =
            instr_engine_new_after(&check->options, n->methods, "java/lang/", check->engine);
    if (!n->engine) atomic_store(&check->no_memory, 1);
    return n->engine != NULL;
}

static void *work(void *context) {
    struct check *check = context;
    struct cli_checker checker = {.options = &check->options};
    struct cli_open_jar open = {NULL};
    struct numbered numbered = {NULL, NULL};
    cf_arena_init(&checker.arena);
    while (renew(check, &numbered)) {
        size_t i = atomic_fetch_add(&check->next, 1);
        if (i >= check->paths.count) break;
        checker.engine = numbered.engine;
        check_item(check, &checker, &open, &check->paths.items[i]);
    }
    drop(&numbered);
    cli_open_jar_free(&open);
    cf_arena_free(&checker.arena);
    return NULL;
}

// This thread works, too, in case no other can be started.
static void work_in_threads(struct check *check) {
    pthread_t threads[CLI_MOST_JOBS];
    long started = 0;
    while (started + 1 < check->jobs && pthread_create(&threads[started], NULL, work, check) == 0)
        started++;
    work(check);
    for (long i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

// --- the summary ---

struct skipped_printer {
    struct instr_output *out;
    uint64_t shown, most;
};

static void print_skipped(void *context, const struct instr_skipped_item *item) {
    struct skipped_printer *printer = context;
    if (item->pass >= 0 || printer->shown == printer->most) return;
    printer->shown++;
    const char *const parts[] = {"    ", item->class_name, *item->method ? "." : "", item->method,
                                 ": ",   item->reason};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        instr_report_text(printer->out, parts[i], INSTR_PLAIN);
    instr_output_text(printer->out, "\n");
}

// "1 class", "7,401 classes"
static void put_count(struct instr_output *out, uint64_t count, const char *noun,
                      const char *ending, const char *more) {
    char number[INSTR_NUMBER_SIZE];
    instr_output_format(out, "%s %s%s%s", instr_number(count, number), noun,
                        cli_plural(count, ending), more);
}

static void print_checked(struct check *check, struct instr_output *out) {
    put_count(out, check->checked, "class", "es", " with ");
    put_count(out, check->classes_methods, "method", "s", " checked, passes: ");
    for (size_t i = 0; i < check->options.pass_count; i++)
        instr_output_format(out, "%s%s", i > 0 ? ", " : "", check->options.passes[i].pass->name);
    instr_output_text(out, "\n");
}

static void print_rewritten(struct check *check, struct instr_output *out) {
    struct instr_totals totals = instr_engine_totals(check->engine);
    put_count(out, totals.classes_changed, "class", "es", " and ");
    put_count(out, totals.methods_changed, "method", "s", " changed; ");
    put_count(out, totals.classes_skipped, "class", "es", " and ");
    put_count(out, totals.methods_skipped, "method", "s", " skipped\n");
    struct skipped_printer printer = {out, 0,
                                      check->options.verbose ? UINT64_MAX : MOST_SKIPPED_SHOWN};
    instr_engine_skipped(check->engine, print_skipped, &printer);
    uint64_t skipped = totals.classes_skipped + totals.methods_skipped;
    if (skipped > printer.shown)
        instr_output_format(out, "    and %" PRIu64 " more\n", skipped - printer.shown);
    if (totals.methods_grown > 0)
        put_count(out, totals.methods_grown, "method", "s",
                  " now too long for the JVM to compile (8,000 bytes)\n");
    if (totals.classes_matched > 0)
        instr_output_format(out, "rewriting: %.2f us per class\n",
                            (double)totals.nanoseconds / 1000 / (double)totals.classes_matched);
}

static int print_summary(struct check *check) {
    struct instr_output out;
    size_t failures = check->failures + check->paths.failures;
    cli_output_open(&out, NULL);
    print_checked(check, &out);
    print_rewritten(check, &out);
    put_count(&out, failures, "failure", "s", "\n");
    int status = cli_output_close(&out);
    return failures > 0 ? CLI_FAILED : status;
}

// --- the command ---

static int read_arguments(int *argc, char **argv, struct check *check) {
    const struct cli_option options[] = {{"--passes", .text = &check->passes},
                                         {"--jobs", .number = &check->jobs, 1, CLI_MOST_JOBS},
                                         {NULL}};
    if (cli_arguments("check", argc, argv, options) != CLI_OK) return CLI_USAGE;
    return *argc > 0 ? CLI_OK : cli_usage("check", "no file or directory given");
}

// "all", or a list of options with passes among them.
static int parse_passes(struct check *check) {
    char error[INSTR_ERROR_SIZE], all[1024] = "";
    size_t n = 0;
    for (size_t i = 0; i < rw_pass_count() && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? "," : "", rw_pass_at(i)->name);
    const char *list = strcmp(check->passes, "all") == 0 ? all : check->passes;
    if (instr_options_parse(&check->options, list, error, sizeof error) != 0 ||
        instr_plugins_open(&check->options, INSTR_PLUGIN_AT_START, error, sizeof error) != 0)
        return cli_usage("check", "%s", error);
    if (check->options.pass_count > 0) return CLI_OK;
    return cli_usage("check", "no pass in --passes; 'all' stands for every pass");
}

static int check_all(struct check *check, int count, char **paths) {
    for (int i = 0; i < count; i++)
        if (cli_paths_add(&check->paths, paths[i]) != 0) return cli_no_memory();
    check->methods = instr_methods_new();
    if (check->methods)
        check->engine = instr_engine_new(&check->options, check->methods, "java/lang/");
    if (!check->engine) return cli_no_memory();
    work_in_threads(check);
    return check->no_memory ? cli_no_memory() : print_summary(check);
}

int cli_check(int argc, char **argv) {
    struct check check = {.passes = "all", .jobs = cli_processors()};
    int status = read_arguments(&argc, argv, &check);
    if (status == CLI_OK) status = parse_passes(&check);
    if (status == CLI_OK) status = check_all(&check, argc, argv);
    instr_engine_free(check.engine);
    if (check.methods) instr_methods_free(check.methods);
    cli_paths_free(&check.paths);
    instr_options_free(&check.options);
    return status;
}
