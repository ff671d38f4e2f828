// Options of a JVM that a trial runs without: they write the user's files, open ports, run commands
// or load other agents. What they do in a JVM with the agent is judged by reading.

#ifndef INSTR_CLI_DOCTOR_TRIAL_OPTIONS_H
#define INSTR_CLI_DOCTOR_TRIAL_OPTIONS_H

#include "instr/cli/doctor/doctor.h"

// What the options of one command line say.
struct cli_trial_options {
    char dump[200];      // writes a class archive whatever is there (-XX:ArchiveClassesAtExit=...)
    char recording[200]; // writes an AOT cache or its configuration
    char archive[4096];  // the value of -XX:SharedArchiveFile=
    int renews;          // +AutoCreateSharedArchive: writes an archive that is missing or outdated
    int creates_cache;   // -XX:AOTMode=create: -XX:AOTCache= names what is written
    int files;           // options that name files of further options
    char left_out[1000]; // options that the trial runs without, with commas between them
};

// Takes note of an option. Call it for all of them before the first cli_trial_leaves_out.
void cli_trial_read(struct cli_trial_options *options, const char *word);

// Must the trial run without the option? If so, adds it to options->left_out.
int cli_trial_leaves_out(struct cli_trial_options *options, const char *option);

// Writes the words of an environment variable (JAVA_TOOL_OPTIONS and its like: blanks separate them,
// quotes hold them together) to `out`, of `size` bytes, as they stand but without those that the
// trial leaves out; NULL: only reads them. Returns 0, or -1: they do not fit.
int cli_trial_filter(struct cli_trial_options *options, const char *value, char *out, size_t size);

// Adds what was left out, and what writing an archive or a cache means with the agent.
void cli_trial_judge(struct cli_findings *findings, const struct cli_trial_options *options);

#endif
