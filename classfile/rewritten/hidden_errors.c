// The search for indexes of added constants, and for parameters without locals.

#include "classfile/rewritten/hidden_errors.h"

#include "classfile/code.h"

struct search {
    const struct cf_class *cls;
    uint32_t first, count; // the added constants
    struct cf_error error;
};

static inline uint32_t is_added(const struct search *s, uint32_t index) {
    return index - s->first < s->count;
}

// Any two bytes that would be such an index. Without a branch in the loop, for it to be done
// several bytes at a time.
static uint32_t anywhere(const struct search *s, uint32_t start, uint32_t length) {
    const uint8_t *p = s->cls->bytes + start;
    uint16_t first = (uint16_t)s->first, count = (uint16_t)s->count, found = 0;
    for (uint32_t i = 1; i < length; i++) {
        uint16_t index = (uint16_t)(p[i - 1] << 8 | p[i]);
        found |= (uint16_t)((uint16_t)(index - first) < count);
    }
    return found;
}

// ldc has an index of one byte.
static uint32_t in_ldc(const struct search *s, uint32_t start, uint32_t length) {
    const uint8_t *p = s->cls->bytes + start;
    uint32_t found = 0;
    if (s->first > 255) return 0;
    for (uint32_t i = 1; i < length; i++)
        found |= (uint32_t)(p[i - 1] == CF_OP_ldc) & (uint32_t)is_added(s, p[i]);
    return found;
}

// The same where nothing but such indexes and other numbers of two bytes stands, one after the
// other.
static uint32_t in_pairs(const struct search *s, uint32_t start, uint32_t length) {
    const uint8_t *p = s->cls->bytes + start;
    uint32_t found = 0;
    for (uint32_t i = 1; i < length; i += 2) found |= is_added(s, cf_be2(p + i - 1));
    return found;
}

// LocalVariableTable and LocalVariableTypeTable: names, descriptors, and variables beyond
// max_locals.
static uint32_t in_variables(const struct search *s, uint32_t start, uint32_t length,
                             uint32_t max_locals) {
    const struct cf_class *cls = s->cls;
    const uint8_t *entry = cls->bytes + start, *end = entry + length;
    uint32_t found = 0;
    for (; end - entry >= 10; entry += 10) {
        uint32_t descriptor = cf_be2(entry + 6), last = cf_be2(entry + 8);
        found |= is_added(s, cf_be2(entry + 4)) | is_added(s, descriptor);
        if (last + 1 == max_locals) { // room for one slot
            struct cf_slice type = cf_utf8(cls, descriptor);
            last += type.length == 1 && (*type.bytes == 'J' || *type.bytes == 'D');
        }
        found |= last >= max_locals;
    }
    return found;
}

// References of each kind of entry, in bytes from the tag, and the bits of what is there that count:
// without a reference none, which gives 0, the index of no added constant.
static const struct {
    uint16_t at, bits, second_at, second_bits;
} references[256] = {
#define ONE(tag, at) [CF_TAG_##tag] = {at, 0xFFFF, 0, 0}
#define TWO(tag) [CF_TAG_##tag] = {1, 0xFFFF, 3, 0xFFFF}
    ONE(CLASS, 1),          ONE(STRING, 1),      TWO(FIELDREF),         TWO(METHODREF),
    TWO(NAME_AND_TYPE),     ONE(METHOD_TYPE, 1), ONE(METHOD_HANDLE, 2), ONE(DYNAMIC, 3),
    ONE(INVOKE_DYNAMIC, 3), ONE(MODULE, 1),      ONE(PACKAGE, 1),       TWO(INTERFACE_METHODREF),
#undef ONE
#undef TWO
};

// Without a branch in the loop: which entry comes next cannot be foreseen.
static uint32_t in_pool(const struct search *s) {
    const struct cf_class *cls = s->cls;
    uint32_t found = 0;
    for (uint32_t i = 1; i < cls->constant_pool_count; i++) {
        const uint8_t *entry = cls->bytes + cls->constant_pool[i]; // of a gap: the magic, no tag
        unsigned tag = entry[0];
        found |=
            is_added(s, cf_be2(entry + references[tag].at) & references[tag].bits) |
            is_added(s, cf_be2(entry + references[tag].second_at) & references[tag].second_bits);
    }
    return found;
}

static uint32_t in_attribute(const struct search *s, uint32_t name, uint32_t info, uint32_t length,
                             uint32_t max_locals) {
    const struct cf_class *cls = s->cls;
    if (length < 2) return 0;
    if (name == cls->utf8_line_number_table) return 0; // lines and pcs
    if (name == cls->utf8_local_variable_table || name == cls->utf8_local_variable_type_table)
        return in_variables(s, info + 2, length - 2, max_locals);
    if (!anywhere(s, info, length)) return 0;
    // Of two neighbours' halves an index is made easily: a closer look where all is in twos.
    static const char *const in_twos[] = {"InnerClasses", "Exceptions", "BootstrapMethods",
                                          "NestMembers", "PermittedSubclasses"};
    struct cf_slice text = cf_utf8(cls, name);
    for (unsigned i = 0; i < sizeof in_twos / sizeof *in_twos; i++)
        if (cf_slice_is(text, in_twos[i], strlen(in_twos[i]))) return in_pairs(s, info, length);
    // A count of one byte in front.
    return CF_IS(text, "MethodParameters") ? in_pairs(s, info + 1, length - 1) : 1;
}

// But for the one whose info is at `skipped`.
static uint32_t in_attributes(struct search *s, uint32_t start, uint32_t count, uint32_t end,
                              uint32_t max_locals, uint32_t skipped) {
    const uint8_t *bytes = s->cls->bytes;
    uint32_t found = 0, pos = start;
    for (uint32_t i = 0; i < count; i++) {
        if (end - pos < 6) return 1;
        uint32_t name = cf_be2(bytes + pos), length = cf_be4(bytes + pos + 2);
        pos += 6;
        if (end - pos < length) return 1;
        found |= is_added(s, name);
        if (pos != skipped) found |= in_attribute(s, name, pos, length, max_locals);
        pos += length;
    }
    return found;
}

// Slots, with `this`; 65,536 when the descriptor is malformed.
static uint32_t parameters_of(const struct cf_class *cls, const struct cf_member *method) {
    unsigned parameters, result;
    if (!cf_method_slots(cf_member_descriptor(cls, method), &parameters, &result)) return 65536;
    return parameters + !(method->access_flags & CF_ACC_STATIC);
}

static uint32_t in_code(struct search *s, const struct cf_member *method,
                        const struct cf_new_code *changed) {
    struct cf_code opened;
    const struct cf_code *code = changed->length ? &changed->edit->code : &opened;
    if (!changed->length && cf_code_open(&opened, s->cls, method, &s->error) != CF_OK) return 1;
    uint32_t found = 0;
    if (!changed->length)
        found = anywhere(s, code->offset, code->length) | in_ldc(s, code->offset, code->length);
    for (uint32_t i = 0; i < code->exception_table_length; i++)
        found |= is_added(s, cf_exception_at(code, i).catch_type);
    found |= code->max_locals < parameters_of(s->cls, method);
    // The frames of changed code were moved, and checked on the way.
    return found | in_attributes(s, code->attributes, code->attributes_count, code->end,
                                 code->max_locals, changed->length ? code->stack_map_table : 0);
}

static uint32_t in_members(struct search *s, const struct cf_rewrite *rewrite) {
    const struct cf_class *cls = s->cls;
    uint32_t found = 0;
    struct cf_walk walk = cf_walk_fields(cls, &s->error);
    struct cf_member field;
    while (cf_next_field(&walk, &field)) {
        found |= is_added(s, field.name_index) | is_added(s, field.descriptor_index);
        found |= in_attributes(s, field.offset + 8, field.attributes_count, field.end, 0, 0);
    }
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        found |= is_added(s, method->name_index) | is_added(s, method->descriptor_index);
        found |= in_attributes(s, method->offset + 8, method->attributes_count, method->end, 0,
                               method->code + 6);
        if (method->code) found |= in_code(s, method, &rewrite->code[i]);
    }
    return found;
}

// Does an added CONSTANT_Class have a name that no class can have? Frames name classes by the
// descriptors of methods. A JVM that checks constants first would report the class, not the method.
static uint32_t names_no_class(const struct cf_rewrite *rewrite) {
    const struct cf_pool *pool = &rewrite->pool;
    uint32_t found = 0;
    for (uint32_t i = pool->first; i < pool->count; i++) {
        const uint8_t *entry = cf_pool_entry(pool, i);
        if (entry && entry[0] == CF_TAG_CLASS)
            found |= !cf_is_class_name(cf_pool_utf8(pool, cf_be2(entry + 1)));
    }
    return found;
}

int cf_may_hide_errors(const struct cf_rewrite *rewrite) {
    const struct cf_class *cls = rewrite->cls;
    struct search s = {
        cls, rewrite->pool.first, rewrite->pool.count - rewrite->pool.first, {.status = CF_OK}};
    if (s.count == 0) return 0;
    uint32_t found = is_added(&s, cls->this_class) | is_added(&s, cls->super_class);
    for (uint32_t i = 0; i < cls->interfaces_count; i++)
        found |= is_added(&s, cf_be2(cls->bytes + cls->interfaces + 2 * i));
    found |= in_pool(&s) | in_members(&s, rewrite) | names_no_class(rewrite);
    found |= in_attributes(&s, cls->attributes, cls->attributes_count, cls->length, 0, 0);
    return found != 0;
}
