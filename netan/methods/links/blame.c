/*
 * From units to who is to blame: group testing.  An even unit acquits, a slow
 * one accuses whom nothing acquits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/methods/links/court.h"

enum {
	NO_CLASS = -1,
	/* Whether a host would be named is tried for so many of its units in
	 * all. */
	MOST_TRIED = 4000000
};

/* Faults are of a few: of the hosts that were compared, or of one. */
static const double most_share = 0.25;

static void acquit(struct court *c, const struct na_links_unit *u)
{
	const struct na_rank_instance *x = na_court_instance(c, u);

	for (size_t i = x->from; i < x->to; i++) {
		uint32_t rank = c->l->ranks->parts.v[i].rank;
		unsigned sides = na_court_sides(c, u, i);

		for (int k = 0; k < 2; k++) {
			if ((sides >> k & 1) &&
			    c->even[k][rank] < u->size_class)
				c->even[k][rank] = u->size_class;
		}
	}
}

/* The one host of a unit's suspects; NA_UNKNOWN_U32: none, or several. */
static uint32_t only_suspect(const struct court *c,
			     const struct na_links_unit *u, bool *any)
{
	const struct na_rank_instance *x = na_court_instance(c, u);
	uint32_t host = NA_UNKNOWN_U32;

	*any = false;
	for (size_t i = x->from; i < x->to; i++) {
		if (!na_court_suspected(c, u, i))
			continue;
		if (*any && na_court_host(c, i) != host)
			return NA_UNKNOWN_U32;
		*any = true;
		host = na_court_host(c, i);
	}
	return host;
}

static void note_orphan(struct court *c, const struct na_links_unit *u)
{
	const struct na_rank_instance *x = na_court_instance(c, u);
	bool pair = c->l->ranks->groups.v[u->group].src >= 0;
	size_t src = x->from;
	uint32_t from, to;

	if (pair && na_court_sides(c, u, src) != SENDS)
		src = x->to - 1;
	from = na_court_host(c, src);
	to = na_court_host(c, x->from + x->to - 1 - src);
	c->one_path = pair && (!c->orphans ||
			       (c->one_path && c->from == from && c->to == to));
	c->from = from;
	c->to = to;
	c->orphans++;
}

/* Another host that is in all of its slow units: the path between the two
 * would explain the same. */
static uint32_t in_all(struct court *c, uint32_t host)
{
	uint32_t units = 0, found = NA_UNKNOWN_U32;

	memset(c->shared, 0, c->l->n_hosts * sizeof(*c->shared));
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		const struct na_rank_instance *x = na_court_instance(c, u);

		if (!na_court_slow(u) || !na_court_suspects(c, u, host))
			continue;
		for (size_t i = x->from; i < x->to; i++) {
			/* Once for each unit. */
			if (c->shared[na_court_host(c, i)] == units)
				c->shared[na_court_host(c, i)]++;
		}
		units++;
	}
	for (uint32_t h = 0; h < c->l->n_hosts; h++) {
		if (h != host && units && c->shared[h] == units)
			found = h;
	}
	return found;
}

static bool pair_is_even(const struct court *c, uint32_t from, uint32_t to)
{
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		const struct na_rank_instance *x = na_court_instance(c, u);
		size_t src = x->from;

		if (u->local || u->state != NA_LINKS_IS_EVEN ||
		    c->l->ranks->groups.v[u->group].src < 0)
			continue;
		if (na_court_sides(c, u, src) != SENDS)
			src = x->to - 1;
		if (na_court_host(c, src) == from &&
		    na_court_host(c, x->from + x->to - 1 - src) == to)
			return true;
	}
	return false;
}

/* What its transfers inside take, of what others take there: the slowest
 * unit; 0: nothing tells. */
static double inside(const struct court *c, uint32_t host)
{
	double most = 0;

	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];

		if (u->local &&
		    na_court_host(c, na_court_instance(c, u)->from) == host)
			most = fmax(most, u->low);
	}
	return most;
}

static double excess_of(const struct court *c, uint32_t host)
{
	double most = 1;

	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];

		if (na_court_slow(u) && na_court_suspects(c, u, host))
			most = fmax(most, u->excess);
	}
	return most;
}

static void accuse(struct court *c)
{
	memset(c->named, 0, c->l->n_hosts);
	c->orphans = c->open = 0;
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < c->l->ranks->ranks.n; i++)
			c->even[k][i] = NO_CLASS;
	}
	for (size_t k = 0; k < c->n; k++) {
		if (!c->units[k].local && c->units[k].state == NA_LINKS_IS_EVEN)
			acquit(c, &c->units[k]);
	}
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		bool any;
		uint32_t host;

		if (!na_court_slow(u))
			continue;
		host = only_suspect(c, u, &any);
		if (!any)
			note_orphan(c, u);
		else if (host != NA_UNKNOWN_U32)
			c->named[host] = 1;
	}
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		bool any;

		if (na_court_slow(u) && !na_court_explained(c, u)) {
			only_suspect(c, u, &any);
			c->open += any;
		}
	}
}

/* The one host that has a suspect in every slow unit: one fault explains them
 * all, and any other way to do so takes two.  NA_UNKNOWN_U32: none, or
 * several. */
static uint32_t in_every(struct court *c)
{
	uint32_t units = 0, found = NA_UNKNOWN_U32;

	memset(c->shared, 0, c->l->n_hosts * sizeof(*c->shared));
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		const struct na_rank_instance *x = na_court_instance(c, u);

		if (!na_court_slow(u))
			continue;
		for (size_t i = x->from; i < x->to; i++) {
			uint32_t host = na_court_host(c, i);

			if (na_court_suspected(c, u, i) &&
			    c->shared[host] == units)
				c->shared[host]++;
		}
		units++;
	}
	for (uint32_t h = 0; h < c->l->n_hosts; h++) {
		if (c->shared[h] != units)
			continue;
		if (found != NA_UNKNOWN_U32)
			return NA_UNKNOWN_U32;
		found = h;
	}
	return found;
}

/* Why a host is not named though a slow unit has it alone; NAMED: it is. */
static enum na_links_why doubt(struct court *c, uint32_t host)
{
	double in = inside(c, host);
	uint32_t other;

	if (in > NA_LINKS_EVEN && in * in > excess_of(c, host)) {
		c->host = host;
		c->other = NA_UNKNOWN_U32;
		return NA_LINKS_INSIDE;
	}
	other = in_all(c, host);
	if (other == NA_UNKNOWN_U32)
		return NA_LINKS_NAMED;
	c->host = host;
	c->other = other;
	return NA_LINKS_PATH;
}

enum na_links_why na_court_judge(struct court *c)
{
	enum na_links_why why = NA_LINKS_NAMED;
	size_t hosts = 0, named = 0;
	uint32_t one;

	accuse(c);
	one = c->open && !c->orphans ? in_every(c) : NA_UNKNOWN_U32;
	if (one != NA_UNKNOWN_U32) {
		memset(c->named, 0, c->l->n_hosts);
		c->named[one] = 1;
		c->open = 0;
	}
	for (uint32_t h = 0; h < c->l->n_hosts; h++) {
		hosts += c->touched[h];
		named += c->named[h];
	}
	if (named > 1 && (double)named > most_share * (double)hosts)
		why = NA_LINKS_MANY;
	if (c->orphans)
		why = NA_LINKS_NO_HOST;
	if (why != NA_LINKS_NAMED) {
		memset(c->named, 0, c->l->n_hosts);
		return why;
	}
	for (uint32_t h = 0; h < c->l->n_hosts; h++) {
		enum na_links_why doubted = c->named[h] ? doubt(c, h)
							: NA_LINKS_NAMED;

		if (doubted == NA_LINKS_NAMED)
			continue;
		c->named[h] = 0;
		why = doubted;
	}
	return why == NA_LINKS_NAMED && c->open ? NA_LINKS_SEVERAL : why;
}

/* ---- whether it would have been seen */

static bool takes_part(const struct court *c, const struct na_links_unit *u,
		       uint32_t host)
{
	const struct na_rank_instance *x = na_court_instance(c, u);

	for (size_t i = x->from; i < x->to; i++) {
		if (na_court_host(c, i) == host)
			return true;
	}
	return false;
}

/* Were all slow that it takes part in, would it be named? */
static bool would_show(struct court *c, uint32_t host, uint8_t *was)
{
	bool shown;

	for (size_t k = 0; k < c->n; k++) {
		was[k] = c->units[k].state;
		if (!c->units[k].local && takes_part(c, &c->units[k], host) &&
		    was[k] == NA_LINKS_IS_EVEN)
			c->units[k].state = NA_LINKS_IS_SLOW;
	}
	shown = na_court_judge(c) == NA_LINKS_NAMED && c->named[host];
	for (size_t k = 0; k < c->n; k++)
		c->units[k].state = was[k];
	return shown;
}

static bool count_apart(struct court *c, struct na_links_run *out)
{
	uint8_t *was = na_calloc(c->n + 1, sizeof(*was));
	uint32_t hosts = c->l->n_hosts;

	for (uint32_t h = 0; was && h < hosts; h++) {
		if (c->touched[h] &&
		    (uint64_t)c->n * hosts <= (uint64_t)MOST_TRIED)
			out->apart += would_show(c, h, was);
	}
	free(was);
	return was;
}

static void survey(struct court *c, struct na_links_run *out)
{
	memset(c->touched, 0, c->l->n_hosts);
	for (size_t k = 0; k < c->n; k++) {
		const struct na_links_unit *u = &c->units[k];
		const struct na_rank_instance *x = na_court_instance(c, u);

		if (u->local)
			continue;
		out->units++;
		out->slow += na_court_slow(u);
		out->unsure += u->state == NA_LINKS_UNSURE &&
			       u->excess > NA_LINKS_SLOW;
		if (na_court_slow(u))
			out->excess = fmax(out->excess, u->excess);
		for (size_t i = x->from; i < x->to; i++) {
			out->hosts += !c->touched[na_court_host(c, i)];
			c->touched[na_court_host(c, i)] = 1;
		}
	}
}

static bool judge_run(struct court *c, uint32_t run)
{
	struct na_links_run *out = &c->l->runs[run];

	memset(c->named, 0, c->l->n_hosts);
	survey(c, out);
	if (!out->slow) {
		out->why = out->units ? NA_LINKS_ALL_EVEN : NA_LINKS_NOTHING;
		return out->unsure || count_apart(c, out);
	}
	out->why = na_court_judge(c);
	out->host = c->host;
	out->other = c->other;
	if (out->why == NA_LINKS_NO_HOST && c->one_path &&
	    c->orphans == out->slow && pair_is_even(c, c->to, c->from)) {
		out->why = NA_LINKS_NAMED;
		return na_court_tell_path(c, run);
	}
	return na_court_tell(c, run, out->why);
}

static bool open_court(struct court *c)
{
	size_t ranks = c->l->ranks->ranks.n + 1, hosts = c->l->n_hosts + 1;

	for (int k = 0; k < 2; k++)
		c->even[k] = na_calloc(ranks, sizeof(**c->even));
	c->named = na_calloc(hosts, sizeof(*c->named));
	c->touched = na_calloc(hosts, sizeof(*c->touched));
	c->shared = na_calloc(hosts, sizeof(*c->shared));
	c->l->blamed = na_calloc(ranks, sizeof(*c->l->blamed));
	c->l->suspect = na_calloc(ranks, sizeof(*c->l->suspect));
	c->l->runs = na_calloc(c->l->ranks->store->n_runs + 1,
			       sizeof(*c->l->runs));
	return c->even[0] && c->even[1] && c->named && c->touched &&
	       c->shared && c->l->blamed && c->l->suspect && c->l->runs;
}

bool na_links_blame(struct na_links *l)
{
	struct court c = {.l = l};
	bool ok = open_court(&c);
	size_t from = 0;

	for (uint32_t run = 0; ok && run < l->ranks->store->n_runs; run++) {
		c.units = l->units.v ? &l->units.v[from] : NULL;
		c.n = 0;
		while (from + c.n < l->units.n &&
		       l->units.v[from + c.n].run == run)
			c.n++;
		from += c.n;
		ok = judge_run(&c, run);
	}
	free(c.even[0]);
	free(c.even[1]);
	free(c.named);
	free(c.touched);
	free(c.shared);
	return ok;
}

bool na_links_find(struct na_links *l)
{
	struct links_samples samples = {0};
	bool ok = na_links_gather(l, &samples) &&
		  na_links_beside(l, &samples) && na_links_compare(l, &samples);

	free(samples.v);
	return ok && na_links_blame(l);
}

void na_links_fini(struct na_links *l)
{
	free(l->host_of);
	free(l->rank_on);
	na_vec_free(&l->units);
	na_vec_free(&l->culprits);
	free(l->blamed);
	free(l->suspect);
	free(l->runs);
}
