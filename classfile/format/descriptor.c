// Descriptors (JVMS 4.3) and their slots.

#include "classfile/classfile.h"

// Eight bytes, the first one lowest.
static inline uint64_t little_endian8(const uint8_t *p) {
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) v |= (uint64_t)p[i] << 8 * i;
    return v;
}

// The lowest bit set in the result is in the lowest byte of `v` that is 0.
static inline uint64_t zero_bytes(uint64_t v) {
    return (v - 0x0101010101010101u) & ~v & 0x8080808080808080u;
}

// Slots by the first letter of a type; 0: no type begins with it. Arrays and classes need more
// checks.
static const uint8_t letter_slots[256] = {['B'] = 1, ['C'] = 1, ['D'] = 2, ['F'] = 1, ['I'] = 1,
                                          ['J'] = 2, ['S'] = 1, ['Z'] = 1, ['L'] = 1, ['['] = 1};

// The position behind the first semicolon from `p` on; NULL: none. Reads eight bytes at a time:
// class names are long and of many lengths, so that a loop over bytes is badly predicted.
static inline const uint8_t *after_semicolon(const uint8_t *p, const uint8_t *end) {
    for (; end - p >= 8; p += 8) {
        uint64_t found = zero_bytes(little_endian8(p) ^ 0x3b3b3b3b3b3b3b3bu);
        if (found) return p + (__builtin_ctzll(found) >> 3) + 1;
    }
    while (p < end)
        if (*p++ == ';') return p;
    return NULL;
}

const uint8_t *cf_after_type(const uint8_t *p, const uint8_t *end) {
    uint32_t dimensions = 0;
    for (; *p == '['; dimensions++)
        if (++p >= end || dimensions >= 255) return NULL;
    if (*p != 'L') return letter_slots[*p] ? p + 1 : NULL;
    const uint8_t *after = after_semicolon(p, end);
    return after && after > p + 2 ? after : NULL;
}

uint32_t cf_field_type_length(const uint8_t *bytes, uint32_t length) {
    const uint8_t *after = length ? cf_after_type(bytes, bytes + length) : NULL;
    return after ? (uint32_t)(after - bytes) : 0;
}

static inline const uint8_t *after_type(const uint8_t *p, const uint8_t *end) {
    return *p == 'L' || *p == '[' ? cf_after_type(p, end) : p + 1;
}

// Adds up the slots of the parameters. Returns the position of the result; NULL: malformed.
static inline const uint8_t *add_parameters(struct cf_slice d, unsigned *result) {
    if (!d.bytes || d.length < 3 || d.bytes[0] != '(') return NULL;
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    unsigned slots = 0;
    while (*p != ')') {
        unsigned more = letter_slots[*p];
        slots += more;
        p = more ? after_type(p, end) : NULL;
        if (!p || p >= end) return NULL;
    }
    *result = slots;
    return slots > 255 || ++p >= end ? NULL : p;
}

int cf_method_slots(struct cf_slice d, unsigned *parameters, unsigned *result) {
    const uint8_t *p = add_parameters(d, parameters);
    if (!p) return 0;
    const uint8_t *end = d.bytes + d.length;
    *result = letter_slots[*p];
    if (*result == 0) return *p == 'V' && end - p == 1;
    return after_type(p, end) == end;
}

struct cf_slice cf_result_type(struct cf_slice d) {
    struct cf_slice result = {NULL, 0};
    unsigned parameters;
    result.bytes = add_parameters(d, &parameters);
    if (result.bytes) result.length = (uint32_t)(d.bytes + d.length - result.bytes);
    return result;
}

int cf_descriptor_effect(struct cf_slice d, int *effect) {
    unsigned parameters = 0;
    const uint8_t *p = d.bytes;
    if (!d.length) return 0;
    if (*p == '(' && !(p = add_parameters(d, &parameters))) return 0;
    *effect = (int)letter_slots[*p] - (int)parameters;
    return letter_slots[*p] || (*p == 'V' && p > d.bytes);
}

enum { FORBIDDEN = 1, SLASH = 2 }; // letters that matter in the names of classes

static const uint8_t letter_kinds[256] = {
    ['.'] = FORBIDDEN, [';'] = FORBIDDEN, ['['] = FORBIDDEN, ['/'] = SLASH};

// JVMS 4.2.1: segments divided by slashes, none of them empty. What a segment may hold was narrower
// before version 49; that is not checked.
static int is_internal_name(const uint8_t *p, const uint8_t *end) {
    unsigned before = SLASH, bad = 0;
    for (; p < end; p++) {
        unsigned kind = letter_kinds[*p];
        bad |= (kind & FORBIDDEN) | (kind & before & SLASH);
        before = kind;
    }
    return !bad && !(before & SLASH);
}

int cf_descriptor_names_classes(struct cf_slice d) {
    const uint8_t *p = d.bytes, *end = p + d.length;
    while (p < end) {
        if (*p++ != 'L') continue;
        const uint8_t *name = p;
        p = after_semicolon(p, end);
        if (!p || !is_internal_name(name, p - 1)) return 0;
    }
    return 1;
}

int cf_is_class_name(struct cf_slice name) {
    if (!name.length || *name.bytes != '[')
        return is_internal_name(name.bytes, name.bytes + name.length);
    return cf_field_slots(name) && cf_descriptor_names_classes(name);
}

unsigned cf_field_slots(struct cf_slice d) {
    if (!d.bytes || !d.length || cf_field_type_length(d.bytes, d.length) != d.length) return 0;
    return d.bytes[0] == 'J' || d.bytes[0] == 'D' ? 2 : 1;
}
