// The terminal as a screen.

#include "instr/cli/screen.h"
#include "instr/base/clock.h"
#include "instr/base/utf8.h"
#include "instr/options.h"
#include "instr/report/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define AGAIN_NS UINT64_C(1000000000)

static struct {
    int open;
    struct termios before;
    volatile sig_atomic_t caught;
    volatile uint64_t caught_at; // ns; of the first one
} screen;

static void put(const char *text) {
    size_t n = strlen(text);
    while (n > 0) {
        ssize_t done = write(STDOUT_FILENO, text, n);
        if (done < 0 && errno != EINTR) return;
        if (done > 0) {
            text += done;
            n -= (size_t)done;
        }
    }
}

int cli_screen_open(void) {
    struct termios raw;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &screen.before) != 0)
        return -1;
    raw = screen.before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    // Ctrl-Z and Ctrl-\ would leave the screen as it is.
    raw.c_cc[VSUSP] = raw.c_cc[VQUIT] = _POSIX_VDISABLE;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return -1;
    screen.open = 1;
    atexit(cli_screen_close);
    put("\033[?1049h\033[?25l\033[H\033[2J");
    return 0;
}

void cli_screen_close(void) {
    if (!screen.open) return;
    screen.open = 0;
    put("\033[?25h\033[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
}

void cli_screen_size(int *rows, int *columns) {
    struct winsize size;
    *rows = 24;
    *columns = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
    if (size.ws_row > 0) *rows = size.ws_row;
    if (size.ws_col > 0) *columns = size.ws_col;
}

static void on_signal(int number) {
    (void)number;
    uint64_t now = instr_clock_now();
    if (!screen.caught)
        screen.caught_at = now;
    else if (now - screen.caught_at < AGAIN_NS) // timeout(1) sends each signal twice
        return;
    screen.caught = screen.caught ? 2 : 1;
}

void cli_catch_signals(void) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal; // without SA_RESTART, so that waiting calls return
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    // What nohup ignores stays ignored. SIGINT does not: shells ignore it for what scripts run in the background.
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] != SIGHUP ||
            (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
            sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int cli_caught(void) {
    return screen.caught;
}

// The bytes of the line that fit.
static size_t fitting(const char *line, const char *end, int columns) {
    const char *c = line, *fits = line;
    while (c < end) {
        columns -= (int)instr_utf8_columns(instr_utf8_next(&c, end));
        if (columns < 0) break;
        fits = c;
    }
    return (size_t)(fits - line);
}

void cli_screen_show(const char *text) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE], part[1024];
    int rows, columns;
    cli_screen_size(&rows, &columns);
    instr_output_descriptor(&out, STDOUT_FILENO);
    instr_output_text(&out, "\033[H");
    for (const char *line = text; *line && rows > 0; rows--) {
        const char *end = strchrnul(line, '\n');
        snprintf(part, sizeof part, "%.*s", (int)fitting(line, end, columns), line);
        if (line > text) instr_output_text(&out, "\r\n");
        // Afterwards it would clear the last column of a line that has all columns.
        instr_output_text(&out, "\033[K");
        instr_report_text(&out, part, INSTR_PLAIN);
        line = *end ? end + 1 : end;
    }
    instr_output_text(&out, "\033[J");
    instr_output_close(&out, error, sizeof error);
}

int cli_screen_key(void) {
    struct pollfd polled = {STDIN_FILENO, POLLIN, 0};
    unsigned char key;
    if (poll(&polled, 1, 0) <= 0) return 0;
    ssize_t n = read(STDIN_FILENO, &key, 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    return n == 1 ? key : CLI_SCREEN_GONE;
}
