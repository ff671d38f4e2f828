// Around the declarations of each installed header, which C++ programs may include as it is.

#ifndef CF_DECLS_H
#define CF_DECLS_H

#ifdef __cplusplus
// A structure and a function may share a name, as stat does in POSIX: -Wshadow of g++ is against that.
#define CF_BEGIN_DECLS                                                                             \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") extern "C" {
#define CF_END_DECLS                                                                               \
    }                                                                                              \
    _Pragma("GCC diagnostic pop")
#else
#define CF_BEGIN_DECLS
#define CF_END_DECLS
#endif

#endif
