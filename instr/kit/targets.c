#include "instr/kit/targets.h"
#include "instr/kit/fit.h"
#include "instr/kit/natives.h"
#include "instr/kit/supertypes.h"

#include <stdio.h>

static const char *native_misfit(const struct instr_kit_advice *advice, const struct cf_class *cls,
                                 const struct cf_member *method, bool offline, char *reason,
                                 size_t size) {
    char text[300];
    const char *why = instr_kit_native_misfit(cls, method, offline, text, sizeof text);
    if (!why) return NULL;
    snprintf(reason, size, "%s:%u: the method %s", advice->source.file, advice->source.line, why);
    return reason;
}

// Counts what matches; `why` the advice cannot be called there, NULL: it can.
static void take(const struct instr_kit_subject *subject, const char *why,
                 struct instr_kit_matches *matches) {
    struct cf_slice owner = subject->owner;
    char types[300];
    matches->methods++;
    if (!why) matches->fitting++;
    if (!why || matches->misfit[0]) return;
    rw_watch_types(subject->descriptor, types, sizeof types);
    int n = snprintf(matches->misfit, sizeof matches->misfit, "%s, for ", why);
    for (uint32_t i = 0; i < owner.length && n + 1 < (int)sizeof matches->misfit; i++)
        matches->misfit[n++] = owner.bytes[i] == '/' ? '.' : (char)owner.bytes[i];
    snprintf(matches->misfit + n, sizeof matches->misfit - (size_t)n, ".%.*s%s",
             (int)subject->name.length, (const char *)subject->name.bytes, types);
}

static void take_method(const struct instr_kit_advice *advice, const struct cf_class *cls,
                        const struct cf_member *method, struct instr_kit_matches *matches) {
    char reason[400];
    struct instr_kit_subject subject = {
        cf_member_name(cls, method), cf_member_descriptor(cls, method),
        method->access_flags & CF_ACC_STATIC, cf_this_name(cls), cls};
    const char *why = instr_kit_misfit(advice, &subject, reason, sizeof reason);
    if (!why) why = native_misfit(advice, cls, method, matches->offline, reason, sizeof reason);
    take(&subject, why, matches);
}

void instr_kit_match_class(const struct instr_kit_advice *advice, const struct cf_class *cls,
                           const struct instr_kit_world *world, struct instr_kit_matches *matches) {
    struct cf_arena arena;
    cf_arena_init(&arena);
    struct rw_supertypes above = instr_kit_supertypes(cls, world, &arena);
    for (unsigned i = 0; i < cls->methods_count && cf_this_name(cls).bytes; i++) {
        const struct cf_member *method = &cls->methods[i];
        bool runs = method->code || method->access_flags & CF_ACC_NATIVE;
        if (runs && instr_kit_is_target(advice, cls, method, &above))
            take_method(advice, cls, method, matches);
    }
    cf_arena_free(&arena);
}

static void take_call(const struct instr_kit_advice *advice, const struct cf_class *cls,
                      const uint8_t *instruction, struct instr_kit_matches *matches) {
    struct instr_kit_subject subject = {.is_static = *instruction == CF_OP_invokestatic};
    char reason[400];
    if (cf_reference(cls, cf_be2(instruction + 1), &subject.owner, &subject.name,
                     &subject.descriptor) &&
        instr_kit_names_call(advice, subject.owner, subject.name, subject.descriptor))
        take(&subject, instr_kit_misfit(advice, &subject, reason, sizeof reason), matches);
}

void instr_kit_match_calls(const struct instr_kit_advice *advice, const struct cf_class *cls,
                           struct instr_kit_matches *matches) {
    struct cf_slice own = cf_this_name(cls);
    if (!own.bytes || !instr_match(advice->callers, (const char *)own.bytes, own.length)) return;
    for (unsigned i = 0; i < cls->methods_count; i++) {
        struct cf_code code;
        struct cf_error error = {0};
        if (!cls->methods[i].code || cf_code_open(&code, cls, &cls->methods[i], &error) != CF_OK ||
            cf_code_scan(&code, &error) != CF_OK)
            continue;
        for (uint32_t k = 0; k < code.count; k++) {
            const uint8_t *instruction = code.bytes + code.pc[k];
            if (*instruction >= CF_OP_invokevirtual && *instruction <= CF_OP_invokeinterface)
                take_call(advice, cls, instruction, matches);
        }
    }
}
