#include "plot/figures/timeline/each_data.h"
#include "members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "plot/scale.h"

#define DIFFERS    1.2  /* less is no word worth */
#define MUCH       1.5  /* worth a word in the title */
#define NEXT_TO_NOTHING 2e-3
#define MEDIAN_MAX 2048 /* of so many it is that of all, to a pixel */

static const char *const keys[] = {M_host, M_device, M_src, M_dst, M_pair};

static const char *key_of(const struct timeline *t)
{
	const struct na_value *first = na_items(na_get(t->body, M_series));
	const struct na_value *key = na_get(first, M_key);

	if (!key || key->kind != NA_V_OBJECT || key->n != 1)
		return NULL;
	for (size_t i = 0; i < NA_LEN(keys); i++) {
		if (strcmp(key->u.of.first->name, keys[i]) == 0)
			return keys[i];
	}
	return NULL;
}

bool na_timeline_by_each(const struct timeline *t)
{
	return !t->runs_apart && !t->empty && key_of(t);
}

const double *na_timeline_each_rate(const struct each *e,
				    const struct each_row *row, enum side side)
{
	return na_reals_at(row->series, side == RX ? M_rx_gbps : M_tx_gbps,
			   e->t->n);
}

/* The time that a constant rate of its mean square would take, as a share:
 * a few bins of next to nothing do not count as use. */
static double time_in_use(const double *rate, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		if (isfinite(rate[i]) && rate[i] > 0) {
			sum += rate[i];
			squares += rate[i] * rate[i];
		}
	}
	return squares > 0 ? sum / squares * sum / (double)n : 0;
}

static void read_row(struct each *e, const struct na_value *series)
{
	static const char *const bytes[] = {M_rx_bytes, M_tx_bytes};
	struct each_row *row = &e->rows[e->n++];

	row->series = series;
	row->ratio = 1;
	for (size_t i = 0; i < NA_LEN(row->times); i++)
		row->times[i][RX] = row->times[i][TX] = 1;
	na_words_key(row->name, sizeof(row->name), na_get(series, M_key));
	for (enum side side = RX; side <= TX; side++) {
		const double *rate = na_timeline_each_rate(e, row, side);

		row->of[EACH_BYTES][side] = na_number_or(series, bytes[side],
							 0);
		e->has[side] |= row->of[EACH_BYTES][side] > 0;
		if (rate)
			row->of[EACH_TIME][side] = time_in_use(rate, e->t->n);
	}
}

static bool read_rows(struct each *e)
{
	const struct na_value *list = na_get(e->t->body, M_series);

	e->rows = na_calloc(list->n, sizeof(*e->rows));
	if (!e->rows)
		return false;
	na_for_each (v, list) {
		if (na_is_rest(v))
			e->more = true;
		else
			read_row(e, v);
	}
	return true;
}

/* Regions name hosts. */
static void read_saturated(struct each *e)
{
	na_for_each (v, na_get(e->t->body, M_saturated)) {
		double s = na_number_at(v, M_to_s) - na_number_at(v, M_from_s);
		const char *host = na_text_at(v, M_host);
		enum side side = strcmp(na_text_at(v, M_side), "tx") == 0 ? TX
									  : RX;

		for (size_t i = 0; i < e->n; i++) {
			if (s > 0 && strcmp(e->rows[i].name, host) == 0)
				e->rows[i].saturated_s[side] += s;
		}
	}
}

NA_ORDER(by_value, double, NA_CMP(*x, *y))

static double median_of(double *x, size_t n)
{
	na_sort(x, n, by_value);
	return n ? (x[(n - 1) / 2] + x[n / 2]) / 2 : 0;
}

/* Each row's largest distance from the median one. */
static bool compare(struct each *e)
{
	double *x = na_calloc(e->n, sizeof(*x));

	for (enum each_way way = EACH_BYTES; x && way < EACH_WAYS; way++) {
		for (enum side side = RX; side <= TX; side++) {
			double median;

			for (size_t i = 0; i < e->n; i++)
				x[i] = e->rows[i].of[way][side];
			median = median_of(x, e->n);
			for (size_t i = 0; median > 0 && i < e->n; i++) {
				struct each_row *row = &e->rows[i];
				double ratio = fmax(row->of[way][side] / median,
						    1e-3);

				row->times[way][side] = ratio;
				if (fabs(log(ratio)) <= fabs(log(row->ratio)))
					continue;
				row->ratio = ratio;
				row->way = way;
				row->side = side;
			}
		}
	}
	free(x);
	return x != NULL;
}

static double saturated_s(const struct each_row *row)
{
	return row->saturated_s[RX] + row->saturated_s[TX];
}

static bool differs(const struct each_row *row)
{
	return fabs(log(row->ratio)) >= log(DIFFERS);
}

static bool differs_much(const struct each_row *row)
{
	return fabs(log(row->ratio)) >= log(MUCH);
}

/* Who is a little faster than others, or moves a little more, differs, and that
 * is all. */
bool na_timeline_each_suspect(const struct each_row *row)
{
	bool longer = row->way == EACH_TIME && row->ratio > 1;

	return saturated_s(row) > 0 || differs_much(row) ||
	       (longer && differs(row));
}

/* How far, where it is worth a word: the others are as the input has them. */
static double far(const struct each_row *row)
{
	return differs(row) ? fabs(log(row->ratio)) : 0;
}

NA_ORDER(worst_first, struct each_row, NA_CMP(saturated_s(y), saturated_s(x)),
	 NA_CMP(far(y), far(x)), na_natural_order(x->name, y->name))

/* By bin, of the rows from `from` on. */
static bool median_course(const struct each *e, size_t from, enum side side,
			  double **out)
{
	size_t n = e->n - from, step = 1 + n / MEDIAN_MAX;
	const double **rates = na_calloc(n / step + 1, sizeof(*rates));
	double *x = na_calloc(n / step + 1, sizeof(*x));
	size_t rows = 0;

	*out = na_calloc(e->t->n, sizeof(**out));
	for (size_t i = from; rates && i < e->n; i += step) {
		const double *rate = na_timeline_each_rate(e, &e->rows[i],
							   side);

		if (rate)
			rates[rows++] = rate;
	}
	for (size_t k = 0; x && *out && rates && k < e->t->n; k++) {
		for (size_t i = 0; i < rows; i++)
			x[i] = isfinite(rates[i][k]) ? rates[i][k] : 0;
		(*out)[k] = median_of(x, rows);
	}
	free(rates);
	free(x);
	return *out && rates && x;
}

static bool read_medians(struct each *e)
{
	bool rest = e->shown < e->n, ok = true;

	for (enum side side = RX; ok && side <= TX; side++) {
		ok = median_course(e, 0, side, &e->median[side]) &&
		     (!rest ||
		      median_course(e, e->shown, side, &e->rest[side]));
		e->top_gbps = fmax(e->top_gbps,
				   na_largest(e->median[side], e->t->n));
		for (size_t i = 0; i < e->shown; i++)
			e->top_gbps = fmax(
				e->top_gbps,
				na_largest(na_timeline_each_rate(e, &e->rows[i],
								 side),
					   e->t->n));
	}
	return ok;
}

/* All rows, the worst first. */
static enum na_status rank_rows(struct each *e, const struct timeline *t,
				struct na_err *err)
{
	*e = (struct each){.t = t, .one = key_of(t)};
	e->by_host = strcmp(e->one, M_host) == 0;
	if (e->by_host)
		e->one = na_result_get_word(t->result, NA_WORD_HOST, e->one);
	if (!read_rows(e) || !compare(e))
		return na_fail_nomem(err);
	read_saturated(e);
	na_sort(e->rows, e->n, worst_first);
	return NA_OK;
}

enum na_status na_timeline_each_worst(const struct timeline *t, struct words *w,
				      struct na_err *err)
{
	struct each e;
	enum na_status st = rank_rows(&e, t, err);
	const struct each_row *row = e.rows;

	if (st == NA_OK && e.n > 2 && differs_much(row)) {
		struct words what = {.n = 0};

		na_timeline_each_words(&e, row, &what);
		na_words_add(w, "; %s %s", row->name, what.text);
	}
	na_timeline_free_each(&e);
	return st;
}

enum na_status na_timeline_read_each(struct each *e, const struct timeline *t,
				     struct na_err *err)
{
	enum na_status st = rank_rows(e, t, err);

	if (st != NA_OK)
		return st;
	e->shown = e->n <= EACH_PANELS ? e->n : EACH_PANELS - 1;
	return read_medians(e) ? NA_OK : na_fail_nomem(err);
}

void na_timeline_free_each(struct each *e)
{
	for (enum side side = RX; side <= TX; side++) {
		free(e->median[side]);
		free(e->rest[side]);
	}
	free(e->rows);
	*e = (struct each){.n = 0};
}

/* Of each side its own: both may be at capacity at once. */
static void saturated_words(const struct each_row *row, struct words *w)
{
	char rx[NA_LABEL_BUF], tx[NA_LABEL_BUF];

	na_label_quantity(rx, NA_Q_SECONDS, row->saturated_s[RX], 3);
	na_label_quantity(tx, NA_Q_SECONDS, row->saturated_s[TX], 3);
	if (row->saturated_s[RX] > 0 && row->saturated_s[TX] > 0)
		na_words_add(w, "rx %s, tx %s at capacity", rx, tx);
	else if (row->saturated_s[RX] > 0)
		na_words_add(w, "rx %s at capacity", rx);
	else
		na_words_add(w, "tx %s at capacity", tx);
}

/* What it does on one side, or on both alike. */
static void verb_words(const struct each_row *row, struct words *w)
{
	static const char *const verbs[] = {"receives", "sends"};
	double other = row->times[row->way][!row->side];
	bool alike = fabs(log(other)) >= log(DIFFERS) &&
		     (other > 1) == (row->ratio > 1) &&
		     (other <= NEXT_TO_NOTHING) ==
			     (row->ratio <= NEXT_TO_NOTHING);
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF];

	na_label_short(a, row->times[row->way][RX], 2);
	na_label_short(b, row->times[row->way][TX], 2);
	na_words_add(w, "%s%s ", w->n ? "; " : "",
		     alike ? "receives and sends" : verbs[row->side]);
	if (row->ratio <= NEXT_TO_NOTHING) {
		na_words_add(w, "next to nothing");
		return;
	}
	na_words_add(w, "%s", row->way == EACH_TIME ? "for " : "");
	if (alike && strcmp(a, b) != 0)
		na_words_add(w, "%sx and %sx", a, b);
	else
		na_words_add(w, "%sx", row->side == RX ? a : b);
	na_words_add(w, " the median's %s",
		     row->way == EACH_BYTES ? "bytes" : "time");
}

void na_timeline_each_words(const struct each *e, const struct each_row *row,
			    struct words *w)
{
	if (saturated_s(row) > 0)
		saturated_words(row, w);
	if (differs(row) && e->n >= 3)
		verb_words(row, w);
}
