// A directory and everything in it.
//
// The new tree is built beside its place and renamed when it is complete. Symbolic links in it are
// not followed but created again as they are.

#include "instr/cli/rewrite/tree.h"
#include "instr/base/array.h"
#include "instr/base/hash.h"
#include "instr/cli/paths.h"
#include "instr/cli/rewrite/archive.h"
#include "instr/cli/rewrite/file.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/cli/rewrite/kits.h"
#include "instr/cli/rewrite/roots.h"
#include "instr/cli/rewrite/run.h"
#include "instr/cli/rewrite/work.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    size_t jobs_capacity;
};

// Of the mode of a file or folder, which may be another user's while the new one is ours. A set-user-ID
// program of that user must not become one of ours.
enum { FILE_MODE = 0777 };
static mode_t folder_mode(const struct stat *st) {
    return st->st_mode & (st->st_uid == geteuid() ? 07777 : 01777);
}

static int fail(const char *name) {
    return cli_error("%s: %s", name, strerror(errno));
}

static int join(char to[PATH_MAX], const char *folder, const char *path) {
    if (snprintf(to, PATH_MAX, "%s/%s", folder, path) < PATH_MAX) return CLI_OK;
    errno = ENAMETOOLONG;
    return fail(path);
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
    if (fd < 0) return fail(path);
    int result = write_all(fd, bytes, length);
    if (result == 0) result = fchmod(fd, mode & FILE_MODE);
    if (close(fd) != 0) result = -1;
    return result == 0 ? CLI_OK : fail(path);
}

// Copies a file. One that cannot be read is skipped, and reported unless `is_reported`.
static int copy_file(struct tree *t, const char *from, const char *to, int is_reported) {
    static uint8_t piece[1 << 16];
    struct stat st; // of what is copied: the name may stand for another file than when it was found
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0 || fstat(in, &st) != 0) {
        if (!is_reported) cli_rewrite_failed(t->rewrite, NULL, from, strerror(errno));
        if (in >= 0) close(in);
        return CLI_OK;
    }
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), result = out < 0 ? -1 : 0;
    ssize_t n = 0;
    while (result == 0 && !cli_interrupted && (n = read(in, piece, sizeof piece)) > 0)
        result = write_all(out, piece, (size_t)n);
    if (n < 0) result = -1;
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    if (result == 0) result = fchmod(out, st.st_mode & FILE_MODE) | futimens(out, times);
    close(in);
    if (out >= 0 && close(out) != 0) result = -1;
    return result == 0 ? CLI_OK : fail(to);
}

static int copy_link(const char *from, const char *to) {
    char target[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0) return fail(from);
    target[n] = '\0';
    return symlink(target, to) == 0 ? CLI_OK : fail(to);
}

static int write_class(struct tree *t, struct item *item, const char *from, const char *to) {
    struct cli_job *job = &t->work.jobs[item->job];
    int status;
    cli_work_wait(&t->work, job);
    if (cli_interrupted) return CLI_FAILED;
    if (job->failed) cli_rewrite_failed(t->rewrite, NULL, from, job->reason);
    if (job->changed)
        status = write_file(to, job->bytes, job->length, item->st.st_mode);
    else
        status = copy_file(t, from, to, job->failed);
    cli_work_release(&t->work, job);
    return status;
}

static int write_archive(struct tree *t, struct item *item, const char *from, const char *to) {
    struct cli_job *job = &t->work.jobs[item->job];
    char reason[CLI_REASON_SIZE];
    cli_work_wait(&t->work, job); // the classes after it wait for their ids
    int result = cli_interrupted ? -1 : cli_rewrite_archive_file(t->rewrite, from, to, reason);
    cli_work_done(&t->work, job);
    if (result == 0) return CLI_OK;
    if (cli_interrupted) return CLI_FAILED;
    cli_rewrite_failed(t->rewrite, NULL, from, reason);
    return copy_file(t, from, to, 1);
}

static int write_item(struct tree *t, struct item *item) {
    char from[PATH_MAX], to[PATH_MAX];
    if (join(from, t->rewrite->in, item->path) != CLI_OK || join(to, t->out, item->path) != CLI_OK)
        return CLI_FAILED;
    if (S_ISDIR(item->st.st_mode)) return mkdir(to, 0777) == 0 ? CLI_OK : fail(to);
    if (S_ISLNK(item->st.st_mode)) return copy_link(from, to);
    if (!S_ISREG(item->st.st_mode)) {
        cli_rewrite_failed(t->rewrite, NULL, from, "neither a file nor a directory");
        return CLI_OK;
    }
    if (item->job == SIZE_MAX) return copy_file(t, from, to, 0);
    return t->work.jobs[item->job].root ? write_class(t, item, from, to)
                                        : write_archive(t, item, from, to);
}

// Makes the folders of a file.
static int make_folders(char *path) {
    for (char *c = strchr(path + 1, '/'); c; c = strchr(c + 1, '/')) {
        *c = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *c = '/';
        if (failed) return -1;
    }
    return 0;
}

// The classes of kits.
static int write_for_kits(struct tree *t, const struct cli_root *root) {
    char name[PATH_MAX], path[PATH_MAX];
    int status = CLI_OK;
    for (size_t i = 0; i < root->added_count && status == CLI_OK; i++) {
        const struct cli_added *added = &root->added[i];
        if (snprintf(name, sizeof name, "%s%s.class", root->path, added->name) >= PATH_MAX)
            return cli_error("%s: %s", added->name, strerror(ENAMETOOLONG));
        status = join(path, t->out, name);
        if (status == CLI_OK && make_folders(path) != 0) status = fail(path);
        if (status == CLI_OK) status = write_file(path, added->bytes, added->length, 0644);
    }
    return status;
}

static int write_gates(struct tree *t) {
    char prefix[PATH_MAX];
    int status = CLI_OK;
    for (size_t i = 0; i < t->roots.count && status == CLI_OK; i++) {
        const struct cli_root *root = t->roots.items[i];
        if (snprintf(prefix, sizeof prefix, "%s%s", root->path, root->prefix) >= PATH_MAX)
            return cli_error("%s: %s", root->path, strerror(ENAMETOOLONG));
        if (t->rewrite->counting.pass_count)
            status = cli_gate_write(t->rewrite, root, t->out, prefix);
        if (status == CLI_OK) status = write_for_kits(t, root);
    }
    return status;
}

// Sets modes and times of directories after everything was put into them.
static void finish_directories(struct tree *t) {
    char to[PATH_MAX];
    for (size_t i = t->count; i-- > 0;) {
        const struct stat *st = &t->items[i].st;
        const struct timespec times[2] = {st->st_atim, st->st_mtim};
        if (!S_ISDIR(st->st_mode) || join(to, t->out, t->items[i].path) != CLI_OK) continue;
        if (chmod(to, folder_mode(st)) != 0 || utimensat(AT_FDCWD, to, times, 0) != 0)
            cli_rewrite_notice(t->rewrite, to, strerror(errno));
    }
}

// --- listing ---

static int read_class(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                      char reason[CLI_REASON_SIZE]) {
    (void)reader;
    return cli_read_file(job->path, bytes, reason);
}

static int read_for_root(void *context, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]) {
    return cli_read_file(context, bytes, reason);
}

static int add_job(struct tree *t, struct item *item, const char *path, size_t start,
                   struct cli_root *root) {
    char *copy = strdup(path);
    if (!copy || !INSTR_ARRAY_RESERVE(t->work.jobs, t->jobs_capacity, t->work.count + 1)) {
        free(copy);
        return cli_no_memory();
    }
    item->job = t->work.count;
    t->work.jobs[t->work.count++] = (struct cli_job){
        .path = copy, .start = start, .root = root, .size = (uint64_t)item->st.st_size};
    return CLI_OK;
}

static int look_for_kits(struct tree *t, const char *path, struct cli_root *root,
                         char reason[CLI_REASON_SIZE]) {
    struct cli_bytes bytes;
    if (cli_read_file(path, &bytes, reason) != 0) return -1;
    int result = cli_kits_look(t->rewrite, root, &bytes, reason);
    free(bytes.bytes);
    return result;
}

static int take_class(struct tree *t, struct item *item, char *path) {
    size_t start, folder = strlen(path) - strlen(item->path);
    struct cli_root *root;
    char reason[CLI_REASON_SIZE];
    switch (cli_roots_find(&t->roots, &t->rewrite->options, item->path, read_for_root, path, &root,
                           &start, reason)) {
    case CLI_ROOT_FOUND:
        if (t->rewrite->kits && look_for_kits(t, path, root, reason) != 0) {
            cli_rewrite_failed(t->rewrite, NULL, path, reason);
            return CLI_OK;
        }
        t->rewrite->classes++;
        return add_job(t, item, path, folder + start, root);
    case CLI_ROOT_OUT_OF_SCOPE: return CLI_OK;
    case CLI_ROOT_UNKNOWN: cli_rewrite_failed(t->rewrite, NULL, path, reason); return CLI_OK;
    default: return cli_no_memory();
    }
}

static int take_found(void *context, const FTSENT *found) {
    struct tree *t = context;
    if (cli_interrupted) return CLI_FAILED;
    if (found->fts_level == 0 || found->fts_info == FTS_DP) return CLI_OK;
    if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR || found->fts_info == FTS_NS) {
        cli_rewrite_failed(t->rewrite, NULL, found->fts_path, strerror(found->fts_errno));
        return CLI_OK;
    }
    char *path = strdup(found->fts_path + strlen(t->rewrite->in) + 1);
    if (!path || !INSTR_ARRAY_RESERVE(t->items, t->capacity, t->count + 1)) {
        free(path);
        return cli_no_memory();
    }
    t->items[t->count++] = (struct item){path, *found->fts_statp, SIZE_MAX};
    t->roots.key =
        instr_hash(path, strlen(path), t->roots.key ^ (uint64_t)found->fts_statp->st_size);
    return CLI_OK;
}

static int list_items(struct tree *t) {
    int status = cli_walk(t->rewrite->in, CLI_LINKS_KEPT, take_found, t);
    return status < 0 ? fail(t->rewrite->in) : status;
}

static int list_jobs(struct tree *t) {
    char path[PATH_MAX];
    int status = CLI_OK;
    for (size_t i = 0; i < t->count && status == CLI_OK && !cli_interrupted; i++) {
        struct item *item = &t->items[i];
        if (!S_ISREG(item->st.st_mode)) continue;
        cli_kits_note(t->rewrite, NULL, item->path);
        status = join(path, t->rewrite->in, item->path);
        if (status == CLI_OK && cli_ends_with(item->path, ".class") && strlen(item->path) > 6)
            status = take_class(t, item, path);
        else if (status == CLI_OK && cli_names_archive(item->path) && item->st.st_size > 0)
            status = add_job(t, item, path, 0, NULL);
    }
    return status;
}

// --- the tree ---

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

// Is `inner` in `outer`? Both are absolute.
static int lies_in(const char *inner, const char *outer) {
    size_t n = strlen(outer);
    return strncmp(inner, outer, n) == 0 && (inner[n] == '/' || inner[n] == '\0' || n == 1);
}

enum { MOST_NAMES = 1000 };

// The tree must not be built within itself.
static int prepare_out(struct tree *t) {
    char in[PATH_MAX], parent[PATH_MAX], folder[PATH_MAX], name[64];
    const char *out = t->rewrite->out;
    size_t n = strlen(out);
    while (n > 1 && out[n - 1] == '/') n--;
    const char *slash = memrchr(out, '/', n);
    if (n >= sizeof folder) return cli_error("%s: %s", out, strerror(ENAMETOOLONG));
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - out) + 1 : 1, slash ? out : ".");
    if (!realpath(t->rewrite->in, in)) return fail(t->rewrite->in);
    if (!realpath(folder, parent)) return fail(folder);
    if (lies_in(parent, in)) return cli_error("%s: is inside IN", out);
    // What has the name already is left alone: another user may have put it there, and would choose by links
    // what is removed.
    for (int i = 0; i < MOST_NAMES; i++) {
        snprintf(name, sizeof name, ".instr-%ld-%d.tmp", (long)getpid(), i);
        if (join(t->out, parent, name) != CLI_OK) return CLI_FAILED;
        if (mkdir(t->out, 0777) == 0) return CLI_OK;
        if (errno != EEXIST) break;
    }
    return fail(t->out);
}

static int write_items(struct tree *t) {
    int status = CLI_OK;
    for (size_t i = 0; i < t->count && status == CLI_OK; i++) {
        struct item *item = &t->items[i];
        status = cli_interrupted ? CLI_FAILED : write_item(t, item);
        if (item->job == SIZE_MAX || t->work.jobs[item->job].root)
            cli_rewrite_progress(t->rewrite, (uint64_t)item->st.st_size);
    }
    return status;
}

static int build_tree(struct tree *t) {
    if (list_items(t) != CLI_OK || list_jobs(t) != CLI_OK || cli_interrupted) return CLI_FAILED;
    if (isatty(STDERR_FILENO) && !t->rewrite->options.quiet)
        for (size_t i = 0; i < t->count; i++) t->rewrite->total += (uint64_t)t->items[i].st.st_size;
    t->work.rewrite = t->rewrite;
    t->work.read = read_class;
    int status = CLI_OK;
    if (cli_work_start(&t->work) != 0)
        status = cli_error("%s: no thread can be started", t->rewrite->in);
    if (status == CLI_OK) status = write_items(t);
    cli_work_stop(&t->work);
    if (status == CLI_OK) status = write_gates(t);
    if (status == CLI_OK) finish_directories(t);
    return cli_interrupted ? CLI_FAILED : status;
}

int cli_rewrite_tree(struct cli_rewrite *rewrite) {
    struct tree t = {.rewrite = rewrite};
    char in[PATH_MAX];
    struct stat st;
    snprintf(in, sizeof in, "%s", rewrite->in);
    for (size_t n = strlen(in); n > 1 && in[n - 1] == '/'; n--) in[n - 1] = '\0';
    rewrite->in = in;
    t.roots.all = cli_kits_ask(rewrite->kits);
    t.roots.key = instr_hash(rewrite->options_text, strlen(rewrite->options_text), 0);
    int status = prepare_out(&t);
    if (status == CLI_OK) {
        status = build_tree(&t);
        if (status == CLI_OK && stat(in, &st) == 0) chmod(t.out, folder_mode(&st));
        // This replaces an empty directory, and nothing else.
        if (status == CLI_OK && rename(t.out, rewrite->out) != 0) status = fail(rewrite->out);
        if (status != CLI_OK) remove_tree(t.out);
    }
    for (size_t i = 0; i < t.work.count; i++) free((char *)(uintptr_t)t.work.jobs[i].path);
    for (size_t i = 0; i < t.count; i++) free(t.items[i].path);
    free(t.work.jobs);
    free(t.items);
    cli_roots_free(&t.roots);
    return status;
}
