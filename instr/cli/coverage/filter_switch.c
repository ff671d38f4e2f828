// Filters of what compilers write for switches and assert.

#include "instr/cli/coverage/filter_switch.h"
#include "instr/cli/coverage/match.h"

enum { STRING, NUMBER, CAUSE };

// Calls `filter` for each switch.
static void each_switch(struct cover_filtering *f,
                        void (*filter)(struct cover_filtering *f, uint32_t i,
                                       const struct cf_switch *sw)) {
    for (uint32_t i = 0; i < f->code->code.switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(&f->code->code, f->code->code.switches[i], &sw);
        filter(f, f->code->index[sw.pc], &sw);
    }
}

static int match_string_call(struct cover_matcher *m, const char *name, const char *descriptor) {
    return cover_match_reference(m, CF_OP_invokevirtual, "java/lang/String", name, descriptor);
}

static int match_equals(struct cover_matcher *m) {
    return cover_match_variable(m, CF_OP_aload, STRING) && cover_match(m, CF_OP_ldc) &&
           match_string_call(m, "equals", "(Ljava/lang/Object;)Z");
}

// --- strings: javac ---

// Are the four instructions before i without labels in between? JaCoCo counts labels, but since 0.8.15
// not those of jumps alone.
static int is_string_switch(struct cover_filtering *f, uint32_t i, uint32_t second) {
    struct cover_matcher m = {.code = f->code};
    if (i < 4 || f->code->op[i - 4] != CF_OP_iconst_m1) return 0;
    for (uint32_t k = i - 3; k <= i; k++)
        if (f->code->labelled[k] && (f->facts->release < COVER_0_8_15 || f->code->starts_line[k]))
            return 0;
    cover_match_start(&m, i - 3);
    if (!cover_match_variable(&m, CF_OP_istore, NUMBER) ||
        !cover_match_variable(&m, CF_OP_aload, STRING) ||
        !match_string_call(&m, "hashCode", "()I") || !cover_match_any(&m))
        return 0;
    do {
        if (!match_equals(&m) || !cover_match(&m, CF_OP_ifeq) || !cover_match_any(&m) ||
            !cover_match_variable(&m, CF_OP_istore, NUMBER))
            return 0;
        if (m.next == second) break;
    } while (cover_match(&m, CF_OP_goto) && cover_target(f->code, cover_match_at(&m)) == second);
    return m.next == second && cover_match_variable(&m, CF_OP_iload, NUMBER) &&
           cover_match_switch(&m);
}

static void filter_string_switch(struct cover_filtering *f, uint32_t i,
                                 const struct cf_switch *sw) {
    uint32_t second = f->code->index[sw->default_pc];
    if (second > i && is_string_switch(f, i, second)) cover_ignore(f, i, second - 1);
}

void cover_filter_string_switch(struct cover_filtering *f) {
    each_switch(f, filter_string_switch);
}

// --- strings: the Eclipse compiler and Kotlin ---

static void filter_ecj_old(struct cover_filtering *f, uint32_t i, const struct cf_switch *sw) {
    struct cover_matcher m = {.code = f->code};
    const struct cover_code *code = f->code;
    uint32_t otherwise = code->index[sw->default_pc];
    if (i < 2 || sw->count == 0 || code->op[i - 2] != CF_OP_astore) return;
    cover_match_start(&m, i - 1);
    if (!match_string_call(&m, "hashCode", "()I")) return;
    m.variables[STRING] = cover_variable_of(code, i - 2) + 1;
    cover_match_start(&m, i + 1);
    for (uint32_t k = 0; k < sw->count;) {
        if (!match_equals(&m) || !cover_match(&m, CF_OP_ifne)) return;
        if (cover_match_peek_raw(&m) == CF_OP_goto) {
            cover_match_any(&m);
            k++;
        } else if (m.next == otherwise) {
            k++;
        }
    }
    struct cover_replacement *r = cover_replace(f, i);
    cover_replacement_add(f, r, otherwise, otherwise, COVER_ANY_BRANCH);
    for (uint32_t k = i + 1; k < m.next; k++) {
        uint32_t target = code->op[k] == CF_OP_ifne ? cover_target(code, k) : code->count;
        if (target < code->count) cover_replacement_add(f, r, target, target, COVER_ANY_BRANCH);
    }
    cover_ignore(f, i + 1, cover_match_at(&m));
}

void cover_filter_string_switch_ecj_old(struct cover_filtering *f) {
    each_switch(f, filter_ecj_old);
}

struct string_switch {
    struct cover_filtering *f;
    struct cover_matcher m;
    struct cover_replacement *replacement;
    uint32_t otherwise; // the target of the default
};

static void add_branch(struct string_switch *s, uint32_t target, uint32_t from, uint32_t branch) {
    cover_replacement_add(s->f, s->replacement, target, from, branch);
}

// From the store of the string to the switch. Returns the instruction of Kotlin's check for null, or
// else `count`.
static uint32_t match_start(struct string_switch *s, uint32_t store) {
    struct cover_matcher *m = &s->m;
    uint32_t check = m->code->count;
    cover_match_start(m, store + 1);
    m->variables[STRING] = cover_variable_of(m->code, store) + 1;
    if (cover_match_peek_raw(m) == CF_OP_aload && cover_match_variable(m, CF_OP_aload, STRING)) {
        int twice = cover_match_peek_raw(m) == CF_OP_dup;
        if (twice) cover_match(m, CF_OP_dup);
        if (twice || cover_match_peek_raw(m) == CF_OP_ifnull) {
            if (cover_match(m, CF_OP_ifnull)) check = cover_match_at(m);
            if (!twice) cover_match_variable(m, CF_OP_aload, STRING);
        }
    }
    if (match_string_call(m, "hashCode", "()I")) cover_match_switch(m);
    return check;
}

// The comparisons of all hash codes. 0: it is something else.
static int match_comparisons(struct string_switch *s, uint32_t hash_codes) {
    struct cover_matcher *m = &s->m;
    const struct cover_code *code = m->code;
    for (uint32_t k = 1; k <= hash_codes;) {
        if (!match_equals(m)) return 0;
        unsigned op = cover_match_peek_raw(m);
        if (op != CF_OP_ifne && op != CF_OP_ifeq) return 0;
        cover_match_any(m);
        uint32_t at = cover_match_at(m), target = cover_target(code, at);
        if (op == CF_OP_ifeq) {
            if (target != s->otherwise || k != hash_codes) return 0;
            add_branch(s, s->otherwise, at, 1);
            add_branch(s, m->next, at, 0);
            return 1;
        }
        add_branch(s, target, at, 1);
        if (cover_match_peek_raw(m) == CF_OP_goto) {
            cover_match_any(m);
            add_branch(s, s->otherwise, cover_match_at(m), 1);
            k++;
        } else if (m->next == s->otherwise) {
            add_branch(s, s->otherwise, at, 0);
            k++;
        }
    }
    return 1;
}

static void filter_store(struct cover_filtering *f, uint32_t store) {
    struct string_switch s = {.f = f, .m = {.code = f->code}};
    uint32_t check = match_start(&s, store);
    if (s.m.failed) return;
    struct cf_switch sw;
    uint32_t i = cover_match_at(&s.m);
    cf_switch_open(&f->code->code, f->code->code.pc[i], &sw);
    s.otherwise = f->code->index[sw.default_pc];
    if (sw.count == 0) return;
    struct cover_replacement **last = f->last_replacement;
    s.replacement = cover_replace(f, store);
    add_branch(&s, s.otherwise, i, 0);
    if (!match_comparisons(&s, sw.count)) {
        *last = NULL; // it was none
        f->last_replacement = last;
        return;
    }
    if (check < f->code->count) add_branch(&s, cover_target(f->code, check), check, 1);
    cover_ignore(f, store + 1, cover_match_at(&s.m));
}

void cover_filter_string_switch_ecj(struct cover_filtering *f) {
    if (f->code->code.switches_count == 0) return;
    for (uint32_t i = 0; (i = cover_find(f->code, i, CF_OP_astore)) < f->code->count; i++)
        filter_store(f, i);
}

// --- switches that have all cases ---

static int match_error(struct cover_matcher *m) {
    static const char match[] = "java/lang/MatchException";
    static const char change[] = "java/lang/IncompatibleClassChangeError";
    struct cover_matcher other = *m;
    if (cover_match_type(m, CF_OP_new, match)) // since Java 21
        return cover_match(m, CF_OP_dup) && cover_match(m, CF_OP_aconst_null) &&
               cover_match(m, CF_OP_aconst_null) &&
               cover_match_reference(m, CF_OP_invokespecial, match, "<init>",
                                     "(Ljava/lang/String;Ljava/lang/Throwable;)V") &&
               cover_match(m, CF_OP_athrow);
    *m = other;
    return cover_match_type(m, CF_OP_new, change) && cover_match(m, CF_OP_dup) &&
           cover_match_reference(m, CF_OP_invokespecial, change, "<init>", "()V") &&
           cover_match(m, CF_OP_athrow);
}

static void filter_exhaustive(struct cover_filtering *f, uint32_t i, const struct cf_switch *sw) {
    struct cover_matcher m = {.code = f->code};
    const struct cover_code *code = f->code;
    uint32_t otherwise = code->index[sw->default_pc], *targets;
    if (code->starts_line[otherwise] && code->starts_line[otherwise] - 1 != code->line[i]) return;
    cover_match_start(&m, otherwise);
    if (!match_error(&m)) return;
    cover_ignore(f, otherwise, cover_match_at(&m));
    struct cover_replacement *r = cover_replace(f, i);
    uint32_t n = cover_switch_targets(code, i, &targets, NULL);
    for (uint32_t k = 1; k < n; k++) cover_replacement_add(f, r, targets[k], i, k);
}

void cover_filter_exhaustive_switch(struct cover_filtering *f) {
    each_switch(f, filter_exhaustive);
}

// --- record patterns ---

void cover_filter_record_pattern(struct cover_filtering *f) {
    static const char exception[] = "java/lang/MatchException";
    // JaCoCo expects all of a method's handlers to use the variable of its first handler of Throwable.
    struct cover_matcher m = {.code = f->code};
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&f->code->code, i);
        uint32_t handler = f->code->index[e.handler_pc];
        if (!CF_IS(cf_class_name(f->code->cls, e.catch_type), "java/lang/Throwable")) continue;
        cover_match_start(&m, handler);
        if (cover_match_variable(&m, CF_OP_astore, CAUSE) &&
            cover_match_type(&m, CF_OP_new, exception) && cover_match(&m, CF_OP_dup) &&
            cover_match_variable(&m, CF_OP_aload, CAUSE) &&
            cover_match_reference(&m, CF_OP_invokevirtual, "java/lang/Throwable", "toString",
                                  "()Ljava/lang/String;") &&
            cover_match_variable(&m, CF_OP_aload, CAUSE) &&
            cover_match_reference(&m, CF_OP_invokespecial, exception, "<init>",
                                  "(Ljava/lang/String;Ljava/lang/Throwable;)V") &&
            cover_match(&m, CF_OP_athrow))
            cover_ignore(f, handler, cover_match_at(&m));
    }
}

// --- assert ---

static int match_disabled(struct cover_filtering *f, struct cover_matcher *m, unsigned op) {
    return cover_match_reference(m, op, NULL, "$assertionsDisabled", "Z") &&
           cf_slice_equal(cover_reference_of(f->code, cover_match_at(m)).owner, f->facts->name);
}

void cover_filter_assert(struct cover_filtering *f) {
    const struct cover_code *code = f->code;
    struct cover_matcher m = {.code = code};
    // The initializer asks whether assertions are on. What precedes is ldc, or a label.
    for (uint32_t i = 0; CF_IS(code->name, "<clinit>") &&
                         (i = cover_find(code, i, CF_OP_invokevirtual)) < code->count;
         i++) {
        cover_match_start(&m, i);
        if (cover_match_reference(&m, CF_OP_invokevirtual, "java/lang/Class",
                                  "desiredAssertionStatus", "()Z") &&
            cover_match(&m, CF_OP_ifne) && cover_match(&m, CF_OP_iconst_1) &&
            cover_match(&m, CF_OP_goto) && cover_match(&m, CF_OP_iconst_0) &&
            match_disabled(f, &m, CF_OP_putstatic))
            cover_ignore(f, i > 0 ? i - 1 : 0, cover_match_at(&m));
    }
    // JaCoCo overlooks what nothing precedes, as in a method without line numbers.
    uint32_t first = code->labelled[0] ? 0 : 1;
    for (uint32_t i = first; (i = cover_find(code, i, CF_OP_getstatic)) < code->count; i++) {
        cover_match_start(&m, i);
        if (match_disabled(f, &m, CF_OP_getstatic) && cover_match(&m, CF_OP_ifne))
            cover_ignore(f, cover_match_at(&m), cover_match_at(&m));
    }
}
