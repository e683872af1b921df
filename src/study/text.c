// study/text.c: parts of a text.
#include "study/text.h"

#include <ctype.h>
#include <string.h>

// The part of a text up to a separator outside of brackets; *at goes past it, to NULL at the end.
static char *next_part(lmb_arena *arena, const char **at, char separator) {
    int depth = 0;
    const char *p = *at;
    for (; *p && (*p != separator || depth > 0); p++)
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    const char *from = *at, *to = p;
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    *at = *p ? p + 1 : NULL;
    char *part = lmb_arena_get(arena, (size_t)(to - from) + 1, 1);
    if (part) memcpy(part, from, (size_t)(to - from));
    return part;
}

int lmb_text_split(char ***out, lmb_arena *arena, const char *text, char separator) {
    int count = 0, room = 1;
    for (const char *p = text; *p; p++) room += *p == separator;
    *out = lmb_arena_get(arena, (size_t)room, sizeof **out);
    for (const char *at = text; *out && at; count++)
        if (((*out)[count] = next_part(arena, &at, separator)) == NULL) return -1;
    return *out ? count : -1;
}
