#include "instr/cli/coverage/baseline.h"

#include "instr/base/array.h"
#include "instr/base/hash.h"
#include "instr/cli/coverage/names.h"
#include "instr/report/text.h"

#include <stdlib.h>
#include <string.h>

// --- the classes of a model by name ---

struct entry {
    const char *bundle;              // its name; NULL: this is the last class of the name in any
    const struct cover_class *class; // NULL: the slot is free
    const char *last;                // the bundle that the class is in
};

struct table {
    struct entry *slots; // each class twice, with its bundle and without
    size_t size;         // a power of 2
};

static int is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct entry *slot_of(const struct table *table, const char *bundle, const char *name) {
    size_t slot = (size_t)instr_hash(name, strlen(name), bundle ? 1 : 0) & (table->size - 1);
    for (;; slot = (slot + 1) & (table->size - 1)) {
        struct entry *entry = &table->slots[slot];
        if (!entry->class ||
            (strcmp(entry->class->name, name) == 0 && is_same(entry->bundle, bundle)))
            return entry;
    }
}

// Calls `each` for every class, until it returns another value than 0.
static int each_class(const struct cover_model *model,
                      int (*each)(void *context, const struct cover_bundle *bundle,
                                  const struct cover_class *class),
                      void *context) {
    int status = 0;
    for (size_t b = 0; b < model->bundle_count; b++)
        for (size_t p = 0; p < model->bundles[b]->package_count; p++) {
            const struct cover_package *package = model->bundles[b]->packages[p];
            for (size_t c = 0; c < package->class_count && status == 0; c++)
                status = each(context, model->bundles[b], package->classes[c]);
        }
    return status;
}

static int count_class(void *context, const struct cover_bundle *bundle,
                       const struct cover_class *class) {
    (void)bundle;
    (void)class;
    ++*(size_t *)context;
    return 0;
}

static int add_class(void *context, const struct cover_bundle *bundle,
                     const struct cover_class *class) {
    struct table *table = context;
    *slot_of(table, bundle->name, class->name) = (struct entry){bundle->name, class, bundle->name};
    *slot_of(table, NULL, class->name) = (struct entry){NULL, class, bundle->name};
    return 0;
}

static int fill(struct table *table, const struct cover_model *model) {
    size_t count = 0;
    each_class(model, count_class, &count);
    for (table->size = 16; table->size < 4 * count;) table->size *= 2;
    table->slots = calloc(table->size, sizeof *table->slots);
    if (!table->slots) return -1;
    return each_class(model, add_class, table);
}

// --- comparing ---

struct comparing {
    struct table before;
    const struct cover_model *now;
    struct cover_comparison *comparison;
};

// Usually the methods are in the same order: so the search begins where the last one ended.
static const struct cover_method *find(const struct cover_class *class,
                                       const struct cover_method *method, uint32_t *at) {
    for (uint32_t i = 0; i < class->method_count; i++) {
        const struct cover_method *m = &class->methods[(*at + i) % class->method_count];
        if (strcmp(m->name, method->name) != 0 || strcmp(m->descriptor, method->descriptor) != 0)
            continue;
        *at = (*at + i + 1) % class->method_count;
        return m;
    }
    return NULL;
}

// A method that has grown may miss more, and yet be covered as well as before.
static int is_worse(struct cover_count before, struct cover_count now) {
    return now.missed > before.missed &&
           (uint64_t)now.missed * cover_total(before) > (uint64_t)before.missed * cover_total(now);
}

static int compare_method(struct cover_comparison *comparison, const struct cover_class *class,
                          const struct cover_method *before, const struct cover_method *now) {
    static const enum cover_counter counters[] = {COVER_LINE, COVER_BRANCH, COVER_INSTRUCTION};
    comparison->methods++;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        enum cover_counter counter = counters[i];
        if (!is_worse(before->counts[counter], now->counts[counter])) continue;
        if (!INSTR_ARRAY_RESERVE(comparison->list, comparison->capacity, comparison->count + 1))
            return -1;
        uint32_t more = now->counts[counter].missed - before->counts[counter].missed;
        comparison->list[comparison->count++] =
            (struct cover_worse){class, before, now, counter, more};
        return 0;
    }
    return 0;
}

// The class of before: that of the same module, as several may have classes of one name; or one whose module is not in the
// report any more, since it has another name, or one of the runs was read without modules.
static const struct cover_class *find_class(const struct comparing *comparing,
                                            const struct cover_bundle *bundle, const char *name) {
    const struct entry *same = slot_of(&comparing->before, bundle->name, name);
    const struct entry *any = slot_of(&comparing->before, NULL, name);
    if (same->class || !any->class) return same->class;
    for (size_t i = 0; i < comparing->now->bundle_count; i++)
        if (strcmp(comparing->now->bundles[i]->name, any->last) == 0) return NULL;
    return any->class;
}

static int compare_class(void *context, const struct cover_bundle *bundle,
                         const struct cover_class *class) {
    struct comparing *comparing = context;
    const struct cover_class *before = find_class(comparing, bundle, class->name);
    uint32_t at = 0;
    for (uint32_t i = 0; before && i < class->method_count; i++) {
        const struct cover_method *method = find(before, &class->methods[i], &at);
        if (method && compare_method(comparing->comparison, class, method, &class->methods[i]) != 0)
            return -1;
    }
    return 0;
}

static int worse_first(const void *a, const void *b) {
    const struct cover_worse *x = a, *y = b;
    if (x->counter != y->counter) // lines before branches before instructions
        return x->counter == COVER_LINE || y->counter == COVER_INSTRUCTION ? -1 : 1;
    if (x->more != y->more) return x->more < y->more ? 1 : -1;
    int names = strcmp(x->class->name, y->class->name);
    if (names == 0) names = strcmp(x->now->name, y->now->name);
    return names ? names : strcmp(x->now->descriptor, y->now->descriptor);
}

int cover_compare(struct cover_comparison *comparison, const struct cover_model *before,
                  const struct cover_model *now) {
    struct comparing comparing = {{NULL, 0}, now, comparison};
    memset(comparison, 0, sizeof *comparison);
    int status = fill(&comparing.before, before);
    if (status == 0) status = each_class(now, compare_class, &comparing);
    free(comparing.before.slots);
    if (comparison->count)
        qsort(comparison->list, comparison->count, sizeof *comparison->list, worse_first);
    return status;
}

void cover_comparison_free(struct cover_comparison *comparison) {
    free(comparison->list);
    memset(comparison, 0, sizeof *comparison);
}

static void put_count(struct cover_count count, struct instr_output *out) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE];
    instr_output_format(out, "%s of %s", instr_number(count.missed, a),
                        instr_number(cover_total(count), b));
}

void cover_comparison_put(const struct cover_comparison *comparison, struct instr_output *out) {
    for (size_t i = 0; i < comparison->count; i++) {
        const struct cover_worse *worse = &comparison->list[i];
        char *name = cover_method_name(worse->class, worse->now);
        instr_output_text(out, "method ");
        instr_report_text(out, name ? name : worse->class->name, INSTR_PLAIN);
        instr_output_text(out, ": ");
        put_count(worse->before->counts[worse->counter], out);
        instr_output_text(out, worse->counter == COVER_LINE     ? " lines"
                               : worse->counter == COVER_BRANCH ? " branches"
                                                                : " instructions");
        instr_output_text(out, " missed before, now ");
        put_count(worse->now->counts[worse->counter], out);
        instr_output_text(out, "\n");
        free(name);
    }
}
