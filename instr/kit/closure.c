// A class is used if code, a supertype, a handler, or a descriptor of something used names it. What only
// annotations and the lists of nested classes name is left out: HotSpot does not look there to run code.

#include "instr/kit/closure.h"
#include "classfile/code.h"
#include "instr/kit/source.h"

struct looking {
    struct kit_reader *reader;
    struct kit_source *source;
    size_t capacity;
};

// Makes a copy of the array when it is full: arenas do not grow what they gave.
static void add_use(struct looking *l, struct kit_source *used) {
    struct kit_source *s = l->source;
    if (used->mark == l->reader->mark) return;
    used->mark = l->reader->mark;
    if (s->use_count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 8;
        struct kit_source **wider = kit_alloc(l->reader->kit, l->capacity, sizeof *wider);
        if (!wider) return;
        if (s->use_count) memcpy(wider, s->uses, s->use_count * sizeof *wider);
        s->uses = wider;
    }
    s->uses[s->use_count++] = used;
}

// A name that the class uses: a class of the kit, or one that decides where it can be defined.
static void look_at(void *context, struct cf_slice name) {
    struct looking *l = context;
    name = kit_element_class(name);
    if (!name.bytes || !name.length) return;
    struct kit_source *used = kit_find_slice(l->reader, name);
    bool is_kit_type =
        name.length > strlen(KIT_TYPES) && memcmp(name.bytes, KIT_TYPES, strlen(KIT_TYPES)) == 0;
    if (used && used != l->source)
        add_use(l, used);
    else if (!used && !is_kit_type && !kit_in_java_base(name))
        l->source->boot = false;
}

// A member of another class of the kit that is private there: javac lets nested classes share them.
static void look_at_access(struct looking *l, const struct cf_class *cls, unsigned constant) {
    struct cf_slice owner, name, descriptor;
    struct cf_member member;
    if (!cf_reference(cls, constant, &owner, &name, &descriptor)) return;
    struct kit_source *used = kit_find_slice(l->reader, owner);
    bool is_field = cf_tag_at(cls, constant) == CF_TAG_FIELDREF;
    if (used && used != l->source && kit_member(&used->cls, is_field, name, descriptor, &member) &&
        member.access_flags & CF_ACC_PRIVATE)
        used->opened_private = true;
}

static void look_at_constants(struct looking *l, const struct cf_class *cls) {
    struct cf_slice name, descriptor;
    for (unsigned i = 1; i < cls->constant_pool_count; i++) {
        const uint8_t *entry;
        switch (cf_tag_at(cls, i)) {
        case CF_TAG_FIELDREF:
        case CF_TAG_METHODREF:
        case CF_TAG_INTERFACE_METHODREF:
            entry = cls->bytes + cls->constant_pool[i] + 1;
            look_at(l, cf_class_name(cls, cf_be2(entry)));
            look_at_access(l, cls, i);
            break;
        case CF_TAG_NAME_AND_TYPE:
            if (cf_name_and_type(cls, i, &name, &descriptor))
                kit_walk_descriptor(descriptor, look_at, l);
            break;
        case CF_TAG_METHOD_TYPE:
            kit_walk_descriptor(cf_named(cls, i, CF_TAG_METHOD_TYPE), look_at, l);
            break;
        default: break;
        }
    }
}

static void look_at_operand(void *context, const struct cf_member *method, uint32_t pc,
                            unsigned opcode, uint16_t constant) {
    struct looking *l = context;
    (void)method, (void)pc, (void)opcode;
    struct cf_slice name = cf_class_name(&l->source->cls, constant);
    if (name.bytes) look_at(l, name);
}

static void look_at_members(struct looking *l, const struct cf_class *cls) {
    struct cf_error error = {0};
    struct cf_walk fields = cf_walk_fields(cls, &error);
    for (struct cf_member field; cf_next_field(&fields, &field);)
        kit_walk_descriptor(cf_member_descriptor(cls, &field), look_at, l);
    for (unsigned i = 0; i < cls->methods_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        struct cf_code code;
        kit_walk_descriptor(cf_member_descriptor(cls, method), look_at, l);
        if (!method->code || cf_code_open(&code, cls, method, &error) != CF_OK) continue;
        for (uint32_t k = 0; k < code.exception_table_length; k++)
            look_at(l, cf_class_name(cls, cf_exception_at(&code, k).catch_type));
    }
}

// The class arguments of bootstrap methods: functional interfaces of lambdas, labels of switches.
static void look_at_bootstrap(struct looking *l, const struct cf_class *cls) {
    struct cf_error error = {0};
    struct cf_walk walk = cf_class_attributes(cls, &error);
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);) {
        if (!CF_IS(a.name, "BootstrapMethods")) continue;
        struct cf_reader r = cf_read(cls, a.info, a.length, &error);
        for (unsigned n = cf_u2(&r); n > 0 && !error.status; n--) {
            cf_skip(&r, 2);
            for (unsigned k = cf_u2(&r); k > 0 && !error.status; k--) {
                struct cf_slice name = cf_class_name(cls, cf_u2(&r));
                if (name.bytes) look_at(l, name);
            }
        }
    }
}

// A supertype that the helper may have: of the kit, or of java.base. Any other is loaded by the loader while it
// loads the target, which may need the target itself.
static void check_supertype(struct looking *l, struct cf_slice name) {
    look_at(l, name);
    if (!name.bytes || kit_in_java_base(name) || kit_find_slice(l->reader, name)) return;
    kit_problem(
        l->reader->kit, true, kit_where(l->source, NULL),
        "%s extends or implements %.*s: classes of a kit may extend and implement only each "
        "other and classes of java.base; a lambda may implement any interface",
        l->source->name, (int)name.length, (const char *)name.bytes);
}

static void look_at_class(struct kit_reader *reader, struct kit_source *source) {
    struct looking l = {reader, source, 0};
    const struct cf_class *cls = &source->cls;
    reader->mark++;
    source->boot = true;
    check_supertype(&l, cf_class_name(cls, cls->super_class));
    for (unsigned i = 0; i < cls->interfaces_count; i++)
        check_supertype(&l, cf_class_name(cls, cf_be2(cls->bytes + cls->interfaces + 2 * i)));
    look_at_constants(&l, cls);
    look_at_members(&l, cls);
    look_at_bootstrap(&l, cls);
    kit_walk_code(cls, look_at_operand, &l);
}

// What uses a class that cannot be in the bootstrap loader cannot be there either.
static void spread_places(struct instr_kit *kit) {
    for (bool changed = true; changed;) {
        changed = false;
        for (struct kit_source *s = kit->sources; s; s = s->next)
            for (size_t i = 0; i < s->use_count && s->boot; i++)
                if (!s->uses[i]->boot) changed = !(s->boot = false);
    }
}

void kit_close(struct kit_reader *reader) {
    struct instr_kit *kit = reader->kit;
    for (struct kit_source *s = kit->sources; s; s = s->next) s->in_closure = s->is_advice;
    // Classes that are found go to the front of the list: another round.
    for (bool changed = true; changed && kit->usable && !kit->no_memory;) {
        changed = false;
        for (struct kit_source *s = kit->sources; s; s = s->next) {
            if (!s->in_closure || s->looked_at) continue;
            s->looked_at = changed = true;
            look_at_class(reader, s);
            for (size_t i = 0; i < s->use_count; i++) s->uses[i]->in_closure = true;
        }
    }
    // The bridge of the advice catches them.
    for (size_t i = 0; i < kit->advice_count; i++)
        for (size_t k = 0; k < kit->advices[i].rethrow_count; k++) {
            const char *name = kit->advices[i].rethrow[k];
            struct cf_slice slice = {(const uint8_t *)name, (uint32_t)strlen(name)};
            if (!kit_in_java_base(slice) && !kit_find_slice(reader, slice))
                kit->advices[i].class_source->boot = false;
        }
    spread_places(kit);
}

struct order {
    struct kit_reader *reader;
    struct kit_source **list;
    size_t count;
};

static void put_behind_supertypes(struct order *order, struct kit_source *source) {
    const struct cf_class *cls = &source->cls;
    if (source->mark == order->reader->mark) return;
    source->mark = order->reader->mark;
    for (unsigned i = 0; i <= cls->interfaces_count; i++) {
        unsigned index = i ? cf_be2(cls->bytes + cls->interfaces + 2 * (i - 1)) : cls->super_class;
        struct kit_source *above = kit_find_slice(order->reader, cf_class_name(cls, index));
        if (above) put_behind_supertypes(order, above);
    }
    order->list[order->count++] = source;
}

struct kit_source **kit_closure_of(struct kit_reader *reader, const struct kit_source *advice,
                                   size_t *count) {
    size_t found = 0, most = reader->source_count;
    struct kit_source **all = kit_alloc(reader->kit, most, sizeof *all);
    struct order order = {reader, kit_alloc(reader->kit, most, sizeof *all), 0};
    if (!all || !order.list) return NULL;
    unsigned mark = ++reader->mark;
    for (struct kit_source *s = reader->kit->sources; s; s = s->next)
        if (s == advice) all[found++] = s, s->mark = mark;
    for (size_t i = 0; i < found; i++)
        for (size_t k = 0; k < all[i]->use_count; k++)
            if (all[i]->uses[k]->mark != mark) {
                all[i]->uses[k]->mark = mark;
                all[found++] = all[i]->uses[k];
            }
    reader->mark++;
    for (size_t i = 1; i < found; i++) put_behind_supertypes(&order, all[i]);
    put_behind_supertypes(&order, all[0]);
    *count = order.count;
    return order.list;
}
