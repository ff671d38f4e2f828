// The code of a method.

#include "instr/cli/coverage/code.h"

// iload_0 .. aload_3, istore_0 .. astore_3: four of each type, in the order of the types.
static unsigned long_form(const uint8_t *bytes) {
    unsigned op = bytes[0];
    if (op >= CF_OP_iload_0 && op <= CF_OP_aload_3) return CF_OP_iload + (op - CF_OP_iload_0) / 4;
    if (op >= CF_OP_istore_0 && op <= CF_OP_astore_3)
        return CF_OP_istore + (op - CF_OP_istore_0) / 4;
    switch (op) {
    case CF_OP_ldc_w:
    case CF_OP_ldc2_w: return CF_OP_ldc;
    case CF_OP_goto_w: return CF_OP_goto;
    case CF_OP_wide: return bytes[1];
    default: return op;
    }
}

static void label(struct cover_code *code, uint32_t pc) {
    if (pc < code->code.length && code->code.marks[pc] & CF_MARK_START)
        code->labelled[code->index[pc]] = 1;
}

// Lines that begin at no instruction are ignored, and without `line_zero` line 0 unless it follows another. Of several at
// one, the last counts.
static void mark_lines(struct cover_code *code, int line_zero, const uint8_t *p, uint32_t count) {
    for (; count-- > 0; p += 4) {
        uint32_t pc = cf_be2(p), line = cf_be2(p + 2);
        label(code, pc);
        if (pc >= code->code.length || !(code->code.marks[pc] & CF_MARK_START)) continue;
        uint32_t i = code->index[pc];
        if (!line) code->has_line_zero = 1;
        if (!line && !line_zero && !code->starts_line[i]) continue;
        if (!code->starts_line[i]) code->starts_line[i] = line + 1;
        code->line[i] = line;
    }
}

static void mark_variables(struct cover_code *code, const uint8_t *p, uint32_t count) {
    for (; count-- > 0; p += 10) {
        label(code, cf_be2(p));
        label(code, (uint32_t)cf_be2(p) + cf_be2(p + 2));
    }
}

// Skips verification types (JVMS 4.7.4).
static const uint8_t *skip_types(const uint8_t *p, const uint8_t *end, uint32_t count) {
    for (; count > 0 && p < end; count--) p += *p == 7 || *p == 8 ? 3 : 1;
    return p < end ? p : end;
}

static uint32_t take2(const uint8_t **p, const uint8_t *end) {
    if (end - *p < 2) {
        *p = end;
        return 0;
    }
    *p += 2;
    return cf_be2(*p - 2);
}

// Each frame has a label, also in code that nothing reaches.
static void mark_frames(struct cover_code *code, const uint8_t *p, const uint8_t *end) {
    uint32_t count = take2(&p, end), pc = 0;
    for (uint32_t i = 0; i < count && p < end; i++) {
        unsigned type = *p++;
        if (type == 246) { // fields that are not set, and then the frame
            uint32_t fields = take2(&p, end);
            if ((size_t)(end - p) <= 2 * (size_t)fields) return;
            p += 2 * (size_t)fields;
            type = *p++;
        }
        pc += i > 0;
        if (type < 128) {
            pc += type & 63;
            if (type >= 64) p = skip_types(p, end, 1);
        } else {
            pc += take2(&p, end);
            if (type == 247) p = skip_types(p, end, 1);
            if (type > 251 && type < 255) p = skip_types(p, end, type - 251);
            for (int k = 0; type == 255 && k < 2; k++) {
                uint32_t types = take2(&p, end);
                p = skip_types(p, end, types);
            }
        }
        label(code, pc);
    }
}

static void mark_tables(struct cover_code *code, int line_zero) {
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_walk_attributes(code->cls, code->code.attributes,
                                             code->code.attributes_count, code->code.end, &ignored);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a)) {
        if (CF_IS(a.name, "StackMapTable"))
            mark_frames(code, code->cls->bytes + a.info, code->cls->bytes + a.info + a.length);
        int lines = CF_IS(a.name, "LineNumberTable");
        int variables =
            CF_IS(a.name, "LocalVariableTable") || CF_IS(a.name, "LocalVariableTypeTable");
        if ((!lines && !variables) || a.length < 2) continue;
        const uint8_t *p = code->cls->bytes + a.info;
        uint32_t count = cf_be2(p), most = (a.length - 2) / (lines ? 4 : 10);
        if (count > most) count = most;
        if (lines)
            mark_lines(code, line_zero, p + 2, count);
        else
            mark_variables(code, p + 2, count);
    }
}

static void mark_flow(struct cover_code *code) {
    for (uint32_t i = 0; i < code->code.branches_count; i++)
        label(code, code->code.branches[i].target);
    for (uint32_t i = 0; i < code->code.switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(&code->code, code->code.switches[i], &sw);
        label(code, sw.default_pc);
        for (uint32_t k = 0; k < sw.count; k++) label(code, cf_switch_target(&sw, k));
    }
    for (uint32_t i = 0; i < code->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&code->code, i);
        label(code, e.start_pc);
        label(code, e.end_pc);
        label(code, e.handler_pc);
    }
}

// Each instruction has the line that began last.
static void spread_lines(struct cover_code *code) {
    if (code->count && !code->starts_line[0]) code->line[0] = COVER_UNKNOWN_LINE;
    for (uint32_t i = 1; i < code->count; i++)
        if (!code->starts_line[i]) code->line[i] = code->line[i - 1];
}

static int has_synthetic_attribute(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_member_attributes(cls, method, &ignored);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a))
        if (CF_IS(a.name, "Synthetic")) return 1;
    return 0;
}

enum cf_status cover_code_open(struct cover_code *code, const struct cf_class *cls,
                               const struct cf_member *method, const uint8_t *returns,
                               int line_zero, struct cf_error *error) {
    memset(code, 0, sizeof *code);
    code->cls = cls;
    code->method = method;
    code->returns = returns;
    code->is_synthetic =
        method->access_flags & CF_ACC_SYNTHETIC || has_synthetic_attribute(cls, method);
    code->name = cf_member_name(cls, method);
    code->descriptor = cf_member_descriptor(cls, method);
    CF_TRY(cf_code_open(&code->code, cls, method, error));
    CF_TRY(cf_code_scan(&code->code, error));
    uint32_t n = code->count = code->code.count;
    code->line = cf_arena_zeroed(cls->arena, n + 1, sizeof *code->line);
    code->starts_line = cf_arena_zeroed(cls->arena, n + 1, sizeof *code->starts_line);
    code->labelled = cf_arena_zeroed(cls->arena, n + 1, 1);
    code->op = cf_arena_zeroed(cls->arena, n + 1, 1);
    code->index = cf_arena_alloc(cls->arena, (code->code.length + 1) * sizeof *code->index);
    if (!code->line || !code->starts_line || !code->labelled || !code->op || !code->index)
        return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pc = code->code.pc[i];
        code->op[i] = (uint8_t)long_form(code->code.bytes + pc);
        for (; pc < code->code.pc[i + 1]; pc++) code->index[pc] = (uint16_t)i;
    }
    code->index[code->code.length] = (uint16_t)n;
    mark_flow(code);
    mark_tables(code, line_zero);
    spread_lines(code);
    return CF_OK;
}

uint32_t cover_target(const struct cover_code *code, uint32_t i) {
    return code->index[cf_branch_target(code->code.bytes, code->code.pc[i])];
}

uint32_t cover_switch_targets(const struct cover_code *code, uint32_t i, uint32_t **targets,
                              uint32_t **places) {
    struct cf_switch sw;
    uint32_t n = 0;
    cf_switch_open(&code->code, code->code.pc[i], &sw);
    uint32_t *list = cf_arena_alloc(code->cls->arena, (sw.count + 1) * sizeof *list);
    uint32_t *place = cf_arena_alloc(code->cls->arena, (sw.count + 1) * sizeof *place);
    uint8_t *seen = cf_arena_zeroed(code->cls->arena, code->count + 1, 1);
    if (!list || !place || !seen) return 0;
    for (uint32_t k = 0; k <= sw.count; k++) {
        uint32_t to = code->index[k ? cf_switch_target(&sw, k - 1) : sw.default_pc];
        if (seen[to]) continue;
        seen[to] = 1;
        place[n] = k;
        list[n++] = to;
    }
    *targets = list;
    if (places) *places = place;
    return n;
}
