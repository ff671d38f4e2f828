// Patterns of class names, compiled to literals and wildcards.

#include "instr/match.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Matching gives up after this many comparisons (a millisecond or two): hostile names of 65,535
// bytes would take much longer.
enum { MOST_STEPS = 1 << 20 };

// A pattern consists of a literal prefix, which decides most cases by one comparison, and the rest,
// in which these bytes stand for wildcards (class names cannot contain them: JVMS 4.2.1).
enum {
    ANY_BUT_SLASH = '.', // *
    ANY = ';',           // **
    ANY_PACKAGES = '['   // **. : empty, or anything that ends with a slash
};

struct pattern {
    const char *text; // compiled, prefix first
    size_t length;
    size_t prefix, suffix; // lengths of the literal text at both ends
    int all_below;         // the prefix is followed by a single ANY
};

struct instr_match {
    struct pattern *patterns;
    size_t count;
    char *compiled;     // the texts of all patterns
    char *text;         // as written
    atomic_uint shared; // owners beside the first
};

struct instr_match *instr_match_new(void) {
    return calloc(1, sizeof(struct instr_match));
}

void instr_match_free(struct instr_match *match) {
    if (!match || atomic_fetch_sub(&match->shared, 1) != 0) return;
    free(match->patterns);
    free(match->compiled);
    free(match->text);
    free(match);
}

struct instr_match *instr_match_share(struct instr_match *match) {
    if (match) atomic_fetch_add(&match->shared, 1);
    return match;
}

const char *instr_match_text(const struct instr_match *match) {
    return match->text ? match->text : "";
}

// What is wrong with a pattern as a name; NULL: nothing.
static const char *name_fault(const char *p, size_t length) {
    if (length == 0) return "is empty";
    if (p[0] == '.' || p[0] == '/') return "begins with a dot";
    if (p[length - 1] == '.' || p[length - 1] == '/')
        return "ends with a dot; write a package with .* or .** at the end";
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c <= ' ' || c == 127 || strchr(",;[\\", c))
            return "contains a character that class names cannot contain";
        int dot = c == '.' || c == '/';
        if (dot && (p[i + 1] == '.' || p[i + 1] == '/')) return "contains two dots in a row";
        if (c == '*' && i + 2 < length && p[i + 1] == '*' && p[i + 2] == '*')
            return "contains more than two stars in a row";
    }
    return NULL;
}

// Compiles one pattern into `out`, which has room for `length` bytes. Returns the bytes written.
static size_t compile_one(const char *p, size_t length, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (p[i] != '*') {
            out[n++] = p[i] == '.' ? '/' : p[i];
        } else if (i + 1 == length || p[i + 1] != '*') {
            out[n++] = ANY_BUT_SLASH;
        } else if (i + 2 < length && (p[i + 2] == '.' || p[i + 2] == '/') &&
                   (i == 0 || p[i - 1] == '.' || p[i - 1] == '/')) {
            out[n++] = ANY_PACKAGES;
            i += 2;
        } else {
            out[n++] = ANY;
            i++;
        }
    }
    return n;
}

static int is_wildcard(char c) {
    return c == ANY_BUT_SLASH || c == ANY || c == ANY_PACKAGES;
}

// Compiles all of match->text, so that a set is one block of memory.
static int compile(struct instr_match *match) {
    size_t count = 1;
    for (const char *c = match->text; *c; c++) count += *c == ':';
    struct pattern *patterns = calloc(count, sizeof *patterns);
    char *out = malloc(strlen(match->text) + 1);
    if (!patterns || !out) {
        free(patterns);
        free(out);
        return -1;
    }
    free(match->patterns);
    free(match->compiled);
    match->patterns = patterns;
    match->compiled = out;
    match->count = count;
    const char *from = match->text;
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(from, ":");
        struct pattern *p = &patterns[i];
        p->text = out;
        p->length = compile_one(from, length, out);
        while (p->prefix < p->length && !is_wildcard(out[p->prefix])) p->prefix++;
        while (p->prefix + p->suffix < p->length && !is_wildcard(out[p->length - 1 - p->suffix]))
            p->suffix++;
        p->all_below = p->prefix + 1 == p->length && out[p->prefix] == ANY;
        out += p->length;
        from += length + 1;
    }
    return 0;
}

static int check(const char *patterns, char *reason, size_t size) {
    for (const char *p = patterns;; p++) {
        size_t length = strcspn(p, ":");
        const char *fault = p[length] == ':' && p[length + 1] == ':' && length
                                ? "must not be followed by '::'; patterns name classes, with "
                                  "colons between them"
                                : name_fault(p, length);
        if (fault) {
            int shown = length > 80 ? 80 : (int)length;
            snprintf(reason, size, "pattern '%.*s' %s", shown, p, fault);
            return -1;
        }
        p += length;
        if (!*p) return 0;
    }
}

int instr_match_add(struct instr_match *match, const char *patterns, char *reason, size_t size) {
    if (check(patterns, reason, size) != 0) return -1;
    size_t old = match->text ? strlen(match->text) : 0;
    size_t added = strlen(patterns);
    char *before = match->text;
    char *text = malloc(old + added + 2);
    if (text) {
        if (before) memcpy(text, before, old);
        if (before) text[old++] = ':';
        memcpy(text + old, patterns, added + 1);
        match->text = text;
        if (compile(match) == 0) {
            free(before);
            return 0;
        }
        match->text = before;
        free(text);
    }
    snprintf(reason, size, "out of memory");
    return -1;
}

// Matches the rest of a pattern. When a literal fails, the latest wildcard takes one more
// character. Of the wildcards before it only the last one that crosses slashes must be remembered:
// whatever an earlier wildcard of the same kind could match, a later one can.
static int match_rest(const char *p, const char *p_end, const char *s, const char *s_end) {
    const char *star = NULL, *star_s = NULL; // ANY_BUT_SLASH: pattern behind it, where it now ends
    const char *deep = NULL, *deep_s = NULL; // ANY, ANY_PACKAGES
    int packages = 0;                        // `deep` is ANY_PACKAGES
    for (long steps = 0; steps < MOST_STEPS; steps++) {
        if (p < p_end && *p == ANY_BUT_SLASH) {
            star = ++p;
            star_s = s;
        } else if (p < p_end && (*p == ANY || *p == ANY_PACKAGES)) {
            packages = *p == ANY_PACKAGES;
            deep = ++p;
            deep_s = s;
            star = NULL;
            if (!packages && p == p_end) return 1;
        } else if (p == p_end && s == s_end) {
            return 1;
        } else if (p < p_end && s < s_end && *p == *s) {
            p++;
            s++;
        } else if (star && star_s < s_end && *star_s != '/') {
            p = star;
            s = ++star_s;
        } else if (deep && deep_s < s_end) {
            deep_s++;
            while (packages && deep_s < s_end && deep_s[-1] != '/') deep_s++;
            if (packages && deep_s[-1] != '/') return 0;
            p = deep;
            s = deep_s;
            star = NULL;
        } else {
            return 0;
        }
    }
    return 0;
}

static int match_one(const struct pattern *p, const char *name, size_t length) {
    if (length < p->prefix + p->suffix || memcmp(name, p->text, p->prefix) != 0) return 0;
    if (p->all_below) return 1;
    if (p->prefix == p->length) return length == p->prefix;
    const char *p_end = p->text + p->length - p->suffix, *name_end = name + length - p->suffix;
    if (memcmp(name_end, p_end, p->suffix) != 0) return 0;
    return match_rest(p->text + p->prefix, p_end, name + p->prefix, name_end);
}

int instr_match(const struct instr_match *match, const char *name, size_t length) {
    for (size_t i = 0; i < match->count; i++)
        if (match_one(&match->patterns[i], name, length)) return 1;
    return 0;
}

int instr_match_any(const struct instr_match *match, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (instr_match(match, names[i], strlen(names[i]))) return 1;
    return 0;
}

// If the literal prefix is shorter than `start`, the pattern goes on with a wildcard; a single star
// reaches no farther than the next slash of the pattern.
static int may_match_below(const struct pattern *p, const char *start, size_t length) {
    size_t common = p->prefix < length ? p->prefix : length;
    if (memcmp(p->text, start, common) != 0) return 0;
    if (common == length) return 1;
    for (size_t i = p->prefix; i < p->length; i++)
        if (p->text[i] == ANY || p->text[i] == ANY_PACKAGES || p->text[i] == '/') return 1;
    return 0;
}

int instr_match_below(const struct instr_match *match, const char *start) {
    for (size_t i = 0; i < match->count; i++)
        if (may_match_below(&match->patterns[i], start, strlen(start))) return 1;
    return 0;
}
