// What passes share.

#include "rewriters/common.h"

const struct cf_callee *rw_add_callees(struct rw_class *cls, const char *class_name,
                                       const struct cf_method_name *names, unsigned count) {
    char full[128];
    size_t package = strlen(cls->runtime_package), name_length = strlen(class_name);
    if (package + name_length >= sizeof full || count > RW_REFS) return cls->callees;
    memcpy(full, cls->runtime_package, package);
    memcpy(full + package, class_name, name_length + 1);
    cf_callees_new(cls->rewrite, full, names, count, cls->callees);
    return cls->callees;
}

enum cf_status rw_method_id(struct rw_class *cls, struct cf_edit *edit, int *id) {
    *id = cls->method_id(cls, edit->method);
    if (*id >= 0) return CF_OK;
    return cf_fail(&edit->error, CF_LIMIT, 0, "no number is left for the method", 0);
}

int rw_leave_alone(const struct cf_edit *edit) {
    const struct cf_class *cls = edit->code.cls;
    return CF_IS(cf_member_name(cls, edit->method), "finalize") &&
           CF_IS(cf_this_name(cls), "java/lang/Object");
}
