// alloc: what is allocated where, and how many bytes.
//
//      after                     pushes                               calls
//      new                       class, id (before 49.0: null, id)    object
//      newarray                  length, id                           bytes .. longs, by element
//      anewarray                 array, id                            references
//      multianewarray            array, dimension, id: for each       dimension
//      clone(), Arrays.copyOf()  result, id (allocating_callees.h)    made
//      super.clone()             result, the class named, id          cloned (before 49.0: null)
//
// The code stands behind the instruction, so that an instruction that throws is not counted. The
// object that `new` has put on the stack is uninitialized and not touched. An id stands for one
// site and one class; the inner arrays of an array have ids of their own, and the result of a
// method gets an id for each class that it has at run time.
//
// With alloc.mode=sampled the JVM reports allocations, and no code is inserted. With
// alloc.track=object the constructor of Object counts objects (instr/passes/alloc/object.c), so
// only arrays are counted here.

#include "rewriters/rewriter.h"
#include "rewriters/allocating_callees.h"
#include "rewriters/common.h"

enum { OBJECT, BYTES, SHORTS, INTS, LONGS, REFERENCES, DIMENSION, MADE, CLONED, CLONED_OWN };

static struct cf_callee callee(struct rw_class *cls, unsigned which) {
    static const struct cf_method_name names[] = {
        [OBJECT] = CF_METHOD_OF("InstrAlloc", "object", "(Ljava/lang/Class;I)V"),
        [BYTES] = CF_METHOD_NAME("bytes", "(II)V"),
        [SHORTS] = CF_METHOD_NAME("shorts", "(II)V"),
        [INTS] = CF_METHOD_NAME("ints", "(II)V"),
        [LONGS] = CF_METHOD_NAME("longs", "(II)V"),
        [REFERENCES] = CF_METHOD_NAME("references", "([Ljava/lang/Object;I)V"),
        [DIMENSION] = CF_METHOD_NAME("dimension", "(Ljava/lang/Object;II)V"),
        [MADE] = CF_METHOD_NAME("made", "(Ljava/lang/Object;I)V"),
        [CLONED] = CF_METHOD_NAME("cloned", "(Ljava/lang/Object;Ljava/lang/Class;I)V"),
        [CLONED_OWN] = CF_METHOD_NAME("clonedOwn", "(Ljava/lang/Object;I)V"),
    };
    return rw_callees(cls, names, sizeof names / sizeof *names)[which];
}

// The options, read once per class: cls->memory.
struct wanted {
    int objects, arrays;
};

static enum cf_status begin(struct rw_class *cls) {
    struct wanted *wanted = cf_arena_zeroed(cls->rewrite->cls->arena, 1, sizeof *wanted);
    if (!wanted) return cf_fail(&cls->rewrite->cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    const char *mode = cls->option(cls, "mode"), *track = cls->option(cls, "track");
    wanted->arrays = !mode || strcmp(mode, "sampled") != 0;
    wanted->objects = wanted->arrays && (!track || strcmp(track, "object") != 0);
    cls->memory = wanted;
    return CF_OK;
}

// The operand of newarray (JVMS table 6.5.newarray-A): the array's name, and what to call.
static int primitive_array(unsigned atype, struct cf_slice *name) {
    static const char *const names[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    static const int callees[] = {BYTES, SHORTS, INTS, LONGS, BYTES, SHORTS, INTS, LONGS};
    if (atype < 4 || atype > 11) return -1;
    name->bytes = (const uint8_t *)names[atype - 4];
    name->length = 2;
    return callees[atype - 4];
}

// The name of an array of these elements: [Lname; or [ and an array's name. Empty: out of memory.
static struct cf_slice array_of(struct cf_edit *edit, struct cf_slice element) {
    struct cf_slice name = {NULL, 0};
    int is_array = element.length > 0 && element.bytes[0] == '[';
    uint8_t *bytes = cf_arena_alloc(edit->code.cls->arena, element.length + 3);
    if (!bytes) return name;
    name.bytes = bytes;
    *bytes++ = '[';
    if (!is_array) *bytes++ = 'L';
    memcpy(bytes, element.bytes, element.length);
    bytes += element.length;
    if (!is_array) *bytes++ = ';';
    name.length = (uint32_t)(bytes - name.bytes);
    return name;
}

static struct cf_slice operand_name(const struct cf_edit *edit, uint32_t pc, uint16_t *index) {
    *index = cf_be2(edit->code.bytes + pc + 1);
    return cf_class_name(edit->code.cls, *index);
}

// Before version 49.0 ldc cannot load a class: null stands for it, and InstrAlloc asks once who calls it.
static void push_class(const struct cf_edit *edit, struct cf_snippet *s, uint16_t index) {
    if (edit->code.cls->major_version >= 49)
        cf_push_constant(s, index);
    else
        cf_op(s, CF_OP_aconst_null);
}

static enum cf_status count_object(struct rw_class *cls, struct cf_edit *edit, uint32_t i) {
    uint16_t index;
    int id;
    struct cf_slice name = operand_name(edit, edit->code.pc[i], &index);
    if (!name.bytes) return CF_OK; // the JVM refuses such a class
    CF_TRY(rw_site_id(cls, edit, edit->code.pc[i], name, &id));
    struct cf_snippet *s = cf_snippet_new(edit);
    push_class(edit, s, index);
    cf_push_int(s, id);
    cf_call(s, callee(cls, OBJECT));
    cf_insert_after(edit, i, s);
    return edit->error.status;
}

static enum cf_status count_array(struct rw_class *cls, struct cf_edit *edit, uint32_t i,
                                  struct cf_slice name, unsigned which) {
    int id;
    if (!name.bytes) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    CF_TRY(rw_site_id(cls, edit, edit->code.pc[i], name, &id));
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_dup);
    if (which != REFERENCES) cf_op(s, CF_OP_arraylength);
    cf_push_int(s, id);
    cf_call(s, callee(cls, which));
    cf_insert_after(edit, i, s);
    return edit->error.status;
}

static enum cf_status count_dimensions(struct rw_class *cls, struct cf_edit *edit, uint32_t i) {
    uint16_t index;
    uint32_t pc = edit->code.pc[i];
    struct cf_slice name = operand_name(edit, pc, &index);
    unsigned dimensions = edit->code.bytes[pc + 3];
    struct cf_snippet *s = cf_snippet_new(edit);
    for (unsigned k = 0; k < dimensions && k < name.length && name.bytes[k] == '['; k++) {
        struct cf_slice part = {name.bytes + k, name.length - k};
        int id;
        CF_TRY(rw_site_id(cls, edit, pc, part, &id));
        cf_op(s, CF_OP_dup);
        cf_push_int(s, (int32_t)k);
        cf_push_int(s, id);
        cf_call(s, callee(cls, DIMENSION));
    }
    cf_insert_after(edit, i, s);
    return edit->error.status;
}

static enum cf_status count_allocated(struct rw_class *cls, struct cf_edit *edit, uint32_t i) {
    const struct wanted *wanted = cls->memory;
    static const struct cf_slice no_class = {(const uint8_t *)";", 1};
    static const unsigned callees[] = {[RW_ALLOCATES] = MADE,
                                       [RW_ALLOCATES_OBJECT] = MADE,
                                       [RW_ALLOCATES_CLONE] = CLONED,
                                       [RW_ALLOCATES_OWN_CLONE] = CLONED_OWN};
    uint32_t pc = edit->code.pc[i];
    enum rw_allocation allocation = rw_allocated_by(&edit->code, pc);
    int id;
    if (allocation == RW_ALLOCATES_NOTHING ||
        (allocation == RW_ALLOCATES_OBJECT && !wanted->objects))
        return CF_OK;
    CF_TRY(rw_site_id(cls, edit, pc, no_class, &id));
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_dup);
    if (allocation == RW_ALLOCATES_CLONE) {
        const uint8_t *reference = edit->code.cls->bytes +
                                   edit->code.cls->constant_pool[cf_be2(edit->code.bytes + pc + 1)];
        push_class(edit, s, cf_be2(reference + 1));
    }
    cf_push_int(s, id);
    cf_call(s, callee(cls, callees[allocation]));
    cf_insert_after(edit, i, s);
    return edit->error.status;
}

static enum cf_status edit_instruction(struct rw_class *cls, struct cf_edit *edit, uint32_t i) {
    const struct wanted *wanted = cls->memory;
    uint32_t pc = edit->code.pc[i];
    struct cf_slice name;
    uint16_t index;
    int which;
    switch (edit->code.bytes[pc]) {
    case CF_OP_new: return wanted->objects ? count_object(cls, edit, i) : CF_OK;
    case CF_OP_newarray:
        which = primitive_array(edit->code.bytes[pc + 1], &name);
        return which < 0 ? CF_OK : count_array(cls, edit, i, name, (unsigned)which);
    case CF_OP_anewarray:
        name = operand_name(edit, pc, &index);
        return name.bytes ? count_array(cls, edit, i, array_of(edit, name), REFERENCES) : CF_OK;
    case CF_OP_multianewarray: return count_dimensions(cls, edit, i);
    case CF_OP_invokevirtual:
    case CF_OP_invokespecial:
    case CF_OP_invokestatic: return count_allocated(cls, edit, i);
    default: return CF_OK;
    }
}

// Edits a class that is out of scope, for the objects that reflection creates in it.
static enum cf_status edit_forced(struct rw_class *cls, struct cf_edit *edit) {
    const struct wanted *wanted = cls->memory;
    if (!wanted->objects) return CF_OK;
    if (CF_IS(cf_member_name(edit->code.cls, edit->method), "newInstance") &&
        edit->code.count > 0 && edit->code.bytes[edit->code.pc[0]] == CF_OP_new)
        return count_object(cls, edit, 0);
    for (uint32_t i = 0; i < edit->code.count; i++) {
        uint32_t pc = edit->code.pc[i];
        if (edit->code.bytes[pc] == CF_OP_invokevirtual &&
            rw_allocated_by(&edit->code, pc) == RW_ALLOCATES_OBJECT)
            CF_TRY(count_allocated(cls, edit, i));
    }
    return edit->error.status;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    const struct wanted *wanted = cls->memory;
    if (!wanted->arrays || rw_leave_alone(edit)) return CF_OK;
    if (cls->forced) return edit_forced(cls, edit);
    if (rw_is_allocating_callee(edit->code.cls, edit->method)) return CF_OK;
    for (uint32_t i = 0; i < edit->code.count; i++) CF_TRY(edit_instruction(cls, edit, i));
    return edit->error.status;
}

static const struct rw_option options[] = {
    {"mode", "exact|sampled",
     "exact: count every allocation with inserted code and JVM TI events; sampled: let the JVM "
     "sample allocations, with their stacks"},
    {"interval", "SIZE", "sampled: average number of bytes between samples; default 4M"},
    {"live", "no|yes", "sampled: report which sampled objects are still alive at the end"},
    {"track", "site|object",
     "exact: count objects where they are instantiated, or in the constructor of Object, which "
     "sees the objects of all classes"},
    {"stacks", "FILE", "write the result to FILE as collapsed stacks, one per line with its bytes"},
    {"html", "FILE", "write the result to FILE as a flame graph (HTML)"},
    {NULL, NULL, NULL},
};

const struct rw_pass rw_pass_alloc = {
    .name = "alloc",
    .help = "allocated objects and bytes by class and allocation site",
    .flags = RW_COMPLETE,
    .options = options,
    .needs_agent = "only the JVM knows sizes, and what no bytecode allocates",
    .event_ns = 6,
    .compile_percent = 250,
    .runtime_class = "InstrAlloc",
    .begin = begin,
    .forces = rw_allocates_by_reflection,
    .edit = edit_method,
};
