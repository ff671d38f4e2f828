// Filters of what Kotlin's compiler adds to the code of methods.

#include "instr/cli/coverage/filter_kotlin_code.h"
#include "instr/cli/coverage/match.h"

enum { STRING };

static int match_call(struct cover_matcher *m, unsigned op, const char *owner, const char *name,
                      const char *descriptor) {
    return cover_match_reference(m, op, owner, name, descriptor);
}

// Calls `filter` for each instruction with this opcode.
static void each(struct cover_filtering *f, unsigned op,
                 void (*filter)(struct cover_filtering *f, uint32_t i)) {
    for (uint32_t i = 0; (i = cover_find(f->code, i, op)) < f->code->count; i++) filter(f, i);
}

// --- a?.b ---

// The instruction that lies `back` ones before i has this opcode.
static int precedes(const struct cover_code *code, uint32_t i, uint32_t back, unsigned op) {
    return i >= back && code->op[i - back] == op;
}

static int same_variable(const struct cover_code *code, uint32_t a, uint32_t b) {
    return cover_variable_of(code, a) == cover_variable_of(code, b);
}

static int stores_and_loads(const struct cover_code *code, uint32_t i) {
    return precedes(code, i, 2, CF_OP_astore) && same_variable(code, i - 1, i - 2);
}

// store; load; ifnull T; load; goto; T: as it is without optimization before ?:
static int is_unoptimized(const struct cover_code *code, uint32_t i, uint32_t target, int first) {
    if (cover_is_jump(code->op[target]) || cover_is_switch(code->op[target])) return 0;
    if (!precedes(code, i, 1, CF_OP_aload)) return 0;
    if (!first) return stores_and_loads(code, i);
    return precedes(code, target, 1, CF_OP_goto) && precedes(code, target, 2, CF_OP_aload) &&
           precedes(code, target, 3, CF_OP_ifnull) && precedes(code, target, 4, CF_OP_aload) &&
           precedes(code, target, 5, CF_OP_astore) && cover_target(code, target - 3) == target &&
           same_variable(code, target - 2, target - 4) &&
           same_variable(code, target - 2, target - 5);
}

// Does the check i belong to a chain of safe calls that ends at its target?
static int is_safe_call(const struct cover_code *code, uint32_t i, int first) {
    uint32_t target = cover_target(code, i);
    if (code->op[target] == CF_OP_pop) return precedes(code, i, 1, CF_OP_dup) && !code->labelled[i];
    if (code->op[target] == CF_OP_aconst_null)
        return precedes(code, i, 1, CF_OP_aload) && (first || stores_and_loads(code, i));
    return is_unoptimized(code, i, target, first);
}

static void replace_pair(struct cover_filtering *f, uint32_t i, uint32_t a, uint32_t branch,
                         uint32_t b) {
    struct cover_replacement *r = cover_replace(f, i);
    cover_replacement_add(f, r, a, a, branch);
    cover_replacement_add(f, r, b, b, 0);
}

void cover_filter_kotlin_safe_call(struct cover_filtering *f) {
    const struct cover_code *code = f->code;
    if (cover_find(code, 0, CF_OP_ifnull) == code->count) return;
    // By target, how many checks the chain that ends there has; the checks' own entry is 1.
    uint32_t *chains = cf_arena_zeroed(code->cls->arena, code->count, sizeof *chains);
    uint8_t *is_check = cf_arena_zeroed(code->cls->arena, code->count, 1);
    if (!chains || !is_check) {
        cf_fail(f->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return;
    }
    for (uint32_t i = 0; (i = cover_find(code, i, CF_OP_ifnull)) < code->count; i++) {
        uint32_t target = cover_target(code, i);
        is_check[i] = (uint8_t)is_safe_call(code, i, chains[target] == 0);
        chains[target] += is_check[i];
    }
    for (uint32_t i = 0; (i = cover_find(code, i, CF_OP_ifnull)) < code->count; i++) {
        uint32_t target = cover_target(code, i);
        int elvis = target > 0 && code->op[target - 1] == CF_OP_ifnonnull;
        if (is_check[i] && (chains[target] > 1 || elvis)) replace_pair(f, i, i, 0, target);
    }
    for (uint32_t target = 1; target < code->count; target++)
        if (chains[target] && code->op[target - 1] == CF_OP_ifnonnull) {
            struct cover_replacement *r = cover_replace(f, target - 1);
            cover_replacement_add(f, r, target, target, 0);
            cover_replacement_add(f, r, target - 1, target - 1, 1);
        }
}

// --- lateinit ---

static int match_uninitialized(struct cover_matcher *m) {
    if (cover_match_peek(m) == CF_OP_pop) cover_match_any(m);
    return cover_match(m, CF_OP_ldc) &&
           match_call(m, CF_OP_invokestatic, "kotlin/jvm/internal/Intrinsics",
                      "throwUninitializedPropertyAccessException", "(Ljava/lang/String;)V");
}

static void filter_lateinit(struct cover_filtering *f, uint32_t i) {
    struct cover_matcher m = {.code = f->code};
    uint32_t target = cover_target(f->code, i);
    cover_match_start(&m, i + 1);
    if (!match_uninitialized(&m)) return;
    for (int k = 0; k < 3 && !m.failed; k++, cover_match_any(&m))
        if (m.next == target) {
            cover_ignore(f, i, cover_match_at(&m));
            return;
        }
}

static void filter_lateinit_at_target(struct cover_filtering *f, uint32_t i) {
    struct cover_matcher m = {.code = f->code};
    uint32_t target = cover_target(f->code, i);
    cover_match_start(&m, target);
    if (!match_uninitialized(&m) || !cover_match_any(&m) || !cover_match_any(&m)) return;
    unsigned op = f->code->op[cover_match_at(&m)];
    if (op != CF_OP_areturn && op != CF_OP_athrow) return;
    cover_ignore(f, i, i);
    cover_ignore(f, target, cover_match_at(&m));
}

void cover_filter_kotlin_lateinit(struct cover_filtering *f) {
    each(f, CF_OP_ifnonnull, filter_lateinit);
    each(f, CF_OP_ifnull, filter_lateinit_at_target);
}

static void filter_lateinit_old(struct cover_filtering *f, uint32_t i) {
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, i + 1);
    if (cover_match_peek(&m) == CF_OP_ldc && match_uninitialized(&m))
        cover_ignore(f, i, cover_match_at(&m));
}

void cover_filter_kotlin_lateinit_old(struct cover_filtering *f) {
    each(f, CF_OP_ifnonnull, filter_lateinit_old);
}

// --- when ---

// The switch gets no branch for its default. JaCoCo 0.8.6 keeps it if a case leads there, too.
static void ignore_default(struct cover_filtering *f, uint32_t i) {
    uint32_t *targets, n = cover_switch_targets(f->code, i, &targets, NULL);
    struct cover_replacement *r = cover_replace(f, i);
    struct cf_switch sw;
    cf_switch_open(&f->code->code, f->code->code.pc[i], &sw);
    if (f->facts->release >= COVER_0_8_15)
        for (uint32_t k = 1; k < n; k++) cover_replacement_add(f, r, targets[k], i, k);
    else
        for (uint32_t k = 0; k < sw.count; k++) {
            uint32_t target = f->code->index[cf_switch_target(&sw, k)];
            cover_replacement_add(f, r, target, target, COVER_ANY_BRANCH);
        }
}

static uint32_t default_of(const struct cover_code *code, uint32_t i) {
    struct cf_switch sw;
    cf_switch_open(&code->code, code->code.pc[i], &sw);
    return code->index[sw.default_pc];
}

// new NoWhenBranchMatchedException at i; the last that leads there is what is filtered.
static void filter_no_branch(struct cover_filtering *f, uint32_t i) {
    static const char exception[] = "kotlin/NoWhenBranchMatchedException";
    const struct cover_code *code = f->code;
    struct cover_matcher m = {.code = code};
    cover_match_start(&m, i);
    if (!code->labelled[i] || !cover_match_type(&m, CF_OP_new, exception) ||
        !cover_match(&m, CF_OP_dup) ||
        !match_call(&m, CF_OP_invokespecial, exception, "<init>", "()V") ||
        !cover_match(&m, CF_OP_athrow))
        return;
    for (uint32_t k = m.next; k-- > 0;) {
        if (code->op[k] == CF_OP_ifeq && cover_target(code, k) == i)
            cover_ignore(f, k, k);
        else if (cover_is_switch(code->op[k]) && default_of(code, k) == i)
            ignore_default(f, k);
        else
            continue;
        cover_ignore(f, i, cover_match_at(&m));
        return;
    }
}

// dup; ifnonnull A; pop; iconst_m1; goto B; A: getstatic $EnumSwitchMapping$0; swap; ordinal; iaload;
// B: the switch
static void filter_nullable_enum(struct cover_filtering *f, uint32_t i) {
    const struct cover_code *code = f->code;
    struct cover_matcher m = {.code = code};
    cover_match_start(&m, i + 1);
    if (!cover_match(&m, CF_OP_ifnonnull) || !cover_match(&m, CF_OP_pop) ||
        !cover_match(&m, CF_OP_iconst_m1) || !cover_match(&m, CF_OP_goto) ||
        !cover_match(&m, CF_OP_getstatic))
        return;
    struct cover_reference r = cover_reference_of(code, i + 5);
    if (cover_slice_ends(r.owner, "$WhenMappings") &&
        cover_slice_starts(r.name, "$EnumSwitchMapping$") && cover_match(&m, CF_OP_swap) &&
        cover_match(&m, CF_OP_invokevirtual) && cover_match(&m, CF_OP_iaload) &&
        cover_match_switch(&m) && cover_target(code, i + 1) == i + 5 &&
        cover_target(code, i + 4) == cover_match_at(&m))
        cover_ignore(f, i, cover_match_at(&m) - 1);
}

void cover_filter_kotlin_when(struct cover_filtering *f) {
    each(f, CF_OP_new, filter_no_branch);
    if (f->facts->release >= COVER_0_8_15) each(f, CF_OP_dup, filter_nullable_enum);
}

// --- when with strings ---

// ifeq behind a comparison, plus 1; 0: it is something else.
static uint32_t match_comparison(struct cover_matcher *m) {
    return cover_match_variable(m, CF_OP_aload, STRING) && cover_match(m, CF_OP_ldc) &&
                   match_call(m, CF_OP_invokevirtual, "java/lang/String", "equals",
                              "(Ljava/lang/Object;)Z") &&
                   cover_match(m, CF_OP_ifeq)
               ? m->next
               : 0;
}

// What the comparisons of one hash code lead to. 1: the last; 0: more follow; -1: something else.
static int match_hash_code(struct cover_filtering *f, struct cover_matcher *m,
                           struct cover_replacement *r, uint32_t otherwise, int last) {
    int is_old = f->facts->release < COVER_0_8_15;
    for (;;) {
        uint32_t jump = match_comparison(m);
        if (!jump-- || !cover_match_any(m)) return -1;
        uint32_t at = cover_match_at(m), target = cover_target(f->code, jump);
        if (f->code->op[at] == CF_OP_goto) {
            uint32_t to = cover_target(f->code, at);
            cover_replacement_add(f, r, to, is_old ? to : at, is_old ? COVER_ANY_BRANCH : 1);
            if (target != otherwise) continue;
            if (!is_old) cover_replacement_add(f, r, otherwise, jump, 1);
            return 0;
        }
        if (is_old || !last || target != otherwise) return -1;
        cover_replacement_add(f, r, otherwise, jump, 1);
        cover_replacement_add(f, r, cover_fallen_into(f, at), jump, 0);
        cover_match_start(m, jump + 1);
        return 1;
    }
}

static void filter_when_string(struct cover_filtering *f, uint32_t i) {
    const struct cover_code *code = f->code;
    struct cover_matcher m = {.code = code};
    struct cf_switch sw;
    cover_match_start(&m, i + 1);
    m.variables[STRING] = cover_variable_of(code, i) + 1;
    if (!match_call(&m, CF_OP_invokevirtual, "java/lang/String", "hashCode", "()I") ||
        !cover_match_switch(&m))
        return;
    uint32_t at = cover_match_at(&m), otherwise = default_of(code, at);
    cf_switch_open(&code->code, code->code.pc[at], &sw);
    if (sw.count == 0) return;
    struct cover_replacement **last = f->last_replacement, *r = cover_replace(f, at);
    if (f->facts->release < COVER_0_8_15)
        cover_replacement_add(f, r, otherwise, otherwise, COVER_ANY_BRANCH);
    else
        cover_replacement_add(f, r, otherwise, at, 0);
    for (uint32_t k = 1; k <= sw.count; k++)
        if (match_hash_code(f, &m, r, otherwise, k == sw.count) < 0) {
            *last = NULL; // it was none
            f->last_replacement = last;
            return;
        }
    cover_ignore(f, at + 1, cover_match_at(&m));
}

void cover_filter_kotlin_when_string(struct cover_filtering *f) {
    if (f->code->code.switches_count) each(f, CF_OP_aload, filter_when_string);
}

// --- as, !! ---

static void filter_cast_to(struct cover_filtering *f, uint32_t i, const char *exception) {
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, i + 1);
    if (f->facts->release >= COVER_0_8_15 && cover_match_peek_raw(&m) == CF_OP_pop)
        cover_match_any(&m);
    if (cover_match_type(&m, CF_OP_new, exception) && cover_match(&m, CF_OP_dup) &&
        cover_match_string(&m, "null cannot be cast to non-null type") &&
        match_call(&m, CF_OP_invokespecial, exception, "<init>", "(Ljava/lang/String;)V") &&
        cover_match(&m, CF_OP_athrow) && m.next == cover_target(f->code, i))
        cover_ignore(f, i, cover_match_at(&m));
}

static void filter_cast(struct cover_filtering *f, uint32_t i) {
    filter_cast_to(f, i, "kotlin/TypeCastException");
    if (f->facts->release >= COVER_0_8_15) filter_cast_to(f, i, "java/lang/NullPointerException");
}

void cover_filter_kotlin_cast(struct cover_filtering *f) {
    each(f, CF_OP_ifnonnull, filter_cast);
}

static void filter_not_null(struct cover_filtering *f, uint32_t i) {
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, i + 1);
    if (match_call(&m, CF_OP_invokestatic, "kotlin/jvm/internal/Intrinsics", "throwNpe", "()V"))
        cover_ignore(f, i, cover_match_at(&m));
}

void cover_filter_kotlin_not_null(struct cover_filtering *f) {
    each(f, CF_OP_ifnonnull, filter_not_null);
}

// --- Compose ---

static int is_call(struct cover_reference r, const char *owner, const char *name,
                   const char *descriptor) {
    return cover_slice_is(r.owner, owner) && cover_slice_is(r.name, name) &&
           cover_slice_is(r.descriptor, descriptor);
}

static void filter_compose(struct cover_filtering *f, uint32_t i) {
    static const char composer[] = "androidx/compose/runtime/Composer";
    struct cover_reference r = cover_reference_of(f->code, i);
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, i + 1);
    unsigned next = cover_match_peek_raw(&m);
    if (is_call(r, composer, "shouldExecute", "(ZI)Z") && next == CF_OP_ifeq) {
        cover_ignore(f, 0, i + 1);
    } else if (is_call(r, composer, "getSkipping", "()Z") && next == CF_OP_ifne) {
        cover_ignore(f, 0, i + 1);
        cover_ignore(f, cover_target(f->code, i + 1), f->code->count - 1);
    } else if (is_call(r, composer, "endRestartGroup",
                       "()Landroidx/compose/runtime/ScopeUpdateScope;") &&
               next == CF_OP_dup) {
        cover_match_any(&m);
        if (cover_match_peek_raw(&m) != CF_OP_ifnull) return;
        uint32_t target = cover_target(f->code, i + 2);
        if (f->code->op[target] == CF_OP_pop) cover_ignore(f, i + 2, target);
    } else if (is_call(r, "androidx/compose/runtime/ComposerKt", "isTraceInProgress", "()Z") &&
               next == CF_OP_ifeq) {
        uint32_t target = cover_target(f->code, i + 1);
        if (target > i + 1) cover_ignore(f, i + 1, target - 1);
    }
}

void cover_filter_kotlin_compose(struct cover_filtering *f) {
    if (!cover_has_annotation(f->code, "RuntimeInvisibleAnnotations",
                              "Landroidx/compose/runtime/Composable;"))
        return;
    each(f, CF_OP_invokeinterface, filter_compose);
    each(f, CF_OP_invokestatic, filter_compose);
}
