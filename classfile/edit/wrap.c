#include "classfile/wrap.h"

#include "classfile/opcodes.h"

// The maximum number of methods with a prefixed name; no real class has so many.
#define MOST_PREFIXED 64
// Longest code of a wrapper: `this`, 255 slots with two bytes each, the call, the return.
#define MOST_CODE (1 + 2 * 255 + 3 + 1)
// What stands in a Code attribute around the code (JVMS 4.7.3): name, length, max_stack,
// max_locals, code_length; and no exceptions and no attributes.
#define CODE_HEAD 14
#define CODE_TAIL 4
#define METHOD_HEAD 8 // access_flags, name_index, descriptor_index, attributes_count

static struct cf_slice text(const char *s) {
    struct cf_slice slice = {(const uint8_t *)s, (uint32_t)strlen(s)};
    return slice;
}

int cf_wrap_is_prefixed(const struct cf_wrap *wrap, const struct cf_member *method) {
    struct cf_slice name = cf_member_name(wrap->cls, method), prefix = text(wrap->prefix);
    return name.bytes && name.length > prefix.length &&
           memcmp(name.bytes, prefix.bytes, prefix.length) == 0;
}

enum cf_status cf_wrap_begin(struct cf_wrap *wrap, struct cf_class *cls, const char *prefix) {
    memset(wrap, 0, sizeof *wrap);
    wrap->cls = cls;
    wrap->prefix = prefix;
    cf_pool_init(&wrap->pool, cls);
    wrap->methods = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *wrap->methods);
    if (!wrap->methods) return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < cls->methods_count; i++)
        wrap->prefixed += (uint32_t)cf_wrap_is_prefixed(wrap, &cls->methods[i]);
    return CF_OK;
}

// Does the class have a method with the prefixed name of the native method?
static int is_taken(const struct cf_wrap *wrap, const struct cf_member *native) {
    const struct cf_class *cls = wrap->cls;
    struct cf_slice name = cf_member_name(cls, native),
                    descriptor = cf_member_descriptor(cls, native);
    size_t prefix = strlen(wrap->prefix);
    if (wrap->prefixed > MOST_PREFIXED) return 1;
    for (uint32_t i = 0; wrap->prefixed && i < cls->methods_count; i++) {
        const struct cf_member *m = &cls->methods[i];
        struct cf_slice other = cf_member_name(cls, m);
        if (!cf_wrap_is_prefixed(wrap, m) || other.length != prefix + name.length) continue;
        if (memcmp(other.bytes + prefix, name.bytes, name.length) == 0 &&
            cf_slice_equal(cf_member_descriptor(cls, m), descriptor))
            return 1;
    }
    return 0;
}

static enum cf_status check(const struct cf_wrap *wrap, const struct cf_member *m,
                            struct cf_error *error) {
    const struct cf_class *cls = wrap->cls;
    struct cf_slice name = cf_member_name(cls, m);
    unsigned parameters, result;
    if (!(m->access_flags & CF_ACC_NATIVE) || m->code || m->access_flags & CF_ACC_ABSTRACT)
        return cf_fail(error, CF_MISUSE, m->offset, "is not a native method", 0);
    if (cls->access_flags & CF_ACC_INTERFACE)
        return cf_fail(error, CF_MISUSE, m->offset, "is a member of an interface", 0);
    if (!name.length || name.bytes[0] == '<' || !cf_this_name(cls).bytes ||
        !cf_method_slots(cf_member_descriptor(cls, m), &parameters, &result) ||
        parameters + !(m->access_flags & CF_ACC_STATIC) > 255)
        return cf_fail(error, CF_MISUSE, m->offset, "cannot be a native method", 0);
    if (is_taken(wrap, m))
        return cf_fail(error, CF_UNSUPPORTED, m->offset,
                       "the class has a method with the name that it would get", 0);
    if (cls->methods_count + wrap->count >= 65535)
        return cf_fail(error, CF_LIMIT, m->offset, "the class is full (65,535 methods)", 0);
    if (m->attributes_count == 65535)
        return cf_fail(error, CF_LIMIT, m->offset, "the method has 65,535 attributes", 0);
    return CF_OK;
}

// Adds the prefixed name, the reference to it, and "Code", unless they exist.
static int add_constants(struct cf_wrap *wrap, const struct cf_member *m, struct cf_wrapped *w) {
    struct cf_class *cls = wrap->cls;
    struct cf_slice name = cf_member_name(cls, m);
    size_t prefix = strlen(wrap->prefix);
    char *full = cf_arena_alloc(cls->arena, prefix + name.length);
    if (!full) {
        cf_fail(&wrap->pool.error, CF_NO_MEMORY, 0, "out of memory", 0);
        return 0;
    }
    memcpy(full, wrap->prefix, prefix);
    memcpy(full + prefix, name.bytes, name.length);
    if (!wrap->utf8_code)
        wrap->utf8_code = cls->utf8_code ? cls->utf8_code : cf_add_utf8(&wrap->pool, "Code", 4);
    uint16_t named = cf_add_utf8(&wrap->pool, full, prefix + name.length);
    uint16_t type = cf_add_pair(&wrap->pool, CF_TAG_NAME_AND_TYPE, named, m->descriptor_index);
    w->methodref = cf_add_pair(&wrap->pool, CF_TAG_METHODREF, cls->this_class, type);
    w->name_index = w->methodref ? named : 0;
    return w->methodref && wrap->utf8_code;
}

enum cf_status cf_wrap_native(struct cf_wrap *wrap, const struct cf_member *method,
                              struct cf_error *error) {
    struct cf_wrapped wrapped = {0, 0};
    CF_TRY(check(wrap, method, error));
    struct cf_pool_mark mark = cf_pool_mark(&wrap->pool);
    if (!add_constants(wrap, method, &wrapped)) {
        *error = wrap->pool.error;
        cf_pool_rollback(&wrap->pool, mark);
        if (wrap->utf8_code >= wrap->pool.count) wrap->utf8_code = 0;
        return error->status;
    }
    wrap->methods[method - wrap->cls->methods] = wrapped;
    wrap->count++;
    return CF_OK;
}

// --- writing ---

struct code {
    uint8_t bytes[MOST_CODE];
    uint32_t length;
    uint32_t locals, result; // slots
};

// The opcode that loads a value of the type that begins with `letter`; its distance to iload is
// that of the return opcode to ireturn.
static unsigned kind_of(unsigned letter) {
    switch (letter) {
    case 'J': return 1;
    case 'F': return 2;
    case 'D': return 3;
    case 'L':
    case '[': return 4;
    default: return 0;
    }
}

static void load(struct code *code, unsigned kind) {
    uint8_t *p = code->bytes + code->length;
    if (code->locals < 4) {
        p[0] = (uint8_t)(CF_OP_iload_0 + 4 * kind + code->locals);
    } else {
        p[0] = (uint8_t)(CF_OP_iload + kind);
        p[1] = (uint8_t)code->locals;
    }
    code->length += code->locals < 4 ? 1 : 2;
    code->locals += kind == 1 || kind == 3 ? 2 : 1;
}

// The descriptor is well-formed: cf_wrap_native has checked it.
static void write_code(const struct cf_wrap *wrap, const struct cf_member *m, struct code *code) {
    struct cf_slice d = cf_member_descriptor(wrap->cls, m);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    int is_static = (m->access_flags & CF_ACC_STATIC) != 0;
    code->length = code->locals = code->result = 0;
    if (!is_static) load(code, 4);
    for (; *p != ')'; p = cf_after_type(p, end)) load(code, kind_of(*p));
    uint8_t *out = code->bytes + code->length;
    out[0] = is_static ? CF_OP_invokestatic : CF_OP_invokespecial;
    cf_put2(out + 1, wrap->methods[m - wrap->cls->methods].methodref);
    unsigned kind = kind_of(p[1]), is_void = p[1] == 'V';
    out[3] = (uint8_t)(is_void ? CF_OP_return : CF_OP_ireturn + kind);
    code->length += 4;
    code->result = is_void ? 0 : kind == 1 || kind == 3 ? 2 : 1;
}

static uint8_t *put(uint8_t *to, const uint8_t *from, size_t n) {
    if (n) memcpy(to, from, n);
    return to + n;
}

static uint8_t *put_head(uint8_t *to, unsigned flags, unsigned name, unsigned descriptor,
                         unsigned attributes) {
    cf_put2(to, flags);
    cf_put2(to + 2, name);
    cf_put2(to + 4, descriptor);
    cf_put2(to + 6, attributes);
    return to + METHOD_HEAD;
}

static uint8_t *put_wrapper(uint8_t *to, const struct cf_wrap *wrap, const struct cf_member *m) {
    struct code code;
    write_code(wrap, m, &code);
    to = put_head(to, m->access_flags & ~(unsigned)CF_ACC_NATIVE, m->name_index,
                  m->descriptor_index, m->attributes_count + 1u);
    to = put(to, wrap->cls->bytes + m->offset + METHOD_HEAD, m->end - m->offset - METHOD_HEAD);
    cf_put2(to, wrap->utf8_code);
    cf_put4(to + 2, CODE_HEAD - 6 + code.length + CODE_TAIL);
    cf_put2(to + 6, code.locals > code.result ? code.locals : code.result);
    cf_put2(to + 8, code.locals);
    cf_put4(to + 10, code.length);
    to = put(to + CODE_HEAD, code.bytes, code.length);
    memset(to, 0, CODE_TAIL);
    return to + CODE_TAIL;
}

static uint8_t *put_native(uint8_t *to, const struct cf_wrap *wrap, const struct cf_member *m) {
    unsigned flags = CF_ACC_PRIVATE | CF_ACC_NATIVE | CF_ACC_SYNTHETIC;
    return put_head(to, flags | (m->access_flags & CF_ACC_STATIC),
                    wrap->methods[m - wrap->cls->methods].name_index, m->descriptor_index, 0);
}

static size_t size_of(const struct cf_wrap *wrap) {
    size_t size = wrap->cls->length + wrap->pool.length;
    struct code code;
    for (uint32_t i = 0; i < wrap->cls->methods_count; i++) {
        if (!wrap->methods[i].name_index) continue;
        write_code(wrap, &wrap->cls->methods[i], &code);
        size += CODE_HEAD + code.length + CODE_TAIL + METHOD_HEAD;
    }
    return size;
}

enum cf_status cf_wrap_encode(struct cf_wrap *wrap, void *(*allocate)(void *context, size_t size),
                              void *context, uint8_t **bytes, size_t *length) {
    struct cf_class *cls = wrap->cls;
    const struct cf_member *methods = cls->methods;
    uint32_t n = cls->methods_count;
    uint32_t end = n ? methods[n - 1].end : cls->length;
    *length = size_of(wrap);
    *bytes = allocate(context, *length);
    if (!*bytes) return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    uint8_t *to = put(*bytes, cls->bytes, cls->constant_pool_end);
    cf_put2(*bytes + 8, wrap->pool.count);
    to = put(to, wrap->pool.bytes, wrap->pool.length);
    uint32_t first = n ? methods[0].offset : end;
    to = put(to, cls->bytes + cls->constant_pool_end, first - cls->constant_pool_end);
    if (n) cf_put2(to - 2, n + wrap->count);
    for (uint32_t i = 0; i < n; i++)
        to = wrap->methods[i].name_index
                 ? put_wrapper(to, wrap, &methods[i])
                 : put(to, cls->bytes + methods[i].offset, methods[i].end - methods[i].offset);
    for (uint32_t i = 0; i < n; i++)
        if (wrap->methods[i].name_index) to = put_native(to, wrap, &methods[i]);
    put(to, cls->bytes + end, cls->length - end);
    return CF_OK;
}
