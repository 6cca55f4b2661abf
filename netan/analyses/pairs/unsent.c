/*
 * pairs: hosts whose files are missing.  What they sent only its receivers
 * have timed, what they got only its senders: so each of their sides is judged
 * by what tells of it, beside the same side of all other hosts.
 */
#include <stdlib.h>

#include "netan/analyses/pairs/making.h"

static bool is_absent(const struct making *m, uint32_t node)
{
	uint32_t host = m->s->nodes.v[m->run->node0 + node].host;

	return m->absent->of[host] != NA_UNKNOWN_U32;
}

static bool count_pair(struct making *m, const struct pairs_pair *p)
{
	const struct pairs_state *s = m->s;
	size_t n = na_pairs_rows_of(s, p);
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		uint32_t moment = s->rows[p->first + i].moment;
		const struct na_triple *k = &s->moments.keys[moment];
		uint32_t c = na_triples_find(&m->collectives,
					     (struct na_triple){k->a, 0, 0});

		if (c == NA_NO_TRIPLE || k->b >= s->scope->store->n_steps)
			continue;
		ok = na_add(&m->counted,
			    ((struct na_wire_counted){
				    m->host_of[s->nodes.v[p->src].host],
				    m->host_of[s->nodes.v[p->dst].host], c,
				    k->b}));
	}
	return ok;
}

bool na_pairs_count_unsent(struct making *m)
{
	bool ok = true;

	for (size_t p = 0; ok && m->absent->n && p < m->run->n_remote; p++) {
		const struct pairs_pair *x = &m->s->pairs[m->run->pair0 + p];

		if (is_absent(m, x->src - (uint32_t)m->run->node0))
			ok = count_pair(m, x);
	}
	return ok;
}

/* Collectives get their small numbers in the order of the moments. */
static bool number_collectives(struct making *m)
{
	const struct pairs_state *s = m->s;
	bool ok = true;

	for (size_t i = 0; ok && i < s->moments.n; i++) {
		struct na_triple key = {s->moments.keys[i].a, 0, 0};

		if (s->lz_moments[i].collective != NA_LZ_NONE)
			ok = na_triples_add(&m->numbers, key) != NA_NO_TRIPLE;
	}
	return ok;
}

bool na_pairs_count_unreceived(struct making *m)
{
	const struct na_store *store = m->s->scope->store;
	bool ok = !m->absent->n || number_collectives(m);

	for (size_t i = 0; ok && m->absent->n && i < m->s->sends.n; i++) {
		const struct pairs_send *x = &m->s->sends.v[i];
		uint32_t src, dst, c;

		if (store->sources[x->input].run != m->index)
			continue;
		src = m->host_of[na_store_host_of(store, m->index, x->src)];
		dst = na_store_host_of(store, m->index, x->dst);
		if (m->absent->of[dst] == NA_UNKNOWN_U32)
			continue;
		dst = m->host_of[dst];
		c = na_triples_find(&m->numbers,
				    (struct na_triple){x->collective, 0, 0});
		if (src == NA_UNKNOWN_U32 || dst == NA_UNKNOWN_U32 ||
		    c == NA_NO_TRIPLE || c + 1 >= m->n_collectives)
			continue;
		ok = na_add(&m->counted,
			    ((struct na_wire_counted){src, dst, c + 1,
						      x->step}));
	}
	return ok;
}

static void name_nodes(const struct making *m, struct na_lz_who *who)
{
	if (who->kind > NA_LZ_PAIR)
		return;
	who->a = m->node_at[who->a];
	if (who->kind == NA_LZ_PAIR)
		who->b = m->node_at[who->b];
}

/* Both sides of each node: of a group, what was found for it. */
static bool spread_power(const struct making *m, struct na_wire_result *r)
{
	size_t nodes = m->run->n_nodes;
	struct na_lz_power *all = na_calloc(2 * nodes, sizeof(*all));

	if (!all)
		return false;
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t host = m->s->nodes.v[m->run->node0 + i].host;

		for (size_t side = 0; side < 2; side++) {
			all[2 * i + side] =
				r->power[2 * m->host_of[host] + side];
			all[2 * i + side].host = i;
		}
	}
	free(r->power);
	r->power = all;
	r->n_power = 2 * nodes;
	return true;
}

bool na_pairs_by_nodes(const struct making *m, struct na_wire_result *r)
{
	if (!m->absent->n)
		return true;
	for (size_t i = 0; i < r->n_findings; i++) {
		struct na_lz_finding *f = &r->findings[i];

		name_nodes(m, &f->who);
		for (size_t k = 0; k < f->n_alternatives; k++)
			name_nodes(m, &f->alternatives[k]);
	}
	for (size_t i = 0; i < r->n_slow; i++) {
		r->slow[i].src = m->node_at[r->slow[i].src];
		r->slow[i].dst = m->node_at[r->slow[i].dst];
	}
	for (size_t i = 0; i < r->n_late; i++) {
		r->late[i].src = m->node_at[r->late[i].src];
		r->late[i].dst = m->node_at[r->late[i].dst];
	}
	for (size_t i = 0; i < r->n_alike; i++) {
		r->alike[i].src = m->node_at[r->alike[i].src];
		r->alike[i].dst = m->node_at[r->alike[i].dst];
	}
	for (size_t i = 0; i < r->n_doubts; i++)
		name_nodes(m, &r->doubts[i].who);
	for (size_t i = 0; i < r->suspects && i < NA_WIRE_SUSPECTS; i++)
		name_nodes(m, &r->clearest[i].who);
	for (size_t i = 0; i < r->group.n; i++)
		r->group.hosts[i] = m->node_at[r->group.hosts[i]];
	if (r->block.kind != NA_LZ_KINDS) {
		r->block.a = m->node_at[r->block.a];
		r->block.b = m->node_at[r->block.b];
	}
	return r->n_power != 2 * (size_t)m->n_hosts || spread_power(m, r);
}

/* The other side of the same host becomes one with it. */
static bool join(struct na_wire_result *to, const struct na_lz_finding *f)
{
	for (size_t i = 0; i < to->n_findings; i++) {
		struct na_lz_finding *g = &to->findings[i];

		if (g->who.kind != NA_LZ_DST || g->who.a != f->who.a ||
		    g->channel != f->channel)
			continue;
		g->who.kind = NA_LZ_HOST;
		g->pairs += f->pairs;
		g->transfers += f->transfers;
		g->of_transfers += f->of_transfers;
		g->alone += f->alone;
		free(g->alternatives);
		g->alternatives = NULL;
		g->n_alternatives = 0;
		g->needs = NULL;
		return true;
	}
	return false;
}

static bool take(struct na_wire_result *to, struct na_lz_finding *f)
{
	struct na_lz_finding *all;

	if (join(to, f))
		return true;
	all = realloc(to->findings, (to->n_findings + 1) * sizeof(*all));
	if (!all)
		return false;
	to->findings = all;
	all[to->n_findings++] = *f;
	f->windows = NULL; /* they have moved */
	f->alternatives = NULL;
	return true;
}

static bool take_slow(const struct making *m, struct na_wire_result *to,
		      const struct na_wire_result *from)
{
	struct na_wire_connection *all =
		realloc(to->slow,
			(to->n_slow + from->n_slow + 1) * sizeof(*all));

	if (!all)
		return false;
	to->slow = all;
	for (size_t i = 0; i < from->n_slow; i++) {
		if (!is_absent(m, from->slow[i].src))
			continue;
		all[to->n_slow++] = from->slow[i];
		/* They are about fewer. */
		to->n_doubts = to->group.n = 0;
	}
	return true;
}

bool na_pairs_take_unsent(const struct making *m, struct na_wire_result *found,
			  struct na_wire_result *receives)
{
	for (size_t i = 0; i < receives->n_findings; i++) {
		struct na_lz_finding *f = &receives->findings[i];

		if (f->who.kind == NA_LZ_SRC && is_absent(m, f->who.a) &&
		    !take(found, f))
			return false;
	}
	for (size_t i = 0; i < found->n_power && i < receives->n_power; i++) {
		struct na_lz_power *to = &found->power[i];

		if (to->side == NA_LZ_SRC && is_absent(m, to->host))
			*to = receives->power[i];
	}
	return take_slow(m, found, receives);
}
