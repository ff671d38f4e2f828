// The structure check: constants, names and descriptors (JVMS 4.2 to 4.4).

#include "classfile/base/mutf8.h"
#include "classfile/structure/internal.h"

// --- names and descriptors ---

enum { FORBIDDEN = 1, ANGLE = 2 }; // letters that matter in names: . ; [ / and < >

static const uint8_t letter_kinds[256] = {
    ['.'] = FORBIDDEN, [';'] = FORBIDDEN, ['['] = FORBIDDEN,
    ['/'] = FORBIDDEN, ['<'] = ANGLE,     ['>'] = ANGLE,
};

// JVMS 4.3.3. Changes nothing if the text is not a method descriptor.
static void method_facts(struct cf_slice s, struct cf_utf8_facts *facts) {
    unsigned slots, result;
    if (!cf_method_slots(s, &slots, &result) || !cf_descriptor_names_classes(s)) return;
    facts->slots = (uint8_t)slots;
    facts->flags |= (uint16_t)(result ? CF_FACT_METHOD : CF_FACT_METHOD | CF_FACT_VOID);
}

static unsigned name_flags(struct cf_slice s) {
    unsigned letters = 0;
    for (uint32_t i = 0; i < s.length; i++) letters |= letter_kinds[s.bytes[i]];
    if (s.length == 0 || (letters & FORBIDDEN)) return 0;
    if (!(letters & ANGLE)) return CF_FACT_UNQUALIFIED;
    unsigned flags = CF_FACT_UNQUALIFIED | CF_FACT_ANGLE;
    if (CF_IS(s, "<init>")) flags |= CF_FACT_INIT;
    if (CF_IS(s, "<clinit>")) flags |= CF_FACT_CLINIT;
    return flags;
}

static unsigned descriptor_flags(struct cf_slice s) {
    unsigned slots = cf_field_slots(s);
    if (!slots || !cf_descriptor_names_classes(s)) return 0;
    return slots == 2 ? CF_FACT_FIELD | CF_FACT_TWO_SLOTS : CF_FACT_FIELD;
}

static unsigned class_flags(struct cf_slice s, struct cf_utf8_facts *facts) {
    if (!cf_is_class_name(s)) return 0;
    while (s.bytes[facts->dimensions] == '[') facts->dimensions++;
    return facts->dimensions ? CF_FACT_CLASS_NAME | CF_FACT_ARRAY : CF_FACT_CLASS_NAME;
}

const struct cf_utf8_facts *cf_find_facts(struct cf_checker *c, unsigned index, unsigned known) {
    static const struct cf_utf8_facts none = {0};
    struct cf_slice s = cf_utf8(c->cls, index);
    if (!s.bytes) return &none;
    struct cf_utf8_facts *facts = &c->facts[index];
    if (facts->flags & known) return facts;
    unsigned flags = known;
    if (known == CF_KNOWN_NAME)
        flags |= name_flags(s);
    else if (known == CF_KNOWN_CLASS)
        flags |= class_flags(s, facts);
    else if (s.length && s.bytes[0] == '(')
        method_facts(s, facts);
    else
        flags |= descriptor_flags(s);
    facts->flags |= (uint16_t)flags;
    return facts;
}

static uint64_t mix(uint64_t h, uint64_t bits) {
    h = (h ^ bits) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static uint64_t hash(struct cf_slice s) {
    uint64_t h = mix(s.length, 0), bits;
    uint32_t i = 0;
    for (; i + 8 <= s.length; i += 8) {
        memcpy(&bits, s.bytes + i, 8);
        h = mix(h, bits);
    }
    bits = 0;
    if (i < s.length) memcpy(&bits, s.bytes + i, s.length - i);
    return mix(h, bits);
}

uint64_t cf_text_hash(struct cf_checker *c, unsigned index) {
    struct cf_slice s = cf_utf8(c->cls, index);
    if (!s.bytes) return 0;
    struct cf_utf8_facts *facts = &c->facts[index];
    if (!(facts->flags & CF_KNOWN_HASH)) {
        facts->hash = hash(s);
        facts->flags |= CF_KNOWN_HASH;
    }
    return facts->hash;
}

void cf_reference_facts(struct cf_checker *c, unsigned index, const struct cf_utf8_facts **name,
                        const struct cf_utf8_facts **descriptor) {
    unsigned tag = cf_tag_at(c->cls, index);
    const uint8_t *p = tag ? cf_entry(c->cls, index, tag) : NULL;
    if (p && tag != CF_TAG_NAME_AND_TYPE) p = cf_entry(c->cls, cf_be2(p + 2), CF_TAG_NAME_AND_TYPE);
    *name = cf_facts(c, p ? cf_be2(p) : 0, CF_KNOWN_NAME);
    *descriptor = cf_facts(c, p ? cf_be2(p + 2) : 0, CF_KNOWN_DESCRIPTOR);
}

const struct cf_utf8_facts *cf_class_facts(struct cf_checker *c, unsigned index) {
    const uint8_t *p = cf_entry(c->cls, index, CF_TAG_CLASS);
    return cf_facts(c, p ? cf_be2(p) : 0, CF_KNOWN_CLASS);
}

// --- indexes ---

static const char *const not_a[] = {
    [CF_TAG_UTF8] = "constant %u is not a Utf8",
    [CF_TAG_INTEGER] = "constant %u is not an Integer",
    [CF_TAG_FLOAT] = "constant %u is not a Float",
    [CF_TAG_LONG] = "constant %u is not a Long",
    [CF_TAG_DOUBLE] = "constant %u is not a Double",
    [CF_TAG_CLASS] = "constant %u is not a Class",
    [CF_TAG_FIELDREF] = "constant %u is not a Fieldref",
    [CF_TAG_METHODREF] = "constant %u is not a Methodref",
    [CF_TAG_INTERFACE_METHODREF] = "constant %u is not an InterfaceMethodref",
    [CF_TAG_NAME_AND_TYPE] = "constant %u is not a NameAndType",
    [CF_TAG_METHOD_HANDLE] = "constant %u is not a MethodHandle",
    [CF_TAG_INVOKE_DYNAMIC] = "constant %u is not an InvokeDynamic",
    [CF_TAG_MODULE] = "constant %u is not a Module",
    [CF_TAG_PACKAGE] = "constant %u is not a Package",
};

enum cf_status cf_expect(struct cf_checker *c, uint32_t offset, unsigned index, unsigned tag) {
    if (cf_tag_at(c->cls, index) == tag) return CF_OK;
    return cf_reject(c, offset, not_a[tag], index);
}

unsigned cf_check_index(struct cf_checker *c, unsigned tag) {
    uint32_t offset = c->r.pos;
    unsigned index = cf_u2(&c->r);
    cf_expect(c, offset, index, tag); // after a truncated read the first error is kept
    return index;
}

unsigned cf_check_optional_index(struct cf_checker *c, unsigned tag) {
    uint32_t offset = c->r.pos;
    unsigned index = cf_u2(&c->r);
    if (index) cf_expect(c, offset, index, tag);
    return index;
}

unsigned cf_check_descriptor_index(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    unsigned index = cf_check_index(c, CF_TAG_UTF8);
    if (c->error->status == CF_OK &&
        !(cf_facts(c, index, CF_KNOWN_DESCRIPTOR)->flags & CF_FACT_FIELD))
        cf_reject(c, offset, "constant %u is not a field descriptor", index);
    return index;
}

int cf_is_loadable(struct cf_checker *c, unsigned index) {
    static const uint8_t since[256] = {
        [CF_TAG_INTEGER] = 1,        [CF_TAG_FLOAT] = 1,        [CF_TAG_LONG] = 1,
        [CF_TAG_DOUBLE] = 1,         [CF_TAG_STRING] = 1,       [CF_TAG_CLASS] = 49,
        [CF_TAG_METHOD_HANDLE] = 51, [CF_TAG_METHOD_TYPE] = 51, [CF_TAG_DYNAMIC] = 55,
    };
    unsigned tag = cf_tag_at(c->cls, index);
    return since[tag] && c->cls->major_version >= since[tag];
}

// --- constants ---

// Nearly all texts are ASCII without NUL: eight letters at a time.
#define ONES 0x0101010101010101u // a one in each of eight letters
#define TOPS 0x8080808080808080u
static int is_plain(struct cf_slice s) {
    uint64_t eight, odd = 0;
    uint32_t i = 0;
    if (s.length < 8) {
        for (; i < s.length; i++) odd |= (uint64_t)(s.bytes[i] - 1u) | s.bytes[i];
        return (odd & 0x80) == 0;
    }
    for (; i < s.length; i += 8) {
        if (i + 8 > s.length) i = s.length - 8; // the last eight, some of them again
        memcpy(&eight, s.bytes + i, 8);
        odd |= eight | (eight - ONES); // a top bit is set, if only by the borrow of a NUL
    }
    return (odd & TOPS) == 0;
}

static enum cf_status check_utf8(struct cf_checker *c, uint32_t offset) {
    struct cf_slice s = {c->cls->bytes + offset + 3, cf_be2(c->cls->bytes + offset + 1)};
    if (is_plain(s)) return CF_OK;
    uint32_t good = cf_mutf8_check(s.bytes, s.length, c->cls->major_version < 48);
    if (good == s.length) return CF_OK;
    return cf_reject(c, offset + 3 + good, "Utf8 is not modified UTF-8: byte %u", s.bytes[good]);
}

static enum cf_status check_class(struct cf_checker *c, uint32_t offset, unsigned name_index) {
    CF_TRY(cf_expect(c, offset, name_index, CF_TAG_UTF8));
    if (!(cf_facts(c, name_index, CF_KNOWN_CLASS)->flags & CF_FACT_CLASS_NAME))
        return cf_reject(c, offset, "constant %u is not the name of a class", name_index);
    return CF_OK;
}

static enum cf_status check_name_and_type(struct cf_checker *c, uint32_t offset,
                                          unsigned name_index, unsigned descriptor_index) {
    CF_TRY(cf_expect(c, offset, name_index, CF_TAG_UTF8));
    CF_TRY(cf_expect(c, offset, descriptor_index, CF_TAG_UTF8));
    unsigned name = cf_facts(c, name_index, CF_KNOWN_NAME)->flags;
    unsigned descriptor = cf_facts(c, descriptor_index, CF_KNOWN_DESCRIPTOR)->flags;
    if (!(descriptor & (CF_FACT_FIELD | CF_FACT_METHOD)))
        return cf_reject(c, offset, "constant %u is not a descriptor", descriptor_index);
    int special = (name & (CF_FACT_INIT | CF_FACT_CLINIT)) != 0;
    int named = (descriptor & CF_FACT_METHOD) && (name & CF_FACT_ANGLE)
                    ? special
                    : (name & CF_FACT_UNQUALIFIED) != 0;
    if (!named) return cf_reject(c, offset, "constant %u is not an unqualified name", name_index);
    return CF_OK;
}

// A reference, or a dynamically computed constant or call site: the NameAndType at `index` is of a
// field or of a method. Its own two indexes are checked with it.
static enum cf_status check_typed(struct cf_checker *c, uint32_t offset, unsigned index,
                                  unsigned kind) {
    CF_TRY(cf_expect(c, offset, index, CF_TAG_NAME_AND_TYPE));
    const struct cf_utf8_facts *name, *descriptor;
    cf_reference_facts(c, index, &name, &descriptor);
    if (!(descriptor->flags & kind))
        return cf_reject(c, offset,
                         kind == CF_FACT_FIELD ? "NameAndType %u is not that of a field"
                                               : "NameAndType %u is not that of a method",
                         index);
    return CF_OK;
}

static enum cf_status check_reference(struct cf_checker *c, uint32_t offset, unsigned tag) {
    const uint8_t *p = c->cls->bytes + offset + 1;
    CF_TRY(cf_expect(c, offset, cf_be2(p), CF_TAG_CLASS));
    unsigned kind = tag == CF_TAG_FIELDREF ? CF_FACT_FIELD : CF_FACT_METHOD;
    CF_TRY(check_typed(c, offset, cf_be2(p + 2), kind));
    const struct cf_utf8_facts *name, *descriptor;
    cf_reference_facts(c, cf_be2(p + 2), &name, &descriptor);
    if (tag != CF_TAG_METHODREF || !(name->flags & CF_FACT_ANGLE)) return CF_OK;
    if (!(name->flags & CF_FACT_INIT) || !(descriptor->flags & CF_FACT_VOID))
        return cf_reject(c, offset, "Methodref to a method that cannot be called", 0);
    return CF_OK;
}

// JVMS 4.4.8, table 5.4.3.5-A for the kinds.
static enum cf_status check_method_handle(struct cf_checker *c, uint32_t offset) {
    const uint8_t *p = c->cls->bytes + offset + 1;
    unsigned kind = p[0], index = cf_be2(p + 1), tag = cf_tag_at(c->cls, index);
    if (kind < 1 || kind > 9) return cf_reject(c, offset, "method handle of kind %u", kind);
    if (kind <= 4) return cf_expect(c, offset, index, CF_TAG_FIELDREF);
    if (kind == 9) CF_TRY(cf_expect(c, offset, index, CF_TAG_INTERFACE_METHODREF));
    int either = (kind == 6 || kind == 7) && c->cls->major_version >= 52;
    if (kind != 9 && !(either && tag == CF_TAG_INTERFACE_METHODREF))
        CF_TRY(cf_expect(c, offset, index, CF_TAG_METHODREF));
    const struct cf_utf8_facts *name, *descriptor;
    cf_reference_facts(c, index, &name, &descriptor);
    if (((name->flags & CF_FACT_INIT) != 0) != (kind == 8) || (name->flags & CF_FACT_CLINIT))
        return cf_reject(c, offset, "method handle of kind %u to a method of this name", kind);
    return CF_OK;
}

static enum cf_status check_dynamic(struct cf_checker *c, uint32_t offset, unsigned tag) {
    const uint8_t *p = c->cls->bytes + offset + 1;
    if (cf_be2(p) >= c->bootstrap_methods_count)
        return cf_reject(c, offset, "there is no bootstrap method %u", cf_be2(p));
    return check_typed(c, offset, cf_be2(p + 2),
                       tag == CF_TAG_DYNAMIC ? CF_FACT_FIELD : CF_FACT_METHOD);
}

// The class file version that brought a tag (JVMS table 4.4-B), where it was not the first.
static const uint8_t tag_since[256] = {
    [CF_TAG_METHOD_HANDLE] = 51, [CF_TAG_METHOD_TYPE] = 51, [CF_TAG_INVOKE_DYNAMIC] = 51,
    [CF_TAG_DYNAMIC] = 55,       [CF_TAG_MODULE] = 53,      [CF_TAG_PACKAGE] = 53,
};

static enum cf_status check_constant(struct cf_checker *c, uint32_t offset) {
    const uint8_t *p = c->cls->bytes + offset + 1;
    unsigned tag = p[-1];
    if (c->cls->major_version < tag_since[tag])
        return cf_reject(c, offset, "tag %u in a class of an older version", tag);
    switch (tag) {
    case CF_TAG_CLASS: return check_class(c, offset, cf_be2(p));
    case CF_TAG_STRING: return cf_expect(c, offset, cf_be2(p), CF_TAG_UTF8);
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF: return check_reference(c, offset, tag);
    case CF_TAG_NAME_AND_TYPE: return check_name_and_type(c, offset, cf_be2(p), cf_be2(p + 2));
    case CF_TAG_METHOD_HANDLE: return check_method_handle(c, offset);
    case CF_TAG_METHOD_TYPE:
        CF_TRY(cf_expect(c, offset, cf_be2(p), CF_TAG_UTF8));
        if (cf_facts(c, cf_be2(p), CF_KNOWN_DESCRIPTOR)->flags & CF_FACT_METHOD) return CF_OK;
        return cf_reject(c, offset, "constant %u is not a method descriptor", cf_be2(p));
    case CF_TAG_DYNAMIC:
    case CF_TAG_INVOKE_DYNAMIC: return check_dynamic(c, offset, tag);
    case CF_TAG_MODULE:
    case CF_TAG_PACKAGE:
        if (!(c->cls->access_flags & CF_ACC_MODULE))
            return cf_reject(c, offset, "tag %u in a class that is not a module", tag);
        return cf_expect(c, offset, cf_be2(p), CF_TAG_UTF8);
    default: return CF_OK;
    }
}

enum cf_status cf_check_constants(struct cf_checker *c) {
    const struct cf_class *cls = c->cls;
    const uint32_t *pool = cls->constant_pool;
    // Texts first: everything else is judged by them.
    for (unsigned i = 1; i < cls->constant_pool_count; i++)
        if (pool[i] && cls->bytes[pool[i]] == CF_TAG_UTF8) CF_TRY(check_utf8(c, pool[i]));
    for (unsigned i = 1; i < cls->constant_pool_count; i++)
        if (pool[i] && cls->bytes[pool[i]] != CF_TAG_UTF8) CF_TRY(check_constant(c, pool[i]));
    return c->error->status;
}
