// The exception table of an edited method: the handlers of snippets, the original handlers with
// moved ranges, and last the handlers that catch exceptions leaving the method.

#include "classfile/edit/internal.h"

uint8_t *cf_room_slow(struct cf_buffer *b, uint32_t n) {
    uint64_t needed = (uint64_t)b->length + n, wanted = b->capacity ? b->capacity * 2ull : 256;
    if (needed > INT32_MAX) {
        cf_fail(&b->edit->error, CF_LIMIT, 0, "new code of more than 2 GB", 0);
        return NULL;
    }
    while (wanted < needed) wanted *= 2;
    if (wanted > INT32_MAX) wanted = INT32_MAX;
    uint8_t *bytes = cf_arena_alloc(b->edit->code.cls->arena, wanted);
    if (!bytes) {
        cf_fail(&b->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return NULL;
    }
    if (b->length) memcpy(bytes, b->bytes, b->length);
    b->bytes = bytes;
    b->capacity = (uint32_t)wanted;
    return b->bytes + b->length;
}

// The entries being written; there is room for all of them.
struct entries {
    const struct cf_layout *l;
    uint8_t *next;
};

static inline void put_entry(struct entries *e, uint32_t start, uint32_t end, uint32_t handler,
                             uint32_t catch_type) {
    if (start >= end) return; // an empty range needs no entry
    uint8_t *p = e->next;
    cf_put4(p, start << 16 | end); // two at a time: compilers make two instructions of it
    cf_put4(p + 4, handler << 16 | catch_type);
    e->next = p + 8;
}

// Calls a function for each place of a snippet in the new code.
#define EACH_SNIPPET(l, s, at, body)                                                               \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (l)->edit->sites_count; i_++) {                                 \
            const struct cf_snippet *s = (l)->sites[i_].snippet;                                   \
            uint32_t at = (l)->sites[i_].at;                                                       \
            body;                                                                                  \
        }                                                                                          \
        for (uint32_t i_ = 0; i_ < (l)->detours_count; i_++) {                                     \
            uint32_t at = (l)->detours[i_].at;                                                     \
            for (uint32_t k_ = 0; k_ < (l)->detours[i_].count; k_++) {                             \
                const struct cf_snippet *s = (l)->edges[(l)->detours[i_].first + k_].snippet;      \
                body;                                                                              \
                at += s->length;                                                                   \
            }                                                                                      \
        }                                                                                          \
        const struct cf_exit *exits_[2] = {&(l)->thrown_early, &(l)->thrown};                      \
        for (uint32_t i_ = 0; i_ < 2; i_++) {                                                      \
            uint32_t at = exits_[i_]->at;                                                          \
            for (uint32_t k_ = exits_[i_]->count; k_-- > 0;) {                                     \
                const struct cf_snippet *s = exits_[i_]->snippets[k_].snippet;                     \
                body;                                                                              \
                at += s->length;                                                                   \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static enum cf_status put_snippet_handlers(struct entries *out, const struct cf_snippet *s,
                                           uint32_t at) {
    for (uint32_t i = 0; i < s->handlers_count; i++) {
        const struct cf_snippet_handler *h = &s->handlers[i];
        uint32_t start = s->labels[h->start].at, end = s->labels[h->end].at,
                 handler = s->labels[h->handler].at;
        if (start == UINT32_MAX || end == UINT32_MAX || handler == UINT32_MAX || start >= end)
            return cf_fail_snippet(s, UINT32_MAX, CF_MISUSE, "handler without a range", 0);
        put_entry(out, at + start, at + end, at + handler, h->catch_type);
    }
    return CF_OK;
}

CF_SELDOM static enum cf_status put_all_snippet_handlers(struct entries *out) {
    EACH_SNIPPET(out->l, s, at, CF_TRY(put_snippet_handlers(out, s, at)));
    return CF_OK;
}

static int is_behind(const struct cf_code *code, uint32_t pc, enum cf_opcode op) {
    return pc > 0 && code->bytes[pc - 1] == op && code->marks[pc - 1] & CF_MARK_START;
}

// Where the instruction begins that ends at `pc`, if it has so many bytes at most: some may have
// 65,535. Else somewhere in it.
static uint32_t last_start(const struct cf_code *code, uint32_t pc, uint32_t most) {
    uint32_t at = pc - 1;
    while (at > 0 && pc - at < most && !(code->marks[at] & CF_MARK_START)) at--;
    return at;
}

// Compilers put fewer instructions between those of a monitor and a jump. Tables may have 65,535 entries for one place.
enum { FAR = 32 };

// Only loads, constants and nop come between a monitorexit and `pc`: the old pc behind the
// monitorexit. 0: there is none.
static uint32_t released_at(const struct cf_code *code, uint32_t pc) {
    for (int i = 0; pc > 0 && i < FAR; i++) {
        if (is_behind(code, pc, CF_OP_monitorexit)) return pc;
        pc = last_start(code, pc, 3);
        uint8_t op = code->bytes[pc];
        if (!(code->marks[pc] & CF_MARK_START)) return 0;
        if (op > CF_OP_sipush && (op < CF_OP_iload || op > CF_OP_aload_3)) return 0;
    }
    return 0;
}

// Handlers that release a monitor cover what is inserted behind monitorenter, and not what is
// inserted behind monitorexit (edit.h). Some compilers put a nop behind monitorenter, and Groovy's goes on with the range
// at the goto behind monitorexit.
static uint32_t range_start(const struct cf_layout *l, const struct cf_exception *e) {
    const struct cf_code *code = &l->edit->code;
    uint32_t pc = e->start_pc;
    if (e->catch_type == 0 && code->bytes[pc] == CF_OP_goto && released_at(code, pc))
        return cf_at_instruction(l, pc);
    for (int i = 0; i < FAR && e->catch_type == 0 && is_behind(code, pc, CF_OP_nop); i++) pc--;
    return e->catch_type == 0 && is_behind(code, pc, CF_OP_monitorenter)
               ? cf_at_above(l, pc)
               : cf_at_label(l, e->start_pc);
}

static int is_delegate(const struct cf_edit *edit, uint32_t pc) {
    uint32_t low = 0, high = edit->delegates_count; // in order
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (edit->delegates[middle] == pc) return 1;
        if (edit->delegates[middle] < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

// Does the instruction that ends at `pc` change the type of a local, of `this` by super() or this()?
static int changes_local(const struct cf_edit *edit, uint32_t pc) {
    const struct cf_code *code = &edit->code;
    uint32_t at = last_start(code, pc, 6); // as many as a wide iinc has
    if (!(code->marks[at] & CF_MARK_START)) return 0;
    if (is_delegate(edit, at)) return 1;
    uint8_t op = code->bytes[at] == CF_OP_wide ? code->bytes[at + 1] : code->bytes[at];
    return CF_OP_istore <= op && op <= CF_OP_astore_3;
}

// Does the range at `i` of the table, if there is one, go on with the same handler at `pc`?
static int goes_on(const struct cf_code *code, uint32_t i, uint32_t pc, uint32_t handler) {
    if (i >= code->exception_table_length) return 0;
    struct cf_exception e = cf_exception_at(code, i);
    return e.handler_pc == handler && e.start_pc <= pc && pc < e.end_pc;
}

// Does the range end with a goto that comes behind monitorexit, as Groovy's do? Where the monitorexit ends; 0: no.
static uint32_t ends_released(const struct cf_code *code, const struct cf_exception *e) {
    uint32_t pc = e->end_pc - 3;
    if (e->catch_type != 0 || e->end_pc < e->start_pc + 4 || code->bytes[pc] != CF_OP_goto ||
        !(code->marks[pc] & CF_MARK_START))
        return 0;
    uint32_t from = released_at(code, pc);
    return from > e->start_pc ? from : 0;
}

static uint32_t range_end(const struct cf_layout *l, const struct cf_exception *e, uint32_t i) {
    const struct cf_code *code = &l->edit->code;
    uint32_t early = ends_released(code, e);
    if (early) return cf_at_above(l, early);
    int itself = e->start_pc <= e->handler_pc && e->handler_pc < e->end_pc;
    int released = e->catch_type == 0 && is_behind(code, e->end_pc, CF_OP_monitorexit);
    int changed = changes_local(l->edit, e->end_pc) &&
                  !goes_on(code, i + 1, e->end_pc, e->handler_pc) &&
                  !goes_on(code, i - 1, e->end_pc, e->handler_pc);
    return itself || released || changed ? cf_at_above(l, e->end_pc) : cf_at_before(l, e->end_pc);
}

// Finds the returns that come behind monitorexit, and before which something is inserted: the compiler of Scala
// makes one range of a block with returns inside. What is inserted there is not covered (edit.h).
static enum cf_status find_released(struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    for (uint32_t k = 0; k < code->returns_count; k++) {
        uint32_t pc = code->returns[k], from = released_at(code, pc);
        if (from == 0) continue;
        struct cf_released r = {from, pc, cf_at_above(l, from), cf_at_before(l, pc + 1)};
        if (r.end - r.start == pc + 1 - from) continue;
        if (!l->released)
            l->released =
                cf_arena_alloc(code->cls->arena, (code->returns_count - k) * sizeof *l->released);
        if (!l->released) return cf_fail(&l->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        l->released[l->released_count++] = r;
    }
    return CF_OK;
}

// The first of them that is not in front of the range of the entry.
static uint32_t first_released(const struct cf_layout *l, const struct cf_exception *e) {
    uint32_t low = 0, high = l->released_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (l->released[middle].pc >= e->start_pc)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// The next gap in the range of the entry, in new pcs; *k counts on from first_released. Groovy's ranges go on behind
// monitorexit: the gap begins with them.
static int next_gap(const struct cf_layout *l, const struct cf_exception *e, uint32_t *k,
                    uint32_t *from, uint32_t *to) {
    while (e->catch_type == 0 && *k < l->released_count && l->released[*k].pc < e->end_pc) {
        const struct cf_released *r = &l->released[(*k)++];
        int inside = r->from > e->start_pc;
        uint32_t old = inside ? r->from : e->start_pc;
        *from = inside ? r->start : range_start(l, e);
        *to = r->end;
        if (*to - *from != r->pc + 1 - old) return 1; // else nothing is inserted
    }
    return 0;
}

// Counts the gaps in the ranges of the original exception table.
static enum cf_status count_gaps(struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    if (code->exception_table_length) CF_TRY(find_released(l));
    if (!l->released_count) return CF_OK;
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        uint32_t k = first_released(l, &e), from, to;
        while (next_gap(l, &e, &k, &from, &to))
            if (++l->gaps > UINT16_MAX)
                return cf_fail(&l->edit->error, CF_LIMIT, 0, "exception table of %u entries",
                               l->gaps);
    }
    if (!l->gaps) return CF_OK;
    l->new_entries =
        cf_arena_alloc(code->cls->arena, code->exception_table_length * sizeof *l->new_entries);
    return l->new_entries ? CF_OK : cf_fail(&l->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

uint32_t cf_new_entry(const struct cf_layout *l, uint32_t entry) {
    int parted = l->new_entries && entry < l->edit->code.exception_table_length;
    return parted ? l->new_entries[entry] : entry + l->entries_before;
}

static void put_original(struct entries *out) {
    const struct cf_layout *l = out->l;
    const struct cf_code *code = &l->edit->code;
    const uint8_t *first = out->next;
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        uint32_t from = range_start(l, &e), handler = cf_at_label(l, e.handler_pc);
        if (l->new_entries)
            l->new_entries[i] = l->entries_before + (uint32_t)(out->next - first) / 8;
        uint32_t k = l->gaps ? first_released(l, &e) : 0, gap, behind;
        for (; l->gaps && next_gap(l, &e, &k, &gap, &behind); from = behind)
            put_entry(out, from, gap, handler, e.catch_type);
        put_entry(out, from, range_end(l, &e, i), handler, e.catch_type);
    }
}

// The new pc of the exit snippets at old pc `pc`, or without any, of its instruction. Called in
// ascending order: sites before *site are not needed.
static inline uint32_t exit_at(const struct cf_layout *l, const struct cf_site **site,
                               uint32_t pc) {
    const struct cf_site *s = *site, *end = l->sites + l->edit->sites_count;
    while (s < end && s->pc < pc) s++;
    while (s < end && s->pc == pc && s->where < CF_EXIT) s++;
    *site = s;
    return s < end && s->pc == pc ? s->at : cf_at_instruction(l, pc);
}

// Positions in the lists of code that is not covered; all lists are in pc order.
struct cover {
    const uint16_t *a_return, *last_return;
    const uint32_t *delegate, *last_delegate;
    const struct cf_site *site;
};

// Covers the code from old pc `start` to `end` by `handler`, except exit snippets and the returns
// behind them, and delegate calls, in which `this` changes its type.
static inline struct cover put_phase(struct entries *out, struct cover c, uint32_t start,
                                     uint32_t end, uint32_t handler) {
    const struct cf_layout *l = out->l;
    uint32_t from = cf_at_label(l, start);
    for (;;) {
        uint32_t pc = c.a_return < c.last_return ? *c.a_return : UINT32_MAX, next = pc + 1;
        if (c.delegate < c.last_delegate && *c.delegate < pc && *c.delegate < end) {
            pc = *c.delegate++;
            next = pc + 3; // invokespecial
        } else if (pc < end) {
            c.a_return++;
        } else {
            break;
        }
        if (pc < start) continue;
        put_entry(out, from, exit_at(l, &c.site, pc), handler, 0);
        from = cf_at_before(l, next);
    }
    put_entry(out, from, cf_at_before(l, end), handler, 0);
    return c;
}

static void put_exits(struct entries *out) {
    const struct cf_layout *l = out->l;
    const struct cf_edit *edit = l->edit;
    const struct cf_code *code = &edit->code;
    const uint32_t *delegates_end = edit->delegates; // which may be NULL
    if (edit->delegates_count) delegates_end += edit->delegates_count;
    struct cover c = {code->returns, code->returns + code->returns_count, edit->delegates,
                      delegates_end, l->sites};
    if (!edit->phases_count && l->thrown.count) put_phase(out, c, 0, code->length, l->thrown.at);
    for (uint32_t i = 0; i < edit->phases_count; i++) {
        const struct cf_phase *phase = &edit->phases[i];
        const struct cf_exit *exit = phase->initialized ? &l->thrown : &l->thrown_early;
        if (exit->count && !(exit == &l->thrown_early && edit->early_entry))
            c = put_phase(out, c, phase->start, phase->end, exit->at);
    }
}

// Most methods have no exception table and a single return at their end: all code before its
// snippets is covered.
static inline void put_simple(struct entries *out) {
    const struct cf_layout *l = out->l;
    const struct cf_site *site = l->sites;
    put_entry(out, cf_at_label(l, 0), exit_at(l, &site, l->edit->code.returns[0]), l->thrown.at, 0);
}

static inline int is_simple(const struct cf_layout *l) {
    const struct cf_edit *edit = l->edit;
    const struct cf_code *code = &edit->code;
    return !(l->handlers_count | code->exception_table_length | edit->phases_count |
             edit->delegates_count | l->guards) &&
           l->thrown.count && code->returns_count == 1 && code->returns[0] == code->length - 1;
}

static void put_guard(void *entries, uint32_t start, uint32_t end, uint32_t handler) {
    put_entry(entries, start, end, handler, 0);
}

// C2 takes the JVM down when it compiles java.lang.Object.<init> with a handler (JDK 17 and 25).
static int is_object_constructor(const struct cf_edit *edit) {
    const struct cf_class *cls = edit->code.cls;
    return CF_IS(cf_member_name(cls, edit->method), "<init>") &&
           CF_IS(cf_this_name(cls), "java/lang/Object");
}

enum cf_status cf_emit_exceptions(struct cf_layout *l, struct cf_buffer *out) {
    const struct cf_edit *edit = l->edit;
    // The body is covered in as many pieces as there are phases, returns and delegate calls, and
    // one.
    int simple = is_simple(l);
    CF_TRY(count_gaps(l));
    uint32_t most = l->handlers_count + l->gaps + edit->code.exception_table_length +
                    edit->phases_count + edit->code.returns_count + edit->delegates_count +
                    l->guards + 1;
    uint8_t *p = cf_room(out, 2 + 8 * most);
    if (!p) return CF_NO_MEMORY;
    struct entries entries = {l, p + 2};
    if (l->handlers_count) CF_TRY(put_all_snippet_handlers(&entries));
    if (l->guards) cf_each_guard(l, put_guard, &entries);
    l->entries_before = (uint32_t)(entries.next - p - 2) / 8;
    if (edit->code.exception_table_length) put_original(&entries);
    if (simple)
        put_simple(&entries);
    else if (l->thrown.count | l->thrown_early.count)
        put_exits(&entries);
    uint32_t length = (uint32_t)(entries.next - p), count = (length - 2) / 8;
    if (count > 65535)
        return cf_fail(&l->edit->error, CF_LIMIT, 0, "exception table of %u entries", count);
    if (count > edit->code.exception_table_length && is_object_constructor(edit))
        return cf_fail(&l->edit->error, CF_UNSUPPORTED, 0,
                       "HotSpot compiles no exception handler in the constructor of Object", 0);
    cf_put2(p, count);
    out->length += length;
    return CF_OK;
}
