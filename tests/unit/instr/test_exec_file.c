// .exec files: the bytes are those that JaCoCo 0.8.6 wrote and the ids those that it computed; what
// is broken is reported with its place, at every length and with every byte changed.

#include "instr/coverage/exec_writer.h"
#include "instr/coverage/exec_reader.h"
#include "tests/unit/run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// --- what JaCoCo says ---

// Written by its ExecutionDataWriter: a session, com/acme/Foo with probes 0, 9 and 129 of 130 set,
// a class without a hit, and A with the second of 3 probes set.
static const uint8_t jacoco[] = {
    0x01, 0xc0, 0xc0, 0x10, 0x07,                                     // header
    0x10, 0x00, 0x0b, 0x73, 0xc3, 0xa9, 0xc0, 0x80, 0xed, 0xa0, 0xbd, // session
    0xed, 0xb8, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, //
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,                   //
    0x11, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x0c, // com/acme/Foo
    0x63, 0x6f, 0x6d, 0x2f, 0x61, 0x63, 0x6d, 0x65, 0x2f, 0x46, 0x6f, //
    0x6f, 0x82, 0x01, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, //
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,             //
    0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, // A
    0x41, 0x03, 0x02};

// Its CRC64.classId of `length` bytes, byte i being 7 * i + 1, bytes 6 and 7 as given unless -1.
static const struct {
    size_t length;
    int six, seven;
    uint64_t id;
} ids[] = {
    {0, -1, -1, 0},
    {1, -1, -1, 0x01b0000000000000},
    {7, -1, -1, 0x3960d1eea99d81b0},
    {8, -1, -1, 0xdb5960d1eea99d81},
    {9, -1, -1, 0xf85b5960d1eea99d},
    {9, 0, 53, 0xf85ec030d1eea99d},
    {9, 1, 53, 0xf85f7180d1eea99d},
    {100, -1, -1, 0x1630ba32d7c281e0},
    {100, 0, 53, 0xbf392f6e818d1ca9},
    {100, 1, 53, 0xbe923474309d0cb8},
};

START_TEST(the_id_of_a_class_is_jacocos) {
    uint8_t bytes[100];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    if (ids[_i].six >= 0) bytes[6] = (uint8_t)ids[_i].six;
    if (ids[_i].seven >= 0) bytes[7] = (uint8_t)ids[_i].seven;
    ck_assert_uint_eq(instr_exec_class_id(bytes, ids[_i].length), ids[_i].id);
}
END_TEST

// --- files ---

static char path[] = "/tmp/instr-exec-XXXXXX";

static void make_file(void) {
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void remove_file(void) {
    unlink(path);
}

static void set_file(const void *bytes, size_t length) {
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static uint8_t *get_file(size_t *length) {
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "r");
    *length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return bytes;
}

static void expect_file(const uint8_t *expected, size_t length) {
    size_t there;
    const uint8_t *bytes = get_file(&there);
    ck_assert_uint_eq(there, length);
    ck_assert_mem_eq(bytes, expected, length);
}

static void write_all(struct instr_exec_file *file) {
    char id[32];
    size_t length = instr_exec_text("s\xC3\xA9\xC0\x80\xF0\x9F\x98\x80", id, sizeof id);
    struct instr_exec_session session = {id, length, 1, 0x0102030405060708};
    uint8_t probes[130] = {1}, none[3] = {0}, bits[] = {2};
    probes[9] = 0x80;
    probes[129] = 1;
    struct instr_exec_class a = {2, "A", 1, bits, 3};
    ck_assert_int_eq(instr_exec_write_session(file, &session), 1);
    ck_assert_int_eq(instr_exec_write_probes(file, 0x8899aabbccddeeff, "com/acme/Foo", probes, 130),
                     1);
    ck_assert_int_eq(instr_exec_write_probes(file, 1, "no/Hit", none, 3), 0);
    ck_assert_int_eq(instr_exec_write_class(file, &a), 1);
}

static int save(int append, char *error, size_t size) {
    static struct instr_exec_file file;
    instr_exec_open(&file, path, append);
    write_all(&file);
    return instr_exec_close(&file, error, size);
}

static void saves(int append) {
    char error[512] = "";
    ck_assert_msg(save(append, error, sizeof error) == 0, "%s", error);
}

// Reads it all. Returns how many blocks there are, and -1 - that when there is an error.
static int read_all(struct instr_exec_reader *reader) {
    int blocks = 0;
    enum instr_exec_found found = INSTR_EXEC_BAD;
    if (instr_exec_read_open(reader, path) == 0)
        while ((found = instr_exec_read(reader)) > INSTR_EXEC_NOTHING) blocks++;
    ck_assert_int_eq(found == INSTR_EXEC_BAD, reader->error[0] != '\0');
    ck_assert_int_eq(instr_exec_read(reader) > INSTR_EXEC_NOTHING, 0);
    instr_exec_read_close(reader);
    return found == INSTR_EXEC_BAD ? -1 - blocks : blocks;
}

static struct instr_exec_reader reader; // large

START_TEST(a_file_has_jacocos_bytes) {
    set_file("something else", 14);
    saves(0);
    expect_file(jacoco, sizeof jacoco);
}
END_TEST

START_TEST(jacocos_bytes_are_read) {
    set_file(jacoco, sizeof jacoco);
    ck_assert_int_eq(instr_exec_read_open(&reader, path), 0);
    ck_assert_int_eq(instr_exec_read(&reader), INSTR_EXEC_FOUND_SESSION);
    ck_assert_uint_eq(reader.session.id_length, 11);
    ck_assert_str_eq(reader.session.id, "s\xC3\xA9\xC0\x80\xED\xA0\xBD\xED\xB8\x80");
    ck_assert_uint_eq(reader.session.start, 1);
    ck_assert_uint_eq(reader.session.dump, 0x0102030405060708);
    ck_assert_int_eq(instr_exec_read(&reader), INSTR_EXEC_FOUND_CLASS);
    ck_assert_uint_eq(reader.class.id, 0x8899aabbccddeeff);
    ck_assert_str_eq(reader.class.name, "com/acme/Foo");
    ck_assert_uint_eq(reader.class.probes, 130);
    for (size_t i = 0; i < 130; i++)
        ck_assert_int_eq(reader.class.bits[i / 8] >> i % 8 & 1, i == 0 || i == 9 || i == 129);
    ck_assert_int_eq(instr_exec_read(&reader), INSTR_EXEC_FOUND_CLASS);
    ck_assert_str_eq(reader.class.name, "A");
    ck_assert_uint_eq(reader.class.bits[0], 2);
    ck_assert_int_eq(instr_exec_read(&reader), INSTR_EXEC_NOTHING);
    ck_assert_uint_eq(reader.whole, sizeof jacoco);
    instr_exec_read_close(&reader);
}
END_TEST

START_TEST(an_empty_file_has_no_blocks) {
    ck_assert_int_eq(read_all(&reader), 0);
}
END_TEST

START_TEST(bits_behind_the_last_probe_are_ignored) {
    static uint8_t bytes[sizeof jacoco];
    memcpy(bytes, jacoco, sizeof jacoco);
    bytes[sizeof jacoco - 1] = 0xFA;
    set_file(bytes, sizeof bytes);
    ck_assert_int_eq(read_all(&reader), 3);
    instr_exec_read_open(&reader, path);
    for (int i = 0; i < 3; i++) instr_exec_read(&reader);
    ck_assert_uint_eq(reader.class.bits[0], 2);
    instr_exec_read_close(&reader);
}
END_TEST

// --- what is broken ---

START_TEST(a_file_that_ends_early_is_read_up_to_there) {
    static const size_t ends[] = {0, 5, 35, 77, sizeof jacoco};
    for (size_t length = 0; length < sizeof jacoco; length++) {
        size_t whole = 0;
        for (size_t i = 0; i < 5; i++)
            if (ends[i] <= length) whole = ends[i];
        set_file(jacoco, length);
        int blocks = read_all(&reader);
        ck_assert_int_eq(blocks < 0, length != whole);
        ck_assert_int_eq(reader.cut, length != whole);
        ck_assert_uint_eq(reader.whole, whole);
        if (length != whole)
            ck_assert_ptr_nonnull(strstr(reader.error, "the file ends within a block"));
    }
}
END_TEST

static const struct {
    size_t at;
    int byte;
    const char *error;
} faults[] = {
    {0, 0x10, "byte 0: not JaCoCo execution data"},
    {1, 0xC1, "byte 1: not JaCoCo execution data"},
    {4, 0x06, "byte 3: format version 0x1006, expected 0x1007"},
    {5, 0x20, "byte 5: unknown block type 0x20"},
    {9, 0xFF, "byte 9: the id of a session is not modified UTF-8"},
    {18, 0xC3, "byte 16: the id of a session is not modified UTF-8"},
    {46, 0x00, "byte 46: the name of a class contains a NUL"},
    {47, 0x80, "byte 47: the name of a class is not modified UTF-8"},
    {77, 0x00, "byte 77: unknown block type 0x00"},
};

START_TEST(says_what_is_broken_and_where) {
    static uint8_t bytes[sizeof jacoco];
    memcpy(bytes, jacoco, sizeof jacoco);
    bytes[faults[_i].at] = (uint8_t)faults[_i].byte;
    set_file(bytes, sizeof bytes);
    ck_assert_int_lt(read_all(&reader), 0);
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s", path, faults[_i].error);
    ck_assert_str_eq(reader.error, expected);
}
END_TEST

START_TEST(a_number_of_probes_costs_no_memory_by_itself) {
    static const uint8_t most[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x07}; // INT32_MAX
    static const uint8_t more[] = {0x80, 0x80, 0x80, 0x80, 0x08};
    static const uint8_t endless[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static uint8_t bytes[58 + 5];
    memcpy(bytes, jacoco, 58);
    memcpy(bytes + 58, most, 5);
    set_file(bytes, sizeof bytes);
    ck_assert_int_eq(read_all(&reader), -2);
    ck_assert_int_eq(reader.cut, 1);
    memcpy(bytes + 58, more, 5);
    set_file(bytes, sizeof bytes);
    ck_assert_int_eq(read_all(&reader), -2);
    ck_assert_ptr_nonnull(strstr(reader.error, "byte 58: the number of probes is out of range"));
    memcpy(bytes + 58, endless, 5);
    set_file(bytes, sizeof bytes);
    ck_assert_int_eq(read_all(&reader), -2);
    ck_assert_ptr_nonnull(strstr(reader.error, "byte 58: the number of probes is out of range"));
}
END_TEST

START_TEST(unreadable_files_are_reported) {
    char error[sizeof reader.error];
    ck_assert_int_eq(instr_exec_read_open(&reader, "/no/such.exec"), -1);
    ck_assert_str_eq(reader.error, "/no/such.exec: No such file or directory");
    instr_exec_read_close(&reader);
    ck_assert_int_eq(instr_exec_read_open(&reader, "/tmp"), -1);
    ck_assert_str_eq(reader.error, "/tmp: Is a directory");
    instr_exec_read_close(&reader);
    static struct instr_exec_file file;
    for (int append = 0; append < 2; append++) {
        instr_exec_open(&file, "/dev/null/such.exec", append);
        write_all(&file);
        ck_assert_int_eq(instr_exec_close(&file, error, sizeof error), -1);
        ck_assert_str_eq(error, "/dev/null/such.exec: Not a directory");
        instr_exec_open(&file, "/dev/full", append);
        ck_assert_int_eq(instr_exec_close(&file, error, sizeof error), -1);
        ck_assert_str_eq(error, "/dev/full: No space left on device");
    }
}
END_TEST

// --- appending ---

static void expect_twice(void) {
    static uint8_t twice[2 * sizeof jacoco];
    memcpy(twice, jacoco, sizeof jacoco);
    memcpy(twice + sizeof jacoco, jacoco, sizeof jacoco);
    expect_file(twice, sizeof twice);
    ck_assert_int_eq(read_all(&reader), 6);
}

START_TEST(appends_to_what_is_there) {
    unlink(path);
    saves(1);
    expect_file(jacoco, sizeof jacoco);
    saves(1);
    expect_twice();
}
END_TEST

// Only root can make such a link.
START_TEST(appends_through_links_but_not_through_those_of_other_users) {
    char error[512], link[80];
    static struct instr_exec_file file;
    unlink(path);
    saves(1);
    snprintf(link, sizeof link, "%s-link", path);
    ck_assert_int_eq(symlink(path, link), 0);
    for (int of_another = 0; of_another <= (geteuid() == 0); of_another++) {
        ck_assert_int_eq(of_another ? lchown(link, 65534, 65534) : 0, 0);
        instr_exec_open(&file, link, 1);
        instr_exec_write_probes(&file, 1, "A", (const uint8_t[]){1}, 1);
        ck_assert_int_eq(instr_exec_close(&file, error, sizeof error), -of_another);
        if (of_another) ck_assert_ptr_nonnull(strstr(error, ": a symbolic link of another user"));
    }
    ck_assert_int_eq(unlink(link), 0);
}
END_TEST

START_TEST(makes_the_folders_that_are_missing) {
    char error[512], folder[64], deep[128];
    static struct instr_exec_file file;
    unlink(path);
    snprintf(folder, sizeof folder, "%s/a", path);
    for (int append = 0; append < 2; append++) {
        snprintf(deep, sizeof deep, "%s/b.exec", folder);
        instr_exec_open(&file, deep, append);
        ck_assert_int_eq(instr_exec_close(&file, error, sizeof error), 0);
        ck_assert_int_eq(unlink(deep) | rmdir(folder) | rmdir(path), 0);
    }
}
END_TEST

START_TEST(what_a_killed_writer_left_is_cut_off) {
    static uint8_t bytes[2 * sizeof jacoco];
    memcpy(bytes, jacoco, sizeof jacoco);
    memcpy(bytes + sizeof jacoco, jacoco, sizeof jacoco);
    // The header alone stays; it does no harm.
    static const size_t lost[] = {1, 4, 6, 34};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        size_t kept = lost[i] < 5 ? 0 : 5;
        set_file(bytes, sizeof jacoco + lost[i]);
        saves(1);
        size_t length;
        get_file(&length);
        ck_assert_uint_eq(length, 2 * sizeof jacoco + kept);
        ck_assert_int_eq(read_all(&reader), 6);
    }
}
END_TEST

static void saves_again(struct instr_exec_end *end) {
    static struct instr_exec_file file;
    char error[512] = "";
    instr_exec_open_again(&file, path, end);
    write_all(&file);
    ck_assert_msg(instr_exec_close(&file, error, sizeof error) == 0, "%s", error);
}

// Where the writer's last session ends may be in the middle of what others wrote.
START_TEST(appends_again_whatever_others_did_meanwhile) {
    static uint8_t bytes[3 * sizeof jacoco];
    struct instr_exec_end end = {0, 0, 0};
    for (size_t i = 0; i < 3; i++) memcpy(bytes + i * sizeof jacoco, jacoco, sizeof jacoco);
    set_file("", 0);
    saves_again(&end);
    ck_assert_int_eq(end.length, sizeof jacoco);
    saves(1); // another writer's
    saves_again(&end);
    expect_file(bytes, sizeof bytes);
    set_file(bytes, 2 * sizeof jacoco + 6); // torn, longer than before
    saves_again(&end);
    ck_assert_int_eq(read_all(&reader), 9);
    set_file(bytes, 0);
    saves_again(&end);
    expect_file(jacoco, sizeof jacoco);
    set_file(bytes, sizeof jacoco + 6);
    saves_again(&end);
    ck_assert_int_eq(read_all(&reader), 6);
    set_file(bytes, 0);
    saves_again(&end);
    memmove(bytes + 5, bytes, 2 * sizeof jacoco); // other content
    set_file(bytes, 2 * sizeof jacoco + 5);
    saves_again(&end);
    ck_assert_int_eq(read_all(&reader), 9);
    unlink(path);
    saves_again(&end);
    expect_file(jacoco, sizeof jacoco);
}
END_TEST

START_TEST(what_is_known_to_be_whole_is_not_read_again) {
    struct instr_exec_end end = {0, 0, 0};
    set_file("", 0);
    saves_again(&end);
    FILE *f = fopen(path, "r+");
    ck_assert_ptr_nonnull(f);
    fputc('x', f); // would be an error
    fclose(f);
    saves_again(&end);
    ck_assert_int_eq(end.length, 2 * sizeof jacoco);
}
END_TEST

START_TEST(nothing_is_appended_to_other_files) {
    char error[512];
    static uint8_t bytes[sizeof jacoco + 7];
    set_file("precious", 8);
    ck_assert_int_eq(save(1, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "byte 0: not JaCoCo execution data; nothing was"));
    expect_file((const uint8_t *)"precious", 8);
    memcpy(bytes, jacoco, sizeof jacoco);
    memcpy(bytes + sizeof jacoco, "precious", 7);
    set_file(bytes, sizeof bytes);
    ck_assert_int_eq(save(1, error, sizeof error), -1);
    expect_file(bytes, sizeof bytes);
}
END_TEST

START_TEST(a_full_disk_leaves_what_was_there) {
    set_file(jacoco, sizeof jacoco);
    pid_t child = fork();
    if (child == 0) {
        char error[512] = "";
        struct rlimit most = {sizeof jacoco + 17, sizeof jacoco + 17};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &most);
        _exit(save(1, error, sizeof error) == -1 && strstr(error, ": File too large") ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    expect_file(jacoco, sizeof jacoco);
}
END_TEST

START_TEST(writers_wait_for_each_other) {
    enum { WRITERS = 8, ROUNDS = 25 };
    unlink(path);
    for (int i = 0; i < WRITERS; i++) {
        if (fork() != 0) continue;
        char error[512];
        int bad = 0;
        for (int k = 0; k < ROUNDS; k++) bad |= save(1, error, sizeof error);
        _exit(bad != 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        wait(&status);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(read_all(&reader), 3 * WRITERS * ROUNDS);
}
END_TEST

// As a writer that replaces the whole file does.
START_TEST(a_file_that_is_replaced_meanwhile_is_followed) {
    char other[80], byte = 0;
    int ready[2];
    snprintf(other, sizeof other, "%s-other", path);
    set_file(jacoco, sizeof jacoco);
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int held = open(path, O_RDWR), made = open(other, O_WRONLY | O_CREAT, 0666);
        int bad = fcntl(held, F_OFD_SETLK, &whole) | (write(ready[1], &byte, 1) != 1);
        usleep(100000);
        bad |= write(made, jacoco, sizeof jacoco) != sizeof jacoco || rename(other, path) != 0;
        usleep(200000);
        _exit(bad != 0);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    saves(1);
    int status = -1;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    expect_twice();
}
END_TEST

// --- text ---

START_TEST(text_becomes_modified_utf8) {
    char to[16];
    ck_assert_uint_eq(instr_exec_text("a\xFF", to, sizeof to), 4);
    ck_assert_str_eq(to, "a\xEF\xBF\xBD");
    ck_assert_uint_eq(instr_exec_text("1234567890123456", to, sizeof to), 15);
    ck_assert_str_eq(to, "123456789012345");
    ck_assert_uint_eq(instr_exec_text("1234567890\xF0\x9F\x98\x80", to, sizeof to), 10);
    ck_assert_str_eq(to, "1234567890");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("exec_file");
    TCase *tcase = tcase_create("exec_file");
    tcase_add_checked_fixture(tcase, make_file, remove_file);
    tcase_add_loop_test(tcase, the_id_of_a_class_is_jacocos, 0, sizeof ids / sizeof *ids);
    tcase_add_test(tcase, a_file_has_jacocos_bytes);
    tcase_add_test(tcase, jacocos_bytes_are_read);
    tcase_add_test(tcase, an_empty_file_has_no_blocks);
    tcase_add_test(tcase, bits_behind_the_last_probe_are_ignored);
    tcase_add_test(tcase, a_file_that_ends_early_is_read_up_to_there);
    tcase_add_loop_test(tcase, says_what_is_broken_and_where, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tcase, a_number_of_probes_costs_no_memory_by_itself);
    tcase_add_test(tcase, unreadable_files_are_reported);
    tcase_add_test(tcase, appends_to_what_is_there);
    tcase_add_test(tcase, appends_through_links_but_not_through_those_of_other_users);
    tcase_add_test(tcase, makes_the_folders_that_are_missing);
    tcase_add_test(tcase, what_a_killed_writer_left_is_cut_off);
    tcase_add_test(tcase, appends_again_whatever_others_did_meanwhile);
    tcase_add_test(tcase, what_is_known_to_be_whole_is_not_read_again);
    tcase_add_test(tcase, nothing_is_appended_to_other_files);
    tcase_add_test(tcase, a_full_disk_leaves_what_was_there);
    tcase_add_test(tcase, writers_wait_for_each_other);
    tcase_add_test(tcase, a_file_that_is_replaced_meanwhile_is_followed);
    tcase_add_test(tcase, text_becomes_modified_utf8);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
