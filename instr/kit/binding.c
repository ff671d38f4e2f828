// Roles by name, bindings by annotation; then what both together allow.

#include "instr/kit/binding.h"
#include "classfile/format/annotations.h"
#include "instr/kit/source.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const role_names[] = {"enter",  "constructed", "returned",
                                         "thrown", "exit",        "@Instead"};

// A method while its parameters are read.
struct subject {
    struct instr_kit *kit;
    const struct kit_source *source;
    const struct cf_member *member;
    struct instr_kit_method *method;
    struct cf_slice signature; // generic, of the method; NULL bytes: none
    bool instead, skip;
    bool calls; // its advice is for calls
};

__attribute__((format(printf, 2, 3))) static void complain(const struct subject *s,
                                                           const char *format, ...) {
    char text[400];
    struct cf_slice name = cf_member_name(&s->source->cls, s->member);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kit_problem(s->kit, true, kit_where(s->source, s->member), "%.*s: %s", (int)name.length,
                (const char *)name.bytes, text);
}

static bool is_primitive(const char *type) {
    return type[0] != 'L' && type[0] != '[';
}

static bool is_object(const char *type) {
    return strcmp(type, "Ljava/lang/Object;") == 0;
}

// --- annotations ---

struct annotation_of_value {
    const char *type;
    enum instr_kit_value value;
    unsigned roles;   // where it may stand: bits of enum instr_kit_role
    const char *java; // the type that the parameter must have; NULL: it depends
};

enum { MOST_ARGUMENT = 254 };

enum {
    AT_ENTER = 1 << INSTR_KIT_ENTER,
    AT_CONSTRUCTED = 1 << INSTR_KIT_CONSTRUCTED,
    AT_RETURNED = 1 << INSTR_KIT_RETURNED,
    AT_THROWN = 1 << INSTR_KIT_THROWN,
    AT_EXIT = 1 << INSTR_KIT_EXIT,
    AT_INSTEAD = 1 << INSTR_KIT_INSTEAD,
    AFTER = AT_RETURNED | AT_THROWN | AT_EXIT,
    LATER = AT_CONSTRUCTED | AFTER,
    EVERYWHERE = AT_ENTER | LATER | AT_INSTEAD
};

static const struct annotation_of_value values[] = {
    {"Arg", INSTR_KIT_ARGUMENT, EVERYWHERE, NULL},
    {"This", INSTR_KIT_THIS, EVERYWHERE, NULL},
    {"Field", INSTR_KIT_FIELD, EVERYWHERE, NULL},
    {"Method", INSTR_KIT_METHOD, EVERYWHERE, "Ljava/lang/String;"},
    {"AllArgs", INSTR_KIT_ALL, EVERYWHERE, "[Ljava/lang/Object;"},
    {"Enter", INSTR_KIT_ENTERED, LATER, NULL},
    {"Result", INSTR_KIT_RESULT, AT_RETURNED | AT_EXIT, NULL},
    {"Thrown", INSTR_KIT_THROWABLE, AT_THROWN | AT_EXIT, "Ljava/lang/Throwable;"},
};

// Is it the annotation instr.kit.NAME?
static bool is_kit_type(struct cf_slice type, const char *name) {
    char text[64];
    int n = snprintf(text, sizeof text, "L" KIT_TYPES "%s;", name);
    return cf_slice_is(type, text, (size_t)n);
}

static const struct annotation_of_value *value_of(struct cf_slice type) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (is_kit_type(type, values[i].type)) return &values[i];
    return NULL;
}

static bool is_of_kit(struct cf_slice type) {
    static const char start[] = "L" KIT_TYPES;
    return type.length > sizeof start && memcmp(type.bytes, start, sizeof start - 1) == 0;
}

// One that a newer instr-kit.jar has: its value is unknown.
static void complain_of_annotation(const struct subject *s, unsigned parameter,
                                   struct cf_slice type) {
    size_t skipped = sizeof "L" KIT_TYPES - 1;
    complain(s, "parameter %u: @%.*s is unknown: instr-kit.jar is that of another version",
             parameter, (int)(type.length - skipped - 1), (const char *)type.bytes + skipped);
}

// The annotations of one parameter, of which one may be ours.
static void read_parameter_annotations(struct subject *s, struct cf_annotations *walk,
                                       unsigned index) {
    const struct cf_class *cls = &s->source->cls;
    struct instr_kit_parameter *p = &s->method->parameters[index];
    struct cf_annotation a;
    while (cf_next_annotation(walk, &a)) {
        const struct annotation_of_value *v = value_of(a.type);
        struct cf_element e = {.tag = 0};
        if (!v && is_of_kit(a.type)) complain_of_annotation(s, index + 1, a.type);
        if (!v) continue;
        if (p->annotation)
            complain(s, "parameter %u has @%s and @%s: leave one of them", index + 1, p->annotation,
                     v->type);
        p->annotation = v->type;
        p->value = v->value;
        if (!cf_next_element(cls, &a, &e)) continue;
        const uint8_t *number = cf_entry(cls, e.constant, CF_TAG_INTEGER);
        if (v->value == INSTR_KIT_ARGUMENT && number) p->index = cf_be4(number);
        if (v->value == INSTR_KIT_FIELD) p->field = kit_text(s->kit, cf_utf8(cls, e.constant));
    }
}

static void read_all_annotations(struct subject *s, const struct cf_attribute *attribute,
                                 struct cf_error *error) {
    const struct cf_class *cls = &s->source->cls;
    struct cf_reader r = cf_read(cls, attribute->info, attribute->length, error);
    unsigned count = cf_u1(&r);
    for (unsigned i = 0; i < count && i < s->method->parameter_count && !error->status; i++) {
        struct cf_annotations walk = cf_walk_annotations(cls, r);
        read_parameter_annotations(s, &walk, i);
        r = walk.r;
    }
}

// Those of the method itself, and of its parameters; the generic signature.
static void read_attributes(struct subject *s, bool of_parameters) {
    struct cf_error error = {0};
    const struct cf_class *cls = &s->source->cls;
    struct cf_walk walk = cf_member_attributes(cls, s->member, &error);
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);) {
        struct cf_reader r = cf_read(cls, a.info, a.length, &error);
        bool visible = CF_IS(a.name, "RuntimeVisibleAnnotations");
        if (of_parameters) {
            if (CF_IS(a.name, "RuntimeInvisibleParameterAnnotations"))
                read_all_annotations(s, &a, &error);
            if (CF_IS(a.name, "Signature")) s->signature = cf_utf8(cls, cf_u2(&r));
            continue;
        }
        if (!visible && !CF_IS(a.name, "RuntimeInvisibleAnnotations")) continue;
        struct cf_annotations annotations = cf_walk_annotations(cls, r);
        for (struct cf_annotation found; cf_next_annotation(&annotations, &found);) {
            if (is_kit_type(found.type, "Instead")) s->instead = true;
            if (is_kit_type(found.type, "Skip")) s->skip = true;
        }
    }
}

// --- generic types ---

// The end of the type at `at` of a signature (JVMS 4.7.9.1): type arguments are part of it.
static uint32_t after_signature_type(struct cf_slice s, uint32_t at) {
    unsigned depth = 0;
    while (at < s.length && s.bytes[at] == '[') at++;
    if (at >= s.length || (s.bytes[at] != 'L' && s.bytes[at] != 'T')) return at + 1;
    for (; at < s.length && (depth || s.bytes[at] != ';'); at++)
        depth = depth + (s.bytes[at] == '<') - (s.bytes[at] == '>');
    return at + 1;
}

// Where the parameters begin: behind type parameters and the parenthesis.
static uint32_t signature_parameters(struct cf_slice s) {
    uint32_t at = 0;
    for (unsigned depth = 0; at < s.length && (depth || s.bytes[at] != '('); at++)
        depth = depth + (s.bytes[at] == '<') - (s.bytes[at] == '>');
    return at + 1;
}

// The descriptor of a type argument: without type arguments of its own; wildcards by their bound, type variables
// as Object.
static const char *erased(struct instr_kit *kit, struct cf_slice type) {
    char *out = kit_alloc(kit, (size_t)type.length + 1, 1);
    size_t n = 0;
    unsigned depth = 0;
    uint32_t i = type.length && (type.bytes[0] == '+' || type.bytes[0] == '-');
    uint32_t first = i;
    while (first < type.length && type.bytes[first] == '[') first++;
    if (!out || first >= type.length || type.bytes[first] == 'T' || type.bytes[0] == '*')
        return "Ljava/lang/Object;";
    for (; i < type.length; i++) {
        depth += type.bytes[i] == '<';
        if (!depth) out[n++] = type.bytes[i] == '.' ? '$' : (char)type.bytes[i];
        depth -= type.bytes[i] == '>';
    }
    return out;
}

// What a Holder<...> that is the parameter `index` holds.
static const char *held_type(const struct subject *s, unsigned index) {
    static const char start[] = "L" KIT_HOLDER "<";
    struct cf_slice g = s->signature;
    uint32_t at = signature_parameters(g);
    for (unsigned i = 0; i < index && at < g.length; i++) at = after_signature_type(g, at);
    if (!g.bytes || at + sizeof start > g.length ||
        memcmp(g.bytes + at, start, sizeof start - 1) != 0)
        return "Ljava/lang/Object;";
    at += (uint32_t)sizeof start - 1;
    uint32_t end = after_signature_type(g, at + (g.bytes[at] == '+' || g.bytes[at] == '-'));
    return erased(s->kit, (struct cf_slice){g.bytes + at, end > g.length ? 0 : end - at});
}

// --- parameters ---

// Splits the descriptor.
static bool read_types(struct subject *s) {
    struct cf_slice d = cf_member_descriptor(&s->source->cls, s->member);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    struct instr_kit_method *m = s->method;
    m->descriptor = kit_text(s->kit, d);
    m->parameters = kit_alloc(s->kit, INSTR_KIT_MOST_PARAMETERS, sizeof *m->parameters);
    if (!m->descriptor || !m->parameters) return false;
    while (p && p < end && *p != ')') {
        const uint8_t *next = cf_after_type(p, end);
        if (!next || m->parameter_count == INSTR_KIT_MOST_PARAMETERS) {
            complain(s, "has more than %d parameters", INSTR_KIT_MOST_PARAMETERS);
            return false;
        }
        struct cf_slice type = {p, (uint32_t)(next - p)};
        m->parameters[m->parameter_count++].type = kit_text(s->kit, type);
        p = next;
    }
    m->result = p && p < end ? m->descriptor + (p - d.bytes) + 1 : "";
    return !s->kit->no_memory;
}

static void check_parameter(const struct subject *s, unsigned i) {
    static const char holder[] = "L" KIT_HOLDER ";";
    struct instr_kit_parameter *p = &s->method->parameters[i];
    const struct annotation_of_value *v = NULL;
    for (size_t k = 0; p->annotation && k < sizeof values / sizeof *values; k++)
        if (values[k].value == p->value) v = &values[k];
    size_t last = v && v->java ? strcspn(strrchr(v->java, '/') + 1, ";") : 0;
    if (v && !(v->roles >> s->method->role & 1))
        complain(s, "parameter %u: @%s has no value in %s", i + 1, v->type,
                 role_names[s->method->role]);
    else if (v && v->java && strcmp(p->type, v->java) != 0)
        complain(s, "parameter %u: with @%s its type is %.*s%s", i + 1, v->type, (int)last,
                 strrchr(v->java, '/') + 1, v->java[0] == '[' ? "[]" : "");
    else if (p->value == INSTR_KIT_ARGUMENT && p->index > MOST_ARGUMENT)
        complain(s, "parameter %u: @Arg counts arguments from 0 to %d", i + 1, MOST_ARGUMENT);
    else if (p->value == INSTR_KIT_FIELD && s->calls)
        complain(s, "parameter %u: @Field is for advised methods, not for calls", i + 1);
    else if (p->value == INSTR_KIT_THIS && is_primitive(p->type))
        complain(s, "parameter %u: @This is an object, and cannot be of a primitive type", i + 1);
    else if (strcmp(p->type, holder) == 0 &&
             (p->value != INSTR_KIT_ARGUMENT || s->method->role != INSTR_KIT_ENTER))
        complain(s, "parameter %u: only arguments can be held, and only in enter", i + 1);
    else if (strcmp(p->type, holder) == 0)
        p->held = held_type(s, i);
}

static void read_parameters(struct subject *s) {
    unsigned argument = 0;
    read_attributes(s, true);
    for (unsigned i = 0; i < s->method->parameter_count; i++) {
        struct instr_kit_parameter *p = &s->method->parameters[i];
        if (!p->annotation) p->index = argument++;
        check_parameter(s, i);
    }
}

// --- methods ---

static void check_result(const struct subject *s) {
    const struct instr_kit_method *m = s->method;
    bool replaces_none = m->role == INSTR_KIT_CONSTRUCTED || m->role == INSTR_KIT_THROWN ||
                         m->role == INSTR_KIT_EXIT;
    if (replaces_none && m->result[0] != 'V')
        complain(s, "returns a value that goes nowhere: make it void");
    if (s->skip && m->role != INSTR_KIT_ENTER)
        complain(s, "@Skip is for enter, which decides whether the method runs");
    else if (s->skip && m->result[0] != 'Z' && is_primitive(m->result))
        complain(s, "@Skip wants a result of boolean, or an object: true, or not null, skips");
}

// The role of a method; INSTR_KIT_ROLES: none.
static enum instr_kit_role role_of(const struct subject *s) {
    struct cf_slice name = cf_member_name(&s->source->cls, s->member);
    if (s->instead) return INSTR_KIT_INSTEAD;
    for (unsigned r = 0; r < INSTR_KIT_INSTEAD; r++)
        if (cf_slice_is(name, role_names[r], strlen(role_names[r]))) return (enum instr_kit_role)r;
    return INSTR_KIT_ROLES;
}

// Does the method, or one of its parameters, have an annotation of package instr.kit?
static bool has_annotation(const struct subject *s) {
    struct cf_error error = {0};
    const struct cf_class *cls = &s->source->cls;
    struct cf_walk walk = cf_member_attributes(cls, s->member, &error);
    bool found = s->skip;
    for (struct cf_attribute a; cf_next_attribute(&walk, &a) && !found;) {
        struct cf_reader r = cf_read(cls, a.info, a.length, &error);
        if (!CF_IS(a.name, "RuntimeInvisibleParameterAnnotations")) continue;
        for (unsigned count = cf_u1(&r); count && !error.status; count--) {
            struct cf_annotations annotations = cf_walk_annotations(cls, r);
            for (struct cf_annotation one; cf_next_annotation(&annotations, &one);)
                found = found || is_of_kit(one.type);
            r = annotations.r;
        }
    }
    return found;
}

static void read_method(struct subject *s, struct instr_kit_advice *advice) {
    enum instr_kit_role role = role_of(s);
    unsigned flags = s->member->access_flags;
    if (flags & (CF_ACC_BRIDGE | CF_ACC_SYNTHETIC)) return;
    if (role == INSTR_KIT_ROLES && has_annotation(s))
        complain(s, "is never called: advice methods are enter, constructed, returned, thrown and "
                    "exit, and those with @Instead");
    if (role == INSTR_KIT_ROLES) return;
    if (!(flags & CF_ACC_STATIC) || flags & CF_ACC_PRIVATE || flags & CF_ACC_NATIVE) {
        complain(s, "advice methods are static, and not private or native");
        return;
    }
    if (advice->methods[role]) {
        complain(s, "is there twice: an advice has one %s; make another advice of the other one",
                 role_names[role]);
        return;
    }
    if (!(s->method = kit_alloc(s->kit, 1, sizeof *s->method))) return;
    s->method->role = role;
    s->method->name = kit_text(s->kit, cf_member_name(&s->source->cls, s->member));
    s->method->skips = s->skip;
    s->method->outermost = advice->outermost;
    s->method->source = kit_where(s->source, s->member);
    if (!read_types(s)) return;
    read_parameters(s);
    check_result(s);
    advice->methods[role] = s->method;
}

// What `enter` returns goes to parameters of that type.
static void check_entered(struct instr_kit *kit, const struct instr_kit_advice *advice,
                          const struct instr_kit_method *m) {
    const struct instr_kit_method *enter = advice->methods[INSTR_KIT_ENTER];
    for (unsigned i = 0; m && i < m->parameter_count; i++) {
        const char *type = m->parameters[i].type;
        if (m->parameters[i].value != INSTR_KIT_ENTERED) continue;
        if (!enter || enter->result[0] == 'V')
            kit_problem(kit, true, m->source,
                        "%s: parameter %u: @Enter needs an enter that returns a value", m->name,
                        i + 1);
        else if (strcmp(type, enter->result) != 0 &&
                 (!is_object(type) || is_primitive(enter->result)))
            kit_problem(kit, true, m->source,
                        "%s: parameter %u: @Enter has the type that enter returns", m->name, i + 1);
    }
}

static void check_advice(struct instr_kit *kit, const struct kit_source *source,
                         const struct instr_kit_advice *advice) {
    const struct instr_kit_method *instead = advice->methods[INSTR_KIT_INSTEAD];
    bool any = false;
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++) any |= advice->methods[r] != NULL;
    if (!any && kit->usable)
        kit_problem(kit, true, kit_where(source, NULL),
                    "%s has no advice method: write a static enter, constructed, returned, thrown "
                    "or exit, or one with @Instead",
                    advice->name);
    if (instead && !advice->calls)
        kit_problem(kit, true, instead->source,
                    "%s: @Instead replaces calls: write calls = true in @Advice", instead->name);
    const struct instr_kit_method *constructed = advice->methods[INSTR_KIT_CONSTRUCTED];
    if (constructed && advice->calls)
        kit_problem(kit, true, constructed->source,
                    "%s: is called in constructors, not at calls: leave calls = true out",
                    constructed->name);
    for (unsigned r = 0; r < INSTR_KIT_INSTEAD; r++) check_entered(kit, advice, advice->methods[r]);
}

void kit_read_methods(struct kit_reader *reader, const struct kit_source *source,
                      struct instr_kit_advice *advice) {
    for (unsigned i = 0; i < source->cls.methods_count; i++) {
        struct subject s = {.kit = reader->kit,
                            .source = source,
                            .member = &source->cls.methods[i],
                            .calls = advice->calls};
        read_attributes(&s, false);
        read_method(&s, advice);
    }
    check_advice(reader->kit, source, advice);
}
