#include "instr/kit/link.h"
#include "classfile/code.h"
#include "classfile/format/lines.h"
#include "instr/kit/naming.h"
#include "instr/kit/source.h"

#include <stdarg.h>
#include <stdio.h>

enum { DEEPEST = 200 }; // supertypes above each other; circles end there

struct linker {
    struct instr_kit *kit;
    const struct instr_kit_world *world;
    struct instr_kit_linking *linking;
    const struct instr_kit_class *user;
    const struct cf_class *cls; // of the user
    uint8_t *seen;              // by constant: it was looked at
    // The use that is looked at.
    const struct cf_member *method; // NULL: none, as for method handles
    uint32_t pc;
};

// --- reports ---

static uint32_t line_of(const struct linker *l) {
    struct cf_code code;
    struct cf_error error = {0};
    if (!l->method || cf_code_open(&code, l->cls, l->method, &error) != CF_OK) return 0;
    const uint16_t *lines = cf_lines(&code);
    return lines && l->pc < code.length ? lines[l->pc] : 0;
}

__attribute__((format(printf, 2, 3))) static void report(const struct linker *l, const char *format,
                                                         ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct instr_kit_source where = {l->user->source->file, line_of(l)};
    l->linking->report(l->linking->report_context, where, text);
}

struct dotted {
    char text[300];
};
static struct dotted dots(struct cf_slice name) {
    struct dotted d;
    snprintf(d.text, sizeof d.text, "%.*s", (int)name.length, (const char *)name.bytes);
    for (char *c = d.text; *c; c++)
        if (*c == '/') *c = '.';
    return d;
}

// "total(int)", or the name of a field.
static struct dotted member_text(struct cf_slice name, struct cf_slice descriptor) {
    struct dotted d, types = {""};
    if (descriptor.length && descriptor.bytes[0] == '(')
        rw_watch_types(descriptor, types.text, sizeof types.text);
    snprintf(d.text, sizeof d.text, "%.*s%.*s", (int)name.length, (const char *)name.bytes,
             (int)sizeof types.text / 2, types.text);
    return d;
}

// --- classes ---

static struct cf_slice slice_of(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

static const struct kit_source *source_of(const struct linker *l, struct cf_slice name) {
    return name.bytes ? kit_opened(l->kit, (const char *)name.bytes, name.length) : NULL;
}

// A class of the kit, of instr.kit, or of the world. A runtime class is opened each time: there are few uses.
static enum instr_kit_found find_class(const struct linker *l, struct cf_slice name,
                                       const struct cf_class **cls) {
    const struct kit_source *s = source_of(l, name);
    if (s) {
        *cls = &s->cls;
        return INSTR_KIT_PRESENT;
    }
    for (const struct instr_kit_runtime_class *r = instr_kit_runtime_classes; r->name; r++) {
        if (!cf_slice_is(name, r->name, strlen(r->name))) continue;
        struct cf_class *opened = kit_alloc(l->kit, 1, sizeof *opened);
        if (!opened || cf_class_open(opened, r->bytes, r->length, &l->kit->arena) != CF_OK)
            return INSTR_KIT_UNKNOWN;
        *cls = opened;
        return INSTR_KIT_PRESENT;
    }
    return l->world->find(l->world->context, name, cls);
}

static bool is_of_kit(const struct linker *l, const struct cf_class *cls) {
    const struct kit_source *s = cls ? source_of(l, cf_this_name(cls)) : NULL;
    return s && cls == &s->cls;
}

// The name under which the user finds a class: classes of the kit keep that of the jar here.
static struct cf_slice name_to_find(const struct linker *l, struct cf_slice name) {
    if (source_of(l, name)) return name;
    const char *other = kit_new_name(l->kit, l->user, name);
    return other ? slice_of(other) : name;
}

static struct cf_slice package_of(struct cf_slice name) {
    while (name.length && name.bytes[name.length - 1] != '/') name.length--;
    return name;
}

// Can the user reach what is not public there? A class that is defined beside its target shares its package, which
// is not known here.
static bool reaches_package(const struct linker *l, const struct cf_class *owner) {
    struct cf_slice package = package_of(cf_this_name(owner));
    return is_of_kit(l, owner) || !l->user->boot || CF_IS(package, "java/lang/");
}

// Looks for a class and counts the use. Returns NULL if it is not there, which was reported, or not known.
static const struct cf_class *use_class(struct linker *l, struct cf_slice name) {
    const struct cf_class *cls = NULL;
    name = name_to_find(l, kit_element_class(name));
    if (!name.bytes) return NULL;
    enum instr_kit_found found = find_class(l, name, &cls);
    if (found == INSTR_KIT_UNKNOWN) {
        l->linking->unknown++;
        return NULL;
    }
    l->linking->checked++;
    if (found == INSTR_KIT_ABSENT) {
        bool is_kit_type = name.length > strlen(KIT_TYPES_RENAMED) &&
                           memcmp(name.bytes, KIT_TYPES_RENAMED, strlen(KIT_TYPES_RENAMED)) == 0;
        if (is_kit_type)
            report(
                l,
                "instr.kit.%.*s is not in this version of instr, or cannot be used when code runs",
                (int)(name.length - strlen(KIT_TYPES_RENAMED)),
                name.bytes + strlen(KIT_TYPES_RENAMED));
        else
            report(l, "%s is not there: it is in none of the jars, and not in the JDK",
                   dots(name).text);
        return NULL;
    }
    if (!(cls->access_flags & CF_ACC_PUBLIC) && !reaches_package(l, cls))
        report(l, "%s is not public", dots(name).text);
    return cls;
}

// --- members ---

struct wanted {
    struct cf_slice name, descriptor;
    bool is_field, any_descriptor;
};

struct answer {
    enum instr_kit_found found;
    const struct cf_class *owner;
    struct cf_member member;
    struct cf_member similar; // of the same name
    const struct cf_class *similar_owner;
};

static void look_in(const struct cf_class *cls, const struct wanted *w, struct answer *a) {
    struct cf_error error = {0};
    struct cf_member m;
    struct cf_walk fields = cf_walk_fields(cls, &error);
    for (unsigned i = 0; w->is_field ? cf_next_field(&fields, &m) : i < cls->methods_count; i++) {
        if (!w->is_field) m = cls->methods[i];
        if (!cf_slice_equal(cf_member_name(cls, &m), w->name)) continue;
        a->similar = m;
        a->similar_owner = cls;
        if (!w->any_descriptor && !cf_slice_equal(cf_member_descriptor(cls, &m), w->descriptor))
            continue;
        a->found = INSTR_KIT_PRESENT;
        a->owner = cls;
        a->member = m;
        return;
    }
}

// The class, its superclasses and all interfaces. The JVM has an order, which matters only if several match.
static void look_above(const struct linker *l, const struct cf_class *cls, const struct wanted *w,
                       struct answer *a, unsigned depth) {
    look_in(cls, w, a);
    if (w->name.length && w->name.bytes[0] == '<') return; // constructors are not inherited
    for (unsigned i = 0; i <= cls->interfaces_count && a->found != INSTR_KIT_PRESENT; i++) {
        unsigned index = i ? cf_be2(cls->bytes + cls->interfaces + 2 * (i - 1)) : cls->super_class;
        const struct cf_class *above = NULL;
        struct cf_slice name = cf_class_name(cls, index);
        if (!name.bytes || depth == DEEPEST) continue;
        if (find_class(l, name, &above) == INSTR_KIT_PRESENT)
            look_above(l, above, w, a, depth + 1);
        else
            a->found = INSTR_KIT_UNKNOWN;
    }
}

static void report_missing(const struct linker *l, const struct cf_class *cls,
                           const struct wanted *w, const struct answer *a) {
    struct dotted owner = dots(cf_this_name(cls)), text = member_text(w->name, w->descriptor);
    const char *kind = w->is_field ? "field" : "method";
    if (!a->similar_owner) {
        report(l, "%s has no %s %s", owner.text, kind, text.text);
        return;
    }
    struct cf_slice descriptor = cf_member_descriptor(a->similar_owner, &a->similar);
    struct dotted similar = member_text(cf_member_name(a->similar_owner, &a->similar), descriptor);
    if (strcmp(similar.text, text.text) == 0)
        report(l, "%s.%s is of another type there", owner.text, text.text);
    else
        report(l, "%s has no %s %s; it has %s", owner.text, kind, text.text, similar.text);
}

static void check_member(const struct linker *l, const struct answer *a, const struct wanted *w,
                         bool wants_static) {
    struct dotted owner = dots(cf_this_name(a->owner)), text = member_text(w->name, w->descriptor);
    unsigned flags = a->member.access_flags;
    if (!(flags & CF_ACC_STATIC) != !wants_static)
        report(l, "%s.%s is %s there", owner.text, text.text,
               wants_static ? "not static" : "static");
    else if (flags & CF_ACC_PRIVATE && !is_of_kit(l, a->owner))
        report(l, "%s.%s is private; a field of the advised class can be read by @Field",
               owner.text, text.text);
    else if (!(flags & CF_ACC_PUBLIC) && !reaches_package(l, a->owner))
        report(l, "%s.%s is not public", owner.text, text.text);
}

// Methods of MethodHandle and VarHandle that take anything (JVMS 2.9.3).
static bool is_polymorphic(struct cf_slice owner) {
    return CF_IS(owner, "java/lang/invoke/MethodHandle") ||
           CF_IS(owner, "java/lang/invoke/VarHandle");
}

static void use_member(struct linker *l, uint16_t constant, bool wants_static) {
    struct cf_slice owner_name;
    struct wanted w = {.is_field = cf_tag_at(l->cls, constant) == CF_TAG_FIELDREF};
    struct answer a = {.found = INSTR_KIT_ABSENT};
    if (!cf_reference(l->cls, constant, &owner_name, &w.name, &w.descriptor)) return;
    if (CF_IS(owner_name, "java/security/AccessController") && w.name.length >= 12 &&
        memcmp(w.name.bytes, "doPrivileged", 12) == 0)
        report(l, "calls doPrivileged, which would give the application all permissions: call it "
                  "without");
    if (owner_name.bytes[0] == '[') owner_name = slice_of("java/lang/Object");
    const struct cf_class *owner = use_class(l, owner_name);
    if (!owner) return;
    bool is_interface = owner->access_flags & CF_ACC_INTERFACE;
    bool wants_interface = cf_tag_at(l->cls, constant) == CF_TAG_INTERFACE_METHODREF;
    if (!w.is_field && is_interface != wants_interface) {
        report(l, "%s is %s there", dots(cf_this_name(owner)).text,
               is_interface ? "an interface" : "a class");
        return;
    }
    const char *descriptor =
        is_of_kit(l, owner) ? NULL : kit_new_descriptor(l->kit, l->user, w.descriptor);
    if (descriptor) w.descriptor = slice_of(descriptor);
    w.any_descriptor = is_polymorphic(cf_this_name(owner));
    look_above(l, owner, &w, &a, 0);
    if (a.found == INSTR_KIT_PRESENT)
        check_member(l, &a, &w, wants_static);
    else if (a.found == INSTR_KIT_ABSENT)
        report_missing(l, owner, &w, &a);
    else
        l->linking->unknown++;
}

// --- uses ---

static bool is_first(struct linker *l, uint16_t constant) {
    if (constant >= l->cls->constant_pool_count || l->seen[constant]) return false;
    l->seen[constant] = 1;
    return true;
}

static void visit(void *context, const struct cf_member *method, uint32_t pc, unsigned opcode,
                  uint16_t constant) {
    struct linker *l = context;
    if (!is_first(l, constant)) return;
    l->method = method;
    l->pc = pc;
    switch (cf_tag_at(l->cls, constant)) {
    case CF_TAG_CLASS: use_class(l, cf_class_name(l->cls, constant)); break;
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF:
        use_member(l, constant,
                   opcode == CF_OP_getstatic || opcode == CF_OP_putstatic ||
                       opcode == CF_OP_invokestatic);
        break;
    default: break;
    }
}

// What lambdas and method references lead to (JVMS 4.4.8).
static void visit_handles(struct linker *l) {
    enum { GET_STATIC = 2, PUT_STATIC = 4, INVOKE_STATIC = 6 };
    l->method = NULL;
    for (unsigned i = 1; i < l->cls->constant_pool_count; i++) {
        const uint8_t *handle = cf_entry(l->cls, i, CF_TAG_METHOD_HANDLE);
        uint16_t constant = handle ? cf_be2(handle + 1) : 0;
        if (constant && is_first(l, constant))
            use_member(l, constant,
                       *handle == GET_STATIC || *handle == PUT_STATIC || *handle == INVOKE_STATIC);
    }
}

bool instr_kit_link(struct instr_kit *kit, const struct instr_kit_advice *advice,
                    const struct instr_kit_world *world, struct instr_kit_linking *linking) {
    struct linker l = {.kit = kit, .world = world, .linking = linking};
    bool has_alternatives = *advice->types;
    if (has_alternatives && !world->has_below(world->context, advice->types)) return false;
    for (size_t i = 0; i < advice->class_count; i++) {
        l.user = advice->classes[i];
        l.cls = &l.user->source->cls;
        l.seen = kit_alloc(kit, l.cls->constant_pool_count, 1);
        if (!l.seen) return true;
        kit_walk_code(l.cls, visit, &l);
        visit_handles(&l);
    }
    return true;
}
