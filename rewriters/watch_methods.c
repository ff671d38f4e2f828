#include "rewriters/watch_methods.h"

#include <string.h>

static size_t head_length(const char *text) {
    return strcspn(text, "(");
}

// The start of the method name; NULL: there is no dot before it.
static const char *name_of(const char *text) {
    const char *name = NULL;
    size_t length = head_length(text);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '.') name = text + i + 1;
    return name;
}

const char *rw_watch_fault(const char *text, size_t *class_length) {
    const char *name = name_of(text);
    size_t head = head_length(text), length = strlen(text);
    if (!name || name == text + 1)
        return "must be a class and a method, such as com.acme.Foo.bar(..)";
    if (name == text + head) return "has no method name behind the last dot";
    if (text[head] && (text[length - 1] != ')' || strchr(text + head, ')') != text + length - 1))
        return "must end with argument types in parentheses, such as (..) or (int,String)";
    if (strchr(text, ':')) return "must be a single pattern";
    *class_length = (size_t)(name - 1 - text);
    return NULL;
}

// Does the name match the pattern, in which * is any run of characters?
static int glob(const char *p, size_t p_length, const char *s, size_t s_length) {
    size_t i = 0, k = 0, star = SIZE_MAX, mark = 0;
    while (k < s_length) {
        if (i < p_length && p[i] == '*') {
            star = i++;
            mark = k;
        } else if (i < p_length && p[i] == s[k]) {
            i++;
            k++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            k = ++mark;
        } else {
            return 0;
        }
    }
    while (i < p_length && p[i] == '*') i++;
    return i == p_length;
}

static const char *primitive(char kind) {
    switch (kind) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return "";
    }
}

// Writes the type at *at of a descriptor as in Java source, truncated if too long, and moves on.
static size_t type_text(struct cf_slice d, uint32_t *at, char *text, size_t size) {
    unsigned dimensions = 0;
    size_t n = 0;
    while (*at < d.length && d.bytes[*at] == '[') dimensions++, (*at)++;
    if (*at < d.length && d.bytes[*at] == 'L') {
        for ((*at)++; *at < d.length && d.bytes[*at] != ';'; (*at)++)
            if (n < size) text[n++] = d.bytes[*at] == '/' ? '.' : (char)d.bytes[*at];
    } else if (*at < d.length) {
        for (const char *c = primitive((char)d.bytes[*at]); *c; c++)
            if (n < size) text[n++] = *c;
    }
    (*at)++;
    for (; dimensions > 0; dimensions--)
        for (const char *c = "[]"; *c; c++)
            if (n < size) text[n++] = *c;
    return n;
}

static int type_matches(const char *p, size_t p_length, const char *text, size_t length) {
    if (glob(p, p_length, text, length)) return 1;
    for (size_t i = length; i > 0; i--) // without its package or its outer classes
        if ((text[i - 1] == '.' || text[i - 1] == '$') && glob(p, p_length, text + i, length - i))
            return 1;
    return 0;
}

static int arguments_match(const char *p, struct cf_slice d) {
    char text[512];
    uint32_t at = 1;
    for (;; p++) {
        while (*p == ' ') p++;
        size_t length = strcspn(p, ",)"), used = length;
        while (used > 0 && p[used - 1] == ' ') used--;
        int more = at < d.length && d.bytes[at] != ')';
        if (used == 2 && memcmp(p, "..", 2) == 0) return 1;
        if (used == 0 && p[length] == ')') return !more;
        if (!more) return 0;
        size_t n = type_text(d, &at, text, sizeof text);
        if (!type_matches(p, used, text, n)) return 0;
        p += length;
        if (*p != ',') return at >= d.length || d.bytes[at] == ')';
    }
}

int rw_watch_matches(const char *text, struct cf_slice name, struct cf_slice descriptor) {
    const char *pattern = name_of(text);
    size_t head = head_length(text);
    if (!pattern || !name.bytes || !descriptor.bytes) return 0;
    if (!glob(pattern, (size_t)(text + head - pattern), (const char *)name.bytes, name.length))
        return 0;
    return !text[head] || arguments_match(text + head + 1, descriptor);
}
