// How `instr check` checks one class.

#include "instr/cli/commands/check_class.h"
#include "classfile/structure.h"
#include "classfile/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_KEPT = 1 << 20 }; // bytes

static int fail(struct cli_checked *checked, const char *what, const struct cf_error *error) {
    char reason[200];
    snprintf(checked->reason, sizeof checked->reason, "%s: %s", what,
             cf_error_text(error, reason, sizeof reason));
    return -1;
}

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n ? n : 1);
}

// Is the class well-formed even where no JVM looks?
static int is_strict(const struct cf_class *cls) {
    struct cf_error error = {.status = CF_OK};
    return cf_check_structure_strictly(cls, &error) == CF_OK;
}

// Rewriting without an edit must give the same bytes.
static int check_round_trip(struct cf_class *cls, struct cli_checked *checked) {
    struct cf_rewrite rewrite;
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (cf_rewrite_begin(&rewrite, cls) != CF_OK ||
        cf_rewrite_encode(&rewrite, allocate, NULL, &bytes, &length) != CF_OK)
        return fail(checked, "round trip", &cls->error);
    int same = length == cls->length && memcmp(bytes, cls->bytes, length) == 0;
    free(bytes);
    if (same) return 0;
    snprintf(checked->reason, sizeof checked->reason,
             "round trip: the bytes changed although nothing was edited");
    return -1;
}

// Did the code verify before? If not, the passes are not to blame.
static int was_verifiable(struct cli_checker *checker, const uint8_t *bytes, size_t length) {
    struct cf_class cls;
    struct cf_verify_failure failure;
    cf_arena_reset(&checker->arena, ARENA_KEPT);
    return cf_class_open(&cls, bytes, length, &checker->arena) == CF_OK &&
           cf_verify_class(&cls, NULL, NULL, &failure) == CF_OK;
}

// The result must be a class that is as well-formed as the original.
static int check_result(struct cli_checker *checker, const struct instr_rewritten *rewritten,
                        int strict, struct cli_checked *checked) {
    struct cf_verify_failure failure;
    struct cf_class cls;
    struct cf_error error = {.status = CF_OK};
    cf_arena_reset(&checker->arena, ARENA_KEPT);
    if (cf_class_open(&cls, rewritten->bytes, rewritten->length, &checker->arena) != CF_OK)
        return fail(checked, "rewritten", &cls.error);
    enum cf_status status =
        strict ? cf_check_structure_strictly(&cls, &error) : cf_check_structure(&cls, &error);
    if (status != CF_OK) return fail(checked, "rewritten", &error);
    if (cf_verify_class(&cls, NULL, NULL, &failure) == CF_OK) return 0;
    char reason[200];
    snprintf(checked->reason, sizeof checked->reason, "rewritten: does not verify: %s",
             cf_verify_text(&cls, &failure, reason, sizeof reason));
    return -1;
}

static int check_rewriting(struct cli_checker *checker, uint64_t passes, const uint8_t *bytes,
                           size_t length, int strict, struct cli_checked *checked) {
    struct instr_rewritten rewritten = {0};
    struct instr_origin origin = {.excluded_passes = ~passes};
    instr_engine_rewrite_known(checker->engine, &origin, bytes, length, allocate, NULL, &rewritten);
    int result = 0;
    // Classes that a pass does not support are counted as skipped.
    if (rewritten.error.status != CF_OK && rewritten.error.status != CF_UNSUPPORTED)
        result = fail(checked, "rewriting", &rewritten.error);
    else if (rewritten.methods_refused)
        result = fail(checked, "rewriting",
                      &(struct cf_error){.status = CF_UNVERIFIABLE,
                                         .reason = "rewritten code would not verify"});
    else if (rewritten.bytes)
        result = check_result(checker, &rewritten, strict, checked);
    if (result != 0 && (rewritten.bytes || rewritten.refused) &&
        !was_verifiable(checker, bytes, length))
        result = 0;
    free(rewritten.bytes);
    free(rewritten.refused);
    return result;
}

// The passes that have the class in scope, a bit for each. Without any scope that is each class.
static uint64_t matching_passes(const struct instr_options *options, const struct cf_class *cls) {
    struct cf_slice name = cf_this_name(cls);
    uint64_t unlimited = 0;
    for (size_t i = 0; i < options->pass_count; i++)
        if (!options->passes[i].include && !options->passes[i].exclude)
            unlimited |= UINT64_C(1) << i;
    if (!name.bytes) return unlimited;
    return unlimited | instr_scope_passes(options, (const char *)name.bytes, name.length, 0);
}

int cli_check_class(struct cli_checker *checker, const uint8_t *bytes, size_t length,
                    struct cli_checked *checked) {
    struct cf_class cls;
    struct cf_error error = {.status = CF_OK};
    memset(checked, 0, sizeof *checked);
    cf_arena_reset(&checker->arena, ARENA_KEPT);
    if (cf_class_open(&cls, bytes, length, &checker->arena) != CF_OK)
        return fail(checked, "parsing", &cls.error);
    checked->methods = cls.methods_count;
    if (cf_check_structure(&cls, &error) != CF_OK) return fail(checked, "structure", &error);
    if (check_round_trip(&cls, checked) != 0) return -1;
    uint64_t passes = matching_passes(checker->options, &cls);
    checked->matched = passes != 0;
    if (!checked->matched) return 0;
    return check_rewriting(checker, passes, bytes, length, is_strict(&cls), checked);
}
