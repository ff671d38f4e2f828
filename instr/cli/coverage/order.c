// The order of java.util.HashMap.

#include "instr/cli/coverage/order.h"

#include <stdlib.h>

// A character of modified UTF-8 is one of UTF-16, of one, two or three bytes.
uint32_t cover_java_hash(uint32_t hash, const char *text) {
    for (const uint8_t *p = (const uint8_t *)text; *p; p++) {
        uint32_t c = *p;
        if (c >= 0xE0 && p[1] && p[2]) {
            c = (c & 0xF) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
            p += 2;
        } else if (c >= 0xC0 && p[1]) {
            c = (c & 0x1F) << 6 | (p[1] & 0x3Fu);
            p++;
        }
        hash = hash * 31 + c;
    }
    return hash;
}

static uint32_t spread(uint32_t hash) {
    return hash ^ hash >> 16;
}

enum { SMALLEST = 16, SMALLEST_WITH_TREES = 64, MOST_IN_A_LIST = 8 };

static size_t *count_buckets(const uint32_t *hashes, size_t count, size_t buckets) {
    size_t *sizes = calloc(buckets + 1, sizeof *sizes);
    for (size_t i = 0; sizes && i < count; i++) sizes[spread(hashes[i]) & (buckets - 1)]++;
    return sizes;
}

// The number of buckets after all keys were put. It doubles when they are three quarters full. While
// it is small, it doubles also when a bucket would get its ninth key. 0: out of memory.
static size_t find_buckets(const uint32_t *hashes, size_t count) {
    size_t buckets = SMALLEST;
    size_t *sizes = count_buckets(hashes, 0, buckets);
    for (size_t i = 0; sizes && i < count && buckets < SMALLEST_WITH_TREES; i++) {
        size_t *size = &sizes[spread(hashes[i]) & (buckets - 1)];
        int doubles = (*size)++ >= MOST_IN_A_LIST;
        if (i + 1 > buckets / 4 * 3) doubles++;
        if (!doubles) continue;
        buckets <<= doubles;
        free(sizes);
        sizes = count_buckets(hashes, i + 1, buckets);
    }
    if (!sizes) return 0;
    free(sizes);
    while (count > buckets / 4 * 3) buckets *= 2;
    return buckets;
}

int cover_java_order(const uint32_t *hashes, size_t count, uint32_t *order) {
    size_t buckets = find_buckets(hashes, count);
    size_t *next = buckets ? count_buckets(hashes, count, buckets) : NULL;
    if (!next) return -1;
    for (size_t b = 0, start = 0; b < buckets; b++) {
        size_t size = next[b];
        next[b] = start;
        start += size;
    }
    for (size_t i = 0; i < count; i++)
        order[next[spread(hashes[i]) & (buckets - 1)]++] = (uint32_t)i;
    free(next);
    return 0;
}
