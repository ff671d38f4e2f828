// Writing snippets.

#include "classfile/edit/internal.h"

enum cf_status cf_fail_snippet(const struct cf_snippet *s, uint32_t pc, enum cf_status status,
                               const char *reason, uint32_t value) {
    struct cf_error *error = &s->edit->error;
    if (error->status != CF_OK) return status;
    cf_fail(error, status, pc == UINT32_MAX ? s->length : pc, reason, value);
    error->at_pc = pc != UINT32_MAX;
    error->snippet = s->number;
    return status;
}

// Out of memory or misuse: the first reason is kept, and the method will be skipped.
static void spoil(struct cf_snippet *s, enum cf_status status, const char *reason) {
    cf_fail_snippet(s, UINT32_MAX, status, reason, 0);
}

// A constant is mostly missing because the pool is full.
enum cf_status cf_no_constant(struct cf_edit *edit) {
    const struct cf_error *pool = &edit->rewrite->pool.error;
    if (pool->status) return cf_fail(&edit->error, pool->status, 0, pool->reason, 0);
    return cf_fail(&edit->error, CF_MISUSE, 0, "no such constant", 0);
}

static struct cf_arena *arena_of(struct cf_snippet *s) {
    return s->edit->code.cls->arena;
}

struct cf_snippet *cf_snippet_nowhere(struct cf_edit *edit, enum cf_status status,
                                      const char *reason) {
    cf_fail(&edit->error, status, 0, reason, 0);
    memset(&edit->nowhere, 0, sizeof edit->nowhere);
    edit->nowhere.edit = edit;
    edit->nowhere.bytes = edit->nowhere_bytes;
    edit->nowhere.capacity = CF_SNIPPET_ROOM;
    return &edit->nowhere;
}

uint8_t *cf_snippet_grow(struct cf_snippet *s, uint32_t size) {
    if (s == &s->edit->nowhere) return NULL;
    uint32_t wanted = s->capacity < CF_SNIPPET_ROOM ? CF_SNIPPET_ROOM : s->capacity * 2;
    while (wanted - s->length < size) wanted *= 2;
    uint8_t *bytes = wanted <= 32768 ? cf_arena_alloc(arena_of(s), wanted) : NULL;
    if (!bytes) {
        spoil(s, wanted > 32768 ? CF_LIMIT : CF_NO_MEMORY,
              wanted > 32768 ? "snippet too long" : "out of memory");
        return NULL;
    }
    if (s->length) memcpy(bytes, s->bytes, s->length);
    s->bytes = bytes;
    s->capacity = wanted;
    uint8_t *p = s->bytes + s->length;
    s->length += size;
    return p;
}

static int32_t slots_of(const char *letters) {
    int32_t n = 0;
    for (const char *c = letters; *c; c++) n += *c == 'J' || *c == 'D' ? 2 : 1;
    return n;
}

static void by_table(struct cf_snippet *s, unsigned op) {
    cf_snippet_depth(s, slots_of(cf_opcodes[op].pops), slots_of(cf_opcodes[op].pushes));
    if (cf_never_falls_through(op)) s->unreachable = 1;
}

void cf_op(struct cf_snippet *s, enum cf_opcode op) {
    uint8_t *p = cf_snippet_room(s, 1);
    if (!p) return;
    *p = (uint8_t)op;
    if ((unsigned)op >= CF_OPCODE_COUNT) {
        spoil(s, CF_MISUSE, "no such opcode");
        return;
    }
    if (cf_opcodes[op].operands != CF_NONE) spoil(s, CF_MISUSE, "instruction needs an operand");
    by_table(s, op);
}

// Pushes high << 15 | low without a constant: in loaded classes each constant is expensive.
static void push_computed(struct cf_snippet *s, int32_t value) {
    cf_push_number(s, value >> 15);
    cf_push_number(s, 15);
    cf_op(s, CF_OP_ishl);
    cf_push_number(s, value & 0x7FFF);
    cf_op(s, CF_OP_ior);
}

// Can the number, of more than 16 bits, be pushed that way in a class whose constants are
// expensive?
static inline int is_computed(const struct cf_rewrite *rewrite, int32_t value) {
    return rewrite->cls->merges_constant_pool && value >> 15 != value >> 31 &&
           value >> 30 == value >> 31;
}

// The constant of a number; 0: the pool is full.
static uint16_t integer(struct cf_rewrite *rewrite, int32_t value) {
    if (!rewrite->integer || rewrite->integer_value != value) {
        rewrite->integer = cf_add_integer(&rewrite->pool, value);
        rewrite->integer_value = value;
    }
    return rewrite->integer;
}

struct cf_ready cf_ready_push(struct cf_edit *edit, int32_t value) {
    struct cf_ready push = {(uint32_t)CF_OP_sipush << 24 | (uint32_t)(value & 0xffff) << 8, 3};
    struct cf_ready none = {0, 0};
    if (value >= -128 && value <= 127) {
        push.word = (uint32_t)CF_OP_bipush << 24 | (uint32_t)(value & 0xff) << 16;
        push.length = 2;
    }
    if (value >= -1 && value <= 5) {
        push.word = (uint32_t)(CF_OP_iconst_0 + value) << 24;
        push.length = 1;
    }
    if (value >= -32768 && value <= 32767) return push;
    if (is_computed(edit->rewrite, value)) return none;
    uint32_t index = integer(edit->rewrite, value), is_near = index - 1 < 255;
    if (!index) return none;
    push.word = is_near ? (uint32_t)CF_OP_ldc << 24 | index << 16
                        : (uint32_t)CF_OP_ldc_w << 24 | index << 8;
    push.length = is_near ? 2 : 3;
    return push;
}

void cf_push_number(struct cf_snippet *s, int32_t value) {
    if (is_computed(s->edit->rewrite, value)) {
        push_computed(s, value);
        return;
    }
    struct cf_ready push = cf_ready_push(s->edit, value);
    uint8_t *p = push.length ? cf_snippet_room(s, push.length) : NULL;
    if (!push.length) cf_no_constant(s->edit);
    if (!p) return;
    for (uint32_t i = 0; i < push.length; i++) p[i] = (uint8_t)(push.word >> (24 - 8 * i));
    cf_snippet_depth(s, 0, 1);
}

// The slots of a loadable constant (JVMS 4.4, table 4.4-C); 0: it is none.
static int32_t slots_of_constant(const struct cf_pool *pool, uint16_t index, unsigned tag) {
    struct cf_slice name, descriptor;
    switch (tag) {
    case CF_TAG_LONG:
    case CF_TAG_DOUBLE: return 2;
    case CF_TAG_INTEGER:
    case CF_TAG_FLOAT:
    case CF_TAG_CLASS:
    case CF_TAG_STRING:
    case CF_TAG_METHOD_HANDLE:
    case CF_TAG_METHOD_TYPE: return 1;
    case CF_TAG_DYNAMIC:
        if (!cf_pool_reference(pool, index, &name, &descriptor)) return 0;
        return (int32_t)cf_field_slots(descriptor);
    default: return 0;
    }
}

void cf_push_constant(struct cf_snippet *s, uint16_t index) {
    const struct cf_pool *pool = &s->edit->rewrite->pool;
    const uint8_t *entry = cf_pool_entry(pool, index);
    if (!entry) {
        cf_no_constant(s->edit);
        return;
    }
    int32_t slots = slots_of_constant(pool, index, entry[0]);
    int wide = slots == 2;
    if (!slots) spoil(s, CF_MISUSE, "constant that cannot be loaded");
    uint8_t *p = cf_snippet_room(s, wide || index > 255 ? 3 : 2);
    if (!p) return;
    if (wide || index > 255) {
        p[0] = wide ? CF_OP_ldc2_w : CF_OP_ldc_w;
        cf_put2(p + 1, index);
    } else {
        p[0] = CF_OP_ldc;
        p[1] = (uint8_t)index;
    }
    cf_snippet_depth(s, 0, slots);
}

enum cf_opcode cf_load_of(char type) {
    switch (type) {
    case 'J': return CF_OP_lload;
    case 'F': return CF_OP_fload;
    case 'D': return CF_OP_dload;
    case 'L':
    case '[': return CF_OP_aload;
    default: return CF_OP_iload;
    }
}

enum cf_opcode cf_store_of(char type) {
    return (enum cf_opcode)(cf_load_of(type) + CF_OP_istore - CF_OP_iload);
}

void cf_use_new_local(struct cf_snippet *s, uint32_t local) {
    s->uses_new_locals = 1;
    if (local >= s->edit->next_local) spoil(s, CF_MISUSE, "no such local");
}

void cf_far_local(struct cf_snippet *s, enum cf_opcode op, uint32_t local) {
    int is_load = op >= CF_OP_iload && op <= CF_OP_aload;
    unsigned kind = (unsigned)op - (is_load ? (unsigned)CF_OP_iload : (unsigned)CF_OP_istore);
    uint8_t *p = cf_snippet_room(s, local < 4 ? 1 : local < 256 ? 2 : 4);
    if (local >= s->first_new_local) cf_use_new_local(s, local);
    if (!p) return;
    if (local < 4) {
        p[0] = (uint8_t)((is_load ? CF_OP_iload_0 : CF_OP_istore_0) + 4 * kind + local);
    } else if (local < 256) {
        p[0] = (uint8_t)op;
        p[1] = (uint8_t)local;
    } else {
        p[0] = CF_OP_wide;
        p[1] = (uint8_t)op;
        cf_put2(p + 2, local);
    }
}

void cf_increment(struct cf_snippet *s, uint32_t local, int32_t by) {
    uint8_t *p;
    if (local >= s->first_new_local) cf_use_new_local(s, local);
    if (by < -32768 || by > 32767) spoil(s, CF_MISUSE, "increment of more than 16 bits");
    if (local < 256 && by >= -128 && by <= 127) {
        if (!(p = cf_snippet_room(s, 3))) return;
        p[0] = CF_OP_iinc;
        p[1] = (uint8_t)local;
        p[2] = (uint8_t)by;
    } else {
        if (!(p = cf_snippet_room(s, 6))) return;
        p[0] = CF_OP_wide;
        p[1] = CF_OP_iinc;
        cf_put2(p + 2, local);
        cf_put2(p + 4, (uint32_t)by);
    }
}

void cf_op_constant(struct cf_snippet *s, enum cf_opcode op, uint16_t index, unsigned pops,
                    unsigned pushes) {
    uint8_t *p = cf_snippet_room(s, 3);
    if (!index || index >= s->edit->rewrite->pool.count) cf_no_constant(s->edit);
    if (!p) return;
    p[0] = (uint8_t)op;
    cf_put2(p + 1, index);
    cf_snippet_depth(s, (int32_t)pops, (int32_t)pushes);
}

void cf_call_interface(struct cf_snippet *s, uint16_t index, unsigned pops, unsigned pushes) {
    cf_op_constant(s, CF_OP_invokeinterface, index, pops, pushes);
    uint8_t *p = cf_snippet_room(s, 2);
    if (p) cf_put2(p, pops << 8);
}

// Lists grow by doubling: at a power of two there is no room for the next one.
static void *grown(struct cf_snippet *s, void *list, uint32_t count, size_t size) {
    if (s == &s->edit->nowhere) return NULL;
    if (count & (count - 1) || count == 1) return list;
    void *larger = cf_arena_alloc(arena_of(s), (count ? count * 2 : 2) * size);
    if (!larger)
        spoil(s, CF_NO_MEMORY, "out of memory");
    else if (count)
        memcpy(larger, list, count * size);
    return larger;
}

uint32_t cf_label(struct cf_snippet *s) {
    struct cf_snippet_label *labels = grown(s, s->labels, s->labels_count, sizeof *labels);
    if (!labels) return 0;
    s->labels = labels;
    struct cf_snippet_label fresh = {.at = UINT32_MAX, .depth = INT32_MIN};
    labels[s->labels_count] = fresh;
    return s->labels_count++;
}

static struct cf_snippet_label *label_at(struct cf_snippet *s, uint32_t label) {
    if (label < s->labels_count) return &s->labels[label];
    spoil(s, CF_MISUSE, "no such label in the snippet");
    return NULL;
}

// The depth at a label must be the same on all paths.
static void meet(struct cf_snippet *s, struct cf_snippet_label *label) {
    if (label->depth == INT32_MIN)
        label->depth = s->depth;
    else if (label->depth != s->depth)
        spoil(s, CF_MISUSE, "label of the snippet reached at two depths");
}

void cf_place(struct cf_snippet *s, uint32_t label) {
    struct cf_snippet_label *l = label_at(s, label);
    if (!l) return;
    if (l->at != UINT32_MAX) spoil(s, CF_MISUSE, "label of the snippet placed twice");
    l->at = s->length;
    if (!s->unreachable)
        meet(s, l);
    else if (l->depth != INT32_MIN)
        s->depth = l->depth;
    else
        s->depth = l->depth = 0;
    s->unreachable = 0;
}

void cf_type_at_label(struct cf_snippet *s, uint32_t label, uint32_t local, uint16_t class_index) {
    struct cf_snippet_label *l = label_at(s, label);
    if (!l) return;
    l->typed_local = local;
    l->typed_class = class_index;
}

static uint8_t *branch(struct cf_snippet *s, enum cf_opcode op, uint32_t label, uint32_t pc) {
    struct cf_snippet_branch *branches = grown(s, s->branches, s->branches_count, sizeof *branches);
    if (!branches) return NULL;
    s->branches = branches;
    if (cf_opcodes[op].operands != CF_BRANCH2 || op == CF_OP_jsr)
        spoil(s, CF_MISUSE, "not a branch that a snippet may have");
    struct cf_snippet_branch b = {s->length, label, pc};
    branches[s->branches_count++] = b;
    uint8_t *p = cf_snippet_room(s, 3);
    if (!p) return NULL;
    p[0] = (uint8_t)op;
    p[1] = p[2] = 0;
    by_table(s, op);
    return p;
}

void cf_branch_to(struct cf_snippet *s, enum cf_opcode op, uint32_t label) {
    struct cf_snippet_label *l = label_at(s, label);
    if (!l || !branch(s, op, label, 0)) return;
    l->is_target = 1;
    meet(s, l);
}

// The opposite condition: pairs such as ifeq and ifne, or ifnull and ifnonnull, are adjacent.
unsigned cf_opposite(unsigned op) {
    if (op == CF_OP_ifnull || op == CF_OP_ifnonnull) return op ^ 1u;
    return ((op + 1u) ^ 1u) - 1u;
}

// In a long method the way back may not fit 16 bits: there the wide form is written at once.
#define FAR 8000

static void far_branch(struct cf_snippet *s, enum cf_opcode op, uint32_t pc) {
    uint32_t skip = UINT32_MAX;
    if (op != CF_OP_goto) {
        skip = cf_label(s);
        cf_branch_to(s, (enum cf_opcode)cf_opposite(op), skip);
    }
    struct cf_snippet_branch *branches = grown(s, s->branches, s->branches_count, sizeof *branches);
    if (!branches) return;
    s->branches = branches;
    struct cf_snippet_branch b = {s->length, UINT32_MAX, pc};
    branches[s->branches_count++] = b;
    uint8_t *p = cf_snippet_room(s, 5);
    if (!p) return;
    p[0] = CF_OP_goto_w;
    s->unreachable = 1;
    if (skip != UINT32_MAX) cf_place(s, skip);
}

void cf_branch_to_original(struct cf_snippet *s, enum cf_opcode op, uint32_t instruction) {
    const struct cf_code *code = &s->edit->code;
    if (instruction >= code->count) {
        spoil(s, CF_MISUSE, "no such instruction");
    } else {
        uint32_t pc = code->pc[instruction];
        s->edit->code.marks[pc] |= CF_MARK_JOINED;
        if (code->length > FAR)
            far_branch(s, op, pc);
        else
            branch(s, op, UINT32_MAX, pc);
    }
}

void cf_handler(struct cf_snippet *s, uint32_t start, uint32_t end, uint32_t handler,
                uint16_t catch_type) {
    cf_handler_at_depth(s, start, end, handler, catch_type, 0);
}

void cf_handler_at_depth(struct cf_snippet *s, uint32_t start, uint32_t end, uint32_t handler,
                         uint16_t catch_type, int32_t depth) {
    struct cf_snippet_handler *handlers =
        grown(s, s->handlers, s->handlers_count, sizeof *handlers);
    struct cf_snippet_label *l = label_at(s, handler);
    if (!handlers || !l || !label_at(s, start) || !label_at(s, end)) return;
    s->handlers = handlers;
    struct cf_snippet_handler h = {start, end, handler, catch_type};
    handlers[s->handlers_count++] = h;
    l->is_target = 1;
    if (l->depth == INT32_MIN) l->depth = 1 - depth;
    if (s->peak < 1) s->peak = 1;
}

// --- snippets in snippets ---

static void append_label(struct cf_snippet *to, struct cf_snippet_label l, uint32_t at,
                         int32_t depth) {
    uint32_t label = cf_label(to);
    if (to->edit->error.status) return;
    if (l.at != UINT32_MAX) l.at += at;
    if (l.depth != INT32_MIN) l.depth += depth;
    to->labels[label] = l;
}

static void append_branch(struct cf_snippet *to, struct cf_snippet_branch b, uint32_t at,
                          uint32_t labels) {
    struct cf_snippet_branch *branches =
        grown(to, to->branches, to->branches_count, sizeof *branches);
    if (!branches) return;
    b.at += at;
    if (b.label != UINT32_MAX) b.label += labels;
    to->branches = branches;
    branches[to->branches_count++] = b;
}

static void append_handler(struct cf_snippet *to, struct cf_snippet_handler h, uint32_t labels) {
    struct cf_snippet_handler *handlers =
        grown(to, to->handlers, to->handlers_count, sizeof *handlers);
    if (!handlers) return;
    h.start += labels;
    h.end += labels;
    h.handler += labels;
    to->handlers = handlers;
    handlers[to->handlers_count++] = h;
}

void cf_snippet_append(struct cf_snippet *to, const struct cf_snippet *snippet) {
    const struct cf_snippet s = *snippet; // as it is now: it may be `to` itself
    uint32_t at = to->length, labels = to->labels_count;
    int32_t depth = to->depth;
    uint8_t *p = cf_snippet_room(to, s.length);
    if (!p) return;
    memcpy(p, s.bytes, s.length);
    for (uint32_t i = 0; i < s.labels_count; i++) append_label(to, s.labels[i], at, depth);
    for (uint32_t i = 0; i < s.branches_count; i++) append_branch(to, s.branches[i], at, labels);
    for (uint32_t i = 0; i < s.handlers_count; i++) append_handler(to, s.handlers[i], labels);
    if (depth + s.peak > to->peak) to->peak = depth + s.peak;
    if (depth + s.lowest < to->lowest) to->lowest = depth + s.lowest;
    to->depth = depth + s.depth;
    to->unreachable |= s.unreachable;
    to->uses_new_locals |= s.uses_new_locals;
}
