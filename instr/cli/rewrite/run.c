// instr rewrite while it runs: messages, the progress bar and signals.

#include "instr/cli/rewrite/run.h"

#include <stdio.h>
#include <string.h>

enum { BAR_WIDTH = 40 };

volatile sig_atomic_t cli_interrupted;

static void on_signal(int number) {
    cli_interrupted = number;
}

// Unfinished files are removed before a signal ends the process.
void cli_rewrite_catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void cli_rewrite_obey_signal(void) {
    int number = cli_interrupted;
    if (!number) return;
    signal(number, SIG_DFL);
    raise(number);
}

void cli_rewrite_clear_bar(struct cli_rewrite *rewrite) {
    if (rewrite->shown >= 0) fputs("\r\033[K", stderr);
    rewrite->shown = -1;
}

void cli_rewrite_failed(struct cli_rewrite *rewrite, const char *place, const char *name,
                        const char *reason) {
    cli_rewrite_clear_bar(rewrite);
    cli_error("%s%s%s: skipped: %s", place ? place : "", place ? "!" : "", name, reason);
    rewrite->failures++;
}

void cli_rewrite_notice(struct cli_rewrite *rewrite, const char *place, const char *text) {
    cli_rewrite_clear_bar(rewrite);
    cli_error("%s: %s", place, text);
}

void cli_rewrite_progress(struct cli_rewrite *rewrite, uint64_t bytes) {
    static const char bar[] = "########################################";
    rewrite->done += bytes;
    if (rewrite->total == 0) return;
    int percent = (int)(rewrite->done * 100 / rewrite->total);
    if (percent > 100) percent = 100;
    if (percent == rewrite->shown) return;
    rewrite->shown = percent;
    int n = percent * BAR_WIDTH / 100;
    fprintf(stderr, "\r[%.*s%*s] %3d %%", n, bar, BAR_WIDTH - n, "", percent);
    fflush(stderr);
}
