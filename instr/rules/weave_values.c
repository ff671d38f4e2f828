#include "instr/rules/weave_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH = 1024 };

void rule_misuse(const struct rule_weaving *w, const char *reason) {
    cf_fail(&w->edit->error, CF_MISUSE, 0, reason, 0);
}

char *rule_allocate(const struct rule_weaving *w, size_t size) {
    static char none[ENOUGH];
    char *memory = cf_arena_alloc(w->edit->code.cls->arena, size);
    if (memory) return memory;
    cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    return size <= sizeof none ? none : NULL;
}

// --- calls of the runtime ---

void rule_call(const struct rule_weaving *w, struct cf_snippet *s, const char *name,
               const char *descriptor) {
    char owner[128];
    snprintf(owner, sizeof owner, "%sInstrRules", w->cls->runtime_package);
    cf_call(s, cf_callee_new(w->cls->rewrite, owner, name, descriptor));
}

void rule_call_jdk(const struct rule_weaving *w, struct cf_snippet *s, const char *owner,
                   const char *name, const char *descriptor) {
    cf_call(s, cf_callee_new(w->cls->rewrite, owner, name, descriptor));
}

static void push_long(struct cf_snippet *s, int64_t number) {
    if (number < INT32_MIN || number > INT32_MAX) {
        cf_push_constant(s, cf_add_long(&s->edit->rewrite->pool, number));
        return;
    }
    if (number == 0 || number == 1) {
        cf_op(s, number ? CF_OP_lconst_1 : CF_OP_lconst_0);
        return;
    }
    cf_push_int(s, (int32_t)number);
    cf_op(s, CF_OP_i2l);
}

static void push_double(const struct rule_weaving *w, struct cf_snippet *s, double number) {
    int64_t bits;
    if (fabs(number) < 1e9 && number == (int32_t)number && !(number == 0 && signbit(number))) {
        cf_push_int(s, (int32_t)number);
        cf_op(s, CF_OP_i2d);
        return;
    }
    memcpy(&bits, &number, sizeof bits);
    push_long(s, bits);
    rule_call_jdk(w, s, "java/lang/Double", "longBitsToDouble", "(J)D");
}

void rule_push_text(const struct rule_weaving *w, struct cf_snippet *s, const char *text) {
    cf_push_constant(s, cf_add_string(&w->cls->rewrite->pool, text, strlen(text)));
}

// --- values ---

enum rule_type rule_type_of_letter(char letter) {
    switch (letter) {
    case 'Z': return BOOLEAN;
    case 'C': return CHARACTER;
    case 'F':
    case 'D': return DOUBLE;
    case 'L':
    case '[': return OBJECT;
    default: return LONG;
    }
}

bool rule_is_whole(enum rule_type type) {
    return type == LONG || type == BOOLEAN || type == CHARACTER;
}

static bool find_own_field(const struct rule_weaving *w, const struct instr_rule_value *v,
                           struct cf_member *field) {
    struct cf_error error = {0};
    if (v->kind != RULE_FIELD || v->left->kind != RULE_THIS) return false;
    struct cf_walk fields = cf_walk_fields(w->edit->code.cls, &error);
    while (cf_next_field(&fields, field)) {
        struct cf_slice found = cf_member_name(w->edit->code.cls, field);
        if (cf_slice_is(found, v->text, strlen(v->text))) return true;
    }
    return false;
}

static char own_field_letter(const struct rule_weaving *w, const struct cf_member *field) {
    return (char)cf_member_descriptor(w->edit->code.cls, field).bytes[0];
}

const struct rule_parameter *rule_parameter_of(const struct rule_weaving *w,
                                               const struct instr_rule_value *v) {
    static const struct rule_parameter none = {'I', 0};
    if (v->number < w->parameter_count) return &w->parameters[v->number];
    rule_misuse(w, "rule: the method has no such parameter");
    return &none;
}

enum rule_type rule_type_of(const struct rule_weaving *w, const struct instr_rule_value *v,
                            const struct rule_moment *at) {
    struct cf_member field;
    switch (v->kind) {
    case RULE_INTEGER:
    case RULE_ELAPSED: return LONG;
    case RULE_REAL:
    case RULE_RANDOM: return DOUBLE;
    case RULE_PARAMETER: return rule_type_of_letter(rule_parameter_of(w, v)->type);
    case RULE_RESULT: return at->result ? rule_type_of_letter(*at->result_type) : UNKNOWN;
    case RULE_GETTER: return UNKNOWN;
    case RULE_FIELD:
        return find_own_field(w, v, &field) ? rule_type_of_letter(own_field_letter(w, &field))
                                            : UNKNOWN;
    case RULE_NEGATIVE: return rule_is_whole(rule_type_of(w, v->left, at)) ? LONG : DOUBLE;
    case RULE_PLUS:
    case RULE_MINUS:
    case RULE_TIMES:
    case RULE_REMAINDER:
        return rule_is_whole(rule_type_of(w, v->left, at)) &&
                       rule_is_whole(rule_type_of(w, v->right, at))
                   ? LONG
                   : DOUBLE;
    case RULE_DIVIDED: return DOUBLE;
    case RULE_BOOLEAN:
    case RULE_NOT:
    case RULE_MATCHES:
    case RULE_OR:
    case RULE_AND:
    case RULE_EQUAL:
    case RULE_NOT_EQUAL:
    case RULE_LESS:
    case RULE_AT_MOST:
    case RULE_MORE:
    case RULE_AT_LEAST: return BOOLEAN;
    default: return OBJECT;
    }
}

// Makes the wanted type of the one on the stack.
static void convert(const struct rule_weaving *w, struct cf_snippet *s, enum rule_type from,
                    enum rule_type to) {
    static const char *const boxes[] = {"(J)Ljava/lang/Object;", "(D)Ljava/lang/Object;",
                                        "(Z)Ljava/lang/Object;", "(C)Ljava/lang/Object;"};
    if (from == to || from == UNKNOWN) return;
    if (from == CHARACTER) {
        if (to == OBJECT) cf_op(s, CF_OP_l2i);
        if (to == OBJECT) rule_call(w, s, "box", boxes[from]);
        from = LONG;
        if (to == OBJECT || to == LONG) return;
    }
    if (from == OBJECT) {
        if (to == LONG) rule_call(w, s, "number", "(Ljava/lang/Object;)J");
        if (to == DOUBLE) rule_call(w, s, "real", "(Ljava/lang/Object;)D");
        if (to == BOOLEAN) rule_call(w, s, "truth", "(Ljava/lang/Object;)Z");
        return;
    }
    if (to == OBJECT) {
        rule_call(w, s, "box", boxes[from]);
        return;
    }
    if (from == BOOLEAN) cf_op(s, to == LONG ? CF_OP_i2l : CF_OP_i2d);
    if (from == LONG && to == DOUBLE) cf_op(s, CF_OP_l2d);
    if (from == DOUBLE && to == LONG) cf_op(s, CF_OP_d2l);
    if (to == BOOLEAN) {
        if (from == DOUBLE) cf_op(s, CF_OP_d2l);
        rule_call(w, s, "truth", "(J)Z");
    }
}

// An int or float that was loaded becomes a long or double.
static void widen(struct cf_snippet *s, char letter) {
    if (letter == 'F')
        cf_op(s, CF_OP_f2d);
    else if (strchr("BCSI", letter))
        cf_op(s, CF_OP_i2l);
}

void rule_push_this(const struct rule_weaving *w, const struct rule_moment *at) {
    if (at->has_this && w->self != UINT32_MAX)
        cf_local(at->s, CF_OP_aload, w->self);
    else
        cf_op(at->s, CF_OP_aconst_null);
}

static void push_own_field(const struct rule_weaving *w, const struct rule_moment *at,
                           const char *name, const struct cf_member *field) {
    const struct cf_class *cls = w->edit->code.cls;
    struct cf_slice owner = cf_this_name(cls), type = cf_member_descriptor(cls, field);
    bool is_static = field->access_flags & CF_ACC_STATIC;
    char *text = rule_allocate(w, owner.length + type.length + 2u);
    if (!text) return;
    snprintf(text, owner.length + 1u, "%.*s", (int)owner.length, (const char *)owner.bytes);
    char *descriptor = text + owner.length + 1;
    snprintf(descriptor, type.length + 1u, "%.*s", (int)type.length, (const char *)type.bytes);
    if (!is_static) rule_push_this(w, at);
    cf_op_constant(
        at->s, is_static ? CF_OP_getstatic : CF_OP_getfield,
        cf_add_reference(&w->cls->rewrite->pool, CF_TAG_FIELDREF, text, name, descriptor),
        !is_static, *descriptor == 'J' || *descriptor == 'D' ? 2 : 1);
    widen(at->s, *descriptor);
}

// A field or getter, in the type that is wanted.
static enum rule_type push_step(const struct rule_weaving *w, const struct instr_rule_value *v,
                                const struct rule_moment *at, enum rule_type wanted) {
    struct cf_member field;
    bool has_this = at->has_this && w->self != UINT32_MAX;
    if (find_own_field(w, v, &field) && (has_this || (field.access_flags & CF_ACC_STATIC))) {
        push_own_field(w, at, v->text, &field);
        return rule_type_of_letter(own_field_letter(w, &field));
    }
    rule_push(w, v->left, at, OBJECT);
    cf_push_int(at->s, (int32_t)v->place);
    if (v->kind == RULE_GETTER) {
        rule_call(w, at->s, "get", "(Ljava/lang/Object;I)Ljava/lang/Object;");
        return OBJECT;
    }
    if (wanted == LONG || wanted == DOUBLE) {
        rule_call(w, at->s, wanted == LONG ? "fieldLong" : "fieldDouble",
                  wanted == LONG ? "(Ljava/lang/Object;I)J" : "(Ljava/lang/Object;I)D");
        return wanted;
    }
    rule_call(w, at->s, "field", "(Ljava/lang/Object;I)Ljava/lang/Object;");
    return OBJECT;
}

static void push_method(const struct rule_weaving *w, struct cf_snippet *s) {
    const struct cf_class *cls = w->edit->code.cls;
    struct cf_slice owner = cf_this_name(cls), name = cf_member_name(cls, w->edit->method);
    size_t size = (size_t)owner.length + name.length + 2;
    char *text = rule_allocate(w, size);
    if (!text) return;
    snprintf(text, size, "%.*s.%.*s", (int)owner.length, (const char *)owner.bytes,
             (int)name.length, (const char *)name.bytes);
    for (uint32_t i = 0; i < owner.length; i++)
        if (text[i] == '/') text[i] = '.';
    rule_push_text(w, s, text);
}

static enum rule_type push_parameter(const struct rule_weaving *w, const struct instr_rule_value *v,
                                     const struct rule_moment *at) {
    const struct rule_parameter *parameter = rule_parameter_of(w, v);
    cf_local(at->s, cf_load_of(parameter->type), parameter->local);
    widen(at->s, parameter->type);
    return rule_type_of_letter(parameter->type);
}

static enum rule_type push_result(const struct rule_moment *at, enum rule_type wanted) {
    if (at->result) {
        cf_local(at->s, cf_load_of(*at->result_type), at->result);
        widen(at->s, *at->result_type);
        return rule_type_of_letter(*at->result_type);
    }
    // The method threw, or has none.
    cf_op(at->s, wanted == LONG      ? CF_OP_lconst_0
                 : wanted == DOUBLE  ? CF_OP_dconst_0
                 : wanted == BOOLEAN ? CF_OP_iconst_0
                                     : CF_OP_aconst_null);
    return wanted == UNKNOWN ? OBJECT : wanted;
}

static void push_elapsed(const struct rule_weaving *w, const struct rule_moment *at) {
    rule_call_jdk(w, at->s, "java/lang/System", "nanoTime", "()J");
    cf_local(at->s, CF_OP_lload, w->start);
    cf_op(at->s, CF_OP_lsub);
}

static enum rule_type push_arithmetic(const struct rule_weaving *w,
                                      const struct instr_rule_value *v,
                                      const struct rule_moment *at) {
    static const enum cf_opcode longs[] = {CF_OP_ladd, CF_OP_lsub, CF_OP_lmul};
    static const enum cf_opcode doubles[] = {CF_OP_dadd, CF_OP_dsub, CF_OP_dmul};
    enum rule_type type = rule_type_of(w, v, at);
    rule_push(w, v->left, at, type);
    if (v->kind == RULE_NEGATIVE) {
        cf_op(at->s, type == LONG ? CF_OP_lneg : CF_OP_dneg);
        return type;
    }
    rule_push(w, v->right, at, type);
    unsigned which = (unsigned)v->kind - RULE_PLUS;
    if (which < 3)
        cf_op(at->s, type == DOUBLE ? doubles[which] : longs[which]);
    else // by zero is 0
        rule_call(w, at->s, v->kind == RULE_DIVIDED ? "divide" : "remainder",
                  type == DOUBLE ? "(DD)D" : "(JJ)J");
    return type;
}

static enum rule_type push_truth(const struct rule_weaving *w, const struct instr_rule_value *v,
                                 const struct rule_moment *at) {
    uint32_t yes = cf_label(at->s), end = cf_label(at->s);
    rule_branch(w, v, at, true, yes);
    cf_op(at->s, CF_OP_iconst_0);
    cf_branch_to(at->s, CF_OP_goto, end);
    cf_place(at->s, yes);
    cf_op(at->s, CF_OP_iconst_1);
    cf_place(at->s, end);
    return BOOLEAN;
}

static enum rule_type push_natural(const struct rule_weaving *w, const struct instr_rule_value *v,
                                   const struct rule_moment *at, enum rule_type wanted) {
    struct cf_snippet *s = at->s;
    switch (v->kind) {
    case RULE_INTEGER: push_long(s, v->number); return LONG;
    case RULE_REAL: push_double(w, s, v->real); return DOUBLE;
    case RULE_TEXT: rule_push_text(w, s, v->text); return OBJECT;
    case RULE_BOOLEAN: cf_push_int(s, (int32_t)v->number); return BOOLEAN;
    case RULE_NULL: cf_op(s, CF_OP_aconst_null); return OBJECT;
    case RULE_PARAMETER: return push_parameter(w, v, at);
    case RULE_THIS: rule_push_this(w, at); return OBJECT;
    case RULE_RESULT: return push_result(at, wanted);
    case RULE_THROWN:
        if (at->thrown)
            cf_local(s, CF_OP_aload, at->thrown);
        else
            cf_op(s, CF_OP_aconst_null);
        return OBJECT;
    case RULE_ELAPSED: push_elapsed(w, at); return LONG;
    case RULE_METHOD: push_method(w, s); return OBJECT;
    case RULE_THREAD: rule_call(w, s, "thread", "()Ljava/lang/Object;"); return OBJECT;
    case RULE_RANDOM: rule_call(w, s, "random", "()D"); return DOUBLE;
    case RULE_STACK:
        cf_push_int(s, (int32_t)v->number);
        rule_call(w, s, "stack", "(I)Ljava/lang/Object;");
        return OBJECT;
    case RULE_FIELD:
    case RULE_GETTER: return push_step(w, v, at, wanted);
    case RULE_MATCHES:
        rule_push(w, v->left, at, OBJECT);
        cf_push_int(s, (int32_t)v->place);
        rule_call(w, s, "matches", "(Ljava/lang/Object;I)Z");
        return BOOLEAN;
    case RULE_NEGATIVE:
    case RULE_PLUS:
    case RULE_MINUS:
    case RULE_TIMES:
    case RULE_DIVIDED:
    case RULE_REMAINDER: return push_arithmetic(w, v, at);
    default: return push_truth(w, v, at);
    }
}

enum rule_type rule_push(const struct rule_weaving *w, const struct instr_rule_value *v,
                         const struct rule_moment *at, enum rule_type wanted) {
    convert(w, at->s, push_natural(w, v, at, wanted), wanted);
    return wanted;
}

// --- conditions ---

static bool is_equality(const struct instr_rule_value *v) {
    return v->kind == RULE_EQUAL || v->kind == RULE_NOT_EQUAL;
}

// Jumps for `left KIND right`, by the sign of a comparison, if it holds.
static enum cf_opcode jump_of(enum instr_rule_kind kind) {
    static const enum cf_opcode jumps[] = {CF_OP_ifeq, CF_OP_ifne, CF_OP_iflt,
                                           CF_OP_ifle, CF_OP_ifgt, CF_OP_ifge};
    return jumps[kind - RULE_EQUAL];
}

// With `sense` the opposite for doubles that are not numbers, whose comparisons are all false.
static void compare_numbers(const struct rule_weaving *w, const struct instr_rule_value *v,
                            const struct rule_moment *at, bool sense, uint32_t label) {
    enum rule_type a = rule_type_of(w, v->left, at), b = rule_type_of(w, v->right, at);
    bool whole = rule_is_whole(a) && rule_is_whole(b);
    rule_push(w, v->left, at, whole ? LONG : DOUBLE);
    rule_push(w, v->right, at, whole ? LONG : DOUBLE);
    bool less = v->kind == RULE_LESS || v->kind == RULE_AT_MOST;
    cf_op(at->s, whole ? CF_OP_lcmp : less ? CF_OP_dcmpg : CF_OP_dcmpl);
    enum cf_opcode jump = jump_of(v->kind);
    cf_branch_to(at->s, sense ? jump : (enum cf_opcode)cf_opposite(jump), label);
}

static void compare_null(const struct rule_weaving *w, const struct instr_rule_value *v,
                         const struct rule_moment *at, bool sense, uint32_t label) {
    rule_push(w, v->left->kind == RULE_NULL ? v->right : v->left, at, OBJECT);
    bool jumps_on_null = (v->kind == RULE_EQUAL) == sense;
    cf_branch_to(at->s, jumps_on_null ? CF_OP_ifnull : CF_OP_ifnonnull, label);
}

// A number that no other long becomes as a double.
static bool is_exact(const struct instr_rule_value *v) {
    return v->kind == RULE_INTEGER && v->number > -(INT64_C(1) << 53) &&
           v->number < INT64_C(1) << 53;
}

// Of a long and what has no type yet, which as a double would not be exact.
static void compare_long(const struct rule_weaving *w, const struct instr_rule_value *v,
                         const struct rule_moment *at, bool sense, uint32_t label) {
    bool left = rule_type_of(w, v->left, at) == LONG;
    rule_push(w, left ? v->right : v->left, at, OBJECT);
    rule_push(w, left ? v->left : v->right, at, LONG);
    rule_call(w, at->s, "equal", "(Ljava/lang/Object;J)Z");
    cf_branch_to(at->s, (v->kind == RULE_EQUAL) == sense ? CF_OP_ifne : CF_OP_ifeq, label);
}

static void compare(const struct rule_weaving *w, const struct instr_rule_value *v,
                    const struct rule_moment *at, bool sense, uint32_t label) {
    enum rule_type a = rule_type_of(w, v->left, at), b = rule_type_of(w, v->right, at);
    bool null = v->left->kind == RULE_NULL || v->right->kind == RULE_NULL;
    if (is_equality(v) && null) {
        compare_null(w, v, at, sense, label);
        return;
    }
    bool objects = a == OBJECT || b == OBJECT || (a == UNKNOWN && b == UNKNOWN);
    bool rounds = !is_exact(v->left) && !is_exact(v->right);
    if (is_equality(v) && rounds && ((a == LONG && b == UNKNOWN) || (a == UNKNOWN && b == LONG))) {
        compare_long(w, v, at, sense, label);
        return;
    }
    if (!is_equality(v) || !objects) {
        compare_numbers(w, v, at, sense, label);
        return;
    }
    rule_push(w, v->left, at, OBJECT);
    rule_push(w, v->right, at, OBJECT);
    rule_call(w, at->s, "equal", "(Ljava/lang/Object;Ljava/lang/Object;)Z");
    cf_branch_to(at->s, (v->kind == RULE_EQUAL) == sense ? CF_OP_ifne : CF_OP_ifeq, label);
}

// Jumps to the label if the value is `sense`.
void rule_branch(const struct rule_weaving *w, const struct instr_rule_value *v,
                 const struct rule_moment *at, bool sense, uint32_t label) {
    if (v->kind == RULE_NOT) {
        rule_branch(w, v->left, at, !sense, label);
    } else if (v->kind == RULE_AND || v->kind == RULE_OR) {
        bool shortcut = (v->kind == RULE_OR) == sense;
        uint32_t past = shortcut ? label : cf_label(at->s);
        rule_branch(w, v->left, at, v->kind == RULE_OR, past);
        rule_branch(w, v->right, at, sense, label);
        if (!shortcut) cf_place(at->s, past);
    } else if (v->kind >= RULE_EQUAL && v->kind <= RULE_AT_LEAST) {
        compare(w, v, at, sense, label);
    } else {
        rule_push(w, v, at, BOOLEAN);
        cf_branch_to(at->s, sense ? CF_OP_ifne : CF_OP_ifeq, label);
    }
}
