// Wrappers for native methods. A native method has no code to edit. So it is renamed, and a method
// with the original name calls it, whose code can be edited like any other:
//
//      @Override public synchronized native int read(byte[] b);
//  becomes
//      @Override public synchronized int read(byte[] b) { return prefix$read(b); }
//      private native int prefix$read(byte[] b);
//
// The wrapper takes the place of the native method and keeps its access flags, annotations and
// other attributes. The renamed method is private and follows all other methods. The JVM finds its
// native code by the prefix (JVM TI SetNativeMethodPrefix). Everything else stays unchanged byte
// for byte; constants are appended.
//
//      struct cf_wrap wrap;
//      if (cf_wrap_begin(&wrap, &cls, "prefix$") == CF_OK) {
//          for each native method:
//              if (cf_wrap_native(&wrap, method, &error) != CF_OK) ... skipped ...
//          cf_wrap_encode(&wrap, malloc_like, context, &bytes, &length);
//      }

#ifndef CF_WRAP_H
#define CF_WRAP_H

#include "classfile/decls.h"
#include "classfile/pool.h"

CF_BEGIN_DECLS

// The new names of a native method.
struct cf_wrapped {
    uint16_t name_index; // of the prefixed name; 0: it is not wrapped
    uint16_t methodref;
};

struct cf_wrap {
    struct cf_class *cls;
    const char *prefix;
    struct cf_pool pool;
    struct cf_wrapped *methods; // one for each of the class
    uint32_t count;             // of wrapped methods
    uint32_t prefixed;          // methods that already have a prefixed name
    uint16_t utf8_code;
};

// Starts on an opened class, which is not changed. `prefix` must live as long. On an error (out of
// memory) cls->error is set.
enum cf_status cf_wrap_begin(struct cf_wrap *wrap, struct cf_class *cls, const char *prefix);

// Does the method have a prefixed name already?
int cf_wrap_is_prefixed(const struct cf_wrap *wrap, const struct cf_member *method);

// Wraps a method of the class. CF_MISUSE: it is not native, has code, or is a member of an
// interface; CF_LIMIT: there are 65,535 methods or constants, or the name or the attributes would
// be too long; CF_UNSUPPORTED: the class has a method of the prefixed name and this descriptor. The
// reason is in `error`; the method is then unchanged.
enum cf_status cf_wrap_native(struct cf_wrap *wrap, const struct cf_member *method,
                              struct cf_error *error);

// Writes the class. Method `i` keeps its index; it is the wrapper if it was wrapped. On an error
// (out of memory) cls->error is set.
enum cf_status cf_wrap_encode(struct cf_wrap *wrap, void *(*allocate)(void *context, size_t size),
                              void *context, uint8_t **bytes, size_t *length);

CF_END_DECLS

#endif
