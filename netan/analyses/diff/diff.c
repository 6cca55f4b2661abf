/*
 * diff: what changed from run A to run B.  Latencies and sizes of transfers
 * are gathered with the step they belong to; what device planes tell goes
 * through the analysis of slack, whose occurrences are compared.
 */
#include "netan/analyses/diff/diff.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

extern const struct na_analysis na_an_slack, na_an_steps;

const struct df_kind df_kinds[DF_WHATS] = {
	[DF_LATENCY] = {"latency", "us", 1e-6, DF_SMALLER,
			"transfers on the network", "no network transfers"},
	[DF_SIZES] = {"sizes", "bytes", 1, DF_NEITHER, "bytes of transfers",
		      "no network transfers"},
	[DF_THROUGHPUT] = {"throughput", "gbps", 1, DF_LARGER,
			   "receive rates, all hosts together",
			   "no network transfers"},
	[DF_SLACK] = {"slack", "us", 1e-6, DF_LARGER,
		      "executions of collectives on a device",
		      "no ops over the data-center network on device planes"},
	[DF_STALL] = {"stall", "us", 1e-6, DF_SMALLER,
		      "executions of collectives on a device",
		      "no ops over the data-center network on device planes"},
	[DF_STEPS] = {"steps", "ms", 1e-9, DF_SMALLER,
		      "steps, mean over devices",
		      "neither steps nor program runs on device planes"},
};

const double df_p[DF_QUANTILES] = {0.1, 0.2, 0.3, 0.4,  0.5,  0.6,
				   0.7, 0.8, 0.9, 0.95, 0.99, 0.999};
const char *const df_row_names[DF_ROWS] = {"p10", "p20",   "p30", "p40", "p50",
					   "p60", "p70",   "p80", "p90", "p95",
					   "p99", "p99_9", "mean"};
const char *const df_verdicts[] = {NULL,    "same", "better",
				   "worse", "mix",  "mixed"};

static enum na_status check_runs(const struct na_scope *scope,
				 struct na_err *err)
{
	if (scope->store->n_runs == DF_RUNS)
		return NA_OK;
	if (scope->store->n_runs > DF_RUNS)
		return na_fail(err, NA_EUSAGE,
			       "diff compares two runs; these inputs are of "
			       "%zu: name the files of one run by the same "
			       "--label",
			       scope->store->n_runs);
	return na_fail(err, NA_EDOMAIN,
		       "only one run could be read, and diff compares two");
}

/* Hosts are numbered by run; what is compared goes by name. */
static bool name_hosts(struct df_state *s)
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

static void cover_bins(struct df_state *s)
{
	const struct na_store *store = s->scope->store;
	struct na_extent seen[DF_RUNS] = {{0}};

	for (size_t i = 0; i < store->n_sources; i++)
		na_extent_join(&seen[store->sources[i].run],
			       &store->tallies[i].seen);
	s->bin_ps = 1;
	for (int r = 0; r < DF_RUNS; r++) {
		int64_t ps = na_time_between(seen[r].first_ps,
					     seen[r].last_ps) /
				     DF_BINS +
			     1;

		s->bins_from_ps[r] = seen[r].first_ps;
		s->bin_ps = ps > s->bin_ps ? ps : s->bin_ps;
	}
}

static enum na_status df_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct df_state *s = state;
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
	st = na_an_slack.open(&s->slack, scope, &s->slack_params, err);
	return st == NA_OK ? na_an_steps.open(&s->steps, scope, NULL, err) : st;
}

static enum na_status df_fork(void *block, const void *state, unsigned pass)
{
	const struct df_state *from = state;
	struct df_block *b = block;

	*b = (struct df_block){.main = from};
	na_an_slack.fork(&b->slack, &from->slack, pass);
	return na_an_steps.fork(&b->steps, &from->steps, pass);
}

static size_t bin_of(const struct df_state *s, uint32_t run, int64_t at_ps)
{
	int64_t at = na_time_between(s->bins_from_ps[run], at_ps) / s->bin_ps;

	return at < DF_BINS ? (size_t)at : DF_BINS - 1;
}

static uint32_t stratum_of(struct df_block *b, const struct na_transfer *t,
			   uint32_t run)
{
	const struct na_store *store = b->main->scope->store;
	uint32_t src = na_store_host_of(store, run, t->src);
	uint32_t dst = na_store_host_of(store, run, t->dst), path;
	const uint32_t *as = b->main->host_as;

	path = na_triples_add(
		&b->got.paths,
		(struct na_triple){src < store->n_hosts ? as[src] : src,
				   dst < store->n_hosts ? as[dst] : dst, 0});
	if (path == NA_NO_TRIPLE)
		return path;
	return na_triples_add(&b->got.strata,
			      (struct na_triple){path, t->collective,
						 df_size_bin(t->size_bytes)});
}

static enum na_status df_add(void *block, const struct na_transfer *t)
{
	struct df_block *b = block;
	struct df_gathered *g = &b->got;
	uint32_t run = b->main->scope->store->sources[t->input].run;
	uint32_t unit = df_unit_of(b, t, run), stratum = stratum_of(b, t, run);
	struct df_unit *u;

	if (unit == NA_UNKNOWN_U32 || stratum == NA_NO_TRIPLE ||
	    !na_grow(&g->items, &g->cap_items, g->n_items + 1,
		     sizeof(*g->items)) ||
	    !na_census_add(&b->census, unit,
			   t->size_bytes > INT64_MAX ? INT64_MAX
						     : (int64_t)t->size_bytes))
		return NA_ENOMEM;
	g->items[g->n_items++] = (struct na_boot_item){
		(double)na_time_between(t->start_ps, t->end_ps), unit, stratum};
	u = &g->units[unit];
	if (!u->n || t->start_ps < u->first_ps)
		u->first_ps = t->start_ps;
	if (!u->n || t->end_ps > u->last_ps)
		u->last_ps = t->end_ps;
	u->n++;
	u->run = run;
	u->bytes += (na_i128)t->size_bytes;
	g->bins[run][bin_of(b->main, run, t->end_ps)] += (na_i128)t->size_bytes;
	na_extent_add(&g->used[run], t->start_ps, t->end_ps);
	return NA_OK;
}

static enum na_status df_add_op(void *block, const struct na_op *x)
{
	struct df_block *b = block;

	return na_an_slack.add_op(&b->slack, x);
}

static enum na_status df_add_step(void *block, const struct na_span *x)
{
	struct df_block *b = block;

	return na_an_slack.add_step(&b->slack, x) == NA_OK
		       ? na_an_steps.add_step(&b->steps, x)
		       : NA_ENOMEM;
}

static enum na_status df_add_module(void *block, const struct na_span *x)
{
	struct df_block *b = block;

	return na_an_slack.add_module(&b->slack, x) == NA_OK
		       ? na_an_steps.add_module(&b->steps, x)
		       : NA_ENOMEM;
}

static enum na_status df_seal(void *block)
{
	struct df_block *b = block;

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
static uint32_t *merge_units(struct df_state *s, const struct df_gathered *b)
{
	size_t steps = s->scope->store->n_steps;
	uint32_t *launch_as = merge_keys(&s->got.launches, &b->launches, NULL);
	uint32_t *as = na_calloc(b->n_units + 1, sizeof(*as));
	size_t want = steps + s->got.launches.n;

	if (!launch_as || !as ||
	    !na_grow(&s->got.units, &s->got.cap_units, want,
		     sizeof(*s->got.units))) {
		free(launch_as);
		free(as);
		return NULL;
	}
	for (; s->got.n_units < want; s->got.n_units++)
		s->got.units[s->got.n_units] = (struct df_unit){.n = 0};
	for (size_t i = 0; i < b->n_units; i++) {
		const struct df_unit *from = &b->units[i];
		struct df_unit *to;

		as[i] = (uint32_t)(i < steps ? i
					     : steps + launch_as[i - steps]);
		to = &s->got.units[as[i]];
		if (!from->n)
			continue;
		if (!to->n || from->first_ps < to->first_ps)
			to->first_ps = from->first_ps;
		if (!to->n || from->last_ps > to->last_ps)
			to->last_ps = from->last_ps;
		to->run = from->run;
		to->none = from->none;
		to->n += from->n;
		to->bytes += from->bytes;
	}
	free(launch_as);
	return as;
}

static bool merge_items(struct df_state *s, const struct df_gathered *b,
			const uint32_t *unit_as)
{
	uint32_t *path_as = merge_keys(&s->got.paths, &b->paths, NULL),
		 *as = NULL;
	bool ok = path_as;

	if (ok)
		as = merge_keys(&s->got.strata, &b->strata, path_as);
	/* Once for all: doubling would take as much again. */
	ok = ok && as &&
	     na_grow(&s->got.items, &s->got.cap_items,
		     s->got.items ? s->got.n_items + b->n_items
				  : s->scope->store->transfers.n,
		     sizeof(*s->got.items)) &&
	     na_grow(&s->got.items, &s->got.cap_items,
		     s->got.n_items + b->n_items, sizeof(*s->got.items));
	for (size_t i = 0; ok && i < b->n_items; i++) {
		struct na_boot_item x = b->items[i];

		x.unit = unit_as[x.unit];
		x.kind = as[x.kind];
		s->got.items[s->got.n_items++] = x;
	}
	free(path_as);
	free(as);
	return ok;
}

static enum na_status df_merge(void *state, void *block, unsigned pass)
{
	struct df_state *s = state;
	struct df_block *b = block;
	const struct df_gathered *g = &b->got;
	uint32_t *unit_as = merge_units(s, g);
	bool ok = unit_as && (!g->n_items || merge_items(s, g, unit_as));

	if (ok && g->n_items) {
		na_census_regroup(&b->census, unit_as);
		ok = na_census_push(&s->counts, &b->census);
	}
	free(unit_as);
	for (uint32_t r = 0; ok && r < DF_RUNS; r++) {
		na_extent_join(&s->got.used[r], &g->used[r]);
		for (size_t k = 0; k < DF_BINS; k++)
			s->got.bins[r][k] += g->bins[r][k];
	}
	ok = ok && na_an_slack.merge(&s->slack, &b->slack, pass) == NA_OK;
	return ok ? na_an_steps.merge(&s->steps, &b->steps, pass) : NA_ENOMEM;
}

static enum na_status df_turn(void *state, unsigned done, struct na_err *err)
{
	struct df_state *s = state;
	enum na_status st = na_an_slack.turn(&s->slack, done, err);

	if (st < NA_OK)
		return st;
	/* Of the steps, their times alone. */
	s->steps.clocks = &s->steps.own_clocks;
	if (!na_host_clocks_settle(&s->steps.own_clocks) ||
	    !st_build_lines(&s->steps) || !st_build_hosts(&s->steps))
		return na_fail_nomem(err);
	if (!df_number_units(s) || !df_samples(s) || !df_judge(s) ||
	    !df_judge_mix(s) || !df_parts(s))
		return na_fail_nomem(err);
	return NA_END;
}

static void fini_gathered(struct df_gathered *g)
{
	na_triples_fini(&g->paths);
	na_triples_fini(&g->strata);
	na_triples_fini(&g->launches);
	free(g->items);
	free(g->units);
}

static void fini_block(void *block)
{
	struct df_block *b = block;

	na_an_slack.fini_block(&b->slack);
	na_an_steps.fini_block(&b->steps);
	na_census_fini(&b->census);
	fini_gathered(&b->got);
}

static void df_fini(void *state)
{
	struct df_state *s = state;

	for (int m = 0; m < DF_WHATS; m++) {
		for (int r = 0; r < DF_RUNS; r++) {
			if (m != DF_LATENCY) /* these are items */
				free(s->metrics[m].s[r].x);
			free(s->metrics[m].s[r].weight);
		}
	}
	na_an_slack.fini(&s->slack);
	na_an_steps.fini(&s->steps);
	fini_gathered(&s->got);
	na_census_stack_fini(&s->counts);
	free(s->host_as);
	free(s->changes);
}

static enum na_severity df_severity(const void *state)
{
	return ((const struct df_state *)state)->any_met ? NA_SEV_ERROR
							 : NA_SEV_NONE;
}

const struct na_analysis na_an_diff = {
	.face.name = "diff",
	.wants = NA_WANT_TRANSFERS | NA_WANT_OPS | NA_WANT_STEPS |
		 NA_WANT_MODULES | NA_WANT_PROGRAMS,
	.by_steps = true,
	.face.params_size = sizeof(struct df_params),
	.state_size = sizeof(struct df_state),
	.block_size = sizeof(struct df_block),
	.passes = 1,
	.check = df_check,
	.open = df_open,
	.fork = df_fork,
	.add_transfer = df_add,
	.add_op = df_add_op,
	.add_step = df_add_step,
	.add_module = df_add_module,
	.seal = df_seal,
	.merge = df_merge,
	.turn = df_turn,
	.finish = df_finish,
	.fini = df_fini,
	.fini_block = fini_block,
	.severity = df_severity,
};
