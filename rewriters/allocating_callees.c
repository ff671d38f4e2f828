#include "rewriters/allocating_callees.h"

#include "classfile/opcodes.h"

#include <string.h>

#define ARRAY "java/lang/reflect/Array"
#define ARRAYS "java/util/Arrays"
#define NEW_ARRAY "(Ljava/lang/Class;I)Ljava/lang/Object;"
#define NEW_OBJECT "(Ljava/lang/Class;)Ljava/lang/Object;"

const struct rw_allocating_callee rw_allocating_callees[RW_ALLOCATING_CALLEES] = {
    {"java/lang/Object", "clone", "()Ljava/lang/Object;", 0, RW_ALLOCATES_NOTHING},
    {ARRAY, "newArray", NEW_ARRAY, 1, RW_ALLOCATES_NOTHING},
    {ARRAY, "newInstance", NEW_ARRAY, 1, RW_ALLOCATES},
    {ARRAYS, "copyOf", "([Ljava/lang/Object;I)[Ljava/lang/Object;", 1, RW_ALLOCATES},
    {ARRAYS, "copyOf", "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;", 1,
     RW_ALLOCATES},
    {ARRAYS, "copyOfRange", "([Ljava/lang/Object;II)[Ljava/lang/Object;", 1, RW_ALLOCATES},
    {ARRAYS, "copyOfRange", "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;", 1,
     RW_ALLOCATES},
    {"java/lang/StringUTF16", "toBytes", "([CII)[B", 1, RW_ALLOCATES},
    {"jdk/internal/misc/Unsafe", "allocateUninitializedArray0", NEW_ARRAY, 0, RW_ALLOCATES},
    {"jdk/internal/misc/Unsafe", "allocateInstance", NEW_OBJECT, 0, RW_ALLOCATES_OBJECT},
    {"sun/misc/Unsafe", "allocateInstance", NEW_OBJECT, 0, RW_ALLOCATES_OBJECT},
};

static int is(struct cf_slice slice, const char *text) {
    return cf_slice_is(slice, text, strlen(text));
}

static enum rw_allocation allocation_of(struct cf_slice class_name, struct cf_slice name,
                                        struct cf_slice descriptor) {
    for (size_t i = 0; i < RW_ALLOCATING_CALLEES; i++) {
        const struct rw_allocating_callee *c = &rw_allocating_callees[i];
        if (is(name, c->name) && is(class_name, c->class_name) && is(descriptor, c->descriptor))
            return c->allocation;
    }
    return RW_ALLOCATES_NOTHING;
}

// An array's clone() is always Object's, and super.clone() may be. Where code calls Object's on an object, it is
// the one of that object's class; where it calls that of another class, which overrides it, that counts.
static enum rw_allocation clone_by(unsigned op, struct cf_slice class_name) {
    if (op == CF_OP_invokevirtual && class_name.length > 0 && class_name.bytes[0] == '[')
        return RW_ALLOCATES;
    int is_object = CF_IS(class_name, "java/lang/Object");
    if (op == CF_OP_invokevirtual) return is_object ? RW_ALLOCATES_OWN_CLONE : RW_ALLOCATES_NOTHING;
    if (op != CF_OP_invokespecial) return RW_ALLOCATES_NOTHING;
    return is_object ? RW_ALLOCATES : RW_ALLOCATES_CLONE;
}

enum rw_allocation rw_allocated_by(const struct cf_code *code, uint32_t pc) {
    struct cf_slice class_name, name, descriptor;
    unsigned op = code->bytes[pc];
    if (!cf_reference(code->cls, cf_be2(code->bytes + pc + 1), &class_name, &name, &descriptor))
        return RW_ALLOCATES_NOTHING;
    if (name.length < 5) return RW_ALLOCATES_NOTHING; // most are not looked at any further
    if (CF_IS(name, "clone") && CF_IS(descriptor, "()Ljava/lang/Object;"))
        return clone_by(op, class_name);
    return allocation_of(class_name, name, descriptor);
}

int rw_is_allocating_callee(const struct cf_class *cls, const struct cf_member *method) {
    return allocation_of(cf_this_name(cls), cf_member_name(cls, method),
                         cf_member_descriptor(cls, method)) != RW_ALLOCATES_NOTHING;
}

// Method handles allocate in one place, and from JDK 18 on so does reflection. Before, and still if
// a system property asks for it, reflection generates a class for each constructor that is called
// often.
int rw_allocates_by_reflection(const char *name) {
    static const char *const generated[] = {
        "sun/reflect/GeneratedConstructorAccessor",
        "sun/reflect/GeneratedSerializationConstructorAccessor",
        "jdk/internal/reflect/GeneratedConstructorAccessor",
        "jdk/internal/reflect/GeneratedSerializationConstructorAccessor",
    };
    if (strcmp(name, "java/lang/invoke/DirectMethodHandle") == 0) return 1;
    for (size_t i = 0; i < sizeof generated / sizeof *generated; i++)
        if (strncmp(name, generated[i], strlen(generated[i])) == 0) return 1;
    return 0;
}
