// api/tables.h: the tables of a results file: their columns, and their rows at a state.
#ifndef LMB_IO_TABLES_H
#define LMB_IO_TABLES_H

#include "api/handles.h"
#include "api/picture.h"
#include "solve/plant_modes.h"
#include "store/results.h"
#include "system/correction.h"
#include "system/leading.h"

enum {
    LMB_TABLE_Q,
    LMB_TABLE_V,
    LMB_TABLE_SENSORS,
    LMB_TABLE_REACTIONS,
    LMB_TABLE_FORCES,
    LMB_TABLE_LOADS,
    LMB_TABLE_ENERGIES,
    LMB_TABLE_CORRECTION,
    LMB_TABLE_PLACES,
    LMB_TABLE_ACTIVE,
    LMB_TABLE_BARS,
    LMB_TABLE_COUNT,
    // modes analyses only: a row is a mode; the tables above contain the state of linearisation
    LMB_TABLE_MODES = LMB_TABLE_COUNT,
    LMB_TABLE_SHAPES_RE,
    LMB_TABLE_SHAPES_IM,
    LMB_TABLE_PLACES_RE,
    LMB_TABLE_PLACES_IM,
    LMB_TABLE_MODES_END,
    // linearise only: a row is a mode
    LMB_TABLE_REACH = LMB_TABLE_MODES_END,
    LMB_TABLE_SIGHT,
    LMB_TABLE_ALL
};

typedef struct lmb_tables {
    const lmb_system *system;
    lmb_arena *arena; // names
    lmb_table table[LMB_TABLE_ALL];
    lmb_reading reading;
    double *sensors, *reactions, *forces, *loads, *active;
    lmb_correction *correction; // since it was cleared
    lmb_leading *leading;       // NULL: not wanted
    double *bars;               // not known before the end: not numbers
    lmb_places places;
    lmb_switches switches;
    double *shown[4]; // q, v, shapes (real, imaginary) as they are shown
    double *place[3]; // rows of places, their increments (real, imaginary)
    const double *rows[LMB_TABLE_ALL];
} lmb_tables;

typedef struct lmb_table_wishes {
    bool loads; // sums for further shape functions (system/leading.h)
    bool bars;  // a table of error bars, which api/bars.h fills
} lmb_table_wishes;
lmb_status lmb_tables_create(lmb_tables **out, const lmb_system *s, lmb_table_wishes w, lmb_error *err);
// Whether an error bar belongs to a sensor (of lmb_system_sensor_name).
bool lmb_tables_has_bar(const lmb_system *s, int sensor);
void lmb_tables_destroy(lmb_tables *t); // takes NULL
// A row of each table; valid until the next call or until d changes. Takes no memory.
const double *const *lmb_tables_row(lmb_tables *t, lmb_data *d);
// The same with mode k.
const double *const *lmb_tables_mode(lmb_tables *t, lmb_data *d, const lmb_mode_set *modes, long k);

// The same of a state space.
const double *const *lmb_tables_plant(lmb_tables *t, lmb_data *d, const lmb_mode_set *modes,
                                      const lmb_plant *p, long k);

// The table of an analysis that has one of its own.  false: no memory
bool lmb_tables_own(lmb_table *out, lmb_tables *t, const lmb_own_table *own);

// Analysis g as a group of a results file: name and tables. own: room for the table of an analysis that has one; name has 32 bytes.
lmb_status lmb_tables_group(lmb_group *out, char *name, lmb_table *own, lmb_tables *t, const lmb_program *p,
                            int g, lmb_error *err);

// Frequencies as a table for people: count rows of LMB_MODE_COLUMNS. false: no memory
bool lmb_mode_set_write(lmb_text *out, const double *values, int count);

#endif
