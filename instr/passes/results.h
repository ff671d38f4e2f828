// Results: a table and a file for each pass; the totals in one line and as a file.

#ifndef INSTR_RESULTS_H
#define INSTR_RESULTS_H

#include <stdbool.h>

#include <jvmti.h>

#include "instr/engine.h"
#include "instr/report/cost.h"
#include "instr/report/kinds.h"
#include "instr/vm/snapshot.h"

// Takes results in place of standard error, for a command that prints them.
struct instr_results_taker {
    // Takes the result of a pass that has a table. False: it is printed to standard error after all.
    bool (*take)(void *context, const struct instr_pass_options *pass,
                 const struct instr_report_format *format, const void *report);
    void *context;
};

// What a pass that counts once for several owners had at a reset. The result of each of them is made of it.
struct instr_results_kept {
    struct instr_counts *counts; // NULL: nothing is kept yet
    size_t n;
    void *own; // what the pass has beside them: an array of `own_count`, allocated with malloc
    size_t own_count;
    unsigned owners_left; // that follow
};

struct instr_results {
    const struct instr_options *options;
    struct instr_methods *methods;
    struct instr_engine *engine;
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    const struct instr_results_taker *taker; // NULL: tables go to standard error
    bool without_totals;                     // only the results of passes, as while the JVM runs on
    bool goes_on;                            // the passes stay on
    bool reset; // reset the counts of the pass, the only one of the options, once they are read
    struct instr_results_kept *kept; // of this reset; NULL: the pass has one owner
};

// Collects the results and reports all that the options ask for: tables, lines and errors to
// standard error, and files. A file that cannot be written is one line; the rest goes on.
void instr_results_report(const struct instr_results *results);

// Does a place in this class belong to the result of the pass, `pass` being its index in
// results->options->passes? A pass that runs once for several owners counts for all their scopes; what it has
// counted for an owner stays in the result when the owner's scope changes.
bool instr_results_shows(const struct instr_results *results, unsigned pass,
                         const char *class_name);

// Takes a snapshot for the result of a pass (vm/snapshot.h); resets the pass if that is wanted.
bool instr_results_snapshot(const struct instr_results *results, unsigned pass,
                            struct instr_counts **counts, size_t *n);
// Has another owner's result read and reset the counts already?
bool instr_results_are_kept(const struct instr_results *results);

// Reports the result of a pass, `pass` being its index in results->options->passes: prints the
// table and writes the file that its options ask for.
void instr_results_put(const struct instr_results *results, unsigned pass,
                       const struct instr_report_format *format, const void *report);

// What the pass has cost so far, to be set in its report; `counts`, of `n` ids, as in
// instr_results_snapshot.
struct instr_cost instr_results_cost(const struct instr_results *results, unsigned pass,
                                     const struct instr_counts *counts, size_t n);
// The line below the table of a pass; not for a command, which shows it if it wants to.
void instr_results_put_cost(const struct instr_results *results, unsigned pass,
                            const struct instr_cost *cost);

// Writes one more file of a pass, and says so; `pattern` is its name as written (instr_expand_file),
// NULL: none.
void instr_results_write(const struct instr_pass_options *options, const char *pattern,
                         void (*write)(const void *report, struct instr_output *out),
                         const void *report);

// Says how many interfaces were skipped (untouchable.h), if any were.
void instr_say_skipped_interfaces(uint64_t count);

// Says on standard error that a result could not be written. A command that asked for the result
// reports it, too: instr_results_unwritten gives the first such line of this thread since the last
// call, without "instr: ", to be freed; NULL: there was none.
void instr_say_unwritten(const char *line);
char *instr_results_unwritten(void);

#endif
