// JaCoCo's XML, byte for byte as JaCoCo writes it.

#ifndef INSTR_CLI_COVERAGE_XML_H
#define INSTR_CLI_COVERAGE_XML_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

void cover_write_xml(const struct cover_model *model, struct instr_output *out);

#endif
