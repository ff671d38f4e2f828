// The methods that the pass watch selects: com.acme.Foo.bar(..), com.acme.*.get*(int, String).
//
// The last dot, or #, before the parenthesis separates class and method; * in the name of the method is
// any run of characters. (..), or nothing, stands for any arguments. Otherwise types are written as
// in Java, with or without their packages, and * is any single type; the name of a parameter may follow, as in
// rules, which use it: (int n). Colons separate several such patterns. Classes are written as for `include`
// (instr/match.h); com.acme.Foo+ is Foo and what extends or implements it.

#ifndef RW_WATCH_METHODS_H
#define RW_WATCH_METHODS_H

#include "classfile/classfile.h"

struct rw_supertypes; // rewriter.h

// One pattern, a part of the text.
struct rw_watch_pattern {
    struct cf_slice class_name; // with dots and wildcards
    struct cf_slice method;
    struct cf_slice arguments; // what is between the parentheses; NULL bytes: there are none
};

// Splits the pattern at `text`. Returns what is wrong with it; NULL: nothing. *end: where it ends,
// at a colon or at the end of the text.
const char *rw_watch_split(const char *text, struct rw_watch_pattern *pattern, const char **end);

// Removes the + behind the name of the class. Returns 1; or 0: there is none.
int rw_watch_take_plus(struct rw_watch_pattern *pattern);

// Do the name and the argument types of the pattern match those of the method?
int rw_watch_method_matches(const struct rw_watch_pattern *pattern, struct cf_slice name,
                            struct cf_slice descriptor);

// Does the pattern of class names match the internal name?
int rw_watch_class_matches(struct cf_slice pattern, struct cf_slice class_name);

// Writes the argument types of a method descriptor as a pattern has them, "(int,java.lang.String)",
// truncated if too long.
void rw_watch_types(struct cf_slice descriptor, char *text, size_t size);

// Do the patterns, which have no fault, select this method? The class name is an internal one;
// `above`: the class and its supertypes, NULL if they are not known. Then the result may be
// RW_WATCH_UNSURE: the method is selected if its class has a certain supertype.
enum { RW_WATCH_UNSURE = 2 };
int rw_watch_matches(const char *text, struct cf_slice class_name,
                     const struct rw_supertypes *above, struct cf_slice name,
                     struct cf_slice descriptor);

#endif
