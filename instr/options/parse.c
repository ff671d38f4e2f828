// The values of options: one function for each kind.

#include "instr/options/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOP = 1000000, MOST_COUNT = 100000000 };
static const uint64_t LEAST_MEMORY = 64u << 10, MOST_MEMORY = (uint64_t)1 << 40;
static const uint64_t MOST_DURATION = UINT64_C(366) * 24 * 3600 * 1000000000;

unsigned instr_option_bit(const char *key) {
    unsigned i = 0;
    while (strcmp(instr_option_rows[i].key, key) != 0) i++;
    return 1u << i;
}

int instr_option_fail(struct instr_option_parser *p, const char *key, const char *format, ...) {
    char reason[INSTR_ERROR_SIZE], shown[INSTR_ERROR_SIZE], where[160] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (p->file) snprintf(where, sizeof where, "%.100s:%u: ", p->file, p->line);
    if (!*key)
        snprintf(shown, sizeof shown, "%soptions: %.250s", where, reason);
    else
        snprintf(shown, sizeof shown, "%soption '%.64s%s': %.250s", where, key,
                 strlen(key) > 64 ? "..." : "", reason);
    for (char *c = shown; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    snprintf(p->error, p->error_size, "%s", shown);
    return -1;
}

int instr_option_no_memory(struct instr_option_parser *p, const char *key) {
    return instr_option_fail(p, key, "out of memory");
}

int instr_option_set_text(struct instr_option_parser *p, const char *key, const char *value,
                          char **field) {
    char *copy = strdup(value);
    if (!copy) return instr_option_no_memory(p, key);
    free(*field);
    *field = copy;
    return 0;
}

int instr_option_set_file(struct instr_option_parser *p, const char *key, const char *value,
                          char **field) {
    for (const char *c = value; *c; c++) {
        if (*c != '%') continue;
        if (c[1] != 'p' && c[1] != '%' && !instr_is_encoded(c))
            return instr_option_fail(
                p, key, "in a file name, %% must be followed by p (the process id) or %%");
        c++;
    }
    return instr_option_set_text(p, key, value, field);
}

// The index of `value` among the words of `words`, "a|b|c"; -1 if it is not among them.
static int choice_index(const char *words, const char *value) {
    size_t length = strlen(value);
    for (int i = 0;; i++) {
        size_t n = strcspn(words, "|");
        if (n == length && memcmp(words, value, n) == 0) return i;
        if (!words[n]) return -1;
        words += n + 1;
    }
}

int instr_option_set_choice(struct instr_option_parser *p, const char *key, const char *value,
                            const char *words, int *field) {
    int i = choice_index(words, value);
    if (i < 0) {
        char others[64]; // all but the last one
        const char *last = strrchr(words, '|');
        size_t n = 0;
        for (const char *c = words; c < last && n + 3 < sizeof others; c++) {
            others[n++] = *c == '|' ? ',' : *c;
            if (*c == '|') others[n++] = ' ';
        }
        return instr_option_fail(p, key, "must be %.*s or %s, not '%.64s'", (int)n, others,
                                 last + 1, value);
    }
    *field = i;
    return 0;
}

// Reads digits; -1 if there are none or the number does not fit.
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

static int set_number(struct instr_option_parser *p, const char *key, const char *value,
                      unsigned *field) {
    const char *end = value;
    uint64_t number = 0;
    if (read_number(value, &end, &number) != 0 || *end || number > MOST_TOP)
        return instr_option_fail(p, key, "must be a number from 0 to %d, not '%.64s'", MOST_TOP,
                                 value);
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

static int set_size(struct instr_option_parser *p, const char *key, const char *value,
                    uint64_t *field) {
    uint64_t size = 0;
    if (instr_option_size(value, &size) != 0 || size < LEAST_MEMORY)
        return instr_option_fail(
            p, key, "must be a size from 64K to 1024G, such as 8M, not '%.64s'", value);
    *field = size;
    return 0;
}

static int add_patterns(struct instr_option_parser *p, const char *key, const char *value,
                        struct instr_match **field) {
    char reason[256];
    if (!*field) *field = instr_match_new();
    if (!*field) return instr_option_no_memory(p, key);
    if (instr_match_add(*field, value, reason, sizeof reason) != 0)
        return instr_option_fail(p, key, "%s", reason);
    return 0;
}

// 1 to 100 million.
static int set_count(struct instr_option_parser *p, const char *key, const char *value,
                     unsigned *field) {
    const char *end = value;
    uint64_t number = 0;
    if (read_number(value, &end, &number) != 0 || *end || number < 1 || number > MOST_COUNT)
        return instr_option_fail(p, key, "must be a number from 1 to %d, not '%.64s'", MOST_COUNT,
                                 value);
    *field = (unsigned)number;
    return 0;
}

int instr_duration_parse(const char *text, uint64_t *nanoseconds) {
    static const struct {
        const char *unit;
        uint64_t nanoseconds;
    } units[] = {{"us", 1000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", UINT64_C(60000000000)},
                 {"h", UINT64_C(3600000000000)}};
    const char *end = text;
    uint64_t number = 0;
    if (read_number(text, &end, &number) != 0) return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].unit, end) != 0) continue;
        if (number == 0 || number > MOST_DURATION / units[i].nanoseconds) return -1;
        *nanoseconds = number * units[i].nanoseconds;
        return 0;
    }
    return -1;
}

static int set_duration(struct instr_option_parser *p, const char *key, const char *value,
                        uint64_t *field) {
    if (instr_duration_parse(value, field) == 0) return 0;
    return instr_option_fail(
        p, key, "must be a time of a year at most, such as 50ms, 30s, 5m or 1h, not '%.64s'",
        value);
}

// 5% or 0.5%, in thousandths of a percent; or off.
static int set_percent(struct instr_option_parser *p, const char *key, const char *value,
                       unsigned *field) {
    const char *end = value;
    uint64_t whole = 0, part = 0;
    if (strcmp(value, "off") == 0) {
        *field = INSTR_ANY_OVERHEAD;
        return 0;
    }
    int bad = read_number(value, &end, &whole) != 0 || whole > 100;
    unsigned digits = 0;
    if (!bad && *end == '.')
        for (end++; *end >= '0' && *end <= '9' && digits < 3; end++, digits++)
            part = part * 10 + (uint64_t)(*end - '0');
    for (; digits < 3; digits++) part *= 10;
    uint64_t percent = whole * 1000 + part;
    if (bad || strcmp(end, "%") != 0 || percent == 0 || percent > 100000)
        return instr_option_fail(
            p, key, "must be a share such as 5%% or 0.5%%, or off, not '%.64s'", value);
    *field = (unsigned)percent;
    return 0;
}

// Some of the words of `words`, "a:b:c", with colons between them.
static int set_words(struct instr_option_parser *p, const char *key, const char *value,
                     const char *words, unsigned *field) {
    unsigned bits = 0;
    for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
        size_t length = strcspn(at, ":"), i = 0;
        end = at + length;
        const char *word = words;
        while (word && (strcspn(word, ":") != length || memcmp(word, at, length) != 0)) {
            word = strchr(word, ':');
            word = word ? word + 1 : NULL;
            i++;
        }
        if (!word)
            return instr_option_fail(p, key, "must be of %s, with colons between, not '%.64s'",
                                     words, value);
        bits |= 1u << i;
    }
    *field = bits;
    return 0;
}

static int set_socket(struct instr_option_parser *p, const char *key, const char *value,
                      char **field) {
    enum { MOST = 64 }; // bytes: the path of a socket has 108
    if (strcmp(value, "on") == 0) {
        free(*field);
        *field = NULL;
        return 0;
    }
    if (strcmp(value, "off") != 0 && *value != '/')
        return instr_option_fail(p, key, "must be on, off, or a folder: /DIR, not '%.64s'", value);
    if (strlen(value) > MOST)
        return instr_option_fail(p, key, "the folder may have at most %d bytes", MOST);
    return instr_option_set_text(p, key, value, field);
}

int instr_option_set(struct instr_option_parser *p, const struct instr_option_row *row,
                     const char *key, const char *value, void *field) {
    switch (row->kind) {
    case INSTR_KIND_PATTERNS: return add_patterns(p, key, value, field);
    case INSTR_KIND_CHOICE: return instr_option_set_choice(p, key, value, row->argument, field);
    case INSTR_KIND_FILE: return instr_option_set_file(p, key, value, field);
    case INSTR_KIND_SOCKET: return set_socket(p, key, value, field);
    case INSTR_KIND_SIZE: return set_size(p, key, value, field);
    case INSTR_KIND_NUMBER: return set_number(p, key, value, field);
    case INSTR_KIND_COUNT: return set_count(p, key, value, field);
    case INSTR_KIND_DURATION: return set_duration(p, key, value, field);
    case INSTR_KIND_PERCENT: return set_percent(p, key, value, field);
    case INSTR_KIND_WORDS: return set_words(p, key, value, row->argument, field);
    case INSTR_KIND_CONFIG: break;
    }
    return instr_option_fail(p, key, "has an unknown kind");
}
