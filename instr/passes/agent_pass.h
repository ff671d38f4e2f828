// agent_pass.h: the JVM TI half of a pass: events, JNI functions, results of its own form
//
// The other half, in rewriters/, rewrites classes. An agent pass is one value, instr_agent_pass_PASS,
// in a room of its own, passes/PASS/. Passes that only count and time methods have none. Passes that
// are made (rewriter.h: rw_made) have that of their kind, passes/KIND/, which serves many at a time:
// `pass` says which.
//
// The order of calls, all on one thread at a time (except `takes`, which any thread calls):
//
//      engine -> accepts -> load -> start -> (report)* -> stop
//
// (`reload`, if the pass was made anew, is before all of them; `ended` behind `stop`, once no class has code
// of the pass.)
//
// Passes are switched on and off while the JVM runs: `options` live as long as the call. When
// options of a pass change, it is stopped, loaded and started again. In instr_methods its methods
// are those of the number options->passes[pass].number.
//
// A pass that needs events or capabilities takes a JVM TI environment of its own in `load` and
// disposes of it in `stop`. So the agent's environment stays as it is, and a pass that is not on
// costs nothing.

#ifndef INSTR_PASSES_AGENT_PASS_H
#define INSTR_PASSES_AGENT_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "instr/base/json.h"
#include "instr/passes/results.h"

enum instr_agent_pass_phase {
    INSTR_PHASE_AT_START, // Agent_OnLoad: no Java yet, all capabilities are available
    INSTR_PHASE_LIVE      // the JVM runs
};

// A class that a pass may take.
struct instr_candidate {
    jobject loader, domain;
    const char *name;                       // internal
    const struct rw_supertypes *supertypes; // NULL: unknown
    const uint8_t *bytes;                   // NULL: only whether it is taken is asked
    size_t length;
};

struct instr_agent_pass {
    // Can the pass do what its options ask for? Before `load`, wherever it is switched on; no Java may
    // run. False: `reason` holds one line; a JVM with such options does not start. NULL: yes.
    bool (*accepts)(JavaVM *vm, const struct instr_pass_options *options,
                    enum instr_agent_pass_phase phase, char *reason, size_t size);
    // Takes what it needs of the JVM; no Java may run. False: `reason` holds one line, nothing was
    // taken, and the pass cannot be switched on. NULL: nothing is needed.
    bool (*load)(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size);
    // Prepares a new engine that has the pass; before `load`, and whenever another engine takes its
    // place. NULL: nothing to do.
    void (*engine)(struct instr_engine *engine);
    // Does the pass insert code with these options? If not, no class is rewritten or retransformed
    // for it. NULL: always.
    bool (*inserts)(const struct instr_pass_options *options);
    // Without include= it also takes the classes of the platform loader, but not the bootstrap
    // loader's.
    bool takes_platform;
    // Are its times estimates with these options? NULL: they are not.
    bool (*estimates)(const struct instr_pass_options *options);
    // Does the pass take this class? Called in the class file hook, before the class is rewritten.
    // What it stores in `note` (0 at first) its other half finds as the service "note". No exception
    // is pending afterwards. NULL: it takes all.
    bool (*takes)(const struct rw_pass *pass, JNIEnv *jni, const struct instr_candidate *candidate,
                  uint64_t *note);
    // Is the class to be rewritten again when it is prepared, since its supertypes were not all known?
    // `note` as its two halves have left it. NULL: never.
    bool (*undecided)(uint64_t note);
    // For a class that is retransformed: stores its class file in `origin`, if the pass needs it;
    // the engine's caller frees origin->file. NULL: it never does.
    void (*find_file)(JNIEnv *jni, jobject loader, const char *name, const uint8_t *bytes,
                      size_t length, struct instr_origin *origin);
    // Its results cannot be split by class: it is on for one owner at a time.
    bool one_owner;
    // It has no counts of its own, only methods: they have other numbers for each owner, as those of
    // passes without an agent pass, so that each has counts from when it was switched on for him.
    bool by_owner;
    // The file that is written at the end if the options name none. NULL: none is written.
    const char *default_file;
    // Directories that its file needs are made.
    bool makes_folders;
    // Can its results be written to this file, which exists, as far as its content shows? False as
    // above. NULL: yes.
    bool (*fits_file)(const char *path, const struct instr_pass_options *options, char *reason,
                      size_t size);
    // Does the pass get this class, which is being loaded, before other agents change it? That is
    // possible if the agent was started with the JVM (agent_state.h: front). The code then stays in
    // the class, since the JVM takes it for the original. NULL: never.
    bool (*gets_original)(const char *name);
    // Has the class the pass's code from there? With `gets_original`.
    bool (*has_code)(const uint8_t *bytes, size_t length);
    // After it is switched off, the ids of its methods are not needed any more.
    bool releases_ids;
    // In the live phase, when the runtime is in the JVM and before classes are rewritten for the
    // pass. False as above; no exception is pending. NULL: nothing to do.
    bool (*start)(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size);
    // Drops the counts of an earlier time when the pass was on. Called after `stop`, when they were
    // reported, and before `load` in the live phase, for those that came later. NULL: the pass keeps
    // no counts.
    void (*forget)(JNIEnv *jni, const struct rw_pass *pass);
    // Before `load` of a pass that was made anew from its files, and takes the place of `old`: does what
    // may fail. False as above; the old pass stays. NULL: its passes cannot be made anew.
    bool (*reload)(jvmtiEnv *jvmti, JNIEnv *jni, const struct rw_pass *old,
                   const struct rw_pass *pass, char *reason, size_t size);
    // Switches off what `load` and `start` have switched on; also after either has failed. The
    // results can still be reported. Code that calls the runtime may go on running. `jni` is NULL
    // when there is no Java yet. NULL: nothing to do.
    void (*stop)(JNIEnv *jni, const struct rw_pass *pass);
    // Passes that are not among the options `on` have ended, and no class has their code any more: drops
    // what of them is still in the JVM. Calls that were running then may still be. NULL: nothing to do.
    void (*ended)(JNIEnv *jni, const struct instr_options *on);
    // How many events it has handled so far, besides those that the table of methods counts; for
    // max-overhead= (rw_pass.event_ns). NULL: none.
    uint64_t (*events)(JNIEnv *jni, const struct rw_pass *pass);
    // rw_pass.event_ns with these options. NULL: it does not depend on them.
    unsigned (*event_ns)(const struct instr_pass_options *options);
    // What a call costs besides for which the clock was read, where that is not done in each call. NULL: nothing.
    unsigned (*measured_ns)(const struct instr_pass_options *options);
    // What it has cost the application so far in nanoseconds, besides rw_pass.event_ns for each of
    // those events. NULL: nothing.
    uint64_t (*cost_ns)(JNIEnv *jni, const struct rw_pass *pass);
    // Reports the results, at exit or on request: the table to standard error, the files as the
    // options say. `pass` is the index into results->options->passes. Any number of times. NULL:
    // the table of methods.
    void (*report)(const struct instr_results *results, unsigned pass);
    // Bytes of memory that the pass takes beside what all passes share. NULL: next to none.
    size_t (*memory)(const struct rw_pass *pass);
    // Adds to the table of methods: lines below it (`table`), or members of the file's object
    // (`json`); the other is NULL. NULL: nothing.
    void (*more)(const struct instr_results *results, unsigned pass, struct instr_output *table,
                 struct instr_json *json);
};

#endif
