/*
 * pairs, third pass: a host is named; is it one of its devices alone?
 * Devices of one host share its NIC, so that a NIC slows all of them.  Each
 * transfer's log excess over the pooled line goes to a bin of its device;
 * only devices of one host are compared, so that the rest of the
 * expectation does not matter.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/vec.h"

enum { BINS = 512, ENOUGH = 20, TAILS = 5 };

#define BINS_PER_LOG 40.0 /* from -6.4 to 6.4 */
#define LARGE_BYTES  (256 << 10)
#define TAIL_US      1e5

_Static_assert(sizeof(((struct pairs_device *)0)->bins) ==
		       BINS * sizeof(uint32_t),
	       "pairs.h and the bins here");

static bool of_side(const struct na_lz_finding *f)
{
	return f->who.kind == NA_LZ_SRC || f->who.kind == NA_LZ_DST ||
	       f->who.kind == NA_LZ_HOST;
}

/* A host, or those devices without a file that are taken for one. */
static void blame(struct pairs_state *s, const struct pairs_run *run,
		  const struct na_lz_who *who, uint32_t id)
{
	bool group = na_pairs_group_of(s, run, who->a);

	for (uint32_t i = group ? 0 : who->a; i < run->n_nodes; i++) {
		uint32_t host = na_pairs_node_at(s, run, i)->host;

		if (group && run->first_of[i] != run->first_of[who->a])
			continue;
		if (who->kind != NA_LZ_DST)
			s->blamed[0][host] = id;
		if (who->kind != NA_LZ_SRC)
			s->blamed[1][host] = id;
		if (!group)
			break;
	}
}

enum na_status na_pairs_endpoint_plan(struct pairs_state *s, bool *needed)
{
	const struct na_store *store = s->scope->store;
	size_t all = 0;

	*needed = false;
	for (size_t side = 0; s->of_hosts && side < 2; side++) {
		s->blamed[side] = na_calloc(store->n_hosts, sizeof(uint32_t));
		if (!s->blamed[side])
			return NA_ENOMEM;
	}
	for (size_t i = 0; i < store->n_runs; i++) {
		struct pairs_run *run = &s->runs[i];

		run->finding0 = all;
		for (size_t k = 0; k < run->found.n_findings; k++) {
			const struct na_lz_finding *f = &run->found.findings[k];
			uint32_t id = (uint32_t)++all;

			if (!of_side(f) || !s->of_hosts)
				continue;
			*needed = true;
			blame(s, run, &f->who, id);
		}
	}
	return NA_OK;
}

static struct pairs_device *device_of(struct pairs_state *s,
				      struct na_triple key)
{
	uint32_t i = na_triples_add(&s->device_keys, key);

	if (i == NA_NO_TRIPLE || (i == s->devices.n && !na_push(&s->devices)))
		return NULL;
	return &s->devices.v[i];
}

static enum na_status count(struct pairs_state *s, const struct na_transfer *t,
			    const struct na_lz_result *line, uint32_t finding,
			    uint32_t endpoint)
{
	double us = na_us((double)t->end_ps - (double)t->start_ps);
	double expected =
		fmax(line->base_us + line->us_per_byte * (double)t->size_bytes,
		     1);
	double at = (log(us / expected) * BINS_PER_LOG) + BINS / 2.0;
	struct pairs_device *d =
		device_of(s, (struct na_triple){finding, endpoint, 0});

	if (!d)
		return NA_ENOMEM;
	d->n++;
	d->tails += us - expected > TAIL_US;
	d->bins[at > 0 ? (at < BINS - 1 ? (size_t)at : BINS - 1) : 0]++;
	return NA_OK;
}

enum na_status na_pairs_endpoint_add(struct pairs_state *block,
				     const struct na_transfer *t)
{
	const struct pairs_state *m = block->main;
	const struct na_store *store = m->scope->store;
	uint32_t run = store->sources[t->input].run;
	const struct na_lz_result *found = &m->runs[run].found;
	const uint32_t ends[2] = {t->src, t->dst};
	uint32_t host[2];
	enum na_status st = NA_OK;

	host[0] = na_store_host_of(store, run, t->src);
	host[1] = na_store_host_of(store, run, t->dst);
	if (t->start_ps == t->end_ps || host[0] == host[1])
		return NA_OK;
	for (size_t side = 0; st == NA_OK && side < 2; side++) {
		uint32_t id = m->blamed[side][host[side]];
		const struct na_lz_finding *f;

		if (!id)
			continue;
		f = &found->findings[id - 1 - m->runs[run].finding0];
		if (f->channel != NA_LZ_LARGE || t->size_bytes >= LARGE_BYTES)
			st = count(block, t, found, id - 1, ends[side]);
	}
	return st;
}

enum na_status na_pairs_endpoint_merge(struct pairs_state *s,
				       const struct pairs_state *b)
{
	for (size_t i = 0; i < b->device_keys.n; i++) {
		struct pairs_device *d = device_of(s, b->device_keys.keys[i]);

		if (!d)
			return NA_ENOMEM;
		d->n += b->devices.v[i].n;
		d->tails += b->devices.v[i].tails;
		for (size_t k = 0; k < BINS; k++)
			d->bins[k] += b->devices.v[i].bins[k];
	}
	return NA_OK;
}

/* Log excess at the middle of the device's transfers. */
static double median(const struct pairs_device *d)
{
	uint64_t sum = 0;
	size_t i = 0;

	while (i + 1 < BINS && 2 * (sum + d->bins[i]) < d->n)
		sum += d->bins[i++];
	return ((double)i + 0.5 - BINS / 2.0) / BINS_PER_LOG;
}

/* The largest and the next of a finding's devices. */
struct podium {
	double first, second;
	uint32_t endpoint;
	size_t n;
	uint64_t all, tails, first_all, first_tails;
};

static void step_up(struct podium *p, const struct pairs_device *d,
		    uint32_t endpoint, double x)
{
	p->all += d->n;
	p->tails += d->tails;
	if (p->n++ && x <= p->first) {
		p->second = fmax(p->second, x);
		return;
	}
	p->second = p->first;
	p->first = x;
	p->endpoint = endpoint;
	p->first_all = d->n;
	p->first_tails = d->tails;
}

uint32_t na_pairs_endpoint_of(const struct pairs_state *s,
			      const struct pairs_run *run,
			      const struct na_lz_finding *f)
{
	size_t id = run->finding0 + (size_t)(f - run->found.findings);
	struct podium p = {.first = -INFINITY, .second = -INFINITY};
	bool rate = f->channel == NA_LZ_RATE, stands_out;

	for (size_t i = 0; i < s->device_keys.n; i++) {
		const struct pairs_device *d = &s->devices.v[i];

		if (s->device_keys.keys[i].a == id && d->n >= ENOUGH)
			step_up(&p, d, s->device_keys.keys[i].b,
				rate ? (double)d->tails : median(d));
	}
	if (rate)
		stands_out = p.tails >= TAILS &&
			     5 * p.first_tails >= 4 * p.tails &&
			     5 * p.first_all <= 3 * p.all;
	else
		stands_out = p.first - p.second >
			     fmax(log(1.25), 0.5 * f->effect);
	return p.n >= 2 && stands_out ? p.endpoint : NA_UNKNOWN_U32;
}
