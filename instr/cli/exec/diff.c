// instr coverage diff: what only one of two files has. As diff(1), it exits with 0 when there is no
// difference, 1 when there is one, and 2 on an error.

#include "instr/cli/exec/exec.h"
#include "instr/options.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TROUBLE = 2 };

struct diff {
    struct cli_exec_files files; // both
    struct instr_exec_store stores[2];
    size_t same, differ, only[2];
    struct instr_output out;
};

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct diff *diff = context;
    return cli_exec_store(&diff->stores[file], &diff->files, class, file);
}

static void put_class(struct diff *diff, const struct instr_exec_class *class) {
    instr_report_text(&diff->out, class->name, INSTR_DOTS);
    instr_output_format(&diff->out, " (id %016llx)", (unsigned long long)class->id);
}

static void put_only(struct diff *diff, const struct instr_exec_class *class, int side) {
    instr_output_text(&diff->out, "only in ");
    instr_report_text(&diff->out, diff->files.paths[side], INSTR_PLAIN);
    instr_output_text(&diff->out, ": ");
    put_class(diff, class);
    instr_output_format(&diff->out, ", %zu of %zu probes hit\n", instr_exec_hits(class),
                        class->probes);
    diff->only[side]++;
}

static int bit(const uint8_t *bits, size_t i) {
    return bits[i / 8] >> i % 8 & 1;
}

// "; only in a.exec: 0,3-5": probes that are hit in `a` but not in `b`.
static void put_probes(struct diff *diff, const struct instr_exec_class *a,
                       const struct instr_exec_class *b, int side) {
    int any = 0;
    for (size_t i = 0; i < a->probes; i++) {
        if (!bit(a->bits, i) || bit(b->bits, i)) continue;
        size_t last = i;
        while (last + 1 < a->probes && bit(a->bits, last + 1) && !bit(b->bits, last + 1)) last++;
        if (!any) {
            instr_output_text(&diff->out, "; hit only in ");
            instr_report_text(&diff->out, diff->files.paths[side], INSTR_PLAIN);
            instr_output_text(&diff->out, ": ");
        }
        instr_output_format(&diff->out, last > i ? "%s%zu-%zu" : "%s%zu", any ? "," : "", i, last);
        any = 1;
        i = last;
    }
}

// A class of both files.
static void compare(struct diff *diff, const struct instr_exec_class *a,
                    const struct instr_exec_class *b) {
    size_t bytes = a->probes / 8 + (a->probes % 8 != 0);
    int named = strcmp(a->name, b->name) == 0, long_as = a->probes == b->probes;
    if (named && long_as && (bytes == 0 || memcmp(a->bits, b->bits, bytes) == 0)) {
        diff->same++;
        return;
    }
    diff->differ++;
    put_class(diff, a);
    if (!named) {
        instr_output_text(&diff->out, "; named ");
        instr_report_text(&diff->out, b->name, INSTR_DOTS);
        instr_output_text(&diff->out, " in ");
        instr_report_text(&diff->out, diff->files.paths[1], INSTR_PLAIN);
    }
    if (long_as) {
        put_probes(diff, a, b, 0);
        put_probes(diff, b, a, 1);
    } else {
        instr_output_format(&diff->out, "; %zu probes, but %zu in ", a->probes, b->probes);
        instr_report_text(&diff->out, diff->files.paths[1], INSTR_PLAIN);
    }
    instr_output_text(&diff->out, "\n");
}

static void put_difference(struct diff *diff) {
    for (const struct instr_exec_entry *e = diff->stores[0].first; e; e = e->next) {
        const struct instr_exec_entry *other = instr_exec_store_find(&diff->stores[1], e->class.id);
        if (other)
            compare(diff, &e->class, &other->class);
        else
            put_only(diff, &e->class, 0);
    }
    for (const struct instr_exec_entry *e = diff->stores[1].first; e; e = e->next)
        if (!instr_exec_store_find(&diff->stores[0], e->class.id)) put_only(diff, &e->class, 1);
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_NUMBER_SIZE];
    instr_output_format(&diff->out,
                        "%s class%s the same, %s different, %s only in the first, %s only in the "
                        "second\n",
                        instr_number(diff->same, a), cli_plural(diff->same, "es"),
                        instr_number(diff->differ, b), instr_number(diff->only[0], c),
                        instr_number(diff->only[1], d));
}

static int print(struct diff *diff) {
    cli_output_open(&diff->out, NULL);
    put_difference(diff);
    if (cli_output_close(&diff->out) != CLI_OK) return TROUBLE;
    return diff->differ + diff->only[0] + diff->only[1] > 0;
}

int cli_exec_diff(int argc, char **argv) {
    static struct diff diff; // large
    const struct cli_option options[] = {{NULL}};
    struct cli_exec_visitor visitor = {NULL, take_class, &diff, 0};
    instr_exec_store_init(&diff.stores[0]);
    instr_exec_store_init(&diff.stores[1]);
    int status = cli_exec_arguments("coverage diff", argc, argv, options, &diff.files);
    if (status == CLI_OK && diff.files.count != 2)
        status = cli_usage("coverage diff", "expects two files");
    if (status == CLI_OK) status = cli_exec_each(&diff.files, &visitor);
    status = status == CLI_OK ? print(&diff) : TROUBLE;
    instr_exec_store_free(&diff.stores[0]);
    instr_exec_store_free(&diff.stores[1]);
    cli_exec_files_free(&diff.files);
    return status;
}
