/* What is left once a collective's own usual is taken away. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/triples.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

/* Sizes in powers of two: a collective may send different ones. */
static uint32_t octave(float bytes)
{
	return bytes > 1 ? (uint32_t)ilogbf(bytes) : 0;
}

/* The part of the collective, the octave, how far it goes. */
static struct na_triple part_of(const struct wi *w, size_t i)
{
	const struct na_wire_row *r = &w->in->rows[i];

	return (struct na_triple){
		r->cell, octave(r->size_bytes),
		(w->stratum[i] & 1) + wi_far(w->in, w->host[WI_TX][i],
					     w->host[WI_RX][i])};
}

/* The collective and how far apart the ends are numbered: in a ring, who
 * sends to the next; in an exchange, whose turn it is. */
static struct na_triple turn_of(const struct wi *w, size_t i)
{
	uint32_t hosts = (uint32_t)w->in->n_hosts;

	return (struct na_triple){
		w->stratum[i],
		(w->host[WI_RX][i] + hosts - w->host[WI_TX][i]) % hosts, 0};
}

static bool keys(struct wi *w, uint32_t *key, size_t *n_keys,
		 struct na_triple (*of)(const struct wi *w, size_t i))
{
	struct na_triples t = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < w->n; i++) {
		key[i] = na_triples_add(&t, of(w, i));
		ok = key[i] != NA_NO_TRIPLE;
	}
	*n_keys = t.n;
	na_triples_fini(&t);
	return ok;
}

static void forget(struct wi_shares *s)
{
	free(s->key);
	free(s->rows);
	*s = (struct wi_shares){0};
}

static bool share(struct wi *w, struct wi_shares *s,
		  struct na_triple (*of)(const struct wi *w, size_t i))
{
	size_t n = 0;

	s->key = na_calloc(w->n, sizeof(*s->key));
	s->rows = na_calloc(w->n, sizeof(*s->rows));
	if (!s->key || !s->rows || !keys(w, s->key, &n, of))
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		s->rows[i] = i;
	return wi_sort(s->rows, w->n, s->key, n);
}

static bool centre(struct wi *w, enum wi_usual_of which,
		   struct na_triple (*of)(const struct wi *w, size_t i))
{
	struct wi_shares *s = &w->shares[which];

	if (!s->rows && !share(w, s, of))
		return false;
	wi_centre(w, w->raw, s);
	wi_centre(w, w->fluid, s);
	if (!w->again)
		forget(s);
	return true;
}

void wi_residuals_fini(struct wi *w)
{
	for (int which = 0; which < WI_USUALS; which++)
		forget(&w->shares[which]);
}

/* A fluid that explains nothing only adds noise: without ports' rates that
 * anybody fills, what a transfer shares with others does not matter. */
static double spread(struct wi *w, const float *x)
{
	double m;

	for (size_t i = 0; i < w->n; i++)
		w->room[i] = (double)x[i];
	m = na_median(w->room, w->n);
	for (size_t i = 0; i < w->n; i++)
		w->room[i] = (double)x[i];
	return na_mad(w->room, w->n, m);
}

bool wi_residuals(struct wi *w)
{
	bool ok = wi_fluid(w) && centre(w, WI_PART, part_of) &&
		  centre(w, WI_TURN, turn_of);

	if (ok && spread(w, w->fluid) > 1.2 * spread(w, w->raw))
		memcpy(w->fluid, w->raw, w->n * sizeof(*w->raw));
	return ok;
}
