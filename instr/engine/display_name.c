#include "instr/engine/display_name.h"

#include <string.h>

static const char digits[] = "0123456789";

static int begins(struct cf_slice name, const char *with) {
    size_t n = strlen(with);
    return name.length >= n && memcmp(name.bytes, with, n) == 0;
}

static int ends(struct cf_slice name, const char *with) {
    size_t n = strlen(with);
    return name.length >= n && memcmp(name.bytes + name.length - n, with, n) == 0;
}

static int is_accessor(struct cf_slice stem) {
    return (begins(stem, "sun/reflect/Generated") ||
            begins(stem, "jdk/internal/reflect/Generated")) &&
           (ends(stem, "/GeneratedMethodAccessor") || ends(stem, "/GeneratedConstructorAccessor") ||
            ends(stem, "/GeneratedSerializationConstructorAccessor"));
}

// jdk/proxy12/$Proxy: each class loader has a module of its own.
static int is_in_module_of_proxies(struct cf_slice stem) {
    static const char package[] = "jdk/proxy", class_name[] = "/$Proxy";
    size_t from = sizeof package - 1, to = stem.length - (sizeof class_name - 1);
    if (!begins(stem, package) || to <= from) return 0;
    while (from < to && stem.bytes[from] >= '0' && stem.bytes[from] <= '9') from++;
    return from == to;
}

struct cf_slice instr_display_name(struct cf_slice name) {
    static const char in_module[] = "jdk/proxy/$Proxy";
    struct cf_slice stem = name;
    while (stem.length && stem.bytes[stem.length - 1] >= '0' && stem.bytes[stem.length - 1] <= '9')
        stem.length--;
    uint32_t number = name.length - stem.length;
    if (!number) return name;
    if (is_accessor(stem)) return stem;
    int is_proxy = ends(stem, "/$Proxy") || (stem.length == 6 && begins(stem, "$Proxy"));
    if (number < 4 || !is_proxy) return name;
    if (!is_in_module_of_proxies(stem)) return stem;
    stem.bytes = (const uint8_t *)in_module;
    stem.length = sizeof in_module - 1;
    return stem;
}

// The suffix that makes the name of a hidden class unique: .0x7f0000001000 (JVM TI
// GetClassSignature; no other signature has a full stop), /0x7f0000001000 or /791452441 (before JDK
// 15, and in stack traces). NULL: there is none. Other classes may have a number as their name too,
// but hardly in a package with a dollar sign.
static char *suffix_of(char *name) {
    char *stop = strchr(name, '.');
    if (stop || !(stop = strrchr(name, '/'))) return stop;
    int is_hash = stop[1] != '0' || stop[2] != 'x';
    size_t n = is_hash ? strspn(stop + 1, digits) : 2 + strspn(stop + 3, "0123456789abcdef");
    if (!n || (stop[1 + n] && stop[1 + n] != ';')) return NULL;
    char *dollar = strchr(name, '$');
    return is_hash && (!dollar || dollar > stop) ? NULL : stop;
}

// Before JDK 21 the name of a lambda has a second number.
static char *number_before(char *name, char *stop) {
    static const char lambda[] = "$$Lambda$";
    char *number = strstr(name, lambda);
    if (!number) return stop;
    number += sizeof lambda - 1;
    return number + strspn(number, digits) == stop ? number - 1 : stop;
}

void instr_normalize_generated_name(char *name) {
    int is_array = name[0] == '[';
    char *stop = suffix_of(name), *start = name + strspn(name, "[");
    if (stop) strcpy(number_before(name, stop), is_array ? ";" : "");
    if (is_array && *start++ != 'L') return;
    size_t length = strlen(start) - (is_array ? 1 : 0);
    struct cf_slice own = {(const uint8_t *)start, (uint32_t)length},
                    shown = instr_display_name(own);
    if (shown.length == own.length) return;
    memmove(start, shown.bytes, shown.length);
    strcpy(start + shown.length, is_array ? ";" : "");
}
