#include "instr/vm/jvmti.h"

void *instr_jvmti_allocate(void *jvmti, size_t size) {
    jvmtiEnv *env = jvmti;
    unsigned char *memory;
    return (*env)->Allocate(env, (jlong)size, &memory) == JVMTI_ERROR_NONE ? memory : NULL;
}

uint32_t instr_jvmti_line(jvmtiEnv *jvmti, jmethodID method, jlocation location) {
    jvmtiLineNumberEntry *table = NULL;
    jint count = 0;
    uint32_t line = 0;
    jlocation nearest = -1;
    if (location < 0 ||
        (*jvmti)->GetLineNumberTable(jvmti, method, &count, &table) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        if (table[i].start_location > location || table[i].start_location < nearest) continue;
        nearest = table[i].start_location;
        line = (uint32_t)table[i].line_number;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return line;
}
