// instr rewrite while it runs: messages, the progress bar and signals.

#ifndef INSTR_CLI_REWRITE_RUN_H
#define INSTR_CLI_REWRITE_RUN_H

#include "instr/cli/rewrite/internal.h"

#include <signal.h>

// Set by SIGINT and the like: the work ends soon and cleans up.
extern volatile sig_atomic_t cli_interrupted;

// Makes signals set cli_interrupted; and lets the signal that was caught end the process.
void cli_rewrite_catch_signals(void);
void cli_rewrite_obey_signal(void);

// Reports what is copied unchanged: "instr: NAME: skipped: REASON". The exit status will say so,
// too. With `place`, NAME is PLACE!NAME. Only the main thread calls this.
void cli_rewrite_failed(struct cli_rewrite *rewrite, const char *place, const char *name,
                        const char *reason);
// Prints a message that is not about a failure.
void cli_rewrite_notice(struct cli_rewrite *rewrite, const char *place, const char *text);

// So many more bytes of the input are done.
void cli_rewrite_progress(struct cli_rewrite *rewrite, uint64_t bytes);
void cli_rewrite_clear_bar(struct cli_rewrite *rewrite);

#endif
