// A rewriter pass is one value: a file and a row in rewriters.h, or made while the program runs:
//
//      original method -> pass 1, pass 2, ... anchor snippets -> encoded once by the engine
//
// A pass does not write classes. It reads a method and anchors snippets to the original
// instructions (classfile/edit.h); the engine encodes the method once, with the snippets of all
// passes.

#ifndef RW_REWRITER_H
#define RW_REWRITER_H

#include "classfile/decls.h"
#include "classfile/edit.h"
#include "classfile/inline.h"

#include <stddef.h>

CF_BEGIN_DECLS

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
    // The pass selects its classes itself: by rw_pass.classes, or by its option `methods`
    // (rewriters/watch_methods.h).
    RW_NAMES_METHODS = 16,
    // The pass has no results, so there are no options `file` and `top`.
    RW_NO_RESULTS = 32,
    // Its code may end a call with an exception before the method runs, or as it ends. So it lies
    // outside that of passes without this flag: those that have entered leave.
    RW_PREVENTS = 64,
    // With rw_pass.wraps: the pass edits the wrappers of native methods, and nothing else.
    RW_ONLY_WRAPPERS = 128
};

// An option of a pass, written `pass.key=value`. Passes have `file` and `top` without listing them.
struct rw_option {
    const char *key;
    const char *argument; // as in the help: N, yes|no. Words, FILE, SIZE and TESTS are checked
    const char *help;     // one line
};

// The number of callees that a pass can remember for a class.
#define RW_REFS 16

// The names of a class and of its supertypes, as far as they are known, internal.
struct rw_supertypes {
    const char *const *names;
    size_t count;
};

// A class and a pass that edits it; made for each pair.
struct rw_class {
    const struct rw_pass *pass;
    struct cf_rewrite *rewrite;
    const char *runtime_package;       // "java/lang/": the package of the runtime's classes
    struct cf_callee callees[RW_REFS]; // for the pass, zero at first
    struct cf_callees *cached;         // the callees of an earlier class; may be NULL
    const struct cf_inlined *inlined;  // with RW_INLINED
    // The class file, if the input is something else: reconstructed by the JVM, or changed by
    // another agent. Its methods may be in another order. NULL: the input is the class file.
    const struct cf_class *file;
    const struct cf_inlined *file_inlined;
    // The id of this method for inserted code; < 0: no id is left.
    int (*method_id)(struct rw_class *cls, const struct cf_member *method);
    // Whether the calls of the method with this id are never timed, but only counted. NULL: nobody
    // wants to know.
    void (*note_untimed)(struct rw_class *cls, int id, int untimed);
    // Lists the edited method among those that are skipped, though the pass edits it: a part of what the pass does
    // is left out there.
    void (*note_left_out)(struct rw_class *cls, const struct cf_edit *edit, const char *reason);
    // The id of a site in the edited method: the instruction at `pc` of the original code, with a
    // detail such as the class that is instantiated. A class that is transformed again has the same
    // ids; methods and sites share one range of ids. Results have the line too
    // (instr/id_registry.h: instr_methods_get).
    int (*site_id)(struct rw_class *cls, const struct cf_edit *edit, uint32_t pc,
                   struct cf_slice detail);
    // What one pass alone needs, by name: "coverage" is a struct rw_coverage_service (coverage.h),
    // "supertypes" a struct rw_supertypes, for passes with rw_pass.supertypes; "note" is a uint64_t
    // from the agent's half of the pass (instr_candidate.note); "wrapper" is there while the wrapper
    // of a native method is edited; "calls" and "timing" are the first such pass that edits the method,
    // too, as a struct rw_class. NULL: it is not offered here.
    const void *(*service)(const struct rw_class *cls, const char *name);
    // The value of the pass's own option `key`; NULL: not given.
    const char *(*option)(const struct rw_class *cls, const char *key);
    int forced; // the class is out of scope; rw_pass.forces asked for it
    int within; // the code of another pass does what this one would insert into the current method
    int repeated; // the same pass edits the class for another owner, too, around this one's code
    int offline;  // a file is rewritten beforehand: the code runs without an agent
    int early;    // the code may run before the runtime is loaded: only for wrapping passes
    void *memory; // for the pass, NULL at first; lives as long as the class's arena
    void *engine; // for the functions above
};

// What is beside a pass that is made while the program runs: from a rule, a kit, a plug-in.
struct rw_made {
    const char *kind; // the option that made it: "rule"
    char name[33];    // rw_pass.name points here
    char *text;       // a value of that option that makes this pass alone
    unsigned needs;   // what the option allow= must name: bits, in the order of its words
    // ns until it is switched off, if it is switched on late and has no other time; that of the owner's passes does not
    // count then. 0: it ends as these do.
    uint64_t lease;
    // Passes are freed when nothing holds them any more: options hold those that are on.
    unsigned holders;                         // changed by atomic operations only
    void (*free)(const struct rw_pass *pass); // frees the pass, this and the text
    int numbered;                             // 1: its name is its kind and a number
    int of_command;   // 1: a command has made it (watch, top), which ends it and shows its results
    uint64_t content; // hash of the files that the text names; 0: none
};

struct rw_pass {
    const char *name;
    const char *help; // one line
    unsigned flags;
    const struct rw_option *options; // ends with key == NULL; may be NULL
    const char *file_help;           // of the option `file`; NULL: the common text
    int timed;                       // its results have times
    // What an event of the pass (a call, an allocation) costs the application, in nanoseconds,
    // rounded up; max-overhead= reckons with it. 0: as much as a timed call, which depends on the clock.
    unsigned event_ns;
    // How hard a byte of inserted code is to compile, in percent of a byte of the program's own: what it
    // calls, if that is inlined, and handlers. Measured, for the estimate of its cost; 0: unknown.
    unsigned compile_percent;
    const char *needs_agent;          // why files cannot be rewritten with the pass; NULL: they can
    const char *const *agent_options; // options that files cannot be rewritten with; NULL ends them
    const char *runtime_class; // the class of the runtime that inserted code calls, without package
    struct rw_made *made;      // NULL: it is always there
    const void *data;          // for the pass, from where it was made
    // The patterns of the classes that the pass selects (instr/match.h); with RW_NAMES_METHODS.
    const char *classes;
    // The same, for classes that extend or implement such a class, directly or not. NULL: none.
    const char *supertypes;
    // Looks at the class before its methods are edited. NULL: nothing to do. On any error the
    // pass leaves the class out, with the reason in rewrite->cls->error; other passes go on.
    enum cf_status (*begin)(struct rw_class *cls);
    // Only passes for native methods have this. Returns 1 if the pass wants a wrapper of the native
    // method, a method in its place that calls it (classfile/wrap.h). `edit` is called for it, and
    // passes that do not want it never see it. Returns 0 to skip the method, with the reason for the
    // results in *why (NULL: there is nothing to report). `fixed`: the class has no wrapper of this
    // method and cannot get one, for this reason; the results have it if the answer is 1.
    int (*wraps)(struct rw_class *cls, const struct cf_member *native, const char *fixed,
                 const char **why);
    // Does the pass need this class of the JDK (an internal name), even if include= does not select
    // it? cls->forced is then 1. exclude= still removes it. NULL: the pass needs none.
    int (*forces)(const char *name);
    // Edits one method that has code. CF_OK: done, or nothing to do. On any error the method gets
    // no snippets of any pass, and the reason is in edit->error.
    enum cf_status (*edit)(struct rw_class *cls, struct cf_edit *edit);
};

// The passes that are always there: those of rewriters.h in that order, then those that were added.
// The list is built before options are parsed and does not change afterwards.
size_t rw_pass_count(void);
const struct rw_pass *rw_pass_at(size_t i);

// Adds a pass to the list, which must live as long as the program. Returns 0; or -1: its name is
// taken, or the list is full.
int rw_pass_add(const struct rw_pass *pass);

// The pass of the list with this name (`length` bytes); NULL: none.
const struct rw_pass *rw_pass_named(const char *name, size_t length);

// One more holder, one less. Nothing happens to passes that are always there. NULL is allowed.
void rw_pass_hold(const struct rw_pass *pass);
void rw_pass_release(const struct rw_pass *pass);

CF_END_DECLS

#endif
