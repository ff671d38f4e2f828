// records.c: see records.h

#define _POSIX_C_SOURCE 200809L

#include "instr/records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SHARDS 8

struct shard {
    pthread_mutex_t mutex;
    struct instr_row **pages; // of INSTR_ROWS_PER_PAGE; NULL: nothing there
    uint32_t pages_length;
    char pad[64]; // locks of different shards on different cache lines
};

// The natives of the runtime have no place to keep a pointer to their state, hence this one.
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

// A locked shard: the one of last time unless somebody is there and another is free.
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

// The row of an id, made if need be; NULL when out of memory.
static struct instr_row *make_row(struct shard *shard, uint32_t id) {
    uint32_t page = id / INSTR_ROWS_PER_PAGE;
    if (page >= shard->pages_length) {
        uint32_t length = shard->pages_length < 64 ? 64 : shard->pages_length;
        while (length <= page) length *= 2;
        struct instr_row **pages = realloc(shard->pages, length * sizeof(struct instr_row *));
        if (pages == NULL) return NULL;
        memset(pages + shard->pages_length, 0,
               (length - shard->pages_length) * sizeof(struct instr_row *));
        shard->pages = pages;
        shard->pages_length = length;
    }
    if (shard->pages[page] == NULL) {
        // On cache lines of its own: its neighbour may be another shard's.
        struct instr_row *rows = aligned_alloc(64, INSTR_ROWS_PER_PAGE * sizeof *rows);
        if (rows == NULL) return NULL;
        memset(rows, 0, INSTR_ROWS_PER_PAGE * sizeof *rows);
        for (int i = 0; i < INSTR_ROWS_PER_PAGE; i++) rows[i].min = UINT64_MAX;
        shard->pages[page] = rows;
    }
    return &shard->pages[page][id % INSTR_ROWS_PER_PAGE];
}

static inline struct instr_row *find_row(struct shard *shard, uint32_t id) {
    uint32_t page = id / INSTR_ROWS_PER_PAGE;
    if (page < shard->pages_length && shard->pages[page] != NULL)
        return &shard->pages[page][id % INSTR_ROWS_PER_PAGE];
    return make_row(shard, id);
}

static void lose(uint64_t n) {
    atomic_fetch_add_explicit(&records.lost, n, memory_order_relaxed);
}

static void add_event(struct instr_row *row, enum instr_event event) {
    switch (event) {
    case INSTR_EVENT_CALL: row->calls++; break;
    case INSTR_EVENT_THROWN: row->thrown++; break;
    case INSTR_EVENT_CONSTRUCT:
        row->calls++;
        row->thrown++;
        break;
    case INSTR_EVENT_INITIALIZED: row->thrown--; break;
    case INSTR_EVENT_ALLOCATED:
    case INSTR_EVENT_TIMING_AGAIN:
    case INSTR_EVENT_TIMING: break;
    }
}

static void add_allocated(struct instr_row *row, uint64_t count, uint64_t bytes) {
    row->calls += count;
    row->thrown += (int64_t)bytes;
}

static inline uint32_t id_of(uint64_t second) {
    return (uint32_t)second & ((1u << INSTR_RECORD_ID_BITS) - 1);
}

static inline bool is_timing(uint64_t first) {
    return first < INSTR_RECORD_EVENT;
}

// Adds the durations of one method that stand at the beginning of records; returns how many. They
// are added up before the row is touched.
static size_t add_times(struct instr_row *row, uint32_t id, const int64_t *words, size_t n) {
    uint64_t total = 0, self = 0, min = UINT64_MAX, max = 0;
    size_t i = 0, failed = 0;
    for (; i < n; i++) {
        uint64_t first = (uint64_t)~words[2 * i], second = (uint64_t)~words[2 * i + 1];
        if (id_of(second) != id || !is_timing(first)) break;
        uint64_t duration = first & ~INSTR_RECORD_AGAIN;
        total += duration == first ? duration : 0;
        self += second >> INSTR_RECORD_ID_BITS;
        min = duration < min ? duration : min;
        max = duration > max ? duration : max;
        failed += !instr_histogram_add(&row->histogram, duration);
    }
    row->timed += i;
    row->total += total;
    row->self += self;
    if (min < row->min) row->min = min;
    if (max > row->max) row->max = max;
    if (failed != 0) lose(failed);
    return i;
}

// Adds some records from the first one on; returns how many.
static size_t add_some(struct shard *shard, const int64_t *words, size_t n) {
    uint64_t first = (uint64_t)~words[0];
    uint32_t id = id_of((uint64_t)~words[1]);
    struct instr_row *row = find_row(shard, id);
    if (row == NULL)
        lose(1);
    else if (is_timing(first))
        return add_times(row, id, words, n);
    else if ((first & 7) == INSTR_EVENT_ALLOCATED)
        add_allocated(row, 1, (uint64_t)~words[1] >> INSTR_RECORD_ID_BITS);
    else
        add_event(row, (enum instr_event)(first & 7));
    return 1;
}

void instr_records_add(const int64_t *words, size_t n, unsigned *last) {
    struct shard *shard = lock_shard(last);
    for (size_t i = 0; i < n;) i += add_some(shard, words + 2 * i, n - i);
    pthread_mutex_unlock(&shard->mutex);
}

static void add_one_time(struct instr_row *row, uint64_t duration, uint64_t self, bool again) {
    row->timed++;
    row->total += again ? 0 : duration;
    row->self += self;
    if (duration < row->min) row->min = duration;
    if (duration > row->max) row->max = duration;
    if (!instr_histogram_add(&row->histogram, duration)) lose(1);
}

void instr_records_add_one(uint32_t id, enum instr_event event, uint64_t duration, uint64_t self,
                           unsigned *last) {
    struct shard *shard = lock_shard(last);
    struct instr_row *row = find_row(shard, id);
    if (row == NULL)
        lose(1);
    else if (event == INSTR_EVENT_ALLOCATED)
        add_allocated(row, duration, self);
    else if (event >= 0)
        add_event(row, event);
    else
        add_one_time(row, duration, self, event == INSTR_EVENT_TIMING_AGAIN);
    pthread_mutex_unlock(&shard->mutex);
}

static void sum_row(struct instr_row *to, uint64_t *buckets, const struct instr_row *from) {
    to->calls += from->calls;
    to->thrown += from->thrown;
    if (from->timed == 0) return;
    if (to->timed == 0 || from->min < to->min) to->min = from->min;
    if (from->max > to->max) to->max = from->max;
    to->timed += from->timed;
    to->total += from->total;
    to->self += from->self;
    instr_histogram_sum(&from->histogram, buckets);
}

bool instr_records_sum(uint32_t page, struct instr_row *rows, uint64_t *buckets) {
    pthread_once(&once, prepare);
    bool found = false;
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        if (page < shard->pages_length && shard->pages[page] != NULL) {
            found = true;
            for (size_t j = 0; j < INSTR_ROWS_PER_PAGE; j++)
                sum_row(&rows[j], buckets + j * INSTR_HISTOGRAM_BUCKETS, &shard->pages[page][j]);
        }
        pthread_mutex_unlock(&shard->mutex);
    }
    return found;
}

uint32_t instr_records_pages(void) {
    pthread_once(&once, prepare);
    uint32_t pages = 0;
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        uint32_t length = shard->pages_length;
        while (length > pages && shard->pages[length - 1] == NULL) length--;
        if (length > pages) pages = length;
        pthread_mutex_unlock(&shard->mutex);
    }
    return pages;
}

static void clear_row(struct instr_row *row) {
    instr_histogram_clear(&row->histogram);
    memset(row, 0, sizeof *row);
    row->min = UINT64_MAX;
}

void instr_records_forget(uint32_t from, uint32_t to) {
    pthread_once(&once, prepare);
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        for (uint32_t id = from; id < to && id / INSTR_ROWS_PER_PAGE < shard->pages_length; id++) {
            struct instr_row *page = shard->pages[id / INSTR_ROWS_PER_PAGE];
            if (page != NULL) clear_row(&page[id % INSTR_ROWS_PER_PAGE]);
        }
        pthread_mutex_unlock(&shard->mutex);
    }
}

static void reset_shard(struct shard *shard) {
    for (uint32_t i = 0; i < shard->pages_length; i++) {
        for (size_t j = 0; shard->pages[i] != NULL && j < INSTR_ROWS_PER_PAGE; j++)
            instr_histogram_clear(&shard->pages[i][j].histogram);
        free(shard->pages[i]);
    }
    free(shard->pages);
    shard->pages = NULL;
    shard->pages_length = 0;
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

size_t instr_records_bytes(void) {
    size_t bytes = 0;
    for (unsigned i = 0; i < atomic_load(&records.count); i++) {
        struct shard *shard = &records.shards[i];
        pthread_mutex_lock(&shard->mutex);
        bytes += shard->pages_length * sizeof *shard->pages;
        for (uint32_t page = 0; page < shard->pages_length; page++)
            if (shard->pages[page]) bytes += INSTR_ROWS_PER_PAGE * sizeof(struct instr_row);
        pthread_mutex_unlock(&shard->mutex);
    }
    return bytes;
}
