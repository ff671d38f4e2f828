// The parser of options: lists, keys and files.

#include "instr/options.h"
#include "instr/base/file.h"
#include "instr/options/jacoco.h"
#include "instr/options/parse.h"
#include "rewriters/watch_methods.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_DEPTH = 8,
    MOST_CONFIG = 1 << 20,
    // Bits of instr_pass_options.given, beside one for each row of instr_pass_option_rows:
    GIVEN_PASS = 1u << 31, // the text names the pass
    ON_ALREADY = 1u << 30, // the pass was on before
    FIRST_OWN = 8          // number of the first bit for the pass's own options
};

// --- keys ---

static int unknown(struct instr_option_parser *p, const char *key) {
    char nearest[INSTR_NAME_SIZE];
    if (p->file && strpbrk(key, ", \t"))
        return instr_option_fail(p, key, "unknown; in a file, write one option per line");
    instr_nearest_option(key, nearest);
    return instr_option_fail(p, key, "unknown; did you mean '%s'?", nearest);
}

// Sets `bit` in `given`; an error if it is already set.
static int give_once(struct instr_option_parser *p, const char *key, unsigned *given,
                     unsigned bit) {
    if (*given & bit) return instr_option_fail(p, key, "given twice");
    *given |= bit;
    return 0;
}

static int add_pass(struct instr_option_parser *p, const char *name,
                    struct instr_pass_options *pass) {
    if (p->only_values)
        return instr_option_fail(p, name, "is a pass; only values can be set: key=value");
    if (give_once(p, name, &pass->given, GIVEN_PASS) != 0) return -1;
    if (pass->given & ON_ALREADY) return 0;
    struct instr_pass_options *on = &p->options->passes[p->options->pass_count++];
    on->pass = pass->pass; // settle() fills in the rest
    return 0;
}

// A word without a value: a pass, or a mistake.
static int parse_word(struct instr_option_parser *p, const char *word) {
    for (size_t i = 0; rw_passes[i]; i++)
        if (strcmp(rw_passes[i]->name, word) == 0) return add_pass(p, word, &p->passes[i]);
    const char *argument = instr_option_argument(word);
    if (argument) return instr_option_fail(p, word, "needs a value: %.64s=%s", word, argument);
    return unknown(p, word);
}

static int read_config(struct instr_option_parser *p, const char *name);

// Patterns accumulate within one text, but replace those of the options that the text changes.
static void forget_patterns(struct instr_match **field) {
    instr_match_free(*field);
    *field = NULL;
}

static int parse_global(struct instr_option_parser *p, size_t i, const char *value) {
    const struct instr_option_row *row = &instr_option_rows[i];
    void *field = (char *)p->options + row->offset;
    if (row->kind == INSTR_KIND_CONFIG) return read_config(p, value);
    if (row->kind == INSTR_KIND_PATTERNS && !(p->given & 1u << i)) forget_patterns(field);
    if (row->kind != INSTR_KIND_PATTERNS && give_once(p, row->key, &p->given, 1u << i) != 0)
        return -1;
    p->given |= 1u << i;
    return instr_option_set(p, row, row->key, value, field);
}

// An option of this pass alone.
static int parse_own(struct instr_option_parser *p, struct instr_pass_options *pass, size_t i,
                     const char *key, const char *value) {
    size_t count = 0;
    while (pass->pass->options[count].key) count++;
    if (!pass->values) pass->values = calloc(count, sizeof *pass->values);
    if (!pass->values) return instr_option_no_memory(p, key);
    if (give_once(p, key, &pass->given, 1u << (FIRST_OWN + i)) != 0) return -1;
    const char *words = pass->pass->options[i].argument;
    int chosen = 0;
    uint64_t bytes = 0;
    if (strchr(words, '|') && instr_option_set_choice(p, key, value, words, &chosen) != 0)
        return -1;
    if (strcmp(words, "SIZE") == 0 && (instr_option_size(value, &bytes) != 0 || bytes == 0))
        return instr_option_fail(p, key, "must be a size, such as 512K, not '%.64s'", value);
    if (strcmp(words, "FILE") == 0) return instr_option_set_file(p, key, value, &pass->values[i]);
    return instr_option_set_text(p, key, value, &pass->values[i]);
}

// `key` is pass.name; `name` points behind the dot.
static int parse_pass_option(struct instr_option_parser *p, struct instr_pass_options *pass,
                             const char *key, const char *name, const char *value) {
    for (size_t i = 0; instr_pass_option_rows[i].key; i++) {
        const struct instr_option_row *row = &instr_pass_option_rows[i];
        if (strcmp(row->key, name) != 0 || !instr_pass_has(pass->pass, row)) continue;
        if (give_once(p, key, &pass->given, 1u << i) != 0) return -1;
        return instr_option_set(p, row, key, value, (char *)pass + row->offset);
    }
    for (size_t i = 0; pass->pass->options && pass->pass->options[i].key; i++)
        if (strcmp(pass->pass->options[i].key, name) == 0) return parse_own(p, pass, i, key, value);
    return unknown(p, key);
}

static int nameless(struct instr_option_parser *p, const char *value) {
    char nearest[INSTR_NAME_SIZE];
    instr_nearest_option(value, nearest);
    return instr_option_fail(p, "", "no name before '=%.64s'; did you mean '%s'?", value, nearest);
}

// Behind it commas are JaCoCo's.
static const char jacoco[] = "coverage=jacoco:";

static const char *jacocos_options(const char *key, const char *value) {
    size_t key_length = strcspn(jacoco, "="), rest = sizeof jacoco - 1 - key_length - 1;
    int is = strlen(key) == key_length && memcmp(key, jacoco, key_length) == 0 &&
             strncmp(value, jacoco + key_length + 1, rest) == 0;
    return is ? value + rest : NULL;
}

static int parse_pair(struct instr_option_parser *p, const char *key, const char *value) {
    const char *jacocos = jacocos_options(key, value);
    if (!*key) return nameless(p, value);
    for (size_t i = 0; instr_option_rows[i].key; i++) {
        if (strcmp(instr_option_rows[i].key, key) != 0) continue;
        return *value ? parse_global(p, i, value) : instr_option_fail(p, key, "has an empty value");
    }
    for (size_t i = 0; rw_passes[i]; i++) {
        size_t n = strlen(rw_passes[i]->name);
        if (strncmp(rw_passes[i]->name, key, n) != 0) continue;
        if (key[n] == '\0' && jacocos)
            return add_pass(p, key, &p->passes[i]) == 0
                       ? instr_jacoco_options(p, jacocos, parse_pair)
                       : -1;
        if (key[n] == '\0') return instr_option_fail(p, key, "is a pass and takes no value");
        if (key[n] != '.') continue;
        if (!instr_option_argument(key)) return unknown(p, key);
        if (!*value) return instr_option_fail(p, key, "has an empty value");
        return parse_pass_option(p, &p->passes[i], key, key + n + 1, value);
    }
    return unknown(p, key);
}

// Removes blanks at both ends, in place.
static char *trim(char *text) {
    while (*text == ' ' || *text == '\t') text++;
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1])) n--;
    text[n] = '\0';
    return text;
}

// Parses one word or pair, and modifies `item`.
static int parse_item(struct instr_option_parser *p, char *item) {
    char *equals = strchr(item, '=');
    if (!equals) return parse_word(p, trim(item));
    *equals = '\0';
    return parse_pair(p, trim(item), trim(equals + 1));
}

// --- lists and files ---

// Splits the list at its commas and removes the escapes from each item.
static int parse_list(struct instr_option_parser *p, const char *list) {
    char *item = malloc(strlen(list) + 1);
    if (!item) return instr_option_no_memory(p, "config");
    int result = 0;
    const char *c = list;
    while (result == 0 && *list) {
        size_t n = 0;
        int raw = strncmp(c, jacoco, sizeof jacoco - 1) == 0;
        for (; *c && (raw || *c != ','); c++) {
            if (!raw && *c == '\\' && (c[1] == ',' || c[1] == '\\')) c++;
            item[n++] = *c;
        }
        item[n] = '\0';
        result = *trim(item) ? parse_item(p, item)
                             : instr_option_fail(p, "", "empty item between two commas");
        if (!*c++) break;
    }
    free(item);
    return result;
}

static int parse_lines(struct instr_option_parser *p, char *text, size_t length) {
    for (char *line = text, *end = text + length; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline) newline = end;
        p->line++;
        if (memchr(line, '\0', (size_t)(newline - line)))
            return instr_option_fail(p, "config", "contains a NUL byte: not a text file");
        *newline = '\0';
        char *item = trim(line);
        if (*item && *item != '#' && parse_item(p, item) != 0) return -1;
        line = newline + 1;
    }
    return 0;
}

// Reads the whole file, with room for one more byte. NULL after an error.
static char *read_whole(struct instr_option_parser *p, const char *name, size_t *length) {
    const char *why = NULL;
    int fd = p->plain_files ? instr_file_open(name, &why) : open(name, O_RDONLY | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        instr_option_fail(p, "config", "%.120s: %s", name, why ? why : strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    char *text = malloc(MOST_CONFIG + 1);
    *length = text ? fread(text, 1, MOST_CONFIG + 1, file) : 0;
    int failed = !text || ferror(file) || *length > MOST_CONFIG;
    if (!text)
        instr_option_no_memory(p, "config");
    else if (ferror(file))
        instr_option_fail(p, "config", "%.120s: %s", name, strerror(errno));
    else if (failed)
        instr_option_fail(p, "config", "%.120s: larger than 1 MB", name);
    fclose(file);
    if (!failed) return text;
    free(text);
    return NULL;
}

static int read_config(struct instr_option_parser *p, const char *name) {
    if (p->depth == MOST_DEPTH)
        return instr_option_fail(p, "config", "configuration files are nested more than %d deep",
                                 MOST_DEPTH);
    size_t length = 0;
    char *text = read_whole(p, name, &length);
    if (!text) return -1;
    const char *file = p->file;
    unsigned line = p->line;
    p->file = name;
    p->line = 0;
    p->depth++;
    p->options->config++;
    // Some editors write a byte order mark.
    size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    int result = parse_lines(p, text + mark, length - mark);
    p->depth--;
    p->file = file;
    p->line = line;
    free(text);
    return result;
}

// --- the whole ---

const char *instr_pass_option(const struct instr_pass_options *pass, const char *key) {
    for (size_t i = 0; pass->values && pass->pass->options[i].key; i++)
        if (strcmp(pass->pass->options[i].key, key) == 0) return pass->values[i];
    return NULL;
}

static void free_pass(struct instr_pass_options *pass) {
    instr_match_free(pass->only);
    pass->only = NULL;
    free(pass->file);
    for (size_t i = 0; pass->values && pass->pass->options[i].key; i++) free(pass->values[i]);
    free(pass->values);
    pass->file = NULL;
    pass->values = NULL;
}

static int prepare(struct instr_option_parser *p) {
    size_t count = 0;
    while (rw_passes[count]) count++;
    if (!p->options->passes) p->options->passes = calloc(count + 1, sizeof *p->options->passes);
    p->passes = calloc(count + 1, sizeof *p->passes);
    if (!p->options->passes || !p->passes) return instr_option_no_memory(p, "");
    for (size_t i = 0; i < count; i++) {
        p->passes[i].pass = rw_passes[i];
        p->passes[i].number = (unsigned)i;
        p->passes[i].top = INSTR_TOP_DEFAULT;
    }
    return 0;
}

// Moves the passes that are on already to the parser, which changes them.
static void inherit(struct instr_option_parser *p) {
    for (size_t k = 0; k < p->options->pass_count; k++)
        for (size_t i = 0; p->passes[i].pass; i++) {
            struct instr_pass_options *on = &p->options->passes[k];
            if (p->passes[i].pass != on->pass) continue;
            p->passes[i] = *on;
            p->passes[i].given = ON_ALREADY;
            on->file = NULL;
            on->values = NULL;
            on->only = NULL;
        }
}

// Finds the classes of a pass that names methods.
static int find_classes(struct instr_option_parser *p, struct instr_pass_options *pass) {
    const char *methods = instr_pass_option(pass, "methods");
    char key[INSTR_NAME_SIZE], reason[256];
    if (!(pass->pass->flags & RW_NAMES_METHODS)) return 0;
    snprintf(key, sizeof key, "%s.methods", pass->pass->name);
    instr_match_free(pass->only);
    pass->only = instr_match_new();
    if (!pass->only) return instr_option_no_memory(p, key);
    if (!methods) return 0;
    for (const char *text = methods, *end;; text = end + 1) {
        struct rw_watch_pattern pattern;
        const char *fault = rw_watch_split(text, &pattern, &end);
        if (fault)
            return instr_option_fail(p, key, "'%.*s' %s", (int)(end - text > 64 ? 64 : end - text),
                                     text, fault);
        char *classes = strndup(text, pattern.class_name.length);
        if (!classes) return instr_option_no_memory(p, key);
        int failed = instr_match_add(pass->only, classes, reason, sizeof reason);
        free(classes);
        if (failed) return instr_option_fail(p, key, "%s", reason);
        if (*end == '\0') return 0;
    }
}

// Moves the options of each pass to the passes that are on.
static int settle(struct instr_option_parser *p) {
    for (size_t i = 0; p->passes[i].pass; i++) {
        struct instr_pass_options *pass = &p->passes[i];
        if (!pass->given || pass->given & (GIVEN_PASS | ON_ALREADY)) continue;
        char key[64];
        snprintf(key, sizeof key, "%.60s.*", pass->pass->name);
        return instr_option_fail(p, key, "the pass is not enabled; add '%s'", pass->pass->name);
    }
    for (size_t k = 0; k < p->options->pass_count; k++)
        for (size_t i = 0; p->passes[i].pass; i++) {
            if (p->passes[i].pass != p->options->passes[k].pass) continue;
            p->options->passes[k] = p->passes[i];
            p->passes[i].file = NULL;
            p->passes[i].values = NULL;
            p->passes[i].only = NULL;
        }
    for (size_t k = 0; k < p->options->pass_count; k++)
        if (find_classes(p, &p->options->passes[k]) != 0) return -1;
    return 0;
}

static int parse_text(struct instr_option_parser *p, const char *text) {
    int result = prepare(p);
    if (result == 0) inherit(p);
    if (result == 0) result = parse_list(p, text ? text : "");
    if (result == 0) result = settle(p);
    for (size_t i = 0; p->passes && p->passes[i].pass; i++) free_pass(&p->passes[i]);
    free(p->passes);
    if (result != 0) instr_options_free(p->options);
    return result;
}

int instr_options_parse(struct instr_options *options, const char *text, char *error, size_t size) {
    memset(options, 0, sizeof *options);
    struct instr_option_parser parser = {.options = options, .error = error, .error_size = size};
    if (size > 0) error[0] = '\0';
    return parse_text(&parser, text);
}

int instr_options_copy(struct instr_options *options, const struct instr_options *base) {
    char error[INSTR_ERROR_SIZE];
    char *text = instr_options_format(base);
    memset(options, 0, sizeof *options);
    if (!text) return -1;
    int result = instr_options_parse(options, text, error, sizeof error);
    free(text);
    for (size_t i = 0; result == 0 && i < base->pass_count; i++)
        options->passes[i].number = base->passes[i].number;
    return result;
}

// A new scope replaces the old one as a whole.
static void renew_scope(struct instr_option_parser *p) {
    unsigned include = 0, exclude = 0;
    for (unsigned i = 0; instr_option_rows[i].key; i++) {
        if (strcmp(instr_option_rows[i].key, "include") == 0) include = 1u << i;
        if (strcmp(instr_option_rows[i].key, "exclude") == 0) exclude = 1u << i;
    }
    if (p->given & include && !(p->given & exclude)) forget_patterns(&p->options->exclude);
    if (p->given & exclude && !(p->given & include)) forget_patterns(&p->options->include);
}

int instr_options_change(struct instr_options *options, const struct instr_options *base,
                         enum instr_change change, const char *text, char *error, size_t size) {
    struct instr_option_parser parser = {.options = options,
                                         .only_values = change == INSTR_SET,
                                         .plain_files = 1, // a running JVM must not wait for a pipe
                                         .error = error,
                                         .error_size = size};
    if (size > 0) error[0] = '\0';
    if (instr_options_copy(options, base) != 0) return instr_option_no_memory(&parser, "");
    if (parse_text(&parser, text) != 0) return -1;
    if (change == INSTR_ENABLE) renew_scope(&parser);
    return 0;
}

int instr_options_without(struct instr_options *options, const struct instr_options *base,
                          const struct rw_pass *pass) {
    if (instr_options_copy(options, base) != 0) return -1;
    size_t kept = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        if (options->passes[i].pass == pass) {
            free_pass(&options->passes[i]);
        } else {
            options->passes[kept++] = options->passes[i];
        }
    }
    options->pass_count = kept;
    return 0;
}

void instr_options_free(struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) free_pass(&options->passes[i]);
    free(options->passes);
    instr_match_free(options->include);
    instr_match_free(options->exclude);
    free(options->stats);
    free(options->facts);
    free(options->control);
    memset(options, 0, sizeof *options);
}
