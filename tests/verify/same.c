// What is shown of rewritten methods by comparing them with the original (classfile/rewritten/verify_delta.h)
// must be so: same PASSES ROUNDS SEED PERCENT DIR. Every class below DIR is rewritten. Of which
// methods that is shown they must pass the full check, and they must be PERCENT of all. Then each
// is broken ROUNDS times, where something was put in or moved: what is shown of it even so must
// pass the full check, too, if the original does.

#include "tests/class_file.h"
#include "tests/verify/breaking.h"

static int look_at(struct cf_same *s, uint32_t i);
#define cf_same_method(same, i) look_at(same, i)
#include "instr/engine/rewrite_class.c"
#undef cf_same_method

static unsigned rounds;
static struct instr_engine *engine;
static struct cf_verifier *now, *was; // of the class at hand, and as it was
static unsigned long methods, shown, mutants, refused, shown_of_mutants, wrong;

static void complain(const struct cf_same *s, const char *what, const char *text) {
    struct cf_slice name = cf_this_name(s->view);
    printf("%s: %.*s.%s\n", what, (int)name.length, (const char *)name.bytes, text);
    wrong++;
}

static void try_mutants(struct cf_same *s, struct cf_verifier *v, uint32_t i) {
    const struct cf_member *m = &s->view->methods[i];
    uint32_t length = cf_be4(s->view->bytes + m->code + 2) + 6;
    struct target t = {s, s->v->code, (uint8_t *)(uintptr_t)s->view->bytes};
    uint8_t *saved = malloc(length);
    char text[600] = "";
    if (!saved) exit(2);
    memcpy(saved, t.bytes + m->code, length);
    for (unsigned round = 0; round < rounds; round++) {
        for (uint32_t k = 1 + (draw(3) == 0); k > 0; k--) break_method(&t);
        mutants++;
        int is_shown = cf_same_method(s, i);
        int is_good = breaking_passes(s, v, i, text, sizeof text);
        refused += !is_good;
        shown_of_mutants += is_shown != 0;
        if (is_shown && !is_good) complain(s, "shown of what is broken", text);
        memcpy(t.bytes + m->code, saved, length);
        cf_same_method(s, i); // the places are those of the method again
    }
    free(saved);
}

// Instead of cf_same_method in the engine.
static int look_at(struct cf_same *s, uint32_t i) {
    struct cf_verify_failure failure;
    char text[600] = "";
    if (!now) now = cf_verifier_new(s->view, NULL, NULL);
    if (!was) was = cf_verifier_new(s->rewrite->cls, NULL, NULL);
    if (!now || !was) exit(2);
    methods++;
    if (!cf_same_method(s, i)) {
        if (getenv("SAME_TELLS")) {
            struct cf_slice n = cf_this_name(s->view),
                            m = cf_member_name(s->view, &s->view->methods[i]);
            printf("not shown: %.*s.%.*s\n", (int)n.length, (const char *)n.bytes, (int)m.length,
                   (const char *)m.bytes);
        }
        return 0;
    }
    shown++;
    if (cf_verify_method(was, &s->rewrite->cls->methods[i], &failure) != CF_OK) return 1;
    if (!breaking_passes(s, now, i, text, sizeof text))
        complain(s, "shown of what does not verify", text);
    try_mutants(s, now, i);
    return 1;
}

// --- classes ---

static void *allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static int each_file(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    size_t length;
    uint8_t *bytes = class_file_read(path, st, type, &length);
    struct instr_origin origin = {.already_verified = 1};
    struct instr_rewritten result;
    if (!bytes) return 0;
    now = was = NULL;
    instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &result);
    free(result.bytes);
    free(result.refused);
    free(bytes);
    return 0;
}

int main(int argc, char **argv) {
    struct instr_options options;
    char error[INSTR_ERROR_SIZE] = "usage: same PASSES ROUNDS SEED PERCENT DIR";
    if (argc != 6 || instr_options_parse(&options, argv[1], error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    rounds = (unsigned)atoi(argv[2]);
    breaking_state ^= (uint64_t)atoll(argv[3]) << 20;
    struct instr_methods *registry = instr_methods_new();
    engine = registry ? instr_engine_new(&options, registry, "java/lang/") : NULL;
    if (!engine || nftw(argv[5], each_file, 32, FTW_PHYS) != 0 || methods == 0) return 2;
    double percent = 100.0 * (double)shown / (double)methods;
    printf("%s: %lu methods, shown of %.2f %%; %lu mutants, %lu refused, shown of %lu; %lu wrong\n",
           argv[1], methods, percent, mutants, refused, shown_of_mutants, wrong);
    instr_engine_free(engine);
    instr_methods_free(registry);
    instr_options_free(&options);
    return wrong || percent < atof(argv[4]);
}
