// interfaces.c: see interfaces.h

#include "instr/vm/interfaces.h"

#include <inttypes.h>
#include <stdio.h>

enum { PRIVATE = 0x0002, STATIC = 0x0008, ABSTRACT = 0x0400 }; // JVMS 4.6

enum instr_interface instr_interface_of(jvmtiEnv *jvmti, jclass class) {
    jboolean is_interface = JNI_FALSE;
    jint count = 0;
    jmethodID *methods = NULL;
    int held = 0, code = 0;
    if ((*jvmti)->IsInterface(jvmti, class, &is_interface) != JVMTI_ERROR_NONE || !is_interface)
        return INSTR_INTERFACE_NONE;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) != JVMTI_ERROR_NONE)
        return INSTR_INTERFACE_CODE;
    for (jint i = 0; i < count; i++) {
        jint modifiers = 0; // where that fails it counts as both
        (*jvmti)->GetMethodModifiers(jvmti, methods[i], &modifiers);
        held |= !(modifiers & (PRIVATE | STATIC));
        code |= !(modifiers & ABSTRACT);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    if (!held) return INSTR_INTERFACE_NONE;
    return code ? INSTR_INTERFACE_CODE : INSTR_INTERFACE_BARE;
}

void instr_interfaces_tell(uint64_t count, char *line, size_t size) {
    snprintf(line, size, "%" PRIu64 " interface%s left as %s: " INSTR_INTERFACE_REASON, count,
             count == 1 ? "" : "s", count == 1 ? "it was" : "they were");
}
