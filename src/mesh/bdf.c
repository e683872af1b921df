// mesh/bdf.c: cuts bulk data into cards and fields and walks through them.
#include "mesh/bdf.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- cards -------------------------------------------------------------------------------------

// clang-format off
#define LINEAR_SHELL "mesh with CQUAD4 and CTRIA3"
#define NO_SCALAR "scalar masses and springs of scalar points are not supported; use CONM2 or CELAS2"
#define NO_EQUATION "constraint equations are not supported; use RBE2 or RBE3, or merge the nodes"
#define NO_CONTACT "contact and glue are not supported; mesh the part with shared nodes"
#define NO_NSM "put the mass into the density, PSHELL or CONM2"
static lmb_status read_param(lmb_bdf *r);
static const lmb_bdf_keyword keywords[] = {
    {"GRID", LMB_BDF_NODES, lmb_bdf_read_grid, NULL},
    {"GRDSET", LMB_BDF_FRAMES, lmb_bdf_read_grdset, NULL},
    {"CORD1R", LMB_BDF_FRAMES, lmb_bdf_read_cord1, NULL},
    {"CORD1C", LMB_BDF_FRAMES, lmb_bdf_read_cord1, NULL},
    {"CORD1S", LMB_BDF_FRAMES, lmb_bdf_read_cord1, NULL},
    {"CORD2R", LMB_BDF_FRAMES, lmb_bdf_read_cord2, NULL},
    {"CORD2C", LMB_BDF_FRAMES, lmb_bdf_read_cord2, NULL},
    {"CORD2S", LMB_BDF_FRAMES, lmb_bdf_read_cord2, NULL},
    {"MAT1", LMB_BDF_MATERIALS, lmb_bdf_read_mat1, NULL},
    {"MAT2", LMB_BDF_MATERIALS, lmb_bdf_read_mat2, NULL},
    {"MAT8", LMB_BDF_MATERIALS, lmb_bdf_read_mat8, NULL},
    {"MAT9", LMB_BDF_MATERIALS, lmb_bdf_read_mat9, NULL},
    {"MAT11", LMB_BDF_MATERIALS, lmb_bdf_read_mat11, NULL},
    {"PSOLID", LMB_BDF_PROPERTIES, lmb_bdf_read_psolid, NULL},
    {"PSHELL", LMB_BDF_PROPERTIES, lmb_bdf_read_pshell, NULL},
    {"PCOMP", LMB_BDF_PROPERTIES, lmb_bdf_read_pcomp, NULL},
    {"PCOMPG", LMB_BDF_PROPERTIES, lmb_bdf_read_pcomp, NULL},
    {"PBAR", LMB_BDF_PROPERTIES, lmb_bdf_read_pbar, NULL},
    {"PBARL", LMB_BDF_PROPERTIES, lmb_bdf_read_pbarl, NULL},
    {"PBEAM", LMB_BDF_PROPERTIES, lmb_bdf_read_pbeam, NULL},
    {"PBEAML", LMB_BDF_PROPERTIES, lmb_bdf_read_pbeaml, NULL},
    {"PROD", LMB_BDF_PROPERTIES, lmb_bdf_read_prod, NULL},
    {"PBUSH", LMB_BDF_PROPERTIES, lmb_bdf_read_pbush, NULL},
    {"PELAS", LMB_BDF_PROPERTIES, lmb_bdf_read_pelas, NULL},
    {"CTETRA", LMB_BDF_ELEMENTS, lmb_bdf_read_solid, NULL},
    {"CPENTA", LMB_BDF_ELEMENTS, lmb_bdf_read_solid, NULL},
    {"CHEXA", LMB_BDF_ELEMENTS, lmb_bdf_read_solid, NULL},
    {"CQUAD4", LMB_BDF_ELEMENTS, lmb_bdf_read_shell, NULL},
    {"CQUADR", LMB_BDF_ELEMENTS, lmb_bdf_read_shell, NULL},
    {"CTRIA3", LMB_BDF_ELEMENTS, lmb_bdf_read_shell, NULL},
    {"CTRIAR", LMB_BDF_ELEMENTS, lmb_bdf_read_shell, NULL},
    {"CQUAD8", LMB_BDF_ELEMENTS, lmb_bdf_read_shell, NULL},
    {"CTRIA6", LMB_BDF_ELEMENTS, lmb_bdf_read_shell, NULL},
    {"CBAR", LMB_BDF_ELEMENTS, lmb_bdf_read_bar, NULL},
    {"CBEAM", LMB_BDF_ELEMENTS, lmb_bdf_read_bar, NULL},
    {"CROD", LMB_BDF_ELEMENTS, lmb_bdf_read_rod, NULL},
    {"CONROD", LMB_BDF_ELEMENTS, lmb_bdf_read_conrod, NULL},
    {"CBUSH", LMB_BDF_ELEMENTS, lmb_bdf_read_bush, NULL},
    {"CELAS1", LMB_BDF_ELEMENTS, lmb_bdf_read_elas1, NULL},
    {"CELAS2", LMB_BDF_ELEMENTS, lmb_bdf_read_elas2, NULL},
    {"CONM2", LMB_BDF_ELEMENTS, lmb_bdf_read_conm2, NULL},
    {"CONM1", LMB_BDF_ELEMENTS, lmb_bdf_read_conm1, NULL},
    {"PMASS", LMB_BDF_PROPERTIES, lmb_bdf_read_pmass, NULL},
    {"CMASS1", LMB_BDF_ELEMENTS, lmb_bdf_read_cmass1, NULL},
    {"CMASS2", LMB_BDF_ELEMENTS, lmb_bdf_read_cmass2, NULL},
    {"RBE2", LMB_BDF_TIES, lmb_bdf_read_rbe2, NULL},
    {"RBE3", LMB_BDF_TIES, lmb_bdf_read_rbe3, NULL},
    {"RBAR", LMB_BDF_TIES, lmb_bdf_read_rbar, NULL},
    {"RBAR1", LMB_BDF_TIES, lmb_bdf_read_rbar1, NULL},
    {"RTRPLT", LMB_BDF_TIES, lmb_bdf_read_rtrplt, NULL},
    {"RBE1", LMB_BDF_TIES, lmb_bdf_read_rbe1, NULL},
    {"RROD", LMB_BDF_TIES, lmb_bdf_read_rrod, NULL},
    {"MPCADD", LMB_BDF_NODES, lmb_bdf_read_mpcadd, NULL},
    {"MPC", LMB_BDF_TIES, lmb_bdf_read_mpc, NULL},
    {"SET1", LMB_BDF_SETS, lmb_bdf_read_set1, NULL},
    {"SET3", LMB_BDF_SETS, lmb_bdf_read_set3, NULL},
    {"ASET", LMB_BDF_SETS, lmb_bdf_read_aset, NULL},
    {"ASET1", LMB_BDF_SETS, lmb_bdf_read_aset1, NULL},
    {"SPC", LMB_BDF_SETS, lmb_bdf_read_spc, NULL},
    {"SPC1", LMB_BDF_SETS, lmb_bdf_read_spc1, NULL},
    // would change stiffness, mass or constraints and are not supported
    {"MAT3", 0, NULL, "use MAT1, MAT8 or MAT9"},
    {"MAT10", 0, NULL, "fluids are not supported"}, {"MATORT", 0, NULL, "use MAT9 or MAT11"},
    {"MATT1", 0, NULL, "materials that depend on temperature are not supported"},
    {"MATS1", 0, NULL, "only linear materials are supported"},
    {"MATHP", 0, NULL, "only linear materials are supported"},
    {"PCOMPP", 0, NULL, "use PCOMP or PCOMPG"}, {"PCOMPS", 0, NULL, "use PSOLID with one material, or PCOMP with shells"},
    {"PSHEAR", 0, NULL, LINEAR_SHELL}, {"PLSOLID", 0, NULL, "only PSOLID is supported"},
    {"PLPLANE", 0, NULL, LINEAR_SHELL}, {"PTUBE", 0, NULL, "use PROD or PBARL, TUBE"},
    {"PBCOMP", 0, NULL, "use PBEAM"}, {"PBEND", 0, NULL, "curved beams are not supported; use CBEAM"},
    {"PBUSHT", 0, NULL, "bushings that depend on frequency or force are not supported"},
    {"PBUSH1D", 0, NULL, "use PBUSH"}, {"PELAST", 0, NULL, "springs that depend on frequency are not supported"},
    {"PFAST", 0, NULL, "use RBE2 or RBE3"}, {"PWELD", 0, NULL, "use RBE2 or RBE3"}, {"PGAP", 0, NULL, "gaps are not supported"},
    {"CQUAD", 0, NULL, LINEAR_SHELL},
    {"CSHEAR", 0, NULL, LINEAR_SHELL}, {"CPYRAM", 0, NULL, "mesh with tetrahedra, wedges and bricks"},
    {"CPYRA", 0, NULL, "mesh with tetrahedra, wedges and bricks"},
    {"CTRIAX", 0, NULL, "mesh the part in space"}, {"CTRIAX6", 0, NULL, "mesh the part in space"}, {"CQUADX", 0, NULL, "mesh the part in space"},
    {"CTUBE", 0, NULL, "use CROD or CBAR"}, {"CBEND", 0, NULL, "curved beams are not supported; use CBEAM"}, {"CBEAM3", 0, NULL, "use CBEAM"},
    {"CBUSH1D", 0, NULL, "use CBUSH"}, {"CBUSH2D", 0, NULL, "use CBUSH"},
    {"CELAS3", 0, NULL, NO_SCALAR}, {"CELAS4", 0, NULL, NO_SCALAR},  
    {"CMASS3", 0, NULL, NO_SCALAR}, {"CMASS4", 0, NULL, NO_SCALAR}, 
    {"CGAP", 0, NULL, "gaps are not supported"}, {"CFAST", 0, NULL, "use RBE2 or RBE3"}, {"CWELD", 0, NULL, "use RBE2 or RBE3"}, {"CSEAM", 0, NULL, "use RBE2 or RBE3"},
    {"CHBDYG", 0, NULL, "elements of heat transfer are not supported"},
 {"RTRPLT", 0, NULL, "use RBE2"}, {"RBAR1", 0, NULL, "use RBAR"},
    {"RSPLINE", 0, NULL, "use RBE3"}, {"RSSCON", 0, NULL, "use RBE2"}, {"RJOINT", 0, NULL, "use a joint of the model file"},
 {"MPCY", 0, NULL, NO_EQUATION},
    {"GENEL", 0, NULL, "use the matrices of the part (type: matrices)"}, {"DMIG", 0, NULL, "use the matrices of the part (type: matrices)"},
    {"NSM", 0, NULL, NO_NSM}, {"NSM1", 0, NULL, NO_NSM}, {"NSML", 0, NULL, NO_NSM}, {"NSML1", 0, NULL, NO_NSM}, {"NSMADD", 0, NULL, NO_NSM},
    {"BCTABLE", 0, NULL, NO_CONTACT}, {"BCTABL1", 0, NULL, NO_CONTACT}, {"BGSET", 0, NULL, NO_CONTACT}, {"BCONTACT", 0, NULL, NO_CONTACT},
    {"EXTRN", 0, NULL, "superelements are not supported"}, {"SEBULK", 0, NULL, "superelements are not supported"},
    {"GMBC", 0, NULL, "geometry in the deck is not supported"}, {"FEFACE", 0, NULL, "geometry in the deck is not supported"},
    // supports, loads, damping, output, control of analyses: remarked
    {"SPOINT", 0, NULL, NULL}, {"EPOINT", 0, NULL, NULL}, {"SUPORT", 0, NULL, NULL}, {"SUPORT1", 0, NULL, NULL}, {"SPCADD", 0, NULL, NULL},
    {"SPCD", 0, NULL, NULL}, {"SPCAX", 0, NULL, NULL}, {"BSET", 0, NULL, NULL}, {"BSET1", 0, NULL, NULL}, {"CSET", 0, NULL, NULL},
    {"CSET1", 0, NULL, NULL}, {"QSET", 0, NULL, NULL}, {"QSET1", 0, NULL, NULL}, {"OMIT", 0, NULL, NULL}, {"OMIT1", 0, NULL, NULL},
    {"USET", 0, NULL, NULL}, {"USET1", 0, NULL, NULL}, {"SEQGP", 0, NULL, NULL},
    {"FORCE", 0, NULL, NULL}, {"FORCE1", 0, NULL, NULL}, {"FORCE2", 0, NULL, NULL}, {"MOMENT", 0, NULL, NULL}, {"MOMENT1", 0, NULL, NULL},
    {"MOMENT2", 0, NULL, NULL}, {"PLOAD", 0, NULL, NULL}, {"PLOAD1", 0, NULL, NULL}, {"PLOAD2", 0, NULL, NULL}, {"PLOAD4", 0, NULL, NULL},
    {"GRAV", 0, NULL, NULL}, {"RFORCE", 0, NULL, NULL}, {"ACCEL", 0, NULL, NULL}, {"ACCEL1", 0, NULL, NULL}, {"LOAD", 0, NULL, NULL},
    {"SLOAD", 0, NULL, NULL}, {"LSEQ", 0, NULL, NULL}, {"DLOAD", 0, NULL, NULL}, {"DAREA", 0, NULL, NULL}, {"DELAY", 0, NULL, NULL},
    {"DPHASE", 0, NULL, NULL}, {"RLOAD1", 0, NULL, NULL}, {"RLOAD2", 0, NULL, NULL}, {"TLOAD1", 0, NULL, NULL}, {"TLOAD2", 0, NULL, NULL},
    {"TEMP", 0, NULL, NULL}, {"TEMPD", 0, NULL, NULL}, {"TEMPP1", 0, NULL, NULL}, {"TEMPRB", 0, NULL, NULL}, {"DEFORM", 0, NULL, NULL},
    {"EIGR", 0, NULL, NULL}, {"EIGRL", 0, NULL, NULL}, {"EIGC", 0, NULL, NULL}, {"EIGB", 0, NULL, NULL}, {"FREQ", 0, NULL, NULL},
    {"FREQ1", 0, NULL, NULL}, {"FREQ2", 0, NULL, NULL}, {"FREQ3", 0, NULL, NULL}, {"FREQ4", 0, NULL, NULL}, {"TSTEP", 0, NULL, NULL},
    {"TSTEPNL", 0, NULL, NULL}, {"NLPARM", 0, NULL, NULL}, {"NLPCI", 0, NULL, NULL}, {"TABLED1", 0, NULL, NULL}, {"TABLED2", 0, NULL, NULL},
    {"TABLEM1", 0, NULL, NULL}, {"TABLES1", 0, NULL, NULL}, {"TABDMP1", 0, NULL, NULL}, {"TABRND1", 0, NULL, NULL}, {"RANDPS", 0, NULL, NULL},
    {"CDAMP1", 0, NULL, NULL}, {"CDAMP2", 0, NULL, NULL}, {"CDAMP3", 0, NULL, NULL}, {"CDAMP4", 0, NULL, NULL}, {"PDAMP", 0, NULL, NULL},
    {"CVISC", 0, NULL, NULL}, {"PVISC", 0, NULL, NULL}, {"PLOTEL", 0, NULL, NULL}, {"DTI", 0, NULL, NULL}, {"MONPNT1", 0, NULL, NULL},
    {"DESVAR", 0, NULL, NULL}, {"DRESP1", 0, NULL, NULL}, {"DRESP2", 0, NULL, NULL}, {"DCONSTR", 0, NULL, NULL}, {"DVPREL1", 0, NULL, NULL},
    {"DOPTPRM", 0, NULL, NULL}, {"MDLPRM", 0, NULL, NULL}, {"SET2", 0, NULL, NULL}, {"PARAM", LMB_BDF_FRAMES, read_param, NULL},
};
// clang-format on

static const lmb_bdf_keyword *keyword_find(lmb_piece name) {
    for (int i = 0; i < LMB_COUNT(keywords); i++)
        if (lmb_piece_is(name, keywords[i].name)) return &keywords[i];
    return NULL;
}

// ---- messages ----------------------------------------------------------------------------------

lmb_where lmb_bdf_where(const lmb_bdf *r) {
    return r->card ? (lmb_where){r->card->file, r->card->line, 0}
                   : (lmb_where){r->scan.file, r->scan.line, 0};
}

int lmb_bdf_line(const lmb_bdf *r) { return r->card->file == r->mesh->file ? r->card->line : 0; }

lmb_status lmb_bdf_fail(lmb_bdf *r, const char *format, ...) {
    char text[sizeof r->scan.err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->card) r->scan.file = r->card->file, r->scan.line = r->card->line;
    return lmb_scan_fail(&r->scan, "%s", text);
}

lmb_status lmb_bdf_remark(lmb_bdf *r, const char *format, ...) {
    char text[512];
    lmb_where w = lmb_bdf_where(r);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool ok = lmb_text_add(&r->mesh->ignored, "%s:%d: %s\n", w.file, w.line, text);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

void *lmb_bdf_grown(lmb_bdf *r, void *array, int *capacity, int count, size_t size) {
    if (count < *capacity) return array;
    int wanted = *capacity > 0 ? *capacity : 32;
    while (wanted <= count && wanted <= INT_MAX / 2) wanted *= 2;
    void *larger = wanted > count ? lmb_realloc(array, (size_t)wanted, size) : NULL;
    if (larger == NULL) return lmb_scan_memory(&r->scan), NULL;
    *capacity = wanted;
    return larger;
}

// ---- lines -------------------------------------------------------------------------------------

// A line without its comment and the blanks at its end; those at its beginning count.
static bool next_line(lmb_piece *out, lmb_scan *s, lmb_piece *comment) {
    if (s->at >= s->end) return false;
    const char *found = memchr(s->at, '\n', (size_t)(s->end - s->at)), *stop = found ? found : s->end;
    if (stop - s->at > 10000) return lmb_scan_fail(s, "this line is longer than 10000 characters"), false;
    int length = (int)(stop - s->at), quotes = 0, n = 0;
    for (; n < length && !(s->at[n] == '$' && quotes % 2 == 0); n++) quotes += s->at[n] == '\'';
    if (n == length && quotes % 2) // an apostrophe in the case control
        for (n = 0; n < length && s->at[n] != '$';) n++;
    if (comment) *comment = lmb_piece_trim((lmb_piece){s->at + n, length - n});
    while (n > 0 && isspace((unsigned char)s->at[n - 1])) n--;
    *out = (lmb_piece){s->at, n};
    s->at = found ? found + 1 : s->end;
    s->line++;
    return true;
}

static bool starts_with(lmb_piece p, const char *word) {
    size_t n = strlen(word);
    return (size_t)p.length >= n && strncasecmp(p.at, word, n) == 0;
}

// free: with a comma in the first ten columns or anywhere
static bool is_free(lmb_piece row) { return memchr(row.at, ',', (size_t)row.length) != NULL; }

// the first field: name, with * for large fields, or the mark of a continuation
static lmb_piece first_field(lmb_piece row) {
    int n = 0;
    bool free = is_free(row);
    while (n < row.length && (free ? row.at[n] != ',' : n < 8 && row.at[n] != '\t')) n++;
    return lmb_piece_trim((lmb_piece){row.at, n});
}

static bool is_continuation(lmb_piece row) {
    lmb_piece first = first_field(row);
    return first.length == 0 || first.at[0] == '+' || first.at[0] == '*';
}

// `$ SET NAME=wheel`, `$HMSET 1 2 "wheel"`: the name of the set that comes next
static void take_label(lmb_bdf *r, lmb_piece comment) {
    lmb_piece c = comment;
    while (c.length > 0 && (*c.at == '$' || *c.at == ' ')) c.at++, c.length--;
    const char *from = NULL, *end = c.at + c.length;
    if (starts_with(c, "HMSET")) {
        from = memchr(c.at, '"', (size_t)c.length);
        if (from) from++;
    } else if (starts_with(c, "SET")) {
        for (c = lmb_piece_trim((lmb_piece){c.at + 3, c.length - 3}); c.length > 0 && *c.at == ',';)
            c = lmb_piece_trim((lmb_piece){c.at + 1, c.length - 1});
        if (starts_with(c, "NAME")) from = memchr(c.at, '=', (size_t)c.length);
        if (from) from++;
    }
    if (from == NULL) return;
    lmb_piece name = lmb_piece_trim((lmb_piece){from, (int)(end - from)});
    const char *quote = memchr(name.at, '"', (size_t)name.length);
    if (quote) name.length = (int)(quote - name.at);
    if (name.length == 0 || name.length > 200) return;
    r->label = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    if (r->label == NULL) lmb_scan_memory(&r->scan);
}

// ---- cutting -----------------------------------------------------------------------------------

static void cut_text(lmb_bdf *r);

// the text goes on in another file
static void include(lmb_bdf *r, lmb_piece row) {
    lmb_piece name = lmb_piece_trim((lmb_piece){row.at + 7, row.length - 7});
    if (name.length > 0 && *name.at == '=') name = lmb_piece_trim((lmb_piece){name.at + 1, name.length - 1});
    char quote = name.length > 0 ? *name.at : ' ';
    if (quote == '\'' || quote == '"') {
        if (name.length < 2 || name.at[name.length - 1] != quote) {
            lmb_scan_fail(&r->scan,
                          "INCLUDE: the quote is not closed in this line; write the name in one line");
            return;
        }
        name.at++, name.length -= 2;
    }
    char *text = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    lmb_where where = {r->scan.file, r->scan.line, 0};
    if (text == NULL) lmb_scan_memory(&r->scan);
    else if (*text == '\0') lmb_scan_fail(&r->scan, "INCLUDE needs the name of a file");
    else if (r->load == NULL) lmb_scan_fail(&r->scan, "INCLUDE cannot be followed here; paste the file");
    else if (r->depth == LMB_BDF_DEPTH) lmb_scan_fail(&r->scan, "files include each other too deeply");
    else if (r->include_count == LMB_BDF_INCLUDES)
        lmb_scan_fail(&r->scan, "more than %d included files are not supported", LMB_BDF_INCLUDES);
    if (r->scan.status != LMB_OK) return;
    lmb_scan outer = r->scan;
    const char *path = NULL;
    lmb_text *got = &r->includes[r->include_count++];
    r->scan.status = r->load(r->user, got, &path, text, where, r->scan.err);
    if (r->scan.status != LMB_OK) return;
    r->scan.file = path, r->scan.line = 0;
    r->scan.at = got->text, r->scan.end = got->text + got->length;
    r->depth++;
    cut_text(r);
    r->depth--;
    outer.status = r->scan.status;
    if (outer.status != LMB_OK) outer.at = outer.end;
    r->scan = outer;
}

static void new_card(lmb_bdf *r, lmb_piece row) {
    lmb_piece name = first_field(row);
    if (name.length > 0 && name.at[name.length - 1] == '*') name.length--;
    name = lmb_piece_trim(name);
    lmb_bdf_card *all = lmb_bdf_grown(r, r->cards, &r->card_capacity, r->card_count, sizeof *all);
    if (all == NULL) return;
    r->cards = all;
    const lmb_bdf_keyword *k = keyword_find(name);
    if (k == NULL) {
        int shown = name.length > 20 ? 20 : name.length;
        lmb_scan_fail(&r->scan,
                      "unknown card '%.*s'; delete it if it changes neither stiffness, mass nor constraints",
                      shown, name.at);
        return;
    }
    r->cards[r->card_count++] = (lmb_bdf_card){k, r->scan.file, row.at, r->scan.at, r->label, r->scan.line};
    r->label = NULL;
}

static bool is_word(lmb_piece row, const char *word) {
    lmb_piece t = lmb_piece_trim(row);
    size_t n = strlen(word);
    return starts_with(t, word) && ((size_t)t.length == n || !isalnum((unsigned char)t.at[n]));
}

static void cut_line(lmb_bdf *r, lmb_piece row) {
    if (is_word(row, "INCLUDE")) include(r, lmb_piece_trim(row));
    else if (is_word(row, "ENDDATA")) r->ended = true;
    else if (is_word(row, "BEGIN"))
        lmb_scan_fail(&r->scan, "BEGIN again; superelements (BEGIN SUPER) are not supported");
    else if (!is_continuation(row)) new_card(r, row);
    else if (r->card_count == 0 || r->cards[r->card_count - 1].file != r->scan.file)
        lmb_scan_fail(&r->scan, "this line continues a card, but there is none before it");
    else r->cards[r->card_count - 1].end = r->scan.at;
}

static void cut_text(lmb_bdf *r) {
    lmb_piece row, comment;
    while (r->scan.status == LMB_OK && !r->ended && next_line(&row, &r->scan, &comment)) {
        if (row.length == 0 && comment.length > 0) take_label(r, comment);
        if (row.length > 0) cut_line(r, row);
    }
}

static bool holds(lmb_piece row, const char *word) {
    int n = (int)strlen(word);
    for (int i = 0; i + n <= row.length; i++)
        if (strncasecmp(row.at + i, word, (size_t)n) == 0) return true;
    return false;
}

// MPC = 3 of the case control
static void take_mpc(lmb_bdf *r, lmb_piece row) {
    const char *sign = memchr(row.at, '=', (size_t)row.length);
    lmb_piece number =
        sign ? lmb_piece_trim((lmb_piece){sign + 1, (int)(row.at + row.length - sign - 1)}) : row;
    int id;
    if (!sign || !lmb_piece_integer(&id, number) || id < 1) return;
    if (r->mpc_wanted > 0 && r->mpc_wanted != id)
        lmb_scan_fail(&r->scan, "the subcases have different MPC (%d, %d); a part has one: delete the other",
                      r->mpc_wanted, id);
    r->mpc_wanted = id;
}

// Executive and case control end with BEGIN BULK; a deck without is all bulk data.
static void skip_control(lmb_bdf *r) {
    lmb_scan all = r->scan;
    lmb_piece row;
    bool cend = false;
    for (int lines = 0; next_line(&row, &r->scan, NULL);) {
        lines += row.length > 0;
        cend = cend || is_word(row, "CEND");
        if (!cend && lines == 1 && is_word(row, "GRID")) break; // it begins at once
        if (cend && is_word(row, "MPC")) take_mpc(r, row);
        if (cend && is_word(row, "PARAM") && holds(row, "WTMASS"))
            lmb_scan_fail(&r->scan, "write PARAM, WTMASS into the bulk data");
        if (!is_word(row, "BEGIN")) continue;
        if (holds(row, "SUPER")) lmb_scan_fail(&r->scan, "superelements are not supported");
        else if (lines > 1) lmb_bdf_remark(r, "executive and case control (%d lines)", lines - 1);
        return;
    }
    if (r->scan.status != LMB_OK) return;
    if (cend) lmb_scan_fail(&r->scan, "there is no BEGIN BULK after CEND; the file is truncated");
    else r->scan = all;
}

// ---- fields ------------------------------------------------------------------------------------

static void add_field(lmb_bdf *r, lmb_piece p) {
    lmb_piece *all = lmb_bdf_grown(r, r->fields, &r->field_capacity, r->field_count, sizeof *all);
    if (all == NULL) return;
    r->fields = all;
    r->fields[r->field_count++] = lmb_piece_trim(p);
}

// tabs to blanks: every one goes to the next of the columns 8, 16, ..
static lmb_piece without_tabs(lmb_bdf *r, lmb_piece row) {
    if (is_free(row) || memchr(row.at, '\t', (size_t)row.length) == NULL) return row;
    char *copy = lmb_arena_get(r->mesh->arena, 8 * (size_t)row.length + 1, 1);
    int n = 0;
    if (copy == NULL) return lmb_scan_memory(&r->scan), row;
    for (int i = 0; i < row.length; i++) {
        if (row.at[i] != '\t') copy[n++] = row.at[i];
        else do
                copy[n++] = ' ';
            while (n % 8);
    }
    return (lmb_piece){copy, n};
}

// the fields of a line and the name of its continuation
static lmb_piece cut_fields(lmb_bdf *r, lmb_piece row) {
    lmb_piece first = first_field(row), rest = row;
    bool large = memchr(first.at, '*', (size_t)first.length) != NULL;
    int most = large ? 4 : 8, width = large ? 16 : 8, from = r->field_count;
    if (is_free(row)) {
        lmb_piece_cut(&rest, ',');
        while (rest.length > 0 && r->field_count - from < most) add_field(r, lmb_piece_cut(&rest, ','));
        while (r->field_count - from < most && r->scan.status == LMB_OK) add_field(r, (lmb_piece){row.at, 0});
        lmb_piece name = lmb_piece_cut(&rest, ',');
        if (lmb_piece_trim(rest).length > 0)
            lmb_scan_fail(&r->scan, "this line has more than %d fields; use a continuation", most);
        return name;
    }
    row = without_tabs(r, row);
    for (int i = 0; i < most; i++) {
        int at = 8 + width * i, n = row.length - at;
        add_field(r, (lmb_piece){row.at + (n > 0 ? at : 0), n <= 0 ? 0 : n < width ? n : width});
    }
    int n = row.length - 72;
    return lmb_piece_trim((lmb_piece){row.at + (n > 0 ? 72 : 0), n <= 0 ? 0 : n < 8 ? n : 8});
}

// without the mark of a continuation
static lmb_piece bare(lmb_piece p) {
    return p.length > 0 && (*p.at == '+' || *p.at == '*') ? (lmb_piece){p.at + 1, p.length - 1} : p;
}

static bool same_name(lmb_piece a, lmb_piece b) {
    a = bare(a), b = bare(b);
    return a.length == 0 || b.length == 0 ||
           (a.length == b.length && strncasecmp(a.at, b.at, (size_t)a.length) == 0);
}

// all fields of the card in hand; those of its name are field 0
static void take_card(lmb_bdf *r, const lmb_bdf_card *c) {
    lmb_piece row, next = {"", 0};
    r->card = c;
    r->field_count = 0;
    if (r->scan.status != LMB_OK) return;
    r->scan.at = c->at, r->scan.end = c->end, r->scan.line = c->line - 1, r->scan.file = c->file;
    for (bool first = true; r->scan.status == LMB_OK && next_line(&row, &r->scan, NULL); first = false) {
        if (row.length == 0) continue;
        if (first) add_field(r, first_field(row));
        else if (!is_continuation(row) || !same_name(first_field(row), next)) {
            lmb_scan_fail(&r->scan,
                          "continuation '%.*s' does not belong to the line before it ('%.*s'); put "
                          "each continuation behind its card",
                          first_field(row).length > 20 ? 20 : first_field(row).length, first_field(row).at,
                          next.length, next.at);
            return;
        }
        next = cut_fields(r, row);
    }
    r->scan.at = r->scan.end;
}

lmb_piece lmb_bdf_field(const lmb_bdf *r, int i) {
    return i < r->field_count && r->scan.status == LMB_OK ? r->fields[i] : (lmb_piece){"", 0};
}
bool lmb_bdf_blank(const lmb_bdf *r, int i) { return lmb_bdf_field(r, i).length == 0; }

bool lmb_bdf_is_real(const lmb_bdf *r, int i) {
    lmb_piece p = lmb_bdf_field(r, i);
    return p.length > 0 && memchr(p.at, '.', (size_t)p.length) != NULL;
}

static int shown(lmb_piece p) { return p.length > 30 ? 30 : p.length; }

int lmb_bdf_integer(lmb_bdf *r, int i, const char *name, int usual) {
    lmb_piece p = lmb_bdf_field(r, i);
    int value = 0;
    if (r->scan.status != LMB_OK) return 0;
    if (p.length == 0 && usual >= 0) return usual;
    if (p.length == 0) return lmb_bdf_fail(r, "%s: %s is missing", r->card->keyword->name, name), 0;
    if (!lmb_piece_integer(&value, p) || value < (usual < 0 ? 1 : 0))
        return lmb_bdf_fail(r, "%s: %s is '%.*s'; it must be a %s number", r->card->keyword->name, name,
                            shown(p), p.at, usual < 0 ? "positive whole" : "whole"),
               0;
    return value;
}

// 1.5, 1.5E3, 1.5D3, 1.5-3, 15
static bool real_of(double *out, lmb_piece p) {
    size_t n = p.length > 0 ? lmb_scan_number(out, p.at, p.at + p.length) : 0;
    if (n > 0 && n < (size_t)p.length && (p.at[n] == '-' || p.at[n] == '+')) {
        char text[80];
        if (p.length > 60) return false;
        int length = snprintf(text, sizeof text, "%.*se%.*s", (int)n, p.at, p.length - (int)n, p.at + n);
        return lmb_piece_number(out, (lmb_piece){text, length});
    }
    return n > 0 && n == (size_t)p.length && isfinite(*out);
}

double lmb_bdf_real(lmb_bdf *r, int i, const char *name, double usual) {
    lmb_piece p = lmb_bdf_field(r, i);
    double value = 0;
    if (p.length == 0) return usual;
    if (real_of(&value, p)) return value;
    lmb_bdf_fail(r, "%s: %s is '%.*s', not a number", r->card->keyword->name, name, shown(p), p.at);
    return usual;
}

vec3 lmb_bdf_vector(lmb_bdf *r, int i, const char *name) {
    double x = lmb_bdf_real(r, i, name, 0), y = lmb_bdf_real(r, i + 1, name, 0);
    return v3(x, y, lmb_bdf_real(r, i + 2, name, 0));
}

int lmb_bdf_components(lmb_bdf *r, int i, const char *name) {
    lmb_piece p = lmb_bdf_field(r, i);
    int bits = 0;
    for (int k = 0; k < p.length; k++) {
        if (p.at[k] < '0' || p.at[k] > '6') {
            lmb_bdf_fail(r, "%s: %s is '%.*s'; components are digits from 1 to 6", r->card->keyword->name,
                         name, shown(p), p.at);
            return 0;
        }
        if (p.at[k] > '0') bits |= 1 << (p.at[k] - '1');
    }
    return bits;
}

lmb_status lmb_bdf_only(lmb_bdf *r, int i, const char *name, double only) {
    double value = lmb_bdf_real(r, i, name, only);
    if (r->scan.status != LMB_OK || fabs(value - only) <= 1e-4 * fabs(only)) return r->scan.status;
    return lmb_bdf_fail(r, "%s: %s = %g is not supported; only %g or blank", r->card->keyword->name, name,
                        value, only);
}

// ---- cards that are not read -------------------------------------------------------------------

// PARAM, WTMASS multiplies every mass; the others control analyses and output
static lmb_status read_param(lmb_bdf *r) {
    lmb_piece name = lmb_bdf_field(r, 1);
    if (!lmb_piece_is(name, "WTMASS")) {
        bool said = r->remarks & LMB_BDF_SAID_PARAM;
        r->remarks |= LMB_BDF_SAID_PARAM;
        return said ? LMB_OK
                    : lmb_bdf_remark(r, "PARAM,%.*s (and further ones) not read", shown(name), name.at);
    }
    r->mass_scale = lmb_bdf_real(r, 2, "WTMASS", 1);
    if (r->scan.status == LMB_OK && !(r->mass_scale > 0))
        return lmb_bdf_fail(r, "PARAM: WTMASS is %g; it must be positive", r->mass_scale);
    return r->scan.status ? r->scan.status : lmb_bdf_remark(r, "masses times WTMASS = %g", r->mass_scale);
}

// one remark for all cards of a name
static lmb_status list_unread(lmb_bdf *r) {
    int times[LMB_COUNT(keywords)] = {0};
    const lmb_bdf_card *first[LMB_COUNT(keywords)] = {0};
    for (int i = 0; i < r->card_count; i++) {
        const lmb_bdf_card *c = &r->cards[i];
        r->card = c;
        if (c->keyword->refused) return lmb_bdf_fail(r, "%s: %s", c->keyword->name, c->keyword->refused);
        if (c->keyword->read) continue;
        int k = (int)(c->keyword - keywords);
        if (times[k]++ == 0) first[k] = c;
    }
    for (int k = 0; k < LMB_COUNT(keywords) && r->scan.status == LMB_OK; k++) {
        r->card = first[k];
        if (times[k] > 1) lmb_bdf_remark(r, "%s (%d times) not read", keywords[k].name, times[k]);
        else if (times[k] == 1) lmb_bdf_remark(r, "%s not read", keywords[k].name);
    }
    r->card = NULL;
    return r->scan.status;
}

// ---- walking -----------------------------------------------------------------------------------

static lmb_status walk(lmb_bdf *r, lmb_bdf_phase phase) {
    for (int i = 0; i < r->card_count && r->scan.status == LMB_OK; i++) {
        const lmb_bdf_card *c = &r->cards[i];
        if (c->keyword->phase != phase) continue;
        take_card(r, c);
        if (r->scan.status != LMB_OK) break;
        lmb_status st = c->keyword->read(r);
        if (st != LMB_OK && r->scan.status == LMB_OK) r->scan.status = st;
    }
    r->card = NULL;
    if (phase == LMB_BDF_ELEMENTS && r->scan.status == LMB_OK) lmb_bdf_finish_masses(r);
    if (phase == LMB_BDF_PLACES && r->scan.status == LMB_OK) lmb_bdf_place_nodes(r);
    return r->scan.status;
}

static lmb_status tell(void *user, lmb_where where, const char *text) {
    lmb_bdf *r = user;
    bool ok = lmb_text_add(&r->mesh->ignored, "%s:%d: %s\n", where.file, where.line, text);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status read_deck(lmb_bdf *r) {
    const char *main_file = r->scan.file;
    skip_control(r);
    if (r->scan.status == LMB_OK) cut_text(r);
    if (r->scan.status == LMB_OK) list_unread(r);
    for (lmb_bdf_phase phase = 1; phase < LMB_BDF_PHASES && r->scan.status == LMB_OK; phase++) walk(r, phase);
    if (r->scan.status == LMB_OK) r->scan.status = lmb_constrain_finish(r->mesh, tell, r, r->scan.err);
    if (r->scan.status == LMB_OK) lmb_bdf_finish_sets(r);
    r->scan.line = 0, r->scan.file = main_file;
    if (r->scan.status == LMB_OK && r->mesh->element_count == 0)
        lmb_scan_fail(&r->scan, "the deck has no elements (CTETRA, CQUAD4, CBAR, ...)");
    return r->scan.status;
}

static void reader_free(lmb_bdf *r) {
    for (int i = 0; i < r->include_count; i++) lmb_text_free(&r->includes[i]);
    lmb_free(r->cards);
    lmb_free(r->fields);
    lmb_free(r->frames);
    lmb_free(r->nodes);
    lmb_free(r->properties);
    lmb_free(r->motions), lmb_free(r->turning), lmb_free(r->pmass), lmb_free(r->scalars);
    lmb_label_map_free(&r->frame_of);
    lmb_label_map_free(&r->material_of);
    lmb_label_map_free(&r->property_of);
}

// a comment, a card or a statement of the control sections
bool lmb_mesh_is_bdf(const char *text, size_t length) {
    static const char *const words[] = {"$ ",       "$$",    "$*",     "SOL ", "CEND",
                                        "NASTRAN ", "INIT ", "BEGIN ", "GRID"};
    lmb_piece p = {text, length > 100 ? 100 : (int)length};
    for (int i = 0; i < LMB_COUNT(words); i++)
        if (starts_with(p, words[i])) return true;
    return false;
}

lmb_status lmb_mesh_read_bdf_from(lmb_mesh **out, const char *text, size_t length, const char *name,
                                  lmb_mesh_include *load, void *user, lmb_error *err) {
    *out = NULL;
    lmb_bdf *r = lmb_alloc(1, sizeof *r);
    if (r == NULL) return lmb_fail_memory(err);
    *r = (lmb_bdf){.scan = {.at = text, .end = text + length, .err = err},
                   .load = load,
                   .user = user,
                   .mass_scale = 1,
                   .bar = -1,
                   .mpc_wanted = -1};
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

lmb_status lmb_mesh_read_bdf(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err) {
    return lmb_mesh_read_bdf_from(out, text, length, name, NULL, NULL, err);
}
