// The effect of each instruction on the types of locals and stack (JVMS 4.10.1.9).

#include "classfile/frames/typing.h"

static enum cf_status bad(struct cf_typing *t, const char *reason) {
    return cf_fail(t->error, CF_MALFORMED, t->code->offset, reason, 0);
}

enum cf_status cf_typing_init(struct cf_typing *t, const struct cf_code *code, struct cf_pool *pool,
                              uint32_t more_locals, uint32_t more_stack, struct cf_error *error) {
    memset(t, 0, sizeof *t);
    t->code = code;
    t->pool = pool;
    t->error = error;
    struct cf_arena *arena = code->cls->arena;
    t->state.locals_capacity = (uint32_t)code->max_locals + more_locals + 2;
    t->state.stack_capacity = (uint32_t)code->max_stack + more_stack + 2;
    t->state.locals = cf_arena_alloc(arena, t->state.locals_capacity * sizeof(struct cf_type));
    t->state.stack = cf_arena_alloc(arena, t->state.stack_capacity * sizeof(struct cf_type));
    if (!t->state.locals || !t->state.stack)
        return cf_fail(error, CF_NO_MEMORY, code->offset, "out of memory", 0);
    return CF_OK;
}

static const struct cf_type TOP = {CF_TYPE_TOP, 0, 0, {NULL, 0}};

static struct cf_type plain(unsigned tag) {
    struct cf_type type = {(uint8_t)tag, 0, 0, {NULL, 0}};
    return type;
}

static struct cf_type object(const char *name) {
    struct cf_type type = {CF_TYPE_OBJECT, 0, 0, {(const uint8_t *)name, (uint32_t)strlen(name)}};
    return type;
}

static struct cf_type object_at(unsigned index) {
    struct cf_type type = {CF_TYPE_OBJECT, (uint16_t)index, 0, {NULL, 0}};
    return type;
}

// Spreads entries over slots.
static enum cf_status spread(struct cf_typing *t, const struct cf_type *from, uint32_t count,
                             struct cf_type *to, uint32_t *slots, uint32_t capacity) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (n + cf_type_slots(&from[i]) > capacity)
            return bad(t, "frame with more slots than there are");
        to[n++] = from[i];
        if (cf_type_slots(&from[i]) == 2) to[n++] = TOP;
    }
    *slots = n;
    return CF_OK;
}

enum cf_status cf_typing_load(struct cf_typing *t, const struct cf_frame *frame) {
    struct cf_state *s = &t->state;
    CF_TRY(spread(t, frame->locals, frame->locals_count, s->locals, &s->locals_count,
                  s->locals_capacity));
    CF_TRY(
        spread(t, frame->stack, frame->stack_count, s->stack, &s->stack_count, s->stack_capacity));
    s->this_uninitialized = cf_is_larval(frame);
    s->unset = s->this_uninitialized ? frame->unset : NULL;
    return CF_OK;
}

static enum cf_status push(struct cf_typing *t, struct cf_type type) {
    struct cf_state *s = &t->state;
    if (s->stack_count + cf_type_slots(&type) > s->stack_capacity)
        return bad(t, "operand stack overflows");
    s->stack[s->stack_count++] = type;
    if (cf_type_slots(&type) == 2) s->stack[s->stack_count++] = TOP;
    return CF_OK;
}

static enum cf_status drop(struct cf_typing *t, uint32_t slots) {
    if (slots > t->state.stack_count) return bad(t, "operand stack underflows");
    t->state.stack_count -= slots;
    return CF_OK;
}

static enum cf_status store(struct cf_typing *t, uint32_t index, struct cf_type type) {
    struct cf_state *s = &t->state;
    uint32_t slots = cf_type_slots(&type);
    if (index + slots > s->locals_capacity) return bad(t, "local variable out of range");
    while (s->locals_count < index + slots) s->locals[s->locals_count++] = TOP;
    // If the second half of a pair is overwritten, the first half becomes invalid too.
    if (index > 0 && cf_type_slots(&s->locals[index - 1]) == 2) s->locals[index - 1] = TOP;
    if (slots == 1 && cf_type_slots(&s->locals[index]) == 2 && index + 1 < s->locals_count)
        s->locals[index + 1] = TOP;
    s->locals[index] = type;
    if (slots == 2) s->locals[index + 1] = TOP;
    return CF_OK;
}

static enum cf_status load(struct cf_typing *t, uint32_t index) {
    struct cf_state *s = &t->state;
    if (index >= s->locals_count) return bad(t, "local variable without a value");
    return push(t, s->locals[index]);
}

// xstore: pops a value of `slots` and stores it.
static enum cf_status store_top(struct cf_typing *t, uint32_t index, uint32_t slots) {
    CF_TRY(drop(t, slots));
    return store(t, index, t->state.stack[t->state.stack_count]);
}

// dup_x: inserts a copy of the top `count` slots below `below` further ones (JVMS 6.5, dup to
// dup2_x2).
static enum cf_status dup_below(struct cf_typing *t, uint32_t count, uint32_t below) {
    struct cf_state *s = &t->state;
    if (count + below > s->stack_count) return bad(t, "operand stack underflows");
    if (s->stack_count + count > s->stack_capacity) return bad(t, "operand stack overflows");
    struct cf_type *base = s->stack + s->stack_count - count - below;
    memmove(base + count, base, (count + below) * sizeof *base);
    memmove(base, base + count + below, count * sizeof *base);
    s->stack_count += count;
    return CF_OK;
}

static enum cf_status swap(struct cf_typing *t) {
    struct cf_state *s = &t->state;
    if (s->stack_count < 2) return bad(t, "operand stack underflows");
    struct cf_type top = s->stack[s->stack_count - 1];
    s->stack[s->stack_count - 1] = s->stack[s->stack_count - 2];
    s->stack[s->stack_count - 2] = top;
    return CF_OK;
}

static struct cf_slice name_of(const struct cf_typing *t, const struct cf_type *type) {
    return type->index ? cf_pool_class_name(t->pool, type->index) : type->name;
}

// aaload: the component of the array on the stack.
static enum cf_status load_component(struct cf_typing *t) {
    CF_TRY(drop(t, 2));
    struct cf_type array = t->state.stack[t->state.stack_count];
    if (array.tag == CF_TYPE_NULL) return push(t, plain(CF_TYPE_NULL));
    struct cf_slice name = name_of(t, &array);
    if (array.tag != CF_TYPE_OBJECT || name.length < 2 || name.bytes[0] != '[')
        return bad(t, "aaload from a value that is not an array");
    struct cf_slice component = {name.bytes + 1, name.length - 1};
    return push(t, cf_type_of(component));
}

// anewarray: pushes the array whose component is the class at `index`.
static enum cf_status push_array(struct cf_typing *t, unsigned index) {
    struct cf_slice name = cf_pool_class_name(t->pool, index);
    if (!name.bytes) return bad(t, "anewarray of a constant that is not a class");
    uint8_t *bytes = cf_arena_alloc(t->code->cls->arena, name.length + 3);
    if (!bytes) return cf_fail(t->error, CF_NO_MEMORY, 0, "out of memory", 0);
    uint32_t n = 0;
    bytes[n++] = '[';
    int is_array = name.length && name.bytes[0] == '[';
    if (!is_array) bytes[n++] = 'L';
    memcpy(bytes + n, name.bytes, name.length);
    n += name.length;
    if (!is_array) bytes[n++] = ';';
    struct cf_type type = {CF_TYPE_OBJECT, 0, 0, {bytes, n}};
    return push(t, type);
}

static enum cf_status push_primitive_array(struct cf_typing *t, unsigned atype) {
    static const char *const names[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    if (atype < 4 || atype > 11) return bad(t, "newarray of an unknown type");
    return push(t, object(names[atype - 4]));
}

static enum cf_status push_constant(struct cf_typing *t, unsigned index) {
    const uint8_t *entry = cf_pool_entry(t->pool, index);
    struct cf_slice name, descriptor;
    switch (entry ? entry[0] : 0) {
    case CF_TAG_INTEGER: return push(t, plain(CF_TYPE_INTEGER));
    case CF_TAG_FLOAT: return push(t, plain(CF_TYPE_FLOAT));
    case CF_TAG_LONG: return push(t, plain(CF_TYPE_LONG));
    case CF_TAG_DOUBLE: return push(t, plain(CF_TYPE_DOUBLE));
    case CF_TAG_STRING: return push(t, object("java/lang/String"));
    case CF_TAG_CLASS: return push(t, object("java/lang/Class"));
    case CF_TAG_METHOD_HANDLE: return push(t, object("java/lang/invoke/MethodHandle"));
    case CF_TAG_METHOD_TYPE: return push(t, object("java/lang/invoke/MethodType"));
    case CF_TAG_DYNAMIC:
        if (cf_pool_reference(t->pool, index, &name, &descriptor) && cf_field_slots(descriptor))
            return push(t, cf_type_of(descriptor));
        break;
    default: break;
    }
    return bad(t, "ldc of a constant that is not loadable");
}

// After putfield on `this` before it is initialised: the field is set now (frame type 246).
static enum cf_status mark_set(struct cf_typing *t, struct cf_slice name,
                               struct cf_slice descriptor) {
    struct cf_state *s = &t->state;
    const struct cf_strict *strict = t->code->cls->strict;
    int field = s->unset ? cf_strict_find(strict, name, descriptor) : -1;
    if (field < 0 || !cf_strict_has(s->unset, (uint32_t)field)) return CF_OK;
    s->unset = cf_strict_without(strict, t->code->cls->arena, s->unset, (uint32_t)field);
    return s->unset ? CF_OK : cf_fail(t->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static enum cf_status field(struct cf_typing *t, unsigned op, unsigned index) {
    struct cf_slice name, descriptor;
    unsigned slots;
    if (!cf_pool_reference(t->pool, index, &name, &descriptor) ||
        (slots = cf_field_slots(descriptor)) == 0)
        return bad(t, "field instruction without a field");
    switch (op) {
    case CF_OP_getstatic: return push(t, cf_type_of(descriptor));
    case CF_OP_putstatic: return drop(t, slots);
    case CF_OP_getfield: CF_TRY(drop(t, 1)); return push(t, cf_type_of(descriptor));
    default: // putfield
        CF_TRY(drop(t, slots + 1));
        if (t->state.stack[t->state.stack_count].tag == CF_TYPE_UNINITIALIZED_THIS)
            return mark_set(t, name, descriptor);
        return CF_OK;
    }
}

static void replace_all(struct cf_type *types, uint32_t count, const struct cf_type *old,
                        struct cf_type type) {
    for (uint32_t i = 0; i < count; i++)
        if (types[i].tag == old->tag &&
            (old->tag != CF_TYPE_UNINITIALIZED || types[i].pc == old->pc))
            types[i] = type;
}

// invokespecial <init>: initializes all copies of the object.
static enum cf_status initialize(struct cf_typing *t, const struct cf_type *receiver) {
    struct cf_state *s = &t->state;
    const struct cf_code *code = t->code;
    struct cf_type uninitialized = *receiver, type;
    if (uninitialized.tag == CF_TYPE_UNINITIALIZED_THIS) {
        type = object_at(code->cls->this_class);
        s->this_uninitialized = 0;
        s->unset = NULL;
    } else if (uninitialized.tag == CF_TYPE_UNINITIALIZED) {
        if (uninitialized.pc & CF_IN_SNIPPET)
            type = object_at(uninitialized.index);
        else if (uninitialized.pc + 3 <= code->length)
            type = object_at(cf_be2(code->bytes + uninitialized.pc + 1));
        else
            return bad(t, "uninitialized type without its new");
    } else {
        return bad(t, "<init> called on what is initialised");
    }
    replace_all(s->locals, s->locals_count, &uninitialized, type);
    replace_all(s->stack, s->stack_count, &uninitialized, type);
    return CF_OK;
}

static enum cf_status invoke(struct cf_typing *t, unsigned op, unsigned index) {
    struct cf_slice name, descriptor;
    unsigned parameters, result;
    if (!cf_pool_reference(t->pool, index, &name, &descriptor) ||
        !cf_method_slots(descriptor, &parameters, &result))
        return bad(t, "invoke instruction without a method");
    CF_TRY(drop(t, parameters));
    if (op != CF_OP_invokestatic && op != CF_OP_invokedynamic) {
        CF_TRY(drop(t, 1));
        struct cf_type receiver = t->state.stack[t->state.stack_count];
        if (op == CF_OP_invokespecial && CF_IS(name, "<init>")) CF_TRY(initialize(t, &receiver));
    }
    if (result == 0) return CF_OK;
    return push(t, cf_type_of(cf_result_type(descriptor)));
}

static unsigned type_of_letter(char letter) {
    switch (letter) {
    case 'I': return CF_TYPE_INTEGER;
    case 'J': return CF_TYPE_LONG;
    case 'F': return CF_TYPE_FLOAT;
    default: return CF_TYPE_DOUBLE;
    }
}

// Instructions whose effect is in the table: no reference is pushed.
static enum cf_status by_table(struct cf_typing *t, unsigned op) {
    uint32_t slots = 0;
    for (const char *c = cf_opcodes[op].pops; *c; c++) slots += *c == 'J' || *c == 'D' ? 2 : 1;
    CF_TRY(drop(t, slots));
    for (const char *c = cf_opcodes[op].pushes; *c; c++) CF_TRY(push(t, plain(type_of_letter(*c))));
    return CF_OK;
}

// xload and xstore, with the index in the opcode or behind it.
static enum cf_status local_variable(struct cf_typing *t, unsigned op, uint32_t index) {
    if (op >= CF_OP_istore && op <= CF_OP_astore_3) {
        unsigned kind = op <= CF_OP_astore ? op - CF_OP_istore : (op - CF_OP_istore_0) / 4;
        return store_top(t, index, kind == 1 || kind == 3 ? 2 : 1);
    }
    return load(t, index);
}

static enum cf_status reference_step(struct cf_typing *t, const uint8_t *bytes, uint32_t pc) {
    unsigned op = bytes[0];
    switch (op) {
    case CF_OP_aconst_null: return push(t, plain(CF_TYPE_NULL));
    case CF_OP_ldc: return push_constant(t, bytes[1]);
    case CF_OP_ldc_w:
    case CF_OP_ldc2_w: return push_constant(t, cf_be2(bytes + 1));
    case CF_OP_aaload: return load_component(t);
    case CF_OP_dup: return dup_below(t, 1, 0);
    case CF_OP_dup_x1: return dup_below(t, 1, 1);
    case CF_OP_dup_x2: return dup_below(t, 1, 2);
    case CF_OP_dup2: return dup_below(t, 2, 0);
    case CF_OP_dup2_x1: return dup_below(t, 2, 1);
    case CF_OP_dup2_x2: return dup_below(t, 2, 2);
    case CF_OP_swap: return swap(t);
    case CF_OP_getstatic:
    case CF_OP_putstatic:
    case CF_OP_getfield:
    case CF_OP_putfield: return field(t, op, cf_be2(bytes + 1));
    case CF_OP_invokevirtual:
    case CF_OP_invokespecial:
    case CF_OP_invokestatic:
    case CF_OP_invokeinterface:
    case CF_OP_invokedynamic: return invoke(t, op, cf_be2(bytes + 1));
    case CF_OP_new: {
        struct cf_type type = {CF_TYPE_UNINITIALIZED, (uint16_t)cf_be2(bytes + 1), pc, {NULL, 0}};
        return push(t, type);
    }
    case CF_OP_newarray: CF_TRY(drop(t, 1)); return push_primitive_array(t, bytes[1]);
    case CF_OP_anewarray: CF_TRY(drop(t, 1)); return push_array(t, cf_be2(bytes + 1));
    case CF_OP_multianewarray:
        CF_TRY(drop(t, bytes[3]));
        return push(t, object_at(cf_be2(bytes + 1)));
    case CF_OP_checkcast: CF_TRY(drop(t, 1)); return push(t, object_at(cf_be2(bytes + 1)));
    default: return by_table(t, op);
    }
}

enum cf_status cf_typing_step(struct cf_typing *t, const uint8_t *bytes, uint32_t pc) {
    unsigned op = bytes[0];
    if (op == CF_OP_wide) {
        op = bytes[1];
        if (op == CF_OP_iinc || op == CF_OP_ret) return CF_OK;
        return local_variable(t, op, cf_be2(bytes + 2));
    }
    if ((op >= CF_OP_iload && op <= CF_OP_aload) || (op >= CF_OP_istore && op <= CF_OP_astore))
        return local_variable(t, op, bytes[1]);
    if (op >= CF_OP_iload_0 && op <= CF_OP_aload_3)
        return local_variable(t, op, (op - CF_OP_iload_0) & 3);
    if (op >= CF_OP_istore_0 && op <= CF_OP_astore_3)
        return local_variable(t, op, (op - CF_OP_istore_0) & 3);
    if (op == CF_OP_jsr || op == CF_OP_jsr_w) return bad(t, "jsr where frames are needed");
    return reference_step(t, bytes, pc);
}

// Gathers slots into entries.
static uint32_t gather(const struct cf_type *slots, uint32_t count, struct cf_type *entries) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += cf_type_slots(&slots[i])) entries[n++] = slots[i];
    return n;
}

enum cf_status cf_typing_frame(const struct cf_typing *t, struct cf_frame *frame) {
    const struct cf_state *s = &t->state;
    struct cf_arena *arena = t->code->cls->arena;
    uint32_t locals = s->locals_count;
    while (locals > 0 && s->locals[locals - 1].tag == CF_TYPE_TOP &&
           !(locals > 1 && cf_type_slots(&s->locals[locals - 2]) == 2))
        locals--;
    memset(frame, 0, sizeof *frame);
    frame->locals = cf_arena_alloc(arena, (locals + 1) * sizeof *frame->locals);
    frame->stack = cf_arena_alloc(arena, (s->stack_count + 1) * sizeof *frame->stack);
    if (!frame->locals || !frame->stack)
        return cf_fail(t->error, CF_NO_MEMORY, 0, "out of memory", 0);
    frame->locals_count = gather(s->locals, locals, frame->locals);
    frame->stack_count = gather(s->stack, s->stack_count, frame->stack);
    frame->unset = s->unset;
    return CF_OK;
}
