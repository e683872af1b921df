// tests of api/reduce_ahead.c: parts that are reduced at the same time are what they are one after the other
#include "check.h"
#include "linalg/symmetric.h"
#include "os/memory.h"

#include <limber/fe.h>
#include <limber/limber.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// bars of n x 2 x 2 bricks, 0.1 n m long
static bool write_bar(const char *path, int n) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    FILE *f = fopen(path, "w");
    if (f == NULL) return false;
    fprintf(f, "*NODE\n");
    for (int k = 0; k < 9 * (n + 1); k++)
        fprintf(f, "%d, %g, %g, %g\n", k + 1, 0.1 * (k / 9), 0.05 * (k % 3), 0.05 * (k / 3 % 3));
    fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=E\n");
    for (int e = 0; e < 4 * n; e++) {
        fprintf(f, "%d", e + 1);
        for (int c = 0; c < 8; c++)
            fprintf(f, ", %d",
                    1 + 9 * (e / 4 + corner[c][0]) + e % 2 + corner[c][1] + 3 * (e / 2 % 2 + corner[c][2]));
        fprintf(f, "\n");
    }
    for (int end = 0; end < 2; end++) {
        fprintf(f, "*NSET, NSET=%s\n", end ? "RIGHT" : "LEFT");
        for (int k = 0; k < 9; k++) fprintf(f, "%d,\n", 9 * n * end + k + 1);
    }
    return fclose(f) == 0;
}

typedef struct told {  // by progress
    int factorised[4]; // of bodies a, b, c, d
    int calls, stop_after;
    pthread_t caller;
    bool elsewhere;
} told;

static bool tell(void *user, const char *text, double done) {
    told *t = user;
    (void)done;
    t->calls++;
    t->elsewhere = t->elsewhere || !pthread_equal(t->caller, pthread_self());
    if (strstr(text, "factorising") && text[1] == ':') t->factorised[text[0] - 'a']++;
    return t->stop_after == 0 || t->calls <= t->stop_after;
}

static const lmb_factoriser *factoriser; // NULL: CHOLMOD with threads

// Two bars and a beam in a row, the third bar is equal to the first; `wrong` ends the keys of the second and the third one.
static lmb_status load(lmb_system **out, const char *wrong, int threads, told *t, lmb_error *err) {
    char text[4000], one[300], two[300];
    snprintf(one, sizeof one, "%s", check_temp("ahead_one.inp"));
    snprintf(two, sizeof two, "%s", check_temp("ahead_two.inp"));
    if (!CHECK(write_bar(one, 4) && write_bar(two, 6))) return LMB_ERR_SYSTEM;
#define BAR(name, at, more)                                                \
    "  " name ": {type: mesh, file: %s, unit: m, material: steel, at: " at \
    ", interfaces: {l: {set: LEFT}, r: {set: RIGHT%s}}, shapes: [{craig_bampton: 3}]" more "}\n"
    snprintf(text, sizeof text,
             "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n" BAR("a", "[0, 0, 0]", "")
                 BAR("b", "[0.4, 0, 0]", "")
                     BAR("c", "[1, 0, 0]",
                         "") "  d: {type: beam, at: [1.4, 0.05, 0.05], length: 0.3, section: {circle: 0.02}, "
                             "material: steel}\n"
                             "  e: {type: beam, at: [1.7, 0.05, 0.05], length: 0.3, section: {circle: 0.02}, "
                             "material: steel}\n"
                             "joints:\n"
                             "  h: {type: revolute, between: [ground, a.l], axis: [0, 0, 1]}\n"
                             "  i: {type: revolute, between: [a.r, b.l], axis: [0, 0, 1]}\n"
                             "  j: {type: revolute, between: [b.r, c.l], axis: [0, 0, 1]}\n"
                             "  k: {type: revolute, between: [c.r, d.start], axis: [0, 0, 1]}\n"
                             "  l: {type: revolute, between: [d.end, e.start], axis: [0, 0, 1]}\n"
                             "sensors: {tip: {type: position, of: e.end}, foot: {type: reaction, of: h}}\n"
                             "analyses: [{type: dynamics, until: 0.01, step: 1e-3}]\n",
             one, "", two, wrong, one, wrong);
    lmb_document *d = NULL;
    t->caller = pthread_self();
    const lmb_part_settings how = {.factoriser = factoriser ? factoriser : lmb_fe_cholmod_threaded(),
                                   .no_cache = true,
                                   .progress = tell,
                                   .user = t,
                                   .threads = threads};
    lmb_status st = lmb_document_read_text(&d, text, "m.yaml", err);
    if (st == LMB_OK) st = lmb_system_create_with(out, d, NULL, 0, &how, err);
    lmb_document_destroy(d);
    return st;
}

static const int numbers[] = {1, 2, 3, 8};

TEST(parts_reduced_together_are_the_same_to_the_last_bit) {
    enum { SENSORS = 9 };
    double first[SENSORS] = {0};
    for (int k = 0; k < (int)(sizeof numbers / sizeof *numbers); k++) {
        lmb_system *s = NULL;
        lmb_simulation *sim = NULL;
        lmb_error err = {0};
        told t = {0};
        if (!CHECK_OK(load(&s, "", numbers[k], &t, &err), err)) return;
        CHECK(t.factorised[0] == 1 && t.factorised[1] == 1 && t.factorised[2] == 0); // c is a
        CHECK(numbers[k] > 1 || !t.elsewhere);
        CHECK(lmb_system_sensor_count(s) == SENSORS);
        if (CHECK_OK(lmb_simulation_create(&sim, s, &err), err))
            CHECK_OK(lmb_simulation_run(sim, 0, NULL, NULL, &err), err);
        for (int i = 0; sim && i < SENSORS; i++) {
            double x = lmb_simulation_sensor(sim, i);
            if (k == 0) first[i] = x;
            CHECK(memcmp(&x, &first[i], sizeof x) == 0);
        }
        lmb_simulation_destroy(sim);
        lmb_system_destroy(s);
    }
}

static lmb_factor_cost greedy_cost(const void *f) {
    lmb_factor_cost c = lmb_fe_cholmod()->cost(f);
    c.bytes = 0.7 * lmb_memory_available();
    return c;
}

// two of 70 % of the memory do not fit beside each other, but one after the other
TEST(parts_that_do_not_fit_into_memory_together_are_reduced_alone) {
    lmb_system *s = NULL;
    lmb_error err = {0};
    told t = {0};
    lmb_factoriser greedy = *lmb_fe_cholmod();
    greedy.cost = greedy_cost;
    if (lmb_memory_available() == 0) return;
    factoriser = &greedy;
    CHECK_OK(load(&s, "", 2, &t, &err), err);
    CHECK(t.factorised[0] == 1 && t.factorised[1] == 1);
    lmb_system_destroy(s);
    factoriser = NULL;
}

// b and c are wrong; the error is that of b, however fast c fails
TEST(the_first_error_of_the_model_is_told) {
    for (int k = 0; k < (int)(sizeof numbers / sizeof *numbers); k++) {
        lmb_system *s = NULL;
        lmb_error err = {0};
        told t = {0};
        CHECK(load(&s, "X", numbers[k], &t, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "RIGHTX");
        CHECK(err.line == 5);
        CHECK(s == NULL);
    }
}

TEST(reductions_stop_when_progress_says_so) {
    for (int k = 0; k < (int)(sizeof numbers / sizeof *numbers); k++) {
        lmb_system *s = NULL;
        lmb_error err = {0};
        told t = {.stop_after = 3};
        CHECK(load(&s, "", numbers[k], &t, &err) == LMB_ERR_SYSTEM);
        CHECK_CONTAINS(err.text, "stopped");
        CHECK(t.calls == 4); // nobody is asked again
    }
}
