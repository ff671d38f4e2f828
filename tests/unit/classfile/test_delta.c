// The comparison of a rewritten method with its original (delta.h): it takes what is put into a method
// that verifies, and nothing that the check in full refuses.

#include "classfile/rewritten/delta.h"
#include "classfile/rewritten/rewritten.h"
#include "tests/unit/run.h"
#include "tests/unit/verify_cases.h"

static const struct verify_case methods[] = {
    VERIFY_SUM,
    VERIFY_PAIR,
    {"instance(Ljava/lang/String;)I", "1 2", "aload_0 invokevirtual:length ireturn", 0, 0, 0, 0},
    {"object(I)Ljava/lang/Object;", "3 1",
     "new:String dup invokespecial:string_init iload_0 ifeq:L1 areturn L1: areturn",
     "L1: int | String", 0, 0, 0},
    {"uninitialized(I)Ljava/lang/Object;", "2 1",
     "new:String iload_0 ifeq:L1 nop L1: dup invokespecial:string_init areturn", "L1: int | new@0",
     0, 0, 0},
    {"twoNew(I)V", "3 1", "new:Object new:Object iload_0 ifeq:L1 nop L1: pop pop return",
     "L1: int | new@0 new@3", 0, 0, 0},
    {"between(I)I", "2 1", "iload_0 L1: iconst_1 iadd ireturn", "L1: int | int", 0, 0, 0},
    {"choice(I)I", "1 2", "iload_0 tableswitch:L2:3:L1 L1: iconst_1 ireturn L2: iconst_2 ireturn",
     "L1: int | ; L2: int |", 0, 0, 0},
    {"caught(Ljava/lang/String;)I", "1 2",
     "L1: aload_0 invokevirtual:length istore_1 L2: iload_1 ireturn L3: pop iconst_m1 ireturn",
     "L3: String | Throwable", "L1 L2 L3 Throwable", 0, 0},
    {"<init>(I)V", "2 2", "aload_0 invokespecial:super_init iload_1 ifeq:L1 nop L1: return",
     "L1: T int |", 0, 0, 0},
    {"<init>(J)V", "3 3",
     "aload_0 iconst_1 newarray:10 arraylength invokespecial:this_init "
     "lload_1 l2i newarray:10 pop return",
     0, 0, 0, 0},
};
enum { METHODS = sizeof methods / sizeof *methods };

// A method before and after it was rewritten.
struct pair {
    struct cf_arena arena, scratch; // scratch: of the verifiers
    struct cf_class cls, view;
    struct cf_rewrite rewrite;
    uint8_t *original, *bytes;
    size_t length;
    uint32_t method; // index
};

static void *from_arena(void *arena, size_t size) {
    return cf_arena_alloc(arena, size);
}

// What each way of rewriting puts in, besides calls at the entry, in the middle, at the exits, and for
// exceptions.
enum way {
    TIMED,         // a new local
    COUNTED,       // nothing
    SETS_AT_ENTRY, // a local of the original
    SETS_LATER,    // the same, in the middle of the code
    CHANGES        // its new local, in the middle
};

static const struct cf_snippet *sets(struct cf_edit *edit, uint32_t local) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_fconst_1);
    cf_local(s, CF_OP_fstore, local);
    return s;
}

static void put_in(struct cf_rewrite *rewrite, struct cf_edit *edit, enum way way) {
    int has_local = way == TIMED || way == CHANGES;
    uint32_t local = has_local ? cf_new_local(edit, "J", 1) : 0, middle = edit->code.count / 2;
    struct cf_callee called = cf_callee_new(rewrite, "a/Runtime", "called", "(I)V");
    struct cf_callee clock = cf_callee_new(rewrite, "java/lang/System", "nanoTime", "()J");
    struct cf_callee timed = cf_callee_new(rewrite, "a/Runtime", "timed", "(JI)V");
    struct cf_snippet *entry = cf_snippet_new(edit), *exit = cf_snippet_new(edit);
    cf_push_int(entry, 70000);
    cf_call(entry, called);
    if (has_local) {
        cf_call(entry, clock);
        cf_local(entry, CF_OP_lstore, local);
        cf_local(exit, CF_OP_lload, local);
    }
    cf_push_int(exit, 3);
    cf_call(exit, has_local ? timed : called);
    cf_insert_entry(edit, way == SETS_AT_ENTRY ? sets(edit, 0) : entry);
    cf_insert_exits(edit, exit);
    cf_insert_thrown(edit, exit);
    if (cf_is_constructor(rewrite->cls, edit->method)) cf_insert_thrown_early(edit, exit);
    cf_insert_before(edit, middle, way >= SETS_LATER ? sets(edit, local) : exit);
}

static void open_pair(struct pair *p, const struct verify_case *t, enum way way) {
    struct cf_edit *edit;
    size_t length;
    memset(p, 0, sizeof *p);
    cf_arena_init(&p->arena);
    cf_arena_init(&p->scratch);
    p->original = verify_build(t, &length);
    ck_assert_int_eq(cf_class_open(&p->cls, p->original, length, &p->arena), CF_OK);
    while (!p->cls.methods[p->method].code) p->method++;
    ck_assert_int_eq(cf_rewrite_begin(&p->rewrite, &p->cls), CF_OK);
    ck_assert_int_eq(cf_edit_begin(&p->rewrite, &p->cls.methods[p->method], &edit), CF_OK);
    put_in(&p->rewrite, edit, way);
    ck_assert_int_eq(cf_edit_commit(edit), CF_OK);
    ck_assert_int_eq(cf_rewrite_encode(&p->rewrite, from_arena, &p->arena, &p->bytes, &p->length),
                     CF_OK);
    ck_assert_int_eq(cf_rewritten_view(&p->rewrite, p->bytes, p->length, &p->view), CF_OK);
    p->view.arena = &p->scratch;
}

static void close_pair(struct pair *p) {
    free(p->original);
    cf_arena_free(&p->arena);
    cf_arena_free(&p->scratch);
}

static int holds(struct pair *p) {
    struct cf_delta *delta = cf_delta_new(&p->rewrite, &p->view);
    struct cf_verifier *v = cf_verifier_new(&p->view, NULL, NULL);
    ck_assert(v);
    return delta && cf_delta_holds(delta, v, p->method);
}

static int verifies(struct pair *p) {
    struct cf_verify_failure failure;
    struct cf_verify_original original = cf_rewritten_original(&p->rewrite, p->method);
    struct cf_verifier *v = cf_verifier_new(&p->view, NULL, NULL);
    return cf_verify_rewritten(v, &p->view.methods[p->method], &original, &failure) == CF_OK;
}

START_TEST(what_passes_put_in_holds) {
    for (enum way way = TIMED; way <= COUNTED; way++) {
        struct pair p;
        open_pair(&p, &methods[_i], way);
        ck_assert_msg(holds(&p), "%s", methods[_i].name);
        ck_assert_msg(verifies(&p), "%s", methods[_i].name);
        close_pair(&p);
    }
}
END_TEST

START_TEST(what_sets_other_locals_than_its_own_once_does_not_hold) {
    for (enum way way = SETS_AT_ENTRY; way <= CHANGES; way++) {
        struct pair p;
        open_pair(&p, &methods[_i], way);
        ck_assert_msg(!holds(&p), "%s, way %d", methods[_i].name, (int)way);
        close_pair(&p);
    }
}
END_TEST

// Holds the method whose bytes have been changed from `at` on? Then it verifies.
static int is_taken(struct pair *p, const char *name, uint32_t at) {
    int taken = holds(p);
    if (taken && !verifies(p)) ck_abort_msg("%s: byte %u of the class", name, at);
    cf_arena_reset(&p->scratch, (size_t)1 << 20);
    return taken;
}

START_TEST(no_changed_byte_is_taken_that_the_check_in_full_refuses) {
    unsigned refused = 0;
    for (enum way way = TIMED; way <= COUNTED; way++) {
        struct pair p;
        open_pair(&p, &methods[_i], way);
        uint32_t code = p.view.methods[p.method].code;
        uint32_t end = code + 6 + cf_be4(p.bytes + code + 2);
        for (uint32_t at = code + 6; at < end; at++)
            for (unsigned change = 1; change < 256; change++) {
                p.bytes[at] ^= (uint8_t)change;
                refused += !is_taken(&p, methods[_i].name, at);
                p.bytes[at] ^= (uint8_t)change;
            }
        close_pair(&p);
    }
    ck_assert_uint_gt(refused, 10000);
}
END_TEST

// Instructions of one byte in place of a call, and so on.
START_TEST(no_changed_bytes_are_taken_that_the_check_in_full_refuses) {
    static const uint8_t ops[] = {CF_OP_nop, CF_OP_iconst_0, CF_OP_lconst_0, CF_OP_pop,
                                  CF_OP_dup, CF_OP_istore_0, CF_OP_athrow,   CF_OP_return};
    enum { OPS = sizeof ops };
    for (enum way way = TIMED; way <= COUNTED; way++) {
        struct pair p;
        open_pair(&p, &methods[_i], way);
        uint32_t code = p.view.methods[p.method].code;
        uint32_t end = code + 14 + cf_be4(p.bytes + code + 10);
        for (uint32_t at = code + 14; at + 3 <= end; at++)
            for (unsigned k = 0; k < OPS * OPS * OPS; k++) {
                const uint8_t *before = p.bytes + at, three[] = {before[0], before[1], before[2]};
                p.bytes[at] = ops[k % OPS];
                p.bytes[at + 1] = ops[k / OPS % OPS];
                p.bytes[at + 2] = ops[k / OPS / OPS];
                is_taken(&p, methods[_i].name, at);
                memcpy(p.bytes + at, three, 3);
            }
        close_pair(&p);
    }
}
END_TEST

// Constants that the original shares with the new class have to be the same.
START_TEST(a_changed_constant_is_checked_in_full) {
    struct pair p;
    open_pair(&p, &methods[_i], TIMED);
    p.bytes[p.cls.constant_pool[1] + 4] ^= 1;
    ck_assert(!holds(&p));
    close_pair(&p);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("delta");
    TCase *t = tcase_create("delta");
    tcase_add_loop_test(t, what_passes_put_in_holds, 0, METHODS);
    tcase_add_loop_test(t, what_sets_other_locals_than_its_own_once_does_not_hold, 0, METHODS);
    tcase_add_loop_test(t, no_changed_byte_is_taken_that_the_check_in_full_refuses, 0, METHODS);
    tcase_add_loop_test(t, no_changed_bytes_are_taken_that_the_check_in_full_refuses, 0, METHODS);
    tcase_add_loop_test(t, a_changed_constant_is_checked_in_full, 0, METHODS);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
