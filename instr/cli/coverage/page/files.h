// The style and the script of the pages, as the build makes them of coverage.css and coverage.js.

#ifndef INSTR_CLI_COVERAGE_PAGE_FILES_H
#define INSTR_CLI_COVERAGE_PAGE_FILES_H

extern const char instr_coverage_css[], instr_coverage_js[];

#endif
