// store/results_column.c: one column of a table: its file holds whole rows, so blocks of them are read and one number of each is kept.
#include "store/results.h"

enum { BLOCK = 1 << 16 }; // numbers that are read at a time, about

static lmb_status read_column(double *out, double *block, lmb_reader *r, int g, const lmb_series *columns,
                              const char *table, int column, lmb_row_range rows, lmb_error *err) {
    const long most = columns->columns < BLOCK ? BLOCK / columns->columns : 1, end = rows.first + rows.count;
    lmb_status st = LMB_OK;
    for (lmb_row_range now = {rows.first, 0}; now.first < end && st == LMB_OK; now.first += now.count) {
        now.count = end - now.first < most ? end - now.first : most;
        st = lmb_reader_block(block, r, g, table, now, err);
        for (long i = 0; i < now.count && st == LMB_OK; i++) *out++ = block[i * columns->columns + column];
    }
    return st;
}

lmb_status lmb_reader_column(double *out, lmb_reader *r, int g, const char *table, int column,
                             lmb_row_range rows, lmb_error *err) {
    lmb_series columns = {0};
    lmb_status st = lmb_reader_columns(&columns, r, g, table, err);
    if (st != LMB_OK) return st;
    if (column < 0 || column >= columns.columns)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "table '%.100s' has %d columns, but no column %d",
                      table, columns.columns, column);
    double *block = st == LMB_OK ? lmb_alloc(BLOCK + (size_t)columns.columns, sizeof *block) : NULL;
    if (st == LMB_OK && block == NULL) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = read_column(out, block, r, g, &columns, table, column, rows, err);
    lmb_free(block);
    lmb_series_free(&columns);
    return st;
}

void lmb_names_free(char **names) { lmb_free(names); }
