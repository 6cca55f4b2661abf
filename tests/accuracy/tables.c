#include "tests/accuracy/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum measure {
	RECALL,
	PRECISION,
	PRECISION_QUIET,
	TOUCHED,
	HOST_RECALL,
	PAIR_RECALL,
	HEALTHY_NAMED,
	SKEWED_NAMED,
	QUIET_NAMED,
	EVERY_RECALL,
	EVERY_PRECISION,
	NO_WAIT_RECALL,
	NO_WAIT_PRECISION,
	RACK_BLAMED,
	RACK_RIGHT,
	ACQUITTED,
	Z_RECALL,
	Z_PRECISION
};

struct row {
	enum measure what;
	const char *text;
	int sense; /* 1: at least the bar; -1: at most; 0: no bar */
	double bar[FL_LOCALITIES]; /* NaN: none */
};

/* clang-format off */
static const struct row statistical[] = {
	{RECALL, "visible faults named", 1, {0.95, 0.85}},
	{EVERY_PRECISION, "names that are right", 1, {0.97, 0.95}},
	{QUIET_NAMED, "healthy and skewed fleets with a name", -1, {0.02, 0.02}},
	{ACQUITTED, "answered not_guilty though visible", -1, {0.02, 0.02}},
	{HOST_RECALL, "single visible fault of a host: named", 0, {0}},
	{PAIR_RECALL, "single visible slow pair: named", 0, {0}},
	{TOUCHED, "kind and host right, of faults touched", 0, {0}},
	{EVERY_RECALL, "all faults: named", 0, {0}},
	{PRECISION, "names right, fleets with a visible fault", 0, {0}},
	{HEALTHY_NAMED, "healthy fleets with a name", 0, {0}},
	{SKEWED_NAMED, "fleets with a skewed clock with a name", 0, {0}},
	{Z_RECALL, "largest z of pair medians: named", 0, {0}},
	{Z_PRECISION, "largest z of pair medians: right", 0, {0}},
};

static const struct row queueing[] = {
	{RECALL, "visible faults named", 1, {0.85, NAN}},
	{EVERY_PRECISION, "names that are right", 1, {0.90, NAN}},
	{QUIET_NAMED, "healthy and skewed runs with a name", -1, {0.05, NAN}},
	{ACQUITTED, "answered not_guilty though visible", -1, {0.03, NAN}},
	{NO_WAIT_RECALL, "no wait for the receiver: named", 0, {0}},
	{NO_WAIT_PRECISION, "no wait for the receiver: right", 0, {0}},
	{HOST_RECALL, "single visible fault of a host: named", 0, {0}},
	{PAIR_RECALL, "single visible slow pair: named", 0, {0}},
	{RACK_RIGHT, "visible faults of rack links: named", 0, {0}},
	{RACK_BLAMED, "visible faults of rack links: a host named", 0, {0}},
	{TOUCHED, "kind and host right, of faults touched", 0, {0}},
	{EVERY_RECALL, "all faults: named", 0, {0}},
	{PRECISION, "names right, runs with a visible fault", 0, {0}},
	{PRECISION_QUIET, "  healthy and skewed runs included", 0, {0}},
	{HEALTHY_NAMED, "healthy runs with a name", 0, {0}},
	{SKEWED_NAMED, "runs with a skewed clock with a name", 0, {0}},
	{Z_RECALL, "largest z of pair medians: named", 0, {0}},
	{Z_PRECISION, "largest z of pair medians: right", 0, {0}},
};
/* clang-format on */

static bool is_rack_run(const struct fl_score *s)
{
	return s->n_faults && fl_is_rack(s->faults[0].truth.who.cause);
}

static bool has_well_posed(const struct fl_score *s)
{
	for (size_t i = 0; i < s->n_faults; i++)
		if (s->faults[i].truth.well_posed)
			return true;
	return false;
}

/* Does a fault count in a measure of recall? */
static bool counts(const struct fl_score *s, const struct fl_truth *t,
		   enum measure m)
{
	bool pair = t->who.cause == NA_JUDGE_PAIR, one = s->n_faults == 1;

	switch (m) {
	case RECALL:
	case Z_RECALL:
		return t->well_posed;
	case NO_WAIT_RECALL:
		return t->well_posed && !s->waits;
	case HOST_RECALL:
		return t->well_posed && one && !pair && t->how != FL_WINDOWS;
	case PAIR_RECALL:
		return t->well_posed && one && pair && t->how != FL_TAILS;
	default:
		return true;
	}
}

static void add_faults(const struct fl_score *s, enum measure m,
		       struct fl_share *out)
{
	if (is_rack_run(s))
		return;
	for (size_t i = 0; i < s->n_faults; i++) {
		const struct fl_fault_score *x = &s->faults[i];
		bool in = m == TOUCHED ? x->touched : counts(s, &x->truth, m);

		out->n += in;
		out->k += in && (m == Z_RECALL ? x->z_hit : x->hit);
	}
}

static void add_findings(const struct fl_score *s, enum measure m,
			 struct fl_share *out)
{
	bool sound = s->n_faults == 0;
	bool in = has_well_posed(s) && !is_rack_run(s);

	if (m != PRECISION && m != EVERY_PRECISION)
		in = in || sound;
	if (m == NO_WAIT_PRECISION)
		in = in && !s->waits;
	if (m == EVERY_PRECISION)
		in = true;
	if (m == Z_PRECISION) {
		out->n += in && s->z_named;
		out->k += in && s->z_right;
		return;
	}
	out->n += in ? s->findings : 0;
	out->k += in ? s->right : 0;
}

/* Measures of whole fleets: is this one counted, and is it one of those? */
static void add_fleet(const struct fl_score *s, enum measure m,
		      struct fl_share *out)
{
	bool skewed = s->plan->plan == FL_SKEWED,
	     healthy = s->plan->plan == FL_HEALTHY;
	bool in = skewed || healthy, yes = s->findings > 0;

	if (m == HEALTHY_NAMED)
		in = healthy;
	else if (m == SKEWED_NAMED)
		in = skewed;
	else if (m == ACQUITTED)
		in = has_well_posed(s);
	else if (m == RACK_BLAMED || m == RACK_RIGHT)
		in = is_rack_run(s) && s->faults[0].truth.well_posed;
	if (m == RACK_BLAMED)
		yes = s->on_hosts > 0;
	else if (m == RACK_RIGHT)
		yes = in && s->faults[0].hit;
	else if (m == ACQUITTED)
		yes = s->outcome == NA_JUDGE_NOT_GUILTY;
	out->n += in;
	out->k += in && yes;
}

static struct fl_share measure(const struct fl_scores *s, int locality,
			       enum measure m)
{
	struct fl_share out = {0, 0};

	for (size_t i = 0; i < s->n; i++) {
		const struct fl_score *x = &s->of[locality][i];

		switch (m) {
		case RECALL:
		case TOUCHED:
		case HOST_RECALL:
		case PAIR_RECALL:
		case EVERY_RECALL:
		case NO_WAIT_RECALL:
		case Z_RECALL:
			add_faults(x, m, &out);
			break;
		case PRECISION:
		case PRECISION_QUIET:
		case EVERY_PRECISION:
		case NO_WAIT_PRECISION:
		case Z_PRECISION:
			add_findings(x, m, &out);
			break;
		default:
			add_fleet(x, m, &out);
		}
	}
	return out;
}

static double value(struct fl_share s)
{
	return s.n ? (double)s.k / (double)s.n : NAN;
}

static void print_share(struct fl_share s)
{
	double low, high;

	fl_wilson(s, &low, &high);
	if (s.n == 0)
		printf("    -                      ");
	else
		printf(" %.3f [%.2f, %.2f] %4llu/%-4llu", value(s), low, high,
		       (unsigned long long)s.k, (unsigned long long)s.n);
}

/* Returns whether the bar was missed. */
static bool print_verdict(struct fl_share s, int sense, double bar)
{
	bool held = sense > 0 ? value(s) >= bar : value(s) <= bar;

	if (sense == 0 || isnan(bar) || s.n == 0) {
		printf("%21s", "");
		return false;
	}
	printf(" %s %.2f %-10s", sense > 0 ? ">=" : "<=", bar,
	       held ? "held" : "FELL SHORT");
	return !held;
}

static void print_title(const struct fl_scores *s)
{
	printf("\n%s, %s: %zu; ",
	       s->generator == FL_STATISTICAL ? "Statistical fleets"
					      : "Queueing fleets",
	       s->stamps == FL_SENDS ? "sends (one clock)"
				     : "receives (two clocks)",
	       s->n);
}

static void print_head(const char *what)
{
	printf("%-47s%-49s%s\n", what, " locality given", " not given");
}

int fl_print_bars(const struct fl_scores *s)
{
	const struct row *rows = statistical;
	size_t n = sizeof(statistical) / sizeof(*statistical);
	int missed = 0;

	if (s->generator == FL_QUEUEING) {
		rows = queueing;
		n = sizeof(queueing) / sizeof(*queueing);
	}
	print_title(s);
	puts("share [95 % interval] count, bar");
	print_head("");
	for (size_t i = 0; i < n; i++) {
		printf("%-46s", rows[i].text);
		for (int l = 0; l < FL_LOCALITIES; l++) {
			struct fl_share x = measure(s, l, rows[i].what);

			print_share(x);
			missed += print_verdict(x, rows[i].sense,
						rows[i].bar[l]);
		}
		printf("\n");
	}
	return missed;
}

/* ---- breakdown */

static double slowdown(const struct fl_truth *t, enum fl_generator g)
{
	return g == FL_STATISTICAL ? t->factor : t->ratio;
}

static int by_slowdown(const struct fl_truth *t, enum fl_generator g)
{
	double x = slowdown(t, g);

	if (t->how == FL_TAILS || !t->enough || x < 1.25)
		return -1;
	return x < 1.75 ? 0 : x < 2.5 ? 1 : 2;
}

static int by_samples(const struct fl_truth *t, enum fl_generator g)
{
	if (t->how == FL_TAILS)
		return t->tails < 8 ? 4 : t->tails < 30 ? 5 : 6;
	if (slowdown(t, g) < (g == FL_STATISTICAL ? 2 : 1.5))
		return -1;
	if (t->affected < 200)
		return t->affected >= 60;
	return t->affected < 1000 ? 2 : 3;
}

typedef int (*group_fn)(const struct fl_truth *t, enum fl_generator g);

static struct fl_share recall_in_group(const struct fl_scores *s, int locality,
				       group_fn group, int want)
{
	struct fl_share out = {0, 0};

	for (size_t i = 0; i < s->n; i++) {
		const struct fl_score *x = &s->of[locality][i];

		for (size_t k = 0; x->n_hosts >= 8 && k < x->n_faults; k++) {
			const struct fl_fault_score *f = &x->faults[k];
			bool in = group(&f->truth, s->generator) == want;

			out.n += in;
			out.k += in && f->hit;
		}
	}
	return out;
}

static void print_group(const struct fl_scores *s, const char *name,
			group_fn group, int want)
{
	printf("%-46s", name);
	for (int l = 0; l < FL_LOCALITIES; l++) {
		print_share(recall_in_group(s, l, group, want));
		printf("%21s", "");
	}
	printf("\n");
}

/* Well-posed faults of the fleets of one case, and all its findings. */
static void count_case(const struct fl_scores *s, int locality,
		       const struct fl_case *c, struct fl_share *recall,
		       struct fl_share *findings)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct fl_score *x = &s->of[locality][i];

		if (strcmp(x->plan->name, c->name) != 0)
			continue;
		for (size_t k = 0; k < x->n_faults; k++) {
			bool in = x->faults[k].truth.well_posed;

			recall->n += in;
			recall->k += in && x->faults[k].hit;
		}
		findings->n += x->findings;
		findings->k += x->right;
	}
}

static void print_case(const struct fl_scores *s, const struct fl_case *c)
{
	printf("  %-44s", c->name);
	for (int l = 0; l < FL_LOCALITIES; l++) {
		struct fl_share recall = {0, 0}, findings = {0, 0};

		count_case(s, l, c, &recall, &findings);
		print_share(recall);
		printf(" right %4llu/%-9llu", (unsigned long long)findings.k,
		       (unsigned long long)findings.n);
	}
	printf("\n");
}

void fl_print_breakdown(const struct fl_scores *s)
{
	static const char *const factors[] = {"  slowdown about 1.5x",
					      "  slowdown about 2x",
					      "  slowdown 2.5x and more"};
	static const char *const samples[] = {"  fewer than 60 transfers",
					      "  60 to 199 transfers",
					      "  200 to 999 transfers",
					      "  1000 transfers and more",
					      "  fewer than 8 tails",
					      "  8 to 29 tails",
					      "  30 tails and more"};
	size_t n;
	const struct fl_case *c = fl_cases(s->generator, &n);

	print_title(s);
	puts("visible faults named; names that are right");
	for (size_t i = 0; i < n; i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= strcmp(c[k].name, c[i].name) == 0;
		if (!seen)
			print_case(s, &c[i]);
	}
	printf("Faults with enough samples: named, by slowdown\n");
	for (int i = 0; i < 3; i++)
		print_group(s, factors[i], by_slowdown, i);
	printf("Faults that are slow enough: named, by samples\n");
	for (int i = 0; i < 7; i++)
		print_group(s, samples[i], by_samples, i);
}

/* ---- reliability */

/* Sides that are slow always; what is named is not cleared. */
static void add_planted(const struct fl_score *s, enum fl_generator g,
			struct fl_share *out)
{
	for (size_t k = 0; k < s->n_faults; k++) {
		const struct fl_fault_score *x = &s->faults[k];

		if (x->truth.how == FL_SLOW && !x->hit)
			fl_count_bound(out, slowdown(&x->truth, g), x->upper);
	}
}

static void add_causes(const struct fl_score *s, struct fl_reliability *out)
{
	bool found[NA_JUDGE_CAUSES] = {false};

	for (uint32_t i = 0; i < s->findings && i < FL_SAID; i++)
		found[s->said[i].who.cause] = true;
	for (int c = 0; c < NA_JUDGE_CAUSES; c++)
		fl_count(&out->cause[c], found[c]);
}

void fl_reliability_of(const struct fl_scores *s, int locality,
		       struct fl_reliability *out)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct fl_score *x = &s->of[locality][i];

		for (uint32_t k = 0; k < x->findings && k < FL_SAID; k++)
			fl_count_said(out, x->said[k].posterior,
				      x->said[k].strict);
		add_planted(x, s->generator, &out->planted);
		out->sound.n += x->sound;
		out->sound.k += x->sound_covered;
		if (x->plan->plan <= FL_SKEWED)
			fl_count(&out->healthy, x->outcome == NA_JUDGE_NOT_GUILTY);
		add_causes(x, out);
	}
}
