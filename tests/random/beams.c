// tests/random/beams.c: the same beams in other formulations.
//
// A floating frame or a superelement per part, and nodes with slopes: all tend to the same beam.  Of an error that falls with the square
// of the length of parts or elements, a third of what is between two of these lengths is left at the shorter one:
//
//     |a - b| <= |a - a'|/3 + |b - b'|/3       a, b: two formulations; a', b': in half as many parts or elements
//
// Three times that is allowed.
#include "run.h"

#include <stdio.h>
#include <string.h>

#define BENT 0.02 // of the motion: what halving the parts may change; more is far from convergence
enum { BEAM_STEPS = 4000 };

typedef struct refined {
    trace coarse, fine;
    double spread[ROWS + 2]; // between both, so far
    int rows;                // that can be compared: none if a run does not come to its end
} refined;

// false: it does not come to its end
static bool run_beams(trace *r, const random_model *m, int formulation, int finer) {
    random_model other = *m;
    other.text = m->beams[formulation][finer];
    trace_dynamics(r, &other, "tolerance: 1e-6", (effort){BEAM_STEPS, false}, 0);
    return r->status == LMB_OK;
}

static void refine(refined *r, const random_model *m, int formulation) {
    double spread = 0;
    *r = (refined){0};
    if (!run_beams(&r->coarse, m, formulation, 0) || !run_beams(&r->fine, m, formulation, 1)) return;
    int n = trace_sound(&r->coarse) < trace_sound(&r->fine) ? trace_sound(&r->coarse) : trace_sound(&r->fine);
    for (int k = 0; k < n; k++) {
        spread = fmax(spread, trace_difference(&r->fine, &r->coarse, k, MOTION));
        if (!(spread <= BENT)) return;
        r->spread[k] = spread, r->rows = k + 1;
    }
}

static void tell(const refined *r, int formulation) {
    printf("    %s: %ld and %ld steps, %d rows, spread %.2g %s%s\n", random_formulations[formulation][1],
           r->coarse.stats.steps, r->fine.stats.steps, r->rows, r->rows > 0 ? r->spread[r->rows - 1] : 0,
           r->coarse.err.text, r->fine.err.text);
}

static verdict judge_two(lmb_text *why, const refined *a, const refined *b, const double *errors, int rows,
                         const char *names[2], bool verbose) {
    double worst = 0;
    for (int k = 0; k < rows && k < a->rows && k < b->rows; k++) {
        double d = trace_difference(&a->fine, &b->fine, k, MOTION),
               allowed = a->spread[k] + b->spread[k] + errors[k];
        worst = lmb_larger(worst, d / allowed);
        if (d <= allowed) continue;
        lmb_text_add(why, "beams with '%s' and '%s' differ by %.2g in row %d; allowed are %.2g\n", names[0],
                     names[1], d, k, allowed);
        return DIFFERENT;
    }
    if (verbose) printf("      %.2g of what is allowed between '%s' and '%s'\n", worst, names[0], names[1]);
    return RIGHT;
}

verdict random_beams_agree(lmb_text *why, const random_model *m, const double *errors, int rows,
                           bool verbose) {
    refined r[FORMULATIONS];
    verdict v = RIGHT;
    for (int i = 0; i < FORMULATIONS; i++) {
        refine(&r[i], m, i);
        if (verbose) tell(&r[i], i);
    }
    for (int i = 0; i < FORMULATIONS; i++) {
        int j = (i + 1) % FORMULATIONS;
        const char *names[2] = {random_formulations[i][1], random_formulations[j][1]};
        verdict own = judge_two(why, &r[i], &r[j], errors, rows, names, verbose);
        v = own > v ? own : v;
    }
    for (int i = 0; i < FORMULATIONS; i++) trace_free(&r[i].coarse), trace_free(&r[i].fine);
    return v;
}
