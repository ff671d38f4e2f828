// Errors as values.

#include "classfile/error.h"

#include <stdio.h>

enum cf_status cf_fail(struct cf_error *error, enum cf_status status, uint32_t offset,
                       const char *reason, uint32_t value) {
    if (error->status == CF_OK) {
        error->status = status;
        error->offset = offset;
        error->reason = reason;
        error->value = value;
        error->at_pc = 0;
        error->snippet = 0;
    }
    return status;
}

// The reason's one %u is replaced here, by hand: a reason never reaches printf as a format.
static size_t put_reason(const struct cf_error *error, char *text, size_t size) {
    const char *reason = error->reason ? error->reason : "unknown reason";
    size_t n = 0;
    for (const char *c = reason; *c && n + 1 < size; c++) {
        if (c[0] == '%' && c[1] == 'u') {
            int w = snprintf(text + n, size - n, "%u", error->value);
            n += w > 0 ? (size_t)w : 0;
            if (n >= size) n = size - 1;
            c++;
        } else {
            text[n++] = *c;
        }
    }
    text[n] = '\0';
    return n;
}

char *cf_error_text(const struct cf_error *error, char *text, size_t size) {
    if (size == 0) return text;
    size_t n = put_reason(error, text, size);
    const char *place = error->at_pc ? "pc" : "offset";
    if (error->snippet)
        snprintf(text + n, size - n, " (snippet %u, %s %u)", error->snippet,
                 error->at_pc ? "at pc" : "byte", error->offset);
    else if ((error->status == CF_MISUSE || error->status == CF_UNSUPPORTED) && !error->at_pc &&
             !error->offset)
        return text; // what a pass says of itself, or of the class, has no place in the file
    else if (error->status != CF_NO_MEMORY && error->status != CF_LIMIT)
        snprintf(text + n, size - n, " (at %s %u)", place, error->offset);
    return text;
}
