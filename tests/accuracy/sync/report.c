#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/score.h"

/* ---- which faults and sessions a row is of */

enum { ANY = -1 };

struct row {
	const char *name;
	int kind;           /* of the session */
	int fault;          /* its kind */
	double from, below; /* median slowdown; below 0: any */
	double clock_us;    /* 0: any */
	int style;          /* 0 new, 1 old */
	int waits, local;   /* the same way */
	bool slow_nics;     /* constant, with the stamps of both ends */
};

static const struct row all_rows = {"all", ANY, ANY, 0,   0,
				    0,     ANY, ANY, ANY, false};

static bool session_in(const struct row *r, const struct sy_score *s)
{
	return s->done && !s->failed &&
	       (r->kind == ANY || s->kind == (enum sy_kind)r->kind) &&
	       (r->clock_us <= 0 || (s->clock_us > r->clock_us * 0.99 &&
				     s->clock_us < r->clock_us * 1.01)) &&
	       (r->style == ANY || s->old_style == (r->style == 1)) &&
	       (r->waits == ANY || s->latency_waits == (r->waits == 1)) &&
	       (r->local == ANY || s->local_end == (r->local == 1));
}

static bool by_fault(const struct row *r)
{
	return r->fault != ANY || r->below > 0 || r->slow_nics;
}

static bool fault_in(const struct row *r, const struct sy_found *f)
{
	return (r->fault == ANY || f->kind == (enum sy_kind)r->fault) &&
	       (r->below <= 0 ||
		(f->median >= r->from && f->median < r->below)) &&
	       (!r->slow_nics || (f->kind <= SY_RX && f->both_ends));
}

struct counts {
	uint32_t sessions, visible, found[SY_JUDGES], close[SY_JUDGES];
	uint32_t right[SY_JUDGES], near[SY_JUDGES], wrong[SY_JUDGES];
	uint32_t alarms[SY_JUDGES];    /* sessions with a wrong name */
	uint32_t named[SY_JUDGES];     /* sessions with a name */
	uint32_t acquitted[SY_JUDGES]; /* though a fault can be seen */
};

static void count_fault(const struct sy_found *f, struct counts *c)
{
	if (!f->visible)
		return;
	c->visible++;
	for (int j = 0; j < SY_JUDGES; j++) {
		c->found[j] += f->by[j] == SY_RIGHT;
		c->close[j] += f->by[j] == SY_NEAR;
	}
}

static void count(const struct row *r, const struct sy_score *s,
		  struct counts *c)
{
	bool in = !by_fault(r);

	if (!session_in(r, s))
		return;
	for (uint32_t i = 0; i < s->n_faults; i++)
		if (fault_in(r, &s->faults[i])) {
			in = true;
			count_fault(&s->faults[i], c);
		}
	if (!in)
		return;
	c->sessions++;
	for (int j = 0; j < SY_JUDGES; j++) {
		const struct sy_said *a = &s->said[j];

		c->right[j] += a->right;
		c->near[j] += a->near;
		c->wrong[j] += a->wrong;
		c->alarms[j] += a->wrong > 0;
		c->named[j] += a->right + a->near + a->wrong > 0;
		c->acquitted[j] += s->visible && a->asked &&
				   a->outcome == SY_NOT_GUILTY;
	}
}

static struct counts count_all(const struct row *r, const struct sy_score *s,
			       size_t n)
{
	struct counts c = {0};

	for (size_t i = 0; i < n; i++)
		count(r, &s[i], &c);
	return c;
}

/* ---- tables */

static const char legend[] =
	"\nSynchronous jobs: faults of the network that can be seen, and how "
	"many are named.\n"
	"vis: faults that can be seen; found: of these, named, or among the "
	"alternatives of a name; rec:\ntheir share, %; near: the right place "
	"and the wrong side. names: all; right: of these; prec:\ntheir share, "
	"%. alarm: sessions with a wrong name; acq: sessions with a fault that "
	"can be seen,\nanswered not_guilty.\n";

static bool is_check(int judge)
{
	return judge == SY_CHECK || judge == SY_CHECK_BARE;
}

static void head(const char *what, bool bare)
{
	static const char *const titles[SY_ORACLE] = {"pairs", "check",
						      "z-score",
						      "pairs, no topology",
						      "check, no topology"};

	printf("\n%-36s", "");
	for (int j = 0; j < (bare ? SY_ORACLE : SY_PAIRS_BARE); j++)
		printf("| %-*s", is_check(j) ? 43 : 38, titles[j]);
	printf("\n%-25s sess  vis ", what);
	for (int j = 0; j < (bare ? SY_ORACLE : SY_PAIRS_BARE); j++)
		printf("%s found  rec near names right prec alarm%s",
		       j == 0 ? "|" : " |", is_check(j) ? "  acq" : "");
	putchar('\n');
}

static void print_share(uint32_t of, uint32_t all)
{
	if (all > 0)
		printf(" %4.0f", 100.0 * of / all);
	else
		printf("    -");
}

static void print_row(const struct row *r, const struct sy_score *s, size_t n,
		      bool bare)
{
	struct counts c = count_all(r, s, n);

	if (c.sessions == 0)
		return;
	printf("%-25s %4u %4u ", r->name, c.sessions, c.visible);
	for (int j = 0; j < (bare ? SY_ORACLE : SY_PAIRS_BARE); j++) {
		uint32_t names = c.right[j] + c.near[j] + c.wrong[j];

		printf("%s %5u", j == 0 ? "|" : " |", c.found[j]);
		print_share(c.found[j], c.visible);
		printf(" %4u %5u %5u", c.close[j], names, c.right[j]);
		print_share(c.right[j], names);
		printf(" %5u", c.alarms[j]);
		if (is_check(j))
			printf(" %4u", c.acquitted[j]);
	}
	putchar('\n');
}

static bool any_bare(const struct sy_score *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].said[SY_PAIRS_BARE].asked)
			return true;
	return false;
}

static void by_kind(const struct sy_score *s, size_t n, bool bare)
{
	struct row r = all_rows;

	head("sessions", bare);
	for (int k = 0; k < SY_KINDS; k++) {
		r.name = sy_kind_name((enum sy_kind)k);
		r.kind = k;
		print_row(&r, s, n, bare);
	}
	print_row(&all_rows, s, n, bare);
	r.kind = ANY;
	head("faults, of doubles too", bare);
	for (int k = SY_TX; k < SY_KINDS; k++) {
		r.name = sy_kind_name((enum sy_kind)k);
		r.fault = k;
		print_row(&r, s, n, bare);
	}
}

static void by_size(const struct sy_score *s, size_t n, bool bare)
{
	static const struct {
		const char *name;
		double from, below;
	} sizes[] = {{"below 1.1", 0, 1.1},
		     {"1.1 to 1.3", 1.1, 1.3},
		     {"1.3 to 1.8", 1.3, 1.8},
		     {"1.8 and more", 1.8, 1e9}};
	struct row r = all_rows;

	head("slower in the median by", bare);
	for (size_t i = 0; i < NA_LEN(sizes); i++) {
		r.name = sizes[i].name;
		r.from = sizes[i].from;
		r.below = sizes[i].below;
		print_row(&r, s, n, bare);
	}
}

static void by_clock(const struct sy_score *s, size_t n, bool slow_nics,
		     bool bare)
{
	static const struct {
		const char *name;
		double us;
	} clocks[] = {{"5 us", 5}, {"200 us", 200}, {"1.5 ms", 1500}};
	struct row r = all_rows;

	head(slow_nics ? "slow NICs, new; clocks" : "clocks off by", bare);
	r.slow_nics = slow_nics;
	for (size_t i = 0; i < NA_LEN(clocks); i++) {
		r.name = clocks[i].name;
		r.clock_us = clocks[i].us;
		print_row(&r, s, n, bare);
	}
}

static void by_stamps(const struct sy_score *s, size_t n, bool bare)
{
	static const struct row rows[] = {
		{"new style", ANY, ANY, 0, 0, 0, 0, ANY, ANY, false},
		{"old style", ANY, ANY, 0, 0, 0, 1, ANY, ANY, false},
		{"latency to arrival", ANY, ANY, 0, 0, 0, ANY, 0, ANY, false},
		{"latency to the receiver", ANY, ANY, 0, 0, 0, ANY, 1, ANY,
		 false},
		{"send to acknowledgement", ANY, ANY, 0, 0, 0, ANY, ANY, 0,
		 false},
		{"send to its local end", ANY, ANY, 0, 0, 0, ANY, ANY, 1,
		 false}};

	head("stamps", bare);
	for (size_t i = 0; i < NA_LEN(rows); i++)
		print_row(&rows[i], s, n, bare);
}

/* Compute and input: hosts that are late by their own doing. */
static void own_doing(const struct sy_score *s, size_t n)
{
	printf("\n%-26s sess  cost 1 %%  named  of these  others named  "
	       "network named\n",
	       "check: late hosts");
	for (int k = SY_COMPUTE; k <= SY_INPUT; k++) {
		uint32_t of = 0, costly = 0, named = 0, of_costly = 0,
			 others = 0, network = 0;

		for (size_t i = 0; i < n; i++) {
			const struct sy_said *a = &s[i].said[SY_CHECK];
			bool cost = s[i].late_cost_ms > 0.01 * s[i].step_ms;

			if (!s[i].done || s[i].kind != (enum sy_kind)k)
				continue;
			of++;
			costly += cost;
			named += a->late_named;
			of_costly += cost && a->late_named;
			others += a->late_wrong > 0;
			network += a->right + a->near + a->wrong > 0;
		}
		printf("%-26s %4u  %8u  %5u  %8u  %12u  %13u\n",
		       sy_kind_name((enum sy_kind)k), of, costly, named,
		       of_costly, others, network);
	}
}

static uint32_t outcomes_of(const struct sy_score *s, size_t n,
			    enum sy_kind kind, enum sy_judge judge, int outcome)
{
	uint32_t of = 0;

	for (size_t i = 0; i < n; i++)
		of += s[i].done && s[i].kind == kind &&
		      (outcome == ANY ||
		       s[i].said[judge].outcome == (enum sy_outcome)outcome);
	return of;
}

static void outcomes(const struct sy_score *s, size_t n, enum sy_judge judge)
{
	static const char *const names[] = {"guilty", "one of",
					    "not guilty", "cannot tell"};

	printf("\n%-26s", judge == SY_CHECK ? "check: outcome"
					    : "check, no topology: outcome");
	for (int k = 0; k < SY_KINDS; k++)
		if (outcomes_of(s, n, (enum sy_kind)k, judge, ANY))
			printf(" %9s", sy_kind_name((enum sy_kind)k));
	putchar('\n');
	for (int o = SY_GUILTY; o <= SY_CANNOT_TELL; o++) {
		printf("%-26s", names[o]);
		for (int k = 0; k < SY_KINDS; k++)
			if (outcomes_of(s, n, (enum sy_kind)k, judge, ANY))
				printf(" %9u",
				       outcomes_of(s, n, (enum sy_kind)k,
						   judge, o));
		putchar('\n');
	}
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

enum { LEAST_SHARE = 100 }; /* of a step: what costs less is not compared */

/* Ratios of one kind of fault, or ANY. */
static size_t ratios_of(const struct sy_score *s, size_t n, int kind,
			double *ratio)
{
	size_t k = 0;

	for (size_t i = 0; i < n * SY_FAULTS; i++) {
		const struct sy_score *one = &s[i / SY_FAULTS];
		const struct sy_found *f = &one->faults[i % SY_FAULTS];

		if (!one->done || i % SY_FAULTS >= one->n_faults ||
		    (kind != ANY && f->kind != (enum sy_kind)kind) ||
		    isnan(f->said_ms) ||
		    f->cost_ms * LEAST_SHARE < one->step_ms)
			continue;
		ratio[k++] = f->said_ms / f->cost_ms;
	}
	qsort(ratio, k, sizeof(*ratio), by_value);
	return k;
}

/* What check says that a rightly named culprit costs, over what it costs. */
static void costs(const struct sy_score *s, size_t n)
{
	double *ratio = na_calloc(n * SY_FAULTS, sizeof(*ratio));

	if (ratio && ratios_of(s, n, ANY, ratio) > 0)
		printf("\n%-32s culprits   q25 median   q75  within 2x\n",
		       "check: cost, said over true");
	for (int kind = ANY; ratio && kind <= SY_TOR; kind++) {
		size_t k = ratios_of(s, n, kind, ratio), close = 0;

		for (size_t i = 0; i < k; i++)
			close += ratio[i] > 0.5 && ratio[i] < 2;
		if (k > 0)
			printf("%-32s %8zu %5.2f %6.2f %5.2f %10zu\n",
			       kind == ANY ? "all of 1 % of a step or more"
					   : sy_kind_name((enum sy_kind)kind),
			       k, ratio[k / 4], ratio[k / 2], ratio[3 * k / 4],
			       close);
	}
	free(ratio);
}

void sy_print_tables(const struct sy_score *s, size_t n)
{
	bool bare = any_bare(s, n);

	fputs(legend, stdout);
	by_kind(s, n, bare);
	by_size(s, n, bare);
	by_clock(s, n, false, bare);
	by_clock(s, n, true, bare);
	by_stamps(s, n, bare);
	own_doing(s, n);
	outcomes(s, n, SY_CHECK);
	if (bare)
		outcomes(s, n, SY_CHECK_BARE);
	costs(s, n);
}
