// The bytes that restore a class to its current state.

#include "instr/retransform/redefine_before.h"

#include "classfile/code.h"
#include "instr/retransform/class_bytes.h"
#include "instr/vm/class_resource.h"

#include <stdlib.h>
#include <string.h>

struct sized {
    uint8_t *bytes;
    size_t length;
};

static int same_code(const struct cf_class *a, const struct cf_class *b) {
    struct cf_code was, is;
    struct cf_error error = {.status = CF_OK};
    if (a->methods_count != b->methods_count) return 0;
    for (uint32_t i = 0; i < a->methods_count; i++) {
        const struct cf_member *m = &a->methods[i], *n = &b->methods[i];
        if (!m->code != !n->code) return 0;
        if (!m->code) continue;
        if (cf_code_open(&was, a, m, &error) != CF_OK || cf_code_open(&is, b, n, &error) != CF_OK ||
            was.length != is.length || memcmp(was.bytes, is.bytes, is.length) != 0)
            return 0;
    }
    return 1;
}

// Are the bytes equal, or do all methods have the same code? If no agent saw the class when it was
// loaded, the JVM reconstructs the class file, and everything but the code may differ.
static int is_same(const struct sized *a, const struct sized *b) {
    struct cf_arena arena;
    struct cf_class was, is;
    if (a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0) return 1;
    cf_arena_init(&arena);
    int same = cf_class_open(&was, a->bytes, a->length, &arena) == CF_OK &&
               cf_class_open(&is, b->bytes, b->length, &arena) == CF_OK && same_code(&was, &is);
    cf_arena_free(&arena);
    return same;
}

static int makes(struct instr_agent *agent, JNIEnv *jni, jclass class, const struct sized *from,
                 const struct sized *wanted) {
    char ignored[INSTR_ERROR_SIZE];
    const jvmtiClassDefinition definition = {class, (jint)from->length, from->bytes};
    struct sized made;
    made.bytes =
        instr_class_bytes(agent, jni, class, &definition, 1, &made.length, ignored, sizeof ignored);
    int same = made.bytes && is_same(&made, wanted);
    free(made.bytes);
    return same;
}

uint8_t *instr_redefine_before(struct instr_agent *agent, JNIEnv *jni, jclass class,
                               const char *name, uint8_t *bytes, size_t *length) {
    const struct sized now = {bytes, *length};
    struct sized file = {NULL, 0};
    jobject loader = NULL;
    if (makes(agent, jni, class, &now, &now) ||
        (*agent->jvmti)->GetClassLoader(agent->jvmti, class, &loader) != JVMTI_ERROR_NONE)
        return bytes;
    int found = instr_class_resource(jni, loader, name, &file.bytes, &file.length);
    (*jni)->DeleteLocalRef(jni, loader);
    if (!found || !makes(agent, jni, class, &file, &now)) {
        free(file.bytes);
        return bytes;
    }
    free(bytes);
    *length = file.length;
    return file.bytes;
}
