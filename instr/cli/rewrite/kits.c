#include "instr/cli/rewrite/kits.h"
#include "instr/base/array.h"
#include "instr/cli/find_jdk.h"
#include "instr/cli/rewrite/run.h"
#include "instr/kit/bridge.h"
#include "instr/kit/fit.h"
#include "instr/kit/option.h"
#include "instr/kit/supertypes.h"
#include "instr/kit/targets.h"
#include "instr/kit/template.h"
#include "instr/kit/weave.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

struct cli_kits {
    struct instr_class_path *path;
    pthread_mutex_t lock; // the path is for one thread at a time
    bool asks;
    struct instr_kit_matches *matches; // of each advice, in the order of the passes
};

static const struct instr_kit *kit_of(const struct instr_pass_options *options) {
    const struct rw_made *made = options->pass->made;
    bool is = made && strcmp(made->kind, instr_kit_source.key) == 0;
    return is ? instr_kit_of(options->pass) : NULL;
}

bool cli_kits_is(const struct instr_pass_options *pass) {
    return kit_of(pass) != NULL;
}

// --- opening ---

// Kits of two runs could have the same names.
static bool is_woven(struct cli_kits *kits) {
    static const char name[] = INSTR_KIT_WOVEN "InstrKitFailure";
    struct instr_kit_world world = instr_class_path_world(kits->path);
    const struct cf_class *found;
    struct cf_slice slice = {(const uint8_t *)name, sizeof name - 1};
    return world.find(world.context, slice, &found) == INSTR_KIT_PRESENT;
}

static int open_path(struct cli_kits *kits, const char *in, const char *class_path) {
    char reason[INSTR_JAR_REASON_SIZE], *jars = class_path ? strdup(class_path) : NULL, *at = jars;
    int status = CLI_OK;
    if (class_path && !jars) return cli_no_memory();
    if (!cli_find_jdk(kits->path) && kits->asks)
        cli_error("no JDK is found: supertypes of the JDK are not known; JAVA_HOME names one");
    instr_class_path_add(kits->path, in, reason); // what is wrong with it is reported later
    if (is_woven(kits))
        status =
            cli_error("%s: a kit has been woven into it already; name all kits in one command", in);
    while (at && status == CLI_OK) {
        const char *jar = strsep(&at, ":");
        if (*jar && !instr_class_path_add(kits->path, jar, reason))
            status = cli_error("%s: %s", jar, reason);
    }
    free(jars);
    return status;
}

static int check(const struct cli_rewrite *rewrite) {
    for (size_t i = 0; i < rewrite->options.pass_count; i++) {
        const struct instr_pass_options *options = &rewrite->options.passes[i];
        char reason[INSTR_ERROR_SIZE];
        if (!kit_of(options)) continue;
        if (options->file)
            return cli_usage("rewrite", "the option '%s.file' needs the agent",
                             options->pass->name);
        if (!instr_kit_make_offline(options->pass, reason, sizeof reason))
            return cli_usage("rewrite", "%s: %s", options->pass->name, reason);
    }
    return CLI_OK;
}

int cli_kits_open(struct cli_rewrite *rewrite, const char *class_path) {
    size_t kits = 0, advices = 0;
    bool asks = false;
    for (size_t i = 0; i < rewrite->options.pass_count; i++) {
        const struct instr_kit *kit = kit_of(&rewrite->options.passes[i]);
        kits += kit != NULL;
        advices += kit ? kit->advice_count : 0;
        asks = asks || (kit && rewrite->options.passes[i].supertypes);
    }
    if (!kits && class_path) cli_error("rewrite: --class-path has an effect only with a kit");
    if (!kits) return CLI_OK;
    int status = check(rewrite);
    if (status != CLI_OK) return status;
    struct cli_kits *opened = rewrite->kits = calloc(1, sizeof *opened);
    if (!opened) return cli_no_memory();
    pthread_mutex_init(&opened->lock, NULL);
    opened->asks = asks;
    opened->path = instr_class_path_new();
    opened->matches = calloc(advices, sizeof *opened->matches);
    if (!opened->path || !opened->matches) return cli_no_memory();
    for (size_t i = 0; i < advices; i++) opened->matches[i].offline = true;
    return open_path(opened, rewrite->in, class_path);
}

void cli_kits_close(struct cli_kits *kits) {
    if (!kits) return;
    instr_class_path_free(kits->path);
    pthread_mutex_destroy(&kits->lock);
    free(kits->matches);
    free(kits);
}

bool cli_kits_ask(const struct cli_kits *kits) {
    return kits && kits->asks;
}

// --- what is added to a root ---

static void *allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static bool has(const struct cli_root *root, const char *name) {
    for (size_t i = 0; i < root->added_count; i++)
        if (strcmp(root->added[i].name, name) == 0) return true;
    return false;
}

// Takes the bytes. False: out of memory.
static bool add(struct cli_root *root, const char *name, uint8_t *bytes, size_t length) {
    char *copy = bytes ? strdup(name) : NULL;
    if (!copy || !INSTR_ARRAY_RESERVE(root->added, root->added_capacity, root->added_count + 1)) {
        free(copy);
        free(bytes);
        return false;
    }
    root->added[root->added_count++] = (struct cli_added){copy, bytes, length};
    return true;
}

static bool add_copy(struct cli_root *root, const char *name, const void *from, size_t length) {
    uint8_t *bytes = malloc(length);
    if (bytes) memcpy(bytes, from, length);
    return add(root, name, bytes, length);
}

static bool add_bridge(struct cli_root *root, const struct instr_kit *kit,
                       const struct instr_kit_advice *advice, const char *package,
                       char reason[CLI_REASON_SIZE]) {
    const struct instr_kit_jvm jvm = {INSTR_KIT_THREAD_OBJECT, INSTR_KIT_WOVEN}; // of any JDK
    struct cf_error error = {0};
    struct cf_arena arena;
    const uint8_t *bytes;
    size_t length;
    char name[NAME_SIZE];
    if (instr_kit_bridge_name(advice, package, name, sizeof name) < sizeof name && has(root, name))
        return true;
    cf_arena_init(&arena);
    bool ok =
        instr_kit_bridge(kit, advice, package, &jvm, &arena, &bytes, &length, &error) == CF_OK;
    if (!ok) snprintf(reason, CLI_REASON_SIZE, "advice %s: %s", advice->name, error.reason);
    ok = ok && add_copy(root, name, bytes, length);
    cf_arena_free(&arena);
    return ok;
}

static bool add_advice(struct cli_root *root, const struct instr_kit *kit,
                       const struct instr_kit_advice *advice, const char *package,
                       char reason[CLI_REASON_SIZE]) {
    bool ok = true;
    char name[NAME_SIZE];
    snprintf(reason, CLI_REASON_SIZE, "out of memory");
    for (const struct instr_kit_runtime_class *c = instr_kit_woven_classes; c->name && ok; c++)
        ok = has(root, c->name) || add_copy(root, c->name, c->bytes, c->length);
    for (size_t i = 0; i < advice->class_count && ok; i++) {
        const struct instr_kit_class *c = advice->classes[i];
        uint8_t *bytes = NULL;
        size_t length = 0;
        instr_kit_expand(c->name, package, name, sizeof name);
        if (has(root, name)) continue;
        ok = instr_kit_class_bytes(c, package, allocate, NULL, &bytes, &length) &&
             add(root, name, bytes, length);
    }
    return ok && add_bridge(root, kit, advice, package, reason);
}

// --- classes ---

static bool applies(struct cli_kits *kits, const struct instr_kit_advice *advice,
                    const struct cf_class *cls, struct instr_kit_matches *matches) {
    struct instr_kit_world world = instr_class_path_world(kits->path);
    struct cf_slice name = cf_this_name(cls);
    size_t before = matches->fitting;
    if (advice->calls) {
        bool is = instr_match(advice->callers, (const char *)name.bytes, name.length);
        matches->fitting += is;
        return is;
    }
    instr_kit_match_class(advice, cls, &world, matches);
    return matches->fitting > before;
}

static bool look_at(struct cli_rewrite *rewrite, struct cli_root *root, const struct cf_class *cls,
                    char reason[CLI_REASON_SIZE]) {
    struct instr_kit_matches *matches = rewrite->kits->matches;
    char package[NAME_SIZE];
    if (instr_kit_package(cf_this_name(cls), package, sizeof package) >= sizeof package)
        return true;
    for (size_t i = 0; i < rewrite->options.pass_count; i++) {
        const struct instr_kit *kit = kit_of(&rewrite->options.passes[i]);
        for (size_t k = 0; kit && k < kit->advice_count; k++)
            if (applies(rewrite->kits, &kit->advices[k], cls, matches++) &&
                !add_advice(root, kit, &kit->advices[k], package, reason))
                return false;
    }
    return true;
}

int cli_kits_look(struct cli_rewrite *rewrite, struct cli_root *root, const struct cli_bytes *class,
                  char reason[CLI_REASON_SIZE]) {
    struct cf_arena arena;
    struct cf_class cls;
    cf_arena_init(&arena);
    // A class that is broken is reported when it is rewritten.
    pthread_mutex_lock(&rewrite->kits->lock);
    bool ok = cf_class_open(&cls, class->bytes, class->length, &arena) != CF_OK ||
              !cf_this_name(&cls).bytes || look_at(rewrite, root, &cls, reason);
    pthread_mutex_unlock(&rewrite->kits->lock);
    cf_arena_free(&arena);
    return ok ? 0 : -1;
}

uint64_t cli_kits_select(struct cli_rewrite *rewrite, const struct cf_class *cls,
                         struct rw_supertypes *above, struct cf_arena *arena) {
    const struct instr_options *options = &rewrite->options;
    uint64_t found = 0;
    pthread_mutex_lock(&rewrite->kits->lock);
    struct instr_kit_world world = instr_class_path_world(rewrite->kits->path);
    *above = instr_kit_supertypes(cls, &world, arena);
    pthread_mutex_unlock(&rewrite->kits->lock);
    for (size_t i = 0; i < options->pass_count && i < 64; i++)
        if (options->passes[i].supertypes &&
            instr_match_any(options->passes[i].supertypes, above->names, above->count))
            found |= UINT64_C(1) << i;
    return found;
}

// --- the end ---

// A module has the packages that its module-info names.
void cli_kits_note(struct cli_rewrite *rewrite, const char *name, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!rewrite->kits || strcmp(slash ? slash + 1 : path, "module-info.class") != 0) return;
    cli_rewrite_notice(rewrite, name ? name : path,
                       "is a module; kits need it on the class path, not on the module path");
}

int cli_kits_finish(const struct cli_rewrite *rewrite) {
    const struct instr_kit_matches *matches = rewrite->kits ? rewrite->kits->matches : NULL;
    int status = CLI_OK;
    for (size_t i = 0; matches && i < rewrite->options.pass_count; i++) {
        const struct instr_kit *kit = kit_of(&rewrite->options.passes[i]);
        for (size_t k = 0; kit && k < kit->advice_count; k++, matches++) {
            const struct instr_kit_advice *advice = &kit->advices[k];
            if (*matches->misfit)
                cli_error("advice %s is not called%s: %s", advice->name,
                          matches->fitting ? " everywhere" : "", matches->misfit);
            if (matches->fitting) continue;
            cli_error("advice %s is called from nowhere: no method %s%s", advice->name,
                      matches->methods ? "fits" : "matches",
                      advice->required ? ", and it is required" : "");
            if (advice->required) status = CLI_FAILED;
        }
    }
    return status;
}
