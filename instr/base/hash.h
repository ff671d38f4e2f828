// hash.h: a hash of bytes. Only hash.c includes xxhash's header, which is slow to compile.

#ifndef INSTR_BASE_HASH_H
#define INSTR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// XXH3 with 64 bits. Another `seed` gives another hash function; an earlier hash as seed continues it.
uint64_t instr_hash(const void *bytes, size_t length, uint64_t seed);

#endif
