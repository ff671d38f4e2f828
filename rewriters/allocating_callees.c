// Compilers know some methods that allocate and put code of their own in their place (HotSpot:
// vmIntrinsics). Code in those methods does not run then, and what JVM TI tells of the native ones
// is not told. So they are counted where they are called, by whatever they return, in compiled and
// interpreted code alike; the agent leaves out what the VM tells besides (instr/passes/alloc/dedup.c,
// which knows the same methods).

#include "rewriters/allocating_callees.h"

#include "classfile/opcodes.h"

#include <string.h>

static const struct maker {
    const char *class_name, *name, *descriptor;
    enum rw_allocating made;
} makers[] = {
    {"java/lang/reflect/Array", "newInstance", "(Ljava/lang/Class;I)Ljava/lang/Object;", RW_MADE},
    {"java/util/Arrays", "copyOf", "([Ljava/lang/Object;I)[Ljava/lang/Object;", RW_MADE},
    {"java/util/Arrays", "copyOf", "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;",
     RW_MADE},
    {"java/util/Arrays", "copyOfRange", "([Ljava/lang/Object;II)[Ljava/lang/Object;", RW_MADE},
    {"java/util/Arrays", "copyOfRange",
     "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;", RW_MADE},
    {"java/lang/StringUTF16", "toBytes", "([CII)[B", RW_MADE},
    {"jdk/internal/misc/Unsafe", "allocateUninitializedArray0",
     "(Ljava/lang/Class;I)Ljava/lang/Object;", RW_MADE},
    {"jdk/internal/misc/Unsafe", "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;",
     RW_MADE_OBJECT},
    {"sun/misc/Unsafe", "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;",
     RW_MADE_OBJECT},
};

static int is(struct cf_slice slice, const char *text) {
    return cf_slice_is(slice, text, strlen(text));
}

static const struct maker *maker_of(struct cf_slice class_name, struct cf_slice name,
                                    struct cf_slice descriptor) {
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (is(name, makers[i].name) && is(class_name, makers[i].class_name) &&
            is(descriptor, makers[i].descriptor))
            return &makers[i];
    return NULL;
}

// An array's clone() is Object's, whatever its class; super.clone() may be. A clone() that is
// called for any object may be anybody's.
static enum rw_allocating clone_by(unsigned op, struct cf_slice class_name) {
    if (op == CF_OP_invokevirtual && class_name.length > 0 && class_name.bytes[0] == '[')
        return RW_MADE;
    if (op != CF_OP_invokespecial) return RW_MADE_NOTHING;
    return CF_IS(class_name, "java/lang/Object") ? RW_MADE : RW_MADE_CLONE;
}

enum rw_allocating rw_allocated_by(const struct cf_code *code, uint32_t pc) {
    struct cf_slice class_name, name, descriptor;
    unsigned op = code->bytes[pc];
    if (!cf_reference(code->cls, cf_be2(code->bytes + pc + 1), &class_name, &name, &descriptor))
        return RW_MADE_NOTHING;
    if (name.length < 5) return RW_MADE_NOTHING; // most are not looked at any further
    if (CF_IS(name, "clone") && CF_IS(descriptor, "()Ljava/lang/Object;"))
        return clone_by(op, class_name);
    const struct maker *maker = maker_of(class_name, name, descriptor);
    return maker ? maker->made : RW_MADE_NOTHING;
}

int rw_is_maker(const struct cf_class *cls, const struct cf_member *method) {
    return maker_of(cf_this_name(cls), cf_member_name(cls, method),
                    cf_member_descriptor(cls, method)) != NULL;
}

// Method handles allocate in one place, and so does reflection from JDK 18 on. Before, and still
// when a property says so, it generates a class for a constructor that is called often.
int rw_makes_by_reflection(const char *name) {
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
