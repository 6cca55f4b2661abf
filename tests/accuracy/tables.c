#include "tests/accuracy/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum measure {
	RECALL,
	PRECISION,
	PRECISION_ALL_HEALTHY,
	TOUCHED,
	HOST_RECALL,
	PATH_RECALL,
	HEALTHY_ANY,
	HEALTHY_NAMED,
	HEALTHY_HOST,
	SKEWED_ANY,
	EVERY_RECALL,
	EVERY_PRECISION,
	NO_WAIT_RECALL,
	NO_WAIT_PRECISION,
	RACK_BLAMED,
	RACK_RIGHT,
	CLOCK_RIGHT,
	CLOCK_FALSE,
	ACQUITTED,
	SOUND_OPEN,
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
	{RECALL, "well-posed recall: kind and host", 1, {0.97, 0.80}},
	{PRECISION, "well-posed precision", 1, {0.98, 0.88}},
	{PRECISION_ALL_HEALTHY, "  healthy and skewed fleets included", 0, {0}},
	{TOUCHED, "kind and host right, of faults touched", 1, {0.95, 0.93}},
	{HOST_RECALL, "single host-level fault, well-posed: recall", 1, {0.95, 0.87}},
	{PATH_RECALL, "single slow path, well-posed: recall", 1, {0.75, 0.45}},
	{HEALTHY_ANY, "healthy fleets with any report", -1, {0.03, 0.08}},
	{SKEWED_ANY, "skewed clock: any NIC or path report", -1, {0.03, 0.10}},
	{EVERY_RECALL, "all fleets: recall", 1, {0.63, 0.52}},
	{EVERY_PRECISION, "all fleets: precision", 1, {0.90, 0.88}},
	{CLOCK_RIGHT, "skewed clock: host and amount right", 0, {0}},
	{CLOCK_FALSE, "other fleets with a clock reported", 0, {0}},
	{ACQUITTED, "acquitted though visible", -1, {0.03, NAN}},
	{SOUND_OPEN, "healthy fleets left undecided", 0, {0}},
	{Z_RECALL, "largest z of pair medians: recall", 0, {0}},
	{Z_PRECISION, "largest z of pair medians: precision", 0, {0}},
};

static const struct row queueing[] = {
	{RECALL, "well-posed recall: kind and host", 1, {0.90, 0.80}},
	{PRECISION_ALL_HEALTHY, "well-posed precision, healthy, skewed included", 1, {0.85, 0.58}},
	{NO_WAIT_RECALL, "no wait for the receiver: recall", 1, {0.86, 0.86}},
	{NO_WAIT_PRECISION, "no wait for the receiver: precision", 1, {0.74, 0.68}},
	{HEALTHY_NAMED, "healthy runs naming a host or path", -1, {0.10, 0.25}},
	{HEALTHY_HOST, "healthy runs naming a host", -1, {0.10, 0.10}},
	{RACK_BLAMED, "visible rack-link faults: blamed on a host", -1, {0.35, 0.60}},
	{RACK_RIGHT, "visible rack-link faults: right link named", 1, {0.60, NAN}},
	{TOUCHED, "kind and host right, of faults touched", 0, {0}},
	{HOST_RECALL, "single host-level fault, well-posed: recall", 0, {0}},
	{PATH_RECALL, "single slow path, well-posed: recall", 0, {0}},
	{SKEWED_ANY, "skewed clock: any NIC or path report", -1, {0.10, NAN}},
	{CLOCK_RIGHT, "skewed clock: host and amount right", 0, {0}},
	{CLOCK_FALSE, "other runs with a clock reported", 0, {0}},
	{EVERY_RECALL, "all runs: recall", 0, {0}},
	{EVERY_PRECISION, "all runs: precision", 0, {0}},
	{ACQUITTED, "acquitted though visible", -1, {0.05, NAN}},
	{SOUND_OPEN, "healthy runs left undecided", 0, {0}},
	{Z_RECALL, "largest z of pair medians: recall", 0, {0}},
	{Z_PRECISION, "largest z of pair medians: precision", 0, {0}},
};
/* clang-format on */

void fl_wilson(struct fl_share s, double *low, double *high)
{
	double z = 1.959963984540054, n = (double)s.n, p, mid, half;

	*low = 0;
	*high = 1;
	if (s.n == 0)
		return;
	p = (double)s.k / n;
	mid = (p + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) *
	       sqrt(p * (1 - p) / n + z * z / (4 * n * n));
	*low = s.k == 0 ? 0 : mid - half;
	*high = s.k == s.n ? 1 : mid + half;
}

static bool is_rack_run(const struct fl_score *s)
{
	return s->n_faults && s->faults[0].truth.who.kind >= NA_LZ_RACK_UPLINK;
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
	bool host = t->who.kind <= NA_LZ_HOST, one = s->n_faults == 1;

	switch (m) {
	case RECALL:
	case Z_RECALL:
		return t->well_posed;
	case NO_WAIT_RECALL:
		return t->well_posed && !s->waits;
	case HOST_RECALL:
		return t->well_posed && one && host && t->how != FL_WINDOWS;
	case PATH_RECALL:
		return t->well_posed && one && t->who.kind == NA_LZ_PAIR &&
		       t->how != FL_TAILS;
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
	bool skewed = s->plan->plan == FL_SKEWED;
	bool in = s->plan->plan == FL_HEALTHY, yes = false;

	if (m == SKEWED_ANY || m == CLOCK_RIGHT)
		in = skewed;
	else if (m == CLOCK_FALSE)
		in = !skewed;
	else if (m == ACQUITTED)
		in = has_well_posed(s);
	else if (m == RACK_BLAMED || m == RACK_RIGHT)
		in = is_rack_run(s) && s->faults[0].truth.well_posed;
	if (m == HEALTHY_ANY)
		yes = s->findings + s->clocks > 0;
	else if (m == HEALTHY_NAMED || m == SKEWED_ANY)
		yes = s->on_hosts + s->on_paths > 0;
	else if (m == HEALTHY_HOST || m == RACK_BLAMED)
		yes = s->on_hosts > 0;
	else if (m == CLOCK_RIGHT)
		yes = s->clock_right;
	else if (m == CLOCK_FALSE)
		yes = s->clocks > 0;
	else if (m == RACK_RIGHT)
		yes = in && s->faults[0].hit;
	else if (m == ACQUITTED)
		yes = s->findings + s->undecided == 0;
	else if (m == SOUND_OPEN)
		yes = s->findings == 0 && s->undecided > 0;
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
		case PATH_RECALL:
		case EVERY_RECALL:
		case NO_WAIT_RECALL:
		case Z_RECALL:
			add_faults(x, m, &out);
			break;
		case PRECISION:
		case PRECISION_ALL_HEALTHY:
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

static const char *title(enum fl_generator g)
{
	return g == FL_STATISTICAL ? "Statistical fleets" : "Queueing fleets";
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
	printf("\n%s: %zu; share [95 %% interval] count, bar\n",
	       title(s->generator), s->n);
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

	printf("\n%s: recall of well-posed faults; right of all reports\n",
	       title(s->generator));
	for (size_t i = 0; i < n; i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= strcmp(c[k].name, c[i].name) == 0;
		if (!seen)
			print_case(s, &c[i]);
	}
	printf("Recall of faults with enough samples, by slowdown\n");
	for (int i = 0; i < 3; i++)
		print_group(s, factors[i], by_slowdown, i);
	printf("Recall of faults that are slow enough, by samples\n");
	for (int i = 0; i < 7; i++)
		print_group(s, samples[i], by_samples, i);
}

/* ---- parts */

static size_t changed(const struct fl_scores *a, const struct fl_scores *b,
		      int locality)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->of[locality][i].print != b->of[locality][i].print;
	return n;
}

/* What each kind of fleet has that the other has not. */
static enum measure special(enum fl_generator g)
{
	return g == FL_STATISTICAL ? CLOCK_RIGHT : RACK_RIGHT;
}

static double change(const struct fl_scores *from, const struct fl_scores *to,
		     int locality, enum measure m)
{
	return value(measure(to, locality, m)) -
	       value(measure(from, locality, m));
}

void fl_print_part_head(enum fl_generator g)
{
	const char *rest = g == FL_STATISTICAL ? "clock right" : "link right";

	printf("\n%s: change when one part is off, and fleets changed\n"
	       "(precision with healthy and skewed fleets)\n%-14s",
	       title(g), "");
	for (int l = 0; l < FL_LOCALITIES; l++)
		printf("  %9s %9s %11s %7s", l ? "not given" : "given",
		       "precision", rest, "fleets");
	printf("\n");
}

void fl_print_part(const char *name, const struct fl_scores *base,
		   const struct fl_scores *without)
{
	printf("%-14s", name);
	for (int l = 0; l < FL_LOCALITIES; l++)
		printf("  %+9.3f %+9.3f %+11.3f %7zu",
		       change(base, without, l, RECALL),
		       change(base, without, l, PRECISION_ALL_HEALTHY),
		       change(base, without, l, special(base->generator)),
		       changed(base, without, l));
	printf("\n");
}
