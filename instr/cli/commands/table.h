// The table of commands: one row each, in the order of the help. The parser, `instr help`, the man
// page, COMMANDS.md and the list in README.md come from it. A row is
//
//      COMMAND(name, arguments, help, details)
//
// A _ in a name stands for - on the command line. `arguments` is the usage, `help` one line, and
// `details` what else users should know, with blank lines between paragraphs. In the usage the
// arguments are in capitals; the pages show options and KEY=VALUE in the details as code.

#ifndef INSTR_CLI_COMMANDS_TABLE_H
#define INSTR_CLI_COMMANDS_TABLE_H

#define INSTR_COMMANDS(COMMAND)                                                                    \
    COMMAND(run, "OPTION... [--allow WORDS] [--for TIME] -- COMMAND ARGUMENT...",                  \
            "start a command with the agent in its JVMs",                                          \
            "If the command is java, the agent goes onto its command line; "                       \
            "otherwise it goes to the start of the environment variable "                          \
            "JAVA_TOOL_OPTIONS, so that it reaches all JVMs below a build tool or "                \
            "a script. Each of these JVMs prints a line about the variable. It goes there, "       \
            "too, if that variable or JDK_JAVA_OPTIONS names an agent: ours comes first. "         \
            "Mistakes in the options are reported before anything starts. --allow "                \
            "WORDS is the option allow=WORDS, --for TIME is for=TIME. The "                        \
            "command replaces instr: exit status and signals are the command's own. With "         \
            "coverage.html=DIR, or FILE.html, instr waits for the command and then makes pages "   \
            "of what all its JVMs covered, as 'instr coverage report' does.")                      \
    COMMAND(list, "[--json]",                                                                      \
            "list the JVMs of this machine: process, user, version, agent, main "                  \
            "class",                                                                               \
            "The agent is dormant or active; busy means that it runs a command of another "        \
            "client; silent means that its library is loaded but does not listen, as after "       \
            "'instr detach'; stopped means that the process is, as by SIGSTOP. For JVMs of "       \
            "other users only root sees everything.")                                              \
    COMMAND(attach, "PID [OPTION...] [--wait] [--for TIME] [--as NAME] [--json]",                  \
            "load the agent into a running JVM and enable passes",                                 \
            "Without a pass among the options the agent stays dormant. If it is "                  \
            "already in the JVM, the options go to it. No JDK is needed. Root may "                \
            "attach to JVMs of other users and in other namespaces; if the JVM "                   \
            "cannot see the agent's library, a copy goes into the directory of the "               \
            "control socket. Whatever prevents attaching (a JVM other than "                       \
            "HotSpot, -XX:+DisableAttachMechanism, -XX:-EnableDynamicAgentLoading) "               \
            "is reported before anything is sent. JDK 21 and later print a warning "               \
            "when an agent is attached (JEP 451), unless started with "                            \
            "-XX:+EnableDynamicAgentLoading.\n\nThe command returns as soon as "                   \
            "there are figures to show. If many classes match, some hundred are "                  \
            "instrumented by then: those on the stacks of threads first, and the "                 \
            "application's before the JDK's. The output says how many follow in "                  \
            "the background; 'instr status' and 'instr top' show the progress. "                   \
            "A few, up to 32, are waited for, two seconds at most. "                               \
            "With --wait the command returns when all are instrumented. "                          \
            "--for TIME and for=TIME mean the same, here and in the other commands.")              \
    COMMAND(status, "PID [--json]", "print what the agent in a JVM is doing and has done",         \
            "Prints the enabled passes, what was instrumented, what was skipped "                  \
            "and why, the memory in use, and which other agents are loaded.")                      \
    COMMAND(                                                                                       \
        enable, "PID OPTION... [--no-wait] [--for TIME] [--as NAME] [--json]",                     \
        "enable passes in a JVM, or change their options",                                         \
        "If the JVM has no agent, it is attached first; redefine does that "                       \
        "too, and watch, dump and show for as long as they take. What the "                        \
        "options do not name stays as it is. Loaded classes are retransformed "                    \
        "in batches, in the same order as with attach. The command waits and "                     \
        "shows the progress; after Ctrl-C, or with --no-wait, the rest "                           \
        "continues in the background, and other commands may run "                                 \
        "meanwhile.\n\nFrom JDK 17.0.3 on two threads retransform if half a "                      \
        "processor was idle, no Java agent is loaded, no class was redefined, "                    \
        "and neither max-classes nor max-methods is set. That takes about two "                    \
        "thirds of the time. The safepoint pauses are as many and as long, but "                   \
        "closer together. batch-threads=2 always uses two threads, "                               \
        "batch-threads=1 one.\n\nInterfaces with default or static methods "                       \
        "that are already loaded are skipped and reported: whichever agent "                       \
        "retransforms an interface, HotSpot may crash if another thread loads "                    \
        "a class that implements it at that moment. Interfaces that were "                         \
        "instrumented when they were loaded are changed like other classes. "                      \
        "interfaces=yes includes all of them, for a JVM that loads no classes "                    \
        "meanwhile; after a revert it must be given again."                                        \
        "\n\nA pass belongs to who enables it: NAME, or the login name. Several people may have "  \
        "the same pass, each with a scope and results of their own: include and exclude are for "  \
        "the passes that the command names, PASS.include and PASS.exclude for that one. Enabling " \
        "a pass again under the same name changes its scope: include and exclude are one scope, "  \
        "and a command that gives only one of them takes the other one away. for=TIME ends all "   \
        "passes of who "                                                                           \
        "gives it, but rules, which have times of their own, only if the command names no pass; "  \
        "those of others stay on. alloc, exceptions and natives run "                              \
        "once for all: their counts begin when the first has enabled them. Options of a pass, "    \
        "such as timing.clock, must be the same for all who have it; only its files may differ. "  \
        "coverage and watch are for one at a time. 'instr status' "                                \
        "shows who has enabled what, and since when; the JVM's standard error gets a line, "       \
        "unless "                                                                                  \
        "quiet=yes.")                                                                              \
    COMMAND(                                                                                       \
        disable, "PID PASS [--as NAME | --all] [--json]", "disable a pass in a JVM",               \
        "Ends the pass for who has enabled it: NAME, or the login name. Who has not enabled it "   \
        "ends it for the JVM's command line. --all ends it for everybody.\n\n"                     \
        "Writes the file of the pass, or prints its table if it has none. The "                    \
        "exit status is 1 if the file cannot be written. If the command is interrupted, the "      \
        "table goes to the JVM's standard error, unless quiet=yes.")                               \
    COMMAND(                                                                                       \
        set, "PID [KEY=VALUE...] [--for TIME] [--as NAME] [--json]",                               \
        "change options of what is enabled in a JVM",                                              \
        "Passes that others have enabled stay as they are, and for=TIME does not end them. "       \
        "include and exclude are one scope: who sets only one of them takes the other one away. "  \
        "Who has enabled none changes those of the JVM's command line.")                           \
    COMMAND(revert, "PID [PATTERNS] [--json]",                                                     \
            "restore the original code of classes in a JVM: those that match, or "                 \
            "all",                                                                                 \
            "Reverts the passes of all owners. "                                                   \
            "After a complete revert no pass is enabled; the results are written as "              \
            "'instr disable' does. HotSpot frees older "                                           \
            "versions of methods, and the code compiled from them, when it has "                   \
            "collected old garbage twice. If that happens rarely and passes are "                  \
            "enabled and disabled hundreds of times, each time takes longer; 'jcmd "               \
            "PID GC.run', given twice, frees them at once but pauses the JVM. For "                \
            "each lambda that runs again in a retransformed class HotSpot defines "                \
            "a new class of some 2 KB and keeps it.")                                              \
    COMMAND(                                                                                       \
        top,                                                                                       \
        "PID [METHOD [--if CONDITION] [--by VALUES]] [--sort KEY] [--rows N] [--every TIME] "      \
        "[--once] [--as NAME] [--json]",                                                           \
        "show the busiest methods of a JVM in a table that refreshes",                             \
        "Needs the pass timing or calls, preferably one's own. Each row has calls and exceptions " \
        "per second, and the mean, the 99th percentile and the maximum of the "                    \
        "calls that ended in the interval. BUSY is their self time in threads "                    \
        "(0.50: half of a thread), without WAIT, in which they were parked, "                      \
        "slept or waited for the network. WAIT is an estimate; virtual "                           \
        "threads count as busy. KEY is self (BUSY), total, calls or thrown. "                      \
        "On a terminal the keys s, t, c and e sort by self time, total time, "                     \
        "calls and exceptions, and q quits; elsewhere one table follows the "                      \
        "other. --once prints one table, of a tenth of a second or of the "                        \
        "time that --every gives. Without options the table is sorted by self, has as many rows "  \
        "as the terminal, or 20, and is of one second. MEAN, P99 and MAX are - where no "          \
        "call that is timed ended in the interval, and ~ stands before an estimate; with the "     \
        "pass calls there are no times.\n\nWith METHOD, such as 'com.acme.Shop.order(Cart cart, "  \
        "..)', "                                                                                   \
        "no pass is needed: the table has its calls as long as the command runs, those for "       \
        "which CONDITION holds, with a row for each of VALUES: --if 'cart.total > 1000' --by "     \
        "'cart.country'. Both are those of rules, read when the call ends; at most 3 values. "     \
        "TOTAL is the time in the calls per second; P99 and MAX are of all calls since the "       \
        "command began.")                                                                          \
    COMMAND(watch,                                                                                 \
            "PID METHODS [interfaces=yes] [--if CONDITION] [--print VALUES] [--limit N] "          \
            "[--if-slower TIME] [--if-thrown] [--stack] "                                          \
            "[--for TIME] [--as NAME] [--json]",                                                   \
            "print calls of methods as they happen, with arguments and results",                   \
            "Also prints the thread and the duration of each call. METHODS are "                   \
            "patterns such as com.acme.Shop.order(..), with colons between them. "                 \
            "With interfaces=yes also those of loaded interfaces ('instr help "                    \
            "interfaces'). "                                                                       \
            "com.acme.Shop+ is also what extends or implements Shop; for an abstract method that " \
            "is so anyway, and classes that are loaded later are watched, too. Up to 8 clients "   \
            "watch a JVM at the same time, each its own "                                          \
            "methods; 'instr status' lists them.\n\nCONDITION and VALUES are those of rules, "     \
            "which know parameters by the names that METHODS, one pattern then, gives them: "      \
            "--if 'cart.total > 1000' --print 'cart.country, result.total' for "                   \
            "'com.acme.Shop.order(Cart cart, ..)'. Both are read when the call ends.\n\n"          \
            "The instrumentation is "                                                              \
            "reverted after N calls (100 if not given), after the time given, on "                 \
            "Ctrl-C, and when the command is killed.")                                             \
    COMMAND(dump, "PID CLASS [--original] [-o FILE] [--json]", "write a class as a JVM has it",    \
            "Writes to FILE or to standard output. --original writes the class without what "      \
            "passes insert: as it was loaded, or as redefine has replaced it. --json prints "      \
            "name, length and file, or, without "                                                  \
            "a file, the bytes in hexadecimal.")                                                   \
    COMMAND(redefine, "PID FILE.class... [--all-loaders] [--json]",                                \
            "replace the method bodies of loaded classes",                                         \
            "Either all files take effect or none. What the JVM would reject is "                  \
            "reported in words. A class that several class loaders have is "                       \
            "rejected; --all-loaders changes it in all of them.")                                  \
    COMMAND(undo, "PID [CLASS] [--json]", "undo what redefine did", "")                            \
    COMMAND(rule,                                                                                  \
            "PID TEXT|@FILE [--name NAME] [--for TIME] [--allow WORDS] [--max-overhead SHARE]"     \
            " [--as NAME] [--json] | PID --drop NAME | PID --extend TIME NAME"                     \
            " | --explain TEXT [PATH...]",                                                         \
            "count, sum or time in a JVM where a pattern of methods matches",                      \
            "Adds the rule TEXT, such as 'com.acme.Shop.order(Cart cart, ..) exit "                \
            "/cart.total > 1000/ { @ms[cart.country] = hist(elapsed) }'; RULES.md, in "            \
            "share/doc/instr or in instr/ of the source, has the language. @FILE has several. "    \
            "They are read here, patterns in files too. The rule ends after ten minutes, or "      \
            "after TIME, whatever the time of its owner's passes is. WORDS are what it may "       \
            "change: delay, throw, return and set, with colons between.\n\n"                       \
            "'instr rules' shows its tables. 'instr rule PID --drop NAME' ends a rule and prints " \
            "them, 'instr rule PID --extend TIME NAME' gives it TIME from now on. "                \
            "'instr rule --explain TEXT [PATH...]' needs no JVM: it says what the rule does, and " \
            "prints the code of each method in the classes, folders and jars that it matches.")    \
    COMMAND(rules, "PID [--every TIME] [--top N] [--json]",                                        \
            "print the tables of the rules in a JVM",                                              \
            "Prints 20 rows of each table, or N, with --every again and again. --json prints a "   \
            "document for each rule.")                                                             \
    COMMAND(plugin, "PID NAME WORD... [--json]", "give a command to a plug-in in a JVM",           \
            "NAME is the plug-in's, as instr status prints it; the words are its own. "            \
            "Prints its answer.")                                                                  \
    COMMAND(                                                                                       \
        kits, "PID [--json]", "list the kits in a JVM, and where their advice is called",          \
        "For each advice: the methods into which it was woven since the kit is on (a method "      \
        "counts once, whatever loaders have its class), why it is not called from a class, and "   \
        "for each loader how often it has failed, and the first reason. What does not link is "    \
        "switched off for that loader.")                                                           \
    COMMAND(off, "PID [--json]",                                                                   \
            "disable everything in a JVM at once, even if its agent does not "                     \
            "respond",                                                                             \
            "The kill switch. If the agent does not respond on the socket, the "                   \
            "command creates the file PID.off beside the socket; an agent with an "                \
            "enabled pass looks for it every second, and removes it when everything is off.")      \
    COMMAND(detach, "PID [--force] [--json]",                                                      \
            "disable everything in a JVM and end the agent there",                                 \
            "Also undoes what redefine did. The agent's thread and socket end; "                   \
            "what remains of the agent in the JVM does nothing. Methods that the "                 \
            "pass natives has wrapped keep their wrappers, which only forward the "                \
            "call. If the agent could not be attached again, since the JVM forbids "               \
            "attaching for example, --force is needed.")                                           \
    COMMAND(doctor, "[PID | -- java ARGUMENT...] [--json]",                                        \
            "diagnose this machine, a JVM, or a java command line",                                \
            "Prints in one line each what works, what does not, and why. A JVM is "                \
            "only looked at. A command line is started a few times with -version "                 \
            "in place of the program, to see what the agent may do there and "                     \
            "whether class archives stay in use. The exit status is 1 if something "               \
            "would not work. --json comes before the --.")                                         \
    COMMAND(report,                                                                                \
            "FILE | PID [PASS] [--as NAME | --all] [--top N] [--sort KEY] [--html OUT] [--json] "  \
            "[--reset] [--every TIME]",                                                            \
            "print a result as a table, or make an HTML page of it: from a file, "                 \
            "or of a running JVM",                                                                 \
            "FILE was written with an option such as timing.file=FILE. The table "                 \
            "has 20 rows unless --top is given; the page has all rows and needs "                  \
            "no other file. Times are sorted by self time and counts by calls; "                   \
            "KEY is another column: self, total, calls or thrown. A file or page "                 \
            "named - is standard input or output.\n\nWith PID the results are "                    \
            "those that PASS, or each active pass, has so far; a file whose name "                 \
            "has only digits is ./4711. --json prints what the file of the pass "                  \
            "would hold. With --reset the pass counts anew from this report on, "                  \
            "so that one report follows the other without a gap. --every repeats "                 \
            "the report until Ctrl-C.\n\nOf an .exec file, also JaCoCo's, this is "                \
            "'instr coverage report', with its options, if class files are named "                 \
            "or found below the current folder. Otherwise the "                                    \
            "table shows classes with their probes and the share covered, most "                   \
            "missed probes first; KEY is missed, probes, hit, share or name. "                     \
            "Such a file names only classes of which something was covered: the "                  \
            "shares refer to these classes.")                                                      \
    COMMAND(coverage, "info|report|check|merge|diff|tests|dump|recover|line ...",                  \
            "report, check, merge and compare coverage: .exec files, also JaCoCo's",               \
            "Files of JaCoCo 0.8 and of the pass coverage have the same format. "                  \
            "PATH is a file, - for standard input, or a directory, which stands "                  \
            "for all *.exec files in it and below. The old name of the command, "                  \
            "exec, works as well.")                                                                \
    COMMAND(show,                                                                                  \
            "FILE.class | JAR!ENTRY | JAR!com.acme.Foo | - | PID CLASS "                           \
            "[--original] [--json]",                                                               \
            "print a class file, or a class of a JVM, as javap -v -p does",                        \
            "The entry of a jar is a path or a class name with dots. --original is that of dump: " \
            "the class as it was loaded, or as redefine has replaced it.")                         \
    COMMAND(check, "[--passes LIST|all] [--jobs N] PATH...",                                       \
            "check that the classes of directories and jars can be rewritten",                     \
            "Checks for every class that it is well-formed, that the rewriter "                    \
            "reproduces it byte for byte if nothing is edited, and that it is "                    \
            "well-formed with the passes applied: all of them if --passes is not "                 \
            "given. LIST is a list of options with passes among them. Prints "                     \
            "counts, ten of the skipped methods (all of them with verbose=yes in "                 \
            "the list), each failure in a line, and the time that rewriting took "                 \
            "without reading and checking. N threads do it, one for each processor if it is not "  \
            "given. Symbolic links in a directory are not followed.")                              \
    COMMAND(rewrite, "OPTION... [--jobs N] [--class-path JARS] IN -o OUT",                         \
            "rewrite a class, a directory or an archive, to run without the agent",                \
            "An archive is rewritten with the archives in it (jar, war, ear). Jars "               \
            "that are stored in an application archive stay stored; with libzip "                  \
            "1.11 to 1.11.3 they move to its end. The options are those of run. "                  \
            "Without include all classes but those of java.* are instrumented. "                   \
            "Other entries are copied byte for byte, with their order, times, "                    \
            "comments, extra fields and attributes; whether they are whole is not checked. "       \
            "Signatures would be wrong and are dropped, with a notice. A broken class or "         \
            "archive in IN stays as it was "                                                       \
            "and is reported; the exit status is 1 then. N threads do it, one for each "           \
            "processor if it is not given; the result is the same for any number. OUT appears "    \
            "when it is complete; a "                                                              \
            "directory OUT must not exist, or be empty. Symbolic links in a directory are "        \
            "copied as links.\n\n"                                                                 \
            "kit=KIT weaves the advice of a kit into IN, and puts the classes that it "            \
            "needs into OUT: the program then runs with it, without instr. What the "              \
            "agent has once in the bootstrap loader is there once in each class path, "            \
            "in package instr.woven. Supertypes are looked for in IN, in JARS (between "           \
            "colons) and in a JDK ($JAVA_HOME, or that of java in $PATH), not in jars "            \
            "in IN. All kits are named in one command; other passes go with them. A kit does "     \
            "not run in modules, only on the class path, and not in classes of the "               \
            "JDK; 'loader' and KIT.file need the agent.")                                          \
    COMMAND(                                                                                       \
        kit,                                                                                       \
        "check KIT[:KIT] [--jdk HOME] [PATH...] | test KIT[:KIT] [OPTION...] [-o OUT] -- "         \
        "COMMAND... | "                                                                            \
        "new NAME | reload PID [NAME] | drop PID NAME | jar",                                      \
        "begin, check, reload or end a kit: advice in Java, compiled and in jars",                 \
        "'instr kit check' reads a kit, jars or folders of classes, and resolves every "           \
        "class, field "                                                                            \
        "and method that it uses against "                                                         \
        "the jars and folders of classes of the application and the JDK (HOME, $JAVA_HOME, "       \
        "or that of java in "                                                                      \
        "$PATH). It prints what is wrong, "                                                        \
        "with file and line, or what the kit advises and how many methods of the jars "            \
        "that is; the exit status is 1 if something is "                                           \
        "wrong.\n\n"                                                                               \
        "'instr kit test' runs a command with the kit, and prints what the kit saw in it, or "     \
        "writes "                                                                                  \
        "it to OUT: where advice ran, how often, what failed, and how many instances have got "    \
        "values in each State. The lines are sorted and hold no times, for comparison with those " \
        "of "                                                                                      \
        "another run. The exit status is that of the command. OPTIONs are those of run.\n\n"       \
        "'instr kit new' makes a folder with a small advice, a test of it, and a script that "     \
        "builds and checks both.\n\n"                                                              \
        "'instr kit reload' reads a kit in a JVM again, or all kits, if the files have changed. "  \
        "The new "                                                                                 \
        "advice replaces the old in one step: where it applies now, and where it applied before. " \
        "Static "                                                                                  \
        "fields and State begin anew. A kit that is wrong, or that the JVM does not take, leaves " \
        "the "                                                                                     \
        "old one as it was. It takes --as, --all and --json as 'instr disable' does.\n\n"          \
        "'instr kit drop' ends a kit in a JVM: calls that begin then have no advice; for those "   \
        "that "                                                                                    \
        "are running it is still called when they end. It takes --as, --all and --json as 'instr " \
        "disable' does.\n\n"                                                                       \
        "'instr kit jar' prints the path of instr-kit.jar, which kits compile against: "           \
        "package instr.kit, annotations and "                                                      \
        "types for advice in Java 8 and later.")                                                   \
    COMMAND(agent_path, "", "print the path of the agent's library, for -agentpath", "")           \
    COMMAND(runtime_jar, "", "print the path of the jar that rewritten programs need", "")         \
    COMMAND(help, "[options | interfaces | PASS | OPTION | COMMAND | coverage COMMAND | --json]",  \
            "print the commands, all options, or what one command, pass or option does",           \
            "--json prints the commands, passes and options for programs.")                        \
    COMMAND(version, "", "print the version", "")

// The commands of instr coverage.
#define INSTR_COVERAGE_COMMANDS(COMMAND)                                                           \
    COMMAND(info, "[--json] [--top N] PATH...",                                                    \
            "print the sessions, and how many classes and probes were covered",                    \
            "Prints 20 sessions, or N. --json prints all sessions and all classes.")               \
    COMMAND(report,                                                                                \
            "FILE... [--classfiles PATH]... [--sourcefiles PATH]... [--encoding E] [--tabwith N] " \
            "[--name NAME] [--jacoco 0.8.6|0.8.15|none] [--exceptions covered|missed] [--quiet] "  \
            "[--xml FILE] [--csv FILE] [--lcov FILE] "                                             \
            "[--cobertura FILE] [--sonar FILE] [--markdown FILE] [--badge FILE] "                  \
            "[--html OUT]",                                                                        \
            "make reports of .exec files and the class files",                                     \
            "PATH is a folder, a jar or a class file, for sources a folder or an archive; both "   \
            "options may be repeated. Symbolic links in a folder are followed. Without "           \
            "--classfiles what Maven, Gradle, Ant, Eclipse and "                                   \
            "IDEA compile into below the current folder is taken, with its sources; several "      \
            "modules become groups. Sources are found by their package, and where folders do "     \
            "not match packages, by the file's name if only one file has it. Without any output "  \
            "option a table is printed: totals, packages, and the classes that miss most. OUT "    \
            "is a folder of pages, or one file if its name ends with .html; they need no "         \
            "network. XML "                                                                        \
            "and CSV are those of JaCoCo. What compilers have added to the code is left out as "   \
            "by the "                                                                              \
            "newest JaCoCo, by JaCoCo 0.8.6, or not at all (none). What ran of a line that an "    \
            "exception left is covered on the page, and missed in the other formats, as in "       \
            "JaCoCo's; --exceptions says which for all. A file or class that cannot "              \
            "be read is reported, the rest is in the report, and the exit status is 1.")           \
    COMMAND(                                                                                       \
        check,                                                                                     \
        "FILE... [--classfiles PATH]... [--limit TEXT]... [--limits FILE] [--diff [REF]] "         \
        "[--baseline PATH [--baseline-classfiles PATH]...] [--markdown FILE] [--html FILE] "       \
        "[--github] [--gitlab FILE] [--name NAME] [--jacoco 0.8.6|0.8.15|none]",                   \
        "hold coverage against limits, against the main branch, or against an earlier run",        \
        "A limit is '[ELEMENT [PATTERN...] [except PATTERN...]:] COUNTER [VALUE] >=|<= NUMBER', "  \
        "with the names of JaCoCo's rules: 'LINE >= 80%', 'PACKAGE com.acme*: BRANCH "             \
        "MISSEDCOUNT <= 10'. Patterns are those of JaCoCo's rules: * also stands for dots. "       \
        "ELEMENT is BUNDLE, which need not be written, PACKAGE, CLASS, "                           \
        "SOURCEFILE or METHOD; VALUE is COVEREDRATIO, which need not be written, MISSEDRATIO, "    \
        "COVEREDCOUNT, MISSEDCOUNT or TOTALCOUNT. --limits FILE has one a line (-: standard "      \
        "input); lines that begin with # are comments.\n\n"                                        \
        "--diff looks at the lines that have changed since the last common commit of HEAD "        \
        "and REF in git, those of the working tree included; REF is the main branch "              \
        "unless it is given. The limits are then those of the changed lines. --markdown and "      \
        "--html write them for a pull request and as a page, --github and --gitlab as "            \
        "annotations.\n\n"                                                                         \
        "--baseline compares with the .exec file of an earlier run, method by method; if the "     \
        "classes have changed since, --baseline-classfiles has those of that run.\n\n"             \
        "The exit status is 0 if all limits are kept and no method got worse; 1 if not, with "     \
        "a line for each violation, the farthest off first; and 2 if there is nothing to "         \
        "judge: no data, no class that matches, no such revision.")                                \
    COMMAND(merge, "[--keep-going] -o OUT PATH...", "make one file with all sessions and hits",    \
            "Each class appears once, with the probes that were hit in any file. "                 \
            "Memory grows with the number of distinct classes, not of files. A "                   \
            "broken file, or a class whose id stands for another name or another "                 \
            "number of probes elsewhere, is reported, and nothing is written. With "               \
            "--keep-going everything readable is merged; such an id keeps the name and "           \
            "number of probes that it has first, and the hits of files that agree. "               \
            "The exit status is still 1.")                                                         \
    COMMAND(diff, "A B", "compare the classes and hits of two files",                              \
            "Prints the classes that only one file has and, for classes of both, "                 \
            "the numbers of the probes that only one has hit. The exit status is 0 "               \
            "if both have the same classes and hits, 1 if not, and 2 if a file "                   \
            "could not be read.")                                                                  \
    COMMAND(tests,                                                                                 \
            "[--class NAME [--line N]] [--changed PATH]... [--classes PATH]... "                   \
            "[--top N] FILE...",                                                                   \
            "print what each test covered, who covers a line, and which tests a "                  \
            "change asks for",                                                                     \
            "For files in which each test has its own session, as "                                \
            "coverage.per-test=TESTS writes them. Lists how often and how long "                   \
            "each test ran, and how many classes and probes it covered, at most in "               \
            "one run. Tests that run at the same time share what they cover. JUnit "               \
            "5 runs dynamic tests after the method that makes them has returned: "                 \
            "if they are lambdas in it, as javac compiles them, they have sessions "               \
            "of its name; others count as outside of tests.\n\n--class prints the "                \
            "tests that covered a class, or with --line a line of it; its class "                  \
            "file is searched for below --classes (directories and jars), or below "               \
            "the current directory.\n\n--changed prints the tests that covered a "                 \
            "class whose bytes below PATH differ now from when the tests ran, or "                 \
            "which no longer exists although its package does. If such a class was "               \
            "covered outside of tests (a shared fixture, a static initializer that "               \
            "ran earlier), that is reported on standard error: any test may need "                 \
            "it.")                                                                                 \
    COMMAND(dump, "PID [--reset] [--json]",                                                        \
            "have the agent in a JVM write what was covered so far",                               \
            "Writes the file of coverage.file=FILE as at exit, and prints its name "               \
            "as that JVM sees it. --reset clears the probes: later dumps have what "               \
            "was covered since.")                                                                  \
    COMMAND(recover, "[-o OUT] FILE.PID.map...", "recover the coverage of a killed JVM",           \
            "For a JVM that ran with coverage.mmap=yes, or with "                                  \
            "coverage.mmap=flush, which loses up to a tenth of a second. The "                     \
            "result is appended to FILE, or to OUT. If a file is damaged, what stands before "     \
            "the damage is recovered, and the exit status is 1.")                                  \
    COMMAND(line, "maven|gradle|gradle-kotlin|ant|cli",                                            \
            "print what a build file needs in place of JaCoCo's agent",                            \
            "The lines have the path of the agent that is installed with this "                    \
            "tool; cli is a command line. Their comments say where they go and what they "         \
            "replace. The "                                                                        \
            "report step of the build stays.")

#endif
