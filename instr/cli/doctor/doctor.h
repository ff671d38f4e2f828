// instr doctor: what would work here and what not, and why.

#ifndef INSTR_CLI_DOCTOR_H
#define INSTR_CLI_DOCTOR_H

#include <jansson.h>

enum cli_verdict { CLI_FINE, CLI_REMARK, CLI_BARRED };

// What has been found so far.
struct cli_findings {
    json_t *list; // of {"verdict", "what", "text"}
    int barred;   // how many
};

// Adds a finding: one line, in words, on one thing.
__attribute__((format(printf, 4, 5))) void cli_find(struct cli_findings *findings,
                                                    enum cli_verdict verdict, const char *what,
                                                    const char *format, ...);

// The machine; a process; a command line of java.
void cli_doctor_machine(struct cli_findings *findings);
void cli_doctor_process(struct cli_findings *findings, long pid);
void cli_doctor_command(struct cli_findings *findings, int argc, char **argv);

// What the facts of an agent (facts.h) say about capabilities and other agents.
void cli_doctor_facts(struct cli_findings *findings, const json_t *facts);

#endif
