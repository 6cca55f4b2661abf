#include "plot/figures/timeline/data.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/canvas.h"
#include "plot/scale.h"

#define NAME_MAX_BYTES 240 /* of a series, before its share */

/* A capacity this many times the peak is told, not drawn: it would press
 * the data flat. */
#define FAR_CAPACITY 3

/* The same, but NULL when nothing in it is above zero. */
static const double *amounts(const struct timeline *t, const char *name)
{
	const double *x = na_reals_at(t->body, name, t->n);

	for (size_t i = 0; x && i < t->n; i++) {
		if (isfinite(x[i]) && x[i] > 0)
			return x;
	}
	return NULL;
}

static void read_time(struct timeline *t)
{
	static const char *const lengths[] = {M_time_s, M_rx_gbps, M_tx_gbps,
					      M_pending};
	const double *time_s;
	size_t n_time;

	for (size_t i = 0; i < 4 && !t->n; i++)
		na_reals_of(na_get(t->body, lengths[i]), &t->n);
	time_s = na_reals_of(na_get(t->body, M_time_s), &n_time);
	t->bin_s = na_number_or(t->body, M_bin_s, 0);
	t->from_s = time_s && n_time && isfinite(time_s[0]) ? time_s[0] : 0;
	if (!(t->bin_s > 0) || !isfinite(t->bin_s))
		t->bin_s = n_time > 1 && time_s[1] > time_s[0]
				   ? time_s[1] - time_s[0]
				   : 1;
	t->to_s = t->from_s + t->bin_s * (double)t->n;
	if (!t->n)
		t->to_s = na_number_or(t->doc, M_duration_s, 0);
	t->has_time = t->to_s > t->from_s && isfinite(t->to_s - t->from_s);
	if (!t->has_time)
		t->to_s = t->from_s + fmax(1, fabs(t->from_s) * 1e-6);
}

static double number(const struct timeline *t, const char *name)
{
	double x = na_number_at(t->body, name);

	return isfinite(x) ? x : NAN;
}

static void read_amounts(struct timeline *t)
{
	t->gbps[RX] = amounts(t, M_rx_gbps);
	t->gbps[TX] = amounts(t, M_tx_gbps);
	t->outstanding[RX] = amounts(t, M_rx_outstanding_bytes);
	t->outstanding[TX] = amounts(t, M_tx_outstanding_bytes);
	t->pending = amounts(t, M_pending);
	t->pending_max = na_reals_at(t->body, M_pending_max, t->n);
	t->peak_gbps[RX] = number(t, M_rx_peak_gbps);
	t->peak_gbps[TX] = number(t, M_tx_peak_gbps);
	t->mean_gbps[RX] = number(t, M_rx_mean_gbps);
	t->mean_gbps[TX] = number(t, M_tx_mean_gbps);
	t->runs_apart = na_result_get_about(t->result)->runs_apart;
	t->hosts = na_count_at(t->side, M_hosts);
	t->host_capacity_gbps = number(t, M_capacity_gbps);
	if (!(t->host_capacity_gbps > 0))
		t->host_capacity_gbps = NAN;
	t->part_limited = na_result_get_about(t->result)->part_limited;
	t->capacity_gbps =
		t->part_limited ? (double)NAN
				: t->host_capacity_gbps *
					  (t->hosts > 1 ? (double)t->hosts : 1);
	t->pending_of = na_text_or(t->body, M_pending_of, "transfers");
	t->packets = strncmp(na_result_get_word(t->result, NA_WORD_NOUN, ""),
			     "packet", 6) == 0;
	t->empty = na_result_get_word(t->result, NA_WORD_EMPTY, NULL);
	if (!t->empty && !t->gbps[RX] && !t->gbps[TX] && !t->pending &&
	    !t->outstanding[RX] && !t->outstanding[TX])
		t->empty = "No transfer moved any bytes here.";
}

static double side_bytes(const struct na_value *s, enum side side)
{
	static const char *const names[] = {M_rx_bytes, M_tx_bytes};
	double x = na_number_or(s, names[side], 0);

	return isfinite(x) && x > 0 ? x : 0;
}

static double series_bytes(const struct na_value *s)
{
	double sum = side_bytes(s, RX) + side_bytes(s, TX);

	return isfinite(sum) ? sum : 0;
}

static bool series_add(struct timeline_series *to, const struct na_value *s,
		       size_t bins)
{
	static const char *const names[] = {M_rx_gbps, M_tx_gbps};

	for (enum side side = RX; side <= TX; side++) {
		size_t n;
		const double *x = na_reals_of(na_get(s, names[side]), &n);

		to->side_bytes[side] += side_bytes(s, side);
		if (!x)
			continue;
		if (!to->rate[side])
			to->rate[side] = na_calloc(bins, sizeof(double));
		if (!to->rate[side])
			return false;
		for (size_t i = 0; i < n && i < bins; i++)
			to->rate[side][i] += isfinite(x[i]) ? x[i] * NA_GIGA
							    : 0;
	}
	to->bytes += series_bytes(s);
	return true;
}

/* Keeps the largest by bytes, first come first. */
static void choose(const struct na_value **top, size_t *n,
		   const struct na_value *s)
{
	double bytes = series_bytes(s);
	size_t i;

	if (*n < NA_TOP_SERIES)
		i = (*n)++;
	else if (series_bytes(top[NA_TOP_SERIES - 1]) < bytes)
		i = NA_TOP_SERIES - 1;
	else
		return;
	for (; i > 0 && series_bytes(top[i - 1]) < bytes; i--)
		top[i] = top[i - 1];
	top[i] = s;
}

/* The legend says how much of the bytes each one has moved. */
static void add_shares(struct timeline *t)
{
	for (size_t i = 0; i < t->n_series; i++) {
		struct timeline_series *s = &t->series[i];
		size_t n = strlen(s->name);
		char share[NA_LABEL_BUF];

		if (t->series_bytes > 0)
			snprintf(s->name + n, sizeof(s->name) - n, " %s",
				 na_timeline_share(share,
						   s->bytes / t->series_bytes));
	}
}

/* What is left over is one more series. */
static void name_rest(struct timeline *t)
{
	struct timeline_series *rest = &t->series[t->n_series];

	if (t->others_unknown)
		snprintf(rest->name, sizeof(rest->name), "the rest");
	else if (t->others > 1)
		snprintf(rest->name, sizeof(rest->name), "%zu others",
			 t->others);
	t->has_rest = t->others > 0;
	t->n_series += t->has_rest;
	add_shares(t);
}

static bool read_series(struct timeline *t, const struct na_value *list)
{
	const struct na_value *top[NA_TOP_SERIES], *s;
	struct timeline_series *rest;
	size_t n = 0, others = 0;
	bool unknown = false; /* how many the analysis has added up */

	s = na_items(list);
	for (const struct na_value *i = s; i; i = i->next) {
		t->series_bytes += series_bytes(i);
		if (!na_is_rest(i))
			choose(top, &n, i);
	}
	for (size_t i = 0; i < n; i++) {
		na_words_key(t->series[i].name, NAME_MAX_BYTES,
			     na_get(top[i], M_key));
		if (!series_add(&t->series[i], top[i], t->n))
			return false;
	}
	rest = &t->series[n];
	for (; s; s = s->next) {
		bool chosen = false;

		for (size_t i = 0; i < n; i++)
			chosen = chosen || top[i] == s;
		if (chosen)
			continue;
		others++;
		unknown = unknown || na_is_rest(s);
		if (t->runs_apart)
			continue;
		if (!series_add(rest, s, t->n))
			return false;
		na_words_key(rest->name, NAME_MAX_BYTES, na_get(s, M_key));
	}
	t->others = others;
	t->others_unknown = unknown;
	t->n_series = n;
	if (!t->runs_apart)
		name_rest(t);
	return true;
}

enum na_status na_timeline_read(struct timeline *t, const struct na_result *r,
				struct na_err *err)
{
	*t = (struct timeline){.doc = na_result_get_doc(r),
			       .body = na_result_get_body(r),
			       .result = r,
			       .side = na_result_get_side(r)};
	read_time(t);
	read_amounts(t);
	if (t->empty)
		return NA_OK;
	if (!read_series(t, na_get(t->body, M_series))) {
		na_timeline_fini(t);
		return na_fail_nomem(err);
	}
	if (t->runs_apart && !t->n_series)
		t->empty = "The result does not say which run is which.";
	return NA_OK;
}

void na_timeline_fini(struct timeline *t)
{
	for (size_t i = 0; i <= NA_TOP_SERIES; i++) {
		for (enum side side = RX; side <= TX; side++) {
			free(t->series[i].rate[side]);
			t->series[i].rate[side] = NULL;
		}
	}
}

double na_timeline_top(const struct timeline *t, enum side side)
{
	double top = 0;

	if (!t->runs_apart)
		return na_largest(t->gbps[side], t->n);
	for (size_t i = 0; i < t->n_series; i++)
		top = fmax(top, na_largest(t->series[i].rate[side], t->n));
	return top / NA_GIGA;
}

bool na_timeline_draws_capacity(const struct timeline *t)
{
	double peak = fmax(na_timeline_top(t, RX), na_timeline_top(t, TX));

	return !isnan(t->capacity_gbps) &&
	       (peak == 0 || t->capacity_gbps <= FAR_CAPACITY * peak);
}

bool na_timeline_has_gaps(const struct timeline *t)
{
	bool any = false;

	for (enum side side = RX; side <= TX; side++) {
		for (size_t i = 0; t->gbps[side] && i < t->n; i++)
			any |= isnan(t->gbps[side][i]);
	}
	return any && !t->runs_apart;
}

void na_timeline_capacity(const struct timeline *t, struct words *w)
{
	char buf[NA_LABEL_BUF];

	na_words_add(w, "capacity ");
	if (t->hosts > 1)
		na_words_add(w, "%" PRId64 " \xc3\x97 ", t->hosts);
	na_words_add(w, "%s", na_timeline_rate(buf, t->host_capacity_gbps));
	if (t->runs_apart)
		na_words_add(w, " for one run");
}

const char *na_timeline_rate(char *buf, double gbps)
{
	return na_label_quantity(buf, NA_Q_RATE, gbps * NA_GIGA, 3);
}

const char *na_timeline_share(char *buf, double share)
{
	double percent = share * 100;

	if (percent > 0 && percent < 1)
		return strcpy(buf, "under 1 %");
	if (percent > 99 && percent < 100)
		return strcpy(buf, "over 99 %");
	snprintf(buf, NA_LABEL_BUF, "%d %%", (int)lround(percent));
	return buf;
}

void na_timeline_title(const struct timeline *t, struct words *w)
{
	const char *message = na_result_get_word(t->result, NA_WORD_MESSAGE,
						 NULL);
	enum side side = t->gbps[RX] || !t->gbps[TX] ? RX : TX;
	char buf[NA_LABEL_BUF];

	if (message && *message) {
		na_words_add(w, "%s", message);
		return;
	}
	if (t->runs_apart && !t->empty) {
		na_words_add(w, "Throughput of runs side by side");
		return;
	}
	na_words_add(w, "%s throughput", side == RX ? "Receive" : "Send");
	if (t->hosts > 0)
		na_words_add(w, ", %" PRId64 " %s%s", t->hosts,
			     na_result_get_word(t->result, NA_WORD_HOST,
						"host"),
			     na_plural(t->hosts));
	if (t->empty) {
		na_words_add(w, ": nothing to draw");
		return;
	}
	if (!isnan(t->mean_gbps[side]))
		na_words_add(w, ": %s mean",
			     na_timeline_rate(buf, t->mean_gbps[side]));
	if (!isnan(t->peak_gbps[side]))
		na_words_add(w, ", %s peak",
			     na_timeline_rate(buf, t->peak_gbps[side]));
}

void na_timeline_subtitle(const struct timeline *t, struct words *w)
{
	const char *given = na_result_get_word(t->result, NA_WORD_SUBTITLE,
					       NULL);
	const char *anchor = na_text_at(t->doc, M_anchor);
	char buf[NA_LABEL_BUF];

	if (given && *given) {
		na_words_add(w, "%s", given);
		return;
	}
	na_words_data(t->result, t->runs_apart, w);
	if (t->hosts > 0) {
		na_words_break(w);
		na_words_add(w, "%s%" PRId64 " %s%s%s",
			     t->runs_apart ? "up to " : "", t->hosts,
			     na_result_get_word(t->result, NA_WORD_HOST,
						"host"),
			     na_plural(t->hosts), t->runs_apart ? " each" : "");
	}
	na_words_seconds(na_real_of(na_get(t->doc, M_duration_s),
				    t->to_s - t->from_s),
			 w);
	na_words_coverage(t->result, w);
	if (*anchor && !na_result_get_about(t->result)->anchor_idle)
		na_words_add(w, " \xc2\xb7 anchor %.24s", anchor);
	if (!isnan(t->host_capacity_gbps))
		na_words_add(w, " \xc2\xb7 capacity %s per host%s",
			     na_timeline_rate(buf, t->host_capacity_gbps),
			     t->part_limited ? ", of what passes between hosts"
					     : "");
	na_words_origin(t->doc, w);
}
