// spec/units.c: the units a model is written in.
#include "spec/local.h"

#include <string.h>

#define LENGTHS "m|mm|cm|um|km|in|ft"
#define MASSES "kg|g|mg|t|lb|slug"
#define TIMES "s|ms|us|min|h"

// mass in in-lbf-s: 1 lbf s^2 / in
static const struct {
    const char *name;
    lmb_units units;
} systems[] = {
    {"SI", {1, 1, 1, 1}},
    {"m-kg-s", {1, 1, 1, 1}},
    {"mm-t-s", {1e-3, 1e3, 1, 1}},
    {"mm-kg-ms", {1e-3, 1, 1e-3, 1}},
    {"mm-kg-s", {1e-3, 1, 1, 1}},
    {"cm-g-s", {1e-2, 1e-3, 1, 1}},
    {"in-lbf-s", {0.0254, 0.45359237 * 9.80665 / 0.0254, 1, 1}},
};
#define SYSTEMS "SI, m-kg-s, mm-t-s, mm-kg-ms, mm-kg-s, cm-g-s, in-lbf-s"

typedef struct units_map {
    uint64_t given;
    int length, mass, time;
} units_map;

// clang-format off
const lmb_key lmb_units_keys[] = {
    {"length", LMB_KEY_CHOICE, offsetof(units_map, length), .choices = LENGTHS, .doc = "Unit of length."},
    {"mass", LMB_KEY_CHOICE, offsetof(units_map, mass), .choices = MASSES, .doc = "Unit of mass."},
    {"time", LMB_KEY_CHOICE, offsetof(units_map, time), .choices = TIMES, .doc = "Unit of time."},
    {0},
};
// clang-format on

static const char *next_system(void *user, int i) {
    (void)user;
    return i < LMB_COUNT(systems) ? systems[i].name : NULL;
}

static lmb_status unknown_system(const lmb_node *n, lmb_error *err) {
    const char *near = lmb_nearest(n->text, next_system, NULL);
    return lmb_fail(err, LMB_ERR_INPUT, n->where,
                    "unknown units '%s'; %s%s%s choose one of " SYSTEMS " or write a map such as "
                    "{length: mm, mass: t, time: s}",
                    n->text, near ? "did you mean '" : "", near ? near : "", near ? "'? Or" : "");
}

// SI value of the unit that was chosen
static double choice_factor(const char *choices, int number) {
    char name[16];
    while (number-- > 0) choices = strchr(choices, '|') + 1;
    size_t n = strcspn(choices, "|");
    memcpy(name, choices, n);
    name[n] = '\0';
    return lmb_unit_factor(name);
}

lmb_status lmb_spec_units(lmb_units *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    *out = LMB_UNITS_SI;
    if (n == NULL) return LMB_OK;
    if (n->kind == LMB_NODE_SCALAR) {
        for (int i = 0; i < LMB_COUNT(systems); i++)
            if (strcmp(systems[i].name, n->text) == 0) return *out = systems[i].units, LMB_OK;
        return unknown_system(n, err);
    }
    if (n->kind != LMB_NODE_MAP)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "units: expected a name (" SYSTEMS ") or a map, found %s", lmb_node_found(n));
    units_map map = {0};
    lmb_status status = lmb_spec_read(&map, s, n, lmb_units_keys, "units", err);
    if (status) return status;
    *out = (lmb_units){choice_factor(LENGTHS, map.length), choice_factor(MASSES, map.mass),
                       choice_factor(TIMES, map.time), 1};
    return LMB_OK;
}
