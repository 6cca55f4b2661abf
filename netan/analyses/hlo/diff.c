#include "netan/analyses/hlo/diff.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

/* Steps along equal instructions that the edit script may cost. */
#define WORK_MAX (UINT64_C(1) << 27)

struct side {
	const struct na_hlo_module *m;
	uint32_t *partner; /* by instruction: of the other; NA_NO_NAME */
	size_t n;
};

struct align {
	struct side a, b;
	size_t begin, a_end, b_end; /* the middle that is not yet aligned */
	bool exact;
};

static uint64_t alone(const struct side *s, size_t i)
{
	return s->m->instructions[i].alone;
}

static void join(struct align *x, size_t i, size_t k)
{
	x->a.partner[i] = (uint32_t)k;
	x->b.partner[k] = (uint32_t)i;
}

static void trim(struct align *x)
{
	x->a_end = x->a.n;
	x->b_end = x->b.n;
	while (x->begin < x->a_end && x->begin < x->b_end &&
	       alone(&x->a, x->begin) == alone(&x->b, x->begin)) {
		join(x, x->begin, x->begin);
		x->begin++;
	}
	while (x->a_end > x->begin && x->b_end > x->begin &&
	       alone(&x->a, x->a_end - 1) == alone(&x->b, x->b_end - 1))
		join(x, --x->a_end, --x->b_end);
}

/*
 * The furthest points of Myers' algorithm: after d edits, on diagonal k (how
 * much further in a than in b), where a is.  Rows of all d are kept, to walk
 * back.
 */
struct script {
	int32_t *rows; /* d * d + (k + d) */
	size_t cap;
	int64_t n, m; /* of the middle */
	uint64_t work;
};

static int32_t *row_of(struct script *s, int64_t d)
{
	return s->rows + d * d + d; /* then [-d..d] */
}

/* Where diagonal k begins after d edits, before its equal run. */
static int64_t enter(struct script *s, int64_t d, int64_t k, bool *down)
{
	const int32_t *last = row_of(s, d - 1);

	*down = k == -d || (k != d && last[k - 1] < last[k + 1]);
	return *down ? last[k + 1] : last[k - 1] + 1;
}

static int64_t slide(const struct align *x, struct script *s, int64_t at,
		     int64_t k)
{
	int64_t i = at;

	while (i < s->n && i - k < s->m && i - k >= 0 &&
	       alone(&x->a, x->begin + (size_t)i) ==
		       alone(&x->b, x->begin + (size_t)(i - k)))
		i++;
	s->work += (uint64_t)(i - at);
	return i;
}

/* How many edits it takes; -1: too many, -2: no memory. */
static int64_t edits(const struct align *x, struct script *s)
{
	for (int64_t d = 0; d <= NA_PROGRAM_EDITS && s->work < WORK_MAX; d++) {
		int32_t *row;
		bool down;

		if (!na_grow(&s->rows, &s->cap, (size_t)((d + 1) * (d + 1)),
			     sizeof(*s->rows)))
			return -2;
		row = row_of(s, d);
		for (int64_t k = -d; k <= d; k++)
			row[k] = -2;
		for (int64_t k = -d; k <= d; k += 2) {
			int64_t at = d ? enter(s, d, k, &down) : 0;

			if (at < 0 || at > s->n || at - k > s->m || at < k)
				continue;
			row[k] = (int32_t)slide(x, s, at, k);
			if (row[k] == s->n && row[k] - k == s->m)
				return d;
		}
	}
	return -1;
}

/* Back along the script: equal runs are partners. */
static void follow(struct align *x, struct script *s, int64_t d)
{
	int64_t k = s->n - s->m;

	for (; d >= 0; d--) {
		int64_t end = row_of(s, d)[k], at = 0;
		bool down = false;

		if (d)
			at = enter(s, d, k, &down);
		for (int64_t i = at; i < end; i++)
			join(x, x->begin + (size_t)i,
			     x->begin + (size_t)(i - k));
		k += down ? 1 : -1;
	}
}

/* An instruction of the middle, to be sorted. */
struct mark {
	uint64_t hash;
	uint32_t at, other; /* place in its module; its partner's */
};

NA_ORDER(by_hash, struct mark, NA_UP(hash), NA_UP(at))
NA_ORDER(by_place, struct mark, NA_UP(at))

static struct mark *marks_of(const struct side *s, size_t begin, size_t end)
{
	struct mark *list = na_calloc(end - begin + 1, sizeof(*list));

	for (size_t i = begin; list && i < end; i++)
		list[i - begin] = (struct mark){alone(s, i), (uint32_t)i, 0};
	if (list)
		na_sort(list, end - begin, by_hash);
	return list;
}

static bool once(const struct mark *list, size_t n, size_t i)
{
	return (!i || list[i - 1].hash != list[i].hash) &&
	       (i + 1 == n || list[i + 1].hash != list[i].hash);
}

/* Those that occur once on both sides, by their place in a; into `p`. */
static size_t pair_up(struct mark *p, size_t n, const struct mark *q, size_t m)
{
	size_t found = 0, k = 0;

	for (size_t i = 0; i < n; i++) {
		/* p is overwritten behind i only. */
		bool single = (i + 1 == n || p[i + 1].hash != p[i].hash) &&
			      (!i || p[i].other != 1);

		if (i + 1 < n && p[i + 1].hash == p[i].hash)
			p[i + 1].other = 1;
		while (k < m && q[k].hash < p[i].hash)
			k++;
		if (!single || k == m || q[k].hash != p[i].hash ||
		    !once(q, m, k))
			continue;
		p[found] = p[i];
		p[found++].other = q[k].at;
	}
	na_sort(p, found, by_place);
	return found;
}

/* The longest run of pairs that rise on both sides; others are taken out.
 * `tails` and `before` hold n + 1 numbers each. */
static size_t rising(struct mark *p, size_t n, uint32_t *tails,
		     uint32_t *before)
{
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		size_t low = NA_BOUND(k, 0, length,
				      p[tails[k]].other >= p[i].other);

		before[i] = low ? tails[low - 1] : NA_NO_NAME;
		tails[low] = (uint32_t)i;
		length = low == length ? length + 1 : length;
	}
	for (size_t k = length, i = length ? tails[length - 1] : 0; k-- > 0;
	     i = before[i])
		tails[k] = (uint32_t)i;
	for (size_t k = 0; k < length; k++)
		p[k] = p[tails[k]]; /* tails rise: nothing is lost */
	return length;
}

/* Equal neighbours of what is aligned are aligned, too. */
static void spread(struct align *x)
{
	size_t k = x->begin;

	for (size_t i = x->begin; i < x->a_end; i++) {
		if (x->a.partner[i] != NA_NO_NAME)
			k = x->a.partner[i] + 1;
		else if (k < x->b_end && x->b.partner[k] == NA_NO_NAME &&
			 alone(&x->a, i) == alone(&x->b, k)) {
			join(x, i, k);
			k++;
		}
	}
	k = x->b_end;
	for (size_t i = x->a_end; i-- > x->begin;) {
		if (x->a.partner[i] != NA_NO_NAME) {
			k = x->a.partner[i];
		} else if (k > x->begin && x->b.partner[k - 1] == NA_NO_NAME &&
			   alone(&x->a, i) == alone(&x->b, k - 1)) {
			k--;
			join(x, i, k);
		}
	}
}

/* Programs of one length whose instructions differ in many places, but in
 * none of the order. */
static bool in_place(struct align *x, size_t at_least)
{
	size_t same = 0;

	if (x->a_end != x->b_end)
		return false;
	for (size_t i = x->begin; i < x->a_end; i++)
		same += alone(&x->a, i) == alone(&x->b, i);
	if (same < at_least)
		return false;
	for (size_t i = x->begin; i < x->a_end; i++) {
		if (alone(&x->a, i) == alone(&x->b, i))
			join(x, i, i);
	}
	return true;
}

static enum na_status anchors(struct align *x, struct na_err *err)
{
	size_t n = x->a_end - x->begin, m = x->b_end - x->begin, found;
	struct mark *p = marks_of(&x->a, x->begin, x->a_end);
	struct mark *q = marks_of(&x->b, x->begin, x->b_end);
	uint32_t *tails = na_calloc(n + 1, sizeof(*tails));
	uint32_t *before = na_calloc(n + 1, sizeof(*before));
	bool ok = p && q && tails && before;

	x->exact = false;
	if (ok) {
		found = rising(p, pair_up(p, n, q, m), tails, before);
		if (!in_place(x, found)) {
			for (size_t i = 0; i < found; i++)
				join(x, p[i].at, p[i].other);
			spread(x);
		}
	}
	free(p);
	free(q);
	free(tails);
	free(before);
	return ok ? NA_OK : na_fail_nomem(err);
}

static enum na_status align(struct align *x, struct na_err *err)
{
	struct script s = {.rows = NULL};
	int64_t d;

	trim(x);
	if (x->begin == x->a_end || x->begin == x->b_end)
		return NA_OK;
	s.n = (int64_t)(x->a_end - x->begin);
	s.m = (int64_t)(x->b_end - x->begin);
	d = edits(x, &s);
	if (d >= 0)
		follow(x, &s, d);
	free(s.rows);
	if (d == -2)
		return na_fail_nomem(err);
	return d < 0 ? anchors(x, err) : NA_OK;
}

/* Do i and its partner take the same operands?  What replaces something is
 * taken as that. */
static bool wired_alike(const struct align *x, size_t i, size_t k)
{
	const struct na_hlo_instruction *p = &x->a.m->instructions[i];
	const struct na_hlo_instruction *q = &x->b.m->instructions[k];
	bool moved = i != k;

	if (p->n_operands != q->n_operands)
		return false;
	for (uint32_t o = 0; o < p->n_operands; o++) {
		uint32_t from = x->a.m->operands[p->first_operand + o];
		uint32_t to = x->b.m->operands[q->first_operand + o];
		bool known = from < x->a.n && to < x->b.n;

		moved |= from != to;
		if (!known ? from != to
			   : (x->a.partner[from] != to &&
			      (x->a.partner[from] != NA_NO_NAME ||
			       x->b.partner[to] != NA_NO_NAME)))
			return false;
	}
	/* In the same place, with the same operands: what it calls. */
	return moved || p->hash == q->hash;
}

struct touched {
	bool *a, *b;
};

static void touch(bool *seen, const struct na_hlo_module *m, size_t i)
{
	uint32_t c = m->instructions[i].computation;

	if (c < m->n_computations)
		seen[c] = true;
}

/* Between two partners: what only one side has. */
static void gap(const struct align *x, size_t *i, size_t *k, struct touched *t,
		struct na_program_diff *out)
{
	uint64_t p = 0, q = 0;

	for (; *i < x->a.n && x->a.partner[*i] == NA_NO_NAME; ++*i, p++)
		touch(t->a, x->a.m, *i);
	for (; *k < x->b.n && x->b.partner[*k] == NA_NO_NAME; ++*k, q++)
		touch(t->b, x->b.m, *k);
	out->only[0] += p;
	out->only[1] += q;
	out->changed += p > q ? p : q;
	out->of += p > q ? p : q;
}

static void count(const struct align *x, struct touched *t,
		  struct na_program_diff *out)
{
	size_t i = 0, k = 0;

	for (;;) {
		gap(x, &i, &k, t, out);
		if (i >= x->a.n || k >= x->b.n)
			break;
		if (!wired_alike(x, i, k)) {
			out->rewired++;
			out->changed++;
			touch(t->a, x->a.m, i);
			touch(t->b, x->b.m, k);
		}
		out->of++;
		i++;
		k++;
	}
}

static uint32_t how_many(const bool *seen, size_t n)
{
	uint32_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += seen[i];
	return found;
}

static size_t first_of(const struct na_hlo_module *a,
		       const struct na_hlo_module *b)
{
	size_t i = 0;

	while (i < a->n_instructions && i < b->n_instructions &&
	       a->instructions[i].hash == b->instructions[i].hash)
		i++;
	return i;
}

static bool side_init(struct side *s, const struct na_hlo_module *m)
{
	s->m = m;
	s->n = m->n_instructions;
	s->partner = na_calloc(s->n + 1, sizeof(*s->partner));
	for (size_t i = 0; s->partner && i < s->n; i++)
		s->partner[i] = NA_NO_NAME;
	return s->partner != NULL;
}

enum na_status na_program_diff(const struct na_hlo_module *a,
			       const struct na_hlo_module *b,
			       struct na_program_diff *out, struct na_err *err)
{
	struct align x = {.exact = true};
	struct touched t = {
		.a = na_calloc(a->n_computations + 1, sizeof(bool)),
		.b = na_calloc(b->n_computations + 1, sizeof(bool)),
	};
	enum na_status st = NA_OK;
	uint32_t p, q;

	memset(out, 0, sizeof(*out));
	if (!side_init(&x.a, a) || !side_init(&x.b, b) || !t.a || !t.b)
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = align(&x, err);
	if (st == NA_OK) {
		out->first = first_of(a, b);
		out->exact = x.exact;
		count(&x, &t, out);
		p = how_many(t.a, a->n_computations);
		q = how_many(t.b, b->n_computations);
		out->computations = p > q ? p : q;
	}
	free(x.a.partner);
	free(x.b.partner);
	free(t.a);
	free(t.b);
	return st;
}
