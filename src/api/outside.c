// api/outside.c: functions of the calling program in the expressions of a document.
#include "api/handles.h"

#include <string.h>

static lmb_status check(const lmb_document *d, const char *name, int arguments, lmb_error *err) {
    if (d->spec == NULL) return lmb_document_used(err);
    lmb_status st = lmb_parameter_name_check(name, "a function", LMB_NOWHERE, err);
    if (st != LMB_OK) return st;
    if (arguments < 1 || arguments > LMB_OUTSIDE_ARGUMENTS)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "function '%s' cannot have %d arguments; it needs 1 to %d", name, arguments,
                        LMB_OUTSIDE_ARGUMENTS);
    for (const lmb_outside *f = d->spec->outside; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "duplicate function '%s'", name);
    return LMB_OK;
}

lmb_status lmb_document_function(lmb_document *d, const char *name, int arguments, lmb_callback f, void *user,
                                 lmb_error *err) {
    lmb_status st = check(d, name, arguments, err);
    if (st != LMB_OK) return st;
    lmb_outside *o = lmb_arena_get(d->spec->arena, 1, sizeof *o);
    const char *own = lmb_arena_strdup(d->spec->arena, name);
    if (o == NULL || own == NULL) return lmb_fail_memory(err);
    *o = (lmb_outside){own, arguments, f, user, d->spec->outside};
    d->spec->outside = o;
    return LMB_OK;
}
