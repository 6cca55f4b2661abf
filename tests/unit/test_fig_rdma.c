/* PSNs over time: what is marked, what holds at any size. */
#include "tests/unit/fake_rdma.h"

#include "plot/figure.h"
#include "tests/unit/ink.h"

static const struct na_page plain = {.version = "0.1.0"};

enum { EMPTY, QUIET, BUSY, MANY, PAUSE, LONE, ROWS };

static void marks(struct fake_rdma *x, size_t i)
{
	int64_t n = i == MANY ? 900 : i == BUSY ? 40 : 3;

	for (int64_t ms = 0; ms < n; ms++) {
		fake_mark(x, 7, NA_QP_DATA, ms, 10);
		if (i == LONE)
			fake_mark(x, 7, NA_QP_CNP, 300 * ms, 1);
		if (i == QUIET || i == PAUSE || i == LONE || ms % 4)
			continue;
		fake_mark(x, 7, NA_QP_REPEAT, ms, 4);
		fake_mark(x, 7, ms % 8 ? NA_QP_NAK : NA_QP_RNR, ms, 1);
		fake_mark(x, 7, NA_QP_CNP, ms, 2);
		fake_mark(x, 7, NA_QP_CE, ms, 3);
	}
	if (i == PAUSE)
		fake_mark(x, 7, NA_QP_DATA, 900, 10);
}

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	struct na_queue_pair q = fake_healthy(7);
	struct fake_rdma x;
	char *bytes;

	q.needed = q.repeats = i == QUIET ? 0 : 9;
	fake_begin(&x, &q, i != EMPTY);
	if (i != EMPTY)
		marks(&x, i);
	x.scope.segments = fake_segments;
	fake_analyse(&x, 1);
	assert_int_equal(x.d.status, NA_OK);
	bytes = draw_figure("rdma", x.d.r, page, format, n);
	fake_end(&x);
	return bytes;
}

static void labels_never_overlap(void **state)
{
	(void)state;
	check_pages(nth, ROWS);
}

static void formats(void **state)
{
	(void)state;
	check_formats(nth, ROWS);
}

static void marks_are_named(void **state)
{
	size_t n;
	char *ink = nth(BUSY, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " sent 400\n"));
	assert_non_null(strstr(ink, " sent again 40\n"));
	assert_non_null(strstr(ink, " NAK 5\n"));
	assert_non_null(strstr(ink, " not ready 5\n"));
	assert_non_null(strstr(ink, " notification 20\n"));
	assert_non_null(strstr(ink, " marked 30\n"));
	assert_non_null(strstr(ink, " Notifications\n"));
	assert_non_null(strstr(ink, " in each 10 ms; 20 in all\n"));
	assert_null(strstr(ink, " thousand\n"));
	/* All arrows of a kind are one area; its legend is another. */
	assert_int_equal(ink_count(ink, "\narea #e69f00ff "), 2);
	assert_int_equal(ink_count(ink, "\narea #cc79a7ff "), 2);
	free(ink);
	ink = nth(QUIET, &plain, "ink", &n);
	assert_null(strstr(ink, " Notifications\n"));
	assert_null(strstr(ink, " NAK 5"));
	assert_int_equal(ink_count(ink, "\narea #e69f00ff "), 0);
	free(ink);
	ink = nth(EMPTY, &plain, "ink", &n);
	assert_non_null(strstr(ink, "no RoCEv2 queue pair"));
	free(ink);
}

/* A few are counted, and not told as thousands a second. */
static void few_notifications(void **state)
{
	size_t n;
	char *ink = nth(LONE, &plain, "ink", &n), *p;

	(void)state;
	p = strstr(ink, " in each 10 ms; 3 in all\n");
	assert_non_null(p);
	assert_int_equal(ink_count(p, " 0\n"), 2); /* also the time's */
	assert_int_equal(ink_count(p, " 1\n"), 1);
	assert_null(strstr(p, " 0.5\n"));
	assert_null(strstr(ink, " thousand\n"));
	free(ink);
}

/* That little was sent acquits nobody, says check: nor does the picture. */
static void nobody_is_healthy(void **state)
{
	size_t n;
	char *ink = nth(QUIET, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " Nothing wrong seen: "));
	assert_null(strstr(ink, "Healthy"));
	free(ink);
}

/* Most of a second of silence is not drawn; its length is. */
static void silence_is_cut(void **state)
{
	size_t n;
	char *ink = nth(PAUSE, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " cut:\n"));
	assert_non_null(strstr(ink, "a stretch without packets is cut out"));
	assert_int_equal(ink_count(ink, " time from the origin ("), 1);
	free(ink);
	ink = nth(MANY, &plain, "ink", &n);
	assert_null(strstr(ink, " cut:\n"));
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(formats),
		cmocka_unit_test(marks_are_named),
		cmocka_unit_test(few_notifications),
		cmocka_unit_test(nobody_is_healthy),
		cmocka_unit_test(silence_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
