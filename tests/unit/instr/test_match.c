// Patterns of class names: what matches, what does not, and what is no pattern.

#include "instr/match.h"
#include "tests/unit/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int matches(const char *patterns, const char *name) {
    char reason[256] = "";
    struct instr_match *match = instr_match_new();
    int added = instr_match_add(match, patterns, reason, sizeof reason);
    ck_assert_msg(added == 0, "%s: %s", patterns, reason);
    int result = instr_match(match, name, strlen(name));
    instr_match_free(match);
    return result;
}

static const struct {
    const char *patterns, *name;
    int expected;
} cases[] = {
    // exact names
    {"com.acme.Foo", "com/acme/Foo", 1},
    {"com.acme.Foo", "com/acme/Foo$Inner", 0},
    {"com.acme.Foo", "com/acme/Food", 0},
    {"com.acme.Foo", "com/acme/Fo", 0},
    {"com/acme/Foo", "com/acme/Foo", 1},
    {"Foo", "Foo", 1},
    {"Foo", "com/Foo", 0},
    // one level
    {"org.foo.*", "org/foo/A", 1},
    {"org.foo.*", "org/foo/A$B", 1},
    {"org.foo.*", "org/foo/bar/A", 0},
    {"org.foo.*", "org/foobar/A", 0},
    {"*", "Main", 1},
    {"*", "a/Main", 0},
    // within names
    {"com.acme.*Test", "com/acme/FooTest", 1},
    {"com.acme.*Test", "com/acme/Test", 1},
    {"com.acme.*Test", "com/acme/FooTests", 0},
    {"com.acme.*Test", "com/acme/TestFooTest", 1},
    {"com.acme.*Test", "com/acme/x/FooTest", 0},
    {"com.acme.A*B*C", "com/acme/AxBBxC", 1},
    {"com.acme.A*B*C", "com/acme/AxCxB", 0},
    {"com.acme.Foo$*", "com/acme/Foo$1", 1},
    {"com.acme.Foo$*", "com/acme/Foo", 0},
    {"com.*.Foo", "com/acme/Foo", 1},
    {"com.*.Foo", "com/acme/x/Foo", 0},
    // any depth
    {"com.acme.**", "com/acme/Foo", 1},
    {"com.acme.**", "com/acme/a/b/Foo$1", 1},
    {"com.acme.**", "com/acme2/Foo", 0},
    {"com.acme.**", "com/acme", 0},
    {"**", "anything/at/All", 1},
    {"**", "", 1},
    {"**Test", "a/b/FooTest", 1},
    {"**Test", "a/b/FooTests", 0},
    {"**a*b", "xa/xb", 0},
    {"**a*b", "xa/axb", 1},
    {"**a*b", "aaaaaaaa/axxb", 1},
    // any number of packages
    {"com.**.internal.*", "com/a/b/internal/X", 1},
    {"com.**.internal.*", "com/internal/X", 1},
    {"com.**.internal.*", "com/ainternal/X", 0},
    {"com.**.internal.**", "com/x/internal/y/Z", 1},
    {"**.Foo", "Foo", 1},
    {"**.Foo", "a/b/Foo", 1},
    {"**.Foo", "a/b/XFoo", 0},
    {"**.Foo", "Foo/Bar", 0},
    {"**.a.**.b.C", "x/a/y/a/b/C", 1},
    {"**.a.**.b.C", "x/a/y/b/D", 0},
    // several
    {"com.a.**:org.b.*", "com/a/x/Y", 1},
    {"com.a.**:org.b.*", "org/b/Y", 1},
    {"com.a.**:org.b.*", "org/b/c/Y", 0},
    // characters beyond ASCII
    {"com.\xC3\xA4.*", "com/\xC3\xA4/\xE2\x82\xAC", 1},
};

START_TEST(matches_as_written) {
    ck_assert_msg(matches(cases[_i].patterns, cases[_i].name) == cases[_i].expected, "%s %s %s",
                  cases[_i].patterns, cases[_i].expected ? "must match" : "must not match",
                  cases[_i].name);
}
END_TEST

static const struct {
    const char *patterns, *reason;
} faults[] = {
    {"", "pattern '' is empty"},
    {"a.b::c", "pattern 'a.b' must not be followed by '::'; patterns name classes, with colons "
               "between them"},
    {"a.b:", "pattern '' is empty"},
    {".a", "begins with a dot"},
    {"a.", "pattern 'a.' ends with a dot"},
    {"a.b:c..d", "pattern 'c..d' contains two dots in a row"},
    {"a.***", "more than two stars"},
    {"a b", "a character that class names cannot contain"},
    {"[Ljava.lang.Object;", "a character that class names cannot contain"},
    {"a\nb", "a character that class names cannot contain"},
};

START_TEST(says_what_is_wrong_with_a_pattern) {
    char reason[256] = "";
    struct instr_match *match = instr_match_new();
    ck_assert_int_eq(instr_match_add(match, faults[_i].patterns, reason, sizeof reason), -1);
    ck_assert_msg(strstr(reason, faults[_i].reason), "%s", reason);
    ck_assert_str_eq(instr_match_text(match), "");
    instr_match_free(match);
}
END_TEST

START_TEST(a_set_grows_and_keeps_its_text) {
    char reason[256];
    struct instr_match *match = instr_match_new();
    ck_assert_int_eq(instr_match(match, "a/B", 3), 0);
    ck_assert_int_eq(instr_match_add(match, "a.*:b.**", reason, sizeof reason), 0);
    ck_assert_int_eq(instr_match_add(match, "c.D", reason, sizeof reason), 0);
    ck_assert_int_eq(instr_match_add(match, "c..D", reason, sizeof reason), -1);
    ck_assert_str_eq(instr_match_text(match), "a.*:b.**:c.D");
    ck_assert_int_eq(instr_match(match, "a/B", 3), 1);
    ck_assert_int_eq(instr_match(match, "c/D", 3), 1);
    instr_match_free(match);
}
END_TEST

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A class file may hold a name of 65,535 bytes; matching must stay linear in it, more or less.
START_TEST(a_hostile_name_takes_no_time) {
    enum { LENGTH = 65535 };
    char *name = malloc(LENGTH), reason[256];
    struct instr_match *match = instr_match_new();
    ck_assert_int_eq(instr_match_add(match, "**a*aab*z:**.a*a.**b*c", reason, sizeof reason), 0);
    for (int slashes = 0; slashes < 3; slashes++) {
        memset(name, 'a', LENGTH);
        if (slashes == 1) name[LENGTH - 2] = '/';
        for (int i = 1; slashes == 2 && i < LENGTH; i += 2) name[i] = '/';
        double begin = seconds();
        ck_assert_int_eq(instr_match(match, name, LENGTH), 0);
        ck_assert_msg(seconds() - begin < 0.25, "took %g s", seconds() - begin);
    }
    free(name);
    instr_match_free(match);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("match");
    TCase *tcase = tcase_create("match");
    tcase_add_loop_test(tcase, matches_as_written, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(tcase, says_what_is_wrong_with_a_pattern, 0,
                        sizeof faults / sizeof *faults);
    tcase_add_test(tcase, a_set_grows_and_keeps_its_text);
    tcase_add_test(tcase, a_hostile_name_takes_no_time);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
