// Wrappers for native methods, after the passes have edited the methods of the class, so that those
// never see a wrapper.
//
// The native methods that a pass wants are renamed and wrapped (classfile/wrap.h), the result is
// opened again, and each pass edits the wrappers that it wants. A class that was loaded with
// wrappers gets the same ones again, whatever the passes want now.

#include "instr/engine/internal.h"

#include "classfile/structure.h"

#include <stdio.h>
#include <stdlib.h>

static const char loaded_before[] =
    "the class was already loaded, and methods of a loaded class cannot be wrapped";

static const char too_early[] =
    "the JVM loads the class before it can find the code of renamed native methods";

int instr_is_loaded_before(const struct instr_skipped_item *item) {
    return strcmp(item->reason, loaded_before) == 0;
}

// Which native methods get wrappers.
struct choice {
    struct job *job;
    uint64_t *wanting; // of each method: the passes that want a wrapper, a bit for each
    uint8_t *wrapped;  // of each method: 1 if it gets one
    int any;
};

static int has_our_prefix(const struct job *job, const struct cf_member *m) {
    static const char prefix[] = INSTR_NATIVE_PREFIX;
    struct cf_slice name = cf_member_name(&job->cls, m);
    return name.bytes && name.length >= sizeof prefix - 1 &&
           memcmp(name.bytes, prefix, sizeof prefix - 1) == 0;
}

// Was the class loaded with a wrapper of this method?
static int has_wrapper(const struct job *job, const struct cf_member *m) {
    struct cf_slice name = cf_member_name(&job->cls, m),
                    descriptor = cf_member_descriptor(&job->cls, m);
    for (size_t i = 0; i < job->origin.wrapped_count; i++)
        if (cf_slice_equal(name, job->origin.wrapped[i].name) &&
            cf_slice_equal(descriptor, job->origin.wrapped[i].descriptor))
            return 1;
    return 0;
}

// Why the method gets no wrapper, if it has none; NULL: it can get one.
static const char *fixed_because(const struct job *job, int has) {
    switch (job->origin.occasion) {
    case INSTR_CLASS_NEW:
    case INSTR_CLASS_EARLY: return NULL;
    case INSTR_CLASS_FIRST: return too_early;
    case INSTR_CLASS_LOADED:
    case INSTR_CLASS_WRAPPED: return has ? NULL : loaded_before;
    }
    return NULL;
}

static void choose(struct choice *c, uint32_t method, const char *fixed, size_t pass) {
    struct job *job = c->job;
    const struct cf_member *m = &job->cls.methods[method];
    const char *why = NULL;
    int wants = job->options->passes[pass].pass->wraps(&job->passes[pass], m, fixed, &why);
    if (wants && !fixed) {
        c->wanting[method] |= UINT64_C(1) << pass;
        c->wrapped[method] = 1;
    } else if (wants || why) {
        instr_job_remember(job, m, wants ? fixed : why, (int)job->options->passes[pass].number);
    }
}

static enum cf_status no_memory(struct cf_class *cls) {
    return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static enum cf_status choose_all(struct choice *c) {
    struct job *job = c->job;
    struct cf_class *cls = &job->cls;
    size_t n = job->options->pass_count < 64 ? job->options->pass_count : 64;
    if (cls->access_flags & CF_ACC_INTERFACE) return CF_OK;
    c->wanting = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *c->wanting);
    c->wrapped = cf_arena_zeroed(cls->arena, cls->methods_count, 1);
    if (!c->wanting || !c->wrapped) return no_memory(cls);
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *m = &cls->methods[i];
        if (!(m->access_flags & CF_ACC_NATIVE) || m->code || has_our_prefix(job, m)) continue;
        int has = has_wrapper(job, m);
        const char *fixed = fixed_because(job, has);
        c->wrapped[i] = (uint8_t)has;
        for (size_t pass = 0; pass < n; pass++)
            if (job->options->passes[pass].pass->wraps && !instr_job_excludes(job, pass))
                choose(c, i, fixed, pass);
        c->any |= c->wrapped[i];
    }
    return CF_OK;
}

static void *from_arena(void *arena, size_t size) {
    return cf_arena_alloc(arena, size);
}

// The number of the first pass that wants the wrapper; -1: none does any more.
static int first_wanting(const struct choice *c, uint32_t method) {
    for (size_t i = 0; i < c->job->options->pass_count && i < 64; i++)
        if (c->wanting[method] >> i & 1) return (int)c->job->options->passes[i].number;
    return -1;
}

// If wrap->count is 0, none could be wrapped, and the reasons are remembered. `job` has the class so
// far, whose methods are those of the original.
static enum cf_status wrap_natives(const struct choice *c, struct job *job, struct cf_wrap *wrap,
                                   struct image *image) {
    char reason[256];
    CF_TRY(cf_wrap_begin(wrap, &job->cls, INSTR_NATIVE_PREFIX));
    for (uint32_t i = 0; i < c->job->cls.methods_count; i++) {
        struct cf_error error = {.status = CF_OK};
        if (!c->wrapped[i]) continue;
        enum cf_status status = cf_wrap_native(wrap, &job->cls.methods[i], &error);
        if (status == CF_NO_MEMORY) return no_memory(&job->cls);
        if (status != CF_OK)
            instr_job_remember(c->job, &c->job->cls.methods[i],
                               cf_error_text(&error, reason, sizeof reason), first_wanting(c, i));
    }
    if (!wrap->count) return CF_OK;
    return cf_wrap_encode(wrap, from_arena, job->cls.arena, &image->bytes, &image->length);
}

static struct job job_after(const struct job *first) {
    return (struct job){.engine = first->engine,
                        .options = first->options,
                        .work = first->work,
                        .result = first->result,
                        .wrappers = 1,
                        .origin = {.occasion = first->origin.occasion,
                                   .redefined = first->origin.redefined,
                                   .supertypes = first->origin.supertypes,
                                   .notes = first->origin.notes}};
}

// What the passes have inserted into wrappers is theirs, as what is in other methods.
static void add_inserted(struct job *to, const struct job *from) {
    for (size_t i = 0; to->inserted && from->inserted && i < to->options->pass_count; i++) {
        to->inserted[i].methods += from->inserted[i].methods;
        to->inserted[i].bytes += from->inserted[i].bytes;
        to->inserted[i].code += from->inserted[i].code;
    }
}

// Lets the passes edit the wrappers of the class in `image`. An error goes to the first job.
static enum cf_status edit_wrappers(const struct choice *c, const struct cf_wrap *wrap,
                                    struct image *image) {
    struct job *first = c->job, job = job_after(first);
    struct image edited = {NULL, 0};
    enum cf_status status = instr_job_open(&job, image->bytes, image->length);
    for (uint32_t i = 0; status == CF_OK && i < wrap->cls->methods_count; i++) {
        if (!wrap->methods[i].name_index || !c->wanting[i]) continue;
        job.wanting = c->wanting[i];
        instr_job_method(&job, &job.cls.methods[i]);
    }
    if (status != CF_OK || !instr_job_encode(&job, &edited)) {
        first->cls.error = job.cls.error;
        return job.cls.error.status;
    }
    if (edited.bytes) *image = edited;
    first->result->methods_changed += job.rewrite.methods_changed;
    add_inserted(first, &job);
    return CF_OK;
}

enum cf_status instr_job_wrap(struct job *job, const uint8_t *bytes, size_t length,
                              struct image *image) {
    struct choice choice = {job, NULL, NULL, 0};
    struct job next = job_after(job);
    struct image wrapped = {NULL, 0};
    struct cf_wrap wrap = {.count = 0};
    // If a malformed class got new members, the JVM could report another error.
    struct cf_error error = {.status = CF_OK};
    CF_TRY(choose_all(&choice));
    if (!choice.any || cf_check_structure(&job->cls, &error) != CF_OK)
        return error.status == CF_NO_MEMORY ? no_memory(&job->cls) : CF_OK;
    enum cf_status status = instr_job_open(&next, image->bytes ? image->bytes : bytes,
                                           image->bytes ? image->length : length);
    if (status == CF_OK) status = wrap_natives(&choice, &next, &wrap, &wrapped);
    if (status != CF_OK)
        job->cls.error = next.cls.error;
    else if (wrap.count && !job->origin.pass_through)
        status = edit_wrappers(&choice, &wrap, &wrapped);
    if (status == CF_OK && wrap.count) {
        *image = wrapped;
        job->result->wrapped = 1;
    }
    return status;
}
