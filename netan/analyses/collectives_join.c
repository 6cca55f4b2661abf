/*
 * collectives: which executions of device ops are the same one on several
 * devices, and what that tells: transfer, waiting, who came last, who is
 * missing.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/collectives_match.h"
#include "netan/base/vec.h"

static int by_run(const void *a, const void *b)
{
	const struct co_piece *x = a, *y = b;

	if (x->unit != y->unit)
		return CO_CMP(x->unit, y->unit);
	if (x->number != y->number)
		return CO_CMP(x->number, y->number);
	if (x->in_run != y->in_run)
		return CO_CMP(x->in_run, y->in_run);
	if (x->core != y->core)
		return CO_CMP(x->core, y->core);
	return CO_CMP(x->in_all, y->in_all);
}

static int by_order(const void *a, const void *b)
{
	const struct co_piece *x = a, *y = b;

	if (x->in_all != y->in_all)
		return CO_CMP(x->in_all, y->in_all);
	return CO_CMP(x->core, y->core);
}

static int by_place(const void *a, const void *b)
{
	const struct co_piece *x = a, *y = b;

	if (x->core != y->core)
		return CO_CMP(x->core, y->core);
	return CO_CMP(x->in_all, y->in_all);
}

static int by_time(const void *a, const void *b)
{
	const struct co_piece *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return CO_CMP(x->start_ps, y->start_ps);
	return by_place(a, b);
}

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

static void cover(struct co_found *f, const struct co_piece *x)
{
	if (!f->executions || x->start_ps < f->first_ps)
		f->first_ps = x->start_ps;
	if (!f->executions || x->end_ps > f->last_ps)
		f->last_ps = x->end_ps;
	f->executions++;
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
static int64_t skew_of(const struct co_match *m, const struct co_piece *x,
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
		      const struct co_piece *x, size_t n, int64_t least_ps)
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

static bool in_window(const struct co_match *m, const struct co_piece *x,
		      size_t n)
{
	int64_t end = x[0].end_ps;

	for (size_t i = 1; i < n; i++)
		end = x[i].end_ps > end ? x[i].end_ps : end;
	return !m->s->scope->late || na_filter_instant(m->s->scope->late, end);
}

/* One execution on all its devices. */
static bool add_instance(struct co_match *m, const struct co_piece *x, size_t n)
{
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
		cover(m->f, &x[i]);
		if (na_triples_add(
			    &m->devices_of,
			    (struct na_triple){m->units.keys[x[0].unit].a,
					       m->units.keys[x[0].unit].c,
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

/*
 * Which executions belong together: run ids may be shared by all devices, or
 * each device counts its own; a device may have run more of a program before
 * the trace began.  What is one execution overlaps in time, as far as one
 * clock can tell; the way that leaves most together in that sense is taken.
 */
enum way { BY_RUN, BY_ORDER, BY_TIME, N_WAYS };

/* The pieces from x[0] that are one execution. */
static size_t together(const struct co_piece *x, size_t n, enum way way)
{
	int64_t end = x[0].end_ps;
	size_t k = 1;

	for (; k < n; k++) {
		if (way == BY_RUN &&
		    (x[k].number != x[0].number || x[k].in_run != x[0].in_run))
			break;
		if (way == BY_ORDER && x[k].in_all != x[0].in_all)
			break;
		if (way == BY_TIME && x[k].start_ps >= end)
			break;
		if (way != BY_TIME && x[k].core == x[k - 1].core)
			break;
		end = x[k].end_ps < end ? x[k].end_ps : end;
	}
	return k;
}

static bool overlap(const struct co_match *m, const struct co_piece *x,
		    size_t n)
{
	for (size_t i = 0, to; i < n; i = to) {
		uint16_t input = m->d->cores[x[i].core].input;
		int64_t start = x[i].start_ps, end = x[i].end_ps;

		for (to = i + 1;
		     to < n && m->d->cores[x[to].core].input == input; to++) {
			start = x[to].start_ps > start ? x[to].start_ps : start;
			end = x[to].end_ps < end ? x[to].end_ps : end;
		}
		if (to - i > 1 && start >= end)
			return false;
	}
	return true;
}

static void sort_pieces(struct co_piece *x, size_t n, enum way way)
{
	static int (*const orders[N_WAYS])(const void *,
					   const void *) = {by_run, by_order,
							    by_time};

	qsort(x, n, sizeof(*x), orders[way]);
}

/* Devices that are together, squared: one execution on all of them counts
 * more than two on half of them each.  `sure`: that overlap. */
static double score(const struct co_match *m, struct co_piece *x, size_t n,
		    enum way way, bool sure)
{
	double sum = 0;

	sort_pieces(x, n, way);
	for (size_t i = 0, k; i < n; i += k) {
		k = together(&x[i], n - i, way);
		if (k > 1 && (!sure || way == BY_TIME || overlap(m, &x[i], k)))
			sum += (double)k * (double)k;
	}
	return sum;
}

/* Time alone must put most of the devices together: what never overlaps on
 * any two of them does so by chance, too. */
static enum way way_of(const struct co_match *m, struct co_piece *x, size_t n)
{
	double run = score(m, x, n, BY_RUN, true);
	double order = score(m, x, n, BY_ORDER, true);
	double time = score(m, x, n, BY_TIME, true);
	double whole;

	/* The first one by order is on all devices. */
	sort_pieces(x, n, BY_ORDER);
	whole = (double)n * (double)together(x, n, BY_ORDER);
	if (time > run && time > order && 2 * time > whole)
		return BY_TIME;
	if (run != order)
		return order > run ? BY_ORDER : BY_RUN;
	return score(m, x, n, BY_ORDER, false) > score(m, x, n, BY_RUN, false)
		       ? BY_ORDER
		       : BY_RUN;
}

/*
 * Of an operation in several groups each is an execution of its own.  Who is
 * in which group no trace tells: devices that follow one another, or every
 * n-th.  A group ends together, so the split with the smaller distances
 * between ends is taken.
 */
struct split {
	size_t size, n; /* devices of a group; groups */
	bool strided;
};

static struct split groups_of(const struct co_match *m,
			      const struct co_piece *x)
{
	const struct na_op_type *t = &m->d->types.items[x->type];

	if (t->uneven || t->group_size < 2 || t->n_groups < 2)
		return (struct split){.size = 0};
	return (struct split){.size = t->group_size, .n = t->n_groups};
}

/* Ends of one execution's groups: first to last. */
static double apart(const struct co_piece *x, struct split g, bool strided)
{
	double sum = 0;

	for (size_t i = 0; i < g.n; i++) {
		int64_t first = INT64_MAX, last = INT64_MIN;

		for (size_t k = 0; k < g.size; k++) {
			const struct co_piece *p =
				&x[strided ? k * g.n + i : i * g.size + k];

			first = p->end_ps < first ? p->end_ps : first;
			last = p->end_ps > last ? p->end_ps : last;
		}
		sum += (double)na_time_between(first, last);
	}
	return sum;
}

static struct split split_of(const struct co_match *m, const struct co_piece *x,
			     size_t n, enum way way)
{
	struct split g = groups_of(m, x);
	double rows = 0, columns = 0;

	for (size_t i = 0, k; g.size && i < n; i += k) {
		k = together(&x[i], n - i, way);
		if (k % g.size == 0 && k / g.size == g.n) {
			rows += apart(&x[i], g, false);
			columns += apart(&x[i], g, true);
		}
	}
	g.strided = columns < rows;
	return g;
}

/* One execution on all devices, by groups where these are told. */
static bool add_groups(struct co_match *m, struct co_piece *x, size_t n,
		       struct split g, struct co_piece *tmp)
{
	bool ok = true;

	if (!g.size || n % g.size != 0 || n / g.size != g.n)
		return add_instance(m, x, n);
	for (size_t i = 0; g.strided && i < n; i++)
		tmp[i] = x[i % g.size * g.n + i / g.size];
	if (g.strided)
		memcpy(x, tmp, n * sizeof(*x));
	for (size_t i = 0; ok && i < g.n; i++)
		ok = add_instance(m, &x[i * g.size], g.size);
	return ok;
}

/* All executions of one operation. */
static bool add_unit(struct co_match *m, struct co_piece *x, size_t n,
		     struct co_piece *tmp)
{
	enum way best = way_of(m, x, n);
	struct split g;
	bool ok = true;

	sort_pieces(x, n, best);
	for (size_t i = 0, k; best == BY_TIME && i < n; i += k) {
		k = together(&x[i], n - i, best);
		qsort(&x[i], k, sizeof(*x), by_place);
	}
	g = split_of(m, x, n, best);
	for (size_t i = 0, k; ok && i < n; i += k) {
		k = together(&x[i], n - i, best);
		ok = add_groups(m, &x[i], k, g, tmp);
	}
	return ok;
}

bool co_join(struct co_match *m)
{
	struct co_piece *tmp = na_calloc(m->n + 1, sizeof(*tmp));
	bool ok = tmp;

	if (m->n)
		qsort(m->pieces, m->n, sizeof(*m->pieces), by_run);
	for (size_t i = 0, to; ok && i < m->n; i = to) {
		for (to = i + 1;
		     to < m->n && m->pieces[to].unit == m->pieces[i].unit; to++)
			;
		ok = add_unit(m, &m->pieces[i], to - i, tmp);
	}
	free(tmp);
	return ok;
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
