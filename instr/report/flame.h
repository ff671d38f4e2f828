// The flame graph of the pass alloc.

#ifndef INSTR_REPORT_FLAME_H
#define INSTR_REPORT_FLAME_H

#include "instr/base/output.h"

// Writes one HTML page that needs no other resource. `report` is a struct instr_alloc_report.
void instr_flame(const void *content, struct instr_output *out);

#endif
