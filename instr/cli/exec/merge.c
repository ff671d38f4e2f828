// instr coverage merge: one file of many. Sessions are written as they are read; only the classes are
// held in memory.

#include "instr/cli/exec/exec.h"
#include "instr/options.h"

#include <string.h>
#include <unistd.h>

struct merge {
    struct instr_exec_file out;
    struct instr_exec_store store;
    struct cli_exec_files files;
    int keep_going, left_out; // left_out: some classes are missing
};

static int take_session(void *context, const struct instr_exec_session *session, size_t file) {
    struct merge *merge = context;
    (void)file;
    instr_exec_write_session(&merge->out, session);
    return 0;
}

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct merge *merge = context;
    if (cli_exec_store(&merge->store, &merge->files, class, file) == CLI_OK) return CLI_OK;
    merge->left_out = 1;
    return merge->keep_going ? CLI_OK : CLI_FAILED;
}

static int merge_to(struct merge *merge, const char *path) {
    char error[INSTR_ERROR_SIZE];
    struct cli_exec_visitor visitor = {take_session, take_class, merge, merge->keep_going};
    if (strcmp(path, "-") == 0)
        instr_exec_open_descriptor(&merge->out, STDOUT_FILENO);
    else
        instr_exec_open(&merge->out, path, 0);
    int status = cli_exec_each(&merge->files, &visitor);
    if (status != CLI_OK && !merge->keep_going) {
        instr_exec_abandon(&merge->out);
        return status;
    }
    for (const struct instr_exec_entry *e = merge->store.first; e; e = e->next)
        instr_exec_write_class(&merge->out, &e->class);
    if (instr_exec_close(&merge->out, error, sizeof error) == 0)
        return merge->left_out ? CLI_FAILED : status;
    return cli_error("%s", error);
}

int cli_exec_merge(int argc, char **argv) {
    static struct merge merge; // large
    const char *out = NULL;
    const struct cli_option options[] = {
        {"-o", .text = &out}, {"--keep-going", .flag = &merge.keep_going}, {NULL}};
    instr_exec_store_init(&merge.store);
    int status = cli_exec_arguments("coverage merge", argc, argv, options, &merge.files);
    if (status == CLI_OK && !out) status = cli_usage("coverage merge", "-o OUT is missing");
    if (status == CLI_OK) status = merge_to(&merge, out);
    instr_exec_store_free(&merge.store);
    cli_exec_files_free(&merge.files);
    return status;
}
