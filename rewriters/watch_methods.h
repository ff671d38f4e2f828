// The methods that the pass watch selects: com.acme.Foo.bar(..), com.acme.*.get*(int, String).
//
// The last dot before the parenthesis separates class and method; * in the name of the method is
// any run of characters. (..), or nothing, stands for any arguments. Otherwise types are written as
// in Java, with or without their packages, and * is any single type.

#ifndef RW_WATCH_METHODS_H
#define RW_WATCH_METHODS_H

#include "classfile/classfile.h"

// What is wrong with such a text; NULL: nothing. *class_length: the length of the class pattern at
// its start.
const char *rw_watch_fault(const char *text, size_t *class_length);

// Does `text` select this method, whatever its class? `text` has no fault.
int rw_watch_matches(const char *text, struct cf_slice name, struct cf_slice descriptor);

#endif
