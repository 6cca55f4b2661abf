/* Ranks of GPU jobs and the hosts that they are on. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/scan.h"
#include "netan/base/vec.h"
#include "netan/model/hosts/resolve.h"

struct numbered {
	uint32_t run;
	int32_t rank;
};

struct named {
	uint32_t run;
	const char *host;
};

NA_ORDER(by_number, struct numbered, NA_UP(run), NA_UP(rank))
NA_ORDER(by_name, struct named, NA_UP(run), strcmp(x->host, y->host))

/* Marks the hosts that sources with ranks are. */
static size_t list_ranks(struct na_store *s, struct numbered *to)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		s->hosts[i].of_ranks = s->sources[i].ranks ||
				       s->sources[i].of_rank;
		if (!s->sources[i].of_rank)
			continue;
		to[n++] = (struct numbered){s->sources[i].run,
					    s->sources[i].rank};
	}
	for (size_t i = 0; i < s->devices.n_cores; i++) {
		const struct na_core *c = &s->devices.cores[i];

		if (c->kind != NA_DEVICE_RANK)
			continue;
		s->hosts[c->input].of_ranks = true;
		to[n++] = (struct numbered){s->sources[c->input].run,
					    c->number};
	}
	return n;
}

/* How many differ, by an order that it sorts them in. */
static size_t distinct(void *v, size_t n, size_t size,
		       int (*order)(const void *, const void *))
{
	const char *x = v;
	size_t found = n > 0;

	na_sort_of(v, n, size, order);
	for (size_t i = 1; i < n; i++)
		found += order(x + (i - 1) * size, x + i * size) != 0;
	return found;
}

/* "r3", as the ends of what ranks send are called. */
static bool is_rank(const char *name)
{
	struct na_text x = na_text_n(name, strlen(name));
	uint64_t n;

	return na_text_past(&x, "r") && na_text_number(x, &n);
}

struct placed {
	uint32_t run;
	const char *host;
	uint32_t input;
};

NA_ORDER(by_place, struct placed, NA_UP(run), strcmp(x->host, y->host),
	 NA_UP(input))

/* What a rank is called as an end of transfers; NA_NO_NAME: it is none. */
static uint32_t end_of(const struct na_store *s, const struct na_core *c)
{
	char buf[NA_CORE_BUF];
	const char *name = na_core_print(buf, c, ' ');
	uint32_t at = na_strtab_find(&s->names.strings, name, strlen(name));

	return at == NA_NO_NAME
		       ? at
		       : na_names_find(&s->names, NA_ADDRESS, (int32_t)at);
}

/* Inputs that tell their host, those of one host side by side. */
static size_t list_places(const struct na_store *s, struct placed *to)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->n_sources; i++) {
		if (!s->sources[i].no_host)
			to[n++] = (struct placed){s->sources[i].run,
						  s->hosts[i].name, i};
	}
	na_sort(to, n, by_place);
	return n;
}

/* The first input of the same host, where that is told. */
static uint32_t home_of(const struct na_store *s, uint32_t input,
			const struct placed *places, size_t n)
{
	const struct placed own = {s->sources[input].run, s->hosts[input].name,
				   0};

	if (s->sources[input].no_host)
		return input;
	return places[NA_BOUND(i, 0, n, by_place(&places[i], &own) >= 0)].input;
}

static void place_core(struct na_store *s, const struct na_core *c)
{
	uint32_t e = end_of(s, c), run = s->sources[c->input].run;

	if (e >= s->names.n_endpoints || s->sources[c->input].no_host)
		return;
	s->runs_on[run * s->names.n_endpoints + e] = s->home_of[c->input];
}

/* The rank that an input is of is known even where none of its records are
 * looked at that tell of it. */
static void place_input(struct na_store *s, uint32_t i)
{
	const struct na_core c = {.kind = NA_DEVICE_RANK,
				  .number = s->sources[i].rank,
				  .input = i};

	if (s->sources[i].of_rank)
		place_core(s, &c);
}

static bool place_ranks(struct na_store *s)
{
	size_t ends = s->names.n_endpoints * s->n_runs, n;
	struct placed *places;

	if (!s->ranked.ranks)
		return true;
	places = na_calloc(s->n_sources + 1, sizeof(*places));
	s->runs_on = na_calloc(ends, sizeof(*s->runs_on));
	s->home_of = na_calloc(s->n_sources, sizeof(*s->home_of));
	if (places && s->runs_on && s->home_of) {
		memset(s->runs_on, 0xff, ends * sizeof(*s->runs_on));
		n = list_places(s, places);
		for (uint32_t i = 0; i < s->n_sources; i++)
			s->home_of[i] = s->hosts[i].of_ranks
						? home_of(s, i, places, n)
						: i;
		for (uint32_t i = 0; i < s->n_sources; i++)
			place_input(s, i);
		for (size_t i = 0; i < s->devices.n_cores; i++) {
			if (s->devices.cores[i].kind == NA_DEVICE_RANK)
				place_core(s, &s->devices.cores[i]);
		}
	}
	free(places);
	return places && s->runs_on && s->home_of;
}

enum na_status na_resolve_ranked(struct na_store *s, struct na_err *err)
{
	size_t n = s->n_sources, told = 0;
	struct numbered *ranks = na_calloc(n + s->devices.n_cores + 1,
					   sizeof(*ranks));
	struct named *hosts = na_calloc(n + 1, sizeof(*hosts));
	bool ok = ranks && hosts;

	if (ok) {
		s->ranked.ranks = distinct(ranks, list_ranks(s, ranks),
					   sizeof(*ranks), by_number);
		for (size_t i = 0; i < n; i++) {
			bool holds = s->hosts[i].of_ranks;

			s->ranked.inputs += holds;
			if (holds && !s->sources[i].no_host)
				hosts[told++] =
					(struct named){s->sources[i].run,
						       s->sources[i].host};
		}
		s->ranked.hosts =
			distinct(hosts, told, sizeof(*hosts), by_name);
		for (size_t i = n; s->ranked.ranks && i < s->n_hosts; i++)
			s->hosts[i].of_ranks = is_rank(s->hosts[i].name);
	}
	free(ranks);
	free(hosts);
	return ok && place_ranks(s) ? NA_OK : na_fail_nomem(err);
}
