#include "netan/base/sandbox/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/sandbox/calls.h"
#include "netan/base/sandbox/landlock.h"

/* The process's, which has one sandbox. */
static struct {
	int abi, landlock_errno, seccomp_errno;
	bool landlock, seccomp;
} held;

void na_sandbox_begin(struct na_sandbox *s)
{
	held.abi = na_landlock_abi();
	s->rules = held.abi ? na_landlock_new(held.abi) : -1;
	if (s->rules < 0)
		held.landlock_errno = errno;
}

void na_sandbox_grant(struct na_sandbox *s, const char *path, unsigned reach)
{
	if (s->rules >= 0)
		na_landlock_add(s->rules, held.abi, path, reach);
}

void na_sandbox_files(struct na_sandbox *s)
{
	if (s->rules < 0)
		return;
	if (na_landlock_hold(s->rules))
		held.landlock_errno = errno;
	else
		held.landlock = true;
	s->rules = -1;
}

void na_sandbox_calls(bool capturing)
{
	held.seccomp_errno = na_calls_hold(capturing);
	held.seccomp = !held.seccomp_errno;
}

bool na_sandbox_whole(void)
{
	return (held.landlock || !na_landlock_built()) &&
	       (held.seccomp || !na_calls_built());
}

static const char *why(bool built, int e)
{
	return !built            ? "built without"
	       : e == ENOSYS     ? "the kernel has none"
	       : e == EOPNOTSUPP ? "switched off in the kernel"
	       : e               ? strerror(e)
				 : "not asked for";
}

void na_sandbox_text(char text[NA_SANDBOX_TEXT])
{
	const char *files = why(na_landlock_built(), held.landlock_errno);
	const char *calls = why(na_calls_built(), held.seccomp_errno);

	if (held.landlock && held.seccomp)
		snprintf(text, NA_SANDBOX_TEXT, "Landlock ABI %d, seccomp",
			 held.abi);
	else if (held.landlock)
		snprintf(text, NA_SANDBOX_TEXT,
			 "Landlock ABI %d, no seccomp (%s)", held.abi, calls);
	else if (held.seccomp)
		snprintf(text, NA_SANDBOX_TEXT, "seccomp, no Landlock (%s)",
			 files);
	else
		snprintf(text, NA_SANDBOX_TEXT,
			 "none (Landlock: %s; seccomp: %s)", files, calls);
}
