/* seccomp: which calls of the kernel are left (calls.def). */
#ifndef NETAN_BASE_SANDBOX_CALLS_H
#define NETAN_BASE_SANDBOX_CALLS_H

#include <stdbool.h>

/* Was there a libseccomp when this was built? */
bool na_calls_built(void);
/* Whether it holds: 0, else the errno of what refused. */
int na_calls_hold(bool capturing);

#endif
