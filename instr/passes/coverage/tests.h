// tests.h: what each test covered
//
// When a test begins or ends, the hits since the last such moment are taken out of the probe arrays
// and added to all tests that ran in between. So the result is exact for tests that run one after
// the other. A test that runs beside others also gets their hits, and never misses its own.
//
// The file is an .exec file. It has a session for each test, named com.acme.FooTest.bar, with the
// classes that the test covered. The last session has the name of the run and the classes that were
// covered outside of tests. Several JVMs may append to the file.

#ifndef INSTR_PASSES_COVERAGE_TESTS_H
#define INSTR_PASSES_COVERAGE_TESTS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/registry.h"
#include "instr/coverage/exec_writer.h"
#include "instr/id_registry.h"

// Where the names of tests, and the probes of classes, are found.
struct instr_coverage_tests_config {
    struct instr_coverage *registry;
    struct instr_methods *methods;
    const char *file; // the .exec file; the tests' file is beside it
    bool append;
};

// In the live phase, before a class is rewritten. False: `reason` holds one line. No exception is
// pending afterwards.
bool instr_coverage_tests_start(JNIEnv *jni, const struct instr_coverage_tests_config *config,
                                char *reason, size_t size);

// Ends the tests that still run, when the JVM ends: each gets its session.
void instr_coverage_tests_end(JNIEnv *jni);
// The same when tests are no longer told apart. Nothing is written from now on.
void instr_coverage_tests_stop(JNIEnv *jni);

// Sets hits[i], for i below `count`, if the hit of probe i was taken out of the probe arrays since
// the last reset. `reset`: these hits count from now on as not taken out.
void instr_coverage_tests_add(uint8_t *hits, uint32_t count, bool reset);

// Before a reset: the hits so far are taken out for the running tests, and there is memory to put
// `count` probes back. `shared`: tests are told apart, so the probe arrays may be cleared only for
// them, as it was done here. False: out of memory.
bool instr_coverage_tests_prepare(JNIEnv *jni, uint32_t count, bool *shared);
// After a reset whose hits could not be written: they count as taken out since the last reset.
void instr_coverage_tests_put_back(const uint8_t *hits, uint32_t count);

// Writes the session of what was covered outside of tests so far.
void instr_coverage_tests_outside(JNIEnv *jni, const struct instr_exec_session *session);

#endif
