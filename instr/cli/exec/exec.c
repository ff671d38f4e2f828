// instr exec: finds the command, the files, and reads them.

#include "instr/cli/exec/exec.h"
#include "instr/coverage/exec_reader.h"
#include "instr/report/text.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- commands ---

struct command {
    const char *name, *arguments, *help;
    int (*run)(int argc, char **argv);
};

#define ROW(name, arguments, help) {#name, arguments, help, cli_exec_##name},
static const struct command commands[] = {INSTR_EXEC_COMMANDS(ROW){NULL, NULL, NULL, NULL}};
#undef ROW

static const struct command *command_named(const char *name) {
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

int cli_exec_usage(const char *name, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cli_error("instr: exec %s: %s", name, line);
    const struct command *command = command_named(name);
    if (command) fprintf(stderr, "usage: instr exec %s %s\n", name, command->arguments);
    return CLI_USAGE;
}

void cli_exec_help(void (*print_entry)(const char *name, const char *help)) {
    printf("usage: instr exec COMMAND ...\n\n");
    for (const struct command *c = commands; c->name; c++) print_entry(c->name, c->help);
    putchar('\n');
    for (const struct command *c = commands; c->name; c++)
        printf("  instr exec %s %s\n", c->name, c->arguments);
    printf("\nPATH is a file, - for standard input, or a directory: all files *.exec below it.\n");
}

int cli_exec(int argc, char **argv) {
    if (argc < 1) return cli_usage("exec", "instr: exec: which command? See 'instr help exec'");
    const struct command *command = command_named(argv[0]);
    if (!command)
        return cli_usage("exec", "instr: exec: '%.64s' is no command; see 'instr help exec'",
                         argv[0]);
    return command->run(argc - 1, argv + 1);
}

// --- files ---

static int add_file(struct cli_exec_files *files, const char *path) {
    if (files->count == files->capacity) {
        size_t capacity = files->capacity ? files->capacity * 2 : 64;
        char **paths = realloc(files->paths, capacity * sizeof *paths);
        if (!paths) return -1;
        files->paths = paths;
        files->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy) return -1;
    files->paths[files->count++] = copy;
    return 0;
}

// nftw has no argument for what it calls. It is called by the tool's one thread.
static struct cli_exec_files *walked;
static int unreadable;

static int walk(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)ftw;
    size_t n = strlen(path);
    if (type == FTW_DNR || type == FTW_NS) {
        cli_error("instr: %s: %s", path, strerror(errno));
        unreadable = 1;
    } else if (type == FTW_F && n > 5 && strcmp(path + n - 5, ".exec") == 0) {
        return add_file(walked, path);
    }
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_directory(struct cli_exec_files *files, const char *path) {
    size_t before = files->count;
    walked = files;
    unreadable = 0;
    int status = nftw(path, walk, 32, FTW_PHYS);
    if (status != 0) cli_error("instr: %s: %s", path, strerror(errno));
    if (status != 0 || unreadable) return -1;
    size_t found = files->count - before;
    if (found == 0) cli_error("instr: %s: there is no .exec file in it", path);
    if (found > 0) qsort(files->paths + before, found, sizeof *files->paths, by_name);
    return found == 0 ? -1 : 0;
}

int cli_exec_add(struct cli_exec_files *files, const char *path) {
    struct stat st;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return add_directory(files, path);
    if (add_file(files, path) == 0) return 0;
    cli_error("instr: out of memory");
    return -1;
}

void cli_exec_files_free(struct cli_exec_files *files) {
    for (size_t i = 0; i < files->count; i++) free(files->paths[i]);
    free(files->paths);
    memset(files, 0, sizeof *files);
}

// --- arguments ---

// 1: argv[*i] is one of the options; 0: it is none; -1: one without its value.
static int read_option(int argc, char **argv, int *i, const struct cli_exec_option *options) {
    for (const struct cli_exec_option *o = options; o->name; o++) {
        if (o->flag && strcmp(argv[*i], o->name) == 0) {
            *o->flag = 1;
            return 1;
        }
        int known = o->value ? cli_option(argc, argv, i, o->name, o->value) : 0;
        if (known != 0) return known;
    }
    return 0;
}

int cli_exec_some_arguments(const char *command, int argc, char **argv,
                            const struct cli_exec_option *options, struct cli_exec_files *files) {
    int only_files = 0;
    for (int i = 0; i < argc; i++) {
        int known = only_files ? 0 : read_option(argc, argv, &i, options);
        if (known < 0) return cli_exec_usage(command, "%s needs a value", argv[i]);
        if (known > 0) continue;
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = 1;
            continue;
        }
        if (!only_files && argv[i][0] == '-' && argv[i][1] != '\0')
            return cli_exec_usage(command, "unknown option '%.64s'", argv[i]);
        if (cli_exec_add(files, argv[i]) != 0) return CLI_FAILED;
    }
    return CLI_OK;
}

int cli_exec_arguments(const char *command, int argc, char **argv,
                       const struct cli_exec_option *options, struct cli_exec_files *files) {
    int status = cli_exec_some_arguments(command, argc, argv, options, files);
    if (status != CLI_OK || files->count > 0) return status;
    return cli_exec_usage(command, "which file?");
}

// --- reading ---

// 0: read to its end; 1: broken, which has been printed; -1: the visitor wants no more.
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

// A class name with dots, cut where it would fill a line by itself.
static const char *with_dots(const char *name, char text[256]) {
    snprintf(text, 256, "%s", name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    return text;
}

int cli_exec_store(struct instr_exec_store *store, const struct cli_exec_files *files,
                   const struct instr_exec_class *class, size_t file) {
    enum instr_exec_added added = instr_exec_store_add(store, class, file);
    if (added == INSTR_EXEC_ADDED) return 0;
    if (added == INSTR_EXEC_NO_MEMORY) {
        cli_error("instr: out of memory");
        return -1;
    }
    const struct instr_exec_entry *there = instr_exec_store_find(store, class->id);
    char name[256], other[256];
    with_dots(class->name, name);
    if (added == INSTR_EXEC_OTHER_NAME)
        cli_error("instr: %.256s: the id %016llx is that of %s, but of %s in %.256s",
                  files->paths[file], (unsigned long long)class->id, name,
                  with_dots(there->class.name, other), files->paths[there->source]);
    else
        cli_error("instr: %.256s: %s (id %016llx) has %zu probes, but %zu in %.256s",
                  files->paths[file], name, (unsigned long long)class->id, class->probes,
                  there->class.probes, files->paths[there->source]);
    return -1;
}

// --- printing ---

char *cli_exec_share(uint64_t hit, uint64_t probes, char text[CLI_SHARE_SIZE]) {
    double share = probes > 0 ? 100.0 * (double)hit / (double)probes : 0;
    if (hit < probes && share > 99.9) share = 99.9; // what is not whole must not look so
    snprintf(text, CLI_SHARE_SIZE, "%.1f %%", share);
    return text;
}
