// Filters of what Kotlin's compiler adds to whole methods.

#include "instr/cli/coverage/filter_kotlin.h"
#include "instr/cli/coverage/match.h"

#include <string.h>

// --- descriptors ---

// The arguments of a method: their number, the slots of all but the last `without`, and the last one.
struct arguments {
    uint32_t count, slots;
    struct cf_slice last;
};

static struct arguments arguments_of(struct cf_slice descriptor, uint32_t count, uint32_t without) {
    struct arguments result = {0, 0, {NULL, 0}};
    if (descriptor.length == 0) return result; // of a broken class
    const uint8_t *end = descriptor.bytes + descriptor.length, *p = descriptor.bytes + 1;
    while (p < end && *p != ')') {
        const uint8_t *after = cf_after_type(p, end);
        if (!after) break;
        if (result.count + without < count) result.slots += *p == 'J' || *p == 'D' ? 2 : 1;
        result.last = (struct cf_slice){p, (uint32_t)(after - p)};
        result.count++;
        p = after;
    }
    return result;
}

static int has_default_marker(struct cf_slice descriptor) {
    struct arguments a = arguments_of(descriptor, 0, 0);
    return a.count >= 2 && CF_IS(a.last, "Lkotlin/jvm/internal/DefaultConstructorMarker;");
}

static int is_default_method(const struct cover_filtering *f) {
    return cover_slice_ends(f->code->name, "$default");
}

static int is_default_constructor(const struct cover_filtering *f) {
    return CF_IS(f->code->name, "<init>") && has_default_marker(f->code->descriptor);
}

int cover_kotlin_is_written(const struct cover_filtering *f) {
    struct arguments a = arguments_of(f->code->descriptor, 0, 0);
    return is_default_method(f) || is_default_constructor(f) ||
           CF_IS(a.last, "Lkotlin/coroutines/Continuation;");
}

// --- methods ---

void cover_filter_kotlin_generated(struct cover_filtering *f) {
    if (!f->facts->source.bytes || !f->facts->is_kotlin) return;
    uint32_t first = 0;
    while (first < f->code->count && !f->code->starts_line[first]) first++;
    if (first == f->code->count)
        cover_ignore_method(f);
    else if (first > 0 && f->facts->release >= COVER_0_8_15)
        cover_ignore(f, 0, first - 1);
}

void cover_filter_kotlin_accessor(struct cover_filtering *f) {
    if (f->code->is_synthetic && cover_slice_starts(f->code->name, "access$"))
        cover_ignore_method(f);
}

void cover_filter_kotlin_enum(struct cover_filtering *f) {
    if (CF_IS(f->facts->super, "java/lang/Enum") && CF_IS(f->code->name, "getEntries") &&
        CF_IS(f->code->descriptor, "()Lkotlin/enums/EnumEntries;"))
        cover_ignore_method(f);
}

static int calls_default(const struct cover_filtering *f, uint32_t i) {
    struct cover_reference r = cover_reference_of(f->code, i);
    if (f->code->op[i] == CF_OP_invokestatic) return cover_slice_ends(r.name, "$default");
    return f->code->op[i] == CF_OP_invokespecial &&
           cover_slice_ends(r.descriptor, "Lkotlin/jvm/internal/DefaultConstructorMarker;)V");
}

// The only line is that of the return, behind the call with all defaults.
void cover_filter_kotlin_overloads(struct cover_filtering *f) {
    uint32_t n = f->code->count;
    if (n < 2 || f->code->op[n - 1] != CF_OP_return || !f->code->starts_line[n - 1]) return;
    if (f->code->line[n - 1] + 1 != f->code->starts_line[n - 1] || !calls_default(f, n - 2)) return;
    for (uint32_t i = 0; i < n - 1; i++)
        if (f->code->starts_line[i]) return;
    cover_ignore_method(f);
}

void cover_filter_kotlin_static(struct cover_filtering *f) {
    if (!(f->code->method->access_flags & CF_ACC_STATIC) || f->code->labelled[0] ||
        f->code->op[0] != CF_OP_getstatic ||
        !cover_has_annotation(f->code, "RuntimeVisibleAnnotations", "Lkotlin/jvm/JvmStatic;"))
        return;
    struct cover_reference r = cover_reference_of(f->code, 0);
    if (cf_slice_equal(r.owner, f->facts->name) && CF_IS(r.name, "Companion"))
        cover_ignore_method(f);
}

void cover_filter_kotlin_value_class(struct cover_filtering *f) {
    if (f->facts->is_value_class && !(f->code->method->access_flags & CF_ACC_STATIC))
        cover_ignore_method(f);
}

void cover_filter_kotlin_boxed(struct cover_filtering *f) {
    const struct cover_code *code = f->code;
    if (!cover_has_annotation(f->code, "RuntimeInvisibleAnnotations",
                              "Lkotlin/jvm/JvmExposeBoxed;"))
        return;
    for (uint32_t i = 0; i < code->count; i++) {
        struct cf_slice name = cover_reference_of(code, i).name;
        if (code->op[i] == CF_OP_invokevirtual && CF_IS(name, "unbox-impl")) {
            if (i > 0 && code->op[i - 1] == CF_OP_aload && !code->labelled[i])
                cover_ignore_method(f);
            return;
        }
        if (code->op[i] == CF_OP_invokestatic && CF_IS(name, "box-impl")) {
            if (i + 1 < code->count && code->op[i + 1] == CF_OP_areturn && !code->labelled[i + 1])
                cover_ignore_method(f);
            return;
        }
    }
}

// --- serialization ---

static int is_serializer_of_object(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, 0);
    if (!f->code->starts_line[0] || !cover_match(&m, CF_OP_getstatic) ||
        !cover_slice_is(cover_reference_of(f->code, 0).name, "INSTANCE") ||
        !cover_match_type(&m, CF_OP_checkcast, "kotlinx/serialization/KSerializer") ||
        !cover_match(&m, CF_OP_areturn))
        return 0;
    return f->facts->companion_line == COVER_NO_LINE ||
           f->facts->companion_line == (int)f->code->line[0];
}

static int is_cached_serializer(struct cover_filtering *f) {
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, 0);
    return cover_match(&m, CF_OP_aload) && cover_variable_of(f->code, 0) == 0 &&
           cover_match_reference(&m, CF_OP_invokespecial, NULL, "get$cachedSerializer",
                                 "()Lkotlinx/serialization/KSerializer;") &&
           cf_slice_equal(cover_reference_of(f->code, 1).owner, f->facts->name) &&
           cover_match(&m, CF_OP_areturn);
}

static int is_for_serialization(struct cover_filtering *f) {
    struct cf_slice name = f->code->name;
    int gives_serializer = CF_IS(f->code->descriptor, "()Lkotlinx/serialization/KSerializer;");
    if (CF_IS(name, "serializer") && gives_serializer)
        return is_serializer_of_object(f) || is_cached_serializer(f);
    if (!f->code->is_synthetic) return 0;
    if (cover_slice_starts(name, "write$Self$")) return 1;
    if (gives_serializer &&
        (CF_IS(name, "get$cachedSerializer") || cover_slice_starts(name, "_init_$_anonymous_") ||
         cover_slice_starts(name, "_childSerializers$_anonymous_")))
        return 1;
    struct arguments a = arguments_of(f->code->descriptor, 0, 0);
    return a.count > 1 &&
           CF_IS(a.last, "Lkotlinx/serialization/internal/SerializationConstructorMarker;");
}

void cover_filter_kotlin_serializable(struct cover_filtering *f) {
    if (cover_slice_ends(f->facts->name, "$Companion") && CF_IS(f->code->name, "<init>") &&
        CF_IS(f->code->descriptor, "()V")) {
        f->facts->companion_line = COVER_NO_LINE;
        for (uint32_t i = 0; i < f->code->count; i++)
            if (f->code->starts_line[i]) f->facts->companion_line = (int)f->code->line[i];
    } else if (is_for_serialization(f)) {
        cover_ignore_method(f);
    }
}

// --- default methods and arguments ---

void cover_filter_kotlin_default_methods(struct cover_filtering *f) {
    const struct cover_code *code = f->code;
    if (!f->facts->is_kotlin) return;
    if (code->count > 1 && code->op[0] == CF_OP_aload && cover_variable_of(code, 0) == 0 &&
        code->op[1] == CF_OP_invokestatic &&
        cover_slice_ends(cover_reference_of(code, 1).owner, "$DefaultImpls"))
        cover_ignore_method(f);
    if (f->facts->release < COVER_0_8_15 || !cover_slice_ends(f->facts->name, "$DefaultImpls"))
        return;
    for (uint32_t i = 0; i < code->count; i++) {
        if (code->op[i] < CF_OP_invokevirtual || code->op[i] > CF_OP_invokeinterface) continue;
        struct cf_slice name = cover_reference_of(code, i).name;
        if (cover_slice_starts(name, "access$") && cover_slice_ends(name, "$jd"))
            cover_ignore_method(f);
    }
}

// The variable of the mask, which follows the arguments. Since 0.8.15 there may be several masks.
static uint32_t mask_of(const struct cover_filtering *f, int is_constructor) {
    uint32_t count = arguments_of(f->code->descriptor, 0, 0).count, masks = 1;
    if (f->facts->release >= COVER_0_8_15 && count > 2) masks = (count - 2) / 33 + 1;
    return arguments_of(f->code->descriptor, count, masks + 1).slots + (is_constructor ? 1 : 0);
}

// Ignores the check that a super call gives all arguments. Returns the instruction behind it.
static uint32_t ignore_check(struct cover_filtering *f, uint32_t first) {
    static const char error[] = "java/lang/UnsupportedOperationException";
    struct cover_matcher m = {.code = f->code};
    cover_match_start(&m, first);
    if (!cover_match(&m, CF_OP_ifnull) || !cover_match_type(&m, CF_OP_new, error) ||
        !cover_match(&m, CF_OP_dup) ||
        !cover_match_string(&m,
                            "Super calls with default arguments not supported in this target") ||
        !cover_match_reference(&m, CF_OP_invokespecial, error, "<init>", "(Ljava/lang/String;)V") ||
        !cover_match(&m, CF_OP_athrow))
        return 0;
    cover_ignore(f, 0, cover_match_at(&m));
    return m.next;
}

void cover_filter_kotlin_default_arguments(struct cover_filtering *f) {
    const struct cover_code *code = f->code;
    int is_method = is_default_method(f), is_old = f->facts->release < COVER_0_8_15;
    if (!f->code->is_synthetic || !f->facts->is_kotlin ||
        (!is_method && !is_default_constructor(f)))
        return;
    uint32_t mask = mask_of(f, !is_method);
    uint32_t i = ignore_check(f, is_old && code->labelled[0] ? 0 : 1);
    uint32_t from = i, checks = 0;
    if (i == 0 && is_old && code->labelled[0]) return;
    // The first pass sees whether all of it is as expected, the second ignores.
    for (int pass = 0; pass < 2; pass++) {
        for (i = from; i < code->count && code->op[i] == CF_OP_iload; checks++) {
            uint32_t variable = cover_variable_of(code, i);
            if (is_old ? variable != mask : variable < mask) break;
            if (i + 3 >= code->count || code->op[i + 2] != CF_OP_iand ||
                code->op[i + 3] != CF_OP_ifeq)
                return;
            if (checks > 2 * code->count) return; // jumps back
            uint32_t jump = i + 3;
            i = cover_target(code, jump);
            if (pass == 1) cover_ignore(f, jump, jump);
        }
    }
}

// --- inline functions ---

void cover_filter_kotlin_inline(struct cover_filtering *f) {
    if (!f->facts->first_inlined_line) return;
    for (uint32_t i = 0; i < f->code->count; i++)
        if (f->code->line[i] != COVER_UNKNOWN_LINE &&
            f->code->line[i] >= f->facts->first_inlined_line)
            cover_ignore(f, i, i);
}
