// helpers.h: the helper classes of plug-ins, in a JVM

#ifndef INSTR_PASSES_PLUGIN_HELPERS_H
#define INSTR_PASSES_PLUGIN_HELPERS_H

#include "instr/plugins/open.h"

#include <jni.h>

// Defines the helpers of a plug-in in the bootstrap loader, and their bridges. What is there already stays, if
// it is the same. False: `reason` holds one line. No exception is pending afterwards.
bool instr_plugin_define_helpers(JNIEnv *jni, const struct rw_pass *pass, char *reason,
                                 size_t size);

#endif
