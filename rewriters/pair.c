#include "rewriters/pair.h"

int rw_is_pair(const struct rw_class *cls, const struct cf_edit *edit) {
    struct rw_class *calls = (struct rw_class *)cls->service(cls, "calls");
    struct rw_class *timing = (struct rw_class *)cls->service(cls, "timing");
    if (!calls || !timing || (cls != calls && cls != timing)) return 0;
    if (!rw_timing_estimates(timing)) return 0;
    int id = calls->method_id(calls, edit->method);
    return id >= 0 && (id + 1) % RW_IDS_TOGETHER != 0 &&
           timing->method_id(timing, edit->method) == id + 1;
}
