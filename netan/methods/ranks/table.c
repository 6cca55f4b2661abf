/* Ranks of a GPU job: their numbers, their hosts and their first step. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/ranks/impl.h"

NA_ORDER(by_number, struct na_rank, NA_UP(run), NA_UP(number), NA_UP(told),
	 NA_UP(core))

uint32_t na_ranks_find(const struct na_ranks *r, uint32_t run, int32_t number)
{
	const struct na_rank *v = r->ranks.v;
	size_t at = NA_BOUND(i, 0, r->ranks.n,
			     v[i].run > run || (v[i].run == run &&
						v[i].number >= number));

	return at < r->ranks.n && v[at].run == run && v[at].number == number
		       ? (uint32_t)at
		       : NA_UNKNOWN_U32;
}

/* Several files of one rank are one. */
static bool gather(struct na_ranks *r)
{
	const struct na_devices *d = &r->store->devices;
	size_t n = 0;

	for (size_t i = 0; i < d->n_cores; i++) {
		const struct na_core *c = &d->cores[i];
		const struct na_source *s = &r->store->sources[c->input];

		if (c->kind != NA_DEVICE_RANK ||
		    (r->looked && !na_filter_input(r->looked, c->input)))
			continue;
		if (!na_add(&r->ranks,
			    ((struct na_rank){
				    .run = s->run,
				    .core = (uint32_t)i,
				    .number = c->number,
				    .told = s->told,
				    .ran = s->told != NA_TOLD_RECORDER,
				    .queued = s->told == NA_TOLD_RECORDER,
				    .anchor_ps = NA_TIME_MIN})))
			return false;
	}
	na_sort(r->ranks.v, r->ranks.n, by_number);
	for (size_t i = 0; i < r->ranks.n; i++) {
		const struct na_rank *x = &r->ranks.v[i];
		struct na_rank *to = n ? &r->ranks.v[n - 1] : NULL;

		if (to && x->run == to->run && x->number == to->number) {
			to->ran = to->ran || x->ran;
			to->queued = to->queued || x->queued;
		} else {
			r->ranks.v[n++] = *x;
		}
	}
	r->ranks.n = n;
	return true;
}

uint32_t na_rank_endpoint(const struct na_store *store, int32_t number)
{
	const struct na_names *n = &store->names;
	const struct na_core rank = {.kind = NA_DEVICE_RANK, .number = number};
	char text[NA_CORE_BUF];
	uint32_t name;

	na_core_print(text, &rank, ' ');
	name = na_strtab_find(&n->strings, text, strlen(text));
	return name > INT32_MAX ? NA_UNKNOWN_U32
				: na_names_find(n, NA_ADDRESS, (int32_t)name);
}

static bool number_cores(struct na_ranks *r)
{
	const struct na_devices *d = &r->store->devices;

	r->rank_of = na_calloc(d->n_cores + 1, sizeof(*r->rank_of));
	for (size_t i = 0; r->rank_of && i < d->n_cores; i++) {
		const struct na_core *c = &d->cores[i];

		r->rank_of[i] =
			c->kind != NA_DEVICE_RANK
				? NA_UNKNOWN_U32
				: na_ranks_find(r,
						r->store->sources[c->input].run,
						c->number);
	}
	return r->rank_of;
}

struct named {
	uint32_t run, rank, host, own; /* own: of its input; 0 none */
	const char *name;
};

NA_ORDER(by_name, struct named, NA_UP(run), strcmp(x->name, y->name),
	 NA_UP(own), NA_UP(rank))

/* Ranks of one host share its clock, which is known by its name, unless
 * each file counts from a begin of its own. */
static bool find_clocks(struct na_ranks *r)
{
	struct named *x = na_calloc(r->ranks.n + 1, sizeof(*x));
	bool ok = x;

	for (size_t i = 0; ok && i < r->ranks.n; i++) {
		const struct na_rank *k = &r->ranks.v[i];
		uint32_t host = r->store->devices.cores[k->core].input;

		x[i] = (struct named){k->run, (uint32_t)i, host, 0,
				      r->store->hosts[host].name};
		if (r->store->sources[host].own_clock)
			x[i].own = host + 1;
	}
	na_sort(x, ok ? r->ranks.n : 0, by_name);
	for (size_t i = 0; ok && i < r->ranks.n; i++) {
		if (!i || x[i].run != x[i - 1].run ||
		    x[i].own != x[i - 1].own ||
		    strcmp(x[i].name, x[i - 1].name))
			ok = na_add(&r->clocks,
				    ((struct na_rank_clock){
					    .run = x[i].run,
					    .host = x[i].host,
					    .own = x[i].own,
					    .uncertainty_ps = NA_TIME_MAX}));
		r->ranks.v[x[i].rank].clock = (uint32_t)(r->clocks.n - 1);
	}
	free(x);
	return ok;
}

struct step_at {
	int64_t number, start_ps;
	uint32_t rank;
};

NA_ORDER(by_step, struct step_at, NA_UP(number), NA_UP(rank), NA_UP(start_ps))

static void anchor_run(struct na_ranks *r, const struct step_at *x, size_t n,
		       uint32_t run)
{
	size_t all = 0, first = SIZE_MAX, have = 0;

	for (size_t i = 0; i < r->ranks.n; i++)
		all += r->ranks.v[i].run == run && r->ranks.v[i].ran;
	for (size_t i = 0; i < n && first == SIZE_MAX; i++) {
		if (!i || x[i].number != x[i - 1].number)
			have = 0;
		if (r->ranks.v[x[i].rank].run == run &&
		    (!have || x[i].rank != x[i - 1].rank))
			have++;
		if (have == all)
			first = i;
	}
	if (first == SIZE_MAX || !all)
		return;
	for (size_t i = first + 1; i-- && x[i].number == x[first].number;) {
		if (r->ranks.v[x[i].rank].run == run)
			r->ranks.v[x[i].rank].anchor_ps = x[i].start_ps;
	}
}

/* The first step that all ranks of a run have. */
static bool find_anchors(struct na_ranks *r)
{
	struct step_at *x = na_calloc(r->n_steps + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; x && i < r->n_steps; i++) {
		const struct na_span *s = &r->steps[i];

		if (s->kind == NA_SPAN_STEP && s->number >= 0 &&
		    r->rank_of[s->core] != NA_UNKNOWN_U32)
			x[n++] = (struct step_at){s->number, s->start_ps,
						  r->rank_of[s->core]};
	}
	na_sort(x, n, by_step);
	for (uint32_t run = 0; n && run < r->store->n_runs; run++)
		anchor_run(r, x, n, run);
	free(x);
	return x;
}

bool na_ranks_table(struct na_ranks *r)
{
	return gather(r) && number_cores(r) && find_clocks(r) &&
	       find_anchors(r);
}
