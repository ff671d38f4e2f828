// Exceptions out of snippets, where passes throw them (cf_edit_snippets_throw): they run the
// handlers of the passes outside the one that threw. The snippets for exceptions stand behind each
// other, the innermost first, so that an exception enters this row at the first that has to run:
//
//      entry of 0
//      entry of 1      -> 0
//      entry of 2      -> 1
//      super(), constructed of 0, 1, 2, rest of the body   -> 2
//      exits 2, 1      -> 1, 0
//      exit of 0, return
//      2:  handler     -> 1
//      1:  handler     -> 0
//      0:  handler, athrow

#include "classfile/edit/internal.h"

static void sort(struct cf_thrown *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && list[k].nesting < list[k - 1].nesting; k--) {
            struct cf_thrown swapped = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swapped;
        }
}

void cf_sort_thrown(struct cf_edit *edit) {
    sort(edit->thrown, edit->thrown_count);
    sort(edit->thrown_early, edit->thrown_early_count);
}

static int is_entry(const struct cf_site *site) {
    return site->pc == 0 && site->where == CF_ENTRY;
}

// Behind super() or this(): all passes have entered.
static int is_constructed(const struct cf_site *site) {
    return site->pc != 0 && site->where == CF_ENTRY;
}

// Snippets on the edges of a goto are exits, too.
static int is_exit(const struct cf_edit *edit, const struct cf_site *site) {
    unsigned op = edit->code.bytes[site->pc];
    return site->where == CF_EXIT && op >= CF_OP_ireturn && op <= CF_OP_return;
}

// In a constructor, what the entry throws is early.
static int leads_to(const struct cf_edit *edit, const struct cf_site *site, int early) {
    return is_entry(site) ? early == (edit->constructor != 0) : !early && is_exit(edit, site);
}

uint32_t cf_guards(const struct cf_edit *edit, int early) {
    const struct cf_thrown *list = early ? edit->thrown_early : edit->thrown;
    uint32_t count = early ? edit->thrown_early_count : edit->thrown_count, found = 0;
    if (!edit->snippets_throw || !count) return 0;
    for (uint32_t i = 0; i < edit->sites_count; i++) {
        const struct cf_site *site = &edit->sites[i];
        int32_t nesting = site->where == CF_EXIT ? -site->order : site->order;
        found += leads_to(edit, site, early) && nesting > list[0].nesting;
        found += !early && is_constructed(site);
    }
    for (uint32_t i = 1; i < count; i++) found += list[i].nesting > list[0].nesting;
    if (!found) return 0;
    // Early returns have copies of the exits, at most of all.
    return found + edit->early_returns_count * (edit->sites_count + edit->unplaced_count);
}

struct guards {
    const struct cf_layout *l;
    void (*put)(void *context, uint32_t start, uint32_t end, uint32_t handler);
    void *context;
};

static void guard(const struct guards *g, const struct cf_exit *exit, int32_t nesting,
                  uint32_t start, uint32_t length) {
    uint32_t i = exit->count, handler = exit->at;
    while (i > 0 && exit->snippets[i - 1].nesting >= nesting)
        handler += exit->snippets[--i].snippet->length;
    if (i > 0) g->put(g->context, start, start + length, handler);
}

static const struct cf_early_return *early_return_of(const struct cf_edit *edit,
                                                     const struct cf_snippet *s) {
    for (uint32_t i = 0; i < edit->early_returns_count; i++)
        if (edit->early_returns[i].snippet == s) return &edit->early_returns[i];
    return NULL;
}

static void guard_entry(const struct guards *g, const struct cf_site *entry) {
    const struct cf_edit *edit = g->l->edit;
    const struct cf_exit *exit = edit->constructor ? &g->l->thrown_early : &g->l->thrown;
    const struct cf_early_return *early = early_return_of(edit, entry->snippet);
    if (!early) {
        guard(g, exit, entry->order, entry->at, entry->snippet->length);
        return;
    }
    uint32_t at = entry->at + early->own_length;
    guard(g, exit, entry->order, entry->at, early->own_length);
    for (const struct cf_site *s = NULL; (s = cf_next_early_exit(edit, early, s));
         at += s->snippet->length)
        guard(g, exit, -s->order, at, s->snippet->length);
}

static void guard_handlers(const struct guards *g, const struct cf_exit *exit) {
    uint32_t at = exit->at;
    for (uint32_t i = exit->count; i-- > 1; at += exit->snippets[i].snippet->length)
        guard(g, exit, exit->snippets[i].nesting, at, exit->snippets[i].snippet->length);
}

void cf_each_guard(const struct cf_layout *l,
                   void (*put)(void *context, uint32_t start, uint32_t end, uint32_t handler),
                   void *context) {
    struct guards g = {l, put, context};
    for (uint32_t i = 0; i < l->edit->sites_count; i++) {
        const struct cf_site *site = &l->sites[i];
        if (is_entry(site))
            guard_entry(&g, site);
        else if (is_constructed(site))
            guard(&g, &l->thrown, INT32_MAX, site->at, site->snippet->length);
        else if (is_exit(l->edit, site))
            guard(&g, &l->thrown, -site->order, site->at, site->snippet->length);
    }
    guard_handlers(&g, &l->thrown_early);
    guard_handlers(&g, &l->thrown);
}
