/*
 * latency: how long do transfers take; network slow or host slow
 * (docs/methods.md, "Latency").
 *
 * First pass: every latency, by group and size class, and when which links
 * were busy.  Then rows are chosen and sorted, and the line through the size
 * classes is laid.  Second pass: what needs all that: the slowest, the
 * residuals, and what receives waited for.
 */
#include "netan/analyses/latency/latency.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { SURVEY, JUDGE, PASSES };

static bool push(int64_t **to, size_t *n, size_t *cap, int64_t v)
{
	if (*n == *cap && !na_grow(to, cap, *n + 1, sizeof(v)))
		return false;
	(*to)[(*n)++] = v;
	return true;
}

static uint8_t size_class(uint64_t bytes)
{
	return bytes ? (uint8_t)(64 - __builtin_clzll(bytes)) : 0;
}

/* LAT_NONE: memory is short.  What is known of a new group comes first. */
static uint32_t group_of(struct lat_state *s,
			 const uint64_t values[NA_MAX_KEYS], uint32_t first)
{
	uint32_t g = na_groups_add(&s->groups, values);

	if (g == NA_NO_NAME)
		return LAT_NONE;
	if (g == s->n_head) {
		if (!na_grow(&s->head, &s->cap_head, s->n_head + 1,
			     sizeof(*s->head)))
			return LAT_NONE;
		s->head[s->n_head++] = first;
	}
	return g;
}

static enum na_status lat_open(void *state, const struct na_scope *scope,
			       const void *params, struct na_err *err)
{
	static const uint64_t none[NA_MAX_KEYS];
	struct lat_state *s = state;

	(void)params;
	s->scope = scope;
	na_groups_init(&s->groups, &scope->by);
	/* Without --by there is a group even of nothing. */
	if (!scope->by.n && group_of(s, none, LAT_NONE) == LAT_NONE)
		return na_fail_nomem(err);
	return lat_busy_init(&s->busy, scope->store) &&
			       lat_clock_init(s, scope->store)
		       ? NA_OK
		       : na_fail_nomem(err);
}

static enum na_status lat_fork(void *block, const void *state, unsigned pass)
{
	struct lat_state *s = block;
	const struct lat_state *from = state;

	*s = (struct lat_state){.scope = from->scope, .pass = pass};
	na_groups_init(&s->groups, &from->scope->by);
	s->main = from;
	if (pass == SURVEY) {
		s->marked = na_calloc(2 * from->scope->store->n_hosts,
				      sizeof(*s->marked));
		return s->marked && lat_clock_init(s, from->scope->store)
			       ? NA_OK
			       : NA_ENOMEM;
	}
	s->rows = na_calloc(from->n_rows, sizeof(*s->rows));
	s->n_rows = from->n_rows;
	return s->rows ? NA_OK : NA_ENOMEM;
}

static uint32_t find_cell(struct lat_state *s, uint32_t group, uint8_t klass)
{
	uint32_t i = s->head[group];

	while (i != LAT_NONE && s->cells[i].klass != klass)
		i = s->cells[i].next;
	if (i != LAT_NONE)
		return i;
	if (s->n_cells >= LAT_NONE ||
	    !na_grow(&s->cells, &s->cap_cells, s->n_cells + 1,
		     sizeof(*s->cells)))
		return LAT_NONE;
	i = (uint32_t)s->n_cells++;
	s->cells[i] = (struct lat_cell){.owner = group,
					.next = s->head[group],
					.klass = klass};
	s->head[group] = i;
	return i;
}

static uint32_t cell_of(struct lat_state *s, uint32_t group, uint8_t klass)
{
	uint32_t i = s->recent[klass];

	if (i < s->n_cells && s->cells[i].owner == group &&
	    s->cells[i].klass == klass)
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
	const struct lat_parts *parts; /* of a receive whose action is known */
	int64_t ps, end_ps;
	uint64_t size_bytes;
};

static enum na_status survey(struct lat_state *s, const struct measure *m)
{
	uint32_t g = group_of(s, m->values, LAT_NONE), c;
	struct lat_cell *cell;

	c = g == LAT_NONE ? LAT_NONE : cell_of(s, g, size_class(m->size_bytes));
	if (c == LAT_NONE || !na_grow(&s->cell_of, &s->cap_cell_of,
				      s->n_values + 1, sizeof(*s->cell_of)))
		return NA_ENOMEM;
	s->cell_of[s->n_values] = c;
	if (!push(&s->values, &s->n_values, &s->cap_values, m->ps))
		return NA_ENOMEM;
	cell = &s->cells[c];
	cell->n++;
	cell->bytes += (na_i128)m->size_bytes;
	cell->sum_ps += m->ps;
	return NA_OK;
}

static int compare(const struct lat_worst *a, const struct lat_worst *b)
{
	if (a->latency_ps != b->latency_ps)
		return a->latency_ps > b->latency_ps ? -1 : 1;
	if (a->end_ps != b->end_ps)
		return a->end_ps < b->end_ps ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst == b->dst ? 0 : a->dst < b->dst ? -1 : 1;
}

/* Behind its equals: those came before it. */
static bool keep_worst(struct lat_row *row, const struct lat_worst *w)
{
	size_t i = row->n_worst;

	if (!row->worst)
		row->worst = na_calloc(LAT_SLOWEST, sizeof(*row->worst));
	if (!row->worst)
		return false;
	while (i > 0 && compare(w, &row->worst[i - 1]) < 0)
		i--;
	if (i == LAT_SLOWEST)
		return true;
	if (row->n_worst < LAT_SLOWEST)
		row->n_worst++;
	memmove(&row->worst[i + 1], &row->worst[i],
		(row->n_worst - 1 - i) * sizeof(*w));
	row->worst[i] = *w;
	return true;
}

static struct lat_worst worst_of(const struct measure *m)
{
	const struct na_transfer *t = m->t;
	const struct na_exec *e = m->e;

	return (struct lat_worst){
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
static uint32_t row_of(struct lat_state *s, const uint64_t values[NA_MAX_KEYS])
{
	const struct lat_state *from = s->main;
	uint32_t g = na_groups_add(&s->groups, values);

	if (g != NA_NO_NAME && g < s->n_head)
		return s->head[g];
	g = group_of(s, values,
		     from->row_of[na_groups_find(&from->groups, values)]);
	return g == LAT_NONE ? LAT_NONE : s->head[g];
}

static enum na_status judge(struct lat_state *s, const struct measure *m)
{
	const struct lat_state *from = s->main;
	uint32_t i = row_of(s, m->values);
	const struct lat_row *known = &from->rows[i == LAT_NONE ? 0 : i];
	struct lat_row *row = &s->rows[i == LAT_NONE ? 0 : i];
	double us = (double)m->ps / 1e6;
	double expected = lat_expected_us(known, (double)m->size_bytes);
	size_t slowest = known->n < LAT_SLOWEST ? 0 : known->n - LAT_SLOWEST;

	if (i == LAT_NONE)
		return NA_ENOMEM;
	if (expected > 0 && !na_sketch_add(&row->residual, us / expected))
		return NA_ENOMEM;
	if (us >= known->us[slowest]) {
		struct lat_worst w = worst_of(m);

		if (!keep_worst(row, &w))
			return NA_ENOMEM;
	}
	if (m->parts)
		lat_split_add(&row->split, m->parts, from->slow_ps);
	return NA_OK;
}

/* An old message's own duration is no action's. */
static int64_t action_of(const struct na_transfer *t)
{
	if (t->style != NA_STYLE_GRAPH || t->action_ps < 0)
		return NA_UNKNOWN_PS;
	return t->action_ps;
}

static enum na_status add_component(struct lat_state *s,
				    const struct na_transfer *t,
				    enum na_component component, int64_t ps,
				    const struct lat_parts *parts)
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

static enum na_status add_receive(struct lat_state *s,
				  const struct na_transfer *t)
{
	bool network = s->scope->components & NA_COMP_BIT(NA_COMP_NETWORK);
	bool receive = s->scope->components & NA_COMP_BIT(NA_COMP_RECEIVE);
	int64_t latency_ps = na_time_between(t->start_ps, t->end_ps);
	int64_t action_ps = action_of(t);
	bool known = action_ps != NA_UNKNOWN_PS;
	enum na_status st = NA_OK;
	struct lat_parts parts;

	s->untimed += receive && !known;
	receive = receive && known;
	if (!network && !receive)
		return NA_ASIDE;
	if (s->pass == SURVEY)
		lat_mark(s, t);
	if (known && s->pass == SURVEY &&
	    !push(&s->actions, &s->n_actions, &s->cap_actions, action_ps))
		return NA_ENOMEM;
	if (known && s->pass == JUDGE) {
		lat_parts_of(s, t, action_ps, latency_ps, &parts);
		lat_split_add(&s->split, &parts, s->main->slow_ps);
	}
	if (network)
		st = add_component(s, t, NA_COMP_NETWORK, latency_ps,
				   known ? &parts : NULL);
	if (st == NA_OK && receive)
		st = add_component(s, t, NA_COMP_RECEIVE, action_ps, &parts);
	return st;
}

/* What packets tell has no action behind it. */
static enum na_status add_captured(struct lat_state *s,
				   const struct na_transfer *t)
{
	enum na_component c = (enum na_component)t->component;

	s->calls += c == NA_COMP_RPC;
	return add_component(s, t, c, na_time_between(t->start_ps, t->end_ps),
			     NULL);
}

/* Sends are sends, whatever --component says beside --side tx. */
static enum na_status lat_add(void *block, const struct na_transfer *t)
{
	struct lat_state *s = block;

	if (s->pass == SURVEY)
		lat_clock_add(s, t);
	if (t->klass != NA_VALID && t->klass != NA_LOOPBACK)
		return NA_ASIDE;
	if (t->style >= NA_STYLE_CAPTURE)
		return add_captured(s, t);
	if (t->side == NA_RX)
		return add_receive(s, t);
	return add_component(s, t, NA_COMP_SEND,
			     na_time_between(t->start_ps, t->end_ps), NULL);
}

static enum na_status lat_add_exec(void *block, const struct na_exec *e)
{
	struct lat_state *s = block;
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
static enum na_status lat_seal(void *block)
{
	struct lat_state *s = block;
	int64_t *out;
	size_t at = 0;

	lat_marked(s);
	if (!s->n_values)
		return NA_OK;
	out = na_calloc(s->n_values, sizeof(*out));
	if (!out)
		return NA_ENOMEM;
	for (size_t i = 0; i < s->n_cells; i++) {
		s->cells[i].at = at;
		at += s->cells[i].n;
	}
	for (size_t i = 0; i < s->n_values; i++)
		out[s->cells[s->cell_of[i]].at++] = s->values[i];
	free(s->values);
	free(s->cell_of);
	s->values = out;
	s->cell_of = NULL;
	return NA_OK;
}

static uint32_t merge_cell(struct lat_state *s, const struct lat_state *b,
			   const struct lat_cell *from)
{
	uint64_t values[NA_MAX_KEYS];
	uint32_t g, c;

	na_groups_values(&b->groups, from->owner, values);
	g = group_of(s, values, LAT_NONE);
	c = g == LAT_NONE ? LAT_NONE : cell_of(s, g, from->klass);
	if (c == LAT_NONE)
		return LAT_NONE;
	s->cells[c].n += from->n;
	s->cells[c].bytes += from->bytes;
	s->cells[c].sum_ps += from->sum_ps;
	return c;
}

/* Gives back the room that doubling left. */
static int64_t *fitted(int64_t *x, size_t n)
{
	int64_t *fit = n ? realloc(x, n * sizeof(*x)) : x;

	return fit ? fit : x;
}

static enum na_status merge_survey(struct lat_state *s, struct lat_state *b)
{
	struct lat_run *run;

	lat_clock_merge(s, b);
	if (!na_grow(&s->runs, &s->cap_runs, s->n_runs + 1, sizeof(*s->runs)))
		return NA_ENOMEM;
	run = &s->runs[s->n_runs++];
	*run = (struct lat_run){
		.values = b->values,
		.cells = na_calloc(b->n_cells, sizeof(*run->cells)),
		.n = na_calloc(b->n_cells, sizeof(*run->n)),
		.n_cells = b->n_cells,
		.actions = fitted(b->actions, b->n_actions),
		.n_actions = b->n_actions,
	};
	b->values = b->actions = NULL;
	if (!run->cells || !run->n)
		return NA_ENOMEM;
	for (size_t i = 0; i < b->n_cells; i++) {
		run->n[i] = (uint32_t)b->cells[i].n;
		run->cells[i] = merge_cell(s, b, &b->cells[i]);
		if (run->cells[i] == LAT_NONE)
			return NA_ENOMEM;
	}
	s->untimed += b->untimed;
	s->calls += b->calls;
	return NA_OK;
}

static enum na_status lat_merge(void *state, void *block, unsigned pass)
{
	struct lat_state *s = state, *b = block;

	if (pass == SURVEY)
		return merge_survey(s, b);
	lat_split_merge(&s->split, &b->split);
	for (size_t i = 0; i < s->n_rows; i++) {
		struct lat_row *to = &s->rows[i], *from = &b->rows[i];

		lat_split_merge(&to->split, &from->split);
		if (!na_sketch_merge(&to->residual, &from->residual))
			return NA_ENOMEM;
		for (size_t k = 0; k < from->n_worst; k++) {
			if (!keep_worst(to, &from->worst[k]))
				return NA_ENOMEM;
		}
	}
	return NA_OK;
}

static enum na_status lat_turn(void *state, unsigned done, struct na_err *err)
{
	struct lat_state *s = state;
	enum na_status st;

	if (done != SURVEY)
		return NA_OK;
	st = lat_rows(s, err);
	if (st != NA_OK || !s->scope->used->n)
		return st == NA_OK ? NA_END : st;
	return lat_busy_count(&s->busy, s->scope->store->n_hosts)
		       ? NA_OK
		       : na_fail_nomem(err);
}

static enum na_status lat_share(void *state, size_t i, size_t n)
{
	struct lat_state *s = state;

	for (; i < s->n_rows; i += n) {
		if (!lat_curve(&s->rows[i]))
			return NA_ENOMEM;
	}
	return NA_OK;
}

/* The sketches of all rows, about; the first pass holds blocks of latencies,
 * which are kept anyway. */
static size_t lat_weight(const void *state)
{
	const struct lat_state *s = state;

	return s->n_rows * (sizeof(struct lat_row) + 8192);
}

static void lat_fini(void *state)
{
	struct lat_state *s = state;

	for (size_t i = 0; i < s->n_rows; i++) {
		na_sketch_fini(&s->rows[i].residual);
		free(s->rows[i].worst);
		free(s->rows[i].curve.us);
	}
	for (size_t i = 0; i < s->n_runs; i++) {
		free(s->runs[i].values);
		free(s->runs[i].cells);
		free(s->runs[i].n);
		free(s->runs[i].actions);
	}
	na_groups_fini(&s->groups);
	free(s->rows);
	free(s->runs);
	free(s->head);
	free(s->cells);
	free(s->values);
	free(s->cell_of);
	free(s->actions);
	free(s->row_of);
	free(s->shown);
	free(s->row_cells);
	free(s->sorted);
	free(s->busy.bits);
	free(s->busy.before);
	free(s->marked);
	free(s->clocks);
}

const struct na_analysis na_an_latency = {
	.face.name = "latency",
	.face.usage = "[OPTION…] INPUT…",
	.face.question = "how long do transfers take; network slow or host "
			 "slow",
	.face.details =
		"Quantiles are exact (linear interpolation between order "
		"statistics). The interval beside each is free of "
		"assumptions on the distribution, but takes transfers as "
		"independent: in bursts it is too narrow. A quantile that "
		"the number of transfers cannot support is printed and "
		"marked.\n"
		"Where receives tell how long their action lasted, it is "
		"told how much of that was the network's (the message under "
		"way, or queued while the hosts' links were busy) and how "
		"much passed with these links idle: the peer or its host was "
		"late. --component picks what is timed; --by "
		"component shows each by itself. A GPU's kernel is timed "
		"whole, with its waiting for other ranks: netan collectives "
		"tells the two apart.\n"
		"A robust line through the size classes gives the fixed "
		"cost of a transfer and the bandwidth that a byte sees; "
		"residuals are latencies over this line.",
	.face.example = "netan latency logdir\n"
			"netan latency logdir --by host -o latency.svg\n"
			"netan latency logdir --by component,host --format csv",
	.face.method = "type 7 of Hyndman and Fan, 1996; intervals: David and "
		       "Nagaraja, 2003; line over size: Theil, 1950, Sen, "
		       "1968; residuals: DDSketch, Masson et al., 2019",
	.censored = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS,
	.begins = 5,
	.tells_coverage = 2,
	.state_size = sizeof(struct lat_state),
	.passes = PASSES,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(GRAPHS) | NA_COUNTS(ACTIONS),
	.components = NA_COMP_BIT(NA_N_COMPONENTS) - 1,
	.open = lat_open,
	.fork = lat_fork,
	.add_transfer = lat_add,
	.add_graph = lat_add_exec,
	.add_action = lat_add_exec,
	.seal = lat_seal,
	.merge = lat_merge,
	.turn = lat_turn,
	.share = lat_share,
	.finish = lat_finish,
	.fini = lat_fini,
	.weight = lat_weight,
};
