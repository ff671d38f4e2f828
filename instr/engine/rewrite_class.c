// One class, from its bytes to those that the JVM gets.

#include "instr/engine/internal.h"

#include "classfile/rewritten/delta.h"
#include "classfile/rewritten/hidden_errors.h"
#include "classfile/rewritten/rewritten.h"
#include "classfile/structure.h"
#include "classfile/verify.h"

#include <stdio.h>
#include <string.h>

// HotSpot does not verify subclasses of MagicAccessorImpl (up to JDK 23): reflection, serialization
// and JDK 8's lambdas generate code there that breaks rules on purpose. The names are those of its
// direct subclasses, and of the subclasses of these from which the JDK generates classes.
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

// A JVM that refuses a subroutine may accept the inlined form, in which each call has its own copy.
static enum cf_status verify_subroutines(struct job *job) {
    struct cf_class *cls = &job->cls;
    struct cf_verify_failure failure;
    char reason[400];
    struct cf_verifier *verifier = cf_verifier_new(cls, NULL, NULL);
    if (!verifier) return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        if (!job->inlined.returns[i]) continue;
        if (cf_verify_method(verifier, &cls->methods[i], &failure) == CF_OK) continue;
        cf_verify_reason(&failure, "does not verify: ", reason, sizeof reason);
        instr_job_remember(job, &cls->methods[i], reason, -1);
        enum cf_status status = failure.error.status;
        return cf_fail(&cls->error, status, 0,
                       status == CF_UNVERIFIABLE ? "code does not verify" : failure.error.reason,
                       0);
    }
    return CF_OK;
}

// Is the last instruction the call of a subroutine, which then never returns? A look at the last
// bytes saves the scan of most methods.
static enum cf_status look_at_end(const struct cf_class *cls, const struct cf_member *method,
                                  int *calls, struct cf_error *error) {
    struct cf_code code;
    CF_TRY(cf_code_open(&code, cls, method, error));
    const uint8_t *end = code.bytes + code.length;
    int may =
        (code.length >= 3 && end[-3] == CF_OP_jsr) || (code.length >= 5 && end[-5] == CF_OP_jsr_w);
    if (!may) return CF_OK;
    CF_TRY(cf_code_scan(&code, error));
    uint8_t op = code.bytes[code.pc[code.count - 1]];
    *calls |= op == CF_OP_jsr || op == CF_OP_jsr_w;
    return CF_OK;
}

// Up to JDK 17 HotSpot verifies such a class but cannot link it, because its analysis of
// subroutines expects them to return (generateOopMap.cpp). At the next attempt to link, it verifies
// code that it has already rewritten in part, and crashes at the first invoke instruction. The
// original may have none.
static enum cf_status refuse_calls_at_end(struct job *job) {
    struct cf_class *cls = &job->cls;
    int calls = 0;
    if (cls->major_version > 50) return CF_OK;
    for (uint32_t i = 0; i < cls->methods_count && !calls; i++)
        if (cls->methods[i].code) CF_TRY(look_at_end(cls, &cls->methods[i], &calls, &cls->error));
    if (!calls) return CF_OK;
    return cf_fail(&cls->error, CF_UNSUPPORTED, 0,
                   "code that ends with the call of a subroutine, which JVMs may not link", 0);
}

// Goes on with the class without these passes, a bit for each; the reason is in job->cls.error,
// which is cleared. Returns the error if no pass would be left.
CF_SELDOM static enum cf_status leave_out(struct job *job, uint64_t passes) {
    const struct instr_options *options = job->engine->options;
    struct cf_error *error = &job->cls.error;
    uint64_t all =
        options->pass_count < 64 ? (UINT64_C(1) << options->pass_count) - 1 : ~UINT64_C(0);
    uint64_t before = all & ~job->origin.excluded_passes;
    char reason[512] = "";
    size_t n = 0;
    if (error->status == CF_NO_MEMORY || !(before & ~passes)) return error->status;
    for (size_t i = 0; i < options->pass_count && n < sizeof reason / 2; i++)
        if (before & passes & UINT64_C(1) << i)
            n += (size_t)snprintf(reason + n, sizeof reason - n, "%s%s", n ? ", " : "",
                                  options->passes[i].pass->name);
    n += (size_t)snprintf(reason + n, sizeof reason - n, ": ");
    cf_error_text(error, reason + n, sizeof reason - n);
    instr_job_remember(job, NULL, reason, -1);
    job->origin.excluded_passes |= passes;
    job->result->passes_left_out = 1;
    memset(error, 0, sizeof *error);
    return CF_OK;
}

// The passes that need inlined subroutines, a bit for each.
static uint64_t inlining_passes(const struct job *job) {
    const struct instr_options *options = job->engine->options;
    uint64_t need = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++)
        if (!instr_job_excludes(job, i) && options->passes[i].pass->flags & RW_INLINED)
            need |= UINT64_C(1) << i;
    return need;
}

// Methods that no pass changes get their inlined code, too. A method that fails anyway may fail.
static enum cf_status verify_inlined(struct job *job, const struct cf_class *inlined) {
    struct cf_class *cls = &job->cls;
    struct cf_verify_failure failure, before;
    char reason[400];
    if (job->engine->options->verify || is_never_verified(cls)) return CF_OK;
    struct cf_verifier *verifier = cf_verifier_new(inlined, NULL, NULL),
                       *original = cf_verifier_new(cls, NULL, NULL);
    if (!verifier || !original) return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        if (!job->inlined.returns[i]) continue;
        enum cf_status status = cf_verify_method(verifier, &inlined->methods[i], &failure);
        if (status == CF_OK) continue;
        if (status == CF_UNVERIFIABLE &&
            cf_verify_method(original, &cls->methods[i], &before) == CF_UNVERIFIABLE)
            continue;
        cf_verify_reason(&failure, "would not verify: ", reason, sizeof reason);
        instr_job_remember(job, &cls->methods[i], reason, -1);
        return cf_fail(&cls->error, status, 0,
                       status == CF_UNVERIFIABLE ? "code would not verify without its subroutines"
                                                 : failure.error.reason,
                       0);
    }
    return CF_OK;
}

// Inlines subroutines if a pass needs that. Errors in the parts that inlining removes must not be
// hidden from the JVM.
static enum cf_status inline_subroutines(struct job *job) {
    struct cf_error *error = &job->cls.error;
    uint64_t need = job->cls.major_version > 50 || job->wrappers ? 0 : inlining_passes(job);
    if (!need) return CF_OK;
    if (cf_inline_subroutines(&job->cls, &job->inlined, error) != CF_OK) {
        memset(&job->inlined, 0, sizeof job->inlined);
        return leave_out(job, need);
    }
    if (!job->inlined.bytes) return CF_OK;
    if (job->engine->check_input) CF_TRY(cf_check_structure(&job->cls, error));
    if (job->engine->check_input && !job->origin.already_verified && !is_never_verified(&job->cls))
        CF_TRY(verify_subroutines(job));
    struct cf_class inlined = job->cls;
    if (cf_class_open(&inlined, job->inlined.bytes, job->inlined.length, inlined.arena) != CF_OK) {
        *error = inlined.error;
        return error->status;
    }
    if (verify_inlined(job, &inlined) != CF_OK) {
        memset(&job->inlined, 0, sizeof job->inlined);
        return leave_out(job, need);
    }
    job->cls = inlined;
    return CF_OK;
}

// Opens the class file, for passes that need it. A malformed one is ignored.
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
    job->cls.frames_dropped = job->cls.merges_constant_pool = job->origin.redefined != 0;
    job->bytes = bytes;
    job->length = length;
    if (length >= CF_VERIFY_MOST_BYTES && !job->engine->options->verify)
        return cf_fail(&job->cls.error, CF_LIMIT, 0, "class is too large to check", 0);
    CF_TRY(refuse_calls_at_end(job));
    CF_TRY(inline_subroutines(job));
    if (job->origin.file) open_file(job);
    job->cls.constants_beyond = job->origin.constants_beyond;
    CF_TRY(cf_rewrite_begin(&job->rewrite, &job->cls));
    job->passes = cf_arena_zeroed(arena, n, sizeof *job->passes);
    job->ids = cf_arena_alloc(arena, n * sizeof *job->ids);
    job->added = cf_arena_alloc(arena, n * sizeof *job->added);
    job->inserted = cf_arena_zeroed(arena, n, sizeof *job->inserted);
    if (!job->passes || !job->ids || !job->added || !job->inserted)
        return cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    instr_job_serve(job);
    return CF_OK;
}

static enum cf_status begin_passes(struct job *job) {
    for (size_t i = 0; i < job->engine->options->pass_count; i++) {
        const struct rw_pass *pass = job->engine->options->passes[i].pass;
        if (instr_job_excludes(job, i) || !instr_job_has_turn(job, i)) continue;
        enum cf_status status = pass->begin ? pass->begin(&job->passes[i]) : CF_OK;
        if (status == CF_OK) continue;
        cf_fail(&job->cls.error, status, 0, "the pass gave no reason", 0);
        CF_TRY(leave_out(job, UINT64_C(1) << i));
    }
    return CF_OK;
}

// Does the method fail to verify just as its original does? Classes that the JVM does not verify may
// break rules.
static int fails_anyway(struct job *job, uint32_t i, const struct cf_verify_failure *failure) {
    struct cf_verifier *verifier;
    struct cf_verify_failure before;
    if (!job->origin.already_verified || failure->error.status != CF_UNVERIFIABLE) return 0;
    verifier = cf_verifier_new(&job->cls, NULL, NULL);
    return verifier &&
           cf_verify_method(verifier, &job->cls.methods[i], &before) == CF_UNVERIFIABLE &&
           strcmp(before.error.reason, failure->error.reason) == 0 &&
           strcmp(before.types, failure->types) == 0;
}

// Rewritten code must never cause a VerifyError in the application: code that the JVM would refuse
// is not handed to it. Code that could not be checked because memory ran out does not pass either.
static int verify_image(struct job *job, const struct image *image) {
    struct instr_rewritten *result = job->result;
    struct cf_verify_failure failure;
    struct cf_class view;
    char reason[400];
    struct cf_verifier *verifier = NULL;
    struct cf_delta *delta = NULL;
    if (job->engine->options->verify || is_never_verified(&job->cls)) return 1;
    if (cf_rewritten_view(&job->rewrite, image->bytes, image->length, &view) == CF_OK)
        verifier = cf_verifier_new(&view, NULL, NULL);
    if (!verifier) cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    if (verifier && job->origin.already_verified) delta = cf_delta_new(&job->rewrite, &view);
    for (uint32_t i = 0; verifier && i < view.methods_count; i++) {
        if (!job->rewrite.code[i].length || (delta && cf_delta_holds(delta, verifier, i))) continue;
        struct cf_verify_original original = cf_rewritten_original(&job->rewrite, i);
        if (cf_verify_rewritten(verifier, &view.methods[i], &original, &failure) == CF_OK ||
            fails_anyway(job, i, &failure))
            continue;
        result->methods_refused++;
        if (job->refused_methods) job->refused_methods[i] = 1;
        enum cf_status status = failure.error.status;
        cf_fail(&job->cls.error, status, 0,
                status == CF_UNVERIFIABLE ? "rewritten code would not verify"
                                          : failure.error.reason,
                0);
        instr_job_remember(job, &job->cls.methods[i],
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
static int hides_error(struct job *job) {
    return job->engine->check_input && !job->origin.bootstrap &&
           cf_may_hide_errors(&job->rewrite) &&
           cf_check_structure(&job->cls, &job->cls.error) != CF_OK;
}

// Opens the class anew, as if nothing had been done with it.
static enum cf_status open_again(struct job *job, const uint8_t *bytes, size_t length) {
    memset(&job->cls, 0, sizeof job->cls);
    job->cls.arena = &job->work->arena;
    memset(&job->rewrite, 0, sizeof job->rewrite);
    memset(&job->cursor, 0, sizeof job->cursor);
    memset(&job->inlined, 0, sizeof job->inlined);
    memset(&job->file, 0, sizeof job->file);
    memset(&job->file_inlined, 0, sizeof job->file_inlined);
    return instr_job_open(job, bytes, length);
}

// Without a pass that needs inlined subroutines, the others get the class as it was.
static enum cf_status begin_all(struct job *job) {
    CF_TRY(begin_passes(job));
    if (!job->inlined.bytes || inlining_passes(job)) return CF_OK;
    CF_TRY(open_again(job, job->bytes, job->length));
    return begin_passes(job);
}

// Runs all passes but those that wrap.
static void run_all(struct job *job, struct memory memory) {
    struct instr_rewritten *result = job->result;
    struct image image = {NULL, 0};
    if (begin_all(job) != CF_OK || instr_job_methods(job) != CF_OK) return;
    if (job->rewrite.methods_changed && !hides_error(job))
        cf_rewrite_encode(&job->rewrite, memory.allocate, memory.context, &image.bytes,
                          &image.length);
    result->length = image.length;
    if (image.bytes && verify_image(job, &image))
        result->bytes = image.bytes;
    else
        result->refused = image.bytes;
    result->refused_length = image.length;
    result->methods_changed = result->bytes ? job->rewrite.methods_changed : 0;
    if (!result->bytes) result->methods_grown = 0;
}

static uint8_t *copy_out(const uint8_t *bytes, size_t length, struct memory memory) {
    uint8_t *copy = bytes ? memory.allocate(memory.context, length) : NULL;
    if (copy) memcpy(copy, bytes, length);
    return copy;
}

// Runs all passes but those that wrap. If the code of some methods does not verify, does so again
// without these methods.
static void run_what_verifies(struct job *job, const uint8_t *bytes, size_t length,
                              struct memory memory) {
    const struct memory arena = {from_arena, &job->work->arena};
    struct instr_rewritten *result = job->result;
    uint8_t *some = cf_arena_zeroed(job->cls.arena, job->cls.methods_count, 1);
    job->refused_methods = some;
    run_all(job, memory);
    if (!some || !result->methods_refused || job->cls.error.status != CF_UNVERIFIABLE) return;
    const struct cf_error error = job->cls.error;
    uint8_t *refused = result->refused;
    size_t refused_length = result->length;
    result->methods_skipped = result->methods_refused;
    result->methods_grown = 0;
    job->silent = 1;
    if (open_again(job, bytes, length) == CF_OK) run_all(job, arena);
    job->silent = 0;
    result->bytes = copy_out(result->bytes, result->length, memory);
    result->refused = refused;
    result->refused_length = refused_length;
    if (result->bytes) return;
    if (!job->cls.error.status) job->cls.error = error;
    result->length = refused_length;
    result->methods_changed = 0;
}

// Adds the wrappers; the class so far lies in the arena.
static void wrap_class(struct job *job, const uint8_t *bytes, size_t length, struct memory memory) {
    struct instr_rewritten *result = job->result;
    struct image image = {result->bytes, result->length};
    if (instr_job_wrap(job, bytes, length, &image) != CF_OK &&
        job->origin.occasion == INSTR_CLASS_WRAPPED) {
        image.bytes = NULL; // it must have all that it has
        result->methods_changed = 0;
    }
    result->refused = copy_out(result->refused, result->refused_length, memory);
    result->bytes = copy_out(image.bytes, image.length, memory);
    if (result->bytes) result->length = image.length;
    if (image.bytes && !result->bytes) {
        result->methods_changed = 0;
        cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    }
}

static int has_natives(const struct job *job) {
    if (!job->engine->wraps && !job->origin.wrapped_count) return 0;
    for (uint32_t i = 0; i < job->cls.methods_count; i++)
        if (job->cls.methods[i].access_flags & CF_ACC_NATIVE) return 1;
    return 0;
}

static void remember_error(struct job *job) {
    char reason[256];
    instr_job_remember(job, NULL, cf_error_text(&job->cls.error, reason, sizeof reason), -1);
}

void instr_job_rewrite(struct job *job, const uint8_t *bytes, size_t length, struct memory memory) {
    enum instr_occasion occasion = job->origin.occasion;
    struct memory arena = {from_arena, &job->work->arena};
    if (instr_job_open(job, bytes, length) == CF_OK) {
        int wraps = has_natives(job);
        if (occasion != INSTR_CLASS_EARLY && occasion != INSTR_CLASS_FIRST)
            run_what_verifies(job, bytes, length, wraps ? arena : memory);
        if (wraps) wrap_class(job, bytes, length, memory);
    }
    if (job->cls.error.status) {
        instr_job_name_limit(job, &job->cls.error);
        job->result->error = job->cls.error;
        remember_error(job);
    }
}
