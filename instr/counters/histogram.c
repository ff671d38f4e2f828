#include "instr/counters/histogram.h"

#include <stdlib.h>
#include <string.h>

uint64_t instr_histogram_middle(unsigned bucket) {
    if (bucket < INSTR_HISTOGRAM_SUB) return bucket;
    unsigned shift = bucket / INSTR_HISTOGRAM_SUB - 1;
    uint64_t low = (uint64_t)(INSTR_HISTOGRAM_SUB + bucket % INSTR_HISTOGRAM_SUB) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

// Counters, and before them how often each overflowed (NULL: none did). Aligned to a cache line, since
// different threads may write to adjacent histograms.
struct counters {
    _Alignas(64) uint32_t *carries;
    _Alignas(64) uint32_t counts[];
};

static struct counters *counters_of(uint32_t *counts) {
    return counts == NULL
               ? NULL
               : (struct counters *)(void *)((char *)counts - offsetof(struct counters, counts));
}

static uint32_t **carries_of(const struct instr_histogram *histogram) {
    return &counters_of(histogram->counts)->carries;
}

static void free_counts(uint32_t *counts) {
    free(counters_of(counts));
}

// Allocates counters for `octaves` octaves and copies the first ones from `old`. NULL: out of memory.
static uint32_t *larger(const uint32_t *old, size_t used, size_t octaves) {
    const size_t octave = INSTR_HISTOGRAM_SUB * sizeof *old;
    struct counters *all = aligned_alloc(64, sizeof *all + octaves * octave);
    if (all == NULL) return NULL;
    memset(all, 0, sizeof *all + octaves * octave);
    if (old != NULL) memcpy(all->counts, old, used * octave);
    return all->counts;
}

static bool add_octave(struct instr_histogram *histogram, unsigned octave) {
    size_t used = histogram->octaves;
    uint32_t *carries = NULL, *counts = larger(histogram->counts, used, used + 1);
    if (counts == NULL) return false;
    if (used && *carries_of(histogram) != NULL) {
        if ((carries = larger(*carries_of(histogram), used, used + 1)) == NULL) {
            free_counts(counts);
            return false;
        }
        free_counts(*carries_of(histogram));
    }
    free_counts(histogram->counts);
    histogram->counts = counts;
    *carries_of(histogram) = carries;
    histogram->place[octave] = ++histogram->octaves;
    return true;
}

bool instr_histogram_add_slowly(struct instr_histogram *histogram, unsigned bucket) {
    unsigned octave = bucket / INSTR_HISTOGRAM_SUB;
    bool carry = histogram->place[octave] != 0;
    if (!carry && !add_octave(histogram, octave)) return false;
    size_t i = (histogram->place[octave] - 1u) * INSTR_HISTOGRAM_SUB + bucket % INSTR_HISTOGRAM_SUB;
    if (!carry) {
        histogram->counts[i] = 1;
        return true;
    }
    uint32_t **carries = carries_of(histogram);
    if (*carries == NULL) *carries = larger(NULL, 0, histogram->octaves);
    if (*carries == NULL) {
        histogram->counts[i] = UINT32_MAX;
        return false;
    }
    (*carries)[i]++;
    return true;
}

bool instr_histogram_add_many(struct instr_histogram *histogram, uint64_t value, uint32_t n) {
    if (n == 0) return true;
    if (!instr_histogram_add(histogram, value)) return false; // it has memory now
    unsigned bucket = instr_histogram_bucket(value), octave = bucket / INSTR_HISTOGRAM_SUB;
    size_t i = (histogram->place[octave] - 1u) * INSTR_HISTOGRAM_SUB + bucket % INSTR_HISTOGRAM_SUB;
    histogram->counts[i] += n - 1;
    return histogram->counts[i] >= n - 1 || instr_histogram_add_slowly(histogram, bucket);
}

void instr_histogram_sum(const struct instr_histogram *histogram, uint64_t *buckets) {
    if (!histogram->octaves) return;
    const uint32_t *carries = *carries_of(histogram);
    for (unsigned octave = 0; octave < INSTR_HISTOGRAM_OCTAVES; octave++) {
        if (histogram->place[octave] == 0) continue;
        size_t from = (histogram->place[octave] - 1u) * INSTR_HISTOGRAM_SUB;
        uint64_t *to = buckets + octave * INSTR_HISTOGRAM_SUB;
        for (unsigned i = 0; i < INSTR_HISTOGRAM_SUB; i++) {
            to[i] += histogram->counts[from + i];
            if (carries != NULL) to[i] += (uint64_t)carries[from + i] << 32;
        }
    }
}

uint64_t instr_histogram_percentile(const uint64_t *buckets, unsigned percent, uint64_t min,
                                    uint64_t max) {
    uint64_t total = 0;
    for (unsigned i = 0; i < INSTR_HISTOGRAM_BUCKETS; i++) total += buckets[i];
    if (total == 0) return 0;
    // ceil(total * percent / 100), in two parts because total * percent may overflow
    uint64_t rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
    if (rank == 0) rank = 1;
    unsigned bucket = 0;
    for (uint64_t seen = buckets[0]; seen < rank; seen += buckets[bucket]) bucket++;
    uint64_t value = instr_histogram_middle(bucket);
    if (value < min) return min;
    return value > max ? max : value;
}

size_t instr_histogram_bytes(const struct instr_histogram *histogram) {
    if (!histogram->octaves) return 0;
    size_t array = sizeof(struct counters) +
                   histogram->octaves * INSTR_HISTOGRAM_SUB * sizeof *histogram->counts;
    return *carries_of(histogram) != NULL ? 2 * array : array;
}

void instr_histogram_clear(struct instr_histogram *histogram) {
    if (histogram->octaves) free_counts(*carries_of(histogram));
    free_counts(histogram->counts);
    memset(histogram, 0, sizeof *histogram);
}
