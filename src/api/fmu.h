// api/fmu.h: the variables of an FMU and its modelDescription.xml.
#ifndef LMB_FMU_H
#define LMB_FMU_H

#include "api/handles.h"

typedef enum lmb_fmu_role {
    LMB_FMU_TIME,
    LMB_FMU_PARAMETER, // a number; CALCULATED: an expression of others
    LMB_FMU_CALCULATED,
    LMB_FMU_INPUT,
    LMB_FMU_OUTPUT,
    LMB_FMU_STATE,
    LMB_FMU_RATE,
    LMB_FMU_INDICATOR,
} lmb_fmu_role;

// In the order of value references.
typedef struct lmb_fmu_variable {
    lmb_fmu_role role;
    const char *name, *unit, *text; // unit "": none; text: description, may be NULL
    double start, min, max;         // of parameters and inputs; the others have none
    double nominal;                 // of states, 0: none
    int of;                         // RATE: number of its state
    bool tunable;                   // parameters: may change during a simulation
} lmb_fmu_variable;

typedef struct lmb_fmu_description {
    const char *name, *title, *token;
    const lmb_analysis *analysis;
    const lmb_fmu_options *options;
    int count;
    const lmb_fmu_variable *variables;
} lmb_fmu_description;

// modelDescription.xml; false: no memory
bool lmb_fmu_write_2(lmb_text *out, const lmb_fmu_description *d);
bool lmb_fmu_write_3(lmb_text *out, const lmb_fmu_description *d);

#endif
