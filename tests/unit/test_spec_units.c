// tests/unit/test_spec_units.c: every unit a model may be written in, by its definition.
//
// Yard and pound of 1959: 1 ft = 0.3048 m, 1 lb = 0.45359237 kg; standard gravity 9.80665 m/s^2 (CGPM 1901).  A slug is
// accelerated by one foot per second squared by one pound of force, the mass of in-lbf-s by one inch.
#include "spec_help.h"

#include <stdlib.h>

static const double foot = 0.3048, pound = 0.45359237, gravity = 9.80665;

// SI values of one unit of a quantity
static double one(const char *quantity, const char *name) {
    char text[100];
    snprintf(text, sizeof text, "limber: 1\nunits: {%s: %s}\n", quantity, name);
    lmb_spec *s = expand(text);
    double value = s == NULL            ? NAN
                   : quantity[0] == 'l' ? s->units.length
                   : quantity[0] == 'm' ? s->units.mass
                                        : s->units.time;
    lmb_spec_destroy(s);
    return value;
}

typedef struct unit {
    const char *quantity, *name;
    double si;
} unit;

// "5 NAME" as a number of a model in SI
static double five_of(const unit *u) {
    static const lmb_dim length = LMB_LENGTH, mass = LMB_MASS, seconds = LMB_TIME;
    const lmb_dim *dim = u->quantity[0] == 'l' ? &length : u->quantity[0] == 'm' ? &mass : &seconds;
    char text[100];
    double value = NAN;
    lmb_error err = {0};
    snprintf(text, sizeof text, "limber: 1\na: 5 %s\n", u->name);
    lmb_spec *s = expand(text);
    if (s) CHECK_OK(lmb_spec_number(&value, s, at(s, "a"), *dim, &err), err);
    lmb_spec_destroy(s);
    return value;
}

// One table of units: what a model may be written in may stand behind a number, and means the same.
TEST(units_of_a_model_by_definition) {
    const unit all[] = {
        {"length", "m", 1},
        {"length", "mm", 1e-3},
        {"length", "cm", 1e-2},
        {"length", "um", 1e-6},
        {"length", "km", 1e3},
        {"length", "in", foot / 12},
        {"length", "ft", foot},
        {"mass", "kg", 1},
        {"mass", "g", 1e-3},
        {"mass", "mg", 1e-6},
        {"mass", "t", 1e3},
        {"mass", "lb", pound},
        {"mass", "slug", pound * gravity / foot},
        {"time", "s", 1},
        {"time", "ms", 1e-3},
        {"time", "us", 1e-6},
        {"time", "min", 60},
        {"time", "h", 3600},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        bool ok = CHECK_NEAR(one(all[i].quantity, all[i].name) / all[i].si, 1, 4e-16); // a rounding
        if (!CHECK_NEAR(five_of(&all[i]) / (5 * all[i].si), 1, 4e-16) || !ok)
            check_note("%s: %s", all[i].quantity, all[i].name);
    }
}

// texts that end where a unit may begin; in memory of their own length, so that sanitizers see who reads behind them
TEST(unit_literals_end_with_their_text) {
    static const char *const without[] = {"5", "5 ", "-", "5e", "5e+", "5e3", ".", "", "5 lb ft", "lb"};
    lmb_dim dim;
    for (int i = 0; i < LMB_COUNT(without); i++) {
        char *text = strdup(without[i]);
        if (text) CHECK(!lmb_unit_literal(&dim, text));
        free(text);
    }
    CHECK(lmb_unit_literal(&dim, "5 lb") && lmb_unit_literal(&dim, "-5e3lb ") &&
          lmb_unit_literal(&dim, "5e-3 mm"));
}

// the systems with a name: what one unit of force is in N
TEST(forces_of_systems_of_units) {
    static const struct {
        const char *name;
        double force;
    } all[] = {{"SI", 1},
               {"m-kg-s", 1},
               {"mm-t-s", 1},
               {"mm-kg-ms", 1e3},
               {"mm-kg-s", 1e-3},
               {"cm-g-s", 1e-5}, // kN, mN, dyn
               {"in-lbf-s", 0.45359237 * 9.80665}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[100];
        snprintf(text, sizeof text, "limber: 1\nunits: %s\n", all[i].name);
        lmb_spec *s = expand(text);
        if (s) CHECK_NEAR(lmb_units_factor(&s->units, (lmb_dim){1, 1, -2}) / all[i].force, 1, 1e-15);
        lmb_spec_destroy(s);
    }
}
