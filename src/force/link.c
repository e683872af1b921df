// force/link.c: elastic connection of two parts of a body.                           docs/theory/forces.md (7)
//
//     chi = (R1'(r2 - r1), log R1'R2)        F = -K (chi + beta chi')        W = sum_i g_i F_i,  g_i = dchi_i/dx
//     dW/dx = sum_i F_i H_i - sum_ij g_i K_ij (g_j + beta H_j'x')'            dW/dx' = -beta sum_ij g_i K_ij g_j'
#include "force/forces.h"
#include "force/law.h"

enum { SIX = 6 };

// K, D += g_i (sum_j -K_ij (g_j + beta H_j'x'))', g_i (sum_j -beta K_ij g_j)'
static void add_tangent(lmb_wrench *w, const lmb_stretch x[SIX], const lmb_link *s, int i) {
    double by_x[LMB_TWIST] = {0}, by_rate[LMB_TWIST] = {0};
    for (int j = 0; j < SIX; j++) {
        double k = -s->K[SIX * i + j];
        if (k == 0) continue;
        for (int c = 0; c < LMB_TWIST; c++) {
            by_x[c] += k * x[j].g[c], by_rate[c] += s->beta * k * x[j].g[c];
            for (int r = 0; s->beta > 0 && r < LMB_TWIST; r++)
                by_x[c] += s->beta * k * x[j].xdot[r] * x[j].H[r * LMB_TWIST + c];
        }
    }
    for (int r = 0; r < LMB_TWIST; r++)
        for (int c = 0; c < LMB_TWIST; c++) {
            w->K[r * LMB_TWIST + c] += x[i].g[r] * by_x[c];
            w->D[r * LMB_TWIST + c] += x[i].g[r] * by_rate[c];
        }
}

static void wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    const lmb_link *s = f->constants;
    lmb_stretch x[SIX];
    for (int i = 0; i < SIX; i++) {
        lmb_measure m = i < 3 ? lmb_along(i) : lmb_rotation(i - 3);
        lmb_stretch_eval(&x[i], w, d, &m, f->marker);
    }
    for (int i = 0; i < SIX; i++) {
        double F = 0, R = 0; // K chi, K chi'
        for (int j = 0; j < SIX; j++) F += s->K[SIX * i + j] * x[j].value, R += s->K[SIX * i + j] * x[j].rate;
        lmb_wrench_along(w, &x[i], -(F + s->beta * R), 0, 0);
        w->energy += 0.5 * x[i].value * F;
        w->dissipated += s->beta * x[i].rate * R;
        if (w->want_tangent) add_tangent(w, x, s, i);
    }
}

const lmb_force_ops lmb_link_ops = {.name = "link", .wrench = wrench};
