#include "classfile/text.h"
#include "classfile/base/mutf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cf_text_init(struct cf_text *text, cf_text_writer *write, void *context) {
    memset(text, 0, offsetof(struct cf_text, buffer));
    text->write = write;
    text->context = context;
}

enum cf_status cf_text_flush(struct cf_text *text) {
    if (text->used && text->status == CF_OK &&
        !text->write(text->context, text->buffer, text->used))
        text->status = CF_LIMIT;
    text->used = 0;
    return text->status;
}

static void put_byte(struct cf_text *text, char byte) {
    if (text->limit && text->written >= text->limit) text->status = CF_LIMIT;
    if (text->status != CF_OK) return;
    if (text->used == sizeof text->buffer && cf_text_flush(text) != CF_OK) return;
    text->buffer[text->used++] = byte;
    text->written++;
}

// Writes a character, or a byte of one, after the pending blanks.
static void put_exactly(struct cf_text *text, char byte) {
    if (text->column == 0) text->column = text->blanks = text->indent;
    for (; text->blanks; text->blanks--) put_byte(text, ' ');
    put_byte(text, byte);
    if (((uint8_t)byte & 0xC0) != 0x80) text->column++;
}

// Blanks are held back until something follows, so that no line ends in blanks. `column` counts
// them.
static void put_character(struct cf_text *text, char byte) {
    if (byte == '\n') {
        put_byte(text, byte);
        text->column = text->blanks = 0;
    } else if (byte == ' ') {
        if (text->column == 0) text->column = text->blanks = text->indent;
        text->blanks++;
        text->column++;
    } else {
        put_exactly(text, byte);
    }
}

void cf_text_put(struct cf_text *text, const char *string) {
    while (*string) put_character(text, *string++);
}

void cf_text_format(struct cf_text *text, const char *format, ...) {
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cf_text_put(text, line);
}

void cf_text_column(struct cf_text *text, uint32_t column) {
    while (text->column < column && text->status == CF_OK) put_character(text, ' ');
}

// --- text of a class file ---

// Characters that control a terminal or hide text: controls, line and paragraph separators, marks
// that change the direction of writing, invisible characters, and unpaired surrogates.
static int is_unsafe(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C ||
           (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || (c >= 0xD800 && c <= 0xDFFF) || c == 0xFEFF ||
           (c >= 0xFFF0 && c <= 0xFFFB) || (c & 0xFFFE) == 0xFFFE || (c >= 0xE0000 && c <= 0xE0FFF);
}

static void put_utf8(struct cf_text *text, uint32_t c) {
    if (c < 0x80) {
        put_exactly(text, (char)c);
        return;
    }
    unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    put_exactly(text, (char)(lead[more] | c >> 6 * more));
    while (more--) put_exactly(text, (char)(0x80 | (c >> 6 * more & 0x3F)));
}

static void put_escaped(struct cf_text *text, uint32_t c, int escape) {
    if (c >= ' ' && c < 0x7F && c != '\\' && c != '"' && c != '\'') { // nearly all of them
        put_exactly(text, (char)c);
        return;
    }
    static const char names[] = "\b\t\n\f\r\\";
    static const char letters[] = "btnfr\\";
    const char *name = c && c < 0x80 ? strchr(names, (int)c) : NULL;
    if (c & CF_MUTF8_BAD)
        cf_text_format(text, "\\x%02x", c & 0xFF);
    else if (name)
        cf_text_format(text, "\\%c", letters[name - names]);
    else if (escape == CF_ESCAPE_QUOTES && (c == '"' || c == '\''))
        cf_text_format(text, "\\%c", (int)c);
    else if (is_unsafe(c))
        cf_text_format(text, c > 0xFFFF ? "\\U%08x" : "\\u%04x", c);
    else
        put_utf8(text, c);
}

void cf_text_mutf8(struct cf_text *text, struct cf_slice slice, int escape) {
    uint32_t pos = 0;
    while (pos < slice.length && text->status == CF_OK) {
        uint32_t c = cf_mutf8_next(slice.bytes, slice.length, &pos);
        if (c >= 0xD800 && c <= 0xDBFF && pos < slice.length) {
            uint32_t next = pos, low = cf_mutf8_next(slice.bytes, slice.length, &next);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                c = 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
                pos = next;
            }
        }
        put_escaped(text, c, escape);
    }
}

void cf_text_hex(struct cf_text *text, const uint8_t *bytes, uint32_t length, uint32_t per_line) {
    static const char digits[] = "0123456789ABCDEF";
    for (uint32_t i = 0; i < length && text->status == CF_OK; i++) {
        if (i > 0) put_character(text, i % per_line ? ' ' : '\n');
        put_character(text, digits[bytes[i] >> 4]);
        put_character(text, digits[bytes[i] & 15]);
    }
}

// --- into memory ---

int cf_text_to_memory(void *context, const char *bytes, size_t length) {
    struct cf_text_memory *memory = context;
    if (length >= memory->capacity - memory->length) {
        size_t capacity = memory->capacity ? memory->capacity * 2 : 8192;
        while (capacity - memory->length <= length) capacity *= 2;
        char *grown = realloc(memory->bytes, capacity);
        if (!grown) return 0;
        memory->bytes = grown;
        memory->capacity = capacity;
    }
    memcpy(memory->bytes + memory->length, bytes, length);
    memory->length += length;
    memory->bytes[memory->length] = '\0';
    return 1;
}
