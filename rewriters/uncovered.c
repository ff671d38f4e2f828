#include "rewriters/uncovered.h"

#include "rewriters/common.h"

#include <string.h>

// The members that JaCoCo adds to a class.
static int is_jacocos(struct cf_slice name) {
    return CF_IS(name, "$jacocoInit") || CF_IS(name, "$jacocoData");
}

static int has_jacocos_members(const struct cf_class *cls) {
    struct cf_error ignored = {.status = CF_OK};
    struct cf_member field;
    for (uint32_t i = 0; i < cls->methods_count; i++)
        if (is_jacocos(cf_member_name(cls, &cls->methods[i]))) return 1;
    struct cf_walk walk = cf_walk_fields(cls, &ignored);
    while (cf_next_field(&walk, &field))
        if (is_jacocos(cf_member_name(cls, &field))) return 1;
    return 0;
}

// Does the class use probes that 'instr rewrite coverage' has put beside it?
static int has_own_probes(const struct cf_class *cls) {
    static const char end[] = "$InstrProbes";
    enum { END = sizeof end - 1 };
    for (unsigned i = 1; i < cls->constant_pool_count; i++) {
        struct cf_slice name = cf_class_name(cls, i);
        if (name.length > END && memcmp(name.bytes + name.length - END, end, END) == 0 &&
            rw_is_gate((const char *)name.bytes, name.length))
            return 1;
    }
    return 0;
}

enum cf_status rw_check_uncovered(const struct cf_class *cls, struct cf_error *error) {
    if (has_jacocos_members(cls))
        return cf_fail(error, CF_UNSUPPORTED, 0, "already instrumented by JaCoCo", 0);
    if (has_own_probes(cls))
        return cf_fail(error, CF_UNSUPPORTED, 0, "already rewritten with coverage", 0);
    return CF_OK;
}
