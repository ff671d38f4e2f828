// Modified UTF-8 (JVMS 4.4.7): the encoding of CONSTANT_Utf8. It differs from UTF-8 in that NUL
// takes two bytes and that characters above U+FFFF are two surrogates of three bytes each.

#ifndef CF_MUTF8_H
#define CF_MUTF8_H

#include <stdint.h>

// The length of the longest well-formed prefix of `bytes`. `overlong` allows encodings that are
// longer than necessary, which JVMs accept before version 48.
uint32_t cf_mutf8_check(const uint8_t *bytes, uint32_t length, int overlong);

#define CF_MUTF8_BAD 0x80000000u

// Reads the next UTF-16 code unit (surrogates are not combined) from `bytes` at *pos, which must be
// below `length`, and advances *pos. A malformed byte is returned alone with CF_MUTF8_BAD set.
uint32_t cf_mutf8_next(const uint8_t *bytes, uint32_t length, uint32_t *pos);

#endif
