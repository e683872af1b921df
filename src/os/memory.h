// os/memory.h: how much memory there is.
#ifndef LMB_OS_MEMORY_H
#define LMB_OS_MEMORY_H

// Bytes that this process may still take, swap included, within the limits of its control group; 0: unknown.
double lmb_memory_available(void);

#endif
