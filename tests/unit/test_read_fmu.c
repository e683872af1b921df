// tests/unit/test_read_fmu.c: modelDescription.xml of FMUs, and models with FMUs that are not allowed to run.
#include "read/fmu_about.h"
#include "run_model.h"

#include <string.h>

static lmb_status about(lmb_fmu_about *a, const char *xml, lmb_error *err) {
    *err = (lmb_error){0};
    return lmb_fmu_about_read(a, xml, strlen(xml), "a.fmu", LMB_NOWHERE, err);
}

TEST(fmu_about_reads_two) {
    lmb_fmu_about a;
    lmb_error err;
    const char *xml =
        "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- > -->\n<fmiModelDescription fmiVersion='2.0' "
        "guid=\"{1}\">\n"
        "<CoSimulation "
        "modelIdentifier=\"pd_1\"><SourceFiles/></CoSimulation><ModelVariables>\n<ScalarVariable "
        "name=\"a&lt;b&amp;&quot;&#65;&#x20aC;\" valueReference=\"4294967295\" causality=\"input\"><Real "
        "start='1'/></ScalarVariable><ScalarVariable valueReference=\"2\" name=\"on\"><Boolean/>"
        "</ScalarVariable></ModelVariables></fmiModelDescription>\n";
    if (CHECK_OK(about(&a, xml, &err), err) && CHECK(a.count == 2)) {
        const lmb_fmu_entry *e = lmb_fmu_about_find(&a, "a<b&\"A\xe2\x82\xac");
        CHECK(a.version == 2 && strcmp(a.token, "{1}") == 0 && strcmp(a.identifier, "pd_1") == 0);
        CHECK(e && e->reference == 4294967295u && e->kind == LMB_FMU_TYPE_REAL &&
              strcmp(e->causality, "input") == 0);
        e = lmb_fmu_about_find(&a, "on");
        CHECK(e && e->kind == LMB_FMU_TYPE_BOOLEAN && strcmp(e->type, "Boolean") == 0 &&
              strcmp(e->causality, "local") == 0);
        CHECK(lmb_fmu_about_find(&a, "off") == NULL);
    }
    lmb_fmu_about_free(&a);
}

TEST(fmu_about_reads_three) {
    lmb_fmu_about a;
    lmb_error err;
    const char *xml =
        "<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"t\"><ModelVariables>"
        "<Float64 name=\"x\" valueReference=\"7\" causality=\"output\"/><Float64 name=\"field\" "
        "valueReference=\"8\"><Dimension start=\"3\"/></Float64><String name=\"n\" "
        "valueReference=\"9\"/></ModelVariables></fmiModelDescription>";
    if (CHECK_OK(about(&a, xml, &err), err) && CHECK(a.count == 3)) {
        CHECK(a.version == 3 && a.identifier == NULL);
        CHECK(a.entries[0].kind == LMB_FMU_TYPE_REAL && !a.entries[0].is_array &&
              a.entries[0].reference == 7);
        CHECK(a.entries[1].is_array && a.entries[2].kind == LMB_FMU_TYPE_OTHER);
    }
    lmb_fmu_about_free(&a);
}

#define HEAD "<fmiModelDescription fmiVersion=\"2.0\" guid=\"1\">"
#define ONE(inside) HEAD "<ModelVariables><ScalarVariable " inside "/></ModelVariables></fmiModelDescription>"

TEST(fmu_about_refuses) {
    static const struct {
        const char *xml, *says;
    } wrong[] = {
        {"", "fmiModelDescription is missing"},
        {"<a/>", "fmiModelDescription is missing"},
        {HEAD, "does not close"},
        {HEAD "</a>", "closed that is not open"},
        {HEAD "<a></fmiModelDescription>", "closed that is not open"},
        {HEAD "</fmiModelDescription>" HEAD "</fmiModelDescription>", "two elements"},
        {HEAD "</fmiModelDescription> text", "text outside"},
        {"<!DOCTYPE x [<!ENTITY a 'b'>]>" HEAD "</fmiModelDescription>", "document type"},
        {"<fmiModelDescription fmiVersion=\"1.0\" guid=\"1\"/>", "another fmiVersion"},
        {"<fmiModelDescription fmiVersion=\"3.0\" guid=\"1\"/>", "no guid or instantiationToken"},
        {HEAD "\n<CoSimulation modelIdentifier=\"../x\"/></fmiModelDescription>", "line 2"},
        {HEAD "<CoSimulation modelIdentifier=\"a/b\"/></fmiModelDescription>", "name of a C function"},
        {ONE("valueReference=\"1\""), "no name"},
        {ONE("name=\"a\" valueReference=\"-1\""), "no valid valueReference"},
        {ONE("name=\"a\" valueReference=\"4294967296\""), "no valid valueReference"},
        {ONE("name=\"&x;\" valueReference=\"1\""), "unknown reference"},
        {ONE("name=\"&#xd800;\" valueReference=\"1\""), "unknown reference"},
        {ONE("name=\"a\"valueReference=\"1\""), "blank is missing"},
        {ONE("name=a"), "not in quotes"},
        {ONE("name=\"a<b\""), "written as a reference"},
        {HEAD "<!-- ", "comment does not close"},
    };
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        lmb_fmu_about a;
        lmb_error err;
        CHECK(about(&a, wrong[i].xml, &err) == LMB_ERR_INPUT);
        if (!CHECK(strstr(err.text, wrong[i].says) != NULL)) printf("%d: %s\n", i, err.text);
        lmb_fmu_about_free(&a);
    }
}

#define DRIVEN                                                                                             \
    "limber: 1\nfmus: {c: {file: none.fmu, step: 1 ms, inputs: {x: rail.position}, outputs: [u], %s}}\n"   \
    "bodies: {cart: {mass: 2, inertia: 1}}\njoints: {rail: {type: translational, between: [ground, cart]," \
    " axis: [1, 0, 0]}}\nforces: {push: {type: force, on: cart, value: [c.u, 0, 0]}}\n"                    \
    "analyses: [{type: dynamics, until: 1}]\n"

TEST(fmus_need_permission) {
    model m;
    lmb_error err = {0};
    if (load(&m, DRIVEN, "parameters: {k: 2*3}")) {
        CHECK(lmb_simulation_begin(m.sim, 0, &err) == LMB_ERR_INPUT);
        CHECK(strstr(err.text, "contains a program") && strstr(err.text, "--allow-fmu"));
        err = (lmb_error){0};
        CHECK(lmb_simulation_input_set(m.sim, 0, 1, 0, &err) == LMB_ERR_INPUT);
        CHECK(strstr(err.text, "output of the model's FMU 'c'") != NULL);
    }
    unload(&m);
}
