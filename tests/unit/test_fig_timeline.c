#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/text.h"
#include "plot/figure.h"
#include "tests/unit/fake_timeline.h"
#include "tests/unit/ink.h"
#include "tests/unit/pace.h"

static char *picture(const struct na_result *r, const struct na_page *page,
		     const char *format, size_t *n)
{
	return draw_figure("timeline", r, page, format, n);
}

static char *ink_of(const struct fake *f, const struct na_page *page)
{
	struct na_result *r = make(f);
	char *text;
	size_t n;

	text = picture(r, page, "ink", &n);
	na_result_free(r);
	return text;
}

static const struct na_page plain = {.version = "0.1.0"};

#define TYPICAL \
	.bins = 1400, .bin_s = 0.01, .hosts = 8, .steps = 14, .capacity = 100, \
	.peak = 600, .pending = 3, .tx = true, .saturated = 20

static const struct fake typical = {TYPICAL};

/* What is hard to label. */
/* clang-format off */
static const struct fake rows[] = {
	{TYPICAL},
	{.bins = 1, .bin_s = 1e-6, .hosts = 1, .peak = 3.2},
	{.bins = 5000,
	 .bin_s = 1e-4,
	 .hosts = 100000,
	 .steps = 3000,
	 .capacity = 40000,
	 .peak = 1e10,
	 .pending = 1e7,
	 .saturated = 900,
	 .noise = true},
	{.bins = 300,
	 .bin_s = 1e-6,
	 .from_s = -1.2e-4,
	 .hosts = 2,
	 .steps = 3,
	 .capacity = 400,
	 .peak = 40,
	 .pending = 1e-6,
	 .tx = true},
	{.bins = 700,
	 .bin_s = 1e-12,
	 .from_s = 86399.5,
	 .hosts = 1,
	 .peak = 1e-12,
	 .tx = true},
	{.bins = 900,
	 .bin_s = 3600,
	 .from_s = -9e6,
	 .hosts = 64,
	 .peak = 1e30,
	 .capacity = 1e30,
	 .steps = 50,
	 .series = 64,
	 .tx = true,
	 .names = true,
	 .gaps = true},
	{.bins = 200,
	 .bin_s = 0.1,
	 .hosts = 3,
	 .steps = 7,
	 .series = 7,
	 .peak = 12,
	 .noise = true,
	 .capacity = 5},
	{TYPICAL, .series = 2, .apart = true},
	{TYPICAL, .series = 64, .stack = true, .names = true},
	{TYPICAL, .series = 7, .stack = true, .gaps = true},
	{TYPICAL, .series = 12, .names = true},
	{TYPICAL, .series = 64, .apart = true, .names = true},
	{.bins = 0,
	 .bin_s = 0.01,
	 .empty = "No transfer was found: "
		  "record the trace with the host tracer on, and look "
		  "for "
		  "the lines that it names; there are none in this "
		  "file."},
	{.bins = 50, .bin_s = 0.01, .hosts = 1, .peak = 0},
	{.bare = true},
};
/* clang-format on */

static void test_labels_never_overlap(void **state)
{
	/* clang-format off */
	static const int sizes[][2] = {
		{0, 0},      {600, 338},   {320, 240},  {480, 900},
		{2400, 500}, {3000, 3000}, {330, 1500}, {800, 250},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct na_page page = plain;
			char what[64], *ink;

			page.width = sizes[k][0];
			page.height = sizes[k][1];
			page.dark = k % 2;
			snprintf(what, sizeof(what), "row %zu, %d x %d", i,
				 page.width, page.height);
			ink = ink_of(&rows[i], &page);
			assert_true(check_texts(ink, what) >= 2);
			assert_true(na_utf8_valid(ink, strlen(ink)));
			free(ink);
		}
	}
}

/* The y of the first horizontal dashes that span the plot, or -1. */
static double dashes_at(const char *ink)
{
	for (const char *p = ink; (p = strstr(p, "\nline #3d444dff ")); p++) {
		double x0, y0, x1, y1;

		if (sscanf(p, "\nline %*s %*s dash %lf,%lf %lf,%lf", &x0, &y0,
			   &x1, &y1) == 4 &&
		    y0 == y1 && x1 - x0 > 500)
			return y0;
	}
	return -1;
}

static void test_capacity_line(void **state)
{
	struct fake f = typical;
	char *ink = ink_of(&f, &plain);

	(void)state;
	assert_true(dashes_at(ink) > 0);
	assert_non_null(strstr(ink, " capacity 8 \xc3\x97 100 Gbit/s\n"));
	free(ink);

	/* No words over data that lie above the line. */
	f.peak = 900;
	ink = ink_of(&f, &plain);
	assert_true(dashes_at(ink) > 0);
	assert_non_null(strstr(ink, " dashed: capacity 8 \xc3\x97 100 Gbit/s"));
	free(ink);

	/* One host needs no product. */
	f.hosts = 1;
	f.peak = 90;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " capacity 100 Gbit/s\n"));
	free(ink);

	/* Far above the data it is told, not drawn. */
	f.peak = 20;
	ink = ink_of(&f, &plain);
	assert_true(dashes_at(ink) < 0);
	assert_non_null(strstr(ink, " 20 % of capacity 100 Gbit/s\n"));
	free(ink);

	f.capacity = 0;
	ink = ink_of(&f, &plain);
	assert_true(dashes_at(ink) < 0);
	assert_null(strstr(strstr(ink, "\ntext "), " capacity"));
	free(ink);
}

static void test_saturated_bands(void **state)
{
	struct fake f = typical;
	char *ink = ink_of(&f, &plain);

	(void)state;
	assert_non_null(strstr(ink, "\narea #d55e00ff "));
	assert_non_null(strstr(ink, " saturated "));
	assert_non_null(strstr(ink, " of 8 hosts, "));
	free(ink);
	f.saturated = 0;
	ink = ink_of(&f, &plain);
	assert_null(strstr(ink, "\narea #d55e00ff "));
	assert_null(strstr(ink, "saturated"));
	free(ink);
}

/* One host, one region from 5 s to 7.5 s of 10 s. */
static void test_saturated_words(void **state)
{
	struct fake f = {.bins = 1000,
			 .bin_s = 0.01,
			 .hosts = 1,
			 .capacity = 10,
			 .peak = 10};
	struct na_result *r = na_result_new();
	struct na_value *list, *o;
	char *ink;
	size_t n;

	(void)state;
	put_inputs(r, &f);
	na_put_real(r, na_result_body(r), "bin_s", f.bin_s);
	put_bins(r, &f);
	list = na_put_list(r, na_result_body(r), "saturated");
	o = na_put_object(r, list, NULL);
	na_put_text(r, o, "host", "a");
	na_put_text(r, o, "side", "rx");
	na_put_real(r, o, "from_s", 5);
	na_put_real(r, o, "to_s", 7.5);
	ink = picture(r, &plain, "ink", &n);
	assert_non_null(strstr(ink, " saturated 25 % of the time (2.5 s)\n"));
	free(ink);
	na_put_real(r, na_result_side(r), "rx_saturated_share", 0.34);
	ink = picture(r, &plain, "ink", &n);
	assert_non_null(strstr(ink, " saturated 34 % of the time (2.5 s)\n"));
	free(ink);
	na_result_free(r);
}

static void test_empty(void **state)
{
	struct fake f = {.bin_s = 1, .empty = "There are no transfers."};
	char *ink = ink_of(&f, &plain);

	(void)state;
	assert_non_null(strstr(ink, " There are no transfers.\n"));
	assert_null(strstr(ink, "RX throughput"));
	free(ink);
	f = (struct fake){.bins = 9, .bin_s = 1, .hosts = 1};
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " No transfer moved any bytes here.\n"));
	free(ink);
}

static void test_tx_not_recorded(void **state)
{
	struct fake f = typical;
	char *ink;

	(void)state;
	f.tx = false;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " TX throughput\n"));
	assert_non_null(strstr(ink, " nothing to draw: no send"));
	/* One capacity: there is no second plot. */
	assert_null(strstr(strstr(ink, " capacity 8 \xc3\x97") + 1,
			   " capacity 8 \xc3\x97"));
	free(ink);
	f.packets = true;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " Packets on the wire\n"));
	/* What was only seen has no second lane. */
	assert_null(strstr(ink, " Packets sent\n"));
	assert_non_null(strstr(ink, " --host GLOB tells what hosts send"));
	free(ink);
}

/* No digits that nobody knows, and nothing smaller than a byte. */
static void test_little(void **state)
{
	struct fake f = typical;
	char *ink;

	(void)state;
	f.pending = 1e-6;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " mean under 0.001, max 1\n"));
	free(ink);
}

static void test_title(void **state)
{
	struct na_result *r = make(&typical);
	struct na_page page = plain;
	char *ink;
	size_t n;

	(void)state;
	na_result_word(r, NA_WORD_MESSAGE, "It is full");
	na_result_word(r, NA_WORD_SUBTITLE, "of eels");
	ink = picture(r, &page, "ink", &n);
	assert_non_null(strstr(ink, "\ntitle It is full\ndesc of eels. RX "
				    "throughput: mean 200 Gbit/s, "));
	assert_non_null(strstr(ink, " It is full\n"));
	assert_non_null(strstr(ink, " netan 0.1.0\n"));
	free(ink);
	page.title = "Mine";
	ink = picture(r, &page, "ink", &n);
	assert_non_null(strstr(ink, "\ntitle Mine\n"));
	free(ink);
	na_result_free(r);
}

static void test_legend(void **state)
{
	struct fake f = typical;
	char *ink;

	(void)state;
	f.series = 64;
	f.stack = true;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " 58 others 9")); /* 90 % */
	assert_non_null(strstr(ink, " host-63 2 %\n"));
	assert_non_null(strstr(ink, " host-58 2 %\n"));
	assert_null(strstr(ink, " host-57"));
	free(ink);
	f.series = 7; /* a rest of one has a name */
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " host-00 1"));
	free(ink);
}

/* Two keys, and what the analysis has added up itself: "rest" in both. */
static void test_rest_of_two_keys(void **state)
{
	struct na_result *r = make(&typical);
	struct na_value *list, *o;
	char *ink;
	size_t n;

	(void)state;
	list = na_put_list(r, na_result_body(r), "series");
	for (int i = 0; i < 2; i++) {
		o = na_put_object(r, list, NULL);
		na_put_real(r, o, "rx_bytes", 1 + 2 * i);
		o = na_put_object(r, o, "key");
		na_put_text(r, o, "host", i ? "rest" : "a");
		na_put_text(r, o, "component", i ? "rest" : "network");
	}
	ink = picture(r, &plain, "ink", &n);
	assert_non_null(strstr(ink, " a / network 25 %\n"));
	assert_non_null(strstr(ink, " the rest 75 %\n"));
	free(ink);
	na_result_free(r);
}

/* The steps of three devices, one device after the other, are marked once
 * and all named. */
static void test_steps_of_many_devices(void **state)
{
	struct fake f = {.bins = 100, .bin_s = 0.1, .hosts = 3, .peak = 1};
	struct na_result *r = na_result_new();
	struct na_value *list, *o;
	char *ink;
	size_t n;

	(void)state;
	put_inputs(r, &f);
	na_put_real(r, na_result_body(r), "bin_s", f.bin_s);
	put_bins(r, &f);
	list = na_put_list(r, na_result_body(r), "steps");
	for (int i = 0; i < 30; i++) {
		o = na_put_object(r, list, NULL);
		na_put_int(r, o, "step", 71 + i % 10);
		na_put_real(r, o, "from_s", i % 10 + 0.001 * (i / 10));
	}
	ink = picture(r, &plain, "ink", &n);
	for (int i = 71; i < 81; i++) {
		char word[16];
		const char *first;

		snprintf(word, sizeof(word), " %d\n", i);
		first = strstr(ink, word);
		assert_non_null(first);
		assert_null(strstr(first + 1, word));
	}
	free(ink);
	na_result_free(r);
}

struct span {
	double least, most;
};

/* The y between which the first line of this look moves. */
static struct span line_span(const char *ink, const char *look)
{
	struct span s = {INFINITY, -INFINITY};
	const char *p = strstr(ink, look), *end;
	double x, y;
	int n;

	assert_non_null(p);
	end = strchr(p + 1, '\n');
	for (p += strlen(look); p < end; p += n) {
		n = 1;
		if (sscanf(p, " %lf,%lf%n", &x, &y, &n) == 2) {
			s.least = fmin(s.least, y);
			s.most = fmax(s.most, y);
		}
	}
	return s;
}

/* Runs a and b receive 300 and 100 Gbit/s, but nothing in the first bin. */
static struct na_result *two_runs(bool tx)
{
	struct fake f = {.bins = 100,
			 .bin_s = 0.1,
			 .hosts = 4,
			 .steps = 9,
			 .capacity = 100,
			 .peak = 400,
			 .pending = 3,
			 .tx = tx,
			 .saturated = 9,
			 .apart = true};
	struct na_result *r = make(&f);
	struct na_value *list, *o;
	double *rx;

	list = na_put_list(r, na_result_body(r), "series");
	for (int i = 0; i < 2; i++) {
		o = na_put_object(r, list, NULL);
		na_put_text(r, na_put_object(r, o, "key"), "label",
			    i ? "b" : "a");
		na_put_real(r, o, "rx_bytes", i ? 1 << 30 : 3072.0 * (1 << 20));
		rx = na_put_reals(r, o, "rx_gbps", f.bins);
		for (size_t k = 0; k < f.bins; k++)
			rx[k] = !k ? 0 : i ? 100 : 300;
	}
	return r;
}

static void test_runs_are_apart(void **state)
{
	static const char *const none[] = {"saturated", "Outstanding",
					   "Pending",   " step\n",
					   " mean ",    "area #d55e00ff"};
	struct na_result *r = two_runs(false);
	struct span a, b;
	size_t n;
	char *ink = picture(r, &plain, "ink", &n);

	(void)state;
	check_texts(ink, "two runs");
	a = line_span(ink, "\nline #0072b2ff 1.6 solid");
	b = line_span(ink, "\nline #d55e00ff 1.6 dash");
	/* Both stand on zero, and b is not on top of a. */
	assert_true(fabs(a.most - b.most) < 0.2);
	assert_true(fabs((a.most - a.least) - 3 * (b.most - b.least)) < 0.7);
	/* One run may take 4 x 100. */
	assert_true(fabs((a.most - dashes_at(ink)) * 3 -
			 (a.most - a.least) * 4) < 0.9);
	assert_non_null(strstr(ink, " capacity 4 \xc3\x97 100 Gbit/s for "));
	assert_non_null(strstr(ink, " RX throughput\n"));
	assert_non_null(strstr(ink, " peak 300 Gbit/s\n"));
	assert_non_null(strstr(ink, " 3 GiB\n"));
	assert_non_null(strstr(ink, " 1 GiB\n"));
	assert_non_null(strstr(ink, "RX throughput: a 3 GiB, peak 300 Gbit/s; "
				    "b 1 GiB, peak 100 Gbit/s\n"));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (strstr(ink, none[i]))
			fail_msg("there is \"%s\"", none[i]);
	}
	free(ink);
	na_result_free(r);
}

static void test_many_runs_apart(void **state)
{
	struct fake f = typical;
	char *ink;

	(void)state;
	f.apart = true;
	f.series = 8;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " host-07\n"));
	assert_non_null(strstr(ink, " host-02\n"));
	assert_null(strstr(ink, " host-01\n"));
	assert_non_null(strstr(ink, " and 2 more\n"));
	assert_null(strstr(ink, "others"));
	free(ink);
	/* Runs that the analysis does not tell apart are not added up. */
	f.series = 0;
	ink = ink_of(&f, &plain);
	assert_null(strstr(ink, "RX throughput"));
	assert_non_null(strstr(ink, " The result does not say which run "));
	free(ink);
}

/* Each host has a panel, or is in the median of the rest: none is hidden in
 * a sum. */
static void test_each_host(void **state)
{
	struct fake f = typical;
	char *ink;

	(void)state;
	f.series = 64;
	f.saturated = 0;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, " median of the other 53 hosts\n"));
	assert_non_null(strstr(ink, " host-00\n"));
	assert_null(strstr(ink, " others"));
	free(ink);
	f.series = 12;
	ink = ink_of(&f, &plain);
	assert_null(strstr(ink, "median of the other"));
	assert_non_null(strstr(ink, " host-11\n"));
	free(ink);
}

/* The capacity of a host in the panel of each, ranks as well, or why not; the
 * axis measures with it. */
static void test_capacity_of_each(void **state)
{
	/* clang-format off */
	static const struct {
		double gbps;
		bool ranks;
		const char *said;
	} asked[] = {
		{1,    false, "; dashed: capacity;"},
		{200,  true,  "; dashed: capacity;"},
		{1e5,  false, "; capacity lies above all panels;"},
		{0,    false, NULL},
	};
	/* clang-format on */
	struct fake f = typical;

	(void)state;
	f.saturated = 0;
	f.series = 8;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		char *ink;

		f.capacity = asked[i].gbps;
		f.ranks = asked[i].ranks;
		ink = ink_of(&f, &plain);
		if (asked[i].said)
			assert_non_null(strstr(ink, asked[i].said));
		else
			assert_null(strstr(ink, "; capacity"));
		assert_int_equal(ink_count(ink, "\nline #3d444dff 1.0 dash "),
				 asked[i].said && asked[i].gbps < 1e5 ? 16 : 0);
		assert_true(ink_count(ink, " 0\n") <
			    ink_count(ink, " Gbit/s\n") * 2);
		free(ink);
	}
}

/* Who differs much is named in the title and in the colour of a finding. */
static void test_worst_host(void **state)
{
	struct fake f = typical;
	char *ink;

	(void)state;
	f.series = 8;
	f.saturated = 0;
	f.idle = true;
	ink = ink_of(&f, &plain);
	assert_non_null(strstr(ink, "host-00 receives "));
	assert_non_null(strstr(ink, "\ntext #d55e00ff 11.0 bold "));
	free(ink);
	f.idle = false;
	ink = ink_of(&f, &plain);
	assert_null(strstr(ink, "host-00 receives "));
	assert_null(strstr(ink, "\ntext #d55e00ff 11.0 bold "));
	free(ink);
}

static void check_bounded(const struct na_result *r, struct na_page *page,
			  size_t row)
{
	size_t n, m;
	char *svg;

	page->id = "fig";
	free(picture(r, page, "svg", &n));
	svg = picture(r, page, "inline", &m);
	check_inline(svg, row);
	if (n >= 1 << 20 || m >= 1 << 20)
		fail_msg("row %zu: %zu and %zu bytes", row, n, m);
	free(svg);
}

static void test_svg_is_bounded(void **state)
{
	struct fake f = {.bins = 1000000 / pace(),
			 .bin_s = 1e-5,
			 .hosts = 8,
			 .steps = 9000,
			 .capacity = 100,
			 .peak = 790,
			 .pending = 5,
			 .tx = true,
			 .noise = true,
			 .saturated = 30000};
	static const int widths[] = {0, 4000, 16384};
	struct na_result *r = make(&f);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct na_page page = {.width = widths[i],
				       .height = widths[i] / 2};

		check_bounded(r, &page, i);
	}
	na_result_free(r);
}

static void test_svg_of_series_is_bounded(void **state)
{
	static const size_t bins[] = {790, 1600, 30000};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct fake f = {.bins = bins[i % 3] / pace(),
				 .bin_s = 1e-3,
				 .hosts = 8,
				 .steps = 3000,
				 .capacity = 100,
				 .peak = 790,
				 .pending = 5,
				 .tx = true,
				 .noise = true,
				 .saturated = 9000,
				 .series = 20,
				 .names = true,
				 .apart = i / 3};
		struct na_page page = {.width = 4000, .height = 2250};
		struct na_result *r = make(&f);

		check_bounded(r, &page, i);
		na_result_free(r);
	}
}

static void test_all_formats(void **state)
{
	static const char *const formats[] = {"png", "svg", "pdf", "ink",
					      "inline"};
	struct fake f = typical;
	struct na_result *r;

	(void)state;
	f.names = true;
	f.series = 9;
	r = make(&f);
	for (size_t i = 0; i < 5; i++) {
		size_t n, m;
		char *a = picture(r, &plain, formats[i], &n);
		char *b = picture(r, &plain, formats[i], &m);

		assert_int_equal(n, m);
		assert_memory_equal(a, b, n);
		free(a);
		free(b);
	}
	na_result_free(r);
}

static void test_registry(void **state)
{
	(void)state;
	assert_null(na_figure_find("no such figure"));
	assert_null(na_figure_find(""));
	for (size_t i = 0; na_figures[i]; i++)
		assert_ptr_equal(na_figure_find(na_figures[i]->name),
				 na_figures[i]);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_labels_never_overlap),
		cmocka_unit_test(test_capacity_line),
		cmocka_unit_test(test_saturated_bands),
		cmocka_unit_test(test_saturated_words),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_tx_not_recorded),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_title),
		cmocka_unit_test(test_legend),
		cmocka_unit_test(test_each_host),
		cmocka_unit_test(test_capacity_of_each),
		cmocka_unit_test(test_worst_host),
		cmocka_unit_test(test_rest_of_two_keys),
		cmocka_unit_test(test_steps_of_many_devices),
		cmocka_unit_test(test_runs_are_apart),
		cmocka_unit_test(test_many_runs_apart),
		cmocka_unit_test(test_svg_is_bounded),
		cmocka_unit_test(test_svg_of_series_is_bounded),
		cmocka_unit_test(test_all_formats),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
