// What the files of plug-ins share:
//
//      plugins.c   the option, the pass
//      open.c      loads the library and checks what it registers
//      host.c      the table of functions that it gets: looks
//      places.c    the rest of them: what is put where
//      helpers.c   classes in Java that plug-ins bring, and the bridges to them

#ifndef INSTR_PLUGINS_INTERNAL_H
#define INSTR_PLUGINS_INTERNAL_H

#include "instr/plugin.h"
#include "instr/plugins/open.h"
#include "instr/plugins/plugins.h"
#include "rewriters/common.h"

#include <stdbool.h>

struct instr_open_plugin {
    struct rw_pass pass;
    struct rw_made made;
    char *file, *options;
    void *library; // NULL: not open
    bool offline, started;
    const struct instr_plugin_jvm *jvm; // NULL: there is none
    struct instr_plugin plugin;         // as registered, with zeros for what its version lacks
    void *data;
    struct instr_plugin_helper *helpers;
    uint64_t lost; // events; changed by instr_plugin_drain
};

struct instr_class {
    struct rw_class *in;
    const struct instr_open_plugin *plugin;
    bool misused; // by `wants`, which has used another handle
};

struct instr_call_at { // an instruction that calls, by index
    uint32_t instruction;
    bool timed; // the local call_start has the time before it
};

struct instr_code {
    const struct instr_class *of;
    struct cf_edit *edit;
    // From here on everything is zero at first.
    const uint16_t *lines;       // by pc; NULL: not asked for yet
    struct instr_call_at *calls; // NULL: not asked for yet
    uint32_t calls_count;
    uint32_t start;      // local: when the method was entered; 0: none
    uint32_t call_start; // local: when a call began; 0: none
    const char *name;    // of the counter that is being put; NULL: none
    uint32_t *copies;    // locals: parameters as they were at the entry, by slot; 0: no copy
    uint32_t self;       // local: a constructor's `this`, from when it is initialized on; 0: none
    const char *own;     // descriptor of the class; NULL: not asked for yet
    int keeps_this;      // -1: the method stores something else into local 0; 0: not known yet
};

extern const struct instr_host instr_plugin_host;

// The text in the arena of the class, terminated, with dots instead of slashes if `dots`. NULL: there is
// no text, or memory ran out.
const char *instr_plugin_text(const struct instr_class *cls, struct cf_slice text, bool dots);

// The callback that runs on this thread. The host takes the handles that it got, and no others.
struct instr_plugin_callback {
    const struct instr_class *cls;
    const struct instr_code *code; // NULL: it has none
    bool misused;                  // a function of the host got another handle
    struct instr_plugin_callback *outer;
};
void instr_plugin_enter(struct instr_plugin_callback *callback);
void instr_plugin_leave(const struct instr_plugin_callback *callback);
bool instr_plugin_has_class(const struct instr_class *cls);
bool instr_plugin_has_code(const struct instr_code *code);

// Call `n` of the method, and what it refers to. False: there are fewer.
struct instr_found_call {
    struct instr_call_at *at;
    struct cf_slice class_name, name, descriptor;
};
bool instr_plugin_find_call(struct instr_code *code, uint32_t n, struct instr_found_call *call);

// instr_host.options, add and add_helper, for the plug-in that this thread is opening.
const char *instr_plugin_options(void);
int instr_plugin_add(const struct instr_plugin *plugin, void *data);
int instr_plugin_add_helper(const void *bytes, size_t length);

// instr_host.count, observe, skip, skip_if, emit and call_helper.
int instr_plugin_count(struct instr_code *code, const struct instr_at *at, const char *counter);
int instr_plugin_observe(struct instr_code *code, const struct instr_at *at, const char *histogram,
                         const struct instr_value *value);
int instr_plugin_skip(struct instr_code *code, uint32_t n);
int instr_plugin_skip_if(struct instr_code *code, const struct instr_test *condition);
int instr_plugin_emit(struct instr_code *code, const struct instr_at *at, const char *event,
                      const struct instr_value *value);
int instr_plugin_call_helper(struct instr_code *code, const struct instr_at *at,
                             const char *class_name, const char *method,
                             const struct instr_value *const *values, uint32_t count);

// The first letters of the types of the parameters; returns their number. *result: of the result. A
// malformed descriptor has none.
enum { INSTR_PLUGIN_PARAMETERS = 255 };
uint32_t instr_plugin_read_types(struct cf_slice descriptor, char types[INSTR_PLUGIN_PARAMETERS],
                                 char *result);
// Instructions for values of a type, by the first letter of its descriptor; `nothing`: pushes 0 or null.
enum cf_opcode instr_plugin_return_of(char type);
enum cf_opcode instr_plugin_nothing_of(char type);

void instr_plugin_close(struct instr_open_plugin *plugin);

#endif
