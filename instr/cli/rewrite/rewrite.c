// instr rewrite: rewrites classes, directories and archives without a JVM.

#include "instr/base/json.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/internal.h"
#include "instr/cli/rewrite/class.h"
#include "instr/cli/rewrite/file.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/cli/rewrite/kits.h"
#include "instr/cli/rewrite/run.h"
#include "instr/cli/rewrite/single.h"
#include "instr/cli/rewrite/tree.h"
#include "instr/plugins/open.h"
#include "instr/report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SKIPPED_SHOWN = 10 };

// --- arguments ---

// Options that only the agent uses are no error: a file of options may serve both.
static void note_unused(const struct instr_options *o) {
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
            cli_error("rewrite: %s= has an effect only in the agent", options[i].name);
    for (size_t i = 0; i < o->pass_count; i++)
        if (o->passes[i].top != INSTR_TOP_DEFAULT)
            cli_error("rewrite: %s.top= has an effect only in the agent", o->passes[i].pass->name);
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
        if (cli_kits_is(options) || !pass->runtime_class || cli_gate_serves(pass->runtime_class))
            continue;
        const struct rw_made *made = pass->made;
        return cli_usage("rewrite",
                         "the pass '%s' needs the agent (%s); use 'instr run %s%s%s' or "
                         "'instr attach'",
                         pass->name, pass->needs_agent ? pass->needs_agent : "its runtime",
                         made ? made->kind : pass->name, made ? "=" : "", made ? made->text : "");
    }
    note_unused(&rewrite->options);
    return CLI_OK;
}

// Probes are numbered before the engine rewrites their classes, so that their numbers do not depend
// on threads.
static int set_coverage(struct cli_rewrite *rewrite) {
    for (size_t i = 0; i < rewrite->options.pass_count; i++)
        if (strcmp(rewrite->options.passes[i].pass->name, "coverage") == 0) {
            rewrite->coverage = instr_coverage_new(NULL);
            if (!rewrite->coverage) return cli_no_memory();
            instr_engine_set_coverage(rewrite->engine, rewrite->coverage);
        }
    return CLI_OK;
}

// The last word is IN; those before it are options.
static int read_arguments(int argc, char **argv, struct cli_rewrite *rewrite) {
    char error[INSTR_ERROR_SIZE];
    const char *class_path = NULL;
    const struct cli_option plain[] = {{"-o", .text = &rewrite->out},
                                       {"--class-path", .text = &class_path},
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
    if (result == 0)
        result = instr_plugins_open(&rewrite->options, INSTR_PLUGIN_OFFLINE, error, sizeof error);
    if (result != 0) return cli_usage("rewrite", "%s", error);
    int status = cli_kits_open(rewrite, class_path);
    return status == CLI_OK ? check_passes(rewrite) : status;
}

// --- the command ---

static void print_skipped(void *context, const struct instr_skipped_item *item) {
    size_t *left = context;
    if (*left == 0 || item->pass >= 0) return;
    --*left;
    char name[256];
    cli_error("%s%s%s: skipped: %s", instr_dotted(item->class_name, name, sizeof name),
              *item->method ? "." : "", item->method, item->reason);
}

static void print_summary(struct cli_rewrite *rewrite) {
    struct instr_totals totals = instr_engine_totals(rewrite->engine);
    size_t shown = rewrite->options.verbose ? SIZE_MAX : MOST_SKIPPED_SHOWN;
    char classes[INSTR_NUMBER_SIZE], changed[INSTR_NUMBER_SIZE], skipped[INSTR_NUMBER_SIZE];
    instr_engine_skipped(rewrite->engine, print_skipped, &shown);
    if (totals.methods_skipped > MOST_SKIPPED_SHOWN && !rewrite->options.verbose)
        cli_error("%" PRIu64 " more skipped (verbose=yes shows all)",
                  totals.methods_skipped - MOST_SKIPPED_SHOWN);
    cli_error("%s: %s class%s in scope, %s changed; %s method%s skipped", rewrite->out,
              instr_number(rewrite->classes, classes), cli_plural(rewrite->classes, "es"),
              instr_number(rewrite->changed, changed),
              instr_number(totals.methods_skipped, skipped),
              cli_plural(totals.methods_skipped, "s"));
}

static void put_stats(const void *context, struct instr_output *out) {
    const struct cli_rewrite *rewrite = context;
    struct instr_totals t = instr_engine_totals(rewrite->engine);
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_number(&json, "classes_seen", rewrite->classes);
    instr_json_number(&json, "classes_matched", t.classes_matched);
    instr_json_number(&json, "classes_changed", rewrite->changed);
    instr_json_number(&json, "classes_skipped", t.classes_skipped);
    instr_json_number(&json, "methods_changed", t.methods_changed);
    instr_json_number(&json, "methods_skipped", t.methods_skipped);
    instr_json_number(&json, "bytes_in", t.bytes_in);
    instr_json_number(&json, "bytes_out", t.bytes_out);
    instr_json_number(&json, "rewriting_ns", t.nanoseconds);
    instr_json_close(&json, '}');
}

// stats=FILE: as the agent writes it, but without the skipped methods, which are printed.
static int write_stats(struct cli_rewrite *rewrite) {
    char error[INSTR_ERROR_SIZE], *path = instr_expand_file(rewrite->options.stats, (long)getpid());
    if (instr_output_file(path, put_stats, rewrite, error, sizeof error) == 0) return CLI_OK;
    return cli_error("%s", error);
}

// Why OUT must not be written; NULL: it may.
static const char *refusal(const struct cli_rewrite *rewrite, const struct stat *in) {
    struct stat out;
    if (stat(rewrite->out, &out) != 0) return NULL;
    if (in->st_dev == out.st_dev && in->st_ino == out.st_ino) return "is the same as IN";
    if (S_ISDIR(out.st_mode) && !S_ISDIR(in->st_mode)) return "is a directory";
    if (S_ISDIR(in->st_mode) && !S_ISDIR(out.st_mode)) return "exists and is not a directory";
    if (!S_ISDIR(out.st_mode) && !S_ISREG(out.st_mode)) return "not a regular file";
    return S_ISREG(out.st_mode) && access(rewrite->out, W_OK) != 0 ? strerror(errno) : NULL;
}

static int rewrite_input(struct cli_rewrite *rewrite) {
    struct stat in;
    if (stat(rewrite->in, &in) != 0) return cli_error("%s: %s", rewrite->in, strerror(errno));
    const char *refused = refusal(rewrite, &in);
    if (refused) return cli_error("%s: %s", rewrite->out, refused);
    if (S_ISDIR(in.st_mode)) return cli_rewrite_tree(rewrite);
    if (!S_ISREG(in.st_mode)) return cli_error("%s: neither a file nor a directory", rewrite->in);
    if (access(rewrite->in, R_OK) != 0) return cli_error("%s: %s", rewrite->in, strerror(errno));
    rewrite->total = isatty(STDERR_FILENO) && !rewrite->options.quiet ? (uint64_t)in.st_size : 0;
    int is_class = cli_file_starts_with(rewrite->in, "\xCA\xFE\xBA\xBE", 4);
    if (is_class && rewrite->kits)
        return cli_error("%s: a kit needs a jar or a directory", rewrite->in);
    return is_class ? cli_rewrite_single(rewrite) : cli_rewrite_jar(rewrite);
}

static int select_counting(struct cli_rewrite *rewrite) {
    const struct instr_options *all = &rewrite->options;
    struct instr_options *counting = &rewrite->counting;
    *counting = *all;
    counting->pass_count = 0;
    counting->passes = calloc(all->pass_count, sizeof *counting->passes);
    if (!counting->passes) return cli_no_memory();
    for (size_t i = 0; i < all->pass_count; i++)
        if (!cli_kits_is(&all->passes[i]))
            counting->passes[counting->pass_count++] = all->passes[i];
    return CLI_OK;
}

static int rewrite_all(struct cli_rewrite *rewrite) {
    if (select_counting(rewrite) != CLI_OK) return CLI_FAILED;
    rewrite->options_text = instr_options_format(&rewrite->counting);
    rewrite->methods = instr_methods_new();
    rewrite->cache = cli_cache_new();
    if (rewrite->methods)
        rewrite->engine = instr_engine_new(&rewrite->options, rewrite->methods, CLI_GATE_PACKAGE);
    if (!rewrite->engine || !rewrite->cache || !rewrite->options_text) return cli_no_memory();
    instr_engine_check_input(rewrite->engine);
    instr_engine_offline(rewrite->engine);
    if (set_coverage(rewrite) != CLI_OK) return CLI_FAILED;
    // Archives hold local times: with this time zone they are written as they were read.
    setenv("TZ", "UTC0", 1);
    tzset();
    cli_rewrite_catch_signals();
    int status = rewrite_input(rewrite);
    cli_rewrite_clear_bar(rewrite);
    if (status == CLI_OK && !rewrite->options.quiet) print_summary(rewrite);
    if (status == CLI_OK) status = cli_kits_finish(rewrite);
    if (status == CLI_OK && rewrite->options.stats) status = write_stats(rewrite);
    return rewrite->failures > 0 ? CLI_FAILED : status;
}

int cli_rewrite(int argc, char **argv) {
    struct cli_rewrite rewrite = {.shown = -1, .jobs = cli_processors()};
    int status = read_arguments(argc, argv, &rewrite);
    if (status == CLI_OK) status = rewrite_all(&rewrite);
    instr_engine_free(rewrite.engine);
    if (rewrite.methods) instr_methods_free(rewrite.methods);
    cli_cache_free(rewrite.cache);
    cli_kits_close(rewrite.kits);
    free(rewrite.counting.passes);
    free(rewrite.options_text);
    instr_options_free(&rewrite.options);
    cli_rewrite_obey_signal();
    return status;
}
