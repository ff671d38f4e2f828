#include "instr/base/json.h"
#include "instr/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

struct instr_json instr_json_start(struct instr_output *out) {
    return (struct instr_json){out, 0, 0, 0};
}

static int is_flat(const struct instr_json *json) {
    return json->flat >> json->depth & 1;
}

static void new_line(struct instr_json *json) {
    instr_output_text(json->out, "\n");
    for (unsigned i = 0; i < json->depth; i++) instr_output_text(json->out, "  ");
}

static void put_string(struct instr_json *json, const char *text, int dots) {
    struct instr_output *out = json->out;
    const char *end = text + strlen(text);
    instr_output_text(out, "\"");
    while (text < end) {
        uint32_t c = instr_utf8_next(&text, end);
        char bytes[4];
        if (c == '"' || c == '\\') {
            instr_output_format(out, "\\%c", (char)c);
        } else if (c < ' ' || c == 127) {
            instr_output_format(out, "\\u%04" PRIx32, c);
        } else {
            if (dots && c == '/') c = '.';
            instr_output_bytes(out, bytes, instr_utf8_put(c, bytes));
        }
    }
    instr_output_text(out, "\"");
}

// Writes what precedes an element.
static void begin(struct instr_json *json, const char *key) {
    uint64_t bit = (uint64_t)1 << json->depth;
    if (json->filled & bit) instr_output_text(json->out, is_flat(json) ? ", " : ",");
    if (json->depth > 0 && !is_flat(json)) new_line(json);
    json->filled |= bit;
    if (!key) return;
    put_string(json, key, 0);
    instr_output_text(json->out, ": ");
}

static void open_bracket(struct instr_json *json, const char *key, char bracket, int flat) {
    begin(json, key);
    instr_output_bytes(json->out, &bracket, 1);
    flat |= is_flat(json);
    json->depth++;
    uint64_t bit = (uint64_t)1 << json->depth;
    json->filled &= ~bit;
    json->flat = flat ? json->flat | bit : json->flat & ~bit;
}

void instr_json_open(struct instr_json *json, const char *key, char bracket) {
    open_bracket(json, key, bracket, 0);
}

void instr_json_open_flat(struct instr_json *json, const char *key, char bracket) {
    open_bracket(json, key, bracket, 1);
}

void instr_json_close(struct instr_json *json, char bracket) {
    int lines = (json->filled >> json->depth & 1) && !is_flat(json);
    json->depth--;
    if (lines) new_line(json);
    instr_output_bytes(json->out, &bracket, 1);
    if (json->depth == 0) instr_output_text(json->out, "\n");
}

void instr_json_text(struct instr_json *json, const char *key, const char *text) {
    begin(json, key);
    if (text)
        put_string(json, text, 0);
    else
        instr_output_text(json->out, "null");
}

void instr_json_class(struct instr_json *json, const char *key, const char *name) {
    begin(json, key);
    put_string(json, name, 1);
}

void instr_json_number(struct instr_json *json, const char *key, uint64_t number) {
    begin(json, key);
    instr_output_format(json->out, "%" PRIu64, number);
}

void instr_json_real(struct instr_json *json, const char *key, double number) {
    begin(json, key);
    bool whole = fabs(number) < 9e15 && number == (double)(int64_t)number;
    if (isfinite(number))
        instr_output_format(json->out, whole ? "%.0f" : "%.17g", number);
    else
        instr_output_text(json->out, "null");
}

void instr_json_bool(struct instr_json *json, const char *key, int value) {
    begin(json, key);
    instr_output_text(json->out, value ? "true" : "false");
}
