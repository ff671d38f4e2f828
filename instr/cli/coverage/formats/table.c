// The report as a table.

#include "instr/cli/coverage/formats/table.h"
#include "instr/cli/coverage/formats/worst.h"
#include "instr/cli/exec/exec.h"
#include "instr/report/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 20, BAR = 20 };

int cover_table_coloured(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

// --- cells ---

static const char *colour_of(struct cover_count count) {
    unsigned percent = cover_percent(count);
    return percent >= 80 ? "\033[32m" : percent >= 50 ? "\033[33m" : "\033[31m";
}

// The share of a counter in `width` columns.
static void put_share(struct instr_output *out, struct cover_count count, int width, int coloured) {
    char share[CLI_SHARE_SIZE];
    if (cover_total(count) == 0) {
        instr_output_format(out, "%*s", width, "-");
        return;
    }
    if (coloured) instr_output_text(out, colour_of(count));
    instr_output_format(out, "%*s", width,
                        cli_exec_share(count.covered, cover_total(count), share));
    if (coloured) instr_output_text(out, "\033[0m");
}

static void put_bar(struct instr_output *out, struct cover_count count, int coloured) {
    uint64_t total = cover_total(count), full = total ? count.covered * (uint64_t)BAR / total : BAR;
    if (coloured) instr_output_text(out, colour_of(count));
    for (uint64_t i = 0; i < BAR; i++) instr_output_text(out, i < full ? "#" : ".");
    if (coloured) instr_output_text(out, "\033[0m");
}

static void put_totals(struct instr_output *out, const struct cover_count *counts, int coloured) {
    char missed[INSTR_NUMBER_SIZE], total[INSTR_NUMBER_SIZE];
    for (int i = 0; i < COVER_COUNTERS; i++) {
        if (i == COVER_COMPLEXITY || cover_total(counts[i]) == 0) continue;
        instr_output_format(out, "  %-12s ", cover_counter_names[i]);
        put_share(out, counts[i], 7, coloured);
        instr_output_text(out, "  ");
        put_bar(out, counts[i], coloured);
        instr_output_format(out, "  %s of %s missed\n", instr_number(counts[i].missed, missed),
                            instr_number(cover_total(counts[i]), total));
    }
}

// --- lists ---

static void put_rows(struct instr_output *out, const struct cover_item *list, size_t count,
                     const struct cover_model *model, int coloured) {
    char missed[INSTR_NUMBER_SIZE];
    for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
        const struct cover_item *item = &list[i];
        const char *name = item->class ? item->class->name : item->package->name;
        put_share(out, item->counts[COVER_INSTRUCTION], 14, coloured);
        put_share(out, item->counts[COVER_BRANCH], 10, coloured);
        instr_output_format(out, "%14s  ", instr_number(item->counts[COVER_LINE].missed, missed));
        if (model->bundle_count > 1) {
            instr_report_text(out, item->bundle->name, INSTR_PLAIN);
            instr_output_text(out, ": ");
        }
        instr_report_text(out, *name ? name : "(no package)", INSTR_DOTS);
        if (item->class && item->class->match == COVER_OTHER_ID)
            instr_output_text(out, "  (ran from another class file)");
        instr_output_text(out, "\n");
    }
}

static void put_list(struct instr_output *out, struct cover_item *list, size_t count,
                     const char *what, const struct cover_model *model, int coloured) {
    char a[INSTR_NUMBER_SIZE];
    if (!list) {
        instr_output_text(out, "\nout of memory\n");
        return;
    }
    instr_output_text(out, "\n  instructions  branches  missed lines  ");
    if (count > MOST_ROWS)
        instr_output_format(out, "%s: the first %d of %s\n", what, MOST_ROWS,
                            instr_number(count, a));
    else
        instr_output_format(out, "%s\n", what);
    put_rows(out, list, count, model, coloured);
    free(list);
}

void cover_write_table(const struct cover_model *model, struct instr_output *out, int coloured) {
    size_t count;
    instr_report_text(out, model->name, INSTR_PLAIN);
    instr_output_text(out, "\n");
    if (cover_total(model->counts[COVER_INSTRUCTION]) == 0) {
        instr_output_text(out, "  nothing to cover: the class files have no code\n");
        return;
    }
    put_totals(out, model->counts, coloured);
    struct cover_item *list = cover_worst_packages(model, &count);
    put_list(out, list, count, "packages", model, coloured);
    list = cover_worst_classes(model, &count);
    put_list(out, list, count, "classes", model, coloured);
}
