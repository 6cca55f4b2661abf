/*
 * diff: what changed from run A to run B.  Latencies and sizes of transfers
 * are gathered with the step they belong to; what device planes tell goes
 * through the analysis of slack, whose occurrences are compared.
 */
#include "netan/analyses/diff/state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern const struct na_analysis na_an_slack, na_an_steps;

const struct diff_kind na_diff_kinds[DIFF_WHATS] = {
	[DIFF_LATENCY] = {"latency", "us", 1.0 / NA_PS_PER_US, DIFF_SMALLER,
			  "transfers on the network", "no network transfers"},
	[DIFF_SIZES] = {"sizes", "bytes", 1, DIFF_NEITHER, "bytes of transfers",
			"no network transfers"},
	[DIFF_THROUGHPUT] = {"throughput", "gbps", 1, DIFF_LARGER,
			     "receive rates, all hosts together",
			     "no network transfers"},
	[DIFF_SLACK] = {"slack", "us", 1.0 / NA_PS_PER_US, DIFF_LARGER,
			"executions of collectives on a device",
			"no ops over the data-center network on device planes"},
	[DIFF_STALL] = {"stall", "us", 1.0 / NA_PS_PER_US, DIFF_SMALLER,
			"executions of collectives on a device",
			"no ops over the data-center network on device planes"},
	[DIFF_STEPS] = {"steps", "ms", 1.0 / NA_PS_PER_MS, DIFF_SMALLER,
			"steps with the gap before them, mean over devices",
			"neither steps nor program runs on device planes"},
};

const double na_diff_p[DIFF_QUANTILES] = {0.1, 0.2, 0.3, 0.4,  0.5,  0.6,
					  0.7, 0.8, 0.9, 0.95, 0.99, 0.999};
const char *const na_diff_row_names[DIFF_ROWS] = {"p10", "p20", "p30", "p40",
						  "p50", "p60", "p70", "p80",
						  "p90", "p95", "p99", "p99_9",
						  "mean"};
const char *const na_diff_verdicts[] = {NULL,    "unclear", "same",
					"better", "worse",  "mix",
					"mixed", "differs", "unlike"};

static enum na_status check_runs(const struct na_scope *scope,
				 struct na_err *err)
{
	if (scope->store->n_runs == DIFF_RUNS)
		return NA_OK;
	if (scope->store->n_runs > DIFF_RUNS)
		return na_fail(err, NA_EUSAGE,
			       "diff compares two runs; these inputs are of "
			       "%zu: name the files of one run by the same "
			       "--label",
			       scope->store->n_runs);
	return na_fail(err, NA_EDOMAIN,
		       "only one run could be read, and diff compares two");
}

/* Hosts are numbered by run; what is compared goes by name. */
static bool name_hosts(struct diff_state *s)
{
	const struct na_store *store = s->scope->store;
	struct na_strtab names = {0};
	uint32_t *first = na_calloc(store->n_hosts + 1, sizeof(*first));
	bool ok;

	s->host_as = na_calloc(store->n_hosts + 1, sizeof(*s->host_as));
	ok = s->host_as && first;
	for (size_t i = 0; ok && i < store->n_hosts; i++) {
		const char *name = store->hosts[i].name;
		uint32_t at = na_strtab_add(&names, name, strlen(name));

		ok = at != NA_NO_NAME;
		if (!ok)
			break;
		if (!first[at]) /* index + 1 */
			first[at] = (uint32_t)i + 1;
		s->host_as[i] = first[at] - 1;
	}
	na_strtab_fini(&names);
	free(first);
	return ok;
}

static void cover_bins(struct diff_state *s)
{
	const struct na_store *store = s->scope->store;
	struct na_extent all[DIFF_RUNS] = {{.n = 0}};

	for (size_t i = 0; i < store->n_sources; i++)
		na_extent_join(&all[store->sources[i].run],
			       &store->tallies[i].seen);
	s->bin_ps = 1;
	for (int r = 0; r < DIFF_RUNS; r++) {
		int64_t ps = na_time_between(all[r].first_ps, all[r].last_ps);

		s->bins_from_ps[r] = all[r].first_ps;
		s->piece_ps[r] = ps / DIFF_BINS + 1;
		if (s->piece_ps[r] > s->bin_ps)
			s->bin_ps = s->piece_ps[r];
	}
}

static enum na_status diff_open(void *state, const struct na_scope *scope,
				const void *params, struct na_err *err)
{
	struct diff_state *s = state;
	enum na_status st = check_runs(scope, err);

	if (st != NA_OK)
		return st;
	s->scope = scope;
	s->params = params;
	for (size_t i = 0; i < scope->store->n_sources; i++) {
		const struct na_source *x = &scope->store->sources[i];

		if (!s->labels[x->run])
			s->labels[x->run] = x->label && *x->label ? x->label
					    : x->run              ? "B"
								  : "A";
	}
	cover_bins(s);
	if (!name_hosts(s))
		return na_fail_nomem(err);
	s->clocks = na_host_clocks_of(scope, NULL, &s->own_clocks);
	if (!s->clocks)
		return na_fail_nomem(err);
	st = na_an_slack.open(&s->slack, scope, &s->slack_params, err);
	return st == NA_OK ? na_an_steps.open(&s->steps, scope, NULL, err) : st;
}

static enum na_status diff_fork(void *block, const void *state, unsigned pass)
{
	const struct diff_state *from = state;
	struct diff_block *b = block;

	*b = (struct diff_block){.main = from};
	na_an_slack.fork(&b->slack, &from->slack, pass);
	return na_an_steps.fork(&b->steps, &from->steps, pass);
}

static uint32_t stratum_of(struct diff_block *b, const struct na_transfer *t,
			   uint32_t run)
{
	const struct na_store *store = b->main->scope->store;
	const uint32_t *as = b->main->host_as;
	struct na_triple path = {na_store_host_of(store, run, t->src),
				 na_store_host_of(store, run, t->dst), 0};
	uint32_t at;

	path.a = path.a < store->n_hosts ? as[path.a] : path.a;
	path.b = path.b < store->n_hosts ? as[path.b] : path.b;
	at = na_triples_add(&b->got.paths, path);
	if (at == NA_NO_TRIPLE)
		return at;
	return na_triples_add(&b->got.strata,
			      (struct na_triple){at, t->collective,
						 na_diff_size_bin(
							 t->size_bytes)});
}

static enum na_status diff_add(void *block, const struct na_transfer *t)
{
	struct diff_block *b = block;
	struct diff_gathered *g = &b->got;
	uint32_t run = b->main->scope->store->sources[t->input].run;
	uint32_t unit = na_diff_unit_of(b, t, run);
	uint32_t stratum = stratum_of(b, t, run);
	uint64_t most = INT64_MAX;
	struct na_boot_item x = {(double)na_host_clocks_latency(b->main->clocks,
								t),
				 unit, stratum};
	struct diff_unit *u;

	if (unit == NA_UNKNOWN_U32 || stratum == NA_NO_TRIPLE ||
	    !na_add(&g->items, x) ||
	    !na_census_add(&b->census, unit,
			   (int64_t)(t->size_bytes < most ? t->size_bytes
							  : most)))
		return NA_ENOMEM;
	u = &g->units.v[unit];
	na_extent_add(&u->time, t->start_ps, t->end_ps);
	u->run = run;
	u->bytes += (na_i128)t->size_bytes;
	g->bins[run][na_diff_piece_of(b->main, run, t->end_ps,
				      b->main->bin_ps)] +=
		(na_i128)t->size_bytes;
	na_extent_add(&g->used[run], t->start_ps, t->end_ps);
	return NA_OK;
}

static enum na_status diff_add_op(void *block, const struct na_op *x)
{
	struct diff_block *b = block;

	return na_an_slack.add_op(&b->slack, x);
}

static enum na_status diff_add_step(void *block, const struct na_span *x)
{
	struct diff_block *b = block;

	return na_an_slack.add_step(&b->slack, x) == NA_OK
		       ? na_an_steps.add_step(&b->steps, x)
		       : NA_ENOMEM;
}

static bool add_program(struct diff_gathered *g, uint32_t name, uint32_t run,
			na_i128 ps)
{
	na_i128 *to = na_triples_at(&g->programs, &g->program_ps,
				    ((struct na_triple){name, run, 0}));

	if (to)
		*to += ps;
	return to;
}

static enum na_status diff_add_module(void *block, const struct na_span *x)
{
	struct diff_block *b = block;
	uint32_t run = na_store_run_of(b->main->scope->store, x->input);

	if (!add_program(&b->got, x->name, run,
			 na_time_between(x->start_ps, x->end_ps)))
		return NA_ENOMEM;
	return na_an_slack.add_module(&b->slack, x) == NA_OK
		       ? na_an_steps.add_module(&b->steps, x)
		       : NA_ENOMEM;
}

static enum na_status diff_seal(void *block)
{
	struct diff_block *b = block;

	na_census_close(&b->census);
	return NA_OK;
}

/* Of all keys of `from`, their index in `into`; the caller frees. */
static uint32_t *merge_keys(struct na_triples *into,
			    const struct na_triples *from,
			    const uint32_t *first_as)
{
	uint32_t *as = na_calloc(from->n + 1, sizeof(*as));

	for (size_t i = 0; as && i < from->n; i++) {
		struct na_triple key = from->keys[i];

		if (first_as)
			key.a = first_as[key.a];
		as[i] = na_triples_add(into, key);
		if (as[i] == NA_NO_TRIPLE) {
			free(as);
			return NULL;
		}
	}
	return as;
}

/* Steps stand at their own places; launches behind them. */
static uint32_t *merge_units(struct diff_state *s,
			     const struct diff_gathered *b)
{
	size_t steps = s->scope->store->n_steps;
	uint32_t *launch_as = merge_keys(&s->got.launches, &b->launches, NULL);
	uint32_t *as = na_calloc(b->units.n + 1, sizeof(*as));

	if (!launch_as || !as || !na_diff_grow_units(s, &s->got)) {
		free(launch_as);
		free(as);
		return NULL;
	}
	for (size_t i = 0; i < b->units.n; i++) {
		const struct diff_unit *from = &b->units.v[i];
		struct diff_unit *to;

		as[i] = (uint32_t)(i < steps ? i
					     : steps + launch_as[i - steps]);
		to = &s->got.units.v[as[i]];
		if (!from->time.n)
			continue;
		na_extent_join(&to->time, &from->time);
		to->run = from->run;
		to->of_time = from->of_time;
		to->bytes += from->bytes;
	}
	free(launch_as);
	return as;
}

static bool merge_items(struct diff_state *s, const struct diff_gathered *b,
			const uint32_t *unit_as)
{
	uint32_t *path_as = merge_keys(&s->got.paths, &b->paths, NULL);
	uint32_t *as = path_as ? merge_keys(&s->got.strata, &b->strata, path_as)
			       : NULL;
	size_t all = s->scope->store->transfers.n;
	/* Once for all: doubling would take as much again. */
	bool ok = as && (s->got.items.n || na_room(&s->got.items, all)) &&
		  na_room(&s->got.items, b->items.n);

	for (size_t i = 0; ok && i < b->items.n; i++) {
		struct na_boot_item x = b->items.v[i];

		x.unit = unit_as[x.unit];
		x.kind = as[x.kind];
		s->got.items.v[s->got.items.n++] = x;
	}
	free(path_as);
	free(as);
	return ok;
}

static bool merge_programs(struct diff_state *s, const struct diff_gathered *b)
{
	for (size_t i = 0; i < b->programs.n; i++) {
		const struct na_triple *key = &b->programs.keys[i];

		if (!add_program(&s->got, key->a, key->b, b->program_ps.v[i]))
			return false;
	}
	return true;
}

static enum na_status diff_merge(void *state, void *block, unsigned pass)
{
	struct diff_state *s = state;
	struct diff_block *b = block;
	const struct diff_gathered *g = &b->got;
	uint32_t *unit_as = merge_units(s, g);
	bool ok = unit_as && (!g->items.n || merge_items(s, g, unit_as)) &&
		  merge_programs(s, g);

	if (ok && g->items.n) {
		na_census_regroup(&b->census, unit_as);
		ok = na_census_push(&s->counts, &b->census);
	}
	free(unit_as);
	for (uint32_t r = 0; ok && r < DIFF_RUNS; r++) {
		na_extent_join(&s->got.used[r], &g->used[r]);
		for (size_t k = 0; k < DIFF_BINS; k++)
			s->got.bins[r][k] += g->bins[r][k];
	}
	ok = ok && na_an_slack.merge(&s->slack, &b->slack, pass) == NA_OK;
	return ok ? na_an_steps.merge(&s->steps, &b->steps, pass) : NA_ENOMEM;
}

static enum na_status diff_turn(void *state, unsigned done, struct na_err *err)
{
	struct diff_state *s = state;
	enum na_status st = na_an_slack.turn(&s->slack, done, err);

	if (st < NA_OK)
		return st;
	/* Of the steps, their times alone. */
	s->steps.clocks = &s->steps.own_clocks;
	if (!na_host_clocks_settle(&s->steps.own_clocks) ||
	    !na_steps_build_lines(&s->steps) ||
	    !na_steps_build_hosts(&s->steps))
		return na_fail_nomem(err);
	if (!na_diff_number_units(s) || !na_diff_samples(s) ||
	    !na_diff_judge(s) || !na_diff_judge_mix(s) || !na_diff_parts(s) ||
	    !na_diff_judge_alike(s))
		return na_fail_nomem(err);
	return NA_END;
}

static void fini_gathered(struct diff_gathered *g)
{
	na_triples_fini(&g->paths);
	na_triples_fini(&g->strata);
	na_triples_fini(&g->launches);
	na_triples_fini(&g->programs);
	na_vec_free(&g->program_ps);
	na_vec_free(&g->items);
	na_vec_free(&g->units);
}

static void fini_block(void *block)
{
	struct diff_block *b = block;

	na_an_slack.fini_block(&b->slack);
	na_an_steps.fini_block(&b->steps);
	na_census_fini(&b->census);
	fini_gathered(&b->got);
}

static void diff_fini(void *state)
{
	struct diff_state *s = state;

	for (int m = 0; m < DIFF_WHATS; m++) {
		for (int r = 0; r < DIFF_RUNS; r++) {
			if (m != DIFF_LATENCY) /* these are items */
				free(s->metrics[m].s[r].x);
			free(s->metrics[m].s[r].weight);
		}
	}
	na_host_clocks_fini(&s->own_clocks);
	na_an_slack.fini(&s->slack);
	na_an_steps.fini(&s->steps);
	fini_gathered(&s->got);
	na_census_stack_fini(&s->counts);
	free(s->host_as);
	free(s->in_stratum);
	free(s->changes);
}

static enum na_severity diff_severity(const void *state)
{
	return ((const struct diff_state *)state)->any_met ? NA_SEV_ERROR
							   : NA_SEV_NONE;
}

const struct na_analysis na_an_diff = {
	.info.name = "diff",
	.wants = NA_WANT_TRANSFERS | NA_WANT_OPS | NA_WANT_STEPS |
		 NA_WANT_MODULES | NA_WANT_PROGRAMS,
	.clocks = true,
	.by_steps = true,
	.info.params_size = sizeof(struct diff_params),
	.state_size = sizeof(struct diff_state),
	.block_size = sizeof(struct diff_block),
	.passes = 1,
	.check = na_diff_check,
	.open = diff_open,
	.fork = diff_fork,
	.add_transfer = diff_add,
	.add_op = diff_add_op,
	.add_step = diff_add_step,
	.add_module = diff_add_module,
	.seal = diff_seal,
	.merge = diff_merge,
	.turn = diff_turn,
	.finish = na_diff_finish,
	.fini = diff_fini,
	.fini_block = fini_block,
	.severity = diff_severity,
};
