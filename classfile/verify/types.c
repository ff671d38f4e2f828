// The verifier's types: found once for each constant, and which of them is assignable to which
// (JVMS 4.10.1.2), as far as one class can tell.

#include "classfile/verify/internal.h"

// --- known classes ---

static const struct {
    const char *name;
    uint32_t length;
} jdk[] = {
#define JDK_CLASS(known, name) [CF_KNOWN_##known] = {name, sizeof(name) - 1},
    CF_JDK_CLASSES(JDK_CLASS)
#undef JDK_CLASS
};
enum { JDK_CLASSES = sizeof jdk / sizeof *jdk };
#define JDK_LENGTHS (1u << 15 | 1u << 16 | 1u << 19 | 1u << 20 | 1u << 27 | 1u << 29)

// Names of one length mostly differ at their end.
static inline int is_same(struct cf_slice a, struct cf_slice b) {
    return a.length == b.length && a.length && a.bytes[a.length - 1] == b.bytes[a.length - 1] &&
           memcmp(a.bytes, b.bytes, a.length) == 0;
}

// enum cf_known of the class or interface; this class's own names come last.
static unsigned known_as(const struct cf_verifier *v, struct cf_slice name) {
    if (name.length < 32 && (JDK_LENGTHS >> name.length & 1))
        for (unsigned k = 1; k < JDK_CLASSES; k++)
            if (cf_slice_is(name, jdk[k].name, jdk[k].length)) return k;
    if (is_same(name, v->this_name)) return CF_KNOWN_THIS;
    return is_same(name, v->super_name) ? CF_KNOWN_SUPER : CF_KNOWN_NOTHING;
}

// What the class says of itself is added to what is known of the JDK's.
static void learn_this_class(struct cf_verifier *v) {
    const struct cf_class *cls = v->cls;
    for (unsigned k = CF_KNOWN_STRING; k < JDK_CLASSES; k++) v->known_super[k] = CF_KNOWN_OBJECT;
    v->known_final = 1 << CF_KNOWN_STRING | 1 << CF_KNOWN_CLASS_CLASS | 1 << CF_KNOWN_METHOD_TYPE;
    v->known_classes = (uint16_t)(v->known_final | 1 << CF_KNOWN_OBJECT | 1 << CF_KNOWN_THROWABLE |
                                  1 << CF_KNOWN_METHOD_HANDLE | 1 << CF_KNOWN_SUPER);
    v->this_name = cf_this_name(cls);
    v->super_name = cf_class_name(cls, cls->super_class);
    struct cf_slice n = v->this_name;
    v->in_java_lang = n.length > 10 && memcmp(n.bytes, "java/lang/", 10) == 0 &&
                      !memchr(n.bytes + 10, '/', n.length - 10);
    if (known_as(v, v->this_name) != CF_KNOWN_THIS) return; // of the JDK: known better
    unsigned super = known_as(v, v->super_name);
    v->known_super[CF_KNOWN_THIS] = (uint8_t)(super == CF_KNOWN_THIS ? 0 : super);
    if (cls->access_flags & CF_ACC_INTERFACE) return;
    v->known_classes |= 1 << CF_KNOWN_THIS;
    if (cls->access_flags & CF_ACC_FINAL) v->known_final |= 1 << CF_KNOWN_THIS;
}

// --- descriptors ---

static const uint8_t tag_of_letter[256] = {
    ['Z'] = CF_V_INT, ['B'] = CF_V_INT,  ['C'] = CF_V_INT,   ['S'] = CF_V_INT,
    ['I'] = CF_V_INT, ['J'] = CF_V_LONG, ['F'] = CF_V_FLOAT, ['D'] = CF_V_DOUBLE,
};

#define ENDS_WITH_SEMICOLON (UINT64_C(1) << 60)

static inline uint64_t name_at(const struct cf_verifier *v, const uint8_t *name) {
    return (uint64_t)(name - v->cls->bytes) << 32;
}

// The field type at `p`. Returns where it ends; NULL: it is none.
static const uint8_t *read_type(const struct cf_verifier *v, const uint8_t *p, const uint8_t *end,
                                cf_vtype *type) {
    const uint8_t *after = p < end ? cf_after_type(p, end) : NULL;
    uint32_t dimensions = 0;
    uint64_t name = 0;
    if (!after) return NULL;
    for (; *p == '['; p++) dimensions++;
    unsigned element = *p++;
    *type = tag_of_letter[element];
    if (element == 'L') {
        element = known_as(v, (struct cf_slice){p, (uint32_t)(after - p) - 1});
        name = name_at(v, p) | ENDS_WITH_SEMICOLON;
        *type = cf_v_known_class(element) | name;
    }
    if (dimensions) *type = CF_V_ARRAY_OF(dimensions, element) | name;
    return after;
}

static cf_vtype bad_descriptor(struct cf_verifier *v) {
    cf_v_give_up(v, CF_MALFORMED, "malformed descriptor");
    return CF_V_TOP;
}

static cf_vtype field_type(struct cf_verifier *v, struct cf_slice d) {
    cf_vtype type;
    if (!d.length) return bad_descriptor(v);
    const uint8_t *end = d.bytes + d.length;
    return read_type(v, d.bytes, end, &type) == end ? type : bad_descriptor(v);
}

#define MOST_SLOTS 255 // of a descriptor's arguments (JVMS 4.3.3)

// The slots of the arguments, then two of the result. Returns where the result begins in `types`,
// *end: where it ends; NULL: malformed.
static cf_vtype *read_method(const struct cf_verifier *v, struct cf_slice d, cf_vtype *types,
                             cf_vtype **end) {
    cf_vtype type, *out = types;
    if (d.length < 3 || *d.bytes != '(') return NULL;
    const uint8_t *p = d.bytes + 1, *last = d.bytes + d.length;
    while (p < last && *p != ')') {
        type = tag_of_letter[*p]; // 0: of a class or an array
        if (!(p = type ? p + 1 : read_type(v, p, last, &type))) return NULL;
        out = cf_v_put(out, type);
        if (out - types > MOST_SLOTS) return NULL;
    }
    if (last - p < 2) return NULL;
    out[0] = out[1] = CF_V_TOP;
    *end = out;
    if (p[1] == 'V') return p + 2 == last ? out : NULL;
    if (read_type(v, p + 1, last, &type) != last) return NULL;
    *end = cf_v_put(out, type);
    return out;
}

static struct cf_vmember *new_member(struct cf_verifier *v, uint32_t arguments, uint32_t results) {
    size_t size = sizeof(struct cf_vmember) + (arguments + 3) * sizeof(cf_vtype);
    struct cf_vmember *m = cf_arena_alloc(v->cls->arena, size);
    if (!m) return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), NULL;
    *m = (struct cf_vmember){.arguments = arguments, .results = (uint8_t)results};
    return m;
}

static struct cf_vmember *new_method(struct cf_verifier *v, const cf_vtype *types,
                                     uint32_t arguments, uint32_t results) {
    struct cf_vmember *m = new_member(v, arguments, results);
    for (uint32_t i = 0; m && i < arguments + 2; i++) m->types[1 + i] = types[i];
    return m;
}

const struct cf_vmember *cf_v_signature(struct cf_verifier *v, uint32_t index) {
    cf_vtype types[MOST_SLOTS + 6], *end;
    struct cf_slice d = cf_utf8(v->cls, index);
    if (d.bytes && v->memo[index]) return cf_v_member(v, index);
    cf_vtype *result = read_method(v, d, types, &end);
    if (!result) return bad_descriptor(v), NULL;
    struct cf_vmember *s =
        new_method(v, types, (uint32_t)(result - types), (uint32_t)(end - result));
    if (s) v->memo[index] = (uintptr_t)s + CF_V_IS_MEMBER;
    return s;
}

// --- constants ---

cf_vtype cf_v_find_class(struct cf_verifier *v, uint32_t index) {
    struct cf_slice name = cf_class_name(v->cls, index);
    cf_vtype type;
    if (!name.length) {
        cf_v_fail(v, "constant %u is not of the kind that the instruction takes", index);
        return CF_V_TOP;
    }
    if (*name.bytes != '[')
        type = cf_v_known_class(known_as(v, name)) | name_at(v, name.bytes);
    else if (!(type = field_type(v, name)))
        return CF_V_TOP;
    v->memo[index] = type << 3 | CF_V_IS_TYPE;
    return type;
}

cf_vtype cf_v_dynamic(struct cf_verifier *v, uint32_t index) {
    struct cf_slice class_name, name, d;
    cf_vtype type;
    if ((v->memo[index] & CF_V_KINDS) == CF_V_IS_TYPE) return v->memo[index] >> 3;
    if (!cf_reference(v->cls, index, &class_name, &name, &d) || !d.length) {
        cf_v_give_up(v, CF_MALFORMED, "malformed reference");
        return CF_V_TOP;
    }
    if (!read_type(v, d.bytes, d.bytes + d.length, &type)) return bad_descriptor(v);
    v->memo[index] = type << 3 | CF_V_IS_TYPE;
    return type;
}

enum {
    OF_OBJECTS = CF_V_BIT(CF_OP_getfield) | CF_V_BIT(CF_OP_putfield),
    OF_CLASSES = CF_V_BIT(CF_OP_getstatic) | CF_V_BIT(CF_OP_putstatic),
    SPECIAL = CF_V_BIT(CF_OP_invokespecial),
    DIRECT = SPECIAL | CF_V_BIT(CF_OP_invokestatic),
    SIMPLE = CF_V_BIT(CF_OP_getfield) | OF_CLASSES | CF_V_BIT(CF_OP_invokestatic) |
             CF_V_BIT(CF_OP_invokevirtual)
};

static unsigned instructions_of(const struct cf_verifier *v, unsigned tag, cf_vtype class_type,
                                struct cf_slice name, uint32_t results) {
    if (tag == CF_TAG_FIELDREF)
        return CF_V_IS_CLASS(class_type) ? OF_OBJECTS | OF_CLASSES : OF_CLASSES;
    if (*name.bytes == '<' && (!CF_IS(name, "<init>") || results)) return 0;
    if (tag == CF_TAG_INVOKE_DYNAMIC) return *name.bytes == '<' ? 0 : CF_V_BIT(CF_OP_invokedynamic);
    unsigned ops = tag == CF_TAG_METHODREF || v->cls->major_version >= 52 ? DIRECT : 0;
    if (*name.bytes == '<') return ops & SPECIAL;
    return ops | CF_V_BIT(tag == CF_TAG_METHODREF ? CF_OP_invokevirtual : CF_OP_invokeinterface);
}

static unsigned protected_in_object(struct cf_slice name, struct cf_slice descriptor) {
    if (CF_IS(name, "clone")) return CF_IS(descriptor, "()Ljava/lang/Object;") ? 1 : 0;
    return CF_IS(name, "finalize") && CF_IS(descriptor, "()V") ? 2 : 0;
}

static struct cf_vmember *new_field(struct cf_verifier *v, uint32_t descriptor_index) {
    cf_vtype types[2], type = field_type(v, cf_utf8(v->cls, descriptor_index));
    if (!type) return NULL;
    uint32_t slots = (uint32_t)(cf_v_put(types, type) - types);
    struct cf_vmember *m = new_member(v, slots, slots);
    if (m) cf_v_put(cf_v_put(m->types + 1, type), type);
    return m;
}

const struct cf_vmember *cf_v_find_member(struct cf_verifier *v, uint32_t index) {
    const struct cf_class *cls = v->cls;
    const uint8_t *p = cls->bytes + cls->constant_pool[index] + 1;
    const uint8_t *pair = cf_entry(cls, cf_be2(p + 2), CF_TAG_NAME_AND_TYPE);
    struct cf_slice name = cf_utf8(cls, pair ? cf_be2(pair) : 0);
    cf_vtype class_type = CF_V_TOP;
    unsigned tag = p[-1];
    if (!name.length) return cf_v_give_up(v, CF_MALFORMED, "malformed reference"), NULL;
    if (tag != CF_TAG_INVOKE_DYNAMIC && !(class_type = cf_v_class(v, cf_be2(p)))) return NULL;
    const struct cf_vmember *s = NULL;
    struct cf_vmember *m = NULL;
    if (tag == CF_TAG_FIELDREF)
        m = new_field(v, cf_be2(pair + 2));
    else if ((s = cf_v_signature(v, cf_be2(pair + 2))))
        m = new_method(v, s->types + 1, s->arguments, s->results);
    if (!m) return NULL;
    m->types[0] = class_type;
    m->instructions = (uint16_t)instructions_of(v, tag, class_type, name, m->results);
    m->index = (uint16_t)index;
    m->class_index = cf_be2(p);
    m->name_index = cf_be2(pair);
    m->descriptor_index = cf_be2(pair + 2);
    m->tag = (uint8_t)tag;
    m->is_init = CF_IS(name, "<init>") != 0;
    if (CF_V_TAG(class_type) == CF_V_CLASS + CF_KNOWN_OBJECT && !v->in_java_lang)
        m->is_protected = protected_in_object(name, cf_utf8(cls, m->descriptor_index)) & 3;
    m->simple =
        m->instructions & (m->is_protected ? SIMPLE & ~CF_V_BIT(CF_OP_invokevirtual) : SIMPLE);
    v->memo[index] = (uintptr_t)m + CF_V_IS_MEMBER;
    return m;
}

// --- assignability ---

#define BIT(tag) (UINT64_C(1) << (tag))

// Arrays are objects, cloneable and serializable, and nothing else.
static int takes_arrays(unsigned known) {
    return known == CF_KNOWN_OBJECT || known == CF_KNOWN_CLONEABLE ||
           known == CF_KNOWN_SERIALIZABLE;
}

// What is the same for all: anything for TOP, null for references. The rows of classes come when
// they are asked for.
static void begin_accepts(struct cf_verifier *v) {
    v->accepts[CF_V_TOP] = ~UINT64_C(0);
    v->accepts[CF_V_ARRAY] = BIT(CF_V_NULL);
}

// Of the classes of which something is known. -1: not known.
static int known_takes(const struct cf_verifier *v, unsigned to, unsigned from) {
    if (to == CF_KNOWN_OBJECT || (to == from && to)) return 1;
    if (!(v->known_classes >> to & 1)) return -1;
    for (unsigned f = from; f; f = v->known_super[f]) {
        if (f == to) return 1;
        if (f == CF_KNOWN_OBJECT) return 0;
    }
    return v->known_final >> to & 1 ? 0 : -1;
}

static int class_takes(struct cf_verifier *v, unsigned to, unsigned from, cf_vtype to_type,
                       cf_vtype from_type) {
    int takes = known_takes(v, to, from);
    if (takes >= 0 || !v->assignable) return takes != 0;
    struct cf_slice to_name = cf_v_name_of(v, to_type), from_name = cf_v_name_of(v, from_type);
    return cf_slice_equal(to_name, from_name) || v->assignable(v->context, from_name, to_name) != 0;
}

static int array_takes(struct cf_verifier *v, cf_vtype to, cf_vtype from) {
    unsigned a = CF_V_ELEMENT(to), b = CF_V_ELEMENT(from);
    if (CF_V_DIMENSIONS(to) != CF_V_DIMENSIONS(from))
        return CF_V_DIMENSIONS(to) < CF_V_DIMENSIONS(from) && takes_arrays(a);
    if (CF_V_IS_LETTER(a) || CF_V_IS_LETTER(b)) return a == b;
    return class_takes(v, a, b, to, from);
}

// A row has what is certain without asking the caller.
int cf_v_takes_slow(struct cf_verifier *v, cf_vtype to, cf_vtype from) {
    unsigned tag = CF_V_TAG(to), known = tag - CF_V_CLASS;
    if (tag == CF_V_ARRAY && CF_V_TAG(from) == CF_V_ARRAY) return array_takes(v, to, from);
    if (tag < CF_V_CLASS) return 0;
    if (v->accepts[tag])
        return v->assignable && CF_V_IS_CLASS(from) &&
               class_takes(v, known, CF_V_TAG(from) - CF_V_CLASS, to, from);
    uint64_t row = BIT(CF_V_NULL) | (takes_arrays(known) ? BIT(CF_V_ARRAY) : 0);
    for (unsigned k = 0; k < CF_KNOWN_COUNT; k++) {
        int takes = known_takes(v, known, k);
        if (takes > 0 || (takes < 0 && !v->assignable)) row |= BIT(CF_V_CLASS + k);
    }
    v->accepts[tag] = row;
    return cf_v_takes(v, to, from);
}

uint32_t cf_v_find_other(struct cf_verifier *v, const cf_vtype *to, const cf_vtype *from,
                         uint32_t i, uint32_t count) {
    while (i < count && cf_v_takes(v, to[i], from[i])) i++;
    return i;
}

cf_vtype cf_v_component(cf_vtype array) {
    unsigned dimensions = CF_V_DIMENSIONS(array), element = CF_V_ELEMENT(array);
    if (dimensions > 1) return CF_V_ARRAY_OF(dimensions - 1, element) | CF_V_NAME(array);
    return CF_V_IS_LETTER(element) ? tag_of_letter[element]
                                   : cf_v_known_class(element) | CF_V_NAME(array);
}

// --- names ---

static const char *const primitives[] = {
    ['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
    ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean",
};

static struct cf_slice slice_of(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

struct cf_slice cf_v_name_of(const struct cf_verifier *v, cf_vtype type) {
    unsigned known = CF_V_IS_CLASS(type) ? CF_V_TAG(type) - CF_V_CLASS : CF_V_ELEMENT(type);
    struct cf_slice name = {v->cls->bytes + (type >> 32 & (CF_V_MOST_BYTES - 1)), 0};
    if (CF_V_IS_LETTER(known)) return slice_of(primitives[known]);
    if (!CF_V_NAME(type)) return slice_of(known && known < JDK_CLASSES ? jdk[known].name : "?");
    if (type & ENDS_WITH_SEMICOLON)
        name.length = (uint32_t)((const uint8_t *)memchr(name.bytes, ';', 65535) - name.bytes);
    else
        name.length = cf_be2(name.bytes - 2);
    return name;
}

char *cf_v_name(const struct cf_verifier *v, cf_vtype type, char *text, size_t size) {
    static const char *const names[CF_V_ARRAY] = {
        [CF_V_TOP] = "top",
        [CF_V_LONG] = "long",
        [CF_V_DOUBLE] = "double",
        [CF_V_LONG_2] = "half of a long",
        [CF_V_DOUBLE_2] = "half of a double",
        [CF_V_NOTHING] = "nothing",
        [CF_V_INT] = "int",
        [CF_V_FLOAT] = "float",
        [CF_V_RETURN_ADDRESS] = "return address",
        [CF_V_UNINITIALIZED] = "uninitialized",
        [CF_V_UNINITIALIZED_THIS] = "uninitializedThis",
        [CF_V_NULL] = "null",
    };
    unsigned tag = CF_V_TAG(type), dimensions = tag == CF_V_ARRAY ? CF_V_DIMENSIONS(type) : 0;
    struct cf_slice name = tag < CF_V_ARRAY ? slice_of(names[tag]) : cf_v_name_of(v, type);
    size_t n = 0;
    // Control characters could do harm where this is printed.
    for (; n < name.length && n < 80 && n + 1 < size; n++)
        text[n] = name.bytes[n] < 0x20 || name.bytes[n] >= 0x7F ? '?' : (char)name.bytes[n];
    for (unsigned i = 0; i < dimensions && i < 4 && n + 3 < size; i++) {
        text[n++] = '[';
        text[n++] = ']';
    }
    text[n] = '\0';
    return text;
}

int cf_v_begin_types(struct cf_verifier *v) {
    v->compared = v->assignable ? UINT64_MAX : UINT32_MAX;
    if (v->cls->length >= CF_V_MOST_BYTES)
        return cf_v_give_up(v, CF_LIMIT, "class is too large to check"), 0;
    v->memo = cf_arena_zeroed(v->cls->arena, v->cls->constant_pool_count, sizeof *v->memo);
    if (!v->memo) return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), 0;
    learn_this_class(v);
    begin_accepts(v);
    v->this_type = cf_v_class(v, v->cls->this_class);
    return v->this_type != CF_V_TOP;
}
