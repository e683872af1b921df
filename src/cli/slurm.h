// cli/slurm.h: members of a study as a job array of Slurm.
#ifndef LMB_CLI_SLURM_H
#define LMB_CLI_SLURM_H

#include "cli.h"

// Writes NAME.sh beside the study NAME.h5 and submits it with sbatch for the members that are missing.  options: of sbatch, without the two
// dashes, separated by commas: "partition=short,time=1:00:00".  Returns the exit code.
int slurm_submit(const char *study, const char *options, bool trust, bool allow_fmu);
// Prints which members are missing and how to run them, if there are any.
void slurm_missing(const char *study);

#endif
