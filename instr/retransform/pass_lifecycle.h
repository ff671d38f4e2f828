// Starting and stopping passes when the plan changes: agent passes, ids, results.

#ifndef INSTR_PASS_LIFECYCLE_H
#define INSTR_PASS_LIFECYCLE_H

#include "instr/passes/results.h"
#include "instr/vm/agent_state.h"

// Can the files be written that `next` names and `before` (NULL: nothing) does not? 0: see `reason`.
int instr_reconfigure_check_files(const struct instr_options *before,
                                  const struct instr_options *next, char *reason, size_t size);

// Starts the passes of `next` that were off or had other options. When one fails, restores those
// before it: 0, see `reason`.
int instr_reconfigure_start_passes(struct instr_agent *agent, JNIEnv *jni,
                                   const struct instr_options *before,
                                   const struct instr_options *next, char *reason, size_t size);
void instr_reconfigure_stop_pass(const struct instr_pass_options *pass, JNIEnv *jni);
// Stops the passes of `go` that are not in `stay` (NULL: nothing).
void instr_reconfigure_stop_passes(const struct instr_options *stay, const struct instr_options *go,
                                   JNIEnv *jni);

// May all owners have these passes at the same time? 0: see `reason`.
int instr_reconfigure_check_owners(const struct instr_options *next, char *reason, size_t size);

// Assigns ids to the passes of `next`; active passes keep theirs. Clears the counters of ids that
// are reused. `before` may be NULL; then `jni` may be NULL, too.
void instr_reconfigure_assign_ids(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_plan *before, struct instr_options *next);
// Releases the ids of the passes of `go` that are not in `stay`. They may be reused from `free_at`
// (ns) on.
void instr_reconfigure_release_ids(struct instr_agent *agent, const struct instr_options *stay,
                                   const struct instr_options *go, uint64_t free_at);

// Writes the results of the passes that `next` does not have: their files, and the tables of those
// without a file. `next` NULL: the files of all passes, without tables. `taker` as in results.h.
void instr_reconfigure_write_results(struct instr_agent *agent, JNIEnv *jni,
                                     const struct instr_plan *plan,
                                     const struct instr_options *next,
                                     const struct instr_results_taker *taker);

#endif
