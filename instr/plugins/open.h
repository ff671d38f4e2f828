// Loading and starting plug-ins.

#ifndef INSTR_PLUGINS_OPEN_H
#define INSTR_PLUGINS_OPEN_H

#include "instr/options.h"
#include "instr/plugin.h"
#include "instr/plugins/helpers.h"

#include <stdbool.h>

enum instr_plugin_place {
    INSTR_PLUGIN_OFFLINE,  // files are rewritten
    INSTR_PLUGIN_AT_START, // a JVM starts
    INSTR_PLUGIN_LATE      // a JVM runs
};

// What the JVM knows of a class that is rewritten. `note` is the service of this name. Names of classes
// are internal.
struct instr_plugin_jvm {
    // As host->is_a, by names; `above`: `name` is a direct supertype of the class.
    int (*is_a)(uint64_t note, bool above, const char *name, const char *super);
    // The class is to be rewritten again when its supertypes are known.
    void (*ask_again)(uint64_t *note);
    // Returns false: unknown. The strings are in the arena.
    bool (*loader)(uint64_t note, struct cf_arena *arena, struct instr_loader_info *info);
};

// Loads the plug-in of a pass and starts it, unless that has been done. `jdk`: 8, 17; 0 offline. `jvm`
// NULL: it knows nothing. Returns 0; or -1 with one line in `reason`: the pass does nothing then.
int instr_plugin_open(const struct rw_pass *pass, enum instr_plugin_place place, unsigned jdk,
                      const struct instr_plugin_jvm *jvm, char *reason, size_t size);
// The same for all plug-ins of the options, without a JVM.
int instr_plugins_open(const struct instr_options *options, enum instr_plugin_place place,
                       char *reason, size_t size);

// Looks at the files of all plug-ins of the options without loading them. Returns as above.
int instr_plugins_check(const struct instr_options *options, char *reason, size_t size);

// Gives a command to the plug-in of a pass. Returns what that returns, with its answer; or -1 with one
// line in `answer`: it takes none.
int instr_plugin_command(const struct rw_pass *pass, const char *text, char *answer, size_t size);

// --- helpers ---

// In the order in which they are to be defined; NULL: none. The caller sets `bridge`.
struct instr_plugin_helper *instr_plugin_helpers(const struct rw_pass *pass);

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
