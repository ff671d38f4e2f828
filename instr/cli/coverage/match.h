// Matching the patterns of instructions that compilers write.
//
// A matcher stands on an instruction; each function moves it to the next one if that is what is asked
// for, and else makes it fail, which it stays: the end of a pattern is the place to look at.

#ifndef INSTR_CLI_COVERAGE_MATCH_H
#define INSTR_CLI_COVERAGE_MATCH_H

#include "instr/cli/coverage/code.h"

enum { COVER_MATCH_VARIABLES = 16 };

struct cover_matcher {
    const struct cover_code *code;
    int failed;
    uint32_t next; // the instruction behind the one on which it stands
    // What the variables of the pattern are: a local variable plus 1; 0: not known yet.
    uint32_t variables[COVER_MATCH_VARIABLES];
};

// Stands before an instruction.
void cover_match_start(struct cover_matcher *m, uint32_t instruction);
// The instruction on which it stands.
static inline uint32_t cover_match_at(const struct cover_matcher *m) {
    return m->next - 1;
}
// The opcode of the next instruction; 256: there is none.
unsigned cover_match_peek(const struct cover_matcher *m);
// The same, but 256 also if something starts, ends or is reached there.
unsigned cover_match_peek_raw(const struct cover_matcher *m);

// Any instruction; one of this opcode.
int cover_match_any(struct cover_matcher *m);
int cover_match(struct cover_matcher *m, unsigned op);
int cover_match_switch(struct cover_matcher *m);
// A load or store of a variable of the pattern.
int cover_match_variable(struct cover_matcher *m, unsigned op, unsigned variable);
// A call, or an access to a field. `name` and `descriptor` may be NULL: any.
int cover_match_reference(struct cover_matcher *m, unsigned op, const char *owner, const char *name,
                          const char *descriptor);
// new, checkcast and their like.
int cover_match_type(struct cover_matcher *m, unsigned op, const char *type);
// ldc of a string that begins with, or is, this text.
int cover_match_string(struct cover_matcher *m, const char *start);
int cover_match_exact_string(struct cover_matcher *m, const char *text);

// --- operands ---

// The local variable of a load, a store, iinc or ret.
uint32_t cover_variable_of(const struct cover_code *code, uint32_t i);
// The parts of a call or an access to a field; empty for other instructions.
struct cover_reference {
    struct cf_slice owner, name, descriptor;
};
struct cover_reference cover_reference_of(const struct cover_code *code, uint32_t i);
int cover_slice_is(struct cf_slice slice, const char *text);
int cover_slice_starts(struct cf_slice slice, const char *text);
int cover_slice_ends(struct cf_slice slice, const char *text);
// The first instruction that is `op` at or behind `i`; `count`: there is none.
uint32_t cover_find(const struct cover_code *code, uint32_t i, unsigned op);

// --- annotations ---

int cover_has_annotations(const struct cf_attribute *attribute);
struct cover_annotations {
    const struct cf_class *cls;
    const uint8_t *at, *end;
    uint32_t left;
};
struct cover_annotations cover_annotations(const struct cf_class *cls,
                                           const struct cf_attribute *attribute);
// The type of the next annotation, a descriptor. 0: there is none, or it is malformed.
int cover_next_annotation(struct cover_annotations *walk, struct cf_slice *type);
// Has the method an annotation of this type? `kind`: RuntimeVisibleAnnotations, or its like.
int cover_has_annotation(const struct cover_code *code, const char *kind, const char *type);
// Does the simple name of the type contain "Generated"?
int cover_is_generated(struct cf_slice type);

#endif
