// instr doctor -- java ...

#ifndef INSTR_CLI_DOCTOR_COMMAND_H
#define INSTR_CLI_DOCTOR_COMMAND_H

#include "instr/cli/doctor/doctor.h"

// Checks a java command line.
void cli_doctor_command(struct cli_findings *findings, int argc, char **argv);

#endif
