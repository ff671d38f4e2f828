// instr rewrite: classes, trees and archives rewritten without a JVM.

#include "instr/cli/rewrite/rewrite.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/cli.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/base/json.h"
#include "instr/report/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, MOST_KEPT_SHOWN = 10 };

volatile sig_atomic_t cli_interrupted;

// --- what is told on the way ---

static void clear_bar(struct cli_rewrite *rewrite) {
    if (rewrite->shown >= 0) fputs("\r\033[K", stderr);
    rewrite->shown = -1;
}

void cli_rewrite_failed(struct cli_rewrite *rewrite, const char *place, const char *name,
                        const char *reason) {
    clear_bar(rewrite);
    cli_error("%s%s%s: kept as it was: %s", place ? place : "", place ? "!" : "", name, reason);
    rewrite->failures++;
}

void cli_rewrite_notice(struct cli_rewrite *rewrite, const char *place, const char *text) {
    clear_bar(rewrite);
    cli_error("%s: %s", place, text);
}

void cli_rewrite_progress(struct cli_rewrite *rewrite, uint64_t bytes) {
    static const char bar[] = "########################################";
    rewrite->done += bytes;
    if (rewrite->total == 0) return;
    int percent = (int)(rewrite->done * 100 / rewrite->total);
    if (percent > 100) percent = 100;
    if (percent == rewrite->shown) return;
    rewrite->shown = percent;
    int n = percent * BAR_WIDTH / 100;
    fprintf(stderr, "\r[%.*s%*s] %3d %%", n, bar, BAR_WIDTH - n, "", percent);
    fflush(stderr);
}

// --- signals ---

static void on_signal(int number) {
    cli_interrupted = number;
}

// Whatever was begun is taken away again before the signal has its way. A full disk or a limit on
// files is an error like others.
static void catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

static void obey_signal(void) {
    int number = cli_interrupted;
    if (!number) return;
    signal(number, SIG_DFL);
    raise(number);
}

// --- arguments ---

// Names the options that only the agent uses; they may be in a file of options for both.
static void name_unused(const struct instr_options *o) {
    const struct {
        const char *name;
        int given;
    } options[] = {{"for", o->expiry != 0},
                   {"max-overhead", o->max_overhead != 0},
                   {"max-classes", o->max_classes != 0},
                   {"max-methods", o->max_methods != 0},
                   {"facts", o->facts != NULL}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            cli_error("rewrite: %s= is for the agent; it does nothing here", options[i].name);
    for (size_t i = 0; i < o->pass_count; i++)
        if (o->passes[i].top != INSTR_TOP_DEFAULT)
            cli_error("rewrite: %s.top= is for the agent; it does nothing here",
                      o->passes[i].pass->name);
}

static int check_passes(struct cli_rewrite *rewrite) {
    if (rewrite->options.pass_count == 0)
        return cli_usage("rewrite", "no pass is given, so nothing would be done; see "
                                    "'instr help options'");
    for (size_t i = 0; i < rewrite->options.pass_count; i++) {
        const struct instr_pass_options *options = &rewrite->options.passes[i];
        const struct rw_pass *pass = options->pass;
        for (const char *const *key = pass->agent_options; key && *key; key++)
            if (instr_pass_option(options, *key))
                return cli_usage("rewrite", "the option '%s.%s' needs the agent", pass->name, *key);
        if (!pass->runtime_class || cli_gate_serves(pass->runtime_class)) continue;
        return cli_usage("rewrite",
                         "the pass '%s' needs the agent (%s): 'instr run %s', or "
                         "'instr attach'",
                         pass->name, pass->needs_agent ? pass->needs_agent : "its runtime",
                         pass->name);
    }
    name_unused(&rewrite->options);
    return CLI_OK;
}

// Probes get their numbers before the engine comes to them, so that they do not depend on threads.
static int set_coverage(struct cli_rewrite *rewrite) {
    for (size_t i = 0; i < rewrite->options.pass_count; i++)
        if (strcmp(rewrite->options.passes[i].pass->name, "coverage") == 0) {
            rewrite->coverage = instr_coverage_new(NULL);
            if (!rewrite->coverage) return CLI_FAILED;
            instr_engine_set_coverage(rewrite->engine, rewrite->coverage);
            instr_engine_one_holder(rewrite->engine);
        }
    return CLI_OK;
}

// The last plain word is IN, those before it are options.
static int read_arguments(int argc, char **argv, struct cli_rewrite *rewrite) {
    char error[INSTR_ERROR_SIZE];
    const struct cli_option plain[] = {{"-o", .text = &rewrite->out},
                                       {"--jobs", .number = &rewrite->jobs, 1, CLI_MOST_JOBS},
                                       {NULL}};
    if (cli_arguments("rewrite", &argc, argv, plain) != CLI_OK) return CLI_USAGE;
    if (argc < 1) return cli_usage("rewrite", "no file or directory given");
    if (!rewrite->out) return cli_usage("rewrite", "-o OUT is missing");
    rewrite->in = argv[argc - 1];
    char *text = cli_join_options(argc - 1, argv);
    if (!text) return cli_no_memory();
    int result = instr_options_parse(&rewrite->options, text, error, sizeof error);
    free(text);
    if (result != 0) return cli_usage("rewrite", "%s", error);
    return check_passes(rewrite);
}

// --- one archive to a file ---

static int copy_store(const struct cli_store *store, struct cli_sink *out) {
    static char piece[1 << 16];
    for (uint64_t at = 0; at < store->length;) {
        int64_t n = cli_store_read(store, at, piece, sizeof piece);
        if (n <= 0) return -1;
        if (cli_sink_write(out, piece, (size_t)n) != 0) return -1;
        at += (uint64_t)n;
    }
    return 0;
}

static int rewrite_descriptors(struct cli_rewrite *rewrite, int in, int out, const char *name,
                               char reason[CLI_REASON_SIZE]) {
    struct stat st;
    if (fstat(in, &st) != 0 || fchmod(out, st.st_mode & 07777) != 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(errno));
        return -1;
    }
    struct cli_store store = {in, NULL, (uint64_t)st.st_size};
    struct cli_sink sink = {.fd = out};
    errno = 0;
    int result = cli_rewrite_archive(rewrite, &store, &sink, name, 0, reason);
    if (result == 0 && copy_store(&store, &sink) != 0) result = -2;
    if (result >= 0 && cli_sink_flush(&sink) != 0) result = -2;
    if (result == -2)
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(sink.error ? sink.error : EIO));
    if (cli_interrupted) result = -1;
    cli_sink_free(&sink);
    return result < 0 ? -1 : 0;
}

int cli_rewrite_archive_file(struct cli_rewrite *rewrite, const char *in, const char *out,
                             char reason[CLI_REASON_SIZE]) {
    int from = open(in, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : open(out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int result = -1;
    if (from < 0 || to < 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s%s%s", from < 0 ? "" : out, from < 0 ? "" : ": ",
                 strerror(errno));
    } else {
        result = rewrite_descriptors(rewrite, from, to, in, reason);
    }
    // On some file systems only this tells that the disk is full.
    if (to >= 0 && close(to) != 0 && result == 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(errno));
        result = -1;
    }
    if (from >= 0) close(from);
    if (to >= 0 && result != 0) unlink(out);
    return result;
}

static int fail(const char *name, const char *reason) {
    cli_error("%s: %s", name, reason);
    return CLI_FAILED;
}

// A name beside `out`.
static int temporary_name(const char *out, char name[PATH_MAX]) {
    const char *slash = strrchr(out, '/');
    int n = snprintf(name, PATH_MAX, "%.*s.instr-%ld.tmp", slash ? (int)(slash + 1 - out) : 0, out,
                     (long)getpid());
    return n < PATH_MAX ? 0 : -1;
}

static int rewrite_jar(struct cli_rewrite *rewrite) {
    char temporary[PATH_MAX], target[PATH_MAX], reason[CLI_REASON_SIZE];
    // A rename would replace a symbolic link, not what it names.
    const char *out = realpath(rewrite->out, target) ? target : rewrite->out;
    if (temporary_name(out, temporary) != 0) return fail(out, strerror(ENAMETOOLONG));
    unlink(temporary); // of a process of this number that was killed
    if (cli_rewrite_archive_file(rewrite, rewrite->in, temporary, reason) != 0) {
        clear_bar(rewrite);
        return cli_interrupted ? CLI_FAILED : fail(rewrite->in, reason);
    }
    clear_bar(rewrite);
    if (!cli_interrupted && rename(temporary, out) == 0) return CLI_OK;
    int error = errno;
    unlink(temporary);
    return cli_interrupted ? CLI_FAILED : fail(out, strerror(error));
}

// --- the command ---

static void print_skipped(void *context, const struct instr_skipped_item *kept) {
    size_t *left = context;
    if (*left == 0 || kept->pass >= 0) return;
    --*left;
    cli_error("%s%s%s: kept as it was: %s", kept->class_name, *kept->method ? "." : "",
              kept->method, kept->reason);
}

static void print_summary(struct cli_rewrite *rewrite) {
    struct instr_totals account = instr_engine_totals(rewrite->engine);
    size_t shown = rewrite->options.verbose ? SIZE_MAX : MOST_KEPT_SHOWN;
    char classes[INSTR_NUMBER_SIZE], changed[INSTR_NUMBER_SIZE], kept[INSTR_NUMBER_SIZE];
    instr_engine_skipped(rewrite->engine, print_skipped, &shown);
    if (account.methods_skipped > MOST_KEPT_SHOWN && !rewrite->options.verbose)
        cli_error("and %" PRIu64 " more kept as they were (verbose=yes shows all)",
                  account.methods_skipped - MOST_KEPT_SHOWN);
    cli_error("%s: %s class%s in scope, %s changed; %s method%s kept as %s", rewrite->out,
              instr_number(rewrite->classes, classes), rewrite->classes == 1 ? "" : "es",
              instr_number(rewrite->changed, changed), instr_number(account.methods_skipped, kept),
              account.methods_skipped == 1 ? "" : "s",
              account.methods_skipped == 1 ? "it was" : "they were");
}

static void put_account(const void *context, struct instr_output *out) {
    const struct cli_rewrite *rewrite = context;
    struct instr_totals a = instr_engine_totals(rewrite->engine);
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_number(&json, "classes_seen", rewrite->classes);
    instr_json_number(&json, "classes_matched", a.classes_matched);
    instr_json_number(&json, "classes_changed", rewrite->changed);
    instr_json_number(&json, "classes_skipped", a.classes_skipped);
    instr_json_number(&json, "methods_changed", a.methods_changed);
    instr_json_number(&json, "methods_skipped", a.methods_skipped);
    instr_json_number(&json, "bytes_in", a.bytes_in);
    instr_json_number(&json, "bytes_out", a.bytes_out);
    instr_json_number(&json, "rewriting_ns", a.nanoseconds);
    instr_json_close(&json, '}');
}

// stats=FILE: as the agent writes it, but without the skipped methods, which are printed.
static int write_account(struct cli_rewrite *rewrite) {
    char line[INSTR_ERROR_SIZE], *path = instr_expand_file(rewrite->options.stats, (long)getpid());
    if (instr_output_file(path, put_account, rewrite, line, sizeof line) == 0) return 0;
    cli_error("%s", line);
    return -1;
}

// Is OUT something that must not be written?
static const char *refusal(const struct cli_rewrite *rewrite, const struct stat *in) {
    struct stat out;
    if (stat(rewrite->out, &out) != 0) return NULL;
    if (in->st_dev == out.st_dev && in->st_ino == out.st_ino) return "is IN itself";
    if (S_ISDIR(out.st_mode) && !S_ISDIR(in->st_mode)) return "is a directory";
    if (S_ISDIR(in->st_mode) && !S_ISDIR(out.st_mode)) return "is there and is no directory";
    if (!S_ISDIR(out.st_mode) && !S_ISREG(out.st_mode)) return "is no regular file";
    return S_ISREG(out.st_mode) && access(rewrite->out, W_OK) != 0 ? strerror(errno) : NULL;
}

static int rewrite_input(struct cli_rewrite *rewrite) {
    struct stat in;
    if (stat(rewrite->in, &in) != 0) return fail(rewrite->in, strerror(errno));
    const char *refused = refusal(rewrite, &in);
    if (refused) return fail(rewrite->out, refused);
    if (S_ISDIR(in.st_mode)) return cli_rewrite_tree(rewrite);
    if (!S_ISREG(in.st_mode)) return fail(rewrite->in, "is neither a file nor a directory");
    if (access(rewrite->in, R_OK) != 0) return fail(rewrite->in, strerror(errno));
    rewrite->total = isatty(STDERR_FILENO) && !rewrite->options.quiet ? (uint64_t)in.st_size : 0;
    return cli_file_starts_with(rewrite->in, "\xCA\xFE\xBA\xBE", 4) ? cli_rewrite_single(rewrite)
                                                                    : rewrite_jar(rewrite);
}

static int rewrite_all(struct cli_rewrite *rewrite) {
    rewrite->options_text = instr_options_format(&rewrite->options);
    rewrite->methods = instr_methods_new();
    rewrite->cache = cli_cache_new();
    if (rewrite->methods)
        rewrite->engine = instr_engine_new(&rewrite->options, rewrite->methods, CLI_GATE_PACKAGE);
    if (!rewrite->engine || !rewrite->cache || !rewrite->options_text) {
        return cli_no_memory();
    }
    instr_engine_check_input(rewrite->engine);
    if (set_coverage(rewrite) != CLI_OK) return CLI_FAILED;
    // Times in archives are local ones: with this zone, they come out as they went in.
    setenv("TZ", "UTC0", 1);
    tzset();
    catch_signals();
    int status = rewrite_input(rewrite);
    clear_bar(rewrite);
    if (status == CLI_OK && !rewrite->options.quiet) print_summary(rewrite);
    if (status == CLI_OK && rewrite->options.stats && write_account(rewrite) != 0)
        status = CLI_FAILED;
    return status == CLI_OK && rewrite->failures > 0 ? CLI_FAILED : status;
}

int cli_rewrite(int argc, char **argv) {
    struct cli_rewrite rewrite = {.shown = -1, .jobs = cli_processors()};
    int status = read_arguments(argc, argv, &rewrite);
    if (status == CLI_OK) status = rewrite_all(&rewrite);
    instr_engine_free(rewrite.engine);
    if (rewrite.methods) instr_methods_free(rewrite.methods);
    cli_cache_free(rewrite.cache);
    free(rewrite.options_text);
    instr_options_free(&rewrite.options);
    obey_signal();
    return status;
}
