// engine_book.c: see engine_book.h

#include "instr/engine/stats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_REMEMBERED 4096                 // classes and methods whose reason is kept
#define KEPT_BYTES ((size_t)4 * 1024 * 1024) // of their names and reasons

// The account's numbers, one after the other.
#define NUMBERS (sizeof(struct instr_totals) / sizeof(uint64_t))
_Static_assert(NUMBERS * sizeof(uint64_t) == sizeof(struct instr_totals), "numbers alone");

struct instr_shard {
    struct instr_shard *next;
    _Atomic uint64_t numbers[NUMBERS];
};

struct instr_stats {
    atomic_uint holders;
    pthread_mutex_t lock; // of what follows
    struct instr_totals account;
    struct instr_shard *shard;
    struct instr_skipped_item *kept;
    size_t skipped_count, skipped_capacity, kept_bytes;
};

struct instr_stats *instr_stats_new(void) {
    struct instr_stats *book = calloc(1, sizeof *book);
    if (!book) return NULL;
    atomic_init(&book->holders, 1);
    pthread_mutex_init(&book->lock, NULL);
    return book;
}

void instr_stats_close(struct instr_stats *book) {
    if (atomic_fetch_sub(&book->holders, 1) != 1) return;
    for (size_t i = 0; i < book->skipped_count; i++) {
        free(book->kept[i].class_name);
        free(book->kept[i].method);
        free(book->kept[i].reason);
    }
    free(book->kept);
    pthread_mutex_destroy(&book->lock);
    free(book);
}

static char *text_of(const char *a, size_t a_length, const char *b, size_t b_length) {
    char *text = malloc(a_length + b_length + 1);
    if (!text) return NULL;
    if (a_length) memcpy(text, a, a_length);
    if (b_length) memcpy(text + a_length, b, b_length);
    text[a_length + b_length] = '\0';
    return text;
}

static struct instr_skipped_item *one_more_kept(struct instr_stats *book) {
    if (book->skipped_count == KEPT_REMEMBERED || book->kept_bytes > KEPT_BYTES) return NULL;
    if (book->skipped_count == book->skipped_capacity) {
        size_t wanted = book->skipped_capacity ? book->skipped_capacity * 2 : 16;
        struct instr_skipped_item *larger = realloc(book->kept, wanted * sizeof *larger);
        if (!larger) return NULL;
        book->kept = larger;
        book->skipped_capacity = wanted;
    }
    return &book->kept[book->skipped_count];
}

// A pass speaks of a method whenever its class comes again. The first time counts.
static int is_remembered(const struct instr_stats *book, const struct instr_skipped_item *kept) {
    for (size_t i = 0; i < book->skipped_count; i++) {
        const struct instr_skipped_item *k = &book->kept[i];
        if (k->pass == kept->pass && k->hash == kept->hash && !strcmp(k->method, kept->method) &&
            !strcmp(k->class_name, kept->class_name))
            return 1;
    }
    return 0;
}

static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 16777619u;
    return hash;
}

unsigned instr_stats_skip(struct instr_stats *book, struct cf_slice name, struct cf_slice m,
                          struct cf_slice d, const char *reason, int pass) {
    struct instr_skipped_item kept = {
        text_of((const char *)name.bytes, name.length, NULL, 0),
        text_of((const char *)m.bytes, m.length, (const char *)d.bytes, d.length),
        text_of(reason, strlen(reason), NULL, 0), pass, 0};
    int whole = kept.class_name && kept.method && kept.reason;
    if (whole) kept.hash = hash_of(kept.class_name) * 31 + hash_of(kept.method);
    pthread_mutex_lock(&book->lock);
    struct instr_skipped_item *place =
        whole && (pass == -1 || !is_remembered(book, &kept)) ? one_more_kept(book) : NULL;
    if (place) {
        *place = kept;
        book->skipped_count++;
        book->kept_bytes += (size_t)name.length + m.length + d.length + strlen(reason) + 3;
    }
    pthread_mutex_unlock(&book->lock);
    if (place) return 1;
    free(kept.class_name);
    free(kept.method);
    free(kept.reason);
    return 0;
}

void instr_stats_take(struct instr_stats *book) {
    atomic_fetch_add(&book->holders, 1);
}

struct instr_totals *instr_stats_lock(struct instr_stats *book) {
    pthread_mutex_lock(&book->lock);
    return &book->account;
}

void instr_stats_unlock(struct instr_stats *book) {
    pthread_mutex_unlock(&book->lock);
}

struct instr_shard *instr_stats_shard(struct instr_stats *book) {
    struct instr_shard *shard = calloc(1, sizeof *shard);
    if (!shard) return NULL;
    pthread_mutex_lock(&book->lock);
    shard->next = book->shard;
    book->shard = shard;
    pthread_mutex_unlock(&book->lock);
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

static void add_shard(struct instr_totals *account, const struct instr_shard *shard) {
    uint64_t numbers[NUMBERS];
    memcpy(numbers, account, sizeof numbers);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] += atomic_load_explicit(&shard->numbers[i], memory_order_relaxed);
    memcpy(account, numbers, sizeof numbers);
}

void instr_stats_add(struct instr_stats *book, const struct instr_totals *more) {
    struct instr_shard shard = {.next = NULL};
    instr_shard_add(&shard, more);
    pthread_mutex_lock(&book->lock);
    add_shard(&book->account, &shard);
    pthread_mutex_unlock(&book->lock);
}

void instr_stats_close_shard(struct instr_stats *book, struct instr_shard *shard) {
    pthread_mutex_lock(&book->lock);
    struct instr_shard **link = &book->shard;
    while (*link != shard) link = &(*link)->next;
    *link = shard->next;
    add_shard(&book->account, shard);
    pthread_mutex_unlock(&book->lock);
    free(shard);
}

struct instr_totals instr_stats_account(struct instr_stats *book) {
    pthread_mutex_lock(&book->lock);
    struct instr_totals account = book->account;
    for (const struct instr_shard *s = book->shard; s; s = s->next) add_shard(&account, s);
    pthread_mutex_unlock(&book->lock);
    return account;
}

void instr_stats_each(struct instr_stats *book,
                      void (*each)(void *context, const struct instr_skipped_item *kept),
                      void *context) {
    pthread_mutex_lock(&book->lock);
    for (size_t i = 0; i < book->skipped_count; i++) each(context, &book->kept[i]);
    pthread_mutex_unlock(&book->lock);
}
