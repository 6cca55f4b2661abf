/* rdma: which host's packets, or those to it, have to be sent again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rdma/state.h"
#include "netan/base/order.h"
#include "netan/stats/tests/tests.h"

enum { LEAST_HOSTS = 3, LISTED = 200 };

struct side {
	const char *host;
	bool dst;
	uint64_t packets, needed, events, cnps;
	double p_value; /* NaN: too few hosts */
};

NA_ORDER(by_need, struct side, NA_DOWN(needed), NA_DOWN(cnps), NA_DOWN(packets),
	 NA_CMP(strcmp(x->host, y->host), 0), NA_UP(dst))

static void add_to(struct side *x, const struct rdma_row *row)
{
	x->packets += row->q->packets;
	x->needed += row->verdict <= RDMA_LOSS ? row->q->needed : 0;
	x->events += row->verdict <= RDMA_LOSS ? row->q->loss_events : 0;
	x->cnps += row->q->cnps;
}

static void add_up(const struct rdma_state *s, struct side *v, size_t hosts)
{
	const struct na_store *store = s->scope->store;

	for (size_t i = 0; i < s->rows.n; i++) {
		const struct na_queue_pair *q = s->rows.v[i].q;
		uint32_t run = na_store_run_of(store, q->input);
		uint32_t src = na_store_host_of(store, run, q->src);
		uint32_t dst = na_store_host_of(store, run, q->dst);

		if (src >= hosts || dst >= hosts)
			continue;
		add_to(&v[2 * src], &s->rows.v[i]);
		add_to(&v[2 * dst + 1], &s->rows.v[i]);
	}
}

static void put_side(struct na_result *r, struct na_value *list,
		     const struct side *x)
{
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_host, x->host);
	na_put_text(r, to, M_side, x->dst ? "dst" : "src");
	na_put_int(r, to, M_packets, (int64_t)x->packets);
	na_put_int(r, to, M_needed_repeats, (int64_t)x->needed);
	na_put_count(r, to, M_loss_events, x->events);
	na_put_int(r, to, M_cnps, (int64_t)x->cnps);
	na_put_real(r, to, M_p_value, x->p_value);
}

bool na_rdma_put_hosts(struct na_result *r, struct na_value *body,
		       const struct rdma_state *s)
{
	struct na_value *list = na_put_list(r, body, M_hosts);
	size_t hosts = s->scope->store->n_hosts, used = 0, n = 0;
	uint64_t packets = 0, events = 0;
	struct side *v = na_calloc(2 * hosts + 1, sizeof(*v));

	if (!v)
		return false;
	add_up(s, v, hosts);
	for (size_t i = 0; i < 2 * hosts; i++) {
		v[i].host = s->scope->store->hosts[i / 2].name;
		v[i].dst = i % 2;
		packets += i % 2 ? 0 : v[i].packets;
		events += i % 2 ? 0 : v[i].events;
		used += i % 2 && v[i].packets + v[i - 1].packets > 0;
	}
	for (size_t i = 0; i < 2 * hosts; i++)
		if (v[i].packets)
			v[n++] = v[i];
	for (size_t i = 0; i < n; i++)
		v[i].p_value = used < LEAST_HOSTS
				       ? NAN
				       : na_side_p_value(v[i].events,
							 v[i].packets, events,
							 packets, used);
	na_sort(v, n, by_need);
	for (size_t i = 0; i < n && i < LISTED; i++)
		put_side(r, list, &v[i]);
	free(v);
	return true;
}
