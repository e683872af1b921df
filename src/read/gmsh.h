// read/gmsh.h: runs the program gmsh: no shell, in a temporary folder that is always removed.
#ifndef LMB_READ_GMSH_H
#define LMB_READ_GMSH_H

#include "linalg/symmetric.h"

typedef struct lmb_gmsh { // the temporary folder and the files in it
    char folder[256], mesh[300], log[300], script[300], list[300];
    const char *path;     // what is meshed, for messages
    const char *keep_log; // where its log is kept if it fails; NULL: nowhere
    double time_limit;    // s
} lmb_gmsh;

// s->path and what follows it are given.
lmb_status lmb_gmsh_begin(lmb_gmsh *g, lmb_error *err);
void lmb_gmsh_end(lmb_gmsh *g);
// Runs gmsh with these arguments (NULL-ended, the first is "gmsh"). doing: for the watch, "meshing".  The watch may stop it.
// result: a file that it must have written, else it has failed.
lmb_status lmb_gmsh_run(const lmb_gmsh *g, char *const *arguments, const char *doing, const char *result,
                        const lmb_watch *watch, lmb_error *err);
lmb_status lmb_gmsh_write_script(const lmb_gmsh *g, const lmb_text *script, lmb_error *err);

#endif
