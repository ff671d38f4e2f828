#include "rewriters/test_types.h"

#include "classfile/format/annotations.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SUPERCLASSES = 64, // that are read for an answer
    MOST_TYPES = 64,        // of annotations, that are read for an answer, or asked for a class
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

// What the JVM calls, perhaps to run the tests.
static int is_main(const struct cf_class *cls, const struct cf_member *method) {
    return method->access_flags & CF_ACC_STATIC && CF_IS(cf_member_name(cls, method), "main") &&
           CF_IS(cf_member_descriptor(cls, method), "([Ljava/lang/String;)V");
}

// TestNG calls methods with a result only with allow-return-values, which nothing in the class tells.
int rw_suits_testng_class(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_slice name = cf_member_name(cls, method);
    unsigned flags = method->access_flags;
    return flags & CF_ACC_PUBLIC && !(flags & (CF_ACC_SYNTHETIC | CF_ACC_BRIDGE)) && name.length &&
           name.bytes[0] != '<' && returns_nothing(cls, method) && !is_main(cls, method) &&
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

// The name of the class in a descriptor such as Lcom/acme/Fast;
static struct cf_slice name_in(struct cf_slice descriptor) {
    struct cf_slice none = {NULL, 0};
    if (descriptor.length < 3 || descriptor.bytes[0] != 'L' ||
        descriptor.bytes[descriptor.length - 1] != ';')
        return none;
    return (struct cf_slice){descriptor.bytes + 1, descriptor.length - 2};
}

static int is_listed(struct cf_slice descriptor, const char *const *list) {
    for (; *list; list++)
        if (cf_slice_is(descriptor, *list, strlen(*list))) return 1;
    return 0;
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

// The types of annotations that one leads to, each once.
struct led_to {
    char names[MOST_TYPES][NAME_SIZE];
    int count;
    unsigned answer;
};

static int lead_to(void *context, struct cf_slice type) {
    struct led_to *to = context;
    int is_test = is_listed(type, rw_junit5_tests);
    if (is_test) to->answer |= RW_COMPOSED_TEST;
    if (is_listed(type, rw_junit5_factories)) to->answer |= RW_COMPOSED_FACTORY;
    struct cf_slice name = name_in(type);
    if (is_test || to->count == MOST_TYPES || !take_name(name, to->names[to->count])) return 0;
    for (int i = 0; i < to->count; i++)
        if (strcmp(to->names[i], to->names[to->count]) == 0) return 0;
    to->count++;
    return 0;
}

// JUnit looks at the annotations of an annotation, at theirs, and so on; they may be in a circle.
static unsigned ask_annotations(const struct rw_class_files *files, struct cf_slice first) {
    struct led_to *to = malloc(sizeof *to);
    struct other_class other;
    if (!to) return 0;
    to->answer = 0;
    to->count = take_name(first, to->names[0]);
    for (int i = 0; i < to->count; i++) {
        if (!open_other(files, to->names[i], &other)) continue;
        if (other.cls.access_flags & CF_ACC_ANNOTATION)
            cf_each_annotation(&other.cls, NULL, lead_to, to);
        close_other(&other);
    }
    unsigned answer = to->answer;
    free(to);
    return answer;
}

unsigned rw_test_answer(const struct rw_class_files *files, enum rw_test_question question,
                        struct cf_slice name) {
    return question == RW_ASK_SUPERCLASS ? ask_superclasses(files, name)
                                         : ask_annotations(files, name);
}

// --- a class ---

struct finding {
    const struct cf_class *cls;
    const struct rw_test_answers *answers;
    struct rw_test_types *types;
    const uint8_t *asked[MOST_TYPES]; // where their descriptors are in the class
    int asked_count;
};

// Behind each descriptor in types->composed stands t, or f if it is one of a factory, too.
static void add_composed(struct rw_test_types *types, struct cf_slice type, int factory) {
    size_t used = strlen(types->composed);
    if (used + type.length + 2 > sizeof types->composed) return;
    memcpy(types->composed + used, type.bytes, type.length);
    memcpy(types->composed + used + type.length, factory ? "f" : "t", 2);
}

static int ask_about(void *context, struct cf_slice type) {
    struct finding *f = context;
    char name[NAME_SIZE];
    if (is_listed(type, rw_junit5_tests) || !take_name(name_in(type), name)) return 0;
    for (int i = 0; i < f->asked_count; i++)
        if (f->asked[i] == type.bytes) return 0;
    if (f->asked_count == MOST_TYPES) return 1;
    f->asked[f->asked_count++] = type.bytes;
    unsigned answer = f->answers->get(f->answers->context, RW_ASK_ANNOTATION, name_in(type));
    if (answer & RW_COMPOSED_TEST)
        add_composed(f->types, type, (answer & RW_COMPOSED_FACTORY) != 0);
    return 0;
}

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
    struct finding f = {.cls = cls, .answers = answers, .types = types};
    struct cf_slice above = cf_class_name(cls, cls->super_class);
    types->above = 0;
    types->composed[0] = '\0';
    if (above.length && !is_of_jdk(above) && !(cls->access_flags & CF_ACC_INTERFACE) &&
        has_candidate(cls, presets))
        types->above = answers->get(answers->context, RW_ASK_SUPERCLASS, above);
    for (uint32_t i = 0; presets & RW_JUNIT5 && i < cls->methods_count; i++)
        cf_each_annotation(cls, &cls->methods[i], ask_about, &f);
}

int rw_test_types_has(const struct rw_test_types *types, struct cf_slice type, int factory) {
    for (const char *c = types->composed; *c;) {
        size_t length = strcspn(c, ";") + 1;
        if (cf_slice_is(type, c, length)) return !factory || c[length] == 'f';
        c += length + 1;
    }
    return 0;
}
