// Histograms of durations with a bounded relative error.
//
// Values below 32 have a bucket each. Above, every octave (2^n .. 2^(n+1)) is divided into 32 equal
// buckets, so the middle of a bucket differs from its values by at most 1/64. An octave takes
// memory only after a value fell into it. Not thread-safe: the owner of a histogram locks it.
#ifndef INSTR_HISTOGRAM_H
#define INSTR_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTR_HISTOGRAM_SUB_BITS 5
#define INSTR_HISTOGRAM_SUB (1u << INSTR_HISTOGRAM_SUB_BITS)
// Values of 2^42 ns (73 minutes) and more share the last bucket.
#define INSTR_HISTOGRAM_MAX_BITS 42
#define INSTR_HISTOGRAM_OCTAVES (INSTR_HISTOGRAM_MAX_BITS - INSTR_HISTOGRAM_SUB_BITS + 1)
#define INSTR_HISTOGRAM_BUCKETS (INSTR_HISTOGRAM_OCTAVES * INSTR_HISTOGRAM_SUB)

// A histogram that is all zero is empty. The fields are private; they are here for the inline add.
struct instr_histogram {
    uint32_t *counts; // 32 counters for each octave in use; before them is what is in histogram.c
    uint8_t place[INSTR_HISTOGRAM_OCTAVES]; // 1 + index of the octave's counters / 32; 0: unused
    uint8_t octaves;                        // in use
};

// The number of low bits of a value that do not matter. It is 0 in the first octave, whose buckets
// follow those of the values below it.
static inline unsigned instr_histogram_shift(uint64_t value) {
    return (63u ^ (unsigned)__builtin_clzll(value | INSTR_HISTOGRAM_SUB)) -
           INSTR_HISTOGRAM_SUB_BITS;
}

// The bucket (0 .. INSTR_HISTOGRAM_BUCKETS-1) that counts `value`.
static inline unsigned instr_histogram_bucket(uint64_t value) {
    const uint64_t last = (UINT64_C(1) << INSTR_HISTOGRAM_MAX_BITS) - 1;
    if (value > last) value = last;
    unsigned shift = instr_histogram_shift(value);
    return shift * INSTR_HISTOGRAM_SUB + (unsigned)(value >> shift);
}

// The value in the middle of a bucket.
uint64_t instr_histogram_middle(unsigned bucket);

// Completes an add to a bucket whose octave is unused, or whose counter has just overflowed to 0.
bool instr_histogram_add_slowly(struct instr_histogram *histogram, unsigned bucket);

// Counts `value`, which is below 2^INSTR_HISTOGRAM_MAX_BITS. False: out of memory, nothing changed.
static inline bool instr_histogram_add_usual(struct instr_histogram *histogram, uint64_t value) {
    unsigned shift = instr_histogram_shift(value);
    uint64_t scaled = value >> shift; // the octave is 1 more than the shift where this has bit 5
    size_t place = histogram->place[shift + (scaled >> INSTR_HISTOGRAM_SUB_BITS)];
    size_t i = place * INSTR_HISTOGRAM_SUB + scaled % INSTR_HISTOGRAM_SUB;
    if (place != 0 && ++histogram->counts[i - INSTR_HISTOGRAM_SUB] != 0) return true;
    return instr_histogram_add_slowly(histogram, instr_histogram_bucket(value));
}

// Counts any value.
static inline bool instr_histogram_add(struct instr_histogram *histogram, uint64_t value) {
    const uint64_t last = (UINT64_C(1) << INSTR_HISTOGRAM_MAX_BITS) - 1;
    return instr_histogram_add_usual(histogram, value > last ? last : value);
}

// Counts any value `n` times. False: out of memory, some may be missing.
bool instr_histogram_add_many(struct instr_histogram *histogram, uint64_t value, uint32_t n);

// Adds the counts to `buckets`, an array of INSTR_HISTOGRAM_BUCKETS counters.
void instr_histogram_sum(const struct instr_histogram *histogram, uint64_t *buckets);

// The value at or below which `percent` (0 .. 100) of the counted values lie (nearest rank): the
// middle of its bucket, clamped to [min, max]. 0 if nothing was counted.
uint64_t instr_histogram_percentile(const uint64_t *buckets, unsigned percent, uint64_t min,
                                    uint64_t max);

// The bytes of memory in use.
size_t instr_histogram_bytes(const struct instr_histogram *histogram);

// Frees the counters; the histogram is then empty.
void instr_histogram_clear(struct instr_histogram *histogram);

#endif
