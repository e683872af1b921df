// fe/constraint.c: which motions of nodes follow others: ties and equations are eliminated.
//
// Motion k of a node is number 6 node + k.  Each equation sum c_i u_i = 0 is first reduced by those before it; then one of
// its motions follows, the first of the deck if that is possible:
//   u_s = -sum_{i /= s} c_i / c_s u_i
// A row holds motions that later equations make follow, never earlier ones: from the last row backwards, each is written
// over what is left, u = T q.  What no element asks for and nothing needs gets no equation.     docs/theory/elements.md (15)
#include "fe/local.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 100 * 1000 * 1000 };

typedef struct sparse_rows { // rows of (motion, factor)
    int count, capacity;
    int *motion; // that follows
    int *start, *stop;
    int entry_count, entry_capacity;
    int *entry;
    double *factor;
} sparse_rows;

typedef struct eliminator {
    lmb_fe *fe;
    double size;          // of the part: rotations count as motions at that distance
    unsigned char *asked; // node_count: motions of which elements have stiffness or mass, bits
    int *row;             // of a motion that follows, -1: it does not
    sparse_rows rows;
    double *value; // the equation in hand, by motion
    bool *there;
    int *list, listed; // its motions
    int *heap, heaped; // rows of those that follow, smallest first
    lmb_error *err;
} eliminator;

// ---- rows --------------------------------------------------------------------------------------

static bool grow(int *capacity, int need, void **a, size_t size_a, void **b, size_t size_b) {
    if (need <= *capacity) return true;
    int wanted = *capacity > 0 ? *capacity : 64;
    while (wanted < need) wanted = wanted > INT_MAX / 2 ? INT_MAX : 2 * wanted;
    void *p = lmb_realloc(*a, (size_t)wanted, size_a);
    if (p == NULL) return false;
    *a = p;
    p = lmb_realloc(*b, (size_t)wanted, size_b);
    if (p == NULL) return false;
    *b = p, *capacity = wanted;
    return true;
}

static lmb_status begin_row(sparse_rows *r, int motion, lmb_error *err) {
    int capacity = r->capacity;
    bool ok =
        grow(&capacity, r->count + 1, (void **)&r->motion, sizeof(int), (void **)&r->start, sizeof(int));
    int *stop = ok && capacity > r->capacity ? lmb_realloc(r->stop, (size_t)capacity, sizeof(int)) : r->stop;
    if (!ok || stop == NULL) return lmb_fail_memory(err);
    r->stop = stop, r->capacity = capacity;
    r->motion[r->count] = motion, r->start[r->count] = r->stop[r->count] = r->entry_count;
    r->count++;
    return LMB_OK;
}

static lmb_status add_entry(sparse_rows *r, int motion, double factor, lmb_error *err) {
    if (r->entry_count >= MOST_ENTRIES)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "the constraints of the mesh couple too many motions with each other; couple fewer nodes");
    if (!grow(&r->entry_capacity, r->entry_count + 1, (void **)&r->entry, sizeof(int), (void **)&r->factor,
              sizeof(double)))
        return lmb_fail_memory(err);
    r->entry[r->entry_count] = motion, r->factor[r->entry_count++] = factor;
    r->stop[r->count - 1] = r->entry_count;
    return LMB_OK;
}

static void free_rows(sparse_rows *r) {
    lmb_free(r->motion), lmb_free(r->start), lmb_free(r->stop), lmb_free(r->entry), lmb_free(r->factor);
}

// ---- the equation in hand ----------------------------------------------------------------------

static void push(eliminator *e, int row) {
    int i = e->heaped++;
    for (; i > 0 && e->heap[(i - 1) / 2] > row; i = (i - 1) / 2) e->heap[i] = e->heap[(i - 1) / 2];
    e->heap[i] = row;
}

static int pop(eliminator *e) {
    int first = e->heap[0], last = e->heap[--e->heaped], i = 0;
    for (int k = 1; k < e->heaped; k = 2 * i + 1) {
        if (k + 1 < e->heaped && e->heap[k + 1] < e->heap[k]) k++;
        if (e->heap[k] >= last) break;
        e->heap[i] = e->heap[k], i = k;
    }
    e->heap[i] = last;
    return first;
}

static void add(eliminator *e, int motion, double value) {
    if (!e->there[motion]) {
        e->there[motion] = true;
        e->list[e->listed++] = motion;
        if (e->row[motion] >= 0) push(e, e->row[motion]);
    }
    e->value[motion] += value;
}

// rows of motions that follow take their place: each row holds only such of later rows
static void reduce(eliminator *e) {
    while (e->heaped > 0) {
        int row = pop(e), motion = e->rows.motion[row];
        double value = e->value[motion];
        e->value[motion] = 0;
        for (int k = e->rows.start[row]; k < e->rows.stop[row]; k++)
            add(e, e->rows.entry[k], value * e->rows.factor[k]);
    }
}

static void clear(eliminator *e) {
    for (int i = 0; i < e->listed; i++) e->there[e->list[i]] = false, e->value[e->list[i]] = 0;
    e->listed = 0;
}

// a motion of the part's size in its place
static double weight(const eliminator *e, int motion) {
    return fabs(e->value[motion]) / (motion % 6 < 3 || e->size == 0 ? 1 : e->size);
}

// which motion follows: `first` unless it hardly moves then; else, of the largest; -1: the equation says nothing new
static int choose(const eliminator *e, int first, double before) {
    int best = -1;
    for (int i = 0; i < e->listed; i++)
        if (weight(e, e->list[i]) > (best < 0 ? 1e-9 * before : weight(e, best))) best = e->list[i];
    return best >= 0 && e->row[first] < 0 && weight(e, first) > 1e-3 * weight(e, best) ? first : best;
}

// the equation in hand becomes the row of a motion
static lmb_status take(eliminator *e, int first) {
    double before = 0;
    for (int i = 0; i < e->listed; i++) before = fmax(before, weight(e, e->list[i]));
    reduce(e);
    int s = choose(e, first, before);
    lmb_status st = LMB_OK;
    if (s >= 0) {
        st = begin_row(&e->rows, s, e->err);
        for (int i = 0; i < e->listed && st == LMB_OK; i++) {
            int motion = e->list[i];
            if (motion != s && weight(e, motion) > 1e-15 * before)
                st = add_entry(&e->rows, motion, -e->value[motion] / e->value[s], e->err);
        }
        if (st == LMB_OK) e->row[s] = e->rows.count - 1;
    }
    clear(e);
    return st;
}

// ---- ties and equations ------------------------------------------------------------------------

static lmb_where mesh_place(const lmb_fe *fe) { return (lmb_where){fe->mesh->file, 0, 0}; }

static lmb_status note_reference(const lmb_fe *fe, int node, int master, lmb_error *err) {
    const int *label = fe->mesh->label, other = fe->reference[node];
    if (other >= 0 && other != master)
        return lmb_fail(err, LMB_ERR_INPUT, mesh_place(fe),
                        "node %d belongs to two rigid sets (references %d and %d); "
                        "make the sets disjoint, or use an averaging tie for one of them",
                        label[node], label[other], label[master]);
    fe->reference[node] = master;
    return LMB_OK;
}

// u = u_r + theta x d, theta = theta_r
static lmb_status tie_node(eliminator *e, int node, int master) {
    lmb_status st = note_reference(e->fe, node, master, e->err);
    mat3 D = m3_neg(m3_skew(v3_sub(e->fe->x[node], e->fe->x[master]))); // theta x d = -d~ theta
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        add(e, 6 * node + k, 1);
        add(e, 6 * master + k, -1);
        for (int c = 0; c < 3 && k < 3; c++)
            if (D.m[k][c] != 0) add(e, 6 * master + 3 + c, -D.m[k][c]);
        st = take(e, 6 * node + k);
    }
    return st;
}

// a reference may follow another one: all follow the last
static lmb_status follow_chains(const lmb_fe *fe, lmb_error *err) {
    for (int i = 0; i < fe->node_count; i++) {
        int root = fe->reference[i];
        for (int steps = 0; root >= 0 && fe->reference[root] >= 0; root = fe->reference[root])
            if (steps++ > fe->node_count)
                return lmb_fail(
                    err, LMB_ERR_INPUT, mesh_place(fe),
                    "the reference nodes %d and %d of rigid sets follow each other; merge the sets",
                    fe->mesh->label[root], fe->mesh->label[fe->reference[root]]);
        fe->reference[i] = root;
    }
    return LMB_OK;
}

static lmb_status eliminate(eliminator *e, const lmb_rigid_tie *ties, int count) {
    const lmb_mesh *m = e->fe->mesh;
    lmb_status st = LMB_OK;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < ties[i].count && st == LMB_OK; k++)
            if (ties[i].nodes[k] != ties[i].reference) st = tie_node(e, ties[i].nodes[k], ties[i].reference);
    if (st == LMB_OK) st = follow_chains(e->fe, e->err);
    for (int i = 0; i < m->equation_count && st == LMB_OK; i++) {
        const lmb_equation_term *t = m->terms + m->equations[i].first;
        if (!lmb_equation_holds(m, i)) continue;
        for (int k = 0; k < m->equations[i].count; k++) add(e, 6 * t[k].node + t[k].motion, t[k].factor);
        if (m->equations[i].count > 0) st = take(e, 6 * t->node + t->motion);
    }
    return st;
}

// ---- what is left ------------------------------------------------------------------------------

// rows over motions that do not follow, from the last one backwards
static lmb_status resolve(eliminator *e) {
    sparse_rows done = {0}, *rows = &e->rows;
    int *place = lmb_alloc((size_t)rows->count + 1, sizeof *place); // in done
    lmb_status st = place ? LMB_OK : lmb_fail_memory(e->err);
    for (int r = rows->count - 1; r >= 0 && st == LMB_OK; r--) {
        for (int k = rows->start[r]; k < rows->stop[r]; k++) {
            int motion = rows->entry[k], other = e->row[motion];
            double f = rows->factor[k];
            if (!e->there[motion] && other < 0) e->there[motion] = true, e->list[e->listed++] = motion;
            if (other < 0) e->value[motion] += f;
            for (int j = other < 0 ? 0 : done.start[place[other]]; other >= 0 && j < done.stop[place[other]];
                 j++) {
                int by = done.entry[j];
                if (!e->there[by]) e->there[by] = true, e->list[e->listed++] = by;
                e->value[by] += f * done.factor[j];
            }
        }
        place[r] = done.count;
        st = begin_row(&done, rows->motion[r], e->err);
        for (int i = 0; i < e->listed && st == LMB_OK; i++)
            if (e->value[e->list[i]] != 0) st = add_entry(&done, e->list[i], e->value[e->list[i]], e->err);
        clear(e);
    }
    for (int r = 0; r < done.count; r++) e->row[done.motion[r]] = r;
    free_rows(rows);
    *rows = done;
    lmb_free(place);
    return st;
}

static bool is_asked(const eliminator *e, int motion) { return e->asked[motion / 6] >> motion % 6 & 1; }

// G of each node: products of the columns of T of motions that no element asks for, over the motions that elements ask for
static void columns_of(double (*G)[36], const eliminator *e, const int *of) {
    const sparse_rows *r = &e->rows;
    for (int i = 0; i < r->count; i++)
        for (int a = r->start[i]; a < r->stop[i] && is_asked(e, r->motion[i]); a++)
            for (int b = a; b < r->stop[i]; b++) {
                int p = r->entry[a], q = r->entry[b];
                if (p / 6 != q / 6 || of[p / 6] < 0 || is_asked(e, p) || is_asked(e, q)) continue;
                double *g = G[of[p / 6]], f = r->factor[a] * r->factor[b];
                g[p % 6 * 6 + q % 6] += f;
                if (a != b) g[q % 6 * 6 + p % 6] += f;
            }
}

// motions whose columns are independent, translations first: bits.  L: for each other motion p (column) how much of them
// it is worth, c_p = sum L_ip c_i.  Gauss and Jordan's elimination of G, scaled
static unsigned independent(double L[36], const double *G) {
    double D[6];
    unsigned bits = 0;
    for (int k = 0; k < 6; k++) D[k] = G[7 * k] > 0 ? 1 / sqrt(G[7 * k]) : 0;
    for (int k = 0; k < 36; k++) L[k] = G[k] * D[k / 6] * D[k % 6];
    for (int pass = 0; pass < 6; pass++) {
        int best = -1;
        for (int k = 0; k < 6; k++)
            if (!(bits >> k & 1) && L[7 * k] > (best < 0 ? 1e-10 : 4 * L[7 * best])) best = k;
        if (best < 0) break;
        bits |= 1u << best;
        lmb_scale(L + 6 * best, 1 / L[7 * best], 6);
        for (int i = 0; i < 6; i++)
            if (i != best) lmb_axpy(L + 6 * i, -L[6 * i + best], L + 6 * best, 6);
    }
    for (int k = 0; k < 36; k++) L[k] *= D[k % 6] > 0 ? D[k / 6] / D[k % 6] : 0;
    return bits;
}

// the motions of a node that get no equation although they move others count as these motions
static lmb_status own_motions(eliminator *e, int node, const double *G, lmb_error *err) {
    lmb_fe_follow *f = &e->fe->follow;
    double L[36];
    unsigned kept = independent(L, G);
    e->fe->own[node] |= (unsigned char)kept;
    for (int p = 0; p < 6; p++)
        for (int i = 0; i < 6; i++) {
            if (kept >> p & 1 || !(kept >> i & 1) || !(G[7 * p] > 0) || L[6 * i + p] == 0) continue;
            lmb_fe_worth *worth = lmb_realloc(f->worth, (size_t)f->worth_count + 1, sizeof *worth);
            if (worth == NULL) return lmb_fail_memory(err);
            f->worth = worth;
            worth[f->worth_count++] = (lmb_fe_worth){node, i, p, L[6 * i + p]};
        }
    return LMB_OK;
}

// masses that are not points ask for the rotations that constraints give their nodes
static void ask_for_masses(eliminator *e) {
    const lmb_mesh *m = e->fe->mesh;
    const sparse_rows *rows = &e->rows;
    for (int k = 0; k < rows->entry_count; k++) e->there[rows->entry[k]] = true;
    for (int i = 0; i < m->element_count; i++) {
        if (m->elements[i].ops != &lmb_element_mass || m->elements[i].property < 0) continue;
        const lmb_property *p = &m->properties[m->elements[i].property];
        int node = lmb_mesh_nodes(m, i)[0];
        for (int k = 3; k < 6 && lmb_mass_turns(p); k++)
            if (e->there[6 * node + k] || e->row[6 * node + k] >= 0)
                e->asked[node] |= (unsigned char)(1u << k);
    }
    for (int k = 0; k < rows->entry_count; k++) e->there[rows->entry[k]] = false;
}

// A motion that no element asks for, such as that of a reference node, has an equation if it moves others in a way of its
// own: the columns of the other motions of its node span the rest.
static lmb_status find_owned(eliminator *e) {
    lmb_fe *fe = e->fe;
    int *of = lmb_alloc((size_t)fe->node_count + 1, sizeof *of), count = 0;
    if (of == NULL) return lmb_fail_memory(e->err);
    ask_for_masses(e);
    for (int i = 0; i < fe->node_count; i++) of[i] = -1, fe->own[i] = e->asked[i];
    for (int k = 0; k < e->rows.entry_count; k++) {
        int node = e->rows.entry[k] / 6;
        if (of[node] < 0 && !is_asked(e, e->rows.entry[k])) of[node] = count++;
    }
    double(*G)[36] = lmb_alloc((size_t)count + 1, sizeof *G);
    lmb_status st = G ? LMB_OK : lmb_fail_memory(e->err);
    if (G) columns_of(G, e, of);
    for (int i = 0; st == LMB_OK && i < fe->node_count; i++)
        if (of[i] >= 0) st = own_motions(e, i, G[of[i]], e->err);
    for (int r = 0; r < e->rows.count; r++)
        fe->own[e->rows.motion[r] / 6] &= (unsigned char)~(1u << e->rows.motion[r] % 6);
    lmb_free(of), lmb_free(G);
    return st;
}

// ---- equations ---------------------------------------------------------------------------------

static int bits_of(unsigned own) {
    int count = 0;
    for (; own; own >>= 1) count += own & 1;
    return count;
}

int lmb_fe_equation(const lmb_fe *fe, int node, int motion) {
    unsigned own = fe->own[node];
    return own >> motion & 1 ? fe->first[node] + bits_of(own & ((1u << motion) - 1)) : -1;
}

int lmb_fe_motion(const lmb_fe *fe, int equation) {
    int k = 0;
    if (fe->node_of[equation] < 0) return -1;
    while (lmb_fe_equation(fe, fe->node_of[equation], k) != equation) k++;
    return k;
}

static lmb_status number(lmb_fe *fe, lmb_error *err) {
    fe->n = 0;
    for (int i = 0; i < fe->node_count; i++) {
        fe->dofs[i] = bits_of(fe->own[i]);
        fe->first[i] = fe->dofs[i] ? fe->n : -1;
        fe->n += fe->dofs[i];
    }
    fe->node_of = lmb_alloc((size_t)fe->n + 1, sizeof *fe->node_of);
    fe->follow.all = lmb_alloc((size_t)fe->n + 1, sizeof *fe->follow.all);
    if (fe->node_of == NULL || fe->follow.all == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++)
        for (int k = 0; k < fe->dofs[i]; k++) fe->node_of[fe->first[i] + k] = i;
    for (int i = 0; i < fe->n; i++) fe->follow.all[i] = i;
    return LMB_OK;
}

static bool is_plain(unsigned own) { return own == 0 || own == 7 || own == 63; }

// places of the nodes that need rows of their own
static int find_places(lmb_fe *fe, const eliminator *e) {
    int places = 0;
    for (int i = 0; i < fe->node_count; i++) {
        bool follows = !is_plain(fe->own[i]);
        for (int k = 0; e && k < 6; k++) follows = follows || e->row[6 * i + k] >= 0;
        fe->follow.place[i] = follows ? places++ : -1;
    }
    return places;
}

// writes the entries of motion k of a node, returns how many
static int write_row(lmb_fe_follow *f, int at, const eliminator *e, int node, int k) {
    const lmb_fe *fe = e->fe;
    int row = e->row[6 * node + k], own = lmb_fe_equation(fe, node, k), from = at;
    if (own >= 0) f->equation[at] = own, f->factor[at++] = 1;
    for (int j = row < 0 ? 0 : e->rows.start[row]; row >= 0 && j < e->rows.stop[row]; j++) {
        int by = lmb_fe_equation(fe, e->rows.entry[j] / 6, e->rows.entry[j] % 6);
        if (by >= 0) f->equation[at] = by, f->factor[at++] = e->rows.factor[j];
    }
    return at - from;
}

static lmb_status write_rows(lmb_fe *fe, const eliminator *e, lmb_error *err) {
    lmb_fe_follow *f = &fe->follow;
    f->place = lmb_alloc((size_t)fe->node_count + 1, sizeof *f->place);
    if (f->place == NULL) return lmb_fail_memory(err);
    int places = find_places(fe, e);
    size_t entries = 6 * (size_t)places + (size_t)(e ? e->rows.entry_count : 0) + 1;
    f->start = lmb_alloc(6 * (size_t)places + 1, sizeof *f->start);
    f->equation = lmb_alloc(entries, sizeof *f->equation);
    f->factor = lmb_alloc(entries, sizeof *f->factor);
    if (!f->start || !f->equation || !f->factor) return lmb_fail_memory(err);
    for (int i = 0, at = 0; i < fe->node_count; i++)
        for (int k = 0; f->place[i] >= 0 && k < 6; k++) {
            f->start[6 * f->place[i] + k] = at;
            at += write_row(f, at, e, i, k);
            f->start[6 * f->place[i] + k + 1] = at;
        }
    return LMB_OK;
}

// ---- all together ------------------------------------------------------------------------------

static void ask(eliminator *e, const lmb_fe *fe) {
    for (int i = 0; i < fe->node_count; i++) {
        e->asked[i] = (unsigned char)((1 << fe->dofs[i]) - 1);
        if (fe->dofs[i]) e->size = fmax(e->size, v3_norm(v3_sub(fe->x[i], fe->x[0])));
    }
}

static lmb_status constrained(lmb_fe *fe, const lmb_rigid_tie *ties, int count, lmb_error *err) {
    size_t motions = 6 * (size_t)fe->node_count + 1;
    eliminator e = {.fe = fe, .err = err};
    e.asked = lmb_alloc((size_t)fe->node_count + 1, sizeof *e.asked);
    e.row = lmb_alloc(motions, sizeof *e.row), e.value = lmb_alloc(motions, sizeof *e.value);
    e.there = lmb_alloc(motions, sizeof *e.there), e.list = lmb_alloc(motions, sizeof *e.list);
    e.heap = lmb_alloc(motions, sizeof *e.heap);
    bool ok = e.asked && e.row && e.value && e.there && e.list && e.heap && motions < INT_MAX;
    for (size_t i = 0; ok && i < motions; i++) e.row[i] = -1;
    if (ok) ask(&e, fe);
    lmb_status st = ok ? eliminate(&e, ties, count) : lmb_fail_memory(err);
    if (st == LMB_OK) st = resolve(&e);
    if (st == LMB_OK) st = find_owned(&e);
    if (st == LMB_OK) st = number(fe, err);
    if (st == LMB_OK) st = write_rows(fe, &e, err);
    lmb_free(e.asked), lmb_free(e.row), lmb_free(e.value), lmb_free(e.there), lmb_free(e.list),
        lmb_free(e.heap);
    free_rows(&e.rows);
    return st;
}

lmb_status lmb_fe_number(lmb_fe *fe, const lmb_rigid_tie *ties, int count, lmb_error *err) {
    if (fe->mesh && (count > 0 || fe->mesh->equation_count > 0)) return constrained(fe, ties, count, err);
    for (int i = 0; i < fe->node_count; i++) fe->own[i] = (unsigned char)((1 << fe->dofs[i]) - 1);
    lmb_status st = number(fe, err);
    return st ? st : write_rows(fe, NULL, err);
}

void lmb_fe_follow_free(lmb_fe_follow *f) {
    lmb_free(f->place), lmb_free(f->start), lmb_free(f->equation), lmb_free(f->factor), lmb_free(f->all);
    lmb_free(f->worth);
}
