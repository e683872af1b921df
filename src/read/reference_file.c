// read/reference_file.c: tables of numbers over time from other programs.
#include "read/reference_file.h"

#include "os/files.h"

#include <ctype.h>
#include <errno.h>
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
