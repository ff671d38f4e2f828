// naming.h: the names under which classes are defined

#ifndef INSTR_KIT_NAMING_H
#define INSTR_KIT_NAMING_H

#include "instr/kit/internal.h"

// Makes kit->classes and each advice's list of them, without bytes, and gives the texts of the advices their new
// names. After kit_close.
void kit_name_classes(struct kit_reader *reader);

// The new name of a class (as in CONSTANT_Class), for a class of the kit with this alternative; NULL: the old one.
const char *kit_new_name(struct instr_kit *kit, const struct instr_kit_class *user,
                         struct cf_slice name);

// A descriptor or signature (JVMS 4.7.9.1) with new names; NULL: nothing in it changes.
const char *kit_new_descriptor(struct instr_kit *kit, const struct instr_kit_class *user,
                               struct cf_slice descriptor);

#endif
