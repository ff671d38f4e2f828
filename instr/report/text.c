// Durations, numbers and names as people read them.

#include "instr/report/text.h"
#include "instr/base/numbers.h"
#include "instr/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- durations and numbers ---

char *instr_duration(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE]) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    if (nanoseconds < 1000) {
        snprintf(text, INSTR_DURATION_SIZE, "%u ns", (unsigned)nanoseconds);
        return text;
    }
    double value = (double)nanoseconds;
    int unit = 0;
    // 999.5 would be rounded to 1000.
    for (; value >= 999.5 && unit < 3; unit++) value /= 1000;
    if (value >= 99999.5)
        instr_format(text, INSTR_DURATION_SIZE, "%.3g s", value);
    else
        instr_format(text, INSTR_DURATION_SIZE, "%.*f %s",
                     value < 9.995   ? 2
                     : value < 99.95 ? 1
                                     : 0,
                     value, units[unit]);
    return text;
}

char *instr_number(uint64_t number, char text[INSTR_NUMBER_SIZE]) {
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number), n = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[n++] = ',';
        text[n++] = digits[i];
    }
    text[n] = '\0';
    return text;
}

// --- names ---

// Characters that change how the text around them looks, and show nothing themselves.
static int is_deceptive(uint32_t c) {
    int control = c < ' ' || (c >= 127 && c < 160);
    int invisible = c == 0x61C || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
                    (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
    return control || invisible;
}

static void put_text(struct instr_output *out, const char *text, size_t length, int style) {
    for (const char *end = text + length; text < end;) {
        uint32_t c = instr_utf8_next(&text, end);
        if (is_deceptive(c)) c = '?';
        if ((style & INSTR_DOTS) && c == '/') c = '.';
        const char *found = c < 128 && (style & INSTR_HTML) ? strchr("&<>\"'", (int)c) : NULL;
        char bytes[4];
        if (found)
            instr_output_format(out, "&#%u;", (unsigned)c);
        else
            instr_output_bytes(out, bytes, instr_utf8_put(c, bytes));
    }
}

void instr_report_text(struct instr_output *out, const char *text, int style) {
    put_text(out, text, strlen(text), style);
}

size_t instr_report_clean(char *text, size_t length) {
    const char *from = text, *end = text + length;
    char *to = text;
    while (from < end) {
        const char *start = from;
        if (is_deceptive(instr_utf8_next(&from, end)))
            *to++ = '?';
        else
            for (; start < from; start++) *to++ = *start;
    }
    return (size_t)(to - text);
}

void instr_report_json(struct instr_output *out, const char *json, size_t length) {
    for (const char *end = json + length, *c = json; c < end; json = c) {
        uint32_t character = instr_utf8_next(&c, end);
        if (!is_deceptive(character) || character == '\n')
            instr_output_bytes(out, json, (size_t)(c - json));
        else if (character < ' ')
            instr_output_text(out, " "); // between values: in strings it must be escaped
        else
            instr_output_format(out, "\\u%04x", (unsigned)character);
    }
}

// The end of the field type at `d` (JVMS 4.3.2); NULL: it is not a field type.
static const char *type_end(const char *d) {
    while (*d == '[') d++;
    if (*d == 'L') {
        d = strchr(d, ';');
        return d ? d + 1 : NULL;
    }
    return instr_report_primitive(*d) ? d + 1 : NULL;
}

const char *instr_report_primitive(char letter) {
    static const char letters[] = "BCDFIJSZ";
    static const char *const words[] = {"byte", "char", "double", "float",
                                        "int",  "long", "short",  "boolean"};
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? words[found - letters] : NULL;
}

// A type as Java writes it; classes without their package.
static void put_type(struct instr_output *out, const char *d, const char *end, int style) {
    size_t dimensions = strspn(d, "[");
    d += dimensions;
    if (*d == 'L') {
        const char *name = d + 1;
        for (const char *c = name; c < end; c++)
            if (*c == '/') name = c + 1;
        put_text(out, name, (size_t)(end - 1 - name), style);
    } else {
        instr_output_text(out, instr_report_primitive(*d));
    }
    for (size_t i = 0; i < dimensions; i++) instr_output_text(out, "[]");
}

const char *instr_dotted(const char *name, char *text, size_t size) {
    snprintf(text, size, "%s", name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    return text;
}

static int is_method_descriptor(const char *d) {
    if (*d++ != '(') return 0;
    while (d && *d && *d != ')') d = type_end(d);
    return d && *d == ')';
}

void instr_report_method(struct instr_output *out, const char *class_name, const char *method,
                         const char *descriptor, int style) {
    instr_report_text(out, class_name, style | INSTR_DOTS);
    instr_output_text(out, ".");
    instr_report_text(out, method, style);
    if (!is_method_descriptor(descriptor)) {
        instr_report_text(out, descriptor, style);
        return;
    }
    instr_output_text(out, "(");
    for (const char *d = descriptor + 1; *d != ')';) {
        const char *end = type_end(d);
        put_type(out, d, end, style);
        d = end;
        if (*d != ')') instr_output_text(out, ", ");
    }
    instr_output_text(out, ")");
}
