// Prints what the jar reader finds: of each class file its name, its length and its bytes in hexadecimal; or
// the reason why the jar is refused.

#include "instr/kit/jar.h"

#include <stdio.h>
#include <stdlib.h>

static int dump(const struct instr_jar *jar, const struct instr_jar_entry *e) {
    uint8_t *bytes = malloc(e->size + 1);
    const char *why = bytes ? instr_jar_read(jar, e, bytes) : "out of memory";
    bool found = instr_jar_find(jar, e->name, e->name_length - 6u) == e;
    printf("%.*s %u ", (int)e->name_length, e->name, e->size);
    if (why || !found) printf("%s", why ? why : "is not found by its name");
    for (uint32_t i = 0; !why && i < e->size; i++) printf("%02x", bytes[i]);
    printf("\n");
    free(bytes);
    return why || !found;
}

int main(int argc, char **argv) {
    char reason[INSTR_JAR_REASON_SIZE];
    struct instr_jar jar;
    int failed = 0;
    if (argc != 2 || !instr_jar_open_file(&jar, argv[1], reason)) {
        printf("%s\n", argc == 2 ? reason : "usage: jar_dump FILE");
        return 1;
    }
    for (size_t i = 0; i < jar.count; i++) failed |= dump(&jar, &jar.entries[i]);
    instr_jar_close(&jar);
    return failed;
}
