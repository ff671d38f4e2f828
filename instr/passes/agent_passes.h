// agent_passes.h: the agent_pass of each pass, and each call made for all passes of a plan

#ifndef INSTR_PASSES_AGENT_PASSES_H
#define INSTR_PASSES_AGENT_PASSES_H

#include "instr/passes/agent_pass.h"

// The agent_pass of a pass; NULL: it has none.
const struct instr_agent_pass *instr_agent_pass_of(const struct rw_pass *pass);

// Are the pass's times estimates?
bool instr_agent_pass_estimates(const struct instr_pass_options *pass);

// The calls of agent_pass.h for all passes of the options, in their order. A pass that fails is
// stopped, has its bit in `left_out`, and standard error says why; the others go on. Where `left_out`
// is NULL, or a pass does not accept its options: false, with the reason, and no pass is started.
bool instr_agent_passes_load(JavaVM *vm, const struct instr_options *options,
                             enum instr_agent_pass_phase phase, uint64_t *left_out, char *reason,
                             size_t size);
bool instr_agent_passes_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *options,
                              uint64_t *left_out, char *reason, size_t size);
// The same for one pass, which is not stopped when it fails.
bool instr_agent_pass_load(JavaVM *vm, const struct instr_pass_options *pass,
                           enum instr_agent_pass_phase phase, char *reason, size_t size);
bool instr_agent_pass_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *pass,
                            char *reason, size_t size);
void instr_agent_passes_engine(struct instr_engine *engine, const struct instr_options *options);
// The passes that insert no code with their options, a bit for each.
uint64_t instr_agent_passes_passive(const struct instr_options *options);
// The passes that take the platform loader's classes without include=, a bit for each.
uint64_t instr_agent_passes_platform(const struct instr_options *options);
void instr_agent_passes_find_file(JNIEnv *jni, const struct instr_options *options, jobject loader,
                                  const char *name, const uint8_t *bytes, size_t length,
                                  struct instr_origin *origin);
// Does a pass of the options choose among classes by `takes`?
bool instr_agent_passes_choose(const struct instr_options *options);
// The passes that do not take the class, a bit for each; those `excluded` are not asked. `notes`: one
// for each pass, 0 at first; may be NULL.
uint64_t instr_agent_passes_without(JNIEnv *jni, const struct instr_options *options,
                                    const struct instr_candidate *candidate, uint64_t excluded,
                                    uint64_t *notes);
// Can a pass of the options, or does it, leave a class undecided?
bool instr_agent_passes_may_wait(const struct instr_options *options);
bool instr_agent_passes_undecided(const struct instr_options *options, const uint64_t *notes);
// The passes that get the class before other agents change it, and those whose code it has from
// there, a bit for each.
uint64_t instr_agent_passes_original(const struct instr_options *options, const char *name);
uint64_t instr_agent_passes_there(const struct instr_options *options, const uint8_t *bytes,
                                  size_t length);
void instr_agent_passes_stop(JNIEnv *jni, const struct instr_options *options);
// Of all passes that there are, not only those that are on.
void instr_agent_passes_ended(JNIEnv *jni, const struct instr_options *on);

// Bytes of memory that the passes take beside what all passes share.
size_t instr_agent_passes_memory(const struct instr_options *options);

#endif
