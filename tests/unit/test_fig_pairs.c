/* The heat map: what is marked, what holds at any size. */
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
#include "netan/synth/rng.h"
#include "plot/figure.h"
#include "tests/unit/ink.h"

#define LONG_NAME \
	"gke-tpu-\xe2\x80\xae\x1b[31m<b>&\"\xff pool-that-does-not-end-" \
	"europe-west4-b-0001-abcdefgh-"
#define FINDING "#d55e00ff"
#define WAITS   "#d3d7dcff"

/* A run that exists only here. */
struct fake {
	size_t nodes;
	int per_group, matrices;
	const char *marks;  /* "src dst pair rack_uplink ..." */
	double least, most; /* excess of cells */
	bool names, ring, unknown, few;
	bool waits; /* all that leaves nodes but node 0 */
	bool sparse; /* likewise: few transfers */
	bool sparse_all;
	const char *measure;
	int64_t timeless;
	const char *empty, *message;
};

static void put_nodes(struct na_result *r, struct na_value *m,
		      const struct fake *f)
{
	struct na_value *list = na_put_list(r, m, "nodes");
	double *rack = na_put_reals(r, m, "rack", f->nodes);

	for (size_t i = 0; i < f->nodes; i++) {
		struct na_value *x = na_put_object(r, list, NULL);

		na_put_textf(r, x, "name", "%s%zu",
			     f->names ? LONG_NAME : "host-", i);
		na_put_int(r, x, "group",
			   f->per_group ? (int64_t)i / f->per_group : 0);
		rack[i] = (double)(i / 4);
	}
}

static void put_cells(struct na_result *r, struct na_value *m,
		      const struct fake *f, struct na_rng *rng)
{
	size_t n = f->ring ? f->nodes : f->nodes * f->nodes;
	double *src = na_put_reals(r, m, "src", n);
	double *dst = na_put_reals(r, m, "dst", n);
	double *x = na_put_reals(r, m, "excess", n);
	double *role = f->waits ? na_put_reals(r, m, "role", n) : NULL;

	double *few = f->sparse ? na_put_reals(r, m, "few", n) : NULL;

	for (size_t i = 0; i < n; i++) {
		double u = (double)na_rng_below(rng, 1000000) / 1e6;

		src[i] = (double)(f->ring ? i : i / f->nodes);
		dst[i] = (double)(f->ring ? (i + 1) % f->nodes : i % f->nodes);
		x[i] = f->unknown ? (double)NAN
				  : f->least * pow(f->most / f->least, u);
		if (role)
			role[i] = src[i] > 0 ? 2 : 1;
		if (few)
			few[i] = src[i] > 0 || f->sparse_all;
	}
}

static void put_marks(struct na_result *r, struct na_value *m,
		      const struct fake *f)
{
	struct na_value *list = na_put_list(r, m, "marks");
	char words[400], *next, *word;
	int64_t i = 0;

	snprintf(words, sizeof(words), "%s", f->marks ? f->marks : "");
	for (word = strtok_r(words, " ", &next); word;
	     word = strtok_r(NULL, " ", &next), i++) {
		struct na_value *x = na_put_object(r, list, NULL);

		na_put_text(r, x, "kind", word);
		na_put_textf(r, x, "name", "%s of " LONG_NAME, word);
		na_put_int(r, x, "a", i);
		na_put_int(r, x, "b", i + 1);
		na_put_real(r, x, "excess", 2.5 + (double)i);
	}
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *side = na_result_side(r), *list;
	struct na_rng rng;

	assert_non_null(r);
	na_rng_seed(&rng, 3);
	na_result_headline(r, "pairs: 8 files, 8 hosts");
	na_put_text(r, side, "ends", "hosts");
	if (f->empty)
		na_result_word(r, NA_WORD_EMPTY, f->empty);
	if (f->marks)
		na_result_word(r, NA_WORD_MESSAGE, "Suspect: " LONG_NAME);
	if (f->message)
		na_result_word(r, NA_WORD_MESSAGE, f->message);
	list = na_put_list(r, side, "matrices");
	for (int i = 0; i < f->matrices; i++) {
		struct na_value *m = na_put_object(r, list, NULL);

		if (f->matrices > 1)
			na_put_textf(r, m, "label", "%s%d",
				     f->names ? LONG_NAME : "run ", i);
		put_nodes(r, m, f);
		put_cells(r, m, f, &rng);
		put_marks(r, m, f);
		if (f->sparse)
			na_put_int(r, m, "fewest", 20);
		na_put_int(r, m, "too_few", f->few);
		if (f->measure)
			na_put_text(r, m, "measure", f->measure);
		na_put_int(r, m, "timeless", f->timeless);
	}
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("pairs", r, page, format, n);

	na_result_free(r);
	return bytes;
}

static const struct na_page plain = {.version = "0.1.0"};

static char *ink_of(const struct fake *f)
{
	size_t n;

	return picture(f, &plain, "ink", &n);
}

#define EVEN .matrices = 1, .least = 0.9, .most = 1.1
#define MANY "src dst pair host rack_uplink rack_downlink rack_pair src dst"

/* What is hard to place. */
/* clang-format off */
static const struct fake rows[] = {
	{.nodes = 8, EVEN, .marks = "src"},
	{.nodes = 1, EVEN},
	{.nodes = 2, EVEN, .marks = "src dst pair"},
	{.nodes = 3, .matrices = 1, .unknown = true},
	{.nodes = 64, EVEN, .per_group = 4, .marks = MANY},
	{.nodes = 64, EVEN, .waits = true, .names = true, .ring = true,
	 .marks = "src"},
	{.nodes = 64, .matrices = 1, .least = 1e-9, .most = 1e9, .names = true,
	 .marks = MANY " src src src src src src"},
	{.nodes = 256, .matrices = 1, .least = 0.3, .most = 3, .marks = "dst"},
	{.nodes = 1000, EVEN, .ring = true, .names = true, .marks = MANY},
	{.nodes = 12, .matrices = 3, .least = 1, .most = 30, .names = true,
	 .measure = "timeouts", .timeless = 3, .marks = "src dst"},
	{.nodes = 12, .matrices = 2, .least = 0.5, .most = 2, .marks = MANY},
	{.nodes = 12, .matrices = 7, .least = 0.5, .most = 2, .names = true,
	 .marks = "host pair"},
	{.nodes = 0, .matrices = 2},
	{.matrices = 0},
	{.matrices = 0, .empty = "There are no transfers: record the trace "
				 "with the host tracer on."},
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
	check_pages(nth, sizeof(rows) / sizeof(rows[0]));
}

static void size_is_bounded(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n;
		char *svg = picture(&rows[i], &plain, "svg", &n);

		if (n > 1 << 20)
			fail_msg("row %zu: %zu bytes", i, n);
		free(svg);
	}
}

/* Width and height of the first outline. */
static bool outlined(const char *ink, double *w, double *h)
{
	const char *p = strstr(ink, "\nline " FINDING " ");
	double x0, y0, x1, y1;

	for (; p; p = strstr(p + 1, "\nline " FINDING " ")) {
		if (sscanf(p,
			   "\nline %*s %*s solid %lf,%lf %*f,%*f %lf,%lf %*f",
			   &x0, &y0, &x1, &y1) != 4)
			continue;
		*w = x1 - x0;
		*h = y1 - y0;
		return true;
	}
	return false;
}

static void marks(void **state)
{
	struct fake f = {.nodes = 8, EVEN, .marks = "src"};
	double w = 0, h = 0;
	char *ink = ink_of(&f);

	(void)state;
	assert_true(outlined(ink, &w, &h));
	assert_true(w > 6 * h);
	assert_non_null(strstr(ink, " 2.5x\n"));
	assert_non_null(strstr(ink, " from host-0\n"));
	free(ink);
	f.marks = "dst";
	ink = ink_of(&f);
	assert_true(outlined(ink, &w, &h));
	assert_true(h > 6 * w);
	assert_non_null(strstr(ink, " 2.5x to host-0\n"));
	free(ink);
	f.marks = "pair";
	ink = ink_of(&f);
	assert_true(outlined(ink, &w, &h));
	assert_true(fabs(h - w) < 2);
	assert_non_null(strstr(ink, " host-0 to host-1\n"));
	free(ink);
	f.marks = "rack_uplink";
	ink = ink_of(&f);
	assert_true(outlined(ink, &w, &h));
	assert_true(fabs(w - h) < 2 && w > 100); /* to the other rack */
	free(ink);
	f.marks = NULL;
	ink = ink_of(&f);
	assert_false(outlined(ink, &w, &h));
	free(ink);
}

/* A title that is too long ends where it may: the rest is the subtitle. */
static void titles_end_within_a_line(void **state)
{
	static const char *const titles[][2] = {
		{"One slow run of all-reduce.226_6, waiting for a peer: "
		 "host-15 began 9.73 ms after the others",
		 " One slow run of all-reduce.226_6, waiting for a peer\n"},
		{"No rank stands out by its steps (8 ranks): 40.5 % of the "
		 "step is exposed (33.5 % waits for later ones), 0.253 % idle",
		 " No rank stands out by its steps (8 ranks)\n"},
		{"Guilty: the transmit side of a host whose name is long "
		 "enough to fill this line; likely: a suspect to test",
		 " Guilty: the transmit side of a host whose name is long "
		 "enough to fill this line\n"},
		{"Guilty: transmit side, receive side of one; all that goes "
		 "to it or comes from it, and more",
		 " Guilty: transmit side, receive side of one\n"},
		{"Cannot tell: what one sends takes 1.5x as long as else in "
		 "12 steps (6, 9, 11, 13, ...), and 5 others do so at times",
		 " Cannot tell: what one sends takes 1.5x as long as else in "
		 "12 steps\n"},
		{"Short: it stays, as it is; all",
		 " Short: it stays, as it is; all\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		const struct fake f = {.nodes = 8,
				       EVEN,
				       .message = titles[i][0]};
		char *ink = ink_of(&f);

		if (!strstr(ink, titles[i][1]))
			fail_msg("no title \"%s\"", titles[i][1]);
		free(ink);
	}
}

static void looks(void **state)
{
	struct fake f = {.nodes = 8, EVEN};
	char *ink = ink_of(&f);

	(void)state;
	assert_null(strstr(ink, " no transfers\n"));
	assert_null(strstr(ink, " beyond "));
	free(ink);
	f.ring = true;
	f.most = 1e6;
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " no transfers\n"));
	assert_non_null(strstr(ink, " beyond 32x\n"));
	assert_null(strstr(ink, " beyond 1/32x\n"));
	/* A cross in each such square and in the key, beside numbers, too. */
	assert_true(ink_count(ink, "\nline #ffffffff 1.5 ") > 0);
	free(ink);
	/* What is faster is no less beyond: in its own colour. */
	f.least = 1e-6;
	f.most = 1;
	ink = ink_of(&f);
	assert_null(strstr(ink, " beyond 32x\n"));
	assert_non_null(strstr(ink, " beyond 1/32x\n"));
	free(ink);
	/* The number is what the table says; more than colours tell, where it
	 * would read as their end. */
	f.least = f.most = 532;
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " 532\n"));
	assert_null(strchr(strstr(ink, "\ntext "), '>'));
	free(ink);
	f.least = f.most = 32.4;
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " >32\n"));
	free(ink);
	f.unknown = true;
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " nothing to compare with\n"));
	free(ink);
	f = (struct fake){.nodes = 1000, .ring = true, EVEN};
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " 4 x 4 hosts\n"));
	free(ink);
}

/* What only waits has a colour that says so, whatever it took. */
static void waits_accuse_nobody(void **state)
{
	struct fake f = {.nodes = 8, .matrices = 1, .least = 1.5, .most = 9};
	char *ink = ink_of(&f), *grey;

	(void)state;
	assert_null(strstr(ink, " only waits, says its sender\n"));
	f.waits = true;
	grey = ink_of(&f);
	assert_non_null(strstr(grey, " only waits, says its sender\n"));
	/* Its squares are of a colour that no excess has. */
	assert_null(strstr(ink, " " WAITS " "));
	assert_non_null(strstr(grey, " " WAITS " "));
	free(ink);
	free(grey);
}

/* A few transfers that took long are no sight for those from afar: nor do they
 * set how far colours reach. */
static void few_transfers_are_muted(void **state)
{
	struct fake f = {.nodes = 8, .matrices = 1, .least = 3, .most = 3.9};
	const char *key = " muted: fewer than 20 transfers\n";
	char *ink = ink_of(&f), *muted;
	size_t full = ink_count(ink, FINDING);

	(void)state;
	assert_null(strstr(ink, key));
	f.sparse = true;
	muted = ink_of(&f);
	assert_non_null(strstr(muted, key));
	assert_true(full > 0 && ink_count(muted, FINDING) < full);
	free(ink);
	free(muted);
	/* Of one row of many transfers, beside seven of few. */
	f = (struct fake){.nodes = 8, .matrices = 1, .least = 20, .most = 20,
			  .sparse = true};
	muted = ink_of(&f);
	assert_null(strstr(muted, " beyond "));
	free(muted);
	f.sparse_all = true;
	muted = ink_of(&f);
	assert_non_null(strstr(muted, " beyond 4x\n"));
	free(muted);
}

/* What is drawn is what somebody is named by, and the key says what. */
static void squares_say_what_they_are(void **state)
{
	struct fake f = {.nodes = 8, EVEN, .marks = "src"};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " median latency against what is expected "
				    "of its transfers\n"));
	assert_null(strstr(ink, " clocks differ"));
	free(ink);
	f.measure = "sends";
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " sends, by their sender's clock, against "
				    "those of others in the same "
				    "collectives\n"));
	free(ink);
	f = (struct fake){.nodes = 8, EVEN, .timeless = 7};
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " clocks differ: most transfers of 7 pairs "
				    "show no time"));
	free(ink);
}

/* Of counts none is pale, the most is strong, and nothing is blue. */
static void timeouts_are_counted(void **state)
{
	struct fake f = {.nodes = 8, .matrices = 1, .least = 40, .most = 40,
			 .measure = "timeouts"};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " transfers that waited for a "
				    "retransmission timer\n"));
	assert_null(strstr(ink, " 1x\n"));
	assert_null(strstr(ink, " beyond "));
	assert_null(strstr(ink, "#0072b2ff"));
	assert_non_null(strstr(ink, " 40\n"));
	free(ink);
}

static size_t numbers(const char *ink)
{
	size_t n = 0;

	for (const char *p = ink; (p = strstr(p, "\ntext ")); p++)
		n += strncmp(strchr(p + 1, '\n') - 4, " 1.", 3) == 0 ||
		     strncmp(strchr(p + 1, '\n') - 5, " 0.", 3) == 0;
	return n;
}

/* Few squares hold their numbers; where pairs are too few, no colour accuses
 * one. */
static void numbers_and_muted(void **state)
{
	struct fake f = {.nodes = 8, .matrices = 1, .least = 0.5, .most = 1.4};
	char *ink = ink_of(&f), *muted;

	(void)state;
	assert_true(numbers(ink) > 40);
	assert_null(strstr(ink, "muted"));
	f.few = true;
	muted = ink_of(&f);
	assert_non_null(strstr(muted, " muted: too few pairs "));
	assert_string_not_equal(ink, muted);
	free(ink);
	free(muted);
	f.nodes = 17;
	ink = ink_of(&f);
	assert_int_equal(numbers(ink), 0);
	free(ink);
}

/* Short names leave no room for "from" beside the matrix. */
static void axes_are_named(void **state)
{
	struct fake f = {.nodes = 8, EVEN};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " from \xe2\x86\x93\n"));
	assert_non_null(strstr(ink, " to \xe2\x86\x92 "));
	free(ink);
}

/* What all names begin with stands once: the squares have the page. */
static void long_names(void **state)
{
	struct fake f = {.nodes = 8, EVEN, .names = true, .marks = "src"};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " from \xe2\x80\xa6" "0\n"));
	assert_non_null(strstr(ink, " 7\n"));
	free(ink);
}

static void one_end(void **state)
{
	struct fake f = {.nodes = 1, EVEN};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " 1 host"));
	assert_null(strstr(ink, " 1 hosts"));
	free(ink);
}

/* What is too long for one line is broken where a sentence may end. */
static void title_is_a_line(void **state)
{
	struct fake f = {.nodes = 8,
			 EVEN,
			 .message = "Peer gone: 1400 bytes sent again 13 times "
				    "and not acknowledged: "
				    "192.168.72.14:3254 is gone"};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " Peer gone: 1400 bytes sent again 13 times "
				    "and not acknowledged\n"));
	assert_non_null(strstr(ink, " 192.168.72.14:3254 is gone \xc2\xb7 "));
	free(ink);
}

static void empty(void **state)
{
	struct fake f = {.matrices = 1};
	char *ink = ink_of(&f);

	(void)state;
	assert_non_null(strstr(ink, " No transfer between a source and a "
				    "destination.\n"));
	free(ink);
	f.empty = "There are no transfers.";
	ink = ink_of(&f);
	assert_non_null(strstr(ink, " There are no transfers.\n"));
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(marks),
		cmocka_unit_test(titles_end_within_a_line),
		cmocka_unit_test(looks),
		cmocka_unit_test(waits_accuse_nobody),
		cmocka_unit_test(few_transfers_are_muted),
		cmocka_unit_test(squares_say_what_they_are),
		cmocka_unit_test(timeouts_are_counted),
		cmocka_unit_test(numbers_and_muted),
		cmocka_unit_test(axes_are_named),
		cmocka_unit_test(long_names),
		cmocka_unit_test(one_end),
		cmocka_unit_test(title_is_a_line),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
