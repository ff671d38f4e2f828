// instr coverage report: what it is asked for, and the model that it makes.

#ifndef INSTR_CLI_COVERAGE_REPORT_H
#define INSTR_CLI_COVERAGE_REPORT_H

#include "instr/cli/coverage/classes.h"
#include "instr/cli/coverage/model.h"
#include "instr/cli/coverage/modules.h"
#include "instr/cli/coverage/times.h"
#include "instr/cli/exec/exec.h"

// What ran until an exception left its line (begun.h).
enum cover_exceptions {
    COVER_EXCEPTIONS_BY_FORMAT, // covered on the page, missed in formats that equal JaCoCo's
    COVER_EXCEPTIONS_COVERED,
    COVER_EXCEPTIONS_MISSED
};

struct cover_request {
    struct cli_exec_files files;
    struct cli_words classfiles, sourcefiles; // without class files those of `modules` count
    const struct cover_modules *modules;      // NULL: those below the current folder
    int quiet;                                // says neither what was found nor what does not match
    const char *encoding;                     // of the sources; NULL: UTF-8
    long tab;                                 // columns
    const char *name;
    enum cover_release release;
    enum cover_exceptions exceptions;
};

// Completes what the options of a command have left open. `release`: --jacoco; NULL: not given. CLI_OK; or another exit
// status after a message.
int cover_request_complete(const char *command, struct cover_request *request, const char *release);

// A model and what it lives in.
struct cover_report {
    struct cover_model model;
    struct cover_classes *classes; // of each bundle of the model
    struct instr_exec_store data;
    struct cover_modules found;
    struct cover_times times;
    size_t room; // for bundles
    size_t sessions_capacity;
    int failed; // something could not be read; a line was printed about each
    int unread; // `failed`, and no data could be read of any file
};

// Reads the data and the classes. CLI_OK, also if `failed`; or another exit status after a message.
// It ends with cover_report_free in either case.
int cover_report_read(struct cover_report *report, const struct cover_request *request);
void cover_report_free(struct cover_report *report);

// Are these arguments of `instr report` those of a coverage report: is there an option that only `instr
// coverage report` has, or is a file an .exec file, and are there class files below the current folder?
int cover_report_is(int argc, char **argv);

// instr coverage report with these arguments, and with `modules` if it is not NULL. The exit status.
int cover_report_run(int argc, char **argv, const struct cover_modules *modules);

#endif
