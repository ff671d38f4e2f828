#include "instr/kit/kit.h"
#include "instr/base/hash.h"
#include "instr/kit/advice.h"
#include "instr/kit/applied.h"
#include "instr/kit/closure.h"
#include "instr/kit/naming.h"
#include "instr/kit/rename.h"
#include "instr/kit/source.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_JARS = 64 };
#define MOST_MEMORY ((size_t)1 << 29) // of a kit

static const struct instr_kit_source nowhere = {NULL, 0};

// Opens the jars, whose bytes make the hash.
static void open_jars(struct kit_reader *reader, const char *paths) {
    struct instr_kit *kit = reader->kit;
    for (const char *path = paths; path && kit->usable; path = *path ? path + 1 : NULL) {
        char reason[INSTR_JAR_REASON_SIZE];
        size_t length = strcspn(path, ":");
        char *name = kit_text(kit, (struct cf_slice){(const uint8_t *)path, (uint32_t)length});
        path += length;
        if (!name) return;
        struct instr_jar *jar = &reader->jars[reader->jar_count];
        if (reader->jar_count == MOST_JARS)
            kit_problem(kit, true, nowhere, "a kit has at most %d jars", MOST_JARS);
        else if (!instr_jar_open_file(jar, name, reason))
            kit_problem(kit, true, nowhere, "%s: %s", *name ? name : "no file", reason);
        else
            kit->hash_value =
                instr_hash(jar->bytes, jar->length, kit->hash_value + ++reader->jar_count);
    }
    snprintf(kit->hash, sizeof kit->hash, "%016llx", (unsigned long long)kit->hash_value);
    snprintf(kit->marker, sizeof kit->marker, "instr:%s", kit->hash);
}

static const char *kit_name(struct instr_kit *kit, const char *path) {
    size_t length = strcspn(path, ":");
    const char *end = path + length, *start = end;
    while (start > path && start[-1] != '/') start--;
    if (end - start > 4 && memcmp(end - 4, ".jar", 4) == 0) end -= 4;
    return kit_text(kit, (struct cf_slice){(const uint8_t *)start, (uint32_t)(end - start)});
}

// Does the class name @Advice in its constants? Most classes of a large jar do not. The bytes of the last one that does
// stay for kit_find.
static bool may_be_advice(struct kit_reader *reader, const struct instr_jar *jar,
                          const struct instr_jar_entry *entry) {
    static const char type[] = "L" KIT_TYPES "Advice;";
    free(reader->read_bytes);
    reader->read = NULL;
    reader->read_bytes = malloc(entry->size + 1u);
    reader->kit->no_memory = !reader->read_bytes;
    if (!reader->read_bytes) return false;
    if (instr_jar_read(jar, entry, reader->read_bytes) != NULL) return true;
    reader->read = entry;
    return memmem(reader->read_bytes, entry->size, type, sizeof type - 1);
}

// The first jar with a class of this name has it, as on a class path. An advice would be lost without a word.
static void check_same(const struct kit_reader *reader, const struct instr_jar_entry *entry,
                       const struct kit_source *source) {
    const struct cf_class *cls = &source->cls;
    if (reader->read != entry ||
        (cls->length == entry->size && memcmp(cls->bytes, reader->read_bytes, entry->size) == 0))
        return;
    kit_problem(reader->kit, true, kit_where(source, NULL),
                "%s is in several jars of the kit, and not the same in all: make a kit of each",
                source->name);
}

static void read_advices(struct kit_reader *reader) {
    struct instr_kit *kit = reader->kit;
    for (size_t i = 0; i < reader->jar_count; i++) {
        const struct instr_jar *jar = &reader->jars[i];
        for (size_t k = 0; k < jar->count && !kit->no_memory; k++) {
            const struct instr_jar_entry *e = &jar->entries[k];
            if (!may_be_advice(reader, jar, e)) continue;
            struct kit_source *source = kit_find(reader, e->name, e->name_length - 6u);
            if (source) check_same(reader, e, source);
            if (source && !source->is_advice) kit_read_advice(reader, source);
        }
    }
    if (kit->usable && kit->advice_count == 0 && !kit->no_memory)
        kit_problem(kit, true, nowhere, "%s has no class with @Advice of instr.kit", kit->path);
}

static void read_kit(struct kit_reader *reader, const char *paths) {
    struct instr_kit *kit = reader->kit;
    kit->path = kit_format(kit, "%s", paths);
    kit->name = kit_name(kit, paths);
    open_jars(reader, paths);
    size_t entries = 0;
    for (size_t i = 0; i < reader->jar_count; i++) entries += reader->jars[i].count;
    kit_expect(kit, entries);
    if (kit->usable && !kit->no_memory) read_advices(reader);
    if (kit->usable && !kit->no_memory) kit_close(reader);
    if (kit->usable && !kit->no_memory) kit_name_classes(reader);
    for (size_t i = 0; i < kit->class_count && kit->usable && !kit->no_memory; i++)
        kit_rename_class(kit, &kit->classes[i]);
}

static struct instr_kit *open_in(const char *paths, const char *package) {
    struct instr_kit *kit = calloc(1, sizeof *kit);
    struct instr_jar *jars = calloc(MOST_JARS, sizeof *jars);
    struct kit_reader reader = {.kit = kit, .jars = jars};
    bool failed = true;
    if (kit && jars) {
        cf_arena_init(&kit->arena);
        kit->arena.limit = MOST_MEMORY;
        kit->usable = true;
        kit->package = package;
        read_kit(&reader, paths);
        if (kit->usable) kit->applied = instr_kit_applied_new(kit->advice_count);
        failed = kit->no_memory || (kit->usable && !kit->applied);
    }
    for (size_t i = 0; i < reader.jar_count; i++) instr_jar_close(&jars[i]);
    free(reader.read_bytes);
    free(jars);
    if (!failed) return kit;
    instr_kit_free(kit);
    return NULL;
}

struct instr_kit *instr_kit_open(const char *paths) {
    return open_in(paths, INSTR_KIT_BOOT);
}

struct instr_kit *instr_kit_open_offline(const char *paths) {
    return open_in(paths, INSTR_KIT_WOVEN);
}

static void free_advice(struct instr_kit_advice *advice) {
    for (size_t i = 0; i < advice->target_count; i++) instr_match_free(advice->targets[i].classes);
    instr_match_free(advice->annotated);
    instr_match_free(advice->annotated_class);
    instr_match_free(advice->loader);
    instr_match_free(advice->callers);
}

void instr_kit_free(struct instr_kit *kit) {
    if (!kit) return;
    for (size_t i = 0; i < kit->advice_count; i++) free_advice(&kit->advices[i]);
    free(kit->advices);
    instr_kit_applied_free(kit->applied);
    cf_arena_free(&kit->arena);
    free(kit);
}

const char *instr_kit_error(const struct instr_kit *kit, char *text, size_t size) {
    const struct instr_kit_problem *p = kit->problems;
    while (p && !p->fatal) p++;
    if (!p)
        snprintf(text, size, "out of memory");
    else if (!p->source.file)
        snprintf(text, size, "%s", p->text);
    else if (p->source.line)
        snprintf(text, size, "%s:%u: %s", p->source.file, p->source.line, p->text);
    else
        snprintf(text, size, "%s: %s", p->source.file, p->text);
    return text;
}
