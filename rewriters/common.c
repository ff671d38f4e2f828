// What passes share.

#include "rewriters/common.h"

struct cf_callee rw_callee(struct rw_class *cls, unsigned which, const char *class_name,
                           const char *name, const char *descriptor) {
    struct cf_callee *callee = &cls->callees[which];
    char full[128];
    if (callee->methodref) return *callee;
    size_t package = strlen(cls->runtime_package), name_length = strlen(class_name);
    if (package + name_length >= sizeof full) return *callee;
    memcpy(full, cls->runtime_package, package);
    memcpy(full + package, class_name, name_length + 1);
    *callee = cf_callee_new(cls->rewrite, full, name, descriptor);
    return *callee;
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
