// What other class files say of the tests in a class: superclasses, and annotations of annotations.

#include "rewriters/test_types.h"
#include "tests/unit/build.h"
#include "tests/unit/run.h"

#include <stdio.h>

#define TEST5 "Lorg/junit/jupiter/api/Test;"
#define FACTORY5 "Lorg/junit/jupiter/api/TestFactory;"
#define TESTNG "Lorg/testng/annotations/Test;"

static struct cf_arena arena;
static struct cf_class cls;
static struct build b;
static uint8_t *bytes;

static void set_up(void) {
    cf_arena_init(&arena);
    bytes = NULL;
}

static void tear_down(void) {
    free(bytes);
    cf_arena_free(&arena);
}

// The attributes of a class or a method: annotations of these types, separated by spaces.
static void annotate(const char *types) {
    char type[600];
    int length;
    build_u2(&b, 1);
    size_t place = build_attribute(&b, "RuntimeVisibleAnnotations"), count = build_counted(&b, 0);
    for (; sscanf(types, " %599s%n", type, &length) == 1; types += length) {
        build_more(&b, count);
        build_u2(&b, build_utf8(&b, type));
        build_u2(&b, 0);
    }
    build_end(&b, place);
}

static void begin(unsigned flags, const char *name, const char *above) {
    build_class_file(&b, 52, flags, name);
    cf_put2(b.body.bytes + 4, build_class(&b, above));
    build_u2(&b, 0); // fields
}

// --- class files ---

static const struct file {
    const char *name, *above, *annotations; // asked for by this name
    unsigned flags;
    const char *own_name; // NULL: the same
} files[] = {
    {"Plain", "java/lang/Object", "", 0, NULL},
    {"Annotated", "java/lang/Object", "LOther; " TESTNG, 0, NULL},
    {"Below", "Annotated", "", 0, NULL},
    {"Far", "Below", "", 0, NULL},
    {"OldBase", "junit/framework/TestCase", "", 0, NULL},
    {"Both", "OldBase", TESTNG, 0, NULL},
    {"Circle", "Circle2", "", 0, NULL},
    {"Circle2", "Circle", TESTNG, 0, NULL},
    {"Lost", "Missing", TESTNG, 0, NULL},
    {"Wrong", "java/lang/Object", TESTNG, 0, "Right"},
    {"java/lang/Strange", "java/lang/Object", TESTNG, 0, NULL},
    {"Fast", "java/lang/Object", "Ljava/lang/annotation/Retention; " TEST5, CF_ACC_ANNOTATION,
     NULL},
    {"Faster", "java/lang/Object", "LTag; LFast;", CF_ACC_ANNOTATION, NULL},
    {"Makes", "java/lang/Object", FACTORY5, CF_ACC_ANNOTATION, NULL},
    {"Round", "java/lang/Object", "LRound; LRound2;", CF_ACC_ANNOTATION, NULL},
    {"Round2", "java/lang/Object", "LRound; LMissing; LMakes;", CF_ACC_ANNOTATION, NULL},
    {"Tag", "java/lang/Object", "LTag;", CF_ACC_ANNOTATION, NULL},
    {"NoType", "java/lang/Object", TEST5, 0, NULL},
    {"OfNg", "java/lang/Object", TESTNG, CF_ACC_ANNOTATION, NULL},
};

static int reads;
static size_t cut; // bytes that are missing at the end of each file

static int read_file(void *context, const char *name, uint8_t **file, size_t *length) {
    (void)context;
    reads++;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct file *f = &files[i];
        if (strcmp(f->name, name) != 0) continue;
        begin(f->flags, f->own_name ? f->own_name : name, f->above);
        build_u2(&b, 0);
        annotate(f->annotations);
        *file = build_finish(&b, length);
        *length = *length > cut ? *length - cut : 0;
        return 1;
    }
    return 0;
}

static unsigned ask(enum rw_test_question question, const char *name) {
    const struct rw_class_files source = {read_file, NULL};
    struct cf_slice slice = {(const uint8_t *)name, (uint32_t)strlen(name)};
    reads = 0;
    return rw_test_answer(&source, question, slice);
}

static const struct {
    enum rw_test_question question;
    const char *name;
    unsigned answer;
    int reads;
} answers[] = {
    {RW_ASK_SUPERCLASS, "Plain", 0, 1},
    {RW_ASK_SUPERCLASS, "Annotated", RW_TESTNG_ABOVE, 1},
    {RW_ASK_SUPERCLASS, "Far", RW_TESTNG_ABOVE, 3},
    {RW_ASK_SUPERCLASS, "junit/framework/TestCase", RW_JUNIT3_ABOVE, 0},
    {RW_ASK_SUPERCLASS, "OldBase", RW_JUNIT3_ABOVE, 1},
    {RW_ASK_SUPERCLASS, "Both", RW_JUNIT3_ABOVE | RW_TESTNG_ABOVE, 2},
    {RW_ASK_SUPERCLASS, "Circle", RW_TESTNG_ABOVE, 64},
    {RW_ASK_SUPERCLASS, "Lost", RW_TESTNG_ABOVE, 2},
    {RW_ASK_SUPERCLASS, "Missing", 0, 1},
    {RW_ASK_SUPERCLASS, "Wrong", 0, 1},
    {RW_ASK_SUPERCLASS, "java/lang/Strange", 0, 0},
    {RW_ASK_SUPERCLASS, "", 0, 0},
    {RW_ASK_ANNOTATION, "Fast", RW_COMPOSED_TEST, 1},
    {RW_ASK_ANNOTATION, "Faster", RW_COMPOSED_TEST, 3},
    {RW_ASK_ANNOTATION, "Makes", RW_COMPOSED_TEST | RW_COMPOSED_FACTORY, 1},
    {RW_ASK_ANNOTATION, "Round", RW_COMPOSED_TEST | RW_COMPOSED_FACTORY, 4},
    {RW_ASK_ANNOTATION, "Tag", 0, 1},
    {RW_ASK_ANNOTATION, "NoType", 0, 1},
    {RW_ASK_ANNOTATION, "OfNg", 0, 2},
    {RW_ASK_ANNOTATION, "Missing", 0, 1},
};

// As far as the files go, circles included; none of the JDK is read.
START_TEST(class_files_answer) {
    cut = 0;
    ck_assert_uint_eq(ask(answers[_i].question, answers[_i].name), answers[_i].answer);
    ck_assert_int_eq(reads, answers[_i].reads);
}
END_TEST

START_TEST(incomplete_class_files_say_nothing) {
    for (cut = 1; cut < 300; cut++) {
        ck_assert_uint_eq(ask(answers[_i].question, answers[_i].name) & ~(unsigned)RW_JUNIT3_ABOVE,
                          0);
        ck_assert_int_le(reads, 1);
    }
}
END_TEST

// --- a class ---

static int asked;

static unsigned get(void *context, enum rw_test_question question, struct cf_slice name) {
    char text[600];
    (void)context;
    snprintf(text, sizeof text, "%.*s", (int)name.length, (const char *)name.bytes);
    unsigned answer = ask(question, text);
    asked++;
    return answer;
}

static void open_class(void) {
    size_t length;
    bytes = build_finish(&b, &length);
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
}

// A class with one method, and an abstract one before it.
static void build_subject(const char *above, unsigned flags, const char *name,
                          const char *descriptor, const char *types) {
    static const uint8_t code[] = {CF_OP_return}; // nothing runs or verifies it
    begin(CF_ACC_PUBLIC, "Subject", above);
    build_u2(&b, 2);
    build_member(&b, CF_ACC_ABSTRACT, "made", "()V", 0);
    b.body.length -= 2;
    annotate(types);
    build_u2(&b, flags);
    build_u2(&b, build_utf8(&b, name));
    build_u2(&b, build_utf8(&b, descriptor));
    build_u2(&b, 2);
    size_t place = build_code(&b, 0, 1, code, sizeof code);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    place = b.body.length;
    annotate(types);
    memmove(b.body.bytes + place, b.body.bytes + place + 2, b.body.length - place - 2);
    b.body.length -= 2;
    build_u2(&b, 0);
    open_class();
}

static int is_test(const char *preset) {
    const struct rw_test_answers source = {get, NULL};
    struct rw_test_types types;
    asked = 0;
    rw_test_types_find(&cls, rw_test_presets(preset), &source, &types);
    return rw_is_test_method(preset, &cls, &cls.methods[1], &types);
}

static const struct {
    const char *above, *name, *descriptor, *types;
    unsigned flags;
    const char *preset; // the only one for which it is a test; NULL: none
} subjects[] = {
    {"Far", "adds", "()V", "", CF_ACC_PUBLIC, "testng"},
    {"Far", "adds", "()V", "", CF_ACC_PUBLIC | CF_ACC_STATIC, "testng"},
    {"Far", "adds", "()V", "", 0, NULL},
    {"Far", "adds", "()I", "", CF_ACC_PUBLIC, NULL},
    {"Far", "adds", "()V", "Lorg/testng/annotations/BeforeMethod;", CF_ACC_PUBLIC, NULL},
    {"Far", "<init>", "()V", "", CF_ACC_PUBLIC, NULL},
    {"Plain", "adds", "()V", "", CF_ACC_PUBLIC, NULL},
    {"OldBase", "testAdds", "()V", "", CF_ACC_PUBLIC, "junit4"},
    {"junit/framework/TestCase", "testAdds", "()V", "", CF_ACC_PUBLIC, "junit4"},
    {"junit/framework/TestCase", "test", "()V", "", CF_ACC_PUBLIC, "junit4"},
    {"OldBase", "testAdds", "()V", "", CF_ACC_PROTECTED, NULL},
    {"OldBase", "testAdds", "()I", "", CF_ACC_PUBLIC, NULL},
    {"OldBase", "testAdds", "(I)V", "", CF_ACC_PUBLIC, NULL},
    {"OldBase", "tesAdds", "()V", "", CF_ACC_PUBLIC, NULL},
    {"OldBase", "setUp", "()V", "", CF_ACC_PUBLIC, NULL},
    {"Plain", "testAdds", "()V", "", CF_ACC_PUBLIC, NULL},
    {"Plain", "adds", "()V", "LFast;", 0, "junit5"},
    {"Plain", "adds", "()V", "LTag; Ljava/lang/Deprecated; LFaster;", 0, "junit5"},
    {"Plain", "adds", "()V", "LTag;", 0, NULL},
    {"Plain", "adds", "()V", "LMissing;", 0, NULL},
    {"Plain", "adds", "()V", "Ljava/lang/Fast;", 0, NULL},
    {"Plain", "adds", "()V", "Fast; L; LFast", 0, NULL},
    {"Plain", "made$0", "()V", "LMakes;", 0, "junit5"},
};

START_TEST(they_make_methods_tests) {
    static const char *const presets[] = {"junit4", "junit5", "testng"};
    cut = 0;
    build_subject(subjects[_i].above, subjects[_i].flags, subjects[_i].name,
                  subjects[_i].descriptor, subjects[_i].types);
    const char *preset = subjects[_i].preset;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(is_test(presets[i]), preset && strcmp(preset, presets[i]) == 0);
    ck_assert_int_eq(is_test("junit4:junit5:x#y:testng"), preset != NULL);
    ck_assert(!is_test("x#y"));
    ck_assert_int_eq(asked, 0);
}
END_TEST

// A lambda, without annotations of its own, in a method that a composed annotation makes a factory.
START_TEST(lambdas_of_a_composed_factory_are_tests) {
    static const char *const types[] = {"LMakes;", "LRound;", "LFast;", "LTag;"};
    const struct rw_test_answers source = {get, NULL};
    struct rw_test_types found;
    build_subject("Plain", CF_ACC_STATIC, "other", "()V", types[_i]);
    rw_test_types_find(&cls, RW_JUNIT5, &source, &found);
    free(bytes);
    begin(CF_ACC_PUBLIC, "Subject", "Plain");
    build_u2(&b, 2);
    build_member(&b, CF_ACC_STATIC | CF_ACC_SYNTHETIC, "lambda$made$0", "()V", 0);
    build_member(&b, CF_ACC_ABSTRACT, "made", "()V", 0);
    b.body.length -= 2;
    annotate(types[_i]);
    build_u2(&b, 0);
    open_class();
    ck_assert_int_eq(rw_is_test_method("junit5", &cls, &cls.methods[0], &found), _i < 2);
}
END_TEST

// Looking for class files takes time.
START_TEST(nobody_is_asked_in_vain) {
    cut = 0;
    build_subject("java/lang/Object", CF_ACC_PUBLIC, "testAdds", "()V", "Ljava/lang/Deprecated;");
    ck_assert(!is_test("junit4:junit5:testng"));
    ck_assert_int_eq(asked, 0);
    free(bytes);
    build_subject("Plain", 0, "adds", "()V", TEST5);
    ck_assert(is_test("junit4:junit5:testng"));
    ck_assert_int_eq(asked, 0);
    free(bytes);
    build_subject("Plain", CF_ACC_PUBLIC, "get", "()I", "");
    ck_assert(!is_test("junit4:testng"));
    ck_assert_int_eq(asked, 0);
}
END_TEST

START_TEST(a_class_asks_only_so_much) {
    char types[8000] = "";
    cut = 0;
    for (int i = 0; i < 1000; i++)
        snprintf(types + strlen(types), sizeof types - strlen(types), "LT%d; ", i);
    build_subject("Plain", 0, "adds", "()V", types);
    is_test("junit5");
    ck_assert_int_eq(asked, 64);
}
END_TEST

// What does not fit is left out.
START_TEST(long_names_are_left_out) {
    struct rw_test_types types = {0};
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cut = 0;
    ck_assert_uint_eq(ask(RW_ASK_ANNOTATION, name), 0);
    ck_assert_uint_eq(ask(RW_ASK_SUPERCLASS, name), 0);
    ck_assert_int_eq(reads, 0);
    struct cf_slice fast = {(const uint8_t *)"LFast;", 6}, part = {(const uint8_t *)"Fast;", 5};
    strcpy(types.composed, "Lcom/LFast;tLFast;f");
    ck_assert(rw_test_types_has(&types, fast, 0) && rw_test_types_has(&types, fast, 1));
    ck_assert(!rw_test_types_has(&types, part, 0));
    strcpy(types.composed, "Lcom/LFast;f");
    ck_assert(!rw_test_types_has(&types, fast, 0));
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    Suite *suite = suite_create("test_types");
    TCase *tcase = tcase_create("test_types");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, class_files_answer, 0, COUNT(answers));
    tcase_add_loop_test(tcase, incomplete_class_files_say_nothing, 0, COUNT(answers));
    tcase_add_loop_test(tcase, they_make_methods_tests, 0, COUNT(subjects));
    tcase_add_loop_test(tcase, lambdas_of_a_composed_factory_are_tests, 0, 4);
    tcase_add_test(tcase, nobody_is_asked_in_vain);
    tcase_add_test(tcase, a_class_asks_only_so_much);
    tcase_add_test(tcase, long_names_are_left_out);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
