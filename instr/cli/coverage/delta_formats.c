#include "instr/cli/coverage/delta_formats.h"

#include "instr/base/file.h"
#include "instr/base/hash.h"
#include "instr/base/json.h"
#include "instr/cli/cli.h"
#include "instr/cli/exec/exec.h"
#include "instr/report/page.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BASE = 10 }; // characters of a revision that are shown

static char *share_of(struct cover_count count, char text[CLI_SHARE_SIZE]) {
    return cli_exec_share(count.covered, cover_total(count), text);
}

static void put_range(struct cover_range range, struct instr_output *out) {
    instr_output_format(out, range.first == range.last ? "%" PRIu32 : "%" PRIu32 "-%" PRIu32,
                        range.first, range.last);
}

// 14-16, 20; all are written, since they are what has to be done.
static void put_missed(const struct cover_delta_file *file, struct instr_output *out) {
    struct cover_range range;
    const char *before = "";
    for (size_t at = 0; (range = cover_delta_missed(file, &at)).first; before = ", ") {
        instr_output_text(out, before);
        put_range(range, out);
    }
}

// "96 of 120 changed lines (80.0 %) and 10 of 12 branches are covered, compared with 1a2b3c4d5e"
static void put_totals(const struct cover_delta *delta, struct instr_output *out) {
    struct cover_count lines = delta->counts[COVER_LINE], branches = delta->counts[COVER_BRANCH];
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    if (!cover_total(lines)) {
        instr_output_text(out, "no line with code has changed");
    } else {
        instr_output_format(out, "%s of %s changed line%s (%s)", instr_number(lines.covered, a),
                            instr_number(cover_total(lines), b),
                            cli_plural(cover_total(lines), "s"), share_of(lines, share));
        if (cover_total(branches))
            instr_output_format(out, " and %s of %s branch%s", instr_number(branches.covered, a),
                                instr_number(cover_total(branches), b),
                                cli_plural(cover_total(branches), "es"));
        instr_output_text(out, " covered");
    }
    instr_output_format(out, ", compared with %.*s", BASE, delta->changes->base);
}

static void put_unknown(const struct cover_delta *delta, const char *before,
                        struct instr_output *out) {
    for (size_t i = 0; i < delta->unknown_count; i++) {
        instr_output_text(out, before);
        instr_report_text(out, delta->unknown[i], INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

void cover_delta_table(const struct cover_delta *delta, struct instr_output *out) {
    char share[CLI_SHARE_SIZE];
    instr_output_text(out, "coverage: ");
    put_totals(delta, out);
    instr_output_text(out, "\n");
    if (cover_total(delta->counts[COVER_LINE]))
        instr_output_text(out, "   lines  covered    share  file: missed lines\n");
    for (size_t i = 0; i < delta->count; i++) {
        const struct cover_delta_file *file = &delta->files[i];
        struct cover_count lines = file->counts[COVER_LINE];
        if (!cover_total(lines)) continue;
        instr_output_format(out, "  %6" PRIu64 "  %7" PRIu32 "  %7s  ", cover_total(lines),
                            lines.covered, share_of(lines, share));
        instr_report_text(out, file->path, INSTR_PLAIN);
        if (lines.missed) instr_output_text(out, ": ");
        put_missed(file, out);
        instr_output_text(out, "\n");
    }
    put_unknown(delta, "  changed, but none of its classes is in the report: ", out);
}

// --- Markdown ---

// A path between backticks, in a cell: neither a backtick nor a bar can be escaped there.
static void put_code(const char *path, struct instr_output *out) {
    instr_output_text(out, "`");
    for (const char *c = path; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        char safe = *c == '`' ? '\'' : *c == '|' ? '!' : byte < ' ' || byte == 127 ? '?' : *c;
        instr_output_bytes(out, &safe, 1);
    }
    instr_output_text(out, "`");
}

void cover_delta_markdown(const struct cover_delta *delta, struct instr_output *out) {
    char share[CLI_SHARE_SIZE];
    instr_output_text(out, "### Coverage of changed lines\n\n");
    put_totals(delta, out);
    instr_output_text(out, "\n");
    if (cover_total(delta->counts[COVER_LINE]))
        instr_output_text(out,
                          "\n| file | lines | covered | missed lines |\n|---|---:|---:|---|\n");
    for (size_t i = 0; i < delta->count; i++) {
        const struct cover_delta_file *file = &delta->files[i];
        struct cover_count lines = file->counts[COVER_LINE];
        if (!cover_total(lines)) continue;
        instr_output_text(out, "| ");
        put_code(file->path, out);
        instr_output_format(out, " | %" PRIu64 " | %s | ", cover_total(lines),
                            share_of(lines, share));
        put_missed(file, out);
        instr_output_text(out, " |\n");
    }
    if (delta->unknown_count)
        instr_output_text(out, "\nChanged, but none of their classes is in the report:\n\n");
    for (size_t i = 0; i < delta->unknown_count; i++) {
        instr_output_text(out, "- ");
        put_code(delta->unknown[i], out);
        instr_output_text(out, "\n");
    }
}

// --- annotations ---

// As GitHub's runner wants values of properties: some characters in percents.
static void put_property(const char *text, struct instr_output *out) {
    for (const char *c = text; *c; c++) {
        if (strchr("%\r\n:,", *c))
            instr_output_format(out, "%%%02X", (unsigned)(unsigned char)*c);
        else
            instr_output_bytes(out, c, 1);
    }
}

// "Line 20 is not covered"
static void describe(struct cover_range range, char text[64]) {
    if (range.first == range.last)
        snprintf(text, 64, "Line %" PRIu32 " is not covered", range.first);
    else
        snprintf(text, 64, "Lines %" PRIu32 " to %" PRIu32 " are not covered", range.first,
                 range.last);
}

void cover_delta_github(const struct cover_delta *delta, struct instr_output *out) {
    char text[64];
    for (size_t i = 0; i < delta->count; i++) {
        struct cover_range range;
        for (size_t at = 0; (range = cover_delta_missed(&delta->files[i], &at)).first;) {
            describe(range, text);
            instr_output_text(out, "::warning file=");
            put_property(delta->files[i].path, out);
            instr_output_format(out, ",line=%" PRIu32 ",endLine=%" PRIu32 ",title=Coverage::%s\n",
                                range.first, range.last, text);
        }
    }
}

// The same finding keeps its fingerprint, so that GitLab shows what is new.
static uint64_t fingerprint(const char *path, struct cover_range range) {
    return instr_hash(path, strlen(path), instr_hash(&range, sizeof range, 0));
}

void cover_delta_gitlab(const struct cover_delta *delta, struct instr_output *out) {
    struct instr_json json = instr_json_start(out);
    char text[64];
    instr_json_open(&json, NULL, '[');
    for (size_t i = 0; i < delta->count; i++) {
        struct cover_range range;
        for (size_t at = 0; (range = cover_delta_missed(&delta->files[i], &at)).first;) {
            instr_json_open(&json, NULL, '{');
            describe(range, text);
            instr_json_text(&json, "description", text);
            instr_json_text(&json, "check_name", "coverage");
            snprintf(text, sizeof text, "%016" PRIx64, fingerprint(delta->files[i].path, range));
            instr_json_text(&json, "fingerprint", text);
            instr_json_text(&json, "severity", "minor");
            instr_json_open(&json, "location", '{');
            instr_json_text(&json, "path", delta->files[i].path);
            instr_json_open(&json, "lines", '{');
            instr_json_number(&json, "begin", range.first);
            instr_json_number(&json, "end", range.last);
            instr_json_close(&json, '}');
            instr_json_close(&json, '}');
            instr_json_close(&json, '}');
        }
    }
    instr_json_close(&json, ']');
}

// --- the page ---

static const char style[] =
    "h2{font-size:1.05rem;margin:1.6rem 0 .4rem;overflow-wrap:anywhere}"
    ".code{width:100%;border-collapse:collapse;font:13px/1.5 ui-monospace,monospace}"
    ".code td{padding:0 .6rem;white-space:pre-wrap;overflow-wrap:anywhere;text-align:left}"
    ".code td:first-child{width:4rem;text-align:right;color:var(--dim);user-select:none}"
    ".code .hit{background:color-mix(in srgb,#2e9e44 18%,var(--back))}"
    ".code .part{background:color-mix(in srgb,#d9a400 22%,var(--back))}"
    ".code .missed{background:color-mix(in srgb,#d33 20%,var(--back))}";

static const char *class_of(const struct cover_line *line) {
    if (!line->instructions.covered) return "missed";
    return line->instructions.missed || line->branches.missed ? "part" : "hit";
}

static const char *word_of(const struct cover_line *line) {
    if (!line->instructions.covered) return "not covered";
    return line->instructions.missed || line->branches.missed ? "partly covered" : "covered";
}

static void put_line(const struct cover_delta_line *line, const char *text,
                     struct instr_output *out) {
    struct cover_count branches = line->line.branches;
    instr_output_format(out, "<tr class=\"%s\"><td>%" PRIu32 "</td><td title=\"%s",
                        class_of(&line->line), line->number, word_of(&line->line));
    if (cover_total(branches))
        instr_output_format(out, "; %" PRIu32 " of %" PRIu64 " branches", branches.covered,
                            cover_total(branches));
    instr_output_text(out, "\">");
    instr_report_text(out, text, INSTR_HTML);
    instr_output_text(out, "</td></tr>\n");
}

// A tab is as wide as four spaces; the end of the line goes.
static void expand(const char *line, char *text, size_t size) {
    size_t used = 0;
    for (; *line && *line != '\n' && *line != '\r' && used + 5 < size; line++) {
        if (*line != '\t')
            text[used++] = *line;
        else
            do text[used++] = ' ';
            while (used % 4);
    }
    text[used] = '\0';
}

static FILE *open_source(const struct cover_delta *delta, const char *path) {
    size_t size = strlen(delta->changes->top) + strlen(path) + 2;
    char *whole = malloc(size);
    FILE *file = NULL;
    if (whole) {
        snprintf(whole, size, "%s/%s", delta->changes->top, path);
        const char *why;
        int fd = instr_file_open(whole, &why);
        file = fd >= 0 ? fdopen(fd, "r") : NULL;
        if (fd >= 0 && !file) close(fd);
    }
    free(whole);
    return file;
}

static void put_file(const struct cover_delta *delta, const struct cover_delta_file *file,
                     struct instr_output *out) {
    char share[CLI_SHARE_SIZE], text[4096] = "", *line = NULL;
    size_t size = 0;
    uint32_t number = 0;
    FILE *source = open_source(delta, file->path);
    instr_output_text(out, "<h2>");
    instr_report_text(out, file->path, INSTR_HTML);
    instr_output_format(out, ": %s</h2>\n<table class=\"code\">\n",
                        share_of(file->counts[COVER_LINE], share));
    for (size_t i = 0; i < file->count; i++) {
        while (source && number < file->lines[i].number && getline(&line, &size, source) >= 0)
            number++;
        expand(number == file->lines[i].number && line ? line : "", text, sizeof text);
        put_line(&file->lines[i], text, out);
    }
    instr_output_text(out, "</table>\n");
    free(line);
    if (source) fclose(source);
}

void cover_delta_html(const struct cover_delta *delta, struct instr_output *out) {
    struct cover_count lines = delta->counts[COVER_LINE], branches = delta->counts[COVER_BRANCH];
    char text[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    instr_page_begin(out, "Coverage of changed lines", "", instr_page_css);
    instr_output_format(out, "<style>%s</style>\n", style);
    instr_page_begin_totals(out);
    instr_page_total(out, "changed lines with code", instr_number(cover_total(lines), text));
    instr_page_total(out, "not covered", instr_number(lines.missed, text));
    instr_page_total(out, "covered", cover_total(lines) ? share_of(lines, share) : "-");
    instr_page_total(out, "branches not covered", instr_number(branches.missed, text));
    snprintf(text, sizeof text, "%.*s", BASE, delta->changes->base);
    instr_page_total(out, "compared with", text);
    instr_page_end_totals(out);
    for (size_t i = 0; i < delta->count; i++)
        if (delta->files[i].count) put_file(delta, &delta->files[i], out);
    if (delta->unknown_count)
        instr_output_text(out,
                          "<h2>Changed, but none of their classes is in the report</h2>\n<ul>\n");
    for (size_t i = 0; i < delta->unknown_count; i++) {
        instr_output_text(out, "<li>");
        instr_report_text(out, delta->unknown[i], INSTR_HTML);
        instr_output_text(out, "</li>\n");
    }
    if (delta->unknown_count) instr_output_text(out, "</ul>\n");
    instr_page_end(out, NULL);
}
