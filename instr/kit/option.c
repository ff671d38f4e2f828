#include "instr/kit/option.h"
#include "classfile/text.h"
#include "instr/kit/natives.h"
#include "instr/kit/weave.h"

#include <ctype.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct rw_pass pass;
    struct rw_made made;
    struct instr_kit *kit;
    char *classes, *supertypes;
};

// Each advice that is opened has a number of its own: calls of one that has ended may still be running.
static void number_advices(struct instr_kit *kit) {
    static _Atomic(uint64_t) last;
    for (size_t i = 0; i < kit->advice_count; i++)
        kit->advices[i].nesting = atomic_fetch_add(&last, 1) + 1;
}

static void free_pass(const struct rw_pass *pass) {
    struct made *made = (struct made *)(uintptr_t)pass;
    instr_kit_free(made->kit);
    free(made->made.text);
    free(made->classes);
    free(made->supertypes);
    free(made);
}

static const struct rw_pass like = {
    .help = "advice in Java, from a jar",
    .flags = RW_NAMES_METHODS | RW_NO_TABLE,
    .file_help = "count the runs of the advices, and write what the kit saw to FILE (JSON) at exit",
    .runtime_class = "InstrKitFailure",
    .wraps = instr_kit_wraps,
    .edit = instr_kit_weave,
};

// apm-1.0: apm-1_0
static void name_after(const char *kit, char *name, size_t size) {
    size_t n = 0;
    for (; kit[n] && n + 1 < size; n++)
        name[n] = isalnum((unsigned char)kit[n]) || (n && kit[n] == '-') ? kit[n] : '_';
    name[n] = '\0';
    if (name[0] == '_') name[0] = 'k';
}

// The paths, separated by colons, from the root where the files can be found from here. NULL: out of memory.
static char *absolute(const char *paths) {
    struct cf_text_memory out = {0};
    bool ok = true;
    for (const char *at = paths; at; at = *at ? at + 1 : NULL) {
        size_t length = strcspn(at, ":");
        char *path = strndup(at, length), found[PATH_MAX];
        const char *text = path && realpath(path, found) ? found : path;
        if (at != paths) ok = ok && cf_text_to_memory(&out, ":", 1);
        ok = ok && path && cf_text_to_memory(&out, text, strlen(text));
        free(path);
        at += length;
    }
    ok = ok && cf_text_to_memory(&out, "", 1);
    if (ok) return out.bytes;
    free(out.bytes);
    return NULL;
}

static bool add_pattern(struct cf_text_memory *out, const struct instr_match *match) {
    const char *text = instr_match_text(match);
    return (!out->length || cf_text_to_memory(out, ":", 1)) &&
           cf_text_to_memory(out, text, strlen(text));
}

// The patterns of all classes whose code changes, or (`subtypes`) only those with a +. NULL: out of memory.
static char *class_patterns(const struct instr_kit *kit, bool subtypes) {
    struct cf_text_memory out = {0};
    bool ok = true;
    for (size_t i = 0; i < kit->advice_count; i++) {
        const struct instr_kit_advice *advice = &kit->advices[i];
        if (advice->calls && !subtypes) ok = ok && add_pattern(&out, advice->callers);
        for (size_t k = 0; k < advice->target_count && !advice->calls; k++)
            if (!subtypes || advice->targets[k].subtypes)
                ok = ok && add_pattern(&out, advice->targets[k].classes);
    }
    ok = ok && cf_text_to_memory(&out, "", 1);
    if (ok) return out.bytes;
    free(out.bytes);
    return NULL;
}

static bool can_run(const struct instr_kit *kit, char *error, size_t size) {
    if (!kit->usable) {
        instr_kit_error(kit, error, size);
        return false;
    }
    if (kit->advice_count) return true;
    snprintf(error, size, "the kit has no class with @Advice");
    return false;
}

static int make(const char *value, int late, int (*add)(void *to, const struct rw_pass *pass),
                void *to, char *error, size_t size) {
    struct made *made = calloc(1, sizeof *made);
    char *paths = absolute(value);
    struct instr_kit *kit = paths ? instr_kit_open(paths) : NULL;
    (void)late;
    snprintf(error, size, "out of memory");
    bool ok = made && kit && can_run(kit, error, size);
    char *classes = ok ? class_patterns(kit, false) : NULL;
    char *supertypes = classes ? class_patterns(kit, true) : NULL;
    if (!ok || !supertypes) {
        free(classes);
        free(supertypes);
        instr_kit_free(kit);
        free(paths);
        free(made);
        return -1;
    }
    number_advices(kit);
    *made = (struct made){.pass = like, .kit = kit, .classes = classes, .supertypes = supertypes};
    made->made = (struct rw_made){.kind = instr_kit_source.key,
                                  .text = paths,
                                  .holders = 1,
                                  .free = free_pass,
                                  .content = kit->hash_value};
    name_after(kit->name, made->made.name, sizeof made->made.name);
    made->pass.name = made->made.name;
    made->pass.made = &made->made;
    made->pass.data = kit;
    made->pass.classes = classes;
    if (*supertypes) made->pass.supertypes = supertypes;
    for (size_t i = 0; i < kit->advice_count; i++)
        if (kit->advices[i].rethrow_count) made->pass.flags |= RW_PREVENTS;
    return add(to, &made->pass);
}

bool instr_kit_make_offline(const struct rw_pass *pass, char *reason, size_t size) {
    struct made *made = (struct made *)(uintptr_t)pass;
    struct instr_kit *kit = instr_kit_open_offline(made->made.text);
    snprintf(reason, size, "out of memory");
    bool ok = kit && can_run(kit, reason, size) && kit->advice_count == made->kit->advice_count;
    for (size_t i = 0; ok && i < kit->advice_count; i++) {
        struct instr_kit_advice *advice = &kit->advices[i];
        advice->nesting = kit->hash_value + i; // of several kits that files are rewritten with
        if (!advice->loader) continue;
        snprintf(reason, size, "%s:%u: loader: only the agent knows loaders", advice->source.file,
                 advice->source.line);
        ok = false;
    }
    if (ok) {
        instr_kit_free(made->kit);
        made->kit = kit;
        made->pass.data = kit;
    } else {
        instr_kit_free(kit);
    }
    return ok;
}

const struct instr_pass_source instr_kit_source = {
    .key = "kit",
    .argument = "FILE.jar[:FILE.jar]",
    .help = "call advice in Java, from a jar, where methods are entered and left",
    .make = make,
};
