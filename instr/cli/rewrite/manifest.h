// Manifests of jars: what signing leaves there (JAR file specification, "Signed JAR File"), and sealing.

#ifndef INSTR_CLI_REWRITE_MANIFEST_H
#define INSTR_CLI_REWRITE_MANIFEST_H

#include "instr/cli/input.h"

#include <stdbool.h>

// Is the entry of this name part of a signature: META-INF/*.SF, its blocks, META-INF/SIG-*?
int cli_is_signature(const char *name);
// Is it a signature file, without which blocks and digests mean nothing?
int cli_is_signature_file(const char *name);
// META-INF/MANIFEST.MF in any case of letters.
int cli_is_manifest(const char *name);

// The manifest without digests, and without sections that consist only of a name then. The rest stays
// byte for byte. 0; or -1: out of memory. The caller frees the bytes.
int cli_manifest_unsigned(const struct cli_bytes *manifest, struct cli_bytes *out);

// Does it seal all packages of the jar, and does not mention this one ("com/acme/")?
bool cli_manifest_seals(const struct cli_bytes *manifest, const char *package);
// The manifest with a section at its end that leaves this package open: other jars may have classes
// of it, too. 0; or -1: out of memory. The caller frees the bytes.
int cli_manifest_open_package(const struct cli_bytes *manifest, const char *package,
                              struct cli_bytes *out);

#endif
