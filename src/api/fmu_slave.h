// api/fmu_slave.h: an FMU as a co-simulation slave: unpacked, loaded, and behind the same functions for FMI 2 and 3.
#ifndef LMB_API_FMU_SLAVE_H
#define LMB_API_FMU_SLAVE_H

#include "system/compile.h"

typedef struct lmb_fmu_slave lmb_fmu_slave;

// Unpacks the FMU into a folder of its own, loads its binary, makes an instance and sets parameters. start, until: s. LMB_ERR_INPUT: it is
// broken, for another platform, or lacks what `as` names.  *out is NULL then and nothing is left.
lmb_status lmb_fmu_slave_create(lmb_fmu_slave **out, const lmb_slave *as, double start, double until,
                                lmb_error *err);
void lmb_fmu_slave_destroy(lmb_fmu_slave *s); // removes the folder; takes NULL

// The initial outputs that belong to inputs; once, before steps.
lmb_status lmb_fmu_slave_begin(double *outputs, lmb_fmu_slave *s, const double *inputs, lmb_error *err);
// Sets inputs, takes one step, and gets the outputs at its end.  LMB_ERR_NUMERIC: it failed or wants to end, in its own words.
lmb_status lmb_fmu_slave_step(double *outputs, lmb_fmu_slave *s, const double *inputs, lmb_error *err);
// Its state after begin: as bytes that another instance of the same FMU, just created, loads instead of begin.
const char *lmb_fmu_slave_unsaved(const lmb_fmu_slave *s); // NULL: it can be saved; else why not
lmb_status lmb_fmu_slave_save(lmb_text *out, lmb_fmu_slave *s, lmb_error *err); // appends
lmb_status lmb_fmu_slave_load(lmb_fmu_slave *s, const char *bytes, size_t size, lmb_error *err);
double lmb_fmu_slave_next(const lmb_fmu_slave *s); // where the next step ends, s

#endif
