/*
 * The units of a run before the judge: what blame.c and tell.c share.
 */
#ifndef NETAN_METHODS_LINKS_COURT_H
#define NETAN_METHODS_LINKS_COURT_H

#include "netan/methods/links/impl.h"

/* The units of a run, and what they say. */
struct court {
	struct na_links *l;
	struct na_links_unit *units;
	size_t n;
	int *even[2];         /* by rank: sends, receives: the largest class */
	uint8_t *named;       /* by host: a slow unit has it alone */
	uint8_t *touched;     /* by host */
	uint32_t *shared;     /* by host: of the units that are looked at */
	size_t orphans, open; /* slow units: of nobody; of several */
	uint32_t from, to;    /* hosts of the pair that all orphans are */
	bool one_path;
	uint32_t host, other; /* of what is doubted; other: NA_UNKNOWN_U32 */
};

enum { SENDS = 1, RECEIVES = 2 };

static inline const struct na_rank_instance *
na_court_instance(const struct court *c, const struct na_links_unit *u)
{
	return &c->l->ranks->instances.v[u->instance];
}

/* Which sides of part i take part. */
static inline unsigned na_court_sides(const struct court *c,
				      const struct na_links_unit *u, size_t i)
{
	const struct na_ranks *r = c->l->ranks;
	const struct na_rank_group *g = &r->groups.v[u->group];
	int32_t number = r->ranks.v[r->parts.v[i].rank].number;

	if (g->src < 0)
		return SENDS | RECEIVES;
	return number == g->src ? SENDS : RECEIVES;
}

/* Of the sides of part i that take part, those that nothing acquits. */
static inline unsigned na_court_suspected(const struct court *c,
					  const struct na_links_unit *u,
					  size_t i)
{
	uint32_t rank = c->l->ranks->parts.v[i].rank;
	unsigned sides = na_court_sides(c, u, i);

	for (int k = 0; k < 2; k++) {
		if (c->even[k][rank] >= u->size_class)
			sides &= ~(1U << k);
	}
	return sides;
}

static inline uint32_t na_court_host(const struct court *c, size_t part)
{
	return c->l->host_of[c->l->ranks->parts.v[part].rank];
}

static inline bool na_court_slow(const struct na_links_unit *u)
{
	return u->state == NA_LINKS_IS_SLOW && !u->local;
}

static inline bool na_court_suspects(const struct court *c,
				     const struct na_links_unit *u,
				     uint32_t host)
{
	const struct na_rank_instance *x = na_court_instance(c, u);

	for (size_t i = x->from; i < x->to; i++) {
		if (na_court_host(c, i) == host && na_court_suspected(c, u, i))
			return true;
	}
	return false;
}

static inline bool na_court_explained(const struct court *c,
				      const struct na_links_unit *u)
{
	const struct na_rank_instance *x = na_court_instance(c, u);

	for (size_t i = x->from; i < x->to; i++) {
		if (c->named[na_court_host(c, i)] &&
		    na_court_suspected(c, u, i))
			return true;
	}
	return false;
}

/* blame.c: what may be said; `named` keeps those alone who are named, `host`
 * and `other` are of what is doubted. */
enum na_links_why na_court_judge(struct court *c);

/* tell.c: those who are named, and of whom nobody can tell; or the one path
 * between from and to.  False: no memory. */
bool na_court_tell(struct court *c, uint32_t run, enum na_links_why why);
bool na_court_tell_path(struct court *c, uint32_t run);

#endif
