// Verification, of classes whose structure holds and of others. What the caller knows of other
// classes only refuses: with nothing assignable no more verifies than with everything, and not
// knowing is the same as yes.

#include "tests/fuzz/fuzz.h"

#include "classfile/verify.h"

static int answer(void *context, struct cf_slice from, struct cf_slice to) {
    MUST(from.bytes && to.bytes);
    return *(const int *)context;
}

static enum cf_status verify(const uint8_t *data, size_t size, int assignable) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_verify_failure failure;
    char text[300];
    fuzz_arena(&arena);
    enum cf_status status = cf_class_open(&cls, data, size, &arena);
    if (status == CF_OK) {
        status = cf_verify_class(&cls, answer, &assignable, &failure);
        if (status != CF_OK) {
            MUST(failure.error.status == status && failure.error.reason);
            cf_verify_text(&cls, &failure, text, sizeof text);
            MUST(text[0] && memchr(text, '\0', sizeof text));
        }
    }
    cf_arena_free(&arena);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum cf_status no = verify(data, size, 0), unknown = verify(data, size, -1);
    MUST(no != CF_OK || unknown == CF_OK);
    MUST(verify(data, size, 1) == unknown);
    return 0;
}
