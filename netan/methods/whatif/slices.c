/*
 * What the devices of a slice execute together: each begins it when it gets
 * there, and all end it after the last of them.  Who comes last does not wait,
 * so that what others take longer is how much earlier they came.
 */
#include <stdlib.h>

#include "netan/methods/matches/op_match.h"
#include "netan/methods/whatif/state.h"

static bool any_type(void *arg, const struct na_op_type *t, uint32_t name)
{
	(void)arg;
	(void)name;
	return t->network == NA_NET_ICI;
}

static uint32_t slice_of(const struct na_whatif *w, uint32_t core)
{
	const struct na_store *s = w->store;
	const struct na_core *c = &s->devices.cores[core];

	return c->endpoint < s->names.n_endpoints
		       ? (uint32_t)s->names.endpoints[c->endpoint].slice
		       : WF_NONE;
}

static bool add_piece(struct na_whatif *w, const struct na_op_piece *x,
		      uint32_t meeting, int64_t least_ps)
{
	int64_t took = na_time_between(x->start_ps, x->end_ps);
	uint32_t host = w->store->devices.cores[x->core].input;
	uint32_t id = (uint32_t)w->guests.n;

	w->meetings.v[meeting].n++;
	return na_add(&w->guests,
		      ((struct wf_guest){.meeting = meeting,
					 .core = x->core,
					 .took_ps = took,
					 .early_ps = took - least_ps})) &&
	       na_add(&w->events,
		      ((struct wf_event){x->start_ps, host, id, WF_CAME})) &&
	       na_add(&w->events,
		      ((struct wf_event){x->end_ps, host, id, WF_MET}));
}

struct matching {
	struct na_whatif *w;
	struct na_op_match m;
};

static bool add_slice(struct matching *g, const struct na_op_piece *x, size_t n,
		      uint32_t slice)
{
	struct na_whatif *w = g->w;
	int64_t least = NA_TIME_MAX;
	size_t members = 0;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		int64_t took = na_time_between(x[i].start_ps, x[i].end_ps);

		if (slice_of(w, x[i].core) != slice)
			continue;
		members++;
		least = took < least ? took : least;
	}
	if (members < 2 || least <= 0)
		return true;
	ok = na_add(&w->meetings,
		    ((struct wf_meeting){.first = (uint32_t)w->guests.n}));
	for (size_t i = 0; ok && i < n; i++)
		if (slice_of(w, x[i].core) == slice)
			ok = add_piece(w, &x[i], (uint32_t)w->meetings.n - 1,
				       least);
	return ok;
}

static bool add_execution(void *arg, const struct na_op_piece *x, size_t n)
{
	struct matching *g = arg;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		uint32_t slice = slice_of(g->w, x[i].core);
		bool first = slice != WF_NONE;

		for (size_t k = 0; first && k < i; k++)
			first = slice_of(g->w, x[k].core) != slice;
		if (first)
			ok = add_slice(g, x, n, slice);
	}
	return ok;
}

bool wf_gather_slices(struct na_whatif *w)
{
	const struct na_store *s = w->store;
	NA_VEC(const struct na_op *) ops = {.n = 0};
	NA_VEC(struct na_span) steps = {.n = 0};
	struct na_strtab names = {0};
	struct matching g = {.w = w};
	bool ok = true;

	na_each_record (const struct na_op, x, &s->ops)
		if (ok &&
		    s->sources[s->devices.cores[x->core].input].run == w->run &&
		    na_op_is_collective(&s->devices.types.items[x->type]) &&
		    s->devices.types.items[x->type].network == NA_NET_ICI &&
		    na_filter_op(w->scope->bound, x))
			ok = na_add(&ops, x);
	na_each_record (const struct na_span, x, &s->spans)
		if (ok && x->core < s->devices.n_cores) {
			struct na_span y = *x;

			y.name = steps.n ? steps.v[0].name : y.name;
			ok = na_add(&steps, y);
		}
	g.m = (struct na_op_match){.scope = w->scope,
				   .ops = ops.v,
				   .n_ops = ops.n,
				   .runs = steps.v,
				   .n_runs = steps.n,
				   .modules = &names,
				   .instance = add_execution,
				   .arg = &g};
	ok = ok && na_op_units(&g.m, any_type) && na_op_match(&g.m);
	na_op_match_fini(&g.m);
	na_strtab_fini(&names);
	na_vec_free(&ops);
	na_vec_free(&steps);
	return ok;
}
