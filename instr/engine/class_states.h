// changes.h: which loaded classes are changed at this moment, and which the JVM would not let be.
//
// A class is named by a number made of its name and its loader's hash code: nothing here keeps a
// class or a loader from being unloaded. What was unloaded is found out by going through the loaded
// classes (instr_class_states_sweep). Any thread may call any function; a lock is held for moments.

#ifndef INSTR_CHANGES_H
#define INSTR_CHANGES_H

#include <stddef.h>
#include <stdint.h>

struct instr_class_states;

// What is known of a class.
struct instr_class_state {
    uint64_t key;
    uint32_t methods; // changed in it; 0: it is as it was
    uint32_t plan;    // number of the plan that did it
    uint32_t since;   // seconds of some clock: when that was
    uint8_t loading;  // it was changed while it was loaded, and has not been seen among the loaded
    uint8_t refused;  // the JVM does not let it be changed: not to be tried again
    uint8_t seen;     // in this sweep
};

struct instr_class_states_totals {
    uint64_t classes, methods; // changed
    uint64_t loading, refused; // see above
};

// NULL when out of memory.
struct instr_class_states *instr_class_states_new(void);
void instr_class_states_free(struct instr_class_states *changes);

// The number of a class; `loader` is the hash code of its loader, 0 for the boot loader.
uint64_t instr_class_states_key(const char *name, size_t length, int32_t loader);

// What is known of a class; all zero but the key: nothing.
struct instr_class_state instr_class_states_get(struct instr_class_states *changes, uint64_t key);

// Sets it; an entry that says nothing is taken out. When out of memory a new one is not remembered:
// 0, else 1.
int instr_class_states_put(struct instr_class_states *changes,
                           const struct instr_class_state *entry);

struct instr_class_states_totals instr_class_states_totals(struct instr_class_states *changes);

// How many classes are still loading that another plan than this one has changed.
size_t instr_class_states_late_loaded(struct instr_class_states *changes, uint32_t plan);

// Takes out what is not loaded any more: begin, then `seen` for each loaded class, then end. A
// class that is still loading is kept until it is `before` (seconds of since's clock).
void instr_class_states_sweep_begin(struct instr_class_states *changes);
void instr_class_states_sweep_seen(struct instr_class_states *changes, uint64_t key);
void instr_class_states_sweep_end(struct instr_class_states *changes, uint32_t before);

// Is a sweep worth while: has the number of entries doubled since the last one?
int instr_class_states_grown(struct instr_class_states *changes);

// Forgets everything and gives the memory back.
void instr_class_states_clear(struct instr_class_states *changes);

// Bytes of memory that it takes.
size_t instr_class_states_bytes(struct instr_class_states *changes);

#endif
