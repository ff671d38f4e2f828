#include "instr/cli/commands/rule_explain.h"

#include "classfile/print.h"
#include "instr/cli/find_jdk.h"
#include "instr/cli/internal.h"
#include "instr/cli/paths.h"
#include "instr/engine.h"
#include "instr/kit/supertypes.h"
#include "instr/options/names.h"
#include "instr/report/text.h"
#include "rewriters/watch_methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explaining {
    struct instr_options options;
    struct instr_methods *methods;
    struct instr_engine *engine;
    struct cf_arena before, after; // of the class and the rewritten one
    struct instr_output out;
    struct instr_class_path *above; // where supertypes are; NULL: the rule does not ask for them
    unsigned matched, native, skipped, failures;
    const char *pattern; // of the rule
};

// --- the rule itself ---

static void put_tables(const struct instr_rule *rule, struct instr_output *out) {
    static const char *const names[] = {"count", "sum", "min", "max", "avg", "hist", "last"};
    for (unsigned i = 0; i < rule->table_count; i++) {
        const struct instr_rule_table *t = &rule->tables[i];
        instr_output_format(out, "  %s%s: %s", t->metric ? "metric " : "@", t->name,
                            names[t->reduction]);
        if (t->keys) instr_output_format(out, ", %u key%s", t->keys, cli_plural(t->keys, "s"));
        instr_output_text(out, t->keys ? ", at most 1,000 rows\n" : "\n");
    }
}

static void put_rule(const struct instr_rule *rule, struct instr_output *out) {
    static const char *const places[][2] = {{"at the entry of ", ""}, {"when ", " returns"},
                                            {"when ", " throws"},     {"at the end of ", ""},
                                            {"at calls in ", ""},     {"at a line of ", ""}};
    char words[INSTR_WORDS_SIZE];
    instr_output_format(out, "%s%s%s%s", places[rule->at][0], rule->pattern, places[rule->at][1],
                        rule->condition ? ", under a condition\n" : "\n");
    put_tables(rule, out);
    if (rule->changes)
        instr_output_format(
            out, "  changes what the program does: allow=%s\n",
            instr_option_words(instr_option_argument("allow"), rule->changes, words));
    if (rule->guarded)
        instr_output_text(out, "  does nothing where the thread is in a rule already\n");
}

// --- classes ---

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n ? n : 1);
}

static bool same_code(const struct cf_class *a, const struct cf_member *x, const struct cf_class *b,
                      const struct cf_member *y) {
    struct cf_code one, two;
    struct cf_error error = {0};
    if (!x->code || !y->code) return true;
    if (cf_code_open(&one, a, x, &error) != CF_OK || cf_code_open(&two, b, y, &error) != CF_OK)
        return true;
    return one.length == two.length && memcmp(one.bytes, two.bytes, one.length) == 0;
}

// The part of the printed class that is the code of a member: its instructions. Fields stand before methods.
static void put_code(const char *text, unsigned member, struct instr_output *out) {
    static const char line[] = "\n    descriptor: ";
    const char *at = strstr(text, line);
    for (unsigned i = 0; at && i < member; i++) at = strstr(at + 1, line);
    const char *code = at ? strstr(at, "\n    Code:\n") : NULL;
    if (!code) return;
    code = strchr(code + 1, '\n') + 1;
    code = strchr(code, '\n') + 1; // behind stack=, locals=
    size_t n = 0;
    while (strncmp(code + n, "        ", 8) == 0) n += strcspn(code + n, "\n") + 1;
    instr_output_bytes(out, code, n);
}

static void put_methods(struct explaining *e, const struct cf_class *old,
                        const struct cf_class *new) {
    struct cf_text_memory memory = {0};
    struct cf_text *text = malloc(sizeof *text);
    if (text) {
        cf_text_init(text, cf_text_to_memory, &memory);
        cf_print_class(new, text);
    }
    for (unsigned i = 0; memory.bytes && i < old->methods_count && i < new->methods_count; i++) {
        const struct cf_member *method = &new->methods[i];
        struct cf_slice name = cf_member_name(new, method), owner = cf_this_name(new),
                        descriptor = cf_member_descriptor(new, method);
        char texts[3][1024];
        if (same_code(old, &old->methods[i], new, method)) continue;
        snprintf(texts[0], sizeof *texts, "%.*s", (int)owner.length, (const char *)owner.bytes);
        snprintf(texts[1], sizeof *texts, "%.*s", (int)name.length, (const char *)name.bytes);
        snprintf(texts[2], sizeof *texts, "%.*s", (int)descriptor.length,
                 (const char *)descriptor.bytes);
        e->matched++;
        instr_report_method(&e->out, texts[0], texts[1], texts[2], INSTR_DOTS);
        instr_output_text(&e->out, "\n");
        put_code(memory.bytes, new->fields_count + i, &e->out);
    }
    free(memory.bytes);
    free(text);
}

// Those that the rule names, although they have no bytecode.
static void count_natives(struct explaining *e, const struct cf_class *cls,
                          const struct rw_supertypes *above) {
    for (size_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *m = &cls->methods[i];
        e->native += (m->access_flags & CF_ACC_NATIVE) &&
                     rw_watch_matches(e->pattern, cf_this_name(cls), above, cf_member_name(cls, m),
                                      cf_member_descriptor(cls, m)) == 1;
    }
}

static void explain_class(struct explaining *e, const struct cli_item *item,
                          const struct cli_bytes *bytes) {
    struct instr_rewritten rewritten = {0};
    struct cf_class old, new;
    cf_arena_reset(&e->before, 0);
    cf_arena_reset(&e->after, 0);
    if (cf_class_open(&old, bytes->bytes, bytes->length, &e->before) != CF_OK) {
        cli_item_error(item, old.error.reason);
        e->failures++;
        return;
    }
    struct cf_slice name = cf_this_name(&old);
    if (!name.bytes || !instr_scope_passes(&e->options, (const char *)name.bytes, name.length, 0))
        return;
    struct instr_origin origin = {.occasion = INSTR_CLASS_NEW};
    struct rw_supertypes supertypes;
    if (e->above) {
        struct instr_kit_world world = instr_class_path_world(e->above);
        supertypes = instr_kit_supertypes(&old, &world, &e->before);
        origin.supertypes = &supertypes;
    }
    instr_engine_rewrite_known(e->engine, &origin, bytes->bytes, bytes->length, allocate, NULL,
                               &rewritten);
    e->skipped += rewritten.methods_skipped;
    count_natives(e, &old, origin.supertypes);
    if (rewritten.bytes &&
        cf_class_open(&new, rewritten.bytes, rewritten.length, &e->after) == CF_OK)
        put_methods(e, &old, &new);
    free(rewritten.bytes);
    free(rewritten.refused);
}

static void put_skipped(void *context, const struct instr_skipped_item *item) {
    struct instr_output *out = context;
    instr_output_text(out, "  not ");
    instr_report_text(out, item->class_name, INSTR_DOTS);
    instr_output_text(out, *item->method ? "." : "");
    instr_report_text(out, item->method, INSTR_PLAIN);
    instr_output_text(out, ": ");
    instr_report_text(out, item->reason, INSTR_PLAIN);
    instr_output_text(out, "\n");
}

static int explain_classes(struct explaining *e, const struct cli_paths *paths) {
    struct cli_open_jar open = {NULL};
    char reason[CLI_REASON_SIZE];
    for (size_t i = 0; i < paths->count; i++) {
        struct cli_bytes bytes;
        if (cli_item_read(&paths->items[i], &open, &bytes, reason) != 0) {
            cli_item_error(&paths->items[i], reason);
            e->failures++;
            continue;
        }
        explain_class(e, &paths->items[i], &bytes);
        free(bytes.bytes);
    }
    cli_open_jar_free(&open);
    instr_engine_skipped(e->engine, put_skipped, &e->out);
    instr_output_format(&e->out, "%u method%s of %zu class%s\n", e->matched,
                        cli_plural(e->matched, "s"), paths->count, cli_plural(paths->count, "es"));
    if (e->native)
        instr_output_format(
            &e->out,
            "%u native method%s, without bytecode: a rule can be where they are called: call %s\n",
            e->native, cli_plural(e->native, "s"), e->pattern);
    return e->failures || paths->failures ? CLI_FAILED : CLI_OK;
}

// Jars and folders among the paths, and a JDK.
static struct instr_class_path *open_supertypes(int count, char **paths) {
    char ignored[INSTR_JAR_REASON_SIZE];
    struct instr_class_path *path = instr_class_path_new();
    for (int i = 0; path && i < count; i++) instr_class_path_add(path, paths[i], ignored);
    if (path) cli_find_jdk(path);
    return path;
}

// --- the command ---

int cli_rule_explain(const struct instr_rule *rule, const char *list, int count, char **paths) {
    static struct explaining e;
    struct cli_paths all = {0};
    char error[INSTR_ERROR_SIZE];
    int status = CLI_OK;
    if (instr_options_parse(&e.options, list, error, sizeof error) != 0)
        return cli_usage("rule", "%s", error);
    e.pattern = rule->pattern;
    cf_arena_init(&e.before);
    cf_arena_init(&e.after);
    cli_output_open(&e.out, NULL);
    put_rule(rule, &e.out);
    for (int i = 0; i < count; i++)
        if (cli_paths_add(&all, paths[i]) != 0) status = cli_no_memory();
    e.methods = instr_methods_new();
    e.engine = e.methods ? instr_engine_new(&e.options, e.methods, "java/lang/") : NULL;
    if (rule->subtypes && count) e.above = open_supertypes(count, paths);
    if (!e.engine || (rule->subtypes && count && !e.above)) status = cli_no_memory();
    if (status == CLI_OK && count) status = explain_classes(&e, &all);
    int written = cli_output_close(&e.out);
    instr_class_path_free(e.above);
    instr_engine_free(e.engine);
    if (e.methods) instr_methods_free(e.methods);
    cf_arena_free(&e.before);
    cf_arena_free(&e.after);
    cli_paths_free(&all);
    instr_options_free(&e.options);
    return status == CLI_OK ? written : status;
}
