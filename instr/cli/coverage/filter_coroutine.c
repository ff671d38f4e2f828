// Filters of what Kotlin's compiler adds to suspending functions: a machine whose states begin behind
// the calls that may suspend.
//
//      SUSPENDED = getCOROUTINE_SUSPENDED()
//      switch (this.label)
//        case 0: throwOnFailure(result)
//                ... call; if (value != SUSPENDED) goto L1; return SUSPENDED
//        case 1: throwOnFailure(result); value = result
//            L1: ...
//        default: throw new IllegalStateException("call to 'resume' ...")

#include "instr/cli/coverage/filter_coroutine.h"
#include "instr/cli/coverage/match.h"

enum { SUSPENDED, THIS };

static int match_suspended(struct cover_matcher *m) {
    return cover_match_reference(m, CF_OP_invokestatic, "kotlin/coroutines/intrinsics/IntrinsicsKt",
                                 "getCOROUTINE_SUSPENDED", "()Ljava/lang/Object;");
}

static int match_state_switch(struct cover_matcher *m, struct cf_switch *sw) {
    if (!cover_match_variable(m, CF_OP_aload, THIS) || !cover_match(m, CF_OP_getfield) ||
        !cover_match(m, CF_OP_tableswitch))
        return 0;
    cf_switch_open(&m->code->code, m->code->code.pc[cover_match_at(m)], sw);
    return 1;
}

static int match_throw_on_failure(struct cover_matcher *m) {
    static const char failure[] = "kotlin/Result$Failure";
    struct cover_matcher before = *m;
    if (cover_match_reference(m, CF_OP_invokestatic, "kotlin/ResultKt", "throwOnFailure",
                              "(Ljava/lang/Object;)V"))
        return 1;
    *m = before;
    return cover_match(m, CF_OP_dup) && cover_match_type(m, CF_OP_instanceof, failure) &&
           cover_match(m, CF_OP_ifeq) && cover_match_type(m, CF_OP_checkcast, failure) &&
           cover_match(m, CF_OP_getfield) && cover_match(m, CF_OP_athrow) &&
           cover_match(m, CF_OP_pop);
}

static int match_default(struct cover_matcher *m, uint32_t otherwise) {
    static const char error[] = "java/lang/IllegalStateException";
    cover_match_start(m, otherwise);
    return cover_match_type(m, CF_OP_new, error) && cover_match(m, CF_OP_dup) &&
           cover_match_exact_string(m, "call to 'resume' before 'invoke' with coroutine") &&
           cover_match_reference(m, CF_OP_invokespecial, error, "<init>",
                                 "(Ljava/lang/String;)V") &&
           cover_match(m, CF_OP_athrow);
}

// if (value != SUSPENDED) goto ...; return SUSPENDED; behind instruction i, with the state behind it.
// The jump, plus 1; 0: it is something else.
static uint32_t match_return(struct cover_matcher *m, uint32_t i, uint32_t state) {
    cover_match_start(m, i + 1);
    if (!cover_match_variable(m, CF_OP_aload, SUSPENDED) || !cover_match(m, CF_OP_if_acmpne))
        return 0;
    uint32_t jump = m->next;
    return cover_match_variable(m, CF_OP_aload, SUSPENDED) && cover_match(m, CF_OP_areturn) &&
                   m->next == state
               ? jump
               : 0;
}

// The end of what begins with the state behind i: before its value is there. Plus 1; 0: none.
static uint32_t end_of_state(const struct cover_filtering *f, uint32_t i, uint32_t target) {
    if (f->facts->release >= COVER_0_8_15) return target;
    for (uint32_t k = i; k < f->code->count; k++) {
        struct cover_matcher m = {.code = f->code};
        cover_match_start(&m, k + 1);
        if (cover_match(&m, CF_OP_aload) && match_throw_on_failure(&m) &&
            cover_match(&m, CF_OP_aload) && m.next == target)
            return m.next;
    }
    return 0;
}

// Ignores the machine; the matcher stands on the switch.
static void ignore_machine(struct cover_filtering *f, struct cover_matcher *m,
                           const struct cf_switch *sw) {
    const struct cover_code *code = f->code;
    uint32_t *ranges = cf_arena_alloc(code->cls->arena, (2 * sw->count + 2) * sizeof *ranges);
    uint32_t n = 0, state = 1;
    if (!cover_match(m, CF_OP_aload) || !match_throw_on_failure(m)) return;
    if (!ranges) {
        cf_fail(f->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return;
    }
    ranges[n++] = 0;
    ranges[n++] = cover_match_at(m);
    for (uint32_t i = cover_match_at(m); i < code->count && state < sw->count; i++) {
        uint32_t target = code->index[cf_switch_target(sw, state)];
        uint32_t jump = match_return(m, i, target);
        uint32_t end = jump ? end_of_state(f, i, cover_target(code, jump - 1)) : 0;
        if (!end) continue;
        ranges[n++] = i;
        ranges[n++] = end - 1;
        state++;
    }
    uint32_t otherwise = code->index[sw->default_pc];
    if (!match_default(m, otherwise)) return;
    cover_ignore(f, otherwise, cover_match_at(m));
    for (uint32_t k = 0; k < n; k += 2) cover_ignore(f, ranges[k], ranges[k + 1]);
}

static void filter_machine(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    struct cf_switch sw;
    uint32_t i = 0;
    for (; (i = cover_find(f->code, i, CF_OP_invokestatic)) < f->code->count; i++) {
        cover_match_start(&m, i);
        if (match_suspended(&m)) break;
    }
    if (i == f->code->count) return;
    int discarded = cover_match_peek(&m) == CF_OP_pop;
    if (discarded)
        cover_match(&m, CF_OP_pop);
    else
        cover_match_variable(&m, CF_OP_astore, SUSPENDED);
    if (match_state_switch(&m, &sw) && (!discarded || sw.count == 1)) ignore_machine(f, &m, &sw);
}

// dup; getCOROUTINE_SUSPENDED; if_acmpne; areturn; pop
static void filter_tail_call(struct cover_filtering *f, uint32_t i) {
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, i + 1);
    if (match_suspended(&m) && cover_match(&m, CF_OP_if_acmpne) && cover_match(&m, CF_OP_areturn) &&
        cover_match(&m, CF_OP_pop))
        cover_ignore(f, i, cover_match_at(&m));
}

// What suspendCoroutineUninterceptedOrReturn is inlined to.
static void filter_unintercepted(struct cover_filtering *f, uint32_t i) {
    static const char continuation[] = "kotlin/coroutines/Continuation";
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, i + 1);
    if (!match_suspended(&m) || !cover_match(&m, CF_OP_if_acmpne)) return;
    uint32_t jump = cover_match_at(&m);
    if (!cover_match(&m, CF_OP_aload)) return;
    if (cover_match_peek_raw(&m) == CF_OP_checkcast)
        cover_match_type(&m, CF_OP_checkcast, continuation);
    if (cover_match_reference(&m, CF_OP_invokestatic,
                              "kotlin/coroutines/jvm/internal/DebugProbesKt",
                              "probeCoroutineSuspended", "(Lkotlin/coroutines/Continuation;)V") &&
        cover_target(f->code, jump) == m.next)
        cover_ignore(f, jump, cover_match_at(&m));
}

// `dup` at the start of a method is not preceded by anything, unless it has a label.
static uint32_t first_dup(const struct cover_filtering *f) {
    return cover_find(f->code, f->code->labelled[0] ? 0 : 1, CF_OP_dup);
}

void cover_filter_coroutine(struct cover_filtering *f) {
    filter_machine(f);
    for (uint32_t i = first_dup(f); i < f->code->count; i = cover_find(f->code, i + 1, CF_OP_dup)) {
        filter_tail_call(f, i);
        filter_unintercepted(f, i);
    }
}

// --- as JaCoCo 0.8.6 has it ---

// The instance of the machine, which a suspending function makes or continues.
static int match_create_instance(struct cover_matcher *m) {
    const struct cover_code *code = m->code;
    if (!cover_match(m, CF_OP_instanceof) || !cover_match(m, CF_OP_ifeq)) return 0;
    uint32_t create = cover_target(code, cover_match_at(m));
    static const uint8_t before[] = {CF_OP_aload,    CF_OP_checkcast, CF_OP_astore, CF_OP_aload,
                                     CF_OP_getfield, CF_OP_ldc,       CF_OP_iand,   CF_OP_ifeq};
    static const uint8_t behind[] = {CF_OP_aload, CF_OP_dup,      CF_OP_getfield, CF_OP_ldc,
                                     CF_OP_isub,  CF_OP_putfield, CF_OP_goto};
    for (size_t i = 0; i < sizeof before; i++)
        if (!cover_match(m, before[i])) return 0;
    if (cover_target(code, cover_match_at(m)) != create) return 0;
    for (size_t i = 0; i < sizeof behind; i++)
        if (!cover_match(m, behind[i])) return 0;
    uint32_t after = cover_target(code, cover_match_at(m));
    if (m->next != create) return 0;
    cover_match_start(m, after + 1);
    return cover_match(m, CF_OP_getfield) && cover_match(m, CF_OP_astore);
}

void cover_filter_coroutine_old(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    struct cf_switch sw;
    if (!f->facts->is_kotlin) return;
    cover_match_start(&m, f->code->labelled[0] ? 0 : 1);
    if (!match_suspended(&m)) {
        cover_match_start(&m, 1);
        if (match_create_instance(&m)) match_suspended(&m);
    }
    if (cover_match_variable(&m, CF_OP_astore, SUSPENDED) && match_state_switch(&m, &sw))
        ignore_machine(f, &m, &sw);
    for (uint32_t i = first_dup(f); i < f->code->count; i = cover_find(f->code, i + 1, CF_OP_dup))
        filter_tail_call(f, i);
}
