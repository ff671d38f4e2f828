#include "instr/kit/template.h"

#include <string.h>

size_t instr_kit_expand(const char *template_text, const char *package, char *text, size_t size) {
    size_t n = 0, package_length = strlen(package);
    for (const char *c = template_text; *c; c++) {
        bool here = *c == INSTR_KIT_PACKAGE[0];
        const char *part = here ? package : c;
        for (size_t i = 0; i < (here ? package_length : 1); i++, n++)
            if (n + 1 < size) text[n] = part[i];
    }
    if (size) text[n < size ? n : size - 1] = '\0';
    return n;
}

// Copies a Utf8 constant with its package. Returns the bytes written, with `to` NULL those that would be;
// 0: the text is too long.
static size_t put_text(const uint8_t *constant, uint32_t length, const char *package,
                       size_t package_length, uint8_t *to) {
    const uint8_t *text = constant + 3;
    size_t n = 3;
    for (uint32_t i = 0; i < length; i++) {
        bool here = text[i] == (uint8_t)INSTR_KIT_PACKAGE[0];
        size_t part = here ? package_length : 1;
        if (to && part) memcpy(to + n, here ? (const uint8_t *)package : text + i, part);
        n += part;
    }
    if (n - 3 > 65535) return 0;
    if (to) {
        to[0] = constant[0];
        to[1] = (uint8_t)((n - 3) >> 8);
        to[2] = (uint8_t)(n - 3);
    }
    return n;
}

// All texts, as put_text.
static size_t put_texts(const struct instr_kit_class *cls, const char *package, uint8_t *to) {
    size_t sum = 0;
    for (uint32_t at = cls->texts; at < cls->texts_end;) {
        uint32_t length = cf_be2(cls->bytes + at + 1);
        size_t n =
            put_text(cls->bytes + at, length, package, strlen(package), to ? to + sum : NULL);
        if (n == 0) return 0;
        sum += n;
        at += 3 + length;
    }
    return sum;
}

bool instr_kit_class_bytes(const struct instr_kit_class *cls, const char *package,
                           void *(*allocate)(void *context, size_t size), void *context,
                           uint8_t **bytes, size_t *length) {
    size_t texts = put_texts(cls, package, NULL), behind = cls->length - cls->texts_end;
    if (texts == 0 && cls->texts != cls->texts_end) return false;
    uint8_t *to = allocate(context, cls->texts + texts + behind);
    if (!to) return false;
    memcpy(to, cls->bytes, cls->texts);
    put_texts(cls, package, to + cls->texts);
    memcpy(to + cls->texts + texts, cls->bytes + cls->texts_end, behind);
    *bytes = to;
    *length = cls->texts + texts + behind;
    return true;
}
