// Deflating and inflating.
//
// The lowest level takes a third of the time of the default one, and makes classes 4 % larger.

#include "instr/cli/rewrite/deflate.h"

#include <stdlib.h>

enum { LEVEL = 1 };

#ifdef INSTR_HAS_LIBDEFLATE

#include <libdeflate.h>

int cli_deflate(struct cli_deflater *d, const uint8_t *bytes, size_t length, uint8_t **out,
                size_t *out_length) {
    if (!d->deflater) d->deflater = libdeflate_alloc_compressor(LEVEL);
    if (!d->deflater) return -1;
    size_t most = libdeflate_deflate_compress_bound(d->deflater, length);
    *out = malloc(most);
    if (!*out) return -1;
    *out_length = libdeflate_deflate_compress(d->deflater, bytes, length, *out, most);
    if (*out_length > 0) return 0;
    free(*out);
    return -1;
}

int cli_inflate(struct cli_deflater *d, const uint8_t *bytes, size_t length, uint8_t *out,
                size_t out_length) {
    if (!d->inflater) d->inflater = libdeflate_alloc_decompressor();
    // NULL: the length must be exactly out_length.
    return d->inflater && libdeflate_deflate_decompress(d->inflater, bytes, length, out, out_length,
                                                        NULL) == LIBDEFLATE_SUCCESS
               ? 0
               : -1;
}

uint32_t cli_crc32(const uint8_t *bytes, size_t length) {
    return libdeflate_crc32(0, bytes, length);
}

void cli_deflater_free(struct cli_deflater *d) {
    if (d->deflater) libdeflate_free_compressor(d->deflater);
    if (d->inflater) libdeflate_free_decompressor(d->inflater);
    d->deflater = d->inflater = NULL;
}

#else

#include <limits.h>
#include <zlib.h>

static void set(z_stream *stream, const uint8_t *in, size_t in_length, uint8_t *out,
                size_t out_length) {
    union { // zlib reads through a non-const pointer
        const Bytef *in;
        Bytef *next;
    } from = {.in = in};
    stream->next_in = from.next;
    stream->avail_in = (uInt)in_length;
    stream->next_out = out;
    stream->avail_out = (uInt)out_length;
}

static int start_deflate(z_stream *stream) {
    return deflateInit2(stream, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

static int start_inflate(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}

// The stream at `place`, started the first time; NULL: out of memory.
static z_stream *stream_at(void **place, int (*start)(z_stream *stream)) {
    if (*place) return *place;
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && start(stream) != Z_OK) {
        free(stream);
        stream = NULL;
    }
    return *place = stream;
}

int cli_deflate(struct cli_deflater *d, const uint8_t *bytes, size_t length, uint8_t **out,
                size_t *out_length) {
    z_stream *stream = stream_at(&d->deflater, start_deflate);
    if (!stream || deflateReset(stream) != Z_OK) return -1;
    size_t most = deflateBound(stream, length);
    *out = most > UINT_MAX ? NULL : malloc(most);
    if (!*out) return -1;
    set(stream, bytes, length, *out, most);
    int done = deflate(stream, Z_FINISH) == Z_STREAM_END;
    *out_length = most - stream->avail_out;
    if (!done) free(*out);
    return done ? 0 : -1;
}

int cli_inflate(struct cli_deflater *d, const uint8_t *bytes, size_t length, uint8_t *out,
                size_t out_length) {
    z_stream *stream = stream_at(&d->inflater, start_inflate);
    if (!stream || inflateReset(stream) != Z_OK || length > UINT_MAX || out_length > UINT_MAX)
        return -1;
    set(stream, bytes, length, out, out_length);
    return inflate(stream, Z_FINISH) == Z_STREAM_END && stream->avail_out == 0 ? 0 : -1;
}

uint32_t cli_crc32(const uint8_t *bytes, size_t length) {
    return (uint32_t)crc32_z(0, bytes, length);
}

void cli_deflater_free(struct cli_deflater *d) {
    if (d->deflater) deflateEnd(d->deflater);
    if (d->inflater) inflateEnd(d->inflater);
    free(d->deflater);
    free(d->inflater);
    d->deflater = d->inflater = NULL;
}

#endif
