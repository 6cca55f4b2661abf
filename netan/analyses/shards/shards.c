/*
 * shards: copies out of devices, and the sends that wait for them.  First
 * pass: is any copy long, any send large; if so, second pass: executions and
 * copies; third: sends.
 */
#include "netan/analyses/shards/state.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

/* The readers count what they see: without a copy there is nothing to do. */
static bool any_copies(const struct na_store *store)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->tallies[i].actions[NA_STYLE_GRAPH][NA_ACT_D2H])
			return true;
	}
	return false;
}

static enum na_status shards_open(void *state, const struct na_scope *scope,
				  const void *params, struct na_err *err)
{
	struct shards_state *s = state;

	(void)params;
	s->scope = scope;
	s->sums = na_calloc(scope->store->n_sources, sizeof(*s->sums));
	if (!s->sums)
		return na_fail_nomem(err);
	return any_copies(scope->store) ? NA_OK : NA_END;
}

static enum na_status shards_fork(void *block, const void *state, unsigned pass)
{
	struct shards_state *s = block;
	const struct shards_state *from = state;

	*s = (struct shards_state){.scope = from->scope,
				   .main = from,
				   .pass = pass};
	s->sums = na_calloc(s->scope->store->n_sources, sizeof(*s->sums));
	return s->sums ? NA_OK : NA_ENOMEM;
}

NA_ORDER(key_order, struct shards_key, NA_UP(input), NA_UP(device),
	 NA_UP(collective))
NA_ORDER(by_start, struct shards_exec, key_order(&x->key, &y->key),
	 NA_UP(start_ps), NA_UP(end_ps))

/* Whether an execution comes behind a time of its device and collective. */
static bool behind(const struct shards_exec *x, const struct shards_key *key,
		   int64_t at_ps)
{
	int c = key_order(&x->key, key);

	return c > 0 || (c == 0 && x->start_ps > at_ps);
}

/* The last execution that starts before, if it has not ended by then. */
static struct shards_exec *exec_at(const struct shards_state *m,
				   const struct shards_key *key, int64_t at_ps)
{
	size_t n = NA_BOUND(i, 0, m->execs.n,
			    behind(&m->execs.v[i], key, at_ps));
	struct shards_exec *last = n ? &m->execs.v[n - 1] : NULL;

	return last && !key_order(&last->key, key) && last->end_ps >= at_ps
		       ? last
		       : NULL;
}

static bool long_copy(const struct shards_exec *x)
{
	return na_time_between(x->copy_from_ps, x->copy_to_ps) >=
	       NA_SH_SHORT_PS;
}

static enum na_status add_send(struct shards_state *s,
			       const struct na_transfer *t)
{
	const struct shards_key key = {t->src, t->collective, t->input};
	const struct shards_exec *x = exec_at(s->main, &key, t->start_ps);

	if (!x || (t->size_bytes < NA_SH_LARGE_BYTES && !long_copy(x)))
		return NA_OK;
	return na_add(&s->sends,
		      ((struct shards_send){(size_t)(x - s->main->execs.v),
					    t->start_ps, t->size_bytes}))
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status add_transfer(void *block, const struct na_transfer *t)
{
	struct shards_state *s = block;

	if (t->side != NA_TX || t->style != NA_STYLE_GRAPH)
		return NA_OK;
	if (s->pass == 2)
		return add_send(s, t);
	if (s->pass)
		return NA_OK;
	s->sums[t->input].sends++;
	s->sums[t->input].bytes += (na_i128)t->size_bytes;
	s->matter |= t->size_bytes >= NA_SH_LARGE_BYTES;
	return NA_OK;
}

static struct shards_exec exec_of(const struct na_exec *e)
{
	return (struct shards_exec){
		.key = {e->device, e->collective, e->input},
		.start_ps = e->start_ps,
		.end_ps = e->end_ps,
		.first_send_ps = NA_TIME_MAX,
	};
}

static enum na_status add_graph(void *block, const struct na_exec *e)
{
	struct shards_state *s = block;

	return e->style != NA_STYLE_GRAPH || s->pass != 1 ||
			       na_add(&s->execs, exec_of(e))
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status add_action(void *block, const struct na_exec *e)
{
	struct shards_state *s = block;

	if (e->kind != NA_ACT_D2H || e->style != NA_STYLE_GRAPH || s->pass == 2)
		return NA_ASIDE;
	if (s->pass)
		return na_add(&s->copies, exec_of(e)) ? NA_OK : NA_ENOMEM;
	s->matter |= na_time_between(e->start_ps, e->end_ps) >= NA_SH_SHORT_PS;
	return NA_OK;
}

static enum na_status shards_merge(void *state, void *block, unsigned pass)
{
	struct shards_state *s = state, *b = block;

	(void)pass;
	s->matter |= b->matter;
	for (size_t i = 0; i < s->scope->store->n_sources; i++) {
		s->sums[i].sends += b->sums[i].sends;
		s->sums[i].bytes += b->sums[i].bytes;
	}
	return na_append(&s->execs, b->execs.v, b->execs.n) &&
			       na_append(&s->copies, b->copies.v,
					 b->copies.n) &&
			       na_append(&s->sends, b->sends.v, b->sends.n)
		       ? NA_OK
		       : NA_ENOMEM;
}

/* Copies to their executions; those without any are dropped. */
static void join(struct shards_state *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->copies.n; i++) {
		const struct shards_exec *c = &s->copies.v[i];
		struct shards_exec *x = exec_at(s, &c->key, c->start_ps);

		if (!x)
			continue;
		if (!x->copies || c->start_ps < x->copy_from_ps)
			x->copy_from_ps = c->start_ps;
		if (!x->copies || c->end_ps > x->copy_to_ps)
			x->copy_to_ps = c->end_ps;
		x->copies++;
	}
	for (size_t i = 0; i < s->execs.n; i++) {
		if (s->execs.v[i].copies)
			s->execs.v[n++] = s->execs.v[i];
	}
	s->execs.n = n;
	na_vec_free(&s->copies);
}

static enum na_status shards_turn(void *state, unsigned done,
				  struct na_err *err)
{
	struct shards_state *s = state;

	(void)err;
	if (done == 0)
		return s->scope->used->n && s->matter ? NA_OK : NA_END;
	if (done == 2)
		return NA_END;
	na_sort(s->execs.v, s->execs.n, by_start);
	join(s);
	return s->execs.n ? NA_OK : NA_END;
}

static void shards_fini(void *state)
{
	struct shards_state *s = state;

	na_vec_free(&s->execs);
	na_vec_free(&s->copies);
	na_vec_free(&s->sends);
	free(s->sums);
}

const struct na_analysis na_an_shards = {
	.info.name = "shards",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS,
	.both_sides = true,
	.extra_components = NA_COMP_BIT(NA_COMP_D2H),
	.begins = 9,
	.state_size = sizeof(struct shards_state),
	.passes = 3,
	.counts = NA_COUNTS(ACTIONS),
	.open = shards_open,
	.fork = shards_fork,
	.add_transfer = add_transfer,
	.add_graph = add_graph,
	.add_action = add_action,
	.merge = shards_merge,
	.turn = shards_turn,
	.finish = na_shards_finish,
	.fini = shards_fini,
};
