// api/fmu_box.h: an FMU that was unpacked into a folder of its own, and its binary, loaded.
#ifndef LMB_API_FMU_BOX_H
#define LMB_API_FMU_BOX_H

#include "os/module.h"
#include "read/fmu_about.h"

typedef struct lmb_fmu_box {
    char folder[400]; // "": none
    lmb_fmu_about about;
    lmb_module *module;
} lmb_fmu_box;

// name: of the FMU in the model, for messages. Release with lmb_fmu_box_close, also after a failure.
lmb_status lmb_fmu_box_open(lmb_fmu_box *out, const char *path, const char *name, lmb_where where,
                            lmb_error *err);
void lmb_fmu_box_close(lmb_fmu_box *b);

#endif
