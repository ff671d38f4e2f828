// instr rewrite: what its parts share.
//
//      cli_rewrite.c          the command
//      cli_rewrite_archive.c  a jar, and the jars in it
//      cli_rewrite_tree.c     a directory, a single class
//      cli_rewrite_work.c     threads that read, rewrite and deflate ahead of the one that writes
//      cli_rewrite_class.c    one class
//      cli_rewrite_roots.c    where in an archive the classes of one class path begin
//      cli_rewrite_gate.c     the classes that are added: how rewritten code reaches the runtime
//      cli_rewrite_manifest.c what signing has left behind
//      cli_rewrite_replace.c  an entry of an archive, replaced
//      cli_rewrite_store.c    bytes to read from and to write to, as libzip wants them

#ifndef INSTR_CLI_REWRITE_H
#define INSTR_CLI_REWRITE_H

#include "instr/cli/input.h"
#include "instr/cli/rewrite/store.h"
#include "instr/engine.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum {
    CLI_MOST_CLASS = 100 << 20, // bytes of a class; larger ones are kept
    CLI_MOST_NESTING = 4        // jars in jars
};

// The package of the gates in classes as the engine makes them; its place takes what
// cli_gate_prefix says.
#define CLI_GATE_PACKAGE "instr/rewritten/"

struct cli_cache;

struct cli_rewrite {
    const char *in, *out;
    long jobs;
    struct instr_options options;
    char *options_text; // as the gates carry them
    struct instr_methods *methods;
    struct instr_engine *engine;
    struct cli_cache *cache;
    struct instr_coverage *coverage; // NULL: the pass is not on
    atomic_size_t classes, changed;  // candidates seen; those given other bytes
    size_t archives, signatures, failures, modules;
    // Progress, in bytes of input. No bar: `total` is 0.
    uint64_t done, total;
    int shown;
};

// Set by SIGINT and its like: whatever goes on ends soon, and cleans up.
extern volatile sig_atomic_t cli_interrupted;

// Tells that something was kept: one line "instr: NAME: kept as it was: REASON"; the exit status
// will tell, too. With `place`, NAME is PLACE!NAME. By the main thread only.
void cli_rewrite_failed(struct cli_rewrite *rewrite, const char *place, const char *name,
                        const char *reason);
// A line that is no failure.
void cli_rewrite_notice(struct cli_rewrite *rewrite, const char *place, const char *text);
// So many bytes of the input are done.
void cli_rewrite_progress(struct cli_rewrite *rewrite, uint64_t bytes);

// --- archives ---

// Rewrites the classes of an archive and of those in it. 1: it is in `out`; 0: there is nothing to
// do, and `out` is as it was; -1: it cannot be read or written, `reason` tells. `name` is for
// messages.
int cli_rewrite_archive(struct cli_rewrite *rewrite, const struct cli_store *in,
                        struct cli_sink *out, const char *name, int depth,
                        char reason[CLI_REASON_SIZE]);
// Does the name of a file end like that of an archive?
int cli_names_archive(const char *name);

// --- one class ---

// Where classes of one class path lie, and what of it is told to the runtime.
struct cli_root {
    char *path;   // "" or ending with '/'
    char *prefix; // of the gates: "com/acme/Instr$0123456789abcdef$"
    char *rows;   // see cli_gate_rows
    size_t rows_length, rows_capacity;
    uint32_t first, end; // ids in the rows; first == end: none
    char *covered;       // the same of classes with probes: name, id, first probe, how many
    size_t covered_length, covered_capacity;
    uint32_t holder, holders_end; // of their probes; holder == holders_end: none
    int failed;                   // out of memory
};

// One thread's.
struct cli_rewriter {
    struct cli_rewrite *rewrite;
    struct cf_arena arena;
};

struct cli_class {
    const uint8_t *bytes;
    size_t length;
    const char *name; // its path below the root
    struct cli_root *root;
    struct cf_class cls;
};

// Looks into a class. -1: it is not to be rewritten, for the reason given.
int cli_class_open(struct cli_rewriter *rewriter, struct cli_class *cls,
                   char reason[CLI_REASON_SIZE]);
// Numbers its methods and notes them in the root. To be called for one class after the other, in
// the order in which they lie, so that the numbers do not depend on the threads.
void cli_class_number(struct cli_rewriter *rewriter, struct cli_class *cls);
// Rewrites it. 1: `out` has it; 0: it stays; -1: it stays for the reason given.
int cli_class_rewrite(struct cli_rewriter *rewriter, struct cli_class *cls, struct cli_bytes *out,
                      char reason[CLI_REASON_SIZE]);

struct cli_cache *cli_cache_new(void);
void cli_cache_free(struct cli_cache *cache);

// --- trees ---

// Return the exit status.
int cli_rewrite_tree(struct cli_rewrite *rewrite);
int cli_rewrite_single(struct cli_rewrite *rewrite);
// Rewrites an archive from a file to a file, which must not be there. 0; or -1 with `reason`: then
// no file is left.
int cli_rewrite_archive_file(struct cli_rewrite *rewrite, const char *in, const char *out,
                             char reason[CLI_REASON_SIZE]);

#endif
