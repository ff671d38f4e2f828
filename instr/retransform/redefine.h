// redefine.h: the bytes of loaded classes: looking at them, replacing them (RedefineClasses, JVM
// TI 11.2.8), and bringing back what was there.

#ifndef INSTR_REDEFINE_H
#define INSTR_REDEFINE_H

#include "instr/vm/agent_state.h"

// The bytes of the loaded class of this name (with dots or slashes), to be freed by the caller;
// NULL: one line is in `reason`. They are what the JVM has, with what all agents made of them; or,
// with `original`, what our passes get: what was loaded, with what agents before us made of it, or
// what redefine put in its place. `loaders` (may be NULL): by how many class loaders a class of
// that name was loaded; the bytes are those of the first.
uint8_t *instr_redefine_dump(struct instr_agent *agent, JNIEnv *jni, const char *name, int original,
                             size_t *length, unsigned *loaders, char *reason, size_t size);

// A class file.
struct instr_new_class {
    const char *file; // for messages
    const uint8_t *bytes;
    size_t length;
    // Set here:
    char *name;       // to be freed by the caller: internal
    unsigned loaders; // that have a class of that name
};

// Replaces the methods' bodies of loaded classes, of all or none. A class of which there are
// several, of as many class loaders, is refused unless `all_loaders` asks for all of them. What the
// JVM would refuse is found before it is asked, and said in words. What was there is kept for
// instr_redefine_undo.
int instr_redefine(struct instr_agent *agent, JNIEnv *jni, struct instr_new_class *classes,
                   size_t count, int all_loaders, char *reason, size_t size);

// Brings back what was there before the first redefinition of a class (NULL: of all classes). Calls
// `each` with the name of each class, once all have been brought back.
int instr_redefine_undo(struct instr_agent *agent, JNIEnv *jni, const char *name,
                        void (*each)(void *context, const char *name), void *context, char *reason,
                        size_t size);

// May there be a class that was redefined here?
int instr_redefine_any(void);

// After classes were retransformed, by the thread that holds agent->switching: HotSpot up to JDK 17
// at least goes back to what was loaded when it retransforms a class that had been retransformed
// before it was redefined.
void instr_redefine_again(struct instr_agent *agent, JNIEnv *jni);

// Bytes of memory that is kept to undo it.
size_t instr_redefine_bytes(void);

#endif
