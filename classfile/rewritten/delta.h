// Is a rewritten method the original with harmless code put in? Where a JVM has verified the
// original, or trusts it, the rewritten method then verifies too, and most of it need not be run.

#ifndef CF_DELTA_H
#define CF_DELTA_H

#include "classfile/edit.h"
#include "classfile/verify.h"

struct cf_delta;

// For the methods of a class of which a JVM has verified the original or trusts it. `view` is that
// of rewritten.h. It lives in the class's arena. NULL: the methods are to be checked in full.
struct cf_delta *cf_delta_new(struct cf_rewrite *rewrite, const struct cf_class *view);
// Does the method with index `i`, which was changed, verify? 1: yes, 0: perhaps. `verifier` is one for
// the view.
int cf_delta_holds(struct cf_delta *delta, struct cf_verifier *verifier, uint32_t i);

#endif
