/*
 * pairs: which source, destination, host or path is bad.  First pass:
 * which pairs there are, and their sums.  Second: every transfer to its
 * place, pair after pair; then quantiles and the judge's answer (netan/judge),
 * run by run.
 */
#include "netan/analyses/pairs/state.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* clang-format off */
static const struct na_opt pairs_opts[] = {
	{NA_OPT_CHOICE, 0, "level", offsetof(struct pairs_params, level),
	 "auto|device|host", "auto", 0, 0, "ends of a pair: devices, or the "
	 "hosts that they belong to; auto: devices for one host's file, else "
	 "hosts; in captures addresses are the devices",
	 .brief = "ends of a pair"},
	{NA_OPT_TEXT, 0, "explain", offsetof(struct pairs_params, explain),
	 "HOST", NULL, 0, 0, "print the terms of this host's odds: its "
	 "observations, what healthy hosts differ by, prior odds, rivals; a "
	 "device where devices are compared",
	 .brief = "print the terms of its odds"},
	NA_OPT_END,
};
/* clang-format on */

static size_t files_of(const struct na_store *store, uint32_t run)
{
	bool mixed = na_store_mixed(store, run);
	size_t n = 0;

	for (size_t i = 0; i < store->n_sources; i++) {
		const struct na_source *x = &store->sources[i];

		n += x->run == run && !(x->capture && mixed);
	}
	return n;
}

size_t na_pairs_files(const struct na_store *store)
{
	size_t n = 0;

	for (uint32_t run = 0; run < store->n_runs; run++)
		n += files_of(store, run);
	return n;
}

static enum na_status pairs_open(void *state, const struct na_scope *scope,
				 const void *params, struct na_err *err)
{
	struct pairs_state *s = state;

	s->scope = scope;
	s->params = params;
	/* Of one host's file for each run its devices are the ends. */
	s->of_hosts = s->params->level == PAIRS_HOST ||
		      (s->params->level == PAIRS_AUTO &&
		       na_pairs_files(scope->store) > scope->store->n_runs);
	for (size_t i = 0; i < scope->by.n; i++) {
		if (scope->by.keys[i] != NA_KEY_LABEL)
			return na_fail(err, NA_EUSAGE,
				       "--by: pairs compares all transfers of "
				       "a run; filter instead, for example "
				       "--collective or --step");
	}
	return NA_OK;
}

static enum na_status pairs_fork(void *block, const void *state, unsigned pass)
{
	struct pairs_state *s = block;
	const struct pairs_state *from = state;

	*s = (struct pairs_state){
		.scope = from->scope,
		.params = from->params,
		.main = from,
		.of_hosts = from->of_hosts,
		.pass = pass,
	};
	return NA_OK;
}

static struct na_triple key_of(const struct pairs_state *s,
			       const struct na_transfer *t)
{
	const struct na_store *store = s->scope->store;
	uint32_t run = store->sources[t->input].run;

	if (!s->of_hosts)
		return (struct na_triple){run, t->src, t->dst};
	return (struct na_triple){run, na_store_host_of(store, run, t->src),
				  na_store_host_of(store, run, t->dst)};
}

static struct na_triple moment_of(const struct na_transfer *t)
{
	/* Calls and messages of captures are no parts of one exchange. */
	uint32_t part = t->iteration == NA_UNKNOWN_U32 ? t->component
						       : t->iteration;

	return (struct na_triple){t->collective, t->step, part};
}

static struct na_triple connection_of(const struct na_transfer *t)
{
	return (struct na_triple){t->src, t->dst, 0};
}

/* Records that follow each other often share their key: *last, a guess. */
static void find_guessed(const struct na_triples *t, struct na_triple k,
			 uint32_t *last)
{
	const struct na_triple *at = &t->keys[*last];

	if (at->a != k.a || at->b != k.b || at->c != k.c)
		*last = na_triples_find(t, k);
}

/* Both together have to fit, since a pair's rows are counted by 32 bits. */
static void sum_up(struct pairs_state *s, struct pairs_sum *sum,
		   const struct pairs_sum *more)
{
	uint64_t all = (uint64_t)sum->n + sum->clamped + more->n +
		       more->clamped;

	if (all > UINT32_MAX) {
		s->crowded = true;
		return;
	}
	sum->n += more->n;
	sum->clamped += more->clamped;
	sum->bytes += more->bytes;
}

static enum na_status survey(struct pairs_state *s, const struct na_transfer *t)
{
	struct pairs_sum *sum =
		na_triples_at(&s->keys, &s->sums, key_of(s, t));

	if (!sum ||
	    na_triples_add(&s->moments, moment_of(t)) == NA_NO_TRIPLE ||
	    na_triples_add(&s->connections, connection_of(t)) == NA_NO_TRIPLE)
		return NA_ENOMEM;
	na_extent_add(&s->ends, t->end_ps, t->end_ps);
	if (t->klass == NA_CLOCK_SKEW) {
		sum_up(s, sum, &(struct pairs_sum){.clamped = 1});
		s->clamped++;
		return NA_ASIDE;
	}
	sum_up(s, sum,
	       &(struct pairs_sum){.n = 1, .bytes = (na_i128)t->size_bytes});
	s->calls += t->component == NA_COMP_RPC;
	return NA_OK;
}

/* A row, and the pair where it goes. */
static enum na_status keep_row(struct pairs_state *s,
			       const struct na_transfer *t)
{
	const struct pairs_state *m = s->main;
	uint64_t since = (uint64_t)t->end_ps - (uint64_t)m->ends.first_ps;
	double us = na_us(na_pairs_took(m, t));

	find_guessed(&m->keys, key_of(s, t), &s->last_key);
	find_guessed(&m->moments, moment_of(t), &s->last_moment);
	find_guessed(&m->connections, connection_of(t), &s->last_connection);
	if (!na_grow(&s->rows, &s->cap_rows, s->n_rows + 1, sizeof(*s->rows)) ||
	    !na_grow(&s->row_pair, &s->cap_row_pair, s->n_rows + 1,
		     sizeof(*s->row_pair)))
		return NA_ENOMEM;
	s->row_pair[s->n_rows] = m->place_of[s->last_key];
	s->rows[s->n_rows++] = (struct pairs_row){
		.latency_us = t->klass == NA_CLOCK_SKEW ? 0 : us,
		.size_bytes = (float)t->size_bytes,
		.tick = (uint32_t)(since / (uint64_t)m->tick_ps),
		.moment = s->last_moment,
		.ends = s->last_connection,
	};
	return NA_OK;
}

/* With --side tx a send is what a pair is, and what says who is slow. */
static enum na_status keep_both(struct pairs_state *s,
				const struct na_transfer *t)
{
	enum na_status st = na_pairs_send_keep(s, t);

	return st == NA_ASIDE ? keep_row(s, t) : st;
}

/* A clamped transfer that would else count as loopback. */
static bool loops(const struct pairs_state *s, const struct na_transfer *t)
{
	const struct na_endpoint *e = s->scope->store->names.endpoints;

	return t->src == t->dst || (t->style == NA_STYLE_MESSAGE &&
				    e[t->src].slice == e[t->dst].slice);
}

static enum na_status pairs_add(void *block, const struct na_transfer *t)
{
	struct pairs_state *s = block;

	if (t->klass == NA_CLOCK_SKEW && loops(s, t) &&
	    !s->scope->filter->include_loopback)
		return NA_ASIDE;
	/* Without --side both are seen; a pair is what receivers tell of it. */
	if (t->side == NA_TX && s->scope->filter->side < 0)
		return s->pass == 1 ? na_pairs_send_keep(s, t) : NA_ASIDE;
	if (s->pass == 0)
		return survey(s, t);
	return na_pairs_of_sends(s) ? keep_both(s, t) : keep_row(s, t);
}

static bool add_all(struct na_triples *t, const struct na_triples *more)
{
	bool ok = true;

	for (size_t i = 0; ok && i < more->n; i++)
		ok = na_triples_add(t, more->keys[i]) != NA_NO_TRIPLE;
	return ok;
}

static enum na_status merge_survey(struct pairs_state *s,
				   const struct pairs_state *b)
{
	for (size_t i = 0; i < b->keys.n; i++) {
		struct pairs_sum *sum =
			na_triples_at(&s->keys, &s->sums, b->keys.keys[i]);

		if (!sum)
			return NA_ENOMEM;
		sum_up(s, sum, &b->sums.v[i]);
	}
	s->crowded |= b->crowded;
	s->calls += b->calls;
	s->clamped += b->clamped;
	na_extent_join(&s->ends, &b->ends);
	return add_all(&s->moments, &b->moments) &&
			       add_all(&s->connections, &b->connections) &&
			       na_append(&s->comms, b->comms.v, b->comms.n) &&
			       na_append(&s->rank_steps, b->rank_steps.v,
					 b->rank_steps.n)
		       ? NA_OK
		       : NA_ENOMEM;
}

/* Blocks come in input order, so rows of a pair stay in it. */
static void merge_rows(struct pairs_state *s, const struct pairs_state *b)
{
	for (size_t i = 0; i < b->n_rows; i++) {
		uint32_t p = b->row_pair[i];

		s->rows[s->pairs[p].first + s->filled[p]++] = b->rows[i];
	}
}

static enum na_status pairs_merge(void *state, void *block, unsigned pass)
{
	if (pass == 0)
		return merge_survey(state, block);
	merge_rows(state, block);
	return na_pairs_sends_merge(state, block);
}

/* What put rows into their places: of the keys only how many there are.  Sums
 * stand as the pairs do.  False: no memory. */
static bool drop_keys(struct pairs_state *s)
{
	size_t n = s->keys.n;
	struct pairs_sum *sums;

	na_triples_fini(&s->keys);
	s->keys.n = n;
	free(s->filled);
	s->filled = NULL;
	free(s->place_of);
	s->place_of = NULL;
	sums = na_calloc(n, sizeof(*sums));
	if (!sums)
		return false;
	for (size_t i = 0; i < n; i++) {
		sums[i] = s->sums.v[s->pairs[i].found];
		s->pairs[i].found = (uint32_t)i;
	}
	free(s->sums.v);
	s->sums.v = sums;
	s->sums.cap = s->sums.n = n;
	return true;
}

static enum na_status pairs_turn(void *state, unsigned done, struct na_err *err)
{
	struct pairs_state *s = state;
	enum na_status st;

	if (done == 0 && s->crowded)
		return na_fail(err, NA_EUSAGE,
			       "pairs: more than %" PRIu32 " transfers between "
			       "two ends, which is more than it can look at: "
			       "filter them, for example by --collective, "
			       "--step or --from and --to",
			       UINT32_MAX);
	if (done == 0) {
		if (!na_pairs_join_ranks(s))
			return na_fail_nomem(err);
		st = na_pairs_plan(s, err);
		return st == NA_OK ? na_pairs_find_explained(s, err) : st;
	}
	st = drop_keys(s) ? na_pairs_judge(s, err) : na_fail_nomem(err);
	/* The largest thing here; the result needs room. */
	free(s->rows);
	s->rows = NULL;
	na_vec_free(&s->sends);
	return st;
}

/* Of a block in the second pass, at most. */
static size_t pairs_weight(const void *state)
{
	const struct pairs_state *s = state;

	return s->pairs ? (size_t)87000 * 32 : 0;
}

static void pairs_fini(void *state)
{
	struct pairs_state *s = state;

	for (size_t i = 0; s->runs && i < s->scope->store->n_runs; i++) {
		na_judge_result_fini(&s->runs[i].found);
		na_judge_explanation_fini(&s->runs[i].terms);
		na_vec_free(&s->runs[i].clocks);
		free(s->runs[i].costs);
	}
	na_triples_fini(&s->keys);
	na_triples_fini(&s->moments);
	na_triples_fini(&s->connections);
	na_arena_fini(&s->mem);
	na_absent_fini(&s->absent);
	na_vec_free(&s->sums);
	na_vec_free(&s->sends);
	na_vec_free(&s->nodes);
	na_vec_free(&s->comms);
	na_vec_free(&s->rank_steps);
	na_vec_free(&s->joined);
	free(s->pairs);
	free(s->quantiles);
	free(s->place_of);
	free(s->rows);
	free(s->row_pair);
	free(s->filled);
}

const struct na_analysis na_an_pairs = {
	.info.name = "pairs",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "which source, destination, host or NIC is bad",
	.info.details =
		"One model compares each transfer with what is usual for its "
		"collective, size and distance. Explanations compete: the "
		"transmit side of a host, its receive side, the whole host, "
		"one path, a rack's link; in all transfers, in large ones, or "
		"in some that wait for a timer. Each gets odds; what has 9 to "
		"1 or more is a suspect to test. Most slow pairs only wait "
		"for something that is slow elsewhere.\n"
		"Sends are compared where those of all hosts are there and end "
		"with their acknowledgement; otherwise receives, whose two "
		"clocks are fitted. `power` is the upper bound of how slow "
		"each side may be.\n"
		"Clocks that are off are listed apart; not in captures, where "
		"one clock times both ends of a call, and its latency holds "
		"the server's own time. Without --topology, a far pair and a "
		"slow one look the same: less is claimed. A topology of one "
		"rack, of one for each host, or without some of the hosts "
		"counts as none, as nothing here could contradict it.",
	.info.example = "netan pairs logdir -o pairs.svg\n"
			"netan pairs logdir --topology racks.csv --top 50\n"
			"netan pairs logdir --fail-on error -q -o pairs.json",
	.suspects = true,
	.info.method = "integrated likelihoods of competing explanations",
	.many = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS | NA_WANT_OPS |
		 NA_WANT_PROGRAMS | NA_WANT_COMMS,
	.censored = true,
	.both_sides = true,
	.ignores_sends = true,
	.by_steps = true,
	.traces_first = true,
	.info.opts = pairs_opts,
	.info.params_size = sizeof(struct pairs_params),
	.passes_over = NA_COUNTS(GRAPHS) | NA_COUNTS(ACTIONS),
	.begins = 2,
	.reports_coverage = 4,
	.state_size = sizeof(struct pairs_state),
	.passes = 2,
	.counts = NA_COUNTS(TRANSFERS),
	.open = pairs_open,
	.fork = pairs_fork,
	.add_transfer = pairs_add,
	.add_comm = na_pairs_add_comm,
	.add_step = na_pairs_add_step,
	.merge = pairs_merge,
	.turn = pairs_turn,
	.finish = na_pairs_finish,
	.fini = pairs_fini,
	.weight = pairs_weight,
	.severity = na_pairs_severity,
};
