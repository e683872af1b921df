// api/reduce_ahead.c: parts of several bodies that are reduced at the same time, before the bodies are built.
//
// Files are read, and the cache is looked at, one after the other; what is computed shares no memory.  A single factorisation may use
// all threads of OpenBLAS; of several each has one, however many of them run at a time, so that their numbers are always the same.
#include "api/reduce_ahead.h"

#include "core/team.h"
#include "os/locale.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct desk { // one thread at a time tells of progress, or writes to the cache
    const lmb_part_settings *how;
    pthread_mutex_t lock;
    bool stopped;
} desk;

typedef struct job {
    lmb_part part;
    const char *name;
    bool taken;
    bool has_key, cached; // cached: it goes to the cache
    lmb_cache_key key;
    int same; // an earlier job with the same part, -1: none
    const lmb_flex *made;
    lmb_reduced_part result;
    lmb_error err;
    desk *desk;
} job;

struct lmb_reduce_ahead {
    job *jobs;
    int count;
    int *todo, todo_count; // those that are computed
    lmb_part_settings how; // of these
};

// ---- progress ----------------------------------------------------------------------------------

// "rod: factorisation"; a report of several lines gets a line with the name
static bool tell(void *user, const char *text, double done) {
    const job *j = user;
    desk *t = j->desk;
    lmb_text line = {0};
    pthread_mutex_lock(&t->lock);
    bool ok = !t->stopped && lmb_text_add(&line, strchr(text, '\n') ? "%s:\n%s" : "%s: %s", j->name, text);
    if (ok) ok = t->how->progress(t->how->user, line.text, done);
    t->stopped = !ok;
    pthread_mutex_unlock(&t->lock);
    lmb_text_free(&line);
    return ok;
}

// ---- one part ----------------------------------------------------------------------------------

static void compute(const lmb_reduce_ahead *a, job *j) {
    lmb_part_settings how = a->how;
    lmb_reduced_part *r = &j->result;
    if (how.progress && a->todo_count > 1) how.progress = tell, how.user = j;
    if (j->part.kind == LMB_PART_BEAM) {
        const lmb_part_options o = {.name = j->name};
        r->status = lmb_part_reduce(&r->flex, &j->part, NULL, &o, &j->err);
    } else {
        r->status = lmb_part_file_compute(&r->flex, NULL, &r->file, &how, &j->err);
    }
    j->made = r->flex;
    if (!j->cached || r->flex == NULL) return;
    pthread_mutex_lock(&j->desk->lock);
    lmb_cache_put(&j->key, r->flex);
    pthread_mutex_unlock(&j->desk->lock);
}

static void compute_some(void *user, int from, int to, int thread) {
    const lmb_reduce_ahead *a = user;
    (void)thread;
    lmb_plain_locale locale = lmb_locale_begin(); // each thread has its own
    for (int i = from; i < to; i++)
        compute(a, &a->jobs[a->todo[a->todo_count - 1 - i]]); // the last turns come first
    lmb_locale_end(locale);
}

// those that did not fit into memory beside others, alone
static void compute_again(lmb_reduce_ahead *a, const desk *d) {
    a->how.threads = 1;
    for (int i = 0; i < a->todo_count && !d->stopped; i++) {
        job *j = &a->jobs[a->todo[i]];
        if (j->result.status != LMB_ERR_SYSTEM) continue;
        j->err = (lmb_error){0};
        compute(a, j);
    }
}

static void compute_all(lmb_reduce_ahead *a, int threads, const desk *d) {
    lmb_team *team = NULL;
    if (threads > 1) lmb_team_create(&team, threads, NULL); // none, if the system starts no others
    a->how.threads = team ? threads : 1;
    if (team) lmb_team_run(team, a->todo_count, 1, compute_some, a), compute_again(a, d);
    for (int i = 0; team == NULL && i < a->todo_count; i++) {
        compute(a, &a->jobs[a->todo[i]]);
        if (a->jobs[a->todo[i]].result.status != LMB_OK) break; // nothing behind it will be asked for
    }
    lmb_team_destroy(team);
}

// ---- all ---------------------------------------------------------------------------------------

// an earlier job with the same part, -1: none
static int same_as(const lmb_reduce_ahead *a, const job *j) {
    for (const job *k = a->jobs; k < j && j->has_key; k++)
        if (k->has_key && k->same < 0 && strcmp(k->key.text, j->key.text) == 0) return (int)(k - a->jobs);
    return -1;
}

// reads the files of a part, and the cache; false: it is wrong, and nothing behind it will be asked for
static bool open_job(lmb_reduce_ahead *a, job *j, lmb_spec *spec, const lmb_part_settings *how) {
    lmb_reduced_part *r = &j->result;
    j->same = -1;
    if (j->part.kind == LMB_PART_BEAM) return true; // they are all different
    r->status = lmb_part_file_take(&r->file, spec, &j->part, j->name, how, &j->err);
    if (r->status != LMB_OK) return false;
    j->has_key = r->file.cacheable;
    if (j->has_key) j->key = lmb_part_file_key(&r->file, how);
    j->same = same_as(a, j);
    if (j->same >= 0 || how->no_cache || !j->has_key) return true;
    j->made = r->flex = lmb_cache_get(&j->key);
    j->cached = r->flex == NULL;
    if (r->flex && (r->flex->name = lmb_arena_strdup(r->flex->arena, j->name)) == NULL)
        r->status = lmb_fail_memory(&j->err);
    return r->status == LMB_OK;
}

static void run(lmb_reduce_ahead *a, const lmb_part_settings *how) {
    desk d = {.how = how, .lock = PTHREAD_MUTEX_INITIALIZER};
    int threads = how->threads > 0 ? how->threads : lmb_team_processors();
    for (int i = 0; i < a->count; i++) a->jobs[i].desk = &d;
    if (threads > a->todo_count) threads = a->todo_count;
    if (threads > LMB_TEAM_MOST) threads = LMB_TEAM_MOST;
    a->how = *how;
    if (a->todo_count > 1 && how->factoriser && how->factoriser->beside)
        a->how.factoriser = how->factoriser->beside;
    compute_all(a, threads, &d);
    pthread_mutex_destroy(&d.lock);
}

lmb_reduce_ahead *lmb_reduce_ahead_create(lmb_spec *spec, const lmb_asked_part *list, int count,
                                          const lmb_part_settings *how) {
    lmb_reduce_ahead *a = lmb_alloc(1, sizeof *a);
    if (a == NULL) return NULL;
    a->jobs = lmb_alloc((size_t)count, sizeof *a->jobs);
    a->todo = lmb_alloc((size_t)count, sizeof *a->todo);
    if (!a->jobs || !a->todo) return lmb_reduce_ahead_destroy(a), NULL;
    for (bool ok = true; a->count < count && ok; a->count++) {
        job *j = &a->jobs[a->count];
        j->part = *list[a->count].part, j->name = list[a->count].name;
        ok = open_job(a, j, spec, how);
        if (ok && j->same < 0 && j->result.flex == NULL) a->todo[a->todo_count++] = a->count;
    }
    run(a, how);
    return a;
}

void lmb_reduce_ahead_destroy(lmb_reduce_ahead *a) {
    if (a == NULL) return;
    for (int i = 0; i < a->count; i++) {
        if (a->jobs[i].taken) continue;
        lmb_flex_destroy(a->jobs[i].result.flex);
        lmb_part_file_close(&a->jobs[i].result.file);
    }
    lmb_free(a->jobs), lmb_free(a->todo);
    lmb_free(a);
}

bool lmb_reduce_ahead_take(lmb_reduced_part *out, lmb_reduce_ahead *a, const lmb_part *part, const char *name,
                           lmb_error *err) {
    for (int i = 0; a && i < a->count; i++) {
        job *j = &a->jobs[i];
        if (j->taken || strcmp(j->name, name) != 0 || j->part.piece != part->piece) continue;
        j->taken = true;
        *out = j->result;
        if (out->status != LMB_OK) *err = j->err;
        const job *first = j->same >= 0 ? &a->jobs[j->same] : NULL; // its body is built, and has its part
        if (first && first->made) out->status = lmb_flex_share(&out->flex, first->made, name, V3_ZERO, err);
        else if (first) out->status = first->result.status, *err = first->err;
        return true;
    }
    return false;
}
