/*
 * Who is slow now and then ("Channels"): the median of each host side in each
 * step (or second), against the side's own median over all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/window.h"
#include "netan/stats/tests/tests.h"

#define MOST_FLAGGED 0.4
#define TIMES_USUAL  4
#define KEEPS        0.4

enum { MIN_FLAGGED = 2, MAX_SIDES = LZ_WINDOW_SIDES };

/* A cell is flagged from so many standard errors on; at the least so many
 * of a healthy fleet's are. */
static const struct level {
	double z, usual;
} levels[] = {{5, 5e-5}, {3.5, 1e-3}};

static bool flagged(const struct lz_windows *k, size_t c, const struct level *l)
{
	const struct lz_cell *cell = &k->cells.v[c];
	double over = (double)cell->median - k->own.v[cell->own].median;

	return k->z_of[c] > l->z * k->scale && over > LZ_MIN_EFFECT;
}

static bool is_chosen(const struct lz_windows *k, uint32_t side)
{
	for (size_t i = 0; i < k->n_chosen; i++) {
		if (k->chosen[i].side == side)
			return true;
	}
	return false;
}

/* Even the best of what it moved in those windows was slow. */
static bool has_floor(struct lz_windows *k, size_t from, size_t to,
		      const struct level *l)
{
	double over = 0, low = 0;

	for (size_t c = from; c < to; c++) {
		const struct lz_cell *cell = &k->cells.v[c];

		if (!flagged(k, c, l))
			continue;
		over += (double)cell->median - k->own.v[cell->own].median;
		low += (double)cell->low - k->own.v[cell->own].low;
	}
	return !lz_on(k->z, NA_LZ_PART_FLOOR) || low > KEEPS * over;
}

/* Share of cells that are flagged in windows where this side is not: what
 * a step that is slow for many, or for the other end, adds does not count
 * against it. */
static double usual_share(struct lz_windows *k, size_t from, size_t to,
			  const struct level *l, const struct lz_flags *all)
{
	double cells = (double)k->cells.n, flags = (double)all->flags;

	for (size_t c = from; c < to; c++) {
		if (!flagged(k, c, l))
			continue;
		cells -= (double)k->tally[k->cells.v[c].window].cells;
		flags -= (double)k->tally[k->cells.v[c].window].flags;
	}
	return lz_larger(cells > 0 ? flags / cells : 0, l->usual);
}

/* Is so many flagged windows far likelier with a fault of this side?  Then
 * the sum of their squared z; else 0. */
static double judge_window(struct lz_windows *k, size_t from, size_t to,
			   const struct level *l, const struct lz_flags *all)
{
	double m = (double)(to - from), n = 0, sum = 0, f1, f0, llr;

	for (size_t c = from; c < to; c++) {
		if (!flagged(k, c, l))
			continue;
		n++;
		sum += k->z_of[c] * k->z_of[c];
	}
	if (n < MIN_FLAGGED || n > MOST_FLAGGED * m ||
	    is_chosen(k, k->cells.v[from].side) || !has_floor(k, from, to, l))
		return 0;
	f0 = usual_share(k, from, to, l, all);
	f1 = n / m;
	if (f1 < TIMES_USUAL * f0)
		return 0;
	llr = na_share_llr(n, m, f0) -
	      log(3 * (double)k->z->hosts / k->z->alpha);
	return llr > 0 ? sum : 0;
}

static struct lz_flags count_flags(struct lz_windows *k, const struct level *l)
{
	struct lz_flags all = {0, 0};

	memset(k->tally, 0, k->n * sizeof(*k->tally));
	for (size_t c = 0; c < k->cells.n; c++) {
		struct lz_flags *t = &k->tally[k->cells.v[c].window];
		bool is = flagged(k, c, l);

		t->cells++;
		t->flags += is;
		all.flags += is;
	}
	return all;
}

/* The likeliest side: cells [*from, *to). */
static const struct level *best_side(struct lz_windows *k, size_t *from,
				     size_t *to)
{
	const struct level *best = NULL;
	double most = 0;

	for (size_t i = 0; i < NA_LEN(levels); i++) {
		struct lz_flags all = count_flags(k, &levels[i]);

		for (size_t c = 0, end; c < k->cells.n; c = end) {
			double score;

			end = na_lz_windows_side_end(k, c);
			score = judge_window(k, c, end, &levels[i], &all);
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

static struct na_lz_window describe(const struct lz_windows *k, size_t c)
{
	const struct lz_cell *cell = &k->cells.v[c];
	struct na_lz_window w = {.step = NA_LZ_NONE};

	w.effect = (double)cell->median - k->own.v[cell->own].median;
	if (k->by_step) {
		w.step = k->steps[cell->window];
	} else {
		w.from_us = cell->window * k->width_us;
		w.to_us = w.from_us + k->width_us;
	}
	return w;
}

/* Says what was found and sets those windows of the side apart. */
static enum na_status choose_window(struct lz_windows *k, size_t from,
				    size_t to, const struct level *level,
				    struct na_lz_finding *f, struct na_err *err)
{
	uint32_t side = k->cells.v[from].side, hosts;
	struct lz_chosen *c = &k->chosen[k->n_chosen];
	double sum = 0, var = 0, effect = 0;

	hosts = (uint32_t)k->z->in->n_hosts;
	*f = (struct na_lz_finding){.channel = NA_LZ_WINDOW,
				    .intermittent = true};
	f->who.kind = side < hosts ? NA_LZ_SRC : NA_LZ_DST;
	f->who.a = side < hosts ? side : side - hosts;
	f->windows = na_calloc(to - from, sizeof(*f->windows));
	c->side = side;
	c->in = na_lz_take(&k->memory, k->n, sizeof(*c->in));
	k->n_chosen++;
	if (!f->windows || !c->in)
		return na_fail_nomem(err);
	for (size_t i = from; i < to; i++) {
		double se = na_lz_windows_se(k, &k->cells.v[i]) * k->scale;

		if (!flagged(k, i, level))
			continue;
		c->in[k->cells.v[i].window] = true;
		f->windows[f->n_windows] = describe(k, i);
		effect += f->windows[f->n_windows++].effect;
		f->transfers += k->cells.v[i].n;
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

static enum na_status search_windows(struct lz_windows *k, struct na_err *err)
{
	struct na_lz_finding f[MAX_SIDES + 1] = {{.pairs = 0}};
	enum na_status s = na_lz_windows_measure(k, err);
	const struct level *level;
	size_t from = 0, to = 0;

	while (s == NA_OK && k->n_chosen <= MAX_SIDES &&
	       (level = best_side(k, &from, &to))) {
		s = choose_window(k, from, to, level, &f[k->n_chosen], err);
		if (s == NA_OK && k->n_chosen <= MAX_SIDES)
			s = na_lz_windows_measure(k, err);
	}
	/* Many sides at once: the schedule moved. */
	for (size_t i = 0; i < k->n_chosen; i++) {
		if (s == NA_OK && k->n_chosen <= MAX_SIDES)
			s = na_lz_found(k->z, &f[i], err);
		else
			free(f[i].windows);
	}
	return s;
}

static bool windows_room(struct lz_windows *k)
{
	const struct na_lz_input *in = k->z->in;
	struct lz_memory *m = &k->memory;

	k->skip = na_lz_take(m, k->n, sizeof(*k->skip));
	k->tally = na_lz_take(m, k->n, sizeof(*k->tally));
	k->shift = na_lz_take(m, in->n_moments, sizeof(*k->shift));
	k->first = na_lz_take(m, k->n + 2, sizeof(*k->first));
	k->x = na_lz_take(m, in->n_transfers, sizeof(*k->x));
	k->host = na_lz_take(m, in->n_transfers, sizeof(*k->host));
	return !m->failed;
}

static void windows_fini(struct lz_windows *k)
{
	na_arena_fini(&k->memory.arena);
	free(k->tmp);
	free(k->cells.v);
	free(k->own.v);
	free(k->z_of);
}

enum na_status na_lz_window(struct lz *z, struct na_err *err)
{
	struct lz_windows k = {.z = z};
	enum na_status s = NA_OK;

	if (!na_lz_windows_steps(&k))
		s = na_fail_nomem(err);
	if (s == NA_OK && !k.by_step)
		na_lz_windows_seconds(&k);
	if (s == NA_OK && !windows_room(&k))
		s = na_fail_nomem(err);
	if (s == NA_OK) {
		na_lz_windows_skip_tails(&k);
		s = na_lz_windows_moments(&k, err);
	}
	if (s == NA_OK)
		s = search_windows(&k, err);
	windows_fini(&k);
	return s;
}
