// instr kit check: is a kit in order?

#include "instr/cli/internal.h"
#include "instr/cli/kit/internal.h"
#include "instr/kit/kit.h"

#include <stdio.h>

// FILE:LINE: as compilers print it, so that editors find it.
static void print_problem(const struct instr_kit_problem *p) {
    const char *note = p->fatal ? "" : "note: ";
    if (p->source.file && p->source.line)
        cli_line("%s:%u: %s%s", p->source.file, p->source.line, note, p->text);
    else
        cli_line("%s%s%s%s", p->source.file ? p->source.file : "", p->source.file ? ": " : "", note,
                 p->text);
}

static void print_summary(const struct instr_kit *kit) {
    size_t boot = 0;
    for (size_t i = 0; i < kit->class_count; i++) boot += kit->classes[i].boot;
    for (size_t i = 0; i < kit->advice_count; i++) {
        const struct instr_kit_advice *a = &kit->advices[i];
        for (size_t k = 0; k < a->target_count; k++)
            cli_line("%s: %s%s", a->name, a->calls ? "calls of " : "", a->targets[k].text);
    }
    cli_line("%zu advice%s, %zu class%s, %zu of them in the bootstrap loader", kit->advice_count,
             cli_plural(kit->advice_count, "s"), kit->class_count,
             cli_plural(kit->class_count, "es"), boot);
}

int cli_kit_check(int argc, char **argv) {
    if (argc < 1) return cli_usage("kit", "check: no kit given");
    struct instr_kit *kit = instr_kit_open(argv[0]);
    if (!kit) return cli_no_memory();
    for (size_t i = 0; i < kit->problem_count; i++) print_problem(&kit->problems[i]);
    if (kit->usable) print_summary(kit);
    int status = kit->usable ? CLI_OK : CLI_FAILED;
    instr_kit_free(kit);
    return cli_finish(status);
}
