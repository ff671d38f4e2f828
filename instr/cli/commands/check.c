// instr check: can the classes of directories and jars be rewritten?

#include "instr/cli/cli.h"
#include "instr/cli/commands/check_class.h"
#include "instr/cli/input.h"
#include "instr/cli/paths.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_JOBS = 256, MOST_KEPT_SHOWN = 10 };

// A thread takes new numbers for methods and sites when those that it has are half used up: so any
// number of classes can be checked, the largest of all among them.
enum { MOST_NUMBERS = INSTR_METHODS_MAX / 2 };

struct check {
    // The arguments.
    const char *passes;
    long jobs;
    struct cli_paths paths;
    // The work.
    struct instr_options options;
    struct instr_methods *methods;
    struct instr_engine *engine; // has the account of all
    atomic_size_t next;          // item that nobody has taken yet
    atomic_int no_memory;
    // The results.
    atomic_size_t checked, classes_methods, failures;
};

// --- the work ---

static void fail_item(struct check *check, const struct cli_item *item, const char *reason) {
    cli_error("instr: %s%s%s: %s", item->jar ? item->jar : "", item->jar ? "!" : "", item->name,
              reason);
    atomic_fetch_add(&check->failures, 1);
}

// The jar that a thread has open.
struct open_jar {
    const char *name;
    struct zip *jar;
};

static int read_item(const struct cli_item *item, struct open_jar *open, struct cli_bytes *bytes,
                     char *reason) {
    if (!item->jar) return cli_read_file(item->name, bytes, reason);
    if (open->name != item->jar) {
        cli_close_jar(open->jar);
        open->name = NULL;
        open->jar = NULL;
        if (cli_open_jar(item->jar, &open->jar, reason) != 0) return -1;
        open->name = item->jar;
    }
    return cli_read_entry(open->jar, item->index, bytes, reason);
}

static void check_item(struct check *check, struct cli_checker *checker, struct open_jar *open,
                       const struct cli_item *item) {
    char reason[CLI_REASON_SIZE];
    struct cli_bytes bytes;
    struct cli_checked checked;
    atomic_fetch_add(&check->checked, 1);
    if (read_item(item, open, &bytes, reason) != 0) {
        fail_item(check, item, reason);
        return;
    }
    if (cli_check_class(checker, bytes.bytes, bytes.length, &checked) != 0)
        fail_item(check, item, checked.reason);
    atomic_fetch_add(&check->classes_methods, checked.methods);
    free(bytes.bytes);
}

// What a thread rewrites with: numbers of its own.
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
    struct open_jar open = {NULL, NULL};
    struct numbered numbered = {NULL, NULL};
    cf_arena_init(&checker.arena);
    while (renew(check, &numbered)) {
        size_t i = atomic_fetch_add(&check->next, 1);
        if (i >= check->paths.count) break;
        checker.engine = numbered.engine;
        check_item(check, &checker, &open, &check->paths.items[i]);
    }
    drop(&numbered);
    cli_close_jar(open.jar);
    cf_arena_free(&checker.arena);
    return NULL;
}

// This thread works too, so that the work gets done even if no other can be started.
static void work_in_threads(struct check *check) {
    pthread_t threads[MOST_JOBS];
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

static void print_skipped(void *context, const struct instr_skipped_item *kept) {
    struct skipped_printer *printer = context;
    if (kept->pass >= 0) return;
    if (printer->shown == printer->most) return;
    printer->shown++;
    const char *const parts[] = {"    ", kept->class_name, *kept->method ? "." : "", kept->method,
                                 ": ",   kept->reason};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        instr_report_text(printer->out, parts[i], INSTR_PLAIN);
    instr_output_text(printer->out, "\n");
}

// "1 class", "7,401 classes"
static const char *counted(uint64_t count, const char *noun, const char *ending, char text[64]) {
    char number[INSTR_NUMBER_SIZE];
    snprintf(text, 64, "%s %s%s", instr_number(count, number), noun, count == 1 ? "" : ending);
    return text;
}

static void print_checked(struct check *check, struct instr_output *out) {
    char a[64], b[64];
    instr_output_format(out,
                        "%s with %s checked, passes: ", counted(check->checked, "class", "es", a),
                        counted(check->classes_methods, "method", "s", b));
    for (size_t i = 0; i < check->options.pass_count; i++)
        instr_output_format(out, "%s%s", i > 0 ? ", " : "", check->options.passes[i].pass->name);
    instr_output_text(out, "\n");
}

static void print_rewritten(struct check *check, struct instr_output *out) {
    struct instr_totals account = instr_engine_totals(check->engine);
    char a[64], b[64], c[64], d[64];
    instr_output_format(out, "%s and %s changed; %s and %s kept as they were\n",
                        counted(account.classes_changed, "class", "es", a),
                        counted(account.methods_changed, "method", "s", b),
                        counted(account.classes_skipped, "class", "es", c),
                        counted(account.methods_skipped, "method", "s", d));
    struct skipped_printer printer = {out, 0,
                                      check->options.verbose ? UINT64_MAX : MOST_KEPT_SHOWN};
    instr_engine_skipped(check->engine, print_skipped, &printer);
    uint64_t kept = account.classes_skipped + account.methods_skipped;
    if (kept > printer.shown)
        instr_output_format(out, "    and %" PRIu64 " more\n", kept - printer.shown);
    if (account.methods_grown > 0)
        instr_output_format(out, "%s now too long for the JVM to compile (8,000 bytes)\n",
                            counted(account.methods_grown, "method", "s", a));
    if (account.classes_matched > 0)
        instr_output_format(out, "rewriting alone: %.2f us per class\n",
                            (double)account.nanoseconds / 1000 / (double)account.classes_matched);
}

// Returns the exit status.
static int print_summary(struct check *check) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE], a[64];
    size_t failures = check->failures + check->paths.failures;
    instr_output_descriptor(&out, STDOUT_FILENO);
    print_checked(check, &out);
    print_rewritten(check, &out);
    instr_output_format(&out, "%s\n", counted(failures, "failure", "s", a));
    if (instr_output_close(&out, error, sizeof error) == 0)
        return failures > 0 ? CLI_FAILED : CLI_OK;
    cli_error("%s", error);
    return CLI_FAILED;
}

// --- the command ---

static int read_arguments(int argc, char **argv, struct check *check) {
    const char *jobs = NULL;
    int paths = 0, plain = 0;
    for (int i = 0; i < argc; i++) {
        int known = plain ? 0 : cli_option(argc, argv, &i, "--passes", &check->passes);
        if (known == 0 && !plain) known = cli_option(argc, argv, &i, "--jobs", &jobs);
        if (known < 0) return cli_usage("check", "instr: check: %s needs a value", argv[i]);
        if (known > 0) continue;
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = 1;
        } else if (!plain && argv[i][0] == '-') {
            return cli_usage("check", "instr: check: unknown option '%.64s'", argv[i]);
        } else {
            argv[paths++] = argv[i]; // the paths move to the front
        }
    }
    argv[paths] = NULL;
    if (paths == 0) return cli_usage("check", "instr: check: which files or directories?");
    if (jobs && (check->jobs = cli_number(jobs, 0, MOST_JOBS)) < 0)
        return cli_usage("check", "instr: check: --jobs must be a number from 1 to %d", MOST_JOBS);
    return CLI_OK;
}

static int no_memory(void) {
    cli_error("instr: out of memory");
    return CLI_FAILED;
}

// "all", or a list of options with passes among them.
static int parse_passes(struct check *check) {
    char error[INSTR_ERROR_SIZE], all[1024] = "";
    size_t n = 0;
    for (size_t i = 0; rw_passes[i] && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? "," : "", rw_passes[i]->name);
    const char *list = strcmp(check->passes, "all") == 0 ? all : check->passes;
    if (instr_options_parse(&check->options, list, error, sizeof error) != 0)
        return cli_usage("check", "%s", error);
    if (check->options.pass_count > 0) return CLI_OK;
    return cli_usage("check", "instr: check: no pass in --passes; 'all' is every pass");
}

static int check_all(struct check *check, char **paths) {
    for (char **path = paths; *path; path++)
        if (cli_paths_add(&check->paths, *path) != 0) return no_memory();
    check->methods = instr_methods_new();
    if (check->methods)
        check->engine = instr_engine_new(&check->options, check->methods, "java/lang/");
    if (!check->engine) return no_memory();
    work_in_threads(check);
    return check->no_memory ? no_memory() : print_summary(check);
}

int cli_check(int argc, char **argv) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct check check = {.passes = "all"};
    check.jobs = processors < 1 ? 1 : processors > MOST_JOBS ? MOST_JOBS : processors;
    int status = read_arguments(argc, argv, &check);
    if (status == CLI_OK) status = parse_passes(&check);
    if (status == CLI_OK) status = check_all(&check, argv);
    instr_engine_free(check.engine);
    if (check.methods) instr_methods_free(check.methods);
    cli_paths_free(&check.paths);
    instr_options_free(&check.options);
    return status;
}
