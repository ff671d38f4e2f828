// coverage: which probes were executed; probes.h says where they are.
//
//      probe:    p[n] = true
//
// p is a static final array of the class InstrProbes<k> in the runtime's package. For compiled code
// the array is a constant, and a probe is one store to a known address. Threads that store to the
// same probe do not slow each other down more than with JaCoCo. Testing the probe first, or
// removing probes that are set, gains next to nothing: 8 threads in loops of calls took 1.87 ns per
// iteration with plain stores, 2.00 ns with a test first, and 1.64 ns without probes
// (tests/bench/run). All classes share the probe arrays, RW_PROBES_PER_HOLDER probes in each. So
// only constants are added to a class: it keeps its schema. Probes that follow from other probes
// have no code (derived.h).

#include "rewriters/rewriter.h"
#include "rewriters/common.h"
#include "rewriters/coverage.h"
#include "rewriters/derived.h"
#include "rewriters/probes.h"
#include "rewriters/test_methods.h"
#include "rewriters/uncovered.h"

#include <stdio.h>
#include <string.h>

struct covered { // a class; rw_class.memory
    uint32_t first, count;
    struct rw_probes *methods; // in file order
    uint32_t *before;          // number of probes before the method's first
    // The implications (derived.h), by method; NULL: not used.
    struct rw_implications *derived;
    uint8_t *needless; // by probe of the class: 1 if it needs no code; NULL: each needs code
};

static enum cf_status find_in_method(struct cf_class *cls, const struct cf_inlined *inlined,
                                     uint32_t i, struct covered *covered) {
    struct cf_code code;
    CF_TRY(cf_code_open(&code, cls, &cls->methods[i], &cls->error));
    CF_TRY(cf_code_scan(&code, &cls->error));
    const uint8_t *returns = inlined->returns ? inlined->returns[i] : NULL;
    CF_TRY(rw_find_probes(&code, returns, &covered->methods[i], &cls->error));
    if (!covered->derived || returns) return CF_OK;
    return rw_find_derived(&code, &covered->methods[i], &covered->derived[i], &cls->error);
}

static enum cf_status find_all(struct cf_class *cls, const struct cf_inlined *inlined,
                               struct covered *covered) {
    covered->methods = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *covered->methods);
    covered->before = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *covered->before);
    if (!covered->methods || !covered->before)
        return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        covered->before[i] = covered->count;
        if (!cls->methods[i].code) continue;
        CF_TRY(find_in_method(cls, inlined, i, covered));
        covered->count += covered->methods[i].count;
    }
    return CF_OK;
}

// The index of the same method in another version of the class; methods_count: there is none.
static uint32_t find_method(const struct cf_class *cls, const struct cf_class *other,
                            const struct cf_member *method, uint32_t guess) {
    for (uint32_t n = 0, i = guess; n < other->methods_count; n++, i++) {
        const struct cf_member *m = &other->methods[i % other->methods_count];
        if (cf_slice_equal(cf_member_name(cls, method), cf_member_name(other, m)) &&
            cf_slice_equal(cf_member_descriptor(cls, method), cf_member_descriptor(other, m)))
            return i % other->methods_count;
    }
    return other->methods_count;
}

static int are_alike(const struct rw_probes *a, const struct rw_probes *b) {
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->list[i].kind != b->list[i].kind || a->list[i].instruction != b->list[i].instruction)
            return 0;
    return 1;
}

// Numbers the probes as in the class file. Returns 0 if they differ: the loaded class is then
// another version.
static int number_as_file(struct rw_class *cls, struct covered *covered) {
    const struct cf_class *opened = cls->rewrite->cls;
    struct cf_class file = *cls->file;
    struct covered whole = {0, 0, NULL, NULL, NULL, NULL};
    uint32_t *before = cf_arena_zeroed(file.arena, opened->methods_count, sizeof *before);
    if (!before || !cf_slice_equal(cf_this_name(opened), cf_this_name(&file)) ||
        find_all(&file, cls->file_inlined, &whole) != CF_OK || whole.count != covered->count)
        return 0;
    for (uint32_t i = 0; i < opened->methods_count; i++) {
        uint32_t k = find_method(opened, &file, &opened->methods[i], i);
        if (k == file.methods_count || !are_alike(&covered->methods[i], &whole.methods[k]))
            return 0;
        before[i] = whole.before[k];
    }
    covered->before = before;
    return 1;
}

uint32_t rw_coverage_probes(const struct cf_class *cls) {
    struct cf_class opened = *cls;
    struct cf_inlined inlined = {NULL, 0, NULL};
    struct covered covered = {0, 0, NULL, NULL, NULL, NULL};
    if (rw_check_uncovered(cls, &opened.error) != CF_OK ||
        cf_inline_subroutines(cls, &inlined, &opened.error) != CF_OK ||
        (inlined.bytes &&
         cf_class_open(&opened, inlined.bytes, inlined.length, cls->arena) != CF_OK) ||
        find_all(&opened, &inlined, &covered) != CF_OK)
        return 0;
    return covered.count;
}

static const struct rw_coverage_service *service_of(const struct rw_class *cls) {
    return cls->service(cls, "coverage");
}

static int is_yes(const struct rw_class *cls, const char *key) {
    const char *value = cls->option(cls, key);
    return value && strcmp(value, "yes") == 0;
}

// If probes are counted, or read by others than the agent, each probe has code.
static enum cf_status ask_for_derived(struct rw_class *cls, struct covered *covered) {
    struct cf_class *opened = cls->rewrite->cls;
    if (service_of(cls)->one_holder || is_yes(cls, "mmap") || is_yes(cls, "counts")) return CF_OK;
    covered->derived =
        cf_arena_zeroed(opened->arena, opened->methods_count, sizeof *covered->derived);
    if (covered->derived) return CF_OK;
    return cf_fail(&opened->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

// Passes the implications to the engine, and omits the code of implied probes.
static enum cf_status use_derived(struct rw_class *cls, struct covered *covered) {
    struct cf_class *opened = cls->rewrite->cls;
    struct rw_implications all = {NULL, 0, 0};
    for (uint32_t i = 0; covered->derived && i < opened->methods_count; i++)
        CF_TRY(rw_add_implications(&all, &covered->derived[i], covered->first + covered->before[i],
                                   opened->arena, &opened->error));
    if (!covered->derived || !service_of(cls)->derive(cls, covered->first, &all) || all.count == 0)
        return CF_OK;
    covered->needless = cf_arena_zeroed(opened->arena, covered->count, 1);
    if (!covered->needless) return cf_fail(&opened->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < all.count; i++)
        covered->needless[all.list[i].probe - covered->first] = 1;
    return CF_OK;
}

static enum cf_status begin(struct rw_class *cls) {
    struct cf_class *opened = cls->rewrite->cls;
    CF_TRY(rw_check_uncovered(opened, &opened->error));
    struct covered *covered = cf_arena_zeroed(opened->arena, 1, sizeof *covered);
    if (!covered) return cf_fail(&opened->error, CF_NO_MEMORY, 0, "out of memory", 0);
    CF_TRY(ask_for_derived(cls, covered));
    CF_TRY(find_all(opened, cls->inlined, covered));
    if (covered->count == 0) return CF_OK;
    int64_t first =
        service_of(cls)->probes(cls, covered->count, cls->file && number_as_file(cls, covered));
    if (first < 0) return cf_fail(&opened->error, CF_LIMIT, 0, "no probes or no memory left", 0);
    covered->first = (uint32_t)first;
    cls->memory = covered;
    return use_derived(cls, covered);
}

// The constant of a probe array's field, or of its method. It is remembered in cls->callees, which
// the engine clears when the constant is rolled back with a method that failed.
static uint16_t holder_of(struct rw_class *cls, uint32_t holder, int called) {
    const struct covered *covered = cls->memory;
    // A class has one of two kinds: few of its methods call if the others do not.
    int kept = !called || is_yes(cls, "mmap");
    uint32_t nth = kept ? holder - covered->first / RW_PROBES_PER_HOLDER : RW_REFS;
    char name[64], field[16] = RW_HOLDER_FIELD;
    if (nth < RW_REFS && cls->callees[nth].methodref) return cls->callees[nth].methodref;
    if (service_of(cls)->one_holder) {
        snprintf(name, sizeof name, "%s" RW_HOLDER_NAME, cls->runtime_package);
        snprintf(field, sizeof field, RW_OFFLINE_FIELD "%u", holder);
    } else {
        snprintf(name, sizeof name, "%s" RW_HOLDER_NAME "%u", cls->runtime_package, holder);
    }
    struct cf_pool *pool = &cls->rewrite->pool;
    uint16_t reference =
        called ? cf_add_reference(pool, CF_TAG_METHODREF, name, RW_HOLDER_METHOD, "(I)V")
               : cf_add_reference(pool, CF_TAG_FIELDREF, name, field, "[Z");
    if (nth < RW_REFS) cls->callees[nth].methodref = reference;
    return reference;
}

static struct cf_snippet *hit(struct rw_class *cls, struct cf_edit *edit, uint32_t number,
                              int called) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint16_t holder = holder_of(cls, number / RW_PROBES_PER_HOLDER, called);
    int32_t index = (int32_t)(number % RW_PROBES_PER_HOLDER);
    if (called) {
        cf_push_int(s, index);
        cf_op_constant(s, CF_OP_invokestatic, holder, 1, 0);
        return s;
    }
    cf_op_constant(s, CF_OP_getstatic, holder, 0, 1);
    cf_push_int(s, index);
    cf_op(s, CF_OP_iconst_1);
    cf_op(s, CF_OP_bastore);
    return s;
}

static void count_hit(struct rw_class *cls, struct cf_edit *edit, struct cf_snippet *s,
                      uint32_t number) {
    int id = service_of(cls)->counter(cls, edit, number);
    char name[64];
    if (id < 0) return; // it is not counted
    snprintf(name, sizeof name, "%sInstrCalls", cls->runtime_package);
    cf_push_int(s, id);
    cf_call(s, cf_callee_new(cls->rewrite, name, "enter", "(I)V"));
}

// Inserts calls of the runtime where a test begins and ends.
static enum cf_status frame_test(struct rw_class *cls, struct cf_edit *edit) {
    static const char *const names[] = {"begin", "end"};
    const struct cf_snippet *calls[2];
    char class_name[64];
    int id;
    CF_TRY(rw_method_id(cls, edit, &id));
    snprintf(class_name, sizeof class_name, "%sInstrTests", cls->runtime_package);
    for (unsigned i = 0; i < 2; i++) {
        struct cf_snippet *s = cf_snippet_new(edit);
        cf_push_int(s, id);
        cf_call(s, cf_callee_new(cls->rewrite, class_name, names[i], "(I)V"));
        calls[i] = s;
    }
    cf_insert_entry(edit, calls[0]);
    cf_insert_exits(edit, calls[1]);
    cf_insert_thrown(edit, calls[1]);
    return edit->error.status;
}

// The agent's half has found them; NULL: it has none.
static const struct rw_test_types *types_of(const struct rw_class *cls) {
    const uint64_t *note = cls->service(cls, "note");
    return note ? (const struct rw_test_types *)(uintptr_t)*note : NULL;
}

// A store takes 8 bytes, a call 6: calls are used if stores could make the method too large. Such a
// method is not compiled in either case.
static int is_tight(const struct rw_class *cls, const struct cf_edit *edit, uint32_t probes) {
    enum { STORE = 8, MORE = 5, LARGEST = 65535 }; // MORE: for an edge or a widened branch
    return !service_of(cls)->one_holder &&
           edit->code.length + (uint64_t)probes * (STORE + MORE) > LARGEST;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    const struct covered *covered = cls->memory;
    if (!covered || rw_leave_alone(edit)) return CF_OK;
    size_t method = (size_t)(edit->method - cls->rewrite->cls->methods);
    const struct rw_probes *probes = &covered->methods[method];
    uint32_t number = covered->first + covered->before[method];
    const char *tests = cls->option(cls, "per-test");
    int counts = is_yes(cls, "counts");
    int called = is_yes(cls, "mmap") || is_tight(cls, edit, probes->count);
    if (tests && rw_is_test_method(tests, cls->rewrite->cls, edit->method, types_of(cls)))
        CF_TRY(frame_test(cls, edit));
    for (uint32_t i = 0; i < probes->count; i++) {
        const struct rw_probe *probe = &probes->list[i];
        if (covered->needless && covered->needless[number + i - covered->first]) continue;
        struct cf_snippet *s = hit(cls, edit, number + i, called);
        if (counts) count_hit(cls, edit, s, number + i);
        switch (probe->kind) {
        case RW_PROBE_FALL: cf_insert_after(edit, probe->instruction - 1, s); break;
        case RW_PROBE_END: cf_insert_before(edit, probe->instruction, s); break;
        case RW_PROBE_EDGE: cf_insert_edge(edit, probe->instruction, probe->target, s); break;
        }
    }
    return edit->error.status;
}

static const struct rw_option options[] = {
    {"append", "yes|no", "append to an existing file, as JaCoCo does; no: overwrite it"},
    {"session", "ID", "session id in the file; default: host name and a random number"},
    {"nolocation", "no|yes",
     "include classes without a source location, such as proxies and generated code"},
    {"bootstrap", "yes|no", "include classes of the bootstrap loader that include= names"},
    {"mmap", "no|yes|flush",
     "keep the probes in a file, FILE.PID.map (or FILE.PID-2.map if that exists), which survives "
     "when the JVM is killed; 'instr coverage recover' turns it into FILE; yes: the file is "
     "mapped, "
     "and truncating it can kill the JVM; flush: copy the probes there ten times a second, which "
     "costs less"},
    {"counts", "no|yes",
     "also count how often each probe is executed, and write the counts to FILE.counts (JSON)"},
    {"per-test", "TESTS",
     "record the coverage of each test as a session of its own in FILE-tests.exec; tests are the "
     "test methods of junit4, junit5, testng, or CLASSES#METHODS"},
    {"html", "PATH",
     "for 'instr run' only, which makes pages when the command has ended, as 'instr coverage "
     "report "
     "--html' does"},
    {NULL, NULL, NULL},
};

const struct rw_pass rw_pass_coverage = {
    .name = "coverage",
    .event_ns = 1,
    .compile_percent = 40,
    .help = "covered lines and branches, in the file format of JaCoCo and its report tools",
    .flags = RW_COMPLETE | RW_NO_TABLE | RW_INLINED,
    .options = options,
    .agent_options = (const char *const[]){"mmap", "counts", "per-test", "html", NULL},
    .file_help =
        "write the coverage to FILE at exit and on SIGQUIT; default jacoco.exec; %p is the process "
        "id",
    .begin = begin,
    .edit = edit_method,
};
