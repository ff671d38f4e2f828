// Which packages the classes in scope are from, and the pattern that is suggested.

#include "instr/retransform/packages.h"
#include "tests/unit/run.h"

#include <string.h>

static const struct {
    const char *classes[10], *command, *text, *example;
} cases[] = {
    {{"shop/A", "shop/B", "java/lang/$JaCoCo"}, NULL, "shop (2), java.lang (1)", "shop.**"},
    {{"shop/A", "shop/B", "org/jacoco/agent/rt/X"}, "x.jar", "shop (2), org.jacoco (1)", "shop.**"},
    {{"org/h2/A", "org/h2/B", "com/acme/x/A"},
     "x.jar a",
     "org.h2 (2), com.acme (1)",
     "com.acme.**"},
    {{"org/h2/A", "org/h2/B", "com/acme/x/A"},
     "org.h2.Server -p 1",
     "org.h2 (2), com.acme (1)",
     "org.h2.**"},
    {{"a/A", "a/B", "b/A", "b/B", "c/A", "c/B", "d/A", "d/B", "shop/Main"},
     "m/shop.Main",
     "a (2), b (2), c (2), d (2) and others",
     "shop.**"},
    {{"java/lang/A"}, "Main", "java.lang (1)", ""},
    {{"Main"}, "Main", "no package (1)", ""},
};

START_TEST(the_example_is_the_programs_own_package) {
    static struct instr_packages packages;
    char text[400], example[80];
    memset(&packages, 0, sizeof packages);
    for (int i = 0; i < 10 && cases[_i].classes[i]; i++)
        instr_packages_add(&packages, cases[_i].classes[i]);
    instr_packages_text(&packages, cases[_i].command, text, sizeof text, example, sizeof example);
    ck_assert_str_eq(example, cases[_i].example);
    ck_assert_uint_eq(strlen(text), strlen(cases[_i].text)); // packages of one size have any order
}
END_TEST

int main(void) {
    Suite *suite = suite_create("packages");
    TCase *tests = tcase_create("packages");
    tcase_add_loop_test(tests, the_example_is_the_programs_own_package, 0,
                        sizeof cases / sizeof *cases);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
