#include "instr/passes/coverage/test_types.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "instr/base/hash.h"
#include "instr/vm/class_resource.h"
#include "rewriters/test_types.h"

enum {
    MOST_ANSWERS = 1 << 15, // then all are forgotten
    MOST_FOUND = 1000       // different results, which stay
};

struct answer {
    uint64_t key; // 0: free
    unsigned bits;
};

static struct {
    pthread_mutex_t lock;
    struct answer *answers; // a hash table of 2 * MOST_ANSWERS
    size_t answer_count;
    struct rw_test_types *found[MOST_FOUND];
    size_t found_count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct asking {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    jobject loader;
};

// A loader that is asked for a resource may load classes of its own, for which nobody is asked.
static _Thread_local bool busy;

// --- answers ---

static uint64_t key_of(const struct asking *a, enum rw_test_question question,
                       struct cf_slice name) {
    jint hash = 0;
    if ((*a->jvmti)->GetObjectHashCode(a->jvmti, a->loader, &hash) != JVMTI_ERROR_NONE) hash = 0;
    uint64_t key = instr_hash(name.bytes, name.length, (uint64_t)question << 32 | (uint32_t)hash);
    return key + (key == 0);
}

// Where the key is, or the place for it. With the lock.
static struct answer *place_of(uint64_t key) {
    size_t i = key & (2 * MOST_ANSWERS - 1);
    while (known.answers[i].key && known.answers[i].key != key)
        i = (i + 1) & (2 * MOST_ANSWERS - 1);
    return &known.answers[i];
}

static bool remembers(uint64_t key, unsigned *bits) {
    pthread_mutex_lock(&known.lock);
    const struct answer *answer = known.answers ? place_of(key) : NULL;
    bool is = answer && answer->key;
    if (is) *bits = answer->bits;
    pthread_mutex_unlock(&known.lock);
    return is;
}

static void remember(uint64_t key, unsigned bits) {
    pthread_mutex_lock(&known.lock);
    if (known.answers && known.answer_count == MOST_ANSWERS) {
        memset(known.answers, 0, 2 * MOST_ANSWERS * sizeof *known.answers);
        known.answer_count = 0;
    }
    if (!known.answers) known.answers = calloc(2 * MOST_ANSWERS, sizeof *known.answers);
    struct answer *answer = known.answers ? place_of(key) : NULL;
    if (answer && !answer->key) {
        *answer = (struct answer){key, bits};
        known.answer_count++;
    }
    pthread_mutex_unlock(&known.lock);
}

static int read_file(void *context, const char *name, uint8_t **bytes, size_t *length) {
    const struct asking *a = context;
    return instr_class_resource(a->jni, a->loader, name, bytes, length);
}

static unsigned get(void *context, enum rw_test_question question, struct cf_slice name) {
    struct asking *a = context;
    const struct rw_class_files files = {read_file, a};
    uint64_t key = key_of(a, question, name);
    unsigned bits;
    if (remembers(key, &bits)) return bits;
    bits = rw_test_answer(&files, question, name);
    remember(key, bits);
    return bits;
}

// --- results ---

// The same of an earlier class, or a copy. NULL: there is no room.
static const struct rw_test_types *kept(const struct rw_test_types *types) {
    const struct rw_test_types *result = NULL;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; i < known.found_count && !result; i++)
        if (known.found[i]->above == types->above &&
            strcmp(known.found[i]->composed, types->composed) == 0)
            result = known.found[i];
    size_t size = offsetof(struct rw_test_types, composed) + strlen(types->composed) + 1;
    struct rw_test_types *copy =
        !result && known.found_count < MOST_FOUND ? calloc(1, sizeof *copy) : NULL;
    if (copy) {
        memcpy(copy, types, size);
        known.found[known.found_count++] = copy;
        result = copy;
    }
    pthread_mutex_unlock(&known.lock);
    return result;
}

uint64_t instr_test_types_note(jvmtiEnv *jvmti, JNIEnv *jni,
                               const struct instr_candidate *candidate, unsigned presets) {
    struct asking asking = {jvmti, jni, candidate->loader};
    const struct rw_test_answers answers = {get, &asking};
    struct rw_test_types types = {.above = 0};
    struct cf_arena arena;
    struct cf_class cls;
    if (!presets || !candidate->loader || !candidate->bytes || busy) return 0;
    busy = true;
    cf_arena_init(&arena);
    if (cf_class_open(&cls, candidate->bytes, candidate->length, &arena) == CF_OK)
        rw_test_types_find(&cls, presets, &answers, &types);
    cf_arena_free(&arena);
    busy = false;
    return types.above || types.composed[0] ? (uint64_t)(uintptr_t)kept(&types) : 0;
}
