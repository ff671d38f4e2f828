// May a rewritten class hide an error of the original? It has more constants, so an index that a
// JVM would refuse in the original may have become a good one; and its methods have more locals,
// which parameters without room may have got.

#ifndef CF_HIDDEN_ERRORS_H
#define CF_HIDDEN_ERRORS_H

#include "classfile/edit.h"

// 0: no, as far as what lies outside the instructions of changed methods is concerned. 1: perhaps;
// a look at the whole structure of the original tells (structure.h). Far cheaper than that look:
// what is not known to be something else is taken for an index at every byte.
int cf_may_hide_errors(const struct cf_rewrite *rewrite);

#endif
