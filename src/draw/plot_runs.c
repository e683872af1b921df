// draw/plot_runs.c: runs that differ in parameters: colours by value, and what tells the values.
#include "draw/gnuplot.h"
#include "draw/plot.h"

#include <string.h>

bool lmb_plot_by_value(const lmb_plot *p) { return p->varied.count > 0; }

static int curves_of(const lmb_plot *p, const char *unit) {
    int count = 0;
    for (int i = 0; i < p->curve_count; i++) count += strcmp(p->curves[i].unit, unit) == 0;
    return count;
}

bool lmb_plot_names_runs(const lmb_plot *p, const char *unit) {
    return curves_of(p, unit) <= LMB_VARIED_NAMED || !(p->varied.spread.high > p->varied.spread.low);
}

lmb_hex lmb_plot_run_color(const lmb_plot *p, int result, const char *unit) {
    return lmb_ramp_hex(lmb_varied_shade(&p->varied, result, curves_of(p, unit)), LMB_ON_WHITE);
}

static void bar(FILE *f, const lmb_plot *p) {
    lmb_text title = {0};
    bool ok = lmb_varied_title(&title, &p->varied);
    lmb_gnuplot_bar(f, &p->varied.spread, ok ? title.text : p->varied.names[0]);
    lmb_text_free(&title);
}

// Without curve names: a key of the quantities, in grey with their dashes.
int lmb_plot_begin_runs(FILE *f, const lmb_plot *p, const char *unit) {
    bool barred = lmb_plot_by_value(p) && !lmb_plot_names_runs(p, unit);
    if (barred) bar(f, p);
    fputs(barred ? "plot NaN with lines linecolor palette notitle" : "plot", f);
    int drawn = barred, last = -1;
    for (int i = 0; i < p->curve_count && barred; i++) {
        const lmb_plot_curve *c = &p->curves[i];
        if (strcmp(c->unit, unit) != 0 || c->quantity <= last) continue;
        fprintf(f, ", keyentry with lines linecolor '#666666' dashtype %d title ", c->quantity % 5 + 1);
        lmb_gnuplot_quote(f, c->name);
        last = c->quantity, drawn++;
    }
    return drawn;
}

// In characters of gnuplot's, about 9 pixels: a letter of a name has about 7.4, a line and its gaps 80.
int lmb_plot_margin(const lmb_plot *p) {
    enum { USUAL = 32, BARRED = 24, MOST = 60 };
    size_t longest = 0;
    if (!lmb_plot_by_value(p)) return USUAL;
    for (int i = 0; i < p->curve_count; i++) {
        lmb_text label = {0};
        const lmb_plot_curve *c = &p->curves[i];
        if (lmb_plot_names_runs(p, c->unit) && lmb_varied_label(&label, &p->varied, c->result) &&
            label.length + strlen(c->name) > longest)
            longest = label.length + strlen(c->name);
        lmb_text_free(&label);
    }
    int needed = (int)(7.4 / 9 * (double)(longest < 1000 ? longest : 1000) + 80.0 / 9) + 1;
    return needed < BARRED ? BARRED : needed > MOST ? MOST : needed;
}

bool lmb_plot_runs_title(lmb_text *out, const lmb_plot *p) {
    lmb_reader *r = NULL;
    if (lmb_reader_open(&r, p->options->results[0], NULL) != LMB_OK) return false;
    const char *model = lmb_reader_text(r, "model_file"), *slash = model ? strrchr(model, '/') : NULL;
    bool ok = lmb_text_add(out, "%s, %d runs",
                           slash   ? slash + 1
                           : model ? model
                                   : p->options->results[0],
                           p->options->result_count);
    lmb_reader_close(r);
    return ok;
}
