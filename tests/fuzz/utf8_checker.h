// UTF-8 byte by byte, by the table of RFC 3629 section 4, for the judgement of what is printed:
// shares nothing with the product's own code.

#ifndef TESTS_UTF8_CHECKER_H
#define TESTS_UTF8_CHECKER_H

#include <stdint.h>

struct utf8_checker {
    unsigned missing;  // bytes still to come of the character begun
    uint8_t low, high; // what the next of them may be
};

// 0: the byte cannot stand here, or is a control character other than a line feed.
static inline int utf8_checker_take(struct utf8_checker *c, uint8_t byte) {
    if (c->missing) {
        if (byte < c->low || byte > c->high) return 0;
        c->missing--;
        c->low = 0x80;
        c->high = 0xBF;
        return 1;
    }
    if (byte < 0x80) return byte == '\n' || (byte >= 0x20 && byte != 0x7F);
    if (byte < 0xC2 || byte > 0xF4) return 0;
    c->missing = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    c->low = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    c->high = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
    return 1;
}

#endif
