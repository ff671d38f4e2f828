// A JVM seen from outside: what it is, and what its command line allows. Nothing here disturbs it.

#ifndef INSTR_JVM_H
#define INSTR_JVM_H

#include "instr/process/process.h"

enum instr_jvm_kind {
    INSTR_NO_JVM,
    INSTR_HOTSPOT,
    INSTR_OPENJ9,
    INSTR_JVM_UNKNOWN // /proc does not let us look
};

struct instr_jvm {
    struct instr_target target;
    enum instr_jvm_kind kind;
    int musl;                        // runs on musl instead of glibc
    int release;                     // 17; 0: not known
    char version[128];               // "17.0.15+6-Debian"; "": not known
    char name[128];                  // "OpenJDK 64-Bit Server VM"; "": not known
    char command[512];               // main class or jar with its arguments; "": not known
    char library[INSTR_TARGET_NAME]; // libjvm.so, as the JVM sees it
    char agent[INSTR_TARGET_NAME];   // our library, as the JVM sees it; "": not loaded
    char *options;                   // of the JVM, with newlines between; NULL: not known
    char capabilities[16];           // sun.rt.jvmCapabilities; "": not known
};

// Looks at the process. 0; or -1 with the reason in words when there is none. `kind` says whether
// it is a JVM.
int instr_jvm_open(struct instr_jvm *jvm, long pid, char *reason, size_t size);
void instr_jvm_close(struct instr_jvm *jvm);

// Is the flag on ('+'), off ('-') or not given (0) on the command line? The last one counts, as for
// the JVM.
int instr_jvm_flag(const struct instr_jvm *jvm, const char *name);
// The first option that begins so, in `text`. 1, or 0: none.
int instr_jvm_option(const struct instr_jvm *jvm, const char *start, char *text, size_t size);

// Does the launcher java take the next word as the value of this one?
int instr_jvm_takes_value(const char *word);

// Why nothing can be attached to it, in words; NULL: as far as can be seen, it can.
const char *instr_jvm_no_attach(const struct instr_jvm *jvm, char *text, size_t size);

#endif
