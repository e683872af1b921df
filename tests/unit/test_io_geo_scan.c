// tests/unit/test_io_geo_scan.c: scripts of gmsh: geometry passes, what starts programs or touches files is refused by name.
#include "check.h"
#include "read/geo_scan.h"

#include <stdio.h>
#include <string.h>

static char read_names[200];

static lmb_status note(void *user, const char *name, lmb_geo_use use, lmb_where where, lmb_error *err) {
    (void)user, (void)where, (void)err;
    size_t n = strlen(read_names);
    snprintf(read_names + n, sizeof read_names - n, "%s%s ", use == LMB_GEO_SCRIPT ? "script " : "", name);
    return LMB_OK;
}

static lmb_status scan(const char *text, lmb_error *err) {
    *err = (lmb_error){0};
    read_names[0] = '\0';
    return lmb_geo_scan(text, strlen(text), "a.geo", note, NULL, err);
}

TEST(geometry_passes) {
    static const char *const good[] = {
        "",
        "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 40, 10, 10};\nPhysical Volume(\"all\") = {1};\n",
        "lc = 0.1; L = 2*Pi; n~{3} = Sqrt(2); // SystemCall \"rm\"\n/* Merge \"x\"; */ Point(1) = {0, 0};\n",
        "For i In {0:3}\n  If (i > 1) Translate {i, 0, 0} { Duplicata { Volume{1}; } } EndIf\nEndFor\n",
        "Field[1] = Distance; Field[1].CurvesList = {1, 2}; Background Field = 1;\n",
        "Mesh.Algorithm = 6; Geometry.Tolerance = 1e-6; General.Terminal = 1; Mesh.MeshSizeMax = 3;\n",
        "Printf(\"volume %g\", a);",
        "a() = Surface In BoundingBox {-1, -1, -1, 1, 1, 1};",
    };
    lmb_error err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK_OK(scan(good[i], &err), err);
}

TEST(files_that_are_read_are_named) {
    lmb_error err;
    CHECK_OK(scan("Include \"lib/round.geo\";\nv() = ShapeFromFile(\"part.brep\");\nMerge \"a.step\"; Merge "
                  "\"b.geo\";\n",
                  &err),
             err);
    CHECK_TEXT(read_names, "script lib/round.geo part.brep a.step script b.geo ");
}

// gmsh reads only the first statement of a last line without its end, and says nothing
TEST(last_lines_end) {
    lmb_error err;
    CHECK_OK(scan("a = 1;\nb = 2;", &err), err);
    CHECK_OK(scan("a = 1;\nb = 2; // c; d;", &err), err);
    CHECK(scan("a = 1;\nb = 2; c = 3;", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "gmsh would read only the first of them");
    CHECK(err.line == 2);
}

TEST(programs_are_refused) {
    static const struct {
        const char *text, *word;
        int line, col;
    } bad[] = {
        {"Box(1) = {0, 0, 0, 1, 1, 1};\n  SystemCall \"touch x\";", "SystemCall", 2, 3},
        {"NonBlockingSystemCall \"x\";", "NonBlockingSystemCall", 1, 1},
        {"Save \"/etc/x\";", "Save", 1, 1},
        {"Print \"x.msh\";", "Print", 1, 1},
        {"a = GetEnv(\"HOME\");", "GetEnv", 1, 5},
        {"OnelabRun(\"x\", \"sh\");", "OnelabRun", 1, 1},
        {"CreateDir \"x\";", "CreateDir", 1, 1},
        {"Printf(\"x\") > \"file\";", ">", 1, 13},
        {"Printf(\"x\") >> StrCat(\"a\", \"b\");", ">", 1, 13},
        {"Merge \"/etc/passwd\";", "/etc/passwd", 1, 8},
        {"Merge \"../up.step\";", "../up.step", 1, 8},
        {"Merge \"a.pos\";", "a.pos", 1, 8},
        {"Include StrCat(\"a\", \".geo\");", "StrCat", 1, 9},
        {"Merge name;", "name", 1, 7},
        {"Field[1] = ExternalProcess; Field[1].CommandLine = \"sh\";", "ExternalProcess", 1, 12},
        {"Solver.Executable0 = \"sh\";", "Solver", 1, 1},
        {"General.Editor = \"sh\";", "Editor", 1, 9},
        {"Plugin(Skin).Run;", "Plugin", 1, 1},
        {"a = \"\\\"; SystemCall \"x\";", "", 1, 6},
        {"a = \"open", "open", 1, 6},
        {"/* open", "/*", 1, 1},
        {"SystemCall = 1;", "SystemCall", 1, 1},
        {"#include \"x.geo\"", "include", 1, 2},
        {"DefineConstant[a = {1, Name \"x\"}]; NewCommand \"x\";", "NewCommand", 1, 36},
    };
    lmb_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_note("%s", bad[i].text);
        CHECK(scan(bad[i].text, &err) == LMB_ERR_INPUT);
        CHECK(err.line == bad[i].line && err.col == bad[i].col);
        CHECK_CONTAINS(err.text, bad[i].word);
        CHECK_CONTAINS(err.text, "--trust");
    }
}
