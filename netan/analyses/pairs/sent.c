/*
 * pairs: what each pair's sends took, on their sender's clock: beside it, what
 * the receiver's clock says tells of the clocks alone.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

/* Of the receives: of fewer, who knows of which. */
#define COMPLETE 0.8
/* Of what receivers say it took: below, a send ends when its bytes are handed
 * over. */
#define ACKNOWLEDGED 0.6

struct took {
	uint32_t pair;
	double us;
};

NA_ORDER(by_pair, struct took, NA_UP(pair), NA_UP(us))

/* Node of each host, in a run; NA_UNKNOWN_U32. */
static uint32_t *nodes_of(const struct pairs_state *s,
			  const struct pairs_run *run)
{
	size_t hosts = s->scope->store->n_hosts;
	uint32_t *at = na_calloc(hosts, sizeof(*at));

	for (size_t h = 0; at && h < hosts; h++)
		at[h] = NA_UNKNOWN_U32;
	for (size_t i = 0; at && i < run->n_nodes; i++)
		at[s->nodes.v[run->node0 + i].host] =
			(uint32_t)(run->node0 + i);
	return at;
}

static size_t collect(const struct pairs_state *s, const struct pairs_run *run,
		      const uint32_t *at, struct took *v)
{
	const struct na_store *store = s->scope->store;
	uint32_t index = (uint32_t)(run - s->runs);
	size_t n = 0;

	for (size_t i = 0; i < s->sends.n; i++) {
		const struct pairs_send *x = &s->sends.v[i];
		uint32_t src, dst;
		size_t p;

		if (store->sources[x->input].run != index)
			continue;
		src = at[na_store_host_of(store, index, x->src)];
		dst = at[na_store_host_of(store, index, x->dst)];
		p = na_pairs_at(s, run, src, dst);
		if (p < run->n_remote)
			v[n++] = (struct took){(uint32_t)p,
					       na_us((double)x->took_ps)};
	}
	na_sort(v, n, by_pair);
	return n;
}

static void take_medians(const struct pairs_state *s,
			 const struct pairs_run *run, const struct took *v,
			 size_t n, double *sent_us)
{
	for (size_t p = 0; p < run->n_remote; p++)
		sent_us[p] = NAN;
	for (size_t i = 0, to; i < n; i = to) {
		const struct pairs_pair *x = &s->pairs[run->pair0 + v[i].pair];

		for (to = i; to < n && v[to].pair == v[i].pair; to++)
			;
		if ((double)(to - i) >=
		    COMPLETE * (double)na_pairs_rows_of(s, x))
			sent_us[v[i].pair] = (v[(i + to) / 2].us +
					      v[(i + to - 1) / 2].us) /
					     2;
	}
}

static double received_us(const struct pairs_state *s,
			  const struct pairs_run *run, size_t p, double *room)
{
	const struct pairs_pair *x = &s->pairs[run->pair0 + p];
	size_t n = na_pairs_rows_of(s, x);

	for (size_t i = 0; i < n; i++)
		room[i] = s->rows[x->first + i].latency_us;
	return n ? na_median(room, n) : 0;
}

/* There and back, clocks cancel.  What is clamped tells nothing. */
static bool acknowledged(const struct pairs_state *s,
			 const struct pairs_run *run, const double *sent_us,
			 double *room, double *shares)
{
	size_t n = 0;

	for (size_t p = 0; p < run->n_remote; p++) {
		const struct pairs_pair *x = &s->pairs[run->pair0 + p];
		size_t back = na_pairs_at(s, run, x->dst, x->src);
		double there_us, back_us;

		/* Each two directions once. */
		if (back < p || back == run->n_remote || isnan(sent_us[p]) ||
		    isnan(sent_us[back]))
			continue;
		there_us = received_us(s, run, p, room);
		back_us = received_us(s, run, back, room);
		if (there_us > 0 && back_us > 0)
			shares[n++] = (sent_us[p] + sent_us[back]) /
				      (there_us + back_us);
	}
	return n && na_median(shares, n) >= ACKNOWLEDGED;
}

static bool find(const struct pairs_state *s, const struct pairs_run *run,
		 double *sent_us, bool *moved)
{
	uint32_t *at = nodes_of(s, run);
	struct took *v = na_calloc(s->sends.n, sizeof(*v));
	double *room = na_calloc(run->n_rows, sizeof(*room));
	double *shares = na_calloc(run->n_remote, sizeof(*shares));
	bool ok = at && v && room && shares;

	if (ok) {
		take_medians(s, run, v, collect(s, run, at, v), sent_us);
		*moved = acknowledged(s, run, sent_us, room, shares);
	}
	free(at);
	free(v);
	free(room);
	free(shares);
	return ok;
}

bool na_pairs_sent_us(const struct pairs_state *s, struct pairs_run *run,
		      bool *moved)
{
	*moved = false;
	if (!s->of_hosts || !s->sends.n)
		return true;
	run->sent_us = na_calloc(run->n_remote, sizeof(*run->sent_us));
	return run->sent_us && find(s, run, run->sent_us, moved);
}
