// draw/page.c: writes a block of data into the template of the viewer.
#include "draw/page.h"
#include "core/sha256.h"
#include "draw/ramp.h"
#include "os/outfile.h"

#include <math.h>
#include <string.h>

static const char title_mark[] = "@@limber-title@@", data_mark[] = "@@limber-data@@";

// ---- header --------------------------------------------------------------------------------------

void lmb_page_string(lmb_page *p, const char *s) { p->ok = p->ok && lmb_json_string(&p->header, s); }

void lmb_page_number(lmb_page *p, double x) {
    if (isfinite(x)) LMB_PAGE_ADD(p, "%.17g", x);
    else LMB_PAGE_ADD(p, "null");
}

void lmb_page_text(lmb_page *p, const char *key, const char *s) {
    LMB_PAGE_ADD(p, ", \"%s\": ", key);
    if (s) lmb_page_string(p, s);
    else LMB_PAGE_ADD(p, "null");
}

void lmb_page_names(lmb_page *p, const char *key, char *const *names, int count) {
    LMB_PAGE_ADD(p, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) LMB_PAGE_ADD(p, "%s", i ? ", " : ""), lmb_page_string(p, names[i]);
    LMB_PAGE_ADD(p, "]");
}

// colours of the scale, from the first to the last, on a light and on a dark page
void lmb_page_ramp(lmb_page *p) {
    enum { STOPS = 33 };
    static const char *const names[] = {[LMB_ON_WHITE] = "light", [LMB_ON_DARK] = "dark"};
    LMB_PAGE_ADD(p, "\"ramp\": {");
    for (lmb_ground on = LMB_ON_WHITE; on <= LMB_ON_DARK; on++) {
        LMB_PAGE_ADD(p, "%s\"%s\": [", on ? ", " : "", names[on]);
        for (int i = 0; i < STOPS; i++)
            LMB_PAGE_ADD(p, "%s\"%s\"", i ? ", " : "", lmb_ramp_hex(i / (STOPS - 1.0), on).text);
        LMB_PAGE_ADD(p, "]");
    }
    LMB_PAGE_ADD(p, "}");
}

// ---- arrays --------------------------------------------------------------------------------------

struct lmb_page_known { // an array that was put
    unsigned char digest[LMB_SHA256_SIZE];
    uint64_t at;
    bool repeats; // an earlier one
};

size_t lmb_array_bytes(lmb_array_type type) { return type == LMB_F8 ? 8 : 4; }

static void entry_at(lmb_page *p, const char *name, lmb_array_type type, long rows, long columns,
                     uint64_t at) {
    static const char *const names[] = {"f4", "f8", "i4"};
    LMB_PAGE_ADD(p, "\"%s\": {\"at\": %llu, \"type\": \"%s\", \"rows\": %ld, \"columns\": %ld", name,
                 (unsigned long long)at, names[type], rows, columns);
}

void lmb_page_entry(lmb_page *p, const char *name, lmb_array_type type, long rows, long columns) {
    entry_at(p, name, type, rows, columns, p->at);
    p->at += (lmb_array_bytes(type) * (uint64_t)rows * (uint64_t)columns + 7) / 8 * 8;
}

lmb_status lmb_page_send(lmb_page *p, unsigned char *data, lmb_array_type type, long rows, long columns,
                         lmb_error *err) {
    size_t size = lmb_array_bytes(type) * (size_t)rows * (size_t)columns;
    unsigned char *scratch = data ? lmb_alloc(size, 1) : NULL;
    lmb_status st = scratch ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        lmb_pack_shuffle(scratch, data, rows, columns, (int)lmb_array_bytes(type));
        st = lmb_pack_add(p->pack, data, size, err);
    }
    if (st == LMB_OK) st = lmb_pack_align(p->pack, err);
    lmb_free(scratch);
    lmb_free(data);
    return st;
}

static const unsigned char *numbers_of(const lmb_array *a) {
    return a->f8 ? (const void *)a->f8 : a->f4 ? (const void *)a->f4 : (const void *)a->i4;
}

static lmb_status send_array(lmb_page *p, const lmb_array *a, lmb_error *err) {
    size_t size = lmb_array_bytes(a->type), count = (size_t)a->rows * (size_t)a->columns;
    const unsigned char *from = numbers_of(a);
    unsigned char *data = lmb_alloc(count, size);
    if (data == NULL) return lmb_fail_memory(err);
    for (long r = 0; r < a->rows; r++)
        for (long c = 0; c < a->columns; c++)
            memcpy(data + size * (size_t)(c * a->rows + r), from + size * (size_t)(r * a->columns + c), size);
    return lmb_page_send(p, data, a->type, a->rows, a->columns, err);
}

// what the array is: its numbers and its shape
static void digest_of(unsigned char out[LMB_SHA256_SIZE], const lmb_array *a) {
    lmb_sha256 hash;
    long shape[] = {(long)a->type, a->rows, a->columns};
    lmb_sha256_begin(&hash);
    lmb_sha256_add(&hash, shape, sizeof shape);
    lmb_sha256_add(&hash, numbers_of(a), lmb_array_bytes(a->type) * (size_t)a->rows * (size_t)a->columns);
    lmb_sha256_end(out, &hash);
}

// enters an array in the list, with the place of an equal one if there is one
static bool know(lmb_page *p, const lmb_array *a) {
    if (p->known_count == p->known_size) {
        int size = 2 * p->known_size + 64;
        struct lmb_page_known *more = lmb_realloc(p->known, (size_t)size, sizeof *more);
        if (more == NULL) return false;
        p->known = more, p->known_size = size;
    }
    struct lmb_page_known *k = &p->known[p->known_count];
    *k = (struct lmb_page_known){.at = p->at};
    digest_of(k->digest, a);
    for (int i = 0; i < p->known_count && !k->repeats; i++) {
        k->repeats = memcmp(p->known[i].digest, k->digest, sizeof k->digest) == 0;
        if (k->repeats) k->at = p->known[i].at;
    }
    p->known_count++;
    return true;
}

static lmb_status put_known(lmb_page *p, const lmb_array *a, lmb_error *err) {
    if (p->pack) return p->known[p->next++].repeats ? LMB_OK : send_array(p, a, err);
    if (!know(p, a)) return lmb_fail_memory(err);
    const struct lmb_page_known *k = &p->known[p->known_count - 1];
    if (k->repeats) entry_at(p, a->name, a->type, a->rows, a->columns, k->at);
    else lmb_page_entry(p, a->name, a->type, a->rows, a->columns);
    LMB_PAGE_ADD(p, "}");
    return LMB_OK;
}

lmb_status lmb_page_put(lmb_page *p, const lmb_array *a, lmb_error *err) {
    if (p->once) return put_known(p, a, err);
    if (p->pack) return send_array(p, a, err);
    lmb_page_entry(p, a->name, a->type, a->rows, a->columns);
    LMB_PAGE_ADD(p, "}");
    return LMB_OK;
}

// ---- files ---------------------------------------------------------------------------------------

static lmb_status write_data(lmb_page *p, const lmb_page_plan *plan, FILE *f, lmb_error *err) {
    lmb_pack *pack = lmb_alloc(1, sizeof *pack);
    lmb_status st = pack ? lmb_pack_begin(pack, f, err) : lmb_fail_memory(err);
    if (st == LMB_OK) {
        uint32_t length = (uint32_t)p->header.length;
        p->pack = pack;
        st = lmb_pack_add(pack, &length, sizeof length, err);
        if (st == LMB_OK) st = lmb_pack_add(pack, p->header.text, p->header.length, err);
        if (st == LMB_OK) st = lmb_pack_align(pack, err);
        if (st == LMB_OK) st = plan->put(p, plan->user, err);
        if (st == LMB_OK) st = lmb_pack_end(pack, err);
        lmb_pack_free(pack);
    }
    lmb_free(pack);
    return st;
}

static void write_escaped(FILE *f, const char *s) {
    for (; *s; s++) {
        if (*s == '<') fputs("&lt;", f);
        else if (*s == '>') fputs("&gt;", f);
        else if (*s == '&') fputs("&amp;", f);
        else fputc(*s, f);
    }
}

// writes the template up to mark; returns the rest after mark
static const char *write_until(FILE *f, const char *page, const char *mark) {
    const char *end = strstr(page, mark);
    fwrite(page, 1, (size_t)(end - page), f);
    return end + strlen(mark);
}

static lmb_status write_page(lmb_page *p, const lmb_page_plan *plan, FILE *f, lmb_error *err) {
    const char *rest = write_until(f, plan->page, title_mark);
    write_escaped(f, plan->title);
    rest = write_until(f, rest, data_mark);
    lmb_status st = write_data(p, plan, f, err);
    fputs(rest, f);
    return st;
}

lmb_status lmb_page_check(const char *page, lmb_error *err) {
    const char *title = page ? strstr(page, title_mark) : NULL;
    if (title && strstr(title, data_mark)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the page template lacks the marks %s and %s",
                    title_mark, data_mark);
}

lmb_status lmb_page_make(lmb_page *p, const lmb_page_plan *plan, lmb_error *err) {
    lmb_outfile out;
    lmb_status st = plan->put(p, plan->user, err);
    if (st == LMB_OK && !p->ok) st = lmb_fail_memory(err);
    for (int i = 1; i < plan->input_count && st == LMB_OK; i++)
        st = lmb_output_check(plan->path, plan->inputs[i], err);
    if (st == LMB_OK)
        lmb_output_sweep(plan->path), st = lmb_outfile_open(&out, plan->path, plan->inputs[0], err);
    return st == LMB_OK ? lmb_outfile_close(&out, write_page(p, plan, out.f, err), err) : st;
}

void lmb_page_free(lmb_page *p) {
    lmb_text_free(&p->header);
    lmb_free(p->known);
}
