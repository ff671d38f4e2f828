#include "instr/control/pulse.h"

#include "instr/base/clock.h"
#include "instr/base/thread.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>

enum { BEAT_MS = 500, BEATS_PER_NOTE = 3, IDLE_BEATS = 10, STACK = 256 * 1024 };

static struct {
    pthread_mutex_t lock;
    bool running; // the thread
    atomic_bool stopping;
    instr_beat *beat;
    struct instr_busy busy; // without a command: the control thread is not busy
    unsigned beats;         // since it became busy
    unsigned idle;          // beats without a command
} pulse = {.lock = PTHREAD_MUTEX_INITIALIZER};

// False: the thread ends.
static bool beat_once(void) {
    pthread_mutex_lock(&pulse.lock);
    if (pulse.busy.command && pulse.beat) {
        // The first line is for a command that has waited for a moment already.
        bool note = ++pulse.beats % BEATS_PER_NOTE == 2;
        pulse.beat(&pulse.busy, note, instr_clock_now());
    }
    pulse.idle = pulse.busy.command ? 0 : pulse.idle + 1;
    pulse.running =
        pulse.busy.command || (pulse.idle < IDLE_BEATS && !atomic_load(&pulse.stopping));
    bool more = pulse.running;
    pthread_mutex_unlock(&pulse.lock);
    return more;
}

static void *thread(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "instr pulse");
    do poll(NULL, 0, BEAT_MS);
    while (beat_once());
    return NULL;
}

void instr_pulse_use(instr_beat *beat) {
    pthread_mutex_lock(&pulse.lock);
    pulse.beat = beat;
    pthread_mutex_unlock(&pulse.lock);
    atomic_store(&pulse.stopping, false);
}

void instr_pulse_begin(const char *command, struct instr_client *client) {
    pthread_mutex_lock(&pulse.lock);
    pulse.busy = (struct instr_busy){command, client, instr_clock_now()};
    pulse.beats = pulse.idle = 0;
    // Without the thread, clients get no lines.
    if (!pulse.running) pulse.running = instr_thread_start(thread, STACK) == 0;
    pthread_mutex_unlock(&pulse.lock);
}

void instr_pulse_end(void) {
    pthread_mutex_lock(&pulse.lock);
    pulse.busy.command = NULL;
    pthread_mutex_unlock(&pulse.lock);
}

void instr_pulse_stop(void) {
    atomic_store(&pulse.stopping, true);
}
