// api/part_api.c: parts of the public header: reduction into files, modes.
#include "api/part_file.h"
#include "os/memory.h"
#include "os/outfile.h"
#include "store/flex_file.h"

#include <string.h>

static const lmb_part_settings no_settings = {0};

static lmb_watch watch_of(const lmb_part_settings *s) {
    return (lmb_watch){s->progress, s->user, lmb_memory_available, s->threads};
}

static lmb_part_options options_of(const lmb_part_file *f, const lmb_part_settings *s) {
    return (lmb_part_options){f->name, s->factoriser, watch_of(s), f->provenance.text,
                              f->held, f->held_count};
}

lmb_status lmb_part_file_build(lmb_part_model **out, lmb_part_contents *contents, const lmb_part_file *f,
                               const lmb_part_settings *s, lmb_error *err) {
    lmb_watch watch = watch_of(s);
    lmb_part_options o = options_of(f, s);
    *out = NULL;
    lmb_status st = lmb_part_file_contents(contents, f, &watch, err);
    return st ? st : lmb_part_model_create(out, &f->part, &contents->source, &o, err);
}

lmb_status lmb_part_file_compute(lmb_flex **out, lmb_text *report, const lmb_part_file *f,
                                 const lmb_part_settings *s, lmb_error *err) {
    lmb_part_contents contents = {0};
    lmb_part_model *m;
    lmb_watch watch = watch_of(s);
    double begin = lmb_clock();
    lmb_status st = lmb_part_file_build(&m, &contents, f, s, err);
    if (st == LMB_OK && !lmb_watch_tell(&watch, -1, "%s", lmb_part_model_summary(m)))
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    if (st == LMB_OK) st = lmb_part_model_reduce(out, m, err);
    if (st == LMB_OK && report &&
        !lmb_text_add(report, "%sreduced in %.3g s\n", lmb_part_model_summary(m), lmb_clock() - begin))
        st = lmb_fail_memory(err);
    lmb_part_model_destroy(m);
    lmb_part_contents_free(&contents);
    return st;
}

lmb_status lmb_part_file_reduce(lmb_flex **out, lmb_text *report, lmb_part_file *f,
                                const lmb_part_settings *s, lmb_error *err) {
    bool cached = !s->no_cache && f->cacheable;
    lmb_cache_key key = {0};
    if (cached) key = lmb_part_file_key(f, s);
    *out = cached ? lmb_cache_get(&key) : NULL;
    if (*out == NULL) {
        lmb_status st = lmb_part_file_compute(out, report, f, s, err);
        if (st == LMB_OK && cached) lmb_cache_put(&key, *out);
        return st;
    }
    // the cached part may have another name
    (*out)->name = lmb_arena_strdup((*out)->arena, f->name);
    bool ok = (*out)->name && (report == NULL || lmb_text_add(report, "unchanged: read from the cache\n"));
    if (ok) return LMB_OK;
    lmb_flex_destroy(*out);
    *out = NULL;
    return lmb_fail_memory(err);
}

lmb_status lmb_reduce_file(char **report, const char *output, const char *part,
                           const lmb_part_settings *settings, lmb_error *err) {
    const lmb_part_settings *s = settings ? settings : &no_settings;
    lmb_part_file file;
    lmb_flex *f = NULL;
    lmb_text text = {0};
    if (report) *report = NULL;
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_part_file_open(&file, part, s, err);
    if (st == LMB_OK && output) st = lmb_flex_check_output(output, err);
    if (st == LMB_OK) st = lmb_part_file_reduce(&f, &text, &file, s, err);
    if (st == LMB_OK && !lmb_flex_describe(&text, f)) st = lmb_fail_memory(err);
    if (st == LMB_OK && output) st = lmb_flex_write_file(output, f, err);
    if (st == LMB_OK && report) *report = text.text, text = (lmb_text){0};
    lmb_locale_end(locale);
    lmb_text_free(&text);
    lmb_flex_destroy(f);
    lmb_part_file_close(&file);
    return st;
}

// ---- modes -------------------------------------------------------------------------------------

static const char *next_site(void *user, int i) { return lmb_part_model_site_name(user, i); }

static lmb_status find_clamps(int *held, const lmb_part_model *m, const lmb_modes_wanted *w, lmb_error *err) {
    for (int i = 0; i < w->clamp_count; i++) {
        held[i] = lmb_part_model_site(m, w->clamp[i]);
        if (held[i] >= 0 && !lmb_part_model_is_held(m)) continue;
        bool support = false;
        for (int k = 0; lmb_part_model_support(m, k); k++)
            support = support || strcmp(lmb_part_model_support(m, k), w->clamp[i]) == 0;
        if (support) continue;
        if (held[i] >= 0)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "'%s' cannot be clamped together with supports of the deck", w->clamp[i]);
        const char *near = lmb_nearest(w->clamp[i], next_site, (void *)m),
                   *first = lmb_part_model_site_name(m, 0);
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the part has no interface or marker '%s'%s%s%s",
                        w->clamp[i],
                        near    ? "; did you mean '"
                        : first ? "; available: '"
                                : " (it has no interfaces or markers)",
                        near    ? near
                        : first ? first
                                : "",
                        near    ? "'?"
                        : first ? "'"
                                : "");
    }
    return LMB_OK;
}

static lmb_status find_modes(lmb_modes *out, const lmb_part_model *m, const lmb_modes_wanted *w,
                             lmb_error *err) {
    enum { USUAL = 10, MANY = 1000 };
    lmb_eigen modes = {0};
    lmb_eigen_wanted wanted = {.count = w->count               ? w->count
                                        : w->max_frequency > 0 ? MANY
                                                               : USUAL,
                               .limit = w->max_frequency};
    int *held = lmb_alloc((size_t)w->clamp_count + 1, sizeof *held);
    lmb_status st = held ? find_clamps(held, m, w, err) : lmb_fail_memory(err);
    if (st == LMB_OK)
        st = lmb_part_model_modes(&modes, &out->effective, m, held, w->clamp_count, &wanted, err);
    if (st == LMB_OK) {
        out->count = modes.count, out->mass = lmb_part_model_fe(m)->mass,
        out->equations = lmb_part_model_fe(m)->n;
        out->frequency = modes.values, modes.values = NULL;
        out->summary = lmb_strdup(lmb_part_model_summary(m));
        if (out->summary == NULL) st = lmb_fail_memory(err);
    }
    lmb_eigen_free(&modes);
    lmb_free(held);
    return st;
}

lmb_status lmb_modes_file(lmb_modes *out, const char *part, const lmb_modes_wanted *wanted,
                          const lmb_part_settings *settings, lmb_error *err) {
    const lmb_part_settings *s = settings ? settings : &no_settings;
    lmb_part_file file;
    lmb_part_contents contents = {0};
    lmb_part_model *m = NULL;
    *out = (lmb_modes){0};
    if (wanted->count < 0 || wanted->max_frequency < 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "the number of modes and the maximum frequency must not be negative");
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_part_file_open(&file, part, s, err);
    file.held = wanted->clamp, file.held_count = wanted->clamp_count;
    if (st == LMB_OK) st = lmb_part_file_build(&m, &contents, &file, s, err);
    if (st == LMB_OK) st = find_modes(out, m, wanted, err);
    lmb_locale_end(locale);
    lmb_part_model_destroy(m);
    lmb_part_contents_free(&contents);
    lmb_part_file_close(&file);
    if (st != LMB_OK) lmb_modes_release(out);
    return st;
}

lmb_status lmb_modes_write(const char *path, const lmb_modes *m, const char *part, lmb_error *err) {
    lmb_outfile o;
    lmb_status st = lmb_outfile_open(&o, path, part, err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    fputs(m->effective ? "mode,frequency [Hz],x,y,z,rx,ry,rz\n" : "mode,frequency [Hz]\n", o.f);
    for (int i = 0; i < m->count; i++) {
        fprintf(o.f, "%d,%.12g", i + 1, m->frequency[i]);
        for (int k = 0; m->effective && k < 6; k++) fprintf(o.f, ",%.6g", m->effective[6 * i + k]);
        fputc('\n', o.f);
    }
    lmb_locale_end(locale);
    return lmb_outfile_close(&o, LMB_OK, err);
}

void lmb_modes_release(lmb_modes *m) {
    lmb_free(m->frequency), lmb_free(m->effective), lmb_free(m->summary);
    *m = (lmb_modes){0};
}

lmb_status lmb_cache_clear(int *count, lmb_error *err) { return lmb_cache_empty(count, err); }
