// The table of options: one row each. The parser, the structures, the help text, and (checked by a
// test) the tables in README.md and instr.1 follow it. A row is
//
//      OPTION(field, key, kind, argument, help)
//
// `field` is that of struct instr_options (struct instr_pass_options), `argument` is what
// the help shows; for a choice it lists the valid words, the first one being the value 0 of the
// field and the default.

#ifndef INSTR_OPTIONS_TABLE_H
#define INSTR_OPTIONS_TABLE_H

#define INSTR_OPTIONS(OPTION)                                                                      \
    OPTION(include, "include", PATTERNS, "PATTERNS",                                               \
           "the classes to instrument, whichever loader they come from; without it all classes "   \
           "but those of the boot and platform loaders")                                           \
    OPTION(exclude, "exclude", PATTERNS, "PATTERNS",                                               \
           "classes to leave alone, taken away from the above")                                    \
    OPTION(huge, "huge", CHOICE, "no|yes",                                                         \
           "also instrument methods that would grow past 8,000 bytes, which HotSpot never "        \
           "compiles then")                                                                        \
    OPTION(runtime, "runtime", CHOICE, "direct|path",                                              \
           "how the Java runtime gets into the JVM: defined directly, or as a jar on the "         \
           "bootstrap search path")                                                                \
    OPTION(stats, "stats", FILE, "FILE",                                                           \
           "write what was done, in figures, to FILE (JSON) at exit; %p is the process id")        \
    OPTION(verify, "verify", CHOICE, "on|off",                                                     \
           "verify the code of rewritten classes before the JVM gets them; a class that fails is " \
           "kept as it was")                                                                       \
    OPTION(quiet, "quiet", CHOICE, "no|yes", "print no summary and no tables at exit")             \
    OPTION(verbose, "verbose", CHOICE, "no|yes",                                                   \
           "print each method and class that is kept as it was")                                   \
    OPTION(memory, "memory", SIZE, "SIZE",                                                         \
           "the most memory that the counters of all threads may take, such as 8M; beyond it "     \
           "threads share")                                                                        \
    OPTION(facts, "facts", FILE, "FILE",                                                           \
           "write what the JVM is and allows, to FILE (JSON) when it has started; %p is the "      \
           "process id")                                                                           \
    OPTION(control, "control", CHOICE, "on|off",                                                   \
           "listen for the commands of instr(1) on a socket that only this user and root can "     \
           "reach")                                                                                \
    OPTION(batch, "batch", COUNT, "N",                                                             \
           "loaded classes that are changed in one step, in which the JVM stands still; 500 if "   \
           "not given")                                                                            \
    OPTION(batch_threads, "batch-threads", CHOICE, "auto|1|2",                                     \
           "threads that change loaded classes; auto: two where the JVM bears it and a "           \
           "processor is idle")                                                                    \
    OPTION(interfaces, "interfaces", CHOICE, "no|yes",                                             \
           "also change interfaces that are loaded already and have code, at which HotSpot may "   \
           "crash when it loads classes that implement them meanwhile")                            \
    OPTION(max_classes, "max-classes", COUNT, "N",                                                 \
           "change no more than N classes; the others are left as they are")                       \
    OPTION(max_methods, "max-methods", COUNT, "N",                                                 \
           "change no more than N methods; classes with others are left as they are")              \
    OPTION(expiry, "for", DURATION, "TIME",                                                        \
           "switch all passes off again after TIME, such as 30s, 5m or 1h")                        \
    OPTION(max_overhead, "max-overhead", PERCENT, "SHARE",                                         \
           "switch a pass off when it costs more than SHARE, such as 5%, of the time that the "    \
           "JVM's threads run")                                                                    \
    OPTION(config, "config", CONFIG, "FILE",                                                       \
           "read options from FILE, one per line; a line that starts with # is a comment")

// Every pass has these, written `pass.key=value`.
#define INSTR_PASS_OPTIONS(OPTION)                                                                 \
    OPTION(file, "file", FILE, "FILE",                                                             \
           "write the result to FILE (JSON) at exit; %p is the process id")                        \
    OPTION(top, "top", NUMBER, "N",                                                                \
           "rows of the table printed at exit, 20 if not given; 0: no table")

#endif
