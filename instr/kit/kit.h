// A kit: advice that others wrote in Java (package instr.kit), read from jars and ready to be woven.
// Nothing here needs a JVM: the agent, `instr rewrite` and `instr kit check` share it.
//
//      jars -> advices    which methods are advised, by which static methods, and what is passed to those
//           -> classes    the advice classes and all that they use of the jars, under new names
//
// A class that names only classes of java.base and of the kit is defined once, in java.lang of the
// bootstrap loader, where every loader and module sees it (boot). Any other is defined once per loader
// and package that has an advised class, in that package: its name, and the texts that contain
// it, are templates, with INSTR_KIT_PACKAGE where the package belongs.
//
// Everything is owned by the kit and does not change once it is open: threads may share it.

#ifndef INSTR_KIT_KIT_H
#define INSTR_KIT_KIT_H

#include "classfile/classfile.h"
#include "instr/match.h"
#include "rewriters/watch_methods.h"

#include <stdbool.h>

// The package of classes that there are once: in a JVM with the agent, and in rewritten files.
#define INSTR_KIT_BOOT "java/lang/"
#define INSTR_KIT_WOVEN "instr/woven/"

// Where a template has the package, "" or "com/acme/": see template.h.
#define INSTR_KIT_PACKAGE "\1"

enum { INSTR_KIT_MOST_PARAMETERS = 64 };

// Where the author wrote it.
struct instr_kit_source {
    const char *file; // SourceFile of the class; without it the class in the jar
    uint32_t line;    // 0: unknown
};

// --- classes ---

struct instr_kit_class {
    const char *original; // internal name in the jar
    const char *name;     // as it is defined; a template unless `boot`
    bool boot;
    const uint8_t *bytes; // as they are defined; a template unless `boot`: see template.h
    uint32_t length;
    uint32_t texts, texts_end; // where in `bytes` the constants (all Utf8) with templates are
    // For the room:
    const struct kit_source *source;
    const char *types_from, *types_to; // what is renamed, with slashes; "": nothing
    struct instr_kit_class *next_made; // of the same source
};

// --- advice methods ---

// What an advice method is called for. One advice has at most one of each.
enum instr_kit_role {
    INSTR_KIT_ENTER,       // at the entry; of constructors before super()
    INSTR_KIT_CONSTRUCTED, // in constructors only, behind super() or this()
    INSTR_KIT_RETURNED, // after a normal return; its result, if it has one, replaces the method's
    INSTR_KIT_THROWN,   // after an exception
    INSTR_KIT_EXIT,     // after both, behind `returned` and `thrown`
    INSTR_KIT_INSTEAD,  // instead of a call (advice with `calls`)
    INSTR_KIT_ROLES
};

// What is passed for a parameter.
enum instr_kit_value {
    INSTR_KIT_ARGUMENT, // `index`: of the advised method, without `this`, from 0
    INSTR_KIT_THIS,     // null in static methods and in `enter` of constructors
    INSTR_KIT_FIELD,    // `field`, of `this` or static, declared in the advised class
    INSTR_KIT_METHOD,   // String: "com.acme.Shop.order(int,java.lang.String)"
    INSTR_KIT_ALL,      // Object[]: all arguments, boxed
    INSTR_KIT_ENTERED,  // what `enter` returned
    INSTR_KIT_RESULT,   // the result; 0 or null where the method threw or has none
    INSTR_KIT_THROWABLE // the exception; null where the method returned
};

struct instr_kit_parameter {
    enum instr_kit_value value;
    unsigned index;    // INSTR_KIT_ARGUMENT
    const char *field; // INSTR_KIT_FIELD
    const char *type;  // descriptor of the parameter; a template
    // INSTR_KIT_ARGUMENT of `enter` as a java.lang.InstrKitHolder: the descriptor of what is in it, from
    // the parameter's generic type (Ljava/lang/Integer; for an int); a template. The argument is
    // replaced by the content of the holder after the call. NULL: not a holder.
    const char *held;
    const char *annotation; // "Arg"; NULL: none
};

struct instr_kit_method {
    enum instr_kit_role role;
    const char *name;
    const char *descriptor;                 // a template
    const char *result;                     // descriptor of the result within it; "V": none
    struct instr_kit_parameter *parameters; // INSTR_KIT_MOST_PARAMETERS at most
    size_t parameter_count;
    // `enter` with @Skip: the advised method does not run if the result is true, or not null;
    // `returned` and `exit` follow as after a return of 0 or null.
    bool skips;
    bool outermost; // its advice is
    struct instr_kit_source source;
};

// --- advice ---

// CLASS+.METHOD(TYPES) as written, with the package names of one of the alternatives.
struct instr_kit_target {
    const char *text;
    struct instr_match *classes;
    bool subtypes;                   // + : also what extends or implements such a class
    struct rw_watch_pattern pattern; // for fit.h
};

// One advice class, for one alternative of its `types`. fit.h says what it applies to.
struct instr_kit_advice {
    const char
        *name; // with dots, as the author wrote it; of alternatives "Servlet [jakarta.servlet]"
    const char *types; // the alternative: "jakarta.servlet"; "": there is none
    struct instr_kit_target *targets;
    size_t target_count;
    struct instr_match *annotated;       // annotations of methods, NULL: any method
    struct instr_match *annotated_class; // annotations of their classes, NULL: any class
    struct instr_match *loader;          // class names of loaders, "boot"; NULL: any loader
    bool calls;                  // calls of the targets are advised, not the targets themselves
    struct instr_match *callers; // with `calls`: the classes that call
    bool outermost;   // not where an advised call of this advice is on the thread's stack already
    uint64_t nesting; // with `outermost`, of an advice that runs: its number in InstrKitNesting
    bool required;    // a start or a command without a match fails
    const char **rethrow; // internal names (templates) of the exceptions that leave the advice
    size_t rethrow_count;
    struct instr_kit_method *methods[INSTR_KIT_ROLES]; // NULL: the advice has none
    // The advice class, which is the last, and what it needs of the kit; each behind its supertypes.
    const struct instr_kit_class **classes;
    size_t class_count;
    struct instr_kit_source source;
    // For the room:
    struct kit_source *class_source;
    const char *types_from; // what `types` replaces
};

// --- kits ---

// What is wrong with a kit, or (not `fatal`) worth a note: a sentence that says what to do.
struct instr_kit_problem {
    struct instr_kit_source source; // file NULL: the kit as a whole
    const char *text;
    bool fatal;
};

struct instr_kit {
    const char *name;    // of the first jar, without folder and .jar: "apm"
    const char *path;    // as given
    const char *package; // INSTR_KIT_BOOT or INSTR_KIT_WOVEN
    uint64_t hash_value; // of all bytes of the jars
    char hash[17];       // the same in hexadecimal
    char marker[32];     // "instr:<hash>", SourceFile of all its classes
    struct instr_kit_advice *advices;
    size_t advice_count, advice_capacity;
    struct instr_kit_class *classes; // all that the advices need
    size_t class_count;
    struct instr_kit_problem *problems;
    size_t problem_count;
    bool usable;      // no problem is fatal
    bool names_types; // its classes name some of the kit's types, not only annotations
    struct instr_kit_applied *applied; // the only part that changes later; NULL: not usable
    // For the room:
    struct kit_source *sources, **buckets; // the second: by name
    size_t bucket_count;                   // a power of 2
    struct cf_arena arena;
    bool no_memory;
};

// Reads a kit from files, separated by colons. NULL: out of memory. Otherwise look at `usable` first:
// of a kit that is not, only problems may be read. The caller frees it.
struct instr_kit *instr_kit_open(const char *paths);
// The same for files that `instr rewrite` makes: classes that would be in the bootstrap loader have INSTR_KIT_WOVEN.
struct instr_kit *instr_kit_open_offline(const char *paths);
void instr_kit_free(struct instr_kit *kit);

// The first fatal problem, "Servlet.java:12: ...".
const char *instr_kit_error(const struct instr_kit *kit, char *text, size_t size);

// The classes that kits call at run time (java.lang.InstrKitState and its like), which are to be in
// the bootstrap loader before any class of a kit; ends with name NULL.
struct instr_kit_runtime_class {
    const char *name; // internal
    const unsigned char *bytes;
    size_t length;
};
extern const struct instr_kit_runtime_class instr_kit_runtime_classes[];
// The same in INSTR_KIT_WOVEN, with InstrKitFailure, InstrKitNesting, and what these call.
extern const struct instr_kit_runtime_class instr_kit_woven_classes[];

#endif
