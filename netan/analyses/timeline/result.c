/* timeline: from sums to the result. */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/timeline/state.h"
#include "netan/methods/put.h"
#include "netan/stats/time/level.h"

/* A bit in an amount of bytes. */
#define BIT (8.0 / (double)(1 << NA_SPREAD_SHIFT))

/* clang-format off */
static const struct {
	const char *name, *gbps, *outstanding, *bytes, *mean, *peak;
} sides[] = {
	{"rx", M_rx_gbps, M_rx_outstanding_bytes, M_rx_bytes, M_rx_mean_gbps,
	 M_rx_peak_gbps},
	{"tx", M_tx_gbps, M_tx_outstanding_bytes, M_tx_bytes, M_tx_mean_gbps,
	 M_tx_peak_gbps},
};
/* clang-format on */

/* Gbit/s for an amount in one bin. */
static double gbps_of_bin(const struct timeline_state *s)
{
	return BIT / na_ns(s->bins.bin_ps);
}

static double *put_series(struct na_result *r, struct na_value *in,
			  const char *name, const struct timeline_state *s,
			  const struct na_spread *from, double scale)
{
	double *out = na_put_reals(r, in, name, s->bins.n);

	if (out && from->edge)
		na_spread_read(from, &s->bins, scale, out);
	return out;
}

static double largest(const double *x, size_t n)
{
	double max = 0;

	for (size_t i = 0; x && i < n; i++)
		max = x[i] > max ? x[i] : max;
	return max;
}

/* In Gbit/s; NaN where the duration is nothing. */
static double mean_of(na_i128 amount, na_i128 duration_ps)
{
	return duration_ps > 0
		       ? (double)amount * BIT / na_s(duration_ps) / NA_GIGA
		       : NAN;
}

static na_i128 duration_ps(const struct timeline_state *s)
{
	return s->any ? (na_i128)s->last_ps - s->first_ps : 0;
}

bool na_timeline_by_runs(const struct timeline_state *s)
{
	const struct na_grouping *by = &s->scope->by;

	return by->n == 1 && by->keys[0] == NA_KEY_LABEL;
}

bool na_timeline_apart(const struct timeline_state *s)
{
	return s->scope->store->n_runs > 1;
}

/* All of them empty where there is nothing to draw. */
static void put_bins(struct na_result *r, struct na_value *body,
		     const struct timeline_state *s, double peak[2])
{
	double per_bin = 1.0 / (double)s->bins.bin_ps;

	na_put_real(r, body, M_bin_s, s->any ? na_s(s->bins.bin_ps) : NAN);
	na_put_bin_starts(r, body, &s->bins);
	for (size_t side = 0; side < 2; side++) {
		const double *x = put_series(r, body, sides[side].gbps, s,
					     &s->rate[side], gbps_of_bin(s));

		peak[side] = s->any ? largest(x, s->bins.n) : NAN;
	}
	for (size_t side = 0; side < 2; side++)
		put_series(r, body, sides[side].outstanding, s,
			   &s->outstanding[side], per_bin);
	put_series(r, body, M_pending, s, &s->pending, per_bin);
	na_put_series(r, body, M_pending_max, s->most, s->bins.n);
	na_put_text(r, body, M_pending_of,
		    na_timeline_pending_of_graphs(s) ? "collectives"
						     : "transfers");
}

static void put_totals(struct na_result *r, struct na_value *body,
		       const struct timeline_state *s, const double peak[2])
{
	for (size_t side = 0; side < 2; side++)
		na_put_amount(r, body, sides[side].bytes, s->amount[side]);
	na_put_amount(r, body, M_instant_bytes, s->instant_amount);
	na_put_int(r, body, M_instants, (int64_t)s->instants);
	for (size_t side = 0; side < 2; side++) {
		na_put_real(r, body, sides[side].peak, peak[side]);
		na_put_real(r, body, sides[side].mean,
			    mean_of(s->amount[side], duration_ps(s)));
	}
	na_put_real(r, body, M_capacity_gbps,
		    s->capacity_gbps > 0 ? s->capacity_gbps : NAN);
}

static void put_region(struct na_result *r, struct na_value *list,
		       const struct timeline_state *s, const char *host,
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
		      const struct timeline_state *s, size_t host, size_t side,
		      struct scratch *x, struct timeline_busy *b,
		      struct timeline_level *level)
{
	size_t n = s->bins.n, found = 0;

	na_spread_read(&s->hosts[host].spread[side], &s->bins, gbps_of_bin(s),
		       x->rate);
	if (s->capacity_gbps > 0)
		found = na_regions(x->rate, n, s->capacity_gbps, x->regions,
				   n / 3 + 1);
	for (size_t i = 0; i < found; i++) {
		put_region(r, list, s, level->host, sides[side].name, &x->regions[i]);
		b->share[side] +=
			(double)(x->regions[i].to - x->regions[i].from);
	}
	b->regions += found;
	/* What is received lasts by as much longer, or no time at all. */
	if (b->clocks && side == NA_RX)
		return;
	level->gbps[side] = na_plateau(x->rate, n, x->sorted,
				       &level->bins[side]);
}

static void busy_host(struct na_result *r, struct na_value *list,
		      const struct timeline_state *s, size_t host,
		      struct scratch *x, struct timeline_busy *b)
{
	struct timeline_level level = {
		.host = s->scope->store->hosts[s->row_host[host]].name,
	};

	for (size_t side = 0; side < 2; side++) {
		if (s->hosts[host].used[side])
			busy_side(r, list, s, host, side, x, b, &level);
	}
	b->hosts += s->hosts[host].n[0] || s->hosts[host].n[1];
	b->level_hosts += na_timeline_is_level(s, &level, 0) ||
			  na_timeline_is_level(s, &level, 1);
	for (size_t side = 0; side < 2; side++) {
		if (level.bins[side] > b->level.bins[b->level_side]) {
			b->level = level;
			b->level_side = side;
		}
	}
}

static void put_level(struct na_result *r, struct na_value *body,
		      const struct timeline_state *s,
		      const struct timeline_busy *b)
{
	const struct timeline_level *x = &b->level;
	size_t side = b->level_side;

	na_put_real(r, body, M_plateau_gbps,
		    x->bins[side] ? x->gbps[side] : NAN);
	if (!x->bins[side])
		return;
	na_put_textf(r, body, M_plateau_of, "%s %s", x->host,
		     sides[side].name);
	if (na_timeline_is_level(s, x, !side))
		na_put_real(r, body, M_plateau_other_gbps, x->gbps[!side]);
}

static enum na_status put_saturated(struct na_result *r, struct na_value *body,
				    const struct timeline_state *s,
				    struct timeline_busy *b, struct na_err *err)
{
	size_t n = s->bins.n;
	struct scratch x = {
		.rate = na_calloc(n, sizeof(double)),
		.sorted = na_calloc(n, sizeof(double)),
		.regions = na_calloc(n / 3 + 1, sizeof(struct na_region)),
	};
	bool ok = x.rate && x.sorted && x.regions;
	struct na_value *list = na_put_list(r, body, M_saturated);

	for (size_t h = 0; ok && h < s->n_host_rows; h++)
		busy_host(r, list, s, h, &x, b);
	free(x.rate);
	free(x.sorted);
	free(x.regions);
	put_level(r, body, s, b);
	for (size_t side = 0; side < 2; side++)
		b->share[side] = b->hosts ? b->share[side] / (double)n /
						    (double)b->hosts
					  : 0;
	return ok ? NA_OK : na_fail_nomem(err);
}

static void put_group_side(struct na_result *r, struct na_value *row,
			   const struct timeline_state *s,
			   const struct timeline_row *x, size_t side)
{
	const double *gbps = na_reals_of(na_get(row, sides[side].gbps), NULL);
	na_i128 lasts_ps = duration_ps(s);

	/* A run lasts as long as itself, not as long as the other one. */
	if (na_timeline_by_runs(s))
		lasts_ps = x->any ? (na_i128)x->to_ps - x->from_ps : 0;
	na_put_amount(r, row, sides[side].bytes, x->amount[side]);
	na_put_real(r, row, sides[side].mean,
		    mean_of(x->amount[side], lasts_ps));
	na_put_real(r, row, sides[side].peak, largest(gbps, s->bins.n));
}

static void put_group(struct na_result *r, struct na_value *list,
		      const struct timeline_state *s, size_t i)
{
	struct na_value *row = na_put_object(r, list, NULL);
	const struct timeline_row *x = &s->rows[i];

	na_groups_put_key(r, row, &s->scope->by, s->scope->store, &s->groups,
			  s->shown.group[i], na_shown_is_rest(&s->shown, i));
	for (size_t side = 0; side < 2; side++)
		put_series(r, row, sides[side].gbps, s, &x->spread[side],
			   gbps_of_bin(s));
	for (size_t side = 0; side < 2; side++)
		put_group_side(r, row, s, x, side);
	na_put_int(r, row, M_transfers, (int64_t)(x->n[0] + x->n[1]));
}

enum na_status na_timeline_finish(void *state, struct na_result *r,
				  struct na_err *err)
{
	const struct timeline_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	struct timeline_busy b = {.hosts = 0};
	enum na_status st = NA_OK;
	double peak[2];

	na_timeline_use_ranks(s);
	if (s->any) {
		s->scope->used->first_ps = s->first_ps;
		s->scope->used->last_ps = s->last_ps;
	}
	b.clocks = na_early_off(&s->clocks, &b.off);
	put_bins(r, body, s, peak);
	put_totals(r, body, s, peak);
	if (s->any) {
		st = put_saturated(r, body, s, &b, err);
	} else {
		na_put_null(r, body, M_plateau_gbps);
		na_put_list(r, body, M_saturated);
	}
	if (s->any && s->scope->by.n) {
		list = na_put_list(r, body, M_series);
		for (size_t i = 0; i < s->shown.n; i++)
			put_group(r, list, s, i);
	}
	na_put_steps(r, body, s->scope, s->lo_ps, s->hi_ps);
	na_timeline_say(r, s, &b);
	return st;
}
