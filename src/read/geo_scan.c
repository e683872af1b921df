// read/geo_scan.c: reads the words of a script of gmsh.
#include "read/geo_scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- words -------------------------------------------------------------------------------------

// words with a capital and four letters or more that make geometry, meshes, numbers and texts
// clang-format off
static const char *const harmless[] = {
    "Acos", "Affine", "Alternate", "AlternateLeft", "AlternateRight", "Asin", "Atan", "Atan2",
    "Attractor", "BSpline", "Background", "Ball", "Beta", "Bezier", "BooleanDifference",
    "BooleanFragments", "BooleanIntersection", "BooleanSection", "BooleanUnion", "Boundary",
    "BoundaryLayer", "BoundingBox", "Bump", "Call", "Ceil", "CenterOfMass", "Chamfer", "Characteristic",
    "Circle", "Coherence", "Color", "CombinedBoundary", "Compound", "Cone", "Constant", "Cosh", "Curve",
    "Cylinder", "DefineConstant", "Delete", "Dilate", "Disk", "Distance", "Duplicata", "Ellipse",
    "Ellipsis", "Else", "ElseIf", "EndFor", "EndIf", "Exists", "Extend", "Extrude", "Fabs", "Field",
    "Fillet", "Floor", "Fmod", "Frustum", "Function", "GetNumber", "GetString", "GetValue", "Help",
    "Hide", "Hypot", "Knots", "Layers", "Left", "Length", "Line", "LinSpace", "List", "Log10", "LogSpace",
    "Loop", "LowerCase", "Macro", "Mass", "MathEval", "MatrixOfInertia", "MeshSize", "Modulo", "Name",
    "Nurbs", "OpenCASCADE", "Order", "Parent", "Periodic", "Physical", "Plane", "Point", "Points",
    "PointsOf", "Progression", "QuadTriAddVerts", "QuadTriDbl", "QuadTriNoNewVerts", "Rand",
    "RecombLaterals", "Recombine", "Rectangle", "Recursive", "Restrict", "Return", "Reverse",
    "ReverseMesh", "Right", "Rotate", "Round", "Ruled", "ScaleLastLayer", "SetFactory", "Show", "Sinh",
    "Smoother", "Sphere", "Spline", "Sprintf", "Sqrt", "Step", "StrCat", "StrCmp", "StrFind", "StrLen",
    "StrPrefix", "StrReplace", "StrSub", "Surface", "Symmetry", "Tanh", "Threshold", "ThruSections",
    "Torus", "TransfQuadTri", "Transfinite", "Translate", "Unique", "UpperCase", "Using", "Volume",
    "Wedge", "Wire"};
// clang-format on
static const char *const option_groups[] = {"Mesh", "Geometry"};
static const char *const general_options[] = {"Terminal", "NumThreads", "Verbosity", "ExpertMode"};

static bool among(const char *const *list, int count, const char *word, size_t n) {
    for (int i = 0; i < count; i++)
        if (strlen(list[i]) == n && strncmp(list[i], word, n) == 0) return true;
    return false;
}

typedef struct scan {
    const char *text, *end, *p; // p: behind the token
    const char *token;
    size_t size;
    enum { END, WORD, TEXT, SIGN } kind; // of the token; a text without its quotes
    const char *name;
    int line;
    const char *line_start;
    lmb_error *err;
} scan;

static lmb_where place(const scan *s) {
    return (lmb_where){s->name, s->line, (int)(s->token - s->line_start) + 1};
}

static lmb_status refuse(const scan *s, const char *what) {
    return lmb_fail(
        s->err, LMB_ERR_INPUT, place(s),
        "%s '%.*s' in a .geo file: such a file is a program, and this is not known to be harmless; "
        "if you know where it comes from, run it with --trust",
        what, (int)(s->size > 60 ? 60 : s->size), s->token);
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void newline(scan *s) { s->line++, s->line_start = s->p; }

// white space and comments, as gmsh skips them
static lmb_status skip(scan *s) {
    while (s->p < s->end) {
        char c = *s->p;
        bool slash = c == '/' && s->p + 1 < s->end;
        if (c == '\n') s->p++, newline(s);
        else if (c == ' ' || c == '\t' || c == '\r') s->p++;
        else if (slash && s->p[1] == '/')
            while (s->p < s->end && *s->p != '\n') s->p++;
        else if (slash && s->p[1] == '*') {
            s->token = s->p, s->size = 2;
            for (s->p += 2; s->p + 1 < s->end && (s->p[0] != '*' || s->p[1] != '/');)
                if (*s->p++ == '\n') newline(s);
            if (s->p + 1 >= s->end) return refuse(s, "comment without an end");
            s->p += 2;
        } else break;
    }
    return LMB_OK;
}

// a text between quotes; no escapes, which programs read differently
static lmb_status take_text(scan *s, char quote) {
    s->token = ++s->p, s->kind = TEXT;
    while (s->p < s->end && *s->p != quote && *s->p != '\\' && *s->p != '\n') s->p++;
    s->size = (size_t)(s->p - s->token);
    if (s->p >= s->end || *s->p != quote) return refuse(s, "text with a backslash or without an end");
    s->p++;
    return LMB_OK;
}

static lmb_status next(scan *s) {
    lmb_status st = skip(s);
    s->token = s->p, s->size = 0, s->kind = END;
    if (st != LMB_OK || s->p >= s->end) return st;
    char c = *s->p;
    if (c == '"' || c == '\'') return take_text(s, c);
    s->kind = is_word(c) ? WORD : SIGN;
    for (s->size = 1; s->kind == WORD && s->p + s->size < s->end && is_word(s->p[s->size]);) s->size++;
    s->p += s->size;
    return c > 0x20 && c < 0x7f ? LMB_OK : refuse(s, "the character");
}

static bool is_sign(const scan *s, char c) { return s->kind == SIGN && *s->token == c; }
static bool word_is(const scan *s, const char *word) {
    return s->kind == WORD && strlen(word) == s->size && strncmp(s->token, word, s->size) == 0;
}

// ---- what words do -----------------------------------------------------------------------------

static bool ends_with(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

// beside the script or below, and what gmsh makes of it by its ending
static lmb_status read_file(scan *s, lmb_geo_use use, lmb_geo_file *file, void *user) {
    static const char *const shapes[] = {".step", ".stp", ".brep", ".iges", ".igs", ".stl", ".msh"};
    char name[1024];
    if (s->kind != TEXT || s->size == 0 || s->size >= sizeof name)
        return refuse(s, "a file that is not named plainly:");
    snprintf(name, sizeof name, "%.*s", (int)s->size, s->token);
    if (*name == '/' || strstr(name, "..")) return refuse(s, "a file outside the folder of the script:");
    bool known = use == LMB_GEO_SCRIPT && ends_with(name, ".geo");
    for (int i = 0; i < LMB_COUNT(shapes) && !known && use == LMB_GEO_SHAPE; i++)
        known = ends_with(name, shapes[i]);
    if (!known) return refuse(s, "a file of an unknown kind:");
    return file(user, name, use, place(s), s->err);
}

// Include "a.geo"; Merge "a.step"; ShapeFromFile("a.brep")
static lmb_status read_command(scan *s, lmb_geo_file *file, void *user) {
    bool include = word_is(s, "Include"), merge = word_is(s, "Merge");
    lmb_status st = next(s);
    if (st == LMB_OK && !include && !merge && is_sign(s, '(')) st = next(s);
    if (st != LMB_OK) return st;
    bool script = include || (merge && s->kind == TEXT && s->size > 4 &&
                              strncmp(s->token + s->size - 4, ".geo", 4) == 0);
    return read_file(s, script ? LMB_GEO_SCRIPT : LMB_GEO_SHAPE, file, user);
}

// Printf("..", a, b) may go on with > "file"
static lmb_status print_command(scan *s) {
    lmb_status st;
    while ((st = next(s)) == LMB_OK && s->kind != END && !is_sign(s, ';'))
        if (is_sign(s, '>')) return refuse(s, "output to a file by");
    return st;
}

// Mesh.Algorithm = 6
static lmb_status option(scan *s, const char *const *names, int count) {
    lmb_status st = next(s);
    if (st == LMB_OK && is_sign(s, '.')) st = next(s);
    else return st ? st : refuse(s, "something other than an option:");
    if (st == LMB_OK && names && !(s->kind == WORD && among(names, count, s->token, s->size)))
        return refuse(s, "the option");
    return st;
}

static lmb_status check_word(scan *s, lmb_geo_file *file, void *user) {
    if (word_is(s, "Include") || word_is(s, "Merge") || word_is(s, "ShapeFromFile"))
        return read_command(s, file, user);
    if (word_is(s, "Printf") || word_is(s, "Error") || word_is(s, "Warning")) return print_command(s);
    if (word_is(s, "General")) return option(s, general_options, LMB_COUNT(general_options));
    if (among(option_groups, LMB_COUNT(option_groups), s->token, s->size)) return option(s, NULL, 0);
    if (s->size == 7 && strncasecmp(s->token, "include", 7) == 0) return refuse(s, "the command");
    bool variable = !isupper((unsigned char)*s->token) || s->size < 4;
    if (variable || among(harmless, LMB_COUNT(harmless), s->token, s->size)) return LMB_OK;
    return refuse(s, "the word");
}

// gmsh (4.8) reads only the first statement of a last line that does not end
static lmb_status check_last_line(const scan *s) {
    const char *line = s->end;
    int statements = 0;
    while (line > s->text && line[-1] != '\n') line--;
    for (const char *p = line; p < s->end && (p + 1 == s->end || p[0] != '/' || p[1] != '/'); p++)
        statements += *p == ';';
    if (statements < 2) return LMB_OK;
    return lmb_fail(
        s->err, LMB_ERR_INPUT, (lmb_where){s->name, s->line, 1},
        "the last line has several statements and does not end: gmsh would read only the first of them; "
        "add a line break");
}

lmb_status lmb_geo_scan(const char *text, size_t length, const char *name, lmb_geo_file *file, void *user,
                        lmb_error *err) {
    scan s = {.text = text,
              .end = text + length,
              .p = text,
              .name = name,
              .line = 1,
              .line_start = text,
              .err = err};
    lmb_status st = next(&s);
    bool field = false, member = false; // behind ] . stands the option of a field
    while (st == LMB_OK && s.kind != END) {
        if (s.kind == WORD && !member) st = check_word(&s, file, user);
        member = field && is_sign(&s, '.');
        field = is_sign(&s, ']');
        if (st == LMB_OK) st = next(&s);
    }
    return st ? st : check_last_line(&s);
}
