// A jar, and the jars in it.
//
// libzip opens the archive and writes it when it is closed: unchanged entries are copied with their
// compressed bytes. Each class is replaced by a source that waits for the result of the threads.

#include "instr/cli/rewrite/archive.h"
#include "instr/base/array.h"
#include "instr/base/hash.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/cli/rewrite/kits.h"
#include "instr/cli/rewrite/manifest.h"
#include "instr/cli/rewrite/replace.h"
#include "instr/cli/rewrite/read.h"
#include "instr/cli/rewrite/roots.h"
#include "instr/cli/rewrite/run.h"
#include "instr/kit/kit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GATE_TIME = 315532800 }; // 1 January 1980, the first day there is in an archive

struct archive {
    struct cli_rewrite *rewrite;
    const struct cli_store *in;
    const char *name;
    int depth;
    zip_t *zip;
    struct cli_reader reader; // the main thread's
    struct cli_roots roots;
    struct cli_work work;
    size_t capacity;       // of work.jobs
    struct entry *entries; // one for each job, then one for each gate
    int running;
};

// A replaced entry, and the state of its source.
struct entry {
    struct archive *archive;
    struct cli_job *job;
    struct cli_job gate_job; // of a gate
    size_t gate;
    zip_stat_t before; // as it lies in the archive
    uint64_t weight;   // bytes of the archive for the progress bar, less those already counted
    size_t at;
    int settled; // the result is there, and failures were reported
    zip_error_t error;
};

int cli_names_archive(const char *name) {
    static const char *const ends[] = {".jar", ".war", ".ear", ".rar", ".zip", ".par", ".sar"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && strcasecmp(name + n - strlen(ends[i]), ends[i]) == 0) return 1;
    return 0;
}

// --- reading ---

struct read_request {
    struct archive *archive;
    const zip_stat_t *st;
};

static int read_for_root(void *context, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]) {
    struct read_request *request = context;
    if (request->st->size <= CLI_MOST_CLASS)
        return cli_read_entry(request->archive->reader.archive, (size_t)request->st->index, bytes,
                              reason);
    snprintf(reason, CLI_REASON_SIZE, "larger than 100 MB");
    return -1;
}

// --- the source of a replaced entry, for libzip ---

// 1; 0: it is one too many, as was said before; -1 with a reason.
static int unpack_nested(struct archive *a, struct cli_job *job, struct cli_bytes *bytes) {
    switch (cli_nested_take(&a->rewrite->nested, a->reader.archive, job->index)) {
    case CLI_NESTED_STILL_FULL: return 0;
    case CLI_NESTED_FULL:
        snprintf(job->reason, sizeof job->reason,
                 "too many or too large jars in jars; the rest of them stays as it is");
        return -1;
    case CLI_NESTED_ROOM: break;
    }
    return cli_read_entry(a->reader.archive, job->index, bytes, job->reason) == 0 ? 1 : -1;
}

// Rewrites a nested archive. The threads are idle at this point, as the classes after it wait for
// their ids.
static void rewrite_nested(struct archive *a, struct entry *entry) {
    struct cli_job *job = entry->job;
    struct cli_bytes in = {NULL, 0};
    struct cli_sink out = {.fd = -1};
    char name[1024];
    uint64_t done = a->rewrite->done;
    snprintf(name, sizeof name, "%s!%s", a->name, job->path);
    int result = unpack_nested(a, job, &in);
    if (result > 0) {
        struct cli_store store = {-1, in.bytes, in.length};
        result = cli_rewrite_archive(a->rewrite, &store, &out, name, a->depth + 1, job->reason);
        free(in.bytes);
    }
    if (result > 0 && cli_work_pack(&a->reader, job, out.bytes, out.used, job->deflate) != 0) {
        snprintf(job->reason, sizeof job->reason, "out of memory");
        result = -1;
    }
    cli_sink_free(&out);
    done = a->rewrite->done - done;
    entry->weight -= done < entry->weight ? done : entry->weight;
    job->changed = result > 0;
    job->failed = result < 0;
    struct cli_bytes raw;
    char reason[CLI_REASON_SIZE];
    if (job->changed || cli_entry_raw(&a->reader, job, &raw, reason) != 0) return;
    job->bytes = raw.bytes;
    job->length = raw.length;
}

// The code of kits calls no gate.
static size_t gate_count(const struct archive *a) {
    return a->rewrite->counting.pass_count ? cli_gate_count() : 0;
}

static void make_gate(struct archive *a, struct entry *entry) {
    struct cli_bytes bytes = {NULL, 0};
    if (cli_gate_make(a->rewrite, entry->job->root, entry->gate, &bytes) != 0) return;
    entry->job->changed = cli_work_pack(&a->reader, entry->job, bytes.bytes, bytes.length, 1) == 0;
    free(bytes.bytes);
}

// Makes sure that the result is there. -1: it is not, and the archive cannot be written.
static int settle(struct entry *entry) {
    struct archive *a = entry->archive;
    struct cli_job *job = entry->job;
    if (entry->settled) return 0;
    if (job == &entry->gate_job) {
        make_gate(a, entry);
    } else {
        cli_work_wait(&a->work, job);
        if (cli_interrupted) return -1;
        if (!job->root) rewrite_nested(a, entry);
        if (!job->root) cli_work_done(&a->work, job);
        if (job->failed) cli_rewrite_failed(a->rewrite, a->name, job->path, job->reason);
    }
    entry->settled = job->bytes != NULL && !cli_interrupted;
    return entry->settled ? 0 : -1;
}

static zip_int64_t stat_entry(struct entry *entry, zip_stat_t *st) {
    const struct cli_job *job = entry->job;
    zip_stat_init(st);
    st->valid = ZIP_STAT_MTIME;
    st->mtime = entry->before.mtime;
    if (!entry->archive->running) return sizeof *st;
    st->valid |= ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (job->changed) {
        st->size = job->is_deflated ? job->plain_length : job->length;
        st->comp_method = job->is_deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
        st->crc = job->crc;
        if (job->is_deflated) st->valid |= ZIP_STAT_CRC;
    } else {
        st->size = entry->before.size;
        st->comp_method = entry->before.comp_method;
        st->crc = entry->before.crc;
        st->valid |= ZIP_STAT_CRC;
    }
    st->comp_size = job->length;
    return sizeof *st;
}

static zip_int64_t read_entry(struct entry *entry, void *to, uint64_t n) {
    size_t left = entry->job->length - entry->at;
    if (n > left) n = left;
    memcpy(to, entry->job->bytes + entry->at, (size_t)n);
    entry->at += (size_t)n;
    return (zip_int64_t)n;
}

static zip_int64_t close_entry(struct entry *entry) {
    struct archive *a = entry->archive;
    if (entry->job == &entry->gate_job) {
        free(entry->job->bytes);
        entry->job->bytes = NULL;
        return 0;
    }
    cli_work_release(&a->work, entry->job);
    cli_rewrite_progress(a->rewrite, entry->weight);
    entry->weight = 0;
    return 0;
}

static zip_int64_t on_command(void *context, void *data, zip_uint64_t n, zip_source_cmd_t command) {
    struct entry *entry = context;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
                                              ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                              ZIP_SOURCE_FREE, -1);
    case ZIP_SOURCE_STAT:
        if (n < sizeof(zip_stat_t)) break;
        if (entry->archive->running && settle(entry) != 0) break;
        return stat_entry(entry, data);
    case ZIP_SOURCE_OPEN:
        if (settle(entry) != 0 || !entry->job->bytes) break;
        entry->at = 0;
        return 0;
    case ZIP_SOURCE_READ: return read_entry(entry, data, n);
    case ZIP_SOURCE_CLOSE: return close_entry(entry);
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&entry->error, data, n);
    case ZIP_SOURCE_FREE: return 0;
    default: break;
    }
    zip_error_set(&entry->error, ZIP_ER_READ, EIO);
    return -1;
}

static zip_source_t *source_of(struct archive *a, struct entry *entry) {
    entry->archive = a;
    zip_error_init(&entry->error);
    return zip_source_function(a->zip, on_command, entry);
}

// --- the jobs ---

static int add_job(struct archive *a, const zip_stat_t *st, const char *path, size_t start,
                   struct cli_root *root) {
    struct cli_work *work = &a->work;
    if (!INSTR_ARRAY_RESERVE(work->jobs, a->capacity, work->count + 1)) return -1;
    work->jobs[work->count++] = (struct cli_job){
        .index = (size_t)st->index,
        .path = path,
        .start = start,
        .root = root,
        .size = st->size,
        .deflate = st->comp_method == ZIP_CM_DEFLATE,
    };
    return 0;
}

static int can_be_read(struct archive *a, const zip_stat_t *st, const char *path) {
    const zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_INDEX;
    int known = (st->valid & needed) == needed &&
                (st->comp_method == ZIP_CM_STORE || st->comp_method == ZIP_CM_DEFLATE);
    int is_plain = known && st->encryption_method == ZIP_EM_NONE;
    if (is_plain && st->comp_size <= CLI_MOST_BYTES) return 1;
    cli_rewrite_failed(a->rewrite, a->name, path,
                       is_plain ? "larger than 512 MB"
                                : "encrypted, or compressed in a way that no JVM reads");
    return 0;
}

static int look_for_kits(struct archive *a, struct read_request *request, struct cli_root *root,
                         char reason[CLI_REASON_SIZE]) {
    struct cli_bytes bytes;
    if (read_for_root(request, &bytes, reason) != 0) return -1;
    int result = cli_kits_look(a->rewrite, root, &bytes, reason);
    free(bytes.bytes);
    return result;
}

// 0; or -1: out of memory.
static int take_class(struct archive *a, const zip_stat_t *st, const char *path) {
    struct read_request request = {a, st};
    struct cli_root *root;
    size_t start;
    char reason[CLI_REASON_SIZE];
    if (!can_be_read(a, st, path)) return 0;
    switch (cli_roots_find(&a->roots, &a->rewrite->options, path, read_for_root, &request, &root,
                           &start, reason)) {
    case CLI_ROOT_FOUND:
        if (a->rewrite->kits && look_for_kits(a, &request, root, reason) != 0) {
            cli_rewrite_failed(a->rewrite, a->name, path, reason);
            return 0;
        }
        a->rewrite->classes++;
        return add_job(a, st, path, start, root);
    case CLI_ROOT_OUT_OF_SCOPE: return 0;
    case CLI_ROOT_UNKNOWN: cli_rewrite_failed(a->rewrite, a->name, path, reason); return 0;
    default: return -1;
    }
}

// Adds the job of an entry, if it has one. 0; or -1: out of memory.
static int list_job(struct archive *a, const zip_stat_t *st, const char *path, int *is_signed) {
    if (cli_is_signature_file(path)) *is_signed = 1;
    cli_kits_note(a->rewrite, a->name, path);
    if (cli_ends_with(path, ".class") && strlen(path) > 6 && take_class(a, st, path) < 0) return -1;
    if (!cli_names_archive(path) || st->size == 0) return 0;
    if (a->depth >= CLI_MOST_NESTING)
        cli_rewrite_failed(a->rewrite, a->name, path, "jars are nested too deeply");
    else if (can_be_read(a, st, path) && add_job(a, st, path, 0, NULL) != 0)
        return -1;
    return 0;
}

// The jobs in the order in which their entries will be written. 0; or -1: out of memory.
static int list_jobs(struct archive *a, int *is_signed) {
    zip_int64_t count = zip_get_num_entries(a->zip, 0);
    for (int turn = 0; turn < 3;
         turn++) { // the key of the roots; entries; entries that move to the end
        for (zip_int64_t i = 0; i < count && !cli_interrupted; i++) {
            const char *path = zip_get_name(a->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
            zip_stat_t st;
            zip_stat_init(&st);
            if (!path || zip_stat_index(a->zip, (zip_uint64_t)i, 0, &st) != 0) continue;
            if (turn == 0)
                a->roots.key = instr_hash(path, strlen(path), a->roots.key ^ st.crc);
            else if (turn == 1 + cli_replaced_goes_last(&st) &&
                     list_job(a, &st, path, is_signed) != 0)
                return -1;
        }
    }
    return 0;
}

// The size of the entries from `from` to `to` with their headers.
static uint64_t weight_of(struct archive *a, size_t from, size_t to) {
    uint64_t weight = 0;
    zip_stat_t st;
    for (size_t i = from; i <= to; i++) {
        zip_stat_init(&st);
        const char *path = zip_get_name(a->zip, i, ZIP_FL_ENC_RAW);
        if (!path || zip_stat_index(a->zip, i, 0, &st) != 0) continue;
        weight += st.comp_size + 2 * strlen(path) + 76;
    }
    return weight;
}

static int replace_jobs(struct archive *a) {
    size_t next = 0;
    for (size_t i = 0; i < a->work.count; i++) {
        struct entry *entry = &a->entries[i];
        entry->job = &a->work.jobs[i];
        if (a->rewrite->total > 0) entry->weight = weight_of(a, next, entry->job->index);
        next = entry->job->index + 1;
        zip_stat_init(&entry->before);
        if (zip_stat_index(a->zip, entry->job->index, 0, &entry->before) != 0) return -1;
        zip_source_t *source = source_of(a, entry);
        if (!source) return -1;
        if (cli_replace_entry(a->zip, entry->job->index, source, &entry->before) != 0) return -1;
    }
    return 0;
}

static int add_gates(struct archive *a) {
    char name[4096];
    struct entry *entry = a->entries + a->work.count;
    for (size_t r = 0; r < a->roots.count; r++) {
        struct cli_root *root = a->roots.items[r];
        for (size_t i = 0; i < gate_count(a); i++, entry++) {
            entry->job = &entry->gate_job;
            entry->job->root = root;
            entry->gate = i;
            entry->before.mtime = GATE_TIME;
            if (snprintf(name, sizeof name, "%s%s%s.class", root->path, root->prefix,
                         cli_gate_name(i)) >= (int)sizeof name)
                return -1;
            zip_source_t *source = source_of(a, entry);
            if (!source) return -1;
            if (zip_file_add(a->zip, name, source, 0) < 0) {
                zip_source_free(source);
                return -1;
            }
        }
    }
    return 0;
}

// The classes of kits.
static int add_for_kits(struct archive *a) {
    char name[4096];
    for (size_t r = 0; r < a->roots.count; r++) {
        const struct cli_root *root = a->roots.items[r];
        for (size_t i = 0; i < root->added_count; i++) {
            const struct cli_added *added = &root->added[i];
            if (snprintf(name, sizeof name, "%s%s.class", root->path, added->name) >=
                (int)sizeof name)
                return -1;
            zip_source_t *source = zip_source_buffer(a->zip, added->bytes, added->length, 0);
            zip_int64_t index = source ? zip_file_add(a->zip, name, source, 0) : -1;
            if (index < 0) {
                zip_source_free(source);
                return -1;
            }
            zip_file_set_mtime(a->zip, (zip_uint64_t)index, GATE_TIME, 0);
        }
    }
    return 0;
}

// Are there classes of kits in INSTR_KIT_WOVEN?
static bool has_woven(const struct archive *a) {
    for (size_t r = 0; r < a->roots.count; r++)
        if (!*a->roots.items[r]->path && a->roots.items[r]->added_count) return true;
    return false;
}

// A part of a manifest's change, which replaces the bytes.
static int take_manifest(struct cli_bytes *manifest, int result, struct cli_bytes next) {
    if (result != 0) return -1;
    free(manifest->bytes);
    *manifest = next;
    return 0;
}

// The class path may have the package INSTR_KIT_WOVEN in several jars.
static int change_manifest(struct cli_bytes *manifest, int is_signed, bool seals) {
    struct cli_bytes next = {NULL, 0};
    int result = is_signed ? cli_manifest_unsigned(manifest, &next) : 0;
    if (is_signed && take_manifest(manifest, result, next) != 0) return -1;
    if (!seals) return 0;
    result = cli_manifest_open_package(manifest, INSTR_KIT_WOVEN, &next);
    return take_manifest(manifest, result, next);
}

static int replace_manifest(struct archive *a, zip_uint64_t index, const zip_stat_t *st,
                            int is_signed) {
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    if (st->size > CLI_MOST_CLASS ||
        cli_read_entry(a->reader.archive, (size_t)index, &bytes, reason) != 0)
        return 0; // the JVM will report it
    zip_source_t *source = NULL;
    bool seals = has_woven(a) && cli_manifest_seals(&bytes, INSTR_KIT_WOVEN);
    if (!is_signed && !seals) {
        free(bytes.bytes);
        return 0;
    }
    if (change_manifest(&bytes, is_signed, seals) == 0)
        source = zip_source_buffer(a->zip, bytes.bytes, bytes.length, 1);
    if (!source) free(bytes.bytes);
    return source ? cli_replace_entry(a->zip, index, source, st) : -1;
}

// Signatures would be invalid: they are removed, together with the digests in the manifest.
static int change_meta_inf(struct archive *a, int is_signed) {
    zip_int64_t count = zip_get_num_entries(a->zip, ZIP_FL_UNCHANGED);
    size_t dropped = 0;
    char text[64];
    if (!is_signed && !has_woven(a)) return 0;
    for (zip_int64_t i = 0; i < count; i++) {
        const char *path = zip_get_name(a->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        zip_stat_t st;
        zip_stat_init(&st);
        if (!path) continue;
        if (is_signed && cli_is_signature(path)) {
            if (zip_delete(a->zip, (zip_uint64_t)i) != 0) return -1;
            dropped++;
        } else if (cli_is_manifest(path) && zip_stat_index(a->zip, (zip_uint64_t)i, 0, &st) == 0 &&
                   replace_manifest(a, (zip_uint64_t)i, &st, is_signed) != 0) {
            return -1;
        }
    }
    if (!is_signed) return 0;
    snprintf(text, sizeof text, "signature removed (%zu file%s, and the digests in the manifest)",
             dropped, cli_plural(dropped, "s"));
    cli_rewrite_notice(a->rewrite, a->name, text);
    return 0;
}

// --- the archive ---

static int fail_zip(zip_t *zip, const struct cli_sink *out, char reason[CLI_REASON_SIZE]) {
    const char *text = cli_interrupted     ? "interrupted"
                       : out && out->error ? strerror(out->error)
                                           : zip_strerror(zip);
    snprintf(reason, CLI_REASON_SIZE, "%s", text);
    return -1;
}

// 1: done, 0: nothing to do, -1: failed.
static int rewrite_open(struct archive *a, struct cli_sink *out, char reason[CLI_REASON_SIZE]) {
    int is_signed = 0;
    if (list_jobs(a, &is_signed) != 0) return fail_zip(a->zip, NULL, reason);
    if (a->work.count == 0) return 0;
    a->entries = calloc(a->work.count + a->roots.count * gate_count(a), sizeof *a->entries);
    if (!a->entries || replace_jobs(a) != 0 || add_gates(a) != 0 || add_for_kits(a) != 0 ||
        change_meta_inf(a, is_signed) != 0)
        return fail_zip(a->zip, NULL, reason);
    a->work.rewrite = a->rewrite;
    a->work.store = a->in;
    a->work.read = cli_entry_class;
    a->work.read_raw = cli_entry_raw;
    int result = cli_work_start(&a->work);
    a->running = 1;
    if (result != 0)
        snprintf(reason, CLI_REASON_SIZE, "no thread can be started");
    else if (zip_close(a->zip) != 0)
        result = fail_zip(a->zip, out, reason);
    else
        a->zip = NULL;
    cli_work_stop(&a->work);
    a->running = 0;
    return result == 0 ? 1 : -1;
}

int cli_rewrite_archive(struct cli_rewrite *rewrite, const struct cli_store *in,
                        struct cli_sink *out, const char *name, int depth,
                        char reason[CLI_REASON_SIZE]) {
    struct archive a = {.rewrite = rewrite, .in = in, .name = name, .depth = depth};
    zip_error_t error;
    int result = -1;
    zip_error_init(&error);
    a.roots.all = cli_kits_ask(rewrite->kits);
    a.roots.key =
        instr_hash(rewrite->options_text, strlen(rewrite->options_text), instr_hash(name, 0, 0));
    // libzip accepts an empty file as an empty archive.
    if (in->length == 0) zip_error_set(&error, ZIP_ER_NOZIP, 0);
    if (in->length > 0) a.zip = cli_store_open(in, out, &error);
    if (a.zip) a.reader.archive = cli_store_open(in, NULL, &error);
    if (a.reader.archive)
        result = rewrite_open(&a, out, reason);
    else
        snprintf(reason, CLI_REASON_SIZE, "cannot be opened as a jar: %s",
                 zip_error_strerror(&error));
    if (a.zip) zip_discard(a.zip);
    cli_reader_close(&a.reader);
    zip_error_fini(&error);
    for (size_t i = 0; a.entries && i < a.roots.count * gate_count(&a); i++)
        free(a.entries[a.work.count + i].gate_job.bytes);
    cli_roots_free(&a.roots);
    free(a.work.jobs);
    free(a.entries);
    return result;
}
