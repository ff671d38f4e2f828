// instr coverage recover: the coverage of a JVM that was killed, with coverage.mmap=yes or flush.

#include "instr/cli/exec/exec.h"
#include "instr/coverage/mapping.h"
#include "instr/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static size_t before_digits(const char *path, size_t n) {
    while (n > 0 && path[n - 1] >= '0' && path[n - 1] <= '9') n--;
    return n;
}

// FILE.PID.map or FILE.PID-2.map -> FILE
static int name_result(const char *path, char result[PATH_MAX]) {
    size_t n = strlen(path);
    if (n >= PATH_MAX || n < 5 || strcmp(path + n - 4, ".map") != 0) return -1;
    n -= 4;
    size_t digits = before_digits(path, n);
    if (digits > 0 && digits < n && path[digits - 1] == '-') {
        n = digits - 1;
        digits = before_digits(path, n);
    }
    if (digits < 2 || digits == n || path[digits - 1] != '.') return -1;
    snprintf(result, PATH_MAX, "%.*s", (int)(digits - 1), path);
    return 0;
}

static int recover(const char *path, const char *out) {
    char name[PATH_MAX], error[INSTR_ERROR_SIZE];
    if (!out && name_result(path, name) != 0)
        return cli_usage("coverage recover", "%.200s is not named FILE.PID.map; use -o", path);
    int result = instr_coverage_map_recover(path, out ? out : name, error, sizeof error);
    if (result != 0) cli_error("%s", error);
    if (result < 0) return CLI_FAILED;
    cli_line("%s: added to %s", path, out ? out : name);
    return result == 0 ? CLI_OK : CLI_FAILED;
}

int cli_exec_recover(int argc, char **argv) {
    const char *out = NULL;
    struct cli_exec_files files = {NULL, 0, 0};
    const struct cli_option options[] = {{"-o", .text = &out}, {NULL}};
    int status = cli_exec_arguments("coverage recover", argc, argv, options, &files);
    for (size_t i = 0; status < CLI_USAGE && i < files.count; i++) {
        int result = recover(files.paths[i], out); // what can be recovered of others is
        if (result > status) status = result;
    }
    cli_exec_files_free(&files);
    return status;
}
