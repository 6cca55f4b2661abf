/* Which share of the faults an oracle could name, beside what is found. */
#include <stdio.h>

#include "tests/accuracy/sync/score.h"

static const char legend[] =
	"\nWhat an oracle could tell (tests/accuracy/sync/oracle.h): with the "
	"true times of moving, with and\nwithout the faults, all true clocks, "
	"and nothing of the culprit. told: of the visible faults, by their\n"
	"true durations; stamps: if it also has when the last byte left the "
	"NIC; prec: of its names, %, in\nthe sessions of these faults. "
	"missed: by check; of these: told by durations, told by stamps "
	"alone,\ntied with other places that explain the same, and the rest: "
	"too faint, or another was named.\n";

struct reach {
	uint32_t visible, found, told[2], names[2], right[2];
	uint32_t missed, by_durations, by_stamps, tied;
};

static bool named(const struct sy_found *f, enum sy_judge j)
{
	return f->by[j] == SY_RIGHT;
}

static void count_fault(const struct sy_found *f, struct reach *r)
{
	bool durations = named(f, SY_ORACLE);
	bool stamps = named(f, SY_ORACLE_STAMPS);

	if (!f->visible)
		return;
	r->visible++;
	r->found += named(f, SY_CHECK);
	r->told[0] += durations;
	r->told[1] += stamps;
	if (named(f, SY_CHECK))
		return;
	r->missed++;
	r->by_durations += durations;
	r->by_stamps += stamps && !durations;
	r->tied += !durations && !stamps && f->tied[0][0] != '\0';
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
	bool in = false;

	for (uint32_t i = 0; i < s->n_faults; i++)
		if (belongs(&s->faults[i], which, kind)) {
			count_fault(&s->faults[i], r);
			in = true;
		}
	for (int o = 0; in && o < 2; o++) {
		const struct sy_said *a = &s->said[SY_ORACLE + o];

		r->names[o] += a->right + a->near + a->wrong;
		r->right[o] += a->right;
	}
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
	printf("%-25s %4u %5u", name, r.visible, r.found);
	for (int o = 0; o < 2; o++) {
		printf(" | %4u", r.told[o]);
		share(r.told[o], r.visible);
		printf(" %5u", r.names[o]);
		share(r.right[o], r.names[o]);
	}
	printf(" | %6u %4u %6u %4u %4u\n", r.missed, r.by_durations,
	       r.by_stamps, r.tied,
	       r.missed - r.by_durations - r.by_stamps - r.tied);
}

static void tell_miss(const struct sy_score *s, const struct sy_found *f)
{
	static const char *const sights[] = {"durations", "stamps"};

	printf("%s %llu:%s %.2fx:", sy_kind_name(s->kind),
	       (unsigned long long)s->seed, f->words, f->median);
	for (int o = 0; o < 2; o++) {
		const struct sy_said *a = &s->said[SY_ORACLE + o];

		printf("%s %s ", o ? ";" : "", sights[o]);
		if (named(f, (enum sy_judge)(SY_ORACLE + o)))
			printf("told");
		else if (f->tied[o][0])
			printf("not told: tied,%s", f->tied[o]);
		else if (a->words[0])
			printf("not told: said%s", a->words);
		else
			printf("not told: too faint");
	}
	putchar('\n');
}

void sy_print_reach(const struct sy_score *s, size_t n, bool list)
{
	fputs(legend, stdout);
	printf("\n%-25s  vis check | told  rec names prec | stamps rec names "
	       "prec | missed told stamps tied rest\n",
	       "faults, of doubles too");
	for (int k = SY_TX; k < SY_TWO; k++)
		row(sy_kind_name((enum sy_kind)k), OF_KIND, (enum sy_kind)k, s,
		    n);
	row("slow NICs, both stamps", SLOW_NICS, SY_TX, s, n);
	row("1.8x and more", LARGE, SY_TX, s, n);
	row("all", ALL, SY_TX, s, n);
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
