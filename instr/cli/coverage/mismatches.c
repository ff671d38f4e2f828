// Classes that ran from other class files than those of a report: compiled anew since, or changed by
// an agent. They look as if nothing of them had run.

#include "instr/cli/coverage/mismatches.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 5 };

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The names of classes that ran from the report's own files, sorted. NULL: out of memory.
static const char **matching_names(const struct cover_report *report, size_t *count) {
    size_t most = 1;
    for (size_t b = 0; b < report->model.bundle_count; b++) most += report->classes[b].count;
    const char **names = malloc(most * sizeof *names);
    *count = 0;
    for (size_t b = 0; names && b < report->model.bundle_count; b++)
        for (size_t i = 0; i < report->classes[b].count; i++)
            if (report->classes[b].list[i]->match == COVER_MATCHES)
                names[(*count)++] = report->classes[b].list[i]->name;
    if (names && *count) qsort(names, *count, sizeof *names, by_name);
    return names;
}

// Another module may have a class of this name, from whose file it ran. What has the id, but other
// probes, was reported when it was read.
static int is_mismatch(const struct cover_report *report, const struct cover_class *class,
                       const char *const *names, size_t count) {
    const char *name = class->name;
    return class->match == COVER_OTHER_ID && !instr_exec_store_find(&report->data, class->id) &&
           !(count && bsearch(&name, names, count, sizeof *names, by_name));
}

int cover_say_mismatches(const struct cover_report *report, const char *about) {
    char list[1024] = "", name[256];
    size_t matching, found = 0, n = 0;
    const char **names = matching_names(report, &matching);
    if (!names) return cli_no_memory();
    for (size_t b = 0; b < report->model.bundle_count; b++)
        for (size_t i = 0; i < report->classes[b].count; i++) {
            const struct cover_class *class = report->classes[b].list[i];
            if (!is_mismatch(report, class, names, matching) || found++ >= NAMES) continue;
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%.150s", n ? ", " : "",
                                  instr_dotted(class->name, name, sizeof name));
        }
    free(names);
    if (found == 1)
        cli_error("%s1 class ran from another class file than this and has no coverage: %s", about,
                  list);
    else if (found)
        cli_error("%s%zu classes ran from other class files than these and have no coverage: %s%s",
                  about, found, list, found > NAMES ? ", ..." : "");
    return CLI_OK;
}

void cover_say_none_ran(const struct cover_report *report) {
    char number[INSTR_NUMBER_SIZE];
    size_t count = 0, all = 0;
    for (size_t b = 0; b < report->model.bundle_count; b++) {
        all += report->classes[b].count;
        for (size_t i = 0; i < report->classes[b].count; i++) {
            if (report->classes[b].list[i]->match != COVER_NO_DATA) return;
            count += cover_total(report->classes[b].list[i]->counts[COVER_INSTRUCTION]) != 0;
        }
    }
    if (!all && !report->failed) cli_error("no class was found: the report is empty");
    if (count)
        cli_error("the data have none of the %s class%s of the report; the pass coverage leaves "
                  "classes that JaCoCo's agent has changed to it",
                  instr_number(count, number), cli_plural(count, "es"));
}
