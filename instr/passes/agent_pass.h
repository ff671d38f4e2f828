// part.h: what a pass needs of the JVM beyond the rewriting of classes: events, functions of JNI,
// results of its own form. A part is one value in a file of its own (instr/part_PASS.c), and one
// row in parts.c; passes that only count and time methods have none.
//
// The order of calls, all on one thread at a time (but `takes`, which any thread calls):
//
//      engine -> load -> start -> (tell)* -> stop
//
// Passes are switched on and off while the JVM runs: `options` live as long as the call. With other
// options of its own a pass is stopped, loaded and started again. In instr_methods its methods are
// those of the number options->passes[pass].number.
//
// A part that needs events or capabilities takes a JVM TI environment of its own in `load` and
// disposes of it in `stop`; so the environment of the agent stays as small as it is, and what one
// pass takes costs nothing when it is not given.

#ifndef INSTR_PART_H
#define INSTR_PART_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "instr/base/json.h"
#include "instr/passes/results.h"

// How a JVM comes to a pass.
enum instr_agent_pass_phase {
    INSTR_PART_AT_START, // Agent_OnLoad: no Java yet, all capabilities to be had
    INSTR_PART_LIVE      // the JVM runs
};

struct instr_agent_pass {
    const char *pass; // the name of the pass
    // Takes what it needs of the JVM; no Java may run. False: one line is in `reason`, nothing was
    // taken, and the pass cannot be switched on. NULL: nothing is needed.
    bool (*load)(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size);
    // A new engine that has the pass among its own; before `load` and whenever another takes its
    // place. NULL: nothing to do.
    void (*engine)(struct instr_engine *engine);
    // Without include= it has the classes of the platform loader as well, but not the boot
    // loader's.
    bool takes_platform;
    // Of a class in the class file hook, before it is rewritten: does the pass take it? No
    // exception is pending afterwards. NULL: it takes all.
    bool (*takes)(JNIEnv *jni, jobject loader, const char *name, jobject domain);
    // Of a class that is retransformed: makes its class file known in `origin`, if the pass needs
    // it; the engine's caller frees origin->file. NULL: it never does.
    void (*find_file)(JNIEnv *jni, jobject loader, const char *name, const uint8_t *bytes,
                      size_t length, struct instr_origin *origin);
    // When it is off nobody asks any more what the ids of its methods stand for.
    bool lets_ids_go;
    // In the live phase, when the runtime is in the JVM and before classes are rewritten for the
    // pass. False as above; no exception is pending. NULL: nothing to do.
    bool (*start)(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size);
    // Before load in the live phase, when the pass was not on: what was counted in former times,
    // and told when they ended, is not counted again. NULL: nothing is kept from then.
    void (*forget)(JNIEnv *jni);
    // Switches off what load and start have switched on; also after either has failed. The results
    // stay to be told. Code that calls the runtime may go on running. NULL: nothing to do. `jni` is
    // NULL when there is no Java yet.
    void (*stop)(JNIEnv *jni);
    // Tells the results, at exit or when asked: the table to standard error, the files to where the
    // options say; `pass` is the index into results->options->passes. Any number of times. NULL:
    // the table of methods.
    void (*tell)(const struct instr_results *results, unsigned pass);
    // Bytes of memory that it keeps beside what all passes share. NULL: none to speak of.
    size_t (*memory)(void);
    // With the table of methods: what is told below it (`table`), or as more members of the file's
    // object (`json`); the other is NULL. NULL: nothing.
    void (*more)(const struct instr_results *results, unsigned pass, struct instr_output *table,
                 struct instr_json *json);
};

// The part of a pass; NULL: it has none.
const struct instr_agent_pass *instr_agent_pass_of(const struct rw_pass *pass);

// The same for all passes of the options, in their order. The first that fails ends it, with its
// reason; those before it are stopped again.
bool instr_agent_passes_load(JavaVM *vm, const struct instr_options *options,
                             enum instr_agent_pass_phase phase, char *reason, size_t size);
bool instr_agent_passes_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *options,
                              char *reason, size_t size);
void instr_agent_passes_engine(struct instr_engine *engine, const struct instr_options *options);
// The passes that have the classes of the platform loader without include=, a bit for each.
uint64_t instr_agent_passes_platform(const struct instr_options *options);
void instr_agent_passes_find_file(JNIEnv *jni, const struct instr_options *options, jobject loader,
                                  const char *name, const uint8_t *bytes, size_t length,
                                  struct instr_origin *origin);
// The passes that leave the class alone, a bit for each.
uint64_t instr_agent_passes_without(JNIEnv *jni, const struct instr_options *options,
                                    jobject loader, const char *name, jobject domain);
void instr_agent_passes_stop(JNIEnv *jni, const struct instr_options *options);

// Bytes of memory that the parts of these passes keep.
size_t instr_agent_passes_memory(const struct instr_options *options);

#endif
