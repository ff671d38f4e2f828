// The structure check, inside methods: instructions, exception tables, frames, tables for
// debuggers.

#include "tests/unit/run.h"
#include "tests/unit/structure_checks.h"

// static void m(int), with two locals and a stack of four.
static size_t begin_code(struct build *b, unsigned version, const uint8_t *code, size_t length) {
    build_class_file(b, version, 0, "A");
    build_code_constants(b);
    build_u2(b, 0), build_u2(b, 1);
    build_member(b, CF_ACC_STATIC, "m", "(I)V", 1);
    return build_code(b, 4, 2, code, length);
}

static enum cf_status check_code(unsigned version, const uint8_t *code, size_t length) {
    struct build b;
    size_t place = begin_code(&b, version, code, length);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    return check_built(&b);
}

struct code_case {
    unsigned version;
    const char *reason; // NULL: good
    uint8_t length, code[27];
};

#define C(version, reason, ...)                                                                    \
    {                                                                                              \
        version, reason, sizeof((uint8_t[]){__VA_ARGS__}), {                                       \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct code_case code_cases[] = {
    C(52, NULL, CF_OP_return),
    C(52, "falls off", CF_OP_nop),
    C(50, NULL, CF_OP_return, CF_OP_nop), // never reached
    C(52, "unknown or not whole", 0xCA),
    C(52, "unknown or not whole", CF_OP_return, CF_OP_sipush, 0),
    // locals
    C(52, NULL, CF_OP_iload_1, CF_OP_return),
    C(52, "above max_locals", CF_OP_iload_2, CF_OP_return),
    C(52, NULL, CF_OP_lload_0, CF_OP_return),
    C(52, "above max_locals", CF_OP_lload_1, CF_OP_return),
    C(52, "above max_locals", CF_OP_dstore_1, CF_OP_return),
    C(52, NULL, CF_OP_astore_1, CF_OP_return),
    C(52, "above max_locals", CF_OP_astore, 2, CF_OP_return),
    C(52, "above max_locals", CF_OP_dload, 1, CF_OP_return),
    C(52, "above max_locals", CF_OP_iinc, 2, 1, CF_OP_return),
    C(52, NULL, CF_OP_wide, CF_OP_iinc, 0, 1, 0, 1, CF_OP_return),
    C(52, "above max_locals", CF_OP_wide, CF_OP_iload, 1, 0, CF_OP_return),
    C(52, "above max_locals", CF_OP_wide, CF_OP_lstore, 0, 1, CF_OP_return),
    C(52, "unknown or not whole", CF_OP_wide, CF_OP_nop, 0, 0, CF_OP_return),
    // constants
    C(52, NULL, CF_OP_ldc, INTEGER, CF_OP_return),
    C(52, NULL, CF_OP_ldc, STRING, CF_OP_return),
    C(52, NULL, CF_OP_ldc, TYPE, CF_OP_return),
    C(49, NULL, CF_OP_ldc, OBJECT, CF_OP_return),
    C(48, "cannot be loaded", CF_OP_ldc, OBJECT, CF_OP_return),
    C(52, "size that is loaded", CF_OP_ldc, LONG, CF_OP_return),
    C(52, NULL, CF_OP_ldc2_w, 0, LONG, CF_OP_return),
    C(52, "size that is loaded", CF_OP_ldc2_w, 0, INTEGER, CF_OP_return),
    C(52, "cannot be loaded", CF_OP_ldc_w, 0, FIELD, CF_OP_return),
    C(52, "cannot be loaded", CF_OP_ldc_w, 0xFF, 0xFF, CF_OP_return),
    C(52, "cannot be loaded", CF_OP_ldc, LONG + 1, CF_OP_return),
    // fields, methods, classes
    C(52, NULL, CF_OP_getstatic, 0, FIELD, CF_OP_return),
    C(52, "not a Fieldref", CF_OP_putfield, 0, METHOD, CF_OP_return),
    C(52, NULL, CF_OP_invokevirtual, 0, METHOD, CF_OP_return),
    C(52, "not a Methodref", CF_OP_invokevirtual, 0, INTERFACE, CF_OP_return),
    C(52, NULL, CF_OP_invokestatic, 0, INTERFACE, CF_OP_return),
    C(51, "not a Methodref", CF_OP_invokestatic, 0, INTERFACE, CF_OP_return),
    C(52, NULL, CF_OP_invokespecial, 0, INIT, CF_OP_return),
    C(52, "constructor called", CF_OP_invokevirtual, 0, INIT, CF_OP_return),
    C(52, NULL, CF_OP_invokeinterface, 0, INTERFACE, 3, 0, CF_OP_return),
    C(52, "count of invokeinterface", CF_OP_invokeinterface, 0, INTERFACE, 2, 0, CF_OP_return),
    C(52, "count of invokeinterface", CF_OP_invokeinterface, 0, INTERFACE, 3, 1, CF_OP_return),
    C(52, "not an InterfaceMethodref", CF_OP_invokeinterface, 0, METHOD, 3, 0, CF_OP_return),
    C(52, "not an InvokeDynamic", CF_OP_invokedynamic, 0, METHOD, 0, 0, CF_OP_return),
    C(52, NULL, CF_OP_new, 0, OBJECT, CF_OP_return),
    C(52, "new of an array", CF_OP_new, 0, ARRAY, CF_OP_return),
    C(52, "not a Class", CF_OP_checkcast, 0, STRING, CF_OP_return),
    C(52, NULL, CF_OP_anewarray, 0, ARRAY, CF_OP_return),
    C(52, NULL, CF_OP_newarray, 4, CF_OP_newarray, 11, CF_OP_return),
    C(52, "newarray", CF_OP_newarray, 3, CF_OP_return),
    C(52, "newarray", CF_OP_newarray, 12, CF_OP_return),
    C(52, NULL, CF_OP_multianewarray, 0, ARRAY, 2, CF_OP_return),
    C(52, "multianewarray", CF_OP_multianewarray, 0, ARRAY, 3, CF_OP_return),
    C(52, "multianewarray", CF_OP_multianewarray, 0, ARRAY, 0, CF_OP_return),
    C(52, "multianewarray", CF_OP_multianewarray, 0, OBJECT, 1, CF_OP_return),
    // branches
    C(52, NULL, CF_OP_goto, 0, 3, CF_OP_return),
    C(52, "not an instruction", CF_OP_goto, 0, 1, CF_OP_return),
    C(52, "not an instruction", CF_OP_goto, 0, 4, CF_OP_return),
    C(52, "not an instruction", CF_OP_ifeq, 0xFF, 0xFF, CF_OP_return),
    C(52, NULL, CF_OP_goto_w, 0, 0, 0, 5, CF_OP_return),
    C(52, "not an instruction", CF_OP_goto_w, 0x7F, 0xFF, 0xFF, 0xFF, CF_OP_return),
    C(50, NULL, CF_OP_jsr, 0, 4, CF_OP_return, CF_OP_astore_1, CF_OP_ret, 1),
    C(51, "jsr", CF_OP_jsr, 0, 4, CF_OP_return, CF_OP_astore_1, CF_OP_return),
    C(51, "ret in", CF_OP_wide, CF_OP_ret, 0, 1),
    // switches
    C(52, NULL, CF_OP_tableswitch, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20,
      CF_OP_return),
    C(52, "not an instruction", CF_OP_tableswitch, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0,
      0, 0, 21, CF_OP_return),
    C(52, "not an instruction", CF_OP_tableswitch, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0,
      0, 0, 20, CF_OP_return),
    C(52, NULL, CF_OP_tableswitch, 1, 2, 3, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20,
      CF_OP_return),
    C(50, "padded", CF_OP_tableswitch, 1, 2, 3, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20,
      CF_OP_return),
};

START_TEST(operands_of_instructions_are_checked) {
    const struct code_case *c = &code_cases[_i];
    enum cf_status status = check_code(c->version, c->code, c->length);
    if (c->reason)
        assert_reason(c->reason);
    else
        ck_assert_msg(status == CF_OK, "case %d: %s", _i, error.reason);
}
END_TEST

START_TEST(lookupswitch_is_in_order) {
    static const int32_t keys[][2] = {
        {-1, 0}, {1, 1}, {2, 1}, {INT32_MAX, INT32_MIN}, {INT32_MIN, INT32_MAX}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint8_t code[29] = {CF_OP_lookupswitch, 0, 0, 0, 0, 0, 0, 28};
        cf_put4(code + 8, 2);
        cf_put4(code + 12, (uint32_t)keys[i][0]), cf_put4(code + 16, 28);
        cf_put4(code + 20, (uint32_t)keys[i][1]), cf_put4(code + 24, 28);
        code[28] = CF_OP_return;
        ck_assert_int_eq(check_code(52, code, sizeof code) == CF_OK, keys[i][0] < keys[i][1]);
    }
}
END_TEST

START_TEST(code_has_a_length_and_room_for_arguments) {
    ck_assert_int_eq(check_code(52, NULL, 0), CF_MALFORMED);
    uint8_t *large = calloc(1, 65536);
    large[65534] = large[65535] = CF_OP_return;
    ck_assert_int_eq(check_code(52, large, 65535), CF_OK);
    ck_assert_int_eq(check_code(52, large, 65536), CF_MALFORMED);
    free(large);
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, 0, "m", "(J)V", 1);
    size_t place = build_code(&b, 0, 2, (uint8_t[]){CF_OP_return}, 1);
    build_u4(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    check_built(&b);
    assert_reason("arguments");
}
END_TEST

START_TEST(exception_tables_are_checked) {
    static const struct {
        unsigned start, end, handler, type;
        const char *reason;
    } cases[] = {
        {0, 4, 3, 0, NULL},        {0, 3, 3, OBJECT, NULL},   {0, 3, 3, FIELD, "not a Class"},
        {3, 3, 3, 0, "out of"},    {0, 5, 3, 0, "out of"},    {0, 3, 4, 0, "out of"},
        {1, 3, 3, 0, "inside an"}, {0, 2, 3, 0, "inside an"}, {0, 3, 1, 0, "inside an"},
        {4, 0, 3, 0, "out of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        size_t place = begin_code(&b, 52, (uint8_t[]){CF_OP_goto, 0, 3, CF_OP_return}, 4);
        build_u2(&b, 1);
        build_u2(&b, cases[i].start), build_u2(&b, cases[i].end);
        build_u2(&b, cases[i].handler), build_u2(&b, cases[i].type);
        build_u2(&b, 0);
        build_end(&b, place);
        build_u2(&b, 0);
        enum cf_status status = check_built(&b);
        if (cases[i].reason)
            assert_reason(cases[i].reason);
        else
            ck_assert_int_eq(status, CF_OK);
    }
}
END_TEST

// --- frames ---

// nop; new Object; astore_1; goto 7; return - in a method with an int argument, two locals, four of
// stack.
static enum cf_status check_frames(unsigned version, unsigned count, const uint8_t *table,
                                   size_t length) {
    static const uint8_t code[] = {CF_OP_nop,  CF_OP_new, 0, OBJECT,      CF_OP_astore_1,
                                   CF_OP_goto, 0,         3, CF_OP_return};
    struct build b;
    size_t place = begin_code(&b, version, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, count);
    build_some(&b, table, length);
    build_end(&b, frames);
    build_end(&b, place);
    build_u2(&b, 0);
    return check_built(&b);
}

#define FRAMES(version, reason, count, ...)                                                        \
    {                                                                                              \
        version, reason, count, sizeof((uint8_t[]){__VA_ARGS__}), {                                \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct {
    unsigned version;
    const char *reason;
    unsigned count;
    uint8_t length, table[25];
} frame_cases[] = {
    FRAMES(52, NULL, 1, 0),
    FRAMES(52, NULL, 3, 1, 2, 0),
    FRAMES(52, "not an instruction", 1, 2),
    FRAMES(52, "not an instruction", 2, 8, 0),
    FRAMES(52, "not an instruction", 1, 251, 0xFF, 0xFF),
    FRAMES(49, NULL, 1, 2), // not looked at: the JVM of its time did not either
    FRAMES(52, NULL, 1, 64 + 8, 7, 0, OBJECT),
    FRAMES(52, "not of the kind", 1, 64 + 8, 7, 0, FIELD),
    FRAMES(52, NULL, 1, 64 + 8, 8, 0, 1),
    FRAMES(52, "no new", 1, 64 + 8, 8, 0, 0),
    FRAMES(52, "no new", 1, 64 + 8, 8, 0, 2),
    FRAMES(52, "no new", 1, 64 + 8, 8, 0xFF, 0xFF),
    FRAMES(52, "unknown type", 1, 64 + 8, 9),
    FRAMES(52, NULL, 1, 247, 0, 8, 6),
    FRAMES(52, "unknown stack map frame type", 1, 128, 0, 8),
    FRAMES(52, "unknown stack map frame type", 1, 245, 0, 8),
    FRAMES(52, NULL, 1, 250, 0, 8),
    FRAMES(52, "chop frame", 1, 249, 0, 8),
    FRAMES(52, NULL, 1, 252, 0, 8, 0),
    FRAMES(52, "takes more than", 1, 252, 0, 8, 4),
    FRAMES(52, "takes more than", 1, 253, 0, 8, 1, 1),
    FRAMES(52, NULL, 3, 250, 0, 0, 252, 0, 0, 3, 250, 0, 6), // the double is one entry, two slots
    FRAMES(52, NULL, 1, 255, 0, 8, 0, 2, 0, 1, 0, 2, 4, 3),
    FRAMES(52, "takes more than", 1, 255, 0, 8, 0, 0, 0, 3, 4, 3, 1),
    FRAMES(52, "takes more than", 1, 255, 0, 8, 0, 2, 4, 1, 0, 0),
    FRAMES(72, NULL, 1, 246, 0, 1, 0, 9, 8),                       // early_larval, then same
    FRAMES(72, NULL, 1, 246, 0, 0, 255, 0, 8, 0, 1, 1, 0, 0),      // early_larval, then full
    FRAMES(72, NULL, 2, 246, 0, 1, 0, 9, 64 + 1, 1, 246, 0, 0, 6), // two, the second without fields
    FRAMES(72, "is not a field", 1, 246, 0, 1, 0, 13, 8),
    FRAMES(72, "is not a field", 1, 246, 0, 1, 0, FIELD, 8),
    FRAMES(72, "unknown stack map frame type", 1, 246, 0, 0, 246, 0, 0, 8), // in itself
    FRAMES(68, "unknown stack map frame type", 1, 246, 0, 0, 8),
    FRAMES(52, "longer than its frames", 1, 8, 0),
};

START_TEST(frames_are_checked) {
    enum cf_status status = check_frames(frame_cases[_i].version, frame_cases[_i].count,
                                         frame_cases[_i].table, frame_cases[_i].length);
    if (frame_cases[_i].reason)
        assert_reason(frame_cases[_i].reason);
    else
        ck_assert_msg(status == CF_OK, "case %d: %s", _i, error.reason);
}
END_TEST

// HotSpot takes an empty attribute for none (ClassFileParser::parse_stackmap_table), and refuses half a number.
START_TEST(a_table_without_a_number_of_frames_is_malformed_unless_it_is_empty) {
    for (size_t length = 0; length < 3; length++) {
        struct build b;
        size_t place = begin_code(&b, 52, (uint8_t[]){CF_OP_return}, 1);
        build_u2(&b, 0), build_u2(&b, 1);
        size_t frames = build_attribute(&b, "StackMapTable");
        build_some(&b, (uint8_t[]){0, 0}, length);
        build_end(&b, frames);
        build_end(&b, place);
        build_u2(&b, 0);
        ck_assert_int_eq(check_built(&b), length == 1 ? CF_MALFORMED : CF_OK);
        if (length == 1) assert_reason("cut off");
    }
}
END_TEST

START_TEST(frames_that_end_early_are_malformed) {
    static const uint8_t full[] = {255, 0, 8, 0, 1, 7, 0, OBJECT, 0, 1, 8, 0, 1};
    for (size_t n = 0; n < sizeof full; n++)
        ck_assert_int_eq(check_frames(52, 1, full, n), CF_MALFORMED);
    ck_assert_int_eq(check_frames(52, 1, full, sizeof full), CF_OK);
}
END_TEST

// --- tables of the code ---

// Two tables with one entry each: start_pc, length, name, type, index.
static enum cf_status check_two_tables(const uint16_t *variable, const uint16_t *typed) {
    static const uint8_t code[] = {CF_OP_goto, 0, 3, CF_OP_return};
    struct build b;
    size_t place = begin_code(&b, 52, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 2);
    for (int k = 0; k < 2; k++) { // the typed ones first: the order is free
        size_t table = build_attribute(&b, k ? "LocalVariableTable" : "LocalVariableTypeTable");
        build_u2(&b, 1);
        for (int i = 0; i < 5; i++) build_u2(&b, (k ? variable : typed)[i]);
        build_end(&b, table);
    }
    build_end(&b, place);
    build_u2(&b, 0);
    return check_built(&b);
}

START_TEST(generic_variables_are_variables) {
    static const uint16_t variable[] = {0, 4, 7, 8, 1};
    static const struct {
        uint16_t typed[5];
        int good;
    } cases[] = {{{0, 4, 7, 12, 1}, 1},
                 {{3, 1, 7, 12, 1}, 0},
                 {{0, 3, 7, 12, 1}, 0},
                 {{0, 4, 11, 12, 1}, 0},
                 {{0, 4, 7, 12, 0}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(check_two_tables(variable, cases[i].typed) == CF_OK, cases[i].good);
}
END_TEST

static enum cf_status check_table(const char *name, const uint16_t *values, size_t count,
                                  enum how how) {
    static const uint8_t code[] = {CF_OP_goto, 0, 3, CF_OP_return};
    struct build b;
    size_t place = begin_code(&b, 52, code, sizeof code), length;
    build_u2(&b, 0), build_u2(&b, 1);
    size_t table = build_attribute(&b, name);
    for (size_t i = 0; i < count; i++) build_u2(&b, values[i]);
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    uint8_t *bytes = build_finish(&b, &length);
    enum cf_status status = check_bytes(bytes, length, how);
    free(bytes);
    return status;
}

#define TABLE(name, how, ...)                                                                      \
    check_table(name, (uint16_t[]){__VA_ARGS__}, sizeof((uint16_t[]){__VA_ARGS__}) / 2, how)

START_TEST(tables_for_debuggers_are_checked) {
    ck_assert_int_eq(TABLE("LineNumberTable", STRICT, 2, 0, 7, 3, 8), CF_OK);
    ck_assert_int_eq(TABLE("LineNumberTable", LENIENT, 1, 1, 7), CF_OK);
    ck_assert_int_eq(TABLE("LineNumberTable", STRICT, 1, 1, 7), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LineNumberTable", LENIENT, 1, 4, 7), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", STRICT, 1, 0, 4, 7, 8, 1), CF_OK);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 0, 5, 7, 8, 1), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 0, 4, 7, 8, 2), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 0, 4, 7, 12, 1), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 0, 4, 9, 8, 1), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 0, 2, 7, 8, 1), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 4, 0, 7, 8, 1), CF_MALFORMED);
    ck_assert_int_eq(TABLE("LocalVariableTable", LENIENT, 1, 0, 4, 3, 8, 1), CF_MALFORMED);
    ck_assert_int_eq(TABLE("CharacterRangeTable", STRICT, 1, 0, 2, 0, 4, 0, 5, 1), CF_OK);
    ck_assert_int_eq(TABLE("CharacterRangeTable", LENIENT, 1, 0, 5, 0, 4, 0, 5, 1), CF_MALFORMED);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("structure_code");
    TCase *tests = tcase_create("structure_code");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, operands_of_instructions_are_checked, 0,
                        sizeof code_cases / sizeof *code_cases);
    tcase_add_test(tests, lookupswitch_is_in_order);
    tcase_add_test(tests, code_has_a_length_and_room_for_arguments);
    tcase_add_test(tests, exception_tables_are_checked);
    tcase_add_loop_test(tests, frames_are_checked, 0, sizeof frame_cases / sizeof *frame_cases);
    tcase_add_test(tests, a_table_without_a_number_of_frames_is_malformed_unless_it_is_empty);
    tcase_add_test(tests, frames_that_end_early_are_malformed);
    tcase_add_test(tests, generic_variables_are_variables);
    tcase_add_test(tests, tables_for_debuggers_are_checked);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
