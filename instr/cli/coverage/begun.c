// What ran until an exception left its line becomes covered.

#include "instr/cli/coverage/begun.h"
#include "instr/cli/coverage/lines.h"
#include "instr/cli/coverage/tree.h"

#include <string.h>

static void shift(struct cover_count *count, uint32_t n) {
    if (n > count->missed) n = count->missed;
    count->missed -= n;
    count->covered += n;
}

// `all`: of its class. Lines count once there.
static void count_method(struct cover_method *method, struct cover_count all[COVER_COUNTERS]) {
    struct cover_count *counts = method->counts;
    if (!method->begun) return;
    shift(&counts[COVER_INSTRUCTION], method->begun);
    shift(&all[COVER_INSTRUCTION], method->begun);
    shift(&counts[COVER_LINE], method->begun_lines);
    if (counts[COVER_METHOD].covered) return;
    for (int i = COVER_COMPLEXITY; i <= COVER_METHOD; i++) {
        shift(&counts[i], 1);
        shift(&all[i], 1);
    }
}

static void count_line(struct cover_line *line) {
    uint32_t begun = line->begun;
    if (line->instructions.covered) line->begun = 0;
    shift(&line->instructions, begun);
}

static void count_lines(struct cover_lines *lines) {
    count_line(&lines->zero);
    for (uint32_t i = 0; lines->first && i <= lines->last - lines->first; i++)
        count_line(&lines->line[i]);
}

static void count_class(struct cover_class *class) {
    struct cover_count *counts = class->counts;
    for (uint32_t i = 0; i < class->method_count; i++) count_method(&class->methods[i], counts);
    shift(&counts[COVER_LINE], class->begun_lines);
    if (counts[COVER_METHOD].covered) shift(&counts[COVER_CLASS], 1);
    count_lines(&class->lines);
}

static void count_package(struct cover_package *package) {
    for (size_t i = 0; i < package->class_count; i++) count_class(package->classes[i]);
    for (size_t i = 0; i < package->source_count; i++) {
        count_lines(&package->sources[i]->lines);
        cover_sum_source(package->sources[i]);
    }
    cover_sum_package(package);
}

void cover_count_begun(struct cover_model *model) {
    memset(model->counts, 0, sizeof model->counts);
    for (size_t b = 0; b < model->bundle_count; b++) {
        struct cover_bundle *bundle = model->bundles[b];
        memset(bundle->counts, 0, sizeof bundle->counts);
        for (size_t i = 0; i < bundle->package_count; i++) {
            count_package(bundle->packages[i]);
            cover_add(bundle->counts, bundle->packages[i]->counts);
        }
        cover_add(model->counts, bundle->counts);
    }
}
