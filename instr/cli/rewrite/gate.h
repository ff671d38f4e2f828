// The classes that are added to what is rewritten: inserted code calls them, in its own class
// loader and module, and they call the runtime on the bootstrap class path.

#ifndef INSTR_CLI_REWRITE_GATE_H
#define INSTR_CLI_REWRITE_GATE_H

#include <stddef.h>
#include <stdint.h>

struct cli_gate_class {
    const char *name; // without package; NULL: the end
    const uint8_t *bytes;
    size_t length;
};
// Made by runtime-java/build.py from runtime-java/offline/gate.
extern const struct cli_gate_class cli_gate_classes[];

struct cli_bytes;
struct cli_rewrite;
struct cli_root;

// The class names (without package) of what is added to a root: so many, and each one's bytes.
size_t cli_gate_count(void);
const char *cli_gate_name(size_t i);
// 0; or -1: out of memory. The caller frees the bytes.
int cli_gate_make(const struct cli_rewrite *rewrite, const struct cli_root *root, size_t i,
                  struct cli_bytes *out);

// Is there a gate for what the pass calls?
int cli_gate_serves(const char *runtime_class);

// Is this internal name that of a gate?
int cli_gate_is(const char *name, size_t length);

// "com/acme/Instr$0123456789abcdef$" for classes of com/acme; NULL: out of memory.
char *cli_gate_prefix(const char *package, size_t length, uint64_t key);

// A copy of the class in which every CONSTANT_Utf8 from index `from` on that begins with
// CLI_GATE_PACKAGE begins with `prefix` instead. 0; or -1: it is no class, is too large, or memory
// is out.
int cli_gate_rename(const uint8_t *bytes, size_t length, unsigned from, const char *prefix,
                    struct cli_bytes *out);

#endif
