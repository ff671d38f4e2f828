// Text on its way out: gathered in a small buffer and handed on in pieces, so that nothing is ever
// held as a whole. What comes from a class file is made safe for a terminal on the way: control
// characters and what would turn the direction of writing are escaped.

#ifndef CF_TEXT_H
#define CF_TEXT_H

#include "classfile/classfile.h"

// Takes `length` bytes of UTF-8. Returns 1, or 0 when it wants no more (a full disk, a closed
// pipe).
typedef int cf_text_writer(void *context, const char *bytes, size_t length);

struct cf_text {
    cf_text_writer *write;
    void *context;
    uint64_t written; // bytes, with those in the buffer
    uint64_t limit;   // of `written`; 0: none
    uint32_t column;  // characters in the current line
    uint32_t indent;  // blanks before the next line
    uint32_t blanks;  // that wait for something behind them, as our own at the end of a line must
                      // not stay
    enum cf_status
        status; // CF_LIMIT: the limit was reached or the writer gave up; the rest is dropped
    uint32_t used;
    char buffer[4000];
};

// `context` is passed to `write`.
void cf_text_init(struct cf_text *text, cf_text_writer *write, void *context);
// Hands on what is in the buffer. Returns text->status.
enum cf_status cf_text_flush(struct cf_text *text);

// Plain ASCII of our own; a line feed ends the line, and the next one begins with the indent.
void cf_text_put(struct cf_text *text, const char *string);
// printf for our own short texts (at most 200 bytes).
void cf_text_format(struct cf_text *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
// Blanks up to `column` of the line; none when the line is there already. Lines never end in blanks
// that were put this way or as our own text.
void cf_text_column(struct cf_text *text, uint32_t column);

enum {                    // how text of a class file is escaped
    CF_ESCAPE_UNSAFE = 0, // only what is not safe to print, and the backslash
    CF_ESCAPE_QUOTES = 1  // quotes too, as in a Java literal
};
// Modified UTF-8 as UTF-8. What is malformed comes as \xNN.
void cf_text_mutf8(struct cf_text *text, struct cf_slice slice, int escape);
// Bytes in hexadecimal, `per_line` to the line.
void cf_text_hex(struct cf_text *text, const uint8_t *bytes, uint32_t length, uint32_t per_line);

// A writer into memory, for tests and for whoever needs the text as a whole. Start with all zero;
// `bytes` is always terminated once something was written, and is freed by the caller.
struct cf_text_memory {
    char *bytes;
    size_t length, capacity;
};
// The context is a struct cf_text_memory.
int cf_text_to_memory(void *context, const char *bytes, size_t length);

#endif
