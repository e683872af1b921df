// mesh/scan.h: numbers and lines of a text in memory that need not end with a zero.
#ifndef LMB_SCAN_H
#define LMB_SCAN_H

#include "core/core.h"

// A place in a text.  The first failure stays: afterwards the text is at its end.
typedef struct lmb_scan {
    const char *at, *end;
    const char *file;
    int line;
    lmb_status status;
    lmb_error *err;
} lmb_scan;

// A piece of a text.
typedef struct lmb_piece {
    const char *at;
    int length;
} lmb_piece;

// fails at the current line (where.line 0 if line is 0)
lmb_status lmb_scan_fail(lmb_scan *s, const char *format, ...) LMB_PRINTF(2, 3);
lmb_status lmb_scan_memory(lmb_scan *s);

// A number at `at`: decimal, exponent letter e or d, the same in every locale.  Answers how many characters it takes,
// 0: there is none.  Too large ones are infinite: the caller checks.
size_t lmb_scan_number(double *out, const char *at, const char *end);

lmb_piece lmb_piece_trim(lmb_piece p);            // without blanks at both ends
bool lmb_piece_is(lmb_piece p, const char *word); // case ignored
bool lmb_piece_number(double *out, lmb_piece p);  // the whole piece is a finite number
bool lmb_piece_integer(int *out, lmb_piece p);    // the whole piece is an int
lmb_piece lmb_piece_cut(lmb_piece *rest,
                        char separator);            // up to the separator, trimmed; *rest goes on behind it
bool lmb_scan_line(lmb_piece *out, lmb_scan *s);    // the next line, trimmed; s->line is its number
bool lmb_scan_columns(lmb_piece *out, lmb_scan *s); // the same with its blanks, for fixed columns
lmb_piece lmb_piece_columns(lmb_piece line, int from, int width); // trimmed; empty behind the end

#endif
