// Classes in Java that plug-ins bring, and the bridges to them.
//
//      code of the program -> InstrHelper3.order(..) in the runtime's package -> com.acme.Probe.order(..)
//
// A helper keeps its name, in the bootstrap loader. Not every loader and module sees it there; all see the
// runtime's package. What a helper throws is reported and dropped, and a helper that calls code with
// calls of helpers does not get these calls: the bridge returns 0 or null instead.

#include "instr/plugins/internal.h"

#include "classfile/edit.h"
#include "classfile/format/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct instr_plugin_helper *instr_plugin_new_helper(const void *bytes, size_t length) {
    struct instr_plugin_helper *helper = calloc(1, sizeof *helper);
    if (!helper) return NULL;
    cf_arena_init(&helper->arena);
    strcpy(helper->bridge, "java/lang/InstrHelper0"); // for instr check, which has no bridges
    uint8_t *copy = cf_arena_alloc(&helper->arena, length);
    if (!copy) {
        instr_plugin_free_helpers(helper);
        return NULL;
    }
    memcpy(copy, bytes, length);
    if (cf_class_open(&helper->cls, copy, length, &helper->arena) == CF_OK &&
        cf_this_name(&helper->cls).length < sizeof helper->name)
        snprintf(helper->name, sizeof helper->name, "%.*s", (int)cf_this_name(&helper->cls).length,
                 (const char *)cf_this_name(&helper->cls).bytes);
    return helper;
}

void instr_plugin_free_helpers(struct instr_plugin_helper *helpers) {
    while (helpers) {
        struct instr_plugin_helper *next = helpers->next;
        cf_arena_free(&helpers->arena);
        free(helpers);
        helpers = next;
    }
}

static bool is_called(const struct cf_class *cls, const struct cf_member *method) {
    const unsigned wanted = CF_ACC_PUBLIC | CF_ACC_STATIC;
    unsigned slots, result;
    return (method->access_flags & wanted) == wanted &&
           cf_method_slots(cf_member_descriptor(cls, method), &slots, &result) && slots < 250;
}

const struct cf_member *instr_plugin_find_helped(const struct instr_plugin_helper *helper,
                                                 const char *name, uint32_t count) {
    const struct cf_class *cls = &helper->cls;
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *m = &cls->methods[i];
        char types[INSTR_PLUGIN_PARAMETERS], result;
        if (is_called(cls, m) && cf_slice_is(cf_member_name(cls, m), name, strlen(name)) &&
            instr_plugin_read_types(cf_member_descriptor(cls, m), types, &result) == count)
            return m;
    }
    return NULL;
}

// --- bridges ---

struct bridge {
    const struct instr_plugin_helper *helper;
    const char *package;
    struct cf_arena *arena;
};

static const char *text_of(const struct bridge *b, struct cf_slice slice) {
    char *text = cf_arena_alloc(b->arena, (size_t)slice.length + 1);
    if (!text) return "";
    memcpy(text, slice.bytes, slice.length);
    text[slice.length] = '\0';
    return text;
}

// A method that only calls that of the helper.
static void add_call(const struct bridge *b, struct cf_build *build, const struct cf_member *m) {
    const struct cf_class *cls = &b->helper->cls;
    char types[INSTR_PLUGIN_PARAMETERS], result;
    unsigned slots, result_slots, local = 0;
    const char *name = text_of(b, cf_member_name(cls, m)),
               *descriptor = text_of(b, cf_member_descriptor(cls, m));
    uint32_t count = instr_plugin_read_types(cf_member_descriptor(cls, m), types, &result);
    cf_method_slots(cf_member_descriptor(cls, m), &slots, &result_slots);
    cf_build_method(build, CF_ACC_PUBLIC | CF_ACC_STATIC, name, descriptor,
                    slots > result_slots ? slots : result_slots, slots);
    for (uint32_t i = 0; i < count; i++) {
        cf_build_op1(build, cf_load_of(types[i]), local);
        local += types[i] == 'J' || types[i] == 'D' ? 2 : 1;
    }
    uint8_t tag =
        cls->access_flags & CF_ACC_INTERFACE ? CF_TAG_INTERFACE_METHODREF : CF_TAG_METHODREF;
    cf_build_op2(build, CF_OP_invokestatic,
                 cf_add_reference(&build->pool, tag, b->helper->name, name, descriptor));
    cf_build_op(build, instr_plugin_return_of(result));
}

static struct cf_callee callee(const struct bridge *b, struct cf_edit *edit, const char *name,
                               const char *descriptor) {
    char runtime[64];
    snprintf(runtime, sizeof runtime, "%sInstrPlugin", b->package);
    return cf_callee_new(edit->rewrite, runtime, name, descriptor);
}

static void return_nothing(struct cf_snippet *s, char result) {
    if (result != 'V') cf_op(s, instr_plugin_nothing_of(result));
    cf_op(s, instr_plugin_return_of(result));
}

// slot = InstrPlugin.begin(), or -1 if that fails for want of stack; below 0 the bridge returns.
static void insert_entry(const struct bridge *b, struct cf_edit *edit, uint32_t slot, char result) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t start = cf_label(s), end = cf_label(s), failed = cf_label(s), known = cf_label(s),
             go_on = cf_label(s);
    cf_op(s, CF_OP_iconst_m1);
    cf_local(s, CF_OP_istore, slot);
    cf_handler(s, start, end, failed, 0);
    cf_place(s, start);
    cf_call(s, callee(b, edit, "begin", "()I"));
    cf_local(s, CF_OP_istore, slot);
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, known);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_place(s, known);
    cf_local(s, CF_OP_iload, slot);
    cf_branch_to(s, CF_OP_ifge, go_on);
    return_nothing(s, result);
    cf_place(s, go_on);
    cf_insert_entry(edit, s);
}

static void insert_exits(const struct bridge *b, struct cf_edit *edit, uint32_t slot) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_local(s, CF_OP_iload, slot);
    cf_call(s, callee(b, edit, "end", "(I)V"));
    cf_insert_exits(edit, s);
}

// InstrPlugin.failed says whether the exception goes on; not if that fails, too.
static void insert_thrown(const struct bridge *b, struct cf_edit *edit, uint32_t slot, char result,
                          const char *method) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t thrown = cf_new_local(edit, "Ljava/lang/Throwable;", 0),
             on = cf_new_local(edit, "I", 0);
    uint32_t start = cf_label(s), end = cf_label(s), failed = cf_label(s), known = cf_label(s),
             rethrow = cf_label(s);
    cf_local(s, CF_OP_astore, thrown);
    cf_op(s, CF_OP_iconst_0);
    cf_local(s, CF_OP_istore, on);
    cf_handler_at_depth(s, start, end, failed, 0, 1);
    cf_place(s, start);
    cf_local(s, CF_OP_aload, thrown);
    cf_push_constant(s, cf_add_string(&edit->rewrite->pool, method, strlen(method)));
    cf_local(s, CF_OP_iload, slot);
    cf_call(s, callee(b, edit, "failed", "(Ljava/lang/Throwable;Ljava/lang/String;I)I"));
    cf_local(s, CF_OP_istore, on);
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, known);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_place(s, known);
    cf_local(s, CF_OP_iload, on);
    cf_branch_to(s, CF_OP_ifne, rethrow);
    return_nothing(s, result);
    cf_place(s, rethrow);
    cf_local(s, CF_OP_aload, thrown);
    cf_insert_thrown(edit, s);
}

static enum cf_status guard(const struct bridge *b, struct cf_rewrite *rewrite,
                            const struct cf_member *m) {
    struct cf_edit *edit = NULL;
    char types[INSTR_PLUGIN_PARAMETERS], result, method[sizeof b->helper->name + 256];
    CF_TRY(cf_edit_begin(rewrite, m, &edit));
    instr_plugin_read_types(cf_member_descriptor(rewrite->cls, m), types, &result);
    int n = snprintf(method, sizeof method, "%s.%.*s", b->helper->name,
                     (int)cf_member_name(rewrite->cls, m).length,
                     (const char *)cf_member_name(rewrite->cls, m).bytes);
    for (int i = 0; i < n && method[i]; i++)
        if (method[i] == '/') method[i] = '.';
    uint32_t slot = cf_new_local(edit, "I", 1);
    insert_entry(b, edit, slot, result);
    insert_exits(b, edit, slot);
    insert_thrown(b, edit, slot, result, method);
    enum cf_status status = cf_edit_commit(edit);
    if (status != CF_OK) rewrite->cls->error = edit->error;
    return status;
}

static void *from_arena(void *context, size_t size) {
    return cf_arena_alloc(context, size);
}

enum cf_status instr_plugin_bridge(const struct instr_plugin_helper *helper, const char *package,
                                   struct cf_arena *arena, uint8_t **bytes, size_t *length,
                                   struct cf_error *error) {
    const struct bridge b = {helper, package, arena};
    struct cf_build build;
    struct cf_class cls;
    struct cf_rewrite rewrite;
    const uint8_t *plain;
    cf_build_begin(&build, arena, CF_ACC_PUBLIC | CF_ACC_FINAL | CF_ACC_SYNTHETIC, helper->bridge);
    for (uint32_t i = 0; i < helper->cls.methods_count; i++)
        if (is_called(&helper->cls, &helper->cls.methods[i]))
            add_call(&b, &build, &helper->cls.methods[i]);
    enum cf_status status = cf_build_end(&build, &plain, length);
    *error = build.pool.error;
    if (status != CF_OK) return status;
    status = cf_class_open(&cls, plain, *length, arena);
    if (status == CF_OK) status = cf_rewrite_begin(&rewrite, &cls);
    for (uint32_t i = 0; status == CF_OK && i < cls.methods_count; i++)
        status = guard(&b, &rewrite, &cls.methods[i]);
    if (status == CF_OK) status = cf_rewrite_encode(&rewrite, from_arena, arena, bytes, length);
    *error = cls.error;
    return status;
}
