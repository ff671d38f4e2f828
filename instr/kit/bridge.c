// A class of plain methods that call the advice is built, then edited like any other class: the editor makes the frames.
//
//      entry       if (off) return 0; else t = Thread.currentThread().threadId() + 1; slot = t & 1023
//                  if (busy[slot] == t) return 0; else busy[slot] = t
//      exit        busy[slot] = 0
//      exception   what = InstrKitFailure.failed(exception, failures++, advice, this class)
//                  busy[slot] = 0; off |= what == OFF
//
// Where an application may override the id, t is the thread, and `busy` has threads and null.
//                  if (what == RETHROW) throw exception; else return 0
//
// A method that replaces the result gets the result so far as its first argument, and returns it instead of 0.
//
// With outermost = true the next argument is what InstrKitNesting.enter has returned: with 0 the advice is not called.
//
// A method in place of a call then has an Object[1], and sets its element in front of each `return 0`.
//
// Two threads may share a slot: then a recursion may go unnoticed once, but no advice is left out.

#include "instr/kit/bridge.h"
#include "classfile/edit.h"
#include "classfile/format/build.h"
#include "instr/kit/template.h"

#include <stdio.h>

enum { SLOTS = 1024, NAME_SIZE = 1024, DESCRIPTOR_SIZE = 65536, ARRAY_OF_LONG = 11 };

// What InstrKitFailure.failed returns.
enum { RETHROW = 1, OFF = 2 };

struct bridge {
    const struct instr_kit *kit;
    const struct instr_kit_advice *advice;
    const struct instr_kit_jvm *jvm;
    struct cf_arena *arena;
    const char *package;
    char name[NAME_SIZE], advice_name[NAME_SIZE], failure_name[NAME_SIZE];
};

static const struct instr_kit_class *class_of(const struct instr_kit_advice *advice) {
    return advice->classes[advice->class_count - 1];
}

size_t instr_kit_bridge_name(const struct instr_kit_advice *advice, const char *package, char *name,
                             size_t size) {
    char text[NAME_SIZE];
    int n = snprintf(text, sizeof text, "%s$bridge", class_of(advice)->name);
    return n < (int)sizeof text ? instr_kit_expand(text, package, name, size) : (size_t)n;
}

// --- types ---

// 0 to 4 as in the order of iload .. aload and ireturn .. areturn.
static unsigned kind_of(char type) {
    switch (type) {
    case 'J': return 1;
    case 'F': return 2;
    case 'D': return 3;
    case 'L':
    case '[': return 4;
    default: return 0;
    }
}

static unsigned slots_of(char type) {
    return type == 'V' ? 0 : type == 'J' || type == 'D' ? 2 : 1;
}

bool instr_kit_keeps_result(const struct instr_kit_method *m) {
    return m->role == INSTR_KIT_RETURNED && *m->result != 'V';
}

const char *instr_kit_bridge_descriptor(const struct instr_kit_method *m, struct cf_arena *arena) {
    if (!instr_kit_keeps_result(m) && !m->outermost && !instr_kit_may_miss(m)) return m->descriptor;
    size_t size = strlen(m->descriptor) + strlen(m->result) + sizeof INSTR_KIT_MISSED + 1;
    char *text = cf_arena_alloc(arena, size);
    if (text)
        snprintf(text, size, "(%s%s%s%s", instr_kit_keeps_result(m) ? m->result : "",
                 m->outermost ? "I" : "", instr_kit_may_miss(m) ? INSTR_KIT_MISSED : "",
                 m->descriptor + 1);
    return text;
}

// --- the plain class ---

// In the arena; NULL: out of memory, or too long.
static char *expanded(const struct bridge *b, const char *text) {
    size_t length = instr_kit_expand(text, b->package, NULL, 0);
    char *copy = length < DESCRIPTOR_SIZE ? cf_arena_alloc(b->arena, length + 1) : NULL;
    if (copy) instr_kit_expand(text, b->package, copy, length + 1);
    return copy;
}

static void load(struct cf_build *build, unsigned kind, unsigned local) {
    cf_build_op1(build, (enum cf_opcode)(CF_OP_iload + kind), local);
}

static enum cf_opcode return_of(char type) {
    return type == 'V' ? CF_OP_return : (enum cf_opcode)(CF_OP_ireturn + kind_of(type));
}

// The first local of the advice's own parameters.
static unsigned first_local(const struct instr_kit_method *m) {
    return (instr_kit_keeps_result(m) ? slots_of(*m->result) : 0) + m->outermost +
           instr_kit_may_miss(m);
}

// At most INSTR_KIT_MOST_PARAMETERS, so that each local has a number of one byte.
static void add_call(const struct bridge *b, struct cf_build *build,
                     const struct instr_kit_method *m) {
    const char *with_result = instr_kit_bridge_descriptor(m, b->arena);
    char *descriptor = expanded(b, m->descriptor),
         *own = with_result ? expanded(b, with_result) : NULL;
    unsigned result = slots_of(*m->result), first = first_local(m), locals = first;
    if (!descriptor || !own) {
        cf_fail(&build->pool.error, CF_NO_MEMORY, 0, "no memory for a descriptor", 0);
        return;
    }
    for (size_t i = 0; i < m->parameter_count; i++) locals += slots_of(*m->parameters[i].type);
    cf_build_method(build, CF_ACC_PUBLIC | CF_ACC_STATIC, m->name, own,
                    locals > result ? locals : result, locals);
    locals = first;
    for (size_t i = 0; i < m->parameter_count; i++) {
        load(build, kind_of(*m->parameters[i].type), locals);
        locals += slots_of(*m->parameters[i].type);
    }
    cf_build_op2(
        build, CF_OP_invokestatic,
        cf_add_reference(&build->pool, CF_TAG_METHODREF, b->advice_name, m->name, descriptor));
    cf_build_op(build, return_of(*m->result));
}

static bool by_id(const struct bridge *b) {
    return b->jvm->thread != INSTR_KIT_THREAD_OBJECT;
}

static const char *busy_type(const struct bridge *b) {
    return by_id(b) ? "[J" : "[Ljava/lang/Thread;";
}

static void add_initializer(const struct bridge *b, struct cf_build *build) {
    cf_build_method(build, CF_ACC_STATIC, "<clinit>", "()V", 1, 0);
    cf_build_op2(build, CF_OP_sipush, SLOTS);
    if (by_id(b))
        cf_build_op1(build, CF_OP_newarray, ARRAY_OF_LONG);
    else
        cf_build_op2(build, CF_OP_anewarray, cf_add_class(&build->pool, "java/lang/Thread", 16));
    cf_build_op2(build, CF_OP_putstatic,
                 cf_add_reference(&build->pool, CF_TAG_FIELDREF, b->name, "busy", busy_type(b)));
    cf_build_op(build, CF_OP_return);
}

// failures++; InstrKitFailure.wrong(value, failures before, advice, this class). They are counted first: what is called
// there may be advised itself.
static void add_wrong(const struct bridge *b, struct cf_build *build) {
    struct cf_pool *pool = &build->pool;
    uint16_t failures = cf_add_reference(pool, CF_TAG_FIELDREF, b->name, "failures", "I");
    cf_build_method(build, CF_ACC_PUBLIC | CF_ACC_STATIC, INSTR_KIT_WRONG, "(Ljava/lang/Object;)V",
                    4, 2);
    cf_build_op2(build, CF_OP_getstatic, failures);
    cf_build_op(build, CF_OP_dup);
    cf_build_op1(build, CF_OP_istore, 1);
    cf_build_op(build, CF_OP_iconst_1);
    cf_build_op(build, CF_OP_iadd);
    cf_build_op2(build, CF_OP_putstatic, failures);
    cf_build_op1(build, CF_OP_aload, 0);
    cf_build_op1(build, CF_OP_iload, 1);
    cf_build_op2(build, CF_OP_ldc_w, cf_add_string(pool, b->advice->name, strlen(b->advice->name)));
    cf_build_op2(build, CF_OP_ldc_w, cf_add_class(pool, b->name, strlen(b->name)));
    cf_build_op2(build, CF_OP_invokestatic,
                 cf_add_reference(pool, CF_TAG_METHODREF, b->failure_name, "wrong",
                                  "(Ljava/lang/Object;ILjava/lang/String;Ljava/lang/Class;)V"));
    cf_build_op(build, CF_OP_return);
}

static enum cf_status build_plain(const struct bridge *b, const uint8_t **bytes, size_t *length,
                                  struct cf_error *error) {
    struct cf_build build;
    cf_build_begin(&build, b->arena, CF_ACC_PUBLIC | CF_ACC_FINAL | CF_ACC_SYNTHETIC, b->name);
    cf_build_source(&build, b->kit->marker);
    cf_build_field(&build, CF_ACC_PRIVATE | CF_ACC_STATIC, "off", "Z");
    cf_build_field(&build, CF_ACC_PRIVATE | CF_ACC_STATIC, "failures", "I");
    cf_build_field(&build, CF_ACC_PRIVATE | CF_ACC_STATIC | CF_ACC_FINAL, "busy", busy_type(b));
    add_initializer(b, &build);
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++)
        if (b->advice->methods[r]) add_call(b, &build, b->advice->methods[r]);
    add_wrong(b, &build);
    enum cf_status status = cf_build_end(&build, bytes, length);
    *error = build.pool.error;
    return status;
}

// --- what is around each call ---

struct around {
    const struct bridge *bridge;
    struct cf_edit *edit;
    const struct instr_kit_method *method;
    char result;           // first letter of its descriptor
    uint32_t kept;         // local with the result so far, if it keeps it
    uint32_t missed;       // local with the Object[1] of a method in place of a call
    uint32_t thread, slot; // locals
};

static void field(const struct around *a, struct cf_snippet *s, enum cf_opcode op, const char *name,
                  const char *type) {
    bool gets = op == CF_OP_getstatic;
    cf_op_constant(
        s, op,
        cf_add_reference(&a->edit->rewrite->pool, CF_TAG_FIELDREF, a->bridge->name, name, type),
        !gets, gets);
}

static void return_nothing(const struct around *a, struct cf_snippet *s) {
    static const enum cf_opcode zero[] = {CF_OP_iconst_0, CF_OP_lconst_0, CF_OP_fconst_0,
                                          CF_OP_dconst_0, CF_OP_aconst_null};
    if (instr_kit_may_miss(a->method)) {
        cf_local(s, CF_OP_aload, a->missed);
        cf_op(s, CF_OP_iconst_0);
        cf_local(s, CF_OP_aload, a->missed);
        cf_op(s, CF_OP_aastore);
    }
    if (instr_kit_keeps_result(a->method))
        cf_local(s, (enum cf_opcode)(CF_OP_iload + kind_of(a->result)), a->kept);
    else if (a->result != 'V')
        cf_op(s, zero[kind_of(a->result)]);
    cf_op(s, return_of(a->result));
}

// busy[slot] = the thread, or nothing.
static void set_busy(const struct around *a, struct cf_snippet *s, bool busy) {
    bool id = by_id(a->bridge);
    field(a, s, CF_OP_getstatic, "busy", busy_type(a->bridge));
    cf_local(s, CF_OP_iload, a->slot);
    if (busy)
        cf_local(s, id ? CF_OP_lload : CF_OP_aload, a->thread);
    else
        cf_op(s, id ? CF_OP_lconst_0 : CF_OP_aconst_null);
    cf_op(s, id ? CF_OP_lastore : CF_OP_aastore);
}

static void current_thread(const struct around *a, struct cf_snippet *s) {
    cf_call(s, cf_callee_new(a->edit->rewrite, "java/lang/Thread", "currentThread",
                             "()Ljava/lang/Thread;"));
}

// Pushes the id of the thread that is on the stack.
static void get_id(const struct around *a, struct cf_snippet *s) {
    struct cf_rewrite *rewrite = a->edit->rewrite;
    const char *name = a->bridge->jvm->thread == INSTR_KIT_THREAD_ID ? "threadId" : "getId";
    char owner[NAME_SIZE];
    if (a->bridge->jvm->thread == INSTR_KIT_THREAD_FIELD_ID) {
        snprintf(owner, sizeof owner, "%sInstrKitThread", a->bridge->jvm->runtime_package);
        cf_call(s, cf_callee_new(rewrite, owner, "id", "(Ljava/lang/Thread;)J"));
    } else {
        cf_op_constant(
            s, CF_OP_invokevirtual,
            cf_add_reference(&rewrite->pool, CF_TAG_METHODREF, "java/lang/Thread", name, "()J"), 1,
            2);
    }
}

// A thread that is being made still has the id 0, which stands for nothing in `busy`: one is added.
static void find_slot(const struct around *a, struct cf_snippet *s) {
    if (by_id(a->bridge)) {
        current_thread(a, s);
        get_id(a, s);
        cf_op(s, CF_OP_lconst_1);
        cf_op(s, CF_OP_ladd);
        cf_op(s, CF_OP_dup2);
        cf_local(s, CF_OP_lstore, a->thread);
    } else {
        cf_local(s, CF_OP_aload, a->thread);
        get_id(a, s);
    }
    cf_op(s, CF_OP_l2i);
    cf_push_int(s, SLOTS - 1);
    cf_op(s, CF_OP_iand);
    cf_local(s, CF_OP_istore, a->slot);
}

// Goes to `go_on` unless the thread is in the advice already.
static void if_not_busy(const struct around *a, struct cf_snippet *s, uint32_t go_on) {
    bool id = by_id(a->bridge);
    field(a, s, CF_OP_getstatic, "busy", busy_type(a->bridge));
    cf_local(s, CF_OP_iload, a->slot);
    cf_op(s, id ? CF_OP_laload : CF_OP_aaload);
    cf_local(s, id ? CF_OP_lload : CF_OP_aload, a->thread);
    if (id) cf_op(s, CF_OP_lcmp);
    cf_branch_to(s, id ? CF_OP_ifne : CF_OP_if_acmpne, go_on);
}

// Goes to `out` if there was no memory for an array of arguments, or a holder (InstrKitArguments).
static void if_missing(const struct around *a, struct cf_snippet *s, uint32_t out) {
    unsigned local = first_local(a->method);
    for (size_t i = 0; i < a->method->parameter_count; i++) {
        const struct instr_kit_parameter *p = &a->method->parameters[i];
        if (p->value == INSTR_KIT_ALL || p->held) {
            cf_local(s, CF_OP_aload, local);
            cf_branch_to(s, CF_OP_ifnull, out);
        }
        local += slots_of(*p->type);
    }
}

static const struct cf_snippet *entry(const struct around *a) {
    struct cf_snippet *s = cf_snippet_new(a->edit);
    uint32_t start = cf_label(s), end = cf_label(s), failed = cf_label(s), out = cf_label(s),
             go_on = cf_label(s);
    if (instr_kit_keeps_result(a->method)) {
        cf_local(s, (enum cf_opcode)(CF_OP_iload + kind_of(a->result)), 0);
        cf_local(s, (enum cf_opcode)(CF_OP_istore + kind_of(a->result)), a->kept);
    }
    if (instr_kit_may_miss(a->method)) {
        cf_local(s, CF_OP_aload, a->method->outermost);
        cf_local(s, CF_OP_astore, a->missed);
    }
    if (by_id(a->bridge))
        cf_op(s, CF_OP_lconst_0);
    else
        current_thread(a, s);
    cf_local(s, by_id(a->bridge) ? CF_OP_lstore : CF_OP_astore, a->thread);
    cf_op(s, CF_OP_iconst_0);
    cf_local(s, CF_OP_istore, a->slot);
    field(a, s, CF_OP_getstatic, "off", "Z");
    cf_branch_to(s, CF_OP_ifne, out);
    if (a->method->outermost) {
        cf_local(s, CF_OP_iload, instr_kit_keeps_result(a->method) ? slots_of(a->result) : 0);
        cf_branch_to(s, CF_OP_ifeq, out);
    }
    if_missing(a, s, out);
    cf_handler(s, start, end, failed, 0);
    cf_place(s, start);
    find_slot(a, s);
    cf_place(s, end);
    if_not_busy(a, s, go_on);
    cf_branch_to(s, CF_OP_goto, out);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_place(s, out);
    return_nothing(a, s);
    cf_place(s, go_on);
    set_busy(a, s, true);
    return s;
}

static const struct cf_snippet *left(const struct around *a) {
    struct cf_snippet *s = cf_snippet_new(a->edit);
    set_busy(a, s, false);
    return s;
}

// Goes to `rethrow` if the exception is one that the advice declares.
static void find_declared(const struct around *a, struct cf_snippet *s, uint32_t thrown,
                          uint32_t rethrow) {
    const struct instr_kit_advice *advice = a->bridge->advice;
    for (size_t i = 0; i < advice->rethrow_count; i++) {
        const char *name = expanded(a->bridge, advice->rethrow[i]);
        cf_local(s, CF_OP_aload, thrown);
        cf_op_constant(s, CF_OP_instanceof,
                       name ? cf_add_class(&a->edit->rewrite->pool, name, strlen(name)) : 0, 1, 1);
        cf_branch_to(s, CF_OP_ifne, rethrow);
    }
}

// what = InstrKitFailure.failed(...); 0 if that fails, for want of stack or memory.
static void ask(const struct around *a, struct cf_snippet *s, uint32_t thrown, uint32_t what) {
    struct cf_rewrite *rewrite = a->edit->rewrite;
    const struct instr_kit_advice *advice = a->bridge->advice;
    cf_local(s, CF_OP_aload, thrown);
    field(a, s, CF_OP_getstatic, "failures", "I");
    cf_push_constant(s, cf_add_string(&rewrite->pool, advice->name, strlen(advice->name)));
    cf_push_constant(s, cf_add_class(&rewrite->pool, a->bridge->name, strlen(a->bridge->name)));
    cf_call(s, cf_callee_new(rewrite, a->bridge->failure_name, "failed",
                             "(Ljava/lang/Throwable;ILjava/lang/String;Ljava/lang/Class;)I"));
    cf_local(s, CF_OP_istore, what);
}

static const struct cf_snippet *failed(const struct around *a) {
    struct cf_snippet *s = cf_snippet_new(a->edit);
    uint32_t thrown = cf_new_local(a->edit, "Ljava/lang/Throwable;", 0),
             what = cf_new_local(a->edit, "I", 0);
    uint32_t start = cf_label(s), end = cf_label(s), nothing = cf_label(s), known = cf_label(s),
             drop = cf_label(s), rethrow = cf_label(s);
    cf_local(s, CF_OP_astore, thrown);
    cf_op(s, CF_OP_iconst_0);
    cf_local(s, CF_OP_istore, what);
    cf_handler_at_depth(s, start, end, nothing, 0, 1);
    cf_place(s, start);
    find_declared(a, s, thrown, rethrow);
    ask(a, s, thrown, what);
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, known);
    cf_place(s, nothing);
    cf_op(s, CF_OP_pop);
    cf_place(s, known);
    set_busy(a, s, false);
    field(a, s, CF_OP_getstatic, "failures", "I");
    cf_op(s, CF_OP_iconst_1);
    cf_op(s, CF_OP_iadd);
    field(a, s, CF_OP_putstatic, "failures", "I");
    cf_local(s, CF_OP_iload, what);
    cf_push_int(s, RETHROW);
    cf_branch_to(s, CF_OP_if_icmpeq, rethrow);
    cf_local(s, CF_OP_iload, what);
    cf_push_int(s, OFF);
    cf_branch_to(s, CF_OP_if_icmpne, drop);
    cf_op(s, CF_OP_iconst_1);
    field(a, s, CF_OP_putstatic, "off", "Z");
    cf_place(s, drop);
    return_nothing(a, s);
    cf_place(s, rethrow);
    set_busy(a, s, false);
    cf_local(s, CF_OP_aload, thrown);
    return s;
}

static enum cf_status edit_call(const struct bridge *b, struct cf_rewrite *rewrite,
                                const struct cf_member *member,
                                const struct instr_kit_method *method) {
    struct cf_edit *edit = NULL;
    CF_TRY(cf_edit_begin(rewrite, member, &edit));
    char *result = expanded(b, method->result);
    if (!result) return cf_fail(&rewrite->cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    struct around a = {.bridge = b, .edit = edit, .method = method, .result = *result};
    if (instr_kit_keeps_result(method)) a.kept = cf_new_local(edit, result, 1);
    if (instr_kit_may_miss(method)) a.missed = cf_new_local(edit, INSTR_KIT_MISSED, 1);
    a.thread = cf_new_local(edit, by_id(b) ? "J" : "Ljava/lang/Thread;", 1);
    a.slot = cf_new_local(edit, "I", 1);
    cf_insert_entry(edit, entry(&a));
    cf_insert_exits(edit, left(&a));
    cf_insert_thrown(edit, failed(&a));
    enum cf_status status = cf_edit_commit(edit);
    if (status != CF_OK) rewrite->cls->error = edit->error;
    return status;
}

static void *from_arena(void *context, size_t size) {
    return cf_arena_alloc(context, size);
}

static enum cf_status edit_plain(const struct bridge *b, const uint8_t *plain, size_t plain_length,
                                 const uint8_t **bytes, size_t *length, struct cf_error *error) {
    struct cf_class cls;
    struct cf_rewrite rewrite;
    uint8_t *out = NULL;
    enum cf_status status = cf_class_open(&cls, plain, plain_length, b->arena);
    if (status == CF_OK) status = cf_rewrite_begin(&rewrite, &cls);
    const struct cf_member *next = cls.methods + 1; // behind <clinit>
    for (unsigned r = 0; status == CF_OK && r < INSTR_KIT_ROLES; r++)
        if (b->advice->methods[r]) status = edit_call(b, &rewrite, next++, b->advice->methods[r]);
    if (status == CF_OK) status = cf_rewrite_encode(&rewrite, from_arena, b->arena, &out, length);
    *error = cls.error;
    *bytes = out;
    return status;
}

enum cf_status instr_kit_bridge(const struct instr_kit *kit, const struct instr_kit_advice *advice,
                                const char *package, const struct instr_kit_jvm *jvm,
                                struct cf_arena *arena, const uint8_t **bytes, size_t *length,
                                struct cf_error *error) {
    struct bridge b = {
        .kit = kit, .advice = advice, .jvm = jvm, .arena = arena, .package = package};
    const uint8_t *plain = NULL;
    size_t plain_length = 0;
    snprintf(b.failure_name, sizeof b.failure_name, "%sInstrKitFailure", jvm->runtime_package);
    if (instr_kit_bridge_name(advice, package, b.name, sizeof b.name) >= sizeof b.name)
        return cf_fail(error, CF_LIMIT, 0, "the name of its bridge is too long", 0);
    instr_kit_expand(class_of(advice)->name, package, b.advice_name, sizeof b.advice_name);
    CF_TRY(build_plain(&b, &plain, &plain_length, error));
    return edit_plain(&b, plain, plain_length, bytes, length, error);
}
