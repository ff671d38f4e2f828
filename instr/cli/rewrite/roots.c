// Where the classes of one class path begin.

#include "instr/cli/rewrite/roots.h"
#include "instr/cli/rewrite/gate.h"

#include <stdlib.h>
#include <string.h>

static int begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static int add_text(char ***texts, size_t *count, const char *text, size_t length) {
    char **more = realloc(*texts, (*count + 1) * sizeof *more);
    if (!more) return -1;
    *texts = more;
    more[*count] = strndup(text, length);
    return more[*count] ? (int)(*count += 1, 0) : -1;
}

// The length of this class's name in internal form; 0: the bytes are no class.
static size_t name_in_class(const struct cli_bytes *bytes, char *name, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    size_t length = 0;
    cf_arena_init(&arena);
    if (cf_class_open(&cls, bytes->bytes, bytes->length, &arena) == CF_OK) {
        struct cf_slice s = cf_this_name(&cls);
        if (s.bytes && s.length < size) memcpy(name, s.bytes, length = s.length);
    }
    cf_arena_free(&arena);
    return length;
}

static long ask_class(const char *name, cli_read_class read, void *context) {
    struct cli_bytes bytes;
    char inside[4096];
    if (read(context, &bytes) != 0) return -1;
    size_t length = name_in_class(&bytes, inside, sizeof inside);
    free(bytes.bytes);
    size_t whole = strlen(name) - (sizeof ".class" - 1);
    if (!length || length > whole || memcmp(name + whole - length, inside, length) != 0) return -1;
    size_t start = whole - length;
    return start == 0 || name[start - 1] == '/' ? (long)start : -1;
}

// Behind "META-INF/versions/N/", if that stands at name[start].
static long behind_version(const char *name, long start) {
    static const char versions[] = "META-INF/versions/";
    if (start < 0 || !begins_with(name + start, versions)) return start;
    const char *digits = name + start + sizeof versions - 1;
    size_t n = strspn(digits, "0123456789");
    return n > 0 && digits[n] == '/' ? (long)(digits + n + 1 - name) : start;
}

long cli_roots_find(struct cli_roots *roots, const char *name, cli_read_class read, void *context) {
    size_t folder = strcspn(name, "/") + 1, longest = 0;
    for (size_t i = 0; i < roots->known_count; i++) {
        size_t length = strlen(roots->known[i]);
        if (length > longest && begins_with(name, roots->known[i])) longest = length;
    }
    if (longest > 0) return behind_version(name, (long)longest);
    for (size_t i = 0; i < roots->plain_count; i++)
        if (strlen(roots->plain[i]) == folder && begins_with(name, roots->plain[i])) return 0;
    long start = ask_class(name, read, context);
    if (start > 0) add_text(&roots->known, &roots->known_count, name, (size_t)start);
    if (start == 0 && strchr(name, '/')) add_text(&roots->plain, &roots->plain_count, name, folder);
    return start;
}

// The start of "META-INF/versions/N/" at the end of the path; its length if there is none.
static size_t without_version(const char *path, size_t length) {
    static const char versions[] = "META-INF/versions/";
    size_t at = length, n = sizeof versions - 1;
    if (at == 0 || path[at - 1] != '/') return length;
    at--;
    size_t digits = 0;
    while (at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9') at--, digits++;
    if (!digits || at < n || memcmp(path + at - n, versions, n) != 0) return length;
    return at == n || path[at - n - 1] == '/' ? at - n : length;
}

static int is_plain_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > 126) return 0;
    return length < 512;
}

struct cli_root *cli_roots_get(struct cli_roots *roots, const char *name, size_t start) {
    size_t length = without_version(name, start);
    for (size_t i = 0; i < roots->count; i++)
        if (strlen(roots->items[i]->path) == length &&
            memcmp(roots->items[i]->path, name, length) == 0)
            return roots->items[i];
    struct cli_root **items = realloc(roots->items, (roots->count + 1) * sizeof *items);
    struct cli_root *root = calloc(1, sizeof *root);
    if (items) roots->items = items;
    if (!items || !root) {
        free(root);
        return NULL;
    }
    const char *slash = strrchr(name + start, '/');
    size_t package = slash ? (size_t)(slash - (name + start)) : 0;
    if (!is_plain_text(name + start, package)) package = 0;
    root->path = strndup(name, length);
    root->prefix = cli_gate_prefix(name + start, package, roots->key + roots->count);
    items[roots->count++] = root;
    return root->path && root->prefix ? root : NULL;
}

void cli_roots_free(struct cli_roots *roots) {
    for (size_t i = 0; i < roots->count; i++) {
        free(roots->items[i]->path);
        free(roots->items[i]->prefix);
        free(roots->items[i]->rows);
        free(roots->items[i]->covered);
        free(roots->items[i]);
    }
    for (size_t i = 0; i < roots->known_count; i++) free(roots->known[i]);
    for (size_t i = 0; i < roots->plain_count; i++) free(roots->plain[i]);
    free(roots->items);
    free(roots->known);
    free(roots->plain);
    memset(roots, 0, sizeof *roots);
}
