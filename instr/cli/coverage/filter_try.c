// Filters of what compilers write for try.

#include "instr/cli/coverage/filter_try.h"
#include "instr/cli/coverage/match.h"

#include <stdlib.h>
#include <string.h>

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

static void *array(struct cover_filtering *f, size_t count, size_t size) {
    void *memory = cf_arena_zeroed(f->code->cls->arena, count + 1, size);
    if (!memory) cf_fail(f->error, CF_NO_MEMORY, 0, "out of memory", 0);
    return memory;
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
static int find_closing(struct cover_filtering *f, struct closing *c, uint32_t handler,
                        int (*match)(struct closing *c, int form), int form, uint32_t *first) {
    uint32_t lowest = c->m.code->labelled[0] ? 0 : 1;
    for (uint32_t i = handler + 1; i-- > lowest && cover_spend(f, 1);) {
        cover_match_start(&c->m, i);
        *first = i;
        if (match(c, form)) return 1;
    }
    return 0;
}

// Was the handler seen before? Entries may have the same one.
static int is_known(struct cover_filtering *f, uint8_t **known, uint32_t handler) {
    if (!*known) *known = array(f, f->code->count, 1);
    if (!*known || (*known)[handler]) return 1;
    (*known)[handler] = 1;
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
    if (find_closing(f, &c, handler, match_close_11, checks_null, &first))
        ignore_closings(f, &c, first, handler, end);
}

void cover_filter_resources(struct cover_filtering *f) {
    uint8_t *known = NULL;
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        if (!catches_throwable(f, &e) || is_known(f, &known, e.handler)) continue;
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
    if (!find_closing(f, &c, handler, match_later_close_8, form, &first)) return 0;
    ignore_closings(f, &c, first, handler, end);
    return 1;
}

void cover_filter_resources_old(struct cover_filtering *f) {
    uint8_t *known = NULL;
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        int form = catches_throwable(f, &e) && !is_known(f, &known, e.handler) ? 0 : FORMS;
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
static int ecj_find(struct cover_filtering *f, struct ecj *e, uint32_t handler, uint32_t *first) {
    uint32_t lowest = e->m.code->labelled[0] ? 0 : 1;
    for (uint32_t i = handler + 1; i-- > lowest && cover_spend(f, 1);) {
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
    if (!ecj_find(f, &e, handler, &first) || !cover_match(&e.m, CF_OP_goto)) return 0;
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
    if (!ecj_find(f, &e, handler, &first)) return;
    for (uint32_t i = 1; i < n; i++)
        if (!ecj_close(&e, &e.resources[i])) return;
    cover_ignore(f, first, cover_match_at(&e.m));
    cover_ignore(f, handler, end);
}

void cover_filter_resources_ecj(struct cover_filtering *f) {
    uint8_t *known = NULL;
    for (uint32_t i = 0; i < f->code->code.exception_table_length; i++) {
        struct entry e = entry_at(f, i);
        if (e.type == 0 && !is_known(f, &known, e.handler) && !filter_ecj(f, e.handler))
            filter_ecj_at_end(f, e.handler);
    }
}

// --- finally ---

// The instructions of a finally block in the handler of any exception: between the store of the
// exception, and its load and throw. 0: it is no such handler, or it never ends.
static uint32_t size_of_finally(struct cover_filtering *f, uint32_t handler) {
    const struct cover_code *code = f->code;
    if (code->op[handler] != CF_OP_astore) return 0;
    uint32_t variable = cover_variable_of(code, handler);
    for (uint32_t i = handler + 1; i + 1 < code->count && cover_spend(f, 1); i++)
        if (code->op[i] == CF_OP_aload && cover_variable_of(code, i) == variable)
            return code->op[i + 1] == CF_OP_athrow ? i - handler - 1 : 0;
    return 0;
}

// Merges the block in the handler with a copy, if it is one.
static void merge_finally(struct cover_filtering *f, uint32_t handler, uint32_t size,
                          uint32_t copy) {
    const struct cover_code *code = f->code;
    for (uint32_t i = 0; i < size; i++)
        if (copy + i >= code->count || code->op[handler + 1 + i] != code->op[copy + i] ||
            !cover_spend(f, 1))
            return;
    cover_ignore(f, handler, handler);
    for (uint32_t i = 0; i < size; i++) cover_merge(f, handler + 1 + i, copy + i);
    cover_ignore(f, handler + 1 + size, handler + 2 + size);
    // A goto behind a copy that was not executed would make the last line of the block look so.
    if (copy + size < code->count && code->op[copy + size] == CF_OP_goto)
        cover_ignore(f, copy + size, copy + size);
}

// Entries in an order in which those of one handler, or of one range, follow each other as in the table.
struct listed {
    struct entry entry;
    uint32_t number; // in the table
};

static int compare(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int by_handler(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    int order = compare(x->entry.handler, y->entry.handler);
    return order ? order : compare(x->number, y->number);
}

static int by_range(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    int order = compare(x->entry.start, y->entry.start);
    if (!order) order = compare(x->entry.end, y->entry.end);
    return order ? order : compare(x->number, y->number);
}

static int by_all(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    int order = compare(x->entry.handler, y->entry.handler);
    return order ? order : by_range(a, b);
}

// The arrays of `count` elements are by entry, those of one more than there are instructions by instruction.
struct finally {
    struct cover_filtering *f;
    uint32_t handler, size; // at work
    uint32_t count;
    struct listed *of_handler, *of_range;
    uint8_t *again;   // an entry before it has the same handler and range, and catches any, too
    uint32_t *sizes;  // of the blocks of handlers, plus 1; 0: not known yet
    uint8_t *seen;    // handlers whose ways out are merged
    uint32_t *jumps;  // the next jump, here or behind
    uint32_t *left;   // the same of those that are not merged yet
    uint32_t *inside; // not 0: in a range of the handler
    uint32_t *done;   // the last handler that was compared with the copy here, plus 1
};

// The first entry in one of the orders that has the handler, or the range, of `entry`; `count`: there is none.
static uint32_t first_of(const struct finally *finally, const struct listed *list,
                         const struct entry *entry, int (*order)(const void *, const void *)) {
    struct listed key = {*entry, 0};
    uint32_t low = 0, high = finally->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order(&list[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int same_range(const struct entry *a, const struct entry *b) {
    return a->start == b->start && a->end == b->end;
}

static int open_finally(struct finally *finally) {
    struct cover_filtering *f = finally->f;
    uint32_t n = f->code->count, count = finally->count;
    if (!(finally->of_handler = array(f, count, sizeof *finally->of_handler)) ||
        !(finally->of_range = array(f, count, sizeof *finally->of_range)) ||
        !(finally->again = array(f, count, sizeof *finally->again)) ||
        !(finally->seen = array(f, n, sizeof *finally->seen)) ||
        !(finally->jumps = array(f, n, sizeof *finally->jumps)) ||
        !(finally->left = array(f, n, sizeof *finally->left)) ||
        !(finally->inside = array(f, n, sizeof *finally->inside)) ||
        !(finally->done = array(f, n, sizeof *finally->done)))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        finally->of_handler[i] = finally->of_range[i] = (struct listed){entry_at(f, i), i};
    qsort(finally->of_range, count, sizeof *finally->of_range, by_range);
    qsort(finally->of_handler, count, sizeof *finally->of_handler, by_all);
    const struct listed *any = NULL;
    for (const struct listed *l = finally->of_handler; l < finally->of_handler + count; l++) {
        if (l->entry.type) continue;
        finally->again[l->number] =
            any && any->entry.handler == l->entry.handler && same_range(&any->entry, &l->entry);
        any = l;
    }
    qsort(finally->of_handler, count, sizeof *finally->of_handler, by_handler);
    finally->jumps[n] = n;
    for (uint32_t i = n; i-- > 0;)
        finally->jumps[i] = cover_is_jump(f->code->op[i]) ? i : finally->jumps[i + 1];
    return 1;
}

// Turns to the handler of an entry.
static void take_handler(struct finally *finally, const struct entry *any) {
    uint32_t n = finally->f->code->count;
    finally->size = finally->sizes[any->handler] - 1;
    if (finally->handler == any->handler) return;
    finally->handler = any->handler;
    memset(finally->inside, 0, (n + 1) * sizeof *finally->inside);
    for (uint32_t i = first_of(finally, finally->of_handler, any, by_handler);
         i < finally->count && finally->of_handler[i].entry.handler == any->handler; i++) {
        finally->inside[finally->of_handler[i].entry.start]++;
        finally->inside[finally->of_handler[i].entry.end]--;
    }
    for (uint32_t i = 1; i <= n; i++) finally->inside[i] += finally->inside[i - 1];
    memcpy(finally->left, finally->jumps, (n + 1) * sizeof *finally->left);
    cover_spend(finally->f, n / 16);
}

static void merge_outside(struct finally *finally, uint32_t i) {
    if (i >= finally->f->code->count || finally->inside[i] ||
        finally->done[i] == finally->handler + 1)
        return;
    finally->done[i] = finally->handler + 1;
    merge_finally(finally->f, finally->handler, finally->size, i);
}

static uint32_t next_jump(struct finally *finally, uint32_t i) {
    uint32_t *left = finally->left;
    for (; left[i] != i; i = left[i]) left[i] = left[left[i]];
    return i;
}

// Merges what lies behind the ways out of a range; a jump that is in several, with the first of them.
static void merge_exits(struct finally *finally, const struct entry *range) {
    const struct cover_code *code = finally->f->code;
    for (uint32_t i = next_jump(finally, range->start);
         i < range->end && cover_spend(finally->f, 1); i = next_jump(finally, i)) {
        merge_outside(finally, cover_target(code, i));
        finally->left[i] = i + 1;
    }
    unsigned last = range->start < range->end ? code->op[range->end - 1] : CF_OP_goto;
    if (last != CF_OP_goto && !cf_is_return(last) && last != CF_OP_athrow)
        merge_outside(finally, range->end);
}

// The block in the handler of an entry: the ways out of its ranges once, and with each range the empty catch blocks of it,
// where the copy lies behind the store of the exception. In the order of the table: it decides which copy counts for all.
static void filter_finally(struct finally *finally, uint32_t number, const struct entry *any) {
    const struct listed *way = finally->of_handler, *ways_end = way + finally->count;
    const struct listed *other = finally->of_range, *others_end = other + finally->count;
    way += first_of(finally, way, any, by_handler);
    other += first_of(finally, other, any, by_range);
    if (finally->seen[any->handler]) way = ways_end;
    finally->seen[any->handler] = 1;
    take_handler(finally, any);
    while (cover_spend(finally->f, 1)) {
        int ways = way < ways_end && way->entry.handler == any->handler;
        int others = other < others_end && same_range(&other->entry, any);
        if (!ways && !others) break;
        if (ways && (!others || way->number <= other->number)) {
            merge_exits(finally, &way++->entry);
        } else {
            if (other->number != number) merge_outside(finally, other->entry.handler + 1);
            other++;
        }
    }
}

void cover_filter_finally(struct cover_filtering *f) {
    struct finally finally = {.f = f, .handler = UINT32_MAX};
    finally.count = f->code->code.exception_table_length;
    if (finally.count && !(finally.sizes = array(f, f->code->count, sizeof *finally.sizes))) return;
    for (uint32_t i = 0; i < finally.count; i++) {
        struct entry e = entry_at(f, i);
        if (e.type) continue;
        if (!finally.sizes[e.handler]) finally.sizes[e.handler] = size_of_finally(f, e.handler) + 1;
        if (finally.sizes[e.handler] == 1 || !cover_spend(f, 1)) continue;
        if (!finally.of_handler && !open_finally(&finally)) return;
        if (!finally.again[i]) filter_finally(&finally, i, &e);
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
