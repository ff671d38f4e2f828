// histogram.c: see histogram.h
#include "instr/histogram.h"

#include <stdlib.h>
#include <string.h>

uint64_t instr_histogram_middle(unsigned bucket) {
    if (bucket < INSTR_HISTOGRAM_SUB) return bucket;
    unsigned shift = bucket / INSTR_HISTOGRAM_SUB - 1;
    uint64_t low = (uint64_t)(INSTR_HISTOGRAM_SUB + bucket % INSTR_HISTOGRAM_SUB) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

// Makes room for so many octaves of counters of that width. Aligned to a cache line, because
// histograms that different threads write may lie side by side.
static bool reallocate(struct instr_histogram *histogram, unsigned octaves, bool wide) {
    size_t width = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t used = histogram->octaves * INSTR_HISTOGRAM_SUB, size = octaves * INSTR_HISTOGRAM_SUB;
    void *counts = aligned_alloc(64, size * width);
    if (counts == NULL) return false;
    memset(counts, 0, size * width);
    if (wide == histogram->is_wide && used != 0) {
        memcpy(counts, histogram->counts.narrow, used * width);
    } else {
        uint64_t *to = counts;
        for (size_t i = 0; i < used; i++) to[i] = histogram->counts.narrow[i];
    }
    free(histogram->counts.narrow);
    histogram->counts.narrow = counts;
    histogram->is_wide = wide;
    return true;
}

static bool add_octave(struct instr_histogram *histogram, unsigned octave) {
    if (!reallocate(histogram, histogram->octaves + 1u, histogram->is_wide)) return false;
    histogram->place[octave] = ++histogram->octaves;
    return true;
}

bool instr_histogram_add_slowly(struct instr_histogram *histogram, unsigned bucket) {
    unsigned octave = bucket / INSTR_HISTOGRAM_SUB;
    if (histogram->place[octave] == 0 && !add_octave(histogram, octave)) return false;
    size_t i = (histogram->place[octave] - 1u) * INSTR_HISTOGRAM_SUB + bucket % INSTR_HISTOGRAM_SUB;
    if (!histogram->is_wide) {
        if (histogram->counts.narrow[i] != UINT32_MAX) {
            ++histogram->counts.narrow[i];
            return true;
        }
        if (!reallocate(histogram, histogram->octaves, true)) return false;
    }
    ++histogram->counts.wide[i];
    return true;
}

void instr_histogram_sum(const struct instr_histogram *histogram, uint64_t *buckets) {
    for (unsigned octave = 0; octave < INSTR_HISTOGRAM_OCTAVES; octave++) {
        if (histogram->place[octave] == 0) continue;
        size_t from = (histogram->place[octave] - 1u) * INSTR_HISTOGRAM_SUB;
        uint64_t *to = buckets + octave * INSTR_HISTOGRAM_SUB;
        for (unsigned i = 0; i < INSTR_HISTOGRAM_SUB; i++)
            to[i] += histogram->is_wide ? histogram->counts.wide[from + i]
                                        : histogram->counts.narrow[from + i];
    }
}

uint64_t instr_histogram_percentile(const uint64_t *buckets, unsigned percent, uint64_t min,
                                    uint64_t max) {
    uint64_t total = 0;
    for (unsigned i = 0; i < INSTR_HISTOGRAM_BUCKETS; i++) total += buckets[i];
    if (total == 0) return 0;
    // ceil(total * percent / 100), in parts, as total * percent may overflow
    uint64_t rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
    if (rank == 0) rank = 1;
    unsigned bucket = 0;
    for (uint64_t seen = buckets[0]; seen < rank; seen += buckets[bucket]) bucket++;
    uint64_t value = instr_histogram_middle(bucket);
    if (value < min) return min;
    return value > max ? max : value;
}

void instr_histogram_clear(struct instr_histogram *histogram) {
    free(histogram->counts.narrow);
    memset(histogram, 0, sizeof *histogram);
}
