// Class files and their ids.

#include "instr/cli/exec/classes.h"
#include "instr/cli/cli.h"
#include "instr/cli/paths.h"
#include "instr/coverage/exec_writer.h"

#include "classfile/classfile.h"

#include <stdlib.h>
#include <string.h>

struct visit {
    struct cf_arena arena;
    const char *name; // NULL: all
    int (*take)(void *context, const struct cli_class_file *file);
    void *context;
    struct cli_open_jar open;
};

// Does the path of a file or an entry end with the simple name of the class?
static int may_be(const char *path, const char *name) {
    const char *slash = strrchr(name, '/');
    const char *simple = slash ? slash + 1 : name;
    size_t n = strlen(simple), length = strlen(path);
    return length >= n + 6 && strncmp(path + length - 6 - n, simple, n) == 0;
}

static int visit_item(struct visit *visit, const struct cli_item *item) {
    char reason[CLI_REASON_SIZE], name[65536];
    struct cli_bytes bytes;
    struct cf_class cls;
    if (visit->name && !may_be(item->name, visit->name)) return 0;
    if (cli_item_read(item, &visit->open, &bytes, reason) != 0) {
        cli_item_error(item, reason);
        return 0;
    }
    int result = 0;
    cf_arena_reset(&visit->arena, 1 << 20);
    if (cf_class_open(&cls, bytes.bytes, bytes.length, &visit->arena) != CF_OK) {
        cli_item_error(item, cf_error_text(&cls.error, reason, sizeof reason));
    } else {
        struct cf_slice slice = cf_this_name(&cls);
        memcpy(name, slice.bytes, slice.length);
        name[slice.length] = '\0';
        struct cli_class_file file = {name, instr_exec_class_id(bytes.bytes, bytes.length),
                                      bytes.bytes, bytes.length};
        if (!visit->name || strcmp(visit->name, name) == 0)
            result = visit->take(visit->context, &file);
    }
    free(bytes.bytes);
    return result;
}

int cli_each_class_file(size_t count, char *const *paths, enum cli_links links, const char *name,
                        int (*take)(void *context, const struct cli_class_file *file),
                        void *context) {
    struct cli_paths found = {.links = links};
    struct visit visit = {.name = name, .take = take, .context = context};
    int result = 0;
    cf_arena_init(&visit.arena);
    for (size_t i = 0; i < count && result == 0; i++) {
        result = cli_paths_add(&found, paths[i]);
        if (result != 0) cli_no_memory();
    }
    if (found.failures > 0) result = -1;
    for (size_t i = 0; i < found.count && result == 0; i++)
        result = visit_item(&visit, &found.items[i]);
    cli_open_jar_free(&visit.open);
    cli_paths_free(&found);
    cf_arena_free(&visit.arena);
    return result;
}
