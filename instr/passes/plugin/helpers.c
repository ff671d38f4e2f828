// Classes stay in the bootstrap loader for good, and so do their bridges: a table has both.

#include "instr/passes/plugin/helpers.h"

#include "instr/base/hash.h"
#include "instr/vm/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct defined {
    struct defined *next;
    uint64_t hash; // of the helper's bytes
    char name[INSTR_PLUGIN_NAME], bridge[INSTR_PLUGIN_BRIDGE];
};

static struct {
    pthread_mutex_t lock;
    struct defined *first;
    unsigned count;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct defined *find(const char *name) {
    const struct defined *d = table.first;
    while (d && strcmp(d->name, name) != 0) d = d->next;
    return d;
}

// What the JVM says, in one line.
static void get_refusal(JNIEnv *jni, const char *name, char *reason, size_t size) {
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    jclass object = thrown ? (*jni)->FindClass(jni, "java/lang/Object") : NULL;
    jmethodID to_string =
        object ? (*jni)->GetMethodID(jni, object, "toString", "()Ljava/lang/String;") : NULL;
    jstring string = to_string ? (*jni)->CallObjectMethod(jni, thrown, to_string) : NULL;
    if ((*jni)->ExceptionCheck(jni)) string = NULL;
    (*jni)->ExceptionClear(jni);
    const char *text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
    snprintf(reason, size, "the JVM does not take the helper %s: %s", name,
             text ? text : "out of memory");
    if (text) (*jni)->ReleaseStringUTFChars(jni, string, text);
}

static bool define_class(JNIEnv *jni, const char *name, const uint8_t *bytes, size_t length,
                         char *reason, size_t size) {
    jclass cls = (*jni)->DefineClass(jni, name, NULL, (const jbyte *)bytes, (jsize)length);
    if (!cls) get_refusal(jni, name, reason, size);
    return cls;
}

static bool define_bridge(JNIEnv *jni, struct instr_plugin_helper *helper, char *reason,
                          size_t size) {
    const char *package = instr_runtime_current_package();
    struct cf_arena arena;
    struct cf_error error = {0};
    uint8_t *bytes = NULL;
    size_t length = 0;
    snprintf(helper->bridge, sizeof helper->bridge, "%sInstrHelper%u", package, ++table.count);
    cf_arena_init(&arena);
    bool ok = instr_plugin_bridge(helper, package, &arena, &bytes, &length, &error) == CF_OK;
    if (ok)
        ok = define_class(jni, helper->bridge, bytes, length, reason, size);
    else
        snprintf(reason, size, "helper %s: %s", helper->name, error.reason);
    cf_arena_free(&arena);
    return ok;
}

static bool define_helper(JNIEnv *jni, struct instr_plugin_helper *helper, char *reason,
                          size_t size) {
    uint64_t hash = instr_hash(helper->cls.bytes, helper->cls.length, 0);
    const struct defined *there = find(helper->name);
    struct defined *made = there ? NULL : calloc(1, sizeof *made);
    if (there) {
        strcpy(helper->bridge, there->bridge);
        if (there->hash == hash) return true;
        snprintf(reason, size, "another helper has the name %s: rename this one", helper->name);
        return false;
    }
    bool ok =
        made &&
        define_class(jni, helper->name, helper->cls.bytes, helper->cls.length, reason, size) &&
        define_bridge(jni, helper, reason, size);
    if (!made) snprintf(reason, size, "out of memory");
    if (!ok) {
        free(made);
        return false;
    }
    made->hash = hash;
    strcpy(made->name, helper->name);
    strcpy(made->bridge, helper->bridge);
    made->next = table.first;
    table.first = made;
    return true;
}

bool instr_plugin_define_helpers(JNIEnv *jni, const struct rw_pass *pass, char *reason,
                                 size_t size) {
    bool ok = true;
    if (!instr_plugin_helpers(pass)) return true;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "out of memory");
        return false;
    }
    pthread_mutex_lock(&table.lock);
    for (struct instr_plugin_helper *h = instr_plugin_helpers(pass); h && ok; h = h->next)
        ok = define_helper(jni, h, reason, size);
    pthread_mutex_unlock(&table.lock);
    (*jni)->PopLocalFrame(jni, NULL);
    return ok;
}
