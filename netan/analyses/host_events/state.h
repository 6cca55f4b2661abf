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
 */
#ifndef NETAN_ANALYSES_HOST_EVENTS_STATE_H
#define NETAN_ANALYSES_HOST_EVENTS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum { NA_HE_THREADS = 10, NA_HE_KINDS = 2 };
#define NA_HE_STARTUP_PS NA_PS_PER_S

struct host_events_span {
	int64_t from_ps, to_ps;
};

struct host_events_run {
	int64_t steady_ps;
	bool by_step;
	bool seen; /* what was profiled goes on into the steady state */
};

struct host_events_state {
	const struct na_scope *scope;
	const struct host_events_state
		*main; /* of a block; NULL of the main one */
	unsigned pass;

	NA_VEC(struct na_host_event) events; /* sorted after the first pass */
	struct host_events_run *runs;

	/* By kind, sorted and apart; those of source i are
	 * [first[i], first[i + 1]). */
	struct {
		struct host_events_span *spans;
		size_t *first;
	} busy[NA_HE_KINDS];

	uint64_t *transfers;            /* by source */
	uint64_t *touched[NA_HE_KINDS]; /* likewise */
};

/* 0: registrations, 1: copies. */
static inline unsigned na_host_events_kind(const struct na_host_event *e)
{
	return e->kind == NA_ACT_COPY;
}

/* A copy, or a registration in the steady state of its run. */
static inline bool na_host_events_counts(const struct host_events_state *s,
					 const struct na_host_event *e)
{
	uint32_t run = s->scope->store->sources[e->input].run;

	return e->kind == NA_ACT_COPY || e->start_ps >= s->runs[run].steady_ps;
}

/* result.c */
enum na_status na_host_events_finish(void *state, struct na_result *r,
				     struct na_err *err) NA_MUST_CHECK;

#endif
