// FILE.counts, how often probes were hit: whatever the bytes are, either there is a message, or lists of
// numbers for classes, each class once.

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_file.h"

#include "instr/cli/coverage/times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cover_times times = {.list = NULL};
    char *path = fuzz_file("run.exec.counts", data, size);
    path[strlen(path) - strlen(".counts")] = '\0';
    fuzz_quiet(1);
    int read = cover_times_read(&times, path), again = cover_times_read(&times, path);
    fuzz_quiet(0);
    MUST((read == 0 || read == -1) && again == 0); // the same file is read once
    cover_times_finish(&times);
    for (size_t i = 0; i < times.count; i++) {
        volatile uint64_t last = 0;
        MUST(i == 0 || times.list[i - 1].id < times.list[i].id);
        for (size_t k = 0; k < times.list[i].count; k++) last = times.list[i].counts[k];
        (void)last;
    }
    cover_times_free(&times);
    free(path);
    return 0;
}
