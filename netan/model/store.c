#include "netan/model/store.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum na_status na_store_init(struct na_store *s,
			     const struct na_source *sources, size_t n,
			     struct na_err *err)
{
	memset(s, 0, sizeof(*s));
	na_pool_init(&s->pool);
	na_names_init(&s->names);
	na_bag_init(&s->transfers, &s->pool, sizeof(struct na_packed_transfer));
	na_bag_init(&s->graphs, &s->pool, sizeof(struct na_packed_exec));
	na_bag_init(&s->actions, &s->pool, sizeof(struct na_packed_exec));
	na_bag_init(&s->wide, &s->pool, sizeof(struct na_transfer));
	na_bag_init(&s->wide_exec, &s->pool, sizeof(struct na_exec));
	na_bag_init(&s->spans, &s->pool, sizeof(struct na_span));
	na_bag_init(&s->modules, &s->pool, sizeof(struct na_span));
	na_devices_init(&s->devices, &s->pool);
	na_bag_init(&s->calls, &s->pool, sizeof(struct na_call));
	na_bag_init(&s->packets, &s->pool, sizeof(struct na_wire_packet));
	na_bag_init(&s->connections, &s->pool, sizeof(struct na_connection));
	na_bag_init(&s->segments, &s->pool, sizeof(struct na_segment));
	na_bag_init(&s->host_events, &s->pool, sizeof(struct na_host_event));
	if (n > UINT16_MAX)
		return na_fail(err, NA_ELIMIT, "%zu inputs; %d are the limit",
			       n, UINT16_MAX);
	s->sources = sources;
	s->n_sources = n;
	for (size_t i = 0; i < n; i++) {
		if (sources[i].run >= s->n_runs)
			s->n_runs = (size_t)sources[i].run + 1;
	}
	s->tallies = na_calloc(n, sizeof(*s->tallies));
	s->local = na_calloc(n, sizeof(*s->local));
	s->n_local = na_calloc(n, sizeof(*s->n_local));
	s->remarks = na_calloc(n * NA_REMARKS_MAX, sizeof(*s->remarks));
	s->n_remarks = na_calloc(n, sizeof(*s->n_remarks));
	if (!s->tallies || !s->local || !s->n_local || !s->remarks ||
	    !s->n_remarks)
		return na_fail_nomem(err);
	return NA_OK;
}

void na_store_fini(struct na_store *s)
{
	na_names_fini(&s->names);
	na_devices_fini(&s->devices);
	na_pool_fini(&s->pool);
	for (size_t i = 0; s->local && i < s->n_sources; i++)
		free(s->local[i]);
	for (size_t i = 0; s->remarks && i < s->n_sources * NA_REMARKS_MAX; i++)
		free(s->remarks[i].text);
	for (size_t i = 0; i < s->n_hosts; i++)
		free(s->hosts[i].name);
	free(s->tallies);
	free(s->local);
	free(s->n_local);
	free(s->remarks);
	free(s->n_remarks);
	free(s->unknown);
	free(s->hosts);
	free(s->host_of);
	free(s->steps);
	free(s->type_of);
	free(s->place_of);
	memset(s, 0, sizeof(*s));
}

static uint32_t mapped(const uint32_t *map, size_t n, uint32_t i)
{
	return i < n ? map[i] : NA_UNKNOWN_U32;
}

/* Of all that the part holds of a kind; its chunks are free afterwards. */
static bool take_execs(struct na_store *s, struct na_bag *to,
		       struct na_bag *from, const struct na_names *names,
		       uint32_t *maps[2], size_t source)
{
	size_t n = names->strings.n, m = names->n_endpoints;

	for (; from->first; na_bag_drop_first(from)) {
		struct na_exec *e = (void *)from->first->data;

		for (size_t i = 0; i < from->first->n; i++) {
			struct na_packed_exec *x = na_bag_push(to);

			e[i].device = mapped(maps[1], m, e[i].device);
			e[i].collective = mapped(maps[0], n, e[i].collective);
			e[i].type = mapped(maps[0], n, e[i].type);
			e[i].input = (uint16_t)source;
			if (!x || !na_pack_exec(x, &e[i], &s->wide_exec))
				return false;
		}
	}
	return true;
}

static bool take_transfers(struct na_store *s, struct na_part *p,
			   uint32_t *maps[2], size_t source)
{
	size_t n = p->names.strings.n, m = p->names.n_endpoints;
	struct na_bag *from = &p->transfers;

	for (; from->first; na_bag_drop_first(from)) {
		struct na_transfer *t = (void *)from->first->data;

		for (size_t i = 0; i < from->first->n; i++) {
			struct na_packed_transfer *x =
				na_bag_push(&s->transfers);

			t[i].src = mapped(maps[1], m, t[i].src);
			t[i].dst = mapped(maps[1], m, t[i].dst);
			t[i].collective = mapped(maps[0], n, t[i].collective);
			t[i].type = mapped(maps[0], n, t[i].type);
			t[i].input = (uint16_t)source;
			if (!x || !na_pack_transfer(x, &t[i], &s->wide))
				return false;
		}
	}
	return true;
}

static void rename_spans(struct na_bag *b, const struct na_names *names,
			 uint32_t *maps[2], const uint32_t *core_of,
			 size_t source)
{
	for (struct na_chunk *c = b->first; c; c = c->next) {
		struct na_span *x = (void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			x[i].name = mapped(maps[0], names->strings.n,
					   x[i].name);
			x[i].core = (uint16_t)core_of[x[i].core];
			x[i].input = (uint16_t)source;
		}
	}
}

/* Said once, counted always. */
static void refuse_spans(struct na_store *s, struct na_part *p, uint64_t before)
{
	static const char text[] =
		"more than 65535 device planes in all inputs: what this one "
		"and those behind it hold is left out; analyse fewer hosts "
		"at once";

	p->tally.left_out[NA_LEFT_FILTERED] += s->devices.refused - before +
					       p->spans.n + p->modules.n;
	if (before == 0 && p->n_remarks < NA_REMARKS_MAX)
		p->remarks[p->n_remarks++] = (struct na_remark){0,
								strdup(text)};
	s->devices.refused += p->spans.n + p->modules.n;
}

/* Device planes, and what counts its cores. */
static bool take_devices(struct na_store *s, struct na_part *p,
			 uint32_t *maps[2], size_t source)
{
	const size_t n_maps[2] = {p->names.strings.n, p->names.n_endpoints};
	uint64_t before = s->devices.refused;
	uint32_t *core_of = na_devices_take(&s->devices, &p->devices,
					    (uint16_t)source, maps, n_maps);

	if (!core_of)
		return false;
	if (s->devices.n_cores > NA_CORES_MAX) {
		refuse_spans(s, p, before);
		na_bag_init(&p->spans, &s->pool, sizeof(struct na_span));
		na_bag_init(&p->modules, &s->pool, sizeof(struct na_span));
	}
	rename_spans(&p->spans, &p->names, maps, core_of, source);
	rename_spans(&p->modules, &p->names, maps, core_of, source);
	free(core_of);
	return true;
}

static void rename_packets(struct na_part *p, uint32_t *maps[2], size_t source)
{
	size_t n = p->names.strings.n, m = p->names.n_endpoints;

	for (struct na_chunk *c = p->calls.first; c; c = c->next) {
		struct na_call *x = (void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			x[i].src = mapped(maps[1], m, x[i].src);
			x[i].dst = mapped(maps[1], m, x[i].dst);
			x[i].method = mapped(maps[0], n, x[i].method);
			x[i].input = (uint16_t)source;
		}
	}
	for (struct na_chunk *c = p->packets.first; c; c = c->next) {
		struct na_wire_packet *w = (void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			w[i].src = mapped(maps[1], m, w[i].src);
			w[i].dst = mapped(maps[1], m, w[i].dst);
			w[i].input = (uint32_t)source;
		}
	}
	for (struct na_chunk *c = p->connections.first; c; c = c->next) {
		struct na_connection *x = (void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			x[i].src = mapped(maps[1], m, x[i].src);
			x[i].dst = mapped(maps[1], m, x[i].dst);
			x[i].input = (uint16_t)source;
		}
	}
}

static void rename_host_events(struct na_part *p, const uint32_t *map,
			       size_t source)
{
	size_t n = p->names.strings.n;

	for (struct na_chunk *c = p->host_events.first; c; c = c->next) {
		struct na_host_event *x = (void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			x[i].name = mapped(map, n, x[i].name);
			x[i].thread = mapped(map, n, x[i].thread);
			x[i].input = (uint16_t)source;
		}
	}
}

static bool take_local(struct na_store *s, const struct na_part *p,
		       const uint32_t *map, size_t source)
{
	bool **local = &s->local[source];

	for (size_t i = 0; i < p->n_local && i < p->names.n_endpoints; i++) {
		size_t old = s->n_local[source];

		if (!p->local[i])
			continue;
		if (!na_grow(local, &s->n_local[source], (size_t)map[i] + 1,
			     sizeof(bool)))
			return false;
		memset(*local + old, 0, s->n_local[source] - old);
		(*local)[map[i]] = true;
	}
	return true;
}

static bool take_unknown(struct na_store *s, const struct na_part *p,
			 const uint32_t *map)
{
	for (size_t i = 0; i < p->n_unknown; i++) {
		uint32_t name = map[p->unknown[i].name];
		size_t k = 0;

		while (k < s->n_unknown && s->unknown[k].name != name)
			k++;
		if (k == NA_UNKNOWN_MAX)
			continue;
		if (k == s->n_unknown) {
			if (!na_grow(&s->unknown, &s->cap_unknown, k + 1,
				     sizeof(*s->unknown)))
				return false;
			s->unknown[s->n_unknown++] = (struct na_unknown){name,
									 0};
		}
		s->unknown[k].n += p->unknown[i].n;
	}
	return true;
}

static void take_tally(struct na_tally *to, const struct na_tally *from)
{
	for (size_t side = 0; side < 2; side++) {
		for (size_t style = 0; style < NA_N_STYLES; style++) {
			for (size_t k = 0; k < NA_N_CLASSES; k++)
				to->classes[side][style][k] +=
					from->classes[side][style][k];
		}
	}
	for (size_t style = 0; style < NA_N_STYLES; style++) {
		for (size_t i = 0; i < NA_N_ACTIONS; i++)
			to->actions[style][i] += from->actions[style][i];
	}
	for (size_t i = 0; i < NA_N_REASONS; i++) {
		to->left_out[i] += from->left_out[i];
		for (size_t style = 0; style < NA_N_STYLES; style++) {
			to->dropped[NA_RX][style][i] +=
				from->dropped[NA_RX][style][i];
			to->dropped[NA_TX][style][i] +=
				from->dropped[NA_TX][style][i];
		}
	}
	to->spans_near += from->spans_near;
	to->spans_far += from->spans_far;
	if (!from->timed)
		return;
	if (!to->timed || from->first_ps < to->first_ps)
		to->first_ps = from->first_ps;
	if (!to->timed || from->last_ps > to->last_ps)
		to->last_ps = from->last_ps;
	to->timed = true;
}

static void take_remarks(struct na_store *s, struct na_part *p, size_t source)
{
	struct na_remark *to = s->remarks + source * NA_REMARKS_MAX;

	for (size_t i = 0; i < p->n_remarks; i++) {
		size_t k = s->n_remarks[source]++;

		if (k < NA_REMARKS_MAX && i < NA_REMARKS_MAX) {
			to[k] = p->remarks[i];
			p->remarks[i].text = NULL;
		}
	}
}

enum na_status na_store_take(struct na_store *s, struct na_part *p,
			     size_t source, struct na_err *err)
{
	uint32_t *maps[2] = {NULL, NULL};
	bool ok = !p->short_of_memory &&
		  na_names_merge(&s->names, &p->names, maps) &&
		  take_local(s, p, maps[1], source) &&
		  take_unknown(s, p, maps[0]) &&
		  take_devices(s, p, maps, source) &&
		  take_transfers(s, p, maps, source) &&
		  take_execs(s, &s->graphs, &p->graphs, &p->names, maps,
			     source) &&
		  take_execs(s, &s->actions, &p->actions, &p->names, maps,
			     source);

	if (ok) {
		rename_packets(p, maps, source);
		rename_host_events(p, maps[0], source);
		take_tally(&s->tallies[source], &p->tally);
		take_remarks(s, p, source);
		na_bag_splice(&s->spans, &p->spans);
		na_bag_splice(&s->modules, &p->modules);
		na_bag_splice(&s->calls, &p->calls);
		na_bag_splice(&s->packets, &p->packets);
		na_bag_splice(&s->connections, &p->connections);
		na_bag_splice(&s->segments, &p->segments);
		na_bag_splice(&s->host_events, &p->host_events);
	}
	free(maps[0]);
	free(maps[1]);
	return ok ? NA_OK : na_fail_nomem(err);
}

enum na_style na_store_style(const struct na_store *s, size_t source)
{
	const struct na_tally *t = &s->tallies[source];
	bool messages = false, actions = false;

	for (size_t side = 0; side < 2; side++) {
		for (size_t k = 0; k < NA_N_CLASSES; k++) {
			if (t->classes[side][NA_STYLE_GRAPH][k])
				return NA_STYLE_GRAPH;
			messages |= t->classes[side][NA_STYLE_MESSAGE][k] > 0;
		}
	}
	for (size_t i = 0; i < NA_N_ACTIONS; i++)
		actions |= t->actions[NA_STYLE_GRAPH][i] > 0;
	return actions && !messages ? NA_STYLE_GRAPH : NA_STYLE_MESSAGE;
}

uint64_t na_store_actions(const struct na_store *s, size_t source,
			  enum na_action_kind kind)
{
	const struct na_tally *t = &s->tallies[source];
	uint64_t newer = t->actions[NA_STYLE_GRAPH][kind];
	uint64_t older = t->actions[NA_STYLE_MESSAGE][kind];

	return newer && na_store_style(s, source) == NA_STYLE_GRAPH
		       ? newer
		       : newer + older;
}

/* Of a trace one generation; what captures tell lies beside it. */
static bool counts(const struct na_store *s, size_t source, enum na_style style)
{
	return style >= NA_STYLE_CAPTURE || style == na_store_style(s, source);
}

uint64_t na_store_left_out(const struct na_store *s, size_t source, int side,
			   enum na_reason why)
{
	const struct na_tally *t = &s->tallies[source];
	uint64_t n = t->left_out[why];

	for (int style = 0; style < NA_N_STYLES; style++) {
		if (!counts(s, source, (enum na_style)style))
			continue;
		if (side != NA_TX)
			n += t->dropped[NA_RX][style][why];
		if (side != NA_RX)
			n += t->dropped[NA_TX][style][why];
	}
	return n;
}

uint64_t na_store_count(const struct na_store *s, size_t source,
			enum na_side side, enum na_class klass)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		if (source != SIZE_MAX && source != i)
			continue;
		for (int style = 0; style < NA_N_STYLES; style++) {
			if (counts(s, i, (enum na_style)style))
				n += s->tallies[i].classes[side][style][klass];
		}
	}
	return n;
}
