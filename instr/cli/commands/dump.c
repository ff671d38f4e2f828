// instr dump: the bytes of a class as a JVM has them.

#include "instr/cli/commands/dump.h"
#include "instr/cli/internal.h"
#include "instr/base/array.h"
#include "instr/cli/bring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CLASS = 64 * 1024 * 1024 }; // bytes; an agent does not send more

static int receive(struct cli_session *session, struct cli_bytes *bytes) {
    struct cli_event event;
    size_t capacity = 0;
    for (;;) {
        cli_control_next(session, &event);
        if (event.kind == CLI_DOCUMENT) json_decref(event.document);
        if (event.kind == CLI_NOTE) cli_error("%s", event.line);
        if (event.kind == CLI_BYTES) {
            if (bytes->length + event.length > MOST_CLASS ||
                !INSTR_ARRAY_RESERVE(bytes->bytes, capacity, bytes->length + event.length))
                return cli_no_memory();
            memcpy(bytes->bytes + bytes->length, event.bytes, event.length);
            bytes->length += event.length;
        }
        if (event.kind == CLI_END && event.status == 0 && bytes->length) return CLI_OK;
        if (event.kind == CLI_END || event.kind == CLI_LOST)
            return cli_error("%s", event.line[0] ? event.line : "the agent sent no bytes");
    }
}

int cli_dump_fetch(const struct cli_control *control, int original, struct cli_bytes *bytes) {
    struct cli_session session;
    int brought, status;
    *bytes = (struct cli_bytes){NULL, 0};
    if (cli_bring(&session, control->pid, NULL, &brought) != CLI_OK) return CLI_FAILED;
    if (cli_session_command(&session, original ? 3 : 2,
                            (const char *const[]){"dump", control->argv[0], "original"}) == 0)
        status = receive(&session, bytes);
    else
        status = cli_session_unsent();
    cli_session_close(&session);
    if (brought) cli_take_back(control->pid);
    if (status != CLI_OK) free(bytes->bytes);
    return status;
}

// {"class", "original", "length", "file"}; without a file the bytes are in "hex".
static int print_json(const char *name, int original, const char *file,
                      const struct cli_bytes *bytes) {
    static const char digits[] = "0123456789abcdef";
    json_t *json = json_pack("{s:o, s:b, s:I}", "class", cli_json_text(name), "original", original,
                             "length", (json_int_t)bytes->length);
    char *hex = file ? NULL : malloc(2 * bytes->length + 1);
    for (size_t i = 0; hex && i < bytes->length; i++) {
        hex[2 * i] = digits[bytes->bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes->bytes[i] & 15];
    }
    int failed =
        file ? json_object_set_new(json, "file", cli_json_text(file))
             : json_object_set_new(json, "hex", hex ? json_stringn(hex, 2 * bytes->length) : NULL);
    free(hex);
    if (!failed) return cli_json_print(json);
    json_decref(json);
    return cli_no_memory();
}

int cli_dump(int argc, char **argv) {
    struct cli_control control;
    struct cli_bytes bytes;
    const char *file = NULL;
    int original = 0;
    const struct cli_option options[] = {
        {"-o", .text = &file}, {"--original", .flag = &original}, {NULL}};
    int status = cli_control_arguments(&control, "dump", argc, argv, options, 1, 1,
                                       "a process id and one class");
    if (status != CLI_OK) return status;
    if (!file && !control.json && isatty(STDOUT_FILENO))
        return cli_usage("dump", "standard output is a terminal; -o FILE writes the class file, "
                                 "'instr show' prints it");
    status = cli_dump_fetch(&control, original, &bytes);
    if (status != CLI_OK) return status;
    if (file) status = cli_write_file(file, &bytes);
    if (status == CLI_OK && control.json)
        status = print_json(control.argv[0], original, file, &bytes);
    else if (!file)
        fwrite(bytes.bytes, 1, bytes.length, stdout);
    free(bytes.bytes);
    return cli_finish(status);
}
