// Patterns of class names, written with dots and separated by colons:
//
//      com.acme.Foo        this class, and not its inner classes
//      com.acme.*          the classes of one package; * is any run of characters but dots
//      com.acme.*Test$*    anywhere in a name, and in names of inner classes
//      com.acme.**         the classes of a package and of all packages below it
//      com.**.internal.*   `**.` is any number of packages, also none
//      **                  every class

#ifndef INSTR_MATCH_H
#define INSTR_MATCH_H

#include "classfile/decls.h"

#include <stddef.h>

CF_BEGIN_DECLS

struct instr_match; // a set of patterns

// An empty set, which matches nothing. The caller frees it; NULL when out of memory.
struct instr_match *instr_match_new(void);
void instr_match_free(struct instr_match *match);

// One more owner of the same set, which is freed when all have freed it. No patterns may be added to
// a shared set. NULL gives NULL.
struct instr_match *instr_match_share(struct instr_match *match);

// Adds patterns separated by colons. Returns 0; or -1 with the pattern and its fault in `reason`;
// the set is then unchanged.
int instr_match_add(struct instr_match *match, const char *patterns, char *reason, size_t size);

// Does any pattern match the class of this internal name (java/util/Map$Entry), `length` bytes?
// Allocates nothing and takes tens of nanoseconds.
int instr_match(const struct instr_match *match, const char *name, size_t length);

// Does any pattern match any of these names, which end with '\0'?
int instr_match_any(const struct instr_match *match, const char *const *names, size_t count);

// Can any pattern match a class whose name begins with `start` (java/)?
int instr_match_below(const struct instr_match *match, const char *start);

// All patterns added so far, separated by colons. The set owns the text.
const char *instr_match_text(const struct instr_match *match);

CF_END_DECLS

#endif
