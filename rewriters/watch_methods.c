#include "rewriters/watch_methods.h"

#include "rewriters/rewriter.h"

#include <string.h>

static struct cf_slice slice(const char *start, const char *end) {
    return (struct cf_slice){(const uint8_t *)start, (uint32_t)(end - start)};
}

const char *rw_watch_split(const char *text, struct rw_watch_pattern *pattern, const char **end) {
    const char *last = text + strcspn(text, ":"), *head = text + strcspn(text, ":("), *name = NULL;
    *end = last;
    for (const char *p = text; p < head; p++)
        if (*p == '.' || *p == '#') name = p + 1;
    if (last[0] == ':' && last[1] == ':')
        return "must not be followed by '::'; a dot or # separates class and method";
    if (!name || name == text + 1)
        return "must be a class and a method, such as com.acme.Foo.bar(..)";
    if (name == head) return "has no method name behind the last dot";
    if (head < last && memchr(head, ')', (size_t)(last - head)) != last - 1)
        return "must end with argument types in parentheses, such as (..) or (int,String)";
    pattern->class_name = slice(text, name - 1);
    pattern->method = slice(name, head);
    pattern->arguments = head < last ? slice(head + 1, last - 1) : slice(NULL, NULL);
    return NULL;
}

// Does the name match the pattern, in which * is any run of characters? A nested class may be written as in Java,
// Map.Entry, or as in class files, Map$Entry.
static int glob(const char *p, size_t p_length, const char *s, size_t s_length) {
    size_t i = 0, k = 0, star = SIZE_MAX, mark = 0;
    while (k < s_length) {
        if (i < p_length && p[i] == '*') {
            star = i++;
            mark = k;
        } else if (i < p_length && (p[i] == s[k] || (p[i] == '.' && s[k] == '$'))) {
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
    if (p_length > 3 && memcmp(p + p_length - 3, "...", 3) == 0) { // String... is String[]
        if (length < 2 || memcmp(text + length - 2, "[]", 2) != 0) return 0;
        p_length -= 3;
        length -= 2;
    }
    if (glob(p, p_length, text, length)) return 1;
    for (size_t i = length; i > 0; i--) // without its package or its outer classes
        if ((text[i - 1] == '.' || text[i - 1] == '$') && glob(p, p_length, text + i, length - i))
            return 1;
    return 0;
}

// Does the list of types, which ends with a parenthesis, match? Names behind the types mean nothing.
static int arguments_match(const char *p, struct cf_slice d) {
    char text[512];
    uint32_t at = 1;
    for (;; p++) {
        p += strspn(p, " \t\r\n");
        size_t length = strcspn(p, ",)"), used = strcspn(p, " \t\r\n,)");
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

// Does the pattern match the internal name, where * is any run of characters but slashes, ** any
// run, and **. any number of packages? Gives up after `steps`: hostile patterns could take for ever.
static int class_matches(struct cf_slice p, struct cf_slice s, unsigned *steps) {
    for (; p.length > 0; p.bytes++, p.length--, s.bytes++, s.length--) {
        if (*p.bytes == '*') break;
        if (s.length == 0 || *s.bytes != (*p.bytes == '.' ? '/' : *p.bytes)) return 0;
    }
    if (p.length == 0) return s.length == 0;
    uint32_t stars = p.length > 1 && p.bytes[1] == '*' ? 2 : 1;
    int packages = stars == 2 && p.length > 2 && p.bytes[2] == '.';
    struct cf_slice rest = {p.bytes + stars + packages, p.length - stars - (uint32_t)packages};
    for (int at_start = 1; *steps > 0; at_start = s.bytes[-1] == '/') {
        --*steps;
        if ((!packages || at_start) && class_matches(rest, s, steps)) return 1;
        if (s.length == 0 || (stars == 1 && *s.bytes == '/')) return 0;
        s.bytes++, s.length--;
    }
    return 0;
}

int rw_watch_class_matches(struct cf_slice pattern, struct cf_slice class_name) {
    unsigned steps = 1 << 16;
    return class_matches(pattern, class_name, &steps);
}

void rw_watch_types(struct cf_slice d, char *text, size_t size) {
    size_t n = 0;
    if (n + 1 < size) text[n++] = '(';
    for (uint32_t at = 1; at < d.length && d.bytes[at] != ')' && n + 2 < size;) {
        if (at > 1) text[n++] = ',';
        n += type_text(d, &at, text + n, size - n - 2);
    }
    if (n + 1 < size) text[n++] = ')';
    text[n] = '\0';
}

int rw_watch_method_matches(const struct rw_watch_pattern *p, struct cf_slice name,
                            struct cf_slice descriptor) {
    return glob((const char *)p->method.bytes, p->method.length, (const char *)name.bytes,
                name.length) &&
           (!p->arguments.bytes || arguments_match((const char *)p->arguments.bytes, descriptor));
}

int rw_watch_take_plus(struct rw_watch_pattern *pattern) {
    struct cf_slice *name = &pattern->class_name;
    if (name->length < 2 || name->bytes[name->length - 1] != '+') return 0;
    name->length--;
    return 1;
}

static int any_matches(struct cf_slice pattern, const struct rw_supertypes *above) {
    for (size_t i = 0; i < above->count; i++)
        if (rw_watch_class_matches(
                pattern, slice(above->names[i], above->names[i] + strlen(above->names[i]))))
            return 1;
    return 0;
}

int rw_watch_matches(const char *text, struct cf_slice class_name,
                     const struct rw_supertypes *above, struct cf_slice name,
                     struct cf_slice descriptor) {
    struct rw_watch_pattern pattern;
    int unsure = 0;
    if (!name.bytes || !descriptor.bytes) return 0;
    for (const char *end = text;; text = end + 1) {
        if (rw_watch_split(text, &pattern, &end)) return 0;
        int plus = rw_watch_take_plus(&pattern);
        if (rw_watch_method_matches(&pattern, name, descriptor)) {
            if (rw_watch_class_matches(pattern.class_name, class_name)) return 1;
            if (plus && above && any_matches(pattern.class_name, above)) return 1;
            if (plus && !above) unsure = RW_WATCH_UNSURE;
        }
        if (*end == '\0') return unsure;
    }
}
