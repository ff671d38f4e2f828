#include "instr/kit/supertypes.h"

enum { MOST = 1000 };

struct list {
    const char **names;
    size_t count;
    struct cf_arena *arena;
};

static void add(struct list *list, struct cf_slice name) {
    if (!name.bytes || list->count == MOST) return;
    for (size_t i = 0; i < list->count; i++)
        if (cf_slice_is(name, list->names[i], strlen(list->names[i]))) return;
    char *text = cf_arena_alloc(list->arena, (size_t)name.length + 1);
    if (!text) return;
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    list->names[list->count++] = text;
}

static void add_above(struct list *list, const struct cf_class *cls) {
    for (unsigned i = 0; i <= cls->interfaces_count; i++)
        add(list, cf_class_name(cls, i ? cf_be2(cls->bytes + cls->interfaces + 2 * (i - 1))
                                       : cls->super_class));
}

struct rw_supertypes instr_kit_supertypes(const struct cf_class *cls,
                                          const struct instr_kit_world *world,
                                          struct cf_arena *arena) {
    struct list list = {cf_arena_alloc(arena, MOST * sizeof *list.names), 0, arena};
    if (!list.names) return (struct rw_supertypes){NULL, 0};
    add(&list, cf_this_name(cls));
    add_above(&list, cls);
    for (size_t i = 1; i < list.count; i++) {
        struct cf_slice name = {(const uint8_t *)list.names[i], (uint32_t)strlen(list.names[i])};
        const struct cf_class *found;
        if (world->find(world->context, name, &found) == INSTR_KIT_PRESENT) add_above(&list, found);
    }
    return (struct rw_supertypes){list.names, list.count};
}
