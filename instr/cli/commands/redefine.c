// instr redefine, undo: give the methods of loaded classes other bodies, and take that back.

#include "instr/cli/internal.h"
#include "classfile/classfile.h"
#include "instr/cli/bring.h"
#include "instr/cli/input.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const json_t *document, const struct instr_process *target) {
    char time[INSTR_DURATION_SIZE];
    size_t index;
    json_t *item;
    const json_t *classes = json_object_get(document, "classes");
    size_t count = json_array_size(classes);
    if (!count) return; // the command failed
    printf("instr: process %ld: %zu class%s in %s\n", (long)target->pid, count,
           cli_plural(count, "es"), instr_duration(cli_count(document, "elapsed_ns"), time));
    json_array_foreach(classes, index, item) {
        fputs("  ", stdout);
        cli_print(cli_string(item));
        putchar('\n');
    }
}

// --- files ---

// Does it use a class that inserted code calls, such as java.lang.InstrCalls? instr_scope_is_ours takes whatever might be
// ours; a file is refused only for what is.
static int is_instrumented(const struct cf_class *cls) {
    static const char start[] = "java/lang/Instr";
    const size_t n = sizeof start - 1;
    for (unsigned i = 1; i < cls->constant_pool_count; i++) {
        struct cf_slice name = cf_class_name(cls, i);
        if (name.length > n && memcmp(name.bytes, start, n) == 0 && name.bytes[n] >= 'A' &&
            name.bytes[n] <= 'Z')
            return 1;
    }
    return 0;
}

// A file that is not a class file is reported here, before the JVM gets it; and so is one that has inserted
// code: it would run twice, and throw NoClassDefFoundError where its pass is off.
static int may_replace(const struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]) {
    struct cf_arena arena;
    struct cf_class cls;
    cf_arena_init(&arena);
    int may = cf_class_open(&cls, bytes->bytes, bytes->length, &arena) == CF_OK;
    if (!may) {
        cf_error_text(&cls.error, reason, CLI_REASON_SIZE);
    } else if (is_instrumented(&cls)) {
        may = 0;
        snprintf(reason, CLI_REASON_SIZE,
                 "has code that a pass has inserted; 'instr dump "
                 "--original' writes the class without it");
    }
    cf_arena_free(&arena);
    return may;
}

// Reads all files. Returns how many were read; when that is less than `count`, a message was
// printed.
static int read_files(int count, char *const *paths, struct cli_bytes *files) {
    for (int i = 0; i < count; i++) {
        char reason[CLI_REASON_SIZE];
        if (cli_read_file(paths[i], &files[i], reason) == 0) {
            if (may_replace(&files[i], reason)) continue;
            free(files[i].bytes);
        }
        cli_error("%s: %s", paths[i], reason);
        return i;
    }
    return count;
}

static int send_files(struct cli_session *session, int count, char *const *paths,
                      const struct cli_bytes *files) {
    for (int i = 0; i < count; i++)
        if (cli_session_file(session, paths[i], files[i].bytes, files[i].length) != 0)
            return cli_error("%s: too large, or the connection is lost", paths[i]);
    return CLI_OK;
}

static int redefine(const struct cli_control *control, int all_loaders,
                    const struct cli_bytes *files) {
    struct cli_session session;
    int brought;
    if (cli_bring(&session, control->pid, NULL, &brought) != CLI_OK) return CLI_FAILED;
    int status = send_files(&session, control->argc, control->argv, files);
    if (status == CLI_OK)
        status =
            cli_control_run(&session, 1 + all_loaders,
                            (const char *const[]){"redefine", "all-loaders"}, control->json, show);
    cli_session_close(&session);
    if (status != CLI_OK && brought) cli_take_back(control->pid);
    return status;
}

int cli_redefine(int argc, char **argv) {
    struct cli_control control;
    struct cli_bytes files[INSTR_MESSAGE_WORDS];
    int all_loaders = 0;
    const struct cli_option options[] = {{"--all-loaders", .flag = &all_loaders}, {NULL}};
    int status = cli_control_arguments(&control, "redefine", argc, argv, options, 1,
                                       INSTR_MESSAGE_WORDS, "a process id and class files");
    if (status != CLI_OK) return status;
    int read = read_files(control.argc, control.argv, files);
    status = read == control.argc ? redefine(&control, all_loaders, files) : CLI_FAILED;
    for (int i = 0; i < read; i++) free(files[i].bytes);
    return status;
}

int cli_undo(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "undo", argc, argv, NULL, 0, 1,
                                       "a process id, and one class or nothing");
    if (status != CLI_OK) return status;
    return cli_control_talk(&control, 1 + control.argc,
                            (const char *const[]){"undo", control.argc ? control.argv[0] : NULL},
                            show);
}
