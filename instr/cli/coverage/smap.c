// The lines of code that Kotlin inlines.

#include "instr/cli/coverage/smap.h"

#include <stdlib.h>

struct text {
    const uint8_t *at, *end;
};

// The next line, without its end. 0: there is none.
static int next_line(struct text *text, struct cf_slice *line) {
    if (text->at >= text->end) return 0;
    const uint8_t *start = text->at;
    while (text->at < text->end && *text->at != '\n' && *text->at != '\r') text->at++;
    *line = (struct cf_slice){start, (uint32_t)(text->at - start)};
    if (text->at < text->end && *text->at++ == '\r' && text->at < text->end && *text->at == '\n')
        text->at++;
    return 1;
}

static int expect(struct text *text, const char *expected) {
    struct cf_slice line;
    return next_line(text, &line) && cf_slice_is(line, expected, strlen(expected));
}

// A number at the start of the line, which is then shorter. 0: there is none.
static int take_number(struct cf_slice *line, uint32_t *number) {
    uint32_t n = 0;
    *number = 0;
    for (; n < line->length && line->bytes[n] >= '0' && line->bytes[n] <= '9'; n++) {
        if (*number > 100000000) return 0;
        *number = *number * 10 + (line->bytes[n] - '0');
    }
    line->bytes += n;
    line->length -= n;
    return n > 0;
}

static int take(struct cf_slice *line, char c) {
    if (line->length == 0 || line->bytes[0] != c) return 0;
    line->bytes++;
    line->length--;
    return 1;
}

struct file {
    uint32_t id, number; // the number is that in the table
    struct cf_slice name, class_name;
};

// "+ 1 Main.kt" and the next line.
static int read_file(struct text *text, struct cf_slice line, struct file *file) {
    return take(&line, '+') && take(&line, ' ') && take_number(&line, &file->id) &&
           take(&line, ' ') && (file->name = line).length > 0 && next_line(text, &file->class_name);
}

static int by_id(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

// The last file with this id; NULL: there is none.
static const struct file *file_of(const struct file *files, uint32_t count, uint32_t id) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (files[middle].id <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low && files[low - 1].id == id ? &files[low - 1] : NULL;
}

// "5#2,3:10" or "5#2:10"; ",1" may follow.
static int read_mapping(struct cf_slice line, const struct file *files, uint32_t files_count,
                        struct cover_mapping *mapping) {
    const struct file *file;
    uint32_t id, ignored;
    mapping->count = 1;
    if (!take_number(&line, &mapping->from) || !take(&line, '#') || !take_number(&line, &id))
        return 0;
    if (take(&line, ',') && !take_number(&line, &mapping->count)) return 0;
    if (!take(&line, ':') || !take_number(&line, &mapping->to)) return 0;
    if (take(&line, ',') && !take_number(&line, &ignored)) return 0;
    if (line.length) return 0;
    if (!(file = file_of(files, files_count, id))) return 0;
    mapping->file = file->name;
    mapping->class_name = file->class_name;
    return 1;
}

static uint32_t count_lines(const struct text *text) {
    uint32_t n = 1;
    for (const uint8_t *p = text->at; p < text->end; p++) n += *p == '\n' || *p == '\r';
    return n;
}

static int read_text(struct cover_smap *smap, const struct cf_class *cls, struct text text) {
    struct cf_slice line;
    uint32_t lines = count_lines(&text), files_count = 0, count = 0;
    struct file *files = cf_arena_alloc(cls->arena, lines * sizeof *files);
    struct cover_mapping *list = cf_arena_alloc(cls->arena, lines * sizeof *list);
    if (!files || !list) return -1;
    if (!expect(&text, "SMAP") || !next_line(&text, &line) || !expect(&text, "Kotlin") ||
        !expect(&text, "*S Kotlin") || !expect(&text, "*F"))
        return 0;
    for (;;) {
        if (!next_line(&text, &line)) return 0;
        if (CF_IS(line, "*L")) break;
        files[files_count].number = files_count;
        if (!read_file(&text, line, &files[files_count++])) return 0;
    }
    qsort(files, files_count, sizeof *files, by_id);
    for (;;) {
        if (!next_line(&text, &line)) return 0;
        if (CF_IS(line, "*E") || CF_IS(line, "*S KotlinDebug")) break;
        if (!read_mapping(line, files, files_count, &list[count++])) return 0;
    }
    *smap = (struct cover_smap){list, count};
    return 0;
}

int cover_smap_read(struct cover_smap *smap, const struct cf_class *cls) {
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_class_attributes(cls, &ignored);
    struct cf_attribute a;
    *smap = (struct cover_smap){NULL, 0};
    while (cf_next_attribute(&walk, &a)) {
        const uint8_t *start = cls->bytes + a.info;
        if (CF_IS(a.name, "SourceDebugExtension"))
            return read_text(smap, cls, (struct text){start, start + a.length});
    }
    return 0;
}
