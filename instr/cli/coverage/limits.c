#include "instr/cli/coverage/limits.h"

#include "instr/base/array.h"
#include "instr/base/file.h"
#include "instr/cli/coverage/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// --- words ---

static const char *const elements[COVER_ELEMENTS] = {"BUNDLE", "PACKAGE", "CLASS", "SOURCEFILE",
                                                     "METHOD"};
static const char *const shown_elements[COVER_ELEMENTS] = {"bundle", "package", "class",
                                                           "source file", "method"};
static const char *const counters[COVER_COUNTERS] = {"INSTRUCTION", "BRANCH", "LINE",
                                                     "COMPLEXITY",  "METHOD", "CLASS"};
static const char *const shown_counters[COVER_COUNTERS] = {"instructions", "branches", "lines",
                                                           "complexity",   "methods",  "classes"};
static const char *const values[COVER_VALUES] = {"TOTALCOUNT", "COVEREDCOUNT", "MISSEDCOUNT",
                                                 "COVEREDRATIO", "MISSEDRATIO"};
static const char *const shown_values[COVER_VALUES] = {
    "total count", "covered count", "missed count", "covered ratio", "missed ratio"};

static int index_of(const char *word, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (strcasecmp(word, words[i]) == 0) return i;
    return -1;
}

static bool is_ratio(const struct cover_limit *limit) {
    return limit->value == COVER_COVEREDRATIO || limit->value == COVER_MISSEDRATIO;
}

// --- parsing ---

struct parser {
    const char *at;
    char *word; // owned; the one at hand
    bool quoted, failed;
    char *reason;
};

__attribute__((format(printf, 2, 3))) static void fail(struct parser *p, const char *format, ...) {
    va_list arguments;
    if (p->failed) return;
    p->failed = true;
    va_start(arguments, format);
    vsnprintf(p->reason, COVER_REASON_SIZE, format, arguments);
    va_end(arguments);
}

// Takes the next word, without its quotes. Those of comparison stand alone even without spaces.
static void next(struct parser *p) {
    const char *at = p->at + strspn(p->at, " \t");
    size_t length;
    free(p->word);
    p->word = NULL;
    p->quoted = *at == '"';
    if (p->quoted) {
        length = strcspn(++at, "\"");
        if (!at[length]) fail(p, "a quote is not closed: \"%.64s", at);
    } else if (*at == '>' || *at == '<') {
        length = 1 + (at[1] == '=');
    } else {
        length = strcspn(at, " \t<>");
    }
    p->at = at + length + (p->quoted && at[length]);
    if (length == 0 && !p->quoted) return; // the end
    p->word = strndup(at, length);
    if (!p->word) fail(p, "out of memory");
    if (!p->quoted && memchr(at, '"', length)) fail(p, "a quote begins within a word: %.64s", at);
}

static void add_pattern(struct parser *p, struct cover_patterns *patterns, const char *pattern) {
    char *copy = strdup(pattern);
    if (!copy || !INSTR_ARRAY_RESERVE(patterns->list, patterns->capacity, patterns->count + 1)) {
        free(copy);
        fail(p, "out of memory");
        return;
    }
    patterns->list[patterns->count++] = copy;
}

static void add_patterns(struct parser *p, struct cover_patterns *patterns) {
    char *rest = NULL;
    if (p->quoted) {
        add_pattern(p, patterns, p->word);
        return;
    }
    for (char *one = strtok_r(p->word, ":", &rest); one; one = strtok_r(NULL, ":", &rest))
        add_pattern(p, patterns, one);
}

// Is the word the last one before the counter? Then it loses its colon.
static bool ends_head(struct parser *p) {
    size_t length = p->word ? strlen(p->word) : 0;
    if (p->quoted) {
        bool ends = *p->at == ':';
        p->at += ends;
        return ends;
    }
    if (length == 0 || p->word[length - 1] != ':') return false;
    p->word[length - 1] = '\0';
    return true;
}

// ELEMENT [PATTERN...] [except PATTERN...]:
static void parse_head(struct parser *p, struct cover_limit *limit) {
    struct cover_patterns *patterns = &limit->include;
    bool ends = ends_head(p);
    int element = index_of(p->word, elements, COVER_ELEMENTS);
    if (element < 0)
        fail(p, "\"%.64s\" is no element: BUNDLE, PACKAGE, CLASS, SOURCEFILE or METHOD", p->word);
    limit->element = element < 0 ? COVER_OF_BUNDLE : (enum cover_element)element;
    while (!ends && !p->failed) {
        next(p);
        if (!p->word) fail(p, "a colon is missing behind %s and its patterns", elements[element]);
        if (p->failed) return;
        ends = ends_head(p);
        if (!p->quoted && strcasecmp(p->word, "except") == 0)
            patterns = &limit->except;
        else
            add_patterns(p, patterns);
    }
    next(p);
}

// 0.80, 80%: digits behind the point count.
static void parse_bound(struct parser *p, struct cover_limit *limit) {
    const char *at = p->word;
    unsigned digits = 0, places = 0; // digits: without zeros at the beginning
    bool point = false, any = false;
    for (; at && (isdigit((unsigned char)*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        places += point;
        digits += digits || *at != '0';
        if (digits > 15 || places > 15) break;
        limit->bound = limit->bound * 10 + (uint64_t)(*at - '0');
    }
    limit->digits = places;
    limit->percent = at && *at == '%';
    if (!at || !any || at[limit->percent] != '\0')
        fail(p, "\"%.64s\" is no number, such as 0.8, 80%% or 10", p->word ? p->word : "");
    else if (limit->percent && !is_ratio(limit))
        fail(p, "%s is a number of its own, not a share: \"%.64s\"", values[limit->value], p->word);
}

static uint64_t power(unsigned digits) {
    uint64_t power = 1;
    while (digits-- > 0) power *= 10;
    return power;
}

// COUNTER [VALUE] >=|<= NUMBER
static void parse_demand(struct parser *p, struct cover_limit *limit) {
    int counter = p->word ? index_of(p->word, counters, COVER_COUNTERS) : -1;
    if (counter < 0) {
        fail(p, "\"%.64s\" is no counter: INSTRUCTION, BRANCH, LINE, COMPLEXITY, METHOD or CLASS",
             p->word ? p->word : "");
        return;
    }
    limit->counter = (enum cover_counter)counter;
    next(p);
    int value = p->word ? index_of(p->word, values, COVER_VALUES) : -1;
    if (value >= 0) {
        limit->value = (enum cover_value)value;
        next(p);
    }
    limit->is_maximum = p->word && strcmp(p->word, "<=") == 0;
    if (!limit->is_maximum && (!p->word || strcmp(p->word, ">=") != 0)) {
        fail(p, "%s: >= or <= is expected, not \"%.64s\"",
             value >= 0 ? values[value] : counters[counter], p->word ? p->word : "");
        return;
    }
    next(p);
    parse_bound(p, limit);
    if (!p->failed && is_ratio(limit) &&
        limit->bound > power(limit->digits) * (limit->percent ? 100 : 1))
        fail(p, "a ratio is between 0 and 1, or 0%% and 100%%: \"%.64s\"", p->word);
    next(p);
    if (p->word) fail(p, "\"%.64s\" is too much", p->word);
}

static void free_patterns(struct cover_patterns *patterns) {
    for (size_t i = 0; i < patterns->count; i++) free(patterns->list[i]);
    free(patterns->list);
}

static void free_limit(struct cover_limit *limit) {
    free_patterns(&limit->include);
    free_patterns(&limit->except);
}

// Without an element the first word is a counter: then a value or a comparison follows.
static bool has_head(const struct parser *p) {
    size_t length = strlen(p->word);
    if (p->word[length - 1] == ':') return true;
    struct parser ahead = {.at = p->at, .reason = (char[COVER_REASON_SIZE]){0}};
    next(&ahead);
    bool compares = !ahead.word || strchr("<>=", ahead.word[0]) ||
                    index_of(ahead.word, values, COVER_VALUES) >= 0;
    free(ahead.word);
    return !compares;
}

int cover_limits_parse(struct cover_limits *limits, const char *text,
                       char reason[COVER_REASON_SIZE]) {
    struct parser p = {.at = text, .reason = reason};
    struct cover_limit limit = {.value = COVER_COVEREDRATIO};
    next(&p);
    if (!p.word || !p.word[0]) fail(&p, "a limit is expected, such as 'LINE >= 80%%'");
    if (!p.failed && has_head(&p)) parse_head(&p, &limit);
    if (!p.failed) parse_demand(&p, &limit);
    free(p.word);
    if (!p.failed && !INSTR_ARRAY_RESERVE(limits->list, limits->capacity, limits->count + 1))
        fail(&p, "out of memory");
    if (p.failed) {
        free_limit(&limit);
        return -1;
    }
    limits->list[limits->count++] = limit;
    return 0;
}

static FILE *open_limits(const char *path, char *reason, size_t size) {
    const char *why = NULL;
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? dup(STDIN_FILENO) : instr_file_open(path, &why);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (file) return file;
    snprintf(reason, size, "%s: %s", path, why ? why : strerror(errno));
    if (fd >= 0) close(fd);
    return NULL;
}

int cover_limits_read(struct cover_limits *limits, const char *path, char *reason, size_t size) {
    char *line = NULL, why[COVER_REASON_SIZE];
    size_t length = 0, number = 0, before = limits->count;
    int status = 0;
    FILE *file = open_limits(path, reason, size);
    if (!file) return -1;
    while (status == 0 && getline(&line, &length, file) >= 0) {
        char *text = line + strspn(line, " \t");
        number++;
        text[strcspn(text, "\r\n")] = '\0';
        if (!*text || *text == '#') continue;
        status = cover_limits_parse(limits, text, why);
        if (status != 0) snprintf(reason, size, "%s: line %zu: %s", path, number, why);
    }
    if (status == 0 && ferror(file)) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        status = -1;
    } else if (status == 0 && limits->count == before) {
        snprintf(reason, size, "%s: there is no limit in it", path);
        status = -1;
    }
    free(line);
    fclose(file);
    return status;
}

void cover_limits_free(struct cover_limits *limits) {
    for (size_t i = 0; i < limits->count; i++) free_limit(&limits->list[i]);
    free(limits->list);
    memset(limits, 0, sizeof *limits);
}

// Must the pattern stand between quotes?
static bool is_quoted(const char *pattern) {
    return !pattern[0] || strpbrk(pattern, " \t<>:") || strcasecmp(pattern, "except") == 0;
}

static void put_patterns(const struct cover_patterns *patterns, const char *before, FILE *out) {
    for (size_t i = 0; i < patterns->count; i++)
        fprintf(out, is_quoted(patterns->list[i]) ? "%s\"%s\"" : "%s%s", i ? " " : before,
                patterns->list[i]);
}

// 0.80, 80%
static void put_number(uint64_t number, unsigned digits, bool percent, FILE *out) {
    uint64_t whole = power(digits);
    fprintf(out, "%llu", (unsigned long long)(number / whole));
    if (digits) fprintf(out, ".%0*llu", (int)digits, (unsigned long long)(number % whole));
    if (percent) fputc('%', out);
}

void cover_limit_put(const struct cover_limit *limit, FILE *out) {
    fputs(elements[limit->element], out);
    put_patterns(&limit->include, " ", out);
    put_patterns(&limit->except, " except ", out);
    fprintf(out, ": %s %s %s ", counters[limit->counter], values[limit->value],
            limit->is_maximum ? "<=" : ">=");
    put_number(limit->bound, limit->digits, limit->percent, out);
}

// --- matching ---

// Does the pattern, with * and ?, stand for the whole name?
static bool fits(const char *pattern, const char *name) {
    const char *star = NULL, *again = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            again = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static bool any_fits(const struct cover_patterns *patterns, const char *name) {
    for (size_t i = 0; i < patterns->count; i++)
        if (fits(patterns->list[i], name)) return true;
    return false;
}

static bool takes(const struct cover_limit *limit, const char *name) {
    return (!limit->include.count || any_fits(&limit->include, name)) &&
           !any_fits(&limit->except, name);
}

// --- comparing ---

__extension__ typedef unsigned __int128 wide; // counts times powers of 10

// The value as a fraction; 0 / 0 if there is nothing to count.
static void fraction(const struct cover_limit *limit, struct cover_count count, uint64_t *part,
                     uint64_t *whole) {
    uint64_t total = cover_total(count);
    bool missed = limit->value == COVER_MISSEDCOUNT || limit->value == COVER_MISSEDRATIO;
    *part = limit->value == COVER_TOTALCOUNT ? total : missed ? count.missed : count.covered;
    *whole = is_ratio(limit) ? total : 1;
}

static void add_violation(struct cover_violations *violations, double off, char *line) {
    if (!line ||
        !INSTR_ARRAY_RESERVE(violations->list, violations->capacity, violations->count + 1)) {
        free(line);
        violations->no_memory = true;
        return;
    }
    violations->list[violations->count++] = (struct cover_violation){off, line};
}

// Rounded away from the bound, so that it never looks as if it were kept.
static char *line_of(const struct cover_limit *limit, const char *what, uint64_t part,
                     uint64_t whole) {
    char *line = NULL;
    size_t length = 0;
    unsigned digits = is_ratio(limit) ? limit->digits : 0;
    wide scaled = (wide)part * power(digits) * (limit->percent ? 100 : 1);
    uint64_t shown = (uint64_t)((limit->is_maximum ? scaled + whole - 1 : scaled) / whole);
    FILE *out = open_memstream(&line, &length);
    if (!out) return NULL;
    fprintf(out, "%s: %s %s is ", what, shown_counters[limit->counter], shown_values[limit->value]);
    put_number(shown, digits, limit->percent, out);
    fprintf(out, ", but expected %s is ", limit->is_maximum ? "maximum" : "minimum");
    put_number(limit->bound, limit->digits, limit->percent, out);
    if (fclose(out) == 0) return line;
    free(line);
    return NULL;
}

void cover_limit_compare(const struct cover_limit *limit, const char *what,
                         struct cover_count count, struct cover_violations *violations) {
    uint64_t part, whole;
    fraction(limit, count, &part, &whole);
    if (whole == 0) return;
    wide value = (wide)part * power(limit->digits) * (limit->percent ? 100 : 1);
    wide bound = (wide)limit->bound * whole;
    if (limit->is_maximum ? value <= bound : value >= bound) return;
    double off = (double)value - (double)bound, size = (double)whole * (double)power(limit->digits);
    if (limit->percent) size *= 100;
    if (!is_ratio(limit)) size = bound ? (double)bound : size;
    add_violation(violations, (off < 0 ? -off : off) / size, line_of(limit, what, part, whole));
}

// An element of the model, whose name is made once for all limits, and freed here.
static void check_element(struct cover_limits *limits, enum cover_element element, char *name,
                          const struct cover_count *counts, struct cover_violations *violations) {
    size_t size = name ? strlen(name) + 16 : 0;
    char *what = name ? malloc(size) : NULL;
    if (!what) {
        violations->no_memory = true;
        free(name);
        return;
    }
    snprintf(what, size, "%s %s", shown_elements[element], name);
    for (size_t i = 0; i < limits->count; i++) {
        struct cover_limit *limit = &limits->list[i];
        if (limit->element != element || !takes(limit, name)) continue;
        limit->matched++;
        cover_limit_compare(limit, what, counts[limit->counter], violations);
    }
    free(what);
    free(name);
}

static void check_class(struct cover_limits *limits, const struct cover_class *class,
                        const bool wanted[COVER_ELEMENTS], struct cover_violations *violations) {
    if (wanted[COVER_OF_CLASS])
        check_element(limits, COVER_OF_CLASS, cover_class_name(class), class->counts, violations);
    for (uint32_t i = 0; wanted[COVER_OF_METHOD] && i < class->method_count; i++)
        check_element(limits, COVER_OF_METHOD, cover_method_name(class, &class->methods[i]),
                      class->methods[i].counts, violations);
}

static void check_package(struct cover_limits *limits, const struct cover_package *package,
                          const bool wanted[COVER_ELEMENTS], struct cover_violations *violations) {
    check_element(limits, COVER_OF_PACKAGE, cover_package_name(package), package->counts,
                  violations);
    for (size_t i = 0; i < package->class_count; i++)
        check_class(limits, package->classes[i], wanted, violations);
    for (size_t i = 0; wanted[COVER_OF_SOURCEFILE] && i < package->source_count; i++)
        check_element(limits, COVER_OF_SOURCEFILE, cover_source_name(package->sources[i]),
                      package->sources[i]->counts, violations);
}

void cover_limits_check(struct cover_limits *limits, const struct cover_model *model,
                        struct cover_violations *violations) {
    bool wanted[COVER_ELEMENTS] = {false};
    for (size_t i = 0; i < limits->count; i++) wanted[limits->list[i].element] = true;
    for (size_t b = 0; b < model->bundle_count; b++) {
        const struct cover_bundle *bundle = model->bundles[b];
        check_element(limits, COVER_OF_BUNDLE, strdup(bundle->name), bundle->counts, violations);
        for (size_t p = 0; p < bundle->package_count; p++)
            check_package(limits, bundle->packages[p], wanted, violations);
    }
    cover_violations_sort(violations);
}

static int farther(const void *a, const void *b) {
    const struct cover_violation *x = a, *y = b;
    if (x->off != y->off) return x->off < y->off ? 1 : -1;
    return strcmp(x->line, y->line);
}

void cover_violations_sort(struct cover_violations *violations) {
    if (violations->count)
        qsort(violations->list, violations->count, sizeof *violations->list, farther);
}

void cover_violations_free(struct cover_violations *violations) {
    for (size_t i = 0; i < violations->count; i++) free(violations->list[i].line);
    free(violations->list);
    memset(violations, 0, sizeof *violations);
}
