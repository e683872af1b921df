// draw/life.c: damage of flexible bodies by the stresses of an analysis.                       docs/theory/fatigue.md
#include "draw/life.h"

#include "linalg/symmetric.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { AROUND = 32 }; // points of a round section

typedef struct job {
    lmb_life *out;
    const lmb_life_options *o;
    lmb_stressed x;
    lmb_row_range rows;
    double *s;      // coordinates of a body, row by row
    double *A;      // 6 x coordinates: stress of a point
    double *Y;      // 6 x rows: its history
    double *h;      // rows: one number of it
    double *damage; // of the places
    int *worst;     // their worst points
    double work, done;
} job;

// ---- points --------------------------------------------------------------------------------------

static int fibre_count(const double *section) {
    int count = 0;
    while (count < 8 && !isnan(section[2 * count])) count++;
    return lmb_section_radius(section) > 0 ? AROUND : count;
}

static int point_count(const lmb_stressed_body *b, int place) {
    if (b->skin.forces) return fibre_count(b->skin.section + LMB_SECTION_SIZE * (size_t)place);
    return b->skin.bottom ? 2 : 1;
}

static void node_rows(double *A, const float *field, int node, int n) {
    for (int i = 0; i < 6 * n; i++) A[i] = (double)field[(size_t)node * 6 * (size_t)n + (size_t)i];
}

// xx = N/A + My z/Iy - Mz y/Iz, xy = T/Wt
static void fibre_rows(double *A, const lmb_skin *s, int end, int fibre) {
    int n = lmb_skin_coordinates(s);
    const double *c = s->section + LMB_SECTION_SIZE * (size_t)end;
    const float *F = s->forces + (size_t)end * 6 * (size_t)n;
    double r = lmb_section_radius(c), angle = 2 * LMB_PI * fibre / AROUND;
    double y = r > 0 ? r * cos(angle) : c[2 * fibre], z = r > 0 ? r * sin(angle) : c[2 * fibre + 1];
    memset(A, 0, 6 * (size_t)n * sizeof *A);
    for (int i = 0; i < n; i++) {
        double N = (double)F[i], T = (double)F[3 * n + i], My = (double)F[4 * n + i],
               Mz = (double)F[5 * n + i];
        A[i] = N / c[16] + My * z / c[17] - Mz * y / c[18];
        A[3 * n + i] = c[19] > 0 ? T / c[19] : 0;
    }
}

static void point_rows(double *A, const lmb_stressed_body *b, int place, int point) {
    const lmb_skin *s = &b->skin;
    if (s->forces) fibre_rows(A, s, place, point);
    else node_rows(A, point ? s->bottom : s->stress, place, lmb_skin_coordinates(s));
}

// ---- damage --------------------------------------------------------------------------------------

// Y = A s of all rows
static void follow(job *j, const lmb_stressed_body *b) {
    lmb_gram(j->Y, 1, j->A, j->s, 0, lmb_skin_coordinates(&b->skin), 6, (int)j->rows.count);
}

static double mises_damage(job *j, const lmb_stressed_body *b) {
    follow(j, b);
    lmb_signed_mises(j->h, j->Y, j->rows.count);
    return lmb_sn_damage(&j->o->line, j->h, j->rows.count);
}

static void take_place(job *j, const lmb_stressed_body *b, int place) {
    double *most = &j->damage[b->first + place];
    for (int k = 0; k < point_count(b, place); k++) {
        point_rows(j->A, b, place, k);
        double d = mises_damage(j, b);
        if (!(d <= *most)) *most = d, j->worst[b->first + place] = k;
        if (isnan(d)) return;
    }
}

static lmb_status tell(job *j, int places, lmb_error *err) {
    lmb_watch watch = {j->o->progress, j->o->user};
    j->done += places;
    bool on = lmb_watch_tell(&watch, j->done / j->work, "damage");
    return on ? LMB_OK : lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
}

// what is drawn of a beam: points around its sections, or lines, whose nodes have the larger damage of the sections there
static void draw_sections(job *j, const lmb_stressed_body *b, float *damage) {
    const lmb_skin *s = &b->skin;
    for (int i = 0; i < s->node_count && s->stress; i++) {
        node_rows(j->A, s->stress, i, lmb_skin_coordinates(s));
        damage[i] = (float)mises_damage(j, b);
    }
    for (int i = 0; i < 2 * s->line_count && i < b->count; i++) {
        float *at = &damage[s->lines[i]];
        *at = fmaxf(*at, (float)j->damage[b->first + i]);
    }
}

static lmb_status take_body(job *j, int body, lmb_error *err) {
    enum { FEW = 64 }; // places between two signs of life
    const lmb_stressed_body *b = &j->x.bodies[body];
    float *drawn = j->out->bodies[body].damage;
    lmb_status st = lmb_stressed_rows(j->s, &j->x, body, j->rows, err);
    for (int i = 0; i < b->count && st == LMB_OK; i++) {
        take_place(j, b, i);
        if (isnan(j->damage[b->first + i]))
            st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "stresses of body '%.200s' are not numbers",
                          j->x.scene->bodies[body].name);
        if (!b->sections) drawn[i] = (float)j->damage[b->first + i];
        if (st == LMB_OK && i % FEW == FEW - 1) st = tell(j, FEW, err);
    }
    if (st == LMB_OK && b->sections) draw_sections(j, b, drawn);
    return st;
}

// ---- critical planes -----------------------------------------------------------------------------

// of the normal stress on the plane with normal n, whose history is n.sigma n
static double plane_damage(job *j, vec3 n) {
    const double w[6] = {n.x * n.x, n.y * n.y, n.z * n.z, 2 * n.x * n.y, 2 * n.y * n.z, 2 * n.z * n.x};
    long rows = j->rows.count;
    memset(j->h, 0, (size_t)rows * sizeof *j->h);
    for (int k = 0; k < 6; k++) lmb_axpy(j->h, w[k], j->Y + k * rows, (int)rows);
    return lmb_sn_damage(&j->o->line, j->h, rows);
}

static void try_plane(lmb_life_spot *s, job *j, vec3 n) {
    double d = plane_damage(j, n);
    if (d > s->plane) s->plane = d, v3_store(s->normal, n);
}

// every 5 degrees over half a sphere
static void try_all(lmb_life_spot *s, job *j) {
    enum { STEPS = 18 };
    for (int i = 0; i <= STEPS; i++) {
        double tilt = 0.5 * LMB_PI * i / STEPS;
        int around = i == 0 ? 1 : (int)ceil(4 * STEPS * sin(tilt));
        for (int k = 0; k < around; k++) {
            double turn = 2 * LMB_PI * k / around;
            try_plane(s, j, v3(sin(tilt) * cos(turn), sin(tilt) * sin(turn), cos(tilt)));
        }
    }
}

// around the best one, ever closer, to 0.05 degrees
static void refine(lmb_life_spot *s, job *j) {
    for (double step = 2.5; step > 0.05; step /= 2) {
        mat3 R = m3_frame_z(v3_load(s->normal), V3_ZERO);
        double t = tan(step * LMB_PI / 180);
        for (int k = 0; k < 8; k++) {
            double turn = 0.25 * LMB_PI * k;
            try_plane(s, j, v3_unit(m3_mul_v3(&R, v3(t * cos(turn), t * sin(turn), 1))));
        }
    }
}

static lmb_status make_spot(lmb_life_spot *out, job *j, int place, lmb_error *err) {
    int body = lmb_stressed_body_of(&j->x, place), point = j->worst[place];
    const lmb_stressed_body *b = &j->x.bodies[body];
    *out =
        (lmb_life_spot){.at = lmb_spot_at(&j->x, place, point && b->skin.bottom), .damage = j->damage[place]};
    lmb_status st = lmb_stressed_rows(j->s, &j->x, body, j->rows, err);
    if (st != LMB_OK) return st;
    point_rows(j->A, b, out->at.place, point);
    follow(j, b);
    try_all(out, j);
    if (out->plane > 0) refine(out, j);
    return LMB_OK;
}

static int by_damage(const void *a, const void *b) {
    double x = lmb_life_spot_damage(a), y = lmb_life_spot_damage(b);
    return (x < y) - (x > y);
}

static lmb_status find_spots(job *j, lmb_error *err) {
    lmb_life *e = j->out;
    int *peaks, found, most = j->o->count > 0 ? j->o->count : 10;
    lmb_status st = lmb_stressed_peaks(&peaks, &found, &j->x, j->damage, most, err);
    if (st == LMB_OK) e->spots = lmb_alloc((size_t)found + 1, sizeof *e->spots);
    if (st == LMB_OK && e->spots == NULL) st = lmb_fail_memory(err);
    for (int i = 0; st == LMB_OK && i < found; i++, e->spot_count++)
        st = make_spot(&e->spots[i], j, peaks[i], err);
    if (st == LMB_OK && found > 1) qsort(e->spots, (size_t)found, sizeof *e->spots, by_damage);
    lmb_free(peaks);
    return st;
}

// ---- all of it -----------------------------------------------------------------------------------

// rows from the given time on
static lmb_status choose_rows(job *j, lmb_error *err) {
    lmb_series time = {0};
    lmb_status st = lmb_reader_time(&time, j->x.r, j->x.group, err);
    long first = 0;
    while (st == LMB_OK && first < time.rows && time.v[first] < j->o->from) first++;
    j->rows = (lmb_row_range){first, time.rows - first};
    if (st == LMB_OK && j->rows.count < 2)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "analysis '%.200s' has %ld rows from t = %g s on; cycles need at least two",
                      lmb_reader_group_name(j->x.r, j->x.group), j->rows.count, j->o->from);
    if (st == LMB_OK) j->out->duration = time.v[time.rows - 1] - time.v[first], j->out->rows = j->rows.count;
    lmb_series_free(&time);
    return st;
}

static lmb_status make_room(job *j, lmb_error *err) {
    size_t n = 1, rows = (size_t)j->rows.count, count = (size_t)j->x.count + 1;
    bool ok = true;
    for (int i = 0; i < j->x.scene->body_count && ok; i++) {
        const lmb_stressed_body *b = &j->x.bodies[i];
        lmb_body_life *e = &j->out->bodies[i];
        if (!b->known || b->unknown) continue;
        n = (size_t)fmax((double)n, lmb_skin_coordinates(&b->skin));
        e->count = b->skin.node_count;
        ok = (e->damage = lmb_alloc((size_t)e->count + 1, sizeof *e->damage)) != NULL;
    }
    j->s = lmb_alloc(rows * n, sizeof *j->s), j->A = lmb_alloc(6 * n, sizeof *j->A);
    j->Y = lmb_alloc(6 * rows, sizeof *j->Y), j->h = lmb_alloc(rows, sizeof *j->h);
    j->damage = lmb_alloc(count, sizeof *j->damage), j->worst = lmb_alloc(count, sizeof *j->worst);
    j->work = (double)count;
    return ok && j->s && j->A && j->Y && j->h && j->damage && j->worst ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status fill(job *j, lmb_error *err) {
    lmb_life *e = j->out;
    e->body_count = j->x.scene->body_count;
    e->bodies = lmb_alloc((size_t)e->body_count + 1, sizeof *e->bodies);
    lmb_status st = e->bodies ? choose_rows(j, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = make_room(j, err);
    for (int i = 0; i < e->body_count && st == LMB_OK; i++)
        if (e->bodies[i].count > 0) st = take_body(j, i, err);
    return st == LMB_OK ? find_spots(j, err) : st;
}

static void free_job(job *j) {
    lmb_stressed_close(&j->x);
    lmb_free(j->s), lmb_free(j->A), lmb_free(j->Y), lmb_free(j->h);
    lmb_free(j->damage), lmb_free(j->worst);
}

static lmb_status check_places(const job *j, lmb_error *err) {
    if (j->x.count > 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no stresses are known; `limber stress` says why");
}

lmb_status lmb_life_create(lmb_life **out, lmb_reader *r, const lmb_scene *scene, int group,
                           const lmb_life_options *options, lmb_error *err) {
    lmb_life *e = lmb_alloc(1, sizeof *e);
    *out = NULL;
    if (e == NULL) return lmb_fail_memory(err);
    e->group = group, e->line = options->line;
    job j = {.out = e, .o = options};
    lmb_status st = lmb_sn_check(&options->line, err);
    if (st == LMB_OK) st = lmb_stressed_open(&j.x, r, scene, group, options->body, err);
    if (st == LMB_OK) st = check_places(&j, err);
    if (st == LMB_OK) st = fill(&j, err);
    free_job(&j);
    if (st == LMB_OK) *out = e;
    else lmb_life_destroy(e);
    return st;
}

void lmb_life_destroy(lmb_life *e) {
    if (e == NULL) return;
    for (int i = 0; e->bodies && i < e->body_count; i++) lmb_free(e->bodies[i].damage);
    lmb_free(e->bodies), lmb_free(e->spots);
    lmb_free(e);
}
