// Around the declarations of each installed header, which C++ programs may include as it is.

#ifndef CF_DECLS_H
#define CF_DECLS_H

#ifdef __cplusplus
#define CF_BEGIN_DECLS extern "C" {
#define CF_END_DECLS }
#else
#define CF_BEGIN_DECLS
#define CF_END_DECLS
#endif

#endif
