// store/fem.h: modal data of MBDyn (.fem): records of numbers after lines "** RECORD GROUP n".
//
// 1 sizes, 2 node labels, 3, 4 initial q, q', 5 to 7 coordinates of nodes, 8 mode shapes (6 numbers a node, mode after mode),
// 9 modal mass, 10 modal stiffness, 11 diagonal of the nodal masses, 12 mass, centre of mass, inertia about it, 13 modal damping,
// 14 I3, 15 I4 (3 x m), 16 -I8 (3 x 3 m), 17 I5 (3 x m m), 18 I9 (3 x 3 m m), 19 stress stiffening.
// Without 14 to 18 they are those of the masses 11; without 11 too, modes are taken to be free ones in mean axes: I3 = I4 = 0.
//
// P. Masarati et al.: MBDyn input manual, "Modal element", format of the FEM data.
#ifndef LMB_STORE_FEM_H
#define LMB_STORE_FEM_H

#include "reduce/flex.h"

lmb_status lmb_fem_parse(lmb_flex **out, const char *text, size_t length, const char *file, lmb_error *err);
// false: no memory
bool lmb_fem_write(lmb_text *out, const lmb_flex *f);

#endif
