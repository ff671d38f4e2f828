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
    if (!d.bytes || cf_field_type_length(d.bytes, d.length) != d.length) return 0;
    return d.bytes[0] == 'J' || d.bytes[0] == 'D' ? 2 : 1;
}

int cf_method_slots(struct cf_slice d, unsigned *parameters, unsigned *result) {
    if (!d.bytes || d.length < 3 || d.bytes[0] != '(') return 0;
    uint32_t i = 1;
    unsigned slots = 0;
    while (i < d.length && d.bytes[i] != ')') {
        uint32_t n = cf_field_type_length(d.bytes + i, d.length - i);
        if (n == 0) return 0;
        slots += d.bytes[i] == 'J' || d.bytes[i] == 'D' ? 2 : 1;
        i += n;
    }
    if (slots > 255 || i + 1 >= d.length) return 0;
    *parameters = slots;
    struct cf_slice type = {d.bytes + i + 1, d.length - i - 1};
    if (type.length == 1 && type.bytes[0] == 'V') {
        *result = 0;
        return 1;
    }
    *result = cf_field_slots(type);
    return *result != 0;
}
