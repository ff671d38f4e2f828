// bridge.h: the class between advised methods and an advice
//
//      advised method -> BRIDGE.enter(...) -> the author's enter(...)
//
// A bridge has the methods of the advice, with their names and descriptors. Each calls that of the advice, unless the
// advice is switched off, or this thread is in it already. What the advice throws is counted and dropped, and the method
// then returns 0 or null, or the result that it would replace; but ThreadDeath and the exceptions of `rethrow` go
// through. A method in place of a call says where it was not the advice that returned: the caller then makes the call. A LinkageError switches the advice off for the classes that use this bridge (java.lang.InstrKitFailure).

#ifndef INSTR_KIT_BRIDGE_H
#define INSTR_KIT_BRIDGE_H

#include "instr/kit/kit.h"

// What a bridge knows the current thread by.
enum instr_kit_thread {
    INSTR_KIT_THREAD_OBJECT, // Thread itself: it takes longer to remember, for the garbage collector's sake
    INSTR_KIT_THREAD_ID,      // Thread.threadId(), from JDK 19 on
    INSTR_KIT_THREAD_FIELD_ID // InstrKitThread.id, which no application can override
};

// The JVM that a bridge is made for.
struct instr_kit_jvm {
    enum instr_kit_thread thread;
    const char *runtime_package; // of InstrKitFailure, ends with '/'
};

// The internal name of the bridge for advised classes of a package ("" or "com/acme/"), truncated if too long. Returns
// the complete length.
size_t instr_kit_bridge_name(const struct instr_kit_advice *advice, const char *package, char *name,
                             size_t size);

// Does the method replace the result? In the bridge it has the result so far as its first parameter. Behind that
// methods of advice with outermost = true have what InstrKitNesting.enter has returned, and those in place of a call an
// Object[1], in which they put an object if the advice was not called, or has failed.
bool instr_kit_keeps_result(const struct instr_kit_method *method);
#define INSTR_KIT_MISSED "[Ljava/lang/Object;"
static inline bool instr_kit_may_miss(const struct instr_kit_method *method) {
    return method->role == INSTR_KIT_INSTEAD;
}
// The bridge's method, (Object) -> void, to which goes what the advice gives in place of a value of another type.
#define INSTR_KIT_WRONG "instr$wrong"
// The descriptor of the bridge's method, a template, perhaps from `arena`; NULL: out of memory.
const char *instr_kit_bridge_descriptor(const struct instr_kit_method *method,
                                        struct cf_arena *arena);

// Makes the bridge in `arena`. On an error nothing was made; error->reason says why.
enum cf_status instr_kit_bridge(const struct instr_kit *kit, const struct instr_kit_advice *advice,
                                const char *package, const struct instr_kit_jvm *jvm,
                                struct cf_arena *arena, const uint8_t **bytes, size_t *length,
                                struct cf_error *error);

#endif
