// Durations, numbers and names as people read them.

#ifndef INSTR_REPORT_TEXT_H
#define INSTR_REPORT_TEXT_H

#include "instr/base/output.h"

#include <stdint.h>

enum { INSTR_DURATION_SIZE = 16, INSTR_NUMBER_SIZE = 32 };

// Writes a duration with three digits and its unit ("1.25 ms") into `text`; returns `text`.
char *instr_duration(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE]);

// Writes a number with commas ("1,234") into `text`; returns `text`.
char *instr_number(uint64_t number, char text[INSTR_NUMBER_SIZE]);

// Copies a class name with dots in place of slashes, cut to `size`; returns `text`.
const char *instr_dotted(const char *name, char *text, size_t size);

enum { // styles, added up
    INSTR_PLAIN = 0,
    INSTR_DOTS = 1, // slashes become dots
    INSTR_HTML = 2  // escaped for HTML
};

// Writes text (UTF-8 or modified UTF-8); control characters, and others that could deceive a
// reader, become '?'.
void instr_report_text(struct instr_output *out, const char *text, int style);

// The same for `length` bytes of UTF-8, in place of them. Returns how many bytes are left.
size_t instr_report_clean(char *text, size_t length);

// Writes a document of JSON with such characters escaped, which keeps its meaning.
void instr_report_json(struct instr_output *out, const char *json, size_t length);

// The primitive type of a letter of descriptors (JVMS 4.3.2): 'I' is "int"; NULL: there is none.
const char *instr_report_primitive(char letter);

// Writes a method as people write it: com.acme.Foo.bar(int, String).
void instr_report_method(struct instr_output *out, const char *class_name, const char *method,
                         const char *descriptor, int style);

#endif
