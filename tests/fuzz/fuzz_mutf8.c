// Modified UTF-8: the check against a table of its own (JVMS 4.4.7), and text on its way to the
// terminal, to JSON.

#include "tests/fuzz/fuzz.h"

#include "classfile/base/mutf8.h"
#include "classfile/text.h"
#include "instr/base/utf8.h"
#include "tests/fuzz/utf8_checker.h"

// The length of the longest well-formed beginning, as the specification's tables say it.
static uint32_t well_formed(const uint8_t *b, uint32_t n) {
    uint32_t i = 0;
    while (i < n) {
        uint32_t left = n - i;
        if (b[i] >= 0x01 && b[i] <= 0x7F)
            i += 1;
        else if (left >= 2 && b[i] == 0xC0 && b[i + 1] == 0x80)
            i += 2;
        else if (left >= 2 && b[i] >= 0xC2 && b[i] <= 0xDF && b[i + 1] >> 6 == 2)
            i += 2;
        else if (left >= 3 && b[i] >> 4 == 0xE && b[i + 1] >> 6 == 2 && b[i + 2] >> 6 == 2 &&
                 (b[i] != 0xE0 || b[i + 1] >= 0xA0))
            i += 3;
        else
            return i;
    }
    return i;
}

static int take(void *context, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) MUST(utf8_checker_take(context, (uint8_t)bytes[i]));
    return 1;
}

static void escape(struct cf_slice slice, int how) {
    struct utf8_checker checker = {0};
    struct cf_text text;
    cf_text_init(&text, take, &checker);
    cf_text_mutf8(&text, slice, how);
    MUST(cf_text_flush(&text) == CF_OK && !checker.missing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t length = size > 65535 ? 65535 : (uint32_t)size;
    uint32_t good = cf_mutf8_check(data, length, 0);
    MUST(good == well_formed(data, length));
    MUST(cf_mutf8_check(data, length, 1) >= good);
    for (uint32_t pos = 0; pos < length;) {
        uint32_t before = pos, unit = cf_mutf8_next(data, length, &pos);
        MUST(pos > before && pos <= length && pos - before <= 3);
        MUST((unit & CF_MUTF8_BAD) ? pos == before + 1 && before >= good : unit <= 0xFFFF);
    }
    struct cf_slice slice = {data, length};
    escape(slice, CF_ESCAPE_UNSAFE);
    escape(slice, CF_ESCAPE_QUOTES);
    const char *p = (const char *)data, *end = p + size;
    struct utf8_checker checker = {0};
    while (p < end) {
        const char *before = p;
        char bytes[4];
        uint32_t c = instr_utf8_next(&p, end);
        MUST(p > before && p <= end && c <= 0x10FFFF && c >> 11 != 0xD800 >> 11);
        size_t n = instr_utf8_put(c, bytes);
        if (c >= 0x20 && c != 0x7F)
            for (size_t i = 0; i < n; i++) MUST(utf8_checker_take(&checker, (uint8_t)bytes[i]));
        MUST(!checker.missing);
    }
    return 0;
}
