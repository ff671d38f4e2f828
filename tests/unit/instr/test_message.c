// Frames of the control socket: taken out of any pieces, and nothing else is.

#include "instr/protocol/message.h"
#include "tests/unit/run.h"

#include <stdlib.h>
#include <string.h>

static size_t put(uint8_t *to, enum instr_message_type type, const void *payload, uint32_t length) {
    instr_message_header(to, type, length);
    memcpy(to + INSTR_MESSAGE_HEADER, payload, length);
    return INSTR_MESSAGE_HEADER + length;
}

START_TEST(frames_come_out_whatever_the_pieces_are) {
    uint8_t bytes[256];
    size_t n = put(bytes, INSTR_MESSAGE_COMMAND, "status\0", 7);
    n += put(bytes + n, INSTR_MESSAGE_CANCEL, "", 0);
    n += put(bytes + n, INSTR_MESSAGE_DATA, "a\0bcd", 5);
    for (size_t piece = 1; piece <= n; piece++) {
        struct instr_messages messages;
        struct instr_message message;
        char order[8] = "";
        instr_messages_start(&messages, INSTR_MESSAGES_CLIENT_SENDS);
        for (size_t i = 0; i < n; i += piece) {
            ck_assert_int_eq(
                instr_messages_add(&messages, bytes + i, n - i < piece ? n - i : piece), 0);
            while (instr_messages_next(&messages, &message) > 0) {
                order[strlen(order)] = (char)message.type;
                if (message.type == INSTR_MESSAGE_DATA)
                    ck_assert_mem_eq(message.payload, "a\0bcd", 5);
            }
        }
        ck_assert_str_eq(order, "CXD");
        ck_assert_int_eq(instr_messages_next(&messages, &message), 0);
        instr_messages_free(&messages);
    }
}
END_TEST

static void expect_refused(enum instr_message_type type, uint32_t length, const char *reason) {
    struct instr_messages messages;
    struct instr_message message;
    uint8_t header[INSTR_MESSAGE_HEADER];
    instr_message_header(header, type, length);
    instr_messages_start(&messages, INSTR_MESSAGES_CLIENT_SENDS);
    ck_assert_int_eq(instr_messages_add(&messages, header, sizeof header), 0);
    ck_assert_int_eq(instr_messages_next(&messages, &message), -1);
    ck_assert_ptr_nonnull(strstr(messages.reason, reason));
    ck_assert_int_eq(instr_messages_add(&messages, header, sizeof header), -1);
    instr_messages_free(&messages);
}

START_TEST(what_is_too_long_or_unknown_is_refused_by_its_header) {
    expect_refused(INSTR_MESSAGE_COMMAND, INSTR_MESSAGE_MOST + 1, "too long");
    expect_refused(INSTR_MESSAGE_DATA, INSTR_MESSAGE_MOST_DATA + 1, "too long");
    expect_refused(INSTR_MESSAGE_CANCEL, UINT32_MAX, "too long");
    expect_refused(INSTR_MESSAGE_END, 0, "unknown type"); // the agent sends these
    expect_refused(0, 0, "unknown type");
    expect_refused('c', 3, "unknown type");
}
END_TEST

START_TEST(memory_follows_what_came_not_what_is_claimed) {
    struct instr_messages messages;
    struct instr_message message;
    uint8_t header[INSTR_MESSAGE_HEADER];
    instr_message_header(header, INSTR_MESSAGE_DATA, INSTR_MESSAGE_MOST_DATA);
    instr_messages_start(&messages, INSTR_MESSAGES_CLIENT_SENDS);
    instr_messages_add(&messages, header, sizeof header);
    ck_assert_int_eq(instr_messages_next(&messages, &message), 0);
    ck_assert_uint_lt(messages.capacity, 4096);
    instr_messages_free(&messages);
}
END_TEST

START_TEST(words_end_each_with_a_nul) {
    const char *words[INSTR_MESSAGE_WORDS];
    char many[2 * INSTR_MESSAGE_WORDS + 2];
    struct instr_message message = {INSTR_MESSAGE_COMMAND, 9, (const uint8_t *)"enable\0\0a"};
    ck_assert_int_eq(instr_message_words(&message, words), -1);
    message.length = 8;
    ck_assert_int_eq(instr_message_words(&message, words), 2);
    ck_assert_str_eq(words[0], "enable");
    ck_assert_str_eq(words[1], "");
    message.length = 0;
    ck_assert_int_eq(instr_message_words(&message, words), -1);
    for (size_t i = 0; i < sizeof many; i += 2) memcpy(many + i, "x", 2);
    message.payload = (const uint8_t *)many;
    message.length = 2 * INSTR_MESSAGE_WORDS;
    ck_assert_int_eq(instr_message_words(&message, words), INSTR_MESSAGE_WORDS);
    message.length += 2;
    ck_assert_int_eq(instr_message_words(&message, words), -1);
}
END_TEST

START_TEST(a_greeting_is_recognized) {
    uint8_t payload[INSTR_MESSAGE_HELLO_SIZE];
    struct instr_message message = {INSTR_MESSAGE_HELLO, sizeof payload, payload};
    static const struct {
        unsigned lowest, highest;
        int known;
    } offers[] = {{1, 1, 1}, {1, 9, 1}, {0, 1, 1}, {2, 3, 0}, {0, 0, 0}, {9, 1, 0}};
    memcpy(payload, INSTR_MESSAGE_MAGIC, 8);
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        instr_message_put(payload + 8, offers[i].lowest, 2);
        instr_message_put(payload + 10, offers[i].highest, 2);
        ck_assert_int_eq(instr_message_hello(&message), offers[i].known);
    }
    message.length--;
    ck_assert_int_eq(instr_message_hello(&message), -1);
    message.length++;
    payload[7] = 'x';
    ck_assert_int_eq(instr_message_hello(&message), -1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("message");
    TCase *cases = tcase_create("message");
    tcase_add_test(cases, frames_come_out_whatever_the_pieces_are);
    tcase_add_test(cases, what_is_too_long_or_unknown_is_refused_by_its_header);
    tcase_add_test(cases, memory_follows_what_came_not_what_is_claimed);
    tcase_add_test(cases, words_end_each_with_a_nul);
    tcase_add_test(cases, a_greeting_is_recognized);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
