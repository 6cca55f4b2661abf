/* The clocks of the hosts of a store, from its transfers on all threads. */
#include <stdlib.h>

#include "netan/methods/clocks/host_clocks.h"
#include "netan/model/scope.h"

/* At a time, and chunks of each: this bounds what they take beside the sum.
 * Neither depends on the threads. */
enum { RANGES = 8, RANGE_CHUNKS = 256 };

struct range {
	struct na_host_clocks clocks;
	const struct na_chunk *first;
	bool ok;
};

struct reading {
	const struct na_bound_filter *bound; /* NULL: all */
	/* Clocks are as they are in the window, and while the steps run. */
	const struct na_bound_filter *when;
	struct range ranges[RANGES];
};

static bool counts(const struct reading *r, const struct na_transfer *t)
{
	return na_filter_when(r->when, t) &&
	       (!r->bound || na_filter_transfer(r->bound, t) == NA_KEEP);
}

static void read_range(void *arg, size_t i)
{
	struct reading *r = arg;
	struct range *x = &r->ranges[i];
	const struct na_chunk *c = x->first;

	x->ok = true;
	for (size_t k = 0; k < RANGE_CHUNKS && c; k++, c = c->next) {
		const struct na_packed_transfer *p = (const void *)c->data;

		for (size_t n = 0; x->ok && n < c->n; n++) {
			const struct na_transfer t = na_unpack_transfer(&p[n]);

			if (counts(r, &t))
				x->ok = na_host_clocks_add(&x->clocks, &t);
		}
	}
}

/* The ranges from chunk *at on, which moves behind them. */
static size_t next_ranges(struct reading *r, const struct na_store *store,
			  const struct na_chunk **at)
{
	size_t n = 0;

	for (; n < RANGES && *at; n++) {
		r->ranges[n] = (struct range){.clocks.store = store,
					      .first = *at};
		for (size_t k = 0; k < RANGE_CHUNKS && *at; k++)
			*at = (*at)->next;
	}
	return n;
}

enum { SENDS = 1, RECEIVES = 2, BOTH = SENDS | RECEIVES };

/* Whether the chunk shows a host that sends and receives; ways: by host. */
static bool shows_both(const struct reading *r, const struct na_store *store,
		       const struct na_chunk *c, unsigned char *ways)
{
	const struct na_packed_transfer *p = (const void *)c->data;

	for (size_t i = 0; i < c->n; i++) {
		const struct na_transfer t = na_unpack_transfer(&p[i]);
		uint32_t run = store->sources[t.input].run, src, dst;

		if (!na_tells_clocks(&t) || !counts(r, &t))
			continue;
		src = na_store_host_of(store, run, t.src);
		dst = na_store_host_of(store, run, t.dst);
		if (src == dst || src >= store->n_hosts ||
		    dst >= store->n_hosts)
			continue;
		ways[src] |= SENDS;
		ways[dst] |= RECEIVES;
		if (ways[src] == BOTH || ways[dst] == BOTH)
			return true;
	}
	return false;
}

/* Where none of many hosts does both, as in one trace of them, nothing bounds
 * a clock from two sides: the pairs need not be kept.  False: no memory. */
static bool tells_any(const struct reading *r, const struct na_store *store,
		      bool *any)
{
	unsigned char *ways = na_calloc(store->n_hosts, 1);

	*any = store->n_hosts <= NA_CLOCK_TABLE;
	for (const struct na_chunk *c = store->transfers.first;
	     ways && c && !*any; c = c->next)
		*any = shows_both(r, store, c, ways);
	free(ways);
	return ways;
}

static bool read_all(struct na_host_clocks *c, const struct na_scope *scope,
		     const struct na_bound_filter *bound)
{
	const struct na_chunk *at = scope->store->transfers.first;
	struct reading r = {.bound = bound, .when = scope->bound};
	bool ok, any;
	size_t n;

	c->store = scope->store;
	ok = tells_any(&r, c->store, &any);
	while (ok && any && (n = next_ranges(&r, c->store, &at)) > 0) {
		ok = na_side_by_side(scope, n, read_range, &r);
		for (size_t i = 0; i < n; i++) {
			struct range *x = &r.ranges[i];

			ok = ok && x->ok && na_host_clocks_merge(c, &x->clocks);
			na_host_clocks_fini(&x->clocks);
		}
	}
	return ok && na_host_clocks_settle(c);
}

const struct na_host_clocks *
na_host_clocks_of(const struct na_scope *scope,
		  const struct na_bound_filter *bound,
		  struct na_host_clocks *own)
{
	struct na_shared_clocks *x = scope->clocks;
	bool known;

	if (!x || (bound && !na_filter_keeps_all(bound)))
		return read_all(own, scope, bound) ? own : NULL;
	pthread_mutex_lock(&x->lock);
	if (!x->known)
		x->known = read_all(&x->clocks, scope, NULL);
	known = x->known;
	if (!known)
		na_host_clocks_fini(&x->clocks);
	pthread_mutex_unlock(&x->lock);
	return known ? &x->clocks : NULL;
}

void na_shared_clocks_init(struct na_shared_clocks *x)
{
	*x = (struct na_shared_clocks){.known = false};
	pthread_mutex_init(&x->lock, NULL);
}

void na_shared_clocks_fini(struct na_shared_clocks *x)
{
	na_host_clocks_fini(&x->clocks);
	pthread_mutex_destroy(&x->lock);
}
