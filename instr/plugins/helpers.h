// helpers.h: classes in Java that plug-ins bring, and the bridges to them

#ifndef INSTR_PLUGINS_HELPERS_H
#define INSTR_PLUGINS_HELPERS_H

#include "classfile/classfile.h"

enum { INSTR_PLUGIN_NAME = 256, INSTR_PLUGIN_BRIDGE = 64 };

// A class in Java that a plug-in brings.
struct instr_plugin_helper {
    struct instr_plugin_helper *next;
    char name[INSTR_PLUGIN_NAME];     // internal
    char bridge[INSTR_PLUGIN_BRIDGE]; // the class that is called
    struct cf_class cls;
    struct cf_arena arena;
};

// A helper, without a name if that are not the bytes of a class; NULL: out of memory.
struct instr_plugin_helper *instr_plugin_new_helper(const void *bytes, size_t length);
void instr_plugin_free_helpers(struct instr_plugin_helper *helpers);
// The helper's public static method with this number of parameters; NULL: none.
const struct cf_member *instr_plugin_find_helped(const struct instr_plugin_helper *helper,
                                                 const char *name, uint32_t count);

// Makes the class helper->bridge in the arena; `package` is the runtime's. On an error nothing was made.
enum cf_status instr_plugin_bridge(const struct instr_plugin_helper *helper, const char *package,
                                   struct cf_arena *arena, uint8_t **bytes, size_t *length,
                                   struct cf_error *error);

#endif
