/*
 * Hash tables with chains by index; two lists by age.
 */
#include "ingest/roce/table.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* Not keyed: how far answer.c searches a chain is bounded, and must be
 * the same in each run. */
static uint32_t pair_slot(const struct na_roce *x, const struct na_address *a,
			  const struct na_address *b)
{
	return (uint32_t)na_hash_mix(na_hash_address(1, a),
				     na_hash_address(2, b)) &
	       x->mask;
}

static uint32_t key_slot(const struct na_roce *x, const struct na_address *a,
			 const struct na_address *b, uint64_t dest,
			 uint32_t source)
{
	uint64_t h = na_hash_mix(na_hash_address(x->key, a),
				 na_hash_address(~x->key, b));

	h = na_hash_mix(h ^ (dest << 32 | source), 0xd6e8feb86659fd93);
	return (uint32_t)h & x->mask;
}

bool na_roce_is_pair(const struct na_roce_qp *q, const struct na_address *a,
		     const struct na_address *b)
{
	return na_address_same(&q->src, a) && na_address_same(&q->dst, b);
}

uint32_t na_roce_pair_first(const struct na_roce *x, const struct na_address *a,
			    const struct na_address *b)
{
	return x->by_pair ? x->by_pair[pair_slot(x, a, b)] : NA_ROCE_NONE;
}

void na_roce_table_init(struct na_roce *x)
{
	x->key = na_hash_key();
	x->free_wait = NA_ROCE_NONE;
	x->oldest_qp = x->newest_qp = NA_ROCE_NONE;
	x->oldest_wait = x->newest_wait = NA_ROCE_NONE;
}

/* With the first queue pair: few captures have one. */
static bool make_slots(struct na_roce *x)
{
	uint32_t slots = 16;

	if (x->by_key && x->by_pair)
		return true;

	while (slots < x->limits.queue_pairs && slots < 1u << 24)
		slots *= 2;
	x->mask = slots - 1;
	x->by_key = na_calloc(slots, sizeof(*x->by_key));
	x->by_pair = na_calloc(slots, sizeof(*x->by_pair));
	if (!x->by_key || !x->by_pair) {
		free(x->by_key);
		free(x->by_pair);
		x->by_key = x->by_pair = NULL;
		return false;
	}
	memset(x->by_key, 0xff, slots * sizeof(*x->by_key));
	memset(x->by_pair, 0xff, slots * sizeof(*x->by_pair));
	return true;
}

void na_roce_table_fini(struct na_roce *x)
{
	free(x->by_key);
	free(x->by_pair);
	na_vec_free(&x->qps);
	na_vec_free(&x->waits);
}

static void qp_unlink_age(struct na_roce *x, struct na_roce_qp *q)
{
	if (q->older != NA_ROCE_NONE)
		x->qps.v[q->older].newer = q->newer;
	else
		x->oldest_qp = q->newer;
	if (q->newer != NA_ROCE_NONE)
		x->qps.v[q->newer].older = q->older;
	else
		x->newest_qp = q->older;
}

static void qp_make_newest(struct na_roce *x, uint32_t i)
{
	struct na_roce_qp *q = &x->qps.v[i];

	q->older = x->newest_qp;
	q->newer = NA_ROCE_NONE;
	if (x->newest_qp != NA_ROCE_NONE)
		x->qps.v[x->newest_qp].newer = i;
	else
		x->oldest_qp = i;
	x->newest_qp = i;
}

static void qp_unlink_hash(struct na_roce *x, uint32_t i)
{
	struct na_roce_qp *q = &x->qps.v[i];
	uint32_t *at =
		&x->by_key[key_slot(x, &q->src, &q->dst, q->dest, q->source)];

	while (*at != i)
		at = &x->qps.v[*at].hash_next;
	*at = q->hash_next;
	if (q->pair_prev != NA_ROCE_NONE)
		x->qps.v[q->pair_prev].pair_next = q->pair_next;
	else
		x->by_pair[pair_slot(x, &q->src, &q->dst)] = q->pair_next;
	if (q->pair_next != NA_ROCE_NONE)
		x->qps.v[q->pair_next].pair_prev = q->pair_prev;
}

/* A place for one more: a new one, or that of the least recently used. */
static enum na_status qp_place(struct na_roce *x, uint32_t *index)
{
	enum na_status st;

	if (x->qps.n < x->limits.queue_pairs) {
		if (!na_room(&x->qps, 1))
			return NA_ENOMEM;
		*index = (uint32_t)x->qps.n++;
		return NA_OK;
	}
	*index = x->oldest_qp;
	x->counts.limits_hit++;
	st = na_roce_wait_drop_all(x, *index);
	if (!st && x->wanted)
		st = na_roce_trail_tell(x, *index, true);
	qp_unlink_hash(x, *index);
	qp_unlink_age(x, &x->qps.v[*index]);
	return st;
}

static void qp_link(struct na_roce *x, uint32_t i)
{
	struct na_roce_qp *q = &x->qps.v[i];
	uint32_t *key =
		&x->by_key[key_slot(x, &q->src, &q->dst, q->dest, q->source)];
	uint32_t *pair = &x->by_pair[pair_slot(x, &q->src, &q->dst)];

	q->hash_next = *key;
	*key = i;
	q->pair_next = *pair;
	q->pair_prev = NA_ROCE_NONE;
	if (*pair != NA_ROCE_NONE)
		x->qps.v[*pair].pair_prev = i;
	*pair = i;
	qp_make_newest(x, i);
}

enum na_status na_roce_qp(struct na_roce *x, const struct na_packet *p,
			  const struct na_roce_head *h, uint32_t *index)
{
	enum na_status st;
	uint32_t i;

	if (!make_slots(x))
		return NA_ENOMEM;
	i = x->by_key[key_slot(x, &p->src, &p->dst, h->dest_qp, h->source_qp)];
	for (; i != NA_ROCE_NONE; i = x->qps.v[i].hash_next) {
		struct na_roce_qp *q = &x->qps.v[i];

		if (q->dest != h->dest_qp || q->source != h->source_qp ||
		    !na_roce_is_pair(q, &p->src, &p->dst))
			continue;
		/* A congestion notification tells of no transport. */
		if (h->kind != NA_ROCE_CONGESTION && !q->named)
			q->transport = h->transport;
		q->named |= h->kind != NA_ROCE_CONGESTION;
		if (x->newest_qp != i) {
			qp_unlink_age(x, q);
			qp_make_newest(x, i);
		}
		*index = i;
		return NA_OK;
	}
	st = qp_place(x, &i);
	if (st)
		return st;
	x->qps.v[i] = (struct na_roce_qp){
		.src = p->src,
		.dst = p->dst,
		.dest = h->dest_qp,
		.source = h->source_qp,
		.transport = h->transport,
		.named = h->kind != NA_ROCE_CONGESTION,
		.serial = ++x->serials,
		.src_end = NA_UNKNOWN_U32,
		.dst_end = NA_UNKNOWN_U32,
		.name = NA_UNKNOWN_U32,
		.first_wait = NA_ROCE_NONE,
		.last_wait = NA_ROCE_NONE,
		.acks = NA_ROCE_NONE,
		.acked_by = NA_ROCE_NONE,
	};
	qp_link(x, i);
	*index = i;
	return NA_OK;
}

static enum na_status wait_place(struct na_roce *x, uint32_t *index)
{
	struct na_roce_wait gone;
	enum na_status st = NA_OK;

	if (x->free_wait == NA_ROCE_NONE && x->waits.n >= x->limits.messages) {
		/* The oldest of all is the first of its queue pair. */
		na_roce_wait_take(x, x->waits.v[x->oldest_wait].qp, &gone);
		x->counts.limits_hit++;
		st = na_roce_tell_lost(x, &gone);
	}
	if (x->free_wait != NA_ROCE_NONE) {
		*index = x->free_wait;
		x->free_wait = x->waits.v[*index].next;
		return st;
	}
	if (!na_room(&x->waits, 1))
		return NA_ENOMEM;
	*index = (uint32_t)x->waits.n++;
	return st;
}

enum na_status na_roce_wait_add(struct na_roce *x, const struct na_roce_wait *w)
{
	struct na_roce_qp *q;
	uint32_t i;
	enum na_status st = wait_place(x, &i);

	if (st)
		return st;
	q = &x->qps.v[w->qp];
	x->waits.v[i] = *w;
	x->waits.v[i].next = NA_ROCE_NONE;
	if (q->last_wait != NA_ROCE_NONE)
		x->waits.v[q->last_wait].next = i;
	else
		q->first_wait = i;
	q->last_wait = i;
	x->waits.v[i].older = x->newest_wait;
	x->waits.v[i].newer = NA_ROCE_NONE;
	if (x->newest_wait != NA_ROCE_NONE)
		x->waits.v[x->newest_wait].newer = i;
	else
		x->oldest_wait = i;
	x->newest_wait = i;
	return NA_OK;
}

void na_roce_wait_take(struct na_roce *x, uint32_t qp, struct na_roce_wait *w)
{
	struct na_roce_qp *q = &x->qps.v[qp];
	uint32_t i = q->first_wait;

	*w = x->waits.v[i];
	q->first_wait = w->next;
	if (w->next == NA_ROCE_NONE)
		q->last_wait = NA_ROCE_NONE;
	if (w->older != NA_ROCE_NONE)
		x->waits.v[w->older].newer = w->newer;
	else
		x->oldest_wait = w->newer;
	if (w->newer != NA_ROCE_NONE)
		x->waits.v[w->newer].older = w->older;
	else
		x->newest_wait = w->older;
	x->waits.v[i].next = x->free_wait;
	x->free_wait = i;
}

enum na_status na_roce_wait_drop_all(struct na_roce *x, uint32_t qp)
{
	struct na_roce_wait w;
	enum na_status st = NA_OK;

	while (!st && x->qps.v[qp].first_wait != NA_ROCE_NONE) {
		na_roce_wait_take(x, qp, &w);
		st = na_roce_tell_lost(x, &w);
	}
	return st;
}
