// io/geo_scan.h: what a script of gmsh may do.
//
// A .geo file is a program: it can start others, and read and write files.  The scan reads its words and lets only those
// pass that make geometry, sizes and numbers; files that it reads must be named by plain texts, beside it or below.
// Words of up to three letters, or that begin with a small one, are variables: gmsh has no such commands that do harm.
#ifndef LMB_IO_GEO_SCAN_H
#define LMB_IO_GEO_SCAN_H

#include "core/core.h"

typedef enum lmb_geo_use { LMB_GEO_SCRIPT, LMB_GEO_SHAPE } lmb_geo_use; // read as a script, or as geometry
// Told of each file that is read.
typedef lmb_status lmb_geo_file(void *user, const char *name, lmb_geo_use use, lmb_where where,
                                lmb_error *err);

// LMB_OK: it holds nothing else.  name: of the script, for messages.
lmb_status lmb_geo_scan(const char *text, size_t length, const char *name, lmb_geo_file *file, void *user,
                        lmb_error *err);

#endif
