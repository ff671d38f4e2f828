#include "instr/kit/source.h"
#include "classfile/code.h"
#include "classfile/format/lines.h"
#include "classfile/structure.h"
#include "instr/base/hash.h"

#include <stdarg.h>
#include <stdio.h>

enum { MOST_CLASSES = 20000 }; // that are opened

// --- memory ---

void *kit_alloc(struct instr_kit *kit, size_t count, size_t size) {
    void *memory = cf_arena_zeroed(&kit->arena, count ? count : 1, size);
    if (!memory) kit->no_memory = true;
    return memory;
}

char *kit_text(struct instr_kit *kit, struct cf_slice slice) {
    char *text = kit_alloc(kit, (size_t)slice.length + 1, 1);
    if (text && slice.length) memcpy(text, slice.bytes, slice.length);
    return text;
}

static char *format_text(struct instr_kit *kit, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : kit_alloc(kit, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *kit_format(struct instr_kit *kit, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(kit, format, arguments);
    va_end(arguments);
    return text;
}

// --- problems ---

enum { MOST_PROBLEMS = 1000 };

void kit_problem(struct instr_kit *kit, bool fatal, struct instr_kit_source where,
                 const char *format, ...) {
    va_list arguments;
    if (fatal) kit->usable = false;
    if (kit->problem_count == MOST_PROBLEMS) return;
    if (!kit->problems) kit->problems = kit_alloc(kit, MOST_PROBLEMS, sizeof *kit->problems);
    va_start(arguments, format);
    const char *text = format_text(kit, format, arguments);
    va_end(arguments);
    if (!kit->problems || !text) return;
    kit->problems[kit->problem_count++] = (struct instr_kit_problem){where, text, fatal};
}

// --- classes ---

static const char *source_file(struct instr_kit *kit, const struct cf_class *cls,
                               const char *name) {
    struct cf_error error = {0};
    struct cf_walk walk = cf_class_attributes(cls, &error);
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);)
        if (CF_IS(a.name, "SourceFile") && a.length == 2) {
            struct cf_slice file = cf_utf8(cls, cf_be2(cls->bytes + a.info));
            if (file.length) return kit_text(kit, file);
        }
    return kit_format(kit, "%s.class", name);
}

// Control characters would break templates and lines of text.
static bool is_clean(struct cf_slice name) {
    for (uint32_t i = 0; i < name.length; i++)
        if (name.bytes[i] < 0x20) return false;
    return true;
}

enum { REASON_SIZE = 200 };

static const char *open_class(struct kit_source *source, const uint8_t *bytes, size_t length,
                              struct cf_arena *arena, char text[REASON_SIZE]) {
    struct cf_error error = {0};
    if (cf_class_open(&source->cls, bytes, length, arena) != CF_OK)
        return cf_error_text(&source->cls.error, text, REASON_SIZE);
    if (cf_check_structure(&source->cls, &error) != CF_OK)
        return cf_error_text(&error, text, REASON_SIZE);
    struct cf_slice name = cf_this_name(&source->cls);
    if (!cf_slice_is(name, source->name, strlen(source->name))) return "it is another class";
    for (unsigned i = 1; i < source->cls.constant_pool_count; i++)
        if (!is_clean(cf_class_name(&source->cls, i))) return "a class name has control characters";
    return NULL;
}

void kit_expect(struct instr_kit *kit, size_t count) {
    kit->bucket_count = 16;
    while (kit->bucket_count < count && kit->bucket_count < MOST_CLASSES) kit->bucket_count *= 2;
    kit->buckets = kit_alloc(kit, kit->bucket_count, sizeof *kit->buckets);
}

static struct kit_source **bucket_of(const struct instr_kit *kit, const char *name, size_t length) {
    return &kit->buckets[instr_hash(name, length, 0) & (kit->bucket_count - 1)];
}

struct kit_source *kit_opened(const struct instr_kit *kit, const char *name, size_t length) {
    struct cf_slice wanted = {(const uint8_t *)name, (uint32_t)length};
    struct kit_source *s = *bucket_of(kit, name, length);
    while (s && !cf_slice_is(wanted, s->name, strlen(s->name))) s = s->next_in_bucket;
    return s;
}

static void add_source(struct kit_reader *reader, struct kit_source *source) {
    struct instr_kit *kit = reader->kit;
    struct kit_source **bucket = bucket_of(kit, source->name, strlen(source->name));
    source->next_in_bucket = *bucket;
    *bucket = source;
    source->next = kit->sources;
    kit->sources = source;
    reader->source_count++;
}

static struct kit_source *open_source(struct kit_reader *reader, const struct instr_jar *jar,
                                      const struct instr_jar_entry *entry) {
    struct instr_kit *kit = reader->kit;
    struct kit_source *source = kit_alloc(kit, 1, sizeof *source);
    uint8_t *bytes = kit_alloc(kit, entry->size, 1);
    char text[REASON_SIZE];
    struct cf_slice name = {(const uint8_t *)entry->name, entry->name_length - 6u};
    if (!source || !bytes || !(source->name = kit_text(kit, name))) return NULL;
    const char *why = NULL;
    if (entry == reader->read)
        memcpy(bytes, reader->read_bytes, entry->size);
    else
        why = instr_jar_read(jar, entry, bytes);
    if (!why) why = open_class(source, bytes, entry->size, &kit->arena, text);
    if (!why && reader->source_count == MOST_CLASSES) why = "the kit uses too many classes";
    if (why) {
        kit_problem(kit, true, (struct instr_kit_source){NULL, 0}, "%s.class: %s", source->name,
                    why);
        return NULL;
    }
    source->file = source_file(kit, &source->cls, source->name);
    add_source(reader, source);
    return source;
}

struct kit_source *kit_find(struct kit_reader *reader, const char *name, size_t length) {
    struct instr_kit *kit = reader->kit;
    if (length >= strlen(KIT_TYPES) && memcmp(name, KIT_TYPES, strlen(KIT_TYPES)) == 0) return NULL;
    struct kit_source *there = kit_opened(kit, name, length);
    if (there) return there;
    for (size_t i = 0; i < reader->jar_count && kit->usable; i++) {
        const struct instr_jar_entry *entry = instr_jar_find(&reader->jars[i], name, length);
        if (entry) return open_source(reader, &reader->jars[i], entry);
    }
    return NULL;
}

static uint32_t first_line(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_code code;
    struct cf_error error = {0};
    if (!method->code || cf_code_open(&code, cls, method, &error) != CF_OK) return 0;
    const uint16_t *lines = cf_lines(&code);
    uint32_t least = 0;
    for (uint32_t pc = 0; lines && pc < code.length; pc++)
        if (lines[pc] && (!least || lines[pc] < least)) least = lines[pc];
    return least;
}

struct instr_kit_source kit_where(const struct kit_source *source, const struct cf_member *method) {
    const struct cf_class *cls = &source->cls;
    struct instr_kit_source where = {source->file, 0};
    if (method) where.line = first_line(cls, method);
    // That of the class is that of its constructor, or of its first code.
    for (unsigned i = 0; !where.line && i < cls->methods_count; i++)
        if (CF_IS(cf_member_name(cls, &cls->methods[i]), "<init>"))
            where.line = first_line(cls, &cls->methods[i]);
    for (unsigned i = 0; !where.line && i < cls->methods_count; i++)
        where.line = first_line(cls, &cls->methods[i]);
    return where;
}

bool kit_member(const struct cf_class *cls, bool is_field, struct cf_slice name,
                struct cf_slice descriptor, struct cf_member *member) {
    struct cf_error error = {0};
    struct cf_walk fields = cf_walk_fields(cls, &error);
    for (unsigned i = 0; is_field ? cf_next_field(&fields, member) : i < cls->methods_count; i++) {
        if (!is_field) *member = cls->methods[i];
        if (cf_slice_equal(cf_member_name(cls, member), name) &&
            cf_slice_equal(cf_member_descriptor(cls, member), descriptor))
            return true;
    }
    return false;
}

bool kit_in_java_base(struct cf_slice name) {
    // Packages with those below them, without those of other modules.
    static const char *const with[] = {"java/io/",
                                       "java/lang/",
                                       "java/math/",
                                       "java/net/",
                                       "java/nio/",
                                       "java/security/",
                                       "java/text/",
                                       "java/time/",
                                       "java/util/",
                                       "javax/crypto/",
                                       "javax/net/",
                                       "javax/security/auth/",
                                       "javax/security/cert/"};
    static const char *const without[] = {"java/lang/instrument/", "java/lang/management/",
                                          "java/net/http/",        "java/util/logging/",
                                          "java/util/prefs/",      "javax/security/auth/kerberos/"};
    const char *text = (const char *)name.bytes;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (name.length > strlen(without[i]) && memcmp(text, without[i], strlen(without[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (name.length > strlen(with[i]) && memcmp(text, with[i], strlen(with[i])) == 0)
            return true;
    return false;
}

struct cf_slice kit_element_class(struct cf_slice name) {
    if (!name.length || name.bytes[0] != '[') return name;
    while (name.length && *name.bytes == '[') name.bytes++, name.length--;
    if (name.length < 2 || *name.bytes != 'L') return (struct cf_slice){NULL, 0};
    return (struct cf_slice){name.bytes + 1, name.length - 2};
}

void kit_walk_code(const struct cf_class *cls,
                   void (*visit)(void *context, const struct cf_member *method, uint32_t pc,
                                 unsigned opcode, uint16_t constant),
                   void *context) {
    for (unsigned i = 0; i < cls->methods_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        struct cf_code code;
        struct cf_error error = {0};
        if (!method->code || cf_code_open(&code, cls, method, &error) != CF_OK) continue;
        for (uint32_t pc = 0, length; pc < code.length; pc += length) {
            length = cf_instruction_length(code.bytes, pc, code.length);
            if (length == 0) break;
            uint16_t constant = cf_constant_operand(code.bytes + pc);
            if (constant) visit(context, method, pc, code.bytes[pc], constant);
        }
    }
}

void kit_walk_descriptor(struct cf_slice d, void (*visit)(void *context, struct cf_slice name),
                         void *context) {
    for (uint32_t i = 0; i < d.length; i++) {
        if (d.bytes[i] != 'L') continue;
        uint32_t start = ++i;
        while (i < d.length && d.bytes[i] != ';') i++;
        visit(context, (struct cf_slice){d.bytes + start, i - start});
    }
}
