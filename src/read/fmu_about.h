// read/fmu_about.h: what an importing program needs to know of an FMU, from its modelDescription.xml.
#ifndef LMB_READ_FMU_ABOUT_H
#define LMB_READ_FMU_ABOUT_H

#include "core/core.h"

typedef enum lmb_fmu_type { // that limber connects
    LMB_FMU_TYPE_OTHER,
    LMB_FMU_TYPE_REAL, // Real, Float64
    LMB_FMU_TYPE_FLOAT32,
    LMB_FMU_TYPE_BOOLEAN,
    LMB_FMU_TYPE_INT8,
    LMB_FMU_TYPE_UINT8,
    LMB_FMU_TYPE_INT16,
    LMB_FMU_TYPE_UINT16,
    LMB_FMU_TYPE_INT32, // and Integer and Enumeration of FMI 2
    LMB_FMU_TYPE_UINT32,
    LMB_FMU_TYPE_INT64, // and Enumeration of FMI 3
    LMB_FMU_TYPE_UINT64,
} lmb_fmu_type;

typedef struct lmb_fmu_entry { // a variable
    const char *name, *causality, *type;
    uint32_t reference;
    lmb_fmu_type kind;
    bool is_array;
} lmb_fmu_entry;

typedef struct lmb_fmu_able { // of element CoSimulation
    bool keep, write;         // canGetAndSetFMUState, canSerializeFMUState
    bool vary;                // canHandleVariableCommunicationStepSize
    bool slopes;              // canInterpolateInputs (FMI 2)
    bool tool;                // needsExecutionTool
    double internal;          // fixedInternalStepSize, s; 0: not given
} lmb_fmu_able;

typedef struct lmb_fmu_about {
    lmb_arena *arena;
    int version;            // of FMI, 2 or 3
    const char *token;      // guid or instantiationToken
    const char *identifier; // of the binary for co-simulation; NULL: none
    lmb_fmu_able able;
    int count;
    lmb_fmu_entry *entries;
} lmb_fmu_about;

// bytes: of a modelDescription.xml that may come from anywhere. path, where: for messages. Release with lmb_fmu_about_free, also after a failure.
lmb_status lmb_fmu_about_read(lmb_fmu_about *out, const char *bytes, size_t size, const char *path,
                              lmb_where where, lmb_error *err);
void lmb_fmu_about_free(lmb_fmu_about *a);
const lmb_fmu_entry *lmb_fmu_about_find(const lmb_fmu_about *a, const char *name); // NULL: not there

#endif
