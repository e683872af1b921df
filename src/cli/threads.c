// cli/threads.c: one thread of dense linear algebra, except for large meshes (limber/fe.h).
//
// OpenBLAS starts its threads when it is loaded, and they wait in a loop: a model of a few bodies takes longer with them.  Linked
// as an archive it is initialised after `before_blas`, which keeps it from that; a shared one is told in main.  Who sets
// one of the variables decides instead.
#include "cli.h"

#ifdef LMB_MUMPS
#include <limber/fe_mumps.h>
#else
#include <limber/fe.h>
#endif

#include <stdlib.h>

extern void openblas_set_num_threads(int count) __attribute__((weak)); // NULL: another BLAS

static const char variable[] = "OPENBLAS_NUM_THREADS";
static bool by_user;

__attribute__((constructor(101))) static void before_blas(void) {
    by_user = getenv(variable) || getenv("GOTO_NUM_THREADS") || getenv("OMP_NUM_THREADS");
    if (!by_user) setenv(variable, "1", 1);
}

void cli_threads_begin(void) {
    if (by_user) return;
    unsetenv(variable); // other programs decide for themselves
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}

#ifdef LMB_MUMPS
const lmb_factoriser *cli_factoriser(void) { return by_user ? lmb_fe_mumps() : lmb_fe_mumps_threaded(); }
#else
const lmb_factoriser *cli_factoriser(void) { return by_user ? lmb_fe_cholmod() : lmb_fe_cholmod_threaded(); }
#endif
