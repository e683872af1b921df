// mesh/inp.c: cuts a deck into cards and walks through them.
#include "mesh/inp.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- keywords ----------------------------------------------------------------------------------

// clang-format off
static const lmb_inp_keyword keywords[] = {
    {"NODE", LMB_INP_NODES, lmb_inp_read_node, " NSET= SYSTEM= INPUT=", NULL},
    {"ELEMENT", LMB_INP_ELEMENTS, lmb_inp_read_element, " TYPE= ELSET= INPUT=", NULL},
    {"NSET", LMB_INP_SETS, lmb_inp_read_nset, " NSET= GENERATE ELSET= INSTANCE= INTERNAL UNSORTED", NULL},
    {"ELSET", LMB_INP_SETS, lmb_inp_read_elset, " ELSET= GENERATE INSTANCE= INTERNAL UNSORTED", NULL},
    {"MATERIAL", LMB_INP_MATERIALS, lmb_inp_read_material, " NAME= RTOL= DESCRIPTION=", NULL},
    {"ELASTIC", LMB_INP_MATERIALS, lmb_inp_read_elastic, " TYPE= MODULI=", NULL},
    {"DENSITY", LMB_INP_MATERIALS, lmb_inp_read_density, "", NULL},
    {"ORIENTATION", LMB_INP_MATERIALS, lmb_inp_read_orientation, " NAME= SYSTEM= DEFINITION=", NULL},
    {"INITIAL CONDITIONS", LMB_INP_MATERIALS, lmb_inp_read_initial, NULL, NULL},
    {"SURFACE", LMB_INP_SURFACES, lmb_inp_read_surface, " NAME= TYPE= INTERNAL", NULL},
    {"SOLID SECTION", LMB_INP_SECTIONS, lmb_inp_read_solid_section, " ELSET= MATERIAL= CONTROLS= ORIENTATION=", NULL},
    {"SHELL SECTION", LMB_INP_SECTIONS, lmb_inp_read_shell_section,
     " ELSET= MATERIAL= CONTROLS= OFFSET= SECTIONINTEGRATION= ORIENTATION= COMPOSITE SYMMETRIC LAYUP=", NULL},
    {"SHELL GENERAL SECTION", LMB_INP_SECTIONS, lmb_inp_read_shell_section,
     " ELSET= MATERIAL= CONTROLS= OFFSET= ORIENTATION= COMPOSITE SYMMETRIC LAYUP=", NULL},
    {"BEAM SECTION", LMB_INP_SECTIONS, lmb_inp_read_beam_section,
     " ELSET= MATERIAL= SECTION= TEMPERATURE= POISSON=", NULL},
    {"BEAM GENERAL SECTION", LMB_INP_SECTIONS, lmb_inp_read_general_section,
     " ELSET= SECTION= DENSITY= POISSON= TEMPERATURE= ZERO=", NULL},
    {"MASS", LMB_INP_SECTIONS, lmb_inp_read_mass, " ELSET=", NULL},
    {"SPRING", LMB_INP_SECTIONS, lmb_inp_read_spring, " ELSET=", NULL},
    {"RIGID BODY", LMB_INP_CONSTRAINTS, lmb_inp_read_rigid_body, " REFNODE= ROTNODE= NSET= ELSET= TIENSET= PINNSET= POSITION=", NULL},
    {"COUPLING", LMB_INP_CONSTRAINTS, lmb_inp_read_coupling, " CONSTRAINTNAME= REFNODE= SURFACE= ORIENTATION= INFLUENCERADIUS=", NULL},
    {"KINEMATIC", LMB_INP_CONSTRAINTS, lmb_inp_read_kinematic, "", NULL},
    {"DISTRIBUTING", LMB_INP_CONSTRAINTS, lmb_inp_read_distributing, " WEIGHTINGMETHOD= COUPLING=", NULL},
    {"KINEMATIC COUPLING", LMB_INP_CONSTRAINTS, lmb_inp_read_kinematic_coupling, " REFNODE=", NULL},
    {"DISTRIBUTING COUPLING", LMB_INP_CONSTRAINTS, lmb_inp_read_distributing_coupling, " ELSET=", NULL},
    {"TRANSFORM", LMB_INP_SURFACES, lmb_inp_read_transform, " NSET= TYPE=", NULL},
    {"TIE", LMB_INP_TIES, lmb_inp_read_tie,
     " NAME= POSITIONTOLERANCE= ADJUST= TYPE= NOROTATION NOTHICKNESS CYCLICSYMMETRY MULTISTAGE CONSTRAINTRATIO= TIEDNSET= FLUID", NULL},
    {"EQUATION", LMB_INP_CONSTRAINTS, lmb_inp_read_equation, " INPUT=", NULL},
    {"MPC", LMB_INP_CONSTRAINTS, lmb_inp_read_mpc, " INPUT=", NULL},
    {"BOUNDARY", LMB_INP_CONSTRAINTS, lmb_inp_read_boundary, NULL, NULL},
    {"SYSTEM", LMB_INP_NODES, lmb_inp_read_system, "", NULL},
    {"NGEN", LMB_INP_NODES, lmb_inp_read_ngen, " NSET= LINE= SYSTEM=", NULL},
    {"NFILL", LMB_INP_NODES, lmb_inp_read_nfill, " NSET= BIAS= SINGULAR= TWOSTEP", NULL},
    {"NCOPY", LMB_INP_NODES, lmb_inp_read_ncopy, " CHANGENUMBER= OLDSET= NEWSET= SHIFT REFLECT= MULTIPLE=", NULL},
    {"ELGEN", LMB_INP_ELEMENTS, lmb_inp_read_elgen, " ELSET=", NULL},
    {"ELCOPY", LMB_INP_ELEMENTS, lmb_inp_read_elcopy, " ELEMENTSHIFT= OLDSET= NEWSET= SHIFTNODES= REFLECT", NULL},
    // where we are
    {"PART", 0, NULL, " NAME=", NULL},
    {"END PART", 0, NULL, "", NULL},
    {"ASSEMBLY", 0, NULL, " NAME=", NULL},
    {"END ASSEMBLY", 0, NULL, "", NULL},
    {"INSTANCE", 0, NULL, " NAME= PART=", NULL},
    {"END INSTANCE", 0, NULL, "", NULL},
    {"STEP", 0, NULL, NULL, NULL},
    {"END STEP", 0, NULL, NULL, NULL},
    // irrelevant to the part
    {"HEADING", 0, NULL, NULL, NULL},
    {"PREPRINT", 0, NULL, NULL, NULL},
    // keywords that would change stiffness, mass or positions and are not supported
    {"PARAMETER", 0, NULL, NULL, "parameters are not supported; write the numbers"},
    {"NMAP", 0, NULL, NULL, "it moves nodes; write their coordinates"},
    {"EMBEDDED ELEMENT", 0, NULL, NULL, "embedded elements are not supported; mesh the part with shared nodes"},
    {"SHELL TO SOLID COUPLING", 0, NULL, NULL, "use *COUPLING"},
    {"MEMBRANE SECTION", 0, NULL, NULL, "membranes are not supported; use shells"},
    {"COHESIVE SECTION", 0, NULL, NULL, "cohesive elements are not supported"},
    {"GASKET SECTION", 0, NULL, NULL, "gaskets are not supported"},
    {"SURFACE SECTION", 0, NULL, NULL, "surface elements are not supported"},
    {"CONNECTOR SECTION", 0, NULL, NULL, "connectors are not supported; use joints in the model file"},
    {"FRAME SECTION", 0, NULL, NULL, "only *BEAM SECTION is supported"},
    {"FASTENER", 0, NULL, NULL, "fasteners are not supported; use *COUPLING"},
    {"ROTARY INERTIA", 0, NULL, NULL, "rotary inertia is not supported; use a rigid body in the model file"},
    {"NONSTRUCTURAL MASS", 0, NULL, NULL, "change the density, or use *MASS"},
    {"PRE-TENSION SECTION", 0, NULL, NULL, "pretension is not supported"},
    {"CYCLIC SYMMETRY MODEL", 0, NULL, NULL, "mesh the whole part"},
    {"SUBSTRUCTURE PROPERTY", 0, NULL, NULL, "substructures are not supported; use their matrices (type: matrices)"},
    {"USER ELEMENT", 0, NULL, NULL, "user elements are not supported"},
    {"UEL PROPERTY", 0, NULL, NULL, "user elements are not supported"},
    {"MATRIX INPUT", 0, NULL, NULL, "matrices in a deck are not supported; write them to separate files"},
    {"MATRIX ASSEMBLE", 0, NULL, NULL, "matrices in a deck are not supported; write them to separate files"},
};
// clang-format on

static const lmb_inp_keyword *keyword_find(lmb_piece name) {
    for (int i = 0; i < LMB_COUNT(keywords); i++)
        if (lmb_piece_is(name, keywords[i].name)) return &keywords[i];
    return NULL;
}

static bool card_is(const lmb_inp_card *c, const char *name) { return lmb_piece_is(c->name, name); }

// ---- messages ----------------------------------------------------------------------------------

lmb_status lmb_inp_fail(lmb_inp *r, const char *format, ...) {
    char text[sizeof r->scan.err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->card != NULL) r->scan.line = r->card->line, r->scan.file = r->card->file;
    return lmb_scan_fail(&r->scan, "%s", text);
}

lmb_where lmb_inp_where(const lmb_inp *r) {
    return r->card ? (lmb_where){r->card->file, r->card->line, 0}
                   : (lmb_where){r->scan.file, r->scan.line, 0};
}

int lmb_inp_line(const lmb_inp *r, int line) { return r->scan.file == r->mesh->file ? line : 0; }

lmb_status lmb_inp_remark(lmb_inp *r, int line, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool ok =
        lmb_text_add(&r->mesh->ignored, "%s:%d: %s\n", r->card ? r->card->file : r->mesh->file, line, text);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

// ---- cards -------------------------------------------------------------------------------------

static bool is_comment(lmb_piece row) { return row.length >= 2 && row.at[0] == '*' && row.at[1] == '*'; }

static lmb_inp_card *new_card(lmb_inp *r) {
    if (r->card_count == r->card_capacity) {
        int capacity = r->card_capacity > 0 ? 2 * r->card_capacity : 64;
        lmb_inp_card *larger = lmb_realloc(r->cards, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan), NULL;
        r->cards = larger;
        r->card_capacity = capacity;
    }
    lmb_inp_card *c = &r->cards[r->card_count++];
    *c = (lmb_inp_card){.file = r->scan.file, .data_file = r->scan.file, .line = r->scan.line, .outer = -1};
    return c;
}

// the keyword with single blanks, upper case is not needed: comparisons ignore it
static lmb_piece clean_name(lmb_inp *r, lmb_piece name) {
    bool clean = name.length < 80;
    for (int i = 0; i + 1 < name.length; i++) clean = clean && !(name.at[i] == ' ' && name.at[i + 1] == ' ');
    if (clean) return name;
    char *copy = lmb_arena_get(r->mesh->arena, (size_t)name.length + 1, 1);
    int n = 0;
    if (copy == NULL) return lmb_scan_memory(&r->scan), name;
    for (int i = 0; i < name.length && n < 80; i++)
        if (!(name.at[i] == ' ' && n > 0 && copy[n - 1] == ' ')) copy[n++] = name.at[i];
    return (lmb_piece){copy, n};
}

// the keyword line and, after a comma at its end, the next ones
static void read_keyword(lmb_inp *r, lmb_piece row) {
    lmb_inp_card *c = new_card(r);
    if (c == NULL) return;
    lmb_piece rest = {row.at + 1, row.length - 1}, more;
    c->name = lmb_piece_cut(&rest, ',');
    const char *stop = row.at + row.length;
    while (stop > row.at && stop[-1] == ',' && lmb_scan_line(&more, &r->scan)) stop = more.at + more.length;
    c->parameters = (lmb_piece){rest.at, (int)(stop > rest.at ? stop - rest.at : 0)};
    c->name = clean_name(r, c->name);
    c->keyword = keyword_find(c->name);
    c->data = c->end = r->scan.at;
    c->data_line = r->scan.line + 1;
}

static void cut_text(lmb_inp *r);

// the text of a file beside the deck
static const lmb_text *load(lmb_inp *r, lmb_piece name, const char **path) {
    while (name.length > 1 && (*name.at == '"' || *name.at == '\'')) name.at++, name.length -= 2;
    char *text = lmb_arena_printf(r->mesh->arena, "%.*s", name.length > 0 ? name.length : 0, name.at);
    if (text == NULL) lmb_scan_memory(&r->scan);
    else if (*text == '\0') lmb_scan_fail(&r->scan, "INPUT needs the name of a file");
    else if (r->load == NULL) lmb_scan_fail(&r->scan, "files cannot be included here; paste their contents");
    else if (r->depth == LMB_INP_DEPTH) lmb_scan_fail(&r->scan, "files include each other too deeply");
    else if (r->include_count == LMB_INP_INCLUDES)
        lmb_scan_fail(&r->scan, "more than %d included files are not supported", LMB_INP_INCLUDES);
    if (r->scan.status != LMB_OK) return NULL;
    lmb_text *got = &r->includes[r->include_count++];
    r->scan.status =
        r->load(r->user, got, path, text, (lmb_where){r->scan.file, r->scan.line, 0}, r->scan.err);
    *path = r->scan.status == LMB_OK ? lmb_arena_strdup(r->mesh->arena, *path) : NULL;
    if (r->scan.status == LMB_OK && *path == NULL) lmb_scan_memory(&r->scan);
    return r->scan.status == LMB_OK ? got : NULL;
}

// *INCLUDE: the text goes on in another file
static void include(lmb_inp *r, lmb_piece name) {
    const char *path = NULL;
    const lmb_text *got = load(r, name, &path);
    lmb_scan outer = r->scan;
    if (got == NULL) return;
    r->scan.file = path, r->scan.line = 0;
    r->scan.at = got->text, r->scan.end = got->text + got->length;
    r->depth++;
    cut_text(r);
    r->depth--;
    outer.status = r->scan.status;
    if (outer.status != LMB_OK) outer.at = outer.end;
    r->scan = outer;
}

// data of a file
static void take_input(lmb_inp *r, lmb_piece name) {
    const char *path = NULL;
    const lmb_text *got = load(r, name, &path);
    if (got == NULL) return;
    lmb_inp_card *c = &r->cards[r->card_count - 1];
    c->data = got->text, c->end = got->text + got->length, c->data_file = path, c->data_line = 1;
}

static lmb_piece parameter_of(const lmb_inp_card *c, const char *parameter);

static void take_keyword(lmb_inp *r, lmb_piece row) {
    read_keyword(r, row);
    if (r->scan.status != LMB_OK) return;
    const lmb_inp_card *c = &r->cards[r->card_count - 1];
    lmb_piece input = parameter_of(c, "INPUT");
    if (card_is(c, "INCLUDE")) r->card_count--, include(r, input);
    else if (c->keyword && c->keyword->read && input.length > 0) take_input(r, input);
}

static void cut_text(lmb_inp *r) {
    lmb_piece row;
    while (lmb_scan_line(&row, &r->scan)) {
        if (row.length == 0 || is_comment(row)) continue;
        lmb_inp_card *last = r->card_count > 0 ? &r->cards[r->card_count - 1] : NULL;
        if (row.at[0] == '*') take_keyword(r, row);
        else if (last == NULL)
            lmb_scan_fail(&r->scan,
                          "not an Abaqus or CalculiX deck: expected a keyword (*NODE, *ELEMENT, ...) first");
        else if (last->data_file != r->scan.file || last->file != r->scan.file)
            lmb_scan_fail(&r->scan,
                          "data of a card must be in one file: put its keyword and all its lines into it");
        else last->end = r->scan.at;
        if (r->scan.status != LMB_OK) return;
    }
}

static void cut_cards(lmb_inp *r) {
    cut_text(r);
    if (r->scan.status == LMB_OK && r->card_count == 0)
        lmb_scan_fail(&r->scan, "the file has no keyword (*NODE, *ELEMENT, ...)");
}

// ---- data and parameters -----------------------------------------------------------------------

bool lmb_inp_row(lmb_piece *out, lmb_inp *r) {
    while (lmb_scan_line(out, &r->scan))
        if (out->length > 0 && !is_comment(*out)) return true;
    return false;
}

// the next parameter: name and value
static bool next_parameter(lmb_piece *rest, lmb_piece *name, lmb_piece *value) {
    while (rest->length > 0) {
        lmb_piece p = lmb_piece_cut(rest, ',');
        *value = p;
        *name = lmb_piece_cut(value, '=');
        *value = lmb_piece_trim(*value);
        if (value->length >= 2 && value->at[0] == '"' && value->at[value->length - 1] == '"')
            value->at++, value->length -= 2;
        if (name->length > 0) return true;
    }
    return false;
}

// names of parameters may contain blanks: REF NODE
static bool same_parameter(lmb_piece name, const char *known, int length) {
    int k = 0;
    for (int i = 0; i < name.length; i++) {
        if (name.at[i] == ' ' || name.at[i] == '\t') continue;
        if (k == length || strncasecmp(&name.at[i], &known[k], 1) != 0) return false;
        k++;
    }
    return k == length;
}

static lmb_piece find_parameter(const lmb_inp_card *c, const char *parameter, bool *found) {
    lmb_piece rest = c->parameters, name, value;
    *found = false;
    while (next_parameter(&rest, &name, &value))
        if (same_parameter(name, parameter, (int)strlen(parameter))) return *found = true, value;
    return (lmb_piece){"", 0};
}

static lmb_piece parameter_of(const lmb_inp_card *c, const char *parameter) {
    bool found;
    return find_parameter(c, parameter, &found);
}

bool lmb_inp_has(const lmb_inp *r, const char *parameter) {
    bool found;
    find_parameter(r->card, parameter, &found);
    return found;
}

lmb_piece lmb_inp_get(const lmb_inp *r, const char *parameter) { return parameter_of(r->card, parameter); }

bool lmb_inp_has_card(const lmb_inp *r, const char *name) {
    for (int i = 0; i < r->card_count; i++)
        if (card_is(&r->cards[i], name)) return true;
    return false;
}

// all parameters are known, and those that need a value have one
static lmb_status check_parameters(lmb_inp *r) {
    const lmb_inp_keyword *k = r->card->keyword;
    lmb_piece rest = r->card->parameters, name, value;
    if (k->parameters == NULL) return LMB_OK;
    while (next_parameter(&rest, &name, &value)) {
        int shown = name.length > 40 ? 40 : name.length;
        const char *found = NULL, *p = k->parameters;
        for (int n; *p != '\0' && found == NULL; p += n) {
            p++;
            n = (int)strcspn(p, " ");
            if (same_parameter(name, p, p[n - 1] == '=' ? n - 1 : n)) found = p + n - 1;
        }
        if (found == NULL)
            return lmb_inp_fail(r, "*%s: unknown parameter %.*s; remove it if it is irrelevant", k->name,
                                shown, name.at);
        if (*found == '=' && value.length == 0)
            return lmb_inp_fail(r, "*%s: parameter %.*s needs a value", k->name, shown, name.at);
    }
    return LMB_OK;
}

lmb_status lmb_inp_numbers(lmb_inp *r, lmb_piece row, double *values, int most, int *count) {
    *count = 0;
    for (int i = 0; i < most; i++) values[i] = 0;
    while (row.length > 0) {
        lmb_piece field = lmb_piece_cut(&row, ',');
        if (*count == most && field.length > 0)
            return lmb_scan_fail(&r->scan, "more than %d numbers in this line", most);
        if (*count == most) continue;
        if (field.length > 0 && !lmb_piece_number(&values[*count], field))
            return lmb_scan_fail(&r->scan, "'%.*s' is not a finite number",
                                 field.length > 30 ? 30 : field.length, field.at);
        ++*count;
    }
    return LMB_OK;
}

// ---- nesting of cards --------------------------------------------------------------------------

// parts, instances and steps: sets card.outer
static lmb_status nest_cards(lmb_inp *r) {
    int open = -1;
    bool assembly = false;
    for (int i = 0; i < r->card_count; i++) {
        lmb_inp_card *c = &r->cards[i], *outer = open >= 0 ? &r->cards[open] : NULL;
        r->card = c;
        bool part = card_is(c, "PART"), instance = card_is(c, "INSTANCE"), step = card_is(c, "STEP");
        if (outer && (part || instance || step))
            return lmb_inp_fail(r, "*%.*s inside *%s (line %d), which has not been closed", c->name.length,
                                c->name.at, outer->keyword->name, outer->line);
        if (part || instance || step) open = i;
        if (card_is(c, "ASSEMBLY")) assembly = true;
        if (instance && !assembly) return lmb_inp_fail(r, "*INSTANCE is allowed only inside *ASSEMBLY");
        bool end_part = card_is(c, "END PART"), end_instance = card_is(c, "END INSTANCE");
        bool end_step = card_is(c, "END STEP");
        if (end_part || end_instance || end_step) {
            const char *name = end_part ? "PART" : end_instance ? "INSTANCE" : "STEP";
            if (outer == NULL || !card_is(outer, name))
                return lmb_inp_fail(r, "*END %s without *%s", name, name);
            open = -1;
            continue;
        }
        c->outer = i == open ? -1 : open;
    }
    r->card = open >= 0 ? &r->cards[open] : NULL;
    if (open >= 0 && !card_is(r->card, "STEP"))
        return lmb_inp_fail(r, "*%s is not closed; the file is truncated", r->card->keyword->name);
    return LMB_OK;
}

static bool in_step(const lmb_inp *r, const lmb_inp_card *c) {
    return c->outer >= 0 && card_is(&r->cards[c->outer], "STEP");
}

// the position of an instance: x -> translated, then turned about the axis from a to b
lmb_status lmb_inp_read_place(lmb_inp *r, pose *place) {
    double t[3], w[7];
    lmb_piece row;
    int count;
    *place = (pose){.R = M3_ID};
    if (!lmb_inp_row(&row, r)) return r->scan.status;
    if (lmb_inp_numbers(r, row, t, 3, &count) != LMB_OK) return r->scan.status;
    place->r = v3_load(t);
    if (!lmb_inp_row(&row, r)) return r->scan.status;
    if (lmb_inp_numbers(r, row, w, 7, &count) != LMB_OK) return r->scan.status;
    vec3 a = v3_load(w), axis = v3_sub(v3_load(w + 3), a);
    if (!v3_has_direction(axis) || count != 7)
        return lmb_scan_fail(&r->scan,
                             "a rotation needs seven numbers: two distinct points on the axis and an angle");
    double angle = w[6] * LMB_PI / 180;
    vec3 n = v3_unit(axis);
    mat3 N = m3_skew(n);
    // R = I + sin N + (1 - cos) N N;  x' = a + R (x + t - a)
    place->R = m3_add(M3_ID, m3_add(m3_scale(sin(angle), N), m3_scale(1 - cos(angle), m3_mul(N, N))));
    place->r = v3_add(a, m3_mul_v3(&place->R, v3_sub(place->r, a)));
    return LMB_OK;
}

static void take_card(lmb_inp *r, const lmb_inp_card *c) {
    r->card = c;
    if (r->scan.status != LMB_OK) return;
    r->scan.at = c->data;
    r->scan.end = c->end;
    r->scan.line = c->data_line - 1;
    r->scan.file = c->data_file;
}

static lmb_status add_scope(lmb_inp *r, const char *name, int part, int card, pose place) {
    if (r->scope_count == r->scope_capacity) {
        int capacity = r->scope_capacity > 0 ? 2 * r->scope_capacity : 8;
        lmb_inp_scope *larger = lmb_realloc(r->scopes, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan);
        r->scopes = larger;
        r->scope_capacity = capacity;
    }
    for (int i = 1; i < r->scope_count; i++)
        if (strcasecmp(r->scopes[i].name, name) == 0) return lmb_inp_fail(r, "duplicate name '%s'", name);
    if (r->scope_count > 2000) return lmb_inp_fail(r, "more than 2000 instances are not supported");
    r->scopes[r->scope_count++] = (lmb_inp_scope){.name = name, .part = part, .card = card, .place = place};
    return LMB_OK;
}

static int find_part(const lmb_inp *r, lmb_piece name) {
    for (int i = 0; i < r->card_count; i++) {
        if (!card_is(&r->cards[i], "PART")) continue;
        lmb_piece other = parameter_of(&r->cards[i], "NAME");
        if (other.length == name.length && strncasecmp(other.at, name.at, (size_t)name.length) == 0) return i;
    }
    return -1;
}

// an *INSTANCE, or a *PART of a deck without instances
static lmb_status open_scope(lmb_inp *r, int card, bool instance) {
    take_card(r, &r->cards[card]);
    lmb_piece name = lmb_inp_get(r, "NAME");
    if (name.length == 0 || name.length > 200)
        return lmb_inp_fail(r, "*%s needs a NAME (at most 200 characters)", r->card->keyword->name);
    const char *kept = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    if (kept == NULL) return lmb_scan_memory(&r->scan);
    pose place = {.R = M3_ID};
    int part = instance ? find_part(r, lmb_inp_get(r, "PART")) : -1;
    if (instance && part < 0) {
        lmb_piece wanted = lmb_inp_get(r, "PART");
        return lmb_inp_fail(r, "instance '%s': unknown part '%.*s'", kept,
                            wanted.length > 60 ? 60 : wanted.length, wanted.at);
    }
    if (instance && lmb_inp_read_place(r, &place) != LMB_OK) return r->scan.status;
    return add_scope(r, kept, part, card, place);
}

static lmb_status open_scopes(lmb_inp *r) {
    bool instances = false;
    lmb_status status = add_scope(r, "", -1, -1, (pose){.R = M3_ID});
    for (int i = 0; i < r->card_count; i++) instances = instances || card_is(&r->cards[i], "INSTANCE");
    for (int i = 0; i < r->card_count && status == LMB_OK; i++)
        if (card_is(&r->cards[i], instances ? "INSTANCE" : "PART")) status = open_scope(r, i, instances);
    return status;
}

// ---- ignored cards -----------------------------------------------------------------------------

static int data_lines(const lmb_inp_card *c) {
    int lines = 0;
    bool blank = true;
    for (const char *p = c->data; p < c->end; p++) {
        if (*p != '\n' && *p != '\r' && *p != ' ' && *p != '\t') blank = false;
        if (*p == '\n' || p + 1 == c->end) lines += !blank, blank = true;
    }
    return lines;
}

// supports of the model and of its first step are read
static bool is_support(const lmb_inp *r, const lmb_inp_card *c) {
    return card_is(c, "BOUNDARY") && (c->outer < 0 || c->outer == r->first_step);
}

// one line for all cards of a name
static lmb_status list_card(lmb_inp *r, int first) {
    int times = 0, lines = 0;
    lmb_piece name = r->cards[first].name;
    for (int i = first; i < r->card_count; i++) {
        lmb_inp_card *c = &r->cards[i];
        if (c->name.length != name.length || strncasecmp(c->name.at, name.at, (size_t)name.length) != 0)
            continue;
        if ((c->keyword != NULL && !in_step(r, c)) || is_support(r, c)) continue;
        times++;
        lines += data_lines(c);
        if (i > first) c->name.length = 0; // listed
    }
    char repeat[32] = "";
    if (times > 1) snprintf(repeat, sizeof repeat, "%d times, ", times);
    return lmb_inp_remark(r, r->cards[first].line, "*%.*s (%s%d line%s)", name.length > 80 ? 80 : name.length,
                          name.at, repeat, lines, lines == 1 ? "" : "s");
}

static lmb_status list_unread(lmb_inp *r) {
    enum { MOST = 200 };
    lmb_status status = LMB_OK;
    int listed = 0;
    for (int i = 0; i < r->card_count && status == LMB_OK; i++) {
        const lmb_inp_card *c = &r->cards[i];
        r->card = c;
        if (c->name.length == 0 || is_support(r, c)) continue;
        if (c->keyword == NULL || in_step(r, c)) {
            if (++listed <= MOST) status = list_card(r, i);
            else if (listed == MOST + 1) status = lmb_inp_remark(r, c->line, "further keywords ignored");
        } else if (c->keyword->refused)
            status = lmb_inp_fail(r, "*%s: %s", c->keyword->name, c->keyword->refused);
        else status = check_parameters(r);
    }
    return status;
}

// ---- walking -----------------------------------------------------------------------------------

static lmb_status read_card(lmb_inp *r, int i, lmb_inp_phase phase) {
    const lmb_inp_keyword *k = r->cards[i].keyword;
    // sets of nodes are the ends of generated ones
    bool early = phase == LMB_INP_NODES && r->generates && card_is(&r->cards[i], "NSET");
    if (k == NULL || (k->phase != phase && !early)) return LMB_OK;
    take_card(r, &r->cards[i]);
    lmb_status status = k->read(r);
    return status != LMB_OK ? status : r->scan.status;
}

static lmb_status walk_scope(lmb_inp *r, int scope, lmb_inp_phase phase) {
    lmb_status status = LMB_OK;
    r->scope = scope, r->system = (pose){.R = M3_ID};
    for (int i = 0; i < r->card_count && status == LMB_OK; i++) {
        const lmb_inp_scope *s = &r->scopes[scope];
        int outer = r->cards[i].outer;
        bool here = outer >= 0 && (outer == s->part || outer == s->card);
        if (scope == 0 ? outer < 0 || is_support(r, &r->cards[i]) : here) status = read_card(r, i, phase);
    }
    r->scope = 0;
    return status;
}

static lmb_status walk(lmb_inp *r, lmb_inp_phase phase) {
    lmb_status status = LMB_OK;
    for (int i = 1; i < r->scope_count && status == LMB_OK; i++) status = walk_scope(r, i, phase);
    if (status == LMB_OK) status = walk_scope(r, 0, phase);
    return status;
}

// ---- the end -----------------------------------------------------------------------------------

// "set" beside "instance.set" where no other set has that name
static lmb_status add_plain_names(lmb_inp *r) {
    lmb_mesh *m = r->mesh;
    int count = m->set_count;
    for (int i = 0; i < count; i++) {
        const char *plain = NULL;
        for (int k = 1; k < r->scope_count && plain == NULL; k++) {
            size_t n = strlen(r->scopes[k].name);
            if (strncasecmp(m->sets[i].name, r->scopes[k].name, n) == 0 && m->sets[i].name[n] == '.')
                plain = m->sets[i].name + n + 1;
        }
        int same = 0;
        for (int k = 0; plain != NULL && k < count; k++) {
            const char *dot = strrchr(m->sets[k].name, '.');
            bool hit =
                strcasecmp(m->sets[k].name, plain) == 0 || (dot != NULL && strcasecmp(dot + 1, plain) == 0);
            same += hit && m->sets[k].kind == m->sets[i].kind;
        }
        if (same != 1) continue;
        int set = lmb_mesh_add_set(m, plain, m->sets[i].kind, m->sets[i].where);
        bool ok = set >= 0;
        for (int k = 0; ok && k < m->sets[i].count; k++) ok = lmb_mesh_set_add(m, set, m->sets[i].items[k]);
        if (!ok) return lmb_scan_memory(&r->scan);
    }
    return LMB_OK;
}

static lmb_status finish_sets(lmb_inp *r) {
    for (int i = 0; i < r->mesh->set_count; i++) {
        const lmb_mesh_set *s = &r->mesh->sets[i];
        lmb_mesh_set_tidy(r->mesh, i);
        r->card = NULL;
        r->scan.line = s->where.line, r->scan.file = s->where.file;
        if (s->count == 0)
            return lmb_scan_fail(&r->scan, "set '%s' is empty; remove it, or list its %s", s->name,
                                 s->kind == LMB_SET_NODES ? "nodes" : "elements");
    }
    return add_plain_names(r);
}

static lmb_status tell(void *user, lmb_where where, const char *text) {
    lmb_inp *r = user;
    bool ok = lmb_text_add(&r->mesh->ignored, "%s:%d: %s\n", where.file, where.line, text);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

// supports of the first step are read, too
static int find_step(const lmb_inp *r) {
    for (int i = 0; i < r->card_count; i++)
        if (card_is(&r->cards[i], "STEP")) return i;
    return -2;
}

static lmb_status read_deck(lmb_inp *r) {
    cut_cards(r);
    r->first_step = find_step(r);
    if (r->scan.status == LMB_OK) nest_cards(r);
    if (r->scan.status == LMB_OK) list_unread(r);
    if (r->scan.status == LMB_OK) open_scopes(r);
    r->generates = lmb_inp_has_card(r, "NFILL") || lmb_inp_has_card(r, "NCOPY");
    for (lmb_inp_phase phase = 1; phase < LMB_INP_PHASES && r->scan.status == LMB_OK; phase++) {
        walk(r, phase);
        if (r->scan.status == LMB_OK && phase == LMB_INP_MATERIALS) lmb_inp_finish_materials(r);
    }
    if (r->scan.status == LMB_OK) lmb_inp_finish_coupling(r);
    if (r->scan.status == LMB_OK) r->scan.status = lmb_constrain_finish(r->mesh, tell, r, r->scan.err);
    if (r->scan.status == LMB_OK) finish_sets(r);
    r->card = NULL;
    r->scan.line = 0, r->scan.file = r->mesh->file;
    if (r->scan.status == LMB_OK && r->mesh->element_count == 0)
        lmb_scan_fail(&r->scan, "the deck has no elements (*ELEMENT)");
    return r->scan.status;
}

static void reader_free(lmb_inp *r) {
    for (int i = 0; i < r->include_count; i++) lmb_text_free(&r->includes[i]);
    for (int i = 0; i < r->scope_count; i++) {
        lmb_label_map_free(&r->scopes[i].nodes);
        lmb_label_map_free(&r->scopes[i].elements);
    }
    lmb_free(r->cards);
    lmb_free(r->scopes);
    lmb_free(r->types);
    lmb_free(r->materials);
    lmb_free(r->orientations);
    lmb_free(r->transforms), lmb_free(r->transform_of), lmb_free(r->node_list);
    lmb_label_map_free(&r->unsorted);
    lmb_free(r->rows);
    lmb_faces_free(&r->faces);
}

// a keyword, *NODE, or a comment, ** made by
bool lmb_mesh_is_inp(const char *text, size_t length) {
    return length > 1 && text[0] == '*' && (text[1] == '*' || isalpha((unsigned char)text[1]));
}

lmb_status lmb_mesh_read_inp_from(lmb_mesh **out, const char *text, size_t length, const char *name,
                                  lmb_mesh_include *load_file, void *user, lmb_error *err) {
    *out = NULL;
    lmb_inp *r = lmb_alloc(1, sizeof *r);
    if (r == NULL) return lmb_fail_memory(err);
    *r = (lmb_inp){.scan = {.at = text, .end = text + length, .err = err},
                   .load = load_file,
                   .user = user,
                   .material = -1};
    lmb_status status = lmb_mesh_create(&r->mesh, name, err);
    if (status == LMB_OK) {
        r->scan.file = r->mesh->file;
        status = read_deck(r);
        reader_free(r);
        if (status == LMB_OK) *out = r->mesh;
        else lmb_mesh_destroy(r->mesh);
    }
    lmb_free(r);
    return status;
}

lmb_status lmb_mesh_read_inp(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err) {
    return lmb_mesh_read_inp_from(out, text, length, name, NULL, NULL, err);
}
