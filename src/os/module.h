// os/module.h: shared objects that are loaded while the program runs: the binaries of FMUs. Nothing else in the library loads code.
#ifndef LMB_OS_MODULE_H
#define LMB_OS_MODULE_H

#include "core/core.h"

typedef struct lmb_module lmb_module;
typedef void lmb_function(void); // to be cast to what it is

// Runs what the object does when it is loaded. LMB_ERR_SYSTEM: with the system's reason. Release with lmb_module_close.
lmb_status lmb_module_open(lmb_module **out, const char *path, lmb_error *err);
lmb_function *lmb_module_find(const lmb_module *m, const char *name); // NULL: not there
void lmb_module_close(lmb_module *m);                                 // takes NULL

#endif
