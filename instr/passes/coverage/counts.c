#include "instr/passes/coverage/counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "instr/vm/snapshot.h"
#include "instr/base/json.h"

static void write_class(struct instr_json *json, struct instr_coverage *registry,
                        const struct instr_covered_class *class, const struct instr_counts *counts,
                        size_t n) {
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, class->id);
    instr_json_open(json, NULL, '{');
    instr_json_class(json, "class", class->name);
    instr_json_text(json, "id", id);
    instr_json_open_flat(json, "counts", '[');
    for (uint32_t i = 0; i < class->count; i++) {
        int counter = instr_coverage_counter(registry, class->first + i);
        if (counter < 0) // its method was skipped, or there are no more counters
            instr_json_text(json, NULL, NULL);
        else
            instr_json_number(json, NULL, (size_t)counter < n ? counts[counter].calls : 0);
    }
    instr_json_close(json, ']');
    instr_json_close(json, '}');
}

int instr_coverage_write_counts(JNIEnv *jni, struct instr_coverage *registry, const char *path,
                                char *error, size_t size) {
    struct instr_counts *counts = NULL;
    size_t n = 0;
    uint32_t classes = instr_coverage_classes(registry);
    if (!instr_snapshot(jni, &counts, &n)) {
        snprintf(error, size, "coverage: out of memory: the counts are not written");
        return -1;
    }
    struct instr_output out;
    instr_output_open(&out, path);
    struct instr_json json = instr_json_start(&out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", "coverage");
    instr_json_open(&json, "classes", '[');
    for (uint32_t i = 0; i < classes; i++) {
        struct instr_covered_class class = instr_coverage_class(registry, i);
        write_class(&json, registry, &class, counts, n);
    }
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    free(counts);
    return instr_output_close(&out, error, size);
}
