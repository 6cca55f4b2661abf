/*
 * timeline: how much of the network is used when.  Throughput by exact
 * integration of transfers over bins, outstanding bytes, pending
 * collectives; per group and per host (docs/methods.md, "Timeline and
 * saturation").
 *
 * First pass: the time that is covered, and the bytes of each group.
 * Second pass, bins now known: the spreading.
 */
#include "netan/analyses/timeline/timeline.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/methods/capacity.h"

#define PACKET_BIN_PS (10 * NA_PS_PER_US) /* the narrowest that is chosen */

enum { DEFAULT_BINS = 600, DEFAULT_TOP = 64, MAX_BINS = 1 << 22 };

/* Beyond this many bins a series for each host is kept only for
 * --capacity, not for the remark about a plateau. */
enum { PLATEAU_BINS = 1 << 16 };

/* clang-format off */
static const struct na_opt timeline_opts[] = {
	{NA_OPT_TIME, 'b', "bin", offsetof(struct tl_params, bin_ps), "TIME",
	 NULL, 1e3, 3.6e15, "width of a bin (default: chosen from the "
	 "duration, about 600 bins)"},
	{NA_OPT_TEXT, 'c', "capacity", offsetof(struct tl_params, capacity),
	 "RATE", NULL, 0, 0, "network capacity of one host, all its NICs: "
	 "100Gbps, 4x200Gbps/2 (NICs x rate / tasks on the machine), or a "
	 "machine type (v6e)"},
	NA_OPT_END,
};
/* clang-format on */

bool tl_pending_of_graphs(const struct tl_state *s)
{
	return s->scope->store->graphs.n > 0;
}

static enum na_status tl_check(const void *params, struct na_err *err)
{
	const struct tl_params *p = params;
	double gbps;

	return p->capacity ? na_capacity_parse(p->capacity, &gbps, err) : NA_OK;
}

static enum na_status tl_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct tl_state *s = state;

	s->scope = scope;
	s->params = params;
	s->lo_ps = scope->filter->from_ps;
	s->hi_ps = scope->filter->to_ps;
	na_groups_init(&s->groups, &scope->by);
	if (!tl_frames_init(s) || !tl_traffic_init(s))
		return na_fail_nomem(err);
	if (s->params->capacity)
		return na_capacity_parse(s->params->capacity, &s->capacity_gbps,
					 err);
	return NA_OK;
}

static bool init_spreads(struct tl_state *s)
{
	for (size_t side = 0; side < 2; side++) {
		if (!na_spread_init(&s->rate[side], &s->bins) ||
		    !na_spread_init(&s->outstanding[side], &s->bins))
			return false;
	}
	s->per_host = s->capacity_gbps > 0 || s->bins.n <= PLATEAU_BINS;
	s->hosts = na_calloc(s->n_host_rows, sizeof(*s->hosts));
	return s->hosts && na_spread_init(&s->pending, &s->bins);
}

static enum na_status tl_fork(void *block, const void *state, unsigned pass)
{
	struct tl_state *s = block;
	const struct tl_state *from = state;

	*s = (struct tl_state){
		.scope = from->scope,
		.params = from->params,
		.capacity_gbps = from->capacity_gbps,
		.lo_ps = from->lo_ps,
		.hi_ps = from->hi_ps,
		.pass = pass,
	};
	na_groups_init(&s->groups, &from->scope->by);
	s->main = from;
	if (pass == 0)
		return tl_traffic_init(s) ? NA_OK : NA_ENOMEM;
	s->n_host_rows = from->n_host_rows;
	s->bins = from->bins;
	s->n_rows = from->n_shown;
	s->rows = na_calloc(s->n_rows, sizeof(*s->rows));
	return s->rows && init_spreads(s) ? NA_OK : NA_ENOMEM;
}

struct tl_row *tl_group_row(struct tl_state *s, const uint64_t *values)
{
	uint32_t g = na_groups_add(&s->groups, values);

	if (g == NA_NO_NAME)
		return NULL;
	if (g == s->n_rows) {
		if (!na_grow(&s->rows, &s->cap_rows, s->n_rows + 1,
			     sizeof(*s->rows)))
			return NULL;
		s->rows[s->n_rows++] = (struct tl_row){.n = {0, 0}};
	}
	return &s->rows[g];
}

/* What of a transfer lies in the window. */
static void clipped(const struct tl_state *s, const struct na_transfer *t,
		    int64_t *start_ps, int64_t *end_ps)
{
	*start_ps = t->start_ps > s->lo_ps ? t->start_ps : s->lo_ps;
	*end_ps = t->end_ps < s->hi_ps ? t->end_ps : s->hi_ps;
}

void tl_cover(struct tl_state *s, int64_t start_ps, int64_t end_ps, bool closed)
{
	if (!s->any || start_ps < s->first_ps)
		s->first_ps = start_ps;
	if (!s->any || end_ps > s->last_ps) {
		s->last_ps = end_ps;
		s->closed = closed;
	} else if (end_ps == s->last_ps) {
		s->closed |= closed;
	}
	s->any = true;
}

static enum na_status survey(struct tl_state *s, const struct na_transfer *t)
{
	const struct na_scope *scope = s->scope;
	uint64_t values[NA_MAX_KEYS];
	int64_t start_ps, end_ps;
	struct tl_row *row;

	clipped(s, t, &start_ps, &end_ps);
	if (tl_by_packets(s, t)) {
		if (start_ps < end_ps)
			tl_cover(s, start_ps, end_ps, false);
		return NA_ASIDE;
	}
	tl_cover(s, start_ps, end_ps, start_ps == end_ps);
	s->n_side[t->side]++;
	s->instants += t->start_ps == t->end_ps;
	if (!scope->by.n)
		return NA_OK;
	na_group_of(&scope->by, scope->store, t, values);
	row = tl_group_row(s, values);
	if (!row)
		return NA_ENOMEM;
	row->amount[t->side] += (na_i128)t->size_bytes;
	row->n[t->side]++;
	return NA_OK;
}

static bool row_add(struct tl_row *row, const struct tl_state *s,
		    const struct na_transfer *t)
{
	return tl_row_add(row, s, (enum na_side)t->side, t->start_ps, t->end_ps,
			  t->size_bytes);
}

static enum na_status keep_pending(struct tl_state *s, int64_t start_ps,
				   int64_t end_ps)
{
	struct na_run *o = &s->open;

	if (start_ps < s->lo_ps)
		start_ps = s->lo_ps;
	if (end_ps > s->hi_ps)
		end_ps = s->hi_ps;
	if (end_ps <= start_ps)
		return NA_OK;
	if (!na_grow(&o->starts, &s->cap_starts, o->n + 1, sizeof(int64_t)) ||
	    !na_grow(&o->ends, &s->cap_ends, o->n + 1, sizeof(int64_t)))
		return NA_ENOMEM;
	o->starts[o->n] = start_ps;
	o->ends[o->n++] = end_ps;
	na_spread_level(&s->pending, &s->bins, start_ps, end_ps, 1);
	return NA_OK;
}

/* Sort here, where it runs beside other blocks, and give back the room that
 * doubling left. */
static enum na_status tl_seal(void *block)
{
	struct tl_state *s = block;
	struct na_run *o = &s->open;
	int64_t *tmp, *fit;

	if (!o->n)
		return NA_OK;
	tmp = na_calloc(o->n, sizeof(*tmp));
	if (!tmp)
		return NA_ENOMEM;
	na_sort_i64(o->starts, tmp, o->n);
	na_sort_i64(o->ends, tmp, o->n);
	free(tmp);
	fit = realloc(o->starts, o->n * sizeof(*fit));
	o->starts = fit ? fit : o->starts;
	fit = realloc(o->ends, o->n * sizeof(*fit));
	o->ends = fit ? fit : o->ends;
	return NA_OK;
}

static void outstanding(struct tl_state *s, const struct na_transfer *t)
{
	int64_t start_ps, end_ps;

	clipped(s, t, &start_ps, &end_ps);
	na_spread_level(&s->outstanding[t->side], &s->bins, start_ps, end_ps,
			t->size_bytes);
}

static enum na_status rates(struct tl_state *s, const struct na_transfer *t)
{
	const struct na_scope *scope = s->scope;
	uint64_t values[NA_MAX_KEYS];
	na_i128 amount;
	uint32_t g;

	amount = na_spread_bytes(&s->rate[t->side], &s->bins, t->start_ps,
				 t->end_ps, t->size_bytes, s->lo_ps, s->hi_ps);
	s->amount[t->side] += amount;
	if (t->start_ps == t->end_ps)
		s->instant_amount += amount;
	s->spread_calls += t->style >= NA_STYLE_CAPTURE;
	/* An instant's rate is no rate: it must not saturate a host; nor is
	 * that of a call, whose time the server took as well. */
	if (!s->per_host || t->start_ps == t->end_ps ||
	    t->style >= NA_STYLE_CAPTURE)
		s->hosts[t->input].n[t->side]++;
	else if (!row_add(&s->hosts[t->input], s, t))
		return NA_ENOMEM;
	if (!scope->by.n)
		return NA_OK;
	na_group_of(&scope->by, scope->store, t, values);
	g = na_groups_find(&s->main->groups, values);
	return row_add(&s->rows[s->main->row_of[g]], s, t) ? NA_OK : NA_ENOMEM;
}

static enum na_status spread(struct tl_state *s, const struct na_transfer *t)
{
	enum na_status st = tl_by_packets(s, t) ? NA_OK : rates(s, t);

	if (st != NA_OK)
		return st;
	if (t->start_ps < t->end_ps)
		outstanding(s, t);
	if (t->side == NA_RX && !tl_pending_of_graphs(s))
		return keep_pending(s, t->start_ps, t->end_ps);
	return NA_OK;
}

static enum na_status tl_add(void *block, const struct na_transfer *t)
{
	struct tl_state *s = block;

	return s->pass == 0 ? survey(s, t) : spread(s, t);
}

static enum na_status tl_add_graph(void *block, const struct na_exec *e)
{
	struct tl_state *s = block;
	int64_t start_ps = e->start_ps > s->lo_ps ? e->start_ps : s->lo_ps;
	int64_t end_ps = e->end_ps < s->hi_ps ? e->end_ps : s->hi_ps;

	if (end_ps <= start_ps)
		return NA_OK;
	if (s->pass == 1) /* no bins: no transfers to draw */
		return s->bins.n ? keep_pending(s, start_ps, end_ps) : NA_OK;
	if (!s->any_graph || start_ps < s->open_ps)
		s->open_ps = start_ps;
	if (!s->any_graph || end_ps > s->close_ps)
		s->close_ps = end_ps;
	s->any_graph = true;
	return NA_OK;
}

static enum na_status merge_survey(struct tl_state *s, struct tl_state *b)
{
	if (b->any)
		tl_cover(s, b->first_ps, b->last_ps, b->closed);
	if (b->any_graph) {
		if (!s->any_graph || b->open_ps < s->open_ps)
			s->open_ps = b->open_ps;
		if (!s->any_graph || b->close_ps > s->close_ps)
			s->close_ps = b->close_ps;
		s->any_graph = true;
	}
	s->instants += b->instants;
	tl_traffic_merge(s, b);
	for (size_t i = 0; i < b->n_rows; i++) {
		uint64_t values[NA_MAX_KEYS];
		struct tl_row *row;

		na_groups_values(&b->groups, (uint32_t)i, values);
		row = tl_group_row(s, values);
		if (!row)
			return NA_ENOMEM;
		for (size_t side = 0; side < 2; side++) {
			row->amount[side] += b->rows[i].amount[side];
			row->n[side] += b->rows[i].n[side];
		}
	}
	for (size_t side = 0; side < 2; side++)
		s->n_side[side] += b->n_side[side];
	return NA_OK;
}

static enum na_status tl_merge(void *state, void *block, unsigned pass)
{
	struct tl_state *s = state, *b = block;

	if (pass == 0)
		return merge_survey(s, b);
	for (size_t side = 0; side < 2; side++) {
		na_spread_merge(&s->rate[side], &b->rate[side], &s->bins);
		na_spread_merge(&s->outstanding[side], &b->outstanding[side],
				&s->bins);
		s->amount[side] += b->amount[side];
	}
	na_spread_merge(&s->pending, &b->pending, &s->bins);
	tl_merge_rows(s->rows, b->rows, s->n_shown, &s->bins);
	tl_merge_rows(s->hosts, b->hosts, s->n_host_rows, &s->bins);
	s->instant_amount += b->instant_amount;
	s->spread_calls += b->spread_calls;
	if (!b->open.n)
		return NA_OK;
	if (!na_grow(&s->runs, &s->cap_runs, s->n_runs + 1, sizeof(*s->runs)))
		return NA_ENOMEM;
	s->runs[s->n_runs++] = b->open;
	b->open = (struct na_run){NULL, NULL, 0};
	return NA_OK;
}

static enum na_status choose_bins(struct tl_state *s, struct na_err *err)
{
	int64_t from = s->first_ps, to = s->last_ps, bin = s->params->bin_ps;
	bool closed = s->closed;
	int64_t span = NA_TIME_MAX;
	double bins;

	if (s->any_graph && s->open_ps < from)
		from = s->open_ps;
	if (s->any_graph && s->close_ps > to) {
		to = s->close_ps;
		closed = false;
	}
	if ((na_i128)to - from < span)
		span = to - from;
	if (!bin)
		bin = na_bins_choose(span, DEFAULT_BINS);
	/* A packet is an instant: its rate in a narrow bin is no rate. */
	if (!s->params->bin_ps && s->packets && bin < PACKET_BIN_PS)
		bin = PACKET_BIN_PS;
	bins = ((double)to - (double)from) / (double)bin;
	if (bins > MAX_BINS) {
		char text[NA_UNIT_BUF];

		return na_fail(err, NA_EUSAGE,
			       "--bin: %.3g bins to cover %s; "
			       "at most %d: give a wider bin, or a window with "
			       "--from and --to",
			       bins, na_print_time(text, span, 4), MAX_BINS);
	}
	s->bins = na_bins_over(from, to, closed, bin);
	return NA_OK;
}

/* The groups with the most bytes get rows of their own, the rest share
 * one. */
static enum na_status choose_rows(struct tl_state *s, struct na_err *err)
{
	size_t n = s->n_rows, top = s->scope->top ? s->scope->top : DEFAULT_TOP;
	na_i128 *bytes = na_calloc(n, sizeof(*bytes));
	uint32_t *order = NULL;

	s->has_rest = n > top;
	s->n_shown = s->has_rest ? top + 1 : n;
	s->row_of = na_calloc(n, sizeof(*s->row_of));
	s->shown = na_calloc(s->n_shown, sizeof(*s->shown));
	for (size_t i = 0; bytes && i < n; i++)
		bytes[i] = s->rows[i].amount[0] + s->rows[i].amount[1];
	if (bytes)
		order = na_groups_rank(bytes, n);
	free(bytes);
	if (!order || !s->row_of || !s->shown) {
		free(order);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < n; i++) {
		size_t row = i < top ? i : top;

		s->row_of[order[i]] = (uint32_t)row;
		s->shown[row] = order[i];
	}
	free(order);
	free(s->rows);
	s->rows = na_calloc(s->n_shown, sizeof(*s->rows));
	return s->rows ? NA_OK : na_fail_nomem(err);
}

static enum na_status tl_turn(void *state, unsigned done, struct na_err *err)
{
	struct tl_state *s = state;
	enum na_status st;

	if (done != 0)
		return NA_OK;
	if (!s->any)
		return NA_END;
	st = choose_bins(s, err);
	if (st == NA_OK)
		st = choose_rows(s, err);
	if (st == NA_OK && !tl_choose_hosts(s))
		st = na_fail_nomem(err);
	if (st == NA_OK && !init_spreads(s))
		st = na_fail_nomem(err);
	if (st == NA_OK && !(s->most = na_calloc(s->bins.n, sizeof(*s->most))))
		st = na_fail_nomem(err);
	return st;
}

/* Two sums for each bin: rates, outstanding and pending, and the sides of
 * about one host and one group. */
static size_t tl_weight(const void *state)
{
	const struct tl_state *s = state;
	size_t captured = s->n_host_rows > s->scope->store->n_sources
				  ? s->n_host_rows - s->scope->store->n_sources
				  : 0;

	return s->bins.n * 2 * sizeof(na_i128) * (5 + 2 + 2 + 2 * captured);
}

static enum na_status tl_share(void *state, size_t i, size_t n)
{
	struct tl_state *s = state;
	size_t bins = s->bins.n;

	/* No transfers: no bins either. */
	if (!s->most)
		return NA_OK;
	return na_pending_max(s->runs, s->n_runs, &s->bins, bins * i / n,
			      bins * (i + 1) / n, s->most)
		       ? NA_OK
		       : NA_ENOMEM;
}

static void free_rows(struct tl_row *rows, size_t n)
{
	for (size_t i = 0; rows && i < n; i++) {
		na_spread_fini(&rows[i].spread[0]);
		na_spread_fini(&rows[i].spread[1]);
	}
	free(rows);
}

static void tl_fini(void *state)
{
	struct tl_state *s = state;

	for (size_t side = 0; side < 2; side++) {
		na_spread_fini(&s->rate[side]);
		na_spread_fini(&s->outstanding[side]);
	}
	na_spread_fini(&s->pending);
	/* Rows of the first pass have no spreads. */
	free_rows(s->rows, s->bins.n ? (s->main ? s->n_rows : s->n_shown) : 0);
	free_rows(s->hosts, s->hosts ? s->n_host_rows : 0);
	na_groups_fini(&s->groups);
	free(s->open.starts);
	free(s->open.ends);
	for (size_t i = 0; i < s->n_runs; i++) {
		free(s->runs[i].starts);
		free(s->runs[i].ends);
	}
	free(s->runs);
	free(s->most);
	free(s->row_of);
	free(s->shown);
	free(s->seen);
	free(s->traffic);
	free(s->row_host);
	free(s->host_row);
}

const struct na_analysis na_an_timeline = {
	.face.name = "timeline",
	.face.usage = "[OPTION…] INPUT…",
	.face.question = "how much of the network is used when; is the job "
			 "bandwidth-bound",
	.face.details =
		"Throughput is the exact integral over each bin: every "
		"transfer spreads its bytes evenly over its time on the wire, "
		"and the bins add up to the bytes. Receives (rx) last their "
		"transport latency, sends (tx) their action's duration. "
		"Transfers without a usable duration are drawn as instants "
		"and counted.\n"
		"Of a capture the packets themselves are counted, all their "
		"bytes on the wire in the bin of their time. Each was seen "
		"once, as received by its destination; with --host GLOB (an "
		"address or a host) what these send is tx. Calls and messages "
		"are pending, and their bytes outstanding.\n"
		"With --capacity, regions in which a host's side stays at or "
		"above 90 % of it for three bins or more (a single lower bin "
		"in between does not end one) are listed and shaded; instants "
		"do not count there.",
	.face.example =
		"netan timeline logdir -o bw.svg\n"
		"netan timeline logdir --capacity 100Gbps --by host -o bw.svg "
		"-o bw.json\n"
		"netan timeline host0.xplane.pb --bin 1ms --from 1.5s --to 2s "
		"--format csv",
	.face.method = "exact integration over [start, end); a plateau by the "
		       "99.5 % quantile of the busy bins",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_PACKETS,
	.clips = true,
	.instants = true,
	.both_sides = true,
	.face.opts = timeline_opts,
	.face.params_size = sizeof(struct tl_params),
	.begins = 6,
	.tells_coverage = 6,
	.state_size = sizeof(struct tl_state),
	.passes = 2,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(PACKETS),
	.check = tl_check,
	.open = tl_open,
	.fork = tl_fork,
	.add_transfer = tl_add,
	.add_graph = tl_add_graph,
	.add_packet = tl_add_packet,
	.seal = tl_seal,
	.merge = tl_merge,
	.turn = tl_turn,
	.share = tl_share,
	.finish = tl_finish,
	.fini = tl_fini,
	.weight = tl_weight,
};
