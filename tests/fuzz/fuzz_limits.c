// Limits of coverage: what parses can be written and parsed again, and compares with any counters; what does not has a reason.

#include "tests/fuzz/fuzz.h"

#include "instr/cli/coverage/limits.h"

#include <string.h>

static char *text_of(const struct cover_limit *limit) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    MUST(out);
    cover_limit_put(limit, out);
    fclose(out);
    return text;
}

static void compare(const struct cover_limit *limit) {
    static const struct cover_count counts[] = {
        {0, 0}, {1, 0}, {0, 1}, {3, 5}, {UINT32_MAX, UINT32_MAX}};
    struct cover_violations violations = {NULL, 0, 0, false};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cover_limit_compare(limit, "x", counts[i], &violations);
    for (size_t i = 0; i < violations.count; i++)
        MUST(violations.list[i].off > 0 && strncmp(violations.list[i].line, "x: ", 3) == 0);
    cover_violations_free(&violations);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cover_limits limits = {NULL, 0, 0};
    char reason[COVER_REASON_SIZE] = "", *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    if (cover_limits_parse(&limits, text, reason) != 0) {
        MUST(limits.count == 0 && reason[0] && memchr(reason, 0, sizeof reason));
    } else {
        MUST(limits.count == 1);
        compare(&limits.list[0]);
        char *once = text_of(&limits.list[0]);
        MUST(cover_limits_parse(&limits, once, reason) == 0);
        char *twice = text_of(&limits.list[1]);
        MUST(strcmp(once, twice) == 0);
        free(once);
        free(twice);
    }
    cover_limits_free(&limits);
    free(text);
    return 0;
}
