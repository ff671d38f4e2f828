// hotspot_structs.h: the table of HotSpot's own fields that libjvm.so exports for the serviceability
// agent (gHotSpotVMStructs)
//
// What it names differs between releases: each caller must work without a name.

#ifndef INSTR_VM_HOTSPOT_STRUCTS_H
#define INSTR_VM_HOTSPOT_STRUCTS_H

#include <jni.h>
#include <stdint.h>

struct instr_hotspot_field {
    const char *type, *name;
    uint64_t offset;     // of a field of an instance
    const void *address; // of a static field; NULL for the others
};

// Calls `each` for every field in the table. Nothing happens in a JVM without one.
void instr_hotspot_each_field(JavaVM *vm,
                              void (*each)(void *context, const struct instr_hotspot_field *field),
                              void *context);

// The size in bytes of an instance of the type; 0: unknown.
uint64_t instr_hotspot_size(JavaVM *vm, const char *type);

#endif
