// Which loaded classes are currently changed, and which the JVM refuses to change.
//
// The key of a class is a hash of its name and its loader's hash code: nothing here keeps a class
// or a loader from being unloaded. A sweep over the loaded classes finds what was unloaded
// (instr_class_states_sweep_begin). All functions are thread-safe; the lock is held briefly.

#ifndef INSTR_CLASS_STATES_H
#define INSTR_CLASS_STATES_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct instr_class_states;

// What is known about a class.
struct instr_class_state {
    uint64_t key;
    uint32_t methods; // changed in it; 0: the class is unchanged
    uint32_t plan;    // number of the plan that changed it
    uint32_t since;   // when it was changed, in seconds of some clock
    uint8_t loading;  // it was changed while loading and was not yet found among the loaded classes
    uint8_t refused;  // the JVM refused to change it: not to be tried again
    uint8_t over;     // max-classes or max-methods keep it unchanged
    uint8_t seen;     // in this sweep
    uint8_t
        absent; // it is loading, but for so long that it was probably unloaded: it does not count
};

struct instr_class_states_totals {
    uint64_t classes, methods;       // changed, without absent ones
    uint64_t loading, refused, over; // classes, as above
};

// NULL when out of memory.
struct instr_class_states *instr_class_states_new(void);
void instr_class_states_free(struct instr_class_states *states);

// The key of a class; `loader` is the hash code of its loader, 0 for the bootstrap loader.
uint64_t instr_class_states_key(const char *name, size_t length, int32_t loader);

// What is known about a class; all zero but the key if nothing is.
struct instr_class_state instr_class_states_get(struct instr_class_states *states, uint64_t key);

// Sets it; an entry without information is removed. Returns 1; or 0 when out of memory: a new entry
// is not remembered then.
int instr_class_states_put(struct instr_class_states *states,
                           const struct instr_class_state *entry);

// The same if, with this entry, no more than so many classes and methods are changed (0: no limit).
// Threads that do this at the same time do not exceed the limits together.
enum instr_class_put { INSTR_CLASS_NO_MEMORY, INSTR_CLASS_PUT, INSTR_CLASS_NO_ROOM };
enum instr_class_put instr_class_states_put_within(struct instr_class_states *states,
                                                   const struct instr_class_state *entry,
                                                   uint64_t max_classes, uint64_t max_methods);

// Would so many changed methods of a class fit within these limits now?
bool instr_class_states_fits(struct instr_class_states *states, uint64_t key, uint32_t methods,
                             uint64_t max_classes, uint64_t max_methods);

struct instr_class_states_totals instr_class_states_totals(struct instr_class_states *states);

// The number of classes that are still loading and were changed by another plan than this one.
size_t instr_class_states_late_loaded(struct instr_class_states *states, uint32_t plan);

// Removes classes that are no longer loaded: call begin, then `seen` for each loaded class, then
// end. A class that is still loading stays if it was changed at or after `before` (seconds of
// since's clock); if that was before `absent`, it does not count until a sweep sees it. `loaded` is
// as `seen`, but a class that was loading still is: it may have the code of an earlier plan.
void instr_class_states_sweep_begin(struct instr_class_states *states);
void instr_class_states_sweep_seen(struct instr_class_states *states, uint64_t key);
void instr_class_states_sweep_loaded(struct instr_class_states *states, uint64_t key);
void instr_class_states_sweep_end(struct instr_class_states *states, uint32_t before,
                                  uint32_t absent);

// Is a sweep due: has the number of entries doubled since the last one?
int instr_class_states_grown(struct instr_class_states *states);

// Forgets everything and frees the memory.
void instr_class_states_clear(struct instr_class_states *states);

// The bytes of memory in use.
size_t instr_class_states_bytes(struct instr_class_states *states);

#endif
