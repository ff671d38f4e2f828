// A rewriter pass: one value, one file, one row in rewriters.h. A pass does not emit a class: it
// looks at a method and anchors snippets to its original instructions (classfile/edit.h); the
// engine encodes the method once, with the snippets of all passes in it.

#ifndef RW_REWRITER_H
#define RW_REWRITER_H

#include "classfile/edit.h"
#include "classfile/inline.h"

struct rw_implications; // derived.h

enum {
    // The pass only observes: a method that would grow past HotSpot's HugeMethodLimit (8,000 bytes,
    // never compiled) is kept as it was, unless huge=yes.
    RW_OBSERVES_SPEED = 1,
    // The pass's result must be whole: a method grows past that limit if it must. Where other
    // passes
    // cannot have their snippets in it, it is edited by such passes alone.
    RW_COMPLETE = 2,
    // Its results have no table: there is no option `top`.
    RW_NO_TABLE = 4,
    // It gets classes without subroutines (jsr, ret): they were inlined before
    // (classfile/inline.h).
    RW_INLINED = 8,
    // The option `methods` says which methods the pass takes (rewriters/watch.h), and by that which
    // classes.
    RW_NAMES_METHODS = 16,
    // It has no results: no options `file` and `top`.
    RW_NO_RESULTS = 32
};

// An option of a pass, written `pass.key=value`. Every pass has `file` and `top` without naming
// them.
struct rw_option {
    const char *key;
    const char *argument; // what the help shows: N, yes|no; FILE and SIZE are checked, as words are
    const char *help;     // one line
};

// How many constant pool indexes a pass may remember for the class at hand.
#define RW_REFS 12

// A class in the hands of a pass. Made anew for each class and each pass.
struct rw_class {
    struct cf_rewrite *rewrite;
    const char *runtime_package;       // "java/lang/", where the runtime's classes live
    int one_holder;                    // probes have one class for all (coverage.h)
    struct cf_callee callees[RW_REFS]; // the pass's own memory, zero at first
    struct cf_callees *kept;           // the same, from a class before; may be NULL
    const struct cf_inlined *inlined;  // with RW_INLINED
    // The class file, where the class came otherwise: put together by the JVM, or changed by
    // another agent; its methods may stand in another order there. NULL: it is what came.
    const struct cf_class *file;
    const struct cf_inlined *file_inlined;
    // Gives the number by which inserted code names this method to the runtime; < 0: none is left.
    int (*method_id)(struct rw_class *cls, const struct cf_member *method);
    // The same for a place in the method that is being edited: the instruction at `pc` of its
    // original code, and what there is to say of it (`detail`: the class that is instantiated,
    // say). A class that is transformed again has the same numbers; methods and sites share them.
    // Results tell the line too (instr/id_registry.h: instr_methods_get).
    int (*site_id)(struct rw_class *cls, const struct cf_edit *edit, uint32_t pc,
                   struct cf_slice detail);
    // Reserves `count` probes, numbered without a gap, for the class at hand, known by its bytes as
    // they came, or by those of its class file. The same class gets the same again. Returns the
    // number of the first; < 0: none is left, or there is no memory.
    int64_t (*probes)(struct rw_class *cls, uint32_t count, int of_file);
    // Says which of them need no code (derived.h), by the numbers of all; of the class whose first
    // is `first`, even if there are none. 0: each needs its code.
    int (*imply)(struct rw_class *cls, uint32_t first, const struct rw_implications *derived);
    // Gives the number by which inserted code counts how often a probe is passed, `number` being
    // the probe's own; < 0: none is left.
    int (*probe_counter)(struct rw_class *cls, const struct cf_edit *edit, uint32_t number);
    // The pass's own option `key`; NULL: not given.
    const char *(*option)(const struct rw_class *cls, const char *key);
    int forced; // the class is out of scope, and here because of rw_pass.forces
    int early;    // the code may run before the runtime is there: only of passes that wrap
    void *memory; // the pass's own for this class, NULL at first; the class's arena lives as long
    void *engine; // for the functions above
};

struct rw_pass {
    const char *name;
    const char *help; // one line
    unsigned flags;
    const struct rw_option *options;  // ends with key == NULL; may be NULL
    const char *file_help;            // of the option `file`; NULL: as with most passes
    int timed;                        // its results have times
    const char *needs_agent;          // why files cannot be rewritten with the pass; NULL: they can
    const char *const *agent_options; // options that files cannot be rewritten with; NULL ends them
    const char *runtime_class; // the class of the runtime that inserted code calls, without package
    // Looks at the class before its methods are edited. NULL: nothing to do. Any error keeps the
    // class as it was, and is reported with rewrite->cls->error.
    enum cf_status (*begin)(struct rw_class *cls);
    // A pass that wraps native methods has this: says of a native method whether it shall have a
    // wrapper, a method in its place that calls it (classfile/wrap.h). Wrappers are what `edit`
    // then gets, and nothing else; no other pass sees them. It must say the same whenever the class
    // comes again. 0: it is left alone, and *why says why, for the results. NULL: no such pass.
    int (*wraps)(struct rw_class *cls, const struct cf_member *native, const char **why);
    // Says of a class of the JDK, by its internal name, whether the pass needs it whatever include=
    // says (not against exclude=): cls->forced is 1 then. NULL: it needs none.
    int (*forces)(const char *name);
    // Edits one method that has code. CF_OK: done, or nothing to do. Any error keeps the method as
    // it was, without the snippets of any pass, and is reported with edit->error.
    enum cf_status (*edit)(struct rw_class *cls, struct cf_edit *edit);
};

// All passes, in the order of rewriters.h; ends with a NULL.
extern const struct rw_pass *const rw_passes[];

// The pass named so (`length` bytes), or NULL.
const struct rw_pass *rw_pass_named(const char *name, size_t length);

#endif
