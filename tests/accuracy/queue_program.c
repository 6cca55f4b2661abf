/* Who sends what to whom in which stage. */
#include "netan/base/vec.h"
#include "tests/accuracy/queue.h"

static bool add(struct fq_world *w, uint32_t src, uint32_t dst, double bytes)
{
	uint32_t stage = (uint32_t)w->n_stages - 1;
	uint64_t pair = (uint64_t)src * w->n_hosts + dst;
	double segments = bytes / w->segment_bytes + 1;
	struct fq_message m = {.src = src,
			       .dst = dst,
			       .stage = stage,
			       .bytes = (float)bytes};

	if (src == dst)
		return true;
	m.segments = (uint16_t)(segments > FQ_SEGMENTS ? FQ_SEGMENTS
						       : (int)segments);
	m.connection =
		(uint8_t)(fl_hash(pair, w->n_messages) % w->n_connections);
	m.spine = (uint8_t)(fl_hash(w->f->seed ^ pair, m.connection) %
			    w->n_spines);
	if (!na_grow(&w->messages, &w->cap_messages, w->n_messages + 1,
		     sizeof(*w->messages)))
		return false;
	w->messages[w->n_messages++] = m;
	return true;
}

/* Host number i of the block that h belongs to. */
static uint32_t peer(const struct fq_world *w, const struct fq_collective *c,
		     uint32_t h, uint32_t shift, uint32_t *size)
{
	uint32_t base = h / c->group * c->group, n = w->n_hosts - base;

	*size = n < c->group ? n : c->group;
	return base + (h - base + shift) % *size;
}

static bool to_everybody(struct fq_world *w, const struct fq_collective *c,
			 uint32_t h)
{
	uint32_t size;
	bool ok = true;

	peer(w, c, h, 0, &size);
	for (uint32_t k = 1; ok && k < size; k++)
		ok = add(w, h, peer(w, c, h, k, &size), c->bytes);
	return ok;
}

static bool to_partners(struct fq_world *w, const struct fq_collective *c,
			uint32_t h)
{
	bool ok = true;

	for (uint32_t k = 0; ok && k < c->degree; k++) {
		uint64_t draw = fl_hash(w->f->seed + k, h);

		ok = add(w, h, (uint32_t)(draw % w->n_hosts), c->bytes);
	}
	return ok;
}

static bool sends(struct fq_world *w, const struct fq_collective *c,
		  uint32_t phase, uint32_t h)
{
	uint32_t size, next = peer(w, c, h, 1, &size);

	switch (c->kind) {
	case FQ_ALL_AT_ONCE:
		return to_everybody(w, c, h);
	case FQ_ALL_ROUNDS:
		return add(w, h, peer(w, c, h, phase + 1, &size), c->bytes);
	case FQ_RING:
		return add(w, h, next, c->bytes);
	case FQ_BIRING:
		return add(w, h, next, c->bytes) &&
		       (size < 3 ||
			add(w, h, peer(w, c, h, size - 1, &size), c->bytes));
	case FQ_SPARSE:
		return to_partners(w, c, h);
	default:
		break;
	}
	if (phase == 0)
		return add(w, h, c->root, c->bytes);
	for (uint32_t k = 0; h == c->root && k < w->n_hosts; k++)
		if (!add(w, h, k, c->bytes))
			return false;
	return true;
}

static bool add_stage(struct fq_world *w, uint32_t step, uint32_t coll,
		      uint32_t phase)
{
	const struct fq_collective *c = &w->colls[coll];

	if (!na_grow(&w->stages, &w->cap_stages, w->n_stages + 1,
		     sizeof(*w->stages)) ||
	    !na_grow(&w->first, &w->cap_first, w->n_first + w->n_hosts + 1,
		     sizeof(*w->first)))
		return false;
	w->stages[w->n_stages++] = (struct fq_stage){.step = step,
						     .collective = coll,
						     .last = phase + 1 ==
							     c->phases};
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		w->first[w->n_first++] = (uint32_t)w->n_messages;
		if (!sends(w, c, phase, h))
			return false;
	}
	w->first[w->n_first] = (uint32_t)w->n_messages;
	return true;
}

bool fq_program(struct fq_world *w, uint32_t n_steps)
{
	for (uint32_t s = 0; s < n_steps; s++)
		for (uint32_t c = 0; c < w->f->n_collectives; c++)
			for (uint32_t p = 0; p < w->colls[c].phases; p++)
				if (!add_stage(w, s, c, p))
					return false;
	return true;
}

uint32_t fq_messages_per_step(const struct fq_world *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->f->n_collectives; i++) {
		const struct fq_collective *c = &w->colls[i];
		uint32_t each = c->phases; /* ring, rounds, gather */

		if (c->kind == FQ_ALL_AT_ONCE)
			each = c->group - 1;
		else if (c->kind == FQ_BIRING)
			each = 2 * c->phases;
		else if (c->kind == FQ_SPARSE)
			each = c->degree * c->phases;
		n += each * w->n_hosts;
	}
	return n;
}
