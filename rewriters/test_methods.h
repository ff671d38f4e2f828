// Which methods are tests: those that a list of patterns names, with colons between them:
//
//      junit4, junit5, testng      methods that have an annotation of that framework for tests;
//                                  lambdas in those that make dynamic tests
//      com.acme.**Test#test*       methods by class and name; * is any text without a dot, ** any

#ifndef RW_TEST_METHODS_H
#define RW_TEST_METHODS_H

#include "classfile/classfile.h"

// NULL: the list is one; else what is wrong with it.
const char *rw_test_methods_check(const char *patterns);

// Is the method one? Only such with code are asked for; constructors and initializers never are.
int rw_is_test_method(const char *patterns, const struct cf_class *cls,
                      const struct cf_member *method);

// The method in which a lambda stands, by the name that javac gives its body (lambda$METHOD$0); of
// length 0: it is no such name.
struct cf_slice rw_method_of_lambda(struct cf_slice name);

#endif
