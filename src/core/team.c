// core/team.c: a loop is published as one number (its serial number, turns that are left), from which threads take turns by
// compare-and-swap.  The caller works too and waits only for turns that others have taken: a thread that wakes up too late, or never
// gets a processor, delays nothing.
#include "core/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum { SPINS = 4000 }; // looks at the next loop before a thread sleeps: some 50 us

typedef struct member {
    lmb_team *team;
    pthread_t thread;
    int index;
} member;

struct lmb_team {
    _Atomic uint64_t turns; // serial number of the loop, turns left
    atomic_int done;        // turns of the loop
    atomic_int grain;
    atomic_int asleep;
    atomic_bool ended;
    lmb_team_work work; // of the loop: written before its turns are published, read after one was taken
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int size, started;
    member *members; // but the caller
};

static inline void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// takes turns [from, to) of the loop that is published; false: none are left
static bool take(lmb_team *t, int *from, int *to) {
    uint64_t turns = atomic_load(&t->turns);
    for (;;) {
        uint64_t left = turns & UINT32_MAX, some = (uint64_t)atomic_load(&t->grain);
        if (left == 0) return false;
        if (some > left) some = left;
        if (!atomic_compare_exchange_weak(&t->turns, &turns, turns - some)) continue;
        *to = (int)left, *from = (int)(left - some);
        return true;
    }
}

// The loop cannot end while turns of it are taken and not yet done: work and user are those of it.
static void take_part(lmb_team *t, int thread) {
    int from, to;
    while (take(t, &from, &to)) {
        t->work(t->user, from, to, thread);
        atomic_fetch_add(&t->done, to - from);
    }
}

static bool idle(lmb_team *t) {
    return (atomic_load(&t->turns) & UINT32_MAX) == 0 && !atomic_load(&t->ended);
}

static void wait_for_work(lmb_team *t) {
    for (int k = 0; k < SPINS; k++) {
        if (!idle(t)) return;
        pause_a_little();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->asleep, 1); // before it looks again: lmb_team_run looks at it after publishing
    while (idle(t)) pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->lock);
}

static void *live(void *user) {
    const member *m = user;
    while (!atomic_load(&m->team->ended)) {
        take_part(m->team, m->index);
        wait_for_work(m->team);
    }
    return NULL;
}

static void wake_all(lmb_team *t) {
    if (atomic_load(&t->asleep) == 0) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

void lmb_team_run(lmb_team *t, int count, int grain, lmb_team_work work, void *user) {
    if (t == NULL || count <= grain) {
        if (count > 0) work(user, 0, count, 0);
        return;
    }
    uint64_t serial = atomic_load(&t->turns) >> 32;
    t->work = work, t->user = user;
    atomic_store(&t->done, 0);
    atomic_store(&t->grain, grain > 0 ? grain : 1);
    atomic_store(&t->turns, (serial + 1) << 32 | (uint64_t)count);
    wake_all(t);
    take_part(t, 0);
    for (int k = 0; atomic_load(&t->done) < count; k++) {
        if (k < SPINS) pause_a_little();
        else sched_yield(); // a thread of the team has turns and no processor
    }
}

int lmb_team_size(const lmb_team *t) { return t ? t->size : 1; }

int lmb_team_processors(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > LMB_TEAM_MOST ? LMB_TEAM_MOST : count;
}

lmb_status lmb_team_create(lmb_team **out, int size, lmb_error *err) {
    *out = NULL;
    if (size <= 1) return LMB_OK;
    lmb_team *t = lmb_alloc(1, sizeof *t);
    if (t == NULL) return lmb_fail_memory(err);
    t->size = size < LMB_TEAM_MOST ? size : LMB_TEAM_MOST;
    t->members = lmb_alloc((size_t)t->size, sizeof *t->members);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    lmb_status st = t->members ? LMB_OK : lmb_fail_memory(err);
    sigset_t all, before; // signals are for the caller's thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int k = 1; st == LMB_OK && k < t->size; k++) {
        member *m = &t->members[t->started];
        *m = (member){.team = t, .index = k};
        if (pthread_create(&m->thread, NULL, live, m) == 0) t->started++;
        else
            st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot start thread %d of %d; ask for fewer",
                          k + 1, t->size);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (st == LMB_OK) *out = t;
    else lmb_team_destroy(t);
    return st;
}

void lmb_team_destroy(lmb_team *t) {
    if (t == NULL) return;
    atomic_store(&t->ended, true);
    wake_all(t);
    for (int k = 0; k < t->started; k++) pthread_join(t->members[k].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    lmb_free(t->members);
    lmb_free(t);
}
