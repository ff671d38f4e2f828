// told_name.h: the names under which classes are told that a JVM makes as it runs
//
// Some of them have a new name each time, and a JVM that runs for long, with class loaders that
// come and go, makes them by the ten thousand. With their own names they would use up the ids there
// are (methods.h). So their numbers are left away, and what is the same in all of them has one id:
//
//      sun/reflect/GeneratedMethodAccessor12   .. GeneratedMethodAccessor; so those for
//      constructors
//                                              and serialization, in jdk/internal/reflect too
//      com/acme/$Proxy1234                     com/acme/$Proxy, from number 1000 on: a program that
//                                              has fewer proxies has each with its name
//      jdk/proxy12/$Proxy1234                  jdk/proxy/$Proxy
//      com/acme/Foo$$Lambda$12/791452441       com/acme/Foo$$Lambda; so with /0x00007f0012345678
//      com/acme/Foo.0x00007f0012345678         com/acme/Foo, a hidden class
#ifndef INSTR_TOLD_NAME_H
#define INSTR_TOLD_NAME_H

#include "classfile/classfile.h"

// Of the internal name of a class as its class file has it. The result is part of `name` or static.
struct cf_slice instr_display_name(struct cf_slice name);

// The same in place, of a name as JVM TI GetClassSignature gives it, without L and ; but for
// arrays, or as a stack trace has it.
void instr_normalize_generated_name(char *name);

#endif
