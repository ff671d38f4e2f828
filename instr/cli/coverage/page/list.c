// The list of pages.

#include "instr/cli/coverage/page/list.h"
#include "instr/base/array.h"
#include "instr/cli/coverage/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_NAME = 180 }; // bytes; file systems have 255

// --- names ---

static int is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("._-$", c));
}

static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 16777619u;
    return hash;
}

// A name for a file, of which `end` is the end. Different names stay different, but for those that
// are cut: they end with a hash.
static char *file_name(const char *name, const char *end) {
    size_t n = 0;
    char *result = malloc(3 * strlen(name) + strlen(end) + 16);
    if (!result) return NULL;
    for (const char *c = name; *c; c++) {
        char byte = *c == '/' ? '.' : *c;
        if (is_plain(byte) && !(byte == '.' && c == name))
            result[n++] = byte;
        else
            n += (size_t)sprintf(result + n, "=%02X", (uint8_t)byte);
    }
    if (n > MOST_NAME) n = MOST_NAME + (size_t)sprintf(result + MOST_NAME, "=%08x", hash_of(name));
    if (n == 0) result[n++] = '=';
    strcpy(result + n, end);
    return result;
}

// --- collisions: two versions of a class, names that differ in nothing but what was cut, and names
// that file systems of other machines, which may get the pages, take for one ---

struct names {
    char **slots; // of the list's own names
    size_t mask;
};

static uint32_t hash_without_case(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (uint8_t)tolower((uint8_t)*text)) * 16777619u;
    return hash;
}

// Makes *name, of which `end` is the end, one that is not in the set yet, and adds it.
static int make_unique(struct names *names, char **name, const char *end) {
    for (unsigned number = 2;; number++) {
        size_t i = hash_without_case(*name) & names->mask;
        while (names->slots[i] && strcasecmp(names->slots[i], *name) != 0)
            i = (i + 1) & names->mask;
        if (!names->slots[i]) {
            names->slots[i] = *name;
            return 0;
        }
        // Before the end: Shop=2.java.html would hide what it is, Shop.java=2.html does not.
        size_t length = strlen(*name), stem = length - strlen(end);
        const char *old = strrchr(*name, '=');
        if (number > 2 && old) stem = (size_t)(old - *name);
        char *next = malloc(length + 20);
        if (!next) return -1;
        sprintf(next, "%.*s=%u%s", (int)stem, *name, number, end);
        free(*name);
        *name = next;
    }
}

static int names_open(struct names *names, size_t count) {
    names->mask = 15;
    while (names->mask < 2 * count) names->mask = 2 * names->mask + 1;
    names->slots = calloc(names->mask + 1, sizeof *names->slots);
    return names->slots ? 0 : -1;
}

// --- the list ---

static int add_page(struct cover_page_list *list, struct names *names,
                    const struct cover_page_folder *folder, const struct cover_source *source,
                    const struct cover_class *class) {
    const char *name = source ? source->name : class->name;
    const char *slash = source ? NULL : strrchr(name, '/');
    if (!INSTR_ARRAY_RESERVE(list->pages, list->capacity, list->count + 1)) return -1;
    struct cover_page *page = &list->pages[list->count];
    *page = (struct cover_page){.bundle = folder->bundle,
                                .package = folder->package,
                                .source = source,
                                .class = class,
                                .lines = source ? &source->lines : &class->lines,
                                .folder = folder->name,
                                .file = file_name(slash ? slash + 1 : name, ".html")};
    if (!page->file) return -1;
    list->count++;
    if (source)
        cover_sources_find(list->model->sources, folder->bundle->name, folder->package->name,
                           source->name, &page->place);
    return make_unique(names, &page->file, ".html");
}

static int add_pages(struct cover_page_list *list, struct cover_page_folder *folder) {
    const struct cover_package *package = folder->package;
    struct names names;
    if (names_open(&names, package->source_count + package->class_count) != 0) return -1;
    int result = 0;
    folder->first = list->count;
    for (size_t i = 0; i < package->source_count && result == 0; i++)
        if (cover_total(package->sources[i]->counts[COVER_INSTRUCTION]) > 0)
            result = add_page(list, &names, folder, package->sources[i], NULL);
    for (size_t i = 0; i < package->class_count && result == 0; i++)
        if (!package->classes[i]->file &&
            cover_total(package->classes[i]->counts[COVER_INSTRUCTION]) > 0)
            result = add_page(list, &names, folder, NULL, package->classes[i]);
    folder->count = list->count - folder->first;
    free(names.slots);
    return result;
}

// A name for a folder beside the index and the folder of the style and the script.
static char *outer_folder_name(const char *name) {
    if (strcasecmp(name, "index.html") != 0 && strcasecmp(name, COVER_PAGE_SHARED) != 0)
        return file_name(name, "");
    char *escaped = NULL;
    return asprintf(&escaped, "=%02X%s", (uint8_t)*name, name + 1) < 0 ? NULL : escaped;
}

static char *folder_name(const struct cover_model *model, const struct cover_bundle *bundle,
                         const struct cover_package *package) {
    char *dotted = cover_package_name(package), *name = NULL;
    if (dotted && model->bundle_count == 1) name = outer_folder_name(dotted);
    if (dotted && model->bundle_count > 1) {
        char *outer = outer_folder_name(bundle->name), *inner = file_name(dotted, "");
        if (!outer || !inner || asprintf(&name, "%s/%s", outer, inner) < 0) name = NULL;
        free(outer);
        free(inner);
    }
    free(dotted);
    return name;
}

static size_t most_folders(const struct cover_model *model) {
    size_t most = 0;
    for (size_t b = 0; b < model->bundle_count; b++) most += model->bundles[b]->package_count;
    return most;
}

static int add_folders(struct cover_page_list *list, struct names *names,
                       const struct cover_bundle *bundle) {
    for (size_t p = 0; p < bundle->package_count; p++) {
        const struct cover_package *package = bundle->packages[p];
        if (cover_total(package->counts[COVER_INSTRUCTION]) == 0) continue;
        if (!INSTR_ARRAY_RESERVE(list->folders, list->folder_capacity, list->folder_count + 1))
            return -1;
        struct cover_page_folder *folder = &list->folders[list->folder_count];
        *folder = (struct cover_page_folder){bundle, package, NULL, 0, 0};
        folder->name = folder_name(list->model, bundle, package);
        if (!folder->name) return -1;
        list->folder_count++;
        if (make_unique(names, &folder->name, "") != 0 || add_pages(list, folder) != 0) return -1;
    }
    return 0;
}

int cover_page_list_make(struct cover_page_list *list, const struct cover_model *model) {
    struct names names;
    *list = (struct cover_page_list){.model = model};
    int result = names_open(&names, most_folders(model));
    for (size_t b = 0; b < model->bundle_count && result == 0; b++)
        result = add_folders(list, &names, model->bundles[b]);
    free(names.slots);
    return result;
}

void cover_page_list_free(struct cover_page_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->pages[i].file);
    for (size_t i = 0; i < list->folder_count; i++) free(list->folders[i].name);
    free(list->pages);
    free(list->folders);
}

size_t cover_page_classes(const struct cover_page *page,
                          const struct cover_class *const **classes) {
    *classes = page->source ? (const struct cover_class *const *)page->source->classes
                            : (const struct cover_class *const *)&page->class;
    return page->source ? page->source->class_count : 1;
}
