// Annotations (JVMS 4.7.16): finding them on members, and walking through them.

#ifndef CF_ANNOTATIONS_H
#define CF_ANNOTATIONS_H

#include "classfile/classfile.h"

// The first of `types` (field descriptors, ending with NULL) for which the member, or the class if
// `member` is NULL, has a runtime-visible annotation; NULL: none. Malformed annotations end the search.
const char *cf_annotation_of(const struct cf_class *cls, const struct cf_member *member,
                             const char *const *types);

// Calls `each` for the type of each runtime-visible annotation, until it returns something else than 0, which is
// returned.
int cf_each_annotation(const struct cf_class *cls, const struct cf_member *member,
                       int (*each)(void *context, struct cf_slice type), void *context);

// An element_value (JVMS 4.7.16.1): of an element, or of an item of an array.
struct cf_element {
    struct cf_slice name;   // of an element
    unsigned tag;           // 's', 'c', 'Z', '[', ...
    uint16_t constant;      // the index of the value of all but enums, annotations and arrays
    struct cf_reader items; // '[': of these, `left` are to come
    uint32_t left;
};

struct cf_annotation {
    struct cf_slice type; // a field descriptor
    struct cf_reader elements;
    uint32_t left;
};

// Walks the annotations at the reader's place, which begins with their number:
//      struct cf_annotations w = cf_walk_annotations(cls, reader);
//      struct cf_annotation a;
//      struct cf_element e;
//      while (cf_next_annotation(&w, &a))
//          while (cf_next_element(cls, &a, &e)) ...
// ends early if the bytes are malformed (the reader's error is then set).
struct cf_annotations {
    const struct cf_class *cls;
    struct cf_reader r;
    uint32_t left;
};
struct cf_annotations cf_walk_annotations(const struct cf_class *cls, struct cf_reader r);
int cf_next_annotation(struct cf_annotations *walk, struct cf_annotation *annotation);
int cf_next_element(const struct cf_class *cls, struct cf_annotation *annotation,
                    struct cf_element *element);
// The next item of an array, without a name.
int cf_next_item(struct cf_element *array, struct cf_element *item);

#endif
