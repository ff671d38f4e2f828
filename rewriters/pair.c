#include "rewriters/pair.h"

#include "rewriters/common.h"

#include <string.h>

int rw_timing_estimates(const struct rw_class *timing) {
    const char *clock = timing->option(timing, "clock");
    // Without an agent there are no ticks (runtime-java/InstrSampling.java).
    return clock ? strcmp(clock, "auto") == 0 : !timing->offline;
}

enum cf_status rw_find_pair(struct rw_class *cls, struct cf_edit *edit, int *is_pair) {
    struct rw_class *calls = (struct rw_class *)cls->service(cls, "calls");
    struct rw_class *timing = (struct rw_class *)cls->service(cls, "timing");
    int id, id_of_timing;
    *is_pair = 0;
    if (!calls || !timing || (cls != calls && cls != timing) || !rw_timing_estimates(timing))
        return CF_OK;
    CF_TRY(rw_method_id(calls, edit, &id));
    CF_TRY(rw_method_id(timing, edit, &id_of_timing));
    *is_pair = id_of_timing == id + 1 && id_of_timing % RW_IDS_TOGETHER != 0;
    return CF_OK;
}
