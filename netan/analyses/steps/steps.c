/*
 * steps: which steps and which hosts are slow, and why.  Two passes: the
 * first gathers steps, communication ops and transfers, and then the clocks;
 * the second adds what devices did else, which is most of a trace, without
 * keeping it.
 */
#include "netan/analyses/steps/steps.h"

#include <stdlib.h>

#include "netan/base/vec.h"

static enum na_status steps_open(void *state, const struct na_scope *scope,
				 const void *params, struct na_err *err)
{
	struct st_state *s = state;

	(void)params;
	s->scope = scope;
	s->own_clocks.store = scope->store;
	if (!na_absent_find(&s->absent, scope->store))
		return na_fail_nomem(err);
	for (size_t i = 0; i < scope->by.n; i++) {
		if (scope->by.keys[i] != NA_KEY_LABEL)
			return na_fail(err, NA_EUSAGE,
				       "--by: steps are listed by host "
				       "already; filter instead, for example "
				       "--host or --step");
	}
	return NA_OK;
}

static enum na_status steps_fork(void *block, const void *state, unsigned pass)
{
	*(struct st_block *)block = (struct st_block){.main = state,
						      .pass = pass};
	return NA_OK;
}

static enum na_status steps_add(void *block, const struct na_transfer *t)
{
	struct st_block *b = block;

	return (b->pass ? na_steps_add_unseen(b, t)
			: na_steps_add_launch(&b->got, t)) &&
			       na_steps_add_transfer(b, t)
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status steps_add_span(void *block, const struct na_span *x)
{
	struct st_block *b = block;

	if (b->pass)
		return NA_OK;
	return na_add(&b->got.spans,
		      ((struct st_span){.start_ps = x->start_ps,
					.end_ps = x->end_ps,
					.number = x->number,
					.core = x->core,
					.name = x->name,
					.program = x->kind == NA_SPAN_MODULE,
					.told = x->told}))
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status steps_add_op(void *block, const struct na_op *x)
{
	struct st_block *b = block;

	if (b->pass || !na_steps_passes(b->main, x->core))
		return NA_OK;
	return na_add(&b->got.ops, x) ? NA_OK : NA_ENOMEM;
}

static enum na_status steps_add_comm(void *block, const struct na_comm *x)
{
	struct st_block *b = block;

	return b->pass || na_add(&b->got.comms, *x) ? NA_OK : NA_ENOMEM;
}

static enum na_status steps_busy(void *block, const struct na_busy *x)
{
	struct st_block *b = block;

	return !b->pass || na_steps_add_busy(b, x) ? NA_OK : NA_ENOMEM;
}

static void merge_busy(struct st_state *s, const struct st_block *b)
{
	for (size_t i = 0; i < b->busy.n; i++) {
		const struct st_busy *y = &b->busy.v[i];
		struct st_cell *c = &s->cells[y->cell];

		c->busy_ps += y->busy_ps;
		c->overlap_ps += y->overlap_ps;
		c->hidden_wait_ps += y->hidden_wait_ps;
		for (size_t k = 0; k < NA_N_NETWORKS; k++)
			c->hidden_ps[k] += y->hidden_ps[k];
	}
}

static bool merge_gathered(struct st_gathered *g, const struct st_gathered *b,
			   size_t all_ops)
{
	/* Exactly: doubled room would not fit what an op may take. */
	if (b->ops.n && !g->ops.v) {
		g->ops.v = na_calloc(all_ops, sizeof(*g->ops.v));
		g->ops.cap = g->ops.v ? all_ops : 0;
	}
	return na_append(&g->spans, b->spans.v, b->spans.n) &&
	       na_append(&g->ops, b->ops.v, b->ops.n) &&
	       na_append(&g->comms, b->comms.v, b->comms.n) &&
	       na_steps_merge_launches(g, b) && na_steps_merge_unseen(g, b) &&
	       na_steps_merge_transfers(g, b);
}

static enum na_status steps_merge(void *state, void *block, unsigned pass)
{
	struct st_state *s = state;
	const struct st_block *b = block;

	if (pass)
		merge_busy(s, b);
	return merge_gathered(&s->got, &b->got, s->scope->store->ops.n)
		       ? NA_OK
		       : NA_ENOMEM;
}

static void fini_gathered(struct st_gathered *g)
{
	na_triples_fini(&g->instances);
	na_triples_fini(&g->keys);
	na_triples_fini(&g->launches_seen);
	na_triples_fini(&g->unseen_keys);
	na_vec_free(&g->unseen);
	na_triples_fini(&g->launch_keys);
	na_vec_free(&g->launches);
	na_vec_free(&g->spans);
	na_vec_free(&g->ops);
	na_vec_free(&g->comms);
	na_vec_free(&g->shares);
}

static void fini_block(void *block)
{
	struct st_block *b = block;

	fini_gathered(&b->got);
	na_vec_free(&b->busy);
}

static enum na_status steps_turn(void *state, unsigned done, struct na_err *err)
{
	struct st_state *s = state;

	if (!done) {
		s->clocks = na_host_clocks_of(s->scope, s->scope->bound,
					      &s->own_clocks);
		return s->clocks && na_steps_build_lines(s)
			       ? NA_OK
			       : na_fail_nomem(err);
	}
	if (!na_steps_build_hosts(s))
		return na_fail_nomem(err);
	na_steps_place_transfers(s);
	if (!na_steps_judge_steps(s) || !na_steps_judge_hosts(s) ||
	    !na_steps_judge_course(s) || !na_steps_judge_transfers(s) ||
	    !na_steps_judge_unseen(s) || !na_steps_find_hiccups(s))
		return na_fail_nomem(err);
	/* What is judged needs no room while it is told. */
	fini_gathered(&s->got);
	na_steps_drop_segments(s);
	return NA_OK;
}

static void steps_fini(void *state)
{
	struct st_state *s = state;

	fini_gathered(&s->got);
	free(s->by_launch);
	free(s->matched);
	free(s->of_ranks);
	na_vec_free(&s->waits);
	free(s->op_waits);
	na_host_clocks_fini(&s->own_clocks);
	free(s->cells);
	na_steps_drop_segments(s);
	free(s->lines);
	free(s->host_steps);
	free(s->steps);
	free(s->hosts);
	free(s->by_host);
	free(s->stragglers);
	free(s->units);
	free(s->hiccups);
	na_vec_free(&s->changes);
	na_vec_free(&s->late_groups);
	na_absent_fini(&s->absent);
}

static enum na_severity steps_severity(const void *state)
{
	return ((const struct st_state *)state)->severity;
}

const struct na_analysis na_an_steps = {
	.info.name = "steps",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "which steps and which hosts are slow",
	.info.details =
		"A step is an event of the Steps line of a device plane, or a "
		"run of the program that takes most of its time; on GPUs "
		"without these, the kernels of one group_id, or those launched "
		"in one step marker of the host (step_num); in a GPU job, a "
		"ProfilerStep#N of a rank, which stands for a host; without "
		"all of these, a launch of a program, from a device's first "
		"send to its last transfer.\n"
		"Its time is compute (busy with anything but communication), "
		"exposed communication (in a communication op and not "
		"computing, by network: dcn, ici, gpu) and idle (infeeds, "
		"too). overlap is the part of compute with a collective in "
		"flight. waiting is the part of exposed in which ICI and GPU "
		"collectives wait for later devices. gap is the time since the "
		"step before. Launches do not show these.\n"
		"The own time of a host is gap + compute + idle of its slowest "
		"device. In a synchronous job all durations are the same, and "
		"the slowest host has the longest own time, not the longest "
		"wait. Its cause is computation, input (gap and idle), network "
		"(its transfers take longest) or late_start (of launches).\n"
		"A straggler is late in more steps, or by more, than the "
		"spread of the others explains (odds of 9 or more), by more "
		"than 1 % of the median duration and 50 us: slowest in steps; "
		"or, over collectives of three participants or more, first to "
		"send last (starts_late), or longest in transfers or last to "
		"receive (takes_long). Hosts are compared on one clock; its "
		"uncertainty is no difference.\n"
		"behind is the time after the median host, lost after the "
		"second slowest, over all its steps. The cost of own work is "
		"the gain if the host did the median host's work: by a replay "
		"of the job, otherwise at most behind times the share of "
		"steps in which it is last. For the cause network, behind and "
		"lost are times of transfers; netan check estimates their "
		"cost.\n"
		"changes are those of all hosts' mean duration, and of one "
		"host's own time minus the others', by 5 % or more. --format "
		"csv has every step; --table names hosts, stragglers or "
		"changes.",
	.info.example = "netan steps logdir -o steps.svg\n"
			"netan steps logdir --step 10-20 --format json\n"
			"netan steps --label before old --label after new\n"
			"netan steps logdir --format csv --table hosts",
	.info.method = "stragglers: empirical null, Efron, 2004; changes: "
		       "Killick et al., 2012; drift: Theil, 1950, Sen, 1968, "
		       "Mann, 1945",
	.many = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS | NA_WANT_MODULES |
		 NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_PROGRAMS | NA_WANT_COMMS,
	.instants = true,
	.both_sides = true,
	.by_steps = true,
	.every_host = true,
	.basis = true,
	.reports_coverage = 7,
	.state_size = sizeof(struct st_state),
	.block_size = sizeof(struct st_block),
	.passes = 2,
	.open = steps_open,
	.fork = steps_fork,
	.add_transfer = steps_add,
	.add_op = steps_add_op,
	.add_busy = steps_busy,
	.add_comm = steps_add_comm,
	.add_step = steps_add_span,
	.add_module = steps_add_span,
	.merge = steps_merge,
	.turn = steps_turn,
	.finish = na_steps_finish,
	.fini = steps_fini,
	.fini_block = fini_block,
	.severity = steps_severity,
};
