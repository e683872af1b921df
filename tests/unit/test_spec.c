// The tree, parameters, repeat, assemblies.
#include "spec_help.h"

static const lmb_dim LENGTH = {1, 0, 0}, MASS = {0, 1, 0}, FORCE = {1, 1, -2}, NONE = {0, 0, 0};

// the formatted error of a model that is read but cannot be expanded
static const char *error_with(const char *text, const lmb_override *overrides, int count) {
    static char out[1200];
    lmb_error err = {0};
    lmb_spec *s = read_text(text);
    if (s == NULL) return "";
    CHECK(lmb_spec_expand(s, overrides, count, &err) == LMB_ERR_INPUT);
    lmb_spec_destroy(s);
    return lmb_error_format(out, sizeof out, &err);
}

static const char *error_of(const char *text) { return error_with(text, NULL, 0); }

static double number_at(const lmb_spec *s, const char *path, lmb_dim dim) {
    double v = NAN;
    lmb_error err = {0};
    lmb_node *n = at(s, path);
    if (!CHECK(n != NULL)) return v;
    CHECK_OK(lmb_spec_number(&v, s, n, dim, &err), err);
    return v;
}

static double parameter(const lmb_spec *s, const char *name) {
    const char *found;
    double v;
    for (int i = 0; (found = lmb_spec_parameter(s, i, &v)); i++)
        if (strcmp(found, name) == 0) return v;
    return NAN;
}

// ---- tree --------------------------------------------------------------------------------------

TEST(build_and_set) {
    lmb_spec *s = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_spec_create(&s, &err), err);
    CHECK_OK(lmb_spec_set(s, "limber", "1", &err), err);
    CHECK_OK(lmb_spec_set(s, "bodies.arm.mass", "L*2", &err), err);
    CHECK_OK(lmb_spec_set(s, "parameters.L", "3", &err), err);
    lmb_node *list = lmb_node_create(s, LMB_NODE_LIST, LMB_NOWHERE);
    lmb_node_append(s->root, list, "analyses");
    CHECK_OK(lmb_spec_set(s, "analyses.0.until", "5", &err), err);
    CHECK_OK(lmb_spec_set(s, "analyses.0.until", "7", &err), err);
    CHECK_OK(lmb_spec_set(s, "analyses.1", "~", &err), err);
    CHECK(list->count == 2 && list->last->kind == LMB_NODE_NULL);
    CHECK(lmb_spec_set(s, "analyses.9.x", "1", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "past the end");
    err = (lmb_error){0};
    CHECK(lmb_spec_set(s, "analyses.first", "1", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "counted from 0");
    err = (lmb_error){0};
    CHECK(lmb_spec_set(s, "bodies.arm.mass.x", "1", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "single value");
    err = (lmb_error){0};
    CHECK(lmb_spec_set(s, "bodies..mass", "1", &err) == LMB_ERR_INPUT);
    err = (lmb_error){0};
    CHECK_OK(lmb_spec_expand(s, NULL, 0, &err), err);
    CHECK_NEAR(number_at(s, "bodies/arm/mass", MASS), 6, 0);
    CHECK_NEAR(number_at(s, "analyses/0/until", NONE), 7, 0);
    CHECK(lmb_spec_expand(s, NULL, 0, &err) == LMB_ERR_INPUT); // once
    lmb_spec_destroy(s);
    lmb_spec_destroy(NULL);
}

TEST(version_and_frame) {
    CHECK_CONTAINS(error_of("bodies: {}\n"), "m.yaml:1:1: error: missing format version");
    CHECK_CONTAINS(error_of("limber: 2\n"), "m.yaml:1:9: error: the model uses a newer format (version 2)");
    CHECK_CONTAINS(error_of("limber: one\n"), "m.yaml:1:9: error: invalid format version");
    CHECK_CONTAINS(error_of("limber: []\n"), "m.yaml:1:9: error: invalid format version");
    lmb_spec *s =
        expand("limber: 1\nunits: SI\nparameters: {a: 1}\nrepeat: []\nassemblies:\nbodies: {x: {}}\n");
    if (s) CHECK(s->root->count == 1 && at(s, "bodies/x"));
    lmb_spec_destroy(s);
}

// ---- parameters and units ----------------------------------------------------------------------

TEST(parameters_in_any_order) {
    lmb_spec *s =
        expand("limber: 1\nparameters: {A: \"pi*d^2/4\", d: 5 mm, n: 2 + m_, m_: 3, phi: 90 deg}\n");
    if (s == NULL) return;
    CHECK_NEAR(parameter(s, "d"), 0.005, 1e-18);
    CHECK_NEAR(parameter(s, "A"), LMB_PI * 0.005 * 0.005 / 4, 1e-20);
    CHECK_NEAR(parameter(s, "n"), 5, 0);
    CHECK_NEAR(parameter(s, "phi"), LMB_PI / 2, 1e-15);
    CHECK(lmb_spec_parameter(s, 5, NULL) == NULL && lmb_spec_parameter(s, -1, NULL) == NULL);
    lmb_spec_destroy(s);
}

TEST(parameter_errors) {
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {a: b, b: 2*c, c: a + 1}\n"),
                   "m.yaml:2:31: error: circular definition of parameters 'a' -> 'b' -> 'c' -> 'a'");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {x: a, a: a}\n"),
                   "m.yaml:2:23: error: circular definition of parameters 'a' -> 'a'");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {t: 1}\n"),
                   "m.yaml:2:14: error: a parameter cannot be named 't'");
    const char *const reserved[] = {"pi", "sin", "atan2", "clamp", "table", "min", "and"};
    for (int i = 0; i < LMB_COUNT(reserved); i++) {
        char text[100];
        snprintf(text, sizeof text, "limber: 1\nparameters: {%s: 1}\n", reserved[i]);
        CHECK_CONTAINS(error_of(text), "it is a function or constant of expressions");
    }
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {my len: 1}\n"), "use letters, digits and _");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: [1]\n"), "expected a map such as {L: 0.4}, found a list");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {a: [1]}\n"), "found a list");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {length: 1, b: lenght}\n"), "did you mean 'length'");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {a: t}\n"), "time");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {a: 1/0}\n"), "m.yaml:2:");
}

TEST(long_chains_of_parameters) {
    lmb_text up = {0}, down = {0};
    lmb_text_add(&up, "limber: 1\nparameters:\n  p0: 1\n");
    lmb_text_add(&down, "limber: 1\nparameters:\n");
    for (int i = 1; i < 1000; i++) lmb_text_add(&up, "  p%d: p%d + 1\n", i, i - 1);
    for (int i = 999; i > 0; i--) lmb_text_add(&down, "  p%d: p%d + 1\n", i, i - 1);
    lmb_text_add(&down, "  p0: 1\n");
    lmb_spec *s = expand(up.text);
    if (s) CHECK_NEAR(parameter(s, "p999"), 1000, 0);
    lmb_spec_destroy(s);
    CHECK_CONTAINS(error_of(down.text),
                   "m.yaml:102:9: error: parameters depend on each other through more than 100 levels");
    lmb_text_free(&up);
    lmb_text_free(&down);
}

TEST(overrides) {
    const char *text = "limber: 1\nparameters: {L: 1, twice: 2*L, M: 7}\n";
    lmb_spec *s = read_text(text);
    lmb_error err = {0};
    const lmb_override given[] = {{"L", "M + 3"}};
    CHECK_OK(lmb_spec_expand(s, given, 1, &err), err);
    CHECK_NEAR(parameter(s, "twice"), 20, 0);
    lmb_spec_destroy(s);
    const lmb_override wrong[] = {{"Twice_", "1"}}, none[] = {{"elephant", "1"}}, bad[] = {{"L", "1 +"}};
    CHECK_CONTAINS(error_with(text, wrong, 1), "the model has no parameter 'Twice_'; did you mean 'twice'?");
    CHECK_CONTAINS(error_with(text, none, 1), "the model has no parameter 'elephant'; define it");
    CHECK_CONTAINS(error_with(text, bad, 1), "value given for parameter L: error: ");
}

TEST(units) {
    lmb_spec *s = expand("limber: 1\nunits: mm-t-s\nparameters: {L: 400, d: 1 cm}\n"
                         "bodies: {a: {mass: 2e-3, at: [L, d, 1 m], f: 5}}\n");
    if (s) {
        CHECK_NEAR(number_at(s, "bodies/a/mass", MASS), 2, 1e-15);
        CHECK_NEAR(number_at(s, "bodies/a/at/0", LENGTH), 0.4, 1e-15);
        CHECK_NEAR(number_at(s, "bodies/a/at/1", LENGTH), 0.01, 1e-16);
        CHECK_NEAR(number_at(s, "bodies/a/at/2", LENGTH), 1, 1e-15);
        CHECK_NEAR(number_at(s, "bodies/a/f", FORCE), 5, 1e-14); // t mm/s^2 = N
        CHECK_NEAR(number_at(s, "bodies/a/f", NONE), 5, 0);
    }
    lmb_spec_destroy(s);
    s = expand("limber: 1\nunits: {length: cm, time: ms}\n");
    if (s) CHECK(s->units.length == 1e-2 && s->units.mass == 1 && s->units.time == 1e-3);
    lmb_spec_destroy(s);
    s = expand("limber: 1\nunits: in-lbf-s\na: {f: 1}\n");
    if (s) CHECK_NEAR(number_at(s, "a/f", FORCE), 4.4482216152605, 1e-12); // 1 lbf
    lmb_spec_destroy(s);
    CHECK_CONTAINS(error_of("limber: 1\nunits: mm-t\n"), "unknown units 'mm-t'; did you mean 'mm-t-s'?");
    CHECK_CONTAINS(error_of("limber: 1\nunits: furlongs\n"), "choose one of SI, m-kg-s, mm-t-s");
    CHECK_CONTAINS(error_of("limber: 1\nunits: {length: furlong}\n"), "choose one of m, mm, cm");
    CHECK_CONTAINS(error_of("limber: 1\nunits: [mm]\n"), "found a list");
    CHECK_CONTAINS(error_of("limber: 1\nunits: {lenght: mm}\n"), "did you mean 'length'?");
}

// ---- repeat ------------------------------------------------------------------------------------

TEST(repeat_makes_copies) {
    lmb_spec *s =
        expand("limber: 1\nparameters: {n: 3, L: 0.5}\n"
               "bodies: {\"link[0]\": {at: 0}}\n"
               "repeat:\n"
               "  - index: k\n    from: 1\n    to: n\n"
               "    bodies: {\"link[k]\": {at: k*L, note: \"see [k] and table(t, [0, 1])\"}}\n"
               "    joints: {\"pin[k]\": {between: [\"link[k-1].tip\", \"link[k].root\"]}}\n"
               "    analyses: [{run: \"a[k]\"}]\n"
               "  - {count: 2, from: 0, bodies: {\"x[i]\": {mass: 10 + i}}}\n"
               "last: {body: \"link[n].tip\", list: [\"link[2*n]\", \"u[v]\"], e: \"2*pin[n-1].angle\"}\n");
    if (s == NULL) return;
    CHECK(at(s, "bodies")->count == 6);
    CHECK_NEAR(number_at(s, "bodies/link[3]/at", NONE), 1.5, 0);
    CHECK_TEXT(at(s, "bodies/link[2]/note")->text, "see [k] and table(t, [0, 1])");
    CHECK_TEXT(at(s, "joints/pin[1]/between/0")->text, "link[0].tip");
    CHECK_TEXT(at(s, "joints/pin[3]/between/1")->text, "link[3].root");
    CHECK(at(s, "analyses")->count == 3);
    CHECK_TEXT(at(s, "analyses/2/run")->text, "a[3]");
    CHECK_NEAR(number_at(s, "bodies/x[0]/mass", NONE), 10, 0);
    CHECK_NEAR(number_at(s, "bodies/x[1]/mass", NONE), 11, 0);
    CHECK_TEXT(at(s, "last/body")->text, "link[3].tip");
    CHECK_TEXT(at(s, "last/list/0")->text, "link[6]");
    CHECK_TEXT(at(s, "last/list/1")->text, "u[v]");
    CHECK_TEXT(at(s, "last/e")->text, "2*pin[2].angle");
    lmb_spec_destroy(s);
}

TEST(repeat_nests) {
    lmb_spec *s = expand("limber: 1\nparameters: {n: 2}\n"
                         "repeat: {index: i, to: n, repeat: {index: j, from: i, to: i + 1, "
                         "bodies: {\"cell[i][j]\": {at: \"10*i + j\", to: \"cell[i-1][j]\"}}}}\n");
    if (s == NULL) return;
    CHECK(at(s, "bodies")->count == 4);
    CHECK_NEAR(number_at(s, "bodies/cell[2][3]/at", NONE), 23, 0);
    CHECK_TEXT(at(s, "bodies/cell[2][3]/to")->text, "cell[1][3]");
    lmb_spec_destroy(s);
    s = expand("limber: 1\nrepeat: {to: 0, bodies: {\"b[i]\": {}}}\nbodies: {a: {}}\n");
    if (s) CHECK(at(s, "bodies")->count == 1);
    lmb_spec_destroy(s);
}

TEST(repeat_errors) {
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: 5\n"), "repeat: expected a map");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {bodies: {}}\n"), "either 'to' (the last index) or 'count'");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, count: 2}\n"),
                   "either 'to' (the last index) or 'count'");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {count: -1}\n"), "negative");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2.5}\n"),
                   "m.yaml:2:14: error: 'to' of repeat is 2.5, not an integer");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: k}\n"), "'k'");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, index: pi}\n"), "an index cannot be named 'pi'");
    CHECK_CONTAINS(error_of("limber: 1\nparameters: {i: 1}\nrepeat: {to: 2}\n"),
                   "the repeat index 'i' is already a parameter or an outer index");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, repeat: {to: 2}}\n"),
                   "the repeat index 'i' is already a parameter or an outer index");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, parameters: {a: 1}}\n"),
                   "m.yaml:2:17: error: 'parameters' is not allowed in repeat");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, bodies: {b: {}}}\n"),
                   "m.yaml:2:26: error: duplicate name 'b' in bodies");
    CHECK_CONTAINS(error_of("limber: 1\nbodies: {\"b[2]\": {}}\nrepeat: {to: 2, bodies: {\"b[i]\": {}}}\n"),
                   "duplicate name 'b[2]' in bodies; rename one of them (the other is at m.yaml:2:10)");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, bodies: {\"b[j]\": {}}}\n"), "'j'");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, bodies: {\"b[i/2]\": {}}}\n"),
                   "m.yaml:2:28: error: index [i/2] evaluates to 0.5");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, bodies: {\"b[i]\": {ref: \"a[i/2]\"}}}\n"),
                   "m.yaml:2:43: error: index [i/2] evaluates to 0.5");
    CHECK_CONTAINS(
        error_of("limber: 1\nrepeat: {to: 2, bodies: {\"b[i]\": {m: {\"x[i]\": 1, \"x[1]\": 2}}}}\n"),
        "m.yaml:2:50: error: duplicate name 'x[1]' in this map");
    CHECK_CONTAINS(error_of("limber: 1\ntitle: a\nrepeat: {to: 2, title: b}\n"),
                   "m.yaml:3:17: error: 'title' is not allowed in repeat");
    CHECK_CONTAINS(error_of("limber: 1\nbodies: {a: {}}\nrepeat: {to: 1, bodies: [1]}\n"),
                   "m.yaml:3:25: error: section 'bodies' cannot be merged with the one at m.yaml:2:9");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 1e9, bodies: {\"b[i]\": {}}}\n"),
                   "m.yaml:2:9: error: 1000000000 copies make the model exceed 10000000 values");
}

TEST(ten_thousand_copies) {
    lmb_spec *s =
        read_text("limber: 1\nparameters: {n: 10000, L: 0.1}\n"
                  "bodies: {\"link[0]\": {}}\n"
                  "repeat:\n  index: i\n  to: n\n"
                  "  bodies: {\"link[i]\": {mass: 1, at: [i*L, 0, 0], markers: {tip: {at: [L, 0, 0]}}}}\n"
                  "  joints: {\"pin[i]\": {type: revolute, between: [\"link[i-1].tip\", \"link[i]\"]}}\n");
    lmb_error err = {0};
    if (s == NULL) return;
    double start = lmb_clock();
    CHECK_OK(lmb_spec_expand(s, NULL, 0, &err), err);
    double seconds = lmb_clock() - start;
    check_note("10000 copies in %.3f s", seconds);
    CHECK(at(s, "bodies")->count == 10001 && at(s, "joints")->count == 10000);
    CHECK_NEAR(number_at(s, "bodies/link[10000]/at/0", LENGTH), 1000, 1e-10);
    CHECK_TEXT(at(s, "joints/pin[10000]/between/0")->text, "link[9999].tip");
    lmb_spec_destroy(s);
}

// ---- assemblies --------------------------------------------------------------------------------

static const char legs[] =
    "limber: 1\n"
    "units: mm-kg-s\n"
    "parameters: {L: 1000, g_: 3}\n"
    "bodies: {base: {}}\n"
    "gravity: [0, 0, -9810]\n"
    "assemblies:\n"
    "  leg1:\n"
    "    at: [2*L, 0, 0]\n"
    "    rotate: {z: 90 deg}\n"
    "    parameters: {L: L/2}\n"
    "    model:\n"
    "      parameters: {L: 7, half: L/2}\n"
    "      gravity: [1, 2, 3]\n"
    "      bodies: {shin: {length: L, half: half, outer: g_, to: [shin.tip, ground, ground.x, /base.tip]}}\n"
    "      signals: {s: {f: 2*k}}\n"
    "      repeat: {to: 2, bodies: {\"toe[i]\": {mass: i*L}}}\n"
    "      assemblies:\n"
    "        foot: {at: [1000, 0, 0], model: {bodies: {sole: {w: L}}}}\n";

TEST(assemblies_get_prefix_parameters_and_pose) {
    lmb_spec *s = expand(legs);
    if (s == NULL) return;
    CHECK(at(s, "bodies")->count == 5 && at(s, "gravity")->count == 3);
    CHECK_NEAR(number_at(s, "bodies/leg1.shin/length", LENGTH), 0.5, 1e-15); // L of outside / 2, in mm
    CHECK_NEAR(number_at(s, "bodies/leg1.shin/half", LENGTH), 0.25, 1e-15);
    CHECK_NEAR(number_at(s, "bodies/leg1.shin/outer", NONE), 3, 0);
    CHECK_NEAR(number_at(s, "bodies/leg1.toe[2]/mass", MASS), 1000, 0);
    CHECK_NEAR(number_at(s, "bodies/leg1.foot.sole/w", LENGTH), 0.5, 1e-15);
    CHECK_NEAR(parameter(s, "L"), 1000, 0);
    const lmb_node *sole = at(s, "bodies/leg1.foot.sole"), *toe = at(s, "bodies/leg1.toe[1]/mass");
    CHECK_TEXT(lmb_node_prefix(sole), "leg1.foot.");
    CHECK_TEXT(lmb_node_prefix(toe), "leg1.");
    CHECK_TEXT(lmb_node_prefix(at(s, "bodies/base")), "");
    // leg at (2, 0, 0) turned by 90 deg: the foot at (1, 0, 0) in it is at (2, 1, 0)
    pose p = lmb_node_pose(sole);
    CHECK_NEAR(p.r.x, 2, 1e-15);
    CHECK_NEAR(p.r.y, 1, 1e-15);
    CHECK_NEAR(p.R.m[1][0], 1, 1e-15);
    p = lmb_node_pose(at(s, "bodies/base"));
    CHECK(p.r.x == 0 && p.R.m[0][0] == 1);
    lmb_spec_destroy(s);
}

TEST(references_are_made_complete) {
    lmb_spec *s = expand(legs);
    if (s == NULL) return;
    const char *const expected[] = {"leg1.shin.tip", "ground", "ground.x", "base.tip"};
    lmb_error err = {0};
    int i = 0;
    for (const lmb_node *n = at(s, "bodies/leg1.shin/to")->first; n; n = n->next) {
        const char *ref = NULL;
        CHECK_OK(lmb_spec_ref(&ref, s, n, &err), err);
        CHECK_TEXT(ref, expected[i++]);
    }
    const char *ref;
    CHECK(lmb_spec_ref(&ref, s, at(s, "bodies"), &err) == LMB_ERR_INPUT);
    lmb_spec_destroy(s);
}

// a runtime scope that knows leg1.k (input 4) and k (input 5), and notes what it was asked
static lmb_status runtime_resolve(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                  lmb_error *err) {
    (void)where, (void)err;
    lmb_text_add(user, "%s;", name);
    if (strcmp(name, "leg1.k") == 0) *out = (lmb_symbol){.kind = LMB_SYMBOL_INPUT, .input = 4};
    if (strcmp(name, "k") == 0) *out = (lmb_symbol){.kind = LMB_SYMBOL_INPUT, .input = 5};
    return LMB_OK;
}

TEST(runtime_names_are_tried_with_prefix_first) {
    lmb_spec *s = expand(legs);
    if (s == NULL) return;
    lmb_error err = {0};
    lmb_text asked = {0};
    lmb_scope runtime = {.resolve = runtime_resolve, .user = &asked, .units = s->units, .allow_time = true};
    lmb_expr *e = NULL;
    CHECK_OK(lmb_spec_expr(&e, s, at(s, "signals/leg1.s/f"), &runtime, &err), err);
    CHECK(e && lmb_expr_input_count(e) == 1 && lmb_expr_input(e, 0) == 4);
    lmb_expr_destroy(e);
    lmb_node n = *at(s, "bodies/leg1.shin/half");
    n.text = "k2 + t";
    CHECK(lmb_spec_expr(&e, s, &n, &runtime, &err) == LMB_ERR_INPUT);
    CHECK_TEXT(asked.text, "leg1.k;leg1.k2;k2;");
    n.text = "L*t + g_";
    err = (lmb_error){0};
    CHECK_OK(lmb_spec_expr(&e, s, &n, &runtime, &err), err);
    CHECK_NEAR(lmb_expr_value(e, &(lmb_env){.time = 2, .time_side = 2}), 1003, 1e-12);
    lmb_expr_destroy(e);
    CHECK(lmb_spec_expr(&e, s, &n, NULL, &err) == LMB_ERR_INPUT && e == NULL); // no time
    lmb_text_free(&asked);
    lmb_spec_destroy(s);
}

TEST(expression_errors_point_into_the_text) {
    lmb_spec *s = expand("limber: 1\nbodies: {a: {m: \"1 + foo\", n: 2*bar}}\n");
    if (s == NULL) return;
    lmb_error err = {0};
    double v;
    CHECK(lmb_spec_number(&v, s, at(s, "bodies/a/m"), NONE, &err) == LMB_ERR_INPUT);
    CHECK(err.line == 2 && err.col == 22);
    err = (lmb_error){0};
    CHECK(lmb_spec_number(&v, s, at(s, "bodies/a/n"), NONE, &err) == LMB_ERR_INPUT);
    CHECK(err.line == 2 && err.col == 33);
    lmb_spec_destroy(s);
}

TEST(assemblies_in_repeat) {
    lmb_spec *s = expand("limber: 1\n"
                         "repeat: {to: 3, assemblies: {\"leg[i]\": {at: [i, 0, 0], parameters: {m: 10*i}, "
                         "model: {parameters: {m: 0}, bodies: {foot: {mass: m, id: i}}}}}}\n");
    if (s == NULL) return;
    CHECK(at(s, "bodies")->count == 3);
    CHECK_NEAR(number_at(s, "bodies/leg[1].foot/mass", NONE), 10, 0);
    CHECK_NEAR(number_at(s, "bodies/leg[3].foot/mass", NONE), 30, 0);
    CHECK_NEAR(number_at(s, "bodies/leg[2].foot/id", NONE), 2, 0);
    CHECK_NEAR(lmb_node_pose(at(s, "bodies/leg[2].foot")).r.x, 2, 0);
    lmb_spec_destroy(s);
}

TEST(assembly_errors) {
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: [1]\n"), "expected a map from names to assemblies");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: {}}\n"),
                   "assembly 'a' needs 'file' (a model file) or 'model'");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: 1}\n"), "assembly 'a': expected a map");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: [1]}\n"), "assembly 'a': expected a map");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: {modle: {}}}\n"), "did you mean 'model'?");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: {model: 1}}\n"), "expected a map of sections");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a.b: {model: {}}}\n"),
                   "m.yaml:2:14: error: 'a.b' in assemblies is not a valid name");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: {model: {units: mm-t-s}}}\n"),
                   "m.yaml:2:33: error: assembly 'a' and the model that uses it have different units");
    CHECK_CONTAINS(error_of("limber: 1\nassemblies: {a: {model: {limber: 3}}}\n"),
                   "m.yaml:2:34: error: the model uses a newer format (version 3)");
    CHECK_CONTAINS(
        error_of("limber: 1\nassemblies: {a: {parameters: {mas: 1}, model: {parameters: {mass: 1}}}}\n"),
        "assembly 'a' has no parameter 'mas'; did you mean 'mass'?");
    CHECK_CONTAINS(error_of("limber: 1\nrepeat: {to: 2, assemblies: {a: {model: {}}}}\n"),
                   "m.yaml:2:30: error: duplicate name 'a.' in assemblies");
    CHECK_CONTAINS(error_of("limber: 1\nbodies: {a.b: {}}\nassemblies: {a: {model: {bodies: {b: {}}}}}\n"),
                   "m.yaml:3:35: error: duplicate name 'a.b' in bodies");
}

// ---- memory ------------------------------------------------------------------------------------

TEST(every_failed_allocation_is_reported) {
    static const char text[] =
        "limber: 1\nunits: {length: mm}\nparameters: {n: 3, L: 2*n}\n"
        "base: &b {mass: 1}\nbodies: {a: {<<: *b, at: \"x[n]\"}}\n"
        "repeat: {to: n, bodies: {\"b[i]\": {m: i}}}\n"
        "assemblies: {leg: {at: [1, 2, L], parameters: {q: n}, model: {parameters: {q: 1}, "
        "bodies: {c: {m: q}}}}}\n";
    lmb_status status = LMB_ERR_SYSTEM;
    int fails = 0;
    for (; status != LMB_OK && fails < 10000; fails++) {
        lmb_spec *s = NULL;
        lmb_error err = {0};
        lmb_alloc_fail_after(fails);
        status = lmb_yaml_read_text(&s, text, sizeof text - 1, "m.yaml", &err);
        if (status == LMB_OK) status = lmb_spec_expand(s, &(lmb_override){"n", "4"}, 1, &err);
        lmb_alloc_fail_after(-1);
        if (status != LMB_OK && !CHECK(status == LMB_ERR_SYSTEM && err.code == LMB_ERR_SYSTEM)) {
            check_note("allocation %d: %s", fails, err.text);
            lmb_spec_destroy(s);
            return;
        }
        lmb_spec_destroy(s);
    }
    check_note("%d allocations", fails);
    CHECK(status == LMB_OK && fails > 10);
}
