// draw/life.h: damage of flexible bodies by the stresses of an analysis.                       docs/theory/fatigue.md
//
// A place has one history for each point of it: a node of a mesh one, of a shell one on each side, a section one for each of its fibres, a
// round section one for each of 32 points around it.  Its damage is that of the worst point, by the signed von Mises stress.  At the peaks
// of damage the normal stress on the critical plane of this point is counted, too.
#ifndef LMB_DRAW_LIFE_H
#define LMB_DRAW_LIFE_H

#include "draw/fatigue.h"
#include "draw/spots.h"

typedef struct lmb_life_spot {
    lmb_spot at;
    double damage;    // signed von Mises stress
    double plane;     // normal stress on the critical plane
    double normal[3]; // of this plane, body axes; of sections x is along the beam; 0: no plane is damaged
} lmb_life_spot;

// the larger of both
static inline double lmb_life_spot_damage(const lmb_life_spot *s) {
    return s->damage > s->plane ? s->damage : s->plane;
}

typedef struct lmb_body_life {
    int count; // nodes of its skin; 0: it has no stresses
    float *damage;
} lmb_body_life;

typedef struct lmb_life {
    int group; // analysis
    lmb_sn_line line;
    int body_count; // of the scene
    lmb_body_life *bodies;
    int spot_count;
    lmb_life_spot *spots; // the worst first
    long rows;
    double duration; // s
} lmb_life;

// how often the analysis can be repeated
static inline double lmb_life_repetitions(const lmb_life_spot *s) { return 1 / lmb_life_spot_damage(s); }
static inline double lmb_life_hours(const lmb_life *e, const lmb_life_spot *s) {
    return lmb_life_repetitions(s) * e->duration / 3600;
}

// Free *out with lmb_life_destroy.  Names of spots are borrowed from the scene.
lmb_status lmb_life_create(lmb_life **out, lmb_reader *r, const lmb_scene *scene, int group,
                           const lmb_life_options *options, lmb_error *err);
void lmb_life_destroy(lmb_life *e); // takes NULL

#endif
