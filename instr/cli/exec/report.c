// instr report on an .exec file: its classes with probes and the share covered.

#include "instr/cli/exec/report.h"
#include "instr/cli/exec/exec.h"
#include "instr/options.h"
#include "instr/report/report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_exec_is(const char *path) {
    uint8_t first[3];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 0;
    // A pipe would lose what is read from it here.
    ssize_t n = pread(fd, first, sizeof first, 0);
    close(fd);
    return n == 3 && first[0] == INSTR_EXEC_HEADER && first[1] == INSTR_EXEC_MAGIC >> 8 &&
           first[2] == (INSTR_EXEC_MAGIC & 0xFF);
}

// --- totals and order ---

struct cli_exec_totals cli_exec_totals(const struct instr_exec_store *store) {
    struct cli_exec_totals totals = {store->count, 0, 0};
    for (const struct instr_exec_entry *e = store->first; e; e = e->next) {
        totals.probes += e->class.probes;
        totals.hit += instr_exec_hits(&e->class);
    }
    return totals;
}

void cli_exec_put_totals(const struct cli_exec_totals *totals, struct instr_output *out) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    instr_output_format(out, "%s class%s, %s probe%s, %s hit (%s)",
                        instr_number(totals->classes, a), totals->classes == 1 ? "" : "es",
                        instr_number(totals->probes, b), totals->probes == 1 ? "" : "s",
                        instr_number(totals->hit, c),
                        cli_exec_share(totals->hit, totals->probes, share));
}

int cli_exec_read_order(const char *word, enum cli_exec_order *order) {
    static const char *const words[] = {"missed", "probes", "hit", "share", "name"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], word) != 0) continue;
        *order = (enum cli_exec_order)i;
        return 0;
    }
    return -1;
}

static int compare(const struct cli_exec_row *a, const struct cli_exec_row *b,
                   enum cli_exec_order order) {
    uint64_t x = 0, y = 0; // the larger one is first
    switch (order) {
    case CLI_EXEC_BY_MISSED:
        x = a->class->probes - a->hit;
        y = b->class->probes - b->hit;
        break;
    case CLI_EXEC_BY_PROBES:
        x = a->class->probes;
        y = b->class->probes;
        break;
    case CLI_EXEC_BY_HIT:
        x = a->hit;
        y = b->hit;
        break;
    case CLI_EXEC_BY_SHARE: // hit / probes without dividing
        x = (uint64_t)b->hit * a->class->probes;
        y = (uint64_t)a->hit * b->class->probes;
        break;
    case CLI_EXEC_BY_NAME: break;
    }
    if (x != y) return x < y ? 1 : -1;
    int names = strcmp(a->class->name, b->class->name);
    if (names != 0) return names;
    return a->class->id < b->class->id ? -1 : a->class->id > b->class->id;
}

static int compare_in(const void *a, const void *b, void *order) {
    return compare(a, b, *(enum cli_exec_order *)order);
}

// --- the table ---

static void put_table(const struct cli_exec_totals *totals, const struct cli_exec_row *rows,
                      size_t top, struct instr_output *out) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    instr_output_text(out, "coverage: ");
    cli_exec_put_totals(totals, out);
    if (top < totals->classes) instr_output_format(out, "; the first %s:", instr_number(top, a));
    instr_output_text(out, "\n");
    if (top == 0) return;
    int width = 6;
    for (size_t i = 0; i < top; i++) {
        int digits = (int)strlen(instr_number(rows[i].class->probes, a));
        if (digits > width) width = digits;
    }
    instr_output_format(out, "  %*s  %*s    share  class\n", width, "probes", width, "hit");
    for (size_t i = 0; i < top; i++) {
        const struct instr_exec_class *class = rows[i].class;
        instr_output_format(out, "  %*s  %*s  %7s  ", width, instr_number(class->probes, a), width,
                            instr_number(rows[i].hit, b),
                            cli_exec_share(rows[i].hit, class->probes, share));
        instr_report_text(out, class->name, INSTR_DOTS);
        instr_output_text(out, "\n");
    }
}

// --- the report ---

struct reading {
    struct cli_exec_files files;
    struct instr_exec_store store;
};

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct reading *reading = context;
    return cli_exec_store(&reading->store, &reading->files, class, file);
}

static struct cli_exec_row *sorted_rows(const struct instr_exec_store *store,
                                        enum cli_exec_order order) {
    struct cli_exec_row *rows = malloc((store->count + 1) * sizeof *rows);
    size_t n = 0;
    if (!rows) return NULL;
    for (const struct instr_exec_entry *e = store->first; e; e = e->next)
        rows[n++] = (struct cli_exec_row){&e->class, instr_exec_hits(&e->class)};
    qsort_r(rows, n, sizeof *rows, compare_in, &order);
    return rows;
}

static int write_report(const struct reading *reading, const char *html, long top,
                        enum cli_exec_order order) {
    static struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    struct cli_exec_totals totals = cli_exec_totals(&reading->store);
    size_t most = top >= 0 ? (size_t)top : html ? totals.classes : 20;
    if (most > totals.classes) most = totals.classes;
    struct cli_exec_row *rows = sorted_rows(&reading->store, order);
    if (!rows) {
        cli_error("instr: out of memory");
        return CLI_FAILED;
    }
    if (html && strcmp(html, "-") != 0)
        instr_output_open(&out, html);
    else
        instr_output_descriptor(&out, STDOUT_FILENO);
    if (html)
        cli_exec_html(&totals, rows, most, order, &out);
    else
        put_table(&totals, rows, most, &out);
    free(rows);
    if (instr_output_close(&out, error, sizeof error) == 0) return CLI_OK;
    cli_error("%s", error);
    return CLI_FAILED;
}

int cli_exec_report(const char *path, const char *html, long top, enum cli_exec_order order) {
    struct reading reading = {.files = {NULL, 0, 0}};
    struct cli_exec_visitor visitor = {NULL, take_class, &reading, 0};
    instr_exec_store_init(&reading.store);
    int status = cli_exec_add(&reading.files, path) == 0 ? CLI_OK : CLI_FAILED;
    if (status == CLI_OK) status = cli_exec_each(&reading.files, &visitor);
    if (status == CLI_OK) status = write_report(&reading, html, top, order);
    instr_exec_store_free(&reading.store);
    cli_exec_files_free(&reading.files);
    return status;
}
