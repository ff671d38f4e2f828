// Descriptors (JVMS 4.3): how many slots they stand for.

#include "classfile/classfile.h"

uint32_t cf_field_type_length(const uint8_t *bytes, uint32_t length) {
    uint32_t i = 0;
    while (i < length && bytes[i] == '[') i++;
    if (i == length || i > 255) return 0;
    switch (bytes[i]) {
    case 'B': case 'C': case 'D': case 'F': case 'I': case 'J': case 'S': case 'Z': return i + 1;
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

int cf_method_slots(struct cf_slice d, unsigned *parameters, unsigned *result) {
    const uint8_t *p = d.bytes, *end = p + d.length;
    if (!p || d.length < 3 || *p++ != '(') return 0;
    unsigned slots = 0;
    while (*p != ')') {
        unsigned more = letter_slots[*p];
        if (!more) return 0;
        slots += more;
        if (*p == 'L' || *p == '[') {
            uint32_t n = cf_field_type_length(p, (uint32_t)(end - p));
            if (n == 0) return 0;
            p += n;
        } else {
            p++;
        }
        if (p >= end) return 0;
    }
    if (slots > 255 || ++p >= end) return 0;
    *parameters = slots;
    if (*p == 'V' && end - p == 1) {
        *result = 0;
        return 1;
    }
    struct cf_slice type = {p, (uint32_t)(end - p)};
    *result = cf_field_slots(type);
    return *result != 0;
}
