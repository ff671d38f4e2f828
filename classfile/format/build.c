#include "classfile/format/build.h"

enum { ACC_SUPER = 0x0020, MAJOR_VERSION = 52, MOST_CODE = 65535 };

static void fail(struct cf_build *b, enum cf_status status, const char *reason) {
    cf_fail(&b->pool.error, status, 0, reason, 0);
}

// Appends `size` bytes of `value`, the highest first.
static void put(struct cf_build *b, unsigned size, uint32_t value) {
    if (b->pool.error.status) return;
    if (size > b->capacity - b->length) {
        uint32_t capacity = b->capacity ? 2 * b->capacity : 256;
        uint8_t *body = cf_arena_alloc(b->empty.arena, capacity);
        if (!body) {
            fail(b, CF_NO_MEMORY, "out of memory");
            return;
        }
        if (b->length) memcpy(body, b->body, b->length);
        b->body = body;
        b->capacity = capacity;
    }
    while (size-- > 0) b->body[b->length++] = (uint8_t)(value >> 8 * size);
}

static uint16_t add_text(struct cf_build *b, const char *text) {
    return cf_add_utf8(&b->pool, text, strlen(text));
}

void cf_build_begin(struct cf_build *b, struct cf_arena *arena, unsigned access_flags,
                    const char *name) {
    memset(b, 0, sizeof *b);
    b->empty.arena = arena;
    b->empty.constant_pool_count = 1;
    cf_pool_init(&b->pool, &b->empty);
    put(b, 2, access_flags | ACC_SUPER);
    put(b, 2, cf_add_class(&b->pool, name, strlen(name)));
    put(b, 2, cf_add_class(&b->pool, "java/lang/Object", 16));
    put(b, 2, 0); // interfaces_count
    b->counted = b->length;
    put(b, 2, 0); // fields_count
}

// The current method has ended: its lengths are known.
static void end_code(struct cf_build *b) {
    if (b->code) {
        uint32_t length = b->length - b->code - 12; // of the code array
        put(b, 4, 0);                               // no handlers, no attributes
        if (length > MOST_CODE) fail(b, CF_LIMIT, "code longer than 65,535 bytes");
        if (b->pool.error.status) return;
        cf_put4(b->body + b->code, b->length - b->code - 4);
        cf_put4(b->body + b->code + 8, length);
    }
    b->code = 0;
}

static void put_member(struct cf_build *b, unsigned access_flags, const char *name,
                       const char *descriptor, unsigned attributes_count) {
    put(b, 2, access_flags);
    put(b, 2, add_text(b, name));
    put(b, 2, add_text(b, descriptor));
    put(b, 2, attributes_count);
}

void cf_build_source(struct cf_build *b, const char *file) {
    b->source = add_text(b, file);
}

void cf_build_field(struct cf_build *b, unsigned access_flags, const char *name,
                    const char *descriptor) {
    if (b->methods_count) fail(b, CF_MISUSE, "a field behind a method");
    put_member(b, access_flags, name, descriptor, 0);
    b->fields_count++;
}

static void end_fields(struct cf_build *b) {
    if (b->pool.error.status) return;
    cf_put2(b->body + b->counted, b->fields_count);
    b->counted = b->length;
    put(b, 2, 0); // methods_count
}

void cf_build_method(struct cf_build *b, unsigned access_flags, const char *name,
                     const char *descriptor, unsigned max_stack, unsigned max_locals) {
    if (!b->methods_count) end_fields(b);
    end_code(b);
    put_member(b, access_flags, name, descriptor, 1);
    put(b, 2, add_text(b, "Code"));
    b->code = b->length;
    put(b, 4, 0); // attribute_length
    put(b, 2, max_stack);
    put(b, 2, max_locals);
    put(b, 4, 0); // code_length
    b->methods_count++;
}

void cf_build_op(struct cf_build *b, enum cf_opcode op) {
    put(b, 1, op);
}

void cf_build_op1(struct cf_build *b, enum cf_opcode op, unsigned operand) {
    put(b, 1, op);
    put(b, 1, operand);
}

void cf_build_op2(struct cf_build *b, enum cf_opcode op, unsigned operand) {
    put(b, 1, op);
    put(b, 2, operand);
}

static void put_attributes(struct cf_build *b) {
    put(b, 2, b->source != 0);
    if (!b->source) return;
    put(b, 2, add_text(b, "SourceFile"));
    put(b, 4, 2);
    put(b, 2, b->source);
}

enum cf_status cf_build_end(struct cf_build *b, const uint8_t **bytes, size_t *length) {
    end_code(b);
    if (!b->methods_count) end_fields(b);
    put_attributes(b);
    CF_TRY(b->pool.error.status);
    cf_put2(b->body + b->counted, b->methods_count);
    *length = 10 + (size_t)b->pool.length + b->length;
    uint8_t *p = cf_arena_alloc(b->empty.arena, *length);
    if (!p) {
        fail(b, CF_NO_MEMORY, "out of memory");
        return CF_NO_MEMORY;
    }
    *bytes = p;
    cf_put4(p, 0xCAFEBABE);
    cf_put4(p + 4, MAJOR_VERSION);
    cf_put2(p + 8, b->pool.count);
    memcpy(p + 10, b->pool.bytes, b->pool.length);
    memcpy(p + 10 + b->pool.length, b->body, b->length);
    return CF_OK;
}
