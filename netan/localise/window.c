/*
 * Who is slow now and then (1.5): the median of each host side in each step
 * (or second), against the side's own median over all of them.
 *
 * Records are grouped by counting, three times: by moment for what a
 * collective does in a step to everybody, then by window with the pairs in
 * the order of their sources, and of their destinations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/localise/localise_impl.h"
#include "netan/stats/robust.h"
#include "netan/stats/tests.h"

#define WINDOW_US    1e6
#define NOISE        0.04
#define MOST_FLAGGED 0.4
#define TIMES_USUAL  4
#define KEEPS        0.4

enum {
	MOMENT_SHRINK = 10,
	CELL_RECORDS = 3,
	MIN_FLAGGED = 2,
	MAX_SIDES = 3,
	WINDOWS_LEAST = 50, /* of time */
	WINDOWS_MAX = 1 << 16
};

/* A host side in a window. */
struct cell {
	uint32_t side, window, n; /* side: host, or hosts + host */
	float median, low;        /* low: 25 % quantile */
};

/* A cell is flagged from so many standard errors on; at the least so many
 * of a healthy fleet's are. */
static const struct level {
	double z, usual;
} levels[] = {{5, 5e-5}, {3.5, 1e-3}};

struct tally { /* of a window */
	size_t cells, flags;
};

struct chosen {
	uint32_t side;
	bool *in; /* by window */
};

struct windows {
	struct lz *z;
	size_t n; /* windows */
	bool by_step;
	double width_us;     /* by time */
	uint32_t *steps;     /* by window: the step it is */
	uint32_t *window_of; /* by moment */
	bool *skip;          /* by window: holds a tail */
	float *shift;        /* by moment */
	size_t *first;       /* by window */
	float *x;            /* by record */
	float *tmp;          /* of the largest group */
	size_t cap_tmp;
	uint32_t *host;      /* by record */
	struct tally *tally; /* by window */
	struct cell *cells;
	size_t n_cells, cap_cells;
	double *z_of;          /* by cell */
	double *own, *own_low; /* by side */
	double scale;
	struct chosen chosen[MAX_SIDES + 1];
	size_t n_chosen;
};

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Steps by number; false: memory. */
static bool number_steps(struct windows *k)
{
	const struct na_lz_input *in = k->z->in;
	size_t n = 0, m = 0;

	k->steps = na_calloc(in->n_moments, sizeof(*k->steps));
	k->window_of = na_calloc(in->n_moments, sizeof(*k->window_of));
	if (!k->steps || !k->window_of)
		return false;
	for (size_t i = 0; i < in->n_moments; i++) {
		if (in->moments[i].step != NA_LZ_NONE)
			k->steps[n++] = in->moments[i].step;
	}
	qsort(k->steps, n, sizeof(*k->steps), by_value);
	for (size_t i = 0; i < n; i++) {
		if (!m || k->steps[i] != k->steps[m - 1])
			k->steps[m++] = k->steps[i];
	}
	for (size_t i = 0; i < in->n_moments; i++) {
		const uint32_t *at = bsearch(&in->moments[i].step, k->steps, m,
					     sizeof(*k->steps), by_value);

		k->window_of[i] = at ? (uint32_t)(at - k->steps) : NA_LZ_NONE;
	}
	k->n = m;
	k->by_step = m > 0;
	return true;
}

/* Seconds; shorter where they would be few, longer where too many. */
static void number_seconds(struct windows *k)
{
	const struct na_lz_input *in = k->z->in;
	uint32_t last = 0;
	double span;

	for (size_t i = 0; i < in->n_transfers; i++) {
		if (in->transfers[i].tick > last)
			last = in->transfers[i].tick;
	}
	span = (double)last * k->z->tick_us;
	k->width_us = lz_smaller(WINDOW_US, span / WINDOWS_LEAST);
	k->width_us = lz_larger(k->width_us, span / (WINDOWS_MAX - 1));
	k->width_us = lz_larger(k->width_us, 1);
	k->n = (size_t)(span / k->width_us) + 1;
}

static uint32_t window_at(const struct windows *k, const struct lz_tail *t,
			  uint32_t moment, double end_us)
{
	if (t)
		end_us = t->end_us;
	if (!k->by_step)
		return (uint32_t)(end_us / k->width_us);
	return moment < k->z->in->n_moments ? k->window_of[moment] : NA_LZ_NONE;
}

/* Steps with a tail are slow for everybody who waits for it. */
static void skip_tails(struct windows *k)
{
	size_t n = 0;

	for (size_t i = 0; k->by_step && i < k->z->n_tails; i++) {
		const struct lz_tail *t = &k->z->tails[i];
		uint32_t w = window_at(k, t, t->moment, 0);

		if (w != NA_LZ_NONE && !k->skip[w]) {
			k->skip[w] = true;
			n++;
		}
	}
	if (2 * n > k->n)
		memset(k->skip, 0, k->n * sizeof(*k->skip));
}

/* The window of a record that counts, or NA_LZ_NONE. */
static uint32_t window_of(const struct windows *k, size_t p,
			  const struct na_lz_transfer *t)
{
	uint32_t w = window_at(k, NULL, t->moment,
			       (double)t->tick * k->z->tick_us);
	const struct na_lz_pair *pair = &k->z->in->pairs[p];

	if (w == NA_LZ_NONE || k->skip[w] || lz_tail_ms(k->z, p, t) > 0)
		return NA_LZ_NONE;
	for (size_t i = 0; i < k->n_chosen; i++) {
		uint32_t side = k->chosen[i].side;

		if (k->chosen[i].in[w] &&
		    (side == pair->src ||
		     side == k->z->in->n_hosts + pair->dst))
			return NA_LZ_NONE;
	}
	return w;
}

static float value(const struct windows *k, size_t p,
		   const struct na_lz_transfer *t)
{
	double x = lz_rest(k->z, p, t);

	if (t->moment < k->z->in->n_moments)
		x -= (double)k->shift[t->moment];
	return (float)x;
}

/* Median of each moment, shrunk. */
static enum na_status fit_moments(struct windows *k, struct na_err *err)
{
	const struct na_lz_input *in = k->z->in;
	size_t *first = na_calloc(in->n_moments + 2, sizeof(*first));
	enum na_status s = NA_OK;

	if (!first)
		return na_fail_nomem(err);
	for (size_t i = 0; i < in->n_transfers; i++) {
		if (in->transfers[i].moment < in->n_moments)
			first[in->transfers[i].moment + 2]++;
	}
	for (size_t m = 0; m < in->n_moments; m++)
		first[m + 1] += first[m];
	for (size_t p = 0; p < in->n_pairs; p++) {
		for (size_t i = 0; i < in->pairs[p].n; i++) {
			const struct na_lz_transfer *t =
				&in->transfers[in->pairs[p].first + i];

			if (t->moment < in->n_moments)
				k->x[first[t->moment + 1]++] = value(k, p, t);
		}
	}
	for (size_t m = 0; m < in->n_moments; m++) {
		size_t n = first[m + 1] - first[m];

		if (!na_grow(&k->tmp, &k->cap_tmp, n, sizeof(*k->tmp))) {
			s = na_fail_nomem(err);
			break;
		}
		na_sort_f32(k->x + first[m], k->tmp, n);
		k->shift[m] = (float)(na_quantile_f32(k->x + first[m], n, 0.5) *
				      (double)n / (double)(n + MOMENT_SHRINK));
	}
	free(first);
	return s;
}

static bool close_cell(struct windows *k, uint32_t side, size_t w, size_t from,
		       size_t to)
{
	if (to - from < CELL_RECORDS)
		return true;
	if (!na_grow(&k->tmp, &k->cap_tmp, to - from, sizeof(*k->tmp)) ||
	    !na_grow(&k->cells, &k->cap_cells, k->n_cells + 1,
		     sizeof(*k->cells)))
		return false;
	na_sort_f32(k->x + from, k->tmp, to - from);
	k->cells[k->n_cells++] = (struct cell){
		.side = side,
		.window = (uint32_t)w,
		.n = (uint32_t)(to - from),
		.median = (float)na_quantile_f32(k->x + from, to - from, 0.5),
		.low = (float)na_quantile_f32(k->x + from, to - from, 0.25)};
	return true;
}

static void count_windows(struct windows *k)
{
	const struct na_lz_input *in = k->z->in;

	memset(k->first, 0, (k->n + 2) * sizeof(*k->first));
	for (size_t p = 0; p < in->n_pairs; p++) {
		for (size_t i = 0; i < in->pairs[p].n; i++) {
			uint32_t w = window_of(
				k, p, &in->transfers[in->pairs[p].first + i]);

			if (w != NA_LZ_NONE)
				k->first[w + 2]++;
		}
	}
	for (size_t w = 0; w < k->n; w++)
		k->first[w + 1] += k->first[w];
}

/* Pairs in the order of one side, so that inside a window each host's
 * records lie together. */
static void fill_windows(struct windows *k, const struct lz_index *side)
{
	const struct na_lz_input *in = k->z->in;
	size_t n = side->first[in->n_hosts];

	for (size_t l = 0; l < n; l++) {
		uint32_t p = side->list[l];
		const struct na_lz_pair *pair = &in->pairs[p];

		for (size_t i = 0; i < pair->n; i++) {
			const struct na_lz_transfer *t =
				&in->transfers[pair->first + i];
			uint32_t w = window_of(k, p, t);
			size_t at;

			if (w == NA_LZ_NONE)
				continue;
			at = k->first[w + 1]++;
			k->x[at] = value(k, p, t);
			k->host[at] = side == &k->z->row ? pair->src
							 : pair->dst;
		}
	}
}

static bool cut_cells(struct windows *k, uint32_t base)
{
	for (size_t w = 0; w < k->n; w++) {
		size_t end = k->first[w + 1], to;

		for (size_t i = k->first[w]; i < end; i = to) {
			for (to = i; to < end && k->host[to] == k->host[i];)
				to++;
			if (!close_cell(k, base + k->host[i], w, i, to))
				return false;
		}
	}
	return true;
}

static int by_side(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return (x->window > y->window) - (x->window < y->window);
}

static size_t side_end(const struct windows *k, size_t from)
{
	size_t to = from;

	while (to < k->n_cells && k->cells[to].side == k->cells[from].side)
		to++;
	return to;
}

static double cell_se(const struct windows *k, const struct cell *c)
{
	double n = c->n;

	return sqrt(LZ_HALF_PI * k->z->sigma0 * k->z->sigma0 / n * (1 + 3 / n) +
		    NOISE * NOISE);
}

/* How far each cell is above its side's median, in standard errors. */
static bool standardise(struct windows *k)
{
	double *room = na_calloc(k->n_cells, sizeof(*room));

	free(k->z_of);
	k->z_of = na_calloc(k->n_cells, sizeof(*k->z_of));
	for (size_t i = 0, to; room && k->z_of && i < k->n_cells; i = to) {
		double own;

		to = side_end(k, i);
		for (size_t c = i; c < to; c++)
			room[c - i] = (double)k->cells[c].median;
		own = na_median(room, to - i);
		k->own[k->cells[i].side] = own;
		for (size_t c = i; c < to; c++)
			room[c - i] = (double)k->cells[c].low;
		k->own_low[k->cells[i].side] = na_median(room, to - i);
		for (size_t c = i; c < to; c++)
			k->z_of[c] = ((double)k->cells[c].median - own) /
				     cell_se(k, &k->cells[c]);
	}
	if (room && k->z_of && k->n_cells) {
		memcpy(room, k->z_of, k->n_cells * sizeof(*room));
		k->scale = na_median(room, k->n_cells);
		k->scale = NA_MAD_SIGMA * na_mad(room, k->n_cells, k->scale);
		k->scale = lz_larger(k->scale, 1);
	}
	free(room);
	return room && k->z_of;
}

static enum na_status measure(struct windows *k, struct na_err *err)
{
	uint32_t hosts = (uint32_t)k->z->in->n_hosts;
	bool ok;

	k->n_cells = 0;
	count_windows(k);
	fill_windows(k, &k->z->row);
	ok = cut_cells(k, 0);
	if (ok) {
		count_windows(k);
		fill_windows(k, &k->z->col);
		ok = cut_cells(k, hosts);
	}
	if (ok && k->n_cells)
		qsort(k->cells, k->n_cells, sizeof(*k->cells), by_side);
	if (!ok || !standardise(k))
		return na_fail_nomem(err);
	return NA_OK;
}

static bool flagged(const struct windows *k, size_t c, const struct level *l)
{
	double over = (double)k->cells[c].median - k->own[k->cells[c].side];

	return k->z_of[c] > l->z * k->scale && over > LZ_MIN_EFFECT;
}

static bool is_chosen(const struct windows *k, uint32_t side)
{
	for (size_t i = 0; i < k->n_chosen; i++) {
		if (k->chosen[i].side == side)
			return true;
	}
	return false;
}

/* Even the best of what it moved in those windows was slow. */
static bool has_floor(struct windows *k, size_t from, size_t to,
		      const struct level *l)
{
	double over = 0, low = 0;

	for (size_t c = from; c < to; c++) {
		if (!flagged(k, c, l))
			continue;
		over += (double)k->cells[c].median - k->own[k->cells[c].side];
		low += (double)k->cells[c].low - k->own_low[k->cells[c].side];
	}
	return !lz_on(k->z, NA_LZ_PART_FLOOR) || low > KEEPS * over;
}

/* Share of cells that are flagged in windows where this side is not: what
 * a step that is slow for many, or for the other end, adds does not count
 * against it. */
static double usual_share(struct windows *k, size_t from, size_t to,
			  const struct level *l, const struct tally *all)
{
	double cells = (double)k->n_cells, flags = (double)all->flags;

	for (size_t c = from; c < to; c++) {
		if (!flagged(k, c, l))
			continue;
		cells -= (double)k->tally[k->cells[c].window].cells;
		flags -= (double)k->tally[k->cells[c].window].flags;
	}
	return lz_larger(cells > 0 ? flags / cells : 0, l->usual);
}

/* Is so many flagged windows far likelier with a fault of this side?  Then
 * the sum of their squared z; else 0. */
static double judge(struct windows *k, size_t from, size_t to,
		    const struct level *l, const struct tally *all)
{
	double m = (double)(to - from), n = 0, sum = 0, f1, f0, llr;

	for (size_t c = from; c < to; c++) {
		if (!flagged(k, c, l))
			continue;
		n++;
		sum += k->z_of[c] * k->z_of[c];
	}
	if (n < MIN_FLAGGED || n > MOST_FLAGGED * m ||
	    is_chosen(k, k->cells[from].side) || !has_floor(k, from, to, l))
		return 0;
	f0 = usual_share(k, from, to, l, all);
	f1 = n / m;
	if (f1 < TIMES_USUAL * f0)
		return 0;
	llr = n * log(f1 / f0) + (m - n) * log((1 - f1) / (1 - f0)) -
	      log(3 * (double)k->z->hosts / k->z->alpha);
	return llr > 0 ? sum : 0;
}

static struct tally count_flags(struct windows *k, const struct level *l)
{
	struct tally all = {0, 0};

	memset(k->tally, 0, k->n * sizeof(*k->tally));
	for (size_t c = 0; c < k->n_cells; c++) {
		struct tally *t = &k->tally[k->cells[c].window];
		bool is = flagged(k, c, l);

		t->cells++;
		t->flags += is;
		all.flags += is;
	}
	return all;
}

/* The likeliest side: cells [*from, *to). */
static const struct level *best_side(struct windows *k, size_t *from,
				     size_t *to)
{
	const struct level *best = NULL;
	double most = 0;

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		struct tally all = count_flags(k, &levels[i]);

		for (size_t c = 0, end; c < k->n_cells; c = end) {
			double score;

			end = side_end(k, c);
			score = judge(k, c, end, &levels[i], &all);
			if (score > most) {
				most = score;
				*from = c;
				*to = end;
				best = &levels[i];
			}
		}
	}
	return best;
}

static struct na_lz_window describe(const struct windows *k, size_t c)
{
	const struct cell *cell = &k->cells[c];
	struct na_lz_window w = {.step = NA_LZ_NONE};

	w.effect = (double)cell->median - k->own[cell->side];
	if (k->by_step) {
		w.step = k->steps[cell->window];
	} else {
		w.from_us = cell->window * k->width_us;
		w.to_us = w.from_us + k->width_us;
	}
	return w;
}

/* Says what was found and sets those windows of the side apart. */
static enum na_status choose(struct windows *k, size_t from, size_t to,
			     const struct level *level, struct na_lz_finding *f,
			     struct na_err *err)
{
	uint32_t side = k->cells[from].side, hosts;
	struct chosen *c = &k->chosen[k->n_chosen];
	double sum = 0, var = 0, effect = 0;

	hosts = (uint32_t)k->z->in->n_hosts;
	*f = (struct na_lz_finding){.channel = NA_LZ_WINDOW,
				    .intermittent = true};
	f->who.kind = side < hosts ? NA_LZ_SRC : NA_LZ_DST;
	f->who.a = side < hosts ? side : side - hosts;
	f->windows = na_calloc(to - from, sizeof(*f->windows));
	c->side = side;
	c->in = na_calloc(k->n, sizeof(*c->in));
	k->n_chosen++;
	if (!f->windows || !c->in)
		return na_fail_nomem(err);
	for (size_t i = from; i < to; i++) {
		double se = cell_se(k, &k->cells[i]) * k->scale;

		if (!flagged(k, i, level))
			continue;
		c->in[k->cells[i].window] = true;
		f->windows[f->n_windows] = describe(k, i);
		effect += f->windows[f->n_windows++].effect;
		f->transfers += k->cells[i].n;
		sum += k->z_of[i] / k->scale;
		var += se * se;
	}
	f->pairs = lz_degree(side < hosts ? &k->z->row : &k->z->col, f->who.a);
	f->effect = effect / (double)f->n_windows;
	var = LZ_Z95 * sqrt(var) / (double)f->n_windows;
	f->ci_low = f->effect - var;
	f->ci_high = f->effect + var;
	f->p_value = na_normal_upper(sum / sqrt((double)f->n_windows));
	return NA_OK;
}

static enum na_status search(struct windows *k, struct na_err *err)
{
	struct na_lz_finding f[MAX_SIDES + 1] = {{.pairs = 0}};
	enum na_status s = measure(k, err);
	const struct level *level;
	size_t from = 0, to = 0;

	while (s == NA_OK && k->n_chosen <= MAX_SIDES &&
	       (level = best_side(k, &from, &to))) {
		s = choose(k, from, to, level, &f[k->n_chosen], err);
		if (s == NA_OK && k->n_chosen <= MAX_SIDES)
			s = measure(k, err);
	}
	/* Many sides at once: the schedule moved. */
	for (size_t i = 0; i < k->n_chosen; i++) {
		if (s == NA_OK && k->n_chosen <= MAX_SIDES)
			s = lz_found(k->z, &f[i], err);
		else
			free(f[i].windows);
	}
	return s;
}

static bool windows_room(struct windows *k)
{
	const struct na_lz_input *in = k->z->in;

	k->skip = na_calloc(k->n, sizeof(*k->skip));
	k->tally = na_calloc(k->n, sizeof(*k->tally));
	k->shift = na_calloc(in->n_moments, sizeof(*k->shift));
	k->first = na_calloc(k->n + 2, sizeof(*k->first));
	k->x = na_calloc(in->n_transfers, sizeof(*k->x));
	k->host = na_calloc(in->n_transfers, sizeof(*k->host));
	k->own = na_calloc(2 * in->n_hosts, sizeof(*k->own));
	k->own_low = na_calloc(2 * in->n_hosts, sizeof(*k->own_low));
	return k->skip && k->tally && k->shift && k->first && k->x && k->host &&
	       k->own && k->own_low;
}

static void windows_fini(struct windows *k)
{
	free(k->steps);
	free(k->window_of);
	free(k->skip);
	free(k->tally);
	free(k->shift);
	free(k->first);
	free(k->x);
	free(k->tmp);
	free(k->host);
	free(k->cells);
	free(k->z_of);
	free(k->own);
	free(k->own_low);
	for (size_t i = 0; i < k->n_chosen; i++)
		free(k->chosen[i].in);
}

enum na_status lz_window(struct lz *z, struct na_err *err)
{
	struct windows k = {.z = z};
	enum na_status s = NA_OK;

	if (!number_steps(&k))
		s = na_fail_nomem(err);
	if (s == NA_OK && !k.by_step)
		number_seconds(&k);
	if (s == NA_OK && !windows_room(&k))
		s = na_fail_nomem(err);
	if (s == NA_OK) {
		skip_tails(&k);
		s = fit_moments(&k, err);
	}
	if (s == NA_OK)
		s = search(&k, err);
	windows_fini(&k);
	return s;
}
