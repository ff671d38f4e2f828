// Names are appended to the constant pool, and what used the old ones points to the new ones: texts that are also
// strings or names of members stay. All other bytes keep their place. Attributes about nests and nested classes
// would name classes that are elsewhere; they get a name that no JVM knows.

#include "instr/kit/rename.h"
#include "classfile/code.h"
#include "classfile/pool.h"
#include "instr/kit/naming.h"
#include "instr/kit/source.h"

struct renaming {
    struct instr_kit *kit;
    struct instr_kit_class *made;
    const struct cf_class *cls;
    struct cf_pool pool;
    uint8_t *bytes; // a copy of the class file
    bool has_source_file;
};

static uint16_t add_text(struct renaming *r, const char *text) {
    return cf_add_utf8(&r->pool, text, strlen(text));
}

// Points the two bytes at `offset`, the index of a descriptor or signature, to its new text.
static void patch_descriptor(struct renaming *r, uint32_t offset) {
    const char *text =
        kit_new_descriptor(r->kit, r->made, cf_utf8(r->cls, cf_be2(r->cls->bytes + offset)));
    if (text) cf_put2(r->bytes + offset, add_text(r, text));
}

static void patch_constants(struct renaming *r) {
    const struct cf_class *cls = r->cls;
    for (unsigned i = 1; i < cls->constant_pool_count; i++) {
        uint32_t at = cls->constant_pool[i];
        switch (cf_tag_at(cls, i)) {
        case CF_TAG_CLASS: {
            const char *name = kit_new_name(r->kit, r->made, cf_class_name(cls, i));
            if (name) cf_put2(r->bytes + at + 1, add_text(r, name));
            break;
        }
        case CF_TAG_NAME_AND_TYPE: patch_descriptor(r, at + 3); break;
        case CF_TAG_METHOD_TYPE: patch_descriptor(r, at + 1); break;
        default: break;
        }
    }
}

// LocalVariableTable and LocalVariableTypeTable, which debuggers read.
static void patch_local_variables(struct renaming *r, const struct cf_attribute *a) {
    enum { ENTRY_LENGTH = 10, DESCRIPTOR = 6 };
    uint32_t count = a->length >= 2 ? cf_be2(r->cls->bytes + a->info) : 0;
    for (uint32_t i = 0; i < count && 2 + (i + 1) * ENTRY_LENGTH <= a->length; i++)
        patch_descriptor(r, a->info + 2 + i * ENTRY_LENGTH + DESCRIPTOR);
}

static void patch_code(struct renaming *r, const struct cf_member *method) {
    struct cf_code code;
    struct cf_error error = {0};
    if (!method->code || cf_code_open(&code, r->cls, method, &error) != CF_OK) return;
    struct cf_walk walk =
        cf_walk_attributes(r->cls, code.attributes, code.attributes_count, code.end, &error);
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);)
        if (CF_IS(a.name, "LocalVariableTable") || CF_IS(a.name, "LocalVariableTypeTable"))
            patch_local_variables(r, &a);
}

static void patch_attributes(struct renaming *r, struct cf_walk walk) {
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);) {
        bool dropped = CF_IS(a.name, "InnerClasses") || CF_IS(a.name, "EnclosingMethod") ||
                       CF_IS(a.name, "NestHost") || CF_IS(a.name, "NestMembers");
        if (CF_IS(a.name, "Signature") && a.length == 2) patch_descriptor(r, a.info);
        if (dropped) cf_put2(r->bytes + a.offset, add_text(r, "instr.dropped"));
        if (CF_IS(a.name, "SourceFile") && a.length == 2) {
            cf_put2(r->bytes + a.info, add_text(r, r->kit->marker));
            r->has_source_file = true;
        }
    }
}

// Public, unless it is private to its class alone. A private method that others call becomes final: it was not
// overridden, and must not be.
static uint16_t opened(const struct renaming *r, unsigned flags, bool is_instance_method) {
    const unsigned access = CF_ACC_PUBLIC | CF_ACC_PRIVATE | CF_ACC_PROTECTED;
    bool is_private = flags & CF_ACC_PRIVATE;
    if (is_private && !r->made->source->opened_private) return (uint16_t)flags;
    if (is_private && is_instance_method && !(r->cls->access_flags & CF_ACC_INTERFACE))
        flags |= CF_ACC_FINAL;
    return (uint16_t)((flags & ~access) | CF_ACC_PUBLIC);
}

static void patch_member(struct renaming *r, const struct cf_member *m, bool is_method) {
    enum { DESCRIPTOR = 4 }; // its offset in field_info and method_info
    struct cf_error error = {0};
    struct cf_slice name = cf_member_name(r->cls, m);
    bool is_instance_method =
        is_method && !(m->access_flags & CF_ACC_STATIC) && !CF_IS(name, "<init>");
    if (!CF_IS(name, "<clinit>"))
        cf_put2(r->bytes + m->offset, opened(r, m->access_flags, is_instance_method));
    patch_descriptor(r, m->offset + DESCRIPTOR);
    patch_attributes(r, cf_member_attributes(r->cls, m, &error));
    if (is_method) patch_code(r, m);
}

static void patch_class(struct renaming *r) {
    struct cf_error error = {0};
    struct cf_walk fields = cf_walk_fields(r->cls, &error);
    patch_constants(r);
    for (struct cf_member field; cf_next_field(&fields, &field);) patch_member(r, &field, false);
    for (unsigned i = 0; i < r->cls->methods_count; i++) patch_member(r, &r->cls->methods[i], true);
    patch_attributes(r, cf_class_attributes(r->cls, &error));
    cf_put2(r->bytes + r->cls->constant_pool_end,
            r->cls->access_flags | CF_ACC_PUBLIC | CF_ACC_SYNTHETIC);
}

// The class file with the constants behind the old ones, and with SourceFile at its end if it had none.
static void join(struct renaming *r, uint16_t name, uint16_t value) {
    enum { ATTRIBUTE_LENGTH = 8 };
    uint32_t pool_end = r->cls->constant_pool_end, more = r->has_source_file ? 0 : ATTRIBUTE_LENGTH;
    uint32_t length = r->cls->length + r->pool.length + more;
    uint8_t *bytes = kit_alloc(r->kit, length, 1);
    if (!bytes) return;
    memcpy(bytes, r->bytes, pool_end);
    cf_put2(bytes + 8, r->pool.count);
    memcpy(bytes + pool_end, r->pool.bytes, r->pool.length);
    memcpy(bytes + pool_end + r->pool.length, r->bytes + pool_end, r->cls->length - pool_end);
    if (more) {
        uint8_t *end = bytes + length - more;
        cf_put2(bytes + r->pool.length + r->cls->attributes - 2, r->cls->attributes_count + 1u);
        cf_put2(end, name);
        cf_put4(end + 2, 2);
        cf_put2(end + 6, value);
    }
    r->made->bytes = bytes;
    r->made->length = length;
    r->made->texts = pool_end;
    r->made->texts_end = pool_end + r->pool.length;
}

void kit_rename_class(struct instr_kit *kit, struct instr_kit_class *made) {
    struct renaming r = {.kit = kit, .made = made, .cls = &made->source->cls};
    uint16_t name = 0, value = 0;
    cf_pool_init(&r.pool, r.cls);
    if (!(r.bytes = kit_alloc(kit, r.cls->length, 1))) return;
    memcpy(r.bytes, r.cls->bytes, r.cls->length);
    patch_class(&r);
    if (!r.has_source_file) {
        name = add_text(&r, "SourceFile");
        value = add_text(&r, kit->marker);
    }
    if (r.pool.error.status == CF_NO_MEMORY) kit->no_memory = true;
    if (r.pool.error.status)
        kit_problem(kit, true, kit_where(made->source, NULL), "%s cannot be renamed: %s",
                    made->original, r.pool.error.reason);
    else
        join(&r, name, value);
}
