// Starting and stopping passes when the plan changes.

#include "instr/retransform/pass_lifecycle.h"

#include "instr/options/compare.h"
#include "instr/passes/agent_passes.h"
#include "instr/passes/cost.h"
#include "instr/vm/runtime.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The pass is `now`, with the option `key`; NULL: none.
static int check_file(const char *before, const char *pattern, const struct instr_pass_options *now,
                      const char *key, char *reason, size_t size) {
    char error[INSTR_ERROR_SIZE];
    if (!pattern || (before && strcmp(before, pattern) == 0)) return 1;
    const struct instr_agent_pass *pass = now ? instr_agent_pass_of(now->pass) : NULL;
    char *path = instr_expand_file(pattern, (long)getpid());
    bool ok =
        path && instr_output_check(path, pass && pass->makes_folders, error, sizeof error) == 0;
    if (ok && pass && pass->fits_file && strcmp(key, "file") == 0)
        ok = pass->fits_file(path, now, error, sizeof error);
    if (!ok)
        snprintf(reason, size, "option '%s%s%s': %.400s", now ? now->pass->name : "",
                 now ? "." : "", key, path ? error : "out of memory");
    free(path);
    return ok;
}

// A pass that comes later need not write the file that nobody has named: its results can be asked for.
static const char *file_of(const struct instr_pass_options *pass) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    if (pass->file || pass->late || !agent_pass) return pass->file;
    return agent_pass->default_file;
}

int instr_reconfigure_check_files(const struct instr_options *before,
                                  const struct instr_options *next, char *reason, size_t size) {
    if (!check_file(before ? before->stats : NULL, next->stats, NULL, "stats", reason, size))
        return 0;
    for (size_t i = 0; i < next->pass_count; i++) {
        const struct instr_pass_options *now = &next->passes[i],
                                        *then = instr_find_same(before, now);
        const struct rw_option *own = now->pass->options;
        if (!check_file(then ? file_of(then) : NULL, file_of(now), now, "file", reason, size))
            return 0;
        for (size_t k = 0; own && own[k].key; k++)
            if (strcmp(own[k].argument, "FILE") == 0 &&
                !check_file(then ? instr_pass_option(then, own[k].key) : NULL,
                            instr_pass_option(now, own[k].key), now, own[k].key, reason, size))
                return 0;
    }
    return 1;
}

// Is the pass not on for another owner, too, who comes first?
static int is_first(const struct instr_options *options, const struct instr_pass_options *pass) {
    return instr_find_pass(options, pass->pass) == pass;
}

void instr_reconfigure_stop_pass(const struct instr_pass_options *pass, JNIEnv *jni) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    if (agent_pass && agent_pass->stop) agent_pass->stop(jni, pass->pass);
}

static void forget_pass(const struct instr_pass_options *pass, JNIEnv *jni) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    if (agent_pass && agent_pass->forget) agent_pass->forget(jni, pass->pass);
}

static int start_pass(struct instr_agent *agent, JNIEnv *jni, const struct instr_pass_options *pass,
                      char *reason, size_t size) {
    if (instr_agent_pass_load(agent->vm, pass, INSTR_PHASE_LIVE, reason, size) &&
        instr_agent_pass_start(agent->jvmti, jni, pass, reason, size))
        return 1;
    instr_reconfigure_stop_pass(pass, jni);
    return 0;
}

int instr_reconfigure_start_passes(struct instr_agent *agent, JNIEnv *jni,
                                   const struct instr_options *before,
                                   const struct instr_options *next, char *reason, size_t size) {
    char ignored[INSTR_ERROR_SIZE];
    for (size_t i = 0; i < next->pass_count; i++) {
        const struct instr_pass_options *pass = &next->passes[i];
        if (!is_first(next, pass) || instr_goes_on(before, pass)) continue;
        if (instr_find_pass(before, pass->pass))
            instr_reconfigure_stop_pass(pass, jni);
        else
            forget_pass(pass, jni);
        if (pass->late) instr_cost_begin(pass->number);
        if (start_pass(agent, jni, pass, reason, size)) continue;
        for (size_t k = 0; k <= i; k++) {
            const struct instr_pass_options *other = instr_find_pass(before, next->passes[k].pass);
            if (!is_first(next, &next->passes[k]) || instr_goes_on(before, &next->passes[k]))
                continue;
            if (k < i) instr_reconfigure_stop_pass(&next->passes[k], jni);
            if (other) start_pass(agent, jni, other, ignored, sizeof ignored);
        }
        return 0;
    }
    return 1;
}

void instr_reconfigure_stop_passes(const struct instr_options *stay, const struct instr_options *go,
                                   JNIEnv *jni) {
    for (size_t i = 0; i < go->pass_count; i++) {
        if (!is_first(go, &go->passes[i]) || instr_find_pass(stay, go->passes[i].pass)) continue;
        instr_reconfigure_stop_pass(&go->passes[i], jni);
        forget_pass(&go->passes[i], jni);
    }
}

int instr_reconfigure_check_owners(const struct instr_options *next, char *reason, size_t size) {
    for (size_t i = 0; i < next->pass_count; i++) {
        const struct instr_pass_options *pass = &next->passes[i],
                                        *first = instr_find_pass(next, pass->pass);
        const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
        if (pass == first) continue;
        if (agent_pass && agent_pass->one_owner) {
            snprintf(reason, size, "pass '%s' is on already, for %s; it can be on for one only",
                     pass->pass->name, instr_owner_text(&first->owner));
            return 0;
        }
        if (instr_same_but_files(first, pass)) continue;
        snprintf(reason, size, "pass '%s' is on already, for %s; both need the same %s.* options",
                 pass->pass->name, instr_owner_text(&first->owner), pass->pass->name);
        return 0;
    }
    return 1;
}

static int is_timed(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].pass->timed) return 1;
    return 0;
}

// Passes with events or state of their own run once for all owners, under one number.
static const struct instr_pass_options *with_same_id(const struct instr_options *old,
                                                     struct instr_options *next,
                                                     struct instr_pass_options *pass) {
    const struct instr_pass_options *first = instr_find_pass(next, pass->pass);
    const struct instr_pass_options *other = instr_find_same(old, pass);
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    if (!agent_pass || agent_pass->by_owner) return other;
    if (first != pass) {
        next->passes[first - next->passes].shared = pass->shared = 1;
        return first;
    }
    if (!other) other = instr_find_pass(old, pass->pass);
    // A pass that was made anew has the number of the old one.
    return other || !pass->pass->made ? other : instr_find_pass_named(old, pass->pass->name);
}

void instr_reconfigure_assign_ids(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_plan *before, struct instr_options *next) {
    const struct instr_options *old = before ? &before->options : NULL;
    for (size_t i = 0; i < next->pass_count; i++) {
        struct instr_pass_options *pass = &next->passes[i];
        const struct instr_pass_options *other = with_same_id(old, next, pass),
                                        *then = instr_find_same(old, pass);
        int reused = 0;
        if (then && instr_pass_follow(pass, then) != 0)
            instr_say("out of memory: results of %s are without classes of earlier scopes",
                      pass->pass->name);
        const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
        agent->ids_stay |= agent_pass && !agent_pass->releases_ids;
        // Clearing times drops long calls that are still running, those of other passes too.
        int keep_apart = pass->pass->timed && old && is_timed(old);
        const struct rw_made *made = pass->pass->made;
        const void *identity = made ? (const void *)made->kind : pass->pass;
        pass->number = other ? other->number
                             : instr_pass_ids_take(&agent->pass_ids, identity,
                                                   made ? INSTR_NO_NUMBER : pass->number,
                                                   instr_clock_now(), keep_apart, &reused);
        if (reused && before && before->engine)
            instr_engine_forget_pass(before->engine, pass->number);
        struct instr_methods *methods = before ? before->methods : agent->methods;
        if (reused && methods && jni)
            instr_runtime_forget(jni, methods, pass->number, pass->pass->timed);
    }
}

static int has_number(const struct instr_options *options, unsigned number) {
    for (size_t i = 0; options && i < options->pass_count; i++)
        if (options->passes[i].number == number) return 1;
    return 0;
}

void instr_reconfigure_release_ids(struct instr_agent *agent, const struct instr_options *stay,
                                   const struct instr_options *go, uint64_t free_at) {
    for (size_t i = 0; i < go->pass_count; i++)
        if (!has_number(stay, go->passes[i].number))
            instr_pass_ids_leave(&agent->pass_ids, go->passes[i].number, free_at);
}

void instr_reconfigure_write_results(struct instr_agent *agent, JNIEnv *jni,
                                     const struct instr_plan *plan,
                                     const struct instr_options *next,
                                     const struct instr_results_taker *taker) {
    struct instr_options ended = plan->options;
    struct instr_pass_options *passes = calloc(ended.pass_count + 1, sizeof *passes);
    if (!passes) {
        instr_say("out of memory: results were not written");
        return;
    }
    ended.passes = passes;
    ended.pass_count = 0;
    ended.stats = NULL;
    for (size_t i = 0; i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        if (instr_find_same(next, pass)) continue;
        passes[ended.pass_count] = *pass;
        passes[ended.pass_count].terms.quiet |= !next;
        if (!next || pass->file) passes[ended.pass_count].top = 0;
        ended.pass_count++;
    }
    struct instr_results results = {.options = &ended,
                                    .methods = plan->methods,
                                    .engine = plan->engine,
                                    .jvmti = agent->jvmti,
                                    .jni = jni,
                                    .taker = taker,
                                    .without_totals = true};
    if (ended.pass_count) instr_results_report(&results);
    free(passes);
}
