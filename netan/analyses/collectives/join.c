/* collectives: what an execution on several devices tells: transfer, waiting,
 * who came last, who is missing. */
#include "netan/analyses/collectives/match.h"
#include "netan/base/order.h"
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

static bool in_window(const struct coll_match *m, const struct na_op_piece *x,
		      size_t n)
{
	int64_t end = x[0].end_ps;

	for (size_t i = 1; i < n; i++)
		end = x[i].end_ps > end ? x[i].end_ps : end;
	return !m->s->scope->bound ||
	       na_filter_instant(m->s->scope->bound, end);
}

/* NULL: no memory. */
static struct coll_seat *seat_of(struct coll_match *m,
				 const struct na_op_piece *x, size_t i)
{
	const struct na_triple *key = &m->ops.units.keys[x[i].unit];
	struct coll_seat *seat = na_vec_at(&m->seats, i);
	struct na_triple of = {m->row_of_unit[x[i].unit], x[i].core, 0};
	const uint64_t *count;

	if (!seat ||
	    (seat->known && seat->unit == x[i].unit && seat->core == x[i].core))
		return seat;
	*seat = (struct coll_seat){.unit = x[i].unit, .core = x[i].core};
	count = na_triples_at(&m->took_part, &m->parts, of);
	seat->known = count && na_triples_add(&m->devices_of,
					      (struct na_triple){key->a, key->c,
								 x[i].core}) !=
				       NA_NO_TRIPLE;
	if (seat->known)
		seat->part = (uint32_t)(count - m->parts.v);
	return seat->known ? seat : NULL;
}

/* False: no memory. */
static bool count_last(struct coll_match *m, const struct na_op_piece *x,
		       size_t i)
{
	struct coll_seat *seat = &m->seats.v[i];
	struct na_triple of = {m->row_of_unit[x[i].unit], x[i].core, 0};
	const uint64_t *count;

	if (!seat->was_last) {
		count = na_triples_at(&m->last, &m->lasts, of);
		if (!count)
			return false;
		seat->last = (uint32_t)(count - m->lasts.v);
		seat->was_last = true;
	}
	m->lasts.v[seat->last]++;
	return true;
}

/* One execution on all its devices. */
bool na_collectives_add_instance(void *arg, const struct na_op_piece *x,
				 size_t n)
{
	struct coll_match *m = arg;
	uint32_t id = m->row_of_unit[x[0].unit];
	struct coll_matched *row = &m->f->rows.v[id];
	int64_t least = INT64_MAX, shared = INT64_MAX;
	size_t last = 0;

	if (!in_window(m, x, n))
		return true;
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		shared = d == least ? d : shared;
		last = d < least ? i : last;
		least = d < least ? d : least;
	}
	row->executions += n;
	row->instances++;
	add_bytes(m, row, x, n, least);
	if (!na_collectives_push_time(&m->f->times, least, id))
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);
		const struct coll_seat *seat = seat_of(m, x, i);

		row->rank_ps += d;
		row->wait_ps += d - least;
		if (!seat ||
		    !na_collectives_push_time(&m->f->waits, d - least, id))
			return false;
		m->parts.v[seat->part]++;
		na_extent_add(&m->f->executions, x[i].start_ps, x[i].end_ps);
	}
	if (n < 2)
		return true;
	if (!na_collectives_push_time(&m->f->skews, skew_of(m, x, n), id))
		return false;
	/* Of several nobody can say who was last. */
	if (shared == least)
		return true;
	return count_last(m, x, last);
}

bool na_collectives_push_missing(struct coll_found *f, struct coll_missing x)
{
	uint32_t *n = x.row < f->rows.n
			      ? &f->rows.v[x.row].n_missing
			      : &f->dcn.v[x.row - f->rows.n].n_missing;

	return ++*n > COLL_MISSING_MAX || na_add(&f->missing, x);
}

NA_ORDER(by_key, struct na_triple, NA_UP(a), NA_UP(b), NA_UP(c))

/* Devices that run a row's program but not this of it, or not as often;
 * `cores` are all that run it. */
static bool miss(struct coll_match *m, uint32_t id,
		 const struct na_triple *cores, size_t n)
{
	struct coll_matched *row = &m->f->rows.v[id];
	size_t all = !m->s->clipped          ? row->took_full
		     : row->most < COLL_SURE ? n
					     : row->took_part;
	bool ok = true;

	row->participants = (uint32_t)n;
	for (size_t i = 0; ok && i < n && row->n_missing < n - all &&
			   row->n_missing < COLL_MISSING_MAX;
	     i++) {
		uint32_t core = cores[i].c;
		uint32_t at = na_triples_find(&m->took_part,
					      (struct na_triple){id, core, 0});
		uint64_t k = at == NA_NO_TRIPLE ? 0 : m->parts.v[at];

		if (k < row->most && (!k || !m->s->clipped))
			ok = na_collectives_push_missing(
				m->f, (struct coll_missing){
					      .row = id,
					      .host = m->d->cores[core].input,
					      .who = core,
					      .executions = k});
	}
	row->n_missing = (uint32_t)(n - all);
	return ok;
}

static void count_parts(struct coll_match *m)
{
	struct coll_matched *rows = m->f->rows.v;

	for (size_t i = 0; i < m->took_part.n; i++) {
		struct coll_matched *row = &rows[m->took_part.keys[i].a];

		row->most = m->parts.v[i] > row->most ? m->parts.v[i]
						      : row->most;
		row->took_part++;
	}
	for (size_t i = 0; i < m->took_part.n; i++) {
		struct coll_matched *row = &rows[m->took_part.keys[i].a];

		row->took_full += m->parts.v[i] == row->most;
	}
	for (size_t i = 0; i < m->last.n; i++) {
		struct coll_matched *row = &rows[m->last.keys[i].a];
		uint32_t core = m->last.keys[i].b;

		if (m->lasts.v[i] > row->last_n ||
		    (m->lasts.v[i] == row->last_n && core < row->last_core)) {
			row->last_n = m->lasts.v[i];
			row->last_core = core;
		}
	}
}

/* The first that is not before (run, module). */
static size_t first_of(const struct na_triple *all, size_t n, uint64_t run,
		       uint64_t module)
{
	return NA_BOUND(i, 0, n,
			all[i].a > run ||
				(all[i].a == run && all[i].b >= module));
}

/* What the program says beyond what is there. */
static void count_absent(struct coll_found *f)
{
	for (size_t i = 0; i < f->rows.n; i++) {
		struct coll_matched *row = &f->rows.v[i];
		uint64_t all = (uint64_t)row->group_size * row->n_groups;

		if (!row->uneven && all > row->participants)
			row->not_captured = all - row->participants;
	}
}

bool na_collectives_find_missing(struct coll_match *m)
{
	struct na_triple *all = m->devices_of.keys;
	size_t n = m->devices_of.n;
	bool ok = true;

	count_parts(m);
	for (size_t i = 0; i < m->f->rows.n; i++)
		m->f->rows.v[i].participants = m->f->rows.v[i].took_part;
	if (m->s->by_type)
		n = 0;
	na_sort(all, n, by_key);
	for (uint32_t i = 0; ok && n && i < m->f->rows.n; i++) {
		const struct coll_matched *row = &m->f->rows.v[i];
		uint32_t run = row->run * NA_N_NETWORKS + row->network;
		size_t from = first_of(all, n, run, row->module);
		size_t to = first_of(all, n, run, (uint64_t)row->module + 1);

		if (row->took_part)
			ok = miss(m, i, &all[from], to - from);
	}
	count_absent(m->f);
	return ok;
}
