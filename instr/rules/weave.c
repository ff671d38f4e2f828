// Rules as bytecode. At each place:
//
//      [rule; InstrRules.enter; ifeq end]      if it is guarded: it is off, or the thread is in a rule
//      condition, with jumps to `leave`
//      actions
//      leave: [rule; InstrRules.leave]
//      end:
//
// Methods of InstrRules swallow what they throw, so no handler is needed. Numbers are longs or doubles
// on the stack. What the method may change meanwhile, its parameters, is copied at the entry.

#include "instr/rules/weave.h"
#include "classfile/format/lines.h"
#include "rewriters/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of values on the stack: a CHARACTER is a long there. UNKNOWN: a field or getter, read as wanted.
enum type { LONG, DOUBLE, BOOLEAN, CHARACTER, OBJECT, UNKNOWN };

struct parameter {
    char type;      // the first letter of its descriptor
    uint32_t local; // where it is, or its copy
};

struct weaving {
    struct rw_class *cls;
    struct cf_edit *edit;
    const struct instr_rule *rule;
    struct parameter parameters[255];
    unsigned parameter_count;
    char result_type;
    const char *result; // its descriptor
    uint32_t self;      // local with `this`, null before super() has returned; UINT32_MAX: none
    uint32_t start;     // local with the time of the entry
};

// A place where the rule is put: what is known there.
struct moment {
    struct cf_snippet *s;
    bool has_this;
    uint32_t result, thrown; // locals; 0: none
    const char *result_type; // descriptor of the result here
};

enum { ENOUGH = 1024 };

static void misuse(const struct weaving *w, const char *reason) {
    cf_fail(&w->edit->error, CF_MISUSE, 0, reason, 0);
}

static char *allocate(const struct weaving *w, size_t size) {
    static char none[ENOUGH];
    char *memory = cf_arena_alloc(w->edit->code.cls->arena, size);
    if (memory) return memory;
    cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    return size <= sizeof none ? none : NULL;
}

// --- calls of the runtime ---

static void call(const struct weaving *w, struct cf_snippet *s, const char *name,
                 const char *descriptor) {
    char owner[128];
    snprintf(owner, sizeof owner, "%sInstrRules", w->cls->runtime_package);
    cf_call(s, cf_callee_new(w->cls->rewrite, owner, name, descriptor));
}

static void call_jdk(const struct weaving *w, struct cf_snippet *s, const char *owner,
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

static void push_double(const struct weaving *w, struct cf_snippet *s, double number) {
    int64_t bits;
    if (fabs(number) < 1e9 && number == (int32_t)number && !(number == 0 && signbit(number))) {
        cf_push_int(s, (int32_t)number);
        cf_op(s, CF_OP_i2d);
        return;
    }
    memcpy(&bits, &number, sizeof bits);
    push_long(s, bits);
    call_jdk(w, s, "java/lang/Double", "longBitsToDouble", "(J)D");
}

static void push_text(const struct weaving *w, struct cf_snippet *s, const char *text) {
    cf_push_constant(s, cf_add_string(&w->cls->rewrite->pool, text, strlen(text)));
}

// --- values ---

static enum type type_of_letter(char letter) {
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

static bool is_whole(enum type type) {
    return type == LONG || type == BOOLEAN || type == CHARACTER;
}

static bool find_own_field(const struct weaving *w, const struct instr_rule_value *v,
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

static char own_field_letter(const struct weaving *w, const struct cf_member *field) {
    return (char)cf_member_descriptor(w->edit->code.cls, field).bytes[0];
}

static const struct parameter *parameter_of(const struct weaving *w,
                                            const struct instr_rule_value *v) {
    static const struct parameter none = {'I', 0};
    if (v->number < w->parameter_count) return &w->parameters[v->number];
    misuse(w, "rule: the method has no such parameter");
    return &none;
}

static enum type type_of(const struct weaving *w, const struct instr_rule_value *v,
                         const struct moment *at) {
    struct cf_member field;
    switch (v->kind) {
    case RULE_INTEGER:
    case RULE_ELAPSED: return LONG;
    case RULE_REAL:
    case RULE_RANDOM: return DOUBLE;
    case RULE_PARAMETER: return type_of_letter(parameter_of(w, v)->type);
    case RULE_RESULT: return at->result ? type_of_letter(*at->result_type) : UNKNOWN;
    case RULE_GETTER: return UNKNOWN;
    case RULE_FIELD:
        return find_own_field(w, v, &field) ? type_of_letter(own_field_letter(w, &field)) : UNKNOWN;
    case RULE_NEGATIVE: return is_whole(type_of(w, v->left, at)) ? LONG : DOUBLE;
    case RULE_PLUS:
    case RULE_MINUS:
    case RULE_TIMES:
    case RULE_REMAINDER:
        return is_whole(type_of(w, v->left, at)) && is_whole(type_of(w, v->right, at)) ? LONG
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
static void convert(const struct weaving *w, struct cf_snippet *s, enum type from, enum type to) {
    static const char *const boxes[] = {"(J)Ljava/lang/Object;", "(D)Ljava/lang/Object;",
                                        "(Z)Ljava/lang/Object;", "(C)Ljava/lang/Object;"};
    if (from == to || from == UNKNOWN) return;
    if (from == CHARACTER) {
        if (to == OBJECT) cf_op(s, CF_OP_l2i);
        if (to == OBJECT) call(w, s, "box", boxes[from]);
        from = LONG;
        if (to == OBJECT || to == LONG) return;
    }
    if (from == OBJECT) {
        if (to == LONG) call(w, s, "number", "(Ljava/lang/Object;)J");
        if (to == DOUBLE) call(w, s, "real", "(Ljava/lang/Object;)D");
        if (to == BOOLEAN) call(w, s, "truth", "(Ljava/lang/Object;)Z");
        return;
    }
    if (to == OBJECT) {
        call(w, s, "box", boxes[from]);
        return;
    }
    if (from == BOOLEAN) cf_op(s, to == LONG ? CF_OP_i2l : CF_OP_i2d);
    if (from == LONG && to == DOUBLE) cf_op(s, CF_OP_l2d);
    if (from == DOUBLE && to == LONG) cf_op(s, CF_OP_d2l);
    if (to == BOOLEAN) {
        if (from == DOUBLE) cf_op(s, CF_OP_d2l);
        call(w, s, "truth", "(J)Z");
    }
}

static enum cf_opcode load_of(char letter) {
    switch (letter) {
    case 'J': return CF_OP_lload;
    case 'F': return CF_OP_fload;
    case 'D': return CF_OP_dload;
    case 'L':
    case '[': return CF_OP_aload;
    default: return CF_OP_iload;
    }
}

static enum cf_opcode store_of(char letter) {
    return (enum cf_opcode)(load_of(letter) + CF_OP_istore - CF_OP_iload);
}

// An int or float that was loaded becomes a long or double.
static void widen(struct cf_snippet *s, char letter) {
    if (letter == 'F')
        cf_op(s, CF_OP_f2d);
    else if (strchr("BCSI", letter))
        cf_op(s, CF_OP_i2l);
}

static enum type push(const struct weaving *w, const struct instr_rule_value *v,
                      const struct moment *at, enum type wanted);

static void push_this(const struct weaving *w, const struct moment *at) {
    if (at->has_this && w->self != UINT32_MAX)
        cf_local(at->s, CF_OP_aload, w->self);
    else
        cf_op(at->s, CF_OP_aconst_null);
}

static void push_own_field(const struct weaving *w, const struct moment *at, const char *name,
                           const struct cf_member *field) {
    const struct cf_class *cls = w->edit->code.cls;
    struct cf_slice owner = cf_this_name(cls), type = cf_member_descriptor(cls, field);
    bool is_static = field->access_flags & CF_ACC_STATIC;
    char *text = allocate(w, owner.length + type.length + 2u);
    if (!text) return;
    snprintf(text, owner.length + 1u, "%.*s", (int)owner.length, (const char *)owner.bytes);
    char *descriptor = text + owner.length + 1;
    snprintf(descriptor, type.length + 1u, "%.*s", (int)type.length, (const char *)type.bytes);
    if (!is_static) push_this(w, at);
    cf_op_constant(
        at->s, is_static ? CF_OP_getstatic : CF_OP_getfield,
        cf_add_reference(&w->cls->rewrite->pool, CF_TAG_FIELDREF, text, name, descriptor),
        !is_static, *descriptor == 'J' || *descriptor == 'D' ? 2 : 1);
    widen(at->s, *descriptor);
}

// A field or getter, in the type that is wanted.
static enum type push_step(const struct weaving *w, const struct instr_rule_value *v,
                           const struct moment *at, enum type wanted) {
    struct cf_member field;
    bool has_this = at->has_this && w->self != UINT32_MAX;
    if (find_own_field(w, v, &field) && (has_this || (field.access_flags & CF_ACC_STATIC))) {
        push_own_field(w, at, v->text, &field);
        return type_of_letter(own_field_letter(w, &field));
    }
    push(w, v->left, at, OBJECT);
    cf_push_int(at->s, (int32_t)v->place);
    if (v->kind == RULE_GETTER) {
        call(w, at->s, "get", "(Ljava/lang/Object;I)Ljava/lang/Object;");
        return OBJECT;
    }
    if (wanted == LONG || wanted == DOUBLE) {
        call(w, at->s, wanted == LONG ? "fieldLong" : "fieldDouble",
             wanted == LONG ? "(Ljava/lang/Object;I)J" : "(Ljava/lang/Object;I)D");
        return wanted;
    }
    call(w, at->s, "field", "(Ljava/lang/Object;I)Ljava/lang/Object;");
    return OBJECT;
}

static void push_method(const struct weaving *w, struct cf_snippet *s) {
    const struct cf_class *cls = w->edit->code.cls;
    struct cf_slice owner = cf_this_name(cls), name = cf_member_name(cls, w->edit->method);
    size_t size = (size_t)owner.length + name.length + 2;
    char *text = allocate(w, size);
    if (!text) return;
    snprintf(text, size, "%.*s.%.*s", (int)owner.length, (const char *)owner.bytes,
             (int)name.length, (const char *)name.bytes);
    for (uint32_t i = 0; i < owner.length; i++)
        if (text[i] == '/') text[i] = '.';
    push_text(w, s, text);
}

static enum type push_parameter(const struct weaving *w, const struct instr_rule_value *v,
                                const struct moment *at) {
    const struct parameter *parameter = parameter_of(w, v);
    cf_local(at->s, load_of(parameter->type), parameter->local);
    widen(at->s, parameter->type);
    return type_of_letter(parameter->type);
}

static enum type push_result(const struct moment *at, enum type wanted) {
    if (at->result) {
        cf_local(at->s, load_of(*at->result_type), at->result);
        widen(at->s, *at->result_type);
        return type_of_letter(*at->result_type);
    }
    // The method threw, or has none.
    cf_op(at->s, wanted == LONG      ? CF_OP_lconst_0
                 : wanted == DOUBLE  ? CF_OP_dconst_0
                 : wanted == BOOLEAN ? CF_OP_iconst_0
                                     : CF_OP_aconst_null);
    return wanted == UNKNOWN ? OBJECT : wanted;
}

static void push_elapsed(const struct weaving *w, const struct moment *at) {
    call_jdk(w, at->s, "java/lang/System", "nanoTime", "()J");
    cf_local(at->s, CF_OP_lload, w->start);
    cf_op(at->s, CF_OP_lsub);
}

static enum type push_arithmetic(const struct weaving *w, const struct instr_rule_value *v,
                                 const struct moment *at) {
    static const enum cf_opcode longs[] = {CF_OP_ladd, CF_OP_lsub, CF_OP_lmul};
    static const enum cf_opcode doubles[] = {CF_OP_dadd, CF_OP_dsub, CF_OP_dmul};
    enum type type = type_of(w, v, at);
    push(w, v->left, at, type);
    if (v->kind == RULE_NEGATIVE) {
        cf_op(at->s, type == LONG ? CF_OP_lneg : CF_OP_dneg);
        return type;
    }
    push(w, v->right, at, type);
    unsigned which = (unsigned)v->kind - RULE_PLUS;
    if (which < 3)
        cf_op(at->s, type == DOUBLE ? doubles[which] : longs[which]);
    else // by zero is 0
        call(w, at->s, v->kind == RULE_DIVIDED ? "divide" : "remainder",
             type == DOUBLE ? "(DD)D" : "(JJ)J");
    return type;
}

static void branch(const struct weaving *w, const struct instr_rule_value *v,
                   const struct moment *at, bool sense, uint32_t label);

static enum type push_truth(const struct weaving *w, const struct instr_rule_value *v,
                            const struct moment *at) {
    uint32_t yes = cf_label(at->s), end = cf_label(at->s);
    branch(w, v, at, true, yes);
    cf_op(at->s, CF_OP_iconst_0);
    cf_branch_to(at->s, CF_OP_goto, end);
    cf_place(at->s, yes);
    cf_op(at->s, CF_OP_iconst_1);
    cf_place(at->s, end);
    return BOOLEAN;
}

static enum type push_natural(const struct weaving *w, const struct instr_rule_value *v,
                              const struct moment *at, enum type wanted) {
    struct cf_snippet *s = at->s;
    switch (v->kind) {
    case RULE_INTEGER: push_long(s, v->number); return LONG;
    case RULE_REAL: push_double(w, s, v->real); return DOUBLE;
    case RULE_TEXT: push_text(w, s, v->text); return OBJECT;
    case RULE_BOOLEAN: cf_push_int(s, (int32_t)v->number); return BOOLEAN;
    case RULE_NULL: cf_op(s, CF_OP_aconst_null); return OBJECT;
    case RULE_PARAMETER: return push_parameter(w, v, at);
    case RULE_THIS: push_this(w, at); return OBJECT;
    case RULE_RESULT: return push_result(at, wanted);
    case RULE_THROWN:
        if (at->thrown)
            cf_local(s, CF_OP_aload, at->thrown);
        else
            cf_op(s, CF_OP_aconst_null);
        return OBJECT;
    case RULE_ELAPSED: push_elapsed(w, at); return LONG;
    case RULE_METHOD: push_method(w, s); return OBJECT;
    case RULE_THREAD: call(w, s, "thread", "()Ljava/lang/Object;"); return OBJECT;
    case RULE_TRACE: call(w, s, "trace", "()Ljava/lang/Object;"); return OBJECT;
    case RULE_RANDOM: call(w, s, "random", "()D"); return DOUBLE;
    case RULE_STACK:
        cf_push_int(s, (int32_t)v->number);
        call(w, s, "stack", "(I)Ljava/lang/Object;");
        return OBJECT;
    case RULE_FIELD:
    case RULE_GETTER: return push_step(w, v, at, wanted);
    case RULE_MATCHES:
        push(w, v->left, at, OBJECT);
        cf_push_int(s, (int32_t)v->place);
        call(w, s, "matches", "(Ljava/lang/Object;I)Z");
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

static enum type push(const struct weaving *w, const struct instr_rule_value *v,
                      const struct moment *at, enum type wanted) {
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
static void compare_numbers(const struct weaving *w, const struct instr_rule_value *v,
                            const struct moment *at, bool sense, uint32_t label) {
    enum type a = type_of(w, v->left, at), b = type_of(w, v->right, at);
    bool whole = is_whole(a) && is_whole(b);
    push(w, v->left, at, whole ? LONG : DOUBLE);
    push(w, v->right, at, whole ? LONG : DOUBLE);
    bool less = v->kind == RULE_LESS || v->kind == RULE_AT_MOST;
    cf_op(at->s, whole ? CF_OP_lcmp : less ? CF_OP_dcmpg : CF_OP_dcmpl);
    enum cf_opcode jump = jump_of(v->kind);
    cf_branch_to(at->s, sense ? jump : (enum cf_opcode)cf_opposite(jump), label);
}

static void compare_null(const struct weaving *w, const struct instr_rule_value *v,
                         const struct moment *at, bool sense, uint32_t label) {
    push(w, v->left->kind == RULE_NULL ? v->right : v->left, at, OBJECT);
    bool jumps_on_null = (v->kind == RULE_EQUAL) == sense;
    cf_branch_to(at->s, jumps_on_null ? CF_OP_ifnull : CF_OP_ifnonnull, label);
}

// A number that no other long becomes as a double.
static bool is_exact(const struct instr_rule_value *v) {
    return v->kind == RULE_INTEGER && v->number > -(INT64_C(1) << 53) &&
           v->number < INT64_C(1) << 53;
}

// Of a long and what has no type yet, which as a double would not be exact.
static void compare_long(const struct weaving *w, const struct instr_rule_value *v,
                         const struct moment *at, bool sense, uint32_t label) {
    bool left = type_of(w, v->left, at) == LONG;
    push(w, left ? v->right : v->left, at, OBJECT);
    push(w, left ? v->left : v->right, at, LONG);
    call(w, at->s, "equal", "(Ljava/lang/Object;J)Z");
    cf_branch_to(at->s, (v->kind == RULE_EQUAL) == sense ? CF_OP_ifne : CF_OP_ifeq, label);
}

static void compare(const struct weaving *w, const struct instr_rule_value *v,
                    const struct moment *at, bool sense, uint32_t label) {
    enum type a = type_of(w, v->left, at), b = type_of(w, v->right, at);
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
    push(w, v->left, at, OBJECT);
    push(w, v->right, at, OBJECT);
    call(w, at->s, "equal", "(Ljava/lang/Object;Ljava/lang/Object;)Z");
    cf_branch_to(at->s, (v->kind == RULE_EQUAL) == sense ? CF_OP_ifne : CF_OP_ifeq, label);
}

// Jumps to the label if the value is `sense`.
static void branch(const struct weaving *w, const struct instr_rule_value *v,
                   const struct moment *at, bool sense, uint32_t label) {
    if (v->kind == RULE_NOT) {
        branch(w, v->left, at, !sense, label);
    } else if (v->kind == RULE_AND || v->kind == RULE_OR) {
        bool shortcut = (v->kind == RULE_OR) == sense;
        uint32_t past = shortcut ? label : cf_label(at->s);
        branch(w, v->left, at, v->kind == RULE_OR, past);
        branch(w, v->right, at, sense, label);
        if (!shortcut) cf_place(at->s, past);
    } else if (v->kind >= RULE_EQUAL && v->kind <= RULE_AT_LEAST) {
        compare(w, v, at, sense, label);
    } else {
        push(w, v, at, BOOLEAN);
        cf_branch_to(at->s, sense ? CF_OP_ifne : CF_OP_ifeq, label);
    }
}

// --- actions ---

static void push_keys(const struct weaving *w, const struct instr_rule_action *action,
                      const struct moment *at) {
    static const char *const makers[] = {
        "", "", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"};
    for (unsigned i = 0; i < action->key_count; i++) push(w, action->keys[i], at, OBJECT);
    if (action->key_count > 1) call(w, at->s, "key", makers[action->key_count]);
}

// Counts as the pass calls does: for a number of this method.
static void count_here(const struct weaving *w, const struct instr_rule_table *table,
                       const struct moment *at) {
    char owner[128];
    struct cf_slice detail = {(const uint8_t *)table->name, (uint32_t)strlen(table->name)};
    int id;
    if (rw_site_id(w->cls, w->edit, 0, detail, &id) != CF_OK) return;
    snprintf(owner, sizeof owner, "%sInstrCalls", w->cls->runtime_package);
    cf_push_int(at->s, id);
    call_jdk(w, at->s, owner, "enter", "(I)V");
}

static void reduce(const struct weaving *w, const struct instr_rule_action *action,
                   const struct moment *at) {
    const struct instr_rule_table *table = &w->rule->tables[action->table];
    char descriptor[64];
    if (table->reduction == INSTR_RULE_COUNT && !table->keys) {
        count_here(w, table, at);
        return;
    }
    cf_push_int(at->s, (int32_t)table->number);
    push_keys(w, action, at);
    const char *key = action->key_count ? "Ljava/lang/Object;" : "", *value = "";
    if (action->value) {
        enum type type = type_of(w, action->value, at);
        bool whole = is_whole(type);
        push(w, action->value, at, whole ? LONG : DOUBLE);
        value = whole ? "J" : "D";
    }
    snprintf(descriptor, sizeof descriptor, "(I%s%s)V", key, value);
    call(w, at->s, action->value ? "add" : "count", descriptor);
}

static void enter(const struct weaving *w, const struct moment *at, uint32_t otherwise) {
    if (!w->rule->guarded) return;
    cf_push_int(at->s, (int32_t)w->rule->number);
    call(w, at->s, "enter", "(I)Z");
    cf_branch_to(at->s, CF_OP_ifeq, otherwise);
}

static void leave(const struct weaving *w, const struct moment *at) {
    if (!w->rule->guarded) return;
    cf_push_int(at->s, (int32_t)w->rule->number);
    call(w, at->s, "leave", "(I)V");
}

static void throw_made(const struct weaving *w, const struct instr_rule_action *action,
                       const struct moment *at) {
    uint32_t none = cf_label(at->s);
    push_text(w, at->s, action->class_name);
    if (action->value)
        push(w, action->value, at, OBJECT);
    else
        cf_op(at->s, CF_OP_aconst_null);
    push_this(w, at);
    call(w, at->s, "make",
         "(Ljava/lang/String;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Throwable;");
    cf_op(at->s, CF_OP_dup);
    cf_branch_to(at->s, CF_OP_ifnull, none);
    leave(w, at);
    cf_op(at->s, CF_OP_athrow);
    cf_place(at->s, none);
    cf_op(at->s, CF_OP_pop);
}

static const char *copied(const struct weaving *w, struct cf_slice text) {
    char *copy = allocate(w, text.length + 1u);
    if (!copy) return "I";
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return copy;
}

// The descriptor of a parameter, as a local has it.
static const char *parameter_type(const struct weaving *w, unsigned index) {
    struct cf_slice d = cf_member_descriptor(w->edit->code.cls, w->edit->method);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    for (unsigned i = 0; i < index && p; i++) p = cf_after_type(p, end);
    const uint8_t *next = p ? cf_after_type(p, end) : NULL;
    return next ? copied(w, (struct cf_slice){p, (uint32_t)(next - p)}) : "I";
}

// Narrows a long or double to what a local of this type holds.
static void narrow(struct cf_snippet *s, char letter) {
    static const struct {
        char letter;
        enum cf_opcode op;
    } second[] = {{'B', CF_OP_i2b}, {'C', CF_OP_i2c}, {'S', CF_OP_i2s}};
    if (letter == 'F') cf_op(s, CF_OP_d2f);
    if (strchr("BCSI", letter)) cf_op(s, CF_OP_l2i);
    for (size_t i = 0; i < 3; i++)
        if (letter == second[i].letter) cf_op(s, second[i].op);
}

// Is the parameter of this type, or anything where that is Object?
static bool is_of_type(const struct weaving *w, const struct instr_rule_value *v,
                       const char *descriptor) {
    return strcmp(descriptor, "Ljava/lang/Object;") == 0 ||
           strcmp(descriptor, parameter_type(w, (unsigned)v->number)) == 0;
}

// Pushes what a local or result of this descriptor can hold without a cast, which could fail.
static void push_assigned(const struct weaving *w, const struct instr_rule_value *v,
                          const struct moment *at, const char *descriptor) {
    char letter = *descriptor;
    enum type type = letter == 'C' ? LONG : type_of_letter(letter);
    bool text = strcmp(descriptor, "Ljava/lang/String;") == 0 ||
                strcmp(descriptor, "Ljava/lang/Object;") == 0;
    if (type != OBJECT) {
        push(w, v, at, type);
        narrow(at->s, letter);
    } else if (v->kind == RULE_NULL || (v->kind == RULE_TEXT && text) ||
               (v->kind == RULE_PARAMETER && is_of_type(w, v, descriptor))) {
        push(w, v, at, OBJECT);
    } else {
        misuse(w,
               "rule: an object can be null, a parameter of the same type, or a text where it is "
               "a String");
    }
}

static void set(const struct weaving *w, const struct instr_rule_action *action,
                const struct moment *at) {
    bool is_result = action->target->kind == RULE_RESULT;
    if (is_result && !at->result) return; // the method threw, or has none
    const char *type =
        is_result ? at->result_type : parameter_type(w, (unsigned)action->target->number);
    uint32_t local = is_result ? at->result : parameter_of(w, action->target)->local;
    push_assigned(w, action->value, at, type);
    cf_local(at->s, store_of(*type), local);
}

// Pushes a value as `instr watch` shows it: a float is not a double.
static void push_shown(const struct weaving *w, const struct instr_rule_value *v,
                       const struct moment *at) {
    bool is_float = v->kind == RULE_PARAMETER
                        ? parameter_of(w, v)->type == 'F'
                        : v->kind == RULE_RESULT && at->result && *at->result_type == 'F';
    if (!is_float) {
        push(w, v, at, OBJECT);
        return;
    }
    push(w, v, at, DOUBLE);
    cf_op(at->s, CF_OP_d2f);
    call(w, at->s, "box", "(F)Ljava/lang/Object;");
}

// The values, or all arguments and the result, then how the call ended.
static void print(const struct weaving *w, const struct instr_rule_action *action,
                  const struct moment *at) {
    static const struct instr_rule_value result = {.kind = RULE_RESULT},
                                         thrown = {.kind = RULE_THROWN},
                                         elapsed = {.kind = RULE_ELAPSED};
    struct cf_slice detail = {(const uint8_t *)w->cls->pass->name,
                              (uint32_t)strlen(w->cls->pass->name)};
    bool all = !action->key_count;
    unsigned count = all ? w->parameter_count : action->key_count;
    int id;
    if (rw_site_id(w->cls, w->edit, 0, detail, &id) != CF_OK) return;
    push(w, &elapsed, at, LONG);
    cf_push_int(at->s, (int32_t)count);
    call(w, at->s, "values", "(I)Ljava/lang/Object;");
    for (unsigned i = 0; i < count; i++) {
        struct instr_rule_value parameter = {.kind = RULE_PARAMETER, .number = i};
        cf_op(at->s, CF_OP_dup);
        cf_push_int(at->s, (int32_t)i);
        push_shown(w, all ? &parameter : action->keys[i], at);
        call(w, at->s, "value", "(Ljava/lang/Object;ILjava/lang/Object;)V");
    }
    cf_push_int(at->s, all && at->result);
    push_shown(w, all && at->result ? &result : &thrown, at);
    cf_push_int(at->s, id);
    call(w, at->s, "print", "(JLjava/lang/Object;ZLjava/lang/Object;I)V");
}

static void act(const struct weaving *w, const struct instr_rule_action *action,
                const struct moment *at) {
    switch (action->does) {
    case RULE_REDUCES: reduce(w, action, at); break;
    case RULE_DELAYS:
        push(w, action->value, at, LONG);
        call(w, at->s, "delay", "(J)V");
        break;
    case RULE_THROWS: throw_made(w, action, at); break;
    case RULE_RETURNS: break; // see put_at_entry
    case RULE_SETS: set(w, action, at); break;
    case RULE_PRINTS: print(w, action, at); break;
    }
}

static void put(const struct weaving *w, const struct moment *at) {
    const struct instr_rule *rule = w->rule;
    uint32_t past = cf_label(at->s), end = cf_label(at->s);
    enter(w, at, end);
    if (rule->condition) branch(w, rule->condition, at, false, past);
    for (const struct instr_rule_action *a = rule->actions; a; a = a->next) act(w, a, at);
    cf_place(at->s, past);
    leave(w, at);
    cf_place(at->s, end);
}

// --- places ---

static const struct instr_rule_action *find_return(const struct instr_rule *rule) {
    const struct instr_rule_action *a = rule->actions;
    while (a && a->does != RULE_RETURNS) a = a->next;
    return a;
}

// Ends with the result, where the editor goes on with the exits of the passes that have entered.
static void put_return(const struct weaving *w, const struct instr_rule_action *returns,
                       const struct moment *at) {
    uint32_t go_on = cf_label(at->s), yes = cf_label(at->s);
    enter(w, at, go_on);
    cf_op(at->s, CF_OP_iconst_0);
    cf_branch_to(at->s, CF_OP_ifne, go_on); // never, but the method must be reached for verifiers
    if (w->rule->condition) {
        branch(w, w->rule->condition, at, true, yes);
        leave(w, at);
        cf_branch_to(at->s, CF_OP_goto, go_on);
        cf_place(at->s, yes);
    }
    for (const struct instr_rule_action *a = w->rule->actions; a != returns; a = a->next)
        act(w, a, at);
    static const struct instr_rule_value null = {.kind = RULE_NULL}, zero = {.kind = RULE_INTEGER};
    const struct instr_rule_value *nothing = strchr("L[", w->result_type) ? &null : &zero;
    if (w->result_type != 'V')
        push_assigned(w, returns->value ? returns->value : nothing, at, w->result);
    leave(w, at);
    cf_insert_early_return(w->edit, at->s, go_on);
}

static void put_at_entry(struct weaving *w) {
    struct moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
    const struct instr_rule_action *returns = find_return(w->rule);
    if (returns) {
        put_return(w, returns, &at);
        return;
    }
    put(w, &at);
    cf_insert_entry(w->edit, at.s);
}

static void put_at_exits(struct weaving *w) {
    struct moment at = {.s = cf_snippet_new(w->edit), .has_this = true};
    bool keeps = w->rule->uses_result && w->result_type != 'V';
    if (!w->edit->code.returns_count) return;
    at.result_type = w->result;
    if (keeps) {
        at.result = cf_new_local(w->edit, w->result, 0);
        cf_local(at.s, store_of(w->result_type), at.result);
    }
    put(w, &at);
    if (keeps) cf_local(at.s, load_of(w->result_type), at.result);
    cf_insert_exits(w->edit, at.s);
}

static const struct cf_snippet *thrown(struct weaving *w, bool early) {
    struct moment at = {.s = cf_snippet_new(w->edit), .has_this = !early};
    bool keeps = w->rule->uses_thrown;
    if (keeps) {
        at.thrown = cf_new_local(w->edit, "Ljava/lang/Throwable;", 0);
        cf_local(at.s, CF_OP_astore, at.thrown);
    }
    put(w, &at);
    if (keeps) cf_local(at.s, CF_OP_aload, at.thrown);
    return at.s;
}

static void put_at_throws(struct weaving *w) {
    cf_insert_thrown(w->edit, thrown(w, false));
    if (w->edit->constructor) cf_insert_thrown_early(w->edit, thrown(w, true));
}

static void set_time(const struct weaving *w, struct cf_snippet *s, bool now) {
    if (now)
        call_jdk(w, s, "java/lang/System", "nanoTime", "()J");
    else
        cf_op(s, CF_OP_lconst_0);
    cf_local(s, CF_OP_lstore, w->start);
}

static void put_after_call(struct weaving *w, uint32_t i, const char *result) {
    struct moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
    bool keeps = w->rule->uses_result && *result != 'V';
    at.result_type = result;
    if (keeps) {
        at.result = cf_new_local(w->edit, result, 0);
        cf_local(at.s, store_of(*result), at.result);
    }
    put(w, &at);
    if (keeps) cf_local(at.s, load_of(*result), at.result);
    if (w->rule->timed) {
        struct cf_snippet *before = cf_snippet_new(w->edit);
        set_time(w, before, true);
        cf_insert_before(w->edit, i, before);
    }
    cf_insert_after(w->edit, i, at.s);
}

static void put_at_call(struct weaving *w, uint32_t i, struct cf_slice descriptor) {
    if (w->rule->uses_result || w->rule->timed) {
        const char *text = copied(w, descriptor), *end = strchr(text, ')');
        put_after_call(w, i, end ? end + 1 : "V");
        return;
    }
    struct moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
    put(w, &at);
    cf_insert_before(w->edit, i, at.s);
}

// False: there is none.
static bool put_at_calls(struct weaving *w) {
    const struct cf_code *code = &w->edit->code;
    struct cf_slice owner, name, descriptor;
    bool any = false;
    for (uint32_t i = 0; i < code->count; i++) {
        unsigned op = code->bytes[code->pc[i]];
        if (op < CF_OP_invokevirtual || op > CF_OP_invokeinterface) continue;
        if (!cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &owner, &name,
                          &descriptor) ||
            !owner.bytes || CF_IS(name, "<init>"))
            continue;
        if (!rw_watch_class_matches(w->rule->called.class_name, owner) ||
            !rw_watch_method_matches(&w->rule->called, name, descriptor))
            continue;
        put_at_call(w, i, descriptor);
        any = true;
    }
    return any;
}

// False: the method has no code there.
static bool put_at_line(struct weaving *w) {
    const struct cf_code *code = &w->edit->code;
    const uint16_t *lines = cf_lines(code);
    bool any = false;
    for (uint32_t i = 0; lines && i < code->count; i++) {
        bool begins = lines[code->pc[i]] == w->rule->line &&
                      (i == 0 || lines[code->pc[i - 1]] != w->rule->line);
        if (!begins) continue;
        struct moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
        put(w, &at);
        cf_insert_before(w->edit, i, at.s);
        any = true;
    }
    return any;
}

// --- the method ---

static bool is_used(const struct instr_rule *rule, unsigned parameter) {
    return rule->uses[parameter / 64] >> parameter % 64 & 1;
}

static void list_parameters(struct weaving *w, bool is_static) {
    struct cf_slice d = cf_member_descriptor(w->edit->code.cls, w->edit->method);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    uint32_t local = !is_static;
    while (p && p < end && *p != ')' && w->parameter_count < 255) {
        w->parameters[w->parameter_count++] = (struct parameter){(char)*p, local};
        local += *p == 'J' || *p == 'D' ? 2 : 1;
        p = cf_after_type(p, end);
    }
    w->result = p && p < end && *p == ')'
                    ? copied(w, (struct cf_slice){p + 1, (uint32_t)(end - p - 1)})
                    : "V";
    w->result_type = *w->result;
}

// A copy of `this`, which verifiers know in handlers, too.
static void keep_this(struct weaving *w, struct cf_snippet *s) {
    struct cf_slice name = cf_this_name(w->edit->code.cls);
    if (!w->rule->uses_this || w->self == UINT32_MAX) return;
    char *type = allocate(w, (size_t)name.length + 3);
    if (!type) return;
    snprintf(type, (size_t)name.length + 3, "L%.*s;", (int)name.length, (const char *)name.bytes);
    w->self = cf_new_local(w->edit, type, 1);
    if (w->edit->constructor)
        cf_op(s, CF_OP_aconst_null);
    else
        cf_local(s, CF_OP_aload, 0);
    cf_local(s, CF_OP_astore, w->self);
    if (!w->edit->constructor) return;
    struct cf_snippet *constructed = cf_snippet_new(w->edit);
    cf_local(constructed, CF_OP_aload, 0);
    cf_local(constructed, CF_OP_astore, w->self);
    cf_insert_constructed(w->edit, constructed);
}

// Copies what is used behind the entry, and reads the clock.
static void keep_at_entry(struct weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    for (unsigned i = 0; i < w->parameter_count; i++) {
        struct parameter *parameter = &w->parameters[i];
        if (!is_used(w->rule, i)) continue;
        uint32_t copy = cf_new_local(w->edit, parameter_type(w, i), 1);
        cf_local(s, load_of(parameter->type), parameter->local);
        cf_local(s, store_of(parameter->type), copy);
        parameter->local = copy;
    }
    keep_this(w, s);
    if (w->rule->timed) {
        w->start = cf_new_local(w->edit, "J", 1);
        set_time(w, s, w->rule->at != INSTR_RULE_CALL);
    }
    cf_insert_entry(w->edit, s);
}

static enum cf_status put_all(struct weaving *w, bool *any) {
    enum instr_rule_at at = w->rule->at;
    *any = true;
    CF_TRY(cf_edit_constructor(w->edit));
    if (at != INSTR_RULE_ENTRY) keep_at_entry(w);
    switch (at) {
    case INSTR_RULE_ENTRY: put_at_entry(w); break;
    case INSTR_RULE_RETURN: put_at_exits(w); break;
    case INSTR_RULE_THROW: put_at_throws(w); break;
    case INSTR_RULE_EXIT:
        put_at_exits(w);
        put_at_throws(w);
        break;
    case INSTR_RULE_CALL: *any = put_at_calls(w); break;
    case INSTR_RULE_LINE: *any = put_at_line(w); break;
    }
    return w->edit->error.status;
}

static bool is_class_of_rule(const struct rw_class *cls, const struct instr_rule *rule,
                             struct cf_slice name) {
    const struct rw_supertypes *above = rule->subtypes ? cls->service(cls, "supertypes") : NULL;
    return instr_match(rule->classes, (const char *)name.bytes, name.length) ||
           (above && instr_match_any(rule->classes, above->names, above->count));
}

enum cf_status instr_rule_weave(struct rw_class *cls, struct cf_edit *edit) {
    const struct cf_class *c = edit->code.cls;
    struct cf_slice owner = cf_this_name(c), name = cf_member_name(c, edit->method);
    const struct instr_rule *rule = instr_rule_of(cls->pass);
    if (rw_leave_alone(edit) || !owner.bytes || !is_class_of_rule(cls, rule, owner) ||
        !rw_watch_method_matches(&rule->target, name, cf_member_descriptor(c, edit->method)))
        return CF_OK;
    bool is_static = edit->method->access_flags & CF_ACC_STATIC;
    struct weaving *w = cf_arena_zeroed(c->arena, 1, sizeof *w);
    if (!w) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    *w = (struct weaving){
        .cls = cls, .edit = edit, .rule = rule, .self = is_static ? UINT32_MAX : 0};
    list_parameters(w, is_static);
    bool any;
    CF_TRY(put_all(w, &any));
    if (any) __atomic_store_n(rule->woven, 1, __ATOMIC_RELAXED);
    return CF_OK;
}
