/* latency: from sorted rows to the result. */
#include <math.h>

#include "members.h"
#include "netan/analyses/latency/state.h"
#include "netan/methods/put.h"
#include "netan/stats/samples/quantile.h"

struct quantile {
	double p;
	const char *name, *field, *interval;
	uint64_t needs; /* 1 / (1 - p) */
};

/* clang-format off */
static const struct quantile quantiles[] = {
	{0.5, "p50", M_p50_us, M_p50_ci95_us, 2},
	{0.9, "p90", M_p90_us, M_p90_ci95_us, 10},
	{0.95, "p95", M_p95_us, M_p95_ci95_us, 20},
	{0.99, "p99", M_p99_us, M_p99_ci95_us, 100},
	{0.999, "p99_9", M_p99_9_us, M_p99_9_ci95_us, 1000},
	{0.9999, "p99_99", M_p99_99_us, M_p99_99_ci95_us, 10000},
};
/* clang-format on */

double na_latency_quantile(const struct latency_row *row, double p)
{
	return na_quantile_sorted(row->us, row->n, p);
}

static void put_quantiles(struct na_result *r, struct na_value *to,
			  const struct latency_row *row)
{
	size_t n = row->n;
	double mean_ps = n ? (double)row->sum_ps / (double)n : NAN;

	na_put_real(r, to, M_min_us, n ? row->us[0] : NAN);
	na_put_real(r, to, M_mean_us, na_us(mean_ps));
	for (size_t i = 0; i < NA_LEN(quantiles); i++)
		na_put_real(r, to, quantiles[i].field,
			    na_latency_quantile(row, quantiles[i].p));
	na_put_real(r, to, M_max_us, n ? row->us[n - 1] : NAN);
}

/* One transfer has a value, but nothing that could bound it. */
static void put_intervals(struct na_result *r, struct na_value *to,
			  const struct latency_row *row)
{
	for (size_t i = 0; i < NA_LEN(quantiles); i++) {
		double *ends = na_put_reals(r, to, quantiles[i].interval, 2);
		size_t lower, upper;

		na_quantile_ci(row->n < 2 ? 0 : row->n, quantiles[i].p, 0.95,
			       &lower, &upper);
		if (!ends)
			continue;
		ends[0] = lower ? row->us[lower - 1] : NAN;
		ends[1] = upper ? row->us[upper - 1] : NAN;
	}
}

static void put_few(struct na_result *r, struct na_value *to,
		    const struct latency_row *row)
{
	struct na_value *few = na_put_list(r, to, M_few_samples);

	for (size_t i = 0; i < NA_LEN(quantiles); i++) {
		if (row->n < quantiles[i].needs)
			na_put_text(r, few, NULL, quantiles[i].name);
	}
}

double na_latency_tail_ratio(const struct latency_row *row)
{
	double p50 = na_latency_quantile(row, 0.5);

	return p50 > 0 ? na_latency_quantile(row, 0.99) / p50 : NAN;
}

/* p99 over what size explains; of 1000 and more also p99.9, which sporadic
 * tails need. */
static double over_size(const struct latency_row *row, double p)
{
	return na_sketch_quantile(&row->residual, p);
}

const char *na_latency_tail_word(const struct latency_row *row)
{
	double tail = na_latency_tail_ratio(row), over = over_size(row, 0.99);

	if (row->n < 100 || isnan(tail))
		return NULL;
	if (over >= 10 || (row->n >= 1000 && over_size(row, 0.999) >= 30))
		return "long_tail";
	if (over >= 3)
		return "spread";
	return tail >= 3 ? "sizes" : "steady";
}

static void put_line(struct na_result *r, struct na_value *to,
		     const struct latency_row *row)
{
	double per_byte = row->has_line ? row->line.us_per_byte : 0;

	na_put_real(r, to, M_fixed_us,
		    row->has_line ? row->line.fixed_us : NAN);
	na_put_real(r, to, M_bandwidth_gbps,
		    per_byte > 0 ? 8e-3 / per_byte : NAN);
	na_put_real(r, to, M_residual_p50,
		    log(na_sketch_quantile(&row->residual, 0.5)));
	na_put_real(r, to, M_residual_p99,
		    log(na_sketch_quantile(&row->residual, 0.99)));
}

static double share(na_i128 part, na_i128 whole)
{
	return whole > 0 ? (double)part / (double)whole : NAN;
}

static na_i128 network_ps(const struct latency_split *x)
{
	return x->wire_ps + x->queued_ps;
}

double na_latency_network_share(const struct latency_split *x)
{
	return x->n < LATENCY_SPLIT_LEAST ? NAN
					  : share(network_ps(x), x->action_ps);
}

/* Where receives spent their time, by the larger part; NULL: too few. */
static const char *part_of(const struct latency_split *x)
{
	double network = na_latency_network_share(x);

	if (isnan(network))
		return NULL;
	return 2 * network_ps(x) >= x->action_ps ? "network" : "waiting";
}

static struct na_value *put_split(struct na_result *r, struct na_value *to,
				  const struct latency_split *x)
{
	struct na_value *o = na_put_object(r, to, M_split);
	na_i128 waiting_ps = x->action_ps - network_ps(x);

	na_put_int(r, o, M_receives, (int64_t)x->n);
	na_put_real(r, o, M_under_way_share, share(x->wire_ps, x->action_ps));
	na_put_real(r, o, M_queued_share, share(x->queued_ps, x->action_ps));
	na_put_real(r, o, M_waiting_share, share(waiting_ps, x->action_ps));
	na_put_real(r, o, M_unposted_share,
		    share(x->unposted_ps, x->latency_ps));
	na_put_int(r, o, M_slow, (int64_t)x->slow);
	na_put_int(r, o, M_slow_network, (int64_t)x->slow_network);
	na_put_int(r, o, M_slow_waiting, (int64_t)(x->slow - x->slow_network));
	na_put_text(r, o, M_part, part_of(x));
	return o;
}

/* NULL: of no endpoint. */
static const char *endpoint_of(const struct na_names *names, uint32_t e,
			       char buf[NA_ENDPOINT_BUF])
{
	return e < names->n_endpoints
		       ? na_endpoint_print(buf, names, &names->endpoints[e])
		       : NULL;
}

/* Of captures the host that received, of ranks that of the receiver; else the
 * file's. */
static const char *host_of(const struct na_store *store,
			   const struct latency_worst *w)
{
	const struct na_source *source = &store->sources[w->input];
	const struct na_names *names = &store->names;
	bool address = w->dst < names->n_endpoints &&
		       names->endpoints[w->dst].slice == NA_ADDRESS;

	if (!address)
		return source->host;
	return store->hosts[na_store_machine_of(store, source->run, w->dst)]
		.name;
}

void na_latency_put_worst(struct na_result *r, struct na_value *list,
			  const struct latency_state *s,
			  const struct latency_row *row,
			  const struct latency_worst *w)
{
	const struct na_store *store = s->scope->store;
	const struct na_strtab *strings = &store->names.strings;
	struct na_value *o = na_put_object(r, list, NULL);
	double us = na_us(w->latency_ps);
	double expected = na_latency_expected_us(row, (double)w->size_bytes);
	char buf[NA_ENDPOINT_BUF];

	na_put_real(r, o, M_time_s, na_s(w->end_ps));
	na_put_real(r, o, M_latency_us, us);
	na_put_real(r, o, M_residual,
		    us > 0 && expected > 0 ? log(us / expected) : NAN);
	na_put_whole(r, o, M_bytes, w->size_bytes);
	na_put_text(r, o, M_src, endpoint_of(&store->names, w->src, buf));
	na_put_text(r, o, M_dst, endpoint_of(&store->names, w->dst, buf));
	na_put_text(r, o, M_collective,
		    w->collective < strings->n
			    ? na_strtab_at(strings, w->collective)
			    : NULL);
	na_put_text(r, o, M_host, host_of(store, w));
	if (w->step < store->n_steps)
		na_put_int(r, o, M_step, store->steps[w->step].number);
}

static void put_curve(struct na_result *r, struct na_value *to,
		      const struct latency_curve *c)
{
	na_put_series(r, to, M_ccdf_us, c->us, c->n);
	na_put_series(r, to, M_ccdf_share, c->share, c->n);
	na_put_series(r, to, M_ccdf_lower_us, c->lower_us, c->n);
	na_put_series(r, to, M_ccdf_upper_us, c->upper_us, c->n);
}

static void put_row(struct na_result *r, struct na_value *list,
		    const struct latency_state *s, size_t i)
{
	const struct latency_row *row = &s->rows[i];
	struct na_value *o = na_put_object(r, list, NULL), *slowest;

	na_groups_put_key(r, o, &s->scope->by, s->scope->store, &s->groups,
			  s->shown.group[i], na_shown_is_rest(&s->shown, i));
	na_put_int(r, o, M_count, (int64_t)row->n);
	put_quantiles(r, o, row);
	put_intervals(r, o, row);
	put_few(r, o, row);
	na_put_real(r, o, M_tail_ratio, na_latency_tail_ratio(row));
	na_put_text(r, o, M_tail, na_latency_tail_word(row));
	put_line(r, o, row);
	put_split(r, o, &row->split);
	slowest = na_put_list(r, o, M_slowest);
	for (size_t k = 0; k < row->n_worst; k++)
		na_latency_put_worst(r, slowest, s, row, &row->worst[k]);
	put_curve(r, o, &row->curve);
}

static void put_all(struct na_result *r, struct na_value *body,
		    const struct latency_state *s)
{
	struct na_value *o = put_split(r, body, &s->split);

	na_put_real(r, o, M_receive_p50_us, s->action_p50_us);
	na_put_real(r, o, M_receive_p99_us, s->action_p99_us);
	na_put_real(r, o, M_slow_over_us,
		    isnan(s->action_p50_us) ? NAN : na_us(s->slow_ps));
	na_put_int(r, body, M_groups_not_shown,
		   s->shown.rest ? (int64_t)(na_groups_count(&s->groups) -
					     (s->shown.n - 1))
				 : 0);
}

enum na_status na_latency_finish(void *state, struct na_result *r,
				 struct na_err *err)
{
	const struct latency_state *s = state;
	struct na_value *body = na_result_body(r);
	struct na_value *list = na_put_list(r, body, M_groups);

	(void)err;
	for (size_t i = 0; i < s->shown.n; i++)
		put_row(r, list, s, i);
	put_all(r, body, s);
	na_latency_say(r, s);
	return NA_OK;
}
