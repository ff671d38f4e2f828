#include "instr/passes/kit/loaded.h"
#include "instr/base/array.h"
#include "instr/kit/bridge.h"
#include "instr/kit/weave.h"
#include "instr/passes/kit/define.h"
#include "instr/vm/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

// Takes the class if it is of a kit.
static bool take(struct instr_kit_loaded *loaded, jclass class, const char *signature) {
    size_t length = strlen(signature);
    if (length < 2 || *signature != 'L' || !strstr(signature, "$$instr$")) return false;
    if (!INSTR_ARRAY_RESERVE(loaded->classes, loaded->capacity, loaded->count + 1)) return false;
    char *name = strndup(signature + 1, length - 2);
    if (name) loaded->classes[loaded->count++] = (struct instr_kit_loaded_class){class, name};
    return name != NULL;
}

// The frame has the references until instr_kit_loaded_free.
bool instr_kit_loaded_find(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_kit_loaded *loaded) {
    *loaded = (struct instr_kit_loaded){0};
    if (!instr_loaded_classes_open(jvmti, jni, &loaded->list)) return false;
    const jclass *all = loaded->list.all;
    for (jint i = 0; i < loaded->list.count; i++) {
        char *signature = NULL;
        bool taken = false;
        if ((*jvmti)->GetClassSignature(jvmti, all[i], &signature, NULL) == JVMTI_ERROR_NONE) {
            taken = take(loaded, all[i], signature);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        }
        if (!taken) (*jni)->DeleteLocalRef(jni, all[i]);
    }
    return true;
}

void instr_kit_loaded_free(struct instr_kit_loaded *loaded) {
    for (size_t i = 0; i < loaded->count; i++) free(loaded->classes[i].name);
    free(loaded->classes);
    instr_loaded_classes_close(&loaded->list);
}

bool instr_kit_is_bridge(const struct instr_kit_advice *advice,
                         const struct instr_kit_loaded_class *class) {
    char package[NAME_SIZE], name[NAME_SIZE];
    struct cf_slice class_name = {(const uint8_t *)class->name, (uint32_t)strlen(class->name)};
    if (instr_kit_package(class_name, package, sizeof package) >= sizeof package) return false;
    return instr_kit_bridge_name(advice, package, name, sizeof name) < sizeof name &&
           strcmp(name, class->name) == 0;
}

static void loader_name(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, char *name, size_t size) {
    jobject loader = NULL;
    char *signature = NULL;
    *name = '\0';
    (*jvmti)->GetClassLoader(jvmti, class, &loader);
    jclass of = loader ? (*jni)->GetObjectClass(jni, loader) : NULL;
    if (of && (*jvmti)->GetClassSignature(jvmti, of, &signature, NULL) == JVMTI_ERROR_NONE) {
        signature[strlen(signature) - 1] = '\0';
        instr_kit_dotted(signature + 1, name, size);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
}

// What InstrKitFailure knows of the bridge.
static void read_failure(JNIEnv *jni, jclass bridge, char *text, size_t size) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%sInstrKitFailure", instr_runtime_current_package());
    jclass class = (*jni)->FindClass(jni, name);
    jmethodID of =
        class ? (*jni)->GetStaticMethodID(jni, class, "of", "(Ljava/lang/Class;)Ljava/lang/String;")
              : NULL;
    jstring string = of ? (*jni)->CallStaticObjectMethod(jni, class, of, bridge) : NULL;
    if ((*jni)->ExceptionCheck(jni)) string = NULL;
    (*jni)->ExceptionClear(jni);
    const char *found = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
    if (!found) return;
    snprintf(text, size, "%s", found);
    (*jni)->ReleaseStringUTFChars(jni, string, found);
}

void instr_kit_bridge_look(jvmtiEnv *jvmti, JNIEnv *jni, jclass bridge,
                           struct instr_kit_bridge_state *state) {
    *state = (struct instr_kit_bridge_state){.failures = 0};
    if ((*jni)->PushLocalFrame(jni, 16) == 0) {
        loader_name(jvmti, jni, bridge, state->loader, sizeof state->loader);
        jfieldID failures = (*jni)->GetStaticFieldID(jni, bridge, "failures", "I"),
                 off = failures ? (*jni)->GetStaticFieldID(jni, bridge, "off", "Z") : NULL;
        if (off) {
            state->failures = (unsigned)(*jni)->GetStaticIntField(jni, bridge, failures);
            state->off = (*jni)->GetStaticBooleanField(jni, bridge, off);
        }
        (*jni)->ExceptionClear(jni);
        if (state->failures) read_failure(jni, bridge, state->failure, sizeof state->failure);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    (*jni)->ExceptionClear(jni);
}
