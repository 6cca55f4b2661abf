/*
 * timeline: packets of captures.  Every packet is an instant: all its bytes
 * on the wire lie in the bin of its time.  The calls and messages of a
 * capture whose packets are here are not spread as well: they are pending,
 * and their bytes outstanding.
 */
#include <stdlib.h>

#include "netan/analyses/timeline/state.h"
#include "netan/base/vec.h"

/* Addresses that get series of their own, the busiest first; fewer where
 * the bins are many. */
enum { HOSTS_MAX = 64, HOST_CELLS = 1 << 19 };

bool na_timeline_frames_init(struct timeline_state *s)
{
	const struct na_store *store = s->scope->store;

	s->seen = na_calloc(store->n_sources, sizeof(*s->seen));
	if (!s->seen)
		return false;
	/* Records lie in the order of the inputs. */
	for (struct na_chunk *c = store->packets.first; c; c = c->next) {
		const struct na_wire_packet *w = (const void *)c->data;
		bool one = c->n && w[0].input == w[c->n - 1].input;

		for (size_t i = 0; i < c->n && (!one || i == 0); i++)
			s->seen[w[i].input] = true;
	}
	return true;
}

bool na_timeline_by_packets(const struct timeline_state *s,
			    const struct na_transfer *t)
{
	const struct timeline_state *main = s->main ? s->main : s;

	return t->style >= NA_STYLE_CAPTURE && main->seen[t->input];
}

static uint32_t host_of(const struct timeline_state *s,
			const struct na_wire_packet *w, enum na_side side)
{
	const struct na_store *store = s->scope->store;

	return na_store_host_of(store, store->sources[w->input].run,
				side == NA_RX ? w->dst : w->src);
}

static enum na_status survey(struct timeline_state *s,
			     const struct na_wire_packet *w, enum na_side side)
{
	uint64_t values[NA_MAX_KEYS];
	struct timeline_row *row;

	s->n_side[side]++;
	if (!s->scope->by.n)
		return NA_OK;
	na_group_of_packet(&s->scope->by, s->scope->store, w, side, values);
	row = na_timeline_group_row(s, values);
	if (!row)
		return NA_ENOMEM;
	row->amount[side] += (na_i128)w->size_bytes;
	row->n[side]++;
	return NA_OK;
}

static enum na_status spread(struct timeline_state *s,
			     const struct na_wire_packet *w, enum na_side side)
{
	uint64_t values[NA_MAX_KEYS];
	struct timeline_row *row;
	uint32_t g;

	s->amount[side] += na_spread_bytes(&s->rate[side], &s->bins, w->time_ps,
					   w->time_ps, w->size_bytes, s->lo_ps,
					   s->hi_ps);
	if (!s->scope->by.n)
		return NA_OK;
	na_group_of_packet(&s->scope->by, s->scope->store, w, side, values);
	g = na_groups_find(&s->main->groups, values);
	row = &s->rows[s->main->shown.row_of[g]];
	return na_timeline_row_add(row, s, side, w->time_ps, w->time_ps,
				   w->size_bytes)
		       ? NA_OK
		       : NA_ENOMEM;
}

/* A host's own links carry what it receives and what it sends, whatever the
 * packet counts as in the sums. */
static bool add_host(struct timeline_state *s, const struct na_wire_packet *w,
		     enum na_side side)
{
	uint32_t h = host_of(s, w, side), row;

	if (s->pass == 0) {
		s->traffic[h] += w->size_bytes;
		return true;
	}
	row = s->main->host_row[h];
	if (row == NA_UNKNOWN_U32)
		return true;
	if (s->per_host)
		return na_timeline_row_add(&s->hosts[row], s, side, w->time_ps,
					   w->time_ps, w->size_bytes);
	s->hosts[row].n[side]++;
	return true;
}

enum na_status na_timeline_add_packet(void *block,
				      const struct na_wire_packet *w)
{
	struct timeline_state *s = block;
	unsigned sides = na_filter_packet(s->scope->bound, w);
	bool filtered = s->scope->filter->host && s->scope->filter->host->n;
	enum na_status st = NA_OK;

	if (s->pass == 0) {
		na_timeline_cover(s, w->time_ps, w->time_ps, true);
		s->packets++;
	}
	for (int side = 0; st == NA_OK && side < 2; side++) {
		bool counts = sides & NA_SIDE_BIT(side);

		if (counts)
			st = s->pass == 0 ? survey(s, w, (enum na_side)side)
					  : spread(s, w, (enum na_side)side);
		if (st == NA_OK && (counts || !filtered) &&
		    !add_host(s, w, (enum na_side)side))
			st = NA_ENOMEM;
	}
	return st;
}

bool na_timeline_traffic_init(struct timeline_state *s)
{
	const struct na_store *store = s->scope->store;

	if (!store->packets.n)
		return true;
	s->traffic = na_calloc(store->n_hosts, sizeof(*s->traffic));
	return s->traffic;
}

void na_timeline_traffic_merge(struct timeline_state *s,
			       const struct timeline_state *b)
{
	for (size_t i = 0; s->traffic && i < s->scope->store->n_hosts; i++)
		s->traffic[i] += b->traffic[i];
	s->packets += b->packets;
}

/* Rows for the inputs, then for the busiest hosts of captures. */
bool na_timeline_choose_hosts(struct timeline_state *s)
{
	const struct na_store *store = s->scope->store;
	size_t n = store->n_hosts, most = HOST_CELLS / 2 / (s->bins.n + 1);
	na_i128 *bytes = na_calloc(n, sizeof(*bytes));
	uint32_t *order = NULL;

	most = most > HOSTS_MAX ? HOSTS_MAX : most < 1 ? 1 : most;
	s->n_host_rows = store->n_sources;
	s->host_row = na_calloc(n, sizeof(*s->host_row));
	s->row_host = na_calloc(store->n_sources + most, sizeof(*s->row_host));
	for (size_t i = 0; bytes && s->traffic && i < n; i++)
		bytes[i] = (na_i128)s->traffic[i];
	if (bytes)
		order = na_groups_rank(bytes, n);
	for (size_t i = 0; order && s->host_row && s->row_host && i < n; i++) {
		uint32_t h = order[i];

		s->host_row[h] = NA_UNKNOWN_U32;
		if (bytes[h])
			s->n_busy++;
		if (h < store->n_sources)
			s->row_host[h] = s->host_row[h] = h;
		else if (bytes[h] && s->n_host_rows < store->n_sources + most) {
			s->row_host[s->n_host_rows] = h;
			s->host_row[h] = (uint32_t)s->n_host_rows++;
		}
	}
	free(bytes);
	free(order);
	return order && s->host_row && s->row_host;
}
