// Pages of source files.

#include "instr/cli/coverage/page/source.h"
#include "instr/base/utf8.h"
#include "instr/cli/coverage/formats/place.h"
#include "instr/cli/coverage/formats/worst.h"
#include "instr/cli/coverage/text.h"
#include "instr/cli/exec/exec.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- totals and methods ---

static void put_bar(struct instr_output *out, struct cover_count count) {
    uint64_t total = cover_total(count);
    unsigned tenths = total ? (unsigned)(count.covered * UINT64_C(1000) / total) : 1000;
    instr_output_format(out, "<span class=\"bar\" style=\"--p:%u.%u%%\"></span>", tenths / 10,
                        tenths % 10);
}

void cover_put_totals(const struct cover_count *counts, struct instr_output *out) {
    char share[CLI_SHARE_SIZE], missed[INSTR_NUMBER_SIZE], total[INSTR_NUMBER_SIZE];
    instr_output_text(out, "<dl class=\"totals\">\n");
    for (int i = 0; i < COVER_COUNTERS; i++) {
        uint64_t all = cover_total(counts[i]);
        if (i == COVER_COMPLEXITY || all == 0) continue;
        instr_output_format(out, "<div><dt>%c%s</dt><dd>%s</dd><dd>",
                            cover_counter_names[i][0] - 32, cover_counter_names[i] + 1,
                            cli_exec_share(counts[i].covered, all, share));
        put_bar(out, counts[i]);
        instr_output_format(out, "<small>%s of %s missed</small></dd></div>\n",
                            instr_number(counts[i].missed, missed), instr_number(all, total));
    }
    instr_output_text(out, "</dl>\n");
}

static void put_share(struct instr_output *out, struct cover_count count, const char *class) {
    char share[CLI_SHARE_SIZE];
    uint64_t total = cover_total(count);
    instr_output_format(out, "<td%s>", class);
    if (total) put_bar(out, count);
    instr_output_format(out, "<span class=\"share\">%s</span>",
                        total ? cli_exec_share(count.covered, total, share) : "-");
}

// The address of a line, up to its number.
static void put_line_link(struct instr_output *out, const struct cover_page *page, int single) {
    if (single)
        instr_output_format(out, "#%s/%s/L", page->folder, page->file);
    else
        instr_output_text(out, "#L");
}

static void put_method(struct instr_output *out, const struct cover_page *page, int single,
                       const struct cover_class *class, const struct cover_method *method) {
    const char *slash = strrchr(class->name, '/');
    instr_output_text(out, "<tr><td>");
    if (method->first_line) {
        instr_output_text(out, "<a href=\"");
        put_line_link(out, page, single);
        instr_output_format(out, "%u\">", method->first_line);
    }
    instr_report_method(out, slash ? slash + 1 : class->name, method->name, method->descriptor,
                        INSTR_HTML);
    if (method->first_line) instr_output_text(out, "</a>");
    put_share(out, method->counts[COVER_INSTRUCTION], "");
    put_share(out, method->counts[COVER_BRANCH], " class=\"some\"");
    instr_output_format(out, "<td>%u <small>of %" PRIu64 "</small><td class=\"some\">%u\n",
                        method->counts[COVER_LINE].missed, cover_total(method->counts[COVER_LINE]),
                        method->counts[COVER_COMPLEXITY].missed);
}

static void put_methods(struct instr_output *out, const struct cover_page *page, int single) {
    const struct cover_class *const *classes;
    size_t count = cover_page_classes(page, &classes), methods = 0, kinds = 0;
    for (size_t c = 0; c < count; c++) {
        kinds += classes[c]->method_count > 0;
        methods += classes[c]->method_count;
    }
    instr_output_format(out,
                        "<details class=\"methods\"%s><summary>%zu method%s of %zu class%s"
                        "</summary>\n<table class=\"tree\"><thead><tr><th>Method<th>Instructions"
                        "<th class=\"some\">Branches<th>Missed lines<th class=\"some\">Missed "
                        "complexity</thead><tbody>\n",
                        page->lines->first ? "" : " open", methods, cli_plural(methods, "s"), kinds,
                        cli_plural(kinds, "es"));
    for (size_t c = 0; c < count; c++)
        for (size_t m = 0; m < classes[c]->method_count; m++)
            put_method(out, page, single, classes[c], &classes[c]->methods[m]);
    instr_output_text(out, "</tbody></table></details>\n");
    for (size_t c = 0; c < count; c++) {
        if (classes[c]->match != COVER_OTHER_ID) continue;
        instr_output_text(out, "<p class=\"note\"><span class=\"other\">");
        instr_report_text(out, classes[c]->name, INSTR_HTML | INSTR_DOTS);
        instr_output_text(out, "</span> ran, but from another class file: compile and run again, "
                               "or report with the class files that ran.</p>\n");
    }
}

// --- lines ---

// What a row is: full, in part, not at all, left by an exception.
static const char *state_of(const struct cover_line *line) {
    if (line->begun && line->instructions.covered <= line->begun) return "t";
    if (line->instructions.covered == 0) return "n";
    return line->instructions.missed == 0 && line->branches.missed == 0 ? "f" : "p";
}

static void put_branches(struct instr_output *out, const struct cover_line *line) {
    uint64_t total = cover_total(line->branches);
    uint32_t missed = line->branches.missed;
    if (total == 0) {
        instr_output_text(out, "<td>");
        return;
    }
    instr_output_format(out, "<td data-b=\"%d\" title=\"",
                        missed == 0       ? 0
                        : missed == total ? 2
                                          : 1);
    if (missed == 0)
        instr_output_format(out, "all %" PRIu64 " branches taken", total);
    else
        instr_output_format(out, "%u of %" PRIu64 " branches missed", missed, total);
    // javac jumps past what a condition guards if the condition is false.
    if (missed && missed < total && line->never_yes)
        instr_output_text(out, "; a jump was never taken: its condition, as javac compiles it, was "
                               "never false");
    if (missed && missed < total && line->never_no)
        instr_output_text(out, "; a jump was always taken: its condition, as javac compiles it, "
                               "was never true");
    instr_output_format(out, "\">%u/%" PRIu64, line->branches.covered, total);
}

static void put_times(struct instr_output *out, uint64_t times) {
    char number[INSTR_NUMBER_SIZE];
    if (times < 1000000)
        instr_output_format(out, "<td>%s&#215;", instr_number(times, number));
    else
        instr_output_format(
            out, "<td title=\"ran %s times\">%.1f%s&#215;", instr_number(times, number),
            (double)times / (times < 1000000000 ? 1e6 : 1e9), times < 1000000000 ? "M" : "G");
}

// The cells of a line before its text; NULL: there is nothing on it.
static void put_cells(struct instr_output *out, uint64_t number, const struct cover_page *page,
                      int counted) {
    const struct cover_lines *lines = page->lines;
    const struct cover_line *line = NULL;
    size_t i = 0;
    if (lines->first && number >= lines->first && number <= lines->last) {
        i = (size_t)(number - lines->first);
        if (cover_line_counts(&lines->line[i])) line = &lines->line[i];
    }
    instr_output_text(out, "<tr id=L");
    cover_put_number(out, number);
    if (!line) {
        instr_output_text(out, "><td>");
        cover_put_number(out, number);
        instr_output_text(out, counted ? "<td><td><td>" : "<td><td>");
        return;
    }
    const char *state = state_of(line);
    instr_output_format(out, " class=%s><td", state);
    if (*state == 't')
        instr_output_text(out, " title=\"entered, and left only by exceptions\"");
    else if (*state == 'p' && line->instructions.missed)
        instr_output_format(out, " title=\"%u of %" PRIu64 " instructions missed\"",
                            line->instructions.missed, cover_total(line->instructions));
    instr_output_bytes(out, ">", 1);
    cover_put_number(out, number);
    if (counted && lines->times && line->instructions.covered && *state != 't')
        put_times(out, lines->times[i]);
    else if (counted)
        instr_output_text(out, "<td>");
    put_branches(out, line);
    instr_output_text(out, "<td>");
}

static int is_plain(char c) {
    return c >= ' ' && c < 127 && c != '<' && c != '>' && c != '&' && c != '"' && c != '\'';
}

// A line of a source with its tabs expanded.
static void put_text(struct instr_output *out, const char *text, const char *end, unsigned tab) {
    size_t column = 0;
    while (text < end) {
        const char *plain = text;
        while (text < end && is_plain(*text)) text++;
        instr_output_bytes(out, plain, (size_t)(text - plain));
        column += (size_t)(text - plain);
        if (text == end) return;
        if (*text == '\t') {
            do instr_output_bytes(out, " ", 1);
            while (++column % tab != 0);
            text++;
            continue;
        }
        const char *from = text;
        char character[8] = "?";
        if (instr_utf8_next(&text, end) != 0) memcpy(character, from, (size_t)(text - from));
        instr_report_text(out, character, INSTR_HTML);
        column++;
    }
}

// The end of the line at `c`, and where the next one starts. As for compilers, a CR ends a line, too.
static const char *line_end(const char *c, const char *end, const char **next) {
    const char *newline = memchr(c, '\n', (size_t)(end - c));
    const char *stop = newline ? newline : end;
    const char *carriage = memchr(c, '\r', (size_t)(stop - c));
    if (carriage && carriage + 1 != newline)
        *next = carriage + 1;
    else
        *next = newline ? newline + 1 : end;
    return carriage ? carriage : stop;
}

static void put_source(struct instr_output *out, const struct cover_page *page, int counted,
                       const struct cli_bytes *text, unsigned tab) {
    const char *c = (const char *)text->bytes, *end = c + text->length;
    uint64_t number = 1;
    for (; c < end || number <= page->lines->last; number++) {
        const char *next = end, *stop = c < end ? line_end(c, end, &next) : end;
        put_cells(out, number, page, counted);
        put_text(out, c, stop, tab);
        instr_output_bytes(out, "\n", 1);
        c = next;
    }
}

// Without the source: what is known of each line.
static void put_numbers(struct instr_output *out, const struct cover_page *page, int counted) {
    for (size_t i = 0; i < cover_lines_length(page->lines); i++) {
        const struct cover_line *line = &page->lines->line[i];
        if (!cover_line_counts(line)) continue;
        uint64_t total = cover_total(line->instructions);
        put_cells(out, page->lines->first + i, page, counted);
        if (line->instructions.missed)
            instr_output_format(out, "<em>%u of %" PRIu64 " instruction%s missed</em>\n",
                                line->instructions.missed, total, cli_plural(total, "s"));
        else
            instr_output_format(out, "<em>%" PRIu64 " instruction%s</em>\n", total,
                                cli_plural(total, "s"));
    }
}

static void put_lines(const struct cover_page_list *list, const struct cover_page *page,
                      struct instr_output *out) {
    struct cover_sources *sources = list->model->sources;
    struct cli_bytes text = {NULL, 0};
    char reason[CLI_REASON_SIZE] = "";
    int found = page->place.path && cover_sources_read(sources, &page->place, &text, reason) == 0;
    if (!found && page->source) {
        instr_output_text(out, "<p class=\"note\">");
        if (*reason) {
            instr_report_text(out, page->place.path, INSTR_HTML);
            instr_output_text(out, ": ");
            instr_report_text(out, reason, INSTR_HTML);
        } else if (cover_sources_none(sources)) {
            instr_output_text(out, "Without the sources: --sourcefiles names their folder.");
        } else {
            instr_output_text(out, "The sources do not have this file.");
        }
        instr_output_text(out, "</p>\n");
    }
    if (page->lines->first == 0) {
        instr_output_text(out, "<p class=\"note\">The class was compiled without the numbers of "
                               "lines.</p>\n");
    } else {
        instr_output_format(out, "<table class=\"code\"%s><tbody>\n",
                            found ? " data-source=\"yes\"" : "");
        if (found)
            put_source(out, page, list->model->counted, &text, cover_sources_tab(sources));
        else
            put_numbers(out, page, list->model->counted);
        instr_output_text(out, "</tbody></table>\n");
    }
    if (found) free(text.bytes);
}

// --- the page ---

static void put_crumbs(const struct cover_page_list *list, const struct cover_page *page,
                       const char *index, struct instr_output *out) {
    instr_output_format(out, "<p class=\"crumbs\"><a href=\"%s#\">", index);
    instr_report_text(out, list->model->name, INSTR_HTML);
    instr_output_format(out, "</a><a href=\"%s#%s\">", index, page->folder);
    if (list->model->bundle_count > 1) {
        instr_report_text(out, page->bundle->name, INSTR_HTML);
        instr_output_text(out, ": ");
    }
    instr_report_text(out, *page->package->name ? page->package->name : "(no package)",
                      INSTR_HTML | INSTR_DOTS);
    instr_output_text(out, "</a></p>\n<h1>");
    const char *name = page->source ? page->source->name : page->class->name;
    const char *slash = page->source ? NULL : strrchr(name, '/');
    instr_report_text(out, slash ? slash + 1 : name, INSTR_HTML);
    instr_output_text(out, "</h1>\n");
}

void cover_put_page(const struct cover_page_list *list, const struct cover_page *page, int single,
                    struct instr_output *out) {
    const char *index = single                          ? ""
                        : list->model->bundle_count > 1 ? "../../index.html"
                                                        : "../index.html";
    instr_output_format(out, "<main class=\"source\" data-up=\"%s#%s\">\n", index, page->folder);
    put_crumbs(list, page, index, out);
    cover_put_totals(page->source ? page->source->counts : page->class->counts, out);
    put_methods(out, page, single);
    if (page->lines->first)
        instr_output_text(out,
                          "<p class=\"legend\"><span class=\"f\">executed</span><span class=\"p\">"
                          "in part</span><span class=\"n\">missed</span><span class=\"t\">left by "
                          "an exception</span><span class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> next "
                          "and previous missed line, <kbd>u</kbd> up, <kbd>/</kbd> search, "
                          "<kbd>t</kbd> theme</span></p>\n");
    put_lines(list, page, out);
    instr_output_text(out, "</main>\n");
}
