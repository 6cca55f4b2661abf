/* bursts: the intervals of a block, sorted, and handed to the whole. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/bursts/state.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/sort.h"

static const struct na_grouping by_cell = {.n = 2}; /* source, row */

static enum na_status count_cut(struct bursts_kept *k, uint32_t cell)
{
	while (k->cut.n <= cell) {
		if (!na_push(&k->cut))
			return NA_ENOMEM;
	}
	k->cut.v[cell]++;
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
	while (k->cell.n < k->n) {
		if (!na_push(&k->cell))
			return false;
	}
	return na_add(&k->cell, k->in);
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
	return i < k->cell.n ? k->cell.v[i] : 0;
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

/* All in one cell: in place. */
static enum na_status seal_one(struct bursts_kept *k)
{
	return na_sort_fit_i64(&k->starts, &k->cap_starts, k->n) &&
			       na_sort_fit_i64(&k->ends, &k->cap_ends, k->n)
		       ? NA_OK
		       : NA_ENOMEM;
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
			st = s->kept[kind].cell.n ? seal(&s->kept[kind])
						  : seal_one(&s->kept[kind]);
	}
	return st;
}

enum na_status na_bursts_hand_over(struct bursts_runs *to,
				   struct bursts_kept *from)
{
	size_t cells, *at;

	if (!from->n)
		return NA_OK;
	cells = na_groups_count(&from->cells);
	at = cell_borders(from);
	if (!at || !na_room(&to->list, cells) || !na_room(&to->owned, 2)) {
		free(at);
		return NA_ENOMEM;
	}
	for (size_t c = 0; c < cells; c++) {
		uint64_t values[NA_MAX_KEYS];

		na_groups_values(&from->cells, (uint32_t)c, values);
		to->list.v[to->list.n++] = (struct bursts_run){
			.run = {from->starts + at[c], from->ends + at[c],
				at[c + 1] - at[c]},
			.source = (uint32_t)values[0],
			.row = (uint32_t)values[1],
			.cut = c < from->cut.n ? from->cut.v[c] : 0};
	}
	to->owned.v[to->owned.n++] = from->starts;
	to->owned.v[to->owned.n++] = from->ends;
	from->starts = from->ends = NULL;
	free(at);
	return NA_OK;
}

void na_bursts_kept_pack(const struct bursts_kept *k, struct na_serializer *to)
{
	size_t cells = k->n ? na_groups_count(&k->cells) : 0;
	size_t *at = cell_borders(k);

	to->failed |= !at;
	na_pack_number(to, cells);
	for (size_t c = 0; at && c < cells; c++) {
		const struct na_run run = {k->starts + at[c], k->ends + at[c],
					   at[c + 1] - at[c]};
		uint64_t values[NA_MAX_KEYS];

		na_groups_values(&k->cells, (uint32_t)c, values);
		na_pack_number(to, values[0]);
		na_pack_number(to, values[1]);
		na_pack_number(to, c < k->cut.n ? k->cut.v[c] : 0);
		na_run_pack(&run, to);
	}
	free(at);
}

static bool append(struct bursts_kept *k, const struct na_run *run)
{
	if (!run->n ||
	    !na_grow(&k->starts, &k->cap_starts, k->n + run->n,
		     sizeof(int64_t)) ||
	    !na_grow(&k->ends, &k->cap_ends, k->n + run->n, sizeof(int64_t)))
		return false;
	memcpy(k->starts + k->n, run->starts, run->n * sizeof(int64_t));
	memcpy(k->ends + k->n, run->ends, run->n * sizeof(int64_t));
	for (size_t i = 0; i < run->n; i++, k->n++) {
		if (k->in && !note_cell(k))
			return false;
	}
	return true;
}

void na_bursts_kept_unpack(struct bursts_kept *k, size_t sources, size_t rows,
			   struct na_deserializer *from)
{
	size_t cells = na_unpack_count(from);

	for (uint32_t c = 0; !from->failed && c < cells; c++) {
		uint32_t source = (uint32_t)na_unpack_index(from, sources);
		uint32_t row = (uint32_t)na_unpack_index(from, rows);
		uint32_t cut = (uint32_t)na_unpack_index(from, UINT32_MAX);
		struct na_run run = {NULL, NULL, 0};

		na_run_unpack(&run, from);
		na_unpack_must(from, cut <= run.n);
		na_unpack_must(from, !from->failed &&
					     enter_cell(k, source, row) &&
					     k->in == c && append(k, &run));
		while (!from->failed && cut--)
			na_unpack_must(from, count_cut(k, c) == NA_OK);
		free(run.starts);
		free(run.ends);
	}
}

void na_bursts_kept_fini(struct bursts_kept *k)
{
	free(k->starts);
	free(k->ends);
	na_vec_free(&k->cell);
	na_vec_free(&k->cut);
	na_groups_fini(&k->cells);
}

void na_bursts_runs_fini(struct bursts_runs *r)
{
	for (size_t i = 0; i < r->owned.n; i++)
		free(r->owned.v[i]);
	na_vec_free(&r->owned);
	na_vec_free(&r->list);
}
