/*
 * rpc: is latency high always or now and then.  Latency over time by exact
 * quantiles of each bin; late transfers against the waits that TCP's timers
 * cause, with the hosts, times and link loads at which they come
 * (docs/methods.md, "Late transfers and timers").
 *
 * First pass: counts, the time that is covered, and a sample for the line
 * of latency over size.  Second pass: every latency, and what is late.
 */
#include "netan/analyses/rpc/state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

#define DEFAULT_BIN_PS (100 * NA_PS_PER_MS)

enum { MAX_BINS = 1 << 20, MAX_CELLS = 1 << 22 };
enum { SAMPLE = 1 << 14, LATE_MAX = 1 << 16, LOAD_CELLS = 1 << 18 };

/* clang-format off */
static const struct na_opt rpc_opts[] = {
	{NA_OPT_TIME, 'b', "bin", offsetof(struct rpc_params, bin_ps), "TIME",
	 NULL, 1e3, 3.6e15, "width of a bin; a transfer belongs to the bin "
	 "of its end (default: 100ms; wider for runs of more than a day)"},
	NA_OPT_END,
};
/* clang-format on */

/* What was asked for, where nothing chose one. */
int64_t na_rpc_bin_ps(const struct rpc_state *s)
{
	if (s->bins.bin_ps)
		return s->bins.bin_ps;
	return s->params->bin_ps ? s->params->bin_ps : DEFAULT_BIN_PS;
}

size_t na_rpc_hosts(const struct rpc_state *s)
{
	return s->scope->store->n_hosts;
}

static bool init_survey(struct rpc_state *s)
{
	na_groups_init(&s->groups, &s->scope->by);
	na_sample_init(&s->sized, sizeof(struct rpc_sized), SAMPLE);
	na_sample_init(&s->slow, sizeof(struct rpc_slow), LATE_MAX);
	return na_sparse_init(&s->exposure, 2 * na_rpc_hosts(s),
			      sizeof(uint64_t));
}

static enum na_status rpc_open(void *state, const struct na_scope *scope,
			       const void *params, struct na_err *err)
{
	struct rpc_state *s = state;

	s->scope = scope;
	s->params = params;
	s->clocks = na_host_clocks_of(scope, NULL, &s->own_clocks);
	na_timer_edges_init(&s->edges);
	return s->clocks && init_survey(s) ? NA_OK : na_fail_nomem(err);
}

static size_t load_cells(const struct rpc_state *s)
{
	return s->load.bins < RPC_LOAD_LEAST
		       ? 0
		       : 2 * na_rpc_hosts(s) * s->load.bins;
}

/* What the second pass fills, in blocks and in the main state. */
static bool init_second(struct rpc_state *s)
{
	na_sample_init(&s->late, sizeof(struct rpc_late), LATE_MAX);
	s->rows = na_calloc(s->shown.n, sizeof(*s->rows));
	s->load.bytes = na_calloc(load_cells(s), sizeof(*s->load.bytes));
	s->grid = na_calloc((size_t)RPC_COLUMNS * RPC_ROWS, sizeof(*s->grid));
	return s->rows && s->load.bytes && s->grid;
}

static enum na_status rpc_fork(void *block, const void *state, unsigned pass)
{
	struct rpc_state *s = block;
	const struct rpc_state *from = state;

	s->scope = from->scope;
	s->params = from->params;
	s->clocks = from->clocks;
	s->pass = pass;
	s->main = from;
	if (pass == 0)
		return init_survey(s) ? NA_OK : NA_ENOMEM;
	s->bins = from->bins;
	s->shown.n = from->shown.n;
	s->load = from->load;
	s->longest.max = from->longest.max;
	s->longest.has_least = from->longest.heap.n == from->longest.max;
	if (s->longest.has_least)
		s->longest.least = from->longest.heap.v[0];
	return init_second(s) ? NA_OK : NA_ENOMEM;
}

/* The group's number, NA_NO_NAME when memory is short. */
static uint32_t count_group(struct rpc_state *s, const uint64_t *values,
			    na_i128 n)
{
	uint32_t g = na_groups_add(&s->groups, values);

	if (g == NA_NO_NAME)
		return g;
	while (s->group_n.n <= g) {
		if (!na_push(&s->group_n))
			return NA_NO_NAME;
	}
	s->group_n.v[g] += n;
	return g;
}

/* Latency, or -1 for what has none. */
static int64_t latency_of(const struct rpc_state *s,
			  const struct na_transfer *t)
{
	int64_t latency;

	if (t->klass != NA_VALID && t->klass != NA_LOOPBACK)
		return -1;
	if (__builtin_sub_overflow(t->end_ps, t->start_ps, &latency) ||
	    latency <= 0)
		return -1;
	return na_host_clocks_latency(s->clocks, t);
}

static uint64_t device_of(const struct na_endpoint *e)
{
	return (uint64_t)(uint32_t)e->slice << 32 | (uint32_t)e->device;
}

/* By what the transfer is, not by numbers that its names got as they appeared:
 * the same sample of a slice, and of what is anonymous. */
static uint64_t hash_of(const struct rpc_state *s, const struct na_transfer *t)
{
	const struct na_endpoint *e = s->scope->store->names.endpoints;
	uint64_t h = na_mix_u64((uint64_t)t->start_ps, (uint64_t)t->end_ps);

	if (e[t->src].slice != NA_ADDRESS)
		h = na_mix_u64(h, device_of(&e[t->src]));
	if (e[t->dst].slice != NA_ADDRESS)
		h = na_mix_u64(h, device_of(&e[t->dst]));
	return na_mix_u64(h,
			  t->size_bytes ^ (uint64_t)(uint32_t)t->chunk << 40);
}

/* Samples for what is told between the passes: the lines, the groups and
 * hosts with tail events. */
static bool keep_sized(struct rpc_state *s, const struct rpc_slow *x)
{
	struct rpc_sized sized = {.hash = x->hash,
				  .bytes = x->bytes,
				  .latency_us = x->latency_us,
				  .run = x->run,
				  .size_class = na_size_class(
					  x->bytes < 0x1p64 ? (uint64_t)x->bytes
							    : UINT64_MAX)};

	if (na_sample_wants(&s->sized, x->hash) &&
	    !na_sample_add(&s->sized, &sized))
		return false;
	return !na_is_tail(x->latency_us / NA_US_PER_MS, 0) ||
	       !na_sample_wants(&s->slow, x->hash) ||
	       na_sample_add(&s->slow, x);
}

static bool count(struct na_sparse *x, size_t side, uint64_t n)
{
	uint64_t *to = na_sparse_at(x, side);

	if (to)
		*to += n;
	return to;
}

static enum na_status survey(struct rpc_state *s, const struct na_transfer *t,
			     int64_t latency_ps)
{
	const struct na_store *store = s->scope->store;
	uint32_t run = store->sources[t->input].run;
	uint64_t values[NA_MAX_KEYS] = {0};
	struct rpc_slow x = {.hash = hash_of(s, t),
			     .bytes = (double)t->size_bytes,
			     .latency_us = na_us(latency_ps),
			     .src = na_store_host_of(store, run, t->src),
			     .dst = na_store_host_of(store, run, t->dst),
			     .run = run};

	s->n_calls += t->component == NA_COMP_RPC;
	na_extent_add(&s->ends, t->end_ps, t->end_ps);
	na_extent_add(&s->latency, latency_ps, latency_ps);
	if (!count(&s->exposure, x.src, 1) ||
	    !count(&s->exposure, na_rpc_hosts(s) + x.dst, 1))
		return NA_ENOMEM;
	na_group_of(&s->scope->by, store, t, values);
	x.group = count_group(s, values, 1);
	if (x.group == NA_NO_NAME)
		return NA_ENOMEM;
	return keep_sized(s, &x) ? NA_OK : NA_ENOMEM;
}

static bool keep_latency(struct rpc_state *s, uint32_t cell, int64_t ps)
{
	if (!na_grow(&s->cell, &s->cap_cells, s->n_kept + 1,
		     sizeof(*s->cell)) ||
	    !na_grow(&s->latency_ps, &s->cap_latency, s->n_kept + 1,
		     sizeof(*s->latency_ps)))
		return false;
	s->cell[s->n_kept] = cell;
	s->latency_ps[s->n_kept++] = ps;
	return true;
}

static uint32_t row_of(const struct rpc_state *s, const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS];

	if (!s->scope->by.n)
		return 0;
	na_group_of(&s->scope->by, s->scope->store, t, values);
	return s->main->shown.row_of[na_groups_find(&s->main->groups, values)];
}

/* Bin k is [k * bin, +bin), k also below zero. */
static uint32_t bin_of(const struct na_bins *b, int64_t at_ps)
{
	int64_t k = at_ps / b->bin_ps - (at_ps % b->bin_ps < 0);

	return (uint32_t)(k - b->first);
}

static void carry(struct rpc_load *l, size_t host, uint32_t bin, uint64_t bytes)
{
	uint64_t *to;

	if (l->bins < RPC_LOAD_LEAST)
		return;
	to = &l->bytes[host * l->bins + bin / l->factor];
	*to = *to + bytes < bytes ? UINT64_MAX : *to + bytes;
}

static bool keep_late(struct rpc_state *s, const struct na_transfer *t,
		      const struct rpc_late *late)
{
	uint64_t hash = hash_of(s, t);
	struct rpc_late item = *late;

	if (!na_sample_wants(&s->late, hash))
		return true;
	item.hash = hash;
	item.end_ps = t->end_ps;
	item.src_end = t->src;
	item.dst_end = t->dst;
	return na_sample_add(&s->late, &item);
}

static enum na_status look(struct rpc_state *s, const struct na_transfer *t,
			   int64_t latency_ps)
{
	const struct na_store *store = s->scope->store;
	uint32_t run = store->sources[t->input].run;
	uint32_t row = row_of(s, t), bin = bin_of(&s->bins, t->end_ps);
	double us = na_us(latency_ps);
	struct rpc_late x = {
		.latency_ps = latency_ps,
		.expected_ms = na_rpc_expected_ms(&s->main->lines[run],
						  (double)t->size_bytes),
		.src = na_store_host_of(store, run, t->src),
		.dst = na_store_host_of(store, run, t->dst),
		.row = row,
		.run = run,
		.style = t->style,
	};
	uint32_t cell = row * (uint32_t)s->bins.n + bin;
	double times = us / NA_US_PER_MS / x.expected_ms;
	bool tail;

	x.excess_ms = us / NA_US_PER_MS - x.expected_ms;
	tail = na_is_tail(x.excess_ms, x.expected_ms);
	cell |= tail ? RPC_TAIL_BIT : 0;
	x.constant = s->main->constant[x.src] ||
		     s->main->constant[na_rpc_hosts(s) + x.dst];
	if (!x.constant)
		na_timer_add(&s->rows[row].timers, &s->main->edges, x.excess_ms,
			     x.expected_ms);
	s->rows[row].constant += x.constant && tail;
	carry(&s->load, x.src, bin, t->size_bytes);
	carry(&s->load, na_rpc_hosts(s) + x.dst, bin, t->size_bytes);
	na_rpc_scatter_add(s, t->end_ps, latency_ps);
	if (!na_rpc_longest_add(&s->longest,
				&(struct rpc_point){t->end_ps, latency_ps, row,
						    tail, times}) ||
	    !na_sketch_add(&s->times, times) ||
	    !keep_latency(s, cell, latency_ps))
		return NA_ENOMEM;
	if (x.excess_ms < RPC_LATE_MS ||
	    !na_is_late(x.excess_ms, x.expected_ms))
		return NA_OK;
	return keep_late(s, t, &x) ? NA_OK : NA_ENOMEM;
}

static enum na_status rpc_add(void *block, const struct na_transfer *t)
{
	struct rpc_state *s = block;
	int64_t latency_ps = latency_of(s, t);

	if (latency_ps < 0)
		return NA_ASIDE;
	return s->pass ? look(s, t, latency_ps) : survey(s, t, latency_ps);
}

static enum na_status rpc_add_call(void *block, const struct na_call *c)
{
	struct rpc_state *s = block;

	return s->pass || na_add(&s->calls, c) ? NA_OK : NA_ENOMEM;
}

/* Groups of the block get their numbers here. */
static bool merge_groups(struct rpc_state *s, struct rpc_state *b)
{
	size_t n = na_groups_count(&b->groups);
	uint32_t *map = na_calloc(n, sizeof(*map));
	struct rpc_slow *slow = (void *)b->slow.items;
	bool ok = map;

	for (size_t i = 0; ok && i < n; i++) {
		uint64_t values[NA_MAX_KEYS];

		na_groups_values(&b->groups, (uint32_t)i, values);
		map[i] = count_group(s, values, b->group_n.v[i]);
		ok = map[i] != NA_NO_NAME;
	}
	for (size_t i = 0; ok && i < b->slow.n; i++)
		slow[i].group = map[slow[i].group];
	free(map);
	return ok;
}

static enum na_status merge_survey(struct rpc_state *s, struct rpc_state *b)
{
	na_each_sparse(i, &b->exposure, 2 * na_rpc_hosts(s))
	{
		uint64_t n = na_rpc_counted(&b->exposure, i);

		if (n && !count(&s->exposure, i, n))
			return NA_ENOMEM;
	}
	s->n_calls += b->n_calls;
	na_extent_join(&s->ends, &b->ends);
	na_extent_join(&s->latency, &b->latency);
	return merge_groups(s, b) &&
			       na_append(&s->calls, b->calls.v, b->calls.n) &&
			       na_sample_merge(&s->sized, &b->sized) &&
			       na_sample_merge(&s->slow, &b->slow)
		       ? NA_OK
		       : NA_ENOMEM;
}

static void merge_load(struct rpc_state *s, const struct rpc_state *b)
{
	for (size_t i = 0; i < load_cells(s); i++) {
		uint64_t more = b->load.bytes[i], *to = &s->load.bytes[i];

		*to = *to + more < more ? UINT64_MAX : *to + more;
	}
}

static enum na_status rpc_merge(void *state, void *block, unsigned pass)
{
	struct rpc_state *s = state, *b = block;

	if (pass == 0)
		return merge_survey(s, b);
	for (size_t i = 0; i < s->shown.n; i++) {
		na_timer_merge(&s->rows[i].timers, &b->rows[i].timers);
		s->rows[i].constant += b->rows[i].constant;
	}
	merge_load(s, b);
	for (size_t i = 0; i < (size_t)RPC_COLUMNS * RPC_ROWS; i++)
		s->grid[i] += b->grid[i];
	for (size_t i = 0; i < b->longest.heap.n; i++) {
		if (!na_rpc_longest_add(&s->longest, &b->longest.heap.v[i]))
			return NA_ENOMEM;
	}
	/* Room for all of them was made between the passes. */
	if (b->n_kept) {
		memcpy(s->cell + s->n_kept, b->cell,
		       b->n_kept * sizeof(*s->cell));
		memcpy(s->latency_ps + s->n_kept, b->latency_ps,
		       b->n_kept * sizeof(*s->latency_ps));
	}
	s->n_kept += b->n_kept;
	return na_sketch_merge(&s->times, &b->times) &&
			       na_sample_merge(&s->late, &b->late)
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status choose_bins(struct rpc_state *s, struct na_err *err)
{
	int64_t bin = na_rpc_bin_ps(s);
	double span = (double)s->ends.last_ps - (double)s->ends.first_ps;
	double rows = s->shown.n ? (double)s->shown.n : 1, bins;
	char text[NA_UNIT_BUF];

	/* Days of a run: nobody asked for so many bins. */
	while (!s->params->bin_ps && span / (double)bin > MAX_CELLS / 4 / rows)
		bin *= 10;
	bins = span / (double)bin;
	if (bins > MAX_BINS || bins * rows > MAX_CELLS)
		return na_fail(err, NA_EUSAGE,
			       "--bin: %.3g bins of %s%s: give a wider bin, or "
			       "a window with --from and --to",
			       bins, na_print_time(text, bin, 4),
			       s->shown.n > 1 ? " for each group" : "");
	s->bins = na_bins_over(s->ends.first_ps, s->ends.last_ps, true, bin);
	s->load.factor = 1;
	while (2 * na_rpc_hosts(s) * (s->bins.n / s->load.factor) >
		       LOAD_CELLS &&
	       s->load.factor < s->bins.n)
		s->load.factor *= 2;
	s->load.bins = s->bins.n / s->load.factor + 1;
	return NA_OK;
}

static bool init_kept(struct rpc_state *s)
{
	s->longest.max = s->ends.n <= RPC_POINTS_ALL ? (size_t)s->ends.n
						     : RPC_POINTS_MAX;
	s->cell = na_calloc((size_t)s->ends.n, sizeof(*s->cell));
	s->latency_ps = na_calloc((size_t)s->ends.n, sizeof(*s->latency_ps));
	return s->cell && s->latency_ps && init_second(s);
}

static enum na_status rpc_turn(void *state, unsigned done, struct na_err *err)
{
	struct rpc_state *s = state;
	enum na_status st;

	if (!s->ends.n)
		return NA_END;
	if (done)
		return na_rpc_sort_cells(s) == NA_OK ? NA_OK
						     : na_fail_nomem(err);
	if (!na_rpc_fit_lines(s) || !na_rpc_choose_rows(s))
		return na_fail_nomem(err);
	st = choose_bins(s, err);
	if (st != NA_OK)
		return st;
	na_rpc_scatter_scale(s);
	return init_kept(s) ? NA_OK : na_fail_nomem(err);
}

/* Before the second pass; what a block of transfers keeps on top. */
static size_t rpc_weight(const void *state)
{
	const struct rpc_state *s = state;

	return load_cells(s) * sizeof(*s->load.bytes) +
	       (size_t)RPC_COLUMNS * RPC_ROWS * sizeof(*s->grid) +
	       s->shown.n * sizeof(*s->rows) + ((size_t)1 << 21);
}

static void rpc_fini(void *state)
{
	struct rpc_state *s = state;

	na_host_clocks_fini(&s->own_clocks);
	na_groups_fini(&s->groups);
	na_sample_fini(&s->sized);
	na_sample_fini(&s->slow);
	na_sample_fini(&s->late);
	na_sketch_fini(&s->times);
	na_vec_free(&s->calls);
	na_triples_fini(&s->lossy);
	free(s->constant);
	na_vec_free(&s->group_n);
	na_sparse_fini(&s->exposure);
	free(s->lines);
	na_shown_fini(&s->shown);
	free(s->rows);
	free(s->load.bytes);
	na_vec_free(&s->longest.heap);
	free(s->grid);
	free(s->cell);
	free(s->latency_ps);
	free(s->sorted_ps);
	free(s->cell_at);
	free(s->tail_cell);
	free(s->p50);
	free(s->p99);
	free(s->max);
	free(s->carried);
}

const struct na_analysis na_an_rpc = {
	.info.name = "rpc",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "is latency high always or now and then",
	.info.details =
		"Median, 99 % quantile and maximum of the latencies that end "
		"in each bin, exactly. Expected is a fixed cost plus bytes "
		"over bandwidth, as the transfers themselves show it; a tail "
		"event takes 100 ms and 8 times the expectation longer. "
		"Groups with the most of them come first.\n"
		"The excess of late transfers is compared with the waits of "
		"TCP's timers: retransmission timeouts of 200 ms with their "
		"doublings and sums, 1 s and its doublings, lower minima and "
		"the 40 ms of delayed acknowledgements where the data shows "
		"them. Each such mode comes with its hosts, pairs, times and "
		"with the load of the links at those times, so that a loss on "
		"an idle link is told apart from queueing on a full one. "
		"Where more than half of what one host receives or sends is a "
		"tail event, no timer is the cause but its clock or the host: "
		"its transfers are left out of the modes, and said to be "
		"constantly high.\n"
		"Of captures the HTTP/2 and gRPC calls are listed as well: "
		"latency from the request's headers to the first and the "
		"last byte of the response, status, bytes both ways.",
	.info.example = "netan rpc logdir -o rpc.svg\n"
			"netan rpc logdir --bin 1s --from 10s --to 20s\n"
			"netan rpc logdir --by src --format json",
	.info.method = "type-7 quantiles by bin; timers of RFC 6298 and "
		       "Vasudevan et al., 2009, against a line over size",
	.many = true,
	.forgets = true,
	.runs_on_captures = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS | NA_WANT_CALLS |
		 NA_WANT_CONNECTIONS,
	.info.opts = rpc_opts,
	.info.params_size = sizeof(struct rpc_params),
	.begins = 4,
	.reports_coverage = 3,
	.state_size = sizeof(struct rpc_state),
	.passes = 2,
	.clocks = true,
	.counts = NA_COUNTS(TRANSFERS),
	.open = rpc_open,
	.fork = rpc_fork,
	.add_transfer = rpc_add,
	.add_call = rpc_add_call,
	.merge = rpc_merge,
	.turn = rpc_turn,
	.share = na_rpc_share,
	.finish = na_rpc_finish,
	.fini = rpc_fini,
	.weight = rpc_weight,
};
