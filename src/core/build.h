// core/build.h: which build of limber this is.
#ifndef LMB_CORE_BUILD_H
#define LMB_CORE_BUILD_H

#include <stddef.h>

// The linker's mark of the program or library that holds limber, at most size - 1 digits of base 16; "": it has none.
void lmb_build_id(char *out, size_t size);

#endif
