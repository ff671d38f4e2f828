// Opens and scans a Code attribute.

#include "classfile/code.h"

static enum cf_status truncated(struct cf_error *error, uint32_t offset) {
    return cf_fail(error, CF_TRUNCATED, offset, "truncated", 0);
}

// Finds the tables, and checks that the attributes fill the rest of the Code attribute.
static enum cf_status find_attributes(struct cf_code *code, struct cf_error *error) {
    const struct cf_class *cls = code->cls;
    uint32_t pos = code->attributes, end = code->end;
    for (uint32_t i = 0; i < code->attributes_count; i++) {
        if (end - pos < 6) return truncated(error, pos);
        uint32_t name = cf_be2(cls->bytes + pos), n = cf_be4(cls->bytes + pos + 2);
        pos += 6;
        if (end - pos < n) return truncated(error, pos);
        pos += n;
        if (name != cls->utf8_stack_map_table || !name) { // index 0 is not a name
            if (name == cls->utf8_line_number_table && name) continue;
            if (name == cls->utf8_local_variable_table && name && !code->local_variable_table) {
                code->local_variable_table = pos - n;
                code->local_variable_table_length = n;
                continue;
            }
            if (name == cls->utf8_local_variable_type_table && name) continue;
            code->has_others = 1;
            if (!CF_IS(cf_utf8(cls, name), "StackMapTable")) continue;
        }
        if (code->stack_map_table) continue;
        code->stack_map_table = pos - n;
        code->stack_map_table_length = n;
    }
    if (pos != end)
        return cf_fail(error, CF_MALFORMED, pos, "Code attribute longer than its parts", 0);
    return CF_OK;
}

enum cf_status cf_code_open(struct cf_code *code, const struct cf_class *cls,
                            const struct cf_member *method, struct cf_error *error) {
    memset(code, 0, offsetof(struct cf_code, count));
    code->cls = cls;
    code->method = method;
    if (cls->major_version == 45 && cls->minor_version < 3)
        return cf_fail(error, CF_UNSUPPORTED, method->code,
                       "Code attribute in the shorter form of version 45.%u", cls->minor_version);
    // Opening has checked that the attribute lies within the class.
    uint32_t pos = method->code + 6, end = pos + cf_be4(cls->bytes + method->code + 2);
    code->end = end;
    if (end - pos < 8) return truncated(error, pos);
    const uint8_t *p = cls->bytes + pos;
    code->max_stack = cf_be2(p);
    code->max_locals = cf_be2(p + 2);
    code->length = cf_be4(p + 4);
    code->offset = pos += 8;
    code->bytes = p + 8;
    if (end - pos < code->length) return truncated(error, pos);
    if (code->length == 0 || code->length > 65535)
        return cf_fail(error, CF_MALFORMED, code->offset - 4, "code_length %u", code->length);
    pos += code->length;
    if (end - pos < 2) return truncated(error, pos);
    code->exception_table_length = cf_be2(cls->bytes + pos);
    code->exception_table = pos += 2;
    if (end - pos < 8u * code->exception_table_length + 2) return truncated(error, pos);
    pos += 8u * code->exception_table_length;
    code->attributes_count = cf_be2(cls->bytes + pos);
    code->attributes = pos + 2;
    return find_attributes(code, error);
}

void cf_note_attribute(struct cf_class *cls, unsigned name_index) {
    struct cf_slice name = cf_utf8(cls, name_index);
    if (CF_IS(name, "LineNumberTable")) cls->utf8_line_number_table = (uint16_t)name_index;
    if (CF_IS(name, "LocalVariableTable")) cls->utf8_local_variable_table = (uint16_t)name_index;
    if (CF_IS(name, "LocalVariableTypeTable"))
        cls->utf8_local_variable_type_table = (uint16_t)name_index;
}

void cf_note_attributes(struct cf_class *cls, const struct cf_member *method) {
    struct cf_code code;
    struct cf_error error = {.status = CF_OK};
    if (cf_code_open(&code, cls, method, &error) != CF_OK) return;
    uint32_t pos = code.attributes;
    for (uint32_t i = 0; i < code.attributes_count; i++) {
        cf_note_attribute(cls, cf_be2(cls->bytes + pos));
        pos += 6 + cf_be4(cls->bytes + pos + 2);
    }
}

uint32_t cf_instruction_length(const uint8_t *code, uint32_t pc, uint32_t length) {
    uint32_t op = code[pc], left = length - pc;
    if (op >= CF_OPCODE_COUNT) return 0;
    uint32_t n = cf_opcodes[op].length;
    if (n) return n <= left ? n : 0;
    if (op == CF_OP_wide) {
        if (left < 4) return 0;
        unsigned widened = code[pc + 1];
        if (widened == CF_OP_iinc) return left >= 6 ? 6 : 0;
        return (widened < CF_OPCODE_COUNT && cf_opcodes[widened].operands == CF_LOCAL) ? 4 : 0;
    }
    uint32_t at = 4 - (pc & 3); // from the opcode to the default offset
    uint64_t size;
    if (op == CF_OP_tableswitch) {
        if (left < at + 12) return 0;
        int64_t low = (int32_t)cf_be4(code + pc + at + 4),
                high = (int32_t)cf_be4(code + pc + at + 8);
        if (low > high) return 0;
        size = at + 12 + 4 * (uint64_t)(high - low + 1);
    } else {
        if (left < at + 8) return 0;
        uint32_t npairs = cf_be4(code + pc + at + 4);
        size = at + 8 + 8 * (uint64_t)npairs;
    }
    return size <= left ? (uint32_t)size : 0;
}

uint16_t cf_constant_operand(const uint8_t *p) {
    if (*p >= CF_OPCODE_COUNT) return 0;
    switch (cf_opcodes[*p].operands) {
    case CF_CP1: return p[1];
    case CF_CP2:
    case CF_FIELD:
    case CF_INVOKE:
    case CF_INVOKEINTERFACE:
    case CF_INVOKEDYNAMIC:
    case CF_CLASS:
    case CF_MULTIANEWARRAY: return cf_be2(p + 1);
    default: return 0;
    }
}

// Loads and stores come in the order int, long, float, double, reference; for each type those that
// have the index in the opcode are four.
uint32_t cf_locals_needed(const uint8_t *p) {
    unsigned is_wide = *p == CF_OP_wide, op = p[is_wide], type = 0;
    uint32_t index = is_wide ? cf_be2(p + 2) : p[1];
    unsigned load = op - CF_OP_iload_0, store = op - CF_OP_istore_0, short_forms = 20;
    if (load < short_forms || store < short_forms) {
        type = (load < short_forms ? load : store) / 4;
        index = (load < short_forms ? load : store) % 4;
    } else if (op - CF_OP_iload < 5 || op - CF_OP_istore < 5) {
        type = op - (op < CF_OP_istore ? CF_OP_iload : CF_OP_istore);
    } else if (op != CF_OP_iinc && op != CF_OP_ret) {
        return 0;
    }
    return index + (type == 1 || type == 3 ? 2 : 1); // long, double
}

void cf_switch_open(const struct cf_code *code, uint32_t pc, struct cf_switch *sw) {
    const uint8_t *p = code->bytes + pc + 4 - (pc & 3);
    sw->pc = pc;
    sw->is_table = code->bytes[pc] == CF_OP_tableswitch;
    sw->default_pc = pc + cf_be4(p);
    if (sw->is_table) {
        sw->low = (int32_t)cf_be4(p + 4);
        sw->count = cf_be4(p + 8) - cf_be4(p + 4) + 1;
        sw->cases = p + 12;
    } else {
        sw->low = 0;
        sw->count = cf_be4(p + 4);
        sw->cases = p + 8;
    }
    sw->length = (uint32_t)(sw->cases - (code->bytes + pc)) + sw->count * (sw->is_table ? 4 : 8);
}

uint32_t cf_switch_target(const struct cf_switch *sw, uint32_t i) {
    return sw->pc + cf_be4(sw->is_table ? sw->cases + 4 * i : sw->cases + 8 * i + 4);
}

int32_t cf_switch_match(const struct cf_switch *sw, uint32_t i) {
    return sw->is_table ? (int32_t)((uint32_t)sw->low + i) : (int32_t)cf_be4(sw->cases + 8 * i);
}

unsigned cf_return_slots(unsigned op) {
    if (op == CF_OP_return) return 0;
    return op == CF_OP_lreturn || op == CF_OP_dreturn ? 2 : 1;
}

static enum cf_status fail_at(struct cf_error *error, uint32_t pc, const char *reason, uint32_t v) {
    cf_fail(error, CF_MALFORMED, pc, reason, v);
    error->at_pc = 1;
    return CF_MALFORMED;
}

// Marks a target of the branch or switch at `pc`; it must be an instruction.
static enum cf_status mark_target(struct cf_code *code, uint32_t pc, uint32_t target,
                                  struct cf_error *error) {
    if (target >= code->length) return fail_at(error, pc, "branch out of the code", 0);
    if (!(code->marks[target] & CF_MARK_START))
        return fail_at(error, pc, "branch into an instruction", 0);
    code->marks[target] |= CF_MARK_TARGET;
    return CF_OK;
}

// Once all instructions are known.
static enum cf_status find_targets(struct cf_code *code, struct cf_error *error) {
    const uint8_t *bytes = code->bytes;
    uint8_t *marks = code->marks;
    uint32_t length = code->length;
    struct cf_branch *branch = code->branches, *end = branch + code->branches_count;
    for (; branch < end; branch++) {
        uint32_t pc = branch->pc;
        uint32_t target = cf_branch_target(bytes, pc);
        if (target >= length || !(marks[target] & CF_MARK_START))
            return mark_target(code, pc, target, error);
        marks[target] |= CF_MARK_TARGET;
        branch->target = (uint16_t)target;
    }
    return CF_OK;
}

// In old classes the padding before the operands must be zero, or a JVM refuses them. A switch that
// moves gets new padding, which would hide the error.
static enum cf_status check_padding(const struct cf_code *code, uint32_t pc,
                                    struct cf_error *error) {
    if (code->cls->major_version >= 51) return CF_OK;
    for (uint32_t i = pc + 1; i & 3; i++)
        if (code->bytes[i]) return fail_at(error, pc, "switch padded with %u", code->bytes[i]);
    return CF_OK;
}

CF_SELDOM static enum cf_status find_switch_targets(struct cf_code *code, struct cf_error *error) {
    for (uint32_t i = 0; i < code->switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(code, code->switches[i], &sw);
        CF_TRY(check_padding(code, sw.pc, error));
        CF_TRY(mark_target(code, sw.pc, sw.default_pc, error));
        for (uint32_t k = 0; k < sw.count; k++)
            CF_TRY(mark_target(code, sw.pc, cf_switch_target(&sw, k), error));
    }
    return CF_OK;
}

// Scans an instruction for which the tables do not suffice. Returns its length; 0: an error.
CF_SELDOM static uint32_t scan_special(struct cf_code *code, uint32_t pc, struct cf_error *error) {
    unsigned op = code->bytes[pc];
    if (op >= CF_OPCODE_COUNT) {
        cf_fail(error, CF_UNKNOWN, pc, "unknown opcode %u", op);
        error->at_pc = 1;
        return 0;
    }
    uint32_t n = cf_instruction_length(code->bytes, pc, code->length);
    if (n == 0) return fail_at(error, pc, "instruction not whole", 0), 0;
    switch (cf_opcodes[op].operands) {
    case CF_BRANCH2:
    case CF_BRANCH4:
        if (op == CF_OP_jsr || op == CF_OP_jsr_w) code->has_jsr = 1;
        break;
    case CF_TABLESWITCH:
    case CF_LOOKUPSWITCH: code->switches[code->switches_count++] = (uint16_t)pc; break;
    case CF_LOCAL: code->has_jsr = 1; break; // ret
    case CF_WIDE:
        if (code->bytes[pc + 1] == CF_OP_ret) code->has_jsr = 1;
        break;
    default: break;
    }
    return n;
}

// Handlers are targets; a range must lie within the code and at instructions.
static enum cf_status scan_exceptions(struct cf_code *code, struct cf_error *error) {
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        if (e.start_pc >= e.end_pc || e.end_pc > code->length || e.handler_pc >= code->length)
            return fail_at(error, e.start_pc, "exception table entry out of the code", 0);
        if (!(code->marks[e.start_pc] & code->marks[e.handler_pc] & code->marks[e.end_pc] &
              CF_MARK_START))
            return fail_at(error, e.start_pc, "exception table entry inside an instruction", 0);
        code->marks[e.handler_pc] |= CF_MARK_TARGET;
    }
    return CF_OK;
}

// Marks are cleared in pieces of this size, also beyond the last one: one piece is mostly enough.
#define CLEARED 64

// Allocates all lists, each with its maximum length, and *listed at once.
static enum cf_status make_room(struct cf_code *code, uint16_t **listed, struct cf_error *error) {
    size_t n = code->length, pcs = (n + 2) * sizeof *code->pc;
    size_t branches = (n / 3 + 2) * sizeof *code->branches;
    size_t switches = (n / 9 + 1) * sizeof *code->switches;
    uint8_t *room = cf_arena_alloc(code->cls->arena, 6 * pcs + branches + switches + n + CLEARED);
    if (!room) return cf_fail(error, CF_NO_MEMORY, code->offset, "out of memory", 0);
    code->branches = (struct cf_branch *)room;
    code->changes = (uint32_t *)(room += branches);
    code->varying = (uint16_t *)(room += 2 * pcs);
    code->pc = (uint16_t *)(room += pcs);
    code->returns = (uint16_t *)(room += pcs);
    *listed = (uint16_t *)(room += pcs);
    code->switches = (uint16_t *)(room += pcs);
    code->marks = room += switches;
    for (size_t i = 0; i <= n; i += CLEARED) memset(room + i, 0, CLEARED);
    return CF_OK;
}

// Entries of lists are always written, and counted only if they belong there: this avoids a branch.
static void sort_out(struct cf_code *code, const uint16_t *listed, const uint16_t *end) {
    const uint8_t *bytes = code->bytes;
    uint16_t *returns = code->returns;
    struct cf_branch *branches = code->branches;
    for (; listed < end; listed++) {
        uint16_t pc = *listed;
        unsigned is_return = cf_flags[bytes[pc]] / CF_RETURNS & 1;
        *returns = pc;
        returns += is_return;
        branches->pc = pc;
        branches += 1 - is_return;
    }
    code->returns_count = (uint32_t)(returns - code->returns);
    code->branches_count = (uint32_t)(branches - code->branches);
}

// A walk over the instructions of one method. Two dependent loads lead from an instruction to the
// next one, and the loop waits for them: nothing may come between the two. Everything else in the
// loop costs next to nothing, and so does walking a second method at the same time.
struct walk {
    const uint8_t *bytes;
    uint8_t *marks;
    uint32_t *changes;
    uint16_t *listed, *varying, *pcs;
    uint64_t pc, length, step, sum;
    struct cf_code *code;
    struct cf_error *error;
};

static enum cf_status begin(struct walk *w, struct cf_code *code, struct cf_error *error) {
    code->switches_count = 0;
    code->has_jsr = 0;
    CF_TRY(make_room(code, &w->listed, error));
    w->bytes = code->bytes;
    w->marks = code->marks;
    w->changes = code->changes;
    w->varying = code->varying;
    w->pcs = code->pc;
    w->pc = w->sum = 0;
    w->length = code->length;
    w->code = code;
    w->error = error;
    return CF_OK;
}

// Notes what the tables say about the current instruction; w->step is 0 if they do not suffice.
static inline void look(struct walk *w) {
    unsigned op = w->bytes[w->pc];
    uint32_t change = (uint32_t)(w->sum >> CF_SUM_VARIES);
    w->step = cf_steps[op];
    w->marks[w->pc] = CF_MARK_START;
    *w->pcs++ = (uint16_t)w->pc;
    w->listed[(uint16_t)w->sum] = (uint16_t)w->pc;
    w->changes[w->pc] = change;
    w->varying[(uint16_t)change] = (uint16_t)w->pc;
    w->sum += cf_sums[op];
}

static inline void look_closer(struct walk *w) {
    if (w->step == 0) w->step = scan_special(w->code, (uint32_t)w->pc, w->error);
    // An error ends the walk.
    if (w->step == 0) w->step = w->length;
}

static inline void go_on(struct walk *walk) {
    struct walk w = *walk;
    for (; w.pc < w.length; w.pc += w.step) {
        look(&w);
        if (w.step == 0) look_closer(&w);
    }
    *walk = w;
}

// Walks both until one is finished.
static inline void go_on_together(struct walk *first, struct walk *second) {
    struct walk a = *first, b = *second;
    do {
        look(&a);
        look(&b);
        if ((a.step == 0) | (b.step == 0)) {
            look_closer(&a);
            look_closer(&b);
        }
        a.pc += a.step;
        b.pc += b.step;
    } while ((a.pc < a.length) & (b.pc < b.length));
    *first = a;
    *second = b;
}

// Finishes the scan after all instructions.
static enum cf_status finish(struct walk *w) {
    struct cf_code *code = w->code;
    struct cf_error *error = w->error;
    uint16_t *pcs = w->pcs;
    if (error->status) return error->status;
    code->count = (uint32_t)(pcs - code->pc);
    code->may_throw = (uint16_t)(w->sum >> CF_SUM_THROWS) != 0;
    if (w->pc != w->length) return fail_at(error, pcs[-1], "instruction not whole", 0);
    *pcs = (uint16_t)w->length;
    code->marks[w->length] = CF_MARK_START; // a range may end here
    code->changes[w->length] = (uint32_t)(w->sum >> CF_SUM_VARIES);
    sort_out(code, w->listed, w->listed + (uint16_t)w->sum);
    if (code->branches_count) CF_TRY(find_targets(code, error));
    if (code->switches_count) CF_TRY(find_switch_targets(code, error));
    if (code->exception_table_length) CF_TRY(scan_exceptions(code, error));
    // Below version 51 unreachable code may fall off the end (JVMS 4.10.2.2), but no compiler
    // generates that: such a method is skipped.
    unsigned last = code->bytes[pcs[-1]];
    if (!cf_never_falls_through(last) && last != CF_OP_wide)
        return fail_at(error, pcs[-1], "control falls off the end of the code", 0);
    return CF_OK;
}

enum cf_status cf_code_scan(struct cf_code *code, struct cf_error *error) {
    struct walk w;
    CF_TRY(begin(&w, code, error));
    go_on(&w);
    return finish(&w);
}

// Begins the next possible walk; 0: none.
static int begin_next(struct walk *w, struct cf_code *const **code, struct cf_code *const *end,
                      struct cf_error *const **error) {
    while (*code < end) {
        struct cf_code *next = *(*code)++;
        struct cf_error *its = *(*error)++;
        if (!its->status && begin(w, next, its) == CF_OK) return 1;
    }
    return 0;
}

void cf_code_scan_all(struct cf_code *const *codes, struct cf_error *const *errors,
                      uint32_t count) {
    struct cf_code *const *end = codes + count;
    struct walk a, b;
    int a_goes = begin_next(&a, &codes, end, &errors),
        b_goes = begin_next(&b, &codes, end, &errors);
    while (a_goes & b_goes) {
        go_on_together(&a, &b);
        if (a.pc >= a.length) {
            finish(&a);
            a_goes = begin_next(&a, &codes, end, &errors);
        }
        if (b.pc >= b.length) {
            finish(&b);
            b_goes = begin_next(&b, &codes, end, &errors);
        }
    }
    struct walk *last = a_goes ? &a : &b;
    if (!(a_goes | b_goes)) return;
    go_on(last);
    finish(last);
}

uint32_t cf_code_index(const struct cf_code *code, uint32_t pc) {
    uint32_t low = 0, high = code->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (code->pc[middle] <= pc)
            low = middle;
        else
            high = middle;
    }
    return low;
}
