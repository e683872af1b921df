// core/team.h: threads that share the work of one loop after another.
//
// A team is made once; its threads wait for the next loop, first in a loop of their own, then asleep.  Which thread takes which
// turns of a loop is left to chance: each turn writes memory of its own, and sums are formed in a fixed order afterwards, so that results do not
// depend on the number of threads.  A team belongs to one thread, which takes part in its loops.
#ifndef LMB_TEAM_H
#define LMB_TEAM_H

#include "core/core.h"

typedef struct lmb_team lmb_team;

enum { LMB_TEAM_MOST = 256 }; // threads

// size: threads in all, the caller's among them; 1: *out is NULL, which all functions take for a team of one.  LMB_ERR_SYSTEM: no
// memory, or the system starts no further thread.
lmb_status lmb_team_create(lmb_team **out, int size, lmb_error *err);
void lmb_team_destroy(lmb_team *t);
int lmb_team_size(const lmb_team *t);
int lmb_team_processors(void); // that this process may use

// turns [from, to) of a loop, in thread 0 .. size - 1 (0: the caller's)
typedef void (*lmb_team_work)(void *user, int from, int to, int thread);
// Calls work for all turns 0 .. count - 1, at most `grain` of them at once; returns when all are done.
void lmb_team_run(lmb_team *t, int count, int grain, lmb_team_work work, void *user);

#endif
