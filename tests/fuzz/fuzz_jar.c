// Jars. Whatever the bytes are, the reader ends, and what it finds lies within them. The same bytes as deflated
// data: zlib finds the same.

#include "tests/fuzz/fuzz.h"

#include "instr/kit/inflate.h"
#include "instr/kit/jar.h"

#include <string.h>
#include <zlib.h>

enum { MOST_INFLATED = 1 << 16 };

static void read_all(const struct instr_jar *jar) {
    for (size_t i = 0; i < jar->count; i++) {
        const struct instr_jar_entry *e = &jar->entries[i];
        MUST(e->data <= jar->length && e->packed <= jar->length - e->data && e->name_length > 6);
        MUST(instr_jar_find(jar, e->name, e->name_length - 6u) == e);
        uint8_t *bytes = malloc(e->size + 1u);
        const char *why = instr_jar_read(jar, e, bytes);
        MUST(why || crc32(0, bytes, e->size) == e->crc);
        free(bytes);
    }
}

// What zlib makes of the bytes: the length, or -1 if they are malformed, too long, or not used up.
static long zlib_inflate(const uint8_t *data, size_t size, uint8_t *to) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size};
    z.next_out = to;
    z.avail_out = MOST_INFLATED;
    MUST(inflateInit2(&z, -15) == Z_OK);
    int status = inflate(&z, Z_FINISH);
    long length = status == Z_STREAM_END && z.avail_in == 0 ? (long)z.total_out : -1;
    inflateEnd(&z);
    return length;
}

static void check_inflate(const uint8_t *data, size_t size) {
    static uint8_t theirs[MOST_INFLATED], ours[MOST_INFLATED];
    long length = zlib_inflate(data, size, theirs);
    MUST(length < 0 || instr_inflate(data, size, ours, (size_t)length));
    MUST(length < 0 || memcmp(ours, theirs, (size_t)length) == 0);
    MUST(length < 1 || !instr_inflate(data, size, ours, (size_t)length - 1));
    if (length < 0) MUST(!instr_inflate(data, size, ours, 100));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char reason[INSTR_JAR_REASON_SIZE] = "";
    struct instr_jar jar;
    if (instr_jar_open(&jar, data, size, reason)) {
        read_all(&jar);
        instr_jar_close(&jar);
    } else {
        MUST(reason[0] && !jar.entries);
    }
    check_inflate(data, size);
    return 0;
}
