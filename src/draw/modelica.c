// draw/modelica.c: a flexible body as a model in Modelica, with frames of the MultiBody library.
//
// The data are those of a body in the floating frame (docs/theory/reduction.md (5)), the equations those of modal.md (2) in terms of them:
//   | m I    -mc~   Ct' |  | a   |   | h_r |   | f |
//   | mc~     J     Cr' |  | w'  | = | h_t | + | t | - | 0        |        a = R'(r'' - g)
//   | Ct      Cr    I6  |  | q'' |   | h_q |   | p |   | K q + D q' |
// Geometric stiffness as with `papers`: of inertia loads and of loads at interfaces, in the last row.
// Interface i has the axes exp(th~) A, th = P q, and the angular velocity w + Jl(th) th'.
//
// G. Ferretti, A. Leva, B. Scaglioni: Object-oriented modelling of general flexible multibody systems. Mathematical and Computer
// Modelling of Dynamical Systems 20 (2014).
#include "draw/exports.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "reduce/flex.h"
#include "store/flex_file.h"

#include <ctype.h>
#include <string.h>

enum { NAME = 80 };
typedef struct writer {
    FILE *f;
    const lmb_flex *body;
    const char *name;     // of the model
    int *interfaces;      // indices of markers
    char (*frames)[NAME]; // their names
    int count;
    bool stiff; // it has geometric stiffness
} writer;

// ---- names ---------------------------------------------------------------------------------------

static bool is_taken(char (*names)[NAME], int count, const char *name) {
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0) return true;
    return false;
}

// what is no letter, digit or _ becomes _; names that become equal get a number
static void set_name(char (*names)[NAME], int i, const char *of) {
    char start[NAME - 20];
    snprintf(start, sizeof start, "frame_%s", of);
    for (char *c = start; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    snprintf(names[i], NAME, "%s", start);
    for (int k = 2; is_taken(names, i, names[i]); k++) snprintf(names[i], NAME, "%s_%d", start, k);
}

static bool is_keyword(const char *name) {
    static const char *const words[] = {
        "algorithm",   "and",      "annotation", "block",     "break",       "class",        "connect",
        "connector",   "each",     "else",       "elseif",    "elsewhen",    "encapsulated", "end",
        "enumeration", "equation", "expandable", "extends",   "external",    "false",        "final",
        "flow",        "for",      "function",   "if",        "import",      "impure",       "in",
        "initial",     "inner",    "input",      "loop",      "model",       "not",          "operator",
        "or",          "outer",    "output",     "package",   "parameter",   "partial",      "protected",
        "public",      "pure",     "record",     "redeclare", "replaceable", "return",       "stream",
        "then",        "true",     "type",       "when",      "while",       "within",       "Modelica"};
    for (int i = 0; i < LMB_COUNT(words); i++)
        if (strcmp(words[i], name) == 0) return true;
    return false;
}

// the model has the name of its file, which tools expect
static lmb_status model_name(char *out, size_t size, const char *path, lmb_error *err) {
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    size_t n = strlen(stem) - strlen(".mo");
    bool good = n > 0 && n < size && !isdigit((unsigned char)stem[0]);
    for (size_t i = 0; i < n && good; i++) good = isalnum((unsigned char)stem[i]) || stem[i] == '_';
    if (good) memcpy(out, stem, n), out[n] = '\0';
    if (good && !is_keyword(out)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.300s': the model has the name of its file, which must be an identifier of Modelica: "
                    "letters, digits and _, such as Arm.mo",
                    stem);
}

// ---- numbers -------------------------------------------------------------------------------------

typedef struct array {
    const char *name, *meaning;
    int dims, dim[4];
    const double *v; // row-major
} array;

// how many levels begin at element i, or end before it
static int borders(const array *a, size_t i) {
    int levels = 0;
    size_t block = 1;
    for (int k = a->dims - 1; k >= 0; k--, levels++) {
        block *= (size_t)a->dim[k];
        if (i % block != 0) break;
    }
    return levels;
}

static void write_array(FILE *f, array a) {
    size_t count = 1;
    fprintf(f, "    parameter Real %s[", a.name);
    for (int i = 0; i < a.dims; i++) {
        fprintf(f, "%s%d", i ? ", " : "", a.dim[i]);
        count *= (size_t)a.dim[i];
    }
    fputs("] = ", f);
    for (size_t i = 0; i < count; i++) {
        int levels = borders(&a, i);
        for (int k = 0; k < levels && i > 0; k++) fputc('}', f);
        if (i > 0) fputs(levels > 0 ? ",\n      " : ", ", f);
        for (int k = 0; k < levels; k++) fputc('{', f);
        fprintf(f, "%.17g", a.v[i]);
    }
    for (int k = 0; k < a.dims; k++) fputc('}', f);
    fprintf(f, " \"%s\";\n", a.meaning);
}

// [j][i] of columns [i][j]: count x 3
static void columns(double *out, const double *v, int count) {
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) out[a * count + i] = v[3 * i + a];
}

static void write_invariants(writer *w, double *room) {
    const lmb_flex *b = w->body;
    int m = b->m;
    FILE *f = w->f;
    double I2[3];
    v3_store(I2, b->I2);
    fprintf(f, "    parameter Real inv1 = %.17g \"mass\";\n", b->I1);
    write_array(f, (array){"inv2", "int rho x", 1, {3}, I2});
    columns(room, b->I3, m);
    write_array(f, (array){"inv3", "int rho s_i, columns", 2, {3, m}, room});
    columns(room, b->I4, m);
    write_array(f, (array){"inv4", "int rho skew(x)*s_i, columns", 2, {3, m}, room});
    for (int i = 0; i < m; i++)
        columns(room + (size_t)i * 3 * (size_t)m, b->I5 + (size_t)i * 3 * (size_t)m, m);
    write_array(f, (array){"inv5", "int rho skew(s_i)*s_j", 3, {m, 3, m}, room});
    write_array(f, (array){"inv6", "int rho s_i*s_j", 2, {m, m}, b->I6});
    write_array(f, (array){"inv7", "int rho transpose(skew(x))*skew(x)", 2, {3, 3}, &b->I7.m[0][0]});
    write_array(f, (array){"inv8", "int rho skew(x)*skew(s_i)", 3, {m, 3, 3}, b->I8});
    write_array(f, (array){"inv9", "int rho skew(s_i)*skew(s_j)", 4, {m, m, 3, 3}, b->I9});
    fputs("    parameter Real inv10[3, 3, M] = moments10(inv8) \"int rho x_a*s_i,b\";\n"
          "    parameter Real inv11[3, 3, M, M] = moments11(inv9) \"int rho s_i,a*s_j,b\";\n",
          f);
}

static void write_interfaces(writer *w, double *room) {
    size_t row = 3 * (size_t)w->body->m;
    int m = w->body->m, n = w->count;
    double x[3], *S = room, *P = S + (size_t)n * row;
    fprintf(w->f, "    parameter Real x[%d, 3] = {", n);
    for (int i = 0; i < n; i++) {
        const lmb_flex_marker *k = &w->body->markers[w->interfaces[i]];
        v3_store(x, k->x);
        fprintf(w->f, "%s{%.17g, %.17g, %.17g}", i ? ", " : "", x[0], x[1], x[2]);
        memcpy(S + (size_t)i * row, k->S, row * sizeof *S),
            memcpy(P + (size_t)i * row, k->P, row * sizeof *P);
    }
    fputs("} \"undeformed positions of the interfaces\";\n", w->f);
    fputs(
        "    parameter Real A[Nc, 3, 3] = {identity(3) for i in 1:Nc} \"their axes, columns, undeformed\";\n",
        w->f);
    write_array(w->f, (array){"S", "their displacements by unit q", 3, {n, 3, m}, S});
    write_array(w->f, (array){"P", "their rotations by unit q", 3, {n, 3, m}, P});
}

// 12 inertia loads; 6 loads at every interface, zero where there is none
static void write_stiffness(writer *w, double *room) {
    const lmb_flex *b = w->body;
    size_t mm = (size_t)b->m * (size_t)b->m;
    for (size_t k = 0; k < LMB_INERTIA_LOADS; k++)
        memcpy(room + k * mm, b->stiffening[k].Kg, mm * sizeof *room);
    write_array(w->f,
                (array){"Kg",
                        "geometric stiffness of w_x^2, w_y^2, w_z^2, w_x w_y, w_y w_z, w_z w_x, a, der(w)",
                        3,
                        {LMB_INERTIA_LOADS, b->m, b->m},
                        room});
    memset(room, 0, 6 * (size_t)w->count * mm * sizeof *room);
    for (int k = LMB_INERTIA_LOADS; k < b->stiffening_count; k++)
        for (int i = 0; i < w->count; i++)
            if (b->stiffening[k].marker == w->interfaces[i])
                memcpy(room + (size_t)(6 * i + b->stiffening[k].index) * mm, b->stiffening[k].Kg,
                       mm * sizeof *room);
    write_array(w->f, (array){"Kf",
                              "geometric stiffness of a unit force and torque at each interface",
                              4,
                              {w->count, 6, b->m, b->m},
                              room});
}

static lmb_status write_data(writer *w, lmb_error *err) {
    const lmb_flex *b = w->body;
    size_t m = (size_t)b->m, n = (size_t)w->count,
           loads = LMB_INERTIA_LOADS > 6 * n ? LMB_INERTIA_LOADS : 6 * n;
    double *room = lmb_alloc(3 * m * m + loads * m * m + 6 * n * m + 6 * m, sizeof *room);
    if (room == NULL) return lmb_fail_memory(err);
    fprintf(w->f,
            "  record BodyData \"data of the body\"\n    parameter Integer M = %d \"shape functions\";\n"
            "    parameter Integer Nc = %d \"interfaces\";\n",
            b->m, w->count);
    write_invariants(w, room);
    write_array(w->f, (array){"K", "stiffness", 2, {b->m, b->m}, b->K});
    write_array(w->f, (array){"D", "damping", 2, {b->m, b->m}, b->D});
    write_interfaces(w, room);
    if (w->stiff) write_stiffness(w, room);
    fputs("  end BodyData;\n\n", w->f);
    lmb_free(room);
    return LMB_OK;
}

// ---- text ------------------------------------------------------------------------------------------

// clang-format off
static const char functions[] =
    "  function moments10 \"(A14) of Ferretti, Leva and Scaglioni\"\n"
    "    input Real inv8[:, 3, 3];\n"
    "    output Real inv10[3, 3, size(inv8, 1)];\n"
    "  algorithm\n"
    "    for k in 1:size(inv8, 1) loop\n"
    "      for i in 1:3 loop\n"
    "        for j in 1:3 loop\n"
    "          inv10[i, j, k] := if i == j then inv8[k, i, i] - (inv8[k, 1, 1] + inv8[k, 2, 2] + inv8[k, 3, 3])/2 else inv8[k, j, i];\n"
    "        end for;\n"
    "      end for;\n"
    "    end for;\n"
    "  end moments10;\n\n"
    "  function moments11 \"(A15)\"\n"
    "    input Real inv9[:, :, 3, 3];\n"
    "    output Real inv11[3, 3, size(inv9, 1), size(inv9, 1)];\n"
    "  algorithm\n"
    "    for k in 1:size(inv9, 1) loop\n"
    "      for l in 1:size(inv9, 1) loop\n"
    "        for i in 1:3 loop\n"
    "          for j in 1:3 loop\n"
    "            inv11[i, j, k, l] := if i == j then inv9[k, l, i, i] - (inv9[k, l, 1, 1] + inv9[k, l, 2, 2] + inv9[k, l, 3, 3])/2 else inv9[k, l, j, i];\n"
    "          end for;\n"
    "        end for;\n"
    "      end for;\n"
    "    end for;\n"
    "  end moments11;\n\n"
    "  function rotation \"exp(skew(th))\"\n"
    "    input Real th[3];\n"
    "    output Real E[3, 3];\n"
    "  protected\n"
    "    Real n;\n"
    "    Real s;\n"
    "    Real c;\n"
    "  algorithm\n"
    "    n := th*th;\n"
    "    s := if n < 1e-6 then 1 - n/6 + n^2/120 else sin(sqrt(n))/sqrt(n);\n"
    "    c := if n < 1e-6 then 1/2 - n/24 + n^2/720 else (1 - cos(sqrt(n)))/n;\n"
    "    E := identity(3) + s*skew(th) + c*skew(th)*skew(th);\n"
    "    annotation(Inline = true, smoothOrder = 3);\n"
    "  end rotation;\n\n"
    "  function rate \"angular velocity by der(th), axes of the body\"\n"
    "    input Real th[3];\n"
    "    output Real J[3, 3];\n"
    "  protected\n"
    "    Real n;\n"
    "    Real c;\n"
    "    Real d;\n"
    "  algorithm\n"
    "    n := th*th;\n"
    "    c := if n < 1e-6 then 1/2 - n/24 + n^2/720 else (1 - cos(sqrt(n)))/n;\n"
    "    d := if n < 1e-6 then 1/6 - n/120 + n^2/5040 else (1 - sin(sqrt(n))/sqrt(n))/n;\n"
    "    J := identity(3) + c*skew(th) + d*skew(th)*skew(th);\n"
    "    annotation(Inline = true, smoothOrder = 3);\n"
    "  end rate;\n\n";

static const char variables[] =
    "  Real q[data.M](each start = 0, each stateSelect = StateSelect.prefer) \"elastic coordinates\";\n"
    "  Real dq[data.M](each start = 0, each stateSelect = StateSelect.prefer);\n"
    "  Real ddq[data.M];\n"
    "protected\n"
    "  MB.Interfaces.Frame_b reference \"the floating frame\";\n"
    "  MB.Frames.Quaternions.Orientation Q(start = {0, 0, 0, 1}, each stateSelect = StateSelect.default) \"its orientation if nothing else gives it\";\n"
    "  Real v_0[3](each unit = \"m/s\") \"its velocity, world axes\";\n"
    "  Real a[3](each unit = \"m/s2\") \"its acceleration minus gravity, own axes\";\n"
    "  Real w[3](each unit = \"rad/s\") \"its angular velocity, own axes\";\n"
    "  Real z[3](each unit = \"rad/s2\");\n"
    "  MB.Frames.Orientation R[data.Nc] \"of the interfaces against it\";\n"
    "  Real u[data.Nc, 3] \"their positions\";\n"
    "  Real th[data.Nc, 3] \"their rotations\";\n"
    "  Real f[data.Nc, 3] \"forces on them, axes of the floating frame\";\n"
    "  Real t[data.Nc, 3] \"torques\";\n"
    "  Real m[data.Nc, 3] \"torques about the origin of the floating frame\";\n"
    "  Real y[data.Nc, 3] \"torques that do work on der(th)\";\n"
    "  Real mc[3] \"first moment of mass\";\n"
    "  Real Cr[3, data.M];\n"
    "  Real J[3, 3] \"inertia\";\n"
    "  Real dJ[3, 3];\n"
    "  Real d[3, 3, data.M] \"int rho u_a*s_i,b\";\n"
    "  Real h_r[3] \"centrifugal and Coriolis forces\";\n"
    "  Real h_t[3];\n"
    "  Real h_q[data.M];\n"
    "  Real p[data.M] \"loads on q\";\n"
    "  Real g[data.M] \"by geometric stiffness\";\n";

static const char frame_equations[] =
    "  Connections.potentialRoot(reference.R);\n"
    "  if Connections.isRoot(reference.R) then\n"
    "    {0} = MB.Frames.Quaternions.orientationConstraint(Q);\n"
    "    reference.R = MB.Frames.from_Q(Q, MB.Frames.Quaternions.angularVelocity2(Q, der(Q)));\n"
    "  else\n"
    "    Q = {0, 0, 0, 1};\n"
    "  end if;\n"
    "  v_0 = der(reference.r_0);\n"
    "  a = MB.Frames.resolve2(reference.R, der(v_0) - world.gravityAcceleration(reference.r_0));\n"
    "  w = MB.Frames.angularVelocity2(reference.R);\n"
    "  z = der(w);\n"
    "  dq = der(q);\n"
    "  ddq = der(dq);\n"
    "  for i in 1:data.Nc loop\n"
    "    u[i, :] = data.x[i, :] + data.S[i, :, :]*q;\n"
    "    th[i, :] = data.P[i, :, :]*q;\n"
    "    R[i].T = transpose(rotation(th[i, :])*data.A[i, :, :]);\n"
    "    R[i].w = R[i].T*rate(th[i, :])*data.P[i, :, :]*dq;\n"
    "    m[i, :] = t[i, :] + cross(u[i, :], f[i, :]);\n"
    "    y[i, :] = transpose(rate(th[i, :]))*t[i, :];\n"
    "  end for;\n";

static const char body_equations[] =
    "  mc = data.inv2 + data.inv3*q;\n"
    "  for i in 1:3 loop\n"
    "    Cr[i, :] = data.inv4[i, :] + q*data.inv5[:, i, :];\n"
    "    for j in 1:3 loop\n"
    "      J[i, j] = data.inv7[i, j] - (data.inv8[:, i, j] + data.inv8[:, j, i])*q - q*data.inv9[:, :, i, j]*q;\n"
    "      dJ[i, j] = -(data.inv8[:, i, j] + data.inv8[:, j, i])*dq - dq*data.inv9[:, :, i, j]*q - q*data.inv9[:, :, i, j]*dq;\n"
    "      d[i, j, :] = data.inv10[i, j, :] + q*data.inv11[i, j, :, :];\n"
    "    end for;\n"
    "  end for;\n"
    "  h_r = -cross(w, cross(w, mc)) - 2*cross(w, data.inv3*dq);\n"
    "  h_t = -cross(w, J*w) - dJ*w - cross(w, Cr*dq);\n"
    "  for k in 1:data.M loop\n"
    "    h_q[k] = w*w*(d[1, 1, k] + d[2, 2, k] + d[3, 3, k]) - w*d[:, :, k]*w\n"
    "      - 2*(w[1]*(data.inv11[3, 2, k, :] - data.inv11[2, 3, k, :]) + w[2]*(data.inv11[1, 3, k, :] - data.inv11[3, 1, k, :])\n"
    "      + w[3]*(data.inv11[2, 1, k, :] - data.inv11[1, 2, k, :]))*dq;\n"
    "    p[k] = sum(data.S[i, :, k]*f[i, :] + data.P[i, :, k]*y[i, :] for i in 1:data.Nc);\n"
    "  end for;\n"
    "  data.inv1*a + cross(z, mc) + data.inv3*ddq = h_r + {sum(f[:, i]) for i in 1:3};\n"
    "  cross(mc, a) + J*z + Cr*ddq = h_t + {sum(m[:, i]) for i in 1:3};\n"
    "  transpose(data.inv3)*a + transpose(Cr)*z + data.inv6*ddq = h_q + p - g - data.K*q - data.D*dq;\n";

static const char stiffness[] =
    "  L = {w[1]^2, w[2]^2, w[3]^2, w[1]*w[2], w[2]*w[3], w[3]*w[1], a[1], a[2], a[3], z[1], z[2], z[3]};\n"
    "  for k in 1:data.M loop\n"
    "    g[k] = if geometricStiffening then sum(L[l]*data.Kg[l, k, :]*q for l in 1:12)\n"
    "      + sum(sum(f[i, c]*data.Kf[i, c, k, :]*q + y[i, c]*data.Kf[i, 3 + c, k, :]*q for c in 1:3) for i in 1:data.Nc) else 0;\n"
    "  end for;\n";
static const char no_stiffness[] = "  g = zeros(data.M);\n";
// clang-format on

static void write_head(const writer *w) {
    const lmb_flex *b = w->body;
    fprintf(w->f, "model %s \"flexible body, written by limber %s\"\n", w->name, lmb_version());
    fprintf(
        w->f,
        "  // %d shape functions, %d interfaces. Needs the Modelica Standard Library (3.2 or later) and a\n"
        "  // component `inner Modelica.Mechanics.MultiBody.World world`, whose gravity acts on the body.\n",
        b->m, w->count);
    if (w->stiff)
        fputs("  // Geometric stiffening: stiffness of inertia loads and of loads at interfaces, as with\n"
              "  // `geometric_stiffening: papers` in limber. limber's default (on) also moves mass and "
              "interfaces by the\n"
              "  // displacement of second order, which conserves energy exactly; the difference is of "
              "second order in q.\n",
              w->f);
    else fputs("  // Without geometric stiffening: the body file has none.\n", w->f);
    fputs("  import MB = Modelica.Mechanics.MultiBody;\n\n", w->f);
}

static void write_frames(const writer *w) {
    for (int i = 0; i < w->count; i++)
        fprintf(w->f,
                "  MB.Interfaces.Frame_%c %s \"interface\" annotation(Placement(transformation(extent = "
                "{{%d, -16}, {%d, 16}})));\n",
                i == 0 ? 'a' : 'b', w->frames[i], i == 0 ? -116 : 84, i == 0 ? -84 : 116);
}

// positions, axes and loads of the interfaces; the axes follow from where the root is
static void write_connections(const writer *w) {
    for (int i = 0; i < w->count; i++) {
        const char *name = w->frames[i];
        fprintf(w->f,
                "  Connections.branch(%s.R, reference.R);\n"
                "  %s.r_0 = reference.r_0 + MB.Frames.resolve1(reference.R, u[%d, :]);\n"
                "  if Connections.rooted(%s.R) then\n"
                "    reference.R = MB.Frames.absoluteRotation(%s.R, MB.Frames.inverseRotation(R[%d]));\n"
                "  else\n"
                "    %s.R = MB.Frames.absoluteRotation(reference.R, R[%d]);\n"
                "  end if;\n"
                "  f[%d, :] = MB.Frames.resolve1(R[%d], %s.f);\n"
                "  t[%d, :] = MB.Frames.resolve1(R[%d], %s.t);\n",
                name, name, i + 1, name, name, i + 1, name, i + 1, i + 1, i + 1, name, i + 1, i + 1, name);
    }
}

static lmb_status write_model(writer *w, lmb_error *err) {
    write_head(w);
    fputs(functions, w->f);
    lmb_status st = write_data(w, err);
    if (st != LMB_OK) return st;
    fputs("  outer MB.World world;\n", w->f);
    write_frames(w);
    fputs("  parameter BodyData data;\n", w->f);
    if (w->stiff) fputs("  parameter Boolean geometricStiffening = true;\n", w->f);
    fputs(variables, w->f);
    if (w->stiff) fputs("  Real L[12] \"loads of geometric stiffness\";\n", w->f);
    fputs("equation\n", w->f);
    fputs(frame_equations, w->f);
    write_connections(w);
    fputs(body_equations, w->f);
    fputs(w->stiff ? stiffness : no_stiffness, w->f);
    fprintf(w->f, "end %s;\n", w->name);
    return LMB_OK;
}

// ---- the file --------------------------------------------------------------------------------------

// interfaces, and whether there is geometric stiffness
static lmb_status look(writer *w, const char *path, lmb_error *err) {
    const lmb_flex *b = w->body;
    w->interfaces = lmb_alloc((size_t)b->marker_count + 1, sizeof *w->interfaces);
    w->frames = lmb_alloc((size_t)b->marker_count + 1, sizeof *w->frames);
    if (w->interfaces == NULL || w->frames == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < b->marker_count; i++) {
        if (!b->markers[i].interface) continue;
        set_name(w->frames, w->count, b->markers[i].name);
        w->interfaces[w->count++] = i;
    }
    w->stiff = b->stiffening_count >= LMB_INERTIA_LOADS;
    if (b->m > 0 && w->count > 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s' has no %s: a model in Modelica needs them%s",
                    path, b->m == 0 ? "shape functions" : "interfaces",
                    b->m == 0 ? "; use the rigid Body of the MultiBody library" : " to be connected");
}

lmb_status lmb_export_mo_file(const char *path, const char *body, const lmb_export_options *options,
                              lmb_error *err) {
    (void)options;
    char name[256];
    lmb_flex *f = NULL;
    if (!lmb_flex_file_is(body))
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "'%.300s' is not a body file: a model in Modelica is made of one body (limber reduce)", body);
    lmb_status st = model_name(name, sizeof name, path, err);
    if (st == LMB_OK) st = lmb_flex_read_file(&f, body, err);
    if (st != LMB_OK) return st;
    writer w = {.body = f, .name = name};
    lmb_outfile out;
    lmb_plain_locale locale = lmb_locale_begin();
    st = look(&w, body, err);
    if (st == LMB_OK) st = lmb_outfile_open(&out, path, body, err);
    if (st == LMB_OK) {
        w.f = out.f;
        st = lmb_outfile_close(&out, write_model(&w, err), err);
    }
    lmb_locale_end(locale);
    lmb_free(w.interfaces), lmb_free(w.frames);
    lmb_flex_destroy(f);
    return st;
}
