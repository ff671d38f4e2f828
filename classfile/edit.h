// Editing a class: constants are appended, methods' code gets snippets, everything else stays byte
// for byte as it was.
//
//      struct cf_rewrite rewrite;
//      cf_rewrite_begin(&rewrite, &cls);
//      for each method with code:
//          struct cf_edit *edit;
//          if (cf_edit_begin(&rewrite, method, &edit) == CF_OK) {
//              ... anchor snippets ...
//              if (cf_edit_commit(edit) != CF_OK) ... this method stays as it was; edit->error ...
//          }
//      cf_rewrite_encode(&rewrite, malloc_like, context, &bytes, &length);
//
// Snippets are anchored to the original instructions. Where several meet at one instruction `i`,
// they run in this order; a label or frame that stood at `i` now stands at the mark `>`:
//
//      after(i-1), innermost pass first          (not run by jumps to i)
//      entry, constructed                        (not run by jumps to i)
//    > before(i), outermost pass first           (run by jumps to i too)
//      exit, innermost pass first                (run by jumps to i too)
//      instruction i, or its replacement
//
// Passes nest: the first to edit is outermost, it enters first and leaves last.

#ifndef CF_EDIT_H
#define CF_EDIT_H

#include "classfile/pool.h"
#include "classfile/snippet.h"

struct cf_edit;

struct cf_buffer { // grows in the class's arena
    struct cf_edit *edit;
    uint8_t *bytes;
    uint32_t length, capacity;
};

// The encoded Code attribute_info of a method, and in front of it as many bytes of the class as
// `lead`. length == 0: as it was.
struct cf_new_code {
    uint32_t at, length; // in cf_rewrite.out
    uint32_t lead;
    // Which of it is new: what the edit has at its sites, and all from body_end on.
    const struct cf_edit *edit;
    uint32_t body_end;
};

struct cf_rewrite {
    struct cf_class *cls;
    struct cf_pool pool;
    struct cf_new_code *code; // per method
    // The new code, one method behind the other, with what stands between them in the class: mostly
    // it can be copied in one piece. `passed`: the offset in the class behind the last one.
    struct cf_buffer out;
    uint32_t passed;
    uint32_t methods_changed;
    int64_t added;                 // bytes of code attributes
    uint16_t utf8_stack_map_table; // 0: absent
    uint16_t throwable;            // the constant java/lang/Throwable, once it was added
    uint16_t integer;              // the Integer constant that was pushed last, and its value
    int32_t integer_value;
    int16_t *effects; // stack effect of references, by index; filled as asked for
};

enum cf_where { CF_AFTER, CF_ENTRY, CF_BEFORE, CF_EXIT, CF_REPLACE };

struct cf_site {
    uint32_t pc;
    enum cf_where where;
    int32_t order; // among sites of the same pc and kind
    uint32_t at;   // new pc, once the method is laid out
    const struct cf_snippet *snippet;
};

struct cf_edge { // a branch from one instruction to another
    uint32_t pc, target;
    const struct cf_snippet *snippet;
};

// Where a stack map frame stands, and the depth of the operand stack there (65,535: or more).
struct cf_place {
    uint16_t pc, depth;
};

struct cf_new_local {
    uint32_t index;
    struct cf_type type;
};

// Where `this` of a constructor is what, in pc order (constructor.c).
struct cf_phase {
    uint32_t start, end; // pcs
    int initialized;
};

struct cf_edit {
    struct cf_rewrite *rewrite;
    const struct cf_member *method;
    struct cf_code code; // the original, opened and scanned
    // Largest code length that is acceptable; 65,535 unless a pass wants less.
    uint32_t code_limit;

    // What follows is filled by the functions below and read by the encoder.
    uint32_t next_local;
    struct cf_pool_mark mark;
    struct cf_site *sites;
    struct cf_new_local *locals;
    const struct cf_snippet **thrown, **thrown_early;
    // From here on all is cleared at first, up to `nowhere`.
    struct cf_error error; // of this method
    int32_t nesting;       // of the pass at work: 0 is outermost; set by who runs the passes
    uint32_t sites_count, edges_count, thrown_count, thrown_early_count, locals_count;
    uint32_t phases_count, delegates_count, places_count;
    int constructor;  // 1: it is one (not Object's), and phases and delegates are known
    int phases_known; // all of that has been looked for
    // New pc after the last `constructed` snippet; the code's length if there is no delegate call;
    // 0: no constructor.
    uint32_t constructed_pc;
    struct cf_edge *edges;
    struct cf_phase *phases;
    uint32_t *delegates;     // pcs of the constructor's delegate calls
    struct cf_place *places; // of the original stack map frames, once they were read
    uint16_t *depths;        // of the operand stack before each instruction, by pc (cf_edit_depth)
    // What is written there is never anchored: the edit has failed. From here on nothing is
    // cleared.
    struct cf_snippet nowhere;
    uint8_t nowhere_bytes[CF_SNIPPET_ROOM];
    // The lists start here: most methods need no more.
    struct cf_site first_sites[4];
    struct cf_new_local first_locals[2];
    const struct cf_snippet *first_thrown[2], *first_thrown_early[2];
};

// Starts on an opened class; nothing of it is changed.
enum cf_status cf_rewrite_begin(struct cf_rewrite *rewrite, struct cf_class *cls);
// Writes the class: without a change an identical copy. `allocate` gives the memory for the result,
// which is the caller's then.
enum cf_status cf_rewrite_encode(struct cf_rewrite *rewrite,
                                 void *(*allocate)(void *context, size_t size), void *context,
                                 uint8_t **bytes, size_t *length);

// The static method class_name.name:descriptor, as a constant.
struct cf_callee cf_callee_new(struct cf_rewrite *rewrite, const char *class_name, const char *name,
                               const char *descriptor);

enum { CF_CALLEES = 16 };
// The same for several methods, at most CF_CALLEES (cf_add_methods). 1, or 0: no room.
int cf_callees_new(struct cf_rewrite *rewrite, const struct cf_method_name *names, unsigned count,
                   struct cf_callee *callees);

// Callees and their constants, to be given to other classes as they are.
struct cf_callees {
    const struct cf_method_name *names;    // what was asked for: the caller's to set and compare
    unsigned count;                        // 0: none are kept
    struct cf_callee relative[CF_CALLEES]; // methodrefs: less the index of the block's first entry
    struct cf_block block;
};
// Keeps the callees that were added to the class's pool since the mark; none, when they do not fit
// a block.
void cf_callees_keep(struct cf_callees *kept, const struct cf_rewrite *rewrite,
                     struct cf_pool_mark since, const struct cf_callee *callees, unsigned count);
// Adds callees that are kept. 1, or 0: no room.
int cf_callees_again(struct cf_rewrite *rewrite, const struct cf_callees *kept,
                     struct cf_callee *callees);

// Opens and scans the code of a method. The edit lives in the class's arena.
enum cf_status cf_edit_begin(struct cf_rewrite *rewrite, const struct cf_member *method,
                             struct cf_edit **edit);
enum { CF_EDITS = 16 };
// The same for several methods, at most CF_EDITS, which is faster. edits[i] is NULL where memory is
// out; else its error tells whether it has begun. Before one of them is edited,
// cf_edit_keep_constants has to be called for it.
void cf_edits_begin(struct cf_rewrite *rewrite, const struct cf_member *const *methods,
                    uint32_t count, struct cf_edit **edits);
// Encodes the method. On an error the method stays as it was, constants added since begin are
// forgotten, and edit->error tells why. Without an anchored snippet nothing changes.
enum cf_status cf_edit_commit(struct cf_edit *edit);
// Forgets the edit and its constants.
void cf_edit_abandon(struct cf_edit *edit);
// The constants that were added until now stay, whatever becomes of the edit: to be called before
// it is committed or abandoned if an edit of another method was begun since it was.
void cf_edit_keep_constants(struct cf_edit *edit);

// A local variable of its own for the pass, beyond all that the method has. `descriptor` is a field
// descriptor. With `live` it must be stored by an entry snippet: it then keeps its value through
// the method, exits and handlers included. Without, it holds within one snippet only.
uint32_t cf_new_local_of(struct cf_edit *edit, const char *descriptor, int live);
static inline uint32_t cf_new_local(struct cf_edit *edit, const char *descriptor, int live) {
    // What passes mostly want, with a literal that the compiler sees through.
    if (descriptor[0] != 'J' || descriptor[1] != 0 || !live || edit->locals_count > 1 ||
        edit->next_local > 65000)
        return cf_new_local_of(edit, descriptor, live);
    struct cf_new_local *local = &edit->locals[edit->locals_count++];
    memset(local, 0, sizeof *local);
    local->type.tag = CF_TYPE_LONG;
    local->index = edit->next_local;
    edit->next_local += 2;
    return local->index;
}

// --- what the anchors below are made of ---

// Room for one more in a list that doubles when it is full: at `room`, a power of two, and every
// later one. NULL: out of memory, the edit has failed.
void *cf_longer(struct cf_edit *edit, void *list, uint32_t count, size_t size);
static inline void *cf_one_more(struct cf_edit *edit, void *list, uint32_t count, uint32_t room,
                                size_t size) {
    if (count < room || (count & (count - 1))) return list;
    return cf_longer(edit, list, count, size);
}

static inline void cf_add_site(struct cf_edit *edit, uint32_t pc, enum cf_where where,
                               int32_t order, const struct cf_snippet *s) {
    if (s == &edit->nowhere || s->length == 0) return;
    uint32_t count = edit->sites_count;
    struct cf_site *sites = cf_one_more(edit, edit->sites, count, 4, sizeof *sites);
    if (!sites) return;
    edit->sites = sites;
    struct cf_site site = {pc, where, order, 0, s};
    sites[count] = site;
    edit->sites_count = count + 1;
    // What falls in runs the snippet, jumps do not.
    edit->code.marks[pc] |= where == CF_ENTRY ? CF_MARK_EDIT | CF_MARK_SPLIT : CF_MARK_EDIT;
}

// Fills phases and delegates; does nothing if the method is no constructor (constructor.c).
enum cf_status cf_find_constructor(struct cf_edit *edit);
static inline enum cf_status cf_edit_constructor(struct cf_edit *edit) {
    return edit->phases_known ? edit->error.status : cf_find_constructor(edit);
}

static inline void cf_add_thrown(struct cf_edit *edit, const struct cf_snippet ***list,
                                 uint32_t *count, const struct cf_snippet *s) {
    if (cf_edit_constructor(edit) != CF_OK || s == &edit->nowhere) return;
    const struct cf_snippet **larger =
        cf_one_more(edit, (void *)(uintptr_t)*list, *count, 2, sizeof *larger);
    if (!larger) return;
    *list = larger;
    larger[(*count)++] = s;
}

struct cf_snippet *cf_snippet_nowhere(struct cf_edit *edit, enum cf_status status,
                                      const char *reason);
// An empty snippet, owned by the edit; out of memory: one that spoils the edit.
static inline struct cf_snippet *cf_snippet_new(struct cf_edit *edit) {
    struct cf_snippet *s = cf_arena_alloc(edit->code.cls->arena, sizeof *s + CF_SNIPPET_ROOM);
    if (!s) return cf_snippet_nowhere(edit, CF_NO_MEMORY, "out of memory");
    memset(&s->length, 0, sizeof *s - offsetof(struct cf_snippet, length));
    s->edit = edit;
    s->bytes = (uint8_t *)(s + 1);
    s->capacity = CF_SNIPPET_ROOM;
    s->first_new_local = edit->code.max_locals;
    return s;
}

// --- anchors ---

// At the method's entry, before its first instruction; loops to the first instruction do not run
// it. In a constructor `this` is not initialised there.
static inline void cf_insert_entry(struct cf_edit *edit, const struct cf_snippet *s) {
    cf_add_site(edit, 0, CF_ENTRY, edit->nesting, s);
}
// In a constructor right after each delegate call (super(...) or this(...)). Returns 0, and inserts
// nothing, when the method is none or, as java.lang.Object's, has no such call.
int cf_insert_constructed(struct cf_edit *edit, const struct cf_snippet *s);
// Around an instruction, by index. `after` runs when the instruction falls through.
void cf_insert_before(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s);
void cf_insert_after(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s);
// Instead of an instruction; the snippet has its effect on the stack.
void cf_replace(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s);
// Before every xreturn; the value to be returned is on the stack and stays there.
static inline void cf_insert_exits(struct cf_edit *edit, const struct cf_snippet *s) {
    for (uint32_t i = 0; i < edit->code.returns_count; i++)
        cf_add_site(edit, edit->code.returns[i], CF_EXIT, -edit->nesting, s);
}
// When an exception leaves the method: it is on the stack, and stays there; it is thrown on
// afterwards. Exceptions of inserted exit code do not count. In a constructor: once `this` is
// initialised; for what is thrown before the delegate call see below, for what comes out of that
// call there is no way.
static inline void cf_insert_thrown(struct cf_edit *edit, const struct cf_snippet *s) {
    cf_add_thrown(edit, &edit->thrown, &edit->thrown_count, s);
}
// In a constructor, when an exception leaves before the delegate call.
static inline void cf_insert_thrown_early(struct cf_edit *edit, const struct cf_snippet *s) {
    cf_add_thrown(edit, &edit->thrown_early, &edit->thrown_early_count, s);
}
// On the way from a branch or switch to one of its targets, both by index; all cases of a switch
// that lead there.
void cf_insert_edge(struct cf_edit *edit, uint32_t from, uint32_t to, const struct cf_snippet *s);

// --- used among the parts of the editor ---

// Fills depths, of all the code (depth.c). UINT16_MAX: not reachable as far as can be seen.
enum cf_status cf_edit_depths(struct cf_edit *edit);
// The depth at some pcs, asked for in ascending order: known from the frame before each.
struct cf_depth {
    struct cf_edit *edit;
    uint32_t pc, depth;  // where it is known
    uint32_t next_place; // behind that, by index
    int whole;
};
enum cf_status cf_depth_start(struct cf_depth *depth, struct cf_edit *edit);
enum cf_status cf_depth_at(struct cf_depth *depth, uint32_t pc, uint32_t *result);
// From one instruction on to another, between which nothing but the code's order leads: changes
// *depth as they change it. `code` is scanned, and of a method of the class as it was. 1, or 0: not
// known.
int cf_depth_change(struct cf_rewrite *rewrite, const struct cf_code *code, uint32_t start,
                    uint32_t end, uint32_t *depth);
// Appends the Code attribute to the class's new code (encode.c).
enum cf_status cf_edit_encode(struct cf_edit *edit, struct cf_new_code *result);

#endif
