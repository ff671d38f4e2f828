// Text output: a small buffer collects text and passes it on in pieces, so that no text is held as
// a whole. Text from a class file is made safe for a terminal: control characters and marks that
// change the direction of writing are escaped.

#ifndef CF_TEXT_H
#define CF_TEXT_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

// Takes `length` bytes of UTF-8. Returns 1, or 0 if it accepts no more (a full disk, a closed
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
// Passes on the content of the buffer. Returns text->status.
enum cf_status cf_text_flush(struct cf_text *text);

// Writes plain ASCII; a line feed ends the line, and the next one begins with the indent.
void cf_text_put(struct cf_text *text, const char *string);
// printf for short texts (at most 200 bytes).
void cf_text_format(struct cf_text *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
// Writes blanks up to `column` of the line; none if the line is already as long. Lines never end in
// blanks written this way or by cf_text_put.
void cf_text_column(struct cf_text *text, uint32_t column);

enum {                    // how text of a class file is escaped
    CF_ESCAPE_UNSAFE = 0, // only what is not safe to print, and the backslash
    CF_ESCAPE_QUOTES = 1  // quotes too, as in a Java literal
};
// Writes modified UTF-8 as UTF-8. Malformed bytes are written as \xNN.
void cf_text_mutf8(struct cf_text *text, struct cf_slice slice, int escape);
// Writes bytes in hexadecimal, `per_line` per line.
void cf_text_hex(struct cf_text *text, const uint8_t *bytes, uint32_t length, uint32_t per_line);

// A writer into memory, for tests and for callers that need the whole text. Zero at first; `bytes`
// is terminated once something was written, and is freed by the caller.
struct cf_text_memory {
    char *bytes;
    size_t length, capacity;
};
// The context is a struct cf_text_memory.
int cf_text_to_memory(void *context, const char *bytes, size_t length);

CF_END_DECLS

#endif
