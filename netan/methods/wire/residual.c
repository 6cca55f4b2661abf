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

/* The part of the collective, the octave, in a rack or not. */
static struct na_triple part_of(const struct wi *w, size_t i)
{
	const struct na_wire_row *r = &w->in->rows[i];

	return (struct na_triple){r->cell, octave(r->size_bytes),
				  w->stratum[i] & 1};
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

static bool centre(struct wi *w, uint32_t *key,
		   struct na_triple (*of)(const struct wi *w, size_t i))
{
	size_t n = 0;

	return keys(w, key, &n, of) && wi_centre(w, w->raw, key, n) &&
	       wi_centre(w, w->fluid, key, n);
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
	uint32_t *key = na_calloc(w->n, sizeof(*key));
	bool ok = key && wi_fluid(w) && centre(w, key, part_of) &&
		  centre(w, key, turn_of);

	if (ok && spread(w, w->fluid) > 1.2 * spread(w, w->raw))
		memcpy(w->fluid, w->raw, w->n * sizeof(*w->raw));
	free(key);
	return ok;
}
