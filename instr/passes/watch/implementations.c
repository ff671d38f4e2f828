#include "instr/passes/watch/implementations.h"

#include "instr/base/array.h"
#include "instr/vm/supertypes.h"
#include "rewriters/watch_methods.h"
#include "instr/vm/loaded_classes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    struct instr_loaded_classes loaded;
    struct list {
        char *text; // patterns with colons between them
        size_t length, capacity;
        unsigned count;
    } patterns, methods;
};

struct method {
    char *name, *descriptor;
    jint modifiers;
};

static struct cf_slice slice_of(const char *text, size_t length) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)length};
}

static void close_method(const struct search *s, struct method *m) {
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)m->name);
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)m->descriptor);
}

static bool open_method(const struct search *s, jmethodID id, struct method *m) {
    *m = (struct method){NULL, NULL, 0};
    if ((*s->jvmti)->GetMethodName(s->jvmti, id, &m->name, &m->descriptor, NULL) ==
            JVMTI_ERROR_NONE &&
        (*s->jvmti)->GetMethodModifiers(s->jvmti, id, &m->modifiers) == JVMTI_ERROR_NONE)
        return true;
    close_method(s, m);
    return false;
}

// Adds the pattern com.acme.Foo.bar(int), with the plus com.acme.Foo+.bar(int), once. `name` is an
// internal one.
static void add(struct list *s, const char *name, size_t length, const char *plus,
                const struct method *m) {
    char types[512], pattern[1024];
    rw_watch_types(slice_of(m->descriptor, strlen(m->descriptor)), types, sizeof types);
    int n =
        snprintf(pattern, sizeof pattern, "%.*s%s.%s%s", (int)length, name, plus, m->name, types);
    if (n < 0 || (size_t)n >= sizeof pattern || s->count == INSTR_IMPLEMENTATIONS) return;
    for (size_t i = 0; i < length; i++)
        if (pattern[i] == '/') pattern[i] = '.';
    const char *before = s->text ? strstr(s->text, pattern) : NULL;
    if (before && (before == s->text || before[-1] == ':') && strchr(":", before[n])) return;
    if (!INSTR_ARRAY_RESERVE(s->text, s->capacity, s->length + (size_t)n + 2)) return;
    if (s->length) s->text[s->length++] = ':';
    memcpy(s->text + s->length, pattern, (size_t)n + 1);
    s->length += (size_t)n;
    s->count++;
}

// Adds the class's own method that implements `of`. Has it one, abstract or not?
static bool look_at_own(struct search *s, jclass class, const struct method *of, bool inherited) {
    jint count = 0;
    jmethodID *methods = NULL;
    char *signature = NULL;
    struct method m;
    bool has = false;
    if ((*s->jvmti)->GetClassMethods(s->jvmti, class, &count, &methods) != JVMTI_ERROR_NONE)
        return false;
    if ((*s->jvmti)->GetClassSignature(s->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        count = 0;
    for (jint i = 0; i < count; i++) {
        if (!open_method(s, methods[i], &m)) continue;
        if (strcmp(m.name, of->name) == 0 && strcmp(m.descriptor, of->descriptor) == 0 &&
            !(m.modifiers & (CF_ACC_STATIC | CF_ACC_PRIVATE))) {
            has = true;
            if (!(m.modifiers & (CF_ACC_ABSTRACT | CF_ACC_NATIVE))) {
                add(&s->methods, signature + 1, strlen(signature) - 2, "", &m);
                if (inherited) add(&s->patterns, signature + 1, strlen(signature) - 2, "", &m);
            }
        }
        close_method(s, &m);
    }
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)methods);
    return has;
}

// Adds the method of the class that implements `of`, a method of `type`: its own, or what it inherits from
// a superclass that is not of that type.
static void look_at_class(struct search *s, jclass class, jclass type, const struct method *of) {
    jclass at = class;
    bool inherited = false;
    while (at && !look_at_own(s, at, of, inherited)) {
        jclass above = (*s->jni)->GetSuperclass(s->jni, at);
        if (at != class) (*s->jni)->DeleteLocalRef(s->jni, at);
        at = above;
        inherited = at && !(*s->jni)->IsAssignableFrom(s->jni, at, type);
        if (at && !inherited) break; // it is looked at by itself
    }
    if (at && at != class) (*s->jni)->DeleteLocalRef(s->jni, at);
}

// Looks for what implements the abstract methods of the class that the pattern selects.
static void look_for(struct search *s, const char *text, jclass class,
                     struct cf_slice internal_name) {
    jint count = 0;
    jmethodID *methods = NULL;
    struct method m;
    if ((*s->jvmti)->GetClassMethods(s->jvmti, class, &count, &methods) != JVMTI_ERROR_NONE) return;
    for (jint i = 0; i < count; i++) {
        if (!open_method(s, methods[i], &m)) continue;
        bool is = m.modifiers & CF_ACC_ABSTRACT &&
                  rw_watch_matches(text, internal_name, NULL, slice_of(m.name, strlen(m.name)),
                                   slice_of(m.descriptor, strlen(m.descriptor))) == 1;
        if (is) add(&s->patterns, (const char *)internal_name.bytes, internal_name.length, "+", &m);
        for (jint k = 0; is && k < s->loaded.count; k++)
            if ((*s->jni)->IsAssignableFrom(s->jni, s->loaded.all[k], class))
                look_at_class(s, s->loaded.all[k], class, &m);
        close_method(s, &m);
    }
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)methods);
}

// Looks at the loaded classes that one pattern names. A pattern with wildcards for the class could
// name any number of abstract methods, and selects what implements them anyway.
static void look_at_pattern(struct search *s, const char *text, struct cf_slice class_name) {
    if (memchr(class_name.bytes, '*', class_name.length)) return;
    for (jint i = 0; i < s->loaded.count; i++) {
        char *signature = NULL;
        jint modifiers = 0;
        jclass class = s->loaded.all[i];
        if ((*s->jvmti)->GetClassSignature(s->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
            continue;
        struct cf_slice name = slice_of(signature + 1, strlen(signature) - 1);
        if (*signature == 'L') name.length--;
        if (*signature == 'L' && rw_watch_class_matches(class_name, name) &&
            (*s->jvmti)->GetClassModifiers(s->jvmti, class, &modifiers) == JVMTI_ERROR_NONE &&
            modifiers & CF_ACC_ABSTRACT)
            look_for(s, text, class, name);
        (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
    }
}

static bool open_search(struct search *s, jvmtiEnv *jvmti, JNIEnv *jni) {
    *s = (struct search){.jvmti = jvmti, .jni = jni};
    return instr_loaded_classes_open(jvmti, jni, &s->loaded);
}

void instr_watch_implementations(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns,
                                 struct instr_implementations *found) {
    struct search s;
    *found = (struct instr_implementations){NULL, NULL, 0};
    if (!open_search(&s, jvmti, jni)) return;
    for (const char *text = patterns, *end = text;; text = end + 1) {
        struct rw_watch_pattern pattern;
        if (rw_watch_split(text, &pattern, &end)) break;
        rw_watch_take_plus(&pattern);
        char *one = strndup(text, (size_t)(end - text));
        if (one) look_at_pattern(&s, one, pattern.class_name);
        free(one);
        if (*end == '\0') break;
    }
    instr_loaded_classes_close(&s.loaded);
    *found = (struct instr_implementations){s.patterns.text, s.methods.text, s.methods.count};
}

// Could any pattern select classes of this name?
static bool names_class(const char *patterns, struct cf_slice name) {
    struct rw_watch_pattern pattern;
    for (const char *text = patterns, *end = text;; text = end + 1) {
        if (rw_watch_split(text, &pattern, &end)) return false;
        if (rw_watch_take_plus(&pattern) || rw_watch_class_matches(pattern.class_name, name))
            return true;
        if (*end == '\0') return false;
    }
}

// Do the patterns select the method of the class? `above` are its supertypes.
static bool is_selected(const char *patterns, struct cf_slice class_name,
                        const struct instr_supertypes *above, const char *name,
                        const char *descriptor) {
    return rw_watch_matches(patterns, class_name, &above->found, slice_of(name, strlen(name)),
                            slice_of(descriptor, strlen(descriptor))) == 1;
}

// Has the class a selected method with code, or else one that is native?
static bool has_method(const struct search *s, jclass class, const char *patterns, bool native,
                       struct cf_slice class_name, const struct instr_supertypes *above) {
    const int without_code = CF_ACC_ABSTRACT | CF_ACC_NATIVE;
    jint count = 0;
    jmethodID *methods = NULL;
    struct method m;
    bool has = false;
    if ((*s->jvmti)->GetClassMethods(s->jvmti, class, &count, &methods) != JVMTI_ERROR_NONE)
        return false;
    for (jint i = 0; i < count && !has; i++) {
        if (!open_method(s, methods[i], &m)) continue;
        has = (m.modifiers & without_code) == (native ? CF_ACC_NATIVE : 0) &&
              is_selected(patterns, class_name, above, m.name, m.descriptor);
        close_method(s, &m);
    }
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)methods);
    return has;
}

// Finds the supertypes if a pattern asks for them.
static void find_above(const struct search *s, jclass class, const char *patterns,
                       struct instr_supertypes *above) {
    *above = (struct instr_supertypes){.complete = true};
    if (strchr(patterns, '+') && instr_supertypes_start(s->jni))
        instr_supertypes_of_class(s->jvmti, s->jni, class, above);
}

bool instr_watch_selects(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns, const char *class_name,
                         const char *method, const char *descriptor) {
    struct search s;
    bool is = false;
    if (!open_search(&s, jvmti, jni)) return false;
    size_t length = strlen(class_name);
    for (jint i = 0; i < s.loaded.count && !is; i++) {
        char *signature = NULL;
        if ((*jvmti)->GetClassSignature(jvmti, s.loaded.all[i], &signature, NULL) !=
            JVMTI_ERROR_NONE)
            continue;
        if (*signature == 'L' && strncmp(signature + 1, class_name, length) == 0 &&
            strcmp(signature + 1 + length, ";") == 0) {
            struct instr_supertypes above;
            find_above(&s, s.loaded.all[i], patterns, &above);
            is = is_selected(patterns, slice_of(class_name, length), &above, method, descriptor);
            instr_supertypes_close(&above);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    instr_loaded_classes_close(&s.loaded);
    return is;
}

static bool any_has_method(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns, bool native) {
    struct search s;
    bool is = false;
    if (!open_search(&s, jvmti, jni)) return !native;
    for (jint i = 0; i < s.loaded.count && !is; i++) {
        char *signature = NULL;
        if ((*jvmti)->GetClassSignature(jvmti, s.loaded.all[i], &signature, NULL) !=
            JVMTI_ERROR_NONE)
            continue;
        struct cf_slice name = slice_of(signature + 1, strlen(signature) - 1);
        if (*signature == 'L') name.length--;
        if (*signature == 'L' && names_class(patterns, name)) {
            struct instr_supertypes above;
            find_above(&s, s.loaded.all[i], patterns, &above);
            is = has_method(&s, s.loaded.all[i], patterns, native, name, &above);
            instr_supertypes_close(&above);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    instr_loaded_classes_close(&s.loaded);
    return is;
}

bool instr_watch_is_loaded(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns) {
    return any_has_method(jvmti, jni, patterns, false);
}

bool instr_watch_is_native(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns) {
    return any_has_method(jvmti, jni, patterns, true);
}
