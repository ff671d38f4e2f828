// watch: passes arguments, result or exception, and duration of each call of selected methods to
// `instr watch`.
//
//      entry:      id, arguments as Object[]; enter -> call      (without `this`, constructors too)
//      exit:       result, call; exit                            (without a result: call, call)
//      exception:  exception, call; thrown
//
// An option selects the methods: com.acme.Foo.bar(..). The engine matches the classes, the pass the
// methods.

#include "rewriters/common.h"
#include "rewriters/watch_methods.h"

enum { ARGUMENTS, ENTER, EXIT, THROWN, FIRST_BOX };

static const char kinds[] = "ZBCSIJFD";

static struct cf_callee callee(struct rw_class *cls, unsigned which) {
    static const struct cf_method_name names[] = {
        [ARGUMENTS] = CF_METHOD_OF("InstrWatch", "arguments", "(I)[Ljava/lang/Object;"),
        [ENTER] = CF_METHOD_NAME("enter", "(I[Ljava/lang/Object;)Ljava/lang/Object;"),
        [EXIT] = CF_METHOD_NAME("exit", "(Ljava/lang/Object;Ljava/lang/Object;)V"),
        [THROWN] = CF_METHOD_NAME("thrown", "(Ljava/lang/Throwable;Ljava/lang/Object;)V"),
        [FIRST_BOX] = CF_METHOD_NAME("box", "(Z)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(B)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(C)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(S)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(I)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(J)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(F)Ljava/lang/Object;"),
        CF_METHOD_NAME("box", "(D)Ljava/lang/Object;"),
    };
    return rw_callees(cls, names, sizeof names / sizeof *names)[which];
}

// Boxes the value of this type on the stack.
static void box(struct rw_class *cls, struct cf_snippet *s, char type) {
    const char *kind = strchr(kinds, type);
    if (kind) cf_call(s, callee(cls, FIRST_BOX + (unsigned)(kind - kinds)));
}

// Reads the type at `at` of a descriptor; returns where the next one begins.
static uint32_t skip_type(struct cf_slice descriptor, uint32_t at) {
    while (at < descriptor.length && descriptor.bytes[at] == '[') at++;
    if (at < descriptor.length && descriptor.bytes[at] == 'L')
        while (at < descriptor.length && descriptor.bytes[at] != ';') at++;
    return at + 1;
}

static int32_t count_arguments(struct cf_slice descriptor) {
    int32_t n = 0;
    for (uint32_t at = 1; at < descriptor.length && descriptor.bytes[at] != ')'; n++)
        at = skip_type(descriptor, at);
    return n;
}

static const struct cf_snippet *entry(struct rw_class *cls, struct cf_edit *edit,
                                      struct cf_slice descriptor, int id, uint32_t call) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t local = edit->method->access_flags & CF_ACC_STATIC ? 0 : 1;
    int32_t i = 0;
    cf_push_int(s, id);
    cf_push_int(s, count_arguments(descriptor));
    cf_call(s, callee(cls, ARGUMENTS));
    for (uint32_t at = 1; at < descriptor.length && descriptor.bytes[at] != ')'; i++) {
        char type = (char)descriptor.bytes[at];
        cf_op(s, CF_OP_dup);
        cf_push_int(s, i);
        cf_local(s, cf_load_of(type), local);
        box(cls, s, type);
        cf_op(s, CF_OP_aastore);
        local += type == 'J' || type == 'D' ? 2 : 1;
        at = skip_type(descriptor, at);
    }
    cf_call(s, callee(cls, ENTER));
    cf_local(s, CF_OP_astore, call);
    return s;
}

static const struct cf_snippet *leave(struct rw_class *cls, struct cf_edit *edit, char type,
                                      uint32_t call) {
    struct cf_snippet *s = cf_snippet_new(edit);
    if (type == 'V') {
        cf_local(s, CF_OP_aload, call);
    } else {
        cf_op(s, type == 'J' || type == 'D' ? CF_OP_dup2 : CF_OP_dup);
        box(cls, s, type);
    }
    cf_local(s, CF_OP_aload, call);
    cf_call(s, callee(cls, EXIT));
    return s;
}

static const struct cf_snippet *fail(struct rw_class *cls, struct cf_edit *edit, uint32_t call) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_dup);
    cf_local(s, CF_OP_aload, call);
    cf_call(s, callee(cls, THROWN));
    return s;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    const char *wanted = cls->option(cls, "methods");
    struct cf_slice name = cf_member_name(edit->code.cls, edit->method),
                    descriptor = cf_member_descriptor(edit->code.cls, edit->method);
    int id;
    if (!wanted || rw_leave_alone(edit) ||
        rw_watch_matches(wanted, cf_this_name(edit->code.cls), cls->service(cls, "supertypes"),
                         name, descriptor) != 1)
        return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &id));
    CF_TRY(cf_edit_constructor(edit));
    uint32_t call = cf_new_local(edit, "Ljava/lang/Object;", 1);
    struct cf_slice result = cf_result_type(descriptor);
    cf_insert_entry(edit, entry(cls, edit, descriptor, id, call));
    cf_insert_exits(edit, leave(cls, edit, result.length ? (char)result.bytes[0] : 'V', call));
    const struct cf_snippet *thrown = fail(cls, edit, call);
    cf_insert_thrown(edit, thrown);
    if (edit->constructor) cf_insert_thrown_early(edit, thrown);
    return edit->error.status;
}

static const struct rw_option options[] = {
    {"methods", "METHODS",
     "the methods to watch, such as com.acme.Foo.bar(..) or com.acme.**.*(int,String); classes are "
     "written as in include=, com.acme.Foo+ for what extends or implements Foo, colons separate "
     "several"},
    {NULL, NULL, NULL},
};

const struct rw_pass rw_pass_watch = {
    .name = "watch",
    .help = "calls of selected methods with arguments and results, for `instr watch`",
    .flags = RW_NAMES_METHODS | RW_NO_RESULTS,
    .options = options,
    .needs_agent = "only the agent can report calls to a client",
    .event_ns = 1000,
    .runtime_class = "InstrWatch",
    .edit = edit_method,
};
