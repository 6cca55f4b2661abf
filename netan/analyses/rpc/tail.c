/* rpc: modes and tail events, and where, when and under which load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rpc/tail.h"
#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"
#include "netan/stats/tests/tail.h"
#include "netan/stats/tests/tests.h"
#include "netan/stats/time/arrivals.h"

enum { TIMES_MAX = 100, PAIRS_MAX = 5, WHERE_MAX = 5 };

/* A fixed cost above this is latency that is always high. */
#define HIGH_US 1e4

/* clang-format off */
static const char *const cause_names[NA_N_TIMER_CAUSES] = {
	[NA_TIMER_LOW_RTO] = "retransmission timeout, lowered minimum",
	[NA_TIMER_ACK] = "delayed acknowledgement",
	[NA_TIMER_RTO] = "retransmission timeout",
	[NA_TIMER_REPEATED] = "repeated retransmission timeouts",
	[NA_TIMER_INITIAL] = "initial retransmission timeout",
};
/* clang-format on */

static bool lower_mode(const struct rpc_row *row, enum na_timer_cause cause)
{
	for (size_t i = 0; i < NA_TIMER_MODES; i++) {
		const struct na_timer_mode *m = &row->verdict.modes[i];

		if (m->cause == cause && m->possible && m->count)
			return true;
	}
	return false;
}

static bool always_high(const struct rpc_state *s, const struct rpc_row *row)
{
	for (size_t run = 0; run < s->scope->store->n_runs; run++) {
		if (s->lines[run].fixed_us < HIGH_US)
			return false;
	}
	return row->p50_us >= HIGH_US;
}

const char *na_rpc_verdict(const struct rpc_state *s, const struct rpc_row *row)
{
	if (!row->n)
		return NULL;
	if (row->verdict.kind == NA_TAIL_TIMER)
		return "RTO-like";
	if (row->verdict.kind == NA_TAIL_HEAVY)
		return "heavy tail, no timer signature";
	if (lower_mode(row, NA_TIMER_LOW_RTO))
		return "low-RTO-like";
	if (lower_mode(row, NA_TIMER_ACK))
		return "delayed-ACK-like";
	if (row->constant)
		return "constantly high";
	if (row->verdict.kind == NA_TAIL_FEW)
		return "few tail events";
	return always_high(s, row) ? "constantly high" : "steady";
}

NA_ORDER(by_time, struct rpc_late, NA_UP(end_ps), NA_UP(hash))

bool na_rpc_tail_prepare(struct rpc_state *s)
{
	const struct rpc_load *l = &s->load;
	size_t sides = l->bins < RPC_LOAD_LEAST ? 0 : 2 * na_rpc_hosts(s);

	na_sort((struct rpc_late *)(void *)s->late.items, s->late.n, by_time);
	s->carried = na_calloc(sides * (l->bins + 2), sizeof(*s->carried));
	for (size_t i = 0; s->carried && i < sides; i++) {
		double *to = s->carried + i * (l->bins + 2);

		for (size_t k = 0; k < l->bins; k++) {
			double bytes = (double)l->bytes[i * l->bins + k];

			to[k + 1] = to[k] + bytes;
			to[l->bins + 1] = fmax(to[l->bins + 1], bytes);
		}
	}
	return s->carried;
}

/* Late transfers of a row that belong together, in order of time. */
struct set {
	const struct rpc_late **x;
	size_t n;
	bool one_run;
};

/* mode < 0: all tail events. */
static bool pick(const struct rpc_state *s, const struct rpc_row *row,
		 uint32_t index, int mode, struct set *set)
{
	const struct rpc_late *all = (const void *)s->late.items;

	set->n = 0;
	set->one_run = index != RPC_ALL_ROWS;
	set->x = na_calloc(s->late.n, sizeof(struct rpc_late *));
	for (size_t i = 0; set->x && i < s->late.n; i++) {
		const struct rpc_late *x = &all[i];

		if (index != RPC_ALL_ROWS && x->row != index)
			continue;
		if (mode < 0 ? na_is_tail(x->excess_ms, x->expected_ms)
			     : !x->constant &&
				       na_timers_match(&row->verdict,
						       x->excess_ms) == mode)
			set->x[set->n++] = x;
	}
	return set->x;
}

struct where {
	const char *name;
	uint32_t host;
	int side; /* 0: as the source */
	uint64_t n;
	double expected, p_value;
	bool named;
};

NA_ORDER(by_surprise, struct where, NA_DOWN(named), NA_UP(p_value), NA_DOWN(n),
	 NA_UP(side), na_natural_order(x->name, y->name), NA_UP(host))

/* What the hosts of these events' run carried, in transfers of one side: a
 * group is of one run. */
static double exposure_of(const struct rpc_state *s, const struct set *set,
			  int side)
{
	const struct na_store *store = s->scope->store;
	size_t hosts = na_rpc_hosts(s);
	double sum = 0;

	na_each_sparse(i, &s->exposure, 2 * hosts)
	{
		size_t h = i % hosts;

		if ((int)(i / hosts) == side &&
		    (!set->one_run ||
		     (set->n && store->hosts[h].run == set->x[0]->run)))
			sum += (double)na_rpc_counted(&s->exposure, i);
	}
	return sum;
}

static bool stands_out(const struct where *w, size_t n, size_t tests)
{
	double share = (double)w->n / (double)n;

	return w->p_value * (double)tests < 0.01 && share >= 1.5 * w->expected;
}

/* Too few to be sure, but one host has most of them, and none has more. */
static bool has_most(const struct where *w, size_t n, uint64_t most)
{
	double share = (double)w->n / (double)n;

	return w->n >= 2 && w->n == most && share >= 0.5 &&
	       share >= 2 * w->expected;
}

static bool count_sides(const struct rpc_state *s, const struct set *set,
			struct na_sparse *seen)
{
	size_t hosts = na_rpc_hosts(s);
	bool ok = na_sparse_init(seen, 2 * hosts, sizeof(uint64_t));

	for (size_t i = 0; ok && i < set->n; i++) {
		uint64_t *src = na_sparse_at(seen, set->x[i]->src);
		uint64_t *dst = na_sparse_at(seen, hosts + set->x[i]->dst);

		ok = src && dst;
		if (ok) {
			++*src;
			++*dst;
		}
	}
	return ok;
}

/* Every host and side with one of the events, the most surprising first;
 * named: those in which they concentrate. */
static struct where *find_where(const struct rpc_state *s,
				const struct set *set, size_t *n)
{
	size_t hosts = na_rpc_hosts(s), tests = 0;
	struct where *w = na_calloc(2 * set->n, sizeof(*w));
	double all[2] = {exposure_of(s, set, 0), exposure_of(s, set, 1)};
	struct na_sparse seen;
	bool any = false, ok;
	uint64_t most = 0;

	*n = 0;
	na_each_sparse(i, &s->exposure, 2 * hosts)
		tests += na_rpc_counted(&s->exposure, i) > 0;
	ok = count_sides(s, set, &seen) && w;
	for (size_t i = 0; ok && i < 2 * hosts; i++) {
		struct where x = {.n = na_rpc_counted(&seen, i)};

		if (!x.n)
			continue;
		x.host = (uint32_t)(i % hosts);
		x.name = s->scope->store->hosts[x.host].name;
		x.side = i >= hosts;
		x.expected = (double)na_rpc_counted(&s->exposure, i) /
			     all[x.side];
		x.p_value = na_binomial_upper(x.n, set->n, x.expected);
		x.named = stands_out(&x, set->n, tests);
		any |= x.named;
		most = x.n > most ? x.n : most;
		w[(*n)++] = x;
	}
	na_sparse_fini(&seen);
	for (size_t i = 0; !any && i < *n; i++)
		w[i].named = has_most(&w[i], set->n, most);
	na_sort(w, *n, by_surprise);
	return w;
}

static void put_hosts(struct na_result *r, struct na_value *in,
		      const struct rpc_state *s, const struct where *w,
		      size_t n)
{
	const struct na_host *hosts = s->scope->store->hosts;
	struct na_value *list = na_put_list(r, in, M_hosts);

	for (size_t i = 0; i < n && w[i].named; i++) {
		bool said = false;

		for (size_t k = 0; k < i; k++)
			said |= w[k].host == w[i].host;
		if (!said)
			na_put_text(r, list, NULL, hosts[w[i].host].name);
	}
}

static void put_where(struct na_result *r, struct na_value *in,
		      const struct rpc_state *s, const struct set *set)
{
	const struct na_host *hosts = s->scope->store->hosts;
	struct na_value *list;
	size_t n;
	struct where *w = find_where(s, set, &n);

	put_hosts(r, in, s, w, n);
	list = na_put_list(r, in, M_where);
	for (size_t i = 0; i < n && i < WHERE_MAX; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_host, hosts[w[i].host].name);
		na_put_text(r, row, M_side, w[i].side ? "dst" : "src");
		na_put_real(r, row, M_share, (double)w[i].n / (double)set->n);
		na_put_real(r, row, M_expected_share, w[i].expected);
		na_put_real(r, row, M_p_value, w[i].p_value);
		na_put_bool(r, row, M_stands_out, w[i].named);
	}
	free(w);
}

struct pair {
	uint32_t src, dst;
	uint64_t n;
};

NA_ORDER(by_pair, struct pair, NA_UP(src), NA_UP(dst))

static int by_end(const struct na_names *names, uint32_t a, uint32_t b)
{
	char x[NA_ENDPOINT_BUF], y[NA_ENDPOINT_BUF];

	na_endpoint_print(x, names, &names->endpoints[a]);
	na_endpoint_print(y, names, &names->endpoints[b]);
	return na_natural_order(x, y);
}

/* Equal ones by name: indices are as the file happened to tell them. */
static int by_count(const void *a, const void *b, void *names)
{
	const struct pair *x = a, *y = b;

	return NA_THEN(NA_DOWN(n), by_end(names, x->src, y->src),
		       by_end(names, x->dst, y->dst), by_pair(x, y));
}

static void put_pairs(struct na_result *r, struct na_value *in,
		      const struct rpc_state *s, const struct set *set)
{
	const struct na_names *names = &s->scope->store->names;
	struct pair *p = na_calloc(set->n, sizeof(*p));
	struct na_value *list = na_put_list(r, in, M_pairs);
	size_t n = 0;
	char buf[NA_ENDPOINT_BUF];

	for (size_t i = 0; p && i < set->n; i++)
		p[i] = (struct pair){set->x[i]->src_end, set->x[i]->dst_end, 1};
	if (p)
		na_sort(p, set->n, by_pair);
	for (size_t i = 0; p && i < set->n; i++) {
		if (n && by_pair(&p[n - 1], &p[i]) == 0)
			p[n - 1].n++;
		else
			p[n++] = p[i];
	}
	if (n)
		qsort_r(p, n, sizeof(*p), by_count, (void *)(uintptr_t)names);
	for (size_t i = 0; i < n && i < PAIRS_MAX; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_src,
			    na_endpoint_print(buf, names,
					      &names->endpoints[p[i].src]));
		na_put_text(r, row, M_dst,
			    na_endpoint_print(buf, names,
					      &names->endpoints[p[i].dst]));
		na_put_real(r, row, M_share, (double)p[i].n / (double)set->n);
	}
	na_put_int(r, in, M_pairs_affected, (int64_t)n);
	free(p);
}

/* At most TIMES_MAX of them, evenly. */
static void put_times(struct na_result *r, struct na_value *in,
		      const struct set *set)
{
	size_t n = set->n < TIMES_MAX ? set->n : TIMES_MAX;
	double *t = na_put_reals(r, in, M_times_s, n);

	for (size_t i = 0; t && i < n; i++)
		t[i] = na_s(set->x[i * set->n / n]->end_ps);
	na_put_real(r, in, M_first_s, set->n ? na_s(set->x[0]->end_ps) : NAN);
	na_put_real(r, in, M_last_s,
		    set->n ? na_s(set->x[set->n - 1]->end_ps) : NAN);
}

/* What one side of a host carried while a transfer was under way, and
 * always; shares of its busiest bin. */
struct carried {
	double share, usual, gbps;
};

static struct carried side_load(const struct rpc_state *s, size_t side,
				const struct rpc_late *x)
{
	size_t bins = s->load.bins, from, to;
	const double *sum = s->carried + side * (bins + 2);
	double width_ps = (double)s->bins.bin_ps * (double)s->load.factor;
	double origin = (double)s->bins.first * (double)s->bins.bin_ps;
	double start = ((double)x->end_ps - (double)x->latency_ps - origin) /
		       width_ps;
	double peak = sum[bins + 1], mean;

	to = (size_t)(((double)x->end_ps - origin) / width_ps) + 1;
	to = to > bins ? bins : to;
	from = start > 0 ? (size_t)start : 0;
	from = from < to ? from : to - 1;
	mean = (sum[to] - sum[from]) / (double)(to - from);
	if (peak <= 0)
		return (struct carried){0, 0, 0};
	return (struct carried){mean / peak, sum[bins] / (double)bins / peak,
				mean * 8 / na_ns(width_ps)};
}

NA_ORDER(by_share, struct carried, NA_UP(share), NA_UP(usual))

static const char *state_of(const struct carried *c)
{
	if (c->share < 0.1)
		return "idle";
	return c->share >= 0.5 && c->share >= 1.5 * c->usual ? "busy" : "usual";
}

static void put_carried(struct na_result *r, struct na_value *to,
			const struct carried *c, const char *state)
{
	na_put_real(r, to, M_share_of_peak, c->share);
	na_put_real(r, to, M_usual_share_of_peak, c->usual);
	na_put_real(r, to, M_gbps, c->gbps);
	na_put_text(r, to, M_state, state);
}

enum { LOAD_SAMPLE = 512 };

/* The median event: of each the busier one of its two links. */
static void put_load(struct na_result *r, struct na_value *in,
		     const struct rpc_state *s, const struct set *set)
{
	size_t n = set->n < LOAD_SAMPLE ? set->n : LOAD_SAMPLE;
	struct na_value *to = na_put_object(r, in, M_load);
	struct carried all[LOAD_SAMPLE], *c;

	if (!n || s->load.bins < RPC_LOAD_LEAST) {
		put_carried(r, to, &(struct carried){NAN, NAN, NAN}, NULL);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rpc_late *x = set->x[i * set->n / n];
		struct carried tx = side_load(s, x->src, x);
		struct carried rx = side_load(s, na_rpc_hosts(s) + x->dst, x);

		all[i] = tx.share > rx.share ? tx : rx;
	}
	na_sort(all, n, by_share);
	c = &all[n / 2];
	put_carried(r, to, c, state_of(c));
}

static void put_count(struct na_result *r, struct na_value *in, uint64_t count,
		      uint64_t n)
{
	double ci[2];

	na_put_int(r, in, M_count, (int64_t)count);
	na_put_real(r, in, M_share, n ? (double)count / (double)n : NAN);
	na_share_ci(count, n, 0.95, ci);
	na_put_series(r, in, M_share_ci95, ci, 2);
}

static bool put_set(struct na_result *r, struct na_value *in,
		    const struct rpc_state *s, const struct rpc_row *row,
		    uint32_t index, int mode)
{
	struct set set;

	if (!pick(s, row, index, mode, &set))
		return false;
	put_where(r, in, s, &set);
	put_pairs(r, in, s, &set);
	put_times(r, in, &set);
	put_load(r, in, s, &set);
	free(set.x);
	return true;
}

/* Where the tail is continuous, a mode must have the sharp lower edge of a
 * timer to be worth a line. */
static bool has_edge(const struct rpc_state *s, uint32_t index,
		     const struct na_timer_mode *m)
{
	const struct rpc_late *all = (const void *)s->late.items;
	struct rpc_near n = {.at = 0};

	for (size_t i = 0; i < s->late.n; i++) {
		double ms = all[i].excess_ms;

		if ((index != RPC_ALL_ROWS && all[i].row != index) ||
		    all[i].constant)
			continue;
		n.at += ms >= NA_TIMER_LEAST * m->ms &&
			ms <= NA_TIMER_MOST * m->ms;
		n.below += ms >= RPC_BELOW * m->ms &&
			   ms < NA_TIMER_LEAST * m->ms;
	}
	return na_rpc_has_edge(n);
}

void na_rpc_put_modes(struct na_result *r, struct na_value *in,
		      const struct rpc_state *s, const struct rpc_row *row,
		      uint32_t index)
{
	struct na_value *list = na_put_list(r, in, M_modes);
	bool told[NA_TIMER_MODES] = {false};

	for (;;) {
		const struct na_timer_mode *modes = row->verdict.modes;
		struct na_value *to;
		int most = -1;

		for (int i = 0; i < NA_TIMER_MODES; i++) {
			if (!told[i] && modes[i].count &&
			    (most < 0 || modes[i].count > modes[most].count))
				most = i;
		}
		if (most < 0)
			return;
		told[most] = true;
		if (row->verdict.kind == NA_TAIL_HEAVY &&
		    !has_edge(s, index, &modes[most]))
			continue;
		to = na_put_object(r, list, NULL);
		na_put_real(r, to, M_latency_ms, modes[most].ms);
		na_put_text(r, to, M_cause, cause_names[modes[most].cause]);
		put_count(r, to, modes[most].count, row->n);
		if (!put_set(r, to, s, row, index, most))
			return;
	}
}

/* na_dispersion of tail events over bins. */
static double clustering(const struct rpc_state *s, uint32_t index,
			 double *sigmas)
{
	size_t bins = s->bins.n, from = index == RPC_ALL_ROWS ? 0 : index;
	size_t to = index == RPC_ALL_ROWS ? s->shown.n : from + 1;
	uint64_t *events = na_calloc(2 * bins, sizeof(*events));
	uint64_t *exposure = events ? events + bins : NULL;
	double found = NAN;

	*sigmas = NAN;
	for (size_t row = from; events && row < to; row++) {
		for (size_t k = 0; k < bins; k++) {
			size_t cell = row * bins + k;

			events[k] += s->tail_cell[cell];
			exposure[k] += s->cell_at[cell + 1] - s->cell_at[cell];
		}
	}
	if (events)
		found = na_dispersion(events, exposure, bins, sigmas);
	free(events);
	return found;
}

/* Index of dispersion and clustering in time. */
static void put_course(struct na_result *r, struct na_value *in,
		       const struct rpc_state *s, uint32_t index,
		       const struct set *set)
{
	struct na_value *list = na_put_list(r, in, M_dispersion);
	struct na_arrivals a;
	struct na_arrival_stats stats;
	double sigmas, excess;

	na_arrivals_init(&a, s->ends.first_ps, s->ends.last_ps);
	for (size_t i = 0, end; i < set->n; i = end) {
		for (end = i + 1;
		     end < set->n && set->x[end]->end_ps == set->x[i]->end_ps;
		     end++)
			;
		na_arrivals_add(&a, set->x[i]->end_ps, (int64_t)(end - i));
	}
	na_arrivals_read(&a, &stats);
	for (size_t i = 0; i < NA_WINDOWS; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_int(r, row, M_window_ms, na_windows_ms[i]);
		na_put_real(r, row, M_idc, s->late.shift ? NAN : stats.idc[i]);
	}
	excess = clustering(s, index, &sigmas);
	na_put_real(r, in, M_clustering, excess);
	na_put_text(r, in, M_pattern,
		    isnan(excess)                ? NULL
		    : sigmas > 4 && excess > 1.5 ? "clustered"
						 : "sporadic");
}

void na_rpc_put_tail(struct na_result *r, struct na_value *in,
		     const struct rpc_state *s, const struct rpc_row *row,
		     uint32_t index)
{
	struct na_value *to = na_put_object(r, in, M_tail);
	struct set set;

	put_count(r, to, row->verdict.tail + row->constant, row->n);
	na_put_int(r, to, M_constant, (int64_t)row->constant);
	na_put_int(r, to, M_matched, (int64_t)row->verdict.matched);
	na_put_int(r, to, M_between, (int64_t)row->verdict.gap);
	na_put_real(r, to, M_hill_alpha, row->hill);
	if (!pick(s, row, index, -1, &set))
		return;
	put_course(r, to, s, index, &set);
	free(set.x);
	put_set(r, to, s, row, index, -1);
}
