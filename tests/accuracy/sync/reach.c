/* Which share of the faults an oracle could name, beside what is found. */
#include <stdio.h>

#include "tests/accuracy/sync/score.h"

static const char legend[] =
	"\nWhat could be told, by an oracle that knows all but the culprit "
	"(tests/accuracy/sync/oracle.h).\n"
	"check: found by it, and of these untold by the oracle; told: by the "
	"oracle, of the visible faults;\n"
	"right, prec: of its names in the sessions of these faults. Of what "
	"check misses: told; tied with\n"
	"other places that explain the same; and the rest, too faint, or "
	"another was named.\n";

struct reach {
	uint32_t visible, found, told, names, right;
	uint32_t missed, missed_told, tied, untold;
};

static bool named(const struct sy_found *f, enum sy_judge j)
{
	return f->by[j] == SY_RIGHT;
}

static void count_fault(const struct sy_found *f, struct reach *r)
{
	bool told = named(f, SY_ORACLE);

	if (!f->visible)
		return;
	r->visible++;
	r->told += told;
	r->found += named(f, SY_CHECK);
	r->untold += named(f, SY_CHECK) && !told;
	if (named(f, SY_CHECK))
		return;
	r->missed++;
	r->missed_told += told;
	r->tied += !told && f->tied[0] != '\0';
}

enum which { OF_KIND, SLOW_NICS, LARGE, ALL };

/* As the bars have them. */
static bool belongs(const struct sy_found *f, enum which which,
		    enum sy_kind kind)
{
	return which == OF_KIND     ? f->kind == kind
	       : which == SLOW_NICS ? f->both_ends && f->kind <= SY_RX
	       : which == LARGE     ? f->median >= 1.8
				    : true;
}

static void count_session(const struct sy_score *s, enum which which,
			  enum sy_kind kind, struct reach *r)
{
	const struct sy_said *a = &s->said[SY_ORACLE];
	bool in = false;

	for (uint32_t i = 0; i < s->n_faults; i++)
		if (belongs(&s->faults[i], which, kind)) {
			count_fault(&s->faults[i], r);
			in = true;
		}
	if (!in)
		return;
	r->names += a->right + a->near + a->wrong;
	r->right += a->right;
}

static void share(uint32_t of, uint32_t all)
{
	if (all > 0)
		printf(" %4.0f", 100.0 * of / all);
	else
		printf("    -");
}

static void row(const char *name, enum which which, enum sy_kind kind,
		const struct sy_score *s, size_t n)
{
	struct reach r = {0};

	for (size_t i = 0; i < n; i++)
		if (s[i].done && !s[i].failed)
			count_session(&s[i], which, kind, &r);
	if (r.visible == 0)
		return;
	printf("%-25s %4u %5u %6u %4u", name, r.visible, r.found, r.untold,
	       r.told);
	share(r.told, r.visible);
	printf(" %5u %5u", r.names, r.right);
	share(r.right, r.names);
	printf(" | %6u %4u %4u %4u\n", r.missed, r.missed_told, r.tied,
	       r.missed - r.missed_told - r.tied);
}

static void tell_miss(const struct sy_score *s, const struct sy_found *f)
{
	const char *said = s->said[SY_ORACLE].words;

	printf("%s %llu:%s %.2fx: ", sy_kind_name(s->kind),
	       (unsigned long long)s->seed, f->words, f->median);
	if (named(f, SY_ORACLE))
		puts("told");
	else if (f->tied[0])
		printf("not told: one of%s\n", f->tied);
	else if (said[0])
		printf("not told: named%s\n", said);
	else
		puts("not told: too faint");
}

/* The answer that is right where nobody can tell. */
static bool declined(const struct sy_score *s)
{
	const struct sy_said *a = &s->said[SY_CHECK];

	return a->outcome == SY_CANNOT_TELL &&
	       a->right + a->near + a->wrong == 0;
}

static void beyond_reach(const struct sy_score *s, size_t n)
{
	uint32_t of = 0, said = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; s[i].done && k < s[i].n_faults; k++) {
			const struct sy_found *f = &s[i].faults[k];

			if (!f->visible || named(f, SY_CHECK) ||
			    named(f, SY_ORACLE))
				continue;
			of++;
			said += declined(&s[i]);
		}
	printf("\nof %u that check misses and that cannot be told, it says so, "
	       "naming nobody, of %u\n",
	       of, said);
}

void sy_print_reach(const struct sy_score *s, size_t n, bool list)
{
	fputs(legend, stdout);
	printf("\n%-25s  vis check untold told  rec names right prec | missed "
	       "told tied rest\n",
	       "faults, of doubles too");
	for (int k = SY_TX; k < SY_KINDS; k++)
		row(sy_kind_name((enum sy_kind)k), OF_KIND, (enum sy_kind)k, s,
		    n);
	row("slow NICs, both stamps", SLOW_NICS, SY_TX, s, n);
	row("1.8x and more", LARGE, SY_TX, s, n);
	row("all", ALL, SY_TX, s, n);
	beyond_reach(s, n);
	if (!list)
		return;
	puts("\nvisible faults that check misses, and what an oracle can tell "
	     "of them");
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; s[i].done && k < s[i].n_faults; k++)
			if (s[i].faults[k].visible &&
			    !named(&s[i].faults[k], SY_CHECK))
				tell_miss(&s[i], &s[i].faults[k]);
}
