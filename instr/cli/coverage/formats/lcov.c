// LCOV's tracefile.

#include "instr/cli/coverage/formats/lcov.h"
#include "instr/cli/coverage/formats/place.h"
#include "instr/cli/coverage/text.h"
#include "instr/report/text.h"

#include <string.h>

struct tracefile {
    const struct cover_model *model;
    struct instr_output *out;
};

static void put_record(struct instr_output *out, const char *key, uint64_t value) {
    instr_output_text(out, key);
    cover_put_number(out, value);
    instr_output_text(out, "\n");
}

// A name in one field: commas end it, and control characters the line.
static void put_field(struct instr_output *out, const char *name) {
    char piece[256];
    while (*name) {
        size_t n = strcspn(name, ",");
        if (n > sizeof piece - 1) {
            n = sizeof piece - 1;
            // A character is not cut in two.
            while (n > 1 && ((unsigned char)name[n] & 0xC0) == 0x80) n--;
        }
        memcpy(piece, name, n);
        piece[n] = '\0';
        instr_report_text(out, piece, INSTR_PLAIN);
        name += n;
        if (*name == ',') {
            instr_output_text(out, "?");
            name++;
        }
    }
}

// --- methods ---

static void put_method(struct instr_output *out, const char *record, uint64_t number,
                       const struct cover_class *class, const struct cover_method *method) {
    const char *slash = strrchr(class->name, '/');
    instr_output_text(out, record);
    cover_put_number(out, number);
    instr_output_text(out, ",");
    put_field(out, slash ? slash + 1 : class->name);
    instr_output_text(out, ".");
    put_field(out, method->name);
    put_field(out, method->descriptor);
    instr_output_text(out, "\n");
}

static uint64_t method_hits(const struct cover_source *source, const struct cover_method *method) {
    const struct cover_lines *lines = &source->lines;
    if (method->counts[COVER_METHOD].covered == 0) return 0;
    uint64_t hits = 1;
    if (method->first_line >= lines->first && method->first_line <= lines->last)
        hits = cover_hits(lines, method->first_line - lines->first);
    return hits ? hits : 1;
}

static void put_methods(struct instr_output *out, const struct cover_source *source) {
    uint64_t found = 0, hit = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < source->class_count; c++) {
            const struct cover_class *class = source->classes[c];
            for (size_t m = 0; m < class->method_count; m++) {
                const struct cover_method *method = &class->methods[m];
                if (method->first_line == 0) continue;
                uint64_t hits = method_hits(source, method);
                if (pass == 0)
                    put_method(out, "FN:", method->first_line, class, method);
                else
                    put_method(out, "FNDA:", hits, class, method);
                found += pass == 0;
                hit += pass == 0 && hits > 0;
            }
        }
    }
    put_record(out, "FNF:", found);
    put_record(out, "FNH:", hit);
}

// --- lines ---

static void put_branches(struct instr_output *out, const struct cover_lines *lines) {
    uint64_t found = 0, hit = 0;
    for (size_t i = 0; i < cover_lines_length(lines); i++) {
        const struct cover_line *line = &lines->line[i];
        uint64_t total = cover_total(line->branches);
        for (uint64_t b = 0; b < total; b++) {
            instr_output_text(out, "BRDA:");
            cover_put_number(out, lines->first + i);
            instr_output_text(out, ",0,");
            cover_put_number(out, b);
            instr_output_text(out, b < line->branches.covered       ? ",1\n"
                                   : line->instructions.covered > 0 ? ",0\n"
                                                                    : ",-\n");
        }
        found += total;
        hit += line->branches.covered;
    }
    if (found == 0) return;
    put_record(out, "BRF:", found);
    put_record(out, "BRH:", hit);
}

static void put_lines(struct instr_output *out, const struct cover_lines *lines) {
    uint64_t found = 0, hit = 0;
    for (size_t i = 0; i < cover_lines_length(lines); i++) {
        if (!cover_line_counts(&lines->line[i])) continue;
        uint64_t hits = cover_hits(lines, i);
        instr_output_text(out, "DA:");
        cover_put_number(out, lines->first + i);
        instr_output_text(out, ",");
        put_record(out, "", hits);
        found++;
        hit += hits > 0;
    }
    put_record(out, "LF:", found);
    put_record(out, "LH:", hit);
}

static void put_source(void *context, const struct cover_bundle *bundle,
                       const struct cover_source *source) {
    const struct tracefile *file = context;
    char path[PATH_MAX];
    cover_source_path(file->model, bundle, source, path);
    instr_output_text(file->out, "TN:\nSF:");
    instr_report_text(file->out, path, INSTR_PLAIN);
    instr_output_text(file->out, "\n");
    put_methods(file->out, source);
    put_branches(file->out, &source->lines);
    put_lines(file->out, &source->lines);
    instr_output_text(file->out, "end_of_record\n");
}

void cover_write_lcov(const struct cover_model *model, struct instr_output *out) {
    struct tracefile file = {model, out};
    cover_each_source(model, put_source, &file);
}
