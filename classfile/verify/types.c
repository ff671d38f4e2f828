// The verifier's types: found once for each constant, and which of them is assignable to which
// (JVMS 4.10.1.2), as far as one class can tell.

#include "classfile/verify/internal.h"

// --- known classes ---

// Names of one length mostly differ at their end.
static inline int is_same(struct cf_slice a, struct cf_slice b) {
    return a.length == b.length && a.length && a.bytes[a.length - 1] == b.bytes[a.length - 1] &&
           memcmp(a.bytes, b.bytes, a.length) == 0;
}

// Compares with the names that are known, this class's own last.
unsigned cf_v_known(const struct cf_verifier *v, struct cf_slice name) {
    switch (name.length) {
    case 15:
        if (CF_IS(name, "java/lang/Class")) return CF_KNOWN_CLASS_CLASS;
        break;
    case 16:
        if (CF_IS(name, "java/lang/Object")) return CF_KNOWN_OBJECT;
        if (CF_IS(name, "java/lang/String")) return CF_KNOWN_STRING;
        break;
    case 19:
        if (CF_IS(name, "java/lang/Throwable")) return CF_KNOWN_THROWABLE;
        if (CF_IS(name, "java/lang/Cloneable")) return CF_KNOWN_CLONEABLE;
        break;
    case 20:
        if (CF_IS(name, "java/io/Serializable")) return CF_KNOWN_SERIALIZABLE;
        break;
    case 27:
        if (CF_IS(name, "java/lang/invoke/MethodType")) return CF_KNOWN_METHOD_TYPE;
        break;
    case 29:
        if (CF_IS(name, "java/lang/invoke/MethodHandle")) return CF_KNOWN_METHOD_HANDLE;
        break;
    default: break;
    }
    if (is_same(name, v->this_name)) return CF_KNOWN_THIS;
    if (is_same(name, v->super_name)) return CF_KNOWN_SUPER;
    return CF_KNOWN_NOTHING;
}

// What the class says of itself is added to what is known of the JDK's.
static void learn_this_class(struct cf_verifier *v) {
    static const uint8_t jdk_super[CF_KNOWN_COUNT] = {
        [CF_KNOWN_STRING] = CF_KNOWN_OBJECT,        [CF_KNOWN_CLASS_CLASS] = CF_KNOWN_OBJECT,
        [CF_KNOWN_THROWABLE] = CF_KNOWN_OBJECT,     [CF_KNOWN_METHOD_TYPE] = CF_KNOWN_OBJECT,
        [CF_KNOWN_METHOD_HANDLE] = CF_KNOWN_OBJECT, [CF_KNOWN_CLONEABLE] = CF_KNOWN_OBJECT,
        [CF_KNOWN_SERIALIZABLE] = CF_KNOWN_OBJECT,
    };
    memcpy(v->known_super, jdk_super, sizeof jdk_super);
    v->known_final = 1 << CF_KNOWN_STRING | 1 << CF_KNOWN_CLASS_CLASS | 1 << CF_KNOWN_METHOD_TYPE;
    v->known_classes = (uint16_t)(v->known_final | 1 << CF_KNOWN_OBJECT | 1 << CF_KNOWN_THROWABLE |
                                  1 << CF_KNOWN_METHOD_HANDLE | 1 << CF_KNOWN_SUPER);
    const struct cf_class *cls = v->cls;
    v->this_name = cf_this_name(cls);
    v->super_name = cf_class_name(cls, cls->super_class);
    unsigned known = cf_v_known(v, v->this_name);
    if (known != CF_KNOWN_THIS) return; // of the JDK: known better
    unsigned super = cf_v_known(v, v->super_name);
    v->known_super[CF_KNOWN_THIS] = (uint8_t)(super == CF_KNOWN_THIS ? 0 : super);
    if (cls->access_flags & CF_ACC_INTERFACE) return;
    v->known_classes |= 1 << CF_KNOWN_THIS;
    if (cls->access_flags & CF_ACC_FINAL) v->known_final |= 1 << CF_KNOWN_THIS;
}

// --- the table of types ---

cf_vtype cf_v_type(struct cf_verifier *v, const uint8_t *name, uint32_t length, unsigned dimensions,
                   unsigned element) {
    if (v->types_count >= v->types_capacity) {
        if (v->types_count >= 1u << 23)
            return cf_v_give_up(v, CF_LIMIT, "more types than can be told apart"), CF_V_TOP;
        struct cf_vtype_entry *types = cf_v_grow(v, v->types, &v->types_capacity, v->types_count,
                                                 v->types_count + 1, sizeof *types);
        if (!types) return CF_V_TOP;
        v->types = types;
    }
    uint32_t index = v->types_count++;
    v->types[index] = (struct cf_vtype_entry){name, length, (uint8_t)dimensions, (uint8_t)element};
    if (dimensions) return CF_V_MAKE(CF_V_ARRAY, index);
    struct cf_slice slice = {name, length};
    return CF_V_MAKE(CF_V_CLASS + cf_v_known(v, slice), index);
}

static const uint8_t tag_of_letter[256] = {
    ['Z'] = CF_V_INT, ['B'] = CF_V_INT,  ['C'] = CF_V_INT,   ['S'] = CF_V_INT,
    ['I'] = CF_V_INT, ['J'] = CF_V_LONG, ['F'] = CF_V_FLOAT, ['D'] = CF_V_DOUBLE,
};

static cf_vtype bad_descriptor(struct cf_verifier *v) {
    cf_v_give_up(v, CF_MALFORMED, "malformed descriptor");
    return CF_V_TOP;
}

cf_vtype cf_v_descriptor(struct cf_verifier *v, const uint8_t **p, const uint8_t *end) {
    const uint8_t *start = *p, *q = start;
    while (q < end && *q == '[') q++;
    if (q == end || q - start > 255) return bad_descriptor(v);
    unsigned dimensions = (unsigned)(q - start), letter = *q++;
    if (letter == 'L') {
        const uint8_t *semicolon = memchr(q, ';', (size_t)(end - q));
        if (!semicolon || semicolon == q) return bad_descriptor(v);
        *p = semicolon + 1;
        return cf_v_type(v, q, (uint32_t)(semicolon - q), dimensions, 0);
    }
    if (!tag_of_letter[letter]) return bad_descriptor(v);
    *p = q;
    return dimensions ? cf_v_type(v, NULL, 0, dimensions, letter) : tag_of_letter[letter];
}

cf_vtype cf_v_find_class(struct cf_verifier *v, uint32_t index) {
    struct cf_slice name = cf_class_name(v->cls, index);
    if (!name.length) {
        cf_v_fail(v, "constant %u is not of the kind that the instruction takes", index);
        return CF_V_TOP;
    }
    cf_vtype type;
    if (name.bytes[0] == '[') {
        const uint8_t *p = name.bytes, *end = p + name.length;
        type = cf_v_descriptor(v, &p, end);
        if (type && p != end) return bad_descriptor(v);
    } else {
        type = cf_v_type(v, name.bytes, name.length, 0, 0);
    }
    v->memo[index].type = type;
    return type;
}

// --- members ---

static cf_vtype *put_type(cf_vtype *out, cf_vtype type) {
    *out++ = type;
    if (type == CF_V_LONG || type == CF_V_DOUBLE) *out++ = type + (CF_V_LONG_2 - CF_V_LONG);
    return out;
}

#define MOST_SLOTS 255 // of a descriptor's arguments (JVMS 4.3.3)

static struct cf_vsignature *keep_signature(struct cf_verifier *v, const cf_vtype *types,
                                            uint32_t arguments, uint32_t count) {
    struct cf_vsignature *signature =
        cf_arena_alloc(v->cls->arena, sizeof *signature + count * sizeof *types);
    if (!signature) return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), NULL;
    signature->arguments = (uint16_t)arguments;
    signature->results = (uint16_t)(count - arguments);
    for (uint32_t i = 0; i < count; i++) signature->types[i] = types[i];
    return signature;
}

const struct cf_vsignature *cf_v_find_signature(struct cf_verifier *v, uint32_t descriptor_index) {
    struct cf_slice d = cf_utf8(v->cls, descriptor_index);
    if (!d.bytes) return bad_descriptor(v), NULL;
    union cf_vmemo *memo = &v->memo[descriptor_index];
    if (memo->signature) return memo->signature;
    cf_vtype types[MOST_SLOTS + 4], *out = types, type;
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    if (d.length < 3 || *d.bytes != '(') return bad_descriptor(v), NULL;
    while (p < end && *p != ')') {
        if (!(type = cf_v_descriptor(v, &p, end))) return NULL;
        out = put_type(out, type);
        if (out - types > MOST_SLOTS) return bad_descriptor(v), NULL;
    }
    uint32_t arguments = (uint32_t)(out - types);
    if (end - p == 2 && p[1] == 'V')
        p += 2;
    else if (p == end || ++p == end || !(type = cf_v_descriptor(v, &p, end)))
        return bad_descriptor(v), NULL;
    else
        out = put_type(out, type);
    if (p != end) return bad_descriptor(v), NULL;
    return memo->signature = keep_signature(v, types, arguments, (uint32_t)(out - types));
}

static unsigned protected_in_object(struct cf_slice name, struct cf_slice descriptor) {
    if (CF_IS(name, "clone")) return CF_IS(descriptor, "()Ljava/lang/Object;") ? 1 : 0;
    return CF_IS(name, "finalize") && CF_IS(descriptor, "()V") ? 2 : 0;
}

const struct cf_vreference *cf_v_find_reference(struct cf_verifier *v, uint32_t index) {
    const struct cf_class *cls = v->cls;
    const uint8_t *p = cls->bytes + cls->constant_pool[index] + 1;
    unsigned tag = p[-1];
    const uint8_t *pair = cf_entry(cls, cf_be2(p + 2), CF_TAG_NAME_AND_TYPE);
    struct cf_vreference *r = cf_arena_alloc(cls->arena, sizeof *r);
    if (!r) return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), NULL;
    if (!pair) return cf_v_give_up(v, CF_MALFORMED, "malformed reference"), NULL;
    *r = (struct cf_vreference){.tag = (uint8_t)tag};
    r->name_index = cf_be2(pair);
    r->descriptor_index = cf_be2(pair + 2);
    struct cf_slice name = cf_utf8(cls, r->name_index);
    if (!name.length) return cf_v_give_up(v, CF_MALFORMED, "malformed reference"), NULL;
    if (tag != CF_TAG_INVOKE_DYNAMIC) {
        r->class_index = cf_be2(p);
        r->class_type = cf_v_class(v, r->class_index);
        if (!r->class_type) return NULL;
    }
    struct cf_slice d = cf_utf8(cls, r->descriptor_index);
    if (tag == CF_TAG_FIELDREF) {
        if (!d.length) return bad_descriptor(v), NULL;
        const uint8_t *start = d.bytes, *end = start + d.length;
        r->field_type = cf_v_descriptor(v, &start, end);
        if (!r->field_type) return NULL;
        if (start != end) return bad_descriptor(v), NULL;
    } else {
        r->signature = cf_v_find_signature(v, r->descriptor_index);
        if (!r->signature) return NULL;
        r->is_internal = name.bytes[0] == '<';
        r->is_init = r->is_internal && CF_IS(name, "<init>");
        if (CF_V_TAG(r->class_type) == CF_V_CLASS + CF_KNOWN_OBJECT && !v->in_java_lang)
            r->is_protected = (uint8_t)protected_in_object(name, d);
    }
    v->memo[index].reference = r;
    return r;
}

// --- assignability ---

static struct cf_slice name_of(const struct cf_verifier *v, cf_vtype type) {
    const struct cf_vtype_entry *e = &v->types[CF_V_PAYLOAD(type)];
    struct cf_slice name = {e->name, e->length};
    return name;
}

// Both are classes or interfaces.
static int class_assignable(struct cf_verifier *v, cf_vtype from_type, cf_vtype to_type) {
    unsigned from = CF_V_TAG(from_type) - CF_V_CLASS, to = CF_V_TAG(to_type) - CF_V_CLASS;
    if (to == CF_KNOWN_OBJECT || (from == to && from)) return 1;
    unsigned bit = 1u << to;
    if ((v->known_classes & bit) && to) {
        unsigned f = from;
        for (int i = 0; f && i < CF_KNOWN_COUNT; i++) {
            if (f == to) return 1;
            if (f == CF_KNOWN_OBJECT) return 0;
            f = v->known_super[f];
        }
        if (v->known_final & bit) return 0;
    }
    if (!v->assignable) return 1;
    struct cf_slice from_name = name_of(v, from_type), to_name = name_of(v, to_type);
    if (cf_slice_equal(from_name, to_name)) return 1;
    return v->assignable(v->context, from_name, to_name) != 0;
}

// The element types of arrays of as many dimensions.
static int element_assignable(struct cf_verifier *v, const struct cf_vtype_entry *from,
                              const struct cf_vtype_entry *to) {
    if (from->element || to->element) return from->element == to->element;
    struct cf_slice a = {from->name, from->length}, b = {to->name, to->length};
    cf_vtype from_class = cf_v_type(v, a.bytes, a.length, 0, 0);
    cf_vtype to_class = cf_v_type(v, b.bytes, b.length, 0, 0);
    if (!from_class || !to_class) return 0;
    v->types_count -= 2; // they are needed for this moment only
    return class_assignable(v, from_class, to_class);
}

// Arrays are objects, cloneable and serializable, and nothing else.
static int takes_arrays(unsigned known) {
    return known == CF_KNOWN_OBJECT || known == CF_KNOWN_CLONEABLE ||
           known == CF_KNOWN_SERIALIZABLE;
}

static int array_assignable(struct cf_verifier *v, cf_vtype from_type, cf_vtype to_type) {
    struct cf_vtype_entry from = v->types[CF_V_PAYLOAD(from_type)],
                          to = v->types[CF_V_PAYLOAD(to_type)];
    if (from.dimensions == to.dimensions) return element_assignable(v, &from, &to);
    if (from.dimensions < to.dimensions || to.element) return 0;
    struct cf_slice name = {to.name, to.length};
    return takes_arrays(cf_v_known(v, name));
}

int cf_v_assignable_slow(struct cf_verifier *v, cf_vtype from, cf_vtype to) {
    unsigned from_tag = CF_V_TAG(from), to_tag = CF_V_TAG(to);
    if (to_tag == CF_V_TOP) return 1;
    if (to_tag < CF_V_ARRAY || from_tag < CF_V_NULL) return 0;
    if (from_tag == CF_V_NULL) return 1;
    if (to_tag == CF_V_ARRAY) return from_tag == CF_V_ARRAY && array_assignable(v, from, to);
    if (from_tag == CF_V_ARRAY) return takes_arrays(to_tag - CF_V_CLASS);
    return class_assignable(v, from, to);
}

int cf_v_assignable_to_this(struct cf_verifier *v, cf_vtype from) {
    if (CF_V_TAG(from) == CF_V_CLASS + CF_KNOWN_OBJECT)
        return CF_V_TAG(v->this_type) == CF_V_CLASS + CF_KNOWN_OBJECT;
    return cf_v_assignable(v, from, v->this_type);
}

int cf_v_same_class(struct cf_verifier *v, cf_vtype a, cf_vtype b) {
    if (a == b) return 1;
    if (CF_V_TAG(a) != CF_V_TAG(b) || !CF_V_IS_CLASS(a)) return 0;
    return cf_slice_equal(name_of(v, a), name_of(v, b));
}

cf_vtype cf_v_component(struct cf_verifier *v, cf_vtype array) {
    if (CF_V_TAG(array) != CF_V_ARRAY) return CF_V_TOP;
    struct cf_vtype_entry e = v->types[CF_V_PAYLOAD(array)];
    if (e.dimensions == 1 && e.element) return tag_of_letter[e.element];
    return cf_v_type(v, e.name, e.length, e.dimensions - 1u, e.element);
}

// --- names ---

static const char *primitive_name(unsigned letter) {
    switch (letter) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return "int";
    }
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
    unsigned tag = CF_V_TAG(type);
    if (size == 0) return text;
    size_t n = 0;
    const char *name;
    size_t length;
    unsigned dimensions = 0;
    if (tag < CF_V_ARRAY) {
        name = names[tag];
        length = strlen(name);
    } else {
        const struct cf_vtype_entry *e = &v->types[CF_V_PAYLOAD(type)];
        name = e->element ? primitive_name(e->element) : (const char *)e->name;
        length = e->element ? strlen(name) : e->length;
        dimensions = e->dimensions;
    }
    if (length > 80) length = 80;
    for (; n < length && n + 1 < size; n++) {
        // Control characters could do harm where this is printed.
        uint8_t c = (uint8_t)name[n];
        text[n] = c < 0x20 || c == 0x7F || c >= 0x80 ? '?' : (char)c;
    }
    for (unsigned i = 0; i < dimensions && i < 4 && n + 3 < size; i++) {
        text[n++] = '[';
        text[n++] = ']';
    }
    text[n] = '\0';
    return text;
}

void cf_v_learn(struct cf_verifier *v) {
    learn_this_class(v);
    struct cf_slice n = v->this_name;
    v->in_java_lang = n.length > 10 && memcmp(n.bytes, "java/lang/", 10) == 0 &&
                      !memchr(n.bytes + 10, '/', n.length - 10);
}

int cf_v_begin_types(struct cf_verifier *v) {
    static const struct cf_vtype_entry jdk[] = {
#define JDK_TYPE(name) {(const uint8_t *)(name), sizeof(name) - 1, 0, 0}
        JDK_TYPE("java/lang/String"),
        JDK_TYPE("java/lang/Class"),
        JDK_TYPE("java/lang/Throwable"),
        JDK_TYPE("java/lang/invoke/MethodType"),
        JDK_TYPE("java/lang/invoke/MethodHandle"),
#undef JDK_TYPE
    };
    struct cf_arena *arena = v->cls->arena;
    v->memo = cf_arena_zeroed(arena, v->cls->constant_pool_count, sizeof *v->memo);
    v->types_capacity = 128;
    v->types = cf_arena_alloc(arena, v->types_capacity * sizeof *v->types);
    if (!v->memo || !v->types) return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), 0;
    memcpy(v->types, jdk, sizeof jdk);
    v->types_count = sizeof jdk / sizeof jdk[0];
    v->string_type = CF_V_MAKE(CF_V_CLASS + CF_KNOWN_STRING, 0);
    v->class_type = CF_V_MAKE(CF_V_CLASS + CF_KNOWN_CLASS_CLASS, 1);
    v->throwable_type = CF_V_MAKE(CF_V_CLASS + CF_KNOWN_THROWABLE, 2);
    v->method_type_type = CF_V_MAKE(CF_V_CLASS + CF_KNOWN_METHOD_TYPE, 3);
    v->method_handle_type = CF_V_MAKE(CF_V_CLASS + CF_KNOWN_METHOD_HANDLE, 4);
    v->this_type = cf_v_class(v, v->cls->this_class);
    return v->this_type != CF_V_TOP;
}
