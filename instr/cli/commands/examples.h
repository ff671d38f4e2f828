// The examples of the commands: two or more rows for each,
//
//      EXAMPLE(command, line, help)
//
// `line` is what one types, with 4711 for the id of a process, and `help` says what it does.

#ifndef INSTR_CLI_COMMANDS_EXAMPLES_H
#define INSTR_CLI_COMMANDS_EXAMPLES_H

#define INSTR_EXAMPLES(EXAMPLE)                                                                    \
    EXAMPLE("run", "instr run timing include='com.acme.**' -- java -jar acme.jar",                 \
            "calls and times of the methods of com.acme, printed at exit")                         \
    EXAMPLE("run", "instr run coverage coverage.html=target/coverage -- mvn test",                 \
            "the tests of a build, in all its JVMs, and pages of what they cover")                 \
    EXAMPLE("list", "instr list", "the JVMs of this machine")                                      \
    EXAMPLE("list", "instr list --json", "the same for programs")                                  \
    EXAMPLE("attach", "instr attach 4711 timing include='com.acme.**'",                            \
            "switch timing on for the classes of com.acme")                                        \
    EXAMPLE("attach", "instr attach 4711 exceptions exceptions.for=5m",                            \
            "for all classes of the application, for five minutes")                                \
    EXAMPLE("status", "instr status 4711", "what is on, whose it is, and what it costs")           \
    EXAMPLE("status", "instr status 4711 --json", "the same for programs")                         \
    EXAMPLE("enable", "instr enable 4711 calls include='com.acme.db.*' --as alice",                \
            "calls for one package, under the name alice")                                         \
    EXAMPLE("enable", "instr enable 4711 timing include='**' pace=off --no-wait",                  \
            "every class at once, in the background")                                              \
    EXAMPLE("disable", "instr disable 4711 timing",                                                \
            "end one's own timing and print what it has found")                                    \
    EXAMPLE("disable", "instr disable 4711 timing --all", "end that of everybody")                 \
    EXAMPLE("set", "instr set 4711 --for 30m", "your own passes end in half an hour")              \
    EXAMPLE("set", "instr set 4711 max-overhead=5% pace=off",                                      \
            "a lower limit, and classes change at once")                                           \
    EXAMPLE("revert", "instr revert 4711", "the original code in all classes")                     \
    EXAMPLE("revert", "instr revert 4711 'com.acme.db.**'", "in these classes only")               \
    EXAMPLE("top", "instr top 4711", "the busiest methods, each second")                           \
    EXAMPLE("top", "instr top 4711 --once --sort total --rows 50",                                 \
            "one table of fifty, by total time")                                                   \
    EXAMPLE("watch", "instr watch 4711 'com.acme.Shop.order(..)' --limit 10",                      \
            "the next ten calls")                                                                  \
    EXAMPLE("watch", "instr watch 4711 'com.acme.**.*(..)' --if-slower 100ms --stack",             \
            "calls that take longer, with their stacks")                                           \
    EXAMPLE("dump", "instr dump 4711 com.acme.Shop -o Shop.class", "the class as it runs")         \
    EXAMPLE("dump", "instr dump 4711 com.acme.Shop --original -o Shop.class", "as it was loaded")  \
    EXAMPLE("redefine", "instr redefine 4711 target/classes/com/acme/Shop.class",                  \
            "new method bodies for one class")                                                     \
    EXAMPLE("redefine", "instr redefine 4711 Shop.class Cart.class --all-loaders",                 \
            "two classes, in every loader that has them")                                          \
    EXAMPLE("undo", "instr undo 4711", "the method bodies as they were before redefine")           \
    EXAMPLE("undo", "instr undo 4711 com.acme.Shop", "those of one class")                         \
    EXAMPLE("rule", "instr rule 4711 'com.acme.Shop.order(..) exit { @ms = hist(elapsed) }'",      \
            "how long calls take, for ten minutes")                                                \
    EXAMPLE("rule", "instr rule 4711 @shop.rules --for 1h", "the rules of a file, for an hour")    \
    EXAMPLE("rules", "instr rules 4711", "the tables so far")                                      \
    EXAMPLE("rules", "instr rules 4711 --every 10s --top 5", "again each ten seconds")             \
    EXAMPLE("plugin", "instr plugin 4711 sql reset", "the word reset for the plug-in sql")         \
    EXAMPLE("plugin", "instr plugin 4711 sql slowest 10 --json", "its answer for programs")        \
    EXAMPLE("kits", "instr kits 4711", "where the advice of the kits is called")                   \
    EXAMPLE("kits", "instr kits 4711 --json", "the same for programs")                             \
    EXAMPLE("off", "instr off 4711", "everything off at once")                                     \
    EXAMPLE("off", "instr off 4711 --json", "the same for programs")                               \
    EXAMPLE("detach", "instr detach 4711", "everything off, and the agent ends")                   \
    EXAMPLE("detach", "instr detach 4711 --force", "also if it could not be attached again")       \
    EXAMPLE("doctor", "instr doctor 4711", "what would work in this JVM")                          \
    EXAMPLE("doctor", "instr doctor -- java -jar acme.jar",                                        \
            "what would work with this command line")                                              \
    EXAMPLE("report", "instr report timing.json --html timing.html", "a page of a result")         \
    EXAMPLE("report", "instr report 4711 timing --every 10s",                                      \
            "what timing has so far, each ten seconds")                                            \
    EXAMPLE("coverage", "instr coverage report target/jacoco.exec --html target/site",             \
            "pages of what tests cover")                                                           \
    EXAMPLE("coverage", "instr coverage check target/jacoco.exec --limit 'LINE >= 80%'",           \
            "exit status 1 if it is less")                                                         \
    EXAMPLE("show", "instr show acme.jar!com.acme.Shop", "a class of a jar")                       \
    EXAMPLE("show", "instr show 4711 com.acme.Shop", "a class of a JVM, with inserted code")       \
    EXAMPLE("check", "instr check acme.jar lib", "with all passes")                                \
    EXAMPLE("check", "instr check --passes timing,coverage acme.jar", "with these")                \
    EXAMPLE("rewrite", "instr rewrite timing timing.file=acme-%p.json acme.jar -o acme-timed.jar", \
            "a jar that times itself")                                                             \
    EXAMPLE("rewrite", "instr rewrite coverage include='com.acme.**' classes -o covered",          \
            "a folder of classes, for coverage")                                                   \
    EXAMPLE("kit", "instr kit check sql-kit.jar acme.jar lib",                                     \
            "does the kit fit the application?")                                                   \
    EXAMPLE("kit", "instr kit reload 4711 sql-kit", "read a kit in a JVM again")                   \
    EXAMPLE("agent-path", "instr agent-path", "the library of the agent")                          \
    EXAMPLE("agent-path", "java -agentpath:$(instr agent-path)=timing -jar acme.jar",              \
            "a program with the agent")                                                            \
    EXAMPLE("runtime-jar", "instr runtime-jar", "the jar")                                         \
    EXAMPLE("runtime-jar", "java -cp acme-timed.jar:$(instr runtime-jar) com.acme.Main",           \
            "a rewritten program")                                                                 \
    EXAMPLE("help", "instr help options", "all passes and options")                                \
    EXAMPLE("help", "instr help coverage report", "a command of instr coverage")                   \
    EXAMPLE("version", "instr version", "the version")                                             \
    EXAMPLE("version", "instr help --json", "the version, commands and options for programs")      \
    EXAMPLE("coverage info", "instr coverage info target/jacoco.exec",                             \
            "sessions, classes and probes")                                                        \
    EXAMPLE("coverage info", "instr coverage info --json target",                                  \
            "of all .exec files of a folder, for programs")                                        \
    EXAMPLE("coverage report", "instr coverage report target/jacoco.exec", "a table")              \
    EXAMPLE("coverage report",                                                                     \
            "instr coverage report jacoco.exec --classfiles classes --sourcefiles src --html "     \
            "site --xml jacoco.xml",                                                               \
            "pages, and XML as of JaCoCo")                                                         \
    EXAMPLE("coverage check", "instr coverage check jacoco.exec --limit 'CLASS: BRANCH >= 70%'",   \
            "a limit for each class")                                                              \
    EXAMPLE("coverage check", "instr coverage check jacoco.exec --diff --limit 'LINE >= 90%'",     \
            "a limit for the lines that have changed")                                             \
    EXAMPLE("coverage merge", "instr coverage merge -o all.exec unit.exec integration.exec",       \
            "two files")                                                                           \
    EXAMPLE("coverage merge", "instr coverage merge --keep-going -o all.exec modules",             \
            "all of a folder, without what is broken")                                             \
    EXAMPLE("coverage diff", "instr coverage diff before.exec after.exec",                         \
            "what two runs cover differently")                                                     \
    EXAMPLE("coverage diff",                                                                       \
            "instr coverage diff before.exec after.exec >/dev/null || echo changed",               \
            "by the exit status")                                                                  \
    EXAMPLE("coverage tests",                                                                      \
            "instr coverage tests --class com.acme.Shop --line 42 jacoco-tests.exec",              \
            "the tests that reach a line")                                                         \
    EXAMPLE("coverage tests", "instr coverage tests --changed target/classes jacoco-tests.exec",   \
            "the tests that a change needs")                                                       \
    EXAMPLE("coverage dump", "instr coverage dump 4711", "the file as it would be at exit")        \
    EXAMPLE("coverage dump", "instr coverage dump 4711 --reset", "and begin anew")                 \
    EXAMPLE("coverage recover", "instr coverage recover jacoco.exec.4711.map",                     \
            "append to jacoco.exec")                                                               \
    EXAMPLE("coverage recover", "instr coverage recover -o all.exec jacoco.exec.*.map",            \
            "of several JVMs, into one file")                                                      \
    EXAMPLE("coverage line", "instr coverage line maven", "lines for a pom.xml")                   \
    EXAMPLE("coverage line", "instr coverage line gradle-kotlin", "lines for a build.gradle.kts")

#endif
