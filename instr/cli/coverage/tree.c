// Packages, source files and their sums.

#include "instr/cli/coverage/tree.h"
#include "instr/base/hash.h"
#include "instr/cli/coverage/order.h"

#include <stdlib.h>
#include <string.h>

// While the tree is made: the parts of one kind by their names, numbered as they come.
struct part {
    const char *package; // not terminated, `package_length` bytes
    size_t package_length;
    const char *name; // of a source file; "": a package
    void *content;
    uint32_t next; // with the same hash, plus 1
};
struct parts {
    struct part *list;
    uint32_t count;
    uint32_t *table; // by hash, the number plus 1
    size_t slots;    // a power of 2
};

struct maker {
    struct cover_classes *classes;
    struct cover_bundle *bundle;
    uint32_t *order;          // of the classes
    struct cover_class **all; // in that order
    struct parts packages, sources;
};

static int make_parts(struct parts *parts, size_t most) {
    parts->slots = 16;
    while (parts->slots < most) parts->slots *= 2;
    parts->list = calloc(most + 1, sizeof *parts->list);
    parts->table = calloc(parts->slots, sizeof *parts->table);
    return parts->list && parts->table ? 0 : -1;
}

static void free_parts(struct parts *parts) {
    free(parts->list);
    free(parts->table);
}

// The part of these names; a new one has no content.
static struct part *find_part(struct parts *parts, const char *package, size_t length,
                              const char *name) {
    uint64_t hash = instr_hash(name, strlen(name), instr_hash(package, length, 0));
    uint32_t *slot = &parts->table[hash & (parts->slots - 1)];
    for (uint32_t i = *slot; i; i = parts->list[i - 1].next) {
        struct part *part = &parts->list[i - 1];
        if (part->package_length == length && memcmp(part->package, package, length) == 0 &&
            strcmp(part->name, name) == 0)
            return part;
    }
    parts->list[parts->count] = (struct part){package, length, name, NULL, *slot};
    *slot = ++parts->count;
    return &parts->list[parts->count - 1];
}

static size_t package_length(const struct cover_class *class) {
    const char *slash = strrchr(class->name, '/');
    return slash ? (size_t)(slash - class->name) : 0;
}

// --- order ---

static int sort_classes(struct maker *maker) {
    struct cover_classes *classes = maker->classes;
    uint32_t *hashes = malloc((classes->count + 1) * sizeof *hashes);
    maker->order = malloc((classes->count + 1) * sizeof *maker->order);
    maker->all = malloc((classes->count + 1) * sizeof(struct cover_class *));
    if (!hashes || !maker->order || !maker->all) {
        free(hashes);
        return -1;
    }
    for (size_t i = 0; i < classes->count; i++)
        hashes[i] = cover_java_hash(0, classes->list[i]->name);
    int result = cover_java_order(hashes, classes->count, maker->order);
    for (size_t i = 0; result == 0 && i < classes->count; i++)
        maker->all[i] = classes->list[maker->order[i]];
    free(hashes);
    return result;
}

// The order of packages and source files, whose keys are PACKAGE and PACKAGE/NAME.
static uint32_t *order_of(const struct parts *parts, int are_sources) {
    uint32_t *hashes = malloc((parts->count + 1) * sizeof *hashes);
    uint32_t *order = malloc((parts->count + 1) * sizeof *order);
    int result = hashes && order ? 0 : -1;
    for (uint32_t i = 0; result == 0 && i < parts->count; i++) {
        const struct part *part = &parts->list[i];
        char *package = strndup(part->package, part->package_length);
        if (!package) {
            result = -1;
            break;
        }
        hashes[i] = cover_java_hash(0, package);
        if (are_sources) hashes[i] = cover_java_hash(hashes[i] * 31 + '/', part->name);
        free(package);
    }
    if (result == 0) result = cover_java_order(hashes, parts->count, order);
    free(hashes);
    if (result == 0) return order;
    free(order);
    return NULL;
}

// --- parts ---

static struct cover_package *add_package(struct maker *maker, const struct cover_class *class) {
    size_t length = package_length(class);
    struct part *part = find_part(&maker->packages, class->name, length, "");
    if (part->content) return part->content;
    struct cover_package *package = calloc(1, sizeof *package);
    if (!package) return NULL;
    package->name = strndup(class->name, length);
    if (!package->name) {
        free(package);
        return NULL;
    }
    return part->content = package;
}

static struct cover_source *add_source(struct maker *maker, const struct cover_class *class,
                                       struct cover_package *package) {
    struct part *part =
        find_part(&maker->sources, class->name, package_length(class), class->source);
    if (part->content) return part->content;
    struct cover_source *source = calloc(1, sizeof *source);
    if (!source) return NULL;
    source->name = class->source;
    source->package = package;
    package->source_count++;
    return part->content = source;
}

// Finds the package and the source file of each class, and counts what they hold. JaCoCo 0.8.6 finds
// source files as it finds classes, later releases as it has sorted them.
static int find_parts(struct maker *maker, enum cover_release release) {
    for (size_t i = 0; i < maker->classes->count; i++) {
        struct cover_package *package = add_package(maker, maker->all[i]);
        if (!package) return -1;
        package->class_count++;
    }
    for (size_t i = 0; i < maker->classes->count; i++) {
        struct cover_class *class =
            release == COVER_0_8_6 ? maker->classes->list[i] : maker->all[i];
        if (!class->source) continue;
        class->file = add_source(maker, class, add_package(maker, class));
        if (!class->file) return -1;
        class->file->class_count++;
    }
    return 0;
}

// --- sums ---

// Gives the lines of its classes to a source file. That of a single class takes its array.
static int move_lines(struct cover_source *source) {
    struct cover_lines *all = &source->lines;
    for (size_t i = 0; i < source->class_count; i++) {
        const struct cover_lines *lines = &source->classes[i]->lines;
        if (!lines->first) continue;
        if (!all->first || lines->first < all->first) all->first = lines->first;
        if (lines->last > all->last) all->last = lines->last;
    }
    for (size_t i = 0; i < source->class_count; i++) {
        struct cover_lines *lines = &source->classes[i]->lines;
        if (lines->first && !all->line && lines->first == all->first && lines->last == all->last) {
            all->line = lines->line;
            lines->line = NULL;
            lines->first = lines->last = 0;
            cover_lines_add(all, lines);
        } else {
            if (lines->first && !all->line)
                all->line = calloc(all->last - all->first + 1, sizeof *all->line);
            if (lines->first && !all->line) {
                all->first = all->last = 0;
                return -1;
            }
            cover_lines_add(all, lines);
        }
        cover_lines_free(lines);
    }
    return 0;
}

void cover_sum_source(struct cover_source *source) {
    memset(source->counts, 0, sizeof source->counts);
    for (size_t i = 0; i < source->class_count; i++)
        cover_add(source->counts, source->classes[i]->counts);
    source->counts[COVER_LINE] = cover_lines_count(&source->lines);
}

void cover_sum_package(struct cover_package *package) {
    memset(package->counts, 0, sizeof package->counts);
    for (size_t i = 0; i < package->source_count; i++)
        cover_add(package->counts, package->sources[i]->counts);
    for (size_t i = 0; i < package->class_count; i++)
        if (!package->classes[i]->file) cover_add(package->counts, package->classes[i]->counts);
}

// --- the tree ---

static int make_lists(struct maker *maker) {
    struct cover_bundle *bundle = maker->bundle;
    bundle->packages = calloc(maker->packages.count + 1, sizeof(struct cover_package *));
    if (!bundle->packages) return -1;
    for (uint32_t i = 0; i < maker->packages.count; i++) {
        struct cover_package *package = maker->packages.list[i].content;
        package->classes = calloc(package->class_count + 1, sizeof(struct cover_class *));
        package->sources = calloc(package->source_count + 1, sizeof(struct cover_source *));
        if (!package->classes || !package->sources) return -1;
        package->class_count = package->source_count = 0;
    }
    for (uint32_t i = 0; i < maker->sources.count; i++) {
        struct cover_source *source = maker->sources.list[i].content;
        source->classes = calloc(source->class_count, sizeof(struct cover_class *));
        if (!source->classes) return -1;
        source->class_count = 0;
    }
    return 0;
}

static int fill(struct maker *maker) {
    for (size_t i = 0; i < maker->classes->count; i++) {
        struct cover_class *class = maker->all[i];
        struct cover_package *package =
            find_part(&maker->packages, class->name, package_length(class), "")->content;
        package->classes[package->class_count++] = class;
        if (class->file) class->file->classes[class->file->class_count++] = class;
    }
    uint32_t *order = order_of(&maker->sources, 1);
    if (!order) return -1;
    for (uint32_t i = 0; i < maker->sources.count; i++) {
        struct cover_source *source = maker->sources.list[order[i]].content;
        struct cover_package *package = (struct cover_package *)source->package;
        package->sources[package->source_count++] = source;
        if (move_lines(source) != 0) {
            free(order);
            return -1;
        }
        cover_sum_source(source);
    }
    free(order);
    order = order_of(&maker->packages, 0);
    if (!order) return -1;
    for (uint32_t i = 0; i < maker->packages.count; i++) {
        struct cover_package *package = maker->packages.list[order[i]].content;
        cover_sum_package(package);
        cover_add(maker->bundle->counts, package->counts);
        maker->bundle->packages[maker->bundle->package_count++] = package;
    }
    free(order);
    return 0;
}

static void free_source(struct cover_source *source) {
    cover_lines_free(&source->lines);
    free(source->classes);
    free(source);
}

static void free_package(struct cover_package *package) {
    free((char *)package->name);
    free(package->classes);
    free(package->sources);
    free(package);
}

// What is not in the bundle yet.
static void undo(struct maker *maker) {
    for (uint32_t i = 0; i < maker->sources.count; i++)
        if (maker->sources.list[i].content) free_source(maker->sources.list[i].content);
    for (uint32_t i = 0; i < maker->packages.count; i++)
        if (maker->packages.list[i].content) free_package(maker->packages.list[i].content);
    if (maker->bundle) free(maker->bundle->packages);
    free(maker->bundle);
    maker->bundle = NULL;
}

struct cover_bundle *cover_bundle_make(const char *name, struct cover_classes *classes,
                                       enum cover_release release) {
    struct maker maker = {.classes = classes};
    maker.bundle = calloc(1, sizeof *maker.bundle);
    int bad = !maker.bundle || make_parts(&maker.packages, classes->count) != 0 ||
              make_parts(&maker.sources, classes->count) != 0 || sort_classes(&maker) != 0 ||
              find_parts(&maker, release) != 0 || make_lists(&maker) != 0 || fill(&maker) != 0;
    if (bad)
        undo(&maker);
    else
        maker.bundle->name = name;
    free_parts(&maker.packages);
    free_parts(&maker.sources);
    free(maker.order);
    free(maker.all);
    return maker.bundle;
}

void cover_bundle_free(struct cover_bundle *bundle) {
    if (!bundle) return;
    for (size_t i = 0; i < bundle->package_count; i++) {
        struct cover_package *package = bundle->packages[i];
        for (size_t k = 0; k < package->source_count; k++) free_source(package->sources[k]);
        free_package(package);
    }
    free(bundle->packages);
    free(bundle);
}
