// api/study_run.c: the members of a study, each in a process of its own.
#include "api/study.h"

#include "core/team.h"
#include "os/files.h"
#include "os/workers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct runner {
    const char *study;
    const lmb_study_file *f;
    const lmb_study_how *how;
    int at, waiting, ended; // next member to look at; without a record at the beginning; of these
    double begin;
    lmb_status st;
    lmb_error *err;
} runner;

// ---- in a process of its own -----------------------------------------------------------------------------

// the study as if member k were the only one
static lmb_study_file row_of(const lmb_study_file *f, int k) {
    lmb_study_file one = *f;
    one.members = 1;
    one.parameter = f->parameter + (size_t)k * (size_t)f->parameters;
    return one;
}

static int work(void *user, int k) {
    runner *r = user;
    const lmb_study_file one = row_of(r->f, k);
    const lmb_study_how how = {.parts = r->how->parts};
    lmb_member_record record = {.measures = lmb_alloc((size_t)one.measures + 1, sizeof(double))};
    lmb_error err = {0};
    return record.measures && lmb_study_member_run(&record, r->study, &one, k, &how, &err) == LMB_OK ? 0 : 3;
}

// ---- in ours ---------------------------------------------------------------------------------------------

static int next(void *user) {
    runner *r = user;
    while (r->at < r->f->members && lmb_member_is_settled(r->f->status[r->at])) r->at++;
    return r->at < r->f->members ? r->at++ : -1;
}

// a process that left no record: one of our own, which does not count the next time
static lmb_status note_crash(runner *r, int k, const char *crash) {
    const lmb_study_file one = row_of(r->f, k);
    lmb_member_record record = {
        .status = 3, .seconds = NAN, .measures = lmb_alloc((size_t)one.measures + 1, sizeof(double))};
    char *path = lmb_member_path(r->study, k, "json"), hash[LMB_SHA256_TEXT];
    lmb_status st = path && record.measures ? LMB_OK : lmb_fail_memory(r->err);
    snprintf(record.message, sizeof record.message, "%s", crash);
    record.seconds = 0;
    for (int i = 0; i < one.measures && st == LMB_OK; i++) record.measures[i] = NAN;
    lmb_member_hash(hash, &one, 0);
    if (st == LMB_OK) st = lmb_member_record_write(path, hash, &record, one.measures, r->err);
    lmb_free(path), lmb_free(record.measures);
    return st;
}

static void done(void *user, int k, const char *crash, int code) {
    runner *r = user;
    r->ended++;
    if (crash == NULL && code == 0) return;
    lmb_status st = note_crash(r, k, crash ? crash : "its record could not be written");
    if (r->st == LMB_OK) r->st = st;
}

static bool tick(void *user, int running) {
    runner *r = user;
    double spent = lmb_clock() - r->begin,
           left = r->ended > 0 ? spent / r->ended * (r->waiting - r->ended) : -1;
    (void)running;
    if (r->st != LMB_OK) return false;
    int settled = r->f->members - r->waiting;
    return !r->how->progress || r->how->progress(r->how->user, settled + r->ended, r->f->members, left);
}

static lmb_status run_members(runner *r, bool *stopped) {
    lmb_workers w = {.next = next, .work = work, .done = done, .tick = tick, .user = r};
    w.jobs = r->how->jobs > 0 ? r->how->jobs : lmb_team_processors();
    for (int k = 0; k < r->f->members; k++) r->waiting += !lmb_member_is_settled(r->f->status[k]);
    r->begin = lmb_clock();
    lmb_status st = lmb_workers_run(&w, stopped, r->err);
    return st ? st : r->st;
}

lmb_status lmb_study_run(const char *study, const lmb_study_how *how, lmb_error *err) {
    static const lmb_study_how plain = {0};
    lmb_study *s;
    bool stopped = false;
    lmb_status st = lmb_study_open(&s, study, err);
    if (st != LMB_OK) return st;
    runner r = {.study = study, .f = &s->f, .how = how ? how : &plain, .err = err};
    if (strcmp(s->f.version, lmb_version()) != 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "'%.300s' was planned by limber %s, this is %s; plan it again", study, s->f.version,
                      lmb_version());
    if (st == LMB_OK && !s->formula) st = run_members(&r, &stopped);
    lmb_study_close(s);
    if (st == LMB_OK) st = lmb_study_collect(NULL, study, err);
    if (st == LMB_OK && stopped)
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                      "the study was stopped; the same command goes on with it");
    return st;
}
