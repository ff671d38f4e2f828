// Matching patterns of instructions.

#include "instr/cli/coverage/match.h"

#include <string.h>

void cover_match_start(struct cover_matcher *m, uint32_t instruction) {
    m->failed = 0;
    m->next = instruction;
}

unsigned cover_match_peek(const struct cover_matcher *m) {
    return m->failed || m->next >= m->code->count ? 256 : m->code->op[m->next];
}

unsigned cover_match_peek_raw(const struct cover_matcher *m) {
    unsigned op = cover_match_peek(m);
    return op < 256 && m->code->labelled[m->next] ? 256 : op;
}

static int fail(struct cover_matcher *m) {
    m->failed = 1;
    return 0;
}

int cover_match_any(struct cover_matcher *m) {
    if (cover_match_peek(m) == 256) return fail(m);
    m->next++;
    return 1;
}

int cover_match(struct cover_matcher *m, unsigned op) {
    return cover_match_peek(m) == op ? cover_match_any(m) : fail(m);
}

int cover_match_switch(struct cover_matcher *m) {
    return cover_is_switch(cover_match_peek(m)) ? cover_match_any(m) : fail(m);
}

int cover_match_variable(struct cover_matcher *m, unsigned op, unsigned variable) {
    if (!cover_match(m, op)) return 0;
    uint32_t actual = cover_variable_of(m->code, cover_match_at(m)) + 1;
    if (!m->variables[variable]) m->variables[variable] = actual;
    return m->variables[variable] == actual ? 1 : fail(m);
}

int cover_match_reference(struct cover_matcher *m, unsigned op, const char *owner, const char *name,
                          const char *descriptor) {
    if (!cover_match(m, op)) return 0;
    struct cover_reference r = cover_reference_of(m->code, cover_match_at(m));
    if (owner && !cover_slice_is(r.owner, owner)) return fail(m);
    if (name && !cover_slice_is(r.name, name)) return fail(m);
    if (descriptor && !cover_slice_is(r.descriptor, descriptor)) return fail(m);
    return 1;
}

int cover_match_type(struct cover_matcher *m, unsigned op, const char *type) {
    if (!cover_match(m, op)) return 0;
    const uint8_t *p = m->code->code.bytes + m->code->code.pc[cover_match_at(m)];
    return cover_slice_is(cf_class_name(m->code->cls, cf_be2(p + 1)), type) ? 1 : fail(m);
}

static int match_constant(struct cover_matcher *m, const char *text, int exact) {
    if (!cover_match(m, CF_OP_ldc)) return 0;
    const uint8_t *p = m->code->code.bytes + m->code->code.pc[cover_match_at(m)];
    struct cf_slice string =
        cf_named(m->code->cls, p[0] == CF_OP_ldc ? p[1] : cf_be2(p + 1), CF_TAG_STRING);
    return exact ? cover_slice_is(string, text) || fail(m)
                 : cover_slice_starts(string, text) || fail(m);
}

int cover_match_string(struct cover_matcher *m, const char *start) {
    return match_constant(m, start, 0);
}

int cover_match_exact_string(struct cover_matcher *m, const char *text) {
    return match_constant(m, text, 1);
}

// --- operands ---

uint32_t cover_variable_of(const struct cover_code *code, uint32_t i) {
    const uint8_t *p = code->code.bytes + code->code.pc[i];
    unsigned op = p[0];
    if (op >= CF_OP_iload_0 && op <= CF_OP_aload_3) return (op - CF_OP_iload_0) % 4;
    if (op >= CF_OP_istore_0 && op <= CF_OP_astore_3) return (op - CF_OP_istore_0) % 4;
    return op == CF_OP_wide ? cf_be2(p + 2) : p[1];
}

struct cover_reference cover_reference_of(const struct cover_code *code, uint32_t i) {
    struct cover_reference r = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    const uint8_t *p = code->code.bytes + code->code.pc[i];
    if (p[0] >= CF_OP_getstatic && p[0] <= CF_OP_invokedynamic)
        cf_reference(code->cls, cf_be2(p + 1), &r.owner, &r.name, &r.descriptor);
    return r;
}

int cover_slice_is(struct cf_slice slice, const char *text) {
    return cf_slice_is(slice, text, strlen(text));
}

int cover_slice_starts(struct cf_slice slice, const char *text) {
    size_t n = strlen(text);
    return slice.bytes && slice.length >= n && memcmp(slice.bytes, text, n) == 0;
}

int cover_slice_ends(struct cf_slice slice, const char *text) {
    size_t n = strlen(text);
    return slice.bytes && slice.length >= n && memcmp(slice.bytes + slice.length - n, text, n) == 0;
}

uint32_t cover_find(const struct cover_code *code, uint32_t i, unsigned op) {
    if (i >= code->count) return code->count;
    const uint8_t *found = memchr(code->op + i, (int)op, code->count - i);
    return found ? (uint32_t)(found - code->op) : code->count;
}

// --- annotations (JVMS 4.7.16) ---

int cover_has_annotations(const struct cf_attribute *attribute) {
    return CF_IS(attribute->name, "RuntimeVisibleAnnotations") ||
           CF_IS(attribute->name, "RuntimeInvisibleAnnotations");
}

struct cover_annotations cover_annotations(const struct cf_class *cls,
                                           const struct cf_attribute *attribute) {
    const uint8_t *p = cls->bytes + attribute->info;
    struct cover_annotations walk = {cls, p, p + attribute->length, 0};
    if (attribute->length >= 2) {
        walk.left = cf_be2(p);
        walk.at += 2;
    }
    return walk;
}

static uint32_t take2(struct cover_annotations *walk) {
    if (walk->end - walk->at < 2) {
        walk->at = walk->end;
        walk->left = 0;
        return 0;
    }
    walk->at += 2;
    return cf_be2(walk->at - 2);
}

// Skips the named values of an annotation. Arrays and annotations in it nest; those that nest deeper
// than any compiler writes them end the walk.
static void skip_values(struct cover_annotations *walk, uint32_t pairs) {
    enum { DEEPEST = 64 };
    struct {
        uint32_t left;
        int named;
    } open[DEEPEST] = {{pairs, 1}};
    int depth = 0;
    while (depth >= 0) {
        if (open[depth].left-- == 0) {
            depth--;
            continue;
        }
        if (open[depth].named) take2(walk);
        if (walk->at >= walk->end || depth + 1 == DEEPEST) {
            walk->at = walk->end;
            walk->left = 0;
            return;
        }
        unsigned tag = *walk->at++;
        uint32_t number = take2(walk);
        if (tag == 'e') take2(walk);
        if (tag != '[' && tag != '@') continue;
        depth++;
        open[depth].named = tag == '@';
        open[depth].left = tag == '@' ? take2(walk) : number;
    }
}

int cover_next_annotation(struct cover_annotations *walk, struct cf_slice *type) {
    if (walk->left == 0) return 0;
    walk->left--;
    *type = cf_utf8(walk->cls, take2(walk));
    skip_values(walk, take2(walk));
    return type->bytes != NULL;
}

int cover_has_annotation(const struct cover_code *code, const char *kind, const char *type) {
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_member_attributes(code->cls, code->method, &ignored);
    struct cf_attribute a;
    struct cf_slice found;
    while (cf_next_attribute(&walk, &a)) {
        if (!cover_slice_is(a.name, kind)) continue;
        struct cover_annotations annotations = cover_annotations(code->cls, &a);
        while (cover_next_annotation(&annotations, &found))
            if (cover_slice_is(found, type)) return 1;
    }
    return 0;
}

int cover_is_generated(struct cf_slice type) {
    const uint8_t *simple = type.bytes, *end = type.bytes + type.length;
    for (const uint8_t *p = type.bytes; p < end; p++)
        if (*p == '/' || *p == '$') simple = p + 1;
    return memmem(simple, (size_t)(end - simple), "Generated", 9) != NULL;
}
