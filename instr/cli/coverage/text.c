// Names and numbers in reports.

#include "instr/cli/coverage/text.h"
#include "instr/base/utf8.h"

#include <string.h>

static const char *escaped(uint32_t c) {
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '&': return "&amp;";
    default: return NULL;
    }
}

// Characters that XML 1.0 has (section 2.2).
static int is_allowed(uint32_t c) {
    return c >= 0x20 ? c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r';
}

static int is_plain(char c) {
    return c >= ' ' && c != '<' && c != '>' && c != '"' && c != '&';
}

void cover_put_xml(struct instr_output *out, const char *text) {
    const char *end = text + strlen(text);
    while (text < end) {
        const char *plain = text;
        while (text < end && is_plain(*text)) text++;
        instr_output_bytes(out, plain, (size_t)(text - plain));
        if (text == end) return;
        char bytes[4];
        uint32_t c = instr_utf8_next(&text, end);
        if (escaped(c))
            instr_output_text(out, escaped(c));
        else
            instr_output_bytes(out, bytes,
                               instr_utf8_put(is_allowed(c) ? c : INSTR_UTF8_BAD, bytes));
    }
}

void cover_put_number(struct instr_output *out, uint64_t number) {
    char digits[20];
    size_t n = sizeof digits;
    do digits[--n] = (char)('0' + number % 10);
    while (number /= 10);
    instr_output_bytes(out, digits + n, sizeof digits - n);
}

void cover_put_attribute(struct instr_output *out, const char *name, uint64_t number) {
    instr_output_bytes(out, " ", 1);
    instr_output_text(out, name);
    instr_output_bytes(out, "=\"", 2);
    cover_put_number(out, number);
    instr_output_bytes(out, "\"", 1);
}
