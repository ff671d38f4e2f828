// The order in which java.util.HashMap gives its keys, which is the order of JaCoCo's reports: by
// bucket, and within a bucket as they were put in.

#ifndef INSTR_CLI_COVERAGE_ORDER_H
#define INSTR_CLI_COVERAGE_ORDER_H

#include <stddef.h>
#include <stdint.h>

// String.hashCode of modified UTF-8; `hash` is that of the text before it, or 0.
uint32_t cover_java_hash(uint32_t hash, const char *text);

// Writes the numbers 0 .. count-1 to `order` as a map gives them in which keys with these hash codes
// were put one after the other. Returns 0; -1: out of memory.
int cover_java_order(const uint32_t *hashes, size_t count, uint32_t *order);

#endif
