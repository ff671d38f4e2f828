// Reports: the table, the JSON, and files that appear whole or not at all.

#include "instr/base/json.h"
#include "instr/report/methods.h"
#include "instr/report/text.h"
#include "instr/base/utf8.h"
#include "tests/unit/run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static char directory[64], path[128], error[512], text[1 << 16];

static void set_up(void) {
    strcpy(directory, "/tmp/instr-report-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/out.json", directory);
}

// How many files the directory holds; removes all.
static int empty_directory(void) {
    DIR *dir = opendir(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' && strlen(entry->d_name) < 3) continue;
        char name[512];
        snprintf(name, sizeof name, "%s/%s", directory, entry->d_name);
        unlink(name);
        count++;
    }
    closedir(dir);
    return count;
}

static void tear_down(void) {
    empty_directory();
    rmdir(directory);
}

static const char *content(const char *name) {
    FILE *file = fopen(name, "r");
    ck_assert_msg(file != NULL, "%s is missing", name);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void write_text(const char *name, const char *what) {
    FILE *file = fopen(name, "w");
    fputs(what, file);
    fclose(file);
}

static struct instr_method_row rows[] = {
    {"com/acme/Foo", "bar", "(ILjava/lang/String;[[J)V", 3, 1, 3000, 1500000, 10, 2000, 900, 1990,
     1999, 0, 0, 0},
    {"com/acme/Foo$In", "<init>", "()V", 1234567, 0, 61000000000, 20, 0, 59999999999, 7, 8, 9, 1, 5,
     0},
    {"Main", "x", "broken\x1b[31m", 3, 0, 0, 1500000, 0, 0, 0, 0, 0, 0, 0, 0},
};
static const struct instr_skipped skipped[] = {{"com/acme/Big", "run()V", "would grow \"much\""}};

static struct instr_method_report report(int timed) {
    return (struct instr_method_report){.pass = timed ? "timing" : "calls",
                                        .jvm = "a JVM 17",
                                        .timed = timed,
                                        .rows = rows,
                                        .row_count = 3,
                                        .skipped = skipped,
                                        .skipped_count = 1};
}

static int write_to(const char *file, const struct instr_method_report *r) {
    return instr_output_file(strdup(file), instr_methods_format.json, r, error, sizeof error);
}

// The table as it is written to a file.
static const char *captured(const struct instr_method_report *r, size_t top) {
    struct instr_output out;
    instr_output_open(&out, path);
    instr_methods_format.table(r, &out, top);
    ck_assert_msg(instr_output_close(&out, error, sizeof error) == 0, "%s", error);
    return content(path);
}

static struct instr_method_report report_of(struct instr_method_row *row) {
    struct instr_method_report r = report(1);
    r.rows = row;
    r.row_count = 1;
    return r;
}

START_TEST(the_table_is_aligned_and_readable) {
    struct instr_method_report r = report(1);
    instr_method_report_sort(&r, INSTR_BY_SELF);
    ck_assert_str_eq(
        captured(&r, 10),
        "timing: 3 methods, 1,234,573 calls, 1 thrown, ~3.00 ms in total; 1 skipped\n"
        "      calls  thrown    total     self    min     p50      p90      p99      max  method\n"
        "          3       0     0 ns  1.50 ms   0 ns    0 ns     0 ns     0 ns     0 ns  "
        "Main.xbroken?[31m\n"
        "          3       1  3.00 us  1.50 ms  10 ns  900 ns  1.99 us  2.00 us  2.00 us  "
        "com.acme.Foo.bar(int, String, long[][])\n"
        "  1,234,567       0  ~61.0 s   ~20 ns   0 ns   ~7 ns    ~8 ns    ~9 ns  ~60.0 s  "
        "com.acme.Foo$In.<init>()\n");
}
END_TEST

START_TEST(a_method_without_times_has_none) {
    struct instr_method_row row = {.class_name = "A",
                                   .method = "size",
                                   .descriptor = "()I",
                                   .calls = 7,
                                   .estimated = 1,
                                   .untimed = 1};
    struct instr_method_report r = report_of(&row);
    ck_assert_str_eq(captured(&r, 1),
                     "timing: 1 method, 7 calls, 0 thrown; 1 skipped\n"
                     "  calls  thrown  total  self  min  p50  p90  p99  max  method\n"
                     "      7       0      -     -    -    -    -    -    -  A.size()\n");
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_ptr_nonnull(
        strstr(content(path), "\"estimated\": true, \"measured\": 0, \"timed\": false}"));
}
END_TEST

START_TEST(of_calls_that_were_all_measured_only_the_self_time_is_an_estimate) {
    struct instr_method_row row = {.class_name = "A",
                                   .method = "run",
                                   .descriptor = "()V",
                                   .calls = 2,
                                   .total_ns = 30,
                                   .self_ns = 20,
                                   .min_ns = 10,
                                   .max_ns = 20,
                                   .p50_ns = 10,
                                   .p90_ns = 20,
                                   .p99_ns = 20,
                                   .estimated = 1,
                                   .measured = 2};
    struct instr_method_report r = report_of(&row);
    r.skipped_count = 0;
    ck_assert_str_eq(
        captured(&r, 1),
        "timing: 1 method, 2 calls, 0 thrown, ~20 ns in total\n"
        "  calls  thrown  total    self    min    p50    p90    p99    max  method\n"
        "      2       0  30 ns  ~20 ns  10 ns  10 ns  20 ns  20 ns  20 ns  A.run()\n");
    row.measured = 1;
    ck_assert_ptr_nonnull(strstr(
        captured(&r, 1),
        "      2       0  ~30 ns  ~20 ns  10 ns  ~10 ns  ~20 ns  ~20 ns  ~20 ns  A.run()\n"));
}
END_TEST

START_TEST(the_table_stops_at_top) {
    struct instr_method_report r = report(0);
    instr_method_report_sort(&r, INSTR_BY_CALLS);
    ck_assert_str_eq(captured(&r, 1), "calls: 3 methods, 1,234,573 calls, 1 thrown; 1 skipped; "
                                      "the top 1:\n"
                                      "      calls  thrown  method\n"
                                      "  1,234,567       0  com.acme.Foo$In.<init>()\n");
    r.row_count = r.skipped_count = 0;
    ck_assert_str_eq(captured(&r, 5), "calls: 0 methods, 0 calls, 0 thrown\n");
}
END_TEST

START_TEST(the_json_has_its_keys_in_order) {
    struct instr_method_report r = report(1);
    instr_method_report_sort(&r, INSTR_BY_CALLS);
    r.row_count = 1;
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_str_eq(
        content(path),
        "{\n  \"pass\": \"timing\",\n  \"jvm\": \"a JVM 17\",\n  \"methods\": [\n"
        "    {\"class\": \"com.acme.Foo$In\", \"method\": \"<init>\", \"descriptor\": \"()V\", "
        "\"calls\": 1234567, \"thrown\": 0, \"total_ns\": 61000000000, \"self_ns\": 20, "
        "\"min_ns\": 0, \"max_ns\": 59999999999, \"p50_ns\": 7, \"p90_ns\": 8, \"p99_ns\": 9, "
        "\"estimated\": true, \"measured\": 5}\n"
        "  ],\n  \"skipped\": [\n    {\"class\": \"com.acme.Big\", \"method\": \"run()V\", "
        "\"reason\": \"would grow \\\"much\\\"\"}\n  ]\n}\n");
    r = report(0);
    r.row_count = r.skipped_count = 0;
    r.jvm = NULL;
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_str_eq(content(path), "{\n  \"pass\": \"calls\",\n  \"jvm\": null,\n"
                                    "  \"methods\": [],\n  \"skipped\": []\n}\n");
    ck_assert_int_eq(empty_directory(), 1);
}
END_TEST

START_TEST(the_cost_is_one_line_and_a_member) {
    struct instr_method_report r = report(0);
    struct instr_output out;
    r.row_count = r.skipped_count = 0;
    r.cost = (struct instr_cost){.known = true,
                                 .code_ns = 750000000,
                                 .compilers_ns = 450000000,
                                 .rewriting_ns = 50000000,
                                 .classes = 1,
                                 .methods = 4732,
                                 .bytes = 61234};
    instr_output_open(&out, path);
    instr_cost_line(&r.cost, &out);
    ck_assert_msg(instr_output_close(&out, error, sizeof error) == 0, "%s", error);
    ck_assert_str_eq(content(path),
                     "cost about 1.25 s of CPU time (inserted code 750 ms, the JVM's compilers "
                     "450 ms, rewriting 50.0 ms); 61,234 bytes inserted into 4,732 methods of 1 "
                     "class\n");
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_str_eq(content(path),
                     "{\n  \"pass\": \"calls\",\n  \"jvm\": \"a JVM 17\",\n  \"methods\": [],\n"
                     "  \"skipped\": [],\n  \"cost\": {\"total_ns\": 1250000000, "
                     "\"code_ns\": 750000000, \"compilers_ns\": 450000000, "
                     "\"rewriting_ns\": 50000000, \"classes\": 1, \"methods\": 4732, "
                     "\"bytes\": 61234}\n}\n");
}
END_TEST

static const struct {
    const char *bytes, *json;
} strings[] = {
    {"a\"b\\c\n\x01\x7f", "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\"\n"},
    {"\xC3\xA4\xE2\x82\xAC", "\"\xC3\xA4\xE2\x82\xAC\"\n"},
    {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\"\n"},
    {"\xED\xA0\xBD\xED\xB8\x80", "\"\xF0\x9F\x98\x80\"\n"}, // a pair in modified UTF-8
    {"\xC0\x80", "\"\\u0000\"\n"},
    {"a\xED\xA0\xBDz", "\"a\xEF\xBF\xBDz\"\n"}, // half a pair
    {"\xED\xB8\x80", "\"\xEF\xBF\xBD\"\n"},
    {"\xC1\x81", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"\n"}, // too long a form
    {"\xE0\x80\x81x", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx\"\n"},
    {"\xF8\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n"}, // cut off
};

START_TEST(strings_are_escaped_and_become_utf8) {
    struct instr_output out;
    instr_output_open(&out, path);
    struct instr_json json = instr_json_start(&out);
    instr_json_text(&json, NULL, strings[_i].bytes);
    instr_output_text(&out, "\n");
    ck_assert_int_eq(instr_output_close(&out, error, sizeof error), 0);
    ck_assert_str_eq(content(path), strings[_i].json);
}
END_TEST

START_TEST(a_full_disk_is_reported_in_one_line) {
    struct instr_method_report r = report(1);
    ck_assert_int_eq(write_to("/dev/full", &r), -1);
    ck_assert_str_eq(error, "/dev/full: No space left on device");
    ck_assert_int_eq(write_to("/dev/null", &r), 0);
    ck_assert_str_eq(error, "written to /dev/null");
    ck_assert_int_eq(instr_output_file(NULL, instr_methods_format.json, &r, error, sizeof error),
                     -1);
    ck_assert_str_eq(error, "out of memory: a file is not written");
    ck_assert_int_eq(write_to("/does/not/exist", &r), -1);
    ck_assert_str_eq(error, "/does/not/exist: No such file or directory");
    ck_assert_int_eq(write_to(directory, &r), -1);
    ck_assert_ptr_nonnull(strstr(error, ": Is a directory"));
    memset(text, 'x', 5000);
    text[5000] = '\0';
    ck_assert_int_eq(write_to(text, &r), -1);
    ck_assert_ptr_nonnull(strstr(error, ": File name too long"));
}
END_TEST

START_TEST(a_failed_write_keeps_the_old_file) {
    write_text(path, "old");
    struct rlimit limit = {100, RLIM_INFINITY};
    struct instr_method_report r = report(1);
    signal(SIGXFSZ, SIG_IGN);
    // No assertion meanwhile: Check writes files of its own.
    int limited = setrlimit(RLIMIT_FSIZE, &limit);
    int result = write_to(path, &r);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(limited, 0);
    ck_assert_int_eq(result, -1);
    ck_assert_ptr_nonnull(strstr(error, "out.json: File too large"));
    ck_assert_str_eq(content(path), "old");
    ck_assert_int_eq(empty_directory(), 1);
}
END_TEST

START_TEST(a_link_and_the_mode_of_the_old_file_stay) {
    char link[128];
    struct stat st;
    struct instr_method_report r = report(1);
    write_text(path, "old");
    chmod(path, 0640);
    snprintf(link, sizeof link, "%s/link", directory);
    ck_assert_int_eq(symlink("out.json", link), 0);
    ck_assert_int_eq(write_to(link, &r), 0);
    ck_assert_int_eq(lstat(link, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0640);
    ck_assert_int_eq(content(path)[0], '{');
    ck_assert_int_eq(empty_directory(), 2);
}
END_TEST

// In a folder in which this user may not make files.
START_TEST(a_file_that_cannot_be_replaced_is_overwritten) {
    struct instr_method_report r = report(1);
    char expected[4096];
    struct stat st;
    int status;
    ck_assert_int_eq(write_to(path, &r), 0);
    snprintf(expected, sizeof expected, "%s", content(path));
    r.row_count = 0;
    write_text(path, expected); // longer than what comes
    ck_assert_int_eq(chmod(path, 0666), 0);
    ck_assert_int_eq(chmod(directory, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        if (instr_output_check(path, false, error, sizeof error) != 0) _exit(3);
        _exit(write_to(path, &r) != 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(chmod(directory, 0755), 0);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0666);
    snprintf(expected, sizeof expected, "%s", content(path));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_str_eq(content(path), expected);
    ck_assert_int_eq(empty_directory(), 1);
}
END_TEST

// They would choose what is overwritten. Only root can make such a link.
START_TEST(links_of_other_users_are_not_followed) {
    static const char *const targets[] = {"out.json", "new.json", "link.json"};
    struct instr_method_report r = report(1);
    char link[128], expected[256];
    if (geteuid() != 0) return;
    write_text(path, "old");
    snprintf(link, sizeof link, "%s/link.json", directory);
    ck_assert_int_eq(symlink(targets[_i], link), 0);
    ck_assert_int_eq(lchown(link, 65534, 65534), 0);
    snprintf(expected, sizeof expected, "%s: a symbolic link of another user, or too many links",
             link);
    ck_assert_int_eq(instr_output_check(link, false, error, sizeof error), -1);
    ck_assert_str_eq(error, expected);
    ck_assert_int_eq(write_to(link, &r), -1);
    ck_assert_str_eq(error, expected);
    ck_assert_str_eq(content(path), "old");
    ck_assert_int_eq(empty_directory(), 2);
}
END_TEST

START_TEST(links_are_followed_to_a_file_that_is_not_there) {
    char link[128], other[128], name[] = "./out.json";
    struct instr_method_report r = report(1);
    snprintf(link, sizeof link, "%s/link", directory);
    snprintf(other, sizeof other, "%s/other", directory);
    ck_assert_int_eq(symlink(other, link), 0);
    ck_assert_int_eq(symlink(name, other), 0);
    ck_assert_int_eq(instr_output_check(link, false, error, sizeof error), 0);
    ck_assert_int_eq(write_to(link, &r), 0);
    ck_assert_int_eq(content(path)[0], '{');
    ck_assert_int_eq(empty_directory(), 3);
}
END_TEST

START_TEST(links_that_lead_to_each_other_end) {
    struct instr_method_report r = report(1);
    ck_assert_int_eq(symlink("out.json", path), 0);
    ck_assert_int_eq(write_to(path, &r), -1);
    ck_assert_ptr_nonnull(strstr(error, "too many links"));
    ck_assert_int_eq(empty_directory(), 1);
}
END_TEST

// The old file may be another user's, and the new one is ours.
START_TEST(the_new_file_has_no_user_id_to_set) {
    struct instr_method_report r = report(1);
    struct stat st;
    write_text(path, "old");
    ck_assert_int_eq(chmod(path, 06755), 0);
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0755);
    empty_directory();
}
END_TEST

START_TEST(leftovers_of_a_crash_do_not_stand_in_the_way) {
    char name[128];
    struct instr_method_report r = report(1);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s/.instr-%ld-%d.tmp", directory, (long)getpid(), i);
        write_text(name, "half");
    }
    ck_assert_int_eq(write_to(path, &r), 0);
    ck_assert_int_eq(empty_directory(), 4);
}
END_TEST

static const struct {
    uint64_t ns;
    const char *text;
} durations[] = {{0, "0 ns"},
                 {999, "999 ns"},
                 {1000, "1.00 us"},
                 {9994, "9.99 us"},
                 {9996, "10.0 us"},
                 {99960, "100 us"},
                 {999499, "999 us"},
                 {999500, "1.00 ms"},
                 {61000000000, "61.0 s"},
                 {3600000000000, "3600 s"},
                 {UINT64_MAX, "1.84e+10 s"}};

START_TEST(durations_have_three_digits_and_a_unit) {
    char shown[INSTR_DURATION_SIZE];
    ck_assert_str_eq(instr_duration(durations[_i].ns, shown), durations[_i].text);
}
END_TEST

START_TEST(numbers_have_commas) {
    char shown[INSTR_NUMBER_SIZE];
    ck_assert_str_eq(instr_number(0, shown), "0");
    ck_assert_str_eq(instr_number(123456, shown), "123,456");
    ck_assert_str_eq(instr_number(UINT64_MAX, shown), "18,446,744,073,709,551,615");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("report");
    TCase *tcase = tcase_create("report");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, the_table_is_aligned_and_readable);
    tcase_add_test(tcase, a_method_without_times_has_none);
    tcase_add_test(tcase, of_calls_that_were_all_measured_only_the_self_time_is_an_estimate);
    tcase_add_test(tcase, the_table_stops_at_top);
    tcase_add_test(tcase, the_json_has_its_keys_in_order);
    tcase_add_test(tcase, the_cost_is_one_line_and_a_member);
    tcase_add_loop_test(tcase, strings_are_escaped_and_become_utf8, 0,
                        sizeof strings / sizeof *strings);
    tcase_add_test(tcase, a_full_disk_is_reported_in_one_line);
    tcase_add_test(tcase, a_failed_write_keeps_the_old_file);
    tcase_add_test(tcase, a_link_and_the_mode_of_the_old_file_stay);
    tcase_add_test(tcase, a_file_that_cannot_be_replaced_is_overwritten);
    tcase_add_loop_test(tcase, links_of_other_users_are_not_followed, 0, 3);
    tcase_add_test(tcase, links_are_followed_to_a_file_that_is_not_there);
    tcase_add_test(tcase, links_that_lead_to_each_other_end);
    tcase_add_test(tcase, the_new_file_has_no_user_id_to_set);
    tcase_add_test(tcase, leftovers_of_a_crash_do_not_stand_in_the_way);
    tcase_add_loop_test(tcase, durations_have_three_digits_and_a_unit, 0,
                        sizeof durations / sizeof *durations);
    tcase_add_test(tcase, numbers_have_commas);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
