// The strict instance fields of a class (ACC_STRICT_INIT; JDK 28, value classes). A constructor
// must set each of them before super(), and stack map frames before that list the unset ones (frame
// type 246). Here such a list is a set: bit i stands for field i of the table. Sets are immutable,
// so that frames can share them.

#ifndef CF_STRICT_H
#define CF_STRICT_H

#include "classfile/pool.h"

#define CF_STRICT_LIMIT 1024

struct cf_strict_field {
    struct cf_slice name, descriptor;
    uint16_t name_and_type; // of the original pool; 0: there is none
};

struct cf_strict {
    struct cf_strict_field *fields; // sorted
    uint32_t count, size;           // size: of a set, in bytes
    uint8_t *all;                   // the set of all
};

// The strict fields of the class, which are cached in it; count is 0 if it has none. NULL: out of
// memory, or more than CF_STRICT_LIMIT fields.
const struct cf_strict *cf_strict_of(const struct cf_class *cls, struct cf_error *error);
// The number of a field; -1: not a strict field.
int cf_strict_find(const struct cf_strict *strict, struct cf_slice name,
                   struct cf_slice descriptor);
// The set without field `i`; NULL: out of memory.
const uint8_t *cf_strict_without(const struct cf_strict *strict, struct cf_arena *arena,
                                 const uint8_t *set, uint32_t i);
// The union of two sets; NULL: out of memory.
const uint8_t *cf_strict_union(const struct cf_strict *strict, struct cf_arena *arena,
                               const uint8_t *a, const uint8_t *b);
uint32_t cf_strict_members(const struct cf_strict *strict, const uint8_t *set);
// The NameAndType of field `i`, added to the pool if the original has none; 0: the pool is full.
uint16_t cf_strict_name_and_type(const struct cf_strict *strict, struct cf_pool *pool, uint32_t i);

static inline int cf_strict_has(const uint8_t *set, uint32_t i) {
    return set[i / 8] >> (i % 8) & 1;
}

#endif
