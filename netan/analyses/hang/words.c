/* What there is to do about a hang: the playbook, for each cause. */
#include <string.h>

#include "facts.h"
#include "netan/analyses/hang/hang.h"
#include "netan/base/str.h"

const char *na_hangs_names(const struct na_hangs *x, const uint32_t *names,
			   size_t n)
{
	struct na_str to = {0};
	size_t shown = n <= 3 ? n : 2;

	for (size_t i = 0; i < shown; i++)
		na_str_join(&to, i + 1 == n ? " and " : ", ", "%s",
			    na_hangs_name(x, names[i]));
	return na_hangs_say(x,
			    na_fact_names_and_more(na_say_all(x->stalls.phrases,
							      &to),
						   (int64_t)(n - shown)));
}

const char *na_hangs_quoted(const struct na_hangs *x, uint32_t n)
{
	struct na_str to = {0};

	na_str_addf(&to, "%.250s", na_hangs_name(x, n));
	return na_say_all(x->stalls.phrases, &to);
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

struct na_fact na_hangs_counter_fact(const struct na_hangs *x,
				     const struct na_hangs_event *e)
{
	if (e->cause != NA_HANG_BAD_CHIP)
		return (struct na_fact){NA_NO_FACT};
	switch (counters_of(x, e)) {
	case ALL_ZERO:
		return na_fact_counters_are_zero();
	case NONE_ZERO:
		return na_fact_counters_are_not_zero();
	case MIXED:
		return na_fact_counters_are_mixed();
	default:
		return na_fact_counters_are_unknown();
	}
}

/* ---- what to do: one step after the other */

enum { STEPS = 3 };

static void bad_chip(const struct na_hangs *x, const struct na_hangs_event *e,
		     const char *who, struct na_fact to[STEPS])
{
	if (counters_of(x, e) == ALL_ZERO) {
		to[0] = na_fact_chip_waits_for_input(who);
		to[1] = na_fact_do_take_host_out();
		return;
	}
	to[0] = na_fact_do_restart_without(
		who, na_hangs_say(x, na_hangs_counter_fact(x, e)));
	to[1] = na_fact_is_named_again();
}

static void fingerprints(const struct na_hangs *x,
			 const struct na_hangs_event *e, const char *odd,
			 struct na_fact to[STEPS])
{
	const struct na_hangs_module *most = NULL;

	for (size_t k = 0; k < e->modules.n; k++) {
		const struct na_hangs_module *m = &e->modules.v[k];

		if (m->hosts.n && (!most || m->hosts.n > most->hosts.n))
			most = m;
	}
	to[0] = na_fact_do_compare_dumps(e->modules.n || e->blocked_by.n, odd,
					 most ? na_hangs_name(x,
							      most->hosts.v[0])
					      : NULL);
	to[1] = na_fact_do_write_dumps();
}

static void unrecoverable(const struct na_hangs *x,
			  const struct na_hangs_event *e, const char *who,
			  struct na_fact to[STEPS])
{
	uint32_t error = e->culprits.n ? e->culprits.v[0].error : NA_NO_NAME;

	to[0] = na_fact_do_read_log_of(
		who, error == NA_NO_NAME ? NULL : na_hangs_quoted(x, error));
	to[1] = na_fact_error_is_of_one_machine();
}

static void event_steps(const struct na_hangs *x,
			const struct na_hangs_event *e,
			struct na_fact to[STEPS])
{
	uint32_t four[4];
	size_t n = na_hangs_blamed(e, four);
	const char *who = na_hangs_names(x, four, n);
	const char *behind = na_hangs_names(x, e->blocked_by.v,
					    e->blocked_by.n);

	switch (e->cause) {
	case NA_HANG_BAD_CHIP:
		bad_chip(x, e, who, to);
		return;
	case NA_HANG_NETWORKING:
		to[0] = na_fact_do_look_at_network(n > 1, who);
		to[1] = na_fact_digest_names_link();
		return;
	case NA_HANG_DIFFERENT_MODULE:
		to[0] = na_fact_do_look_at_who_is_behind(behind);
		to[1] = na_fact_do_compare_programs();
		return;
	case NA_HANG_FINGERPRINT_MISMATCH:
		fingerprints(x, e, behind, to);
		return;
	case NA_HANG_INPUT_STALL:
		to[0] = na_fact_do_check_input_source(who);
		to[1] = na_fact_do_check_input_parsing();
		to[2] = na_fact_do_check_input_reads();
		return;
	case NA_HANG_UNRECOVERABLE_ERROR:
		unrecoverable(x, e, who, to);
		return;
	case NA_HANG_PROGRAM_NOT_QUEUED:
		to[0] = na_fact_program_is_not_queued(who);
		to[1] = na_fact_waits_are_common();
		return;
	default:
		to[0] = e->report == SIZE_MAX
				? na_fact_digest_is_missing()
				: na_fact_do_report_unknown_cause();
		to[1] = na_fact_collective_may_be_barrier();
		return;
	}
}

const char *na_hangs_next(const struct na_hangs *x,
			  const struct na_hangs_event *e, size_t i)
{
	struct na_fact steps[STEPS] = {{NA_NO_FACT}};

	event_steps(x, e, steps);
	return i < STEPS && steps[i].id ? na_hangs_say(x, steps[i]) : NULL;
}
