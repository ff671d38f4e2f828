// Deflating and inflating whole pieces of memory (RFC 1951): with libdeflate where the build found
// it, which takes half of zlib's time, else with zlib.

#ifndef INSTR_CLI_REWRITE_DEFLATE_H
#define INSTR_CLI_REWRITE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// One per thread, because creating one costs as much as deflating a class. All zero at first.
struct cli_deflater {
    void *deflater, *inflater;
};
void cli_deflater_free(struct cli_deflater *deflater);

// Deflates into memory from malloc. -1: out of memory.
int cli_deflate(struct cli_deflater *deflater, const uint8_t *bytes, size_t length, uint8_t **out,
                size_t *out_length);

// Inflates to exactly `out_length` bytes. -1: the bytes are damaged or give another length.
int cli_inflate(struct cli_deflater *deflater, const uint8_t *bytes, size_t length, uint8_t *out,
                size_t out_length);

uint32_t cli_crc32(const uint8_t *bytes, size_t length);

#endif
