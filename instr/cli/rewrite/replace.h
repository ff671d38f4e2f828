// An entry of an archive, replaced.

#ifndef INSTR_CLI_REWRITE_REPLACE_H
#define INSTR_CLI_REWRITE_REPLACE_H

#include <zip.h>

// Replaces the content of the entry `index` by that of `source`, written with the method of `before`.
// Its time, extra fields, attributes and comment stay. 0: done, the archive owns the source; -1:
// failed, the source is freed.
int cli_replace_entry(zip_t *zip, zip_uint64_t index, zip_source_t *source,
                      const zip_stat_t *before);

// Does the replaced entry move to the end of the archive? libzip 1.11 to 1.11.3 deflate a stored
// entry that is replaced, but store a new one.
int cli_replaced_goes_last(const zip_stat_t *before);

#endif
