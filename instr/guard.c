// guard.c: see guard.h

#include "instr/guard.h"

#include "instr/control.h"
#include "instr/switch.h"

#include <stdio.h>

#define SECOND UINT64_C(1000000000)

static void off(struct instr_agent *agent, JNIEnv *jni, const char *why) {
    char line[INSTR_ERROR_SIZE + 64], reason[INSTR_ERROR_SIZE] = "";
    struct instr_switched done;
    int ok = instr_switch_revert(agent, jni, NULL, &done, reason, sizeof reason);
    snprintf(line, sizeof line, "instr: %s: %s%s", why, ok ? "all passes are off" : "", reason);
    instr_say(line);
    if (!ok && agent->expires) agent->expires = instr_control_now() + SECOND; // once more
}

uint64_t instr_guard_watch(struct instr_agent *agent, uint64_t now, int killed) {
    int on = atomic_load(&agent->state) == INSTR_ACTIVE,
        expired = agent->expires && now >= agent->expires;
    uint64_t next = UINT64_MAX;
    if ((on && (killed || expired)) || instr_switch_is_due(agent, now)) {
        JNIEnv *jni = instr_control_jni();
        if (!jni) return now + SECOND;
        if (on && (killed || expired))
            off(agent, jni, killed ? "the kill switch was thrown" : "the time is up (for=)");
        next = instr_switch_later(agent, jni, instr_control_now());
    } else {
        if (agent->release_at) next = agent->release_at;
        if (agent->stragglers_at && agent->stragglers_at < next) next = agent->stragglers_at;
    }
    if (atomic_load(&agent->state) == INSTR_ACTIVE) {
        if (now + SECOND < next) next = now + SECOND;
        if (agent->expires && agent->expires < next) next = agent->expires;
    }
    return next;
}
