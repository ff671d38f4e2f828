// instr kits: the kits in a JVM, and where their advice is called.

#include "instr/cli/internal.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdio.h>

enum { METHODS_SHOWN = 10 };

static void show_methods(const json_t *advice) {
    const json_t *method;
    size_t i;
    uint64_t classes = cli_count(advice, "class_count"), all = cli_count(advice, "method_count");
    if (!all) {
        printf("    called nowhere: no method of a loaded class matches\n");
        return;
    }
    printf("    called in %llu method%s of %llu class%s\n", (unsigned long long)all,
           cli_plural(all, "s"), (unsigned long long)classes, cli_plural(classes, "es"));
    json_array_foreach(json_object_get(advice, "methods"), i, method) {
        if (i == METHODS_SHOWN) break;
        printf("        %s\n", cli_string(method));
    }
    if (all > METHODS_SHOWN)
        printf("        and %llu more\n", (unsigned long long)(all - METHODS_SHOWN));
}

static void show_failures(const json_t *advice) {
    const json_t *at;
    size_t i;
    if (*cli_text(advice, "refusal")) printf("    not called: %s\n", cli_text(advice, "refusal"));
    json_array_foreach(json_object_get(advice, "loaders"), i, at) {
        uint64_t failures = cli_count(at, "failures");
        const char *loader = cli_text(at, "loader"), *failure = cli_text(at, "failure");
        if (!failures) continue;
        printf("    %s %llu time%s in %s%s%s\n",
               json_is_true(json_object_get(at, "off")) ? "switched off; failed" : "failed",
               (unsigned long long)failures, cli_plural(failures, "s"),
               *loader ? loader : "the bootstrap loader", *failure ? ": " : "", failure);
    }
}

static void show_advice(const json_t *advice) {
    char targets[1024];
    printf("%s: %s\n", cli_text(advice, "advice"),
           cli_text_list(advice, "targets", targets, sizeof targets));
    show_methods(advice);
    show_failures(advice);
}

static void show(const json_t *document, const struct instr_process *target) {
    const json_t *kits = json_object_get(document, "kits"), *kit, *advice;
    size_t i, k;
    if (!json_array_size(kits)) printf("instr: process %ld: no kit is on\n", (long)target->pid);
    json_array_foreach(kits, i, kit) {
        const char *by = cli_text(kit, "by");
        char ends[64] = "", left[INSTR_DURATION_SIZE];
        if (cli_count(kit, "ends_in_ns"))
            snprintf(ends, sizeof ends, ", ends in %s",
                     instr_duration(cli_count(kit, "ends_in_ns"), left));
        printf("%s%s, %s, switched on by %s%s\n", i ? "\n" : "", cli_text(kit, "kit"),
               cli_text(kit, "path"), *by ? by : "the command line", ends);
        json_array_foreach(json_object_get(kit, "advices"), k, advice) show_advice(advice);
    }
}

int cli_kits(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "kits", argc, argv, NULL, 0, 0, "one process id");
    if (status != CLI_OK) return status;
    return cli_control_talk(&control, 1, (const char *const[]){"kits"}, show);
}
