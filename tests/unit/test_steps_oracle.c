/*
 * Steps drawn at random against another implementation, which counts them
 * nanosecond by nanosecond (tests/oracle/steps.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_steps.h"

enum { LINE = 256, WANTS = 64, NAMES = 256 };
#define NS INT64_C(1000)

struct want {
	int host;
	char field[16];
	double value;
};

struct wants {
	struct want of[WANTS];
	size_t n;
};

/* Names live as long as the test. */
static const char *keep(const char *text)
{
	static char kept[NAMES][24];
	size_t i = 0;

	if (strcmp(text, "-") == 0)
		return NULL;
	while (*kept[i] && strcmp(kept[i], text) != 0)
		assert_true(++i < NAMES);
	snprintf(kept[i], sizeof(kept[i]), "%s", text);
	return kept[i];
}

static void take_op(struct steps_run *x, const char *line)
{
	char network[8], opcode[16], phase[8], name[24], other[24];
	long long from, to;
	int host;
	struct hand_row row = {HAND_OP, .src = 0};
	bool dcn;

	assert_int_equal(sscanf(line, "op %d %7s %15s %7s %23s %23s %lld %lld",
				&host, network, opcode, phase, name, other,
				&from, &to),
			 8);
	dcn = strcmp(network, "dcn") == 0;
	row.source = host;
	row.start_ps = from * NS;
	row.end_ps = to * NS;
	row.op_name = keep(name);
	if (dcn)
		row.name = keep(other);
	else
		row.start_op = keep(other);
	row.op.network = dcn ? NA_NET_DCN : NA_NET_ICI;
	row.op.channel = -1;
	row.op.opcode = strcmp(opcode, "send") == 0   ? NA_OPCODE_SEND
			: strcmp(opcode, "recv") == 0 ? NA_OPCODE_RECV
						      : NA_OPCODE_ALL_REDUCE;
	row.op.phase = strcmp(phase, "start") == 0  ? NA_OP_START
		       : strcmp(phase, "done") == 0 ? NA_OP_DONE
						    : NA_OP_WHOLE;
	steps_add(x, row);
}

static void take(struct steps_run *x, struct wants *w, const char *line)
{
	struct hand_row row = {HAND_BUSY, .src = 0};
	struct want *k = &w->of[w->n];
	long long from, to;

	if (sscanf(line, "step %d %d %lld %lld", &row.source, &row.number,
		   &from, &to) == 4) {
		row.what = HAND_STEP;
	} else if (sscanf(line, "want %d %15s %lf", &k->host, k->field,
			  &k->value) == 3) {
		assert_true(++w->n < WANTS);
		return;
	} else if (sscanf(line, "busy %d %lld %lld", &row.source, &from, &to) !=
		   3) {
		take_op(x, line);
		return;
	}
	row.start_ps = from * NS;
	row.end_ps = to * NS;
	steps_add(x, row);
}

static double found(const struct na_value *row, const char *field)
{
	static const char *const names[][2] = {
		{"duration", "mean_ms"},   {"compute", "compute_ms"},
		{"overlap", "overlap_ms"}, {"dcn", "exposed_dcn_ms"},
		{"ici", "exposed_ici_ms"}, {"idle", "idle_ms"},
		{"gap", "gap_ms"},         {"waiting", "waiting_ms"},
	};
	double n = na_real_of(na_get(row, "steps"), NAN);

	if (strcmp(field, "steps") == 0)
		return n;
	if (strcmp(field, "flight") == 0)
		return found(row, "overlap") /
		       na_real_of(na_get(row, "overlap_share"), NAN);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(field, names[i][0]) == 0)
			return n * 1e6 *
			       na_real_of(na_get(row, names[i][1]), NAN);
	}
	fail_msg("no field %s", field);
	return NAN;
}

static void check(struct steps_run *x, const struct wants *w, size_t block)
{
	steps_ready(x);
	steps_analyse(x, block);
	for (size_t i = 0; i < w->n; i++) {
		const struct want *k = &w->of[i];
		double got = found(steps_row(x, "hosts", (size_t)k->host),
				   k->field);

		if (!(fabs(got - k->value) <= 1e-9 * fmax(1, k->value)))
			fail_msg("host %d: %s is %.12g, not %.12g", k->host,
				 k->field, got, k->value);
	}
	steps_end(x);
}

static void oracle(void **state)
{
	const char *root = getenv("NETAN_ROOT");
	struct wants w = {.n = 0};
	char path[4096], line[LINE];
	struct steps_run x;
	size_t cases = 0;
	int hosts;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/oracle/steps.tsv",
		 root ? root : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		if (sscanf(line, "case %*s %d", &hosts) != 1) {
			take(&x, &w, line);
			continue;
		}
		if (cases++)
			check(&x, &w, 7 * cases);
		w.n = 0;
		steps_init(&x, (size_t)hosts, NULL);
	}
	check(&x, &w, 1000);
	assert_int_equal(cases, 4);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(oracle)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
