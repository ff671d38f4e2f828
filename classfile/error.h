// Errors of the class file layer are values, composed once where they are known and printed where a
// person reads them. No function of this layer prints, exits or aborts.

#ifndef CF_ERROR_H
#define CF_ERROR_H

#include "classfile/decls.h"

#include <stddef.h>
#include <stdint.h>

CF_BEGIN_DECLS

// Values are pinned: they appear in tests and in statistics.
enum cf_status {
    CF_OK = 0,
    CF_TRUNCATED = 1,   // the bytes end before the structure does
    CF_MALFORMED = 2,   // a value that the format forbids
    CF_UNKNOWN = 3,     // an unknown constant pool tag or opcode: the class is skipped
    CF_LIMIT = 4,       // a limit of the format would be exceeded (65,535 bytes, entries, slots)
    CF_NO_MEMORY = 5,   // out of memory
    CF_UNSUPPORTED = 6, // well-formed, but cannot be rewritten; the method is skipped
    CF_MISUSE = 7,      // a pass made an invalid request
    CF_UNVERIFIABLE = 8 // the code of a method breaks a rule of verification
};

struct cf_error {
    enum cf_status status;
    uint32_t offset;    // into the class file; for code, see `at_pc`
    uint32_t value;     // the offending value, if `reason` names one
    const char *reason; // a constant string without a full stop; may hold one %u for `value`
    int at_pc;          // `offset` counts from the start of the method's code
    uint32_t snippet;   // of an edit, counted from 1: `offset` is a byte of it or, with at_pc, the
                        // pc of its anchor; 0: none
};

// Records only the first error: later ones are usually its consequences. Returns `status`.
#if defined(__GNUC__)
__attribute__((cold)) // compilers then lay out the error-free path in one line
#endif
enum cf_status
cf_fail(struct cf_error *error, enum cf_status status, uint32_t offset, const char *reason,
        uint32_t value);

// Writes "reason (at offset N)" into `text`, always terminated. Returns `text`.
char *cf_error_text(const struct cf_error *error, char *text, size_t size);

// Forward an error to the caller.
#define CF_TRY(call)                                                                               \
    do {                                                                                           \
        enum cf_status cf_try_ = (call);                                                           \
        if (cf_try_ != CF_OK) return cf_try_;                                                      \
    } while (0)

CF_END_DECLS

#endif
