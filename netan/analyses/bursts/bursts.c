/*
 * bursts: are collectives bursty; how many are pending.  Intervals are kept
 * as sorted starts and ends, 16 bytes for each; what is found of them comes
 * from one sweep over exact time (docs/methods.md, "Pending and bursts").
 *
 * Passes: with --by a survey of the groups; the intervals; then, the bursts
 * now known, which transfers made them.
 */
#include "netan/analyses/bursts/bursts.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { DEFAULT_TOP = 64, DEFAULT_LISTED = 10000, MAX_LISTED = 1 << 16 };

/* clang-format off */
static const struct na_opt bursts_opts[] = {
	{NA_OPT_TIME, 'g', "gap", offsetof(struct bu_params, gap_ps), "TIME",
	 "0", 0, 3.6e15, "silence up to this long does not end a burst"},
	NA_OPT_END,
};
/* clang-format on */

enum bu_kind bu_pending_kind(const struct bu_state *s)
{
	return s->scope->store->graphs.n ? BU_COLLECTIVES : BU_TRANSFERS;
}

size_t bu_listed(const struct bu_state *s)
{
	size_t top = s->scope->top ? s->scope->top : DEFAULT_LISTED;

	return top < MAX_LISTED ? top : MAX_LISTED;
}

static enum bu_stage stage_of(const struct na_scope *scope, unsigned pass)
{
	return (enum bu_stage)(scope->by.n ? pass : pass + 1);
}

static enum na_status bu_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct bu_state *s = state;

	s->scope = scope;
	s->params = params;
	s->lo_ps = scope->filter->from_ps;
	s->hi_ps = scope->filter->to_ps;
	na_groups_init(&s->groups, &scope->by);
	if (scope->by.n)
		return NA_OK;
	s->n_shown = 1;
	s->rows = na_calloc(1, sizeof(*s->rows));
	return s->rows ? NA_OK : na_fail_nomem(err);
}

static enum na_status bu_fork(void *block, const void *state, unsigned pass)
{
	struct bu_state *s = block;
	const struct bu_state *from = state;

	*s = (struct bu_state){
		.scope = from->scope,
		.params = from->params,
		.main = from,
		.lo_ps = from->lo_ps,
		.hi_ps = from->hi_ps,
		.stage = stage_of(from->scope, pass),
	};
	na_groups_init(&s->groups, &from->scope->by);
	if (s->stage != BU_KEEP)
		return NA_OK;
	s->n_shown = from->n_shown;
	s->rows = na_calloc(s->n_shown, sizeof(*s->rows));
	return s->rows ? NA_OK : NA_ENOMEM;
}

static bool add_amount(struct bu_state *s, uint32_t group, na_i128 bytes)
{
	if (group == NA_NO_NAME ||
	    !na_grow(&s->amounts, &s->cap_amounts, (size_t)group + 1,
		     sizeof(*s->amounts)))
		return false;
	while (s->n_amounts <= group)
		s->amounts[s->n_amounts++] = 0;
	s->amounts[group] += bytes;
	return true;
}

static enum na_status survey(struct bu_state *s, const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS];

	na_group_of(&s->scope->by, s->scope->store, t, values);
	return add_amount(s, na_groups_add(&s->groups, values),
			  (na_i128)t->size_bytes)
		       ? NA_OK
		       : NA_ENOMEM;
}

static uint32_t row_of(const struct bu_state *s, const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS];

	if (!s->scope->by.n)
		return 0;
	na_group_of(&s->scope->by, s->scope->store, t, values);
	return s->main->row_of[na_groups_find(&s->main->groups, values)];
}

/* What of an interval lies in the window; one that ended before is none. */
static enum na_status keep(struct bu_state *s, enum bu_kind kind,
			   int64_t start_ps, int64_t end_ps, uint32_t source,
			   uint32_t row)
{
	bool cut = start_ps < s->lo_ps;

	if (cut && end_ps <= s->lo_ps)
		return NA_OK;
	s->instants += start_ps == end_ps;
	return bu_keep(s, kind, cut ? s->lo_ps : start_ps,
		       end_ps < s->hi_ps ? end_ps : s->hi_ps, cut, source, row);
}

static enum na_status keep_transfer(struct bu_state *s,
				    const struct na_transfer *t)
{
	uint32_t row = row_of(s, t);

	s->rows[row].amount += na_spread_clipped(t->start_ps, t->end_ps,
						 t->size_bytes, s->lo_ps,
						 s->hi_ps);
	return keep(s, BU_TRANSFERS, t->start_ps, t->end_ps, t->input, row);
}

static enum na_status bu_add(void *block, const struct na_transfer *t)
{
	struct bu_state *s = block;

	switch (s->stage) {
	case BU_SURVEY:
		return survey(s, t);
	case BU_KEEP:
		return keep_transfer(s, t);
	default:
		return bu_gather(s, t);
	}
}

static enum na_status bu_add_graph(void *block, const struct na_exec *e)
{
	struct bu_state *s = block;

	if (s->stage != BU_KEEP || e->end_ps < s->lo_ps ||
	    e->start_ps >= s->hi_ps)
		return NA_OK;
	return keep(s, BU_COLLECTIVES, e->start_ps, e->end_ps, e->input, 0);
}

static enum na_status merge_survey(struct bu_state *s, struct bu_state *b)
{
	uint32_t *map = na_groups_merge(&s->groups, &b->groups);
	bool ok = map != NULL;

	for (size_t i = 0; ok && i < b->n_amounts; i++)
		ok = add_amount(s, map[i], b->amounts[i]);
	free(map);
	return ok ? NA_OK : NA_ENOMEM;
}

static enum na_status merge_kept(struct bu_state *s, struct bu_state *b)
{
	enum na_status st = NA_OK;

	s->instants += b->instants;
	for (size_t i = 0; i < s->n_shown; i++)
		s->rows[i].amount += b->rows[i].amount;
	for (size_t kind = 0; st == NA_OK && kind < BU_KINDS; kind++)
		st = bu_take(&s->runs[kind], &b->kept[kind]);
	return st;
}

static enum na_status bu_merge(void *state, void *block, unsigned pass)
{
	struct bu_state *s = state, *b = block;

	switch (stage_of(s->scope, pass)) {
	case BU_SURVEY:
		return merge_survey(s, b);
	case BU_KEEP:
		return merge_kept(s, b);
	default:
		return bu_gather_merge(s, b);
	}
}

/* The groups with the most bytes get rows of their own, the rest share
 * one. */
static enum na_status choose_rows(struct bu_state *s, struct na_err *err)
{
	size_t n = s->n_amounts, top = s->scope->top;
	uint32_t *order = na_groups_rank(s->amounts, n);

	top = top ? top : DEFAULT_TOP;
	s->has_rest = n > top;
	s->n_shown = s->has_rest ? top + 1 : n;
	s->row_of = na_calloc(n, sizeof(*s->row_of));
	s->shown = na_calloc(s->n_shown, sizeof(*s->shown));
	s->rows = na_calloc(s->n_shown, sizeof(*s->rows));
	if (!order || !s->row_of || !s->shown || !s->rows) {
		free(order);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < n; i++) {
		size_t row = i < top ? i : top;

		s->row_of[order[i]] = (uint32_t)row;
		s->shown[row] = order[i];
	}
	free(order);
	return NA_OK;
}

static enum na_status bu_turn(void *state, unsigned done, struct na_err *err)
{
	struct bu_state *s = state;

	switch (stage_of(s->scope, done)) {
	case BU_SURVEY:
		return choose_rows(s, err);
	case BU_KEEP:
		return bu_sweep(s, err);
	default:
		return NA_END;
	}
}

static size_t bu_weight(const void *state)
{
	const struct bu_state *s = state;

	return s->n_bursts * sizeof(*s->bursts);
}

static void bu_fini(void *state)
{
	struct bu_state *s = state;

	na_groups_fini(&s->groups);
	free(s->amounts);
	free(s->row_of);
	free(s->shown);
	for (size_t i = 0; i < BU_KINDS; i++) {
		bu_kept_fini(&s->kept[i]);
		bu_runs_fini(&s->runs[i]);
		na_inflight_fini(&s->fleet[i]);
	}
	for (size_t i = 0; s->rows && i < s->n_shown; i++)
		free(s->rows[i].course);
	free(s->rows);
	free(s->mean);
	free(s->least);
	free(s->most);
	free(s->hosts);
	free(s->bursts);
}

const struct na_analysis na_an_bursts = {
	.face.name = "bursts",
	.face.usage = "[OPTION…] INPUT…",
	.face.question = "are collectives bursty; how many are pending",
	.face.details =
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
		"else \"steady\"; \"unknown\" for fewer than ten starts.",
	.face.example =
		"netan bursts logdir -o pending.svg\n"
		"netan bursts logdir --by collective\n"
		"netan bursts host0.xplane.pb --gap 100us --from 1.5s --to 2s "
		"--format json",
	.face.method = "burstiness: Goh and Barabasi, 2008, Kim and Jo, 2016; "
		       "index of dispersion: Gusella, 1991",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS,
	.clips = true,
	.face.opts = bursts_opts,
	.face.params_size = sizeof(struct bu_params),
	.begins = 3,
	.tells_coverage = 5,
	.state_size = sizeof(struct bu_state),
	.passes = 3,
	.counts = NA_COUNTS(TRANSFERS),
	.open = bu_open,
	.fork = bu_fork,
	.add_transfer = bu_add,
	.add_graph = bu_add_graph,
	.seal = bu_seal,
	.merge = bu_merge,
	.turn = bu_turn,
	.finish = bu_finish,
	.fini = bu_fini,
	.weight = bu_weight,
};
