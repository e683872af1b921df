// cli/settings.h: parameters from the command line: NAME=VALUE, or NAME=VALUE,VALUE,... for a study over all
// combinations.
#ifndef LMB_CLI_SETTINGS_H
#define LMB_CLI_SETTINGS_H

#include "cli.h"

typedef struct setting_values {
    char *name;
    int count;
    char **v;
} setting_values;

typedef struct settings {
    int count;
    setting_values *list;
    lmb_setting *picked; // one combination
} settings;

int settings_read(settings *s, const cli_list *sets); // 0, or 2 with a message
void settings_free(settings *s);
int settings_combinations(const settings *s); // 1: a single run
// Combination number k; borrowed, valid until the next call.
const lmb_setting *settings_pick(settings *s, int k);

#endif
