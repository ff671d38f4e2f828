// Filters of whole methods.

#include "instr/cli/coverage/filter_methods.h"
#include "instr/cli/coverage/filter_kotlin.h"
#include "instr/cli/coverage/match.h"

#include <string.h>

void cover_filter_synthetic_class(struct cover_filtering *f) {
    if (f->facts->is_synthetic) cover_ignore_method(f);
}

void cover_filter_synthetic(struct cover_filtering *f) {
    struct cf_slice name = f->code->name;
    if (!f->code->is_synthetic) return;
    if (cover_slice_starts(name, "lambda$")) return;
    if (f->facts->is_scala && cover_slice_starts(name, "$anonfun$")) return;
    if (f->facts->is_kotlin && cover_kotlin_is_written(f)) return;
    cover_ignore_method(f);
}

void cover_filter_bridge(struct cover_filtering *f) {
    if (f->code->method->access_flags & CF_ACC_BRIDGE) cover_ignore_method(f);
}

// --- enums ---

// Is it BEFORE, the name of the class, and ";"?
static int is_with_class(struct cf_slice text, const char *before, struct cf_slice name) {
    size_t n = strlen(before);
    return text.length == n + name.length + 1 && memcmp(text.bytes, before, n) == 0 &&
           memcmp(text.bytes + n, name.bytes, name.length) == 0 &&
           text.bytes[n + name.length] == ';';
}

void cover_filter_enum(struct cover_filtering *f) {
    struct cf_slice name = f->code->name, descriptor = f->code->descriptor;
    if (!CF_IS(f->facts->super, "java/lang/Enum")) return;
    if ((CF_IS(name, "values") && is_with_class(descriptor, "()[L", f->facts->name)) ||
        (CF_IS(name, "valueOf") &&
         is_with_class(descriptor, "(Ljava/lang/String;)L", f->facts->name)))
        cover_ignore_method(f);
}

static int starts_with_this(struct cover_matcher *m) {
    cover_match_start(m, 0);
    return cover_match(m, CF_OP_aload) && cover_variable_of(m->code, 0) == 0;
}

void cover_filter_enum_constructor(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    static const char descriptor[] = "(Ljava/lang/String;I)V";
    if (CF_IS(f->facts->super, "java/lang/Enum") && CF_IS(f->code->name, "<init>") &&
        CF_IS(f->code->descriptor, descriptor) && starts_with_this(&m) &&
        cover_match(&m, CF_OP_aload) && cover_match(&m, CF_OP_iload) &&
        cover_match_reference(&m, CF_OP_invokespecial, "java/lang/Enum", "<init>", descriptor) &&
        cover_match(&m, CF_OP_return))
        cover_ignore_method(f);
}

void cover_filter_private_constructor(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    if (f->code->method->access_flags & CF_ACC_PRIVATE && CF_IS(f->code->name, "<init>") &&
        CF_IS(f->code->descriptor, "()V") && starts_with_this(&m) &&
        cover_match_reference(&m, CF_OP_invokespecial, NULL, "<init>", "()V") &&
        cf_slice_equal(cover_reference_of(f->code, 1).owner, f->facts->super) &&
        cover_match(&m, CF_OP_return))
        cover_ignore_method(f);
}

// --- records ---

// Does the call at `i` have the bootstrap method of records, and this name?
static int is_of_records(const struct cover_filtering *f, uint32_t i, const char *name) {
    const struct cf_class *cls = f->code->cls;
    const uint8_t *entry =
        cf_entry(cls, cf_be2(f->code->code.bytes + f->code->code.pc[i] + 1), CF_TAG_INVOKE_DYNAMIC);
    if (!entry || !cover_slice_is(cover_reference_of(f->code, i).name, name)) return 0;
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_class_attributes(cls, &ignored);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a)) {
        if (!CF_IS(a.name, "BootstrapMethods") || a.length < 2) continue;
        const uint8_t *p = cls->bytes + a.info + 2, *end = cls->bytes + a.info + a.length;
        for (uint32_t k = cf_be2(entry); k > 0 && end - p >= 4; k--) {
            uint32_t size = 4 + 2u * cf_be2(p + 2);
            p = (size_t)(end - p) >= size ? p + size : end;
        }
        const uint8_t *handle =
            end - p >= 4 ? cf_entry(cls, cf_be2(p), CF_TAG_METHOD_HANDLE) : NULL;
        struct cf_slice owner, method, descriptor;
        return handle && cf_reference(cls, cf_be2(handle + 1), &owner, &method, &descriptor) &&
               CF_IS(owner, "java/lang/runtime/ObjectMethods") && CF_IS(method, "bootstrap");
    }
    return 0;
}

static int is_record_method(struct cover_filtering *f, const char *name, const char *descriptor,
                            int arguments, unsigned returns) {
    struct cover_matcher m = {.code = f->code};
    if (!cover_slice_is(f->code->name, name) || !cover_slice_is(f->code->descriptor, descriptor))
        return 0;
    if (!starts_with_this(&m)) return 0;
    if (arguments && !cover_match(&m, CF_OP_aload)) return 0;
    return cover_match(&m, CF_OP_invokedynamic) && is_of_records(f, cover_match_at(&m), name) &&
           cover_match(&m, returns);
}

static int is_accessor(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    if (!cover_slice_starts(f->code->descriptor, "()")) return 0;
    if (!starts_with_this(&m) || !cover_match(&m, CF_OP_getfield)) return 0;
    if (!cf_slice_equal(cover_reference_of(f->code, 1).name, f->code->name)) return 0;
    unsigned op = cover_match_peek(&m);
    return op >= CF_OP_ireturn && op <= CF_OP_areturn;
}

void cover_filter_record(struct cover_filtering *f) {
    if (!CF_IS(f->facts->super, "java/lang/Record")) return;
    if (is_record_method(f, "equals", "(Ljava/lang/Object;)Z", 1, CF_OP_ireturn) ||
        is_record_method(f, "hashCode", "()I", 0, CF_OP_ireturn) ||
        is_record_method(f, "toString", "()Ljava/lang/String;", 0, CF_OP_areturn) ||
        (f->facts->release >= COVER_0_8_15 && is_accessor(f)))
        cover_ignore_method(f);
}

// --- annotations ---

void cover_filter_generated(struct cover_filtering *f) {
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_member_attributes(f->code->cls, f->code->method, &ignored);
    struct cf_attribute a;
    int generated = f->facts->is_generated;
    while (!generated && cf_next_attribute(&walk, &a)) {
        if (!cover_has_annotations(&a)) continue;
        struct cover_annotations annotations = cover_annotations(f->code->cls, &a);
        struct cf_slice type;
        while (cover_next_annotation(&annotations, &type)) generated |= cover_is_generated(type);
    }
    if (generated) cover_ignore_method(f);
}
