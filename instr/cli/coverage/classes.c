// All classes of some paths.

#include "instr/cli/coverage/classes.h"
#include "instr/base/hash.h"
#include "instr/cli/cli.h"
#include "instr/coverage/exec_writer.h"
#include "instr/report/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_AT_A_TIME = 16 };

struct result {
    struct cover_class *class; // NULL: left out, or failed
    char *error;
    bool changed; // to count its coverage
};

struct work {
    const struct cli_paths *paths;
    const struct instr_exec_store *data;
    enum cover_release release;
    struct result *results; // by item
    atomic_size_t next;     // item
    atomic_int no_memory;
};

struct worker {
    struct work *work;
    struct cover_workspace *workspace;
    struct cli_open_jar open;
    pthread_t thread;
};

// --- one class ---

static char *location_of(struct worker *worker, const struct cli_item *item) {
    const char *jar = item->jar ? item->jar : "", *mark = item->jar ? "!" : "";
    size_t size = strlen(jar) + strlen(item->name) + 2;
    char *location = cf_arena_alloc(&worker->workspace->kept, size);
    if (location) snprintf(location, size, "%s%s%s", jar, mark, item->name);
    return location;
}

static void fail(struct worker *worker, struct result *result, const char *reason) {
    result->error = strdup(reason);
    if (!result->error) atomic_store(&worker->work->no_memory, 1);
}

static void analyse(struct worker *worker, const struct cli_item *item, struct result *result,
                    const struct cli_bytes *bytes, const uint8_t *inlined) {
    struct cf_error error;
    char reason[CLI_REASON_SIZE];
    uint64_t id = instr_exec_class_id(bytes->bytes, bytes->length);
    const struct instr_exec_entry *entry = instr_exec_store_find(worker->work->data, id);
    struct cover_input input = {.bytes = bytes->bytes,
                                .length = bytes->length,
                                .bits = entry ? entry->class.bits : NULL,
                                .probes = entry ? entry->class.probes : 0,
                                .release = worker->work->release,
                                .inlined = inlined};
    enum cf_status status = cover_analyse(&input, worker->workspace, &result->class, &error);
    if (status == CF_NO_MEMORY) atomic_store(&worker->work->no_memory, 1);
    if (status == CF_MISUSE) // the class is as good as not executed
        fail(worker, result, COVER_OTHER_PROBES);
    else if (status == CF_UNSUPPORTED)
        result->changed = true;
    else if (status != CF_OK)
        fail(worker, result, cf_error_text(&error, reason, sizeof reason));
    if (status == CF_MISUSE) {
        input.bits = NULL;
        entry = NULL;
        status = cover_analyse(&input, worker->workspace, &result->class, &error);
    }
    if (!result->class) return;
    result->class->id = id;
    result->class->item = (size_t)(item - worker->work->paths->items);
    result->class->match = entry ? COVER_MATCHES : COVER_NO_DATA;
    result->class->location = location_of(worker, item);
    if (!result->class->location) atomic_store(&worker->work->no_memory, 1);
}

static void *run(void *context) {
    struct worker *worker = context;
    struct work *work = worker->work;
    char reason[CLI_REASON_SIZE];
    size_t first;
    while ((first = atomic_fetch_add(&work->next, ITEMS_AT_A_TIME)) < work->paths->count) {
        size_t end = first + ITEMS_AT_A_TIME;
        if (end > work->paths->count) end = work->paths->count;
        for (size_t i = first; i < end; i++) {
            struct cli_bytes bytes;
            if (cli_item_read(&work->paths->items[i], &worker->open, &bytes, reason) != 0) {
                fail(worker, &work->results[i], reason);
                continue;
            }
            analyse(worker, &work->paths->items[i], &work->results[i], &bytes, NULL);
            free(bytes.bytes);
        }
    }
    return NULL;
}

// --- threads ---

// Runs in as many threads as can be started, and in this one.
static int run_all(struct cover_classes *classes, struct work *work) {
    long threads = cli_processors(), started = 1;
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    classes->workspaces = calloc((size_t)threads, sizeof *classes->workspaces);
    if (!workers || !classes->workspaces) {
        free(workers);
        return cli_no_memory();
    }
    int bad = 0;
    for (long i = 0; i < threads; i++) {
        classes->workspaces_count++;
        if (cover_workspace_init(&classes->workspaces[i]) != 0) bad = 1;
        workers[i].work = work;
        workers[i].workspace = &classes->workspaces[i];
    }
    while (!bad && started < threads &&
           pthread_create(&workers[started].thread, NULL, run, &workers[started]) == 0)
        started++;
    if (!bad) run(&workers[0]);
    for (long i = 1; i < started; i++) pthread_join(workers[i].thread, NULL);
    for (long i = 0; i < threads; i++) cli_open_jar_free(&workers[i].open);
    free(workers);
    return bad || atomic_load(&work->no_memory) ? cli_no_memory() : CLI_OK;
}

// --- the list ---

struct names {
    struct cover_class ***slots; // point into the list
    size_t count;                // a power of 2
};

// The slot of a name: that of a class that has it, or a free one.
static struct cover_class ***find_slot(const struct names *names, const char *name) {
    size_t i = instr_hash(name, strlen(name), 0) & (names->count - 1);
    while (names->slots[i] && strcmp((*names->slots[i])->name, name) != 0)
        i = (i + 1) & (names->count - 1);
    return &names->slots[i];
}

static int make_names(struct names *names, size_t count) {
    names->count = 16;
    while (names->count < count * 2) names->count *= 2;
    names->slots = calloc(names->count, sizeof *names->slots);
    return names->slots ? 0 : -1;
}

// An archive for several releases of Java has other versions of its classes there. And a file of another
// name may replace a class: DebugProbesKt.bin of kotlinx-coroutines, beside that of Kotlin's library.
static int may_differ(const struct cover_class *class) {
    return strstr(class->location, "META-INF/versions/") ||
           !cli_ends_with(class->location, ".class");
}

static int is_new(const struct cover_classes *classes, const struct cover_class *class) {
    for (size_t i = 0; i < classes->again_count; i++)
        if (classes->again[i]->id == class->id && strcmp(classes->again[i]->name, class->name) == 0)
            return 0;
    return 1;
}

// A second class of that name.
static void add_again(struct cover_classes *classes, struct cover_class **there,
                      struct cover_class *class) {
    struct cover_class *spare = class;
    if (class->id != (*there)->id && class->match == COVER_MATCHES &&
        (*there)->match == COVER_MATCHES) {
        if (is_new(classes, class)) {
            classes->again[classes->again_count++] = class;
            return;
        }
    } else if (class->id != (*there)->id) {
        if (!may_differ(class) && !may_differ(*there)) {
            cli_error("%s: another class %s is in %s", class->location, class->name,
                      (*there)->location);
            classes->failed = 1;
        }
        if (class->match == COVER_MATCHES && (*there)->match != COVER_MATCHES) {
            spare = *there;
            *there = class;
        }
    }
    cover_lines_free(&spare->lines);
}

// Classes whose ids and probes are not those of the data, since they were changed to count their coverage.
static void say_changed(struct cover_classes *classes, const struct work *work) {
    const struct cli_item *first = NULL;
    char number[INSTR_NUMBER_SIZE], others[64] = "";
    size_t count = 0;
    for (size_t i = 0; i < work->paths->count; i++) {
        if (!work->results[i].changed || count++) continue;
        first = &work->paths->items[i];
    }
    if (!first) return;
    if (count > 1)
        snprintf(others, sizeof others, " and %s other%s were", instr_number(count - 1, number),
                 cli_plural(count - 1, "s"));
    cli_error("%s%s%s%s changed to count coverage, by JaCoCo or 'instr rewrite': a report needs "
              "the class files from before",
              first->jar ? first->jar : "", first->jar ? "!" : "", first->name,
              count > 1 ? others : " was");
    classes->failed = 1;
}

static int make_list(struct cover_classes *classes, struct work *work, struct names *names) {
    size_t count = work->paths->count;
    classes->list = malloc((count + 1) * sizeof *classes->list);
    classes->again = malloc((count + 1) * sizeof(struct cover_class *));
    if (!classes->list || !classes->again || make_names(names, count) != 0) return cli_no_memory();
    for (size_t i = 0; i < count; i++) {
        struct cover_class *class = work->results[i].class;
        if (work->results[i].error) {
            cli_item_error(&work->paths->items[i], work->results[i].error);
            classes->failed = 1;
        }
        if (!class) continue;
        struct cover_class ***slot = find_slot(names, class->name);
        if (*slot) {
            add_again(classes, *slot, class);
            continue;
        }
        classes->list[classes->count] = class;
        *slot = &classes->list[classes->count++];
    }
    say_changed(classes, work);
    // Classes whose data are those of another class file.
    for (const struct instr_exec_entry *e = work->data->first; e; e = e->next) {
        struct cover_class ***slot = find_slot(names, e->class.name);
        if (*slot && (**slot)->match == COVER_NO_DATA) (**slot)->match = COVER_OTHER_ID;
    }
    return CLI_OK;
}

// --- lines that were inlined ---

static int by_class(const void *a, const void *b) {
    const struct cover_inlined_line *x = a, *y = b;
    return strcmp(x->class_name, y->class_name);
}

// Whether a line that was inlined changes the class that it is from.
static int matters(const struct cover_inlined_line *line, const struct cover_class *from) {
    return line->line != COVER_ONLY_NAMED || from->method_count == 0;
}

// All that was inlined into the classes of the list, by the class whose lines they are. NULL: out of
// memory.
static struct cover_inlined_line *gather_inlined(const struct cover_classes *classes,
                                                 const struct names *names, size_t *count) {
    size_t most = 0;
    for (long i = 0; i < classes->workspaces_count; i++)
        most += classes->workspaces[i].inlined_count;
    struct cover_inlined_line *all = malloc((most + 1) * sizeof *all);
    *count = 0;
    for (long i = 0; all && i < classes->workspaces_count; i++)
        for (size_t k = 0; k < classes->workspaces[i].inlined_count; k++) {
            const struct cover_inlined_line *line = &classes->workspaces[i].inlined[k];
            struct cover_class ***into = find_slot(names, line->into->name);
            struct cover_class ***from = find_slot(names, line->class_name);
            if (*into && **into == line->into && *from && matters(line, **from))
                all[(*count)++] = *line;
        }
    if (all) qsort(all, *count, sizeof *all, by_class);
    return all;
}

// Analyses a class again, with what its lines did elsewhere. A file that has changed meanwhile stays
// as it was.
static void analyse_again(struct worker *worker, struct cover_class **class, size_t item,
                          const uint8_t *inlined) {
    struct result result = {NULL, NULL, false};
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    if (cli_item_read(&worker->work->paths->items[item], &worker->open, &bytes, reason) != 0)
        return;
    analyse(worker, &worker->work->paths->items[item], &result, &bytes, inlined);
    free(bytes.bytes);
    free(result.error);
    if (!result.class) return;
    result.class->match = (*class)->match;
    cover_lines_free(&(*class)->lines);
    *class = result.class;
}

static int apply_inlined(struct cover_classes *classes, struct work *work,
                         const struct names *names) {
    size_t count;
    struct cover_inlined_line *all = gather_inlined(classes, names, &count);
    uint8_t *inlined = malloc(COVER_LINES);
    struct worker worker = {.work = work, .workspace = &classes->workspaces[0]};
    for (size_t i = 0, end; all && inlined && i < count; i = end) {
        struct cover_class **class = *find_slot(names, all[i].class_name);
        memset(inlined, COVER_NOT_INLINED, COVER_LINES);
        for (end = i; end < count && strcmp(all[i].class_name, all[end].class_name) == 0; end++) {
            if (all[end].line == COVER_ONLY_NAMED) continue;
            uint8_t *line = &inlined[all[end].line];
            if (*line != COVER_INLINED_COVERED)
                *line = all[end].covered ? COVER_INLINED_COVERED : COVER_INLINED_MISSED;
        }
        analyse_again(&worker, class, (*class)->item, inlined);
    }
    cli_open_jar_free(&worker.open);
    int bad = !all || !inlined || atomic_load(&work->no_memory);
    free(all);
    free(inlined);
    return bad ? cli_no_memory() : CLI_OK;
}

int cover_classes_read(struct cover_classes *classes, size_t count, char *const *paths,
                       const struct instr_exec_store *data, enum cover_release release) {
    memset(classes, 0, sizeof *classes);
    classes->paths.by_content = 1;
    classes->paths.links = CLI_LINKS_FOLLOWED;
    for (size_t i = 0; i < count; i++)
        if (cli_paths_add(&classes->paths, paths[i]) != 0) return cli_no_memory();
    classes->failed = classes->paths.failures > 0;
    struct work work = {.paths = &classes->paths, .data = data, .release = release};
    work.results = calloc(classes->paths.count + 1, sizeof *work.results);
    if (!work.results) return cli_no_memory();
    int status = run_all(classes, &work);
    struct names names = {NULL, 0};
    if (status == CLI_OK) status = make_list(classes, &work, &names);
    if (status == CLI_OK) status = apply_inlined(classes, &work, &names);
    free(names.slots);
    for (size_t i = 0; i < classes->paths.count; i++) {
        free(work.results[i].error);
        if (!classes->list && work.results[i].class)
            cover_lines_free(&work.results[i].class->lines);
    }
    free(work.results);
    return status;
}

// --- versions that ran, too ---

// What of the location is before the path of the class within it.
static size_t place_length(const struct cover_class *class) {
    static const char suffix[] = ".class";
    size_t all = strlen(class->location), own = strlen(class->name) + sizeof suffix - 1;
    if (all <= own || strncmp(class->location + all - own, class->name, strlen(class->name)) != 0)
        return all;
    return all - own - 1; // and the slash, or '!'
}

int cover_classes_next(struct cover_classes *classes, struct cover_classes *versions,
                       const char **place) {
    const struct cover_class *first = classes->again[0];
    size_t length = place_length(first), left = 0;
    struct names names = {NULL, 0};
    memset(versions, 0, sizeof *versions);
    versions->list = malloc((classes->again_count + 1) * sizeof *versions->list);
    char *copy = cf_arena_alloc(&classes->workspaces[0].kept, length + 1);
    if (!versions->list || !copy || make_names(&names, classes->again_count) != 0) {
        free(versions->list);
        return cli_no_memory();
    }
    memcpy(copy, first->location, length);
    copy[length] = '\0';
    *place = copy;
    for (size_t i = 0; i < classes->again_count; i++) {
        struct cover_class *class = classes->again[i];
        struct cover_class ***slot = find_slot(&names, class->name);
        if (*slot || place_length(class) != length || memcmp(class->location, copy, length) != 0) {
            classes->again[left++] = class;
            continue;
        }
        versions->list[versions->count] = class;
        *slot = &versions->list[versions->count++];
    }
    classes->again_count = left;
    free(names.slots);
    return CLI_OK;
}

void cover_classes_free(struct cover_classes *classes) {
    for (size_t i = 0; i < classes->count; i++) cover_lines_free(&classes->list[i]->lines);
    for (size_t i = 0; i < classes->again_count; i++) cover_lines_free(&classes->again[i]->lines);
    free(classes->again);
    for (long i = 0; i < classes->workspaces_count; i++)
        cover_workspace_free(&classes->workspaces[i]);
    free(classes->workspaces);
    free(classes->list);
    cli_paths_free(&classes->paths);
    memset(classes, 0, sizeof *classes);
}
