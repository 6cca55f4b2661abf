/* Whose part in a collective is alike, where some transfers have no row. */
#include "netan/methods/wire/state.h"

static bool count(struct wi_roles *r, enum wi_side side, struct na_triple key)
{
	uint32_t *n = na_triples_at(&r->keys[side], &r->n[side], key);

	if (n)
		++*n;
	return n != NULL;
}

bool wi_roles_make(struct wi_roles *r, const struct na_wire_input *in,
		   uint32_t every)
{
	bool ok = true;

	for (size_t i = 0; ok && i < in->n_counted; i++) {
		const struct na_wire_counted *x = &in->counted[i];
		uint32_t stratum = 2 * x->collective +
				   wi_cross(in, x->src, x->dst);

		if (x->step % every)
			continue;
		ok = count(r, WI_TX,
			   (struct na_triple){x->src, stratum,
					      x->step / every}) &&
		     count(r, WI_RX,
			   (struct na_triple){x->dst, stratum,
					      x->step / every});
	}
	return ok;
}

void wi_roles_fini(struct wi_roles *r)
{
	for (int side = 0; side < WI_SIDES; side++) {
		na_triples_fini(&r->keys[side]);
		na_vec_free(&r->n[side]);
	}
}

uint32_t wi_roles_more(const struct wi *w, enum wi_side side,
		       const struct wi_group *g)
{
	const struct wi_roles *r = w->roles;
	uint32_t k = r->keys[side].n
			     ? na_triples_find(&r->keys[side],
					       (struct na_triple){g->host,
								  g->stratum,
								  g->step})
			     : NA_NO_TRIPLE;

	return k == NA_NO_TRIPLE ? 0 : r->n[side].v[k];
}
