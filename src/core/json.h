// core/json.h: texts as JSON.
#ifndef LMB_CORE_JSON_H
#define LMB_CORE_JSON_H

#include "core/core.h"

// Adds a text as a JSON string, with its quotes; false: no memory.
bool lmb_json_string(lmb_text *out, const char *s);

#endif
