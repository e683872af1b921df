// tests of mesh/msh.c and msh_build.c.  The files of tests/fuzz/corpus/msh were written by Gmsh 4.8.4: blocks of
// 1 x 2 x 3 with the physical groups bottom (z = 0), top (z = 3), block, corner (x = y = 0) and edge.
#include "check.h"
#include "mesh_help.h"

#include <stdio.h>
#include <string.h>

static lmb_mesh *read_corpus(const char *name) {
    char path[256];
    lmb_text text = {0};
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    snprintf(path, sizeof path, "tests/fuzz/corpus/msh/%s", name);
    if (mesh_text(&text, check_source(path)))
        CHECK_OK(lmb_mesh_read_msh(&m, text.text, text.length, name, &err), err);
    lmb_text_free(&text);
    return m;
}

// nodes of a set all lie at z
static bool all_at(const lmb_mesh *m, int set, double z) {
    bool at = set >= 0 && m->sets[set].count > 0;
    for (int i = 0; at && i < m->sets[set].count; i++) at = fabs(m->x[m->sets[set].items[i]].z - z) < 1e-12;
    return at;
}

static void check_block(const char *name, const char *element, int count, int nodes, int face_nodes) {
    lmb_mesh *m = read_corpus(name);
    if (m == NULL) return;
    if (!CHECK(m->element_count == count && m->node_count == nodes)) check_note("%s", name);
    CHECK_TEXT(m->elements[0].ops->name, element);
    CHECK(mesh_worst(m) > 0.1);
    CHECK_NEAR(mesh_volume(m), 6, 1e-12);       // roundings of the coordinates (16 digits) and of the sum
    CHECK_NEAR(mesh_middle_error(m), 0, 1e-11); // Gmsh places nodes on curves to about 1e-12
    int bottom = lmb_mesh_find_set(m, "bottom", LMB_SET_FACES),
        top = lmb_mesh_find_set(m, "top", LMB_SET_FACES);
    int block = lmb_mesh_find_set(m, "block", LMB_SET_ELEMENTS),
        corner = lmb_mesh_find_set(m, "corner", LMB_SET_NODES);
    int edge = lmb_mesh_find_set(m, "edge", LMB_SET_NODES),
        plane = lmb_mesh_find_set(m, "bottom", LMB_SET_NODES);
    CHECK(bottom >= 0 && top >= 0 && block >= 0 && corner >= 0 && edge >= 0);
    CHECK(m->sets[block].count == count && m->sets[corner].count == 1 && m->sets[edge].count >= 2);
    vec3 o = m->x[m->sets[corner].items[0]];
    CHECK(o.x == 0 && o.y == 0);
    CHECK_NEAR(mesh_area(m, bottom), 2, 1e-12);
    CHECK_NEAR(mesh_area(m, top), 2, 1e-12);
    CHECK(m->sets[plane].count == face_nodes);
    CHECK(all_at(m, plane, 0) && all_at(m, lmb_mesh_find_set(m, "top", LMB_SET_NODES), 3));
    lmb_mesh_destroy(m);
}

TEST(msh_elements) {
    check_block("hex_1_41.msh", "hex8", 2, 12, 4);
    check_block("hex_2_41.msh", "hex20", 2, 32, 8);
    check_block("hex_2_22.msh", "hex20", 2, 32, 8);
    check_block("hex_2_41b.msh", "hex20", 2, 32, 8);
    check_block("hex_2_22b.msh", "hex20", 2, 32, 8);
    check_block("hex_27_41.msh", "hex20", 2, 45, 8);
    check_block("hex_1_all.msh", "hex8", 2, 12, 4);
    check_block("wedge_1_41.msh", "wedge6", 4, 12, 4);
    check_block("wedge_2_41.msh", "wedge15", 4, 35, 9);
    check_block("wedge_2_22.msh", "wedge15", 4, 35, 9);
    check_block("wedge_18_41.msh", "wedge15", 4, 45, 9);
}

TEST(msh_tetrahedra) {
    lmb_mesh *m = read_corpus("tet_2_41.msh");
    if (m == NULL) return;
    int n = m->node_count, e = m->element_count, face = lmb_mesh_find_set(m, "bottom", LMB_SET_NODES);
    int face_nodes = m->sets[face].count;
    lmb_mesh_destroy(m);
    check_block("tet_2_41.msh", "tet10", e, n, face_nodes);
    check_block("tet_2_41p.msh", "tet10", e, n, face_nodes);
    check_block("tet_2_41b.msh", "tet10", e, n, face_nodes);
    check_block("tet_2_22.msh", "tet10", e, n, face_nodes);
    check_block("tet_2_22b.msh", "tet10", e, n, face_nodes);
    m = read_corpus("tet_1_41.msh");
    if (m == NULL) return;
    CHECK_TEXT(m->elements[0].ops->name, "tet4");
    CHECK_NEAR(mesh_volume(m), 6, 1e-12);
    lmb_mesh_destroy(m);
}

// the same mesh in four formats: the same nodes and the same elements
static void check_same(const char *a, const char *b) {
    lmb_mesh *p = read_corpus(a), *q = read_corpus(b);
    bool same = p != NULL && q != NULL && p->node_count == q->node_count &&
                p->element_count == q->element_count && p->nodes_of_count == q->nodes_of_count &&
                p->set_count == q->set_count;
    CHECK(same);
    double far = 0;
    // text has 16 digits; the elements of both files come in the same order
    for (int i = 0; same && i < p->nodes_of_count; i++)
        far = fmax(far, v3_norm(v3_sub(p->x[p->nodes_of[i]], q->x[q->nodes_of[i]])));
    CHECK_NEAR(far, 0, 1e-14);
    for (int i = 0; same && i < p->set_count; i++) {
        int k = lmb_mesh_find_set(q, p->sets[i].name, p->sets[i].kind);
        CHECK(k >= 0 && q->sets[k].count == p->sets[i].count);
    }
    lmb_mesh_destroy(p);
    lmb_mesh_destroy(q);
}

TEST(msh_formats_agree) {
    check_same("hex_2_41.msh", "hex_2_41b.msh");
    check_same("hex_2_41.msh", "hex_2_22.msh");
    check_same("hex_2_41.msh", "hex_2_22b.msh");
    check_same("tet_2_41.msh", "tet_2_41b.msh");
    check_same("tet_2_41.msh", "tet_2_22.msh");
    check_same("tet_2_41.msh", "tet_2_22b.msh");
    check_same("tet_2_41.msh", "tet_2_41p.msh");
    check_same("wedge_2_41.msh", "wedge_2_22.msh");
}

TEST(msh_shells_and_beams) {
    lmb_mesh *m = read_corpus("shell_41.msh");
    if (m == NULL) return;
    CHECK(m->element_count == 8);
    CHECK_TEXT(m->elements[0].ops->name, "tri3");
    int plate = lmb_mesh_find_set(m, "plate", LMB_SET_ELEMENTS),
        side = lmb_mesh_find_set(m, "PhysicalLine7", LMB_SET_NODES);
    CHECK(plate >= 0 && m->sets[plate].count == 8 && side >= 0 && m->sets[side].count == 3);
    CHECK(lmb_mesh_find_set(m, "plate", LMB_SET_FACES) == -1);
    lmb_mesh_destroy(m);
    m = read_corpus("beam_22.msh");
    if (m == NULL) return;
    CHECK(m->element_count == 3 && m->node_count == 4);
    CHECK_TEXT(m->elements[0].ops->name, "beam");
    int tip = lmb_mesh_find_set(m, "tip", LMB_SET_NODES);
    CHECK(tip >= 0 && m->sets[tip].count == 1 && m->x[m->sets[tip].items[0]].x == 1);
    CHECK(lmb_mesh_find_set(m, "beam", LMB_SET_ELEMENTS) >= 0);
    lmb_mesh_destroy(m);
}

// version 2 lists an element once for each of its groups
TEST(msh_element_in_two_groups) {
    lmb_mesh *m = read_corpus("hex_twice_22.msh");
    if (m == NULL) return;
    CHECK(m->element_count == 2);
    CHECK_NEAR(mesh_volume(m), 6, 1e-12);
    int block = lmb_mesh_find_set(m, "block", LMB_SET_ELEMENTS),
        again = lmb_mesh_find_set(m, "again", LMB_SET_ELEMENTS);
    CHECK(block >= 0 && again >= 0 && m->sets[block].count == 2 && m->sets[again].count == 2);
    lmb_mesh_destroy(m);
}

TEST(msh_remarks) {
    lmb_mesh *m = read_corpus("hex_27_41.msh");
    if (m == NULL) return;
    CHECK_CONTAINS(m->ignored.text, "hex27 read as hex20");
    lmb_mesh_destroy(m);
    const char *text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 9 \"nothing\"\n$EndPhysicalNames\n"
        "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$NodeData\n1\n2\n$EndNodeData\n"
        "$Elements\n1\n5 4 2 0 1 1 2 3 4\n$EndElements\n";
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_read_msh(&m, text, strlen(text), "t.msh", &err), err)) return;
    CHECK_CONTAINS(m->ignored.text, "t.msh:15: $NodeData (2 lines)");
    CHECK_CONTAINS(m->ignored.text, "t.msh:6: physical group \"nothing\" has no elements");
    CHECK(m->elements[0].line == 21 && m->elements[0].label == 5);
    lmb_mesh_destroy(m);
}

// ---- bad files ---------------------------------------------------------------------------------

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FOUR "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define FOUR4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"

static const struct {
    const char *text, *message;
    int line;
} bad[] = {
    {"", "begin with $MeshFormat", 1},
    {"$NOD\n3\n", "begin with $MeshFormat", 1},
    {"$MeshFormat\n3 0 8\n$EndMeshFormat\n", "format version '3' is not supported, only 2.2 and 4.1", 2},
    {"$MeshFormat\n4.0 0 8\n", "version '4.0'", 2},
    {"$MeshFormat\n2.2 5 8\n", "file type must be 0", 2},
    {"$MeshFormat\n2.2 0 4\n", "data size must be 8", 2},
    {"$MeshFormat\n4.1 1 8\nabcd", "the file has a different byte order", 0},
    {"$MeshFormat\n4.1 1 8\nab", "truncated", 0},
    {HEAD, "the mesh has no elements", 0},
    {HEAD FOUR, "the mesh has no elements", 0},
    {HEAD "nodes", "expected a section ($Nodes, $Elements, ...), found 'nodes'", 4},
    {HEAD "$Nodes\n4\n1 0 0 0\n2 1 0", "truncated", 5},
    {HEAD "$Nodes\n2\n1 0 0 0\n2 1 0\n$EndNodes\n", "a number is missing before '$EndNodes'", 8},
    {HEAD "$Nodes\n1\n1 0 0 0\n2 1 0 0\n$EndNodes\n",
     "$EndNodes is missing; the section is longer than declared", 7},
    {HEAD "$Nodes\n1\n1 0 0 0\n", "$EndNodes is missing; the file is truncated", 7},
    {HEAD "$Nodes\n2000000000\n1 0 0 0\n", "expected 2000000000 nodes, but the rest of the file is too short",
     5},
    {HEAD "$Nodes\n-1\n", "expected a count or a tag, found -1", 5},
    {HEAD "$Nodes\n99999999999999999999\n", "'99999999999999999999' is not a 32-bit integer", 5},
    {HEAD "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "duplicate node 1", 7},
    {HEAD "$Nodes\n1\n0 0 0 0\n$EndNodes\n", "0 is not a valid node tag", 6},
    {HEAD "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "'nan' is not a finite number", 6},
    {HEAD "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "'1e999' is not a finite number", 6},
    {HEAD FOUR "$Elements\n1\n1 4 2 0 1 1 2 3 9\n$EndElements\n",
     "element 1 refers to node 9, which is not in $Nodes", 13},
    {HEAD FOUR "$Elements\n1\n1 4 2 0 1 1 2 3\n$EndElements\n", "a number is missing before '$EndElements'",
     14},
    {HEAD FOUR "$Elements\n1\n1 99 2 0 1 1 2 3 4\n$EndElements\n",
     "elements of Gmsh type 99 are not supported; supported: tet4", 13},
    {HEAD FOUR "$Elements\n1\n1 7 2 0 1 1 2 3 4 1\n$EndElements\n",
     "element 1 is a pyramid5; pyramids are not supported", 13},
    {HEAD FOUR "$Elements\n1\n1 8 2 0 1 1 2 3\n$EndElements\n", "element 1 is a line3; supported", 13},
    {HEAD FOUR "$Elements\n2\n1 4 2 0 1 1 2 3 4\n1 4 2 0 1 2 1 3 4\n$EndElements\n",
     "element 1 is a tet4; its number is a duplicate", 14},
    {HEAD FOUR "$Elements\n1\n1 4 -2 0 1 1 2 3 4\n$EndElements\n", "has -2 tags", 13},
    {HEAD FOUR "$Elements\n1000\n1 4 2 0 1 1 2 3 4\n$EndElements\n",
     "expected 1000 elements, but the rest of the file is too short", 12},
    {HEAD "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n", "which is not in $Nodes", 6},
    {HEAD "$PhysicalNames\n1\n7 1 \"a\"\n", "dimension of a physical group is 7", 6},
    {HEAD "$PhysicalNames\n1\n3 1 a\n", "a name in quotes", 6},
    {HEAD "$PhysicalNames\n1\n3 1 \"a\n", "a name in quotes", 6},
    {HEAD "$NodeData\n1\n", "section $NodeData is not closed", 4},
    {HEAD4 "$PartitionedEntities\n", "partitioned meshes are not supported", 4},
    {HEAD4 "$Nodes\n1 5 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n",
     "expected 5 nodes, found 4", 14},
    {HEAD4 FOUR4 "$Elements\n1 2 1 2\n3 1 4 1\n1 1 2 3 4\n$EndElements\n", "expected 2 elements, found 1",
     19},
    {HEAD4 FOUR4 "$Elements\n1 1 1 1\n5 1 4 1\n1 1 2 3 4\n$EndElements\n", "dimension of an entity is 5", 18},
    {HEAD4 "$Entities\n0 0 0 3000000000\n", "'3000000000' is not a 32-bit integer", 5},
    {HEAD4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1000000 1\n",
     "expected 1000000 physical tags, but the rest of the file is too short", 6},
    {HEAD FOUR "$Elements\n2\n1 4 2 0 1 1 2 3 4\n2 2 2 5 1 1 2 2\n$EndElements\n",
     "is not a face of any solid element", 14},
    {HEAD FOUR "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n$Elements\n0\n$EndElements\n",
     "duplicate section $Elements", 15},
};

TEST(msh_bad_files) {
    for (int i = 0; i < LMB_COUNT(bad); i++) {
        lmb_mesh *m = (lmb_mesh *)&bad;
        lmb_error err = {0};
        bool refused =
            lmb_mesh_read_msh(&m, bad[i].text, strlen(bad[i].text), "bad.msh", &err) == LMB_ERR_INPUT;
        if (!CHECK(refused && m == NULL)) check_note("%d: %s", i, bad[i].text);
        CHECK_CONTAINS(err.text, bad[i].message);
        CHECK_TEXT(err.file, "bad.msh");
        if (!CHECK(err.line == bad[i].line))
            check_note("%s: line %d, not %d", bad[i].message, err.line, bad[i].line);
    }
}

// a file cut off anywhere is refused or gives the mesh, and no allocation is left unhandled
TEST(msh_truncated_and_without_memory) {
    static const char *const names[] = {"hex_2_41b.msh", "hex_2_22.msh"};
    for (int k = 0; k < 2; k++) {
        char path[256];
        lmb_text text = {0};
        snprintf(path, sizeof path, "tests/fuzz/corpus/msh/%s", names[k]);
        if (!mesh_text(&text, check_source(path))) return;
        bool right = true;
        for (size_t n = 0; n < text.length - 14; n += 7) {
            lmb_mesh *m;
            lmb_error err = {0};
            right = right && lmb_mesh_read_msh(&m, text.text, n, "cut", &err) == LMB_ERR_INPUT && m == NULL;
        }
        CHECK(right);
        lmb_status status = LMB_ERR_SYSTEM;
        for (long n = 0; n < 2000 && status != LMB_OK; n++) {
            lmb_mesh *m;
            lmb_error err = {0};
            lmb_alloc_fail_after(n);
            status = lmb_mesh_read_msh(&m, text.text, text.length, "memory", &err);
            lmb_alloc_fail_after(-1);
            if (!CHECK(status == LMB_OK || status == LMB_ERR_SYSTEM)) break;
            lmb_mesh_destroy(m);
        }
        CHECK(status == LMB_OK);
        lmb_text_free(&text);
    }
}

// ---- reference files ---------------------------------------------------------------------------

static void check_reference_beam(const char *file, const char *element, int elements, int nodes) {
    char name[128];
    lmb_text text = {0};
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    snprintf(name, sizeof name, "fe/beam/%s", file);
    if (!mesh_text(&text, check_reference(name))) return;
    CHECK_OK(lmb_mesh_read_msh(&m, text.text, text.length, file, &err), err);
    lmb_text_free(&text);
    if (m == NULL) return;
    CHECK_TEXT(m->elements[0].ops->name, element);
    CHECK(m->element_count == elements && m->node_count == nodes);
    CHECK_NEAR(mesh_volume(m) / (1.0 * 0.05 * 0.05), 1, 1e-11); // coordinates have 12 decimals
    CHECK_NEAR(mesh_area(m, lmb_mesh_find_set(m, "ROOT", LMB_SET_FACES)), 0.0025, 1e-13);
    CHECK_NEAR(mesh_area(m, lmb_mesh_find_set(m, "TIP", LMB_SET_FACES)), 0.0025, 1e-13);
    CHECK(mesh_worst(m) > 0.1);
    lmb_mesh_destroy(m);
}

TEST(msh_reference_beams) {
    if (check_reference("fe/beam/beam_hex_41.msh") == NULL) {
        check_skip("LIMBER_REFERENCE has no fe/beam");
        return;
    }
    check_reference_beam("beam_hex_41.msh", "hex20", 80, 621);
    check_reference_beam("beam_tet_41.msh", "tet10", 388, 883);
}
