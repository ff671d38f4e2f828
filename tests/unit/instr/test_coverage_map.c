// The file of coverage.mmap=yes: what a process that was killed leaves behind becomes an .exec
// file; a broken one is reported, at whichever byte it is broken.

#include "instr/coverage/mapping.h"
#include "instr/coverage/exec_reader.h"
#include "tests/unit/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], stem[128], map[128], second[128], exec[128], error[512];

static void set_up(void) {
    strcpy(folder, "/tmp/instr-map-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(stem, sizeof stem, "%s/x", folder);
    snprintf(map, sizeof map, "%s/x.map", folder);
    snprintf(second, sizeof second, "%s/x-2.map", folder);
    snprintf(exec, sizeof exec, "%s/x.exec", folder);
}

static void tear_down(void) {
    unlink(map);
    unlink(second);
    unlink(exec);
    rmdir(folder);
}

// --- a process that is killed ---

static const struct instr_covered_class classes[] = {
    {.id = 0x0123456789ABCDEF, .name = "com/acme/Foo", .first = 0, .count = 10},
    {.id = 0x1111111111111111, .name = "com/acme/Never", .first = 10, .count = 3},
    {.id = 0x8877665544332211, .name = "B", .first = 40000, .count = 9},
};

static void write_map(void) {
    struct instr_coverage_map_header header = {
        INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, 1234567890123, 7, "session"};
    uint8_t *memory = instr_coverage_map_open(stem, &header, 1, error, sizeof error);
    if (!memory || !instr_coverage_map_reserve(0, 32768) ||
        !instr_coverage_map_reserve(32768, 32768))
        return;
    for (unsigned i = 0; i < 3; i++) instr_coverage_map_add(&classes[i]);
    memory[INSTR_COVERAGE_MAP_PROBES_AT + 0] = 1;
    memory[INSTR_COVERAGE_MAP_PROBES_AT + 9] = 1;
    memory[INSTR_COVERAGE_MAP_TAKEN_AT + 4] = 1;
    memory[INSTR_COVERAGE_MAP_PROBES_AT + 40008] = 1;
}

static void leave_map(void) {
    pid_t child = fork();
    if (child == 0) {
        write_map();
        kill(getpid(), SIGKILL);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
}

static int recover(void) {
    error[0] = '\0';
    return instr_coverage_map_recover(map, exec, error, sizeof error);
}

static void is_reported(const char *reason) {
    char line[400];
    struct stat st;
    snprintf(line, sizeof line, "%s: %s", map, reason);
    ck_assert_int_eq(recover(), -1);
    ck_assert_str_eq(error, line);
    ck_assert_int_ne(stat(exec, &st), 0);
}

static void change(long at, const void *data, size_t length) {
    FILE *file = fopen(map, "r+");
    fseek(file, at, SEEK_SET);
    ck_assert_uint_eq(fwrite(data, 1, length, file), length);
    fclose(file);
}

// A hit in each class.
static void set_hits(void) {
    const uint8_t hit = 1;
    for (unsigned i = 0; i < 3; i++)
        change(INSTR_COVERAGE_MAP_PROBES_AT + (long)classes[i].first, &hit, 1);
}

// The sessions and classes of the .exec file that it gives.
static void read_exec(unsigned *sessions, unsigned *found) {
    struct instr_exec_reader reader;
    enum instr_exec_found what;
    *sessions = *found = 0;
    ck_assert_int_eq(instr_exec_read_open(&reader, exec), 0);
    while ((what = instr_exec_read(&reader)) > INSTR_EXEC_NOTHING) {
        *sessions += what == INSTR_EXEC_FOUND_SESSION;
        *found += what == INSTR_EXEC_FOUND_CLASS;
    }
    ck_assert_str_eq(reader.error, "");
    instr_exec_read_close(&reader);
}

START_TEST(probes_executed_before_the_kill_are_recovered) {
    struct instr_exec_reader r;
    leave_map();
    ck_assert_int_eq(recover(), 0);
    ck_assert_int_eq(instr_exec_read_open(&r, exec), 0);
    ck_assert_int_eq(instr_exec_read(&r), INSTR_EXEC_FOUND_SESSION);
    ck_assert_uint_eq(r.session.id_length, 7);
    ck_assert_mem_eq(r.session.id, "session", 7);
    ck_assert_uint_eq(r.session.start, 1234567890123);
    ck_assert_uint_gt(r.session.dump, r.session.start);
    ck_assert_int_eq(instr_exec_read(&r), INSTR_EXEC_FOUND_CLASS);
    ck_assert_uint_eq(r.class.id, classes[0].id);
    ck_assert_uint_eq(r.class.probes, 10);
    ck_assert_mem_eq(r.class.bits, "\x11\x02", 2); // 0, 4 (taken out before), 9
    ck_assert_int_eq(instr_exec_read(&r), INSTR_EXEC_FOUND_CLASS);
    ck_assert_str_eq(r.class.name, "B");
    ck_assert_mem_eq(r.class.bits, "\x00\x01", 2);
    ck_assert_int_eq(instr_exec_read(&r), INSTR_EXEC_NOTHING);
    instr_exec_read_close(&r);
}
END_TEST

START_TEST(it_is_appended_to_what_is_there) {
    unsigned sessions, found;
    leave_map();
    ck_assert_int_eq(recover(), 0);
    ck_assert_int_eq(recover(), 0);
    read_exec(&sessions, &found);
    ck_assert_uint_eq(sessions, 2);
    ck_assert_uint_eq(found, 4);
}
END_TEST

// --- broken files ---

// A class is there whole, or not at all; all classes before it are reported.
START_TEST(a_class_written_in_part_is_ignored) {
    unsigned sessions, found;
    struct stat st;
    leave_map();
    ck_assert_int_eq(stat(map, &st), 0);
    off_t all = st.st_size - INSTR_COVERAGE_MAP_CLASSES_AT;
    for (off_t kept = all; kept >= 0; kept--) {
        ck_assert_int_eq(truncate(map, INSTR_COVERAGE_MAP_CLASSES_AT + kept), 0);
        unlink(exec);
        ck_assert_int_eq(recover(), 0);
        read_exec(&sessions, &found);
        ck_assert_uint_eq(sessions, 1);
        // The first has 24 bytes and its name.
        ck_assert_uint_eq(found, (kept >= 36 ? 1u : 0u) + (kept == all));
    }
}
END_TEST

static const off_t lengths[] = {0,
                                1,
                                7,
                                100,
                                INSTR_COVERAGE_MAP_PROBES_AT,
                                INSTR_COVERAGE_MAP_TAKEN_AT,
                                INSTR_COVERAGE_MAP_CLASSES_AT - 1};

START_TEST(a_truncated_file_is_reported) {
    leave_map();
    ck_assert_int_eq(truncate(map, lengths[_i]), 0);
    is_reported("not a file of coverage.mmap, or truncated");
}
END_TEST

static const struct {
    long at;
    uint32_t value;
} headers[] = {{0, 0},  {4, 0},           {8, 2},     {8, 0},
               {12, 1}, {12, UINT32_MAX}, {24, 1025}, {24, UINT32_MAX}};

START_TEST(another_magic_version_or_size_is_reported) {
    leave_map();
    change(headers[_i].at, &headers[_i].value, 4);
    is_reported("not a file of coverage.mmap, or truncated");
}
END_TEST

// first, count, name_length and name of the second class: nothing is read beyond the file or the area of
// the probes, and no memory is taken for it.
static const struct {
    long at;
    uint32_t value;
} fields[] = {{8, INSTR_COVERAGE_MAP_PROBES},
              {8, UINT32_MAX},
              {12, INSTR_COVERAGE_MAP_PROBES},
              {12, UINT32_MAX},
              {16, 65536},
              {16, 60000},
              {16, UINT32_MAX},
              {24, UINT32_MAX},
              {24, 0}};

START_TEST(what_stands_behind_a_broken_class_is_not_read) {
    unsigned sessions, found;
    leave_map();
    change(INSTR_COVERAGE_MAP_CLASSES_AT + 36 + fields[_i].at, &fields[_i].value, 4);
    ck_assert_int_eq(recover(), 1);
    ck_assert_ptr_nonnull(strstr(error, ": not the description of a class; only what stands before "
                                        "it, 1 class, was recovered"));
    read_exec(&sessions, &found);
    ck_assert_uint_eq(sessions, 1);
    ck_assert_uint_eq(found, 1);
}
END_TEST

// --- files that there are not ---

START_TEST(a_missing_file_is_reported) {
    is_reported("No such file or directory");
}
END_TEST

START_TEST(the_reason_why_a_file_cannot_be_made_is_reported) {
    struct instr_coverage_map_header header = {
        INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, 0, 0, ""};
    ck_assert_ptr_null(
        instr_coverage_map_open("/proc/nowhere/at/all", &header, 1, error, sizeof error));
    ck_assert_str_eq(error, "/proc/nowhere/at/all.map: No such file or directory");
}
END_TEST

// The limit stands in for a full disk: nothing is left behind.
START_TEST(without_disk_space_nothing_is_left_behind) {
    struct instr_coverage_map_header header = {
        INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, 0, 0, ""};
    struct rlimit limit = {1 << 20, 1 << 20};
    struct stat st;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_ptr_null(instr_coverage_map_open(stem, &header, 1, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, ": File too large"));
    ck_assert_int_ne(stat(map, &st), 0);
}
END_TEST

START_TEST(there_are_only_so_many_probes) {
    struct instr_coverage_map_header header = {
        INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, 0, 0, ""};
    ck_assert_ptr_nonnull(instr_coverage_map_open(stem, &header, 1, error, sizeof error));
    ck_assert(instr_coverage_map_reserve(0, 1));
    ck_assert(instr_coverage_map_reserve(INSTR_COVERAGE_MAP_PROBES - 1, 1));
    ck_assert(!instr_coverage_map_reserve(INSTR_COVERAGE_MAP_PROBES, 1));
    ck_assert(!instr_coverage_map_reserve(UINT32_MAX, 1));
    ck_assert(!instr_coverage_map_reserve(1, UINT32_MAX));
    instr_coverage_map_remove();
    struct stat st;
    ck_assert_int_ne(stat(map, &st), 0);
}
END_TEST

// --- files that others truncate ---

static const struct instr_coverage_map_header no_classes = {
    INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, 0, 0, ""};

START_TEST(what_is_not_mapped_may_be_truncated) {
    static uint8_t probes[10000] = {[0] = 1, [9999] = 1}, read[sizeof probes];
    uint8_t *memory = instr_coverage_map_open(stem, &no_classes, 0, error, sizeof error);
    ck_assert_ptr_nonnull(memory);
    ck_assert_int_eq(truncate(map, 0), 0);
    ck_assert(instr_coverage_map_store(probes, sizeof probes));
    ck_assert_mem_eq(memory + INSTR_COVERAGE_MAP_PROBES_AT, probes, sizeof probes);
    probes[0] = 0;
    ck_assert(instr_coverage_map_store(probes, sizeof probes));
    FILE *file = fopen(map, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, INSTR_COVERAGE_MAP_PROBES_AT, SEEK_SET), 0);
    ck_assert_uint_eq(fread(read, 1, sizeof read, file), sizeof read);
    ck_assert_mem_eq(read, probes, sizeof read);
    fclose(file);
}
END_TEST

// Of the same user, who is not root.
START_TEST(others_cannot_truncate_what_is_mapped) {
    if (getuid() == 0) {
        ck_assert_int_eq(chown(folder, 65534, 65534), 0);
        ck_assert_int_eq(setuid(65534), 0);
    }
    ck_assert_ptr_nonnull(instr_coverage_map_open(stem, &no_classes, 1, error, sizeof error));
    ck_assert_int_eq(truncate(map, 0), -1);
    ck_assert_ptr_null(fopen(map, "w"));
    instr_coverage_map_remove();
}
END_TEST

// --- a disk that is full for a while ---

static void limit_files(rlim_t length) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = length < limit.rlim_max ? length : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// Each time some more bytes fit; the limit stands in for a full disk.
static void add_without_room(int mapped) {
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_ptr_nonnull(instr_coverage_map_open(stem, &no_classes, mapped, error, sizeof error));
    ck_assert(instr_coverage_map_reserve(0, 65536));
    limit_files(INSTR_COVERAGE_MAP_CLASSES_AT + 10);
    instr_coverage_map_add(&classes[0]);
    limit_files(INSTR_COVERAGE_MAP_CLASSES_AT + 50);
    instr_coverage_map_add(&classes[1]);
    limit_files(RLIM_INFINITY);
}

START_TEST(classes_that_found_no_room_are_written_with_the_next_one) {
    unsigned sessions, found;
    add_without_room(_i);
    instr_coverage_map_add(&classes[2]);
    set_hits();
    ck_assert_int_eq(recover(), 0);
    read_exec(&sessions, &found);
    ck_assert_uint_eq(found, 3);
}
END_TEST

START_TEST(classes_that_found_no_room_are_written_with_the_probes) {
    static uint8_t probes[20];
    unsigned sessions, found;
    add_without_room(0);
    ck_assert(instr_coverage_map_store(probes, sizeof probes));
    set_hits();
    ck_assert_int_eq(recover(), 0);
    read_exec(&sessions, &found);
    ck_assert_uint_eq(found, 2);
}
END_TEST

// --- files of others ---

// A JVM in another container may have the same process id.
START_TEST(a_file_of_the_same_name_is_left_alone) {
    struct stat st;
    uint8_t *memory = instr_coverage_map_open(stem, &no_classes, 1, error, sizeof error);
    ck_assert_ptr_nonnull(memory);
    memory[INSTR_COVERAGE_MAP_TAKEN_AT] = 7;
    leave_map();
    ck_assert_int_eq(stat(second, &st), 0);
    ck_assert_uint_eq(memory[INSTR_COVERAGE_MAP_TAKEN_AT], 7); // SIGBUS past the end of a file
    ck_assert_int_eq(recover(), 0);
    ck_assert_int_eq(instr_coverage_map_recover(second, exec, error, sizeof error), 0);
    instr_coverage_map_remove();
    ck_assert_int_ne(stat(map, &st), 0);
    ck_assert_int_eq(stat(second, &st), 0);
}
END_TEST

START_TEST(a_file_that_took_the_name_is_not_removed) {
    struct stat st;
    ck_assert_ptr_nonnull(instr_coverage_map_open(stem, &no_classes, 0, error, sizeof error));
    ck_assert_int_eq(unlink(map), 0);
    leave_map();
    instr_coverage_map_remove();
    ck_assert_int_eq(stat(map, &st), 0);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    Suite *suite = suite_create("coverage_map");
    TCase *tcase = tcase_create("coverage_map");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, probes_executed_before_the_kill_are_recovered);
    tcase_add_test(tcase, it_is_appended_to_what_is_there);
    tcase_add_test(tcase, a_class_written_in_part_is_ignored);
    tcase_add_loop_test(tcase, a_truncated_file_is_reported, 0, COUNT(lengths));
    tcase_add_loop_test(tcase, another_magic_version_or_size_is_reported, 0, COUNT(headers));
    tcase_add_loop_test(tcase, what_stands_behind_a_broken_class_is_not_read, 0, COUNT(fields));
    tcase_add_test(tcase, a_missing_file_is_reported);
    tcase_add_test(tcase, the_reason_why_a_file_cannot_be_made_is_reported);
    tcase_add_test(tcase, without_disk_space_nothing_is_left_behind);
    tcase_add_test(tcase, there_are_only_so_many_probes);
    tcase_add_test(tcase, what_is_not_mapped_may_be_truncated);
    tcase_add_test(tcase, others_cannot_truncate_what_is_mapped);
    tcase_add_loop_test(tcase, classes_that_found_no_room_are_written_with_the_next_one, 0, 2);
    tcase_add_test(tcase, classes_that_found_no_room_are_written_with_the_probes);
    tcase_add_test(tcase, a_file_of_the_same_name_is_left_alone);
    tcase_add_test(tcase, a_file_that_took_the_name_is_not_removed);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
