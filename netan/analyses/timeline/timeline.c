/*
 * timeline: how much of the network is used when.  Throughput by exact
 * integration of transfers over bins, outstanding bytes, pending
 * collectives; per group and per host (docs/methods.md, "Timeline and
 * saturation").
 *
 * First pass: the time that is covered, and the bytes of each group.
 * Second pass, bins now known: the spreading.
 */
#include "netan/analyses/timeline/state.h"

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
	{NA_OPT_TIME, 'b', "bin", offsetof(struct timeline_params, bin_ps), "TIME",
	 NULL, 1e3, 3.6e15, "width of a bin (default: chosen from the "
	 "duration, about 600 bins)"},
	{NA_OPT_TEXT, 'c', "capacity", offsetof(struct timeline_params, capacity),
	 "RATE", NULL, 0, 0, "network capacity of one host, all its NICs: "
	 "100Gbps, 4x200Gbps/2 (NICs x rate / tasks on the machine), or a "
	 "machine type (v6e)"},
	NA_OPT_END,
};
/* clang-format on */

bool na_timeline_pending_of_graphs(const struct timeline_state *s)
{
	return s->scope->store->graphs.n > 0;
}

static enum na_status timeline_check(const void *params, struct na_err *err)
{
	const struct timeline_params *p = params;
	double gbps;

	return p->capacity ? na_capacity_parse(p->capacity, &gbps, err) : NA_OK;
}

static enum na_status timeline_open(void *state, const struct na_scope *scope,
				    const void *params, struct na_err *err)
{
	struct timeline_state *s = state;

	s->scope = scope;
	s->params = params;
	s->lo_ps = scope->filter->from_ps;
	s->hi_ps = scope->filter->to_ps;
	na_groups_init(&s->groups, &scope->by);
	if (!na_timeline_frames_init(s) || !na_timeline_traffic_init(s))
		return na_fail_nomem(err);
	if (s->params->capacity)
		return na_capacity_parse(s->params->capacity, &s->capacity_gbps,
					 err);
	return NA_OK;
}

static bool init_spreads(struct timeline_state *s)
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

static enum na_status timeline_fork(void *block, const void *state,
				    unsigned pass)
{
	struct timeline_state *s = block;
	const struct timeline_state *from = state;

	*s = (struct timeline_state){
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
		return na_timeline_traffic_init(s) ? NA_OK : NA_ENOMEM;
	s->n_host_rows = from->n_host_rows;
	s->bins = from->bins;
	s->n_rows = from->shown.n;
	s->rows = na_calloc(s->n_rows, sizeof(*s->rows));
	return s->rows && init_spreads(s) ? NA_OK : NA_ENOMEM;
}

struct timeline_row *na_timeline_group_row(struct timeline_state *s,
					   const uint64_t *values)
{
	uint32_t g = na_groups_add(&s->groups, values);

	if (g == NA_NO_NAME)
		return NULL;
	if (g == s->n_rows) {
		if (!na_grow(&s->rows, &s->cap_rows, s->n_rows + 1,
			     sizeof(*s->rows)))
			return NULL;
		s->rows[s->n_rows++] = (struct timeline_row){.any = false};
	}
	return &s->rows[g];
}

/* What of a transfer lies in the window. */
static void clipped(const struct timeline_state *s, const struct na_transfer *t,
		    int64_t *start_ps, int64_t *end_ps)
{
	*start_ps = t->start_ps > s->lo_ps ? t->start_ps : s->lo_ps;
	*end_ps = t->end_ps < s->hi_ps ? t->end_ps : s->hi_ps;
}

void na_timeline_cover(struct timeline_state *s, int64_t start_ps,
		       int64_t end_ps, bool closed)
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

static enum na_status survey(struct timeline_state *s,
			     const struct na_transfer *t)
{
	const struct na_scope *scope = s->scope;
	uint64_t values[NA_MAX_KEYS];
	int64_t start_ps, end_ps;
	struct timeline_row *row;

	clipped(s, t, &start_ps, &end_ps);
	if (na_timeline_by_packets(s, t)) {
		if (start_ps < end_ps)
			na_timeline_cover(s, start_ps, end_ps, false);
		return NA_ASIDE;
	}
	na_timeline_cover(s, start_ps, end_ps, start_ps == end_ps);
	s->n_side[t->side]++;
	s->instants += t->start_ps == t->end_ps;
	if (!scope->by.n)
		return NA_OK;
	na_group_of(&scope->by, scope->store, t, values);
	row = na_timeline_group_row(s, values);
	if (!row)
		return NA_ENOMEM;
	row->amount[t->side] += (na_i128)t->size_bytes;
	row->n[t->side]++;
	return NA_OK;
}

/* To the row of its group, or of its host. */
static bool row_add(struct timeline_row *row, const struct timeline_state *s,
		    const struct na_transfer *t)
{
	return na_timeline_row_add(row, s, (enum na_side)t->side, t->start_ps,
				   t->end_ps, t->size_bytes);
}

static enum na_status keep_pending(struct timeline_state *s, int64_t start_ps,
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
static enum na_status timeline_seal(void *block)
{
	struct timeline_state *s = block;
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

static void outstanding(struct timeline_state *s, const struct na_transfer *t)
{
	int64_t start_ps, end_ps;

	clipped(s, t, &start_ps, &end_ps);
	na_spread_level(&s->outstanding[t->side], &s->bins, start_ps, end_ps,
			t->size_bytes);
}

static enum na_status rates(struct timeline_state *s,
			    const struct na_transfer *t, bool on_nic)
{
	const struct na_scope *scope = s->scope;
	const struct timeline_state *groups = s->main ? s->main : s;
	uint64_t values[NA_MAX_KEYS];
	int64_t start_ps, end_ps;
	na_i128 amount;
	uint32_t row;

	/* Another process may have chosen the bins. */
	clipped(s, t, &start_ps, &end_ps);
	if (!na_bins_hold(&s->bins, start_ps, end_ps))
		return NA_ENOMEM;
	amount = na_spread_bytes(&s->rate[t->side], &s->bins, t->start_ps,
				 t->end_ps, t->size_bytes, s->lo_ps, s->hi_ps);
	s->amount[t->side] += amount;
	if (t->start_ps == t->end_ps)
		s->instant_amount += amount;
	s->spread_calls += t->style >= NA_STYLE_CAPTURE;
	/* An instant's rate is no rate: it must not saturate a host; nor is
	 * that of a call, whose time the server took as well. */
	if (!s->per_host || t->start_ps == t->end_ps || !on_nic ||
	    t->style >= NA_STYLE_CAPTURE)
		s->hosts[t->input].n[t->side]++;
	else if (!row_add(&s->hosts[t->input], s, t))
		return NA_ENOMEM;
	if (!scope->by.n)
		return NA_OK;
	na_group_of(&scope->by, scope->store, t, values);
	row = na_shown_row(&groups->shown, &groups->groups, values);
	return row != NA_NO_NAME && row_add(&s->rows[row], s, t) ? NA_OK
								 : NA_ENOMEM;
}

static enum na_status spread(struct timeline_state *s,
			     const struct na_transfer *t, bool on_nic)
{
	enum na_status st = na_timeline_by_packets(s, t) ? NA_OK
							 : rates(s, t, on_nic);

	if (st != NA_OK)
		return st;
	if (t->start_ps < t->end_ps)
		outstanding(s, t);
	if (t->side == NA_RX && !na_timeline_pending_of_graphs(s))
		return keep_pending(s, t->start_ps, t->end_ps);
	return NA_OK;
}

static enum na_status add_transfer(void *block, const struct na_transfer *t)
{
	struct timeline_state *s = block;

	/* Its receiver tells it. */
	if (t->component == NA_COMP_SEND)
		return NA_ASIDE;
	if (na_timeline_of_rank(s, t))
		return s->pass || na_add(&s->received, *t) ? NA_ASIDE
							   : NA_ENOMEM;
	return s->pass == 0 ? survey(s, t) : spread(s, t, true);
}

static enum na_status add_graph(void *block, const struct na_exec *e)
{
	struct timeline_state *s = block;
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

static enum na_status merge_survey(struct timeline_state *s,
				   struct timeline_state *b)
{
	if (b->any)
		na_timeline_cover(s, b->first_ps, b->last_ps, b->closed);
	if (b->any_graph) {
		if (!s->any_graph || b->open_ps < s->open_ps)
			s->open_ps = b->open_ps;
		if (!s->any_graph || b->close_ps > s->close_ps)
			s->close_ps = b->close_ps;
		s->any_graph = true;
	}
	if (!na_append(&s->comms, b->comms.v, b->comms.n) ||
	    !na_append(&s->rank_steps, b->rank_steps.v, b->rank_steps.n) ||
	    !na_append(&s->received, b->received.v, b->received.n))
		return NA_ENOMEM;
	s->instants += b->instants;
	na_timeline_traffic_merge(s, b);
	for (size_t i = 0; i < b->n_rows; i++) {
		uint64_t values[NA_MAX_KEYS];
		struct timeline_row *row;

		na_groups_values(&b->groups, (uint32_t)i, values);
		row = na_timeline_group_row(s, values);
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

static enum na_status timeline_merge(void *state, void *block, unsigned pass)
{
	struct timeline_state *s = state, *b = block;

	if (pass == 0)
		return merge_survey(s, b);
	for (size_t side = 0; side < 2; side++) {
		na_spread_merge(&s->rate[side], &b->rate[side], &s->bins);
		na_spread_merge(&s->outstanding[side], &b->outstanding[side],
				&s->bins);
		s->amount[side] += b->amount[side];
	}
	na_spread_merge(&s->pending, &b->pending, &s->bins);
	na_timeline_merge_rows(s->rows, b->rows, s->shown.n, &s->bins);
	na_timeline_merge_rows(s->hosts, b->hosts, s->n_host_rows, &s->bins);
	s->instant_amount += b->instant_amount;
	s->spread_calls += b->spread_calls;
	if (!b->open.n)
		return NA_OK;
	if (!na_add(&s->runs, b->open))
		return NA_ENOMEM;
	b->open = (struct na_run){NULL, NULL, 0};
	return NA_OK;
}

static enum na_status choose_bins(struct timeline_state *s, struct na_err *err)
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
static enum na_status choose_rows(struct timeline_state *s, struct na_err *err)
{
	size_t n = s->n_rows, top = s->scope->top;
	na_i128 *bytes = na_calloc(n, sizeof(*bytes));
	bool ok = bytes;

	for (size_t i = 0; ok && i < n; i++)
		bytes[i] = s->rows[i].amount[0] + s->rows[i].amount[1];
	ok = ok && na_shown_init(&s->shown, bytes, n, top ? top : DEFAULT_TOP);
	free(bytes);
	if (!ok)
		return na_fail_nomem(err);
	free(s->rows);
	s->rows = na_calloc(s->shown.n, sizeof(*s->rows));
	return s->rows ? NA_OK : na_fail_nomem(err);
}

/* What ranks move in collectives lies in the main state alone. */
static enum na_status survey_ranks(struct timeline_state *s)
{
	enum na_status st = na_timeline_join_ranks(s) ? NA_OK : NA_ENOMEM;

	for (size_t i = 0; st == NA_OK && i < s->moved.n; i++)
		st = survey(s, &s->moved.v[i].t);
	na_vec_free(&s->comms);
	na_vec_free(&s->received);
	na_vec_free(&s->rank_steps);
	return st;
}

static enum na_status spread_ranks(struct timeline_state *s)
{
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < s->moved.n; i++)
		st = spread(s, &s->moved.v[i].t, s->moved.v[i].on_nic);
	if (st != NA_OK || !s->open.n)
		return st;
	st = timeline_seal(s);
	if (st != NA_OK || !na_add(&s->runs, s->open))
		return NA_ENOMEM;
	s->open = (struct na_run){NULL, NULL, 0};
	s->cap_starts = s->cap_ends = 0;
	return NA_OK;
}

static enum na_status timeline_turn(void *state, unsigned done,
				    struct na_err *err)
{
	struct timeline_state *s = state;
	enum na_status st;

	if (done != 0)
		return NA_OK;
	if (survey_ranks(s) != NA_OK)
		return na_fail_nomem(err);
	if (!s->any)
		return NA_END;
	st = choose_bins(s, err);
	if (st == NA_OK)
		st = choose_rows(s, err);
	if (st != NA_OK)
		return st;
	s->most = na_calloc(s->bins.n, sizeof(*s->most));
	return s->most && na_timeline_choose_hosts(s) && init_spreads(s) &&
			       spread_ranks(s) == NA_OK
		       ? NA_OK
		       : na_fail_nomem(err);
}

/* Two sums for each bin: rates, outstanding and pending, and the sides of
 * about one host and one group. */
static size_t timeline_weight(const void *state)
{
	const struct timeline_state *s = state;
	size_t captured = s->n_host_rows > s->scope->store->n_sources
				  ? s->n_host_rows - s->scope->store->n_sources
				  : 0;

	return s->bins.n * 2 * sizeof(na_i128) * (5 + 2 + 2 + 2 * captured);
}

static enum na_status timeline_share(void *state, size_t i, size_t n)
{
	struct timeline_state *s = state;
	size_t bins = s->bins.n;

	/* No transfers: no bins either. */
	if (!s->most)
		return NA_OK;
	return na_pending_max(s->runs.v, s->runs.n, &s->bins, bins * i / n,
			      bins * (i + 1) / n, s->most)
		       ? NA_OK
		       : NA_ENOMEM;
}

static void free_rows(struct timeline_row *rows, size_t n)
{
	for (size_t i = 0; rows && i < n; i++) {
		na_spread_fini(&rows[i].spread[0]);
		na_spread_fini(&rows[i].spread[1]);
	}
	free(rows);
}

static void timeline_fini(void *state)
{
	struct timeline_state *s = state;

	for (size_t side = 0; side < 2; side++) {
		na_spread_fini(&s->rate[side]);
		na_spread_fini(&s->outstanding[side]);
	}
	na_spread_fini(&s->pending);
	/* Rows of the first pass have no spreads. */
	free_rows(s->rows, s->bins.n ? (s->main ? s->n_rows : s->shown.n) : 0);
	free_rows(s->hosts, s->hosts ? s->n_host_rows : 0);
	na_groups_fini(&s->groups);
	na_shown_fini(&s->shown);
	free(s->open.starts);
	free(s->open.ends);
	for (size_t i = 0; i < s->runs.n; i++) {
		free(s->runs.v[i].starts);
		free(s->runs.v[i].ends);
	}
	na_vec_free(&s->runs);
	na_vec_free(&s->comms);
	na_vec_free(&s->rank_steps);
	na_vec_free(&s->moved);
	na_vec_free(&s->received);
	free(s->most);
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
		"Of GPU jobs, what ranks do in collectives is drawn as rx and "
		"tx of each: the bus bytes of nccl-tests, evenly over the end "
		"of its kernel that is as long as the shortest one of all "
		"ranks; nobody saw these bytes, and they may have moved "
		"inside a machine. Sends and receives are drawn likewise, as "
		"tx of the sender and rx of the receiver, where both are "
		"there. --capacity is compared with what passes between "
		"hosts, as rings of NCCL do: once into each host of a group "
		"and once out of it, whatever the number of its ranks.\n"
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
	.many = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_PACKETS | NA_WANT_COMMS,
	.clips = true,
	.instants = true,
	.both_sides = true,
	.besides = NA_COMP_BIT(NA_COMP_SEND),
	.face.opts = timeline_opts,
	.face.params_size = sizeof(struct timeline_params),
	.begins = 6,
	.tells_coverage = 6,
	.state_size = sizeof(struct timeline_state),
	.passes = 2,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(PACKETS),
	.check = timeline_check,
	.open = timeline_open,
	.fork = timeline_fork,
	.add_transfer = add_transfer,
	.add_graph = add_graph,
	.add_packet = na_timeline_add_packet,
	.add_step = na_timeline_add_step,
	.add_comm = na_timeline_add_comm,
	.seal = timeline_seal,
	.merge = timeline_merge,
	.turn = timeline_turn,
	.share = timeline_share,
	.finish = na_timeline_finish,
	.fini = timeline_fini,
	.pack = na_timeline_pack,
	.unpack = na_timeline_unpack,
	.weight = timeline_weight,
};
