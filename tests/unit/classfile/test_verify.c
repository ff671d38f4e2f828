// The verifier, rule by rule. Each case is a method of a class of its own; `unit_verify FILE`
// writes them all to FILE for a JVM to judge (tests/verify/run): it must say the same.

#include "classfile/verify/internal.h"
#include "tests/unit/run.h"
#include "tests/unit/verify_cases.h"

static struct cf_arena arena;

// Memory as it is in the life of an agent: used before.
static void *used_memory(size_t size) {
    void *memory = malloc(size);
    if (memory) memset(memory, 0xA5, size);
    return memory;
}

static void set_up(void) {
    cf_arena_init(&arena);
    arena.allocate = used_memory;
}
static void tear_down(void) {
    cf_arena_free(&arena);
}

static enum cf_status verify_by(cf_assignable *assignable, const uint8_t *bytes, size_t length,
                                char *text, size_t size) {
    struct cf_class cls;
    struct cf_verify_failure failure;
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    enum cf_status status = cf_verify_class(&cls, assignable, NULL, &failure);
    text[0] = '\0';
    if (status != CF_OK) cf_verify_text(&cls, &failure, text, size);
    return status;
}

static enum cf_status verify(const uint8_t *bytes, size_t length, char *text, size_t size) {
    return verify_by(NULL, bytes, length, text, size);
}

static int knows_nothing(void *context, struct cf_slice from, struct cf_slice to) {
    return context || !from.bytes || !to.bytes ? 0 : -1;
}

START_TEST(code_is_verified) {
    const struct verify_case *t = &cases[_i];
    char text[500];
    size_t length;
    uint8_t *bytes = verify_build(t, &length);
    enum cf_status status = verify(bytes, length, text, sizeof text);
    free(bytes);
    ck_assert_msg((status == CF_OK) == !t->reason, "%s: %s", t->name, text);
    ck_assert_msg(!t->reason || status == CF_UNVERIFIABLE, "%s: status %d", t->name, status);
    ck_assert_msg(!t->reason || strstr(text, t->reason), "%s: %s", t->name, text);
}
END_TEST

// Of other classes nothing is known: it is the same to ask for them.
START_TEST(a_caller_that_knows_nothing_changes_no_verdict) {
    char text[500], asked[500];
    size_t length;
    uint8_t *bytes = verify_build(&cases[_i], &length);
    enum cf_status status = verify(bytes, length, text, sizeof text);
    ck_assert_int_eq(verify_by(knows_nothing, bytes, length, asked, sizeof asked), status);
    ck_assert_str_eq(text, asked);
    free(bytes);
}
END_TEST

// What compilers make passes at once: instructions are not looked for first.
START_TEST(what_compilers_make_is_gone_through_once) {
    static const struct verify_case common[] = {
        VERIFY_SUM,
        {"longs()J", "4 0", "lconst_1 ldc2_w:#long lsub lreturn", 0, 0, 0, 0},
        VERIFY_PAIR,
    };
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++) {
        struct cf_class cls;
        struct cf_verify_failure failure;
        size_t length;
        uint8_t *bytes = verify_build(&common[i], &length);
        ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
        struct cf_verifier *v = cf_verifier_new(&cls, NULL, NULL);
        for (unsigned m = 0; m < cls.methods_count; m++) {
            ck_assert_int_eq(cf_verify_method(v, &cls.methods[m], &failure), CF_OK);
            ck_assert_msg(!v->passes_again, "%s: looked at twice", common[i].name);
        }
        free(bytes);
    }
}
END_TEST

START_TEST(the_table_agrees_with_the_table_of_opcodes) {
    unsigned compared = 0;
    for (unsigned op = 0; op < 256; op++) {
        const struct cf_vrow *row = &cf_v_rows[op];
        if (op >= CF_OPCODE_COUNT) ck_assert_uint_eq(row->kind, CF_V_UNKNOWN);
        if (row->kind == CF_V_UNKNOWN) continue;
        ck_assert_msg(row->length == cf_lengths[op], "%s: length", cf_opcodes[op].name);
        // Of returns the operand is looked at elsewhere, and jsr pushes there.
        if (row->kind < CF_V_LOAD || row->kind >= CF_V_SUBROUTINE) continue;
        ck_assert_msg(row->net == cf_nets[op], "%s: net %d", cf_opcodes[op].name, row->net);
        compared++;
    }
    ck_assert_uint_gt(compared, 100);
    for (unsigned op = 0; op < CF_OPCODE_COUNT; op++)
        ck_assert_msg(cf_v_rows[op].kind != CF_V_UNKNOWN, "%s", cf_opcodes[op].name);
}
END_TEST

// What is neither true nor false for one class is asked for.
static int answer(void *context, struct cf_slice from, struct cf_slice to) {
    return CF_IS(from, "x/A") && CF_IS(to, "x/B") ? *(int *)context : -1;
}

START_TEST(the_caller_may_know_other_classes) {
    static const struct verify_case t = {"f(Lx/A;)Lx/B;", "1 1", "aload_0 areturn", 0, 0, 0, 0};
    size_t length;
    uint8_t *bytes = verify_build(&t, &length);
    for (int known = -1; known <= 1; known++) {
        struct cf_class cls;
        struct cf_verify_failure failure;
        ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
        ck_assert_int_eq(cf_verify_class(&cls, answer, &known, &failure),
                         known == 0 ? CF_UNVERIFIABLE : CF_OK);
    }
    free(bytes);
}
END_TEST

// if (p) ; x = 1; super(); in a value class: `unset` strict fields are in front of the frame.
static void verify_value_class(unsigned unset, enum cf_status expected, const char *reason) {
    struct build b;
    build_class_file(&b, 72, CF_ACC_FINAL, "V");
    b.minor_version = 65535;
    unsigned x = build_reference(&b, CF_TAG_FIELDREF, "V", "x", "I");
    unsigned x_type = build_name_and_type(&b, "x", "I");
    unsigned init = build_reference(&b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    uint8_t code[] = {CF_OP_iload_1,
                      CF_OP_ifeq,
                      0,
                      3,
                      CF_OP_aload_0,
                      CF_OP_iconst_1,
                      CF_OP_putfield,
                      0,
                      0,
                      CF_OP_aload_0,
                      CF_OP_invokespecial,
                      0,
                      0,
                      CF_OP_return};
    cf_put2(code + 7, x), cf_put2(code + 11, init);
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STRICT | CF_ACC_FINAL, "x", "I", 0);
    build_u2(&b, 1);
    build_member(&b, 0, "<init>", "(I)V", 1);
    size_t place = build_code(&b, 2, 2, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1), build_u1(&b, 246), build_u2(&b, unset);
    if (unset) build_u2(&b, x_type);
    build_u1(&b, 4);
    build_end(&b, frames), build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    char text[500] = "";
    ck_assert_int_eq(verify(bytes, length, text, sizeof text), expected);
    ck_assert_msg(strstr(text, reason), "%s", text);
    free(bytes);
}

START_TEST(frames_tell_which_strict_fields_are_not_set) {
    verify_value_class(1, CF_OK, "");
    verify_value_class(0, CF_UNVERIFIABLE, "strict fields are not set, other than in the frame");
}
END_TEST

// Local 1 changes with every second instruction, within as many entries of the exception table, all
// with a handler that names it.
static enum cf_status verify_busy(unsigned changes, unsigned entries, char *text, size_t size) {
    struct build b;
    struct build_bytes code = {NULL, 0, 0};
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    unsigned object = build_class(&b, "java/lang/Object");
    unsigned throwable = build_class(&b, "java/lang/Throwable");
    for (unsigned i = 0; i < changes; i++) {
        build_append_number(&code, i & 1 ? CF_OP_aload_0 : CF_OP_aconst_null, 1);
        build_append_number(&code, CF_OP_astore_1, 1);
    }
    unsigned handler = (unsigned)code.length + 1;
    build_append_number(&code, CF_OP_return << 8 | CF_OP_athrow, 2);
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "(Ljava/lang/Object;)V", 1);
    size_t place = build_code(&b, 1, 2, code.bytes, code.length);
    build_u2(&b, entries);
    for (unsigned i = 0; i < entries; i++)
        build_u2(&b, 2), build_u2(&b, handler), build_u2(&b, handler), build_u2(&b, 0);
    build_u2(&b, 1);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1), build_u1(&b, 255), build_u2(&b, handler), build_u2(&b, 2);
    for (unsigned i = 0; i < 2; i++) build_u1(&b, 7), build_u2(&b, object);
    build_u2(&b, 1), build_u1(&b, 7), build_u2(&b, throwable);
    build_end(&b, frames), build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    enum cf_status status = verify(bytes, length, text, size);
    free(bytes), free(code.bytes);
    return status;
}

START_TEST(verification_takes_no_longer_than_real_code_needs) {
    char text[500];
    ck_assert_int_eq(verify_busy(2000, 1000, text, sizeof text), CF_OK);
    ck_assert_int_eq(verify_busy(32000, 65535, text, sizeof text), CF_LIMIT);
    ck_assert_msg(strstr(text, "takes too long to check"), "%s", text);
}
END_TEST

// Inference: NESTED subroutines in each other, and innermost a switch that leads back WAYS times,
// in front of which one more local is known to be a String each time it runs. Each
// way looks at what NESTED subroutines have touched of 65,535 locals.
static enum cf_status infer_busy(unsigned nested, unsigned locals, unsigned ways, char *text,
                                 size_t size) {
    struct build b;
    struct build_bytes code = {NULL, 0, 0};
    build_class_file(&b, 49, CF_ACC_PUBLIC, "t/T");
    for (unsigned i = 1; i < locals; i++)
        build_append_number(&code, CF_OP_aconst_null << 16 | CF_OP_astore << 8 | i, 3);
    for (unsigned i = 0; i < nested; i++) build_append_number(&code, CF_OP_jsr << 16 | 3, 3);
    for (unsigned i = 0; i < nested; i++) build_append_number(&code, CF_OP_pop, 1);
    unsigned loop = (unsigned)code.length;
    for (unsigned i = locals - 1; i > 0; i--) {
        build_append_number(&code, CF_OP_aload << 8 | (i - 1), 2);
        build_append_number(&code, CF_OP_astore << 8 | i, 2);
    }
    build_append_number(&code, CF_OP_iconst_0, 1);
    unsigned at = (unsigned)code.length;
    build_append_number(&code, CF_OP_tableswitch, 1);
    while (code.length & 3) build_append_number(&code, 0, 1);
    build_append_number(&code, loop - at, 4);
    build_append_number(&code, 0, 4), build_append_number(&code, ways - 1, 4);
    for (unsigned i = 0; i < ways; i++) build_append_number(&code, loop - at, 4);
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "(Ljava/lang/String;)V", 1);
    size_t place = build_code(&b, nested + 1, 65535, code.bytes, code.length);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    enum cf_status status = verify(bytes, length, text, size);
    free(bytes), free(code.bytes);
    return status;
}

START_TEST(inference_takes_no_longer_than_real_code_needs) {
    char text[500];
    ck_assert_msg(infer_busy(2, 10, 20, text, sizeof text) == CF_OK, "%s", text);
    ck_assert_int_eq(infer_busy(52, 200, 14000, text, sizeof text), CF_LIMIT);
    ck_assert_msg(strstr(text, "takes too long to check"), "%s", text);
}
END_TEST

// A constructor in which each of `changes` instructions looks at all interfaces or all fields.
static enum cf_status verify_members_busy(int fields, unsigned changes, char *text, size_t size) {
    enum { MANY = 65535 };
    struct build b;
    struct build_bytes code = {NULL, 0, 0};
    memset(&b, 0, sizeof b);
    b.constants = 1;
    b.major_version = 52;
    build_u2(&b, CF_ACC_PUBLIC), build_u2(&b, build_class(&b, "t/T"));
    build_u2(&b, build_class(&b, "t/S"));
    unsigned direct = build_class(&b, "t/I"), type = build_utf8(&b, "I");
    unsigned name = build_utf8(&b, "x"), last_name = build_utf8(&b, "last");
    unsigned init = build_reference(&b, CF_TAG_METHODREF, "t/S", "<init>", "()V");
    unsigned last = build_reference(&b, CF_TAG_FIELDREF, "t/T", "last", "I");
    unsigned above = build_reference(&b, CF_TAG_METHODREF, "t/R", "m", "()V");
    build_u2(&b, fields ? 0 : MANY);
    for (unsigned i = 0; !fields && i < MANY; i++) build_u2(&b, direct);
    build_u2(&b, fields ? MANY : 0);
    for (unsigned i = 0; fields && i < MANY; i++)
        build_u2(&b, 0), build_u2(&b, i < MANY - 1 ? name : last_name), build_u2(&b, type),
            build_u2(&b, 0);
    const uint64_t call = (uint64_t)CF_OP_aload_0 << 24 | CF_OP_invokespecial << 16;
    if (!fields) build_append_number(&code, call | init, 4);
    for (unsigned i = 0; fields && i < changes; i++) {
        build_append_number(&code, CF_OP_aload_0 << 8 | CF_OP_iconst_0, 2);
        build_append_number(&code, CF_OP_putfield << 16 | last, 3);
    }
    for (unsigned i = 0; !fields && i < changes; i++) build_append_number(&code, call | above, 4);
    if (fields) build_append_number(&code, call | init, 4);
    build_append_number(&code, CF_OP_return, 1);
    build_u2(&b, 1);
    build_member(&b, 0, "<init>", "()V", 1);
    size_t place = build_code(&b, 2, 1, code.bytes, code.length);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    enum cf_status status = verify(bytes, length, text, size);
    free(bytes), free(code.bytes);
    return status;
}

START_TEST(members_take_no_longer_than_real_code_needs) {
    char text[500];
    for (int fields = 0; fields < 2; fields++) {
        strcpy(text, "");
        ck_assert_msg(verify_members_busy(fields, 100, text, sizeof text) == CF_OK, "%s", text);
        ck_assert_int_eq(verify_members_busy(fields, 10000, text, sizeof text), CF_LIMIT);
        ck_assert_msg(strstr(text, "takes too long to check"), "%s", text);
    }
}
END_TEST

// Records as Judge.java reads them.
static int write_cases(const char *path) {
    FILE *out = fopen(path, "wb");
    if (!out) return 2;
    for (int i = 0; i < CASES; i++) {
        uint8_t head[6];
        size_t length, n = cases[i].reason ? strlen(cases[i].name) : 0;
        uint8_t *bytes = verify_build(&cases[i], &length);
        cf_put2(head, (uint32_t)n);
        cf_put4(head + 2, (uint32_t)length);
        fwrite(head, 1, 2, out), fwrite(cases[i].name, 1, n, out);
        fwrite(head + 2, 1, 4, out), fwrite(bytes, 1, length, out);
        free(bytes);
    }
    return fclose(out) == 0 ? 0 : 2;
}

int main(int argc, char **argv) {
    if (argc > 1) return write_cases(argv[1]);
    Suite *suite = suite_create("verify");
    TCase *tests = tcase_create("verify");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, code_is_verified, 0, CASES);
    tcase_add_loop_test(tests, a_caller_that_knows_nothing_changes_no_verdict, 0, CASES);
    tcase_add_test(tests, what_compilers_make_is_gone_through_once);
    tcase_add_test(tests, the_table_agrees_with_the_table_of_opcodes);
    tcase_add_test(tests, the_caller_may_know_other_classes);
    tcase_add_test(tests, frames_tell_which_strict_fields_are_not_set);
    tcase_add_test(tests, verification_takes_no_longer_than_real_code_needs);
    tcase_add_test(tests, inference_takes_no_longer_than_real_code_needs);
    tcase_add_test(tests, members_take_no_longer_than_real_code_needs);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
