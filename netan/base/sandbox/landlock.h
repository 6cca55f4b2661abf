/* Landlock's own words, for kernels and headers of any age. */
#ifndef NETAN_BASE_SANDBOX_LANDLOCK_H
#define NETAN_BASE_SANDBOX_LANDLOCK_H

#include <stdbool.h>

/* Were there headers of it when this was built? */
bool na_landlock_built(void);
/* The version of it that the kernel has; 0 and errno: none. */
int na_landlock_abi(void);
/* A set of rules that forbids all that this kernel can; -1 and errno. */
int na_landlock_new(int abi);
/* `reach`: bits of enum na_reach. */
void na_landlock_add(int rules, int abi, const char *path, unsigned reach);
/* Nonzero: errno says why it does not hold.  Closes the rules. */
int na_landlock_hold(int rules);

#endif
