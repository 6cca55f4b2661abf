/* sizes: what one block has counted, between processes. */
#include "netan/analyses/sizes/state.h"

static void put_sums(struct na_serializer *to, const struct sizes_sums *x)
{
	na_pack_number(to, x->n);
	na_pack_number(to, x->small_n);
	na_pack_wide(to, x->bytes);
	na_pack_wide(to, x->small_bytes);
	na_pack_wide(to, x->time_ps);
	na_pack_wide(to, x->small_time_ps);
	na_pack_number(to, x->executions);
	na_pack_number(to, x->in_steps);
	na_pack_number(to, x->run);
}

static void get_sums(struct na_deserializer *from, struct sizes_sums *x,
		     size_t n_runs)
{
	x->n = na_unpack_tally(from);
	x->small_n = na_unpack_tally(from);
	x->bytes = na_unpack_sum(from);
	x->small_bytes = na_unpack_sum(from);
	x->time_ps = na_unpack_sum(from);
	x->small_time_ps = na_unpack_sum(from);
	x->executions = na_unpack_tally(from);
	x->in_steps = na_unpack_tally(from);
	x->run = (uint32_t)na_unpack_index(from, n_runs);
}

static void put_pairs(struct na_serializer *to, const struct sizes_state *s)
{
	na_groups_pack(&s->pairs, to);
	for (size_t i = 0; i < s->of_pair.n; i++)
		na_pack_number(to, s->of_pair.v[i]);
	na_pack_number(to, s->small.n);
	for (size_t i = 0; i < s->small.n; i++) {
		na_pack_signed(to, s->small.v[i].latency_ps);
		na_pack_number(to, s->small.v[i].pair);
	}
}

static void get_pairs(struct na_deserializer *from, struct sizes_state *s)
{
	const struct na_grouping by_pair = {{NA_KEY_PAIR}, 1};
	size_t n;

	na_groups_unpack(&s->pairs, &by_pair, s->scope->store, from);
	n = na_groups_count(&s->pairs);
	for (size_t i = 0; !from->failed && i < n; i++)
		na_unpack_must(from,
			       na_add(&s->of_pair, na_unpack_tally(from)));
	for (size_t i = na_unpack_count(from); !from->failed && i > 0; i--) {
		struct na_small_record x;

		x.latency_ps = na_unpack_signed(from);
		x.pair = (uint32_t)na_unpack_index(from, n);
		na_unpack_must(from, na_add(&s->small, x));
	}
}

void na_sizes_pack(void *state, enum na_packed_state what, unsigned pass,
		   struct na_serializer *to)
{
	const struct sizes_state *s = state;

	(void)pass;
	if (what != NA_PACKED_BLOCK)
		return;
	na_groups_pack(&s->groups, to);
	for (size_t i = 0; i < s->sums.n; i++)
		put_sums(to, &s->sums.v[i]);
	na_census_pack(&s->census, to);
	put_pairs(to, s);
}

void na_sizes_unpack(void *state, enum na_packed_state what, unsigned pass,
		     struct na_deserializer *from)
{
	struct sizes_state *s = state;
	size_t n;

	(void)pass;
	if (what != NA_PACKED_BLOCK)
		return;
	na_groups_unpack(&s->groups, &s->scope->by, s->scope->store, from);
	n = na_groups_count(&s->groups);
	for (size_t i = 0; !from->failed && i < n; i++) {
		struct sizes_sums x;

		get_sums(from, &x, s->scope->store->n_runs);
		na_unpack_must(from, na_add(&s->sums, x));
	}
	na_census_unpack(&s->census, n, from);
	get_pairs(from, s);
}
