// mesh/cdb.h: a deck of Ansys while it is read: cdb.c has its commands, cdb_block.c its blocks.
#ifndef LMB_CDB_H
#define LMB_CDB_H

#include "mesh/mesh.h"
#include "mesh/scan.h"

enum { LMB_CDB_FIELDS = 24, LMB_CDB_REALS = 24, LMB_CDB_OPTIONS = 20 };

// Numbered things of the deck: types, materials, real constants, sections.
typedef struct lmb_cdb_entry {
    int label, line;
    int kind;                    // of a type: 185, ..; of a section: 1 shell
    int option[LMB_CDB_OPTIONS]; // of a type
    int count;                   // of numbers
    double v[LMB_CDB_REALS];     // of a material: E, nu, density; real constants; a section: thickness
    int index;                   // of a material in the mesh, -1: none yet
} lmb_cdb_entry;

typedef struct lmb_cdb_entries {
    int count, capacity;
    lmb_cdb_entry *list;
    lmb_label_map map;
} lmb_cdb_entries;

typedef struct lmb_cdb {
    lmb_scan scan;
    lmb_mesh *mesh;
    lmb_cdb_entries types, materials, reals, sections, properties;
    int section; // that SECDATA belongs to, 0: none
    lmb_piece field[LMB_CDB_FIELDS];
    int field_count;
    bool told_hex8;
} lmb_cdb;

// The entry of a number, made if it is not there; NULL: failed.
lmb_cdb_entry *lmb_cdb_entry_of(lmb_cdb *c, lmb_cdb_entries *e, int label);
const lmb_cdb_entry *lmb_cdb_entry_find(const lmb_cdb_entries *e, int label); // NULL: none
void lmb_cdb_note(lmb_cdb *c, int line, const char *what);                    // for the report
bool lmb_cdb_is(const lmb_cdb *c, int i, const char *word);                   // field i of the command
int lmb_cdb_integer(lmb_cdb *c, int i, const char *what);

// ETBLOCK, NBLOCK, EBLOCK, CMBLOCK, RLBLOCK
void lmb_cdb_read_types(lmb_cdb *c);
void lmb_cdb_read_nodes(lmb_cdb *c);
void lmb_cdb_read_elements(lmb_cdb *c);
void lmb_cdb_read_component(lmb_cdb *c);
void lmb_cdb_read_reals(lmb_cdb *c);

#endif
