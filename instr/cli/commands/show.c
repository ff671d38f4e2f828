// instr show: prints a class file, or a class of a JVM.

#include "instr/cli/internal.h"
#include "classfile/print.h"
#include "instr/cli/commands/dump.h"
#include "instr/cli/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zip.h>

static int is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

// The entry's name in "JAR!ENTRY". Both names may hold more '!': the first one counts before which
// there is the name of a file. Cuts `name` there. NULL: none.
static char *cut_at_entry(char *name) {
    for (char *mark = strchr(name, '!'); mark; mark = strchr(mark + 1, '!')) {
        *mark = '\0';
        if (is_file(name)) return mark + 1;
        *mark = '!';
    }
    return NULL;
}

// The number of an entry, which may also be named as a class with dots; -1: there is none.
static zip_int64_t find_entry(struct zip *jar, const char *name) {
    zip_int64_t index = zip_name_locate(jar, name, ZIP_FL_ENC_RAW);
    if (index >= 0) return index;
    char *path = malloc(strlen(name) + sizeof ".class");
    if (!path) return -1;
    strcpy(path, name);
    for (char *c = path; *c; c++)
        if (*c == '.') *c = '/';
    strcat(path, ".class");
    index = zip_name_locate(jar, path, ZIP_FL_ENC_RAW);
    free(path);
    return index;
}

static int read_from_jar(const char *path, const char *entry, struct cli_bytes *bytes,
                         char reason[CLI_REASON_SIZE]) {
    struct zip *jar;
    if (cli_open_jar(path, &jar, reason) != 0) return -1;
    zip_int64_t index = find_entry(jar, *entry == '/' ? entry + 1 : entry);
    int result = -1;
    if (index >= 0)
        result = cli_read_entry(jar, (size_t)index, bytes, reason);
    else
        snprintf(reason, CLI_REASON_SIZE, "the jar has no such entry or class%s",
                 strchr(entry, '!') ? "; unpack nested jars first" : "");
    cli_close_jar(jar);
    return result;
}

static int read_class(const char *name, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]) {
    if (strcmp(name, "-") == 0 || is_file(name) || !strchr(name, '!'))
        return cli_read_file(name, bytes, reason);
    char *copy = strdup(name);
    char *entry = copy ? cut_at_entry(copy) : NULL;
    int result = -1;
    if (entry)
        result = read_from_jar(copy, entry, bytes, reason);
    else
        snprintf(reason, CLI_REASON_SIZE, "there is no such jar");
    free(copy);
    return result;
}

static int to_file(void *file, const char *bytes, size_t length) {
    return fwrite(bytes, 1, length, file) == length;
}

static int print_class(const char *name, const struct cli_bytes *bytes, FILE *to) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_text text;
    char reason[CLI_REASON_SIZE];
    cf_arena_init(&arena);
    cf_text_init(&text, to_file, to);
    enum cf_status opened = cf_class_open(&cls, bytes->bytes, bytes->length, &arena);
    // For what is not a class file at all, one line is enough.
    int is_class = bytes->length >= 8 && cf_be4(bytes->bytes) == 0xCAFEBABEu;
    enum cf_status printed = is_class ? cf_print_class(&cls, &text) : opened;
    if (opened != CF_OK)
        cli_error("%s: %s", name, cf_error_text(&cls.error, reason, sizeof reason));
    else if (printed == CF_LIMIT && !ferror(to))
        cli_error("%s: too much text; the rest is omitted", name);
    else if (printed != CF_OK && !ferror(to))
        cli_error("%s: errors were found; see the lines 'error: ...'", name);
    cf_arena_free(&arena);
    return opened == CF_OK && printed == CF_OK ? CLI_OK : CLI_FAILED;
}

// The lines of the text as an array; NULL: out of memory.
static json_t *lines_of(const char *text) {
    json_t *lines = json_array();
    for (const char *end; *text; text = end + 1) {
        end = strchrnul(text, '\n');
        if (json_array_append_new(lines, json_stringn(text, (size_t)(end - text))) != 0) {
            json_decref(lines);
            return NULL;
        }
        if (!*end) break;
    }
    return lines;
}

// {"class", "original", "lines"}
static int print_json(const char *name, int original, const struct cli_bytes *bytes) {
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file) return cli_no_memory();
    int status = print_class(name, bytes, file);
    json_t *lines = fclose(file) == 0 ? lines_of(text) : NULL;
    free(text);
    json_t *json = json_pack("{s:o, s:b, s:o}", "class", cli_json_text(name), "original", original,
                             "lines", lines);
    if (status == CLI_OK) return cli_json_print(json);
    json_decref(json);
    return status;
}

// PID CLASS: out of a JVM.
static int show_loaded(int argc, char **argv) {
    struct cli_control control;
    struct cli_bytes bytes;
    int original = 0;
    const struct cli_option options[] = {{"--original", .flag = &original}, {NULL}};
    int status = cli_control_arguments(&control, "show", argc, argv, options, 1, 1,
                                       "a process id and one class");
    if (status == CLI_OK) status = cli_dump_fetch(&control, original, &bytes);
    if (status != CLI_OK) return status;
    status = control.json ? print_json(control.argv[0], original, &bytes)
                          : print_class(control.argv[0], &bytes, stdout);
    free(bytes.bytes);
    return cli_finish(status);
}

int cli_show(int argc, char **argv) {
    int options_first = argc > 1 && strncmp(argv[0], "--", 2) == 0;
    if (argc > 1 && cli_number(argv[options_first], 1, 1 << 30) > 0) return show_loaded(argc, argv);
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    const struct cli_option options[] = {{NULL}};
    if (cli_arguments("show", &argc, argv, options) != CLI_OK) return CLI_USAGE;
    if (argc != 1) return cli_usage("show", "expects one class");
    if (read_class(argv[0], &bytes, reason) != 0) return cli_error("%s: %s", argv[0], reason);
    int is_jar = bytes.length >= 2 && memcmp(bytes.bytes, "PK", 2) == 0;
    int status = is_jar
                     ? cli_error("%s: this is a jar; name a class in it: JAR!com.acme.Foo", argv[0])
                     : print_class(argv[0], &bytes, stdout);
    free(bytes.bytes);
    return cli_finish(status);
}
