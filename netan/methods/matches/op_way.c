/* Which executions of an operation belong together: by program run, by order
 * or by time. */
#include "netan/base/order.h"
#include "netan/methods/matches/impl.h"

NA_ORDER(by_run, struct na_op_piece, NA_UP(number), NA_UP(in_run), NA_UP(core),
	 NA_UP(in_all))

NA_ORDER(by_order, struct na_op_piece, NA_UP(in_all), NA_UP(core))

NA_ORDER(by_place, struct na_op_piece, NA_UP(core), NA_UP(in_all))

NA_ORDER(by_time, struct na_op_piece, NA_UP(start_ps), NA_UP(core),
	 NA_UP(in_all))

static uint32_t input_of(const struct na_op_match *m,
			 const struct na_op_piece *x)
{
	return m->scope->store->devices.cores[x->core].input;
}

/* The pieces from x[0] that are one execution. */
static size_t together(const struct na_op_piece *x, size_t n,
		       enum na_op_way way)
{
	int64_t end = x[0].end_ps;
	size_t k = 1;

	for (; k < n; k++) {
		if (way == NA_OP_BY_RUN &&
		    (x[k].number != x[0].number || x[k].in_run != x[0].in_run))
			break;
		if (way == NA_OP_BY_ORDER && x[k].in_all != x[0].in_all)
			break;
		if (way == NA_OP_BY_TIME && x[k].start_ps >= end)
			break;
		if (way != NA_OP_BY_TIME && x[k].core == x[k - 1].core)
			break;
		end = x[k].end_ps < end ? x[k].end_ps : end;
	}
	return k;
}

static bool overlap(const struct na_op_match *m, const struct na_op_piece *x,
		    size_t n)
{
	for (size_t i = 0, to; i < n; i = to) {
		uint32_t input = input_of(m, &x[i]);
		int64_t start = x[i].start_ps, end = x[i].end_ps;

		for (to = i + 1; to < n && input_of(m, &x[to]) == input; to++) {
			start = x[to].start_ps > start ? x[to].start_ps : start;
			end = x[to].end_ps < end ? x[to].end_ps : end;
		}
		if (to - i > 1 && start >= end)
			return false;
	}
	return true;
}

static void sort_pieces(struct na_op_pieces *p, enum na_op_way way)
{
	static int (*const orders[NA_OP_WAYS])(const void *,
					       const void *) = {by_run,
								by_order,
								by_time};

	na_sort(p->v, p->n, orders[way]);
}

/* Devices that are together, squared: one execution on all of them counts
 * more than two on half of them each.  `sure`: that overlap. */
static double score(const struct na_op_match *m, struct na_op_pieces *p,
		    enum na_op_way way, bool sure)
{
	const struct na_op_piece *x = p->v;
	double sum = 0;

	sort_pieces(p, way);
	for (size_t i = 0, k; i < p->n; i += k) {
		k = together(&x[i], p->n - i, way);
		if (k > 1 &&
		    (!sure || way == NA_OP_BY_TIME || overlap(m, &x[i], k)))
			sum += (double)k * (double)k;
	}
	return sum;
}

/* Time alone must put most of the devices together: what never overlaps on
 * any two of them does so by chance, too. */
static enum na_op_way best_way(const struct na_op_match *m,
			       struct na_op_pieces *p)
{
	double run = score(m, p, NA_OP_BY_RUN, true);
	double order = score(m, p, NA_OP_BY_ORDER, true);
	double time = score(m, p, NA_OP_BY_TIME, true);
	double whole;

	/* The first one by order is on all devices. */
	sort_pieces(p, NA_OP_BY_ORDER);
	whole = (double)p->n * (double)together(p->v, p->n, NA_OP_BY_ORDER);
	if (time > run && time > order && 2 * time > whole)
		return NA_OP_BY_TIME;
	if (run != order)
		return order > run ? NA_OP_BY_ORDER : NA_OP_BY_RUN;
	return score(m, p, NA_OP_BY_ORDER, false) >
			       score(m, p, NA_OP_BY_RUN, false)
		       ? NA_OP_BY_ORDER
		       : NA_OP_BY_RUN;
}

/* ---- in step */

/* The i-th of a core; NULL: it has fewer. */
static const struct na_op_piece *ith_of(const struct na_op_pieces *p,
					size_t core, size_t i)
{
	size_t to = core + 1 < p->from.n ? p->from.v[core + 1] : p->n;

	return i < to - p->from.v[core] ? &p->v[p->from.v[core] + i] : NULL;
}

/* Later than the one before it on its core, in time and by run. */
static bool follows(const struct na_op_piece *x)
{
	const struct na_op_piece *last = x - 1;

	return x->start_ps >= last->start_ps && x->start_ps >= last->end_ps &&
	       NA_THEN(NA_CMP(x->number, last->number),
		       NA_CMP(x->in_run, last->in_run)) > 0;
}

/* Whether the i-th ones are of one run, and overlap. */
static bool is_one(const struct na_op_match *m, const struct na_op_pieces *p,
		   size_t i)
{
	const struct na_op_piece *first = NULL, *last = NULL;
	int64_t start_ps = 0, end_ps = 0;

	for (size_t core = 0; core < p->from.n; core++) {
		const struct na_op_piece *x = ith_of(p, core, i);

		if (!x)
			continue;
		first = first ? first : x;
		if ((i && !follows(x)) || x->number != first->number ||
		    x->in_run != first->in_run)
			return false;
		if (!last || input_of(m, x) != input_of(m, last)) {
			start_ps = x->start_ps;
			end_ps = x->end_ps;
		} else {
			start_ps = x->start_ps > start_ps ? x->start_ps
							  : start_ps;
			end_ps = x->end_ps < end_ps ? x->end_ps : end_ps;
			if (start_ps >= end_ps)
				return false;
		}
		last = x;
	}
	return true;
}

/*
 * Then no way has a higher score: of sets that hold each core once at most
 * those of the i-th ones have the largest sum of squares (their sizes majorize
 * all others': D. Gale, 1957; H. J. Ryser, 1957), and by run they are the same
 * sets.  Not worth a look where cores have very different numbers of them.
 */
static bool in_step(const struct na_op_match *m, const struct na_op_pieces *p)
{
	bool is = p->longest * p->from.n <= 2 * p->n;

	for (size_t i = 0; is && i < p->longest; i++)
		is = is_one(m, p, i);
	return is;
}

static struct na_op_piece *gather(struct na_op_pieces *p, size_t i, size_t *n)
{
	*n = 0;
	for (size_t core = 0; core < p->from.n; core++) {
		const struct na_op_piece *x = ith_of(p, core, i);

		if (x)
			p->row.v[(*n)++] = *x;
	}
	return p->row.v;
}

/* ---- any of them */

enum na_op_way na_op_way_of(const struct na_op_match *m, struct na_op_pieces *p)
{
	enum na_op_way way;

	if (in_step(m, p))
		return NA_OP_IN_STEP;
	way = best_way(m, p);
	sort_pieces(p, way);
	for (size_t k = 0, n; way == NA_OP_BY_TIME && k < p->n; k += n) {
		n = together(&p->v[k], p->n - k, way);
		na_sort(&p->v[k], n, by_place);
	}
	return way;
}

struct na_op_piece *na_op_next(struct na_op_pieces *p, enum na_op_way way,
			       size_t *at, size_t *n)
{
	struct na_op_piece *x;

	if (*at >= (way == NA_OP_IN_STEP ? p->longest : p->n))
		return NULL;
	if (way == NA_OP_IN_STEP)
		return gather(p, (*at)++, n);
	x = &p->v[*at];
	*n = together(x, p->n - *at, way);
	*at += *n;
	return x;
}
