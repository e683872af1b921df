// mesh/cdb.c: reads decks of Ansys Mechanical APDL as CDWRITE writes them: ET, KEYOP, MP, MPDATA, R, RLBLOCK, SECTYPE, SECDATA, NBLOCK,
// EBLOCK, CMBLOCK.
#include "mesh/cdb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool failed(const lmb_cdb *c) { return c->scan.status != LMB_OK; }

lmb_cdb_entry *lmb_cdb_entry_of(lmb_cdb *c, lmb_cdb_entries *e, int label) {
    enum { MOST = 100000 };
    int found = lmb_label_map_find(&e->map, label);
    if (found >= 0) return &e->list[found];
    if (e->count == e->capacity) {
        int capacity = e->capacity ? 2 * e->capacity : 16;
        lmb_cdb_entry *more = e->count < MOST ? lmb_realloc(e->list, (size_t)capacity, sizeof *more) : NULL;
        if (more == NULL)
            return lmb_scan_fail(&c->scan, "there are too many types, materials or sections"), NULL;
        e->list = more, e->capacity = capacity;
    }
    if (!lmb_label_map_add(&e->map, label, e->count)) return lmb_scan_memory(&c->scan), NULL;
    e->list[e->count] = (lmb_cdb_entry){.label = label, .line = c->scan.line, .index = -1};
    return &e->list[e->count++];
}

const lmb_cdb_entry *lmb_cdb_entry_find(const lmb_cdb_entries *e, int label) {
    int found = lmb_label_map_find(&e->map, label);
    return found >= 0 ? &e->list[found] : NULL;
}

void lmb_cdb_note(lmb_cdb *c, int line, const char *what) {
    lmb_mesh *m = c->mesh;
    if (!failed(c) && !lmb_text_add(&m->ignored, "%s:%d: %s\n", m->file, line, what))
        lmb_scan_memory(&c->scan);
}

// ---- fields of a command -----------------------------------------------------------------------

static void split(lmb_cdb *c, lmb_piece line) {
    const char *remark = line.length > 0 ? memchr(line.at, '!', (size_t)line.length) : NULL;
    if (remark) line.length = (int)(remark - line.at);
    c->field_count = 0;
    while (c->field_count < LMB_CDB_FIELDS && (line.length > 0 || c->field_count == 0))
        c->field[c->field_count++] = lmb_piece_cut(&line, ',');
}

bool lmb_cdb_is(const lmb_cdb *c, int i, const char *word) {
    return i < c->field_count && lmb_piece_is(c->field[i], word);
}

int lmb_cdb_integer(lmb_cdb *c, int i, const char *what) {
    int v = 0;
    if (i >= c->field_count || !lmb_piece_integer(&v, c->field[i]))
        lmb_scan_fail(&c->scan, "field %d: expected an integer, %s", i + 1, what);
    return v;
}

// blank: 0
static double real(lmb_cdb *c, int i) {
    double v = 0;
    if (i < c->field_count && c->field[i].length > 0 && !lmb_piece_number(&v, c->field[i]))
        lmb_scan_fail(&c->scan, "field %d: expected a finite number, found '%.*s'", i + 1,
                      c->field[i].length > 30 ? 30 : c->field[i].length, c->field[i].at);
    return v;
}

// ---- materials, real constants, sections -------------------------------------------------------

static void set_material(lmb_cdb *c, lmb_piece label, int number, double value) {
    static const char *const ours[][2] = {{"EX", "EX"}, {"NUXY", "PRXY"}, {"DENS", "DENS"}};
    static const char *const other[] = {"EY", "EZ", "GXY", "GYZ", "GXZ", "NUYZ", "NUXZ", "PRYZ", "PRXZ"};
    lmb_cdb_entry *e = lmb_cdb_entry_of(c, &c->materials, number);
    for (int i = 0; i < 3 && e; i++)
        if (lmb_piece_is(label, ours[i][0]) || lmb_piece_is(label, ours[i][1])) {
            e->v[i] = value, e->count |= 1 << i;
            return;
        }
    for (int i = 0; i < LMB_COUNT(other) && e; i++)
        if (lmb_piece_is(label, other[i]))
            lmb_scan_fail(
                &c->scan,
                "material %d has %s: only isotropic materials (EX, NUXY or PRXY, DENS) are supported", number,
                other[i]);
}

// MPDATA,R5.0,count,label,material,place,value,.. or MPDATA,label,material,place,value
static void read_mpdata(lmb_cdb *c) {
    bool release = c->field_count > 1 && c->field[1].length > 1 && strncasecmp(c->field[1].at, "R", 1) == 0 &&
                   c->field[1].at[1] >= '0' && c->field[1].at[1] <= '9';
    int at = release ? 3 : 1, place = 1;
    lmb_piece label = at < c->field_count ? c->field[at] : (lmb_piece){"", 0};
    int number = lmb_cdb_integer(c, at + 1, "the material");
    if (at + 2 < c->field_count && c->field[at + 2].length > 0)
        place = lmb_cdb_integer(c, at + 2, "the place");
    bool more = at + 4 < c->field_count && c->field[at + 4].length > 0;
    if (!failed(c) && (more || place > 1) &&
        (lmb_piece_is(label, "EX") || lmb_piece_is(label, "NUXY") || lmb_piece_is(label, "PRXY") ||
         lmb_piece_is(label, "DENS")))
        lmb_scan_fail(&c->scan, "material %d depends on temperature; give it at one temperature", number);
    double value = real(c, at + 3);
    if (!failed(c)) set_material(c, label, number, value);
}

static void read_mp(lmb_cdb *c) {
    int number = lmb_cdb_integer(c, 2, "the material");
    double value = real(c, 3);
    if (!failed(c) && c->field_count > 4 && c->field[4].length > 0 && real(c, 4) != 0)
        lmb_scan_fail(&c->scan, "material %d depends on temperature; give it at one temperature", number);
    if (!failed(c)) set_material(c, c->field[1], number, value);
}

// R,number,v1,v2,..
static void read_real(lmb_cdb *c) {
    int number = lmb_cdb_integer(c, 1, "the real constants");
    lmb_cdb_entry *e = failed(c) ? NULL : lmb_cdb_entry_of(c, &c->reals, number);
    for (int i = 0; e && i < 6; i++) e->v[i] = real(c, i + 2), e->count = 6;
}

static void read_section(lmb_cdb *c) {
    enum { SHELL = 1 };
    c->section = lmb_cdb_integer(c, 1, "the section");
    lmb_cdb_entry *e = failed(c) ? NULL : lmb_cdb_entry_of(c, &c->sections, c->section);
    if (e)
        *e = (lmb_cdb_entry){.label = c->section,
                             .line = c->scan.line,
                             .kind = lmb_cdb_is(c, 2, "SHELL") ? SHELL : 0,
                             .index = -1};
}

// a layer: thickness, material, angle
static void read_layer(lmb_cdb *c) {
    lmb_cdb_entry *e = c->section > 0 ? lmb_cdb_entry_of(c, &c->sections, c->section) : NULL;
    if (e == NULL || e->kind == 0) return; // refused where an element has it
    if (e->count > 0)
        lmb_scan_fail(&c->scan, "section %d has several layers, which are not supported", c->section);
    e->v[0] = real(c, 1), e->count = 1;
}

static void check_offset(lmb_cdb *c) {
    if (c->field_count > 1 && c->field[1].length > 0 && !lmb_cdb_is(c, 1, "MID") && !lmb_cdb_is(c, 1, "CENT"))
        lmb_scan_fail(&c->scan,
                      "SECOFFSET other than MID is not supported; put the nodes into the middle surface");
}

// ---- types -------------------------------------------------------------------------------------

// ET,number,type  or  ET,number,SOLID186
static void read_type(lmb_cdb *c) {
    int number = lmb_cdb_integer(c, 1, "the number of the type"), kind = 0;
    lmb_piece name = c->field_count > 2 ? c->field[2] : (lmb_piece){"", 0};
    while (name.length > 0 && (name.at[0] < '0' || name.at[0] > '9')) name.at++, name.length--;
    if (!lmb_piece_integer(&kind, name)) lmb_scan_fail(&c->scan, "ET: expected an element such as 186");
    lmb_cdb_entry *e = failed(c) ? NULL : lmb_cdb_entry_of(c, &c->types, number);
    if (e == NULL) return;
    *e = (lmb_cdb_entry){.label = number, .line = c->scan.line, .kind = kind, .index = -1};
    for (int i = 3; i < 9; i++) e->option[i - 2] = (int)fmax(fmin(real(c, i), 1000), -1000);
}

static void read_option(lmb_cdb *c) {
    int number = lmb_cdb_integer(c, 1, "the number of the type"),
        option = lmb_cdb_integer(c, 2, "the option");
    double value = real(c, 3);
    lmb_cdb_entry *e = failed(c) ? NULL : lmb_cdb_entry_of(c, &c->types, number);
    if (e && option > 0 && option < LMB_CDB_OPTIONS) e->option[option] = (int)fmax(fmin(value, 1000), -1000);
}

// ---- commands ----------------------------------------------------------------------------------

static void skip(lmb_cdb *c) { (void)c; }

static void refuse(lmb_cdb *c) {
    lmb_scan_fail(&c->scan, "%.*s is not supported: it would change the stiffness or the mass",
                  c->field[0].length > 30 ? 30 : c->field[0].length, c->field[0].at);
}

static void remark(lmb_cdb *c) {
    char text[60];
    snprintf(text, sizeof text, "%.*s", c->field[0].length > 30 ? 30 : c->field[0].length, c->field[0].at);
    lmb_text *t = &c->mesh->ignored;
    // once for each command
    char key[80];
    snprintf(key, sizeof key, ": %s\n", text);
    if (t->text == NULL || strstr(t->text, key) == NULL) lmb_cdb_note(c, c->scan.line, text);
}

// a material beyond elasticity does not count here; another elasticity would
static void read_table(lmb_cdb *c) {
    static const char *const elastic[] = {"ELAS", "ELASTIC", "ANEL", "HYPE", "HYPER"};
    for (int i = 0; i < LMB_COUNT(elastic); i++)
        if (lmb_cdb_is(c, 1, elastic[i])) refuse(c);
    remark(c);
}

static const struct {
    const char *name;
    void (*read)(lmb_cdb *c);
    bool block; // of nodes, elements, components: the second time
} commands[] = {
    {"ET", read_type},
    {"ETBLOCK", lmb_cdb_read_types},
    {"KEYOP", read_option},
    {"KEYOPT", read_option},
    {"MP", read_mp},
    {"MPDATA", read_mpdata},
    {"R", read_real},
    {"RLBLOCK", lmb_cdb_read_reals},
    {"SECTYPE", read_section},
    {"SECDATA", read_layer},
    {"SECOFFSET", check_offset},
    {"SECOFF", check_offset},
    {"NBLOCK", lmb_cdb_read_nodes, true},
    {"EBLOCK", lmb_cdb_read_elements, true},
    {"CMBLOCK", lmb_cdb_read_component, true},
    {"TB", read_table},
    {"N", skip},
    {"MPTEMP", skip},
    {"FINISH", skip},
    {"FINI", skip},
    {"NUMOFF", skip},
    {"EXTOPT", skip},
    {"SHPP", skip},
    {"DOF", skip},
    {"TYPE", skip},
    {"MAT", skip},
    {"REAL", skip},
    {"SECNUM", skip},
    {"ESYS", skip},
    {"CSYS", skip},
    {"NLGEOM", skip},
    {"SECCONTROL", skip},
    {"SECCONTROLS", skip},
    {"SECBLOCK", refuse},
    {"TBTEMP", skip},
    {"TBDATA", skip},
    {"TBPT", skip},
    {"MPDE", skip},
    {"ERESX", skip},
    {"CDWRITE", skip},
    {"ANTYPE", skip},
    {"CMSEL", skip},
    {"ALLSEL", skip},
    {"ESEL", skip},
    {"NSEL", skip},
    {"GO", skip},
    {"NOPR", skip},
    {"LOCAL", remark},
    {"D", remark},
    {"DK", remark},
    {"F", remark},
    {"SF", remark},
    {"SFE", remark},
    {"BF", remark},
    {"BFE", remark},
    {"BFUNIF", remark},
    {"ACEL", remark},
    {"OMEGA", remark},
    {"TREF", remark},
    {"TOFFST", remark},
    {"CGOMGA", remark},
    {"CGLOC", remark},
    {"DOMEGA", remark},
    {"DCGOMG", remark},
    {"IRLF", remark},
    {"TIME", remark},
    {"KUSE", remark},
    {"ALPHAD", remark},
    {"BETAD", remark},
    {"DMPRAT", remark},
    {"DMPSTR", remark},
    {"NCNV", remark},
    {"NEQIT", remark},
    {"CRPLIM", remark},
    {"NSUBST", remark},
    {"SOLVE", remark},
    {"IC", remark},
    {"LSWRITE", remark},
    {"OUTRES", remark},
};

// /COMMANDS and *COMMANDS of the program, and _NAME = value
static bool is_control(lmb_piece w) { return w.length > 0 && strchr("/*_", w.at[0]); }

// the lines of a block begin with a number or a bracket
static void skip_block(lmb_cdb *c) {
    lmb_scan *s = &c->scan;
    lmb_piece line;
    for (const char *at = s->at; lmb_scan_line(&line, s); at = s->at)
        if (line.length > 0 && strchr("(-+.0123456789", line.at[0]) == NULL) {
            s->at = at, s->line--;
            return;
        }
}

// first all but blocks, which stand before materials and sections in the deck; then blocks
static void read_command(lmb_cdb *c, lmb_piece line, bool blocks) {
    split(c, line);
    lmb_piece w = c->field[0];
    if (w.length == 0 || is_control(w)) return;
    for (int i = 0; i < LMB_COUNT(commands); i++)
        if (lmb_piece_is(w, commands[i].name)) {
            if (commands[i].block == blocks) commands[i].read(c);
            else if (commands[i].block) skip_block(c);
            return;
        }
    if (!blocks)
        lmb_scan_fail(&c->scan, "%.*s is not supported; delete it if it does not change the part",
                      w.length > 30 ? 30 : w.length, w.at);
}

static void read_all(lmb_cdb *c, const char *text) {
    lmb_piece line;
    for (int blocks = 0; blocks < 2 && !failed(c); blocks++) {
        c->scan.at = text, c->scan.line = 0;
        while (!failed(c) && lmb_scan_line(&line, &c->scan)) read_command(c, line, blocks);
    }
}

// ---- the whole ---------------------------------------------------------------------------------

bool lmb_mesh_is_cdb(const char *text, size_t length) {
    static const char *const words[] = {"/COM,ANSYS", "/PREP7", "/NOPR", "/BATCH"};
    for (int i = 0; i < LMB_COUNT(words); i++)
        if (length > strlen(words[i]) && strncasecmp(text, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static void entries_free(lmb_cdb_entries *e) { lmb_free(e->list), lmb_label_map_free(&e->map); }

lmb_status lmb_mesh_read_cdb(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err) {
    *out = NULL;
    lmb_cdb c = {.scan = {.at = text, .end = text + length, .err = err}};
    lmb_status status = lmb_mesh_create(&c.mesh, name, err);
    if (status != LMB_OK) return status;
    c.scan.file = c.mesh->file;
    read_all(&c, text);
    if (!failed(&c) && c.mesh->element_count == 0)
        c.scan.line = 0, lmb_scan_fail(&c.scan, "the deck has no elements (EBLOCK)");
    for (int i = 0; i < c.mesh->set_count && !failed(&c); i++) lmb_mesh_set_tidy(c.mesh, i);
    status = c.scan.status;
    entries_free(&c.types), entries_free(&c.materials), entries_free(&c.reals), entries_free(&c.sections),
        entries_free(&c.properties);
    if (status == LMB_OK) *out = c.mesh;
    else lmb_mesh_destroy(c.mesh);
    return status;
}
