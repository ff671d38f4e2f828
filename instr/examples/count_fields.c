// An agent builder's program of its own, on libinstr: a pass of twenty lines, run over a class file.
//
//      cc count_fields.c $(pkg-config --cflags --libs instr) -o count_fields
//      ./count_fields Foo.class Bar.class
//
// It replaces the files in place.
// The pass puts a call of Counter.field() (a class of the builder's own) before every putfield.

#include <rewriters/rewriter.h>

#include <stdio.h>
#include <stdlib.h>

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct cf_callee *counter = &cls->callees[0];
    if (!counter->methodref)
        *counter = cf_callee_new(cls->rewrite, "com/acme/Counter", "field", "()V");
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_call(s, *counter);
    for (uint32_t i = 0; i < edit->code.count; i++)
        if (edit->code.bytes[edit->code.pc[i]] == CF_OP_putfield) cf_insert_before(edit, i, s);
    return edit->error.status;
}

static void *allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

// Rewrites the class in `bytes`; the new one is the caller's. Methods that cannot be edited stay.
static enum cf_status rewrite(const uint8_t *bytes, size_t length, uint8_t **result, size_t *size,
                              struct cf_error *error) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_rewrite rw;
    struct rw_class pass = {.rewrite = &rw};
    cf_arena_init(&arena);
    enum cf_status status = cf_class_open(&cls, bytes, length, &arena);
    if (status == CF_OK) status = cf_rewrite_begin(&rw, &cls);
    for (uint32_t i = 0; status == CF_OK && i < cls.methods_count; i++) {
        struct cf_edit *edit;
        if (!cls.methods[i].code || cf_edit_begin(&rw, &cls.methods[i], &edit) != CF_OK) continue;
        if (edit_method(&pass, edit) == CF_OK)
            cf_edit_commit(edit);
        else
            cf_edit_abandon(edit);
    }
    if (status == CF_OK) status = cf_rewrite_encode(&rw, allocate, NULL, result, size);
    *error = cls.error;
    cf_arena_free(&arena);
    return status;
}

static int rewrite_file(const char *path) {
    static uint8_t bytes[1 << 20];
    char reason[200];
    uint8_t *result = NULL;
    size_t size = 0;
    struct cf_error error;
    FILE *f = fopen(path, "rb");
    if (!f) return perror(path), 1;
    size_t length = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (rewrite(bytes, length, &result, &size, &error) != CF_OK) {
        fprintf(stderr, "%s: %s\n", path, cf_error_text(&error, reason, sizeof reason));
        return 1;
    }
    printf("%s: %zu bytes, now %zu\n", path, length, size);
    f = fopen(path, "wb");
    int failed = !f || fwrite(result, 1, size, f) != size;
    if (f && fclose(f) != 0) failed = 1;
    free(result);
    if (failed) perror(path);
    return failed;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) failed |= rewrite_file(argv[i]);
    return failed;
}
