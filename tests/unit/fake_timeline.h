/* Results of `netan timeline` as no run would make them, and what holds for
 * every picture of them. */
#ifndef NETAN_TESTS_FAKE_TIMELINE_H
#define NETAN_TESTS_FAKE_TIMELINE_H

/* Behind the includes that cmocka.h needs, and cmocka.h itself. */
#include <math.h>

#include "netan/result/result.h"
#include "tests/unit/ink.h"

#define LONG_NAME \
	"gke-tpu-\xe2\x80\xae\x1b[31m<b>&\"\xff pool-that-does-not-" \
	"end-europe-west4-b-0001-abcdefgh-"

/* A run that exists only here. */
struct fake {
	bool idle; /* the first series, but for one bin */
	size_t bins;
	double bin_s, from_s;
	int hosts, steps, series, saturated;
	double capacity, peak, pending;
	bool tx, gaps, noise, names, bare;
	bool apart;   /* the series are runs */
	bool stack;   /* they are collectives, not hosts */
	bool packets; /* of a capture */
	bool ranks;   /* what a host is */
	const char *empty;
};

static double noise(unsigned *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return (*seed >> 8) / 16777216.0;
}

static void put_inputs(struct na_result *r, const struct fake *f)
{
	struct na_value *doc = na_result_doc(r), *o, *list;

	list = na_put_list(r, doc, "inputs");
	for (int i = 0; i < 3; i++) {
		o = na_put_object(r, list, NULL);
		na_put_text(r, o, "path",
			    f->names ? LONG_NAME LONG_NAME
				     : "run/host.xplane.pb");
		na_put_null(r, o, "label");
	}
	na_put_int(r, doc, "origin_unix_ns", INT64_C(1795123680123000000));
	na_put_real(r, doc, "duration_s", (double)f->bins * f->bin_s);
	na_put_text(r, doc, "anchor", "end");
	o = na_put_object(r, doc, "coverage");
	na_put_int(r, o, "used", 120034);
	o = na_put_object(r, o, "left_out");
	na_put_int(r, o, "loopback", 3000);
	na_put_int(r, o, "clock_skew", 422);
	na_put_int(r, na_result_side(r), "hosts", f->hosts);
	if (f->apart)
		na_result_about(r)->runs_apart = true;
	if (f->packets)
		na_result_word(r, NA_WORD_NOUN, "packet");
	if (f->ranks)
		na_result_word(r, NA_WORD_HOST, "rank");
	if (f->empty)
		na_result_word(r, NA_WORD_EMPTY, f->empty);
}

static void put_bins(struct na_result *r, const struct fake *f)
{
	static const char *const names[] = {"time_s",
					    "rx_gbps",
					    "tx_gbps",
					    "rx_outstanding_bytes",
					    "tx_outstanding_bytes",
					    "pending",
					    "pending_max"};
	struct na_value *body = na_result_body(r);
	unsigned seed = 1;
	double *x[7];

	for (int k = 0; k < 7; k++) {
		x[k] = na_put_reals(r, body, names[k], f->bins);
		assert_true(x[k] || !f->bins);
	}
	for (size_t i = 0; i < f->bins; i++) {
		double level = f->noise ? noise(&seed) : i / 7 % 3 == 0;
		double gbps = f->gaps && i / 10 % 3 == 1 ? NAN
							 : f->peak * level;

		x[0][i] = f->from_s + (double)i * f->bin_s;
		x[1][i] = gbps;
		x[2][i] = f->tx ? gbps * 0.8 : 0;
		x[3][i] = gbps * 1e6;
		x[4][i] = f->tx ? gbps * 5e5 : 0;
		x[5][i] = f->pending * level;
		x[6][i] = ceil(f->pending);
	}
}

static void put_lists(struct na_result *r, const struct fake *f)
{
	struct na_value *body = na_result_body(r), *list, *o;
	double span = (double)f->bins * f->bin_s;

	list = na_put_list(r, body, "saturated");
	for (int i = 0; i < f->saturated; i++) {
		double at = f->from_s + span * i / f->saturated;

		o = na_put_object(r, list, NULL);
		na_put_textf(r, o, "host", "host%d", i % f->hosts);
		na_put_text(r, o, "side", i % 5 == 4 ? "tx" : "rx");
		na_put_real(r, o, "from_s", at);
		na_put_real(r, o, "to_s", at + span / f->saturated / 2);
	}
	list = na_put_list(r, body, "steps");
	for (int i = 0; i < f->steps; i++) {
		o = na_put_object(r, list, NULL);
		if (f->names)
			na_put_textf(r, o, "step", "%d" LONG_NAME, i + 95);
		else
			na_put_int(r, o, "step", i + 95);
		na_put_real(r, o, "from_s", f->from_s + span * i / f->steps);
		na_put_real(r, o, "to_s",
			    f->from_s + span * (i + 1) / f->steps);
	}
}

static void put_series(struct na_result *r, const struct fake *f)
{
	struct na_value *list = na_put_list(r, na_result_body(r), "series");
	unsigned seed = 5;

	for (int i = 0; i < f->series; i++) {
		struct na_value *o = na_put_object(r, list, NULL);
		struct na_value *key = na_put_object(r, o, "key");
		double *rx = na_put_reals(r, o, "rx_gbps", f->bins);
		double *tx = na_put_reals(r, o, "tx_gbps", f->bins);

		na_put_textf(r, key,
			     f->apart   ? "label"
			     : f->stack ? "collective"
					: "host",
			     "%s%02d", f->names ? LONG_NAME : "host-", i);
		na_put_real(r, o, "rx_bytes", 1000 + i);
		na_put_real(r, o, "tx_bytes", 1000);
		for (size_t k = 0; k < f->bins; k++) {
			rx[k] = f->peak / f->series * noise(&seed);
			if (f->idle && !i && k)
				rx[k] = 0;
			tx[k] = f->tx ? rx[k] : 0;
		}
	}
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *body;

	assert_non_null(r);
	if (f->bare)
		return r;
	body = na_result_body(r);
	put_inputs(r, f);
	na_put_real(r, body, "bin_s", f->bin_s);
	put_bins(r, f);
	put_lists(r, f);
	na_put_text(r, body, "pending_of", "collectives");
	na_put_real(r, body, "rx_peak_gbps", f->peak);
	na_put_real(r, body, "rx_mean_gbps", f->peak / 3);
	na_put_real(r, body, "tx_peak_gbps", f->tx ? f->peak : 0);
	na_put_real(r, body, "tx_mean_gbps", f->tx ? f->peak / 3 : 0);
	if (f->capacity > 0)
		na_put_real(r, body, "capacity_gbps", f->capacity);
	else
		na_put_null(r, body, "capacity_gbps");
	if (f->series)
		put_series(r, f);
	assert_true(na_result_ok(r));
	return r;
}

#endif
