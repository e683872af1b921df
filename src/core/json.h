// core/json.h: JSON (RFC 8259): texts are written, values are read one after the other.
#ifndef LMB_CORE_JSON_H
#define LMB_CORE_JSON_H

#include "core/core.h"

// Adds a text as a JSON string, with its quotes; false: no memory.
bool lmb_json_string(lmb_text *out, const char *s);

// A position in a text.  There is no tree: who reads says what comes next, and anything else is a fault.  The first one
// stays; after it every call does nothing and returns false.  Nothing is allocated.
typedef struct lmb_json {
    const char *at, *end;
    const char *fault; // what is wrong, NULL: nothing yet
} lmb_json;

bool lmb_json_fault(lmb_json *j, const char *fault); // false

// { or [; then, before each entry (index 0, 1, ...), whether there is one: a comma, or close and the end
bool lmb_json_enter(lmb_json *j, char open);
bool lmb_json_next(lmb_json *j, char close, int index);

// Bytes that the decoded text needs at most, with its end; 0: what comes is not a text.
size_t lmb_json_room(lmb_json *j);
// A text of at most room bytes, without zeros in it.  out NULL: only past it.
bool lmb_json_text(char *out, size_t room, lmb_json *j);
bool lmb_json_colon(lmb_json *j);
// A finite number; in a locale with decimal points (os/locale.h).
bool lmb_json_number(double *out, lmb_json *j);
bool lmb_json_flag(bool *out, lmb_json *j);
// Past a value of any type, checked like all others.
bool lmb_json_skip(lmb_json *j);
// Entries of the list that comes, up to the first that is damaged; nothing moves.  -1 and a fault: there is no list.
int lmb_json_count(lmb_json *j);
// Whether nothing else comes.
bool lmb_json_end(lmb_json *j);

#endif
