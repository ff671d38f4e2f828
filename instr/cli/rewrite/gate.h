// The classes that are added to what is rewritten: inserted code calls them, in its own class
// loader and module, and they call the runtime on the bootstrap class path.

#ifndef INSTR_CLI_REWRITE_GATE_H
#define INSTR_CLI_REWRITE_GATE_H

#include "instr/cli/rewrite/internal.h"

struct cli_gate_class {
    const char *name; // without package; NULL: the end
    const uint8_t *bytes;
    size_t length;
};
// Made by runtime-java/build.py from runtime-java/offline/gate.
extern const struct cli_gate_class cli_gate_classes[];

// The classes that are added to a root: their number, and the name of each without package.
size_t cli_gate_count(void);
const char *cli_gate_name(size_t i);
// The bytes of one, which the caller frees. 0; or -1: out of memory.
int cli_gate_make(const struct cli_rewrite *rewrite, const struct cli_root *root, size_t i,
                  struct cli_bytes *out);

// Is there a gate for the runtime class that a pass calls?
int cli_gate_serves(const char *runtime_class);

// "com/acme/Instr$0123456789abcdef$" for classes of com/acme; NULL: out of memory.
char *cli_gate_prefix(const char *package, size_t length, uint64_t key);

// Writes the gates of a root as files "FOLDER/PREFIX" with the class names behind it. CLI_OK; or
// CLI_FAILED after a message.
int cli_gate_write(const struct cli_rewrite *rewrite, const struct cli_root *root,
                   const char *folder, const char *prefix);

// A copy of the class in which every CONSTANT_Utf8 from index `from` on that begins with
// CLI_GATE_PACKAGE begins with `prefix` instead. 0; or -1: it is not a class, it would be too large,
// or out of memory.
int cli_gate_rename(const uint8_t *bytes, size_t length, unsigned from, const char *prefix,
                    struct cli_bytes *out);

#endif
