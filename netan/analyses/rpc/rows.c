/* rpc, between the passes: what to expect by size, which groups get rows,
 * and the hosts that are late all the time. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/rpc/state.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"

enum { DEFAULT_TOP = 16, CONSTANT_MIN = 3 };

double na_rpc_expected_ms(const struct na_size_line *line, double bytes)
{
	double us = line->fixed_us + line->us_per_byte * bytes;

	return us > 1 ? us / NA_US_PER_MS : 1e-3;
}

NA_ORDER(by_latency, struct rpc_sized, NA_UP(run), NA_UP(latency_us),
	 NA_UP(hash))
NA_ORDER(by_size, struct rpc_sized, NA_UP(run), NA_UP(size_class),
	 NA_UP(latency_us), NA_UP(hash))

/* The size classes of one run, sorted by class and latency. */
static size_t size_classes(const struct rpc_sized *x, size_t n,
			   struct na_size_class *c)
{
	size_t classes = 0;

	for (size_t i = 0, end; i < n; i = end) {
		double bytes = 0;

		for (end = i; end < n && x[end].size_class == x[i].size_class;
		     end++)
			bytes += x[end].bytes;
		c[classes++] =
			(struct na_size_class){bytes / (double)(end - i),
					       x[i + (end - i) / 2].latency_us,
					       end - i};
	}
	return classes;
}

/* A line for each run from the sample; where none can be told, the median
 * is what to expect. */
bool na_rpc_fit_lines(struct rpc_state *s)
{
	size_t n = s->sized.n, runs = s->scope->store->n_runs;
	struct rpc_sized *x = (void *)s->sized.items;
	struct na_size_class classes[NA_SIZE_CLASSES];

	s->lines = na_calloc(runs, sizeof(*s->lines));
	if (!s->lines)
		return false;
	for (size_t run = 0; run < runs; run++) /* where the sample is empty */
		s->lines[run].fixed_us = na_us(s->latency.first_ps);
	na_sort(x, n, by_latency);
	for (size_t i = 0, end; i < n; i = end) {
		struct na_size_line *line = &s->lines[x[i].run], found;
		size_t k;

		for (end = i; end < n && x[end].run == x[i].run; end++)
			;
		line->fixed_us = x[i + (end - i) / 2].latency_us;
		na_sort(x + i, end - i, by_size);
		k = size_classes(x + i, end - i, classes);
		if (na_size_line(classes, k, &found))
			*line = found;
	}
	na_sample_fini(&s->sized);
	return true;
}

/* Groups with the most tail events, then with the most transfers, get rows
 * of their own. */
static bool rank_groups(struct rpc_state *s, na_i128 *amounts)
{
	size_t n = na_groups_count(&s->groups);

	for (size_t i = 0; i < n; i++)
		amounts[i] += s->group_n.v[i];
	return na_shown_init(&s->shown, amounts, n,
			     s->scope->top ? s->scope->top : DEFAULT_TOP);
}

/* Leaves only tail events in the sample, counted by host side and, above
 * the transfers, by group. */
static bool count_tails(struct rpc_state *s, struct na_sparse *tails,
			na_i128 *amounts)
{
	struct rpc_slow *x = (void *)s->slow.items;
	size_t n = 0;

	for (size_t i = 0; i < s->slow.n; i++) {
		double ms = na_rpc_expected_ms(&s->lines[x[i].run], x[i].bytes);
		uint64_t *to[2];

		x[i].excess_ms = x[i].latency_us / NA_US_PER_MS - ms;
		if (!na_is_tail(x[i].excess_ms, ms))
			continue;
		to[0] = na_sparse_at(tails, x[i].src);
		to[1] = na_sparse_at(tails, na_rpc_hosts(s) + x[i].dst);
		if (!to[0] || !to[1])
			return false;
		++*to[0];
		++*to[1];
		amounts[x[i].group] += (na_i128)1 << 64;
		x[n++] = x[i];
	}
	s->slow.n = n;
	return true;
}

/* The median excess of one side's tail events. */
static bool measure(struct rpc_state *s, size_t side)
{
	const struct rpc_slow *x = (const void *)s->slow.items;
	double *ms = na_calloc(2 * s->slow.n, sizeof(*ms));
	size_t n = 0;

	for (size_t i = 0; ms && i < s->slow.n; i++) {
		if (x[i].src == side || na_rpc_hosts(s) + x[i].dst == side)
			ms[n++] = x[i].excess_ms;
	}
	if (ms) {
		na_sort_f64(ms, ms + n, n);
		s->worst.excess_ms = na_quantile_sorted(ms, n, 0.5);
	}
	free(ms);
	return ms;
}

/* Timeouts hit few of a host's transfers; what hits more than half of them
 * is an offset.  Receivers first: a ring has one sender for each. */
static bool find_constant(struct rpc_state *s, const struct na_sparse *tails)
{
	size_t hosts = na_rpc_hosts(s), n = 0;

	for (size_t k = 0; k < 2 * hosts; k++) {
		size_t i = k < hosts ? hosts + k : k - hosts;
		uint64_t seen = na_rpc_counted(tails, i);
		double tail = ldexp((double)seen, (int)s->slow.shift);
		double share = tail / (double)na_rpc_counted(&s->exposure, i);

		if (seen < CONSTANT_MIN || share <= 0.5)
			continue;
		s->constant[i] = true;
		if (!n++ || share > s->worst.share)
			s->worst = (struct rpc_constant){i, share, 0};
	}
	return !n || measure(s, s->worst.side);
}

bool na_rpc_choose_rows(struct rpc_state *s)
{
	size_t n = na_groups_count(&s->groups), sides = 2 * na_rpc_hosts(s);
	na_i128 *amounts = na_calloc(n, sizeof(*amounts));
	struct na_sparse tails;
	bool ok = na_sparse_init(&tails, sides, sizeof(uint64_t)) && amounts;

	s->constant = na_calloc(sides, sizeof(*s->constant));
	ok = ok && s->constant && count_tails(s, &tails, amounts) &&
	     find_constant(s, &tails) && rank_groups(s, amounts);
	na_sample_fini(&s->slow);
	na_sparse_fini(&tails);
	free(amounts);
	return ok;
}
