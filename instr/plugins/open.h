// Loading and starting plug-ins.

#ifndef INSTR_PLUGINS_OPEN_H
#define INSTR_PLUGINS_OPEN_H

#include "instr/options.h"

enum instr_plugin_place {
    INSTR_PLUGIN_OFFLINE,  // files are rewritten
    INSTR_PLUGIN_AT_START, // a JVM starts
    INSTR_PLUGIN_LATE      // a JVM runs
};

// Loads the plug-in of a pass and starts it, unless that has been done. `jdk`: 8, 17; 0 offline. Returns
// 0; or -1 with one line in `reason`: the pass does nothing then.
int instr_plugin_open(const struct rw_pass *pass, enum instr_plugin_place place, unsigned jdk,
                      char *reason, size_t size);
// The same for all plug-ins of the options, without a JVM.
int instr_plugins_open(const struct instr_options *options, enum instr_plugin_place place,
                       char *reason, size_t size);

// Gives a command to the plug-in of a pass. Returns what that returns, with its answer; or -1 with one
// line in `answer`: it takes none.
int instr_plugin_command(const struct rw_pass *pass, const char *text, char *answer, size_t size);

#endif
