/* collectives: each execution that no other record tells, for tables of them
 * (netan sql, export). */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/collectives/tell.h"
#include "netan/base/order.h"
#include "netan/methods/put.h"

struct device_step {
	int64_t start_ps, end_ps, number;
	uint32_t core;
};

struct coll_tell {
	const struct na_store *store;
	struct na_result *r;
	struct na_value *list;
	struct device_step *steps; /* by core and start */
	size_t n_steps;
};

NA_ORDER(by_core, struct device_step, NA_UP(core), NA_UP(start_ps),
	 NA_UP(end_ps), NA_UP(number))

struct coll_tell *na_collectives_tell_new(const struct na_store *store)
{
	struct coll_tell *t = na_calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->store = store;
	t->steps = na_calloc(store->spans.n, sizeof(*t->steps));
	if (!t->steps) {
		free(t);
		return NULL;
	}
	na_each_record (const struct na_span, x, &store->spans) {
		if (x->kind == NA_SPAN_STEP && x->number >= 0)
			t->steps[t->n_steps++] = (struct device_step){
				x->start_ps, x->end_ps, x->number, x->core};
	}
	na_sort(t->steps, t->n_steps, by_core);
	return t;
}

void na_collectives_tell_free(struct coll_tell *t)
{
	if (t)
		free(t->steps);
	free(t);
}

void na_collectives_tell_into(struct coll_tell *t, struct na_result *r)
{
	if (!t)
		return;
	t->r = r;
	t->list = na_put_packed(r, na_result_side(r), M_device_executions);
}

/* As --step has it (na_filter_step_of()); -1: none. */
static int64_t step_of(const struct coll_tell *t,
		       const struct coll_execution *x)
{
	const struct device_step *s = t->steps;
	int64_t at_ps = x->end_ps > x->start_ps ? x->end_ps - 1 : x->end_ps;
	size_t from = NA_BOUND(i, 0, t->n_steps, s[i].core >= x->core);
	size_t to = NA_BOUND(i, from, t->n_steps, s[i].core > x->core);
	size_t at = NA_BOUND(i, from, to, s[i].start_ps > at_ps);

	return at > from && at_ps < s[at - 1].end_ps ? s[at - 1].number : -1;
}

/* The endpoint that it is in transfers, or as planes and ranks are called. */
static void put_device(const struct coll_tell *t, struct na_value *to,
		       const struct na_core *c)
{
	const struct na_names *names = &t->store->names;
	char buf[NA_ENDPOINT_BUF > NA_CORE_BUF ? NA_ENDPOINT_BUF : NA_CORE_BUF];

	na_put_text(t->r, to, M_device,
		    c->endpoint < names->n_endpoints
			    ? na_endpoint_print(buf, names,
						&names->endpoints[c->endpoint])
			    : na_core_print(buf, c, ':'));
}

void na_collectives_tell(struct coll_tell *t, const struct coll_execution *x)
{
	const struct na_core *c;
	struct na_value *to;

	if (!t || !t->list)
		return;
	c = &t->store->devices.cores[x->core];
	to = na_put_object(t->r, t->list, NULL);
	na_put_text(t->r, to, M_collective, x->collective);
	na_put_text(t->r, to, M_group, x->group);
	na_put_whole(t->r, to, M_sequence, x->sequence);
	na_put_text(t->r, to, M_state, x->state);
	na_put_real(t->r, to, M_from_s, x->ends_alone ? NAN : na_s(x->start_ps));
	na_put_real(t->r, to, M_to_s, x->begun_alone ? NAN : na_s(x->end_ps));
	na_put_whole(t->r, to, M_bytes,
		     x->size_bytes == NA_UNKNOWN_U64 ? -1
						     : (na_i128)x->size_bytes);
	put_device(t, to, c);
	na_put_text(t->r, to, M_host, t->store->sources[c->input].host);
	na_put_text(t->r, to, M_transfer_type, x->type);
	na_put_whole(t->r, to, M_step, step_of(t, x));
	na_put_text(t->r, to, M_label,
		    na_store_label(t->store,
				   na_store_run_of(t->store, c->input)));
}
