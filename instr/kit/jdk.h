// jdk.h: the classes of an installed JDK, without a JVM: of its module image (JDK 9 and later) or rt.jar

#ifndef INSTR_KIT_JDK_H
#define INSTR_KIT_JDK_H

#include "instr/kit/jar.h"

struct instr_jdk {
    const uint8_t *image; // lib/modules, mapped; NULL: a jar, or none
    size_t length;
    struct instr_jar jar;
};

// Opens the JDK or JRE at `home`. Returns false if none is there that can be read.
bool instr_jdk_open(struct instr_jdk *jdk, const char *home);
void instr_jdk_close(struct instr_jdk *jdk);

// The class file of this internal name, from malloc; NULL: there is none, or it cannot be read.
uint8_t *instr_jdk_read(const struct instr_jdk *jdk, const char *name, size_t name_length,
                        size_t *length);

#endif
