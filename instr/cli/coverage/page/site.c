// A folder of pages.

#include "instr/cli/coverage/page/site.h"
#include "instr/base/array.h"
#include "instr/base/file.h"
#include "instr/cli/cli.h"
#include "instr/cli/coverage/page/data.h"
#include "instr/cli/coverage/page/files.h"
#include "instr/cli/coverage/page/source.h"
#include "instr/cli/coverage/page/stale.h"
#include "instr/report/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// --- parts of pages ---

void cover_put_head(const char *title, const char *shared, struct instr_output *out) {
    // file: allows the style and the script of a page that was opened from a disk.
    instr_output_format(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'self' file: 'unsafe-inline'; script-src %s\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
        shared ? "'self' file:" : "'unsafe-inline'");
    instr_report_text(out, title, INSTR_HTML);
    instr_output_text(out, "</title>\n");
    if (shared)
        instr_output_format(out,
                            "<link rel=\"stylesheet\" href=\"%s/coverage.css\">\n"
                            "<script src=\"%s/coverage.js\"></script>\n",
                            shared, shared);
}

void cover_put_foot(struct instr_output *out) {
    instr_output_text(out, "<footer>instr coverage report</footer>\n"
                           "<button id=\"theme\" type=\"button\" aria-label=\"Switch between light "
                           "and dark\" hidden>Dark</button>\n"
                           "<div id=\"say\" role=\"status\"></div>\n</body>\n</html>\n");
}

static void put_time(uint64_t milliseconds, struct instr_output *out) {
    char text[32];
    time_t time = (time_t)(milliseconds / 1000);
    struct tm tm;
    if (localtime_r(&time, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm) > 0)
        instr_output_text(out, text);
}

void cover_put_index(const struct cover_model *model, struct instr_output *out) {
    char number[INSTR_NUMBER_SIZE];
    instr_output_text(out, "<main id=\"index\">\n<h1>");
    instr_report_text(out, model->name, INSTR_HTML);
    instr_output_text(out, "</h1>\n");
    if (model->session_count > 0) {
        instr_output_format(out, "<p class=\"note\">%s run%s, the last ended ",
                            instr_number(model->session_count, number),
                            cli_plural(model->session_count, "s"));
        put_time(model->sessions[model->session_count - 1].dump, out);
        instr_output_text(out, "</p>\n");
    }
    cover_put_totals(model->counts, out);
    instr_output_text(
        out, "<noscript><p class=\"note\">The list of packages and classes needs JavaScript. The "
             "pages of the source files do not.</p></noscript>\n"
             "<div class=\"find\" id=\"search\" hidden><input id=\"find\" type=\"search\" "
             "placeholder=\"Find classes by parts of their names\" aria-label=\"Find classes\">"
             "<label><input type=\"checkbox\" id=\"missed\">only what misses something</label>"
             "<output id=\"shown\"></output><span class=\"note keys\"><kbd>/</kbd> search, "
             "<kbd>j</kbd> <kbd>k</kbd> <kbd>Enter</kbd> rows, <kbd>t</kbd> theme</span></div>\n"
             "<table class=\"tree\" id=\"tree\"><thead><tr></tr></thead><tbody></tbody></table>\n"
             "<div id=\"sentinel\"></div>\n</main>\n");
}

// --- writing ---

struct site {
    const struct cover_page_list *list;
    const char *path;
    atomic_size_t next; // page
    atomic_int status;
};

// What each thread writes with. A page is written at once, and under its own name: what counts is
// that the index, which comes last, appears whole.
struct writer {
    struct instr_output out;
    char path[PATH_MAX];
    char *page;
    size_t length, capacity;
};

// Pages are not written through links of other users.
static int make_folder(const char *path) {
    char target[PATH_MAX];
    if (mkdir(path, 0777) == 0) return CLI_OK;
    if (errno == EEXIST && instr_file_follow(path, target) == 0) return CLI_OK;
    return cli_error("%s: %s", path, instr_file_reason(errno));
}

// The path of a file below the folder; CLI_FAILED: it is too long.
static int set_path(const struct site *site, struct writer *writer, const char *folder,
                    const char *file) {
    int n = snprintf(writer->path, sizeof writer->path, "%s/%s%s%s", site->path, folder,
                     *folder ? "/" : "", file);
    if (n >= 0 && n < (int)sizeof writer->path) return CLI_OK;
    return cli_error("%s: %s", site->path, strerror(ENAMETOOLONG));
}

static int keep(void *context, const void *bytes, size_t length) {
    struct writer *writer = context;
    if (!INSTR_ARRAY_RESERVE(writer->page, writer->capacity, writer->length + length))
        return ENOMEM;
    memcpy(writer->page + writer->length, bytes, length);
    writer->length += length;
    return 0;
}

static int write_bytes(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

// The file is cut last, to its length: ext4 sends what is written over a file that was emptied to the
// disk at once.
static int write_file(const struct writer *writer) {
    struct stat st;
    off_t length = (off_t)writer->length;
    int fd = open(writer->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    int failed = fd < 0 || fstat(fd, &st) != 0 || write_bytes(fd, writer->page, writer->length) ||
                         (st.st_size > length && ftruncate(fd, length) != 0)
                     ? errno
                     : 0;
    if (fd >= 0 && close(fd) != 0 && !failed) failed = errno;
    return failed ? cli_error("%s: %s", writer->path, strerror(failed)) : CLI_OK;
}

static int write_page(const struct site *site, struct writer *writer,
                      const struct cover_page *page) {
    const struct cover_page_list *list = site->list;
    char error[512];
    int status = set_path(site, writer, page->folder, page->file);
    if (status != CLI_OK) return status;
    const char *name = page->source ? page->source->name : page->class->name;
    const char *shared =
        list->model->bundle_count > 1 ? "../../" COVER_PAGE_SHARED : "../" COVER_PAGE_SHARED;
    writer->length = 0;
    instr_output_sink(&writer->out, keep, writer);
    cover_put_head(name, shared, &writer->out);
    instr_output_text(&writer->out, "</head>\n<body>\n");
    cover_put_page(list, page, 0, &writer->out);
    cover_put_foot(&writer->out);
    if (instr_output_close(&writer->out, error, sizeof error) != 0)
        return cli_error("%s: %s", writer->path, error);
    return write_file(writer);
}

static void writer_free(struct writer *writer) {
    if (writer) free(writer->page);
    free(writer);
}

// Takes pages until there are none. After a failure the others would fail alike.
static void *write_pages(void *context) {
    struct site *site = context;
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer) atomic_store(&site->status, cli_no_memory());
    while (writer && atomic_load(&site->status) == CLI_OK) {
        size_t i = atomic_fetch_add(&site->next, 1);
        if (i >= site->list->count) break;
        int status = write_page(site, writer, &site->list->pages[i]);
        if (status != CLI_OK) atomic_store(&site->status, status);
    }
    writer_free(writer);
    return NULL;
}

static void write_all_pages(struct site *site) {
    pthread_t threads[CLI_MOST_JOBS];
    long wanted = cli_processors() - 1, started = 0;
    while (started < wanted && pthread_create(&threads[started], NULL, write_pages, site) == 0)
        started++;
    write_pages(site);
    for (long i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static int make_folders(const struct site *site, struct writer *writer) {
    const struct cover_page_list *list = site->list;
    int status = make_folder(site->path);
    for (size_t i = 0; i <= list->folder_count && status == CLI_OK; i++) {
        const char *name = i < list->folder_count ? list->folders[i].name : COVER_PAGE_SHARED;
        int n = snprintf(writer->path, sizeof writer->path, "%s/%s", site->path, name);
        if (n < 0 || n >= (int)sizeof writer->path)
            return cli_error("%s: %s", site->path, strerror(ENAMETOOLONG));
        char *slash = strchr(name, '/') ? strrchr(writer->path, '/') : NULL;
        if (slash) {
            *slash = '\0';
            status = make_folder(writer->path);
            *slash = '/';
        }
        if (status == CLI_OK) status = make_folder(writer->path);
    }
    return status;
}

static int write_text(const struct site *site, struct writer *writer, const char *file,
                      const char *text) {
    int status = set_path(site, writer, COVER_PAGE_SHARED, file);
    if (status != CLI_OK) return status;
    instr_output_open(&writer->out, writer->path);
    instr_output_text(&writer->out, text);
    return cli_output_close(&writer->out);
}

// The index, last: it appears when all that it leads to is there.
static int write_index(const struct site *site, struct writer *writer) {
    int status = write_text(site, writer, "coverage.css", instr_coverage_css);
    if (status == CLI_OK) status = write_text(site, writer, "coverage.js", instr_coverage_js);
    if (status == CLI_OK) status = set_path(site, writer, COVER_PAGE_SHARED, "data.js");
    if (status != CLI_OK) return status;
    instr_output_open(&writer->out, writer->path);
    cover_put_data(site->list, &writer->out);
    status = cli_output_close(&writer->out);
    if (status == CLI_OK) status = set_path(site, writer, COVER_PAGE_SHARED, COVER_PAGE_NAMES);
    if (status != CLI_OK) return status;
    cover_remove_stale(site->list, site->path, writer->path);
    instr_output_open(&writer->out, writer->path);
    cover_put_names(site->list, &writer->out);
    status = cli_output_close(&writer->out);
    if (status == CLI_OK) status = set_path(site, writer, "", "index.html");
    if (status != CLI_OK) return status;
    instr_output_open(&writer->out, writer->path);
    cover_put_head(site->list->model->name, COVER_PAGE_SHARED, &writer->out);
    instr_output_text(&writer->out, "<script src=\"" COVER_PAGE_SHARED "/data.js\"></script>\n"
                                    "</head>\n<body>\n");
    cover_put_index(site->list->model, &writer->out);
    cover_put_foot(&writer->out);
    return cli_output_close(&writer->out);
}

int cover_make_site(const struct cover_page_list *list, const char *path) {
    struct site site = {.list = list, .path = path};
    struct writer *writer = calloc(1, sizeof *writer);
    int status = writer ? make_folders(&site, writer) : cli_no_memory();
    if (status == CLI_OK) {
        write_all_pages(&site);
        status = atomic_load(&site.status);
    }
    if (status == CLI_OK) status = write_index(&site, writer);
    writer_free(writer);
    return status;
}
