// source.h: the classes of a kit's jars, its memory, its problems

#ifndef INSTR_KIT_SOURCE_H
#define INSTR_KIT_SOURCE_H

#include "instr/kit/internal.h"

// --- memory: the kit's; NULL sets kit->no_memory ---

void *kit_alloc(struct instr_kit *kit, size_t count, size_t size); // zeroed
char *kit_text(struct instr_kit *kit, struct cf_slice slice);
__attribute__((format(printf, 2, 3))) char *kit_format(struct instr_kit *kit, const char *format,
                                                       ...);

// --- problems ---

__attribute__((format(printf, 4, 5))) void kit_problem(struct instr_kit *kit, bool fatal,
                                                       struct instr_kit_source where,
                                                       const char *format, ...);

// --- classes ---

// Before the other calls: makes room for so many classes.
void kit_expect(struct instr_kit *kit, size_t count);

// The class of this internal name if it is open already; NULL: it is not.
struct kit_source *kit_opened(const struct instr_kit *kit, const char *name, size_t length);

// The class of this internal name, opened; NULL: the kit does not have it, it is malformed (a problem), or memory
// ran out.
struct kit_source *kit_find(struct kit_reader *reader, const char *name, size_t length);
static inline struct kit_source *kit_find_slice(struct kit_reader *reader, struct cf_slice name) {
    return name.bytes ? kit_find(reader, (const char *)name.bytes, name.length) : NULL;
}

// The first line of a method; with NULL that of the class's constructor: where javac has the class.
struct instr_kit_source kit_where(const struct kit_source *source, const struct cf_member *method);

// The method or field of this name and descriptor that the class declares. Returns whether there is one.
bool kit_member(const struct cf_class *cls, bool is_field, struct cf_slice name,
                struct cf_slice descriptor, struct cf_member *member);

// Is the class in java.base, so that classes in java.lang of the bootstrap loader can use it?
bool kit_in_java_base(struct cf_slice name);

// The class of an array's elements, the name of any other class; NULL bytes: of primitive ones.
struct cf_slice kit_element_class(struct cf_slice name);

// Calls `visit` for each instruction with a constant as operand, in all methods. Malformed code ends its method.
void kit_walk_code(const struct cf_class *cls,
                   void (*visit)(void *context, const struct cf_member *method, uint32_t pc,
                                 unsigned opcode, uint16_t constant),
                   void *context);

// Calls `visit` for the name of each class in a descriptor.
void kit_walk_descriptor(struct cf_slice descriptor,
                         void (*visit)(void *context, struct cf_slice name), void *context);

#endif
