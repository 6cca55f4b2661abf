/* timeline: what a person sees in a terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/timeline/timeline.h"

/* Columns as they are shown: rates in a unit that fits them, and of packets
 * that were only received, as all are without --host, no second side. */
enum { SHOWN_MAX = 16 };
struct shown {
	struct na_column cols[SHOWN_MAX];
	char headers[SHOWN_MAX][64];
	size_t n;
	const char *unit;
	double scale; /* of Gbit/s */
	bool wire;    /* no second side */
	bool whole;   /* and the first is all, not what one group received */
};

static void choose_unit(struct shown *x, const struct na_value *body,
			const struct tl_state *s)
{
	double rx = na_real_of(na_get(body, M_rx_peak_gbps), NAN);
	double tx = na_real_of(na_get(body, M_tx_peak_gbps), NAN);
	double peak = fmax(rx, tx);

	*x = (struct shown){.unit = "Gbit/s", .scale = 1};
	if (peak > 0 && peak < 1e-3)
		x->unit = "kbit/s", x->scale = 1e6;
	else if (peak > 0 && peak < 0.1)
		x->unit = "Mbit/s", x->scale = 1e3;
	x->wire = s->packets && s->packets == s->scope->used->n &&
		  !s->n_side[1];
	x->whole = x->wire;
}

/* "rx mean, Gbit/s" to "mean, Mbit/s". */
static void show(struct shown *x, const struct na_column *cols, size_t n,
		 bool rates)
{
	for (size_t i = 0; i < n && x->n < SHOWN_MAX; i++) {
		const char *h = cols[i].header, *unit;
		char *to = x->headers[x->n];

		if (x->wire && strncmp(cols[i].field, "tx", 2) == 0)
			continue;
		if (x->whole && strncmp(h, "rx ", 3) == 0)
			h += 3;
		unit = rates ? strstr(h, "Gbit/s") : NULL;
		if (x->whole && strncmp(h, "received", 8) == 0)
			snprintf(to, 64, "on the wire%s", h + 8);
		else if (unit)
			snprintf(to, 64, "%.*s%s%s", (int)(unit - h), h,
				 x->unit, unit + 6);
		else
			snprintf(to, 64, "%s", h);
		x->cols[x->n] = cols[i];
		x->cols[x->n].header = to;
		if (unit || (rates && strcmp(h, "peak") == 0))
			x->cols[x->n].scale = x->scale;
		x->n++;
	}
}

/* Ten to twenty lines that show the course of the run in a terminal. */
static struct na_value *coarse(struct na_result *r, const struct na_value *body,
			       const struct tl_state *s)
{
	struct na_value *list = na_put_list(r, na_result_side(r), "coarse");
	const double *rx = na_reals_of(na_get(body, M_rx_gbps), NULL);
	const double *tx = na_reals_of(na_get(body, M_tx_gbps), NULL);
	const double *most = na_reals_of(na_get(body, M_pending_max), NULL);
	size_t n = s->bins.n, rows = n < 20 ? n : 20;

	for (size_t i = 0; rx && tx && most && i < rows; i++) {
		size_t from = i * n / rows, to = (i + 1) * n / rows;
		struct na_value *row = na_put_object(r, list, NULL);
		double sum[2] = {0, 0}, peak[2] = {0, 0}, pending = 0;

		for (size_t k = from; k < to; k++) {
			sum[0] += rx[k];
			sum[1] += tx[k];
			peak[0] = fmax(peak[0], rx[k]);
			peak[1] = fmax(peak[1], tx[k]);
			pending = fmax(pending, most[k]);
		}
		na_put_real(r, row, M_from_s, na_bins_start_s(&s->bins, from));
		na_put_real(r, row, "rx", sum[0] / (double)(to - from));
		na_put_real(r, row, "rx_peak", peak[0]);
		na_put_real(r, row, "tx", sum[1] / (double)(to - from));
		na_put_real(r, row, "tx_peak", peak[1]);
		na_put_int(r, row, M_pending, (int64_t)pending);
	}
	return list;
}

static void put_share(struct na_result *r, struct na_value *to,
		      const char *name, const struct na_value *body,
		      const char *of, double capacity_gbps)
{
	double v = na_real_of(na_get(body, of), NAN);

	na_put_real(r, to, name, 100 * v / capacity_gbps);
}

/* Sums over all hosts, against the capacity of all hosts. */
static void sums_view(struct na_result *r, const struct na_value *body,
		      const struct tl_state *s, size_t hosts)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_hosts, "hosts (rates add them up)", NA_F_COUNT, 0, 0},
		{M_rx_bytes, "received, MB", NA_F_NUMBER, 4, 1e-6},
		{M_tx_bytes, "sent, MB", NA_F_NUMBER, 4, 1e-6},
		{M_rx_mean_gbps, "rx mean, Gbit/s", NA_F_NUMBER, 3, 0},
		{M_rx_peak_gbps, "rx peak, Gbit/s (largest bin)",
		 NA_F_NUMBER, 3, 0},
		{M_tx_mean_gbps, "tx mean, Gbit/s", NA_F_NUMBER, 3, 0},
		{M_tx_peak_gbps, "tx peak, Gbit/s (largest bin)",
		 NA_F_NUMBER, 3, 0},
		{M_bin_s, "bin, ms", NA_F_NUMBER, 4, 1e3},
		{M_capacity_gbps, "capacity of a host, Gbit/s", NA_F_NUMBER,
		 4, 0},
		{"rx_mean_percent", "rx mean, % of all hosts' capacity",
		 NA_F_NUMBER, 3, 0},
		{"tx_mean_percent", "tx mean, % of all hosts' capacity",
		 NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */
	enum { ALL = sizeof(cols) / sizeof(cols[0]), OF_CAPACITY = 3 };
	struct na_value *to = na_put_object(r, na_result_side(r), "sums");
	double all = s->capacity_gbps * (double)hosts;
	struct shown x;

	na_put_int(r, to, M_hosts, (int64_t)hosts);
	for (size_t i = 1; i < ALL - 2; i++)
		na_put_real(r, to, cols[i].field,
			    na_real_of(na_get(body, cols[i].field), NAN));
	if (all > 0) {
		put_share(r, to, "rx_mean_percent", body, M_rx_mean_gbps, all);
		put_share(r, to, "tx_mean_percent", body, M_tx_mean_gbps, all);
	}
	choose_unit(&x, body, s);
	show(&x, cols, ALL - OF_CAPACITY, true);
	if (all > 0)
		show(&x, cols + ALL - OF_CAPACITY, OF_CAPACITY, false);
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), to,
		       NULL, x.cols, x.n, 0);
}

static void course_view(struct na_result *r, const struct na_value *body,
			const struct tl_state *s)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_from_s, "from s", NA_F_FIXED, 3, 0},
		{"rx", "rx Gbit/s", NA_F_NUMBER, 3, 0},
		{"rx_peak", "peak", NA_F_NUMBER, 3, 0},
		{"tx", "tx Gbit/s", NA_F_NUMBER, 3, 0},
		{"tx_peak", "peak", NA_F_NUMBER, 3, 0},
		{M_pending, "pending max", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	struct shown x;

	choose_unit(&x, body, s);
	show(&x, cols, sizeof(cols) / sizeof(cols[0]), true);
	na_result_view(r, "course of the run (means and peaks of bins)",
		       coarse(r, body, s), NULL, x.cols, x.n, 0);
}

static void regions_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_side, "side", NA_F_TEXT, 0, 0},
		{M_from_s, "from s", NA_F_FIXED, 3, 0},
		{M_to_s, "to s", NA_F_FIXED, 3, 0},
		{M_mean_gbps, "mean Gbit/s", NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */

	na_result_view(r, "saturated (>= 90 % of capacity)",
		       na_get(body, M_saturated), NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 20);
}

static void groups_view(struct na_result *r, const struct na_value *body,
			const struct na_value *series, const struct tl_state *s)
{
	/* clang-format off */
	static const struct na_column sums[] = {
		{M_transfers, "transfers", NA_F_COUNT, 0, 0},
		{M_rx_bytes, "received MB", NA_F_NUMBER, 4, 1e-6},
		{M_rx_mean_gbps, "rx mean Gbit/s", NA_F_NUMBER, 3, 0},
		{M_rx_peak_gbps, "peak", NA_F_NUMBER, 3, 0},
		{M_tx_bytes, "sent MB", NA_F_NUMBER, 4, 1e-6},
		{M_tx_mean_gbps, "tx mean Gbit/s", NA_F_NUMBER, 3, 0},
		{M_tx_peak_gbps, "peak", NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */
	enum { SUMS = sizeof(sums) / sizeof(sums[0]) };
	struct na_column keys[NA_MAX_KEYS];
	const struct na_grouping *by = &s->scope->by;
	struct shown x;

	_Static_assert(NA_MAX_KEYS + SUMS <= SHOWN_MAX, "all are shown");
	choose_unit(&x, body, s);
	x.whole = false;
	na_groups_columns(by, keys);
	show(&x, keys, by->n, false);
	show(&x, sums, SUMS, true);
	if (x.wire)
		x.cols[by->n].header = "packets";
	na_result_view(r,
		       tl_by_runs(s) ? "runs (means over the duration of each)"
				     : "groups (means over the whole duration)",
		       series, NULL, x.cols, x.n, 0);
}

void tl_views(struct na_result *r, const struct na_value *body,
	      const struct na_value *series, const struct tl_state *s,
	      size_t hosts, bool runs_apart)
{
	/* Runs side by side are never added up. */
	if (!runs_apart) {
		sums_view(r, body, s, hosts);
		course_view(r, body, s);
		if (s->capacity_gbps > 0)
			regions_view(r, body);
	}
	if (series)
		groups_view(r, body, series, s);
}
