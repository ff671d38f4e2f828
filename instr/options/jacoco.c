#include "instr/options/jacoco.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { FILE_NAME, TEXT, YES_NO, PATTERNS, FIXED };

static const struct row {
    const char *name;
    enum kind kind;
    const char *key; // ours; FIXED: the only value that is possible, NULL: none
} rows[] = {
    {"destfile", FILE_NAME, "coverage.file"},
    {"append", YES_NO, "coverage.append"},
    {"includes", PATTERNS, "coverage.include"},
    {"excludes", PATTERNS, "coverage.exclude"},
    {"sessionid", TEXT, "coverage.session"},
    {"inclbootstrapclasses", YES_NO, "coverage.bootstrap"},
    {"inclnolocationclasses", YES_NO, "coverage.nolocation"},
    {"exclclassloader", FIXED, "sun.reflect.DelegatingClassLoader"},
    {"dumponexit", FIXED, "true"},
    {"output", FIXED, "file"},
    {"jmx", FIXED, "false"},
    {"address", FIXED, NULL},
    {"port", FIXED, NULL},
    {"classdumpdir", FIXED, NULL},
};

struct translation {
    struct instr_option_parser *parser;
    int (*set)(struct instr_option_parser *parser, const char *key, const char *value);
    int all;       // there are no patterns, or they are `*`
    int bootstrap; // inclbootstrapclasses; -1: not given
    char name[80]; // of the option at hand, for errors
};

// The number of characters of the option at `text`, without the comma behind it.
static size_t option_length(const char *text) {
    const char *c = text;
    for (; *c; c++) {
        if (*c != ',') continue;
        const char *name = c + 1;
        while (isalnum((unsigned char)*name) || *name == '_' || *name == '-') name++;
        if (*name == '=' && name > c + 1) break;
    }
    return (size_t)(c - text);
}

// In JaCoCo's file names % has no meaning.
static void double_percents(const char *value, char *out) {
    for (; *value; value++) {
        *out++ = *value;
        if (*value == '%') *out++ = '%';
    }
    *out = '\0';
}

// JaCoCo's * also stands for dots, as ours does if it is doubled. Lists that a build puts together may
// have empty parts, which match nothing.
static void translate_patterns(const char *value, char *out) {
    for (const char *start = out; *value; value++) {
        if (*value == '*' && value[1] == '*') continue;
        if (*value == ':' && (out == start || value[1] == ':' || !value[1])) continue;
        *out++ = *value;
        if (*value == '*') *out++ = '*';
    }
    *out = '\0';
}

static int set_patterns(struct translation *t, const struct row *row, const char *value,
                        char *out) {
    if (strchr(value, '?'))
        return instr_option_fail(t->parser, t->name, "the wildcard ? is not offered");
    translate_patterns(value, out);
    if (!*out) return 0;
    if (strcmp(row->name, "includes") == 0) t->all = strcmp(out, "**") == 0;
    if (strcmp(row->name, "includes") == 0 && t->all) return 0;
    return t->set(t->parser, row->key, out);
}

static int set_fixed(const struct translation *t, const struct row *row, const char *value) {
    if (!row->key) return instr_option_fail(t->parser, t->name, "is not offered");
    if (strcmp(value, row->key) == 0) return 0;
    return instr_option_fail(t->parser, t->name, "is offered only as %s", row->key);
}

static int set_yes_no(struct translation *t, const struct row *row, const char *value) {
    int yes = strcasecmp(value, "true") == 0;
    if (!yes && strcasecmp(value, "false") != 0)
        return instr_option_fail(t->parser, t->name, "must be true or false, not '%.64s'", value);
    if (strcmp(row->name, "inclbootstrapclasses") == 0) t->bootstrap = yes;
    return t->set(t->parser, row->key, yes ? "yes" : "no");
}

static int set_option(struct translation *t, const char *name, const char *value, char *out) {
    const struct row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !row; i++)
        if (strcmp(rows[i].name, name) == 0) row = &rows[i];
    if (!row)
        return instr_option_fail(t->parser, t->name,
                                 "JaCoCo's agent has no such option; jacoco: has to stand last");
    if (!*value) return 0; // as a build writes it whose property has no value: as if not given
    switch (row->kind) {
    case FILE_NAME: double_percents(value, out); return t->set(t->parser, row->key, out);
    case TEXT: return t->set(t->parser, row->key, value);
    case PATTERNS: return set_patterns(t, row, value, out);
    case YES_NO: return set_yes_no(t, row, value);
    case FIXED: break;
    }
    return set_fixed(t, row, value);
}

// Modifies `text`. `out` has room for twice its length.
static int translate(struct translation *t, char *text, char *out) {
    while (*text) {
        size_t length = option_length(text);
        char *next = text + length + (text[length] == ',');
        text[length] = '\0';
        char *equals = strchr(text, '=');
        if (equals) *equals = '\0';
        snprintf(t->name, sizeof t->name, "coverage=jacoco:%.60s", text);
        if (!equals) return instr_option_fail(t->parser, t->name, "needs a value");
        if (set_option(t, text, equals + 1, out) != 0) return -1;
        text = next;
    }
    if (t->bootstrap < 0 && t->set(t->parser, "coverage.bootstrap", "no") != 0) return -1;
    return t->bootstrap > 0 && t->all ? t->set(t->parser, "coverage.include", "**") : 0;
}

// --- hints ---

static const char *without(const char *key, const char *prefix) {
    size_t n = strlen(prefix);
    return strncasecmp(key, prefix, n) == 0 ? key + n : key;
}

bool instr_jacoco_hint(const char *key, char *text, size_t size) {
    static const char start[] = "an option of JaCoCo's agent; write it behind coverage=jacoco:";
    const char *name = without(without(key, "coverage."), "jacoco:");
    const struct row *row = rows, *end = rows + sizeof rows / sizeof *rows;
    while (row < end && strcasecmp(row->name, name) != 0) row++;
    if (row == end) {
        if (strncmp(key, "jacoco:", 7) != 0) return false;
        snprintf(text, size, "options of JaCoCo's agent stand behind coverage=jacoco:");
    } else if (row->kind != FIXED) {
        snprintf(text, size, "%s or as %s%s", start, row->key,
                 row->kind == PATTERNS ? ", whose ** is JaCoCo's *" : "");
    } else if (row->key) {
        snprintf(text, size, "%s, where it can only be %s", start, row->key);
    } else {
        snprintf(text, size,
                 "an option of JaCoCo's agent, whose options stand behind "
                 "coverage=jacoco:; this one is not offered there either");
    }
    return true;
}

int instr_jacoco_options(struct instr_option_parser *parser, const char *text,
                         int (*set)(struct instr_option_parser *parser, const char *key,
                                    const char *value)) {
    struct translation t = {parser, set, 1, -1, ""};
    char *copy = strdup(text), *out = malloc(2 * strlen(text) + 1);
    int result =
        copy && out ? translate(&t, copy, out) : instr_option_no_memory(parser, "coverage");
    free(copy);
    free(out);
    return result;
}
