#include "instr/kit/fit.h"
#include "classfile/format/annotations.h"

#include <stdarg.h>
#include <stdio.h>

// --- annotations and loaders ---

static bool any_matches(const struct cf_class *cls, struct cf_walk walk,
                        const struct instr_match *match) {
    struct cf_error error = {0};
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);) {
        if (!CF_IS(a.name, "RuntimeVisibleAnnotations") &&
            !CF_IS(a.name, "RuntimeInvisibleAnnotations"))
            continue;
        struct cf_reader r = cf_read(cls, a.info, a.length, &error);
        struct cf_annotations annotations = cf_walk_annotations(cls, r);
        for (struct cf_annotation found; cf_next_annotation(&annotations, &found);)
            if (found.type.length > 2 &&
                instr_match(match, (const char *)found.type.bytes + 1, found.type.length - 2))
                return true;
    }
    return false;
}

bool instr_kit_annotated(const struct instr_kit_advice *advice, const struct cf_class *cls,
                         const struct cf_member *method) {
    struct cf_error error = {0};
    return (!advice->annotated ||
            any_matches(cls, cf_member_attributes(cls, method, &error), advice->annotated)) &&
           (!advice->annotated_class ||
            any_matches(cls, cf_class_attributes(cls, &error), advice->annotated_class));
}

bool instr_kit_is_target(const struct instr_kit_advice *advice, const struct cf_class *cls,
                         const struct cf_member *method, const struct rw_supertypes *supertypes) {
    struct cf_slice own = cf_this_name(cls), name = cf_member_name(cls, method),
                    descriptor = cf_member_descriptor(cls, method);
    for (size_t i = 0; i < advice->target_count; i++)
        if (instr_kit_names_any(&advice->targets[i], (const char *)own.bytes, own.length,
                                supertypes) &&
            instr_kit_names_method(&advice->targets[i], name, descriptor))
            return instr_kit_annotated(advice, cls, method);
    return false;
}

bool instr_kit_in_loader(const struct instr_kit_advice *advice, const char *loader) {
    const char *name = loader ? loader : "boot";
    return !advice->loader || instr_match(advice->loader, name, strlen(name));
}

// --- types ---

// A type as in Java source.
struct java_type {
    char text[200];
};
static struct java_type java_type(struct cf_slice type) {
    struct java_type java;
    char descriptor[200];
    if (CF_IS(type, "V")) return (struct java_type){"void"};
    int n = snprintf(descriptor, sizeof descriptor, "(%.*s)", (int)type.length,
                     (const char *)type.bytes);
    if (n >= (int)sizeof descriptor) return (struct java_type){"another one"};
    struct cf_slice list = {(const uint8_t *)descriptor, (uint32_t)n};
    rw_watch_types(list, java.text, sizeof java.text);
    n = (int)strlen(java.text) - 2; // without parentheses
    memmove(java.text, java.text + 1, (size_t)n);
    java.text[n] = '\0';
    return java;
}

// Can a value of the subject's type go to a parameter of the advice, or back? Yes if both are the same, or one is
// Object and the other any object.
static bool fits(const char *ours, struct cf_slice theirs) {
    if (cf_slice_is(theirs, ours, strlen(ours))) return true;
    return strcmp(ours, "Ljava/lang/Object;") == 0 && theirs.length &&
           (theirs.bytes[0] == 'L' || theirs.bytes[0] == '[');
}

// The same for what a holder holds: primitive values are boxed.
static bool fits_held(const char *held, struct cf_slice theirs) {
    static const char *const boxes[][2] = {{"Z", "Boolean"}, {"B", "Byte"},    {"C", "Character"},
                                           {"S", "Short"},   {"I", "Integer"}, {"J", "Long"},
                                           {"F", "Float"},   {"D", "Double"}};
    char box[40];
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        if (!cf_slice_is(theirs, boxes[i][0], 1)) continue;
        snprintf(box, sizeof box, "Ljava/lang/%s;", boxes[i][1]);
        return strcmp(held, box) == 0 || strcmp(held, "Ljava/lang/Object;") == 0;
    }
    return fits(held, theirs);
}

// The type of the argument `index`; NULL bytes: there is none.
static struct cf_slice argument_type(struct cf_slice descriptor, unsigned index) {
    const uint8_t *p = descriptor.bytes + 1, *end = descriptor.bytes + descriptor.length;
    for (unsigned i = 0; p && p < end && *p != ')'; i++) {
        const uint8_t *next = cf_after_type(p, end);
        if (!next) break;
        if (i == index) return (struct cf_slice){p, (uint32_t)(next - p)};
        p = next;
    }
    return (struct cf_slice){NULL, 0};
}

// --- parameters ---

struct fitting {
    const struct instr_kit_subject *subject;
    const struct instr_kit_method *method;
    bool is_constructor;
    char *reason;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static const char *misfit(const struct fitting *f,
                                                                const char *format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(f->reason, f->size, "%s:%u: %s: %s", f->method->source.file, f->method->source.line,
             f->method->name, text);
    return f->reason;
}

static const char *check_argument(const struct fitting *f, unsigned number,
                                  const struct instr_kit_parameter *p) {
    struct cf_slice theirs = argument_type(f->subject->descriptor, p->index);
    if (!theirs.bytes)
        return misfit(f, "parameter %u is argument %u, which the method does not have", number,
                      p->index);
    if (p->held ? fits_held(p->held, theirs) : fits(p->type, theirs)) return NULL;
    return misfit(f, "parameter %u is argument %u, whose type is %s", number, p->index,
                  java_type(theirs).text);
}

static const char *check_field(const struct fitting *f, unsigned number,
                               const struct instr_kit_parameter *p) {
    struct cf_error error = {0};
    struct cf_member field;
    if (!f->subject->cls || !p->field)
        return misfit(f, "parameter %u: @Field is for advised methods, not for calls", number);
    struct cf_walk fields = cf_walk_fields(f->subject->cls, &error);
    while (cf_next_field(&fields, &field)) {
        struct cf_slice name = cf_member_name(f->subject->cls, &field);
        if (!cf_slice_is(name, p->field, strlen(p->field))) continue;
        struct cf_slice type = cf_member_descriptor(f->subject->cls, &field);
        bool needs_static =
            f->subject->is_static || (f->is_constructor && f->method->role == INSTR_KIT_ENTER);
        if (needs_static && !(field.access_flags & CF_ACC_STATIC))
            return misfit(f, "parameter %u: the field %s needs an object, which there is not",
                          number, p->field);
        if (fits(p->type, type)) return NULL;
        return misfit(f, "parameter %u: the type of the field %s is %s", number, p->field,
                      java_type(type).text);
    }
    return misfit(f, "parameter %u: the class has no field %s", number, p->field);
}

static const char *check_this(const struct fitting *f, unsigned number,
                              const struct instr_kit_parameter *p) {
    struct cf_slice owner = f->subject->owner;
    if (strcmp(p->type, "Ljava/lang/Object;") == 0 ||
        (strlen(p->type) == (size_t)owner.length + 2 &&
         memcmp(p->type + 1, owner.bytes, owner.length) == 0))
        return NULL;
    return misfit(f, "parameter %u: @This is of another class: use Object", number);
}

static const char *check_parameter(const struct fitting *f, unsigned number,
                                   const struct instr_kit_parameter *p) {
    struct cf_slice result = cf_result_type(f->subject->descriptor);
    switch (p->value) {
    case INSTR_KIT_ARGUMENT: return check_argument(f, number, p);
    case INSTR_KIT_FIELD: return check_field(f, number, p);
    case INSTR_KIT_THIS: return check_this(f, number, p);
    case INSTR_KIT_RESULT:
        if (CF_IS(result, "V")) return misfit(f, "parameter %u: the method has no result", number);
        if (fits(p->type, result)) return NULL;
        return misfit(f, "parameter %u: the type of the result is %s", number,
                      java_type(result).text);
    default: return NULL;
    }
}

static const char *check_method(const struct fitting *f) {
    const struct instr_kit_method *m = f->method;
    struct cf_slice result = cf_result_type(f->subject->descriptor);
    struct cf_slice ours = {(const uint8_t *)m->result, (uint32_t)strlen(m->result)};
    bool replaces =
        m->role == INSTR_KIT_INSTEAD || (m->role == INSTR_KIT_RETURNED && m->result[0] != 'V');
    if (f->is_constructor && m->skips) return misfit(f, "a constructor cannot be skipped");
    if (f->is_constructor && m->role == INSTR_KIT_INSTEAD)
        return misfit(f, "a call of a constructor cannot be replaced");
    if (replaces && !fits(m->result, result))
        return misfit(f, "returns %s, but the method returns %s", java_type(ours).text,
                      java_type(result).text);
    for (size_t i = 0; i < m->parameter_count; i++) {
        const char *why = check_parameter(f, (unsigned)i + 1, &m->parameters[i]);
        if (why) return why;
    }
    return NULL;
}

const char *instr_kit_misfit(const struct instr_kit_advice *advice,
                             const struct instr_kit_subject *subject, char *reason, size_t size) {
    struct fitting f = {.subject = subject, .reason = reason, .size = size};
    unsigned called = 0;
    f.is_constructor = CF_IS(subject->name, "<init>");
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++) {
        f.method = advice->methods[r];
        if (!f.method || (r == INSTR_KIT_CONSTRUCTED && !f.is_constructor)) continue;
        const char *why = check_method(&f);
        if (why) return why;
        called++;
    }
    if (f.is_constructor && advice->outermost) {
        snprintf(reason, size,
                 "%s:%u: outermost = true is not for constructors, which may end in super()",
                 advice->source.file, advice->source.line);
        return reason;
    }
    f.method = advice->methods[INSTR_KIT_CONSTRUCTED];
    return called || !f.method ? NULL : misfit(&f, "is called in constructors only");
}
