// instr show: prints a class file.

#include "classfile/print.h"
#include "instr/cli/cli.h"
#include "instr/cli/commands/dump.h"
#include "instr/cli/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

// Where the '!' stands that parts jar and entry: the first one with a file before it, since both
// names may hold more of them. NULL: none. Cuts `name` there.
static char *cut_at_entry(char *name) {
    for (char *mark = strchr(name, '!'); mark; mark = strchr(mark + 1, '!')) {
        *mark = '\0';
        if (is_file(name)) return mark + 1;
        *mark = '!';
    }
    return NULL;
}

static int read_from_jar(const char *path, const char *entry, struct cli_bytes *bytes,
                         char reason[CLI_REASON_SIZE]) {
    struct zip *jar;
    if (cli_open_jar(path, &jar, reason) != 0) return -1;
    long long index = cli_find_entry(jar, *entry == '/' ? entry + 1 : entry);
    int result = -1;
    if (index >= 0)
        result = cli_read_entry(jar, (size_t)index, bytes, reason);
    else
        snprintf(reason, CLI_REASON_SIZE, "the jar has no such entry or class%s",
                 strchr(entry, '!') ? "; jars within it are to be unpacked first" : "");
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

static int to_stdout(void *context, const char *bytes, size_t length) {
    (void)context;
    return fwrite(bytes, 1, length, stdout) == length;
}

// The lines of the text, as members of an array.
struct lines {
    json_t *array;
    char *text; // of the line that is coming
    size_t used;
};

static int to_lines(void *context, const char *bytes, size_t length) {
    struct lines *lines = context;
    char *larger = realloc(lines->text, lines->used + length + 1);
    if (!larger) return 0;
    memcpy(larger + lines->used, bytes, length);
    lines->text = larger;
    lines->used += length;
    size_t from = 0;
    for (size_t i = 0; i < lines->used; i++) {
        if (larger[i] != '\n') continue;
        if (json_array_append_new(lines->array, json_stringn(larger + from, i - from)) != 0)
            return 0;
        from = i + 1;
    }
    memmove(larger, larger + from, lines->used - from);
    lines->used -= from;
    return 1;
}

static int print_class(const char *name, const struct cli_bytes *bytes, json_t *array) {
    struct lines lines = {array, NULL, 0};
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_text text;
    char reason[CLI_REASON_SIZE];
    cf_arena_init(&arena);
    cf_text_init(&text, array ? to_lines : to_stdout, &lines);
    enum cf_status opened = cf_class_open(&cls, bytes->bytes, bytes->length, &arena);
    // Of what is no class file at all one line is enough.
    int is_class = bytes->length >= 8 && cf_be4(bytes->bytes) == 0xCAFEBABEu;
    enum cf_status printed = is_class ? cf_print_class(&cls, &text) : opened;
    int status = CLI_OK;
    if (opened != CF_OK)
        cli_error("instr: %s: %s", name, cf_error_text(&cls.error, reason, sizeof reason));
    else if (printed == CF_LIMIT && !ferror(stdout))
        cli_error("instr: %s: too much text; the rest is left out", name);
    else if (printed != CF_OK && !ferror(stdout))
        cli_error("instr: %s: errors were found; see the lines 'error: ...'", name);
    if (opened != CF_OK || printed != CF_OK) status = CLI_FAILED;
    cf_arena_free(&arena);
    free(lines.text);
    return array ? status : cli_finish(status);
}

// {"class", "original", "lines"}
static int print_json(const char *name, int original, const struct cli_bytes *bytes) {
    json_t *json = json_object(), *array = json_array();
    json_object_set_new(json, "class", json_string(name));
    json_object_set_new(json, "original", json_boolean(original));
    json_object_set(json, "lines", array);
    int status = print_class(name, bytes, array);
    if (status == CLI_OK && json_dumpf(json, stdout, JSON_INDENT(2)) != 0 && !ferror(stdout)) {
        cli_error("instr: out of memory");
        status = CLI_FAILED;
    }
    putchar('\n');
    json_decref(array);
    json_decref(json);
    return cli_finish(status);
}

// PID CLASS: out of a JVM.
static int show_loaded(int argc, char **argv) {
    struct cli_control control;
    struct cli_bytes bytes;
    char *rest[INSTR_MESSAGE_WORDS];
    int original = 0, count = 0;
    for (int i = 0; i < argc && count < INSTR_MESSAGE_WORDS; i++) {
        if (strcmp(argv[i], "--original") == 0)
            original = 1;
        else
            rest[count++] = argv[i];
    }
    int status = cli_control_arguments(&control, "show", count, rest);
    if (status != CLI_OK) return status;
    if (control.argc != 1) return cli_usage("show", "instr: show: one class at a time");
    status = cli_dump_fetch(&control, original, &bytes);
    if (status != CLI_OK) return status;
    status = control.json ? print_json(control.argv[0], original, &bytes)
                          : print_class(control.argv[0], &bytes, NULL);
    free(bytes.bytes);
    return status;
}

int cli_show(int argc, char **argv) {
    int options_first = argc > 1 && strncmp(argv[0], "--", 2) == 0;
    if (argc > 1 && cli_number(argv[options_first], 0, 1 << 30) > 0) return show_loaded(argc, argv);
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    if (argc != 1) return cli_usage("show", "instr: show: one class at a time");
    if (argv[0][0] == '-' && argv[0][1] != '\0')
        return cli_usage("show", "instr: show: unknown option '%.64s'", argv[0]);
    if (read_class(argv[0], &bytes, reason) != 0) {
        cli_error("instr: %s: %s", argv[0], reason);
        return CLI_FAILED;
    }
    int status;
    if (bytes.length >= 2 && memcmp(bytes.bytes, "PK", 2) == 0) {
        cli_error("instr: %s: this is a jar; name a class in it: JAR!com.acme.Foo", argv[0]);
        status = CLI_FAILED;
    } else {
        status = print_class(argv[0], &bytes, NULL);
    }
    free(bytes.bytes);
    return status;
}
