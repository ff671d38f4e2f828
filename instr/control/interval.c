#include "instr/control/interval.h"

#include "instr/counters/records.h"

#include <stdlib.h>
#include <string.h>

struct bucket {
    uint32_t number;
    uint64_t count;
};

struct kept {
    int id;
    size_t first, count; // its buckets that are not empty
};

struct instr_interval {
    struct kept *kept; // sorted by id
    size_t count;
    struct bucket *buckets;
};

struct instr_interval *instr_interval_new(void) {
    return calloc(1, sizeof(struct instr_interval));
}

void instr_interval_free(struct instr_interval *interval) {
    if (!interval) return;
    free(interval->kept);
    free(interval->buckets);
    free(interval);
}

static int by_id(const void *a, const void *b) {
    const struct kept *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// --- the histograms of a page of ids ---

struct page {
    uint32_t number; // UINT32_MAX: none
    struct instr_counter_row rows[INSTR_ROWS_PER_PAGE];
    uint64_t buckets[INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS];
};

static void open_page(struct page *page, uint32_t number) {
    if (page->number == number) return;
    memset(page->rows, 0, sizeof page->rows);
    memset(page->buckets, 0, sizeof page->buckets);
    page->number = number;
    instr_records_sum(number, page->rows, page->buckets);
}

// Takes the buckets of the last interval's end away. The highest value cannot be known better than
// its bucket, unless it is the highest of all.
static void times_since(const struct instr_interval *last, const struct kept *before,
                        const struct instr_counter_row *row, uint64_t *buckets,
                        struct instr_interval_times *times) {
    uint64_t max = 0;
    for (size_t i = 0; before && i < before->count; i++) {
        const struct bucket *b = &last->buckets[before->first + i];
        if (buckets[b->number] < b->count) return; // it was reset
        buckets[b->number] -= b->count;
    }
    for (unsigned i = INSTR_HISTOGRAM_BUCKETS; i-- > 0 && !max;)
        if (buckets[i]) max = instr_histogram_middle(i);
    if (max && instr_histogram_bucket(max) == instr_histogram_bucket(row->max)) max = row->max;
    if (max && max < row->min) max = row->min;
    if (max > row->max) max = row->max;
    times->known = 1;
    times->max = max;
    times->p50 = instr_histogram_percentile(buckets, 50, row->min, max);
    times->p99 = instr_histogram_percentile(buckets, 99, row->min, max);
}

static size_t count_filled(const uint64_t *buckets) {
    size_t count = 0;
    for (unsigned i = 0; i < INSTR_HISTOGRAM_BUCKETS; i++) count += buckets[i] != 0;
    return count;
}

// Appends the filled buckets to next->buckets. 0: out of memory.
static int keep(struct instr_interval *next, struct kept *kept, size_t *used,
                const uint64_t *buckets) {
    size_t count = count_filled(buckets);
    struct bucket *more = realloc(next->buckets, (*used + count + 1) * sizeof *more);
    if (!more) return 0;
    next->buckets = more;
    kept->first = *used;
    kept->count = count;
    for (unsigned i = 0; i < INSTR_HISTOGRAM_BUCKETS; i++)
        if (buckets[i]) more[(*used)++] = (struct bucket){i, buckets[i]};
    return 1;
}

int instr_interval_next(struct instr_interval *interval, const int *ids, size_t count,
                        struct instr_interval_times *times) {
    struct instr_interval next = {calloc(count + 1, sizeof *next.kept), count, NULL};
    struct page *page = malloc(sizeof *page);
    size_t used = 0, *order = malloc((count + 1) * sizeof *order);
    int ok = next.kept && page && order;
    memset(times, 0, count * sizeof *times);
    for (size_t i = 0; ok && i < count; i++) next.kept[i] = (struct kept){ids[i], i, 0};
    if (ok) {
        qsort(next.kept, count, sizeof *next.kept, by_id); // so that each page is opened once
        for (size_t i = 0; i < count; i++) order[i] = next.kept[i].first;
        page->number = UINT32_MAX;
    }
    for (size_t i = 0; ok && i < count; i++) {
        struct kept *kept = &next.kept[i], *before = NULL;
        uint32_t id = (uint32_t)kept->id, at = id % INSTR_ROWS_PER_PAGE;
        open_page(page, id / INSTR_ROWS_PER_PAGE);
        uint64_t *buckets = page->buckets + at * INSTR_HISTOGRAM_BUCKETS;
        ok = keep(&next, kept, &used, buckets);
        if (interval->count)
            before = bsearch(kept, interval->kept, interval->count, sizeof *kept, by_id);
        // Where every call so far belongs to the interval, nothing has to be taken away.
        if (before) times_since(interval, before, &page->rows[at], buckets, &times[order[i]]);
    }
    free(page);
    free(order);
    free(ok ? interval->kept : next.kept);
    free(ok ? interval->buckets : next.buckets);
    if (ok) *interval = next;
    if (!ok) memset(times, 0, count * sizeof *times);
    return ok;
}
