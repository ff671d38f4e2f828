// Wrappers for native methods: one round for each pass that wraps, after all other passes have
// edited the class, so that those never see a wrapper.
//
// In a round, the chosen natives are renamed and wrapped (classfile/wrap.h), the result is opened
// again, and the pass edits the wrappers. The prefixes of several passes add up, the last one in
// front: a JVM removes them in this order (JVM TI SetNativeMethodPrefixes).

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

char *instr_native_prefix(const struct rw_pass *pass, char prefix[INSTR_PREFIX_SIZE]) {
    snprintf(prefix, INSTR_PREFIX_SIZE, "instr$%s$", pass->name);
    return prefix;
}

// Which native methods the passes wrap: per method a bit for each of the first 32 passes.
struct choice {
    struct job *job;
    uint32_t *passes;
    uint32_t all;
};

static const struct rw_pass *pass_at(const struct job *job, size_t i) {
    return job->options->passes[i].pass;
}

static int has_our_prefix(const struct job *job, const struct cf_member *m) {
    struct cf_slice name = cf_member_name(&job->cls, m);
    char prefix[INSTR_PREFIX_SIZE];
    for (size_t i = 0; i < job->options->pass_count; i++) {
        if (!pass_at(job, i)->wraps) continue;
        size_t n = strlen(instr_native_prefix(pass_at(job, i), prefix));
        if (name.bytes && name.length >= n && memcmp(name.bytes, prefix, n) == 0) return 1;
    }
    return 0;
}

// The number under which skipped methods of the pass are remembered.
static int number_of(const struct job *job, size_t pass) {
    return (int)job->options->passes[pass].number;
}

static void choose(struct choice *c, uint32_t method, size_t pass) {
    enum instr_occasion occasion = c->job->origin.occasion;
    struct job *job = c->job;
    const struct cf_member *m = &job->cls.methods[method];
    const char *why = NULL;
    if (!pass_at(job, pass)->wraps(&job->passes[pass], m, &why)) {
        if (why) instr_job_remember(job, m, why, number_of(job, pass));
    } else if (occasion == INSTR_CLASS_LOADED || occasion == INSTR_CLASS_FIRST) {
        instr_job_remember(job, m, occasion == INSTR_CLASS_FIRST ? too_early : loaded_before,
                           number_of(job, pass));
    } else {
        c->passes[method] |= 1u << pass;
        c->all |= 1u << pass;
    }
}

static enum cf_status no_memory(struct cf_class *cls) {
    return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

// If c->all stays 0, there is nothing to wrap.
static enum cf_status choose_all(struct choice *c) {
    struct job *job = c->job;
    struct cf_class *cls = &job->cls;
    size_t n = job->options->pass_count < 32 ? job->options->pass_count : 32;
    if (cls->access_flags & CF_ACC_INTERFACE) return CF_OK;
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *m = &cls->methods[i];
        if (!(m->access_flags & CF_ACC_NATIVE) || m->code || has_our_prefix(job, m)) continue;
        if (!c->passes)
            c->passes = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *c->passes);
        if (!c->passes) return no_memory(cls);
        for (size_t pass = 0; pass < n; pass++)
            if (pass_at(job, pass)->wraps && !(job->origin.excluded_passes >> pass & 1))
                choose(c, i, pass);
    }
    return CF_OK;
}

static void *from_arena(void *arena, size_t size) {
    return cf_arena_alloc(arena, size);
}

// The class between rounds.
struct round {
    const struct choice *choice;
    size_t pass;
    uint32_t originals; // methods of the original class
    uint32_t *native;   // the current index of each of them, or of the native method it became
};

// Updates r->native: the renamed natives stand behind all other methods, in the order of their
// wrappers.
static enum cf_status follow(struct round *r, struct job *job, const struct cf_wrap *wrap) {
    uint32_t next = job->cls.methods_count;
    uint32_t *owner = cf_arena_zeroed(job->cls.arena, next, sizeof *owner);
    if (!owner) return no_memory(&job->cls);
    for (uint32_t i = 0; i < r->originals; i++) owner[r->native[i]] = i;
    for (uint32_t at = 0; at < job->cls.methods_count; at++)
        if (wrap->methods[at].name_index) r->native[owner[at]] = next++;
    return CF_OK;
}

// If wrap->count is 0, none could be wrapped, and the reasons are remembered.
static enum cf_status wrap_natives(struct round *r, struct job *job, struct cf_wrap *wrap,
                                   struct image *image) {
    struct job *first = r->choice->job;
    char prefix[INSTR_PREFIX_SIZE], reason[256];
    instr_native_prefix(pass_at(job, r->pass), prefix);
    CF_TRY(cf_wrap_begin(wrap, &job->cls, prefix));
    for (uint32_t i = 0; i < r->originals; i++) {
        struct cf_error error = {.status = CF_OK};
        if (!(r->choice->passes[i] & 1u << r->pass)) continue;
        enum cf_status status = cf_wrap_native(wrap, &job->cls.methods[r->native[i]], &error);
        if (status == CF_NO_MEMORY) return no_memory(&job->cls);
        if (status != CF_OK)
            instr_job_remember(first, &first->cls.methods[i],
                               cf_error_text(&error, reason, sizeof reason),
                               number_of(first, r->pass));
    }
    wrap->prefix = NULL; // the buffer ends with this function
    if (!wrap->count) return CF_OK;
    CF_TRY(follow(r, job, wrap));
    return cf_wrap_encode(wrap, from_arena, job->cls.arena, &image->bytes, &image->length);
}

// Lets the pass edit the wrappers of the class in `image`. An error goes to the first job.
static enum cf_status edit_wrappers(struct round *r, const struct cf_wrap *wrap,
                                    struct image *image) {
    struct job *first = r->choice->job;
    struct instr_origin origin = {.occasion = first->origin.occasion,
                                  .redefined = first->origin.redefined};
    struct job job = {.engine = first->engine,
                      .options = first->options,
                      .work = first->work,
                      .result = first->result,
                      .wrapping = (int)r->pass,
                      .origin = origin};
    struct image edited = {NULL, 0};
    enum cf_status status = instr_job_open(&job, image->bytes, image->length);
    for (uint32_t i = 0; status == CF_OK && i < wrap->cls->methods_count; i++)
        if (wrap->methods[i].name_index) instr_job_method(&job, &job.cls.methods[i]);
    if (status != CF_OK || !instr_job_encode(&job, &edited)) {
        first->cls.error = job.cls.error;
        return job.cls.error.status;
    }
    if (edited.bytes) *image = edited;
    first->result->methods_changed += job.rewrite.methods_changed;
    return CF_OK;
}

static enum cf_status one_round(struct round *r, const uint8_t *bytes, size_t length,
                                struct image *image) {
    struct job *first = r->choice->job;
    struct job job = {.engine = first->engine,
                      .options = first->options,
                      .work = first->work,
                      .result = first->result,
                      .wrapping = (int)r->pass,
                      .origin.redefined = first->origin.redefined};
    struct image wrapped = {NULL, 0};
    struct cf_wrap wrap;
    if (image->bytes) {
        bytes = image->bytes;
        length = image->length;
    }
    enum cf_status status = instr_job_open(&job, bytes, length);
    if (status == CF_OK) status = wrap_natives(r, &job, &wrap, &wrapped);
    if (status != CF_OK)
        first->cls.error = job.cls.error;
    else if (wrap.count && !first->origin.pass_through)
        status = edit_wrappers(r, &wrap, &wrapped);
    if (status == CF_OK && wrap.count) {
        *image = wrapped;
        first->result->wrapped = 1;
    }
    return status;
}

enum cf_status instr_job_wrap(struct job *job, const uint8_t *bytes, size_t length,
                              struct image *image) {
    struct choice choice = {job, NULL, 0};
    // If a malformed class got new members, the JVM could report another error.
    struct cf_error error = {.status = CF_OK};
    CF_TRY(choose_all(&choice));
    if (!choice.all || cf_check_structure(&job->cls, &error) != CF_OK)
        return error.status == CF_NO_MEMORY ? no_memory(&job->cls) : CF_OK;
    struct round r = {&choice, 0, job->cls.methods_count, NULL};
    r.native = cf_arena_alloc(job->cls.arena, (r.originals + 1) * sizeof *r.native);
    if (!r.native) return no_memory(&job->cls);
    for (uint32_t i = 0; i < r.originals; i++) r.native[i] = i;
    for (; r.pass < job->options->pass_count && r.pass < 32; r.pass++)
        if (choice.all & 1u << r.pass) CF_TRY(one_round(&r, bytes, length, image));
    return CF_OK;
}
