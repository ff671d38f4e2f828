#include "instr/base/utf8.h"

static uint32_t tail(const unsigned char *s, size_t i) {
    return s[i] & 0x3Fu;
}

static int is_tail(const unsigned char *s, size_t length, size_t i) {
    return i < length && (s[i] & 0xC0) == 0x80;
}

// A character of three bytes at `s`, 0 if there is none. It may be a surrogate.
static uint32_t three(const unsigned char *s, size_t length) {
    if (length < 3 || (s[0] & 0xF0) != 0xE0 || !is_tail(s, length, 1) || !is_tail(s, length, 2))
        return 0;
    uint32_t c = (s[0] & 0x0Fu) << 12 | tail(s, 1) << 6 | tail(s, 2);
    return c >= 0x800 ? c : 0;
}

// A character of four bytes at `s`, 0 if there is none.
static uint32_t four(const unsigned char *s, size_t length) {
    if ((s[0] & 0xF8) != 0xF0 || !is_tail(s, length, 1) || !is_tail(s, length, 2) ||
        !is_tail(s, length, 3))
        return 0;
    uint32_t c = (s[0] & 0x07u) << 18 | tail(s, 1) << 12 | tail(s, 2) << 6 | tail(s, 3);
    return c >= 0x10000 && c <= 0x10FFFF ? c : 0;
}

static uint32_t decode(const unsigned char *s, size_t length, size_t *taken) {
    *taken = 1;
    if (s[0] < 0x80) return s[0];
    if ((s[0] & 0xE0) == 0xC0 && is_tail(s, length, 1)) {
        uint32_t c = (s[0] & 0x1Fu) << 6 | tail(s, 1);
        if (c != 0 && c < 0x80) return INSTR_UTF8_BAD;
        *taken = 2;
        return c; // modified UTF-8 encodes 0 as C0 80
    }
    uint32_t c = four(s, length);
    if (c) {
        *taken = 4;
        return c;
    }
    c = three(s, length);
    if (!c) return INSTR_UTF8_BAD;
    *taken = 3;
    if ((c & 0xF800) != 0xD800) return c;
    uint32_t low = c < 0xDC00 ? three(s + 3, length - 3) : 0; // modified UTF-8: a pair
    if ((low & 0xFC00) != 0xDC00) return INSTR_UTF8_BAD;
    *taken = 6;
    return 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
}

uint32_t instr_utf8_next(const char **text, const char *end) {
    size_t taken;
    uint32_t c = decode((const unsigned char *)*text, (size_t)(end - *text), &taken);
    *text += taken;
    return c;
}

size_t instr_utf8_put(uint32_t c, char bytes[4]) {
    if (c < 0x80) {
        bytes[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    bytes[0] = (char)(lead[n] | c);
    return n;
}

unsigned instr_utf8_columns(uint32_t character) {
    static const uint32_t wide[][2] = {
        {0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE10, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
        {0x16FE0, 0x1B2FF}, {0x1F000, 0x1FAFF}, {0x20000, 0x3FFFF},
    };
    for (size_t i = 0; i < sizeof wide / sizeof *wide && wide[i][0] <= character; i++)
        if (character <= wide[i][1]) return 2;
    return 1;
}
