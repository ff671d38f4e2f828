// Rewritten methods, broken where something was put in or moved; for tests of what is shown of them
// by comparing them with the original (classfile/rewritten/verify_delta.h).

#ifndef TESTS_BREAKING_H
#define TESTS_BREAKING_H

#include "classfile/rewritten/internal.h"

static uint64_t breaking_state = 88172645463325252u;

static uint32_t draw(uint32_t below) { // xorshift
    breaking_state ^= breaking_state << 13;
    breaking_state ^= breaking_state >> 7;
    breaking_state ^= breaking_state << 17;
    return (uint32_t)(breaking_state >> 16) % below;
}

// --- breaking ---

struct target {
    struct cf_same *same;
    struct cf_code code; // the rewritten one
    uint8_t *bytes;      // of the class
};

// A pc in new code; where there is none, anywhere.
static uint32_t new_pc(const struct target *t) {
    const struct cf_same *s = t->same;
    for (int i = 0; i < 20; i++) {
        if (s->body_end < t->code.length && draw(3) == 0)
            return s->body_end + draw(t->code.length - s->body_end);
        const struct cf_same_piece *p = &s->pieces[draw(s->pieces_count)];
        if (p->before < p->at && p->at <= t->code.length)
            return p->before + draw(p->at - p->before);
    }
    return draw(t->code.length);
}

static void change_byte(uint8_t *p) {
    static const int steps[] = {1, -1, 2, -2, 8, -8};
    *p = (uint8_t)(draw(3) ? *p + steps[draw(6)] : (int)draw(256));
}

static void change_new_code(const struct target *t) {
    static const uint8_t likely[] = {
        CF_OP_nop,      CF_OP_pop,        CF_OP_pop2,     CF_OP_dup,      CF_OP_dup2,
        CF_OP_swap,     CF_OP_aload_0,    CF_OP_astore_0, CF_OP_athrow,   CF_OP_return,
        CF_OP_lload_1,  CF_OP_lstore_1,   CF_OP_iload_0,  CF_OP_istore_1, CF_OP_lconst_0,
        CF_OP_iconst_0, CF_OP_aconst_null};
    uint8_t *p = t->bytes + t->code.offset + new_pc(t);
    if (draw(2))
        change_byte(p);
    else
        *p = likely[draw(sizeof likely)];
}

static void change_branch(const struct target *t) {
    const struct cf_code *was = t->same->was;
    if (was->branches_count == 0) return change_new_code(t);
    uint32_t at = cf_same_at(t->same, was->branches[draw(was->branches_count)].pc);
    if (at + 3 > t->code.length) return;
    uint8_t *p = t->bytes + t->code.offset + at + 1;
    uint32_t to = draw(3) ? cf_same_at(t->same, was->pc[draw(was->count)]) : new_pc(t);
    cf_put2(p, to - at);
}

static void change_exception(const struct target *t) {
    const struct cf_code *was = t->same->was;
    if (t->code.exception_table_length == 0) return change_new_code(t);
    uint8_t *p = t->bytes + t->code.exception_table + 8 * draw(t->code.exception_table_length);
    p += 2 * draw(4);
    switch (draw(4)) {
    case 0: cf_put2(p, cf_same_at(t->same, was->pc[draw(was->count)])); break;
    case 1: cf_put2(p, new_pc(t)); break;
    case 2: cf_put2(p, draw(t->code.length)); break;
    default: change_byte(p + 1);
    }
}

static void change_frames(const struct target *t) {
    if (t->code.stack_map_table_length == 0) return change_new_code(t);
    change_byte(t->bytes + t->code.stack_map_table + draw(t->code.stack_map_table_length));
}

static void break_method(const struct target *t) {
    switch (draw(10)) {
    case 0: change_branch(t); break;
    case 1:
    case 2: change_exception(t); break;
    case 3:
    case 4: change_frames(t); break;
    case 5: change_byte(t->bytes + t->code.offset - 7 - draw(2) * 2); break; // the limits
    case 6: change_byte(t->bytes + t->code.offset + draw(t->code.length)); break;
    case 7:
        change_byte(t->bytes + t->code.offset - 8 + draw(t->code.end - t->code.offset + 8));
        break;
    default: change_new_code(t);
    }
}

// --- judging ---

// Does the full check take it?
static int breaking_passes(struct cf_same *s, struct cf_verifier *v, uint32_t i, char *text,
                           size_t size) {
    struct cf_verify_original original = cf_rewritten_original(s->rewrite, i);
    struct cf_verify_failure failure;
    if (cf_verify_rewritten(v, &s->view->methods[i], &original, &failure) == CF_OK) return 1;
    cf_verify_text(s->view, &failure, text, size);
    return 0;
}

#endif
