// The structure check: what holds together is accepted, and each rule, broken alone, is noticed.

#include "tests/unit/run.h"
#include "tests/unit/structure_checks.h"

static enum cf_status check_empty(struct build *b) {
    build_u4(b, 0);
    build_u2(b, 0);
    return check_built(b);
}

// --- whole classes ---

START_TEST(classes_with_everything_are_accepted) {
    uint8_t *(*const classes[])(size_t *) = {rich_class, rich_module, rich_value_class};
    char text[200];
    for (int i = 0; i < 3; i++) {
        size_t length;
        uint8_t *bytes = classes[i](&length);
        ck_assert_msg(check_bytes(bytes, length, STRICT) == CF_OK, "class %d: %s", i,
                      cf_error_text(&error, text, sizeof text));
        free(bytes);
    }
}
END_TEST

// A class may stay well-formed when one byte changes; that it is checked without harm is what
// counts, and that a good part of the changes is noticed.
START_TEST(no_changed_byte_does_harm) {
    uint8_t *(*const classes[])(size_t *) = {rich_class, rich_module, rich_value_class};
    for (int i = 0; i < 3; i++) {
        size_t length, noticed = 0, tried = 0;
        uint8_t *bytes = classes[i](&length);
        for (size_t at = 10; at < length; at++) {
            const uint8_t was = bytes[at];
            const uint8_t others[] = {0, (uint8_t)(was + 1), (uint8_t)(was - 1), 0x7F, 0xFF};
            for (size_t k = 0; k < sizeof others; k++, tried++) {
                bytes[at] = others[k];
                noticed += check_bytes(bytes, length, STRICT) != CF_OK;
            }
            bytes[at] = was;
        }
        ck_assert_uint_gt(noticed * 4, tried);
        free(bytes);
    }
}
END_TEST

START_TEST(unknown_attributes_are_skipped_everywhere) {
    struct build b;
    build_class_file(&b, 52, CF_ACC_SYNCHRONIZED, "A");
    build_u2(&b, 1);
    build_member(&b, 0, "f", "I", 1);
    build_end(&b, build_attribute(&b, "Odd"));
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "m", "()V", 2);
    build_end(
        &b, build_attribute(&b, "LineNumberTable")); // without a meaning there, so never looked at
    size_t code = build_code(&b, 0, 0, (uint8_t[]){CF_OP_return}, 1);
    build_u2(&b, 0), build_u2(&b, 1);
    build_end(&b, build_attribute(&b, "Odd"));
    build_end(&b, code);
    build_u2(&b, 1);
    build_end(&b, build_attribute(&b, "Code"));
    ck_assert_int_eq(check_built(&b), CF_OK);
}
END_TEST

START_TEST(attributes_are_checked_from_their_version_on) {
    for (unsigned version = 48; version <= 49; version++) {
        struct build b;
        build_class_file(&b, version, 0, "A");
        build_u4(&b, 0), build_u2(&b, 1);
        build_end(&b, build_attribute(&b, "Signature")); // too short
        ck_assert_int_eq(check_built(&b), version == 48 ? CF_OK : CF_TRUNCATED);
    }
}
END_TEST

START_TEST(attributes_end_where_their_parts_end) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u4(&b, 0), build_u2(&b, 1);
    size_t place = build_attribute(&b, "SourceFile");
    build_u2(&b, build_utf8(&b, "A.java")), build_u1(&b, 0);
    build_end(&b, place);
    check_built(&b);
    assert_reason("bytes too many");
}
END_TEST

START_TEST(attributes_occur_once) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u4(&b, 0), build_u2(&b, 2);
    rich_one_index(&b, "SourceFile", build_utf8(&b, "A.java"));
    rich_one_index(&b, "SourceFile", build_utf8(&b, "A.java"));
    check_built(&b);
    assert_reason("twice");
}
END_TEST

// --- constants ---

START_TEST(constants_refer_to_what_they_should) {
    static const struct {
        unsigned tag, value, size;
        const char *reason;
    } cases[] = {
        // 1: Utf8 "A", 2: its Class, 3: Utf8 java/lang/Object, 4: its Class, 5: Utf8 ()V, 6: Utf8
        // I,
        // 7: NameAndType A:()V, 8: NameAndType A:I, 9: Fieldref, 10: Methodref, 11:
        // InterfaceMethodref,
        // 12: Utf8 "a.b", 13: Utf8 "<x>", 14: NameAndType <init>:()V, 15: Methodref to it
        {CF_TAG_CLASS, 2, 2, "not a Utf8"},
        {CF_TAG_CLASS, 12, 2, "not the name of a class"},
        {CF_TAG_STRING, 7, 2, "not a Utf8"},
        {CF_TAG_STRING, 12, 2, NULL},
        {CF_TAG_NAME_AND_TYPE, 1 << 16 | 1, 4, "not a descriptor"},
        {CF_TAG_NAME_AND_TYPE, 12 << 16 | 6, 4, "not an unqualified name"},
        {CF_TAG_NAME_AND_TYPE, 13 << 16 | 6, 4, NULL},
        {CF_TAG_NAME_AND_TYPE, 13 << 16 | 5, 4, "not an unqualified name"},
        {CF_TAG_NAME_AND_TYPE, 2 << 16 | 6, 4, "not a Utf8"},
        {CF_TAG_FIELDREF, 2 << 16 | 7, 4, "not that of a field"},
        {CF_TAG_METHODREF, 2 << 16 | 8, 4, "not that of a method"},
        {CF_TAG_METHODREF, 1 << 16 | 7, 4, "not a Class"},
        {CF_TAG_METHODREF, 2 << 16 | 1, 4, "not a NameAndType"},
        {CF_TAG_METHODREF, 0xFFFF0007u, 4, "not a Class"},
        {CF_TAG_METHOD_TYPE, 5, 2, NULL},
        {CF_TAG_METHOD_TYPE, 6, 2, "not a method descriptor"},
        {CF_TAG_METHOD_HANDLE, 1 << 16 | 9, 3, NULL},
        {CF_TAG_METHOD_HANDLE, 1 << 16 | 10, 3, "not a Fieldref"},
        {CF_TAG_METHOD_HANDLE, 5 << 16 | 10, 3, NULL},
        {CF_TAG_METHOD_HANDLE, 5 << 16 | 11, 3, "not a Methodref"},
        {CF_TAG_METHOD_HANDLE, 6 << 16 | 11, 3, NULL},
        {CF_TAG_METHOD_HANDLE, 7 << 16 | 15, 3, "method of this name"},
        {CF_TAG_METHOD_HANDLE, 8 << 16 | 15, 3, NULL},
        {CF_TAG_METHOD_HANDLE, 8 << 16 | 10, 3, "method of this name"},
        {CF_TAG_METHOD_HANDLE, 9 << 16 | 10, 3, "not an InterfaceMethodref"},
        {CF_TAG_METHOD_HANDLE, 0 << 16 | 9, 3, "kind"},
        {CF_TAG_METHOD_HANDLE, 10 << 16 | 9, 3, "kind"},
        {CF_TAG_DYNAMIC, 0 << 16 | 8, 4, "no bootstrap method"},
        {CF_TAG_INVOKE_DYNAMIC, 0 << 16 | 7, 4, "no bootstrap method"},
        {CF_TAG_MODULE, 1, 2, "not a module"},
        {CF_TAG_PACKAGE, 1, 2, "not a module"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        build_class_file(&b, 69, 0, "A");
        build_utf8(&b, "()V"), build_utf8(&b, "I");
        build_pair(&b, CF_TAG_NAME_AND_TYPE, 1, 5), build_pair(&b, CF_TAG_NAME_AND_TYPE, 1, 6);
        build_pair(&b, CF_TAG_FIELDREF, 2, 8), build_pair(&b, CF_TAG_METHODREF, 2, 7);
        build_pair(&b, CF_TAG_INTERFACE_METHODREF, 2, 7);
        build_utf8(&b, "a.b"), build_utf8(&b, "<x>");
        build_pair(&b, CF_TAG_NAME_AND_TYPE, 16, 5), build_pair(&b, CF_TAG_METHODREF, 2, 14);
        build_utf8(&b, "<init>");
        build_constant(&b, cases[i].tag, cases[i].value, cases[i].size);
        enum cf_status status = check_empty(&b);
        if (cases[i].reason)
            assert_reason(cases[i].reason);
        else
            ck_assert_msg(status == CF_OK, "case %zu: %s", i, error.reason);
    }
}
END_TEST

START_TEST(only_constructors_are_called_with_angles) {
    static const struct {
        const char *name, *descriptor;
        int good;
    } cases[] = {
        {"<init>", "()V", 1}, {"<init>", "()I", 0}, {"<clinit>", "()V", 0}, {"m", "()I", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        build_class_file(&b, 52, 0, "A");
        build_reference(&b, CF_TAG_METHODREF, "A", cases[i].name, cases[i].descriptor);
        ck_assert_int_eq(check_empty(&b) == CF_OK, cases[i].good);
    }
}
END_TEST

START_TEST(tags_need_their_version) {
    static const struct { unsigned version, good; } cases[] = {{50, 0}, {51, 1}};
    for (int i = 0; i < 2; i++) {
        struct build b;
        build_class_file(&b, cases[i].version, 0, "A");
        build_named(&b, CF_TAG_METHOD_TYPE, "()V");
        ck_assert_int_eq(check_empty(&b) == CF_OK, (int)cases[i].good);
    }
}
END_TEST

START_TEST(texts_are_modified_utf8) {
    static const struct {
        const char *text;
        unsigned version;
        int good;
    } cases[] = {{"\xC3\xA9", 52, 1},
                 {"\xC3", 52, 0},
                 {"\xF0\x9F\x98\x80", 52, 0},
                 {"\xC1\xBF", 52, 0},
                 {"\xC1\xBF", 47, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        build_class_file(&b, cases[i].version, 0, "A");
        build_utf8(&b, cases[i].text);
        ck_assert_int_eq(check_empty(&b) == CF_OK, cases[i].good);
    }
}
END_TEST

// --- class, fields, methods ---

START_TEST(class_names_and_flags_hold_together) {
    static const struct {
        const char *name;
        unsigned version, flags;
        const char *reason;
    } cases[] = {
        {"a/B", 52, CF_ACC_SYNCHRONIZED, NULL},
        {"a/B", 52, CF_ACC_INTERFACE | CF_ACC_ABSTRACT, NULL},
        {"a/B", 52, CF_ACC_INTERFACE, "flags"},
        {"a/package-info", 49, CF_ACC_INTERFACE | CF_ACC_SYNTHETIC, NULL}, // javac 5 wrote these
        {"a/B", 52, CF_ACC_FINAL | CF_ACC_ABSTRACT, "flags"},
        {"[I", 52, 0, "not a class"},
        {"a//B", 52, 0, "name of a class"},
        {"/a", 52, 0, "name of a class"},
        {"a/", 52, 0, "name of a class"},
        {"a.B", 52, 0, "name of a class"},
        {"", 52, 0, "name of a class"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        build_class_file(&b, cases[i].version, cases[i].flags, cases[i].name);
        enum cf_status status = check_empty(&b);
        if (cases[i].reason)
            assert_reason(cases[i].reason);
        else
            ck_assert_int_eq(status, CF_OK);
    }
}
END_TEST

START_TEST(only_object_has_no_super_class) {
    for (int i = 0; i < 2; i++) {
        struct build b;
        build_class_file(&b, 52, 0, i ? "A" : "java/lang/Object");
        cf_put2(b.body.bytes + 4, 0);
        ck_assert_int_eq(check_empty(&b) == CF_OK, i == 0);
    }
}
END_TEST

START_TEST(members_hold_together) {
    static const struct {
        int is_method;
        unsigned class_flags, version, flags;
        const char *name, *descriptor, *reason;
    } cases[] = {
        {0, 0, 52, CF_ACC_PRIVATE, "f", "I", NULL},
        {0, 0, 52, CF_ACC_PRIVATE | CF_ACC_PUBLIC, "f", "I", "flags"},
        {0, 0, 52, CF_ACC_FINAL | CF_ACC_BRIDGE, "f", "I", "flags"}, // final volatile
        {0, 0, 52, 0, "f", "V", "field descriptor"},
        {0, 0, 52, 0, "f", "()V", "field descriptor"},
        {0, 0, 52, 0, "f;", "I", "field's name"},
        {0, CF_ACC_INTERFACE | CF_ACC_ABSTRACT, 52, CF_ACC_PUBLIC | CF_ACC_STATIC | CF_ACC_FINAL,
         "f", "I", NULL},
        {0, CF_ACC_INTERFACE | CF_ACC_ABSTRACT, 52, CF_ACC_PUBLIC, "f", "I", "flags"},
        {1, 0, 52, CF_ACC_ABSTRACT, "m", "()V", NULL},
        {1, 0, 52, CF_ACC_NATIVE, "m", "([[J)La/B;", NULL},
        {1, 0, 52, 0, "m", "()V", "without code"},
        {1, 0, 52, CF_ACC_ABSTRACT | CF_ACC_FINAL, "m", "()V", "flags"},
        {1, 0, 52, CF_ACC_ABSTRACT, "<init>", "()V", "flags"},
        {1, 0, 52, CF_ACC_ABSTRACT, "<m>", "()V", "method's name"},
        {1, 0, 52, CF_ACC_ABSTRACT, "m", "I", "descriptor"},
        {1, 0, 52, CF_ACC_ABSTRACT, "m", "(La//b;)V", "descriptor"},
        {1, 0, 52, CF_ACC_NATIVE, "<init>", "()I", "descriptor"},
        {1, 0, 50, 0, "<clinit>", "()V", "without code"},
        {1, CF_ACC_INTERFACE | CF_ACC_ABSTRACT, 52, CF_ACC_ABSTRACT, "m", "()V", "flags"},
        {1, CF_ACC_INTERFACE | CF_ACC_ABSTRACT, 52, CF_ACC_ABSTRACT | CF_ACC_PUBLIC, "m", "()V",
         NULL},
        {1, CF_ACC_INTERFACE | CF_ACC_ABSTRACT, 52, CF_ACC_NATIVE | CF_ACC_PUBLIC, "m", "()V",
         "flags"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        build_class_file(&b, cases[i].version, cases[i].class_flags | CF_ACC_ABSTRACT, "A");
        if (cases[i].is_method) build_u2(&b, 0);
        build_u2(&b, 1);
        build_member(&b, cases[i].flags, cases[i].name, cases[i].descriptor, 0);
        if (!cases[i].is_method) build_u2(&b, 0);
        build_u2(&b, 0);
        enum cf_status status = check_built(&b);
        if (cases[i].reason)
            assert_reason(cases[i].reason);
        else
            ck_assert_msg(status == CF_OK, "case %zu: %s", i, error.reason);
    }
}
END_TEST

START_TEST(members_of_one_name_and_type_are_noticed) {
    for (int same = 0; same < 2; same++) {
        struct build b;
        build_class_file(&b, 52, CF_ACC_ABSTRACT, "A");
        build_u2(&b, 0), build_u2(&b, 3);
        build_member(&b, CF_ACC_ABSTRACT, "m", "()V", 0);
        build_member(&b, CF_ACC_ABSTRACT, "m", "()I", 0);
        build_member(&b, CF_ACC_ABSTRACT, "m", same ? "()V" : "(I)V", 0); // constants of its own
        build_u2(&b, 0);
        check_built(&b);
        if (same)
            assert_reason("two methods");
        else
            ck_assert_int_eq(error.status, CF_OK);
    }
}
END_TEST

START_TEST(constant_values_are_of_the_type_of_the_field) {
    static const struct {
        const char *descriptor;
        unsigned tag;
        int good;
    } cases[] = {{"I", CF_TAG_INTEGER, 1},  {"Z", CF_TAG_INTEGER, 1},
                 {"J", CF_TAG_INTEGER, 0},  {"J", CF_TAG_LONG, 1},
                 {"F", CF_TAG_DOUBLE, 0},   {"D", CF_TAG_DOUBLE, 1},
                 {"[I", CF_TAG_INTEGER, 0}, {"Ljava/lang/String;", CF_TAG_INTEGER, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        build_class_file(&b, 52, 0, "A");
        int wide = cases[i].tag == CF_TAG_LONG || cases[i].tag == CF_TAG_DOUBLE;
        unsigned value = build_constant(&b, cases[i].tag, 1, wide ? 8 : 4);
        build_u2(&b, 1);
        rich_field(&b, cases[i].descriptor, value);
        build_u2(&b, 0), build_u2(&b, 0);
        ck_assert_msg((check_built(&b) == CF_OK) == cases[i].good, "case %zu", i);
    }
}
END_TEST

// --- annotations ---

static enum cf_status check_class_attribute(const char *name, const uint8_t *info, size_t length) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_code_constants(&b);
    build_u4(&b, 0), build_u2(&b, 1);
    size_t place = build_attribute(&b, name);
    build_some(&b, info, length);
    build_end(&b, place);
    return check_built(&b);
}

#define ATTRIBUTE(name, ...)                                                                       \
    check_class_attribute(name, (uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))
// One annotation of type I (8) with one element named f (7).
#define ANNOTATION(...) ATTRIBUTE("RuntimeVisibleAnnotations", 0, 1, 0, 8, 0, 1, 0, 7, __VA_ARGS__)

START_TEST(element_values_are_checked) {
    ck_assert_int_eq(ANNOTATION('I', 0, INTEGER), CF_OK);
    ck_assert_int_eq(ANNOTATION('I', 0, LONG), CF_MALFORMED);
    ck_assert_int_eq(ANNOTATION('J', 0, LONG), CF_OK);
    ck_assert_int_eq(ANNOTATION('J', 0, LONG + 1), CF_MALFORMED);
    ck_assert_int_eq(ANNOTATION('s', 0, 24), CF_OK);
    ck_assert_int_eq(ANNOTATION('s', 0, STRING), CF_MALFORMED); // a Utf8 it must be
    ck_assert_int_eq(ANNOTATION('c', 0, 8), CF_OK);
    ck_assert_int_eq(ANNOTATION('c', 0, 7), CF_MALFORMED);
    ck_assert_int_eq(ANNOTATION('e', 0, 8, 0, 7), CF_OK);
    ck_assert_int_eq(ANNOTATION('e', 0, 7, 0, 7), CF_MALFORMED);
    ck_assert_int_eq(ANNOTATION('@', 0, 8, 0, 0), CF_OK);
    ck_assert_int_eq(ANNOTATION('[', 0, 2, 's', 0, 24, 's', 0, 24), CF_OK);
    ck_assert_int_eq(ANNOTATION('[', 0, 3, 's', 0, 24, 's', 0, 24), CF_TRUNCATED);
    ck_assert_int_eq(ANNOTATION('x', 0, 24), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("RuntimeVisibleAnnotations", 0, 1, 0, 7, 0, 0), CF_MALFORMED);
}
END_TEST

START_TEST(annotations_do_not_nest_for_ever) {
    for (unsigned depth = 100; depth <= 60000; depth += 59900) {
        struct build b;
        build_class_file(&b, 52, 0, "A");
        build_code_constants(&b);
        build_u4(&b, 0), build_u2(&b, 1);
        size_t place = build_attribute(&b, "RuntimeVisibleAnnotations");
        build_some(&b, "\x00\x01\x00\x08\x00\x01\x00\x07", 8);
        for (unsigned i = 0; i < depth; i++) build_some(&b, "[\x00\x01", 3);
        build_some(&b, "s\x00\x18", 3);
        build_end(&b, place);
        check_built(&b);
        if (depth > 128)
            assert_reason("nest");
        else
            ck_assert_int_eq(error.status, CF_OK);
    }
}
END_TEST

START_TEST(type_annotations_are_checked) {
#define TYPE_ANNOTATION(...)                                                                       \
    ATTRIBUTE("RuntimeVisibleTypeAnnotations", 0, 1, __VA_ARGS__, 0, 8, 0, 0)
    ck_assert_int_eq(TYPE_ANNOTATION(0x00, 1, 0), CF_OK);
    ck_assert_int_eq(TYPE_ANNOTATION(0x10, 0, 1, 0), CF_OK);
    ck_assert_int_eq(TYPE_ANNOTATION(0x11, 0, 1, 0), CF_OK);
    ck_assert_int_eq(TYPE_ANNOTATION(0x13, 0), CF_OK);
    ck_assert_int_eq(TYPE_ANNOTATION(0x13, 2, 0, 0, 3, 7), CF_OK);
    ck_assert_int_eq(TYPE_ANNOTATION(0x13, 1, 4, 0), CF_MALFORMED);
    ck_assert_int_eq(TYPE_ANNOTATION(0x13, 1, 0, 1), CF_MALFORMED);
    ck_assert_int_eq(TYPE_ANNOTATION(0x18, 0), CF_MALFORMED);
    ck_assert_int_eq(TYPE_ANNOTATION(0x4C, 0, 0, 0), CF_MALFORMED);
    ck_assert_int_ne(TYPE_ANNOTATION(0x13, 9), CF_OK);
}
END_TEST

START_TEST(other_class_attributes_are_checked) {
    ck_assert_int_eq(ATTRIBUTE("InnerClasses", 0, 1, 0, OBJECT, 0, 0, 0, 0, 0, 0), CF_OK);
    ck_assert_int_eq(ATTRIBUTE("InnerClasses", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("InnerClasses", 0, 1, 0, OBJECT, 0, OBJECT, 0, 0, 0, 0),
                     CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("InnerClasses", 0, 1, 0, OBJECT, 0, 0, 0, 0, 2, 0), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("EnclosingMethod", 0, OBJECT, 0, 0), CF_OK);
    ck_assert_int_eq(ATTRIBUTE("EnclosingMethod", 0, OBJECT, 0, METHOD), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("Signature", 0, 24), CF_OK);
    ck_assert_int_eq(ATTRIBUTE("Signature", 0, STRING), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("SourceDebugExtension", 0xFF, 0), CF_OK);
    ck_assert_int_eq(ATTRIBUTE("BootstrapMethods", 0, 1, 0, METHOD, 0, 0), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("BootstrapMethods", 0, 0), CF_OK);
    ck_assert_int_eq(ATTRIBUTE("Synthetic", 0), CF_MALFORMED);
    ck_assert_int_eq(ATTRIBUTE("NestMembers", 0, 1, 0, 0),
                     CF_OK); // of no meaning before version 55
}
END_TEST

// --- memory and time ---

START_TEST(out_of_memory_is_an_error) {
    size_t length;
    uint8_t *bytes = rich_class(&length);
    for (size_t limit = 1; limit < 600000; limit += 4096) {
        struct cf_arena poor;
        struct cf_class cls;
        struct cf_error out = {0};
        cf_arena_init(&poor);
        poor.limit = limit;
        if (cf_class_open(&cls, bytes, length, &poor) == CF_OK) {
            enum cf_status status = cf_check_structure(&cls, &out);
            ck_assert(status == CF_OK || status == CF_NO_MEMORY);
        }
        cf_arena_free(&poor);
    }
    free(bytes);
}
END_TEST

// 60,000 constants that all name one long text: each must not read it anew. (The test would time
// out.)
START_TEST(the_time_is_linear) {
    char *name = malloc(65001);
    memset(name, '[', 254);
    memset(name + 254, 'L', 65000 - 254);
    name[64999] = ';', name[65000] = '\0';
    struct build b;
    build_class_file(&b, 52, CF_ACC_ABSTRACT, "A");
    unsigned text = build_utf8(&b, name);
    for (int i = 0; i < 60000; i++) build_constant(&b, CF_TAG_CLASS, text, 2);
    build_u2(&b, 1);
    build_member(&b, 0, "f", name, 0);
    build_u2(&b, 0), build_u2(&b, 0);
    ck_assert_int_eq(check_built(&b), CF_OK);
    free(name);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("structure");
    TCase *tests = tcase_create("structure");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, classes_with_everything_are_accepted);
    tcase_add_test(tests, no_changed_byte_does_harm);
    tcase_add_test(tests, unknown_attributes_are_skipped_everywhere);
    tcase_add_test(tests, attributes_are_checked_from_their_version_on);
    tcase_add_test(tests, attributes_end_where_their_parts_end);
    tcase_add_test(tests, attributes_occur_once);
    tcase_add_test(tests, constants_refer_to_what_they_should);
    tcase_add_test(tests, only_constructors_are_called_with_angles);
    tcase_add_test(tests, tags_need_their_version);
    tcase_add_test(tests, texts_are_modified_utf8);
    tcase_add_test(tests, class_names_and_flags_hold_together);
    tcase_add_test(tests, only_object_has_no_super_class);
    tcase_add_test(tests, members_hold_together);
    tcase_add_test(tests, members_of_one_name_and_type_are_noticed);
    tcase_add_test(tests, constant_values_are_of_the_type_of_the_field);
    tcase_add_test(tests, element_values_are_checked);
    tcase_add_test(tests, annotations_do_not_nest_for_ever);
    tcase_add_test(tests, type_annotations_are_checked);
    tcase_add_test(tests, other_class_attributes_are_checked);
    tcase_add_test(tests, out_of_memory_is_an_error);
    tcase_add_test(tests, the_time_is_linear);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
