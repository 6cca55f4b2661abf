/*
 * latency: how long do transfers take; network slow or host slow
 * (docs/methods.md, "Latency").
 *
 * First pass: every latency, by group and size class, and when which links
 * were busy.  Then rows are chosen and sorted, and the line through the size
 * classes is laid.  Second pass: what needs all that: the slowest, the
 * residuals, and what receives waited for.
 */
#include "netan/analyses/latency/state.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

enum { SURVEY, JUDGE, PASSES };

/* LATENCY_NONE: memory is short.  What is known of a new group comes first. */
static uint32_t group_of(struct latency_state *s,
			 const uint64_t values[NA_MAX_KEYS], uint32_t first)
{
	uint32_t g = na_groups_add(&s->groups, values);

	if (g == NA_NO_NAME)
		return LATENCY_NONE;
	if (g == s->head.n && !na_add(&s->head, first))
		return LATENCY_NONE;
	return g;
}

static enum na_status latency_open(void *state, const struct na_scope *scope,
				   const void *params, struct na_err *err)
{
	static const uint64_t none[NA_MAX_KEYS];
	struct latency_state *s = state;

	(void)params;
	s->scope = scope;
	na_groups_init(&s->groups, &scope->by);
	/* Without --by there is a group even of nothing. */
	if (!scope->by.n && group_of(s, none, LATENCY_NONE) == LATENCY_NONE)
		return na_fail_nomem(err);
	return na_latency_busy_init(&s->busy, scope) &&
			       na_early_init(&s->clocks, scope->store)
		       ? NA_OK
		       : na_fail_nomem(err);
}

static enum na_status latency_fork(void *block, const void *state,
				   unsigned pass)
{
	struct latency_state *s = block;
	const struct latency_state *from = state;

	*s = (struct latency_state){.scope = from->scope, .pass = pass};
	na_groups_init(&s->groups, &from->scope->by);
	s->main = from;
	if (pass == SURVEY) {
		return na_sparse_init(&s->marked,
				      2 * from->scope->store->n_hosts,
				      sizeof(struct latency_word)) &&
				       na_early_init(&s->clocks,
						     from->scope->store)
			       ? NA_OK
			       : NA_ENOMEM;
	}
	s->rows = na_calloc(from->n_rows, sizeof(*s->rows));
	if (!s->rows)
		return NA_ENOMEM;
	s->n_rows = from->n_rows;
	return NA_OK;
}

static uint32_t find_cell(struct latency_state *s, uint32_t group,
			  unsigned klass)
{
	uint32_t i = s->head.v[group];

	while (i != LATENCY_NONE && s->cells.v[i].klass != klass)
		i = s->cells.v[i].next;
	if (i != LATENCY_NONE)
		return i;
	i = (uint32_t)s->cells.n;
	if (i == LATENCY_NONE ||
	    !na_add(&s->cells, ((struct latency_cell){.owner = group,
						      .next = s->head.v[group],
						      .klass = klass})))
		return LATENCY_NONE;
	s->head.v[group] = i;
	return i;
}

static uint32_t cell_of(struct latency_state *s, uint32_t group, unsigned klass)
{
	uint32_t i = s->recent[klass];

	if (i < s->cells.n && s->cells.v[i].owner == group &&
	    s->cells.v[i].klass == klass)
		return i;
	i = find_cell(s, group, klass);
	s->recent[klass] = i;
	return i;
}

/* What one record says of one component. */
struct measure {
	const struct na_transfer *t; /* or NULL */
	const struct na_exec *e;
	uint64_t values[NA_MAX_KEYS];
	const struct latency_parts
		*parts; /* of a receive whose action is known */
	int64_t ps, end_ps;
	uint64_t size_bytes;
};

static enum na_status survey(struct latency_state *s, const struct measure *m)
{
	uint32_t g = group_of(s, m->values, LATENCY_NONE), c;
	struct latency_cell *cell;

	if (g == LATENCY_NONE)
		return NA_ENOMEM;
	c = cell_of(s, g, na_size_class(m->size_bytes));
	if (c == LATENCY_NONE || !na_add(&s->cell_of, c) ||
	    !na_add(&s->values, m->ps))
		return NA_ENOMEM;
	cell = &s->cells.v[c];
	cell->n++;
	cell->bytes += (na_i128)m->size_bytes;
	cell->sum_ps += m->ps;
	return NA_OK;
}

NA_ORDER(worst_first, struct latency_worst, NA_DOWN(latency_ps), NA_UP(end_ps),
	 NA_UP(src), NA_UP(dst))

/* Behind its equals: those came before it. */
static bool keep_worst(struct latency_row *row, const struct latency_worst *w)
{
	size_t i = row->n_worst;

	if (!row->worst)
		row->worst = na_calloc(LATENCY_SLOWEST, sizeof(*row->worst));
	if (!row->worst)
		return false;
	while (i > 0 && worst_first(w, &row->worst[i - 1]) < 0)
		i--;
	if (i == LATENCY_SLOWEST)
		return true;
	if (row->n_worst < LATENCY_SLOWEST)
		row->n_worst++;
	memmove(&row->worst[i + 1], &row->worst[i],
		(row->n_worst - 1 - i) * sizeof(*w));
	row->worst[i] = *w;
	return true;
}

static struct latency_worst worst_of(const struct measure *m)
{
	const struct na_transfer *t = m->t;
	const struct na_exec *e = m->e;

	return (struct latency_worst){
		.latency_ps = m->ps,
		.end_ps = m->end_ps,
		.size_bytes = m->size_bytes,
		.src = t ? t->src : NA_UNKNOWN_U32,
		.dst = t ? t->dst : e->device,
		.collective = t ? t->collective : e->collective,
		.step = t ? t->step : e->step,
		.input = t ? t->input : e->input,
	};
}

/* The row of a record, found once for each group of a block. */
static uint32_t row_of(struct latency_state *s,
		       const uint64_t values[NA_MAX_KEYS])
{
	const struct latency_state *from = s->main;
	uint32_t g = na_groups_add(&s->groups, values);

	if (g != NA_NO_NAME && g < s->head.n)
		return s->head.v[g];
	g = group_of(s, values,
		     na_shown_row(&from->shown, &from->groups, values));
	return g == LATENCY_NONE ? LATENCY_NONE : s->head.v[g];
}

static enum na_status judge(struct latency_state *s, const struct measure *m)
{
	const struct latency_state *from = s->main;
	uint32_t i = row_of(s, m->values);
	const struct latency_row *known =
		&from->rows[i == LATENCY_NONE ? 0 : i];
	struct latency_row *row = &s->rows[i == LATENCY_NONE ? 0 : i];
	double us = na_us(m->ps);
	double expected = na_latency_expected_us(known, (double)m->size_bytes);

	if (i == LATENCY_NONE)
		return NA_ENOMEM;
	if (expected > 0 && !na_sketch_add(&row->residual, us / expected))
		return NA_ENOMEM;
	if (us >= known->slow_us) {
		struct latency_worst w = worst_of(m);

		if (!keep_worst(row, &w))
			return NA_ENOMEM;
	}
	if (m->parts)
		na_latency_split_add(&row->split, m->parts, from->slow_ps);
	return NA_OK;
}

/* An old message's own duration is no action's. */
static int64_t action_of(const struct na_transfer *t)
{
	if (t->style != NA_STYLE_GRAPH || t->action_ps < 0)
		return NA_UNKNOWN_PS;
	return t->action_ps;
}

static enum na_status add_component(struct latency_state *s,
				    const struct na_transfer *t,
				    enum na_component component, int64_t ps,
				    const struct latency_parts *parts)
{
	struct measure m = {.t = t,
			    .parts = parts,
			    .ps = ps,
			    .end_ps = t->end_ps,
			    .size_bytes = t->size_bytes};

	na_group_of_component(&s->scope->by, s->scope->store, t, component,
			      m.values);
	return s->pass == SURVEY ? survey(s, &m) : judge(s, &m);
}

static enum na_status add_receive(struct latency_state *s,
				  const struct na_transfer *t)
{
	bool network = s->scope->components & NA_COMP_BIT(NA_COMP_NETWORK);
	bool receive = s->scope->components & NA_COMP_BIT(NA_COMP_RECEIVE);
	int64_t latency_ps = na_time_between(t->start_ps, t->end_ps);
	int64_t action_ps = action_of(t);
	bool known = action_ps != NA_UNKNOWN_PS;
	enum na_status st = NA_OK;
	struct latency_parts parts;

	s->untimed += receive && !known;
	receive = receive && known;
	if (!network && !receive)
		return NA_ASIDE;
	if (s->pass == SURVEY && !na_latency_mark(s, t))
		return NA_ENOMEM;
	if (known && s->pass == SURVEY && !na_add(&s->actions, action_ps))
		return NA_ENOMEM;
	if (known && s->pass == JUDGE) {
		na_latency_parts_of(s, t, action_ps, latency_ps, &parts);
		na_latency_split_add(&s->split, &parts, s->main->slow_ps);
	}
	if (network)
		st = add_component(s, t, NA_COMP_NETWORK, latency_ps,
				   known ? &parts : NULL);
	if (st == NA_OK && receive)
		st = add_component(s, t, NA_COMP_RECEIVE, action_ps, &parts);
	return st;
}

/* What packets tell has no action behind it. */
static enum na_status add_captured(struct latency_state *s,
				   const struct na_transfer *t)
{
	enum na_component c = (enum na_component)t->component;

	s->calls += c == NA_COMP_RPC;
	return add_component(s, t, c, na_time_between(t->start_ps, t->end_ps),
			     NULL);
}

/* Sends are sends, whatever --component says beside --side tx. */
static enum na_status add_transfer(void *block, const struct na_transfer *t)
{
	struct latency_state *s = block;

	if (s->pass == SURVEY &&
	    !na_early_add(&s->clocks, t, na_latency_log_of(s, t)))
		return NA_ENOMEM;
	if (t->klass != NA_VALID && t->klass != NA_LOOPBACK)
		return NA_ASIDE;
	if (t->style >= NA_STYLE_CAPTURE)
		return add_captured(s, t);
	if (t->side == NA_RX)
		return add_receive(s, t);
	return add_component(s, t, NA_COMP_SEND,
			     na_time_between(t->start_ps, t->end_ps), NULL);
}

static enum na_status add_exec(void *block, const struct na_exec *e)
{
	struct latency_state *s = block;
	struct measure m = {.e = e,
			    .ps = na_time_between(e->start_ps, e->end_ps),
			    .end_ps = e->end_ps,
			    .size_bytes = e->size_bytes};
	enum na_component c = na_exec_component(e->kind);

	/* Graph executions come unasked, too. */
	if (c == NA_N_COMPONENTS || !(s->scope->components & NA_COMP_BIT(c)))
		return NA_ASIDE;
	na_group_of_exec(&s->scope->by, s->scope->store, e, m.values);
	return s->pass == SURVEY ? survey(s, &m) : judge(s, &m);
}

/* Values in order of their cells: what the main state takes over. */
static enum na_status latency_seal(void *block)
{
	struct latency_state *s = block;
	int64_t *out;
	size_t at = 0;

	if (!na_latency_marked(s))
		return NA_ENOMEM;
	if (!s->values.n)
		return NA_OK;
	out = na_calloc(s->values.n, sizeof(*out));
	if (!out)
		return NA_ENOMEM;
	for (size_t i = 0; i < s->cells.n; i++) {
		s->cells.v[i].at = at;
		at += s->cells.v[i].n;
	}
	for (size_t i = 0; i < s->values.n; i++)
		out[s->cells.v[s->cell_of.v[i]].at++] = s->values.v[i];
	free(s->values.v);
	s->values.v = out;
	na_vec_free(&s->cell_of);
	return NA_OK;
}

static uint32_t merge_cell(struct latency_state *s,
			   const struct latency_state *b,
			   const struct latency_cell *from)
{
	uint64_t values[NA_MAX_KEYS];
	uint32_t g, c;

	na_groups_values(&b->groups, from->owner, values);
	g = group_of(s, values, LATENCY_NONE);
	c = g == LATENCY_NONE ? LATENCY_NONE : cell_of(s, g, from->klass);
	if (c == LATENCY_NONE)
		return LATENCY_NONE;
	s->cells.v[c].n += from->n;
	s->cells.v[c].bytes += from->bytes;
	s->cells.v[c].sum_ps += from->sum_ps;
	return c;
}

/* Gives back the room that doubling left. */
static int64_t *fitted(int64_t *x, size_t n)
{
	int64_t *fit = n ? realloc(x, n * sizeof(*x)) : x;

	return fit ? fit : x;
}

static enum na_status merge_survey(struct latency_state *s,
				   struct latency_state *b)
{
	size_t n = b->cells.n;
	struct latency_run *run = na_push(&s->runs);

	if (!run || !na_early_merge(&s->clocks, &b->clocks))
		return NA_ENOMEM;
	*run = (struct latency_run){
		.values = b->values.v,
		.cells = na_calloc(n, sizeof(*run->cells)),
		.n = na_calloc(n, sizeof(*run->n)),
		.n_cells = n,
		.actions = fitted(b->actions.v, b->actions.n),
		.n_actions = b->actions.n,
	};
	b->values.v = b->actions.v = NULL;
	if (!run->cells || !run->n)
		return NA_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		run->n[i] = (uint32_t)b->cells.v[i].n;
		run->cells[i] = merge_cell(s, b, &b->cells.v[i]);
		if (run->cells[i] == LATENCY_NONE)
			return NA_ENOMEM;
	}
	s->untimed += b->untimed;
	s->calls += b->calls;
	return NA_OK;
}

static enum na_status latency_merge(void *state, void *block, unsigned pass)
{
	struct latency_state *s = state, *b = block;

	if (pass == SURVEY)
		return merge_survey(s, b);
	na_latency_split_merge(&s->split, &b->split);
	for (size_t i = 0; i < s->n_rows; i++) {
		struct latency_row *to = &s->rows[i], *from = &b->rows[i];

		na_latency_split_merge(&to->split, &from->split);
		if (!na_sketch_merge(&to->residual, &from->residual))
			return NA_ENOMEM;
		for (size_t k = 0; k < from->n_worst; k++) {
			if (!keep_worst(to, &from->worst[k]))
				return NA_ENOMEM;
		}
	}
	return NA_OK;
}

static enum na_status latency_turn(void *state, unsigned done,
				   struct na_err *err)
{
	struct latency_state *s = state;
	enum na_status st;

	if (done != SURVEY)
		return NA_OK;
	st = na_latency_rows(s, err);
	if (st != NA_OK || !s->scope->used->n)
		return st == NA_OK ? NA_END : st;
	return na_latency_busy_count(&s->busy, s->scope->store->n_hosts)
		       ? NA_OK
		       : na_fail_nomem(err);
}

static enum na_status latency_share(void *state, size_t i, size_t n)
{
	struct latency_state *s = state;

	for (; i < s->n_rows; i += n) {
		if (!na_latency_curve(&s->rows[i]))
			return NA_ENOMEM;
	}
	return NA_OK;
}

/* The sketches of all rows, about; the first pass holds blocks of latencies,
 * which are kept anyway. */
static size_t latency_weight(const void *state)
{
	const struct latency_state *s = state;

	return s->n_rows * (sizeof(struct latency_row) + 8192);
}

static void latency_fini(void *state)
{
	struct latency_state *s = state;

	for (size_t i = 0; i < s->n_rows; i++) {
		na_sketch_fini(&s->rows[i].residual);
		free(s->rows[i].worst);
		free(s->rows[i].curve.us);
	}
	for (size_t i = 0; i < s->runs.n; i++) {
		free(s->runs.v[i].values);
		free(s->runs.v[i].cells);
		free(s->runs.v[i].n);
		free(s->runs.v[i].actions);
	}
	na_groups_fini(&s->groups);
	na_shown_fini(&s->shown);
	na_vec_free(&s->runs);
	na_vec_free(&s->head);
	na_vec_free(&s->cells);
	na_vec_free(&s->values);
	na_vec_free(&s->cell_of);
	na_vec_free(&s->actions);
	free(s->rows);
	free(s->row_cells);
	free(s->sorted);
	na_sparse_fini(&s->marked);
	na_early_fini(&s->clocks);
	na_latency_busy_fini(&s->busy);
}

const struct na_analysis na_an_latency = {
	.info.name = "latency",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "how long do transfers take; network slow or host "
			 "slow",
	.info.details =
		"Quantiles are exact (linear interpolation between order "
		"statistics). The interval beside each is free of "
		"assumptions on the distribution, but takes transfers as "
		"independent: in bursts it is too narrow. A quantile that "
		"the number of transfers cannot support is printed and "
		"marked.\n"
		"Where receives record how long their action lasted, the "
		"output says how much of that was the network (the message "
		"under way, or queued while the hosts' links were busy) and "
		"how much passed with these links idle: the peer or its host "
		"was late. --component picks what is timed; --by component "
		"shows each by itself. A GPU's kernel is timed whole, with its "
		"waiting for other ranks: netan collectives separates the "
		"two.\n"
		"A robust line through the size classes gives the fixed "
		"cost of a transfer and the speed of one transfer; "
		"residuals are latencies over this line.",
	.info.example = "netan latency logdir\n"
			"netan latency logdir --by host -o latency.svg\n"
			"netan latency logdir --by component,host --format csv",
	.info.method = "type 7 of Hyndman and Fan, 1996; intervals: David and "
		       "Nagaraja, 2003; line over size: Theil, 1950, Sen, "
		       "1968; residuals: DDSketch, Masson et al., 2019",
	.censored = true,
	.many = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS,
	.begins = 5,
	.reports_coverage = 2,
	.state_size = sizeof(struct latency_state),
	.passes = PASSES,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(GRAPHS) | NA_COUNTS(ACTIONS),
	.components = NA_COMP_BIT(NA_N_COMPONENTS) - 1,
	.open = latency_open,
	.fork = latency_fork,
	.add_transfer = add_transfer,
	.add_graph = add_exec,
	.add_action = add_exec,
	.seal = latency_seal,
	.merge = latency_merge,
	.turn = latency_turn,
	.share = latency_share,
	.finish = na_latency_finish,
	.fini = latency_fini,
	.pack = na_latency_pack,
	.unpack = na_latency_unpack,
	.weight = latency_weight,
};
