// The table of options, one row each. The parser, the structures, the help text and (checked by a
// test) the tables in OPTIONS.md and instr.1 follow it. A row is
//
//      OPTION(field, key, kind, argument, help)
//
// `field` is the field of struct instr_options (struct instr_pass_options), `argument` is what the
// help shows. For a choice it lists the valid words; the first one is the default and the value 0
// of the field.

#ifndef INSTR_OPTIONS_TABLE_H
#define INSTR_OPTIONS_TABLE_H

#define INSTR_OPTIONS(OPTION)                                                                      \
    OPTION(include, "include", PATTERNS, "PATTERNS",                                               \
           "instrument classes that match, from any loader; by default all classes "               \
           "except those of the bootstrap and platform loaders")                                   \
    OPTION(exclude, "exclude", PATTERNS, "PATTERNS",                                               \
           "do not instrument classes that match, even if include= does")                          \
    OPTION(huge, "huge", CHOICE, "no|yes",                                                         \
           "also instrument methods that would grow past 8,000 bytes; HotSpot does not "           \
           "compile methods that large")                                                           \
    OPTION(runtime, "runtime", CHOICE, "direct|path",                                              \
           "how to load the Java runtime: defined directly, or from a jar on the "                 \
           "bootstrap search path")                                                                \
    OPTION(stats, "stats", FILE, "FILE",                                                           \
           "write statistics of the instrumentation to FILE (JSON) at exit; %p is the "            \
           "process id")                                                                           \
    OPTION(verify, "verify", CHOICE, "on|off",                                                     \
           "verify rewritten code before the JVM gets it; classes that fail are skipped")          \
    OPTION(verify_dump, "verify-dump", FILE, "DIR",                                                \
           "write rewritten classes of which code would not verify to the folder DIR, for "        \
           "bug reports; DIR/com.acme.Foo.class")                                                  \
    OPTION(quiet, "quiet", CHOICE, "no|yes",                                                       \
           "print no tables and no summary for the passes of who gives it; those of other owners " \
           "have theirs. A file that was written is named all the same, but for that of coverage") \
    OPTION(verbose, "verbose", CHOICE, "no|yes", "print each class and method that is skipped")    \
    OPTION(memory, "memory", SIZE, "SIZE",                                                         \
           "maximum memory for the counters of all threads; default an eighth of the "             \
           "JVM's maximum heap, from 8M to 128M. What has no room takes longer to count: "         \
           "timing.clock=auto then measures one of some 64 calls")                                 \
    OPTION(facts, "facts", FILE, "FILE",                                                           \
           "write the capabilities and settings of the JVM to FILE (JSON) when it has "            \
           "started; %p is the process id")                                                        \
    OPTION(control, "control", SOCKET, "on|off|/DIR",                                              \
           "accept instr(1) commands on a socket that only this user and root can "                \
           "connect to; /DIR: the folder for it instead of /tmp, as in the environment "           \
           "variable INSTR_DIR")                                                                   \
    OPTION(batch, "batch", COUNT, "N",                                                             \
           "classes per RetransformClasses call (one safepoint pause each); default 500")          \
    OPTION(batch_threads, "batch-threads", CHOICE, "auto|1|2",                                     \
           "threads that retransform loaded classes; auto: two if the JVM allows it and "          \
           "a processor is idle")                                                                  \
    OPTION(pace, "pace", CHOICE, "auto|off",                                                       \
           "how fast loaded classes are retransformed while the application works: auto: as "      \
           "fast as the JVM's compilers follow; off: at once")                                     \
    OPTION(interfaces, "interfaces", CHOICE, "no|yes",                                             \
           "also instrument loaded interfaces with default or static methods; HotSpot "            \
           "may crash if it loads classes that implement them at the same time")                   \
    OPTION(max_classes, "max-classes", COUNT, "N",                                                 \
           "instrument at most N classes, for all owners together")                                \
    OPTION(max_methods, "max-methods", COUNT, "N",                                                 \
           "instrument at most N methods, for all owners together; classes that would exceed "     \
           "the limit are skipped")                                                                \
    OPTION(expiry, "for", DURATION, "TIME",                                                        \
           "switch off the passes of who gives it after TIME, such as 30s, 5m or 1h; those of "    \
           "other owners stay on")                                                                 \
    OPTION(max_overhead, "max-overhead", PERCENT, "SHARE|off",                                     \
           "switch a pass of who gives it off if it costs more than SHARE, such as 5%, of the "    \
           "JVM's CPU time; default 10% for passes that are switched on while the JVM runs, off "  \
           "for those that it starts with")                                                        \
    OPTION(allow, "allow", WORDS, "delay:throw:return:set",                                        \
           "allow the rules that these options add to change what the program does")               \
    OPTION(config, "config", CONFIG, "FILE",                                                       \
           "read options from FILE, one per line; lines that start with # are comments")

// Options that every pass has, written `pass.key=value`.
#define INSTR_PASS_OPTIONS(OPTION)                                                                 \
    OPTION(file, "file", FILE, "FILE",                                                             \
           "write the result to FILE (JSON) at exit; %p is the process id")                        \
    OPTION(top, "top", NUMBER, "N", "rows of the table printed at exit; default 20; 0: no table")  \
    OPTION(lease, "for", DURATION, "TIME", "switch this pass off after TIME")                      \
    OPTION(max_overhead, "max-overhead", PERCENT, "SHARE|off",                                     \
           "the limit of this pass alone, in place of max-overhead=")                              \
    OPTION(include, "include", PATTERNS, "PATTERNS",                                               \
           "classes for this pass alone, in place of include=")                                    \
    OPTION(exclude, "exclude", PATTERNS, "PATTERNS",                                               \
           "classes that this pass alone skips, in place of exclude=")

#endif
