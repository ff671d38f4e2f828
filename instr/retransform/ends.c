#include "instr/retransform/ends.h"

#include "instr/base/clock.h"
#include "instr/report/text.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct instr_end all[INSTR_ENDS]; // the last one first
    size_t count;
} ends = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remove_end(size_t index) {
    ends.count--;
    memmove(&ends.all[index], &ends.all[index + 1], (ends.count - index) * sizeof *ends.all);
}

static bool is_end_of(const struct instr_end *end, const char *pass,
                      const struct instr_owner *owner) {
    return strcmp(end->pass, pass) == 0 && instr_owner_same(&end->owner, owner);
}

// It takes the place of an earlier end of the same pass, or of the oldest one.
void instr_ends_note(const struct instr_end *end) {
    pthread_mutex_lock(&ends.lock);
    for (size_t i = 0; i < ends.count; i++)
        if (is_end_of(&ends.all[i], end->pass, &end->owner)) remove_end(i);
    if (ends.count == INSTR_ENDS) ends.count--;
    memmove(&ends.all[1], &ends.all[0], ends.count++ * sizeof *ends.all);
    ends.all[0] = *end;
    ends.all[0].at = instr_clock_now();
    ends.all[0].date = instr_clock_date();
    pthread_mutex_unlock(&ends.lock);
}

bool instr_ends_get(size_t index, struct instr_end *end) {
    pthread_mutex_lock(&ends.lock);
    bool found = index < ends.count;
    if (found) *end = ends.all[index];
    pthread_mutex_unlock(&ends.lock);
    return found;
}

void instr_ends_follow(const struct instr_options *options) {
    pthread_mutex_lock(&ends.lock);
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        for (size_t k = ends.count; k > 0; k--)
            if (is_end_of(&ends.all[k - 1], pass->pass->name, &pass->owner)) remove_end(k - 1);
    }
    pthread_mutex_unlock(&ends.lock);
}

void instr_ends_forget(void) {
    pthread_mutex_lock(&ends.lock);
    ends.count = 0;
    pthread_mutex_unlock(&ends.lock);
}

bool instr_ends_say(const char *name, const struct instr_owner *owner, char *text, size_t size) {
    char ago[INSTR_DURATION_SIZE];
    struct instr_end end;
    for (size_t i = 0; instr_ends_get(i, &end); i++) {
        if ((name && strcmp(end.pass, name) != 0) ||
            (owner && !instr_owner_same(&end.owner, owner)))
            continue;
        snprintf(text, size, "pass '%s' was switched off %s ago: %s", end.pass,
                 instr_duration(instr_clock_now() - end.at, ago), end.why);
        return true;
    }
    return false;
}

bool instr_ends_since(const char *name, size_t length, uint64_t since, struct instr_end *end) {
    for (size_t i = 0; instr_ends_get(i, end); i++)
        if (end->at >= since && strlen(end->pass) == length && memcmp(end->pass, name, length) == 0)
            return true;
    return false;
}
