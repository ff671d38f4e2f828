// Lines that changed, as `git diff` prints them.

#include "instr/cli/coverage/changes.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <string.h>

// "A.java 3-4 9-9; B.java"
static const char *parsed(const char *diff) {
    static char text[1024], found[1024];
    struct cover_changes changes = {0};
    size_t used = 0;
    snprintf(text, sizeof text, "%s", diff);
    ck_assert_int_eq(cover_changes_parse(&changes, text), 0);
    *found = '\0';
    for (size_t i = 0; i < changes.count; i++) {
        const struct cover_changed_file *file = &changes.files[i];
        used +=
            (size_t)snprintf(found + used, sizeof found - used, "%s%s", i ? "; " : "", file->path);
        for (size_t k = 0; k < file->count; k++)
            used += (size_t)snprintf(found + used, sizeof found - used, " %u-%u",
                                     file->ranges[k].first, file->ranges[k].last);
    }
    cover_changes_free(&changes);
    return found;
}

START_TEST(lines_of_a_hunk_may_look_like_anything) {
    ck_assert_str_eq(parsed("diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n"
                            "@@ -1,2 +1,2 @@\n--- a/X.java\n--x\n+++ b/X.java\n+@@ -1 +7 @@\n"
                            "@@ -9 +9,3 @@\n-a\n+b\n+c\n+diff --git a/Y b/Y\n"),
                     "A.java 1-2 9-11");
}
END_TEST

// A program may have set how many lines of context there are.
START_TEST(a_hunk_ends_where_the_next_file_begins) {
    ck_assert_str_eq(parsed("diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n"
                            "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
                            "diff --git a/B.java b/B.java\n--- a/B.java\n+++ b/B.java\n"
                            "@@ -5 +5 @@\n-five\n+5\n"),
                     "A.java 1-3; B.java 5-5");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("coverage changes");
    TCase *tcase = tcase_create("changes");
    tcase_add_test(tcase, lines_of_a_hunk_may_look_like_anything);
    tcase_add_test(tcase, a_hunk_ends_where_the_next_file_begins);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
