/* Device planes for tests of slack: ops by name and time in microseconds. */
#ifndef TESTS_UNIT_HAND_SLACK_H
#define TESTS_UNIT_HAND_SLACK_H

#include "netan/analyses/slack/slack.h"
#include "tests/unit/hand_drive.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       INT64_C(1000000)

enum { MOST = 4000 };

struct run {
	struct hand h;
	struct na_scope scope;
	struct sl_params params;
	struct driven d;
	struct hand_row *rows; /* [MOST] */
	size_t n;
	int source, core;
	const char *type; /* of the transfers that follow */
	uint64_t bytes;
	uint32_t group;
	int64_t zero_ns[HAND_SOURCES];
};

void begin(struct run *x);
struct hand_row *push(struct run *x, enum hand_what what, int64_t from_us,
		      int64_t to_us);
/* An op "send.5" of a collective; NULL: of none. */
struct hand_row *op(struct run *x, const char *name, const char *of,
		    int64_t from_us, int64_t to_us);
/* Four ops: 20 us of overlap, slack 180, observed 250, stall 70. */
void plain(struct run *x, const char *of, int64_t at_us);
void fill(struct run *x, size_t sources, const char *const *labels);
/* In blocks of `size` records; into x->d. */
void analyse(struct run *x, size_t size);
void end(struct run *x);

/* Of the result: the i-th row, how many, a number in it, one of the body. */
const struct na_value *row(const struct run *x, size_t i);
size_t rows(const struct run *x);
double real(const struct na_value *v, const char *path);
double body(const struct run *x, const char *path);

#define SAME(v, path, want) \
	do { \
		double got_ = real(v, path); \
		if (got_ != (want)) \
			print_error("%s: %.17g\n", path, got_); \
		assert_true(got_ == (want)); \
	} while (0)
#define NOTHING(v, path) assert_true(isnan(real(v, path)))

#endif
