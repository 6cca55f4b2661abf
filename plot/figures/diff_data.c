#include "plot/figures/diff_data.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

#define LEAST_RANGE 0.12 /* of |log|: an eighth either way */
#define MOST_RANGE  13.8 /* a million */

static enum diff_word word_of(const char *verdict)
{
	return strcmp(verdict, "worse") == 0    ? DIFF_WORSE
	       : strcmp(verdict, "better") == 0 ? DIFF_BETTER
	       : strcmp(verdict, "mix") == 0 || strcmp(verdict, "differs") == 0
		       ? DIFF_MIX
	       : strcmp(verdict, "same") == 0 || strcmp(verdict, "unclear") == 0
		       ? DIFF_SAME
		       : DIFF_UNTOLD;
}

static struct diff_series *series_of(struct diff_figure *f, const char *name,
				     size_t n)
{
	struct diff_series *s = f->n ? &f->series[f->n - 1] : NULL;

	if (n >= sizeof(s->name))
		return NULL;
	if (s && strlen(s->name) == n && memcmp(s->name, name, n) == 0)
		return s;
	if (f->n == DIFF_METRICS)
		return NULL;
	s = &f->series[f->n++];
	memcpy(s->name, name, n);
	s->name[n] = '\0';
	s->least = -LEAST_RANGE;
	s->most = LEAST_RANGE;
	return s;
}

static double positive(const struct na_value *v)
{
	double x = na_real_of(v, NAN);

	return x > 0 ? x : (double)NAN;
}

static void hold(struct diff_series *s, double ratio)
{
	double x = log(ratio);

	if (!isfinite(x))
		return;
	x = fmin(MOST_RANGE, fmax(-MOST_RANGE, x));
	s->least = fmin(s->least, x);
	s->most = fmax(s->most, x);
}

/* An interval counts as far as it is not much wider than what was found. */
static void stretch_series(struct diff_series *s)
{
	double wide, more;

	for (size_t i = 0; i < s->n; i++) {
		hold(s, s->points[i].ratio);
		hold(s, s->points[i].equal);
	}
	wide = exp(s->most - s->least);
	for (size_t i = 0; i < s->n; i++) {
		const struct diff_point *p = &s->points[i];

		if (isnan(p->lo))
			continue;
		hold(s, fmax(p->lo, p->ratio / wide));
		hold(s, fmin(p->hi, p->ratio * wide));
	}
	more = 0.06 * (s->most - s->least);
	s->least -= more;
	s->most += more;
}

static void read_row(struct diff_figure *f, const struct na_value *row)
{
	const char *name = na_text_at(row, M_name);
	const char *dot = strchr(name, '.');
	struct diff_series *s = dot ? series_of(f, name, (size_t)(dot - name))
				    : NULL;
	struct diff_point *p;
	const double *ci;
	size_t n;

	if (!s || s->n == DIFF_POINTS)
		return;
	s->unit = na_text_at(row, M_unit);
	p = &s->points[s->n++];
	*p = (struct diff_point){
		.row = dot + 1,
		.a = na_number_at(row, M_a),
		.b = na_number_at(row, M_b),
		.ratio = positive(na_get(row, M_ratio)),
		.lo = NAN,
		.hi = NAN,
		.equal = positive(na_dig(row, M_at_equal_mix "." M_ratio)),
		.word = word_of(na_text_at(row, M_verdict)),
		.mean = strcmp(dot + 1, "mean") == 0,
	};
	ci = na_reals_of(na_get(row, M_ratio_ci95), &n);
	if (ci && n == 2 && ci[0] > 0 && ci[1] >= ci[0] && isfinite(ci[1])) {
		p->lo = ci[0];
		p->hi = ci[1];
	}
	s->ratios |= isfinite(p->ratio);
	s->equal |= isfinite(p->equal);
}

void na_diff_read(struct diff_figure *f, const struct na_result *r)
{
	*f = (struct diff_figure){.body = na_result_get_body(r), .result = r};
	f->label_a = na_text_or(f->body, M_label_a, "A");
	f->label_b = na_text_or(f->body, M_label_b, "B");
	na_for_each (v, na_get(f->body, M_metrics))
		read_row(f, v);
	na_for_each (v, na_get(f->body, M_compared)) {
		const char *name = na_text_at(v, M_name);

		for (size_t i = 0; i < f->n; i++) {
			if (strcmp(f->series[i].name, name) == 0)
				f->series[i].verdict = na_text_or(v, M_verdict,
								  "too few");
		}
	}
	for (size_t i = 0; i < f->n; i++)
		stretch_series(&f->series[i]);
	f->empty = na_result_get_word(f->result, NA_WORD_EMPTY, NULL);
	if (!f->empty && !f->n)
		f->empty = "Nothing here can be compared.";
}

void na_diff_title(const struct diff_figure *f, struct words *w)
{
	const char *message = na_result_get_word(
		f->result, NA_WORD_MESSAGE, "What changed between two runs");

	/* What changed by how much stands over the plots. */
	na_words_add(w, "%s",
		     na_result_get_word(f->result, NA_WORD_TITLE, message));
}

void na_diff_subtitle(const struct diff_figure *f, struct words *w)
{
	na_words_add(w, "%s: ", f->label_a);
	na_words_run(f->result, f->label_a, w);
	na_words_add(w, ", %s: ", f->label_b);
	na_words_run(f->result, f->label_b, w);
	na_words_break(w);
	na_words_add(w, "%lld resamples of steps, seed %lld",
		     (long long)na_count_at(f->body,
					    M_bootstrap "." M_resamples),
		     (long long)na_count_at(f->body, M_bootstrap "." M_seed));
	na_words_coverage(f->result, w);
}

const char *na_diff_row_name(char buf[16], const struct diff_point *p)
{
	snprintf(buf, 16, "%s", p->row);
	for (char *c = buf; *c; c++)
		*c = *c == '_' ? '.' : *c;
	return buf;
}

static const struct diff_point *find(const struct diff_series *s,
				     const char *row, bool changed)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->points[i].row, row) == 0 &&
		    (!changed || s->points[i].word > DIFF_SAME))
			return &s->points[i];
	}
	return NULL;
}

static const char *value_text(char *buf, const struct diff_series *s, double x)
{
	if (strcmp(s->unit, "bytes") == 0)
		return na_label_quantity(buf, NA_Q_BYTES, x, 3);
	if (strcmp(s->unit, "gbps") == 0)
		return na_label_quantity(buf, NA_Q_RATE, x * NA_GIGA, 3);
	return na_label_quantity(buf, NA_Q_SECONDS,
				 strcmp(s->unit, "ms") == 0 ? x * 1e-3
							    : x * 1e-6,
				 3);
}

void na_diff_header(const struct diff_series *s, struct words *w)
{
	static const char *const rows[] = {"p50", "mean", "p99", "p90"};
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF], name[16];
	const struct diff_point *p = NULL;

	na_words_add(w, "%s", s->verdict ? s->verdict : "too few");
	for (size_t i = 0; !p && i < NA_LEN(rows); i++)
		p = find(s, rows[i], true);
	p = p ? p : find(s, "p50", false);
	if (p)
		na_words_add(w, "; %s %s to %s", na_diff_row_name(name, p),
			     value_text(a, s, p->a), value_text(b, s, p->b));
}
