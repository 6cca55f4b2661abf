/*
 * The picture of steps, from results as no run would make them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/synth/rng.h"
#include "tests/unit/ink.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define LONG        "a-host-whose-name-does-not-end-europe-west4-b-0001-\xff<&\x1b"

struct fake {
	size_t hosts, columns, stragglers, changes;
	const char *name;
	double ms; /* of a step */
	bool apart, by_order, holes, launches, network;
	int64_t first, each;
};

static void put_lines(struct na_result *r, struct na_value *side,
		      const struct fake *f, struct na_rng *rng)
{
	struct na_value *list = na_put_list(r, side, "lines");

	for (size_t h = 0; h < f->hosts; h++) {
		struct na_value *to = na_put_object(r, list, NULL);
		bool slow = h % 3 == 1 && h / 3 < f->stragglers;
		double *own, *late;

		na_put_textf(r, to, "name", "%s-%zu", f->name, h);
		na_put_text(r, to, "cause",
			    !slow        ? NULL
			    : f->network ? "network"
			    : h % 2      ? "computation"
					 : "late_start");
		na_put_real(r, to, "behind_ms", f->ms / 7);
		own = na_put_reals(r, to, "own_ms", f->columns);
		late = na_put_reals(r, to, "late_ms", f->columns);
		for (size_t i = 0; i < f->columns; i++) {
			double x = (double)na_rng_below(rng, 1000) / 1000;

			late[i] = f->ms * (slow ? 0.2 + x : x * x * x);
			own[i] = f->ms * 0.5 + late[i];
			if (f->holes && (i + h) % 5 == 0)
				late[i] = own[i] = NAN;
		}
	}
}

static struct na_result *make(const struct fake *f)
{
	static const char *const parts[] = {"compute_ms", "overlap_ms",
					    "exposed_ms", "idle_ms"};
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *side = na_result_side(r);
	struct na_value *to, *list;
	struct na_rng rng;

	na_rng_seed(&rng, 1);
	na_put_list(r, body, "steps");
	list = na_put_list(r, body, "changes");
	for (size_t i = 0; i < f->changes; i++) {
		to = na_put_object(r, list, NULL);
		na_put_text(r, to, "kind", i % 4 == 3 ? "drift" : "change");
		na_put_text(r, to, "host", i % 5 == 4 ? "x" : NULL);
		na_put_int(r, to, "step", f->first + 3 * (int64_t)i);
		na_put_real(r, to, "from_ms", f->ms);
		na_put_real(r, to, "to_ms", f->ms * 1.5);
	}
	na_put_text(r, body, "verdict", "it computes");
	na_result_word(r, NA_WORD_MESSAGE,
		       "host-3 computes 1.4x as long as the others");
	na_result_about(r)->runs_apart = f->apart;
	na_put_bool(r, side, "launches", f->launches);
	na_put_bool(r, side, "by_order", f->by_order);
	na_put_int(r, side, "first", f->first);
	na_put_int(r, side, "each", f->each ? f->each : 1);
	na_put_int(r, side, "columns", (int64_t)f->columns);
	put_lines(r, side, f, &rng);
	to = f->apart || f->launches ? NULL : na_put_object(r, side, "parts");
	for (size_t k = 0; to && k < COUNT_OF(parts); k++) {
		double *x = na_put_reals(r, to, parts[k], f->columns);

		for (size_t i = 0; i < f->columns; i++)
			x[i] = f->ms * (double)na_rng_below(&rng, 100) / 400;
	}
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("steps", r, page, format, n);

	na_result_free(r);
	return bytes;
}

/* clang-format off */
static const struct fake rows[] = {
	{.hosts = 0, .name = "host"},
	{.hosts = 1, .columns = 1, .name = "host", .ms = 60},
	{.hosts = 4, .columns = 60, .stragglers = 1, .changes = 2,
	 .name = "host", .ms = 60},
	{.hosts = 6, .columns = 1200, .stragglers = 2, .changes = 90,
	 .name = LONG, .ms = 0.00001, .first = INT64_MAX / 2, .each = 9},
	{.hosts = 7, .columns = 40, .stragglers = 1, .changes = 3,
	 .name = "host", .ms = 3e5, .holes = true},
	{.hosts = 64, .columns = 300, .stragglers = 20, .changes = 1,
	 .name = LONG LONG, .ms = 12, .first = 100},
	{.hosts = 256, .columns = 1000, .stragglers = 2, .name = "host",
	 .ms = 60, .holes = true},
	{.hosts = 3000, .columns = 1200, .stragglers = 900, .name = "host",
	 .ms = 60},
	{.hosts = 9, .columns = 30, .stragglers = 0, .name = "run", .ms = 60,
	 .apart = true},
	{.hosts = 8, .columns = 30, .name = "host", .ms = 0},
	{.hosts = 3, .columns = 30, .name = "host", .ms = 5, .by_order = true,
	 .changes = 1},
	{.hosts = 5, .columns = 40, .stragglers = 1, .changes = 2,
	 .name = LONG, .ms = 30, .first = 400, .launches = true},
	{.hosts = 40, .columns = 40, .stragglers = 3, .name = "host",
	 .ms = 30, .launches = true},
};
/* clang-format on */

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	return picture(&rows[i], page, format, n);
}

static void labels_never_overlap(void **state)
{
	(void)state;
	check_pages(nth, COUNT_OF(rows));
}

static void small(void **state)
{
	const struct na_page page = {.version = "0.1.0"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t n, m;
		char *svg = picture(&rows[i], &page, "svg", &n);
		char *again = picture(&rows[i], &page, "svg", &m);

		assert_true(n < (size_t)1 << 20);
		assert_true(n == m && memcmp(svg, again, n) == 0);
		free(svg);
		free(again);
	}
}

/* In bold type, which is for culprits? */
static bool is_bold(const char *ink, const char *words)
{
	const char *line = strstr(ink, words);

	assert_non_null(line);
	while (line > ink && line[-1] != '\n')
		line--;
	line = strstr(line, " bold ");
	return line && line < strstr(ink, words);
}

static void names_stragglers(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	size_t n;
	char *ink;

	(void)state;
	for (size_t i = 2; i < 7; i += 2) { /* lines, and heat maps */
		ink = picture(&rows[i], &page, "ink", &n);
		assert_true(is_bold(ink, "host-1: computation, +"));
		assert_non_null(strstr(ink, "line #d55e00ff"));
		assert_null(strstr(ink, "host-0: "));
		free(ink);
	}
	ink = picture(&rows[2], &page, "ink", &n);
	assert_non_null(strstr(ink, "step 60 ms \xe2\x86\x92 90 ms"));
	free(ink);
	/* The map has no room for it beside the line. */
	ink = picture(&rows[5], &page, "ink", &n);
	assert_non_null(strstr(ink, "dashed: the step time changes, 12 ms "));
	free(ink);
	ink = picture(&rows[0], &page, "ink", &n);
	assert_non_null(strstr(ink, "There are no steps."));
	free(ink);
}

/* Own times do not differ where the network is slow: what is behind does.  Who
 * has the longest transfers may only wait, and gets no frame. */
static void network_is_a_map(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	struct fake f = rows[2];
	size_t n;
	char *ink;

	(void)state;
	assert_true(f.hosts <= 6);
	f.network = true;
	ink = picture(&f, &page, "ink", &n);
	assert_non_null(strstr(ink, " Hosts: behind the median host\n"));
	assert_false(is_bold(ink, "host-1: transfers or waits, +"));
	assert_null(strstr(ink, "line #d55e00ff"));
	assert_null(strstr(ink, "line #1b1f24ff"));
	assert_null(strstr(ink, " Own time of each host\n"));
	assert_null(strstr(ink, "muted: "));
	free(ink);
}

/* Where nobody stands out, differences are pale, and the first rows named. */
static void noise_is_muted(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	struct fake f = {.hosts = 64,
			 .columns = 6,
			 .name = "host",
			 .ms = 60,
			 .each = 1,
			 .network = true};
	size_t n;
	char *ink = picture(&f, &page, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, "muted: no host stands out; "));
	assert_non_null(strstr(ink, " host-4\n"));
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(small),
		cmocka_unit_test(names_stragglers),
		cmocka_unit_test(noise_is_muted),
		cmocka_unit_test(network_is_a_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
