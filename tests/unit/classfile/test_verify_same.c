// What is shown of a rewritten method by comparing it with the original: of all that passes edit in
// their ways, and of nothing that does not verify.

#include "classfile/edit.h"
#include "tests/unit/run.h"
#include "tests/unit/verify_cases.h"
#include "tests/verify/breaking.h"

enum { MUTANTS = 300 }; // of each case

static struct cf_same_memory memory;
static const char *put_descriptor = "(JJI)V";
static int number = 1000;

struct rewritten {
    struct cf_arena arena;
    struct cf_class cls, view;
    struct cf_rewrite rewrite;
    uint8_t *was, *bytes;
    size_t length;
    struct cf_verifier *verifier;
    struct cf_same *same;
    uint32_t method;
};

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

// Such code as timing puts in: two locals that are set at the entry, and used at all exits.
static void put_in(struct cf_edit *edit) {
    struct cf_callee get = cf_callee_new(edit->rewrite, "t/R", "get", "()J"),
                     put = cf_callee_new(edit->rewrite, "t/R", "put", put_descriptor);
    uint32_t a = cf_new_local(edit, "J", 1), b = cf_new_local(edit, "J", 1);
    struct cf_snippet *enter = cf_snippet_new(edit), *leave = cf_snippet_new(edit);
    cf_call(enter, get);
    cf_local(enter, CF_OP_lstore, a);
    cf_call(enter, get);
    cf_local(enter, CF_OP_lstore, b);
    cf_local(leave, CF_OP_lload, a);
    cf_local(leave, CF_OP_lload, b);
    cf_push_int(leave, number);
    cf_call(leave, put);
    cf_insert_entry(edit, enter);
    cf_insert_exits(edit, leave);
    cf_insert_thrown(edit, leave);
    if (cf_edit_constructor(edit) == CF_OK && edit->constructor)
        cf_insert_thrown_early(edit, leave);
}

// The method of the case that is named so. 0: it cannot be edited.
static int rewrite(struct rewritten *r, const struct verify_case *t) {
    size_t length;
    memset(r, 0, sizeof *r);
    cf_arena_init(&r->arena);
    r->was = verify_build(t, &length);
    ck_assert_int_eq(cf_class_open(&r->cls, r->was, length, &r->arena), CF_OK);
    ck_assert_int_eq(cf_rewrite_begin(&r->rewrite, &r->cls), CF_OK);
    for (uint32_t i = 0; i < r->cls.methods_count; i++) {
        struct cf_edit *edit;
        if (!r->cls.methods[i].code) continue;
        r->method = i;
        if (cf_edit_begin(&r->rewrite, &r->cls.methods[i], &edit) != CF_OK) return 0;
        put_in(edit);
        if (cf_edit_commit(edit) != CF_OK) return 0;
    }
    if (!r->rewrite.methods_changed) return 0;
    ck_assert_int_eq(cf_rewrite_encode(&r->rewrite, allocate, NULL, &r->bytes, &r->length), CF_OK);
    ck_assert_int_eq(cf_rewritten_view(&r->rewrite, r->bytes, r->length, &r->view), CF_OK);
    r->verifier = cf_verifier_new(&r->view, NULL, NULL);
    r->same = cf_same_new(&r->rewrite, &r->view, r->verifier, &memory);
    return r->same != NULL;
}

static void close_rewritten(struct rewritten *r) {
    free(r->was);
    free(r->bytes);
    cf_arena_free(&r->arena);
}

START_TEST(what_is_broken_is_not_shown) {
    const struct verify_case *t = &cases[_i];
    struct rewritten r;
    char text[600];
    if (!t->reason && rewrite(&r, t) && cf_same_method(r.same, r.method)) {
        struct cf_verifier *full = cf_verifier_new(&r.view, NULL, NULL);
        const struct cf_member *m = &r.view.methods[r.method];
        uint32_t size = cf_be4(r.bytes + m->code + 2) + 6;
        uint8_t *saved = malloc(size);
        memcpy(saved, r.bytes + m->code, size);
        ck_assert_msg(breaking_passes(r.same, full, r.method, text, sizeof text), "%s: %s", t->name,
                      text);
        struct target target = {r.same, r.same->v->code, r.bytes};
        for (int i = 0; i < MUTANTS; i++) {
            break_method(&target);
            int shown = cf_same_method(r.same, r.method);
            if (shown && !breaking_passes(r.same, full, r.method, text, sizeof text))
                ck_abort_msg("%s: %s", t->name, text);
            memcpy(r.bytes + m->code, saved, size);
            if (!cf_same_method(r.same, r.method)) ck_abort_msg("%s: not shown again", t->name);
        }
        free(saved);
    }
    if (!t->reason) close_rewritten(&r);
}
END_TEST

// Methods as compilers make them, and what changes them; all that keeps to the limits of what was
// there would pass for the original.
static const struct verify_case shown[] = {
    VERIFY_SUM,
    VERIFY_PAIR,
    {"loop()V", "1 0", "L1: iconst_0 ifeq:L1 return", "L1: |", 0, 0, 0},
    {"caught(I)I", "2 1", "L1: iload_0 iload_0 idiv ireturn L2: L3: pop iconst_0 ireturn",
     "L3: int | Throwable", "L1 L2 L3 any", 0, 0},
    // Its padding becomes longer.
    {"switched(I)V", "1 2",
     "L0: nop nop iload_0 tableswitch:L1:5:L2 L1: aconst_null athrow L2: return L3: pop return",
     "L1: int |; L2: int |; L3: int | Throwable", "L0 L2 L3 any", 0, 0},
    {"<init>(I)V", "2 2",
     "aload_0 iload_1 putfield:I aload_0 invokespecial:super_init iload_1 ifeq:L1 aconst_null "
     "athrow "
     "L1: return",
     "L1: T int |", 0, 0, 0},
};

START_TEST(of_what_compilers_make_it_is_shown) {
    struct rewritten r;
    ck_assert(rewrite(&r, &shown[_i]));
    ck_assert(cf_same_method(r.same, r.method));
    close_rewritten(&r);
}
END_TEST

// How much is known that has been seen in the class at hand.
static int known_here(void) {
    int count = 0;
    for (int i = 0; i < 16; i++) {
        const struct cf_same_known *entry = &memory.entries[i], *other = &memory.pieces[i];
        count += entry->length && entry->of_class == memory.classes;
        count += other->length && other->of_class == memory.classes;
    }
    return count;
}

// The entry and the exit, of which nothing is learned again where other locals and another number
// are in it; but which do not pass if what is called takes a float.
START_TEST(what_has_passed_is_known_in_other_classes) {
    static const struct verify_case other = {
        "other(IIIIII)I",
        "2 6",
        "L1: iload_0 iload_0 idiv ireturn L2: L3: pop iconst_0 ireturn",
        "L3: int int int int int int | Throwable",
        "L1 L2 L3 any",
        0,
        0};
    struct rewritten r;
    memset(&memory, 0, sizeof memory);
    ck_assert(rewrite(&r, &shown[0]));
    ck_assert(cf_same_method(r.same, r.method));
    ck_assert_int_eq(known_here(), 2);
    close_rewritten(&r);
    number = 2000;
    ck_assert(rewrite(&r, &other));
    ck_assert_int_eq(known_here(), 0);
    ck_assert(cf_same_method(r.same, r.method));
    ck_assert_int_eq(known_here(), 2);
    ck_assert(memmem(memory.pieces, sizeof memory.pieces, "\x03\xE8", 2));  // 1000
    ck_assert(!memmem(memory.pieces, sizeof memory.pieces, "\x07\xD0", 2)); // 2000
    close_rewritten(&r);
    put_descriptor = "(JJF)V";
    ck_assert(rewrite(&r, &other));
    ck_assert(!cf_same_method(r.same, r.method));
    close_rewritten(&r);
}
END_TEST

// Is what is shown of the method with a change so?
static void look_at_change(struct rewritten *r, struct cf_verifier *full, const char *name,
                           uint32_t at) {
    char text[600];
    if (cf_same_method(r->same, r->method) &&
        !breaking_passes(r->same, full, r->method, text, sizeof text))
        ck_abort_msg("%s, byte %u: %s", name, at, text);
}

// A range or handler anywhere: amid instructions, in the padding of switches, in what was put in.
START_TEST(entries_of_the_exception_table_are_at_instructions) {
    struct rewritten r;
    ck_assert(rewrite(&r, &shown[_i]));
    ck_assert(cf_same_method(r.same, r.method));
    struct cf_verifier *full = cf_verifier_new(&r.view, NULL, NULL);
    const struct cf_code code = r.same->v->code;
    for (uint32_t field = 0; field < 4u * code.exception_table_length; field++) {
        uint8_t *p = r.bytes + code.exception_table + 2 * field, saved[2] = {p[0], p[1]};
        for (uint32_t pc = 0; field % 4 < 3 && pc <= code.length; pc++) {
            cf_put2(p, pc);
            look_at_change(&r, full, shown[_i].name, code.exception_table + 2 * field);
        }
        memcpy(p, saved, 2);
    }
    close_rewritten(&r);
}
END_TEST

START_TEST(no_byte_is_changed_unnoticed) {
    struct rewritten r;
    ck_assert(rewrite(&r, &shown[_i]));
    ck_assert(cf_same_method(r.same, r.method));
    struct cf_verifier *full = cf_verifier_new(&r.view, NULL, NULL);
    const struct cf_code code = r.same->v->code;
    for (uint32_t at = code.offset - 8; at < code.end; at++) {
        uint8_t saved = r.bytes[at];
        for (unsigned value = 0; value < 256; value++) {
            r.bytes[at] = (uint8_t)value;
            look_at_change(&r, full, shown[_i].name, at);
        }
        r.bytes[at] = saved;
    }
    close_rewritten(&r);
}
END_TEST

// Of which bytes of the first rewritten method above, `at` behind the code's start, or of the
// Code attribute's own parts.
START_TEST(each_rule_is_kept) {
    static const struct {
        const char *rule;
        enum { IN_CODE, IN_LIMITS, IN_TABLE, IN_FRAMES } where;
        int at;
        uint8_t value;
    } changes[] = {
        // invokestatic get; lstore 4; invokestatic get; lstore 6; lconst_0; lstore_1; ...
        {"a local of the original is set", IN_CODE, 4, 1},
        {"a local is read before it is set", IN_CODE, 3, CF_OP_lload},
        {"a value stays on the stack", IN_CODE, 8, CF_OP_nop},
        {"an instruction is another one", IN_CODE, 10, CF_OP_lconst_1},
        {"less stack than the original has", IN_LIMITS, 1, 3},
        {"less stack than is needed now", IN_LIMITS, 1, 4},
        {"fewer locals", IN_LIMITS, 3, 7},
        {"a range begins amid an instruction", IN_TABLE, 1, 18},
        {"a range begins where the locals are not set", IN_TABLE, 1, 0},
        {"a handler without a frame", IN_TABLE, 5, 12},
        {"a handler for one class", IN_TABLE, 7, 1},
        {"one frame less", IN_FRAMES, 1, 2},
        {"a frame stands elsewhere", IN_FRAMES, 4, 15},
    };
    struct rewritten r;
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        ck_assert(rewrite(&r, &shown[0]));
        ck_assert(cf_same_method(r.same, r.method));
        const struct cf_code code = r.same->v->code;
        uint32_t at[] = {code.offset, code.offset - 8, code.exception_table, code.stack_map_table};
        uint8_t *p = r.bytes + at[changes[i].where] + changes[i].at;
        ck_assert_msg(*p != changes[i].value, "%s: as it was", changes[i].rule);
        *p = changes[i].value;
        ck_assert_msg(!cf_same_method(r.same, r.method), "%s", changes[i].rule);
        close_rewritten(&r);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("verify_same");
    TCase *tests = tcase_create("verify_same");
    tcase_add_loop_test(tests, what_is_broken_is_not_shown, 0, CASES);
    tcase_add_loop_test(tests, of_what_compilers_make_it_is_shown, 0, sizeof shown / sizeof *shown);
    tcase_add_test(tests, what_has_passed_is_known_in_other_classes);
    tcase_add_loop_test(tests, entries_of_the_exception_table_are_at_instructions, 0,
                        sizeof shown / sizeof *shown);
    tcase_add_loop_test(tests, no_byte_is_changed_unnoticed, 0, sizeof shown / sizeof *shown);
    tcase_add_test(tests, each_rule_is_kept);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
