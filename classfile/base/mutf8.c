// Modified UTF-8.

#include "classfile/base/mutf8.h"

static int continues(uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

uint32_t cf_mutf8_next(const uint8_t *bytes, uint32_t length, uint32_t *pos) {
    const uint8_t *p = bytes + *pos;
    uint32_t left = length - *pos;
    if (p[0] != 0 && p[0] < 0x80) {
        *pos += 1;
        return p[0];
    }
    if ((p[0] & 0xE0) == 0xC0 && left >= 2 && continues(p[1])) {
        *pos += 2;
        return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
    }
    if ((p[0] & 0xF0) == 0xE0 && left >= 3 && continues(p[1]) && continues(p[2])) {
        *pos += 3;
        return (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    }
    *pos += 1;
    return CF_MUTF8_BAD | p[0];
}

uint32_t cf_mutf8_check(const uint8_t *bytes, uint32_t length, int overlong) {
    uint32_t pos = 0;
    while (pos < length) {
        if (bytes[pos] != 0 && bytes[pos] < 0x80) { // nearly all of them
            pos++;
            continue;
        }
        uint32_t next = pos;
        uint32_t unit = cf_mutf8_next(bytes, length, &next);
        if (unit & CF_MUTF8_BAD) break;
        uint32_t smallest = next - pos == 2 ? 0x80 : 0x800;
        if (!overlong && unit != 0 && unit < smallest) break;
        if (!overlong && unit == 0 && next - pos != 2) break;
        pos = next;
    }
    return pos;
}
