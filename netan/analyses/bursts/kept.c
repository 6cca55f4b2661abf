/* bursts: the intervals of a block, sorted, and handed to the whole. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/bursts/state.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/sort.h"

static const struct na_grouping by_cell = {.n = 2}; /* source, row */

static enum na_status count_cut(struct bursts_kept *k, uint32_t cell)
{
	if (!na_grow(&k->cut, &k->cap_cut, (size_t)cell + 1, sizeof(*k->cut)))
		return NA_ENOMEM;
	while (k->n_cut <= cell)
		k->cut[k->n_cut++] = 0;
	k->cut[cell]++;
	return NA_OK;
}

static bool enter_cell(struct bursts_kept *k, uint32_t source, uint32_t row)
{
	const uint64_t values[NA_MAX_KEYS] = {source, row};

	if (!k->n)
		na_groups_init(&k->cells, &by_cell);
	k->source = source;
	k->row = row;
	k->in = na_groups_add(&k->cells, values);
	return k->in != NA_NO_NAME;
}

/* Of the next interval; those before it that have none are in cell 0. */
static bool note_cell(struct bursts_kept *k)
{
	if (!na_grow(&k->cell, &k->cap_cell, k->n + 1, sizeof(uint32_t)))
		return false;
	while (k->n_cell < k->n)
		k->cell[k->n_cell++] = 0;
	k->cell[k->n_cell++] = k->in;
	return true;
}

enum na_status na_bursts_keep(struct bursts_state *s, enum bursts_kind kind,
			      int64_t start_ps, int64_t end_ps, bool cut,
			      uint32_t source, uint32_t row)
{
	struct bursts_kept *k = &s->kept[kind];

	if ((!k->n || k->source != source || k->row != row) &&
	    !enter_cell(k, source, row))
		return NA_ENOMEM;
	if (!na_grow(&k->starts, &k->cap_starts, k->n + 1, sizeof(int64_t)) ||
	    !na_grow(&k->ends, &k->cap_ends, k->n + 1, sizeof(int64_t)) ||
	    (k->in && !note_cell(k)))
		return NA_ENOMEM;
	k->starts[k->n] = start_ps;
	k->ends[k->n++] = end_ps;
	return cut ? count_cut(k, k->in) : NA_OK;
}

static uint32_t cell_of(const struct bursts_kept *k, size_t i)
{
	return i < k->n_cell ? k->cell[i] : 0;
}

/* Where each cell begins once they follow each other: [cells + 1]. */
static size_t *cell_borders(const struct bursts_kept *k)
{
	size_t cells = na_groups_count(&k->cells);
	size_t *at = na_calloc(cells + 1, sizeof(*at));

	for (size_t i = 0; at && i < k->n; i++)
		at[cell_of(k, i) + 1]++;
	for (size_t c = 0; at && c < cells; c++)
		at[c + 1] += at[c];
	return at;
}

/* x by cell, ascending within each; in a block of its own that is as large
 * as needed.  NULL when memory is short. */
static int64_t *arrange(const struct bursts_kept *k, const int64_t *x,
			const size_t *at, int64_t *tmp)
{
	size_t cells = na_groups_count(&k->cells);
	int64_t *out = na_calloc(k->n, sizeof(*out));
	size_t *next = na_calloc(cells, sizeof(*next));

	if (!out || !next) {
		free(out);
		free(next);
		return NULL;
	}
	memcpy(next, at, cells * sizeof(*next));
	for (size_t i = 0; i < k->n; i++)
		out[next[cell_of(k, i)]++] = x[i];
	for (size_t c = 0; c < cells; c++)
		na_sort_i64(out + at[c], tmp, at[c + 1] - at[c]);
	free(next);
	return out;
}

/* All in one cell: in place, giving back the room that doubling left. */
static enum na_status seal_one(struct bursts_kept *k)
{
	int64_t *tmp = na_calloc(k->n, sizeof(*tmp)), *fit;

	if (!tmp)
		return NA_ENOMEM;
	na_sort_i64(k->starts, tmp, k->n);
	na_sort_i64(k->ends, tmp, k->n);
	free(tmp);
	fit = realloc(k->starts, k->n * sizeof(*fit));
	k->starts = fit ? fit : k->starts;
	fit = realloc(k->ends, k->n * sizeof(*fit));
	k->ends = fit ? fit : k->ends;
	return NA_OK;
}

static enum na_status seal(struct bursts_kept *k)
{
	size_t *at = cell_borders(k);
	int64_t *tmp = na_calloc(k->n, sizeof(*tmp)), *starts, *ends;

	starts = at && tmp ? arrange(k, k->starts, at, tmp) : NULL;
	ends = at && tmp ? arrange(k, k->ends, at, tmp) : NULL;
	free(at);
	free(tmp);
	if (!starts || !ends) {
		free(starts);
		free(ends);
		return NA_ENOMEM;
	}
	free(k->starts);
	free(k->ends);
	k->starts = starts;
	k->ends = ends;
	return NA_OK;
}

enum na_status na_bursts_seal(void *block)
{
	struct bursts_state *s = block;
	enum na_status st = NA_OK;

	for (size_t kind = 0; st == NA_OK && kind < BURSTS_KINDS; kind++) {
		if (s->kept[kind].n)
			st = s->kept[kind].n_cell ? seal(&s->kept[kind])
						  : seal_one(&s->kept[kind]);
	}
	return st;
}

enum na_status na_bursts_take(struct bursts_runs *to, struct bursts_kept *from)
{
	size_t cells, *at;

	if (!from->n)
		return NA_OK;
	cells = na_groups_count(&from->cells);
	at = cell_borders(from);
	if (!at || !na_grow(&to->v, &to->cap, to->n + cells, sizeof(*to->v)) ||
	    !na_grow(&to->owned, &to->cap_owned, to->n_owned + 2,
		     sizeof(*to->owned))) {
		free(at);
		return NA_ENOMEM;
	}
	for (size_t c = 0; c < cells; c++) {
		uint64_t values[NA_MAX_KEYS];

		na_groups_values(&from->cells, (uint32_t)c, values);
		to->v[to->n++] = (struct bursts_run){
			.run = {from->starts + at[c], from->ends + at[c],
				at[c + 1] - at[c]},
			.source = (uint32_t)values[0],
			.row = (uint32_t)values[1],
			.cut = c < from->n_cut ? from->cut[c] : 0};
	}
	to->owned[to->n_owned++] = from->starts;
	to->owned[to->n_owned++] = from->ends;
	from->starts = from->ends = NULL;
	free(at);
	return NA_OK;
}

void na_bursts_kept_fini(struct bursts_kept *k)
{
	free(k->starts);
	free(k->ends);
	free(k->cell);
	free(k->cut);
	na_groups_fini(&k->cells);
}

void na_bursts_runs_fini(struct bursts_runs *r)
{
	for (size_t i = 0; i < r->n_owned; i++)
		free(r->owned[i]);
	free(r->owned);
	free(r->v);
	*r = (struct bursts_runs){.n = 0};
}
