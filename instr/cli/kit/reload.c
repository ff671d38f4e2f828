// instr kit reload: reads kits in a JVM again whose files have changed.

#include "instr/cli/internal.h"
#include "instr/cli/commands/switch.h"
#include "instr/cli/kit/internal.h"

#include <stdio.h>
#include <string.h>

// The kits that are on; NULL: see *status.
static json_t *ask_kits(struct cli_session *session, int *status) {
    struct cli_event event;
    json_t *answer = cli_session_ask(session, "kits", &event);
    *status = answer ? CLI_OK : cli_control_end(&event);
    return answer;
}

static const json_t *find_kit(const json_t *answer, const char *name) {
    const json_t *kits = json_object_get(answer, "kits"), *kit;
    size_t i;
    json_array_foreach(kits, i, kit) if (strcmp(cli_text(kit, "kit"), name) == 0) return kit;
    return NULL;
}

// Prints which of the kits are others now. `name`: of this one alone.
static void show_reloaded(const json_t *before, const json_t *after, const char *name) {
    const json_t *kits = json_object_get(before, "kits"), *kit, *advice;
    size_t i, k;
    json_array_foreach(kits, i, kit) {
        const json_t *now = find_kit(after, cli_text(kit, "kit"));
        uint64_t methods = 0;
        if (!now || (name && strcmp(cli_text(kit, "kit"), name) != 0)) continue;
        json_array_foreach(json_object_get(now, "advices"), k, advice) methods +=
            cli_count(advice, "method_count");
        if (strcmp(cli_text(now, "hash"), cli_text(kit, "hash")) == 0)
            printf("instr: %s has not changed: %s\n", cli_text(kit, "kit"), cli_text(kit, "path"));
        else
            printf("instr: %s is reloaded; its advice is called in %llu method%s\n",
                   cli_text(kit, "kit"), (unsigned long long)methods, cli_plural(methods, "s"));
    }
}

static int reload(const struct cli_control *control, struct cli_session *session, bool all) {
    const char *name = control->argc ? control->argv[0] : NULL, *words[3] = {"reload"};
    int status, count = 1;
    json_t *before = ask_kits(session, &status), *after = NULL;
    if (status == CLI_OK && name && !find_kit(before, name))
        status = cli_error("no kit is called %.64s; 'instr kits %ld' lists those that are on", name,
                           control->pid);
    else if (status == CLI_OK && !json_array_size(json_object_get(before, "kits")))
        status = cli_error("process %ld: no kit is on", control->pid);
    if (name) words[count++] = name;
    if (all) words[count++] = "all";
    if (status == CLI_OK) status = cli_control_introduce(session, &control->owner);
    if (status == CLI_OK)
        status = cli_control_run(session, count, words, control->json, cli_switch_show);
    if (status == CLI_OK && !control->json) after = ask_kits(session, &status);
    if (after) show_reloaded(before, after, name);
    json_decref(before);
    json_decref(after);
    return status;
}

int cli_kit_reload(int argc, char **argv) {
    struct cli_control control;
    struct cli_session session;
    int all = 0,
        status = cli_kit_arguments(&control, argc, argv, 0,
                                   "reload, a process id and perhaps the name of a kit", &all);
    if (status == CLI_OK) status = cli_control_connect(&session, control.pid);
    if (status != CLI_OK) return status;
    status = reload(&control, &session, all);
    cli_session_close(&session);
    return status;
}
