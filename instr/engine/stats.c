#include "instr/engine/stats.h"

#include "instr/base/array.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SKIPPED 4096                            // classes and methods that are remembered
#define MOST_SKIPPED_BYTES ((size_t)4 * 1024 * 1024) // of their names and reasons

// A struct instr_totals as an array of its fields.
#define NUMBERS (sizeof(struct instr_totals) / sizeof(uint64_t))
_Static_assert(NUMBERS * sizeof(uint64_t) == sizeof(struct instr_totals), "only uint64_t");

struct instr_shard {
    struct instr_shard *next;
    _Atomic uint64_t numbers[NUMBERS];
};

struct counted_pass {
    unsigned number;
    struct instr_pass_totals totals;
};

struct instr_stats {
    atomic_uint holders;
    pthread_mutex_t lock; // of what follows
    struct instr_totals totals;
    struct instr_shard *shard;
    struct instr_skipped_item *skipped;
    size_t skipped_count, skipped_capacity, skipped_bytes;
    struct counted_pass *passes; // the oldest is overwritten when there are too many
    size_t passes_count, passes_capacity, passes_oldest;
};

struct instr_stats *instr_stats_new(void) {
    struct instr_stats *stats = calloc(1, sizeof *stats);
    if (!stats) return NULL;
    atomic_init(&stats->holders, 1);
    pthread_mutex_init(&stats->lock, NULL);
    return stats;
}

void instr_stats_close(struct instr_stats *stats) {
    if (atomic_fetch_sub(&stats->holders, 1) != 1) return;
    for (size_t i = 0; i < stats->skipped_count; i++) {
        free(stats->skipped[i].class_name);
        free(stats->skipped[i].method);
        free(stats->skipped[i].reason);
    }
    free(stats->skipped);
    free(stats->passes);
    pthread_mutex_destroy(&stats->lock);
    free(stats);
}

static char *text_of(const char *a, size_t a_length, const char *b, size_t b_length) {
    char *text = malloc(a_length + b_length + 1);
    if (!text) return NULL;
    if (a_length) memcpy(text, a, a_length);
    if (b_length) memcpy(text + a_length, b, b_length);
    text[a_length + b_length] = '\0';
    return text;
}

static struct instr_skipped_item *one_more_skipped(struct instr_stats *stats) {
    if (stats->skipped_count == MOST_SKIPPED || stats->skipped_bytes > MOST_SKIPPED_BYTES)
        return NULL;
    if (!INSTR_ARRAY_RESERVE(stats->skipped, stats->skipped_capacity, stats->skipped_count + 1))
        return NULL;
    return &stats->skipped[stats->skipped_count];
}

// A pass reports a skipped method each time its class is transformed. The first time counts.
static int is_remembered(const struct instr_stats *stats, const struct instr_skipped_item *item) {
    for (size_t i = 0; i < stats->skipped_count; i++) {
        const struct instr_skipped_item *k = &stats->skipped[i];
        if (k->pass == item->pass && k->hash == item->hash && !strcmp(k->method, item->method) &&
            !strcmp(k->class_name, item->class_name))
            return 1;
    }
    return 0;
}

static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 16777619u;
    return hash;
}

unsigned instr_stats_skip(struct instr_stats *stats, struct cf_slice name, struct cf_slice m,
                          struct cf_slice d, const char *reason, int pass) {
    struct instr_skipped_item item = {
        text_of((const char *)name.bytes, name.length, NULL, 0),
        text_of((const char *)m.bytes, m.length, (const char *)d.bytes, d.length),
        text_of(reason, strlen(reason), NULL, 0), pass, 0};
    int whole = item.class_name && item.method && item.reason;
    if (whole) item.hash = hash_of(item.class_name) * 31 + hash_of(item.method);
    pthread_mutex_lock(&stats->lock);
    struct instr_skipped_item *place =
        whole && (pass == -1 || !is_remembered(stats, &item)) ? one_more_skipped(stats) : NULL;
    if (place) {
        *place = item;
        stats->skipped_count++;
        stats->skipped_bytes += (size_t)name.length + m.length + d.length + strlen(reason) + 3;
    }
    pthread_mutex_unlock(&stats->lock);
    if (place) return 1;
    free(item.class_name);
    free(item.method);
    free(item.reason);
    return 0;
}

void instr_stats_take(struct instr_stats *stats) {
    atomic_fetch_add(&stats->holders, 1);
}

struct instr_totals *instr_stats_lock(struct instr_stats *stats) {
    pthread_mutex_lock(&stats->lock);
    return &stats->totals;
}

void instr_stats_unlock(struct instr_stats *stats) {
    pthread_mutex_unlock(&stats->lock);
}

// --- passes ---

static struct counted_pass *find_pass(struct instr_stats *stats, unsigned number) {
    for (size_t i = 0; i < stats->passes_count; i++)
        if (stats->passes[i].number == number) return &stats->passes[i];
    return NULL;
}

// NULL: out of memory.
static struct counted_pass *new_pass(struct instr_stats *stats, unsigned number) {
    struct counted_pass *pass;
    if (stats->passes_count == INSTR_PASSES_COUNTED) {
        pass = &stats->passes[stats->passes_oldest++ % INSTR_PASSES_COUNTED];
    } else {
        if (!INSTR_ARRAY_RESERVE(stats->passes, stats->passes_capacity, stats->passes_count + 1))
            return NULL;
        pass = &stats->passes[stats->passes_count++];
    }
    *pass = (struct counted_pass){.number = number};
    return pass;
}

void instr_stats_add_passes(struct instr_stats *stats, const struct instr_options *options,
                            const struct instr_pass_totals *more) {
    pthread_mutex_lock(&stats->lock);
    for (size_t i = 0; i < options->pass_count; i++) {
        if (!more[i].methods && !more[i].nanoseconds) continue;
        unsigned number = options->passes[i].number;
        struct counted_pass *pass = find_pass(stats, number);
        if (!pass) pass = new_pass(stats, number);
        if (!pass) continue;
        pass->totals.classes += more[i].classes;
        pass->totals.methods += more[i].methods;
        pass->totals.bytes += more[i].bytes;
        pass->totals.code += more[i].code;
        pass->totals.nanoseconds += more[i].nanoseconds;
    }
    pthread_mutex_unlock(&stats->lock);
}

void instr_stats_forget_pass(struct instr_stats *stats, unsigned number) {
    pthread_mutex_lock(&stats->lock);
    struct counted_pass *pass = find_pass(stats, number);
    if (pass) pass->totals = (struct instr_pass_totals){0};
    pthread_mutex_unlock(&stats->lock);
}

struct instr_pass_totals instr_stats_pass(struct instr_stats *stats, unsigned number) {
    pthread_mutex_lock(&stats->lock);
    const struct counted_pass *pass = find_pass(stats, number);
    struct instr_pass_totals totals = pass ? pass->totals : (struct instr_pass_totals){0};
    pthread_mutex_unlock(&stats->lock);
    return totals;
}

// --- shards ---

struct instr_shard *instr_stats_shard(struct instr_stats *stats) {
    struct instr_shard *shard = calloc(1, sizeof *shard);
    if (!shard) return NULL;
    pthread_mutex_lock(&stats->lock);
    shard->next = stats->shard;
    stats->shard = shard;
    pthread_mutex_unlock(&stats->lock);
    return shard;
}

void instr_shard_add(struct instr_shard *shard, const struct instr_totals *more) {
    uint64_t numbers[NUMBERS];
    memcpy(numbers, more, sizeof numbers);
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t sum = atomic_load_explicit(&shard->numbers[i], memory_order_relaxed) + numbers[i];
        atomic_store_explicit(&shard->numbers[i], sum, memory_order_relaxed);
    }
}

static void add_shard(struct instr_totals *totals, const struct instr_shard *shard) {
    uint64_t numbers[NUMBERS];
    memcpy(numbers, totals, sizeof numbers);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] += atomic_load_explicit(&shard->numbers[i], memory_order_relaxed);
    memcpy(totals, numbers, sizeof numbers);
}

void instr_stats_add(struct instr_stats *stats, const struct instr_totals *more) {
    struct instr_shard shard = {.next = NULL};
    instr_shard_add(&shard, more);
    pthread_mutex_lock(&stats->lock);
    add_shard(&stats->totals, &shard);
    pthread_mutex_unlock(&stats->lock);
}

void instr_stats_close_shard(struct instr_stats *stats, struct instr_shard *shard) {
    pthread_mutex_lock(&stats->lock);
    struct instr_shard **link = &stats->shard;
    while (*link != shard) link = &(*link)->next;
    *link = shard->next;
    add_shard(&stats->totals, shard);
    pthread_mutex_unlock(&stats->lock);
    free(shard);
}

struct instr_totals instr_stats_totals(struct instr_stats *stats) {
    pthread_mutex_lock(&stats->lock);
    struct instr_totals totals = stats->totals;
    for (const struct instr_shard *s = stats->shard; s; s = s->next) add_shard(&totals, s);
    pthread_mutex_unlock(&stats->lock);
    return totals;
}

void instr_stats_each(struct instr_stats *stats,
                      void (*each)(void *context, const struct instr_skipped_item *item),
                      void *context) {
    pthread_mutex_lock(&stats->lock);
    for (size_t i = 0; i < stats->skipped_count; i++) each(context, &stats->skipped[i]);
    pthread_mutex_unlock(&stats->lock);
}
