// Attributes: the check of the structure, and printing. What holds strictly, in a class new enough
// for every attribute to have its meaning, prints without an error; whatever is printed is
// well-formed UTF-8 without control characters.

#include "tests/fuzz/fuzz.h"

#include "classfile/print.h"
#include "classfile/structure.h"
#include "tests/fuzz/utf8_checker.h"

struct printed {
    struct utf8_checker checker;
    size_t length;
};

static int take(void *context, const char *bytes, size_t length) {
    struct printed *printed = context;
    for (size_t i = 0; i < length; i++)
        MUST(utf8_checker_take(&printed->checker, (uint8_t)bytes[i]));
    printed->length += length;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_error error = {0}, strict = {0};
    struct cf_text text;
    struct printed printed = {0};
    fuzz_arena(&arena);
    int clean = 0;
    if (cf_class_open(&cls, data, size, &arena) == CF_OK) {
        int holds = cf_check_structure(&cls, &error) == CF_OK;
        MUST(holds == (error.status == CF_OK) && error.offset <= size);
        int strictly = cf_check_structure_strictly(&cls, &strict) == CF_OK;
        MUST(!strictly || holds);
        clean = strictly && cls.major_version >= 66;
    }
    cf_text_init(&text, take, &printed);
    enum cf_status status = cf_print_class(&cls, &text);
    MUST(!clean || status == CF_OK || status == CF_LIMIT);
    MUST(printed.length <= ((size_t)16 << 20) + 256 * size);
    MUST(status == CF_LIMIT || !printed.checker.missing);
    cf_arena_free(&arena);
    return 0;
}
