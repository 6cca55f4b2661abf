#include "plot/figures/latency/data.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/result/emit.h"

/* clang-format off */
const char *const na_latency_marks[MARKS] = {
	"min", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"};
static const char *const fields[MARKS] = {
	M_min_us, M_p50_us, M_p90_us, M_p95_us, M_p99_us, M_p99_9_us,
	M_p99_99_us, M_max_us};
/* clang-format on */

const char *na_latency_text(char *buf, double us)
{
	if (!isfinite(us))
		return strcpy(buf, "-");
	return na_label_quantity(buf, NA_Q_SECONDS, us * 1e-6, 3);
}

/* "p99_9" for p99_9_us. */
static bool is_few(const struct na_value *row, const char *field)
{
	const struct na_value *v = na_get(row, M_few_samples);

	v = na_items(v);
	for (; v; v = v->next) {
		const char *s = na_text_of(v, "");

		if (*s && strncmp(s, field, strlen(s)) == 0 &&
		    strcmp(field + strlen(s), "_us") == 0)
			return true;
	}
	return false;
}

void na_latency_group(struct latency_group *g, const struct na_value *row)
{
	*g = (struct latency_group){.row = row};
	g->count = na_count_at(row, M_count);
	for (size_t i = 0; i < MARKS; i++) {
		g->us[i] = na_number_at(row, fields[i]);
		g->few[i] = is_few(row, fields[i]);
	}
	g->curve_us = na_reals_of(na_get(row, M_ccdf_us), &g->n);
	g->share = na_reals_at(row, M_ccdf_share, g->n);
	g->lower_us = na_reals_at(row, M_ccdf_lower_us, g->n);
	g->upper_us = na_reals_at(row, M_ccdf_upper_us, g->n);
	if (!g->curve_us || !g->share)
		g->n = 0;
	na_words_key(g->name, sizeof(g->name), na_get(row, M_key));
}

/* What the axes must hold. */
static void stretch_axis(struct latency *t, const struct latency_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		double us = g->curve_us[i], share = g->share[i];

		if (!(us > 0) || !isfinite(us) || !(share > 0))
			continue;
		t->from_us = fmin(t->from_us, us);
		t->to_us = fmax(t->to_us, us);
		t->least_share = fmin(t->least_share, share);
	}
}

/* More curves would make an SVG pass its size. */
enum { GREY_MAX = 58 };

void na_latency_read(struct latency *t, const struct na_result *r)
{
	*t = (struct latency){.doc = na_result_get_doc(r),
			      .body = na_result_get_body(r),
			      .result = r,
			      .side = na_result_get_side(r),
			      .from_us = INFINITY,
			      .to_us = 0,
			      .least_share = 1};
	na_for_each (v, na_get(t->body, M_groups)) {
		struct latency_group g;

		na_latency_group(&g, v);
		stretch_axis(t, &g);
		if (na_is_rest(v) || t->n_top < NA_TOP_SERIES) {
			t->has_rest = na_is_rest(v);
			t->top[t->n_top++] = g;
			continue;
		}
		t->others = t->others ? t->others : v;
		t->n_others++;
	}
	t->empty = na_result_get_word(t->result, NA_WORD_EMPTY, NULL);
	if (!t->empty && !(t->to_us > 0))
		t->empty = "No transfer took any time here.";
}

size_t na_latency_grey(const struct latency *t)
{
	return t->n_others < GREY_MAX ? t->n_others : GREY_MAX;
}

void na_latency_title(const struct latency *t, struct words *w)
{
	na_words_add(w, "%s",
		     na_result_get_word(t->result, NA_WORD_MESSAGE,
					"Latency of transfers"));
}

void na_latency_subtitle(const struct latency *t, struct words *w)
{
	double s = na_number_at(t->doc, M_duration_s);

	na_words_inputs(t->result, w);
	if (s >= 0) {
		na_words_seconds(s, w);
	}
	na_words_coverage(t->result, w);
	na_words_origin(t->doc, w);
}
