// Can a rewritten class hide an error of the original? It has more constants, so an index that a JVM
// would refuse in the original may be a good one now. Its methods have more locals, which may give
// room to parameters that had none.

#ifndef CF_HIDDEN_ERRORS_H
#define CF_HIDDEN_ERRORS_H

#include "classfile/edit.h"

// 0: no, except perhaps within the instructions of changed methods. 1: perhaps; only a check of the
// whole structure of the original decides (structure.h). This search is far cheaper: it takes every
// two bytes for an index that are not known to be something else.
int cf_may_hide_errors(const struct cf_rewrite *rewrite);

#endif
