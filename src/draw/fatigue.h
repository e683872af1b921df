// draw/fatigue.h: cycles of a stress history, and the damage that they do.                     docs/theory/fatigue.md
#ifndef LMB_DRAW_FATIGUE_H
#define LMB_DRAW_FATIGUE_H

#include <limber/limber.h>

#include "core/core.h"

// Takes a cycle: its range and mean; count is 1, or 0.5 of a half cycle.
typedef void lmb_cycle_taker(void *user, double range, double mean, double count);
// Rainflow counting of ASTM E1049-85, 5.4.4.  The history x is used up.
void lmb_rainflow(double *x, long count, lmb_cycle_taker *take, void *user);

// An input error names what is missing or out of range.
lmb_status lmb_sn_check(const lmb_sn_line *l, lmb_error *err);
// Amplitude of the fully reversed stress that does the same damage; INFINITY: it breaks at once.
double lmb_sn_amplitude(const lmb_sn_line *l, double amplitude, double mean);
double lmb_sn_cycles(const lmb_sn_line *l, double amplitude); // to failure, fully reversed
bool lmb_sn_write(lmb_text *out, const lmb_sn_line *l);       // a line of text; false: no memory
// Sum of all cycles of a history, which is used up; not a number if one of its values is none.
double lmb_sn_damage(const lmb_sn_line *l, double *x, long count);

// Von Mises stress with a sign: that of the principal stress largest by size in the state with the largest von Mises stress, or the
// opposite where the deviator points against that state.  stress: 6 x rows: xx, yy, zz, xy, yz, zx.
void lmb_signed_mises(double *out, const double *stress, long rows);

#endif
