/*
 * shards: copies out of devices, and the sends that wait for them.  First
 * pass: is any copy long, any send large; if so, second pass: executions and
 * copies; third: sends.
 */
#include "netan/analyses/shards/shards.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* The readers count what they see: without a copy there is nothing to do. */
static bool any_copies(const struct na_store *store)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->tallies[i].actions[NA_STYLE_GRAPH][NA_ACT_D2H])
			return true;
	}
	return false;
}

static enum na_status sh_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct sh_state *s = state;

	(void)params;
	s->scope = scope;
	s->sums = na_calloc(scope->store->n_sources, sizeof(*s->sums));
	if (!s->sums)
		return na_fail_nomem(err);
	return any_copies(scope->store) ? NA_OK : NA_END;
}

static enum na_status sh_fork(void *block, const void *state, unsigned pass)
{
	struct sh_state *s = block;
	const struct sh_state *from = state;

	*s = (struct sh_state){.scope = from->scope,
			       .main = from,
			       .pass = pass};
	s->sums = na_calloc(s->scope->store->n_sources, sizeof(*s->sums));
	return s->sums ? NA_OK : NA_ENOMEM;
}

#define ORDER(a, b) \
	do { \
		if ((a) != (b)) \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int key_order(const struct sh_key *a, const struct sh_key *b)
{
	ORDER(a->input, b->input);
	ORDER(a->device, b->device);
	ORDER(a->collective, b->collective);
	return 0;
}

static int by_start(const void *pa, const void *pb)
{
	const struct sh_exec *a = pa, *b = pb;
	int c = key_order(&a->key, &b->key);

	if (c)
		return c;
	ORDER(a->start_ps, b->start_ps);
	ORDER(a->end_ps, b->end_ps);
	return 0;
}

/* The last execution that starts before, if it has not ended by then. */
static struct sh_exec *exec_at(const struct sh_state *m,
			       const struct sh_key *key, int64_t at_ps)
{
	size_t lo = 0, hi = m->n_execs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct sh_exec *x = &m->execs[mid];
		int c = key_order(&x->key, key);

		if (c < 0 || (c == 0 && x->start_ps <= at_ps))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || key_order(&m->execs[lo - 1].key, key) ||
	    m->execs[lo - 1].end_ps < at_ps)
		return NULL;
	return &m->execs[lo - 1];
}

static bool long_copy(const struct sh_exec *x)
{
	return na_time_between(x->copy_from_ps, x->copy_to_ps) >=
	       NA_SH_SHORT_PS;
}

static enum na_status add_send(struct sh_state *s, const struct na_transfer *t)
{
	const struct sh_key key = {t->src, t->collective, t->input};
	const struct sh_exec *x = exec_at(s->main, &key, t->start_ps);

	if (!x || (t->size_bytes < NA_SH_LARGE_BYTES && !long_copy(x)))
		return NA_OK;
	if (!na_grow(&s->sends, &s->cap_sends, s->n_sends + 1,
		     sizeof(*s->sends)))
		return NA_ENOMEM;
	s->sends[s->n_sends++] = (struct sh_send){(size_t)(x - s->main->execs),
						  t->start_ps, t->size_bytes};
	return NA_OK;
}

static enum na_status sh_add(void *block, const struct na_transfer *t)
{
	struct sh_state *s = block;

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

static bool push(struct sh_exec **all, size_t *n, size_t *cap,
		 const struct na_exec *e)
{
	if (!na_grow(all, cap, *n + 1, sizeof(**all)))
		return false;
	(*all)[(*n)++] = (struct sh_exec){
		.key = {e->device, e->collective, e->input},
		.start_ps = e->start_ps,
		.end_ps = e->end_ps,
		.first_send_ps = NA_TIME_MAX,
	};
	return true;
}

static enum na_status sh_add_graph(void *block, const struct na_exec *e)
{
	struct sh_state *s = block;

	return e->style != NA_STYLE_GRAPH || s->pass != 1 ||
			       push(&s->execs, &s->n_execs, &s->cap_execs, e)
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status sh_add_action(void *block, const struct na_exec *e)
{
	struct sh_state *s = block;

	if (e->kind != NA_ACT_D2H || e->style != NA_STYLE_GRAPH || s->pass == 2)
		return NA_ASIDE;
	if (s->pass)
		return push(&s->copies, &s->n_copies, &s->cap_copies, e)
			       ? NA_OK
			       : NA_ENOMEM;
	s->matter |= na_time_between(e->start_ps, e->end_ps) >= NA_SH_SHORT_PS;
	return NA_OK;
}

static enum na_status sh_merge(void *state, void *block, unsigned pass)
{
	struct sh_state *s = state, *b = block;

	(void)pass;
	s->matter |= b->matter;
	for (size_t i = 0; i < s->scope->store->n_sources; i++) {
		s->sums[i].sends += b->sums[i].sends;
		s->sums[i].bytes += b->sums[i].bytes;
	}
	if (!na_grow(&s->execs, &s->cap_execs, s->n_execs + b->n_execs,
		     sizeof(*s->execs)) ||
	    !na_grow(&s->copies, &s->cap_copies, s->n_copies + b->n_copies,
		     sizeof(*s->copies)) ||
	    !na_grow(&s->sends, &s->cap_sends, s->n_sends + b->n_sends,
		     sizeof(*s->sends)))
		return NA_ENOMEM;
	if (b->n_execs)
		memcpy(s->execs + s->n_execs, b->execs,
		       b->n_execs * sizeof(*s->execs));
	if (b->n_copies)
		memcpy(s->copies + s->n_copies, b->copies,
		       b->n_copies * sizeof(*s->copies));
	if (b->n_sends)
		memcpy(s->sends + s->n_sends, b->sends,
		       b->n_sends * sizeof(*s->sends));
	s->n_execs += b->n_execs;
	s->n_copies += b->n_copies;
	s->n_sends += b->n_sends;
	return NA_OK;
}

/* Copies to their executions; those without any are dropped. */
static void join(struct sh_state *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_copies; i++) {
		const struct sh_exec *c = &s->copies[i];
		struct sh_exec *x = exec_at(s, &c->key, c->start_ps);

		if (!x)
			continue;
		if (!x->copies || c->start_ps < x->copy_from_ps)
			x->copy_from_ps = c->start_ps;
		if (!x->copies || c->end_ps > x->copy_to_ps)
			x->copy_to_ps = c->end_ps;
		x->copies++;
	}
	for (size_t i = 0; i < s->n_execs; i++) {
		if (s->execs[i].copies)
			s->execs[n++] = s->execs[i];
	}
	s->n_execs = n;
	free(s->copies);
	s->copies = NULL;
	s->n_copies = s->cap_copies = 0;
}

static enum na_status sh_turn(void *state, unsigned done, struct na_err *err)
{
	struct sh_state *s = state;

	(void)err;
	if (done == 0)
		return s->scope->used->n && s->matter ? NA_OK : NA_END;
	if (done == 2)
		return NA_END;
	if (s->n_execs)
		qsort(s->execs, s->n_execs, sizeof(*s->execs), by_start);
	join(s);
	return s->n_execs ? NA_OK : NA_END;
}

static void sh_fini(void *state)
{
	struct sh_state *s = state;

	free(s->execs);
	free(s->copies);
	free(s->sends);
	free(s->sums);
}

const struct na_analysis na_an_shards = {
	.face.name = "shards",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS,
	.both_sides = true,
	.besides = NA_COMP_BIT(NA_COMP_D2H),
	.begins = 9,
	.state_size = sizeof(struct sh_state),
	.passes = 3,
	.counts = NA_COUNTS(ACTIONS),
	.open = sh_open,
	.fork = sh_fork,
	.add_transfer = sh_add,
	.add_graph = sh_add_graph,
	.add_action = sh_add_action,
	.merge = sh_merge,
	.turn = sh_turn,
	.finish = sh_finish,
	.fini = sh_fini,
};
