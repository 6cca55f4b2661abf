/*
 * Compiles netan/base/sandbox/calls.def to two programs for seccomp, as C: of
 * every command, and of a live capture.  While netan is built, so that it
 * needs no library, no memory and no time for it when it starts.
 *
 * Where a number stands for the process's own, it is OWN_PID there, and to be
 * put in its place.
 */
#include <asm/termbits.h>
#include <errno.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "netan/base/sandbox/calls.h"

#ifdef __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif
#define OWN_PID ((uint64_t)NA_CALLS_OWN_PID)

enum answer { GRANT, GRANT_CAPTURE, REFUSE, KILL };

struct call {
	const char *name;
	enum answer answer;
	int argument; /* -1: whatever they are */
	uint64_t mask, value;
};

/* clang-format off */
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
/* clang-format on */

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
		.datum_b = c->value,
	};

	/* Another architecture's, or newer than the library. */
	if (number < 0)
		return 0;
	return c->argument < 0
		       ? seccomp_rule_add(ctx, action_of(c->answer), number, 0)
		       : seccomp_rule_add_array(ctx, action_of(c->answer),
						number, 1, &only);
}

static int compile(bool capturing, FILE *to)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int rc = ctx ? 0 : -ENOMEM;

	/* A tree, not a list: half a dozen comparisons for each call. */
	if (ctx)
		(void)!seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!rc)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
				      SCMP_ACT_KILL_PROCESS);
	for (size_t i = 0; !rc && i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].answer != GRANT_CAPTURE || capturing)
			rc = add(ctx, &calls[i]);
	}
	if (!rc)
		rc = seccomp_export_bpf(ctx, fileno(to));
	if (ctx)
		seccomp_release(ctx);
	return rc;
}

static int print(const char *name, bool capturing)
{
	FILE *file = tmpfile();
	struct sock_filter f;
	int rc = file ? compile(capturing, file) : -errno;

	printf("static const struct sock_filter %s[] = {\n", name);
	if (!rc)
		rewind(file);
	while (!rc && fread(&f, sizeof(f), 1, file) == 1)
		printf("\t{0x%02x, %u, %u, 0x%08x},\n", f.code, f.jt, f.jf,
		       f.k);
	puts("};");
	if (file)
		fclose(file);
	if (rc)
		fprintf(stderr, "calls.def: %s\n", strerror(-rc));
	return rc;
}

int main(void)
{
	/* For the kernel that netan runs on, which may be newer than this. */
	(void)!seccomp_api_set(3);
	puts("/* Made by tools/calls.c of netan/base/sandbox/calls.def. */");
	return print("of_commands", false) || print("of_capture", true);
}
