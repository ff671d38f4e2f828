// The verification of a method, part by part in the order in which failures count, and the texts of
// failures.

#include "classfile/verify.h"
#include "classfile/verify/internal.h"

#include <stdio.h>

// --- failures ---

static enum cf_status record(struct cf_verifier *v, enum cf_status status, const char *reason,
                             uint32_t value) {
    cf_fail(&v->failure->error, status, v->pc, reason, value);
    v->failure->error.at_pc = 1;
    return status;
}

enum cf_status cf_v_fail(struct cf_verifier *v, const char *reason, uint32_t value) {
    return record(v, CF_UNVERIFIABLE, reason, value);
}

enum cf_status cf_v_give_up(struct cf_verifier *v, enum cf_status status, const char *reason) {
    return record(v, status, reason, 0);
}

enum cf_status cf_v_mismatch(struct cf_verifier *v, const char *reason, cf_vtype found,
                             cf_vtype needed) {
    char a[100], b[100];
    cf_v_name(v, found, a, sizeof a);
    if (needed == CF_V_NOTHING)
        snprintf(v->failure->types, sizeof v->failure->types, "%s", a);
    else
        snprintf(v->failure->types, sizeof v->failure->types, "%s where %s is needed", a,
                 cf_v_name(v, needed, b, sizeof b));
    return cf_v_fail(v, reason, 0);
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

uint32_t cf_v_limit_at(const struct cf_verifier *v, uint32_t pc) {
    const struct cf_verify_original *o = v->original;
    uint32_t end;
    return o && o->place(o->context, pc, &end) == CF_PLACE_NEW ? v->code.max_stack : v->old_stack;
}

// --- memory ---

void *cf_v_grow(struct cf_verifier *v, void *array, uint32_t *capacity, uint32_t used,
                uint64_t count, size_t size) {
    void *larger = cf_arena_grow(v->cls->arena, array, capacity, used, count, size);
    if (larger) return larger;
    *capacity = 0;
    return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), NULL;
}

static void begin_locals(struct cf_verifier *v) {
    v->locals += CF_V_CONSTANT_SLOTS;
    v->locals_capacity -= CF_V_CONSTANT_SLOTS;
    for (int i = 0; i < CF_V_NULL_SLOT; i++) v->locals[-1 - i] = (cf_vtype)i;
    v->locals[-1 - CF_V_NULL_SLOT] = CF_V_NULL;
    v->locals_begun = v->locals_used = 0;
}

static enum cf_status make_room(struct cf_verifier *v) {
    // As many locals as an index of a byte reaches, so that short loads need no comparison.
    uint32_t locals = (v->code.max_locals > 256 ? v->code.max_locals : 256u) + CF_V_PIECE;
    uint32_t stack = v->code.max_stack + 2 * CF_V_SLACK, length = v->code.length;
    if (length >= v->marks_capacity) {
        v->marks = cf_v_grow(v, NULL, &v->marks_capacity, 0, length + 1, 1);
        if (!v->marks) return CF_NO_MEMORY;
    }
    if (locals > v->locals_capacity) {
        v->locals = cf_v_grow(v, NULL, &v->locals_capacity, 0, locals + CF_V_CONSTANT_SLOTS,
                              sizeof *v->locals);
        if (!v->locals) return CF_NO_MEMORY;
        begin_locals(v);
    }
    for (; v->locals_begun < v->code.max_locals + CF_V_PIECE; v->locals_begun++)
        v->locals[v->locals_begun] = CF_V_TOP;
    if (stack > v->stack_capacity) {
        v->stack = cf_v_grow(v, NULL, &v->stack_capacity, 0, stack, sizeof *v->stack);
        if (!v->stack) return CF_NO_MEMORY;
        for (uint32_t i = 0; i < CF_V_SLACK; i++) v->stack[i] = CF_V_NOTHING;
    }
    memset(v->marks, 0, length);
    v->marks[length] = CF_V_START; // ranges may end there
    return CF_OK;
}

// --- the code ---

static enum cf_status open_code(struct cf_verifier *v) {
    struct cf_error error = {.status = CF_OK};
    const struct cf_verify_original *o = v->original;
    if (cf_code_open(&v->code, v->cls, v->method, &error) != CF_OK) {
        v->failure->error = error;
        return error.status;
    }
    v->old_stack = o && o->max_stack < v->code.max_stack ? o->max_stack : v->code.max_stack;
    v->old_locals = o && o->max_locals < v->code.max_locals ? o->max_locals : v->code.max_locals;
    v->old_constants = o ? o->constant_pool_count : UINT32_MAX;
    if (v->old_constants > v->cls->constant_pool_count)
        v->old_constants = v->cls->constant_pool_count;
    v->new_start = v->new_end = 0;
    v->work = 0;
    return make_room(v);
}

// Finds where instructions begin, and that they are whole.
static enum cf_status mark_instructions(struct cf_verifier *v) {
    const uint8_t *code = v->code.bytes;
    uint32_t length = v->code.length, pc = 0, last = 0;
    while (pc < length) {
        uint32_t n = cf_lengths[code[pc]];
        v->marks[pc] = CF_V_START;
        if (n == 0 && (n = cf_instruction_length(code, pc, length)) == 0) break;
        last = pc;
        pc += n;
    }
    if (pc == length) return CF_OK;
    v->pc = pc < length ? pc : last;
    return cf_v_fail(v, "instruction with opcode %u is unknown or not whole", code[v->pc]);
}

static enum cf_status check_exceptions(struct cf_verifier *v) {
    cf_vtype throwable = cf_v_known_class(CF_KNOWN_THROWABLE);
    uint32_t length = v->code.length;
    for (uint32_t i = 0; i < v->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&v->code, i);
        v->pc = e.start_pc;
        if (!cf_v_is_start(v, e.start_pc) || !cf_v_is_start(v, e.handler_pc) ||
            e.start_pc >= e.end_pc || (e.end_pc != length && !cf_v_is_start(v, e.end_pc)))
            return cf_v_fail(v, "exception table entry %u is not at instructions", i);
        cf_vtype caught = cf_v_caught(v, e.catch_type);
        if (!caught) return CF_UNVERIFIABLE;
        if (!cf_v_takes(v, throwable, caught))
            return cf_v_mismatch(v, "caught type", caught, throwable);
    }
    return CF_OK;
}

static enum cf_status check_variables(struct cf_verifier *v, const uint8_t *p, uint32_t length) {
    const uint8_t *end = p + length, *marks = v->marks;
    uint32_t code_length = v->code.length, count = length < 2 ? 0 : cf_be2(p);
    for (p += 2; count > 0 && end - p >= 10; count--, p += 10) {
        uint32_t range = cf_be4(p), from = range >> 16, to = from + (range & 0xffff);
        if (from < code_length && to <= code_length && (marks[from] & marks[to] & CF_V_START))
            continue;
        v->pc = from;
        return cf_v_fail(v, "local variable from pc %u is not at instructions", from);
    }
    return CF_OK;
}

// JVMs look at the ranges of local variables when they verify.
static enum cf_status check_attributes(struct cf_verifier *v) {
    const struct cf_code *code = &v->code;
    const uint8_t *bytes = v->cls->bytes, *p = bytes + code->attributes;
    if (!code->has_others)
        return check_variables(v, bytes + code->local_variable_table,
                               code->local_variable_table_length);
    for (uint32_t i = code->attributes_count; i > 0; i--) {
        uint32_t length = cf_be4(p + 2);
        if (CF_IS(cf_utf8(v->cls, cf_be2(p)), "LocalVariableTable"))
            CF_TRY(check_variables(v, p + 6, length));
        p += 6 + length;
    }
    return CF_OK;
}

enum cf_status cf_v_check_places(struct cf_verifier *v) {
    for (uint32_t i = 0; v->frames.has_new && i < v->frames.types_count; i++) {
        cf_vtype type = v->frames.types[i];
        if (CF_V_TAG(type) == CF_V_UNINITIALIZED && !cf_v_is_start(v, CF_V_PAYLOAD(type)))
            return cf_v_fail(v, "stack map frame: no new at pc %u", CF_V_PAYLOAD(type));
    }
    return check_attributes(v);
}

// --- the state at pc 0 ---

static enum cf_status begin_unset(struct cf_verifier *v) {
    if (!v->strict_known && !cf_v_find_strict(v)) return CF_NO_MEMORY;
    if (CF_V_UNSET_WORDS(v) > v->unset_capacity) {
        v->unset = cf_v_grow(v, NULL, &v->unset_capacity, 0, CF_V_UNSET_WORDS(v), sizeof *v->unset);
        if (!v->unset) return CF_NO_MEMORY;
    }
    for (uint32_t i = 0; i < CF_V_UNSET_WORDS(v); i++) v->unset[i] = 0;
    for (uint32_t i = 0; i < v->strict_count; i++) v->unset[i / 64] |= UINT64_C(1) << (i & 63);
    return CF_OK;
}

enum cf_status cf_v_enter(struct cf_verifier *v) {
    struct cf_slice name = cf_member_name(v->cls, v->method);
    const struct cf_vmember *s = cf_v_signature(v, v->method->descriptor_index);
    uint32_t before = v->locals_used, objects = v->method->access_flags & CF_ACC_STATIC ? 0 : 1;
    v->is_constructor = CF_IS(name, "<init>");
    if (v->strict_count || v->is_constructor) CF_TRY(begin_unset(v));
    if (!s) return v->failure->error.status;
    if (s->arguments + objects > v->old_locals)
        return cf_v_fail(v, "max_locals %u is less than the arguments take", v->old_locals);
    v->unmatched = 1;
    v->named = UINT64_MAX;
    v->result = s->types[1 + s->arguments];
    v->this_uninitialized =
        objects && v->is_constructor && CF_V_TAG(v->this_type) != CF_V_CLASS + CF_KNOWN_OBJECT;
    v->locals[0] = v->this_uninitialized ? CF_V_UNINITIALIZED_THIS : v->this_type;
    for (uint32_t i = 0; i < s->arguments; i++) v->locals[objects + i] = s->types[1 + i];
    v->locals_used = objects + s->arguments;
    if (!v->locals_used) v->locals[0] = CF_V_TOP;
    for (uint32_t i = v->locals_used; i < before; i++) v->locals[i] = CF_V_TOP;
    return CF_OK;
}

// --- methods ---

static enum cf_status open_method(struct cf_verifier *v, int is_marked) {
    v->pc = 0;
    v->is_marked = is_marked;
    if (!v->this_type && !cf_v_begin_types(v)) return v->failure->error.status;
    CF_TRY(open_code(v));
    return is_marked ? mark_instructions(v) : CF_OK;
}

// Without marks, instructions are found on the way, which is faster: mostly nothing fails. With marks
// the failure that is reported is the first one in this order.
static enum cf_status check_method(struct cf_verifier *v, int is_marked) {
    CF_TRY(open_method(v, is_marked));
    if (is_marked) CF_TRY(check_exceptions(v));
    if (is_marked) CF_TRY(check_attributes(v));
    CF_TRY(cf_v_enter(v));
    if (v->inferring) return cf_v_infer(v);
    CF_TRY(cf_v_read_frames(v, &v->code, &v->frames));
    CF_TRY(cf_v_find_handlers(v));
    v->pc = 0;
    CF_TRY(cf_v_check_code(v, v->frames.all, 1));
    if (is_marked) return CF_OK;
    CF_TRY(check_exceptions(v));
    return cf_v_check_places(v);
}

static enum cf_status check_again(struct cf_verifier *v, int inferring) {
    *v->failure = (struct cf_verify_failure){.method = v->method};
    v->inferring = inferring;
    v->passes_again++;
    check_method(v, 1); // the first error counts: a lack of memory may look like bad code later on
    return v->failure->error.status;
}

static void begin(struct cf_verifier *v, const struct cf_member *method,
                  const struct cf_verify_original *original, struct cf_verify_failure *failure) {
    failure->error = (struct cf_error){.status = CF_OK};
    failure->method = method;
    failure->types[0] = '\0';
    v->failure = failure;
    v->method = method;
    v->original = original;
    v->inferring = 0;
}

enum cf_status cf_verify_rewritten(struct cf_verifier *v, const struct cf_member *method,
                                   const struct cf_verify_original *original,
                                   struct cf_verify_failure *failure) {
    unsigned version = v->cls->major_version;
    begin(v, method, original, failure);
    if (!method->code) return CF_OK;
    if (version < 50) return check_again(v, 1);
    check_method(v, 0);
    if (failure->error.status == CF_OK || failure->error.status == CF_NO_MEMORY ||
        check_again(v, 0) != CF_UNVERIFIABLE)
        return failure->error.status;
    // Version 50 may be checked in the old way when the new one fails (JVMS 4.10).
    if (version != 50 && (!v->cls->frames_dropped || v->code.stack_map_table))
        return CF_UNVERIFIABLE;
    struct cf_verify_failure first = *failure;
    if (check_again(v, 1) != CF_OK) *failure = first;
    return failure->error.status;
}

enum cf_status cf_v_open(struct cf_verifier *v, const struct cf_member *method,
                         struct cf_verify_failure *failure) {
    begin(v, method, NULL, failure);
    return open_method(v, 0);
}

enum cf_status cf_verify_method(struct cf_verifier *v, const struct cf_member *method,
                                struct cf_verify_failure *failure) {
    return cf_verify_rewritten(v, method, NULL, failure);
}

enum cf_status cf_verify_frames(struct cf_verifier *v, const struct cf_member *method,
                                struct cf_verify_failure *failure) {
    begin(v, method, NULL, failure);
    v->strict_known = 1; // which fields are strict does not matter here
    if (open_method(v, 1) == CF_OK && cf_v_enter(v) == CF_OK)
        cf_v_read_frames(v, &v->code, &v->frames);
    v->strict_known = v->strict_count != 0;
    return failure->error.status;
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
