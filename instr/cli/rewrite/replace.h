// instr rewrite: gives an entry of an archive other bytes, and leaves all else about it as it was.

#ifndef INSTR_CLI_REWRITE_REPLACE_H
#define INSTR_CLI_REWRITE_REPLACE_H

#include <zip.h>

// Replaces what the entry `index` holds by what `source` gives, to be written with the method that
// `before` names. Its time, extra fields, attributes and comment stay. 0: done, the archive owns
// the source; -1: failed, the source is freed.
int cli_replace_entry(zip_t *zip, zip_uint64_t index, zip_source_t *source,
                      const zip_stat_t *before);

// Does the entry go to the end of the archive? libzip 1.11 to 1.11.3 deflate whatever was stored
// and is replaced; a new entry they store.
int cli_replaced_goes_last(const zip_stat_t *before);

#endif
