// What the tests of the structure check share: checking a class that was built, and a set of
// constants to refer to.

#ifndef TESTS_STRUCTURE_CHECKS_H
#define TESTS_STRUCTURE_CHECKS_H

#include "classfile/code.h"
#include "classfile/structure.h"
#include "tests/unit/rich.h"

#include <check.h>

static struct cf_arena arena;
static struct cf_error error;

static inline void set_up(void) {
    cf_arena_init(&arena);
}
static inline void tear_down(void) {
    cf_arena_free(&arena);
}

enum how { LENIENT, STRICT };

static inline enum cf_status check_bytes(const uint8_t *bytes, size_t length, enum how how) {
    struct cf_class cls;
    cf_arena_reset(&arena, 1 << 20);
    memset(&error, 0, sizeof error);
    enum cf_status status = cf_class_open(&cls, bytes, length, &arena);
    if (status != CF_OK) {
        error = cls.error;
        return status;
    }
    return how == STRICT ? cf_check_structure_strictly(&cls, &error)
                         : cf_check_structure(&cls, &error);
}

// Checks the class that was built, and frees it.
static inline enum cf_status check_built(struct build *b) {
    size_t length;
    uint8_t *bytes = build_finish(b, &length);
    enum cf_status status = check_bytes(bytes, length, LENIENT);
    free(bytes);
    return status;
}

static inline void assert_reason(const char *part) {
    ck_assert_msg(error.status == CF_MALFORMED, "accepted, though: %s", part);
    ck_assert_msg(strstr(error.reason, part) != NULL, "'%s' instead of '%s'", error.reason, part);
}

// --- constants ---

// Constants of the class around the code under test.
enum {
    OBJECT = 4,     // Class java/lang/Object
    ARRAY = 6,      // Class [[I
    FIELD = 10,     // Fieldref A.f:I
    METHOD = 15,    // Methodref A.m:(J)V
    INTERFACE = 16, // InterfaceMethodref A.m:(J)V
    INIT = 20,      // Methodref A.<init>:()V
    INTEGER = 21,   // Integer
    LONG = 22,      // Long
    STRING = 25,    // String
    TYPE = 27       // MethodType
};

static inline void build_code_constants(struct build *b) {
    build_class(b, "[[I"); // 5 6
    unsigned owner = 2;
    build_utf8(b, "f"), build_utf8(b, "I");                                   // 7 8
    build_pair(b, CF_TAG_NAME_AND_TYPE, 7, 8);                                // 9
    build_pair(b, CF_TAG_FIELDREF, owner, 9);                                 // 10
    build_utf8(b, "m"), build_utf8(b, "(J)V");                                // 11 12
    build_pair(b, CF_TAG_NAME_AND_TYPE, 11, 12);                              // 13
    build_utf8(b, "unused");                                                  // 14
    build_pair(b, CF_TAG_METHODREF, owner, 13);                               // 15
    build_pair(b, CF_TAG_INTERFACE_METHODREF, owner, 13);                     // 16
    build_utf8(b, "<init>"), build_utf8(b, "()V");                            // 17 18
    build_pair(b, CF_TAG_NAME_AND_TYPE, 17, 18);                              // 19
    build_pair(b, CF_TAG_METHODREF, owner, 19);                               // 20
    build_constant(b, CF_TAG_INTEGER, 1, 4);                                  // 21
    build_constant(b, CF_TAG_LONG, 1, 8);                                     // 22 23
    build_utf8(b, "text"), build_constant(b, CF_TAG_STRING, 24, 2);           // 24 25
    build_utf8(b, "()I");                                                     // 26
    if (b->major_version >= 51) build_constant(b, CF_TAG_METHOD_TYPE, 26, 2); // 27
}

#endif
