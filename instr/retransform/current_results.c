#include "instr/retransform/current_results.h"

#include "instr/retransform/pass_lifecycle.h"
#include "instr/retransform/switching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int instr_current_results_write(struct instr_agent *agent, JNIEnv *jni, char *reason, size_t size) {
    struct instr_reconfigured ignored = {0};
    if (!instr_switching_begin(agent, &ignored, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    int on = plan->engine != NULL;
    if (on) instr_reconfigure_write_results(agent, jni, plan, NULL, NULL);
    if (!on) snprintf(reason, size, "no pass is active");
    instr_switching_end(agent);
    return on;
}

// The values of the pass's own options but its files. The caller frees the array alone. NULL: none, or out of memory.
static char **values_without_files(const struct instr_pass_options *pass) {
    const struct rw_option *own = pass->pass->options;
    size_t n = 0;
    while (pass->values && own[n].key) n++;
    char **values = n ? calloc(n, sizeof *values) : NULL;
    for (size_t i = 0; values && i < n; i++)
        if (strcmp(own[i].argument, "FILE") != 0) values[i] = pass->values[i];
    return values;
}

static void report_one(struct instr_agent *agent, JNIEnv *jni, const struct instr_plan *plan,
                       const struct instr_pass_options *active, bool reset,
                       struct instr_results_kept *kept, const struct instr_results_taker *taker) {
    // Without its files, which are written at exit.
    struct instr_pass_options pass = *active;
    pass.file = NULL;
    pass.terms.quiet = 1;
    pass.values = values_without_files(active);
    if (!pass.top) pass.top = INSTR_TOP_DEFAULT;
    struct instr_options options = plan->options;
    options.passes = &pass;
    options.pass_count = 1;
    options.stats = NULL;
    struct instr_results results = {.options = &options,
                                    .methods = plan->methods,
                                    .engine = plan->engine,
                                    .jvmti = agent->jvmti,
                                    .jni = jni,
                                    .taker = taker,
                                    .without_totals = true,
                                    .goes_on = true,
                                    .reset = reset,
                                    .kept = kept};
    instr_results_report(&results);
    free(pass.values);
}

int instr_current_results_report(struct instr_agent *agent, JNIEnv *jni, const char *name,
                                 const struct instr_owner *owner, bool all, bool reset,
                                 const struct instr_results_taker *taker, char *reason,
                                 size_t size) {
    struct instr_reconfigured ignored = {0};
    if (!instr_switching_begin(agent, &ignored, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    const struct instr_options *options = &plan->options;
    const struct instr_pass_options *one =
        instr_switching_pass(options, name, owner, all, reason, size);
    unsigned of_all = 0; // that have its number
    for (size_t i = 0; one && i < options->pass_count; i++)
        of_all += options->passes[i].number == one->number;
    if (one && reset && !all && of_all > 1) {
        snprintf(reason, size, "pass '%s' counts once for all its owners: --reset needs --all",
                 one->pass->name);
        one = NULL;
    }
    struct instr_results_kept kept = {.owners_left = of_all};
    for (size_t i = 0; one && i < options->pass_count; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        if (all ? pass->pass != one->pass : pass != one) continue;
        // What counts once for several owners is read and reset at one moment.
        bool is_shared = reset && pass->number == one->number && of_all > 1;
        if (is_shared) kept.owners_left--;
        report_one(agent, jni, plan, pass, reset, is_shared ? &kept : NULL, taker);
    }
    free(kept.counts);
    free(kept.own);
    instr_switching_end(agent);
    return one != NULL;
}
