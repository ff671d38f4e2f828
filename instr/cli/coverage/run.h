// instr run coverage coverage.html=PATH: a page of what the command's JVMs covered.

#ifndef INSTR_CLI_COVERAGE_RUN_H
#define INSTR_CLI_COVERAGE_RUN_H

// Takes coverage.html=PATH out of the options of instr run, `count` words. The path, from malloc; NULL
// if it is not there. Words may become empty.
char *cover_take_html(int count, char **words);

// Runs the command with the agent and `options`, which are those of `words`, waits for it and makes
// the page. `file` is the value of coverage.file; NULL: not given. The exit status: the command's, or
// if that is 0, that of the report.
int cover_run(int count, char **command, const char *options, const char *path, const char *file);

// The value of coverage.file in the options; from malloc, NULL: it is not there.
char *cover_file_of(int count, char *const *words);

#endif
