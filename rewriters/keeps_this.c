#include "rewriters/keeps_this.h"

static int stores_local_0(const struct cf_code *code, uint32_t pc) {
    const uint8_t *p = code->bytes + pc;
    unsigned op = p[0] == CF_OP_wide ? p[1] : p[0];
    uint32_t local = p[0] == CF_OP_wide ? cf_be2(p + 2) : p[1];
    if (op == CF_OP_istore_0 || op == CF_OP_lstore_0 || op == CF_OP_fstore_0 ||
        op == CF_OP_dstore_0 || op == CF_OP_astore_0)
        return 1;
    return op >= CF_OP_istore && op <= CF_OP_astore && local == 0;
}

int rw_keeps_this(const struct cf_code *code) {
    if (code->method->access_flags & CF_ACC_STATIC) return 0;
    for (uint32_t i = 0; i < code->count; i++)
        if (stores_local_0(code, code->pc[i])) return 0;
    return 1;
}
