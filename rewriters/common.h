// What passes share.

#ifndef RW_COMMON_H
#define RW_COMMON_H

#include "classfile/decls.h"
#include "rewriters/rewriter.h"

CF_BEGIN_DECLS

// The methods that the pass calls, at most RW_REFS; the first call for a class adds all of them. A
// class_name without a slash is a class of the runtime. If the constant pool is full, a methodref
// is 0, and the snippet that calls it fails.
const struct cf_callee *rw_add_callees(struct rw_class *cls, const struct cf_method_name *names,
                                       unsigned count);
static inline const struct cf_callee *
rw_callees(struct rw_class *cls, const struct cf_method_name *names, unsigned count) {
    if (cls->callees[0].methodref) return cls->callees;
    return rw_add_callees(cls, names, count);
}

// The id of the method for inserted code. CF_LIMIT: no id is left.
static inline enum cf_status rw_method_id(struct rw_class *cls, struct cf_edit *edit, int *id) {
    *id = cls->method_id(cls, edit->method);
    if (*id >= 0) return CF_OK;
    return cf_fail(&edit->error, CF_LIMIT, 0, "no number, or no memory, is left for the method", 0);
}

// The id of a site in the method for inserted code. CF_LIMIT: no id is left.
static inline enum cf_status rw_site_id(struct rw_class *cls, struct cf_edit *edit, uint32_t pc,
                                        struct cf_slice detail, int *id) {
    *id = cls->site_id(cls, edit, pc, detail);
    if (*id >= 0) return CF_OK;
    return cf_fail(&edit->error, CF_LIMIT, pc, "no number, or no memory, is left for the site", 0);
}

// As rw_callees, into cls->callees from index `at` on, which must be above those of rw_callees.
const struct cf_callee *rw_add_callees_at(struct rw_class *cls, unsigned at,
                                          const struct cf_method_name *names, unsigned count);

// Is this internal name that of a class that 'instr rewrite' puts beside those of a program,
// com/acme/Instr$0123456789abcdef$InstrCalls?
int rw_is_gate(const char *name, size_t length);

// Methods that no pass may edit. java.lang.Object.finalize must stay empty, or every object has a
// finalizer and the JVM dies at start. java.lang.ref.Reference.get of JDK 8 must stay a getter: the
// interpreter knows it by name and, with -Xint, reads the index of a field from the third byte of
// its code, whatever that is.
int rw_is_finalize_of_object(const struct cf_edit *edit);
int rw_is_get_of_reference(const struct cf_edit *edit);
static inline int rw_leave_alone(const struct cf_edit *edit) {
    enum { JDK_8 = 52, GETTER_LENGTH = 5 };
    const struct cf_class *cls = edit->code.cls;
    if (cls->super_class == 0) return rw_is_finalize_of_object(edit);
    return edit->code.length == GETTER_LENGTH && cls->major_version <= JDK_8 &&
           rw_is_get_of_reference(edit);
}

CF_END_DECLS

#endif
