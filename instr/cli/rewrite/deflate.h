// Deflating and inflating whole pieces of memory (RFC 1951): with libdeflate where the build found
// it, which takes half of zlib's time, else with zlib.

#ifndef INSTR_CLI_REWRITE_DEFLATE_H
#define INSTR_CLI_REWRITE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// A thread's own: to set one up costs as much as to deflate a class. All zero is a fresh one.
struct cli_deflater {
    void *deflater, *inflater;
};
void cli_deflater_free(struct cli_deflater *deflater);

// Deflates into memory from malloc. -1: out of memory.
int cli_deflate(struct cli_deflater *deflater, const uint8_t *bytes, size_t length, uint8_t **out,
                size_t *out_length);

// Inflates to exactly `out_length` bytes. -1: these bytes do not give so many.
int cli_inflate(struct cli_deflater *deflater, const uint8_t *bytes, size_t length, uint8_t *out,
                size_t out_length);

uint32_t cli_crc32(const uint8_t *bytes, size_t length);

#endif
