// json.h: writes JSON (RFC 8259) element by element, with commas, indentation and escapes
//
//      struct instr_json json = instr_json_start(&out);
//      instr_json_open(&json, NULL, '{');
//      instr_json_text(&json, "pass", "timing");
//      instr_json_number(&json, "calls", 17);
//      instr_json_close(&json, '}');
//
// `key` is NULL within an array and for the outermost value.

#ifndef INSTR_BASE_JSON_H
#define INSTR_BASE_JSON_H

#include "instr/base/output.h"

struct instr_json {
    struct instr_output *out;
    unsigned depth;
    uint64_t filled; // bit per depth: it has an element already
    uint64_t flat;   // bit per depth: on one line
};

struct instr_json instr_json_start(struct instr_output *out);

// Opens an object ('{') or an array ('['), at most 60 deep, with one line per element;
// instr_json_open_flat puts all elements on one line. The closing bracket of the outermost value
// ends the line.
void instr_json_open(struct instr_json *json, const char *key, char bracket);
void instr_json_open_flat(struct instr_json *json, const char *key, char bracket);
void instr_json_close(struct instr_json *json, char bracket);

// A string in UTF-8 or the class file's modified UTF-8 (JVMS 4.4.7). Malformed bytes become U+FFFD.
// NULL: null.
void instr_json_text(struct instr_json *json, const char *key, const char *text);
// A class name, with dots instead of slashes.
void instr_json_class(struct instr_json *json, const char *key, const char *name);
void instr_json_number(struct instr_json *json, const char *key, uint64_t number);
// Not finite: null.
void instr_json_real(struct instr_json *json, const char *key, double number);
void instr_json_bool(struct instr_json *json, const char *key, int value);

#endif
