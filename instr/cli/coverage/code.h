// The code of a method as the analysis sees it: its instructions by their index, with their lines.

#ifndef INSTR_CLI_COVERAGE_CODE_H
#define INSTR_CLI_COVERAGE_CODE_H

#include "classfile/code.h"

#include <stdint.h>

#define COVER_UNKNOWN_LINE UINT32_MAX

struct cover_code {
    const struct cf_class *cls;
    const struct cf_member *method;
    struct cf_slice name, descriptor;
    struct cf_code code;
    const uint8_t *returns; // see classfile/inline.h; may be NULL
    uint32_t count;         // of instructions
    uint32_t *line;         // by instruction; or COVER_UNKNOWN_LINE
    uint32_t *starts_line;  // by instruction: the first line that begins there, plus 1; 0: none
    uint8_t *labelled;      // by instruction: something starts, ends or is reached there
    uint8_t *op;            // by instruction: iload also for iload_1 and wide iload, ldc, goto
    int has_line_zero;      // in its LineNumberTable
    int is_synthetic;       // by its flag or, in old classes, by an attribute
    uint16_t *index;        // by pc, the instruction that it is in; of the end: `count`
};

// Opens the code of a method that has some. The arrays live in the class's arena. Line 0 counts only
// with `line_zero`, as for ASM since 9.5.
enum cf_status cover_code_open(struct cover_code *code, const struct cf_class *cls,
                               const struct cf_member *method, const uint8_t *returns,
                               int line_zero, struct cf_error *error);

// Of an instruction that branches (not a switch), the instruction that it leads to.
uint32_t cover_target(const struct cover_code *code, uint32_t i);
static inline int cover_is_jump(unsigned op) {
    return (op >= CF_OP_ifeq && op <= CF_OP_goto) || op == CF_OP_ifnull || op == CF_OP_ifnonnull;
}
static inline int cover_is_switch(unsigned op) {
    return op == CF_OP_tableswitch || op == CF_OP_lookupswitch;
}

// The distinct targets of a switch in the order of their first use, that of the default first, in
// the class's arena. Returns their number; 0: out of memory. `places`, unless NULL, says for each
// which place it has: 0 is the default, k the case k - 1.
uint32_t cover_switch_targets(const struct cover_code *code, uint32_t i, uint32_t **targets,
                              uint32_t **places);

#endif
