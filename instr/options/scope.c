// Which classes are in scope.

#include "instr/options.h"

#include <string.h>

static int begins(const char *name, size_t length, const char *with, size_t with_length) {
    return length >= with_length && memcmp(name, with, with_length) == 0;
}
#define BEGINS(name, length, literal) begins(name, length, literal, sizeof(literal) - 1)

int instr_scope_is_ours(const char *name, size_t length) {
    return BEGINS(name, length, "java/lang/Instr") || BEGINS(name, length, "instr/runtime/");
}

int instr_scope_matches(const struct instr_options *options, const char *name, size_t length,
                        int platform) {
    if (instr_scope_is_ours(name, length)) return 0;
    if (options->include ? !instr_match(options->include, name, length) : platform) return 0;
    return !options->exclude || !instr_match(options->exclude, name, length);
}
