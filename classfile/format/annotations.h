// Which annotations a member carries (JVMS 4.7.16).

#ifndef CF_ANNOTATIONS_H
#define CF_ANNOTATIONS_H

#include "classfile/classfile.h"

// The first of `types`, field descriptors that end with a NULL, of which the member has a
// RuntimeVisibleAnnotation; NULL: none. Annotations that do not hold together end the search.
const char *cf_annotation_of(const struct cf_class *cls, const struct cf_member *member,
                             const char *const *types);

#endif
