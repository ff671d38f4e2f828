// Plug-ins: passes that others write in C, in a shared library (instr/plugin.h).
//
//      plugin=FILE.so:OPTIONS   -> a pass, which does nothing yet and has the name of the file
//      instr_plugin_open        -> the library is loaded, and says what is put into methods
//      the pass is freed        -> the plug-in is stopped, the library is unloaded
//
// Options can be parsed where the library is not, as by a tool that passes them on.

#ifndef INSTR_PLUGINS_PLUGINS_H
#define INSTR_PLUGINS_PLUGINS_H

#include "instr/options.h"

// plugin=
extern const struct instr_pass_source instr_plugin_source;

// What a site of a plug-in counts is the detail of its id (rw_class.site_id): one of these letters,
// and a name.
#define INSTR_PLUGIN_COUNT 'c'
#define INSTR_PLUGIN_VALUES 'v'
#define INSTR_PLUGIN_TIMES 't' // values in nanoseconds
#define INSTR_PLUGIN_EVENTS 'e'

#endif
