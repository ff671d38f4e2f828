#include "instr/control/unmatched.h"

#include "instr/options.h"
#include "instr/passes/watch/suggest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct loaded {
    char **names; // internal names
    jint count;
};

static void close_loaded(jvmtiEnv *jvmti, struct loaded *loaded) {
    for (jint i = 0; i < loaded->count; i++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)loaded->names[i]);
    free(loaded->names);
}

// The names of all loaded classes but arrays. False: they are not known.
static bool open_loaded(jvmtiEnv *jvmti, JNIEnv *jni, struct loaded *loaded) {
    jclass *classes = NULL;
    jint count = 0;
    *loaded = (struct loaded){NULL, 0};
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        // There is now a local reference for each class; -Xcheck:jni expects their number.
        if ((*jni)->EnsureLocalCapacity(jni, count + 64) != JNI_OK) (*jni)->ExceptionClear(jni);
        loaded->names = calloc((size_t)count + 1, sizeof *loaded->names);
    }
    for (jint i = 0; loaded->names && i < count; i++) {
        char *signature = NULL;
        if ((*jvmti)->GetClassSignature(jvmti, classes[i], &signature, NULL) != JVMTI_ERROR_NONE)
            continue;
        loaded->names[loaded->count++] = signature;
    }
    if (classes) (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    (*jni)->PopLocalFrame(jni, NULL);
    return loaded->names != NULL;
}

static bool matches(const struct instr_match *match, const struct loaded *loaded) {
    for (jint i = 0; i < loaded->count; i++) {
        const char *signature = loaded->names[i]; // Lcom/acme/Foo;
        size_t length = strlen(signature);
        if (*signature == 'L' && instr_match(match, signature + 1, length - 2)) return true;
    }
    return false;
}

static void look_at(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply, const char *pattern,
                    const struct loaded *loaded) {
    char reason[INSTR_ERROR_SIZE], meant[400];
    struct instr_match *match = instr_match_new();
    if (match && instr_match_add(match, pattern, reason, sizeof reason) == 0 &&
        !matches(match, loaded)) {
        instr_watch_suggest_class(jvmti, jni, pattern, meant, sizeof meant);
        instr_reply_note(reply, "no loaded class matches include=%.200s%s%s%s", pattern,
                         *meant ? "; did you mean " : "", meant, *meant ? "?" : "");
    }
    instr_match_free(match);
}

static void look_at_all(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                        const char *patterns, const struct loaded *loaded) {
    char *copy = strdup(patterns), *rest = NULL;
    for (char *p = copy ? strtok_r(copy, ":", &rest) : NULL; p; p = strtok_r(NULL, ":", &rest))
        look_at(jvmti, jni, reply, p, loaded);
    free(copy);
}

// Has an earlier pass the same patterns?
static bool is_repeated(const struct instr_options *options, size_t pass) {
    const char *text = instr_match_text(options->passes[pass].include);
    for (size_t i = 0; i < pass; i++)
        if (options->passes[i].include &&
            strcmp(instr_match_text(options->passes[i].include), text) == 0)
            return true;
    return false;
}

void instr_note_unmatched(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                          const char *text) {
    struct instr_options options;
    struct loaded loaded = {NULL, 0};
    char reason[INSTR_ERROR_SIZE];
    bool open = false;
    if (strstr(text, "config=")) return; // the file might be a pipe, which can be read once
    if (instr_options_parse(&options, text, reason, sizeof reason) != 0) return;
    for (size_t i = 0; i < options.pass_count; i++) {
        if (!options.passes[i].include || is_repeated(&options, i)) continue;
        if (!open && !(open = open_loaded(jvmti, jni, &loaded))) break;
        look_at_all(jvmti, jni, reply, instr_match_text(options.passes[i].include), &loaded);
    }
    if (open) close_loaded(jvmti, &loaded);
    instr_options_free(&options);
}
