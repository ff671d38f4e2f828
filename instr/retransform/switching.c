#include "instr/retransform/switching.h"

#include "instr/options/compare.h"
#include "instr/options/names.h"
#include "instr/retransform/overhead.h"

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

const struct instr_pass_options *instr_switching_pass(const struct instr_options *options,
                                                      const char *name,
                                                      const struct instr_owner *owner, int all,
                                                      char *reason, size_t size) {
    static const struct instr_owner command_line;
    const struct instr_pass_options *any = instr_find_pass_named(options, name), *own;
    if (!any) {
        if (!instr_overhead_say_end(name, NULL, reason, size)) say_not_on(name, reason, size);
        return NULL;
    }
    struct instr_pass_options wanted = {.pass = any->pass};
    wanted.owner = owner ? *owner : command_line;
    if (all || (own = instr_find_same(options, &wanted))) return all ? any : own;
    wanted.owner = command_line;
    own = instr_find_same(options, &wanted);
    if (!own && !(owner && instr_overhead_say_end(name, owner, reason, size)))
        snprintf(reason, size,
                 "pass '%s' was switched on by %s, not by %s; --as %s means that one, --all means "
                 "everybody's",
                 name, any->owner.name, owner ? instr_owner_text(owner) : "you", any->owner.name);
    return own;
}
