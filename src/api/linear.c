// api/linear.c: state spaces of the public header and in results files.
#include "api/linear.h"
#include "api/handles.h"
#include "solve/plant_modes.h"

#include <string.h>

// ---- of a simulation ---------------------------------------------------------------------------

static lmb_status make(lmb_plant **out, const lmb_program *p, lmb_data *d, lmb_error *err) {
    lmb_work *w = NULL;
    lmb_assembly a;
    lmb_status st = lmb_work_create(&w, p->model, err);
    if (st == LMB_OK && *d->started == 0) st = lmb_assemble(&a, w, d, err);
    if (st == LMB_OK) st = lmb_plant_create(out, w, d, p, LMB_FRAME_GROUND, LMB_NOWHERE, err);
    lmb_work_destroy(w);
    return st;
}

lmb_status lmb_simulation_linearise(lmb_linear *out, lmb_simulation *s, lmb_error *err) {
    const lmb_program *p = lmb_simulation_system(s)->program;
    lmb_data *d = NULL;
    lmb_plant *l = NULL;
    *out = (lmb_linear){0};
    lmb_status st = lmb_data_create(&d, p->model, err);
    if (st == LMB_OK) lmb_data_copy(d, lmb_simulation_data(s)), d->time_side = *d->time;
    if (st == LMB_OK) st = make(&l, p, d, err);
    lmb_data_destroy(d);
    if (st != LMB_OK) return st;
    *out = (lmb_linear){.states = l->states,
                        .inputs = l->inputs,
                        .outputs = l->outputs,
                        .degrees = l->degrees,
                        .A = l->A,
                        .B = l->B,
                        .C = l->C,
                        .D = l->D,
                        .state_names = l->state,
                        .state_units = l->state_unit,
                        .input_names = l->input,
                        .input_units = l->input_unit,
                        .output_names = l->output,
                        .output_units = l->output_unit,
                        .drives = l->drives,
                        .output_error = l->rest,
                        .time = l->time,
                        .memory = l};
    return LMB_OK;
}

void lmb_linear_release(lmb_linear *l) {
    if (l == NULL) return;
    lmb_plant_destroy(l->memory);
    *l = (lmb_linear){0};
}

// ---- in results files --------------------------------------------------------------------------

// whether the zeros of all transfers take some seconds at most
static bool zeros_are_found(int states, int inputs, int outputs) {
    const double MOST = 2e9; // operations
    double n = states;
    return n * n * n * inputs * outputs <= MOST;
}

// which outputs do not see which inputs
static lmb_status find_blind(bool **out, const lmb_plant *p, lmb_error *err) {
    lmb_plant_form *f = NULL;
    *out = lmb_alloc((size_t)p->outputs * (size_t)p->inputs + 1, sizeof **out);
    lmb_status st = *out ? lmb_plant_form_create(&f, p, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_plant_blind(*out, p, f, err);
    lmb_plant_form_destroy(f);
    return st;
}

// rows of LMB_ZERO_COLUMNS for all transfers; none if that would take long
static lmb_status find_zeros(double **out, int *count, const lmb_plant *p, lmb_error *err) {
    bool found = zeros_are_found(p->states, p->inputs, p->outputs);
    size_t room = found ? (size_t)p->states * (size_t)p->inputs * (size_t)p->outputs : 0;
    double *re = lmb_alloc(2 * (size_t)p->states + 2, sizeof *re), *im = re ? re + p->states + 1 : NULL;
    *count = 0;
    *out = lmb_alloc(room * LMB_ZERO_COLUMNS + 1, sizeof **out);
    bool *blind = NULL;
    lmb_status st = re && *out ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && room > 0) st = find_blind(&blind, p, err);
    for (int i = 0; i < p->outputs && room > 0 && st == LMB_OK; i++)
        for (int j = 0; j < p->inputs && st == LMB_OK; j++) {
            int zeros = 0;
            if (blind[i * p->inputs + j]) continue;
            st = lmb_plant_zeros(re, im, &zeros, p, i, j, err);
            for (int k = 0; k < zeros && st == LMB_OK; k++) {
                double *z = *out + LMB_ZERO_COLUMNS * (*count)++;
                z[LMB_ZERO_OUTPUT] = i, z[LMB_ZERO_INPUT] = j, z[LMB_ZERO_RE] = re[k], z[LMB_ZERO_IM] = im[k];
            }
        }
    lmb_free(re), lmb_free(blind);
    return st;
}

lmb_status lmb_linear_save(lmb_results *file, int g, const lmb_plant *p, lmb_error *err) {
    lmb_linear_set l = {.states = p->states,
                        .inputs = p->inputs,
                        .outputs = p->outputs,
                        .A = p->A,
                        .B = p->B,
                        .C = p->C,
                        .D = p->D,
                        .error = p->rest,
                        .state = (char **)p->state,
                        .state_unit = (char **)p->state_unit,
                        .input = (char **)p->input,
                        .input_unit = (char **)p->input_unit,
                        .output = (char **)p->output,
                        .output_unit = (char **)p->output_unit};
    lmb_status st = find_zeros(&l.zeros, &l.zero_count, p, err);
    if (st == LMB_OK) st = lmb_results_linear(file, g, &l, err);
    lmb_free(l.zeros);
    return st;
}

static bool add_names(lmb_text *out, const char *what, char **names, char **units, int count) {
    enum { LISTED = 40 };
    bool ok = lmb_text_add(out, "    %-10s ", what);
    for (int i = 0; i < count && i < LISTED && ok; i++)
        ok = lmb_text_add(out, "%s%s%s%s%s", i ? ", " : "", names[i], *units[i] ? " [" : "", units[i],
                          *units[i] ? "]" : "");
    if (count > LISTED) ok = ok && lmb_text_add(out, ", and %d more", count - LISTED);
    return ok && lmb_text_add(out, "\n");
}

static const double NO_REACH = 1e-8; // cosines below are rounding errors

static long count_blind(const lmb_series *s, int column) {
    long count = 0;
    for (long k = 0; k < s->rows; k++) count += s->v[k * s->columns + column] < NO_REACH;
    return count;
}

// "modes 2, 5": those with nothing in a column of a table
static bool add_blind(lmb_text *out, const lmb_series *s, const char *what, const char *verb) {
    enum { LISTED = 20 };
    bool ok = true;
    for (int c = 0; c < s->columns && ok; c++) {
        long blind = count_blind(s, c), count = 0;
        if (blind == 0) continue;
        ok = lmb_text_add(out, "    %s '%s' does not %s %s", what, s->names[c], verb,
                          blind == s->rows ? "any mode" : "modes ");
        for (long k = 0; k < s->rows && ok && blind < s->rows && count < LISTED; k++)
            if (s->v[k * s->columns + c] < NO_REACH)
                ok = lmb_text_add(out, "%s%ld", count++ ? ", " : "", k + 1);
        if (blind > LISTED && blind < s->rows) ok = ok && lmb_text_add(out, ", and %ld more", blind - LISTED);
        ok = ok && lmb_text_add(out, "\n");
    }
    return ok;
}

static lmb_status add_table(lmb_text *out, lmb_reader *r, int g, const char *name, const char *what,
                            const char *verb, lmb_error *err) {
    lmb_series s = {0};
    if (!lmb_reader_has_table(r, g, name)) return LMB_OK;
    lmb_status st = lmb_reader_table(&s, r, g, name, err);
    if (st == LMB_OK && !add_blind(out, &s, what, verb)) st = lmb_fail_memory(err);
    lmb_series_free(&s);
    return st;
}

static bool add_zeros(lmb_text *out, const lmb_linear_set *l) {
    enum { LISTED = 40 };
    bool ok = true;
    int last[2] = {-1, -1}, lines = 0;
    if (!zeros_are_found(l->states, l->inputs, l->outputs))
        return lmb_text_add(out, "    zeros are not computed: there are too many states, inputs and outputs; "
                                 "list fewer `outputs`\n");
    for (int i = 0; i < l->zero_count && ok; i++) {
        const double *z = l->zeros + LMB_ZERO_COLUMNS * i;
        int o = (int)z[LMB_ZERO_OUTPUT], u = (int)z[LMB_ZERO_INPUT];
        if (z[LMB_ZERO_IM] < 0) continue;
        bool same = o == last[0] && u == last[1];
        if (!same && ++lines > LISTED) return lmb_text_add(out, "\n    and zeros of further transfers\n");
        if (!same)
            ok = lmb_text_add(out, "%s    zeros from %s to %s, 1/s: ", lines > 1 ? "\n" : "", l->input[u],
                              l->output[o]);
        ok = ok && lmb_text_add(out, "%s%.6g", same ? ", " : "", z[LMB_ZERO_RE]);
        if (z[LMB_ZERO_IM] > 0) ok = ok && lmb_text_add(out, " +- %.6g i", z[LMB_ZERO_IM]);
        last[0] = o, last[1] = u;
    }
    return ok && (lines == 0 || lmb_text_add(out, "\n"));
}

// rows of C and D that are not known well
static bool add_errors(lmb_text *out, const lmb_linear_set *l) {
    const double FINE = 1e-6;
    bool ok = true;
    for (int i = 0; i < l->outputs && ok; i++) {
        if (l->error[i] <= FINE) continue;
        ok = isnan(l->error[i])
                 ? lmb_text_add(out, "    warning: output '%s' has no derivatives in this state\n",
                                l->output[i])
                 : lmb_text_add(out,
                                "    warning: output '%s' is not smooth in this state: its rows of C and D "
                                "are off by about %.2g of their largest entry\n",
                                l->output[i], l->error[i]);
    }
    return ok;
}

lmb_status lmb_linear_describe(lmb_text *out, lmb_reader *r, int g, lmb_error *err) {
    lmb_linear_set l;
    lmb_status st = lmb_reader_linear(&l, r, g, err);
    bool ok = st == LMB_OK && l.states + l.inputs + l.outputs > 0;
    if (ok) {
        ok = lmb_text_add(out, "    state space: %d states, %d inputs, %d outputs\n", l.states, l.inputs,
                          l.outputs) &&
             add_names(out, "states", l.state, l.state_unit, l.states) &&
             add_names(out, "inputs", l.input, l.input_unit, l.inputs) &&
             add_names(out, "outputs", l.output, l.output_unit, l.outputs) && add_errors(out, &l);
        if (!ok) st = lmb_fail_memory(err);
        if (st == LMB_OK) st = add_table(out, r, g, "reach", "input", "reach", err);
        if (st == LMB_OK) st = add_table(out, r, g, "sight", "output", "see", err);
        if (st == LMB_OK && !add_zeros(out, &l)) st = lmb_fail_memory(err);
    }
    lmb_linear_set_free(&l);
    return st;
}
