// A single class.

#include "instr/cli/rewrite/single.h"
#include "instr/base/hash.h"
#include "instr/cli/rewrite/class.h"
#include "instr/cli/rewrite/gate.h"
#include "instr/cli/rewrite/roots.h"
#include "instr/cli/rewrite/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The gates lie beside the class, as they are in its package.
static int write_gates(const struct cli_rewrite *rewrite, const struct cli_root *root) {
    char folder[PATH_MAX];
    const char *slash = strrchr(rewrite->out, '/'), *simple = strrchr(root->prefix, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - rewrite->out) : 1,
             slash ? rewrite->out : ".");
    return cli_gate_write(rewrite, root, folder, simple ? simple + 1 : root->prefix);
}

// 1: changed; 0: unchanged; -1: skipped for the reason.
static int rewrite_bytes(struct cli_rewrite *rewrite, const struct cli_bytes *in,
                         struct cli_roots *roots, struct cli_bytes *out, char *reason) {
    struct cli_rewriter rewriter = {.rewrite = rewrite};
    struct cf_class cls;
    struct cf_slice s = {NULL, 0};
    char name[PATH_MAX];
    int result = -1;
    cf_arena_init(&rewriter.arena);
    if (cf_class_open(&cls, in->bytes, in->length, &rewriter.arena) == CF_OK)
        s = cf_this_name(&cls);
    snprintf(name, sizeof name, "%.*s.class", s.bytes ? (int)s.length : 0,
             s.bytes ? (const char *)s.bytes : "");
    struct cli_class class = {.bytes = in->bytes, .length = in->length, .name = name};
    class.root = cli_roots_get(roots, name, 0);
    if (class.root && cli_class_open(&rewriter, &class, reason) == 0) {
        result = 0;
        if (instr_scope_matches(&rewrite->options, name, s.length, 0)) {
            rewrite->classes++;
            cli_class_number(&rewriter, &class);
            result = cli_class_rewrite(&rewriter, &class, out, reason);
            rewrite->changed += result > 0;
        }
    }
    cf_arena_free(&rewriter.arena);
    return result;
}

int cli_rewrite_single(struct cli_rewrite *rewrite) {
    struct cli_bytes in, out = {NULL, 0};
    struct cli_roots roots = {0};
    char reason[CLI_REASON_SIZE] = "out of memory";
    if (cli_read_file(rewrite->in, &in, reason) != 0)
        return cli_error("%s: %s", rewrite->in, reason);
    roots.key = instr_hash(in.bytes, in.length,
                           instr_hash(rewrite->options_text, strlen(rewrite->options_text), 0));
    int result = -1, status = CLI_OK;
    if (in.length > CLI_MOST_CLASS)
        strcpy(reason, "larger than 100 MB");
    else
        result = rewrite_bytes(rewrite, &in, &roots, &out, reason);
    if (result < 0) cli_rewrite_failed(rewrite, NULL, rewrite->in, reason);
    if (cli_interrupted) status = CLI_FAILED;
    if (status == CLI_OK && result > 0) status = write_gates(rewrite, roots.items[0]);
    if (status == CLI_OK) status = cli_write_file(rewrite->out, result > 0 ? &out : &in);
    free(in.bytes);
    free(out.bytes);
    cli_roots_free(&roots);
    return status;
}
