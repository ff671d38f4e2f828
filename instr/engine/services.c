// What passes may ask the engine for while they edit (struct rw_class): ids of methods and sites,
// services of one pass, values of options.

#include "instr/engine/internal.h"

#include "classfile/format/lines.h"
#include "instr/coverage/exec_writer.h"
#include "instr/engine/display_name.h"
#include "rewriters/coverage.h"
#include "rewriters/derived.h"

#include <stdio.h>
#include <string.h>

struct cf_slice instr_job_display_name(const struct job *job, const struct cf_class *cls) {
    struct cf_slice name = cf_this_name(cls);
    if (!name.bytes && job->origin.name)
        name = (struct cf_slice){(const uint8_t *)job->origin.name,
                                 (uint32_t)strlen(job->origin.name)};
    return name.bytes && job->origin.running ? instr_display_name(name) : name;
}

// Finds the cursor of the class. Returns 0 when out of memory.
static int find_cursor(struct job *job) {
    if (job->cursor.class_name) return 1;
    struct cf_slice name = instr_job_display_name(job, &job->cls);
    if (!name.bytes) return 0;
    job->cursor = instr_methods_begin(job->engine->methods, (const char *)name.bytes, name.length);
    return job->cursor.class_name != 0;
}

// rw_class.method_id
static int method_id(struct rw_class *pass, const struct cf_member *method) {
    struct job *job = pass->engine;
    unsigned i = (unsigned)(pass - job->passes);
    if (job->ids[i] >= 0) return job->ids[i];
    struct cf_slice name = cf_member_name(&job->cls, method),
                    descriptor = cf_member_descriptor(&job->cls, method);
    if (!find_cursor(job) || !name.bytes || !descriptor.bytes) return -1;
    job->ids[i] = instr_methods_id_next(
        job->engine->methods, job->engine->options->passes[i].number, &job->cursor,
        (const char *)name.bytes, name.length, (const char *)descriptor.bytes, descriptor.length);
    return job->ids[i];
}

// rw_class.note_untimed
static void note_untimed(struct rw_class *pass, int id, int untimed) {
    struct job *job = pass->engine;
    instr_methods_set_untimed(job->engine->methods, id, untimed);
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
    if (job->origin.running) detail = instr_display_name(detail);
    struct instr_site site = {pc, job->lines[pc], (const char *)detail.bytes, detail.length};
    unsigned number = job->engine->options->passes[pass - job->passes].number;
    return instr_methods_site_next(job->engine->methods, number, &job->cursor,
                                   (const char *)name.bytes, name.length,
                                   (const char *)descriptor.bytes, descriptor.length, &site);
}

// rw_class.note_left_out
static void note_left_out(struct rw_class *pass, const struct cf_edit *edit, const char *reason) {
    struct job *job = pass->engine;
    instr_job_remember(job, edit->method, reason, -1);
    job->result->methods_skipped++;
}

// rw_coverage_service.probes
static int64_t probes_of(struct rw_class *pass, uint32_t count, int of_file) {
    struct job *job = pass->engine;
    struct instr_coverage *coverage = instr_job_coverage(job->engine);
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

// rw_coverage_service.derive
static int derive(struct rw_class *pass, uint32_t first, const struct rw_implications *derived) {
    struct job *job = pass->engine;
    return instr_coverage_derive(instr_job_coverage(job->engine), first, derived->list,
                                 derived->count);
}

// rw_coverage_service.counter
static int probe_counter(struct rw_class *pass, const struct cf_edit *edit, uint32_t number) {
    struct job *job = pass->engine;
    char detail[16];
    struct cf_slice text = {(const uint8_t *)detail, 0};
    text.length = (uint32_t)snprintf(detail, sizeof detail, "%u", number);
    int id = site_id(pass, edit, 0, text);
    if (id >= 0) instr_coverage_set_counter(instr_job_coverage(job->engine), number, id);
    return id;
}

// The first pass of this name that edits the current method. NULL: none does.
static struct rw_class *editing(const struct job *job, const char *name) {
    for (size_t i = 0; i < job->options->pass_count && i < 64; i++)
        if (strcmp(job->options->passes[i].pass->name, name) == 0 && !instr_job_excludes(job, i) &&
            instr_job_has_turn(job, i) && !(job->gave_up >> i & 1))
            return &job->passes[i];
    return NULL;
}

// rw_class.service
static const void *service(const struct rw_class *pass, const char *name) {
    static const struct rw_coverage_service apart = {probes_of, derive, probe_counter, 0},
                                            in_one = {probes_of, derive, probe_counter, 1};
    const struct job *job = pass->engine;
    if (strcmp(name, "coverage") == 0) return job->engine->offline ? &in_one : &apart;
    if (strcmp(name, "supertypes") == 0) return job->origin.supertypes;
    if (strcmp(name, "note") == 0 && job->origin.notes)
        return &job->origin.notes[pass - job->passes];
    if (strcmp(name, "wrapper") == 0 && job->wrappers) return job;
    if (strcmp(name, "calls") == 0 || strcmp(name, "timing") == 0) return editing(job, name);
    return NULL;
}

// rw_class.option
static const char *option_of(const struct rw_class *pass, const char *key) {
    const struct job *job = pass->engine;
    return instr_pass_option(&job->engine->options->passes[pass - job->passes], key);
}

void instr_job_serve(struct job *job) {
    size_t n = job->engine->options->pass_count;
    for (size_t i = 0; i < n; i++) {
        job->passes[i].pass = job->options->passes[i].pass;
        job->passes[i].rewrite = &job->rewrite;
        job->passes[i].runtime_package = job->engine->runtime_package;
        job->passes[i].method_id = method_id;
        job->passes[i].note_untimed = note_untimed;
        job->passes[i].note_left_out = note_left_out;
        job->passes[i].offline = job->engine->offline;
        job->passes[i].site_id = site_id;
        job->passes[i].service = service;
        job->passes[i].option = option_of;
        job->passes[i].inlined = &job->inlined;
        job->passes[i].file = job->file.arena ? &job->file : NULL;
        job->passes[i].file_inlined = &job->file_inlined;
        job->passes[i].forced = job->origin.forced_passes >> i & 1;
        job->passes[i].repeated = 0;
        for (size_t k = 0; k < i; k++)
            if (job->options->passes[k].pass == job->options->passes[i].pass &&
                !instr_job_excludes(job, k))
                job->passes[i].repeated = 1;
        job->passes[i].early = job->origin.occasion == INSTR_CLASS_EARLY;
        job->passes[i].engine = job;
        job->passes[i].cached = &job->work->callees[i];
    }
}
