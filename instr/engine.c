// The engine: one class at a time through all passes. No lock is held while passes run.

#include "instr/engine_job.h"

#include "classfile/lines.h"
#include "classfile/masked.h"
#include "classfile/rewritten.h"
#include "classfile/structure.h"
#include "classfile/verify.h"
#include "classfile/verify_same.h"
#include "instr/engine_book.h"
#include "instr/exec_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ARENA_KEPT ((size_t)1024 * 1024) // bytes that an idle arena keeps for the next class
// What a class may take while it is rewritten: far more than any compiler's. Without a limit a
// small class with many frames of 65,535 locals would take gigabytes.
#define CLASS_MEMORY(length) ((size_t)128 * 1024 * 1024 + 64 * (length))
#define HUGE_METHOD_LIMIT 8000 // HotSpot compiles no method with more bytes of code
#define CODE_LENGTH_AT 10      // in a Code attribute (JVMS 4.7.3)

struct instr_engine {
    const struct instr_options *options;
    struct instr_methods *methods;
    const char *runtime_package;
    int observes_speed; // a pass does: methods past the limit are kept
    int some_are_whole; // the results of some passes must be whole, whatever becomes of others
    int wraps;          // a pass wraps native methods
    int check_input;    // see instr_engine_check_input
    struct instr_book *book;
    pthread_mutex_t lock; // of what follows
    struct instr_coverage *coverage, *own_coverage;
    int one_holder;
    struct work *idle;
};

struct instr_engine *instr_engine_new(const struct instr_options *options,
                                      struct instr_methods *methods, const char *runtime_package) {
    return instr_engine_new_after(options, methods, runtime_package, NULL);
}

struct instr_engine *instr_engine_new_after(const struct instr_options *options,
                                            struct instr_methods *methods,
                                            const char *runtime_package,
                                            const struct instr_engine *before) {
    struct instr_engine *engine = calloc(1, sizeof *engine);
    struct instr_book *book = before ? before->book : instr_book_new();
    if (before) instr_book_take(book);
    if (!engine || !book) {
        free(engine);
        if (book) instr_book_close(book);
        return NULL;
    }
    engine->book = book;
    engine->options = options;
    engine->methods = methods;
    engine->runtime_package = runtime_package;
    size_t whole = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        unsigned flags = options->passes[i].pass->flags;
        whole += flags & RW_WHOLE ? 1 : 0;
        engine->wraps |= options->passes[i].pass->wraps != NULL;
        engine->observes_speed |= flags & RW_OBSERVES_SPEED && !(flags & RW_WHOLE);
    }
    engine->some_are_whole = whole && options->pass_count > 1;
    pthread_mutex_init(&engine->lock, NULL);
    return engine;
}

void instr_engine_free(struct instr_engine *engine) {
    if (!engine) return;
    while (engine->idle) {
        struct work *work = engine->idle;
        engine->idle = work->next;
        cf_arena_free(&work->arena);
        free(work);
    }
    instr_coverage_free(engine->own_coverage);
    instr_book_close(engine->book);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

void instr_engine_one_holder(struct instr_engine *engine) {
    engine->one_holder = 1;
}

void instr_engine_set_coverage(struct instr_engine *engine, struct instr_coverage *coverage) {
    engine->coverage = coverage;
}

struct instr_coverage *instr_engine_coverage(struct instr_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    struct instr_coverage *coverage = engine->coverage;
    pthread_mutex_unlock(&engine->lock);
    return coverage;
}

static struct instr_coverage *coverage_of(struct instr_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    if (!engine->coverage) engine->coverage = engine->own_coverage = instr_coverage_new(NULL);
    struct instr_coverage *coverage = engine->coverage;
    pthread_mutex_unlock(&engine->lock);
    return coverage;
}

void instr_engine_check_input(struct instr_engine *engine) {
    engine->check_input = 1;
}

struct instr_methods *instr_engine_methods(const struct instr_engine *engine) {
    return engine->methods;
}

int instr_engine_pass(const struct instr_engine *engine, const char *name) {
    for (size_t i = 0; i < engine->options->pass_count; i++)
        if (strcmp(engine->options->passes[i].pass->name, name) == 0)
            return (int)engine->options->passes[i].number;
    return -1;
}

static struct work *take_work(struct instr_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    struct work *work = engine->idle;
    if (work) engine->idle = work->next;
    pthread_mutex_unlock(&engine->lock);
    if (work) return work;
    size_t n = engine->options->pass_count;
    work = calloc(1, sizeof *work + n * sizeof *work->callees);
    if (work) cf_arena_init(&work->arena);
    return work;
}

static void put_work(struct instr_engine *engine, struct work *work) {
    cf_arena_reset(&work->arena, ARENA_KEPT);
    pthread_mutex_lock(&engine->lock);
    work->next = engine->idle;
    engine->idle = work;
    pthread_mutex_unlock(&engine->lock);
}

static void remember_reason(struct instr_engine *engine, const struct cf_class *cls,
                            const struct cf_member *method, const char *reason, int pass) {
    struct cf_slice m = {NULL, 0}, d = {NULL, 0};
    if (method) {
        m = cf_member_name(cls, method);
        d = cf_member_descriptor(cls, method);
    }
    instr_book_keep(engine->book, cf_this_name(cls), m, d, reason, pass);
}

static void remember_kept(struct instr_engine *engine, const struct cf_class *cls,
                          const struct cf_member *method, const struct cf_error *error) {
    char reason[256];
    remember_reason(engine, cls, method, cf_error_text(error, reason, sizeof reason), -1);
}

void instr_job_remember(struct job *job, const struct cf_member *method, const char *reason,
                        int pass) {
    remember_reason(job->engine, &job->cls, method, reason, pass);
}

// The cursor of the class at hand. False: out of memory.
static int find_cursor(struct job *job) {
    if (job->cursor.class_name) return 1;
    struct cf_slice name = cf_this_name(&job->cls);
    if (!name.bytes) return 0;
    job->cursor = instr_methods_begin(job->engine->methods, (const char *)name.bytes, name.length);
    return job->cursor.class_name != 0;
}

// The name that the application knows: without what wrapping passes put in front of it.
static struct cf_slice own_name(const struct job *job, const struct cf_member *method) {
    struct cf_slice name = cf_member_name(&job->cls, method);
    char prefix[INSTR_PREFIX_SIZE];
    for (int i = job->wrapping - 1; i >= 0; i--) {
        const struct rw_pass *pass = job->engine->options->passes[i].pass;
        uint32_t n = (uint32_t)strlen(instr_native_prefix(pass, prefix));
        if (!pass->wraps || name.length <= n || memcmp(name.bytes, prefix, n) != 0) continue;
        name.bytes += n;
        name.length -= n;
    }
    return name;
}

// rw_class.method_id
static int method_id(struct rw_class *pass, const struct cf_member *method) {
    struct job *job = pass->engine;
    unsigned i = (unsigned)(pass - job->passes);
    if (job->ids[i] >= 0) return job->ids[i];
    struct cf_slice name = own_name(job, method),
                    descriptor = cf_member_descriptor(&job->cls, method);
    if (!find_cursor(job) || !name.bytes || !descriptor.bytes) return -1;
    job->ids[i] = instr_methods_id_next(
        job->engine->methods, job->engine->options->passes[i].number, &job->cursor,
        (const char *)name.bytes, name.length, (const char *)descriptor.bytes, descriptor.length);
    return job->ids[i];
}

// rw_class.site_id
static int site_id(struct rw_class *pass, const struct cf_edit *edit, uint32_t pc,
                   struct cf_slice detail) {
    struct job *job = pass->engine;
    struct cf_slice name = cf_member_name(&job->cls, edit->method),
                    descriptor = cf_member_descriptor(&job->cls, edit->method);
    if (!job->lines) job->lines = cf_lines(&edit->code);
    if (!find_cursor(job) || !name.bytes || !descriptor.bytes || !detail.bytes || !job->lines ||
        pc >= edit->code.length)
        return -1;
    struct instr_site site = {pc, job->lines[pc], (const char *)detail.bytes, detail.length};
    unsigned number = job->engine->options->passes[pass - job->passes].number;
    return instr_methods_site_next(job->engine->methods, number, &job->cursor,
                                   (const char *)name.bytes, name.length,
                                   (const char *)descriptor.bytes, descriptor.length, &site);
}

// rw_class.probes
static int64_t probes_of(struct rw_class *pass, uint32_t count, int of_file) {
    struct job *job = pass->engine;
    struct instr_coverage *coverage = coverage_of(job->engine);
    struct cf_slice name = cf_this_name(&job->cls);
    const struct instr_origin *origin = &job->origin;
    if (!coverage || !name.bytes) return -1;
    struct instr_covered_class covered = {.count = count};
    covered.id = of_file ? instr_exec_class_id(origin->file, origin->file_length)
                         : instr_exec_class_id(job->bytes, job->length);
    if (origin->file && !of_file)
        covered.file_id = instr_exec_class_id(origin->file, origin->file_length);
    return instr_coverage_reserve(coverage, &covered, (const char *)name.bytes, name.length);
}

// rw_class.imply
static int imply(struct rw_class *pass, uint32_t first, const struct rw_implications *implied) {
    struct job *job = pass->engine;
    return instr_coverage_imply(coverage_of(job->engine), first, implied->list, implied->count);
}

// rw_class.probe_counter
static int probe_counter(struct rw_class *pass, const struct cf_edit *edit, uint32_t number) {
    struct job *job = pass->engine;
    char detail[16];
    struct cf_slice text = {(const uint8_t *)detail, 0};
    text.length = (uint32_t)snprintf(detail, sizeof detail, "%u", number);
    int id = site_id(pass, edit, 0, text);
    if (id >= 0) instr_coverage_set_counter(coverage_of(job->engine), number, id);
    return id;
}

// rw_class.option
static const char *option_of(const struct rw_class *pass, const char *key) {
    const struct job *job = pass->engine;
    return instr_pass_option(&job->engine->options->passes[pass - job->passes], key);
}

// Constants that went with a failed method must not be used by the next one.
static void forget_callees(struct job *job) {
    size_t n = job->engine->options->pass_count;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < RW_REFS; k++)
            if (job->passes[i].callees[k].methodref >= job->rewrite.pool.count)
                memset(&job->passes[i].callees[k], 0, sizeof job->passes[i].callees[k]);
}

// Does pass i leave the class alone?
static int is_without(const struct job *job, size_t i) {
    return job->origin.without >> i & 1;
}

// Which passes edit a method: all, or those alone whose results must be whole; and whether it has
// to stay small enough to be compiled, where the options want that.
enum who { ALL_PASSES = 0, WHOLE_PASSES = 1, HOWEVER_LONG = 2 };

static int takes_part(const struct rw_pass *pass, enum who who) {
    return !(who & WHOLE_PASSES) || pass->flags & RW_WHOLE;
}

// A pass that wraps native methods edits their wrappers and nothing else, and does so alone.
static int has_turn(const struct job *job, size_t i) {
    return job->engine->options->passes[i].pass->wraps ? job->wrapping == (int)i
                                                       : job->wrapping < 0;
}

// *failed: the pass that gave up; NULL: none did, it is what they came to together.
static enum cf_status run_passes(struct job *job, struct cf_edit *edit, enum who who,
                                 const struct rw_pass **failed) {
    const struct instr_engine *engine = job->engine;
    const struct instr_options *options = engine->options;
    if (!(who & HOWEVER_LONG) && engine->observes_speed && !options->huge &&
        edit->code.length <= HUGE_METHOD_LIMIT)
        edit->code_limit = HUGE_METHOD_LIMIT;
    job->lines = NULL;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct rw_pass *pass = options->passes[i].pass;
        job->ids[i] = -1;
        if (!has_turn(job, i) || !takes_part(pass, who) || is_without(job, i) ||
            job->gave_up >> i & 1)
            continue;
        edit->nesting = (int32_t)i;
        enum cf_status status = pass->edit(&job->passes[i], edit);
        if (status != CF_OK) {
            cf_fail(&edit->error, status, 0, "the pass gave no reason", 0);
            cf_edit_abandon(edit);
            *failed = pass;
            return status;
        }
    }
    return cf_edit_commit(edit);
}

// It was not the machine that had no more memory.
static void name_limit(const struct job *job, struct cf_error *error) {
    if (error->status == CF_NO_MEMORY && job->cls.arena->limited)
        error->reason = "would take too much memory to rewrite";
}

// "calls, timing: would grow to 8,100 bytes (limit 8,000)": whose snippets the method has to do
// without. When all passes have to, and none gave up by itself, none is named.
static void remember_left_out(struct job *job, const struct cf_member *method, enum who left,
                              const struct rw_pass *failed, const struct cf_error *error) {
    const struct instr_options *options = job->engine->options;
    char reason[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < options->pass_count && options->pass_count > 1; i++) {
        const struct rw_pass *pass = options->passes[i].pass;
        if (!has_turn(job, i)) continue;
        int stays = takes_part(pass, WHOLE_PASSES) && !(job->gave_up >> i & 1);
        if (left & WHOLE_PASSES ? stays : pass != failed) continue;
        int w = snprintf(reason + n, sizeof reason - n, "%s%s", n ? ", " : "", pass->name);
        if (w < 0 || (size_t)w >= sizeof reason / 2 - n) break; // the reason needs room too
        n += (size_t)w;
    }
    if (n) n += (size_t)snprintf(reason + n, sizeof reason - n, ": ");
    cf_error_text(error, reason + n, sizeof reason - n);
    remember_reason(job->engine, &job->cls, method, reason, -1);
    job->result->methods_kept++;
}

static enum cf_status attempt(struct job *job, const struct cf_member *method, enum who who,
                              struct cf_edit **edit, const struct rw_pass **failed) {
    *failed = NULL;
    enum cf_status status = cf_edit_begin(&job->rewrite, method, edit);
    if (status == CF_OK) status = run_passes(job, *edit, who, failed);
    if (status == CF_OK) return status;
    forget_callees(job);
    if (*edit) name_limit(job, &(*edit)->error);
    return status;
}

// A method that a JVM would never compile any more.
static void note_huge(struct job *job, const struct cf_edit *edit) {
    const struct cf_new_code *code = &job->rewrite.code[edit->method - job->cls.methods];
    uint32_t n = code->length ? cf_be4(job->rewrite.out.bytes + code->at + CODE_LENGTH_AT) : 0;
    job->result->methods_grown += n > HUGE_METHOD_LIMIT && edit->code.length <= HUGE_METHOD_LIMIT;
}

// From now on the method is done without this pass. False: no other is left whose results must be
// whole.
static int give_up(struct job *job, const struct rw_pass *failed) {
    const struct instr_options *options = job->options;
    int left = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++) {
        if (options->passes[i].pass == failed) job->gave_up |= UINT64_C(1) << i;
        left |= has_turn(job, i) && takes_part(options->passes[i].pass, WHOLE_PASSES) &&
                !is_without(job, i) && !(job->gave_up >> i & 1);
    }
    return left;
}

// The method with all passes' snippets; when that cannot be, with those alone of the passes whose
// results must be whole; or as it was. Where these make it too long for a compiler, whatever is
// left out, the others may come along.
void instr_job_method(struct job *job, const struct cf_member *method) {
    static const struct cf_error no_memory = {CF_NO_MEMORY, 0, 0, "out of memory", 0};
    static const enum who next[] = {WHOLE_PASSES, ALL_PASSES | HOWEVER_LONG,
                                    WHOLE_PASSES | HOWEVER_LONG};
    struct cf_edit *edit;
    const struct rw_pass *failed, *first_failed;
    uint32_t changed = job->rewrite.methods_changed;
    job->gave_up = 0;
    if (attempt(job, method, ALL_PASSES, &edit, &failed) != CF_OK) {
        struct cf_error first = edit ? edit->error : no_memory;
        first_failed = failed;
        int is_long = first.status == CF_LIMIT && !failed && edit->code_limit == HUGE_METHOD_LIMIT;
        unsigned i = is_long ? 0 : 2;
        while (job->engine->some_are_whole && i < 3 &&
               attempt(job, method, next[i], &edit, &failed) != CF_OK)
            if (i < 2 || !failed || !give_up(job, failed)) i++;
        if (!job->engine->some_are_whole || i == 3) {
            remember_left_out(job, method, ALL_PASSES, first_failed, &first);
            return;
        }
        if (next[i] & WHOLE_PASSES) remember_left_out(job, method, WHOLE_PASSES, NULL, &first);
    }
    if (job->rewrite.methods_changed == changed) return;
    note_huge(job, edit);
    if (!edit->constructor) return;
    for (size_t i = 0; i < job->engine->options->pass_count; i++)
        if (job->ids[i] >= 0)
            instr_methods_set_initialized_pc(job->engine->methods, job->ids[i],
                                             edit->constructed_pc);
}

// When a pass wants that. What a JVM would refuse in the parts that go with the subroutines must
// not be hidden from it.
static enum cf_status inline_subroutines(struct job *job) {
    const struct instr_options *options = job->engine->options;
    struct cf_error *error = &job->cls.error;
    unsigned flags = 0;
    if (job->cls.major_version > 50 || job->wrapping >= 0) return CF_OK;
    for (size_t i = 0; i < options->pass_count; i++)
        if (!is_without(job, i)) flags |= options->passes[i].pass->flags;
    if (!(flags & RW_INLINED)) return CF_OK;
    CF_TRY(cf_inline_subroutines(&job->cls, &job->inlined, error));
    if (!job->inlined.bytes) return CF_OK;
    if (job->engine->check_input) CF_TRY(cf_check_structure(&job->cls, error));
    return cf_class_open(&job->cls, job->inlined.bytes, job->inlined.length, job->cls.arena);
}

// The class file, for passes that want to know it. One that does not hold is none.
static void open_file(struct job *job) {
    struct cf_class *file = &job->file;
    struct cf_arena *arena = job->cls.arena;
    enum cf_status status = cf_class_open(file, job->origin.file, job->origin.file_length, arena);
    if (status == CF_OK) status = cf_inline_subroutines(file, &job->file_inlined, &file->error);
    if (status == CF_OK && job->file_inlined.bytes)
        status = cf_class_open(file, job->file_inlined.bytes, job->file_inlined.length, arena);
    if (status != CF_OK) memset(file, 0, sizeof *file);
}

enum cf_status instr_job_open(struct job *job, const uint8_t *bytes, size_t length) {
    struct cf_arena *arena = &job->work->arena;
    size_t n = job->engine->options->pass_count;
    CF_TRY(cf_class_open(&job->cls, bytes, length, arena));
    job->cls.frames_dropped = job->cls.constants_merged = job->origin.given_back != 0;
    job->bytes = bytes;
    job->length = length;
    CF_TRY(inline_subroutines(job));
    if (job->origin.file) open_file(job);
    CF_TRY(cf_rewrite_begin(&job->rewrite, &job->cls));
    job->passes = cf_arena_zeroed(arena, n, sizeof *job->passes);
    job->ids = cf_arena_alloc(arena, n * sizeof *job->ids);
    if (!job->passes || !job->ids)
        return cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (size_t i = 0; i < n; i++) {
        job->passes[i].rewrite = &job->rewrite;
        job->passes[i].runtime_package = job->engine->runtime_package;
        job->passes[i].one_holder = job->engine->one_holder;
        job->passes[i].method_id = method_id;
        job->passes[i].site_id = site_id;
        job->passes[i].probes = probes_of;
        job->passes[i].imply = imply;
        job->passes[i].probe_counter = probe_counter;
        job->passes[i].option = option_of;
        job->passes[i].inlined = &job->inlined;
        job->passes[i].file = job->file.arena ? &job->file : NULL;
        job->passes[i].file_inlined = &job->file_inlined;
        job->passes[i].beyond = job->origin.beyond >> i & 1;
        job->passes[i].early = job->origin.occasion == INSTR_CLASS_EARLY;
        job->passes[i].engine = job;
        job->passes[i].kept = &job->work->callees[i];
    }
    return CF_OK;
}

static enum cf_status begin_passes(struct job *job) {
    for (size_t i = 0; i < job->engine->options->pass_count; i++) {
        const struct rw_pass *pass = job->engine->options->passes[i].pass;
        if (is_without(job, i) || !has_turn(job, i)) continue;
        enum cf_status status = pass->begin ? pass->begin(&job->passes[i]) : CF_OK;
        if (status != CF_OK)
            return cf_fail(&job->cls.error, status, 0, "the pass gave no reason", 0);
    }
    return CF_OK;
}

// HotSpot verifies no class below MagicAccessorImpl (up to JDK 23): reflection, serialization and
// JDK 8's lambdas generate code there that breaks rules on purpose. These are its direct
// subclasses, and theirs that the JDK generates from.
static int is_never_verified(const struct cf_class *cls) {
    static const char *const names[] = {
#define IN(package)                                                                                \
    package "MagicAccessorImpl", package "MethodAccessorImpl", package "ConstructorAccessorImpl",  \
        package "SerializationConstructorAccessorImpl"
        IN("jdk/internal/reflect/"), IN("sun/reflect/"), "java/lang/invoke/MagicLambdaImpl"
#undef IN
    };
    struct cf_slice super = cf_class_name(cls, cls->super_class);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (super.length == strlen(names[i]) && memcmp(super.bytes, names[i], super.length) == 0)
            return 1;
    return 0;
}

// Nothing that was made here shall give the application a VerifyError: what the JVM would refuse
// it never sees. What could not be checked for want of memory does not pass either.
static int verify_image(struct job *job, const struct image *image) {
    struct instr_rewritten *result = job->result;
    struct cf_verify_failure failure;
    struct cf_class view;
    char reason[400];
    struct cf_verifier *verifier = NULL;
    if (job->engine->options->verify || is_never_verified(&job->cls)) return 1;
    if (cf_rewritten_view(&job->rewrite, image->bytes, image->length, &view) == CF_OK)
        verifier = cf_verifier_new(&view, NULL, NULL);
    if (!verifier) cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    struct cf_same *same =
        verifier && job->origin.trusted ? cf_same_new(&job->rewrite, &view, verifier) : NULL;
    for (uint32_t i = 0; verifier && i < view.methods_count; i++) {
        if (!job->rewrite.code[i].length || (same && cf_same_method(same, i))) continue;
        struct cf_verify_original original = cf_rewritten_original(&job->rewrite, i);
        if (cf_verify_rewritten(verifier, &view.methods[i], &original, &failure) == CF_OK) continue;
        result->methods_refused++;
        enum cf_status status = failure.error.status;
        cf_fail(&job->cls.error, status, 0,
                status == CF_UNVERIFIABLE ? "rewritten code would not verify"
                                          : failure.error.reason,
                0);
        remember_reason(job->engine, &job->cls, &job->cls.methods[i],
                        cf_verify_reason(&failure, "would not verify: ", reason, sizeof reason),
                        -1);
    }
    return job->cls.error.status == CF_OK;
}

static void *from_arena(void *arena, size_t size) {
    return cf_arena_alloc(arena, size);
}

int instr_job_encode(struct job *job, struct image *image) {
    if (!job->rewrite.methods_changed) return 1;
    return cf_rewrite_encode(&job->rewrite, from_arena, job->cls.arena, &image->bytes,
                             &image->length) == CF_OK &&
           verify_image(job, image);
}

// A class that a JVM refuses must still be refused, and for the same reason.
static int masks_error(struct job *job) {
    return job->engine->check_input && !job->origin.trusted_whole && cf_may_mask(&job->rewrite) &&
           cf_check_structure(&job->cls, &job->cls.error) != CF_OK;
}

// Where the result goes.
struct memory {
    void *(*allocate)(void *context, size_t size);
    void *context;
};

// All passes but those that wrap.
static void run_all(struct job *job, struct memory memory) {
    struct instr_rewritten *result = job->result;
    struct image image = {NULL, 0};
    if (begin_passes(job) != CF_OK) return;
    for (uint32_t i = 0; i < job->cls.methods_count; i++)
        if (job->cls.methods[i].code) instr_job_method(job, &job->cls.methods[i]);
    if (job->rewrite.methods_changed && !masks_error(job))
        cf_rewrite_encode(&job->rewrite, memory.allocate, memory.context, &image.bytes,
                          &image.length);
    result->length = image.length;
    if (image.bytes && verify_image(job, &image))
        result->bytes = image.bytes;
    else
        result->refused = image.bytes;
    result->methods_changed = result->bytes ? job->rewrite.methods_changed : 0;
    if (!result->bytes) result->methods_grown = 0;
}

static uint8_t *copy_out(const uint8_t *bytes, size_t length, struct memory memory) {
    uint8_t *copy = bytes ? memory.allocate(memory.context, length) : NULL;
    if (copy) memcpy(copy, bytes, length);
    return copy;
}

// The wrappers on top; what there is so far lies in the arena.
static void wrap_class(struct job *job, const uint8_t *bytes, size_t length, struct memory memory) {
    struct instr_rewritten *result = job->result;
    struct image image = {result->bytes, result->length};
    if (instr_job_wrap(job, bytes, length, &image) != CF_OK &&
        job->origin.occasion == INSTR_CLASS_WRAPPED) {
        image.bytes = NULL; // it must have all that it has
        result->methods_changed = 0;
    }
    result->refused = copy_out(result->refused, result->length, memory);
    result->bytes = copy_out(image.bytes, image.length, memory);
    if (result->bytes) result->length = image.length;
    if (image.bytes && !result->bytes) {
        result->methods_changed = 0;
        cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    }
}

static int has_natives(const struct job *job) {
    if (!job->engine->wraps) return 0;
    for (uint32_t i = 0; i < job->cls.methods_count; i++)
        if (job->cls.methods[i].access_flags & CF_ACC_NATIVE) return 1;
    return 0;
}

static void rewrite_class(struct job *job, const uint8_t *bytes, size_t length,
                          struct memory memory) {
    enum instr_occasion occasion = job->origin.occasion;
    struct memory arena = {from_arena, &job->work->arena};
    if (instr_job_open(job, bytes, length) == CF_OK) {
        int wraps = has_natives(job);
        if (occasion != INSTR_CLASS_EARLY && occasion != INSTR_CLASS_FIRST)
            run_all(job, wraps ? arena : memory);
        if (wraps) wrap_class(job, bytes, length, memory);
    }
    if (job->cls.error.status) {
        name_limit(job, &job->cls.error);
        job->result->error = job->cls.error;
        remember_kept(job->engine, &job->cls, NULL, &job->cls.error);
    }
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add_to_account(struct instr_engine *engine, const struct instr_rewritten *result,
                           size_t length) {
    struct instr_account *a = instr_book_lock(engine->book);
    a->classes_seen++;
    a->classes_matched++;
    a->classes_changed += result->bytes != NULL;
    a->classes_kept += result->error.status != CF_OK;
    a->classes_refused += result->methods_refused != 0;
    a->methods_refused += result->methods_refused;
    a->methods_changed += result->methods_changed;
    a->methods_kept += result->methods_kept;
    a->methods_grown += result->methods_grown;
    a->bytes_in += length;
    a->bytes_out += result->bytes ? result->length : length;
    a->nanoseconds += result->nanoseconds;
    instr_book_unlock(engine->book);
}

void instr_engine_rewrite_known(struct instr_engine *engine, const struct instr_origin *origin,
                                const uint8_t *bytes, size_t length,
                                void *(*allocate)(void *context, size_t n), void *context,
                                struct instr_rewritten *result) {
    memset(result, 0, sizeof *result);
    uint64_t start = now();
    struct work *work = take_work(engine);
    struct job job = {.engine = engine,
                      .options = engine->options,
                      .work = work,
                      .wrapping = -1,
                      .result = result};
    if (origin) job.origin = *origin;
    struct memory memory = {allocate, context};
    if (work) {
        work->arena.limit = CLASS_MEMORY(length);
        rewrite_class(&job, bytes, length, memory);
        put_work(engine, work);
    } else {
        cf_fail(&result->error, CF_NO_MEMORY, 0, "out of memory", 0);
    }
    result->nanoseconds = now() - start;
    add_to_account(engine, result, length);
}

void instr_engine_rewrite(struct instr_engine *engine, const uint8_t *bytes, size_t length,
                          void *(*allocate)(void *context, size_t n), void *context,
                          struct instr_rewritten *result) {
    instr_engine_rewrite_known(engine, NULL, bytes, length, allocate, context, result);
}

void instr_engine_seen(struct instr_engine *engine) {
    instr_book_lock(engine->book)->classes_seen++;
    instr_book_unlock(engine->book);
}

void instr_engine_left_out(struct instr_engine *engine, int refused) {
    struct instr_account *account = instr_book_lock(engine->book);
    account->classes_seen++;
    account->classes_matched++;
    account->classes_over_limit += !refused;
    instr_book_unlock(engine->book);
}

void instr_engine_keep(struct instr_engine *engine, const char *class_name, const char *reason) {
    struct cf_slice name = {(const uint8_t *)class_name, (uint32_t)strlen(class_name)},
                    none = {NULL, 0};
    instr_book_keep(engine->book, name, none, none, reason, -1);
    instr_book_lock(engine->book)->classes_kept++;
    instr_book_unlock(engine->book);
}

struct instr_account instr_engine_account(struct instr_engine *engine) {
    struct instr_account account = *instr_book_lock(engine->book);
    instr_book_unlock(engine->book);
    return account;
}

void instr_engine_kept(struct instr_engine *engine,
                       void (*each)(void *context, const struct instr_kept *kept), void *context) {
    instr_book_each(engine->book, each, context);
}
