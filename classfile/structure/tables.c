// The structure check: attributes that are lists of constants, names and positions (JVMS 4.7).

#include "classfile/structure/internal.h"

#include <stdlib.h>

// --- constants ---

// JVMS 4.7.2. On a field that is not static it has no meaning.
static enum cf_status check_constant_value(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    static const uint8_t tags[128] = {
        ['J'] = CF_TAG_LONG,    ['D'] = CF_TAG_DOUBLE,  ['F'] = CF_TAG_FLOAT,
        ['I'] = CF_TAG_INTEGER, ['S'] = CF_TAG_INTEGER, ['C'] = CF_TAG_INTEGER,
        ['B'] = CF_TAG_INTEGER, ['Z'] = CF_TAG_INTEGER, ['L'] = CF_TAG_STRING};
    unsigned index = cf_u2(&c->r);
    CF_TRY(c->error->status);
    struct cf_slice descriptor = cf_member_descriptor(c->cls, c->member);
    unsigned tag = tags[*descriptor.bytes & 127];
    if (!(c->member->access_flags & CF_ACC_STATIC)) return CF_OK;
    if (tag == CF_TAG_STRING && !CF_IS(descriptor, "Ljava/lang/String;")) tag = 0;
    if (tag == 0 || cf_tag_at(c->cls, index) != tag)
        return cf_reject(c, offset, "constant %u is not of the field's type", index);
    return CF_OK;
}

// --- tables for debuggers ---

// A position up to `last`. Only debuggers notice that a position of some tables is inside an
// instruction, and some compilers write such positions. Where a JVM reads them (`exact` is 1) they
// must be those of instructions, and in a strict check all but the ends of character ranges (-1).
static void check_position(struct cf_checker *c, uint32_t offset, uint32_t pc, uint32_t last,
                           int exact) {
    if (c->error->status) return;
    if (pc > last)
        cf_reject(c, offset, "pc %u is out of the code", pc);
    else if (exact + c->strict > 0 && !(c->marks[pc] & CF_CHECK_START))
        cf_reject(c, offset, "pc %u is inside an instruction", pc);
}

static void check_pc(struct cf_checker *c, uint32_t last, int exact) {
    uint32_t offset = c->r.pos;
    check_position(c, offset, cf_u2(&c->r), last, exact);
}

static void note_variable(struct cf_checker *c, struct cf_variables *list,
                          struct cf_variable entry) {
    if (list->count == list->capacity) {
        void *grown = cf_arena_grow(c->cls->arena, list->entries, &list->capacity, list->count, 0,
                                    sizeof entry);
        if (!grown) {
            cf_fail(c->error, CF_NO_MEMORY, 0, "out of memory", 0);
            return;
        }
        list->entries = grown;
    }
    list->entries[list->count++] = entry;
}

// JVMS 4.7.13, 4.7.14. LocalVariableTypeTable has signatures in place of descriptors: of references
// or of type variables. Since version 50 the verifier checks the positions of LocalVariableTable.
static enum cf_status check_variables(struct cf_checker *c, int typed) {
    int exact = !typed && c->cls->major_version >= 50;
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) {
        uint32_t offset = c->r.pos;
        uint32_t start = cf_u2(&c->r), length = cf_u2(&c->r), slots = 1;
        check_position(c, offset, start, c->code_length - 1, exact);
        check_position(c, offset, start + length, c->code_length, exact);
        unsigned name = cf_check_index(c, CF_TAG_UTF8);
        if (!(cf_facts(c, name, CF_KNOWN_NAME)->flags & CF_FACT_UNQUALIFIED))
            cf_reject(c, offset + 4, "local variable %u has no name", i);
        if (typed)
            cf_check_index(c, CF_TAG_UTF8);
        else if (cf_facts(c, cf_check_descriptor_index(c), CF_KNOWN_DESCRIPTOR)->flags &
                 CF_FACT_TWO_SLOTS)
            slots = 2;
        uint32_t index = cf_u2(&c->r);
        if (index + slots > c->max_locals)
            cf_reject(c, offset, "local variable %u is above max_locals", index);
        struct cf_variable entry = {(uint64_t)start << 32 | length << 16 | index, name};
        note_variable(c, typed ? &c->typed_variables : &c->variables, entry);
    }
    return c->error->status;
}

static int compare_variables(const void *a, const void *b) {
    const struct cf_variable *x = a, *y = b;
    if (x->range != y->range) return x->range < y->range ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void hash_names(struct cf_checker *c, struct cf_variables *list) {
    for (uint32_t i = 0; i < list->count; i++)
        list->entries[i].name = cf_text_hash(c, (unsigned)list->entries[i].name);
}

enum cf_status cf_check_typed_variables(struct cf_checker *c) {
    struct cf_variables *all = &c->variables, *typed = &c->typed_variables;
    uint32_t count =
        all->count ? typed->count : 0; // a JVM does not miss a whole LocalVariableTable
    if (count) {
        hash_names(c, all);
        hash_names(c, typed);
        qsort(all->entries, all->count, sizeof *all->entries, compare_variables);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!bsearch(&typed->entries[i], all->entries, all->count, sizeof *all->entries,
                     compare_variables))
            return cf_reject(c, (uint32_t)(c->code - c->cls->bytes),
                             "typed variable %u is none of LocalVariableTable", i);
    all->count = typed->count = 0;
    return CF_OK;
}

// --- forms (classfile/format/attributes.h) ---

// The constants that letters stand for.
static const uint8_t tags[128] = {
    ['U'] = CF_TAG_UTF8,   ['I'] = CF_TAG_INTEGER,       ['F'] = CF_TAG_FLOAT,
    ['J'] = CF_TAG_LONG,   ['D'] = CF_TAG_DOUBLE,        ['C'] = CF_TAG_CLASS,
    ['M'] = CF_TAG_MODULE, ['N'] = CF_TAG_NAME_AND_TYPE, ['H'] = CF_TAG_METHOD_HANDLE,
    ['P'] = CF_TAG_PACKAGE};

static void check_bootstrap_argument(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    unsigned index = cf_u2(&c->r);
    if (c->error->status == CF_OK && !cf_is_loadable(c, index))
        cf_reject(c, offset, "constant %u is not a bootstrap argument", index);
}

// JVMS 4.7.6.
static void check_inner_class(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    unsigned inner = cf_check_index(c, CF_TAG_CLASS);
    unsigned outer = cf_check_optional_index(c, CF_TAG_CLASS);
    cf_check_optional_index(c, CF_TAG_UTF8);
    unsigned flags = cf_u2(&c->r);
    if (c->error->status) return;
    if (inner == outer)
        cf_reject(c, offset, "class %u is its own outer class", inner);
    else
        cf_check_class_flags(c, offset + 6, flags);
}

// The components of records have attributes of their own (JVMS 4.7.30).
static void check_component_attributes(struct cf_checker *c) {
    uint32_t count = cf_u2(&c->r);
    if (c->error->status == CF_OK) cf_check_attributes(c, CF_IN_RECORD, count);
}

static void check_letter(struct cf_checker *c, unsigned letter) {
    switch (letter) {
    case '1': cf_u1(&c->r); break;
    case '2': cf_u2(&c->r); break;
    case '#': cf_skip(&c->r, cf_u2(&c->r)); break;
    case '*': c->r.pos = c->r.end; break;
    case 'T': cf_check_descriptor_index(c); break;
    case 'L': check_bootstrap_argument(c); break;
    case 'i': check_inner_class(c); break;
    case 'k': cf_check_code(c); break;
    case 's': cf_check_stack_map_table(c); break;
    case 'v': check_constant_value(c); break;
    case 'p': check_pc(c, c->code_length - 1, 0); break;
    case 'd': check_variables(c, 0); break;
    case 'g': check_variables(c, 1); break;
    case 'e': check_pc(c, c->code_length, 0); break;
    case 'x': check_pc(c, c->code_length, -1); break;
    case 'A': check_component_attributes(c); break;
    case '@': cf_check_form(c, "T(U=)"); break;
    case '=': cf_check_element_value(c); break;
    case 'a': cf_check_type_annotation(c); break;
    case 'u': cf_check_optional_index(c, CF_TAG_UTF8); break;
    case 'n': cf_check_optional_index(c, CF_TAG_NAME_AND_TYPE); break;
    default: cf_check_index(c, tags[letter]);
    }
}

static const char *closing(const char *form) {
    for (int open = 0;; form++) {
        open += (*form == '(' || *form == '<') - (*form == ')' || *form == '>');
        if (!open) return form;
    }
}

enum cf_status cf_check_form(struct cf_checker *c, const char *form) {
    for (; *form && *form != ')' && *form != '>' && c->error->status == CF_OK; form++) {
        if (*form != '(' && *form != '<') {
            check_letter(c, (unsigned char)*form);
            continue;
        }
        uint32_t count = *form == '(' ? cf_u2(&c->r) : cf_u1(&c->r);
        for (; count > 0 && c->error->status == CF_OK; count--) cf_check_form(c, form + 1);
        form = closing(form);
    }
    return c->error->status;
}
