// linalg/condense.c: dense groups of unknowns, such as the coordinates of one flexible body, eliminated before the rest.
//
// A group g is a set of unknowns with the same neighbours, a full block A_gg, and up to six multipliers beside it.  Its border
// b are the neighbours that are eliminated later.  Each group has a front, a dense matrix by columns, of which only the first
// pivots are taken:
//
//   | A_gg  A_gb |     | L_g     | | U_g  U_gb |
//   | A_bg   0   |  =  | L_bg  1 | |      C_g  |
//
// C_g is added to the front of the next group in the border, or, if there is none, to the rest S, which is sparse again and
// goes to a solver of its own (a multifrontal method, Duff & Reid, that stops early).  Pivots stay inside their group.
// Each front takes what its children have for it, in their order: branches of the tree of fronts are independent, and threads take them side by
// side with the same numbers.
// Where a block is too close to singular for that (a floating body in statics), factor returns 0 and the caller factorises A
// as a whole.  Of the multipliers each body takes those of one joint: along a tree.  They cannot depend on each other, unless the
// pattern says so; those that close loops are in S.                                                                 docs/theory/solvers.md
#include "linalg/condense.h"

#include "linalg/columns_solve.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Smaller groups are not worth the overhead; rows of a joint.
enum { MIN_GROUP = 4, MAX_ROWS = 6 };
// A pivot below this part of its column, both of the group's block, is too close to singular.
static const double PIVOT_SMALL = 1e-6;

typedef struct front {
    int group, border, size; // how many unknowns, size = group + border
    int parent;              // the front that takes C; -1: the rest
    int child, sibling;      // the first one whose C it takes, the next one with the same parent; -1: none
    int *unknown;            // size: those of the group, then the border, both ascending
    int *into;      // border: places in the parent; or border x border, by columns: in the values of S
    int *pivot;     // group
    double *F;      // by columns
    int stride;     // from one to the next
    bool exchanged; // rows were
    double *
        z; // stride: the sizes of columns; a right-hand side: x of the group and what is added to that of the border
} front;

typedef struct branch { // a front and all those below it
    int start, count;   // in list
    double work, low;   // low: its smallest pivot
} branch;

struct lmb_condensed {
    lmb_field field;
    const lmb_pattern *A;
    lmb_arena *arena; // of all but the rest's solver and pattern
    int count, rest;  // fronts; unknowns of S
    double cost;
    front *fronts;
    int *unknown;                 // rest: in A
    int *place;                   // of the entries of A (their parts) in store
    size_t stored;                // doubles in store
    double *store;                // all F, then the values of S
    double *values;               // of S
    double *x;                    // of S
    branch *branches;             // independent of each other, the largest first
    int branch_count, *list, top; // their fronts, then those above them, from list[top] on; ascending in each
    lmb_pattern S;
    lmb_solver *solver;
    lmb_team *team; // borrowed; NULL: none
};

static int parts(const lmb_condensed *c) { return c->field == LMB_COMPLEX ? 2 : 1; }

// ---- groups ------------------------------------------------------------------------------------

// Data for finding the groups.  T: the pattern of A + A' with the whole diagonal
typedef struct search {
    lmb_pattern T;
    const bool *late; // of A
    lmb_arena *arena;
    uint64_t *sum;        // n: of the neighbours without itself
    int *first, *members; // n: lowest unknown of the group; of such ones: how many belong to it
    int *of;              // n: its front; -1: in the rest
    int *chosen, count;   // first ones, in the order of elimination
    int *child, *sibling; // per front: one whose C it takes, another one with the same parent; -1: none
    int *mark, *list;     // n: scratch
    int *number;          // n: in the rest
} search;

static void search_free(search *s) {
    lmb_pattern_free(&s->T);
    lmb_arena_destroy(s->arena);
}

static lmb_status search_create(search *s, const lmb_pattern *p, lmb_error *err) {
    size_t n = (size_t)p->n;
    lmb_triplets t = {0};
    *s = (search){.late = p->late, .arena = lmb_arena_create(n * (sizeof *s->sum + 9 * sizeof(int)) + 256)};
    bool ok = s->arena != NULL;
    for (int j = 0; ok && j < p->n; j++) {
        ok = lmb_triplets_add(&t, j, j);
        for (int k = p->start[j]; ok && k < p->start[j + 1]; k++)
            ok = lmb_triplets_add(&t, p->row[k], j) && lmb_triplets_add(&t, j, p->row[k]);
    }
    lmb_status st = ok ? lmb_pattern_create(&s->T, p->n, &t, err) : lmb_fail_memory(err);
    lmb_triplets_free(&t);
    if (st != LMB_OK) return st;
    s->sum = lmb_arena_get(s->arena, n, sizeof *s->sum);
    int **lists[] = {&s->first,   &s->members, &s->of,   &s->chosen, &s->child,
                     &s->sibling, &s->mark,    &s->list, &s->number};
    ok = s->sum != NULL;
    for (int k = 0; k < LMB_COUNT(lists); k++) {
        *lists[k] = lmb_arena_get(s->arena, n, sizeof **lists[k]);
        ok = ok && *lists[k] != NULL;
    }
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static bool same_neighbours(const lmb_pattern *T, int i, int j) {
    int count = T->start[i + 1] - T->start[i];
    return count == T->start[j + 1] - T->start[j] &&
           memcmp(T->row + T->start[i], T->row + T->start[j], (size_t)count * sizeof *T->row) == 0;
}

// a pseudo-random number (splitmix64)
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Unknowns with the same neighbours, themselves among them: such a one is a neighbour of the first of its group.
static void find_groups(search *s) {
    const lmb_pattern *T = &s->T;
    for (int j = 0; j < T->n; j++) {
        s->first[j] = j;
        for (int k = T->start[j]; k < T->start[j + 1]; k++)
            if (T->row[k] != j) s->sum[j] += mix((uint64_t)T->row[k]);
        for (int k = T->start[j]; T->row[k] < j && s->first[j] == j; k++) {
            int i = T->row[k];
            if (s->first[i] == i && s->sum[i] + mix((uint64_t)i) == s->sum[j] + mix((uint64_t)j) &&
                same_neighbours(T, i, j))
                s->first[j] = i;
        }
        s->members[s->first[j]]++;
    }
}

// their fronts, in the order of elimination, from its end, or from both ends
typedef enum way { FORWARDS, BACKWARDS, FROM_BOTH_ENDS } way;
static void number_groups(search *s, const int *order, way by) {
    int n = s->T.n;
    s->count = 0;
    for (int j = 0; j < n; j++) s->of[j] = -1, s->mark[j] = 0;
    for (int k = 0; k < n; k++) {
        bool end = by == BACKWARDS || (by == FROM_BOTH_ENDS && k >= n / 2);
        int from_end = by == BACKWARDS ? k : k - n / 2;
        int j = order[end ? n - 1 - from_end : k], first = s->first[j];
        if (s->members[first] < MIN_GROUP) continue;
        if (s->of[first] < 0) s->of[first] = s->count, s->chosen[s->count++] = first;
        s->of[j] = s->of[first];
    }
}

// neighbours that are eliminated after front g
static int waiting(const search *s, int j, int g) {
    int count = 0;
    for (int k = s->T.start[j]; k < s->T.start[j + 1]; k++)
        count += s->of[s->T.row[k]] < 0 || s->of[s->T.row[k]] > g;
    return count;
}

// Multipliers of one joint: the same neighbours without themselves, in no group.  Those that wait for least.
static void take_multipliers(search *s, int g) {
    const lmb_pattern *T = &s->T;
    int first = s->chosen[g], best = -1, least = 0, rows = 0;
    for (int k = T->start[first]; k < T->start[first + 1]; k++) {
        int j = T->row[k];
        if (s->of[j] >= 0 || s->members[s->first[j]] > 1 || (s->late && s->late[j])) continue;
        if (best < 0 || waiting(s, j, g) < least) best = j, least = waiting(s, j, g);
    }
    for (int k = T->start[first]; best >= 0 && k < T->start[first + 1]; k++)
        rows += s->sum[T->row[k]] == s->sum[best];
    for (int k = T->start[first]; rows <= MAX_ROWS && best >= 0 && k < T->start[first + 1]; k++)
        if (s->of[T->row[k]] < 0 && s->sum[T->row[k]] == s->sum[best]) s->of[T->row[k]] = g;
}

// ---- fronts ------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// those of the given unknowns that are eliminated after front g go to the list, once
static int add_border(search *s, int g, int have, const int *unknown, int count) {
    for (int k = 0; k < count; k++) {
        int j = unknown[k];
        if (s->mark[j] == g + 1 || (s->of[j] >= 0 && s->of[j] <= g)) continue;
        s->mark[j] = g + 1;
        s->list[have++] = j;
    }
    return have;
}

// neighbours of the group, and fill from earlier fronts
static int find_border(search *s, const lmb_condensed *c, int g) {
    const front *f = &c->fronts[g];
    int count = 0;
    for (int k = 0; k < f->group; k++) {
        int start = s->T.start[f->unknown[k]], end = s->T.start[f->unknown[k] + 1];
        if (s->first[f->unknown[k]] == f->unknown[k])
            count = add_border(s, g, count, s->T.row + start, end - start);
    }
    for (int h = s->child[g]; h >= 0; h = s->sibling[h]) {
        const front *from = &c->fronts[h];
        count = add_border(s, g, count, from->unknown + from->group, from->border);
    }
    qsort(s->list, (size_t)count, sizeof *s->list, ascending);
    return count;
}

// the first front that the border meets takes C
static void find_parent(search *s, front *f, int g) {
    f->parent = -1;
    for (int k = f->group; k < f->size; k++) {
        int h = s->of[f->unknown[k]];
        if (h >= 0 && (f->parent < 0 || h < f->parent)) f->parent = h;
    }
    if (f->parent >= 0) s->sibling[g] = s->child[f->parent], s->child[f->parent] = g;
}

// Measured as in solver.c, ns
static double front_cost(const front *f) {
    double n = f->size, b = f->border;
    return (n * n * n - b * b * b) / 15 + 2 * b * b + 2 * n * n + 100;
}

// Whether one front costs hardly more than those of a child and of f: less than what a front costs beside its operations, in every
// solution, too.  If the border of the child is the whole of f that costs no operation more.
static bool worth_one(const front *f, const front *child) {
    const double MORE = 1.1;
    front one = {.border = f->border, .size = child->group + f->size};
    return child->border == f->size || front_cost(&one) <= MORE * (front_cost(f) + front_cost(child));
}

// The first child for which that is worth it becomes part of f; it stays behind empty.
static bool take_in(lmb_condensed *c, search *s, int g) {
    front *f = &c->fronts[g];
    int *from = &s->child[g];
    while (*from >= 0 && !worth_one(f, &c->fronts[*from])) from = &s->sibling[*from];
    if (*from < 0) return true;
    int h = *from, *last = &s->child[h];
    front *k = &c->fronts[h];
    int *list = lmb_arena_get(c->arena, (size_t)(k->group + f->size), sizeof *list);
    int *pivot = lmb_arena_get(c->arena, (size_t)(k->group + f->group), sizeof *pivot);
    if (list == NULL || pivot == NULL) return false;
    memcpy(list, k->unknown, (size_t)k->group * sizeof *list);
    memcpy(list + k->group, f->unknown, (size_t)f->size * sizeof *list);
    f->unknown = list, f->pivot = pivot, f->group += k->group, f->size += k->group;
    // its children are those of the whole
    for (; *last >= 0; last = &s->sibling[*last]) c->fronts[*last].parent = g;
    *last = s->sibling[h], *from = s->child[h];
    c->cost -= front_cost(k);
    *k = (front){.unknown = k->unknown, .parent = -1};
    return true;
}

static bool make_front(lmb_condensed *c, search *s, int g) {
    front *f = &c->fronts[g];
    int first = s->chosen[g], start = s->T.start[first], end = s->T.start[first + 1];
    int *list = lmb_arena_get(c->arena, (size_t)(end - start), sizeof *list);
    f->unknown = list;
    for (int k = start; list != NULL && k < end; k++)
        if (s->of[s->T.row[k]] == g) list[f->group++] = s->T.row[k];
    if (list == NULL) return false;
    f->border = find_border(s, c, g);
    f->size = f->group + f->border;
    f->unknown = lmb_arena_get(c->arena, (size_t)f->size, sizeof *f->unknown);
    f->pivot = lmb_arena_get(c->arena, (size_t)f->group, sizeof *f->pivot);
    if (f->unknown == NULL || f->pivot == NULL) return false;
    memcpy(f->unknown, list, (size_t)f->group * sizeof *list);
    memcpy(f->unknown + f->group, s->list, (size_t)f->border * sizeof *s->list);
    find_parent(s, f, g);
    return take_in(c, s, g);
}

// fronts in one order and their cost, which need not be complete if it reaches the limit
static lmb_status order_fronts(lmb_condensed *c, search *s, const int *order, way by, double limit,
                               lmb_error *err) {
    number_groups(s, order, by);
    c->cost = 0;
    c->fronts = lmb_arena_get(c->arena, (size_t)s->count, sizeof *c->fronts);
    if (c->fronts == NULL) return lmb_fail_memory(err);
    for (int g = 0; g < s->count; g++) take_multipliers(s, g);
    for (int g = 0; g < s->count; g++) s->child[g] = -1;
    for (int g = 0; g < s->count; g++) {
        if (!make_front(c, s, g)) return lmb_fail_memory(err);
        c->cost += front_cost(&c->fronts[g]);
        if (c->cost >= limit) return LMB_OK;
    }
    return LMB_OK;
}

// The order of least fill, or its reverse where that is much cheaper: a chain of bodies costs half as much from its free end,
// where each body takes the multipliers that hold it.  A large system is eliminated from both ends if that costs no more: a chain has
// two branches then.  count is 0 if they would cost more than the limit.
static lmb_status make_fronts(lmb_condensed *c, search *s, const int *order, double limit, lmb_error *err) {
    const double MUCH = 0.8, LARGE = 1e5, NO_MORE = 1.02;
    way by = FORWARDS;
    lmb_status st = order_fronts(c, s, order, by, limit, err);
    double cost = c->cost, wanted = fmin(limit, MUCH * cost);
    if (st == LMB_OK) st = order_fronts(c, s, order, BACKWARDS, wanted, err);
    if (st == LMB_OK && c->cost < wanted) by = BACKWARDS, cost = c->cost;
    bool both = cost >= LARGE && cost < limit;
    if (st == LMB_OK && both) st = order_fronts(c, s, order, FROM_BOTH_ENDS, NO_MORE * cost, err);
    both = both && c->cost < NO_MORE * cost;
    if (st == LMB_OK && !both) st = order_fronts(c, s, order, by, limit, err);
    if (st != LMB_OK || c->cost >= limit) return st;
    for (int g = 0; g < s->count; g++) {
        front *f = &c->fronts[g];
        f->stride = parts(c) * lmb_columns_stride(f->size, c->field);
        c->stored += (size_t)f->stride * (size_t)f->size;
        if (c->stored > INT_MAX / 2) return LMB_OK;
    }
    c->count = s->count;
    return LMB_OK;
}

// ---- rest --------------------------------------------------------------------------------------

static bool number_rest(lmb_condensed *c, search *s) {
    c->unknown = lmb_arena_get(c->arena, (size_t)s->T.n, sizeof *c->unknown);
    if (c->unknown == NULL) return false;
    for (int j = 0; j < s->T.n; j++)
        if (s->of[j] < 0) s->number[j] = c->rest, c->unknown[c->rest++] = j;
    return true;
}

// A between its unknowns, and a full block for each C that comes here
static lmb_status rest_pattern(lmb_condensed *c, const search *s, lmb_error *err) {
    lmb_triplets t = {0};
    bool ok = true;
    for (int i = 0; i < c->rest; i++)
        for (int k = s->T.start[c->unknown[i]]; ok && k < s->T.start[c->unknown[i] + 1]; k++)
            if (s->of[s->T.row[k]] < 0) ok = lmb_triplets_add(&t, s->number[s->T.row[k]], i);
    for (int g = 0; g < c->count; g++) {
        const front *f = &c->fronts[g];
        const int *border = f->unknown + f->group;
        for (int k = 0; ok && f->parent < 0 && k < f->border * f->border; k++)
            ok = lmb_triplets_add(&t, s->number[border[k % f->border]], s->number[border[k / f->border]]);
    }
    lmb_status st = ok ? lmb_pattern_create(&c->S, c->rest, &t, err) : lmb_fail_memory(err);
    lmb_triplets_free(&t);
    return st;
}

// ---- places ------------------------------------------------------------------------------------

// where everything is stored
static bool make_room(lmb_condensed *c) {
    size_t w = (size_t)parts(c);
    c->stored += w * (size_t)c->S.nnz;
    c->store = lmb_arena_get(c->arena, c->stored, sizeof *c->store);
    c->place = lmb_arena_get(c->arena, w * (size_t)c->A->nnz, sizeof *c->place);
    c->x = lmb_arena_get(c->arena, w * (size_t)c->rest, sizeof *c->x);
    c->values = c->store;
    for (int g = 0; c->store != NULL && g < c->count; g++) {
        front *f = &c->fronts[g];
        size_t C = (size_t)f->border * (f->parent < 0 ? (size_t)f->border : 1);
        f->F = c->values, c->values += (size_t)f->stride * (size_t)f->size;
        f->into = lmb_arena_get(c->arena, C, sizeof *f->into);
        f->z = lmb_arena_get(c->arena, (size_t)f->stride, sizeof *f->z);
        if (f->into == NULL || f->z == NULL) return false;
    }
    c->branches = lmb_arena_get(c->arena, (size_t)c->count, sizeof *c->branches);
    c->list = lmb_arena_get(c->arena, (size_t)c->count, sizeof *c->list);
    return c->store && c->place && c->x && c->branches && c->list;
}

// entries of A between unknowns of the rest
static void place_rest(lmb_condensed *c, const search *s) {
    const lmb_pattern *A = c->A;
    int w = parts(c), values = (int)(c->values - c->store);
    for (int i = 0; i < c->rest; i++)
        for (int k = A->start[c->unknown[i]]; k < A->start[c->unknown[i] + 1]; k++) {
            if (s->of[A->row[k]] >= 0) continue;
            int at = lmb_pattern_find(&c->S, s->number[A->row[k]], i);
            for (int part = 0; part < w; part++) c->place[w * k + part] = values + w * at + part;
        }
}

// entries of A in the group's columns, and in its rows in the border's columns; local: in the front, per unknown
static void place_front(lmb_condensed *c, const front *f, const int *local) {
    const lmb_pattern *A = c->A;
    int w = parts(c), base = (int)(f->F - c->store);
    for (int j = 0; j < f->size; j++)
        for (int k = A->start[f->unknown[j]]; k < A->start[f->unknown[j] + 1]; k++) {
            int i = local[A->row[k]];
            if (i < 0 || (i >= f->group && j >= f->group)) continue;
            for (int part = 0; part < w; part++)
                c->place[w * k + part] = base + j * f->stride + part * f->size + i;
        }
}

// fronts that were taken in are left out
static void drop_empty(lmb_condensed *c, int *number) {
    int count = 0;
    for (int g = 0; g < c->count; g++)
        if (c->fronts[g].size > 0) number[g] = count, c->fronts[count++] = c->fronts[g];
    c->count = count;
    for (int g = 0; g < count; g++) c->fronts[g].child = c->fronts[g].sibling = -1;
    for (int g = count - 1; g >= 0; g--) { // children ascend
        front *f = &c->fronts[g];
        if (f->parent < 0) continue;
        f->parent = number[f->parent];
        f->sibling = c->fronts[f->parent].child, c->fronts[f->parent].child = g;
    }
}

// ---- branches ----------------------------------------------------------------------------------

static double own_work(const front *f) { return (double)f->group * f->size * f->size; }

// the work below each front, itself included
static void sum_work(const lmb_condensed *c, double *work) {
    for (int g = 0; g < c->count; g++) {
        const front *f = &c->fronts[g];
        work[g] = own_work(f);
        for (int h = f->child; h >= 0; h = c->fronts[h].sibling) work[g] += work[h];
    }
}

// The first front from g down with several children, whose branches are at most MOST of the work below g; -1: there is none.
static int fork_of(const lmb_condensed *c, const double *work, int g) {
    const double MOST = 0.8;
    double all = work[g];
    while (c->fronts[g].child >= 0 && c->fronts[c->fronts[g].child].sibling < 0) g = c->fronts[g].child;
    double largest = 0;
    for (int h = c->fronts[g].child; h >= 0; h = c->fronts[h].sibling) largest = fmax(largest, work[h]);
    return largest > 0 && all - (work[g] - largest) <= MOST * all ? g : -1;
}

// Divides the trees into branches until none with a fork is larger than a sixteenth of all work.  of: the branch of each root of one;
// -1: none.
static void cut_branches(lmb_condensed *c, const double *work, int *of) {
    double all = 0;
    int count = 0, *heads = c->list;
    for (int g = 0; g < c->count; g++) {
        of[g] = -1;
        if (c->fronts[g].parent < 0) all += work[g], heads[count++] = g;
    }
    for (int k = 0; k < count;) {
        int at = work[heads[k]] > all / 16 ? fork_of(c, work, heads[k]) : -1;
        if (at < 0) {
            k++;
            continue;
        }
        heads[k] = heads[--count];
        for (int h = c->fronts[at].child; h >= 0; h = c->fronts[h].sibling) heads[count++] = h;
    }
    for (int k = 0; k < count; k++) c->branches[k] = (branch){.start = heads[k], .work = work[heads[k]]};
    c->branch_count = count;
}

static int by_work(const void *a, const void *b) {
    const branch *x = a, *y = b;
    if (x->work != y->work) return x->work < y->work ? 1 : -1;
    return x->start - y->start;
}

// work: count numbers, of: count
static void find_branches(lmb_condensed *c, double *work, int *of) {
    sum_work(c, work);
    cut_branches(c, work, of);
    qsort(c->branches, (size_t)c->branch_count, sizeof *c->branches, by_work);
    for (int k = 0; k < c->branch_count; k++) of[c->branches[k].start] = k;
    for (int g = c->count - 1; g >= 0; g--) { // parents come first
        if (of[g] < 0 && c->fronts[g].parent >= 0) of[g] = of[c->fronts[g].parent];
        if (of[g] >= 0) c->branches[of[g]].count++;
    }
    c->top = 0;
    for (int k = 0; k < c->branch_count; k++) {
        c->branches[k].start = c->top, c->top += c->branches[k].count;
        c->branches[k].count = 0;
    }
    for (int g = 0, next = c->top; g < c->count; g++) {
        branch *b = of[g] >= 0 ? &c->branches[of[g]] : NULL;
        c->list[b ? b->start + b->count++ : next++] = g;
    }
}

static void place_all(lmb_condensed *c, search *s) {
    int *local = s->list;
    for (int j = 0; j < s->T.n; j++) local[j] = -1;
    place_rest(c, s);
    for (int g = 0; g < c->count; g++) {
        front *f = &c->fronts[g];
        for (int k = 0; k < f->size; k++) local[f->unknown[k]] = k;
        place_front(c, f, local);
        for (int h = s->child[g]; h >= 0; h = s->sibling[h]) {
            const front *from = &c->fronts[h];
            for (int k = 0; k < from->border; k++) from->into[k] = local[from->unknown[from->group + k]];
        }
        for (int k = 0; k < f->size; k++) local[f->unknown[k]] = -1;
        const int *border = f->unknown + f->group;
        for (int k = 0; f->parent < 0 && k < f->border * f->border; k++)
            f->into[k] = parts(c) * lmb_pattern_find(&c->S, s->number[border[k % f->border]],
                                                     s->number[border[k / f->border]]);
    }
}

// ---- create, destroy ---------------------------------------------------------------------------

static lmb_status analyze(lmb_condensed *c, search *s, const int *order, double limit, lmb_error *err) {
    lmb_status st = make_fronts(c, s, order, limit, err);
    if (st != LMB_OK || c->count == 0) return st;
    if (!number_rest(c, s)) return lmb_fail_memory(err);
    st = rest_pattern(c, s, err);
    if (st == LMB_OK && c->stored + (size_t)parts(c) * (size_t)c->S.nnz > INT_MAX) {
        c->count = 0; // places are int
        return LMB_OK;
    }
    if (st == LMB_OK && !make_room(c)) st = lmb_fail_memory(err);
    if (st != LMB_OK) return st;
    place_all(c, s);
    drop_empty(c, s->list);
    double *work = lmb_arena_doubles(s->arena, c->count);
    if (work == NULL) return lmb_fail_memory(err);
    find_branches(c, work, s->list);
    st = lmb_solver_create_by(&c->solver, &c->S, c->field, LMB_SOLVER_PLAIN, err);
    if (st == LMB_OK) c->cost += lmb_solver_cost(c->solver);
    if (c->cost >= limit) c->count = 0;
    return st;
}

lmb_status lmb_condensed_create(lmb_condensed **out, const lmb_pattern *p, const int *order, lmb_field field,
                                double limit, lmb_error *err) {
    search s;
    *out = NULL;
    lmb_condensed *c = lmb_alloc(1, sizeof *c);
    lmb_status st = search_create(&s, p, err);
    if (c != NULL) *c = (lmb_condensed){.field = field, .A = p, .arena = lmb_arena_create(1 << 12)};
    if (st == LMB_OK && (c == NULL || c->arena == NULL)) st = lmb_fail_memory(err);
    if (st == LMB_OK) find_groups(&s);
    if (st == LMB_OK) st = analyze(c, &s, order, limit, err);
    if (st == LMB_OK && c->count > 0) *out = c;
    else lmb_condensed_destroy(c);
    search_free(&s);
    return st;
}

void lmb_condensed_destroy(lmb_condensed *c) {
    if (c == NULL) return;
    lmb_solver_destroy(c->solver);
    lmb_pattern_free(&c->S);
    lmb_arena_destroy(c->arena);
    lmb_free(c);
}

// ---- factor ------------------------------------------------------------------------------------

// store = R A, zero where A has no entries; w: numbers in an entry, known to the compiler
LMB_CLONED void fill(lmb_condensed *c, const double *a, const double *row, int w) {
    const int *place = c->place, *r = c->A->row;
    double *restrict store = c->store;
    memset(store, 0, c->stored * sizeof *store);
    for (int k = 0, nnz = c->A->nnz; k < nnz; k++)
        for (int part = 0; part < w; part++) store[place[w * k + part]] = a[w * k + part] * row[r[k]];
}

// |re| + |im| of row i, column j
static double entry_size(const lmb_condensed *c, const front *f, int i, int j) {
    const double *a = f->F + (size_t)j * (size_t)f->stride + i;
    return c->field == LMB_REAL ? fabs(*a) : fabs(*a) + fabs(a[f->size]);
}

// z_j = max_i |a_ij|, rows and columns of the group
static void column_sizes(const lmb_condensed *c, const front *f) {
    if (c->field == LMB_REAL) lmb_columns_sizes(f->z, f->F, f->size, f->group);
    for (int j = 0; c->field == LMB_COMPLEX && j < f->group; j++) {
        double most = 0;
        for (int i = 0; i < f->group; i++) {
            double a = entry_size(c, f, i, j);
            most = a > most ? a : most;
        }
        f->z[j] = most;
    }
}

// smallest pivot by the size of its column, 0 if that is too small
static double pivots_good(const lmb_condensed *c, const front *f) {
    double low = INFINITY;
    for (int k = 0; k < f->group; k++) low = fmin(low, entry_size(c, f, k, k) / f->z[k]);
    return low >= PIVOT_SMALL ? low : 0;
}

// column j of C, one part of it
static const double *border_column(const front *f, int j, int part) {
    return f->F + (size_t)(f->group + j) * (size_t)f->stride + part * f->size + f->group;
}

// C of a child into the front
static void add_to_parent(const lmb_condensed *c, const front *to, const front *f) {
    int w = parts(c);
    for (int j = 0; j < f->border; j++)
        for (int part = 0; part < w; part++) {
            const double *C = border_column(f, j, part);
            double *into = to->F + (size_t)f->into[j] * (size_t)to->stride + part * to->size;
            for (int i = 0; i < f->border; i++) into[f->into[i]] += C[i];
        }
}

// C to the rest
static void add_to_rest(const lmb_condensed *c, const front *f) {
    int w = parts(c);
    for (int j = 0; j < f->border; j++)
        for (int part = 0; part < w; part++) {
            const double *C = border_column(f, j, part);
            const int *into = f->into + j * f->border;
            for (int i = 0; i < f->border; i++) c->values[into[i] + part] += C[i];
        }
}

// the smallest pivot of the front, 0: too small
static double factor_front(const lmb_condensed *c, int g) {
    front *f = &c->fronts[g];
    for (int h = f->child; h >= 0; h = c->fronts[h].sibling) add_to_parent(c, f, &c->fronts[h]);
    column_sizes(c, f);
    bool ok = c->field == LMB_REAL ? lmb_columns_lu(f->F, f->pivot, f->size, f->group)
                                   : lmb_columns_lu_complex(f->F, f->pivot, f->size, f->group);
    f->exchanged = false;
    for (int k = 0; ok && k < f->group; k++) f->exchanged = f->exchanged || f->pivot[k] != k;
    return ok ? pivots_good(c, f) : 0;
}

static double factor_fronts(const lmb_condensed *c, const int *list, int count) {
    double low = INFINITY;
    for (int k = 0; k < count && low > 0; k++) low = fmin(low, factor_front(c, list[k]));
    return low;
}

static void factor_branches(void *user, int from, int to, int thread) {
    const lmb_condensed *c = user;
    (void)thread;
    for (int k = from; k < to; k++)
        c->branches[k].low = factor_fronts(c, c->list + c->branches[k].start, c->branches[k].count);
}

double lmb_condensed_factor(lmb_condensed *c, const double *a, const double *row) {
    double low = INFINITY;
    if (c->field == LMB_REAL) fill(c, a, row, 1);
    else fill(c, a, row, 2);
    lmb_team_run(c->team, c->branch_count, 1, factor_branches, c);
    for (int k = 0; k < c->branch_count; k++) low = fmin(low, c->branches[k].low);
    if (low > 0) low = fmin(low, factor_fronts(c, c->list + c->top, c->count - c->top));
    for (int g = 0; g < c->count && low > 0; g++)
        if (c->fronts[g].parent < 0) add_to_rest(c, &c->fronts[g]);
    if (!(low > 0) || lmb_solver_factor(c->solver, c->values) != LMB_OK) return 0;
    return fmin(low, lmb_solver_rcond(c->solver));
}

void lmb_condensed_share(lmb_condensed *c, lmb_team *team) { c->team = team; }

void lmb_condensed_forget(lmb_condensed *c) { lmb_solver_forget(c->solver); }

// ---- solve -------------------------------------------------------------------------------------

// z = (x of the group, 0) + z of the borders of the children;  z = L \ z, which waits for the way back
LMB_CLONED void forward(const lmb_condensed *c, const front *f, const double *x) {
    double *z = f->z;
    for (int i = f->group / WIDE * WIDE; i < f->stride; i += WIDE) STORE(z + i, (four){0});
    for (int i = 0; i < f->group; i++) z[i] = x[f->unknown[i]];
    for (int h = f->child; h >= 0; h = c->fronts[h].sibling) {
        const front *from = &c->fronts[h];
        const double *add = from->z + from->group;
        for (int i = 0; i < from->border; i++) z[from->into[i]] += add[i];
    }
    for (int i = 0; f->exchanged && i < f->group; i++) {
        double t = z[i];
        z[i] = z[f->pivot[i]], z[f->pivot[i]] = t;
    }
    lmb_columns_lower(z, f->F, f->stride, f->group);
}

static void forward_complex(const lmb_condensed *c, const front *f, const double *x) {
    int n = f->size;
    for (int part = 0; part < 2; part++) {
        double *z = f->z + part * n;
        for (int i = 0; i < f->group; i++) z[i] = x[2 * f->unknown[i] + part];
        for (int i = f->group; i < n; i++) z[i] = 0;
    }
    for (int h = f->child; h >= 0; h = c->fronts[h].sibling) {
        const front *from = &c->fronts[h];
        for (int part = 0; part < 2; part++) {
            const double *add = from->z + part * from->size + from->group;
            double *z = f->z + part * n;
            for (int i = 0; i < from->border; i++) z[from->into[i]] += add[i];
        }
    }
    lmb_columns_forward_complex(f->z, f->F, f->pivot, n, f->group);
}

// x of the border += z
LMB_CLONED void forward_to_rest(const front *f, double *x, int w) {
    for (int part = 0; part < w; part++)
        for (int i = f->group; i < f->size; i++) x[w * f->unknown[i] + part] += f->z[part * f->size + i];
}

// x of the group = U \ (z of the group, x of the border)
LMB_CLONED void back(const front *f, double *x) {
    double *z = f->z;
    for (int i = f->group; i < f->size; i++) z[i] = x[f->unknown[i]];
    lmb_columns_upper(z, f->F, f->size, f->stride, f->group);
    for (int i = 0; i < f->group; i++) x[f->unknown[i]] = z[i];
}

static void back_complex(const front *f, double *x) {
    int n = f->size;
    for (int part = 0; part < 2; part++)
        for (int i = f->group; i < n; i++) f->z[part * n + i] = x[2 * f->unknown[i] + part];
    lmb_columns_back_complex(f->z, f->F, n, f->group);
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < f->group; i++) x[2 * f->unknown[i] + part] = f->z[part * n + i];
}

typedef struct solution { // in progress
    const lmb_condensed *c;
    double *x;
} solution;

LMB_CLONES static void forward_fronts(const solution *s, int from, int to) {
    const lmb_condensed *c = s->c;
    for (int k = from; k < to; k++)
        if (c->field == LMB_REAL) forward(c, &c->fronts[c->list[k]], s->x);
        else forward_complex(c, &c->fronts[c->list[k]], s->x);
}

LMB_CLONES static void back_fronts(const solution *s, int from, int to) {
    const lmb_condensed *c = s->c;
    for (int k = to - 1; k >= from; k--)
        if (c->field == LMB_REAL) back(&c->fronts[c->list[k]], s->x);
        else back_complex(&c->fronts[c->list[k]], s->x);
}

static void forward_branches(void *user, int from, int to, int thread) {
    const solution *s = user;
    (void)thread;
    for (const branch *b = s->c->branches + from; b < s->c->branches + to; b++)
        forward_fronts(s, b->start, b->start + b->count);
}

static void back_branches(void *user, int from, int to, int thread) {
    const solution *s = user;
    (void)thread;
    for (const branch *b = s->c->branches + from; b < s->c->branches + to; b++)
        back_fronts(s, b->start, b->start + b->count);
}

LMB_CLONED void solve_rest(lmb_condensed *c, double *x, int w) {
    for (int g = 0; g < c->count; g++)
        if (c->fronts[g].parent < 0) forward_to_rest(&c->fronts[g], x, w);
    for (int i = 0; i < c->rest; i++)
        for (int part = 0; part < w; part++) c->x[w * i + part] = x[w * c->unknown[i] + part];
    lmb_solver_solve(c->solver, c->x);
    for (int i = 0; i < c->rest; i++)
        for (int part = 0; part < w; part++) x[w * c->unknown[i] + part] = c->x[w * i + part];
}

void lmb_condensed_solve(lmb_condensed *c, double *x, const double *row) {
    int w = parts(c);
    solution s = {c, x};
    if (w == 1) lmb_columns_scale(x, row, c->A->n);
    for (int i = 0; w == 2 && i < c->A->n; i++) x[2 * i] *= row[i], x[2 * i + 1] *= row[i];
    lmb_team_run(c->team, c->branch_count, 1, forward_branches, &s);
    forward_fronts(&s, c->top, c->count);
    if (w == 1) solve_rest(c, x, 1);
    else solve_rest(c, x, 2);
    back_fronts(&s, c->top, c->count);
    lmb_team_run(c->team, c->branch_count, 1, back_branches, &s);
}

double lmb_condensed_cost(const lmb_condensed *c) { return c->cost; }

double lmb_condensed_alone(const lmb_condensed *c) {
    double all = 0, branches = 0, largest = 0;
    for (int g = 0; g < c->count; g++) all += own_work(&c->fronts[g]);
    for (int k = 0; k < c->branch_count; k++) {
        branches += c->branches[k].work;
        largest = fmax(largest, c->branches[k].work);
    }
    return all > 0 ? (all - branches + largest) / all : 1;
}

long lmb_condensed_fill(const lmb_condensed *c) {
    long fill = lmb_solver_statistics(c->solver).fill;
    for (int g = 0; g < c->count; g++)
        fill += (long)c->fronts[g].group * (c->fronts[g].size + c->fronts[g].border);
    return fill;
}
