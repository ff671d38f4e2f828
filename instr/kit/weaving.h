// weaving.h: what weave.c (methods) and weave_calls.c (calls) share: pushing values, and calling the bridge

#ifndef INSTR_KIT_WEAVING_H
#define INSTR_KIT_WEAVING_H

#include "instr/kit/kit.h"
#include "rewriters/rewriter.h"

enum { KIT_NAME_SIZE = 1024, KIT_MOST_ADVICES = 64 };

struct kit_argument {
    const char *type; // descriptor
    uint32_t local;
    uint32_t copy;   // local with the value behind `enter`; 0: it is not passed later
    uint32_t holder; // local with its holder, during `enter`; 0: none
};

// Locals of two slots that one call after the other uses.
struct kit_scratch {
    uint32_t first, count, used;
};

// An advice at a method or at a call.
struct kit_weaving {
    struct rw_class *cls;
    struct cf_edit *edit;
    const struct instr_kit_advice *advice;
    const char *package;
    struct cf_slice owner, name, descriptor; // of the method that is advised, or called
    bool is_static;
    struct kit_scratch *scratch; // at a call; NULL: at a method
    // Set by kit_begin.
    char bridge[KIT_NAME_SIZE];
    struct kit_argument *arguments; // their locals are set by the caller
    size_t argument_count;
    const char *result; // descriptor of the method's result
    const char *misfit; // why the advice is not called here; NULL: it is
    // Set by the caller behind it.
    uint32_t entered; // local with what `enter` returned
    uint32_t mark;    // local with what InstrKitNesting.enter returned, if the advice is outermost
    // Locals with `this` at the entry and later; the latter is null before super() has returned, and 0: not passed later.
    uint32_t self_at_entry, self;
};

// Where a snippet is: what there is to pass.
struct kit_moment {
    bool at_entry, has_this, has_result, has_thrown;
    uint32_t result, thrown; // locals
    uint32_t missed;         // local: an Object[1], for instr_kit_may_miss
};

// Fits the advice here? Otherwise w->misfit says why not.
enum cf_status kit_begin(struct kit_weaving *w);
// Notes that the advice is called from the edited method.
void kit_note_applied(const struct instr_kit *kit, const struct instr_kit_advice *advice,
                      const struct cf_edit *edit);
// Is the argument passed to other methods than `enter`?
bool kit_passes_later(const struct instr_kit_advice *advice, size_t index);
// Pushes an Object[length], or null: there is no memory for it.
void kit_push_array(const struct kit_weaving *w, struct cf_snippet *s, uint32_t length);
// A local that is valid in one snippet.
uint32_t kit_new_local(const struct kit_weaving *w, const char *type);

void kit_load(struct cf_snippet *s, const char *type, uint32_t local);
void kit_store(struct cf_snippet *s, const char *type, uint32_t local);
void kit_push_zero(struct cf_snippet *s, const char *type);
// The constant of the class that values of the type have, boxed.
uint16_t kit_class_of(const struct kit_weaving *w, const char *type);
struct cf_arena *kit_arena_of(const struct kit_weaving *w);
// A text in the arena; a template for the package of the class.
const char *kit_copied(const struct kit_weaving *w, struct cf_slice text);
const char *kit_expanded(const struct kit_weaving *w, const char *text);

// Returns whether the advice has the method. Its result is on the stack.
bool kit_push_call(const struct kit_weaving *w, struct cf_snippet *s, enum instr_kit_role role,
                   const struct kit_moment *at);
// Calls `enter`, and stores what is passed later.
void kit_push_enter(const struct kit_weaving *w, struct cf_snippet *s);
// Behind super() or this(): calls `constructed`.
void kit_push_constructed(const struct kit_weaving *w, struct cf_snippet *s);
// Branches to a new label unless what @Skip says is so, and pushes nothing as the result. UINT32_MAX: there is no @Skip.
uint32_t kit_push_skip(const struct kit_weaving *w, struct cf_snippet *s);
// Does the advice make the result as an Object, which the method does not?
bool kit_needs_cast(const struct kit_weaving *w, const char *made);
// Branches if the object in the local `value` can be cast to a type.
void kit_if_castable(const struct kit_weaving *w, struct cf_snippet *s, const char *type,
                     uint32_t value, uint32_t take);
// Pushes it, cast to the type.
void kit_push_cast(const struct kit_weaving *w, struct cf_snippet *s, const char *type,
                   uint32_t value);
// Reports, once, that the advice gives an object of a wrong type, which is on the stack.
void kit_push_wrong(const struct kit_weaving *w, struct cf_snippet *s);
// Calls `returned` and `exit`; the result on the stack may be another one then.
void kit_push_returned(const struct kit_weaving *w, struct cf_snippet *s);
// Calls `thrown` and `exit`; the exception stays on the stack.
void kit_push_thrown(const struct kit_weaving *w, struct cf_snippet *s, bool has_this);

#endif
