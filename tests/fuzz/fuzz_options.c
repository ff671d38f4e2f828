// Options, as a list or, when the first byte is odd, as a file. What parses is written as a list
// that parses to the same; what does not gives one line. What stands behind a NUL is tried as a
// class name.

#include "tests/fuzz/fuzz.h"

#include "instr/options.h"

#include <sys/mman.h>
#include <unistd.h>

static void check(const char *text, const char *name, size_t name_length) {
    struct instr_options options, again;
    char error[INSTR_ERROR_SIZE];
    memset(error, 'x', sizeof error);
    if (instr_options_parse(&options, text, error, sizeof error) != 0) {
        MUST(memchr(error, 0, sizeof error) && error[0]);
        MUST(!strpbrk(error, "\n\r\033") && options.passes == NULL && options.include == NULL);
        return;
    }
    char *first = instr_options_format(&options);
    MUST(first);
    if (instr_options_parse(&again, first, error, sizeof error) != 0) {
        fprintf(stderr, "%s -> %s\n", first, error);
        abort();
    }
    char *second = instr_options_format(&again);
    MUST(second && strcmp(first, second) == 0);
    for (int platform = 0; platform < 2; platform++)
        MUST(instr_scope_matches(&options, name, name_length, platform) ==
             instr_scope_matches(&again, name, name_length, platform));
    for (size_t i = 0; i < options.pass_count; i++)
        if (options.passes[i].file) {
            char *file = instr_expand_file(options.passes[i].file, 12345);
            MUST(file);
            free(file);
        }
    free(first);
    free(second);
    instr_options_free(&options);
    instr_options_free(&again);
}

static void check_file(const uint8_t *data, size_t size, const char *name, size_t name_length) {
    char option[64];
    int fd = memfd_create("options", 0);
    if (fd < 0) return;
    if (write(fd, data, size) == (ssize_t)size) {
        snprintf(option, sizeof option, "config=/proc/self/fd/%d", fd);
        check(option, name, name_length);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const uint8_t *feed = memchr(data + 1, '\0', size - 1);
    size_t length = feed ? (size_t)(feed - data) - 1 : size - 1;
    const char *name = feed ? (const char *)feed + 1 : "";
    size_t name_length = feed ? size - length - 2 : 0;
    if (data[0] & 1) {
        check_file(data + 1, length, name, name_length);
        return 0;
    }
    char *text = malloc(length + 1);
    MUST(text);
    memcpy(text, data + 1, length);
    text[length] = '\0';
    check(text, name, name_length);
    free(text);
    return 0;
}
