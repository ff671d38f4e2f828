// Is a rewritten method the original with code put in that does no harm? Where the original is
// known to be good, the rewritten one is then good, too, and no type of the original's code has to
// be looked at.
//
// What is shown, from the bytes of both methods: instructions of the original are there, one like
// the other, with their constants, and lead where they led; the stack map frames stand where they
// stood, with the same types; what was put in takes nothing from the stack that was there before,
// leaves nothing on it, and sets only local variables that the original does not have; the handlers
// of exceptions find what they found, and new ones take nothing but what holds wherever they are
// entered from. Of the state of the verifier (JVMS 4.10.1) the original's part is the same then
// before each of its instructions, and what is put in is checked with the rest of it alone.
//
// It says yes or nothing: what is rare is left to the other checks (verify.h).

#ifndef CF_VERIFY_SAME_H
#define CF_VERIFY_SAME_H

#include "classfile/rewritten/rewritten.h"

struct cf_same;
struct cf_same_memory;

// For the methods of a class that was rewritten, and of which `verifier` has the view
// (rewritten.h). It lives in the class's arena. `memory` (verify_same_known.h) is for one thread at
// a time. NULL: nothing can be shown.
struct cf_same *cf_same_new(struct cf_rewrite *rewrite, const struct cf_class *view,
                            struct cf_verifier *verifier, struct cf_same_memory *memory);
// 1: the method with index `i`, which was changed, verifies if the original does. 0: not shown.
int cf_same_method(struct cf_same *same, uint32_t i);

#endif
