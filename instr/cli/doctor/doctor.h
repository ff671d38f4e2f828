// instr doctor: what works here, what does not, and why.

#ifndef INSTR_CLI_DOCTOR_H
#define INSTR_CLI_DOCTOR_H

#include <jansson.h>

enum cli_verdict { CLI_FINE, CLI_REMARK, CLI_BARRED };

// The findings so far.
struct cli_findings {
    json_t *list; // of {"verdict", "what", "text"}
    int barred;   // how many are CLI_BARRED
};

// Adds a finding: one line about one thing.
__attribute__((format(printf, 4, 5))) void cli_find(struct cli_findings *findings,
                                                    enum cli_verdict verdict, const char *what,
                                                    const char *format, ...);

#define CLI_OTHER_AGENT "%s: its changes to classes are preserved"

// Adds what the facts of an agent (jvm_facts.h) say about capabilities and other agents.
void cli_doctor_facts(struct cli_findings *findings, const json_t *facts);

#endif
