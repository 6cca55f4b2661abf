/* The bars, and what missed them. */
#include <stdio.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/score.h"
#include "tests/accuracy/tables.h"

static const char *const judge_names[] = {"pairs", "check"};

/* A share with its 95 % interval, and what it should be. */
static int bar(const char *what, uint32_t of, uint32_t all, double limit,
	       bool at_least)
{
	double share = all ? (double)of / all : 0, low, high;
	bool held = all == 0 || (at_least ? share >= limit : share <= limit);

	fl_wilson((struct fl_share){of, all}, &low, &high);
	printf("%-46s %4u of %4u  %5.3f [%.2f, %.2f]  %s %.2f  %s\n", what, of,
	       all, share, low, high, at_least ? ">=" : "<=", limit,
	       held ? "held" : "SHORT");
	return !held;
}

struct tally {
	uint32_t visible, found;
	uint32_t both, both_found; /* stamps of both ends */
	uint32_t names, right, quiet, quiet_named, own, own_named;
	uint32_t seen, acquitted; /* sessions */
};

static void tally_fault(const struct sy_found *f, enum sy_judge j,
			struct tally *t)
{
	bool found = f->by[j] == SY_RIGHT;

	if (!f->visible)
		return;
	t->visible++;
	t->found += found;
	if (f->both_ends) {
		t->both++;
		t->both_found += found;
	}
}

static void tally_session(const struct sy_score *s, enum sy_judge j,
			  struct tally *t)
{
	const struct sy_said *a = &s->said[j];
	uint32_t names = a->right + a->near + a->wrong;

	t->names += names;
	t->right += a->right;
	t->seen += s->visible;
	t->acquitted += s->visible && a->outcome == SY_NOT_GUILTY;
	if (s->n_faults == 0) {
		t->quiet++;
		t->quiet_named += names > 0;
	}
	if (s->kind == SY_COMPUTE || s->kind == SY_INPUT) {
		t->own++;
		t->own_named += a->late_named;
	}
	for (uint32_t k = 0; k < s->n_faults; k++)
		tally_fault(&s->faults[k], j, t);
}

static int print_judge(const struct tally *t, enum sy_judge j)
{
	int missed = 0;

	printf("\n%s\n", judge_names[j]);
	missed += bar("visible faults named, stamps of both ends",
		      t->both_found, t->both, 0.55, true);
	missed += bar("visible faults named", t->found, t->visible, 0.42, true);
	missed += bar("names that are right", t->right, t->names, 0.90, true);
	missed += bar("sessions without a fault with a name", t->quiet_named,
		      t->quiet, 0.03, false);
	missed += bar("answered not_guilty though visible", t->acquitted,
		      t->seen, 0.02, false);
	if (j != SY_CHECK)
		return missed;
	return missed + bar("slow computing and late input named", t->own_named,
			    t->own, 0.80, true);
}

int sy_print_bars(const struct sy_score *s, size_t n)
{
	int missed = 0;

	for (int j = SY_PAIRS; j <= SY_CHECK; j++) {
		struct tally t = {0};

		for (size_t i = 0; i < n; i++)
			if (s[i].done && !s[i].failed)
				tally_session(&s[i], (enum sy_judge)j, &t);
		missed += print_judge(&t, (enum sy_judge)j);
	}
	return missed;
}

/* ---- misses */

static void print_miss(const struct sy_score *s, enum sy_judge j)
{
	const struct sy_said *a = &s->said[j];

	printf("%s %llu %s:", sy_kind_name(s->kind),
	       (unsigned long long)s->seed, judge_names[j]);
	for (uint32_t i = 0; i < s->n_faults; i++)
		printf("%s%s %.2fx %s,", s->faults[i].words,
		       s->faults[i].visible ? "" : " (hidden)",
		       s->faults[i].median,
		       s->faults[i].by[j] == SY_RIGHT  ? "found"
		       : s->faults[i].by[j] == SY_NEAR ? "near"
						       : "missed");
	printf(" said:%s", a->words[0] ? a->words : " nobody");
	if (j == SY_CHECK)
		printf("%s%s",
		       s->visible && a->outcome == SY_NOT_GUILTY ? ", acquitted"
								 : "",
		       s->n_faults == 0 && s->kind > SY_CLOCK && !a->late_named
			       ? ", late host not named"
			       : "");
	printf(" [%s, clock %.0f us%s%s]\n", s->old_style ? "old" : "new",
	       s->clock_us, s->latency_waits ? ", waits" : "",
	       s->local_end ? ", local end" : "");
}

void sy_print_misses(const struct sy_score *s, size_t n)
{
	puts("\nsessions with something missed or wrong (write DIR --kind K "
	     "--seed N writes one): what there is, and\nwhat is said; hosts "
	     "by number, racks by bits");
	for (size_t i = 0; i < n; i++)
		for (int j = SY_PAIRS; j <= SY_CHECK; j++) {
			const struct sy_said *a = &s[i].said[j];
			bool bad = a->wrong + a->near > 0;

			if (!s[i].done)
				continue;
			for (uint32_t k = 0; k < s[i].n_faults; k++)
				bad = bad || (s[i].faults[k].visible &&
					      s[i].faults[k].by[j] != SY_RIGHT);
			if (j == SY_CHECK &&
			    (s[i].kind == SY_COMPUTE || s[i].kind == SY_INPUT))
				bad = bad || !a->late_named;
			if (bad)
				print_miss(&s[i], (enum sy_judge)j);
		}
}
