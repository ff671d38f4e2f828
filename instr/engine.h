// The engine takes the bytes of a class through open, the passes' edits, verification and encode.
// It is the same in the agent and in the offline tool, and knows neither JVM TI nor files.

#ifndef INSTR_ENGINE_H
#define INSTR_ENGINE_H

#include "classfile/decls.h"
#include "instr/registry.h"
#include "instr/id_registry.h"
#include "instr/options.h"
#include "rewriters/rewriter.h"

CF_BEGIN_DECLS

struct instr_engine;

// What was done since the engine was made (JSON: stats=FILE).
struct instr_totals {
    // A class that some passes could not take counts as skipped, and as changed too if others have.
    uint64_t classes_seen, classes_matched, classes_changed, classes_skipped;
    // A method that some passes could not edit counts as skipped, and as changed too if others have
    // edited it.
    uint64_t methods_changed, methods_skipped;
    // Changed methods that became too large for HotSpot to compile (8,000 bytes).
    uint64_t methods_grown;
    // Methods whose rewritten code did not verify, which therefore keep the original code; and the
    // classes that have such methods. Both are among those skipped if nothing else was changed.
    uint64_t classes_refused, methods_refused;
    // Matched, but over a limit (max-classes, max-methods).
    uint64_t classes_over_limit;
    // Loaded interfaces with code that were skipped; they are not among classes_skipped.
    uint64_t interfaces_skipped;
    uint64_t bytes_in, bytes_out;
    uint64_t nanoseconds; // CPU time spent on rewriting, over all threads
};

// What one pass has inserted since it was switched on. A class that is changed again counts again.
struct instr_pass_totals {
    uint64_t classes, methods;
    uint64_t bytes; // of code that it inserted
    uint64_t code;  // bytes of code that these methods had before
    // Its part of instr_totals.nanoseconds: that of each class by the bytes that the passes inserted
    // into it, or in equal parts if there are none.
    uint64_t nanoseconds;
};

enum { INSTR_SKIPPED_INTERFACE = -3 };

// A class or method that was skipped. `method` is empty for a class, else name and descriptor.
struct instr_skipped_item {
    char *class_name;
    char *method;
    char *reason;
    // The number of the pass that chose to skip it, which is not an error; -1: it was not the
    // choice of a pass; INSTR_SKIPPED_INTERFACE: it is one of interfaces_skipped.
    int pass;
    uint32_t hash; // of both names, for the engine
};

// When a class is rewritten, and so which changes of its members are possible. Wrappers of native
// methods add members, which is possible only when a class is defined, and must then be repeated
// each time it is transformed again.
enum instr_occasion {
    INSTR_CLASS_NEW,    // it is being defined
    INSTR_CLASS_EARLY,  // the same, before the runtime is in the JVM: only wrapping passes run
    INSTR_CLASS_FIRST,  // the same, so early that the JVM could not find renamed native methods
    INSTR_CLASS_LOADED, // it is loaded without wrappers: its members cannot change
    INSTR_CLASS_WRAPPED // it is loaded with wrappers
};

// The result of one class.
struct instr_rewritten {
    uint8_t *bytes; // NULL: unchanged; else made by the allocate function, owned by the caller
    size_t length;
    // The rewritten class of which some methods did not verify, for the caller to free; `bytes` is
    // then the class without changes to these methods. NULL: there is none.
    uint8_t *refused;
    size_t refused_length;
    unsigned methods_changed, methods_skipped, methods_grown, methods_refused;
    int passes_left_out; // some passes could not take the class, and others did
    int wrapped;         // native methods have wrappers in `bytes`
    uint64_t nanoseconds;
    // status != CF_OK: the class was skipped because it could not be read or did not verify. With
    // passes that wrap native methods `bytes` may be set nevertheless: the class without the part
    // that failed, which is the wrappers or everything else.
    struct cf_error error;
};

// `options` and `methods` must outlive the engine. `runtime_package` ends with '/'. NULL when out
// of memory.
struct instr_engine *instr_engine_new(const struct instr_options *options,
                                      struct instr_methods *methods, const char *runtime_package);
// An engine that succeeds another one and shares its statistics. `before` may be NULL, and may be
// freed first.
struct instr_engine *instr_engine_new_after(const struct instr_options *options,
                                            struct instr_methods *methods,
                                            const char *runtime_package,
                                            const struct instr_engine *before);
void instr_engine_free(struct instr_engine *engine);

// From now on a class is skipped if its structure is malformed (classfile/structure.h) and
// rewriting could hide that (classfile/rewritten/hidden_errors.h): an invalid index could become
// valid when constants are added, and the JVM would report another error than for the original
// class, or none. Classes that the JVM trusts are not checked. To be called before any class is
// rewritten.
void instr_engine_check_input(struct instr_engine *engine);

// What is rewritten from now on will run without an agent (rw_class.offline), and one class holds all
// probe arrays.
void instr_engine_offline(struct instr_engine *engine);

// Sets the registry of probes, which must outlive the engine. Without it the engine has its own. To
// be called before any class is rewritten.
void instr_engine_set_coverage(struct instr_engine *engine, struct instr_coverage *coverage);
// The registry of probes; NULL: none yet.
struct instr_coverage *instr_engine_coverage(struct instr_engine *engine);

// Rewrites one class with all passes of the options, and verifies changed code unless the options
// disable that. Does not check the scope. `allocate(context, n)` returns the memory for the result
// (NULL: out of memory). Thread-safe; never fails: at worst the class stays unchanged.
void instr_engine_rewrite(struct instr_engine *engine, const uint8_t *bytes, size_t length,
                          void *(*allocate)(void *context, size_t n), void *context,
                          struct instr_rewritten *result);

// As the application knows it.
struct instr_wrapped_method {
    struct cf_slice name, descriptor;
};

// What is known about a class besides its bytes.
struct instr_origin {
    enum instr_occasion occasion;
    int pass_through;         // wrappers of native methods do nothing but call them
    uint64_t excluded_passes; // bit i: pass i of the options is not run on the class
    uint64_t forced_passes;   // bit i: pass i is run although the class is out of scope
    // The bytes come from a JVM that has the class loaded, and may lack frames (classfile.h).
    int redefined;
    // The JVM's constant pool of the class has this many more constants (classfile.h).
    uint16_t constants_beyond;
    // The JVM has verified the original code or trusts it: a method that fails to verify as the
    // original does is accepted.
    int already_verified;
    // The JVM trusts the whole class, so there is no error that rewriting could hide from it.
    int bootstrap;
    // It comes from a running JVM: generated classes are reported by a normalized name
    // (engine/display_name.h).
    int running;
    const char *name; // by which it is reported if its bytes do not tell; NULL: unknown
    // Its class file, if the bytes are something else. NULL: they are the class file, or unknown.
    const uint8_t *file;
    size_t file_length;
    // The engine has changed it already, before other agents: it counts as one class.
    int again;
    const struct rw_supertypes *supertypes; // NULL: unknown
    const uint64_t *notes;                  // of each pass, from its agent pass; NULL: all are 0
    // INSTR_CLASS_WRAPPED: the native methods that have wrappers.
    const struct instr_wrapped_method *wrapped;
    size_t wrapped_count;
};
// instr_engine_rewrite with an origin; NULL: nothing is known.
void instr_engine_rewrite_known(struct instr_engine *engine, const struct instr_origin *origin,
                                const uint8_t *bytes, size_t length,
                                void *(*allocate)(void *context, size_t n), void *context,
                                struct instr_rewritten *result);

// The registry of ids, and the number of a pass in it; -1: the engine does not have the pass.
struct instr_methods *instr_engine_methods(const struct instr_engine *engine);
int instr_engine_pass(const struct instr_engine *engine, const char *name);

// The prefix of the names that native methods with wrappers get; the JVM must know it (JVM TI
// SetNativeMethodPrefix).
#define INSTR_NATIVE_PREFIX "instr$natives$"

// Was it skipped because its class was already loaded?
int instr_is_loaded_before(const struct instr_skipped_item *item);

// Counts a class that was seen and did not match.
void instr_engine_seen(struct instr_engine *engine);

// Counts a class that matched but was skipped: because of max-classes or max-methods, or, with
// `refused`, because the JVM had refused to change it.
void instr_engine_left_out(struct instr_engine *engine, int refused);

// Uncounts a class of `length` bytes that was rewritten but not used: because it has more methods
// than may be changed (`over_limit`), or because memory ran out.
void instr_engine_taken_back(struct instr_engine *engine, const struct instr_rewritten *result,
                             size_t length, int over_limit);

// Remembers that a class was skipped, and why.
void instr_engine_skip(struct instr_engine *engine, const char *class_name, const char *reason);

// The same for an interface, once.
void instr_engine_skip_interface(struct instr_engine *engine, const char *name, const char *reason);

struct instr_totals instr_engine_totals(struct instr_engine *engine);
// By the number of the pass; zero: it has inserted nothing.
struct instr_pass_totals instr_engine_pass_totals(struct instr_engine *engine, unsigned number);
// The pass is switched on again under a number that it had before.
void instr_engine_forget_pass(struct instr_engine *engine, unsigned number);
// Calls `each` for every skipped class and method, oldest first (at most some thousands are
// remembered; the totals count all).
void instr_engine_skipped(struct instr_engine *engine,
                          void (*each)(void *context, const struct instr_skipped_item *item),
                          void *context);

CF_END_DECLS

#endif
