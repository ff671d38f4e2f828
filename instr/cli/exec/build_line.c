// instr coverage line: what a build file needs in place of JaCoCo's agent. @ stands for the path of
// the agent's library, written as the file wants it. Comments say where the lines go and what they
// replace.

#include "instr/cli/exec/exec.h"
#include "instr/cli/agent_library.h"

#include <stdio.h>
#include <string.h>

#define MAVEN_OPTION(file)                                                                         \
    "<argLine>\"-agentpath:@=coverage,quiet=yes,coverage.file=${project.build.directory}/" file    \
    "\"</argLine>"

// How a path is written: in XML, in a string of Groovy or Kotlin, in a shell.
enum language { MAVEN, STRING, ANT, SHELL };

static const struct {
    const char *tool;
    enum language language;
    const char *lines;
} builds[] = {
    {"maven", MAVEN,
     "<!-- In <properties>. Remove the goal prepare-agent of jacoco-maven-plugin; keep report and "
     "check.\n"
     "     An argLine in a plugin's configuration begins with @{argLine}, as with JaCoCo. -->\n" //
     MAVEN_OPTION("jacoco.exec") "\n"
                                 "<!-- Where prepare-agent-integration is used: remove it, and put "
                                 "this into the configuration "
                                 "of\n"
                                 "     maven-failsafe-plugin; keep report-integration and "
                                 "check-integration.\n" //
     MAVEN_OPTION("jacoco-it.exec") " -->\n"},
    {"gradle", STRING,
     "// In test { }, or in tasks.withType(Test) { } for all test tasks.\n"
     "jacoco { enabled = false }\n"
     "def coverageFile = layout.buildDirectory.file(\"jacoco/${name}.exec\").get().asFile\n"
     "outputs.file(coverageFile).withPropertyName('coverage')\n"
     "doFirst { coverageFile.delete() }\n"
     "jvmArgs \"-agentpath:@=coverage,coverage.file=${coverageFile}\"\n"},
    {"gradle-kotlin", STRING,
     "// In tasks.test { }, or in tasks.withType<Test>().configureEach { } for all test tasks.\n"
     "extensions.configure<JacocoTaskExtension> { isEnabled = false }\n"
     "val coverageFile = layout.buildDirectory.file(\"jacoco/$name.exec\").get().asFile\n"
     "outputs.file(coverageFile).withPropertyName(\"coverage\")\n"
     "doFirst { coverageFile.delete() }\n"
     "jvmArgs(\"-agentpath:@=coverage,coverage.file=$coverageFile\")\n"},
    {"ant", ANT,
     "<!-- In place of the task jacoco:agent with this property. In place of "
     "jacoco:coverage: remove that\n"
     "     element around junit or java, set fork=\"true\" there, and put in\n"
     "     <jvmarg value=\"${coverage.agent}\"/> -->\n"
     "<property name=\"coverage.agent\" "
     "value=\"-agentpath:@=coverage,coverage.file=${basedir}/jacoco.exec\"/>\n"},
    {"cli", SHELL,
     "# A program, and then its report; CLASSES and SOURCES are folders or archives.\n"
     "java -agentpath:@=coverage,coverage.file=jacoco.exec -cp CLASSES Main\n"
     "instr coverage report jacoco.exec --classfiles CLASSES --sourcefiles SOURCES --html "
     "coverage\n"
     "# Both in one, also for a build tool; class files and sources of a build are found.\n"
     "instr run coverage coverage.html=coverage -- mvn test\n"},
};

static const char *in_xml(char c) {
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : NULL;
}

static const char *escaped(enum language language, char c) {
    switch (language) {
    case MAVEN: return in_xml(c);
    case ANT: return c == '$' ? "$$" : in_xml(c);
    case STRING: return c == '$' ? "\\$" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
    default: return c == '\'' ? "'\\''" : NULL;
    }
}

static void print_path(const char *path, enum language language) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
    int quotes = language == SHELL && path[strspn(path, plain)];
    if (quotes) putchar('\'');
    for (const char *c = path; *c; c++) {
        const char *other = escaped(language, *c);
        if (other)
            fputs(other, stdout);
        else
            putchar(*c);
    }
    if (quotes) putchar('\'');
}

static void print_lines(const char *lines, const char *library, enum language language) {
    for (const char *c = lines; *c; c++) {
        int is_path = *c == '@' && c > lines && c[-1] == ':';
        if (is_path)
            print_path(library, language);
        else
            putchar(*c);
    }
}

int cli_exec_line(int argc, char **argv) {
    char library[PATH_MAX];
    const struct cli_option options[] = {{NULL}};
    int status = cli_arguments("coverage line", &argc, argv, options);
    if (status != CLI_OK) return status;
    if (argc != 1) return cli_usage("coverage line", "expects the name of a build tool");
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        if (strcmp(builds[i].tool, argv[0]) != 0) continue;
        if (cli_find_library(library) != CLI_OK) return CLI_FAILED;
        print_lines(builds[i].lines, library, builds[i].language);
        return cli_finish(CLI_OK);
    }
    return cli_usage("coverage line", "unknown build tool '%.64s'", argv[0]);
}
