/* tcp: which host's packets, or those to it, have to be sent again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/tcp/state.h"
#include "netan/base/order.h"
#include "netan/stats/tests/tests.h"

enum { LEAST_HOSTS = 3, LISTED = 200 };

struct side {
	uint32_t host;
	const char *name;
	bool dst;
	uint64_t segments, needed, events;
	double p_value; /* NaN: too few hosts */
};

NA_ORDER(by_need, struct side, NA_CMP(y->needed, x->needed),
	 NA_CMP(y->segments, x->segments), strcmp(x->name, y->name),
	 NA_UP(host), NA_UP(dst))

static uint32_t host_of(const struct tcp_state *s,
			const struct na_connection *c, uint32_t endpoint)
{
	const struct na_store *store = s->scope->store;

	return na_store_host_of(store, na_store_run_of(store, c->input),
				endpoint);
}

static void add_up(const struct tcp_state *s, struct side *v, size_t hosts)
{
	for (size_t i = 0; i < 2 * s->rows.n; i++) {
		const struct tcp_row *row = &s->rows.v[i / 2];
		const struct na_connection *c = row->c;
		/* A SYN that was lost is needed, too. */
		uint64_t sent = na_tcp_data_sent(row, i % 2) +
				row->needed[i % 2] -
				na_tcp_data_lost(row, i % 2);
		uint32_t src = host_of(s, c, i % 2 ? c->dst : c->src);
		uint32_t dst = host_of(s, c, i % 2 ? c->src : c->dst);

		if (src >= hosts || dst >= hosts)
			continue;
		v[2 * src].segments += sent;
		v[2 * src].needed += row->needed[i % 2];
		v[2 * src].events += na_tcp_loss_events(row, i % 2);
		v[2 * dst + 1].segments += sent;
		v[2 * dst + 1].needed += row->needed[i % 2];
		v[2 * dst + 1].events += na_tcp_loss_events(row, i % 2);
	}
}

static void put_side(struct na_result *r, struct na_value *list,
		     const struct tcp_state *s, const struct side *x)
{
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_host, s->scope->store->hosts[x->host].name);
	na_put_text(r, to, M_side, x->dst ? "dst" : "src");
	na_put_int(r, to, M_segments, (int64_t)x->segments);
	na_put_int(r, to, M_needed_retransmissions, (int64_t)x->needed);
	na_put_count(r, to, M_loss_events, x->events);
	na_put_real(r, to, M_p_value, x->p_value);
}

bool na_tcp_put_hosts(struct na_result *r, struct na_value *body,
		      const struct tcp_state *s)
{
	struct na_value *list = na_put_list(r, body, M_hosts);
	size_t hosts = s->scope->store->n_hosts, used = 0, n = 0;
	uint64_t segments = 0, events = 0;
	struct side *v = na_calloc(2 * hosts, sizeof(*v));

	if (!v)
		return false;
	add_up(s, v, hosts);
	for (size_t i = 0; i < 2 * hosts; i++) {
		v[i].host = (uint32_t)(i / 2);
		v[i].name = s->scope->store->hosts[i / 2].name;
		v[i].dst = i % 2;
		segments += i % 2 ? 0 : v[i].segments;
		events += i % 2 ? 0 : v[i].events;
		used += i % 2 && v[i].segments + v[i - 1].segments > 0;
	}
	for (size_t i = 0; i < 2 * hosts; i++)
		if (v[i].segments || v[i].needed)
			v[n++] = v[i];
	for (size_t i = 0; i < n; i++)
		v[i].p_value = used < LEAST_HOSTS
				       ? NAN
				       : na_side_p_value(v[i].events,
							 v[i].segments, events,
							 segments, used);
	na_sort(v, n, by_need);
	for (size_t i = 0; i < n && i < LISTED; i++)
		put_side(r, list, s, &v[i]);
	free(v);
	return true;
}
