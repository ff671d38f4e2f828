// natives.h: which native methods get wrappers

#ifndef RW_NATIVES_H
#define RW_NATIVES_H

#include "rewriters/rewriter.h"

CF_BEGIN_DECLS

#define RW_NATIVES_NEED_AGENT                                                                      \
    "only the agent can lead the JVM to the code of a native method that was renamed"

// Why HotSpot, or the program, would not go on with a wrapper of the native method, the end of a
// sentence that the method begins; NULL: it can be wrapped.
const char *rw_native_refusal(const struct cf_class *cls, const struct cf_member *native);

CF_END_DECLS

#endif
