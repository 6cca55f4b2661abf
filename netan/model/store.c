#include "netan/model/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

enum na_status na_store_init(struct na_store *s,
			     const struct na_source *sources, size_t n,
			     struct na_err *err)
{
	memset(s, 0, sizeof(*s));
	na_pool_init(&s->pool);
#define NA_RECORD(KIND, chunks, one, type, ...) \
	na_chunks_init(&s->chunks, &s->pool, sizeof(struct type));
#define NA_RECORD_PACKED(KIND, chunks, one, type, kept, ...) \
	na_chunks_init(&s->chunks, &s->pool, sizeof(struct kept));
#include "netan/model/records.def"
	na_chunks_init(&s->wide, &s->pool, sizeof(struct na_transfer));
	na_chunks_init(&s->wide_exec, &s->pool, sizeof(struct na_exec));
	if (n > NA_INPUTS_MAX)
		return na_fail(err, NA_ELIMIT, "%zu inputs; %d are the limit",
			       n, NA_INPUTS_MAX);
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
	na_arena_fini(&s->host_names);
	free(s->tallies);
	free(s->local);
	free(s->n_local);
	free(s->remarks);
	free(s->n_remarks);
	free(s->unknown);
	free(s->hosts);
	free(s->host_of);
	free(s->runs_on);
	free(s->home_of);
	free(s->steps);
	free(s->type_of);
	free(s->place_of);
	memset(s, 0, sizeof(*s));
}

void na_store_forget_kind(struct na_store *s, enum na_record_kind kind)
{
#define NA_RECORD(...)
#define NA_RECORD_PACKED(KIND, chunks, ...) \
	if (kind == NA_RECORDS_##KIND) \
		na_chunks_forget(&s->chunks);
#include "netan/model/records.def"
}

void na_store_forget(struct na_store *s)
{
	for (int kind = 0; kind < NA_N_RECORDS; kind++)
		na_store_forget_kind(s, (enum na_record_kind)kind);
	na_chunks_forget(&s->wide);
	na_chunks_forget(&s->wide_exec);
}

/* ---- records of a part: what they name, numbered anew */

#define NAME(member) x->member = na_map_index(m->names, m->n_names, x->member);
#define ENDPOINT(member) \
	x->member = na_map_index(m->endpoints, m->n_endpoints, x->member);
#define CORE(member) x->member = m->cores[x->member] & NA_CORES_MAX;
#define TYPE(member) x->member = m->types[x->member];
#define INPUT        x->input = m->input;
#define THEN(f)      f(&s->devices, x);
#define RENAME(chunks, type, ...) \
	static inline void rename_##chunks(struct na_store *s, struct type *x, \
					   const struct na_maps *m) \
	{ \
		(void)s; \
		(void)x; \
		(void)m; \
		__VA_ARGS__ \
	}

/* Chunks change hands. */
#define NA_RECORD(KIND, chunks, one, type, told, filter, aside, from, to, ...) \
	RENAME(chunks, type, __VA_ARGS__) \
	static bool take_##chunks(struct na_store *s, \
				  struct na_chunk_list *part, \
				  const struct na_maps *m) \
	{ \
		for (struct na_chunk *c = part->first; c; c = c->next) { \
			struct type *x = (void *)c->data; \
\
			for (size_t i = 0; i < c->n; i++) \
				rename_##chunks(s, &x[i], m); \
		} \
		na_chunks_splice(&s->chunks, part); \
		return true; \
	}
/* A chunk is free once its records are packed. */
#define NA_RECORD_PACKED(KIND, chunks, one, type, kept, pack, unpack, wide, \
			 filter, ...) \
	RENAME(chunks, type, __VA_ARGS__) \
	static bool take_##chunks(struct na_store *s, \
				  struct na_chunk_list *part, \
				  const struct na_maps *m) \
	{ \
		for (; part->first; na_chunks_drop_first(part)) { \
			struct type *x = (void *)part->first->data; \
\
			for (size_t i = 0; i < part->first->n; i++) { \
				struct kept *to = na_chunks_push(&s->chunks); \
\
				rename_##chunks(s, &x[i], m); \
				if (!to || !pack(to, &x[i], &s->wide)) \
					return false; \
			} \
		} \
		return true; \
	}
#include "netan/model/records.def"

static bool take_records(struct na_store *s, struct na_part *p,
			 const struct na_maps *m)
{
	bool ok = true;

#define NA_RECORD(KIND, chunks, ...) ok = ok && take_##chunks(s, &p->chunks, m);
#include "netan/model/records.def"
	return ok;
}

/* Of cores beyond NA_CORES_MAX: dropped, said once, counted always. */
static void refuse_devices(struct na_store *s, struct na_part *p)
{
	struct na_chunk_list *lists[] = {&p->ops, &p->busy, &p->spans,
					 &p->modules, &p->comms};
	char text[160];

	snprintf(text, sizeof(text),
		 "more than %d device planes and ranks in all inputs: what "
		 "this one and those after it hold is left out; analyse fewer "
		 "hosts at once",
		 NA_CORES_MAX);
	if (!s->devices.refused && p->n_remarks < NA_REMARKS_MAX)
		p->remarks[p->n_remarks++] = (struct na_remark){0,
								strdup(text)};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		p->tally.left_out[NA_LEFT_FILTERED] += lists[i]->n;
		s->devices.refused += lists[i]->n;
		na_chunks_init(lists[i], &s->pool, lists[i]->size);
	}
}

size_t na_store_local(const struct na_store *s, size_t source,
		      uint32_t endpoint)
{
	size_t n = s->n_local[source];
	size_t at = NA_BOUND(i, 0, n, s->local[source][i] >= endpoint);

	return at < n && s->local[source][at] == endpoint ? at : n;
}

static bool take_local(struct na_store *s, const struct na_part *p,
		       const uint32_t *map, size_t source)
{
	size_t known = s->n_local[source], all = p->names.n_endpoints, n = 0;
	uint32_t *more;

	for (size_t i = 0; i < p->n_local && i < all; i++)
		n += p->local[i] && na_store_local(s, source, map[i]) == known;
	if (!n)
		return true;
	more = realloc(s->local[source], (known + n) * sizeof(*more));
	if (!more)
		return false;
	s->local[source] = more;
	for (size_t i = 0, at = known; i < p->n_local && i < all; i++) {
		if (p->local[i] && na_store_local(s, source, map[i]) == known)
			more[at++] = map[i];
	}
	s->n_local[source] += n;
	na_sort(more, known + n, na_order_u32);
	return true;
}

bool na_store_unknown(struct na_store *s, uint32_t name, uint64_t n)
{
	size_t k = 0;

	while (k < s->n_unknown && s->unknown[k].name != name)
		k++;
	if (k == NA_UNKNOWN_MAX)
		return true;
	if (k == s->n_unknown) {
		if (!na_grow(&s->unknown, &s->cap_unknown, k + 1,
			     sizeof(*s->unknown)))
			return false;
		s->unknown[s->n_unknown++] = (struct na_unknown){name, 0};
	}
	s->unknown[k].n += n;
	return true;
}

static bool take_unknown(struct na_store *s, const struct na_part *p,
			 const uint32_t *map)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->n_unknown; i++)
		ok = na_store_unknown(s, map[p->unknown[i].name],
				      p->unknown[i].n);
	return ok;
}

static void add_up(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

static void take_tally(struct na_tally *to, const struct na_tally *from)
{
	for (size_t style = 0; style < NA_N_STYLES; style++) {
		for (size_t side = 0; side < 2; side++) {
			add_up(to->classes[side][style],
			       from->classes[side][style], NA_N_CLASSES);
			add_up(to->dropped[side][style],
			       from->dropped[side][style], NA_N_REASONS);
		}
		add_up(to->actions[style], from->actions[style], NA_N_ACTIONS);
	}
	add_up(to->left_out, from->left_out, NA_N_REASONS);
	to->spans_near += from->spans_near;
	to->spans_far += from->spans_far;
	na_extent_join(&to->seen, &from->seen);
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

static bool take_part(struct na_store *s, struct na_part *p, size_t source,
		      struct na_maps *m)
{
	uint32_t *maps[2] = {NULL, NULL};
	bool ok = na_names_merge(&s->names, &p->names, maps);

	m->names = maps[0];
	m->endpoints = maps[1];
	ok = ok && take_local(s, p, m->endpoints, source) &&
	     take_unknown(s, p, m->names) &&
	     na_devices_take(&s->devices, &p->devices, m);
	if (ok && s->devices.n_cores > NA_CORES_MAX)
		refuse_devices(s, p);
	return ok && take_records(s, p, m);
}

enum na_status na_store_take(struct na_store *s, struct na_part *p,
			     size_t source, struct na_err *err)
{
	struct na_maps m = {.n_names = p->names.strings.n,
			    .n_endpoints = p->names.n_endpoints,
			    .input = (uint32_t)source};
	bool ok = !p->short_of_memory && take_part(s, p, source, &m);

	if (ok) {
		take_tally(&s->tallies[source], &p->tally);
		take_remarks(s, p, source);
	}
	free(m.names);
	free(m.endpoints);
	free(m.cores);
	free(m.types);
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

unsigned na_store_styles_in(const struct na_store *s, size_t source)
{
	unsigned seen = 0;

	for (size_t k = 0; k < 2 * NA_N_STYLES; k++) {
		const uint64_t *n = s->tallies[source].classes[k % 2][k / 2];

		for (size_t c = 0; c < NA_N_CLASSES; c++)
			seen |= (n[c] ? 1U : 0U) << k / 2;
	}
	return seen;
}

unsigned na_store_styles(const struct na_store *s, uint32_t run)
{
	unsigned seen = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		if (run == UINT32_MAX || s->sources[i].run == run)
			seen |= na_store_styles_in(s, i);
	}
	return seen;
}

bool na_store_mixed(const struct na_store *s, uint32_t run)
{
	bool captures = false, traces = false;

	for (size_t i = 0; i < s->n_sources; i++) {
		const struct na_source *x = &s->sources[i];

		if (x->run != run || !na_store_styles_in(s, i))
			continue;
		captures |= x->capture;
		traces |= !x->capture;
	}
	return captures && traces;
}

const char *na_store_of_hosts(const struct na_store *s)
{
	size_t ranks = 0, others = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		const struct na_source *x = &s->sources[i];

		ranks += x->of_rank && x->no_host;
		others += !(x->of_rank && x->no_host);
	}
	return !ranks ? NULL : others ? "host or rank" : "rank";
}

bool na_store_of_captures(const struct na_store *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		if (!s->sources[i].capture)
			return false;
	}
	return s->n_sources > 0;
}

void na_store_leave_captures(struct na_store *copy)
{
	struct na_chunk_list *of_traces[] = {&copy->graphs, &copy->actions,
					     &copy->comms};

	for (size_t i = 0; i < NA_LEN(of_traces); i++)
		na_chunks_init(of_traces[i], of_traces[i]->pool,
			       of_traces[i]->size);
}

uint64_t na_store_captured(const struct na_store *s, uint32_t run,
			   enum na_class klass)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].run == run && s->sources[i].capture)
			n += na_store_count(s, i, NA_RX, klass);
	}
	return n;
}

uint64_t na_store_count(const struct na_store *s, size_t source,
			enum na_side side, enum na_class klass)
{
	uint64_t n = 0;

	size_t from = source == SIZE_MAX ? 0 : source;
	size_t to = source == SIZE_MAX ? s->n_sources : source + 1;

	for (size_t i = from; i < to; i++) {
		for (int style = 0; style < NA_N_STYLES; style++) {
			if (counts(s, i, (enum na_style)style))
				n += s->tallies[i].classes[side][style][klass];
		}
	}
	return n;
}
