// draw/ramp.h: from values to colours: a perceptually even scale, and the range of values that it covers.
#ifndef LMB_DRAW_RAMP_H
#define LMB_DRAW_RAMP_H

#include "core/core.h"

typedef enum lmb_ground { LMB_ON_WHITE, LMB_ON_DARK } lmb_ground; // what colours are drawn on

// sRGB, each in [0, 1], at t in [0, 1] of the scale; outside of it the nearest end; nan: grey.
void lmb_ramp_color(double rgb[3], double t, lmb_ground on);

typedef struct lmb_hex {
    char text[8]; // "#1f3a93"
} lmb_hex;
lmb_hex lmb_ramp_hex(double t, lmb_ground on);

typedef struct lmb_spread {
    double low, high; // of the finite values; both nan: none
    bool log;         // they lie more evenly by their logarithms
} lmb_spread;

lmb_spread lmb_spread_of(double *values, int count); // drops those that are not finite, sorts the others
double lmb_spread_place(const lmb_spread *s,
                        double value); // 0 for low, 1 for high, 1/2 for all if they are equal

#endif
