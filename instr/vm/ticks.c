#include "instr/vm/ticks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "instr/base/clock.h"
#include "instr/base/thread.h"

enum {
    STACK = 64 * 1024,
    SLOWEST = 16,      // times INSTR_TICK_NS, from one tick to the next while the process is idle
    IDLE = 20,         // it is if it uses less than this part of a processor
    JUDGED = 40000000, // for so many ns: some kernels know only then what running threads have used
    // Linux adds up the time of all threads when the clock of the process is read, which takes 0.4 ms with
    // 5,000 threads: at most this part of the time goes to it, but it is read each 100 ms.
    READING = 256,
    MOST_UNREAD = 100000000
};

static struct instr_ticks ticks;

static struct {
    pthread_mutex_t lock;
    unsigned users;
    bool runs;          // the thread
    uint64_t overhead;  // of the clock
    atomic_bool begins; // the run of which ticks tell
    // Of the run, in ns: the time between ticks while the process was not idle, and for how much of it ticks were late.
    _Atomic int64_t passed, late;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct instr_ticks *instr_ticks(void) {
    return &ticks;
}

static void tick(int64_t now) {
    atomic_store(&ticks.before, atomic_load(&ticks.last));
    atomic_store(&ticks.last, now);
}

// Of the thread that ticks. A tick may come a little late on any machine; half a tick is a processor that others had.
static void note_late(int64_t now, int64_t pause) {
    int64_t passed = now - atomic_load(&ticks.last), late = passed - pause;
    if (pause != INSTR_TICK_NS || passed <= 0) return;
    atomic_fetch_add(&state.passed, passed);
    if (late > INSTR_TICK_NS / 2) atomic_fetch_add(&state.late, late);
}

double instr_ticks_late(void) {
    int64_t passed = atomic_load(&state.passed), late = atomic_load(&state.late);
    return passed <= 0 ? 0 : late < passed ? (double)late / (double)passed : 1;
}

// Of the thread that ticks. `spent`: the processor time of all others.
static void note_run(int64_t now, int64_t spent) {
    static int64_t begun, spent_before;
    if (atomic_exchange(&state.begins, false)) begun = now, spent_before = spent;
    int64_t passed = now - begun, used = spent - spent_before, ran = used < passed ? used : passed;
    atomic_store(&ticks.ran, ran < 0 ? 0 : ran);
}

uint64_t instr_ticks_overhead(void) {
    pthread_mutex_lock(&state.lock);
    uint64_t overhead = state.overhead;
    pthread_mutex_unlock(&state.lock);
    return overhead;
}

static bool is_used(void) {
    pthread_mutex_lock(&state.lock);
    state.runs = state.users != 0;
    bool used = state.runs;
    pthread_mutex_unlock(&state.lock);
    return used;
}

static int64_t read_clock(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// The processor time of all other threads, in ns; it may seem to go back a little. That of a thread which is
// running grows only when the kernel looks at it, each 10 ms or more often (CONFIG_HZ).
static int64_t others(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID) - read_clock(CLOCK_THREAD_CPUTIME_ID);
}

// As linux/sched/types.h has it in its first version; not all C libraries declare it.
struct sched_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

// Asks for short time slices. Where all processors are busy, the kernel then lets the thread run sooner: else ticks
// come when threads of the process begin to wait, and too few while they run. Linux has this from 6.12 on; before,
// it changes nothing.
static void ask_for_short_slices(void) {
    struct sched_attributes wanted = {.size = sizeof wanted};
    if (syscall(SYS_sched_getattr, 0, &wanted, sizeof wanted, 0) != 0 || wanted.policy != 0) return;
    wanted.runtime = INSTR_TICK_SLICE_NS;
    syscall(SYS_sched_setattr, 0, &wanted, 0);
}

static void *run(void *unused) {
    struct timespec pause = {0, INSTR_TICK_NS};
    int64_t then = (int64_t)instr_clock_now(), before = others(), next = then;
    (void)unused;
    prctl(PR_SET_NAME, "instr ticks");
    ask_for_short_slices();
    while (is_used()) {
        nanosleep(&pause, NULL);
        int64_t now = (int64_t)instr_clock_now();
        note_late(now, pause.tv_nsec);
        tick(now); // soon: a thread that waits for this processor seems to run meanwhile
        if (now < next) continue;
        int64_t spent = others(), unread = ((int64_t)instr_clock_now() - now) * READING;
        next = now + (unread < MOST_UNREAD ? unread : MOST_UNREAD);
        note_run(now, spent);
        bool busy = (spent - before) * IDLE >= now - then;
        if (!busy && now - then < JUDGED) continue;
        if (busy)
            pause.tv_nsec = INSTR_TICK_NS;
        else if (pause.tv_nsec < SLOWEST * INSTR_TICK_NS)
            pause.tv_nsec *= 2;
        then = now;
        before = spent;
    }
    return NULL;
}

bool instr_ticks_start(void) {
    pthread_mutex_lock(&state.lock);
    atomic_store(&state.begins, true);
    atomic_store(&ticks.ran, 0);
    atomic_store(&state.passed, 0);
    atomic_store(&state.late, 0);
    if (!state.runs) {
        int64_t now = (int64_t)instr_clock_now();
        tick(now - INSTR_TICK_NS);
        tick(now);
        state.overhead = instr_clock_cost();
        state.runs = instr_thread_start(run, STACK) == 0;
    }
    bool runs = state.runs;
    state.users += runs;
    pthread_mutex_unlock(&state.lock);
    return runs;
}

void instr_ticks_stop(void) {
    pthread_mutex_lock(&state.lock);
    if (state.users != 0) state.users--;
    pthread_mutex_unlock(&state.lock);
}
