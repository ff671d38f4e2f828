// The types of the quick check: of constants and descriptors, and which is assignable to which.

#include "classfile/verify/quick.h"

// --- assignability ---

#define BIT(tag) (UINT64_C(1) << (tag))
#define ALL_CLASSES (((UINT64_C(1) << CF_KNOWN_COUNT) - 1) << CF_V_CLASS)

// For the classes of which something is known: as class_assignable() in verify_types.c.
static int class_takes(const struct cf_verifier *v, unsigned to, unsigned from) {
    if (to == from || to == CF_KNOWN_OBJECT || !(v->known_classes >> to & 1)) return 1;
    for (unsigned f = from; f; f = v->known_super[f]) {
        if (f == to) return 1;
        if (f == CF_KNOWN_OBJECT) return 0;
    }
    return !(v->known_final >> to & 1);
}

// What is the same for all: anything for TOP, the array types apart null for references; arrays are
// objects, cloneable and serializable. The rows of other classes come when they are asked for.
static void begin_accepts(struct cf_quick *q) {
    uint64_t references = ALL_CLASSES | BIT(CF_V_NULL);
    q->accepts[CF_V_TOP] = ~UINT64_C(0);
    q->accepts[CF_V_ARRAY] = BIT(CF_V_NULL);
    q->accepts[CF_V_CLASS] = references;
    q->accepts[CF_V_CLASS + CF_KNOWN_OBJECT] = references | BIT(CF_V_ARRAY);
    q->accepts[CF_V_CLASS + CF_KNOWN_CLONEABLE] = references | BIT(CF_V_ARRAY);
    q->accepts[CF_V_CLASS + CF_KNOWN_SERIALIZABLE] = references | BIT(CF_V_ARRAY);
}

static int array_takes(struct cf_quick *q, cf_vtype to, cf_vtype from) {
    unsigned a = CF_Q_ELEMENT(to), b = CF_Q_ELEMENT(from);
    if (CF_Q_DIMENSIONS(to) == CF_Q_DIMENSIONS(from)) {
        if (CF_Q_IS_LETTER(a) || CF_Q_IS_LETTER(b)) return a == b;
        return class_takes(q->v, a, b);
    }
    return CF_Q_DIMENSIONS(to) < CF_Q_DIMENSIONS(from) &&
           (a == CF_KNOWN_OBJECT || a == CF_KNOWN_CLONEABLE || a == CF_KNOWN_SERIALIZABLE);
}

int cf_q_takes_slow(struct cf_quick *q, cf_vtype to, cf_vtype from) {
    if (CF_V_TAG(to) == CF_V_ARRAY && CF_V_TAG(from) == CF_V_ARRAY) return array_takes(q, to, from);
    if (!CF_V_IS_CLASS(to) || q->accepts[to]) return 0;
    uint64_t row = BIT(CF_V_NULL);
    for (unsigned k = 0; k < CF_KNOWN_COUNT; k++)
        if (class_takes(q->v, to - CF_V_CLASS, k)) row |= BIT(CF_V_CLASS + k);
    q->accepts[to] = row;
    return row >> CF_V_TAG(from) & 1;
}

int cf_q_take_others(struct cf_quick *q, const cf_vtype *to, const cf_vtype *from, uint32_t i,
                     uint32_t count) {
    for (; i < count; i++)
        if (!cf_q_takes(q, to[i], from[i])) return 0;
    return 1;
}

static void *take(struct cf_verifier *v, size_t size) {
    void *memory = cf_arena_alloc(v->cls->arena, size);
    if (!memory) cf_v_give_up(v, CF_NO_MEMORY, "out of memory");
    return memory;
}

// --- descriptors ---

static const uint8_t tag_of_letter[256] = {
    ['Z'] = CF_V_INT, ['B'] = CF_V_INT,  ['C'] = CF_V_INT,   ['S'] = CF_V_INT,
    ['I'] = CF_V_INT, ['J'] = CF_V_LONG, ['F'] = CF_V_FLOAT, ['D'] = CF_V_DOUBLE,
};

// The field type at `p`. Returns where it ends, NULL: it is none.
static const uint8_t *read_type(const struct cf_verifier *v, const uint8_t *p, const uint8_t *end,
                                cf_vtype *type) {
    const uint8_t *start = p;
    while (p < end && *p == '[') p++;
    uint32_t dimensions = (uint32_t)(p - start);
    if (p == end || dimensions > 255) return NULL;
    unsigned element = *p++;
    *type = tag_of_letter[element];
    if (element == 'L') {
        const uint8_t *name = p;
        p = memchr(name, ';', (size_t)(end - name));
        if (!p || p == name) return NULL;
        struct cf_slice slice = {name, (uint32_t)(p++ - name)};
        element = cf_v_known(v, slice);
        *type = cf_q_class(element);
    } else if (!*type) {
        return NULL;
    }
    if (dimensions) *type = CF_Q_ARRAY(dimensions, element);
    return p;
}

// One slot or two, with room for two.
static cf_vtype *put_type(cf_vtype *out, cf_vtype type) {
    out[0] = type;
    out[1] = type + (CF_V_LONG_2 - CF_V_LONG);
    return out + 1 + (type == CF_V_LONG || type == CF_V_DOUBLE);
}

#define MOST_SLOTS 255 // of a descriptor's arguments (JVMS 4.3.3)

static struct cf_vsignature *keep_signature(struct cf_quick *q, const cf_vtype *types,
                                            uint32_t arguments, uint32_t results) {
    uint32_t count = arguments + 2; // the result may always be read as two slots
    struct cf_vsignature *s = take(q->v, sizeof *s + count * sizeof *s->types);
    if (!s) return NULL;
    s->arguments = (uint16_t)arguments;
    s->results = (uint16_t)results;
    for (uint32_t i = 0; i < count; i++) s->types[i] = types[i];
    return s;
}

static const struct cf_vsignature *read_signature(struct cf_quick *q, struct cf_slice d) {
    cf_vtype types[MOST_SLOTS + 6], *out = types, type;
    if (d.length < 3 || *d.bytes != '(') return NULL;
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    while (p < end && *p != ')') {
        if (!(p = read_type(q->v, p, end, &type))) return NULL;
        out = put_type(out, type);
        if (out - types > MOST_SLOTS) return NULL;
    }
    cf_vtype *result = out;
    if (end - p < 2) return NULL;
    if (p[1] == 'V') {
        result[0] = result[1] = CF_V_TOP;
        p += 2;
    } else {
        if (!(p = read_type(q->v, p + 1, end, &type))) return NULL;
        out = put_type(out, type);
    }
    if (p != end) return NULL;
    return keep_signature(q, types, (uint32_t)(result - types), (uint32_t)(out - result));
}

const struct cf_vsignature *cf_q_signature(struct cf_quick *q, uint32_t index) {
    if (index >= q->v->cls->constant_pool_count) return NULL;
    cf_qmemo memo = q->memo[index];
    if ((memo & CF_Q_KINDS) == CF_Q_SIGNATURE)
        return (const struct cf_vsignature *)(memo - CF_Q_SIGNATURE);
    const struct cf_vsignature *s = read_signature(q, cf_utf8(q->v->cls, index));
    if (s) q->memo[index] = (uintptr_t)s + CF_Q_SIGNATURE;
    return s;
}

// --- constants ---

cf_vtype cf_q_find_class(struct cf_quick *q, uint32_t index) {
    struct cf_slice name = cf_class_name(q->v->cls, index);
    cf_vtype type = CF_V_TOP;
    if (!name.length) return CF_V_TOP;
    if (*name.bytes == '[') {
        const uint8_t *end = name.bytes + name.length;
        if (read_type(q->v, name.bytes, end, &type) != end) return CF_V_TOP;
    } else {
        type = cf_q_class(cf_v_known(q->v, name));
    }
    q->memo[index] = (uintptr_t)type << 2 | CF_Q_TYPE;
    return type;
}

enum {
    OF_OBJECTS = CF_Q_BIT(CF_OP_getfield) | CF_Q_BIT(CF_OP_putfield),
    OF_CLASSES = CF_Q_BIT(CF_OP_getstatic) | CF_Q_BIT(CF_OP_putstatic),
    SPECIAL = CF_Q_BIT(CF_OP_invokespecial)
};

static struct cf_qmember *new_member(struct cf_quick *q, uint32_t arguments, uint32_t results) {
    struct cf_qmember *m = take(q->v, sizeof *m + (arguments + 3) * sizeof *m->types);
    if (!m) return NULL;
    m->arguments = arguments;
    m->results = (uint8_t)results;
    m->is_init = 0;
    return m;
}

// Fields of arrays there are none; what is left of such a constant is not for the quick check.
static struct cf_qmember *field(struct cf_quick *q, cf_vtype class_type,
                                uint32_t descriptor_index) {
    struct cf_slice d = cf_utf8(q->v->cls, descriptor_index);
    cf_vtype types[2], type;
    if (!d.length) return NULL;
    const uint8_t *end = d.bytes + d.length;
    if (read_type(q->v, d.bytes, end, &type) != end) return NULL;
    uint32_t slots = (uint32_t)(put_type(types, type) - types);
    struct cf_qmember *m = new_member(q, slots, slots);
    if (!m) return NULL;
    cf_vtype *out = put_type(m->types + 1, type);
    put_type(out, type);
    m->instructions = CF_V_IS_CLASS(class_type) ? OF_OBJECTS | OF_CLASSES : 0;
    return m;
}

// Protected methods of java.lang.Object are called with invokevirtual, and arrays have a public
// clone(): not for the quick check, unless this is the package of Object.
static int is_protected(const struct cf_verifier *v, cf_vtype class_type, struct cf_slice name) {
    return class_type == cf_q_class(CF_KNOWN_OBJECT) && !v->in_java_lang &&
           (CF_IS(name, "clone") || CF_IS(name, "finalize"));
}

// invokespecial is here for constructors and for methods of this class and the one above.
static unsigned instructions_of(struct cf_quick *q, const struct cf_qmember *m, unsigned tag,
                                cf_vtype class_type, uint32_t class_index, struct cf_slice name) {
    const struct cf_class *cls = q->v->cls;
    unsigned ops = CF_Q_BIT(CF_OP_invokestatic);
    if (*name.bytes == '<') return m->is_init && tag == CF_TAG_METHODREF ? SPECIAL : 0;
    if (tag == CF_TAG_INVOKE_DYNAMIC) return CF_Q_BIT(CF_OP_invokedynamic);
    if (class_index == cls->this_class || class_index == cls->super_class) ops |= SPECIAL;
    if (tag == CF_TAG_INTERFACE_METHODREF)
        return (cls->major_version >= 52 ? ops : 0) | CF_Q_BIT(CF_OP_invokeinterface);
    return is_protected(q->v, class_type, name) ? ops : ops | CF_Q_BIT(CF_OP_invokevirtual);
}

static struct cf_qmember *method(struct cf_quick *q, struct cf_slice name,
                                 uint32_t descriptor_index) {
    const struct cf_vsignature *s = cf_q_signature(q, descriptor_index);
    struct cf_qmember *m = s ? new_member(q, s->arguments, s->results) : NULL;
    if (!m) return NULL;
    for (uint32_t i = 0; i < s->arguments + 2u; i++) m->types[1 + i] = s->types[i];
    m->is_init = *name.bytes == '<' && CF_IS(name, "<init>") && !s->results;
    return m;
}

const struct cf_qmember *cf_q_find_member(struct cf_quick *q, uint32_t index) {
    const struct cf_class *cls = q->v->cls;
    unsigned tag = cf_tag_at(cls, index);
    if (tag != CF_TAG_INVOKE_DYNAMIC && (tag < CF_TAG_FIELDREF || tag > CF_TAG_INTERFACE_METHODREF))
        return NULL;
    const uint8_t *p = cls->bytes + cls->constant_pool[index] + 1;
    const uint8_t *pair = cf_entry(cls, cf_be2(p + 2), CF_TAG_NAME_AND_TYPE);
    struct cf_slice name = cf_utf8(cls, pair ? cf_be2(pair) : 0);
    if (!name.length) return NULL;
    uint32_t class_index = tag == CF_TAG_INVOKE_DYNAMIC ? 0 : cf_be2(p);
    cf_vtype class_type = CF_V_TOP;
    if (tag != CF_TAG_INVOKE_DYNAMIC) {
        if (class_index >= cls->constant_pool_count) return NULL;
        if (!(class_type = cf_q_class_at(q, class_index))) return NULL;
    }
    struct cf_qmember *m = tag == CF_TAG_FIELDREF ? field(q, class_type, cf_be2(pair + 2))
                                                  : method(q, name, cf_be2(pair + 2));
    if (!m) return NULL;
    if (tag != CF_TAG_FIELDREF)
        m->instructions = (uint16_t)instructions_of(q, m, tag, class_type, class_index, name);
    m->index = (uint16_t)index;
    m->class_index = (uint16_t)class_index;
    m->types[0] = class_type;
    q->memo[index] = (uintptr_t)m + CF_Q_MEMBER;
    return m;
}

struct cf_quick *cf_q_new(struct cf_verifier *v) {
    size_t memo = v->cls->constant_pool_count * sizeof(cf_qmemo);
    struct cf_quick *q = take(v, sizeof *q);
    if (!q) return NULL;
    *q = (struct cf_quick){.v = v, .memo = take(v, memo)};
    if (!q->memo) return NULL;
    memset(q->memo, 0, memo);
    begin_accepts(q);
    if (v->cls->this_class >= v->cls->constant_pool_count) return NULL;
    q->this_type = cf_q_class_at(q, v->cls->this_class);
    return q->this_type ? q : NULL;
}
