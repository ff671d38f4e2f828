// Editing with every pass, alone and with others, the passes of tests/stress among them, through
// the engine, on any occasion. A class whose structure holds still holds afterwards. Which passes,
// and what else is known of the class, is drawn from the bytes.

#include "tests/fuzz/fuzz.h"
#include "tests/passes.h"

#include "classfile/structure.h"
#include "classfile/verify.h"
#include "instr/engine.h"
#include "instr/kit/option.h"
#include "instr/rules/option.h"

#define WATCH "watch,watch.methods=**.*(..)"
static char every[3][PASSES_SIZE];
static const char *const lists[] = {"timing",
                                    "calls",
                                    "alloc",
                                    "alloc,alloc.track=object",
                                    "coverage",
                                    "coverage,coverage.counts=yes",
                                    "coverage,coverage.per-test=junit4",
                                    "exceptions",
                                    "natives",
                                    WATCH,
                                    "stress",
                                    "timing,calls",
                                    "stress,timing,huge=yes",
                                    "natives,again",
                                    every[0],
                                    every[1],
                                    "coverage,exceptions," WATCH,
                                    every[2]};

// Rules, at each place and with each kind of value.
static const char *const rules[] = {
    "rule=**.*(..) entry { @ = count() }",
    "rule=**.*(..) exit /arg0 != null/ { @[arg0\\, result\\, stack(2)] = hist(elapsed) }",
    "rule=**.*(..) throw { @[thrown.getClass()\\, this.value] = count() },exceptions",
    "rule=**.*(..) call **.*(..) { @ms = hist(elapsed); @[result] = sum(arg1.size) },timing",
    "rule=**.*(..) call **.*(..) { @[arg2\\, this] = count() }",
    "rule=**.*(..) line 56 { @[arg0.length()] = last(arg1) },coverage",
    "rule=**.*(..) return { set result = null; metric returned += 1 },allow=set",
    "rule=**.*(..) entry { set arg0 = 7; set arg1 = arg0 },allow=set,calls",
    "rule=**.*(..) entry /rand < 1%/ { return 3 },allow=return,timing,calls",
    "rule=**.*(..) entry { throw java.lang.Error(arg0) },allow=throw,timing,coverage",
    "rule=**.*(..) return { throw java.lang.Error(result) },allow=throw"};

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

// Is what is wrong with the class in the code of a method? More constants, locals and stack may
// hide that.
static int in_code;

static void place(const struct cf_class *cls, const struct cf_error *error) {
    for (uint32_t i = 0; i < cls->methods_count; i++)
        in_code |= cls->methods[i].code && error->offset >= cls->methods[i].code &&
                   error->offset < cls->methods[i].end;
}

// 0: does not open; 1: opens; 2: its structure holds, 3: strictly; 4: and it verifies.
static int holds(const uint8_t *bytes, size_t length) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_error error = {0}, strict = {0};
    struct cf_verify_failure failure;
    int result = 0;
    fuzz_arena(&arena);
    if (cf_class_open(&cls, bytes, length, &arena) == CF_OK) {
        result = 1;
        in_code = 0;
        if (cf_check_structure(&cls, &error) != CF_OK) {
            place(&cls, &error);
        } else {
            result = 2;
            if (cf_check_structure_strictly(&cls, &strict) == CF_OK) result = 3;
            if (result == 3 && cf_verify_class(&cls, NULL, NULL, &failure) == CF_OK) result = 4;
        }
    }
    cf_arena_free(&arena);
    return result;
}

// Wrapped natives change a class of which no method may be edited.
static int has_natives(const uint8_t *bytes, size_t length) {
    struct cf_arena arena;
    struct cf_class cls;
    int found = 0;
    fuzz_arena(&arena);
    if (cf_class_open(&cls, bytes, length, &arena) == CF_OK)
        for (uint32_t i = 0; i < cls.methods_count; i++)
            found |= cls.methods[i].access_flags & CF_ACC_NATIVE;
    cf_arena_free(&arena);
    return found != 0;
}

static void rewrite(const char *list, uint32_t drawn, int checked, const uint8_t *bytes,
                    size_t length, int held) {
    static const enum instr_occasion occasions[] = {INSTR_CLASS_NEW,    INSTR_CLASS_NEW,
                                                    INSTR_CLASS_EARLY,  INSTR_CLASS_FIRST,
                                                    INSTR_CLASS_LOADED, INSTR_CLASS_WRAPPED};
    struct instr_origin origin = {.occasion = occasions[drawn % 6],
                                  .pass_through = drawn / 6 % 8 == 0,
                                  .redefined = drawn / 384 % 2,
                                  .already_verified = drawn / 768 % 2};
    if (drawn / 48 % 4 == 0) { // another agent has changed nothing; or the file is cut off
        origin.file = bytes;
        origin.file_length = drawn / 192 % 2 ? length : length / 2;
    }
    struct instr_options options;
    char text[INSTR_ERROR_SIZE];
    MUST(instr_options_parse(&options, list, text, sizeof text) == 0);
    struct instr_methods *methods = instr_methods_new();
    struct instr_engine *engine = instr_engine_new(&options, methods, "java/lang/");
    MUST(methods && engine);
    if (checked) instr_engine_check_input(engine);
    struct instr_rewritten result;
    instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &result);
    // What the other passes do may fail, and natives be wrapped all the same.
    MUST(result.error.status == CF_OK || !result.bytes || has_natives(bytes, length));
    if (result.bytes) {
        int mendable = in_code, after = holds(result.bytes, result.length);
        MUST(!checked || held >= 2 || after < 2 ||
             mendable); // a broken class is not mended by accident
        MUST(result.methods_changed > 0 || has_natives(bytes, length));
        MUST(after >= (held == 4 ? 4 : 1));
        free(result.bytes);
    }
    // What verified before does so afterwards.
    MUST(!result.refused || held < 4 || result.error.status == CF_NO_MEMORY);
    free(result.refused);
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
}

// A rule, and the advice of the kit at $FUZZ_KIT, if there is one (tests/corpus/run).
static void weave(uint32_t hash, uint32_t drawn, const uint8_t *data, size_t size) {
    static const char *const more[] = {"", ",timing,coverage", ",exceptions,calls"};
    char text[600];
    const char *kit = getenv("FUZZ_KIT");
    // Also tells whether what is wrong is in code: what was rewritten before has changed that.
    int held = holds(data, size);
    if (hash % 4 == 0)
        rewrite(rules[hash / 4 % (sizeof rules / sizeof rules[0])], drawn, 1, data, size, held);
    if (!kit || hash % 4 != 1) return;
    snprintf(text, sizeof text, "kit=%s%s", kit, more[hash / 4 % 3]);
    rewrite(text, drawn, 1, data, size, held);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int has_sources;
    int held = holds(data, size);
    if (!has_sources++) {
        instr_options_add_source(&instr_rule_source);
        instr_options_add_source(&instr_kit_source);
    }
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 16777619u;
    every_pass(0, "", every[0]);
    every_pass(0, ",huge=yes", every[1]);
    every_pass(1, "", every[2]);
    const char *list = lists[(hash >> 8) % (sizeof lists / sizeof lists[0])];
    uint32_t drawn = hash * 0x9E3779B9u >> 12;
    rewrite(list, drawn, 1, data, size, held);
    if (held < 2) rewrite(list, drawn, 0, data, size, held);
    if (hash % 4 < 2) weave(hash, drawn, data, size);
    return 0;
}
