// limber/fe.h: liblimber-fe: fast factorisation of large finite element meshes.
//
// liblimber alone can solve and reduce meshes with a simple Cholesky factorisation that suits beams.  This library
// adds CHOLMOD, which is ten to a hundred times faster on solids.  CHOLMOD's supernodal module is GPL-2+, which
// applies to any program that links liblimber-fe; liblimber alone is not affected.
#ifndef LIMBER_FE_H
#define LIMBER_FE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_factoriser lmb_factoriser;

const lmb_factoriser *lmb_fe_cholmod(void);
// The same for programs that otherwise give OpenBLAS one thread: while a large matrix is factorised, OpenBLAS has as many as there
// are processors, then as many as before. That is a setting of the whole process: no other thread may set it, and what other
// threads compute meanwhile may use more threads, too.  With another BLAS it is lmb_fe_cholmod().
const lmb_factoriser *lmb_fe_cholmod_threaded(void);
const char *
lmb_fe_libraries(void); // libraries linked in addition to liblimber, with versions and licences, one per line

#ifdef __cplusplus
}
#endif
#endif
