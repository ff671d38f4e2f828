// instr dump: the bytes of a class as a JVM has them.

#include "instr/cli/commands/dump.h"

#include "instr/cli/bring.h"
#include "instr/base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add(struct cli_bytes *bytes, const void *more, size_t length) {
    if (bytes->length + length > CLI_MOST_BYTES) return -1;
    uint8_t *larger = realloc(bytes->bytes, bytes->length + length + 1);
    if (!larger) return -1;
    memcpy(larger + bytes->length, more, length);
    bytes->bytes = larger;
    bytes->length += length;
    return 0;
}

static int receive(struct cli_session *session, struct cli_bytes *bytes) {
    struct cli_event event;
    for (;;) {
        cli_session_next(session, &event, -1);
        if (event.kind == CLI_DOCUMENT) json_decref(event.document);
        if (event.kind == CLI_NOTE) cli_error("instr: %s", event.line);
        if (event.kind == CLI_BYTES && add(bytes, event.bytes, event.length) != 0) {
            cli_error("instr: out of memory");
            return CLI_FAILED;
        }
        if (event.kind == CLI_END && event.status == 0 && bytes->length) return CLI_OK;
        if (event.kind == CLI_END || event.kind == CLI_LOST) {
            cli_error("instr: %s", event.line[0] ? event.line : "the agent sent no bytes");
            return CLI_FAILED;
        }
    }
}

int cli_dump_fetch(const struct cli_control *control, int original, struct cli_bytes *bytes) {
    struct cli_session session;
    int brought;
    *bytes = (struct cli_bytes){NULL, 0};
    if (cli_bring(&session, control->pid, &brought) != CLI_OK) return CLI_FAILED;
    int status = CLI_FAILED;
    if (cli_session_command(&session, original ? 3 : 2,
                            (const char *const[]){"dump", control->argv[0], "original"}) != 0)
        cli_error("instr: the command cannot be sent: %s", strerror(errno));
    else
        status = receive(&session, bytes);
    cli_session_close(&session);
    if (brought) cli_take_back(control->pid);
    if (status != CLI_OK) {
        free(bytes->bytes);
        bytes->bytes = NULL;
    }
    return status;
}

static int write_file(const char *path, const struct cli_bytes *bytes) {
    char error[INSTR_ERROR_SIZE];
    struct instr_output out;
    instr_output_open(&out, path);
    instr_output_bytes(&out, bytes->bytes, bytes->length);
    if (instr_output_close(&out, error, sizeof error) == 0) return CLI_OK;
    cli_error("%s", error);
    return CLI_FAILED;
}

// {"class", "original", "length", "file"}, and without a file its bytes in "hex".
static int write_json(const char *name, int original, const char *file,
                      const struct cli_bytes *bytes) {
    static const char digits[] = "0123456789abcdef";
    char *hex = file ? NULL : malloc(2 * bytes->length + 1);
    for (size_t i = 0; hex && i < bytes->length; i++) {
        hex[2 * i] = digits[bytes->bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes->bytes[i] & 15];
    }
    json_t *json = json_object();
    json_object_set_new(json, "class", json_string(name));
    json_object_set_new(json, "original", json_boolean(original));
    json_object_set_new(json, "length", json_integer((json_int_t)bytes->length));
    if (file)
        json_object_set_new(json, "file", json_string(file));
    else if (hex)
        json_object_set_new(json, "hex", json_stringn(hex, 2 * bytes->length));
    int status = json && (file || hex) && json_dumpf(json, stdout, JSON_INDENT(2)) == 0
                     ? CLI_OK
                     : CLI_FAILED;
    putchar('\n');
    if (status != CLI_OK && !ferror(stdout)) cli_error("instr: out of memory");
    json_decref(json);
    free(hex);
    return status;
}

int cli_dump(int argc, char **argv) {
    struct cli_control control;
    struct cli_bytes bytes;
    const char *file = NULL;
    char *rest[INSTR_MESSAGE_WORDS];
    int original = 0, count = 0;
    for (int i = 0; i < argc && count < INSTR_MESSAGE_WORDS; i++) {
        int is = cli_option(argc, argv, &i, "-o", &file);
        if (is < 0) return cli_usage("dump", "instr: dump: -o needs a file");
        if (is == 0 && strcmp(argv[i], "--original") == 0)
            original = 1;
        else if (is == 0)
            rest[count++] = argv[i];
    }
    int status = cli_control_arguments(&control, "dump", count, rest);
    if (status != CLI_OK) return status;
    if (control.argc != 1) return cli_usage("dump", "instr: dump: one class at a time");
    if (!file && !control.json && isatty(STDOUT_FILENO))
        return cli_usage("dump", "instr: dump: a class file is not for a terminal; -o FILE writes "
                                 "it, 'instr show' prints it");
    status = cli_dump_fetch(&control, original, &bytes);
    if (status != CLI_OK) return status;
    if (file) status = write_file(file, &bytes);
    if (status == CLI_OK && control.json)
        status = write_json(control.argv[0], original, file, &bytes);
    else if (!file)
        fwrite(bytes.bytes, 1, bytes.length, stdout);
    free(bytes.bytes);
    return cli_finish(status);
}
