// What passes share.

#include "rewriters/common.h"

#define FULL_NAME 128

// Writes package and name into `room`. NULL: it is too small.
static const char *full_name(const struct rw_class *cls, const char *class_name, char *room) {
    size_t package = strlen(cls->runtime_package), length = strlen(class_name);
    if (package + length >= FULL_NAME) return NULL;
    memcpy(room, cls->runtime_package, package);
    memcpy(room + package, class_name, length + 1);
    return room;
}

// Adds the methods with their full names, into cls->callees from `at` on.
static int add_new(struct rw_class *cls, unsigned at, const struct cf_method_name *names,
                   unsigned count) {
    struct cf_method_name full[RW_REFS];
    char rooms[RW_REFS][FULL_NAME];
    memcpy(full, names, count * sizeof *full);
    for (unsigned i = 0; i < count; i++) {
        if (!full[i].class_name || strchr(full[i].class_name, '/')) continue;
        full[i].class_name = full_name(cls, full[i].class_name, rooms[i]);
        if (!full[i].class_name) return 0;
    }
    return cf_callees_new(cls->rewrite, full, count, cls->callees + at);
}

const struct cf_callee *rw_add_callees_at(struct rw_class *cls, unsigned at,
                                          const struct cf_method_name *names, unsigned count) {
    if (at + count <= RW_REFS && !cls->callees[at].methodref) add_new(cls, at, names, count);
    return cls->callees + at;
}

const struct cf_callee *rw_add_callees(struct rw_class *cls, const struct cf_method_name *names,
                                       unsigned count) {
    // Cached callees are appended as one block.
    struct cf_callees *cached = cls->rewrite->cls->merges_constant_pool ? NULL : cls->cached;
    if (count > RW_REFS) return cls->callees;
    if (cached && cached->count && cached->names == names) {
        cf_callees_again(cls->rewrite, cached, cls->callees);
        return cls->callees;
    }
    struct cf_pool_mark since = cf_pool_mark(&cls->rewrite->pool);
    if (add_new(cls, 0, names, count) && cached) {
        cf_callees_keep(cached, cls->rewrite, since, cls->callees, count);
        cached->names = names;
    }
    return cls->callees;
}

int rw_is_get_of_reference(const struct cf_edit *edit) {
    const struct cf_class *cls = edit->code.cls;
    return CF_IS(cf_member_name(cls, edit->method), "get") &&
           CF_IS(cf_this_name(cls), "java/lang/ref/Reference");
}

int rw_is_finalize_of_object(const struct cf_edit *edit) {
    const struct cf_class *cls = edit->code.cls;
    return CF_IS(cf_member_name(cls, edit->method), "finalize") &&
           CF_IS(cf_this_name(cls), "java/lang/Object");
}

int rw_is_gate(const char *name, size_t length) {
    static const char start[] = "Instr$", end[] = "$Instr";
    enum { START = sizeof start - 1, END = sizeof end - 1, KEY_DIGITS = 16 };
    size_t at = length;
    while (at > 0 && name[at - 1] != '/') at--;
    if (length - at < START + KEY_DIGITS + END || memcmp(name + at, start, START) != 0) return 0;
    at += START;
    for (int i = 0; i < KEY_DIGITS; i++)
        if (!name[at + (size_t)i] || !strchr("0123456789abcdef", name[at + (size_t)i])) return 0;
    return memcmp(name + at + KEY_DIGITS, end, END) == 0;
}
