// Which methods are tests: those that a list of patterns selects, separated by colons:
//
//      junit4, junit5, testng      methods with a test annotation of that framework, and lambdas in
//                                  those that create dynamic tests
//      com.acme.**Test#test*       methods by class and name; * is any text without a dot, ** any

#ifndef RW_TEST_METHODS_H
#define RW_TEST_METHODS_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

// What is wrong with a list; NULL: nothing.
const char *rw_test_methods_check(const char *patterns);

// Is the method a test? It must have code; constructors and initializers are never tests.
int rw_is_test_method(const char *patterns, const struct cf_class *cls,
                      const struct cf_member *method);

// The method that contains a lambda, from the name that javac gives its body (lambda$METHOD$0).
// Length 0: not such a name.
struct cf_slice rw_method_of_lambda(struct cf_slice name);

CF_END_DECLS

#endif
