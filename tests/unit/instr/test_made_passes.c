// Passes that options make: their names, their lists, and that each is freed when nothing holds it.

#include "instr/options.h"
#include "instr/options/compare.h"
#include "instr/options/names.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct instr_options options;
static char error[INSTR_ERROR_SIZE];
static int living; // passes that were made and not freed

struct made {
    struct rw_pass pass;
    struct rw_made made;
    char classes[64];
};

static enum cf_status edit(struct rw_class *cls, struct cf_edit *method) {
    (void)cls;
    (void)method;
    return CF_OK;
}

static void free_made(const struct rw_pass *pass) {
    living--;
    free(pass->made->text);
    free((struct made *)pass);
}

// The value is "NAME:CLASSES" or "CLASSES", and anything behind that.
static const struct rw_pass *make_one(const char *kind, const char *value) {
    struct made *one = calloc(1, sizeof *one);
    const char *colon = strchr(value, ':'), *classes = colon ? colon + 1 : value;
    size_t length = strcspn(classes, " (,");
    one->made =
        (struct rw_made){.kind = kind, .text = strdup(value), .holders = 1, .free = free_made};
    if (strcmp(value, "lease:A") == 0) one->made.lease = 600;
    if (colon) snprintf(one->made.name, sizeof one->made.name, "%.*s", (int)(colon - value), value);
    snprintf(one->classes, sizeof one->classes, "%.*s", (int)length, classes);
    one->pass = (struct rw_pass){.name = one->made.name,
                                 .help = "made",
                                 .flags = RW_NAMES_METHODS,
                                 .made = &one->made,
                                 .classes = one->classes,
                                 .edit = edit};
    living++;
    return &one->pass;
}

static int make(const char *value, int late, int (*add)(void *to, const struct rw_pass *pass),
                void *to, char *reason, size_t size) {
    (void)late;
    if (strcmp(value, "bad") == 0) {
        snprintf(reason, size, "is bad");
        return -1;
    }
    if (strcmp(value, "two") != 0) return add(to, make_one("rule", value));
    int result = add(to, make_one("rule", "A"));
    return result == 0 ? add(to, make_one("rule", "second:B")) : result;
}

static const struct instr_pass_source source = {"rule", "TEXT", "makes a pass", make};

static void parse(const char *text) {
    ck_assert_msg(instr_options_parse(&options, text, error, sizeof error) == 0, "%s", error);
}

static const char *names_of(const struct instr_options *of) {
    static char text[256];
    *text = '\0';
    for (size_t i = 0; i < of->pass_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 of->passes[i].pass->name);
    return text;
}

static const struct {
    const char *list, *names;
} lists[] = {
    {"rule=A", "rule1"},
    {"rule=A,calls,rule=B", "rule1 calls rule2"},
    {"rule=A,name=rule2,rule=B,rule=C", "rule2 rule1 rule3"},
    {"rule=first:A,timing", "first timing"},
    {"rule=first:A,name=b-1_c", "b-1_c"},
    // A comma between braces, parentheses and quotes belongs to the value.
    {"rule=A.f(int,long),calls", "rule1 calls"},
    {"rule=A { x(a, b), 'c}, {' },calls", "rule1 calls"},
    {"rule=A /x == \"a,b\"/,calls", "rule1 calls"},
    {"rule=A\\,B,calls", "rule1 calls"},
    {"rule=A { it\\'s },calls", "rule1 calls"},
    // What is not closed ends at the next comma.
    {"rule=A(int,calls", "rule1 calls"},
    {"rule=A 'x,calls", "rule1 calls"},
    {"timing.file=a(b),calls,timing", "calls timing"},
    {"timing.file=a(b,calls,timing", "calls timing"},
    {"timing.file=it's,calls,timing,calls.file=that's", "calls timing"},
};

START_TEST(the_list_makes_passes_with_names) {
    instr_options_add_source(&source);
    parse(lists[_i].list);
    ck_assert_str_eq(names_of(&options), lists[_i].names);
    for (size_t i = 0; i < options.pass_count; i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_uint_ne(options.passes[i].number, options.passes[k].number);
    // Formatted and parsed again they are the same.
    char *text = instr_options_format(&options);
    char expected[256];
    snprintf(expected, sizeof expected, "%s", names_of(&options));
    instr_options_free(&options);
    ck_assert_int_eq(living, 0);
    parse(text);
    ck_assert_str_eq(names_of(&options), expected);
    free(text);
    instr_options_free(&options);
    ck_assert_int_eq(living, 0);
}
END_TEST

static const struct {
    const char *list, *error;
} mistakes[] = {
    {"rule=bad", "option 'rule': is bad"},
    {"rule=A,rule=bad", "option 'rule': is bad"},
    {"rule=", "option 'rule': has an empty value"},
    {"rule", "option 'rule': needs a value: rule=TEXT"},
    {"name=x", "option 'name': expects an option before it that makes a pass"},
    {"rule=A,name=", "option 'name': has an empty value"},
    {"rule=A,name=a b", "option 'name': must be 1 to 32 letters, digits, - and _: 'a b'"},
    {"rule=A,name=-a", "option 'name': must be 1 to 32 letters, digits, - and _: '-a'"},
    {"rule=A,name=abcdefghijklmnopqrstuvwxyz0123456",
     "option 'name': must be 1 to 32 letters, digits, - and _: "
     "'abcdefghijklmnopqrstuvwxyz0123456'"},
    {"rule=A,name=calls",
     "option 'rule': a pass named 'calls' is there already; name=NAME names this one"},
    {"rule=x:A,rule=x:B",
     "option 'rule': a pass named 'x' is there already; name=NAME names this one"},
    {"rule=two,name=later", "option 'name': names one rule, and the file has several"},
    {"rule=A,rule1.file=x",
     "option 'rule1.file': unknown; name=NAME names the rule first, then NAME.file"},
    {"rule=A..B", "option 'rule1': pattern 'A..B' contains two dots in a row"},
};

START_TEST(a_mistake_is_refused_and_leaves_nothing) {
    instr_options_add_source(&source);
    ck_assert_int_eq(instr_options_parse(&options, mistakes[_i].list, error, sizeof error), -1);
    ck_assert_str_eq(error, mistakes[_i].error);
    ck_assert_int_eq(living, 0);
}
END_TEST

START_TEST(options_hold_what_is_on) {
    struct instr_options more, less, copy;
    struct instr_owner other = {.name = ""};
    instr_options_add_source(&source);
    ck_assert_int_eq(instr_owner_set(&other, "bob", 3), 0);
    parse("rule=A,calls");
    ck_assert_int_eq(
        instr_options_change(&more, &options, INSTR_ENABLE, "rule=B.*,timing", error, sizeof error),
        0);
    ck_assert_str_eq(names_of(&more), "rule1 calls rule2 timing");
    ck_assert_ptr_eq(more.passes[0].pass, options.passes[0].pass);
    ck_assert_int_eq(instr_match(more.passes[2].only, "B/x", 3), 1);
    ck_assert_int_eq(instr_match(more.passes[2].only, "A", 1), 0);
    instr_options_free(&options);
    ck_assert_int_eq(living, 2);
    // Another owner's text neither changes it nor takes its name.
    ck_assert_int_eq(
        instr_options_change_as(&copy, &more, INSTR_ENABLE, &other, "rule=C", error, sizeof error),
        0);
    ck_assert_str_eq(names_of(&copy), "rule1 calls rule2 timing rule3");
    ck_assert_str_eq(copy.passes[4].owner.name, "bob");
    ck_assert_int_eq(instr_options_change_as(&options, &more, INSTR_ENABLE, &other,
                                             "rule=C,name=rule1", error, sizeof error),
                     -1);
    ck_assert_int_eq(living, 3);
    ck_assert_int_eq(
        instr_options_change(&options, &copy, INSTR_SET, "rule=D", error, sizeof error), -1);
    const struct instr_pass_options *first = instr_find_pass_named(&copy, "rule1");
    ck_assert_int_eq(instr_options_without(&less, &copy, first->pass), 0);
    ck_assert_str_eq(names_of(&less), "calls rule2 timing rule3");
    instr_options_free(&more);
    instr_options_free(&copy);
    ck_assert_int_eq(living, 2);
    instr_options_free(&less);
    ck_assert_int_eq(living, 0);
}
END_TEST

// Changes the options for alice.
static void change(enum instr_change kind, const char *text) {
    struct instr_options next;
    const struct instr_owner alice = {.name = "alice"};
    ck_assert_msg(
        instr_options_change_as(&next, &options, kind, &alice, text, error, sizeof error) == 0,
        "%s", error);
    instr_options_free(&options);
    options = next;
}

static const struct {
    const char *text;
    enum instr_change kind;
    uint64_t rule, calls; // until they end, in the order of the changes; 0: never
} times[] = {
    {"calls,for=8us", INSTR_ENABLE, 0, 8000},
    {"rule=lease:A", INSTR_ENABLE, 600, 8000}, // as long as it wants
    {"calls,for=9us", INSTR_ENABLE, 600, 9000},
    {"lease.for=3us", INSTR_SET, 3000, 9000},
    {"for=7us", INSTR_SET, 7000, 7000}, // for all
    {"for=6us,lease.for=5us", INSTR_SET, 5000, 6000},
};

// When the pass of this name ends, as if all had begun at 0.
static uint64_t end_of(const char *name) {
    for (size_t i = 0; i < options.pass_count; i++) {
        struct instr_pass_options *pass = &options.passes[i];
        pass->ends = pass->lease;
        pass->terms.expires = pass->terms.expiry;
        if (strcmp(pass->pass->name, name) == 0) return instr_pass_ends(pass);
    }
    return 0;
}

START_TEST(a_pass_with_a_time_ends_alone) {
    instr_options_add_source(&source);
    parse("");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        change(times[i].kind, times[i].text);
        ck_assert_msg(end_of("lease") == times[i].rule, "%s", times[i].text);
        ck_assert_msg(end_of("calls") == times[i].calls, "%s", times[i].text);
    }
    // What is switched on after the owner's other passes have ended has no time.
    struct instr_options left;
    ck_assert_int_eq(instr_options_without(&left, &options, rw_pass_named("calls", 5)), 0);
    instr_options_free(&options);
    options = left;
    change(INSTR_ENABLE, "timing");
    ck_assert_uint_eq(end_of("timing"), 0);
    ck_assert_uint_eq(end_of("lease"), 5000);
    change(INSTR_ENABLE, "rule=lease:A,name=timed,for=4us");
    ck_assert_uint_eq(end_of("timed"), 4000);
    instr_options_free(&options);
    ck_assert_int_eq(living, 0);
}
END_TEST

START_TEST(a_pass_is_added_to_the_list_once) {
    static const struct rw_pass added = {.name = "added", .help = "added", .edit = edit};
    size_t count = rw_pass_count();
    ck_assert_int_eq(rw_pass_add(&added), 0);
    ck_assert_int_eq(rw_pass_add(&added), -1);
    ck_assert_uint_eq(rw_pass_count(), count + 1);
    ck_assert_ptr_eq(rw_pass_named("added", 5), &added);
    parse("added,calls");
    ck_assert_str_eq(names_of(&options), "added calls");
    instr_options_free(&options);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("made passes");
    TCase *tcase = tcase_create("made passes");
    tcase_add_loop_test(tcase, the_list_makes_passes_with_names, 0, sizeof lists / sizeof *lists);
    tcase_add_loop_test(tcase, a_mistake_is_refused_and_leaves_nothing, 0,
                        sizeof mistakes / sizeof *mistakes);
    tcase_add_test(tcase, options_hold_what_is_on);
    tcase_add_test(tcase, a_pass_with_a_time_ends_alone);
    tcase_add_test(tcase, a_pass_is_added_to_the_list_once);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
