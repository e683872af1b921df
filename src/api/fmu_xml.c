// api/fmu_xml.c: modelDescription.xml of FMI 2.0 and 3.0.
#include "api/fmu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- text --------------------------------------------------------------------------------------

// name="value" with a blank before it; what XML cannot hold becomes ?
static bool add_text(lmb_text *out, const char *name, const char *value) {
    bool ok = lmb_text_add(out, " %s=\"", name);
    for (const char *c = value; *c && ok; c++) {
        unsigned char u = (unsigned char)*c;
        if (*c == '&') ok = lmb_text_add(out, "&amp;");
        else if (*c == '<') ok = lmb_text_add(out, "&lt;");
        else if (*c == '>') ok = lmb_text_add(out, "&gt;");
        else if (*c == '"') ok = lmb_text_add(out, "&quot;");
        else if (*c == '\n' || *c == '\t') ok = lmb_text_add(out, "&#%d;", *c);
        else ok = lmb_text_add_n(out, u < 32 || u == 127 ? "?" : c, 1);
    }
    return ok && lmb_text_add(out, "\"");
}

static bool add_number(lmb_text *out, const char *name, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
    return !isfinite(value) || lmb_text_add(out, " %s=\"%s\"", name, text);
}

// ---- units -------------------------------------------------------------------------------------

typedef struct base {
    double factor;
    int length, mass, time, angle;
    bool known;
} base;

static void multiply(base *b, const char *name, int power) {
    lmb_dim dim;
    char literal[40] = "1 ";
    double factor = lmb_unit_factor(name);
    if (power == 0 || factor == 0 || !lmb_unit_literal(&dim, strncat(literal, name, 30))) {
        b->known = false;
        return;
    }
    for (int i = 0; i < abs(power); i++) b->factor *= power > 0 ? factor : 1 / factor;
    b->length += power * dim.length, b->mass += power * dim.mass, b->time += power * dim.time;
    b->angle += power * (strcmp(name, "rad") == 0 || strcmp(name, "deg") == 0 || strcmp(name, "rpm") == 0);
}

// "kg m/s2" -> factor and powers of SI units
static base base_of(const char *unit) {
    base b = {.factor = 1, .known = *unit != '\0'};
    int sign = 1;
    while (*unit && b.known) {
        char name[24];
        size_t n = 0;
        while (*unit == ' ' || *unit == '*' || *unit == '.') unit++;
        if (*unit == '/') sign = -1, unit++;
        for (; isalpha((unsigned char)unit[n]) && n + 1 < sizeof name; n++) name[n] = unit[n];
        name[n] = '\0', unit += n + (unit[n] == '^');
        bool minus = *unit == '-';
        unit += minus;
        int power = isdigit((unsigned char)*unit) ? *unit++ - '0' : 1;
        if (n == 0 && power == 1 && *unit == '/') continue; // 1/s
        if (n == 0) b.known = false;
        else multiply(&b, name, sign * (minus ? -power : power));
    }
    return b;
}

static bool add_power(lmb_text *out, const char *name, int power) {
    return power == 0 || lmb_text_add(out, " %s=\"%d\"", name, power);
}

static bool add_unit(lmb_text *out, const char *unit) {
    base b = base_of(unit);
    bool ok = lmb_text_add(out, "    <Unit") && add_text(out, "name", unit);
    if (!b.known) return ok && lmb_text_add(out, "/>\n");
    ok = ok && lmb_text_add(out, "><BaseUnit") && add_power(out, "kg", b.mass) &&
         add_power(out, "m", b.length) && add_power(out, "s", b.time) && add_power(out, "rad", b.angle);
    if (ok && b.factor != 1) ok = add_number(out, "factor", b.factor);
    return ok && lmb_text_add(out, "/></Unit>\n");
}

static bool add_units(lmb_text *out, const lmb_fmu_description *d) {
    bool ok = lmb_text_add(out, "  <UnitDefinitions>\n    <Unit name=\"s\"><BaseUnit s=\"1\"/></Unit>\n");
    for (int i = 1; i < d->count && ok; i++) { // each once
        const char *unit = d->variables[i].unit;
        bool seen = *unit == '\0' || strcmp(unit, "s") == 0;
        for (int k = 1; k < i && !seen; k++) seen = strcmp(d->variables[k].unit, unit) == 0;
        if (!seen) ok = add_unit(out, unit);
    }
    return ok && lmb_text_add(out, "  </UnitDefinitions>\n");
}

// ---- parts of both -----------------------------------------------------------------------------

static bool add_head(lmb_text *out, const lmb_fmu_description *d, const char *version, const char *token) {
    return lmb_text_add(out,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
                        version) &&
           add_text(out, "modelName", d->name) && add_text(out, token, d->token) &&
           (*d->title == '\0' || add_text(out, "description", d->title)) &&
           lmb_text_add(out, " generationTool=\"limber %s\" variableNamingConvention=\"flat\"",
                        lmb_version());
}

static bool add_experiment(lmb_text *out, const lmb_analysis *a) {
    return lmb_text_add(out,
                        "  <LogCategories>\n"
                        "    <Category name=\"logStatusError\"/>\n    <Category name=\"logStatusDiscard\"/>\n"
                        "    <Category name=\"logEvents\"/>\n  </LogCategories>\n  <DefaultExperiment "
                        "startTime=\"0\"") &&
           add_number(out, "stopTime", a->until) && add_number(out, "tolerance", a->tolerance) &&
           add_number(out, "stepSize", a->every) && lmb_text_add(out, "/>\n");
}

static const char *causality(lmb_fmu_role r) {
    static const char *const names[] = {
        "independent", "parameter", "calculatedParameter", "input", "output", "local", "local", "local"};
    return names[r];
}

static const char *variability(const lmb_fmu_variable *v) {
    bool parameter = v->role == LMB_FMU_PARAMETER || v->role == LMB_FMU_CALCULATED;
    return !parameter ? "continuous" : v->tunable ? "tunable" : "fixed";
}

static const char *initial(lmb_fmu_role r) { // NULL: by causality
    if (r == LMB_FMU_PARAMETER) return "exact";
    return r == LMB_FMU_TIME || r == LMB_FMU_INPUT ? NULL : "calculated";
}

static bool is_given(lmb_fmu_role r) { return r == LMB_FMU_PARAMETER || r == LMB_FMU_INPUT; }

// begins with those of a type
static bool add_role(lmb_text *out, const lmb_fmu_variable *v, int number) {
    bool ok = add_text(out, "name", v->name) && lmb_text_add(out, " valueReference=\"%d\"", number) &&
              (v->text == NULL || add_text(out, "description", v->text)) &&
              lmb_text_add(out, " causality=\"%s\" variability=\"%s\"", causality(v->role), variability(v));
    return ok && (initial(v->role) == NULL || lmb_text_add(out, " initial=\"%s\"", initial(v->role)));
}

static bool add_value(lmb_text *out, const lmb_fmu_variable *v, const lmb_fmu_options *o) {
    bool ok = v->unit[0] == '\0' || add_text(out, "unit", v->unit);
    if (ok && v->role == LMB_FMU_STATE && o->model_exchange) ok = lmb_text_add(out, " reinit=\"true\"");
    if (ok && v->role == LMB_FMU_INPUT) ok = add_number(out, "min", v->min) && add_number(out, "max", v->max);
    if (ok && v->nominal > 0) ok = add_number(out, "nominal", v->nominal);
    return ok && (!is_given(v->role) || add_number(out, "start", v->start));
}

static bool add_list(lmb_text *out, const lmb_fmu_description *d, const char *before, const char *after,
                     int first, bool (*wanted)(lmb_fmu_role)) {
    bool ok = true;
    for (int i = 0; i < d->count && ok; i++)
        if (wanted(d->variables[i].role)) ok = lmb_text_add(out, "%s%d%s", before, i + first, after);
    return ok;
}

static bool is_output(lmb_fmu_role r) { return r == LMB_FMU_OUTPUT; }
static bool is_rate(lmb_fmu_role r) { return r == LMB_FMU_RATE; }
static bool is_indicator(lmb_fmu_role r) { return r == LMB_FMU_INDICATOR; }
static bool is_unknown(lmb_fmu_role r) {
    return initial(r) && strcmp(initial(r), "calculated") == 0 && r != LMB_FMU_INDICATOR;
}

static int count_of(const lmb_fmu_description *d, lmb_fmu_role r) {
    int n = 0;
    for (int i = 0; i < d->count; i++) n += d->variables[i].role == r;
    return n;
}

// ---- FMI 2 -------------------------------------------------------------------------------------

static bool add_list_2(lmb_text *out, const lmb_fmu_description *d, const char *name,
                       bool (*wanted)(lmb_fmu_role)) {
    lmb_text list = {0};
    bool ok = add_list(&list, d, "      <Unknown index=\"", "\"/>\n", 1, wanted);
    if (ok && list.length > 0) ok = lmb_text_add(out, "    <%s>\n%s    </%s>\n", name, list.text, name);
    lmb_text_free(&list);
    return ok;
}

#define ABLE_2                                                                                    \
    " modelIdentifier=\"limber_fmu\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"" \
    " providesDirectionalDerivative=\"true\""

bool lmb_fmu_write_2(lmb_text *out, const lmb_fmu_description *d) {
    bool ok = add_head(out, d, "2.0", "guid") &&
              lmb_text_add(out, " numberOfEventIndicators=\"%d\">\n", count_of(d, LMB_FMU_INDICATOR));
    if (ok && d->options->model_exchange) ok = lmb_text_add(out, "  <ModelExchange" ABLE_2 "/>\n");
    if (ok && d->options->co_simulation)
        ok = lmb_text_add(out, "  <CoSimulation" ABLE_2 " canHandleVariableCommunicationStepSize=\"true\""
                               " canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"0\"/>\n");
    ok = ok && add_units(out, d) && add_experiment(out, d->analysis) &&
         lmb_text_add(out, "  <ModelVariables>\n");
    for (int i = 0; i < d->count && ok; i++) {
        const lmb_fmu_variable *v = &d->variables[i];
        if (v->role == LMB_FMU_INDICATOR) continue;
        ok = lmb_text_add(out, "    <ScalarVariable") && add_role(out, v, i) && lmb_text_add(out, "><Real") &&
             add_value(out, v, d->options) &&
             (v->role != LMB_FMU_RATE || lmb_text_add(out, " derivative=\"%d\"", v->of + 1)) &&
             lmb_text_add(out, "/></ScalarVariable>\n");
    }
    return ok && lmb_text_add(out, "  </ModelVariables>\n  <ModelStructure>\n") &&
           add_list_2(out, d, "Outputs", is_output) && add_list_2(out, d, "Derivatives", is_rate) &&
           add_list_2(out, d, "InitialUnknowns", is_unknown) &&
           lmb_text_add(out, "  </ModelStructure>\n</fmiModelDescription>\n");
}

// ---- FMI 3 -------------------------------------------------------------------------------------

static bool add_list_3(lmb_text *out, const lmb_fmu_description *d, const char *name,
                       bool (*wanted)(lmb_fmu_role)) {
    char before[64] = "    <";
    strncat(before, name, 30), strcat(before, " valueReference=\"");
    return add_list(out, d, before, "\"/>\n", 0, wanted);
}

#define ABLE_3                                                                                    \
    " modelIdentifier=\"limber_fmu\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"" \
    " providesDirectionalDerivatives=\"true\""

bool lmb_fmu_write_3(lmb_text *out, const lmb_fmu_description *d) {
    bool ok = add_head(out, d, "3.0", "instantiationToken") && lmb_text_add(out, ">\n");
    if (ok && d->options->model_exchange) ok = lmb_text_add(out, "  <ModelExchange" ABLE_3 "/>\n");
    if (ok && d->options->co_simulation)
        ok = lmb_text_add(out, "  <CoSimulation" ABLE_3 " canHandleVariableCommunicationStepSize=\"true\""
                               " mightReturnEarlyFromDoStep=\"true\" maxOutputDerivativeOrder=\"0\"/>\n");
    ok = ok && add_units(out, d) && add_experiment(out, d->analysis) &&
         lmb_text_add(out, "  <ModelVariables>\n");
    for (int i = 0; i < d->count && ok; i++) {
        const lmb_fmu_variable *v = &d->variables[i];
        ok = lmb_text_add(out, "    <Float64") && add_role(out, v, i) && add_value(out, v, d->options) &&
             (v->role != LMB_FMU_RATE || lmb_text_add(out, " derivative=\"%d\"", v->of)) &&
             lmb_text_add(out, "/>\n");
    }
    return ok && lmb_text_add(out, "  </ModelVariables>\n  <ModelStructure>\n") &&
           add_list_3(out, d, "Output", is_output) &&
           add_list_3(out, d, "ContinuousStateDerivative", is_rate) &&
           add_list_3(out, d, "InitialUnknown", is_unknown) &&
           add_list_3(out, d, "EventIndicator", is_indicator) &&
           lmb_text_add(out, "  </ModelStructure>\n</fmiModelDescription>\n");
}
