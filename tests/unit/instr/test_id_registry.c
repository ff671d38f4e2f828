// The registry of methods: ids are stable, dense and the same for every thread.

#include "instr/id_registry.h"
#include "instr/engine/display_name.h"
#include "tests/unit/run.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int id_of(struct instr_methods *methods, unsigned pass, const char *class_name,
                 const char *name, const char *descriptor) {
    return instr_methods_id(methods, pass, class_name, strlen(class_name), name, strlen(name),
                            descriptor, strlen(descriptor));
}

START_TEST(the_same_method_has_the_same_id) {
    struct instr_methods *methods = instr_methods_new();
    ck_assert_int_eq(id_of(methods, 0, "a/B", "c", "()V"), 0);
    ck_assert_int_eq(id_of(methods, 0, "a/B", "c", "()I"), 1);
    ck_assert_int_eq(id_of(methods, 1, "a/B", "c", "()V"), 2);
    ck_assert_int_eq(id_of(methods, 0, "a/C", "c", "()V"), 3);
    ck_assert_int_eq(id_of(methods, 0, "a/B", "", "()V"), 4);
    ck_assert_int_eq(id_of(methods, 0, "a/B", "c", "()V"), 0);
    ck_assert_int_eq(id_of(methods, 0, "a/B", "c", "()I"), 1);
    ck_assert_int_eq(id_of(methods, 1, "a/B", "c", "()V"), 2);
    ck_assert_int_eq(instr_methods_count(methods), 5);
    ck_assert_uint_eq(instr_methods_passes(methods), 2);
    instr_methods_free(methods);
}
END_TEST

static const char *displayed(const char *name) {
    static char text[128];
    struct cf_slice own = {(const uint8_t *)name, (uint32_t)strlen(name)};
    struct cf_slice is = instr_display_name(own);
    snprintf(text, sizeof text, "%.*s", (int)is.length, (const char *)is.bytes);
    return text;
}

START_TEST(generated_classes_are_reported_without_their_number) {
    ck_assert_str_eq(displayed("sun/reflect/GeneratedMethodAccessor1"),
                     "sun/reflect/GeneratedMethodAccessor");
    ck_assert_str_eq(
        displayed("jdk/internal/reflect/GeneratedSerializationConstructorAccessor20345"),
        "jdk/internal/reflect/GeneratedSerializationConstructorAccessor");
    ck_assert_str_eq(displayed("sun/reflect/GeneratedConstructorAccessor7"),
                     "sun/reflect/GeneratedConstructorAccessor");
    ck_assert_str_eq(displayed("com/sun/proxy/$Proxy1000"), "com/sun/proxy/$Proxy");
    ck_assert_str_eq(displayed("jdk/proxy12/$Proxy1234"), "jdk/proxy/$Proxy");
    ck_assert_str_eq(displayed("com/acme/$Proxy123456"), "com/acme/$Proxy");
    ck_assert_str_eq(displayed("$Proxy1000"), "$Proxy");
}
END_TEST

START_TEST(other_classes_keep_their_numbers) {
    static const char *const names[] = {
        "com/sun/proxy/$Proxy999",
        "jdk/proxy12/$Proxy12",
        "com/acme/My$Proxy1234",
        "com/acme/Foo$$Lambda$12",
        "com/acme/Version2000",
        "GeneratedMethodAccessor12",
        "sun/reflect/Generated12",
        "a/GeneratedMethodAccessor12",
        "1234",
        "",
        "12/$Proxy",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_str_eq(displayed(names[i]), names[i]);
}
END_TEST

START_TEST(unique_suffixes_of_names_are_dropped) {
    static const char *const names[][2] = {
        {"a/Foo$$Lambda$12/791452441", "a/Foo$$Lambda"},
        {"a/Foo$$Lambda$12/0x00007f0010001000", "a/Foo$$Lambda"},
        {"a/Foo$$Lambda$12.0x00007f0010001000", "a/Foo$$Lambda"},
        {"a/Foo$$Lambda.0x00007f0010001000", "a/Foo$$Lambda"},
        {"[La/Foo$$Lambda$12/791452441;", "[La/Foo$$Lambda;"},
        {"a/Foo.0x00007f0010001000", "a/Foo"},
        {"a/Foo/0x00007f0010001000", "a/Foo"},
        {"java/lang/invoke/LambdaForm$DMH/12345", "java/lang/invoke/LambdaForm$DMH"},
        {"[[Lcom/sun/proxy/$Proxy1234;", "[[Lcom/sun/proxy/$Proxy;"},
        {"jdk/proxy12/$Proxy1234", "jdk/proxy/$Proxy"},
        {"a/Foo$$Lambda$12", "a/Foo$$Lambda$12"}, // of a class file, as tools make them
        {"a/12", "a/12"},
        {"a/Foo$1", "a/Foo$1"},
        {"a/1$2", "a/1$2"},
        {"a/b/0xyz", "a/b/0xyz"},
        {"[I", "[I"},
        {"[", "["},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", names[i][0]);
        instr_normalize_generated_name(name);
        ck_assert_str_eq(name, names[i][1]);
    }
}
END_TEST

START_TEST(names_need_no_terminator) {
    struct instr_methods *methods = instr_methods_new();
    int id = instr_methods_id(methods, 0, "a/Bx", 3, "cx", 1, "()Vx", 3);
    ck_assert_int_eq(id, id_of(methods, 0, "a/B", "c", "()V"));
    instr_methods_free(methods);
}
END_TEST

START_TEST(an_id_stands_for_its_method) {
    struct instr_methods *methods = instr_methods_new();
    id_of(methods, 0, "a/B", "c", "()V");
    struct instr_method method = instr_methods_get(methods, id_of(methods, 7, "x/Y", "z", "(J)I"));
    ck_assert_str_eq(method.class_name, "x/Y");
    ck_assert_str_eq(method.name, "z");
    ck_assert_str_eq(method.descriptor, "(J)I");
    ck_assert_uint_eq(method.pass, 7);
    instr_methods_free(methods);
}
END_TEST

START_TEST(finding_gives_out_no_id) {
    struct instr_methods *methods = instr_methods_new();
    ck_assert_int_eq(instr_methods_find(methods, 0, "a/B", "c", "()V"), -1);
    ck_assert_int_eq(instr_methods_count(methods), 0);
    int id = id_of(methods, 0, "a/B", "c", "()V");
    ck_assert_int_eq(instr_methods_find(methods, 0, "a/B", "c", "()V"), id);
    ck_assert_int_eq(instr_methods_find(methods, 1, "a/B", "c", "()V"), -1);
    ck_assert_int_eq(instr_methods_find(methods, 0, "a/B", "c", "()J"), -1);
    instr_methods_free(methods);
}
END_TEST

START_TEST(ids_behind_those_of_an_earlier_registry) {
    struct instr_methods *methods = instr_methods_new();
    for (char c[2] = "a"; *c <= 'e'; ++*c) id_of(methods, 3, "a/B", c, "()V");
    int earlier = instr_methods_count(methods);
    instr_methods_free(methods);
    methods = instr_methods_behind(earlier);
    size_t bytes = instr_methods_bytes(methods);
    int count = instr_methods_count(methods);
    ck_assert_int_ge(count, earlier);
    for (int id = -1; id <= count; id++) ck_assert(!instr_methods_has(methods, id));
    for (int id = 0; id < count; id++) {
        struct instr_method method = instr_methods_get(methods, id);
        ck_assert_str_eq(method.class_name, "");
        ck_assert_str_eq(method.name, "");
        ck_assert_str_eq(method.descriptor, "");
        ck_assert_ptr_null(method.detail);
        ck_assert_uint_gt(method.pass, 1u << 30);
    }
    ck_assert_int_eq(instr_methods_find(methods, 3, "a/B", "a", "()V"), -1);
    ck_assert_int_eq(id_of(methods, 3, "a/B", "a", "()V"), count);
    ck_assert(instr_methods_has(methods, count));
    ck_assert_uint_eq(instr_methods_passes(methods), 4);
    ck_assert_uint_lt(bytes, 200 * 1024); // what is there of the earlier ones is shared
    instr_methods_free(methods);
    methods = instr_methods_behind(INSTR_METHODS_EARLIER + 1);
    ck_assert_int_eq(instr_methods_count(methods), 0);
    instr_methods_free(methods);
}
END_TEST

START_TEST(each_id_has_its_initialized_pc) {
    struct instr_methods *methods = instr_methods_new();
    int a = id_of(methods, 0, "a/B", "<init>", "()V"),
        b = id_of(methods, 1, "a/B", "<init>", "()V");
    ck_assert_uint_eq(instr_methods_initialized_pc(methods, a), 0);
    instr_methods_set_initialized_pc(methods, a, 17);
    instr_methods_set_initialized_pc(methods, b, 23);
    ck_assert_uint_eq(instr_methods_initialized_pc(methods, a), 17);
    ck_assert_uint_eq(instr_methods_initialized_pc(methods, b), 23);
    instr_methods_free(methods);
}
END_TEST

START_TEST(the_longest_names_of_a_class_file_fit) {
    struct instr_methods *methods = instr_methods_new();
    char *name = malloc(65536);
    ck_assert_ptr_nonnull(name);
    memset(name, 'n', 65535);
    name[65535] = '\0';
    for (int i = 0; i < 10; i++) {
        name[0] = (char)('a' + i);
        ck_assert_int_eq(instr_methods_id(methods, 0, name, 65535, name, 65535, name, 65535), i);
    }
    name[0] = 'a';
    ck_assert_int_eq(instr_methods_find(methods, 0, name, name, name), 0);
    ck_assert_str_eq(instr_methods_get(methods, 0).descriptor, name);
    ck_assert_int_eq(instr_methods_id(methods, 0, name, 65536, "a", 1, "a", 1), -1);
    free(name);
    instr_methods_free(methods);
}
END_TEST

START_TEST(there_are_no_ids_beyond_the_limit) {
    struct instr_methods *methods = instr_methods_new();
    instr_methods_class_t class_name = instr_methods_class(methods, "a/B", 3);
    char name[16];
    for (int i = 0; i < INSTR_METHODS_MAX; i++) {
        size_t length = (size_t)snprintf(name, sizeof name, "m%d", i);
        if (instr_methods_id_in(methods, 0, class_name, name, length, "()V", 3) != i)
            ck_abort_msg("%s has another id", name);
    }
    ck_assert_int_eq(instr_methods_id_in(methods, 0, class_name, "one more", 8, "()V", 3), -1);
    ck_assert_int_eq(instr_methods_id_in(methods, 0, class_name, "m5", 2, "()V", 3), 5);
    ck_assert_int_eq(instr_methods_count(methods), INSTR_METHODS_MAX);
    instr_methods_free(methods);
}
END_TEST

static int site_of(struct instr_methods *methods, struct instr_methods_cursor *cursor,
                   const char *name, uint32_t pc, uint32_t line, const char *detail) {
    struct instr_site site = {pc, line, detail, strlen(detail)};
    return instr_methods_site_next(methods, 0, cursor, name, strlen(name), "()V", 3, &site);
}

// Asks for a method, sites in it, and one more method; the ids must follow each other.
static void ask_for_sites(struct instr_methods *methods, int first) {
    struct instr_methods_cursor cursor = instr_methods_begin(methods, "a/B", 3);
    ck_assert_int_eq(instr_methods_id_next(methods, 0, &cursor, "c", 1, "()V", 3), first);
    ck_assert_int_eq(site_of(methods, &cursor, "c", 4, 17, "x/Y"), first + 1);
    ck_assert_int_eq(site_of(methods, &cursor, "c", 4, 17, "[I"), first + 2);
    ck_assert_int_eq(site_of(methods, &cursor, "c", 9, 17, "x/Y"), first + 3);
    ck_assert_int_eq(site_of(methods, &cursor, "c", 9, 18, "x/Y"), first + 4);
    ck_assert_int_eq(site_of(methods, &cursor, "c", 0, 0, ""), first + 5);
    ck_assert_int_eq(site_of(methods, &cursor, "d", 4, 17, "x/Y"), first + 6);
    ck_assert_int_eq(instr_methods_id_next(methods, 0, &cursor, "d", 1, "()V", 3), first + 7);
}

START_TEST(sites_have_ids_among_those_of_methods) {
    struct instr_methods *methods = instr_methods_new();
    ask_for_sites(methods, 0);
    ask_for_sites(methods, 0);
    id_of(methods, 1, "a/B", "c", "()V");
    ask_for_sites(methods, 0);
    // In another order the same ids are found by their hashes.
    struct instr_methods_cursor cursor = instr_methods_begin(methods, "a/B", 3);
    ck_assert_int_eq(site_of(methods, &cursor, "d", 4, 17, "x/Y"), 6);
    ck_assert_int_eq(site_of(methods, &cursor, "c", 9, 18, "x/Y"), 4);
    ck_assert_int_eq(instr_methods_count(methods), 9);
    ck_assert_int_eq(instr_methods_find(methods, 0, "a/B", "c", "()V"), 0);
    struct instr_method site = instr_methods_get(methods, 4);
    ck_assert_str_eq(site.detail, "x/Y");
    ck_assert_str_eq(site.name, "c");
    ck_assert_uint_eq(site.pc, 9);
    ck_assert_uint_eq(site.line, 18);
    ck_assert_uint_eq(site.pass, 0);
    ck_assert_str_eq(instr_methods_get(methods, 5).detail, "");
    ck_assert_ptr_null(instr_methods_get(methods, 0).detail);
    struct instr_site too_long = {0, 0, "", 65536};
    ck_assert_int_eq(instr_methods_site_next(methods, 0, &cursor, "c", 1, "()V", 3, &too_long), -1);
    instr_methods_free(methods);
}
END_TEST

// A thousand classes of ten methods, in names and descriptors as long as they are in practice.
START_TEST(a_class_of_ten_methods_takes_less_than_a_kilobyte) {
    enum { CLASSES = 1000, METHODS = 10 };
    size_t before = mallinfo2().uordblks;
    struct instr_methods *methods = instr_methods_new();
    for (int i = 0; i < CLASSES * METHODS; i++) {
        char class_name[64], name[32], descriptor[64];
        snprintf(class_name, sizeof class_name, "com/acme/product/module/SomeClass%d", i / METHODS);
        snprintf(name, sizeof name, "someMethod%d", i % 2000);
        snprintf(descriptor, sizeof descriptor, "(ILjava/lang/String;Lcom/acme/Type%d;)V", i % 500);
        ck_assert_int_eq(id_of(methods, 0, class_name, name, descriptor), i);
    }
    size_t per_class = (mallinfo2().uordblks - before) / CLASSES;
    ck_assert_uint_lt(per_class, 1024);
    instr_methods_free(methods);
}
END_TEST

enum { THREADS = 8, SHARED = 20000 };

struct worker {
    struct instr_methods *methods;
    int ids[SHARED];
};

static void *register_all(void *argument) {
    struct worker *worker = argument;
    for (int i = 0; i < SHARED; i++) {
        char class_name[32], name[32];
        snprintf(class_name, sizeof class_name, "a/Class%d", i / 10);
        snprintf(name, sizeof name, "method%d", i % 10);
        struct instr_methods_cursor cursor =
            instr_methods_begin(worker->methods, class_name, strlen(class_name));
        int id = i % 2 ? id_of(worker->methods, 0, class_name, name, "()V")
                       : site_of(worker->methods, &cursor, name, 5, 7, class_name);
        worker->ids[i] = id;
        // What was given out can be read at once, while others add.
        if (id < 0 || strcmp(instr_methods_get(worker->methods, id).class_name, class_name) != 0 ||
            strcmp(instr_methods_get(worker->methods, id).name, name) != 0 ||
            (i % 2 == 0 && strcmp(instr_methods_get(worker->methods, id).detail, class_name) != 0))
            return argument;
    }
    return NULL;
}

START_TEST(threads_get_the_same_ids) {
    struct instr_methods *methods = instr_methods_new();
    struct worker *workers = calloc(THREADS, sizeof *workers);
    pthread_t threads[THREADS];
    ck_assert_ptr_nonnull(workers);
    for (int i = 0; i < THREADS; i++) {
        workers[i].methods = methods;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, register_all, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    for (int i = 1; i < THREADS; i++)
        ck_assert_mem_eq(workers[i].ids, workers[0].ids, sizeof workers[0].ids);
    ck_assert_int_eq(instr_methods_count(methods), SHARED);
    free(workers);
    instr_methods_free(methods);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("methods");
    TCase *tests = tcase_create("methods");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_same_method_has_the_same_id);
    tcase_add_test(tests, generated_classes_are_reported_without_their_number);
    tcase_add_test(tests, other_classes_keep_their_numbers);
    tcase_add_test(tests, unique_suffixes_of_names_are_dropped);
    tcase_add_test(tests, names_need_no_terminator);
    tcase_add_test(tests, an_id_stands_for_its_method);
    tcase_add_test(tests, finding_gives_out_no_id);
    tcase_add_test(tests, ids_behind_those_of_an_earlier_registry);
    tcase_add_test(tests, each_id_has_its_initialized_pc);
    tcase_add_test(tests, the_longest_names_of_a_class_file_fit);
    tcase_add_test(tests, there_are_no_ids_beyond_the_limit);
    tcase_add_test(tests, a_class_of_ten_methods_takes_less_than_a_kilobyte);
    tcase_add_test(tests, sites_have_ids_among_those_of_methods);
    tcase_add_test(tests, threads_get_the_same_ids);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
