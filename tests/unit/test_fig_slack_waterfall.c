/*
 * The waterfall, from results as no run would make them.
 */
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
#include "plot/figures/slack/waterfall_data.h"
#include "plot/theme.h"
#include "tests/unit/ink.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define LONG        "a-name-that-does-not-end-europe-west4-b-0001-\xff<&\x1b"

struct fake {
	size_t hosts, rows; /* rows: of each host */
	size_t critical;    /* every so many rows; 0: none */
	double length_us, step_us;
	const char *name, *missing;
	bool none; /* nothing was late */
	int64_t more;
};

/* clang-format off */
static const char *const kinds[] = {
	"d2h", "send", "receive", "compute", "h2d", "host", "wait",
	"late_peer", "network", "recv_done"
};
/* clang-format on */

static void put_host(struct na_result *r, struct na_value *list,
		     const struct fake *f, size_t h)
{
	struct na_value *v = na_put_object(r, list, NULL);

	na_put_textf(r, v, "host", "%s-%zu", f->name, h);
	na_put_bool(r, v, "trace", h % 2 == 0);
	na_put_real(r, v, "ahead_us", 1000.5 * (double)h);
	if (h % 3 == 2)
		na_put_null(r, v, "uncertainty_us");
	else
		na_put_real(r, v, "uncertainty_us", 37.5);
}

static void put_row(struct na_result *r, struct na_value *list,
		    const struct fake *f, size_t h, size_t i)
{
	struct na_value *v = na_put_object(r, list, NULL);
	double from = f->step_us * (double)(h * f->rows + i);

	na_put_textf(r, v, "host", "%s-%zu", f->name, h);
	na_put_text(r, v, "device", "s1d0");
	na_put_text(r, v, "kind", kinds[i % 6]);
	na_put_real(r, v, "from_us", from - 2 * f->step_us);
	na_put_real(r, v, "to_us", from + f->step_us * (double)(i % 5));
	na_put_bool(r, v, "critical", f->critical && i % f->critical == 0);
	if (i % 6 == 1 || i % 6 == 2) {
		na_put_text(r, v, "peer", f->name);
		na_put_int(r, v, "chunk", (int64_t)i);
		na_put_real(r, v, "network_us", f->step_us);
	}
}

static void put_path(struct na_result *r, struct na_value *list,
		     const struct fake *f)
{
	size_t n = f->critical ? f->hosts * f->rows / f->critical + 1 : 0;

	for (size_t i = 0; i < n; i++) {
		struct na_value *v = na_put_object(r, list, NULL);

		na_put_text(r, v, "kind", kinds[i % COUNT_OF(kinds)]);
		na_put_real(r, v, "from_us",
			    f->length_us * (double)i / (double)n);
		na_put_real(r, v, "to_us",
			    f->length_us * (double)(i + 1) / (double)n);
		na_put_int(r, v, "row",
			   i + 1 == n ? -1 : (int64_t)(i * f->critical));
	}
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *side = na_result_side(r), *v, *list;
	struct na_value *late = na_put_list(r, na_result_body(r), "late");

	na_result_word(r, NA_WORD_PICTURE, "waterfall");
	if (!f->none) {
		v = na_put_object(r, late, NULL);
		na_put_textf(r, v, "collective", "all-reduce.%s", f->name);
		na_put_text(r, v, "host", f->name);
		na_put_text(r, v, "device", "s1d0");
		na_put_int(r, v, "step", 4);
		na_put_null(r, v, "launch");
		na_put_real(r, v, "from_s", 1.25);
		na_put_real(r, v, "clock_uncertainty_us", 37.5);
		na_put_text(r, v, "cause",
			    f->missing ? NULL
				       : "network: chunk 2 from s1d0 (host-1) "
					 "took 9.8 ms of 10.4 ms");
		na_put_text(r, v, "missing", f->missing);
	}
	v = na_put_object(r, side, "waterfall");
	list = na_put_list(r, v, "hosts");
	for (size_t h = 0; h < f->hosts; h++)
		put_host(r, list, f, h);
	list = na_put_list(r, v, "rows");
	for (size_t h = 0; h < f->hosts; h++) {
		for (size_t i = 0; i < f->rows; i++)
			put_row(r, list, f, h, i);
	}
	put_path(r, na_put_list(r, v, "path"), f);
	na_put_real(r, v, "length_us", f->length_us);
	na_put_int(r, v, "more", f->more);
	assert_true(na_result_ok(r));
	return r;
}

/* clang-format off */
static const struct fake fakes[] = {
	{.none = true, .name = "h"},
	{.missing = "the trace holds no action of it", .name = "h"},
	{.hosts = 1, .rows = 1, .critical = 1, .length_us = 1, .step_us = 1,
	 .name = "h"},
	{.hosts = 3, .rows = 6, .critical = 2, .length_us = 18000,
	 .step_us = 1000, .name = "host"},
	{.hosts = 2, .rows = 500, .critical = 3, .length_us = 1e6,
	 .step_us = 1000, .name = LONG LONG, .more = 123456},
	{.hosts = 1, .rows = 300, .critical = 7, .length_us = 3e5,
	 .step_us = 1000, .name = "one"},
	{.hosts = 64, .rows = 16, .critical = 1, .length_us = 0.5,
	 .step_us = 0.001, .name = LONG},
	{.hosts = 5, .rows = 9, .critical = 4, .length_us = 3e12,
	 .step_us = -1e11, .name = "back"},
};
/* clang-format on */

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("slack", r, page, format, n);

	na_result_free(r);
	return bytes;
}

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	return picture(&fakes[i], page, format, n);
}

static void labels_never_overlap(void **state)
{
	(void)state;
	check_pages(nth, COUNT_OF(fakes));
}

static void every_format(void **state)
{
	(void)state;
	check_formats(nth, COUNT_OF(fakes));
}

/* Rows on the path first, no more than there is room for, the rest counted. */
static void chosen_rows(void **state)
{
	(void)state;
	for (size_t i = 2; i < COUNT_OF(fakes); i++) {
		for (size_t lines = 2; lines < 50; lines += 7) {
			struct na_result *r = make(&fakes[i]);
			struct na_err err = {.status = NA_OK};
			size_t used = 0, shown = 0, plain = 0, left = 0;
			struct waterfall w;

			assert_int_equal(na_wf_read(&w, r, &err), NA_OK);
			na_wf_choose(&w, lines);
			for (size_t h = 0; h < w.n_hosts; h++)
				used += w.hosts[h].shown ? w.hosts[h].shown + 1
							 : 0;
			for (size_t k = 0; k < w.n_rows; k++) {
				shown += w.rows[k].shown;
				plain += w.rows[k].shown && !w.rows[k].critical;
				left += !w.rows[k].shown && w.rows[k].critical;
			}
			assert_true(used <= lines && shown > 0);
			/* Of one host: nothing but the path, unless all of it
			 * is there. */
			if (w.n_hosts == 1)
				assert_true(!plain || !left);
			assert_int_equal(w.hidden,
					 (size_t)fakes[i].more +
						 fakes[i].hosts *
							 fakes[i].rows -
						 shown);
			na_wf_fini(&w);
			na_result_free(r);
		}
	}
}

/* Who waits longest waits for somebody as a rule: it is named, not accused. */
static void nobody_is_accused(void **state)
{
	struct na_color c = na_theme_light.hue[NA_HUE_FINDING];
	struct na_page page = {.width = 900, .height = 700};
	char text[16];
	size_t n;
	char *ink = picture(&fakes[3], &page, "ink", &n);

	(void)state;
	snprintf(text, sizeof(text), "text #%02x%02x%02x", c.r, c.g, c.b);
	assert_true(ink_count(ink, "the longest wait") > 0);
	assert_int_equal(ink_count(ink, text), 0);
	free(ink);
}

/* Dotted where actions between are not shown, from one bar to another. */
static void hidden_ways_are_dotted(void **state)
{
	const struct na_page page = {.width = 1200, .height = 675};
	size_t n;
	char *ink = picture(&fakes[3], &page, "ink", &n);

	(void)state;
	assert_int_equal(ink_count(ink, "\nline #1b1f24ff 1.2 dot "), 0);
	assert_null(strstr(ink, "dotted:"));
	free(ink);
	ink = picture(&fakes[4], &page, "ink", &n);
	assert_true(ink_count(ink, "\nline #1b1f24ff 1.2 dot ") > 0);
	assert_non_null(strstr(ink, "dotted: through actions that are not "
				    "shown"));
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(every_format),
		cmocka_unit_test(chosen_rows),
		cmocka_unit_test(nobody_is_accused),
		cmocka_unit_test(hidden_ways_are_dotted),
	};

	return cmocka_run_group_tests_name("fig_slack_waterfall", tests, NULL,
					   NULL);
}
