// What makes methods tests although their class file does not say so:
//
//      @Test class Base                class Sub extends Base     TestNG: Sub inherits the annotation
//      class Base extends TestCase     class Sub extends Base     JUnit 3, which JUnit 4 runs
//      @Test @interface Fast           @Fast void adds()          JUnit 5: a composed annotation
//
// The class files of superclasses and of types of annotations say it. They may come from anywhere: how much is read for
// one answer is limited.

#ifndef RW_TEST_TYPES_H
#define RW_TEST_TYPES_H

#include "rewriters/test_methods.h"

#include <stddef.h>
#include <stdint.h>

// The annotations of tests: descriptors; NULL ends them.
extern const char *const rw_junit4_tests[], *const rw_junit5_tests[], *const rw_testng_tests[];
// Those of methods whose dynamic tests run after the method has returned.
extern const char *const rw_junit5_factories[];

// Is the method a test if its class, or a superclass, has TestNG's annotation? If the class extends
// junit.framework.TestCase?
int rw_suits_testng_class(const struct cf_class *cls, const struct cf_member *method);
int rw_suits_junit3(const struct cf_class *cls, const struct cf_member *method);

enum rw_test_question {
    RW_ASK_SUPERCLASS, // about a superclass, and those above it
    RW_ASK_ANNOTATION  // about a type of annotations, and those that it has itself
};

enum {                       // an answer
    RW_TESTNG_ABOVE = 1,     // one of the classes has TestNG's annotation
    RW_JUNIT3_ABOVE = 2,     // one of them is junit.framework.TestCase
    RW_COMPOSED_TEST = 4,    // it stands for an annotation of JUnit 5's tests
    RW_COMPOSED_FACTORY = 8, // and that for one of rw_junit5_factories
};

struct rw_class_files {
    // Reads the class file of the class with this internal name. The caller frees the bytes. 0: there is none.
    int (*read)(void *context, const char *name, uint8_t **bytes, size_t *length);
    void *context;
};

// The answer for the class with this internal name. Where a class file is missing or malformed, nothing is known of the
// class, nor of those above it.
unsigned rw_test_answer(const struct rw_class_files *files, enum rw_test_question question,
                        struct cf_slice name);

struct rw_test_answers {
    unsigned (*get)(void *context, enum rw_test_question question, struct cf_slice name);
    void *context;
};

// Finds what the frameworks `presets` make of the class, by answers about other classes. It asks for none if the class
// has no method that they could make a test.
void rw_test_types_find(const struct cf_class *cls, unsigned presets,
                        const struct rw_test_answers *answers, struct rw_test_types *types);

// Does an annotation of this type, a descriptor, stand for one of a test, or of a factory?
int rw_test_types_has(const struct rw_test_types *types, struct cf_slice type, int factory);

#endif
