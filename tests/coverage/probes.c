// Prints the probes of classes, for comparison with JaCoCo's:
//
//      probes [-v] CLASS_FILE_OR_DIRECTORY...
//
// Prints a line for each class that has probes: its id (16 hex digits), name and number of probes;
// with -v below it a line for each method with probes: name, descriptor, and for each probe its
// kind and the instruction's index: F on falling into it, E before it (an end), J on the edge of
// that jump or switch. Errors are printed to standard error, and the exit status is then 1.

#define _XOPEN_SOURCE 700

#include "classfile/inline.h"
#include "instr/coverage/exec_writer.h"
#include "rewriters/probes.h"
#include "tests/class_file.h"

static int verbose, failures;
static struct cf_arena arena;

static void print_method(const struct cf_class *cls, const struct cf_member *method,
                         const struct rw_probes *probes) {
    static const char kinds[] = {
        [RW_PROBE_FALL] = 'F', [RW_PROBE_END] = 'E', [RW_PROBE_EDGE] = 'J'};
    struct cf_slice name = cf_member_name(cls, method), d = cf_member_descriptor(cls, method);
    printf("  %.*s%.*s", (int)name.length, (const char *)name.bytes, (int)d.length,
           (const char *)d.bytes);
    for (uint32_t i = 0; i < probes->count; i++)
        printf(" %c%u", kinds[probes->list[i].kind], probes->list[i].instruction);
    printf("\n");
}

static enum cf_status find(const struct cf_class *cls, const struct cf_member *method,
                           const uint8_t *returns, struct rw_probes *probes,
                           struct cf_error *error) {
    struct cf_code code;
    CF_TRY(cf_code_open(&code, cls, method, error));
    CF_TRY(cf_code_scan(&code, error));
    return rw_find_probes(&code, returns, probes, error);
}

// Opens the class without its subroutines.
static enum cf_status open_inlined(struct cf_class *cls, const uint8_t *bytes, size_t length,
                                   struct cf_inlined *inlined) {
    CF_TRY(cf_class_open(cls, bytes, length, &arena));
    CF_TRY(cf_inline_subroutines(cls, inlined, &cls->error));
    return inlined->bytes ? cf_class_open(cls, inlined->bytes, inlined->length, &arena) : CF_OK;
}

static void print_class(const char *path, const uint8_t *bytes, size_t length) {
    struct cf_class cls;
    char reason[200];
    uint32_t count = 0;
    cf_arena_reset(&arena, 1 << 20);
    struct cf_inlined inlined = {NULL, 0, NULL};
    enum cf_status status = open_inlined(&cls, bytes, length, &inlined);
    struct rw_probes *probes =
        status == CF_OK ? cf_arena_zeroed(&arena, cls.methods_count, sizeof *probes) : NULL;
    for (uint32_t i = 0; status == CF_OK && i < cls.methods_count; i++) {
        const uint8_t *returns = inlined.returns ? inlined.returns[i] : NULL;
        if (cls.methods[i].code)
            status = find(&cls, &cls.methods[i], returns, &probes[i], &cls.error);
        count += probes[i].count;
    }
    if (status != CF_OK) {
        fprintf(stderr, "%s: %s\n", path, cf_error_text(&cls.error, reason, sizeof reason));
        failures++;
    } else if (count > 0) {
        struct cf_slice name = cf_this_name(&cls);
        printf("%016llx %.*s %u\n", (unsigned long long)instr_exec_class_id(bytes, length),
               (int)name.length, (const char *)name.bytes, count);
        for (uint32_t i = 0; verbose && i < cls.methods_count; i++)
            if (probes[i].count) print_method(&cls, &cls.methods[i], &probes[i]);
    }
}

static int visit(const char *path, const struct stat *stat, int type, struct FTW *ftw) {
    size_t length;
    (void)ftw;
    uint8_t *bytes = class_file_read(path, stat, type, &length);
    if (bytes) print_class(path, bytes, length);
    free(bytes);
    return 0;
}

int main(int argc, char **argv) {
    cf_arena_init(&arena);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            verbose = 1;
        } else if (nftw(argv[i], visit, 64, FTW_PHYS) != 0) {
            perror(argv[i]);
            failures++;
        }
    }
    cf_arena_free(&arena);
    return failures > 0;
}
