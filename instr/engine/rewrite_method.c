// One method through all passes, and what to do when not all of them fit.

#include "instr/engine/internal.h"

#include <stdio.h>
#include <string.h>

#define HUGE_METHOD_LIMIT 8000 // HotSpot compiles no method with more bytes of code
#define CODE_LENGTH_AT 10      // in a Code attribute (JVMS 4.7.3)

// Constants that were rolled back with a failed method must not be used by the next one.
static void forget_callees(struct job *job) {
    size_t n = job->engine->options->pass_count;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < RW_REFS; k++)
            if (job->passes[i].callees[k].methodref >= job->rewrite.pool.count)
                memset(&job->passes[i].callees[k], 0, sizeof job->passes[i].callees[k]);
}

// Which passes edit a method: all, or only those whose results must be complete; and whether the
// method may grow too large to be compiled.
enum who { ALL_PASSES = 0, COMPLETE_PASSES = 1, HOWEVER_LONG = 2 };

static int takes_part(const struct rw_pass *pass, enum who who) {
    return !(who & COMPLETE_PASSES) || pass->flags & RW_COMPLETE;
}

// How much is anchored so far: at sites, on edges, in handlers.
struct anchored {
    uint32_t sites, edges, thrown, thrown_early;
};

static struct anchored anchored_in(const struct cf_edit *edit) {
    return (struct anchored){edit->sites_count, edit->edges_count, edit->thrown_count,
                             edit->thrown_early_count};
}

// The bytes of code that were anchored since then. An edge needs a goto, a handler an athrow.
static uint32_t bytes_since(const struct cf_edit *edit, struct anchored since) {
    enum { GOTO = 3, ATHROW = 1 };
    uint32_t bytes = 0;
    for (uint32_t i = since.sites; i < edit->sites_count; i++)
        bytes += edit->sites[i].snippet->length;
    for (uint32_t i = since.edges; i < edit->edges_count; i++)
        bytes += edit->edges[i].snippet->length + GOTO;
    for (uint32_t i = since.thrown; i < edit->thrown_count; i++)
        bytes += edit->thrown[i].snippet->length + ATHROW;
    for (uint32_t i = since.thrown_early; i < edit->thrown_early_count; i++)
        bytes += edit->thrown_early[i].snippet->length + ATHROW;
    return bytes;
}

// Notes what share of the method's new code is the pass's. A pass alone has all of it, and need not
// look at what was written a moment ago.
static enum cf_status edit_by(struct job *job, struct cf_edit *edit, const struct rw_pass *pass,
                              size_t i) {
    enum { PUSH = 2, INVOKESTATIC = 3 };
    job->added[i] = 1;
    if (job->options->pass_count == 1) return pass->edit(&job->passes[i], edit);
    struct anchored before = anchored_in(edit);
    enum cf_status status = pass->edit(&job->passes[i], edit);
    job->added[i] = bytes_since(edit, before);
    // A call that the code of another pass makes for this one is shared by both.
    if (job->passes[i].within) job->added[i] += PUSH + INVOKESTATIC;
    return status;
}

// *failed: the pass that gave up; NULL: none did, an error comes from all of them together. With
// CF_OK the edit is ready to be committed.
static enum cf_status run_passes(struct job *job, struct cf_edit *edit, enum who who,
                                 const struct rw_pass **failed) {
    const struct instr_engine *engine = job->engine;
    const struct instr_options *options = engine->options;
    if (!(who & HOWEVER_LONG) && engine->observes_speed && !options->huge &&
        edit->code.length <= HUGE_METHOD_LIMIT)
        edit->code_limit = HUGE_METHOD_LIMIT;
    job->lines = NULL;
    for (size_t i = 0; i < options->pass_count; i++) {
        job->ids[i] = -1;
        job->added[i] = 0;
    }
    size_t first = engine->prevents ? 0 : options->pass_count;
    for (size_t turn = first; turn < 2 * options->pass_count; turn++) {
        int outside = turn < options->pass_count;
        size_t i = outside ? turn : turn - options->pass_count;
        const struct rw_pass *pass = options->passes[i].pass;
        if (((pass->flags & RW_PREVENTS) != 0) != outside) continue;
        if (!instr_job_has_turn(job, i) || !takes_part(pass, who) || instr_job_excludes(job, i) ||
            job->gave_up >> i & 1)
            continue;
        edit->nesting = ((int32_t)i - outside * INSTR_MOST_ON) * CF_LEVELS;
        enum cf_status status = edit_by(job, edit, pass, i);
        if (status != CF_OK) {
            cf_fail(&edit->error, status, 0, "the pass gave no reason", 0);
            cf_edit_abandon(edit);
            *failed = pass;
            return status;
        }
    }
    if (!edit->error.status) edit->error = job->rewrite.pool.error;
    if (edit->error.status) cf_edit_abandon(edit);
    return edit->error.status;
}

void instr_job_name_limit(const struct job *job, struct cf_error *error) {
    if (error->status == CF_NO_MEMORY && job->cls.arena->limited)
        error->reason = "would take too much memory to rewrite";
}

// "calls, timing: would grow to 8,100 bytes (limit 8,000)": the passes whose snippets the method
// does not get. If it gets none, and no pass gave up by itself, no pass is named.
CF_SELDOM static void remember_left_out(struct job *job, const struct cf_member *method,
                                        enum who left, const struct rw_pass *failed,
                                        const struct cf_error *error) {
    const struct instr_options *options = job->engine->options;
    char reason[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < options->pass_count && options->pass_count > 1; i++) {
        const struct rw_pass *pass = options->passes[i].pass;
        if (!instr_job_has_turn(job, i)) continue;
        int stays = takes_part(pass, COMPLETE_PASSES) && !(job->gave_up >> i & 1);
        if (left & COMPLETE_PASSES ? stays : pass != failed) continue;
        int w = snprintf(reason + n, sizeof reason - n, "%s%s", n ? ", " : "", pass->name);
        if (w < 0 || (size_t)w >= sizeof reason / 2 - n) break; // the reason needs room too
        n += (size_t)w;
    }
    if (n) n += (size_t)snprintf(reason + n, sizeof reason - n, ": ");
    cf_error_text(error, reason + n, sizeof reason - n);
    instr_job_remember(job, method, reason, -1);
    job->result->methods_skipped++;
}

// The result of an attempt at a method.
struct attempt {
    enum cf_status status;
    struct cf_edit *edit;         // NULL: there was no memory for one
    const struct rw_pass *failed; // as run_passes says
    int *ids;                     // job->ids
    uint32_t *added;              // job->added
};

static void take_back(struct job *job, struct attempt *a) {
    forget_callees(job);
    if (a->edit) instr_job_name_limit(job, &a->edit->error);
}

// Runs the passes on an edit that has begun, or failed to.
static void run_begun(struct job *job, enum who who, struct attempt *a) {
    a->failed = NULL;
    if (a->status == CF_OK) a->status = run_passes(job, a->edit, who, &a->failed);
    if (a->status != CF_OK) take_back(job, a);
}

static void run(struct job *job, const struct cf_member *method, enum who who, struct attempt *a) {
    a->status = cf_edit_begin(&job->rewrite, method, &a->edit);
    run_begun(job, who, a);
}

static void commit(struct job *job, struct attempt *a) {
    if (a->status == CF_OK && (a->status = cf_edit_commit(a->edit)) != CF_OK) take_back(job, a);
}

static enum cf_status run_and_commit(struct job *job, const struct cf_member *method, enum who who,
                                     struct attempt *a) {
    run(job, method, who, a);
    commit(job, a);
    return a->status;
}

// The new length of the method's code; 0: unchanged.
static uint32_t new_length(const struct job *job, const struct cf_edit *edit) {
    const struct cf_new_code *code = &job->rewrite.code[edit->method - job->cls.methods];
    return code->length ? cf_be4(job->rewrite.out.bytes + code->at + CODE_LENGTH_AT) : 0;
}

// Counts a method that HotSpot compiled before and never compiles now.
static void note_huge(struct job *job, const struct cf_edit *edit) {
    uint32_t n = new_length(job, edit);
    job->result->methods_grown += n > HUGE_METHOD_LIMIT && edit->code.length <= HUGE_METHOD_LIMIT;
}

// Each pass has the share of what the code grew by that it has of what was anchored: handlers that
// cover nothing are left out, and branches may be widened.
static void note_inserted(struct job *job, const struct cf_edit *edit) {
    uint64_t anchored = 0, before = edit->code.length, after = new_length(job, edit);
    uint64_t more = after > before ? after - before : 0;
    for (size_t i = 0; i < job->options->pass_count; i++) anchored += job->added[i];
    for (size_t i = 0; i < job->options->pass_count; i++) {
        uint64_t added = job->added[i];
        if (!added) continue;
        job->inserted[i].methods++;
        job->inserted[i].bytes += added == anchored ? more : added * more / anchored;
        job->inserted[i].code += before;
    }
}

// Goes on with the method without this pass. Returns 0 if no pass is left whose results must be
// complete.
CF_SELDOM static int give_up(struct job *job, const struct rw_pass *failed) {
    const struct instr_options *options = job->options;
    int left = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++) {
        if (options->passes[i].pass == failed) job->gave_up |= UINT64_C(1) << i;
        left |= instr_job_has_turn(job, i) &&
                takes_part(options->passes[i].pass, COMPLETE_PASSES) &&
                !instr_job_excludes(job, i) && !(job->gave_up >> i & 1);
    }
    return left;
}

// What a kit, a rule or a plug-in refuses costs it alone: the method goes on without it. False: it is
// something else that failed.
static bool goes_on_without(struct job *job, const struct cf_member *method, struct attempt *a) {
    uint64_t before = job->gave_up;
    if (!a->failed || !a->failed->made || a->status == CF_NO_MEMORY) return false;
    struct cf_error error = a->edit->error;
    const struct rw_pass *failed = a->failed;
    give_up(job, failed);
    if (job->gave_up == before) return false;
    remember_left_out(job, method, ALL_PASSES, failed, &error);
    run_and_commit(job, method, ALL_PASSES, a);
    return true;
}

// The first attempt has the snippets of all passes. If it fails, only the passes whose results must
// be complete are tried. If those alone make the method too large to be compiled anyway, all passes
// are tried without that limit. If everything fails, the method stays unchanged.
static void settle(struct job *job, const struct cf_member *method, struct attempt *a) {
    static const struct cf_error no_memory = {.status = CF_NO_MEMORY, .reason = "out of memory"};
    static const enum who next[] = {COMPLETE_PASSES, ALL_PASSES | HOWEVER_LONG,
                                    COMPLETE_PASSES | HOWEVER_LONG};
    uint32_t changed = job->rewrite.methods_changed;
    job->gave_up = 0;
    job->ids = a->ids;
    job->added = a->added;
    commit(job, a);
    while (a->status != CF_OK && goes_on_without(job, method, a)) continue;
    if (a->status != CF_OK) {
        struct cf_error first = a->edit ? a->edit->error : no_memory;
        const struct rw_pass *first_failed = a->failed;
        int is_long =
            first.status == CF_LIMIT && !a->failed && a->edit->code_limit == HUGE_METHOD_LIMIT;
        unsigned i = is_long ? 0 : 2;
        while (job->engine->some_complete && i < 3 &&
               run_and_commit(job, method, next[i], a) != CF_OK)
            if (i < 2 || !a->failed || !give_up(job, a->failed)) i++;
        if (!job->engine->some_complete || i == 3) {
            remember_left_out(job, method, ALL_PASSES, first_failed, &first);
            return;
        }
        if (next[i] & COMPLETE_PASSES)
            remember_left_out(job, method, COMPLETE_PASSES, NULL, &first);
    }
    if (job->rewrite.methods_changed == changed) return;
    note_huge(job, a->edit);
    note_inserted(job, a->edit);
    if (!a->edit->constructor) return;
    for (size_t i = 0; i < job->engine->options->pass_count; i++)
        if (job->ids[i] >= 0)
            instr_methods_set_initialized_pc(job->engine->methods, job->ids[i],
                                             a->edit->constructed_pc);
}

void instr_job_method(struct job *job, const struct cf_member *method) {
    struct attempt a = {.ids = job->ids, .added = job->added};
    job->gave_up = 0;
    run(job, method, ALL_PASSES, &a);
    settle(job, method, &a);
}

static int is_edited(const struct job *job, size_t method) {
    return job->cls.methods[method].code != 0 &&
           !(job->refused_methods && job->refused_methods[method]);
}

// Runs the passes on all methods first, then encodes each: the instruction cache holds one half of
// this code, but not both.
enum cf_status instr_job_methods(struct job *job) {
    const struct cf_class *cls = &job->cls;
    size_t n = job->engine->options->pass_count, count = 0;
    for (size_t i = 0; i < cls->methods_count; i++) count += is_edited(job, i) ? 1 : 0;
    struct attempt *attempts = cf_arena_alloc(cls->arena, count * sizeof *attempts);
    const struct cf_member **methods = cf_arena_alloc(cls->arena, count * sizeof *methods);
    int *ids = cf_arena_alloc(cls->arena, count * n * sizeof *ids);
    uint32_t *added = cf_arena_alloc(cls->arena, count * n * sizeof *added);
    if (!attempts || !methods || !ids || !added)
        return cf_fail(&job->cls.error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (size_t i = 0, k = 0; i < cls->methods_count; i++)
        if (is_edited(job, i)) methods[k++] = &cls->methods[i];
    job->gave_up = 0;
    struct cf_edit *edits[CF_EDITS];
    for (size_t i = 0; i < count; i++) {
        if (i % CF_EDITS == 0)
            cf_edits_begin(&job->rewrite, methods + i,
                           count - i < CF_EDITS ? (uint32_t)(count - i) : CF_EDITS, edits);
        struct attempt *a = &attempts[i];
        a->edit = edits[i % CF_EDITS];
        a->status = a->edit ? a->edit->error.status : CF_NO_MEMORY;
        if (a->edit) cf_edit_keep_constants(a->edit);
        job->ids = a->ids = ids + i * n;
        job->added = a->added = added + i * n;
        run_begun(job, ALL_PASSES, a);
    }
    for (size_t i = 0; i < count; i++) {
        // If it fails, its constants stay, as do those of the methods behind it.
        if (attempts[i].status == CF_OK) cf_edit_keep_constants(attempts[i].edit);
        settle(job, methods[i], &attempts[i]);
    }
    return CF_OK;
}
