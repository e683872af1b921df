// study/text.h: parts of a text between separators outside of brackets.
#ifndef LMB_STUDY_TEXT_H
#define LMB_STUDY_TEXT_H

#include "core/core.h"

// Its parts without spaces around them, in the arena; their number, or -1: no memory.
int lmb_text_split(char ***out, lmb_arena *arena, const char *text, char separator);

#endif
