// instr coverage: finds the command and the files, and reads the files.

#include "instr/cli/exec/exec.h"
#include "instr/base/array.h"
#include "instr/cli/paths.h"
#include "instr/coverage/exec_reader.h"
#include "instr/report/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- commands ---

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
};

#define ROW(name, arguments, help, details) {#name, cli_exec_##name},
static const struct command commands[] = {INSTR_COVERAGE_COMMANDS(ROW){NULL, NULL}};
#undef ROW

int cli_coverage(int argc, char **argv) {
    if (argc < 1) return cli_usage("coverage", "no command given; see 'instr help coverage'");
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, argv[0]) == 0) return c->run(argc - 1, argv + 1);
    if (argc <= 2 && strcmp(argv[0], "help") == 0) {
        static char name[] = "coverage";
        char *topic[] = {name, argv[1]};
        return cli_help(argc, topic);
    }
    static const char *const jacocos[][2] = {{"execinfo", "instr coverage info"},
                                             {"instrument", "instr rewrite coverage"},
                                             {"classinfo", "instr show"}};
    for (size_t i = 0; i < sizeof jacocos / sizeof *jacocos; i++)
        if (strcmp(jacocos[i][0], argv[0]) == 0)
            return cli_usage("coverage", "unknown command '%s'; here it is '%s'", argv[0],
                             jacocos[i][1]);
    return cli_usage("coverage", "unknown command '%.64s'; see 'instr help coverage'", argv[0]);
}

// --- files ---

static int add_file(struct cli_exec_files *files, const char *path) {
    char *copy = strdup(path);
    if (!copy || !INSTR_ARRAY_RESERVE(files->paths, files->capacity, files->count + 1)) {
        free(copy);
        return cli_no_memory();
    }
    files->paths[files->count++] = copy;
    return CLI_OK;
}

static int take_found(void *context, const FTSENT *entry) {
    switch (entry->fts_info) {
    case FTS_F:
        return cli_ends_with(entry->fts_name, ".exec") ? add_file(context, entry->fts_path)
                                                       : CLI_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS: return cli_error("%s: %s", entry->fts_path, strerror(entry->fts_errno));
    case FTS_SLNONE:
        return cli_ends_with(entry->fts_name, ".exec")
                   ? cli_error("%s: %s", entry->fts_path, cli_link_error(entry))
                   : CLI_OK;
    default: return CLI_OK;
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_directory(struct cli_exec_files *files, const char *path) {
    size_t before = files->count;
    int status = cli_walk(path, CLI_LINKS_FOLLOWED, take_found, files);
    if (status < 0) return cli_error("%s: %s", path, strerror(errno));
    if (status != CLI_OK) return status;
    if (files->count == before) return cli_error("%s: there is no .exec file in it", path);
    qsort(files->paths + before, files->count - before, sizeof *files->paths, by_name);
    return CLI_OK;
}

int cli_exec_add(struct cli_exec_files *files, const char *path) {
    struct stat st;
    int is_directory = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    return is_directory ? add_directory(files, path) : add_file(files, path);
}

void cli_exec_files_free(struct cli_exec_files *files) {
    for (size_t i = 0; i < files->count; i++) free(files->paths[i]);
    free(files->paths);
    memset(files, 0, sizeof *files);
}

int cli_exec_arguments(const char *command, int argc, char **argv, const struct cli_option *options,
                       struct cli_exec_files *files) {
    int status = cli_arguments(command, &argc, argv, options), inputs = 0;
    if (status == CLI_OK && argc == 0) status = cli_usage(command, "no file given");
    for (int i = 0; i < argc; i++) inputs += strcmp(argv[i], "-") == 0;
    if (status == CLI_OK && inputs > 1) status = cli_usage(command, CLI_INPUT_ONCE);
    for (int i = 0; i < argc && status == CLI_OK; i++) status = cli_exec_add(files, argv[i]);
    return status;
}

// --- reading ---

// 0: read to its end; 1: broken, which was reported; -1: the visitor stopped.
static int read_file(const char *path, size_t file, const struct cli_exec_visitor *visitor) {
    struct instr_exec_reader reader;
    enum instr_exec_found found = INSTR_EXEC_BAD;
    int stop = 0;
    if (instr_exec_read_open(&reader, path) == 0)
        while (!stop && (found = instr_exec_read(&reader)) > INSTR_EXEC_NOTHING) {
            if (found == INSTR_EXEC_FOUND_CLASS)
                stop = visitor->class(visitor->context, &reader.class, file);
            else
                stop = visitor->session ? visitor->session(visitor->context, &reader.session, file)
                                        : 0;
        }
    if (found == INSTR_EXEC_BAD) cli_error("%s", reader.error);
    instr_exec_read_close(&reader);
    return stop ? -1 : found == INSTR_EXEC_BAD;
}

int cli_exec_each(const struct cli_exec_files *files, const struct cli_exec_visitor *visitor) {
    int status = CLI_OK;
    for (size_t i = 0; i < files->count; i++) {
        int bad = read_file(files->paths[i], i, visitor);
        if (bad) status = CLI_FAILED;
        if (bad < 0 || (bad > 0 && !visitor->keep_going)) break;
    }
    return status;
}

// A class name with dots, shortened if it is very long.
static const char *with_dots(const char *name, char text[256]) {
    snprintf(text, 256, "%s", name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    return text;
}

int cli_exec_store(struct instr_exec_store *store, const struct cli_exec_files *files,
                   const struct instr_exec_class *class, size_t file) {
    enum instr_exec_added added = instr_exec_store_add(store, class, file);
    if (added == INSTR_EXEC_ADDED) return CLI_OK;
    if (added == INSTR_EXEC_NO_MEMORY) return cli_no_memory();
    const struct instr_exec_entry *there = instr_exec_store_find(store, class->id);
    char name[256], other[256];
    with_dots(class->name, name);
    if (added == INSTR_EXEC_OTHER_NAME)
        return cli_error("%.256s: the id %016llx belongs to %s, but to %s in %.256s",
                         files->paths[file], (unsigned long long)class->id, name,
                         with_dots(there->class.name, other), files->paths[there->source]);
    return cli_error("%.256s: %s (id %016llx) has %zu probes, but %zu in %.256s",
                     files->paths[file], name, (unsigned long long)class->id, class->probes,
                     there->class.probes, files->paths[there->source]);
}

// --- printing ---

char *cli_exec_share(uint64_t hit, uint64_t probes, char text[CLI_SHARE_SIZE]) {
    double share = probes > 0 ? 100.0 * (double)hit / (double)probes : 0;
    if (hit < probes && share > 99.9) share = 99.9; // 100.0 % would say that all are hit
    snprintf(text, CLI_SHARE_SIZE, "%.1f %%", share);
    return text;
}
