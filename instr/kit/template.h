// template.h: names and classes for the package that they are defined in

#ifndef INSTR_KIT_TEMPLATE_H
#define INSTR_KIT_TEMPLATE_H

#include "instr/kit/kit.h"

// Packages are "" or "com/acme/".

// Writes a template (a name, a descriptor) with its package, truncated if too long. Returns the complete length.
size_t instr_kit_expand(const char *template_text, const char *package, char *text, size_t size);

// The class file for a package, from `allocate`, which may return NULL. Returns false if memory runs out or a
// name becomes too long.
bool instr_kit_class_bytes(const struct instr_kit_class *cls, const char *package,
                           void *(*allocate)(void *context, size_t size), void *context,
                           uint8_t **bytes, size_t *length);

#endif
