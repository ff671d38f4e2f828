// The structure check: the class itself, its members, and the way through the attributes
// (JVMS 4.1, 4.5 to 4.7).

#include "classfile/structure.h"
#include "classfile/structure/internal.h"

#include <stdlib.h>

enum cf_status cf_reject(struct cf_checker *c, uint32_t offset, const char *reason,
                         uint32_t value) {
    return cf_fail(c->error, CF_MALFORMED, offset, reason, value);
}

// --- attributes ---

static const struct attribute_row {
    const char *name;
    uint8_t length, since, places;
    const char *form;
} rows[] = {
#define ATTRIBUTE_ROW(name, since, places, form, print)                                            \
    {#name, sizeof #name - 1, since, CF_AT_##places, form},
    CF_ATTRIBUTES(ATTRIBUTE_ROW)
#undef ATTRIBUTE_ROW
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static unsigned find_row(struct cf_slice name) {
    unsigned i = 0;
    while (i < ROWS && !cf_slice_is(name, rows[i].name, rows[i].length)) i++;
    return i;
}

// The row of an attribute that has a meaning here; ROWS: none. `name_index` is that of a Utf8.
static unsigned row_here(struct cf_checker *c, unsigned name_index, unsigned place) {
    struct cf_utf8_facts *facts = &c->facts[name_index];
    if (!(facts->flags & CF_KNOWN_ROW)) {
        facts->row = (uint8_t)find_row(cf_utf8(c->cls, name_index));
        facts->flags |= CF_KNOWN_ROW;
    }
    unsigned row = facts->row;
    if (row == ROWS || !(rows[row].places & place)) return ROWS;
    return c->cls->major_version >= rows[row].since ? row : ROWS;
}

// The info of one attribute: c->r ends with it, and must have been read to that end.
static enum cf_status check_info(struct cf_checker *c, const struct attribute_row *row) {
    CF_TRY(cf_check_form(c, row->form));
    if (c->r.pos != c->r.end)
        return cf_reject(c, c->r.pos, "attribute has %u bytes too many", c->r.end - c->r.pos);
    return CF_OK;
}

enum cf_status cf_check_attributes(struct cf_checker *c, unsigned place, uint32_t count) {
    uint64_t seen = 0;
    _Static_assert(ROWS <= 64, "one bit each");
    unsigned place_before = c->place;
    uint32_t end = c->r.end;
    c->place = place;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = c->r.pos;
        unsigned name_index = cf_check_index(c, CF_TAG_UTF8);
        uint32_t length = cf_u4(&c->r);
        if (!cf_need(&c->r, length) || c->error->status) return c->error->status;
        unsigned row = row_here(c, name_index, place);
        if (row == ROWS) {
            c->r.pos += length;
            continue;
        }
        if ((seen >> row & 1) && !(rows[row].places & CF_REPEATS))
            return cf_reject(c, offset, "attribute occurs twice", 0);
        seen |= (uint64_t)1 << row;
        c->r.end = c->r.pos + length;
        CF_TRY(check_info(c, &rows[row]));
        c->r.end = end;
    }
    c->place = place_before;
    return CF_OK;
}

// Entries of the BootstrapMethods attribute, 0 without one.
static uint32_t count_bootstrap_methods(struct cf_checker *c) {
    struct cf_walk walk = cf_class_attributes(c->cls, c->error);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a))
        if (CF_IS(a.name, "BootstrapMethods"))
            return a.length >= 2 ? cf_be2(c->cls->bytes + a.info) : 0;
    return 0;
}

// --- flags ---

static int has(const struct cf_member *m, unsigned flags) {
    return (m->access_flags & flags) != 0;
}

// At most one of public, private, protected.
static int has_one_visibility(const struct cf_member *m) {
    unsigned v = m->access_flags & (CF_ACC_PUBLIC | CF_ACC_PRIVATE | CF_ACC_PROTECTED);
    return (v & (v - 1)) == 0;
}

enum { ACC_SUPER = 0x0020 }; // with value classes ACC_IDENTITY

// JVMS 4.1, 4.7.6. Compilers before version 50 set them more freely.
static int class_flags_good(const struct cf_class *cls, unsigned flags) {
    if (cls->major_version < 50 || (flags & CF_ACC_MODULE)) return 1;
    if (flags & CF_ACC_INTERFACE)
        return (flags & CF_ACC_ABSTRACT) && !(flags & (CF_ACC_FINAL | ACC_SUPER | CF_ACC_ENUM));
    return !(flags & CF_ACC_ANNOTATION) &&
           (flags & (CF_ACC_FINAL | CF_ACC_ABSTRACT)) != (CF_ACC_FINAL | CF_ACC_ABSTRACT);
}

enum cf_status cf_check_class_flags(struct cf_checker *c, uint32_t offset, unsigned flags) {
    if (class_flags_good(c->cls, flags)) return CF_OK;
    return cf_reject(c, offset, "class flags %u contradict each other", flags);
}

// JVMS 4.5; ACC_BRIDGE and ACC_VARARGS have the values of volatile and transient.
static int field_flags_good(const struct cf_class *cls, const struct cf_member *m) {
    if (cls->access_flags & CF_ACC_INTERFACE)
        return has(m, CF_ACC_PUBLIC) && has(m, CF_ACC_STATIC) && has(m, CF_ACC_FINAL) &&
               !has(m, CF_ACC_PRIVATE | CF_ACC_PROTECTED | CF_ACC_BRIDGE | CF_ACC_VARARGS);
    return has_one_visibility(m) && !(has(m, CF_ACC_FINAL) && has(m, CF_ACC_BRIDGE));
}

static int interface_method_flags_good(const struct cf_class *cls, const struct cf_member *m) {
    if (cls->major_version < 52)
        return has(m, CF_ACC_PUBLIC) && has(m, CF_ACC_ABSTRACT) &&
               !has(m, CF_ACC_STATIC | CF_ACC_FINAL | CF_ACC_NATIVE);
    return has(m, CF_ACC_PUBLIC) != has(m, CF_ACC_PRIVATE) &&
           !has(m, CF_ACC_PROTECTED | CF_ACC_FINAL | CF_ACC_SYNCHRONIZED | CF_ACC_NATIVE) &&
           !(has(m, CF_ACC_ABSTRACT) && has(m, CF_ACC_PRIVATE | CF_ACC_STATIC));
}

// JVMS 4.6.
static int method_flags_good(const struct cf_class *cls, const struct cf_member *m, unsigned name) {
    if (name & CF_FACT_CLINIT) return cls->major_version < 51 || has(m, CF_ACC_STATIC);
    if (cls->access_flags & CF_ACC_INTERFACE) return interface_method_flags_good(cls, m);
    if (!has_one_visibility(m)) return 0;
    if (name & CF_FACT_INIT)
        return !has(m, CF_ACC_STATIC | CF_ACC_FINAL | CF_ACC_SYNCHRONIZED | CF_ACC_NATIVE |
                           CF_ACC_ABSTRACT);
    return !has(m, CF_ACC_ABSTRACT) ||
           !has(m, CF_ACC_FINAL | CF_ACC_NATIVE | CF_ACC_PRIVATE | CF_ACC_STATIC);
}

// --- members ---

static enum cf_status check_member_attributes(struct cf_checker *c, const struct cf_member *m,
                                              unsigned place) {
    c->member = m;
    c->r = cf_read(c->cls, m->offset + 8, m->end - m->offset - 8, c->error);
    CF_TRY(cf_check_attributes(c, place, m->attributes_count));
    c->member = NULL;
    return CF_OK;
}

static enum cf_status check_field(struct cf_checker *c, const struct cf_member *m) {
    if (!(cf_facts(c, m->name_index, CF_KNOWN_NAME)->flags & CF_FACT_UNQUALIFIED))
        return cf_reject(c, m->offset + 2, "constant %u is not a field's name", m->name_index);
    if (!(cf_facts(c, m->descriptor_index, CF_KNOWN_DESCRIPTOR)->flags & CF_FACT_FIELD))
        return cf_reject(c, m->offset + 4, "constant %u is not a field descriptor",
                         m->descriptor_index);
    if (!field_flags_good(c->cls, m))
        return cf_reject(c, m->offset, "field flags %u contradict each other", m->access_flags);
    return check_member_attributes(c, m, CF_IN_FIELD);
}

static enum cf_status check_method(struct cf_checker *c, const struct cf_member *m) {
    const struct cf_utf8_facts *name = cf_facts(c, m->name_index, CF_KNOWN_NAME);
    const struct cf_utf8_facts *descriptor = cf_facts(c, m->descriptor_index, CF_KNOWN_DESCRIPTOR);
    unsigned special = name->flags & (CF_FACT_INIT | CF_FACT_CLINIT);
    if (!(name->flags & CF_FACT_UNQUALIFIED) || ((name->flags & CF_FACT_ANGLE) && !special))
        return cf_reject(c, m->offset + 2, "constant %u is not a method's name", m->name_index);
    if (!(descriptor->flags & CF_FACT_METHOD) || (special && !(descriptor->flags & CF_FACT_VOID)))
        return cf_reject(c, m->offset + 4, "constant %u is not the descriptor of such a method",
                         m->descriptor_index);
    if (!has(m, CF_ACC_STATIC) && descriptor->slots > 254)
        return cf_reject(c, m->offset + 4, "method takes more than 255 slots", 0);
    if (!method_flags_good(c->cls, m, name->flags))
        return cf_reject(c, m->offset, "method flags %u contradict each other", m->access_flags);
    int bodiless = has(m, CF_ACC_ABSTRACT | CF_ACC_NATIVE) && !(name->flags & CF_FACT_CLINIT);
    if (bodiless && m->code)
        return cf_reject(c, m->code, "code in an abstract or native method", 0);
    if (!bodiless && !m->code) return cf_reject(c, m->offset, "method without code", 0);
    return check_member_attributes(c, m, CF_IN_METHOD);
}

static enum cf_status check_members(struct cf_checker *c) {
    struct cf_walk walk = cf_walk_fields(c->cls, c->error);
    struct cf_member field;
    while (cf_next_field(&walk, &field)) CF_TRY(check_field(c, &field));
    CF_TRY(c->error->status);
    for (uint32_t i = 0; i < c->cls->methods_count; i++)
        CF_TRY(check_method(c, &c->cls->methods[i]));
    return CF_OK;
}

// --- members of the same name and type ---

// Members differ by the texts of name and descriptor, not by their indexes.
static uint64_t member_key(struct cf_checker *c, const struct cf_member *m) {
    return cf_text_hash(c, m->name_index) * 31 + cf_text_hash(c, m->descriptor_index);
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static enum cf_status check_unique(struct cf_checker *c, uint64_t *keys, uint32_t count,
                                   uint32_t offset, const char *reason) {
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < count; i++)
        if (keys[i] == keys[i - 1]) return cf_reject(c, offset, reason, 0);
    return CF_OK;
}

static enum cf_status check_duplicates(struct cf_checker *c) {
    const struct cf_class *cls = c->cls;
    uint32_t n = cls->fields_count > cls->methods_count ? cls->fields_count : cls->methods_count;
    if (n < 2) return CF_OK;
    uint64_t *keys = cf_arena_alloc(cls->arena, n * sizeof *keys);
    if (!keys) return cf_fail(c->error, CF_NO_MEMORY, 0, "out of memory", 0);
    struct cf_walk walk = cf_walk_fields(cls, c->error);
    struct cf_member field;
    for (uint32_t i = 0; cf_next_field(&walk, &field); i++) keys[i] = member_key(c, &field);
    CF_TRY(
        check_unique(c, keys, cls->fields_count, cls->fields, "two fields of one name and type"));
    for (uint32_t i = 0; i < cls->methods_count; i++) keys[i] = member_key(c, &cls->methods[i]);
    return check_unique(c, keys, cls->methods_count,
                        cls->methods_count ? cls->methods[0].offset : 0,
                        "two methods of one name and type");
}

// --- the class ---

static enum cf_status check_header(struct cf_checker *c) {
    const struct cf_class *cls = c->cls;
    uint32_t at = cls->constant_pool_end;
    CF_TRY(cf_check_class_flags(c, at, cls->access_flags));
    if (cf_tag_at(cls, cls->this_class) != CF_TAG_CLASS ||
        (cf_class_facts(c, cls->this_class)->flags & CF_FACT_ARRAY))
        return cf_reject(c, at + 2, "this_class %u is not a class", cls->this_class);
    int is_root =
        (cls->access_flags & CF_ACC_MODULE) || CF_IS(cf_this_name(cls), "java/lang/Object");
    if (cls->super_class == 0 ? !is_root : cf_tag_at(cls, cls->super_class) != CF_TAG_CLASS)
        return cf_reject(c, at + 4, "super_class %u is not a class", cls->super_class);
    if (cf_class_facts(c, cls->super_class)->flags & CF_FACT_ARRAY)
        return cf_reject(c, at + 4, "super_class %u is an array", cls->super_class);
    if ((cls->access_flags & CF_ACC_INTERFACE) &&
        !CF_IS(cf_class_name(cls, cls->super_class), "java/lang/Object"))
        return cf_reject(c, at + 4, "super_class %u of an interface is not Object",
                         cls->super_class);
    c->r = cf_read(cls, cls->interfaces, 2u * cls->interfaces_count, c->error);
    for (uint32_t i = 0; i < cls->interfaces_count; i++) cf_check_index(c, CF_TAG_CLASS);
    return c->error->status;
}

// For the longest method, and used by all.
static enum cf_status make_room(struct cf_checker *c) {
    const struct cf_class *cls = c->cls;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        uint32_t code = cls->methods[i].code;
        if (!code || cls->methods[i].end - code < 14) continue;
        uint32_t length = cf_be4(cls->bytes + code + 10);
        if (length <= 65535 && length > longest) longest = length;
    }
    c->facts = cf_arena_zeroed(cls->arena, cls->constant_pool_count, sizeof *c->facts);
    c->marks = cf_arena_alloc(cls->arena, longest + 1);
    c->branches = cf_arena_alloc(cls->arena, (longest / 3 + 1) * sizeof *c->branches);
    if (!c->facts || !c->marks || !c->branches)
        return cf_fail(c->error, CF_NO_MEMORY, 0, "out of memory", 0);
    return CF_OK;
}

static enum cf_status check(const struct cf_class *cls, int strict, struct cf_error *error) {
    struct cf_checker c = {.cls = cls, .error = error, .strict = strict};
    CF_TRY(make_room(&c));
    c.bootstrap_methods_count = count_bootstrap_methods(&c);
    CF_TRY(cf_check_constants(&c));
    CF_TRY(check_header(&c));
    CF_TRY(check_members(&c));
    CF_TRY(check_duplicates(&c));
    c.r = cf_read(cls, cls->attributes, cls->length - cls->attributes, error);
    CF_TRY(cf_check_attributes(&c, CF_IN_CLASS, cls->attributes_count));
    return error->status;
}

enum cf_status cf_check_structure(const struct cf_class *cls, struct cf_error *error) {
    check(cls, 0, error); // what was found first may be a lack of memory that led to the rest
    return error->status;
}

enum cf_status cf_check_structure_strictly(const struct cf_class *cls, struct cf_error *error) {
    check(cls, 1, error);
    return error->status;
}
