// Editing a class: constants are appended, the code of methods gets snippets, and everything else
// stays unchanged byte for byte.
//
//      struct cf_rewrite rewrite;
//      cf_rewrite_begin(&rewrite, &cls);
//      for each method with code:
//          struct cf_edit *edit;
//          if (cf_edit_begin(&rewrite, method, &edit) == CF_OK) {
//              ... anchor snippets ...
//              if (cf_edit_commit(edit) != CF_OK) ... skipped: see edit->error ...
//          }
//      cf_rewrite_encode(&rewrite, malloc_like, context, &bytes, &length);
//
// Snippets are anchored to the original instructions. Several at one instruction `i` run in this
// order; a label or frame at `i` moves to the mark `>`:
//
//      after(i-1), innermost pass first          (not run by jumps to i)
//      entry, constructed                        (not run by jumps to i)
//    > before(i), outermost pass first           (run by jumps to i too)
//      exit, innermost pass first                (run by jumps to i too)
//      instruction i, or its replacement
//
// Passes nest: the first to edit is outermost; it enters first and leaves last. An early return at
// the entry runs the exits of the passes that have entered by then, innermost first, and returns:
// passes further inside neither enter nor leave.
//
// A range of the exception table that begins at `i` begins at the mark, and one that ends at `i`
// covers after(i-1) too. Monitors are the exception. HotSpot compiles a method only if a handler
// of any type covers everything that may throw while a monitor is held, and if each handler is
// reached with the same monitors on all ways. A call or a field access may throw. Otherwise the
// method is interpreted for ever ("COMPILE SKIPPED: cannot parse method", "unbalanced monitors",
// "invalid parsing"). Hence
//
//      after(monitorenter)   is covered by a handler of any type that begins behind it,
//      after(monitorexit)    is not covered by a handler of any type that ends behind it,
//      before(return)        is not covered by a handler of any type if only loads and constants
//                            come between monitorexit and the return,
//      before(goto)          is not covered by a handler of any type whose range begins or ends with it,
//                            if only these come between monitorexit and the goto,
//      before(handler)       is covered by that handler only if its range includes its own first
//                            instruction, as with javac. With other compilers a monitor is held
//                            there and nothing covers it: the snippet has to catch what it throws
//                            (cf_handler_at_depth).
//
// A range whose last instruction changes the type of a local, a store or the call of super() or this(),
// ends before after(i-1): the handler has to fit what was there before the instruction alone (JVMS 4.10.1.4),
// and may need the type that is gone. It does not where the next range goes on with the same handler.
//
// A range that includes the first instruction of its handler ends before after(i-1), too. javac makes
// such a range for what cannot throw: where the handler of a finally block stores the exception. C1
// gives up a method in which something there can throw ("exception handler covers itself").

#ifndef CF_EDIT_H
#define CF_EDIT_H

#include "classfile/decls.h"
#include "classfile/pool.h"
#include "classfile/snippet.h"

CF_BEGIN_DECLS

struct cf_edit;

struct cf_buffer { // grows in the class's arena
    struct cf_edit *edit;
    uint8_t *bytes;
    uint32_t length, capacity;
};

// The encoded Code attribute_info of a method, with `lead` bytes of the class before it. length ==
// 0: unchanged.
struct cf_new_code {
    uint32_t at, length; // in cf_rewrite.out
    uint32_t lead;
    // The new parts of it: the snippets at the edit's sites, and all from body_end on.
    const struct cf_edit *edit;
    uint32_t body_end;
};

struct cf_rewrite {
    struct cf_class *cls;
    struct cf_pool pool;
    struct cf_new_code *code; // per method
    // The new code of all methods, with the bytes of the class between them, so that it can mostly
    // be copied as one block. `passed`: the offset in the class behind the last method.
    struct cf_buffer out;
    uint32_t passed;
    uint32_t methods_changed;
    int64_t added;                 // bytes of code attributes
    uint16_t utf8_stack_map_table; // 0: absent
    uint16_t throwable;            // the constant java/lang/Throwable, once added
    uint16_t integer;              // the Integer constant that was pushed last, and its value
    int32_t integer_value;
    int16_t *effects;            // stack effect of references, by index; filled on demand
    struct cf_pool_mark callees; // behind the last callee that was added
};

// CF_EDGES: the edges of the switch above, which does not fall through (edge_snippets.c).
enum cf_where { CF_EDGES, CF_AFTER, CF_ENTRY, CF_BEFORE, CF_EXIT, CF_REPLACE };

struct cf_site {
    uint32_t pc;
    enum cf_where where;
    int32_t order; // among sites of the same pc and kind
    uint32_t at;   // new pc, once the method is laid out
    const struct cf_snippet *snippet;
};

// An entry snippet that may return from the method (early_return.c).
struct cf_early_return {
    struct cf_snippet *snippet;
    uint32_t go_on; // label
    int32_t nesting;
    uint32_t own_length; // without the exits and the return
};

struct cf_edge { // a branch from one instruction to another
    uint32_t pc, target;
    uint32_t behind; // a switch: the pc behind it, if the edge is placed there; 0: it is not
    const struct cf_snippet *snippet;
};

// The position of a stack map frame, and the depth of the operand stack there (at most 65,535).
struct cf_place {
    uint16_t pc, depth;
};

struct cf_new_local {
    uint32_t index;
    int32_t nesting; // of the pass
    struct cf_type type;
};

// A snippet for exceptions, and the nesting of its pass.
struct cf_thrown {
    const struct cf_snippet *snippet;
    int32_t nesting;
};

// The state of a constructor's `this`, in pc order (constructor_phases.c).
struct cf_phase {
    uint32_t start, end; // pcs
    int initialized;
};

enum { CF_LEVELS = 256 };

struct cf_edit {
    struct cf_rewrite *rewrite;
    const struct cf_member *method;
    struct cf_code code; // the original, opened and scanned
    // The maximum code length; 65,535 unless a pass sets less.
    uint32_t code_limit;

    // Set by the functions below and read by the encoder.
    uint32_t next_local;
    struct cf_pool_mark mark;
    struct cf_site *sites;
    struct cf_new_local *locals;
    struct cf_thrown *thrown, *thrown_early;
    // From here up to `nowhere` everything is zero at first.
    struct cf_error error; // of this method
    uint32_t snippets_count;
    // Of the current pass, 0 is outermost; set by the caller of the pass. What a pass edits at
    // several levels may be at `nesting` to `nesting + CF_LEVELS - 1`.
    int32_t nesting;
    uint32_t early_returns_count, unplaced_count;
    uint32_t sites_count, edges_count, thrown_count, thrown_early_count, locals_count;
    uint32_t phases_count, delegates_count, places_count;
    int constructor;    // 1: a constructor (not that of Object); phases and delegates are known
    int phases_known;   // whether it is a constructor was determined
    int snippets_throw; // see cf_edit_snippets_throw
    int early_entry;    // thrown_early is for the entry only, not for the body
    // The new pc after the last `constructed` snippet; the code's length if there is no delegate
    // call; 0: not a constructor.
    uint32_t constructed_pc;
    struct cf_edge *edges;
    struct cf_early_return *early_returns;
    struct cf_site *unplaced; // exits in a method without returns: early returns run them
    struct cf_phase *phases;
    uint32_t *delegates;     // pcs of the constructor's delegate calls
    struct cf_place *places; // of the original stack map frames, once read
    uint16_t *depths;        // of the operand stack before each instruction, by pc (cf_edit_depth)
    // A snippet for an edit that has failed; it is never anchored. From here on nothing is cleared.
    struct cf_snippet nowhere;
    uint8_t nowhere_bytes[CF_SNIPPET_ROOM];
    // Initial memory of the lists: most methods need no more.
    struct cf_site first_sites[4];
    struct cf_new_local first_locals[2];
    struct cf_thrown first_thrown[2], first_thrown_early[2];
};

// Starts on an opened class, which is not changed.
enum cf_status cf_rewrite_begin(struct cf_rewrite *rewrite, struct cf_class *cls);
// Writes the class; without changes an identical copy. `allocate` returns the memory for the
// result, which the caller owns.
enum cf_status cf_rewrite_encode(struct cf_rewrite *rewrite,
                                 void *(*allocate)(void *context, size_t size), void *context,
                                 uint8_t **bytes, size_t *length);

// Adds the constant of the static method class_name.name:descriptor, with internal names such as
// "com/acme/Counter". A callee is valid as long as the rewrite: its constants, and those added before it,
// stay even if an edit fails.
struct cf_callee cf_callee_new(struct cf_rewrite *rewrite, const char *class_name, const char *name,
                               const char *descriptor);

enum { CF_CALLEES = 16 };
// The same for several methods, at most CF_CALLEES (cf_add_methods). Returns 1, or 0: no room.
int cf_callees_new(struct cf_rewrite *rewrite, const struct cf_method_name *names, unsigned count,
                   struct cf_callee *callees);

// Callees and their constants, to be added to other classes as a block.
struct cf_callees {
    const struct cf_method_name *names;    // set and compared by the caller
    unsigned count;                        // 0: none
    struct cf_callee relative[CF_CALLEES]; // methodrefs relative to the block's first entry
    struct cf_block block;
};
// Stores the callees that were added to the class's pool since the mark; count is 0 if they do not
// fit into a block.
void cf_callees_keep(struct cf_callees *kept, const struct cf_rewrite *rewrite,
                     struct cf_pool_mark since, const struct cf_callee *callees, unsigned count);
// Adds stored callees. Returns 1, or 0: no room.
int cf_callees_again(struct cf_rewrite *rewrite, const struct cf_callees *kept,
                     struct cf_callee *callees);

// Opens and scans the code of a method. The edit lives in the class's arena. Unless memory ran out, *result is
// set on an error, too, and what is anchored there is dropped. CF_MISUSE: the method has no code, or is
// that of another class.
enum cf_status cf_edit_begin(struct cf_rewrite *rewrite, const struct cf_member *method,
                             struct cf_edit **result);
enum { CF_EDITS = 16 };
// The same for several methods, at most CF_EDITS, which is faster. edits[i] is NULL when out of
// memory; otherwise its error says whether it has begun. cf_edit_keep_constants must be called for
// an edit before it is used.
void cf_edits_begin(struct cf_rewrite *rewrite, const struct cf_member *const *methods,
                    uint32_t count, struct cf_edit **edits);
// Encodes the method. On an error the method stays unchanged, constants added since begin are
// removed (except callees), and edit->error has the reason. Without an anchored snippet nothing changes.
enum cf_status cf_edit_commit(struct cf_edit *edit);
// Discards the edit and its constants, except callees.
void cf_edit_abandon(struct cf_edit *edit);
// Keeps the constants added so far even if the edit fails. To be called before the edit is
// committed or abandoned if an edit of another method has begun in the meantime.
void cf_edit_keep_constants(struct cf_edit *edit);

// A new local variable for the pass, beyond those of the method. `descriptor` is a field
// descriptor. With `live` an entry snippet must store it: it then keeps its value throughout the
// method, including exits and handlers. Otherwise it is valid within one snippet only.
uint32_t cf_new_local_of(struct cf_edit *edit, const char *descriptor, int live);
static inline uint32_t cf_new_local(struct cf_edit *edit, const char *descriptor, int live) {
    // The usual case, with a literal that the compiler can evaluate.
    if (descriptor[0] != 'J' || descriptor[1] != 0 || !live || edit->locals_count > 1 ||
        edit->next_local > 65000)
        return cf_new_local_of(edit, descriptor, live);
    struct cf_new_local *local = &edit->locals[edit->locals_count++];
    memset(local, 0, sizeof *local);
    local->type.tag = CF_TYPE_LONG;
    local->nesting = edit->nesting;
    local->index = edit->next_local;
    edit->next_local += 2;
    return local->index;
}

// --- helpers of the anchors below ---

// Room for one more entry in a list that doubles when it is full: at `room`, a power of two, and at
// every later power. NULL: out of memory, the edit has failed.
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
    struct cf_site *sites =
        (struct cf_site *)cf_one_more(edit, edit->sites, count, 4, sizeof *sites);
    if (!sites) return;
    edit->sites = sites;
    struct cf_site site = {pc, where, order, 0, s};
    sites[count] = site;
    edit->sites_count = count + 1;
    // Fall-through runs the snippet, jumps do not.
    edit->code.marks[pc] |= where == CF_ENTRY ? CF_MARK_EDIT | CF_MARK_SPLIT : CF_MARK_EDIT;
}

// Finds phases and delegates; does nothing if the method is not a constructor.
enum cf_status cf_find_constructor(struct cf_edit *edit);
static inline enum cf_status cf_edit_constructor(struct cf_edit *edit) {
    return edit->phases_known ? edit->error.status : cf_find_constructor(edit);
}

static inline void cf_add_thrown(struct cf_edit *edit, struct cf_thrown **list, uint32_t *count,
                                 const struct cf_snippet *s) {
    if (cf_edit_constructor(edit) != CF_OK || s == &edit->nowhere) return;
    struct cf_thrown *larger =
        (struct cf_thrown *)cf_one_more(edit, *list, *count, 2, sizeof *larger);
    if (!larger) return;
    *list = larger;
    struct cf_thrown thrown = {s, edit->nesting};
    larger[(*count)++] = thrown;
}

struct cf_snippet *cf_snippet_nowhere(struct cf_edit *edit, enum cf_status status,
                                      const char *reason);
// An empty snippet, owned by the edit; when out of memory the edit fails.
static inline struct cf_snippet *cf_snippet_new(struct cf_edit *edit) {
    struct cf_snippet *s =
        (struct cf_snippet *)cf_arena_alloc(edit->code.cls->arena, sizeof *s + CF_SNIPPET_ROOM);
    if (!s) return cf_snippet_nowhere(edit, CF_NO_MEMORY, "out of memory");
    memset(&s->length, 0, sizeof *s - offsetof(struct cf_snippet, length));
    s->number = ++edit->snippets_count;
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
// The same for a snippet that may return from the method. It ends with the method's result on the
// stack, nothing in a void method; the editor adds the exits of the passes that have entered, those
// of this pass included, and the return. To go on into the method the snippet branches to `go_on`,
// its label, which the editor places, with nothing on the stack. The edit of a constructor fails: it
// cannot return before it has called another.
void cf_insert_early_return(struct cf_edit *edit, struct cf_snippet *s, uint32_t go_on);
// In a constructor right after each delegate call (super(...) or this(...)). Returns 0, and inserts
// nothing, if the method is not a constructor or has no such call, as that of java.lang.Object.
int cf_insert_constructed(struct cf_edit *edit, const struct cf_snippet *s);
// In front of all that cf_insert_constructed inserts there.
void cf_insert_constructed_first(struct cf_edit *edit, const struct cf_snippet *s);
// Before or after an instruction, by index. `after` runs if the instruction falls through.
void cf_insert_before(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s);
void cf_insert_after(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s);
// Instead of an instruction; the snippet must have the same effect on the stack. An empty one removes an
// instruction without any. In place of a `new` there is one, of the same class if there are several: what
// it makes is what the frames of the method call uninitialized. In place of a jump, a branch to an original
// instruction runs the snippets on that edge (cf_insert_edge).
void cf_replace(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s);
// What replaces an instruction already, which is not anchored any more; NULL: nothing does. A pass that
// wants to replace it, too, appends it to its own snippet (cf_snippet_append) as if it were the
// instruction: it is around the other then.
const struct cf_snippet *cf_take_replacement(struct cf_edit *edit, uint32_t instruction);
void cf_keep_exit(struct cf_edit *edit, const struct cf_snippet *s);
// Before every xreturn, and in early returns; the result is on the stack and stays there.
static inline void cf_insert_exits(struct cf_edit *edit, const struct cf_snippet *s) {
    if (!edit->code.returns_count) cf_keep_exit(edit, s);
    for (uint32_t i = 0; i < edit->code.returns_count; i++)
        cf_add_site(edit, edit->code.returns[i], CF_EXIT, -edit->nesting, s);
}
// When an exception leaves the method: it is on the stack, stays there, and is rethrown afterwards.
// Exceptions of inserted exit code are not covered. In a constructor: once `this` is initialized;
// for exceptions before the delegate call see below. Exceptions out of that call cannot be covered.
static inline void cf_insert_thrown(struct cf_edit *edit, const struct cf_snippet *s) {
    cf_add_thrown(edit, &edit->thrown, &edit->thrown_count, s);
}
// In a constructor, when an exception leaves before the delegate call.
static inline void cf_insert_thrown_early(struct cf_edit *edit, const struct cf_snippet *s) {
    cf_add_thrown(edit, &edit->thrown_early, &edit->thrown_early_count, s);
}
// For passes whose snippets throw exceptions that leave the method. What a snippet of any pass
// throws at the entry, at a return or in a handler then runs the handlers of the passes outside it,
// which have entered. Otherwise it leaves the method at once.
static inline void cf_edit_snippets_throw(struct cf_edit *edit) {
    edit->snippets_throw = 1;
}
// On the edge from a branch or switch to one of its targets, both by index; for a switch, on all
// cases that lead there. The edit fails where there is no such edge.
void cf_insert_edge(struct cf_edit *edit, uint32_t from, uint32_t to, const struct cf_snippet *s);

// --- for the files of the editor ---

// Sets depths for all code. UINT16_MAX: not known to be reachable.
enum cf_status cf_edit_depths(struct cf_edit *edit);
// The depth at pcs in ascending order, found from the frame before each.
struct cf_depth {
    struct cf_edit *edit;
    uint32_t pc, depth;  // where it is known
    uint32_t next_place; // behind that, by index
    int whole;
};
enum cf_status cf_depth_start(struct cf_depth *depth, struct cf_edit *edit);
enum cf_status cf_depth_at(struct cf_depth *depth, uint32_t pc, uint32_t *result);
// Applies the instructions between two pcs of straight-line code to *depth. `code` is the scanned
// code of an original method. Returns 1, or 0: not known.
int cf_depth_change(struct cf_rewrite *rewrite, const struct cf_code *code, uint32_t start,
                    uint32_t end, uint32_t *depth);
// Appends the Code attribute to the class's new code.
enum cf_status cf_edit_encode(struct cf_edit *edit, struct cf_new_code *result);

CF_END_DECLS

#endif
