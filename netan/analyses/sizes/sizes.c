/*
 * sizes: few large or many small transfers.  How often each size occurs,
 * exactly, by group; what small transfers are of the count, the bytes and
 * the time; the verdict (docs/methods.md, "Sizes").
 */
#include "netan/analyses/sizes/sizes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* clang-format off */
static const struct na_opt sizes_opts[] = {
	{NA_OPT_BYTES, 0, "small", offsetof(struct sz_params, small_bytes),
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

static struct sz_sums *sums_of(struct sz_state *s, uint32_t group)
{
	if (group == NA_NO_NAME ||
	    !na_grow(&s->sums, &s->cap_sums, (size_t)group + 1,
		     sizeof(*s->sums)))
		return NULL;
	for (; s->n_sums <= group; s->n_sums++)
		memset(&s->sums[s->n_sums], 0, sizeof(*s->sums));
	return &s->sums[group];
}

static enum na_status sz_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct sz_state *s = state;

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

static enum na_status sz_fork(void *block, const void *state, unsigned pass)
{
	struct sz_state *s = block;
	const struct sz_state *from = state;

	(void)pass;
	*s = (struct sz_state){
		.scope = from->scope,
		.params = from->params,
		.steps = from->steps,
		.executions = from->executions,
	};
	na_groups_init(&s->groups, &s->scope->by);
	na_groups_init(&s->pairs, &by_pair);
	return NA_OK;
}

static uint64_t *count_of_pair(struct sz_state *s, uint32_t pair)
{
	if (pair == NA_NO_NAME ||
	    !na_grow(&s->n_of_pair, &s->cap_pairs, (size_t)pair + 1,
		     sizeof(*s->n_of_pair)))
		return NULL;
	for (; s->n_pairs <= pair; s->n_pairs++)
		s->n_of_pair[s->n_pairs] = 0;
	return &s->n_of_pair[pair];
}

/* What the fixed cost is estimated from. */
static bool add_pair(struct sz_state *s, const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS] = {(uint64_t)t->src << 32 | t->dst};
	uint32_t pair = na_groups_add(&s->pairs, values);
	uint64_t *n = count_of_pair(s, pair);

	if (!n)
		return false;
	++*n;
	if (t->size_bytes > NA_FIXED_BYTES)
		return true;
	if (!na_grow(&s->small, &s->cap_small, s->n_small + 1,
		     sizeof(*s->small)))
		return false;
	s->small[s->n_small++] = (struct na_small_record){
		na_time_between(t->start_ps, t->end_ps), pair};
	return true;
}

static enum na_status sz_add(void *block, const struct na_transfer *t)
{
	struct sz_state *s = block;
	uint32_t run = s->scope->store->sources[t->input].run;
	const struct na_whole_steps *steps = &s->steps[run];
	uint64_t values[NA_MAX_KEYS];
	na_i128 time_ps = (na_i128)t->end_ps - t->start_ps;
	bool small = t->size_bytes <= (uint64_t)s->params->small_bytes;
	struct sz_sums *x;
	uint32_t group;

	na_group_of(&s->scope->by, s->scope->store, t, values);
	group = na_groups_add(&s->groups, values);
	x = sums_of(s, group);
	if (!x || !add_pair(s, t) ||
	    !na_census_add(&s->census, group, (int64_t)t->size_bytes))
		return NA_ENOMEM;
	x->n++;
	x->bytes += (na_i128)t->size_bytes;
	x->time_ps += time_ps;
	x->small_n += small;
	x->small_bytes += small ? (na_i128)t->size_bytes : 0;
	x->small_time_ps += small ? time_ps : 0;
	x->in_steps += steps->n && t->end_ps >= steps->from_ps &&
		       t->end_ps < steps->to_ps;
	x->run = run;
	return NA_OK;
}

static enum na_status sz_add_graph(void *block, const struct na_exec *e)
{
	struct sz_state *s = block;
	uint64_t values[NA_MAX_KEYS];
	struct sz_sums *x;

	if (!s->executions)
		return NA_OK;
	na_group_of_exec(&s->scope->by, s->scope->store, e, values);
	x = sums_of(s, na_groups_add(&s->groups, values));
	if (!x)
		return NA_ENOMEM;
	x->executions++;
	return NA_OK;
}

static enum na_status sz_seal(void *block)
{
	struct sz_state *s = block;

	na_census_close(&s->census);
	return NA_OK;
}

static bool merge_sums(struct sz_state *s, const struct sz_state *b,
		       const uint32_t *group_of)
{
	for (size_t i = 0; i < b->n_sums; i++) {
		const struct sz_sums *from = &b->sums[i];
		struct sz_sums *to = sums_of(s, group_of[i]);

		if (!to)
			return false;
		to->n += from->n;
		to->small_n += from->small_n;
		to->bytes += from->bytes;
		to->small_bytes += from->small_bytes;
		to->time_ps += from->time_ps;
		to->small_time_ps += from->small_time_ps;
		to->executions += from->executions;
		to->in_steps += from->in_steps;
		to->run = from->n ? from->run : to->run;
	}
	return true;
}

static bool merge_pairs(struct sz_state *s, struct sz_state *b)
{
	uint32_t *pair_of = na_groups_merge(&s->pairs, &b->pairs);
	size_t n = s->n_small + b->n_small;
	struct na_small_record *all = NULL;
	bool ok = pair_of;

	for (size_t i = 0; ok && i < b->n_pairs; i++) {
		uint64_t *to = count_of_pair(s, pair_of[i]);

		ok = to;
		if (ok)
			*to += b->n_of_pair[i];
	}
	/* Exactly: doubled room would not fit what a transfer may take. */
	if (ok && b->n_small) {
		all = realloc(s->small, n * sizeof(*all));
		ok = all;
	}
	for (size_t i = 0; ok && i < b->n_small; i++)
		all[s->n_small + i] =
			(struct na_small_record){b->small[i].latency_ps,
						 pair_of[b->small[i].pair]};
	if (all) {
		s->small = all;
		s->n_small = n;
	}
	free(pair_of);
	return ok;
}

static enum na_status sz_merge(void *state, void *block, unsigned pass)
{
	struct sz_state *s = state, *b = block;
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

static enum na_status sz_turn(void *state, unsigned done, struct na_err *err)
{
	(void)state;
	(void)done;
	(void)err;
	return NA_END;
}

static void sz_fini(void *state)
{
	struct sz_state *s = state;

	na_groups_fini(&s->groups);
	na_groups_fini(&s->pairs);
	na_census_fini(&s->census);
	na_census_stack_fini(&s->counts);
	free(s->owned_steps);
	free(s->sums);
	free(s->n_of_pair);
	free(s->small);
}

const struct na_analysis na_an_sizes = {
	.face.name = "sizes",
	.face.usage = "[OPTION…] INPUT…",
	.face.question = "few large or many small transfers",
	.face.details =
		"Counts every distinct size exactly, by number of transfers "
		"and by bytes.  The verdict is many_small when more than half "
		"of the transfers are small (at most --small) and they take "
		"more than a quarter of the time on the wire, else "
		"few_large.\n"
		"half_bytes_size is the size at which, counted from the "
		"smallest, half of all bytes are carried; gini is 0 when all "
		"transfers are equally large and nears 1 when few of them "
		"carry everything.  The fixed cost is the median latency of "
		"transfers of at most 8 KiB; its share is what that is of all "
		"the time.",
	.face.example =
		"netan sizes logdir -o sizes.svg\n"
		"netan sizes logdir --by collective,transfer_type\n"
		"netan sizes --label before old --label after new -o sizes.svg "
		"-o sizes.json\n"
		"netan sizes host0.xplane.pb --format csv --table distinct",
	.face.method = "quantiles of type 7, Hyndman and Fan, 1996; Gini, 1912",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS,
	.face.opts = sizes_opts,
	.face.params_size = sizeof(struct sz_params),
	.begins = 8,
	.basis = true,
	.tells_coverage = 1,
	.state_size = sizeof(struct sz_state),
	.passes = 1,
	.counts = NA_COUNTS(TRANSFERS),
	.open = sz_open,
	.fork = sz_fork,
	.add_transfer = sz_add,
	.add_graph = sz_add_graph,
	.seal = sz_seal,
	.merge = sz_merge,
	.turn = sz_turn,
	.finish = sz_finish,
	.fini = sz_fini,
};
