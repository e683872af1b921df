// store/super.h: bodies as superelements for other programs: K and M of the motions of their interfaces and of normal modes with
// fixed interfaces.  Interfaces are nodes 1, 2, ..., modes scalars 900001, 900002, ...
#ifndef LMB_STORE_SUPER_H
#define LMB_STORE_SUPER_H

#include "reduce/flex.h"

enum { LMB_SUPER_MODES = 900000 }; // number of a mode, counted from 1, beyond which it has its own
// Bulk data: GRID, SPOINT and the matrices KAAX and MAAX as DMIG, ten digits.  false: no memory
bool lmb_super_write_dmig(lmb_text *out, const lmb_flex *f, const lmb_flex_super *s);
// OUTPUT4, text: KAAX and MAAX, 17 digits
bool lmb_super_write_op4(lmb_text *out, const lmb_flex *f, const lmb_flex_super *s);
// What goes with it: `node, x, y, z` of the interfaces, `node, dof` of every row
bool lmb_super_write_nodes(lmb_text *out, const lmb_flex *f, const lmb_flex_super *s);
bool lmb_super_write_rows(lmb_text *out, const lmb_flex_super *s);

#endif
