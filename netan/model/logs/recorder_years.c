/* The year of what logs tell without one (glog), from what else is told. */
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/model/logs/recorder.h"

void na_fr_dated(struct na_flight_record *x, int64_t ns)
{
	if (ns < NA_FR_YEARS_NS)
		return;
	if (!x->dated_to_ns || ns < x->dated_from_ns)
		x->dated_from_ns = ns;
	if (ns > x->dated_to_ns)
		x->dated_to_ns = ns;
}

static int64_t apart(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* The same day and time of the year in which it is next to another time;
 * INT64_MIN: a day that none of these years has. */
static int64_t nearest(int64_t ns, int64_t to_ns)
{
	char day[NA_UNIT_BUF], at[NA_UNIT_BUF + 8];
	int64_t best = INT64_MIN;
	int year;

	na_print_utc(day, to_ns);
	if (sscanf(day, "%d", &year) != 1)
		return best;
	na_print_utc(day, ns);
	day[10] = 'T';
	*strstr(day, " UTC") = 'Z';
	*(strchr(day, 'Z') + 1) = '\0';
	for (int y = year - 1; y <= year + 1; y++) {
		int64_t then;

		snprintf(at, sizeof(at), "%04d%s", y, day + 4);
		if (na_parse_utc(at, &then) &&
		    (best == INT64_MIN ||
		     apart(then, to_ns) < apart(best, to_ns)))
			best = then;
	}
	return best;
}

/* Inputs of several years leave it open. */
static int64_t dated(const struct na_flight_record *x, int64_t ns)
{
	int64_t from = x->dated_to_ns ? nearest(ns, x->dated_from_ns)
				      : INT64_MIN;

	return from != INT64_MIN && from == nearest(ns, x->dated_to_ns)
		       ? from
		       : INT64_MIN;
}

/* Recorders tell all times with their year. */
static bool has_years(const struct na_fr_dump *d)
{
	return d->evidence & NA_BY_FLIGHT_RECORDER;
}

static void note_dump(struct na_flight_record *x, const struct na_fr_dump *d)
{
	if (has_years(d)) {
		na_fr_dated(x, d->oldest_ns);
		na_fr_dated(x, d->newest_ns);
		return;
	}
	for (size_t i = 0; i < d->entries.n; i++)
		na_fr_dated(x, d->entries.v[i].created_ns);
}

static void settle_dump(struct na_flight_record *x, struct na_fr_dump *d)
{
	for (size_t i = 0; !has_years(d) && i < d->entries.n; i++) {
		struct na_fr_entry *e = &d->entries.v[i];

		if (e->created_ns == INT64_MIN ||
		    e->created_ns >= NA_FR_YEARS_NS)
			continue;
		e->created_ns = dated(x, e->created_ns);
		x->unzoned |= e->created_ns != INT64_MIN;
		x->undated |= e->created_ns == INT64_MIN;
	}
}

void na_fr_settle_years(struct na_flight_record *x)
{
	for (size_t i = 0; i < x->dumps.n; i++)
		note_dump(x, &x->dumps.v[i]);
	for (size_t i = 0; i < x->dumps.n; i++)
		settle_dump(x, &x->dumps.v[i]);
}
