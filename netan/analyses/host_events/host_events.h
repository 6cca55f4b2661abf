/*
 * What threads of the hosts did that transfers may have to wait for:
 * registrations of memory (MapDmaBuffer) and copies (MegaScale: Memory
 * Copy).  An analysis for checks, not a command.
 *
 * Registrations belong to start-up, and only those count that begin in the
 * steady state: from the end of the run's first completed step on; without
 * steps, from a tenth of the profiled time on, and not before NA_HE_STARTUP_PS.
 * Transfers need no copies at all, and every copy counts.
 *
 * An event touches the transfers of its own host in whose time it falls:
 * [end - latency, end).  Event and transfer are half-open; an event without
 * a duration is an instant.
 *
 * body: {runs: [{label, steady_from_s, steady_by: "step" | "time",
 *   steady_seen (the profile goes on into it), transfers, registrations,
 *   copies}]}, and of either kind {count, startup (before the steady state),
 *   total_s, bytes, first_s, last_s, p50_s, p99_s, touched,
 *   touched_share, hosts, n_threads, worst_host, worst_share (of the
 *   transfers of that host), threads: [{host, thread, count, total_s,
 *   bytes}], longest first, at most NA_HE_THREADS}.
 */
#ifndef NETAN_ANALYSES_HOST_EVENTS_HOST_EVENTS_H
#define NETAN_ANALYSES_HOST_EVENTS_HOST_EVENTS_H

#include "netan/analyses/analysis.h"
#include "netan/base/units.h"

enum { NA_HE_THREADS = 10, NA_HE_KINDS = 2 };
#define NA_HE_STARTUP_PS NA_PS_PER_S

struct he_span {
	int64_t from_ps, to_ps;
};

struct he_run {
	int64_t steady_ps;
	bool by_step;
	bool seen; /* what was profiled goes on into the steady state */
};

struct he_state {
	const struct na_scope *scope;
	const struct he_state *main; /* of a block; NULL of the main one */
	unsigned pass;

	struct na_host_event *events; /* sorted after the first pass */
	size_t n, cap;
	struct he_run *runs;

	/* By kind, sorted and apart; those of source i are
	 * [first[i], first[i + 1]). */
	struct {
		struct he_span *spans;
		size_t *first;
	} busy[NA_HE_KINDS];

	uint64_t *transfers;            /* by source */
	uint64_t *touched[NA_HE_KINDS]; /* likewise */
};

/* 0: registrations, 1: copies. */
static inline unsigned he_kind(const struct na_host_event *e)
{
	return e->kind == NA_ACT_COPY;
}

/* A copy, or a registration in the steady state of its run. */
static inline bool he_counts(const struct he_state *s,
			     const struct na_host_event *e)
{
	uint32_t run = s->scope->store->sources[e->input].run;

	return e->kind == NA_ACT_COPY || e->start_ps >= s->runs[run].steady_ps;
}

/* result.c */
enum na_status he_finish(void *state, struct na_result *r, struct na_err *err);

#endif
