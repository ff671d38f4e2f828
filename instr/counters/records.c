#define _POSIX_C_SOURCE 200809L

#include "instr/counters/records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SHARDS 8

#define PAGE_BYTES (INSTR_ROWS_PER_PAGE * sizeof(struct instr_counter_row))
#define PAGES ((1u << INSTR_RECORD_ID_BITS) / INSTR_ROWS_PER_PAGE)

struct shard {
    pthread_mutex_t mutex;
    uint32_t length;                        // one above the last page in use
    struct instr_counter_row *pages[PAGES]; // of INSTR_ROWS_PER_PAGE; NULL: unused
    char pad[64];                           // locks of different shards on different cache lines
};

// Global because the runtime's native methods have no place for a pointer to their state.
static struct {
    struct shard shards[MAX_SHARDS];
    atomic_uint count;
    atomic_uint_fast64_t lost;
} records;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < MAX_SHARDS; i++) pthread_mutex_init(&records.shards[i].mutex, NULL);
    atomic_store(&records.count, processors < 1            ? 1
                                 : processors > MAX_SHARDS ? MAX_SHARDS
                                                           : (unsigned)processors);
}

// Locks a shard: the last one, unless another thread holds it and a different shard is free.
static struct shard *lock_shard(unsigned *last) {
    pthread_once(&once, prepare);
    unsigned count = atomic_load_explicit(&records.count, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (*last + i) % count;
        if (pthread_mutex_trylock(&records.shards[at].mutex) == 0) {
            *last = at;
            return &records.shards[at];
        }
    }
    struct shard *shard = &records.shards[*last % count];
    pthread_mutex_lock(&shard->mutex);
    return shard;
}

// The row of an id, allocated if needed; NULL when out of memory.
static struct instr_counter_row *row_of(struct shard *shard, uint32_t id) {
    uint32_t page = id / INSTR_ROWS_PER_PAGE;
    if (page >= PAGES) return NULL;
    if (shard->pages[page] == NULL) {
        struct instr_counter_row *rows =
            aligned_alloc(_Alignof(struct instr_counter_row), PAGE_BYTES);
        if (rows == NULL) return NULL;
        memset(rows, 0, PAGE_BYTES);
        for (int i = 0; i < INSTR_ROWS_PER_PAGE; i++) rows[i].min = UINT64_MAX;
        shard->pages[page] = rows;
        if (page >= shard->length) shard->length = page + 1;
    }
    return &shard->pages[page][id % INSTR_ROWS_PER_PAGE];
}

static void lose(uint64_t n) {
    atomic_fetch_add_explicit(&records.lost, n, memory_order_relaxed);
}

static void add_event(struct instr_counter_row *row, enum instr_event event) {
    switch (event) {
    case INSTR_EVENT_CALL: row->calls++; break;
    case INSTR_EVENT_THROWN: row->thrown++; break;
    case INSTR_EVENT_CONSTRUCT:
        row->calls++;
        row->thrown++;
        break;
    case INSTR_EVENT_INITIALIZED: row->thrown--; break;
    case INSTR_EVENT_ALLOCATED:
    case INSTR_EVENT_TIMING_TWICE:
    case INSTR_EVENT_TIMING_AGAIN:
    case INSTR_EVENT_TIMING: break;
    }
}

static void add_allocated(struct instr_counter_row *row, uint64_t count, uint64_t bytes) {
    row->calls += count;
    row->thrown += (int64_t)bytes;
}

static inline uint32_t id_of(uint64_t second) {
    return (uint32_t)second & ((1u << INSTR_RECORD_ID_BITS) - 1);
}

static inline void add_time(struct instr_counter_row *row, uint64_t duration, uint64_t self,
                            bool again) {
    row->timed++;
    if (!again) row->total += duration;
    row->self += self;
    if (duration < row->min) row->min = duration;
    if (duration > row->max) row->max = duration;
}

// Adds the times of a call if that needs no memory and they are in the usual range. This is a large
// part of the cost of a timed call, so it does only what is necessary.
static inline bool add_usual(struct shard *shard, uint64_t duration, uint64_t second, bool again) {
    uint32_t id = id_of(second);
    struct instr_counter_row *row = shard->pages[id / INSTR_ROWS_PER_PAGE];
    if (row == NULL) return false;
    row += id % INSTR_ROWS_PER_PAGE;
    add_time(row, duration, second >> INSTR_RECORD_ID_BITS, again);
    if (!instr_histogram_add_usual(&row->histogram, duration)) lose(1);
    return true;
}

static void add(struct shard *shard, uint32_t id, enum instr_event event, uint64_t duration,
                uint64_t self) {
    struct instr_counter_row *row = row_of(shard, id);
    if (row == NULL) {
        lose(1);
    } else if (event == INSTR_EVENT_ALLOCATED) {
        add_allocated(row, duration, self);
    } else if (event >= 0) {
        add_event(row, event);
    } else if (event == INSTR_EVENT_TIMING_TWICE) {
        row->total -= duration; // what has it twice may be in another shard: the sum is right
    } else {
        add_time(row, duration, self, event == INSTR_EVENT_TIMING_AGAIN);
        if (!instr_histogram_add(&row->histogram, duration)) lose(1);
    }
}

// clock=auto: a call that was timed as one of many, or whose time is an estimate.
static void add_estimate(struct shard *shard, uint64_t first, uint64_t second) {
    const uint64_t level = INSTR_RECORD_LEVEL, at = INSTR_RECORD_LEVEL_SHIFT;
    const uint64_t kinds = INSTR_RECORD_AGAIN | INSTR_RECORD_LONG | level << at;
    uint64_t duration = first & ~kinds, self = second >> INSTR_RECORD_ID_BITS;
    uint64_t weight = UINT64_C(1) << 2 * (first >> at & level);
    struct instr_counter_row *row = row_of(shard, id_of(second));
    uint64_t kind = first & INSTR_RECORD_LONG;
    if (row == NULL) {
        lose(1);
        return;
    }
    if ((first & (INSTR_RECORD_AGAIN | INSTR_RECORD_LONG)) == INSTR_RECORD_TWICE) {
        row->total -= duration;
        return;
    }
    uint64_t min = row->min, max = row->max; // the minimum is always measured
    add_time(row, duration, self, kind == INSTR_RECORD_SAMPLED || (first & INSTR_RECORD_AGAIN));
    if (kind == INSTR_RECORD_SAMPLED) {
        row->timed--;
        row->sampled++;
        row->sampled_weight += weight;
        row->sampled_total += weight * duration;
        row->sampled_squares += (double)(weight * duration) * (double)(weight * duration);
    } else if (kind == INSTR_RECORD_ESTIMATED) {
        row->estimated++;
        row->min = min;
        if (first & INSTR_RECORD_AGAIN) row->max = max; // the call around it is longer
    }
    // Percentiles need all that a call may stand for.
    if (!instr_histogram_add_many(&row->histogram, duration, (uint32_t)weight)) lose(1);
}

static void add_record(struct shard *shard, uint64_t first, uint64_t second) {
    const uint64_t again = INSTR_RECORD_AGAIN >> INSTR_HISTOGRAM_MAX_BITS;
    uint64_t high = first >> INSTR_HISTOGRAM_MAX_BITS, duration = first & ~INSTR_RECORD_AGAIN;
    if (high == 0 && add_usual(shard, first, second, false)) return;
    if (high == again && add_usual(shard, duration, second, true)) return;
    uint64_t rest = second >> INSTR_RECORD_ID_BITS;
    if (first < INSTR_RECORD_EVENT && (first & (INSTR_RECORD_SAMPLED | INSTR_RECORD_ESTIMATED)))
        add_estimate(shard, first, second);
    else if (first >= INSTR_RECORD_EVENT)
        add(shard, id_of(second), (enum instr_event)(first & 7), 1, rest);
    else
        add(shard, id_of(second), first == duration ? INSTR_EVENT_TIMING : INSTR_EVENT_TIMING_AGAIN,
            duration, rest);
}

void instr_records_add(const int64_t *words, size_t n, unsigned *last) {
    struct shard *shard = lock_shard(last);
    for (const int64_t *end = words + 2 * n; words < end; words += 2)
        add_record(shard, (uint64_t)~words[0], (uint64_t)~words[1]);
    pthread_mutex_unlock(&shard->mutex);
}

void instr_records_add_one(uint32_t id, enum instr_event event, uint64_t duration, uint64_t self,
                           unsigned *last) {
    struct shard *shard = lock_shard(last);
    add(shard, id, event, duration, self);
    pthread_mutex_unlock(&shard->mutex);
}

static void sum_row(struct instr_counter_row *to, uint64_t *buckets,
                    const struct instr_counter_row *from) {
    to->calls += from->calls;
    to->thrown += from->thrown;
    to->total += from->total; // even if its calls are in another shard: INSTR_RECORD_TWICE
    if (from->timed + from->sampled == 0) return;
    if (to->timed + to->sampled == 0 || from->min < to->min) to->min = from->min;
    if (from->max > to->max) to->max = from->max;
    to->timed += from->timed;
    to->self += from->self;
    to->estimated += from->estimated;
    to->sampled += from->sampled;
    to->sampled_weight += from->sampled_weight;
    to->sampled_total += from->sampled_total;
    to->sampled_squares += from->sampled_squares;
    instr_histogram_sum(&from->histogram, buckets);
}

static void clear_row(struct instr_counter_row *row) {
    instr_histogram_clear(&row->histogram);
    memset(row, 0, sizeof *row);
    row->min = UINT64_MAX;
}

bool instr_records_take(uint32_t page, uint32_t clear, struct instr_counter_row *rows,
                        uint64_t *buckets) {
    pthread_once(&once, prepare);
    bool found = false;
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        struct instr_counter_row *from = page < PAGES ? shard->pages[page] : NULL;
        for (size_t j = 0; from != NULL && j < INSTR_ROWS_PER_PAGE; j++) {
            sum_row(&rows[j], buckets + j * INSTR_HISTOGRAM_BUCKETS, &from[j]);
            if (clear >> j & 1) clear_row(&from[j]);
        }
        found |= from != NULL;
        pthread_mutex_unlock(&shard->mutex);
    }
    // Where all times are estimates there is no minimum that was measured.
    for (size_t j = 0; found && j < INSTR_ROWS_PER_PAGE; j++)
        if (rows[j].min > rows[j].max) rows[j].min = rows[j].max;
    return found;
}

bool instr_records_sum(uint32_t page, struct instr_counter_row *rows, uint64_t *buckets) {
    return instr_records_take(page, 0, rows, buckets);
}

uint32_t instr_records_pages(void) {
    pthread_once(&once, prepare);
    uint32_t pages = 0;
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        if (shard->length > pages) pages = shard->length;
        pthread_mutex_unlock(&shard->mutex);
    }
    return pages;
}

void instr_records_forget(uint32_t from, uint32_t to) {
    pthread_once(&once, prepare);
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        for (uint32_t id = from; id < to && id / INSTR_ROWS_PER_PAGE < shard->length; id++) {
            struct instr_counter_row *page = shard->pages[id / INSTR_ROWS_PER_PAGE];
            if (page != NULL) clear_row(&page[id % INSTR_ROWS_PER_PAGE]);
        }
        pthread_mutex_unlock(&shard->mutex);
    }
}

static void reset_shard(struct shard *shard) {
    for (uint32_t i = 0; i < shard->length; i++) {
        for (size_t j = 0; shard->pages[i] != NULL && j < INSTR_ROWS_PER_PAGE; j++)
            instr_histogram_clear(&shard->pages[i][j].histogram);
        free(shard->pages[i]);
        shard->pages[i] = NULL;
    }
    shard->length = 0;
}

void instr_records_reset(void) {
    pthread_once(&once, prepare);
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        pthread_mutex_lock(&records.shards[i].mutex);
        reset_shard(&records.shards[i]);
        pthread_mutex_unlock(&records.shards[i].mutex);
    }
}

uint64_t instr_records_lost(void) {
    return atomic_load(&records.lost);
}

static size_t page_bytes(const struct instr_counter_row *rows) {
    size_t bytes = PAGE_BYTES;
    for (size_t i = 0; i < INSTR_ROWS_PER_PAGE; i++)
        bytes += instr_histogram_bytes(&rows[i].histogram);
    return bytes;
}

size_t instr_records_bytes(void) {
    size_t bytes = 0;
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        bytes += shard->length * sizeof *shard->pages;
        for (uint32_t page = 0; page < shard->length; page++)
            if (shard->pages[page] != NULL) bytes += page_bytes(shard->pages[page]);
        pthread_mutex_unlock(&shard->mutex);
    }
    return bytes;
}
