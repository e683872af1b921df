// store/study_record.c: what a member leaves.
#include "store/study_record.h"

#include "core/json.h"
#include "os/bytes.h"
#include "os/files.h"
#include "os/locale.h"
#include "os/outfile.h"

#include <math.h>
#include <string.h>

// the study's path without .h5
static size_t stem(const char *study) {
    size_t length = strlen(study);
    return length > 3 && strcmp(study + length - 3, ".h5") == 0 ? length - 3 : length;
}

static char *path_of(const char *format, const char *study, int folder, int member, const char *ending) {
    lmb_text t = {0};
    bool ok = lmb_text_add_n(&t, study, stem(study)) && lmb_text_add(&t, "%s", format);
    if (ok && member > 0) ok = lmb_text_add(&t, "/%03d/%06d", folder, member);
    if (ok && lmb_text_add(&t, ".%s", ending)) return t.text;
    lmb_text_free(&t);
    return NULL;
}

char *lmb_member_path(const char *study, int k, const char *ending) {
    enum { IN_FOLDER = 1000 };
    return path_of(".members", study, k / IN_FOLDER, k + 1, ending);
}

char *lmb_study_path(const char *study, const char *ending) { return path_of("", study, 0, 0, ending); }

// ---- what it follows from --------------------------------------------------------------------------

static void add_text(lmb_sha256 *s, const char *text) { lmb_sha256_add(s, text, strlen(text) + 1); }

void lmb_member_hash(char out[LMB_SHA256_TEXT], const lmb_study_file *f, int k) {
    lmb_sha256 s;
    unsigned char digest[LMB_SHA256_SIZE];
    lmb_sha256_begin(&s);
    add_text(&s, "limber member 1"), add_text(&s, f->version), add_text(&s, f->text[LMB_STUDY_FINGERPRINT]);
    for (int i = 0; i < f->parameters; i++) {
        const double *value = &f->parameter[(size_t)k * (size_t)f->parameters + (size_t)i];
        add_text(&s, f->parameter_name[i]), lmb_sha256_add(&s, value, sizeof *value);
    }
    for (int i = 0; i < f->measures; i++)
        add_text(&s, f->measure_name[i]), add_text(&s, f->measure_source[i]);
    lmb_sha256_end(digest, &s);
    lmb_sha256_text(out, digest);
}

// ---- JSON ------------------------------------------------------------------------------------------

static bool add_number(lmb_text *t, double x) {
    return isfinite(x) ? lmb_text_add(t, "%.17g", x) : lmb_text_add(t, "null");
}

static bool write_text(lmb_text *t, const char *hash, const lmb_member_record *r, int measures) {
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = lmb_text_add(t, "{\"limber_member\": 1, \"hash\": \"%s\", \"status\": %d, \"seconds\": ", hash,
                           r->status) &&
              add_number(t, r->seconds) && lmb_text_add(t, ", \"measures\": [");
    for (int i = 0; i < measures && ok; i++)
        ok = lmb_text_add(t, i ? ", " : "") && add_number(t, r->measures[i]);
    ok =
        ok && lmb_text_add(t, "], \"message\": ") && lmb_json_string(t, r->message) && lmb_text_add(t, "}\n");
    lmb_locale_end(locale);
    return ok;
}

lmb_status lmb_member_record_write(const char *path, const char *hash, const lmb_member_record *r,
                                   int measures, lmb_error *err) {
    lmb_text t = {0};
    lmb_outfile o;
    if (!write_text(&t, hash, r, measures)) return lmb_text_free(&t), lmb_fail_memory(err);
    lmb_status st = lmb_outfile_open(&o, path, NULL, err);
    if (st == LMB_OK) fputs(t.text, o.f), st = lmb_outfile_close(&o, LMB_OK, err);
    lmb_text_free(&t);
    return st;
}

static bool read_measures(lmb_member_record *out, lmb_json *j, int measures) {
    if (lmb_json_count(j) != measures || !lmb_json_enter(j, '[')) return false;
    for (int i = 0; lmb_json_next(j, ']', i); i++) {
        while (j->at < j->end && *j->at == ' ') j->at++;
        bool null = j->end - j->at >= 4 && memcmp(j->at, "null", 4) == 0;
        out->measures[i] = NAN;
        if (!(null ? lmb_json_skip(j) : lmb_json_number(&out->measures[i], j))) return false;
    }
    return true;
}

static bool read_key(lmb_member_record *out, lmb_json *j, const char *key, const char *hash, int measures,
                     unsigned *seen) {
    static const char *const keys[] = {"limber_member", "hash", "status", "seconds", "measures", "message"};
    char text[LMB_SHA256_TEXT];
    double number = 0;
    int i = 0;
    while (i < LMB_COUNT(keys) && strcmp(keys[i], key) != 0) i++;
    if (i < LMB_COUNT(keys)) *seen |= 1u << i;
    switch (i) {
    case 0: return lmb_json_number(&number, j) && number == 1;
    case 1: return lmb_json_text(text, sizeof text, j) && strcmp(text, hash) == 0;
    case 2:
        if (!lmb_json_number(&number, j) || !(number >= 0 && number <= 3)) return false;
        return out->status = (int)number, true;
    case 3: return lmb_json_number(&out->seconds, j);
    case 4: return read_measures(out, j, measures);
    case 5: return lmb_json_text(out->message, sizeof out->message, j);
    default: return lmb_json_skip(j);
    }
}

bool lmb_member_record_parse(lmb_member_record *out, const char *text, size_t length, const char *hash,
                             int measures) {
    lmb_json j = {.at = text, .end = text + length};
    unsigned seen = 0;
    char key[40];
    if (!lmb_json_enter(&j, '{')) return false;
    for (int i = 0; lmb_json_next(&j, '}', i); i++)
        if (!lmb_json_text(key, sizeof key, &j) || !lmb_json_colon(&j) ||
            !read_key(out, &j, key, hash, measures, &seen))
            return false;
    return lmb_json_end(&j) && seen == 0x3f;
}

lmb_status lmb_member_record_read(bool *found, lmb_member_record *out, const char *path, const char *hash,
                                  int measures, lmb_error *err) {
    lmb_text t = {0};
    *found = false;
    if (!lmb_file_is_there(path)) return LMB_OK;
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_file_load(&t, path, LMB_NOWHERE, err);
    *found = st == LMB_OK && lmb_member_record_parse(out, t.text, t.length, hash, measures);
    lmb_locale_end(locale);
    lmb_text_free(&t);
    return st;
}
