// os/module.c: shared objects that are loaded while the program runs.
#include "os/module.h"

#include <dlfcn.h>
#include <string.h>

struct lmb_module {
    void *handle;
};

lmb_status lmb_module_open(lmb_module **out, const char *path, lmb_error *err) {
    lmb_module *m = *out = lmb_alloc(1, sizeof *m);
    if (m == NULL) return lmb_fail_memory(err);
    m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (m->handle) return LMB_OK;
    const char *why = dlerror();
    lmb_free(m);
    *out = NULL;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot load %s", why ? why : path);
}

lmb_function *lmb_module_find(const lmb_module *m, const char *name) {
    lmb_function *f;
    void *found = dlsym(m->handle, name);
    memcpy(&f, &found, sizeof f); // C has no cast from an object to a function
    return f;
}

void lmb_module_close(lmb_module *m) {
    if (m == NULL) return;
    dlclose(m->handle);
    lmb_free(m);
}
