// parts.c: see part.h

#include "instr/passes/agent_pass.h"

#include <string.h>

// One row for each pass that has a part: PART(pass), defined as instr_agent_pass_PASS.
#define INSTR_PARTS(PART)                                                                          \
    PART(alloc)                                                                                    \
    PART(coverage)                                                                                 \
    PART(exceptions)                                                                               \
    PART(natives)                                                                                  \
    PART(watch)

#define DECLARE(name) extern const struct instr_agent_pass instr_agent_pass_##name;
INSTR_PARTS(DECLARE)
#undef DECLARE

static const struct instr_agent_pass *const parts[] = {
#define ROW(name) &instr_agent_pass_##name,
    INSTR_PARTS(ROW)
#undef ROW
        NULL};

const struct instr_agent_pass *instr_agent_pass_of(const struct rw_pass *pass) {
    for (size_t i = 0; parts[i]; i++)
        if (strcmp(parts[i]->pass, pass->name) == 0) return parts[i];
    return NULL;
}

static void stop_first(JNIEnv *jni, const struct instr_options *options, size_t count) {
    while (count-- > 0) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[count].pass);
        if (part && part->stop) part->stop(jni);
    }
}

void instr_agent_passes_engine(struct instr_engine *engine, const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (part && part->engine) part->engine(engine);
    }
}

uint64_t instr_agent_passes_platform(const struct instr_options *options) {
    uint64_t taking = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (part && part->takes_platform) taking |= UINT64_C(1) << i;
    }
    return taking;
}

uint64_t instr_agent_passes_without(JNIEnv *jni, const struct instr_options *options,
                                    jobject loader, const char *name, jobject domain) {
    uint64_t without = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (part && part->takes && !part->takes(jni, loader, name, domain))
            without |= UINT64_C(1) << i;
    }
    return without;
}

void instr_agent_passes_find_file(JNIEnv *jni, const struct instr_options *options, jobject loader,
                                  const char *name, const uint8_t *bytes, size_t length,
                                  struct instr_origin *origin) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (part && part->find_file && !origin->file && !(origin->without >> i & 1))
            part->find_file(jni, loader, name, bytes, length, origin);
    }
}

bool instr_agent_passes_load(JavaVM *vm, const struct instr_options *options,
                             enum instr_agent_pass_phase phase, char *reason, size_t size) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (!part || !part->load || part->load(vm, &options->passes[i], phase, reason, size))
            continue;
        stop_first(NULL, options, i + 1);
        return false;
    }
    return true;
}

bool instr_agent_passes_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *options,
                              char *reason, size_t size) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (!part || !part->start || part->start(jvmti, jni, &options->passes[i], reason, size))
            continue;
        stop_first(jni, options, i + 1);
        return false;
    }
    return true;
}

void instr_agent_passes_stop(JNIEnv *jni, const struct instr_options *options) {
    stop_first(jni, options, options->pass_count);
}

size_t instr_agent_passes_memory(const struct instr_options *options) {
    size_t bytes = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *part = instr_agent_pass_of(options->passes[i].pass);
        if (part && part->memory) bytes += part->memory();
    }
    return bytes;
}
