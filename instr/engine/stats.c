// engine_book.c: see engine_book.h

#include "instr/engine/stats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_REMEMBERED 4096                 // classes and methods whose reason is kept
#define KEPT_BYTES ((size_t)4 * 1024 * 1024) // of their names and reasons

// The account's numbers, one after the other.
#define NUMBERS (sizeof(struct instr_account) / sizeof(uint64_t))
_Static_assert(NUMBERS * sizeof(uint64_t) == sizeof(struct instr_account), "numbers alone");

struct instr_sheet {
    struct instr_sheet *next;
    _Atomic uint64_t numbers[NUMBERS];
};

struct instr_book {
    atomic_uint holders;
    pthread_mutex_t lock; // of what follows
    struct instr_account account;
    struct instr_sheet *sheets;
    struct instr_kept *kept;
    size_t kept_count, kept_capacity, kept_bytes;
};

struct instr_book *instr_book_new(void) {
    struct instr_book *book = calloc(1, sizeof *book);
    if (!book) return NULL;
    atomic_init(&book->holders, 1);
    pthread_mutex_init(&book->lock, NULL);
    return book;
}

void instr_book_close(struct instr_book *book) {
    if (atomic_fetch_sub(&book->holders, 1) != 1) return;
    for (size_t i = 0; i < book->kept_count; i++) {
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

static struct instr_kept *one_more_kept(struct instr_book *book) {
    if (book->kept_count == KEPT_REMEMBERED || book->kept_bytes > KEPT_BYTES) return NULL;
    if (book->kept_count == book->kept_capacity) {
        size_t wanted = book->kept_capacity ? book->kept_capacity * 2 : 16;
        struct instr_kept *larger = realloc(book->kept, wanted * sizeof *larger);
        if (!larger) return NULL;
        book->kept = larger;
        book->kept_capacity = wanted;
    }
    return &book->kept[book->kept_count];
}

// A pass speaks of a method whenever its class comes again. The first time counts.
static int is_remembered(const struct instr_book *book, const struct instr_kept *kept) {
    for (size_t i = 0; i < book->kept_count; i++) {
        const struct instr_kept *k = &book->kept[i];
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

unsigned instr_book_keep(struct instr_book *book, struct cf_slice name, struct cf_slice m,
                         struct cf_slice d, const char *reason, int pass) {
    struct instr_kept kept = {
        text_of((const char *)name.bytes, name.length, NULL, 0),
        text_of((const char *)m.bytes, m.length, (const char *)d.bytes, d.length),
        text_of(reason, strlen(reason), NULL, 0), pass, 0};
    int whole = kept.class_name && kept.method && kept.reason;
    if (whole) kept.hash = hash_of(kept.class_name) * 31 + hash_of(kept.method);
    pthread_mutex_lock(&book->lock);
    struct instr_kept *place =
        whole && (pass == -1 || !is_remembered(book, &kept)) ? one_more_kept(book) : NULL;
    if (place) {
        *place = kept;
        book->kept_count++;
        book->kept_bytes += (size_t)name.length + m.length + d.length + strlen(reason) + 3;
    }
    pthread_mutex_unlock(&book->lock);
    if (place) return 1;
    free(kept.class_name);
    free(kept.method);
    free(kept.reason);
    return 0;
}

void instr_book_take(struct instr_book *book) {
    atomic_fetch_add(&book->holders, 1);
}

struct instr_account *instr_book_lock(struct instr_book *book) {
    pthread_mutex_lock(&book->lock);
    return &book->account;
}

void instr_book_unlock(struct instr_book *book) {
    pthread_mutex_unlock(&book->lock);
}

struct instr_sheet *instr_book_sheet(struct instr_book *book) {
    struct instr_sheet *sheet = calloc(1, sizeof *sheet);
    if (!sheet) return NULL;
    pthread_mutex_lock(&book->lock);
    sheet->next = book->sheets;
    book->sheets = sheet;
    pthread_mutex_unlock(&book->lock);
    return sheet;
}

void instr_sheet_add(struct instr_sheet *sheet, const struct instr_account *more) {
    uint64_t numbers[NUMBERS];
    memcpy(numbers, more, sizeof numbers);
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t sum = atomic_load_explicit(&sheet->numbers[i], memory_order_relaxed) + numbers[i];
        atomic_store_explicit(&sheet->numbers[i], sum, memory_order_relaxed);
    }
}

static void add_sheet(struct instr_account *account, const struct instr_sheet *sheet) {
    uint64_t numbers[NUMBERS];
    memcpy(numbers, account, sizeof numbers);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] += atomic_load_explicit(&sheet->numbers[i], memory_order_relaxed);
    memcpy(account, numbers, sizeof numbers);
}

void instr_book_add(struct instr_book *book, const struct instr_account *more) {
    struct instr_sheet sheet = {.next = NULL};
    instr_sheet_add(&sheet, more);
    pthread_mutex_lock(&book->lock);
    add_sheet(&book->account, &sheet);
    pthread_mutex_unlock(&book->lock);
}

void instr_book_close_sheet(struct instr_book *book, struct instr_sheet *sheet) {
    pthread_mutex_lock(&book->lock);
    struct instr_sheet **link = &book->sheets;
    while (*link != sheet) link = &(*link)->next;
    *link = sheet->next;
    add_sheet(&book->account, sheet);
    pthread_mutex_unlock(&book->lock);
    free(sheet);
}

struct instr_account instr_book_account(struct instr_book *book) {
    pthread_mutex_lock(&book->lock);
    struct instr_account account = book->account;
    for (const struct instr_sheet *s = book->sheets; s; s = s->next) add_sheet(&account, s);
    pthread_mutex_unlock(&book->lock);
    return account;
}

void instr_book_each(struct instr_book *book,
                     void (*each)(void *context, const struct instr_kept *kept), void *context) {
    pthread_mutex_lock(&book->lock);
    for (size_t i = 0; i < book->kept_count; i++) each(context, &book->kept[i]);
    pthread_mutex_unlock(&book->lock);
}
