#include "rewriters/test_types.h"

#include "classfile/format/annotations.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SUPERCLASSES = 64, // that are read for an answer
    NAME_SIZE = 512
};

const char *const rw_junit4_tests[] = {"Lorg/junit/Test;",
                                       "Lorg/junit/experimental/theories/Theory;", NULL};
const char *const rw_junit5_tests[] = {
    "Lorg/junit/jupiter/api/Test;",         "Lorg/junit/jupiter/params/ParameterizedTest;",
    "Lorg/junit/jupiter/api/RepeatedTest;", "Lorg/junit/jupiter/api/TestFactory;",
    "Lorg/junit/jupiter/api/TestTemplate;", NULL};
const char *const rw_junit5_factories[] = {"Lorg/junit/jupiter/api/TestFactory;", NULL};
const char *const rw_testng_tests[] = {"Lorg/testng/annotations/Test;", NULL};
// Of methods that no annotation of their class makes tests.
static const char *const testng_others[] = {
    "Lorg/testng/annotations/BeforeSuite;",   "Lorg/testng/annotations/AfterSuite;",
    "Lorg/testng/annotations/BeforeTest;",    "Lorg/testng/annotations/AfterTest;",
    "Lorg/testng/annotations/BeforeGroups;",  "Lorg/testng/annotations/AfterGroups;",
    "Lorg/testng/annotations/BeforeClass;",   "Lorg/testng/annotations/AfterClass;",
    "Lorg/testng/annotations/BeforeMethod;",  "Lorg/testng/annotations/AfterMethod;",
    "Lorg/testng/annotations/Configuration;", "Lorg/testng/annotations/Factory;",
    "Lorg/testng/annotations/DataProvider;",  NULL};

// --- methods ---

static int returns_nothing(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_slice descriptor = cf_member_descriptor(cls, method);
    return descriptor.length && descriptor.bytes[descriptor.length - 1] == 'V';
}

// TestNG calls methods with a result only with allow-return-values, which nothing in the class tells.
int rw_suits_testng_class(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_slice name = cf_member_name(cls, method);
    unsigned flags = method->access_flags;
    return flags & CF_ACC_PUBLIC && !(flags & (CF_ACC_SYNTHETIC | CF_ACC_BRIDGE)) && name.length &&
           name.bytes[0] != '<' && returns_nothing(cls, method) &&
           !cf_annotation_of(cls, method, testng_others);
}

int rw_suits_junit3(const struct cf_class *cls, const struct cf_member *method) {
    static const char prefix[] = "test";
    struct cf_slice name = cf_member_name(cls, method);
    return method->access_flags & CF_ACC_PUBLIC && name.length >= sizeof prefix - 1 &&
           memcmp(name.bytes, prefix, sizeof prefix - 1) == 0 &&
           CF_IS(cf_member_descriptor(cls, method), "()V");
}

// --- names ---

static int is_of_jdk(struct cf_slice name) {
    static const char java[] = "java/";
    return name.length >= sizeof java - 1 && memcmp(name.bytes, java, sizeof java - 1) == 0;
}

// Of another class that may tell something: none of the JDK does.
static int take_name(struct cf_slice name, char *text) {
    if (name.length == 0 || name.length >= NAME_SIZE || is_of_jdk(name) ||
        memchr(name.bytes, 0, name.length) || memchr(name.bytes, ';', name.length))
        return 0;
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    return 1;
}

// --- answers ---

struct other_class {
    struct cf_arena arena;
    struct cf_class cls;
    uint8_t *bytes;
};

static void close_other(struct other_class *other) {
    cf_arena_free(&other->arena);
    free(other->bytes);
}

// 0: its class file is missing, malformed, or another class's; there is nothing to close.
static int open_other(const struct rw_class_files *files, const char *name,
                      struct other_class *other) {
    size_t length = 0;
    other->bytes = NULL;
    if (!files->read(files->context, name, &other->bytes, &length)) return 0;
    cf_arena_init(&other->arena);
    if (cf_class_open(&other->cls, other->bytes, length, &other->arena) == CF_OK &&
        cf_slice_is(cf_this_name(&other->cls), name, strlen(name)))
        return 1;
    close_other(other);
    return 0;
}

static unsigned ask_superclasses(const struct rw_class_files *files, struct cf_slice first) {
    char name[NAME_SIZE];
    struct other_class other;
    unsigned answer = 0;
    int more = take_name(first, name);
    for (int i = 0; more && i < MOST_SUPERCLASSES; i++) {
        if (strcmp(name, "junit/framework/TestCase") == 0) return answer | RW_JUNIT3_ABOVE;
        if (!open_other(files, name, &other)) return answer;
        if (cf_annotation_of(&other.cls, NULL, rw_testng_tests)) answer |= RW_TESTNG_ABOVE;
        more = take_name(cf_class_name(&other.cls, other.cls.super_class), name);
        close_other(&other);
    }
    return answer;
}

unsigned rw_test_answer(const struct rw_class_files *files, enum rw_test_question question,
                        struct cf_slice name) {
    (void)question;
    return ask_superclasses(files, name);
}

// --- a class ---

// Has the class a method that a superclass could make a test?
static int has_candidate(const struct cf_class *cls, unsigned presets) {
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        if ((presets & RW_TESTNG && rw_suits_testng_class(cls, method)) ||
            (presets & RW_JUNIT4 && rw_suits_junit3(cls, method)))
            return 1;
    }
    return 0;
}

void rw_test_types_find(const struct cf_class *cls, unsigned presets,
                        const struct rw_test_answers *answers, struct rw_test_types *types) {
    struct cf_slice above = cf_class_name(cls, cls->super_class);
    types->above = 0;
    if (above.length && !is_of_jdk(above) && !(cls->access_flags & CF_ACC_INTERFACE) &&
        has_candidate(cls, presets))
        types->above = answers->get(answers->context, RW_ASK_SUPERCLASS, above);
}
