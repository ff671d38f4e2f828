// changes.h: which loaded classes are changed at this moment, and which the JVM would not let be.
//
// A class is named by a number made of its name and its loader's hash code: nothing here keeps a
// class or a loader from being unloaded. What was unloaded is found out by going through the loaded
// classes (instr_changes_sweep). Any thread may call any function; a lock is held for moments.

#ifndef INSTR_CHANGES_H
#define INSTR_CHANGES_H

#include <stddef.h>
#include <stdint.h>

struct instr_changes;

// What is known of a class.
struct instr_change_entry {
    uint64_t key;
    uint32_t methods; // changed in it; 0: it is as it was
    uint32_t plan;    // number of the plan that did it
    uint32_t since;   // seconds of some clock: when that was
    uint8_t loading;  // it was changed while it was loaded, and has not been seen among the loaded
    uint8_t refused;  // the JVM does not let it be changed: not to be tried again
    uint8_t seen;     // in this sweep
};

struct instr_changes_totals {
    uint64_t classes, methods; // changed
    uint64_t loading, refused; // see above
};

// NULL when out of memory.
struct instr_changes *instr_changes_new(void);
void instr_changes_free(struct instr_changes *changes);

// The number of a class; `loader` is the hash code of its loader, 0 for the boot loader.
uint64_t instr_changes_key(const char *name, size_t length, int32_t loader);

// What is known of a class; all zero but the key: nothing.
struct instr_change_entry instr_changes_get(struct instr_changes *changes, uint64_t key);

// Sets it; an entry that says nothing is taken out. When out of memory a new one is not remembered:
// 0, else 1.
int instr_changes_put(struct instr_changes *changes, const struct instr_change_entry *entry);

struct instr_changes_totals instr_changes_totals(struct instr_changes *changes);

// How many classes are still loading that another plan than this one has changed.
size_t instr_changes_stragglers(struct instr_changes *changes, uint32_t plan);

// Takes out what is not loaded any more: begin, then `seen` for each loaded class, then end. A
// class that is still loading is kept until it is `before` (seconds of since's clock).
void instr_changes_sweep_begin(struct instr_changes *changes);
void instr_changes_sweep_seen(struct instr_changes *changes, uint64_t key);
void instr_changes_sweep_end(struct instr_changes *changes, uint32_t before);

// Is a sweep worth while: has the number of entries doubled since the last one?
int instr_changes_grown(struct instr_changes *changes);

// Forgets everything and gives the memory back.
void instr_changes_clear(struct instr_changes *changes);

// Bytes of memory that it takes.
size_t instr_changes_bytes(struct instr_changes *changes);

#endif
