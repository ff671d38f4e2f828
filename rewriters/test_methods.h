// Which methods are tests: those that a list of patterns selects, separated by colons:
//
//      junit4, junit5, testng      what that framework takes for a test by its annotations, its class and
//                                  its name; and lambdas in methods that create dynamic tests
//      com.acme.**Test#test*       methods by class and name; * is any text without a dot, ** any

#ifndef RW_TEST_METHODS_H
#define RW_TEST_METHODS_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

// What is wrong with a list; NULL: nothing.
const char *rw_test_methods_check(const char *patterns);

// The frameworks in a list that has no fault, a bit for each.
enum { RW_JUNIT4 = 1, RW_JUNIT5 = 2, RW_TESTNG = 4 };
unsigned rw_test_presets(const char *patterns);

// What other class files say of the tests in a class; test_types.h finds it.
struct rw_test_types {
    unsigned above;      // of its superclasses: RW_TESTNG_ABOVE, RW_JUNIT3_ABOVE
    char composed[2048]; // the types of its annotations that stand for JUnit 5's
};

// Is the method a test? It must have code; constructors and initializers are never tests. `types`: NULL if
// nothing is known beside the class itself.
int rw_is_test_method(const char *patterns, const struct cf_class *cls,
                      const struct cf_member *method, const struct rw_test_types *types);

// The method that contains a lambda, from the name that javac gives its body (lambda$METHOD$0).
// Length 0: not such a name.
struct cf_slice rw_method_of_lambda(struct cf_slice name);

CF_END_DECLS

#endif
