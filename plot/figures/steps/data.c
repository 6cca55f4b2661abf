#include "plot/figures/steps/data.h"
#include "members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

NA_ORDER(by_name, struct step_line, na_natural_order(x->name, y->name),
	 NA_UP(at))

static bool read_lines(struct steps_figure *f)
{
	const struct na_value *list = na_get(f->side, M_lines);
	const struct na_value *v = na_items(list);
	size_t others = 0;

	f->lines = na_calloc(list ? list->n + 1 : 1, sizeof(*f->lines));
	for (; f->lines && v; v = v->next) {
		struct step_line *x = &f->lines[f->n_lines];

		*x = (struct step_line){.at = f->n_lines,
					.name = na_text_at(v, M_name),
					.cause = na_text_or(v, M_cause, NULL),
					.behind_ms = na_number_at(v,
								  M_behind_ms),
					.own = na_reals_at(v, M_own_ms, f->n),
					.late = na_reals_at(v, M_late_ms,
							    f->n)};
		if (!x->own)
			continue;
		f->stragglers += x->cause != NULL;
		others += na_fig_steps_is_itself(x);
		f->n_lines++;
	}
	f->network = f->stragglers && !others;
	if (!f->runs_apart)
		na_sort(f->lines, f->n_lines, by_name);
	return f->lines;
}

static bool read_parts(struct steps_figure *f)
{
	static const char *const names[PARTS] = {M_compute_ms, M_overlap_ms,
						 M_exposed_ms, M_idle_ms};
	const struct na_value *parts = na_get(f->side, M_parts);
	double sum = 0;

	for (int k = 0; k < PARTS; k++) {
		f->part[k] = na_reals_at(parts, names[k], f->n);
		if (!f->part[k])
			return true;
	}
	f->mean = na_calloc(f->n + 1, sizeof(*f->mean));
	for (size_t i = 0; f->mean && i < f->n; i++) {
		for (int k = 0; k < PARTS; k++) {
			double x = f->part[k][i];

			f->mean[i] += x;
			f->share[k] += isfinite(x) ? x : 0;
			sum += isfinite(x) ? x : 0;
		}
	}
	for (int k = 0; k < PARTS; k++)
		f->share[k] = sum > 0 ? f->share[k] / sum : 0;
	return f->mean;
}

/* Also those that --top leaves out of the list. */
static const struct na_value *all_steps(const struct steps_figure *f)
{
	const struct na_value *all = na_get(f->side, M_steps);

	return all ? all : na_get(f->body, M_steps);
}

/* Steps by their order are found in the list. */
static double column_of(const struct steps_figure *f, double step)
{
	const struct na_value *list = all_steps(f), *v;
	size_t i = 0;

	if (!f->by_order)
		return (step - f->first) / f->each;
	for (v = na_items(list); v; v = v->next, i++) {
		if (na_number_at(v, M_step) >= step)
			break;
	}
	return (double)i / f->each;
}

static bool read_changes(struct steps_figure *f)
{
	const struct na_value *list = na_get(f->body, M_changes), *v;

	f->changes = na_calloc(list ? list->n + 1 : 1, sizeof(*f->changes));
	v = list && !f->runs_apart ? list->u.of.first : NULL;
	for (; f->changes && v; v = v->next) {
		if (na_text_or(v, M_host, NULL))
			continue;
		f->changes[f->n_changes++] = (struct step_change){
			.at = column_of(f, na_number_or(v, M_step, 0)),
			.from_ms = na_number_at(v, M_from_ms),
			.to_ms = na_number_at(v, M_to_ms),
			.drift = strcmp(na_text_at(v, M_kind), "drift") == 0};
	}
	return f->changes;
}

/* The largest of some hosts over some columns. */
static double cell(const struct steps_figure *f, size_t row, size_t column)
{
	const struct step_rows *m = &f->map;
	double max = NAN;

	for (size_t i = row * m->each;
	     i < (row + 1) * m->each && i < f->n_lines; i++) {
		const double *x = f->lines[i].late;

		for (size_t k = column * m->columns_each;
		     x && k < (column + 1) * m->columns_each && k < f->n; k++)
			max = isfinite(x[k]) && !(max >= x[k]) ? x[k] : max;
	}
	return max;
}

/* A lone slow step must not take the colour from all others: the scale ends
 * at ten times the mean of what is behind, where that is less. */
static double top_of(const struct steps_figure *f)
{
	double max = 0, sum = 0;
	size_t n = 0;

	for (size_t r = 0; r < f->map.rows; r++) {
		for (size_t c = 0; c < f->map.columns; c++) {
			double x = cell(f, r, c);

			if (!(x > 0))
				continue;
			max = fmax(max, x);
			sum += x;
			n++;
		}
	}
	return n ? fmin(max, 10 * sum / (double)n) : 0;
}

static bool build_map(struct steps_figure *f)
{
	struct step_rows *m = &f->map;
	size_t most;

	if (!na_fig_steps_is_map(f) || !f->n)
		return true;
	m->each = (f->n_lines + STEP_ROWS - 1) / STEP_ROWS;
	m->rows = (f->n_lines + m->each - 1) / m->each;
	most = STEP_CELLS / m->rows;
	m->columns_each = (f->n + most - 1) / most;
	m->columns = (f->n + m->columns_each - 1) / m->columns_each;
	m->levels = na_calloc(m->rows * m->columns, 1);
	if (!m->levels)
		return false;
	m->max_ms = top_of(f);
	for (size_t r = 0; r < m->rows; r++) {
		for (size_t c = 0; c < m->columns; c++) {
			double x = cell(f, r, c);
			double at = m->max_ms > 0 ? STEP_LEVELS * x / m->max_ms
						  : 0;

			m->levels[r * m->columns + c] =
				(signed char)(isnan(x) ? STEP_NO_DATA
						       : fmin(rint(at),
							      STEP_LEVELS));
		}
	}
	return true;
}

bool na_fig_steps_read(struct steps_figure *f, const struct na_result *r)
{
	*f = (struct steps_figure){.doc = na_result_get_doc(r),
				   .body = na_result_get_body(r),
				   .result = r,
				   .side = na_result_get_side(r)};
	f->n = (size_t)na_count_at(f->side, M_columns);
	f->first = na_number_or(f->side, M_first, 0);
	f->each = fmax(na_number_or(f->side, M_each, 1), 1);
	f->by_order = na_flag_at(f->side, M_by_order);
	f->launches = na_flag_at(f->side, M_launches);
	f->runs_apart = na_result_get_about(f->result)->runs_apart;
	if (!read_lines(f) || !read_parts(f) || !read_changes(f) ||
	    !build_map(f))
		return false;
	if (!f->n || !f->n_lines)
		f->empty = na_result_get_word(f->result, NA_WORD_EMPTY,
					      "There are no steps.");
	return true;
}

void na_fig_steps_free(struct steps_figure *f)
{
	free(f->lines);
	free(f->mean);
	free(f->changes);
	free(f->map.levels);
}

void na_fig_steps_subtitle(const struct steps_figure *f, struct words *w)
{
	double duration = na_number_at(f->doc, M_duration_s);
	const struct na_value *steps = all_steps(f);
	size_t n = steps ? steps->n : 0;
	char buf[NA_LABEL_BUF];

	na_words_data(f->result, f->runs_apart, w);
	if (!f->empty) {
		na_words_break(w);
		na_words_add(w, "%s %s%s, %s %s%s", na_grouped(f->n_lines),
			     f->runs_apart
				     ? "run"
				     : na_result_get_word(f->result,
							  NA_WORD_HOST, "host"),
			     na_plural(f->n_lines), na_grouped(n),
			     f->launches ? "program launch" : "step",
			     n == 1	   ? ""
			     : f->launches ? "es"
					   : "s");
		if (isfinite(duration))
			na_words_add(w, " in %s",
				     na_label_quantity(buf, NA_Q_SECONDS,
						       duration, 3));
	}
	na_words_coverage(f->result, w);
	na_words_origin(f->doc, w);
}

bool na_fig_steps_is_itself(const struct step_line *x)
{
	return x->cause && strcmp(x->cause, "network") != 0;
}

static const char *does(const struct step_line *x)
{
	return strcmp(x->cause, "late_start") == 0 ? "starts late"
	       : !na_fig_steps_is_itself(x)	   ? "transfers or waits"
						   : x->cause;
}

void na_fig_steps_name(const struct step_line *x, struct words *w)
{
	char number[NA_LABEL_BUF];

	w->n = 0;
	na_words_add(w, "%s", x->name);
	if (x->cause)
		na_words_add(w, ": %s, +%s",
			     does(x),
			     na_label_quantity(number, NA_Q_SECONDS,
					       x->behind_ms / NA_MS_PER_S, 3));
}
