// coverage_tests.h: what each test covered. When a test begins or ends, what was passed since the
// last such moment is taken out of the holders and given to the tests that ran in between. So for
// tests that run one after the other it is exact. One that runs beside others also has what they
// covered meanwhile: never too little.
//
// The file is one of .exec's form: for each test a session, named com.acme.FooTest.bar, and the
// classes that it covered; at the end one, under the session's own name, of what was covered
// outside of tests.

#ifndef INSTR_COVERAGE_TESTS_H
#define INSTR_COVERAGE_TESTS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/registry.h"
#include "instr/coverage/exec_writer.h"
#include "instr/id_registry.h"

// Where tests have their names, and classes their probes.
struct instr_coverage_tests_config {
    struct instr_coverage *registry;
    struct instr_methods *methods;
    const char *file; // the .exec file beside which the tests' is
    bool append;
};

// In the live phase, before a class is rewritten. False: one line is in `reason`, no exception is
// pending.
bool instr_coverage_tests_start(JNIEnv *jni, const struct instr_coverage_tests_config *config,
                                char *reason, size_t size);

// Sets hits[i], for i below `count`, where probe i was taken out of the holders since the last
// reset.
void instr_coverage_tests_add(uint8_t *hits, uint32_t count, bool reset);

// Writes what was covered outside of tests so far.
void instr_coverage_tests_outside(JNIEnv *jni, const struct instr_exec_session *session);

#endif
