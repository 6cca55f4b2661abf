#include "plot/fig_sizes_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

#define FEW_SIZES 40 /* each has a mark of its own */

static unsigned class_of(int64_t bytes)
{
	unsigned k = 0;

	for (; bytes > 0; bytes >>= 1)
		k++;
	return k;
}

double na_sizes_place(double bytes)
{
	return bytes < 1 ? 0.5 : 1 + log2(bytes);
}

/* Adds a group of the result. */
static void series_add(struct size_series *to, const struct na_value *group,
		       double small_bytes)
{
	size_t n;
	const int64_t *cell = na_rows_of(na_get(group, "distinct"), &n);

	for (; n; n--, cell += 2) {
		unsigned k = class_of(cell[0]);
		double amounts[AMOUNTS] = {(double)cell[1],
					   (double)cell[1] * (double)cell[0]};

		for (enum amount a = COUNT; a < AMOUNTS; a++) {
			to->of[a][k] += amounts[a];
			to->total[a] += amounts[a];
			if ((double)cell[0] <= small_bytes)
				to->small[a][k] += amounts[a];
		}
	}
}

static void find_range(struct size_figure *f)
{
	f->from = SIZE_CLASSES;
	f->to = 0;
	for (size_t i = 0; i < f->n_series; i++) {
		for (unsigned k = 0; k < SIZE_CLASSES; k++) {
			if (!(f->series[i].of[COUNT][k] > 0))
				continue;
			f->from = k < f->from ? k : f->from;
			f->to = k + 1 > f->to ? k + 1 : f->to;
		}
	}
	if (!f->to)
		f->from = 0;
}

static void name_rest(struct size_figure *f, size_t others, bool unknown)
{
	struct size_series *rest = &f->series[f->n_series];

	if (!others)
		return;
	rest->half = NAN;
	if (unknown)
		snprintf(rest->name, sizeof(rest->name), "the rest");
	else
		snprintf(rest->name, sizeof(rest->name), "%zu other%s", others,
			 others == 1 ? "" : "s");
	f->has_rest = true;
	f->n_series++;
}

/* Groups come with the most bytes first. */
static void read_groups(struct size_figure *f, const struct na_value *g)
{
	size_t others = 0;
	bool unknown = false;

	for (; g; g = g->next) {
		bool rest = na_is_rest(g);
		struct size_series *s = &f->series[f->n_series];

		if (!rest && f->n_series < NA_TOP_SERIES) {
			na_words_key(s->name, sizeof(s->name),
				     na_get(g, "key"));
			s->half = na_real_of(na_get(g, "half_bytes_size"), NAN);
			series_add(s, g, f->small_bytes);
			f->n_series++;
			continue;
		}
		series_add(s, g, f->small_bytes);
		others++;
		unknown = unknown || rest;
	}
	name_rest(f, others, unknown);
}

void na_sizes_read(struct size_figure *f, const struct na_result *r)
{
	const struct na_value *list, *first;

	*f = (struct size_figure){.doc = na_result_get_doc(r),
				  .body = na_result_get_body(r),
				  .side = na_result_get_side(r)};
	f->total = na_get(f->body, "total");
	f->small_bytes = na_real_of(na_get(f->body, "small_limit_bytes"), 0);
	f->grouped = na_int_of(na_get(f->side, "grouped"), 0) == 1;
	f->runs_apart = na_int_of(na_get(f->side, "runs_apart"), 0) == 1;
	list = na_get(f->body, "groups");
	first = list && list->kind == NA_V_LIST ? list->u.of.first : NULL;
	read_groups(f, first);
	find_range(f);
	if (!f->grouped && f->n_series == 1)
		f->distinct = na_rows_of(na_get(first, "distinct"),
					 &f->n_distinct);
	if (f->n_distinct > FEW_SIZES)
		f->distinct = NULL;
	if (!f->to)
		f->empty = na_text_of(na_get(f->side, "empty"),
				      "No transfer was counted.");
}

void na_sizes_title(const struct size_figure *f, struct words *w)
{
	na_words_add(w, "%s",
		     na_text_of(na_get(f->side, "message"), "Transfer sizes"));
}

void na_sizes_subtitle(const struct size_figure *f, struct words *w)
{
	double duration = na_real_of(na_get(f->doc, "duration_s"), NAN);
	const struct na_value *origin = na_get(f->doc, "origin_unix_ns");
	char buf[NA_UNIT_BUF + NA_LABEL_BUF];

	if (f->runs_apart)
		na_words_runs(f->doc, w);
	else
		na_words_inputs(f->doc, w);
	if (isfinite(duration) && !f->empty) {
		na_words_break(w);
		na_words_add(w, "%s",
			     na_label_quantity(buf, NA_Q_SECONDS, duration, 3));
	}
	na_words_coverage(f->doc, w);
	if (origin && origin->kind == NA_V_INT) {
		na_words_break(w);
		na_words_add(w, "origin %s", na_print_utc(buf, origin->u.i));
	}
}
