#include "instr/passes/watch/suggest.h"

#include "rewriters/watch_methods.h"
#include "instr/vm/loaded_classes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 3,        // suggestions
    FARTHEST = 3,    // that a suggestion may be from the pattern, in edits
    NAME_SIZE = 256, // longer names are not compared
    NO_WAY = 100
};

struct suggestion {
    int distance;
    char text[2 * NAME_SIZE];
};

struct search {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    struct rw_watch_pattern pattern;
    bool classes_only;             // suggests classes, not their methods
    struct suggestion found[MOST]; // the nearest first
    int count;
};

// --- how far apart ---

static char plain(uint8_t c) {
    return c == '$' || c == '/' ? '.' : (char)c;
}

// The edits between two names, where $, / and dots are the same, and letters of another case are
// nearly; NO_WAY: more than two.
static int distance(struct cf_slice a, struct cf_slice b) {
    int row[NAME_SIZE + 1];
    if (a.length >= NAME_SIZE || b.length >= NAME_SIZE) return NO_WAY;
    if (a.length > b.length + 2 || b.length > a.length + 2) return NO_WAY;
    for (uint32_t k = 0; k <= b.length; k++) row[k] = (int)k;
    for (uint32_t i = 1; i <= a.length; i++) {
        int diagonal = row[0], least = row[0] = (int)i;
        for (uint32_t k = 1; k <= b.length; k++) {
            int replaced = diagonal + (plain(a.bytes[i - 1]) != plain(b.bytes[k - 1]));
            diagonal = row[k];
            if (row[k] + 1 < replaced) replaced = row[k] + 1;
            if (row[k - 1] + 1 < replaced) replaced = row[k - 1] + 1;
            row[k] = replaced;
            if (replaced < least) least = replaced;
        }
        if (least > 2) return NO_WAY;
    }
    return row[b.length] > 2 ? NO_WAY : row[b.length];
}

static int same(struct cf_slice a, struct cf_slice b) {
    for (uint32_t i = 0; i < a.length && a.length == b.length; i++)
        if (plain(a.bytes[i]) != plain(b.bytes[i])) return 0;
    return a.length == b.length;
}

// Does the class name end with this one, behind its package or its outer class?
static int ends_with(struct cf_slice name, struct cf_slice last) {
    if (name.length <= last.length) return 0;
    uint32_t from = name.length - last.length;
    struct cf_slice tail = {name.bytes + from, last.length};
    return plain(name.bytes[from - 1]) == '.' && same(tail, last);
}

static int class_distance(struct cf_slice pattern, struct cf_slice name) {
    if (rw_watch_class_matches(pattern, name)) return 0;
    if (memchr(pattern.bytes, '*', pattern.length)) return NO_WAY;
    if (same(pattern, name) || ends_with(name, pattern)) return 1;
    return 1 + distance(pattern, name);
}

// --- the classes ---

static struct cf_slice slice_of(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

static void add(struct search *s, int distance_to, const char *text) {
    int at = s->count < MOST ? s->count++ : MOST - 1;
    if (at == MOST - 1 && s->count == MOST && s->found[at].text[0] &&
        s->found[at].distance <= distance_to)
        return;
    for (; at > 0 && s->found[at - 1].distance > distance_to; at--) s->found[at] = s->found[at - 1];
    s->found[at].distance = distance_to;
    snprintf(s->found[at].text, sizeof s->found[at].text, "%s", text);
}

static void look_at_method(struct search *s, const char *class_name, int far, const char *name,
                           const char *descriptor) {
    char text[2 * NAME_SIZE], types[NAME_SIZE] = "";
    int to = distance(s->pattern.method, slice_of(name));
    if (far + to > FARTHEST) return;
    if (far + to == 0) rw_watch_types(slice_of(descriptor), types, sizeof types);
    int n = snprintf(text, sizeof text, "%s.%s%s", class_name, name, types);
    if (n >= (int)sizeof text) return;
    for (char *c = text; *c && *c != '('; c++)
        if (*c == '/') *c = '.';
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->found[i].text, text) == 0) return; // overloaded
    add(s, far + to, text);
}

static void look_at_class(struct search *s, jclass class, const char *class_name, int far) {
    jvmtiEnv *jvmti = s->jvmti;
    jint count = 0;
    jmethodID *methods = NULL;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) != JVMTI_ERROR_NONE) return;
    for (jint i = 0; i < count; i++) {
        char *name = NULL, *descriptor = NULL;
        jint modifiers = 0;
        if ((*jvmti)->GetMethodName(jvmti, methods[i], &name, &descriptor, NULL) ==
                JVMTI_ERROR_NONE &&
            (*jvmti)->GetMethodModifiers(jvmti, methods[i], &modifiers) == JVMTI_ERROR_NONE &&
            !(modifiers & (CF_ACC_NATIVE | CF_ACC_ABSTRACT)))
            look_at_method(s, class_name, far, name, descriptor);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

static void add_class(struct search *s, char *name, int far) {
    if (strlen(name) >= 2 * NAME_SIZE) return;
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '.';
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->found[i].text, name) == 0) return; // of another loader
    add(s, far, name);
}

static void look_at_all(struct search *s, const jclass *classes, jint count) {
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;
        if ((*s->jvmti)->GetClassSignature(s->jvmti, classes[i], &signature, NULL) !=
            JVMTI_ERROR_NONE)
            continue;
        size_t length = strlen(signature);
        if (*signature == 'L' && length > 2) {
            signature[length - 1] = '\0';
            int far = class_distance(s->pattern.class_name, slice_of(signature + 1));
            if (far <= FARTHEST && s->classes_only)
                add_class(s, signature + 1, far);
            else if (far <= FARTHEST)
                look_at_class(s, classes[i], signature + 1, far);
        }
        (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
    }
}

static void look_for_methods(struct search *s, const jclass *classes, jint count,
                             const char *patterns) {
    for (const char *from = patterns, *end = from;; from = end + 1) {
        if (!rw_watch_split(from, &s->pattern, &end)) look_at_all(s, classes, count);
        if (*end == '\0') return;
    }
}

static void look_for_class(struct search *s, const jclass *classes, jint count,
                           const char *pattern) {
    s->classes_only = true;
    s->pattern.class_name = slice_of(pattern);
    look_at_all(s, classes, count);
}

static void suggest(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns,
                    void (*look)(struct search *s, const jclass *classes, jint count,
                                 const char *patterns),
                    char *text, size_t size) {
    struct search *s = calloc(1, sizeof *s);
    struct instr_loaded_classes loaded;
    size_t n = 0;
    *text = '\0';
    if (s && instr_loaded_classes_open(jvmti, jni, &loaded)) {
        s->jvmti = jvmti;
        s->jni = jni;
        look(s, loaded.all, loaded.count, patterns);
        instr_loaded_classes_close(&loaded);
        for (int i = 0; i < s->count && n < size; i++)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", s->found[i].text);
    }
    free(s);
}

void instr_watch_suggest(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns, char *text,
                         size_t size) {
    suggest(jvmti, jni, patterns, look_for_methods, text, size);
}

void instr_watch_suggest_class(jvmtiEnv *jvmti, JNIEnv *jni, const char *pattern, char *text,
                               size_t size) {
    suggest(jvmti, jni, pattern, look_for_class, text, size);
}

void instr_watch_suggest_for_rule(jvmtiEnv *jvmti, JNIEnv *jni, const char *rule, char *text,
                                  size_t size) {
    char *pattern = strndup(rule, strcspn(rule, "( \t\n"));
    char *plus = pattern ? strstr(pattern, "+.")
                         : NULL; // CLASS+: its own methods are like those of subtypes
    if (plus) memmove(plus, plus + 1, strlen(plus));
    if (size) *text = '\0';
    if (pattern) instr_watch_suggest(jvmti, jni, pattern, text, size);
    free(pattern);
}
