// Reading by tables, sections, schema and reference.
#include "spec_help.h"

// ---- reading by tables -------------------------------------------------------------------------

typedef struct inner {
    uint64_t given;
    double xx;
} inner;
typedef struct thing {
    uint64_t given;
    double mass, k;
    int count, method;
    bool flag;
    const char *label, *parent;
    vec3 at;
    lmb_numbers values;
    lmb_texts between;
    quat rotate;
    const lmb_node *motion, *motions, *points, *markers, *extra;
    inner inertia;
} thing;

static const lmb_key inner_keys[] = {
    {"xx",
     LMB_KEY_NUMBER,
     offsetof(inner, xx),
     LMB_KEY_REQUIRED | LMB_KEY_POSITIVE,
     {2, 1, 0},
     .doc = "Moment of inertia, kg m^2."},
    {0},
};
static const lmb_key thing_keys[] = {
    {"mass",
     LMB_KEY_NUMBER,
     offsetof(thing, mass),
     LMB_KEY_REQUIRED | LMB_KEY_POSITIVE,
     {0, 1, 0},
     .doc = "Mass, kg."},
    {"k", LMB_KEY_NUMBER, offsetof(thing, k), LMB_KEY_NOT_NEGATIVE, {0, 1, -2}, .doc = "Stiffness, N/m."},
    {"count", LMB_KEY_INTEGER, offsetof(thing, count), LMB_KEY_POSITIVE, .doc = "How many."},
    {"method", LMB_KEY_CHOICE, offsetof(thing, method), .choices = "newmark|hht|radau", .doc = "How."},
    {"flag", LMB_KEY_BOOL, offsetof(thing, flag), .doc = "Whether."},
    {"label", LMB_KEY_TEXT, offsetof(thing, label), .doc = "A \"text\" | more."},
    {"parent", LMB_KEY_TEXT, offsetof(thing, parent), LMB_KEY_IS_REF, .doc = "A reference."},
    {"at", LMB_KEY_VEC3, offsetof(thing, at), .dim = {1, 0, 0}, .doc = "Position, m."},
    {"values",
     LMB_KEY_NUMBERS,
     offsetof(thing, values),
     LMB_KEY_NOT_NEGATIVE,
     {1, 0, 0},
     .doc = "Numbers, m."},
    {"between", LMB_KEY_TEXTS, offsetof(thing, between), LMB_KEY_IS_REF, .doc = "Two markers."},
    {"rotate", LMB_KEY_ROTATION, offsetof(thing, rotate), .doc = "Rotation."},
    {"motion", LMB_KEY_EXPR, offsetof(thing, motion), .doc = "A function of time."},
    {"motions", LMB_KEY_EXPRS, offsetof(thing, motions), .doc = "Functions of time."},
    {"points", LMB_KEY_MAPS, offsetof(thing, points), .keys = inner_keys, .doc = "Points."},
    {"markers", LMB_KEY_NAMED, offsetof(thing, markers), .keys = inner_keys, .doc = "Markers."},
    {"extra", LMB_KEY_NODE, offsetof(thing, extra), .choices = "a|b", .doc = "Anything."},
    {"inertia", LMB_KEY_MAP, offsetof(thing, inertia), .keys = inner_keys, .doc = "Inertia."},
    {0},
};

TEST(read_fills_all_types) {
    lmb_spec *s =
        expand("limber: 1\nunits: mm-kg-s\nassemblies: {leg: {model: {things: {a: {mass: 2*3, k: 5, "
               "count: 4, method: hht, flag: Yes, label: hello, parent: base, at: [1, 2, 3], "
               "values: [1, 2], between: [a.b, /c, ground], rotate: {x: 90 deg}, motion: sin(t), "
               "motions: [t, 1], points: [{xx: 1}], markers: {m: {xx: 1}, n:}, extra: [1], "
               "inertia: {xx: 3}}}}}}\n");
    if (s == NULL) return;
    thing x = {.k = -1};
    lmb_error err = {0};
    CHECK_OK(lmb_spec_read(&x, s, at(s, "things/leg.a"), thing_keys, "thing 'a'", &err), err);
    CHECK_NEAR(x.mass, 6, 0);
    CHECK_NEAR(x.k, 5, 1e-15); // kg/s^2
    CHECK(x.count == 4 && x.method == 1 && x.flag);
    CHECK_TEXT(x.label, "hello");
    CHECK_TEXT(x.parent, "leg.base");
    CHECK_NEAR(x.at.z, 3e-3, 1e-18);
    CHECK(x.values.count == 2 && x.values.v[1] == 2e-3);
    CHECK(x.between.count == 3);
    CHECK_TEXT(x.between.v[0], "leg.a.b");
    CHECK_TEXT(x.between.v[1], "c");
    CHECK_TEXT(x.between.v[2], "ground");
    CHECK_NEAR(x.rotate.x, sqrt(0.5), 1e-15);
    CHECK_TEXT(x.motion->text, "sin(t)");
    CHECK(x.motions->count == 2 && x.points->count == 1 && x.markers->count == 2 && x.extra->count == 1);
    CHECK_NEAR(x.inertia.xx, 3e-6, 1e-20);
    CHECK(x.given == (1u << 17) - 1 && LMB_GIVEN(x.inertia, 0));
    lmb_spec_destroy(s);
}

// the error of reading a thing with these keys
static const char *thing_error(const char *keys) {
    static lmb_error err;
    char text[400];
    snprintf(text, sizeof text, "limber: 1\nthings: {arm: %s}\n", keys);
    lmb_spec *s = expand(text);
    thing x = {0};
    err = (lmb_error){0};
    if (s) CHECK(lmb_spec_read(&x, s, at(s, "things/arm"), thing_keys, "body 'arm'", &err) == LMB_ERR_INPUT);
    if (s) CHECK(err.line == 2 && err.col > 1 && strcmp(err.file, "m.yaml") == 0);
    lmb_spec_destroy(s);
    return err.text;
}

TEST(read_refuses_with_remedy) {
    CHECK_TEXT(thing_error("{mas: 1}"), "unknown key 'mas' in body 'arm'; did you mean 'mass'?");
    CHECK_CONTAINS(thing_error("{elephant: 1}"),
                   "unknown key 'elephant' in body 'arm'; allowed keys: mass, k, count,");
    CHECK_TEXT(thing_error("{k: 1}"), "body 'arm' needs 'mass': Mass, kg.");
    CHECK_TEXT(thing_error("~"), "body 'arm' needs 'mass': Mass, kg.");
    CHECK_CONTAINS(thing_error("[1]"), "body 'arm': expected a map of keys and values, found a list");
    CHECK_TEXT(thing_error("{mass: [1]}"), "'mass' in body 'arm': expected a number, found a list");
    CHECK_TEXT(thing_error("{mass: {a: 1}}"), "'mass' in body 'arm': expected a number, found a map");
    CHECK_TEXT(thing_error("{mass: }"), "'mass' in body 'arm': expected a number, found nothing");
    CHECK_TEXT(thing_error("{mass: 0}"), "'mass' in body 'arm' must be positive, but is 0");
    CHECK_TEXT(thing_error("{mass: 1, k: -2}"), "'k' in body 'arm' must not be negative, but is -2");
    CHECK_CONTAINS(thing_error("{mass: 1, count: 1.5}"),
                   "'count' in body 'arm': expected an integer, found 1.5");
    CHECK_CONTAINS(thing_error("{mass: 1, count: 1e12}"),
                   "'count' in body 'arm': expected an integer, found 1e+12");
    CHECK_CONTAINS(
        thing_error("{mass: 1, method: htt}"),
        "'method' in body 'arm' cannot be 'htt'; did you mean 'hht'? Choose one of newmark, hht, radau");
    CHECK_CONTAINS(thing_error("{mass: 1, method: zzzzzz}"),
                   "cannot be 'zzzzzz'; choose one of newmark, hht, radau");
    CHECK_CONTAINS(thing_error("{mass: 1, flag: maybe}"), "expected true or false, found 'maybe'");
    CHECK_CONTAINS(thing_error("{mass: 1, at: [1, 2]}"), "expected three numbers [x, y, z], found 2");
    CHECK_CONTAINS(thing_error("{mass: 1, at: 5}"), "expected three numbers [x, y, z], found a single value");
    CHECK_CONTAINS(thing_error("{mass: 1, values: [1, -1]}"), "must not be negative, but is -1");
    CHECK_CONTAINS(thing_error("{mass: 1, values: [1, [2]]}"), "found a list");
    CHECK_CONTAINS(thing_error("{mass: 1, between: [a, {b: c}]}"), "expected a name or text, found a map");
    CHECK_CONTAINS(thing_error("{mass: 1, motion: [1]}"), "expected a number or an expression, found a list");
    CHECK_CONTAINS(thing_error("{mass: 1, motions: 1}"), "expected a list of numbers or expressions");
    CHECK_CONTAINS(thing_error("{mass: 1, points: {a: 1}}"), "expected a list of maps, found a map");
    CHECK_CONTAINS(thing_error("{mass: 1, markers: [1]}"),
                   "'markers' in body 'arm': expected a map of named entries, found a list");
    CHECK_CONTAINS(thing_error("{mass: 1, inertia: {yy: 1}}"), "unknown key 'yy' in 'inertia' of body 'arm'");
    CHECK_CONTAINS(thing_error("{mass: 1, inertia: {}}"), "'inertia' of body 'arm' needs 'xx'");
    CHECK_CONTAINS(thing_error("{mass: 1, label: }"), "expected a name or text, found nothing");
}

TEST(rotations) {
    lmb_spec *s =
        expand("limber: 1\nr: {a: {z: 90 deg}, b: {axis: [0, 0, 2], angle: pi/2}, "
               "c: [{z: 90 deg}, {x: 90 deg}], d: [1, 0, 0, 0], e: [], f: {axis: [0, 0, 0], angle: 1}, "
               "g: {x: 1, y: 2}, h: [1, 2, 3], i: [2, 0, 0, 0], j: 5, k: [{z: 1}, 3]}\n");
    if (s == NULL) return;
    lmb_error err = {0};
    quat q, p;
    CHECK_OK(lmb_spec_rotation(&q, s, at(s, "r/a"), &err), err);
    CHECK_OK(lmb_spec_rotation(&p, s, at(s, "r/b"), &err), err);
    CHECK_NEAR(q.z, p.z, 1e-15);
    CHECK_OK(lmb_spec_rotation(&q, s, at(s, "r/c"), &err), err);
    // the second turn is about the new x axis, the old y axis: z goes to old x
    mat3 R = q_matrix(q);
    CHECK_NEAR(v3_norm(v3_sub(m3_column(&R, 2), v3(1, 0, 0))), 0, 1e-15);
    CHECK_OK(lmb_spec_rotation(&q, s, at(s, "r/d"), &err), err);
    CHECK_OK(lmb_spec_rotation(&p, s, at(s, "r/e"), &err), err);
    CHECK(q.w == 1 && p.w == 1);
    for (const char *bad = "fghijk"; *bad; bad++) {
        char path[] = {'r', '/', *bad, '\0'};
        err = (lmb_error){0};
        CHECK(lmb_spec_rotation(&q, s, at(s, path), &err) == LMB_ERR_INPUT);
        CHECK(err.line == 2);
    }
    lmb_spec_destroy(s);
}

// ---- sections and schema -----------------------------------------------------------------------

static const lmb_kind_keys rigid = {"rigid", "A rigid body.", thing_keys},
                           point = {"point", "A point mass.", inner_keys};
static const lmb_kind_keys *const kinds[] = {&rigid, &point, NULL};
static const lmb_key common_keys[] = {
    {"label", LMB_KEY_TEXT, offsetof(thing, label), .doc = "A label."},
    {0},
};
static const lmb_section sections[] = {
    {"bodies", "Bodies.", LMB_SECTION_NAMED, kinds, 0, common_keys},
    {"joints", "Joints.", LMB_SECTION_NAMED, kinds, -1, NULL},
    {"analyses", "What to do.", LMB_SECTION_LIST, kinds, -1, common_keys},
    {"solver", "How to do it.", LMB_SECTION_MAP, NULL, -1, inner_keys},
    {"gravity", "Gravity.", LMB_SECTION_VALUE, NULL, -1, &thing_keys[7]},
    {0},
};

static const char *section_error(const char *text) {
    static lmb_error err;
    err = (lmb_error){0};
    lmb_spec *s = expand(text);
    if (s) CHECK(lmb_spec_check_sections(s, sections, &err) == LMB_ERR_INPUT);
    lmb_spec_destroy(s);
    return err.text;
}

TEST(sections_are_checked) {
    lmb_spec *s = expand("limber: 1\nbodies: {a: {}, \"b[1][2]\": }\njoints:\nanalyses: [{}]\nsolver: {}\n"
                         "gravity: [0, 0, 0]\nassemblies: {leg: {model: {bodies: {a: {}}}}}\n");
    lmb_error err = {0};
    if (s) CHECK_OK(lmb_spec_check_sections(s, sections, &err), err);
    lmb_spec_destroy(s);
    CHECK_TEXT(section_error("limber: 1\nbodys: {}\n"), "unknown section 'bodys'; did you mean 'bodies'?");
    CHECK_CONTAINS(section_error("limber: 1\nelephants: {}\n"),
                   "unknown section 'elephants'; allowed sections: bodies, joints, analyses");
    CHECK_CONTAINS(section_error("limber: 1\nbodies: [1]\n"),
                   "section 'bodies': expected a map of named entries, found a list");
    CHECK_CONTAINS(section_error("limber: 1\nbodies: {left leg: {}}\n"),
                   "'left leg' in bodies is not a valid name");
    CHECK_CONTAINS(section_error("limber: 1\nanalyses: {}\n"), "expected a list of entries");
    CHECK_CONTAINS(section_error("limber: 1\nanalyses: [5]\n"), "entries of analyses: expected a map");
    CHECK_CONTAINS(section_error("limber: 1\nsolver: 1\n"), "expected a map of keys and values");
    CHECK_CONTAINS(section_error("limber: 1\ngravity:\n"), "expected three numbers [x, y, z], found nothing");
}

TEST(kinds_are_found_and_read) {
    lmb_spec *s =
        expand("limber: 1\nbodies: {a: {mass: 1, label: x}, b: {type: point, xx: 2}, c: {type: ponit}, "
               "d: {type: point, xx: 1, mass: 1}, e: {type: }}\njoints: {j: {}}\n");
    if (s == NULL) return;
    lmb_error err = {0};
    int kind = -1;
    inner in = {0};
    thing common = {0};
    CHECK_OK(lmb_spec_kind(&kind, s, at(s, "bodies/a"), &sections[0], "body 'a'", &err), err);
    CHECK(kind == 0);
    CHECK_OK(lmb_spec_kind(&kind, s, at(s, "bodies/b"), &sections[0], "body 'b'", &err), err);
    CHECK(kind == 1);
    CHECK_OK(lmb_spec_read_kind(&in, &common, s, at(s, "bodies/b"), &sections[0], 1, "body 'b'", &err), err);
    CHECK_NEAR(in.xx, 2, 0);
    CHECK(common.given == 0);
    CHECK_OK(lmb_spec_read_kind(NULL, &common, s, at(s, "bodies/a"), &sections[0], 0, "body 'a'", &err), err);
    CHECK(common.given == 0); // label is a key of rigid, too: the kind's own comes first
    CHECK(lmb_spec_read_kind(&in, &common, s, at(s, "bodies/d"), &sections[0], 1, "body 'd'", &err) ==
          LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "unknown key 'mass' in body 'd'");
    err = (lmb_error){0};
    CHECK(lmb_spec_kind(&kind, s, at(s, "bodies/c"), &sections[0], "body 'c'", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "unknown type 'ponit' of body 'c'; did you mean 'point'?");
    err = (lmb_error){0};
    CHECK(lmb_spec_kind(&kind, s, at(s, "joints/j"), &sections[1], "joint 'j'", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "joint 'j' needs 'type': one of rigid, point");
    CHECK(lmb_spec_kind(&kind, s, at(s, "bodies/e"), &sections[0], "body 'e'", &err) == LMB_ERR_INPUT);
    lmb_spec_destroy(s);
}

TEST(a_short_form_means_its_key) {
    static const lmb_key keys[] = {
        {"at",
         LMB_KEY_VEC3,
         offsetof(thing, at),
         LMB_KEY_SHORT | LMB_KEY_REQUIRED,
         {1, 0, 0},
         .doc = "Place, m."},
        {"label", LMB_KEY_TEXT, offsetof(thing, label), .doc = "A label."},
        {0},
    };
    static const lmb_kind_keys frame = {"frame", "A frame.", keys};
    static const lmb_kind_keys *const some[] = {&point, &frame, NULL};
    const lmb_section list[] = {{"things", "Things.", LMB_SECTION_NAMED, some, -1, NULL}, {0}};
    lmb_spec *s = expand("limber: 1\nthings: {a: [1, 2, 3], b: {at: [4, 5, 6]}, c: 5}\n");
    lmb_error err = {0};
    if (s == NULL) return;
    thing x = {0};
    int kind = -1;
    CHECK_OK(lmb_spec_check_sections(s, list, &err), err);
    CHECK_OK(lmb_spec_kind(&kind, s, at(s, "things/a"), list, "thing 'a'", &err), err);
    CHECK(kind == 1);
    CHECK_OK(lmb_spec_read_kind(&x, NULL, s, at(s, "things/a"), list, 1, "thing 'a'", &err), err);
    CHECK(x.at.z == 3 && LMB_GIVEN(x, 0));
    CHECK_OK(lmb_spec_read(&x, s, at(s, "things/b"), keys, "thing 'b'", &err), err);
    CHECK(x.at.z == 6);
    CHECK(lmb_spec_read(&x, s, at(s, "things/c"), keys, "thing 'c'", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "'at' in thing 'c': expected three numbers");
    err = (lmb_error){0};
    CHECK(lmb_spec_kind(&kind, s, at(s, "things/c"), sections, "thing 'c'", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "thing 'c': expected a map of keys and values, found a single value");
    lmb_spec_destroy(s);
    lmb_text out = {0};
    CHECK_OK(lmb_schema_json(&out, list, &err), err);
    s = read_text(out.text);
    if (s) CHECK_TEXT(at(s, "$defs/things/additionalProperties/else/type")->text, "array");
    lmb_spec_destroy(s);
    lmb_text_free(&out);
}

TEST(schema_is_json) {
    lmb_text out = {0};
    lmb_error err = {0};
    CHECK_OK(lmb_schema_json(&out, sections, &err), err);
    lmb_spec *s = out.text ? read_text(out.text) : NULL; // refuses double keys, too
    if (s) {
        CHECK_TEXT(at(s, "$schema")->text, "https://json-schema.org/draft/2020-12/schema");
        CHECK_TEXT(at(s, "$defs/bodies.rigid/properties/method/enum/2")->text, "radau");
        CHECK_TEXT(at(s, "$defs/bodies.rigid/properties/label/description")->text, "A \"text\" | more.");
        CHECK_TEXT(at(s, "$defs/bodies.rigid/additionalProperties")->text, "false");
        CHECK_TEXT(at(s, "$defs/bodies.rigid/properties/inertia/properties/xx/$ref")->text,
                   "#/$defs/positive");
        CHECK_TEXT(at(s, "$defs/bodies/additionalProperties/allOf/1/then/$ref")->text,
                   "#/$defs/bodies.point");
        CHECK(at(s, "$defs/bodies/additionalProperties/allOf/0/if/required") == NULL); // the default kind
        CHECK_TEXT(at(s, "$defs/joints.point/required/0")->text, "type");
        CHECK_TEXT(at(s, "$defs/model/properties/gravity/$ref")->text, "#/$defs/gravity");
        CHECK_TEXT(at(s, "$defs/repeat/properties/bodies/$ref")->text, "#/$defs/bodies");
        CHECK(at(s, "$defs/gravity/maxItems") && at(s, "$defs/analyses/items") &&
              at(s, "$defs/solver/properties/xx"));
        const char *const frame[] = {"limber", "units", "parameters", "include", "repeat", "assemblies"};
        for (int i = 0; i < LMB_COUNT(frame); i++)
            CHECK(lmb_node_find(at(s, "$defs/model/properties"), frame[i]) != NULL);
    }
    lmb_spec_destroy(s);
    lmb_text_free(&out);
}

TEST(reference_page) {
    lmb_text out = {0};
    lmb_error err = {0};
    CHECK_OK(lmb_schema_markdown(&out, sections, &err), err);
    CHECK_CONTAINS(out.text, "## bodies\n\nBodies. A map of named entries.");
    CHECK_CONTAINS(out.text, "### bodies: rigid\n\nA rigid body. (Default if `type` is omitted.)");
    CHECK_CONTAINS(out.text, "| `mass` | positive number | kg | yes | Mass, kg. |");
    CHECK_CONTAINS(out.text, "| `k` | non-negative number | kg/s^2 |  | Stiffness, N/m. |");
    CHECK_CONTAINS(out.text, "| `inertia.xx` | positive number | kg m^2 | yes |");
    CHECK_CONTAINS(out.text, "| `markers.*.xx` |");
    CHECK_CONTAINS(out.text, "`newmark`, `hht`, `radau`");
    CHECK_CONTAINS(out.text, "A \"text\" \\| more.");
    lmb_text_free(&out);
}

// ---- memory ------------------------------------------------------------------------------------

TEST(schema_reports_failed_allocations) {
    for (int fails = 0; fails < 12; fails++) {
        lmb_text out = {0};
        lmb_error err = {0};
        lmb_alloc_fail_after(fails);
        lmb_status status = lmb_schema_json(&out, sections, &err);
        lmb_alloc_fail_after(-1);
        CHECK(status == LMB_OK || status == LMB_ERR_SYSTEM);
        lmb_text_free(&out);
    }
}
