// A pass's result as people read it: durations, numbers, names, and the table of them.

#include "instr/report/report.h"
#include "instr/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- cells ---

char *instr_duration(uint64_t ns, char text[INSTR_DURATION_SIZE]) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    if (ns < 1000) {
        snprintf(text, INSTR_DURATION_SIZE, "%u ns", (unsigned)ns);
        return text;
    }
    double value = (double)ns;
    int unit = 0;
    // 999.5 would be rounded to 1000.
    for (; value >= 999.5 && unit < 3; unit++) value /= 1000;
    if (value >= 99999.5)
        snprintf(text, INSTR_DURATION_SIZE, "%.3g s", value);
    else
        snprintf(text, INSTR_DURATION_SIZE, "%.*f %s",
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

// Characters that do something to what is around them instead of showing.
static int plays_tricks(uint32_t c) {
    int control = c < ' ' || (c >= 127 && c < 160);
    int invisible = (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
                    (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
    return control || invisible;
}

static void put_text(struct instr_output *out, const char *text, size_t length, int style) {
    for (const char *end = text + length; text < end;) {
        uint32_t c = instr_utf8_next(&text, end);
        if (plays_tricks(c)) c = '?';
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

void instr_report_page(struct instr_output *out, const char *title, const char *style) {
    instr_output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    instr_report_text(out, title, INSTR_HTML);
    instr_output_text(out, "</title>\n<style>\n");
    instr_output_text(out, style);
    instr_output_text(out, "</style>\n</head>\n<body>\n");
}

void instr_report_total(struct instr_output *out, const char *name, const char *value) {
    instr_output_format(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

// Where the field type at `d` ends, NULL when it is none (JVMS 4.3.2).
static const char *type_end(const char *d) {
    while (*d == '[') d++;
    if (*d == 'L') {
        d = strchr(d, ';');
        return d ? d + 1 : NULL;
    }
    return *d && strchr("BCDFIJSZ", *d) ? d + 1 : NULL;
}

// A type in the way Java writes it, classes without their package.
static void put_type(struct instr_output *out, const char *d, const char *end, int style) {
    static const char letters[] = "BCDFIJSZ";
    static const char *const words[] = {"byte", "char", "double", "float",
                                        "int",  "long", "short",  "boolean"};
    size_t dimensions = strspn(d, "[");
    d += dimensions;
    if (*d == 'L') {
        const char *name = d + 1;
        for (const char *c = name; c < end; c++)
            if (*c == '/') name = c + 1;
        put_text(out, name, (size_t)(end - 1 - name), style);
    } else {
        instr_output_text(out, words[strchr(letters, *d) - letters]);
    }
    for (size_t i = 0; i < dimensions; i++) instr_output_text(out, "[]");
}

static int is_method_descriptor(const char *d) {
    if (*d++ != '(') return 0;
    while (d && *d && *d != ')') d = type_end(d);
    return d && *d == ')';
}

void instr_report_method(const struct instr_report_row *row, struct instr_output *out, int style) {
    instr_report_text(out, row->class_name, style | INSTR_DOTS);
    instr_output_text(out, ".");
    instr_report_text(out, row->method, style);
    if (!is_method_descriptor(row->descriptor)) {
        instr_report_text(out, row->descriptor, style);
        return;
    }
    instr_output_text(out, "(");
    for (const char *d = row->descriptor + 1; *d != ')';) {
        const char *end = type_end(d);
        put_type(out, d, end, style);
        d = end;
        if (*d != ')') instr_output_text(out, ", ");
    }
    instr_output_text(out, ")");
}

// --- the table ---

struct column {
    const char *head;
    size_t offset; // of the field of struct instr_report_row
    int duration;
    size_t width;
};

enum { MOST_COLUMNS = 10 };

static uint64_t field_of(const struct instr_report_row *row, const struct column *column) {
    return *(const uint64_t *)(const void *)((const char *)row + column->offset);
}

static const char *cell(const struct instr_report_row *row, const struct column *column,
                        char text[INSTR_NUMBER_SIZE]) {
    uint64_t value = field_of(row, column);
    return column->duration ? instr_duration(value, text) : instr_number(value, text);
}

#define COLUMN(head, field, duration)                                                              \
    { head, offsetof(struct instr_report_row, field), duration, 0 }
static const struct column all_columns[] = {
    COLUMN("calls", calls, 0),  COLUMN("thrown", thrown, 0), COLUMN("total", total_ns, 1),
    COLUMN("self", self_ns, 1), COLUMN("min", min_ns, 1),    COLUMN("p50", p50_ns, 1),
    COLUMN("p90", p90_ns, 1),   COLUMN("p99", p99_ns, 1),    COLUMN("max", max_ns, 1)};
#undef COLUMN

static size_t choose_columns(const struct instr_report *report, size_t top,
                             struct column columns[MOST_COLUMNS]) {
    size_t all = report->timed ? sizeof all_columns / sizeof *all_columns : 2, count = 0;
    char text[INSTR_NUMBER_SIZE];
    for (size_t a = 0; a < all; a++) {
        if (all_columns[a].offset == offsetof(struct instr_report_row, p90_ns) &&
            report->without_p90)
            continue;
        size_t c = count++;
        columns[c] = all_columns[a];
        columns[c].width = strlen(columns[c].head);
        for (size_t i = 0; i < top; i++) {
            size_t width = strlen(cell(&report->rows[i], &columns[c], text));
            if (width > columns[c].width) columns[c].width = width;
        }
    }
    return count;
}

static uint64_t add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

static void put_totals(const struct instr_report *report, struct instr_output *out, size_t top) {
    uint64_t calls = 0, thrown = 0, self = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        calls = add(calls, report->rows[i].calls);
        thrown = add(thrown, report->rows[i].thrown);
        self = add(self, report->rows[i].self_ns);
    }
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_DURATION_SIZE];
    instr_report_text(out, report->pass, INSTR_PLAIN);
    instr_output_format(out, ": %s method%s, %s call%s, %s thrown",
                        instr_number(report->row_count, a), report->row_count == 1 ? "" : "s",
                        instr_number(calls, b), calls == 1 ? "" : "s", instr_number(thrown, c));
    if (report->timed) instr_output_format(out, ", %s in all", instr_duration(self, d));
    if (report->skipped_count > 0)
        instr_output_format(out, "; %s kept as they were", instr_number(report->skipped_count, a));
    if (top < report->row_count) instr_output_format(out, "; the top %s:", instr_number(top, a));
    instr_output_text(out, "\n");
}

void instr_report_table(const struct instr_report *report, struct instr_output *out, size_t top) {
    if (top > report->row_count) top = report->row_count;
    put_totals(report, out, top);
    if (top == 0) return;
    struct column columns[MOST_COLUMNS];
    char text[INSTR_NUMBER_SIZE];
    size_t count = choose_columns(report, top, columns);
    for (size_t c = 0; c < count; c++)
        instr_output_format(out, "  %*s", (int)columns[c].width, columns[c].head);
    instr_output_text(out, "  method\n");
    for (size_t i = 0; i < top; i++) {
        for (size_t c = 0; c < count; c++)
            instr_output_format(out, "  %*s", (int)columns[c].width,
                                cell(&report->rows[i], &columns[c], text));
        instr_output_text(out, "  ");
        instr_report_method(&report->rows[i], out, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}
