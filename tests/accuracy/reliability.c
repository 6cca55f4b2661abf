#include "tests/accuracy/reliability.h"

#include <math.h>
#include <stdio.h>

static const double from[FL_RANGES] = {0, 0.5, 0.9, 0.95, 0.99};
static const char *const ranges[FL_RANGES] = {
	"below 0.5", "0.5-0.9", "0.9-0.95", "0.95-0.99", "0.99-1"};

void fl_count(struct fl_share *s, bool yes)
{
	s->n++;
	s->k += yes;
}

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

void fl_count_said(struct fl_reliability *r, double posterior, bool right)
{
	int i = FL_RANGES - 1;

	if (isnan(posterior))
		return;
	while (i > 0 && posterior < from[i])
		i--;
	fl_count(&r->said[i], right);
}

void fl_count_bound(struct fl_share *s, double factor, double upper)
{
	if (!isnan(upper))
		fl_count(s, factor <= upper);
}

static void print_share(const char *text, struct fl_share s)
{
	double low, high;

	if (s.n == 0)
		return;
	fl_wilson(s, &low, &high);
	printf("  %-44s %5llu of %-6llu %.3f [%.2f, %.2f]\n", text,
	       (unsigned long long)s.k, (unsigned long long)s.n,
	       (double)s.k / (double)s.n, low, high);
}

void fl_print_reliability(const struct fl_reliability *r)
{
	char text[48];

	printf("Reliability: names right, true factors at or below the 97.5 %% "
	       "bound\n");
	for (int i = 0; i < FL_RANGES; i++) {
		snprintf(text, sizeof(text), "posterior said %s", ranges[i]);
		print_share(text, r->said[i]);
	}
	print_share("bounds: slow sides that are not named", r->planted);
	print_share("bounds: sides without a fault", r->sound);
	print_share("sessions without a fault: not_guilty", r->healthy);
}

static void put(FILE *f, const char *world, const char *kind, const char *what,
		struct fl_share s)
{
	fprintf(f, "%s\t%s%s\t%llu\t%llu\n", world, kind, what,
		(unsigned long long)s.k, (unsigned long long)s.n);
}

bool fl_append_reliability(const struct fl_reliability *r, const char *world,
			   const char *path)
{
	FILE *f = fopen(path, "a");
	bool ok = f != NULL;

	if (ok) {
		for (int i = 0; i < FL_RANGES; i++)
			put(f, world, "said ", ranges[i], r->said[i]);
		put(f, world, "", "planted", r->planted);
		put(f, world, "", "sound", r->sound);
		put(f, world, "", "healthy", r->healthy);
		for (int i = 0; i < NA_CAUSES; i++)
			put(f, world, "cause ", na_judge_kinds[i], r->cause[i]);
		ok = fclose(f) == 0;
	}
	if (!ok)
		perror(path);
	return ok;
}
