// The single reader for all bytes of a class file. Errors are sticky: after the first read past the
// end every read gives 0, so a parser reads a whole structure and checks for an error once. The
// error has the offset at which bytes were missing.

#ifndef CF_READER_H
#define CF_READER_H

#include "classfile/decls.h"
#include "classfile/error.h"

#include <string.h>

CF_BEGIN_DECLS

// Prefetches memory that will be read soon.
#if defined(__GNUC__)
#define CF_PREFETCH(address) __builtin_prefetch(address)
#else
#define CF_PREFETCH(address) ((void)(address))
#endif

// A function that few methods need: it is not inlined, which keeps its callers short.
#if defined(__GNUC__)
#define CF_SELDOM __attribute__((noinline))
#define CF_UNLIKELY(condition) __builtin_expect((condition) != 0, 0)
#else
#define CF_SELDOM
#define CF_UNLIKELY(condition) (condition)
#endif

struct cf_reader {
    const uint8_t *bytes; // the whole class file; offsets count from here
    uint32_t pos, end;
    struct cf_error *error;
};

static inline uint32_t cf_left(const struct cf_reader *r) {
    return r->end - r->pos;
}

static inline int cf_need(struct cf_reader *r, uint32_t n) {
    if (n <= r->end - r->pos) return 1;
    cf_fail(r->error, CF_TRUNCATED, r->pos, "truncated", 0);
    r->pos = r->end;
    return 0;
}

static inline uint16_t cf_be2(const uint8_t *p) {
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t cf_be4(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline void cf_put2(uint8_t *p, uint32_t v) {
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}
static inline void cf_put4(uint8_t *p, uint32_t v) {
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}
static inline void cf_put8(uint8_t *p, uint64_t v) {
    cf_put4(p, (uint32_t)(v >> 32));
    cf_put4(p + 4, (uint32_t)v);
}

static inline uint8_t cf_u1(struct cf_reader *r) {
    if (!cf_need(r, 1)) return 0;
    return r->bytes[r->pos++];
}
static inline uint16_t cf_u2(struct cf_reader *r) {
    if (!cf_need(r, 2)) return 0;
    uint16_t v = cf_be2(r->bytes + r->pos);
    r->pos += 2;
    return v;
}
static inline uint32_t cf_u4(struct cf_reader *r) {
    if (!cf_need(r, 4)) return 0;
    uint32_t v = cf_be4(r->bytes + r->pos);
    r->pos += 4;
    return v;
}
static inline void cf_skip(struct cf_reader *r, uint32_t n) {
    if (cf_need(r, n)) r->pos += n;
}

CF_END_DECLS

#endif
