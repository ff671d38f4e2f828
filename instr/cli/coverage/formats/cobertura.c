// Cobertura's XML. It has lines per class and method, the model per source file: each line goes to
// the method around it.

#include "instr/cli/coverage/formats/cobertura.h"
#include "instr/cli/coverage/formats/place.h"
#include "instr/cli/coverage/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct document {
    const struct cover_model *model;
    struct instr_output *out;
    const struct cover_bundle *bundle;
};

// --- attributes ---

// A rate with four digits, 0.0 to 1.0; without anything to cover it is 1.0, as in Cobertura's own.
static void put_rate(struct instr_output *out, const char *name, uint64_t covered, uint64_t total) {
    unsigned rate = total ? (unsigned)(covered * 10000 / total) : 10000;
    instr_output_format(out, " %s=\"%u.%04u\"", name, rate / 10000, rate % 10000);
}

static void put_rates(struct instr_output *out, const struct cover_count *counts) {
    put_rate(out, "line-rate", counts[COVER_LINE].covered, cover_total(counts[COVER_LINE]));
    put_rate(out, "branch-rate", counts[COVER_BRANCH].covered, cover_total(counts[COVER_BRANCH]));
    cover_put_attribute(out, "complexity", cover_total(counts[COVER_COMPLEXITY]));
}

static void put_named(struct instr_output *out, const char *text, const char *name) {
    instr_output_text(out, text);
    cover_put_xml(out, name);
    instr_output_text(out, "\"");
}

// --- lines ---

static void put_line(struct instr_output *out, const struct cover_lines *lines, size_t i) {
    const struct cover_line *line = &lines->line[i];
    uint64_t total = cover_total(line->branches);
    instr_output_text(out, "<line");
    cover_put_attribute(out, "number", lines->first + i);
    cover_put_attribute(out, "hits", cover_hits(lines, i));
    if (total == 0) {
        instr_output_text(out, " branch=\"false\"/>\n");
        return;
    }
    unsigned percent = (unsigned)((uint64_t)line->branches.covered * 100 / total);
    instr_output_format(out,
                        " branch=\"true\" condition-coverage=\"%u%% (%u/%llu)\"><conditions>"
                        "<condition number=\"0\" type=\"%s\" coverage=\"%u%%\"/></conditions>"
                        "</line>\n",
                        percent, line->branches.covered, (unsigned long long)total,
                        total > 2 ? "switch" : "jump", percent);
}

// The methods that lines belong to: the number of the method in the source file, plus 1; 0: none. The lines of a method or
// class are a chain of indexes, plus 1, which ends with 0.
struct owners {
    const struct cover_lines *lines;
    uint32_t *owner, *size; // by line; of the owner, how many lines it has
    uint32_t *methods,
        *in_method; // the first line of each, by number; the next one of the same, by line
    uint32_t *classes,
        *in_class; // the same of classes; the first one also has the lines of no method
};

enum { MOST_WORK = 20000000 }; // lines of methods; methods of hostile classes may all be long

static void own(struct owners *owners, const struct cover_method *method, uint32_t number,
                uint64_t *work) {
    const struct cover_lines *lines = owners->lines;
    uint32_t first = method->first_line, last = method->last_line;
    if (first < lines->first || last > lines->last || first > last) return;
    if ((*work += last - first + 1) > MOST_WORK) return;
    for (uint32_t line = first; line <= last; line++) {
        size_t i = line - lines->first;
        if (owners->owner[i] && owners->size[i] <= last - first) continue;
        owners->owner[i] = number;
        owners->size[i] = last - first;
    }
}

static int allocate(struct owners *owners, size_t lines, size_t methods, size_t classes) {
    owners->owner = calloc(lines + 1, sizeof *owners->owner);
    owners->size = calloc(lines + 1, sizeof *owners->size);
    owners->methods = calloc(methods + 1, sizeof *owners->methods);
    owners->in_method = calloc(lines + 1, sizeof *owners->in_method);
    owners->classes = calloc(classes + 1, sizeof *owners->classes);
    owners->in_class = calloc(lines + 1, sizeof *owners->in_class);
    return owners->owner && owners->size && owners->methods && owners->in_method &&
                   owners->classes && owners->in_class
               ? 0
               : -1;
}

static void free_owners(struct owners *owners) {
    free(owners->owner);
    free(owners->size);
    free(owners->methods);
    free(owners->in_method);
    free(owners->classes);
    free(owners->in_class);
}

static void chain(uint32_t *first, uint32_t *next, size_t line) {
    next[line] = *first;
    *first = (uint32_t)line + 1;
}

static int find_owners(struct owners *owners, const struct cover_source *source) {
    size_t n = cover_lines_length(&source->lines), methods = 0;
    uint32_t number = 1;
    uint64_t work = 0;
    owners->lines = &source->lines;
    for (size_t c = 0; c < source->class_count; c++) methods += source->classes[c]->method_count;
    uint32_t *class_of = calloc(methods + 1, sizeof *class_of);
    int status = class_of && allocate(owners, n, methods, source->class_count) == 0 ? 0 : -1;
    for (size_t c = 0; c < source->class_count && status == 0; c++)
        for (size_t m = 0; m < source->classes[c]->method_count; m++) {
            class_of[number] = (uint32_t)c;
            own(owners, &source->classes[c]->methods[m], number++, &work);
        }
    for (size_t i = status == 0 ? n : 0; i-- > 0;) {
        uint32_t owner = owners->owner[i];
        chain(&owners->methods[owner], owners->in_method, i);
        chain(&owners->classes[class_of[owner]], owners->in_class, i);
    }
    free(class_of);
    return status;
}

// The lines of a chain.
static void put_lines(struct instr_output *out, const struct cover_lines *lines, uint32_t first,
                      const uint32_t *next) {
    instr_output_text(out, "<lines>\n");
    for (uint32_t line = first; line; line = next[line - 1])
        if (cover_line_counts(&lines->line[line - 1])) put_line(out, lines, line - 1);
    instr_output_text(out, "</lines>\n");
}

// --- classes ---

static void put_method(struct instr_output *out, const struct owners *owners,
                       const struct cover_method *method, uint32_t number) {
    const struct cover_lines *lines = owners->lines;
    put_named(out, "<method name=\"", method->name);
    put_named(out, " signature=\"", method->descriptor);
    put_rates(out, method->counts);
    instr_output_text(out, ">");
    int known = method->first_line >= lines->first && method->last_line <= lines->last &&
                method->first_line <= method->last_line && lines->first;
    if (known)
        put_lines(out, lines, owners->methods[number], owners->in_method);
    else
        instr_output_text(out, "<lines/>\n");
    instr_output_text(out, "</method>\n");
}

// Class number `number` of the source file; its methods are `first` and following ones.
static void put_class(struct instr_output *out, const struct owners *owners,
                      const struct cover_class *class, const char *path, uint32_t first,
                      size_t number) {
    char dots[65536];
    snprintf(dots, sizeof dots, "%s", class->name);
    for (char *c = dots; *c; c++)
        if (*c == '/') *c = '.';
    put_named(out, "<class name=\"", dots);
    put_named(out, " filename=\"", path);
    put_rates(out, class->counts);
    instr_output_text(out, ">\n<methods>\n");
    for (size_t m = 0; m < class->method_count; m++)
        put_method(out, owners, &class->methods[m], first + (uint32_t)m);
    instr_output_text(out, "</methods>\n");
    put_lines(out, owners->lines, owners->classes[number], owners->in_class);
    instr_output_text(out, "</class>\n");
}

static void put_source(const struct document *document, const struct cover_source *source) {
    char path[PATH_MAX];
    struct owners owners = {0};
    uint32_t first = 1;
    cover_source_path(document->model, document->bundle, source, path);
    if (find_owners(&owners, source) == 0) {
        for (size_t c = 0; c < source->class_count; c++) {
            const struct cover_class *class = source->classes[c];
            put_class(document->out, &owners, class, path, first, c);
            first += class->method_count;
        }
    } else {
        document->out->failed = ENOMEM;
    }
    free_owners(&owners);
}

// A class that names no source file.
static void put_alone(struct instr_output *out, const struct cover_class *class) {
    char path[PATH_MAX];
    struct cover_class *list[] = {(struct cover_class *)class};
    struct cover_source source = {.classes = list, .class_count = 1, .lines = class->lines};
    struct owners owners = {0};
    snprintf(path, sizeof path, "%s.class", class->name);
    if (find_owners(&owners, &source) == 0)
        put_class(out, &owners, class, path, 1, 0);
    else
        out->failed = ENOMEM;
    free_owners(&owners);
}

static void put_package(const struct document *document, const struct cover_package *package) {
    char dots[65536];
    snprintf(dots, sizeof dots, "%s", package->name);
    for (char *c = dots; *c; c++)
        if (*c == '/') *c = '.';
    put_named(document->out, "<package name=\"", dots);
    put_rates(document->out, package->counts);
    instr_output_text(document->out, ">\n<classes>\n");
    for (size_t s = 0; s < package->source_count; s++)
        if (cover_total(package->sources[s]->counts[COVER_INSTRUCTION]) > 0)
            put_source(document, package->sources[s]);
    for (size_t c = 0; c < package->class_count; c++)
        if (!package->classes[c]->file &&
            cover_total(package->classes[c]->counts[COVER_INSTRUCTION]) > 0)
            put_alone(document->out, package->classes[c]);
    instr_output_text(document->out, "</classes>\n</package>\n");
}

void cover_write_cobertura(const struct cover_model *model, struct instr_output *out) {
    const struct cover_count *counts = model->counts;
    struct document document = {model, out, NULL};
    char folder[PATH_MAX];
    uint64_t time = model->session_count ? model->sessions[model->session_count - 1].dump : 0;
    instr_output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM "
                           "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    put_rates(out, counts);
    cover_put_attribute(out, "lines-covered", counts[COVER_LINE].covered);
    cover_put_attribute(out, "lines-valid", cover_total(counts[COVER_LINE]));
    cover_put_attribute(out, "branches-covered", counts[COVER_BRANCH].covered);
    cover_put_attribute(out, "branches-valid", cover_total(counts[COVER_BRANCH]));
    instr_output_text(out, " version=\"instr\"");
    cover_put_attribute(out, "timestamp", time);
    instr_output_text(out, ">\n<sources><source>");
    cover_put_xml(out, getcwd(folder, sizeof folder) ? folder : ".");
    instr_output_text(out, "</source></sources>\n<packages>\n");
    for (size_t b = 0; b < model->bundle_count; b++) {
        document.bundle = model->bundles[b];
        for (size_t p = 0; p < document.bundle->package_count; p++)
            put_package(&document, document.bundle->packages[p]);
    }
    instr_output_text(out, "</packages>\n</coverage>\n");
}
