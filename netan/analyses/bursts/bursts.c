/*
 * bursts: are collectives bursty; how many are pending.  Intervals are kept
 * as sorted starts and ends, 16 bytes for each; what is found of them comes
 * from one sweep over exact time (docs/methods.md, "Pending and bursts").
 *
 * Passes: with --by a survey of the groups; the intervals; then, the bursts
 * now known, which transfers made them.
 */
#include "netan/analyses/bursts/state.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"

enum { DEFAULT_TOP = 64, DEFAULT_LISTED = 10000, MAX_LISTED = 1 << 16 };

/* clang-format off */
static const struct na_opt bursts_opts[] = {
	{NA_OPT_TIME, 'g', "gap", offsetof(struct bursts_params, gap_ps), "TIME",
	 "0", 0, 3.6e15, "silence up to this long does not end a burst"},
	NA_OPT_END,
};
/* clang-format on */

enum bursts_kind na_bursts_pending_kind(const struct bursts_state *s)
{
	return s->scope->store->graphs.n ? BURSTS_COLLECTIVES
					 : BURSTS_TRANSFERS;
}

const struct bursts_sum *na_bursts_pending(const struct bursts_state *s)
{
	return &s->whole[na_bursts_pending_kind(s)];
}

const char *na_bursts_pending_of(const struct bursts_state *s)
{
	return s->scope->store->graphs.n ? "collectives" : "transfers";
}

size_t na_bursts_listed(const struct bursts_state *s)
{
	size_t top = s->scope->top ? s->scope->top : DEFAULT_LISTED;

	return top < MAX_LISTED ? top : MAX_LISTED;
}

enum bursts_stage na_bursts_stage(const struct na_scope *scope, unsigned pass)
{
	return (enum bursts_stage)(scope->by.n ? pass : pass + 1);
}

static enum na_status bursts_open(void *state, const struct na_scope *scope,
				  const void *params, struct na_err *err)
{
	struct bursts_state *s = state;

	s->scope = scope;
	s->params = params;
	s->lo_ps = scope->filter->from_ps;
	s->hi_ps = scope->filter->to_ps;
	na_groups_init(&s->groups, &scope->by);
	if (!na_early_init(&s->clocks, scope->store))
		return na_fail_nomem(err);
	if (scope->by.n)
		return NA_OK;
	s->shown.n = 1;
	s->rows = na_calloc(1, sizeof(*s->rows));
	return s->rows ? NA_OK : na_fail_nomem(err);
}

static enum na_status bursts_fork(void *block, const void *state, unsigned pass)
{
	struct bursts_state *s = block;
	const struct bursts_state *from = state;

	*s = (struct bursts_state){
		.scope = from->scope,
		.params = from->params,
		.main = from,
		.lo_ps = from->lo_ps,
		.hi_ps = from->hi_ps,
		.stage = na_bursts_stage(from->scope, pass),
	};
	na_groups_init(&s->groups, &from->scope->by);
	if (s->stage != BURSTS_KEEP)
		return NA_OK;
	s->shown.n = from->shown.n;
	s->rows = na_calloc(s->shown.n, sizeof(*s->rows));
	return s->rows && na_early_init(&s->clocks, s->scope->store)
		       ? NA_OK
		       : NA_ENOMEM;
}

static bool add_amount(struct bursts_state *s, uint32_t group, na_i128 bytes)
{
	if (group == NA_NO_NAME)
		return false;
	while (s->amounts.n <= group) {
		if (!na_push(&s->amounts))
			return false;
	}
	s->amounts.v[group] += bytes;
	return true;
}

static enum na_status survey(struct bursts_state *s,
			     const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS];

	na_group_of(&s->scope->by, s->scope->store, t, values);
	return add_amount(s, na_groups_add(&s->groups, values),
			  (na_i128)t->size_bytes)
		       ? NA_OK
		       : NA_ENOMEM;
}

static uint32_t row_of(const struct bursts_state *s,
		       const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS];

	if (!s->scope->by.n)
		return 0;
	na_group_of(&s->scope->by, s->scope->store, t, values);
	return na_shown_row(&s->main->shown, &s->main->groups, values);
}

/* What of an interval lies in the window; one that ended before is none. */
static enum na_status keep(struct bursts_state *s, enum bursts_kind kind,
			   int64_t start_ps, int64_t end_ps, uint32_t source,
			   uint32_t row)
{
	bool cut = start_ps < s->lo_ps;

	if (cut && end_ps <= s->lo_ps)
		return NA_OK;
	s->instants += start_ps == end_ps;
	return na_bursts_keep(s, kind, cut ? s->lo_ps : start_ps,
			      end_ps < s->hi_ps ? end_ps : s->hi_ps, cut,
			      source, row);
}

static enum na_status keep_transfer(struct bursts_state *s,
				    const struct na_transfer *t)
{
	uint32_t row = row_of(s, t);

	if (row == NA_NO_NAME)
		return NA_ENOMEM;
	s->rows[row].amount += na_spread_clipped(t->start_ps, t->end_ps,
						 t->size_bytes, s->lo_ps,
						 s->hi_ps);
	return keep(s, BURSTS_TRANSFERS, t->start_ps, t->end_ps, t->input, row);
}

static enum na_status bursts_add(void *block, const struct na_transfer *t)
{
	struct bursts_state *s = block;

	if (s->stage == BURSTS_KEEP && t->side == NA_RX && na_tells_clocks(t) &&
	    !na_early_add(&s->clocks, t, 0))
		return NA_ENOMEM;
	if (t->klass == NA_CLOCK_SKEW)
		return NA_ASIDE;
	switch (s->stage) {
	case BURSTS_SURVEY:
		return survey(s, t);
	case BURSTS_KEEP:
		return keep_transfer(s, t);
	default:
		return na_bursts_gather(s, t);
	}
}

static enum na_status bursts_add_graph(void *block, const struct na_exec *e)
{
	struct bursts_state *s = block;

	if (s->stage != BURSTS_KEEP || e->end_ps < s->lo_ps ||
	    e->start_ps >= s->hi_ps)
		return NA_OK;
	return keep(s, BURSTS_COLLECTIVES, e->start_ps, e->end_ps, e->input, 0);
}

static enum na_status merge_survey(struct bursts_state *s,
				   struct bursts_state *b)
{
	uint32_t *map = na_groups_merge(&s->groups, &b->groups);
	bool ok = map != NULL;

	for (size_t i = 0; ok && i < b->amounts.n; i++)
		ok = add_amount(s, map[i], b->amounts.v[i]);
	free(map);
	return ok ? NA_OK : NA_ENOMEM;
}

static enum na_status merge_kept(struct bursts_state *s, struct bursts_state *b)
{
	enum na_status st = NA_OK;

	if (!na_early_merge(&s->clocks, &b->clocks))
		return NA_ENOMEM;
	s->instants += b->instants;
	for (size_t i = 0; i < s->shown.n; i++)
		s->rows[i].amount += b->rows[i].amount;
	for (size_t kind = 0; st == NA_OK && kind < BURSTS_KINDS; kind++)
		st = na_bursts_hand_over(&s->runs[kind], &b->kept[kind]);
	return st;
}

static enum na_status bursts_merge(void *state, void *block, unsigned pass)
{
	struct bursts_state *s = state, *b = block;

	switch (na_bursts_stage(s->scope, pass)) {
	case BURSTS_SURVEY:
		return merge_survey(s, b);
	case BURSTS_KEEP:
		return merge_kept(s, b);
	default:
		return na_bursts_gather_merge(s, b);
	}
}

/* The groups with the most bytes get rows of their own. */
static enum na_status choose_rows(struct bursts_state *s, struct na_err *err)
{
	size_t top = s->scope->top ? s->scope->top : DEFAULT_TOP;

	if (!na_shown_init(&s->shown, s->amounts.v, s->amounts.n, top))
		return na_fail_nomem(err);
	s->rows = na_calloc(s->shown.n, sizeof(*s->rows));
	return s->rows ? NA_OK : na_fail_nomem(err);
}

static enum na_status bursts_turn(void *state, unsigned done,
				  struct na_err *err)
{
	struct bursts_state *s = state;

	switch (na_bursts_stage(s->scope, done)) {
	case BURSTS_SURVEY:
		return choose_rows(s, err);
	case BURSTS_KEEP:
		return na_bursts_sweep(s, err);
	default:
		return NA_END;
	}
}

static size_t bursts_weight(const void *state)
{
	const struct bursts_state *s = state;

	return s->n_bursts * sizeof(*s->bursts);
}

static void bursts_fini(void *state)
{
	struct bursts_state *s = state;

	na_groups_fini(&s->groups);
	na_early_fini(&s->clocks);
	na_vec_free(&s->amounts);
	na_shown_fini(&s->shown);
	for (size_t i = 0; i < BURSTS_KINDS; i++) {
		na_bursts_kept_fini(&s->kept[i]);
		na_bursts_runs_fini(&s->runs[i]);
		na_inflight_fini(&s->fleet[i]);
	}
	for (size_t i = 0; s->rows && i < s->shown.n; i++)
		free(s->rows[i].course);
	free(s->rows);
	free(s->mean);
	free(s->least);
	free(s->most);
	free(s->hosts);
	free(s->bursts);
}

const struct na_analysis na_an_bursts = {
	.info.name = "bursts",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "are collectives bursty; how many are pending",
	.info.details =
		"Pending are the collectives that have started and not "
		"finished (transfers, where the trace has no executions of "
		"collectives), over exact time: an interval counts from its "
		"start to just before its end. Mean, quantiles and idle share "
		"are weighted by time, from the first start to the last end.\n"
		"A burst is a longest period with a transfer in flight; those "
		"that touch, or are at most --gap apart, are one. Listed are "
		"the longest bursts (--top N of them, at most 65536; default "
		"10 000), in order of time, each with the transfers that "
		"finished last.\n"
		"Burstiness is -1 for evenly spaced starts, 0 for random "
		"ones, 1 for bursts; the index of dispersion (idc) is "
		"variance over mean of the starts in windows, 1 for random "
		"ones. The verdict: \"bursty\" if burstiness is above 0.3, or "
		"an index above 2 + 4 sqrt(2 / windows); \"step_bursts\" if "
		"that, or more than 10 % of the time idle, and bursts, or "
		"what is pending by its autocorrelation, repeat every step "
		"(within 20 %); "
		"\"regular\" if burstiness is below -0.3 and no index above 1; "
		"else \"steady\"; \"unknown\" for fewer than ten starts. The "
		"first line calls bursty what netan check finds so, and what "
		"is less uneven, or up and down with each step.",
	.info.example =
		"netan bursts logdir -o pending.svg\n"
		"netan bursts logdir --by collective\n"
		"netan bursts host0.xplane.pb --gap 100us --from 1.5s --to 2s "
		"--format json",
	.info.method = "burstiness: Goh and Barabasi, 2008, Kim and Jo, 2016; "
		       "index of dispersion: Gusella, 1991",
	.many = true,
	.runs_on_captures = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS,
	.clips = true,
	.censored = true,
	.info.opts = bursts_opts,
	.info.params_size = sizeof(struct bursts_params),
	.begins = 3,
	.reports_coverage = 5,
	.state_size = sizeof(struct bursts_state),
	.passes = 3,
	.counts = NA_COUNTS(TRANSFERS),
	.open = bursts_open,
	.fork = bursts_fork,
	.add_transfer = bursts_add,
	.add_graph = bursts_add_graph,
	.seal = na_bursts_seal,
	.merge = bursts_merge,
	.turn = bursts_turn,
	.finish = na_bursts_finish,
	.fini = bursts_fini,
	.pack = na_bursts_pack,
	.unpack = na_bursts_unpack,
	.weight = bursts_weight,
};
