// natives.h: advice for native methods
//
// A native method has no code, so it gets a wrapper, which is edited like any other method
// (rw_pass.wraps). Only the agent can do that, and only while the class is loaded.

#ifndef INSTR_KIT_NATIVES_H
#define INSTR_KIT_NATIVES_H

#include "instr/kit/kit.h"
#include "rewriters/rewriter.h"

// rw_pass.wraps of a pass whose data is a struct instr_kit.
int instr_kit_wraps(struct rw_class *cls, const struct cf_member *native, const char *fixed,
                    const char **why);

// Why no advice can be called for a native method: "is native, and gets no wrapper: ..."; NULL: it can. `offline`: in
// files that are rewritten.
const char *instr_kit_native_misfit(const struct cf_class *cls, const struct cf_member *method,
                                    bool offline, char *reason, size_t size);

#endif
