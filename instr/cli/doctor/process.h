// instr doctor PID

#ifndef INSTR_CLI_DOCTOR_PROCESS_H
#define INSTR_CLI_DOCTOR_PROCESS_H

#include "instr/cli/doctor/doctor.h"

// Checks a process.
void cli_doctor_process(struct cli_findings *findings, long pid);

#endif
