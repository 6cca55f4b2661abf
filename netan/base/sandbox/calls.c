#include "netan/base/sandbox/calls.h"

#include <errno.h>

#ifdef NETAN_SECCOMP
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls_made.h"

enum {
	N_OF_COMMANDS = sizeof(of_commands) / sizeof(*of_commands),
	N_OF_CAPTURE = sizeof(of_capture) / sizeof(*of_capture)
};

bool na_calls_built(void)
{
	return true;
}

static void put_pid(struct sock_filter *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (f[i].code == (BPF_JMP | BPF_JEQ | BPF_K) &&
		    f[i].k == NA_CALLS_OWN_PID)
			f[i].k = (unsigned)getpid();
	}
}

/* For all threads, and without slower memory for it: what runs here is no
 * guest.  Kernels before 4.17 know no such choice. */
static int load(const struct sock_fprog *program)
{
	unsigned flags = SECCOMP_FILTER_FLAG_TSYNC |
			 SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);

	if (rc < 0 && errno == EINVAL)
		rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     SECCOMP_FILTER_FLAG_TSYNC, program);
	return rc < 0 ? errno : rc > 0 ? ESRCH : 0;
}

int na_calls_hold(bool capturing)
{
	struct sock_filter filter[N_OF_CAPTURE > N_OF_COMMANDS ? N_OF_CAPTURE
							       : N_OF_COMMANDS];
	struct sock_fprog program = {
		.len = capturing ? N_OF_CAPTURE : N_OF_COMMANDS,
		.filter = filter,
	};

	memcpy(filter, capturing ? of_capture : of_commands,
	       program.len * sizeof(*filter));
	put_pid(filter, program.len);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : load(&program);
}

#else

bool na_calls_built(void)
{
	return false;
}

int na_calls_hold(bool capturing)
{
	(void)capturing;
	return ENOSYS;
}

#endif
