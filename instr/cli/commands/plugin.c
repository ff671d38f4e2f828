// instr plugin: gives a command to a plug-in in a JVM.

#include "instr/cli/internal.h"
#include "instr/cli/talk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The words with blanks between them; NULL: out of memory.
static char *join(int count, char *const *words) {
    size_t length = 1;
    for (int i = 0; i < count; i++) length += strlen(words[i]) + 1;
    char *text = calloc(1, length);
    for (int i = 0; text && i < count; i++) {
        if (i) strcat(text, " ");
        strcat(text, words[i]);
    }
    return text;
}

static void show(const json_t *document, const struct instr_process *target) {
    const json_t *line;
    size_t i;
    (void)target;
    json_array_foreach(json_object_get(document, "answer"), i, line)
        printf("%s\n", cli_string(line));
}

int cli_plugin(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "plugin", argc, argv, NULL, 2, INT_MAX,
                                       "a process id, the name of a plug-in and words for it");
    if (status != CLI_OK) return status;
    char *text = join(control.argc - 1, control.argv + 1);
    if (!text) return cli_no_memory();
    status =
        cli_control_talk(&control, 3, (const char *const[]){"plugin", control.argv[0], text}, show);
    free(text);
    return status;
}
