#include "instr/passes/agent_passes.h"

#include "instr/vm/runtime.h"
#include "instr/base/log.h"

#include "rewriters/rewriters.h"

#include <string.h>

// One row for each pass and for each kind of passes that are made. A pass that has no agent_pass defines no instr_agent_pass_NAME, and the
// weak reference to it is NULL.
#define DECLARE(name)                                                                              \
    extern const struct instr_agent_pass instr_agent_pass_##name __attribute__((weak));
#define INSTR_KINDS(KIND) KIND(rule) KIND(kit) KIND(plugin)
RW_PASSES(DECLARE)
INSTR_KINDS(DECLARE)
#undef DECLARE

static const struct {
    const char *pass;
    const struct instr_agent_pass *agent_pass; // NULL: none
} rows[] = {
#define ROW(name) {#name, &instr_agent_pass_##name},
    RW_PASSES(ROW) INSTR_KINDS(ROW)
#undef ROW
};

const struct instr_agent_pass *instr_agent_pass_of(const struct rw_pass *pass) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].pass, pass->made ? pass->made->kind : pass->name) == 0)
            return rows[i].agent_pass;
    return NULL;
}

bool instr_agent_pass_estimates(const struct instr_pass_options *pass) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    return agent_pass && agent_pass->estimates && agent_pass->estimates(pass);
}

static const struct instr_agent_pass *pass_at(const struct instr_options *options, size_t i) {
    return instr_agent_pass_of(options->passes[i].pass);
}

static void stop_first(JNIEnv *jni, const struct instr_options *options, size_t count) {
    while (count-- > 0) {
        const struct instr_agent_pass *pass = pass_at(options, count);
        if (pass && pass->stop) pass->stop(jni, options->passes[count].pass);
    }
}

void instr_agent_passes_engine(struct instr_engine *engine, const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->engine) pass->engine(engine);
    }
}

uint64_t instr_agent_passes_passive(const struct instr_options *options) {
    uint64_t passive = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->inserts && !pass->inserts(&options->passes[i]))
            passive |= UINT64_C(1) << i;
    }
    return passive;
}

uint64_t instr_agent_passes_platform(const struct instr_options *options) {
    uint64_t taking = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->takes_platform) taking |= UINT64_C(1) << i;
    }
    return taking;
}

bool instr_agent_passes_choose(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->takes) return true;
    }
    return false;
}

uint64_t instr_agent_passes_without(JNIEnv *jni, const struct instr_options *options,
                                    const struct instr_candidate *candidate, uint64_t excluded,
                                    uint64_t *notes) {
    uint64_t without = 0, ignored = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (!pass || !pass->takes || (excluded >> i & 1)) continue;
        if (!pass->takes(options->passes[i].pass, jni, candidate, notes ? &notes[i] : &ignored))
            without |= UINT64_C(1) << i;
    }
    return without;
}

bool instr_agent_passes_may_wait(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->undecided) return true;
    }
    return false;
}

bool instr_agent_passes_undecided(const struct instr_options *options, const uint64_t *notes) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->undecided && pass->undecided(notes[i])) return true;
    }
    return false;
}

void instr_agent_passes_find_file(JNIEnv *jni, const struct instr_options *options, jobject loader,
                                  const char *name, const uint8_t *bytes, size_t length,
                                  struct instr_origin *origin) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->find_file && !origin->file && !(origin->excluded_passes >> i & 1))
            pass->find_file(jni, loader, name, bytes, length, origin);
    }
}

uint64_t instr_agent_passes_original(const struct instr_options *options, const char *name) {
    uint64_t getting = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->gets_original && pass->gets_original(name)) getting |= UINT64_C(1) << i;
    }
    return getting;
}

uint64_t instr_agent_passes_there(const struct instr_options *options, const uint8_t *bytes,
                                  size_t length) {
    uint64_t there = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->has_code && pass->has_code(bytes, length)) there |= UINT64_C(1) << i;
    }
    return there;
}

static bool accepts(JavaVM *vm, const struct instr_pass_options *pass,
                    enum instr_agent_pass_phase phase, char *reason, size_t size) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    return !agent_pass || !agent_pass->accepts ||
           agent_pass->accepts(vm, pass, phase, reason, size);
}

static bool load(JavaVM *vm, const struct instr_pass_options *pass,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    return !agent_pass || !agent_pass->load || agent_pass->load(vm, pass, phase, reason, size);
}

bool instr_agent_pass_load(JavaVM *vm, const struct instr_pass_options *pass,
                           enum instr_agent_pass_phase phase, char *reason, size_t size) {
    return accepts(vm, pass, phase, reason, size) && load(vm, pass, phase, reason, size);
}

bool instr_agent_pass_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *pass,
                            char *reason, size_t size) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    const char *runtime = pass->pass->runtime_class;
    if (!instr_runtime_add(jni, runtime, reason, size)) return false;
    instr_runtime_introduce(jvmti, jni, runtime);
    return !agent_pass || !agent_pass->start || agent_pass->start(jvmti, jni, pass, reason, size);
}

// A pass has failed, the others as agent_passes.h says.
static bool goes_on_without(JNIEnv *jni, const struct instr_options *options, size_t failed,
                            uint64_t *left_out, const char *reason) {
    const struct instr_agent_pass *pass = pass_at(options, failed);
    if (!left_out) {
        stop_first(jni, options, failed + 1);
        return false;
    }
    if (pass && pass->stop) pass->stop(jni, options->passes[failed].pass);
    *left_out |= UINT64_C(1) << failed;
    if (options->pass_count == 1)
        instr_say("nothing is instrumented: %s", reason);
    else
        instr_say("%s is not switched on: %s", options->passes[failed].pass->name, reason);
    return true;
}

bool instr_agent_passes_load(JavaVM *vm, const struct instr_options *options,
                             enum instr_agent_pass_phase phase, uint64_t *left_out, char *reason,
                             size_t size) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (!accepts(vm, &options->passes[i], phase, reason, size)) return false;
    for (size_t i = 0; i < options->pass_count; i++)
        if (!load(vm, &options->passes[i], phase, reason, size) &&
            !goes_on_without(NULL, options, i, left_out, reason))
            return false;
    return true;
}

bool instr_agent_passes_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *options,
                              uint64_t *left_out, char *reason, size_t size) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (!instr_agent_pass_start(jvmti, jni, &options->passes[i], reason, size) &&
            !goes_on_without(jni, options, i, left_out, reason))
            return false;
    return true;
}

void instr_agent_passes_stop(JNIEnv *jni, const struct instr_options *options) {
    stop_first(jni, options, options->pass_count);
}

void instr_agent_passes_ended(JNIEnv *jni, const struct instr_options *on) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].agent_pass && rows[i].agent_pass->ended) rows[i].agent_pass->ended(jni, on);
}

size_t instr_agent_passes_memory(const struct instr_options *options) {
    size_t bytes = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = pass_at(options, i);
        if (pass && pass->memory) bytes += pass->memory(options->passes[i].pass);
    }
    return bytes;
}
