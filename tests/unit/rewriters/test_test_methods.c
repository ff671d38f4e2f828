// Which methods are tests: by the annotations of three frameworks, and by names.

#include "rewriters/test_methods.h"
#include "tests/unit/build.h"
#include "tests/unit/run.h"

#define JUNIT4 "Lorg/junit/Test;"
#define JUNIT5 "Lorg/junit/jupiter/api/Test;"
#define TESTNG "Lorg/testng/annotations/Test;"

static struct cf_arena arena;
static struct cf_class cls;
static uint8_t *bytes;
static struct build b;

static void set_up(void) {
    cf_arena_init(&arena);
    bytes = NULL;
}

static void tear_down(void) {
    free(bytes);
    cf_arena_free(&arena);
}

// A class with one method, of which two attributes are to follow: Code, and its annotations.
static void begin_of_type(const char *class_name, unsigned flags, const char *name,
                          const char *descriptor) {
    static const uint8_t code[] = {CF_OP_return}; // nothing runs or verifies it
    build_class_file(&b, 52, CF_ACC_PUBLIC, class_name);
    build_u2(&b, 0);
    build_u2(&b, 1);
    build_member(&b, flags, name, descriptor, 2);
    size_t place = build_code(&b, 0, 1, code, sizeof code);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
}

static void begin(const char *class_name, unsigned flags, const char *name) {
    begin_of_type(class_name, flags, name, "()V");
}

static void put_annotation(const char *type) {
    build_u2(&b, build_utf8(&b, type));
    build_u2(&b, 0);
}

// An attribute with annotations, `type` the last of them; NULL: none.
static void annotate(const char *attribute, const char *type) {
    size_t place = build_attribute(&b, attribute);
    build_u2(&b, type ? 2 : 1);
    put_annotation("Ljava/lang/Deprecated;");
    if (type) put_annotation(type);
    build_end(&b, place);
}

static void open_class(void) {
    size_t length;
    bytes = build_finish(&b, &length);
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
}

static int is_test(const char *patterns) {
    return rw_is_test_method(patterns, &cls, &cls.methods[0], NULL);
}

// --- annotations of methods ---

static const struct {
    const char *type, *preset; // the only one that knows it; NULL: none does
} annotations[] = {
    {JUNIT4, "junit4"},
    {"Lorg/junit/experimental/theories/Theory;", "junit4"},
    {JUNIT5, "junit5"},
    {"Lorg/junit/jupiter/params/ParameterizedTest;", "junit5"},
    {"Lorg/junit/jupiter/api/RepeatedTest;", "junit5"},
    {"Lorg/junit/jupiter/api/TestFactory;", "junit5"},
    {"Lorg/junit/jupiter/api/TestTemplate;", "junit5"},
    {TESTNG, "testng"},
    {"Lorg/junit/Before;", NULL},
    {"Lorg/junit/Ignore;", NULL},
    {"Lorg/junit/jupiter/api/BeforeEach;", NULL},
    {"Lorg/junit/jupiter/api/Nested;", NULL},
    {"Lorg/testng/annotations/BeforeMethod;", NULL},
    {"Lorg/junit/Test", NULL},
    {"Lcom/acme/Test;", NULL},
};

START_TEST(each_framework_has_its_annotations) {
    static const char *const presets[] = {"junit4", "junit5", "testng"};
    begin("t/T", CF_ACC_PUBLIC, "adds");
    annotate("RuntimeVisibleAnnotations", annotations[_i].type);
    build_u2(&b, 0);
    open_class();
    const char *preset = annotations[_i].preset;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(is_test(presets[i]), preset && strcmp(preset, presets[i]) == 0);
    ck_assert_int_eq(is_test("junit4:junit5:testng"), preset != NULL);
    ck_assert_int_eq(is_test("none.*#x:testng:junit5:junit4"), preset != NULL);
}
END_TEST

// --- dynamic tests ---

static const struct {
    const char *annotation, *lambda;
    unsigned flags;
    int is_test;
} lambdas[] = {
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$made$0", CF_ACC_SYNTHETIC, 1},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$made$123", CF_ACC_SYNTHETIC, 1},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$made$0", 0, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$made$", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$made", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$mad$0", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$other$0", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$$0", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "lambda$0", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "made$0", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "0", CF_ACC_SYNTHETIC, 0},
    {"Lorg/junit/jupiter/api/TestFactory;", "", CF_ACC_SYNTHETIC, 0},
    {JUNIT5, "lambda$made$0", CF_ACC_SYNTHETIC, 0},
};

// Lambdas of a method that makes them, by javac's names; those of other tests are parts of them.
START_TEST(lambdas_of_a_factory_are_tests) {
    static const uint8_t code[] = {CF_OP_return};
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    build_u2(&b, 0);
    build_u2(&b, 2);
    build_member(&b, CF_ACC_STATIC | lambdas[_i].flags, lambdas[_i].lambda, "()V", 1);
    size_t place = build_code(&b, 0, 0, code, sizeof code);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_member(&b, CF_ACC_ABSTRACT, "made", "()V", 1);
    annotate("RuntimeVisibleAnnotations", lambdas[_i].annotation);
    build_u2(&b, 0);
    open_class();
    ck_assert_int_eq(is_test("junit5"), lambdas[_i].is_test);
    ck_assert(!is_test("junit4:testng"));
}
END_TEST

// Frameworks find their annotations at run time, so that those are visible.
START_TEST(annotations_invisible_at_run_time_are_ignored) {
    begin("t/T", CF_ACC_PUBLIC, "adds");
    annotate("RuntimeInvisibleAnnotations", JUNIT4);
    build_u2(&b, 0);
    open_class();
    ck_assert(!is_test("junit4"));
}
END_TEST

// All kinds of element values before the one that counts (JVMS 4.7.16.1).
START_TEST(values_of_other_annotations_are_skipped) {
    static const char constants[] = "BCDFIJSZsc";
    begin("t/T", CF_ACC_PUBLIC, "adds");
    size_t place = build_attribute(&b, "RuntimeVisibleAnnotations");
    unsigned utf8 = build_utf8(&b, "x");
    build_u2(&b, 2);
    build_u2(&b, build_utf8(&b, "Lcom/acme/Other;"));
    build_u2(&b, sizeof constants - 1 + 3);
    for (const char *tag = constants; *tag; tag++) {
        build_u2(&b, utf8);
        build_u1(&b, (uint8_t)*tag);
        build_u2(&b, utf8);
    }
    build_u2(&b, utf8); // an enum constant
    build_u1(&b, 'e');
    build_u4(&b, utf8 << 16 | utf8);
    build_u2(&b, utf8); // an annotation
    build_u1(&b, '@');
    build_u2(&b, utf8);
    build_u2(&b, 1);
    build_u2(&b, utf8);
    build_u1(&b, 'I');
    build_u2(&b, utf8);
    build_u2(&b, utf8); // an array of two
    build_u1(&b, '[');
    build_u2(&b, 2);
    for (int i = 0; i < 2; i++) {
        build_u1(&b, 's');
        build_u2(&b, utf8);
    }
    put_annotation(JUNIT5);
    build_end(&b, place);
    build_u2(&b, 0);
    open_class();
    ck_assert(is_test("junit5"));
    ck_assert(!is_test("junit4"));
}
END_TEST

// A tag that there is not, an attribute that ends early, arrays within arrays without end.
START_TEST(broken_annotations_make_no_test) {
    begin("t/T", CF_ACC_PUBLIC, "adds");
    size_t place = build_attribute(&b, "RuntimeVisibleAnnotations");
    build_u2(&b, 2);
    build_u2(&b, build_utf8(&b, "Lcom/acme/Other;"));
    build_u2(&b, 1);
    if (_i < 2) {
        build_u2(&b, 1);
        build_u1(&b, _i == 0 ? '?' : 0);
        build_u2(&b, 1);
        put_annotation(JUNIT4);
    } else if (_i == 2) {
        build_u2(&b, 1);
        for (int depth = 0; depth < 1000; depth++) {
            build_u1(&b, '[');
            build_u2(&b, 1);
        }
    }
    build_end(&b, place);
    build_u2(&b, 0);
    open_class();
    ck_assert(!is_test("junit4"));
}
END_TEST

// --- an annotation of the class: TestNG alone ---

static const struct {
    unsigned flags;
    const char *name, *descriptor;
    int is_test;
} of_class[] = {
    {CF_ACC_PUBLIC, "adds", "()V", 1},
    {CF_ACC_PUBLIC, "adds", "(II)V", 1},
    {CF_ACC_PUBLIC | CF_ACC_FINAL, "adds", "()V", 1},
    {CF_ACC_PUBLIC | CF_ACC_STATIC, "adds", "()V", 1},
    {0, "adds", "()V", 0},
    {CF_ACC_PRIVATE, "adds", "()V", 0},
    {CF_ACC_PUBLIC | CF_ACC_SYNTHETIC, "lambda$0", "()V", 0},
    {CF_ACC_PUBLIC | CF_ACC_BRIDGE, "get", "()V", 0},
    {CF_ACC_PUBLIC, "sum", "()I", 0},
    {CF_ACC_PUBLIC, "numbers", "()[[Ljava/lang/Object;", 0},
    {CF_ACC_PUBLIC, "value", "()LV;", 0},
    {CF_ACC_PUBLIC | CF_ACC_STATIC, "main", "([Ljava/lang/String;)V", 0},
    {CF_ACC_PUBLIC | CF_ACC_STATIC, "main", "()V", 1},
    {CF_ACC_PUBLIC, "main", "([Ljava/lang/String;)V", 1},
    {CF_ACC_PUBLIC, "<init>", "()V", 0},
};

START_TEST(of_a_class_with_the_annotation_public_methods_are_tests) {
    begin_of_type("t/T", of_class[_i].flags, of_class[_i].name, of_class[_i].descriptor);
    annotate("RuntimeVisibleAnnotations", NULL);
    build_u2(&b, 1);
    annotate("RuntimeVisibleAnnotations", TESTNG);
    open_class();
    ck_assert_int_eq(is_test("testng"), of_class[_i].is_test);
    ck_assert(!is_test("junit4:junit5"));
}
END_TEST

static const struct {
    const char *type;
    int is_test;
} of_methods[] = {
    {TESTNG, 1},
    {"Lorg/testng/annotations/Parameters;", 1},
    {"Lorg/testng/annotations/BeforeSuite;", 0},
    {"Lorg/testng/annotations/AfterSuite;", 0},
    {"Lorg/testng/annotations/BeforeTest;", 0},
    {"Lorg/testng/annotations/AfterTest;", 0},
    {"Lorg/testng/annotations/BeforeGroups;", 0},
    {"Lorg/testng/annotations/AfterGroups;", 0},
    {"Lorg/testng/annotations/BeforeClass;", 0},
    {"Lorg/testng/annotations/AfterClass;", 0},
    {"Lorg/testng/annotations/BeforeMethod;", 0},
    {"Lorg/testng/annotations/AfterMethod;", 0},
    {"Lorg/testng/annotations/Factory;", 0},
    {"Lorg/testng/annotations/DataProvider;", 0},
};

// What prepares tests, cleans up behind them or makes their arguments is none itself.
START_TEST(of_a_class_with_the_annotation_what_serves_tests_is_none) {
    begin("t/T", CF_ACC_PUBLIC, "serves");
    annotate("RuntimeVisibleAnnotations", of_methods[_i].type);
    build_u2(&b, 1);
    annotate("RuntimeVisibleAnnotations", TESTNG);
    open_class();
    ck_assert_int_eq(is_test("testng"), of_methods[_i].is_test);
}
END_TEST

// It is with allow-return-values; otherwise TestNG does not call it.
START_TEST(with_the_annotation_a_method_with_a_result_is_a_test) {
    begin_of_type("t/T", CF_ACC_PUBLIC, "adds", "()I");
    annotate("RuntimeVisibleAnnotations", TESTNG);
    build_u2(&b, 0);
    open_class();
    ck_assert(is_test("testng"));
}
END_TEST

START_TEST(junits_annotations_say_nothing_on_a_class) {
    begin("t/T", CF_ACC_PUBLIC, "adds");
    annotate("RuntimeVisibleAnnotations", NULL);
    build_u2(&b, 1);
    annotate("RuntimeVisibleAnnotations", JUNIT5);
    open_class();
    ck_assert(!is_test("junit5"));
}
END_TEST

// --- names ---

static const struct {
    const char *class_name, *name, *pattern;
    int is_test;
} names[] = {
    {"com/acme/FooTest", "testAdd", "com.acme.FooTest#testAdd", 1},
    {"com/acme/FooTest", "testAdd", "com.acme.**Test#test*", 1},
    {"com/acme/deep/er/FooTest", "testAdd", "com.acme.**Test#test*", 1},
    {"com/acme/deep/er/FooTest", "testAdd", "com.acme.*Test#test*", 0},
    {"com/acme/FooTest", "testAdd", "com.acme.*Test#*Add", 1},
    {"com/acme/FooTest", "testAdd", "**#testAdd", 1},
    {"com/acme/FooTest", "testAdd", "*#testAdd", 0},
    {"FooTest", "testAdd", "*#testAdd", 1},
    {"com/acme/FooTest", "testAdd", "com.acme.FooTest#test", 0},
    {"com/acme/FooTest", "testAdd", "com.acme.Foo#testAdd", 0},
    {"com/acme/FooTest", "testAdd", "com.acme.FooTest#*est*d*", 1},
    {"com/acme/FooTest", "testAdd", "x#y:com.acme.FooTest#testAdd", 1},
    {"com/acme/FooTest$Inner", "testAdd", "com.acme.FooTest$Inner#*", 1},
    {"com/acme/FooTest$Inner", "testAdd", "com.acme.FooTest#*", 0},
    {"com/acme/FooTest", "<init>", "com.acme.FooTest#*", 0},
    {"com/acme/FooTest", "<clinit>", "com.acme.FooTest#**", 0},
};

START_TEST(names_match_as_patterns_do) {
    begin(names[_i].class_name, CF_ACC_PUBLIC, names[_i].name);
    annotate("RuntimeVisibleAnnotations", NULL);
    build_u2(&b, 0);
    open_class();
    ck_assert_int_eq(is_test(names[_i].pattern), names[_i].is_test);
}
END_TEST

// --- what may be written ---

static const struct {
    const char *patterns;
    int good;
} lists[] = {{"junit4", 1},       {"junit5", 1},  {"testng", 1},       {"junit4:testng", 1},
             {"a.B#c", 1},        {"**#*", 1},    {"junit4:a.B#c", 1}, {"", 0},
             {"junit", 0},        {"junit45", 0}, {"a.B", 0},          {"#c", 0},
             {"a.B#", 0},         {"junit4:", 0}, {":junit4", 0},      {"a.B#c::", 0},
             {"junit4,testng", 0}};

START_TEST(a_malformed_list_is_reported) {
    const char *wrong = rw_test_methods_check(lists[_i].patterns);
    ck_assert_int_eq(wrong == NULL, lists[_i].good);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    Suite *suite = suite_create("test_methods");
    TCase *tcase = tcase_create("test_methods");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, each_framework_has_its_annotations, 0, COUNT(annotations));
    tcase_add_loop_test(tcase, lambdas_of_a_factory_are_tests, 0, COUNT(lambdas));
    tcase_add_test(tcase, annotations_invisible_at_run_time_are_ignored);
    tcase_add_test(tcase, values_of_other_annotations_are_skipped);
    tcase_add_loop_test(tcase, broken_annotations_make_no_test, 0, 4);
    tcase_add_loop_test(tcase, of_a_class_with_the_annotation_public_methods_are_tests, 0,
                        COUNT(of_class));
    tcase_add_loop_test(tcase, of_a_class_with_the_annotation_what_serves_tests_is_none, 0,
                        COUNT(of_methods));
    tcase_add_test(tcase, with_the_annotation_a_method_with_a_result_is_a_test);
    tcase_add_test(tcase, junits_annotations_say_nothing_on_a_class);
    tcase_add_loop_test(tcase, names_match_as_patterns_do, 0, COUNT(names));
    tcase_add_loop_test(tcase, a_malformed_list_is_reported, 0, COUNT(lists));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
