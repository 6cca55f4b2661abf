/*
 * timeline: what ranks of GPU jobs move.  Nobody sees their packets: each
 * rank's bus bytes, in and out, are spread over the time in which nobody waits
 * any more, the last `transfer` of its kernel.  A send is tx of one rank and
 * rx of the other.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/timeline/state.h"
#include "netan/base/order.h"
#include "netan/methods/ranks/bus.h"
#include "netan/methods/ranks/ranks.h"

/* A receive that a rank's trace tells. */
bool na_timeline_of_rank(const struct timeline_state *s,
			 const struct na_transfer *t)
{
	return t->style == NA_STYLE_CAPTURE && t->side == NA_RX &&
	       t->component == NA_COMP_NETWORK &&
	       s->scope->store->hosts[t->input].of_ranks;
}

enum na_status na_timeline_add_comm(void *block, const struct na_comm *x)
{
	struct timeline_state *s = block;

	/* Used is what was joined. */
	return s->pass || na_add(&s->comms, *x) ? NA_ASIDE : NA_ENOMEM;
}

enum na_status na_timeline_add_step(void *block, const struct na_span *x)
{
	struct timeline_state *s = block;

	return s->pass || x->device != NA_DEVICE_RANK ||
			       na_add(&s->rank_steps, *x)
		       ? NA_OK
		       : NA_ENOMEM;
}

/* Groups that need no endpoint, which a collective has not. */
static bool grouped(const struct timeline_state *s)
{
	const struct na_grouping *by = &s->scope->by;

	return !na_grouping_has(by, NA_KEY_SRC) &&
	       !na_grouping_has(by, NA_KEY_DST) &&
	       !na_grouping_has(by, NA_KEY_PAIR) &&
	       !na_grouping_has(by, NA_KEY_DEVICE) &&
	       !na_grouping_has(by, NA_KEY_CLASS);
}

struct drawing {
	struct timeline_state *s;
	struct na_ranks r;
	uint32_t *host_of;     /* by input: the first one on its host */
	uint32_t *seen, stamp; /* by those */
};

struct named {
	uint32_t run, at;
	const char *name;
};

NA_ORDER(by_name, struct named, NA_UP(run), strcmp(x->name, y->name), NA_UP(at))

static bool find_hosts(struct drawing *d)
{
	const struct na_store *store = d->s->scope->store;
	size_t n = store->n_sources;
	struct named *v = na_calloc(n + 1, sizeof(*v));

	d->host_of = na_calloc(n + 1, sizeof(*d->host_of));
	d->seen = na_calloc(n + 1, sizeof(*d->seen));
	for (uint32_t i = 0; v && i < n; i++)
		v[i] = (struct named){store->sources[i].run, i,
				      store->hosts[i].name};
	na_sort(v, v ? n : 0, by_name);
	for (size_t i = 0; v && d->host_of && i < n; i++) {
		bool same = i && v[i].run == v[i - 1].run &&
			    strcmp(v[i].name, v[i - 1].name) == 0;

		d->host_of[v[i].at] = same ? d->host_of[v[i - 1].at] : v[i].at;
	}
	free(v);
	return v && d->host_of && d->seen;
}

static uint32_t host_at(const struct drawing *d, size_t part)
{
	return d->host_of[d->r.comms[d->r.parts.v[part].comm].input];
}

static bool crosses(const struct drawing *d, const struct na_rank_instance *x)
{
	for (size_t i = x->from + 1; i < x->to; i++) {
		if (host_at(d, i) != host_at(d, x->from))
			return true;
	}
	return false;
}

/* The first part on its host since `stamp` was counted up: what passes the NIC
 * passes it once. */
static bool is_first(struct drawing *d, size_t part)
{
	uint32_t *seen = &d->seen[host_at(d, part)];
	bool first = *seen != d->stamp;

	*seen = d->stamp;
	return first;
}

static bool add_moved(struct timeline_state *s, const struct na_transfer *t,
		      bool on_nic)
{
	return t->end_ps <= s->lo_ps || t->start_ps >= s->hi_ps ||
	       na_add(&s->moved, ((struct timeline_moved){*t, on_nic}));
}

static bool add_part(struct drawing *d, const struct na_rank_instance *x,
		     size_t part, bool far)
{
	const struct na_ranks *r = &d->r;
	const struct na_rank_part *p = &r->parts.v[part];
	uint32_t n = r->groups.v[x->group].size;
	bool on_nic = is_first(d, part) && far;
	struct na_transfer t = {
		.start_ps = p->end_ps - x->transfer_ps,
		.end_ps = p->end_ps,
		.size_bytes = (uint64_t)((double)x->size_bytes *
					 na_bus_factor(x->operation, n)),
		.src = NA_UNKNOWN_U32,
		.dst = NA_UNKNOWN_U32,
		.collective = NA_UNKNOWN_U32,
		.type = NA_UNKNOWN_U32,
		.step = NA_UNKNOWN_U32,
		.launch = NA_UNKNOWN_U32,
		.level = -1,
		.input = host_at(d, part),
		.style = NA_STYLE_GRAPH,
		.klass = NA_VALID,
		.component = NA_COMP_NETWORK,
	};

	for (int side = 0; side < 2; side++) {
		t.side = (uint8_t)side;
		if (!add_moved(d->s, &t, on_nic))
			return false;
	}
	return true;
}

NA_ORDER(by_time, struct na_transfer, NA_UP(input), NA_UP(start_ps),
	 NA_UP(end_ps), NA_UP(src))

/* The transfer of a receive that the filters have let pass; NULL. */
static struct na_transfer *received(struct timeline_state *s,
				    const struct na_comm *x)
{
	const struct na_transfer *v = s->received.v;
	uint32_t src = na_rank_endpoint(s->scope->store, x->peer);
	size_t at = NA_BOUND(i, 0, s->received.n,
			     v[i].input > x->input ||
				     (v[i].input == x->input &&
				      v[i].start_ps >= x->start_ps));

	while (at < s->received.n && v[at].input == x->input &&
	       v[at].start_ps == x->start_ps) {
		if (v[at].end_ps == x->end_ps && v[at].src == src &&
		    v[at].klass == NA_VALID)
			return &s->received.v[at];
		at++;
	}
	return NULL;
}

static bool add_pair(struct drawing *d, const struct na_rank_instance *x)
{
	const struct na_ranks *r = &d->r;
	bool far = crosses(d, x), measured = na_rank_measures(r, x);
	struct na_transfer *of = NULL;

	for (size_t i = x->from; i < x->to; i++) {
		const struct na_comm *c = &r->comms[r->parts.v[i].comm];

		if (c->operation == NA_OPCODE_RECV)
			of = received(d->s, c);
	}
	for (size_t i = x->from; of && i < x->to; i++) {
		const struct na_rank_part *p = &r->parts.v[i];
		const struct na_comm *c = &r->comms[p->comm];
		struct na_transfer t = *of;

		t.side = c->operation == NA_OPCODE_RECV ? NA_RX : NA_TX;
		t.start_ps = measured ? p->end_ps - x->transfer_ps
				      : p->start_ps;
		t.end_ps = p->end_ps;
		t.input = host_at(d, i);
		t.style = NA_STYLE_GRAPH;
		if (!add_moved(d->s, &t, far))
			return false;
	}
	if (of)
		of->klass = NA_BAD_KEY; /* taken */
	return true;
}

/* Whose sender is not there: as its receiver tells it. */
static bool add_alone(struct drawing *d)
{
	bool ok = true;

	for (size_t i = 0; ok && i < d->s->received.n; i++) {
		struct na_transfer t = d->s->received.v[i];

		t.style = NA_STYLE_GRAPH;
		t.input = d->host_of[t.input];
		ok = t.klass == NA_BAD_KEY || add_moved(d->s, &t, true);
	}
	return ok;
}

void na_timeline_use_ranks(const struct timeline_state *s)
{
	for (size_t i = 0; i < s->moved.n; i++) {
		const struct na_transfer *t = &s->moved.v[i].t;

		if (t->side == NA_RX)
			na_extent_add(s->scope->used, t->start_ps, t->end_ps);
	}
}

static bool add_instance(struct drawing *d, const struct na_rank_instance *x)
{
	struct timeline_state *s = d->s;
	bool ok = true, far;

	if (d->r.groups.v[x->group].src >= 0)
		return x->times != NA_RANK_RAN || add_pair(d, x);
	s->apart -= x->to - x->from;
	if (x->size_bytes >= NA_RANK_BYTES_MAX)
		s->no_size += x->to - x->from;
	if (x->size_bytes >= NA_RANK_BYTES_MAX || !grouped(s) ||
	    x->times != NA_RANK_RAN)
		return true;
	s->not_drawn -= x->to - x->from;
	far = crosses(d, x);
	d->stamp++;
	for (size_t k = x->from; ok && k < x->to; k++)
		ok = add_part(d, x, k, far);
	return ok;
}

bool na_timeline_join_ranks(struct timeline_state *s)
{
	struct drawing d = {.s = s,
			    .r = {.store = s->scope->store,
				  .looked = s->scope->bound,
				  .comms = s->comms.v,
				  .n_comms = s->comms.n,
				  .steps = s->rank_steps.v,
				  .n_steps = s->rank_steps.n}};
	bool ok;

	na_sort(s->received.v, s->received.n, by_time);
	ok = find_hosts(&d) && (!d.r.n_comms || na_ranks_join(&d.r));
	for (size_t i = 0; i < d.r.n_comms; i++)
		s->not_drawn += !na_rank_is_pair(&d.r.comms[i]);
	s->apart = s->not_drawn;
	for (size_t i = 0; ok && i < d.r.instances.n; i++)
		ok = add_instance(&d, &d.r.instances.v[i]);
	ok = ok && add_alone(&d);
	na_ranks_fini(&d.r);
	free(d.host_of);
	free(d.seen);
	return ok;
}
