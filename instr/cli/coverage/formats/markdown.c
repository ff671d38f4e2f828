// Markdown. A name stands in <code>, with everything that Markdown could read as a mark escaped.

#include "instr/cli/coverage/formats/markdown.h"
#include "instr/cli/coverage/formats/worst.h"
#include "instr/cli/exec/exec.h"
#include "instr/report/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20 };

// --- cells ---

// Letters, digits and harmless signs as they are; the rest as references to characters.
static void put_name(struct instr_output *out, const char *name, int style) {
    char piece[2] = "";
    while (*name) {
        const char *special = "\\`*_{}[]()#+-!|~:@";
        size_t n = strcspn(name, special);
        char *plain = strndup(name, n);
        if (plain) instr_report_text(out, plain, style | INSTR_HTML);
        free(plain);
        name += n;
        if (!*name) return;
        piece[0] = *name++;
        instr_output_format(out, "&#%d;", piece[0]);
    }
}

static void put_code(struct instr_output *out, const char *name) {
    instr_output_text(out, "<code>");
    put_name(out, *name ? name : "(no package)", INSTR_DOTS);
    instr_output_text(out, "</code>");
}

static void put_share(struct instr_output *out, struct cover_count count) {
    char share[CLI_SHARE_SIZE];
    instr_output_format(
        out, " %s |",
        cover_total(count) ? cli_exec_share(count.covered, cover_total(count), share) : "-");
}

static void put_missed(struct instr_output *out, struct cover_count count) {
    char missed[INSTR_NUMBER_SIZE], total[INSTR_NUMBER_SIZE];
    instr_output_format(out, " %s of %s |", instr_number(count.missed, missed),
                        instr_number(cover_total(count), total));
}

// --- tables ---

static void put_totals(struct instr_output *out, const struct cover_count *counts) {
    instr_output_text(out, "| | covered | missed |\n|:--|--:|--:|\n");
    for (int i = 0; i < COVER_COUNTERS; i++) {
        if (i == COVER_COMPLEXITY || cover_total(counts[i]) == 0) continue;
        instr_output_format(out, "| %s |", cover_counter_names[i]);
        put_share(out, counts[i]);
        put_missed(out, counts[i]);
        instr_output_text(out, "\n");
    }
}

static void put_rows(struct instr_output *out, const struct cover_model *model,
                     struct cover_item *list, size_t count, const char *one, const char *many) {
    char number[INSTR_NUMBER_SIZE];
    if (!list || count == 0) {
        free(list);
        return;
    }
    instr_output_format(out, "\n<details><summary>%s %s%s</summary>\n\n",
                        instr_number(count, number), count == 1 ? one : many,
                        count > MOST_ROWS ? ", the 20 that miss most" : "");
    instr_output_text(out, "| | instructions | branches | missed lines |\n|:--|--:|--:|--:|\n");
    for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
        const struct cover_item *item = &list[i];
        instr_output_text(out, "| ");
        if (model->bundle_count > 1) {
            put_code(out, item->bundle->name);
            instr_output_text(out, " ");
        }
        put_code(out, item->class ? item->class->name : item->package->name);
        instr_output_text(out, " |");
        put_share(out, item->counts[COVER_INSTRUCTION]);
        put_share(out, item->counts[COVER_BRANCH]);
        put_missed(out, item->counts[COVER_LINE]);
        instr_output_text(out, "\n");
    }
    instr_output_text(out, "\n</details>\n");
    free(list);
}

void cover_write_markdown(const struct cover_model *model, struct instr_output *out) {
    size_t count;
    instr_output_text(out, "### Coverage: ");
    put_name(out, model->name, INSTR_PLAIN);
    instr_output_text(out, "\n\n");
    put_totals(out, model->counts);
    struct cover_item *list = cover_worst_packages(model, &count);
    put_rows(out, model, list, count, "package", "packages");
    list = cover_worst_classes(model, &count);
    put_rows(out, model, list, count, "class", "classes");
}
