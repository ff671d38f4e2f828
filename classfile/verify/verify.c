// Verification by type checking (JVMS 4.10.1): one pass over the code of a method, in which the
// state comes from what stands before, and from the StackMapTable where control may come from
// elsewhere.

#include "classfile/verify.h"
#include "classfile/verify/internal.h"
#include "classfile/verify/quick.h"

#include <stdio.h>

// --- failures ---

enum cf_status cf_v_fail(struct cf_verifier *v, const char *reason, uint32_t value) {
    v->failure->error.at_pc = 1;
    return cf_fail(&v->failure->error, CF_UNVERIFIABLE, v->pc, reason, value);
}

enum cf_status cf_v_mismatch(struct cf_verifier *v, const char *reason, cf_vtype found,
                             cf_vtype needed) {
    char a[100], b[100];
    cf_v_name(v, found, a, sizeof a);
    if (CF_V_TAG(needed) == CF_V_NOTHING)
        snprintf(v->failure->types, sizeof v->failure->types, "%s", a);
    else
        snprintf(v->failure->types, sizeof v->failure->types, "%s where %s is needed", a,
                 cf_v_name(v, needed, b, sizeof b));
    return cf_v_fail(v, reason, 0);
}

enum cf_status cf_v_give_up(struct cf_verifier *v, enum cf_status status, const char *reason) {
    v->failure->error.at_pc = 1;
    return cf_fail(&v->failure->error, status, v->pc, reason, 0);
}

char *cf_verify_reason(const struct cf_verify_failure *failure, const char *prefix, char *text,
                       size_t size) {
    const struct cf_error *e = &failure->error;
    char reason[200];
    snprintf(reason, sizeof reason, e->reason ? e->reason : "", e->value);
    snprintf(text, size, "%s%s%s%s (at pc %u)", prefix, reason, failure->types[0] ? ": " : "",
             failure->types, e->offset);
    return text;
}

char *cf_verify_text(const struct cf_class *cls, const struct cf_verify_failure *failure,
                     char *text, size_t size) {
    struct cf_slice name = {NULL, 0}, descriptor = {NULL, 0};
    char method[300];
    if (failure->method) {
        name = cf_member_name(cls, failure->method);
        descriptor = cf_member_descriptor(cls, failure->method);
    }
    snprintf(method, sizeof method, "%.*s%.*s: ", (int)name.length, (const char *)name.bytes,
             (int)descriptor.length, (const char *)descriptor.bytes);
    return cf_verify_reason(failure, method, text, size);
}

// --- what is new ---

int cf_v_ask_if_new(struct cf_verifier *v) {
    const struct cf_verify_original *o = v->original;
    uint32_t end;
    if (!o || o->place(o->context, v->pc, &end) == CF_PLACE_ORIGINAL) return 0;
    v->new_start = v->pc;
    v->new_end = end;
    return 1;
}

// --- memory ---

void *cf_v_grow(struct cf_verifier *v, void *array, uint32_t *capacity, uint32_t used,
                uint64_t count, size_t size) {
    uint64_t wanted = *capacity ? 2 * (uint64_t)*capacity : 64;
    if (wanted < count) wanted = count;
    void *larger = wanted < UINT32_MAX ? cf_arena_alloc(v->cls->arena, wanted * size) : NULL;
    if (!larger) {
        *capacity = 0;
        cf_v_give_up(v, CF_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (used) memcpy(larger, array, used * size);
    *capacity = (uint32_t)wanted;
    return larger;
}

// --- the code ---

static enum cf_status open_marks(struct cf_verifier *v) {
    uint32_t length = v->code.length;
    if (length + CF_V_PAST > v->marks_capacity) {
        v->marks = cf_v_grow(v, NULL, &v->marks_capacity, 0, length + CF_V_PAST, 1);
        if (!v->marks) return CF_NO_MEMORY;
    }
    memset(v->marks, 0, length);
    memset(v->marks + length, CF_V_STOP, CF_V_PAST);
    return CF_OK;
}

// Finds where instructions begin, and that they are whole.
static enum cf_status mark_instructions(struct cf_verifier *v) {
    const uint8_t *code = v->code.bytes;
    uint32_t length = v->code.length, pc = 0, last = 0;
    uint8_t *marks = v->marks;
    while (pc < length) {
        unsigned op = code[pc];
        uint32_t n = cf_lengths[op];
        marks[pc] = CF_V_START;
        if (n == 0 && (n = cf_instruction_length(code, pc, length)) == 0) break;
        last = pc;
        pc += n;
    }
    if (pc == length) return CF_OK;
    v->pc = pc < length ? pc : last;
    return cf_v_fail(v, "instruction with opcode %u is unknown or not whole", code[v->pc]);
}

static int is_start(const struct cf_verifier *v, uint32_t pc) {
    return pc < v->code.length && (v->marks[pc] & CF_V_START);
}

// The ranges of the exception table: where they begin and end running stops.
static enum cf_status mark_exceptions(struct cf_verifier *v) {
    v->guard_start = UINT32_MAX;
    v->guard_end = 0;
    for (uint32_t i = 0; i < v->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&v->code, i);
        v->pc = e.start_pc;
        if (!is_start(v, e.start_pc) || !is_start(v, e.handler_pc) || e.start_pc >= e.end_pc ||
            (e.end_pc != v->code.length && !is_start(v, e.end_pc)))
            return cf_v_fail(v, "exception table entry %u is not at instructions", i);
        v->marks[e.start_pc] |= CF_V_STOP | CF_V_RANGE;
        v->marks[e.end_pc] |= CF_V_STOP;
        if (e.start_pc < v->guard_start) v->guard_start = e.start_pc;
        if (e.end_pc > v->guard_end) v->guard_end = e.end_pc;
        if (!e.catch_type) continue;
        cf_vtype caught = cf_v_class(v, e.catch_type);
        if (!caught) return CF_UNVERIFIABLE;
        if (!cf_v_assignable(v, caught, v->throwable_type))
            return cf_v_mismatch(v, "caught type", caught, v->throwable_type);
    }
    return CF_OK;
}

// JVMs look at the ranges of local variables when they verify.
static enum cf_status check_variables(struct cf_verifier *v, const struct cf_attribute *a) {
    struct cf_error error = {CF_OK, 0, 0, NULL, 0};
    struct cf_reader r = cf_read(v->cls, a->info, a->length, &error);
    for (uint32_t n = cf_u2(&r); n > 0 && cf_left(&r) >= 10; n--) {
        uint32_t start = cf_u2(&r), end = start + cf_u2(&r);
        cf_skip(&r, 6);
        v->pc = start;
        if (!is_start(v, start) || (end != v->code.length && !is_start(v, end)))
            return cf_v_fail(v, "local variable from pc %u is not at instructions", start);
    }
    return CF_OK;
}

int cf_v_is_table_of_variables(const struct cf_class *cls, uint32_t name) {
    if (name == cls->utf8_line_number_table || name == cls->utf8_stack_map_table) return 0;
    if (name == cls->utf8_local_variable_type_table) return 0;
    return (name && name == cls->utf8_local_variable_table) ||
           CF_IS(cf_utf8(cls, name), "LocalVariableTable");
}

enum cf_status cf_v_check_attributes(struct cf_verifier *v) {
    const uint8_t *bytes = v->cls->bytes;
    uint32_t pos = v->code.attributes;
    for (uint32_t i = 0; i < v->code.attributes_count; i++) {
        struct cf_attribute a = {
            pos, pos + 6, cf_be4(bytes + pos + 2), cf_be2(bytes + pos), {NULL, 0}};
        if (cf_v_is_table_of_variables(v->cls, a.name_index)) CF_TRY(check_variables(v, &a));
        pos = a.info + a.length;
    }
    return CF_OK;
}

// --- the state at pc 0 ---

// All are TOP, but for what lies in front of them.
static void begin_locals(struct cf_verifier *v) {
    memset(v->locals, 0, v->locals_capacity * sizeof *v->locals);
    v->locals += CF_V_CONSTANT_SLOTS;
    v->locals_capacity -= CF_V_CONSTANT_SLOTS;
    for (int i = 0; i < CF_V_CONSTANT_SLOTS; i++) v->locals[-1 - i] = cf_q_constant(i);
    v->locals_used = 0;
}

enum cf_status cf_v_state_room(struct cf_verifier *v) {
    // As many locals as an index of a byte reaches, so that short loads need no comparison.
    uint32_t locals = (v->code.max_locals > 256 ? v->code.max_locals : 256u) + CF_V_PIECE;
    uint32_t stack = v->code.max_stack + 2 * CF_V_SLACK, unset = (v->strict_count + 31) / 32;
    if (locals > v->locals_capacity) {
        v->locals = cf_v_grow(v, NULL, &v->locals_capacity, 0, locals + CF_V_CONSTANT_SLOTS,
                              sizeof *v->locals);
        if (!v->locals) return CF_NO_MEMORY;
        begin_locals(v);
    }
    if (stack > v->stack_capacity) {
        v->stack = cf_v_grow(v, NULL, &v->stack_capacity, 0, stack, sizeof *v->stack);
        if (!v->stack) return CF_NO_MEMORY;
        for (uint32_t i = 0; i < CF_V_SLACK; i++) v->stack[i] = CF_V_NOTHING;
    }
    if (unset > v->unset_capacity) {
        v->unset = cf_v_grow(v, NULL, &v->unset_capacity, 0, unset, sizeof *v->unset);
        if (!v->unset) return CF_NO_MEMORY;
    }
    return CF_OK;
}

static void set_all_unset(struct cf_verifier *v) {
    memset(v->unset, 0, (v->strict_count + 31) / 32 * sizeof *v->unset);
    for (uint32_t i = 0; i < v->strict_count; i++) v->unset[i / 32] |= 1u << (i & 31);
}

static enum cf_status state_at_entry(struct cf_verifier *v) {
    struct cf_slice name = cf_member_name(v->cls, v->method);
    v->is_constructor = CF_IS(name, "<init>");
    v->this_uninitialized = 0;
    if (v->is_constructor && !v->strict_known && !cf_v_find_strict(v)) return CF_UNVERIFIABLE;
    CF_TRY(cf_v_state_room(v));
    for (uint32_t i = 0; i < v->locals_used; i++) v->locals[i] = CF_V_TOP;
    v->locals_used = 0;
    v->top = v->stack + CF_V_SLACK;
    v->unmatched = 1;
    v->named = UINT64_MAX;
    const struct cf_vsignature *s = cf_v_find_signature(v, v->method->descriptor_index);
    if (!s) return CF_UNVERIFIABLE;
    unsigned objects = v->method->access_flags & CF_ACC_STATIC ? 0 : 1;
    if (s->arguments + objects > v->old_locals)
        return cf_v_fail(v, "max_locals %u is less than the arguments take", v->old_locals);
    v->result = s->results ? s->types[s->arguments] : CF_V_TOP;
    if (objects) {
        v->this_uninitialized =
            v->is_constructor && CF_V_TAG(v->this_type) != CF_V_CLASS + CF_KNOWN_OBJECT;
        v->locals[v->locals_used++] =
            v->this_uninitialized ? CF_V_UNINITIALIZED_THIS : v->this_type;
    }
    for (uint32_t i = 0; i < s->arguments; i++) v->locals[v->locals_used++] = s->types[i];
    if (v->strict_count) set_all_unset(v);
    return CF_OK;
}

// --- control ---

static enum cf_status check_target(struct cf_verifier *v, uint32_t target) {
    const struct cf_vframe *frame = cf_v_frame_at(v, target);
    if (!frame) return cf_v_fail(v, "no stack map frame at the target, pc %u", target);
    return cf_v_match(v, frame, "frame of the branch's target");
}

static enum cf_status check_switch(struct cf_verifier *v) {
    struct cf_switch sw;
    if (!cf_instruction_length(v->code.bytes, v->pc, v->code.length))
        return cf_v_fail(v, "switch is not whole", 0);
    cf_switch_open(&v->code, v->pc, &sw);
    if (v->cls->major_version < 51)
        for (uint32_t i = v->pc + 1; i & 3; i++)
            if (v->code.bytes[i]) return cf_v_fail(v, "switch padded with other than zeros", 0);
    CF_TRY(check_target(v, sw.default_pc));
    for (uint32_t i = 0; i < sw.count; i++) {
        if (i && !sw.is_table && cf_switch_match(&sw, i) <= cf_switch_match(&sw, i - 1))
            return cf_v_fail(v, "lookupswitch not in order at pair %u", i);
        CF_TRY(check_target(v, cf_switch_target(&sw, i)));
    }
    return CF_OK;
}

// Where control goes after running; *falls: also to the next instruction, to which pc is moved.
static enum cf_status check_flow(struct cf_verifier *v, enum cf_vflow flow, int *falls) {
    enum cf_status status = CF_OK;
    *falls = flow == CF_FLOW_STOP || flow == CF_FLOW_BRANCH;
    switch (flow) {
    case CF_FLOW_FAILED: return v->failure->error.status;
    case CF_FLOW_STOP: return CF_OK;
    case CF_FLOW_BRANCH:
    case CF_FLOW_GOTO: status = check_target(v, cf_v_target(v, v->pc)); break;
    case CF_FLOW_SWITCH: status = check_switch(v); break;
    case CF_FLOW_END: break;
    default: return cf_v_fail(v, "jsr or ret in code that is checked by frames", 0);
    }
    unsigned op = v->code.bytes[v->pc];
    uint32_t n = cf_lengths[op];
    v->pc += n ? n : cf_instruction_length(v->code.bytes, v->pc, v->code.length);
    return status;
}

// The frame at hand is deeper than one of the original may be.
static enum cf_status check_depth(struct cf_verifier *v) {
    const struct cf_verify_original *o = v->original;
    uint32_t end;
    if (o && o->place(o->context, v->pc, &end) == CF_PLACE_NEW) return CF_OK;
    return cf_v_fail(v, "stack map frame passes max_stack %u", v->old_stack);
}

static enum cf_status check_code(struct cf_verifier *v) {
    uint32_t next = 0, length = v->code.length; // next frame
    int falls = 1;
    v->pc = 0;
    while (v->pc < length) {
        if (next < v->frames_count && v->frames[next].pc == v->pc) {
            const struct cf_vframe *frame = &v->frames[next++];
            if (falls) CF_TRY(cf_v_match(v, frame, "frame"));
            if (frame->stack_count > v->old_stack) CF_TRY(check_depth(v));
            CF_TRY(cf_v_load(v, frame));
        } else if (!falls) {
            return cf_v_fail(v, "no stack map frame behind code that does not fall through", 0);
        }
        v->guarded = v->pc >= v->guard_start && v->pc < v->guard_end;
        if (v->guarded && (v->unmatched || (v->marks[v->pc] & CF_V_RANGE)))
            CF_TRY(cf_v_match_handlers(v, v->this_uninitialized));
        CF_TRY(check_flow(v, cf_v_run(v), &falls));
    }
    if (v->pc != length) return cf_v_fail(v, "instruction is not whole", 0);
    return falls ? cf_v_fail(v, "control falls off the end of the code", 0) : CF_OK;
}

enum cf_status cf_v_open_code(struct cf_verifier *v) {
    struct cf_error error = {CF_OK, 0, 0, NULL, 0};
    v->pc = 0;
    if (cf_code_open(&v->code, v->cls, v->method, &error) != CF_OK) {
        v->failure->error = error;
        return error.status;
    }
    v->old_stack = v->original ? v->original->max_stack : v->code.max_stack;
    v->old_locals = v->original ? v->original->max_locals : v->code.max_locals;
    v->old_constants = v->original ? v->original->constant_pool_count : UINT32_MAX;
    v->new_start = v->new_end = 0;
    v->work = 0;
    return open_marks(v);
}

static enum cf_status check_method(struct cf_verifier *v) {
    if (!v->this_type && !cf_v_begin_types(v)) return v->failure->error.status;
    CF_TRY(cf_v_open_code(v));
    CF_TRY(mark_instructions(v));
    CF_TRY(mark_exceptions(v));
    CF_TRY(cf_v_check_attributes(v));
    CF_TRY(state_at_entry(v));
    if (v->inferring) return cf_v_infer(v);
    CF_TRY(cf_v_read_frames(v));
    return check_code(v);
}

// Does the quick check settle it? What has failed is forgotten, but for a lack of memory: all is
// looked at again, with care.
static int is_settled(struct cf_verifier *v) {
    if (v->inferring || v->assignable || cf_v_may_be_strict(v->cls)) return 0;
    if (!v->quick_begun) v->quick = cf_q_new(v);
    v->quick_begun = 1;
    if (v->quick && cf_v_open_code(v) == CF_OK && cf_q_check(v->quick)) return 1;
    if (v->failure->error.status == CF_NO_MEMORY) return 1;
    *v->failure = (struct cf_verify_failure){.method = v->method};
    v->pc = 0;
    return 0;
}

enum cf_status cf_verify_rewritten(struct cf_verifier *v, const struct cf_member *method,
                                   const struct cf_verify_original *original,
                                   struct cf_verify_failure *failure) {
    unsigned version = v->cls->major_version;
    failure->error = (struct cf_error){CF_OK, 0, 0, NULL, 0};
    failure->method = method;
    failure->types[0] = '\0';
    if (!method->code) return CF_OK;
    v->failure = failure;
    v->method = method;
    v->original = original;
    v->pc = 0;
    if (!v->this_name.bytes) cf_v_learn(v);
    v->inferring = version < 50;
    if (is_settled(v)) return failure->error.status;
    check_method(v); // the first error counts: a lack of memory may look like bad code later on
    int dropped = v->cls->frames_dropped && !v->code.stack_map_table;
    if (failure->error.status != CF_UNVERIFIABLE || (version != 50 && !dropped))
        return failure->error.status;
    // Version 50 may be checked in the old way when the new one fails (JVMS 4.10).
    struct cf_verify_failure first = *failure;
    failure->error.status = CF_OK;
    v->inferring = 1;
    check_method(v);
    if (failure->error.status == CF_OK)
        *failure = (struct cf_verify_failure){.method = method};
    else
        *failure = first;
    return failure->error.status;
}

enum cf_status cf_verify_method(struct cf_verifier *v, const struct cf_member *method,
                                struct cf_verify_failure *failure) {
    return cf_verify_rewritten(v, method, NULL, failure);
}

struct cf_verifier *cf_verifier_new(const struct cf_class *cls, cf_assignable *assignable,
                                    void *context) {
    struct cf_verifier *v = cf_arena_zeroed(cls->arena, 1, sizeof *v);
    if (!v) return NULL;
    v->cls = cls;
    v->assignable = assignable;
    v->context = context;
    return v;
}

enum cf_status cf_verify_class(const struct cf_class *cls, cf_assignable *assignable, void *context,
                               struct cf_verify_failure *failure) {
    *failure = (struct cf_verify_failure){.method = NULL};
    struct cf_verifier *v = cf_verifier_new(cls, assignable, context);
    if (!v) return cf_fail(&failure->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < cls->methods_count; i++)
        CF_TRY(cf_verify_method(v, &cls->methods[i], failure));
    return CF_OK;
}
