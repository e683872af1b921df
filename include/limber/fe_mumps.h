// limber/fe_mumps.h: liblimber-fe-mumps: fast factorisation of large finite element meshes without GPL code.
//
// Takes the place of liblimber-fe (CHOLMOD); one process may have one of them.  MUMPS is under CeCILL-C, which is like the LGPL.  A
// program built with -DLMB_FACTORISER=MUMPS uses it.
#ifndef LIMBER_FE_MUMPS_H
#define LIMBER_FE_MUMPS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_factoriser lmb_factoriser;

// If its factors do not fit into the memory that there is, reductions keep them on disk instead.
const lmb_factoriser *lmb_fe_mumps(void);
// with all processors while a large matrix is factorised, as lmb_fe_cholmod_threaded() (limber/fe.h)
const lmb_factoriser *lmb_fe_mumps_threaded(void);
// The same with the factors in files of the folder MUMPS_OOC_TMPDIR (otherwise /tmp): a third of the memory or less, slower.
const lmb_factoriser *lmb_fe_mumps_on_disk(void);
const char *
lmb_fe_libraries(void); // libraries linked in addition to liblimber, with versions and licences, one per line

#ifdef __cplusplus
}
#endif
#endif
