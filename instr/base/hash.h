// hash.h: a hash of bytes. xxhash is compiled here once: its header takes longer than most files.
#ifndef INSTR_HASH_H
#define INSTR_HASH_H

#include <stddef.h>
#include <stdint.h>

// XXH3 with 64 bits; `seed` makes another function of it, or goes on with an earlier hash.
uint64_t instr_hash(const void *bytes, size_t length, uint64_t seed);

#endif
