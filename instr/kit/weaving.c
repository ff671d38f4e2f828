#include "instr/kit/weaving.h"
#include "instr/kit/applied.h"
#include "instr/kit/bridge.h"
#include "instr/kit/fit.h"
#include "instr/kit/template.h"

#include <stdio.h>

enum { REASON_SIZE = 400, MOST_ARGUMENTS = 255 };

static unsigned kind_of(const char *type) {
    switch (*type) {
    case 'J': return 1;
    case 'F': return 2;
    case 'D': return 3;
    case 'L':
    case '[': return 4;
    default: return 0;
    }
}

void kit_load(struct cf_snippet *s, const char *type, uint32_t local) {
    cf_local(s, (enum cf_opcode)(CF_OP_iload + kind_of(type)), local);
}

void kit_store(struct cf_snippet *s, const char *type, uint32_t local) {
    cf_local(s, (enum cf_opcode)(CF_OP_istore + kind_of(type)), local);
}

void kit_push_zero(struct cf_snippet *s, const char *type) {
    static const enum cf_opcode zero[] = {CF_OP_iconst_0, CF_OP_lconst_0, CF_OP_fconst_0,
                                          CF_OP_dconst_0, CF_OP_aconst_null};
    cf_op(s, zero[kind_of(type)]);
}

struct cf_arena *kit_arena_of(const struct kit_weaving *w) {
    return w->edit->code.cls->arena;
}

const char *kit_copied(const struct kit_weaving *w, struct cf_slice text) {
    char *copy = cf_arena_alloc(kit_arena_of(w), (size_t)text.length + 1);
    if (!copy) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return "I";
    }
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return copy;
}

// A template for the package of the class.
const char *kit_expanded(const struct kit_weaving *w, const char *text) {
    size_t length = instr_kit_expand(text, w->package, NULL, 0);
    char *copy = cf_arena_alloc(kit_arena_of(w), length + 1);
    if (!copy) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return "()V";
    }
    instr_kit_expand(text, w->package, copy, length + 1);
    return copy;
}

// --- values ---

static void push_argument(struct cf_snippet *s, const struct kit_argument *a,
                          const struct kit_moment *at) {
    kit_load(s, a->type, at->at_entry ? a->local : a->copy);
}

struct box {
    const char *type, *name, *value; // descriptor, class, the method that takes it out
};

// NULL: the type is not primitive.
static const struct box *box_of(const char *type) {
    static const struct box boxes[] = {
        {"Z", "java/lang/Boolean", "booleanValue"}, {"B", "java/lang/Byte", "byteValue"},
        {"C", "java/lang/Character", "charValue"},  {"S", "java/lang/Short", "shortValue"},
        {"I", "java/lang/Integer", "intValue"},     {"J", "java/lang/Long", "longValue"},
        {"F", "java/lang/Float", "floatValue"},     {"D", "java/lang/Double", "doubleValue"}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (strcmp(type, boxes[i].type) == 0) return &boxes[i];
    return NULL;
}

static void unbox(const struct kit_weaving *w, struct cf_snippet *s, const struct box *box) {
    char descriptor[8];
    snprintf(descriptor, sizeof descriptor, "()%s", box->type);
    cf_op_constant(s, CF_OP_invokevirtual,
                   cf_add_reference(&w->cls->rewrite->pool, CF_TAG_METHODREF, box->name, box->value,
                                    descriptor),
                   1, *box->type == 'J' || *box->type == 'D' ? 2 : 1);
}

// The constant of the class that values of the type have, boxed.
uint16_t kit_class_of(const struct kit_weaving *w, const char *type) {
    const struct box *box = box_of(type);
    size_t length = strlen(type);
    struct cf_pool *pool = &w->cls->rewrite->pool;
    if (box) return cf_add_class(pool, box->name, strlen(box->name));
    return *type == '[' ? cf_add_class(pool, type, length)
                        : cf_add_class(pool, type + 1, length - 2);
}

// --- holders ---

// The kit's class of this name, behind InstrKit.
static const char *kit_class(const struct kit_weaving *w, const char *before, const char *name) {
    const struct instr_kit *kit = w->cls->pass->data;
    size_t size = strlen(before) + strlen(kit->package) + strlen(name) + 16;
    char *text = cf_arena_alloc(kit_arena_of(w), size);
    if (!text) cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    if (text) snprintf(text, size, "%s%sInstrKit%s", before, kit->package, name);
    return text ? text : "";
}

static void call_arguments(const struct kit_weaving *w, struct cf_snippet *s, const char *name,
                           const char *descriptor) {
    cf_call(s, cf_callee_new(w->cls->rewrite, kit_class(w, "", "Arguments"), name, descriptor));
}

static void box(const struct kit_weaving *w, struct cf_snippet *s, const char *type) {
    char descriptor[32];
    if (!box_of(type)) return;
    snprintf(descriptor, sizeof descriptor, "(%s)Ljava/lang/Object;", type);
    call_arguments(w, s, "box", descriptor);
}

// A holder with the argument in it, or null: there is no memory for it. One argument may have several parameters.
static void push_holder(const struct kit_weaving *w, struct cf_snippet *s, struct kit_argument *a) {
    if (!a->holder) {
        const char *type = kit_class(w, "L", "Holder;");
        char descriptor[KIT_NAME_SIZE];
        a->holder = kit_new_local(w, type);
        kit_load(s, a->type, a->local);
        box(w, s, a->type);
        snprintf(descriptor, sizeof descriptor, "(Ljava/lang/Object;)%s", type);
        call_arguments(w, s, "hold", descriptor);
        cf_local(s, CF_OP_astore, a->holder);
    }
    cf_local(s, CF_OP_aload, a->holder);
}

static uint16_t held_value(const struct kit_weaving *w) {
    return cf_add_reference(&w->cls->rewrite->pool, CF_TAG_FIELDREF, kit_class(w, "", "Holder"),
                            "value", "Ljava/lang/Object;");
}

static void push_held(const struct kit_weaving *w, struct cf_snippet *s,
                      const struct kit_argument *a) {
    cf_local(s, CF_OP_aload, a->holder);
    cf_op_constant(s, CF_OP_getfield, held_value(w), 1, 1);
}

void kit_push_wrong(const struct kit_weaving *w, struct cf_snippet *s) {
    cf_call(s, cf_callee_new(w->cls->rewrite, w->bridge, INSTR_KIT_WRONG, "(Ljava/lang/Object;)V"));
}

void kit_if_castable(const struct kit_weaving *w, struct cf_snippet *s, const char *type,
                     uint32_t value, uint32_t take) {
    if (!box_of(type)) {
        cf_local(s, CF_OP_aload, value);
        cf_branch_to(s, CF_OP_ifnull, take);
    }
    cf_local(s, CF_OP_aload, value);
    cf_op_constant(s, CF_OP_instanceof, kit_class_of(w, type), 1, 1);
    cf_branch_to(s, CF_OP_ifne, take);
}

void kit_push_cast(const struct kit_weaving *w, struct cf_snippet *s, const char *type,
                   uint32_t value) {
    cf_local(s, CF_OP_aload, value);
    cf_op_constant(s, CF_OP_checkcast, kit_class_of(w, type), 1, 1);
}

// The local `to` becomes the value that the advice gives. One of another type, which neither generics nor Object
// exclude, leaves it as it was and is reported, and so is null for a primitive value. What is no other value is not
// cast: the class might not be accessible from here.
static void take(const struct kit_weaving *w, struct cf_snippet *s, const char *type,
                 uint32_t value, uint32_t to) {
    const struct box *box = box_of(type);
    uint32_t fits = cf_label(s), out = cf_label(s);
    if (!box) {
        cf_local(s, CF_OP_aload, value);
        cf_local(s, CF_OP_aload, to);
        cf_branch_to(s, CF_OP_if_acmpeq, out);
    }
    kit_if_castable(w, s, type, value, fits);
    cf_local(s, CF_OP_aload, value);
    kit_push_wrong(w, s);
    cf_branch_to(s, CF_OP_goto, out);
    cf_place(s, fits);
    kit_push_cast(w, s, type, value);
    if (box) unbox(w, s, box);
    kit_store(s, type, to);
    if (!box) cf_type_at_label(s, out, to, kit_class_of(w, type));
    cf_place(s, out);
}

// The argument becomes what is in its holder.
static void take_held(const struct kit_weaving *w, struct cf_snippet *s,
                      const struct kit_argument *a) {
    uint32_t out = cf_label(s), value = kit_new_local(w, "Ljava/lang/Object;");
    cf_local(s, CF_OP_aload, a->holder);
    cf_branch_to(s, CF_OP_ifnull, out);
    push_held(w, s, a);
    cf_local(s, CF_OP_astore, value);
    take(w, s, a->type, value, a->local);
    if (!box_of(a->type)) cf_type_at_label(s, out, a->local, kit_class_of(w, a->type));
    cf_place(s, out);
}

void kit_push_array(const struct kit_weaving *w, struct cf_snippet *s, uint32_t length) {
    cf_push_int(s, (int32_t)length);
    call_arguments(w, s, "array", "(I)[Ljava/lang/Object;");
}

// All arguments in an array, or null: there is no memory for it.
static void push_all(const struct kit_weaving *w, struct cf_snippet *s,
                     const struct kit_moment *at) {
    kit_push_array(w, s, (uint32_t)w->argument_count);
    for (size_t i = 0; i < w->argument_count; i++) {
        cf_push_int(s, (int32_t)i);
        push_argument(s, &w->arguments[i], at);
        box(w, s, w->arguments[i].type);
        call_arguments(w, s, "put", "([Ljava/lang/Object;ILjava/lang/Object;)[Ljava/lang/Object;");
    }
}

// "com.acme.Shop.order(int,java.lang.String)"
static void push_method(const struct kit_weaving *w, struct cf_snippet *s) {
    char types[2048], *text;
    rw_watch_types(w->descriptor, types, sizeof types);
    size_t room = (size_t)w->owner.length + w->name.length + strlen(types) + 2;
    text = cf_arena_alloc(kit_arena_of(w), room);
    if (!text) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return;
    }
    snprintf(text, room, "%.*s.%.*s%s", (int)w->owner.length, (const char *)w->owner.bytes,
             (int)w->name.length, (const char *)w->name.bytes, types);
    for (uint32_t i = 0; i < w->owner.length; i++)
        if (text[i] == '/') text[i] = '.';
    cf_push_constant(s, cf_add_string(&w->cls->rewrite->pool, text, strlen(text)));
}

static bool find_field(const struct kit_weaving *w, const char *name, struct cf_member *field) {
    struct cf_error error = {0};
    struct cf_walk fields = cf_walk_fields(w->edit->code.cls, &error);
    while (cf_next_field(&fields, field)) {
        struct cf_slice found = cf_member_name(w->edit->code.cls, field);
        if (cf_slice_is(found, name, strlen(name))) return true;
    }
    return false;
}

static void push_this(const struct kit_weaving *w, struct cf_snippet *s,
                      const struct kit_moment *at) {
    if (at->has_this)
        cf_local(s, CF_OP_aload, at->at_entry ? w->self_at_entry : w->self);
    else
        cf_op(s, CF_OP_aconst_null);
}

// Before super() has returned there is no object: fields are 0 then.
static void push_field(const struct kit_weaving *w, struct cf_snippet *s, const char *name,
                       const struct kit_moment *at) {
    struct cf_member found;
    if (!find_field(w, name, &found)) {
        cf_fail(&w->edit->error, CF_MISUSE, 0, "the class has no such field", 0);
        return;
    }
    bool is_static = found.access_flags & CF_ACC_STATIC;
    const char *type = kit_copied(w, cf_member_descriptor(w->edit->code.cls, &found));
    if (!is_static && !at->has_this) {
        kit_push_zero(s, type);
        return;
    }
    if (!is_static) push_this(w, s, at);
    cf_op_constant(s, is_static ? CF_OP_getstatic : CF_OP_getfield,
                   cf_add_reference(&w->cls->rewrite->pool, CF_TAG_FIELDREF,
                                    kit_copied(w, w->owner), name, type),
                   !is_static, *type == 'J' || *type == 'D' ? 2 : 1);
}

static void push_value(const struct kit_weaving *w, struct cf_snippet *s,
                       const struct instr_kit_parameter *p, const struct kit_moment *at) {
    switch (p->value) {
    case INSTR_KIT_ARGUMENT:
        if (p->held)
            push_holder(w, s, &w->arguments[p->index]);
        else
            push_argument(s, &w->arguments[p->index], at);
        break;
    case INSTR_KIT_FIELD: push_field(w, s, p->field, at); break;
    case INSTR_KIT_METHOD: push_method(w, s); break;
    case INSTR_KIT_ALL: push_all(w, s, at); break;
    case INSTR_KIT_ENTERED: kit_load(s, p->type, w->entered); break;
    case INSTR_KIT_THIS: push_this(w, s, at); break;
    case INSTR_KIT_RESULT:
        if (at->has_result)
            kit_load(s, w->result, at->result);
        else
            kit_push_zero(s, w->result);
        break;
    case INSTR_KIT_THROWABLE:
        if (at->has_thrown)
            cf_local(s, CF_OP_aload, at->thrown);
        else
            cf_op(s, CF_OP_aconst_null);
        break;
    }
}

// Returns whether the advice has the method. Its result is on the stack.
bool kit_push_call(const struct kit_weaving *w, struct cf_snippet *s, enum instr_kit_role role,
                   const struct kit_moment *at) {
    const struct instr_kit_method *m = w->advice->methods[role];
    if (!m) return false;
    const char *descriptor = instr_kit_bridge_descriptor(m, kit_arena_of(w));
    if (!descriptor) cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    if (!descriptor) return true;
    if (instr_kit_keeps_result(m)) kit_load(s, w->result, at->result);
    if (m->outermost) cf_local(s, CF_OP_iload, w->mark);
    if (instr_kit_may_miss(m)) cf_local(s, CF_OP_aload, at->missed);
    for (size_t i = 0; i < m->parameter_count; i++) push_value(w, s, &m->parameters[i], at);
    cf_call(s, cf_callee_new(w->cls->rewrite, w->bridge, m->name, kit_expanded(w, descriptor)));
    return true;
}

static void call_nesting(const struct kit_weaving *w, struct cf_snippet *s, const char *name,
                         const char *descriptor) {
    const struct instr_kit *kit = w->cls->pass->data;
    bool woven = strcmp(kit->package, INSTR_KIT_WOVEN) == 0;
    char class_name[KIT_NAME_SIZE];
    snprintf(class_name, sizeof class_name, "%sInstrKitNesting",
             woven ? kit->package : w->cls->runtime_package);
    cf_call(s, cf_callee_new(w->cls->rewrite, class_name, name, descriptor));
}

// Under the agent the number is small, and needs no constant of its own, which are expensive in loaded classes.
static void push_nesting(const struct kit_weaving *w, struct cf_snippet *s) {
    uint64_t number = w->advice->nesting;
    if (number > INT16_MAX) {
        cf_push_constant(s, cf_add_long(&w->cls->rewrite->pool, (int64_t)number));
        return;
    }
    cf_push_int(s, (int32_t)number);
    cf_op(s, CF_OP_i2l);
}

// The thread is in no call of the advice any more, if this was the outermost.
static void push_leave(const struct kit_weaving *w, struct cf_snippet *s) {
    if (!w->advice->outermost) return;
    push_nesting(w, s);
    cf_local(s, CF_OP_iload, w->mark);
    call_nesting(w, s, "leave", "(JI)V");
}

// Counts the run, if runs are counted.
static void push_run(const struct kit_weaving *w, struct cf_snippet *s) {
    const struct instr_kit *kit = w->cls->pass->data;
    const struct cf_class *cls = w->edit->code.cls;
    char class_name[KIT_NAME_SIZE];
    int number = instr_kit_applied_number(kit->applied, (size_t)(w->advice - kit->advices),
                                          cf_this_name(cls), cf_member_name(cls, w->edit->method),
                                          cf_member_descriptor(cls, w->edit->method));
    if (number < 0) return;
    snprintf(class_name, sizeof class_name, "%sInstrKitRuns", w->cls->runtime_package);
    cf_push_int(s, number);
    if (w->advice->outermost)
        cf_local(s, CF_OP_iload, w->mark);
    else
        cf_op(s, CF_OP_iconst_1);
    cf_call(s, cf_callee_new(w->cls->rewrite, class_name, "ran", "(II)V"));
}

// Calls `enter` of an advice with outermost = true: what it throws ends the call.
static void push_outermost(const struct kit_weaving *w, struct cf_snippet *s,
                           const struct kit_moment *at) {
    uint32_t start = cf_label(s), end = cf_label(s), caught = cf_label(s), out = cf_label(s);
    push_nesting(w, s);
    call_nesting(w, s, "enter", "(J)I");
    cf_local(s, CF_OP_istore, w->mark);
    push_run(w, s);
    if (!w->advice->methods[INSTR_KIT_ENTER]) return;
    const char *result = w->advice->methods[INSTR_KIT_ENTER]->result;
    cf_handler(s, start, end, caught, 0);
    cf_place(s, start);
    kit_push_call(w, s, INSTR_KIT_ENTER, at);
    if (*result != 'V') kit_store(s, result, w->entered);
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, out);
    cf_place(s, caught);
    push_leave(w, s);
    cf_op(s, CF_OP_athrow);
    cf_place(s, out);
}

static bool has_this_at_entry(const struct kit_weaving *w) {
    return !w->is_static && (w->scratch || !w->edit->constructor);
}

void kit_push_enter(const struct kit_weaving *w, struct cf_snippet *s) {
    const struct instr_kit_method *method = w->advice->methods[INSTR_KIT_ENTER];
    struct kit_moment at = {.at_entry = true, .has_this = has_this_at_entry(w)};
    if (w->self != w->self_at_entry) {
        push_this(w, s, &at);
        cf_local(s, CF_OP_astore, w->self);
    }
    if (!w->advice->outermost) push_run(w, s);
    if (w->advice->outermost)
        push_outermost(w, s, &at);
    else if (kit_push_call(w, s, INSTR_KIT_ENTER, &at) && *method->result != 'V')
        kit_store(s, method->result, w->entered);
    for (size_t i = 0; i < w->argument_count; i++) {
        const struct kit_argument *a = &w->arguments[i];
        if (a->holder) take_held(w, s, a);
        if (!a->copy || a->copy == a->local) continue;
        kit_load(s, a->type, a->local);
        kit_store(s, a->type, a->copy);
    }
}

void kit_push_constructed(const struct kit_weaving *w, struct cf_snippet *s) {
    struct kit_moment at = {.has_this = true};
    kit_push_call(w, s, INSTR_KIT_CONSTRUCTED, &at);
}

uint32_t kit_push_skip(const struct kit_weaving *w, struct cf_snippet *s) {
    const struct instr_kit_method *method = w->advice->methods[INSTR_KIT_ENTER];
    if (!method || !method->skips) return UINT32_MAX;
    uint32_t go_on = cf_label(s);
    kit_load(s, method->result, w->entered);
    cf_branch_to(s, *method->result == 'Z' ? CF_OP_ifeq : CF_OP_ifnull, go_on);
    if (*w->result != 'V') kit_push_zero(s, w->result);
    return go_on;
}

bool kit_needs_cast(const struct kit_weaving *w, const char *made) {
    return strcmp(made, "Ljava/lang/Object;") == 0 && strcmp(w->result, made) != 0;
}

void kit_push_returned(const struct kit_weaving *w, struct cf_snippet *s) {
    const struct instr_kit_method *returned = w->advice->methods[INSTR_KIT_RETURNED];
    struct kit_moment at = {.has_this = !w->is_static, .has_result = *w->result != 'V'};
    if (at.has_result) {
        at.result = kit_new_local(w, w->result);
        kit_store(s, w->result, at.result);
    }
    push_leave(w, s);
    if (kit_push_call(w, s, INSTR_KIT_RETURNED, &at) && *returned->result != 'V') {
        bool cast = kit_needs_cast(w, returned->result);
        uint32_t given = cast ? kit_new_local(w, returned->result) : at.result;
        kit_store(s, returned->result, given);
        if (cast) take(w, s, w->result, given, at.result);
    }
    kit_push_call(w, s, INSTR_KIT_EXIT, &at);
    if (at.has_result) kit_load(s, w->result, at.result);
}

void kit_push_thrown(const struct kit_weaving *w, struct cf_snippet *s, bool has_this) {
    struct kit_moment at = {.has_this = has_this, .has_thrown = true};
    at.thrown = kit_new_local(w, "Ljava/lang/Throwable;");
    cf_local(s, CF_OP_astore, at.thrown);
    push_leave(w, s);
    kit_push_call(w, s, INSTR_KIT_THROWN, &at);
    kit_push_call(w, s, INSTR_KIT_EXIT, &at);
    cf_local(s, CF_OP_aload, at.thrown);
}

// --- which ---

bool kit_passes_later(const struct instr_kit_advice *advice, size_t index) {
    for (unsigned r = INSTR_KIT_CONSTRUCTED; r <= INSTR_KIT_EXIT; r++) {
        const struct instr_kit_method *m = advice->methods[r];
        for (size_t i = 0; m && i < m->parameter_count; i++)
            if (m->parameters[i].value == INSTR_KIT_ALL ||
                (m->parameters[i].value == INSTR_KIT_ARGUMENT && m->parameters[i].index == index))
                return true;
    }
    return false;
}

uint32_t kit_new_local(const struct kit_weaving *w, const char *type) {
    struct kit_scratch *scratch = w->scratch;
    if (!scratch) return cf_new_local(w->edit, type, 0);
    if (scratch->used == scratch->count) {
        uint32_t local = cf_new_local(w->edit, "J", 0);
        if (scratch->count++ == 0) scratch->first = local;
    }
    return scratch->first + 2 * scratch->used++;
}

static void list_arguments(struct kit_weaving *w) {
    const uint8_t *p = w->descriptor.bytes + 1, *end = w->descriptor.bytes + w->descriptor.length;
    w->arguments = cf_arena_zeroed(kit_arena_of(w), MOST_ARGUMENTS, sizeof *w->arguments);
    if (!w->arguments) cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    while (w->arguments && p < end && *p != ')' && w->argument_count < MOST_ARGUMENTS) {
        const uint8_t *next = cf_after_type(p, end);
        if (!next) break;
        w->arguments[w->argument_count++].type =
            kit_copied(w, (struct cf_slice){p, (uint32_t)(next - p)});
        p = next;
    }
    struct cf_slice result = cf_result_type(w->descriptor);
    w->result = result.length ? kit_copied(w, result) : "V";
}

void kit_note_applied(const struct instr_kit *kit, const struct instr_kit_advice *advice,
                      const struct cf_edit *edit) {
    const struct cf_class *cls = edit->code.cls;
    instr_kit_applied_add(kit->applied, (size_t)(advice - kit->advices), cf_this_name(cls),
                          cf_member_name(cls, edit->method),
                          cf_member_descriptor(cls, edit->method));
}

// Would boxing an argument call the method itself, and so without end?
static bool boxes_by_itself(const struct kit_weaving *w) {
    char type[64];
    bool boxes = false;
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++) {
        const struct instr_kit_method *m = w->advice->methods[r];
        for (size_t i = 0; m && i < m->parameter_count; i++)
            boxes = boxes || m->parameters[i].value == INSTR_KIT_ALL || m->parameters[i].held;
    }
    bool makes = CF_IS(w->name, "<init>") || CF_IS(w->name, "valueOf");
    if (!boxes || !makes || w->scratch || w->descriptor.length < 2) return false;
    snprintf(type, sizeof type, "%c", w->descriptor.bytes[1]);
    const struct box *box = box_of(type);
    return box && cf_slice_is(w->owner, box->name, strlen(box->name));
}

// Says why the advice is not called here.
static enum cf_status refuse(struct kit_weaving *w, const char *reason) {
    const struct instr_kit *kit = w->cls->pass->data;
    instr_kit_applied_refuse(kit->applied, (size_t)(w->advice - kit->advices), reason);
    struct cf_slice text = {(const uint8_t *)reason, (uint32_t)strlen(reason)};
    w->misfit = kit_copied(w, text);
    return w->edit->error.status;
}

enum cf_status kit_begin(struct kit_weaving *w) {
    char reason[REASON_SIZE];
    struct instr_kit_subject subject = {.name = w->name,
                                        .descriptor = w->descriptor,
                                        .is_static = w->is_static,
                                        .owner = w->owner,
                                        .cls = w->scratch ? NULL : w->edit->code.cls};
    const char *why = instr_kit_misfit(w->advice, &subject, reason, sizeof reason);
    if (why) return refuse(w, why);
    if (w->advice->rethrow_count && CF_IS(w->owner, "java/lang/Object") &&
        CF_IS(w->name, "<init>") && !w->scratch)
        return refuse(w, "rethrow needs exception handlers, with which HotSpot does not compile "
                         "the constructor of Object");
    if (boxes_by_itself(w))
        return refuse(w, "@AllArgs and Holder box its argument by a call of the method itself");
    if (instr_kit_bridge_name(w->advice, w->package, w->bridge, sizeof w->bridge) >=
        sizeof w->bridge)
        return refuse(w, "the name of its bridge is too long");
    list_arguments(w);
    return w->edit->error.status;
}
