// The control thread: accepts clients, serves them, calls the agent's watch.

#include "instr/control/server.h"

#include "instr/control/client.h"
#include "instr/control/pulse.h"
#include "instr/control/socket.h"
#include "instr/base/clock.h"
#include "instr/base/thread.h"
#include "instr/report/text.h"
#include "instr/retransform/background.h"
#include "instr/vm/other_agents.h"
#include "instr/vm/wake.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
// How often to check whether the socket's file still exists: something may clean /tmp. A dormant
// agent wakes up rarely for it.
#define CHECK_SOCKET (60 * SECOND)
#define CHECK_WHEN_BUSY (5 * SECOND)
enum {
    MOST_CLIENTS = 16,
    START_MS = 200,          // from the JVM's start to the socket, unless instr_wake is called
    END_MS = 5000,           // the longest that instr_control_await_end waits
    STACK = 2 * 1024 * 1024, // the VM's verifier and our passes run on it
    WAKE = 0,                // indexes in the list for poll
    LISTEN = 1,
    CLIENTS = 2
};

enum { NONE, RUNNING };

// There is one control channel in a JVM.
static struct {
    atomic_int state;
    atomic_int stopping;
    atomic_int check_now; // whether the socket's file exists
    atomic_int without_socket;
    atomic_int idle; // it waits, and has no clients
    struct instr_control_config config;
    struct instr_control_place place;
    struct instr_client *clients[MOST_CLIENTS];
    uint64_t watch_at;      // when to call config.watch
    uint64_t check_at;      // when to check the socket's file
    uint64_t accepts_again; // when to accept clients again after running out of descriptors; or 0
} control;

// --- clients ---

static size_t client_count(void) {
    size_t n = 0;
    for (int i = 0; i < MOST_CLIENTS; i++) n += control.clients[i] != NULL;
    return n;
}

static void drop(int i) {
    instr_client_free(control.clients[i]);
    control.clients[i] = NULL;
}

// Only the same user and root may send commands. The mode of the directory excludes other users
// already; this check does not rely on it.
static int may_command(const struct ucred *peer) {
    return peer->uid == geteuid() || peer->uid == 0;
}

static void admit(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    int place = 0;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || !may_command(&peer)) {
        close(fd);
        return;
    }
    while (place < MOST_CLIENTS && control.clients[place]) place++;
    struct instr_client *client = instr_client_new(fd, control.config.agent, peer.uid, peer.pid);
    if (!client) return;
    if (place < MOST_CLIENTS) {
        control.clients[place] = client;
        return;
    }
    instr_client_refuse(client, "too many clients are connected already");
    instr_client_serve(client, 0, 0, instr_clock_now());
    instr_client_free(client);
}

static int has_room(void) {
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (!control.clients[i]) return 1;
    return 0;
}

// `quiet`: no connected client has sent anything or disconnected. When there is no room, a new
// client waits until that is certain, and is refused then.
static void accept_all(int quiet, uint64_t now) {
    for (int i = 0; i < MOST_CLIENTS && (quiet || has_room()); i++) {
        int fd = accept4(control.place.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            admit(fd);
            if (!has_room()) quiet = 0; // serve the new clients first
        } else {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                control.accepts_again = now + SECOND; // poll would report it again at once
            return;
        }
    }
}

// 1: there was nothing to do. Stops after a detach: the agent can no longer run commands.
static int serve_clients(const struct pollfd *polled, int woken, uint64_t now) {
    int quiet = 1;
    for (int i = 0; i < MOST_CLIENTS && !atomic_load(&control.stopping); i++) {
        struct instr_client *client = control.clients[i];
        if (!client) continue;
        short revents = polled[CLIENTS + i].fd == client->fd ? polled[CLIENTS + i].revents : 0;
        if (!revents && !woken && instr_client_next(client) > now) continue;
        quiet = 0;
        if (!instr_client_serve(client, revents, woken, now)) drop(i);
    }
    return quiet;
}

// --- while a command runs ---

enum { LONG_SECONDS = 3 };

// "running for 4 s", and how far the background thread is.
static void how_far(const struct instr_busy *busy, uint64_t now, char *text, size_t size) {
    struct instr_reconfigure_progress p = instr_reconfigure_progress();
    char done[INSTR_NUMBER_SIZE], total[INSTR_NUMBER_SIZE];
    unsigned seconds = (unsigned)((now - busy->since) / SECOND);
    int n = seconds ? snprintf(text, size, "running for %u s", seconds)
                    : snprintf(text, size, "running");
    if (p.total)
        snprintf(text + n, size - (size_t)n, "; %s of %s classes changed",
                 instr_number(p.done, done), instr_number(p.total, total));
    else if (seconds >= LONG_SECONDS && instr_agents_debugger())
        snprintf(text + n, size - (size_t)n, "; a debugger may have suspended the JVM's threads");
}

static void describe(const struct instr_busy *busy, uint64_t now, char *text, size_t size) {
    char far[128];
    how_far(busy, now, far, sizeof far);
    if (busy->client)
        snprintf(text, size, "waiting for '%s' of process %ld, user %lu (%s)", busy->command,
                 (long)busy->client->pid, (unsigned long)busy->client->uid, far);
    else
        snprintf(text, size, "waiting for the agent's %s (%s)", busy->command, far);
}

static void beat(const struct instr_busy *busy, bool note, uint64_t now) {
    char waiting[INSTR_ERROR_SIZE], running[INSTR_ERROR_SIZE], far[128];
    if (atomic_load(&control.stopping)) return;
    if (control.place.fd >= 0) accept_all(0, now);
    describe(busy, now, waiting, sizeof waiting);
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (control.clients[i] && control.clients[i] != busy->client)
            instr_client_attend(control.clients[i], note ? waiting : NULL);
    how_far(busy, now, far, sizeof far);
    snprintf(running, sizeof running, "'%s': %s", busy->command, far);
    if (note && busy->client) instr_client_note(busy->client, running);
}

// --- the thread ---

static uint64_t earliest(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void watch(uint64_t now) {
    if (!control.config.watch) return;
    bool busy = control.watch_at != INSTR_NEVER;
    bool thrown = busy && instr_control_place_killed(&control.place), not_yet = thrown;
    instr_pulse_begin("limits", NULL);
    control.watch_at = control.config.watch(control.config.agent, now, &not_yet);
    instr_pulse_end();
    // Its file tells the operator by its absence that all passes are off.
    if (thrown && !not_yet) instr_control_place_reset_kill(&control.place);
    // A kill switch that was created while no pass was on does not concern later passes.
    if (busy || control.watch_at == INSTR_NEVER) return;
    instr_control_place_reset_kill(&control.place);
    control.check_at = earliest(control.check_at, now + CHECK_WHEN_BUSY);
}

static void check_socket(uint64_t now) {
    char reason[INSTR_ERROR_SIZE];
    control.check_at = now + (control.watch_at == INSTR_NEVER ? CHECK_SOCKET : CHECK_WHEN_BUSY);
    if (atomic_load(&control.without_socket)) return;
    if (control.place.fd >= 0 && instr_control_place_holds(&control.place)) return;
    if (control.place.fd >= 0) close(control.place.fd);
    instr_control_place_open(&control.place, reason, sizeof reason);
    if (atomic_load(&control.stopping)) instr_control_place_remove(&control.place);
}

// When there will be something to do without an event. The kill switch is checked every second while
// the agent is busy.
static uint64_t next_time(uint64_t now) {
    uint64_t next = earliest(control.check_at, control.watch_at);
    if (control.watch_at != INSTR_NEVER) next = earliest(next, now + SECOND);
    if (control.accepts_again) next = earliest(next, control.accepts_again);
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (control.clients[i]) next = earliest(next, instr_client_next(control.clients[i]));
    return next;
}

static int wait_for(struct pollfd *polled, uint64_t now) {
    uint64_t next = next_time(now);
    uint64_t milliseconds = next <= now ? 0 : (next - now + 999999) / 1000000;
    polled[WAKE] = (struct pollfd){instr_wake_descriptor(), POLLIN, 0};
    polled[LISTEN] = (struct pollfd){control.accepts_again ? -1 : control.place.fd, POLLIN, 0};
    int used = CLIENTS; // poll refuses more entries than the process may open files
    for (int i = 0; i < MOST_CLIENTS; i++) {
        struct instr_client *client = control.clients[i];
        polled[CLIENTS + i] =
            (struct pollfd){client ? client->fd : -1, client ? instr_client_events(client) : 0, 0};
        if (client) used = CLIENTS + i + 1;
    }
    return poll(polled, (nfds_t)used, milliseconds > 60000 ? 60000 : (int)milliseconds);
}

static void serve(void) {
    struct pollfd polled[CLIENTS + MOST_CLIENTS];
    atomic_store(&control.idle, client_count() == 0);
    int ready = wait_for(polled, instr_clock_now());
    uint64_t now = instr_clock_now();
    atomic_store(&control.idle, 0);
    if (ready < 0) memset(polled, 0, sizeof polled); // EINTR, or no memory
    if (ready < 0 && errno != EINTR) usleep(100000);
    int woken = instr_wake_taken(polled[WAKE].revents != 0);
    if (control.accepts_again && now >= control.accepts_again) control.accepts_again = 0;
    int quiet = serve_clients(polled, woken, now);
    if (polled[LISTEN].revents) accept_all(quiet, now);
    if (atomic_load(&control.stopping)) return;
    if (atomic_exchange(&control.check_now, 0) || now >= control.check_at) check_socket(now);
    watch(now);
    if (client_count() == 0 && control.watch_at == INSTR_NEVER) instr_wake_detach();
}

// Leaves a JVM that has just started alone: it is busy, and it may end before any client looks for
// it.
static void let_start(void) {
    struct pollfd polled = {instr_wake_descriptor(), POLLIN, 0};
    poll(&polled, 1, START_MS);
}

static int open_place(char *reason, size_t size) {
    return atomic_load(&control.without_socket)
               ? instr_control_place_prepare(&control.place, reason, size)
               : instr_control_place_open(&control.place, reason, size);
}

static void *thread(void *unused) {
    (void)unused;
    char reason[INSTR_ERROR_SIZE];
    prctl(PR_SET_NAME, "instr control");
    instr_pulse_use(beat);
    if (control.place.fd < 0) let_start();
    if (control.place.fd < 0 && !atomic_load(&control.stopping) &&
        open_place(reason, sizeof reason) != 0)
        control.config.failed(reason);
    control.watch_at = control.config.watch ? 0 : INSTR_NEVER;
    control.check_at = instr_clock_now() + CHECK_SOCKET;
    while (!atomic_load(&control.stopping)) serve();
    instr_control_place_remove(&control.place);
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (control.clients[i]) drop(i);
    if (control.place.fd >= 0) close(control.place.fd);
    control.place.fd = -1;
    instr_wake_detach();
    atomic_store(&control.state, NONE);
    return NULL;
}

int instr_control_start(const struct instr_control_config *config, int wait, char *reason,
                        size_t size) {
    int none = NONE;
    if (atomic_load(&control.state) == RUNNING && !atomic_load(&control.stopping)) {
        if (!config->without_socket) atomic_store(&control.without_socket, 0);
        atomic_store(&control.check_now, 1);
        instr_wake();
        return 1;
    }
    // The thread of a detached agent ends very soon.
    for (int i = 0; i < 100 && atomic_load(&control.state) != NONE; i++) usleep(10000);
    if (!atomic_compare_exchange_strong(&control.state, &none, RUNNING)) {
        snprintf(reason, size, "the previous control thread has not ended yet");
        return 0;
    }
    control.config = *config;
    memset(&control.place, 0, sizeof control.place);
    control.place.folder = control.config.folder;
    atomic_store(&control.without_socket, config->without_socket);
    atomic_store(&control.stopping, 0);
    control.accepts_again = 0;
    control.place.fd = -1;
    if (instr_wake_descriptor() < 0) {
        snprintf(reason, size, "eventfd: %s", strerror(errno));
    } else if (!wait || open_place(reason, size) == 0) {
        int error = instr_thread_start(thread, STACK);
        if (error == 0) return 1;
        snprintf(reason, size, "cannot create a thread: %s", strerror(error));
        if (control.place.fd >= 0) {
            instr_control_place_remove(&control.place);
            close(control.place.fd);
        }
    }
    atomic_store(&control.state, NONE);
    return 0;
}

void instr_control_stop(void) {
    if (atomic_load(&control.state) == NONE) return;
    atomic_store(&control.stopping, 1);
    instr_control_place_remove(&control.place);
    instr_pulse_stop();
    instr_wake();
}

void instr_control_await_end(void) {
    for (int i = 0; i < END_MS && atomic_load(&control.state) == RUNNING; i++) {
        if (atomic_load(&control.idle)) return;
        usleep(1000);
    }
}
