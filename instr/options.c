// The parser of options.

#include "instr/options.h"
#include "instr/options_names.h"
#include "instr/options_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 8, MOST_CONFIG = 1 << 20, MOST_TOP = 1000000, GIVEN_PASS = 1u << 31 };
static const uint64_t LEAST_MEMORY = 64u << 10, MOST_MEMORY = (uint64_t)1 << 40;

struct parser {
    struct instr_options *options;
    struct instr_pass_options *passes; // of all passes there are, in the order of the table
    unsigned given;                    // bit per row of instr_option_rows
    const char *file;                  // being read, NULL: the list
    unsigned line, depth;
    char *error;
    size_t error_size;
};

// Composes the error line. What came from outside is shown without control characters and not at
// length.
__attribute__((format(printf, 3, 4))) static int fail(struct parser *p, const char *key,
                                                      const char *format, ...) {
    char reason[INSTR_ERROR_SIZE], shown[INSTR_ERROR_SIZE], where[160] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (p->file) snprintf(where, sizeof where, "%.100s:%u: ", p->file, p->line);
    if (!*key)
        snprintf(shown, sizeof shown, "instr: %soptions: %.250s", where, reason);
    else
        snprintf(shown, sizeof shown, "instr: %soption '%.64s%s': %.250s", where, key,
                 strlen(key) > 64 ? "..." : "", reason);
    for (char *c = shown; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    snprintf(p->error, p->error_size, "%s", shown);
    return -1;
}

static int no_memory(struct parser *p, const char *key) {
    return fail(p, key, "out of memory");
}

// --- values ---

static int set_text(struct parser *p, const char *key, const char *value, char **field) {
    *field = strdup(value);
    return *field ? 0 : no_memory(p, key);
}

static int set_file(struct parser *p, const char *key, const char *value, char **field) {
    for (const char *c = value; *c; c++) {
        if (*c != '%') continue;
        if (c[1] != 'p' && c[1] != '%')
            return fail(p, key,
                        "in a file name only %%p (the process id) and %%%% may follow a %%");
        c++;
    }
    return set_text(p, key, value, field);
}

// The number of `value` among the words of `words`, "a|b|c"; -1 if it is none.
static int choice_index(const char *words, const char *value) {
    size_t length = strlen(value);
    for (int i = 0;; i++) {
        size_t n = strcspn(words, "|");
        if (n == length && memcmp(words, value, n) == 0) return i;
        if (!words[n]) return -1;
        words += n + 1;
    }
}

static int set_choice(struct parser *p, const char *key, const char *value, const char *words,
                      int *field) {
    int i = choice_index(words, value);
    if (i < 0) {
        const char *bar = strchr(words, '|');
        return fail(p, key, "must be %.*s or %s, not '%.64s'", (int)(bar - words), words, bar + 1,
                    value);
    }
    *field = i;
    return 0;
}

// Digits only; -1 for anything else and for what does not fit.
static int read_number(const char *value, const char **end, uint64_t *number) {
    uint64_t n = 0;
    const char *c = value;
    for (; *c >= '0' && *c <= '9'; c++) {
        if (n > (UINT64_MAX - 9) / 10) return -1;
        n = n * 10 + (uint64_t)(*c - '0');
    }
    *end = c;
    *number = n;
    return c == value ? -1 : 0;
}

static int set_number(struct parser *p, const char *key, const char *value, unsigned *field) {
    const char *end = value;
    uint64_t number = 0;
    if (read_number(value, &end, &number) != 0 || *end || number > MOST_TOP)
        return fail(p, key, "must be a number from 0 to %d, not '%.64s'", MOST_TOP, value);
    *field = (unsigned)number;
    return 0;
}

int instr_option_size(const char *text, uint64_t *size) {
    const char *end = text;
    uint64_t number = 0;
    unsigned shift = 0;
    int bad = read_number(text, &end, &number) != 0;
    if (!bad && *end) {
        const char *unit = strchr("kKmMgG", *end);
        bad = !unit || end[1] != '\0';
        if (!bad) shift = (unsigned)(1 + (strchr("kKmMgG", *end) - "kKmMgG") / 2) * 10;
    }
    if (bad || number > MOST_MEMORY >> shift) return -1;
    *size = number << shift;
    return 0;
}

static int set_size(struct parser *p, const char *key, const char *value, uint64_t *field) {
    uint64_t size = 0;
    if (instr_option_size(value, &size) != 0 || size < LEAST_MEMORY)
        return fail(p, key, "must be a size from 64K to 1024G, such as 8M, not '%.64s'", value);
    *field = size;
    return 0;
}

static int add_patterns(struct parser *p, const char *key, const char *value,
                        struct instr_match **field) {
    char reason[256];
    if (!*field) *field = instr_match_new();
    if (!*field) return no_memory(p, key);
    if (instr_match_add(*field, value, reason, sizeof reason) != 0)
        return fail(p, key, "%s", reason);
    return 0;
}

static int read_config(struct parser *p, const char *name);

// Sets the field at `field` from `value`, as its kind wants it.
static int set_value(struct parser *p, const struct instr_option_row *row, const char *key,
                     const char *value, void *field) {
    switch (row->kind) {
    case INSTR_KIND_PATTERNS: return add_patterns(p, key, value, field);
    case INSTR_KIND_CHOICE: return set_choice(p, key, value, row->argument, field);
    case INSTR_KIND_FILE: return set_file(p, key, value, field);
    case INSTR_KIND_SIZE: return set_size(p, key, value, field);
    case INSTR_KIND_NUMBER: return set_number(p, key, value, field);
    case INSTR_KIND_CONFIG: return read_config(p, value);
    }
    return fail(p, key, "is of no known kind");
}

// --- keys ---

static int unknown(struct parser *p, const char *key) {
    char nearest[INSTR_NAME_SIZE];
    instr_nearest_option(key, nearest);
    return fail(p, key, "unknown; did you mean '%s'?", nearest);
}

// Marks `bit` in `given`; an error if it is there already.
static int give_once(struct parser *p, const char *key, unsigned *given, unsigned bit) {
    if (*given & bit) return fail(p, key, "given twice");
    *given |= bit;
    return 0;
}

static int add_pass(struct parser *p, const char *name, struct instr_pass_options *pass) {
    if (give_once(p, name, &pass->given, GIVEN_PASS) != 0) return -1;
    struct instr_pass_options *on = &p->options->passes[p->options->pass_count++];
    on->pass = pass->pass; // the rest is filled in when all has been read
    return 0;
}

// A key without its value. A pass is complete this way.
static int parse_word(struct parser *p, const char *word) {
    for (size_t i = 0; rw_passes[i]; i++)
        if (strcmp(rw_passes[i]->name, word) == 0) return add_pass(p, word, &p->passes[i]);
    const char *argument = instr_option_argument(word);
    if (argument) return fail(p, word, "needs a value: %.64s=%s", word, argument);
    return unknown(p, word);
}

static int parse_global(struct parser *p, size_t i, const char *value) {
    const struct instr_option_row *row = &instr_option_rows[i];
    int again = row->kind == INSTR_KIND_PATTERNS || row->kind == INSTR_KIND_CONFIG;
    if (!again && give_once(p, row->key, &p->given, 1u << i) != 0) return -1;
    return set_value(p, row, row->key, value, (char *)p->options + row->offset);
}

// The pass's own option.
static int parse_own(struct parser *p, struct instr_pass_options *pass, size_t i, const char *key,
                     const char *value) {
    size_t count = 0;
    while (pass->pass->options[count].key) count++;
    if (!pass->values) pass->values = calloc(count, sizeof *pass->values);
    if (!pass->values) return no_memory(p, key);
    if (pass->values[i]) return fail(p, key, "given twice");
    const char *words = pass->pass->options[i].argument;
    int chosen = 0;
    uint64_t bytes = 0;
    if (strchr(words, '|') && set_choice(p, key, value, words, &chosen) != 0) return -1;
    if (strcmp(words, "SIZE") == 0 && (instr_option_size(value, &bytes) != 0 || bytes == 0))
        return fail(p, key, "must be a size, such as 512K, not '%.64s'", value);
    if (strcmp(words, "FILE") == 0) return set_file(p, key, value, &pass->values[i]);
    return set_text(p, key, value, &pass->values[i]);
}

// `key` is pass.name=; `name` points behind the dot.
static int parse_pass_option(struct parser *p, struct instr_pass_options *pass, const char *key,
                             const char *name, const char *value) {
    for (size_t i = 0; instr_pass_option_rows[i].key; i++) {
        const struct instr_option_row *row = &instr_pass_option_rows[i];
        if (strcmp(row->key, name) != 0 || !instr_pass_has(pass->pass, row)) continue;
        if (give_once(p, key, &pass->given, 1u << i) != 0) return -1;
        return set_value(p, row, key, value, (char *)pass + row->offset);
    }
    for (size_t i = 0; pass->pass->options && pass->pass->options[i].key; i++)
        if (strcmp(pass->pass->options[i].key, name) == 0) return parse_own(p, pass, i, key, value);
    return unknown(p, key);
}

static int parse_pair(struct parser *p, const char *key, const char *value) {
    for (size_t i = 0; instr_option_rows[i].key; i++) {
        if (strcmp(instr_option_rows[i].key, key) != 0) continue;
        return *value ? parse_global(p, i, value) : fail(p, key, "has an empty value");
    }
    for (size_t i = 0; rw_passes[i]; i++) {
        size_t n = strlen(rw_passes[i]->name);
        if (strncmp(rw_passes[i]->name, key, n) != 0) continue;
        if (key[n] == '\0') return fail(p, key, "is a pass and takes no value");
        if (key[n] != '.') continue;
        if (!instr_option_argument(key)) return unknown(p, key);
        if (!*value) return fail(p, key, "has an empty value");
        return parse_pass_option(p, &p->passes[i], key, key + n + 1, value);
    }
    return unknown(p, key);
}

// Without blanks at both ends; cuts `text` itself.
static char *trim(char *text) {
    while (*text == ' ' || *text == '\t') text++;
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1])) n--;
    text[n] = '\0';
    return text;
}

// One word or pair; `item` is written to.
static int parse_item(struct parser *p, char *item) {
    char *equals = strchr(item, '=');
    if (!equals) return parse_word(p, trim(item));
    *equals = '\0';
    return parse_pair(p, trim(item), trim(equals + 1));
}

// --- lists and files ---

// Cuts the list at its commas, taking the escapes out of each item.
static int parse_list(struct parser *p, const char *list) {
    char *item = malloc(strlen(list) + 1);
    if (!item) return no_memory(p, "config");
    int result = 0;
    const char *c = list;
    while (result == 0 && *list) {
        size_t n = 0;
        for (; *c && *c != ','; c++) {
            if (*c == '\\' && (c[1] == ',' || c[1] == '\\')) c++;
            item[n++] = *c;
        }
        item[n] = '\0';
        result =
            *trim(item) ? parse_item(p, item) : fail(p, "", "nothing stands between two commas");
        if (!*c++) break;
    }
    free(item);
    return result;
}

static int parse_lines(struct parser *p, char *text, size_t length) {
    for (char *line = text, *end = text + length; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline) newline = end;
        p->line++;
        if (memchr(line, '\0', (size_t)(newline - line)))
            return fail(p, "config", "a NUL byte: this is no text file");
        *newline = '\0';
        char *item = trim(line);
        if (*item && *item != '#' && parse_item(p, item) != 0) return -1;
        line = newline + 1;
    }
    return 0;
}

// The whole file, with room for one more byte. NULL after an error.
static char *read_whole(struct parser *p, const char *name, size_t *length) {
    FILE *file = fopen(name, "re");
    if (!file) {
        fail(p, "config", "%.120s: %s", name, strerror(errno));
        return NULL;
    }
    char *text = malloc(MOST_CONFIG + 1);
    *length = text ? fread(text, 1, MOST_CONFIG + 1, file) : 0;
    int failed = !text || ferror(file) || *length > MOST_CONFIG;
    if (!text)
        no_memory(p, "config");
    else if (ferror(file))
        fail(p, "config", "%.120s: %s", name, strerror(errno));
    else if (failed)
        fail(p, "config", "%.120s: larger than 1 MB", name);
    fclose(file);
    if (!failed) return text;
    free(text);
    return NULL;
}

static int read_config(struct parser *p, const char *name) {
    if (p->depth == MOST_DEPTH)
        return fail(p, "config", "files name each other more than %d deep", MOST_DEPTH);
    size_t length = 0;
    char *text = read_whole(p, name, &length);
    if (!text) return -1;
    const char *file = p->file;
    unsigned line = p->line;
    p->file = name;
    p->line = 0;
    p->depth++;
    p->options->config++;
    int result = parse_lines(p, text, length);
    p->depth--;
    p->file = file;
    p->line = line;
    free(text);
    return result;
}

// --- the whole ---

static void free_pass(struct instr_pass_options *pass) {
    free(pass->file);
    for (size_t i = 0; pass->values && pass->pass->options[i].key; i++) free(pass->values[i]);
    free(pass->values);
    pass->file = NULL;
    pass->values = NULL;
}

static int prepare(struct parser *p) {
    size_t count = 0;
    while (rw_passes[count]) count++;
    p->options->passes = calloc(count + 1, sizeof *p->options->passes);
    p->passes = calloc(count + 1, sizeof *p->passes);
    if (!p->options->passes || !p->passes) return no_memory(p, "");
    for (size_t i = 0; i < count; i++) {
        p->passes[i].pass = rw_passes[i];
        p->passes[i].top = INSTR_TOP_DEFAULT;
    }
    return 0;
}

// Hands what was said of each pass over to those that are on.
static int settle(struct parser *p) {
    for (size_t i = 0; p->passes[i].pass; i++) {
        struct instr_pass_options *pass = &p->passes[i];
        if ((!pass->given && !pass->values) || pass->given & GIVEN_PASS) continue;
        char key[64];
        snprintf(key, sizeof key, "%.60s.*", pass->pass->name);
        return fail(p, key, "the pass is not switched on; add '%s'", pass->pass->name);
    }
    for (size_t k = 0; k < p->options->pass_count; k++)
        for (size_t i = 0; p->passes[i].pass; i++) {
            if (p->passes[i].pass != p->options->passes[k].pass) continue;
            p->options->passes[k] = p->passes[i];
            p->passes[i].file = NULL;
            p->passes[i].values = NULL;
        }
    return 0;
}

int instr_options_parse(struct instr_options *options, const char *text, char *error, size_t size) {
    memset(options, 0, sizeof *options);
    struct parser parser = {.options = options, .error = error, .error_size = size};
    if (size > 0) error[0] = '\0';
    int result = prepare(&parser);
    if (result == 0) result = parse_list(&parser, text ? text : "");
    if (result == 0) result = settle(&parser);
    for (size_t i = 0; parser.passes && parser.passes[i].pass; i++) free_pass(&parser.passes[i]);
    free(parser.passes);
    if (result != 0) instr_options_free(options);
    return result;
}

void instr_options_free(struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) free_pass(&options->passes[i]);
    free(options->passes);
    instr_match_free(options->include);
    instr_match_free(options->exclude);
    free(options->stats);
    free(options->facts);
    memset(options, 0, sizeof *options);
}
