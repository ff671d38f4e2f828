// Modified UTF-8 (JVMS 4.4.7): the encoding of CONSTANT_Utf8. It differs from UTF-8 in that NUL
// takes two bytes and that characters above U+FFFF are two surrogates of three bytes each.

#ifndef CF_MUTF8_H
#define CF_MUTF8_H

#include <stdint.h>

// The length of the longest well-formed beginning of `bytes`: `length` when all of it is. Forms
// longer than a character needs were tolerated before version 48; `overlong` says whether they are
// here.
uint32_t cf_mutf8_check(const uint8_t *bytes, uint32_t length, int overlong);

#define CF_MUTF8_BAD 0x80000000u

// Takes the next UTF-16 code unit (a surrogate comes as it is) from `bytes` at *pos, which must be
// below `length`, and moves *pos behind it. A byte that is not well-formed is taken alone and
// returned with CF_MUTF8_BAD set.
uint32_t cf_mutf8_next(const uint8_t *bytes, uint32_t length, uint32_t *pos);

#endif
