// instr kit check: is a kit in order, and does it go with the jars of an application?

#include "instr/cli/internal.h"
#include "instr/base/array.h"
#include "instr/cli/kit/internal.h"
#include "instr/cli/find_jdk.h"
#include "instr/kit/class_path.h"
#include "instr/kit/targets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check {
    const char *jdk; // home
    struct instr_kit *kit;
    struct instr_class_path *path;
    struct instr_kit_linking linking;
    size_t *matches; // by advice: methods of the jars, or calls in them; NULL: there are no jars
    char **printed;  // lines, of classes that several advices share
    size_t printed_count, printed_capacity;
    bool failed;
};

// --- problems ---

// FILE:LINE: as compilers print it, so that editors find it. Each line once.
static void print_problem(struct check *check, struct instr_kit_source where, bool fatal,
                          const char *text) {
    char *line = NULL, number[16] = "";
    if (where.line) snprintf(number, sizeof number, "%u:", where.line);
    if (asprintf(&line, "%s%s%s%s%s%s", where.file ? where.file : "", where.file ? ":" : "", number,
                 where.file ? " " : "", fatal ? "" : "note: ", text) < 0)
        return;
    check->failed |= fatal;
    for (size_t i = 0; i < check->printed_count; i++)
        if (strcmp(check->printed[i], line) == 0) {
            free(line);
            return;
        }
    cli_line("%s", line);
    if (INSTR_ARRAY_RESERVE(check->printed, check->printed_capacity, check->printed_count + 1))
        check->printed[check->printed_count++] = line;
    else
        free(line);
}

static void take_report(void *context, struct instr_kit_source where, const char *text) {
    print_problem(context, where, true, text);
}

// --- the JDK ---

static int open_path(struct check *check, int count, char **jars) {
    char reason[INSTR_JAR_REASON_SIZE];
    check->path = instr_class_path_new();
    if (!check->path) return cli_no_memory();
    for (int i = 0; i < count; i++)
        if (!instr_class_path_add(check->path, jars[i], reason))
            return cli_error("%s: %s", jars[i], reason);
    if (!check->jdk)
        cli_find_jdk(check->path);
    else if (!instr_class_path_jdk(check->path, check->jdk))
        return cli_error("%s: has neither lib/modules nor rt.jar", check->jdk);
    return CLI_OK;
}

// --- checks ---

static void link_advices(struct check *check) {
    struct instr_kit_world world = instr_class_path_world(check->path);
    check->linking.report = take_report;
    check->linking.report_context = check;
    for (size_t i = 0; i < check->kit->advice_count; i++) {
        const struct instr_kit_advice *a = &check->kit->advices[i];
        char text[300];
        if (instr_kit_link(check->kit, a, &world, &check->linking)) continue;
        snprintf(text, sizeof text, "%.200s is not checked: none of its types is in the jars",
                 a->name);
        print_problem(check, a->source, false, text);
    }
}

struct looking {
    const struct instr_kit_advice *advice;
    struct instr_kit_world world;
    struct instr_kit_matches matches;
};

static bool look_at(void *context, const struct cf_class *cls) {
    struct looking *l = context;
    if (l->advice->calls)
        instr_kit_match_calls(l->advice, cls, &l->matches);
    else
        instr_kit_match_class(l->advice, cls, &l->world, &l->matches);
    return true;
}

// What the patterns find in the jars.
static void match_advices(struct check *check) {
    for (size_t i = 0; i < check->kit->advice_count; i++) {
        struct looking l = {&check->kit->advices[i], instr_class_path_world(check->path), {0}};
        struct instr_kit_source nowhere = {NULL, 0};
        char text[800];
        instr_class_path_each(check->path, true, NULL, look_at, &l);
        check->matches[i] = l.matches.fitting;
        if (l.matches.methods == 0) {
            snprintf(text, sizeof text, "%.200s matches no %s these jars", l.advice->name,
                     l.advice->calls ? "call in" : "method of");
            print_problem(check, l.advice->source, l.advice->required, text);
        } else if (l.matches.fitting < l.matches.methods) {
            print_problem(check, nowhere, l.matches.fitting == 0, l.matches.misfit);
        }
    }
}

static void print_summary(const struct check *check) {
    const struct instr_kit *kit = check->kit;
    size_t boot = 0, unknown = check->linking.unknown;
    for (size_t i = 0; i < kit->class_count; i++) boot += kit->classes[i].boot;
    for (size_t i = 0; i < kit->advice_count; i++) {
        const struct instr_kit_advice *a = &kit->advices[i];
        for (size_t k = 0; k < a->target_count; k++)
            cli_line("%s: %s%s", a->name, a->calls ? "calls of " : "", a->targets[k].text);
        if (check->matches)
            cli_line(a->calls ? "    %zu call%s in the jars" : "    %zu method%s of the jars",
                     check->matches[i], cli_plural(check->matches[i], "s"));
    }
    cli_line("%zu advice%s, %zu class%s, %zu of them in the bootstrap loader", kit->advice_count,
             cli_plural(kit->advice_count, "s"), kit->class_count,
             cli_plural(kit->class_count, "es"), boot);
    cli_line("%zu use%s of classes and members checked, %zu not%s", check->linking.checked,
             cli_plural(check->linking.checked, "s"), unknown,
             unknown ? ": give the jars of the application, and --jdk HOME" : "");
}

static int check_kit(struct check *check, int count, char **jars) {
    int status = open_path(check, count, jars);
    if (status != CLI_OK) return status;
    for (size_t i = 0; i < check->kit->problem_count; i++) {
        const struct instr_kit_problem *p = &check->kit->problems[i];
        print_problem(check, p->source, p->fatal, p->text);
    }
    if (check->kit->usable) link_advices(check);
    if (check->kit->usable && count > 0) {
        check->matches = calloc(check->kit->advice_count, sizeof *check->matches);
        if (!check->matches) return cli_no_memory();
        match_advices(check);
    }
    if (!check->failed) print_summary(check);
    return check->failed ? CLI_FAILED : CLI_OK;
}

int cli_kit_check(int argc, char **argv) {
    struct check check = {.jdk = NULL};
    const struct cli_option options[] = {{"--jdk", .text = &check.jdk}, {NULL}};
    if (cli_arguments("kit", &argc, argv, options) != CLI_OK) return CLI_USAGE;
    if (argc < 1) return cli_usage("kit", "check: no kit given");
    check.kit = instr_kit_open(argv[0]);
    if (!check.kit) return cli_no_memory();
    int status = check_kit(&check, argc - 1, argv + 1);
    instr_class_path_free(check.path);
    instr_kit_free(check.kit);
    for (size_t i = 0; i < check.printed_count; i++) free(check.printed[i]);
    free(check.printed);
    free(check.matches);
    return cli_finish(status);
}
