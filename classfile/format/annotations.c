#include "classfile/format/annotations.h"

#define DEEPEST 64 // annotations inside annotations

static void skip_annotation(struct cf_reader *r, unsigned depth);

// element_value (JVMS 4.7.16.1)
static void skip_value(struct cf_reader *r, unsigned depth) {
    unsigned tag = cf_u1(r);
    if (tag == '@') {
        skip_annotation(r, depth + 1);
    } else if (tag == '[') {
        if (depth == DEEPEST) r->pos = r->end;
        for (uint32_t n = cf_u2(r); n > 0 && !r->error->status; n--) skip_value(r, depth + 1);
    } else if (tag && strchr("BCDFIJSZsce", (int)tag)) {
        cf_skip(r, tag == 'e' ? 4 : 2);
    } else if (!r->error->status) {
        cf_fail(r->error, CF_MALFORMED, r->pos - 1, "annotation", 0);
    }
}

static void skip_pairs(struct cf_reader *r, unsigned depth) {
    for (uint32_t n = cf_u2(r); n > 0 && !r->error->status; n--) {
        cf_skip(r, 2); // element_name_index
        skip_value(r, depth);
    }
}

static void skip_annotation(struct cf_reader *r, unsigned depth) {
    if (depth >= DEEPEST) r->pos = r->end; // the next read fails
    cf_skip(r, 2);                         // type_index
    skip_pairs(r, depth);
}

static int each_of(const struct cf_class *cls, struct cf_reader *r,
                   int (*each)(void *context, struct cf_slice type), void *context) {
    int found = 0;
    for (uint32_t n = cf_u2(r); n > 0 && !found && !r->error->status; n--) {
        found = each(context, cf_utf8(cls, cf_u2(r)));
        if (!found) skip_pairs(r, 0);
    }
    return found;
}

int cf_each_annotation(const struct cf_class *cls, const struct cf_member *member,
                       int (*each)(void *context, struct cf_slice type), void *context) {
    struct cf_error error = {.status = CF_OK};
    struct cf_walk walk =
        member ? cf_member_attributes(cls, member, &error) : cf_class_attributes(cls, &error);
    struct cf_attribute a;
    int found = 0;
    while (!found && cf_next_attribute(&walk, &a)) {
        if (!CF_IS(a.name, "RuntimeVisibleAnnotations")) continue;
        struct cf_reader r = cf_read(cls, a.info, a.length, &error);
        found = each_of(cls, &r, each, context);
    }
    return found;
}

struct listed {
    const char *const *types;
    const char *found;
};

static int is_listed(void *context, struct cf_slice type) {
    struct listed *listed = context;
    for (const char *const *t = listed->types; *t && !listed->found; t++)
        if (cf_slice_is(type, *t, strlen(*t))) listed->found = *t;
    return listed->found != NULL;
}

const char *cf_annotation_of(const struct cf_class *cls, const struct cf_member *member,
                             const char *const *types) {
    struct listed listed = {types, NULL};
    cf_each_annotation(cls, member, is_listed, &listed);
    return listed.found;
}

struct cf_annotations cf_walk_annotations(const struct cf_class *cls, struct cf_reader r) {
    struct cf_annotations walk = {cls, r, 0};
    walk.left = cf_u2(&walk.r);
    return walk;
}

int cf_next_annotation(struct cf_annotations *walk, struct cf_annotation *annotation) {
    if (walk->left == 0 || walk->r.error->status) return 0;
    walk->left--;
    annotation->type = cf_utf8(walk->cls, cf_u2(&walk->r));
    annotation->elements = walk->r;
    skip_pairs(&walk->r, 0);
    annotation->left = cf_u2(&annotation->elements);
    return !walk->r.error->status;
}

// Reads an element_value, and moves the reader behind it.
static int take_value(struct cf_reader *r, struct cf_element *element) {
    struct cf_reader at = *r;
    skip_value(r, 0);
    element->tag = cf_u1(&at);
    element->constant = 0;
    element->left = 0;
    if (element->tag == '[')
        element->left = cf_u2(&at);
    else if (element->tag != '@' && element->tag != 'e')
        element->constant = cf_u2(&at);
    element->items = at;
    return !r->error->status;
}

int cf_next_element(const struct cf_class *cls, struct cf_annotation *annotation,
                    struct cf_element *element) {
    if (annotation->left == 0 || annotation->elements.error->status) return 0;
    annotation->left--;
    element->name = cf_utf8(cls, cf_u2(&annotation->elements));
    return take_value(&annotation->elements, element);
}

int cf_next_item(struct cf_element *array, struct cf_element *item) {
    if (array->left == 0 || array->items.error->status) return 0;
    array->left--;
    item->name = (struct cf_slice){NULL, 0};
    return take_value(&array->items, item);
}
