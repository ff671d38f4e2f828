#include "instr/passes/rule/fields.h"

#include "instr/vm/runtime.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

// Never disposed of, because threads may be in a rule that has ended.
static jvmtiEnv *fields;

// The field of this name that the class declares. NULL: there is none, or it is static; or there are
// several, which differ in their types: Unsafe, which tells the place of one, knows names alone.
static jfieldID find(jclass class, const char *name) {
    jfieldID *all, found = NULL;
    jint count, modifiers, same = 0;
    if ((*fields)->GetClassFields(fields, class, &count, &all) != JVMTI_ERROR_NONE) return NULL;
    for (jint i = 0; i < count; i++) {
        char *other;
        if ((*fields)->GetFieldName(fields, class, all[i], &other, NULL, NULL) != JVMTI_ERROR_NONE)
            continue;
        if (strcmp(other, name) == 0) {
            found = all[i];
            same++;
        }
        (*fields)->Deallocate(fields, (unsigned char *)other);
    }
    (*fields)->Deallocate(fields, (unsigned char *)all);
    bool is_one =
        same == 1 &&
        (*fields)->GetFieldModifiers(fields, class, found, &modifiers) == JVMTI_ERROR_NONE &&
        !(modifiers & ACC_STATIC);
    return is_one ? found : NULL;
}

static jfieldID find_named(JNIEnv *jni, jclass class, jstring name) {
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    jfieldID field = text ? find(class, text) : NULL;
    if (text) (*jni)->ReleaseStringUTFChars(jni, name, text);
    return field;
}

static jstring JNICALL native_descriptor(JNIEnv *jni, jclass natives, jclass class, jstring name) {
    (void)natives;
    char *descriptor;
    jfieldID field = find_named(jni, class, name);
    if (!field ||
        (*fields)->GetFieldName(fields, class, field, NULL, &descriptor, NULL) != JVMTI_ERROR_NONE)
        return NULL;
    jstring text = (*jni)->NewStringUTF(jni, descriptor);
    (*fields)->Deallocate(fields, (unsigned char *)descriptor);
    return text;
}

static jobject JNICALL native_field(JNIEnv *jni, jclass natives, jclass class, jstring name) {
    (void)natives;
    jfieldID field = find_named(jni, class, name);
    return field ? (*jni)->ToReflectedField(jni, class, field, JNI_FALSE) : NULL;
}

bool instr_rule_fields_start(JNIEnv *jni) {
    static char descriptor[] = "descriptor", field[] = "field";
    static char to_text[] = "(Ljava/lang/Class;Ljava/lang/String;)Ljava/lang/String;";
    static char to_field[] = "(Ljava/lang/Class;Ljava/lang/String;)Ljava/lang/reflect/Field;";
    const JNINativeMethod methods[] = {{descriptor, to_text, (void *)native_descriptor},
                                       {field, to_field, (void *)native_field}};
    JavaVM *vm;
    jclass natives = instr_runtime_class("InstrRuleNative");
    if (!fields && ((*jni)->GetJavaVM(jni, &vm) != JNI_OK ||
                    (*vm)->GetEnv(vm, (void **)&fields, JVMTI_VERSION_1_2) != JNI_OK))
        fields = NULL;
    bool ok = fields && natives && (*jni)->RegisterNatives(jni, natives, methods, 2) == 0;
    (*jni)->ExceptionClear(jni);
    return ok;
}
