// Finding annotations of members (JVMS 4.7.16).

#ifndef CF_ANNOTATIONS_H
#define CF_ANNOTATIONS_H

#include "classfile/classfile.h"

// The first of `types` (field descriptors, ending with NULL) for which the member has a
// runtime-visible annotation; NULL: none. Malformed annotations end the search.
const char *cf_annotation_of(const struct cf_class *cls, const struct cf_member *member,
                             const char *const *types);

#endif
