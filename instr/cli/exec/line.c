// Which probes stand for a line.
//
// An instruction was run when a probe behind it was hit, with nothing between them but
// instructions that can be reached from there only (rewriters/probes.h): probes lie wherever ways
// meet. So from each instruction of the line all ways are followed until each has come to a probe.

#include "instr/cli/exec/line.h"

#include "classfile/classfile.h"
#include "classfile/code.h"
#include "classfile/inline.h"
#include "classfile/format/lines.h"
#include "classfile/opcodes.h"
#include "rewriters/probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flow {
    struct cf_code code;
    struct rw_probes probes;
    uint8_t *seen;    // by instruction
    uint32_t *stack;  // instructions to go on from
    uint32_t waiting; // in it
    uint32_t base;    // number of the method's first probe
    uint8_t *bits;    // of the class
};

static void go_on(struct flow *flow, uint32_t instruction) {
    if (instruction >= flow->code.count || flow->seen[instruction]) return;
    flow->seen[instruction] = 1;
    flow->stack[flow->waiting++] = instruction;
}

// Is there a probe on the way from `from` to `to`? Then it is noted.
static int probe_between(struct flow *flow, uint32_t from, uint32_t to, enum rw_probe_kind kind) {
    int found = 0;
    for (uint32_t i = 0; i < flow->probes.count; i++) {
        const struct rw_probe *p = &flow->probes.list[i];
        int here =
            p->kind == kind && (kind == RW_PROBE_FALL  ? p->instruction == to
                                : kind == RW_PROBE_END ? p->instruction == from
                                                       : p->instruction == from && p->target == to);
        if (!here) continue;
        uint32_t number = flow->base + i;
        flow->bits[number / 8] |= (uint8_t)(1u << number % 8);
        found = 1;
    }
    return found;
}

static void jump(struct flow *flow, uint32_t from, uint32_t pc) {
    uint32_t to = cf_code_index(&flow->code, pc);
    if (!probe_between(flow, from, to, RW_PROBE_EDGE)) go_on(flow, to);
}

static int falls_through(unsigned op) {
    return !(op == CF_OP_goto || op == CF_OP_goto_w || op == CF_OP_tableswitch ||
             op == CF_OP_lookupswitch || op == CF_OP_athrow ||
             (op >= CF_OP_ireturn && op <= CF_OP_return));
}

static void follow(struct flow *flow, uint32_t i) {
    const struct cf_code *code = &flow->code;
    uint32_t pc = code->pc[i];
    unsigned op = code->bytes[pc];
    probe_between(flow, i, i, RW_PROBE_END);
    if (falls_through(op) && !probe_between(flow, i, i + 1, RW_PROBE_FALL)) go_on(flow, i + 1);
    for (uint32_t b = 0; b < code->branches_count; b++)
        if (code->branches[b].pc == pc) jump(flow, i, code->branches[b].target);
    if (op != CF_OP_tableswitch && op != CF_OP_lookupswitch) return;
    struct cf_switch sw;
    cf_switch_open(code, pc, &sw);
    jump(flow, i, sw.default_pc);
    for (uint32_t k = 0; k < sw.count; k++) jump(flow, i, cf_switch_target(&sw, k));
}

static enum cf_status open_method(struct flow *flow, const struct cf_class *cls, uint32_t i,
                                  const uint8_t *returns, struct cf_error *error) {
    memset(&flow->probes, 0, sizeof flow->probes);
    CF_TRY(cf_code_open(&flow->code, cls, &cls->methods[i], error));
    CF_TRY(cf_code_scan(&flow->code, error));
    return rw_find_probes(&flow->code, returns, &flow->probes, error);
}

// The class without its subroutines.
static enum cf_status open_class(struct cf_class *cls, const struct cli_class_file *file,
                                 struct cf_inlined *inlined, struct cf_arena *arena) {
    CF_TRY(cf_class_open(cls, file->bytes, file->length, arena));
    CF_TRY(cf_inline_subroutines(cls, inlined, &cls->error));
    return inlined->bytes ? cf_class_open(cls, inlined->bytes, inlined->length, arena) : CF_OK;
}

// Counts the probes of all methods; with `bits`, notes those of the line. 1 when the line has code,
// -1 on an error.
static int each_method(struct flow *flow, struct cf_class *cls, const struct cf_inlined *inlined,
                       unsigned line, struct cf_arena *arena) {
    int there = 0;
    flow->base = 0;
    for (uint32_t m = 0; m < cls->methods_count; m++) {
        if (!cls->methods[m].code) continue;
        const uint8_t *returns = inlined->returns ? inlined->returns[m] : NULL;
        if (open_method(flow, cls, m, returns, &cls->error) != CF_OK) return -1;
        const uint16_t *lines = flow->bits ? cf_lines(&flow->code) : NULL;
        flow->seen = lines ? cf_arena_zeroed(arena, flow->code.count, 1) : NULL;
        flow->stack = lines ? cf_arena_zeroed(arena, flow->code.count, sizeof *flow->stack) : NULL;
        if (flow->bits && (!lines || !flow->seen || !flow->stack)) return -1;
        for (uint32_t i = 0; lines && i < flow->code.count; i++)
            if (lines[flow->code.pc[i]] == line) go_on(flow, i);
        there |= flow->waiting > 0;
        while (flow->waiting > 0) follow(flow, flow->stack[--flow->waiting]);
        flow->base += flow->probes.count;
    }
    return there;
}

int cli_find_line_probes(const struct cli_class_file *file, unsigned line,
                         struct cli_line_probes *found, char *error, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_inlined inlined = {NULL, 0, NULL};
    struct flow flow = {.bits = NULL};
    char reason[200];
    cf_arena_init(&arena);
    found->id = file->id;
    found->bits = NULL;
    int status = open_class(&cls, file, &inlined, &arena) == CF_OK ? 0 : -1;
    if (status == 0) status = each_method(&flow, &cls, &inlined, line, &arena);
    found->probes = flow.base;
    if (status == 0 && !(flow.bits = calloc(1, flow.base / 8 + 1))) status = -1;
    if (status == 0) status = each_method(&flow, &cls, &inlined, line, &arena);
    if (status == 1)
        found->bits = flow.bits;
    else
        free(flow.bits);
    if (status < 0)
        snprintf(error, size, "%s",
                 cls.error.status == CF_OK ? "out of memory"
                                           : cf_error_text(&cls.error, reason, sizeof reason));
    cf_arena_free(&arena);
    return status < 0 ? -1 : 0;
}
