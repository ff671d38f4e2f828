// instr kit: what authors of kits need.

#include "instr/cli/internal.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/kit/internal.h"

#include <stdio.h>
#include <string.h>

static int print_jar(int argc, char **argv) {
    char path[PATH_MAX];
    if (argc > 0) return cli_usage("kit", "unknown argument '%.64s'", argv[0]);
    if (cli_find_installed("instr-kit.jar", "the library of kits", path) != CLI_OK)
        return CLI_FAILED;
    printf("%s\n", path);
    return cli_finish(CLI_OK);
}

int cli_kit_arguments(struct cli_control *control, int argc, char **argv, int least,
                      const char *what, int *all) {
    const char *as = NULL;
    const struct cli_option options[] = {{"--as", .text = &as}, {"--all", .flag = all}, {NULL}};
    int status = cli_control_arguments(control, "kit", argc, argv, options, least, 1, what);
    if (status == CLI_OK && as && *all)
        status = cli_usage("kit", "expects --as or --all, not both");
    return status == CLI_OK ? cli_control_sign("kit", as, &control->owner) : status;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"check", cli_kit_check}, {"drop", cli_kit_drop},     {"jar", print_jar},
    {"new", cli_kit_new},     {"reload", cli_kit_reload}, {"test", cli_kit_test},
};

int cli_kit(int argc, char **argv) {
    if (argc < 1) return cli_usage("kit", "no command given; see 'instr help kit'");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, argv[0]) == 0) return commands[i].run(argc - 1, argv + 1);
    return cli_usage("kit", "unknown command '%.64s'; see 'instr help kit'", argv[0]);
}
