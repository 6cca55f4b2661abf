/* collectives: what an execution on several devices tells: transfer, waiting,
 * who came last, who is missing. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/collectives/match.h"
#include "netan/base/vec.h"

/* Busbw of nccl-tests over bytes of the result (of a reduce-scatter one
 * rank's share). */
static double bus_factor(uint8_t opcode, double n)
{
	switch (opcode) {
	case NA_OPCODE_ALL_REDUCE:
		return 2 * (n - 1) / n;
	case NA_OPCODE_ALL_GATHER:
	case NA_OPCODE_ALL_TO_ALL:
	case NA_OPCODE_RAGGED_ALL_TO_ALL:
		return (n - 1) / n;
	case NA_OPCODE_REDUCE_SCATTER:
		return n - 1;
	default:
		return 1;
	}
}

static uint64_t *count_at(struct na_triples *keys, uint64_t **v, size_t *cap,
			  uint32_t row, uint32_t core)
{
	size_t before = keys->n;
	uint32_t i = na_triples_add(keys, (struct na_triple){row, core, 0});

	if (i == NA_NO_TRIPLE || !na_grow(v, cap, keys->n, sizeof(**v)))
		return NULL;
	if (keys->n > before)
		(*v)[i] = 0;
	return &(*v)[i];
}

/* Starts on one host: clocks of hosts differ. */
static int64_t skew_of(const struct co_match *m, const struct na_op_piece *x,
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

static void add_bytes(struct co_match *m, struct co_row *row,
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
		row->bus_bits += bus_factor(t->opcode, (double)ranks) * 8 *
				 (double)t->size_bytes;
}

static bool in_window(const struct co_match *m, const struct na_op_piece *x,
		      size_t n)
{
	int64_t end = x[0].end_ps;

	for (size_t i = 1; i < n; i++)
		end = x[i].end_ps > end ? x[i].end_ps : end;
	return !m->s->scope->bound ||
	       na_filter_instant(m->s->scope->bound, end);
}

/* One execution on all its devices. */
bool co_add_instance(void *arg, const struct na_op_piece *x, size_t n)
{
	struct co_match *m = arg;
	uint32_t id = m->row_of_unit[x[0].unit];
	struct co_row *row = &m->f->rows[id];
	int64_t least = INT64_MAX, shared = INT64_MAX;
	size_t last = 0;
	uint64_t *count;

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
	if (!co_push_time(&m->f->times, least, id))
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t d = na_time_between(x[i].start_ps, x[i].end_ps);

		row->rank_ps += d;
		row->wait_ps += d - least;
		count = count_at(&m->took_part, &m->parts, &m->cap_parts, id,
				 x[i].core);
		if (!count || !co_push_time(&m->f->waits, d - least, id))
			return false;
		++*count;
		na_extent_add(&m->f->executions, x[i].start_ps, x[i].end_ps);
		if (na_triples_add(
			    &m->devices_of,
			    (struct na_triple){m->ops.units.keys[x[0].unit].a,
					       m->ops.units.keys[x[0].unit].c,
					       x[i].core}) == NA_NO_TRIPLE)
			return false;
	}
	if (n < 2)
		return true;
	if (!co_push_time(&m->f->skews, skew_of(m, x, n), id))
		return false;
	/* Of several nobody can say who was last. */
	if (shared == least)
		return true;
	count = count_at(&m->last, &m->lasts, &m->cap_lasts, id, x[last].core);
	if (count)
		++*count;
	return count;
}

bool co_push_missing(struct co_found *f, const struct co_missing *x)
{
	f->rows[x->row].n_missing++;
	if (f->rows[x->row].n_missing > CO_MISSING_MAX)
		return true;
	if (!na_grow(&f->missing.items, &f->missing.cap, f->missing.n + 1,
		     sizeof(*x)))
		return false;
	f->missing.items[f->missing.n++] = *x;
	return true;
}

static int by_first_two(const void *a, const void *b)
{
	const struct na_triple *x = a, *y = b;

	if (x->a != y->a)
		return CO_CMP(x->a, y->a);
	if (x->b != y->b)
		return CO_CMP(x->b, y->b);
	return CO_CMP(x->c, y->c);
}

/* Devices that run a row's program but not this of it, or not as often;
 * `cores` are all that run it. */
static bool miss(struct co_match *m, uint32_t id, const struct na_triple *cores,
		 size_t n)
{
	struct co_row *row = &m->f->rows[id];
	size_t all = !m->s->clipped        ? row->took_full
		     : row->most < CO_SURE ? n
					   : row->took_part;
	bool ok = true;

	row->participants = n;
	for (size_t i = 0; ok && i < n && row->n_missing < n - all &&
			   row->n_missing < CO_MISSING_MAX;
	     i++) {
		uint32_t at =
			na_triples_find(&m->took_part,
					(struct na_triple){id, cores[i].c, 0});
		uint64_t k = at == NA_NO_TRIPLE ? 0 : m->parts[at];

		if (k < row->most && (!k || !m->s->clipped))
			ok = co_push_missing(
				m->f,
				&(struct co_missing){
					.row = id,
					.host = m->d->cores[cores[i].c].input,
					.who = cores[i].c,
					.executions = k,
					.of = row->most});
	}
	row->n_missing = n - all;
	return ok;
}

static void count_parts(struct co_match *m)
{
	struct co_row *rows = m->f->rows;

	for (size_t i = 0; i < m->took_part.n; i++) {
		struct co_row *row = &rows[m->took_part.keys[i].a];

		row->most = m->parts[i] > row->most ? m->parts[i] : row->most;
		row->took_part++;
	}
	for (size_t i = 0; i < m->took_part.n; i++) {
		struct co_row *row = &rows[m->took_part.keys[i].a];

		row->took_full += m->parts[i] == row->most;
	}
	for (size_t i = 0; i < m->last.n; i++) {
		struct co_row *row = &rows[m->last.keys[i].a];
		uint32_t core = m->last.keys[i].b;

		if (m->lasts[i] > row->last_n ||
		    (m->lasts[i] == row->last_n && core < row->last_core)) {
			row->last_n = m->lasts[i];
			row->last_core = core;
		}
	}
}

/* The first that is not before (run, module). */
static size_t first_of(const struct na_triple *all, size_t n, uint64_t run,
		       uint64_t module)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].a < run ||
		    (all[mid].a == run && all[mid].b < module))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What the program says beyond what is there. */
static void count_absent(struct co_found *f)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		struct co_row *row = &f->rows[i];
		uint64_t all = (uint64_t)row->group_size * row->n_groups;

		if (!row->uneven && all > row->participants)
			row->not_captured = all - row->participants;
	}
}

bool co_find_missing(struct co_match *m)
{
	struct na_triple *all = m->devices_of.keys;
	size_t n = m->devices_of.n;
	bool ok = true;

	count_parts(m);
	for (size_t i = 0; i < m->f->n_rows; i++)
		m->f->rows[i].participants = m->f->rows[i].took_part;
	if (m->s->by_type)
		n = 0;
	if (n)
		qsort(all, n, sizeof(*all), by_first_two);
	for (uint32_t i = 0; ok && n && i < m->f->n_rows; i++) {
		const struct co_row *row = &m->f->rows[i];
		uint32_t run = row->run * NA_N_NETWORKS + row->network;
		size_t from = first_of(all, n, run, row->module);
		size_t to = first_of(all, n, run, (uint64_t)row->module + 1);

		if (row->took_part)
			ok = miss(m, i, &all[from], to - from);
	}
	count_absent(m->f);
	return ok;
}
