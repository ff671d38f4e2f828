// counts.c: how many exceptions each row has since the last reset
//
// An exception moves to another row when it is caught. If a report has reset the counts before, the row
// that it leaves has one less than none, and the other row has an exception that was reported already.
// Threads that run during a report can leave the same picture. So rows below zero are set off against
// other rows of the same throw. What remains is set off in a later report: the sum of all reports is
// the number of exceptions.

#include "instr/passes/exceptions/internal.h"

#include "instr/base/array.h"
#include "instr/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROW = -1 };

// Counts below zero that no row was left to be set off against. Reports are made one at a time.
static struct instr_exception_counts owed;

// What all rows of a throw have in common: the place and the class of the exception.
static uint64_t throw_of(const struct instr_method *row) {
    uint64_t hash = (uint64_t)row->pc << 32 | row->line;
    hash = instr_hash(row->class_name, strlen(row->class_name), hash);
    hash = instr_hash(row->name, strlen(row->name), hash);
    hash = instr_hash(row->descriptor, strlen(row->descriptor), hash);
    return instr_hash(row->detail, instr_exceptions_class_length(row->detail), hash);
}

static bool add(struct instr_exception_counts *list, uint64_t thrown_at, int row, int64_t count) {
    if (!count) return true;
    if (!INSTR_ARRAY_RESERVE(list->items, list->capacity, list->count + 1)) return false;
    list->items[list->count++] = (struct instr_exception_count){thrown_at, row, count};
    return true;
}

static int by_throw(const void *a, const void *b) {
    const struct instr_exception_count *x = a, *y = b;
    if (x->thrown_at != y->thrown_at) return x->thrown_at < y->thrown_at ? -1 : 1;
    return (x->count < y->count) - (x->count > y->count);
}

// Sets the rows of one throw off against each other, the largest first. Returns what is left below zero.
static int64_t settle(struct instr_exception_count *rows, size_t n) {
    int64_t below = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].count >= 0) continue;
        below += rows[i].count;
        rows[i].count = 0;
    }
    for (size_t i = 0; i < n && below; i++) {
        int64_t most = rows[i].count < -below ? rows[i].count : -below;
        rows[i].count -= most;
        below += most;
    }
    return below;
}

struct adding {
    struct instr_exception_counts *list;
    const struct instr_methods *methods;
    unsigned pass;
    const struct instr_counts *counts;
    size_t count;
    bool failed;
};

static void add_row(void *context, int row) {
    struct adding *adding = context;
    if ((size_t)row >= adding->count) return;
    struct instr_method place = instr_methods_get(adding->methods, row);
    // Other rows are of an earlier time when the pass was on.
    if (place.pass != adding->pass) return;
    const struct instr_counts *c = &adding->counts[row];
    adding->failed |= !add(adding->list, throw_of(&place), row, (int64_t)c->calls - c->thrown);
}

bool instr_exceptions_count(const struct instr_methods *methods, unsigned pass,
                            const struct instr_counts *counts, size_t n, bool reset,
                            struct instr_exception_counts *list) {
    struct adding adding = {list, methods, pass, counts, n, false};
    *list = (struct instr_exception_counts){NULL, 0, 0};
    instr_exceptions_rows_each(add_row, &adding);
    for (size_t i = 0; i < owed.count; i++)
        adding.failed |= !add(list, owed.items[i].thrown_at, NO_ROW, owed.items[i].count);
    if (reset) owed.count = 0;
    if (list->count) qsort(list->items, list->count, sizeof *list->items, by_throw);
    for (size_t from = 0, to = 0; from < list->count; from = to) {
        uint64_t thrown_at = list->items[from].thrown_at;
        while (to < list->count && list->items[to].thrown_at == thrown_at) to++;
        int64_t below = settle(&list->items[from], to - from);
        if (reset) add(&owed, thrown_at, NO_ROW, below);
    }
    return !adding.failed;
}

void instr_exceptions_count_forget(void) {
    free(owed.items);
    owed = (struct instr_exception_counts){NULL, 0, 0};
}
