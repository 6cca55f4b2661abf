#include "netan/base/sandbox/calls.h"

#include <errno.h>

#ifdef NETAN_SECCOMP
#include <asm/termbits.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif
#define OWN_PID UINT64_MAX

enum answer { GRANT, GRANT_CAPTURE, REFUSE, KILL };

struct call {
	const char *name;
	enum answer answer;
	int argument; /* -1: whatever they are */
	uint64_t mask, value;
};

static const struct call calls[] = {
#define NA_CALL_FREE(name)                      {#name, GRANT, -1, 0, 0},
#define NA_CALL_IF(name, k, mask, value)        {#name, GRANT, k, mask, value},
#define NA_CALL_ELSE(name, k, mask, value)      {#name, REFUSE, k, mask, value},
#define NA_CALL_REFUSED(name)                   {#name, REFUSE, -1, 0, 0},
#define NA_CALL_OF_CAPTURE(name)                {#name, GRANT_CAPTURE, -1, 0, 0},
#define NA_CALL_DEADLY(name)                    {#name, KILL, -1, 0, 0},
#define NA_CALL_DEADLY_IF(name, k, mask, value) {#name, KILL, k, mask, value},
#include "netan/base/sandbox/calls.def"
};

bool na_calls_built(void)
{
	return true;
}

static uint32_t action_of(enum answer a)
{
	return a == KILL     ? SCMP_ACT_KILL_PROCESS
	       : a == REFUSE ? SCMP_ACT_ERRNO(EPERM)
			     : SCMP_ACT_ALLOW;
}

/* Zero, or a negative errno. */
static int add(scmp_filter_ctx ctx, const struct call *c)
{
	int number = seccomp_syscall_resolve_name(c->name);
	struct scmp_arg_cmp only = {
		.arg = (unsigned)c->argument,
		.op = SCMP_CMP_MASKED_EQ,
		.datum_a = c->mask,
		.datum_b = c->value == OWN_PID ? (uint64_t)getpid() : c->value,
	};

	/* Another architecture's, or newer than the library. */
	if (number < 0)
		return 0;
	return c->argument < 0
		       ? seccomp_rule_add(ctx, action_of(c->answer), number, 0)
		       : seccomp_rule_add_array(ctx, action_of(c->answer),
						number, 1, &only);
}

int na_calls_hold(bool capturing)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int rc = ctx ? 0 : -ENOMEM;

	if (!ctx)
		return ENOMEM;
	/* All threads; a tree, not a list; no slower memory for it: what runs
	 * here is no guest.  What an old kernel has not, it does without. */
	(void)!seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	(void)!seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	(void)!seccomp_attr_set(ctx, SCMP_FLTATR_CTL_SSB, 1);
	(void)!seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
				SCMP_ACT_KILL_PROCESS);
	for (size_t i = 0; !rc && i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].answer != GRANT_CAPTURE || capturing)
			rc = add(ctx, &calls[i]);
	}
	if (!rc)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return -rc;
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
