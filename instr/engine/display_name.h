// The names under which generated classes are reported.
//
// The JVM gives each class that it generates a new name. A JVM that runs for long, with class
// loaders that are created and unloaded, generates them by the ten thousand, and they would use up
// the method ids (instr/id_registry.h). So their numbers are dropped, and equal names share ids:
//
//      sun/reflect/GeneratedMethodAccessor12    sun/reflect/GeneratedMethodAccessor; also those of
//                                               constructors and serialization, and those in
//                                               jdk/internal/reflect
//      com/acme/$Proxy1234                      com/acme/$Proxy, from number 1000 on: the proxies
//                                               of a program with fewer keep their names
//      jdk/proxy12/$Proxy1234                   jdk/proxy/$Proxy
//      com/acme/Foo$$Lambda$12/791452441        com/acme/Foo$$Lambda
//      com/acme/Foo$$Lambda/0x00007f0012345678  com/acme/Foo$$Lambda
//      com/acme/Foo.0x00007f0012345678          com/acme/Foo (a hidden class)

#ifndef INSTR_DISPLAY_NAME_H
#define INSTR_DISPLAY_NAME_H

#include "classfile/classfile.h"

// The name to report for the internal name in a class file. The result is part of `name` or static.
struct cf_slice instr_display_name(struct cf_slice name);

// The same in place, for a name in a stack trace or a JVM TI signature (GetClassSignature); L and ;
// are there for arrays only.
void instr_normalize_generated_name(char *name);

#endif
