// Where in an archive or directory the classes of one class path begin.

#include "instr/cli/rewrite/roots.h"
#include "instr/base/array.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/kit/kit.h"
#include "rewriters/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// Out of memory the path is not added, and classes below it are read.
static void add_seen(struct cli_paths_seen *seen, const char *path, size_t length) {
    char *copy = strndup(path, length);
    if (copy && INSTR_ARRAY_RESERVE(seen->items, seen->capacity, seen->count + 1))
        seen->items[seen->count++] = copy;
    else
        free(copy);
}

static void free_seen(struct cli_paths_seen *seen) {
    for (size_t i = 0; i < seen->count; i++) free(seen->items[i]);
    free(seen->items);
}

// Where the class's own name begins in `path`; -1: it does not end with that name, or `reason`.
static long ask_class(const char *path, cli_read_class read, void *context,
                      char reason[CLI_REASON_SIZE]) {
    struct cli_bytes bytes;
    struct cf_arena arena;
    struct cf_class cls;
    size_t whole = strlen(path) - (sizeof ".class" - 1);
    long start = -1;
    if (read(context, &bytes, reason) != 0) return -1;
    snprintf(reason, CLI_REASON_SIZE, "does not contain a class of this name");
    cf_arena_init(&arena);
    if (cf_class_open(&cls, bytes.bytes, bytes.length, &arena) == CF_OK) {
        struct cf_slice name = cf_this_name(&cls);
        if (name.bytes && name.length > 0 && name.length <= whole &&
            memcmp(path + whole - name.length, name.bytes, name.length) == 0)
            start = (long)(whole - name.length);
    }
    cf_arena_free(&arena);
    free(bytes.bytes);
    return start <= 0 || path[start - 1] == '/' ? start : -1;
}

// Skips "META-INF/versions/N/" at name[start].
static long after_version(const char *name, long start) {
    static const char versions[] = "META-INF/versions/";
    if (start < 0 || !begins_with(name + start, versions)) return start;
    const char *digits = name + start + sizeof versions - 1;
    size_t n = strspn(digits, "0123456789");
    return n > 0 && digits[n] == '/' ? (long)(digits + n + 1 - name) : start;
}

static long find_start(struct cli_roots *roots, const char *path, cli_read_class read,
                       void *context, char reason[CLI_REASON_SIZE]) {
    size_t folder = strcspn(path, "/") + 1, longest = 0;
    for (size_t i = 0; i < roots->known.count; i++) {
        size_t length = strlen(roots->known.items[i]);
        if (length > longest && begins_with(path, roots->known.items[i])) longest = length;
    }
    if (longest > 0) return after_version(path, (long)longest);
    for (size_t i = 0; i < roots->plain.count; i++)
        if (strlen(roots->plain.items[i]) == folder && begins_with(path, roots->plain.items[i]))
            return 0;
    long start = ask_class(path, read, context, reason);
    if (start > 0) add_seen(&roots->known, path, (size_t)start);
    if (start == 0 && strchr(path, '/')) add_seen(&roots->plain, path, folder);
    return start;
}

enum cli_root_status cli_roots_find(struct cli_roots *roots, const struct instr_options *options,
                                    const char *path, cli_read_class read, void *context,
                                    struct cli_root **root, size_t *start,
                                    char reason[CLI_REASON_SIZE]) {
    long found = find_start(roots, path, read, context, reason);
    if (found < 0) return CLI_ROOT_UNKNOWN;
    const char *name = path + found, *slash = strrchr(name, '/');
    const char *simple = slash ? slash + 1 : name;
    size_t length = strlen(name) - (sizeof ".class" - 1);
    // No class loader accepts gates in java.*, and the platform needs the agent.
    if (begins_with(name, "java/") || rw_is_gate(name, length) ||
        strcmp(simple, "module-info.class") == 0 || strcmp(simple, "package-info.class") == 0 ||
        begins_with(name, INSTR_KIT_WOVEN) ||
        (!roots->all && !instr_scope_matches(options, name, length, 0)))
        return CLI_ROOT_OUT_OF_SCOPE;
    *start = (size_t)found;
    *root = cli_roots_get(roots, path, *start);
    return *root ? CLI_ROOT_FOUND : CLI_ROOT_NO_MEMORY;
}

// The length of the path without "META-INF/versions/N/" at its end.
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
    struct cli_root *root = calloc(1, sizeof *root);
    if (!root || !INSTR_ARRAY_RESERVE(roots->items, roots->capacity, roots->count + 1)) {
        free(root);
        return NULL;
    }
    const char *slash = strrchr(name + start, '/');
    size_t package = slash ? (size_t)(slash - (name + start)) : 0;
    if (!is_plain_text(name + start, package)) package = 0;
    root->path = strndup(name, length);
    root->prefix = cli_gate_prefix(name + start, package, roots->key + roots->count);
    root->rows.fd = root->covered.fd = -1;
    roots->items[roots->count++] = root;
    return root->path && root->prefix ? root : NULL;
}

void cli_roots_free(struct cli_roots *roots) {
    for (size_t i = 0; i < roots->count; i++) {
        free(roots->items[i]->path);
        free(roots->items[i]->prefix);
        cli_sink_free(&roots->items[i]->rows);
        cli_sink_free(&roots->items[i]->covered);
        for (size_t k = 0; k < roots->items[i]->added_count; k++) {
            free(roots->items[i]->added[k].name);
            free(roots->items[i]->added[k].bytes);
        }
        free(roots->items[i]->added);
        free(roots->items[i]);
    }
    free_seen(&roots->known);
    free_seen(&roots->plain);
    free(roots->items);
    memset(roots, 0, sizeof *roots);
}
