#include "instr/passes/kit/define.h"
#include "instr/kit/template.h"
#include "instr/passes/kit/reads.h"
#include "instr/vm/runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

// Where classes are defined, and as whose.
struct defining {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    const struct instr_kit *kit;
    jobject loader;
    const char *package;
};

void instr_kit_dotted(const char *name, char *text, size_t size) {
    snprintf(text, size, "%s", name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
}

// The class that is in the loader already; no code of the loader runs. NULL: none.
static jclass find(const struct defining *d, jobject loader, const char *name) {
    JNIEnv *jni = d->jni;
    char dotted[NAME_SIZE];
    instr_kit_dotted(name, dotted, sizeof dotted);
    jclass meta = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID for_name = meta ? (*jni)->GetStaticMethodID(
                                    jni, meta, "forName",
                                    "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;")
                              : NULL;
    jstring text = for_name ? (*jni)->NewStringUTF(jni, dotted) : NULL;
    jclass found =
        text ? (*jni)->CallStaticObjectMethod(jni, meta, for_name, text, JNI_FALSE, loader) : NULL;
    if (!(*jni)->ExceptionCheck(jni)) return found;
    (*jni)->ExceptionClear(jni);
    return NULL;
}

// Has the class the kit's mark?
static bool is_ours(const struct defining *d, jclass class) {
    char *source = NULL;
    if ((*d->jvmti)->GetSourceFileName(d->jvmti, class, &source) != JVMTI_ERROR_NONE) return false;
    bool ours = strcmp(source, d->kit->marker) == 0;
    (*d->jvmti)->Deallocate(d->jvmti, (unsigned char *)source);
    return ours;
}

// What the JVM says, in one line.
static void get_refusal(JNIEnv *jni, const char *name, jthrowable thrown, char *reason,
                        size_t size) {
    jclass object = (*jni)->FindClass(jni, "java/lang/Object");
    jmethodID to_string =
        object ? (*jni)->GetMethodID(jni, object, "toString", "()Ljava/lang/String;") : NULL;
    jstring string = thrown && to_string ? (*jni)->CallObjectMethod(jni, thrown, to_string) : NULL;
    if ((*jni)->ExceptionCheck(jni)) string = NULL;
    (*jni)->ExceptionClear(jni);
    const char *text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
    snprintf(reason, size, "the JVM does not take %s: %s", name, text ? text : "out of memory");
    if (text) (*jni)->ReleaseStringUTFChars(jni, string, text);
}

// The names of a bridge's fields in the form that the JDK before 12 takes; NULL: an exception may be pending.
static jobjectArray field_names(JNIEnv *jni) {
    static const char *const names[] = {"off", "busy", "failures"};
    enum { COUNT = sizeof names / sizeof *names };
    jclass string = (*jni)->FindClass(jni, "java/lang/String");
    jmethodID intern =
        string ? (*jni)->GetMethodID(jni, string, "intern", "()Ljava/lang/String;") : NULL;
    jobjectArray array = intern ? (*jni)->NewObjectArray(jni, COUNT, string, NULL) : NULL;
    for (jsize i = 0; array && i < COUNT; i++) {
        jstring name = (*jni)->NewStringUTF(jni, names[i]);
        if (!name) return NULL;
        name = (*jni)->CallObjectMethod(jni, name, intern); // JDK 8 compares by identity
        if ((*jni)->ExceptionCheck(jni)) return NULL;
        (*jni)->SetObjectArrayElement(jni, array, i, name);
        if ((*jni)->ExceptionCheck(jni)) return NULL;
    }
    return array;
}

// How the JDK hides fields from reflection: a map of classes, and a method that copies it for each class that it
// adds, which for ten bridges takes as long as defining them. If the map is one of ours, bridges are put into it.
struct hiding {
    jclass reflection, table;       // the second: ConcurrentHashMap
    jmethodID hide, new_table, put; // of the JDK's class; of the table, NULL: not known
    jfieldID map;
    jobject names;
};

static void find_table(JNIEnv *jni, struct hiding *h) {
    h->map = (*jni)->GetStaticFieldID(jni, h->reflection, "fieldFilterMap", "Ljava/util/Map;");
    h->table = h->map ? (*jni)->FindClass(jni, "java/util/concurrent/ConcurrentHashMap") : NULL;
    h->new_table =
        h->table ? (*jni)->GetMethodID(jni, h->table, "<init>", "(Ljava/util/Map;)V") : NULL;
    h->put = h->new_table ? (*jni)->GetMethodID(jni, h->table, "put",
                                                "(Ljava/lang/Object;Ljava/lang/Object;)"
                                                "Ljava/lang/Object;")
                          : NULL;
    (*jni)->ExceptionClear(jni);
}

// From JDK 12 on there is a set that stands for all members.
static struct hiding find_hiding(JNIEnv *jni) {
    static const char *const name = "registerFieldsToFilter";
    struct hiding h = {.reflection = (*jni)->FindClass(jni, "jdk/internal/reflect/Reflection")};
    jfieldID all =
        h.reflection ? (*jni)->GetStaticFieldID(jni, h.reflection, "ALL_MEMBERS", "Ljava/util/Set;")
                     : NULL;
    (*jni)->ExceptionClear(jni);
    if (!h.reflection) h.reflection = (*jni)->FindClass(jni, "sun/reflect/Reflection"); // JDK 8
    if (h.reflection)
        h.hide = (*jni)->GetStaticMethodID(jni, h.reflection, name,
                                           all ? "(Ljava/lang/Class;Ljava/util/Set;)V"
                                               : "(Ljava/lang/Class;[Ljava/lang/String;)V");
    if (h.hide)
        h.names = all ? (*jni)->GetStaticObjectField(jni, h.reflection, all) : field_names(jni);
    if ((*jni)->ExceptionCheck(jni)) h.names = NULL;
    (*jni)->ExceptionClear(jni);
    if (h.names) find_table(jni, &h);
    return h;
}

// The same, for all bridges: references that stay. NULL: nothing hides fields, or out of memory.
static const struct hiding *get_hiding(JNIEnv *jni) {
    static struct hiding *_Atomic known;
    struct hiding *none = NULL, *hiding = atomic_load(&known), found;
    if (hiding) return hiding;
    found = find_hiding(jni);
    if (!found.names || !(hiding = malloc(sizeof *hiding))) return NULL;
    found.reflection = (*jni)->NewGlobalRef(jni, found.reflection);
    found.names = (*jni)->NewGlobalRef(jni, found.names);
    if (found.put) found.table = (*jni)->NewGlobalRef(jni, found.table);
    if (!found.table) found.put = NULL;
    *hiding = found;
    if (found.reflection && found.names && atomic_compare_exchange_strong(&known, &none, hiding))
        return hiding;
    if (found.reflection) (*jni)->DeleteGlobalRef(jni, found.reflection);
    if (found.names) (*jni)->DeleteGlobalRef(jni, found.names);
    if (found.put) (*jni)->DeleteGlobalRef(jni, found.table);
    free(hiding);
    return atomic_load(&known);
}

// With the lock of the JDK's method held. False: an exception is pending.
static bool put_into_map(JNIEnv *jni, const struct hiding *h, jclass bridge) {
    jobject map = (*jni)->GetStaticObjectField(jni, h->reflection, h->map);
    bool ours = map && (*jni)->IsInstanceOf(jni, map, h->table);
    if (map && !ours) map = (*jni)->NewObject(jni, h->table, h->new_table, map);
    if (!map || (*jni)->ExceptionCheck(jni)) return false;
    (*jni)->CallObjectMethod(jni, map, h->put, bridge, h->names);
    if ((*jni)->ExceptionCheck(jni)) return false;
    if (!ours) (*jni)->SetStaticObjectField(jni, h->reflection, h->map, map);
    return true;
}

static bool hide_quickly(JNIEnv *jni, const struct hiding *h, jclass bridge) {
    if (!h->put || (*jni)->MonitorEnter(jni, h->reflection) != JNI_OK) return false;
    bool done = put_into_map(jni, h, bridge);
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    (*jni)->MonitorExit(jni, h->reflection);
    return done && !thrown;
}

// Hides the fields of a bridge in java.lang from reflection, by the JDK's own list of hidden fields: code that
// switches a deny-list off should need more than setAccessible. The list keeps classes alive, so classes in
// loaders that may end are not in it.
static void hide_fields(JNIEnv *jni, jclass bridge) {
    const struct hiding *h = get_hiding(jni);
    if (h && !hide_quickly(jni, h, bridge))
        (*jni)->CallStaticVoidMethod(jni, h->reflection, h->hide, bridge, h->names);
    (*jni)->ExceptionClear(jni);
}

void instr_kit_define_ready(JNIEnv *jni) {
    static bool ready; // one kit at a time starts
    jclass own = ready ? NULL : instr_runtime_class("InstrKitFailure");
    if (!own || (*jni)->PushLocalFrame(jni, 32) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    hide_fields(jni, own);
    (*jni)->PopLocalFrame(jni, NULL);
    ready = true;
}

// The bridge is initialized here: in advised code that could fail for want of stack, and would not be tried again.
static bool initialize(const struct defining *d, jclass bridge, bool boot) {
    JNIEnv *jni = d->jni;
    jint status = 0;
    (*d->jvmti)->GetClassStatus(d->jvmti, bridge, &status);
    if (status & JVMTI_CLASS_STATUS_INITIALIZED) return true;
    if (boot) hide_fields(jni, bridge);
    if ((*jni)->GetStaticFieldID(jni, bridge, "off", "Z")) return true;
    (*jni)->ExceptionClear(jni);
    return false;
}

// The class; NULL: `reason` says why.
static jclass define(const struct defining *d, jobject loader, const char *name,
                     const uint8_t *bytes, size_t length, char *reason, size_t size) {
    JNIEnv *jni = d->jni;
    jclass made = (*jni)->DefineClass(jni, name, loader, (const jbyte *)bytes, (jsize)length);
    if (made) return made;
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    jclass there = find(d, loader, name);
    if (there && is_ours(d, there)) return there;
    char dotted[NAME_SIZE];
    instr_kit_dotted(name, dotted, sizeof dotted);
    if (there)
        snprintf(reason, size, "another class has the name %s: rename the advice class", dotted);
    else
        get_refusal(jni, dotted, thrown, reason, size);
    return NULL;
}

static void *allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static bool define_class(const struct defining *d, const struct instr_kit_class *c, char *reason,
                         size_t size) {
    char name[NAME_SIZE];
    uint8_t *bytes = NULL;
    size_t length = 0;
    instr_kit_expand(c->name, d->package, name, sizeof name);
    if (!instr_kit_class_bytes(c, d->package, allocate, NULL, &bytes, &length)) {
        snprintf(reason, size, "out of memory");
        return false;
    }
    // A kit may have thousands of classes: each has a frame of its own for its references.
    bool framed = (*d->jni)->PushLocalFrame(d->jni, 64) == 0, ok = false;
    if (framed) {
        if (!c->boot)
            instr_kit_read_modules(d->jvmti, d->jni, d->loader, d->package, bytes, length);
        ok = define(d, c->boot ? NULL : d->loader, name, bytes, length, reason, size) != NULL;
        (*d->jni)->PopLocalFrame(d->jni, NULL);
    } else {
        (*d->jni)->ExceptionClear(d->jni);
        snprintf(reason, size, "out of memory");
    }
    free(bytes);
    return ok;
}

static bool define_bridge(const struct defining *d, const struct instr_kit_advice *advice,
                          const struct instr_kit_jvm *jvm, char *reason, size_t size) {
    struct cf_arena arena;
    struct cf_error error = {0};
    char name[NAME_SIZE];
    const uint8_t *bytes;
    size_t length;
    bool boot = advice->classes[advice->class_count - 1]->boot;
    cf_arena_init(&arena);
    bool ok =
        instr_kit_bridge(d->kit, advice, d->package, jvm, &arena, &bytes, &length, &error) == CF_OK;
    instr_kit_bridge_name(advice, d->package, name, sizeof name);
    jclass bridge =
        ok ? define(d, boot ? NULL : d->loader, name, bytes, length, reason, size) : NULL;
    if (!ok) snprintf(reason, size, "%s", error.reason);
    ok = bridge && initialize(d, bridge, boot);
    if (bridge && !ok) snprintf(reason, size, "out of memory");
    cf_arena_free(&arena);
    return ok;
}

bool instr_kit_define(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_kit *kit,
                      const struct instr_kit_advice *advice, jobject loader, const char *package,
                      const struct instr_kit_jvm *jvm, char *reason, size_t size) {
    const struct defining d = {jvmti, jni, kit, loader, package};
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "out of memory");
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < advice->class_count && ok; i++)
        ok = define_class(&d, advice->classes[i], reason, size);
    ok = ok && define_bridge(&d, advice, jvm, reason, size);
    (*jni)->PopLocalFrame(jni, NULL);
    return ok;
}

// Do its classes name types of the kit, or does code that is woven for it call InstrKitArguments?
static bool needs_types(const struct instr_kit *kit) {
    bool needs = kit->names_types;
    for (size_t i = 0; i < kit->advice_count; i++)
        for (unsigned r = 0; r < INSTR_KIT_ROLES; r++) {
            const struct instr_kit_method *m = kit->advices[i].methods[r];
            needs = needs || (m && r == INSTR_KIT_INSTEAD);
            for (size_t k = 0; m && k < m->parameter_count; k++)
                needs = needs || m->parameters[k].value == INSTR_KIT_ALL;
        }
    return needs;
}

// They are the agent's own names: a class that is there was defined before the agent was detached. Looked for only
// then, because the JVM asks loaders for a class that is missing.
bool instr_kit_define_types(JNIEnv *jni, const struct instr_kit *kit, char *reason, size_t size) {
    static bool defined; // one kit at a time starts, or is reloaded
    if (defined || !needs_types(kit)) return true;
    for (const struct instr_kit_runtime_class *c = instr_kit_runtime_classes; c->name; c++) {
        jclass there =
            (*jni)->DefineClass(jni, c->name, NULL, (const jbyte *)c->bytes, (jsize)c->length);
        (*jni)->ExceptionClear(jni);
        if (!there) there = (*jni)->FindClass(jni, c->name);
        (*jni)->ExceptionClear(jni);
        if (!there) {
            snprintf(reason, size, "the JVM refuses to define %s", c->name);
            return false;
        }
        (*jni)->DeleteLocalRef(jni, there);
    }
    defined = true;
    return true;
}
