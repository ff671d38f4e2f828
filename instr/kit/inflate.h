// inflate.h: inflates deflated bytes (RFC 1951), whatever they are, with no memory but the stack

#ifndef INSTR_KIT_INFLATE_H
#define INSTR_KIT_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Inflates `length` bytes to exactly `size` bytes at `to`. Returns false if they are malformed, end early,
// give another number of bytes, or go on behind the last block.
bool instr_inflate(const uint8_t *bytes, size_t length, uint8_t *to, size_t size);

// CRC-32 as in zip archives.
uint32_t instr_crc32(const uint8_t *bytes, size_t length);

#endif
