/*
 * pairs: sends, timed by their own hosts from start to acknowledgement.
 * Where all hosts' traces are there, who is slow is judged by them
 * (netan/methods/wire); the receives then tell of clocks, pauses, and what
 * each pair looks like.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/making.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/stats/tests/robust.h"

/* Of the receives: so many sends are there, or some hosts are not. */
#define COMPLETE 0.8
/* Of what receivers say it took: below, a send ends when its bytes are
 * handed over, not when they are acknowledged. */
#define ACKNOWLEDGED 0.6

bool na_pairs_of_sends(const struct pairs_state *s)
{
	return s->scope->filter->side == NA_TX;
}

enum na_status na_pairs_send_keep(struct pairs_state *block,
				  const struct na_transfer *t)
{
	bool timed = t->klass == NA_VALID && t->start_ps < t->end_ps;
	struct pairs_send *x;

	if (t->style >= NA_STYLE_CAPTURE)
		return NA_ASIDE;
	block->left.all++;
	block->left.no_time += !timed;
	block->left.no_step += timed && t->step == NA_UNKNOWN_U32;
	if (!timed || t->step == NA_UNKNOWN_U32)
		return NA_ASIDE;
	x = na_push(&block->sends);
	if (!x)
		return NA_ENOMEM;
	*x = (struct pairs_send){
		.start_ps = t->start_ps,
		.took_ps = t->end_ps - t->start_ps,
		.size_bytes = (float)t->size_bytes,
		.src = t->src,
		.dst = t->dst,
		.collective = t->collective,
		.iteration = t->iteration,
		.step = t->step,
		.input = t->input,
	};
	return NA_ASIDE;
}

enum na_status na_pairs_sends_merge(struct pairs_state *s,
				    struct pairs_state *b)
{
	bool ok = na_append(&s->sends, b->sends.v, b->sends.n);

	na_vec_free(&b->sends);
	s->left.all += b->left.all;
	s->left.no_step += b->left.no_step;
	s->left.no_time += b->left.no_time;
	return ok ? NA_OK : NA_ENOMEM;
}

/* ---- one run's sends as the method wants them */

static void making_fini(struct making *m)
{
	free(m->host_of);
	free(m->node_at);
	na_triples_fini(&m->numbers);
	na_vec_free(&m->counted);
	na_triples_fini(&m->ends);
	na_triples_fini(&m->cells);
	na_triples_fini(&m->collectives);
	na_vec_free(&m->connections);
	na_vec_free(&m->collective_of);
	free(m->rows);
	free(m->racks);
	free(m->blocks);
}

/* Which connection; NA_NO_TRIPLE: within a host, or no memory. */
static uint32_t connection_of(struct making *m, const struct pairs_send *x,
			      bool *ok)
{
	const struct na_store *store = m->s->scope->store;
	uint32_t src = na_store_host_of(store, m->index, x->src);
	uint32_t dst = na_store_host_of(store, m->index, x->dst);
	struct na_triple key = {x->src, x->dst, 0};
	uint32_t i;

	if (src == dst || m->host_of[src] == NA_UNKNOWN_U32 ||
	    m->host_of[dst] == NA_UNKNOWN_U32)
		return NA_NO_TRIPLE;
	i = na_triples_add(&m->ends, key);
	*ok = i != NA_NO_TRIPLE;
	if (*ok && i == m->connections.n)
		*ok = na_add(&m->connections,
			     ((struct na_wire_connection){m->host_of[src],
							  m->host_of[dst]}));
	return *ok ? i : NA_NO_TRIPLE;
}

static uint32_t cell_of(struct making *m, const struct pairs_send *x, bool *ok)
{
	struct na_triple key = {x->collective, x->iteration, 0};
	uint32_t i = na_triples_add(&m->cells, key), c;

	*ok = i != NA_NO_TRIPLE;
	if (*ok && i == m->collective_of.n) {
		c = na_triples_add(&m->collectives,
				   (struct na_triple){x->collective, 0, 0});
		*ok = c != NA_NO_TRIPLE && na_add(&m->collective_of, c);
		m->n_collectives = (uint32_t)m->collectives.n;
	}
	return i;
}

static bool make_row(struct making *m, const struct pairs_send *x)
{
	const struct na_store *store = m->s->scope->store;
	bool ok = true;
	uint32_t to = connection_of(m, x, &ok), cell;
	int64_t ahead_ps = x->input < m->clocks->n_hosts
				   ? m->clocks->ahead_ps[x->input]
				   : 0;

	if (to == NA_NO_TRIPLE || x->step >= store->n_steps)
		return ok;
	cell = cell_of(m, x, &ok);
	m->rows[m->n++] = (struct na_wire_row){
		.start_us = na_us((double)x->start_ps -
				  (double)m->s->ends.first_ps -
				  (double)ahead_ps),
		.took_us = na_us((double)x->took_ps),
		.size_bytes = x->size_bytes,
		.connection = to,
		.cell = cell,
		.step = x->step,
	};
	return ok;
}

/* Devices of a host whose file is missing are one host here. */
static bool make_nodes(struct making *m)
{
	const struct na_store *store = m->s->scope->store;
	uint32_t *first = na_calloc(m->absent->n, sizeof(*first));

	m->host_of = na_calloc(store->n_hosts, sizeof(*m->host_of));
	m->node_at = na_calloc(m->run->n_nodes, sizeof(*m->node_at));
	m->racks = na_calloc(m->run->n_nodes, sizeof(*m->racks));
	for (size_t h = 0; m->host_of && h < store->n_hosts; h++)
		m->host_of[h] = NA_UNKNOWN_U32;
	for (size_t k = 0; first && k < m->absent->n; k++)
		first[k] = NA_UNKNOWN_U32;
	for (uint32_t i = 0;
	     first && m->host_of && m->node_at && i < m->run->n_nodes; i++) {
		uint32_t host = m->s->nodes.v[m->run->node0 + i].host;
		uint32_t group = m->absent->of[host];
		uint32_t *at = group == NA_UNKNOWN_U32 ? NULL : &first[group];

		if (!at || *at == NA_UNKNOWN_U32) {
			if (at)
				*at = m->n_hosts;
			m->host_of[host] = m->n_hosts;
			m->node_at[m->n_hosts++] = i;
		} else {
			m->host_of[host] = *at;
		}
	}
	free(first);
	return first && m->host_of && m->node_at && m->racks;
}

/* Racks that the topology names, as small numbers; 0 of them: it names none,
 * or not those of all hosts, or tells no pairs apart. */
static bool make_racks(struct making *m)
{
	const struct na_store *store = m->s->scope->store;
	struct na_triples names = {0};
	bool ok = true, all = true;

	for (uint32_t i = 0; ok && all && i < m->n_hosts; i++) {
		uint32_t rack = na_store_rack(store, na_pairs_made_host(m, i));

		all = rack != NA_UNKNOWN_U32;
		m->racks[i] = na_triples_add(&names,
					     (struct na_triple){rack, 0, 0});
		ok = m->racks[i] != NA_NO_TRIPLE;
	}
	m->n_racks = all && m->run->placed ? (uint32_t)names.n : 0;
	na_triples_fini(&names);
	return ok;
}

/* The same of blocks, of racks that are placed. */
static bool make_blocks(struct making *m)
{
	const struct na_store *store = m->s->scope->store;
	struct na_triples names = {0};
	bool ok, all = m->n_racks > 0;

	m->blocks = na_calloc(m->n_hosts, sizeof(*m->blocks));
	ok = m->blocks != NULL;
	for (uint32_t i = 0; ok && all && i < m->n_hosts; i++) {
		uint32_t block = na_store_block(store,
						na_pairs_made_host(m, i));

		all = block != NA_UNKNOWN_U32;
		m->blocks[i] = na_triples_add(&names,
					      (struct na_triple){block, 0, 0});
		ok = m->blocks[i] != NA_NO_TRIPLE;
	}
	m->n_blocks = all ? (uint32_t)names.n : 0;
	na_triples_fini(&names);
	return ok;
}

static bool make_places(struct making *m)
{
	return make_nodes(m) && make_racks(m) && make_blocks(m);
}

static bool make(struct making *m)
{
	struct pairs_state *s = m->s;
	bool ok = make_places(m);

	m->rows = na_calloc(s->sends.n, sizeof(*m->rows));
	m->clocks = ok && m->rows ? na_pairs_clocks(s) : NULL;
	ok = ok && m->rows && m->clocks;
	for (size_t i = 0; ok && i < s->sends.n; i++) {
		const struct pairs_send *x = &s->sends.v[i];

		if (s->scope->store->sources[x->input].run == m->index)
			ok = make_row(m, x);
	}
	return ok;
}

/* ---- do sends end with their acknowledgement? */

/* The quickest of each pair of the run, as sender and receiver time it. */
struct quick {
	double took_us, latency_us;
};

static size_t reverse_of(const struct making *m, size_t p)
{
	const struct pairs_pair *x = &m->s->pairs[m->run->pair0 + p];

	return na_pairs_at(m->s, m->run, x->dst, x->src);
}

static void find_quickest(const struct making *m, struct quick *q)
{
	for (size_t p = 0; p < m->run->n_remote; p++) {
		const struct pairs_pair *x = &m->s->pairs[m->run->pair0 + p];
		size_t n = na_pairs_rows_of(m->s, x);

		q[p] = (struct quick){INFINITY, INFINITY};
		for (size_t i = 0; i < n; i++)
			q[p].latency_us =
				fmin(q[p].latency_us,
				     m->s->rows[x->first + i].latency_us);
	}
	for (size_t i = 0; i < m->n; i++) {
		const struct na_wire_connection *c =
			&m->connections.v[m->rows[i].connection];
		uint32_t node0 = (uint32_t)m->run->node0;
		size_t p = na_pairs_at(m->s, m->run, m->node_at[c->src] + node0,
				       m->node_at[c->dst] + node0);

		if (p < m->run->n_remote)
			q[p].took_us = fmin(q[p].took_us, m->rows[i].took_us);
	}
}

/* There and back, clocks cancel.  What was clamped tells nothing. */
static bool acknowledged(const struct making *m, bool *is)
{
	size_t pairs = m->run->n_remote, n = 0;
	struct quick *q = na_calloc(pairs, sizeof(*q));
	double *shares = na_calloc(pairs, sizeof(*shares));
	bool ok = q && shares;

	if (ok)
		find_quickest(m, q);
	for (size_t p = 0; ok && p < pairs; p++) {
		size_t back = reverse_of(m, p);
		double took, latency;

		if (back == pairs || !(q[p].latency_us > 0) ||
		    !(q[back].latency_us > 0))
			continue;
		took = q[p].took_us + q[back].took_us;
		latency = q[p].latency_us + q[back].latency_us;
		if (isfinite(took) && isfinite(latency))
			shares[n++] = took / latency;
	}
	*is = !n || na_median(shares, n) >= ACKNOWLEDGED;
	free(q);
	free(shares);
	return ok;
}

/* ---- where sends do not tell it, receives */

/* Of the receives: with more that show no time, clocks differ too much. */
#define MOST_TIMELESS 0.1

static double ahead_us(const struct making *m, uint32_t node)
{
	uint32_t h = na_pairs_made_host(m, node);

	return h < m->clocks->n_hosts ? na_us((double)m->clocks->ahead_ps[h])
				      : 0;
}

static bool make_receives_of(struct making *m, size_t pair)
{
	const struct pairs_state *s = m->s;
	const struct pairs_pair *p = &s->pairs[m->run->pair0 + pair];
	uint32_t src = m->host_of[s->nodes.v[p->src].host];
	uint32_t dst = m->host_of[s->nodes.v[p->dst].host];
	size_t n = na_pairs_rows_of(s, p);
	double src_us = ahead_us(m, src), dst_us = ahead_us(m, dst);

	if (!na_add(&m->connections, ((struct na_wire_connection){src, dst})))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct na_lz_transfer *t = &s->rows[p->first + i];
		const struct na_lz_moment *at = &s->lz_moments[t->moment];
		double took_us = t->latency_us - (dst_us - src_us);
		uint32_t cell = at->collective == NA_LZ_NONE
					? 0
					: at->collective + 1;

		if (!(t->latency_us > 0) || !(took_us > 0) ||
		    at->step == NA_LZ_NONE)
			continue;
		m->n_collectives = cell >= m->n_collectives ? cell + 1
							    : m->n_collectives;
		m->rows[m->n++] = (struct na_wire_row){
			.start_us = (double)t->tick * na_us(s->tick_ps) -
				    dst_us - took_us,
			.took_us = took_us,
			.size_bytes = t->size_bytes,
			.connection = (uint32_t)pair,
			.cell = cell,
			.step = at->step,
		};
	}
	return true;
}

static bool make_receives(struct making *m)
{
	struct pairs_run *run = m->run;
	bool ok = make_places(m);

	m->rows = na_calloc(run->n_rows, sizeof(*m->rows));
	m->clocks = ok && m->rows ? na_pairs_clocks(m->s) : NULL;
	ok = ok && m->rows && m->clocks;
	for (size_t p = 0; ok && p < run->n_remote; p++)
		ok = make_receives_of(m, p);
	for (uint32_t c = 0; ok && c < m->n_collectives; c++)
		ok = na_add(&m->collective_of, c);
	return ok;
}

static struct na_wire_input input_of(struct making *m)
{
	return (struct na_wire_input){
		.n_hosts = m->n_hosts,
		.n_racks = m->n_racks,
		.n_blocks = m->n_blocks,
		.n_connections = m->connections.n,
		.n_cells = m->collective_of.n,
		.n_rows = m->n,
		.n_steps = (uint32_t)m->s->scope->store->n_steps,
		.n_collectives = m->n_collectives,
		.connections = m->connections.v,
		.collective_of = m->collective_of.v,
		.rack_of = m->racks,
		.block_of = m->blocks,
		.rows = m->rows,
		.counted = m->counted.v,
		.n_counted = m->counted.n,
	};
}

/* False: no memory. */
static bool put_racks(const struct making *m)
{
	struct na_lz_result *r = &m->run->found;

	if (!r->rack_of)
		r->rack_of = na_calloc(m->run->n_nodes, sizeof(*r->rack_of));
	for (uint32_t i = 0; r->rack_of && i < m->run->n_nodes; i++) {
		uint32_t host = m->s->nodes.v[m->run->node0 + i].host;

		r->rack_of[i] = m->racks[m->host_of[host]];
	}
	return r->rack_of;
}

static bool make_sent(struct making *m, bool *fit)
{
	bool ok = make(m) && acknowledged(m, fit);

	/* Not other runs' sends, nor those within hosts. */
	*fit = *fit && (double)m->n >= COMPLETE * (double)m->run->n_rows;
	return ok && (!*fit || na_pairs_count_unsent(m));
}

static bool make_received(struct making *m, bool *fit)
{
	bool ok = make_receives(m);

	*fit = ok &&
	       (double)m->n >= (1 - MOST_TIMELESS) * (double)m->run->n_rows;
	return ok && (!*fit || na_pairs_count_unreceived(m));
}

/* By what receivers tell. */
static enum na_status by_receives(struct making *m,
				  struct na_wire_result *found, bool *able,
				  struct na_err *err)
{
	struct na_wire_input in;
	bool fit = false;
	enum na_status st = NA_OK;

	*able = false;
	if (!make_received(m, &fit))
		return na_fail_nomem(err);
	if (!fit)
		return NA_OK;
	in = input_of(m);
	in.two_clocks = true;
	st = na_wire(&in, able, found, err);
	if (st == NA_OK && *able && !na_pairs_by_nodes(m, found))
		st = na_fail_nomem(err);
	return st;
}

/* What hosts sent whose files are missing, their receivers alone tell. */
static enum na_status add_unsent(const struct making *sent,
				 struct na_wire_result *found,
				 struct na_err *err)
{
	struct making m = {.s = sent->s,
			   .run = sent->run,
			   .absent = sent->absent,
			   .index = sent->index};
	struct na_wire_result more = {0};
	bool able;
	enum na_status st = by_receives(&m, &more, &able, err);

	if (st == NA_OK && able && !na_pairs_take_unsent(&m, found, &more))
		st = na_fail_nomem(err);
	na_wire_result_fini(&more);
	making_fini(&m);
	return st;
}

static enum na_status by_sends(struct making *m, struct na_wire_result *found,
			       bool *able, struct na_err *err)
{
	struct na_wire_input in = input_of(m);
	enum na_status st = na_wire(&in, able, found, err);

	if (st != NA_OK || !*able)
		return st;
	if (!na_pairs_by_nodes(m, found))
		return na_fail_nomem(err);
	return m->absent->n ? add_unsent(m, found, err) : NA_OK;
}

enum na_status na_pairs_judge_sends(struct pairs_state *s,
				    struct pairs_run *run,
				    struct na_wire_result *found, bool *able,
				    struct na_err *err)
{
	struct making m = {.s = s,
			   .run = run,
			   .absent = &s->absent,
			   .index = (uint32_t)(run - s->runs)};
	enum na_status st = NA_OK;
	bool fit = false, ok = true;

	*able = false;
	if (!s->of_hosts || na_pairs_captured(s->scope->store, m.index))
		return NA_OK;
	if ((double)s->sends.n >= COMPLETE * (double)run->n_rows)
		ok = make_sent(&m, &fit);
	if (ok && fit) {
		st = by_sends(&m, found, able, err);
	} else if (ok) {
		making_fini(&m);
		m = (struct making){.s = s,
				    .run = run,
				    .absent = &s->absent,
				    .index = m.index};
		st = by_receives(&m, found, able, err);
	}
	/* Findings name racks by these numbers; what pairs alone tell of racks
	 * is numbered otherwise. */
	if (ok && st == NA_OK && *able && m.n_racks)
		ok = put_racks(&m);
	making_fini(&m);
	return ok ? st : na_fail_nomem(err);
}
