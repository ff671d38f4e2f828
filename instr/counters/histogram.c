#include "instr/counters/histogram.h"

#include <stdlib.h>
#include <string.h>

uint64_t instr_histogram_middle(unsigned bucket) {
    if (bucket < INSTR_HISTOGRAM_SUB) return bucket;
    unsigned shift = bucket / INSTR_HISTOGRAM_SUB - 1;
    uint64_t low = (uint64_t)(INSTR_HISTOGRAM_SUB + bucket % INSTR_HISTOGRAM_SUB) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

// Allocates counters for `octaves` octaves and copies the first ones from `old`. NULL: out of
// memory. Aligned to a cache line, since different threads may write to adjacent histograms.
static uint32_t *larger(const uint32_t *old, size_t used, size_t octaves) {
    const size_t octave = INSTR_HISTOGRAM_SUB * sizeof *old;
    uint32_t *counts = aligned_alloc(64, octaves * octave);
    if (counts == NULL) return NULL;
    memset(counts, 0, octaves * octave);
    if (old != NULL) memcpy(counts, old, used * octave);
    return counts;
}

static bool add_octave(struct instr_histogram *histogram, unsigned octave) {
    size_t used = histogram->octaves;
    uint32_t *carries = NULL, *counts = larger(histogram->counts, used, used + 1);
    if (counts == NULL) return false;
    if (histogram->carries != NULL) {
        if ((carries = larger(histogram->carries, used, used + 1)) == NULL) {
            free(counts);
            return false;
        }
    }
    free(histogram->counts);
    free(histogram->carries);
    histogram->counts = counts;
    histogram->carries = carries;
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
    if (histogram->carries == NULL) histogram->carries = larger(NULL, 0, histogram->octaves);
    if (histogram->carries == NULL) {
        histogram->counts[i] = UINT32_MAX;
        return false;
    }
    histogram->carries[i]++;
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
    for (unsigned octave = 0; octave < INSTR_HISTOGRAM_OCTAVES; octave++) {
        if (histogram->place[octave] == 0) continue;
        size_t from = (histogram->place[octave] - 1u) * INSTR_HISTOGRAM_SUB;
        uint64_t *to = buckets + octave * INSTR_HISTOGRAM_SUB;
        for (unsigned i = 0; i < INSTR_HISTOGRAM_SUB; i++) {
            to[i] += histogram->counts[from + i];
            if (histogram->carries != NULL) to[i] += (uint64_t)histogram->carries[from + i] << 32;
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
    size_t array = histogram->octaves * INSTR_HISTOGRAM_SUB * sizeof *histogram->counts;
    return histogram->carries != NULL ? 2 * array : array;
}

void instr_histogram_clear(struct instr_histogram *histogram) {
    free(histogram->counts);
    free(histogram->carries);
    memset(histogram, 0, sizeof *histogram);
}
