/* What there is to do about a hang: the playbook, for each cause. */
#include <stdio.h>
#include <string.h>

#include "netan/analyses/hang/hang.h"
#include "netan/base/str.h"

size_t na_hangs_names(const struct na_hangs *x, const uint32_t *names, size_t n,
		      char *buf, size_t size)
{
	struct na_str to = na_str_over(buf, size);
	size_t shown = n <= 3 ? n : 2;

	for (size_t i = 0; i < shown; i++)
		na_str_join(&to, i + 1 == n ? " and " : ", ", "%.80s",
			    na_hangs_name(x, names[i]));
	if (shown < n)
		na_str_addf(&to, " and %s more", na_grouped(n - shown));
	return n;
}

size_t na_hangs_blamed(const struct na_hangs_event *e, uint32_t four[4])
{
	size_t n = 0;

	for (size_t i = 0; i < e->culprits.n; i++) {
		uint32_t who = na_hangs_who(&e->culprits.v[i].worker);
		size_t k = i;

		/* Tasks of a host stand close together. */
		while (k > 0 && i - k < 64 &&
		       na_hangs_who(&e->culprits.v[k - 1].worker) != who)
			k--;
		if (k > 0 && i - k < 64)
			continue;
		if (n < 4)
			four[n] = who;
		n++;
	}
	return n;
}

enum counters { NOT_TOLD, ALL_ZERO, NONE_ZERO, MIXED };

static bool is_zero(const char *pc)
{
	if (pc[0] == '0' && (pc[1] | 0x20) == 'x')
		pc += 2;
	return *pc && pc[strspn(pc, "0")] == '\0';
}

static enum counters counters_of(const struct na_hangs *x,
				 const struct na_hangs_event *e)
{
	size_t zero = 0, other = 0;

	for (size_t i = 0; i < e->culprits.n; i++) {
		uint32_t pc = e->culprits.v[i].pc;

		if (pc == NA_NO_NAME)
			continue;
		zero += is_zero(na_hangs_name(x, pc));
		other += !is_zero(na_hangs_name(x, pc));
	}
	return zero && other ? MIXED
	       : zero        ? ALL_ZERO
	       : other       ? NONE_ZERO
			     : NOT_TOLD;
}

const char *na_hangs_counter_word(const struct na_hangs *x,
				  const struct na_hangs_event *e)
{
	if (e->cause != NA_HANG_BAD_CHIP)
		return NULL;
	switch (counters_of(x, e)) {
	case ALL_ZERO:
		return "program counter 0: rather an input stall than a bad "
		       "chip";
	case NONE_ZERO:
		return "a program counter that is not 0 supports a faulty chip";
	case MIXED:
		return "some program counters are 0 (an input stall), some are "
		       "not (a faulty chip)";
	default:
		return "no program counter was reported";
	}
}

#define WRITE(...) \
	(snprintf(buf, NA_HANGS_ADVICE_BUF, __VA_ARGS__), (const char *)buf)

static const char *bad_chip(const struct na_hangs *x,
			    const struct na_hangs_event *e, const char *who,
			    size_t i, char *buf)
{
	enum counters c = counters_of(x, e);

	if (i == 0 && c == ALL_ZERO)
		return WRITE("%s: program counter 0, it waits for input: check "
			     "that it can reach its input source, that it "
			     "loads and parses it, and that its reads are not "
			     "throttled; a stack trace of its Python process "
			     "(cloud-tpu-diagnostics) shows where it waits",
			     who);
	if (i == 0)
		return WRITE("take %s out of the job (%s) and restart",
			     e->culprits.n ? who : "the hosts of the digest",
			     na_hangs_counter_word(x, e));
	if (i == 1 && c == ALL_ZERO)
		return "only then take the host out of the job";
	if (i == 1)
		return "is it named again (more than 3 hangs: very likely "
		       "faulty)? netan hang --ledger FILE counts over runs; a "
		       "bug of the compiler or of a custom kernel looks alike "
		       "but does not stay with a host";
	return NULL;
}

static const char *networking(const struct na_hangs_event *e, const char *who,
			      size_t i, char *buf)
{
	uint32_t four[4];

	if (i == 0 && na_hangs_blamed(e, four) > 1)
		return WRITE(
			"the network between %s: netan pairs on a trace of "
			"the job, netan sysctl on each of them, and their "
			"NICs' error counters",
			who);
	if (i == 0)
		return WRITE("the network of %s: netan pairs on a trace of the "
			     "job, netan sysctl there, and its NICs' error "
			     "counters",
			     e->culprits.n ? who : "the hosts of the digest");
	if (i == 1)
		return "one digest names a link, not a host: give netan hang "
		       "the logs of all runs, or --ledger FILE; a host that is "
		       "in several broken links is the suspect: leave it out "
		       "of the job";
	return NULL;
}

static const char *modules(const struct na_hangs *x,
			   const struct na_hangs_event *e, size_t i, char *buf)
{
	char who[300];

	na_hangs_names(x, e->blocked_by.v, e->blocked_by.n, who, sizeof(who));
	if (i == 0 && e->blocked_by.n)
		return WRITE("look at %s: the hang is where workers are "
			     "behind, not where they moved on; their logs "
			     "before the hang, and stack traces of their "
			     "Python processes",
			     who);
	if (i == 0)
		return "find out which group is behind (the older launch): "
		       "the hang is there";
	if (i == 1)
		return "confirm that all workers run the same program: dump on "
		       "each of them with XLA_FLAGS=\"--xla_dump_to=DIR "
		       "--xla_dump_hlo_as_proto\", then netan hlo DUMPS";
	return NULL;
}

static const char *fingerprints(const struct na_hangs *x,
				const struct na_hangs_event *e, size_t i,
				char *buf)
{
	char odd[200], other[100] = "another host";
	const struct na_hangs_module *most = NULL;

	for (size_t k = 0; k < e->modules.n; k++) {
		const struct na_hangs_module *m = &e->modules.v[k];

		if (m->hosts.n && (!most || m->hosts.n > most->hosts.n))
			most = m;
	}
	na_hangs_names(x, e->blocked_by.v, e->blocked_by.n, odd, sizeof(odd));
	if (most)
		snprintf(other, sizeof(other), "%.80s",
			 na_hangs_name(x, most->hosts.v[0]));
	if (i == 0 && !e->modules.n && !e->blocked_by.n)
		return "compare the HLO dumps of all workers: netan hlo DUMPS "
		       "names the first instruction that differs";
	if (i == 0)
		return WRITE("compare the HLO dumps of %s with those of %s: "
			     "netan hlo DUMPS names the first instruction that "
			     "differs",
			     e->blocked_by.n ? odd : "the groups", other);
	if (i == 1)
		return "no dumps yet? run each worker with "
		       "XLA_FLAGS=\"--xla_dump_to=DIR "
		       "--xla_dump_hlo_as_proto\", a directory for each; a "
		       "difference is a bug of the tracing or of the compiler, "
		       "or other code or flags on these workers";
	return NULL;
}

static const char *input_stall(const char *who, size_t i, char *buf)
{
	switch (i) {
	case 0:
		return WRITE("check that %s can reach the input source", who);
	case 1:
		return "check that it loads and parses the input properly";
	case 2:
		return "check that its reads from the input source are not "
		       "throttled";
	default:
		return NULL;
	}
}

static const char *unrecoverable(const struct na_hangs *x,
				 const struct na_hangs_event *e,
				 const char *who, size_t i, char *buf)
{
	uint32_t error = e->culprits.n ? e->culprits.v[0].error : NA_NO_NAME;

	if (i == 0 && error != NA_NO_NAME)
		return WRITE("read the log of %s: %.250s", who,
			     na_hangs_name(x, error));
	if (i == 0)
		return WRITE("read the logs of %s",
			     e->culprits.n ? who : "the workers that halted");
	if (i == 1)
		return "an error of one machine (a copy from the TPU failed, "
		       "say): leave that host out of the job";
	return NULL;
}

static const char *not_queued(const char *who, size_t i, char *buf)
{
	if (i == 0)
		return WRITE("%s did not queue the program: its host code "
			     "waits or computes between steps; a stack trace "
			     "of its Python process shows where",
			     who);
	if (i == 1)
		return "common: checkpoints, input or logging before a "
		       "collective; raise --megascale_graph_hang_threshold "
		       "(default 5m) only if the wait is meant";
	return NULL;
}

static const char *unknown(const struct na_hangs_event *e, size_t i)
{
	if (i == 0)
		return e->report == SIZE_MAX
			       ? "there is no digest in these logs: it is in "
				 "the log of the coordinator, task 0 of slice 0 "
				 "(JAX) or resource_manager (Pathways); give "
				 "netan hang that log, too"
			       : "the runtime could not determine the cause: "
				 "keep the full digest and the HLO dumps of "
				 "all workers for the bug report, and restart "
				 "with --vmodule=real_program_continuator=1";
	if (i == 1)
		return "a collective may serve as a barrier for slow input or "
		       "output (loading a checkpoint): use wait_at_barrier "
		       "instead, or raise --megascale_graph_hang_threshold "
		       "(default 5m)";
	return NULL;
}

const char *na_hangs_next(const struct na_hangs *x,
			  const struct na_hangs_event *e, size_t i,
			  char buf[NA_HANGS_ADVICE_BUF])
{
	char who[300];
	uint32_t four[4];

	if (!na_hangs_names(x, four, na_hangs_blamed(e, four), who,
			    sizeof(who)))
		strcpy(who, "the host");
	switch (e->cause) {
	case NA_HANG_BAD_CHIP:
		return bad_chip(x, e, who, i, buf);
	case NA_HANG_NETWORKING:
		return networking(e, who, i, buf);
	case NA_HANG_DIFFERENT_MODULE:
		return modules(x, e, i, buf);
	case NA_HANG_FINGERPRINT_MISMATCH:
		return fingerprints(x, e, i, buf);
	case NA_HANG_INPUT_STALL:
		return input_stall(who, i, buf);
	case NA_HANG_UNRECOVERABLE_ERROR:
		return unrecoverable(x, e, who, i, buf);
	case NA_HANG_PROGRAM_NOT_QUEUED:
		return not_queued(who, i, buf);
	default:
		return unknown(e, i);
	}
}
