/* What is told of those to blame, and of whom nothing tells apart. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/links/court.h"

/* Adds the units that are slow and have a suspect on the host (NA_UNKNOWN_U32:
 * all that are slow) up. */
static bool sum_up(const struct court *c, uint32_t host,
		   struct na_links_culprit *x)
{
	double *tmp = na_calloc(c->n + 1, sizeof(*tmp));

	for (size_t k = 0; tmp && k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];

		if (!na_court_slow(u) ||
		    (host != NA_UNKNOWN_U32 && !na_court_suspects(c, u, host)))
			continue;
		tmp[x->units++] = u->excess;
		x->instances += u->n;
	}
	na_sort(tmp, tmp ? x->units : 0, na_order_f64);
	if (tmp && x->units) {
		x->low = tmp[0];
		x->excess = tmp[x->units / 2];
		x->high = tmp[x->units - 1];
	}
	free(tmp);
	return tmp;
}

/* Marks the host's ranks that the unit leaves under suspicion.  A pair tells
 * which side; a group, where the other one is even elsewhere. */
static unsigned blame_ranks(struct court *c, const struct na_links_unit *u,
			    uint32_t host)
{
	const struct na_rank_instance *x = na_court_instance(c, u);
	unsigned sides = 0;

	for (size_t i = x->from; i < x->to; i++) {
		unsigned s = na_court_host(c, i) == host
				     ? na_court_suspected(c, u, i)
				     : 0;

		if (s)
			c->l->blamed[c->l->ranks->parts.v[i].rank] =
				(uint32_t)c->l->culprits.n + 1;
		sides |= s == (SENDS | RECEIVES) ? 0 : s;
	}
	return sides;
}

/* Whether all its ranks that were compared are under suspicion. */
static bool whole(const struct court *c, uint32_t host)
{
	const struct na_links *l = c->l;

	for (size_t k = 0; k < c->n; k++) {
		const struct na_rank_instance *x =
			na_court_instance(c, &c->units[k]);

		for (size_t i = x->from; !c->units[k].local && i < x->to; i++) {
			if (na_court_host(c, i) == host &&
			    !l->blamed[l->ranks->parts.v[i].rank])
				return false;
		}
	}
	return true;
}

static bool tell_host(struct court *c, uint32_t run, uint32_t host)
{
	struct na_links_culprit x = {.run = run, .host = host};
	unsigned sides = 0;

	for (size_t k = 0; k < c->n; k++) {
		if (na_court_slow(&c->units[k]))
			sides |= blame_ranks(c, &c->units[k], host);
	}
	x.kind = sides == SENDS      ? NA_LINKS_SRC
		 : sides == RECEIVES ? NA_LINKS_DST
				     : NA_LINKS_HOST;
	x.whole = whole(c, host);
	return sum_up(c, host, &x) && na_add(&c->l->culprits, x);
}

bool na_court_tell_path(struct court *c, uint32_t run)
{
	struct na_links_culprit x = {.kind = NA_LINKS_PAIR,
				     .run = run,
				     .host = c->from,
				     .other = c->to,
				     .whole = true};

	return sum_up(c, NA_UNKNOWN_U32, &x) && na_add(&c->l->culprits, x);
}

/* Whom the slow units leave that nobody who is named explains. */
static void tell_suspects(struct court *c)
{
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		const struct na_rank_instance *x = na_court_instance(c, u);

		if (!na_court_slow(u) || na_court_explained(c, u))
			continue;
		for (size_t i = x->from; i < x->to; i++) {
			if (na_court_suspected(c, u, i))
				c->l->suspect[c->l->ranks->parts.v[i].rank] =
					true;
		}
	}
}

bool na_court_tell(struct court *c, uint32_t run, enum na_links_why why)
{
	bool ok = true;

	for (uint32_t h = 0; ok && h < c->l->n_hosts; h++)
		ok = !c->named[h] || tell_host(c, run, h);
	if (why != NA_LINKS_NAMED)
		tell_suspects(c);
	return ok;
}
