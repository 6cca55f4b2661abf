/* Single fleets, for who wants to know what went wrong. */
#include <stdio.h>

#include "tests/accuracy/tables.h"

static void print_who(const struct na_lz_who *w)
{
	static const char *const kinds[NA_LZ_KINDS] = {"tx",     "rx",
						       "host",   "path",
						       "uplink", "downlink",
						       "racks"};

	printf("%s %u", kinds[w->kind], w->a);
	if (w->kind == NA_LZ_PAIR || w->kind == NA_LZ_RACK_PAIR)
		printf(" -> %u", w->b);
}

static void print_fleet(const struct fl_scores *s, size_t fleet, int locality)
{
	const struct fl_score *x = &s->of[locality][fleet];

	printf("fleet %zu, locality %s, %s%s: ", fleet,
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
	static const char *const channels[NA_LZ_CHANNELS] = {"all", "large",
							     "rate", "window"};
	const struct fl_score *x = &s->of[locality][fleet];
	uint32_t n = x->findings - x->right;

	if (n == 0)
		return;
	print_fleet(s, fleet, locality);
	printf("%u wrong of %u:", n, x->findings);
	for (uint32_t i = 0; i < n && i < FL_WRONG; i++) {
		printf(i ? ", " : " ");
		print_who(&x->wrong[i].who);
		printf(" (%s)", channels[x->wrong[i].channel]);
	}
	printf("\n");
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
