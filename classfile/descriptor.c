// Descriptors (JVMS 4.3): how many slots they stand for.

#include "classfile/classfile.h"

uint32_t cf_field_type_length(const uint8_t *bytes, uint32_t length) {
    uint32_t i = 0;
    while (i < length && bytes[i] == '[') i++;
    if (i == length || i > 255) return 0;
    switch (bytes[i]) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z': return i + 1;
    case 'L': {
        const uint8_t *semicolon = memchr(bytes + i, ';', length - i);
        if (!semicolon || semicolon == bytes + i + 1) return 0;
        return (uint32_t)(semicolon - bytes) + 1;
    }
    default: return 0;
    }
}

unsigned cf_field_slots(struct cf_slice d) {
    if (!d.bytes || !d.length || cf_field_type_length(d.bytes, d.length) != d.length) return 0;
    return d.bytes[0] == 'J' || d.bytes[0] == 'D' ? 2 : 1;
}

// Slots by the first letter of a type; 0: none begins so. Arrays and classes are looked at closer.
static const uint8_t letter_slots[256] = {['B'] = 1, ['C'] = 1, ['D'] = 2, ['F'] = 1, ['I'] = 1,
                                          ['J'] = 2, ['S'] = 1, ['Z'] = 1, ['L'] = 1, ['['] = 1};

// Where the field type at `p` ends; NULL when it is malformed.
static inline const uint8_t *after_type(const uint8_t *p, const uint8_t *end) {
    if (*p == 'L') {
        const uint8_t *semicolon = memchr(p, ';', (size_t)(end - p));
        return semicolon && semicolon > p + 1 ? semicolon + 1 : NULL;
    }
    if (*p != '[') return p + 1;
    uint32_t n = cf_field_type_length(p, (uint32_t)(end - p));
    return n ? p + n : NULL;
}

int cf_method_slots(struct cf_slice d, unsigned *parameters, unsigned *result) {
    if (!d.bytes || d.length < 3 || d.bytes[0] != '(') return 0;
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    unsigned slots = 0;
    while (*p != ')') {
        unsigned more = letter_slots[*p];
        slots += more;
        p = more ? after_type(p, end) : NULL;
        if (!p || p >= end) return 0;
    }
    if (slots > 255 || ++p >= end) return 0;
    *parameters = slots;
    *result = letter_slots[*p];
    if (*result == 0) return *p == 'V' && end - p == 1;
    return after_type(p, end) == end;
}
