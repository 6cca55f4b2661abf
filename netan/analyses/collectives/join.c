/* collectives: what an execution on several devices tells: transfer, waiting,
 * who came last. */
#include "netan/analyses/collectives/match.h"
#include "netan/methods/ranks/bus.h"

/* Bytes are of the result: of a reduce-scatter one rank's share. */
static double bus_bytes(const struct na_op_type *t, double n)
{
	double share = t->opcode == NA_OPCODE_REDUCE_SCATTER ? n : 1;

	return na_bus_factor(t->opcode, n) * share * (double)t->size_bytes;
}

/* Starts on one host: clocks of hosts differ. */
static int64_t skew_of(const struct coll_match *m, const struct na_op_piece *x,
		       size_t n)
{
	int64_t most = 0;

	for (size_t i = 0, to; i < n; i = to) {
		int64_t first = x[i].start_ps, last = first;

		/* Cores of one input stand together. */
		for (to = i + 1; to < n && m->d->cores[x[to].core].input ==
						   m->d->cores[x[i].core].input;
		     to++) {
			first = x[to].start_ps < first ? x[to].start_ps : first;
			last = x[to].start_ps > last ? x[to].start_ps : last;
		}
		if (na_time_between(first, last) > most)
			most = na_time_between(first, last);
	}
	return most;
}

static void add_bytes(struct coll_match *m, struct coll_matched *row,
		      const struct na_op_piece *x, size_t n, int64_t least_ps)
{
	const struct na_op_type *t = &m->d->types.items[x[0].type];
	size_t ranks = t->group_size > 1 ? t->group_size : n;

	if (t->size_bytes == NA_UNKNOWN_U64)
		return;
	row->sized += n;
	row->bytes += (na_i128)t->size_bytes * n;
	row->sized_bytes += (na_i128)t->size_bytes;
	row->sized_ps += least_ps;
	if (ranks > 1)
		row->bus_bits += bus_bytes(t, (double)ranks) * 8;
}

/* As the device that ends last. */
static bool in_window(const struct coll_match *m, const struct na_op_piece *x,
		      size_t n)
{
	const struct na_op_piece *last = x;

	for (size_t i = 1; i < n; i++)
		last = x[i].end_ps > last->end_ps ? &x[i] : last;
	return na_filter_on_core(m->s->scope->bound, last->core,
				 last->start_ps, last->end_ps);
}

/* A device executes it once more. */
static bool take_part(struct coll_match *m, uint32_t core)
{
	return m->parts[core].n++ || na_add(&m->crew, core);
}

static void tell(const struct coll_match *m, const struct na_op_piece *x)
{
	const struct na_strtab *names = &m->s->scope->store->names.strings;
	const struct na_op_type *t = &m->d->types.items[x->type];

	na_collectives_tell(
		m->s->tell,
		&(struct coll_execution){
			.collective = na_strtab_at(
				names, m->ops.units.keys[x->unit].b),
			.type = t->transfer_type == NA_UNKNOWN_U32
					? na_collectives_word(t->opcode)
					: na_strtab_at(names, t->transfer_type),
			.sequence = -1,
			.start_ps = x->start_ps,
			.end_ps = x->end_ps,
			.size_bytes = t->size_bytes,
			.core = x->core,
		});
}

/* One execution on all its devices. */
bool na_collectives_add_instance(void *arg, const struct na_op_piece *x,
				 size_t n)
{
	struct coll_match *m = arg;
	struct coll_matched *row = &m->row;
	int64_t least = INT64_MAX, shared = INT64_MAX;
	size_t last = 0;

	if (!in_window(m, x, n))
		return true;
	if (!na_collectives_reach(m, x[0].unit))
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		shared = d == least ? d : shared;
		last = d < least ? i : last;
		least = d < least ? d : least;
	}
	row->executions += n;
	row->instances++;
	add_bytes(m, row, x, n, least);
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		row->rank_ps += d;
		row->wait_ps += d - least;
		if (!na_add(&m->us[COLL_WAITS], na_us(d - least)) ||
		    !take_part(m, x[i].core))
			return false;
		na_extent_add(&m->f->executions, x[i].start_ps, x[i].end_ps);
		if (m->s->tell)
			tell(m, &x[i]);
	}
	if (!na_add(&m->us[COLL_TIMES], na_us(least)))
		return false;
	if (n < 2)
		return true;
	/* Of several nobody can say who was last. */
	m->parts[x[last].core].last += shared != least;
	return na_add(&m->us[COLL_SKEWS], na_us(skew_of(m, x, n)));
}
