#include "instr/vm/loaded_classes.h"

enum { MORE = 64 }; // references that callers make besides

bool instr_loaded_classes_open(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_loaded_classes *classes) {
    *classes = (struct instr_loaded_classes){jvmti, jni, NULL, 0};
    if ((*jni)->PushLocalFrame(jni, MORE) != 0) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    if ((*jvmti)->GetLoadedClasses(jvmti, &classes->count, &classes->all) != JVMTI_ERROR_NONE) {
        (*jni)->PopLocalFrame(jni, NULL);
        return false;
    }
    // There is now a local reference for each class; -Xcheck:jni expects their number.
    if ((*jni)->EnsureLocalCapacity(jni, classes->count + MORE) != JNI_OK)
        (*jni)->ExceptionClear(jni);
    return true;
}

void instr_loaded_classes_close(struct instr_loaded_classes *classes) {
    (*classes->jvmti)->Deallocate(classes->jvmti, (unsigned char *)classes->all);
    (*classes->jni)->PopLocalFrame(classes->jni, NULL);
}
