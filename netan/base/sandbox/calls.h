/* seccomp: which calls of the kernel are left (calls.def, tools/calls.c). */
#ifndef NETAN_BASE_SANDBOX_CALLS_H
#define NETAN_BASE_SANDBOX_CALLS_H

#include <stdbool.h>

/* Stands in the programs where the number of the process belongs: higher than
 * any of a process. */
#define NA_CALLS_OWN_PID 0x7f5a17de

/* Was there a libseccomp when this was built? */
bool na_calls_built(void);
/* Whether it holds: 0, else the errno of what refused. */
int na_calls_hold(bool capturing);

#endif
