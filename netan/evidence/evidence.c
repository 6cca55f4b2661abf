/* Observations: dense numbers for connections and collectives, whole steps
 * skipped where there are too many rows. */
#include "netan/evidence/evidence.h"

void na_evidence_expect(struct na_evidence *e, size_t rows, size_t steps)
{
	e->every = (uint32_t)(rows / NA_EVIDENCE_MOST_ROWS) + 1;
	e->few_steps = steps / e->every < NA_EVIDENCE_STEPS;
}

/* Neighbouring numbers spread (Knuth's multiplicative hash, The Art of Computer
 * Programming 3, 6.4), so that no period of collectives meets one of ours. */
static bool is_skipped(const struct na_evidence *e,
		       const struct na_judge_row *x)
{
	uint32_t key = x->step;

	if (e->every < 2)
		return false;
	if (e->few_steps)
		key = (key * 2654435761U ^ x->collective) * 2654435761U >> 8;
	return key % e->every != 0;
}

bool na_evidence_add(struct na_evidence *e, const struct na_judge_connection *c,
		     struct na_judge_row x)
{
	const struct na_triple ends = {c->src_dev, c->dst_dev, 0},
			       collective = {x.collective, 0, 0};

	if (is_skipped(e, &x))
		return true;
	x.connection = na_triples_add(&e->ends, ends);
	x.collective = na_triples_add(&e->collectives, collective);
	if (x.connection == e->connections.n && !na_add(&e->connections, *c))
		return false;
	return x.connection != NA_NO_TRIPLE && x.collective != NA_NO_TRIPLE &&
	       na_add(&e->rows, x);
}

struct na_judge_input na_evidence_input(const struct na_evidence *e)
{
	return (struct na_judge_input){
		.n_hosts = e->n_hosts,
		.n_racks = e->n_racks,
		.n_connections = e->connections.n,
		.n_rows = e->rows.n,
		.connections = e->connections.v,
		.rack_of = e->rack_of,
		.rows = e->rows.v,
		.two_clocks = e->two_clocks,
	};
}

void na_evidence_fini(struct na_evidence *e)
{
	na_vec_free(&e->rows);
	na_vec_free(&e->connections);
	na_triples_fini(&e->ends);
	na_triples_fini(&e->collectives);
}
