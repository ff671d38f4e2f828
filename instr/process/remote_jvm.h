// remote_jvm.h: a JVM seen from outside: what it is, and what its command line allows. Nothing here
// affects the JVM.

#ifndef INSTR_PROCESS_REMOTE_JVM_H
#define INSTR_PROCESS_REMOTE_JVM_H

#include "instr/process/process.h"

enum instr_remote_jvm_kind {
    INSTR_NO_JVM,
    INSTR_HOTSPOT,
    INSTR_OPENJ9,
    INSTR_JVM_UNKNOWN // /proc is not readable
};

struct instr_remote_jvm {
    struct instr_process process;
    enum instr_remote_jvm_kind kind;
    int musl;                         // runs on musl instead of glibc
    int release;                      // 17; 0: unknown
    char version[128];                // "17.0.15+6-Debian"; "": unknown
    char name[128];                   // "OpenJDK 64-Bit Server VM"; "": unknown
    char command[512];                // main class or jar with its arguments; "": unknown
    size_t main_length;               // of the main class or jar, which may contain spaces
    char library[INSTR_PROCESS_NAME]; // libjvm.so, as the JVM sees it
    char agent[INSTR_PROCESS_NAME];   // our library, as the JVM sees it; "": not loaded
    int runs_agent;                   // it has a mapping of that which is executable
    char libc[INSTR_PROCESS_NAME];    // glibc's, as the JVM sees it; "": unknown
    char *options;                    // of the JVM, each with a newline; NULL: unknown
    size_t options_length;            // so many bytes
    char capabilities[16];            // sun.rt.jvmCapabilities; "": unknown
};

// Inspects the process. 0, or -1 with a reason if there is no such process. `kind` says whether it is
// a JVM.
int instr_remote_jvm_open(struct instr_remote_jvm *jvm, long pid, char *reason, size_t size);
void instr_remote_jvm_close(struct instr_remote_jvm *jvm);

// Is the flag on ('+'), off ('-') or not given (0) on the command line? The last one counts, as it
// does for the JVM.
int instr_remote_jvm_flag(const struct instr_remote_jvm *jvm, const char *name);
// The first option with this start, in `text`. 1; 0: there is none.
int instr_remote_jvm_option(const struct instr_remote_jvm *jvm, const char *start, char *text,
                            size_t size);

// Does the launcher java take the next word as the value of this one?
int instr_remote_jvm_takes_value(const char *word);

// Why an agent cannot be attached; NULL: there is no known reason.
const char *instr_remote_jvm_no_attach(const struct instr_remote_jvm *jvm, char *text, size_t size);
// Why it cannot be now: its limit leaves too few file descriptors. NULL as above.
const char *instr_remote_jvm_no_descriptors(const struct instr_remote_jvm *jvm, char *text,
                                            size_t size);
// The same for threads.
const char *instr_remote_jvm_no_threads(const struct instr_remote_jvm *jvm, char *text,
                                        size_t size);
// The same for address space and memory mappings.
const char *instr_remote_jvm_no_memory(const struct instr_remote_jvm *jvm, char *text, size_t size);

// Why the JVM's glibc cannot load the library, a file of ours: it is older than the library needs.
// NULL: there is no known reason.
const char *instr_remote_jvm_old_libc(const struct instr_remote_jvm *jvm, const char *library,
                                      char *text, size_t size);

#endif
