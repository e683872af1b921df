// read/cad_unit.h: the length unit that a CAD file declares.
#ifndef LMB_READ_CAD_UNIT_H
#define LMB_READ_CAD_UNIT_H

#include "core/core.h"

enum { LMB_CAD_UNITS = 8 }; // different ones of a file that are told apart

typedef struct lmb_cad_units {
    int count; // 0: the file declares none
    double metres[LMB_CAD_UNITS];
} lmb_cad_units;

// STEP: the units of its contexts (GLOBAL_UNIT_ASSIGNED_CONTEXT), through SI prefixes and conversions.
lmb_cad_units lmb_step_units(const char *text, size_t length);
// IGES: flag and name of the global section.
lmb_cad_units lmb_iges_units(const char *text, size_t length);

#endif
