// A rewritten class, as opening it would show it, at a fraction of the cost: the original constants
// and members are where they were, moved by what was put in between.

#ifndef CF_REWRITTEN_H
#define CF_REWRITTEN_H

#include "classfile/edit.h"
#include "classfile/verify.h"

// `bytes` are what cf_rewrite_encode made of `rewrite`, which is unchanged since then. The view
// lives in the class's arena.
enum cf_status cf_rewritten_view(const struct cf_rewrite *rewrite, const uint8_t *bytes,
                                 size_t length, struct cf_class *view);
// The method with index `i`, which was changed, as it was before; refers to the rewrite.
struct cf_verify_original cf_rewritten_original(const struct cf_rewrite *rewrite, uint32_t i);

#endif
