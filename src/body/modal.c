#include "body/flexible.h"

static lmb_status plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    (void)out, (void)b;
    return lmb_fail(err, LMB_ERR_INPUT, f->node->where, "body '%s': not there yet", f->name);
}

const lmb_formulation lmb_formulation_modal = {.name = "modal", .plan = plan};
