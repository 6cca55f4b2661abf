/* Single fleets: what was missed, and what was named wrongly. */
#include <stdio.h>

#include "tests/accuracy/tables.h"

static void print_who(const struct na_place *w)
{
	printf("%s %u", na_judge_kinds[w->cause], w->a);
	if (w->cause == NA_CAUSE_PAIR || w->cause == NA_CAUSE_RACK_PAIR)
		printf(" -> %u", w->b);
}

static void print_fleet(const struct fl_scores *s, size_t fleet, int locality)
{
	const struct fl_score *x = &s->of[locality][fleet];

	printf("fleet %zu, %s, locality %s, %s%s: ", fleet,
	       s->stamps == FL_SENDS ? "sends" : "receives",
	       locality ? "not given" : "given", x->plan->name,
	       x->waits ? ", waits" : "");
}

static void print_missed(const struct fl_scores *s, size_t fleet, int locality)
{
	const struct fl_score *x = &s->of[locality][fleet];

	for (size_t k = 0; k < x->n_faults; k++) {
		const struct fl_truth *t = &x->faults[k].truth;

		if (!t->well_posed || x->faults[k].hit)
			continue;
		print_fleet(s, fleet, locality);
		printf("missed ");
		print_who(&t->who);
		printf(", x%.2f, %llu transfers, %llu tails%s\n", t->ratio,
		       (unsigned long long)t->affected,
		       (unsigned long long)t->tails,
		       x->faults[k].touched ? ", touched" : "");
	}
}

static void print_wrong(const struct fl_scores *s, size_t fleet, int locality)
{
	static const char *const mechanisms[NA_MECHANISMS] = {"level", "large",
							      "late"};
	const struct fl_score *x = &s->of[locality][fleet];

	for (uint32_t i = 0; i < x->findings && i < FL_SAID; i++) {
		const struct fl_said *said = &x->said[i];

		if (said->right)
			continue;
		print_fleet(s, fleet, locality);
		printf("wrong ");
		print_who(&said->who);
		printf(" (%s, posterior %.3f)\n", mechanisms[said->mechanism],
		       said->posterior);
	}
}

void fl_print_misses(const struct fl_scores *s)
{
	printf("\n");
	for (int l = 0; l < FL_LOCALITIES; l++)
		for (size_t i = 0; i < s->n; i++) {
			print_missed(s, i, l);
			print_wrong(s, i, l);
		}
}
