// Takes the events of the class Events, and checks their order. With the option "slow" it takes them slowly,
// with "late" so slowly that it would take half a minute.

#define _POSIX_C_SOURCE 200809L
#include <instr/plugin.h>

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 64 };

static const struct instr_host *host;
static struct {
    uint64_t drained, lost, sum, unordered, others, threads;
    struct {
        uint64_t id, time;
        int64_t value;
    } last[THREADS];
    char place[256];
} seen;
static int slow; // milliseconds for each call

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    const struct instr_value first = {.size = sizeof first, .what = INSTR_ARGUMENT};
    const struct instr_at at = {.size = sizeof at, .where = INSTR_AT_ENTRY};
    struct instr_method_info method = {.size = sizeof method};
    (void)data;
    host->method(code, &method);
    if (strcmp(host->class_name(cls), "Events") != 0) return;
    if (strcmp(method.name, "event") == 0) host->emit(code, &at, "numbers", &first);
    if (strcmp(method.name, "other") == 0) host->emit(code, &at, "other", NULL);
}

// Numbers and times of a thread ascend.
static void check_order(const struct instr_event *e) {
    size_t i = 0;
    while (i < seen.threads && seen.last[i].id != e->thread) i++;
    if (i == THREADS) return;
    if (i == seen.threads) seen.last[seen.threads++].id = e->thread;
    if (e->value != seen.last[i].value + 1 && e->value != 1 && !seen.lost) seen.unordered++;
    if (e->time < seen.last[i].time) seen.unordered++;
    seen.last[i].value = e->value;
    seen.last[i].time = e->time;
}

static void drain(void *data, const struct instr_event *const *events, uint32_t count,
                  uint64_t lost) {
    (void)data;
    seen.drained += count;
    seen.lost += lost;
    for (uint32_t i = 0; i < count; i++) {
        const struct instr_event *e = events[i];
        if (strcmp(e->name, "other") == 0) {
            seen.others += e->value == 0;
            continue;
        }
        seen.sum += (uint64_t)e->value;
        check_order(e);
        snprintf(seen.place, sizeof seen.place, "%s.%s%s:%d %s", e->class_name, e->method,
                 e->descriptor, e->line > 0, e->name);
    }
    if (slow && count) poll(NULL, 0, slow);
}

static void report(void *data, char *text, size_t size) {
    (void)data;
    snprintf(text, size,
             "drained %" PRIu64 ", lost %" PRIu64 ", sum %" PRIu64 "\nunordered %" PRIu64
             ", others %" PRIu64 ", threads %" PRIu64 "\n%s\n",
             seen.drained, seen.lost, seen.sum, seen.unordered, seen.others, seen.threads,
             seen.place);
}

static const struct instr_plugin plugin = {.size = sizeof plugin,
                                           .api = INSTR_PLUGIN_API,
                                           .rewrite = rewrite,
                                           .drain = drain,
                                           .report = report};

int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    (void)error;
    (void)size;
    host = given;
    slow = strcmp(host->options(), "slow") == 0   ? 5
           : strcmp(host->options(), "late") == 0 ? 400
                                                  : 0;
    return host->add(&plugin, NULL);
}
