// A stack map frame that is compared with what is expected as it lies there, without being read
// first. Most are so; what is not is read (verify_same_frames.c).

#include "classfile/rewritten/internal.h"

// How many bytes a type takes in the class file, and what of them must be as in a word. What may be
// the same though it is not equal differs always.
struct form {
    uint32_t mask;
    uint16_t differs;
    uint8_t length, types;
};
#define SIMPLE                                                                                     \
    { 0xFF, 0, 1, 1 }
#define UNKNOWN                                                                                    \
    { 0, 1, 0, 0 }
static const struct form forms[16] = {
    SIMPLE,  SIMPLE,       SIMPLE,  SIMPLE,  SIMPLE,  SIMPLE,  SIMPLE,  {0xFFFFFF, 0, 3, 1},
    UNKNOWN, {0, 0, 0, 0}, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};

// Types of the class file that are compared with words, without being read first.
struct next {
    const uint8_t *p;
    uint32_t types; // that there are to be, and have not been met
    uint32_t differ;
};

// From a slot to the next nothing waits but for the length, which the word tells.
static inline void compare_types(struct next *next, const uint32_t *words, uint32_t slots) {
    const uint8_t *p = next->p;
    uint32_t types = next->types, differ = next->differ;
    for (uint32_t i = 0; i < slots; i++) {
        const struct form *form = &forms[CF_SAME_TAG(words[i]) & 15];
        differ |= ((CF_SAME_WORD(p[0], cf_be2(p + 1)) ^ words[i]) & form->mask) | form->differs;
        p += form->length;
        types -= form->types;
    }
    next->p = p;
    next->types = types;
    next->differ = differ;
}

static inline void begin_types(struct next *next) {
    next->types = cf_be2(next->p);
    next->p += 2;
}

// May so many types be compared without leaving the class?
static inline int is_room(const struct cf_same *s, uint32_t types) {
    return s->view->bytes + s->view->length - s->now.p > 3 * (int64_t)types + 8;
}

// All that is on the stack of a frame, which is the original's.
static inline int ends_like(struct cf_same *s, struct next *next) {
    compare_types(next, s->old.stack, s->old.stack_count);
    if (next->differ || next->types || next->p > s->now.end) return 0;
    s->now.p = next->p;
    s->now.stack_count = s->old.stack_count;
    return 1;
}

int cf_same_is_full_like(struct cf_same *s) {
    const struct cf_same_named *named = s->named.count ? &s->named : &s->usual;
    uint32_t most = s->was->max_locals;
    struct next next = {s->now.p, 0, 0};
    if (!named->count || named->count > s->new_locals) return 0;
    if (!is_room(s, most + named->count + s->old.stack_count)) return 0;
    begin_types(&next);
    compare_types(&next, s->old.locals, most);
    compare_types(&next, named->words, named->count);
    if (next.types) return 0;
    begin_types(&next);
    if (!ends_like(s, &next)) return 0;
    s->now.locals_count = most + named->count;
    s->now.behind = 1;
    if (named != &s->named) s->named = *named;
    return 1;
}

int cf_same_is_stack_like(struct cf_same *s) {
    struct next next = {s->now.p, 1, 0};
    return is_room(s, 1) && ends_like(s, &next);
}

int cf_same_is_last_like(struct cf_same *s) {
    static const uint32_t tops[CF_SAME_SLOTS];
    struct cf_same_table *now = &s->now;
    const struct cf_same_named *named = &s->usual;
    uint32_t most = s->was->max_locals,
             throwable = CF_SAME_WORD(CF_TYPE_OBJECT, s->throwable_index);
    struct next next = {now->p, 0, 0};
    if (!s->throwable_index || named->count > s->new_locals) return 0;
    if (!is_room(s, most + named->count + 1)) return 0;
    begin_types(&next);
    compare_types(&next, tops, most);
    compare_types(&next, named->words, named->count);
    if (next.types) return 0;
    begin_types(&next);
    compare_types(&next, &throwable, 1);
    if (next.differ || next.types || next.p > now->end) return 0;
    now->p = next.p;
    now->locals_count = most + named->count;
    now->behind = 0;
    for (uint32_t i = 0; i < most; i++) now->locals[i] = CF_TYPE_TOP;
    cf_same_copy(now->locals + most, named->words, s->new_locals);
    s->named = *named;
    return 1;
}
