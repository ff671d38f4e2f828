// redefine.c: see redefine.h

#include "instr/retransform/redefine.h"

#include "instr/vm/untouchable.h"
#include "instr/retransform/class_bytes.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/redefine_before.h"
#include "instr/retransform/redefine_rules.h"
#include "instr/retransform/retransform.h"
#include "instr/retransform/reconfigure.h"
#include "instr/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 1024 };

// What was there before a class was redefined. The reference is weak: the class may go.
struct kept {
    struct kept *next;
    jweak class;
    char *name;
    uint8_t *bytes;
    size_t length;
    uint8_t *now; // what is there instead; NULL: nothing yet
    size_t now_length;
    int fresh; // of the redefinition that is under way
};

static struct kept *kept; // of the thread that holds agent->switching

// --- finding a class ---

// com.acme.Foo or com/acme/Foo -> Lcom/acme/Foo;, to be freed.
static char *signature_of(const char *name) {
    size_t n = strlen(name);
    char *signature = malloc(n + 3);
    if (!signature) return NULL;
    signature[0] = 'L';
    for (size_t i = 0; i < n; i++) signature[i + 1] = name[i] == '.' ? '/' : name[i];
    strcpy(signature + n + 1, ";");
    return signature;
}

static int is_anonymous(jvmtiEnv *jvmti, jclass class, char *signature) {
    signature[strlen(signature) - 1] = '\0'; // Lname;
    return instr_is_anonymous(jvmti, class, signature + 1);
}

// Loaded classes of one name, one for each class loader that has it: local references, in memory
// of the VM's.
struct found {
    jclass *classes;
    unsigned count;
};

static void drop_found(struct instr_agent *agent, struct found *found) {
    (*agent->jvmti)->Deallocate(agent->jvmti, (unsigned char *)found->classes);
}

// 0: there is none that can be looked at, and `reason` says so.
static int find_classes(struct instr_agent *agent, JNIEnv *jni, const char *name,
                        struct found *found, char *reason, size_t size) {
    jvmtiEnv *jvmti = agent->jvmti;
    jint count = 0;
    jclass *classes = NULL;
    char *wanted = signature_of(name);
    *found = (struct found){NULL, 0};
    snprintf(reason, size, "%s: no class of that name is loaded", name);
    if (!wanted || (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        snprintf(reason, size, "the JVM does not tell which classes are loaded");
        free(wanted);
        return 0;
    }
    // There is a local reference for each now; -Xcheck:jni wants to be told.
    if ((*jni)->EnsureLocalCapacity(jni, count + 64) != JNI_OK) (*jni)->ExceptionClear(jni);
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;
        int is =
            (*jvmti)->GetClassSignature(jvmti, classes[i], &signature, NULL) == JVMTI_ERROR_NONE &&
            strcmp(signature, wanted) == 0;
        if (is && is_anonymous(jvmti, classes[i], signature)) {
            snprintf(reason, size, "%s: %s", name,
                     instr_retransform_reason(JVMTI_ERROR_UNMODIFIABLE_CLASS));
            is = 0;
        }
        if (signature) (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        if (is)
            classes[found->count++] = classes[i];
        else
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    found->classes = classes;
    free(wanted);
    if (found->count == 0) drop_found(agent, found);
    return found->count != 0;
}

// --- looking at classes ---

// What took the place of the class here; NULL: nothing.
static const struct kept *replaced(JNIEnv *jni, jclass class) {
    for (const struct kept *k = kept; k; k = k->next)
        if (k->now && (*jni)->IsSameObject(jni, k->class, class)) return k;
    return NULL;
}

static void lock(struct instr_agent *agent) {
    atomic_fetch_add(&agent->waiting, 1);
    pthread_mutex_lock(&agent->switching);
    atomic_fetch_sub(&agent->waiting, 1);
}

static void unlock(struct instr_agent *agent) {
    pthread_mutex_unlock(&agent->switching);
}

static uint8_t *copy_of_now(JNIEnv *jni, jclass class, size_t *length) {
    const struct kept *k = replaced(jni, class);
    uint8_t *copy = k ? malloc(k->now_length) : NULL;
    if (!copy) return NULL;
    *length = k->now_length;
    return memcpy(copy, k->now, k->now_length);
}

static uint8_t *capture(struct instr_agent *agent, JNIEnv *jni, jclass class, int original,
                        size_t *length, char *reason, size_t size) {
    const struct kept *k = original ? NULL : replaced(jni, class);
    const jvmtiClassDefinition now = {class, k ? (jint)k->now_length : 0, k ? k->now : NULL};
    return instr_class_bytes(agent, jni, class, k ? &now : NULL, original, length, reason, size);
}

uint8_t *instr_redefine_dump(struct instr_agent *agent, JNIEnv *jni, const char *name, int original,
                             size_t *length, unsigned *loaders, char *reason, size_t size) {
    struct found found;
    uint8_t *bytes = NULL;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    lock(agent);
    if (find_classes(agent, jni, name, &found, reason, size)) {
        char why[INSTR_ERROR_SIZE];
        jclass class = found.classes[0];
        if (original) bytes = copy_of_now(jni, class, length);
        if (!bytes) bytes = capture(agent, jni, class, original, length, why, sizeof why);
        if (!bytes) snprintf(reason, size, "%s: %s", name, why);
        drop_found(agent, &found);
    }
    unlock(agent);
    if (loaders) *loaders = found.count;
    (*jni)->PopLocalFrame(jni, NULL);
    return bytes;
}

// --- redefining ---

static int is_kept(JNIEnv *jni, jclass class) {
    for (struct kept *k = kept; k; k = k->next)
        if ((*jni)->IsSameObject(jni, k->class, class)) return 1;
    return 0;
}

// Remembers what was there, unless it is remembered already. `bytes` is taken over.
static int keep(JNIEnv *jni, jclass class, const char *name, uint8_t *bytes, size_t length) {
    struct kept *k = is_kept(jni, class) ? NULL : calloc(1, sizeof *k);
    if (!k) {
        free(bytes);
        return is_kept(jni, class);
    }
    *k = (struct kept){
        kept, (*jni)->NewWeakGlobalRef(jni, class), strdup(name), bytes, length, NULL, 0, 1};
    if (k->class && k->name) {
        kept = k;
        return 1;
    }
    if (k->class) (*jni)->DeleteWeakGlobalRef(jni, k->class);
    free(k->name);
    free(k->bytes);
    free(k);
    return 0;
}

static void forget(JNIEnv *jni, struct kept **at) {
    struct kept *k = *at;
    *at = k->next;
    (*jni)->DeleteWeakGlobalRef(jni, k->class);
    free(k->name);
    free(k->bytes);
    free(k->now);
    free(k);
}

// Remembers what takes the place.
static void note_now(JNIEnv *jni, const jvmtiClassDefinition *definition) {
    for (struct kept *k = kept; k; k = k->next) {
        size_t length = (size_t)definition->class_byte_count;
        uint8_t *copy = NULL;
        if (!(*jni)->IsSameObject(jni, k->class, definition->klass) || !(copy = malloc(length)))
            continue;
        memcpy(copy, definition->class_bytes, length);
        free(k->now);
        k->now = copy;
        k->now_length = length;
    }
}

// What was remembered for a redefinition stays, or goes when it failed.
static void settle_skipped(JNIEnv *jni, int stays) {
    for (struct kept **at = &kept; *at;) {
        if ((*at)->fresh && !stays) {
            forget(jni, at);
            continue;
        }
        (*at)->fresh = 0;
        at = &(*at)->next;
    }
}

// Is the class among those that will be redefined together already?
static int is_twice(const struct instr_new_class *classes, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (strcmp(classes[k].name, classes[i].name) == 0) return 1;
    return 0;
}

// What is redefined at once. Its classes are local references.
struct redefinition {
    jvmtiClassDefinition *list;
    size_t count;
};

static int put_on(struct redefinition *r, jclass class, const struct instr_new_class *c) {
    jvmtiClassDefinition *list = realloc(r->list, (r->count + 1) * sizeof *list);
    if (!list) return 0;
    r->list = list;
    r->list[r->count++] = (jvmtiClassDefinition){class, (jint)c->length, c->bytes};
    return 1;
}

// Checks a file against a class that is loaded, and remembers that.
static int prepare_class(struct instr_agent *agent, JNIEnv *jni, const struct instr_new_class *c,
                         jclass class, struct redefinition *r, char *reason, size_t size) {
    char why[INSTR_ERROR_SIZE] = "out of memory";
    size_t length;
    uint8_t *bytes = capture(agent, jni, class, 1, &length, why, sizeof why);
    if (bytes &&
        !instr_redefine_check(agent->jvmti, bytes, length, c->bytes, c->length, why, sizeof why)) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes && !is_kept(jni, class))
        bytes = instr_redefine_before(agent, jni, class, c->name, bytes, &length);
    if (bytes && keep(jni, class, c->name, bytes, length) && put_on(r, class, c)) return 1;
    snprintf(reason, size, "%s: %s", c->name, bytes ? "out of memory" : why);
    return 0;
}

// The same for the class of that name, or those of several loaders.
static int prepare(struct instr_agent *agent, JNIEnv *jni, struct instr_new_class *classes,
                   size_t i, int all_loaders, struct redefinition *r, char *reason, size_t size) {
    struct instr_new_class *c = &classes[i];
    char why[INSTR_ERROR_SIZE];
    struct found found;
    c->name = instr_redefine_name(c->bytes, c->length, why, sizeof why);
    if (!c->name) {
        snprintf(reason, size, "%s: %s", c->file, why);
        return 0;
    }
    if (is_twice(classes, i)) {
        snprintf(reason, size, "%s: %s is given twice", c->file, c->name);
        return 0;
    }
    if (!find_classes(agent, jni, c->name, &found, reason, size)) return 0;
    int ok = all_loaders || found.count == 1;
    if (!ok)
        snprintf(reason, size,
                 "%s: is loaded by %u class loaders; with --all-loaders it is changed in all",
                 c->name, found.count);
    for (unsigned k = 0; ok && k < found.count; k++)
        ok = prepare_class(agent, jni, c, found.classes[k], r, reason, size);
    c->loaders = found.count;
    drop_found(agent, &found);
    return ok;
}

static int take_capability(struct instr_agent *agent, char *reason, size_t size) {
    jvmtiCapabilities wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.can_redefine_classes = 1;
    wanted.can_redefine_any_class = 1;
    if ((*agent->jvmti)->AddCapabilities(agent->jvmti, &wanted) == JVMTI_ERROR_NONE) return 1;
    snprintf(reason, size, "this JVM cannot redefine classes");
    return 0;
}

static int redefine(struct instr_agent *agent, JNIEnv *jni, jint count,
                    const jvmtiClassDefinition *definitions, const char *first, char *reason,
                    size_t size) {
    instr_hook_batch_begin();
    jvmtiError error = (*agent->jvmti)->RedefineClasses(agent->jvmti, count, definitions);
    instr_hook_batch_end(error == JVMTI_ERROR_NONE);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    if (error == JVMTI_ERROR_NONE) return 1;
    if (count == 1)
        snprintf(reason, size, "%s: %s", first, instr_retransform_reason(error));
    else
        snprintf(reason, size, "%s, or one of the %d others: %s; none was changed", first,
                 (int)count - 1, instr_retransform_reason(error));
    return 0;
}

int instr_redefine(struct instr_agent *agent, JNIEnv *jni, struct instr_new_class *classes,
                   size_t count, int all_loaders, char *reason, size_t size) {
    struct redefinition r = {NULL, 0};
    if (count == 0 || count > MOST_CLASSES) {
        snprintf(reason, size, "1 to %d class files are expected", MOST_CLASSES);
        return 0;
    }
    if ((*jni)->PushLocalFrame(jni, (jint)count + 64) != 0) {
        if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "out of memory");
        return 0;
    }
    lock(agent);
    int ok = take_capability(agent, reason, size);
    for (size_t i = 0; ok && i < count; i++)
        ok = prepare(agent, jni, classes, i, all_loaders, &r, reason, size);
    if (ok) ok = redefine(agent, jni, (jint)r.count, r.list, classes[0].name, reason, size);
    for (size_t i = 0; ok && i < r.count; i++) note_now(jni, &r.list[i]);
    settle_skipped(jni, ok);
    unlock(agent);
    (*jni)->PopLocalFrame(jni, NULL);
    free(r.list);
    return ok;
}

int instr_redefine_any(void) {
    return kept != NULL;
}

void instr_redefine_again(struct instr_agent *agent, JNIEnv *jni) {
    char reason[INSTR_ERROR_SIZE];
    for (struct kept *k = kept; k; k = k->next) {
        jclass class = k->now ? (*jni)->NewLocalRef(jni, k->class) : NULL;
        if (!class) continue;
        const jvmtiClassDefinition definition = {class, (jint)k->now_length, k->now};
        if (!redefine(agent, jni, 1, &definition, k->name, reason, sizeof reason)) {
            char line[INSTR_ERROR_SIZE + 64];
            snprintf(line, sizeof line, "instr: no longer as it was redefined: %s", reason);
            instr_say(line);
        }
        (*jni)->DeleteLocalRef(jni, class);
    }
}

static int is_named(const struct kept *k, const char *name) {
    if (!name) return 1;
    for (size_t i = 0;; i++) {
        char c = name[i] == '.' ? '/' : name[i];
        if (c != k->name[i]) return 0;
        if (!c) return 1;
    }
}

// The classes that are there still, as definitions of what they were. How many.
static size_t collect_skipped(JNIEnv *jni, const char *name, jvmtiClassDefinition *definitions) {
    size_t count = 0;
    for (struct kept **at = &kept; *at;) {
        jclass class = (*jni)->NewLocalRef(jni, (*at)->class);
        if (!class) {
            forget(jni, at);
            continue;
        }
        if (is_named(*at, name))
            definitions[count++] = (jvmtiClassDefinition){class, (jint)(*at)->length, (*at)->bytes};
        at = &(*at)->next;
    }
    return count;
}

int instr_redefine_undo(struct instr_agent *agent, JNIEnv *jni, const char *name,
                        void (*each)(void *context, const char *name), void *context, char *reason,
                        size_t size) {
    size_t all = 0, count = 0;
    int ok = 0;
    lock(agent);
    for (struct kept *k = kept; k; k = k->next) all++;
    jvmtiClassDefinition *definitions = calloc(all + 1, sizeof *definitions);
    int framed = definitions && (*jni)->PushLocalFrame(jni, (jint)all + 64) == 0;
    if (framed) count = collect_skipped(jni, name, definitions);
    if (!framed)
        snprintf(reason, size, "out of memory");
    else if (count == 0)
        snprintf(reason, size, "%s%s", name ? name : "no class",
                 name ? ": was not redefined here, or is gone" : " was redefined here");
    else
        ok = redefine(agent, jni, (jint)count, definitions, name ? name : "a class", reason, size);
    for (struct kept **at = &kept; ok && *at;) {
        if (!is_named(*at, name)) {
            at = &(*at)->next;
            continue;
        }
        each(context, (*at)->name);
        forget(jni, at);
    }
    unlock(agent);
    if (framed) (*jni)->PopLocalFrame(jni, NULL);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    free(definitions);
    return ok;
}

size_t instr_redefine_bytes(void) {
    size_t bytes = 0;
    for (struct kept *k = kept; k; k = k->next) bytes += sizeof *k + k->length + k->now_length;
    return bytes;
}
