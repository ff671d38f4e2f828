// The engine: takes the bytes of a class through match, open, the passes' edits and encode. The
// same inside the agent and in the offline tool; it knows neither JVM TI nor files.

#ifndef INSTR_ENGINE_H
#define INSTR_ENGINE_H

#include "instr/registry.h"
#include "instr/id_registry.h"
#include "instr/options.h"
#include "rewriters/rewriter.h"

struct instr_engine;

// What has been done so far; all counts are totals since the engine was made (JSON: stats=FILE).
struct instr_totals {
    uint64_t classes_seen, classes_matched, classes_changed, classes_skipped;
    // A method that has to do without some of the passes counts as kept, and as changed too when
    // others have edited it.
    uint64_t methods_changed, methods_skipped;
    // Of those changed: now too long for HotSpot to compile (8,000 bytes), and were not before.
    uint64_t methods_grown;
    // Rewritten, but the code would not verify: the classes are among those kept.
    uint64_t classes_refused, methods_refused;
    // Matched, but no more were to be changed (max-classes, max-methods).
    uint64_t classes_over_limit;
    // Loaded interfaces with code that were not touched (untouchable.h); not among the others.
    uint64_t interfaces_skipped;
    uint64_t bytes_in, bytes_out;
    uint64_t nanoseconds; // in rewriting alone, over all threads
};

enum { INSTR_SKIPPED_INTERFACE = -3 };

// A class or method that was kept as it was. `method` is empty for a class, else name and
// descriptor.
struct instr_skipped_item {
    char *class_name;
    char *method;
    char *reason;
    // The index of the pass that chose to leave it alone, which is nothing gone wrong; -1: none
    // did. INSTR_SKIPPED_INTERFACE: it is one of interfaces_skipped.
    int pass;
    uint32_t hash; // of both names, for the engine
};

// How a class comes to be rewritten: what may be done to its members. Wrappers of native methods
// change them, which is possible only when a class is defined, and must then be done each time that
// it comes again.
enum instr_occasion {
    INSTR_CLASS_NEW,    // it is being defined
    INSTR_CLASS_EARLY,  // the same, before the runtime is in the JVM: only passes that wrap work
    INSTR_CLASS_FIRST,  // the same, so early that a JVM could not find natives that were renamed
    INSTR_CLASS_LOADED, // it is there, without wrappers, and its members stay as they are
    INSTR_CLASS_WRAPPED // it is there, and has wrappers
};

// The result of one class.
struct instr_rewritten {
    uint8_t *bytes; // NULL: unchanged; else made by the allocate function, owned by the caller
    size_t length;
    // What the passes made of the class and would not verify, for the caller to free; `bytes` is
    // NULL then. NULL: nothing was.
    uint8_t *refused;
    unsigned methods_changed, methods_skipped, methods_grown, methods_refused;
    int wrapped; // native methods have wrappers in `bytes`
    uint64_t nanoseconds;
    // status != CF_OK: the class was left alone, as it could not be read, or would not verify. With
    // passes that wrap native methods, `bytes` may be there all the same: what it is without what
    // failed, the wrappers or all but them.
    struct cf_error error;
};

// The engine keeps `options` and `methods`; both must outlive it. `runtime_package` ends with '/'.
// NULL when out of memory.
struct instr_engine *instr_engine_new(const struct instr_options *options,
                                      struct instr_methods *methods, const char *runtime_package);
// The same for an engine that follows another one: account and what was kept go on, and both count
// and remember in the same place. `before` may be NULL, and may be freed first.
struct instr_engine *instr_engine_new_after(const struct instr_options *options,
                                            struct instr_methods *methods,
                                            const char *runtime_package,
                                            const struct instr_engine *before);
void instr_engine_free(struct instr_engine *engine);

// From now on a class is left alone when its structure does not hold (classfile/structure.h) and
// rewriting could hide that (classfile/rewritten/hidden_errors.h): an index that leads nowhere could lead somewhere
// once constants are added, and the JVM would say something else of the class than it does of the
// original, or take it. Not so where it takes the class on trust. Before any class is rewritten.
void instr_engine_check_input(struct instr_engine *engine);

// Where classes get their probes from now on; it must outlive the engine. Without it the engine has
// one of its own. Before any class is rewritten.
void instr_engine_set_coverage(struct instr_engine *engine, struct instr_coverage *coverage);
// Probes have one class for all from now on, as files that are rewritten beforehand want it.
void instr_engine_one_holder(struct instr_engine *engine);
// The coverage; NULL: there is none yet.
struct instr_coverage *instr_engine_coverage(struct instr_engine *engine);

// Rewrites one class with all passes of the options, and verifies what was changed, unless the
// options say no. No matching is done here. `allocate(context, n)` gives the memory for the result
// (NULL: out of memory). Thread-safe; never fails: at worst the class stays unchanged.
void instr_engine_rewrite(struct instr_engine *engine, const uint8_t *bytes, size_t length,
                          void *(*allocate)(void *context, size_t n), void *context,
                          struct instr_rewritten *result);

// What is known of a class besides its bytes.
struct instr_origin {
    enum instr_occasion occasion;
    int pass_through;         // wrappers of native methods do nothing but call them
    uint64_t excluded_passes; // bit i: pass i of the options leaves the class alone
    uint64_t forced_passes;   // bit i: it takes the class though it is out of scope
    // A JVM gave back what it has of the class, which may lack stack map frames (classfile.h).
    int redefined;
    // That JVM has so many constants more in its pool of the class (classfile.h).
    uint16_t constants_beyond;
    // The JVM has verified the code as it comes, or takes it on trust: a method that fails to verify
    // as it failed before is accepted.
    int already_verified;
    // It takes all of the class on trust: there is no error that rewriting could hide from it.
    int bootstrap;
    // A JVM that runs has it: what it makes itself is told without its number (told_name.h).
    int running;
    // Its class file, where the bytes are something else; NULL: they are it, or it is not known.
    const uint8_t *file;
    size_t file_length;
};
// As above; `origin` NULL: nothing is known.
void instr_engine_rewrite_known(struct instr_engine *engine, const struct instr_origin *origin,
                                const uint8_t *bytes, size_t length,
                                void *(*allocate)(void *context, size_t n), void *context,
                                struct instr_rewritten *result);

// The registry it was made with, and the number of a pass in there; -1: it is not among the
// engine's.
struct instr_methods *instr_engine_methods(const struct instr_engine *engine);
int instr_engine_pass(const struct instr_engine *engine, const char *name);

// What a pass that wraps native methods puts in front of their names; the JVM is to be told (JVM TI
// SetNativeMethodPrefix). Returns `prefix`.
enum { INSTR_PREFIX_SIZE = 64 };
char *instr_native_prefix(const struct rw_pass *pass, char prefix[INSTR_PREFIX_SIZE]);

// Was it left alone because its class had been loaded before?
int instr_is_loaded_before(const struct instr_skipped_item *item);

// Counts a class that came by and was not matched.
void instr_engine_seen(struct instr_engine *engine);

// Counts one that was, but was left alone: as there are to be no more (max-classes, max-methods),
// or, with `refused`, because the JVM had refused to let it be changed.
void instr_engine_left_out(struct instr_engine *engine, int refused);

// Takes one off again that was rewritten, from `length` bytes, and then left as it was: as there
// were more methods in it than may be changed (`over_limit`), or for want of memory.
void instr_engine_taken_back(struct instr_engine *engine, const struct instr_rewritten *result,
                             size_t length, int over_limit);

// Remembers that a class was kept as it was, and why.
void instr_engine_skip(struct instr_engine *engine, const char *class_name, const char *reason);

// The same of an interface, once.
void instr_engine_skip_interface(struct instr_engine *engine, const char *name, const char *reason);

struct instr_totals instr_engine_totals(struct instr_engine *engine);
// Calls `each` for every kept class and method, in the order of their happening (at most some
// thousands are remembered; the account counts all).
void instr_engine_skipped(struct instr_engine *engine,
                          void (*each)(void *context, const struct instr_skipped_item *item),
                          void *context);

#endif
