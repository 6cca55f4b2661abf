/* The time-sequence graph: what is marked, what holds at any size. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/fake_tcp.h"

#include "netan/base/text.h"
#include "plot/figure.h"
#include "plot/figures/tcp/time.h"
#include "tests/unit/ink.h"

#define FINDING "#d55e00ff"

static char *draw(const struct na_result *r, const struct na_page *page,
		  const char *format, size_t *n)
{
	return draw_figure("tcp", r, page, format, n);
}

static const struct na_page plain = {.version = "0.1.0"};

/* Of a made one, which ends. */
static char *drawn(struct fake_tcp *f, int way, const struct na_page *page,
		   const char *format, size_t *n)
{
	struct tcp_params params = {.connection = 1, .way = way};
	struct driven d;
	char *bytes;

	fake_drive(f, params, &d);
	assert_int_equal(d.status, NA_OK);
	bytes = draw(d.r, page, format, n);
	driven_end(&d);
	free(f->x);
	return bytes;
}

static char *picture(struct fake_tcp f, int way, const struct na_page *page,
		     const char *format, size_t *n)
{
	if (f.rounds)
		fake_make(&f);
	else
		f.c = (struct na_connection){.src_port = 5001};
	return drawn(&f, way, page, format, n);
}

/* What is hard to place. */
/* clang-format off */
static const struct fake_tcp rows[] = {
	{.rounds = 1, .per_round = 1},
	{.rounds = 2, .per_round = 3, .lost_every = 2, .timeout = true},
	{.rounds = 40, .per_round = 20, .lost_every = 37, .timeout = true,
	 .closed = true},
	{.rounds = 300, .per_round = 300, .lost_every = 3, .closed = true},
	{.rounds = 400, .per_round = 20, .lost_every = 9,
	 .from_ps = 2000 * (int64_t)FAKE_MS, .to_ps = 2100 * (int64_t)FAKE_MS},
	{.rounds = 40, .per_round = 5, .lost_every = 7, .timeout = true,
	 .closed = true, .hole = true},
	{.rounds = 0},
};
/* clang-format on */
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	return picture(rows[i], TCP_BUSIER, page, format, n);
}

static void labels_never_overlap(void **state)
{
	(void)state;
	check_pages(nth, ROWS);
}

static void size_is_bounded(void **state)
{
	const struct fake_tcp most = {.rounds = 600,
				      .per_round = 400,
				      .lost_every = 2,
				      .timeout = true,
				      .closed = true};
	size_t n;
	char *svg = picture(most, TCP_BUSIER, &plain, "svg", &n);

	(void)state;
	if (n > 1 << 20)
		fail_msg("%zu bytes", n);
	free(svg);
}

static void marks_are_named(void **state)
{
	size_t n;
	char *ink = picture(rows[2], TCP_BUSIER, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " resent fast 21\n"));
	assert_non_null(strstr(ink, " resent after timeouts 1\n"));
	assert_non_null(strstr(ink, " all resent packets 22\n"));
	assert_non_null(strstr(ink, " duplicate ACK 21\n"));
	assert_non_null(strstr(ink, " SACK block 21\n"));
	assert_non_null(strstr(ink, " zero window 1\n"));
	assert_non_null(strstr(ink, " timeouts 200 ms (1)\n"));
	assert_non_null(strstr(ink, " closed 50 ms (1)\n"));
	assert_null(strstr(ink, "behind these"));
	assert_null(strstr(ink, "in vain"));
	assert_null(strstr(ink, " Resent\n"));
	assert_true(ink_count(ink, "\narea " FINDING) >= 2);
	free(ink);
	/* Too many to be told apart: a panel counts them. */
	ink = picture(rows[3], TCP_BUSIER, &plain, "ink", &n);
	assert_non_null(strstr(ink, " Resent\n"));
	assert_non_null(strstr(ink, " resent fast 30\xe2\x80\xaf"
				    "000\n"));
	free(ink);
}

/* A piece begins at its own first byte. */
/* 200 ms of silence between milliseconds of data; none where data is. */
static void stalls_are_cut(void **state)
{
	struct tcp_figure f = {.n = 100, .from_s = 0, .to_s = 1};
	const int64_t data[] = {0, 0, 1, 9, 1, 2, 90, 2, 3, 99, 3, 4};
	struct na_cut_time t;
	double flight[100];
	size_t n;
	char *ink = picture(rows[1], TCP_BUSIER, &plain, "ink", &n);

	(void)state;
	for (size_t i = 0; i < 100; i++)
		flight[i] = i == 2 ? 5 : i == 4 ? 7 : NAN;
	assert_non_null(strstr(ink, " cut:\n"));
	assert_non_null(strstr(ink, "a stretch without packets is cut out"));
	/* Whether anything waited for its ACK in it. */
	assert_non_null(strstr(ink, " in flight\n"));
	/* One axis, one unit. */
	assert_int_equal(ink_count(ink, " time from the origin ("), 1);
	assert_null(strstr(ink, " time ("));
	free(ink);
	ink = picture(rows[3], TCP_BUSIER, &plain, "ink", &n);
	assert_null(strstr(ink, " cut:\n"));
	free(ink);
	f.data = data;
	f.n_data = 4;
	assert_true(na_tcp_time_place(&t, &f, 0, 1000, 50));
	assert_int_equal(t.n, 2);
	/* One slope before and behind, and time never runs back. */
	assert_true(fabs(na_cut_time_at(&t, 0.05) - na_cut_time_at(&t, 0) -
			 na_cut_time_at(&t, 1) + na_cut_time_at(&t, 0.95)) <
		    1e-6);
	for (int i = 1; i <= 1000; i++)
		assert_true(na_cut_time_at(&t, i / 1000.0) >
			    na_cut_time_at(&t, (i - 1) / 1000.0));
	assert_true(fabs(na_cut_time_at(&t, 1) - 1000) < 1e-6);
	f.flight = flight;
	assert_true(na_tcp_time_flight(&f, 0.5) == 7);
	assert_true(na_tcp_time_flight(&f, 0.03) == 5);
	assert_true(isnan(na_tcp_time_flight(&f, -1)));
}

/* Where the first line of the grid ends. */
static double right_of(const char *ink)
{
	const char *at = strstr(ink, "\nline #e6e8ebff ");
	double x = 0;

	assert_non_null(at);
	assert_int_equal(sscanf(at, "\nline %*s %*s %*s %*s %lf", &x), 1);
	return x;
}

/* Where nothing needs a name, the plot takes the room of the legend. */
static void no_empty_strip(void **state)
{
	const struct fake_tcp fine = {.rounds = 40, .per_round = 5};
	size_t n;
	char *ink = picture(fine, TCP_BUSIER, &plain, "ink", &n);

	(void)state;
	assert_true(right_of(ink) > 1150);
	assert_non_null(strstr(ink, "the connection's start: data blue"));
	assert_null(strstr(ink, "resent vermilion"));
	free(ink);
	ink = picture(rows[2], TCP_BUSIER, &plain, "ink", &n);
	assert_true(right_of(ink) < 1000);
	free(ink);
}

/* Which of both it is, the evidence says where there is one, not the age. */
static void evidence_goes_before_age(void **state)
{
	static const uint16_t marks[] = {
		NA_SEG_OUT_OF_ORDER | NA_SEG_AGAIN,
		NA_SEG_OUT_OF_ORDER | NA_SEG_AGAIN,
		NA_SEG_RETRANSMIT | NA_SEG_AGAIN | NA_SEG_TIMEOUT,
		NA_SEG_RETRANSMIT | NA_SEG_LATE,
		NA_SEG_OUT_OF_ORDER | NA_SEG_LATE,
		NA_SEG_OUT_OF_ORDER,
		NA_SEG_RETRANSMIT,
	};
	struct fake_tcp f = {.rounds = 40, .per_round = 5};
	size_t n, k = 0;
	char *ink;

	(void)state;
	fake_make(&f);
	for (size_t i = 0; i < f.n && k < NA_LEN(marks); i++)
		if (f.x[i].dir == 0 && f.x[i].size_bytes && !f.x[i].marks)
			f.x[i].marks = marks[k++];
	assert_int_equal(k, NA_LEN(marks));
	ink = drawn(&f, TCP_BUSIER, &plain, "ink", &n);
	assert_non_null(strstr(ink, " resent otherwise 3\n"));
	assert_non_null(strstr(ink, " resent after timeouts 1\n"));
	assert_non_null(strstr(ink, " all resent packets 4\n"));
	assert_non_null(strstr(ink, " out of order 3\n"));
	free(ink);
}

/* A legend has eight lines; the eighth opens what is left. */
static void legend_is_short(void **state)
{
	static const uint16_t marks[] = {NA_SEG_RETRANSMIT,
					 NA_SEG_RETRANSMIT | NA_SEG_SPURIOUS,
					 NA_SEG_LOST_BEFORE,
					 NA_SEG_OUT_OF_ORDER, NA_SEG_CE};
	struct fake_tcp f = rows[2];
	size_t n, k = 0;
	char *ink;

	(void)state;
	fake_make(&f);
	for (size_t i = 0; i < f.n && k < 5; i++) {
		if (f.x[i].dir == 0 && f.x[i].size_bytes && !f.x[i].marks)
			f.x[i].marks = marks[k++];
	}
	assert_int_equal(k, 5);
	ink = drawn(&f, TCP_BUSIER, &plain, "ink", &n);
	assert_non_null(strstr(ink, " resent, was ACKed 1\n"));
	/* Each has its name and its glyph, the last ones small. */
	assert_non_null(strstr(ink, " and, behind these:\n"));
	assert_non_null(strstr(ink, " SACK block 21\n"));
	assert_non_null(strstr(ink, " duplicate ACK 21\n"));
	/* What it skipped is acknowledged, and never came. */
	assert_non_null(strstr(ink, " holes, not captured: 1\n"));
	assert_null(strstr(ink, " holes, lost upstream: "));
	free(ink);
}

static void a_piece(void **state)
{
	size_t n;
	char *ink = picture(rows[ROWS - 3], TCP_BUSIER, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " bytes behind the first 4\xe2\x80\xaf"));
	assert_non_null(strstr(ink, ", a piece of it"));
	assert_null(strstr(ink, " MiB\n"));
	free(ink);
}

/* Of a black hole: the cause that `check` names, and a panel of lengths. */
static void long_and_short(void **state)
{
	size_t n;
	char *ink = picture(rows[ROWS - 2], TCP_BUSIER, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " Long packets never arrive at 10.0.0.2, "
				    "short ones do\n"));
	assert_non_null(strstr(ink, " Packet length\n"));
	assert_non_null(strstr(ink, " of payload: 1\xe2\x80\xaf"
				    "000 bytes or more above the dashed "
				    "line\n"));
	assert_non_null(strstr(ink, " long, sent again\n"));
	assert_non_null(strstr(ink, " long, arrived\n"));
	assert_null(strstr(ink, " short, "));
	free(ink);
	ink = picture(rows[2], TCP_BUSIER, &plain, "ink", &n);
	assert_null(strstr(ink, " Packet length\n"));
	free(ink);
}

static void says_why_it_is_empty(void **state)
{
	size_t n;
	char *ink = picture(rows[ROWS - 1], TCP_BUSIER, &plain, "ink", &n);
	struct na_result *r;

	(void)state;
	assert_non_null(strstr(ink, "Draw from the capture itself"));
	free(ink);
	ink = picture(rows[1], TCP_REV, &plain, "ink", &n);
	assert_non_null(strstr(ink, "No data was sent in this direction"));
	free(ink);
	r = na_result_new();
	ink = draw(r, &plain, "ink", &n);
	assert_non_null(strstr(ink, "There is no TCP connection to draw."));
	free(ink);
	na_result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(marks_are_named),
		cmocka_unit_test(stalls_are_cut),
		cmocka_unit_test(no_empty_strip),
		cmocka_unit_test(evidence_goes_before_age),
		cmocka_unit_test(legend_is_short),
		cmocka_unit_test(a_piece),
		cmocka_unit_test(long_and_short),
		cmocka_unit_test(says_why_it_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
