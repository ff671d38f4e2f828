// The table of options: lookup, walk, and the nearest name to a mistyped one.

#include "instr/options/names.h"
#include "instr/options.h"
#include "instr/options/table.h"

#include <ctype.h>
#include <string.h>

#define ROW(field, key, kind, argument, help)                                                      \
    {key, INSTR_KIND_##kind, offsetof(struct instr_options, field), argument, help},
const struct instr_option_row instr_option_rows[] = {
    INSTR_OPTIONS(ROW){NULL, INSTR_KIND_FILE, 0, NULL, NULL}};
#undef ROW

#define ROW(field, key, kind, argument, help)                                                      \
    {key, INSTR_KIND_##kind, offsetof(struct instr_pass_options, field), argument, help},
const struct instr_option_row instr_pass_option_rows[] = {
    INSTR_PASS_OPTIONS(ROW){NULL, INSTR_KIND_FILE, 0, NULL, NULL}};
#undef ROW

enum { MOST_SOURCES = 8 };

static const struct instr_pass_source *sources[MOST_SOURCES];
static size_t source_count;

void instr_options_add_source(const struct instr_pass_source *source) {
    for (size_t i = 0; i < source_count; i++)
        if (sources[i] == source) return;
    if (source_count < MOST_SOURCES) sources[source_count++] = source;
}

const struct instr_pass_source *instr_option_source(const char *key, size_t length) {
    for (size_t i = 0; i < source_count; i++)
        if (strlen(sources[i]->key) == length && memcmp(sources[i]->key, key, length) == 0)
            return sources[i];
    return NULL;
}

char *instr_option_words(const char *argument, unsigned bits, char text[INSTR_WORDS_SIZE]) {
    size_t n = 0;
    *text = '\0';
    for (unsigned i = 0; argument; i++) {
        size_t length = strcspn(argument, ":");
        if (bits >> i & 1)
            n += (size_t)snprintf(text + n, INSTR_WORDS_SIZE - n, "%s%.*s", n ? ":" : "",
                                  (int)length, argument);
        argument = argument[length] ? argument + length + 1 : NULL;
    }
    return text;
}

int instr_pass_has(const struct rw_pass *pass, const struct instr_option_row *row) {
    if (row->kind == INSTR_KIND_PATTERNS) return !(pass->flags & RW_NAMES_METHODS);
    if (row->kind == INSTR_KIND_DURATION) return 1;
    if (pass->flags & RW_NO_RESULTS) return 0;
    return !(pass->flags & RW_NO_TABLE) || strcmp(row->key, "top") != 0;
}

typedef void each_option(void *context, const char *name, const char *argument, const char *help);

static void each_of_pass(const struct rw_pass *pass, each_option *each, void *context) {
    char name[INSTR_NAME_SIZE];
    for (size_t i = 0; instr_pass_option_rows[i].key; i++) {
        const struct instr_option_row *row = &instr_pass_option_rows[i];
        if (!instr_pass_has(pass, row)) continue;
        snprintf(name, sizeof name, "%s.%s", pass->name, row->key);
        int own = pass->file_help && strcmp(row->key, "file") == 0;
        each(context, name, row->argument, own ? pass->file_help : row->help);
    }
    for (size_t i = 0; pass->options && pass->options[i].key; i++) {
        snprintf(name, sizeof name, "%s.%s", pass->name, pass->options[i].key);
        each(context, name, pass->options[i].argument, pass->options[i].help);
    }
}

void instr_each_option(each_option *each, void *context) {
    for (size_t i = 0; i < rw_pass_count(); i++)
        each(context, rw_pass_at(i)->name, NULL, rw_pass_at(i)->help);
    for (size_t i = 0; instr_option_rows[i].key; i++) {
        const struct instr_option_row *row = &instr_option_rows[i];
        each(context, row->key, row->argument, row->help);
    }
    for (size_t i = 0; i < rw_pass_count(); i++) each_of_pass(rw_pass_at(i), each, context);
    for (size_t i = 0; i < source_count; i++)
        each(context, sources[i]->key, sources[i]->argument, sources[i]->help);
    if (source_count)
        each(context, "name", "NAME", "the name of what the option before it has made");
}

struct argument_search {
    const char *key, *argument;
};

static void look_at(void *context, const char *name, const char *argument, const char *help) {
    struct argument_search *search = context;
    (void)help;
    if (strcmp(name, search->key) == 0) search->argument = argument;
}

const char *instr_option_argument(const char *key) {
    struct argument_search search = {key, NULL};
    instr_each_option(look_at, &search);
    return search.argument;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

unsigned instr_name_distance(const char *a, const char *b) {
    unsigned rows[3][64];
    unsigned n = least((unsigned)strlen(a), 63), m = least((unsigned)strlen(b), 63);
    for (unsigned j = 0; j <= m; j++) rows[0][j] = j;
    for (unsigned i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned replaced = above[j - 1] + (tolower((unsigned char)a[i - 1]) != b[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

struct name_search {
    const char *key;
    unsigned distance;
    char *name;
};

static void compare(void *context, const char *name, const char *argument, const char *help) {
    struct name_search *search = context;
    (void)argument;
    (void)help;
    unsigned d = instr_name_distance(search->key, name);
    const char *dot = strchr(name, '.'); // the user may have forgotten the pass
    if (dot) d = least(d, instr_name_distance(search->key, dot + 1) + 1);
    if (d >= search->distance) return;
    search->distance = d;
    snprintf(search->name, INSTR_NAME_SIZE, "%s", name);
}

void instr_nearest_option(const char *key, char name[INSTR_NAME_SIZE]) {
    struct name_search search = {key, 1000, name};
    *name = '\0';
    instr_each_option(compare, &search);
}
