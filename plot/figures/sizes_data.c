#include "plot/figures/sizes_data.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

#define BAR_WIDTH  0.7  /* of a single size */
#define LEAST_GAP  0.3  /* between two, on the axis */
#define CLASS_FILL 0.86 /* of a power of two, what its bars take */

double na_sizes_place(double bytes)
{
	return bytes < 1 ? 0.5 : 1 + log2(bytes);
}

/* The slot of a size; n_slots where it has none. */
static size_t slot_of(const struct size_figure *f, int64_t bytes)
{
	size_t i = 0;

	while (i < f->n_slots && f->slots[i].last < bytes)
		i++;
	return i;
}

/* False when there are too many sizes to give each a bar. */
static bool add_size(struct size_figure *f, int64_t bytes)
{
	size_t i = slot_of(f, bytes);

	if (i < f->n_slots && f->slots[i].first == bytes)
		return true;
	if (f->n_slots == SIZE_SLOTS)
		return false;
	memmove(&f->slots[i + 1], &f->slots[i],
		(f->n_slots - i) * sizeof(f->slots[0]));
	f->slots[i] = (struct size_slot){.first = bytes, .last = bytes};
	f->n_slots++;
	return true;
}

/* A bar for each size, centred on it; false when some are too near. */
static bool place_sizes(struct size_figure *f)
{
	double least = BAR_WIDTH / 0.8;

	for (size_t i = 1; i < f->n_slots; i++) {
		double a = na_sizes_place((double)f->slots[i - 1].first);
		double b = na_sizes_place((double)f->slots[i].first);

		least = fmin(least, b - a);
	}
	if (least < LEAST_GAP)
		return false;
	for (size_t i = 0; i < f->n_slots; i++) {
		double at = na_sizes_place((double)f->slots[i].first);

		f->slots[i].from = at - 0.4 * least;
		f->slots[i].to = at + 0.4 * least;
	}
	return true;
}

/* One slot for each power of two from the smallest size to the largest. */
static void place_classes(struct size_figure *f, int64_t least, int64_t most)
{
	f->n_slots = 0;
	for (unsigned k = na_size_class((uint64_t)least);
	     k <= na_size_class((uint64_t)most); k++) {
		uint64_t border = UINT64_C(1) << k;

		f->slots[f->n_slots++] = (struct size_slot){
			.first = (int64_t)(border >> 1),
			.last = (int64_t)(border - 1),
			.from = k + (1 - CLASS_FILL) / 2,
			.to = k + (1 + CLASS_FILL) / 2,
		};
	}
}

static void choose_slots(struct size_figure *f, const struct na_value *g)
{
	int64_t least = INT64_MAX, most = -1;

	f->single_sizes = true;
	for (; g; g = g->next) {
		size_t n;
		const int64_t *cell = na_rows_of(na_get(g, M_distinct), &n);

		if (n) {
			least = cell[0] < least ? cell[0] : least;
			most = cell[2 * n - 2] > most ? cell[2 * n - 2] : most;
		}
		for (; n && f->single_sizes; n--, cell += 2)
			f->single_sizes = add_size(f, cell[0]);
	}
	f->single_sizes = f->single_sizes && place_sizes(f);
	if (!f->single_sizes)
		place_classes(f, least, most);
}

/* Adds a group of the result. */
static void series_add(const struct size_figure *f, struct size_series *to,
		       const struct na_value *group)
{
	size_t n, slot = 0;
	const int64_t *cell = na_rows_of(na_get(group, M_distinct), &n);

	for (; n; n--, cell += 2) {
		double amounts[AMOUNTS] = {(double)cell[1],
					   (double)cell[1] * (double)cell[0]};

		while (slot + 1 < f->n_slots && f->slots[slot].last < cell[0])
			slot++;
		for (enum amount a = COUNT; a < AMOUNTS; a++) {
			to->of[a][slot] += amounts[a];
			to->total[a] += amounts[a];
			if ((double)cell[0] <= f->small_bytes)
				to->small[a][slot] += amounts[a];
		}
	}
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
			 na_plural(others));
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
				     na_get(g, M_key));
			s->half = na_number_at(g, M_half_bytes_size);
			s->half_at = slot_of(f, (int64_t)fmax(s->half, 0));
			series_add(f, s, g);
			f->n_series++;
			continue;
		}
		series_add(f, s, g);
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
				  .result = r};
	f->total = na_get(f->body, M_total);
	f->small_bytes = na_number_or(f->body, M_small_limit_bytes, 0);
	f->runs_apart = na_result_get_about(f->result)->runs_apart;
	list = na_get(f->body, M_groups);
	first = na_items(list);
	f->grouped = na_items(na_get(first, M_key));
	choose_slots(f, first);
	read_groups(f, first);
	if (!f->n_slots)
		f->empty = na_result_get_word(f->result, NA_WORD_EMPTY,
					      "No transfer was counted.");
}

void na_sizes_title(const struct size_figure *f, struct words *w)
{
	na_words_add(w, "%s",
		     na_result_get_word(f->result, NA_WORD_MESSAGE,
					"Transfer sizes"));
}

void na_sizes_subtitle(const struct size_figure *f, struct words *w)
{
	double duration = na_number_at(f->doc, M_duration_s);

	na_words_data(f->result, f->runs_apart, w);
	if (isfinite(duration) && !f->empty)
		na_words_seconds(duration, w);
	na_words_coverage(f->result, w);
	na_words_origin(f->doc, w);
}
