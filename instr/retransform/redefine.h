// The bytes of loaded classes: reading them, replacing them (RedefineClasses, JVM TI 11.2.8), and
// restoring them.

#ifndef INSTR_REDEFINE_H
#define INSTR_REDEFINE_H

#include "instr/vm/agent_state.h"

// The bytes of the loaded class of this name (with dots or slashes), to be freed by the caller;
// NULL: see `reason`. They are the JVM's current bytes, with the changes of all agents; with
// `original`, the bytes that our passes get: those that were loaded, with the changes of agents
// before us, or those that redefine installed. `loaders` (may be NULL): the number of class loaders
// that have a class of that name; the bytes are those of the first.
uint8_t *instr_redefine_dump(struct instr_agent *agent, JNIEnv *jni, const char *name, int original,
                             size_t *length, unsigned *loaders, char *reason, size_t size);

// A class file.
struct instr_new_class {
    const char *file; // for messages
    const uint8_t *bytes;
    size_t length;
    // Set here:
    char *name;       // internal name, to be freed by the caller
    unsigned loaders; // number of loaders that have a class of that name
};

// Replaces the method bodies of loaded classes: of all or of none. A class that several loaders
// have is refused unless `all_loaders` is set. Changes that the JVM would refuse are found first
// and explained. The previous bytes are saved for instr_redefine_undo.
int instr_redefine(struct instr_agent *agent, JNIEnv *jni, struct instr_new_class *classes,
                   size_t count, int all_loaders, char *reason, size_t size);

// Restores the bytes from before the first redefinition of a class (NULL: of all classes). Calls
// `each` with the name of each class after all are restored.
int instr_redefine_undo(struct instr_agent *agent, JNIEnv *jni, const char *name,
                        void (*each)(void *context, const char *name), void *context, char *reason,
                        size_t size);

// May there be a class that this agent has redefined?
int instr_redefine_any(void);

// Redefines classes again that were just retransformed. For the thread that holds agent->switching.
// HotSpot up to at least JDK 17 reverts to the loaded bytes when it retransforms a class that had
// been retransformed before it was redefined.
void instr_redefine_reapply(struct instr_agent *agent, JNIEnv *jni);

// Bytes of memory used by saved classes.
size_t instr_redefine_bytes(void);

#endif
