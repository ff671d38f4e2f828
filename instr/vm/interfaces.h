// interfaces.h: what HotSpot makes of an interface that is retransformed while other threads load
// classes.
//
// Between parsing a class and linking it HotSpot holds pointers to methods of the interfaces that
// it implements, across points at which the VM may stand still: those that the class does not
// implement itself (ClassFileParser's list of them for DefaultMethods::generate_default_methods,
// all JDKs from 8 on), and those that the constraints of class loaders are checked for
// (klassItable::check_constraints, from 17 on). Retransforming an interface frees its methods,
// whether they changed or not, and the VM crashes. Static and private methods are in neither list.
// Methods of superclasses HotSpot holds in handles.

#ifndef INSTR_INTERFACES_H
#define INSTR_INTERFACES_H

#include <jvmti.h>

#include <stddef.h>
#include <stdint.h>

#define INSTR_INTERFACE_REASON                                                                     \
    "HotSpot may crash when an interface is changed while classes that implement it are loaded; "  \
    "interfaces=yes does it all the same"

enum instr_interface {
    INSTR_INTERFACE_NONE, // it is a class, or nothing can be held of it
    INSTR_INTERFACE_BARE, // there is no code in it
    INSTR_INTERFACE_CODE  // there is code, or it cannot be told
};

// What the class, which is prepared, is in that respect. Leaves no exception pending.
enum instr_interface instr_interface_of(jvmtiEnv *jvmti, jclass class);

// That so many were left as they were, in one line without "instr: ".
void instr_interfaces_tell(uint64_t count, char *line, size_t size);

#endif
