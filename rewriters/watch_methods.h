// Which methods the pass watch takes: com.acme.Foo.bar(..), com.acme.*.get*(int, String).
//
// The last dot in front of the parenthesis parts class and method; * is any run of characters in
// the name of the method. (..), or nothing, is any arguments; else types are written as in Java,
// with or without their packages, and * is any one type.

#ifndef RW_WATCH_METHODS_H
#define RW_WATCH_METHODS_H

#include "classfile/classfile.h"

// What is wrong with such a text; NULL: nothing. *class_length: of the pattern of classes at its
// beginning.
const char *rw_watch_fault(const char *text, size_t *class_length);

// Is this one of the methods, whatever its class? `text` has no fault.
int rw_watch_matches(const char *text, struct cf_slice name, struct cf_slice descriptor);

#endif
