/*
 * sizes: few large or many small transfers.  How often each size occurs,
 * exactly, by group; what small transfers are of the count, the bytes and
 * the time; the verdict (docs/methods.md, "Sizes").
 */
#include "netan/analyses/sizes/state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct na_opt sizes_opts[] = {
	{NA_OPT_BYTES, 0, "small", offsetof(struct sizes_params, small_bytes),
	 "BYTES", "64KiB", 0, 0, "a transfer of at most BYTES is small"},
	NA_OPT_END,
};
/* clang-format on */

static const struct na_grouping by_pair = {{NA_KEY_PAIR}, 1};

/* A graph execution knows its host and collective, but no source or size. */
static bool keys_fit_executions(const struct na_grouping *by)
{
	for (size_t i = 0; i < by->n; i++) {
		switch (by->keys[i]) {
		case NA_KEY_HOST:
		case NA_KEY_COLLECTIVE:
		case NA_KEY_TRANSFER_TYPE:
		case NA_KEY_DEVICE:
		case NA_KEY_LABEL:
			break;
		default:
			return false;
		}
	}
	return true;
}

static struct sizes_sums *sums_of(struct sizes_state *s, uint32_t group)
{
	return group == NA_NO_NAME ? NULL : na_vec_at(&s->sums, group);
}

static enum na_status sizes_open(void *state, const struct na_scope *scope,
				 const void *params, struct na_err *err)
{
	struct sizes_state *s = state;

	s->scope = scope;
	s->params = params;
	s->executions = scope->store->graphs.n &&
			keys_fit_executions(&scope->by);
	na_groups_init(&s->groups, &scope->by);
	na_groups_init(&s->pairs, &by_pair);
	s->owned_steps = na_whole_steps(scope);
	if (!s->owned_steps ||
	    (!scope->by.n &&
	     !sums_of(s, na_groups_add(&s->groups, (uint64_t[]){0, 0, 0, 0}))))
		return na_fail_nomem(err);
	s->steps = s->owned_steps;
	return NA_OK;
}

static enum na_status sizes_fork(void *block, const void *state, unsigned pass)
{
	struct sizes_state *s = block;
	const struct sizes_state *from = state;

	(void)pass;
	*s = (struct sizes_state){
		.scope = from->scope,
		.params = from->params,
		.steps = from->steps,
		.executions = from->executions,
	};
	na_groups_init(&s->groups, &s->scope->by);
	na_groups_init(&s->pairs, &by_pair);
	return NA_OK;
}

/* What the fixed cost is estimated from. */
static bool add_pair(struct sizes_state *s, const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS] = {(uint64_t)t->src << 32 | t->dst};
	uint32_t pair = na_groups_add(&s->pairs, values);
	uint64_t *n = pair == NA_NO_NAME ? NULL : na_vec_at(&s->of_pair, pair);

	if (!n)
		return false;
	++*n;
	return t->size_bytes > NA_FIXED_BYTES ||
	       na_add(&s->small,
		      ((struct na_small_record){
			      na_time_between(t->start_ps, t->end_ps), pair}));
}

void na_sizes_add(struct sizes_sums *to, const struct sizes_sums *x)
{
	to->n += x->n;
	to->small_n += x->small_n;
	to->bytes += x->bytes;
	to->small_bytes += x->small_bytes;
	to->time_ps += x->time_ps;
	to->small_time_ps += x->small_time_ps;
	to->executions += x->executions;
	to->in_steps += x->in_steps;
	to->run = x->n ? x->run : to->run;
}

static struct sizes_sums one(const struct sizes_state *s,
			     const struct na_transfer *t)
{
	uint32_t run = s->scope->store->sources[t->input].run;
	const struct na_whole_steps *steps = &s->steps[run];
	na_i128 time_ps = (na_i128)t->end_ps - t->start_ps;
	bool small = t->size_bytes <= (uint64_t)s->params->small_bytes;

	return (struct sizes_sums){
		.n = 1,
		.small_n = small,
		.bytes = (na_i128)t->size_bytes,
		.small_bytes = small ? (na_i128)t->size_bytes : 0,
		.time_ps = time_ps,
		.small_time_ps = small ? time_ps : 0,
		.in_steps = steps->n && t->end_ps >= steps->from_ps &&
			    t->end_ps < steps->to_ps,
		.run = run,
	};
}

static enum na_status add_transfer(void *block, const struct na_transfer *t)
{
	struct sizes_state *s = block;
	struct sizes_sums x = one(s, t), *to;
	uint64_t values[NA_MAX_KEYS];
	uint32_t group;

	na_group_of(&s->scope->by, s->scope->store, t, values);
	group = na_groups_add(&s->groups, values);
	to = sums_of(s, group);
	if (!to || !add_pair(s, t) ||
	    !na_census_add(&s->census, group, (int64_t)t->size_bytes))
		return NA_ENOMEM;
	na_sizes_add(to, &x);
	return NA_OK;
}

static enum na_status add_graph(void *block, const struct na_exec *e)
{
	struct sizes_state *s = block;
	uint64_t values[NA_MAX_KEYS];
	struct sizes_sums *x;

	if (!s->executions)
		return NA_OK;
	na_group_of_exec(&s->scope->by, s->scope->store, e, values);
	x = sums_of(s, na_groups_add(&s->groups, values));
	if (!x)
		return NA_ENOMEM;
	x->executions++;
	return NA_OK;
}

static enum na_status sizes_seal(void *block)
{
	struct sizes_state *s = block;

	na_census_close(&s->census);
	return NA_OK;
}

static bool merge_sums(struct sizes_state *s, const struct sizes_state *b,
		       const uint32_t *group_of)
{
	for (size_t i = 0; i < b->sums.n; i++) {
		struct sizes_sums *to = sums_of(s, group_of[i]);

		if (!to)
			return false;
		na_sizes_add(to, &b->sums.v[i]);
	}
	return true;
}

static bool merge_small(struct sizes_state *s, const struct sizes_state *b,
			const uint32_t *pair_of)
{
	size_t n = s->small.n + b->small.n;
	struct na_small_record *all;

	if (!b->small.n)
		return true;
	/* Exactly: doubled room would not fit what a transfer may take. */
	all = realloc(s->small.v, n * sizeof(*all));
	if (!all)
		return false;
	s->small.v = all;
	s->small.cap = n;
	for (size_t i = 0; i < b->small.n; i++)
		all[s->small.n++] =
			(struct na_small_record){b->small.v[i].latency_ps,
						 pair_of[b->small.v[i].pair]};
	return true;
}

static bool merge_pairs(struct sizes_state *s, const struct sizes_state *b)
{
	uint32_t *pair_of = na_groups_merge(&s->pairs, &b->pairs);
	bool ok = pair_of && merge_small(s, b, pair_of);

	for (size_t i = 0; ok && i < b->of_pair.n; i++) {
		uint64_t *to = na_vec_at(&s->of_pair, pair_of[i]);

		ok = to;
		if (ok)
			*to += b->of_pair.v[i];
	}
	free(pair_of);
	return ok;
}

static enum na_status sizes_merge(void *state, void *block, unsigned pass)
{
	struct sizes_state *s = state, *b = block;
	uint32_t *group_of = na_groups_merge(&s->groups, &b->groups);
	bool ok = group_of && merge_sums(s, b, group_of) && merge_pairs(s, b);

	(void)pass;
	if (ok) {
		na_census_regroup(&b->census, group_of);
		ok = na_census_push(&s->counts, &b->census);
	}
	free(group_of);
	return ok ? NA_OK : NA_ENOMEM;
}

static void sizes_fini(void *state)
{
	struct sizes_state *s = state;

	na_groups_fini(&s->groups);
	na_groups_fini(&s->pairs);
	na_census_fini(&s->census);
	na_census_stack_fini(&s->counts);
	free(s->owned_steps);
	na_vec_free(&s->sums);
	na_vec_free(&s->of_pair);
	na_vec_free(&s->small);
}

const struct na_analysis na_an_sizes = {
	.info.name = "sizes",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "few large or many small transfers",
	.info.details =
		"Counts every distinct size exactly, by number of transfers "
		"and by bytes. The verdict is many_small when more than half "
		"of the transfers are small (at most --small) and they take "
		"more than a quarter of the time on the wire, else "
		"few_large.\n"
		"half_bytes_size is the size at which, counted from the "
		"smallest, half of all bytes are carried; gini is 0 when all "
		"transfers are equally large and nears 1 when few of them "
		"carry everything. The fixed cost is the median latency of "
		"transfers of at most 8 KiB; its share is what that is of all "
		"the time.",
	.info.example =
		"netan sizes logdir -o sizes.svg\n"
		"netan sizes logdir --by collective,transfer_type\n"
		"netan sizes --label before old --label after new -o sizes.svg "
		"-o sizes.json\n"
		"netan sizes host0.xplane.pb --format csv --table distinct",
	.info.method = "quantiles of type 7, Hyndman and Fan, 1996; Gini, 1912",
	.many = true,
	.runs_on_captures = true,
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS,
	.info.opts = sizes_opts,
	.info.params_size = sizeof(struct sizes_params),
	.begins = 8,
	.basis = true,
	.reports_coverage = 1,
	.state_size = sizeof(struct sizes_state),
	.passes = 1,
	.counts = NA_COUNTS(TRANSFERS),
	.open = sizes_open,
	.fork = sizes_fork,
	.add_transfer = add_transfer,
	.add_graph = add_graph,
	.seal = sizes_seal,
	.merge = sizes_merge,
	.finish = na_sizes_finish,
	.fini = sizes_fini,
	.pack = na_sizes_pack,
	.unpack = na_sizes_unpack,
};
