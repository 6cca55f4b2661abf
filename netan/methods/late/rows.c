/*
 * The actions of one execution as rows of its waterfall: the host that was
 * late first, then those on the path, then the rest; where they are too
 * many, those on the path and the longest.
 */
#include <stdlib.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/methods/late/state.h"

struct row {
	int64_t start_ps, end_ps, length_ps; /* a receive's: on the network */
	uint32_t node, rank, device;
	bool critical;
};

struct rows {
	const struct la_all *all;
	const struct la_path *p;
	struct row *rows;
	size_t n;
	uint32_t *rank;  /* by host; LA_NONE */
	uint32_t *hosts; /* by rank */
	uint32_t n_hosts;
};

static void rank_host(struct rows *x, uint32_t host)
{
	if (host >= x->all->store->n_hosts || x->rank[host] != LA_NONE)
		return;
	x->rank[host] = x->n_hosts;
	x->hosts[x->n_hosts++] = host;
}

static void rank_hosts(struct rows *x)
{
	const struct la_path *p = x->p;

	for (size_t h = 0; h < x->all->store->n_hosts; h++)
		x->rank[h] = LA_NONE;
	rank_host(x, p->host);
	for (size_t i = p->steps.n; i-- > 0;)
		rank_host(x, p->steps.v[i].host);
	for (uint32_t h = 0; h < x->all->store->n_hosts; h++) {
		for (size_t i = 0; i < p->nodes.n; i++) {
			if (x->all->actions.v[p->nodes.v[i].action].host != h)
				continue;
			rank_host(x, h);
			break;
		}
	}
}

NA_ORDER(most_telling, struct row, NA_DOWN(critical), NA_DOWN(length_ps),
	 NA_UP(node))

NA_ORDER(by_place, struct row, NA_UP(rank), NA_UP(device), NA_UP(start_ps),
	 NA_UP(node))

/* A receive waits from the start of its graph on. */
static int64_t length_of(const struct rows *x, const struct la_node *n)
{
	const struct la_action *a = &x->all->actions.v[n->action];
	int64_t length = na_time_between(n->start_ps, n->end_ps);

	if (a->kind == NA_ACT_RECEIVE && a->n &&
	    x->all->moves.v[a->first].latency_ps != NA_UNKNOWN_PS &&
	    x->all->moves.v[a->first].latency_ps < length)
		return x->all->moves.v[a->first].latency_ps;
	return length;
}

static void list_rows(struct rows *x)
{
	const struct la_path *p = x->p;

	for (uint32_t i = 0; i < p->nodes.n; i++) {
		const struct la_action *a =
			&x->all->actions.v[p->nodes.v[i].action];

		if (a->kind != NA_ACT_GRAPH)
			x->rows[x->n++] = (struct row){
				.start_ps = p->nodes.v[i].start_ps,
				.end_ps = p->nodes.v[i].end_ps,
				.length_ps = length_of(x, &p->nodes.v[i]),
				.node = i,
				.rank = x->rank[a->host],
				.device = a->device,
				.critical = p->nodes.v[i].critical};
	}
	if (!x->n)
		return;
	na_sort(x->rows, x->n, most_telling);
	if (x->n > LA_ROWS_MAX)
		x->n = LA_ROWS_MAX;
	na_sort(x->rows, x->n, by_place);
}

static void put_row(const struct rows *x, const struct row *row,
		    struct na_result *r, struct na_value *list)
{
	/* clang-format off */
	static const char *const kinds[NA_N_ACTIONS] = {
		[NA_ACT_D2H] = "d2h", [NA_ACT_H2D] = "h2d",
		[NA_ACT_COMPUTE] = "compute", [NA_ACT_SEND] = "send",
		[NA_ACT_RECEIVE] = "receive",
	};
	/* clang-format on */
	const struct la_all *all = x->all;
	const struct la_action *a =
		&all->actions.v[x->p->nodes.v[row->node].action];
	const struct la_move *m = a->n ? &all->moves.v[a->first] : NULL;
	struct na_value *v = na_put_object(r, list, NULL);
	char buf[NA_ENDPOINT_BUF];
	const char *kind = a->kind < NA_N_ACTIONS ? kinds[a->kind] : NULL;

	na_put_text(r, v, M_host, na_late_host_name(all, a->host));
	na_put_text(r, v, M_device, na_late_device_name(all, a->device, buf));
	na_put_text(r, v, M_kind, kind ? kind : "host");
	na_put_real(r, v, M_from_us, na_us(row->start_ps));
	na_put_real(r, v, M_to_us, na_us(row->end_ps));
	na_put_bool(r, v, M_critical, row->critical);
	if (!m)
		return;
	na_put_text(r, v, M_peer,
		    na_late_device_name(all, m->side == NA_RX ? m->src : m->dst,
					buf));
	if (m->chunk != NA_UNKNOWN_I32)
		na_put_int(r, v, M_chunk, m->chunk);
	if (a->kind == NA_ACT_RECEIVE && m->latency_ps != NA_UNKNOWN_PS)
		na_put_real(r, v, M_network_us, na_us(m->latency_ps));
}

static void put_host(const struct rows *x, uint32_t host, struct na_result *r,
		     struct na_value *list)
{
	struct na_value *v = na_put_object(r, list, NULL);
	int64_t known, ahead = na_host_clocks_ahead(x->all->clocks, host,
						    x->p->host, &known);

	na_put_text(r, v, M_host, na_late_host_name(x->all, host));
	na_put_bool(r, v, M_trace, host < x->all->store->n_sources);
	na_put_real(r, v, M_ahead_us, na_us(ahead));
	if (known < NA_TIME_MAX)
		na_put_real(r, v, M_uncertainty_us, na_us(known));
}

/* The path, each step at the row of its action; -1: it has none. */
static bool put_path(const struct rows *x, struct na_result *r,
		     struct na_value *in)
{
	const struct la_path *p = x->p;
	struct na_value *list = na_put_list(r, in, M_path);
	uint32_t *row_of = na_calloc(p->nodes.n, sizeof(*row_of));

	for (size_t i = 0; row_of && i < x->n; i++)
		row_of[x->rows[i].node] = (uint32_t)i + 1;
	for (size_t i = 0; row_of && i < p->steps.n; i++) {
		const struct la_segment *s = &p->steps.v[i];
		struct na_value *v = na_put_object(r, list, NULL);
		uint32_t node = s->action == LA_NONE ? LA_NONE
						     : p->node_of[s->action];

		na_put_text(r, v, M_kind, na_late_kind_names[s->kind]);
		na_put_real(r, v, M_from_us, na_us(s->from_ps));
		na_put_real(r, v, M_to_us, na_us(s->to_ps));
		na_put_int(r, v, M_row,
			   node == LA_NONE ? -1 : (int64_t)row_of[node] - 1);
	}
	free(row_of);
	return row_of;
}

bool na_late_put_rows(const struct la_all *all, const struct la_path *p,
		      struct na_result *r)
{
	struct na_value *v = na_put_object(r, na_result_side(r), M_waterfall);
	struct na_value *hosts = na_put_list(r, v, M_hosts);
	struct na_value *list = na_put_list(r, v, M_rows);
	struct rows x = {.all = all, .p = p};
	size_t actions = 0;
	bool ok;

	x.rows = na_calloc(p->nodes.n, sizeof(*x.rows));
	x.rank = na_calloc(all->store->n_hosts, sizeof(*x.rank));
	x.hosts = na_calloc(all->store->n_hosts, sizeof(*x.hosts));
	ok = x.rows && x.rank && x.hosts;
	if (ok) {
		rank_hosts(&x);
		list_rows(&x);
	}
	for (uint32_t i = 0; i < x.n_hosts; i++)
		put_host(&x, x.hosts[i], r, hosts);
	for (size_t i = 0; i < x.n; i++)
		put_row(&x, &x.rows[i], r, list);
	ok = ok && put_path(&x, r, v);
	na_put_real(r, v, M_length_us,
		    na_us(na_time_between(p->ask->from_ps, p->ask->to_ps)));
	for (size_t i = 0; i < p->nodes.n; i++)
		actions += all->actions.v[p->nodes.v[i].action].kind !=
			   NA_ACT_GRAPH;
	na_put_int(r, v, M_more, (int64_t)(actions - x.n));
	free(x.rows);
	free(x.rank);
	free(x.hosts);
	return ok;
}
