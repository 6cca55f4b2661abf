/* steps: transfers of each instance of a collective, and what they add to
 * the steps. */
#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"

/* So far ahead a merge says which key comes. */
enum { EXPECT = 16 };

static struct st_share *share_of(struct st_gathered *g, uint32_t collective,
				 uint32_t instance, uint32_t host,
				 uint32_t step)
{
	struct na_triple key = {collective, instance, host};
	uint32_t k = na_triples_add(&g->keys, key);

	if (k == NA_NO_TRIPLE ||
	    (k == g->shares.n &&
	     !na_add(&g->shares,
		     ((struct st_share){.first_send_ps = NA_TIME_MAX,
					.last_receive_ps = NA_TIME_MIN,
					.step = step}))))
		return NULL;
	return &g->shares.v[k];
}

/* By launch and iteration, which all hosts share; else by step. */
static bool instance_of(const struct st_block *b, const struct na_transfer *t,
			struct na_triple *key)
{
	uint32_t run = b->main->scope->store->sources[t->input].run;

	if (t->launch != NA_UNKNOWN_U32)
		*key = (struct na_triple){t->launch, t->iteration, 2 * run};
	else
		*key = (struct na_triple){t->step, 0, 2 * run + 1};
	return key->a != NA_UNKNOWN_U32 && t->collective != NA_UNKNOWN_U32;
}

static void add_latency(struct st_share *x, int64_t ps, int64_t unsure_ps)
{
	x->latency_ps += ps;
	x->n++;
	if (unsure_ps > x->unsure_ps)
		x->unsure_ps = unsure_ps;
}

/* On one clock; only between hosts whose clocks are known to each other. */
static bool latency_of(const struct st_block *b, const struct na_transfer *t,
		       uint32_t src, int64_t *ps, int64_t *unsure_ps)
{
	const struct na_host_clocks *k = b->main->clocks;
	int64_t differ;

	*ps = na_time_between(t->start_ps, t->end_ps);
	differ = na_host_clocks_ahead(k, src, t->input, unsure_ps);
	return *unsure_ps != NA_TIME_MAX && na_add_i64(*ps, differ, ps);
}

static bool add_latencies(struct st_block *b, const struct na_transfer *t,
			  uint32_t instance)
{
	uint32_t run = b->main->scope->store->sources[t->input].run;
	uint32_t src = na_store_host_of(b->main->scope->store, run, t->src);
	int64_t ps, unsure_ps;
	struct st_share *x;

	if (src == t->input || src >= b->main->scope->store->n_hosts ||
	    !latency_of(b, t, src, &ps, &unsure_ps))
		return true;
	x = share_of(&b->got, t->collective, instance, t->input, t->step);
	if (!x)
		return false;
	add_latency(x, ps, unsure_ps);
	x = share_of(&b->got, t->collective, instance, src, t->step);
	if (x)
		add_latency(x, ps, unsure_ps);
	return x;
}

/* In pass 0 when; in pass 1, the clocks known, how long. */
bool na_steps_add_transfer(struct st_block *b, const struct na_transfer *t)
{
	struct na_triple key;
	struct st_share *x;
	uint32_t instance;

	if (t->style >= NA_STYLE_CAPTURE || !instance_of(b, t, &key))
		return true;
	if (b->pass && (t->side == NA_TX || t->klass != NA_VALID))
		return true;
	instance = na_triples_add(&b->got.instances, key);
	if (instance == NA_NO_TRIPLE)
		return false;
	if (b->pass)
		return add_latencies(b, t, instance);
	x = share_of(&b->got, t->collective, instance, t->input, t->step);
	if (!x)
		return false;
	if (t->side == NA_TX && t->start_ps < x->first_send_ps)
		x->first_send_ps = t->start_ps;
	if (t->side == NA_RX && t->end_ps > x->last_receive_ps)
		x->last_receive_ps = t->end_ps;
	return true;
}

/* Which of g's instances those of a block are. */
static uint32_t *merge_instances(struct st_gathered *g,
				 const struct st_gathered *from)
{
	size_t n = from->instances.n;
	uint32_t *to = na_calloc(n, sizeof(*to));

	for (size_t i = 0; to && i < n; i++) {
		if (i + EXPECT < n)
			na_triples_expect(&g->instances,
					  from->instances.keys[i + EXPECT]);
		to[i] = na_triples_add(&g->instances, from->instances.keys[i]);
		if (to[i] == NA_NO_TRIPLE) {
			free(to);
			return NULL;
		}
	}
	return to;
}

static void merge_share(struct st_share *to, const struct st_share *x)
{
	if (x->first_send_ps < to->first_send_ps)
		to->first_send_ps = x->first_send_ps;
	if (x->last_receive_ps > to->last_receive_ps)
		to->last_receive_ps = x->last_receive_ps;
	to->latency_ps += x->latency_ps;
	to->n += x->n;
	if (x->unsure_ps > to->unsure_ps)
		to->unsure_ps = x->unsure_ps;
}

bool na_steps_merge_transfers(struct st_gathered *g,
			      const struct st_gathered *from)
{
	uint32_t *instances = merge_instances(g, from);
	size_t n = from->shares.n;
	bool ok = instances;

	for (size_t k = 0; ok && k < n; k++) {
		const struct na_triple *key = &from->keys.keys[k];
		struct st_share *to;

		if (k + EXPECT < n)
			na_triples_expect(&g->keys,
					  (struct na_triple){
						  key[EXPECT].a,
						  instances[key[EXPECT].b],
						  key[EXPECT].c});
		to = share_of(g, key->a, instances[key->b], key->c,
			      from->shares.v[k].step);
		ok = to;
		if (to)
			merge_share(to, &from->shares.v[k]);
	}
	free(instances);
	return ok;
}

struct st_step *na_steps_at(const struct st_state *s, uint32_t run,
			    int64_t number)
{
	size_t at = NA_BOUND(i, 0, s->n_steps,
			     s->steps[i].run > run ||
				     (s->steps[i].run == run &&
				      s->steps[i].number >= number));
	struct st_step *t = &s->steps[at];

	return at < s->n_steps && t->run == run && t->number == number ? t
								       : NULL;
}

/* Hosts of a step stand in their order. */
static struct st_host_step *host_step_of(const struct st_state *s,
					 const struct st_step *t, uint32_t host)
{
	size_t at = NA_BOUND(i, t->from, t->to, s->host_steps[i].host >= host);

	return at < t->to && s->host_steps[at].host == host ? &s->host_steps[at]
							    : NULL;
}

void na_steps_place_transfers(struct st_state *s)
{
	const struct na_store *store = s->scope->store;

	for (size_t k = 0; k < s->got.shares.n; k++) {
		const struct st_share *x = &s->got.shares.v[k];
		const struct na_triple *of =
			&s->got.instances.keys[s->got.keys.keys[k].b];
		const struct na_step *known = x->step < store->n_steps
						      ? &store->steps[x->step]
						      : NULL;
		struct st_step *t = NULL;
		struct st_host_step *y;

		if (s->by_launch[of->c / 2])
			t = of->c % 2 ? NULL : na_steps_at(s, of->c / 2, of->a);
		else if (known)
			t = na_steps_at(s, known->run, known->number);
		y = t && x->n ? host_step_of(s, t, s->got.keys.keys[k].c)
			      : NULL;
		if (!y)
			continue;
		y->network_ps += x->latency_ps / (na_i128)x->n;
		y->unsure_ps += x->unsure_ps;
	}
}
