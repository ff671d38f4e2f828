// One class on its way through the rewriter.

#include "classfile/base/mutf8.h"
#include "instr/cli/rewrite/class.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/cli/rewrite/kits.h"
#include "instr/coverage/exec_writer.h"
#include "instr/engine/refused.h"
#include "rewriters/coverage.h"

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ARENA_KEPT = 1 << 20, CACHE_SLOTS = 1 << 14 };
#define MOST_CACHED ((size_t)64 << 20) // bytes of results

// --- the same class again ---

// The engine's result for a class. The ids in it depend only on the names in the class, so it serves
// every place with the same bytes; the gates' names are put in afterwards.
struct cached {
    struct cached *next;
    XXH128_hash_t key;
    uint8_t *bytes; // NULL: unchanged
    size_t length;
};

struct cli_cache {
    pthread_mutex_t lock;
    size_t used;
    struct cached *slots[CACHE_SLOTS];
};

struct cli_cache *cli_cache_new(void) {
    struct cli_cache *cache = calloc(1, sizeof *cache);
    if (cache) pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void cli_cache_free(struct cli_cache *cache) {
    if (!cache) return;
    for (size_t i = 0; i < CACHE_SLOTS; i++) {
        for (struct cached *c = cache->slots[i], *next; c; c = next) {
            next = c->next;
            free(c->bytes);
            free(c);
        }
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

// Entries stay until the end, so the result may be used without the lock.
static struct cached *find_cached(struct cli_cache *cache, XXH128_hash_t key) {
    pthread_mutex_lock(&cache->lock);
    struct cached *c = cache->slots[key.low64 % CACHE_SLOTS];
    while (c && !XXH128_isEqual(c->key, key)) c = c->next;
    pthread_mutex_unlock(&cache->lock);
    return c;
}

// Takes ownership of the bytes if there is room. 0: there is none, and they remain the caller's.
static int add_cached(struct cli_cache *cache, XXH128_hash_t key, uint8_t *bytes, size_t length) {
    struct cached *c = malloc(sizeof *c);
    size_t size = sizeof *c + (bytes ? length : 0);
    pthread_mutex_lock(&cache->lock);
    int fits = c && cache->used + size <= MOST_CACHED;
    if (fits) {
        struct cached **slot = &cache->slots[key.low64 % CACHE_SLOTS];
        *c = (struct cached){*slot, key, bytes, length};
        *slot = c;
        cache->used += size;
    }
    pthread_mutex_unlock(&cache->lock);
    if (!fits) free(c);
    return fits;
}

// --- rows ---

static void put_field(struct cli_sink *to, const void *text, size_t n) {
    cli_sink_write(to, text, n);
    cli_sink_write(to, ".", 1);
}

static void put_number(struct cli_sink *to, uint32_t number) {
    char text[16];
    put_field(to, text, (size_t)snprintf(text, sizeof text, "%" PRIu32, number));
}

// The ids of a method, consecutive for all passes. Returns the first; -1: there are none left.
static int number_method(struct cli_rewrite *rewrite, struct instr_methods_cursor *cursor,
                         struct cf_slice name, struct cf_slice descriptor) {
    int first = -1;
    for (size_t i = 0; i < rewrite->counting.pass_count; i++) {
        int id = instr_methods_id_next(rewrite->methods, rewrite->counting.passes[i].number, cursor,
                                       (const char *)name.bytes, name.length,
                                       (const char *)descriptor.bytes, descriptor.length);
        if (i == 0) first = id;
        if (id < 0 || id != first + (int)i) return -1;
    }
    return first;
}

static void note_numbers(struct cli_root *root, int first, size_t passes) {
    uint32_t end = (uint32_t)first + (uint32_t)passes;
    if (root->first == root->end) {
        root->first = (uint32_t)first;
        root->end = end;
    }
    if ((uint32_t)first < root->first) root->first = (uint32_t)first;
    if (end > root->end) root->end = end;
}

// Reserves the probes of the class, where the engine will find them again.
static void number_probes(struct cli_rewrite *rewrite, struct cli_class *class) {
    struct cli_root *root = class->root;
    struct cf_slice name = cf_this_name(&class->cls);
    struct instr_covered_class covered = {.count = rw_coverage_probes(&class->cls)};
    char id[32];
    if (!covered.count) return;
    covered.id = instr_exec_class_id(class->bytes, class->length);
    int64_t first =
        instr_coverage_reserve(rewrite->coverage, &covered, (const char *)name.bytes, name.length);
    if (first < 0) return;
    uint32_t holder = (uint32_t)first / RW_PROBES_PER_HOLDER;
    uint32_t last = ((uint32_t)first + covered.count - 1) / RW_PROBES_PER_HOLDER;
    if (root->holder == root->holders_end) root->holder = holder;
    if (holder < root->holder) root->holder = holder;
    if (last >= root->holders_end) root->holders_end = last + 1;
    put_field(&root->covered, name.bytes, name.length);
    put_field(&root->covered, id, (size_t)snprintf(id, sizeof id, "%016" PRIx64, covered.id));
    put_number(&root->covered, (uint32_t)first);
    put_number(&root->covered, covered.count);
}

void cli_class_number(struct cli_rewriter *rewriter, struct cli_class *class) {
    struct cli_rewrite *rewrite = rewriter->rewrite;
    struct cli_sink *rows = &class->root->rows;
    const struct cf_class *cls = &class->cls;
    struct cf_slice class_name = cf_this_name(cls);
    // Some classes are there for kits alone.
    if (!rewrite->counting.pass_count ||
        !instr_scope_matches(&rewrite->counting, (const char *)class_name.bytes, class_name.length,
                             0))
        return;
    if (rewrite->coverage) number_probes(rewrite, class);
    struct instr_methods_cursor cursor =
        instr_methods_begin(rewrite->methods, (const char *)class_name.bytes, class_name.length);
    uint32_t count = 0;
    for (unsigned i = 0; i < cls->methods_count; i++) count += cls->methods[i].code != 0;
    if (!count) return;
    put_field(rows, class_name.bytes, class_name.length);
    put_number(rows, count);
    for (unsigned i = 0; i < cls->methods_count; i++) {
        if (!cls->methods[i].code) continue;
        struct cf_slice name = cf_member_name(cls, &cls->methods[i]),
                        descriptor = cf_member_descriptor(cls, &cls->methods[i]);
        int first = number_method(rewrite, &cursor, name, descriptor);
        // Without an id the engine leaves the method unchanged.
        if (first >= 0) note_numbers(class->root, first, rewrite->counting.pass_count);
        put_number(rows, first < 0 ? class->root->first : (uint32_t)first);
        put_field(rows, name.bytes, name.length);
        put_field(rows, descriptor.bytes, descriptor.length);
    }
}

// --- rewriting ---

// Can the name be a field of a row? Fields end with dots, which no name can have (JVMS 4.2.2).
static int is_plain_name(struct cf_slice name) {
    return name.bytes && name.length > 0 && !memchr(name.bytes, '.', name.length) &&
           cf_mutf8_check(name.bytes, name.length, 0) == name.length;
}

static int has_plain_names(const struct cf_class *cls) {
    int plain = is_plain_name(cf_this_name(cls));
    for (unsigned i = 0; i < cls->methods_count && plain; i++)
        plain = is_plain_name(cf_member_name(cls, &cls->methods[i])) &&
                is_plain_name(cf_member_descriptor(cls, &cls->methods[i]));
    return plain;
}

int cli_class_open(struct cli_rewriter *rewriter, struct cli_class *class,
                   char reason[CLI_REASON_SIZE]) {
    struct cf_class *cls = &class->cls;
    cf_arena_reset(&rewriter->arena, ARENA_KEPT);
    if (cf_class_open(cls, class->bytes, class->length, &rewriter->arena) != CF_OK) {
        char text[200];
        snprintf(reason, CLI_REASON_SIZE, "%s", cf_error_text(&cls->error, text, sizeof text));
        return -1;
    }
    if (!has_plain_names(cls)) {
        snprintf(reason, CLI_REASON_SIZE, "has an invalid name");
        return -1;
    }
    struct cf_slice name = cf_this_name(cls);
    size_t length = strlen(class->name) - (sizeof ".class" - 1);
    if (cf_slice_is(name, class->name, length)) return 0;
    snprintf(reason, CLI_REASON_SIZE, "contains the class %.*s, which would not be found there",
             (int)(name.length < 150 ? name.length : 150), (const char *)name.bytes);
    return -1;
}

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n ? n : 1);
}

// Replaces the package of the gates by the root's prefix. `bytes` NULL: unchanged.
static int rename_gates(const struct cli_class *class, const uint8_t *bytes, size_t length,
                        struct cli_bytes *out, char reason[CLI_REASON_SIZE]) {
    if (!bytes) return 0;
    if (cli_gate_rename(bytes, length, class->cls.constant_pool_count, class->root->prefix, out) ==
        0)
        return 1;
    snprintf(reason, CLI_REASON_SIZE, "out of memory");
    return -1;
}

int cli_class_rewrite(struct cli_rewriter *rewriter, struct cli_class *class, struct cli_bytes *out,
                      char reason[CLI_REASON_SIZE]) {
    struct cli_rewrite *rewrite = rewriter->rewrite;
    XXH128_hash_t key = XXH3_128bits(class->bytes, class->length);
    struct cached *cached = find_cached(rewrite->cache, key);
    if (cached) return rename_gates(class, cached->bytes, cached->length, out, reason);
    struct instr_rewritten rewritten;
    char line[INSTR_ERROR_SIZE];
    struct cf_slice this = cf_this_name(&class->cls);
    struct rw_supertypes above;
    uint64_t passes =
        instr_scope_passes(&rewrite->options, (const char *)this.bytes, this.length, 0);
    if (rewrite->kits) passes |= cli_kits_select(rewrite, &class->cls, &above, &rewriter->arena);
    struct instr_origin origin = {.excluded_passes = ~passes,
                                  .supertypes = rewrite->kits ? &above : NULL};
    instr_engine_rewrite_known(rewrite->engine, &origin, class->bytes, class->length, allocate,
                               NULL, &rewritten);
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)cf_this_name(&class->cls).length,
             (const char *)cf_this_name(&class->cls).bytes);
    if (instr_refused_write(&rewrite->options, name, &rewritten, line, sizeof line))
        cli_error("%s", line);
    free(rewritten.refused);
    if (rewritten.error.status != CF_OK) {
        char text[200];
        snprintf(reason, CLI_REASON_SIZE, "%s", cf_error_text(&rewritten.error, text, sizeof text));
        free(rewritten.bytes);
        return -1;
    }
    int result = rename_gates(class, rewritten.bytes, rewritten.length, out, reason);
    if (!add_cached(rewrite->cache, key, rewritten.bytes, rewritten.length)) free(rewritten.bytes);
    return result;
}
