// Filters of what compilers write for try.

#include "instr/cli/coverage/filter_try.h"
#include "instr/cli/coverage/match.h"

// --- the exception table ---

// An entry in numbers of instructions; `end` may be the number of all.
struct entry {
    uint32_t start, end, handler;
    uint32_t type; // 0: any
};

static struct entry entry_at(const struct cover_filtering *f, uint32_t i) {
    struct cf_exception e = cf_exception_at(&f->code->code, i);
    const uint16_t *index = f->code->index;
    return (struct entry){index[e.start_pc], index[e.end_pc], index[e.handler_pc], e.catch_type};
}

static int catches_throwable(const struct cover_filtering *f, const struct entry *e) {
    return e->type && CF_IS(cf_class_name(f->code->cls, e->type), "java/lang/Throwable");
}

// --- resources ---

enum { PRIMARY, SUPPRESSED, RESOURCE, FIRST, SECOND, LATER_SUPPRESSED };

// Matching where a resource is closed: the owner of close() is that of the first call.
struct closing {
    struct cover_matcher m;
    struct cf_slice owner;
};

static int match_close(struct closing *c) {
    struct cover_matcher *m = &c->m;
    if (!cover_match_variable(m, CF_OP_aload, RESOURCE)) return 0;
    unsigned op = cover_match_peek(m);
    if (op != CF_OP_invokeinterface && op != CF_OP_invokevirtual) op = CF_OP_invokevirtual;
    if (!cover_match_reference(m, op, NULL, "close", "()V")) return 0;
    struct cf_slice owner = cover_reference_of(m->code, cover_match_at(m)).owner;
    if (!c->owner.bytes) c->owner = owner;
    if (!cf_slice_equal(c->owner, owner)) m->failed = 1;
    return !m->failed;
}

static int match_add_suppressed(struct cover_matcher *m) {
    return cover_match_reference(m, CF_OP_invokevirtual, "java/lang/Throwable", "addSuppressed",
                                 "(Ljava/lang/Throwable;)V");
}

// Looks for the same closing before the handler, where nothing was thrown, backwards from the handler.
// Returns 1 and stands on its last instruction; `first` is its first.
static int find_closing(struct closing *c, uint32_t handler,
                        int (*match)(struct closing *c, int form), int form, uint32_t *first) {
    uint32_t lowest = c->m.code->labelled[0] ? 0 : 1;
    for (uint32_t i = handler + 1; i-- > lowest;) {
        cover_match_start(&c->m, i);
        *first = i;
        if (match(c, form)) return 1;
    }
    return 0;
}

// Ignores both, and the goto behind the first.
static void ignore_closings(struct cover_filtering *f, struct closing *c, uint32_t first,
                            uint32_t handler, uint32_t end) {
    if (cover_match_peek(&c->m) == CF_OP_goto) cover_match_any(&c->m);
    cover_ignore(f, first, cover_match_at(&c->m));
    cover_ignore(f, handler, end);
}

// --- javac 11 and later ---

static int match_close_11(struct closing *c, int checks_null) {
    if (checks_null &&
        (!cover_match_variable(&c->m, CF_OP_aload, RESOURCE) || !cover_match(&c->m, CF_OP_ifnull)))
        return 0;
    return match_close(c);
}

static void filter_handler_11(struct cover_filtering *f, uint32_t handler, int checks_null) {
    struct closing c = {.m = {.code = f->code}};
    struct cover_matcher *m = &c.m;
    uint32_t first;
    cover_match_start(m, handler);
    if (!cover_match_variable(m, CF_OP_astore, PRIMARY) || !match_close_11(&c, checks_null) ||
        !cover_match(m, CF_OP_goto) || !cover_match_variable(m, CF_OP_astore, SUPPRESSED) ||
        !cover_match_variable(m, CF_OP_aload, PRIMARY) ||
        !cover_match_variable(m, CF_OP_aload, SUPPRESSED) || !match_add_suppressed(m) ||
        !cover_match_variable(m, CF_OP_aload, PRIMARY) || !cover_match(m, CF_OP_athrow))
        return;
    uint32_t end = cover_match_at(m);
    if (find_closing(&c, handler, match_close_11, checks_null, &first))
        ignore_closings(f, &c, first, handler, end);
}

void cover_filter_resources(struct cover_filtering *f) {
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        if (!catches_throwable(f, &e)) continue;
        filter_handler_11(f, e.handler, 1);
        filter_handler_11(f, e.handler, 0);
    }
}

// --- javac 7 to 10 ---

// With javac 9 the check for null is left out where the resource was just made, and closing may be a
// method of its own, $closeResource.
enum { OPTIMAL, FULL, WITHOUT_CHECK, BY_METHOD, FORMS };

static int match_close_8(struct closing *c, int form, unsigned suppressed) {
    struct cover_matcher *m = &c->m;
    if ((form == BY_METHOD || form == FULL) &&
        (!cover_match_variable(m, CF_OP_aload, RESOURCE) || !cover_match(m, CF_OP_ifnull)))
        return 0;
    if (form == BY_METHOD || form == OPTIMAL)
        return cover_match_variable(m, CF_OP_aload, PRIMARY) &&
               cover_match_variable(m, CF_OP_aload, RESOURCE) &&
               cover_match_reference(m, CF_OP_invokestatic, NULL, "$closeResource",
                                     "(Ljava/lang/Throwable;Ljava/lang/AutoCloseable;)V");
    return cover_match_variable(m, CF_OP_aload, PRIMARY) && cover_match(m, CF_OP_ifnull) &&
           match_close(c) && cover_match(m, CF_OP_goto) &&
           cover_match_variable(m, CF_OP_astore, suppressed) &&
           cover_match_variable(m, CF_OP_aload, PRIMARY) &&
           cover_match_variable(m, CF_OP_aload, suppressed) && match_add_suppressed(m) &&
           cover_match(m, CF_OP_goto) && match_close(c);
}

static int match_later_close_8(struct closing *c, int form) {
    return match_close_8(c, form, LATER_SUPPRESSED);
}

static int filter_handler_8(struct cover_filtering *f, uint32_t handler, int form) {
    struct closing c = {.m = {.code = f->code}};
    struct cover_matcher *m = &c.m;
    uint32_t first;
    cover_match_start(m, handler);
    if (!cover_match_variable(m, CF_OP_astore, FIRST) ||
        !cover_match_variable(m, CF_OP_aload, FIRST) ||
        !cover_match_variable(m, CF_OP_astore, PRIMARY) ||
        !cover_match_variable(m, CF_OP_aload, FIRST) || !cover_match(m, CF_OP_athrow) ||
        !cover_match_variable(m, CF_OP_astore, SECOND) || !match_close_8(&c, form, SUPPRESSED) ||
        !cover_match_variable(m, CF_OP_aload, SECOND) || !cover_match(m, CF_OP_athrow))
        return 0;
    uint32_t end = cover_match_at(m);
    if (!find_closing(&c, handler, match_later_close_8, form, &first)) return 0;
    ignore_closings(f, &c, first, handler, end);
    return 1;
}

void cover_filter_resources_old(struct cover_filtering *f) {
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        int form = catches_throwable(f, &e) ? 0 : FORMS;
        while (form < FORMS && !filter_handler_8(f, e.handler, form)) form++;
    }
}

// --- the Eclipse compiler ---

enum { MOST_RESOURCES = 64 };

// The exception that is thrown in the end, and for each resource its variable, where its parts of the
// code are left to, and who has close().
struct ecj_resource {
    uint32_t variable, suppressed; // plus 1
    uint32_t end, after_throw;     // of ifnull where nothing was thrown, and else
    uint32_t suppress, suppress_end;
    struct cf_slice owner;
};
struct ecj {
    struct cover_matcher m;
    struct ecj_resource resources[MOST_RESOURCES + 1];
};

static int ecj_variable(struct ecj *e, unsigned op, uint32_t *variable) {
    if (!cover_match(&e->m, op)) return 0;
    uint32_t actual = cover_variable_of(e->m.code, cover_match_at(&e->m)) + 1;
    if (!*variable) *variable = actual;
    if (*variable != actual) e->m.failed = 1;
    return !e->m.failed;
}

static int ecj_primary(struct ecj *e, unsigned op) {
    return cover_match_variable(&e->m, op, PRIMARY);
}

// A jump to what is `*target`, plus 1.
static int ecj_jump(struct ecj *e, unsigned op, uint32_t *target) {
    if (!cover_match(&e->m, op)) return 0;
    uint32_t actual = cover_target(e->m.code, cover_match_at(&e->m)) + 1;
    if (!*target) *target = actual;
    if (*target != actual) e->m.failed = 1;
    return !e->m.failed;
}

static int ecj_label(struct ecj *e, uint32_t target) {
    if (!e->m.failed && (target != e->m.next + 1 || e->m.next >= e->m.code->count)) e->m.failed = 1;
    return !e->m.failed;
}

static int ecj_call(struct ecj *e, struct ecj_resource *r) {
    unsigned op;
    if (!ecj_variable(e, CF_OP_aload, &r->variable)) return 0;
    op = cover_match_peek(&e->m) == CF_OP_invokeinterface ? CF_OP_invokeinterface
                                                          : CF_OP_invokevirtual;
    if (!cover_match_reference(&e->m, op, NULL, "close", "()V")) return 0;
    struct cf_slice owner = cover_reference_of(e->m.code, cover_match_at(&e->m)).owner;
    if (!r->owner.bytes) r->owner = owner;
    if (!cf_slice_equal(r->owner, owner)) e->m.failed = 1;
    return !e->m.failed;
}

// if (r != null) r.close();
static int ecj_close(struct ecj *e, struct ecj_resource *r) {
    return ecj_variable(e, CF_OP_aload, &r->variable) && ecj_jump(e, CF_OP_ifnull, &r->end) &&
           ecj_call(e, r);
}

// if (r != null) r.close(); throw primary;
static int ecj_close_and_throw(struct ecj *e, struct ecj_resource *r) {
    return ecj_variable(e, CF_OP_aload, &r->variable) &&
           ecj_jump(e, CF_OP_ifnull, &r->after_throw) && ecj_call(e, r) &&
           ecj_label(e, r->after_throw) && ecj_primary(e, CF_OP_aload) &&
           cover_match(&e->m, CF_OP_athrow);
}

// if (primary == null) primary = t; else if (primary != t) primary.addSuppressed(t);
static int ecj_suppress(struct ecj *e, struct ecj_resource *r) {
    return ecj_variable(e, CF_OP_astore, &r->suppressed) && ecj_primary(e, CF_OP_aload) &&
           ecj_jump(e, CF_OP_ifnonnull, &r->suppress) &&
           ecj_variable(e, CF_OP_aload, &r->suppressed) && ecj_primary(e, CF_OP_astore) &&
           ecj_jump(e, CF_OP_goto, &r->suppress_end) && ecj_label(e, r->suppress) &&
           ecj_primary(e, CF_OP_aload) && ecj_variable(e, CF_OP_aload, &r->suppressed) &&
           ecj_jump(e, CF_OP_if_acmpeq, &r->suppress_end) && ecj_primary(e, CF_OP_aload) &&
           ecj_variable(e, CF_OP_aload, &r->suppressed) && match_add_suppressed(&e->m) &&
           ecj_label(e, r->suppress_end);
}

static int ecj_rethrow(struct ecj *e) {
    return ecj_primary(e, CF_OP_aload) && cover_match(&e->m, CF_OP_athrow);
}

// Finds the closing of the first resource where nothing was thrown.
static int ecj_find(struct ecj *e, uint32_t handler, uint32_t *first) {
    uint32_t lowest = e->m.code->labelled[0] ? 0 : 1;
    for (uint32_t i = handler + 1; i-- > lowest;) {
        cover_match_start(&e->m, i);
        *first = i;
        if (ecj_close(e, &e->resources[0])) return 1;
    }
    return 0;
}

static int filter_ecj(struct cover_filtering *f, uint32_t handler) {
    struct ecj e = {.m = {.code = f->code}};
    struct cover_matcher before;
    uint32_t first, n = 1;
    cover_match_start(&e.m, handler);
    if (!ecj_primary(&e, CF_OP_astore) || !ecj_close_and_throw(&e, &e.resources[0])) return 0;
    for (before = e.m; n < MOST_RESOURCES && ecj_close(&e, &e.resources[n]); before = e.m) {
        struct ecj_resource *r = &e.resources[n++];
        if (!ecj_jump(&e, CF_OP_goto, &r->end) || !ecj_suppress(&e, r) ||
            !ecj_close_and_throw(&e, r))
            return 0;
    }
    cover_match_start(&e.m, before.next);
    if (!ecj_suppress(&e, &e.resources[MOST_RESOURCES]) || !ecj_rethrow(&e)) return 0;
    uint32_t end = cover_match_at(&e.m);
    if (!ecj_find(&e, handler, &first) || !cover_match(&e.m, CF_OP_goto)) return 0;
    cover_ignore(f, first, cover_match_at(&e.m));
    cover_ignore(f, handler, end);
    return 1;
}

// The same where nothing goes on behind the statement.
static void filter_ecj_at_end(struct cover_filtering *f, uint32_t handler) {
    struct ecj e = {.m = {.code = f->code}};
    uint32_t first, n = 0;
    cover_match_start(&e.m, handler);
    if (!ecj_primary(&e, CF_OP_astore)) return;
    uint32_t next = e.m.next;
    while (n < MOST_RESOURCES && ecj_close_and_throw(&e, &e.resources[n]) &&
           ecj_suppress(&e, &e.resources[n])) {
        n++;
        next = e.m.next;
    }
    cover_match_start(&e.m, next);
    if (!ecj_rethrow(&e)) return;
    uint32_t end = cover_match_at(&e.m);
    if (!ecj_find(&e, handler, &first)) return;
    for (uint32_t i = 1; i < n; i++)
        if (!ecj_close(&e, &e.resources[i])) return;
    cover_ignore(f, first, cover_match_at(&e.m));
    cover_ignore(f, handler, end);
}

void cover_filter_resources_ecj(struct cover_filtering *f) {
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        if (e.type == 0 && !filter_ecj(f, e.handler)) filter_ecj_at_end(f, e.handler);
    }
}

// --- finally ---

// The instructions of a finally block in the handler of any exception: between the store of the
// exception, and its load and throw. 0: it is no such handler, or it never ends.
static uint32_t size_of_finally(const struct cover_code *code, uint32_t handler) {
    if (code->op[handler] != CF_OP_astore) return 0;
    uint32_t variable = cover_variable_of(code, handler);
    for (uint32_t i = handler + 1; i + 1 < code->count; i++)
        if (code->op[i] == CF_OP_aload && cover_variable_of(code, i) == variable)
            return code->op[i + 1] == CF_OP_athrow ? i - handler - 1 : 0;
    return 0;
}

// Merges the block in the handler with a copy, if it is one.
static void merge_finally(struct cover_filtering *f, uint32_t handler, uint32_t size,
                          uint32_t copy) {
    const struct cover_code *code = f->code;
    for (uint32_t i = 0; i < size; i++)
        if (copy + i >= code->count || code->op[handler + 1 + i] != code->op[copy + i]) return;
    cover_ignore(f, handler, handler);
    for (uint32_t i = 0; i < size; i++) cover_merge(f, handler + 1 + i, copy + i);
    cover_ignore(f, handler + 1 + size, handler + 2 + size);
    // A goto behind a copy that was not executed would make the last line of the block look so.
    if (copy + size < code->count && code->op[copy + size] == CF_OP_goto)
        cover_ignore(f, copy + size, copy + size);
}

struct finally {
    struct cover_filtering *f;
    uint32_t handler, size;
    uint8_t *inside; // by instruction: in a range of the handler
};

static void merge_outside(const struct finally *finally, uint32_t i) {
    if (i >= finally->f->code->count || !finally->inside[i])
        merge_finally(finally->f, finally->handler, finally->size, i);
}

// Merges what lies behind the ways out of a range.
static void merge_exits(const struct finally *finally, const struct entry *range) {
    const struct cover_code *code = finally->f->code;
    int goes_on = 0;
    for (uint32_t i = range->start; i < range->end; i++) {
        unsigned op = code->op[i];
        if (cover_is_jump(op)) merge_outside(finally, cover_target(code, i));
        goes_on = op != CF_OP_goto && !cf_is_return(op) && op != CF_OP_athrow;
    }
    if (goes_on) merge_outside(finally, range->end);
}

static void filter_finally(struct cover_filtering *f, uint32_t number, uint32_t size) {
    struct entry any = entry_at(f, number);
    struct finally finally = {f, any.handler, size, NULL};
    uint32_t count = f->code->code.exception_table_length;
    finally.inside = cf_arena_zeroed(f->code->cls->arena, f->code->count + 1, 1);
    if (!finally.inside) {
        cf_fail(f->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct entry e = entry_at(f, i);
        for (uint32_t k = e.start; e.handler == any.handler && k < e.end; k++)
            finally.inside[k] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct entry e = entry_at(f, i);
        if (e.handler == any.handler) merge_exits(&finally, &e);
        // An empty catch block: the copy lies behind the store of its exception.
        if (i != number && e.start == any.start && e.end == any.end)
            merge_outside(&finally, e.handler + 1);
    }
}

void cover_filter_finally(struct cover_filtering *f) {
    for (uint32_t i = 0; i < f->code->code.exception_table_length && !f->error->status; i++) {
        struct entry e = entry_at(f, i);
        uint32_t size = e.type == 0 ? size_of_finally(f->code, e.handler) : 0;
        if (size > 0) filter_finally(f, i, size);
    }
}

// --- synchronized ---

static int match_monitor(struct cover_matcher *m, uint32_t handler) {
    cover_match_start(m, handler);
    if (cover_match(m, CF_OP_aload) && cover_match(m, CF_OP_monitorexit) &&
        cover_match(m, CF_OP_athrow))
        return 1; // the Eclipse compiler
    cover_match_start(m, handler);
    return cover_match_variable(m, CF_OP_astore, FIRST) && cover_match(m, CF_OP_aload) &&
           cover_match(m, CF_OP_monitorexit) && cover_match_variable(m, CF_OP_aload, FIRST) &&
           cover_match(m, CF_OP_athrow);
}

void cover_filter_synchronized(struct cover_filtering *f) {
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        struct cover_matcher m = {.code = f->code};
        if (e.type == 0 && e.start != e.handler && match_monitor(&m, e.handler))
            cover_ignore(f, e.handler, cover_match_at(&m));
    }
}
