// The lines of code that Kotlin inlines: SourceDebugExtension (JVMS 4.7.11), a table in text (JSR 45)
// of which lines of which files were given which numbers.
//
//      SMAP
//      Main.kt
//      Kotlin
//      *S Kotlin
//      *F
//      + 1 Main.kt
//      com/acme/MainKt
//      *L
//      1#1,12:1             line 1 and 11 more of file 1 are the lines from 1 on
//      *E

#ifndef INSTR_CLI_COVERAGE_SMAP_H
#define INSTR_CLI_COVERAGE_SMAP_H

#include "classfile/classfile.h"

#include <stdint.h>

struct cover_mapping {
    struct cf_slice file, class_name; // which the lines come from
    uint32_t from, count, to;
};

struct cover_smap {
    struct cover_mapping *list; // in the class's arena
    uint32_t count;
};

// Reads the table of a class. There are no mappings if it has none or a malformed one. Returns 0; -1:
// out of memory.
int cover_smap_read(struct cover_smap *smap, const struct cf_class *cls);

#endif
