/* timeline: from sums to the result and the words around it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/timeline/timeline.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"
#include "netan/stats/time/level.h"

#define ONE_BYTE ((double)(1 << NA_SPREAD_SHIFT))

static const char *const side_names[2] = {"rx", "tx"};

/* Gbit/s for an amount in one bin. */
static double gbps_of_bin(const struct tl_state *s)
{
	return 8.0 / ONE_BYTE / ((double)s->bins.bin_ps / 1e3);
}

static double *put_series(struct na_result *r, struct na_value *in,
			  const char *name, const struct tl_state *s,
			  const struct na_spread *from, double scale)
{
	double *out = na_put_reals(r, in, name, s->bins.n);

	if (out && from->edge)
		na_spread_read(from, &s->bins, scale, out);
	return out;
}

static void put_times(struct na_result *r, struct na_value *body,
		      const struct tl_state *s)
{
	double *t = na_put_reals(r, body, M_time_s, s->bins.n);

	for (size_t i = 0; t && i < s->bins.n; i++)
		t[i] = na_bins_start_s(&s->bins, i);
}

static double largest(const double *x, size_t n)
{
	double max = 0;

	for (size_t i = 0; x && i < n; i++)
		max = x[i] > max ? x[i] : max;
	return max;
}

static double duration_s(const struct tl_state *s)
{
	return s->any ? (double)((na_i128)s->last_ps - s->first_ps) / 1e12 : 0;
}

/* In Gbit/s; NaN where the duration is nothing. */
static double mean_over(double seconds, na_i128 amount)
{
	return seconds > 0 ? (double)amount / ONE_BYTE * 8 / seconds / 1e9
			   : NAN;
}

static double mean_of(const struct tl_state *s, na_i128 amount)
{
	return mean_over(duration_s(s), amount);
}

bool tl_by_runs(const struct tl_state *s)
{
	const struct na_grouping *by = &s->scope->by;

	return by->n == 1 && by->keys[0] == NA_KEY_LABEL;
}

struct totals {
	double peak[2], mean[2];
};

static enum na_status put_bins(struct na_result *r, struct na_value *body,
			       struct tl_state *s, struct totals *t,
			       struct na_err *err)
{
	double per_bin = 1.0 / (double)s->bins.bin_ps;
	double *rate[2], *most;

	na_put_real(r, body, M_bin_s, (double)s->bins.bin_ps / 1e12);
	put_times(r, body, s);
	rate[0] = put_series(r, body, M_rx_gbps, s, &s->rate[0],
			     gbps_of_bin(s));
	rate[1] = put_series(r, body, M_tx_gbps, s, &s->rate[1],
			     gbps_of_bin(s));
	put_series(r, body, M_rx_outstanding_bytes, s, &s->outstanding[0],
		   per_bin);
	put_series(r, body, M_tx_outstanding_bytes, s, &s->outstanding[1],
		   per_bin);
	put_series(r, body, "pending", s, &s->pending, per_bin);
	most = na_put_reals(r, body, M_pending_max, s->bins.n);
	if (!most)
		return na_fail_nomem(err);
	memcpy(most, s->most, s->bins.n * sizeof(*most));
	na_put_text(r, body, M_pending_of,
		    tl_pending_of_graphs(s) ? "collectives" : "transfers");
	for (size_t side = 0; side < 2; side++) {
		t->peak[side] = largest(rate[side], s->bins.n);
		t->mean[side] = mean_of(s, s->amount[side]);
	}
	return NA_OK;
}

static void put_totals(struct na_result *r, struct na_value *body,
		       const struct tl_state *s, const struct totals *t)
{
	na_put_amount(r, body, M_rx_bytes, s->amount[0]);
	na_put_amount(r, body, M_tx_bytes, s->amount[1]);
	na_put_amount(r, body, M_instant_bytes, s->instant_amount);
	na_put_int(r, body, M_instants, (int64_t)s->instants);
	na_put_real(r, body, M_rx_peak_gbps, t->peak[0]);
	na_put_real(r, body, M_rx_mean_gbps, t->mean[0]);
	na_put_real(r, body, M_tx_peak_gbps, t->peak[1]);
	na_put_real(r, body, M_tx_mean_gbps, t->mean[1]);
	na_put_real(r, body, M_capacity_gbps,
		    s->capacity_gbps > 0 ? s->capacity_gbps : NAN);
}

/* Regions of each host and side, and the strongest plateau. */
struct busy {
	double plateau_gbps;
	const char *plateau_host, *plateau_side;
	size_t plateau_bins;
	size_t hosts, regions;
	double share[2];
};

static void put_region(struct na_result *r, struct na_value *list,
		       const struct tl_state *s, const char *host,
		       const char *side, const struct na_region *g)
{
	struct na_value *row = na_put_object(r, list, NULL);

	na_put_text(r, row, M_host, host);
	na_put_text(r, row, M_side, side);
	na_put_real(r, row, M_from_s, na_bins_start_s(&s->bins, g->from));
	na_put_real(r, row, M_to_s, na_bins_start_s(&s->bins, g->to));
	na_put_real(r, row, M_mean_gbps, g->mean);
}

struct scratch {
	double *rate, *sorted;
	struct na_region *regions;
};

static void busy_side(struct na_result *r, struct na_value *list,
		      const struct tl_state *s, size_t host, size_t side,
		      struct scratch *x, struct busy *b)
{
	const char *name = s->scope->store->hosts[s->row_host[host]].name;
	size_t n = s->bins.n, in, found = 0;
	double level;

	na_spread_read(&s->hosts[host].spread[side], &s->bins, gbps_of_bin(s),
		       x->rate);
	if (s->capacity_gbps > 0)
		found = na_regions(x->rate, n, s->capacity_gbps, x->regions,
				   n / 3 + 1);
	for (size_t i = 0; i < found; i++) {
		put_region(r, list, s, name, side_names[side], &x->regions[i]);
		b->share[side] +=
			(double)(x->regions[i].to - x->regions[i].from);
	}
	b->regions += found;
	level = na_plateau(x->rate, n, x->sorted, &in);
	if (in > b->plateau_bins) {
		b->plateau_gbps = level;
		b->plateau_bins = in;
		b->plateau_host = name;
		b->plateau_side = side_names[side];
	}
}

static enum na_status put_saturated(struct na_result *r, struct na_value *body,
				    const struct tl_state *s, struct busy *b,
				    struct na_err *err)
{
	size_t n = s->bins.n;
	struct scratch x = {
		.rate = na_calloc(n, sizeof(double)),
		.sorted = na_calloc(n, sizeof(double)),
		.regions = na_calloc(n / 3 + 1, sizeof(struct na_region)),
	};
	bool ok = x.rate && x.sorted && x.regions;
	struct na_value *list = na_put_list(r, body, M_saturated);

	for (size_t h = 0; ok && h < s->n_host_rows; h++) {
		b->hosts += s->hosts[h].n[0] || s->hosts[h].n[1];
		for (size_t side = 0; side < 2; side++) {
			if (s->hosts[h].used[side])
				busy_side(r, list, s, h, side, &x, b);
		}
	}
	free(x.rate);
	free(x.sorted);
	free(x.regions);
	na_put_real(r, body, M_plateau_gbps,
		    b->plateau_bins ? b->plateau_gbps : NAN);
	for (size_t side = 0; side < 2; side++)
		b->share[side] = b->hosts ? b->share[side] / (double)n /
						    (double)b->hosts
					  : 0;
	return ok ? NA_OK : na_fail_nomem(err);
}

static void put_group_side(struct na_result *r, struct na_value *row,
			   const struct tl_state *s, const struct tl_row *x,
			   size_t side)
{
	static const char *const names[2][3] = {{M_rx_bytes, M_rx_mean_gbps,
						 M_rx_peak_gbps},
						{M_tx_bytes, M_tx_mean_gbps,
						 M_tx_peak_gbps}};
	const struct na_value *v = na_get(row, side == NA_RX ? M_rx_gbps
							     : M_tx_gbps);

	na_put_amount(r, row, names[side][0], x->amount[side]);
	/* A run lasts as long as itself, not as long as the other one. */
	na_put_real(r, row, names[side][1],
		    mean_over(!tl_by_runs(s) ? duration_s(s)
			      : x->any       ? (double)((na_i128)x->to_ps -
                                                  x->from_ps) /
						 1e12
				       : 0,
			      x->amount[side]));
	na_put_real(r, row, names[side][2],
		    largest(na_reals_of(v, NULL), s->bins.n));
}

static struct na_value *put_groups(struct na_result *r, struct na_value *body,
				   const struct tl_state *s)
{
	struct na_value *list = na_put_list(r, body, M_series);

	for (size_t i = 0; i < s->n_shown; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_groups_put_key(r, row, &s->scope->by, s->scope->store,
				  &s->groups, s->shown[i],
				  s->has_rest && i == s->n_shown - 1);
		put_series(r, row, M_rx_gbps, s, &s->rows[i].spread[0],
			   gbps_of_bin(s));
		put_series(r, row, M_tx_gbps, s, &s->rows[i].spread[1],
			   gbps_of_bin(s));
		for (size_t side = 0; side < 2; side++)
			put_group_side(r, row, s, &s->rows[i], side);
		na_put_int(r, row, M_transfers,
			   (int64_t)(s->rows[i].n[0] + s->rows[i].n[1]));
	}
	return list;
}

/* Runs side by side: nothing that adds them up means anything. */
static void say_runs(struct na_result *r, const struct tl_state *s)
{
	const struct na_store *store = s->scope->store;
	size_t most = 0;

	for (size_t run = 0; run < store->n_runs; run++) {
		size_t hosts = 0;

		for (size_t i = 0; i < s->n_host_rows; i++)
			hosts += store->hosts[s->row_host[i]].run == run &&
				 (s->hosts[i].n[0] || s->hosts[i].n[1]);
		most = hosts > most ? hosts : most;
	}
	na_result_about(r)->runs_apart = true;
	na_put_int(r, na_result_side(r), M_hosts, (int64_t)most);
	na_result_wordf(r, NA_WORD_MESSAGE,
			"Throughput of %zu runs side by side", store->n_runs);
	na_result_note(
		r,
		"in JSON and CSV the sums and pending counts add the runs; series holds "
		"each by itself");
}

/* Several labelled runs: the driver groups them by label. */
static bool apart(const struct tl_state *s)
{
	return s->scope->store->n_runs > 1;
}

/* What the bytes are of. */
static void say_records(struct na_result *r, const struct tl_state *s,
			const struct busy *b)
{
	const struct na_filter *f = s->scope->filter;
	char n[NA_UNIT_BUF], m[NA_UNIT_BUF];

	if (s->spread_calls)
		na_result_note(r,
			       "%s of these are calls and messages of a "
			       "capture without its packets: their bytes are "
			       "spread over the whole call, and no host is "
			       "said to be saturated",
			       na_print_count(n, s->spread_calls));
	if (!s->packets)
		return;
	na_put_int(r, na_result_side(r), M_packets, (int64_t)s->packets);
	na_result_word(r, NA_WORD_NOUN,
		       s->packets != s->scope->used->n ? "transfers and packet"
						       : "packet");
	if (b->hosts < s->n_busy)
		na_result_note(r,
			       "saturation is looked for on the %s busiest of "
			       "%s hosts",
			       na_print_count(n, b->hosts),
			       na_print_count(m, s->n_busy));
	if ((f->collective && f->collective->n) || f->min_bytes ||
	    f->max_bytes < UINT64_MAX)
		na_result_note(r, "packets have no collective and no transfer "
				  "size: these options choose among what is "
				  "pending, not among packets");
}

static void say(struct na_result *r, const struct tl_state *s,
		const struct totals *t, const struct busy *b)
{
	bool both = s->n_side[0] && s->n_side[1];
	size_t side = s->n_side[0] ? 0 : 1;
	size_t hosts = b->hosts > s->n_busy ? b->hosts : s->n_busy;
	bool wire = s->packets && s->packets == s->scope->used->n;
	char mean[NA_UNIT_BUF], text[NA_UNIT_BUF], sat[96] = "";
	double share;

	if (apart(s)) {
		say_runs(r, s);
		return;
	}
	if (wire && both && s->amount[1] > s->amount[0])
		side = 1;
	share = b->share[side];
	na_print_rate(mean, isnan(t->mean[side]) ? 0 : t->mean[side] * 1e9, 3);
	if (s->capacity_gbps > 0 && b->regions)
		snprintf(sat, sizeof(sat), ", saturated %.3g %% of %stime",
			 100 * share, b->hosts > 1 ? "host " : "the ");
	else if (s->capacity_gbps > 0 && !s->spread_calls)
		snprintf(sat, sizeof(sat), ", never saturated");
	else
		snprintf(sat, sizeof(sat), ", peak %s",
			 na_print_rate(text, t->peak[side] * 1e9, 3));
	na_result_wordf(r, NA_WORD_MESSAGE,
			"%s throughput, %zu host%s: %s mean%s",
			wire && !both ? "Packet"
			: side        ? "Send"
				      : "Receive",
			hosts, hosts == 1 ? "" : "s", mean, sat);
	na_put_int(r, na_result_side(r), M_hosts, (int64_t)hosts);
	na_put_real(r, na_result_side(r), "rx_saturated_share", b->share[0]);
	na_put_real(r, na_result_side(r), "tx_saturated_share", b->share[1]);
	if (b->plateau_bins * 5 > s->bins.n && !(s->capacity_gbps > 0))
		na_result_note(
			r,
			"%s %s stays near %s in %zu of %zu bins: a limit? "
			"--capacity finds saturated regions",
			b->plateau_host, b->plateau_side,
			na_print_rate(text, b->plateau_gbps * 1e9, 3),
			b->plateau_bins, s->bins.n);
	if (s->instants)
		na_result_note(r,
			       "%s transfer%s without a usable duration "
			       "(%s) drawn as instants",
			       na_print_count(mean, s->instants),
			       s->instants == 1 ? "" : "s",
			       na_print_bytes(text,
					      (double)s->instant_amount /
						      ONE_BYTE,
					      3));
}

static void put_empty(struct na_result *r, struct na_value *body,
		      struct tl_state *s)
{
	/* clang-format off */
	static const char *const arrays[] = {
		M_time_s, M_rx_gbps, M_tx_gbps, M_rx_outstanding_bytes,
		M_tx_outstanding_bytes, "pending", M_pending_max,
	};
	/* clang-format on */
	struct totals none = {{NAN, NAN}, {NAN, NAN}};

	na_put_null(r, body, M_bin_s);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		na_put_reals(r, body, arrays[i], 0);
	na_put_text(r, body, M_pending_of,
		    tl_pending_of_graphs(s) ? "collectives" : "transfers");
	put_totals(r, body, s, &none);
	na_put_null(r, body, M_plateau_gbps);
	na_put_list(r, body, M_saturated);
	na_put_steps(r, body, s->scope->store, s->lo_ps, s->hi_ps);
	na_result_word(r, NA_WORD_MESSAGE, "No network transfers to draw");
}

enum na_status tl_finish(void *state, struct na_result *r, struct na_err *err)
{
	struct tl_state *s = state;
	struct na_value *body = na_result_body(r), *series = NULL;
	struct busy b = {.plateau_gbps = 0};
	struct totals t = {{NAN, NAN}, {NAN, NAN}};
	enum na_status st;

	if (!s->any) {
		put_empty(r, body, s);
		return NA_OK;
	}
	s->scope->used->first_ps = s->first_ps;
	s->scope->used->last_ps = s->last_ps;
	st = put_bins(r, body, s, &t, err);
	put_totals(r, body, s, &t);
	if (st == NA_OK)
		st = put_saturated(r, body, s, &b, err);
	if (s->scope->by.n)
		series = put_groups(r, body, s);
	na_put_steps(r, body, s->scope->store, s->lo_ps, s->hi_ps);
	say_records(r, s, &b);
	say(r, s, &t, &b);
	tl_views(r, body, series, s, b.hosts > s->n_busy ? b.hosts : s->n_busy,
		 apart(s));
	return st;
}
