// The registry of ids: which method, or which place in a method (a site), an id in inserted code
// stands for.
//
// An id belongs to one (pass, class, method, descriptor), for a site also (pc, line, detail), for
// good: a class that is transformed again, or that another loader defines under the same name, gets
// the same ids. Methods and sites share one range of ids, and so the counters of threads
// (counters/threads.h). Ids have no gaps, and nothing is ever removed. They begin at 0, or behind those
// of an earlier registry: code that has these may still be running. All functions are thread-safe.

#ifndef INSTR_ID_REGISTRY_H
#define INSTR_ID_REGISTRY_H

#include "classfile/decls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CF_BEGIN_DECLS

// Ids are below this: records in the runtime's buffers have 20 bits for an id.
#define INSTR_METHODS_MAX (1 << 20)
struct instr_methods;

// What an id stands for. The strings are modified UTF-8 as in the class file (JVMS 4.4.7),
// NUL-terminated, and live as long as the registry.
struct instr_method {
    const char *class_name; // internal form: java/lang/String
    const char *name;
    const char *descriptor;
    unsigned pass;
    const char *detail; // of a site; NULL: the id stands for the method
    uint32_t pc, line;  // of a site, see struct instr_site
};

// A place in the code of a method.
struct instr_site {
    uint32_t pc;        // of the instruction, in the class as the agent got it
    uint32_t line;      // 0: unknown
    const char *detail; // such as the class that is instantiated; any bytes but NUL, at most 65,535
    size_t detail_length;
};

// The handle of a class name, to be looked up once per class; 0: none.
typedef uint32_t instr_methods_class_t;

// An empty registry, to be freed with instr_methods_free. NULL: out of memory.
struct instr_methods *instr_methods_new(void);
// The same, with ids that are all above `ids`, the number of ids of an earlier registry that may be freed
// now; if that is more than INSTR_METHODS_EARLIER, they begin at 0, since counters of threads take memory
// for ids below those in use, too.
struct instr_methods *instr_methods_behind(int ids);
#define INSTR_METHODS_EARLIER (1 << 15)
void instr_methods_free(struct instr_methods *methods);

// The handle of a class name of `length` bytes; 0 when out of memory.
instr_methods_class_t instr_methods_class(struct instr_methods *methods, const char *name,
                                          size_t length);

// The id of a method, by the handle of its class; a new id if it has none yet. -1 when out of
// memory, when all INSTR_METHODS_MAX ids are in use, or when `class_name` is 0.
int instr_methods_id_in(struct instr_methods *methods, unsigned pass,
                        instr_methods_class_t class_name, const char *name, size_t name_length,
                        const char *descriptor, size_t descriptor_length);

// Looks up the methods of one class one after another. When the class is transformed again, the
// order is the same, and each method is found in the row behind the last one, without a lock or a
// hash. One cursor serves one thread and all passes.
struct instr_methods_cursor {
    instr_methods_class_t class_name; // 0: out of memory
    uint32_t next;                    // the id to look at first
};

struct instr_methods_cursor instr_methods_begin(struct instr_methods *methods, const char *name,
                                                size_t length);

// As instr_methods_id_in.
int instr_methods_id_next(struct instr_methods *methods, unsigned pass,
                          struct instr_methods_cursor *cursor, const char *name, size_t name_length,
                          const char *descriptor, size_t descriptor_length);

// The same for a site in the method.
int instr_methods_site_next(struct instr_methods *methods, unsigned pass,
                            struct instr_methods_cursor *cursor, const char *name,
                            size_t name_length, const char *descriptor, size_t descriptor_length,
                            const struct instr_site *site);

// instr_methods_class and instr_methods_id_in in one step.
int instr_methods_id(struct instr_methods *methods, unsigned pass, const char *class_name,
                     size_t class_length, const char *name, size_t name_length,
                     const char *descriptor, size_t descriptor_length);

// The id that the method (not a site in it) already has, or -1.
int instr_methods_find(struct instr_methods *methods, unsigned pass, const char *class_name,
                       const char *name, const char *descriptor);

// One above the highest id.
int instr_methods_count(const struct instr_methods *methods);

// Is this one of its ids? Inserted code may have others: see instr_methods_behind.
bool instr_methods_has(const struct instr_methods *methods, int id);

// One above the highest pass that has an id.
unsigned instr_methods_passes(const struct instr_methods *methods);

// What an id from 0 to below instr_methods_count stands for; of an earlier registry: names are empty, and no
// pass has this number.
struct instr_method instr_methods_get(const struct instr_methods *methods, int id);

// For a constructor: the bytecode index in its rewritten code from which the delegate call (super()
// or this()) has returned and was recorded. At lower indexes `this` counts as not yet initialized.
// 0 until set, which is right for other methods.
void instr_methods_set_initialized_pc(struct instr_methods *methods, int id, uint32_t pc);
uint32_t instr_methods_initialized_pc(const struct instr_methods *methods, int id);

// Whether the calls of a method are counted, but never timed.
void instr_methods_set_untimed(struct instr_methods *methods, int id, bool untimed);
bool instr_methods_untimed(const struct instr_methods *methods, int id);

// The bytes of memory in use.
size_t instr_methods_bytes(struct instr_methods *methods);

CF_END_DECLS

#endif
