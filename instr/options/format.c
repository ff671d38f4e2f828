// Options as text again, and the file names that options stand for.

#include "instr/base/array.h"
#include "instr/options.h"
#include "instr/options/names.h"
#include "instr/options/terms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- formatting ---

struct text {
    char *bytes; // NULL: out of memory, or nothing yet
    size_t length, capacity;
    int failed;
};

static void put(struct text *t, char c) {
    if (!t->failed) t->failed = !INSTR_ARRAY_RESERVE(t->bytes, t->capacity, t->length + 1);
    if (!t->failed) t->bytes[t->length++] = c;
}

static void put_text(struct text *t, const char *text) {
    for (; *text; text++) put(t, *text);
}

static void put_key(struct text *t, const char *pass, const char *key) {
    if (t->length > 0) put(t, ',');
    if (pass) put_text(t, pass);
    if (pass && key) put(t, '.');
    if (key) put_text(t, key);
}

static void put_pair(struct text *t, const char *pass, const char *key, const char *value) {
    put_key(t, pass, key);
    put(t, '=');
    for (; *value; value++) {
        if (*value == ',' || *value == '\\') put(t, '\\');
        put(t, *value);
    }
}

static void put_choice(struct text *t, const struct instr_option_row *row, int chosen) {
    const char *word = row->argument;
    for (int i = 0; i < chosen; i++) word = strchr(word, '|') + 1;
    put_key(t, NULL, row->key);
    put(t, '=');
    for (; *word && *word != '|'; word++) put(t, *word);
}

// 1500ms, 30s: uses the largest unit that gives a whole number.
static const char *format_duration(uint64_t nanoseconds, char text[32]) {
    static const char *const units[] = {"us", "ms", "s", "m", "h"};
    static const unsigned steps[] = {1000, 1000, 60, 60};
    uint64_t n = nanoseconds / 1000;
    unsigned i = 0;
    for (; i < 4 && n % steps[i] == 0; i++) n /= steps[i];
    snprintf(text, 32, "%" PRIu64 "%s", n, units[i]);
    return text;
}

// Writes an option unless it has its default value.
static void put_row(struct text *t, const char *pass, const struct instr_option_row *row,
                    const void *field) {
    char number[INSTR_WORDS_SIZE];
    switch (row->kind) {
    case INSTR_KIND_PATTERNS: {
        const struct instr_match *match = *(struct instr_match *const *)field;
        if (match) put_pair(t, pass, row->key, instr_match_text(match));
        break;
    }
    case INSTR_KIND_CHOICE:
        if (*(const int *)field) put_choice(t, row, *(const int *)field);
        break;
    case INSTR_KIND_FILE:
    case INSTR_KIND_SOCKET:
        if (*(char *const *)field) put_pair(t, pass, row->key, *(char *const *)field);
        break;
    case INSTR_KIND_SIZE:
        if (!*(const uint64_t *)field) break;
        snprintf(number, sizeof number, "%" PRIu64, *(const uint64_t *)field);
        put_pair(t, pass, row->key, number);
        break;
    case INSTR_KIND_NUMBER:
        if (*(const unsigned *)field == INSTR_TOP_DEFAULT) break;
        snprintf(number, sizeof number, "%u", *(const unsigned *)field);
        put_pair(t, pass, row->key, number);
        break;
    case INSTR_KIND_COUNT:
        if (!*(const unsigned *)field) break;
        snprintf(number, sizeof number, "%u", *(const unsigned *)field);
        put_pair(t, pass, row->key, number);
        break;
    case INSTR_KIND_DURATION:
        if (!*(const uint64_t *)field) break;
        put_pair(t, pass, row->key, format_duration(*(const uint64_t *)field, number));
        break;
    case INSTR_KIND_PERCENT:
        if (!*(const unsigned *)field) break;
        snprintf(number, sizeof number, "%u.%03u%%", *(const unsigned *)field / 1000,
                 *(const unsigned *)field % 1000);
        put_pair(t, pass, row->key,
                 *(const unsigned *)field == INSTR_ANY_OVERHEAD ? "off" : number);
        break;
    case INSTR_KIND_WORDS:
        if (!*(const unsigned *)field) break;
        put_pair(t, pass, row->key,
                 instr_option_words(row->argument, *(const unsigned *)field, number));
        break;
    case INSTR_KIND_CONFIG: break; // the options that the files hold are written instead
    }
}

// `scope`: with the patterns of the pass.
static void put_pass(struct text *t, const struct instr_pass_options *pass, int scope) {
    const char *name = pass->pass->name;
    const struct rw_made *made = pass->pass->made;
    if (!made) put_key(t, name, NULL);
    if (made) put_pair(t, NULL, made->kind, made->text);
    if (made && *name) put_pair(t, NULL, "name", name);
    for (const struct instr_option_row *row = instr_pass_option_rows; row->key; row++)
        if (scope || row->kind != INSTR_KIND_PATTERNS)
            put_row(t, name, row, (const char *)pass + row->offset);
    for (size_t i = 0; pass->values && pass->pass->options[i].key; i++)
        if (pass->values[i]) put_pair(t, name, pass->pass->options[i].key, pass->values[i]);
}

char *instr_options_format(const struct instr_options *options) {
    struct text t = {0};
    const struct instr_match *include, *exclude;
    int common = instr_scope_common(options, &include, &exclude);
    for (size_t i = 0; i < options->pass_count; i++) put_pass(&t, &options->passes[i], !common);
    struct instr_options shown = *options;
    instr_option_terms_common(&shown);
    for (const struct instr_option_row *row = instr_option_rows; row->key; row++) {
        const void *field = (const char *)&shown + row->offset;
        if (field == &shown.include) field = &include;
        if (field == &shown.exclude) field = &exclude;
        put_row(&t, NULL, row, field);
    }
    put(&t, '\0');
    if (!t.failed) return t.bytes;
    free(t.bytes);
    return NULL;
}

// --- file names ---

int instr_is_encoded(const char *percent) {
    return isxdigit((unsigned char)percent[1]) && isxdigit((unsigned char)percent[2]);
}

char *instr_expand_file(const char *pattern, long pid) {
    char number[24];
    snprintf(number, sizeof number, "%ld", pid);
    struct text t = {0};
    for (const char *c = pattern; *c; c++) {
        if (c[0] != '%' || !c[1] || instr_is_encoded(c)) {
            put(&t, *c);
        } else if (*++c == 'p') {
            put_text(&t, number);
        } else {
            put(&t, *c);
        }
    }
    put(&t, '\0');
    if (!t.failed) return t.bytes;
    free(t.bytes);
    return NULL;
}
