// nearest.c: see nearest.h

#define _DEFAULT_SOURCE // for madvise

#include "instr/nearest.h"

#include "instr/budget.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

// What the memory is counted in.
#define PART 4096
#define MOST_SLOTS 16384
#define PARTS (INSTR_NEAREST_SIZE(MOST_SLOTS) / PART)

static char *start;
static size_t slots;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // guards all but Java code's reading
static uint16_t used[PARTS];                              // addresses that are set in each
static size_t parts;                                      // that have any

void instr_nearest_start(void *place, size_t count) {
    start = place;
    slots = count < MOST_SLOTS ? count : MOST_SLOTS;
}

// Threads come and go, and their slots change: what none has any more is given back.
static void set(size_t part, int64_t *place, int64_t address) {
    int more = (address != 0) - (*place != 0);
    if (more > 0 && used[part] == 0) {
        if (!instr_budget_charge(PART)) return;
        parts++;
    }
    *place = address;
    used[part] = (uint16_t)(used[part] + more);
    if (more < 0 && used[part] == 0) {
        madvise(start + part * PART, PART, MADV_DONTNEED);
        instr_budget_refund(PART);
        parts--;
    }
}

void instr_nearest_set(size_t slot, size_t page, const void *address) {
    if (slot >= slots || page >= INSTR_NEAREST_PAGES) return;
    size_t at = (page / 8 * slots + slot) * 64 + page % 8 * 8;
    pthread_mutex_lock(&mutex);
    set(at / PART, (int64_t *)(start + at), (intptr_t)address);
    pthread_mutex_unlock(&mutex);
}

void instr_nearest_empty(void) {
    pthread_mutex_lock(&mutex);
    madvise(start, INSTR_NEAREST_SIZE(slots), MADV_DONTNEED);
    memset(used, 0, sizeof used);
    instr_budget_refund(parts * PART);
    parts = 0;
    pthread_mutex_unlock(&mutex);
}

size_t instr_nearest_bytes(void) {
    pthread_mutex_lock(&mutex);
    size_t bytes = parts * PART;
    pthread_mutex_unlock(&mutex);
    return bytes;
}
