#include "instr/passes/kit/states.h"

#include "instr/kit/option.h"
#include "instr/kit/template.h"
#include "instr/kit/weave.h"

#include <string.h>

enum { NAME_SIZE = 1024 };

static jobject state_in(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jfieldID field,
                        const char *type) {
    jint flags = 0;
    if (strcmp(type, "Ljava/lang/InstrKitState;") != 0 ||
        (*jvmti)->GetFieldModifiers(jvmti, class, field, &flags) != JVMTI_ERROR_NONE ||
        !(flags & CF_ACC_STATIC))
        return NULL;
    return (*jni)->GetStaticObjectField(jni, class, field);
}

void instr_kit_states_each(jvmtiEnv *jvmti, JNIEnv *jni, jclass class,
                           void (*visit)(void *context, const char *field, jobject state),
                           void *context) {
    jfieldID *fields = NULL;
    jint count = 0;
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &fields) != JVMTI_ERROR_NONE) return;
    for (jint i = 0; i < count; i++) {
        char *name = NULL, *type = NULL;
        if ((*jvmti)->GetFieldName(jvmti, class, fields[i], &name, &type, NULL) != JVMTI_ERROR_NONE)
            continue;
        jobject state = state_in(jvmti, jni, class, fields[i], type);
        if (state) visit(context, name, state);
        (*jni)->DeleteLocalRef(jni, state);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)type);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
}

bool instr_kit_has_class(const struct instr_kit *kit, const struct instr_kit_loaded_class *class,
                         const char **original) {
    char package[NAME_SIZE], name[NAME_SIZE];
    struct cf_slice class_name = {(const uint8_t *)class->name, (uint32_t)strlen(class->name)};
    if (instr_kit_package(class_name, package, sizeof package) >= sizeof package) return false;
    for (size_t i = 0; i < kit->class_count; i++) {
        instr_kit_expand(kit->classes[i].name, package, name, sizeof name);
        *original = kit->classes[i].original;
        if (strcmp(name, class->name) == 0) return true;
    }
    return false;
}

// --- clearing ---

struct clearing {
    JNIEnv *jni;
    const struct instr_options *on;
    const struct instr_kit_loaded_class *class;
};

static bool is_on(const struct clearing *c) {
    const char *ignored;
    for (size_t i = 0; i < c->on->pass_count; i++) {
        const struct rw_pass *pass = c->on->passes[i].pass;
        if (pass->made && strcmp(pass->made->kind, instr_kit_source.key) == 0 &&
            instr_kit_has_class(instr_kit_of(pass), c->class, &ignored))
            return true;
    }
    return false;
}

static void clear(void *clearing, const char *field, jobject state) {
    struct clearing *c = clearing;
    JNIEnv *jni = c->jni;
    (void)field;
    if (is_on(c)) return;
    jclass type = (*jni)->GetObjectClass(jni, state);
    jmethodID method = (*jni)->GetMethodID(jni, type, "clear", "()V");
    if (method) (*jni)->CallVoidMethod(jni, state, method);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, type);
}

void instr_kit_states_clear(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *on) {
    struct instr_kit_loaded loaded;
    if (!instr_kit_loaded_find(jvmti, jni, &loaded)) return;
    for (size_t i = 0; i < loaded.count; i++) {
        struct clearing c = {jni, on, &loaded.classes[i]};
        instr_kit_states_each(jvmti, jni, c.class->class, clear, &c);
    }
    instr_kit_loaded_free(&loaded);
}
