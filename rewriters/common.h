// What passes share.

#ifndef RW_COMMON_H
#define RW_COMMON_H

#include "rewriters/rewriter.h"

// The runtime's method class_name.name:descriptor, remembered for the class at hand as number `which`
// (below RW_REFS). A methodref of 0, when the pool is full, spoils the snippet that calls it.
struct cf_callee rw_callee(struct rw_class *cls, unsigned which, const char *class_name,
                           const char *name, const char *descriptor);

// The number of the method for inserted code. CF_LIMIT when there is none left.
enum cf_status rw_method_id(struct rw_class *cls, struct cf_edit *edit, int *id);

// Methods that no pass may put code in: java.lang.Object.finalize must stay empty, or else every object has a
// finalizer and the VM dies at its start.
int rw_leave_alone(const struct cf_edit *edit);

#endif
