#include "plot/figures/bursts/data.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>

#include "netan/base/units.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

double na_bursts_real(const struct bursts *b, const char *path)
{
	double x = na_number_at(b->body, path);

	return isfinite(x) ? x : NAN;
}

static void read_time(struct bursts *b)
{
	const double *t = na_reals_of(na_get(b->body, M_time_s), &b->n);

	b->bin_s = na_number_or(b->body, M_bin_s, 0);
	if (!t || !b->n || !isfinite(t[0]) || !(b->bin_s > 0) ||
	    !isfinite(b->bin_s * (double)b->n))
		b->n = 0;
	b->from_s = b->n ? t[0] : 0;
	b->to_s = b->from_s + (b->n ? b->bin_s * (double)b->n : 1);
	/* Far from the origin a tiny span is lost in rounding. */
	if (!(b->to_s > b->from_s))
		b->n = 0;
	if (!b->n)
		b->to_s = b->from_s + fmax(1, fabs(b->from_s) * 1e-6);
}

/* The first ones: they have the most bytes. */
static void read_groups(struct bursts *b)
{
	na_for_each (v, na_get(b->body, M_groups)) {
		struct bursts_group *g = &b->groups[b->n_groups];
		const double *mean = na_reals_at(v, M_pending_mean, b->n);

		if (b->n_groups == NA_TOP_SERIES || !mean || na_is_rest(v)) {
			b->more_groups++;
			b->has_rest |= na_is_rest(v);
			continue;
		}
		b->n_groups++;
		na_words_key(g->name, sizeof(g->name), na_get(v, M_key));
		g->mean = mean;
		g->time_mean = na_number_at(v, M_pending "." M_time_mean);
		b->groups_top = fmax(b->groups_top, na_largest(mean, b->n));
	}
}

void na_bursts_read(struct bursts *b, const struct na_result *r)
{
	*b = (struct bursts){.doc = na_result_get_doc(r),
			     .body = na_result_get_body(r),
			     .result = r,
			     .side = na_result_get_side(r)};
	read_time(b);
	b->mean = na_reals_at(b->body, M_pending_mean, b->n);
	b->least = na_reals_at(b->body, M_pending_min, b->n);
	b->most = na_reals_at(b->body, M_pending_max, b->n);
	b->top =
		fmax(fmax(na_largest(b->mean, b->n), na_largest(b->most, b->n)),
		     na_bursts_real(b, M_pending "." M_max));
	b->pending_of = na_text_or(b->body, M_pending_of, "transfers");
	b->runs_apart = na_result_get_about(b->result)->runs_apart;
	b->empty = na_result_get_word(b->result, NA_WORD_EMPTY, NULL);
	if (b->empty)
		return;
	if (b->n)
		read_groups(b);
	if (!b->n || (!b->runs_apart && !(b->top > 0)))
		b->empty = "Nothing was pending for any time here.";
	else if (b->runs_apart && !b->n_groups)
		b->empty = "The result does not say which run is which.";
}

void na_bursts_title(const struct bursts *b, struct words *w)
{
	const char *message = na_result_get_word(b->result, NA_WORD_MESSAGE,
						 "");
	char mean[NA_LABEL_BUF], max[NA_LABEL_BUF];

	if (*message) {
		na_words_add(w, "%s", message);
		return;
	}
	na_words_add(w, "Pending %.40s", b->pending_of);
	if (!b->empty)
		na_words_add(w, ": %s on average, up to %s",
			     na_label_short(mean,
					    na_bursts_real(b, M_pending
							   "." M_time_mean),
					    3),
			     na_label_short(max,
					    na_bursts_real(b,
							   M_pending "." M_max),
					    6));
}

/* "burstiness 0.47, dispersion 2.2 in 1 ms, 5.6 in 10 ms" */
static void add_arrivals(const struct bursts *b, struct words *w)
{
	double burstiness = na_bursts_real(b, M_burstiness);
	bool first = true;
	char buf[NA_LABEL_BUF];

	if (!isnan(burstiness)) {
		na_words_break(w);
		na_words_add(w, "burstiness %s",
			     na_label_short(buf, burstiness, 2));
	}
	na_for_each (v, na_get(b->body, M_dispersion)) {
		double idc = na_number_at(v, M_idc);
		int64_t ms = na_count_at(v, M_window_ms);

		if (!isfinite(idc))
			continue;
		if (first)
			na_words_break(w);
		na_words_add(w, "%s%s in %" PRId64 " ms",
			     first ? "dispersion " : ", ",
			     na_label_short(buf, idc, 3), ms);
		first = false;
	}
}

static void add_period(const struct bursts *b, struct words *w)
{
	double period = na_bursts_real(b, M_burst_period_ms);
	double step = na_bursts_real(b, M_step_period_ms);
	char buf[NA_LABEL_BUF];

	if (!isnan(period)) {
		na_words_break(w);
		na_words_add(w, "repeats every %s",
			     na_label_quantity(buf, NA_Q_SECONDS, period / 1e3,
					       3));
	}
	if (!isnan(step)) {
		na_words_break(w);
		na_words_add(w, "a step takes %s",
			     na_label_quantity(buf, NA_Q_SECONDS, step / 1e3,
					       3));
	}
}

void na_bursts_subtitle(const struct bursts *b, struct words *w)
{
	const char *given = na_result_get_word(b->result, NA_WORD_SUBTITLE, "");

	if (*given) {
		na_words_add(w, "%s", given);
		return;
	}
	na_words_data(b->result, b->runs_apart, w);
	na_words_seconds(na_real_of(na_get(b->doc, M_duration_s),
				    b->to_s - b->from_s),
			 w);
	na_words_coverage(b->result, w);
	if (!b->runs_apart) {
		add_arrivals(b, w);
		add_period(b, w);
	}
	na_words_origin(b->doc, w);
}
