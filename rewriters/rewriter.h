// A rewriter pass is one value, one file, and one row in rewriters.h:
//
//      original method -> pass 1, pass 2, ... anchor snippets -> encoded once by the engine
//
// A pass does not write classes. It reads a method and anchors snippets to the original
// instructions (classfile/edit.h); the engine encodes the method once, with the snippets of all
// passes.

#ifndef RW_REWRITER_H
#define RW_REWRITER_H

#include "classfile/edit.h"
#include "classfile/inline.h"

struct rw_implications; // derived.h

enum {
    // The pass measures speed: a method that would grow past HotSpot's HugeMethodLimit (8,000
    // bytes; larger methods are never compiled) is skipped, unless huge=yes.
    RW_OBSERVES_SPEED = 1,
    // The result of the pass must be complete: methods may grow past that limit. If other passes do
    // not fit into a method, only passes with this flag edit it.
    RW_COMPLETE = 2,
    // The results have no table, so there is no option `top`.
    RW_NO_TABLE = 4,
    // Subroutines (jsr, ret) are inlined before the pass gets the class (classfile/inline.h).
    RW_INLINED = 8,
    // The option `methods` selects the methods (rewriters/watch_methods.h), and so the classes.
    RW_NAMES_METHODS = 16,
    // The pass has no results, so there are no options `file` and `top`.
    RW_NO_RESULTS = 32
};

// An option of a pass, written `pass.key=value`. Passes have `file` and `top` without listing them.
struct rw_option {
    const char *key;
    const char *argument; // as in the help: N, yes|no. Words, FILE and SIZE are checked
    const char *help;     // one line
};

// The number of callees that a pass can remember for a class.
#define RW_REFS 12

// A class and a pass that edits it; made for each pair.
struct rw_class {
    struct cf_rewrite *rewrite;
    const char *runtime_package;       // "java/lang/": the package of the runtime's classes
    int one_holder;                    // one class holds all probe arrays (coverage.h)
    struct cf_callee callees[RW_REFS]; // for the pass, zero at first
    struct cf_callees *cached;         // the callees of an earlier class; may be NULL
    const struct cf_inlined *inlined;  // with RW_INLINED
    // The class file, if the input is something else: reconstructed by the JVM, or changed by
    // another agent. Its methods may be in another order. NULL: the input is the class file.
    const struct cf_class *file;
    const struct cf_inlined *file_inlined;
    // The id of this method for inserted code; < 0: no id is left.
    int (*method_id)(struct rw_class *cls, const struct cf_member *method);
    // The id of a site in the edited method: the instruction at `pc` of the original code, with a
    // detail such as the class that is instantiated. A class that is transformed again has the same
    // ids; methods and sites share one range of ids. Results have the line too
    // (instr/id_registry.h: instr_methods_get).
    int (*site_id)(struct rw_class *cls, const struct cf_edit *edit, uint32_t pc,
                   struct cf_slice detail);
    // Reserves `count` consecutive probes for the class, which is identified by its bytes, or by
    // those of its class file (`of_file`). The same class always gets the same probes. Returns the
    // number of the first; < 0: no probes or no memory left.
    int64_t (*probes)(struct rw_class *cls, uint32_t count, int of_file);
    // Records which probes need no code (derived.h), even if there are none, for the class whose
    // first probe is `first`. Returns 0 if each probe needs its code.
    int (*derive)(struct rw_class *cls, uint32_t first, const struct rw_implications *derived);
    // The id by which inserted code counts executions of probe `number`; < 0: no id is left.
    int (*probe_counter)(struct rw_class *cls, const struct cf_edit *edit, uint32_t number);
    // The value of the pass's own option `key`; NULL: not given.
    const char *(*option)(const struct rw_class *cls, const char *key);
    int forced;   // the class is out of scope; rw_pass.forces asked for it
    int repeated; // the same pass edits the class for another owner, too, around this one's code
    int early;    // the code may run before the runtime is loaded: only for wrapping passes
    void *memory; // for the pass, NULL at first; lives as long as the class's arena
    void *engine; // for the functions above
};

struct rw_pass {
    const char *name;
    const char *help; // one line
    unsigned flags;
    const struct rw_option *options; // ends with key == NULL; may be NULL
    const char *file_help;           // of the option `file`; NULL: the common text
    int timed;                       // its results have times
    // What an event of the pass (a call, an allocation) costs the application, in nanoseconds,
    // rounded up; max-overhead= reckons with it. 0: unknown, reckoned as a timed call.
    unsigned event_ns;
    const char *needs_agent;          // why files cannot be rewritten with the pass; NULL: they can
    const char *const *agent_options; // options that files cannot be rewritten with; NULL ends them
    const char *runtime_class; // the class of the runtime that inserted code calls, without package
    // Looks at the class before its methods are edited. NULL: nothing to do. On any error the
    // pass leaves the class out, with the reason in rewrite->cls->error; other passes go on.
    enum cf_status (*begin)(struct rw_class *cls);
    // Only passes that wrap native methods have this. Returns 1 if the native method gets a
    // wrapper, a method in its place that calls it (classfile/wrap.h); `edit` is called for the
    // wrappers only, and no other pass sees them. Returns 0 to skip the method, with the reason for
    // the results in *why. The answer must not change when the class is transformed again.
    int (*wraps)(struct rw_class *cls, const struct cf_member *native, const char **why);
    // Does the pass need this class of the JDK (an internal name), even if include= does not select
    // it? cls->forced is then 1. exclude= still removes it. NULL: the pass needs none.
    int (*forces)(const char *name);
    // Edits one method that has code. CF_OK: done, or nothing to do. On any error the method gets
    // no snippets of any pass, and the reason is in edit->error.
    enum cf_status (*edit)(struct rw_class *cls, struct cf_edit *edit);
};

// All passes, in the order of rewriters.h; ends with a NULL.
extern const struct rw_pass *const rw_passes[];

// The pass of this name (`length` bytes); NULL: none.
const struct rw_pass *rw_pass_named(const char *name, size_t length);

#endif
