// Lists of packages and classes.

#include "instr/cli/coverage/formats/worst.h"

#include <stdlib.h>
#include <string.h>

const char *const cover_counter_names[COVER_COUNTERS] = {
    [COVER_INSTRUCTION] = "instructions", [COVER_BRANCH] = "branches", [COVER_LINE] = "lines",
    [COVER_COMPLEXITY] = "complexity",    [COVER_METHOD] = "methods",  [COVER_CLASS] = "classes",
};

unsigned cover_percent(struct cover_count count) {
    uint64_t total = cover_total(count);
    return total ? (unsigned)((uint64_t)count.covered * 100 / total) : 100;
}

static int by_missed(const void *a, const void *b) {
    const struct cover_item *x = a, *y = b;
    uint32_t mine = x->counts[COVER_INSTRUCTION].missed;
    uint32_t other = y->counts[COVER_INSTRUCTION].missed;
    if (mine != other) return mine < other ? 1 : -1;
    int order = x->class ? strcmp(x->class->name, y->class->name)
                         : strcmp(x->package->name, y->package->name);
    return order ? order : strcmp(x->bundle->name, y->bundle->name);
}

static void add(struct cover_item *list, size_t *count, const struct cover_item *item) {
    if (cover_total(item->counts[COVER_INSTRUCTION]) == 0) return;
    if (list) list[*count] = *item;
    ++*count;
}

// Fills the list; NULL: only counts.
static size_t collect(const struct cover_model *model, int classes, struct cover_item *list) {
    size_t count = 0;
    for (size_t b = 0; b < model->bundle_count; b++) {
        const struct cover_bundle *bundle = model->bundles[b];
        for (size_t p = 0; p < bundle->package_count; p++) {
            const struct cover_package *package = bundle->packages[p];
            struct cover_item item = {bundle, package, NULL, package->counts};
            if (!classes) add(list, &count, &item);
            for (size_t c = 0; classes && c < package->class_count; c++) {
                item.class = package->classes[c];
                item.counts = item.class->counts;
                add(list, &count, &item);
            }
        }
    }
    return count;
}

static struct cover_item *worst(const struct cover_model *model, int classes, size_t *count) {
    *count = collect(model, classes, NULL);
    struct cover_item *list = malloc((*count + 1) * sizeof *list);
    if (!list) return NULL;
    collect(model, classes, list);
    qsort(list, *count, sizeof *list, by_missed);
    return list;
}

struct cover_item *cover_worst_packages(const struct cover_model *model, size_t *count) {
    return worst(model, 0, count);
}

struct cover_item *cover_worst_classes(const struct cover_model *model, size_t *count) {
    return worst(model, 1, count);
}
