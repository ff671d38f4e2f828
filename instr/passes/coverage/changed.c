#include "instr/passes/coverage/changed.h"

#include <stdlib.h>
#include <string.h>

#include "instr/vm/other_agents.h"
#include "instr/vm/class_resource.h"
#include "instr/coverage/exec_writer.h"
#include "instr/vm/loaded_classes.h"

struct named {
    const char *name;
    uint32_t i; // in the registry
};

struct search {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    struct instr_coverage *registry;
    struct named *known; // sorted by name
    uint32_t count;
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void see_agent(void *context, const char *kind, const char *name) {
    (void)kind;
    (void)name;
    *(int *)context = 1;
}

static int list_known(struct search *s) {
    s->count = instr_coverage_classes(s->registry);
    s->known = malloc((s->count + 1) * sizeof *s->known);
    if (!s->known) return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct named named = {instr_coverage_class(s->registry, i).name, i};
        s->known[i] = named;
    }
    qsort(s->known, s->count, sizeof *s->known, by_name);
    return 1;
}

// Compares the registry's classes of this name with the class file; stores its id if none has it.
static void compare(struct search *s, const struct named *first, jobject loader) {
    const struct named *end = s->known + s->count, *k = first;
    uint8_t *bytes;
    size_t length;
    while (k > s->known && strcmp(k[-1].name, first->name) == 0) k--;
    first = k;
    if (!instr_class_resource(s->jni, loader, first->name, &bytes, &length)) return;
    uint64_t id = instr_exec_class_id(bytes, length);
    free(bytes);
    for (; k < end && strcmp(k->name, first->name) == 0; k++)
        if (instr_coverage_class(s->registry, k->i).id == id) return;
    for (k = first; k < end && strcmp(k->name, first->name) == 0; k++)
        if (!instr_coverage_class(s->registry, k->i).file_id)
            instr_coverage_set_file_id(s->registry, k->i, id);
}

static void check_class(struct search *s, jclass class) {
    char *signature = NULL;
    jobject loader = NULL;
    if ((*s->jvmti)->GetClassSignature(s->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    size_t length = strlen(signature);
    struct named key = {signature + 1, 0}, *found = NULL;
    if (signature[0] == 'L') {
        signature[length - 1] = '\0';
        found = bsearch(&key, s->known, s->count, sizeof *s->known, by_name);
    }
    if (found && (*s->jvmti)->GetClassLoader(s->jvmti, class, &loader) == JVMTI_ERROR_NONE)
        compare(s, found, loader);
    if (loader) (*s->jni)->DeleteLocalRef(s->jni, loader);
    (*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
}

void instr_coverage_find_changed(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_coverage *registry) {
    struct search s = {jvmti, jni, registry, NULL, 0};
    struct instr_loaded_classes loaded;
    int others = 0;
    instr_agents_each(see_agent, &others);
    if (!others || !list_known(&s)) return;
    if (instr_loaded_classes_open(jvmti, jni, &loaded)) {
        for (jint i = 0; i < loaded.count; i++) check_class(&s, loaded.all[i]);
        instr_loaded_classes_close(&loaded);
    }
    free(s.known);
}
