// Reading, replacing and restoring the bytes of loaded classes.

#include "instr/retransform/redefine.h"

#include "instr/base/array.h"
#include "instr/vm/untouchable.h"
#include "instr/retransform/class_bytes.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/redefine_before.h"
#include "instr/retransform/redefine_rules.h"
#include "instr/retransform/redefine_watch.h"
#include "instr/retransform/retransform.h"
#include "instr/retransform/reconfigure.h"
#include "instr/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 1024 };

// A class that was redefined, with its previous bytes. The reference is weak: the class may be
// unloaded.
struct saved {
    struct saved *next;
    jweak class;
    char *name;
    uint8_t *bytes;
    size_t length;
    uint8_t *replacement; // NULL: none yet
    size_t replacement_length;
    int pending;     // belongs to the redefinition in progress
    uint8_t *others; // with which another agent has redefined it since; NULL: none
    size_t others_length;
    int overtaken; // the bytes and the replacement are those of another agent
};

static struct saved *list; // guarded by agent->switching
// Guards what note_other reads, while it changes: the list, and the bytes of its elements. No lock is
// taken meanwhile.
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

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

// Loaded classes of one name, one for each class loader that has it: local references in an array
// that the VM allocated.
struct found {
    jclass *classes;
    unsigned count;
};

static void drop_found(struct instr_agent *agent, struct found *found) {
    (*agent->jvmti)->Deallocate(agent->jvmti, (unsigned char *)found->classes);
}

// 0: no such class can be examined, see `reason`.
static int find_classes(struct instr_agent *agent, JNIEnv *jni, const char *name,
                        struct found *found, char *reason, size_t size) {
    jvmtiEnv *jvmti = agent->jvmti;
    jint count = 0;
    jclass *classes = NULL;
    char *wanted = signature_of(name);
    *found = (struct found){NULL, 0};
    snprintf(reason, size, "%s: no class of that name is loaded", name);
    if (!wanted || (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        snprintf(reason, size, "the JVM does not list its loaded classes");
        free(wanted);
        return 0;
    }
    // There is now a local reference for each class; -Xcheck:jni expects their number declared.
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

// --- reading classes ---

static const struct saved *find_saved(JNIEnv *jni, jclass class) {
    for (const struct saved *k = list; k; k = k->next)
        if ((*jni)->IsSameObject(jni, k->class, class)) return k;
    return NULL;
}

// The class, if it was redefined here; else NULL.
static const struct saved *replaced(JNIEnv *jni, jclass class) {
    const struct saved *k = find_saved(jni, class);
    return k && k->replacement ? k : NULL;
}

static uint8_t *copy_of(const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length);
    return copy ? memcpy(copy, bytes, length) : NULL;
}

// Another agent redefines a class. The JVM may still refuse the bytes.
static void note_other(JNIEnv *jni, jclass class, const uint8_t *bytes, size_t length) {
    char ignored[INSTR_ERROR_SIZE];
    pthread_mutex_lock(&changing);
    for (struct saved *k = list; k; k = k->next) {
        if (!(*jni)->IsSameObject(jni, k->class, class) ||
            !instr_redefine_check(instr_agent.jvmti, k->bytes, k->length, bytes, length, ignored,
                                  sizeof ignored))
            continue;
        free(k->others);
        k->others = copy_of(bytes, length);
        k->others_length = k->others ? length : 0;
    }
    pthread_mutex_unlock(&changing);
}

// Classes that another agent has redefined since are no longer as we have redefined them: what is to be
// kept and restored is what the other agent has made of them.
static void follow_others(void) {
    pthread_mutex_lock(&changing);
    for (struct saved *k = list; k; k = k->next) {
        uint8_t *copy = k->others ? copy_of(k->others, k->others_length) : NULL;
        if (!copy) continue;
        free(k->bytes);
        free(k->replacement);
        k->bytes = copy;
        k->replacement = k->others;
        k->length = k->replacement_length = k->others_length;
        k->others = NULL;
        k->overtaken = 1;
    }
    pthread_mutex_unlock(&changing);
}

static void lock(struct instr_agent *agent) {
    atomic_fetch_add(&agent->waiting, 1);
    pthread_mutex_lock(&agent->switching);
    atomic_fetch_sub(&agent->waiting, 1);
    follow_others();
}

static void unlock(struct instr_agent *agent) {
    pthread_mutex_unlock(&agent->switching);
}

static uint8_t *copy_replacement(JNIEnv *jni, jclass class, size_t *length) {
    const struct saved *k = replaced(jni, class);
    uint8_t *copy = k ? malloc(k->replacement_length) : NULL;
    if (!copy) return NULL;
    *length = k->replacement_length;
    return memcpy(copy, k->replacement, k->replacement_length);
}

static uint8_t *current_bytes(struct instr_agent *agent, JNIEnv *jni, jclass class, int original,
                              size_t *length, char *reason, size_t size) {
    const struct saved *k = original ? NULL : replaced(jni, class);
    const jvmtiClassDefinition now = {class, k ? (jint)k->replacement_length : 0,
                                      k ? k->replacement : NULL};
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
        if (original) bytes = copy_replacement(jni, class, length);
        if (!bytes) bytes = current_bytes(agent, jni, class, original, length, why, sizeof why);
        if (!bytes) snprintf(reason, size, "%s: %s", name, why);
        drop_found(agent, &found);
    }
    unlock(agent);
    if (loaders) *loaders = found.count;
    (*jni)->PopLocalFrame(jni, NULL);
    return bytes;
}

// --- redefining ---

// Saves the previous bytes unless bytes of the class are saved already. Takes over `bytes`.
static int save(JNIEnv *jni, jclass class, const char *name, uint8_t *bytes, size_t length) {
    int known = find_saved(jni, class) != NULL;
    struct saved *k = known ? NULL : calloc(1, sizeof *k);
    if (!k) {
        free(bytes);
        return known;
    }
    *k = (struct saved){.next = list,
                        .class = (*jni)->NewWeakGlobalRef(jni, class),
                        .name = strdup(name),
                        .bytes = bytes,
                        .length = length,
                        .pending = 1};
    if (k->class && k->name) {
        pthread_mutex_lock(&changing);
        list = k;
        pthread_mutex_unlock(&changing);
        return 1;
    }
    if (k->class) (*jni)->DeleteWeakGlobalRef(jni, k->class);
    free(k->name);
    free(k->bytes);
    free(k);
    return 0;
}

static void forget(JNIEnv *jni, struct saved **at) {
    struct saved *k = *at;
    pthread_mutex_lock(&changing);
    *at = k->next;
    pthread_mutex_unlock(&changing);
    (*jni)->DeleteWeakGlobalRef(jni, k->class);
    free(k->name);
    free(k->bytes);
    free(k->replacement);
    free(k->others);
    free(k);
}

// Records the new bytes of a class.
static void record_replacement(JNIEnv *jni, const jvmtiClassDefinition *definition) {
    for (struct saved *k = list; k; k = k->next) {
        size_t length = (size_t)definition->class_byte_count;
        uint8_t *copy = NULL;
        if (!(*jni)->IsSameObject(jni, k->class, definition->klass) || !(copy = malloc(length)))
            continue;
        memcpy(copy, definition->class_bytes, length);
        free(k->replacement);
        k->replacement = copy;
        k->replacement_length = length;
        k->overtaken = 0;
    }
}

// Ends a redefinition: keeps what was saved for it, or forgets it when it failed.
static void settle(JNIEnv *jni, int stays) {
    for (struct saved **at = &list; *at;) {
        if ((*at)->pending && !stays) {
            forget(jni, at);
            continue;
        }
        (*at)->pending = 0;
        at = &(*at)->next;
    }
}

// Does the class occur twice among those to be redefined together?
static int is_twice(const struct instr_new_class *classes, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (strcmp(classes[k].name, classes[i].name) == 0) return 1;
    return 0;
}

// Classes to be redefined in one call, as local references.
struct redefinition {
    jvmtiClassDefinition *classes;
    size_t count, capacity;
};

static int add_definition(struct redefinition *r, jclass class, const struct instr_new_class *c) {
    if (!INSTR_ARRAY_RESERVE(r->classes, r->capacity, r->count + 1)) return 0;
    r->classes[r->count++] = (jvmtiClassDefinition){class, (jint)c->length, c->bytes};
    return 1;
}

// Checks a file against a loaded class, and saves the bytes of that class.
static int prepare_class(struct instr_agent *agent, JNIEnv *jni, const struct instr_new_class *c,
                         jclass class, struct redefinition *r, char *reason, size_t size) {
    char why[INSTR_ERROR_SIZE] = "out of memory";
    size_t length;
    uint8_t *bytes = current_bytes(agent, jni, class, 1, &length, why, sizeof why);
    if (bytes &&
        !instr_redefine_check(agent->jvmti, bytes, length, c->bytes, c->length, why, sizeof why)) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes && !find_saved(jni, class))
        bytes = instr_redefine_before(agent, jni, class, c->name, bytes, &length);
    if (bytes && save(jni, class, c->name, bytes, length) && add_definition(r, class, c)) return 1;
    snprintf(reason, size, "%s: %s", c->name, bytes ? "out of memory" : why);
    return 0;
}

// As above for each loaded class of that name.
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
                 "%s: loaded by %u class loaders; use --all-loaders to change it in all of them",
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
    instr_hook_batch_begin(NULL);
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
    struct redefinition r = {NULL, 0, 0};
    if (count == 0 || count > MOST_CLASSES) {
        snprintf(reason, size, "expects 1 to %d class files", MOST_CLASSES);
        return 0;
    }
    if ((*jni)->PushLocalFrame(jni, (jint)count + 64) != 0) {
        if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "out of memory");
        return 0;
    }
    lock(agent);
    int ok = take_capability(agent, reason, size);
    if (ok) instr_redefine_watch_begin(agent, note_other);
    for (size_t i = 0; ok && i < count; i++)
        ok = prepare(agent, jni, classes, i, all_loaders, &r, reason, size);
    if (ok) ok = redefine(agent, jni, (jint)r.count, r.classes, classes[0].name, reason, size);
    for (size_t i = 0; ok && i < r.count; i++) record_replacement(jni, &r.classes[i]);
    settle(jni, ok);
    if (!list) instr_redefine_watch_end();
    unlock(agent);
    (*jni)->PopLocalFrame(jni, NULL);
    free(r.classes);
    return ok;
}

int instr_redefine_any(void) {
    return list != NULL;
}

void instr_redefine_reapply(struct instr_agent *agent, JNIEnv *jni) {
    char reason[INSTR_ERROR_SIZE];
    follow_others();
    for (struct saved *k = list; k; k = k->next) {
        jclass class = k->replacement ? (*jni)->NewLocalRef(jni, k->class) : NULL;
        if (!class) continue;
        const jvmtiClassDefinition definition = {class, (jint)k->replacement_length,
                                                 k->replacement};
        if (!redefine(agent, jni, 1, &definition, k->name, reason, sizeof reason))
            instr_say("a redefined class was reverted by the JVM: %s", reason);
        (*jni)->DeleteLocalRef(jni, class);
    }
}

static int is_named(const struct saved *k, const char *name) {
    if (!name) return 1;
    for (size_t i = 0;; i++) {
        char c = name[i] == '.' ? '/' : name[i];
        if (c != k->name[i]) return 0;
        if (!c) return 1;
    }
}

// Fills in definitions that restore the classes that are still loaded, and as we have redefined them.
// Forgets the others. Returns their number.
static size_t collect_originals(JNIEnv *jni, const char *name, jvmtiClassDefinition *definitions) {
    size_t count = 0;
    for (struct saved **at = &list; *at;) {
        jclass class = (*jni)->NewLocalRef(jni, (*at)->class);
        if (!class || ((*at)->overtaken && is_named(*at, name))) {
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
    for (struct saved *k = list; k; k = k->next) all++;
    jvmtiClassDefinition *definitions = calloc(all + 1, sizeof *definitions);
    int framed = definitions && (*jni)->PushLocalFrame(jni, (jint)all + 64) == 0;
    if (framed) count = collect_originals(jni, name, definitions);
    if (!framed)
        snprintf(reason, size, "out of memory");
    else if (count == 0)
        snprintf(reason, size, "%s%s", name ? name : "no class has been redefined",
                 name ? ": was not redefined, or has been unloaded" : "");
    else
        ok = redefine(agent, jni, (jint)count, definitions, name ? name : "a class", reason, size);
    for (struct saved **at = &list; ok && *at;) {
        if (!is_named(*at, name)) {
            at = &(*at)->next;
            continue;
        }
        each(context, (*at)->name);
        forget(jni, at);
    }
    if (!list) instr_redefine_watch_end();
    unlock(agent);
    if (framed) (*jni)->PopLocalFrame(jni, NULL);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    free(definitions);
    return ok;
}

size_t instr_redefine_bytes(void) {
    size_t bytes = 0;
    for (struct saved *k = list; k; k = k->next)
        bytes += sizeof *k + k->length + k->replacement_length;
    return bytes;
}
