// Class files, as instr coverage report analyses them: with the filters of each release, and with
// probes hit or none. Without hits nothing is covered; with all of them everything that the probes
// lead to; and what filters take away was there before.

#include "tests/fuzz/fuzz.h"

#include "instr/cli/coverage/analysis.h"

#include <string.h>

enum { MOST_PROBES = 1 << 16 };

static struct cover_workspace workspace;

// Sums over methods are those of the class, but for lines.
static void check_class(const struct cover_class *class, int has_hits) {
    struct cover_count all[COVER_COUNTERS];
    uint64_t on_lines = cover_total(class->lines.zero.instructions);
    memset(all, 0, sizeof all);
    for (uint32_t i = 0; i < class->method_count; i++) {
        const struct cover_method *method = &class->methods[i];
        MUST(cover_total(method->counts[COVER_INSTRUCTION]) > 0);
        MUST(cover_total(method->counts[COVER_METHOD]) == 1);
        MUST(method->first_line <= method->last_line);
        cover_add(all, method->counts);
    }
    for (int i = 0; i < COVER_CLASS; i++) {
        if (i != COVER_LINE) MUST(memcmp(&all[i], &class->counts[i], sizeof all[i]) == 0);
        if (!has_hits) MUST(class->counts[i].covered == 0);
    }
    for (uint32_t i = class->lines.first; i && i <= class->lines.last; i++)
        on_lines += cover_total(class->lines.line[i - class->lines.first].instructions);
    MUST(on_lines <= cover_total(class->counts[COVER_INSTRUCTION]));
    struct cover_count lines = cover_lines_count(&class->lines);
    MUST(memcmp(&lines, &class->counts[COVER_LINE], sizeof lines) == 0);
}

// The number of instructions that count. 0 also for a class that was not analysed.
static uint64_t analyse(const uint8_t *data, size_t size, enum cover_release release,
                        const uint8_t *bits, size_t probes) {
    struct cover_input input = {
        .bytes = data, .length = size, .bits = bits, .probes = probes, .release = release};
    struct cover_class *class;
    struct cf_error error;
    uint64_t instructions = 0;
    cf_arena_reset(&workspace.kept, 0);
    workspace.inlined_count = 0;
    if (cover_analyse(&input, &workspace, &class, &error) != CF_OK) {
        MUST(error.status && error.reason && !class);
    } else if (class) {
        check_class(class, bits != NULL);
        instructions = cover_total(class->counts[COVER_INSTRUCTION]);
        cover_lines_free(&class->lines);
    }
    MUST(workspace.method.count == 0 && workspace.lines.count == 0);
    return instructions;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t bits[MOST_PROBES / 8];
    static int begun;
    if (!begun) {
        begun = 1;
        MUST(cover_workspace_init(&workspace) == 0);
        workspace.scratch.smallest = workspace.kept.smallest = 1;
    }
    uint64_t all = analyse(data, size, COVER_UNFILTERED, NULL, 0);
    MUST(analyse(data, size, COVER_0_8_6, NULL, 0) <= all);
    MUST(analyse(data, size, COVER_0_8_15, NULL, 0) <= all);
    // Few inputs have as many probes as this; with another number the data are refused.
    for (size_t i = 0; i < sizeof bits; i++) bits[i] = data[size ? i * 7 % size : 0];
    for (size_t probes = 0; size > 8 && probes < 24; probes++)
        analyse(data, size, COVER_NEWEST, bits, probes);
    return 0;
}
