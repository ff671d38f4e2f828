#include "rewriters/throws.h"

// The number of instructions from the start of a handler of try-with-resources within which its
// athrow must come; close() is called in between.
#define RESOURCES_REACH 64

static unsigned op_at(const struct cf_code *code, uint32_t i) {
    return i < code->count ? code->bytes[code->pc[i]] : CF_OP_nop;
}

// The local of the `astore` or `aload` at instruction i; -1: another instruction.
static int32_t local_of(const struct cf_code *code, uint32_t i, unsigned op, unsigned op_0) {
    if (i >= code->count) return -1;
    const uint8_t *p = code->bytes + code->pc[i];
    if (p[0] == op) return p[1];
    if (p[0] >= op_0 && p[0] < op_0 + 4) return (int32_t)(p[0] - op_0);
    if (p[0] == CF_OP_wide && p[1] == op) return (int32_t)cf_be2(p + 2);
    return -1;
}

static int32_t stored(const struct cf_code *code, uint32_t i) {
    return local_of(code, i, CF_OP_astore, CF_OP_astore_0);
}

static int32_t loaded(const struct cf_code *code, uint32_t i) {
    return local_of(code, i, CF_OP_aload, CF_OP_aload_0);
}

// The local that the athrow at instruction i throws, ignoring casts; -1: unknown.
static int32_t thrown_local(const struct cf_code *code, uint32_t i) {
    if (i > 1 && op_at(code, i - 1) == CF_OP_checkcast) i--;
    return i > 0 ? loaded(code, i - 1) : -1;
}

static int adds_suppressed(const struct cf_code *code, uint32_t i, int32_t local) {
    struct cf_slice class_name, name, descriptor;
    if (i < 2 || op_at(code, i) != CF_OP_invokevirtual || loaded(code, i - 2) != local) return 0;
    return cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                        &descriptor) &&
           CF_IS(name, "addSuppressed") && CF_IS(descriptor, "(Ljava/lang/Throwable;)V");
}

// Does the handler for Throwable at instruction i only rethrow the exception, or close a resource
// and add a suppressed exception?
static int is_of_resources(const struct cf_code *code, uint32_t i) {
    int32_t local = stored(code, i);
    int only_moves = 1, suppresses = 0;
    if (local < 0) return op_at(code, i) == CF_OP_athrow;
    for (uint32_t k = i + 1; k < code->count && k < i + RESOURCES_REACH; k++) {
        if (op_at(code, k) == CF_OP_athrow)
            return thrown_local(code, k) == local && (only_moves || suppresses);
        suppresses |= adds_suppressed(code, k, local);
        only_moves &= stored(code, k) >= 0 || loaded(code, k) >= 0 || op_at(code, k) == CF_OP_nop;
    }
    return 0;
}

// --- handlers ---

static void mark_joined(struct rw_throws *throws, uint32_t pc) {
    if (throws->handlers[pc]) throws->handlers[pc] |= RW_HANDLER_JOINED;
}

static void find_joined(struct rw_throws *throws) {
    const struct cf_code *code = &throws->edit->code;
    for (uint32_t i = 0; i < code->branches_count; i++)
        mark_joined(throws, code->branches[i].target);
    for (uint32_t i = 0; i < code->switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(code, code->switches[i], &sw);
        mark_joined(throws, sw.default_pc);
        for (uint32_t k = 0; k < sw.count; k++) mark_joined(throws, cf_switch_target(&sw, k));
    }
    mark_joined(throws, 0); // the method's entry
    for (uint32_t i = 1; i < code->count; i++)
        if (!cf_never_falls_through(op_at(code, i - 1))) mark_joined(throws, code->pc[i]);
}

// Does the entry catch java.lang.Throwable, and is no other entry for the same handler?
static int is_throwable(const struct cf_code *code, uint32_t catch_type) {
    return CF_IS(cf_class_name(code->cls, catch_type), "java/lang/Throwable");
}

// --- what may be rethrown ---

static int is_in(const struct rw_throws *throws, int32_t local) {
    return throws->locals && local >= 0 && local < throws->edit->code.max_locals &&
           throws->locals[local];
}

// The locals in which passing handlers store their exception, and those to which it is copied.
// Copies that lead backwards through the code are followed only a few times.
static enum cf_status find_locals(struct rw_throws *throws) {
    const struct cf_code *code = &throws->edit->code;
    int32_t local;
    throws->locals = cf_arena_zeroed(code->cls->arena, code->max_locals + 1u, 1);
    if (!throws->locals) return CF_NO_MEMORY;
    for (uint32_t i = 0; i < code->count; i++) {
        if (!(throws->handlers[code->pc[i]] & RW_HANDLER_PASSES)) continue;
        local = stored(code, i);
        if (local < 0) throws->on_stack = 1;
        if (local >= 0 && local < code->max_locals) throws->locals[local] = 1;
    }
    for (int round = 0; round < 4; round++) {
        int more = 0;
        for (uint32_t i = 1; i < code->count; i++) {
            local = stored(code, i);
            if (local < 0 || local >= code->max_locals || throws->locals[local] ||
                !is_in(throws, loaded(code, i - 1)))
                continue;
            throws->locals[local] = 1;
            more = 1;
        }
        if (!more) break;
    }
    return CF_OK;
}

// Does instruction i put an object on the stack that no handler has left there?
static int puts_object(const struct cf_code *code, uint32_t i) {
    struct cf_slice class_name, name, descriptor;
    unsigned op = op_at(code, i);
    if (op == CF_OP_getstatic || op == CF_OP_getfield || op == CF_OP_aaload) return 1;
    if (op < CF_OP_invokevirtual || op > CF_OP_invokedynamic) return 0;
    return cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                        &descriptor) &&
           descriptor.length > 0 && descriptor.bytes[descriptor.length - 1] == ';';
}

// Does the athrow at instruction i throw what a handler has left on the stack, as far as can be
// seen?
static int throws_from_stack(const struct cf_code *code, uint32_t i) {
    if (code->marks[code->pc[i]] & CF_MARK_TARGET) return 1;
    if (i > 1 && op_at(code, i - 1) == CF_OP_checkcast) i--;
    return i == 0 || (code->marks[code->pc[i]] & CF_MARK_TARGET) || !puts_object(code, i - 1);
}

int rw_may_throw_again(const struct rw_throws *throws, uint32_t i, int32_t *local) {
    const struct cf_code *code = &throws->edit->code;
    *local = thrown_local(code, i);
    return *local >= 0 ? is_in(throws, *local) : throws->on_stack && throws_from_stack(code, i);
}

int32_t rw_stores_exception(const struct rw_throws *throws, uint32_t i, int32_t *copied) {
    const struct cf_code *code = &throws->edit->code;
    int32_t local = stored(code, i);
    *copied = -1;
    if (!is_in(throws, local)) return -1;
    // Code that jumps to the store has another value on the stack.
    if (i > 0 && !(code->marks[code->pc[i]] & CF_MARK_TARGET) && is_in(throws, loaded(code, i - 1)))
        *copied = loaded(code, i - 1);
    return local;
}

enum cf_status rw_find_throws(struct rw_throws *throws, struct cf_edit *edit) {
    enum { OF_OTHERS = 64, OF_THROWABLE = 128 }; // until all kinds are known
    const struct cf_code *code = &edit->code;
    int passes = 0;
    memset(throws, 0, sizeof *throws);
    throws->edit = edit;
    if (code->exception_table_length == 0) return CF_OK;
    throws->handlers = cf_arena_zeroed(code->cls->arena, code->length + 1, 1);
    if (!throws->handlers) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        if (e.start_pc >= e.end_pc || e.handler_pc >= code->length) continue;
        unsigned kind = RW_HANDLER | (e.catch_type == 0                  ? RW_HANDLER_OF_ALL
                                      : is_throwable(code, e.catch_type) ? OF_THROWABLE
                                                                         : OF_OTHERS);
        if (e.start_pc <= e.handler_pc && e.handler_pc < e.end_pc) kind |= RW_HANDLER_COVERS_ITSELF;
        throws->handlers[e.handler_pc] |= (uint8_t)kind;
    }
    for (uint32_t i = 0; i < code->count; i++) {
        uint8_t *kind = &throws->handlers[code->pc[i]];
        unsigned of = *kind & (RW_HANDLER_OF_ALL | OF_OTHERS | OF_THROWABLE);
        if (of == RW_HANDLER_OF_ALL || (of == OF_THROWABLE && is_of_resources(code, i)))
            *kind |= RW_HANDLER_PASSES;
        passes |= *kind & RW_HANDLER_PASSES;
        // A range that leads to a handler of other types does not make that handler cover itself.
        if (of != RW_HANDLER_OF_ALL) *kind &= (uint8_t)~RW_HANDLER_COVERS_ITSELF;
        *kind &= (uint8_t) ~(OF_OTHERS | OF_THROWABLE);
    }
    find_joined(throws);
    if (!passes || find_locals(throws) == CF_OK) return CF_OK;
    return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
}
