#include "instr/kit/weave.h"
#include "instr/kit/bridge.h"
#include "instr/kit/fit.h"
#include "instr/kit/template.h"
#include "rewriters/common.h"

#include <stdio.h>

#define HOLDER "java/lang/InstrKitHolder"

enum { NAME_SIZE = 1024, REASON_SIZE = 400, MOST_ARGUMENTS = 255, MOST_ADVICES = 64 };

const char *instr_kit_not_woven(const struct instr_kit_advice *advice) {
    if (advice->calls) return "advice of calls does not run yet";
    if (advice->outermost) return "outermost = true does not run yet";
    if (advice->loader) return "a choice of loaders does not run yet";
    if (advice->required) return "required = true does not run yet";
    for (size_t i = 0; i < advice->target_count; i++)
        if (advice->targets[i].subtypes) return "a pattern with + does not run yet: name the class";
    return NULL;
}

size_t instr_kit_package(struct cf_slice name, char *package, size_t size) {
    size_t length = name.length;
    while (length && name.bytes[length - 1] != '/') length--;
    if (size) snprintf(package, size, "%.*s", (int)length, (const char *)name.bytes);
    return length;
}

// --- an advice at a method ---

struct argument {
    const char *type; // descriptor
    uint32_t local;
    uint32_t copy;   // local with the value at the entry; 0: it is not passed later
    uint32_t holder; // local with its holder, during `enter`; 0: none
};

struct weaving {
    struct rw_class *cls;
    struct cf_edit *edit;
    const struct instr_kit_advice *advice;
    const char *package;
    char bridge[NAME_SIZE];
    struct argument *arguments; // push_holder changes them
    size_t argument_count;
    const char *result; // descriptor of the method's result
    uint32_t entered;   // local with what `enter` returned
    uint32_t self;      // local with `this`, null before super() has returned; 0: not passed later
    bool is_static;
};

// Where a snippet is: what there is to pass.
struct moment {
    bool at_entry, has_this, has_result, has_thrown;
    uint32_t result, thrown; // locals
};

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

static void load(struct cf_snippet *s, const char *type, uint32_t local) {
    cf_local(s, (enum cf_opcode)(CF_OP_iload + kind_of(type)), local);
}

static void store(struct cf_snippet *s, const char *type, uint32_t local) {
    cf_local(s, (enum cf_opcode)(CF_OP_istore + kind_of(type)), local);
}

static void push_zero(struct cf_snippet *s, const char *type) {
    static const enum cf_opcode zero[] = {CF_OP_iconst_0, CF_OP_lconst_0, CF_OP_fconst_0,
                                          CF_OP_dconst_0, CF_OP_aconst_null};
    cf_op(s, zero[kind_of(type)]);
}

static struct cf_arena *arena_of(const struct weaving *w) {
    return w->edit->code.cls->arena;
}

static const char *copied(const struct weaving *w, struct cf_slice text) {
    char *copy = cf_arena_alloc(arena_of(w), (size_t)text.length + 1);
    if (!copy) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return "I";
    }
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return copy;
}

// A template for the package of the class.
static const char *expanded(const struct weaving *w, const char *text) {
    size_t length = instr_kit_expand(text, w->package, NULL, 0);
    char *copy = cf_arena_alloc(arena_of(w), length + 1);
    if (!copy) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return "()V";
    }
    instr_kit_expand(text, w->package, copy, length + 1);
    return copy;
}

// --- values ---

static struct cf_slice this_name(const struct weaving *w) {
    return cf_this_name(w->edit->code.cls);
}

static void push_argument(struct cf_snippet *s, const struct argument *a, const struct moment *at) {
    load(s, a->type, at->at_entry ? a->local : a->copy);
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

static void box(const struct weaving *w, struct cf_snippet *s, const char *type) {
    const struct box *box = box_of(type);
    char descriptor[48];
    if (!box) return;
    snprintf(descriptor, sizeof descriptor, "(%s)L%s;", type, box->name);
    cf_call(s, cf_callee_new(w->cls->rewrite, box->name, "valueOf", descriptor));
}

static void unbox(const struct weaving *w, struct cf_snippet *s, const struct box *box) {
    char descriptor[8];
    snprintf(descriptor, sizeof descriptor, "()%s", box->type);
    cf_op_constant(s, CF_OP_invokevirtual,
                   cf_add_reference(&w->cls->rewrite->pool, CF_TAG_METHODREF, box->name, box->value,
                                    descriptor),
                   1, *box->type == 'J' || *box->type == 'D' ? 2 : 1);
}

// The constant of the class that values of the type have, boxed.
static uint16_t class_of(const struct weaving *w, const char *type) {
    const struct box *box = box_of(type);
    size_t length = strlen(type);
    struct cf_pool *pool = &w->cls->rewrite->pool;
    if (box) return cf_add_class(pool, box->name, strlen(box->name));
    return *type == '[' ? cf_add_class(pool, type, length)
                        : cf_add_class(pool, type + 1, length - 2);
}

// --- holders ---

// A holder with the argument in it; one argument may have several parameters.
static void push_holder(const struct weaving *w, struct cf_snippet *s, struct argument *a) {
    struct cf_pool *pool = &w->cls->rewrite->pool;
    if (!a->holder) {
        a->holder = cf_new_local(w->edit, "L" HOLDER ";", 0);
        cf_op_constant(s, CF_OP_new, cf_add_class(pool, HOLDER, strlen(HOLDER)), 0, 1);
        cf_op(s, CF_OP_dup);
        load(s, a->type, a->local);
        box(w, s, a->type);
        cf_op_constant(
            s, CF_OP_invokespecial,
            cf_add_reference(pool, CF_TAG_METHODREF, HOLDER, "<init>", "(Ljava/lang/Object;)V"), 2,
            0);
        cf_local(s, CF_OP_astore, a->holder);
    }
    cf_local(s, CF_OP_aload, a->holder);
}

static uint16_t held_value(const struct weaving *w) {
    return cf_add_reference(&w->cls->rewrite->pool, CF_TAG_FIELDREF, HOLDER, "value",
                            "Ljava/lang/Object;");
}

static void push_held(const struct weaving *w, struct cf_snippet *s, const struct argument *a) {
    cf_local(s, CF_OP_aload, a->holder);
    cf_op_constant(s, CF_OP_getfield, held_value(w), 1, 1);
}

// The argument becomes what is in its holder. A value of another type, which generics do not exclude, leaves it as it
// was, and so does null for a primitive one. At the label, locals have the same types on both ways.
static void take_held(const struct weaving *w, struct cf_snippet *s, const struct argument *a) {
    const struct box *box_of_it = box_of(a->type);
    uint32_t take = cf_label(s);
    if (!box_of_it) {
        push_held(w, s, a);
        cf_branch_to(s, CF_OP_ifnull, take);
    }
    push_held(w, s, a);
    cf_op_constant(s, CF_OP_instanceof, class_of(w, a->type), 1, 1);
    cf_branch_to(s, CF_OP_ifne, take);
    cf_local(s, CF_OP_aload, a->holder);
    load(s, a->type, a->local);
    box(w, s, a->type);
    cf_op_constant(s, CF_OP_putfield, held_value(w), 2, 0);
    cf_place(s, take);
    push_held(w, s, a);
    cf_op_constant(s, CF_OP_checkcast, class_of(w, a->type), 1, 1);
    if (box_of_it) unbox(w, s, box_of_it);
    store(s, a->type, a->local);
}

static void push_all(const struct weaving *w, struct cf_snippet *s, const struct moment *at) {
    cf_push_int(s, (int32_t)w->argument_count);
    cf_op_constant(s, CF_OP_anewarray, cf_add_class(&w->cls->rewrite->pool, "java/lang/Object", 16),
                   1, 1);
    for (size_t i = 0; i < w->argument_count; i++) {
        cf_op(s, CF_OP_dup);
        cf_push_int(s, (int32_t)i);
        push_argument(s, &w->arguments[i], at);
        box(w, s, w->arguments[i].type);
        cf_op(s, CF_OP_aastore);
    }
}

// "com.acme.Shop.order(int,java.lang.String)"
static void push_method(const struct weaving *w, struct cf_snippet *s) {
    const struct cf_class *cls = w->edit->code.cls;
    struct cf_slice name = cf_member_name(cls, w->edit->method), owner = this_name(w);
    char types[2048], *text;
    rw_watch_types(cf_member_descriptor(cls, w->edit->method), types, sizeof types);
    size_t room = (size_t)owner.length + name.length + strlen(types) + 2;
    text = cf_arena_alloc(arena_of(w), room);
    if (!text) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return;
    }
    snprintf(text, room, "%.*s.%.*s%s", (int)owner.length, (const char *)owner.bytes,
             (int)name.length, (const char *)name.bytes, types);
    for (uint32_t i = 0; i < owner.length; i++)
        if (text[i] == '/') text[i] = '.';
    cf_push_constant(s, cf_add_string(&w->cls->rewrite->pool, text, strlen(text)));
}

static bool find_field(const struct weaving *w, const char *name, struct cf_member *field) {
    struct cf_error error = {0};
    struct cf_walk fields = cf_walk_fields(w->edit->code.cls, &error);
    while (cf_next_field(&fields, field)) {
        struct cf_slice found = cf_member_name(w->edit->code.cls, field);
        if (cf_slice_is(found, name, strlen(name))) return true;
    }
    return false;
}

static void push_this(const struct weaving *w, struct cf_snippet *s, const struct moment *at) {
    if (at->has_this)
        cf_local(s, CF_OP_aload, at->at_entry ? 0 : w->self);
    else
        cf_op(s, CF_OP_aconst_null);
}

// Before super() has returned there is no object: fields are 0 then.
static void push_field(const struct weaving *w, struct cf_snippet *s, const char *name,
                       const struct moment *at) {
    struct cf_member found;
    if (!find_field(w, name, &found)) {
        cf_fail(&w->edit->error, CF_MISUSE, 0, "the class has no such field", 0);
        return;
    }
    bool is_static = found.access_flags & CF_ACC_STATIC;
    const char *type = copied(w, cf_member_descriptor(w->edit->code.cls, &found));
    if (!is_static && !at->has_this) {
        push_zero(s, type);
        return;
    }
    if (!is_static) push_this(w, s, at);
    cf_op_constant(s, is_static ? CF_OP_getstatic : CF_OP_getfield,
                   cf_add_reference(&w->cls->rewrite->pool, CF_TAG_FIELDREF,
                                    copied(w, this_name(w)), name, type),
                   !is_static, *type == 'J' || *type == 'D' ? 2 : 1);
}

static void push_value(const struct weaving *w, struct cf_snippet *s,
                       const struct instr_kit_parameter *p, const struct moment *at) {
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
    case INSTR_KIT_ENTERED: load(s, p->type, w->entered); break;
    case INSTR_KIT_THIS: push_this(w, s, at); break;
    case INSTR_KIT_RESULT:
        if (at->has_result)
            load(s, w->result, at->result);
        else
            push_zero(s, w->result);
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
static bool call(const struct weaving *w, struct cf_snippet *s, enum instr_kit_role role,
                 const struct moment *at) {
    const struct instr_kit_method *m = w->advice->methods[role];
    if (!m) return false;
    for (size_t i = 0; i < m->parameter_count; i++) push_value(w, s, &m->parameters[i], at);
    cf_call(s, cf_callee_new(w->cls->rewrite, w->bridge, m->name, expanded(w, m->descriptor)));
    return true;
}

// --- places ---

// Calls `enter`, and stores what is passed later.
static void enter(const struct weaving *w, struct cf_snippet *s) {
    const struct instr_kit_method *method = w->advice->methods[INSTR_KIT_ENTER];
    struct moment at = {.at_entry = true, .has_this = !w->is_static && !w->edit->constructor};
    if (w->self) {
        push_this(w, s, &at);
        cf_local(s, CF_OP_astore, w->self);
    }
    if (call(w, s, INSTR_KIT_ENTER, &at) && *method->result != 'V')
        store(s, method->result, w->entered);
    for (size_t i = 0; i < w->argument_count; i++) {
        const struct argument *a = &w->arguments[i];
        if (a->holder) take_held(w, s, a);
        if (!a->copy) continue;
        load(s, a->type, a->local);
        store(s, a->type, a->copy);
    }
}

static void insert_entry(const struct weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    const struct instr_kit_method *method = w->advice->methods[INSTR_KIT_ENTER];
    enter(w, s);
    if (!method || !method->skips) {
        cf_insert_entry(w->edit, s);
        return;
    }
    uint32_t go_on = cf_label(s);
    load(s, method->result, w->entered);
    cf_branch_to(s, *method->result == 'Z' ? CF_OP_ifeq : CF_OP_ifnull, go_on);
    if (*w->result != 'V') push_zero(s, w->result);
    cf_insert_early_return(w->edit, s, go_on);
}

// A result that the advice has as Object becomes what the method returns.
static void store_result(const struct weaving *w, struct cf_snippet *s, uint32_t local) {
    const char *made = w->advice->methods[INSTR_KIT_RETURNED]->result;
    if (*made == 'V') return;
    if (strcmp(made, "Ljava/lang/Object;") == 0 && strcmp(w->result, made) != 0)
        cf_op_constant(s, CF_OP_checkcast, class_of(w, w->result), 1, 1);
    store(s, w->result, local);
}

static const struct cf_snippet *constructed(const struct weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    cf_local(s, CF_OP_aload, 0);
    cf_local(s, CF_OP_astore, w->self);
    return s;
}

static const struct cf_snippet *returned(const struct weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    struct moment at = {.has_this = !w->is_static, .has_result = *w->result != 'V'};
    if (at.has_result) {
        at.result = cf_new_local(w->edit, w->result, 0);
        store(s, w->result, at.result);
    }
    if (call(w, s, INSTR_KIT_RETURNED, &at)) store_result(w, s, at.result);
    call(w, s, INSTR_KIT_EXIT, &at);
    if (at.has_result) load(s, w->result, at.result);
    return s;
}

static const struct cf_snippet *thrown(const struct weaving *w, bool early) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    struct moment at = {.has_this = !w->is_static && !early, .has_thrown = true};
    at.thrown = cf_new_local(w->edit, "Ljava/lang/Throwable;", 0);
    cf_local(s, CF_OP_astore, at.thrown);
    call(w, s, INSTR_KIT_THROWN, &at);
    call(w, s, INSTR_KIT_EXIT, &at);
    cf_local(s, CF_OP_aload, at.thrown);
    return s;
}

// --- which ---

static const char *this_misfit(const struct weaving *w, char *reason, size_t size) {
    struct cf_slice name = this_name(w);
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++) {
        const struct instr_kit_method *m = w->advice->methods[r];
        for (size_t i = 0; m && i < m->parameter_count; i++) {
            const char *type = m->parameters[i].type;
            if (m->parameters[i].value != INSTR_KIT_THIS ||
                strcmp(type, "Ljava/lang/Object;") == 0 ||
                (strlen(type) == (size_t)name.length + 2 &&
                 memcmp(type + 1, name.bytes, name.length) == 0))
                continue;
            snprintf(reason, size, "%s:%u: %s: parameter %u: @This is of another class: use Object",
                     m->source.file, m->source.line, m->name, (unsigned)i + 1);
            return reason;
        }
    }
    return NULL;
}

static bool is_target(const struct instr_kit_advice *advice, const struct cf_class *cls,
                      const struct cf_member *method) {
    struct cf_slice owner = cf_this_name(cls), name = cf_member_name(cls, method);
    for (size_t i = 0; i < advice->target_count; i++)
        if (instr_kit_names_class(&advice->targets[i], (const char *)owner.bytes, owner.length) &&
            instr_kit_names_method(&advice->targets[i], name, cf_member_descriptor(cls, method)))
            return instr_kit_annotated(advice, cls, method);
    return false;
}

// Bridges call these before they know that the thread is in the advice already.
static bool is_called_by_bridges(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_slice name = cf_member_name(cls, method);
    return CF_IS(cf_this_name(cls), "java/lang/Thread") &&
           (CF_IS(name, "getId") || CF_IS(name, "threadId") || CF_IS(name, "currentThread"));
}

static bool is_passed_later(const struct instr_kit_advice *advice, size_t index) {
    for (unsigned r = INSTR_KIT_RETURNED; r <= INSTR_KIT_EXIT; r++) {
        const struct instr_kit_method *m = advice->methods[r];
        for (size_t i = 0; m && i < m->parameter_count; i++)
            if (m->parameters[i].value == INSTR_KIT_ALL ||
                (m->parameters[i].value == INSTR_KIT_ARGUMENT && m->parameters[i].index == index))
                return true;
    }
    return false;
}

static bool needs_self(const struct weaving *w) {
    for (unsigned r = INSTR_KIT_RETURNED; r <= INSTR_KIT_EXIT && !w->is_static; r++) {
        const struct instr_kit_method *m = w->advice->methods[r];
        for (size_t i = 0; m && i < m->parameter_count; i++)
            if (m->parameters[i].value == INSTR_KIT_THIS ||
                m->parameters[i].value == INSTR_KIT_FIELD)
                return true;
    }
    return false;
}

static uint32_t new_self(const struct weaving *w) {
    struct cf_slice name = this_name(w);
    char *type = cf_arena_alloc(arena_of(w), (size_t)name.length + 3);
    if (!type) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return 0;
    }
    snprintf(type, (size_t)name.length + 3, "L%.*s;", (int)name.length, (const char *)name.bytes);
    return cf_new_local(w->edit, type, 1);
}

static void list_arguments(struct weaving *w) {
    struct cf_slice d = cf_member_descriptor(w->edit->code.cls, w->edit->method);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    uint32_t local = !w->is_static;
    w->arguments = cf_arena_alloc(arena_of(w), MOST_ARGUMENTS * sizeof *w->arguments);
    if (!w->arguments) cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    while (w->arguments && p < end && *p != ')') {
        const uint8_t *next = cf_after_type(p, end);
        if (!next || w->argument_count == MOST_ARGUMENTS) break;
        struct argument *a = &w->arguments[w->argument_count];
        *a = (struct argument){copied(w, (struct cf_slice){p, (uint32_t)(next - p)}), local, 0, 0};
        if (is_passed_later(w->advice, w->argument_count++))
            a->copy = cf_new_local(w->edit, a->type, 1);
        local += *p == 'J' || *p == 'D' ? 2 : 1;
        p = next;
    }
    w->result =
        p < end && *p == ')' ? copied(w, (struct cf_slice){p + 1, (uint32_t)(end - p - 1)}) : "V";
}

// Says why the advice is not called here, as a method that is skipped.
static enum cf_status refuse(const struct weaving *w, const char *reason) {
    return cf_fail(&w->edit->error, CF_UNSUPPORTED, 0,
                   copied(w, (struct cf_slice){(const uint8_t *)reason, (uint32_t)strlen(reason)}),
                   0);
}

static enum cf_status begin(struct weaving *w) {
    const struct cf_class *cls = w->edit->code.cls;
    const struct cf_member *method = w->edit->method;
    char reason[REASON_SIZE];
    struct instr_kit_subject subject = {.name = cf_member_name(cls, method),
                                        .descriptor = cf_member_descriptor(cls, method),
                                        .is_static = w->is_static,
                                        .cls = cls};
    const char *why = instr_kit_misfit(w->advice, &subject, reason, sizeof reason);
    if (!why) why = this_misfit(w, reason, sizeof reason);
    if (why) return refuse(w, why);
    const struct instr_kit_method *enter = w->advice->methods[INSTR_KIT_ENTER];
    if (instr_kit_bridge_name(w->advice, w->package, w->bridge, sizeof w->bridge) >=
        sizeof w->bridge)
        return refuse(w, "the name of its bridge is too long");
    list_arguments(w);
    if (needs_self(w)) w->self = new_self(w);
    if (enter && *enter->result != 'V')
        w->entered = cf_new_local(w->edit, expanded(w, enter->result), 1);
    return w->edit->error.status;
}

static void insert(const struct weaving *w) {
    const struct instr_kit_advice *advice = w->advice;
    insert_entry(w);
    if (advice->methods[INSTR_KIT_EXIT] || advice->methods[INSTR_KIT_RETURNED])
        cf_insert_exits(w->edit, returned(w));
    if (w->self && w->edit->constructor) cf_insert_constructed(w->edit, constructed(w));
    if (!advice->methods[INSTR_KIT_EXIT] && !advice->methods[INSTR_KIT_THROWN]) return;
    cf_insert_thrown(w->edit, thrown(w, false));
    if (w->edit->constructor) cf_insert_thrown_early(w->edit, thrown(w, true));
}

enum cf_status instr_kit_weave(struct rw_class *cls, struct cf_edit *edit) {
    const struct instr_kit *kit = cls->pass->data;
    struct weaving at[MOST_ADVICES];
    char package[NAME_SIZE];
    size_t count = 0;
    if (rw_leave_alone(edit) || is_called_by_bridges(edit->code.cls, edit->method)) return CF_OK;
    if (instr_kit_package(cf_this_name(edit->code.cls), package, sizeof package) >= sizeof package)
        return CF_OK;
    for (size_t i = 0; i < kit->advice_count && count < MOST_ADVICES; i++) {
        if (!is_target(&kit->advices[i], edit->code.cls, edit->method)) continue;
        at[count++] = (struct weaving){.cls = cls,
                                       .edit = edit,
                                       .advice = &kit->advices[i],
                                       .package = package,
                                       .is_static = edit->method->access_flags & CF_ACC_STATIC};
    }
    if (count) CF_TRY(cf_edit_constructor(edit));
    // The first is outermost: it enters first, and leaves last.
    for (size_t i = 0; i < count; i++, edit->nesting++) {
        CF_TRY(begin(&at[i]));
        insert(&at[i]);
    }
    return edit->error.status;
}
