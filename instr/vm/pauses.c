#include "instr/vm/pauses.h"

#include "instr/base/hsperfdata.h"
#include "instr/vm/hotspot_structs.h"

#include <pthread.h>
#include <string.h>

// In the JVM's memory.
static struct {
    const uint8_t *start;
    size_t capacity;
    const uint8_t *time; // ns; NULL: there is none
} data;

static void take(void *context, const struct instr_hotspot_field *field) {
    (void)context;
    if (strcmp(field->type, "PerfMemory") != 0 || !field->address) return;
    if (strcmp(field->name, "_start") == 0)
        memcpy(&data.start, field->address, sizeof data.start);
    else if (strcmp(field->name, "_capacity") == 0)
        memcpy(&data.capacity, field->address, sizeof data.capacity);
}

static JavaVM *the_vm;

static void find(void) {
    instr_hotspot_each_field(the_vm, take, NULL);
    uint64_t frequency;
    if (!data.start || !data.capacity) return;
    // HotSpot counts ticks, which are nanoseconds on Linux.
    const uint8_t *ticks =
        instr_hsperfdata_number(data.start, data.capacity, "sun.os.hrt.frequency");
    if (!ticks) return;
    memcpy(&frequency, ticks, sizeof frequency);
    if (frequency != 1000000000) return;
    data.time = instr_hsperfdata_number(data.start, data.capacity, "sun.rt.safepointTime");
}

uint64_t instr_pauses(JavaVM *vm) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t time = 0;
    the_vm = vm;
    pthread_once(&once, find);
    if (data.time) memcpy(&time, data.time, sizeof time);
    return time;
}
