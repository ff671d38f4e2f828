// The class files and jars below some paths.

#include "instr/cli/paths.h"
#include "instr/base/array.h"
#include "instr/cli/cli.h"
#include "instr/cli/content.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zip.h>

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

int cli_walk(const char *path, enum cli_links links,
             int (*take)(void *context, const FTSENT *entry), void *context) {
    char *copy = strdup(path);
    char *const roots[] = {copy, NULL};
    int how = links == CLI_LINKS_FOLLOWED ? FTS_LOGICAL : FTS_PHYSICAL | FTS_COMFOLLOW;
    FTS *walk = copy ? fts_open(roots, how | FTS_NOCHDIR, by_name) : NULL;
    int result = walk ? 0 : -1;
    for (const FTSENT *entry; result == 0 && (entry = fts_read(walk));)
        result = take(context, entry);
    if (walk) fts_close(walk);
    free(copy);
    return result;
}

const char *cli_link_error(const FTSENT *entry) {
    struct stat st;
    return stat(entry->fts_accpath, &st) == 0 ? "a symbolic link that changes" : strerror(errno);
}

// --- adding ---

static int named_like_a_jar(const char *path) {
    static const char *const ends[] = {".jar", ".war", ".ear", ".zip", ".jmod"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (cli_ends_with(path, ends[i])) return 1;
    return 0;
}

static enum cli_content content_by_name(const char *name) {
    return cli_ends_with(name, ".class") ? CLI_CONTENT_CLASS
           : named_like_a_jar(name)      ? CLI_CONTENT_ARCHIVE
                                         : CLI_CONTENT_OTHER;
}

static int add_item(struct cli_paths *paths, const char *jar, size_t index, const char *name) {
    char *copy = strdup(name);
    if (!copy || !INSTR_ARRAY_RESERVE(paths->items, paths->capacity, paths->count + 1)) {
        free(copy);
        return -1;
    }
    paths->items[paths->count++] = (struct cli_item){jar, index, copy};
    return 0;
}

static const char *add_jar_name(struct cli_paths *paths, const char *path) {
    char *copy = strdup(path);
    if (!copy || !INSTR_ARRAY_RESERVE(paths->jars, paths->jars_capacity, paths->jars_count + 1)) {
        free(copy);
        return NULL;
    }
    return paths->jars[paths->jars_count++] = copy;
}

static void fail(struct cli_paths *paths, const char *path, const char *reason) {
    cli_error("%s: %s", path, reason);
    paths->failures++;
}

enum { DEEPEST_JAR = 8 };

static int add_entries(struct cli_paths *paths, struct zip *jar, const char *name, int depth);

// A jar in a jar.
static int add_nested(struct cli_paths *paths, struct zip *outer, size_t index, const char *name,
                      int depth) {
    char reason[CLI_REASON_SIZE] = "jars are nested too deeply";
    struct cli_bytes bytes;
    struct zip *jar;
    enum cli_nested_room room = cli_nested_take(&paths->nested, outer, index);
    if (room == CLI_NESTED_FULL)
        fail(paths, name, "too many or too large jars in jars; the rest of them is skipped");
    if (room != CLI_NESTED_ROOM) return 0;
    if (depth >= DEEPEST_JAR || cli_read_entry(outer, index, &bytes, reason) != 0 ||
        cli_open_jar_bytes(&bytes, &jar, reason) != 0) {
        fail(paths, name, reason);
        return 0;
    }
    int result = add_entries(paths, jar, name, depth + 1);
    cli_close_jar(jar);
    return result;
}

static int add_nested_entry(struct cli_paths *paths, struct zip *jar, size_t index,
                            const char *jar_name, const char *entry, int depth) {
    size_t size = strlen(jar_name) + strlen(entry) + 2;
    char *name = malloc(size);
    if (!name) return -1;
    snprintf(name, size, "%s!%s", jar_name, entry);
    int result = add_nested(paths, jar, index, name, depth);
    free(name);
    return result;
}

static int add_entries(struct cli_paths *paths, struct zip *jar, const char *name, int depth) {
    const char *jar_name = add_jar_name(paths, name);
    int result = jar_name ? 0 : -1;
    zip_int64_t entries = zip_get_num_entries(jar, 0);
    size_t within = 0;
    for (zip_uint64_t i = 0; (zip_int64_t)i < entries && result == 0; i++) {
        const char *entry = zip_get_name(jar, i, ZIP_FL_ENC_RAW);
        if (!entry || cli_ends_with(entry, "/")) continue;
        enum cli_content content = content_by_name(entry);
        if (content == CLI_CONTENT_OTHER && paths->by_content)
            content = cli_content_of_entry(jar, i);
        if (content == CLI_CONTENT_CLASS) result = add_item(paths, jar_name, i, entry);
        if (content != CLI_CONTENT_ARCHIVE) continue;
        within++;
        if (paths->by_content) result = add_nested_entry(paths, jar, i, jar_name, entry, depth);
    }
    if (within && !paths->by_content)
        cli_error("%s: %zu nested jar%s skipped; unpack %s first", name, within,
                  cli_plural(within, "s"), within == 1 ? "it" : "them");
    return result;
}

static int add_jar(struct cli_paths *paths, const char *path) {
    char reason[CLI_REASON_SIZE];
    struct zip *jar;
    if (cli_open_jar(path, &jar, reason) != 0) {
        fail(paths, path, reason);
        return 0;
    }
    int result = add_entries(paths, jar, path, 0);
    cli_close_jar(jar);
    return result;
}

static int take_file(struct cli_paths *paths, const FTSENT *entry) {
    enum cli_content content = content_by_name(entry->fts_name);
    if (content == CLI_CONTENT_OTHER && paths->by_content)
        content = cli_content_of_file(entry->fts_path);
    if (content == CLI_CONTENT_CLASS) return add_item(paths, NULL, 0, entry->fts_path);
    return content == CLI_CONTENT_ARCHIVE ? add_jar(paths, entry->fts_path) : 0;
}

static int take_found(void *context, const FTSENT *entry) {
    struct cli_paths *paths = context;
    switch (entry->fts_info) {
    case FTS_F: return take_file(paths, entry);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS: fail(paths, entry->fts_path, strerror(entry->fts_errno)); return 0;
    case FTS_SLNONE: // may be a folder of classes
        if (paths->by_content || content_by_name(entry->fts_name) != CLI_CONTENT_OTHER)
            fail(paths, entry->fts_path, cli_link_error(entry));
        return 0;
    default: return 0;
    }
}

int cli_paths_add(struct cli_paths *paths, const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) {
        fail(paths, path, strerror(errno));
        return 0;
    }
    if (S_ISDIR(st.st_mode)) return cli_walk(path, paths->links, take_found, paths);
    if (!S_ISREG(st.st_mode)) {
        fail(paths, path, "neither a file nor a directory");
        return 0;
    }
    if (named_like_a_jar(path) || cli_file_starts_with(path, "PK", 2)) return add_jar(paths, path);
    return add_item(paths, NULL, 0, path);
}

void cli_paths_free(struct cli_paths *paths) {
    for (size_t i = 0; i < paths->count; i++) free(paths->items[i].name);
    for (size_t i = 0; i < paths->jars_count; i++) free(paths->jars[i]);
    free(paths->items);
    free(paths->jars);
    memset(paths, 0, sizeof *paths);
}

// --- reading ---

static int open_inner(struct zip *outer, const char *name, struct zip **jar,
                      char reason[CLI_REASON_SIZE]) {
    struct cli_bytes bytes;
    zip_int64_t index = zip_name_locate(outer, name, ZIP_FL_ENC_RAW);
    if (index < 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s", zip_strerror(outer));
        return -1;
    }
    if (cli_read_entry(outer, (size_t)index, &bytes, reason) != 0) return -1;
    return cli_open_jar_bytes(&bytes, jar, reason);
}

static void close_outer(struct cli_open_jar *open) {
    cli_close_jar(open->outer);
    free(open->outer_name);
    open->outer = NULL;
    open->outer_name = NULL;
}

// Opens a jar, or OUTER.jar!INNER.jar, of which `open` keeps the outer one.
static int open_named(struct cli_open_jar *open, const char *name, struct zip **jar,
                      char reason[CLI_REASON_SIZE]) {
    struct stat st;
    const char *mark = strrchr(name, '!');
    if (!mark || stat(name, &st) == 0) return cli_open_jar(name, jar, reason);
    size_t length = (size_t)(mark - name);
    if (!open->outer || strlen(open->outer_name) != length ||
        memcmp(open->outer_name, name, length) != 0) {
        struct zip *outer;
        char *outer_name = strndup(name, length);
        if (!outer_name) {
            snprintf(reason, CLI_REASON_SIZE, "out of memory");
            return -1;
        }
        int result = open_named(open, outer_name, &outer, reason);
        close_outer(open);
        if (result != 0) {
            free(outer_name);
            return -1;
        }
        open->outer = outer;
        open->outer_name = outer_name;
    }
    return open_inner(open->outer, mark + 1, jar, reason);
}

int cli_item_read(const struct cli_item *item, struct cli_open_jar *open, struct cli_bytes *bytes,
                  char reason[CLI_REASON_SIZE]) {
    if (!item->jar) return cli_read_file(item->name, bytes, reason);
    if (open->name != item->jar) {
        cli_close_jar(open->jar);
        open->jar = NULL;
        open->name = NULL;
        if (open_named(open, item->jar, &open->jar, reason) != 0) {
            open->jar = NULL;
            return -1;
        }
        open->name = item->jar;
    }
    return cli_read_entry(open->jar, item->index, bytes, reason);
}

void cli_open_jar_free(struct cli_open_jar *open) {
    cli_close_jar(open->jar);
    close_outer(open);
    *open = (struct cli_open_jar){NULL};
}

void cli_item_error(const struct cli_item *item, const char *reason) {
    cli_error("%s%s%s: %s", item->jar ? item->jar : "", item->jar ? "!" : "", item->name, reason);
}
