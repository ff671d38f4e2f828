// What of a class was covered: its bytes and its probes become a cover_class.
//
//      bytes -> subroutines inlined -> for each method its probes -> branches -> filters -> counters

#ifndef INSTR_CLI_COVERAGE_ANALYSIS_H
#define INSTR_CLI_COVERAGE_ANALYSIS_H

#include "classfile/arena.h"
#include "classfile/error.h"
#include "instr/cli/coverage/lines.h"

#include <stddef.h>
#include <stdint.h>

// Whose filters apply: those of a release of JaCoCo.
enum cover_release {
    COVER_UNFILTERED, // none at all
    COVER_0_8_6,
    COVER_0_8_15,
    COVER_NEWEST = COVER_0_8_15
};

struct cover_input {
    const uint8_t *bytes;
    size_t length;
    const uint8_t *bits; // of its probes; NULL: it was not executed
    size_t probes;       // number of `bits`
    enum cover_release release;
    // What code of this class does where it was inlined, by line (COVER_LINES of them); NULL: nothing.
    const uint8_t *inlined;
};
enum { COVER_NOT_INLINED, COVER_INLINED_MISSED, COVER_INLINED_COVERED };

// A line of another class (or of this one) that was inlined into a class, or COVER_ONLY_NAMED where the
// class was only named.
enum { COVER_ONLY_NAMED = COVER_LINES };
struct cover_inlined_line {
    const struct cover_class *into;
    const char *class_name; // whose line it is
    uint32_t line;
    int covered;
};

// What an analysis works with; one for each thread.
struct cover_workspace {
    struct cf_arena scratch; // reset for each class
    struct cf_arena kept;    // of the results
    struct cover_line_set method, lines;
    struct cover_inlined_line *inlined; // of all classes analysed so far
    size_t inlined_count, inlined_capacity;
};
// Returns 0; -1: out of memory. It ends with cover_workspace_free in either case.
int cover_workspace_init(struct cover_workspace *workspace);
void cover_workspace_free(struct cover_workspace *workspace);

// The reason of an error (CF_MISUSE) that lies in the data.
#define COVER_OTHER_PROBES "the data are of a class with another number of probes"

// Analyses a class. The result lives in workspace->kept, but for its lines, which the caller frees
// with cover_lines_free. *result is NULL for classes that reports leave out: modules, what 'instr rewrite' has added
// and, depending on the release, synthetic ones. CF_UNSUPPORTED: the class was changed to count its coverage. What was inlined into it is added to workspace->inlined, unless the
// input has `inlined`. `id`, `location` and `match` are the caller's.
enum cf_status cover_analyse(const struct cover_input *input, struct cover_workspace *workspace,
                             struct cover_class **result, struct cf_error *error);

#endif
