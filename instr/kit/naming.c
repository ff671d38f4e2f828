#include "instr/kit/naming.h"
#include "classfile/text.h"
#include "instr/base/hash.h"
#include "instr/kit/closure.h"
#include "instr/kit/source.h"

#include <stdlib.h>

// --- names ---

static bool same_alternative(const struct instr_kit_class *a, const struct instr_kit_class *b) {
    return strcmp(a->types_from, b->types_from) == 0 && strcmp(a->types_to, b->types_to) == 0;
}

// The class made of a class of the jars, for a user with its alternative.
static const struct instr_kit_class *
made_of(const struct instr_kit *kit, const struct instr_kit_class *user, struct cf_slice name) {
    const struct kit_source *source =
        name.bytes ? kit_opened(kit, (const char *)name.bytes, name.length) : NULL;
    for (const struct instr_kit_class *c = source ? source->made : NULL; c; c = c->next_made)
        if (c->boot || same_alternative(c, user)) return c;
    return NULL;
}

// Is the name `from`, or a class below it?
static bool begins_with(struct cf_slice name, const char *from) {
    size_t length = strlen(from);
    return length && name.length >= length && memcmp(name.bytes, from, length) == 0 &&
           (name.length == length || name.bytes[length] == '/' || name.bytes[length] == '$');
}

static const char *new_class_name(struct instr_kit *kit, const struct instr_kit_class *user,
                                  struct cf_slice name) {
    size_t types = strlen(KIT_TYPES), from = strlen(user->types_from);
    const struct instr_kit_class *c = made_of(kit, user, name);
    if (c) return c->name;
    if (name.length > types && memcmp(name.bytes, KIT_TYPES, types) == 0) {
        kit->names_types = true;
        return kit_format(kit, "%sInstrKit%.*s", kit->package, (int)(name.length - types),
                          name.bytes + types);
    }
    if (begins_with(name, user->types_from) && strcmp(user->types_from, user->types_to) != 0)
        return kit_format(kit, "%s%.*s", user->types_to, (int)(name.length - from),
                          name.bytes + from);
    return NULL;
}

const char *kit_new_name(struct instr_kit *kit, const struct instr_kit_class *user,
                         struct cf_slice name) {
    if (name.length && name.bytes[0] == '[') return kit_new_descriptor(kit, user, name);
    return new_class_name(kit, user, name);
}

const char *kit_new_descriptor(struct instr_kit *kit, const struct instr_kit_class *user,
                               struct cf_slice d) {
    enum { LONGEST_NAME = 65535 };
    struct cf_text_memory out = {0};
    uint32_t copied = 0;
    bool ok = true, changed = false;
    for (uint32_t i = 0; i < d.length; i++) {
        uint32_t start = i + 1;
        if (d.bytes[i] != 'L' && d.bytes[i] != 'T') continue;
        while (i < d.length && !strchr(";<.:", d.bytes[i])) i++;
        if (d.bytes[start - 1] == 'T' || (i < d.length && d.bytes[i] == ':')) continue;
        const char *name = new_class_name(kit, user, (struct cf_slice){d.bytes + start, i - start});
        if (!name) continue;
        changed = true;
        ok = ok && cf_text_to_memory(&out, (const char *)d.bytes + copied, start - copied) &&
             cf_text_to_memory(&out, name, strlen(name));
        copied = i;
    }
    ok = ok && cf_text_to_memory(&out, (const char *)d.bytes + copied, d.length - copied);
    struct cf_slice text = {(const uint8_t *)out.bytes, (uint32_t)out.length};
    const char *result = changed && ok && out.length <= LONGEST_NAME ? kit_text(kit, text) : NULL;
    if (!ok) kit->no_memory = true;
    free(out.bytes);
    return result;
}

// --- classes ---

// Nobody else's, and the same for the same kit.
static const char *defined_name(struct instr_kit *kit, const struct instr_kit_class *c) {
    const char *slash = strrchr(c->original, '/'), *simple = slash ? slash + 1 : c->original;
    uint64_t hash = instr_hash(c->original, strlen(c->original), kit->hash_value);
    if (!c->boot) hash = instr_hash(c->types_to, strlen(c->types_to), hash);
    return kit_format(kit, "%s%s$$instr$%016llx", c->boot ? kit->package : INSTR_KIT_PACKAGE,
                      simple, (unsigned long long)hash);
}

// The class for the advice's alternative; it is made when it is first needed.
static struct instr_kit_class *
class_for(struct instr_kit *kit, const struct instr_kit_advice *advice, struct kit_source *source) {
    bool renames = strcmp(advice->types_from, advice->types) != 0;
    struct instr_kit_class like = {.types_from = renames ? advice->types_from : "",
                                   .types_to = renames ? advice->types : ""};
    struct cf_slice name = {(const uint8_t *)source->name, (uint32_t)strlen(source->name)};
    const struct instr_kit_class *there = made_of(kit, &like, name);
    if (there) return &kit->classes[there - kit->classes];
    struct instr_kit_class *c = &kit->classes[kit->class_count++];
    *c = like;
    c->original = source->name;
    c->boot = source->boot;
    c->source = source;
    c->next_made = source->made;
    source->made = c;
    c->name = defined_name(kit, c);
    return c;
}

static bool slashed(struct instr_kit *kit, const char **text) {
    char *copy = kit_format(kit, "%s", *text);
    for (char *c = copy; c && *c; c++)
        if (*c == '.') *c = '/';
    *text = copy;
    return copy != NULL;
}

static void name_for(struct kit_reader *reader, struct instr_kit_advice *advice) {
    struct instr_kit *kit = reader->kit;
    size_t count = 0;
    struct kit_source **closure = kit_closure_of(reader, advice->class_source, &count);
    advice->classes = kit_alloc(kit, count, sizeof *advice->classes);
    for (size_t i = 0; closure && advice->classes && i < count; i++)
        advice->classes[advice->class_count++] = class_for(kit, advice, closure[i]);
}

// --- texts of advices ---

static void rename_text(struct instr_kit *kit, const struct instr_kit_class *user,
                        const char **text) {
    if (!*text) return;
    struct cf_slice old = {(const uint8_t *)*text, (uint32_t)strlen(*text)};
    const char *name = kit_new_descriptor(kit, user, old);
    if (name) *text = name;
}

static void rename_texts(struct instr_kit *kit, struct instr_kit_advice *advice) {
    const struct instr_kit_class *user = advice->classes[advice->class_count - 1];
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++) {
        struct instr_kit_method *m = advice->methods[r];
        if (!m) continue;
        rename_text(kit, user, &m->descriptor);
        struct cf_slice now = {(const uint8_t *)m->descriptor, (uint32_t)strlen(m->descriptor)};
        m->result = (const char *)cf_result_type(now).bytes;
        for (size_t i = 0; i < m->parameter_count; i++) {
            rename_text(kit, user, &m->parameters[i].type);
            rename_text(kit, user, &m->parameters[i].held);
        }
    }
    for (size_t i = 0; i < advice->rethrow_count; i++) {
        struct cf_slice old = {(const uint8_t *)advice->rethrow[i],
                               (uint32_t)strlen(advice->rethrow[i])};
        const char *name = kit_new_name(kit, user, old);
        if (name) advice->rethrow[i] = name;
    }
}

void kit_name_classes(struct kit_reader *reader) {
    struct instr_kit *kit = reader->kit;
    size_t most = reader->source_count * kit->advice_count + 1;
    kit->classes = kit_alloc(kit, most, sizeof *kit->classes);
    for (size_t i = 0; i < kit->advice_count && !kit->no_memory; i++)
        if (slashed(kit, &kit->advices[i].types) && slashed(kit, &kit->advices[i].types_from))
            name_for(reader, &kit->advices[i]);
    for (size_t i = 0; i < kit->advice_count && !kit->no_memory; i++)
        rename_texts(kit, &kit->advices[i]);
}
