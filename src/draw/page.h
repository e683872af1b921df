// draw/page.h: a page: the template of the viewer with one block of data in it.
//
// The block is deflated and written as base64, so that nothing of a model can become part of the page:
//   4 bytes: length n of the header;  n bytes: header (JSON, UTF-8);  then arrays, each at a multiple of 8 bytes
// The header names each array by {"at", "type": "f4" | "f8" | "i4", "rows", "columns"}; at counts from the first
// multiple of 8 after the header.  Arrays are stored column by column, shuffled (pack.h).
//
// It is made twice: first the header, in which places of arrays are counted, then the arrays in the same order.
#ifndef LMB_DRAW_PAGE_H
#define LMB_DRAW_PAGE_H

#include <limber/limber.h>

#include "core/json.h"
#include "draw/pack.h"

typedef enum lmb_array_type { LMB_F4, LMB_F8, LMB_I4 } lmb_array_type;

typedef struct lmb_page {
    lmb_text header;
    lmb_pack *pack; // NULL: only the header is made
    uint64_t at;    // where the next array goes
    bool ok;        // no allocation failed
    bool once;      // equal arrays (lmb_page_put) are stored once
    struct lmb_page_known *known;
    int known_count, known_size, next;
} lmb_page;

// Parts of the header, in the first pass only.
#define LMB_PAGE_ADD(p, ...) ((p)->ok = (p)->ok && lmb_text_add(&(p)->header, __VA_ARGS__))
void lmb_page_string(lmb_page *p, const char *s);                // as JSON
void lmb_page_number(lmb_page *p, double x);                     // null: not finite
void lmb_page_text(lmb_page *p, const char *key, const char *s); // , "key": "s"; NULL: null
void lmb_page_names(lmb_page *p, const char *key, char *const *names, int count);

// "ramp": {"light": [...], "dark": [...]}: the colour scale (ramp.h)
void lmb_page_ramp(lmb_page *p);

// ---- arrays --------------------------------------------------------------------------------------

typedef struct lmb_array { // rows x columns, row by row
    const char *name;
    lmb_array_type type;
    long rows, columns;
    const double *f8;
    const float *f4;
    const int32_t *i4;
} lmb_array;

size_t lmb_array_bytes(lmb_array_type type); // of a number
// The entry of an array in the header, without the closing brace; it has a place of its own.
void lmb_page_entry(lmb_page *p, const char *name, lmb_array_type type, long rows, long columns);
// Shuffles and writes numbers stored column by column; releases data.
lmb_status lmb_page_send(lmb_page *p, unsigned char *data, lmb_array_type type, long rows, long columns,
                         lmb_error *err);
// In the first pass the entry of the header, in the second the numbers.
lmb_status lmb_page_put(lmb_page *p, const lmb_array *a, lmb_error *err);

// ---- files ---------------------------------------------------------------------------------------

typedef struct lmb_page_plan {
    const char *path, *title, *page; // page: the template
    const char *const *inputs;       // files that are read meanwhile
    int input_count;
    lmb_status (*put)(lmb_page *p, void *user, lmb_error *err); // called once for each pass
    void *user;
} lmb_page_plan;

lmb_status lmb_page_check(const char *page, lmb_error *err); // that it is a template
lmb_status lmb_page_make(lmb_page *p, const lmb_page_plan *plan, lmb_error *err);
void lmb_page_free(lmb_page *p);

#endif
