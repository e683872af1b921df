// tests/unit/test_os_memory.c: what memory there is.
#include "os/memory.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// at most all of the machine and its swap, and what this test could take; 0 without /proc
TEST(memory_is_between_little_and_all) {
    double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
           left = lmb_memory_available();
    if (access("/proc/meminfo", R_OK) != 0) {
        CHECK(left == 0);
        return;
    }
    CHECK(left > 1e6 && left < 20 * all);
}
