// expr/units.c: units that may follow a number.
#include "expr/compile.h"

#include <string.h>

#define PI 3.14159265358979323846

typedef struct unit {
    const char *name;
    double factor, divisor; // SI value = number * factor / divisor, so that 7 mm is 0.007 to the last bit
    lmb_dim dim;
} unit;

#define LENGTH \
    { 1, 0, 0 }
#define MASS \
    { 0, 1, 0 }
#define TIME \
    { 0, 0, 1 }
#define FORCE \
    { 1, 1, -2 }
#define ENERGY \
    { 2, 1, -2 }
#define POWER \
    { 2, 1, -3 }
#define STRESS \
    { -1, 1, -2 }
#define RATE \
    { 0, 0, -1 }

static const unit units[] = {
    {"m", 1, 1, LENGTH},       {"mm", 1, 1e3, LENGTH},      {"cm", 1, 100, LENGTH},
    {"km", 1e3, 1, LENGTH},    {"um", 1, 1e6, LENGTH},      {"in", 254, 1e4, LENGTH},
    {"ft", 3048, 1e4, LENGTH}, {"kg", 1, 1, MASS},          {"g", 1, 1e3, MASS},
    {"mg", 1, 1e6, MASS},      {"lb", 45359237, 1e8, MASS}, {"slug", 14.593902937206364, 1, MASS},
    {"t", 1e3, 1, MASS},       {"s", 1, 1, TIME},           {"ms", 1, 1e3, TIME},
    {"us", 1, 1e6, TIME},      {"min", 60, 1, TIME},        {"h", 3600, 1, TIME},
    {"rad", 1, 1, {0, 0, 0}},  {"deg", PI, 180, {0, 0, 0}}, {"N", 1, 1, FORCE},
    {"kN", 1e3, 1, FORCE},     {"mN", 1, 1e3, FORCE},       {"MN", 1e6, 1, FORCE},
    {"Nm", 1, 1, ENERGY},      {"J", 1, 1, ENERGY},         {"W", 1, 1, POWER},
    {"kW", 1e3, 1, POWER},     {"Pa", 1, 1, STRESS},        {"kPa", 1e3, 1, STRESS},
    {"MPa", 1e6, 1, STRESS},   {"GPa", 1e9, 1, STRESS},     {"Hz", 1, 1, RATE},
    {"kHz", 1e3, 1, RATE},     {"rpm", 2 * PI, 60, RATE},
};

// b^n
static double power(double b, int n) {
    double p = 1;
    for (int i = 0; i < n; i++) p *= b;
    for (int i = 0; i > n; i--) p /= b;
    return p;
}

double lmb_units_factor(const lmb_units *u, lmb_dim dim) {
    return power(u->length, dim.length) * power(u->mass, dim.mass) * power(u->time, dim.time);
}

double lmb_unit_factor(const char *name) {
    double one = 1;
    return lmb_unit_convert(&one, name, &LMB_UNITS_SI) ? one : 0;
}

bool lmb_unit_convert(double *value, const char *name, const lmb_units *model) {
    for (int i = 0; i < LMB_COUNT(units); i++) {
        if (strcmp(name, units[i].name) != 0) continue;
        *value = *value * units[i].factor / (units[i].divisor * lmb_units_factor(model, units[i].dim));
        return true;
    }
    return false;
}

bool lmb_unit_literal(lmb_dim *dim, const char *text) {
    static const char blanks[] = " \t\r\n";
    text += strspn(text, " \t\r\n+-");
    size_t n = strspn(text, "0123456789.");
    if (n == 0) return false;
    text += n;
    if (*text == 'e' || *text == 'E') {
        n = 1 + strspn(text + 1, "+-");
        size_t digits = strspn(text + n, "0123456789");
        if (digits > 0) text += n + digits;
    }
    text += strspn(text, blanks);
    n = strcspn(text, blanks);
    if (text[n + strspn(text + n, blanks)] != '\0') return false;
    for (int i = 0; i < LMB_COUNT(units); i++)
        if (strlen(units[i].name) == n && memcmp(units[i].name, text, n) == 0)
            return *dim = units[i].dim, true;
    return false;
}

const char *lmb_unit_name(void *unused, int i) {
    (void)unused;
    return i < LMB_COUNT(units) ? units[i].name : NULL;
}
