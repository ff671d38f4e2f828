// events.h: events of plug-ins, from inserted code to their `drain`
//
//      any thread -> InstrPluginNative.emit -> ring -> the agent's thread "instr plug-ins" -> drain
//
// One ring serves all plug-ins. Threads of the program never wait: where the ring is full, events are
// lost, and counted.

#ifndef INSTR_PASSES_PLUGIN_EVENTS_H
#define INSTR_PASSES_PLUGIN_EVENTS_H

#include "instr/engine.h"

#include <jni.h>
#include <stdbool.h>

// What ids stand for from now on; before any other function.
void instr_plugin_events_use(struct instr_methods *methods);

// From now on events of the pass, with this number in instr_methods, go to its plug-in. False: `reason`
// holds one line. No exception is pending afterwards.
bool instr_plugin_events_start(JNIEnv *jni, const struct rw_pass *pass, unsigned number,
                               char *reason, size_t size);
// Hands over what is in the ring.
void instr_plugin_events_drain(void);
// The same; and the plug-in gets no more. Nothing happens if it gets none.
void instr_plugin_events_stop(const struct rw_pass *pass);

#endif
