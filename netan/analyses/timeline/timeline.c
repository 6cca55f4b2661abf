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
	 "machine type (v6e)", NA_PATH_NONE, na_capacity_offered},
	NA_OPT_END,
};
/* clang-format on */

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
	if (!na_timeline_frames_init(s) || !na_timeline_traffic_init(s) ||
	    !na_early_init(&s->clocks, scope->store))
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
		return na_timeline_traffic_init(s) &&
				       na_early_init(&s->clocks,
						     s->scope->store)
			       ? NA_OK
			       : NA_ENOMEM;
	s->n_host_rows = from->n_host_rows;
	s->bins = from->bins;
	s->n_rows = from->shown.n;
	s->rows = na_calloc(s->n_rows, sizeof(*s->rows));
	return s->rows && init_spreads(s) ? NA_OK : NA_ENOMEM;
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
	    !na_append(&s->received, b->received.v, b->received.n) ||
	    !na_early_merge(&s->clocks, &b->clocks))
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

static enum na_status timeline_turn(void *state, unsigned done,
				    struct na_err *err)
{
	struct timeline_state *s = state;
	enum na_status st;

	if (done != 0)
		return NA_OK;
	if (na_timeline_survey_ranks(s) != NA_OK)
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
			       na_timeline_spread_ranks(s) == NA_OK
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
	na_early_fini(&s->clocks);
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
	.info.name = "timeline",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "how much of the network is used when; is the job "
			 "bandwidth-bound",
	.info.details =
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
	.info.example =
		"netan timeline logdir -o bw.svg\n"
		"netan timeline logdir --capacity 100Gbps --by host -o bw.svg "
		"-o bw.json\n"
		"netan timeline host0.xplane.pb --bin 1ms --from 1.5s --to 2s "
		"--format csv",
	.info.method = "exact integration over [start, end); a plateau by the "
		       "99.5 % quantile of the busy bins",
	.many = true,
	.runs_on_captures = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_PACKETS | NA_WANT_COMMS,
	.clips = true,
	.instants = true,
	.both_sides = true,
	.extra_components = NA_COMP_BIT(NA_COMP_SEND),
	.info.opts = timeline_opts,
	.info.params_size = sizeof(struct timeline_params),
	.begins = 6,
	.reports_coverage = 6,
	.state_size = sizeof(struct timeline_state),
	.passes = 2,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(PACKETS),
	.check = timeline_check,
	.open = timeline_open,
	.fork = timeline_fork,
	.add_transfer = na_timeline_add_transfer,
	.add_graph = na_timeline_add_graph,
	.add_packet = na_timeline_add_packet,
	.add_step = na_timeline_add_step,
	.add_comm = na_timeline_add_comm,
	.seal = na_timeline_seal,
	.merge = timeline_merge,
	.turn = timeline_turn,
	.share = timeline_share,
	.finish = na_timeline_finish,
	.fini = timeline_fini,
	.pack = na_timeline_pack,
	.unpack = na_timeline_unpack,
	.weight = timeline_weight,
};
