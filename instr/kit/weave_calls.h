// weave_calls.h: advice of calls, in the methods that call
//
//      receiver and arguments -> locals
//      entry        BRIDGE.enter, as in methods; @Skip: 0 or null instead of the call
//      call         BRIDGE's @Instead; if there is none, or it fails, that of the next advice, and at last the call
//                   itself, or what other passes have put there
//      return       as in methods, and so is an exception of the call, which is thrown again

#ifndef INSTR_KIT_WEAVE_CALLS_H
#define INSTR_KIT_WEAVE_CALLS_H

#include "rewriters/rewriter.h"

#include <stdbool.h>

// What became of the advices of a method, and of its calls.
struct kit_woven {
    bool any;           // is one of them called?
    const char *misfit; // why the first of the others does not fit; NULL: there are none
};

// Replaces the calls in the method that advice of the kit names; `package` is that of the class.
enum cf_status kit_weave_calls(struct rw_class *cls, struct cf_edit *edit, const char *package,
                               struct kit_woven *woven);

#endif
