// Verification, of classes whose structure holds and of others. What the caller knows of other
// classes only refuses: with nothing assignable no more verifies than with everything, and not
// knowing is the same as yes, and as no caller to ask.

#include "tests/fuzz/fuzz.h"

#include "classfile/verify.h"

static int answer(void *context, struct cf_slice from, struct cf_slice to) {
    MUST(from.bytes && to.bytes);
    return *(const int *)context;
}

static enum cf_status verify(const uint8_t *data, size_t size, cf_assignable *ask, int assignable,
                             char *text, size_t text_size) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_verify_failure failure;
    text[0] = '\0';
    fuzz_arena(&arena);
    enum cf_status status = cf_class_open(&cls, data, size, &arena);
    if (status == CF_OK) {
        status = cf_verify_class(&cls, ask, &assignable, &failure);
        if (status != CF_OK) {
            MUST(failure.error.status == status && failure.error.reason);
            cf_verify_text(&cls, &failure, text, text_size);
            MUST(text[0] && memchr(text, '\0', text_size));
        }
    }
    cf_arena_free(&arena);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[300], careful[300];
    enum cf_status no = verify(data, size, answer, 0, text, sizeof text),
                   unknown = verify(data, size, answer, -1, careful, sizeof careful);
    MUST(no != CF_OK || unknown == CF_OK);
    MUST(verify(data, size, answer, 1, text, sizeof text) == unknown);
    MUST(verify(data, size, NULL, 0, text, sizeof text) == unknown);
    MUST(strcmp(text, careful) == 0);
    return 0;
}
