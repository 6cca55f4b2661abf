/* Racks: hosts that the lowest class joins. */
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"

static uint32_t root(uint32_t *up, uint32_t h)
{
	while (up[h] != h) {
		up[h] = up[up[h]];
		h = up[h];
	}
	return h;
}

static bool inside(uint32_t *up, const struct na_lz_pair *p)
{
	return root(up, p->src) == root(up, p->dst);
}

/* Joins over the lowest class; false: that makes no racks. */
static bool join(const struct lz *z, uint32_t *up)
{
	const struct na_lz_input *in = z->in;

	for (size_t i = 0; i < in->n_pairs; i++) {
		uint32_t a, b;

		if (lz_class_of(z, i))
			continue;
		a = root(up, in->pairs[i].src);
		b = root(up, in->pairs[i].dst);
		up[a > b ? a : b] = a > b ? b : a;
	}
	for (size_t i = 0; i < in->n_pairs; i++) {
		if (lz_class_of(z, i) && inside(up, &in->pairs[i]))
			return false;
	}
	return true;
}

static bool room(struct lz *z)
{
	z->out->rack_of = na_calloc(z->in->n_hosts, sizeof(uint32_t));
	z->cross = na_lz_take(&z->memory, z->in->n_pairs, sizeof(*z->cross));
	return z->out->rack_of && z->cross;
}

enum na_status na_lz_racks_find(struct lz *z, struct na_err *err)
{
	struct na_lz_result *r = z->out;
	size_t hosts = z->in->n_hosts;
	enum na_status s = NA_OK;
	uint32_t *up;

	if (!z->in->locality_given || z->n_classes < 2)
		return NA_OK;
	up = na_calloc(hosts, sizeof(*up));
	if (!up)
		return na_fail_nomem(err);
	for (uint32_t h = 0; h < hosts; h++)
		up[h] = h;
	if (join(z, up)) {
		if (!room(z))
			s = na_fail_nomem(err);
		/* A root is the smallest of its rack, so it comes first. */
		for (uint32_t h = 0; s == NA_OK && h < hosts; h++) {
			uint32_t top = root(up, h);

			r->rack_of[h] = top == h ? (uint32_t)r->n_racks++
						 : r->rack_of[top];
		}
		for (size_t i = 0; s == NA_OK && i < z->in->n_pairs; i++)
			z->cross[i] = !inside(up, &z->in->pairs[i]);
	}
	free(up);
	return s;
}
