// instr rewrite: what its files share.
//
//      rewrite.c   the command
//      run.c       messages, the progress bar and signals while it runs
//      file.c      an archive, read from a file and written to a file
//      archive.c   the entries of an archive, and the archives in it
//      tree.c      a directory
//      single.c    a single class
//      roots.c     where in an archive or directory the classes of one class path begin
//      class.c     one class
//      gate.c      the classes that are added: how rewritten code reaches the runtime
//      kits.c      ... and those of kits
//      work.c      threads that read, rewrite and deflate ahead of the one that writes
//      read.c      entries of archives, as the threads read them
//      replace.c   an entry of an archive, replaced
//      manifest.c  what signing leaves in a jar
//      store.c     bytes to read from and to write to, as libzip wants them
//      deflate.c   deflating and inflating

#ifndef INSTR_CLI_REWRITE_INTERNAL_H
#define INSTR_CLI_REWRITE_INTERNAL_H

#include "instr/cli/cli.h"
#include "instr/cli/input.h"
#include "instr/cli/rewrite/store.h"
#include "instr/engine.h"

#include <stdatomic.h>

enum {
    CLI_MOST_CLASS = 100 << 20, // bytes of a class; larger ones are skipped
    CLI_MOST_NESTING = 4        // jars in jars
};

// The package of the gates in classes as the engine writes them; cli_gate_prefix replaces it.
#define CLI_GATE_PACKAGE "instr/rewritten/"

struct cli_cache;
struct cli_kits;

struct cli_rewrite {
    const char *in, *out;
    long jobs;
    struct instr_options options;
    struct instr_options counting; // of `options` those passes that call gates: all but kits
    char *options_text;            // of `counting`, as the gates carry them
    struct instr_methods *methods;
    struct instr_engine *engine;
    struct cli_cache *cache;
    struct cli_kits *kits;           // NULL: none is given
    struct instr_coverage *coverage; // NULL: the pass is not on
    atomic_size_t classes, changed;  // in scope; given other bytes
    size_t failures;
    struct cli_nested nested;
    // Progress, in bytes of input. No bar: `total` is 0.
    uint64_t done, total;
    int shown;
};

// A class that is added for a kit.
struct cli_added {
    char *name; // internal
    uint8_t *bytes;
    size_t length;
};

// Where classes of one class path begin, and what the runtime needs to know about them.
struct cli_root {
    char *path;   // "" or ending with '/'
    char *prefix; // of the gates: "com/acme/Instr$0123456789abcdef$"
    // Fields that end with dots. `rows`: of each class its name and number of methods with code; of
    // each such method its id, name and descriptor. `covered`: of each class with probes its name,
    // class id, first probe and number of probes.
    struct cli_sink rows, covered;
    uint32_t first, end;          // ids in the rows; first == end: none
    uint32_t holder, holders_end; // of the probes; holder == holders_end: none
    struct cli_added *added;
    size_t added_count, added_capacity;
};

#endif
