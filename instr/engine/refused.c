#include "instr/engine/refused.h"

#include "instr/base/output.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAME = 200 }; // bytes of a class's name, as a file name has few more

static void write_bytes(const void *content, struct instr_output *out) {
    const struct instr_rewritten *result = content;
    instr_output_bytes(out, result->refused, result->refused_length);
}

// com.acme.Foo: a name from outside must not leave the folder, or hold what a terminal interprets.
static void name_file(const char *name, char file[MOST_NAME + 1]) {
    snprintf(file, MOST_NAME + 1, "%s", name);
    for (char *c = file; *c; c++) {
        if (*c == '/') *c = '.';
        if ((unsigned char)*c <= ' ' || *c == 127) *c = '_';
    }
    if (file[0] == '.') file[0] = '_';
}

int instr_refused_write(const struct instr_options *options, const char *name,
                        const struct instr_rewritten *result, char *line, size_t size) {
    char file[MOST_NAME + 1], path[PATH_MAX], written[INSTR_ERROR_SIZE];
    if (!result->refused || !options->verify_dump) return 0;
    char *folder = instr_expand_file(options->verify_dump, (long)getpid());
    name_file(name, file);
    int fits = folder && snprintf(path, sizeof path, "%s/%s.class", folder, file) < PATH_MAX;
    if (folder) mkdir(folder, 0777); // writing says what is wrong with it
    free(folder);
    instr_output_file(fits ? strdup(path) : NULL, write_bytes, result, written, sizeof written);
    snprintf(line, size, "%s: would not verify: %s", file, written);
    return 1;
}
