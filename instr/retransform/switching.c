#include "instr/retransform/switching.h"

#include "instr/options/compare.h"
#include "instr/options/names.h"
#include "instr/retransform/ends.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BUSY_AFTER = 10 }; // seconds that an operation waits for another one

int instr_switching_begin(struct instr_agent *agent, struct instr_reconfigured *done, char *reason,
                          size_t size) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += BUSY_AFTER;
    *done = (struct instr_reconfigured){.taker = done->taker,
                                        .announced = done->announced,
                                        .packages = done->packages,
                                        .patterns = done->patterns,
                                        .defer = done->defer,
                                        .of_command = done->of_command,
                                        .owner = done->owner,
                                        .all = done->all};
    atomic_fetch_add(&agent->waiting, 1);
    int error = pthread_mutex_timedlock(&agent->switching, &until);
    atomic_fetch_sub(&agent->waiting, 1);
    if (error != 0) {
        snprintf(reason, size, "busy: another operation is running");
        return 0;
    }
    int state = atomic_load(&agent->state);
    if (state == INSTR_DORMANT || state == INSTR_ACTIVE) return 1;
    snprintf(reason, size,
             state == INSTR_FINISHED ? "the JVM is shutting down" : "the agent is not running");
    pthread_mutex_unlock(&agent->switching);
    return 0;
}

void instr_switching_end(struct instr_agent *agent) {
    pthread_mutex_unlock(&agent->switching);
}

// Why no pass of this name is on.
static void say_not_on(const char *name, char *reason, size_t size) {
    char nearest[INSTR_NAME_SIZE];
    if (rw_pass_named(name, strlen(name))) {
        snprintf(reason, size, "pass '%.64s' is not active", name);
        return;
    }
    instr_nearest_option(name, nearest);
    int likely = rw_pass_named(nearest, strlen(nearest)) && instr_name_distance(name, nearest) <= 2;
    snprintf(reason, size, "unknown pass '%.64s'%s%s%s", name, likely ? "; did you mean '" : "",
             likely ? nearest : "", likely ? "'?" : "");
}

// Who has the pass: "al, bo and carol". *count: how many.
static void list_owners(const struct instr_options *options, const struct rw_pass *pass, char *text,
                        size_t size, size_t *count) {
    size_t all = 0, used = 0;
    *text = '\0';
    for (size_t i = 0; i < options->pass_count; i++) all += options->passes[i].pass == pass;
    *count = all;
    for (size_t i = 0, n = 0; i < options->pass_count && used + INSTR_WHO_SIZE < size; i++) {
        if (options->passes[i].pass != pass) continue;
        const char *before = n == 0 ? "" : n + 1 < all ? ", " : " and ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before,
                                 instr_owner_text(&options->passes[i].owner));
        n++;
    }
}

// The pass is on, but neither for the owner nor by the command line.
static void say_of_others(const struct instr_options *options, const struct instr_pass_options *any,
                          const struct instr_owner *owner, char *reason, size_t size) {
    char owners[256];
    size_t count;
    list_owners(options, any->pass, owners, sizeof owners, &count);
    const char *first = count > 1 ? "NAME" : any->owner.name,
               *one = count > 1 ? "that of one" : "that one";
    snprintf(reason, size,
             "pass '%s' was switched on by %s, not by %s; --as %s means %s, --all means "
             "everybody's",
             any->pass->name, owners, owner ? instr_owner_text(owner) : "you", first, one);
}

const struct instr_pass_options *instr_switching_pass(const struct instr_options *options,
                                                      const char *name,
                                                      const struct instr_owner *owner, int all,
                                                      char *reason, size_t size) {
    static const struct instr_owner command_line;
    const struct instr_pass_options *any = instr_find_pass_named(options, name), *own;
    if (!any) {
        if (!instr_ends_say(name, NULL, reason, size)) say_not_on(name, reason, size);
        return NULL;
    }
    struct instr_pass_options wanted = {.pass = any->pass};
    wanted.owner = owner ? *owner : command_line;
    if (all || (own = instr_find_same(options, &wanted))) return all ? any : own;
    wanted.owner = command_line;
    own = instr_find_same(options, &wanted);
    if (!own && !(owner && instr_ends_say(name, owner, reason, size)))
        say_of_others(options, any, owner, reason, size);
    return own;
}
