// os/program.h: starting other programs: without a shell, without the user's start-up files, always in the same language.
#ifndef LMB_IO_PROGRAM_H
#define LMB_IO_PROGRAM_H

#include "core/core.h"

#include <sys/types.h>

// Starts argv[0] (found in PATH) with input, output and errors in place of its standard ones (-1: nothing) and a home folder
// that does not exist.  Returns 0, or the system's error number.
int lmb_program_start(pid_t *out, char *const *argv, int input, int output, int errors);
// The same, and waits for its end; *status as waitpid tells it.
int lmb_program_run(int *status, char *const *argv, int input, int output);

#endif
