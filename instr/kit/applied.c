// A hash table finds methods that are noted already; the hashes of 64 bits stand for the names.

#include "instr/kit/applied.h"
#include "instr/base/array.h"
#include "instr/base/hash.h"
#include "rewriters/watch_methods.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NAMED = 200 }; // methods of an advice whose names are remembered

struct advice {
    struct instr_kit_applied_totals totals;
    char *names[MOST_NAMED];
    size_t named;
};

struct run {
    size_t advice;
    char *method;
    int number;
};

struct instr_kit_applied {
    pthread_mutex_t lock;
    bool counts_runs;
    struct run *runs;
    size_t run_count, run_capacity;
    uint64_t *seen; // hashes; 0: free
    size_t seen_count, seen_size;
    size_t advice_count;
    struct advice advices[];
};

struct instr_kit_applied *instr_kit_applied_new(size_t advices) {
    struct instr_kit_applied *applied =
        calloc(1, sizeof *applied + advices * sizeof *applied->advices);
    if (!applied) return NULL;
    applied->advice_count = advices;
    pthread_mutex_init(&applied->lock, NULL);
    return applied;
}

void instr_kit_applied_free(struct instr_kit_applied *applied) {
    if (!applied) return;
    for (size_t i = 0; i < applied->advice_count; i++)
        for (size_t k = 0; k < applied->advices[i].named; k++) free(applied->advices[i].names[k]);
    for (size_t i = 0; i < applied->run_count; i++) free(applied->runs[i].method);
    pthread_mutex_destroy(&applied->lock);
    free(applied->runs);
    free(applied->seen);
    free(applied);
}

// Where the hash is, or the free place where it belongs.
static uint64_t *place_of(uint64_t *seen, size_t size, uint64_t hash) {
    size_t i = hash & (size - 1);
    while (seen[i] && seen[i] != hash) i = (i + 1) & (size - 1);
    return &seen[i];
}

static bool grow(struct instr_kit_applied *applied) {
    size_t size = applied->seen_size ? 2 * applied->seen_size : 64;
    uint64_t *seen = calloc(size, sizeof *seen);
    if (!seen) return false;
    for (size_t i = 0; i < applied->seen_size; i++)
        if (applied->seen[i]) *place_of(seen, size, applied->seen[i]) = applied->seen[i];
    free(applied->seen);
    applied->seen = seen;
    applied->seen_size = size;
    return true;
}

// False: it is there already, or there is no memory.
static bool is_new(struct instr_kit_applied *applied, uint64_t hash) {
    hash += hash == 0;
    if (2 * applied->seen_count >= applied->seen_size && !grow(applied)) return false;
    uint64_t *place = place_of(applied->seen, applied->seen_size, hash);
    if (*place) return false;
    *place = hash;
    applied->seen_count++;
    return true;
}

static char *method_text(struct cf_slice class, struct cf_slice name, struct cf_slice descriptor) {
    char types[1024], *text = NULL;
    rw_watch_types(descriptor, types, sizeof types);
    if (asprintf(&text, "%.*s.%.*s%s", (int)class.length, (const char *)class.bytes,
                 (int)name.length, (const char *)name.bytes, types) < 0)
        return NULL;
    for (uint32_t i = 0; i < class.length; i++)
        if (text[i] == '/') text[i] = '.';
    return text;
}

void instr_kit_applied_add(struct instr_kit_applied *applied, size_t advice, struct cf_slice class,
                           struct cf_slice name, struct cf_slice descriptor) {
    struct advice *to = &applied->advices[advice];
    uint64_t of_class = instr_hash(class.bytes, class.length, advice + 1);
    uint64_t of_method = instr_hash(descriptor.bytes, descriptor.length,
                                    instr_hash(name.bytes, name.length, of_class));
    pthread_mutex_lock(&applied->lock);
    if (is_new(applied, of_method)) {
        to->totals.methods++;
        to->totals.classes += is_new(applied, of_class);
        if (to->named < MOST_NAMED && (to->names[to->named] = method_text(class, name, descriptor)))
            to->named++;
    }
    pthread_mutex_unlock(&applied->lock);
}

// --- runs ---

void instr_kit_applied_count_runs(struct instr_kit_applied *applied, bool counts) {
    pthread_mutex_lock(&applied->lock);
    applied->counts_runs = counts;
    pthread_mutex_unlock(&applied->lock);
}

// -1: out of memory.
static int number_of(struct instr_kit_applied *applied, size_t advice, const char *method) {
    static atomic_int next; // all kits of a JVM share InstrKitRuns
    for (size_t i = 0; i < applied->run_count; i++)
        if (applied->runs[i].advice == advice && strcmp(applied->runs[i].method, method) == 0)
            return applied->runs[i].number;
    if (!INSTR_ARRAY_RESERVE(applied->runs, applied->run_capacity, applied->run_count + 1))
        return -1;
    struct run run = {advice, strdup(method), 0};
    if (!run.method) return -1;
    run.number = atomic_fetch_add(&next, 1);
    applied->runs[applied->run_count++] = run;
    return run.number;
}

int instr_kit_applied_number(struct instr_kit_applied *applied, size_t advice,
                             struct cf_slice class, struct cf_slice name,
                             struct cf_slice descriptor) {
    int number = -1;
    pthread_mutex_lock(&applied->lock);
    char *method = applied->counts_runs ? method_text(class, name, descriptor) : NULL;
    if (method) number = number_of(applied, advice, method);
    pthread_mutex_unlock(&applied->lock);
    free(method);
    return number;
}

void instr_kit_applied_runs(struct instr_kit_applied *applied, size_t advice,
                            void (*each)(void *context, const char *method, int number),
                            void *context) {
    pthread_mutex_lock(&applied->lock);
    for (size_t i = 0; i < applied->run_count; i++)
        if (applied->runs[i].advice == advice)
            each(context, applied->runs[i].method, applied->runs[i].number);
    pthread_mutex_unlock(&applied->lock);
}

void instr_kit_applied_refuse(struct instr_kit_applied *applied, size_t advice,
                              const char *reason) {
    struct instr_kit_applied_totals *totals = &applied->advices[advice].totals;
    pthread_mutex_lock(&applied->lock);
    if (!*totals->refusal) snprintf(totals->refusal, sizeof totals->refusal, "%s", reason);
    pthread_mutex_unlock(&applied->lock);
}

struct instr_kit_applied_totals
instr_kit_applied_get(struct instr_kit_applied *applied, size_t advice, size_t most,
                      void (*each)(void *context, const char *method), void *context) {
    struct advice *of = &applied->advices[advice];
    pthread_mutex_lock(&applied->lock);
    struct instr_kit_applied_totals totals = of->totals;
    for (size_t i = 0; i < of->named && i < most; i++) each(context, of->names[i]);
    pthread_mutex_unlock(&applied->lock);
    return totals;
}
