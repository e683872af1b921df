// api/skin_make.h: what is drawn of a flexible body, from its live model.
#ifndef LMB_SKIN_MAKE_H
#define LMB_SKIN_MAKE_H

#include "model/model.h"
#include "store/skin.h"

// The drawn geometry of a part: its surface, beams with their sections.
lmb_status lmb_skin_make(lmb_skin *out, const lmb_flex *f, lmb_error *err);
// The drawn geometry of a body with ops->look.fibre: it moves with the coordinates of the body; its frame is ground.
enum { LMB_SKIN_VECTORS = 16 }; // maximum for such a body
lmb_status lmb_skin_make_fibres(lmb_skin *out, const lmb_body *b, lmb_error *err);

#endif
