#include "plot/figures/pairs/data.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

/* More rows would be thinner than a pixel of a projector. */
enum { ROWS_MAX = 256 };

/* A healthy fleet shall look even: at least this range, 1/4x to 4x. */
#define LIMIT_LEAST 4.0
#define LIMIT_MOST  32.0

/* What an SVG below 1 MiB has room for: stretches of equal cells. */
enum { STRETCHES_MAX = 20000 };

static void read_nodes(struct pairs_matrix *m, const struct na_value *list)
{
	size_t i = 0;

	na_each_row (v, list) {
		m->names[i] = na_text_at(v, M_name);
		m->group[i++] = na_number_or(v, M_group, 0);
	}
}

/* What all names begin with, digits apart. */
static size_t common_prefix(const struct pairs_matrix *m)
{
	size_t n = m->n > 1 ? strlen(m->names[0]) : 0;

	for (size_t i = 1; i < m->n; i++) {
		size_t k = 0;

		while (k < n && m->names[i][k] == m->names[0][k])
			k++;
		n = k;
	}
	while (n && ((m->names[0][n - 1] >= '0' && m->names[0][n - 1] <= '9') ||
		     (m->names[0][n] & 0xc0) == 0x80))
		n--;
	return n;
}

static const char *node_name(const struct pairs_matrix *m, size_t i)
{
	return i < m->n ? m->names[i] : "?";
}

/* "from host-3": what stands beside the outline. */
static void mark_words(struct pairs_mark *k, const struct pairs_matrix *m)
{
	const char *a = k->host ? k->host : node_name(m, k->a);
	size_t size = sizeof(k->words);

	if (strcmp(k->kind, "src") == 0)
		snprintf(k->words, size, "from %.100s", a);
	else if (strcmp(k->kind, "dst") == 0)
		snprintf(k->words, size, "to %.100s", a);
	else if (strcmp(k->kind, "host") == 0)
		snprintf(k->words, size, "%.100s, both ways", a);
	else if (strcmp(k->kind, "pair") == 0)
		snprintf(k->words, size, "%.60s to %.60s", a,
			 node_name(m, k->b));
	else
		snprintf(k->words, size, "%.150s", k->name);
}

static void read_marks(struct pairs_matrix *m, const struct na_value *list)
{
	na_for_each (v, list) {
		struct pairs_mark *k = &m->marks[m->n_marks];

		if (m->n_marks == MARKS_MAX) {
			m->more_marks++;
			continue;
		}
		k->kind = na_text_at(v, M_kind);
		k->name = na_text_at(v, M_name);
		k->a = (size_t)na_count_or(v, M_a, -1);
		k->b = (size_t)na_count_or(v, M_b, -1);
		k->rows = (size_t)na_count_or(v, M_rows, 1);
		k->host = na_text_or(v, M_host, NULL);
		k->excess = na_number_at(v, M_excess);
		k->timeouts = strcmp(na_text_at(v, M_channel), "rate") == 0;
		mark_words(k, m);
		m->n_marks++;
	}
}

static int level_of(double excess, double limit)
{
	double at = log(excess) / limit * (LEVELS + 0.5);

	if (!(excess > 0) || isnan(at))
		return CELL_UNKNOWN;
	if (fabs(at) > LEVELS + 0.5)
		return at < 0 ? -BEYOND : BEYOND;
	at = round(at);
	return at > LEVELS ? LEVELS : at < -LEVELS ? -LEVELS : (int)at;
}

/* Even from none to the most: shades of vermilion. */
static int level_of_count(double count, double most)
{
	return count > 0 ? (int)fmax(1, round(LEVELS * count / most)) : 0;
}

static int level_in(const struct pairs_matrix *m, double excess, double limit)
{
	if (isnan(excess))
		return CELL_UNKNOWN;
	return m->most > 0 ? level_of_count(excess, m->most)
			   : level_of(excess, limit);
}

static bool is_few(const double *few, size_t i)
{
	return few && few[i] > 0;
}

/* Of merged cells the one that stands out most, the slow before the fast, and
 * what many transfers tell before what few do. */
static bool outdoes(int a, int b)
{
	int x = pairs_shade(a), y = pairs_shade(b);

	if (a <= CELL_WAITS || b <= CELL_WAITS)
		return a > b;
	if (pairs_is_few(a) != pairs_is_few(b))
		return pairs_is_few(b);
	return abs(x) == abs(y) ? x > y : abs(x) > abs(y);
}

/* As the result numbers it. */
static bool waits(const double *role, size_t i)
{
	return role && role[i] == 2;
}

static void fill_matrix(struct pairs_matrix *m, const struct na_value *v,
			double limit)
{
	size_t n;
	const double *src = na_reals_of(na_get(v, M_src), &n);
	const double *dst = na_reals_at(v, M_dst, n),
		     *x = na_reals_at(v, M_excess, n),
		     *role = na_reals_at(v, M_role, n),
		     *few = na_reals_at(v, M_few, n);

	m->m = (m->n + m->merged - 1) / m->merged;
	memset(m->levels, CELL_NONE, m->m * m->m);
	for (size_t i = 0; src && dst && x && i < n; i++) {
		signed char *cell;
		int level = waits(role, i) ? CELL_WAITS
					   : level_in(m, x[i], limit);

		if (!(src[i] >= 0 && src[i] < (double)m->n) ||
		    !(dst[i] >= 0 && dst[i] < (double)m->n))
			continue;
		cell = &m->levels[(size_t)src[i] / m->merged * m->m +
				  (size_t)dst[i] / m->merged];
		if (is_few(few, i) && level > CELL_WAITS)
			level += FEW;
		if (!outdoes(level, *cell))
			continue;
		*cell = (signed char)level;
		if (m->excess)
			m->excess[cell - m->levels] = x[i];
	}
}

static size_t stretches(const struct pairs_matrix *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->m * m->m; i++)
		n += m->levels[i] &&
		     (i % m->m == 0 || m->levels[i] != m->levels[i - 1]);
	return n;
}

static void look(struct pairs_matrix *m)
{
	for (size_t i = 0; i < m->m * m->m; i++) {
		m->hatched |= m->levels[i] == CELL_NONE;
		m->unknown |= m->levels[i] == CELL_UNKNOWN;
		m->waits |= m->levels[i] == CELL_WAITS;
		m->above |= pairs_shade(m->levels[i]) == BEYOND;
		m->below |= pairs_shade(m->levels[i]) == -BEYOND;
		m->few += pairs_is_few(m->levels[i]);
	}
}

static bool counts_timeouts(const struct na_value *matrix)
{
	return strcmp(na_text_at(matrix, M_measure), "timeouts") == 0;
}

/* 0: it counts none. */
static double most_timeouts(const struct na_value *matrix)
{
	double most = 0;
	size_t n = 0;
	const double *x = na_reals_of(na_get(matrix, M_excess), &n);

	for (size_t i = 0; counts_timeouts(matrix) && x && i < n; i++)
		most = fmax(most, x[i]);
	return most;
}

static bool read_matrix(struct pairs_matrix *m, const struct na_value *v,
			double limit)
{
	const struct na_value *nodes = na_get(v, M_nodes);

	m->limit = limit;
	m->label = na_text_or(v, M_label, NULL);
	m->n = nodes && nodes->kind == NA_V_LIST ? nodes->n : 0;
	m->merged = m->n > ROWS_MAX ? (m->n + ROWS_MAX - 1) / ROWS_MAX : 1;
	m->names = na_calloc(m->n, sizeof(*m->names));
	m->group = na_calloc(m->n, sizeof(*m->group));
	m->levels = na_calloc(ROWS_MAX, ROWS_MAX);
	if (m->n <= NUMBERED_MAX)
		m->excess = na_calloc(NUMBERED_MAX * NUMBERED_MAX,
				      sizeof(*m->excess));
	if (!m->names || !m->group || !m->levels ||
	    (!m->excess && m->n <= NUMBERED_MAX))
		return false;
	if (m->n)
		read_nodes(m, nodes);
	m->rack = na_reals_at(v, M_rack, m->n);
	m->prefix = common_prefix(m);
	m->measure = na_text_or(v, M_measure, "expected");
	m->most = most_timeouts(v);
	m->timeless = (size_t)na_count_or(v, M_timeless, 0);
	m->fewest = na_count_or(v, M_fewest, 0);
	m->too_few = na_count_at(v, M_too_few) > 0;
	read_marks(m, na_get(v, M_marks));
	for (fill_matrix(m, v, limit); stretches(m) > STRETCHES_MAX;
	     fill_matrix(m, v, limit))
		m->merged++;
	look(m);
	return true;
}

/* As far as the farthest pair of all matrices that has a full colour, within
 * reason: what few transfers tell is not what the others are held against. */
static double limit_of(const struct na_value *list)
{
	double most = log(LIMIT_LEAST);

	na_for_each (v, list) {
		size_t n = 0;
		const double *x = na_reals_of(na_get(v, M_excess), &n);
		const double *role = na_reals_at(v, M_role, n);
		const double *few = na_reals_at(v, M_few, n);

		for (size_t i = 0; x && !counts_timeouts(v) && i < n; i++) {
			if (x[i] > 0 && isfinite(x[i]) && !waits(role, i) &&
			    !is_few(few, i))
				most = fmax(most, fabs(log(x[i])));
		}
	}
	return fmin(most, log(LIMIT_MOST));
}

/* "8 hosts", "1 address". */
static void add_ends(struct words *w, size_t n, const char *ends)
{
	size_t of = strlen(ends);

	if (n == 1 && of)
		of -= strcmp(ends, "addresses") == 0 ? 2 : 1;
	na_words_add(w, "%zu %.*s", n, (int)of, ends);
}

static void read_subtitle(struct pairs_figure *f, const struct na_result *r)
{
	const struct na_value *doc = na_result_get_doc(r);
	const char *given = na_result_get_word(r, NA_WORD_SUBTITLE, NULL);
	double s = na_number_at(doc, M_duration_s);
	char buf[NA_LABEL_BUF];

	if (given && *given) {
		na_words_add(&f->subtitle, "%s", given);
		return;
	}
	if (f->n > 1)
		na_words_runs(r, &f->subtitle);
	else
		na_words_inputs(r, &f->subtitle);
	if (f->n == 1) {
		na_words_break(&f->subtitle);
		add_ends(&f->subtitle, f->matrices[0].n, f->ends);
	}
	if (s > 0) {
		na_words_break(&f->subtitle);
		na_words_add(&f->subtitle, "%s",
			     na_label_quantity(buf, NA_Q_SECONDS, s, 3));
	}
	na_words_coverage(r, &f->subtitle);
	if (!f->empty && !f->locality) {
		na_words_break(&f->subtitle);
		na_words_add(&f->subtitle, "locality not given");
	}
}

enum na_status na_pairs_read(struct pairs_figure *f, const struct na_result *r,
			     struct na_err *err)
{
	const struct na_value *side = na_result_get_side(r);
	const struct na_value *list = na_get(side, M_matrices);
	size_t nodes = 0;

	memset(f, 0, sizeof(*f));
	f->title = na_result_get_word(r, NA_WORD_MESSAGE, "Pairs");
	f->empty = na_result_get_word(r, NA_WORD_EMPTY, NULL);
	f->ends = na_text_or(side, M_ends, "ends");
	f->locality = na_count_at(side, M_locality) != 0;
	f->limit = log(LIMIT_LEAST);
	if (list && list->kind == NA_V_LIST)
		f->limit = limit_of(list);
	na_for_each (v, list) {
		if (f->n == MATRICES_MAX) {
			f->more++;
			continue;
		}
		if (!read_matrix(&f->matrices[f->n++], v, f->limit))
			return na_fail_nomem(err);
		nodes += f->matrices[f->n - 1].n;
	}
	if (!f->empty && !nodes)
		f->empty = "No transfer between a source and a destination.";
	read_subtitle(f, r);
	return NA_OK;
}

void na_pairs_fini(struct pairs_figure *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->matrices[i].names);
		free(f->matrices[i].group);
		free(f->matrices[i].levels);
		free(f->matrices[i].excess);
	}
}
