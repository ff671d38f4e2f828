// What the files of the room share.
//
//      jar.c inflate.c   jars
//      folder.c          folders of classes
//      kit.c             opens a kit: all of the below in that order
//      source.c          the classes of the jars, opened when they are needed; problems
//      advice.c          annotations of advice classes; targets, methods
//      binding.c         the parameters of advice methods
//      closure.c         what advice classes use of the kit, and what can be in the bootstrap loader
//      naming.c          the names under which classes are defined
//      rename.c          class files under these names
//      template.c        ... for a package
//      bridge.c          classes between advised methods and advice
//      fit.c             which methods an advice applies to
//      applied.c         where they were called from
//      targets.c         ... in class files
//      supertypes.c      what is above a class there
//      link.c            whether what the closure uses is there
//      class_path.c      ... in jars and a JDK
//      jdk.c             the classes of an installed JDK

#ifndef INSTR_KIT_INTERNAL_H
#define INSTR_KIT_INTERNAL_H

#include "instr/kit/jar.h"
#include "instr/kit/kit.h"

// Where types of package instr.kit are in a JVM.
#define KIT_TYPES "instr/kit/"
#define KIT_TYPES_RENAMED INSTR_KIT_BOOT "InstrKit"
#define KIT_HOLDER KIT_TYPES "Holder"

// A class of the jars.
struct kit_source {
    const char *name; // internal
    const char *file; // SourceFile, or the class file
    struct cf_class cls;
    bool is_advice;
    bool in_closure;          // of any advice
    bool boot;                // after closure.c
    bool looked_at;           // its uses are known
    bool opened_private;      // another class uses its private members
    struct kit_source **uses; // classes of the kit
    size_t use_count;
    struct kit_source *next, *next_in_bucket;
    struct instr_kit_class *made; // of it, for each alternative that needs one of its own
    unsigned mark;                // for walks
};

// A kit while it is read.
struct kit_reader {
    struct instr_kit *kit;
    struct instr_jar *jars;
    size_t jar_count;
    size_t source_count;
    unsigned mark;
    // What was read last, so that it is not inflated again.
    const struct instr_jar_entry *read;
    uint8_t *read_bytes;
};

#endif
