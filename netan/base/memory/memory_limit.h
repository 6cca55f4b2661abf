/* How much memory a process may have. */
#ifndef NETAN_BASE_MEMORY_MEMORY_LIMIT_H
#define NETAN_BASE_MEMORY_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * The least of what the machine has, the control groups of this process and
 * those above them allow (version 2 and 1), and its limit of private memory
 * (RLIMIT_DATA).  `root` is in front of /proc and /sys: "" but in tests.
 */
uint64_t na_memory_limit(const char *root);

#endif
