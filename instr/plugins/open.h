// Loading and starting plug-ins.

#ifndef INSTR_PLUGINS_OPEN_H
#define INSTR_PLUGINS_OPEN_H

#include "instr/options.h"
#include "instr/plugin.h"

#include <stdbool.h>

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

// --- events and results ---

// Does the plug-in of the pass take events?
bool instr_plugin_drains(const struct rw_pass *pass);
// Hands them to it. One thread at a time.
void instr_plugin_drain(const struct rw_pass *pass, const struct instr_event *const *events,
                        uint32_t count, uint64_t lost);
// How many events were lost, and the lines that the plug-in adds to its results.
uint64_t instr_plugin_lost(const struct rw_pass *pass);
void instr_plugin_report(const struct rw_pass *pass, char *text, size_t size);

#endif
