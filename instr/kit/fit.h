// fit.h: which classes and methods an advice applies to

#ifndef INSTR_KIT_FIT_H
#define INSTR_KIT_FIT_H

#include "instr/kit/kit.h"
#include "rewriters/rewriter.h"

// Is the class of this internal name one of the target's? For a target with `subtypes` ask for the names of all
// supertypes, too.
static inline bool instr_kit_names_class(const struct instr_kit_target *target, const char *name,
                                         size_t length) {
    return instr_match(target->classes, name, length);
}

// Is it the class itself, or a supertype of it, as far as they are known (NULL: none is)?
static inline bool instr_kit_names_any(const struct instr_kit_target *target, const char *name,
                                       size_t length, const struct rw_supertypes *supertypes) {
    return instr_kit_names_class(target, name, length) ||
           (target->subtypes && supertypes &&
            instr_match_any(target->classes, supertypes->names, supertypes->count));
}

// Do name and argument types of the method match?
static inline bool instr_kit_names_method(const struct instr_kit_target *target,
                                          struct cf_slice name, struct cf_slice descriptor) {
    return rw_watch_method_matches(&target->pattern, name, descriptor);
}

// Has the method the annotations that the advice asks for, on itself and on its class?
bool instr_kit_annotated(const struct instr_kit_advice *advice, const struct cf_class *cls,
                         const struct cf_member *method);

// Is the method, of a class with these supertypes (NULL: unknown), named by one of the advice's patterns, and has it the
// annotations?
bool instr_kit_is_target(const struct instr_kit_advice *advice, const struct cf_class *cls,
                         const struct cf_member *method, const struct rw_supertypes *supertypes);

// Does the advice apply to classes of a loader of this class (internal name; NULL: bootstrap loader)?
bool instr_kit_in_loader(const struct instr_kit_advice *advice, const char *loader);

// What is advised, or called.
struct instr_kit_subject {
    struct cf_slice name, descriptor;
    bool is_static;
    struct cf_slice owner;      // the class of the method, as a call names it
    const struct cf_class *cls; // NULL: unknown, as at a call; then there are no fields
};

// Can the methods of the advice be called for the subject? Returns NULL; or what does not fit, a sentence that begins
// with file and line of the advice method.
const char *instr_kit_misfit(const struct instr_kit_advice *advice,
                             const struct instr_kit_subject *subject, char *reason, size_t size);

// Does the advice, which is for calls, name this one? Constructors and methods of arrays are not called so.
static inline bool instr_kit_names_call(const struct instr_kit_advice *advice,
                                        struct cf_slice owner, struct cf_slice name,
                                        struct cf_slice descriptor) {
    if (!owner.length || owner.bytes[0] == '[' || CF_IS(name, "<init>")) return false;
    for (size_t i = 0; i < advice->target_count; i++)
        if (instr_kit_names_class(&advice->targets[i], (const char *)owner.bytes, owner.length) &&
            instr_kit_names_method(&advice->targets[i], name, descriptor))
            return true;
    return false;
}

#endif
