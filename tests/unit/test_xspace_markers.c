/*
 * Steps of GPU planes by the step markers of the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/xspace/markers.h"
#include "tests/unit/little_trace.h"
#include "tests/unit/reading.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WANTS    (NA_WANT_TRANSFERS | NA_WANT_STEPS)

#define MARKER(at, dur, n) \
	{ \
		"train", at, dur, \
		{ \
			{"_r", "i:1"}, \
			{ \
				"step_num", "i:" #n \
			} \
		} \
	}
#define LAUNCH(at, id) \
	{ \
		"cuLaunchKernel", at, 5, \
		{ \
			{ \
				"correlation_id", "i:" #id \
			} \
		} \
	}
#define KERNEL(at, dur, id) \
	{ \
		"gemm", at, dur, \
		{ \
			{ \
				"correlation_id", "u:" #id \
			} \
		} \
	}

enum { PLANES = 4, EVENTS = 8 };

struct row {
	const char *what, *want;
	struct plane { /* with one line */
		const char *plane, *line;
		struct little_event events[EVENTS];
	} planes[PLANES];
};

/* The planes one after the other: XSpace.planes is repeated. */
static void read_row(struct reading *r, const struct row *row, uint32_t wants)
{
	uint8_t *all = NULL;
	size_t n_all = 0;

	for (size_t i = 0; i < PLANES && row->planes[i].plane; i++) {
		struct little_trace t = {.plane = row->planes[i].plane,
					 .line = row->planes[i].line,
					 .events = row->planes[i].events};
		uint8_t *p;
		size_t n;

		while (t.n < EVENTS && t.events[t.n].name)
			t.n++;
		p = little_bytes(&t, &n);
		all = realloc(all, n_all + n);
		assert_non_null(all);
		memcpy(all + n_all, p, n);
		n_all += n;
		free(p);
	}
	read_bytes(r, all, n_all, wants);
	free(all);
}

static void check(const struct row *rows, size_t n, uint32_t wants)
{
	for (size_t i = 0; i < n; i++) {
		struct reading r;

		read_row(&r, &rows[i], wants);
		if (r.status != NA_OK)
			fail_msg("%s: %s", rows[i].what, r.err.text);
		if (strcmp(r.text, rows[i].want) != 0)
			fail_msg("%s:\n got %swant %s", rows[i].what, r.text,
				 rows[i].want);
		reading_end(&r);
	}
}

#define HOST  "/host:CPU", "python"
#define OTHER "/host:CPU", "Host Threads/7"
#define GPU   "/device:GPU:2", "Stream #3"

/* Two markers, [100, 200] and [400, 450]; S is a kernel: its start, its end,
 * and the number of its step. */
/* clang-format off */
static const struct row rows[] = {
	{"the thread of the markers launches: in them, or in none",
	 "S step 150 159 5 plane 2 \"-\"\n"
	 "S step 500 9150 5 plane 2 \"-\"\n"
	 "S step 9200 9210 6 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), MARKER(400, 50, 6), LAUNCH(90, 1),
		  LAUNCH(120, 2), LAUNCH(180, 3), LAUNCH(300, 4),
		  LAUNCH(450, 5)}},
	  {GPU, {KERNEL(110, 9, 1), KERNEL(150, 9, 2), KERNEL(500, 8650, 3),
		 KERNEL(9160, 9, 4), KERNEL(9200, 10, 5)}}}},
	{"another thread launches: the last marker that began before",
	 "S step 150 9150 5 plane 2 \"-\"\n"
	 "S step 9160 9170 5 plane 2 \"-\"\n"
	 "S step 9170 9180 5 plane 2 \"-\" by time\n"
	 "S step 9200 9210 6 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), MARKER(400, 50, 6)}},
	  {OTHER, {LAUNCH(90, 1), LAUNCH(120, 2), LAUNCH(180, 3),
		   LAUNCH(300, 4), LAUNCH(450, 5), LAUNCH(800, 6)}},
	  {GPU, {KERNEL(110, 9, 1), KERNEL(150, 9000, 2), KERNEL(9160, 10, 3),
		 KERNEL(9170, 10, 4), KERNEL(9200, 10, 5),
		 KERNEL(9300, 10, 6)}}}},
	{"a launch that nobody recorded, between two of one marker: by time",
	 "S step 110 119 5 plane 2 \"-\"\n"
	 "S step 460 470 6 plane 2 \"-\" by time\n"
	 "S step 9000 9010 5 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), MARKER(400, 50, 6), LAUNCH(105, 1),
		  LAUNCH(190, 900)}},
	  {GPU, {KERNEL(110, 9, 1), KERNEL(460, 10, 30),
		 KERNEL(9000, 10, 900)}}}},
	{"ids in no order, and one that is launched twice: its first marker",
	 "S step 150 160 5 plane 2 \"-\"\n"
	 "S step 470 480 6 plane 2 \"-\"\n"
	 "S step 500 510 5 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), MARKER(400, 50, 6), LAUNCH(410, 63),
		  LAUNCH(420, 3), LAUNCH(120, 64), LAUNCH(130, 3)}},
	  {GPU, {KERNEL(150, 10, 64), KERNEL(470, 10, 63),
		 KERNEL(500, 10, 3)}}}},
	{"a driver's calls on a plane of their own",
	 "S step 9000 9010 5 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), MARKER(400, 50, 6)}},
	  {"/host:CUPTI", "7", {LAUNCH(120, 1)}},
	  {GPU, {KERNEL(9000, 10, 1)}}}},
	{"no launches: by the time of the kernels, until as long after the "
	 "last marker as two are apart",
	 "S step 100 110 5 plane 2 \"-\" by time\n"
	 "S step 350 399 5 plane 2 \"-\" by time\n"
	 "S step 400 410 6 plane 2 \"-\" by time\n"
	 "S step 700 710 6 plane 2 \"-\" by time\n",
	 {{HOST, {MARKER(100, 100, 5), MARKER(400, 50, 6)}},
	  {GPU, {KERNEL(50, 9, 1), KERNEL(100, 10, 2), KERNEL(350, 49, 3),
		 KERNEL(400, 10, 4), KERNEL(700, 10, 5),
		 KERNEL(701, 10, 6)}}}},
	{"of nested markers the outer one; XProf's roots alone",
	 "S step 150 160 5 plane 2 \"-\"\n"
	 "S step 460 470 6 plane 2 \"-\"\n",
	 {{HOST, {{"early", 10, 9, {{"step_num", "i:70"}}},
		  MARKER(100, 100, 5), MARKER(120, 20, 71),
		  {"late", 130, 9, {{"step_num", "i:72"}}},
		  MARKER(400, 50, 6), LAUNCH(135, 1), LAUNCH(410, 2)}},
	  {GPU, {KERNEL(150, 10, 1), KERNEL(460, 10, 2)}}}},
	{"no roots: any marker; numbers that repeat: in order",
	 "S step 150 160 0 plane 2 \"-\" by time\n"
	 "S step 460 470 1 plane 2 \"-\" by time\n",
	 {{HOST, {{"TraceContext", 100, 100, {{"step_num", "s:9"}}},
		  {"TraceContext", 400, 50, {{"step_num", "u:9"}}}}},
	  {GPU, {KERNEL(150, 10, 1), KERNEL(460, 10, 2)}}}},
	{"kernels of groups come first, whatever they leave out",
	 "S step 150 160 3 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), LAUNCH(120, 1), LAUNCH(130, 2)}},
	  {GPU, {{"gemm", 150, 10, {{"correlation_id", "u:1"},
				    {"group_id", "i:3"}}},
		 KERNEL(170, 10, 2)}}}},
	{"a group_id that no event has, as XProf names it in any plane",
	 "S step 150 160 5 plane 2 \"-\"\n",
	 {{HOST, {MARKER(100, 100, 5), LAUNCH(120, 1)}},
	  {GPU, {{"gemm", 150, 10, {{"correlation_id", "u:1"},
				    {"x", "r:group_id"}}}}}}},
	{"a line of steps comes first", "S step 1 9 4 plane 2 \"4\"\n",
	 {{HOST, {MARKER(100, 100, 5)}},
	  {"/device:GPU:2", "Steps", {{"4", 1, 8, {{NULL, NULL}}}}}}},
	{"markers without kernels", "",
	 {{HOST, {MARKER(100, 100, 5)}}, {GPU, {{NULL, 0, 0, {{NULL, NULL}}}}}}},
	{"kernels without markers", "",
	 {{HOST, {LAUNCH(120, 1)}}, {GPU, {KERNEL(150, 10, 1)}}}},
};
/* clang-format on */

static void windows(void **state)
{
	(void)state;
	check(rows, COUNT(rows), WANTS);
}

/* Who reads no host plane is told no steps by it. */
static void unasked(void **state)
{
	struct reading r;

	(void)state;
	read_row(&r, &rows[0], NA_WANT_STEPS);
	assert_string_equal(r.text, "");
	reading_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(unasked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
