// read/reference_file.c: tables of numbers over time from other programs.
#include "read/reference_file.h"

#include "os/files.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_separator(char c) {
    return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// the number in a column: two adjacent commas or semicolons enclose an empty column
static bool column(double *out, const char *line, int number) {
    const char *p = line + strspn(line, " \t");
    for (; number > 0; number--) {
        while (*p && !is_separator(*p)) p++;
        p += strspn(p, " \t");
        if (*p == ',' || *p == ';') p++;
        p += strspn(p, " \t");
    }
    char *end;
    *out = strtod(p, &end);
    return end != p && (*end == '\0' || is_separator(*end));
}

static bool add(lmb_reference_table *t, int *capacity, double time, double value) {
    if (t->count == *capacity) {
        int grown = *capacity ? 2 * *capacity : 256;
        double *a = lmb_realloc(t->time, (size_t)grown, sizeof *a);
        if (a) t->time = a;
        double *b = lmb_realloc(t->value, (size_t)grown, sizeof *b);
        if (b) t->value = b;
        if (a == NULL || b == NULL) return false;
        *capacity = grown;
    }
    t->time[t->count] = time;
    t->value[t->count++] = value;
    return true;
}

static lmb_status read_lines(lmb_reference_table *out, FILE *f, const char *path, lmb_reference_columns c,
                             lmb_error *err) {
    char line[8192];
    int capacity = 0;
    for (int number = 1; fgets(line, sizeof line, f); number++) {
        const char *first = line + strspn(line, " \t\r\n");
        double time, value;
        if (number <= c.skip_lines || *first == '\0' || strchr("#%!", *first)) continue;
        bool heading = isalpha((unsigned char)*first) || *first == '"';
        if (heading && out->count > 0) break;
        if (heading) continue;
        if (!column(&time, line, c.time) || !column(&value, line, c.value))
            return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, number, 1},
                            "no number in column %d or %d (counted from 0)", c.time, c.value);
        if (!add(out, &capacity, time, value)) return lmb_fail_memory(err);
    }
    if (ferror(f))
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot read '%s': %s", path, strerror(errno));
    if (out->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, 1, 1},
                        "the file contains no columns of numbers");
    return LMB_OK;
}

lmb_status lmb_reference_read(lmb_reference_table *out, bool *found, const char *path,
                              lmb_reference_columns c, lmb_error *err) {
    *out = (lmb_reference_table){0};
    FILE *f = lmb_file_stream(path);
    *found = f != NULL;
    if (f == NULL && errno != ENOENT && errno != ENOTDIR)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot read '%s': %s", path, strerror(errno));
    if (f == NULL) return LMB_OK;
    lmb_status st = read_lines(out, f, path, c, err);
    fclose(f);
    return st;
}

void lmb_reference_free(lmb_reference_table *t) {
    lmb_free(t->time);
    lmb_free(t->value);
    *t = (lmb_reference_table){0};
}

// ---- columns by their names --------------------------------------------------------------------

// the first line of text; empty: there is none before the numbers
static lmb_status read_heading(char *line, int size, const char *path, lmb_error *err) {
    FILE *f = lmb_file_stream(path);
    if (f == NULL)
        return lmb_fail(err, errno == ENOENT ? LMB_ERR_INPUT : LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "cannot read '%s': %s", path, strerror(errno));
    const char *first = line;
    do {
        if (!fgets(line, size, f)) *line = '\0';
        first = line + strspn(line, " \t\r\n");
    } while (*line && (*first == '\0' || strchr("#%!", *first)));
    if (!isalpha((unsigned char)*first) && *first != '"') *line = '\0';
    fclose(f);
    return LMB_OK;
}

// the next name of a heading, without blanks, quotes and unit; false: there is none
static bool next_name(char name[LMB_COLUMN_NAME], const char **line, const char *separators) {
    const char *p = *line + strspn(*line, " \t\r\n\""), *end = p + strcspn(p, separators);
    if (*p == '\0') return false;
    size_t length = strcspn(p, "[(\"\r\n");
    if (length > (size_t)(end - p)) length = (size_t)(end - p);
    while (length > 0 && isspace((unsigned char)p[length - 1])) length--;
    snprintf(name, LMB_COLUMN_NAME, "%.*s", (int)(length < LMB_COLUMN_NAME ? length : LMB_COLUMN_NAME - 1),
             p);
    *line = *end ? end + 1 : end;
    return true;
}

lmb_status lmb_columns_name(char name[LMB_COLUMN_NAME], const char *path, int k, lmb_error *err) {
    char line[8192];
    const char *p = line;
    lmb_status st = read_heading(line, sizeof line, path, err);
    const char *separators = strpbrk(line, ",;\t") ? ",;\t" : " ";
    for (int i = 0; st == LMB_OK && i <= k; i++)
        if (!next_name(name, &p, separators)) return *name = '\0', st;
    return st;
}

// number of the column of that name
static lmb_status find_column(int *out, const char *path, const char *wanted, lmb_error *err) {
    char name[LMB_COLUMN_NAME];
    lmb_status st = LMB_OK;
    for (*out = 0; (st = lmb_columns_name(name, path, *out, err)) == LMB_OK && *name; ++*out)
        if (strcmp(name, wanted) == 0) return LMB_OK;
    if (st != LMB_OK) return st;
    return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, 1, 1},
                    "there is no column '%s'; the first line must name the columns, as in time,force",
                    wanted);
}

static lmb_status check_increasing(const lmb_knots *p, const char *path, lmb_error *err) {
    if (p->count < 2)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, 1, 1}, "a table needs two rows at least");
    for (int i = 0; i < p->count; i++) {
        if (!isfinite(p->x[i]) || !isfinite(p->y[i]))
            return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, 1, 1},
                            "row %d of the numbers contains one that is not finite", i + 1);
        if (i > 0 && !(p->x[i] > p->x[i - 1]))
            return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, 1, 1},
                            "the first quantity of the table must increase, but %.9g follows %.9g in row %d "
                            "of the numbers",
                            p->x[i], p->x[i - 1], i + 1);
    }
    return LMB_OK;
}

lmb_status lmb_columns_read(lmb_knots *out, const char *path, const char *x, const char *y, lmb_error *err) {
    lmb_reference_columns c = {0, 1, 0};
    lmb_reference_table t = {0};
    bool found = true;
    *out = (lmb_knots){0};
    lmb_status st = x ? find_column(&c.time, path, x, err) : LMB_OK;
    if (st == LMB_OK && y) st = find_column(&c.value, path, y, err);
    if (st == LMB_OK) st = lmb_reference_read(&t, &found, path, c, err);
    if (st == LMB_OK && !found) st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "there is no file '%s'", path);
    *out = (lmb_knots){t.count, t.time, t.value};
    if (st == LMB_OK) st = check_increasing(out, path, err);
    if (st != LMB_OK) lmb_knots_free(out);
    return st;
}
