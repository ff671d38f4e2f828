// What the files of the editor share: the layout of an edited method. The original instructions
// with their snippets come first, then the detours of branch edges, then the exceptional exits.

#ifndef CF_LAYOUT_H
#define CF_LAYOUT_H

#include "classfile/edit.h"
#include "classfile/format/strict_fields.h"

// The sites at one pc, and its new pcs.
struct cf_group {
    uint32_t first, count; // sites
    uint32_t above;        // where the instruction above ends
    uint32_t before; // behind what comes after the instruction above: its line and ranges end here
    uint32_t instruction; // where the instruction, or what replaces it, begins
    int is_replaced;
};

// A detour of all edges from `pc` to `target`: their snippets, then a goto.
struct cf_detour {
    uint32_t pc, target;
    uint32_t first, count; // edges
    // The pc behind a switch that its detours are placed in front of, as one snippet at a site, and
    // the label there. 0: it is placed behind the method's code.
    uint32_t behind, label;
    uint32_t at;   // new pc
    uint32_t jump; // new pc of the goto
    int wide;
};

// The snippets of an exceptional exit, which ends with athrow.
struct cf_exit {
    const struct cf_thrown *snippets; // in the order of the passes: run backwards
    uint32_t count;
    uint32_t at, end; // new pcs; equal: there is none
};

// A return behind monitorexit: where that ends and where the return is, in old pcs; and what is not covered there, in
// new ones.
struct cf_released {
    uint32_t from, pc, start, end;
};

struct cf_layout {
    struct cf_edit *edit;
    uint8_t *code;         // the new one
    struct cf_site *sites; // sorted
    // The next switch or widened branch to be written, by pc (UINT32_MAX: there is none), and by
    // the index of each kind in the code's lists.
    uint32_t changed, next_switch, next_branch;
    uint32_t body_end, length; // of the new code
    uint32_t sites_peak;       // the most stack that a snippet at a site needs for itself
    uint16_t *moved; // by pc, and of code_length: by how much its label moves, modulo 2^16
    uint64_t added;  // bytes of code, at most
    struct cf_exit thrown, thrown_early;
    // What only few methods have; zero at first.
    uint8_t *widened;      // per branch of the code; NULL: none is
    struct cf_edge *edges; // sorted
    struct cf_detour *detours;
    uint32_t detours_count;
    // Of all snippets: exception handlers, which come before the original ones; of the new exception table, the
    // entries that do, these among them; whether a snippet at a site has labels or branches.
    uint32_t handlers_count, entries_before;
    // Returns behind monitorexit, in order, which are gaps in the ranges of the original exception table; how
    // many gaps there are; and where its entries are in the new one (NULL: nothing parts them).
    struct cf_released *released;
    uint32_t released_count, gaps;
    uint32_t *new_entries;
    uint32_t has_labels;
    uint32_t has_branches; // any snippet
    // A constructor of a class with strict fields: in front of the detours and of the early exit
    // stands an athrow for a frame (bridge_frame in stack_map_build.c).
    int bridges;
    // The most ranges of snippets whose exceptions run the handlers of passes outside; 0: none.
    uint32_t guards;
};

// Lays the method out and appends the new code to the buffer, `before` bytes behind its end;
// `behind` bytes more are likely to follow.
enum cf_status cf_layout_make(struct cf_layout *layout, struct cf_edit *edit, uint32_t before,
                              uint32_t behind, struct cf_buffer *out);

// Turns those edges, which are sorted, into sites that can be placed at their jump.
enum cf_status cf_place_edges(struct cf_edit *edit);

// The sites at `pc`; a count of 0: there are none.
struct cf_group cf_find_group(const struct cf_layout *layout, uint32_t pc);
static inline struct cf_group cf_group_at(const struct cf_layout *l, uint32_t pc) {
    struct cf_group none = {0, 0, 0, 0, 0, 0};
    return l->edit->code.marks[pc] & CF_MARK_EDIT ? cf_find_group(l, pc) : none;
}
// New pcs of an original pc: of its label, of the instruction itself, of the place where
// fall-through arrives (where a range that ends there ends), and of the end of the instruction
// above, in front of all snippets.
static inline uint32_t cf_at_label(const struct cf_layout *l, uint32_t pc) {
    return (uint16_t)(pc + l->moved[pc]);
}
static inline uint32_t cf_at_instruction(const struct cf_layout *l, uint32_t pc) {
    return l->edit->code.marks[pc] & CF_MARK_EDIT ? cf_find_group(l, pc).instruction
                                                  : cf_at_label(l, pc);
}
static inline uint32_t cf_at_before(const struct cf_layout *l, uint32_t pc) {
    return l->edit->code.marks[pc] & CF_MARK_SPLIT ? cf_find_group(l, pc).before
                                                   : cf_at_label(l, pc);
}
// The new pc of the `new` at an original pc, also in what replaces it (edit.h); 0 if there is none: the edit has
// failed.
uint32_t cf_replaced_new(const struct cf_layout *layout, uint32_t pc);
static inline uint32_t cf_at_new(const struct cf_layout *l, uint32_t pc) {
    return l->edit->code.marks[pc] & CF_MARK_EDIT ? cf_replaced_new(l, pc) : cf_at_label(l, pc);
}
static inline int cf_is_switch(unsigned op) {
    return op == CF_OP_tableswitch || op == CF_OP_lookupswitch;
}
static inline int cf_is_widened(const struct cf_layout *l, uint32_t branch) {
    return l->widened && l->widened[branch];
}
static inline uint32_t cf_at_above(const struct cf_layout *l, uint32_t pc) {
    return l->edit->code.marks[pc] & CF_MARK_EDIT ? cf_find_group(l, pc).above : cf_at_label(l, pc);
}
// The detour from `pc` to `target`, or NULL.
const struct cf_detour *cf_detour_of(const struct cf_layout *layout, uint32_t pc, uint32_t target);
// Where a branch at `pc` to `target` leads in the new code.
static inline uint32_t cf_destination(const struct cf_layout *l, uint32_t pc, uint32_t target) {
    const struct cf_detour *d = l->detours_count ? cf_detour_of(l, pc, target) : NULL;
    return d ? d->at : cf_at_label(l, target);
}

// --- the parts of the encoder that work on a layout ---

// One pass over everything that changes the distance between old and new pcs: places every snippet
// and label, and writes the code except for branch offsets. CF_COPIED bytes are copied, and
// CF_FILLED pcs mapped, at a time, also beyond the last one: what follows is written later.
#define CF_COPIED 64
#define CF_FILLED 32
void cf_emit_snippets(struct cf_layout *layout);
// Sets the offsets of branches and switches.
enum cf_status cf_emit_branches(const struct cf_layout *layout);

// Room for n more bytes; NULL: out of memory, the edit has failed.
uint8_t *cf_room_slow(struct cf_buffer *buffer, uint32_t n);
static inline uint8_t *cf_room(struct cf_buffer *b, uint32_t n) {
    return n <= b->capacity - b->length ? b->bytes + b->length : cf_room_slow(b, n);
}
// The same, counted as written.
static inline uint8_t *cf_extend(struct cf_buffer *b, uint32_t n) {
    uint8_t *p = cf_room(b, n);
    if (p) b->length += n;
    return p;
}

// Appends the entries of the new StackMapTable, and counts them. Only if cf_frames_wanted.
enum cf_status cf_emit_frames(const struct cf_layout *layout, struct cf_buffer *out,
                              uint32_t *count);
// Does the method get new frames? Otherwise an old StackMapTable is copied unchanged.
int cf_frames_wanted(const struct cf_edit *edit);
// cf_emit_frames for methods in which nothing has to be typed (stack_map_move.c).
enum cf_status cf_move_frames(const struct cf_layout *layout, struct cf_buffer *out,
                              uint32_t *count);
// The index of the constant java/lang/Throwable; 0: the pool is full, the edit has failed.
uint16_t cf_add_throwable(struct cf_edit *edit);
static inline uint16_t cf_throwable(struct cf_edit *edit) {
    return edit->rewrite->throwable ? edit->rewrite->throwable : cf_add_throwable(edit);
}

// Appends the exception table with its length, and sets entries_before and gaps.
enum cf_status cf_emit_exceptions(struct cf_layout *layout, struct cf_buffer *out);
// The index in the new exception table of an entry of the original.
uint32_t cf_new_entry(const struct cf_layout *layout, uint32_t entry);
// Appends the attribute of the code that begins at `offset` of the class, with its bytecode offsets
// moved.
enum cf_status cf_emit_attribute(const struct cf_layout *layout, struct cf_buffer *out,
                                 uint32_t offset);

// Adds the exits to early returns, and the returns.
enum cf_status cf_finish_early_returns(struct cf_edit *edit);
// The exit that an early return runs after `last` (NULL: the first one); NULL: no more.
const struct cf_site *cf_next_early_exit(const struct cf_edit *edit,
                                         const struct cf_early_return *early,
                                         const struct cf_site *last);

// --- nested_exceptions.c ---

// Sorts the snippets for exceptions by nesting; afterwards cf_guards may be called. Only with
// snippets_throw.
void cf_sort_thrown(struct cf_edit *edit);
// The most ranges that lead to the snippets for exceptions, early or not. 0: none.
uint32_t cf_guards(const struct cf_edit *edit, int early);
// Calls `put` for each range and its handler, all new pcs.
void cf_each_guard(const struct cf_layout *layout,
                   void (*put)(void *context, uint32_t start, uint32_t end, uint32_t handler),
                   void *context);

// --- snippet.c ---

// Records an error of a snippet, unless the edit has failed before: with the pc of its anchor, or
// with its length so far if that is UINT32_MAX. Returns `status`.
enum cf_status cf_fail_snippet(const struct cf_snippet *s, uint32_t pc, enum cf_status status,
                               const char *reason, uint32_t value);

#endif
