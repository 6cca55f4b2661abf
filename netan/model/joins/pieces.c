/* Steps that are told in pieces, by each kernel of them. */
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/model/store.h"

static struct na_triple key_of(const struct na_span *x)
{
	return (struct na_triple){x->core, (uint32_t)x->whole,
				  (uint32_t)((uint64_t)x->whole >> 32)};
}

struct pieces {
	struct na_triples keys;
	NA_VEC(struct na_span) whole; /* by key */
};

static bool join(struct na_store *s, struct pieces *p)
{
	bool ok = true;

	na_each_record (struct na_span, x, &s->spans) {
		size_t n = p->whole.n;
		struct na_span *to;

		if (!ok || !x->piece)
			continue;
		to = na_triples_at(&p->keys, &p->whole, key_of(x));
		ok = to;
		if (to && p->whole.n > n)
			*to = *x;
		else if (to)
			na_span_join(to, x);
	}
	return ok;
}

/* The first piece of a step becomes it, the others go. */
static void put_back(struct na_store *s, struct pieces *p)
{
	for (struct na_chunk *c = s->spans.first; c; c = c->next) {
		struct na_span *v = (struct na_span *)(void *)c->data;
		size_t n = 0;

		for (size_t i = 0; i < c->n; i++) {
			struct na_span *whole =
				!v[i].piece ? NULL
					    : &p->whole.v[na_triples_find(
						      &p->keys, key_of(&v[i]))];

			if (whole && !whole->piece)
				continue;
			v[n] = whole ? *whole : v[i];
			v[n++].piece = false;
			if (whole)
				whole->piece = false;
		}
		s->spans.n -= c->n - n;
		c->n = n;
	}
}

bool na_store_join_steps(struct na_store *s)
{
	struct pieces p = {.keys = {0}};
	bool ok = join(s, &p);

	if (ok && p.whole.n)
		put_back(s, &p);
	na_triples_fini(&p.keys);
	na_vec_free(&p.whole);
	return ok;
}
