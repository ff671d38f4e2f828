// The patterns of methods that the pass watch takes.

#include "rewriters/rewriter.h"
#include "rewriters/watch_methods.h"
#include "tests/unit/run.h"

#include <string.h>

static struct cf_slice slice(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

static const struct {
    const char *patterns, *class_name, *name, *descriptor;
    int matches;
} methods[] = {
    {"com.acme.Shop.order", "com/acme/Shop", "order", "(I)V", 1},
    {"com.acme.Shop.order", "com/acme/Shop$Cart", "order", "(I)V", 0},
    {"com.acme.Shop.order(..)", "com/acme/Shop", "order", "(I)V", 1},
    {"com.acme.Shop.order()", "com/acme/Shop", "order", "(I)V", 0},
    {"com.acme.Shop.order(int)", "com/acme/Shop", "order", "(I)V", 1},
    {"com.acme.Shop.*(int, String[])", "com/acme/Shop", "x", "(I[Ljava/lang/String;)V", 1},
    {"com.acme.Shop.*(int n ,  String[] names)", "com/acme/Shop", "x", "(I[Ljava/lang/String;)V",
     1},
    {"com.acme.Shop.*(int n, ..)", "com/acme/Shop", "x", "(I[Ljava/lang/String;)V", 1},
    {"com.acme.Shop.*(int n)", "com/acme/Shop", "x", "(J)V", 0},
    {"a.A.f(Map.Entry)", "a/A", "f", "(Ljava/util/Map$Entry;)V", 1},
    {"a.A.f(java.util.Map.Entry[] e)", "a/A", "f", "([Ljava/util/Map$Entry;)V", 1},
    {"a.A.f(Map$Entry)", "a/A", "f", "(Ljava/util/Map$Entry;)V", 1},
    {"a.A.f(Set.Entry)", "a/A", "f", "(Ljava/util/Map$Entry;)V", 0},
    {"a.A.f(int, String... more)", "a/A", "f", "(I[Ljava/lang/String;)V", 1},
    {"a.A.f(int[]...)", "a/A", "f", "([[I)V", 1},
    {"a.A.f(String...)", "a/A", "f", "(Ljava/lang/String;)V", 0},
    {"a.A.f(int...)", "a/A", "f", "([[I)V", 0},
    {"a.A.f:b.B.g", "a/A", "f", "()V", 1},
    {"a.A.f:b.B.g", "b/B", "g", "()V", 1},
    {"a.A.f:b.B.g", "a/A", "g", "()V", 0},
    {"a.A.f(int):a.A.f(long)", "a/A", "f", "(J)V", 1},
    {"a.A.f(int):a.A.f(long)", "a/A", "f", "(F)V", 0},
    {"com.acme.Shop#order(int)", "com/acme/Shop", "order", "(I)V", 1},
    {"com.acme.*.get*", "com/acme/Shop", "getName", "()V", 1},
    {"com.acme.*.get*", "com/acme/shop/Shop", "getName", "()V", 0},
    {"com.acme.**.get*", "com/acme/shop/Shop", "getName", "()V", 1},
    {"com.**.Shop.f", "com/Shop", "f", "()V", 1},
    {"com.**.Shop.f", "com/a/b/Shop", "f", "()V", 1},
    {"com.**.Shop.f", "com/a/WebShop", "f", "()V", 0},
    {"**Shop.f", "com/a/WebShop", "f", "()V", 1},
    {"**.f", "WebShop", "f", "()V", 1},
    {"com.acme.Shop$*.f", "com/acme/Shop$Cart", "f", "()V", 1},
};

START_TEST(each_pattern_goes_for_its_own_class) {
    ck_assert_int_eq(rw_watch_matches(methods[_i].patterns, slice(methods[_i].class_name), NULL,
                                      slice(methods[_i].name), slice(methods[_i].descriptor)),
                     methods[_i].matches);
}
END_TEST

// WebShop extends com.acme.Shop, which implements com.acme.Seller.
static const struct {
    const char *patterns, *name;
    int known, unknown; // with its supertypes, and without
} above[] = {
    {"com.acme.Seller+.order", "order", 1, RW_WATCH_UNSURE},
    {"com.acme.Seller+.order", "close", 0, 0},
    {"com.acme.Sell+.order", "order", 0, RW_WATCH_UNSURE},
    {"com.acme.Seller.order", "order", 0, 0},
    {"WebShop+.order", "order", 1, 1},
    {"com.acme.Other+.order:WebShop.*", "order", 1, 1},
    {"com.**+.order(int)", "order", 0, 0},
    {"com.**+.order(long)", "order", 1, RW_WATCH_UNSURE},
};

START_TEST(a_plus_is_for_what_is_below_a_class) {
    const char *names[] = {"WebShop", "com/acme/Shop", "com/acme/Seller", "java/lang/Object"};
    struct rw_supertypes supertypes = {names, sizeof names / sizeof *names};
    for (int known = 0; known < 2; known++)
        ck_assert_int_eq(rw_watch_matches(above[_i].patterns, slice("WebShop"),
                                          known ? &supertypes : NULL, slice(above[_i].name),
                                          slice("(J)V")),
                         known ? above[_i].known : above[_i].unknown);
}
END_TEST

static const struct {
    const char *text, *rest;
    int good;
} texts[] = {
    {"a.A.f:b.B.g", ":b.B.g", 1},
    {"a.A.f(int,long)", "", 1},
    {"A.f", "", 1},
    {"f", "", 0},
    {".f", "", 0},
    {"a.A.", "", 0},
    {"a.A.f(int", "", 0},
    {"a.A.f(int:b.B.g)", ":b.B.g)", 0},
    {"a.A.f(int)x", "", 0},
    {"", "", 0},
    {":a.A.f", ":a.A.f", 0},
    {"a.A::f", "::f", 0},
};

START_TEST(a_pattern_ends_at_a_colon_or_is_refused) {
    struct rw_watch_pattern pattern;
    const char *end = NULL, *fault = rw_watch_split(texts[_i].text, &pattern, &end);
    ck_assert_int_eq(fault == NULL, texts[_i].good);
    ck_assert_str_eq(end, texts[_i].rest);
}
END_TEST

START_TEST(hostile_patterns_end) {
    char name[4000];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(rw_watch_matches("**a**a**a**a**a**a**a**a**a**ab.f", slice(name), NULL,
                                      slice("f"), slice("()V")),
                     0);
}
END_TEST

START_TEST(types_are_written_as_patterns_have_them) {
    char text[40], small[12];
    rw_watch_types(slice("(I[[JLjava/lang/String;)V"), text, sizeof text);
    ck_assert_str_eq(text, "(int,long[][],java.lang.String)");
    rw_watch_types(slice("()V"), text, sizeof text);
    ck_assert_str_eq(text, "()");
    rw_watch_types(slice("(ILjava/lang/String;)V"), small, sizeof small);
    ck_assert_str_eq(small, "(int,java.)");
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    Suite *suite = suite_create("watch_methods");
    TCase *tcase = tcase_create("watch_methods");
    tcase_add_loop_test(tcase, each_pattern_goes_for_its_own_class, 0, COUNT(methods));
    tcase_add_loop_test(tcase, a_plus_is_for_what_is_below_a_class, 0, COUNT(above));
    tcase_add_loop_test(tcase, a_pattern_ends_at_a_colon_or_is_refused, 0, COUNT(texts));
    tcase_add_test(tcase, hostile_patterns_end);
    tcase_add_test(tcase, types_are_written_as_patterns_have_them);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
