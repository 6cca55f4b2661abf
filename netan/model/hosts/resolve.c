/* What only the whole can tell: hosts, anchor, generations, steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/csv.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/model/hosts/resolve.h"

uint32_t na_store_host_of(const struct na_store *s, uint32_t run,
			  uint32_t endpoint)
{
	return s->host_of[run * s->names.n_endpoints + endpoint];
}

uint32_t na_store_machine_of(const struct na_store *s, uint32_t run,
			     uint32_t endpoint)
{
	uint32_t input =
		s->runs_on ? s->runs_on[run * s->names.n_endpoints + endpoint]
			   : NA_UNKNOWN_U32;

	return input == NA_UNKNOWN_U32 ? na_store_host_of(s, run, endpoint)
				       : input;
}

struct hosting {
	struct na_store *s;
	size_t cap;
	struct na_strtab seen; /* run and name of each host */
	uint32_t *host;        /* by index there */
	size_t cap_host;
};

static enum na_status add_host(struct hosting *h, const char *name,
			       struct na_host host, struct na_err *err)
{
	struct na_store *s = h->s;

	host.name = na_arena_strn(&s->host_names, name, strlen(name));
	if (!host.name ||
	    !na_grow(&s->hosts, &h->cap, s->n_hosts + 1, sizeof(*s->hosts)))
		return na_fail_nomem(err);
	s->hosts[s->n_hosts++] = host;
	return NA_OK;
}

/* Where the host of that name in that run is kept: NA_UNKNOWN_U32 in it
 * when there was none; NULL when memory is short. */
static uint32_t *slot_of(struct hosting *h, const char *name, uint32_t run)
{
	size_t n = strlen(name), before = h->seen.n;
	char key[sizeof(run) + NA_CSV_FIELD_BYTES];
	uint32_t at;

	n = n < NA_CSV_FIELD_BYTES ? n : NA_CSV_FIELD_BYTES;
	memcpy(key, &run, sizeof(run));
	memcpy(key + sizeof(run), name, n);
	at = na_strtab_add(&h->seen, key, sizeof(run) + n);
	if (at == NA_NO_NAME ||
	    !na_grow(&h->host, &h->cap_host, h->seen.n, sizeof(*h->host)))
		return NULL;
	if (h->seen.n > before)
		h->host[at] = NA_UNKNOWN_U32;
	return &h->host[at];
}

/* Hosts 0 to n_sources - 1 are the inputs.  A device belongs to the input
 * that recorded it. */
static enum na_status inputs_as_hosts(struct hosting *h, struct na_err *err)
{
	struct na_store *s = h->s;
	size_t n = s->names.n_endpoints;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < s->n_sources; i++) {
		const struct na_source *x = &s->sources[i];
		const struct na_host host = {.run = x->run,
					     .slice = -1,
					     .recorded = true,
					     .nobody = x->capture};
		size_t base = x->run * n;

		st = add_host(h, x->host, host, err);
		for (size_t k = 0; k < s->n_local[i] && !x->capture; k++) {
			uint32_t *of = &s->host_of[base + s->local[i][k]];

			if (*of == NA_UNKNOWN_U32)
				*of = (uint32_t)i;
		}
	}
	return st;
}

static enum na_status name_address(struct hosting *h, size_t i,
				   const char *name, int32_t slice,
				   struct na_err *err)
{
	struct na_store *s = h->s;
	struct na_host host = {.slice = slice};
	uint32_t *slot;

	host.run = (uint32_t)(i / s->names.n_endpoints);
	slot = slot_of(h, name, host.run);
	if (!slot)
		return na_fail_nomem(err);
	s->n_named++;
	s->host_of[i] = *slot;
	if (*slot != NA_UNKNOWN_U32) {
		if (s->hosts[*slot].slice < 0)
			s->hosts[*slot].slice = slice;
		return NA_OK;
	}
	s->host_of[i] = *slot = (uint32_t)s->n_hosts;
	return add_host(h, name, host, err);
}

/* What --hosts names is a host that an input recorded, or one of its own. */
static enum na_status name_addresses(struct hosting *h, struct na_err *err)
{
	struct na_store *s = h->s;
	size_t n = s->names.n_endpoints;
	enum na_status st = NA_OK;
	char buf[NA_ENDPOINT_BUF];

	for (size_t i = 0; i < s->n_sources; i++) {
		uint32_t *slot = slot_of(h, s->hosts[i].name, s->hosts[i].run);

		if (!slot)
			return na_fail_nomem(err);
		if (*slot == NA_UNKNOWN_U32 && !s->hosts[i].nobody)
			*slot = (uint32_t)i;
	}
	for (size_t i = 0; st == NA_OK && i < n * s->n_runs; i++) {
		const struct na_endpoint *e = &s->names.endpoints[i % n];
		const char *name;
		int32_t slice;

		if (e->slice != NA_ADDRESS)
			continue;
		na_endpoint_print(buf, &s->names, e);
		name = na_hosts_find(s->names_of, buf, &slice);
		if (name)
			st = name_address(h, i, name, slice, err);
	}
	return st;
}

/* An endpoint that no input recorded and no file names is its own host. */
static enum na_status resolve_hosts(struct na_store *s, struct na_err *err)
{
	size_t n = s->names.n_endpoints;
	struct hosting h = {.s = s};
	enum na_status st;
	char buf[NA_ENDPOINT_BUF];

	s->host_of = na_calloc(n * s->n_runs, sizeof(*s->host_of));
	if (!s->host_of)
		return na_fail_nomem(err);
	memset(s->host_of, 0xff, n * s->n_runs * sizeof(*s->host_of));
	st = inputs_as_hosts(&h, err);
	if (st == NA_OK && s->names_of)
		st = name_addresses(&h, err);
	for (size_t i = 0; st == NA_OK && i < n * s->n_runs; i++) {
		const struct na_host host = {.run = (uint32_t)(i / n),
					     .slice = -1};

		if (s->host_of[i] != NA_UNKNOWN_U32)
			continue;
		s->host_of[i] = (uint32_t)s->n_hosts;
		na_endpoint_print(buf, &s->names, &s->names.endpoints[i % n]);
		st = add_host(&h, buf, host, err);
	}
	na_fit(&s->hosts, &h.cap, s->n_hosts, sizeof(*s->hosts));
	na_strtab_fini(&h.seen);
	free(h.host);
	return st;
}

static void settle_anchor(struct na_store *s, enum na_anchor asked)
{
	uint64_t near = 0, far = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		if (na_store_style(s, i) == NA_STYLE_GRAPH)
			continue;
		near += s->tallies[i].spans_near;
		far += s->tallies[i].spans_far;
	}
	s->anchor_mattered = near + far > 0;
	s->anchor = asked;
	if (asked == NA_ANCHOR_AUTO)
		s->anchor = near > far ? NA_ANCHOR_START : NA_ANCHOR_END;
}

bool na_store_has_messages(const struct na_store *s, size_t source)
{
	for (size_t side = 0; side < 2; side++) {
		for (size_t k = 0; k < NA_N_CLASSES; k++) {
			if (s->tallies[source]
				    .classes[side][NA_STYLE_MESSAGE][k])
				return true;
		}
	}
	return false;
}

/* An old send enters the timeline only if it carries a duration. */
static bool sent_without_time(const struct na_transfer *t)
{
	return t->style == NA_STYLE_MESSAGE && t->side == NA_TX &&
	       t->klass == NA_NO_LATENCY;
}

/* Old records beside newer ones go; the rest gets its time. */
static enum na_status settle_messages(struct na_store *s, struct na_err *err)
{
	bool any = false;

	for (size_t i = 0; i < s->n_sources; i++) {
		if (!na_store_has_messages(s, i))
			continue;
		s->tallies[i].seen.n = 0;
		any = true;
	}
	for (struct na_chunk *c = any ? s->transfers.first : NULL; c;
	     c = c->next) {
		struct na_packed_transfer *t = (void *)c->data;
		size_t kept = 0;

		for (size_t i = 0; i < c->n; i++) {
			struct na_transfer x = na_unpack_transfer(&t[i]);
			struct na_tally *y = &s->tallies[x.input];

			if (!na_store_has_messages(s, x.input)) {
				t[kept++] = t[i];
				continue;
			}
			if (x.style == NA_STYLE_MESSAGE &&
			    na_store_style(s, x.input) == NA_STYLE_GRAPH) {
				s->doubled++;
				continue;
			}
			if (sent_without_time(&x)) {
				y->dropped[NA_TX][NA_STYLE_MESSAGE]
					  [NA_LEFT_NO_LATENCY]++;
				continue;
			}
			if (x.style == NA_STYLE_MESSAGE &&
			    s->anchor == NA_ANCHOR_START) {
				int64_t latency = x.end_ps - x.start_ps;

				x.start_ps = x.end_ps;
				if (!na_add_i64(x.start_ps, latency, &x.end_ps))
					x.end_ps = NA_TIME_MAX;
			}
			na_extent_add(&y->seen, x.start_ps, x.end_ps);
			if (!na_pack_transfer(&t[kept++], &x, &s->wide))
				return na_fail_nomem(err);
		}
		s->transfers.n -= c->n - kept;
		c->n = kept;
	}
	return NA_OK;
}

NA_ORDER(by_run_number, struct na_step, NA_UP(run), NA_UP(number))

/* One entry for each step number of a run, over all devices. */
static enum na_status resolve_steps(struct na_store *s, struct na_err *err)
{
	struct na_step *all = na_calloc(s->spans.n, sizeof(*all));
	size_t n = 0, kept = 0;

	if (!all)
		return na_fail_nomem(err);
	na_each_record (const struct na_span, x, &s->spans) {
		if (x->number < 0)
			continue; /* a step that no one named */
		all[n++] = (struct na_step){x->number, x->start_ps, x->end_ps,
					    s->sources[x->input].run};
	}
	na_sort(all, n, by_run_number);
	for (size_t i = 0; i < n; i++) {
		struct na_step *last = kept ? &all[kept - 1] : NULL;

		if (!last || by_run_number(last, &all[i]) != 0) {
			all[kept++] = all[i];
			continue;
		}
		if (all[i].start_ps < last->start_ps)
			last->start_ps = all[i].start_ps;
		if (all[i].end_ps > last->end_ps)
			last->end_ps = all[i].end_ps;
	}
	s->steps = all;
	s->n_steps = kept;
	return NA_OK;
}

NA_ORDER(by_place, struct na_span, NA_UP(input), NA_UP(plane), NA_UP(start_ps))

static struct na_span *sorted_spans(const struct na_store *s)
{
	struct na_span *all = na_calloc(s->spans.n, sizeof(*all));
	size_t n = 0;

	for (struct na_chunk *c = s->spans.first; all && c; c = c->next) {
		memcpy(all + n, c->data, c->n * sizeof(*all));
		n += c->n;
	}
	na_sort(all, n, by_place);
	return all;
}

struct lane { /* spans of one device plane */
	size_t from, to;
};

struct planner {
	const struct na_store *s;
	struct na_span *spans;
	struct lane *lanes; /* by source, planes in order */
	size_t *first_lane; /* [n_sources + 1] */
	uint32_t **rank;    /* [source][endpoint] */
};

static bool find_lanes(struct planner *p)
{
	size_t n = p->s->spans.n, lanes = 0, at = 0;

	p->lanes = na_calloc(n, sizeof(*p->lanes));
	p->first_lane = na_calloc(p->s->n_sources + 1, sizeof(size_t));
	if (!p->lanes || !p->first_lane)
		return false;
	for (size_t i = 0; i < p->s->n_sources; i++) {
		p->first_lane[i] = lanes;
		while (at < n && p->spans[at].input == i) {
			size_t from = at;

			while (at < n && p->spans[at].input == i &&
			       p->spans[at].plane == p->spans[from].plane)
				at++;
			p->lanes[lanes++] = (struct lane){from, at};
		}
	}
	p->first_lane[p->s->n_sources] = lanes;
	return true;
}

/* The i-th smallest device id belongs to the i-th smallest plane number. */
static bool rank_devices(struct planner *p, size_t source)
{
	const struct na_store *s = p->s;
	size_t m;
	struct na_local_end *order = na_local_ends(s, source, &m);
	uint32_t *rank;

	rank = p->rank[source] = na_calloc(s->n_local[source], sizeof(*rank));
	for (size_t i = 0; rank && order && i < m; i++)
		rank[na_store_local(s, source, (uint32_t)order[i].index)] =
			(uint32_t)i;
	free(order);
	return rank && order;
}

static uint32_t step_index(const struct na_store *s, uint32_t run,
			   int64_t number)
{
	struct na_step key = {.number = number, .run = run};
	const struct na_step *found = bsearch(&key, s->steps, s->n_steps,
					      sizeof(*s->steps), by_run_number);

	return found ? (uint32_t)(found - s->steps) : NA_UNKNOWN_U32;
}

/* The step of a device whose [start, end) holds the end of a record. */
static uint32_t step_of(const struct planner *p, size_t input, uint32_t local,
			int64_t end_ps)
{
	size_t first = p->first_lane[input];
	size_t lanes = p->first_lane[input + 1] - first;
	const struct lane *lane;
	size_t behind, at = lanes ? na_store_local(p->s, input, local) : 0;

	if (!lanes || at == p->s->n_local[input])
		return NA_UNKNOWN_U32;
	lane = &p->lanes[first + lanes - 1];
	if (p->rank[input][at] < lanes)
		lane = &p->lanes[first + p->rank[input][at]];
	behind = NA_BOUND(i, lane->from, lane->to,
			  p->spans[i].start_ps > end_ps);
	if (behind == lane->from || p->spans[behind - 1].end_ps <= end_ps)
		return NA_UNKNOWN_U32;
	return step_index(p->s, p->s->sources[input].run,
			  p->spans[behind - 1].number);
}

static bool place_execs(const struct planner *p, struct na_chunk_list *b,
			struct na_chunk_list *wide)
{
	na_each_record (struct na_packed_exec, x, b) {
		struct na_exec e = na_unpack_exec(x);

		e.step = step_of(p, e.input, e.device, e.end_ps);
		if (!na_pack_exec(x, &e, wide))
			return false;
	}
	return true;
}

static void place_transfers(const struct planner *p, struct na_store *s)
{
	na_each_record (struct na_packed_transfer, x, &s->transfers) {
		const struct na_transfer t = na_unpack_transfer(x);

		*na_packed_step(x) = step_of(p, t.input,
					     t.side == NA_RX ? t.dst : t.src,
					     t.end_ps);
	}
}

static enum na_status assign_steps(struct na_store *s, struct na_err *err)
{
	struct planner p = {.s = s, .spans = sorted_spans(s)};
	bool ok = p.spans && find_lanes(&p);

	p.rank = ok ? na_calloc(s->n_sources, sizeof(*p.rank)) : NULL;
	ok = p.rank != NULL;
	for (size_t i = 0; ok && i < s->n_sources; i++)
		ok = rank_devices(&p, i);
	if (ok)
		place_transfers(&p, s);
	ok = ok && place_execs(&p, &s->graphs, &s->wide_exec) &&
	     place_execs(&p, &s->actions, &s->wide_exec);
	for (size_t i = 0; p.rank && i < s->n_sources; i++)
		free(p.rank[i]);
	free(p.rank);
	free(p.lanes);
	free(p.first_lane);
	free(p.spans);
	return ok ? NA_OK : na_fail_nomem(err);
}

/* Transfers of a trace seldom tell their type; their graphs do. */
static enum na_status resolve_types(struct na_store *s, struct na_err *err)
{
	s->n_type_of = s->names.strings.n;
	s->type_of = na_calloc(s->n_type_of, sizeof(*s->type_of));
	if (!s->type_of)
		return na_fail_nomem(err);
	memset(s->type_of, 0xff, s->n_type_of * sizeof(*s->type_of));
	na_each_record (const struct na_packed_exec, x, &s->graphs) {
		const struct na_exec g = na_unpack_exec(x);

		if (g.collective < s->n_type_of && g.type != NA_UNKNOWN_U32)
			s->type_of[g.collective] = g.type;
	}
	return NA_OK;
}

enum na_status na_store_resolve(struct na_store *s, enum na_anchor anchor,
				bool by_step, struct na_err *err)
{
	enum na_status st;

	/* All are there. */
	na_fit(&s->names.endpoints, &s->names.cap_endpoints,
	       s->names.n_endpoints, sizeof(*s->names.endpoints));
	na_devices_settle_types(&s->devices);
	settle_anchor(s, anchor);
	st = settle_messages(s, err);
	if (st == NA_OK)
		st = resolve_hosts(s, err);
	if (st == NA_OK && !na_store_join_steps(s))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = resolve_steps(s, err);
	if (st == NA_OK)
		st = resolve_types(s, err);
	if (st == NA_OK)
		st = na_resolve_cores(s, err);
	if (st == NA_OK)
		st = na_resolve_ranked(s, err);
	if (st == NA_OK && by_step)
		st = assign_steps(s, err);
	return st;
}

enum na_status na_store_resolve_as_told(struct na_store *s, bool by_step,
					struct na_err *err)
{
	enum na_status st = resolve_hosts(s, err);

	if (st == NA_OK && by_step && !na_store_join_steps(s))
		st = na_fail_nomem(err);
	return st == NA_OK && by_step ? assign_steps(s, err) : st;
}
