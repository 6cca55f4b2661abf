/* Observations: dense numbers for connections and collectives, whole steps
 * skipped where there are too many rows. */
#include "netan/evidence/evidence.h"

#include <stdlib.h>

static uint32_t connection_of(struct na_evidence *e,
			      const struct na_observation *x)
{
	struct na_triple key = {x->src_device, x->dst_device, 0};
	uint32_t i = na_triples_add(&e->ends, key);
	struct na_judge_connection c = {.src = x->src,
					.dst = x->dst,
					.src_dev = x->src_device,
					.dst_dev = x->dst_device,
					.distance = x->distance};

	if (i != NA_NO_TRIPLE && i == e->connections.n &&
	    !na_add(&e->connections, c))
		return NA_NO_TRIPLE;
	return i;
}

static bool add_row(struct na_evidence *e, const struct na_observation *x)
{
	uint32_t connection = connection_of(e, x);
	uint32_t collective =
		na_triples_add(&e->collectives,
			       (struct na_triple){x->collective, 0, 0});

	return connection != NA_NO_TRIPLE && collective != NA_NO_TRIPLE &&
	       na_add(&e->rows, ((struct na_judge_row){
					.start_us = x->start_us,
					.took_us = x->took_us,
					.size_bytes = x->size_bytes,
					.connection = connection,
					.collective = collective,
					.step = x->step,
					.part = x->part}));
}

void na_evidence_expect(struct na_evidence *e, size_t rows, size_t steps)
{
	e->every = (uint32_t)(rows / NA_EVIDENCE_MOST_ROWS) + 1;
	e->few_steps = steps / e->every < NA_EVIDENCE_STEPS;
}

/* Neighbouring numbers spread (Knuth's multiplicative hash, The Art of Computer
 * Programming 3, 6.4), so that no period of collectives meets one of ours. */
static bool is_skipped(const struct na_evidence *e,
		       const struct na_observation *x)
{
	uint32_t key = x->step;

	if (e->every < 2)
		return false;
	if (e->few_steps)
		key = (key * 2654435761U ^ x->collective) * 2654435761U >> 8;
	return key % e->every != 0;
}

bool na_evidence_add(struct na_evidence *e, const struct na_observation *x)
{
	if (is_skipped(e, x))
		return true;
	return add_row(e, x);
}

static struct na_judge_input input_of(const struct na_evidence *e)
{
	return (struct na_judge_input){
		.n_hosts = e->n_hosts,
		.n_racks = e->n_racks,
		.n_connections = e->connections.n,
		.n_rows = e->rows.n,
		.n_collectives = (uint32_t)e->collectives.n,
		.connections = e->connections.v,
		.rack_of = e->rack_of,
		.rows = e->rows.v,
		.two_clocks = e->two_clocks,
	};
}

enum na_status na_evidence_judge(struct na_evidence *e,
				 struct na_judge_result *out,
				 struct na_err *err)
{
	const struct na_judge_input in = input_of(e);

	return na_judge(&in, out, err);
}

enum na_status na_evidence_explain(struct na_evidence *e, uint32_t host,
				   struct na_judge_explanation *out,
				   struct na_err *err)
{
	const struct na_judge_input in = input_of(e);
	enum na_status st = na_judge_explain(&in, host, out, err);

	for (size_t i = 0; i < out->n_observations; i++) {
		uint32_t *c = &out->observations[i].collective;

		if (*c != NA_JUDGE_NONE)
			*c = e->collectives.keys[*c].a;
	}
	return st;
}

void na_evidence_fini(struct na_evidence *e)
{
	na_vec_free(&e->rows);
	na_vec_free(&e->connections);
	na_triples_fini(&e->ends);
	na_triples_fini(&e->collectives);
	free(e->rack_of);
	e->rack_of = NULL;
}
