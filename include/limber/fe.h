// limber/fe.h: liblimber-fe: fast factorisation of large finite element meshes.
//
// liblimber computes and reduces meshes by itself, with a simple Cholesky factorisation that suits beams.  This library
// adds CHOLMOD, ten to a hundred times faster on solids.  CHOLMOD's supernodal part is GPL-2+: a program that links
// liblimber-fe is bound by it; liblimber alone is not.
#ifndef LIMBER_FE_H
#define LIMBER_FE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_factoriser lmb_factoriser;

const lmb_factoriser *lmb_fe_cholmod(void);
const char *
lmb_fe_libraries(void); // what it links beside liblimber, with versions and licences, one per line

#ifdef __cplusplus
}
#endif
#endif
