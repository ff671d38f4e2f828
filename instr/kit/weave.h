// weave.h: the pass that calls advice from the methods that it applies to
//
//      entry        bound values; BRIDGE.enter -> a local, what is in holders -> the arguments;
//                   arguments -> locals if they are passed later; with @Skip perhaps an early return
//      exit         result -> a local; BRIDGE.returned -> the local, BRIDGE.exit; the local
//      exception    exception -> a local; BRIDGE.thrown, BRIDGE.exit; the local
//
// What is passed at the end are the arguments as they were behind `enter`.

#ifndef INSTR_KIT_WEAVE_H
#define INSTR_KIT_WEAVE_H

#include "instr/kit/kit.h"
#include "rewriters/rewriter.h"

#include <stdint.h>

// The note of the pass for a class (service "note"): a bit for each advice that is not called from it; the
// last bit is for all further advices.
static inline uint64_t instr_kit_note(size_t advice) {
    return UINT64_C(1) << (advice < 63 ? advice : 63);
}

// Is the advice of this number there for the class?
bool kit_is_called(const struct rw_class *cls, size_t advice);

// Is the method of `file`, which is the class, one that the advice is for?
bool kit_is_target(const struct rw_class *cls, const struct instr_kit_advice *advice,
                   const struct cf_class *file, const struct cf_member *method);

// rw_pass.edit of a pass whose data is a struct instr_kit.
enum cf_status instr_kit_weave(struct rw_class *cls, struct cf_edit *edit);

// The package of an internal class name, "" or "com/acme/", truncated if too long. Returns the complete length.
size_t instr_kit_package(struct cf_slice class_name, char *package, size_t size);

#endif
