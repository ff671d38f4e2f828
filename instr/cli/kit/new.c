// instr kit new: the skeleton of a kit.

#include "instr/cli/internal.h"
#include "instr/cli/input.h"
#include "instr/cli/kit/internal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// In the texts and names @ is the name of the kit, and @@ an @.
static const struct {
    const char *name;
    mode_t mode;
    const char *text;
} files[] = {
    {"@.java", 0644,
     "import instr.kit.*;\n"
     "\n"
     "/** Prints calls that take 100 ms or more. */\n"
     "@@Advice(\"com.acme.**.*(..)\")\n"
     "final class @ {\n"
     "    static long enter() {\n"
     "        return System.nanoTime();\n"
     "    }\n"
     "\n"
     "    static void exit(@@Enter long start, @@Method String method) {\n"
     "        long ms = (System.nanoTime() - start) / 1000000;\n"
     "        if (ms >= 100) System.err.println(method + \" took \" + ms + \" ms\");\n"
     "    }\n"
     "}\n"},
    {"@Test.java", 0644,
     "import java.io.*;\n"
     "\n"
     "/** Advice is ordinary Java: this calls its methods. */\n"
     "class @Test {\n"
     "    public static void main(String[] args) throws Exception {\n"
     "        ByteArrayOutputStream printed = new ByteArrayOutputStream();\n"
     "        System.setErr(new PrintStream(printed, true));\n"
     "        @.exit(@.enter(), \"com.acme.Shop.quick()\");\n"
     "        @.exit(@.enter() - 200000000L, \"com.acme.Shop.slow()\");\n"
     "        String text = printed.toString();\n"
     "        if (!text.startsWith(\"com.acme.Shop.slow() took 2\")) throw new "
     "AssertionError(text);\n"
     "    }\n"
     "}\n"},
    {"build", 0755,
     "#!/bin/sh\n"
     "# Compiles, tests and checks the kit: ./build [JAR...], with the jars of the application.\n"
     "set -e\n"
     "jars=\n"
     "for jar in \"$@@\"; do jars=$jars:$(realpath \"$jar\"); done\n"
     "cd \"$(dirname \"$0\")\"\n"
     "kit=$(${INSTR:-instr} kit jar)\n"
     "rm -rf classes && mkdir -p classes/kit classes/test\n"
     "javac -g -cp \"$kit$jars\" -d classes/kit @.java && jar cf @.jar -C classes/kit .\n"
     "javac -cp \"@.jar:$kit\" -d classes/test @Test.java && java -cp \"classes/test:@.jar:$kit\" "
     "@Test\n"
     "IFS=:\n"
     "${INSTR:-instr} kit check @.jar ${jars#:}\n"},
};

static int is_name(const char *name) {
    if (!isalpha((unsigned char)*name) || strlen(name) > 64) return 0;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') return 0;
    return 1;
}

// Is it a word of Java, which no class can have as its name, or that of a class which the skeleton uses?
static int is_taken(const char *name) {
    static const char words[] =
        " abstract assert boolean break byte case catch char class const continue default do "
        "double "
        "else enum extends false final finally float for goto if implements import instanceof int "
        "interface long native new null package permits private protected public record return "
        "sealed "
        "short static strictfp super switch synchronized this throw throws transient true try var "
        "void "
        "volatile while yield Advice AssertionError ByteArrayOutputStream Enter Exception Method "
        "PrintStream String System ";
    char word[80];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(words, word) != NULL;
}

// The text with the name; to be freed. NULL: out of memory.
static char *filled(const char *text, const char *name) {
    char *out = malloc((strlen(text) + 1) * (strlen(name) + 1));
    size_t n = 0;
    for (const char *c = text; out && *c; c++) {
        if (*c != '@' || c[1] == '@') {
            out[n++] = *c;
            c += *c == '@';
        } else {
            n += (size_t)sprintf(out + n, "%s", name);
        }
    }
    if (out) out[n] = '\0';
    return out;
}

static int write_one(const char *name, size_t i) {
    char path[PATH_MAX], *file = filled(files[i].name, name), *text = filled(files[i].text, name);
    int status = file && text ? CLI_OK : cli_no_memory();
    if (status == CLI_OK) {
        struct cli_bytes bytes = {(uint8_t *)text, strlen(text)};
        snprintf(path, sizeof path, "%s/%s", name, file);
        status = cli_write_file(path, &bytes);
    }
    if (status == CLI_OK && chmod(path, files[i].mode) != 0)
        status = cli_error("%s: %s", path, strerror(errno));
    if (status == CLI_OK) cli_line("%s", path);
    free(file);
    free(text);
    return status;
}

int cli_kit_new(int argc, char **argv) {
    if (argc != 1) return cli_usage("kit", "new: give the name of the kit");
    if (!is_name(argv[0]))
        return cli_usage(
            "kit", "new: '%.64s' is not a name: write letters and digits, such as Orders", argv[0]);
    if (is_taken(argv[0]))
        return cli_usage("kit",
                         "new: '%s' is taken: it is a word of Java, or a class that the kit uses",
                         argv[0]);
    if (mkdir(argv[0], 0777) != 0) return cli_error("%s: %s", argv[0], strerror(errno));
    int status = CLI_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && status == CLI_OK; i++)
        status = write_one(argv[0], i);
    return cli_finish(status);
}
