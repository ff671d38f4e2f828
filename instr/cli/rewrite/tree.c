// A directory with all that is in it, and a single class.
//
// The new tree is built beside its place and renamed when it is whole. Nothing in it is followed:
// symbolic links are made again as they are.

#include "instr/cli/cli.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/cli/rewrite/roots.h"
#include "instr/cli/rewrite/work.h"
#include "instr/base/hash.h"
#include "instr/base/output.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

struct item {   // of the tree
    char *path; // below it
    struct stat st;
    size_t job; // SIZE_MAX: none
};

struct tree {
    struct cli_rewrite *rewrite;
    char out[PATH_MAX]; // the tree being built
    struct item *items;
    size_t count, capacity;
    struct cli_roots roots;
    struct cli_work work;
    struct cli_reader reader;
};

static int fail(const char *name, const char *reason) {
    cli_error("%s: %s", name, reason);
    return -1;
}

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static int join(char to[PATH_MAX], const char *folder, const char *path) {
    return snprintf(to, PATH_MAX, "%s/%s", folder, path) < PATH_MAX ? 0 : -1;
}

// --- writing ---

static int write_all(int fd, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR && !cli_interrupted) continue;
        if (n < 0) return -1;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

static int write_file(const char *path, const uint8_t *bytes, size_t length, mode_t mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return fail(path, strerror(errno));
    int result = write_all(fd, bytes, length);
    if (result == 0 && mode) result = fchmod(fd, mode & 07777);
    if (close(fd) != 0) result = -1;
    return result == 0 ? 0 : fail(path, strerror(errno));
}

static int copy_file(const char *from, const char *to, const struct stat *st, char *reason) {
    static uint8_t piece[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(errno));
        return 1; // not there for us; the rest goes on
    }
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), result = out < 0 ? -1 : 0;
    ssize_t n = 0;
    while (result == 0 && !cli_interrupted && (n = read(in, piece, sizeof piece)) > 0)
        result = write_all(out, piece, (size_t)n);
    if (n < 0) result = -1;
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    if (result == 0) result = fchmod(out, st->st_mode & 07777) | futimens(out, times);
    close(in);
    if (out >= 0 && close(out) != 0) result = -1;
    return result == 0 ? 0 : fail(to, strerror(errno));
}

static int copy_link(const char *from, const char *to) {
    char target[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0) return fail(from, strerror(errno));
    target[n] = '\0';
    return symlink(target, to) == 0 ? 0 : fail(to, strerror(errno));
}

static int write_job(struct tree *t, struct item *item, const char *from, const char *to) {
    struct cli_job *job = &t->work.jobs[item->job];
    char reason[CLI_REASON_SIZE];
    int result = 0;
    cli_work_wait(&t->work, job);
    if (cli_interrupted) return -1;
    if (job->failed) cli_rewrite_failed(t->rewrite, NULL, from, job->reason);
    if (job->changed)
        result = write_file(to, job->bytes, job->length, item->st.st_mode);
    else
        result = copy_file(from, to, &item->st, reason);
    cli_work_release(&t->work, job);
    return result < 0 ? -1 : 0;
}

static int write_archive(struct tree *t, struct item *item, const char *from, const char *to) {
    struct cli_job *job = &t->work.jobs[item->job];
    char reason[CLI_REASON_SIZE];
    cli_work_wait(&t->work, job); // the classes behind it wait for their numbers
    int result = cli_interrupted ? -1 : cli_rewrite_archive_file(t->rewrite, from, to, reason);
    cli_work_done(&t->work, job);
    if (result == 0 || cli_interrupted) return result;
    cli_rewrite_failed(t->rewrite, NULL, from, reason);
    result = copy_file(from, to, &item->st, reason);
    return result < 0 ? -1 : 0;
}

static int write_item(struct tree *t, struct item *item) {
    char from[PATH_MAX], to[PATH_MAX], reason[CLI_REASON_SIZE];
    if (join(from, t->rewrite->in, item->path) != 0 || join(to, t->out, item->path) != 0)
        return fail(item->path, strerror(ENAMETOOLONG));
    if (S_ISDIR(item->st.st_mode)) return mkdir(to, 0777) == 0 ? 0 : fail(to, strerror(errno));
    if (S_ISLNK(item->st.st_mode)) return copy_link(from, to);
    if (!S_ISREG(item->st.st_mode)) {
        cli_rewrite_failed(t->rewrite, NULL, from, "left out: neither a file nor a directory");
        return 0;
    }
    if (item->job != SIZE_MAX)
        return t->work.jobs[item->job].root ? write_job(t, item, from, to)
                                            : write_archive(t, item, from, to);
    int result = copy_file(from, to, &item->st, reason);
    if (result > 0) cli_rewrite_failed(t->rewrite, NULL, from, reason);
    return result < 0 ? -1 : 0;
}

static int write_gates(struct cli_rewrite *rewrite, struct cli_roots *roots, const char *folder) {
    char path[PATH_MAX];
    for (size_t r = 0; r < roots->count; r++) {
        struct cli_root *root = roots->items[r];
        for (size_t i = 0; i < cli_gate_count(); i++) {
            struct cli_bytes bytes;
            int n = snprintf(path, sizeof path, "%s/%s%s%s.class", folder, root->path, root->prefix,
                             cli_gate_name(i));
            if (n >= (int)sizeof path) return fail(root->path, strerror(ENAMETOOLONG));
            if (cli_gate_make(rewrite, root, i, &bytes) != 0) return fail(path, "out of memory");
            int result = write_file(path, bytes.bytes, bytes.length, 0);
            free(bytes.bytes);
            if (result != 0) return -1;
        }
    }
    return 0;
}

// Modes and times of directories, when nothing is put into them any more.
static void finish_directories(struct tree *t) {
    char to[PATH_MAX];
    for (size_t i = t->count; i-- > 0;) {
        const struct stat *st = &t->items[i].st;
        const struct timespec times[2] = {st->st_atim, st->st_mtim};
        if (!S_ISDIR(st->st_mode) || join(to, t->out, t->items[i].path) != 0) continue;
        if (chmod(to, st->st_mode & 07777) != 0 || utimensat(AT_FDCWD, to, times, 0) != 0)
            cli_rewrite_notice(t->rewrite, to, strerror(errno));
    }
}

// --- listing ---

static int read_class(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                      char reason[CLI_REASON_SIZE]) {
    (void)reader;
    return cli_read_file(job->path, bytes, reason);
}

static int read_for_root(void *context, struct cli_bytes *bytes) {
    char reason[CLI_REASON_SIZE];
    return cli_read_file(context, bytes, reason);
}

static int add_job(struct tree *t, struct item *item, const char *path, size_t start,
                   struct cli_root *root) {
    struct cli_job *jobs = realloc(t->work.jobs, (t->work.count + 1) * sizeof *jobs);
    if (!jobs) return -1;
    t->work.jobs = jobs;
    item->job = t->work.count;
    char *whole = strdup(path);
    jobs[t->work.count++] = (struct cli_job){
        .path = whole, .start = start, .root = root, .size = (uint64_t)item->st.st_size};
    return whole ? 0 : -1;
}

static int take_class(struct tree *t, struct item *item, const char *path) {
    struct cli_rewrite *rewrite = t->rewrite;
    size_t skipped = strlen(path) - strlen(item->path);
    char *whole = strdup(path);
    if (!whole) return -1;
    long start = item->st.st_size > CLI_MOST_CLASS
                     ? -1
                     : cli_roots_find(&t->roots, item->path, read_for_root, whole);
    free(whole);
    if (start < 0) {
        cli_rewrite_failed(rewrite, NULL, path,
                           item->st.st_size > CLI_MOST_CLASS ? "larger than 100 MB"
                                                             : "no class of this name is in it");
        return 0;
    }
    const char *name = item->path + start;
    size_t length = strlen(name) - (sizeof ".class" - 1);
    if (strncmp(name, "java/", 5) == 0 || cli_gate_is(name, length) ||
        ends_with(path, "/module-info.class") || ends_with(path, "/package-info.class") ||
        !instr_scope_matches(&rewrite->options, name, length, 0))
        return 0;
    struct cli_root *root = cli_roots_get(&t->roots, item->path, (size_t)start);
    rewrite->classes++;
    return root ? add_job(t, item, path, skipped + (size_t)start, root) : -1;
}

static int add_item(struct tree *t, const FTSENT *found) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 256;
        struct item *items = realloc(t->items, capacity * sizeof *items);
        if (!items) return -1;
        t->items = items;
        t->capacity = capacity;
    }
    struct item *item = &t->items[t->count];
    *item = (struct item){strdup(found->fts_path + strlen(t->rewrite->in) + 1), *found->fts_statp,
                          SIZE_MAX};
    if (!item->path) return -1;
    t->count++;
    t->roots.key =
        instr_hash(item->path, strlen(item->path), t->roots.key ^ (uint64_t)item->st.st_size);
    return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int list_items(struct tree *t) {
    char *copy = strdup(t->rewrite->in);
    char *const starts[] = {copy, NULL};
    FTS *walk = copy ? fts_open(starts, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name) : NULL;
    int result = walk ? 0 : fail(t->rewrite->in, strerror(errno));
    for (const FTSENT *found; result == 0 && !cli_interrupted && (found = fts_read(walk));) {
        if (found->fts_level == 0 || found->fts_info == FTS_DP) continue;
        if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR || found->fts_info == FTS_NS)
            cli_rewrite_failed(t->rewrite, NULL, found->fts_path, strerror(found->fts_errno));
        else if (add_item(t, found) != 0)
            result = fail(found->fts_path, "out of memory");
    }
    if (walk) fts_close(walk);
    free(copy);
    return result;
}

static int list_jobs(struct tree *t) {
    char path[PATH_MAX];
    for (size_t i = 0; i < t->count && !cli_interrupted; i++) {
        struct item *item = &t->items[i];
        int result = 0;
        if (!S_ISREG(item->st.st_mode) || join(path, t->rewrite->in, item->path) != 0) continue;
        if (ends_with(item->path, ".class"))
            result = take_class(t, item, path);
        else if (cli_names_archive(item->path) && item->st.st_size > 0)
            result = add_job(t, item, path, 0, NULL);
        if (result != 0) return fail(path, "out of memory");
    }
    return 0;
}

// --- the whole ---

static void remove_tree(const char *path) {
    char *copy = strdup(path);
    char *const starts[] = {copy, NULL};
    FTS *walk = copy ? fts_open(starts, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    for (const FTSENT *found; walk && (found = fts_read(walk));) {
        if (found->fts_info == FTS_D)
            chmod(found->fts_path, 0700);
        else if (found->fts_info == FTS_DP)
            rmdir(found->fts_path);
        else
            unlink(found->fts_path);
    }
    if (walk) fts_close(walk);
    free(copy);
}

// Does `inner` lie in `outer`? Both are absolute.
static int lies_in(const char *inner, const char *outer) {
    size_t n = strlen(outer);
    return strncmp(inner, outer, n) == 0 && (inner[n] == '/' || inner[n] == '\0' || n == 1);
}

// The tree must not be built within itself.
static int prepare_out(struct tree *t) {
    char in[PATH_MAX], parent[PATH_MAX], folder[PATH_MAX];
    const char *out = t->rewrite->out;
    size_t n = strlen(out);
    while (n > 1 && out[n - 1] == '/') n--;
    const char *slash = memrchr(out, '/', n);
    if (n >= sizeof folder) return fail(out, strerror(ENAMETOOLONG));
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - out) + 1 : 1, slash ? out : ".");
    if (!realpath(t->rewrite->in, in)) return fail(t->rewrite->in, strerror(errno));
    if (!realpath(folder, parent)) return fail(folder, strerror(errno));
    if (lies_in(parent, in)) return fail(out, "lies in IN");
    if (snprintf(t->out, sizeof t->out, "%s/.instr-%ld.tmp", parent, (long)getpid()) >=
        (int)sizeof t->out)
        return fail(out, strerror(ENAMETOOLONG));
    remove_tree(t->out);
    return mkdir(t->out, 0777) == 0 ? 0 : fail(t->out, strerror(errno));
}

static int build_tree(struct tree *t) {
    if (list_items(t) != 0 || list_jobs(t) != 0 || cli_interrupted) return -1;
    if (isatty(STDERR_FILENO) && !t->rewrite->options.quiet)
        for (size_t i = 0; i < t->count; i++) t->rewrite->total += (uint64_t)t->items[i].st.st_size;
    t->work.rewrite = t->rewrite;
    t->work.read = read_class;
    int result = cli_work_start(&t->work);
    if (result != 0) fail(t->rewrite->in, "no thread can be started");
    for (size_t i = 0; result == 0 && i < t->count; i++) {
        result = cli_interrupted ? -1 : write_item(t, &t->items[i]);
        if (t->items[i].job == SIZE_MAX || t->work.jobs[t->items[i].job].root)
            cli_rewrite_progress(t->rewrite, (uint64_t)t->items[i].st.st_size);
    }
    cli_work_stop(&t->work);
    if (result == 0) result = write_gates(t->rewrite, &t->roots, t->out);
    if (result == 0) finish_directories(t);
    return cli_interrupted ? -1 : result;
}

int cli_rewrite_tree(struct cli_rewrite *rewrite) {
    struct tree t = {.rewrite = rewrite};
    char in[PATH_MAX];
    snprintf(in, sizeof in, "%s", rewrite->in);
    for (size_t n = strlen(in); n > 1 && in[n - 1] == '/'; n--) in[n - 1] = '\0';
    rewrite->in = in;
    t.roots.key = instr_hash(rewrite->options_text, strlen(rewrite->options_text), 0);
    int result = prepare_out(&t);
    if (result == 0) {
        struct stat st;
        result = build_tree(&t);
        if (result == 0 && stat(in, &st) == 0) chmod(t.out, st.st_mode & 07777);
        // Takes the place of an empty directory, and of nothing else.
        if (result == 0 && rename(t.out, rewrite->out) != 0)
            result = fail(rewrite->out, strerror(errno));
        if (result != 0) remove_tree(t.out);
    }
    for (size_t i = 0; i < t.work.count; i++) free((char *)(uintptr_t)t.work.jobs[i].path);
    for (size_t i = 0; i < t.count; i++) free(t.items[i].path);
    free(t.work.jobs);
    free(t.items);
    cli_roots_free(&t.roots);
    return result == 0 ? CLI_OK : CLI_FAILED;
}

// --- a single class ---

static int write_whole(const char *path, const struct cli_bytes *bytes) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    instr_output_open(&out, path);
    instr_output_bytes(&out, bytes->bytes, bytes->length);
    if (instr_output_close(&out, error, sizeof error) == 0) return 0;
    cli_error("%s", error);
    return -1;
}

// The gates lie beside the class, as they are in its package.
static int write_class_gates(struct cli_rewrite *rewrite, const struct cli_root *root) {
    const char *slash = strrchr(rewrite->out, '/'), *simple = strrchr(root->prefix, '/');
    simple = simple ? simple + 1 : root->prefix;
    char path[PATH_MAX];
    for (size_t i = 0; i < cli_gate_count(); i++) {
        struct cli_bytes bytes;
        int n = snprintf(path, sizeof path, "%.*s%s%s.class",
                         slash ? (int)(slash + 1 - rewrite->out) : 0, rewrite->out, simple,
                         cli_gate_name(i));
        if (n >= (int)sizeof path) return fail(rewrite->out, strerror(ENAMETOOLONG));
        if (cli_gate_make(rewrite, root, i, &bytes) != 0) return fail(path, "out of memory");
        int result = write_whole(path, &bytes);
        free(bytes.bytes);
        if (result != 0) return -1;
    }
    return 0;
}

// 1: changed, 0: not, -1: kept for the reason.
static int rewrite_bytes(struct cli_rewrite *rewrite, const struct cli_bytes *in,
                         struct cli_roots *roots, struct cli_bytes *out, char *reason) {
    struct cli_rewriter rewriter = {.rewrite = rewrite};
    struct cf_class cls;
    char name[PATH_MAX];
    cf_arena_init(&rewriter.arena);
    int result = -1;
    struct cf_slice s = {NULL, 0};
    if (cf_class_open(&cls, in->bytes, in->length, &rewriter.arena) == CF_OK)
        s = cf_this_name(&cls);
    snprintf(name, sizeof name, "%.*s.class", s.bytes ? (int)s.length : 0,
             s.bytes ? (const char *)s.bytes : "");
    struct cli_class class = {.bytes = in->bytes, .length = in->length, .name = name};
    class.root = cli_roots_get(roots, name, 0);
    if (class.root && cli_class_open(&rewriter, &class, reason) == 0) {
        result = 0;
        if (instr_scope_matches(&rewrite->options, name, s.length, 0)) {
            rewrite->classes++;
            cli_class_number(&rewriter, &class);
            result = cli_class_rewrite(&rewriter, &class, out, reason);
            rewrite->changed += result > 0;
        }
    }
    cf_arena_free(&rewriter.arena);
    return result;
}

int cli_rewrite_single(struct cli_rewrite *rewrite) {
    struct cli_bytes in, out = {NULL, 0};
    struct cli_roots roots = {0};
    char reason[CLI_REASON_SIZE] = "out of memory";
    if (cli_read_file(rewrite->in, &in, reason) != 0) {
        fail(rewrite->in, reason);
        return CLI_FAILED;
    }
    roots.key = instr_hash(in.bytes, in.length,
                           instr_hash(rewrite->options_text, strlen(rewrite->options_text), 0));
    int result = in.length > CLI_MOST_CLASS ? 0 : rewrite_bytes(rewrite, &in, &roots, &out, reason);
    if (in.length > CLI_MOST_CLASS)
        cli_rewrite_failed(rewrite, NULL, rewrite->in, "larger than 100 MB");
    if (result < 0) cli_rewrite_failed(rewrite, NULL, rewrite->in, reason);
    int failed = cli_interrupted ||
                 (result > 0 && write_class_gates(rewrite, roots.items[0]) != 0) ||
                 write_whole(rewrite->out, result > 0 ? &out : &in) != 0;
    free(in.bytes);
    free(out.bytes);
    cli_roots_free(&roots);
    return failed ? CLI_FAILED : CLI_OK;
}
