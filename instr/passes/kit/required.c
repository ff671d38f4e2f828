#include "instr/passes/kit/required.h"
#include "instr/base/log.h"
#include "instr/kit/applied.h"
#include "instr/kit/class_path.h"
#include "instr/kit/fit.h"
#include "instr/kit/targets.h"
#include "instr/vm/supertypes.h"
#include "instr/vm/loaded_classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool any_required(const struct instr_kit *kit) {
    for (size_t i = 0; i < kit->advice_count; i++)
        if (kit->advices[i].required) return true;
    return false;
}

static const char *first_target(const struct instr_kit_advice *advice) {
    return advice->target_count ? advice->targets[0].text : "methods with an annotation";
}

static bool refuse(const struct instr_kit_advice *advice, const char *where, char *reason,
                   size_t size) {
    snprintf(reason, size, "%s:%u: advice %s is required, but %s for it: %s", advice->source.file,
             advice->source.line, advice->name, where, first_target(advice));
    return false;
}

// --- at the start ---

struct start {
    jvmtiEnv *jvmti;
    struct instr_class_path *path;
    bool all; // every class that the application's loader finds is in `path`
};

struct looking {
    const struct instr_kit_advice *advice;
    struct instr_kit_world world;
    struct instr_kit_matches matches;
};

// The caller frees it. NULL: it is not set, or empty.
static char *property(jvmtiEnv *jvmti, const char *name) {
    char *value = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, name, &value) != JVMTI_ERROR_NONE || !value) return NULL;
    char *copy = *value ? strdup(value) : NULL;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
    return copy;
}

static bool is_set(jvmtiEnv *jvmti, const char *name) {
    char *value = property(jvmti, name);
    free(value);
    return value != NULL;
}

// The application's loader passes over what is not there.
static void add_jars(struct start *start, char *jars) {
    char ignored[INSTR_JAR_REASON_SIZE], *at = jars;
    while (at && start->all) {
        const char *jar = strsep(&at, ":");
        if (!*jar) jar = ".";
        if (access(jar, F_OK) == 0 && (!instr_class_path_add(start->path, jar, ignored) ||
                                       instr_class_path_leads_further(start->path)))
            start->all = false;
    }
}

static void open_path(struct start *start) {
    static const char *const further[] = {"jdk.module.path", "jdk.boot.class.path.append",
                                          "java.system.class.loader"};
    char *jars = property(start->jvmti, "java.class.path"),
         *home = property(start->jvmti, "java.home");
    start->all = home && instr_class_path_jdk(start->path, home);
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        if (is_set(start->jvmti, further[i])) start->all = false;
    add_jars(start, jars);
    free(home);
    free(jars);
}

// Can the name be that of a class to which the advice applies, or that calls what it is for?
static bool is_wanted(void *context, struct cf_slice name) {
    const struct looking *l = context;
    if (l->advice->calls)
        return instr_match(l->advice->callers, (const char *)name.bytes, name.length);
    for (size_t i = 0; i < l->advice->target_count; i++)
        if (instr_kit_names_class(&l->advice->targets[i], (const char *)name.bytes, name.length))
            return true;
    return false;
}

// Returns whether to look further.
static bool look_at(void *context, const struct cf_class *cls) {
    struct looking *l = context;
    if (l->advice->calls)
        instr_kit_match_calls(l->advice, cls, &l->matches);
    else
        instr_kit_match_class(l->advice, cls, &l->world, &l->matches);
    return !l->matches.fitting;
}

static bool reaches_jdk(const struct instr_match *match) {
    return instr_match_below(match, "java/") || instr_match_below(match, "javax/") ||
           instr_match_below(match, "jdk/") || instr_match_below(match, "sun/");
}

static bool names_one_class(const struct instr_kit_target *target) {
    return !target->subtypes && !strpbrk(instr_match_text(target->classes), "*?:");
}

// May it apply to classes of the JDK that are not looked up by name, or to those of other loaders? Then the class
// path does not say that it applies to nothing.
static bool reaches_further(const struct instr_kit_advice *advice) {
    if (advice->loader) return true;
    if (advice->calls) return reaches_jdk(advice->callers);
    for (size_t i = 0; i < advice->target_count; i++)
        if (advice->targets[i].subtypes ||
            (!names_one_class(&advice->targets[i]) && reaches_jdk(advice->targets[i].classes)))
            return true;
    return false;
}

// Classes of the JDK are looked up by name.
static void look_in_jdk(struct looking *l) {
    for (size_t i = 0; i < l->advice->target_count && !l->advice->calls; i++) {
        char name[1024];
        const struct cf_class *cls;
        if (!names_one_class(&l->advice->targets[i])) continue;
        snprintf(name, sizeof name, "%s", instr_match_text(l->advice->targets[i].classes));
        for (char *p = name; *p; p++)
            if (*p == '.') *p = '/';
        struct cf_slice slice = {(const uint8_t *)name, (uint32_t)strlen(name)};
        if (l->world.find(l->world.context, slice, &cls) == INSTR_KIT_PRESENT) look_at(l, cls);
    }
}

static bool applies_at_start(const struct start *start, const struct instr_kit_advice *advice,
                             char *reason, size_t size) {
    struct looking l = {advice, instr_class_path_world(start->path), {0}};
    // Class paths may be long, and memory short: nothing is kept.
    instr_class_path_each(start->path, false, is_wanted, look_at, &l);
    if (!l.matches.fitting) look_in_jdk(&l);
    if (l.matches.fitting) return true;
    if (!*l.matches.misfit)
        return refuse(advice,
                      advice->calls ? "the class path has no call" : "the class path has no method",
                      reason, size);
    snprintf(reason, size, "%.600s; the advice is required", l.matches.misfit);
    return false;
}

// Is there an advice of which the class path can say that it applies to nothing?
static bool any_decidable(const struct instr_kit *kit) {
    for (size_t i = 0; i < kit->advice_count; i++)
        if (kit->advices[i].required && !reaches_further(&kit->advices[i])) return true;
    return false;
}

bool instr_kit_required_at_start(jvmtiEnv *jvmti, const struct instr_kit *kit, char *reason,
                                 size_t size) {
    struct start start = {.jvmti = jvmti};
    bool ok = true;
    if (!any_decidable(kit)) return true;
    snprintf(reason, size, "out of memory");
    start.path = instr_class_path_new();
    if (!start.path) return false;
    open_path(&start);
    for (size_t i = 0; i < kit->advice_count && ok && start.all; i++)
        ok = !kit->advices[i].required || reaches_further(&kit->advices[i]) ||
             applies_at_start(&start, &kit->advices[i], reason, size);
    instr_class_path_free(start.path);
    return ok;
}

// --- in a running JVM ---

// Methods of loaded classes get no wrappers.
static bool is_native(jvmtiEnv *jvmti, jmethodID method) {
    jint modifiers = 0;
    return (*jvmti)->GetMethodModifiers(jvmti, method, &modifiers) == JVMTI_ERROR_NONE &&
           modifiers & CF_ACC_NATIVE;
}

// Annotations are not looked at: only class files have them.
static bool has_method(jvmtiEnv *jvmti, const struct instr_kit_target *target, jclass cls) {
    jmethodID *methods = NULL;
    jint count = 0;
    bool found = false;
    if ((*jvmti)->GetClassMethods(jvmti, cls, &count, &methods) != JVMTI_ERROR_NONE) return false;
    for (jint i = 0; i < count && !found; i++) {
        char *name = NULL, *descriptor = NULL;
        if ((*jvmti)->GetMethodName(jvmti, methods[i], &name, &descriptor, NULL) !=
            JVMTI_ERROR_NONE)
            continue;
        found = instr_kit_names_method(
            target, (struct cf_slice){(const uint8_t *)name, (uint32_t)strlen(name)},
            (struct cf_slice){(const uint8_t *)descriptor, (uint32_t)strlen(descriptor)});
        found = found && !is_native(jvmti, methods[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return found;
}

static bool applies_to(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_kit_advice *advice,
                       jclass cls) {
    struct instr_supertypes above = {0};
    bool found = false;
    instr_supertypes_of_class(jvmti, jni, cls, &above);
    for (size_t i = 0; i < advice->target_count && !found && above.found.count; i++) {
        const char *name = above.found.names[0];
        found = instr_kit_names_any(&advice->targets[i], name, strlen(name), &above.found) &&
                has_method(jvmti, &advice->targets[i], cls);
    }
    instr_supertypes_close(&above);
    return found;
}

// Bits of the advices that apply to one of the classes.
static uint64_t find_live(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_kit *kit,
                          const jclass *classes, jint count) {
    uint64_t found = 0;
    for (jint c = 0; c < count; c++)
        for (size_t i = 0; i < kit->advice_count && i < 64; i++)
            if (kit->advices[i].required && !(found >> i & 1) &&
                applies_to(jvmti, jni, &kit->advices[i], classes[c]))
                found |= UINT64_C(1) << i;
    return found;
}

bool instr_kit_required_live(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_kit *kit,
                             char *reason, size_t size) {
    struct instr_loaded_classes loaded;
    if (!any_required(kit) || !instr_supertypes_start(jni) ||
        !instr_loaded_classes_open(jvmti, jni, &loaded))
        return true;
    uint64_t found = find_live(jvmti, jni, kit, loaded.all, loaded.count);
    instr_loaded_classes_close(&loaded);
    for (size_t i = 0; i < kit->advice_count && i < 64; i++)
        if (kit->advices[i].required && !kit->advices[i].calls && !(found >> i & 1))
            return refuse(&kit->advices[i], "no loaded class has a method", reason, size);
    return true;
}

// --- at exit ---

static void ignore(void *context, const char *method) {
    (void)context;
    (void)method;
}

void instr_kit_required_report(const struct instr_kit *kit) {
    for (size_t i = 0; i < kit->advice_count; i++)
        if (kit->advices[i].required &&
            instr_kit_applied_get(kit->applied, i, 0, ignore, NULL).methods == 0)
            instr_say("advice %s is required, but was called from no method: %s",
                      kit->advices[i].name, first_target(&kit->advices[i]));
}
